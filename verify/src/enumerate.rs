//! The exact law of a sampler, by running it over every script of words.

use core::fmt::Debug;
use core::ops::Add;
use std::collections::BTreeMap;

use dashu_int::UBig;
use dashu_ratio::RBig;

use crate::law::Law;
pub use crate::law::inverse_power_of_two;
use crate::words::Script;

/// Runs `sampler` over every script of at most `depth` words of `BITS` bits.
///
/// A script is made longer only when the sampler asks for another word, so each run that ends has read
/// all of its script, and its probability is 2^−(BITS · words). Scripts that would need more than `depth`
/// words are the remainder.
///
/// # Panics
///
/// If the sampler fails without having asked for more words than there are, or ends without having read
/// them all: neither is a sampler.
pub fn enumerate<const BITS: u32, T: Ord + Clone + Debug, E>(
    depth: usize,
    sampler: impl Fn(&mut Script<'_, BITS>) -> Result<T, E>,
) -> Law<T> {
    // How many scripts of each length have each outcome.
    let mut counts: BTreeMap<T, Vec<u64>> = BTreeMap::new();
    let (mut unresolved, mut runs) = (0, 0);
    let mut script = Vec::new();
    // Depth-first: a script that runs out grows by a zero, one that ends is counted up.
    loop {
        let mut source = Script::new(&script);
        let outcome = sampler(&mut source);
        let asked = source.asked;
        runs += 1;
        match outcome {
            Err(_) if asked > script.len() && script.len() < depth => {
                script.push(0);
                continue;
            }
            Err(_) => {
                assert!(asked > script.len(), "the sampler failed with words to spare");
                unresolved += 1;
            }
            Ok(outcome) => {
                assert_eq!(asked, script.len(), "the sampler did not read what it asked for");
                counts.entry(outcome).or_insert_with(|| vec![0; depth + 1])[asked] += 1;
            }
        }
        while script.last() == Some(&((1 << BITS) - 1)) {
            script.pop();
        }
        match script.last_mut() {
            Some(last) => *last += 1,
            None => break,
        }
    }
    let share = |(length, &count): (usize, &u64)| {
        RBig::from(UBig::from(count)) * inverse_power_of_two(BITS as usize * length)
    };
    let total = |counts: Vec<u64>| counts.iter().enumerate().map(share).fold(RBig::ZERO, Add::add);
    let mass = counts.into_iter().map(|(outcome, counts)| (outcome, total(counts))).collect();
    Law { mass, remainder: share((depth, &unresolved)), runs }
}

/// Whether all of `count` outcomes are equally likely: each has its share of what is resolved.
pub fn is_uniform<T: Ord + Debug>(law: &Law<T>, count: usize) -> bool {
    let share = (RBig::ONE - &law.remainder) / RBig::from(count);
    law.mass.len() == count && law.mass.values().all(|mass| *mass == share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_sample::{Error, Result, Source, Word};

    #[test]
    #[should_panic(expected = "words to spare")]
    fn a_sampler_that_fails_by_itself_is_none() {
        enumerate::<4, bool, _>(2, |s| s.draw().and_then(|_| Err(Error::entropy_unavailable())));
    }

    #[test]
    #[should_panic(expected = "did not read what it asked for")]
    fn a_sampler_that_goes_on_after_a_failure_is_none() {
        enumerate::<4, _, Error>(2, |s| Ok((0..5).filter(|_| s.draw().is_ok()).count()));
    }

    #[test]
    fn a_sampler_that_stops_early_weighs_more() {
        let law = enumerate::<4, _, Error>(2, |s| -> Result<bool> {
            let first = s.draw()?.value();
            Ok(first < 4 || s.draw()?.value() < 8)
        });
        assert_eq!(law.remainder, RBig::ZERO);
        assert_eq!(law.mass[&true], RBig::from_parts(5.into(), 8u32.into()));
    }
}
