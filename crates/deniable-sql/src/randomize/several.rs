use crate::definition::{Definition, Group};

pub(super) static DEFINITION: Definition = Definition {
    name: "randomize_several",
    group: Group::Randomize,
    summary: "Randomizes a set: several answers of a list.",
    arguments: &[
        (
            "answer",
            "lists of texts, texts with ; between the choices, whole numbers with a bit for each of up to 64 choices, or binary values of fixed length with a bit for each",
        ),
        ("parameters", "`choices`; `most`; `epsilon`, or `f`"),
    ],
    returns: "packed bits, never NULL",
    example: "SELECT randomize_several(pets, 'choices = [\"cat\", \"dog\", \"fish\"], most = 2, epsilon = 4.0') AS pets FROM answers",
    kind: "several",
};
