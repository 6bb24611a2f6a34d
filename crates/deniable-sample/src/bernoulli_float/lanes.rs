//! As many flips as a word has bits, at once.

use super::{Dyadic, DyadicDigits};
use crate::expansion::{Expansion, lowest, uniforms_are_below};
use crate::{Result, Source, Word};

impl Dyadic {
    /// Independent flips, as many as `lanes` says: each of the lowest bits of the result is one with exactly this
    /// probability, and the others are zero. There are no more than [`Word::BITS`].
    ///
    /// Bit j of each random word is the next digit of a uniform number of lane j, and all lanes are compared with the
    /// probability at once. That takes about log₂(lanes) + 2 words for all of them, or as many as the probability has binary
    /// places if that is less. See [`sample_bernoulli_float`](crate::sample_bernoulli_float) for `constant_time`: then it is
    /// always as many as there are places.
    ///
    /// # Errors
    ///
    /// A source that fails.
    ///
    /// # Examples
    ///
    /// ```
    /// use deniable_sample::{Dyadic, OsEntropy};
    /// let flips: u64 = Dyadic::from_float(0.25)?.sample_lanes(64, false, &mut OsEntropy::new())?;
    /// assert_eq!(Dyadic::from_float(1.0)?.sample_lanes(3, false, &mut OsEntropy::new())?, 0b111);
    /// # Ok::<(), deniable_sample::Error>(())
    /// ```
    #[inline]
    pub fn sample_lanes<S: Source + ?Sized>(
        self,
        lanes: u32,
        constant_time: bool,
        source: &mut S,
    ) -> Result<u64> {
        if self.places == 0 {
            return Ok(if self.mantissa == 1 { lowest(lanes.min(S::Word::BITS)) } else { 0 });
        }
        let digits = DyadicDigits { probability: self, position: 0 };
        if constant_time {
            all_digits_of_lanes(digits, lanes, source)
        } else {
            uniforms_are_below(digits, lanes, source)
        }
    }

    /// About how many words [`Dyadic::sample_lanes`] draws for as many lanes as a word has.
    pub fn words_for_lanes(self, constant_time: bool) -> usize {
        // In 64 lanes, 1 in 64 is left after six places.
        let enough = if constant_time { u32::MAX } else { 8 };
        self.places.min(enough) as usize
    }
}

/// The comparison of [`uniforms_are_below`] with every digit read and no branch on what was drawn.
fn all_digits_of_lanes<S: Source + ?Sized>(
    mut digits: DyadicDigits,
    lanes: u32,
    source: &mut S,
) -> Result<u64> {
    let (mut below, mut undecided) = (0, lowest(lanes.min(S::Word::BITS)));
    while let Some(digit) = digits.next(1) {
        let drawn = source.draw()?.value();
        below |= undecided & digit.wrapping_neg() & !drawn;
        undecided &= !(drawn ^ digit.wrapping_neg());
    }
    Ok(below)
}
