//! Least squares by hand, by elimination, and without one row after the other.

use super::super::fit::{Dependent, Fit};
use super::*;

/// Columns without a pattern, half of them ones; rows by which they are given.
fn design(seed: u64, rows: usize, columns: usize) -> Lists {
    let all = words(seed, rows * columns);
    let mut lists = Lists::default();
    for row in all.chunks(columns) {
        let ones: Vec<u32> = (0..columns as u32).filter(|&j| row[j as usize] >> 63 == 1).collect();
        lists.push(&ones);
    }
    lists
}

/// The coefficients by Gaussian elimination of the normal equations, without the rows that are left out.
fn naive(
    design: &Lists,
    columns: usize,
    y: &[f64],
    weights: &[f64],
    left_out: Option<usize>,
) -> Vec<f64> {
    let n = columns + 1;
    let mut a = vec![vec![0.0; n + 1]; n];
    for (i, row) in design.iter().enumerate().filter(|(i, _)| Some(*i) != left_out) {
        let x = dense(row, columns);
        for j in 0..n {
            (0..n).for_each(|k| a[j][k] += weights[i] * x[j] * x[k]);
            a[j][n] += weights[i] * x[j] * y[i];
        }
    }
    for j in 0..n {
        let pivot = (j..n).max_by(|&i, &k| a[i][j].abs().total_cmp(&a[k][j].abs())).unwrap();
        a.swap(j, pivot);
        for i in (0..n).filter(|&i| i != j) {
            let by = a[i][j] / a[j][j];
            (0..=n).for_each(|k| a[i][k] -= by * a[j][k]);
        }
    }
    (0..n).map(|j| a[j][n] / a[j][j]).collect()
}

fn dense(row: &[u32], columns: usize) -> Vec<f64> {
    let mut x = vec![0.0; columns + 1];
    x[0] = 1.0;
    row.iter().for_each(|&place| x[place as usize + 1] = 1.0);
    x
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn one_column_by_hand() {
    // Ones in the first two rows: the slope is the difference of the two weighted means.
    let design = lists(&[&[0], &[0], &[], &[]]);
    let fit = Fit::new(design, 1, &[5.0, 8.0, 1.0, 2.0], vec![1.0, 2.0, 3.0, 1.0]).unwrap();
    assert_near(fit.coefficients[0], 1.25, 1e-14);
    assert_near(fit.coefficients[1], 7.0 - 1.25, 1e-14);
    // 1/4, and 1/3 + 1/4.
    assert_near(fit.inverse[(0, 0)], 0.25, 1e-14);
    assert_near(fit.inverse[(1, 1)], 7.0 / 12.0, 1e-14);
    for (leverage, expected) in fit.leverages.iter().zip([1.0 / 3.0, 2.0 / 3.0, 0.75, 0.25]) {
        assert_near(*leverage, expected, 1e-14);
    }
    // Σ (w/Σw)²·(e/(1 − h))² on each side: 1/9·9 + 4/9·9 = 5, and 9/16·1 + 1/16·1 = 5/8.
    let robust = fit.robust_variances();
    assert_near(robust[0], 0.625, 1e-13);
    assert_near(robust[1], 5.625, 1e-13);
}

#[test]
fn as_by_elimination() {
    for seed in 0..5 {
        let (rows, columns) = (40, 6);
        let design = design(seed, rows, columns);
        let y = uniforms(100 + seed, rows);
        let weights: Vec<f64> = uniforms(200 + seed, rows).iter().map(|u| 0.1 + 5.0 * u).collect();
        let fit = Fit::new(design.clone(), columns, &y, weights.clone()).unwrap();
        let expected = naive(&design, columns, &y, &weights, None);
        fit.coefficients.iter().zip(&expected).for_each(|(a, b)| assert_near(*a, *b, 1e-11));
        // Residuals are orthogonal to all columns.
        for j in 0..=columns {
            let of = |i: usize| weights[i] * fit.residuals[i] * dense(design.get(i), columns)[j];
            assert_near((0..rows).map(of).sum(), 0.0, 1e-11);
        }
        assert_near(fit.leverages.iter().sum::<f64>(), columns as f64 + 1.0, 1e-10);
    }
}

/// HC3 by its definition: each row's residual in a fit without that row, squared, is its variance.
#[test]
fn robust_variances_are_those_without_one_row() {
    let (rows, columns) = (30, 4);
    let design = design(7, rows, columns);
    let y = uniforms(8, rows);
    let weights: Vec<f64> = uniforms(9, rows).iter().map(|u| 0.5 + u).collect();
    let fit = Fit::new(design.clone(), columns, &y, weights.clone()).unwrap();
    let robust = fit.robust_variances();
    let row = |i: usize| dense(design.get(i), columns);
    for (j, robust) in robust.iter().enumerate() {
        let inverse: Vec<f64> = (0..=columns).map(|k| fit.inverse[(j, k)]).collect();
        let of = |i: usize| {
            let without = y[i] - dot(&naive(&design, columns, &y, &weights, Some(i)), &row(i));
            (weights[i] * dot(&inverse, &row(i)) * without).powi(2)
        };
        assert_near(*robust, (0..rows).map(of).sum(), 1e-10);
    }
    // A planted mistake, HC0: residuals as they are. It is smaller.
    let inverse: Vec<f64> = (0..=columns).map(|k| fit.inverse[(1, k)]).collect();
    let plain: f64 =
        (0..rows).map(|i| (weights[i] * dot(&inverse, &row(i)) * fit.residuals[i]).powi(2)).sum();
    assert!(plain < 0.9 * robust[1]);
}

#[test]
fn a_column_of_others_is_named() {
    let weights = vec![1.0; 4];
    let y = [1.0, 2.0, 3.0, 4.0];
    let of = |lists: &Lists, columns| Fit::new(lists.clone(), columns, &y, weights.clone()).err();
    // The third is the sum of the first two; the second all ones; the second empty.
    assert_eq!(of(&lists(&[&[0, 2], &[1, 2], &[], &[]]), 3), Some(Dependent(2)));
    assert_eq!(of(&lists(&[&[0, 1], &[0, 1], &[1], &[1]]), 2), Some(Dependent(1)));
    assert_eq!(of(&lists(&[&[0], &[0], &[], &[]]), 2), Some(Dependent(1)));
    assert_eq!(of(&lists(&[&[0], &[0], &[], &[]]), 1), None);
}

#[test]
fn a_row_that_only_its_own_column_explains_keeps_its_model_variance() {
    let design = lists(&[&[0], &[], &[], &[]]);
    let fit = Fit::new(design, 1, &[5.0, 1.0, 2.0, 3.0], vec![4.0, 1.0, 1.0, 1.0]).unwrap();
    // 1/4 for the row itself, and HC3 of a mean of three: Σ (1/3·e·3/2)² = (1 + 0 + 1)/4.
    assert_near(fit.robust_variances()[1], 0.25 + 0.5, 1e-12);
}

#[test]
fn weights_come_from_the_noise_and_from_what_is_missing() {
    let noise = Noise::new(0.25, 0.75, 0.5).unwrap();
    let all = Candidates::new(16, 40, filters(1, 12, 16, 2, 40)).unwrap();
    let mut shares = vec![0.05; 12];
    shares[0] = 0.45;
    let known =
        |count: usize| Candidates::new(16, 40, filters(1, 12, 16, 2, 40)[12 - count..].to_vec());
    let cohorts: Vec<usize> = (0..40).collect();
    let of = |counts: &Counts, candidates: &Candidates| {
        let rows = Rows::new(noise, counts, candidates, &cohorts);
        let columns: Vec<usize> = (0..candidates.len()).collect();
        fit_rows(&rows, &columns).unwrap()
    };
    // Nothing but noise: the residuals are of the size that it says.
    let counts = counts(&noise, &all, &shares, 5000, Some(3));
    let (fit, squares) = of(&counts, &all);
    assert_eq!(squares.degrees, 16 * 40 - 13);
    assert!(Misfit::new(squares).p_value() > 0.01, "{squares:?}");
    let signal = noise.signal();
    for (weight, y) in
        fit.weights.iter().zip(fit.residuals.iter().zip(&rows_of(&noise, &counts, &all)))
    {
        let rate = noise.rate((y.1 - y.0).clamp(0.0, 1.0));
        let noise_alone = 5000.0 * signal * signal / (rate * (1.0 - rate));
        assert!(*weight <= noise_alone * 1.01 && *weight > 0.8 * noise_alone);
    }
    // The first candidate is missing: it is noticed, and weights fall.
    let (missing, squares) = of(&counts, &known(11).unwrap());
    assert!(Misfit::new(squares).p_value() < 1e-9 && Misfit::new(squares).ratio() > 2.0);
    assert!(missing.weights[0] < 0.5 * fit.weights[0]);
    let errors = |fit: &Fit| {
        let robust = fit.robust_variances()[11];
        fit.inverse[(11, 11)].max(robust).sqrt()
    };
    assert!(errors(&missing) > 1.4 * errors(&fit));
}

fn rows_of(noise: &Noise, counts: &Counts, candidates: &Candidates) -> Vec<f64> {
    let cohorts: Vec<usize> = (0..counts.cohorts()).collect();
    Rows::new(*noise, counts, candidates, &cohorts).shares
}
