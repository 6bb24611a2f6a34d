//! Where randomness comes from.
//!
//! The samplers of this crate are exact *given* independent, uniformly random words. This module is
//! where the words come from, and the only place where "exact" rests on an assumption.
//!
//! # What is promised
//!
//! - In what ships there is one source, [`OsEntropy`]: the operating system's generator, or a
//!   cryptographic generator seeded from it. There is no seed in the interface and no feature that adds
//!   one. (Another implementation of [`Entropy`] is code that its author wrote.)
//! - A source that fails says so. The error reaches the caller; no default, nothing weaker and no panic
//!   takes the place of a word, and none of a failed call's words is left in the caller's memory. The
//!   next call asks the operating system again.
//! - A process forked from this one never repeats its words, nor do two children of one parent. That
//!   holds for `fork`, for a raw `clone` system call, and for a fork inside a signal handler that
//!   interrupts a draw. The limits below say what "its words" leaves out.
//! - Words that were handed out cannot be computed again from what the generator keeps.
//!
//! # How
//!
//! Each thread has a generator, seeded with 32 bytes from the operating system. A refill encrypts
//! a counter to 8064 bytes; the first 32 bytes replace the key at once (*fast key erasure*), 1004 words are
//! handed out, each overwritten when it is. After 16 refills (128 512 bytes) a new seed replaces the key.
//!
//! The cipher is AES-256 in counter mode where the processor has instructions for it, and ChaCha20 elsewhere:
//! measured on one core, 6.4 against 2.4 GB/s. Both have their full rounds and keys of 256 bits. The best published
//! attacks that need no related keys reach 10 of AES-256's 14 rounds and less than 8 of ChaCha's 20; against all 14
//! they gain two bits of the 256. AES permutes blocks of 128 bits, so that the 504 of a refill are all different,
//! which random ones would be as well but for a chance of 2^−111. With the instructions, as in ChaCha, no address and no branch
//! depends on the key. The cipher and these sizes may change with measurement, and no result depends on them.
//!
//! Key, buffer and counters live in two pages that the kernel wipes in a forked child (`MADV_WIPEONFORK`)
//! and leaves out of core dumps. No handler has to run and no process number is compared, so nothing
//! can be bypassed. All zero means "no seed". A word is read first and handed out only if the page's
//! mark still stands afterwards; the mark is set before the seed is asked for. So whatever instruction
//! a fork comes at, the child notices, drops what it holds and asks for a seed of its own.
//!
//! Where such a page cannot be had (another operating system, Linux before 4.14, no memory), where the
//! thread has already destroyed its generator at its end, or where a draw interrupts another one on the
//! same thread, nothing is buffered: every draw is a request to the operating system. Slow, and as sound.
//!
//! # What is trusted
//!
//! That the operating system's generator is unpredictable once it says it is ready, and that what the
//! `getrandom` crate calls *is* the operating system: a preloaded library that replaces `getrandom(2)`,
//! or that crate's own build-time setting for a custom backend, is in its place. That the output of AES-256 or
//! ChaCha20 cannot be told from random, and that the crates `aes` and `chacha20` compute it (tested here against plain
//! implementations, FIPS 197 and RFC 8439). That the kernel wipes the pages as it accepted to. `getrandom` may
//! block early in boot, until the kernel is ready.
//!
//! # Limits
//!
//! - A word handed out before a fork is in both processes, like any other variable. So is one whose
//!   final check had passed when the fork came, a few instructions before the call returned.
//! - A batch draws up to 2048 words at a time, and one of local hashing up to 11 606: a process that a signal handler forks in its middle has those that are drawn and
//!   not yet used, like any other variable, and the memory they were in is not wiped.
//! - Where nothing is buffered there is no mark to check: what an interrupted call had already got from
//!   the operating system when a signal handler forked is in both processes.
//! - A child that shares the memory (`vfork`, `clone` with `CLONE_VM`) is outside the promise, and so
//!   is a program that maps or advises over pages it does not own.
//! - A virtual machine or a process restored twice from one snapshot repeats at most the unread words
//!   and those up to the next seed: 128 512 bytes a thread. More, where the operating system gives both the same next seed.
//! - Wiping reaches the buffer and the key, not copies in registers, on the stack (the cipher's own state
//!   is wiped there, what the compiler spilled is not) and in the caller's memory. Pages are not locked:
//!   swap and hibernation may write them to disk. At the end of a thread the page is wiped and given
//!   back; the main thread's may merely end with the process.
//! - Words not yet handed out are in memory: who reads it learns up to 1004 words of the future, and all
//!   words up to the next seed.
//!
//! # Without `std`
//!
//! All of this is about [`OsEntropy`], which is there with the feature `std` only. Without it nothing here generates words: those of the
//! caller's [`Entropy`] are used as they come.

#[cfg(feature = "std")]
mod cipher;
#[cfg(feature = "std")]
mod generator;
#[cfg(feature = "std")]
mod os;

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

    /// One fair bit. It takes a whole word.
    ///
    /// # Errors
    ///
    /// As [`Entropy::fill`].
    fn bit(&mut self) -> Result<bool> {
        Ok(self.word()? >> 63 == 1)
    }
}

/// The operating system's entropy, buffered for each thread. The [module](self) says what is promised.
///
/// A handle without a state of its own: it costs nothing to make, and may be made wherever one is
/// needed.
///
/// ```
/// use deniable_sample::{Entropy, OsEntropy};
///
/// let mut entropy = OsEntropy::new();
/// let mut words = [0; 4];
/// entropy.fill(&mut words)?;
/// let word = entropy.word()?;
/// # assert!(!words.contains(&word));
/// # Ok::<(), deniable_sample::Error>(())
/// ```
#[cfg(feature = "std")]
#[derive(Clone, Debug, Default)]
pub struct OsEntropy(());

#[cfg(feature = "std")]
impl OsEntropy {
    /// A handle on this thread's generator, whichever thread it is used on.
    pub fn new() -> Self {
        Self(())
    }
}

#[cfg(feature = "std")]
impl Entropy for OsEntropy {
    /// Fills `words`. On failure they are all zero.
    fn fill(&mut self, words: &mut [u64]) -> Result<()> {
        os::fill(words)
    }

    #[inline]
    fn word(&mut self) -> Result<u64> {
        os::word()
    }
}

#[cfg(test)]
mod tests {
    use super::{Entropy, OsEntropy};
    use crate::{Error, Result};

    /// Hands out one word, and then nothing.
    struct One(Option<u64>);

    impl Entropy for One {
        fn fill(&mut self, words: &mut [u64]) -> Result<()> {
            for word in words {
                *word = self.0.take().ok_or_else(Error::entropy_unavailable)?;
            }
            Ok(())
        }
    }

    #[test]
    fn a_bit_is_the_first_of_a_word() {
        assert_eq!(One(Some(u64::MAX >> 1)).bit(), Ok(false));
        assert_eq!(One(Some(1 << 63)).bit(), Ok(true));
        assert_eq!(One(None).bit(), Err(Error::entropy_unavailable()));
    }

    /// Two of 100 words agree with a chance below 2^−51.
    #[test]
    fn words_are_filled() {
        let mut words = [0; 100];
        OsEntropy::new().fill(&mut words).unwrap();
        words.sort_unstable();
        assert!(words.windows(2).all(|pair| pair[0] < pair[1]));
    }

    /// All of 200 fair bits agree with a chance of 2^−199.
    #[test]
    fn both_bits_come() {
        let ones = (0..200).filter(|_| OsEntropy::new().bit().unwrap()).count();
        assert!((1..200).contains(&ones));
    }
}
