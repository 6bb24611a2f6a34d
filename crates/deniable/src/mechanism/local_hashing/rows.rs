//! The reports of many respondents in one piece of memory.

use alloc::vec::Vec;
use core::hash::Hash;

#[cfg(feature = "std")]
use deniable_sample::OsEntropy;
use deniable_sample::{ManyBelow, Source};

use super::LocalHashing;
use super::family::{hash, parts};
use crate::Result;
use crate::bulk::each_part;
use crate::mechanism::randomized_response::{CategoryIndex, randomize_places};

impl<T: Eq + Hash + Clone + Send + Sync> LocalHashing<T> {
    /// How many numbers the row of a report has: those of its seed, and last the bucket.
    pub fn row_length(&self) -> usize {
        self.seed_length() + 1
    }

    /// The reports of answers that are given as places in the list of [categories](LocalHashing::categories), from 0: one row after the other, each the
    /// numbers of its [seed](super::HashedReport::seed), and last the bucket. A place behind the end of the list is an answer that is none of the
    /// categories, and gives any bucket.
    ///
    /// # Errors
    ///
    /// A source of entropy that fails. Then nothing is released for anybody.
    ///
    /// # Examples
    ///
    /// ```
    /// use deniable::prelude::*;
    ///
    /// let drink = make_local_hashing(["tea", "coffee", "water", "wine"], 3, 0.6)?;
    /// let rows = drink.invoke_rows(&[0u8, 1, 1, 2])?;
    /// assert_eq!(rows.len(), 4 * drink.row_length());
    /// assert!(rows.iter().all(|&number| number < 3));
    /// # Ok::<(), deniable::Error>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn invoke_rows<I: CategoryIndex + Sync>(&self, places: &[I]) -> Result<Vec<u16>> {
        let length = self.row_length();
        let mut rows = vec![0; places.len() * length];
        let mut groups: Vec<_> =
            rows.chunks_mut(TOGETHER * length).zip(places.chunks(TOGETHER)).collect();
        each_part(&mut groups, LEAST, |groups| {
            let (entropy, words) = (&mut OsEntropy::new(), &mut Vec::new());
            groups.iter_mut().try_for_each(|(rows, places)| self.fill(rows, places, words, entropy))
        })?;
        Ok(rows)
    }

    /// [`LocalHashing::invoke_rows`] for random words of any width. That is what exhaustive checks run.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn randomize_rows<I: CategoryIndex, S: Source + ?Sized>(
        &self,
        places: &[I],
        source: &mut S,
    ) -> Result<Vec<u16>> {
        let (length, mut words) = (self.row_length(), Vec::new());
        let mut rows = vec![0; places.len() * length];
        for (rows, places) in rows.chunks_mut(TOGETHER * length).zip(places.chunks(TOGETHER)) {
            self.fill(rows, places, &mut words, source)?;
        }
        Ok(rows)
    }

    /// Makes the reports of some answers. Everything is drawn whatever the answers, so that all of them draw the same words.
    fn fill<I: CategoryIndex, S: Source + ?Sized>(
        &self,
        rows: &mut [u16],
        places: &[I],
        words: &mut Vec<S::Word>,
        source: &mut S,
    ) -> Result<()> {
        let (length, known) = (self.row_length(), self.categories.len() as u32);
        // The last number of each row is a residue too many, where the bucket will be.
        ManyBelow::new(self.buckets)?.sample_all(rows, words, source)?;
        let mut buckets = [NO_BUCKET; TOGETHER];
        let buckets = &mut buckets[..places.len()];
        for ((bucket, row), &place) in buckets.iter_mut().zip(rows.chunks_exact(length)).zip(places)
        {
            let place: u32 = place.into();
            if place < known {
                *bucket = hash(parts(row).0, place, self.buckets);
            }
        }
        randomize_places(self.buckets, self.truth, buckets, source)?;
        for (row, &bucket) in rows.chunks_exact_mut(length).zip(&*buckets) {
            row[length - 1] = bucket as u16;
        }
        Ok(())
    }
}

/// So many rows are randomized together.
const TOGETHER: usize = 1024;

/// Fewer times so many are not worth a thread.
const LEAST: usize = 8;

/// Behind the last bucket: there are at most 2^16.
const NO_BUCKET: u32 = u32::MAX;
