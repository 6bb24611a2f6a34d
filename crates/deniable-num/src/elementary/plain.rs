//! The plain form: textbook series over big integers, each step rounded outwards.
//!
//! A number is an [`Interval`] of two integers over a common power of two. Slow, and right by inspection:
//! it decides what the fast kernels leave open, and is what they are compared with.

use num_bigint::{BigInt, BigUint, Sign};

use crate::enclosure::Enclosure;
use crate::round::Real;

/// A real number from low/2^bits to high/2^bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The lower bound's numerator.
    pub low: BigInt,
    /// The upper bound's numerator.
    pub high: BigInt,
    /// The power of two of the denominator.
    pub bits: u64,
}

impl Interval {
    /// numerator / denominator.
    ///
    /// # Panics
    ///
    /// If the denominator is zero.
    pub fn ratio(numerator: &BigInt, denominator: &BigUint, bits: u64) -> Self {
        let low = floor_div(&(numerator << bits), denominator);
        let exact = &low * BigInt::from(denominator.clone()) == numerator << bits;
        let high = &low + i32::from(!exact);
        Interval { low, high, bits }
    }

    /// ln 2 = 2 artanh(1/3).
    pub fn ln_2(bits: u64) -> Self {
        artanh(&Self::ratio(&1.into(), &3u32.into(), bits)).doubled()
    }

    /// ln(numerator / 2^scale) of a positive number.
    ///
    /// The number is v·2^k with 1 ≤ v < 2; ln v = 2 artanh((v − 1)/(v + 1)), whose argument is below 1/3.
    pub fn ln(numerator: &BigUint, scale: i64, bits: u64) -> Self {
        debug_assert!(numerator.bits() > 0);
        let top = numerator.bits() - 1;
        let one = BigUint::from(1u32) << top;
        let z = Self::ratio(&BigInt::from(numerator - &one), &(numerator + &one), bits);
        let doublings = BigInt::from(top as i64 - scale);
        let multiple = Self::ln_2(bits).times(&doublings);
        let series = artanh(&z).doubled();
        Interval { low: multiple.low + series.low, high: multiple.high + series.high, bits }
    }

    /// e^x as an interval m and an exponent n: e^x = m·2^n with m around 1.
    ///
    /// x must be below 2^60 in magnitude. With x = n ln 2 + t, e^t is the Taylor series; t is in [0, 1.4).
    pub fn exp(&self) -> (Self, i64) {
        let bits = self.bits;
        let ln_2 = Self::ln_2(bits);
        let mut doublings = floor_div(&self.low, ln_2.high.magnitude());
        let t = loop {
            let multiple = ln_2.times(&doublings);
            let t = Interval {
                low: &self.low - &multiple.high,
                high: &self.high - &multiple.low,
                bits,
            };
            if t.low.sign() != Sign::Minus {
                break t;
            }
            doublings -= 1;
        };
        let exponent = i64::try_from(&doublings).expect("x is below 2^60");
        (taylor_exp(&t), exponent)
    }

    fn times(&self, n: &BigInt) -> Self {
        let (a, b) = (&self.low * n, &self.high * n);
        let (low, high) = if n.sign() == Sign::Minus { (b, a) } else { (a, b) };
        Interval { low, high, bits: self.bits }
    }

    fn doubled(self) -> Self {
        Interval { low: self.low * 2, high: self.high * 2, bits: self.bits }
    }

    /// The enclosure of this number times 2^exponent. Where the interval reaches zero it is widened to a
    /// single sign first by the callers' choice of precision.
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
    Interval::ln(&x.mantissa.into(), -x.exponent, bits).enclosure(0)
}

/// ln(1 + x) for |x| ≥ 2^−60, x > −1.
pub(super) fn ln_1p(x: Real, bits: u64) -> Enclosure {
    let (numerator, scale) = numerator(x);
    let sum = numerator + (BigInt::from(1) << scale);
    Interval::ln(sum.magnitude(), scale as i64, bits).enclosure(0)
}

/// e^x for |x| < 1024.
pub(super) fn exp(x: Real, bits: u64) -> Enclosure {
    let (numerator, scale) = numerator(x);
    let (m, n) = Interval::ratio(&numerator, &(BigUint::from(1u32) << scale), bits).exp();
    m.enclosure(n)
}

/// e^x − 1 for 2^−60 ≤ |x| < 1024.
pub(super) fn exp_m1(x: Real, bits: u64) -> Enclosure {
    let (numerator, scale) = numerator(x);
    // Room for 2^n to be subtracted from, or to subtract, without losing either.
    let bits = bits + 2048;
    let (m, n) = Interval::ratio(&numerator, &(BigUint::from(1u32) << scale), bits).exp();
    let (low, high) =
        if n >= 0 { (m.low << n, m.high << n) } else { (m.low >> -n, (m.high >> -n) + 1) };
    let one = BigInt::from(1) << bits;
    Interval { low: low - &one, high: high - one, bits }.enclosure(0)
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
    let (square_low, square_high) = ((z_low * z_low) >> bits, ((z_high * z_high) >> bits) + 1u32);
    let (mut power_low, mut power_high) = (z_low.clone(), z_high.clone());
    let (mut low, mut high) = (BigUint::ZERO, BigUint::ZERO);
    let mut odd = 1u32;
    while power_high > BigUint::from(2u32) {
        low += &power_low / odd;
        high += &power_high / odd + 1u32;
        power_low = (power_low * &square_low) >> bits;
        power_high = ((power_high * &square_high) >> bits) + 1u32;
        odd += 2;
    }
    // What remains is below power · (1 + 1/9 + 1/81 + …) < 3 units.
    Interval { low: low.into(), high: (high + 3u32).into(), bits }
}

/// e^t = 1 + t + t²/2 + … for 0 ≤ t < 2.
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

/// ⌊a / b⌋. The integer division of the library truncates towards zero.
fn floor_div(a: &BigInt, b: &BigUint) -> BigInt {
    let quotient = a.magnitude() / b;
    if a.sign() != Sign::Minus {
        return quotient.into();
    }
    let exact = &quotient * b == *a.magnitude();
    -BigInt::from(quotient) - i32::from(!exact)
}
