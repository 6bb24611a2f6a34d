//! Words that spell a wanted noise, and all scripts of small words.

use dashu_int::IBig;
use dashu_ratio::RBig;
use deniable::{ErrorKind, Result};

use super::law::Segments;
use super::tally::LaplaceTally;
use crate::closed_form::laplace_tail;
use crate::enumerate::{enumerate, inverse_power_of_two};
use crate::law::{Between, Law};
use crate::words::Script;

/// Words from which noise of this scale is z steps: its sign, then a number in the middle of those that make this
/// magnitude.
///
/// They are from e^(−(g+1)/s) to e^(−g/s), so the middle is off by half of 1/s: a float is precise enough by far for the
/// small z and s here, and what follows the first word does not matter.
///
/// # Panics
///
/// If the noise is too unlikely to be spelled so.
pub fn words_for(z: i64, in_steps: f64) -> [u64; 6] {
    let (sign, magnitude) = if z < 0 { (u64::MAX, -1 - z) } else { (0, z) };
    let middle = (-(magnitude as f64 + 0.5) / in_steps).exp();
    assert!(middle / in_steps > 1e-15 && in_steps > 0.1, "noise that one word spells");
    let word = (middle * 2f64.powi(64)) as u64;
    [sign, word, 1 << 63, 1 << 63, 1 << 63, 1 << 63]
}

/// The law of a mechanism's output by running it over every script of at most `depth` words of `BITS` bits.
///
/// # Panics
///
/// If it fails for another reason than a missing word, or does not read its words.
pub fn count_scripts<const BITS: u32, T: Ord + Clone + core::fmt::Debug>(
    depth: usize,
    mechanism: impl Fn(&mut Script<'_, BITS>) -> Result<T>,
) -> Law<T> {
    enumerate(depth, |source| {
        mechanism(source)
            .inspect_err(|error| assert_eq!(error.kind(), ErrorKind::EntropyUnavailable))
    })
}

/// Compares a law by words with the law by noise, up to what the words leave open.
pub fn compare_words(
    name: &str,
    law: &Law<u8>,
    in_steps: &RBig,
    segments: &Segments,
) -> LaplaceTally {
    compare(name, law, 4, probabilities(in_steps, segments))
}

/// The same for vectors of two numbers, whose noise must be independent.
pub fn compare_words_of_two(
    name: &str,
    law: &Law<(u8, u8)>,
    in_steps: &RBig,
    [first, second]: [&Segments; 2],
) -> LaplaceTally {
    let second = probabilities(in_steps, second);
    let both = probabilities(in_steps, first).into_iter().flat_map(|(one, p)| {
        let both = |(other, q): &(u8, Between)| {
            ((one, *other), Between { low: &p.low * &q.low, high: &p.high * &q.high })
        };
        second.iter().map(both).collect::<Vec<_>>()
    });
    // Signs are drawn side by side until both are decided, which leaves more open.
    compare(name, law, 2, both)
}

/// The probability of each output under noise of this scale.
fn probabilities(in_steps: &RBig, segments: &Segments) -> Vec<(u8, Between)> {
    let tail = |&(first, _): &(i64, u8)| laplace_tail(in_steps, &IBig::from(first), 80);
    let tails: Vec<Between> = segments[1..].iter().map(tail).collect();
    let (certain, never) = (Between::exactly(RBig::ONE), Between::exactly(RBig::ZERO));
    let from = [&certain].into_iter().chain(&tails);
    let ends = from.zip(tails.iter().chain([&never]));
    let between = |(&(_, output), (from, to)): (&(i64, u8), (&Between, &Between))| {
        (output, Between { low: &from.low - &to.high, high: &from.high - &to.low })
    };
    segments.iter().zip(ends).map(between).collect()
}

/// The words may leave 2^−open open.
fn compare<T: Ord + Clone + core::fmt::Debug>(
    name: &str,
    law: &Law<T>,
    open: usize,
    support: impl IntoIterator<Item = (T, Between)>,
) -> LaplaceTally {
    let mut tally = LaplaceTally { cases: 1, runs: law.runs, ..LaplaceTally::default() };
    if let Err(finding) = law.check(&inverse_power_of_two(open), support) {
        tally.malformed(|| format!("{name}: {finding}"));
    }
    tally
}
