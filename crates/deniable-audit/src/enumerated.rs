//! The worst ratio of the very program that ships, by its law over all 64-bit words.
//!
//! The program is run on words that stand for intervals ([`interval`](crate::interval)), so that few runs speak for all
//! words, and the probabilities that come out are rational numbers. What is stated about the mechanism is not used.
//! That the words themselves are uniform is: nothing here looks at the source of entropy.

use core::fmt::Debug;

use dashu_ratio::RBig;
use deniable::{RandomizedResponse, RandomizedResponseBool};
use deniable_sample::Error;

use crate::exact::{Worst, fraction};
use crate::interval::{Intervals, Range, explore};
use crate::law::{Law, given_one_pass};

/// With more categories it would take long.
pub const MOST_CATEGORIES: u32 = 32;

/// What was found, and by how many runs of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumerated {
    /// The worst ratio over all pairs of inputs.
    pub worst: Worst,
    /// The inputs.
    pub inputs: usize,
    /// The runs.
    pub runs: u64,
}

/// Yes against no.
///
/// # Errors
///
/// A law of which a part is not known.
pub fn yes_no(mechanism: &RandomizedResponseBool) -> Result<Enumerated, String> {
    // A probability from 0.5 to 1 has at most 53 digits: one word decides.
    of_laws([false, true].map(|answer| {
        let run = |words: &mut Intervals| mechanism.randomize(&answer, words);
        explore(Range::ALL, 1, |words| run(words).map_err(|_| Error::entropy_unavailable()))
    }))
}

/// Every category, and an answer that is none of them, against every other.
///
/// # Errors
///
/// More than [`MOST_CATEGORIES`]; a law of which a part is not known.
pub fn choice(mechanism: &RandomizedResponse<u32>) -> Result<Enumerated, String> {
    let categories = mechanism.categories().len() as u32;
    if categories > MOST_CATEGORIES {
        return Err(format!("at most {MOST_CATEGORIES} categories can be enumerated"));
    }
    // One word each for the truth, for anyone, and for another unless there is only one.
    let draws = if categories == 2 { 2 } else { 3 };
    let mut answers: Vec<u32> = mechanism.categories().copied().collect();
    let outside = (0..=categories).find(|answer| !answers.contains(answer));
    answers.extend(outside);
    of_laws(answers.iter().map(|answer| {
        let run = |words: &mut Intervals| mechanism.randomize(answer, words);
        explore(Range::ALL, draws, |words| run(words).map_err(|_| Error::entropy_unavailable()))
    }))
}

/// The worst ratio of all pairs of laws.
fn of_laws<T: Ord + Clone + Debug>(
    laws: impl IntoIterator<Item = Law<T>>,
) -> Result<Enumerated, String> {
    let laws: Vec<Law<T>> = laws.into_iter().collect();
    // What is left are draws that are made again, which are rare with words of 64 bits.
    if laws.iter().any(|law| law.remainder > fraction(1, 1 << 32)) {
        return Err("a part of the law is not known".to_owned());
    }
    let runs = laws.iter().map(|law| law.runs).sum();
    let laws: Vec<Law<T>> = laws.into_iter().map(given_one_pass).collect();
    let mut worst = Worst::Ratio(RBig::ONE);
    for (i, left) in laws.iter().enumerate() {
        for right in &laws[i + 1..] {
            worst = worst.max(Worst::of_laws(left, right));
        }
    }
    Ok(Enumerated { worst, inputs: laws.len(), runs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stated;
    use deniable::{make_randomized_response, make_randomized_response_bool};

    /// The programs have the stated laws, to the last digit; and other laws are told from them.
    #[test]
    fn programs_have_the_stated_ratios() {
        for prob in [0.5, 0.75, 0.9, 0.731_058_578_630_004_9, 1.0] {
            let found = yes_no(&make_randomized_response_bool(prob, false).unwrap()).unwrap();
            assert_eq!(found.worst, stated::yes_no(prob));
            assert_eq!(found.worst == stated::yes_no(0.9), prob == 0.9);
        }
        for (t, prob) in [(2, 0.75), (3, 0.5), (5, 0.9), (7, 1.0 / 7.0), (MOST_CATEGORIES, 0.3)] {
            let found = choice(&make_randomized_response(0..t, prob).unwrap()).unwrap();
            let stated = stated::choice(t, prob).into_iter().max().unwrap();
            assert_eq!((found.worst, found.inputs), (stated, t as usize + 1));
        }
    }

    #[test]
    fn too_many_categories_are_refused() {
        let many = make_randomized_response(0..MOST_CATEGORIES + 1, 0.5).unwrap();
        assert!(choice(&many).is_err());
    }

    #[test]
    fn a_law_that_is_not_known_is_refused() {
        let mut half = Law::new();
        half.add(1u8, fraction(1, 2));
        half.remainder = fraction(1, 2);
        assert!(of_laws([half]).is_err());
    }
}
