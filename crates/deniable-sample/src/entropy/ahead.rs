//! Words drawn ahead, for a batch that will need many.

use super::Entropy;
use crate::Result;

/// Draws words from another source in blocks and hands them out one by one, for a piece of work that needs many.
///
/// What has been drawn ahead and is not needed in the end is dropped. A process forked in the middle of the work has the
/// same words ahead as its parent: make one for a piece of work, and drop it with it.
///
/// ```
/// use deniable_sample::{Ahead, Entropy, OsEntropy};
///
/// let mut entropy = Ahead::new(OsEntropy::new(), 10);
/// let words: Result<Vec<u64>, _> = (0..10).map(|_| entropy.word()).collect();
/// # assert_eq!(words?.len(), 10);
/// # Ok::<(), deniable_sample::Error>(())
/// ```
pub struct Ahead<E> {
    entropy: E,
    /// Those from `next` on have not been handed out. Drawn to the end.
    block: [u64; BLOCK],
    next: usize,
    /// How many more are likely to be needed than are in the block.
    expected: usize,
}

/// The most that is drawn ahead.
const BLOCK: usize = 64;

/// The least that is worth a block.
const LEAST: usize = 8;

impl<E: Entropy> Ahead<E> {
    /// Draws from `entropy`, for work that is expected to need so many words. It may need fewer or more.
    pub fn new(entropy: E, expected: usize) -> Self {
        Ahead { entropy, block: [0; BLOCK], next: BLOCK, expected }
    }

    #[cold]
    #[inline(never)]
    fn draw_block(&mut self) -> Result<u64> {
        let length = self.expected.clamp(LEAST, BLOCK);
        let first = BLOCK - length;
        self.entropy.fill(&mut self.block[first..])?;
        self.expected -= length.min(self.expected);
        self.next = first + 1;
        Ok(self.block[first])
    }
}

impl<E: Entropy> Entropy for Ahead<E> {
    fn fill(&mut self, words: &mut [u64]) -> Result<()> {
        let (now, later) = words.split_at_mut(words.len().min(BLOCK - self.next));
        now.copy_from_slice(&self.block[self.next..][..now.len()]);
        self.next += now.len();
        self.expected -= later.len().min(self.expected);
        if later.is_empty() { Ok(()) } else { self.entropy.fill(later) }
    }

    #[inline]
    fn word(&mut self) -> Result<u64> {
        match self.block.get(self.next) {
            Some(&word) => {
                self.next += 1;
                Ok(word)
            }
            None => self.draw_block(),
        }
    }
}

impl<E> core::fmt::Debug for Ahead<E> {
    /// Without the words.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Ahead").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    /// Counts up, to an end.
    struct Counter {
        next: u64,
        end: u64,
    }

    impl Entropy for Counter {
        fn fill(&mut self, words: &mut [u64]) -> Result<()> {
            for word in words {
                if self.next == self.end {
                    return Err(Error::entropy_unavailable());
                }
                *word = self.next;
                self.next += 1;
            }
            Ok(())
        }
    }

    fn counter(expected: usize, end: u64) -> Ahead<Counter> {
        Ahead::new(Counter { next: 0, end }, expected)
    }

    #[test]
    fn no_word_is_lost_doubled_or_moved() {
        for expected in [0, 1, 8, 9, 63, 64, 65, 200, 1000] {
            let mut entropy = counter(expected, u64::MAX);
            let mut words = Vec::new();
            for length in [0, 1, 3, 70, 64, 5, 200, 1, 63] {
                words.extend((0..length).map(|_| entropy.word().unwrap()));
                let mut more = vec![0; length];
                entropy.fill(&mut more).unwrap();
                words.extend(more);
            }
            assert!(words.iter().copied().eq(0..words.len() as u64), "{expected}");
        }
    }

    #[test]
    fn no_more_is_drawn_ahead_than_is_expected_or_a_block() {
        for (expected, drawn) in [(0, 8), (1, 8), (9, 9), (64, 64), (65, 64), (1000, 64)] {
            let mut entropy = counter(expected, u64::MAX);
            entropy.word().unwrap();
            assert_eq!(entropy.entropy.next, drawn);
        }
        let mut entropy = counter(70, u64::MAX);
        (0..65).for_each(|_| drop(entropy.word().unwrap()));
        assert_eq!(entropy.entropy.next, 72);
    }

    #[test]
    fn a_failure_reaches_the_caller_and_nothing_is_handed_out() {
        let mut entropy = counter(100, 70);
        (0..64).for_each(|_| drop(entropy.word().unwrap()));
        for _ in 0..3 {
            assert_eq!(entropy.word(), Err(Error::entropy_unavailable()));
        }
        assert!(entropy.fill(&mut [0; 2]).is_err());
    }
}
