//! Discrete Laplace noise on a grid of floats.
#![doc = include_str!("proof.md")]

use core::marker::PhantomData;

use deniable_num::{Decoded, Direction, Float, Real};
use num_bigint::{BigInt, Sign};

use crate::error::Refusal;
use crate::laplace::{DiscreteLaplace, signed_noise};
use crate::magnitude::Bounds;
use crate::{Error, Result, Source};

/// `shift` rounded to the grid 2^k·ℤ, plus discrete Laplace noise on that grid, rounded to a float.
///
/// Rounding to the grid sends a tie up, always: a rule that does not depend on the number rounded keeps
/// neighbours together. Rounding to a float is to the nearest; a sum beyond the range becomes the largest
/// finite number of its sign; a zero is +0.0.
///
/// To draw many from one scale, prepare a [`DiscreteLaplaceZ2k`].
///
/// # Precision
///
/// The noise is 2^k·z with probability exactly (1 − q)/(1 + q) · q^|z|, q = e^(−2^k/scale).
///
/// # Errors
///
/// A `shift` that is not finite; a `scale` that is not positive and finite; a `k` outside the exponents of
/// the type's finite numbers; a source that fails.
///
/// # Examples
///
/// ```
/// use deniable_sample::{OsEntropy, sample_discrete_laplace_Z2k};
/// let noisy: f64 = sample_discrete_laplace_Z2k(3.5, 2.0, -1074, &mut OsEntropy::new())?;
/// let whole: f64 = sample_discrete_laplace_Z2k(3.5, 2.0, 0, &mut OsEntropy::new())?;
/// assert_eq!(whole.fract(), 0.0);
/// assert!(sample_discrete_laplace_Z2k(3.5, -2.0, 0, &mut OsEntropy::new()).is_err());
/// # Ok::<(), deniable_sample::Error>(())
/// ```
#[allow(non_snake_case)]
pub fn sample_discrete_laplace_Z2k<F: Float, S: Source + ?Sized>(
    shift: F,
    scale: F,
    k: i32,
    source: &mut S,
) -> Result<F> {
    DiscreteLaplaceZ2k::new(scale, k)?.sample(shift, source)
}

/// Noise on a grid of floats whose constants are computed once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscreteLaplaceZ2k<F> {
    noise: DiscreteLaplace,
    k: i32,
    float: PhantomData<F>,
}

impl<F: Float> DiscreteLaplaceZ2k<F> {
    /// Noise of this scale on the grid 2^k·ℤ.
    ///
    /// # Errors
    ///
    /// A `scale` that is not positive and finite; a `k` outside the exponents of the type's finite numbers.
    pub fn new(scale: F, k: i32) -> Result<Self> {
        check_grid::<F>(k)?;
        let noise = DiscreteLaplace::on_grid(scale, k)?;
        Ok(DiscreteLaplaceZ2k { noise, k, float: PhantomData })
    }

    /// Draws `shift` plus noise.
    ///
    /// # Errors
    ///
    /// A `shift` that is not finite; a source that fails.
    #[inline]
    pub fn sample<S: Source + ?Sized>(&self, shift: F, source: &mut S) -> Result<F> {
        let Some(shift) = Real::from_float(shift) else {
            return Err(Error::invalid_parameter(&Refusal {
                parameter: "shift",
                accepted: "a finite number",
            }));
        };
        let shift = round_to_grid(shift, self.k);
        self.noise.sample_until(source, 0, |negative, bounds| {
            let (near, far): (F, F) = match bounds {
                Bounds::Words { low, high, shift: up } => {
                    self.round_words(shift, negative, (*low, *high), *up)
                }
                Bounds::Big { low, high } => (
                    round_sum(shift, signed_noise(negative, low), self.k),
                    round_sum(shift, signed_noise(negative, high), self.k),
                ),
            };
            // Rounding is monotone: if it sends both ends to one float, it sends all between them there.
            (near.decode() == far.decode()).then_some(near)
        })
    }

    /// The floats that shift + noise rounds to at both ends of low · 2^up ≤ G ≤ high · 2^up.
    #[inline]
    fn round_words(
        &self,
        shift: Real,
        negative: bool,
        (low, high): (u128, u128),
        up: u32,
    ) -> (F, F) {
        // −1 − G. If a unit is more than a step, G + 1 is still within the bounds, as G is below the upper one.
        let (low, high) = if negative && up == 0 { (low + 1, high + 1) } else { (low, high) };
        let exponent = i64::from(self.k) + i64::from(up);
        let round =
            |magnitude| to_float(Real::sum(shift, Real::exact(negative, magnitude, exponent)));
        (round(low), round(high))
    }
}

/// Whether 2^k is within the range of the type.
pub(crate) fn check_grid<F: Float>(k: i32) -> Result<()> {
    if (F::MIN_EXPONENT..F::MAX_EXPONENT + F::PRECISION as i32).contains(&k) {
        return Ok(());
    }
    Err(Error::invalid_parameter(&Refusal {
        parameter: "k",
        accepted: "an exponent of the type's finite numbers",
    }))
}

/// ⌊x / 2^k + 1/2⌋ · 2^k.
pub(crate) fn round_to_grid(x: Real, k: i32) -> Real {
    let k = i64::from(k);
    let dropped = k - x.exponent();
    if dropped <= 0 {
        return x;
    }
    // A float's mantissa is below half of 2^64: nothing but 0 is in reach from further away.
    if dropped > 64 {
        return Real::ZERO;
    }
    let magnitude = x.mantissa() as i128;
    let signed = if x.is_negative() { -magnitude } else { magnitude };
    let rounded = (signed + (1 << (dropped - 1))) >> dropped;
    Real::exact(rounded < 0, rounded.unsigned_abs(), k)
}

/// shift + noise · 2^k, rounded to a float.
pub(crate) fn round_sum<F: Float>(shift: Real, noise: BigInt, k: i32) -> F {
    // Both are multiples of the smaller power of two.
    let exponent = shift.exponent().min(k.into());
    let mut sum = BigInt::from(shift.mantissa()) << (shift.exponent() - exponent);
    if shift.is_negative() {
        sum = -sum;
    }
    sum += noise << (i64::from(k) - exponent);
    to_float(Real::from_big(sum.magnitude(), exponent).with_sign(sum.sign() == Sign::Minus))
}

/// The nearest float, saturated at the largest finite one.
#[inline]
fn to_float<F: Float>(x: Real) -> F {
    let nearest: F = x.round(Direction::Nearest);
    match nearest.decode() {
        Decoded::Infinite { negative } => F::largest(negative),
        _ => nearest,
    }
}
