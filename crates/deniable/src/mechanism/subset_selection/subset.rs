//! Uniformly random subsets, as rows of bits.

use deniable_sample::{Dyadic, Scratch, Source, sample_uniform_int_below};

use crate::Result;
use crate::bits::last_mask;
use crate::mechanism::rows::Rows;

/// Subsets of a known size of k places, of which each is as likely as any other.
///
/// All bits are flipped first, with nearly the probability that a place is chosen, and then single places are chosen or dropped at random until the size is
/// right. That is far fewer than are chosen.
#[derive(Clone, Copy)]
pub(super) struct Subsets {
    k: usize,
    /// The size, or that of what is left out if that is smaller.
    fewer: usize,
    is_left_out: bool,
    /// The probability of the flips.
    share: Option<Dyadic>,
}

impl Subsets {
    /// Of `size` places, at least 1 and fewer than k.
    pub(super) fn new(k: usize, size: usize) -> Result<Self> {
        let fewer = size.min(k - size);
        let share = share(k, fewer).map(Dyadic::from_float).transpose()?;
        Ok(Subsets { k, fewer, is_left_out: fewer < size, share })
    }

    /// Makes a subset of each of some rows of zeros.
    pub(super) fn sample<S: Source + ?Sized>(
        &self,
        rows: &mut [u64],
        scratch: &mut Scratch<S::Word>,
        source: &mut S,
    ) -> Result<()> {
        let all = Rows::new(self.k);
        if let Some(share) = self.share {
            all.flip(share, rows, scratch, source)?;
        }
        for row in rows.chunks_exact_mut(all.words()) {
            self.settle(row, source)?;
            if self.is_left_out {
                self.complement(row);
            }
        }
        Ok(())
    }

    /// Turns places at random, ones or zeros, whichever there are too many of, until the number of ones is right.
    #[inline]
    fn settle<S: Source + ?Sized>(&self, row: &mut [u64], source: &mut S) -> Result<()> {
        let mut ones: usize = row.iter().map(|word| word.count_ones() as usize).sum();
        while ones != self.fewer {
            let (place, is_short) = (sample_uniform_int_below(self.k, source)?, ones < self.fewer);
            let turns = contains(row, place) != is_short;
            row[place / 64] ^= u64::from(turns) << (place % 64);
            ones = if is_short { ones + usize::from(turns) } else { ones - usize::from(turns) };
        }
        Ok(())
    }

    fn complement(&self, row: &mut [u64]) {
        row.iter_mut().for_each(|word| *word = !*word);
        if let Some(last) = row.last_mut() {
            *last &= last_mask(self.k);
        }
    }
}

/// fewer/k, rounded down to about half as many binary digits as k has: what is dropped costs no more turns than chance does. Nothing where so few
/// are chosen that flipping all bits takes longer than choosing them.
fn share(k: usize, fewer: usize) -> Option<f64> {
    let parts = 1u64 << (usize::BITS - (k - 1).leading_zeros()).div_ceil(2);
    let share = fewer as u64 * parts / k as u64;
    // A number of so few digits is a float, and so is the quotient.
    (share > 0 && fewer >= k / 16).then(|| share as f64 / parts as f64)
}

/// Whether a place is in a subset.
#[inline]
pub(super) fn contains(row: &[u64], place: usize) -> bool {
    row[place / 64] >> (place % 64) & 1 == 1
}

/// Puts a place into a subset, or takes it out.
#[inline]
pub(super) fn turn(row: &mut [u64], place: usize) {
    row[place / 64] ^= 1 << (place % 64);
}

/// The place of number `number`, from 0, among those that are in a subset, or among those that are not. There are more than so many.
#[inline]
pub(super) fn place_of(row: &[u64], is_in: bool, mut number: usize) -> usize {
    let others = u64::from(is_in).wrapping_sub(1);
    for (index, word) in row.iter().enumerate() {
        let mut word = word ^ others;
        let ones = word.count_ones() as usize;
        if number < ones {
            (0..number).for_each(|_| word &= word - 1);
            return index * 64 + word.trailing_zeros() as usize;
        }
        number -= ones;
    }
    unreachable!("there are more than so many")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_just_below_the_truth() {
        for k in 2..3000 {
            for fewer in 1..=k / 2 {
                let Some(share) = share(k, fewer) else {
                    assert!(fewer < k / 16 || fewer * fewer < 2 * k, "{k} {fewer}");
                    continue;
                };
                let missing = fewer as f64 - share * k as f64;
                // Both are exact.
                assert!(0.0 <= missing && missing <= (k as f64).sqrt(), "{k} {fewer}");
                assert!(share <= 0.5 && share * 1024.0 == (share * 1024.0).trunc());
            }
        }
        assert_eq!(share(128, 34), Some(0.25));
        assert_eq!((share(1024, 275), share(1024, 10)), (Some(0.25), None));
        assert_eq!((share(4, 2), share(3, 1)), (Some(0.5), None));
    }

    #[test]
    fn numbers_in_and_out_are_found_in_order() {
        for k in [1, 63, 64, 65, 200] {
            let is_one = |place: usize| place * 7 % 11 < 4;
            let mut row = vec![0; usize::div_ceil(k, 64)];
            (0..k).filter(|&place| is_one(place)).for_each(|place| turn(&mut row, place));
            for is_in in [true, false] {
                let places = (0..k).filter(|&place| is_one(place) == is_in);
                for (number, place) in places.enumerate() {
                    assert_eq!(place_of(&row, is_in, number), place);
                    assert_eq!(contains(&row, place), is_in);
                }
            }
        }
    }
}
