use crate::definition::{Definition, Group};

pub(super) static DEFINITION: Definition = Definition {
    name: "randomize_text",
    group: Group::Randomize,
    summary: "Randomizes any text by RAPPOR, without memory: each row is a client of its own.",
    arguments: &[
        ("answer", "texts, whole numbers or truth values"),
        ("parameters", "`bits`, `hashes`, `cohorts`, `candidates`; `epsilon`, or `p`, `q`, `f`"),
    ],
    returns: "packed bits with the cohort, never NULL",
    example: "SELECT randomize_text(browser, 'bits = 32, hashes = 1, cohorts = 8, candidates = [\"Firefox\", \"Chrome\"], epsilon = 3.0') AS browser FROM answers",
    kind: "text",
};
