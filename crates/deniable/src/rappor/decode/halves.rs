//! Long lists of candidates: those that matter are selected on one half of the cohorts, and estimated on the other.

use alloc::vec::Vec;

use faer::Mat;

use super::fit::{Fit, LEAST_OWN, Misfit, fit_rows, row_variance};
use super::lasso::Descent;
use super::rows::Rows;
use crate::estimate::tails::normal_quantile;

/// The most candidates that are selected.
pub(super) const MOST_SELECTED: usize = 1000;
/// Of a half's rows, one in so many may be taken up by candidates that are selected.
const ROWS_A_SELECTED: usize = 8;
/// Of the rows, one in so many may be taken up by candidates that are selected and do not occur.
const ROWS_A_FALSE: usize = 50;
/// How many candidates are estimated at once.
const LANES: usize = 8;

/// An estimate, and how far it may be off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) estimate: f64,
    /// The inverse of its variance by the model. 0 if the rows do not tell the candidate from others.
    pub(super) precision: f64,
    /// Its variance by the sandwich estimate.
    pub(super) robust: f64,
    /// By how much of share·(1 − share) the draw of respondents into cohorts adds to its variance, see [`Fit::draws`].
    pub(super) draws: f64,
}

impl Part {
    /// Of a candidate that the rows do not tell from others.
    pub(super) const NOTHING: Self =
        Part { estimate: 0.0, precision: 0.0, robust: f64::INFINITY, draws: 0.0 };

    /// The larger of both: the sandwich estimate is right whatever the rows' variances are, but uncertain itself where rows are few.
    pub(super) fn variance(&self) -> f64 {
        (1.0 / self.precision).max(self.robust)
    }
}

/// The intercept of a fit, and then its columns.
pub(super) fn parts_of(rows: &Rows, columns: &[usize], fit: &Fit) -> Vec<Part> {
    let robust = fit.robust_variances();
    let draws = |place: usize| fit.draws(rows, columns[place], place);
    let part = |(i, robust): (usize, f64)| Part {
        estimate: fit.coefficients[i],
        precision: 1.0 / fit.inverse[(i, i)],
        robust,
        draws: if i == 0 { 0.0 } else { draws(i - 1) },
    };
    robust.into_iter().enumerate().map(part).collect()
}

/// What one half says of the intercept and of each candidate.
#[derive(Clone, Debug)]
pub(super) struct Half {
    pub(super) intercept: Part,
    pub(super) candidates: Vec<Part>,
    pub(super) squares: Misfit,
}

/// The candidates that the non-negative lasso takes, in their order.
///
/// The penalty is a number of standard errors that the noise alone exceeds for so few candidates that they cost the fit no more than one in
/// 50 of its rows; the standard error is that of the residuals, if these are larger than the noise (Sun and Zhang, 2012). It is raised if
/// too many are taken. Nothing of it depends on other rows than these.
pub(super) fn select(rows: &Rows) -> Vec<usize> {
    let weights: Vec<f64> = rows.smooth_variances().iter().map(|variance| 1.0 / variance).collect();
    let mut descent = Descent::new(&rows.columns, &rows.shares, &weights);
    let most = (rows.len() / ROWS_A_SELECTED).clamp(1, MOST_SELECTED);
    let all = rows.columns.len() as f64;
    let mut penalty = normal_quantile((rows.len() as f64 / ROWS_A_FALSE as f64 / all).min(0.5));
    let mut noise = (descent.squares() / rows.len() as f64).max(1.0);
    for _ in 0..4 {
        descent.descend(penalty * noise.sqrt());
        let left = rows.len().saturating_sub(descent.selected().len() + 1).max(1);
        noise = (descent.squares() / left as f64).max(1.0);
    }
    while descent.selected().len() > most {
        penalty = penalty.max(0.1) * 1.1;
        descent.descend(penalty * noise.sqrt());
    }
    descent.selected()
}

/// All candidates from these rows: the selected ones together, each other one beside them.
///
/// Bits are set by hashing. So what candidates that are not in the fit add to a row is noise to it, and counted as such by the residuals.
pub(super) fn estimate(rows: &Rows, selected: &[usize]) -> Half {
    let mut columns = selected.to_vec();
    let (fit, squares) = loop {
        match fit_rows(rows, &columns) {
            Ok(fitted) => break fitted,
            // Those rows that selected them told it from the others; these do not.
            Err(dependent) => columns.remove(dependent.0),
        };
    };
    let parts = parts_of(rows, &columns, &fit);
    let mut candidates = vec![None; rows.columns.len()];
    columns.iter().zip(&parts[1..]).for_each(|(&column, part)| candidates[column] = Some(*part));
    let others: Vec<usize> = (0..candidates.len()).filter(|&j| candidates[j].is_none()).collect();
    let mut beside = Beside::new(rows, &fit);
    for block in others.chunks(LANES) {
        for (&column, part) in block.iter().zip(beside.parts(block)) {
            candidates[column] = Some(part);
        }
    }
    let candidates = candidates.into_iter().map(|part| part.expect("one or the other")).collect();
    Half { intercept: parts[0], candidates, squares }
}

/// Single columns added to a fit (Frisch and Waugh, 1933; Lovell, 1963): what the fit leaves of the column explains what it leaves of the rows.
struct Beside<'a> {
    rows: &'a Rows,
    fit: &'a Fit,
    /// What the fit leaves of some columns, row by row.
    left: Vec<[f64; LANES]>,
}

impl<'a> Beside<'a> {
    fn new(rows: &'a Rows, fit: &'a Fit) -> Self {
        Beside { rows, fit, left: vec![[0.0; LANES]; rows.len()] }
    }

    /// As from the fit with one of these columns added, for each of them.
    fn parts(&mut self, columns: &[usize]) -> [Part; LANES] {
        let (fit, rows) = (self.fit, self.rows);
        let mut squares = [0.0; LANES];
        let mut products: Mat<f64> = Mat::zeros(fit.coefficients.len(), LANES);
        for (lane, &column) in columns.iter().enumerate() {
            for row in rows.columns.get(column).iter().map(|&row| row as usize) {
                let weight = fit.weights[row];
                squares[lane] += weight;
                products[(0, lane)] += weight;
                for &place in fit.design.get(row) {
                    products[(place as usize + 1, lane)] += weight;
                }
            }
        }
        let explained = &fit.inverse * &products;
        self.take_off(columns, &explained);
        let mut parts = [Part::NOTHING; LANES];
        for (lane, part) in parts.iter_mut().enumerate().take(columns.len()) {
            let places = 0..fit.coefficients.len();
            let same: f64 = places.map(|i| explained[(i, lane)] * products[(i, lane)]).sum();
            part.precision = squares[lane] - same;
            if part.precision <= LEAST_OWN * squares[lane] {
                part.precision = 0.0;
                continue;
            }
            let column = rows.columns.get(columns[lane]).iter().map(|&row| row as usize);
            let explains: f64 = column.map(|row| fit.weights[row] * fit.residuals[row]).sum();
            part.estimate = explains / part.precision;
            let gain = |row: usize| fit.weights[row] * self.left[row][lane] / part.precision;
            part.draws = rows.draws(columns[lane], gain);
        }
        self.fill_in_robust(&mut parts);
        parts
    }

    /// What is left of the columns without what is explained.
    fn take_off(&mut self, columns: &[usize], explained: &Mat<f64>) {
        let row = |i| core::array::from_fn(|lane| explained[(i, lane)]);
        let explained: Vec<[f64; LANES]> = (0..explained.nrows()).map(row).collect();
        for (left, places) in self.left.iter_mut().zip(self.fit.design.iter()) {
            let mut sum = explained[0];
            for &place in places {
                let more = &explained[place as usize + 1];
                (0..LANES).for_each(|lane| sum[lane] += more[lane]);
            }
            *left = sum.map(|sum| -sum);
        }
        for (lane, &column) in columns.iter().enumerate() {
            for &row in self.rows.columns.get(column) {
                self.left[row as usize][lane] += 1.0;
            }
        }
    }

    /// As [`Fit::robust_variances`], of the fit with the column added.
    fn fill_in_robust(&self, parts: &mut [Part; LANES]) {
        let fit = self.fit;
        let mut sums = [0.0; LANES];
        let rows = fit.weights.iter().zip(&fit.residuals).zip(&fit.leverages).zip(&self.left);
        for (((weight, residual), leverage), left) in rows {
            for lane in 0..LANES {
                let x = left[lane];
                let part = &parts[lane];
                let (residual, more) = (residual - x * part.estimate, weight * x * x);
                let leverage = leverage + more / part.precision;
                sums[lane] += weight * more * row_variance(*weight, residual, leverage);
            }
        }
        for (part, sum) in parts.iter_mut().zip(sums).filter(|(part, _)| part.precision > 0.0) {
            part.robust = sum / (part.precision * part.precision);
        }
    }
}
