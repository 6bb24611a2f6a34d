//! Discrete Laplace noise on a grid of floats.
#![doc = include_str!("proof.md")]

use core::hint::black_box;
use core::marker::PhantomData;

use deniable_num::{Decoded, Direction, Float, Narrow, Real};
use num_bigint::{BigInt, Sign};

use crate::error::Refusal;
use crate::laplace::at_once::{AddNoise, LANES, Magnitudes};
use crate::laplace::{DiscreteLaplace, signed_noise};
use crate::magnitude::{Bounds, sample_magnitude};
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
        if !matches!(shift.decode(), Decoded::Finite { .. }) {
            return Err(not_finite());
        }
        self.add(shift, source)
    }

    /// Adds noise to each of many numbers: the law of as many [samples](DiscreteLaplaceZ2k::sample), independent of each other.
    ///
    /// # Errors
    ///
    /// As there. Then the numbers, of which some may have noise and some not, must not be used.
    pub fn sample_all<S: Source + ?Sized>(&self, shifts: &mut [F], source: &mut S) -> Result<()> {
        self.add_to_all(shifts, source)
    }

    /// The float that shift + noise rounds to, if it is the same for all of low · 2^up ≤ G ≤ high · 2^up.
    #[inline]
    fn round_words(
        &self,
        shift: &Shift,
        negative: bool,
        words: (u128, u128),
        up: u32,
    ) -> Option<F> {
        // −1 − G. If a unit is more than a step, G + 1 is still within the bounds, as G is below the upper one.
        let (low, high) = words;
        let more = u128::from(negative && up == 0);
        let (low, high) = (low + more, high + more);
        let exponent = i64::from(self.k) + i64::from(up);
        let noise = Narrow { mantissa: low, slack: high - low, exponent };
        let term = (shift.negative, shift.mantissa, shift.exponent);
        if let Some(sum) = Narrow::nearest_sum_128(term, (negative, noise)) {
            return Some(sum);
        }
        let shift = shift.to_real();
        let round =
            |magnitude| to_float(Real::sum(shift, Real::exact(negative, magnitude, exponent)));
        one_float(round(low), round(high))
    }
}

/// The bits of numbers.
#[repr(align(64))]
struct Raw([u64; LANES]);

/// The float of both ends, if it is the same. Rounding is monotone: all between them is then sent there.
fn one_float<F: Float>(near: F, far: F) -> Option<F> {
    (near.decode() == far.decode()).then_some(near)
}

impl<F: Float> AddNoise<F> for DiscreteLaplaceZ2k<F> {
    fn law(&self) -> &DiscreteLaplace {
        &self.noise
    }

    #[inline(always)]
    fn at_once(&self, number: F, negative: bool, scaled: Narrow) -> Option<F> {
        let shift = Shift::on_grid(number, self.k)?;
        let noise = if scaled.exponent >= 0 {
            // Both ends are integers, so that G is not below the lower one, nor G + 1 above the upper one.
            scaled
        } else {
            Narrow::exact(scaled.floor()? + u64::from(negative))
        };
        let noise = Narrow { exponent: noise.exponent + i64::from(self.k), ..noise };
        Narrow::nearest_sum((shift.negative, shift.mantissa, shift.exponent), (negative, noise))
    }

    #[inline(always)]
    fn all_at_once(&self, numbers: &mut [F], negative: u64, scaled: &Magnitudes) -> u64 {
        if self.k > F::MIN_EXPONENT {
            return self.each_at_once(numbers, negative, scaled);
        }
        // On the finest grid nothing is rounded to it, and numbers need not be taken apart to tell.
        let mut raw = Raw([0; LANES]);
        raw.0.iter_mut().zip(&*numbers).for_each(|(raw, number)| *raw = number.to_raw());
        // Hidden from the optimizer, which would turn tests of the bits back into comparisons of floats.
        let Raw(raw) = black_box(&mut raw);
        let mut left = 0;
        for (lane, raw) in raw.iter_mut().enumerate() {
            let scaled = scaled.get(lane);
            let exponent = scaled.exponent + i64::from(F::MIN_EXPONENT);
            let noise = Narrow { exponent, ..scaled };
            let sign = (negative >> lane & 1).wrapping_neg();
            let (sum, is_known) = Narrow::nearest_raw_sum::<F>(*raw, sign, noise);
            let is_known = is_known & (scaled.exponent >= 0);
            *raw = if is_known { sum } else { *raw };
            left |= u64::from(!is_known) << lane;
        }
        for (number, &raw) in numbers.iter_mut().zip(&*raw) {
            *number = F::from_raw(raw);
        }
        left & u64::MAX.checked_shr((LANES - numbers.len()) as u32).unwrap_or(0)
    }

    #[cold]
    #[inline(never)]
    fn slowly<S: Source>(&self, number: F, negative: bool, source: &mut S) -> Result<F> {
        let shift = Shift::on_grid(number, self.k).ok_or_else(not_finite)?;
        sample_magnitude(&self.noise.scale, source, 0, |bounds| match bounds {
            Bounds::Words { low, high, shift: up } => {
                self.round_words(&shift, negative, (*low, *high), *up)
            }
            Bounds::Big { low, high } => {
                let round = |g| round_sum(shift.to_real(), signed_noise(negative, g), self.k);
                one_float(round(low), round(high))
            }
        })
    }
}

#[cold]
pub(crate) fn not_finite() -> Error {
    Error::invalid_parameter(&Refusal { parameter: "shift", accepted: "a finite number" })
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

/// A number on a grid: ± mantissa · 2^exponent.
struct Shift {
    negative: bool,
    mantissa: u64,
    exponent: i64,
}

impl Shift {
    /// ⌊x / 2^k + 1/2⌋ · 2^k of a finite float.
    #[inline(always)]
    fn on_grid<F: Float>(x: F, k: i32) -> Option<Self> {
        let Decoded::Finite { negative, mantissa, exponent } = x.decode() else { return None };
        if exponent >= k {
            return Some(Shift { negative, mantissa, exponent: exponent.into() });
        }
        // The mantissa is below 2^53, so that nothing but 0 is in reach from further away.
        let dropped = k.saturating_sub(exponent).min(63);
        let half = 1u64 << (dropped - 1);
        let mantissa = (mantissa + half - u64::from(negative)) >> dropped;
        Some(Shift { negative: negative && mantissa != 0, mantissa, exponent: k.into() })
    }

    fn to_real(&self) -> Real {
        Real::exact(self.negative, self.mantissa.into(), self.exponent)
    }
}

/// ⌊x / 2^k + 1/2⌋ · 2^k of a finite float.
pub(crate) fn round_to_grid<F: Float>(x: F, k: i32) -> Option<Real> {
    Shift::on_grid(x, k).map(|shift| shift.to_real())
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

#[cfg(test)]
mod tests;
