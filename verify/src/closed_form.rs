//! Closed forms as certified intervals, computed apart from the code they judge.
//!
//! The shipping code takes logarithms, over `num-bigint`; this takes exponentials, over `dashu`.

use dashu_base::{BitTest, DivRem, Signed};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::law::Between;

/// e^−x for x ≥ 0, to about `bits` bits.
///
/// # Panics
///
/// If x is negative.
pub fn exp_neg(x: &RBig, bits: usize) -> Between {
    assert!(!x.is_negative(), "x must not be negative");
    // Halve x until it is below 1/2, and square as often; each squaring costs about one bit.
    let halvings = x.trunc().bit_len() + 1;
    let bits = bits + 2 * halvings + 16;
    let x = x / RBig::from(UBig::ONE << halvings);
    let one = UBig::ONE << bits;
    let (mut low, mut high) = alternating_series(&x, bits);
    for _ in 0..halvings {
        low = (&low * &low) >> bits;
        high = (((&high * &high) >> bits) + UBig::ONE).min(one.clone());
    }
    Between {
        low: RBig::from_parts(low.into(), one.clone()),
        high: RBig::from_parts(high.into(), one),
    }
}

/// 1 − x + x²/2 − x³/6 + … for 0 ≤ x < 1: the terms fall, so that the sum is between any two partial sums
/// that follow each other. Bounds times 2^bits.
fn alternating_series(x: &RBig, bits: usize) -> (UBig, UBig) {
    let (numerator, denominator) = (x.numerator().clone(), IBig::from(x.denominator().clone()));
    let scale = IBig::ONE << bits;
    // term = x^n / n!, rounded down; `slack` counts the units by which all of it can be off.
    let (mut term, mut sum, mut n) = (scale.clone(), scale.clone(), 0u32);
    while term > IBig::ZERO {
        n += 1;
        term = (term * &numerator).div_rem(&denominator * IBig::from(n)).0;
        if n % 2 == 1 {
            sum -= &term;
        } else {
            sum += &term;
        }
    }
    // Each term is at most 2 units low (its own rounding, and less than one handed down), and the first one
    // left out is below one unit.
    let slack = IBig::from(2 * n + 2);
    let low = (&sum - &slack).max(IBig::ZERO);
    let high = (sum + slack).min(scale);
    (UBig::try_from(low).expect("not negative"), UBig::try_from(high).expect("not negative"))
}

/// P(G = g) of the geometric law: (1 − q) q^g with q = e^(−1/scale).
pub fn geometric(scale: &RBig, g: u64, bits: usize) -> Between {
    let (here, next) = (power(scale, &IBig::from(g), bits), power(scale, &IBig::from(g + 1), bits));
    Between { low: here.low - next.high, high: here.high - next.low }
}

/// P(Z ≥ z) of the discrete Laplace law: q^z / (1 + q) for z ≥ 0, and 1 − P(Z ≥ 1 − z) for z < 0.
pub fn laplace_tail(scale: &RBig, z: &IBig, bits: usize) -> Between {
    if z.is_negative() {
        let other = laplace_tail(scale, &(IBig::ONE - z), bits);
        return Between { low: RBig::ONE - other.high, high: RBig::ONE - other.low };
    }
    let (q, top) = (power(scale, &IBig::ONE, bits), power(scale, z, bits));
    Between { low: top.low / (RBig::ONE + q.high), high: top.high / (RBig::ONE + q.low) }
}

/// P(a ≤ Z < b) of the discrete Laplace law.
pub fn laplace_between(scale: &RBig, a: &IBig, b: &IBig, bits: usize) -> Between {
    let (from, to) = (laplace_tail(scale, a, bits), laplace_tail(scale, b, bits));
    Between { low: from.low - to.high, high: from.high - to.low }
}

/// q^z = e^(−z/scale) for z ≥ 0.
fn power(scale: &RBig, z: &IBig, bits: usize) -> Between {
    exp_neg(&(RBig::from(z.clone()) / scale), bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_match_known_digits() {
        // e^−1 = 0.36787944117144232159552377016146086744581113103176…
        let digits = "36787944117144232159552377016146086744581113103176";
        let unit = RBig::from_parts(IBig::ONE, UBig::from(10u32).pow(50));
        let floor = RBig::from(digits.parse::<IBig>().unwrap()) * &unit;
        let e = exp_neg(&RBig::ONE, 200);
        assert!(e.low <= &floor + &unit && floor <= e.high);
        assert!(&e.high - &e.low < RBig::from_parts(IBig::ONE, UBig::ONE << 190));
        // e^−x e^−y = e^−(x+y)
        let (x, y) =
            (RBig::from_parts(7.into(), 3u32.into()), RBig::from_parts(50.into(), 7u32.into()));
        let (a, b, c) = (exp_neg(&x, 100), exp_neg(&y, 100), exp_neg(&(&x + &y), 100));
        assert!(&a.low * &b.low <= c.high && c.low <= &a.high * &b.high);
    }
}
