//! How many reports support each category.

use alloc::string::String;
use alloc::vec::Vec;
use core::hash::Hash;

use deniable_sample::{Kernel, vectorized};

use super::family::{hash, parts};
use super::{HashedReport, LocalHashing};
use crate::bulk::each_part;
use crate::estimate::{BitCounts, check_counts};
use crate::mechanism::randomized_response::CategoryIndex;
use crate::{Error, Result};

impl<T: Eq + Hash + Clone + Send + Sync> LocalHashing<T> {
    /// Adds the reports of [`LocalHashing::invoke_rows`] to counts of all categories: a one for each category whose bucket is that of the report.
    ///
    /// The time grows with the number of categories, and with that of reports.
    ///
    /// # Errors
    ///
    /// Counts of more or fewer categories; rows that are no reports of this mechanism. Then none of them is added.
    ///
    /// # Examples
    ///
    /// ```
    /// use deniable::estimate::BitCounts;
    /// use deniable::prelude::*;
    ///
    /// let drink = make_local_hashing(["tea", "coffee", "water"], 2, 0.75)?;
    /// let mut counts = BitCounts::new(3);
    /// // The shift 1, the steps 1 and 0, and the bucket 0, which is that of coffee alone.
    /// drink.count_rows(&[1, 1, 0, 0], &mut counts)?;
    /// assert_eq!(counts.ones(), [0, 1, 0]);
    /// assert!(drink.count_rows(&[1, 2, 0, 0], &mut counts).is_err());
    /// # Ok::<(), deniable::Error>(())
    /// ```
    pub fn count_rows(&self, rows: &[u16], counts: &mut BitCounts) -> Result<()> {
        check_counts(self.categories.len(), counts)?;
        self.check_rows(rows)?;
        self.count_checked(rows, counts);
        Ok(())
    }

    /// [`LocalHashing::count_rows`] for some categories only, given as places in the list: counts of as many values as there are candidates.
    ///
    /// # Errors
    ///
    /// As there; a candidate behind the end of the list.
    ///
    /// # Examples
    ///
    /// ```
    /// use deniable::estimate::BitCounts;
    /// use deniable::prelude::*;
    ///
    /// let drink = make_local_hashing(["tea", "coffee", "water"], 2, 0.75)?;
    /// let mut counts = BitCounts::new(2);
    /// drink.count_candidates(&[1, 1, 0, 0], &[2u8, 1], &mut counts)?;
    /// assert_eq!(counts.ones(), [0, 1]);
    /// # Ok::<(), deniable::Error>(())
    /// ```
    pub fn count_candidates<I: CategoryIndex>(
        &self,
        rows: &[u16],
        candidates: &[I],
        counts: &mut BitCounts,
    ) -> Result<()> {
        check_counts(candidates.len(), counts)?;
        self.check_rows(rows)?;
        let candidates: Vec<u32> = candidates.iter().map(|&place| place.into()).collect();
        let places = self.categories.len();
        if let Some(index) = candidates.iter().position(|&place| place as usize >= places) {
            let problem = format!("number {} is behind the last of {places} places", index + 1);
            return Err(Error::invalid_parameter("candidates", problem, "places in the list"));
        }
        let mut sums = vec![0; candidates.len()];
        for (places, sums) in candidates.chunks(LANES).zip(sums.chunks_mut(LANES)) {
            let (length, buckets) = (self.row_length(), self.buckets);
            match self.buckets <= 1 << 8 {
                true => vectorized(Candidates::<u8>::new(rows, length, buckets, places, sums)),
                false => vectorized(Candidates::<u16>::new(rows, length, buckets, places, sums)),
            }
        }
        counts.add_summed(&sums, (rows.len() / self.row_length()) as u64);
        Ok(())
    }

    /// The same as [`LocalHashing::count_rows`] for reports that are not rows, and counts of all categories.
    pub(crate) fn count_reports(
        &self,
        reports: &[HashedReport],
        counts: &mut BitCounts,
    ) -> Result<()> {
        let is_bad = |report: &HashedReport| {
            report.seed().len() != self.seed_length()
                || report.seed().iter().any(|&number| u32::from(number) >= self.buckets)
                || u32::from(report.bucket()) >= self.buckets
        };
        if let Some(index) = reports.iter().position(is_bad) {
            let problem = format!("report number {} is none of this mechanism", index + 1);
            return Err(Error::invalid_parameter("reports", problem, self.accepted()));
        }
        let mut rows = Vec::with_capacity(reports.len() * self.row_length());
        for report in reports {
            rows.extend_from_slice(report.seed());
            rows.push(report.bucket());
        }
        self.count_checked(&rows, counts);
        Ok(())
    }

    /// Adds rows that are reports.
    fn count_checked(&self, rows: &[u16], counts: &mut BitCounts) {
        let (length, buckets) = (self.row_length(), self.buckets);
        let mut sums = vec![0; self.categories.len()];
        let mut tiles: Vec<_> = sums.chunks_mut(TILE).enumerate().collect();
        let counted = each_part(&mut tiles, 1, |tiles| {
            for (number, sums) in tiles {
                let first = (*number * TILE) as u32;
                match buckets <= 1 << 8 {
                    true => vectorized(Tile::<u8>::new(rows, length, buckets, first, sums)),
                    false => vectorized(Tile::<u16>::new(rows, length, buckets, first, sums)),
                }
            }
            Ok(())
        });
        counted.expect("counting does not fail");
        counts.add_summed(&sums, (rows.len() / length) as u64);
    }

    fn check_rows(&self, rows: &[u16]) -> Result<()> {
        if rows.len() % self.row_length() != 0 {
            let problem = "they are not whole reports";
            return Err(Error::invalid_parameter("rows", problem, self.accepted()));
        }
        // The largest of all first, which is soon found.
        let is_bad = |&number: &u16| u32::from(number) >= self.buckets;
        if rows.iter().max().is_none_or(|largest| !is_bad(largest)) {
            return Ok(());
        }
        let number = rows.iter().position(is_bad).unwrap_or(0) / self.row_length() + 1;
        let problem = format!("report number {number} is none of this mechanism");
        Err(Error::invalid_parameter("rows", problem, self.accepted()))
    }

    fn accepted(&self) -> String {
        format!("{} numbers below {} for each report", self.row_length(), self.buckets)
    }
}

/// Places whose hashes are computed together.
pub(super) const LANES: usize = 1 << LANE_BITS;
const LANE_BITS: usize = 5;

/// Blocks of lanes that are counted together: their counters stay in the nearest cache.
const BLOCKS: usize = 1 << 9;

/// Places of so many blocks.
pub(super) const TILE: usize = BLOCKS * LANES;

/// So many reports at a time: counters of eight bits hold no more.
const AT_ONCE: usize = 255;

/// All reports, and some places next to each other: how many reports support each of them.
///
/// A place is the number of its block and the number of its lane. Its hash is the sum of the two parts' hashes, so that a report supports
/// it if the hash of the lane is what the block leaves of the bucket. That takes one comparison for each place.
pub(super) struct Tile<'a, L> {
    rows: &'a [u16],
    /// Of a row.
    length: usize,
    buckets: u32,
    /// The first place, a multiple of [`TILE`].
    first: u32,
    sums: &'a mut [u64],
    counters: Vec<[L; LANES]>,
}

impl<'a, L: Lane> Tile<'a, L> {
    pub(super) fn new(
        rows: &'a [u16],
        length: usize,
        buckets: u32,
        first: u32,
        sums: &'a mut [u64],
    ) -> Self {
        let counters = vec![[L::of(0); LANES]; sums.len().div_ceil(LANES)];
        Tile { rows, length, buckets, first, sums, counters }
    }
}

impl<L: Lane> Kernel for Tile<'_, L> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Tile { rows, length, buckets, first, sums, mut counters } = self;
        let blocks = counters.len();
        let masks = masks_of::<L, LANE_BITS>(lane_numbers());
        let mut targets = [L::of(0); BLOCKS];
        for rows in rows.chunks(AT_ONCE * length) {
            for row in rows.chunks_exact(length) {
                let (seed, bucket) = parts(row);
                let start = if first == 0 { seed[0].into() } else { hash(seed, first, buckets) };
                let steps = &seed[1..];
                let hashes = hashes_of(start, steps, &masks, buckets);
                fill_targets(&mut targets, blocks, bucket, steps, buckets);
                for block in 0..blocks {
                    count(&mut counters[block], &hashes, targets[block]);
                }
            }
            move_to(sums, &mut counters);
        }
    }
}

/// All reports, and some places anywhere, at most as many as there are lanes.
pub(super) struct Candidates<'a, L> {
    rows: &'a [u16],
    length: usize,
    buckets: u32,
    sums: &'a mut [u64],
    masks: [[L; LANES]; MOST_DIGITS],
}

/// A place has no more binary digits.
const MOST_DIGITS: usize = 32;

impl<'a, L: Lane> Candidates<'a, L> {
    pub(super) fn new(
        rows: &'a [u16],
        length: usize,
        buckets: u32,
        places: &[u32],
        sums: &'a mut [u64],
    ) -> Self {
        let mut lanes = [0; LANES];
        lanes[..places.len()].copy_from_slice(places);
        Candidates { rows, length, buckets, sums, masks: masks_of(lanes) }
    }
}

impl<L: Lane> Kernel for Candidates<'_, L> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Candidates { rows, length, buckets, sums, masks } = self;
        let mut counters = [[L::of(0); LANES]];
        for rows in rows.chunks(AT_ONCE * length) {
            for row in rows.chunks_exact(length) {
                let (seed, bucket) = parts(row);
                let hashes = hashes_of(seed[0].into(), &seed[1..], &masks, buckets);
                count(&mut counters[0], &hashes, L::of(bucket.into()));
            }
            move_to(sums, &mut counters);
        }
    }
}

/// For each of some binary digits, the lanes whose number has a one there.
#[inline(always)]
fn masks_of<L: Lane, const DIGITS: usize>(lanes: [u32; LANES]) -> [[L; LANES]; DIGITS] {
    let mut masks = [[L::of(0); LANES]; DIGITS];
    for (digit, mask) in masks.iter_mut().enumerate() {
        for lane in 0..LANES {
            mask[lane] = L::of((lanes[lane] >> digit & 1).wrapping_neg());
        }
    }
    masks
}

fn lane_numbers() -> [u32; LANES] {
    core::array::from_fn(|lane| lane as u32)
}

/// The hashes of all lanes: `start`, and the step of each digit of the lane's number, modulo `buckets`.
#[inline(always)]
fn hashes_of<L: Lane>(start: u32, steps: &[u16], masks: &[[L; LANES]], buckets: u32) -> [L; LANES] {
    let (mut hashes, modulus) = ([L::of(start); LANES], L::of(buckets));
    for (mask, &step) in masks.iter().zip(steps) {
        let step = L::of(step.into());
        for lane in 0..LANES {
            hashes[lane] = hashes[lane].plus(step.and(mask[lane]), modulus);
        }
    }
    hashes
}

/// For each block what its digits leave of the bucket. As many blocks again are one step further.
#[inline(always)]
fn fill_targets<L: Lane>(
    targets: &mut [L; BLOCKS],
    blocks: usize,
    bucket: u16,
    steps: &[u16],
    buckets: u32,
) {
    let modulus = L::of(buckets);
    targets[0] = L::of(bucket.into());
    let (mut filled, mut digit) = (1, LANE_BITS);
    while filled < blocks {
        let step = u32::from(steps[digit]);
        let back = L::of(if step == 0 { 0 } else { buckets - step });
        let (done, next) = targets.split_at_mut(filled);
        let next = &mut next[..filled];
        for block in 0..filled {
            next[block] = done[block].plus(back, modulus);
        }
        (filled, digit) = (2 * filled, digit + 1);
    }
}

/// Counts the lanes whose hash is the target.
#[inline(always)]
fn count<L: Lane>(counters: &mut [L; LANES], hashes: &[L; LANES], target: L) {
    for lane in 0..LANES {
        counters[lane] = counters[lane].and_one_if(hashes[lane] == target);
    }
}

/// Adds the counters to the sums, of which there may be fewer, and begins anew.
#[inline(always)]
fn move_to<L: Lane>(sums: &mut [u64], counters: &mut [[L; LANES]]) {
    for (sums, counters) in sums.chunks_mut(LANES).zip(counters) {
        for (sum, counter) in sums.iter_mut().zip(&*counters) {
            *sum += (*counter).into();
        }
        *counters = [L::of(0); LANES];
    }
}

/// A residue, or a counter, in as few bits as it has.
pub(super) trait Lane: Copy + PartialEq + Into<u64> + Send {
    /// Modulo two to the number of bits.
    fn of(number: u32) -> Self;

    /// Both bits.
    fn and(self, mask: Self) -> Self;

    /// The sum of two residues. The modulus may be two to the number of bits, which is written as zero.
    fn plus(self, step: Self, modulus: Self) -> Self;

    /// One more, if so.
    fn and_one_if(self, so: bool) -> Self;
}

macro_rules! lanes {
    ($($lane:ty)*) => {$(
        impl Lane for $lane {
            #[inline(always)]
            fn of(number: u32) -> Self {
                number as $lane
            }

            #[inline(always)]
            fn and(self, mask: Self) -> Self {
                self & mask
            }

            #[inline(always)]
            fn plus(self, step: Self, modulus: Self) -> Self {
                // How far it is from the step to the modulus. Zero only if the step is, and the modulus is written as zero.
                let rest = modulus.wrapping_sub(step);
                if self >= rest { self.wrapping_sub(rest) } else { self.wrapping_add(step) }
            }

            #[inline(always)]
            fn and_one_if(self, so: bool) -> Self {
                self.wrapping_add(<$lane>::from(so))
            }
        }
    )*};
}

lanes!(u8 u16);
