use crate::definition::{Definition, Group};

pub(super) static DEFINITION: Definition = Definition {
    name: "estimate_choice",
    group: Group::Estimate,
    summary: "The share of each choice.",
    arguments: &[
        ("report", "what `randomize_choice` or `deniable randomize` returned"),
        ("parameters", "those that the answers were randomized with"),
        (
            "how",
            "optional: a number, the confidence (0.95), or `confidence`, `alpha`, `target`, `candidates`",
        ),
    ],
    returns: "a list with a struct for each value: `value`, `reports`, `share`, `count`, `standard_error`, `low`, `high`, `p_value`, `detected`, `consistent`",
    example: "SELECT unnest(estimate_choice(transport, 'choices = [\"car\", \"bus\", \"bike\"], epsilon = 2.0')) AS transport FROM reports",
    kind: "choice",
};
