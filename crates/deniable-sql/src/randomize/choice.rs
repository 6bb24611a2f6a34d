use crate::definition::{Definition, Group};

pub(super) static DEFINITION: Definition = Definition {
    name: "randomize_choice",
    group: Group::Randomize,
    summary: "Randomizes an answer that is one of a list, by the mechanism with the smallest error or the one that is named.",
    arguments: &[
        ("answer", "texts, whole numbers or truth values"),
        (
            "parameters",
            "`choices`; `epsilon`, or `mechanism` with its own parameters; `other`, a text or false; `missing`",
        ),
    ],
    returns: "a text, or packed bits for mechanisms other than randomized response; never NULL",
    example: "SELECT randomize_choice(transport, 'choices = [\"car\", \"bus\", \"bike\"], epsilon = 2.0') AS transport FROM answers",
    kind: "choice",
};
