//! What the counts say of one candidate, and how well all of them fit.

use super::fit;
use super::halves::Part;
use crate::error::Shown;
use crate::estimate::tails::{chi_square, student, student_quantile};
use crate::estimate::{Interval, Target};
use crate::{Error, Result};

/// What the counts say of one candidate: its share among the reports, with an interval.
///
/// Intervals assume that errors are normal, as sums over many bits of many reports are.
///
/// A candidate that bits do not tell from others has a share of 0 with an infinite standard error, and the interval from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    share: f64,
    variance: f64,
    robust: f64,
    draws: f64,
    degrees: f64,
    respondents: u64,
}

impl Share {
    pub(super) fn new(part: &Part, degrees: f64, respondents: u64) -> Self {
        let (share, variance, robust) = (part.estimate, part.variance(), part.robust);
        Share { share, variance, robust, draws: part.draws, degrees, respondents }
    }

    /// The share, unbiased. It can be negative or above 1: cutting it off would bias it.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// The same as a number of reports.
    pub fn count(&self) -> f64 {
        self.share * self.respondents as f64
    }

    /// The standard error of the share. That of a population has the draw of the respondents in it, and is a little too large for few respondents with little noise.
    pub fn standard_error(&self, target: Target) -> f64 {
        let (share, each) = (self.share.clamp(0.0, 1.0), 1.0 / self.respondents as f64);
        let draws = match target {
            Target::Sample => (self.draws - each).max(0.0),
            Target::Population => self.draws.max(each),
        };
        (self.variance + share * (1.0 - share) * draws).sqrt()
    }

    /// The standard error by a sandwich estimate (HC3), which takes each bit's variance from its own residual. For a sample.
    ///
    /// It assumes nothing about the variances, and so it is uncertain itself where a candidate has few bits: intervals made of it alone are too short with fewer than about 30 cohorts.
    /// [`Share::standard_error`] is never below it.
    pub fn robust_error(&self) -> f64 {
        self.robust.sqrt()
    }

    /// The probability of such a share, or a larger one, if nobody had the candidate: small if it occurs.
    pub fn p_value(&self) -> f64 {
        student(self.share / self.variance.sqrt(), self.degrees)
    }

    /// An interval that holds the target's share with a probability of about `confidence`. It is within [0, 1].
    ///
    /// # Errors
    ///
    /// A `confidence` that is not at least 0.5 and below 1.
    pub fn interval(&self, target: Target, confidence: f64) -> Result<Interval> {
        if !(0.5..1.0).contains(&confidence) {
            let problem = format!("{} is not in its range", Shown(confidence));
            return Err(Error::invalid_parameter("confidence", problem, "from 0.5 to below 1"));
        }
        Ok(self.interval_beyond(target, (1.0 - confidence) / 2.0))
    }

    /// The interval that misses the target's share on each side with a probability of about `tail`, from 10^−300 to 1/2.
    pub(super) fn interval_beyond(&self, target: Target, tail: f64) -> Interval {
        let reach = student_quantile(tail, self.degrees) * self.standard_error(target);
        let within = |bound: f64| bound.clamp(0.0, 1.0);
        Interval { low: within(self.share - reach), high: within(self.share + reach) }
    }

    /// The same for the number of reports; for a population, of as many people.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn count_interval(&self, target: Target, confidence: f64) -> Result<Interval> {
        let Interval { low, high } = self.interval(target, confidence)?;
        let n = self.respondents as f64;
        Ok(Interval { low: low * n, high: high * n })
    }
}

/// How well the candidates explain the counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Misfit {
    squares: fit::Misfit,
}

impl Misfit {
    pub(super) fn new(squares: fit::Misfit) -> Self {
        Misfit { squares }
    }

    /// By how much the residuals exceed the noise: the sum of their squares, each in units of its variance, a degree of freedom. About 1 if the candidates explain everything. More if candidates are
    /// missing, or if clients report more than once; and 1 if there are no more rows than estimates.
    pub fn ratio(&self) -> f64 {
        if self.degrees() == 0 { 1.0 } else { self.squares.chi_square / self.degrees() as f64 }
    }

    /// Rows less estimates.
    pub fn degrees(&self) -> usize {
        self.squares.degrees
    }

    /// The probability of such a ratio, or a larger one, if nothing were missing from the fit. It is too large with few reports a cohort or with little noise, where
    /// residuals are smaller than those of normal errors.
    ///
    /// The fit of a [long list](super#long-lists) has the selected candidates only, and those that were not selected are missing from it.
    pub fn p_value(&self) -> f64 {
        if self.degrees() == 0 {
            return 1.0;
        }
        chi_square(self.squares.chi_square, self.degrees() as f64)
    }
}
