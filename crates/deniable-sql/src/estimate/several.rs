use crate::definition::{Definition, Group};

pub(super) static DEFINITION: Definition = Definition {
    name: "estimate_several",
    group: Group::Estimate,
    summary: "The share of those who would truly tick each choice.",
    arguments: &[
        ("report", "what `randomize_several` or `deniable randomize` returned"),
        ("parameters", "those that the answers were randomized with"),
        (
            "how",
            "optional: a number, the confidence (0.95), or `confidence`, `alpha`, `target`, `candidates`",
        ),
    ],
    returns: "a list with a struct for each value: `value`, `reports`, `share`, `count`, `standard_error`, `low`, `high`, `p_value`, `detected`, `consistent`",
    example: "SELECT unnest(estimate_several(pets, 'choices = [\"cat\", \"dog\", \"fish\"], most = 2, epsilon = 4.0')) AS pets FROM reports",
    kind: "several",
};
