//! Whole numbers: discrete Laplace noise on the integers.
#![doc = include_str!("proof.md")]

mod scalar;
mod vector;

pub use scalar::{ScalarIntegerLaplaceCks20, make_scalar_integer_laplace_cks20};
pub use vector::{VectorIntegerLaplaceCks20, make_vector_integer_laplace_cks20};

use core::fmt;

#[cfg(feature = "std")]
use deniable_sample::OsEntropy;
use deniable_sample::{ConstantTimeLaplace, DiscreteLaplace, SaturatingInt, Source};

use crate::bulk::in_parts;
use crate::domain::Number;
use crate::mechanism::bound::{exact, is_zero, loss_of_ratio};
use crate::mechanism::search::smallest_that;
use crate::{Epsilon, Error, Result};

/// An integer type with Laplace noise: `i32` and `i64`.
pub trait Integer: Number<Distance = u64> + SaturatingInt {}

impl<T: Number<Distance = u64> + SaturatingInt> Integer for T {}

/// The smallest `scale` for which inputs at most `d_in` apart lose at most `epsilon`: the next smaller float would exceed it.
///
/// ```
/// use deniable::Epsilon;
/// use deniable::mechanism::vector_integer_laplace_cks20::smallest_scale;
///
/// assert_eq!(smallest_scale(1, Epsilon::new(0.5)?)?, 2.0);
/// assert!(smallest_scale(1, Epsilon::ZERO).is_err());
/// # Ok::<(), deniable::Error>(())
/// ```
///
/// # Errors
///
/// An `epsilon` that no finite scale stays within.
pub fn smallest_scale(d_in: u64, epsilon: Epsilon) -> Result<f64> {
    smallest_that(0.0, f64::MAX, |scale| loss(d_in, scale) <= epsilon).ok_or_else(|| {
        let problem = format!("no finite scale stays within {epsilon}");
        Error::invalid_parameter("epsilon", problem, "a larger loss")
    })
}

/// Noise of one scale: what the scalar and the vector mechanism share.
#[derive(Clone, PartialEq)]
pub(crate) struct Noise<T> {
    scale: f64,
    law: Law<T>,
}

/// How noise is drawn.
#[derive(Clone, PartialEq)]
enum Law<T> {
    /// The scale is zero.
    Nothing {
        constant_time: bool,
    },
    AsFastAsPossible(DiscreteLaplace),
    ConstantTime(ConstantTimeLaplace<T>),
}

impl<T: Integer> Noise<T> {
    fn new(scale: f64) -> Result<Self> {
        if is_zero(scale) {
            return Ok(Noise { scale: 0.0, law: Law::Nothing { constant_time: false } });
        }
        match DiscreteLaplace::from_float(scale) {
            Ok(law) => Ok(Noise { scale, law: Law::AsFastAsPossible(law) }),
            Err(_) => {
                let problem = format!("{scale:?} is negative or not finite");
                let accepted = "a finite number of at least 0";
                Err(Error::invalid_parameter("scale", problem, accepted))
            }
        }
    }

    /// The same law, drawn in constant time.
    fn in_constant_time(self) -> Self {
        let law = match self.law {
            Law::Nothing { .. } => Law::Nothing { constant_time: true },
            Law::AsFastAsPossible(law) => Law::ConstantTime(law.into()),
            Law::ConstantTime(law) => Law::ConstantTime(law),
        };
        Noise { law, ..self }
    }

    fn is_in_constant_time(&self) -> bool {
        matches!(self.law, Law::ConstantTime(_) | Law::Nothing { constant_time: true })
    }

    /// An integer plus noise, within the type's range.
    #[inline]
    fn add_to<S: Source + ?Sized>(&self, x: T, source: &mut S) -> Result<T> {
        match &self.law {
            Law::AsFastAsPossible(law) => fast(law, x, source),
            Law::ConstantTime(law) => Ok(law.sample_saturating(x, source)?),
            Law::Nothing { .. } => Ok(x),
        }
    }

    /// The same to each of many. On failure they must not be used.
    fn add_to_all<S: Source + ?Sized>(&self, numbers: &mut [T], source: &mut S) -> Result<()> {
        match &self.law {
            Law::AsFastAsPossible(law) => fast_to_all(law, numbers, source),
            Law::ConstantTime(law) => Ok(law.sample_all_saturating(numbers, source)?),
            Law::Nothing { .. } => Ok(()),
        }
    }

    /// The same with the operating system's entropy, on several threads if there are any. On failure all numbers are 0.
    #[cfg(feature = "std")]
    fn add_to_all_in_parts(&self, numbers: &mut [T]) -> Result<()> {
        let add = |part: &mut [T]| self.add_to_all(part, &mut OsEntropy::new());
        in_parts(numbers, T::saturated(0), LEAST, add)
    }
}

/// By itself, so that what is constant time can be looked at alone.
#[inline(never)]
fn fast<T: Integer, S: Source + ?Sized>(law: &DiscreteLaplace, x: T, source: &mut S) -> Result<T> {
    Ok(law.sample_saturating(x, source)?)
}

#[inline(never)]
fn fast_to_all<T: Integer, S: Source + ?Sized>(
    law: &DiscreteLaplace,
    numbers: &mut [T],
    source: &mut S,
) -> Result<()> {
    Ok(law.sample_all_saturating(numbers, source)?)
}

/// Fewer numbers than these are not worth a thread.
const LEAST: usize = 1 << 13;

impl<T: Integer> fmt::Debug for Noise<T> {
    /// Without the law, which follows from it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Noise")
            .field("scale", &self.scale)
            .field("constant_time", &self.is_in_constant_time())
            .finish()
    }
}

/// d_in/scale.
fn loss(d_in: u64, scale: f64) -> Epsilon {
    let scale = exact(scale);
    loss_of_ratio(&(scale.denominator() * d_in), scale.numerator())
}

#[cfg(test)]
mod tests;
