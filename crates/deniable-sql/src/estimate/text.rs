use crate::definition::{Definition, Group};

pub(super) static DEFINITION: Definition = Definition {
    name: "estimate_text",
    group: Group::Estimate,
    summary: "The shares of texts, by RAPPOR's decoder.",
    arguments: &[
        ("report", "what `randomize_text` or `deniable randomize` returned"),
        ("parameters", "those that the answers were randomized with"),
        (
            "how",
            "optional: a number, the confidence (0.95), or `confidence`, `alpha`, `target`, `candidates`",
        ),
    ],
    returns: "a list with a struct for each value: `value`, `reports`, `share`, `count`, `standard_error`, `low`, `high`, `p_value`, `detected`, `consistent`",
    example: "SELECT unnest(estimate_text(browser, 'bits = 32, hashes = 1, cohorts = 8, candidates = [\"Firefox\", \"Chrome\"], epsilon = 3.0')) AS browser FROM reports",
    kind: "text",
};
