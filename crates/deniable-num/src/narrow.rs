//! Numbers known to a few units of their last place, in one machine word or two.

use core::hint::black_box;

use crate::Float;
use crate::elementary::word::leading_zeros;
use crate::round::assert_format;

/// Any number from mantissa · 2^exponent to (mantissa + slack) · 2^exponent.
///
/// The leading bit of the mantissa's type is not set, and the upper end fits that type. The exponent is below 2^60 in magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Narrow<Mantissa = u64> {
    /// The lower end, in units of 2^exponent.
    pub mantissa: Mantissa,
    /// How far the upper end is above it, in the same units.
    pub slack: Mantissa,
    /// The power of two of a unit.
    pub exponent: i64,
}

impl<Mantissa> Narrow<Mantissa> {
    /// Whether nothing is known of the number.
    pub fn is_unknown(&self) -> bool {
        // It may have been multiplied by a power of two.
        self.exponent >= FAR / 2
    }
}

impl Narrow {
    /// Nothing is known of the number: it may be larger than any other.
    pub const UNKNOWN: Self = Narrow { mantissa: 0, slack: u64::MAX, exponent: FAR };

    /// The same, or a number of which nothing is known.
    #[inline(always)]
    pub fn known_if(self, is_known: bool) -> Self {
        // So large that no sum with it is a float, whatever its other parts are.
        Narrow { exponent: if is_known { self.exponent } else { FAR }, ..self }
    }

    /// An integer below 2^63.
    #[inline(always)]
    pub fn exact(n: u64) -> Self {
        debug_assert!(n >> 63 == 0, "an integer below 2^63");
        let up = n.leading_zeros().wrapping_sub(1);
        Narrow { mantissa: n.wrapping_shl(up), slack: 0, exponent: -i64::from(up) }
    }

    /// The integer part, if all of the numbers have the same one and a unit is not above 1.
    #[inline(always)]
    pub fn floor(self) -> Option<u64> {
        let down = u32::try_from(-self.exponent).ok()?;
        let high = self.mantissa.checked_add(self.slack)?;
        let floor = |n: u64| n.checked_shr(down).unwrap_or(0);
        (floor(self.mantissa) == floor(high)).then(|| floor(high))
    }

    /// The float that x + y rounds to, ties to even, whichever of its numbers y is, where x is exactly mantissa · 2^exponent,
    /// and each of them is negated if it comes with `true`. None if that depends on y, or if a calculation in one word cannot tell.
    #[inline(always)]
    pub fn nearest_sum<F: Float>(
        (x_negative, mantissa, exponent): (bool, u64, i64),
        (y_negative, y): (bool, Narrow),
    ) -> Option<F> {
        let zeros = mantissa.leading_zeros();
        let x = Exact {
            sign: mask(x_negative),
            // A bit is lost if there are no zeros.
            mantissa: mantissa.wrapping_shl(zeros) >> 1,
            zeros: if mantissa >> F::PRECISION == 0 { 63 - F::PRECISION } else { 0 },
            exponent: exponent + 1 - i64::from(zeros),
        };
        let (raw, is_known) = nearest_sum_64::<F>(x, mask(y_negative), y);
        is_known.then(|| F::from_raw(raw))
    }

    /// The same for a float x, given and returned as its [bits](Float::to_raw), and whether they are known. Subnormal numbers
    /// are not. The sign of y is all ones or all zeros. Without a branch, so that many can be computed side by side.
    #[inline(always)]
    pub fn nearest_raw_sum<F: Float>(raw: u64, y_sign: u64, y: Narrow) -> (u64, bool) {
        let fraction = raw & ((1 << (F::PRECISION - 1)) - 1);
        let special = (1 << (F::WIDTH - F::PRECISION)) - 1;
        let biased = raw >> (F::PRECISION - 1) & special;
        let leading = u64::from(biased != 0) << (F::PRECISION - 1);
        let up = 63 - F::PRECISION;
        let x = Exact {
            sign: (raw >> (F::WIDTH - 1) & 1).wrapping_neg(),
            mantissa: (fraction | leading) << up,
            zeros: up,
            exponent: biased as i64 + i64::from(F::MIN_EXPONENT) - 1 - i64::from(up),
        };
        let (sum, is_known) = nearest_sum_64::<F>(x, y_sign, y);
        let is_usual = (biased != 0) & (biased != special) | (biased | fraction == 0);
        (sum, is_known & is_usual)
    }
}

/// What the documentation of [`Narrow`] asks for.
macro_rules! bounds {
    ($mantissa:ty) => {
        impl Narrow<$mantissa> {
            fn is_in_bounds(&self) -> bool {
                self.mantissa.leading_zeros() > 0 && self.mantissa.checked_add(self.slack).is_some()
            }
        }
    };
}

bounds!(u64);
bounds!(u128);

impl Narrow<u128> {
    /// [`Narrow::nearest_sum`] in two words.
    #[inline]
    pub fn nearest_sum_128<F: Float>(
        (x_negative, mantissa, exponent): (bool, u64, i64),
        (y_negative, y): (bool, Self),
    ) -> Option<F> {
        let zeros = mantissa.leading_zeros();
        let x = Exact {
            sign: mask(x_negative),
            mantissa: u128::from(mantissa.wrapping_shl(zeros)) << 63,
            zeros: 63,
            exponent: exponent - 63 - i64::from(zeros),
        };
        // As far up as its upper end can go.
        let up = y.mantissa.wrapping_add(y.slack).leading_zeros().saturating_sub(1) & 127;
        let y = Narrow {
            mantissa: y.mantissa << up,
            slack: y.slack << up,
            exponent: y.exponent - i64::from(up),
        };
        let (raw, is_known) = nearest_sum_128::<F>(x, mask(y_negative), y);
        is_known.then(|| F::from_raw(raw))
    }
}

/// The exponent of a number of which nothing is known.
const FAR: i64 = 1 << 59;

/// mantissa · 2^exponent, less than a unit too small, negated if the sign is all ones. The leading bit of the mantissa is the one after its type's, or it is zero. If there
/// are zeros at its end, it is exact.
struct Exact<Mantissa> {
    sign: u64,
    mantissa: Mantissa,
    zeros: u32,
    exponent: i64,
}

/// The bits of the float that x + y rounds to, and whether they are known, with mantissas of a type.
///
/// Which of the two is larger, and their signs, are as random as noise is: no branch depends on them.
macro_rules! nearest_sum {
    ($name:ident, $mantissa:ty, $signed:ty, $leading_zeros:expr) => {
        #[inline(always)]
        fn $name<F: Float>(x: Exact<$mantissa>, y_sign: u64, y: Narrow<$mantissa>) -> (u64, bool) {
            const { assert_format::<F>() };
            debug_assert!(y.is_unknown() || y.is_in_bounds(), "an upper end that fits");
            const BITS: i64 = <$mantissa>::BITS as i64;
            const MASK: u32 = <$mantissa>::BITS - 1;
            const ONE: $mantissa = 1;
            // Both with the leading bit at the second place or below, in units of the larger one's. What is dropped is less than a unit.
            // A zero is in the units of the other.
            let x_exponent = if x.mantissa == 0 { y.exponent } else { x.exponent };
            let ahead = x_exponent - y.exponent;
            let is_near = (ahead + BITS - 1) as u64 <= 2 * (BITS - 1) as u64;
            let behind = ahead.min(0);
            let unit = x_exponent - behind;
            let (x_down, y_down) = (-behind as u32 & MASK, (ahead - behind) as u32 & MASK);
            let (a, b) = (x.mantissa >> x_down, y.mantissa >> y_down);
            // How far each may be above that. A larger slack than so says nothing.
            let a_slack = <$mantissa>::from(x_down >= x.zeros);
            let b_end = y.mantissa.wrapping_add(y.slack) >> y_down;
            let b_slack = b_end.wrapping_sub(b).wrapping_add(<$mantissa>::from(y_down != 0));
            let is_narrow = b_slack < ONE << (BITS - 14);
            // All ones if one is subtracted from the other, and if the second is then the larger one.
            let subtract = (x.sign ^ y_sign) as i64 as $signed as $mantissa;
            let sum = a.wrapping_add((b ^ subtract).wrapping_sub(subtract));
            let turn = subtract & (sum as $signed >> (BITS - 1)) as $mantissa;
            // The smaller one may be larger than its lower end, and the difference less.
            let smaller_slack = b_slack.wrapping_add(a_slack.wrapping_sub(b_slack) & turn);
            let magnitude = (sum ^ turn).wrapping_sub(turn);
            let least = magnitude.wrapping_sub(subtract & smaller_slack);
            let is_large = magnitude >> (BITS - 12) != 0;
            // No sum is below `least`. It has as many bits as they have, unless a power of two is among them; then they
            // round to that power or differ.
            let dropped = BITS - i64::from(F::PRECISION) - $leading_zeros(least) as i64;
            let drop = dropped as u32 & MASK;
            // Strictly between half a place below `kept` and half a place above it.
            let raised = least.wrapping_add(ONE << (drop.wrapping_sub(1) & MASK));
            let rest = raised & ((ONE << drop) - 1);
            let is_one =
                (rest != 0) & (rest.wrapping_add(a_slack).wrapping_add(b_slack) >> drop == 0);
            let kept = (raised >> drop) as u64;
            let exponent = unit + dropped;
            let place = (exponent - i64::from(F::MIN_EXPONENT)) as u64;
            let is_normal = place < (F::MAX_EXPONENT - F::MIN_EXPONENT) as u64;
            // The leading bit of the mantissa, or its carry, counts up the exponent.
            let sign = (x.sign ^ turn as u64) & 1 << (F::WIDTH - 1);
            let raw = sign | (place << (F::PRECISION - 1)).wrapping_add(kept);
            let is_known = is_near
                & is_narrow
                & is_large
                & (dropped > 0)
                & (raised >= least)
                & is_one
                & is_normal;
            (raw, is_known)
        }
    };
}

nearest_sum!(nearest_sum_64, u64, i64, leading_zeros);
nearest_sum!(nearest_sum_128, u128, i128, u128::leading_zeros);

/// All ones if it is true, else all zeros. Hidden from the optimizer, which would make branches of what is done with it.
#[inline(always)]
fn mask(bit: bool) -> u64 {
    black_box(u64::from(bit).wrapping_neg())
}

#[cfg(test)]
mod tests;
