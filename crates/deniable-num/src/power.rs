//! Integer powers, by repeated squaring of an enclosure.
//!
//! The enclosure's relative width after all squarings is below 2^−90, which is why a power in doubt is
//! one unit off at most, and why the result is monotone: neighbouring bases have powers that are further
//! apart than that.

use crate::directed::{Extended, extended, undefined};
use crate::enclosure::Enclosure;
use crate::error::Result;
use crate::float::Float;
use crate::round::{Direction, Real};
use crate::wide::mul_u128;

pub(crate) fn powi<F: Float>(
    operation: &'static str,
    x: F,
    n: i32,
    direction: Direction,
) -> Result<F> {
    let x = extended(operation, x)?;
    let odd = n % 2 != 0;
    if n == 0 {
        return Ok(Real::exact(false, 1, 0).round(direction));
    }
    let x = match x {
        Extended::Infinite { negative } if n > 0 => return Ok(F::infinity(negative && odd)),
        Extended::Infinite { .. } => return Ok(Real::ZERO.round(direction)),
        Extended::Finite(x) if x.mantissa == 0 && n < 0 => return undefined(operation),
        Extended::Finite(x) if x.mantissa == 0 => return Ok(Real::ZERO.round(direction)),
        Extended::Finite(x) => x,
    };
    let mut power = Power::one();
    let base = Power::new(x);
    for bit in (0..32 - n.unsigned_abs().leading_zeros()).rev() {
        power = power.times(power);
        if n.unsigned_abs() >> bit & 1 == 1 {
            power = power.times(base);
        }
    }
    if n < 0 {
        power = power.inverse();
    }
    Ok(power.round(x.negative && odd, direction))
}

/// A positive number from mantissa · 2^exponent to (mantissa + error) · 2^exponent, its leading bit at
/// bit 127. An error of 0 means the number is known exactly.
#[derive(Clone, Copy)]
struct Power {
    mantissa: u128,
    error: u64,
    exponent: i64,
}

impl Power {
    fn one() -> Self {
        Power { mantissa: 1 << 127, error: 0, exponent: -127 }
    }

    fn new(x: Real) -> Self {
        let shift = x.mantissa.leading_zeros();
        let exponent = x.exponent - i64::from(shift);
        Power { mantissa: x.mantissa << shift, error: 0, exponent }
    }

    fn times(self, other: Self) -> Self {
        let (mut high, mut low) = mul_u128(self.mantissa, other.mantissa);
        // (a + e)(b + f) − ab = af + be + ef, in units of 2^128; e and f stay below 2^40, so the last
        // term is far below one unit, and each of the others is rounded up.
        let mut error = scaled(self.mantissa, other.error) + scaled(other.mantissa, self.error);
        let mut exponent = self.exponent + other.exponent + 128;
        if high >> 127 == 0 {
            high = high << 1 | low >> 127;
            low <<= 1;
            error *= 2;
            exponent -= 1;
        }
        if low != 0 || error != 0 {
            error += 2;
        }
        Power { mantissa: high, error, exponent }
    }

    fn inverse(self) -> Self {
        if self.mantissa == 1 << 127 && self.error == 0 {
            return Power { exponent: -self.exponent - 254, ..self };
        }
        // 2^255 / mantissa is in (2^127, 2^128]; the mantissa's error changes it by at most 2·error + 1.
        // The smaller end divides by the larger mantissa: shift the enclosure down by that much.
        let quotient = inverse_u128(self.mantissa);
        let error = 2 * self.error + 1;
        Power {
            mantissa: quotient - u128::from(error),
            error: error + 1,
            exponent: -self.exponent - 255,
        }
    }

    fn round<F: Float>(self, negative: bool, direction: Direction) -> F {
        if self.error == 0 {
            return Real::exact(negative, self.mantissa, self.exponent).round(direction);
        }
        // One bit of room, so that the upper end cannot overflow.
        let (half, exponent) = (self.mantissa >> 1, self.exponent + 1);
        let low = Real::exact(false, half, exponent);
        let high = Real::exact(false, half + u128::from(self.error / 2) + 2, exponent);
        Enclosure { negative, low, high }.round(direction).0
    }
}

/// mantissa · error / 2^128, rounded up.
fn scaled(mantissa: u128, error: u64) -> u64 {
    if error == 0 {
        return 0;
    }
    let top = (mantissa >> 64) + 1;
    ((top * u128::from(error)) >> 64) as u64 + 1
}

/// ⌊2^255 / divisor⌋ for a divisor above 2^127, bit by bit. For 2^127 itself it is one less: the true quotient,
/// 2^128, is then the upper end that `inverse` adds.
fn inverse_u128(divisor: u128) -> u128 {
    let mut quotient = 0u128;
    let mut rest = 1u128 << 127;
    for _ in 0..128 {
        let carry = rest >> 127 == 1;
        rest <<= 1;
        quotient <<= 1;
        if carry || rest >= divisor {
            rest = rest.wrapping_sub(divisor);
            quotient |= 1;
        }
    }
    quotient
}
