//! Certified enclosures of logarithms and exponentials, for those who decide by comparison.
//!
//! A sampler that compares a random number with an irrational one needs no rounded value: it needs two
//! bounds and, where they do not decide, narrower ones. The functions on machine words are fast and of
//! fixed precision; [`Interval`] is plain and of any precision.

use crate::elementary::fast;
pub use crate::elementary::plain::Interval;
pub use crate::elementary::word::{NegLn, NegLns};

/// The number of fraction bits of the fixed-point results of [`neg_ln_64`] and [`neg_ln_128`].
pub const FRACTION: u32 = fast::FRACTION;

/// Bounds of −ln(fraction / 2^64) · 2^FRACTION, [`SLACK_64`] apart. None if the fraction is zero.
#[inline]
pub fn neg_ln_64(fraction: u64) -> Option<(u128, u128)> {
    if fraction == 0 {
        return None;
    }
    let low = fast::neg_ln_64(fraction);
    Some((low, low + SLACK_64))
}

/// The distance between the bounds of [`neg_ln_64`], in units of 2^−FRACTION.
pub const SLACK_64: u128 = fast::SLACK_64;

/// Bounds of −ln(fraction / 2^128) · 2^FRACTION, at most 4 apart. None if the fraction is zero.
#[inline]
pub fn neg_ln_128(fraction: u128) -> Option<(u128, u128)> {
    (fraction != 0).then(|| fast::neg_ln_128(fraction))
}

/// Bounds of e^−x · 2^127 from bounds of x · 2^FRACTION. None if x is not below 1023, if its bounds are the wrong
/// way round, or if they have a multiple of ln 2 between or next to them.
#[inline]
pub fn exp_neg_128(x_low: u128, x_high: u128) -> Option<(u128, u128)> {
    (x_low <= x_high && x_high < 1023 << FRACTION).then(|| fast::exp_neg_128(x_low, x_high))?
}
