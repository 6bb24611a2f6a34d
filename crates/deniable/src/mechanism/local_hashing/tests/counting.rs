use deniable_sample::{Kernel, vectorized};

use super::*;
use crate::mechanism::local_hashing::counting::*;

/// So many rows of so many numbers below g.
fn rows(g: u64, length: usize, reports: usize) -> Vec<u16> {
    let random = words(g + length as u64, length * reports);
    random.iter().map(|word| (word % g) as u16).collect()
}

/// By the definition, for each place.
fn plainly(g: u64, length: usize, rows: &[u16], places: &[u32]) -> Vec<u64> {
    let supports = |place: u32, row: &[u16]| {
        plain_hash(&row[..length - 1], place, g) == u64::from(row[length - 1])
    };
    let count = |&place: &u32| rows.chunks(length).filter(|row| supports(place, row)).count();
    places.iter().map(|place| count(place) as u64).collect()
}

fn counted(mechanism: &LocalHashing<u32>, rows: &[u16]) -> BitCounts {
    let mut counts = BitCounts::new(mechanism.values());
    mechanism.count_rows(rows, &mut counts).unwrap();
    counts
}

const BUCKETS: [u64; 14] = [2, 3, 4, 5, 7, 127, 128, 129, 255, 256, 257, 1000, 65_535, 65_536];

/// Rows, reports and candidates are counted as the definition has it.
#[test]
fn counts_are_those_of_the_definition() {
    for g in BUCKETS {
        for k in [2, 3, 31, 32, 33, 63, 64, 65, 66, 128, 1000] {
            let mechanism = numbers(k, g as usize, 0.75);
            let length = mechanism.row_length();
            for reports in [0, 1, 5, 40] {
                let rows = rows(g, length, reports);
                let places: Vec<u32> = (0..k).collect();
                let expected = plainly(g, length, &rows, &places);
                let counts = counted(&mechanism, &rows);
                assert_eq!(counts.reports(), reports as u64);
                assert_eq!(counts.ones(), expected, "{g} {k} {reports}");
                let mut by_report = BitCounts::new(k as usize);
                mechanism.count(&mechanism.reports_of(&rows), &mut by_report).unwrap();
                assert_eq!(by_report, counts);
                let mut candidates = BitCounts::new(k as usize);
                let backwards: Vec<u32> = (0..k).rev().collect();
                mechanism.count_candidates(&rows, &backwards, &mut candidates).unwrap();
                assert!(candidates.ones().iter().rev().eq(&expected), "{g} {k}");
                assert_eq!(candidates.reports(), counts.reports());
            }
        }
    }
}

/// More reports than a counter of eight bits holds, all of which support the same places.
#[test]
fn nothing_is_lost_when_the_counters_are_full() {
    for g in [2, 4, 256, 257] {
        let mechanism = numbers(70, g, 0.75);
        let length = mechanism.row_length();
        for reports in [254, 255, 256, 510, 511, 1021] {
            let rows = vec![0; length * reports];
            assert_eq!(counted(&mechanism, &rows).ones(), vec![reports as u64; 70]);
            let mut candidates = BitCounts::new(2);
            mechanism.count_candidates(&rows, &[69u8, 0], &mut candidates).unwrap();
            assert_eq!(candidates.ones(), vec![reports as u64; 2]);
        }
        let rows = rows(g as u64, length, 3000);
        let places: Vec<u32> = (0..70).collect();
        let expected = plainly(g as u64, length, &rows, &places);
        assert_eq!(counted(&mechanism, &rows).ones(), expected);
    }
}

/// More places than are counted together.
#[test]
fn long_lists_are_counted_in_tiles() {
    let tile = TILE as u32;
    for (g, k) in [(4, tile), (4, tile + 1), (300, 2 * tile + 77), (3, 5 * tile)] {
        let mechanism = numbers(k, g as usize, 0.75);
        let rows = rows(g, mechanism.row_length(), 3);
        let places: Vec<u32> = (0..k).collect();
        let expected = plainly(g, mechanism.row_length(), &rows, &places);
        assert_eq!(counted(&mechanism, &rows).ones(), expected, "{g} {k}");
    }
}

/// Each kernel, compiled for every processor and for this one, with lanes of both widths where both have room for the residues.
#[test]
fn kernels_of_all_kinds_count_alike() {
    for (g, k) in [(2, 40), (4, 128), (56, 300), (255, 65), (256, 1000), (257, 1000), (65_536, 77)]
    {
        let length = seed_length(k) + 1;
        let rows = rows(g, length, 300);
        let places: Vec<u32> = (0..k as u32).collect();
        let expected = plainly(g, length, &rows, &places);
        let (buckets, few) = (g as u32, &places[..LANES]);
        let mut all: Vec<Vec<u64>> = Vec::new();
        let mut add = |count: &dyn Fn(&mut [u64])| {
            let mut sums = vec![0; k];
            count(&mut sums);
            all.push(sums);
        };
        if g <= 256 {
            add(&|sums| Tile::<u8>::new(&rows, length, buckets, 0, sums).run());
            add(&|sums| vectorized(Tile::<u8>::new(&rows, length, buckets, 0, sums)));
        }
        add(&|sums| Tile::<u16>::new(&rows, length, buckets, 0, sums).run());
        add(&|sums| vectorized(Tile::<u16>::new(&rows, length, buckets, 0, sums)));
        assert!(all.iter().all(|sums| *sums == expected), "{g} {k}");
        let mut sums = [0; LANES];
        Candidates::<u16>::new(&rows, length, buckets, few, &mut sums).run();
        assert_eq!(sums, expected[..LANES]);
    }
}

#[test]
fn what_is_no_report_adds_nothing() {
    let mechanism = numbers(5, 3, 0.5);
    let good = [1, 2, 0, 2, 1];
    let mut counts = counted(&mechanism, &good);
    let before = counts.clone();
    let accepted = "accepted is 5 numbers below 3 for each report";
    for (rows, problem) in [
        (vec![1, 2, 0, 2], "they are not whole reports"),
        (vec![1, 2, 0, 2, 1, 0], "they are not whole reports"),
        (vec![3, 2, 0, 2, 1], "report number 1 is none of this mechanism"),
        (vec![1, 2, 0, 2, 1, 1, 2, 0, 2, 3], "report number 2 is none of this mechanism"),
    ] {
        let error = mechanism.count_rows(&rows, &mut counts).unwrap_err();
        assert_eq!(error.parameter(), Some("rows"));
        assert_eq!(error.to_string(), format!("invalid rows: {problem}; {accepted}"));
        let mut one = BitCounts::new(1);
        assert_eq!(mechanism.count_candidates(&rows, &[0u8], &mut one).unwrap_err(), error);
        assert_eq!((&counts, one), (&before, BitCounts::new(1)));
    }
    let reports = |seed: &[u16], bucket| {
        [HashedReport::new([1, 2, 0, 2], 1), HashedReport::new(seed, bucket)]
    };
    for bad in [
        reports(&[1, 2, 0], 1),
        reports(&[1, 2, 0, 2, 0], 1),
        reports(&[1, 2, 0, 3], 1),
        reports(&[1, 2, 0, 2], 3),
        reports(&[], 0),
    ] {
        let error = mechanism.count(&bad, &mut counts).unwrap_err();
        assert_eq!(error.parameter(), Some("reports"));
        let problem = "report number 2 is none of this mechanism";
        assert_eq!(error.to_string(), format!("invalid reports: {problem}; {accepted}"));
        assert_eq!(counts, before);
    }
    mechanism.count(&reports(&[0, 0, 0, 0], 0), &mut counts).unwrap();
    assert_eq!(counts.reports(), 3);
}

#[test]
fn counts_of_other_values_are_refused() {
    let mechanism = numbers(5, 3, 0.5);
    let row = [1, 2, 0, 2, 1];
    for length in [0, 4, 6] {
        let mut counts = BitCounts::new(length);
        for error in [
            mechanism.count_rows(&row, &mut counts).unwrap_err(),
            mechanism.count(&mechanism.reports_of(&row), &mut counts).unwrap_err(),
            mechanism.count_candidates(&row, &[0u8; 5], &mut counts).unwrap_err(),
        ] {
            assert_eq!(error.parameter(), Some("counts"));
        }
        assert_eq!(counts, BitCounts::new(length));
    }
    let mut counts = BitCounts::new(2);
    let error = mechanism.count_candidates(&row, &[4u8, 5], &mut counts).unwrap_err();
    let expected = "invalid candidates: number 2 is behind the last of 5 places; accepted is places in the list";
    assert_eq!((error.to_string(), counts), (expected.to_owned(), BitCounts::new(2)));
}
