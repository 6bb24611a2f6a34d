//! Many flips at once.

use alloc::vec::Vec;
use core::fmt;

use super::{Dyadic, DyadicDigits};
use crate::backend::{Kernel, vectorized};
use crate::error::Refusal;
use crate::expansion::{Expansion, lowest, uniform_is_below};
use crate::word::draw_exactly;
use crate::{Error, Result, Source, Word};

/// So many words of flips at a time are enough to make a call of [`Dyadic::sample_flips`] cheap, and few enough for the fastest cache.
pub const FLIPS: usize = 128;

/// The memory that flips are drawn in, to be used again.
pub struct Scratch<W> {
    words: Vec<W>,
    undecided: Vec<u64>,
}

impl<W> Scratch<W> {
    /// None yet.
    pub fn new() -> Self {
        Scratch { words: Vec::new(), undecided: Vec::new() }
    }
}

impl<W> Default for Scratch<W> {
    fn default() -> Self {
        Self::new()
    }
}

impl<W> fmt::Debug for Scratch<W> {
    /// Without the words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch").finish_non_exhaustive()
    }
}

impl Dyadic {
    /// Independent flips, `count` of them: bit j of word i is flip number i · BITS + j, for words of [`Word::BITS`] bits, and is one with exactly
    /// this probability. All other bits are zero.
    ///
    /// Each lane, which is a bit of one of the words, has a uniform number of its own. Its first digits are that bit of some
    /// random words, which are compared with the probability for all lanes at once; lanes that this leaves open, about one for every eight words of
    /// flips, take a word each. Altogether that is about log₂(BITS) + 3 random words for each word of flips, or as many as the
    /// probability has binary places if that is less. See [`sample_bernoulli_float`](crate::sample_bernoulli_float) for
    /// `constant_time`: then it is always as many as there are places.
    ///
    /// # Errors
    ///
    /// More or fewer words than so many flips take; a source that fails. What is in `flips` then must not be used.
    ///
    /// # Examples
    ///
    /// ```
    /// use deniable_sample::{Dyadic, OsEntropy, Scratch};
    /// let (quarter, mut flips) = (Dyadic::from_float(0.25)?, [0; 8]);
    /// quarter.sample_flips(&mut flips, 500, false, &mut Scratch::new(), &mut OsEntropy::new())?;
    /// assert_eq!(flips[7] >> (500 - 7 * 64), 0);
    /// # Ok::<(), deniable_sample::Error>(())
    /// ```
    pub fn sample_flips<S: Source + ?Sized>(
        self,
        flips: &mut [u64],
        count: usize,
        constant_time: bool,
        scratch: &mut Scratch<S::Word>,
        source: &mut S,
    ) -> Result<()> {
        let (groups, width) = (flips.len(), S::Word::BITS as usize);
        if groups != count.div_ceil(width) {
            return Err(Error::invalid_parameter(&Refusal {
                parameter: "flips",
                accepted: "as many words as the flips take",
            }));
        }
        let Scratch { words, undecided } = scratch;
        undecided.clear();
        undecided.resize(groups, lowest(width as u32));
        let Some(last) = undecided.last_mut() else { return Ok(()) };
        *last = lowest((count - (groups - 1) * width) as u32);
        flips.fill(0);
        if self.places == 0 {
            if self.mantissa == 1 {
                flips.copy_from_slice(undecided);
            }
            return Ok(());
        }
        let (together, most) = lengths(self.places, groups, count, constant_time);
        let mut digits = DyadicDigits { probability: self, position: 0 };
        while digits.position < together {
            let length = most.min(together - digits.position);
            let next = digits.next(length).unwrap_or(0);
            draw_exactly(length as usize * groups, words, source)?;
            vectorized(Compare { flips, undecided, digits: next, length, words });
        }
        if together < self.places { decide(flips, undecided, digits, source) } else { Ok(()) }
    }
}

/// How many digits are compared for all lanes together, and how many of so many groups of lanes are drawn at once. By itself, so that the code which sees what is
/// drawn has no division in it.
#[inline(never)]
fn lengths(places: u32, groups: usize, count: usize, constant_time: bool) -> (u32, u32) {
    const WORDS: usize = 2048;
    let together = match constant_time {
        true => places,
        false => places.min((count / groups).max(1).ilog2() + 3),
    };
    (together, (WORDS / groups).clamp(1, 64) as u32)
}

/// Some digits of the probability, and for each of them a word for every group of lanes.
struct Compare<'a, W> {
    /// The lanes whose number is known to be below the probability.
    flips: &'a mut [u64],
    undecided: &'a mut [u64],
    /// The first of them highest among the lowest `length` bits.
    digits: u64,
    length: u32,
    words: &'a [W],
}

impl<W: Word> Kernel for Compare<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let groups = self.flips.len();
        let whole = groups / TOGETHER * TOGETHER;
        let mut compare = self;
        for first in (0..whole).step_by(TOGETHER) {
            compare.some::<TOGETHER>(first);
        }
        for first in whole..groups {
            compare.some::<1>(first);
        }
    }
}

/// So many groups stay in registers while all digits are compared.
const TOGETHER: usize = 16;

impl<W: Word> Compare<'_, W> {
    /// Compares all digits of `N` groups of lanes.
    #[inline(always)]
    fn some<const N: usize>(&mut self, first: usize) {
        let groups = self.flips.len();
        let Some(flips) = self.flips[first..].first_chunk_mut::<N>() else { return };
        let Some(undecided) = self.undecided[first..].first_chunk_mut::<N>() else { return };
        let (mut below, mut open) = (*flips, *undecided);
        let mut at = first;
        for place in (0..self.length).rev() {
            let Some(words) = self.words[at..].first_chunk::<N>() else { return };
            at += groups;
            // The digits are no secret. What was drawn decides no branch.
            if self.digits >> place & 1 == 1 {
                for group in 0..N {
                    let drawn = words[group].value();
                    below[group] |= open[group] & !drawn;
                    open[group] &= drawn;
                }
            } else {
                for group in 0..N {
                    open[group] &= !words[group].value();
                }
            }
        }
        (*flips, *undecided) = (below, open);
    }
}

/// Compares what is left of the digits with words of each undecided lane's own.
fn decide<S: Source + ?Sized>(
    flips: &mut [u64],
    undecided: &mut [u64],
    rest: DyadicDigits,
    source: &mut S,
) -> Result<()> {
    for (flips, undecided) in flips.iter_mut().zip(undecided) {
        while *undecided != 0 {
            let lane = undecided.trailing_zeros();
            *flips |= u64::from(uniform_is_below(rest, source)?) << lane;
            *undecided &= *undecided - 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_were_drawn_are_not_shown() {
        let scratch = Scratch { words: vec![12345u64], undecided: vec![678] };
        assert_eq!(format!("{scratch:?}"), "Scratch { .. }");
    }
}
