//! The mean of numbers that each had Laplace noise added.

use super::binomial::check_alpha;
use super::tails::{laplace_sum_quantile, student_quantile};
use super::{Interval, Target};
use crate::error::Shown;
use crate::{Error, Result};

/// What noisy numbers, one of each respondent, say of the mean of the true ones.
///
/// Noise has a mean of zero, so that the mean of the reports is that of the answers, unbiased. Intervals for the respondents themselves are by the exact law
/// of a sum of Laplace noise. (Noise on integers is beyond them at most a fifth more often than they say if its scale is at least 3, and at most twice as often
/// if it is less.) Intervals for a population are by Student's law, for which the mean of the reports is nearly normal.
///
/// ```
/// use deniable::estimate::{Mean, Target};
///
/// // 10 000 numbers from 0 to 24, each with noise of scale 24, whose mean and sum of squared deviations were counted.
/// let hours = Mean::new(10_000, 8.1, 1.2e7, 24.0, (0.0, 24.0))?;
/// assert_eq!(hours.mean(), 8.1);
/// let interval = hours.interval(Target::Population, 0.95)?;
/// assert!((interval.width() - 2.0 * 1.96 * 1200f64.sqrt() / 100.0).abs() < 0.01);
/// # Ok::<(), deniable::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    respondents: u64,
    mean: f64,
    squares: f64,
    scale: f64,
    bounds: (f64, f64),
}

impl Mean {
    /// From the number of reports, their mean, the sum of the squares of their distances to it, the scale of the noise and the bounds of the true numbers.
    ///
    /// # Errors
    ///
    /// No reports; a number that is not finite; squares or a scale below 0; a lower bound above the upper one.
    pub fn new(
        respondents: u64,
        mean: f64,
        squares: f64,
        scale: f64,
        bounds: (f64, f64),
    ) -> Result<Self> {
        if respondents == 0 {
            return Err(super::counts::no_reports("respondents"));
        }
        for (name, x) in [("mean", mean), ("squares", squares), ("scale", scale)] {
            if !x.is_finite() || (name != "mean" && x < 0.0) {
                let problem = format!("{} is not in its range", Shown(x));
                return Err(Error::invalid_parameter(
                    name,
                    problem,
                    "a finite number, but for the mean from 0",
                ));
            }
        }
        if bounds.0.is_nan() || bounds.1.is_nan() || bounds.0 > bounds.1 {
            return Err(Error::invalid_parameter(
                "bounds",
                "the lower is above the upper",
                "two numbers in order",
            ));
        }
        Ok(Mean { respondents, mean, squares, scale, bounds })
    }

    /// How many reports there are.
    pub fn respondents(&self) -> u64 {
        self.respondents
    }

    /// The mean of the answers, unbiased: it can be outside the bounds.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The standard error. For the respondents themselves only the noise counts, whose variance is known; for a population that of the reports, and it is at least that of the noise.
    pub fn standard_error(&self, target: Target) -> f64 {
        let n = self.respondents as f64;
        // Two times the square of the scale; a grid adds less than a rounding.
        let noise = 2.0 * self.scale * self.scale;
        let variance = match target {
            Target::Sample => noise,
            Target::Population => noise.max(self.squares / (n - 1.0).max(1.0)),
        };
        (variance / n).sqrt()
    }

    /// An interval that holds the target's mean with a probability of `confidence`, for a population about so, and is within the bounds.
    ///
    /// # Errors
    ///
    /// A `confidence` that is not at least 1/2 and at most 1 − 10^−30.
    pub fn interval(&self, target: Target, confidence: f64) -> Result<Interval> {
        let alpha = 1.0 - confidence;
        check_alpha(alpha).map_err(|_| {
            let problem = format!("{} is not in its range", Shown(confidence));
            Error::invalid_parameter("confidence", problem, "from 0.5 to below 1")
        })?;
        let n = self.respondents as f64;
        let reach = match target {
            Target::Sample => laplace_sum_quantile(alpha / 2.0, self.respondents) / n * self.scale,
            Target::Population => {
                student_quantile(alpha / 2.0, (n - 1.0).max(1.0)) * self.standard_error(target)
            }
        };
        let within = |bound: f64| bound.clamp(self.bounds.0, self.bounds.1);
        Ok(Interval { low: within(self.mean - reach), high: within(self.mean + reach) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_intervals_by_hand() {
        let mean = Mean::new(101, 5.0, 400.0, 1.0, (0.0, 10.0)).unwrap();
        assert_eq!(mean.standard_error(Target::Sample), (2.0f64 / 101.0).sqrt());
        assert_eq!(mean.standard_error(Target::Population), (4.0f64 / 101.0).sqrt());
        let interval = mean.interval(Target::Sample, 0.95).unwrap();
        let reach = laplace_sum_quantile(0.025, 101) / 101.0;
        assert!((interval.low - (5.0 - reach)).abs() < 1e-12);
        assert!((interval.high - (5.0 + reach)).abs() < 1e-12);
        // The tails of noise are heavier than normal ones.
        let normal = 1.959_963_984_540_054 * (2.0f64 / 101.0).sqrt();
        assert!(reach > normal && reach < 1.002 * normal);
        let one = Mean::new(1, 5.0, 0.0, 2.0, (-100.0, 100.0)).unwrap();
        let interval = one.interval(Target::Sample, 0.95).unwrap();
        assert!((interval.high - (5.0 + 2.0 * 20.0f64.ln())).abs() < 1e-12);
        // Student's law with 100 degrees of freedom: 1.98397.
        let wide = mean.interval(Target::Population, 0.95).unwrap();
        assert!((wide.width() / 2.0 / (4.0f64 / 101.0).sqrt() - 1.983_971_5).abs() < 1e-6);
        // Reports that happen to vary less than their noise.
        let calm = Mean::new(101, 5.0, 1.0, 1.0, (0.0, 10.0)).unwrap();
        assert_eq!(calm.standard_error(Target::Population), calm.standard_error(Target::Sample));
        // Within the bounds, also where the mean is not.
        let outside = Mean::new(2, -70.0, 1.0, 1.0, (0.0, 10.0)).unwrap();
        assert_eq!(
            outside.interval(Target::Sample, 0.95).unwrap(),
            Interval { low: 0.0, high: 0.0 }
        );
    }

    #[test]
    fn what_is_no_mean_is_refused() {
        let refused = |n, mean, squares, scale, bounds| {
            Mean::new(n, mean, squares, scale, bounds).unwrap_err().parameter().unwrap()
        };
        assert_eq!(refused(0, 0.0, 0.0, 1.0, (0.0, 1.0)), "respondents");
        assert_eq!(refused(1, f64::NAN, 0.0, 1.0, (0.0, 1.0)), "mean");
        assert_eq!(refused(1, 0.0, -1.0, 1.0, (0.0, 1.0)), "squares");
        assert_eq!(refused(1, 0.0, 0.0, f64::INFINITY, (0.0, 1.0)), "scale");
        assert_eq!(refused(1, 0.0, 0.0, 1.0, (2.0, 1.0)), "bounds");
        let mean = Mean::new(1, 0.0, 0.0, 1.0, (0.0, 1.0)).unwrap();
        for confidence in [0.4, 1.0, f64::NAN] {
            let error = mean.interval(Target::Sample, confidence).unwrap_err();
            assert_eq!(error.parameter(), Some("confidence"));
        }
    }
}
