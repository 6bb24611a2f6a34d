use datafusion::arrow::array::{ArrayRef, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::common::Result;

use super::{Parameters, whole};
use crate::definition::{Definition, Group};
use crate::error::refused;

pub(super) static DEFINITION: Definition = Definition {
    name: "noisy_sum",
    group: Group::Central,
    summary: "The sum of a number between declared bounds, with exact discrete Laplace noise. Numbers beyond them are moved to the nearest, and NULL and NaN count as nothing. Tables are hard to tell apart with and without one person's rows.",
    arguments: &[
        ("value", "whole numbers or floats"),
        (
            "parameters",
            "`low`, `high`; `rows_per_person`; `epsilon`, or `scale` in steps; `step`, to whose multiples numbers are rounded, a power of two and about a 2^24th of the bounds if it is not said, so that whole numbers below 2^24 are kept",
        ),
    ],
    returns: "a number",
    example: "SELECT noisy_sum(hours, 'low = 0, high = 24, rows_per_person = 1, epsilon = 0.5') AS hours FROM answers",
    kind: "",
};

/// Numbers as whole multiples of a step.
///
/// A number x becomes round(clamp(x)/step). Each part of that is monotone, so what comes of any x lies between what comes of the bounds. Sums of whole numbers are exact, whatever their order.
#[derive(Debug)]
pub(super) struct Steps {
    low: f64,
    high: f64,
    step: f64,
}

/// Sums of up to 2^39 rows of the largest number end within 64-bit numbers, and whole numbers below 2^24 are kept.
const FINEST: i32 = 24;

impl Steps {
    pub(super) fn read(parameters: &mut Parameters, answers: &DataType) -> Result<Self> {
        if !(answers.is_integer() || answers.is_floating()) {
            return Err(refused(
                DEFINITION.name,
                "the column has another type; accepted are whole numbers and floats",
            ));
        }
        let (low, high) = (parameters.required("low")?, parameters.required("high")?);
        let most = low.abs().max(high.abs());
        if low > high || most == 0.0 || most > 1e100 {
            return Err(parameters.wrong(
                "low",
                "is above `high`, or both are 0, or one is beyond 1e100",
                "bounds with `low` at most `high`, and one of them not 0",
            ));
        }
        let step = match parameters.number("step")? {
            Some(step) if step > 0.0 => step,
            Some(_) => return Err(parameters.wrong("step", "is not above 0", "a number above 0")),
            None => 2f64.powi((most.log2().ceil() as i32 - FINEST).clamp(-1000, 1000)),
        };
        let steps = Steps { low, high, step };
        // Beyond that a float is no longer every whole number.
        let ends = [steps.of(low), steps.of(high)];
        if !ends.iter().all(|end| end.abs() <= 2f64.powi(53)) || ends == [0.0, 0.0] {
            return Err(parameters.wrong(
                "step",
                "does not fit the bounds",
                "a step that goes into the larger of them between 1 and 2^53 times",
            ));
        }
        Ok(steps)
    }

    /// As a float that is a whole number.
    fn of(&self, x: f64) -> f64 {
        (x.clamp(self.low, self.high) / self.step).round()
    }

    /// The most that a number can be, in steps.
    pub(super) fn most(&self) -> u64 {
        self.of(self.low).abs().max(self.of(self.high).abs()) as u64
    }

    pub(super) fn add_up(&self, rows: &ArrayRef) -> Result<i128> {
        let floats;
        let numbers: Box<dyn Iterator<Item = Option<f64>>> = match whole(rows) {
            Some(numbers) => {
                Box::new(numbers.iter().map(|number| number.map(|number| number as f64)))
            }
            None => {
                floats = cast(rows, &DataType::Float64)
                    .map_err(|_| refused(DEFINITION.name, "the column cannot be read"))?;
                Box::new(floats.as_primitive::<Float64Type>().iter())
            }
        };
        let there = numbers.flatten().filter(|number| !number.is_nan());
        Ok(there.map(|number| self.of(number) as i128).sum())
    }

    pub(super) fn value(&self, steps: i64) -> f64 {
        steps as f64 * self.step
    }
}
