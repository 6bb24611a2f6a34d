//! What the reports say of all values together.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::binomial::check_alpha;
use super::interval::missed;
use super::{Channel, Estimate, Interval, Target};
use crate::{Error, Result};

/// The estimates of all values of a question, in their order.
///
/// ```
/// use deniable::estimate::{BitCounts, Detection, FrequencyOracle, Target};
/// use deniable::prelude::*;
///
/// let drink = make_randomized_response(["tea", "coffee", "cocoa"], 0.8)?;
/// let mut counts = BitCounts::new(drink.values());
/// drink.count(&[&["tea"; 500][..], &["coffee"; 390], &["cocoa"; 110]].concat(), &mut counts)?;
/// let estimates = drink.estimate(&counts)?;
/// let shares: Vec<f64> = estimates.iter().map(|estimate| estimate.share()).collect();
/// assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// assert_eq!(estimates.detected(Detection::Bonferroni, 0.01)?, [0, 1]);
/// let all = estimates.simultaneous(Target::Population, 0.95)?;
/// assert!(all[0].contains(shares[0]));
/// # Ok::<(), deniable::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Estimates {
    channel: Channel,
    supporting: Vec<u64>,
    respondents: u64,
    outside_bias: f64,
    is_choice: bool,
}

/// Which values are said to occur, so that few are that do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detection {
    /// The probability that any value is among them that does not occur is at most α, whatever depends on what.
    Bonferroni,
    /// Of those detected, a share of at most α is expected not to occur (Benjamini and Hochberg, 1995), if values are supported independently of each other, as with bit vectors, unary
    /// encoding and yes or no. Whatever depends on what, it is at most α·(1 + 1/2 + … + 1/k) for k values (Benjamini and Yekutieli, 2001).
    BenjaminiHochberg,
}

impl Estimates {
    pub(super) fn new(
        channel: Channel,
        supporting: Vec<u64>,
        respondents: u64,
        outside_bias: f64,
        is_choice: bool,
    ) -> Result<Self> {
        // What is wrong with one is wrong with all.
        Estimate::new(&channel, supporting.iter().copied().max().unwrap_or(0), respondents)?;
        Ok(Estimates { channel, supporting, respondents, outside_bias, is_choice })
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.supporting.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.supporting.is_empty()
    }

    /// How many reports there are.
    pub fn respondents(&self) -> u64 {
        self.respondents
    }

    /// How the reports depend on the answers.
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// The estimate of one value.
    pub fn get(&self, value: usize) -> Option<Estimate<'_>> {
        self.supporting.get(value).map(|&supporting| self.of(supporting))
    }

    /// The estimates of all values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Estimate<'_>> + '_ {
        self.supporting.iter().map(|&supporting| self.of(supporting))
    }

    fn of(&self, supporting: u64) -> Estimate<'_> {
        Estimate { channel: &self.channel, supporting, respondents: self.respondents }
    }

    /// How much each respondent whose answer is none of the values adds to the [count](Estimate::count) of every value. The reports do not tell how many there are;
    /// with m of them among n, each share is too large by m/n times this, and no interval knows of it.
    pub fn outside_bias(&self) -> f64 {
        self.outside_bias
    }

    /// An interval for each value, of which all together hold with a probability of at least `confidence`: those of
    /// [`Estimate::interval`] with as many times less room for error as there are values (Bonferroni).
    ///
    /// # Errors
    ///
    /// As there.
    pub fn simultaneous(&self, target: Target, confidence: f64) -> Result<Vec<Interval>> {
        self.intervals_missing(target, missed(confidence)? / self.len().max(1) as f64)
    }

    /// The [interval](Estimate::interval) of each value. Each of them holds with a probability of at least `confidence`, and all of them with less.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn intervals(&self, target: Target, confidence: f64) -> Result<Vec<Interval>> {
        self.intervals_missing(target, missed(confidence)?)
    }

    /// Equal counts have equal intervals, which are computed once.
    fn intervals_missing(&self, target: Target, missed: f64) -> Result<Vec<Interval>> {
        let mut known = BTreeMap::new();
        let interval = |supporting: &u64| {
            if let Some(interval) = known.get(supporting) {
                return Ok(*interval);
            }
            let interval = self.of(*supporting).bounds(target, missed)?;
            known.insert(*supporting, interval);
            Ok(interval)
        };
        self.supporting.iter().map(interval).collect()
    }

    /// The values that occur, from their [p-values](Estimate::p_value), in their order.
    ///
    /// If every answer is one of the values, that is. Where others add to every count, as [`outside_bias`](Estimates::outside_bias) says, many of them make every value look as if it
    /// occurred.
    ///
    /// # Errors
    ///
    /// An `alpha` that is not at least 10^−30 and at most 1/2.
    pub fn detected(&self, rule: Detection, alpha: f64) -> Result<Vec<usize>> {
        check_alpha(alpha)?;
        let p_values: Vec<f64> = self.iter().map(|estimate| estimate.p_value()).collect();
        Ok(rule.among(&p_values, alpha))
    }

    /// Shares that are not negative and 1 together, as those of one answer each are: the nearest ones to the unbiased shares, in the sum of squares (Held, Wolfe and Crowder, 1974).
    ///
    /// They look right and are nearer to the truth, much so where most shares are small, and they are biased: sums over values, differences and averages are to be taken of the unbiased ones.
    ///
    /// # Errors
    ///
    /// A question with several answers, whose shares are not 1 together.
    pub fn consistent(&self) -> Result<Vec<f64>> {
        if !self.is_choice {
            let problem = "an answer may be several of its values, or none";
            return Err(Error::invalid_parameter(
                "estimates",
                problem,
                "a question with one answer",
            ));
        }
        let shares: Vec<f64> = self.iter().map(|estimate| estimate.share()).collect();
        Ok(onto_simplex(&shares))
    }
}

impl Detection {
    /// The places of p-values that are small enough.
    pub(crate) fn among(self, p_values: &[f64], alpha: f64) -> Vec<usize> {
        let most = self.largest(p_values, alpha);
        let is_small = |i: &usize| most.is_some_and(|most| p_values[*i] <= most);
        (0..p_values.len()).filter(is_small).collect()
    }

    /// The largest p-value that is small enough.
    fn largest(self, p_values: &[f64], alpha: f64) -> Option<f64> {
        let each = alpha / p_values.len().max(1) as f64;
        match self {
            Detection::Bonferroni => Some(each),
            Detection::BenjaminiHochberg => {
                let mut sorted = p_values.to_vec();
                sorted.sort_by(f64::total_cmp);
                let is_small = |&(i, p): &(usize, &f64)| *p <= (i + 1) as f64 * each;
                sorted.iter().enumerate().rev().find(is_small).map(|(_, &p)| p)
            }
        }
    }
}

/// The difference of the shares of a value in two collections of reports, of different people.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The unbiased share in the one minus that in the other.
    pub share: f64,
    /// The standard error of that.
    pub standard_error: f64,
    /// It holds the difference with a probability of at least the confidence that was asked for.
    pub interval: Interval,
}

/// How the shares of a value differ in two collections, `one` minus `other`. They may have different mechanisms, but must be of different people, whose reports are independent.
///
/// The interval is from the lower bound of the one minus the upper bound of the other to the upper bound minus the lower, where both hold together with the confidence: each with its square root. That is
/// right for any number of reports and any noise, and about 1.6 times as long as the normal law would have it for many.
///
/// # Errors
///
/// As [`Estimate::interval`].
pub fn difference(
    one: &Estimate<'_>,
    other: &Estimate<'_>,
    target: Target,
    confidence: f64,
) -> Result<Difference> {
    missed(confidence)?;
    // 1 − √confidence, without the rounding of a number next to 1.
    let each = -f64::exp_m1(f64::ln_1p(confidence - 1.0) / 2.0);
    let (ours, theirs) = (one.bounds(target, each)?, other.bounds(target, each)?);
    Ok(Difference {
        share: one.share() - other.share(),
        standard_error: one.standard_error(target).hypot(other.standard_error(target)),
        interval: Interval { low: ours.low - theirs.high, high: ours.high - theirs.low },
    })
}

/// The nearest numbers that are not negative and 1 together: the same is taken off each, and what would be negative is 0.
fn onto_simplex(shares: &[f64]) -> Vec<f64> {
    let mut sorted = shares.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut off) = (0.0, 0.0);
    for (i, share) in sorted.iter().enumerate() {
        sum += share;
        let if_the_last = (sum - 1.0) / (i + 1) as f64;
        if *share > if_the_last {
            off = if_the_last;
        }
    }
    shares.iter().map(|share| (share - off).max(0.0)).collect()
}

#[cfg(test)]
mod tests;
