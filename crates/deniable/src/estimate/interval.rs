//! What the reports say of one value.

use core::fmt;

use super::binomial::{self, MOST_TRIALS, check_alpha};
use super::two_binomials::{Rates, SMALLEST_ALPHA};
use super::{Channel, counts::no_reports};
use crate::error::Shown;
use crate::{Error, Result};

/// What is estimated: two numbers that reports can be asked for, with different intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The share among all people of whom the respondents are a random sample: how likely the next respondent's answer is the value.
    Population,
    /// The share among these respondents. Only the noise is uncertain, so that its interval is the shorter one.
    Sample,
}

/// From a lower to an upper bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Interval {
    /// Whether it is between the bounds or one of them.
    pub fn contains(&self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// The difference of the bounds.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        self.low.fmt(f)?;
        f.write_str(", ")?;
        self.high.fmt(f)?;
        f.write_str("]")
    }
}

/// What the reports say of one value: its share, with an interval.
///
/// Everything comes from two numbers, how many reports there are and how many support the value, and holds for few reports as for many. No
/// normal law is assumed.
///
/// ```
/// use deniable::estimate::{BitCounts, FrequencyOracle, Target};
/// use deniable::prelude::*;
///
/// let smokes = make_randomized_response_bool(0.75, false)?;
/// let mut counts = BitCounts::new(1);
/// smokes.count(&[[true; 400], [false; 400]].concat(), &mut counts)?;
/// let estimates = smokes.estimate(&counts)?;
/// let yes = estimates.get(0).expect("there is one value");
/// assert_eq!(yes.share(), 0.5);
/// let interval = yes.interval(Target::Population, 0.95)?;
/// assert!(interval.contains(0.5) && interval.width() < 0.15);
/// assert!(yes.p_value() < 1e-9); // Some do.
/// # Ok::<(), deniable::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Estimate<'a> {
    pub(super) channel: &'a Channel,
    pub(super) supporting: u64,
    pub(super) respondents: u64,
}

impl<'a> Estimate<'a> {
    /// From so many reports, of which so many support the value.
    ///
    /// # Errors
    ///
    /// No reports; more of them than [`binomial::MOST_TRIALS`]; more that support the value than there are; a channel that says nothing.
    pub fn new(channel: &'a Channel, supporting: u64, respondents: u64) -> Result<Self> {
        check_respondents(respondents)?;
        if supporting > respondents {
            let problem = "there are more of them than respondents";
            return Err(Error::invalid_parameter(
                "supporting",
                problem,
                "reports that were counted",
            ));
        }
        channel.check_signal("channel")?;
        Ok(Estimate { channel, supporting, respondents })
    }

    /// How many reports support the value.
    pub fn supporting(&self) -> u64 {
        self.supporting
    }

    /// How many reports there are.
    pub fn respondents(&self) -> u64 {
        self.respondents
    }

    /// The share of respondents whose answer is the value, unbiased for both targets. It can be negative or above 1: cutting it off would bias it.
    pub fn share(&self) -> f64 {
        self.count() / self.respondents as f64
    }

    /// The number of respondents whose answer is the value, unbiased.
    pub fn count(&self) -> f64 {
        self.channel.estimate(self.supporting, self.respondents)
    }

    /// An estimate of the variance of [`share`](Estimate::share), as an estimate of the target. It is unbiased, but for the sample's being 0 where it would be negative. ∞ if one
    /// respondent is to stand for a population.
    pub fn variance(&self, target: Target) -> f64 {
        let (n, signal) = (self.respondents as f64, self.channel.signal());
        let spread = match target {
            Target::Population if self.respondents == 1 => return f64::INFINITY,
            Target::Population => {
                let rate = self.supporting as f64 / n;
                rate * (1.0 - rate) * n / (n - 1.0)
            }
            Target::Sample => self.channel.spread(self.share(), target).max(0.0),
        };
        spread / (n * signal * signal)
    }

    /// The square root of the [variance](Estimate::variance).
    pub fn standard_error(&self, target: Target) -> f64 {
        self.variance(target).sqrt()
    }

    /// An interval that holds the target's share with a probability of at least `confidence`, whatever that share is.
    ///
    /// For the population it is the exact binomial interval of the rate of support, brought back through the channel. For the sample, these are the numbers of
    /// respondents with which neither so many supporting reports, or more, nor so few would be unlikely: their number is the sum of two binomial ones. It is within [0, 1],
    /// so that a [share](Estimate::share) outside of that is outside of the interval too.
    ///
    /// # Errors
    ///
    /// A `confidence` that is not at least 0.5 and below 1 by at least 10^−13.
    pub fn interval(&self, target: Target, confidence: f64) -> Result<Interval> {
        self.bounds(target, missed(confidence)?)
    }

    /// The same for the number of respondents; for a population, of as many people.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn count_interval(&self, target: Target, confidence: f64) -> Result<Interval> {
        let Interval { low, high } = self.interval(target, confidence)?;
        let n = self.respondents as f64;
        Ok(Interval { low: low * n, high: high * n })
    }

    /// An interval that misses the share with a probability of at most `missed`.
    pub(super) fn bounds(&self, target: Target, missed: f64) -> Result<Interval> {
        let each = missed / 2.0;
        check_side(each)?;
        if target == Target::Population {
            return self.bounds_of_population(each);
        }
        let (n, rates) = (self.respondents, self.channel.rates());
        let near = (self.count(), self.standard_error(target) * n as f64);
        let (low, high) = rates.possible(self.supporting, n, each, near);
        Ok(Interval { low: low as f64 / n as f64, high: high as f64 / n as f64 })
    }

    fn bounds_of_population(&self, each: f64) -> Result<Interval> {
        let (k, n) = (self.supporting, self.respondents);
        let (low, high) = (binomial::lower(k, n, each)?, binomial::upper(k, n, each)?);
        // More than what is lost by rounding.
        let more = 8.0 * f64::EPSILON / self.channel.signal();
        let share = |rate: f64, more: f64| (self.channel.share_at(rate) + more).clamp(0.0, 1.0);
        Ok(Interval { low: share(low, -more), high: share(high, more) })
    }

    /// The smallest share that so many reports [let be detected](Channel::detectable).
    ///
    /// # Errors
    ///
    /// As there.
    pub fn detectable(&self, alpha: f64, power: f64) -> Result<Option<f64>> {
        self.channel.detectable(self.respondents, alpha, power)
    }

    /// The probability of so many supporting reports, or more, if nobody's answer were the value: small if the value occurs.
    pub fn p_value(&self) -> f64 {
        self.channel.split_of_lie().at_least(self.supporting, self.respondents)
    }
}

/// What an interval of this confidence may miss.
pub(super) fn missed(confidence: f64) -> Result<f64> {
    if (0.5..1.0).contains(&confidence) {
        return Ok(1.0 - confidence);
    }
    Err(bad_confidence(confidence))
}

/// Whether so little may be missed on each side.
fn check_side(each: f64) -> Result<()> {
    if each >= SMALLEST_ALPHA { Ok(()) } else { Err(bad_confidence(1.0 - 2.0 * each)) }
}

fn bad_confidence(confidence: f64) -> Error {
    let problem = format!("{} is not in its range", Shown(confidence));
    let accepted =
        "a number from 0.5 to 1 − 10^−13, divided by the number of values if it is for all of them";
    Error::invalid_parameter("confidence", problem, accepted)
}

fn check_respondents(respondents: u64) -> Result<()> {
    match respondents {
        0 => Err(no_reports("respondents")),
        1..=MOST_TRIALS => Ok(()),
        _ => {
            let accepted = format!("at most {MOST_TRIALS}");
            Err(Error::invalid_parameter("respondents", "there are too many", accepted))
        }
    }
}

/// What can be said before anybody is asked.
impl Channel {
    /// n times the variance of the rate of support, at a share of the value.
    pub(super) fn spread(&self, share: f64, target: Target) -> f64 {
        let (truth, lie) = (self.split_of_truth(), self.split_of_lie());
        match target {
            Target::Population => {
                let rate = lie.p + share * self.signal();
                rate * (lie.q - share * self.signal())
            }
            Target::Sample => share * truth.p * truth.q + (1.0 - share) * lie.p * lie.q,
        }
    }

    pub(super) fn rates(&self) -> Rates {
        Rates { truth: self.split_of_truth(), lie: self.split_of_lie() }
    }

    /// The share of the value at a rate of support.
    pub(super) fn share_at(&self, rate: f64) -> f64 {
        (rate - self.lie()) / self.signal()
    }

    /// The standard error of an estimated share of the value, if its true share is `share` and so many respondents are asked.
    ///
    /// # Errors
    ///
    /// No respondents; a `share` that is not from 0 to 1.
    pub fn standard_error(&self, share: f64, respondents: u64, target: Target) -> Result<f64> {
        check_share(share)?;
        if respondents == 0 {
            return Err(no_reports("respondents"));
        }
        Ok((self.spread(share, target) / respondents as f64).sqrt() / self.signal())
    }

    /// How many respondents it takes for a standard error of at most `error`, at this share of the value. None if that is 10^18 or more.
    ///
    /// # Errors
    ///
    /// An `error` that is not above 0; a `share` that is not from 0 to 1.
    pub fn respondents_for(&self, error: f64, share: f64, target: Target) -> Result<Option<u64>> {
        check_share(share)?;
        if !(error > 0.0 && error.is_finite()) {
            let problem = format!("{} is no error", Shown(error));
            return Err(Error::invalid_parameter("error", problem, "a number above 0"));
        }
        let ratio = error * self.signal();
        let needed = (self.spread(share, target) / (ratio * ratio)).ceil().max(1.0);
        if needed >= 1e18 {
            return Ok(None);
        }
        let mut needed = needed as u64;
        // What was lost by rounding.
        while self.standard_error(share, needed, target)? > error {
            needed += 1 + needed / (1 << 52);
        }
        Ok(Some(needed))
    }

    /// The smallest share of a value, in the population, that so many respondents let be detected: where, with a probability of at least `power`, the
    /// [p-value](Estimate::p_value) is at most `alpha`. None if not even a value that everybody answers is.
    ///
    /// # Errors
    ///
    /// No respondents or more than [`binomial::MOST_TRIALS`]; an `alpha` that is not from [`binomial::SMALLEST_ALPHA`] to 1/2; a `power` that is not at least 1/2 and below 1.
    pub fn detectable(&self, respondents: u64, alpha: f64, power: f64) -> Result<Option<f64>> {
        self.detectable_with(respondents, alpha, power, 0)
    }

    /// The same if so many more supporting reports were needed.
    fn detectable_with(
        &self,
        respondents: u64,
        alpha: f64,
        power: f64,
        more: u64,
    ) -> Result<Option<f64>> {
        check_respondents(respondents)?;
        check_alpha(alpha)?;
        check_power(power)?;
        let critical = self.critical(respondents, alpha) + more;
        if critical > respondents {
            return Ok(None);
        }
        // With this rate, fewer than that are seen with a probability of at most 1 − power.
        let rate = binomial::upper(critical - 1, respondents, 1.0 - power)?;
        Ok((rate <= self.truth()).then(|| self.share_at(rate).clamp(0.0, 1.0)))
    }

    /// The least number of supporting reports with a p-value of at most `alpha`.
    fn critical(&self, respondents: u64, alpha: f64) -> u64 {
        let lie = self.split_of_lie();
        let (mut from, mut to) = (1, respondents + 1);
        while from < to {
            let middle = from + (to - from) / 2;
            if lie.at_least(middle, respondents) <= alpha {
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        from
    }

    /// How many respondents let a value of this share be [detected](Channel::detectable), and more of them too. None if not even [`binomial::MOST_TRIALS`] do.
    ///
    /// A whole number of reports is critical, so that one respondent more may be worse. With this number one report more could be asked for, which is room for that; a few
    /// respondents fewer may be enough as well.
    ///
    /// # Errors
    ///
    /// As there; a `share` that is not from 0 to 1.
    pub fn respondents_to_detect(&self, share: f64, alpha: f64, power: f64) -> Result<Option<u64>> {
        check_share(share)?;
        let is_enough = |respondents| -> Result<bool> {
            let least = self.detectable_with(respondents, alpha, power, 1)?;
            Ok(least.is_some_and(|least| least <= share))
        };
        let (mut from, mut to) = (1, 1);
        while !is_enough(to)? {
            if to == binomial::MOST_TRIALS {
                return Ok(None);
            }
            (from, to) = (to + 1, (2 * to).min(binomial::MOST_TRIALS));
        }
        while from < to {
            let middle = from + (to - from) / 2;
            if is_enough(middle)? { to = middle } else { from = middle + 1 }
        }
        Ok(Some(to))
    }
}

pub(crate) fn check_power(power: f64) -> Result<()> {
    if (0.5..1.0).contains(&power) {
        return Ok(());
    }
    let problem = format!("{} is not in its range", Shown(power));
    Err(Error::invalid_parameter("power", problem, "a number from 1/2 to below 1"))
}

pub(crate) fn check_share(share: f64) -> Result<()> {
    if (0.0..=1.0).contains(&share) {
        return Ok(());
    }
    let problem = format!("{} is no share", Shown(share));
    Err(Error::invalid_parameter("share", problem, "a number from 0 to 1"))
}
