//! The edges of the fast kernels, by what they are made of.

use num_bigint::{BigInt, BigUint};

use super::super::plain::{self, Interval};
use super::super::tests::encloses;
use super::*;

fn real(x: f64) -> Real {
    Real::from_float(x).unwrap()
}

/// What follows the first 128 bits of a ratio counts.
#[test]
fn logarithms_of_long_ratios_are_enclosed() {
    let denominator = BigUint::from(3u32).pow(100);
    for part in 1..64u32 {
        let numerator = &denominator - &denominator / 128u32 * part;
        let ratio = Real::ratio(&numerator, &denominator).unwrap();
        assert!(ratio.sticky);
        let (low, high) = ln_fixed(ratio).unwrap();
        let truth = Interval::ln_ratio(&numerator, &denominator, 200).unwrap();
        let end = |end: i128| BigInt::from(end) << (200 - FRACTION);
        assert!(end(low) <= *truth.low() && *truth.high() <= end(high), "{part}/128");
    }
}

/// Where the first estimate of the power of two is one too many, or one too few.
#[test]
fn exponentials_next_to_a_multiple_of_ln_2_are_told() {
    for n in (4..1470).step_by(37) {
        // The number of 32 fraction bits below, and the one above.
        let at = (f64::from(n) * core::f64::consts::LN_2 * 2f64.powi(32)).floor();
        for x in [at, at + 1.0, -at, -at - 1.0].map(|x| real(x / 2f64.powi(32))) {
            let enclosure = exp(x).unwrap();
            assert!(encloses(&enclosure, &plain::exp(x, 400)), "{x:?}");
        }
    }
}

#[test]
fn bounds_around_a_multiple_of_ln_2_tell_nothing() {
    for n in [1, 2, 3, 100, 1400] {
        let (low, high) = times_ln_2(n);
        for (less, more) in [(1, 1), (0, 1), (1, 0), (1000, 1), (1, 1000)] {
            assert_eq!(exp_neg_128(low - less, high + more), None, "{n} ln 2");
        }
        assert!(exp_neg_128(low - 1000, low - 1000).is_some());
        assert!(exp_neg_128(high + 1000, high + 1000).is_some());
    }
    // Of zero itself all is known, next to it the power of two is not.
    assert_eq!(exp_neg_128(0, 0), Some((1 << 127, (1 << 127) + 9)));
    assert_eq!(exp_neg_128(2, 2), None);
}

/// The product by its definition.
#[test]
fn products_of_exponentials_are_rounded_down() {
    for n in 0..1000u128 {
        let t = LN_2 / 1000 * n + n;
        let (step, s) = ((t >> 122) as usize, t & ((1 << 122) - 1));
        let series = (0..EXP_TERMS).rev().fold(RECIPROCAL_FACTORIAL[EXP_TERMS], |series, n| {
            RECIPROCAL_FACTORIAL[n] + mul_high(s, series)
        });
        let product = BigUint::from(EXP_64THS[step]) * series;
        let (low, high) = exp_zero_to_ln_2(t, t + 5).unwrap();
        assert_eq!((BigUint::from(low), high - low), (product >> 127, 13), "{t:#x}");
    }
}

/// The margin to both sides, whatever is cut off.
#[test]
fn small_arguments_have_narrow_bounds() {
    let large = 2f64.powi(-20) * (1.0 - f64::EPSILON);
    for (place, share) in (0..40).flat_map(|n| [1.0, 0.77, 0.51].map(|share| (n, share))) {
        for x in [large, -large].map(|x| real(x * share * 2f64.powi(-place))) {
            let mantissa = x.mantissa << (x.mantissa.leading_zeros() - 64);
            let ln = (ln_1p(x), plain::ln_1p(x, 400));
            for (fast, plain) in [ln, (exp_m1(x), plain::exp_m1(x, 400))] {
                let fast = fast.unwrap();
                assert!(encloses(&fast, &plain), "{x:?}");
                let units = fast.high.mantissa - fast.low.mantissa;
                assert_eq!(fast.high.exponent, fast.low.exponent);
                assert!(units << 64 > mantissa * 8 && (units - 2) << 64 <= mantissa * 8, "{x:?}");
            }
        }
    }
}
