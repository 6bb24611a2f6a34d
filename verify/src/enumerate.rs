//! The exact law of a sampler, by running it over every script of words.

use core::fmt::Debug;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use deniable_sample::Result;

use crate::law::Law;
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
pub fn enumerate<const BITS: u32, T: Ord + Clone + Debug>(
    depth: usize,
    sampler: impl Fn(&mut Script<'_, BITS>) -> Result<T>,
) -> Law<T> {
    let mut law = Law::new();
    let mut unresolved = 0u128;
    let mut script = Vec::new();
    // Depth-first: a script that runs out grows by a zero, one that ends is counted up.
    loop {
        let mut source = Script::new(&script);
        let outcome = sampler(&mut source);
        let asked = source.asked;
        law.runs += 1;
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
                law.add(outcome, inverse_power_of_two(BITS as usize * script.len()));
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
    let unit = inverse_power_of_two(BITS as usize * depth);
    law.remainder = unit * RBig::from(UBig::from(unresolved));
    law
}

/// 2^−n.
pub fn inverse_power_of_two(n: usize) -> RBig {
    RBig::from_parts(IBig::ONE, UBig::ONE << n)
}
