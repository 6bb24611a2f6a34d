//! As many flips as a word has bits, at once.

use super::Dyadic;
use crate::{Result, Source, Word};

impl Dyadic {
    /// A word of independent flips: each of its bits is one with exactly this probability. Bits beyond
    /// [`Word::BITS`] are zero.
    ///
    /// Bit j of each random word is the next digit of a uniform number of lane j, and all lanes are compared with the
    /// probability at once. That takes about log₂(BITS) + 2 words for all of them, or as many as the probability has binary
    /// places if that is less. See [`sample_bernoulli_float`](crate::sample_bernoulli_float) for `constant_time`: then it is always as many as there are places.
    ///
    /// # Errors
    ///
    /// A source that fails.
    ///
    /// # Examples
    ///
    /// ```
    /// use deniable_sample::{Dyadic, OsEntropy};
    /// let flips: u64 = Dyadic::from_float(0.25)?.sample_lanes(false, &mut OsEntropy::new())?;
    /// assert_eq!(Dyadic::from_float(1.0)?.sample_lanes(false, &mut OsEntropy::new())?, u64::MAX);
    /// # Ok::<(), deniable_sample::Error>(())
    /// ```
    #[inline]
    pub fn sample_lanes<S: Source + ?Sized>(
        self,
        constant_time: bool,
        source: &mut S,
    ) -> Result<u64> {
        let lanes = u64::MAX >> (64 - S::Word::BITS);
        if self.places == 0 {
            return Ok(if self.mantissa == 1 { lanes } else { 0 });
        }
        let (mut below, mut undecided) = (0, lanes);
        for place in (0..self.places).rev() {
            // All ones if the digit at this place is one, else all zeros: without a branch on what was drawn.
            let digit = (self.mantissa.checked_shr(place).unwrap_or(0) & 1).wrapping_neg();
            let drawn = source.draw()?.value();
            below |= undecided & digit & !drawn;
            undecided &= !(drawn ^ digit);
            if !constant_time && undecided == 0 {
                break;
            }
        }
        Ok(below)
    }
}
