//! Numbers known to a few units of their last place, in one machine word.

use core::hint::black_box;

use crate::Float;
use crate::round::assert_format;

/// Any number from mantissa · 2^exponent to (mantissa + slack) · 2^exponent.
///
/// The exponent is below 2^60 in magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Narrow {
    /// The lower end, in units of 2^exponent.
    pub mantissa: u64,
    /// How far the upper end is above it, in the same units.
    pub slack: u64,
    /// The power of two of a unit.
    pub exponent: i64,
}

impl Narrow {
    /// Nothing is known of the number: it may be larger than any other.
    pub const UNKNOWN: Self = Narrow { mantissa: 0, slack: u64::MAX, exponent: 1 << 59 };

    /// An integer.
    #[inline(always)]
    pub fn exact(n: u64) -> Self {
        let zeros = n.leading_zeros();
        Narrow { mantissa: n.wrapping_shl(zeros), slack: 0, exponent: -i64::from(zeros) }
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
            exponent: exponent + 1 - i64::from(zeros),
        };
        let (raw, is_known) = nearest_sum::<F>(x, mask(y_negative), y);
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
            exponent: biased as i64 + i64::from(F::MIN_EXPONENT) - 1 - i64::from(up),
        };
        let (sum, is_known) = nearest_sum::<F>(x, y_sign, y);
        let is_usual = (biased != 0) & (biased != special) | (biased | fraction == 0);
        (sum, is_known & is_usual)
    }
}

/// mantissa · 2^exponent, less than a unit too small, negated if the sign is all ones; the leading bit of the mantissa is bit 62, or it is zero.
struct Exact {
    sign: u64,
    mantissa: u64,
    exponent: i64,
}

/// The bits of the float that x + y rounds to, and whether they are known.
///
/// Which of the two is larger, and their signs, are as random as noise is: no branch depends on them.
#[inline(always)]
fn nearest_sum<F: Float>(x: Exact, y_sign: u64, y: Narrow) -> (u64, bool) {
    const { assert_format::<F>() };
    // Both with the leading bit at bit 62 or below, in units of the larger one's. What is dropped is less than a unit.
    let y_exponent = y.exponent + 1;
    // A zero is in the units of the other.
    let x_exponent = if x.mantissa == 0 { y_exponent } else { x.exponent };
    let ahead = x_exponent - y_exponent;
    let is_near = (ahead + 63) as u64 <= 126;
    let behind = ahead.min(0);
    let unit = x_exponent - behind;
    let (x_down, y_down) = (-behind as u32 & 63, (ahead - behind) as u32 & 63);
    let (a, b) = (x.mantissa >> x_down, y.mantissa >> 1 >> y_down);
    // How far each may be above that. A larger slack than so says nothing.
    let (a_slack, b_slack) = (1u64, (y.slack >> 1 >> y_down) + 2);
    let is_narrow = b_slack < 1 << 50;
    // All ones if one is subtracted from the other, and if the second is then the larger one.
    let subtract = x.sign ^ y_sign;
    let sum = a.wrapping_add((b ^ subtract).wrapping_sub(subtract));
    let turn = subtract & (sum as i64 >> 63) as u64;
    // The smaller one may be larger than its lower end, and the difference less.
    let smaller_slack = b_slack.wrapping_add(a_slack.wrapping_sub(b_slack) & turn);
    let magnitude = (sum ^ turn).wrapping_sub(turn);
    let below = magnitude.wrapping_sub((subtract & smaller_slack) + 1);
    let is_large = magnitude >> 52 != 0;
    // All sums are above `below`. It has as many bits as they have, unless a power of two is among them; then they
    // round to that power or differ.
    let dropped = 64 - F::PRECISION as i32 - below.leading_zeros() as i32;
    let drop = dropped as u32 & 63;
    // Strictly between half a place below `kept` and half a place above it.
    let raised = below.wrapping_add(1 << (drop.wrapping_sub(1) & 63));
    let rest = raised & ((1 << drop) - 1);
    let is_one = rest.wrapping_add(a_slack + b_slack + 1) >> drop == 0;
    let kept = raised >> drop;
    let exponent = unit + i64::from(dropped);
    let place = (exponent - i64::from(F::MIN_EXPONENT)) as u64;
    let is_normal = place < (F::MAX_EXPONENT - F::MIN_EXPONENT) as u64;
    // The leading bit of the mantissa, or its carry, counts up the exponent.
    let sign = (x.sign ^ turn) & 1 << (F::WIDTH - 1);
    let raw = sign | (place << (F::PRECISION - 1)).wrapping_add(kept);
    let is_known =
        is_near & is_narrow & is_large & (dropped > 0) & (raised >= below) & is_one & is_normal;
    (raw, is_known)
}

/// All ones if it is true, else all zeros. Hidden from the optimizer, which would make branches of what is done with it.
#[inline(always)]
fn mask(bit: bool) -> u64 {
    black_box(u64::from(bit).wrapping_neg())
}

#[cfg(test)]
mod tests;
