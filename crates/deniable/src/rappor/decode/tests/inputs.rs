//! What is refused, and what stands for it.

use super::*;
use crate::estimate::BitCounts;

fn message<T: core::fmt::Debug>(result: Result<T>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn rates_are_checked() {
    for (p, q, f, name) in [
        (-0.1, 0.5, 0.5, "p"),
        (f64::NAN, 0.5, 0.5, "p"),
        (0.5, 1.1, 0.5, "q"),
        (0.5, 0.5, 0.5, "q"),
        (0.25, 0.75, 1.0, "f"),
        (0.25, 0.75, -0.1, "f"),
        (0.25, 0.75, f64::NAN, "f"),
        // Squares of these are 0, or nearly.
        (0.0, 1e-200, 0.0, "q"),
        (0.25, 0.75, 1.0 - f64::EPSILON / 2.0, "q"),
    ] {
        assert_eq!(Noise::new(p, q, f).unwrap_err().parameter(), Some(name));
    }
    let noise = Noise::new(0.25, 0.75, 0.5).unwrap();
    assert_eq!((noise.rate(0.0), noise.signal()), (0.375, 0.25));
    assert_near(noise.debias(noise.rate(0.3)), 0.3, 1e-15);
}

#[test]
fn counts_are_checked() {
    let refused = |bits, reports: &[u64], ones: &[u64]| {
        Counts::new(bits, reports.to_vec(), ones.to_vec()).unwrap_err().parameter()
    };
    assert_eq!(refused(0, &[], &[]), Some("ones"));
    assert_eq!(refused(2, &[5, 5], &[1, 2, 3]), Some("ones"));
    assert_eq!(refused(2, &[5, 5], &[1, 2, 3, 6]), Some("ones"));
    assert_eq!(refused(2, &[0, 0], &[0, 0, 0, 0]), Some("reports"));
    assert_eq!(refused(1, &[1 << 40], &[0]), Some("reports"));
    let counts = Counts::new(2, vec![54_321, 0], vec![12_345, 2, 0, 0]).unwrap();
    assert_eq!((counts.bits(), counts.cohorts(), counts.respondents()), (2, 2, 54_321));
    assert!(!format!("{counts:?}").contains("12345"));
}

#[test]
fn candidates_are_checked() {
    let of = |lists: &[&[usize]]| Candidates::new(4, 2, lists);
    assert!(message(of(&[])).contains("there are none"));
    assert!(message(of(&[&[1], &[]])).contains("number 2 has no bits"));
    assert!(message(of(&[&[1, 8]])).contains("number 1 has a bit beyond"));
    // Order and repetition make no difference.
    assert!(message(of(&[&[1, 5], &[2], &[5, 1, 1]])).contains("numbers 1 and 3 set the same"));
    let two = of(&[&[5, 1, 1], &[2]]).unwrap();
    assert_eq!((two.len(), two.set.get(0)), (2, &[1, 5][..]));
    assert_eq!(two.density(), 3.0 / 16.0);
    assert!(message(Candidates::new(usize::MAX, 2, [[1]])).contains("too many bits"));
}

#[test]
fn shapes_must_be_equal() {
    let params = |k, h, m| Params::new(k, h, m, 0.25, 0.75, 0.5).unwrap();
    let of = params(8, 2, 2);
    let counts = |params: &Params| {
        let cohort = BitCounts::from_ones(100, vec![40; params.k()]).unwrap();
        CohortCounts::from_cohorts(vec![cohort; params.m()]).unwrap()
    };
    let map = |params: &Params| CandidateMap::new(params, ["tea"]).unwrap();
    assert!(decode(&of, &counts(&of), &map(&of)).is_ok());
    for other in [params(8, 2, 1), params(8, 2, 3), params(16, 2, 1), params(4, 2, 4)] {
        let refused = |counts: CohortCounts, map: CandidateMap| {
            decode(&of, &counts, &map).unwrap_err().parameter()
        };
        assert_eq!(refused(counts(&other), map(&of)), Some("counts"));
        assert_eq!(refused(counts(&of), map(&other)), Some("candidates"));
    }
    let refused = decode(&of, &counts(&of), &map(&params(8, 1, 2))).unwrap_err();
    assert_eq!(refused.parameter(), Some("candidates"));
    assert_eq!(
        decode(&of, &CohortCounts::new(&of), &map(&of)).unwrap_err().parameter(),
        Some("reports")
    );
}

#[test]
fn candidates_that_cannot_be_told_apart_are_refused() {
    let noise = Noise::new(0.25, 0.75, 0.5).unwrap();
    let one = Counts::new(4, vec![100], vec![40, 30, 30, 30]).unwrap();
    let of = |lists: &[&[usize]]| solve(&noise, &one, &Candidates::new(4, 1, lists).unwrap());
    // As many as bits; one that sets them all; one that is the sum of two; more than one fit takes.
    assert!(message(of(&[&[0], &[1], &[2]])).contains("more of them than one cohort's bits"));
    assert!(message(of(&[&[0], &[0, 1, 2, 3]])).contains("number 2 sets all bits"));
    assert!(of(&[&[0], &[1]]).is_ok());
    let long = Counts::new(2000, vec![100], vec![40; 2000]).unwrap();
    let many = Candidates::new(2000, 1, (0..1001).map(|i| [i])).unwrap();
    assert!(message(solve(&noise, &long, &many)).contains("at most 1000, or more cohorts"));
    let eight = Counts::new(8, vec![100], vec![40; 8]).unwrap();
    let sum = Candidates::new(8, 1, [&[0][..], &[1], &[0, 1]]).unwrap();
    assert!(message(solve(&noise, &eight, &sum)).contains("number 3 cannot be told"));
    // Told apart only by a cohort that sent nothing.
    let half = Counts::new(8, vec![100, 0], [[40; 8], [0; 8]].concat()).unwrap();
    let twins = Candidates::new(8, 2, [[0, 8], [0, 9]]).unwrap();
    assert!(message(solve(&noise, &half, &twins)).contains("number 2 cannot be told"));
}

#[test]
fn parameters_that_say_nothing_are_refused_for_long_lists() {
    let params = Params::new(4, 2, 2, 0.0, 1e-200, 0.0).unwrap();
    let cohort = BitCounts::from_ones(100, vec![0; 4]).unwrap();
    let counts = CohortCounts::from_cohorts(vec![cohort; 2]).unwrap();
    let map = CandidateMap::new(&params, ["1", "2", "3"]).unwrap();
    assert_eq!(decode(&params, &counts, &map).unwrap_err().parameter(), Some("q"));
}

/// As many rows as estimates: there is no misfit, and no division by 0.
#[test]
fn rows_that_are_all_used_up_have_no_misfit() {
    let noise = Noise::new(0.25, 0.75, 0.5).unwrap();
    let counts = Counts::new(1, vec![100, 100], vec![40, 50]).unwrap();
    let decoded = solve(&noise, &counts, &Candidates::new(1, 2, [[0, 1]]).unwrap()).unwrap();
    let misfit = decoded.misfit();
    assert_eq!((misfit.degrees(), misfit.ratio(), misfit.p_value()), (0, 1.0, 1.0));
    // A residual of rounding alone is no excess.
    let noise = Noise::new(1.0, 0.0, 0.0).unwrap();
    let counts = Counts::new(1, vec![1_000_000_000; 2], vec![0; 2]).unwrap();
    assert!(solve(&noise, &counts, &Candidates::new(1, 2, [[0, 1]]).unwrap()).is_ok());
    // Nor is a variance of rounding alone below 0.
    let noise = Noise::new(0.0, 1.0, 0.0).unwrap();
    let counts = Counts::new(3, vec![1], vec![0; 3]).unwrap();
    for bit in 0..3 {
        let one = Candidates::new(3, 1, [[bit]]).unwrap();
        assert!(!solve(&noise, &counts, &one).unwrap().unexplained().robust_error().is_nan());
    }
}

#[test]
fn cohorts_without_reports_do_not_count() {
    let noise = Noise::new(0.25, 0.75, 0.0).unwrap();
    let both = Candidates::new(8, 2, [[0, 9], [1, 10]]).unwrap();
    let first = Candidates::new(8, 1, [[0], [1]]).unwrap();
    let ones: Vec<u64> = vec![45, 30, 25, 26, 24, 25, 25, 25];
    let with = Counts::new(8, vec![100, 0], [ones.clone(), vec![0; 8]].concat()).unwrap();
    let without = Counts::new(8, vec![100], ones).unwrap();
    let shares = |counts: &Counts, candidates: &Candidates| -> Vec<f64> {
        solve(&noise, counts, candidates).unwrap().iter().map(|share| share.share()).collect()
    };
    assert_eq!(shares(&with, &both), shares(&without, &first));
}

#[test]
fn collections_become_inputs() {
    use crate::rappor::Report;
    let params = Params::new(8, 2, 3, 0.25, 0.75, 0.5).unwrap();
    let mut counts = CohortCounts::new(&params);
    let mut bits = crate::BitVector::zeros(8);
    bits.set(3, true).unwrap();
    counts.add(&Report::new(1, bits)).unwrap();
    let counts = Counts::try_from(&counts).unwrap();
    assert_eq!((counts.bits(), counts.reports()), (8, &[0, 1, 0][..]));
    assert_eq!(counts.ones().iter().position(|&ones| ones == 1), Some(8 + 3));
    let map = CandidateMap::new(&params, ["tea", "coffee"]).unwrap();
    let candidates = Candidates::try_from(&map).unwrap();
    let rows: Vec<u32> = map.rows_of(1).map(|row| row as u32).collect();
    assert_eq!(candidates.set.get(1), rows);
    assert_eq!(Noise::try_from(&params).unwrap(), Noise::new(0.25, 0.75, 0.5).unwrap());
}
