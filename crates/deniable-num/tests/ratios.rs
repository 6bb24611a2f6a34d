//! Bounds of ratios and their logarithms: known values, and identities between different ways to one value.

use deniable_num::certified::Interval;
use deniable_num::{Directed, Direction, ErrorKind, Lower, Real, Upper};
use num_bigint::{BigInt, BigUint};

fn whole(n: u64) -> BigUint {
    BigUint::from(n)
}

fn power_of_two(n: u32) -> BigUint {
    BigUint::from(1u32) << n
}

/// 2^−n as a float, subnormals included.
fn small_power(n: u32) -> f64 {
    Upper::ratio(&whole(1), &power_of_two(n)).unwrap().get()
}

/// Both bounds of a ratio, bit by bit: −0.0 is not +0.0.
fn ratio(numerator: &BigUint, denominator: &BigUint) -> (u64, u64) {
    let low = Lower::<f64>::ratio(numerator, denominator).unwrap().get();
    (low.to_bits(), Upper::<f64>::ratio(numerator, denominator).unwrap().get().to_bits())
}

/// Both bounds of factor · ln(numerator / denominator), bit by bit.
fn ln_ratio(factor: u64, numerator: &BigUint, denominator: &BigUint) -> (u64, u64) {
    let low = Lower::<f64>::ln_ratio(factor, numerator, denominator).unwrap().get();
    let high = Upper::<f64>::ln_ratio(factor, numerator, denominator).unwrap().get();
    (low.to_bits(), high.to_bits())
}

fn bits(low: f64, high: f64) -> (u64, u64) {
    (low.to_bits(), high.to_bits())
}

/// Integers of every length up to 300 bits, the same every time.
fn integers() -> Vec<BigUint> {
    let mut mixed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut word = || {
        mixed = mixed.wrapping_mul(0xd134_2543_de82_ef95).rotate_left(23) ^ 0x5851;
        mixed
    };
    let long = |words: [u64; 5]| words.iter().fold(BigUint::ZERO, |n, &w| (n << 64u32) + w);
    (1..=300u32)
        .map(|length| (long([(); 5].map(|()| word())) >> (320 - length)) | whole(1))
        .collect()
}

#[test]
fn known_ratios() {
    assert_eq!(
        ratio(&whole(1), &whole(3)),
        bits(0.333_333_333_333_333_3, 0.333_333_333_333_333_37)
    );
    assert_eq!(ratio(&whole(3), &whole(4)), bits(0.75, 0.75));
    assert_eq!(ratio(&whole(0), &whole(7)), bits(0.0, 0.0));
    let (tiny, max) = (f64::from_bits(1), f64::MAX);
    assert_eq!(ratio(&whole(1), &power_of_two(1074)), bits(tiny, tiny));
    assert_eq!(ratio(&whole(1), &power_of_two(1075)), bits(0.0, tiny));
    assert_eq!(ratio(&whole(1), &power_of_two(9000)), bits(0.0, tiny));
    assert_eq!(ratio(&whole(3), &power_of_two(1075)), bits(tiny, 2.0 * tiny));
    let largest = power_of_two(1024) - power_of_two(971);
    assert_eq!(ratio(&largest, &whole(1)), bits(max, max));
    assert_eq!(ratio(&(&largest + 1u32), &whole(1)), bits(max, f64::INFINITY));
    assert_eq!(ratio(&power_of_two(9000), &whole(3)), bits(max, f64::INFINITY));
}

/// A common factor takes the quotient from machine words to big integers, and changes nothing.
#[test]
fn a_common_factor_changes_nothing() {
    let words: Vec<BigUint> = integers().into_iter().step_by(2).take(32).collect();
    let factor = power_of_two(70) + 1u32;
    for n in &words {
        for d in &words {
            let (plain, multiplied) =
                (Real::ratio(n, d), Real::ratio(&(n * &factor), &(d * &factor)));
            assert_eq!(plain, multiplied, "{n}/{d}");
            assert!(plain.is_some_and(|real| real.mantissa() >> 126 != 0));
        }
    }
}

/// f32 has fewer bits, and its own ends.
#[test]
fn known_ratios_of_f32() {
    let both = |n: &BigUint, d: &BigUint| {
        (Lower::<f32>::ratio(n, d).unwrap().get(), Upper::<f32>::ratio(n, d).unwrap().get())
    };
    assert_eq!(both(&whole(1), &whole(10)), (0.099_999_994, 0.1));
    assert_eq!(both(&power_of_two(128), &whole(1)), (f32::MAX, f32::INFINITY));
    assert_eq!(both(&whole(1), &power_of_two(150)), (0.0, f32::from_bits(1)));
    let nearest: f32 = Real::ratio(&whole(1), &whole(10)).unwrap().round(Direction::Nearest);
    assert_eq!(nearest, 0.1);
}

#[test]
fn known_logarithms() {
    // ln 7 = 1.945910149055313305105…
    let (low, high) = (1.945_910_149_055_313_2, 1.945_910_149_055_313_5);
    assert_eq!(ln_ratio(1, &whole(7), &whole(1)), bits(low, high));
    assert_eq!(ln_ratio(1, &whole(1), &whole(7)), bits(-high, -low));
    assert_eq!(ln_ratio(0, &whole(10), &whole(1)), bits(0.0, 0.0));
    assert_eq!(ln_ratio(u64::MAX, &whole(10), &whole(10)), bits(0.0, 0.0));
    // So far down that only the side of 0 is left.
    let one = power_of_two(1100);
    assert_eq!(ln_ratio(1, &(&one + 1u32), &one), bits(0.0, f64::from_bits(1)));
    assert_eq!(ln_ratio(1, &(&one - 1u32), &one), bits(-f64::from_bits(1), 0.0));
}

/// 2 ln 3 = ln 9, and ln(2^1075 − 1) has the same bounds as 1075 ln 2.
#[test]
fn factors_are_powers() {
    for n in 2..40 {
        for d in (1..20).filter(|d| *d != n) {
            for factor in [2, 3, 10, 77, 1000] {
                let (n, d) = (whole(n), whole(d));
                let powers = ln_ratio(1, &n.pow(factor), &d.pow(factor));
                assert_eq!(ln_ratio(factor.into(), &n, &d), powers, "{factor} ln({n}/{d})");
            }
        }
    }
    let nearly = power_of_two(1075) - 1u32;
    assert_eq!(ln_ratio(1, &nearly, &whole(1)), ln_ratio(1075, &whole(2), &whole(1)));
    assert_eq!(
        ln_ratio(1, &power_of_two(50_000), &whole(1)),
        ln_ratio(50_000, &whole(2), &whole(1))
    );
}

/// Where the ratio is a float or next to 1, `inf_ln` and `inf_ln_1p` know the answer.
#[test]
fn floats_agree_with_the_directed_functions() {
    // Not `step_by`, which takes a step of the machine's width.
    let mantissas = std::iter::successors(Some(1u64 << 52), |m| Some(m + (1 << 43) + 12_345));
    for mantissa in mantissas.take_while(|&m| m < 1 << 53) {
        for exponent in [-1000i32, -60, -53, -52, -51, 0, 900] {
            let (n, d) = if exponent < 0 {
                (whole(mantissa), power_of_two(exponent.unsigned_abs()))
            } else {
                (whole(mantissa) << exponent, whole(1))
            };
            let x = Upper::<f64>::ratio(&n, &d).unwrap().get();
            let known = bits(x.neg_inf_ln().unwrap(), x.inf_ln().unwrap());
            assert_eq!(ln_ratio(1, &n, &d), known, "ln {x:e}");
        }
    }
    for down in 1..1075 {
        let (x, one) = (small_power(down), power_of_two(down));
        let above = bits(x.neg_inf_ln_1p().unwrap(), x.inf_ln_1p().unwrap());
        assert_eq!(ln_ratio(1, &(&one + 1u32), &one), above, "ln(1 + 2^−{down})");
        let below = bits((-x).neg_inf_ln_1p().unwrap(), (-x).inf_ln_1p().unwrap());
        if down > 1 {
            assert_eq!(ln_ratio(1, &(&one - 1u32), &one), below, "ln(1 − 2^−{down})");
        }
    }
}

/// ln((2^k + 1)/(2^k − 1)) is above 2^(1−k) by a 3·2^2k-th of it: the hardest sides to tell.
#[test]
fn hardly_above_a_float() {
    for k in 30..1070u32 {
        let one = power_of_two(k);
        let (n, d) = (&one + 1u32, &one - 1u32);
        let x = small_power(k - 1);
        let above = f64::from_bits(x.to_bits() + 1);
        assert_eq!(ln_ratio(1, &n, &d), bits(x, above), "2^{k}");
        assert_eq!(ln_ratio(1, &d, &n), bits(-above, -x), "2^{k}");
        assert_eq!(ln_ratio(8, &n, &d), bits(8.0 * x, f64::from_bits((8.0 * x).to_bits() + 1)));
    }
}

/// The series for a ratio against the difference of two logarithms, at coarse precisions: each pair of bounds holds
/// the difference, and none of them by being wide.
#[test]
fn bounds_at_every_precision_are_bounds() {
    const FINE: u64 = 700;
    let all = integers();
    let pairs = all.iter().zip(all.iter().rev()).chain(all.iter().zip(&all[1..]));
    for (n, d) in pairs.filter(|(n, d)| n != d) {
        let (of_n, of_d) = (Interval::ln(n, 0, FINE).unwrap(), Interval::ln(d, 0, FINE).unwrap());
        for bits in [1, 2, 3, 8, 20, 64, 150, 400] {
            let ln = Interval::ln_ratio(n, d, bits).unwrap();
            let up = FINE - bits;
            assert!(ln.low() << up <= of_n.low() - of_d.high(), "{n}/{d} at {bits}");
            assert!(of_n.high() - of_d.low() <= ln.high() << up, "{n}/{d} at {bits}");
            // Each term of a series may be a few units off, and ln 2 counts once for each doubling.
            let widest = BigInt::from(4 * (bits + 8) * (1 + n.bits().abs_diff(d.bits())));
            assert!(ln.high() - ln.low() < widest, "{n}/{d} at {bits}");
        }
    }
    assert!(Interval::ln_ratio(&whole(0), &whole(1), 64).is_none());
    assert!(Interval::ln_ratio(&whole(1), &whole(0), 64).is_none());
}

#[test]
fn zeros_are_refused() {
    let (zero, one) = (whole(0), whole(1));
    let upper = Upper::<f64>::ratio(&one, &zero).unwrap_err();
    assert_eq!((upper.kind(), upper.operation()), (ErrorKind::Undefined, "Upper::ratio"));
    let lower = Lower::<f64>::ratio(&zero, &zero).unwrap_err();
    assert_eq!((lower.kind(), lower.operation()), (ErrorKind::Undefined, "Lower::ratio"));
    for (n, d) in [(&zero, &one), (&one, &zero), (&zero, &zero)] {
        for factor in [0, 1] {
            let upper = Upper::<f64>::ln_ratio(factor, n, d).unwrap_err();
            assert_eq!(
                (upper.kind(), upper.operation()),
                (ErrorKind::Undefined, "Upper::ln_ratio")
            );
            let lower = Lower::<f64>::ln_ratio(factor, n, d).unwrap_err();
            assert_eq!(
                (lower.kind(), lower.operation()),
                (ErrorKind::Undefined, "Lower::ln_ratio")
            );
        }
    }
}

/// A ratio that is e but for 2^−500: its logarithm is 1 but for about as much, which the first precision does not tell from 1.
#[test]
fn a_logarithm_that_is_nearly_a_float_takes_more_bits() {
    let one = Interval::ratio(&BigInt::from(1), &whole(1), 500).unwrap();
    let (e, doublings) = one.exp().unwrap();
    let denominator = power_of_two(500 - u32::try_from(doublings).unwrap());
    let (below, above) = (e.low().magnitude(), e.high().magnitude());
    let (before, after) = (f64::from_bits(1f64.to_bits() - 1), f64::from_bits(1f64.to_bits() + 1));
    assert_eq!(ln_ratio(1, below, &denominator), bits(before, 1.0));
    assert_eq!(ln_ratio(1, above, &denominator), bits(1.0, after));
}
