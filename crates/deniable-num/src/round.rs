//! One rounding function for the whole crate.

use num_bigint::BigUint;

use crate::{Decoded, Float};

/// Which way to round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards +∞.
    Up,
    /// Towards −∞.
    Down,
    /// To the nearest float, ties to the even one.
    Nearest,
}

/// A real number on its way to a float: ± (mantissa + θ) · 2^exponent.
///
/// θ is 0 if the number is exact, and unknown but strictly between 0 and 1 if it is *sticky*. The constructors
/// make sticky numbers long enough to be rounded to any [`Float`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Real {
    pub(crate) negative: bool,
    pub(crate) mantissa: u128,
    pub(crate) exponent: i64,
    pub(crate) sticky: bool,
}

impl Real {
    /// Zero.
    pub const ZERO: Self = Real { negative: false, mantissa: 0, exponent: 0, sticky: false };

    /// An exact number.
    ///
    /// # Panics
    ///
    /// If the exponent is not below 2^60 in magnitude.
    #[inline]
    pub fn exact(negative: bool, mantissa: u128, exponent: i64) -> Self {
        assert!(exponent.unsigned_abs() < 1 << 60, "no number here has such an exponent");
        Real { negative, mantissa, exponent, sticky: false }
    }

    /// The value of a finite float.
    #[inline]
    pub fn from_float<F: Float>(x: F) -> Option<Self> {
        match x.decode() {
            Decoded::Finite { negative, mantissa, exponent } => {
                Some(Real::exact(negative, mantissa.into(), exponent.into()))
            }
            _ => None,
        }
    }

    /// magnitude · 2^exponent: the leading 128 bits, and whether anything follows.
    pub fn from_big(magnitude: &BigUint, exponent: i64) -> Self {
        let dropped = magnitude.bits().saturating_sub(128);
        let top = magnitude >> dropped;
        Real {
            negative: false,
            mantissa: u128::try_from(&top).expect("128 bits remain"),
            exponent: exponent + dropped as i64,
            sticky: top << dropped != *magnitude,
        }
    }

    /// The same magnitude, with this sign.
    #[inline]
    pub fn with_sign(self, negative: bool) -> Self {
        Real { negative, ..self }
    }

    /// Whether it is negative.
    #[inline]
    pub fn is_negative(self) -> bool {
        self.negative
    }

    /// The mantissa: the known leading bits.
    #[inline]
    pub fn mantissa(self) -> u128 {
        self.mantissa
    }

    /// The power of two of the mantissa's last bit.
    #[inline]
    pub fn exponent(self) -> i64 {
        self.exponent
    }

    /// The sum of two exact numbers whose mantissas have at most 120 bits.
    ///
    /// Both are shifted up to bit 125. What the smaller one then loses on its way down is at least five
    /// places below the larger one's last significant bit, so the difference keeps over 120 bits: a
    /// sticky result is always long enough to be rounded.
    ///
    /// # Panics
    ///
    /// If a number is sticky or longer than that.
    #[inline]
    pub fn sum(x: Real, y: Real) -> Real {
        let short = (x.mantissa | y.mantissa) >> 120 == 0;
        assert!(short && !x.sticky && !y.sticky, "a sum of exact numbers of at most 120 bits");
        if x.mantissa == 0 {
            return y;
        }
        if y.mantissa == 0 {
            return x;
        }
        let (x, y) = (x.raised(), y.raised());
        let x_is_larger = (x.exponent, x.mantissa) >= (y.exponent, y.mantissa);
        let (large, small) = if x_is_larger { (x, y) } else { (y, x) };
        let distance = large.exponent - small.exponent;
        let (shifted, lost) = if distance > 127 {
            (0, true)
        } else {
            let shifted = small.mantissa >> distance;
            (shifted, shifted << distance != small.mantissa)
        };
        let mantissa = if large.negative == small.negative {
            large.mantissa + shifted
        } else {
            large.mantissa - shifted - u128::from(lost)
        };
        let negative = large.negative && mantissa != 0;
        Real { negative, mantissa, exponent: large.exponent, sticky: lost }
    }

    /// Rounds to a float. A zero is always +0; beyond the range the result is ±∞, or the largest finite
    /// number where the direction points back towards zero.
    #[inline]
    pub fn round<F: Float>(self, direction: Direction) -> F {
        const { assert_format::<F>() };
        if self.mantissa == 0 && !self.sticky {
            return F::encode(false, 0, F::MIN_EXPONENT);
        }
        let length = i64::from(128 - self.mantissa.leading_zeros());
        let last = (self.exponent + length - i64::from(F::PRECISION)).max(F::MIN_EXPONENT.into());
        let dropped = last - self.exponent;
        debug_assert!(
            !self.sticky || dropped > 0,
            "a sticky number needs more bits than the float"
        );
        let (kept, above_half, at_half, inexact) = split(self.mantissa, dropped, self.sticky);
        let away = match direction {
            Direction::Up => inexact && !self.negative,
            Direction::Down => inexact && self.negative,
            Direction::Nearest => above_half || at_half && kept & 1 == 1,
        };
        let mut mantissa = kept + u64::from(away);
        let mut exponent = last;
        if mantissa >> F::PRECISION != 0 {
            mantissa >>= 1;
            exponent += 1;
        }
        if exponent > i64::from(F::MAX_EXPONENT) {
            let back = match direction {
                Direction::Up => self.negative,
                Direction::Down => !self.negative,
                Direction::Nearest => false,
            };
            return if back { F::largest(self.negative) } else { F::infinity(self.negative) };
        }
        F::encode(self.negative && mantissa != 0, mantissa, exponent as i32)
    }

    /// The same number with its leading bit at bit 125.
    #[inline]
    fn raised(self) -> Self {
        let shift = self.mantissa.leading_zeros() - 2;
        let exponent = self.exponent - i64::from(shift);
        Real { mantissa: self.mantissa << shift, exponent, ..self }
    }
}

/// The enclosures of logarithm and exponential are good for the range of `f64`, and no further.
pub(crate) const fn assert_format<F: Float>() {
    assert!(F::PRECISION <= 53, "a format of at most 53 bits");
    assert!(F::MIN_EXPONENT >= -1074, "no number smaller than those of f64");
    assert!(F::MAX_EXPONENT + F::PRECISION as i32 <= 1024, "no number larger than those of f64");
}

/// The mantissa without its last `dropped` bits, and what was dropped: more than half of the last place
/// kept, exactly half of it, anything at all.
#[inline]
fn split(mantissa: u128, dropped: i64, sticky: bool) -> (u64, bool, bool, bool) {
    if dropped <= 0 {
        return ((mantissa << -dropped) as u64, false, false, sticky);
    }
    if dropped > 128 {
        return (0, false, false, true);
    }
    let (kept, rest) = if dropped == 128 {
        (0, mantissa)
    } else {
        ((mantissa >> dropped) as u64, mantissa & ((1 << dropped) - 1))
    };
    let half = 1u128 << (dropped - 1);
    (kept, rest > half || rest == half && sticky, rest == half && !sticky, rest != 0 || sticky)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With halves of a unit for what was dropped before.
    #[test]
    fn what_is_dropped_is_compared_with_half() {
        for (mantissa, dropped) in (0..64u128).flat_map(|n| (1..=7).map(move |d| (n, d))) {
            for sticky in [false, true] {
                let kept = mantissa >> dropped;
                let rest = 2 * mantissa + u128::from(sticky) - (kept << (dropped + 1));
                let half = 1 << dropped;
                assert_eq!(
                    split(mantissa, dropped, sticky),
                    (kept as u64, rest > half, rest == half, rest != 0),
                    "{mantissa} {dropped} {sticky}"
                );
            }
        }
    }

    /// A format by its size alone.
    #[derive(Clone, Copy, Debug)]
    struct Format<const PRECISION: u32, const MIN: i32, const MAX: i32>;

    impl<const PRECISION: u32, const MIN: i32, const MAX: i32> Float for Format<PRECISION, MIN, MAX> {
        const PRECISION: u32 = PRECISION;
        const WIDTH: u32 = 64;
        const MIN_EXPONENT: i32 = MIN;
        const MAX_EXPONENT: i32 = MAX;

        fn decode(self) -> Decoded {
            Decoded::NaN
        }

        fn encode(_: bool, _: u64, _: i32) -> Self {
            Format
        }

        fn to_raw(self) -> u64 {
            0
        }

        fn from_raw(_: u64) -> Self {
            Format
        }

        fn infinity(_: bool) -> Self {
            Format
        }
    }

    #[test]
    fn formats_wider_than_f64_are_refused() {
        let is_refused = |check: fn()| std::panic::catch_unwind(check).is_err();
        assert!(!is_refused(assert_format::<f32>) && !is_refused(assert_format::<f64>));
        assert!(!is_refused(assert_format::<Format<53, -1074, 971>>));
        assert!(is_refused(assert_format::<Format<54, -1074, 970>>));
        assert!(is_refused(assert_format::<Format<53, -1075, 971>>));
        assert!(is_refused(assert_format::<Format<53, -1074, 972>>));
    }
}
