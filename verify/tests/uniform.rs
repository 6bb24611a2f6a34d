//! The exact law of uniform integers below a bound.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use deniable_sample::{ErrorKind, Low, Result, Source, Word, sample_uniform_int_below, textbook};
use deniable_verify::draws::big;
use deniable_verify::enumerate::{enumerate, inverse_power_of_two};
use deniable_verify::interval::{Intervals, Range, explore};
use deniable_verify::law::{Between, Law};
use deniable_verify::words::{Script, Script64};
use num_bigint::BigUint;

fn one_in(n: impl Into<UBig>) -> RBig {
    RBig::from_parts(IBig::ONE, n.into())
}

/// All of 0, 1, …, n − 1 have the same resolved mass, and nothing else has any.
fn is_uniform(law: &Law<u64>, n: u64) -> std::result::Result<(), String> {
    law.compare((0..n).map(|i| (i, Between::exactly(one_in(n)))))?;
    let resolved = (RBig::ONE - &law.remainder) * one_in(n);
    match law.mass.values().all(|mass| *mass == resolved) {
        true => Ok(()),
        false => Err("some are likelier than others".to_owned()),
    }
}

/// One pass of a rejection loop, and two: what is rejected is the remainder, at most half a pass.
fn law_below<const BITS: u32>(
    n: u64,
    sampler: impl Fn(u64, &mut Script<'_, BITS>) -> Result<u64>,
) -> std::result::Result<(), String> {
    let words = (64 - (n - 1).leading_zeros()).div_ceil(BITS).max(1) as usize;
    for passes in 1..=2 {
        if words * passes * BITS as usize > 16 {
            continue;
        }
        let law = enumerate::<BITS, _, _>(words * passes, |s| sampler(n, s));
        is_uniform(&law, n)?;
        if law.remainder > inverse_power_of_two(passes) {
            return Err("more than half a pass is rejected".to_owned());
        }
    }
    Ok(())
}

#[test]
fn every_bound_of_one_word() {
    for n in 1..16u64 {
        law_below::<4>(n, |n, s| sample_uniform_int_below(n, s)).unwrap();
        law_below::<4>(n, |n, s| textbook::uniform_int_below(n, s)).unwrap();
    }
    for n in 1..256u64 {
        law_below::<8>(n, |n, s| sample_uniform_int_below(n, s)).unwrap();
        law_below::<8>(n, |n, s| textbook::uniform_int_below(n, s)).unwrap();
    }
}

#[test]
fn bounds_of_several_words() {
    for n in (16..=256).chain([257, 1000, 4095, 4096, 4097, 65535]) {
        law_below::<4>(n, |n, s| sample_uniform_int_below(n, s)).unwrap();
        law_below::<4>(n, |n, s| sample_uniform_int_below(BigUint::from(n), s).map(|v| low(&v)))
            .unwrap();
        law_below::<4>(n, |n, s| sample_uniform_int_below(n as u16, s).map(u64::from)).unwrap();
        law_below::<4>(n, |n, s| textbook::uniform_int_below(n, s)).unwrap();
    }
    for n in [256, 257, 300, 40_000, 65_535, 65_536] {
        law_below::<8>(n, |n, s| sample_uniform_int_below(n, s)).unwrap();
        law_below::<8>(n, |n, s| sample_uniform_int_below(n as u32, s).map(u64::from)).unwrap();
        law_below::<8>(n, |n, s| sample_uniform_int_below(u128::from(n), s).map(|v| v as u64))
            .unwrap();
    }
}

fn low(n: &BigUint) -> u64 {
    u64::try_from(n).unwrap()
}

#[test]
fn all_64_bit_words_for_few_outcomes() {
    for n in [1u64, 2, 3, 5, 6, 7, 10, 100, 255, 256, 257, 1000] {
        let law = explore(Range::ALL, 1, |s| sample_uniform_int_below(n, s));
        is_uniform(&law, n).unwrap();
        assert!(law.remainder <= RBig::from(n) * inverse_power_of_two(64));
    }
}

/// For many outcomes: the words that give a chosen one, counted exactly. Every outcome must have
/// ⌊2^64 / n⌋ words, so that checking the first, the last and some in between checks the arithmetic that
/// is the same for all.
fn words_per_outcome(
    n: u64,
    sampler: impl Fn(u64, &mut Intervals) -> Result<u64>,
) -> std::result::Result<(), String> {
    let count = UBig::from((1u128 << 64) / u128::from(n));
    let spread = (0..64).map(|i| (u128::from(n) * i / 64) as u64);
    for outcome in spread.chain([1, 2, n / 2 + 1, n - 2, n - 1]) {
        let start = |i: u64| (u128::from(i) << 64).div_ceil(n.into());
        let first = (start(outcome).saturating_sub(2)) as u64;
        let last = (start(outcome + 1) + 1).min(u128::from(u64::MAX)) as u64;
        let law = explore(Range { first, last }, 1, |s| sampler(n, s));
        let expected = RBig::from(count.clone()) * inverse_power_of_two(64);
        if law.mass.get(&outcome) != Some(&expected) {
            return Err(format!("outcome {outcome} of {n}"));
        }
    }
    Ok(())
}

const MANY: [u64; 9] = [
    (1 << 32) - 1,
    1 << 32,
    (1 << 32) + 1,
    10_000_000_019,
    (1 << 63) - 1,
    1 << 63,
    (1 << 63) + 1,
    u64::MAX - 1,
    u64::MAX,
];

#[test]
fn chosen_outcomes_of_many_over_64_bit_words() {
    for n in MANY {
        words_per_outcome(n, sample_uniform_int_below).unwrap();
    }
}

/// At 64 bits beyond one word the result is the drawn bits themselves, drawn again if they are too large.
#[test]
fn wide_bounds_take_the_bits_as_they_are() {
    let n = (1u128 << 64) + 1;
    let mut source = Script64::new(&[u64::MAX, 7, 1 << 63, 0, 1, u64::MAX, 5]);
    // 65 bits: the last bit of the first word, shifted down, and the next word.
    assert_eq!(sample_uniform_int_below(n, &mut source).unwrap(), 1 << 64);
    assert_eq!(source.asked, 4);
    let n = (BigUint::from(1u32) << 128u32) + 1u32;
    let mut source = Script64::new(&[1 << 63, 0, 1, u64::MAX >> 1, 5, 6]);
    let drawn = sample_uniform_int_below(n, &mut source).unwrap();
    assert_eq!(big(&drawn), (UBig::from(5u32) << 64) + UBig::from(6u32));
}

/// A power of two takes its bits and no more, and none of them is drawn again.
#[test]
fn powers_of_two_take_their_bits_and_no_more() {
    let mut source = Script64::new(&[u64::MAX, u64::MAX]);
    assert_eq!(sample_uniform_int_below(1u128 << 127, &mut source).unwrap(), (1 << 127) - 1);
    let mut source = Script64::new(&[u64::MAX; 3]);
    let n = BigUint::from(1u32) << 192u32;
    assert_eq!(sample_uniform_int_below(n.clone(), &mut source).unwrap(), n - 1u32);
    // One of 130 bits, of which the first word has two.
    let mut source = Script64::new(&[1 << 62, 0, 0]);
    let n = BigUint::from(1u32) << 130u32;
    assert_eq!(sample_uniform_int_below(n.clone(), &mut source).unwrap(), n >> 2u32);
}

/// The bound itself is not below it.
#[test]
fn the_bound_is_drawn_again() {
    let n = (1u128 << 64) + 1;
    let mut source = Script64::new(&[1 << 63, 1, 0, 5]);
    assert_eq!(sample_uniform_int_below(n, &mut source).unwrap(), 5);
    let n = (BigUint::from(1u32) << 128u32) + 1u32;
    let mut source = Script64::new(&[1 << 63, 0, 1, 0, 0, 5]);
    assert_eq!(sample_uniform_int_below(n, &mut source).unwrap(), 5u32.into());
}

#[test]
fn refused_bounds() {
    // Not for want of words.
    let words = [1, 2, 3];
    for error in [
        sample_uniform_int_below(0u8, &mut Script64::new(&words)).unwrap_err(),
        sample_uniform_int_below(BigUint::ZERO, &mut Script64::new(&words)).unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::InvalidParameter);
    }
    assert_eq!(sample_uniform_int_below(1u128, &mut Script64::new(&[])).unwrap(), 0);
}

/// The checks above find these mistakes.
mod planted {
    use super::*;

    fn modulo<S: Source>(n: u64, source: &mut S) -> Result<u64> {
        Ok(source.draw()?.value() % n)
    }

    fn no_rejection<S: Source>(n: u64, source: &mut S) -> Result<u64> {
        Ok(source.draw()?.mul(n).0)
    }

    fn rejects_one_too_many<S: Source>(n: u64, source: &mut S) -> Result<u64> {
        let surplus = ((1u128 << S::Word::BITS) % u128::from(n)) as u64;
        loop {
            let (high, low) = source.draw()?.mul(n);
            if !low.is_below(surplus + 1) {
                return Ok(high);
            }
        }
    }

    fn rejects_too_few<S: Source>(n: u64, source: &mut S) -> Result<u64> {
        let surplus = ((1u128 << S::Word::BITS) % u128::from(n)) as u64;
        loop {
            let (high, low) = source.draw()?.mul(n);
            if !low.is_below(surplus - 1) {
                return Ok(high);
            }
        }
    }

    #[test]
    fn mistakes_are_found() {
        let n = 7;
        assert!(law_below::<8>(n, |n, s| modulo(n, s)).is_err());
        assert!(law_below::<8>(n, |n, s| no_rejection(n, s)).is_err());
        assert!(law_below::<8>(n, |n, s| rejects_one_too_many(n, s)).is_err());
        assert!(law_below::<8>(n, |n, s| rejects_too_few(n, s)).is_err());
        let n = (1 << 32) + 1;
        assert!(words_per_outcome(n, no_rejection).is_err());
        assert!(words_per_outcome(n, rejects_one_too_many).is_err());
        assert!(words_per_outcome(n, rejects_too_few).is_err());
    }
}
