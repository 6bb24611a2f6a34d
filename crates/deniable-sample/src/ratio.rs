use core::fmt;

use deniable_num::{Decoded, Float};
use num_bigint::BigUint;

use crate::error::Refusal;
use crate::{Error, Result};

/// A rational number that is not negative.
///
/// Numerator and denominator are kept as they are given: no sampler needs lowest terms, and what is not
/// computed cannot be wrong. So 1/2 and 2/4 draw the same and are not equal.
#[derive(Clone, PartialEq, Eq)]
pub struct Ratio {
    numerator: BigUint,
    denominator: BigUint,
}

impl Ratio {
    /// numerator / denominator.
    ///
    /// # Errors
    ///
    /// A denominator of zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use deniable_sample::Ratio;
    /// assert!(Ratio::new(2u32, 3u32).is_ok());
    /// assert!(Ratio::new(1u32, 0u32).is_err());
    /// ```
    pub fn new(numerator: impl Into<BigUint>, denominator: impl Into<BigUint>) -> Result<Self> {
        let denominator = denominator.into();
        if denominator == BigUint::ZERO {
            return Err(Error::invalid_parameter(&Refusal {
                parameter: "denominator",
                accepted: "an integer of at least 1",
            }));
        }
        Ok(Ratio { numerator: numerator.into(), denominator })
    }

    /// The exact value of a float.
    ///
    /// # Errors
    ///
    /// A float that is negative, infinite or NaN.
    pub fn from_float<F: Float>(x: F) -> Result<Self> {
        match x.decode() {
            Decoded::Finite { negative: false, mantissa, exponent } => {
                let one = BigUint::from(1u32);
                let mantissa = BigUint::from(mantissa);
                Ok(if exponent >= 0 {
                    Ratio { numerator: mantissa << exponent, denominator: one }
                } else {
                    Ratio { numerator: mantissa, denominator: one << -exponent }
                })
            }
            _ => Err(Error::invalid_parameter(&Refusal {
                parameter: "ratio",
                accepted: "a finite number of at least 0",
            })),
        }
    }

    /// The numerator.
    pub fn numerator(&self) -> &BigUint {
        &self.numerator
    }

    /// The denominator.
    pub fn denominator(&self) -> &BigUint {
        &self.denominator
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.numerator == BigUint::ZERO
    }

    pub(crate) fn inverse(&self) -> Result<Self> {
        Ratio::new(self.denominator.clone(), self.numerator.clone())
    }

    /// Both parts as machine words, if they fit.
    pub(crate) fn words(&self) -> Option<(u64, u64)> {
        Some((u64::try_from(&self.numerator).ok()?, u64::try_from(&self.denominator).ok()?))
    }
}

impl fmt::Debug for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_what_they_are() {
        let cases: [(f64, u64, u64); 5] = [
            (0.75, 3, 4),
            (12.0, 12, 1),
            (0.0, 0, 1),
            (1e15, 1_000_000_000_000_000, 1),
            (1.5, 3, 2),
        ];
        for (x, numerator, denominator) in cases {
            let ratio = Ratio::from_float(x).unwrap();
            assert_eq!(ratio.numerator() * denominator, ratio.denominator() * numerator, "{x}");
            assert_eq!(ratio.is_zero(), x == 0.0);
        }
        let [largest, least] = [f64::MAX, 5e-324].map(|x| Ratio::from_float(x).unwrap());
        assert_eq!(*largest.numerator(), BigUint::from((1u64 << 53) - 1) << 971u32);
        assert_eq!(*least.denominator(), BigUint::from(1u32) << 1074u32);
        for refused in [-1.0, -5e-324, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            assert!(Ratio::from_float(refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn it_is_shown_as_a_ratio() {
        assert_eq!(format!("{:?}", Ratio::new(2u32, 4u32).unwrap()), "2/4");
    }
}
