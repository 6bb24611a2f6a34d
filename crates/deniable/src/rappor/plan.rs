//! What the parameters do, before anybody is asked: errors, shares that are seen, respondents.

use super::Params;
use crate::error::Shown;
use crate::estimate::binomial::check_alpha;
use crate::estimate::tails::normal_quantile;
use crate::estimate::{Target, check_power, check_share};
use crate::{Error, Result};

/// With at least so many bits of all cohorts a candidate, all are estimated together.
pub(super) const BITS_A_CANDIDATE: usize = 4;

/// The smallest difference between q* and p* that is estimated with: all reports that can be counted do not tell less from nothing. Its square is far from the smallest float.
pub(super) const LEAST_SIGNAL: f64 = 1e-15;

/// More respondents than there are.
const TOO_MANY: f64 = 1e18;

/// What can be said before anybody is asked. The [guide](crate::guide::rappor) has it in pictures.
///
/// # What it is an approximation of
///
/// The decoder's estimate: weighted least squares with an intercept, a row for each bit of each cohort. Bits are set by hashing, so that before it is known which, a candidate's column is
/// one in a row with probability d = 1 − (1 − 1/k)^h. With that in the place of the columns themselves, n respondents in cohorts of the same size, and a share x, the variance of the estimate is
///
/// (v₁/d + v₀/(1 − d) + 1 − x)/(n·k) · D/(D − c + 1)
///
/// where v₁ and v₀ are n times the variances of the share of filters with a bit, by the [noise](Params::channel) of a report, for bits that the candidate sets and for others; 1 − x is what other
/// values add, as their shares in a cohort are not those in all; and the last factor is the price of c candidates that are estimated together from D = (k − 1)·m dimensions. A rare candidate, alone, has
/// r(1 − r)/(n·s²·k·d(1 − d)), with s = (1 − f)(q − p), and r = p* + s·d the rate of ones.
///
/// The tests compare it with the exact variance of that fit, with filters by our hash functions. Averaged over candidates it is within 2 %, where noise is most of the error and k is 4 or more; that of a
/// single candidate is up to 15 % off, or 25 % with four cohorts, as its bits happen to be those of others or not. With little noise (p = 0, q = 1, f = 0.1) it is up to 30 % too large, and with k = 2 up to 10 % too
/// small. A standard error is off by half of that. What it does not know of:
///
/// - values that occur and are no candidates: one of a share x adds about x²/(k·m) to the variance of all, however many are asked;
/// - lists longer than [`Params::most_together`], which are estimated in parts: the factor is then the largest one;
/// - clients that report more than once: respondents are counted here, and further reports of a value only take the noise of p and q off;
/// - few reports a cohort: errors are taken to be normal.
impl Params {
    /// How many candidates can be estimated together: one for every four bits of all cohorts, k·m/4, and one at least. A longer list is estimated in parts, for
    /// which it takes two cohorts.
    ///
    /// ```
    /// # use deniable::rappor::Params;
    /// assert_eq!(Params::new(32, 1, 64, 0.25, 0.75, 0.5)?.most_together(), 512);
    /// # Ok::<(), deniable::Error>(())
    /// ```
    pub fn most_together(&self) -> usize {
        (self.k() * self.m() / BITS_A_CANDIDATE).max(1)
    }

    /// The expected standard error of the estimated share of a candidate, one of so many, if its true share is `share` and so many respondents are asked. For
    /// [`Target::Population`], the draw of the respondents is in it.
    ///
    /// # Errors
    ///
    /// A `share` that is not from 0 to 1; no candidates; no respondents; parameters with which reports say nothing: k = 1, or q* and p* that are less than 10^−100 apart; a single cohort, and more candidates than
    /// [can be estimated together](Params::most_together).
    ///
    /// ```
    /// use deniable::estimate::Target;
    /// use deniable::rappor::Params;
    ///
    /// let params = Params::new(32, 1, 64, 0.25, 0.75, 0.5)?;
    /// let error = params.standard_error(0.0, 100, 100_000, Target::Sample)?;
    /// assert_eq!(format!("{error:.5}"), "0.00641");
    /// # Ok::<(), deniable::Error>(())
    /// ```
    pub fn standard_error(
        &self,
        share: f64,
        candidates: usize,
        respondents: u64,
        target: Target,
    ) -> Result<f64> {
        check_share(share)?;
        check_respondents(respondents)?;
        Ok(self.fit_of(candidates)?.error(share, target) / (respondents as f64).sqrt())
    }

    /// How many respondents it takes for a [standard error](Params::standard_error) of at most `error`. None if that is 10^18 or more.
    ///
    /// # Errors
    ///
    /// As there; an `error` that is not above 0.
    pub fn respondents_for(
        &self,
        error: f64,
        share: f64,
        candidates: usize,
        target: Target,
    ) -> Result<Option<u64>> {
        check_share(share)?;
        if !(error > 0.0 && error.is_finite()) {
            let problem = format!("{} is no error", Shown(error));
            return Err(Error::invalid_parameter("error", problem, "a number above 0"));
        }
        let unit = self.fit_of(candidates)?.error(share, target);
        Ok(least_respondents(unit / error, |n| unit / n.sqrt() <= error))
    }

    /// The smallest share of a candidate in the population that so many respondents let be detected, one of so many: with a probability of at least `power` it exceeds what
    /// *any* candidate that nobody has exceeds with a probability of at most `alpha`. None if not even a value that everybody has is.
    ///
    /// That is Bonferroni's rule at one side of a normal law, α divided by the number of candidates. The decoder's rule, Benjamini and Hochberg's, detects as much and often more.
    ///
    /// # Errors
    ///
    /// As [`Params::standard_error`]; an `alpha` that is not from 10^−30 to 1/2; a `power` that is not at least 1/2 and below 1.
    ///
    /// ```
    /// use deniable::rappor::Params;
    ///
    /// let params = Params::new(32, 1, 64, 0.25, 0.75, 0.5)?;
    /// let share = params.detectable(100, 100_000, 0.05, 0.8)?;
    /// assert_eq!(share.map(|share| format!("{share:.3}")), Some("0.026".into()));
    /// assert_eq!(params.detectable(100, 10, 0.05, 0.8)?, None);
    /// # Ok::<(), deniable::Error>(())
    /// ```
    pub fn detectable(
        &self,
        candidates: usize,
        respondents: u64,
        alpha: f64,
        power: f64,
    ) -> Result<Option<f64>> {
        check_respondents(respondents)?;
        let (fit, root) = (self.fit_of(candidates)?, (respondents as f64).sqrt());
        let quantiles = quantiles(candidates, alpha, power)?;
        // The reach is a sum of roots of concave functions, so that what a share has above it is convex; it is below 0 for a share of 0. So there is one share from which on it is not.
        let is_seen = |share: f64| fit.reach(share, quantiles) / root <= share;
        if !is_seen(1.0) {
            return Ok(None);
        }
        let (mut too_small, mut seen) = (0.0, 1.0);
        for _ in 0..200 {
            let middle = (too_small + seen) / 2.0;
            if is_seen(middle) { seen = middle } else { too_small = middle }
        }
        Ok(Some(seen))
    }

    /// How many respondents let a candidate of this share be [detected](Params::detectable). None if that is 10^18 or more.
    ///
    /// # Errors
    ///
    /// As there; a `share` that is not from 0 to 1.
    ///
    /// ```
    /// use deniable::rappor::Params;
    ///
    /// let params = Params::new(32, 1, 64, 0.25, 0.75, 0.5)?;
    /// let people = params.respondents_to_detect(0.01, 100, 0.05, 0.8)?;
    /// assert!(people.is_some_and(|people| 700_000 < people && people < 710_000));
    /// # Ok::<(), deniable::Error>(())
    /// ```
    pub fn respondents_to_detect(
        &self,
        share: f64,
        candidates: usize,
        alpha: f64,
        power: f64,
    ) -> Result<Option<u64>> {
        check_share(share)?;
        let reach = self.fit_of(candidates)?.reach(share, quantiles(candidates, alpha, power)?);
        Ok(least_respondents(reach / share, |n| reach / n.sqrt() <= share))
    }

    /// What is known of the fit of so many candidates.
    fn fit_of(&self, candidates: usize) -> Result<Fit> {
        self.check_candidates(candidates)?;
        let channel = self.channel();
        if channel.signal().abs() < LEAST_SIGNAL {
            let problem = "it is so near to p that the reports say nothing";
            let accepted = format!("a number with (1 − f)·|q − p| at least {LEAST_SIGNAL:e}");
            return Err(Error::invalid_parameter("q", problem, accepted));
        }
        if self.k() == 1 {
            let problem = "a single bit is one whatever the value";
            return Err(Error::invalid_parameter("k", problem, "an integer of 2 or more"));
        }
        let variance = |set: f64| -> Result<f64> {
            Ok(channel.standard_error(set, 1, Target::Sample)?.powi(2))
        };
        let (k, m) = (self.k() as f64, self.m() as f64);
        // Within a cohort all columns have about the same number of ones, so that k bits are k − 1 dimensions. Each further candidate takes one of them.
        let dimensions = (k - 1.0) * m;
        let others = candidates.min(self.most_together()) - 1;
        Ok(Fit {
            k,
            zeros: (1.0 - 1.0 / k).powi(self.h() as i32),
            noise: (variance(0.0)?, variance(1.0)?),
            price: dimensions / (dimensions - others as f64),
        })
    }

    fn check_candidates(&self, candidates: usize) -> Result<()> {
        if candidates == 0 {
            return Err(Error::invalid_parameter("candidates", "there are none", "1 or more"));
        }
        if self.m() == 1 && candidates > self.most_together() {
            let problem = "there are more of them than one cohort's bits can tell apart";
            let accepted = format!("up to {}, or more cohorts", self.most_together());
            return Err(Error::invalid_parameter("candidates", problem, accepted));
        }
        Ok(())
    }
}

/// The fit of a candidate among others, as it is expected to be. All errors are times √n.
struct Fit {
    k: f64,
    /// The probability that a value leaves a bit zero.
    zeros: f64,
    /// The variance of a bit of the filter by one report: of a zero, and of a one.
    noise: (f64, f64),
    /// How much larger variances are because others are estimated too.
    price: f64,
}

impl Fit {
    /// The standard error of a share.
    fn error(&self, share: f64, target: Target) -> f64 {
        let ones = 1.0 - self.zeros;
        // Where so many filters have the bit.
        let noise = |set: f64| self.noise.0 + set * (self.noise.1 - self.noise.0);
        let others = (1.0 - share) * ones;
        let variance = noise(others + share) / ones + noise(others) / self.zeros + 1.0 - share;
        let drawn = match target {
            Target::Sample => 0.0,
            Target::Population => share * (1.0 - share),
        };
        (variance / self.k * self.price + drawn).sqrt()
    }

    /// What an estimate has to be so that it is detected, and by how much more it has to be expected to be so.
    fn reach(&self, share: f64, (critical, likely): (f64, f64)) -> f64 {
        critical * self.error(share, Target::Sample)
            + likely * self.error(share, Target::Population)
    }
}

/// What is exceeded with a probability of α divided by the number of candidates, and of 1 − power.
fn quantiles(candidates: usize, alpha: f64, power: f64) -> Result<(f64, f64)> {
    check_alpha(alpha)?;
    check_power(power)?;
    Ok((normal_quantile(alpha / candidates as f64), normal_quantile(1.0 - power)))
}

fn check_respondents(respondents: u64) -> Result<()> {
    if respondents == 0 {
        return Err(Error::invalid_parameter("respondents", "there are none", "1 or more"));
    }
    Ok(())
}

/// The least number that is enough, where `root` is its root but for rounding.
fn least_respondents(root: f64, is_enough: impl Fn(f64) -> bool) -> Option<u64> {
    let needed = (root * root).ceil().max(1.0);
    // Not a number if nothing is to be seen, and nothing is in the way.
    if needed.is_nan() || needed >= TOO_MANY {
        return None;
    }
    let mut needed = needed as u64;
    // What was lost by rounding.
    while !is_enough(needed as f64) {
        needed += 1 + needed / (1 << 52);
    }
    Some(needed)
}
