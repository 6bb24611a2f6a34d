//! Reports of bits for many answers: packed rows, one after the other.

use alloc::vec::Vec;

use deniable_sample::{Dyadic, FLIPS, Kernel, Scratch, Source, Word, vectorized};

use crate::bits::last_mask;
use crate::bulk::each_part;
use crate::mechanism::lanes::Flips;
use crate::mechanism::randomized_response::CategoryIndex;
use crate::{BitVector, Result};

/// Rows of bits of one length, each in as many words as that takes, with zeros behind its last bit.
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    length: usize,
}

impl Rows {
    pub(crate) fn new(length: usize) -> Self {
        Rows { length }
    }

    /// The words of a row.
    pub(crate) fn words(self) -> usize {
        self.length.div_ceil(64)
    }

    /// A row for each place, group by group, on several threads if there are any.
    pub(crate) fn for_places<I: CategoryIndex>(
        self,
        places: &[I],
        work: impl Fn(&mut [u64], &[I]) -> Result<()> + Send + Sync,
    ) -> Result<Vec<u64>> {
        let (group, words) = (self.group(), self.words());
        let mut rows = vec![0; places.len().saturating_mul(words)];
        let mut groups: Vec<_> = rows.chunks_mut(group * words).zip(places.chunks(group)).collect();
        each_part(&mut groups, LEAST.div_ceil(group * words), |groups| {
            groups.iter_mut().try_for_each(|(rows, places)| work(rows, places))
        })?;
        Ok(rows)
    }

    /// The same, in turn.
    pub(crate) fn for_places_in_turn<I>(
        self,
        places: &[I],
        mut work: impl FnMut(&mut [u64], &[I]) -> Result<()>,
    ) -> Result<Vec<u64>> {
        let (group, words) = (self.group(), self.words());
        let mut rows = vec![0; places.len().saturating_mul(words)];
        let mut groups = rows.chunks_mut(group * words).zip(places.chunks(group));
        groups.try_for_each(|(rows, places)| work(rows, places))?;
        Ok(rows)
    }

    /// So many rows are worked on together: enough for what is drawn once a row, few enough for the cache.
    fn group(self) -> usize {
        (GROUP / self.words().max(1)).clamp(64, 1024)
    }

    /// Makes each bit of some rows, which are zeros, one with the probability of `law`.
    pub(crate) fn flip<S: Source + ?Sized>(
        self,
        law: Dyadic,
        rows: &mut [u64],
        scratch: &mut Scratch<S::Word>,
        source: &mut S,
    ) -> Result<()> {
        let flips = Flips { law, constant_time: false, of_kept: false };
        if self.length % 64 == 0 {
            // Without gaps between them they are one long row, with more bits than a number may be able to tell.
            let mut all = rows.chunks_mut(FLIPS);
            return all.try_for_each(|bits| flips.flip(bits, 64 * bits.len(), scratch, source));
        }
        let (length, words) = (self.length, self.words());
        if rows.len() == words {
            return flips.flip(rows, length, scratch, source);
        }
        // As many as are flipped at once, without gaps, and then apart.
        let most = (FLIPS * 64 / length).min(rows.len() / words).max(1);
        let mut packed = vec![0; (most * length).div_ceil(64)];
        for rows in rows.chunks_mut(most * words) {
            let count = rows.len() / words * length;
            let packed = &mut packed[..count.div_ceil(64)];
            packed.fill(0);
            flips.flip(packed, count, scratch, source)?;
            vectorized(Apart { packed, length, rows });
        }
        Ok(())
    }

    /// The rows as vectors.
    pub(crate) fn to_vectors(self, rows: &[u64]) -> Result<Vec<BitVector>> {
        let rows = rows.chunks_exact(self.words());
        rows.map(|row| BitVector::from_words(row.to_vec(), self.length)).collect()
    }
}

/// A flip for each of so many rows, to be asked for by the number of the row.
pub(crate) struct OneEach<'a> {
    drawn: &'a [u64],
    width: usize,
}

impl<'a> OneEach<'a> {
    pub(crate) fn sample<S: Source + ?Sized>(
        law: Dyadic,
        rows: usize,
        drawn: &'a mut Vec<u64>,
        scratch: &mut Scratch<S::Word>,
        source: &mut S,
    ) -> Result<Self> {
        let width = S::Word::BITS as usize;
        drawn.resize(rows.div_ceil(width), 0);
        law.sample_flips(drawn, rows, false, scratch, source)?;
        Ok(OneEach { drawn, width })
    }

    #[inline]
    pub(crate) fn get(&self, row: usize) -> bool {
        self.drawn[row / self.width] >> (row % self.width) & 1 == 1
    }
}

/// Words of all rows of a group.
const GROUP: usize = 1 << 14;

/// Fewer words than these are not worth a thread.
const LEAST: usize = 1 << 12;

/// Rows that follow each other without gaps, to be put where each begins with a word.
struct Apart<'a> {
    packed: &'a [u64],
    length: usize,
    rows: &'a mut [u64],
}

impl Kernel for Apart<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Apart { packed, length, rows } = self;
        let mask = last_mask(length);
        for (number, row) in rows.chunks_exact_mut(length.div_ceil(64)).enumerate() {
            let (mut first, shift) = (number * length / 64, number * length % 64);
            let mut low = packed[first];
            for word in &mut *row {
                first += 1;
                let next = packed.get(first).copied().unwrap_or(0);
                // Nothing is left of the next word where the shift is zero.
                *word = low >> shift | (next << 1) << (63 - shift);
                low = next;
            }
            if let Some(last) = row.last_mut() {
                *last &= mask;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::{Script, words};

    #[test]
    fn groups_are_as_large_as_they_may_be() {
        for length in [1, 64, 65, 1000, 1024, 1025, 10_000, 16_384, 16_385, 100_000, 1 << 24] {
            let (rows, group) = (Rows::new(length), Rows::new(length).group());
            assert!((64..=1024).contains(&group), "{length}");
            assert!(group == 64 || group * rows.words() <= 16_384, "{length}");
            assert!(group == 1024 || (group + 1) * rows.words() > 16_384, "{length}");
        }
    }

    /// The words of a row all hold its place; a group is one call.
    #[test]
    fn each_place_has_its_row() {
        for (length, count) in [(1, 5000), (130, 3000), (64 * 100, 400), (8193, 3), (70, 0)] {
            let (rows, places) = (Rows::new(length), (0..count).collect::<Vec<u32>>());
            let expected: Vec<u64> =
                places.iter().flat_map(|&place| vec![place.into(); rows.words()]).collect();
            let write = |into: &mut [u64], places: &[u32]| {
                assert!(into.len() == places.len() * rows.words() && places.len() <= rows.group());
                for (row, &place) in into.chunks_exact_mut(rows.words()).zip(places) {
                    row.fill(place.into());
                }
                Ok(())
            };
            assert_eq!(rows.for_places(&places, write).unwrap(), expected);
            assert_eq!(rows.for_places_in_turn(&places, write).unwrap(), expected);
        }
    }

    /// As many rows are flipped together as one draw of flips holds, or what one row takes.
    #[test]
    fn rows_have_the_flips_of_their_bits() {
        let law = Dyadic::from_float(0.375).unwrap();
        for (length, count) in
            [(1, 1), (7, 2000), (65, 300), (192, 100), (1000, 30), (9000, 3), (70, 1)]
        {
            let rows = Rows::new(length);
            let together = match length % 64 {
                0 => count,
                _ => (1..=count).rev().find(|n| n * length <= 64 * FLIPS).unwrap_or(1),
            };
            let script = || Script::new(words(length as u64, 100_000));
            let flips = Flips { law, constant_time: false, of_kept: false };
            let (mut drawing, mut expected) = (script(), vec![0; count * rows.words()]);
            for rows_of in expected.chunks_mut(together * rows.words()) {
                let bits = rows_of.len() / rows.words() * length;
                let mut drawn = vec![0; bits.div_ceil(64)];
                flips.flip(&mut drawn, bits, &mut Scratch::new(), &mut drawing).unwrap();
                for i in 0..bits {
                    let at = i / length * rows.words() * 64 + i % length;
                    rows_of[at / 64] |= (drawn[i / 64] >> (i % 64) & 1) << (at % 64);
                }
            }
            let mut made = vec![0; count * rows.words()];
            rows.flip(law, &mut made, &mut Scratch::new(), &mut script()).unwrap();
            assert_eq!(made, expected, "{length} {count}");
            let vectors = rows.to_vectors(&made).unwrap();
            let lengths = vectors.iter().map(BitVector::len);
            assert!(lengths.eq(vec![length; count]), "{length} {count}");
        }
    }
}
