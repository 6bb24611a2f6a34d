//! Words that look random to everybody without the key, and are the same every time.
//!
//! What is computed here is kept by nobody and must be the same in all versions: another cohort or another permanent answer for the
//! same value would be a second release about it.

use deniable_sample::Entropy;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// HMAC-SHA-256 with a key.
#[derive(Clone)]
pub(super) struct Keyed(Hmac<Sha256>);

type Block = [u8; 32];

impl Keyed {
    pub(super) fn new(key: &[u8]) -> Self {
        Keyed(Hmac::new_from_slice(key).expect("a key of any length"))
    }

    /// The code of these parts, one after the other.
    pub(super) fn code(&self, parts: &[&[u8]]) -> Block {
        let mut mac = self.0.clone();
        parts.iter().for_each(|part| mac.update(part));
        mac.finalize().into_bytes().into()
    }
}

/// The hash of these parts, one after the other.
pub(super) fn hash(parts: &[&[u8]]) -> Block {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}

/// Numbers below `n`, which is at least 1 and at most 2^32, of the blocks number 0, 1, … of a function: the big-endian 32-bit words of a block in
/// their order, of each as many low bits as n − 1 has, without those that are not below `n`. If words are uniform, so are these.
pub(super) fn numbers_below(n: usize, block: impl Fn(u32) -> Block) -> impl Iterator<Item = usize> {
    let largest = (n - 1) as u32;
    let mask = u32::MAX.checked_shr(largest.leading_zeros()).unwrap_or(0);
    let words = (0..).flat_map(move |number| {
        let block = block(number);
        (0..8).map(move |i: usize| {
            let bytes = block[4 * i..4 * i + 4].try_into().expect("four bytes");
            u32::from_be_bytes(bytes)
        })
    });
    let numbers = words.map(move |word| word & mask).filter(move |&word| word <= largest);
    numbers.map(|number| number as usize)
}

/// For each bit a uniform number of its own, whose digits are words of a keyed function.
///
/// The first word of bit i is word i mod 4 of the code of (⌊i/4⌋, 0), and word number n ≥ 1 is word (n − 1) mod 4 of the code of (i, 1 + ⌊(n − 1)/4⌋). All numbers are
/// big-endian, and a pair is two of 32 bits. Nearly always the first word is enough.
pub(super) struct Uniforms {
    key: Keyed,
    /// The number of a group of four bits, and their first words.
    first: Option<(u32, Block)>,
}

impl Uniforms {
    pub(super) fn new(key: Keyed) -> Self {
        Uniforms { key, first: None }
    }

    /// The digits of the number of one bit.
    pub(super) fn digits(&mut self, bit: usize) -> Digits<'_> {
        let group = (bit / 4) as u32;
        let first = match self.first {
            Some((known, block)) if known == group => block,
            _ => self.key.code(&[&pair(group, 0)]),
        };
        self.first = Some((group, first));
        Digits { key: &self.key, bit: bit as u32, first: word(&first, bit % 4), drawn: 0 }
    }
}

/// The digits of one uniform number, a word at a time.
pub(super) struct Digits<'a> {
    key: &'a Keyed,
    bit: u32,
    first: u64,
    drawn: u32,
}

impl Entropy for Digits<'_> {
    /// Never fails.
    fn fill(&mut self, words: &mut [u64]) -> deniable_sample::Result<()> {
        for next in words {
            *next = match self.drawn.checked_sub(1) {
                None => self.first,
                Some(rest) => {
                    word(&self.key.code(&[&pair(self.bit, 1 + rest / 4)]), rest as usize % 4)
                }
            };
            self.drawn += 1;
        }
        Ok(())
    }
}

/// Both numbers, big-endian.
fn pair(a: u32, b: u32) -> [u8; 8] {
    (u64::from(a) << 32 | u64::from(b)).to_be_bytes()
}

/// One of the four words of a block, big-endian.
fn word(block: &Block, number: usize) -> u64 {
    let bytes = block[8 * number..8 * number + 8].try_into().expect("eight bytes");
    u64::from_be_bytes(bytes)
}
