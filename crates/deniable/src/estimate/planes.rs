//! How many reports have a one at each place, sixteen rows of words at a time.

use alloc::vec::Vec;
use core::array::from_fn;

use deniable_sample::{Kernel, vectorized};

/// Counters written vertically: bit p of the count at each place is in plane p. Adding costs a few operations on whole
/// words, and many places at a time.
///
/// Reports are copied into a row, side by side if they are short, and wait until there are sixteen rows. Copying
/// them reads them in the order in which they lie in memory, which memory is fast at, and leaves them in the cache.
#[derive(Clone, Debug)]
pub(crate) struct Planes {
    tiles: Vec<Tile>,
    /// The bits of a report, and its words.
    length: usize,
    words: usize,
    /// The words of a row.
    width: usize,
    /// Where the next report waits.
    row: usize,
    column: usize,
    /// How many rows the planes hold, at most.
    rows: usize,
    /// Whether a report whose count moved out of the planes had a one behind its last bit.
    strays: bool,
}

/// Some columns of all planes, and of the rows that wait. It is aligned so that no wide register straddles two lines of
/// the cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Tile {
    planes: [Columns; PLANES],
    waiting: [Columns; ROWS],
}

type Columns = [u64; COLUMNS];

/// Words of a tile.
const COLUMNS: usize = 16;

/// Rows that are added at once.
const ROWS: usize = 16;

/// So many planes count to [`MOST`]. More than 16 would not fit into [`transposed`].
const PLANES: usize = 12;
const MOST: usize = (1 << PLANES) - 1;

/// Sixteen rows of so many words are still in the nearest cache when they have been copied.
const NEAR: usize = 256;

impl Planes {
    /// No reports yet, of this many bits.
    pub(crate) fn new(length: usize) -> Self {
        let words = length.div_ceil(64);
        let width = words * side_by_side(words);
        let tile = Tile { planes: [[0; COLUMNS]; PLANES], waiting: [[0; COLUMNS]; ROWS] };
        let tiles = vec![tile; width.div_ceil(COLUMNS)];
        Planes { tiles, length, words, width, row: 0, column: 0, rows: 0, strays: false }
    }

    /// Adds reports. What the planes cannot hold any more moves to `ones`.
    pub(crate) fn add_each<'a>(
        &mut self,
        reports: impl Iterator<Item = &'a [u64]>,
        ones: &mut [u64],
    ) {
        vectorized(Each { planes: self, reports, ones });
    }

    /// Adds whole reports that lie one after the other.
    pub(crate) fn add_packed(&mut self, reports: &[u64], ones: &mut [u64]) {
        vectorized(Packed { planes: self, reports, ones });
    }

    /// Whether any report had a one behind its last bit. It was counted, or waits, at a place that nobody asks for.
    pub(crate) fn have_strays(&self) -> bool {
        if self.strays || self.length % 64 == 0 {
            return self.strays;
        }
        let last = self.words - 1;
        let ones: Vec<Columns> = self.tiles[last / COLUMNS..].iter().map(Tile::ones).collect();
        let mut last_words = ones.as_flattened()[last % COLUMNS..].iter().step_by(self.words);
        last_words.any(|word| word >> (self.length % 64) != 0)
    }

    /// Adds the count at each place to `ones`.
    pub(crate) fn add_to(&self, ones: &mut [u64]) {
        let mut planes = self.clone();
        let zeros = vec![0; self.width];
        while (planes.row, planes.column) != (0, 0) {
            planes.add_packed(&zeros[planes.column..], ones);
        }
        planes.move_to(ones);
    }

    /// Copies reports that fit into the row that is being filled.
    #[inline(always)]
    fn wait(&mut self, reports: &[u64], ones: &mut [u64]) {
        match self.column {
            0 => self.fill(reports),
            _ => self.fill_on(reports),
        }
        self.column += reports.len();
        if self.column == self.width {
            (self.row, self.column) = (self.row + 1, 0);
            if self.row == ROWS {
                self.add_waiting(ones);
            }
        }
    }

    /// Copies words to the first columns of the row.
    #[inline(always)]
    fn fill(&mut self, words: &[u64]) {
        let blocks = words.chunks_exact(COLUMNS);
        let rest = blocks.remainder();
        if !rest.is_empty() {
            self.tiles[words.len() / COLUMNS].waiting[self.row][..rest.len()].copy_from_slice(rest);
        }
        for (tile, block) in self.tiles.iter_mut().zip(blocks) {
            tile.waiting[self.row].copy_from_slice(block);
        }
    }

    /// Copies words to the next columns of the row.
    #[inline(always)]
    fn fill_on(&mut self, words: &[u64]) {
        let (mut column, mut words) = (self.column, words);
        while !words.is_empty() {
            let (tile, inside) = (column / COLUMNS, column % COLUMNS);
            let (now, later) = words.split_at(words.len().min(COLUMNS - inside));
            self.tiles[tile].waiting[self.row][inside..][..now.len()].copy_from_slice(now);
            (column, words) = (column + now.len(), later);
        }
    }

    /// Adds the rows that wait.
    #[inline(always)]
    fn add_waiting(&mut self, ones: &mut [u64]) {
        self.make_room(ones);
        for tile in &mut self.tiles {
            add_rows(&mut tile.planes, &tile.waiting);
        }
        self.row = 0;
    }

    /// Adds sixteen rows that are too long for the nearest cache, some columns at a time.
    #[inline(always)]
    fn add_far(&mut self, rows: &[u64], ones: &mut [u64]) {
        self.make_room(ones);
        let mut near = [[0; COLUMNS]; ROWS];
        for (number, tile) in self.tiles.iter_mut().enumerate() {
            for (near, row) in near.iter_mut().zip(rows.chunks_exact(self.width)) {
                let words = &row[number * COLUMNS..];
                match words.first_chunk() {
                    Some(words) => *near = *words,
                    None => near[..words.len()].copy_from_slice(words),
                }
            }
            add_rows(&mut tile.planes, &near);
        }
    }

    /// Makes room for sixteen more rows.
    #[inline(always)]
    fn make_room(&mut self, ones: &mut [u64]) {
        if self.rows + ROWS > MOST {
            self.move_to(ones);
        }
        self.rows += ROWS;
    }

    /// Moves what the planes hold to `ones`.
    fn move_to(&mut self, ones: &mut [u64]) {
        self.strays = self.have_strays();
        for first in (0..self.width).step_by(self.words.max(1)) {
            for (column, ones) in (first..).zip(ones.chunks_mut(64)) {
                add_counts(&self.tiles[column / COLUMNS].planes, column % COLUMNS, ones);
            }
        }
        for tile in &mut self.tiles {
            tile.planes = [[0; COLUMNS]; PLANES];
        }
        self.rows = 0;
    }
}

/// How many reports make a row: some tiles, of which as few columns as possible stay empty.
fn side_by_side(words: usize) -> usize {
    let words = words.max(1);
    let tiles = |count: &usize| (count * words).div_ceil(COLUMNS);
    let counts = COLUMNS / words + 1..=4 * COLUMNS / words;
    counts.min_by_key(|count| (tiles(count) << 16) / count).unwrap_or(1)
}

/// Adds reports that lie anywhere.
struct Each<'a, I> {
    planes: &'a mut Planes,
    reports: I,
    ones: &'a mut [u64],
}

impl<'r, I: Iterator<Item = &'r [u64]>> Kernel for Each<'_, I> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for report in self.reports {
            self.planes.wait(report, self.ones);
        }
    }
}

/// Adds reports that lie one after the other.
struct Packed<'a> {
    planes: &'a mut Planes,
    reports: &'a [u64],
    ones: &'a mut [u64],
}

impl Kernel for Packed<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Packed { planes, reports, ones } = self;
        let width = planes.width.max(1);
        let room = (planes.width - planes.column).min(reports.len());
        let (first, others) = reports.split_at(room);
        planes.wait(first, ones);
        for rows in others.chunks(ROWS * width) {
            if width > NEAR && rows.len() == ROWS * width {
                planes.add_far(rows, ones);
                continue;
            }
            for row in rows.chunks(width) {
                planes.wait(row, ones);
            }
        }
    }
}

impl Tile {
    /// Where there is a one in any plane, or in any row that waits.
    fn ones(&self) -> Columns {
        let mut ones = [0; COLUMNS];
        for columns in self.planes.iter().chain(&self.waiting) {
            for (ones, word) in ones.iter_mut().zip(columns) {
                *ones |= word;
            }
        }
        ones
    }
}

/// Adds the bits of sixteen rows to the counters at each place.
#[inline(always)]
fn add_rows(planes: &mut [Columns; PLANES], rows: &[Columns; ROWS]) {
    for column in 0..COLUMNS {
        let mut counters: [u64; PLANES] = from_fn(|plane| planes[plane][column]);
        add_sixteen(&mut counters, from_fn(|row| rows[row][column]));
        for (plane, bits) in planes.iter_mut().zip(counters) {
            plane[column] = bits;
        }
    }
}

/// Adds sixteen bits to the counter at each place. Pairs of bits leave half as many carries, and so on.
#[inline(always)]
fn add_sixteen(planes: &mut [u64; PLANES], ones: [u64; ROWS]) {
    let twos: [u64; 8] = from_fn(|i| full_adder(&mut planes[0], ones[2 * i], ones[2 * i + 1]));
    let fours: [u64; 4] = from_fn(|i| full_adder(&mut planes[1], twos[2 * i], twos[2 * i + 1]));
    let eights: [u64; 2] = from_fn(|i| full_adder(&mut planes[2], fours[2 * i], fours[2 * i + 1]));
    let mut carry = full_adder(&mut planes[3], eights[0], eights[1]);
    for plane in &mut planes[4..] {
        (*plane, carry) = (*plane ^ carry, *plane & carry);
    }
}

/// Adds two bits to the one in `sum`, at each place, and returns the carry.
#[inline(always)]
fn full_adder(sum: &mut u64, a: u64, b: u64) -> u64 {
    let half = *sum ^ a;
    let carry = *sum & a | half & b;
    *sum = half ^ b;
    carry
}

/// Adds the counts at the places of a column.
fn add_counts(planes: &[Columns; PLANES], column: usize, ones: &mut [u64]) {
    let counts = transposed(from_fn(|bit| planes.get(bit).map_or(0, |plane| plane[column])));
    for (quarter, ones) in ones.chunks_mut(16).enumerate() {
        for (ones, counts) in ones.iter_mut().zip(counts) {
            *ones += counts >> (16 * quarter) & 0xffff;
        }
    }
}

/// Four matrices of 16 by 16 bits, side by side, each transposed: bit 16q + i of word j becomes bit 16q + j of word i.
fn transposed(mut words: [u64; 16]) -> [u64; 16] {
    for (step, mask) in [
        (8, 0x00ff_00ff_00ff_00ff),
        (4, 0x0f0f_0f0f_0f0f_0f0f),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ] {
        for block in words.chunks_exact_mut(2 * step) {
            let (low, high) = block.split_at_mut(step);
            for (low, high) in low.iter_mut().zip(high) {
                let swapped = (*low >> step ^ *high) & mask;
                *high ^= swapped;
                *low ^= swapped << step;
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::words;

    /// The same words without a one behind the last bit of each report.
    fn cut(mut reports: Vec<u64>, length: usize) -> Vec<u64> {
        for report in reports.chunks_exact_mut(length.div_ceil(64)) {
            report[length / 64..].iter_mut().for_each(|last| *last &= (1 << (length % 64)) - 1);
        }
        reports
    }

    fn reports(length: usize, count: usize) -> Vec<u64> {
        cut(words(length as u64, count * length.div_ceil(64)), length)
    }

    /// One bit at a time.
    fn plainly(length: usize, reports: &[u64]) -> Vec<u64> {
        let mut ones = vec![0; length];
        for report in reports.chunks_exact(length.div_ceil(64)) {
            for (place, ones) in ones.iter_mut().enumerate() {
                *ones += report[place / 64] >> (place % 64) & 1;
            }
        }
        ones
    }

    /// What each kernel counts, compiled for every processor and for this one: reports that lie one after the other, in
    /// two pieces, and reports that lie anywhere.
    fn all_ways(length: usize, reports: &[u64], half: usize) -> [Vec<u64>; 4] {
        let words = length.div_ceil(64);
        let pieces = || [&reports[..half * words], &reports[half * words..]].into_iter();
        let each = || reports.chunks_exact(words);
        let counted = |add: &dyn Fn(&mut Planes, &mut [u64])| {
            let (mut planes, mut ones) = (Planes::new(length), vec![0; length]);
            add(&mut planes, &mut ones);
            assert!(!planes.have_strays());
            planes.add_to(&mut ones);
            ones
        };
        [
            counted(&|planes, ones| {
                pieces().for_each(|reports| Packed { planes, reports, ones }.run());
            }),
            counted(&|planes, ones| {
                pieces().for_each(|reports| vectorized(Packed { planes, reports, ones }));
            }),
            counted(&|planes, ones| Each { planes, reports: each(), ones }.run()),
            counted(&|planes, ones| vectorized(Each { planes, reports: each(), ones })),
        ]
    }

    /// Short reports, of which many make a row, reports of a few tiles, and one that is too long to be near.
    const LENGTHS: [usize; 18] = [
        1, 5, 63, 64, 65, 128, 129, 192, 640, 960, 1000, 1023, 1024, 1025, 2048, 2100, 16_384,
        17_000,
    ];

    #[test]
    fn counts_are_those_of_one_bit_at_a_time() {
        for length in LENGTHS {
            let row = side_by_side(length.div_ceil(64));
            for count in [0, 1, row, row + 1, 15 * row, 16 * row, 17 * row - 1, 50 * row + 1] {
                let reports = reports(length, count);
                let expected = plainly(length, &reports);
                for half in [0, count / 3] {
                    for (way, ones) in all_ways(length, &reports, half).iter().enumerate() {
                        assert_eq!(*ones, expected, "{length} {count} {half} {way}");
                    }
                }
            }
        }
    }

    /// All ones carry through every plane, just before and just after the planes are full.
    #[test]
    fn nothing_is_lost_when_the_planes_are_full() {
        for length in [64, 1024, 2100, 17_000] {
            let words = usize::div_ceil(length, 64);
            let full = MOST / ROWS * ROWS;
            for rows in [full - 1, full, full + 1, MOST, MOST + 1, MOST + 2, 2 * full + ROWS] {
                let count = rows * side_by_side(words);
                let reports = cut(vec![u64::MAX; count * words], length);
                for (way, ones) in all_ways(length, &reports, count / 2).iter().enumerate() {
                    assert_eq!(*ones, vec![count as u64; length], "{length} {rows} {way}");
                }
            }
        }
    }

    #[test]
    fn a_stray_one_is_found_wherever_it_is() {
        for (length, count) in [(63, 700), (65, 700), (1000, 9000), (17_000, 40)] {
            let words = usize::div_ceil(length, 64);
            let good = reports(length, count);
            for report in [0, 1, 2, count / 2, count - 2, count - 1] {
                for bit in [length % 64, 63] {
                    let mut bad = good.clone();
                    bad[report * words + words - 1] |= 1 << bit;
                    let (mut planes, mut ones) = (Planes::new(length), vec![0; length]);
                    planes.add_packed(&bad, &mut ones);
                    assert!(planes.have_strays(), "{length} {report} {bit}");
                    planes.add_to(&mut ones);
                    assert_eq!(ones, plainly(length, &good));
                }
            }
        }
    }

    #[test]
    fn rows_are_some_tiles_with_few_empty_columns() {
        let chosen = [1, 2, 3, 9, 10, 13, 16, 17, 32, 33, 64, 65, 2000].map(side_by_side);
        assert_eq!(chosen, [32, 16, 16, 7, 3, 2, 2, 3, 1, 1, 1, 1, 1]);
    }

    #[test]
    fn reports_of_no_bits_are_counted_in_no_place() {
        let mut planes = Planes::new(0);
        planes.add_each([[].as_slice(); 40].into_iter(), &mut []);
        planes.add_packed(&[], &mut []);
        planes.add_to(&mut []);
        assert!(!planes.have_strays());
    }
}
