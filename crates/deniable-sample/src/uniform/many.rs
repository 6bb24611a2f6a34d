//! Many uniform integers below one bound, several from a word.

use alloc::vec::Vec;

use super::{sample_uniform_int_below, surplus};
use crate::error::Refusal;
use crate::word::draw_exactly;
use crate::{Error, Result, Source, Word};

/// Independent integers below n, each uniform, of which one word gives several.
///
/// ```
/// use deniable_sample::{ManyBelow, OsEntropy};
///
/// let mut dice = [0; 100];
/// ManyBelow::new(6)?.sample_all(&mut dice, &mut Vec::new(), &mut OsEntropy::new())?;
/// assert!(dice.iter().all(|&die| die < 6));
/// assert!(ManyBelow::new(0).is_err() && ManyBelow::new(65_537).is_err());
/// # Ok::<(), deniable_sample::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManyBelow {
    n: u32,
}

impl ManyBelow {
    /// Below `n`.
    ///
    /// # Errors
    ///
    /// An `n` of zero, or above 2^16.
    pub fn new(n: u32) -> Result<Self> {
        if (1..=1 << 16).contains(&n) {
            return Ok(ManyBelow { n });
        }
        Err(Error::invalid_parameter(&Refusal {
            parameter: "n",
            accepted: "an integer from 1 to 65536",
        }))
    }

    /// Draws as many as `below` has room for. `words` is where random words are drawn to.
    ///
    /// # Errors
    ///
    /// A source that fails. What is in `below` then must not be used.
    pub fn sample_all<S: Source + ?Sized>(
        &self,
        below: &mut [u16],
        words: &mut Vec<S::Word>,
        source: &mut S,
    ) -> Result<()> {
        let (digits, power) = self.digits(S::Word::BITS);
        if digits == 0 {
            return self.sample_each(below, source);
        }
        let surplus = surplus(power, S::Word::BITS);
        draw_exactly(below.len().div_ceil(digits), words, source)?;
        let mut rejected = Vec::new();
        for (group, (below, word)) in below.chunks_mut(digits).zip(&*words).enumerate() {
            let skipped = digits - below.len();
            if self.split(word.value(), S::Word::BITS, below, skipped) < surplus {
                rejected.push(group);
            }
        }
        for group in rejected {
            let end = below.len().min((group + 1) * digits);
            self.sample_each(&mut below[group * digits..end], source)?;
        }
        Ok(())
    }

    /// How many integers a word gives, and n to that power: so many that few words are rejected.
    fn digits(&self, bits: u32) -> (usize, u64) {
        let (n, most) = (u64::from(self.n), 1u64 << (bits - bits / 4));
        if n == 1 {
            return (0, 1);
        }
        let (mut digits, mut power) = (0, 1u64);
        while power <= most / n {
            (digits, power) = (digits + 1, power * n);
        }
        (digits, power)
    }

    /// The first digits, in base n, of a number below 1 whose binary digits are this word, and what is left of it after these and
    /// `skipped` more.
    #[inline]
    fn split(&self, word: u64, bits: u32, digits: &mut [u16], skipped: usize) -> u64 {
        let low = u64::MAX >> (64 - bits);
        let next = |left: u64| {
            let product = u128::from(left) * u128::from(self.n);
            ((product >> bits) as u16, product as u64 & low)
        };
        let mut left = word;
        for digit in digits {
            (*digit, left) = next(left);
        }
        (0..skipped).fold(left, |left, _| next(left).1)
    }

    fn sample_each<S: Source + ?Sized>(&self, below: &mut [u16], source: &mut S) -> Result<()> {
        for below in below {
            *below = sample_uniform_int_below(self.n, source)? as u16;
        }
        Ok(())
    }
}
