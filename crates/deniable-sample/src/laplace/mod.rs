//! The discrete Laplace law on the integers.
#![doc = include_str!("proof.md")]

use deniable_num::{Decoded, Float};
use num_bigint::{BigInt, BigUint};

use crate::bernoulli_exp::Logistic;
use crate::error::Refusal;
use crate::expansion::{IrrationalDigits, uniform_is_below, uniforms_are_below};
use crate::geometric::settled;
use crate::magnitude::{Bounds, Scale, sample_magnitude};
use crate::{Error, Ratio, Result, Source};

pub(crate) mod at_once;
pub(crate) mod saturating;

pub use saturating::SaturatingInt;

/// The integer z with probability exactly (1 − q)/(1 + q) · q^|z|, where q = e^(−1/scale).
///
/// To draw many from one scale, prepare a [`DiscreteLaplace`].
///
/// # Errors
///
/// A `scale` of zero; a source that fails.
///
/// # Examples
///
/// ```
/// use deniable_sample::{OsEntropy, Ratio, sample_discrete_laplace};
/// let noise = sample_discrete_laplace(&Ratio::new(3u32, 2u32)?, &mut OsEntropy::new())?;
/// assert!(sample_discrete_laplace(&Ratio::new(0u32, 1u32)?, &mut OsEntropy::new()).is_err());
/// # Ok::<(), deniable_sample::Error>(())
/// ```
pub fn sample_discrete_laplace<S: Source + ?Sized>(
    scale: &Ratio,
    source: &mut S,
) -> Result<BigInt> {
    DiscreteLaplace::new(scale)?.sample(source)
}

/// A discrete Laplace law whose constants are computed once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscreteLaplace {
    pub(crate) scale: Scale,
    not_negative: Logistic,
}

impl DiscreteLaplace {
    /// The law with this scale.
    ///
    /// # Errors
    ///
    /// A `scale` of zero.
    pub fn new(scale: &Ratio) -> Result<Self> {
        if scale.is_zero() {
            return Err(Error::invalid_parameter(&Refusal {
                parameter: "scale",
                accepted: "a ratio above 0",
            }));
        }
        Ok(Self::from_scale(Scale::ratio(scale)))
    }

    /// The law whose scale is the exact value of a float.
    ///
    /// The same law as from [`Ratio::from_float`], and fast for every float: from the smallest subnormal to the largest
    /// number, machine words decide nearly all draws that fit in them.
    ///
    /// # Errors
    ///
    /// A `scale` that is not positive and finite.
    ///
    /// # Examples
    ///
    /// ```
    /// use deniable_sample::{DiscreteLaplace, OsEntropy};
    /// let noise = DiscreteLaplace::from_float(1e-3)?.sample(&mut OsEntropy::new())?;
    /// assert!(DiscreteLaplace::from_float(f64::NAN).is_err());
    /// # Ok::<(), deniable_sample::Error>(())
    /// ```
    pub fn from_float<F: Float>(scale: F) -> Result<Self> {
        Self::on_grid(scale, 0)
    }

    /// The law of noise of this scale in steps of 2^k.
    pub(crate) fn on_grid<F: Float>(scale: F, k: i32) -> Result<Self> {
        match scale.decode() {
            Decoded::Finite { negative: false, mantissa: mantissa @ 1.., exponent } => {
                let exponent = i64::from(exponent) - i64::from(k);
                Ok(Self::from_scale(Scale::dyadic(mantissa, exponent)))
            }
            _ => Err(Error::invalid_parameter(&Refusal {
                parameter: "scale",
                accepted: "a finite number above 0",
            })),
        }
    }

    fn from_scale(scale: Scale) -> Self {
        let not_negative = Logistic::new(scale.inverse());
        DiscreteLaplace { scale, not_negative }
    }

    /// Draws one integer.
    ///
    /// # Errors
    ///
    /// A source that fails.
    pub fn sample<S: Source + ?Sized>(&self, source: &mut S) -> Result<BigInt> {
        self.sample_until(source, self.scale.length(), |negative, bounds| {
            settled(bounds).map(|geometric| signed_noise(negative, &geometric))
        })
    }

    /// Draws a sign and bounds of a geometric integer G until `decide` accepts them. The noise is G if it
    /// is not negative, and −1 − G if it is.
    #[inline]
    pub(crate) fn sample_until<T, S: Source + ?Sized>(
        &self,
        source: &mut S,
        first_look: u64,
        decide: impl Fn(bool, &Bounds) -> Option<T>,
    ) -> Result<T> {
        let negative = self.sample_sign(source)?;
        sample_magnitude(&self.scale, source, first_look, |bounds| decide(negative, bounds))
    }

    /// Whether the noise is negative.
    #[inline]
    fn sample_sign<S: Source + ?Sized>(&self, source: &mut S) -> Result<bool> {
        Ok(!uniform_is_below(IrrationalDigits::new(&self.not_negative), source)?)
    }

    /// Whether the noise is negative, for so many numbers: the lowest bits of a word.
    #[inline]
    fn sample_signs<S: Source + ?Sized>(&self, lanes: u32, source: &mut S) -> Result<u64> {
        let digits = IrrationalDigits::new(&self.not_negative);
        Ok(!uniforms_are_below(digits, lanes, source)?)
    }
}

/// The noise a sign and a geometric integer stand for.
pub(crate) fn signed_noise(negative: bool, geometric: &BigUint) -> BigInt {
    let magnitude = BigInt::from(geometric.clone());
    if negative { -1 - magnitude } else { magnitude }
}
