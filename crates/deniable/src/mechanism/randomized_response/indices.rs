//! Categories as their places in the list.

use alloc::vec::Vec;
use core::hash::Hash;
use core::hint::black_box;

#[cfg(feature = "std")]
use deniable_sample::OsEntropy;
use deniable_sample::{Dyadic, EitherBelow, Kernel, Scratch, Source, Word, vectorized};

use super::RandomizedResponse;
use crate::bulk::in_parts;
use crate::{Error, Result};

/// An unsigned integer that is the place of a category in the list: `u8`, `u16`, `u32`.
pub trait CategoryIndex: sealed::Sealed + Copy + Send + Sync + Into<u32> {
    /// The largest one.
    const MOST: u32;

    /// The index of this place, which is at most [`CategoryIndex::MOST`].
    fn from_place(place: u32) -> Self;
}

impl<T: Eq + Hash + Clone + Send + Sync> RandomizedResponse<T> {
    /// Randomizes answers where they are, given as places in the list of [categories](RandomizedResponse::categories), from 0. A
    /// place behind the end of the list is an answer that is none of the categories, and becomes any of them.
    ///
    /// # Errors
    ///
    /// Integers too short for so many categories: then all answers stay as they are. A source of entropy that fails: then all answers are
    /// 0, and none is left as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use deniable::prelude::*;
    ///
    /// let drink = make_randomized_response(["tea", "coffee", "other"], 0.8)?;
    /// let mut answers: [u8; 4] = [0, 1, 1, 2];
    /// drink.invoke_indices(&mut answers)?;
    /// assert!(answers.iter().all(|&place| place < 3));
    /// # Ok::<(), deniable::Error>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn invoke_indices<I: CategoryIndex>(&self, answers: &mut [I]) -> Result<()> {
        self.check_index::<I>()?;
        in_parts(answers, I::from_place(0), LEAST, |part| {
            self.randomize_indices(part, &mut OsEntropy::new())
        })
    }

    /// [`RandomizedResponse::invoke_indices`] for random words of any width. On failure some answers may be as they were.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn randomize_indices<I: CategoryIndex, S: Source + ?Sized>(
        &self,
        answers: &mut [I],
        source: &mut S,
    ) -> Result<()> {
        self.check_index::<I>()?;
        randomize_places(self.categories.len() as u32, self.truth, answers, source)
    }

    /// [`RandomizedResponse::invoke_indices`] in a time that depends on neither the answers nor the reports.
    ///
    /// # Privacy
    ///
    /// No branch and no memory access depends on an answer, or on what is drawn, but for one: now and then a random word is rejected and another drawn, which says nothing of
    /// the report. Whether an answer is one of the categories is not told either. Those given as values are looked up in a table, and have no such form.
    ///
    /// # Errors
    ///
    /// As there.
    ///
    /// # Examples
    ///
    /// ```
    /// use deniable::prelude::*;
    ///
    /// let drink = make_randomized_response(["tea", "coffee", "other"], 0.8)?;
    /// let mut answers: [u8; 4] = [0, 1, 1, 2];
    /// drink.invoke_indices_constant_time(&mut answers)?;
    /// assert!(answers.iter().all(|&place| place < 3));
    /// # Ok::<(), deniable::Error>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn invoke_indices_constant_time<I: CategoryIndex>(&self, answers: &mut [I]) -> Result<()> {
        self.check_index::<I>()?;
        in_parts(answers, I::from_place(0), LEAST, |part| {
            self.randomize_indices_constant_time(part, &mut OsEntropy::new())
        })
    }

    /// [`RandomizedResponse::invoke_indices_constant_time`] for random words of any width; those of 64 bits are constant time. On failure some answers may
    /// be as they were.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn randomize_indices_constant_time<I: CategoryIndex, S: Source + ?Sized>(
        &self,
        answers: &mut [I],
        source: &mut S,
    ) -> Result<()> {
        self.check_index::<I>()?;
        let t = self.categories.len() as u32;
        let (width, others) = (S::Word::BITS as usize, EitherBelow::new(t)?);
        let mut scratch = Scratch::new();
        for answers in answers.chunks_mut(width) {
            let mut truthful = [0];
            self.truth.sample_flips(&mut truthful, answers.len(), true, &mut scratch, source)?;
            for (lane, answer) in answers.iter_mut().enumerate() {
                let [any, other] = others.sample(source)?;
                let place = (*answer).into();
                *answer = I::from_place(choose(t, place, truthful[0] >> lane & 1, any, other));
            }
        }
        Ok(())
    }

    fn check_index<I: CategoryIndex>(&self) -> Result<()> {
        let last = self.categories.len() - 1;
        if last <= I::MOST as usize {
            return Ok(());
        }
        let problem = format!("their type has no number for category {}", last + 1);
        Err(Error::invalid_parameter("answers", problem, "longer unsigned integers"))
    }
}

/// Randomizes places below t, each with the probability of `truth` of its staying as it is. One behind the end becomes any of them.
pub(crate) fn randomize_places<I: CategoryIndex, S: Source + ?Sized>(
    t: u32,
    truth: Dyadic,
    answers: &mut [I],
    source: &mut S,
) -> Result<()> {
    let (width, others) = (S::Word::BITS as usize, EitherBelow::new(t)?);
    let most = answers.len().min(GROUPS * width);
    let (mut any, mut other, mut words) = (vec![0; most], vec![0; most], Vec::new());
    let (mut drawn, mut scratch) = ([0; GROUPS], Scratch::new());
    for answers in answers.chunks_mut(GROUPS * width) {
        let count = answers.len();
        let truthful = &mut drawn[..count.div_ceil(width)];
        // Everything is drawn whatever the answers, so that all of them draw the same words.
        truth.sample_flips(truthful, count, false, &mut scratch, source)?;
        others.sample_all(&mut any[..count], &mut other[..count], &mut words, source)?;
        let drawn = truthful.iter().zip(any.chunks(width).zip(other.chunks(width)));
        for (answers, (&truthful, (any, other))) in answers.chunks_mut(width).zip(drawn) {
            vectorized(Answers { answers, t, truthful, any, other });
        }
    }
    Ok(())
}

/// The place, if it is below t and the answer is truthful (1, not 0); one of the others, if it is below t and the answer is not; else any of them. Without a branch.
#[inline]
fn choose(t: u32, place: u32, truthful: u64, any: u32, other: u32) -> u32 {
    // All ones or all zeros, hidden from the optimizer, which could make a jump of them.
    let all = |bit: u64| black_box(bit.wrapping_neg()) as u32;
    let is_below = |a: u32, b: u32| u64::from(a).wrapping_sub(u64::from(b)) >> 63;
    let (is_category, is_truthful) = (all(is_below(place, t)), all(truthful));
    // Those from the truth on move up by one, over it.
    let another = other.wrapping_add(1 - is_below(other, place) as u32);
    let report = place & is_truthful | another & !is_truthful;
    report & is_category | any & !is_category
}

/// Words of flips that are drawn at once.
const GROUPS: usize = 16;

/// Fewer answers than these are not worth a thread.
const LEAST: usize = 1 << 15;

/// Some answers, at most 64, and what was drawn for each.
struct Answers<'a, I> {
    answers: &'a mut [I],
    t: u32,
    truthful: u64,
    any: &'a [u32],
    other: &'a [u32],
}

impl<I: CategoryIndex> Kernel for Answers<'_, I> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let drawn = self.any.iter().zip(self.other);
        for (lane, (answer, (&any, &other))) in self.answers.iter_mut().zip(drawn).enumerate() {
            let place: u32 = (*answer).into();
            let is_truthful = self.truthful >> lane & 1 == 1;
            // Those from the truth on move up by one, over it.
            let another = other + u32::from(other >= place);
            let report = if is_truthful { place } else { another };
            *answer = I::from_place(if place < self.t { report } else { any });
        }
    }
}

mod sealed {
    /// A place is below 2^32.
    pub trait Sealed {}
}

macro_rules! indices {
    ($($index:ty)*) => {$(
        impl sealed::Sealed for $index {}

        impl CategoryIndex for $index {
            const MOST: u32 = <$index>::MAX as u32;

            #[inline(always)]
            fn from_place(place: u32) -> Self {
                place as $index
            }
        }
    )*};
}

indices!(u8 u16 u32);
