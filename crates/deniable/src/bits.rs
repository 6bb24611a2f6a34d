//! Bit vectors in words.

use alloc::vec::Vec;
use core::fmt;

use crate::{Error, Result};

/// A bit vector, 64 bits a word, the first bit lowest.
///
/// The order of bits within words and bytes is that of Arrow: bit i is bit i mod 8 of byte i / 8. Vectors are ordered so that
/// they can be sorted and searched; the order means nothing.
///
/// ```
/// use deniable::BitVector;
///
/// let bits = BitVector::from([true, false, true]);
/// assert_eq!(bits.to_bytes(), [0b101]);
/// assert_eq!(BitVector::from_bytes(&[0b101], 3)?, bits);
/// // The second row of three bits out of a packed column.
/// assert_eq!(BitVector::from_packed(&[0b101_000], 3, 3)?, bits);
/// assert!(BitVector::from_bytes(&[0b101], 9).is_err());
/// # Ok::<(), deniable::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct BitVector {
    /// Bits behind the last one are zero.
    words: Vec<u64>,
    length: usize,
}

const WIDTH: usize = u64::BITS as usize;

impl BitVector {
    /// `length` zeros.
    pub fn zeros(length: usize) -> Self {
        BitVector { words: vec![0; length.div_ceil(WIDTH)], length }
    }

    /// `length` bits of `words`.
    ///
    /// # Errors
    ///
    /// More or fewer words than that takes; a one behind the last bit.
    pub fn from_words(words: Vec<u64>, length: usize) -> Result<Self> {
        let stray = words.last().is_some_and(|last| last & !last_mask(length) != 0);
        if words.len() != length.div_ceil(WIDTH) || stray {
            return Err(Error::invalid_parameter(
                "words",
                "they are not as many bits as length says",
                "one word for every 64 bits, with zeros behind the last bit",
            ));
        }
        Ok(BitVector { words, length })
    }

    /// `length` bits out of a packed column, beginning with bit number `start`.
    ///
    /// # Errors
    ///
    /// A column that ends before they do.
    pub fn from_packed(column: &[u64], start: usize, length: usize) -> Result<Self> {
        let end =
            start.checked_add(length).filter(|&end| end <= column.len().saturating_mul(WIDTH));
        if end.is_none() {
            return Err(Error::invalid_parameter(
                "start",
                "the column ends before the bits do",
                "a start at least length bits before the column's end",
            ));
        }
        let (first, shift) = (start / WIDTH, start % WIDTH);
        let word = |i: usize| {
            let low = column[first + i] >> shift;
            // Nothing is left of the next word where the shift is zero.
            let next = column.get(first + i + 1).copied().unwrap_or(0);
            low | (next << 1) << (WIDTH - 1 - shift)
        };
        let mut words: Vec<u64> = (0..length.div_ceil(WIDTH)).map(word).collect();
        if let Some(last) = words.last_mut() {
            *last &= last_mask(length);
        }
        Ok(BitVector { words, length })
    }

    /// `length` bits of `bytes`. What follows the last of them in the last byte is ignored.
    ///
    /// # Errors
    ///
    /// More or fewer bytes than that takes.
    pub fn from_bytes(bytes: &[u8], length: usize) -> Result<Self> {
        if bytes.len() != length.div_ceil(8) {
            return Err(Error::invalid_parameter(
                "bytes",
                "they are not as many bits as length says",
                "one byte for every 8 bits",
            ));
        }
        let mut words: Vec<u64> = bytes.chunks(8).map(little_endian).collect();
        if let Some(last) = words.last_mut() {
            *last &= last_mask(length);
        }
        Ok(BitVector { words, length })
    }

    /// One byte for every eight bits.
    pub fn to_bytes(&self) -> Vec<u8> {
        let bytes = self.words.iter().flat_map(|word| word.to_le_bytes());
        bytes.take(self.length.div_ceil(8)).collect()
    }

    /// The number of bits.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are no bits.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The words. Bits behind the last one are zero.
    pub fn as_words(&self) -> &[u64] {
        &self.words
    }

    /// The words. Bits behind the last one must stay zero.
    pub(crate) fn as_words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// Bit number `index`, if there is one.
    pub fn get(&self, index: usize) -> Option<bool> {
        (index < self.length).then(|| self.words[index / WIDTH] >> (index % WIDTH) & 1 == 1)
    }

    /// Sets bit number `index`.
    ///
    /// # Errors
    ///
    /// No such bit.
    pub fn set(&mut self, index: usize, value: bool) -> Result<()> {
        if index >= self.length {
            let problem = format!("there is no bit {index}");
            let accepted = format!("an index below {}", self.length);
            return Err(Error::invalid_parameter("index", problem, accepted));
        }
        let word = &mut self.words[index / WIDTH];
        *word = *word & !(1 << (index % WIDTH)) | u64::from(value) << (index % WIDTH);
        Ok(())
    }

    /// The number of ones. Takes the same time for all vectors of one length.
    pub fn count_ones(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The bits, from the first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = bool> + '_ {
        (0..self.length).map(|index| self.words[index / WIDTH] >> (index % WIDTH) & 1 == 1)
    }
}

/// Ones below the length of the last word.
pub(crate) fn last_mask(length: usize) -> u64 {
    u64::MAX >> ((WIDTH - length % WIDTH) % WIDTH)
}

/// Up to eight bytes, the first lowest.
fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

impl FromIterator<bool> for BitVector {
    fn from_iter<I: IntoIterator<Item = bool>>(bits: I) -> Self {
        let mut vector = BitVector::default();
        for bit in bits {
            if vector.length % WIDTH == 0 {
                vector.words.push(0);
            }
            vector.words[vector.length / WIDTH] |= u64::from(bit) << (vector.length % WIDTH);
            vector.length += 1;
        }
        vector
    }
}

impl From<&[bool]> for BitVector {
    fn from(bits: &[bool]) -> Self {
        bits.iter().copied().collect()
    }
}

impl From<Vec<bool>> for BitVector {
    fn from(bits: Vec<bool>) -> Self {
        bits.into_iter().collect()
    }
}

impl<const N: usize> From<[bool; N]> for BitVector {
    fn from(bits: [bool; N]) -> Self {
        bits.into_iter().collect()
    }
}

impl From<&BitVector> for Vec<bool> {
    fn from(bits: &BitVector) -> Self {
        bits.iter().collect()
    }
}

impl From<BitVector> for Vec<bool> {
    fn from(bits: BitVector) -> Self {
        bits.iter().collect()
    }
}

impl fmt::Debug for BitVector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BitVector(")?;
        for bit in self.iter() {
            f.write_str(if bit { "1" } else { "0" })?;
        }
        f.write_str(")")
    }
}

#[cfg(feature = "bitvec")]
mod with_bitvec {
    use bitvec::order::BitOrder;
    use bitvec::slice::BitSlice;
    use bitvec::store::BitStore;
    use bitvec::vec::BitVec;

    use super::BitVector;

    impl<T: BitStore, O: BitOrder> From<&BitSlice<T, O>> for BitVector {
        fn from(bits: &BitSlice<T, O>) -> Self {
            bits.iter().by_vals().collect()
        }
    }

    impl<T: BitStore, O: BitOrder> From<BitVec<T, O>> for BitVector {
        fn from(bits: BitVec<T, O>) -> Self {
            bits.as_bitslice().into()
        }
    }

    impl<T: BitStore, O: BitOrder> From<&BitVector> for BitVec<T, O> {
        fn from(bits: &BitVector) -> Self {
            bits.iter().collect()
        }
    }
}

#[cfg(feature = "fixedbitset")]
mod with_fixedbitset {
    use fixedbitset::FixedBitSet;

    use super::BitVector;

    impl From<&FixedBitSet> for BitVector {
        fn from(bits: &FixedBitSet) -> Self {
            (0..bits.len()).map(|index| bits.contains(index)).collect()
        }
    }

    impl From<&BitVector> for FixedBitSet {
        fn from(bits: &BitVector) -> Self {
            let mut set = FixedBitSet::with_capacity(bits.len());
            for (index, bit) in bits.iter().enumerate() {
                set.set(index, bit);
            }
            set
        }
    }
}

#[cfg(test)]
mod tests;
