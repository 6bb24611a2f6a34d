//! A cryptographic generator that is seeded afresh after a fork, after a stated amount of output, and
//! after a failure.
//!
//! # The order that makes it safe across forks
//!
//! A fork can come between any two instructions: a signal handler may fork, and the child then goes on
//! in the middle of a draw with the registers and the stack of its parent but with this memory wiped.
//! Two rules cover every such moment.
//!
//! 1. The mark is set in one place only, [`Generator::begin`], when the memory has been wiped and
//!    *before* the operating system is asked for a seed. From then on whatever the registers and the
//!    stack hold was computed under that mark.
//! 2. What was read is handed out only if the mark still stands *after* it was read. A child has lost
//!    the mark whatever it was doing; it throws away what it holds, its parent's words or zeros, and
//!    begins again.
//!
//! Checking first and reading afterwards would hand out a wiped zero; setting the mark after the seed
//! has come would let parent and child go on with the same seed. `verify/tests/fork.rs` forks after the
//! instructions of a draw, one after the other, and looks at what each child then draws.

use zeroize::Zeroize;

use super::cipher::{KEY, expand};
use crate::Result;
use crate::backend::{State, WipedOnFork, bytes_of, take};

/// Where seeds come from. In what ships only the operating system implements it.
pub(super) trait Seeder {
    /// Overwrites all of `bytes`, or fails and leaves anything in them.
    fn seed(&mut self, bytes: &mut [u8]) -> Result<()>;
}

/// A cipher with fast key erasure, its state and its buffer in memory that is wiped on fork.
pub(super) struct Generator<S> {
    state: WipedOnFork<State>,
    seeder: S,
}

/// How many times the buffer is refilled from one seed: 16 × 1004 words of 8 bytes are 128 512 bytes.
pub(super) const REFILLS_PER_SEED: usize = 16;

/// How many words of each refill are handed out. The others are the next key.
pub(super) const OUTPUT: usize = State::KEYSTREAM - KEY;

impl<S: Seeder> Generator<S> {
    /// A generator without a seed. `None` where memory cannot be had that is wiped on fork.
    pub(super) fn new(seeder: S) -> Option<Self> {
        WipedOnFork::new().map(|state| Self { state, seeder })
    }

    /// One word, if one is at hand: `None` sends the caller to [`Generator::fill`].
    #[inline]
    pub(super) fn word_at_hand(&mut self) -> Option<u64> {
        let unread = self.state.unread;
        // With nothing unread the index is one past the end.
        let next = self.state.keystream.get_mut(State::KEYSTREAM.wrapping_sub(unread))?;
        let word = take(next);
        self.state.unread = unread.wrapping_sub(1);
        self.state.is_marked().then_some(u64::from_le(word))
    }

    /// Fills `words`, or fails and fills them with zeros.
    pub(super) fn fill(&mut self, words: &mut [u64]) -> Result<()> {
        let outcome = self.try_fill(words);
        if outcome.is_err() {
            words.zeroize();
        }
        outcome
    }

    fn try_fill(&mut self, words: &mut [u64]) -> Result<()> {
        loop {
            if !self.state.is_marked() {
                self.begin();
            }
            self.copy_out(words)?;
            if self.state.is_marked() {
                return Ok(());
            }
            // We are a child forked since `begin`, and all of `words` must be drawn again, not only
            // those behind the fork: the parent is about to hand out the others.
        }
    }

    /// Forgets everything and sets the mark. There is no seed yet, and no refill to be had without one.
    fn begin(&mut self) {
        self.state.wipe();
        self.state.mark();
    }

    /// Moves words from the buffer to `words`. Never sets the mark: the caller's check covers it all.
    fn copy_out(&mut self, words: &mut [u64]) -> Result<()> {
        let mut rest = words;
        while !rest.is_empty() {
            if self.state.unread == 0 {
                self.refill()?;
            }
            // Read once: a fork may turn it to zero at any moment, and what follows relies on one value.
            let unread = self.state.unread;
            let (now, later) = rest.split_at_mut(unread.min(rest.len()));
            let source = &mut self.state.keystream[State::KEYSTREAM - unread..][..now.len()];
            now.copy_from_slice(source);
            // It happens, as this memory outlives the call, and before the check of the mark, which no access is moved across.
            source.fill(0);
            self.state.unread = unread - now.len();
            now.iter_mut().for_each(|word| *word = u64::from_le(*word));
            rest = later;
        }
        Ok(())
    }

    /// Makes the next output and replaces the key, with a new seed first if the old one has served.
    fn refill(&mut self) -> Result<()> {
        let mut refills = self.state.refills;
        if refills == 0 {
            self.seed()?;
            refills = REFILLS_PER_SEED;
        }
        expand(&mut self.state.keystream);
        self.state.refills = refills - 1;
        self.state.unread = OUTPUT;
        Ok(())
    }

    /// Writes a new seed over the key. On failure nothing is left, not even what was there before.
    fn seed(&mut self) -> Result<()> {
        let outcome = self.seeder.seed(bytes_of(&mut self.state.keystream[..KEY]));
        if outcome.is_err() {
            self.state.wipe();
        }
        outcome
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
