//! Noise that one word decides, which nearly always it does.

use alloc::vec::Vec;

use deniable_num::Narrow;
use deniable_num::certified::NegLns;

use super::DiscreteLaplace;
use crate::backend::{Kernel, vectorized};
use crate::magnitude::leading;
use crate::word::{Resumed, draw_exactly};
use crate::{Result, Source, Word};

/// How noise is added to numbers of one type: at once where a word tells its magnitude, and slowly where it does not. Both
/// must make the same of the same words.
pub(crate) trait AddNoise<T: Copy> {
    /// The law of the noise.
    fn law(&self) -> &DiscreteLaplace;

    /// The number plus noise of this sign, if `scaled`, of which the noise is the integer part, tells.
    fn at_once(&self, number: T, negative: bool, scaled: Narrow) -> Option<T>;

    /// The number plus noise of this sign, however many words its magnitude takes.
    fn slowly<S: Source>(&self, number: T, negative: bool, source: &mut S) -> Result<T>;

    /// The number plus noise.
    #[inline]
    fn add<S: Source + ?Sized>(&self, number: T, source: &mut S) -> Result<T> {
        let negative = self.law().sample_sign(source)?;
        let word = source.draw()?;
        match self.at_once(number, negative, self.law().scale.at_once(word)) {
            Some(noisy) => Ok(noisy),
            None => self.slowly(number, negative, &mut Resumed::new(word, source)),
        }
    }

    /// [`AddNoise::at_once`] for each number, the signs being the bits of a word: which of them are left as they were.
    #[inline(always)]
    fn all_at_once(&self, numbers: &mut [T], negative: u64, scaled: &Magnitudes) -> u64 {
        self.each_at_once(numbers, negative, scaled)
    }

    /// The same, one after the other.
    #[inline(always)]
    fn each_at_once(&self, numbers: &mut [T], negative: u64, scaled: &Magnitudes) -> u64 {
        let mut left = 0;
        for (lane, number) in numbers.iter_mut().enumerate() {
            match self.at_once(*number, negative >> lane & 1 == 1, scaled.get(lane)) {
                Some(noisy) => *number = noisy,
                None => left |= 1 << lane,
            }
        }
        left
    }

    /// Adds noise to each number. As many at a time as a word has bits: their signs, a word for each, and what they need beyond.
    #[inline]
    fn add_to_all<S: Source + ?Sized>(&self, numbers: &mut [T], source: &mut S) -> Result<()> {
        let mut words = Vec::new();
        for numbers in numbers.chunks_mut(S::Word::BITS as usize) {
            let negative = self.law().sample_signs(numbers.len() as u32, source)?;
            draw_exactly(numbers.len(), &mut words, source)?;
            let mut left = vectorized(Block { noise: self, numbers, negative, words: &words });
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                left &= left - 1;
                let source = &mut Resumed::new(words[lane], source);
                numbers[lane] = self.slowly(numbers[lane], negative >> lane & 1 == 1, source)?;
            }
        }
        Ok(())
    }
}

/// As many numbers as a word has bits, at most.
pub(crate) const LANES: usize = 64;

/// Numbers, the signs of their noise, and a word of the magnitude of each.
struct Block<'a, N: ?Sized, T, W> {
    noise: &'a N,
    numbers: &'a mut [T],
    negative: u64,
    words: &'a [W],
}

impl<T: Copy, N: AddNoise<T> + ?Sized, W: Word> Kernel for Block<'_, N, T, W> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let mut words = [0; LANES];
        for (to, &word) in words.iter_mut().zip(self.words) {
            *to = leading(word);
        }
        let lns = NegLns::of(&words);
        let scale = &self.noise.law().scale;
        let mut scaled = Magnitudes::unknown();
        for lane in 0..LANES {
            scaled.set(lane, scale.times_ln::<W>(lns.get(lane)));
        }
        self.noise.all_at_once(self.numbers, self.negative, &scaled)
    }
}

/// A [`Narrow`] for each lane, part by part.
#[repr(align(64))]
pub(crate) struct Magnitudes {
    mantissas: [u64; LANES],
    slacks: [u64; LANES],
    exponents: [i64; LANES],
}

impl Magnitudes {
    #[inline(always)]
    fn unknown() -> Self {
        let Narrow { mantissa, slack, exponent } = Narrow::UNKNOWN;
        Magnitudes {
            mantissas: [mantissa; LANES],
            slacks: [slack; LANES],
            exponents: [exponent; LANES],
        }
    }

    #[inline(always)]
    fn set(&mut self, lane: usize, to: Narrow) {
        self.mantissas[lane] = to.mantissa;
        self.slacks[lane] = to.slack;
        self.exponents[lane] = to.exponent;
    }

    #[inline(always)]
    pub(crate) fn get(&self, lane: usize) -> Narrow {
        Narrow {
            mantissa: self.mantissas[lane],
            slack: self.slacks[lane],
            exponent: self.exponents[lane],
        }
    }
}

#[cfg(test)]
mod tests;
