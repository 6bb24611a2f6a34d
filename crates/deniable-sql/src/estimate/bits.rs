use crate::definition::{BITS, Definition, Group};

pub(super) static DEFINITION: Definition = Definition {
    name: "estimate_bits",
    group: Group::Estimate,
    summary: "The share of those who truly have each bit. The values are the bits' numbers.",
    arguments: &[
        ("report", "what `randomize_bits` or `deniable randomize` returned"),
        ("parameters", "those that the answers were randomized with"),
        (
            "how",
            "optional: a number, the confidence (0.95), or `confidence`, `alpha`, `target`, `candidates`",
        ),
    ],
    returns: "a list with a struct for each value: `value`, `reports`, `share`, `count`, `standard_error`, `low`, `high`, `p_value`, `detected`, `consistent`",
    example: "SELECT unnest(estimate_bits(ticks, 'length = 5, most = 2, epsilon = 4.0')) AS ticks FROM reports",
    kind: BITS,
};
