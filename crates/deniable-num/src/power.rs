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
    Ok(power_of(x, n).round(x.negative && odd, direction))
}

/// |x|^n, for an x that is not 0.
fn power_of(x: Real, n: i32) -> Power {
    let mut power = Power::one();
    let base = Power::new(x);
    for bit in (0..32 - n.unsigned_abs().leading_zeros()).rev() {
        power = power.times(power);
        if n.unsigned_abs() >> bit & 1 == 1 {
            power = power.times(base);
        }
    }
    if n < 0 { power.inverse() } else { power }
}

/// A positive number from mantissa · 2^exponent to (mantissa + error) · 2^exponent, its leading bit at
/// bit 127, or at bit 126 if it is an inverse. An error of 0 means the number is known exactly.
#[derive(Clone, Copy, Debug)]
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
        // 2^255 / mantissa is in (2^127, 2^128]; the mantissa's error makes it smaller by less than 2·error.
        // The smaller end divides by the larger mantissa: shift the enclosure down by that much.
        let quotient = inverse_u128(self.mantissa);
        let error = 2 * self.error;
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
        self.enclosure(negative).round(direction).0
    }

    /// Both ends, with one bit of room, so that the upper one cannot overflow: of two halves that are rounded down, one is lost at most.
    fn enclosure(self, negative: bool) -> Enclosure {
        let (half, exponent) = (self.mantissa >> 1, self.exponent + 1);
        let low = Real::exact(false, half, exponent);
        let high = Real::exact(false, half + u128::from(self.error / 2) + 1, exponent);
        Enclosure { negative, low, high }
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

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use super::*;

    /// Mantissas with their leading bit at bit 127: the ends, powers of two and their neighbours, and some that look random.
    fn mantissas() -> Vec<u128> {
        let edges = [1 << 127, (1 << 127) + 1, u128::MAX, u128::MAX - 1, 3 << 126, (3 << 126) - 1];
        let spread =
            (0..40).map(|i| 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128.rotate_left(3 * i));
        edges.into_iter().chain(spread.map(|x| x | 1 << 127)).collect()
    }

    const ERRORS: [u64; 6] = [0, 1, 2, 3, 1_000_003, (1 << 39) - 1];

    /// Both ends, in units of 2^−1000.
    fn ends(power: Power) -> [BigUint; 2] {
        let end = |mantissa: BigUint| mantissa << (power.exponent + 1000);
        let low = BigUint::from(power.mantissa);
        [end(low.clone()), end(low + power.error)]
    }

    fn quotient_up(dividend: BigUint, divisor: &BigUint) -> BigUint {
        (dividend + divisor - 1u32) / divisor
    }

    /// Whether one encloses both ends of the truth, which are in units of 2^−1000, and is wider by at most so many of its own units.
    fn encloses(power: Power, truth: &[BigUint; 2], spare: u64) -> bool {
        let [low, high] = ends(power);
        let wider = &high - &low + &truth[0];
        low <= truth[0] && truth[1] <= high && {
            let unit = BigUint::from(1u32) << (power.exponent + 1000);
            wider <= &truth[1] + unit * spare
        }
    }

    #[test]
    fn products_are_enclosed() {
        for a in mantissas() {
            for b in mantissas() {
                for (e, f) in ERRORS.into_iter().flat_map(|e| ERRORS.map(|f| (e, f))) {
                    let a = Power { mantissa: a, error: e, exponent: -127 };
                    let b = Power { mantissa: b, error: f, exponent: -100 };
                    let product = a.times(b);
                    let ([a, above_a], [b, above_b]) = (ends(a), ends(b));
                    let one = BigUint::from(1u32) << 1000u32;
                    let truth = [a * b / &one, quotient_up(above_a * above_b, &one)];
                    assert_eq!(product.mantissa >> 127, 1);
                    // Two terms are rounded up by two units at most, and may be doubled; two units more are for what is below them.
                    assert!(encloses(product, &truth, 11), "{product:?}");
                }
            }
        }
    }

    /// It is told from others that it is known exactly, also where the last bit of the lower half of a product is its only one.
    #[test]
    fn exact_products_are_told() {
        let exact = |mantissa| Power { mantissa, error: 0, exponent: 0 };
        for (a, b, is_exact) in [
            (1 << 127, 1 << 127, true),
            (1 << 127, u128::MAX, true),
            ((1 << 127) + 1, 1 << 127, true),
            (3 << 126, (1 << 127) + 1, false),
            ((1 << 127) + 1, (1 << 127) + 1, false),
            (u128::MAX, u128::MAX, false),
        ] {
            let product = exact(a).times(exact(b));
            assert_eq!(product.error == 0, is_exact, "{a:x} {b:x}");
        }
        // Of 65 bits each: 130 at most, which end in a one.
        let long = (1 << 127) + (1 << 63);
        assert_eq!(exact(long).times(exact(long)).error, 2);
        let shorter = (1 << 127) + (1 << 64);
        assert_eq!(exact(shorter).times(exact(shorter)).error, 0);
    }

    #[test]
    fn inverses_are_enclosed() {
        for mantissa in mantissas() {
            for error in ERRORS {
                let power = Power { mantissa, error, exponent: -127 };
                let one = BigUint::from(1u32) << 2000u32;
                let [low, high] = ends(power);
                let truth = [&one / high, quotient_up(one, &low)];
                assert!(encloses(power.inverse(), &truth, 2 * error + 3), "{power:?}");
            }
        }
        for exponent in [-300, -127, 0, 40] {
            let two = Power { mantissa: 1 << 127, error: 0, exponent }.inverse();
            assert_eq!((two.error, two.mantissa, two.exponent), (0, 1 << 127, -exponent - 254));
        }
    }

    #[test]
    fn halves_enclose_the_whole() {
        for mantissa in mantissas() {
            for error in ERRORS {
                let enclosure = Power { mantissa, error, exponent: 7 }.enclosure(true);
                assert_eq!((enclosure.low.exponent(), enclosure.high.exponent()), (8, 8));
                assert_eq!(enclosure.low.mantissa(), mantissa / 2);
                let high = BigUint::from(enclosure.high.mantissa()) * 2u32;
                let truth = BigUint::from(mantissa) + error;
                assert!(truth <= high && high <= truth + 2u32, "{mantissa:x} {error}");
            }
        }
    }

    #[test]
    fn errors_are_scaled_up() {
        for error in ERRORS.into_iter().chain([5, 7, (1 << 39) - 3]) {
            // Where the upper half alone gives hardly less than an integer, which the lower half goes beyond.
            let mut inverse = 1u64;
            (0..6).for_each(|_| {
                inverse = inverse.wrapping_mul(2u64.wrapping_sub(error.wrapping_mul(inverse)));
            });
            let hard = u128::from(inverse.wrapping_neg()) << 64 | u128::from(u64::MAX);
            for mantissa in mantissas().into_iter().chain([hard]) {
                let exact = BigUint::from(mantissa) * error;
                let up = (exact + u128::MAX) >> 128u32;
                let scaled = BigUint::from(scaled(mantissa, error));
                assert!(up <= scaled && scaled <= up + 1u32, "{mantissa:x} {error}");
            }
        }
        assert_eq!(scaled(u128::MAX, 0), 0);
    }

    /// The largest exponents: the relative error after all steps is as small as is said above.
    #[test]
    fn errors_stay_small() {
        for n in [i32::MAX, i32::MIN, (1 << 30) - 1] {
            for x in [1.0 + f64::EPSILON, 1.0 - f64::EPSILON / 2.0] {
                let power = power_of(Real::from_float(x).unwrap(), n);
                assert!(power.error != 0 && power.error < 1 << 37, "{}", power.error);
            }
        }
    }

    /// Neighbours of powers that are not exact differ.
    #[test]
    fn large_powers_are_between_neighbours() {
        for n in [2, 3, 5, 100, 1000, -1, -3, -1000] {
            for x in [1.1, 3.0f64.sqrt(), 0.9] {
                let down: f64 = powi("down", x, n, Direction::Down).unwrap();
                let up: f64 = powi("up", x, n, Direction::Up).unwrap();
                assert_eq!(up.to_bits(), down.to_bits() + 1, "{x}^{n}");
            }
        }
    }
}
