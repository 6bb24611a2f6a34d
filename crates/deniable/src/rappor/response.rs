//! The two steps of noise: the permanent answer, and a report of it.

#[cfg(feature = "std")]
use deniable_sample::OsEntropy;
use deniable_sample::{Dyadic, Scratch, Source};

use super::Params;
use crate::mechanism::lanes::Flips;
use crate::{BitVector, Error, Result};

impl Params {
    /// The permanent answer for a Bloom filter: each bit is noise with probability f, half of it ones, and as it was else. That is to say that
    /// it is flipped with probability f/2.
    ///
    /// For a client that keeps its permanent answers itself: one for each metric and value, drawn once, and never again. A [`Client`](super::Client)
    /// has a keyed function instead, and keeps a key.
    ///
    /// # Privacy
    ///
    /// It loses as much as [all reports](Params::epsilon_of_all_reports) made of it.
    ///
    /// # Errors
    ///
    /// A vector that is no Bloom filter: k bits of which 1 to h are ones. A source of entropy that fails.
    #[cfg(feature = "std")]
    pub fn permanent(&self, filter: &BitVector) -> Result<BitVector> {
        self.permanent_from(filter, &mut OsEntropy::new())
    }

    /// [`Params::permanent`] for random words of any width. That is what exhaustive checks run.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn permanent_from<S: Source + ?Sized>(
        &self,
        filter: &BitVector,
        source: &mut S,
    ) -> Result<BitVector> {
        self.permanent_by(filter, |_, flip| flip.sample(false, source))
    }

    /// Flips each bit for which `draws` says so, given its number and the law of a flip.
    pub(super) fn permanent_by(
        &self,
        filter: &BitVector,
        mut draws: impl FnMut(usize, Dyadic) -> deniable_sample::Result<bool>,
    ) -> Result<BitVector> {
        if filter.len() != self.k() || !(1..=self.h()).contains(&filter.count_ones()) {
            let (k, h) = (self.k(), self.h());
            let accepted = format!("a vector of {k} bits of which 1 to {h} are ones");
            return Err(Error::not_a_member(accepted));
        }
        let (mut permanent, flip) = (filter.clone(), self.flip());
        for bit in 0..self.k() {
            permanent.as_words_mut()[bit / 64] ^= u64::from(draws(bit, flip)?) << (bit % 64);
        }
        Ok(permanent)
    }

    /// A report of a permanent answer: each bit is one with probability q where the permanent answer has a one, and with probability p where it
    /// has a zero. From fresh entropy every time.
    ///
    /// # Errors
    ///
    /// A vector that has not k bits; a source of entropy that fails.
    #[cfg(feature = "std")]
    pub fn instantaneous(&self, permanent: &BitVector) -> Result<BitVector> {
        self.instantaneous_from(permanent, &mut OsEntropy::new())
    }

    /// [`Params::instantaneous`] for random words of any width. That is what exhaustive checks run.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn instantaneous_from<S: Source + ?Sized>(
        &self,
        permanent: &BitVector,
        source: &mut S,
    ) -> Result<BitVector> {
        if permanent.len() != self.k() {
            return Err(Error::not_a_member(format!("a vector of {} bits", self.k())));
        }
        let mut scratch = Scratch::new();
        // Both are drawn for all bits, so that all answers draw the same words.
        let mut drawn = |law: Dyadic| {
            let mut bits = BitVector::zeros(self.k());
            Flips { law, constant_time: false, of_kept: false }
                .flip(bits.as_words_mut(), self.k(), &mut scratch, source)
                .map(|()| bits)
        };
        let (of_one, of_zero) = self.ones();
        let (mut report, zeros) = (drawn(of_one)?, drawn(of_zero)?);
        let both = permanent.as_words().iter().zip(zeros.as_words());
        for (report, (permanent, zeros)) in report.as_words_mut().iter_mut().zip(both) {
            *report = *report & permanent | zeros & !permanent;
        }
        Ok(report)
    }
}
