//! Categories as their places in the list.

use core::hash::Hash;

use deniable_sample::{Dyadic, EitherBelow, Kernel, OsEntropy, Scratch, Source, Word, vectorized};

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
