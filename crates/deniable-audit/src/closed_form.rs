//! Closed forms as certified intervals, computed apart from the code they judge.
//!
//! The shipping code takes logarithms, over `num-bigint`; this takes exponentials, over `dashu`.

use dashu_base::{BitTest, DivRem, Signed, UnsignedAbs};
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

/// ln x for x > 0, to a relative width below 2^−bits; ln 1 is exactly 0.
///
/// It stays sharp where the logarithm is small: near 1 the series is in (x − 1)/(x + 1), which is exact, at a
/// precision that follows its size. Elsewhere x = 2^k·v, and ln 2 comes from the same series.
///
/// # Panics
///
/// If x is not above 0.
pub fn ln(x: &RBig, bits: usize) -> Between {
    assert!(x.is_positive(), "x must be above 0");
    let (a, d) = (x.numerator().unsigned_abs(), x.denominator().clone());
    // |x − 1| < 1/2 is d < 2a < 3d.
    let twice = &a << 1;
    if d < twice && twice < &d * UBig::from(3u32) {
        return ln_near_one(a, d, bits);
    }
    // |k| ≥ 1 here, so that |ln x| > |k|/4. The slack of k·ln 2 and of ln v is below 2·(|k| + 1)·(w + 9)
    // units: relative to the result, below 16·(w + 9) units, for which the guard has room.
    let w = bits + bit_length(bits) + 8;
    let (k, a, d) = reduce_by_powers_of_two(a, d);
    let two = twice_artanh(&UBig::ONE, &UBig::from(3u32), w);
    let two = (&two.0 * IBig::from(k), &two.1 * IBig::from(k));
    let (two_low, two_high) = if k < 0 { (two.1, two.0) } else { two };
    let (low, high) = signed_twice_artanh(&a, &d, w);
    dyadic(two_low + low, two_high + high, w)
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

/// ln (a/d) for 1/2 < a/d < 3/2.
fn ln_near_one(a: UBig, d: UBig, bits: usize) -> Between {
    if a == d {
        return Between::exactly(RBig::ZERO);
    }
    // |z| = |a − d|/(a + d) is above 2^−e and the result above 2·2^−e; the series loses at most w + 9 units.
    let difference = if a > d { &a - &d } else { &d - &a };
    let bits = bits + (&a + &d).bit_len() - difference.bit_len() + 1;
    let w = bits + bit_length(bits) + 4;
    let (low, high) = signed_twice_artanh(&a, &d, w);
    dyadic(low, high, w)
}

/// k and v = a/d with x = 2^k·v and 2/3 ≤ v ≤ 4/3.
fn reduce_by_powers_of_two(a: UBig, d: UBig) -> (i64, UBig, UBig) {
    // Equally many bits: 1/2 < v < 2.
    let mut k = a.bit_len() as i64 - d.bit_len() as i64;
    let (mut a, mut d) = (a << (-k).max(0) as usize, d << k.max(0) as usize);
    let triple = &a * UBig::from(3u32);
    if triple > &d << 2 {
        d <<= 1;
        k += 1;
    } else if triple < &d << 1 {
        a <<= 1;
        k -= 1;
    }
    (k, a, d)
}

/// ln (a/d) = 2 artanh((a − d)/(a + d)) for 1/2 ≤ a/d ≤ 2, as bounds times 2^w.
fn signed_twice_artanh(a: &UBig, d: &UBig, w: usize) -> (IBig, IBig) {
    if a >= d {
        return twice_artanh(&(a - d), &(a + d), w);
    }
    let (low, high) = twice_artanh(&(d - a), &(a + d), w);
    (-high, -low)
}

/// 2 artanh z = 2 (z + z³/3 + z⁵/5 + …) for z = p/q from 0 to 1/3, as bounds times 2^w.
///
/// Everything is rounded down, so the sum is never high. How low, in units: z by less than 1; z² by less than
/// 2·z + 1 < 2; each power by less than (the last one's loss)/9 + 2·z + 1, hence less than 2; each term by
/// less than 3; and when a power is rounded to 0, it and all that follow are below 2·(1 + 1/9 + …) < 3. So n
/// terms are low by less than 3·n + 3, and since each power is at most a ninth of the last, 3·n + 3 is below
/// w + 9.
fn twice_artanh(p: &UBig, q: &UBig, w: usize) -> (IBig, IBig) {
    let mut power = (p << w) / q;
    let square = (&power * &power) >> w;
    let (mut sum, mut n) = (UBig::ZERO, 0u32);
    while !power.is_zero() {
        sum += &power / (2 * n + 1);
        power = (power * &square) >> w;
        n += 1;
    }
    let high = &sum + UBig::from(3 * n + 3);
    (IBig::from(sum << 1), IBig::from(high << 1))
}

/// Bounds from bounds times 2^w.
fn dyadic(low: IBig, high: IBig, w: usize) -> Between {
    Between {
        low: RBig::from_parts(low, UBig::ONE << w),
        high: RBig::from_parts(high, UBig::ONE << w),
    }
}

/// The number of binary digits.
fn bit_length(n: usize) -> usize {
    (usize::BITS - n.leading_zeros()) as usize
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

    /// Whether an enclosure of `bits` bits is as sharp as it says and holds a number with these digits before
    /// all that could follow them.
    fn holds(x: &Between, bits: usize, digits: &str) -> bool {
        let decimals = digits.split_once('.').expect("a point").1.len();
        let unit = RBig::from_parts(IBig::ONE, UBig::from(10u32).pow(decimals));
        let floor = RBig::from(digits.replace('.', "").parse::<IBig>().unwrap()) * &unit;
        sharp(x, bits) && x.low <= &floor + &unit && floor <= x.high
    }

    fn sharp(x: &Between, bits: usize) -> bool {
        let smallest = if x.low.is_negative() { -&x.high } else { x.low.clone() };
        x.low <= x.high && &x.high - &x.low <= smallest / RBig::from(UBig::ONE << bits)
    }

    fn ratio(numerator: u64, denominator: u64) -> RBig {
        RBig::from_parts(numerator.into(), denominator.into())
    }

    #[test]
    fn logarithms_match_known_digits_and_no_others() {
        for (x, digits) in [
            (2, "0.69314718055994530941723212145817656807550013436025"),
            (3, "1.09861228866810969139524523692252570464749055782274"),
            (10, "2.30258509299404568401799145468436420760110148862877"),
        ] {
            for bits in [1, 20, 100, 180] {
                assert!(holds(&ln(&ratio(x, 1), bits), bits, digits), "ln {x} to {bits} bits");
            }
            let mut wrong = digits.to_owned().into_bytes();
            for (place, bits) in [(48, 180), (30, 110), (12, 50)] {
                wrong[place] = b'0' + (wrong[place] - b'0' + 1) % 10;
                let wrong = String::from_utf8(wrong.clone()).unwrap();
                assert!(!holds(&ln(&ratio(x, 1), bits), bits, &wrong), "ln {x} is not {wrong}");
            }
            let (up, down) = (ln(&ratio(x, 1), 100), ln(&ratio(1, x), 100));
            assert!(sharp(&down, 100) && up.low <= -&down.low && -&down.high <= up.high);
        }
        let zero = ln(&RBig::ONE, 100);
        assert!(zero.low.is_zero() && zero.high.is_zero());
    }

    /// e^−ln x = 1/x, and not what is a little off.
    #[test]
    fn logarithms_invert_exponentials() {
        let huge = RBig::from(UBig::ONE << 1075);
        let wide = RBig::from_parts((IBig::ONE << 100) / 3, (UBig::ONE << 99) / 7u8);
        let mut cases = vec![huge, wide, &RBig::ONE + RBig::from_parts(IBig::ONE, UBig::ONE << 70)];
        cases.extend((21..200).step_by(3).map(|n| ratio(n, 20)));
        for x in cases {
            let y = ln(&x, 100);
            assert!(sharp(&y, 100));
            let inverts = |y: &Between, x: &RBig| {
                exp_neg(&y.high, 1300).low * x <= RBig::ONE
                    && exp_neg(&y.low, 1300).high * x >= RBig::ONE
            };
            assert!(inverts(&y, &x));
            let off = &x * (RBig::ONE + RBig::from_parts(IBig::ONE, UBig::ONE << 90));
            assert!(!inverts(&y, &off));
        }
    }

    /// ln (1 + t) is between t − t²/2 and t − t²/2 + t³/3, for t of either sign.
    #[test]
    fn logarithms_near_one_follow_the_series() {
        let power = |t: &RBig, n: usize| (0..n).fold(RBig::ONE, |product, _| product * t);
        for shift in [1100, 300, 120, 60] {
            for sign in [1, -1] {
                let t = RBig::from_parts(IBig::from(sign), UBig::ONE << shift);
                let y = ln(&(RBig::ONE + &t), 100);
                assert!(sharp(&y, 100), "1 + 2^-{shift}");
                let second = &t - power(&t, 2) / RBig::from(2);
                let third = &second + power(&t, 3) / RBig::from(3);
                let (low, high) =
                    if sign > 0 { (second, third) } else { (&third - power(&t, 4), third) };
                assert!(low <= y.high && y.low <= high, "1 + 2^-{shift}");
                // The series of 1/(1 + t)² starts with −2t²: wrong in the second term.
                let wrong = &t - power(&t, 2);
                assert!(shift != 60 || !(wrong >= y.low && wrong <= y.high));
            }
        }
    }
}
