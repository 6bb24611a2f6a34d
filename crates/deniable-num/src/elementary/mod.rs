//! Logarithm and exponential, rounded in a known direction.
//!
//! Each function first answers its exact cases. Elsewhere its value is transcendental (Lindemann), so it
//! is no float, and an enclosure that is narrow enough decides its rounding. A 128-bit kernel gives one
//! that nearly always is ([`fast`]); the plain series in big integers ([`plain`]) decides the rest.

use crate::Float;
use crate::directed::{Extended, extended, undefined};
use crate::enclosure::Enclosure;
use crate::error::Result;
use crate::round::{Direction, Real};

pub(crate) mod fast;
pub(crate) mod plain;
mod table;
mod table_64;
pub(crate) mod word;

pub(crate) fn ln<F: Float>(operation: &'static str, x: F, direction: Direction) -> Result<F> {
    match extended(operation, x)? {
        Extended::Infinite { negative: false } => Ok(F::infinity(false)),
        Extended::Infinite { negative: true } => undefined(operation),
        Extended::Finite(x) if x.mantissa == 0 => Ok(F::infinity(true)),
        Extended::Finite(x) if x.negative => undefined(operation),
        Extended::Finite(x) if is_one(x) => Ok(Real::ZERO.round(direction)),
        Extended::Finite(x) => Ok(settle(direction, fast::ln(x), |bits| plain::ln(x, bits))),
    }
}

pub(crate) fn ln_1p<F: Float>(operation: &'static str, x: F, direction: Direction) -> Result<F> {
    match extended(operation, x)? {
        Extended::Infinite { negative: false } => Ok(F::infinity(false)),
        Extended::Infinite { negative: true } => undefined(operation),
        Extended::Finite(x) if x.mantissa == 0 => Ok(Real::ZERO.round(direction)),
        Extended::Finite(x) if x.negative && is_one(x) => Ok(F::infinity(true)),
        Extended::Finite(x) if x.negative && magnitude_exponent(x) >= 0 => undefined(operation),
        Extended::Finite(x) if magnitude_exponent(x) < TINY => {
            // ln(1 + x) is below x, by less than x².
            Ok(beside(x, !x.negative).round(direction).0)
        }
        Extended::Finite(x) => Ok(settle(direction, fast::ln_1p(x), |bits| plain::ln_1p(x, bits))),
    }
}

pub(crate) fn exp<F: Float>(operation: &'static str, x: F, direction: Direction) -> Result<F> {
    match extended(operation, x)? {
        Extended::Infinite { negative: false } => Ok(F::infinity(false)),
        Extended::Infinite { negative: true } => Ok(Real::ZERO.round(direction)),
        Extended::Finite(x) if x.mantissa == 0 => Ok(Real::exact(false, 1, 0).round(direction)),
        Extended::Finite(x) if magnitude_exponent(x) < TINY => {
            let one = Real::exact(false, 1, 0);
            Ok(beside(one, x.negative).round(direction).0)
        }
        Extended::Finite(x) => {
            let x = clamped(x);
            Ok(settle(direction, fast::exp(x), |bits| plain::exp(x, bits)))
        }
    }
}

pub(crate) fn exp_m1<F: Float>(operation: &'static str, x: F, direction: Direction) -> Result<F> {
    match extended(operation, x)? {
        Extended::Infinite { negative: false } => Ok(F::infinity(false)),
        Extended::Infinite { negative: true } => Ok(Real::exact(true, 1, 0).round(direction)),
        Extended::Finite(x) if x.mantissa == 0 => Ok(Real::ZERO.round(direction)),
        Extended::Finite(x) if magnitude_exponent(x) < TINY => {
            // exp(x) − 1 is above x, by less than x².
            Ok(beside(x, x.negative).round(direction).0)
        }
        Extended::Finite(x) => {
            let x = clamped(x);
            Ok(settle(direction, fast::exp_m1(x), |bits| plain::exp_m1(x, bits)))
        }
    }
}

/// Below 2^TINY in magnitude, x² is less than 2^−58·|x|: far less than half a unit in x's last place.
const TINY: i64 = -60;

/// The precision at which an undecided rounding is given up and the safe side returned. No argument of
/// a 64-bit float comes near it.
const MOST_BITS: u64 = 4096;

/// Rounds by the first enclosure that decides.
fn settle<F: Float>(
    direction: Direction,
    fast: Option<Enclosure>,
    plain: impl Fn(u64) -> Enclosure,
) -> F {
    if let Some((rounded, true)) = fast.map(|enclosure| enclosure.round(direction)) {
        return rounded;
    }
    let mut bits = 256;
    loop {
        let (rounded, decided) = plain(bits).round(direction);
        if decided || bits >= MOST_BITS {
            return rounded;
        }
        bits *= 2;
    }
}

/// A number whose magnitude is next to x's: smaller or larger by less than 2^−58 of it.
fn beside(x: Real, smaller: bool) -> Enclosure {
    let shift = x.mantissa.leading_zeros() - 1;
    let at = Real {
        negative: false,
        mantissa: x.mantissa << shift,
        exponent: x.exponent - i64::from(shift),
        sticky: false,
    };
    let margin = 1 << (126 - 58);
    let (low, high) = if smaller {
        (Real { mantissa: at.mantissa - margin, ..at }, at)
    } else {
        (at, Real { mantissa: at.mantissa + margin, ..at })
    };
    Enclosure { negative: x.negative, low, high }
}

/// The exponential is beyond either end of every format long before |x| = 1024.
fn clamped(x: Real) -> Real {
    if magnitude_exponent(x) >= 10 { Real::exact(x.negative, 1023, 0) } else { x }
}

fn is_one(x: Real) -> bool {
    magnitude_exponent(x) == 0 && x.mantissa.is_power_of_two()
}

/// ⌊log2 |x|⌋ of a nonzero number.
fn magnitude_exponent(x: Real) -> i64 {
    x.exponent + 127 - i64::from(x.mantissa.leading_zeros())
}

#[cfg(test)]
mod tests;
