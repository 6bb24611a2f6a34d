//! The exact laws of the Bernoulli samplers.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use deniable_num::Float;
use deniable_num::certified::Interval;
use deniable_sample::{
    Dyadic, Error, ErrorKind, Ratio, Result, Source, sample_bernoulli_exp, sample_bernoulli_float,
    sample_bernoulli_rational,
};
use deniable_verify::closed_form::exp_neg;
use deniable_verify::enumerate::{enumerate, inverse_power_of_two};
use deniable_verify::interval::{Range, explore};
use deniable_verify::law::Between;
use deniable_verify::words::{Script, Script64};
use num_bigint::BigInt;

/// One bit, 53 bits, the ends, subnormals, the neighbours of 1/2 and 1.
const AWKWARD: [f64; 16] = [
    0.0,
    1.0,
    0.5,
    0.25,
    0.75,
    0.1,
    0.3,
    0.999_999_999_999_999_9,
    0.500_000_000_000_000_1,
    0.499_999_999_999_999_94,
    f64::EPSILON,
    1e-300,
    f64::MIN_POSITIVE,
    2.225e-308,
    1e-310,
    5e-324,
];

fn both(p: Between) -> [(bool, Between); 2] {
    let complement = Between { low: RBig::ONE - &p.high, high: RBig::ONE - &p.low };
    [(true, p), (false, complement)]
}

fn exactly(p: RBig) -> [(bool, Between); 2] {
    both(Between::exactly(p))
}

fn value(p: f64) -> RBig {
    RBig::try_from(p).expect("a finite number")
}

fn ratio(numerator: u128, denominator: u128) -> (Ratio, RBig) {
    let exact = RBig::from_parts(IBig::from(numerator), UBig::from(denominator));
    (Ratio::new(numerator, denominator).unwrap(), exact)
}

/// The law of any float sampler, over 4-bit words; deep enough that nothing is left unresolved.
fn float_law<const BITS: u32>(
    p: f64,
    sampler: impl Fn(f64, &mut Script<'_, BITS>) -> Result<bool>,
) -> std::result::Result<(), String> {
    let depth = 1080 / BITS as usize;
    enumerate::<BITS, _, _>(depth, |s| sampler(p, s)).check(&RBig::ZERO, exactly(value(p)))
}

#[test]
fn float_over_every_script() {
    for p in AWKWARD {
        float_law::<4>(p, |p, s| sample_bernoulli_float(p, false, s)).unwrap();
        float_law::<8>(p, |p, s| sample_bernoulli_float(p, false, s)).unwrap();
    }
    for p in [0.1f32, 1e-45, f32::MIN_POSITIVE, 0.999_999_94] {
        let law = enumerate::<4, _, _>(40, |s| sample_bernoulli_float(p, false, s));
        law.check(&RBig::ZERO, exactly(value(p.into()))).unwrap();
    }
}

#[test]
fn half_of_a_float_over_every_script() {
    for p in AWKWARD {
        let half = Dyadic::from_float(p).unwrap().half();
        let law = enumerate::<4, _, _>(270, |s| half.sample(false, s));
        law.check(&RBig::ZERO, exactly(value(p) / RBig::from(2))).unwrap();
    }
}

#[test]
fn float_over_intervals_of_64_bit_words() {
    for p in AWKWARD {
        let law = explore(Range::ALL, 18, |s| sample_bernoulli_float(p, false, s));
        law.check(&RBig::ZERO, exactly(value(p))).unwrap();
        // In constant time the runs are as many as there are orders of words and digits: 3 each.
        if p >= 1e-20 {
            let law = explore(Range::ALL, 18, |s| sample_bernoulli_float(p, true, s));
            law.check(&RBig::ZERO, exactly(value(p))).unwrap();
        }
    }
}

/// Whole runs in constant time, for probabilities short enough to read every digit.
#[test]
fn float_in_constant_time_over_every_script() {
    for n in 0..=256 {
        let p = f64::from(n) / 256.0;
        let law = enumerate::<4, _, _>(2, |s| sample_bernoulli_float(p, true, s));
        law.check(&RBig::ZERO, exactly(value(p))).unwrap();
    }
    for n in [1, 2, 3, 0x8001, 0xfffe, 0xffff] {
        let p = f64::from(n) / 65536.0;
        let law = enumerate::<4, _, _>(4, |s| sample_bernoulli_float(p, true, s));
        law.check(&RBig::ZERO, exactly(value(p))).unwrap();
        let law = enumerate::<8, _, _>(2, |s| sample_bernoulli_float(p, true, s));
        law.check(&RBig::ZERO, exactly(value(p))).unwrap();
    }
}

/// For the long ones: every run that ends early gives the same answer in constant time, whatever the
/// digits that follow, and the number of words is the same for every script.
#[test]
fn constant_time_agrees_on_every_script_that_decides() {
    const WORDS: usize = 270;
    for p in AWKWARD {
        let drawn = |follow: u64, script: &[u64]| {
            let mut words = script.to_vec();
            words.resize(WORDS, follow);
            let mut source = Script::<4>::new(&words);
            (sample_bernoulli_float(p, true, &mut source).unwrap(), source.asked)
        };
        let expected = drawn(0, &[]).1;
        enumerate::<4, _, Error>(WORDS, |s| {
            let outcome = sample_bernoulli_float(p, false, s)?;
            let script: Vec<u64> = s.read().to_vec();
            for follow in [0, 7, 15] {
                assert_eq!(drawn(follow, &script), (outcome, expected), "prob {p}");
            }
            Ok(outcome)
        });
        let mut source = Script64::new(&[0x5555_5555_5555_5555; 20]);
        sample_bernoulli_float(p, true, &mut source).unwrap();
        assert_eq!(source.asked, (expected * 4).div_ceil(64), "prob {p}");
    }
}

#[test]
fn refused_floats() {
    let above = [1.000_000_000_000_000_2, 1.5, 1.75, 2.0, 3.0, 1e300, f64::INFINITY];
    for p in above.into_iter().chain([-1e-300, -1.0, f64::NAN]) {
        // Not for want of words.
        let error = sample_bernoulli_float(p, false, &mut Script64::new(&[1; 40])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidParameter, "{p}");
    }
    assert!(!sample_bernoulli_float(-0.0, true, &mut Script64::new(&[])).unwrap());
}

fn rationals() -> Vec<(Ratio, RBig)> {
    let mut all: Vec<_> = (1..20).flat_map(|d| (0..=d).map(move |n| ratio(n, d))).collect();
    all.extend([
        ratio(1, (1 << 32) + 1),
        ratio(1 << 32, (1 << 32) + 1),
        ratio(u64::MAX.into(), u128::from(u64::MAX) + 1),
        ratio(u128::from(u64::MAX) - 1, u64::MAX.into()),
        ratio(1, u128::MAX),
        ratio(u128::MAX - 1, u128::MAX),
        ratio(1 << 70, 3 << 70),
    ]);
    all
}

#[test]
fn rational_over_every_script() {
    let largest = inverse_power_of_two(40);
    for (p, exact) in rationals() {
        let law = enumerate::<4, _, _>(10, |s| sample_bernoulli_rational(&p, s));
        law.check(&largest, exactly(exact.clone())).unwrap();
        let law = enumerate::<8, _, _>(5, |s| sample_bernoulli_rational(&p, s));
        law.check(&largest, exactly(exact)).unwrap();
    }
}

#[test]
fn rational_over_intervals_of_64_bit_words() {
    for (p, exact) in rationals() {
        let law = explore(Range::ALL, 6, |s| sample_bernoulli_rational(&p, s));
        law.check(&inverse_power_of_two(384), exactly(exact)).unwrap();
    }
    let error = sample_bernoulli_rational(&ratio(3, 2).0, &mut Script64::new(&[1])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidParameter);
}

fn exponents() -> Vec<(Ratio, RBig)> {
    let mut all: Vec<_> = (1..6).flat_map(|d| (0..30).map(move |n| ratio(n, d))).collect();
    all.extend([
        ratio(1, u64::MAX.into()),
        ratio(1, u128::MAX),
        ratio(130, 1),
        ratio(700, 1),
        ratio(1022, 1),
        ratio(1_000_000, 1),
        ratio(u64::MAX.into(), 1),
        ratio(u128::MAX, 3),
        // No ratio of words, and with its first bit in the sixth word.
        ratio((250 << 70) + 1, 1 << 70),
    ]);
    for (numerator, denominator) in [(1, 2), (3, 4), (5, 8), (1, 64), (0xfedc_ba98, 1 << 32)] {
        all.extend(near_logarithm(numerator, denominator));
    }
    all
}

/// The best ratios of words to −ln(numerator / denominator), on both sides of it: e^−x is then within 2^−110 or
/// so of a number with few binary digits, and no kernel of 128 bits can tell its first word.
fn near_logarithm(numerator: u32, denominator: u64) -> Vec<(Ratio, RBig)> {
    let places = i64::from(denominator.trailing_zeros());
    let ln = Interval::ln(&numerator.into(), places, 300).unwrap();
    let (mut a, mut b): (BigInt, BigInt) = (-ln.low(), BigInt::from(1) << 300);
    // Continued fraction: convergents h/k, until they no longer fit.
    let (mut h, mut k) = ([0u128, 1], [1u128, 0]);
    let mut all = Vec::new();
    loop {
        let term = u128::try_from(&a / &b).unwrap();
        let next = (term * h[1] + h[0], term * k[1] + k[0]);
        if next.0 >> 64 != 0 || next.1 >> 64 != 0 {
            break;
        }
        (h, k) = ([h[1], next.0], [k[1], next.1]);
        all.push(ratio(h[1], k[1]));
        (a, b) = (b.clone(), &a - &b * term);
    }
    // The last ones are nearest.
    all.split_off(all.len() - 6)
}

fn exp_form(x: &RBig) -> [(bool, Between); 2] {
    // Beyond e^−2000 the closed form is 0 to more digits than are enumerated.
    if *x > RBig::from(2000) {
        return both(Between { low: RBig::ZERO, high: inverse_power_of_two(2000) });
    }
    both(exp_neg(x, 600))
}

#[test]
fn exp_over_every_script() {
    let largest = inverse_power_of_two(40);
    for (x, exact) in exponents() {
        let law = enumerate::<4, _, _>(10, |s| sample_bernoulli_exp(&x, s));
        law.check(&largest, exp_form(&exact)).unwrap();
        let law = enumerate::<8, _, _>(5, |s| sample_bernoulli_exp(&x, s));
        law.check(&largest, exp_form(&exact)).unwrap();
    }
}

#[test]
fn exp_over_intervals_of_64_bit_words() {
    for (x, exact) in exponents() {
        let law = explore(Range::ALL, 6, |s| sample_bernoulli_exp(&x, s));
        law.check(&inverse_power_of_two(384), exp_form(&exact)).unwrap();
    }
}

/// The checks above find these mistakes.
mod planted {
    use super::*;

    /// p's digits in words, and whether a uniform number is below them: what the sampler does, with a
    /// mistake to be chosen.
    fn with_mistake<S: Source>(p: f64, mistake: &str, source: &mut S) -> Result<bool> {
        use core::cmp::Ordering;
        use deniable_sample::Word;

        let deniable_num::Decoded::Finite { mantissa, exponent, .. } = p.decode() else {
            unreachable!()
        };
        let zeros = mantissa.trailing_zeros();
        let (mantissa, places) = (mantissa >> zeros, exponent.unsigned_abs() - zeros);
        let length = if mistake == "last digit dropped" { places - 1 } else { places };
        let mut position = u32::from(mistake == "one digit too far");
        while position < length {
            position += S::Word::BITS;
            let digit = match places.checked_sub(position) {
                Some(below) => mantissa.checked_shr(below).unwrap_or(0),
                None => mantissa << (position - places),
            } & (u64::MAX >> (64 - S::Word::BITS));
            match source.draw()?.compare(digit) {
                Ordering::Less => return Ok(true),
                Ordering::Greater => return Ok(false),
                Ordering::Equal if mistake == "<= for <" && position >= length => return Ok(true),
                Ordering::Equal => {}
            }
        }
        Ok(false)
    }

    #[test]
    fn a_sampler_without_mistake_passes() {
        for p in [0.3, 1e-310] {
            float_law::<4>(p, |p, s| with_mistake(p, "none", s)).unwrap();
        }
    }

    #[test]
    fn mistakes_are_found() {
        // A dropped last digit matters where it begins a word.
        let ninth_digit = 33.0 / 512.0;
        for (mistake, p) in [
            ("last digit dropped", ninth_digit),
            ("one digit too far", 0.3),
            ("one digit too far", 1e-310),
            ("<= for <", 0.3),
            ("<= for <", 1e-310),
        ] {
            assert!(float_law::<4>(p, |p, s| with_mistake(p, mistake, s)).is_err(), "{mistake}");
            assert!(float_law::<8>(p, |p, s| with_mistake(p, mistake, s)).is_err(), "{mistake}");
        }
    }

    #[test]
    fn a_wrong_digit_of_an_exponential_is_found() {
        let (x, exact) = ratio(1, 3);
        let (wrong, _) = ratio((1 << 40) / 3, 1 << 40);
        let law = enumerate::<4, _, _>(10, |s| sample_bernoulli_exp(&wrong, s));
        assert!(law.check(&inverse_power_of_two(40), exp_form(&exact)).is_ok(), "not at 40 bits");
        let law = explore(Range::ALL, 6, |s| sample_bernoulli_exp(&wrong, s));
        assert!(law.check(&inverse_power_of_two(384), exp_form(&exact)).is_err());
        let law = explore(Range::ALL, 6, |s| sample_bernoulli_exp(&x, s));
        assert!(law.check(&inverse_power_of_two(384), exp_form(&exact)).is_ok());
    }
}
