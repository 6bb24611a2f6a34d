use crate::definition::{Definition, Group};

pub(super) static DEFINITION: Definition = Definition {
    name: "noisy_count",
    group: Group::Central,
    summary: "The number of rows in which something is not NULL, with exact discrete Laplace noise. Tables are hard to tell apart with and without one person's rows.",
    arguments: &[
        ("value", "any column, or 1 for all rows"),
        ("parameters", "`rows_per_person`; `epsilon`, or `scale`"),
    ],
    returns: "a whole number, which can be negative",
    example: "SELECT noisy_count(1, 'rows_per_person = 1, epsilon = 0.5') AS people FROM answers",
    kind: "",
};
