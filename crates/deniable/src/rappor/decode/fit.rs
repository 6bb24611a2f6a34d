//! Weighted least squares with an intercept, and standard errors that hold whatever the variances are.

use alloc::vec::Vec;

use faer::linalg::solvers::{DenseSolveCore, LltError};
use faer::{Mat, Side};

use super::input::Lists;
use super::rows::Rows;

/// How much of a column's square must be its own: less is what rounding leaves of a column that others make up.
pub(super) const LEAST_OWN: f64 = 1e-9;

/// A weighted least-squares fit of some columns and an intercept.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    /// For each row, the places of the columns with a one in it.
    pub(super) design: Lists,
    pub(super) weights: Vec<f64>,
    /// The intercept's, then those of the columns.
    pub(super) coefficients: Vec<f64>,
    /// (XᵀWX)⁻¹.
    pub(super) inverse: Mat<f64>,
    pub(super) residuals: Vec<f64>,
    /// How much of its own residual a row takes away.
    pub(super) leverages: Vec<f64>,
}

/// At the place of a column that those before it make up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dependent(pub(super) usize);

/// How well the candidates explain the reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Misfit {
    /// The sum of squared residuals, each in units of its variance by the noise alone.
    pub(super) chi_square: f64,
    pub(super) degrees: usize,
}

/// The fit of these columns with weights that are the inverse variances: of the noise, at the shares of a first fit, and of what missing
/// candidates add (the moment estimate of DerSimonian and Laird, 1986). The misfit is that of the noise alone.
pub(super) fn fit_rows(rows: &Rows, columns: &[usize]) -> Result<(Fit, Misfit), Dependent> {
    let design = rows.columns.transposed(columns, rows.len());
    let fit = |design: Lists, variances: &[f64]| {
        let weights = variances.iter().map(|variance| 1.0 / variance).collect();
        Fit::new(design, columns.len(), &rows.shares, weights)
    };
    let first = fit(design, &rows.smooth_variances())?;
    let variances = rows.variances(&first.fitted(&rows.shares));
    let second = fit(first.design, &variances)?;
    let degrees = rows.len().saturating_sub(columns.len() + 1);
    let chi_square = second.chi_square();
    let misfit = Misfit { chi_square, degrees };
    let excess = chi_square - degrees as f64;
    let share = |(weight, leverage): (&f64, &f64)| weight * (1.0 - leverage).max(0.0);
    let left = second.weights.iter().zip(&second.leverages).map(share).sum::<f64>();
    // Without degrees of freedom, both are what rounding leaves.
    if degrees == 0 || excess <= 0.0 || left <= 0.0 {
        return Ok((second, misfit));
    }
    let added = excess / left;
    // A missing candidate sets some bits of a cohort and not the others, so that what it adds to two of them differs by more than if it were independent.
    let added = added * rows.bits as f64 / (rows.bits.max(2) - 1) as f64;
    let variances: Vec<f64> = variances.iter().map(|variance| variance + added).collect();
    Ok((fit(second.design, &variances)?, misfit))
}

impl Fit {
    /// `design` has for each row the places of the columns with a one in it, below `columns`.
    pub(super) fn new(
        design: Lists,
        columns: usize,
        y: &[f64],
        weights: Vec<f64>,
    ) -> Result<Self, Dependent> {
        let gram = gram(&design, columns, &weights);
        let inverse = inverse(&gram)?;
        let mut moments = vec![0.0; columns + 1];
        for ((row, y), weight) in design.iter().zip(y).zip(&weights) {
            moments[0] += weight * y;
            row.iter().for_each(|&place| moments[place as usize + 1] += weight * y);
        }
        let coefficients: Vec<f64> = (0..=columns)
            .map(|i| moments.iter().enumerate().map(|(j, moment)| inverse[(i, j)] * moment).sum())
            .collect();
        let fitted = |row: &[u32]| {
            coefficients[0] + row.iter().map(|&place| coefficients[place as usize + 1]).sum::<f64>()
        };
        let residuals = design.iter().zip(y).map(|(row, y)| y - fitted(row)).collect();
        let leverages =
            design.iter().zip(&weights).map(|(row, weight)| weight * quadratic(&inverse, row));
        let leverages = leverages.collect();
        Ok(Fit { weights, coefficients, inverse, residuals, leverages, design })
    }

    fn fitted(&self, y: &[f64]) -> Vec<f64> {
        y.iter().zip(&self.residuals).map(|(y, residual)| y - residual).collect()
    }

    fn chi_square(&self) -> f64 {
        self.residuals.iter().zip(&self.weights).map(|(e, weight)| e * e * weight).sum()
    }

    /// [`Rows::draws`] of the column at a place of the fit.
    pub(super) fn draws(&self, rows: &Rows, column: usize, place: usize) -> f64 {
        let inverse = self.inverse.col(place + 1);
        rows.draws(column, |row| {
            let others = self.design.get(row).iter().map(|&other| inverse[other as usize + 1]);
            self.weights[row] * (inverse[0] + others.sum::<f64>())
        })
    }

    /// The variances of the coefficients (HC3: MacKinnon and White, 1985): each row's variance is taken to be the square of its residual in
    /// a fit without that row. It holds whatever the rows' variances are, if many rows have a one in the column.
    pub(super) fn robust_variances(&self) -> Vec<f64> {
        let rows = self.weights.iter().zip(&self.residuals).zip(&self.leverages);
        let meat: Vec<f64> = rows.map(|((w, e), h)| w * w * row_variance(*w, *e, *h)).collect();
        let columns = self.coefficients.len();
        let right = gram(&self.design, columns - 1, &meat) * &self.inverse;
        let sum = |j| (0..columns).map(|i| self.inverse[(j, i)] * right[(i, j)]).sum::<f64>();
        // It may be so near to 0 that rounding takes it below.
        let variance = |j| sum(j).max(0.0);
        (0..columns).map(variance).collect()
    }
}

/// The variance of a row, from its residual; from its weight if nothing is left of the residual.
pub(super) fn row_variance(weight: f64, residual: f64, leverage: f64) -> f64 {
    let left = 1.0 - leverage;
    if left < 1e-6 {
        return 1.0 / weight;
    }
    (residual / left) * (residual / left)
}

/// xᵀ·A·x for the x of a row, whose first entry is the intercept's.
fn quadratic(a: &Mat<f64>, row: &[u32]) -> f64 {
    let mut sum = a[(0, 0)];
    for (i, &place) in row.iter().enumerate() {
        let column = a.col(place as usize + 1);
        sum += column[place as usize + 1] + 2.0 * column[0];
        sum += 2.0 * row[..i].iter().map(|&other| column[other as usize + 1]).sum::<f64>();
    }
    sum
}

/// XᵀWX, whose first column is the intercept's.
fn gram(design: &Lists, columns: usize, weights: &[f64]) -> Mat<f64> {
    let mut gram = Mat::zeros(columns + 1, columns + 1);
    for (row, weight) in design.iter().zip(weights) {
        gram[(0, 0)] += weight;
        for (i, &place) in row.iter().enumerate() {
            let mut column = gram.col_mut(place as usize + 1);
            column[0] += weight;
            row[..=i].iter().for_each(|&other| column[other as usize + 1] += weight);
        }
    }
    // Places ascend in a row, so that it is what is above the diagonal.
    for j in 0..=columns {
        for i in 0..j {
            gram[(j, i)] = gram[(i, j)];
        }
    }
    gram
}

/// By Cholesky's decomposition, with each column scaled to 1.
pub(super) fn inverse(gram: &Mat<f64>) -> Result<Mat<f64>, Dependent> {
    let n = gram.nrows();
    let scale: Vec<f64> = (0..n).map(|i| 1.0 / gram[(i, i)].sqrt()).collect();
    if let Some(empty) = scale.iter().position(|scale| !scale.is_finite()) {
        return Err(Dependent(empty.saturating_sub(1)));
    }
    let scaled = Mat::from_fn(n, n, |i, j| gram[(i, j)] * scale[i] * scale[j]);
    let factor = scaled
        .llt(Side::Lower)
        .map_err(|LltError::NonPositivePivot { index }| Dependent(index.saturating_sub(1)))?;
    // What is left of a column after those before it.
    let own = |i: usize| factor.L()[(i, i)] * factor.L()[(i, i)];
    if let Some(column) = (0..n).find(|&i| own(i) < LEAST_OWN) {
        return Err(Dependent(column.saturating_sub(1)));
    }
    let inverse = factor.inverse();
    Ok(Mat::from_fn(n, n, |i, j| inverse[(i, j)] * scale[i] * scale[j]))
}
