//! Where randomness comes from.

use crate::Result;

/// A fallible source of uniformly random words.
///
/// A source that cannot deliver says so; it never delivers something weaker.
pub trait Entropy {
    /// Fills `words` with independent, uniformly random words.
    ///
    /// # Errors
    ///
    /// [`Error::entropy_unavailable`](crate::Error::entropy_unavailable). What is in `words` then must
    /// not be used.
    fn fill(&mut self, words: &mut [u64]) -> Result<()>;

    /// One uniformly random word.
    ///
    /// # Errors
    ///
    /// As [`Entropy::fill`].
    fn word(&mut self) -> Result<u64> {
        let mut word = [0];
        self.fill(&mut word)?;
        Ok(word[0])
    }
}

/// The operating system's entropy.
#[derive(Debug)]
pub struct OsEntropy(());
