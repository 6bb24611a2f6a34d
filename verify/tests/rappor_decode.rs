//! The RAPPOR decoder on a few collections drawn anew; `verify rappor` has many.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};

use deniable::rappor::decode::decode;
use deniable::rappor::{CandidateMap, CohortCounts};
use deniable_verify::rappor::{
    Binomial, NAMES, Reference, Setting, Words, pair_coverage, same_data_coverage, simulate_many,
};

fn folder() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    root.join("crates/deniable/tests/data/rappor")
}

fn setting(name: &str) -> Setting {
    Setting::read(&folder(), name).unwrap()
}

#[test]
fn settings_are_those_of_the_reference() {
    // From the reference's own summary: detected, of which do not occur, distance, intervals that hold the truth.
    let expected = [
        (82, 2, 0.2213, 0.805),
        (41, 1, 0.177, 0.805),
        (18, 4, 0.13, 0.278),
        (62, 11, 0.1412, 0.629),
    ];
    for (name, (detected, false_positives, distance, covered)) in NAMES.into_iter().zip(expected) {
        let setting = setting(name);
        let reference = setting.reference;
        assert_eq!((reference.detected, reference.false_positives), (detected, false_positives));
        assert!((reference.distance - distance).abs() < 5e-5);
        assert!((reference.covered - covered).abs() < 5e-4);
        assert_eq!(setting.respondents(), 1_000_000);
        assert_eq!(setting.strings.len(), 100);
        assert_eq!(setting.truth.iter().filter(|count| **count > 0).count(), 90);
    }
}

#[test]
fn candidates_are_those_of_the_files() {
    for name in ["r-unif-small-typical", "demo3-fast"] {
        let setting = setting(name);
        let file = fs::File::open(folder().join(format!("{name}_map.csv"))).unwrap();
        let map = CandidateMap::read_csv(file, &setting.params).unwrap();
        assert_eq!(map, setting.candidates);
    }
}

/// On the very collection that the reference's results are of.
#[test]
fn nearer_to_the_truth_than_the_reference() {
    for name in NAMES {
        let setting = setting(name);
        let file = fs::File::open(folder().join(format!("{name}_counts.csv"))).unwrap();
        let counts = CohortCounts::read_csv(file, &setting.params).unwrap();
        let decoded = decode(&setting.params, &counts, &setting.candidates).unwrap();
        let distance = setting.distance(decoded.shrunken());
        assert!(distance < setting.reference.distance, "{name}: {distance}");
        let detected = decoded.detected(0.05).unwrap();
        let occur = detected.iter().filter(|&&i| setting.truth[i] > 0).count();
        assert!(enough(occur, detected.len(), &setting.reference), "{name}: {occur}");
        // Planted: nothing is detected, half of it, as much besides that does not occur.
        for (occur, detected) in
            [(0, 0), (occur / 2, detected.len() / 2), (occur, 2 * detected.len())]
        {
            assert!(!enough(occur, detected, &setting.reference), "{name}: {occur}");
        }
    }
}

/// Most of what the reference detected and occurs, on the same collection; but for one in twenty, what is detected occurs.
fn enough(occur: usize, detected: usize, reference: &Reference) -> bool {
    let by_reference = reference.detected - reference.false_positives;
    occur * 5 >= by_reference * 3 && occur * 20 >= detected * 19
}

#[test]
fn intervals_hold_the_truth() {
    for name in NAMES {
        let setting = setting(name);
        let means = simulate_many(&setting, 12, 5);
        assert!(means.covered > 0.93 && means.covered < 0.97, "{name}: {means:?}");
        assert!(means.covered_robust > 0.93 && means.covered_robust < 0.98, "{name}: {means:?}");
        assert!(means.covered_adjusted > 0.94, "{name}: {means:?}");
        assert!(means.distance_shrunken < setting.reference.distance, "{name}: {means:?}");
        // Of those detected at 5 %, not many more than that do not occur.
        assert!(means.false_positives < 0.1 * means.detected, "{name}: {means:?}");
        // One in twelve respondents has no candidate, or fewer.
        assert!(means.misfit > 1.04 && means.misfit < 1.3, "{name}: {means:?}");
    }
}

/// A planted mistake: selected and estimated on the same cohorts, intervals miss the truth, and so do those of what was detected, without adjustment.
#[test]
fn selecting_and_testing_on_the_same_data_is_found() {
    let setting = setting("r-zipf1.5-small-over_x10");
    let covered = same_data_coverage(&setting, 12, 5);
    assert!(covered < 0.7, "{covered}");
    let means = simulate_many(&setting, 12, 5);
    assert!(means.covered_unadjusted < 0.93, "{means:?}");
}

#[test]
fn pairs_of_answers() {
    let [occurring, others] = pair_coverage(10, 5);
    assert!(occurring > 0.9 && others > 0.92, "{occurring} {others}");
}

#[test]
fn binomial_numbers_have_their_mean_and_variance() {
    let (binomial, mut words) = (Binomial::new(1000), Words::new(1));
    for (n, p) in [(1000, 0.3), (1000, 0.001), (3, 0.5), (7, 1.0), (7, 0.0), (0, 0.5), (40, 0.97)] {
        let draws: Vec<f64> = (0..20_000).map(|_| binomial.draw(n, p, &mut words) as f64).collect();
        let mean = draws.iter().sum::<f64>() / 20_000.0;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
        let (expected, spread) = (n as f64 * p, n as f64 * p * (1.0 - p));
        assert!((mean - expected).abs() <= 5.0 * (spread / 20_000.0).sqrt());
        assert!((variance - spread).abs() <= 0.06 * spread);
    }
}
