//! Whole numbers: discrete Laplace noise on the integers.
#![doc = include_str!("proof.md")]

mod scalar;
mod vector;

pub use scalar::{ScalarIntegerLaplaceCks20, make_scalar_integer_laplace_cks20};
pub use vector::{VectorIntegerLaplaceCks20, make_vector_integer_laplace_cks20};

use core::fmt;

use deniable_sample::{DiscreteLaplace, OsEntropy, SaturatingInt, Source};

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
pub(crate) struct Noise {
    scale: f64,
    /// None if the scale is zero.
    law: Option<DiscreteLaplace>,
}

impl Noise {
    fn new(scale: f64) -> Result<Self> {
        if is_zero(scale) {
            return Ok(Noise { scale: 0.0, law: None });
        }
        match DiscreteLaplace::from_float(scale) {
            Ok(law) => Ok(Noise { scale, law: Some(law) }),
            Err(_) => {
                let problem = format!("{scale:?} is negative or not finite");
                let accepted = "a finite number of at least 0";
                Err(Error::invalid_parameter("scale", problem, accepted))
            }
        }
    }

    /// An integer plus noise, within the type's range.
    #[inline]
    fn add_to<T: Integer, S: Source + ?Sized>(&self, x: T, source: &mut S) -> Result<T> {
        match &self.law {
            Some(law) => Ok(law.sample_saturating(x, source)?),
            None => Ok(x),
        }
    }

    /// The same to each of many. On failure they must not be used.
    fn add_to_all<T: Integer, S: Source + ?Sized>(
        &self,
        numbers: &mut [T],
        source: &mut S,
    ) -> Result<()> {
        Ok(self.law.as_ref().map_or(Ok(()), |law| law.sample_all_saturating(numbers, source))?)
    }

    /// The same with the operating system's entropy, on several threads if there are any. On failure all numbers are 0.
    fn add_to_all_in_parts<T: Integer>(&self, numbers: &mut [T]) -> Result<()> {
        let add = |part: &mut [T]| self.add_to_all(part, &mut OsEntropy::new());
        in_parts(numbers, T::saturated(0), LEAST, add)
    }
}

/// Fewer numbers than these are not worth a thread.
const LEAST: usize = 1 << 13;

impl fmt::Debug for Noise {
    /// Without the law, which follows from it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Noise").field("scale", &self.scale).finish()
    }
}

/// d_in/scale.
fn loss(d_in: u64, scale: f64) -> Epsilon {
    let scale = exact(scale);
    loss_of_ratio(&(scale.denominator() * d_in), scale.numerator())
}

#[cfg(test)]
mod tests;
