//! The Bloom filter of a value, in a cohort.

use alloc::vec::Vec;

use super::Params;
use super::keyed::{hash, numbers_below};
use crate::{BitVector, Error, Result};

/// So that these hashes are no other function's.
const LABEL: &[u8] = b"deniable.rappor.filter.1";

impl Params {
    /// The bits that a value sets in the Bloom filter of a cohort, one for each hash function. Some may be equal.
    ///
    /// They are a function of k, the cohort and the value, without a secret, and the same in all versions: the numbers below k of SHA-256 of the
    /// label `deniable.rappor.filter.1`, the cohort, the number of the block and the value. For each block 0, 1, … cohort and number are 32 bits, big-endian;
    /// each of its eight big-endian 32-bit words gives as many low bits as k − 1 has, and what is not below k is left out. The first h numbers are the bits.
    ///
    /// # Errors
    ///
    /// A cohort that is not below m.
    ///
    /// ```
    /// use deniable::rappor::Params;
    ///
    /// let params = Params::new(16, 2, 64, 0.5, 0.75, 0.5)?;
    /// assert_eq!(params.bits_of(7, "foo")?, [3, 1]);
    /// assert_eq!(params.filter_of(7, "foo")?.to_bytes(), [0b1010, 0]);
    /// assert!(params.bits_of(64, "foo").is_err());
    /// # Ok::<(), deniable::Error>(())
    /// ```
    pub fn bits_of(&self, cohort: usize, value: impl AsRef<[u8]>) -> Result<Vec<usize>> {
        self.check_cohort(cohort)?;
        let (cohort, value) = ((cohort as u32).to_be_bytes(), value.as_ref());
        let block = |number: u32| hash(&[LABEL, &cohort, &number.to_be_bytes(), value]);
        Ok(numbers_below(self.k(), block).take(self.h()).collect())
    }

    /// The Bloom filter of a value: ones at [`Params::bits_of`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn filter_of(&self, cohort: usize, value: impl AsRef<[u8]>) -> Result<BitVector> {
        let mut filter = BitVector::zeros(self.k());
        for bit in self.bits_of(cohort, value)? {
            filter.set(bit, true)?;
        }
        Ok(filter)
    }

    pub(super) fn check_cohort(&self, cohort: usize) -> Result<()> {
        if cohort < self.m() {
            return Ok(());
        }
        let accepted = format!("a number below {}", self.m());
        Err(Error::invalid_parameter("cohort", "there is no such cohort", accepted))
    }
}
