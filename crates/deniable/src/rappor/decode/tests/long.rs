//! Long lists: the lasso, the halves, and estimates beside a fit.

use super::super::fit::Fit;
use super::super::lasso::Descent;
use super::*;

fn noise() -> Noise {
    Noise::new(0.25, 0.75, 0.5).unwrap()
}

/// 300 candidates over 20 cohorts of 16 bits, of which the first five have shares.
fn setting() -> (Candidates, Vec<f64>) {
    let candidates = Candidates::new(16, 20, filters(5, 300, 16, 2, 20)).unwrap();
    let share = |i: usize| [0.4, 0.25, 0.15, 0.1, 0.1].get(i).copied().unwrap_or(0.0);
    (candidates, (0..300).map(share).collect())
}

fn rows(seed: u64) -> Rows {
    let (candidates, shares) = setting();
    let counts = counts(&noise(), &candidates, &shares, 20_000, Some(seed));
    Rows::new(noise(), &counts, &candidates, &(0..20).collect::<Vec<_>>())
}

fn weights(rows: &Rows) -> Vec<f64> {
    rows.smooth_variances().iter().map(|variance| 1.0 / variance).collect()
}

/// The conditions of Karush, Kuhn and Tucker, computed anew from the coefficients.
fn assert_minimum(rows: &Rows, weights: &[f64], coefficients: &[f64], penalty: f64) {
    let total: f64 = weights.iter().sum();
    let mut left = rows.shares.clone();
    for (column, b) in rows.columns.iter().zip(coefficients) {
        column.iter().for_each(|&row| left[row as usize] -= b);
    }
    let mean = left.iter().zip(weights).map(|(left, w)| left * w).sum::<f64>() / total;
    for (column, &b) in rows.columns.iter().zip(coefficients) {
        let sum: f64 = column.iter().map(|&row| weights[row as usize]).sum();
        let scale = (sum - sum * sum / total).sqrt();
        let gain: f64 =
            column.iter().map(|&row| weights[row as usize] * (left[row as usize] - mean)).sum();
        assert!(b >= 0.0);
        let excess = gain / scale - penalty;
        assert!(if b > 0.0 { excess.abs() < 1e-5 } else { excess < 1e-5 }, "{excess} at {b}");
    }
}

#[test]
fn descent_ends_at_the_minimum() {
    let rows = rows(1);
    let weights = weights(&rows);
    let mut descent = Descent::new(&rows.columns, &rows.shares, &weights);
    // Down and up again, from where it was: the minimum does not depend on the way.
    let mut at_two = Vec::new();
    for penalty in [100.0, 10.0, 2.0, 0.5, 0.0, 2.0] {
        descent.descend(penalty);
        assert_minimum(&rows, &weights, &descent.coefficients, penalty);
        for &j in &descent.selected() {
            assert!((descent.gain(j) - penalty).abs() < 1e-5);
        }
        if penalty == 2.0 {
            at_two.push(descent.coefficients.clone());
        }
        let squares = |(y, w): (&f64, &f64)| w * y * y;
        assert!(descent.squares() <= rows.shares.iter().zip(&weights).map(squares).sum());
    }
    at_two[0].iter().zip(&at_two[1]).for_each(|(a, b)| assert_near(*a, *b, 1e-7));
    assert!(at_two[0][..5].iter().all(|b| *b > 0.05));
    // A planted mistake: without the penalty it is no minimum.
    descent.descend(0.0);
    let wrong =
        std::panic::catch_unwind(|| assert_minimum(&rows, &weights, &descent.coefficients, 2.0));
    assert!(wrong.is_err());
}

#[test]
fn one_column_is_cut_by_the_penalty() {
    // Slope 4 with weights 1, s² = 1: b = 4 − penalty.
    let columns = lists(&[&[0, 1], &[0, 1, 2, 3]]);
    let y = [5.0, 5.0, 1.0, 1.0];
    let mut descent = Descent::new(&columns, &y, &[1.0; 4]);
    for (penalty, b) in [(5.0, 0.0), (1.0, 3.0), (0.0, 4.0)] {
        descent.descend(penalty);
        assert_near(descent.coefficients[0], b, 1e-12);
        // A constant column is the intercept's business.
        assert_eq!(descent.coefficients[1], 0.0);
    }
    assert_near(descent.squares(), 0.0, 1e-12);
}

/// A half's selection depends on its own cohorts only.
#[test]
fn no_half_selects_for_itself() {
    let (candidates, shares) = setting();
    let counts = counts(&noise(), &candidates, &shares, 20_000, Some(1));
    let selected =
        |counts: &Counts| solve(&noise(), counts, &candidates).unwrap().selected().unwrap().clone();
    let changed = |parity: usize| {
        let mut ones = counts.ones().to_vec();
        let bits = ones.iter_mut().enumerate().filter(|(bit, _)| bit / 16 % 2 == parity);
        bits.for_each(|(_, ones)| *ones = 20_000 - *ones);
        Counts::new(16, counts.reports().to_vec(), ones).unwrap()
    };
    let before = selected(&counts);
    assert!(before.iter().all(|half| half.starts_with(&[0, 1, 2, 3, 4])));
    for (parity, kept) in [(0, 1), (1, 0)] {
        let after = selected(&changed(parity));
        assert_eq!(after[kept], before[kept]);
        assert_ne!(after[parity], before[parity]);
    }
}

/// What each half estimates depends on the other one by its selection only.
#[test]
fn no_half_estimates_from_the_other() {
    let (candidates, shares) = setting();
    let counts = counts(&noise(), &candidates, &shares, 20_000, Some(1));
    let halves = [0, 1].map(|first| {
        let cohorts: Vec<usize> = (0..20).skip(first).step_by(2).collect();
        Rows::new(noise(), &counts, &candidates, &cohorts)
    });
    assert_eq!(halves[0].len() + halves[1].len(), 320);
    let one = estimate(&halves[1], &select(&halves[0]));
    let other = estimate(&halves[0], &select(&halves[1]));
    let decoded = solve(&noise(), &counts, &candidates).unwrap();
    for (i, share) in decoded.iter().enumerate() {
        let average = averaged(&one.candidates[i], &other.candidates[i]);
        assert_eq!(share.share(), average.estimate);
        assert_eq!(share.robust_error(), average.robust.sqrt());
    }
}

#[test]
fn long_lists_are_decoded() {
    let (candidates, shares) = setting();
    let mut held = 0;
    for seed in 0..20 {
        let counts = counts(&noise(), &candidates, &shares, 20_000, Some(seed));
        let decoded = solve(&noise(), &counts, &candidates).unwrap();
        let detected = decoded.detected(0.05).unwrap();
        assert!(detected.starts_with(&[0, 1, 2]) && detected.len() < 10, "{detected:?}");
        let off = |(share, truth): (Share, &f64)| {
            (share.share() - truth).abs() <= 1.96 * share.standard_error(Target::Sample)
        };
        held += decoded.iter().zip(&shares).filter(|both| off(*both)).count();
    }
    let covered = f64::from(held as u32) / (20.0 * 300.0);
    assert!(covered > 0.94 && covered < 0.97, "{covered}");
}

/// As if the fit had one column more.
#[test]
fn beside_a_fit_is_as_within() {
    let rows = rows(3);
    let selected = [0, 1, 2, 3, 4, 17];
    let half = estimate(&rows, &selected);
    let (fit, _) = fit_rows(&rows, &selected).unwrap();
    for j in (5..300).step_by(13).chain([6, 7, 8, 9]).filter(|j| *j != 17) {
        let mut columns = selected.to_vec();
        columns.push(j);
        let design = rows.columns.transposed(&columns, rows.len());
        let with = Fit::new(design, 7, &rows.shares, fit.weights.clone()).unwrap();
        let (part, expected) = (half.candidates[j], halves::parts_of(&rows, &columns, &with)[7]);
        assert_near(part.estimate, expected.estimate, 1e-10);
        assert_near(part.precision / expected.precision, 1.0, 1e-10);
        assert_near(part.robust / expected.robust, 1.0, 1e-10);
        assert_near(part.draws / expected.draws, 1.0, 1e-10);
    }
    // The selected ones are those of the fit itself.
    for (i, &j) in selected.iter().enumerate() {
        assert_eq!(half.candidates[j].estimate, fit.coefficients[i + 1]);
    }
}

#[test]
fn what_one_half_cannot_tell_the_other_may() {
    // The first two are the same in even cohorts, the next two in odd ones, and the last two differ where nobody reports.
    let mut filters = filters(9, 80, 16, 1, 8);
    for cohort in 0..8 {
        let of = [(1, 0), (3, 2)][cohort % 2];
        filters[of.0][cohort] = filters[of.1][cohort];
    }
    let twin = filters[4].clone();
    filters[5] = twin;
    filters[5][7] = 7 * 16 + (filters[4][7] + 1) % 16;
    let candidates = Candidates::new(16, 8, &filters).unwrap();
    let mut shares = vec![0.0; 80];
    [0, 2, 4].iter().for_each(|&i: &usize| shares[i] = 1.0 / 3.0);
    let counts = counts(&noise(), &candidates, &shares, 100_000, Some(1));
    let mut reports = counts.reports().to_vec();
    let mut ones = counts.ones().to_vec();
    reports[7] = 0;
    ones[7 * 16..].fill(0);
    let counts = Counts::new(16, reports, ones).unwrap();
    let decoded = solve(&noise(), &counts, &candidates).unwrap();
    let error = |i: usize| decoded.get(i).unwrap().standard_error(Target::Sample);
    assert!((0..4).all(|i| error(i).is_finite()));
    // One of both was selected, and nothing is left of the other.
    let unknown: Vec<usize> = (0..80).filter(|&i| !error(i).is_finite()).collect();
    assert!(unknown == [4] || unknown == [5], "{unknown:?}");
    let unknown = decoded.get(unknown[0]).unwrap();
    assert_eq!((unknown.share(), unknown.p_value()), (0.0, 0.5));
    assert_eq!(unknown.interval(Target::Sample, 0.95).unwrap(), Interval { low: 0.0, high: 1.0 });
}

/// Half of all bits, and as good as no noise: columns are nearly each other's sums, and the descent is slow.
#[test]
fn descent_ends_soon() {
    let candidates = Candidates::new(8, 4, filters(8, 40, 8, 8, 4)).unwrap();
    let noise = Noise::new(1.0, 0.0, 0.0).unwrap();
    let n = 1_000_000_000;
    let ones = (0..32).map(|i| if (i + i / 8) % 2 == 0 { n } else { 0 }).collect();
    let counts = Counts::new(8, vec![n; 4], ones).unwrap();
    let start = std::time::Instant::now();
    assert!(solve(&noise, &counts, &candidates).is_ok());
    assert!(start.elapsed().as_secs() < 5);
}

#[test]
fn no_more_are_selected_than_rows_allow() {
    // Every candidate has a share, and the noise is small: all would be selected.
    let candidates = Candidates::new(16, 8, filters(3, 200, 16, 2, 8)).unwrap();
    let noise = Noise::new(0.0, 1.0, 0.0).unwrap();
    let counts = counts(&noise, &candidates, &[0.005; 200], 100_000_000, Some(1));
    let rows = Rows::new(noise, &counts, &candidates, &[0, 2, 4, 6]);
    let selected = select(&rows);
    assert!(!selected.is_empty() && selected.len() <= 64 / 8, "{}", selected.len());
    assert!(solve(&noise, &counts, &candidates).is_ok());
}

/// 60 values that all occur, and rows for fewer: the penalty is raised until no more are taken than the rows can bear.
#[test]
fn no_more_are_selected_than_there_are_rows_for() {
    let candidates = Candidates::new(16, 10, filters(9, 60, 16, 2, 10)).unwrap();
    let exact = Noise::new(0.0, 1.0, 0.0).unwrap();
    let counts = counts(&exact, &candidates, &[1.0 / 60.0; 60], 1_000_000_000, None);
    let rows = Rows::new(exact, &counts, &candidates, &(0..10).collect::<Vec<_>>());
    let selected = super::super::halves::select(&rows);
    assert!(!selected.is_empty() && selected.len() <= 160 / 8, "{}", selected.len());
}
