use crate::definition::{Definition, Group};

pub(super) static DEFINITION: Definition = Definition {
    name: "estimate_yes_no",
    group: Group::Estimate,
    summary: "The share of those who would truly say yes.",
    arguments: &[
        ("report", "what `randomize_yes_no` or `deniable randomize` returned"),
        ("parameters", "those that the answers were randomized with"),
        (
            "how",
            "optional: a number, the confidence (0.95), or `confidence`, `alpha`, `target`, `candidates`",
        ),
    ],
    returns: "a struct: `reports`, `share`, `count`, `standard_error`, `low`, `high`, `p_value`; NULL if there are no reports",
    example: "SELECT estimate_yes_no(moved, 1.0) AS moved FROM reports",
    kind: "yes-no",
};
