//! Bounds of a ratio of integers and of its logarithm.
//!
//! A privacy map that counts is exact until its last step. Taking that step from the integers themselves, and not from
//! floats that were rounded on the way, gives the neighbouring float of the true value.

use num_bigint::BigUint;

use crate::certified::{FRACTION, Interval};
use crate::directed::undefined;
use crate::elementary::fast;
use crate::error::Result;
use crate::round::{Direction, Real};
use crate::{Directed, Float, Lower, Upper};

macro_rules! bound {
    ($bound:ident, $direction:ident, $neighbour:literal, $overflow:literal, $example:literal,
     $ln_example:literal) => {
        impl<F: Directed> $bound<F> {
            #[doc = concat!("numerator / denominator, or the neighbouring float ", $neighbour, " it.")]
            ///
            #[doc = $overflow]
            ///
            /// # Errors
            ///
            /// A denominator of zero.
            ///
            /// # Examples
            ///
            /// ```
            #[doc = concat!("use deniable_num::", stringify!($bound), ";")]
            /// use num_bigint::BigUint;
            /// let whole = |n: u32| BigUint::from(n);
            #[doc = $example]
            #[doc = concat!("assert!(", stringify!($bound), "::<f64>::ratio(&whole(1), &whole(0)).is_err());")]
            /// # Ok::<(), deniable_num::Error>(())
            /// ```
            pub fn ratio(numerator: &BigUint, denominator: &BigUint) -> Result<Self> {
                match Real::ratio(numerator, denominator) {
                    Some(ratio) => Self::new(ratio.round(Direction::$direction)),
                    None => undefined(concat!(stringify!($bound), "::ratio")),
                }
            }

            #[doc = concat!("factor · ln(numerator / denominator), or the neighbouring float ", $neighbour, " it.")]
            ///
            /// It is 0 if the factor is, or if both integers are the same; everywhere else it is no float.
            ///
            /// # Errors
            ///
            /// A numerator or a denominator of zero, whatever the factor.
            ///
            /// # Examples
            ///
            /// ```
            #[doc = concat!("use deniable_num::", stringify!($bound), ";")]
            /// use num_bigint::BigUint;
            /// let whole = |n: u32| BigUint::from(n);
            #[doc = $ln_example]
            #[doc = concat!("assert!(", stringify!($bound), "::<f64>::ln_ratio(2, &whole(0), &whole(1)).is_err());")]
            /// # Ok::<(), deniable_num::Error>(())
            /// ```
            pub fn ln_ratio(
                factor: u64,
                numerator: &BigUint,
                denominator: &BigUint,
            ) -> Result<Self> {
                if *numerator == BigUint::ZERO || *denominator == BigUint::ZERO {
                    return undefined(concat!(stringify!($bound), "::ln_ratio"));
                }
                Self::new(ln_ratio(factor, numerator, denominator, Direction::$direction))
            }
        }
    };
}

bound!(
    Upper,
    Up,
    "above",
    "Beyond the largest finite number it is ∞.",
    "assert_eq!(Upper::<f64>::ratio(&whole(1), &whole(3))?.get(), 0.33333333333333337);",
    "assert_eq!(Upper::<f64>::ln_ratio(2, &whole(3), &whole(1))?.get(), 2.1972245773362196);"
);
bound!(
    Lower,
    Down,
    "below",
    "Beyond the largest finite number it is that number.",
    "assert_eq!(Lower::<f64>::ratio(&whole(1), &whole(3))?.get(), 0.3333333333333333);",
    "assert_eq!(Lower::<f64>::ln_ratio(2, &whole(3), &whole(1))?.get(), 2.197224577336219);"
);

impl Real {
    /// numerator / denominator: the leading 127 or 128 bits, and whether anything follows. None if the denominator is
    /// zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use deniable_num::{Direction, Real};
    /// use num_bigint::BigUint;
    /// let ratio = Real::ratio(&BigUint::from(1u32), &BigUint::from(10u32)).expect("10 is not 0");
    /// assert_eq!(ratio.round::<f64>(Direction::Nearest), 0.1);
    /// assert!(Real::ratio(&BigUint::from(1u32), &BigUint::ZERO).is_none());
    /// ```
    pub fn ratio(numerator: &BigUint, denominator: &BigUint) -> Option<Real> {
        if *denominator == BigUint::ZERO {
            return None;
        }
        if *numerator == BigUint::ZERO {
            return Some(Real::ZERO);
        }
        Some(match (u64::try_from(numerator), u64::try_from(denominator)) {
            (Ok(numerator), Ok(denominator)) => word_ratio(numerator, denominator),
            _ => big_ratio(numerator, denominator),
        })
    }
}

/// The quotient of two words that are not zero, in two steps of a long division.
fn word_ratio(numerator: u64, denominator: u64) -> Real {
    let (up, down) = (numerator.leading_zeros(), denominator.leading_zeros());
    let divisor = u128::from(denominator << down);
    // Both have their leading bit at bit 63, so that the quotient is between 1/2 and 2.
    let dividend = u128::from(numerator << up) << 63;
    // A quotient of words that has an end in binary has it within 63 places: what has a rest here has one forever.
    let rest = (dividend % divisor) << 64;
    Real {
        negative: false,
        mantissa: ((dividend / divisor) << 64) + rest / divisor,
        exponent: i64::from(down) - i64::from(up) - 127,
        sticky: rest != 0,
    }
}

/// The quotient of two integers that are not zero.
fn big_ratio(numerator: &BigUint, denominator: &BigUint) -> Real {
    // Dividing an integer of n + 127 bits by one of n bits leaves 127 or 128.
    let up = 127 + denominator.bits() as i64 - numerator.bits() as i64;
    let dividend = numerator << up.max(0);
    let divisor = denominator << (-up).max(0);
    let quotient = &dividend / &divisor;
    Real {
        negative: false,
        mantissa: u128::try_from(&quotient).expect("128 bits at most"),
        exponent: -up,
        sticky: quotient * divisor != dividend,
    }
}

/// factor · ln(numerator / denominator), rounded, for integers that are not zero.
///
/// Where it is not 0 it is transcendental (Lindemann), hence no float: some enclosure decides.
fn ln_ratio<F: Float>(
    factor: u64,
    numerator: &BigUint,
    denominator: &BigUint,
    direction: Direction,
) -> F {
    if factor == 0 || numerator == denominator {
        return Real::ZERO.round(direction);
    }
    let decide = |ln: Option<Interval>| {
        let (rounded, decided) = ln?.multiple(factor)?.round(direction);
        decided.then_some(rounded)
    };
    let fast = Real::ratio(numerator, denominator)
        .and_then(fast::ln_fixed)
        .and_then(|(low, high)| Interval::between(low.into(), high.into(), FRACTION.into()));
    if let Some(rounded) = decide(fast) {
        return rounded;
    }
    let mut bits = first_bits(numerator, denominator);
    loop {
        if let Some(rounded) = decide(Interval::ln_ratio(numerator, denominator, bits)) {
            return rounded;
        }
        bits *= 2;
    }
}

/// A precision that nearly always decides.
///
/// Next to 1 the logarithm is about z = 2 (n − d)/(n + d), which takes as many bits as are zero at its beginning, and
/// above it by about z³/12: where z is a float, it takes three times as many to see on which side of it the
/// logarithm is.
fn first_bits(numerator: &BigUint, denominator: &BigUint) -> u64 {
    let (least, most) = (numerator.min(denominator), numerator.max(denominator));
    192 + 3 * (most.bits() - (most - least).bits())
}
