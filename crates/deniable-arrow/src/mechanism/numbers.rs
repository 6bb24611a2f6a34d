//! Noise on columns of numbers.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_buffer::{ArrowNativeType, ScalarBuffer};
use deniable::num::{Directed, InfCast};
use deniable::prelude::*;
use deniable::spec::{NamedFloat, NamedInteger};
use deniable::{
    ScalarFloatLaplaceCks20, ScalarIntegerLaplaceCks20, Spec, VectorFloatLaplaceCks20,
    VectorIntegerLaplaceCks20,
};

use super::{Answer, Distance, another_type, no_stand_in, something_missing};
use crate::Result;
use crate::columns::no_report;
use crate::counts::{LARGEST, Numbers};
use crate::estimate::{How, QuestionEstimate};

/// Laplace noise on floats.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // The names say it.
pub enum FloatNoise<T: NamedFloat> {
    Scalar(ScalarFloatLaplaceCks20<T>),
    Vector(VectorFloatLaplaceCks20<T>),
}

/// Laplace noise on integers.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // The names say it.
pub enum IntegerNoise<T: NamedInteger> {
    Scalar(ScalarIntegerLaplaceCks20<T>),
    Vector(VectorIntegerLaplaceCks20<T>),
}

/// What noise on any kind of numbers has.
pub trait Noise: Sized {
    /// The numbers.
    type Number: ArrowNativeType;

    /// The type of their columns.
    type Column: ArrowPrimitiveType<Native = Self::Number>;

    /// By the mechanism's constructor.
    ///
    /// # Errors
    ///
    /// Those of the constructor.
    fn of_spec(spec: Spec) -> deniable::Result<Self>;

    /// The name and the parameters.
    fn spec(&self) -> Spec;

    /// What two inputs so far apart lose at most.
    ///
    /// # Errors
    ///
    /// A distance that is none.
    fn map(&self, d_in: Distance) -> Result<Epsilon>;

    /// The greatest distance of two inputs, rounded up, if there is one.
    fn diameter(&self) -> Option<Distance>;

    /// Whether a column is one input.
    fn is_vector(&self) -> bool;

    /// Whether it promises a time that tells nothing, which columns cannot keep.
    fn constant_time(&self) -> bool;

    /// How many numbers an input has, if that is known.
    fn size(&self) -> Option<usize>;

    /// The scale and the bounds, for estimates.
    fn scale_and_bounds(&self) -> (f64, Option<(f64, f64)>);

    /// By how much a number is moved at most before noise is added.
    fn rounding(&self) -> f64;

    /// How far the bounds are from the least and the greatest number of the type, if there are bounds.
    fn room(&self) -> Option<[f64; 2]>;

    /// Adds noise to numbers where they are.
    ///
    /// # Errors
    ///
    /// Numbers that are no members of the domain, or a mechanism in constant time: then all stay as they are. No entropy: then all are 0.
    fn add_to(&self, numbers: &mut [Self::Number]) -> Result<()>;

    /// The number that stands for a missing one.
    ///
    /// # Errors
    ///
    /// An answer of another kind; one that is no member of the domain, whether or not something is missing: an error must not tell.
    fn stand_in(&self, missing: Answer<'_>) -> Result<Self::Number>;

    /// Whether a number stands for a missing one.
    fn is_missing(number: Self::Number) -> bool;

    /// For sums.
    fn to_f64(number: Self::Number) -> f64;

    /// What any two inputs lose at most, if there is an end of it.
    fn epsilon(&self) -> Option<Epsilon> {
        self.map(self.diameter()?).ok()
    }

    /// [`Noise::add_to`], where `missing` stands for numbers that are none.
    ///
    /// # Errors
    ///
    /// As there, and as [`Noise::stand_in`]. If the numbers are no members then, they stay as they are, but for what was missing.
    fn add_to_filled(
        &self,
        numbers: &mut [Self::Number],
        missing: Option<Answer<'_>>,
    ) -> Result<()> {
        if let Some(stand_in) = missing.map(|missing| self.stand_in(missing)).transpose()? {
            let missing = numbers.iter_mut().filter(|number| Self::is_missing(**number));
            missing.for_each(|number| *number = stand_in);
        }
        self.add_to(numbers)
    }

    /// [`Mechanism::randomize`](super::Mechanism::randomize).
    ///
    /// # Errors
    ///
    /// As there.
    fn randomize(&self, answers: &dyn Array, missing: Option<Answer<'_>>) -> Result<ArrayRef> {
        let numbers = answers
            .as_primitive_opt::<Self::Column>()
            .ok_or_else(|| another_type(Self::accepted()))?;
        let mut reports = numbers.values().to_vec();
        if let Some(nulls) = numbers.nulls().filter(|nulls| nulls.null_count() > 0) {
            let stand_in = self.stand_in(missing.ok_or_else(something_missing)?)?;
            let missing = reports.iter_mut().zip(nulls).filter(|(_, is_there)| !is_there);
            missing.for_each(|(report, _)| *report = stand_in);
        }
        self.add_to_filled(&mut reports, missing)?;
        Ok(Arc::new(PrimitiveArray::<Self::Column>::new(ScalarBuffer::from(reports), None)))
    }

    /// The type of columns, in words.
    fn accepted() -> &'static str;
}

/// What is not for other crates.
pub(super) trait Counted: Noise {
    fn count(&self, reports: &dyn Array, numbers: &mut Numbers) -> Result<()> {
        let reports = reports.as_primitive_opt::<Self::Column>().ok_or_else(no_report)?;
        self.check_parameters()?;
        Numbers::check(reports.values().iter().map(|&report| Self::to_f64(report)))?;
        for block in reports.values().chunks(1 << 16) {
            let block: Vec<f64> = block.iter().map(|&report| Self::to_f64(report)).collect();
            numbers.add_all(&block);
        }
        Ok(())
    }

    /// That its reports on answers within the bounds can be added up. It is refused whatever they are, or some of them would be.
    fn check_parameters(&self) -> Result<()> {
        let (scale, bounds) = self.scale_and_bounds();
        let largest = bounds.map_or(0.0, |(low, high)| low.abs().max(high.abs()));
        for (parameter, number) in [("scale", scale), ("bounds", largest)] {
            if number > LARGEST {
                let (problem, accepted) =
                    ("its reports are too large to be counted", "numbers up to 1e100");
                return Err(deniable::Error::invalid_parameter(parameter, problem, accepted).into());
            }
        }
        Ok(())
    }

    fn estimate(&self, numbers: &Numbers, how: &How) -> Result<QuestionEstimate> {
        let (scale, bounds) = self.scale_and_bounds();
        let bounds = bounds.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        let mut found = QuestionEstimate::of_numbers(numbers, scale, bounds, how)?;
        let rounding = self.rounding();
        let [raised, lowered] =
            self.room().map_or([0.0; 2], |room| room.map(|room| cut(scale, room)));
        if let Some(mean) = found.mean.as_mut() {
            mean.low = (mean.low - rounding - raised).max(bounds.0);
            mean.high = (mean.high + rounding + lowered).min(bounds.1);
        }
        if rounding > 0.0 {
            found.notes.push(format!(
                "The numbers were rounded to multiples of {}: the mean can be off by half of that, and the interval is so much wider.",
                2.0 * rounding,
            ));
        }
        if raised.max(lowered) > SEEN * scale {
            found.notes.push(format!(
                "The bounds are near the ends of the column's type, where noise is cut off: the mean can be too high by {raised} or too low by {lowered}, and the interval is so much wider.",
            ));
        }
        Ok(found)
    }
}

impl<N: Noise> Counted for N {}

/// What can stand for a missing number.
const STAND_IN: &str = "a number of the column's type, and within the bounds";

/// Of a scale: what is less is not worth a note.
const SEEN: f64 = 1e-9;

/// By how much a mean is moved at most where noise stays within the type: a number so far from its end loses, in the mean, what noise has beyond. That is
/// (scale/2)·e^(−room/scale) for Laplace's law, and no more for the one on integers, whose factor is 1/(2 sinh(1/scale)).
pub(super) fn cut(scale: f64, room: f64) -> f64 {
    // A scale of 0 is none to divide by.
    if room == 0.0 { scale / 2.0 } else { scale / 2.0 * (-room / scale).exp() }
}

macro_rules! floats {
    ($($number:ty, $column:ty, $accepted:literal;)*) => {$(
        impl Noise for FloatNoise<$number> {
            type Number = $number;
            type Column = $column;

            fn of_spec(spec: Spec) -> deniable::Result<Self> {
                match spec {
                    Spec::ScalarFloatLaplaceCks20 { .. } => Ok(FloatNoise::Scalar(spec.try_into()?)),
                    _ => Ok(FloatNoise::Vector(spec.try_into()?)),
                }
            }

            fn spec(&self) -> Spec {
                match self {
                    FloatNoise::Scalar(noise) => noise.into(),
                    FloatNoise::Vector(noise) => noise.into(),
                }
            }

            fn map(&self, d_in: Distance) -> Result<Epsilon> {
                // A distance of another type is rounded up: what is lost at most grows with it.
                let d_in = match d_in {
                    Distance::Whole(whole) => <$number>::inf_cast(whole).unwrap_or(<$number>::INFINITY),
                    // A small one of these would become 0.
                    Distance::Float(float) if float.is_nan() || float < 0.0 => <$number>::NAN,
                    Distance::Float(float) => rounded_up(float),
                };
                Ok(match self {
                    FloatNoise::Scalar(noise) => noise.map(d_in)?,
                    FloatNoise::Vector(noise) => noise.map(d_in)?,
                })
            }

            fn diameter(&self) -> Option<Distance> {
                let bounds = match self {
                    FloatNoise::Scalar(noise) => noise.input_domain().bounds(),
                    FloatNoise::Vector(noise) => noise.input_domain().element().bounds(),
                };
                let (low, high) = bounds?;
                let width = high.inf_sub(low).ok()?;
                let size = <$number>::inf_cast(self.size()? as u64).ok()?;
                let diameter = width.inf_mul(size).ok().filter(|diameter| diameter.is_finite())?;
                Some(Distance::Float(f64::from(diameter)))
            }

            fn is_vector(&self) -> bool {
                matches!(self, FloatNoise::Vector(_))
            }

            fn constant_time(&self) -> bool {
                false
            }

            fn size(&self) -> Option<usize> {
                match self {
                    FloatNoise::Scalar(_) => Some(1),
                    FloatNoise::Vector(noise) => noise.input_domain().size(),
                }
            }

            fn scale_and_bounds(&self) -> (f64, Option<(f64, f64)>) {
                let (scale, bounds) = match self {
                    FloatNoise::Scalar(noise) => (noise.scale(), noise.input_domain().bounds()),
                    FloatNoise::Vector(noise) => {
                        (noise.scale(), noise.input_domain().element().bounds())
                    }
                };
                (scale.into(), bounds.map(|(low, high)| (low.into(), high.into())))
            }

            fn rounding(&self) -> f64 {
                let k = match self {
                    FloatNoise::Scalar(noise) => noise.k(),
                    FloatNoise::Vector(noise) => noise.k(),
                };
                // On the finest grid nothing is rounded.
                let (finest, _) = get_discretization_consts::<$number>(None).expect("there is one");
                if k > finest { 2f64.powi(k - 1) } else { 0.0 }
            }

            fn room(&self) -> Option<[f64; 2]> {
                let (low, high) = self.scale_and_bounds().1?;
                Some([low - f64::from(<$number>::MIN), f64::from(<$number>::MAX) - high])
            }

            fn add_to(&self, numbers: &mut [$number]) -> Result<()> {
                Ok(match self {
                    FloatNoise::Scalar(noise) => noise.invoke_in_place(numbers)?,
                    FloatNoise::Vector(noise) => noise.invoke_in_place(numbers)?,
                })
            }

            fn stand_in(&self, missing: Answer<'_>) -> Result<$number> {
                let number = match missing {
                    Answer::Float(x) if f64::from(x as $number) == x => Some(x as $number),
                    Answer::Integer(x) if i128::from(x) == (x as $number) as i128 => {
                        Some(x as $number)
                    }
                    _ => None,
                };
                let is_member = |number: &$number| match self {
                    FloatNoise::Scalar(noise) => noise.input_domain().is_member(number),
                    FloatNoise::Vector(noise) => noise.input_domain().element().is_member(number),
                };
                number.filter(is_member).ok_or_else(|| no_stand_in(STAND_IN))
            }

            fn is_missing(number: $number) -> bool {
                number.is_nan()
            }

            fn to_f64(number: $number) -> f64 {
                number.into()
            }

            fn accepted() -> &'static str {
                $accepted
            }
        }
    )*};
}

/// To a float of the same type or a narrower one.
fn rounded_up<T: InfCast<f64>>(float: f64) -> T {
    T::inf_cast(float).expect("any float but NaN has an upper bound")
}

macro_rules! integers {
    ($($number:ty, $column:ty, $accepted:literal;)*) => {$(
        impl Noise for IntegerNoise<$number> {
            type Number = $number;
            type Column = $column;

            fn of_spec(spec: Spec) -> deniable::Result<Self> {
                match spec {
                    Spec::ScalarIntegerLaplaceCks20 { .. } => {
                        Ok(IntegerNoise::Scalar(spec.try_into()?))
                    }
                    _ => Ok(IntegerNoise::Vector(spec.try_into()?)),
                }
            }

            fn spec(&self) -> Spec {
                match self {
                    IntegerNoise::Scalar(noise) => noise.into(),
                    IntegerNoise::Vector(noise) => noise.into(),
                }
            }

            fn map(&self, d_in: Distance) -> Result<Epsilon> {
                let Distance::Whole(d_in) = d_in else {
                    return Err(deniable::Error::invalid_distance(
                        "d_in",
                        "it is no whole number",
                        "a whole number",
                    )
                    .into());
                };
                Ok(match self {
                    IntegerNoise::Scalar(noise) => noise.map(d_in)?,
                    IntegerNoise::Vector(noise) => noise.map(d_in)?,
                })
            }

            fn diameter(&self) -> Option<Distance> {
                let bounds = match self {
                    IntegerNoise::Scalar(noise) => noise.input_domain().bounds(),
                    IntegerNoise::Vector(noise) => noise.input_domain().element().bounds(),
                };
                let (low, high) = bounds?;
                let width = i64::from(high).abs_diff(low.into());
                width.checked_mul(self.size()? as u64).map(Distance::Whole)
            }

            fn is_vector(&self) -> bool {
                matches!(self, IntegerNoise::Vector(_))
            }

            fn constant_time(&self) -> bool {
                match self {
                    IntegerNoise::Scalar(noise) => noise.constant_time(),
                    IntegerNoise::Vector(noise) => noise.constant_time(),
                }
            }

            fn size(&self) -> Option<usize> {
                match self {
                    IntegerNoise::Scalar(_) => Some(1),
                    IntegerNoise::Vector(noise) => noise.input_domain().size(),
                }
            }

            fn scale_and_bounds(&self) -> (f64, Option<(f64, f64)>) {
                let (scale, bounds) = match self {
                    IntegerNoise::Scalar(noise) => (noise.scale(), noise.input_domain().bounds()),
                    IntegerNoise::Vector(noise) => {
                        (noise.scale(), noise.input_domain().element().bounds())
                    }
                };
                (scale, bounds.map(|(low, high)| (Self::to_f64(low), Self::to_f64(high))))
            }

            fn rounding(&self) -> f64 {
                0.0
            }

            fn room(&self) -> Option<[f64; 2]> {
                let (low, high) = match self {
                    IntegerNoise::Scalar(noise) => noise.input_domain().bounds(),
                    IntegerNoise::Vector(noise) => noise.input_domain().element().bounds(),
                }?;
                let room = [low.abs_diff(<$number>::MIN), <$number>::MAX.abs_diff(high)];
                Some(room.map(|room| room as f64))
            }

            fn add_to(&self, numbers: &mut [$number]) -> Result<()> {
                if self.constant_time() {
                    return Err(super::no_constant_time().into());
                }
                Ok(match self {
                    IntegerNoise::Scalar(noise) => noise.invoke_in_place(numbers)?,
                    IntegerNoise::Vector(noise) => noise.invoke_in_place(numbers)?,
                })
            }

            fn stand_in(&self, missing: Answer<'_>) -> Result<$number> {
                let number = match missing {
                    Answer::Integer(x) => <$number>::try_from(x).ok(),
                    _ => None,
                };
                let is_member = |number: &$number| match self {
                    IntegerNoise::Scalar(noise) => noise.input_domain().is_member(number),
                    IntegerNoise::Vector(noise) => noise.input_domain().element().is_member(number),
                };
                number.filter(is_member).ok_or_else(|| no_stand_in(STAND_IN))
            }

            fn is_missing(_: $number) -> bool {
                false
            }

            fn to_f64(number: $number) -> f64 {
                number as f64
            }

            fn accepted() -> &'static str {
                $accepted
            }
        }
    )*};
}

floats! {
    f32, Float32Type, "floats of 32 bits";
    f64, Float64Type, "floats of 64 bits";
}

integers! {
    i32, Int32Type, "integers of 32 bits";
    i64, Int64Type, "integers of 64 bits";
}
