//! Noise for many answers at once.

use deniable_sample::{Dyadic, FLIPS, Scratch, Source, Word};

use crate::Result;

/// How many flips are drawn at once.
pub(crate) const fn flips<S: Source + ?Sized>() -> usize {
    FLIPS * S::Word::BITS as usize
}

/// Flips of packed bits: each of them with the probability of `law`, or each but with that probability.
pub(crate) struct Flips {
    pub(crate) law: Dyadic,
    pub(crate) constant_time: bool,
    /// Whether the law is that of the bits that stay.
    pub(crate) of_kept: bool,
}

impl Flips {
    /// Flips the first `length` bits of some words.
    #[inline]
    pub(crate) fn flip<S: Source + ?Sized>(
        &self,
        bits: &mut [u64],
        length: usize,
        scratch: &mut Scratch<S::Word>,
        source: &mut S,
    ) -> Result<()> {
        let width = S::Word::BITS as usize;
        let kept = u64::from(self.of_kept).wrapping_neg();
        let mut drawn = [0; FLIPS];
        for first in (0..length).step_by(flips::<S>()) {
            let count = flips::<S>().min(length - first);
            let drawn = &mut drawn[..count.div_ceil(width)];
            self.law.sample_flips(drawn, count, self.constant_time, scratch, source)?;
            if width == 64 {
                for (word, drawn) in bits[first / 64..].iter_mut().zip(drawn) {
                    *word ^= *drawn ^ kept;
                }
            } else {
                for (at, drawn) in (first..first + count).step_by(width).zip(drawn) {
                    bits[at / 64] ^= ((*drawn ^ kept) & lowest(width)) << (at % 64);
                }
            }
            // What was turned behind the last bit is turned back.
            if count % width != 0 {
                let last = first + count - count % width;
                bits[last / 64] ^= (kept & lowest(width) & !lowest(count % width)) << (last % 64);
            }
        }
        Ok(())
    }
}

/// A word whose lowest bits are ones, up to 64 of them.
#[inline]
fn lowest(bits: usize) -> u64 {
    u64::MAX.checked_shr(64 - bits as u32).unwrap_or(0)
}
