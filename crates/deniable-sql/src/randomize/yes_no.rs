use crate::definition::{Definition, Group};

pub(super) static DEFINITION: Definition = Definition {
    name: "randomize_yes_no",
    group: Group::Randomize,
    summary: "Randomizes an answer that is yes or no, by randomized response.",
    arguments: &[
        ("answer", "truth values, texts such as yes and no, or the numbers 1 and 0"),
        ("parameters", "`epsilon`, or `prob` of the truth; `missing`, \"no\" or \"yes\""),
    ],
    returns: "a truth value, never NULL",
    example: "SELECT randomize_yes_no(moved, 1.0) AS moved FROM answers",
    kind: "yes-no",
};
