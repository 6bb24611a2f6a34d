//! The 128-bit kernels. Every bound on an error is derived in `proof.md`.

use super::table::{EXP_64THS, LN_2, LN_RECIPROCALS, RECIPROCALS};
use super::{magnitude_exponent, table_64};
use crate::enclosure::Enclosure;
use crate::round::Real;
use crate::wide::{mul_high, mul_u128};

/// The number of fraction bits of a sum with a multiple of ln 2.
pub(crate) const FRACTION: u32 = 116;

/// ln of a positive number other than 1.
pub(super) fn ln(x: Real) -> Option<Enclosure> {
    from_fixed(ln_fixed(x)?)
}

/// ln of a positive number that is exact or has at least 124 bits, times 2^FRACTION: a lower and an upper bound.
/// None if the number is not within 2^±2047.
pub(crate) fn ln_fixed(x: Real) -> Option<(i128, i128)> {
    let shift = x.mantissa.leading_zeros();
    let doublings = x.exponent - i64::from(shift) + 128;
    if doublings.unsigned_abs() >= 1 << 11 {
        return None;
    }
    let (low, high) = ln_scaled(x.mantissa << shift, doublings);
    // What a sticky number of 124 bits hides moves the logarithm by less than 2^−123.
    Some((low, high + i128::from(x.sticky)))
}

/// ln(1 + x) for |x| ≥ 2^−60, x > −1.
pub(super) fn ln_1p(x: Real) -> Option<Enclosure> {
    if magnitude_exponent(x) < SMALL {
        return Some(small_series(x, !x.negative, &RECIPROCAL));
    }
    from_fixed(ln_fixed(Real::sum(Real::exact(false, 1, 0), x))?)
}

/// e^x for 2^−60 ≤ |x| < 1024.
pub(super) fn exp(x: Real) -> Option<Enclosure> {
    let (low, high, doublings) = exp_scaled(fixed(x))?;
    let exponent = doublings - 127;
    Some(Enclosure {
        negative: false,
        low: Real::exact(false, low, exponent),
        high: Real::exact(false, high, exponent),
    })
}

/// e^x − 1 for 2^−60 ≤ |x| < 1024.
pub(super) fn exp_m1(x: Real) -> Option<Enclosure> {
    if magnitude_exponent(x) < SMALL {
        return Some(small_series(x, x.negative, &RECIPROCAL_FACTORIAL));
    }
    let (low, high, doublings) = exp_scaled(fixed(x))?;
    let (low, high, exponent) = if doublings >= 0 {
        // In units of the mantissa's last place, 1 is 2^(127 − doublings), or less than one of them.
        let (one_below, one_above) = match 127 - doublings {
            place @ 0.. => (1 << place, 1 << place),
            _ => (0, 1),
        };
        (low - one_above, high - one_below, doublings - 127)
    } else {
        let one = 1u128 << 127;
        let down = (-doublings).min(128) as u32;
        let (low, high) = (low.checked_shr(down).unwrap_or(0), high.checked_shr(down).unwrap_or(0));
        (one - high - 1, one - low, -127)
    };
    Some(Enclosure {
        negative: x.negative,
        low: Real::exact(false, low, exponent),
        high: Real::exact(false, high, exponent),
    })
}

/// −ln(fraction / 2^128) of a nonzero fraction, times 2^FRACTION: a lower and an upper bound.
pub(crate) fn neg_ln_128(fraction: u128) -> (u128, u128) {
    let halvings = fraction.leading_zeros();
    let (low, high) = neg_ln_half_to_one(fraction << halvings);
    let (ln2_low, ln2_high) = times_ln_2(halvings.into());
    (ln2_low + (low >> 11), ln2_high + (high >> 11) + 1)
}

/// −ln(fraction / 2^64) of a nonzero fraction, times 2^FRACTION: a lower bound that is less than [`SLACK_64`] too small.
/// Cheaper than [`neg_ln_128`].
#[inline(always)]
pub(crate) fn neg_ln_64(fraction: u64) -> u128 {
    let halvings = fraction.leading_zeros();
    let v = fraction << halvings;
    let index = (v >> 54 & 0x1ff) as usize;
    // v/2^64 times the reciprocal is 1 − r, with r known exactly and below 2^−8.8.
    let r = (1u128 << 75) - u128::from(v) * u128::from(table_64::RECIPROCALS[index]);
    let y = (r >> 3) as u64; // 2^8 r
    let square = mul_high_64(y, y); // 2^16 r²
    // 1/n + r/(n + 1), three of them side by side, and 1/2 + r/3 + … + r^5/7 of them.
    let pair = |n: usize| RECIPROCAL_64[n] + (mul_high_64(y, RECIPROCAL_64[n + 1]) >> 8);
    let tail = pair(4) + (mul_high_64(square, pair(6)) >> 16);
    let tail = pair(2) + (mul_high_64(square, tail) >> 16);
    let quadratic = mul_high_64(square, tail);
    let series = (r << 41) + (u128::from(quadratic) << 36);
    let table = table_64::LN_RECIPROCALS[index] + table_64::MULTIPLES_OF_LN_2[halvings as usize];
    table + series
}

/// How much [`neg_ln_64`] may be too small.
pub(crate) const SLACK_64: u128 = 1 << 43;

/// e^−x · 2^127 from bounds of x · 2^FRACTION, 0 ≤ x < 1023: a lower and an upper bound, if x is far
/// enough from the multiples of ln 2.
pub(crate) fn exp_neg_128(x_low: u128, x_high: u128) -> Option<(u128, u128)> {
    let (low, high, doublings) = exp_scaled((-(x_high as i128), -(x_low as i128)))?;
    let down = doublings.unsigned_abs().min(128) as u32;
    Some((low.checked_shr(down).unwrap_or(0), high.checked_shr(down).unwrap_or(0) + 1))
}

/// Below 2^SMALL in magnitude a short series around 0 keeps the relative error small.
const SMALL: i64 = -20;
/// Terms of the series of −ln(1 − r) for 0 ≤ r < 2^−6.8.
const TERMS: usize = 20;
const TERMS_64: usize = 7;
/// Terms of the series of e^s for 0 ≤ s < 2^−6.
const EXP_TERMS: usize = 15;
/// Terms of the series around 0.
const SMALL_TERMS: usize = 7;

/// ⌊2^127 / n⌋; the entry 0 is not used.
const RECIPROCAL: [u128; TERMS + 1] = {
    let mut table = [0; TERMS + 1];
    let mut n = 1;
    while n <= TERMS {
        table[n] = (1 << 127) / n as u128;
        n += 1;
    }
    table
};

/// ⌊2^64 / n⌋; the entries 0 and 1 are not used.
const RECIPROCAL_64: [u64; TERMS_64 + 1] = {
    let mut table = [0; TERMS_64 + 1];
    let mut n = 2;
    while n <= TERMS_64 {
        table[n] = ((1u128 << 64) / n as u128) as u64;
        n += 1;
    }
    table
};

/// ⌊2^127 / n!⌋.
const RECIPROCAL_FACTORIAL: [u128; EXP_TERMS + 1] = {
    let mut table = [1 << 127; EXP_TERMS + 1];
    let mut n = 1;
    while n <= EXP_TERMS {
        table[n] = table[n - 1] / n as u128;
        n += 1;
    }
    table
};

#[inline]
fn mul_high_64(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

/// ln(v / 2^128 · 2^doublings) for v ≥ 2^127, times 2^FRACTION: bounds.
fn ln_scaled(v: u128, doublings: i64) -> (i128, i128) {
    let (low, high) = neg_ln_half_to_one(v);
    let (ln2_low, ln2_high) = times_ln_2(doublings.unsigned_abs());
    let (low, high) = ((low >> 11) as i128, (high >> 11) as i128 + 1);
    if doublings >= 0 {
        (ln2_low as i128 - high, ln2_high as i128 - low)
    } else {
        (-(ln2_high as i128) - high, -(ln2_low as i128) - low)
    }
}

/// −ln(v / 2^128) for v ≥ 2^127, times 2^127: bounds that are 4 apart.
fn neg_ln_half_to_one(v: u128) -> (u128, u128) {
    let index = (v >> 120 & 0x7f) as usize;
    let reciprocal = u128::from(RECIPROCALS[index]);
    // 2^137 − v · reciprocal without its last three bits: 2^134 r, rounded down, where r is below 2^−6.8
    // and v/2^128 times the reciprocal is 1 − r.
    let (high, low) = mul_u128(v, reciprocal);
    let (low, borrow) = 0u128.overflowing_sub(low);
    let high = (1 << 9) - high - u128::from(borrow);
    let y = high << 125 | low >> 3;
    let mut series = RECIPROCAL[TERMS];
    for n in (1..TERMS).rev() {
        series = RECIPROCAL[n] + (mul_high(y, series) >> 6);
    }
    let bound = LN_RECIPROCALS[index] + (mul_high(y, series) >> 6);
    (bound, bound + 4)
}

/// n ln 2 for n < 2^12, times 2^FRACTION: bounds that are 2 apart.
#[inline]
fn times_ln_2(n: u64) -> (u128, u128) {
    debug_assert!(n < 1 << 12);
    let (high, low) = (LN_2 >> 64, LN_2 & u128::from(u64::MAX));
    let bound = ((u128::from(n) * high) << 52) + ((u128::from(n) * low) >> 12);
    (bound, if n == 0 { 0 } else { bound + 2 })
}

/// e^x = m · 2^(doublings − 127) with m in [2^127, 2^128): bounds of m, from bounds of x times 2^FRACTION
/// below 2^10 in magnitude. None if x is too near a multiple of ln 2 to tell the doublings.
fn exp_scaled((x_low, x_high): (i128, i128)) -> Option<(u128, u128, i64)> {
    // 2^32 / ln 2, rounded.
    let mut doublings = (((x_low >> (FRACTION - 32)) * 6_196_328_019) >> 64) as i64;
    // The estimate is off by one at most; a third try means that x is on the edge.
    for _ in 0..3 {
        let (ln2_low, ln2_high) = times_ln_2(doublings.unsigned_abs());
        let (low, high) = if doublings >= 0 {
            (x_low - ln2_high as i128, x_high - ln2_low as i128)
        } else {
            (x_low + ln2_low as i128, x_high + ln2_high as i128)
        };
        if high < 0 {
            doublings -= 1;
        } else if low >= (LN_2 >> 12) as i128 {
            doublings += 1;
        } else if low < 0 || high >= (LN_2 >> 12) as i128 {
            return None;
        } else {
            let (low, high) = exp_zero_to_ln_2((low as u128) << 12, (high as u128) << 12)?;
            return Some((low, high, doublings));
        }
    }
    None
}

/// e^t for 0 ≤ t < ln 2, t from low/2^128 to high/2^128, times 2^127: bounds.
fn exp_zero_to_ln_2(low: u128, high: u128) -> Option<(u128, u128)> {
    let step = (low >> 122) as usize;
    let s = low << 6 >> 6;
    let mut series = RECIPROCAL_FACTORIAL[EXP_TERMS];
    for n in (0..EXP_TERMS).rev() {
        series = RECIPROCAL_FACTORIAL[n] + mul_high(s, series);
    }
    // Two factors with 127 fraction bits each; the product is below 2, as e^t is.
    let (top, bottom) = mul_u128(EXP_64THS[step], series);
    let bound = top << 1 | bottom >> 127;
    // e^t grows by less than 2 for each unit of t, and a unit of t is half a unit here.
    Some((bound, bound.checked_add(8 + (high - low))?))
}

/// x times 2^FRACTION for 2^−60 ≤ |x| < 1024, twice: a float's last place is not below 2^−112, so it is exact.
fn fixed(x: Real) -> (i128, i128) {
    let magnitude = (x.mantissa << (x.exponent + i64::from(FRACTION))) as i128;
    let exact = if x.negative { -magnitude } else { magnitude };
    (exact, exact)
}

/// x · (c₀ ± c₁|x| + c₂x² ± …) for 2^−60 ≤ |x| < 2^−20, where c is `coefficients` from its entry 1 on,
/// and the odd terms are subtracted if `alternating`.
fn small_series(x: Real, alternating: bool, coefficients: &[u128]) -> Enclosure {
    let fraction = x.mantissa << (x.exponent + 128);
    let mut factor = coefficients[SMALL_TERMS + 1];
    for n in (1..=SMALL_TERMS).rev() {
        let next = mul_high(fraction, factor);
        factor = if alternating { coefficients[n] - next } else { coefficients[n] + next };
    }
    let up = x.mantissa.leading_zeros() - 64;
    let mantissa = x.mantissa << up;
    let scaled = |factor| {
        let (high, low) = mul_u128(mantissa, factor);
        high << 64 | low >> 64
    };
    let exponent = x.exponent - i64::from(up) + 64 - 127;
    Enclosure {
        negative: x.negative,
        low: Real::exact(false, scaled(factor - 4), exponent),
        high: Real::exact(false, scaled(factor + 4) + 1, exponent),
    }
}

/// An enclosure from fixed-point bounds, unless they have different signs.
fn from_fixed((low, high): (i128, i128)) -> Option<Enclosure> {
    let negative = high <= 0;
    let (low, high) = if negative { (-high, -low) } else { (low, high) };
    if low <= 0 {
        return None;
    }
    let exponent = -i64::from(FRACTION);
    Some(Enclosure {
        negative,
        low: Real::exact(false, low as u128, exponent),
        high: Real::exact(false, high as u128, exponent),
    })
}

#[cfg(test)]
mod tests;
