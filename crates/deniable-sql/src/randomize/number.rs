use crate::definition::{Definition, Group};

pub(super) static DEFINITION: Definition = Definition {
    name: "randomize_number",
    group: Group::Randomize,
    summary: "Adds exact discrete Laplace noise to a number between declared bounds. Numbers beyond them are moved to the nearest.",
    arguments: &[
        ("answer", "numbers, or texts that are numbers"),
        ("parameters", "`low`, `high`; `epsilon`, or `scale`; `missing`, a number"),
    ],
    returns: "a number, never NULL",
    example: "SELECT randomize_number(hours, 'low = 0, high = 24, epsilon = 2.0') AS hours FROM answers",
    kind: "number",
};
