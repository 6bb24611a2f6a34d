//! Words of 64 bits that stand for an interval which every comparison splits.
//!
//! A sampler is run with one word of the interval. Each comparison notes for which words of the interval
//! it would have come out the same, so that the run speaks for all words that are left in the end. The
//! others are run later. Where every comparison goes through [`Word`], the law found is that of the code
//! that ships, over all 2^64 words, not over a sample of them.

use core::cell::RefCell;
use core::cmp::Ordering;
use core::fmt::Debug;

use dashu_int::UBig;
use dashu_ratio::RBig;
use deniable_sample::{Error, Low, Result, Source, Word};

use crate::law::{Law, inverse_power_of_two};

/// The words from `first` to `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first word.
    pub first: u64,
    /// The last word.
    pub last: u64,
}

impl Range {
    /// All words.
    pub const ALL: Range = Range { first: 0, last: u64::MAX };

    fn probability(self) -> RBig {
        let count = UBig::from(self.last - self.first) + UBig::ONE;
        RBig::from(count) * inverse_power_of_two(64)
    }
}

/// The exact law of `sampler` over all scripts of at most `depth` words, the first one from `first`.
///
/// Probabilities are relative to `first`: they add up to its share of all words.
pub fn explore<T: Ord + Clone + Debug>(
    first: Range,
    depth: usize,
    sampler: impl Fn(&mut Intervals) -> Result<T>,
) -> Law<T> {
    explore_paths(first, depth, sampler, |_, _| {})
}

/// [`explore`], and `seen` gets each path: the intervals of the words drawn, and the outcome that all words of
/// these intervals have, or None if they are too few. So the same words can be given to other code.
pub fn explore_paths<T: Ord + Clone + Debug>(
    first: Range,
    depth: usize,
    sampler: impl Fn(&mut Intervals) -> Result<T>,
    mut seen: impl FnMut(&[Range], Option<&T>),
) -> Law<T> {
    let mut law = Law::new();
    let mut pending = vec![vec![first]];
    while let Some(ranges) = pending.pop() {
        PATH.set(ranges.clone());
        let mut source = Intervals { asked: 0, depth };
        let outcome = sampler(&mut source);
        let asked = source.asked.min(depth);
        law.runs += 1;
        let mut path = PATH.take();
        // A sampler that draws nothing leaves the first range untouched.
        path.truncate(asked);
        seen(&path, outcome.as_ref().ok());
        let probability =
            path.iter().fold(RBig::ONE, |product, range| product * range.probability());
        match outcome {
            Ok(outcome) => law.add(outcome, probability),
            Err(_) => {
                assert!(source.asked > depth, "the sampler failed with words to spare");
                law.remainder += probability;
            }
        }
        leave_for_later(&mut pending, &ranges, &path);
    }
    law
}

/// What a run does not speak for: the first words as in the run, the next one outside of it.
fn leave_for_later(pending: &mut Vec<Vec<Range>>, ranges: &[Range], path: &[Range]) {
    for (i, &seen) in path.iter().enumerate() {
        let given = ranges.get(i).copied().unwrap_or(Range::ALL);
        let mut before = path[..i].to_vec();
        if given.first < seen.first {
            before.push(Range { first: given.first, last: seen.first - 1 });
            pending.push(before.clone());
            before.pop();
        }
        if seen.last < given.last {
            before.push(Range { first: seen.last + 1, last: given.last });
            pending.push(before);
        }
    }
}

/// The source of such words.
#[derive(Debug)]
pub struct Intervals {
    asked: usize,
    depth: usize,
}

impl Intervals {
    /// How many words were asked for, the one that was not there included.
    pub fn asked(&self) -> usize {
        self.asked
    }

    /// The words of the same run, from the first. What is compared with them narrows the run further.
    pub fn again(&self) -> Self {
        Intervals { asked: 0, depth: self.depth }
    }
}

impl Source for Intervals {
    type Word = IntervalWord;

    fn draw(&mut self) -> Result<IntervalWord> {
        self.asked += 1;
        if self.asked > self.depth {
            return Err(Error::entropy_unavailable());
        }
        let index = self.asked - 1;
        let range = PATH.with_borrow_mut(|path| {
            if path.len() == index {
                path.push(Range::ALL);
            }
            path[index]
        });
        Ok(IntervalWord { index, value: range.first })
    }
}

/// A word that stands for an interval.
#[derive(Clone, Copy, Debug)]
pub struct IntervalWord {
    index: usize,
    value: u64,
}

impl IntervalWord {
    /// Notes that the run speaks only for words from `first` to `last`.
    fn narrow(self, first: u64, last: u64) {
        assert!(first <= self.value && self.value <= last);
        PATH.with_borrow_mut(|path| {
            let range = &mut path[self.index];
            range.first = range.first.max(first);
            range.last = range.last.min(last);
        });
    }
}

impl Word for IntervalWord {
    const BITS: u32 = 64;

    type Low = IntervalLow;

    fn compare(self, digit: u64) -> Ordering {
        let order = self.value.cmp(&digit);
        match order {
            Ordering::Less => self.narrow(0, digit - 1),
            Ordering::Equal => self.narrow(digit, digit),
            Ordering::Greater => self.narrow(digit + 1, u64::MAX),
        }
        order
    }

    fn below_and_equal(self, digit: u64) -> (u64, u64) {
        let order = self.compare(digit);
        (u64::from(order == Ordering::Less), u64::from(order == Ordering::Equal))
    }

    fn mul(self, n: u64) -> (u64, IntervalLow) {
        let (high, _) = Word::mul(self.value, n);
        // The words with the same high half: ⌈high · 2^64 / n⌉ to ⌈(high + 1) · 2^64 / n⌉ − 1.
        let last = first_with(u128::from(high) + 1, 0, n) - 1;
        self.narrow(first_with(high.into(), 0, n) as u64, last as u64);
        (high, IntervalLow { word: self, n, high })
    }

    fn value(self) -> u64 {
        self.narrow(self.value, self.value);
        self.value
    }
}

/// The low half of such a word's product, within words that share the high half.
#[derive(Clone, Copy, Debug)]
pub struct IntervalLow {
    word: IntervalWord,
    n: u64,
    high: u64,
}

impl Low for IntervalLow {
    fn is_below(self, threshold: u64) -> bool {
        let (_, low) = Word::mul(self.word.value, self.n);
        let is_below = low < threshold;
        let split = first_with(self.high.into(), threshold, self.n);
        if is_below {
            self.word.narrow(0, (split - 1) as u64);
        } else {
            self.word.narrow(split as u64, u64::MAX);
        }
        is_below
    }
}

thread_local! {
    /// The words of the present run, narrowed so far.
    static PATH: RefCell<Vec<Range>> = const { RefCell::new(Vec::new()) };
}

/// The first word whose product with n is at least high · 2^64 + low; 2^64 if there is none.
fn first_with(high: u128, low: u64, n: u64) -> u128 {
    if high >= n.into() {
        return 1 << 64;
    }
    (high << 64 | u128::from(low)).div_ceil(n.into()).min(1 << 64)
}
