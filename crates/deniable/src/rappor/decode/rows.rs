//! The bits of cohorts as rows of a regression.

use alloc::vec::Vec;

use super::input::{Candidates, Counts, Lists, Noise};

/// For each bit of some cohorts the share of filters that have it set, and the candidates that set it.
///
/// The share of filters with a bit is the sum of the shares of the candidates that set it, and of what no candidate explains.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    noise: Noise,
    /// The bits of a cohort.
    pub(super) bits: usize,
    /// Unbiased: it can be negative or above 1.
    pub(super) shares: Vec<f64>,
    /// The reports of the row's cohort.
    reports: Vec<f64>,
    /// For each candidate its rows.
    pub(super) columns: Lists,
}

impl Rows {
    /// Those of the cohorts named, each of which has reports.
    pub(super) fn new(
        noise: Noise,
        counts: &Counts,
        candidates: &Candidates,
        cohorts: &[usize],
    ) -> Self {
        let bits = counts.bits();
        let (mut shares, mut reports) = (Vec::new(), Vec::new());
        let mut place = vec![None; counts.cohorts()];
        for (i, &cohort) in cohorts.iter().enumerate() {
            place[cohort] = Some(i * bits);
            let n = counts.reports()[cohort] as f64;
            let ones = &counts.ones()[cohort * bits..][..bits];
            shares.extend(ones.iter().map(|&ones| noise.debias(ones as f64 / n)));
            reports.extend(core::iter::repeat_n(n, bits));
        }
        let mut columns = Lists::default();
        for set in candidates.set.iter() {
            let row = |&bit: &u32| {
                let (cohort, bit) = (bit as usize / bits, bit as usize % bits);
                place[cohort].map(|start| (start + bit) as u32)
            };
            let list: Vec<u32> = set.iter().filter_map(row).collect();
            columns.push(&list);
        }
        Rows { noise, bits, shares, reports, columns }
    }

    pub(super) fn len(&self) -> usize {
        self.shares.len()
    }

    /// What respondents with a candidate add to the variance of its estimate because they set all its bits of a cohort at once, by share·(1 − share). `gain` is how much of
    /// a row's share is in the estimate.
    ///
    /// How many are in a cohort is up to chance, and its bits go up and down together. Where each cohort counts by its reports, that is the draw of all respondents and no more: one by their
    /// number. Where it counts otherwise, it is more. Each bit's own part is in the variance of its row already.
    pub(super) fn draws(&self, candidate: usize, gain: impl Fn(usize) -> f64) -> f64 {
        let cohort = |rows: &[u32]| {
            let gains = rows.iter().map(|&row| gain(row as usize));
            let (sum, squares) = gains.fold((0.0, 0.0), |(a, b), gain| (a + gain, b + gain * gain));
            (sum * sum - squares) / self.reports[rows[0] as usize]
        };
        let same = |a: &u32, b: &u32| *a as usize / self.bits == *b as usize / self.bits;
        self.columns.get(candidate).chunk_by(same).map(cohort).sum()
    }

    /// The variance of each share if the mean share of its cohort were that of all its bits: known before the fit, and hardly dependent on
    /// the row's own error.
    pub(super) fn smooth_variances(&self) -> Vec<f64> {
        let means: Vec<f64> = (self.shares.chunks(self.bits))
            .flat_map(|shares| {
                let mean = shares.iter().sum::<f64>() / shares.len() as f64;
                core::iter::repeat_n(mean, shares.len())
            })
            .collect();
        self.variances(&means)
    }

    /// The variance of each share if these were the true ones: that of a binomial count. Weights made of the observed counts instead would give more weight to those that are
    /// low by chance, and bias the fit.
    pub(super) fn variances(&self, shares: &[f64]) -> Vec<f64> {
        let variance = |(&share, &n): (&f64, &f64)| {
            // Where nobody or everybody is expected to have it, the fit may still be off by some.
            let least = 1.0 / (n + 2.0);
            let rate = self.noise.rate(share.clamp(0.0, 1.0)).clamp(least, 1.0 - least);
            rate * (1.0 - rate) / (n * self.noise.signal() * self.noise.signal())
        };
        shares.iter().zip(&self.reports).map(variance).collect()
    }
}
