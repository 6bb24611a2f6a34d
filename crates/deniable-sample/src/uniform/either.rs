//! A uniform integer below t and one below t − 1, from the same word.

use alloc::vec::Vec;

use super::{sample_uniform_int_below, surplus};
use crate::backend::{Kernel, vectorized};
use crate::error::Refusal;
use crate::word::draw_exactly;
use crate::{Error, Low, Result, Source, Word};

/// An integer below t and one below t − 1, each uniform, for those who use one of the two.
///
/// They come from one random number, so that whoever used both would see that.
///
/// ```
/// use deniable_sample::{EitherBelow, OsEntropy};
///
/// let [any, other] = EitherBelow::new(6)?.sample(&mut OsEntropy::new())?;
/// assert!(any < 6 && other < 5);
/// assert!(EitherBelow::new(1).is_err());
/// # Ok::<(), deniable_sample::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EitherBelow {
    t: u64,
    /// 2^64 and 2^32 modulo t(t − 1).
    surplus_64: u64,
    surplus_32: u64,
}

impl EitherBelow {
    /// Below `t` and below `t` − 1.
    ///
    /// # Errors
    ///
    /// A `t` below 2.
    pub fn new(t: u32) -> Result<Self> {
        let t = u64::from(t);
        if t < 2 {
            return Err(Error::invalid_parameter(&Refusal {
                parameter: "t",
                accepted: "an integer of at least 2",
            }));
        }
        let surplus = |bits| surplus(t * (t - 1), bits);
        Ok(EitherBelow { t, surplus_64: surplus(64), surplus_32: surplus(32) })
    }

    /// Draws one of each, of which one is to be used.
    ///
    /// # Errors
    ///
    /// A source that fails.
    #[inline]
    pub fn sample<S: Source + ?Sized>(&self, source: &mut S) -> Result<[u32; 2]> {
        let product = self.product();
        if u128::from(product) >> S::Word::BITS != 0 {
            let below = sample_uniform_int_below(product, source)?;
            return Ok([(below / (self.t - 1)) as u32, (below / self.t) as u32]);
        }
        loop {
            if let Some(either) = self.of(source.draw()?) {
                return Ok(either);
            }
        }
    }

    /// Draws for as many lanes as both of these slices have: integers below t for the one, and integers below t − 1 for the
    /// other, of which one is to be used in each lane. Two lanes share a word where t is small. `words` is where they are drawn to.
    ///
    /// # Errors
    ///
    /// A source that fails. What is in the slices then must not be used.
    pub fn sample_all<S: Source + ?Sized>(
        &self,
        any: &mut [u32],
        other: &mut [u32],
        words: &mut Vec<S::Word>,
        source: &mut S,
    ) -> Result<()> {
        let half = S::Word::BITS / 2;
        // So small that few halves are drawn again.
        if self.product() <= 1 << (half - half / 4) {
            draw_exactly(any.len().div_ceil(2), words, source)?;
            if !vectorized(Halves { law: self, half, words, any, other }) {
                return Ok(());
            }
        } else if u128::from(self.product()) >> S::Word::BITS == 0 {
            draw_exactly(any.len(), words, source)?;
            for ((any, other), &word) in any.iter_mut().zip(&mut *other).zip(&*words) {
                [*any, *other] = self.of(word).unwrap_or([REJECTED; 2]);
            }
        } else {
            any.fill(REJECTED);
        }
        for (any, other) in any.iter_mut().zip(other).filter(|(any, _)| **any == REJECTED) {
            [*any, *other] = self.sample(source)?;
        }
        Ok(())
    }

    /// One of each from a word, unless it is rejected.
    #[inline]
    fn of<W: Word>(&self, word: W) -> Option<[u32; 2]> {
        let ((any, _), (other, _)) = (word.mul(self.t), word.mul(self.t - 1));
        // As for one integer below the product, of which any and other are functions.
        let is_rejected = word.mul(self.product()).1.is_below(self.surplus(W::BITS));
        (!is_rejected).then_some([any as u32, other as u32])
    }

    fn product(&self) -> u64 {
        self.t * (self.t - 1)
    }

    /// 2^bits modulo t(t − 1).
    fn surplus(&self, bits: u32) -> u64 {
        match bits {
            64 => self.surplus_64,
            32 => self.surplus_32,
            _ => surplus(self.product(), bits),
        }
    }
}

/// In the place of an integer below t that is yet to be drawn: t is at most this, and so no such integer is.
const REJECTED: u32 = u32::MAX;

/// Lanes from halves of words: whether any of them is rejected.
struct Halves<'a, W> {
    law: &'a EitherBelow,
    half: u32,
    words: &'a [W],
    any: &'a mut [u32],
    other: &'a mut [u32],
}

impl<W: Word> Kernel for Halves<'_, W> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let Halves { law, half, words, any, other } = self;
        let (t, product, surplus) = (law.t, law.product(), law.surplus(half));
        let low = (1 << half) - 1;
        let mut any_rejected = 0;
        for ((any, other), words) in
            any.chunks_mut(64).zip(other.chunks_mut(64)).zip(words.chunks(32))
        {
            let mut halves = [0; 64];
            for (pair, word) in halves.chunks_exact_mut(2).zip(words) {
                pair[0] = word.value() & low;
                pair[1] = word.value() >> half;
            }
            // All lanes of the array, used or not, so that their number is known.
            let (mut below_t, mut below_less) = ([0; 64], [0; 64]);
            for lane in 0..64 {
                let x: u64 = halves[lane];
                let rejected = u32::from((x * product) & low < surplus).wrapping_neg();
                below_t[lane] = ((x * t) >> half) as u32 | rejected;
                below_less[lane] = ((x * (t - 1)) >> half) as u32;
                any_rejected |= rejected;
            }
            any.copy_from_slice(&below_t[..any.len()]);
            other.copy_from_slice(&below_less[..other.len()]);
        }
        any_rejected != 0
    }
}
