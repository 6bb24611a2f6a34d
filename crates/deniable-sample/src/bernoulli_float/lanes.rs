//! Some words of flips at once.

use super::{Dyadic, DyadicDigits};
use crate::backend::{Kernel, vectorized};
use crate::error::Refusal;
use crate::expansion::{Expansion, lowest, uniform_is_below};
use crate::{Error, Result, Source, Word};

/// Words of flips that are drawn side by side.
pub const FLIPS: usize = 32;

impl Dyadic {
    /// Independent flips, `count` of them, at most [`FLIPS`] · [`Word::BITS`]: bit j of word i is flip number i · BITS + j, and is
    /// one with exactly this probability. All other bits are zero.
    ///
    /// Each lane, which is a bit of one of the words, has a uniform number of its own. Its first digits are that bit of some
    /// random words, which are compared with the probability for all lanes at once; lanes that this leaves open, about one for every eight words of
    /// flips, take a word each. Altogether that is about log₂(BITS) + 3 random words for each word of flips, or as many as the
    /// probability has binary places if that is less. See [`sample_bernoulli_float`](crate::sample_bernoulli_float) for
    /// `constant_time`: then it is always as many as there are places. `words` is where they are drawn to, and of no other use.
    ///
    /// # Errors
    ///
    /// A `count` above that; a source that fails.
    ///
    /// # Examples
    ///
    /// ```
    /// use deniable_sample::{Dyadic, OsEntropy};
    /// let quarter = Dyadic::from_float(0.25)?;
    /// let flips: [u64; 32] = quarter.sample_flips(500, false, &mut Vec::new(), &mut OsEntropy::new())?;
    /// assert_eq!(flips[7] >> (500 - 7 * 64), 0);
    /// # Ok::<(), deniable_sample::Error>(())
    /// ```
    pub fn sample_flips<S: Source + ?Sized>(
        self,
        count: usize,
        constant_time: bool,
        words: &mut Vec<S::Word>,
        source: &mut S,
    ) -> Result<[u64; FLIPS]> {
        let width = S::Word::BITS as usize;
        if count > FLIPS * width {
            return Err(Error::invalid_parameter(&Refusal {
                parameter: "count",
                accepted: "at most as many flips as 32 words have bits",
            }));
        }
        let mut lanes = Lanes::new(count, width);
        if self.places == 0 {
            return Ok(if self.mantissa == 1 { lanes.undecided } else { lanes.below });
        }
        let groups = count.div_ceil(width).clamp(1, FLIPS);
        let together = match constant_time {
            true => self.places,
            false => (count / groups).checked_ilog2().map_or(0, |log| log + 3).min(self.places),
        };
        let mut digits = DyadicDigits { probability: self, position: 0 };
        while digits.position < together {
            let length = 64.min(together - digits.position);
            let next = digits.next(length).unwrap_or(0);
            source.draw_many(length as usize * groups, words)?;
            if words.len() != length as usize * groups {
                return Err(Error::entropy_unavailable());
            }
            vectorized(Compare { lanes: &mut lanes, digits: next, length, words, groups });
        }
        if !constant_time && together < self.places {
            lanes.decide(digits, source)?;
        }
        Ok(lanes.below)
    }
}

/// What is known of each lane.
struct Lanes {
    below: [u64; FLIPS],
    undecided: [u64; FLIPS],
}

impl Lanes {
    /// Nothing of any of the first `count`, and nothing is asked of the others.
    fn new(count: usize, width: usize) -> Self {
        let mut undecided = [lowest(width as u32); FLIPS];
        if count < FLIPS * width {
            let lanes = |group: usize| count.saturating_sub(group * width).min(width) as u32;
            undecided = core::array::from_fn(|group| lowest(lanes(group)));
        }
        Lanes { below: [0; FLIPS], undecided }
    }

    /// Compares what is left of the digits with words of each lane's own.
    fn decide<S: Source + ?Sized>(&mut self, rest: DyadicDigits, source: &mut S) -> Result<()> {
        for (below, undecided) in self.below.iter_mut().zip(&mut self.undecided) {
            while *undecided != 0 {
                let lane = undecided.trailing_zeros();
                *below |= u64::from(uniform_is_below(rest, source)?) << lane;
                *undecided &= *undecided - 1;
            }
        }
        Ok(())
    }
}

/// Some digits of the probability, and for each of them a word for every group of lanes.
struct Compare<'a, W> {
    lanes: &'a mut Lanes,
    /// The first of them highest among the lowest `length` bits.
    digits: u64,
    length: u32,
    words: &'a [W],
    groups: usize,
}

impl<W: Word> Kernel for Compare<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Lanes { mut below, mut undecided } = *self.lanes;
        for (place, words) in (0..self.length).rev().zip(self.words.chunks_exact(self.groups)) {
            // All ones or all zeros: no branch depends on what was drawn.
            let digit = (self.digits >> place & 1).wrapping_neg();
            // If all groups are used, their number is known to the compiler.
            match <&[W; FLIPS]>::try_from(words) {
                Ok(words) => compare(digit, words, &mut below, &mut undecided),
                Err(_) => compare(digit, words, &mut below, &mut undecided),
            }
        }
        *self.lanes = Lanes { below, undecided };
    }
}

/// One digit of every lane, which is a bit of the words, with that of the probability.
#[inline(always)]
fn compare<W: Word>(
    digit: u64,
    words: &[W],
    below: &mut [u64; FLIPS],
    undecided: &mut [u64; FLIPS],
) {
    for group in 0..words.len().min(FLIPS) {
        let drawn = words[group].value();
        below[group] |= undecided[group] & digit & !drawn;
        undecided[group] &= !(drawn ^ digit);
    }
}
