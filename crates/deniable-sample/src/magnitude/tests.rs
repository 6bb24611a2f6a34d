//! Bounds of magnitudes, against the same in big integers.

use deniable_num::certified::SLACK_64;

use super::*;
use crate::Error;

/// Numbers without a pattern, and those at the ends.
fn numbers() -> Vec<u64> {
    let mut state = 0u64;
    let spread = (0..20).map(|_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z ^ z >> 27
    });
    let ends = [0, 1, 2, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1, 1 << 32, (1 << 32) - 1];
    spread.chain(ends).collect()
}

/// scale · e / 2^bits, rounded down; with the scale as a ratio.
fn floor((numerator, denominator): &(BigUint, BigUint), e: &BigUint, bits: u64) -> BigUint {
    e * numerator / (denominator << bits)
}

/// Scales, and the same as ratios.
fn scales() -> Vec<(Scale, (BigUint, BigUint))> {
    let big = |n: u64| BigUint::from(n);
    let dyadic = |mantissa: u64, exponent: i64| {
        let power = BigUint::from(1u32) << exponent.unsigned_abs();
        let ratio = if exponent >= 0 { (power * mantissa, big(1)) } else { (big(mantissa), power) };
        (Scale::dyadic(mantissa, exponent), ratio)
    };
    let ratio = |numerator: BigUint, denominator: BigUint| {
        let scale = Ratio::new(numerator.clone(), denominator.clone()).unwrap();
        (Scale::ratio(&scale), (numerator, denominator))
    };
    let in_units = i64::from(FRACTION) - 68;
    vec![
        dyadic(1, 0),
        dyadic(3, -70),
        dyadic(u64::MAX, in_units),
        dyadic(u64::MAX, in_units + 1),
        dyadic(1 << 63, 5),
        dyadic(12345, 200),
        dyadic(7, -1074),
        ratio(big(10), big(3)),
        ratio(big(1), big(3)),
        ratio(big(u64::MAX), big(7)),
        ratio(big(5), big(u64::MAX - 1)),
        ratio(big(u64::MAX), big(u64::MAX - 2)),
        ratio(big(12), big(8)),
        ratio(BigUint::from(3u32) << 100, big(7)),
        ratio(big(7), BigUint::from(3u32) << 100),
    ]
}

#[test]
fn products_and_quotients_are_exact() {
    for &a in &numbers() {
        for &b in &numbers() {
            assert_eq!(mul_high(a, b), ((u128::from(a) * u128::from(b)) >> 64) as u64);
            for e in [u128::from(a), u128::from(a) << 59 | 1, (1 << 123) - 1 - u128::from(a)] {
                let (high, low) = times(e, b);
                let product = BigUint::from(e) * b;
                assert_eq!((BigUint::from(high) << 64) + low, product);
                let word = a | 1 << 63;
                assert_eq!(BigUint::from(divided((high, low), word)), product / word);
            }
        }
    }
}

#[test]
fn scales_are_what_they_are_made_of() {
    for (scale, (numerator, denominator)) in scales() {
        let inverse = scale.inverse();
        assert_eq!(inverse.numerator() * &numerator, inverse.denominator() * &denominator);
        // To a bit: how many of U tell nothing.
        let bits = numerator.bits() as i64 - denominator.bits() as i64;
        assert!((bits - 1..=bits + 1).contains(&(scale.length() as i64)) || bits <= 0);
        assert!(bits > 0 || scale.length() <= 1);
        let words = match scale {
            Scale::Dyadic { mantissa, exponent } => Some((mantissa, 1 << 63, exponent + 63)),
            Scale::Ratio { words, .. } => {
                words.map(|words| (words.numerator, words.denominator, words.exponent))
            }
        };
        let fits = numerator.bits() <= 64 && denominator.bits() <= 64;
        assert!(words.is_some() || !fits);
        assert_eq!(scale.fits_words(), words.is_some());
        if let Some((above, below, exponent)) = words {
            assert_eq!((above >> 63, below >> 63), (1, 1));
            let (up, down) = (exponent.max(0) as u64, (-exponent).max(0) as u64);
            assert_eq!((above * &denominator) << up, (below * &numerator) << down);
        }
    }
    let halves = Ratio::new(3u32, 8u32).unwrap();
    assert_eq!(Scale::ratio(&halves), Scale::dyadic(3, -3));
}

/// Of bounds of E those of G, in words and in big integers.
#[test]
fn magnitudes_are_those_of_their_logarithms() {
    for (scale, ratio) in scales() {
        for &a in &numbers() {
            let low = u128::from(a) << 58;
            let high = low + u128::from(a >> 40) + 1;
            let exactly = |e: u128, up: u32| {
                floor(&ratio, &BigUint::from(e), u64::from(FRACTION) + u64::from(up))
            };
            match scale.words(low, high) {
                None => assert!(!scale.fits_words()),
                Some(Bounds::Big { .. }) => unreachable!("these are words"),
                Some(Bounds::Words { low: least, high: most, shift }) => {
                    assert_eq!(BigUint::from(least), exactly(low, shift));
                    let above = u128::from(shift > 0);
                    assert_eq!(BigUint::from(most), exactly(high, shift) + above);
                    assert!(least < 1 << 120 && most < 1 << 120);
                }
            }
            for bits in [0, 70, 500] {
                let e = BigUint::from(high) << (bits / 2);
                assert_eq!(scale.floor(&e, bits), floor(&ratio, &e, bits));
            }
        }
    }
}

/// Bounds of −ln(digits / 2^drawn) in units that are 2^−40 of those of FRACTION.
fn neg_ln(digits: &BigUint, drawn: u32) -> (BigInt, BigInt) {
    let ln = Interval::ln(digits, drawn.into(), u64::from(FRACTION) + 40).unwrap();
    (-ln.high(), -ln.low())
}

#[test]
fn logarithms_of_uniform_numbers_are_enclosed() {
    let words = numbers();
    let small = (33..64).step_by(2).map(|bits| 1u64 << bits | ((1 << 32) - 1));
    for first in words.iter().copied().chain(small) {
        for &second in &words {
            for drawn in [64, 96, 128] {
                let top = (u128::from(first) << 64 | u128::from(second)) >> (128 - drawn);
                let uniform = Uniform { top: top << (128 - drawn), drawn };
                assert_eq!(uniform.digits(), top);
                if first == 0 {
                    continue;
                }
                // U is at least that, and less than the next.
                let (most, _) = neg_ln(&BigUint::from(top), drawn);
                let (_, least) = neg_ln(&(BigUint::from(top) + 1u32), drawn);
                let is_within = |(low, high): (u128, u128)| {
                    let (low, high) = (BigInt::from(low), BigInt::from(high));
                    assert!(&low << 40 <= least && most <= &high << 40, "{top:x}");
                    high - low
                };
                let width =
                    BigInt::from(1) << (FRACTION + 2 + first.leading_zeros() - drawn.min(FRACTION));
                if let Some(bounds) = uniform.about_neg_ln() {
                    // Of the quotient 2^−16 of itself is unknown at most, and 2^−31 for most numbers.
                    let quotient = BigInt::from(1) << (33 + 2 * first.leading_zeros());
                    assert!(is_within(bounds) <= &width * 2 + quotient + SLACK_64, "{top:x}");
                }
                assert_eq!(
                    uniform.about_neg_ln().is_some(),
                    first >> 48 != 0 || uniform.top as u64 == 0
                );
                assert_eq!(uniform.neg_ln().is_some(), drawn > 64);
                if let Some(bounds) = uniform.neg_ln() {
                    assert!(is_within(bounds) <= width + 8, "{top:x}");
                }
            }
        }
    }
    assert_eq!(Uniform { top: 0, drawn: 0 }.digits(), 0);
    assert!(Uniform { top: 0, drawn: 128 }.neg_ln().is_none());
}

/// Words from a list.
struct Listed<'a>(&'a [u64]);

impl Source for Listed<'_> {
    type Word = u64;

    fn draw(&mut self) -> Result<u64> {
        let (first, rest) = self.0.split_first().ok_or_else(Error::entropy_unavailable)?;
        self.0 = rest;
        Ok(*first)
    }
}

/// Where two words do not decide, all bits that have come count, and one more word at a time.
#[test]
fn magnitudes_beyond_two_words_are_enclosed() {
    let script = [3, 1 << 50, 5, u64::MAX, 7, 9];
    for (scale, ratio) in scales() {
        // Words that are looked at before big integers are.
        let first = if scale.fits_words() { 3 } else { 1 };
        for drawn in first..=script.len() {
            let mut source = Listed(&script);
            let bounds =
                sample_magnitude(&scale, &mut source, 64 * drawn as u64, |bounds| match bounds {
                    Bounds::Words { .. } => None,
                    Bounds::Big { low, high } => Some((low.clone(), high.clone())),
                });
            let (low, high) = bounds.unwrap();
            assert_eq!(source.0.len(), script.len() - drawn);
            let digits =
                script[..drawn].iter().fold(BigUint::ZERO, |all, word| (all << 64) + *word);
            let bits = 64 * drawn as u64 + 200;
            let exactly = |digits: &BigUint| {
                let ln = Interval::ln(digits, 64 * drawn as i64, bits).unwrap();
                let e = |ln: &BigInt| floor(&ratio, (-ln).magnitude(), bits);
                (e(ln.high()), e(ln.low()))
            };
            // Within the bounds, which are not far off: 2^-64 of what is unknown, and a unit for each rounding.
            let ((least, _), (_, most)) = (exactly(&(&digits + 1u32)), exactly(&digits));
            let unknown = ((&most - &least) >> 32) + 2u32;
            assert!(low <= least && least <= &low + &unknown, "{scale:?}, {drawn} words");
            assert!(most <= high && high <= most + unknown, "{scale:?}, {drawn} words");
        }
    }
    // A list of zeros tells nothing.
    let zeros = sample_magnitude(&Scale::dyadic(1, 0), &mut Listed(&[0; 5]), 0, |_| Some(()));
    assert_eq!(zeros, Err(Error::entropy_unavailable()));
}

/// Where a scale fits, two words are looked at as such, after each of them, before big integers are.
#[test]
fn words_are_looked_at_first() {
    for (scale, _) in scales().into_iter().filter(|(scale, _)| scale.fits_words()) {
        let looks = core::cell::Cell::new(0);
        let in_words = |bounds: &Bounds| {
            looks.set(looks.get() + 1);
            // One look at the first word, two at both, which are those of less and of more precision.
            (looks.get() == 3).then_some(matches!(bounds, Bounds::Words { .. }))
        };
        let mut source = Listed(&[1 << 60, 5, 7]);
        assert_eq!(sample_magnitude(&scale, &mut source, 0, in_words), Ok(true));
        assert_eq!(source.0, [7]);
    }
}

#[test]
fn what_is_below_zero_is_zero() {
    assert_eq!(not_negative(BigInt::from(-5)), BigUint::ZERO);
    assert_eq!(not_negative(BigInt::from(5)), BigUint::from(5u32));
}
