//! One bit that is true with exactly the probability a float says.
#![doc = include_str!("proof.md")]

mod lanes;

pub use lanes::{FLIPS, Scratch};

use deniable_num::{Decoded, Float};

use crate::error::Refusal;
use crate::expansion::{Expansion, uniform_is_below};
use crate::{Error, Result, Source, Word};

/// True with probability exactly `prob`.
///
/// # Precision
///
/// Every float in [0, 1], subnormals included, is honoured to its last bit.
///
/// # Privacy
///
/// With `constant_time` the number of words drawn depends on `prob` alone, and there is no branch and no
/// memory access that depends on the words or on the result. Without it, about one word is drawn.
///
/// # Errors
///
/// A `prob` outside [0, 1] or NaN; a source that fails.
///
/// # Examples
///
/// ```
/// use deniable_sample::{OsEntropy, sample_bernoulli_float};
/// let mut entropy = OsEntropy::new();
/// let heads: bool = sample_bernoulli_float(0.75, false, &mut entropy)?;
/// assert!(sample_bernoulli_float(1.0, true, &mut entropy)?);
/// assert!(sample_bernoulli_float(1.5, false, &mut entropy).is_err());
/// # Ok::<(), deniable_sample::Error>(())
/// ```
#[inline]
pub fn sample_bernoulli_float<F: Float, S: Source + ?Sized>(
    prob: F,
    constant_time: bool,
    source: &mut S,
) -> Result<bool> {
    Dyadic::from_float(prob)?.sample(constant_time, source)
}

/// A probability with finitely many binary digits: mantissa / 2^places.
///
/// Half of a float is one even where it is no float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dyadic {
    mantissa: u64,
    places: u32,
}

impl Dyadic {
    /// The exact value of a float.
    ///
    /// # Errors
    ///
    /// A float outside [0, 1] or NaN.
    #[inline]
    pub fn from_float<F: Float>(prob: F) -> Result<Self> {
        let refused = || {
            Error::invalid_parameter(&Refusal {
                parameter: "prob",
                accepted: "a number from 0 to 1",
            })
        };
        let Decoded::Finite { negative: false, mantissa, exponent } = prob.decode() else {
            return Err(refused());
        };
        if mantissa == 0 {
            return Ok(Dyadic { mantissa: 0, places: 0 });
        }
        let zeros = mantissa.trailing_zeros();
        let (mantissa, exponent) = (mantissa >> zeros, exponent + zeros as i32);
        // An odd mantissa makes 1 the only number of this range without places after the point.
        let within = exponent < 0 && 64 - mantissa.leading_zeros() <= exponent.unsigned_abs();
        if within || (mantissa, exponent) == (1, 0) {
            Ok(Dyadic { mantissa, places: exponent.unsigned_abs() })
        } else {
            Err(refused())
        }
    }

    /// Half of it.
    #[must_use]
    pub fn half(self) -> Self {
        if self.mantissa == 0 { self } else { Dyadic { places: self.places + 1, ..self } }
    }

    /// True with exactly this probability. See [`sample_bernoulli_float`].
    ///
    /// # Errors
    ///
    /// A source that fails.
    #[inline]
    pub fn sample<S: Source + ?Sized>(self, constant_time: bool, source: &mut S) -> Result<bool> {
        if self.places == 0 {
            return Ok(self.mantissa == 1);
        }
        let digits = DyadicDigits { probability: self, position: 0 };
        if constant_time { all_digits(digits, source) } else { uniform_is_below(digits, source) }
    }
}

/// The comparison of [`uniform_is_below`] with every digit read and no branch on what was drawn.
fn all_digits<S: Source + ?Sized>(mut digits: DyadicDigits, source: &mut S) -> Result<bool> {
    let mut is_below = 0;
    let mut undecided = 1;
    while let Some(digit) = digits.next(S::Word::BITS) {
        let (below, equal) = source.draw()?.below_and_equal(digit);
        is_below |= undecided & below;
        undecided &= equal;
    }
    Ok(is_below == 1)
}

#[derive(Clone, Copy)]
struct DyadicDigits {
    probability: Dyadic,
    position: u32,
}

impl Expansion for DyadicDigits {
    #[inline]
    fn next(&mut self, width: u32) -> Option<u64> {
        let Dyadic { mantissa, places } = self.probability;
        if self.position >= places {
            return None;
        }
        self.position += width;
        let digit = match places.checked_sub(self.position) {
            Some(below) => mantissa.checked_shr(below).unwrap_or(0),
            None => mantissa << (self.position - places),
        };
        Some(digit & (u64::MAX >> (64 - width)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_number() {
        for x in [1.0, 0.75, 0.1, 1e-300] {
            let half = Dyadic::from_float(x).unwrap().half();
            assert_eq!(half, Dyadic::from_float(x / 2.0).unwrap(), "{x}");
        }
        let zero = Dyadic::from_float(0.0).unwrap();
        assert_eq!(zero.half(), zero);
    }
}
