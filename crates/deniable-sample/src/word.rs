//! Machine words as the samplers see them.
//!
//! A sampler touches a random word only through [`Word`]. That is what lets the code which ships with
//! 64-bit words be run over every word of 4 or 8 bits, and with words that stand for an interval which
//! each comparison splits.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::{Entropy, Error, Result};

/// A uniformly random word of [`Word::BITS`] bits.
pub trait Word: Copy {
    /// The width. It divides 64.
    const BITS: u32;

    /// The low half of a product, see [`Word::mul`].
    type Low: Low;

    /// The order of this word and `digit`, which is below 2^BITS.
    fn compare(self, digit: u64) -> Ordering;

    /// Whether this word is below `digit`, and whether it equals it, each as 0 or 1, without a branch.
    fn below_and_equal(self, digit: u64) -> (u64, u64);

    /// The two halves of this word times `n`, where `n` is below 2^BITS.
    fn mul(self, n: u64) -> (u64, Self::Low);

    /// The word as a number below 2^BITS.
    fn value(self) -> u64;
}

/// The low half of a random word's product.
pub trait Low: Copy {
    /// Whether it is below `threshold`.
    fn is_below(self, threshold: u64) -> bool;
}

/// A source of random words. Every [`Entropy`] is one, with words of 64 bits.
pub trait Source {
    /// The words it gives.
    type Word: Word;

    /// Draws one word.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::EntropyUnavailable`](crate::ErrorKind) when there is none to be had.
    fn draw(&mut self) -> Result<Self::Word>;

    /// Draws `count` words in the order [`Source::draw`] would, in the place of what `words` held.
    ///
    /// # Errors
    ///
    /// As there. What is in `words` then must not be used.
    fn draw_many(&mut self, count: usize, words: &mut Vec<Self::Word>) -> Result<()> {
        words.clear();
        for _ in 0..count {
            words.push(self.draw()?);
        }
        Ok(())
    }
}

impl<E: Entropy + ?Sized> Source for E {
    type Word = u64;

    #[inline]
    fn draw(&mut self) -> Result<u64> {
        self.word()
    }

    fn draw_many(&mut self, count: usize, words: &mut Vec<u64>) -> Result<()> {
        words.resize(count, 0);
        self.fill(words)
    }
}

/// So many words in the place of what `words` held: no fewer, whatever a source of somebody's own does.
#[inline]
pub(crate) fn draw_exactly<S: Source + ?Sized>(
    count: usize,
    words: &mut Vec<S::Word>,
    source: &mut S,
) -> Result<()> {
    source.draw_many(count, words)?;
    if words.len() == count { Ok(()) } else { Err(Error::entropy_unavailable()) }
}

/// A source whose first word has been drawn already.
pub(crate) struct Resumed<'a, S: Source + ?Sized> {
    first: Option<S::Word>,
    source: &'a mut S,
}

impl<'a, S: Source + ?Sized> Resumed<'a, S> {
    pub(crate) fn new(first: S::Word, source: &'a mut S) -> Self {
        Resumed { first: Some(first), source }
    }
}

impl<S: Source + ?Sized> Source for Resumed<'_, S> {
    type Word = S::Word;

    fn draw(&mut self) -> Result<S::Word> {
        self.first.take().map_or_else(|| self.source.draw(), Ok)
    }
}

impl Word for u64 {
    const BITS: u32 = 64;

    type Low = u64;

    #[inline]
    fn compare(self, digit: u64) -> Ordering {
        self.cmp(&digit)
    }

    #[inline]
    fn below_and_equal(self, digit: u64) -> (u64, u64) {
        // The borrow of a subtraction is a flag, not a jump; `black_box` keeps the optimizer from
        // turning what is done with it back into one.
        let (difference, below) = self.overflowing_sub(digit);
        let nonzero = (difference | difference.wrapping_neg()) >> 63;
        (core::hint::black_box(u64::from(below)), core::hint::black_box(nonzero ^ 1))
    }

    #[inline]
    fn mul(self, n: u64) -> (u64, u64) {
        let product = u128::from(self) * u128::from(n);
        ((product >> 64) as u64, product as u64)
    }

    #[inline]
    fn value(self) -> u64 {
        self
    }
}

impl Low for u64 {
    #[inline]
    fn is_below(self, threshold: u64) -> bool {
        self < threshold
    }
}
