//! The exact law over 64-bit words of a sampler that is monotone in a word.
//!
//! Where a sampler turns a word into a number, no comparison splits an interval of words. If what it
//! returns is monotone in the word wherever it does return, two words with the same outcome speak for
//! all between them, and bisection finds every step. Some words in between are run all the same.

use core::fmt::Debug;

use dashu_int::UBig;
use dashu_ratio::RBig;

use crate::law::{Law, inverse_power_of_two};

/// The law of `outcome`, which is monotone in the word; None where one word does not decide.
pub fn bisect<T: Ord + Clone + Debug>(outcome: impl Fn(u64) -> Option<T>) -> Law<T> {
    let mut law = Law::new();
    let mut pending = vec![(0, outcome(0), u64::MAX, outcome(u64::MAX))];
    while let Some((first, at_first, last, at_last)) = pending.pop() {
        law.runs += 1;
        if at_first == at_last && at_first.is_some() || first == last {
            for word in between(first, last) {
                assert_eq!(outcome(word), at_first, "not monotone");
            }
            let words = UBig::from(last - first) + UBig::ONE;
            let probability = RBig::from(words) * inverse_power_of_two(64);
            match at_first {
                Some(outcome) => law.add(outcome, probability),
                None => law.remainder += probability,
            }
            continue;
        }
        let middle = first + (last - first) / 2;
        let (left, right) = (outcome(middle), outcome(middle + 1));
        pending.push((first, at_first, middle, left));
        pending.push((middle + 1, right, last, at_last));
    }
    law
}

/// Five words from first to last: the ends' neighbours, the middle, and two more.
fn between(first: u64, last: u64) -> impl Iterator<Item = u64> {
    let length = last - first;
    [1, length / 3, length / 2, length - length / 7, length.saturating_sub(1)]
        .into_iter()
        .map(move |offset| first + offset.min(length))
}
