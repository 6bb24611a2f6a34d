//! Words of 4 and 8 bits, and sources that read a script.

use core::cmp::Ordering;

use dashu_int::UBig;
use dashu_ratio::RBig;
use deniable_sample::{Error, Low, Result, Source, Word};

use crate::enumerate::inverse_power_of_two;

/// A word of `BITS` bits: the shipping samplers run over all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Small<const BITS: u32>(u64);

/// A word of 4 bits.
pub type Word4 = Small<4>;
/// A word of 8 bits.
pub type Word8 = Small<8>;

/// The low half of a small word's product.
#[derive(Clone, Copy, Debug)]
pub struct SmallLow(u64);

impl<const BITS: u32> Word for Small<BITS> {
    const BITS: u32 = BITS;

    type Low = SmallLow;

    fn compare(self, digit: u64) -> Ordering {
        assert!(digit >> BITS == 0, "a digit has no more bits than a word");
        self.0.cmp(&digit)
    }

    fn below_and_equal(self, digit: u64) -> (u64, u64) {
        assert!(digit >> BITS == 0, "a digit has no more bits than a word");
        (u64::from(self.0 < digit), u64::from(self.0 == digit))
    }

    fn mul(self, n: u64) -> (u64, SmallLow) {
        assert!(n >> BITS == 0, "a factor has no more bits than a word");
        let product = self.0 * n;
        (product >> BITS, SmallLow(product & ((1 << BITS) - 1)))
    }

    fn value(self) -> u64 {
        self.0
    }
}

impl Low for SmallLow {
    fn is_below(self, threshold: u64) -> bool {
        self.0 < threshold
    }
}

/// A source that reads its words from a list and then fails, as a source without entropy does.
#[derive(Clone, Debug)]
pub struct Script<'a, const BITS: u32> {
    words: &'a [u64],
    /// How many words were asked for, the one that was not there included.
    pub asked: usize,
}

impl<'a, const BITS: u32> Script<'a, BITS> {
    /// A source of these words.
    pub fn new(words: &'a [u64]) -> Self {
        Script { words, asked: 0 }
    }

    /// The words read so far.
    pub fn read(&self) -> &'a [u64] {
        &self.words[..self.asked.min(self.words.len())]
    }
}

impl<const BITS: u32> Source for Script<'_, BITS> {
    type Word = Small<BITS>;

    fn draw(&mut self) -> Result<Small<BITS>> {
        self.asked += 1;
        match self.words.get(self.asked - 1) {
            Some(&word) => Ok(Small(word)),
            None => Err(Error::entropy_unavailable()),
        }
    }
}

/// The same with the words that ship.
#[derive(Clone, Debug)]
pub struct Script64<'a> {
    words: &'a [u64],
    /// How many words were asked for, the one that was not there included.
    pub asked: usize,
}

impl<'a> Script64<'a> {
    /// A source of these words.
    pub fn new(words: &'a [u64]) -> Self {
        Script64 { words, asked: 0 }
    }
}

impl Source for Script64<'_> {
    type Word = u64;

    fn draw(&mut self) -> Result<u64> {
        self.asked += 1;
        self.words.get(self.asked - 1).copied().ok_or_else(Error::entropy_unavailable)
    }
}

/// `count` words that look random and are the same every time.
pub fn spread(count: usize) -> Vec<u64> {
    let mut state = 0u64;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    };
    (0..count).map(|_| next()).collect()
}

/// Whether any word is there twice, in one of the streams or in two.
///
/// # Panics
///
/// If there are so many words that some are equal by accident too often: with 2¹⁵ of them that is once in 3·10¹⁰ times.
pub fn repeats(streams: &[Vec<u64>]) -> bool {
    let mut words = streams.concat();
    let length = words.len();
    assert!(length < 1 << 15, "few enough for the stated chance");
    words.sort_unstable();
    words.dedup();
    words.len() != length
}

/// The number in [0, 1) whose binary digits are these words.
pub fn fraction(words: &[u64]) -> RBig {
    fraction_of_width(64, words)
}

/// The same for words of `width` bits.
pub fn fraction_of_width(width: usize, words: &[u64]) -> RBig {
    let append = |digits, &word| (digits << width) + UBig::from(word);
    let digits = words.iter().fold(UBig::ZERO, append);
    RBig::from(digits) * inverse_power_of_two(width * words.len())
}
