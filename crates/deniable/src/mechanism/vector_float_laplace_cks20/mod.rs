//! Numbers: discrete Laplace noise on a grid of floats.
#![doc = include_str!("proof.md")]

mod accuracy;
mod grid;
mod scalar;
mod vector;

pub(crate) use accuracy::laplace_accuracy;
pub use grid::{get_discretization_consts, laplace_map};
pub use scalar::{ScalarFloatLaplaceCks20, make_scalar_float_laplace_cks20};
pub use vector::{VectorFloatLaplaceCks20, make_vector_float_laplace_cks20};

use core::fmt;

use deniable_num::{Decoded, Float};
#[cfg(feature = "std")]
use deniable_sample::OsEntropy;
use deniable_sample::{DiscreteLaplaceZ2k, Source};

use crate::bulk::in_parts;
use crate::domain::{AtomDomain, Number};
use crate::mechanism::bound::{exact, is_zero, loss_of_ratio};
use crate::mechanism::search::smallest_that;
use crate::{Epsilon, Error, Result};

use grid::grid_steps;

/// The smallest `scale` for which inputs at most `d_in` apart lose at most `epsilon`: the next smaller float would exceed it.
///
/// `size` is the length of the vectors, if it is known, and 1 for a single number; `k` as for
/// [`make_vector_float_laplace_cks20`].
///
/// ```
/// use deniable::Epsilon;
/// use deniable::mechanism::vector_float_laplace_cks20::smallest_scale;
///
/// assert_eq!(smallest_scale(1.0, Epsilon::new(0.5)?, None, None)?, 2.0);
/// assert!(smallest_scale(1.0, Epsilon::ZERO, None, None).is_err());
/// # Ok::<(), deniable::Error>(())
/// ```
///
/// # Errors
///
/// A `d_in` that is negative or NaN; a `k` or `size` that the constructor refuses; an `epsilon` that no finite scale stays within.
pub fn smallest_scale<T: Number<Distance = T> + Float>(
    d_in: T,
    epsilon: Epsilon,
    size: Option<usize>,
    k: Option<i32>,
) -> Result<T> {
    let (k, relaxation) = get_discretization_consts::<T>(k)?;
    check_size(size, relaxation)?;
    let loss = |scale| Noise::loss(d_in, scale, size, k);
    loss(zero())?;
    let within = |scale| loss(scale).is_ok_and(|loss| loss <= epsilon);
    smallest_that(zero(), T::largest(false), within).ok_or_else(|| {
        let problem = format!("no finite scale stays within {epsilon}");
        Error::invalid_parameter("epsilon", problem, "a larger loss")
    })
}

/// Noise of one scale on one grid: what the scalar and the vector mechanism share.
#[derive(Clone, PartialEq)]
pub(crate) struct Noise<T> {
    scale: T,
    k: i32,
    relaxation: T,
    /// None if the scale is zero.
    law: Option<DiscreteLaplaceZ2k<T>>,
}

impl<T: Number<Distance = T> + Float> Noise<T> {
    fn new(element: &AtomDomain<T>, scale: T, k: Option<i32>) -> Result<Self> {
        if element.admits_nan() {
            return Err(Error::invalid_parameter(
                "input_domain",
                "it admits NaN",
                "a domain of finite numbers, such as AtomDomain::finite()",
            ));
        }
        let (k, relaxation) = get_discretization_consts::<T>(k)?;
        let law = match scale.decode() {
            Decoded::Finite { mantissa: 0, .. } => {
                return Ok(Noise { scale: zero(), k, relaxation, law: None });
            }
            Decoded::Finite { negative: false, .. } => DiscreteLaplaceZ2k::new(scale, k)?,
            _ => {
                let problem = format!("{scale:?} is negative or not finite");
                let accepted = "a finite number of at least 0";
                return Err(Error::invalid_parameter("scale", problem, accepted));
            }
        };
        Ok(Noise { scale, k, relaxation, law: Some(law) })
    }

    /// 2^k · steps / scale: the loss between vectors of `size` numbers that are at most `d_in` apart.
    fn map(&self, d_in: T, size: Option<usize>) -> Result<Epsilon> {
        Self::loss(d_in, self.scale, size, self.k)
    }

    fn loss(d_in: T, scale: T, size: Option<usize>, k: i32) -> Result<Epsilon> {
        // Without noise nothing is rounded to the grid either.
        let k = if is_zero(scale) { T::MIN_EXPONENT } else { k };
        let Some(steps) = grid_steps(d_in, size, k)? else { return Ok(Epsilon::INFINITY) };
        let (scale, step) = (exact(scale), grid::step(k));
        let numerator = steps * step.numerator() * scale.denominator();
        Ok(loss_of_ratio(&numerator, &(step.denominator() * scale.numerator())))
    }

    /// A finite number plus noise. Without noise it is the number itself, though a zero has no sign.
    #[inline]
    fn add_to<S: Source + ?Sized>(&self, x: T, source: &mut S) -> Result<T> {
        match &self.law {
            Some(law) => Ok(law.sample(x, source)?),
            None => Ok(without_sign_of_zero(x)),
        }
    }

    /// The same to each of many. On failure they must not be used.
    fn add_to_all<S: Source + ?Sized>(&self, numbers: &mut [T], source: &mut S) -> Result<()> {
        match &self.law {
            Some(law) => law.sample_all(numbers, source)?,
            None => numbers.iter_mut().for_each(|x| *x = without_sign_of_zero(*x)),
        }
        Ok(())
    }

    /// The same with the operating system's entropy, on several threads if there are any. On failure all numbers are 0.
    #[cfg(feature = "std")]
    fn add_to_all_in_parts(&self, numbers: &mut [T]) -> Result<()> {
        let add = |part: &mut [T]| self.add_to_all(part, &mut OsEntropy::new());
        in_parts(numbers, zero(), LEAST, add)
    }
}

/// Fewer numbers than these are not worth a thread.
const LEAST: usize = 1 << 13;

impl<T: fmt::Debug> fmt::Debug for Noise<T> {
    /// Without the law, which follows from them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Noise").field("scale", &self.scale).field("k", &self.k).finish()
    }
}

fn without_sign_of_zero<T: Float>(x: T) -> T {
    if is_zero(x) { zero() } else { x }
}

/// Zero, without a sign.
fn zero<T: Float>() -> T {
    T::encode(false, 0, T::MIN_EXPONENT)
}

/// Rounding to the grid moves every number, so that their number must be known where it moves any.
fn check_size<T: Float>(size: Option<usize>, relaxation: T) -> Result<()> {
    if size.is_some() || is_zero(relaxation) {
        return Ok(());
    }
    Err(Error::invalid_parameter(
        "input_domain",
        "its size is not known, but the grid is coarser than the type's finest",
        "a domain with_size, or the finest grid, which is k = None",
    ))
}

#[cfg(test)]
mod tests;
