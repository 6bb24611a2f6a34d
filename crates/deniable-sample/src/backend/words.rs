//! Words as bytes, and words that are read once.

use core::ptr;

/// The bytes of `words`, in the order of memory.
pub(crate) fn bytes_of(words: &mut [u64]) -> &mut [u8] {
    let length = size_of_val(words);
    // SAFETY: the pointer and the length are those of `words`, which stays mutably borrowed as long as
    // the bytes are; a byte has no alignment, and every pattern of bytes is a `u64`.
    unsafe { core::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), length) }
}

/// Reads a word and leaves zero in its place.
///
/// Both accesses are volatile: they happen, in this order, and before a later check of the mark of
/// [`WipedOnFork`](super::WipedOnFork), which is volatile too.
#[inline]
pub(crate) fn take(word: &mut u64) -> u64 {
    // SAFETY: a reference is valid to read, and aligned.
    let taken = unsafe { ptr::read_volatile(word) };
    // SAFETY: an exclusive reference is valid to write, and aligned.
    unsafe { ptr::write_volatile(word, 0) };
    taken
}

#[cfg(test)]
mod tests {
    use super::{bytes_of, take};

    #[test]
    fn bytes_are_those_of_the_words() {
        let mut words = [0; 2];
        bytes_of(&mut words).copy_from_slice(&[1, 0, 0, 0, 0, 0, 0, 2, 3, 0, 0, 0, 0, 0, 0, 4]);
        assert_eq!(words.map(u64::from_le), [0x0200_0000_0000_0001, 0x0400_0000_0000_0003]);
        assert!(bytes_of(&mut []).is_empty());
    }

    #[test]
    fn a_word_is_taken_once() {
        let mut word = 7;
        assert_eq!((take(&mut word), take(&mut word)), (7, 0));
    }
}
