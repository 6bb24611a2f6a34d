//! A number between bounds.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array};
use arrow_buffer::ScalarBuffer;
use arrow_schema::DataType;
use deniable::mechanism::vector_float_laplace_cks20::smallest_scale;
use deniable::num::Directed;
use deniable::prelude::*;
use deniable::{ScalarFloatLaplaceCks20, Spec};

use super::{Asked, Budget, Read, budget, epsilon, short, written};
use crate::Result;
use crate::columns::{self, check_whole, no_report};
use crate::counts::{LARGEST, Numbers, Tally};
use crate::estimate::{How, QuestionEstimate};
use crate::survey::fields::{Fields, Wrong};

/// A question for a number: moved to the nearest bound, then with Laplace noise.
#[derive(Clone, Debug)]
pub struct Number {
    mechanism: ScalarFloatLaplaceCks20<f64>,
    low: f64,
    high: f64,
    /// The distance of the bounds, rounded up: that of any two answers is at most so large.
    width: f64,
    missing: f64,
}

impl Number {
    /// How a number is randomized.
    pub fn mechanism(&self) -> &ScalarFloatLaplaceCks20<f64> {
        &self.mechanism
    }

    /// The bounds.
    pub fn bounds(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    pub(super) fn read(mut fields: Fields<'_>) -> Read<Self> {
        let [low, high] = [fields.number("low")?, fields.number("high")?];
        let (low, high) = (fields.required(low, "low")?, fields.required(high, "high")?);
        let width = high.value.inf_sub(low.value).unwrap_or(f64::INFINITY);
        if !(low.value < high.value && width <= LARGEST && high.value.abs() <= LARGEST) {
            return Err(high.refused("`high` is not above `low`, or too far from it; accepted are two finite numbers up to 1e100, the larger one for `high`"));
        }
        let missing = fields.number("missing")?;
        let within = |x: f64| low.value <= x && x <= high.value;
        if let Some(missing) = missing.as_ref().filter(|missing| !within(missing.value)) {
            return Err(missing.refused(
                "`missing` is outside the bounds; accepted is a number from `low` to `high`",
            ));
        }
        let missing = missing.map_or(low.value / 2.0 + high.value / 2.0, |missing| missing.value);
        let scale = fields.number("scale")?;
        let at = scale.as_ref().map_or(fields.at, |scale| scale.at);
        let refused = |error: deniable::Error| Wrong::at(at, error.to_string());
        let scale = match budget(&mut fields, "`scale`", scale)? {
            Budget::Own(scale) => scale.value,
            Budget::Epsilon(field) => smallest_scale(width, epsilon(&field)?, Some(1), None)
                .map_err(|error| field.refused(error))?,
        };
        fields.finish("a number question")?;
        if scale > LARGEST {
            return Err(Wrong::at(
                at,
                "the noise is too large to add up; accepted are scales up to 1e100, or a larger `epsilon`",
            ));
        }
        let domain = AtomDomain::bounded(low.value, high.value).map_err(refused)?;
        let mechanism =
            make_scalar_float_laplace_cks20(domain, AbsoluteDistance::new(), scale, None)
                .map_err(refused)?;
        mechanism.map(width).map_err(refused)?;
        Ok(Number { mechanism, low: low.value, high: high.value, width, missing })
    }

    fn answers(&self, answers: &dyn Array) -> Vec<f64> {
        let numbers = columns::cast(answers, &DataType::Float64);
        numbers.as_primitive::<Float64Type>().iter().map(|x| self.answer(x)).collect()
    }

    fn answer(&self, x: Option<f64>) -> f64 {
        x.filter(|x| !x.is_nan()).map_or(self.missing, |x| x.clamp(self.low, self.high))
    }
}

impl Asked for Number {
    fn epsilon(&self) -> Epsilon {
        self.mechanism.map(self.width).expect("a distance that was tried")
    }

    fn mechanism(&self) -> String {
        format!(
            "Laplace noise of scale {} on a number from {} to {}",
            short(self.mechanism.scale()),
            self.low,
            self.high
        )
    }

    fn described(&self) -> String {
        written(&(Spec::from(&self.mechanism), self.missing))
    }

    fn accepts(&self, answers: &DataType) -> bool {
        match answers {
            DataType::Dictionary(_, values) => self.accepts(values),
            DataType::RunEndEncoded(_, values) => self.accepts(values.data_type()),
            other => {
                other.is_numeric()
                    || columns::is_text(other)
                    || matches!(other, DataType::Null | DataType::Boolean)
            }
        }
    }

    fn accepted(&self) -> &'static str {
        "numbers, and texts that are numbers"
    }

    fn report_type(&self) -> DataType {
        DataType::Float64
    }

    fn randomize(&self, answers: &dyn Array) -> Result<ArrayRef> {
        let reports = self.mechanism.invoke_batch(&self.answers(answers))?;
        Ok(Arc::new(Float64Array::new(ScalarBuffer::from(reports), None)))
    }

    fn understood(&self, answers: &dyn Array) -> Vec<Vec<u8>> {
        // Zero has two signs.
        self.answers(answers).into_iter().map(|x| (x + 0.0).to_le_bytes().to_vec()).collect()
    }

    fn tally(&self) -> Tally {
        Tally::Numbers(Default::default())
    }

    fn count(&self, reports: &dyn Array, tally: &mut Tally) -> Result<()> {
        check_whole(reports)?;
        if !reports.data_type().is_numeric() && !columns::is_text(reports.data_type()) {
            return Err(no_report());
        }
        let reports = columns::cast(reports, &DataType::Float64);
        let reports = reports.as_primitive::<Float64Type>();
        Numbers::check(reports.iter().map(|report| report.unwrap_or(f64::NAN)))?;
        tally.numbers_mut()?.add_all(reports.values());
        Ok(())
    }

    fn estimate(&self, tally: &Tally, how: &How) -> Result<QuestionEstimate> {
        QuestionEstimate::of_numbers(
            tally.numbers()?,
            self.mechanism.scale(),
            (self.low, self.high),
            how,
        )
    }
}
