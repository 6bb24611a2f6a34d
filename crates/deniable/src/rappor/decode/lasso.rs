//! The non-negative lasso by coordinate descent, for a matrix of few ones.

use alloc::vec::Vec;

use super::input::Lists;

/// How near to their conditions coefficients are brought, in standard errors of one candidate alone.
const TOLERANCE: f64 = 1e-7;
/// Passes over coefficients from one penalty to the next. Some tens suffice, unless columns are nearly each other's sums: then it is near the minimum, and what is selected is as good.
const MOST_PASSES: usize = 1000;

/// The b ≥ 0 that minimize ½·Σ w·(y − a − X·b)² + penalty·Σ sⱼ·bⱼ, where s² is the weighted sum of squares of a column about its mean, and a
/// the best intercept. So the penalty is in standard errors of a candidate alone, if weights are inverse variances.
///
/// The intercept is taken out of all columns beforehand, which leaves one number beside the residuals to keep. Passes go over the
/// coefficients that are not 0, until these stay, and then over all (Friedman, Hastie and Tibshirani, 2010).
#[derive(Clone, Debug)]
pub(super) struct Descent<'a> {
    columns: &'a Lists,
    weights: &'a [f64],
    total: f64,
    /// Residuals are those of `rest` and this together.
    offset: f64,
    rest: Vec<f64>,
    /// For each column its weights' sum, and the root of its sum of squares about the mean; 0 if it is constant.
    sums: Vec<f64>,
    scales: Vec<f64>,
    pub(super) coefficients: Vec<f64>,
    active: Vec<usize>,
}

impl<'a> Descent<'a> {
    pub(super) fn new(columns: &'a Lists, y: &[f64], weights: &'a [f64]) -> Self {
        let total: f64 = weights.iter().sum();
        let mean = y.iter().zip(weights).map(|(y, w)| y * w).sum::<f64>() / total;
        let sum = |column: &[u32]| column.iter().map(|&row| weights[row as usize]).sum::<f64>();
        let sums: Vec<f64> = columns.iter().map(sum).collect();
        let scale = |&sum: &f64| {
            let square = sum - sum * sum / total;
            if square > 1e-9 * sum { square.sqrt() } else { 0.0 }
        };
        Descent {
            columns,
            weights,
            total,
            offset: -mean,
            rest: y.to_vec(),
            scales: sums.iter().map(scale).collect(),
            coefficients: vec![0.0; sums.len()],
            active: Vec::new(),
            sums,
        }
    }

    /// From where it is to the minimum at another penalty, or near it after [`MOST_PASSES`].
    pub(super) fn descend(&mut self, penalty: f64) {
        let mut passes = 0;
        while passes < MOST_PASSES {
            while passes < MOST_PASSES {
                passes += 1;
                let active = core::mem::take(&mut self.active);
                let moves = active.iter().map(|&j| self.step(j, penalty));
                let most = moves.fold(0.0, f64::max);
                self.active = active;
                if most <= TOLERANCE {
                    break;
                }
            }
            passes += 1;
            let moves = (0..self.columns.len()).map(|j| self.step(j, penalty));
            let most = moves.fold(0.0, f64::max);
            self.active = self.selected();
            if most <= TOLERANCE {
                return;
            }
        }
    }

    /// The columns whose coefficients are not 0.
    pub(super) fn selected(&self) -> Vec<usize> {
        (0..self.coefficients.len()).filter(|&j| self.coefficients[j] > 0.0).collect()
    }

    /// The weighted sum of squared residuals.
    pub(super) fn squares(&self) -> f64 {
        let square = |(rest, weight): (&f64, &f64)| weight * (rest + self.offset).powi(2);
        self.rest.iter().zip(self.weights).map(square).sum()
    }

    /// What more of a column would gain, in standard errors of it alone: the penalty where its coefficient is not 0, and no more elsewhere.
    pub(super) fn gain(&self, j: usize) -> f64 {
        let column = self.columns.get(j).iter().map(|&row| row as usize);
        let sum: f64 = column.map(|row| self.weights[row] * self.rest[row]).sum();
        (sum + self.offset * self.sums[j]) / self.scales[j]
    }

    /// To the minimum along one coordinate; by how many standard errors it moved.
    fn step(&mut self, j: usize, penalty: f64) -> f64 {
        let scale = self.scales[j];
        if scale == 0.0 {
            return 0.0;
        }
        let before = self.coefficients[j];
        let after = (before + (self.gain(j) - penalty) / scale).max(0.0);
        let change = after - before;
        if change != 0.0 {
            self.coefficients[j] = after;
            self.columns.get(j).iter().for_each(|&row| self.rest[row as usize] -= change);
            self.offset += change * self.sums[j] / self.total;
        }
        change.abs() * scale
    }
}
