use crate::definition::{Definition, Group};

pub(super) static DEFINITION: Definition = Definition {
    name: "estimate_number",
    group: Group::Estimate,
    summary: "The mean of a number.",
    arguments: &[
        ("report", "what `randomize_number` or `deniable randomize` returned"),
        ("parameters", "those that the answers were randomized with"),
        (
            "how",
            "optional: a number, the confidence (0.95), or `confidence`, `alpha`, `target`, `candidates`",
        ),
    ],
    returns: "a struct: `reports`, `mean`, `standard_error`, `low`, `high`; NULL if there are no reports",
    example: "SELECT estimate_number(hours, 'low = 0, high = 24, epsilon = 2.0', 0.99) AS hours FROM reports",
    kind: "number",
};
