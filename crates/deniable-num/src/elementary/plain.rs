//! The plain form: textbook series over big integers, each step rounded outwards.
//!
//! A number is an [`Interval`] of two integers over a common power of two. Slow, and right by inspection:
//! it decides what the fast kernels leave open, and is what they are compared with.

use core::ops::{Add, Shr};

use num_bigint::{BigInt, BigUint, Sign};

use crate::enclosure::Enclosure;
use crate::round::Real;

/// A real number from low/2^bits to high/2^bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    low: BigInt,
    high: BigInt,
    bits: u64,
}

impl Interval {
    /// From low/2^bits to high/2^bits. None if they are the wrong way round.
    pub fn between(low: BigInt, high: BigInt, bits: u64) -> Option<Self> {
        (low <= high).then_some(Interval { low, high, bits })
    }

    /// The lower bound's numerator.
    pub fn low(&self) -> &BigInt {
        &self.low
    }

    /// The upper bound's numerator.
    pub fn high(&self) -> &BigInt {
        &self.high
    }

    /// The power of two of the denominator.
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// numerator / denominator. None if the denominator is zero.
    pub fn ratio(numerator: &BigInt, denominator: &BigUint, bits: u64) -> Option<Self> {
        if *denominator == BigUint::ZERO {
            return None;
        }
        let low = floor_div(&(numerator << bits), denominator);
        let exact = &low * BigInt::from(denominator.clone()) == numerator << bits;
        let high = &low + i32::from(!exact);
        Some(Interval { low, high, bits })
    }

    /// ln 2 = 2 artanh(1/3).
    pub fn ln_2(bits: u64) -> Self {
        let third = Self::ratio(&1.into(), &3u32.into(), bits).expect("3 is not zero");
        artanh(&third).doubled()
    }

    /// ln(numerator / 2^scale). None if the numerator is zero.
    ///
    /// The number is v·2^k with 1 ≤ v < 2; ln v = 2 artanh((v − 1)/(v + 1)), whose argument is below 1/3.
    pub fn ln(numerator: &BigUint, scale: i64, bits: u64) -> Option<Self> {
        let top = numerator.bits().checked_sub(1)?;
        let one = BigUint::from(1u32) << top;
        let z = Self::ratio(&BigInt::from(numerator - &one), &(numerator + &one), bits)?;
        let multiple = Self::ln_2(bits).times(&(BigInt::from(top) - scale));
        let series = artanh(&z).doubled();
        Some(Interval { low: multiple.low + series.low, high: multiple.high + series.high, bits })
    }

    /// ln(numerator / denominator). None if either is zero.
    ///
    /// The ratio is v·2^k with 1/2 < v < 2, and k is 0 wherever that will do: then nothing cancels, and the
    /// bounds of a small logarithm are no further apart than its own size and `bits` demand. With v = a/b,
    /// ln v = 2 artanh((a − b)/(a + b)), whose argument is below 1/3 in magnitude.
    pub fn ln_ratio(numerator: &BigUint, denominator: &BigUint, bits: u64) -> Option<Self> {
        if *numerator == BigUint::ZERO || *denominator == BigUint::ZERO {
            return None;
        }
        let within_an_octave = *numerator < denominator * 2u32 && *denominator < numerator * 2u32;
        let k =
            if within_an_octave { 0 } else { numerator.bits() as i64 - denominator.bits() as i64 };
        let a = BigInt::from(numerator << (-k).max(0));
        let b = BigInt::from(denominator << k.max(0));
        let z = Self::ratio(&(&a - &b).magnitude().clone().into(), (&a + &b).magnitude(), bits)?;
        let series = artanh(&z).times(&(if a < b { -2 } else { 2 }).into());
        if k == 0 {
            return Some(series);
        }
        let multiple = Self::ln_2(bits).times(&k.into());
        Some(Interval { low: multiple.low + series.low, high: multiple.high + series.high, bits })
    }

    /// e^x as an interval m and an exponent n: e^x = m·2^n with m around 1. None if x is not below 2^60 in
    /// magnitude.
    ///
    /// With x = n ln 2 + t, e^t is the Taylor series. The precision is raised by the length of n and then some, so
    /// that t is in [0, 1.4) whatever `bits` is.
    pub fn exp(&self) -> Option<(Self, i64)> {
        let length = self.low.bits().max(self.high.bits()).saturating_sub(self.bits);
        if length > 60 {
            return None;
        }
        let more = length + 64;
        let (low, high, bits) = (&self.low << more, &self.high << more, self.bits + more);
        let ln_2 = Self::ln_2(bits);
        let mut doublings = floor_div(&low, ln_2.high.magnitude());
        let t = loop {
            let multiple = ln_2.times(&doublings);
            let t = Interval { low: &low - &multiple.high, high: &high - &multiple.low, bits };
            if t.low.sign() != Sign::Minus {
                break t;
            }
            doublings -= 1;
        };
        let power = taylor_exp(&t);
        let rounded =
            Interval { low: power.low >> more, high: above(power.high, more), bits: self.bits };
        Some((rounded, i64::try_from(&doublings).ok()?))
    }

    /// The enclosure of a multiple of a number that is no float. None if the interval reaches zero, as one that is
    /// too wide for its number may.
    pub(crate) fn multiple(&self, factor: u64) -> Option<Enclosure> {
        let product = self.times(&factor.into());
        let (low, high) = (product.low.sign(), product.high.sign());
        (low == high && low != Sign::NoSign).then(|| product.enclosure(0))
    }

    fn times(&self, n: &BigInt) -> Self {
        let (a, b) = (&self.low * n, &self.high * n);
        let (low, high) = if n.sign() == Sign::Minus { (b, a) } else { (a, b) };
        Interval { low, high, bits: self.bits }
    }

    fn doubled(self) -> Self {
        Interval { low: self.low * 2, high: self.high * 2, bits: self.bits }
    }

    /// The enclosure of this number times 2^exponent. The interval must not reach zero: the callers' numbers are at
    /// least 2^−61 in magnitude, and their intervals far narrower.
    fn enclosure(&self, exponent: i64) -> Enclosure {
        let negative = self.high.sign() == Sign::Minus;
        let (low, high) = if negative { (&self.high, &self.low) } else { (&self.low, &self.high) };
        debug_assert!(low.sign() != Sign::NoSign && low.sign() == high.sign());
        let exponent = exponent - self.bits as i64;
        Enclosure {
            negative,
            low: Real::from_big(low.magnitude(), exponent),
            high: Real::from_big(high.magnitude(), exponent),
        }
    }
}

/// ln of a positive number other than 1.
pub(super) fn ln(x: Real, bits: u64) -> Enclosure {
    let ln = Interval::ln(&x.mantissa.into(), -x.exponent, bits);
    ln.expect("x is positive").enclosure(0)
}

/// ln(1 + x) for |x| ≥ 2^−60, x > −1.
pub(super) fn ln_1p(x: Real, bits: u64) -> Enclosure {
    let (numerator, scale) = numerator(x);
    let sum = numerator + (BigInt::from(1) << scale);
    let ln = Interval::ln(sum.magnitude(), scale as i64, bits);
    ln.expect("1 + x is positive").enclosure(0)
}

/// e^x for |x| < 1024.
pub(super) fn exp(x: Real, bits: u64) -> Enclosure {
    let (m, n) = exp_of_float(x, bits);
    m.enclosure(n)
}

/// e^x − 1 for 2^−60 ≤ |x| < 1024.
pub(super) fn exp_m1(x: Real, bits: u64) -> Enclosure {
    // Room for 2^n to be subtracted from, or to subtract, without losing either.
    let bits = bits + 2048;
    let (m, n) = exp_of_float(x, bits);
    let down = n.unsigned_abs();
    let (low, high) =
        if n >= 0 { (m.low << down, m.high << down) } else { (m.low >> down, above(m.high, down)) };
    let one = BigInt::from(1) << bits;
    Interval { low: low - &one, high: high - one, bits }.enclosure(0)
}

fn exp_of_float(x: Real, bits: u64) -> (Interval, i64) {
    let (numerator, scale) = numerator(x);
    Interval::ratio(&numerator, &(BigUint::from(1u32) << scale), bits)
        .and_then(|x| x.exp())
        .expect("a float below 1024")
}

/// x as an integer over a power of two.
fn numerator(x: Real) -> (BigInt, u64) {
    let sign = if x.negative { Sign::Minus } else { Sign::Plus };
    let mantissa = BigInt::from_biguint(sign, x.mantissa.into());
    if x.exponent >= 0 {
        (mantissa << x.exponent, 0)
    } else {
        (mantissa, x.exponent.unsigned_abs())
    }
}

/// artanh z = z + z³/3 + z⁵/5 + … for 0 ≤ z ≤ 1/3.
fn artanh(z: &Interval) -> Interval {
    let bits = z.bits;
    let (z_low, z_high) = (z.low.magnitude(), z.high.magnitude());
    let (square_low, square_high) = ((z_low * z_low) >> bits, above(z_high * z_high, bits));
    let (mut power_low, mut power_high) = (z_low.clone(), z_high.clone());
    let (mut low, mut high) = (BigUint::ZERO, BigUint::ZERO);
    let mut odd = 1u32;
    while power_high > BigUint::from(2u32) {
        low += &power_low / odd;
        high += &power_high / odd + 1u32;
        power_low = (power_low * &square_low) >> bits;
        power_high = above(power_high * &square_high, bits);
        odd += 2;
    }
    // What remains is below power · (1 + 1/9 + 1/81 + …) < 3 units.
    Interval { low: low.into(), high: (high + 3u32).into(), bits }
}

/// e^t = 1 + t + t²/2 + … for 0 ≤ t < 1.4.
fn taylor_exp(t: &Interval) -> Interval {
    let bits = t.bits;
    let one = BigUint::from(1u32) << bits;
    let (mut term_low, mut term_high) = (one.clone(), one);
    let (mut low, mut high) = (BigUint::ZERO, BigUint::ZERO);
    let mut n = 1u32;
    while n < 4 || term_high > BigUint::from(2u32) {
        low += &term_low;
        high += &term_high;
        term_low = ((term_low * t.low.magnitude()) >> bits) / n;
        term_high = ((term_high * t.high.magnitude()) >> bits) / n + 1u32;
        n += 1;
    }
    // From here on each term is less than half the one before: together less than 4 units.
    Interval { low: low.into(), high: (high + 4u32).into(), bits }
}

/// An integer above n / 2^bits, by 1 at most.
fn above<N: Shr<u64, Output = N> + Add<u32, Output = N>>(n: N, bits: u64) -> N {
    (n >> bits) + 1
}

/// ⌊a / b⌋. The integer division of the library truncates towards zero.
fn floor_div(a: &BigInt, b: &BigUint) -> BigInt {
    let quotient = a.magnitude() / b;
    if a.sign() != Sign::Minus {
        return quotient.into();
    }
    let exact = &quotient * b == *a.magnitude();
    -BigInt::from(quotient) - i32::from(!exact)
}

#[cfg(test)]
mod tests;
