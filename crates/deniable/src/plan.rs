//! Before anybody is asked: which mechanism, how many respondents, which ε.
//!
//! A question with one of k answers can be asked in several ways that lose the same ε, and their estimates have different errors. [`candidates`] has all of them with
//! the best parameters for k and ε, [`best`] names the best one and says why. Each has a [`Channel`], which knows the
//! [standard error](Channel::standard_error) and the [smallest share](Channel::detectable) that so many respondents let one see, and
//! [how many](Channel::respondents_for) it takes for an [error](Channel::respondents_for) or to [see a share](Channel::respondents_to_detect).
//! [`epsilon_for`] and [`epsilon_to_detect`] go the other way, from the error to ε.
//!
//! ```
//! use deniable::Epsilon;
//! use deniable::estimate::Target;
//! use deniable::plan::{self, Oracle};
//!
//! // One of 128 answers, asked of 10 000 people.
//! let choice = plan::best(128, Epsilon::new(1.0)?, None)?;
//! assert!(matches!(choice.oracle(), Oracle::SubsetSelection { size: 34, .. }));
//! let error = choice.channel().standard_error(0.0, 10_000, Target::Population)?;
//! assert!((error - 0.019).abs() < 1e-4);
//! let share = choice.channel().detectable(10_000, 0.05 / 128.0, 0.8)?;
//! assert!(share.is_some_and(|share| share < 0.09));
//! println!("{}", choice.reason());
//! # Ok::<(), deniable::Error>(())
//! ```

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use deniable_sample::Ratio;

use crate::estimate::{Channel, Target, check_share};
use crate::mechanism::bound::exact;
use crate::mechanism::{local_hashing, randomized_response, subset_selection, unary_encoding};
use crate::{Epsilon, Error, Result};

/// A way of asking for one of k answers, with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Oracle {
    /// [`make_randomized_response`](crate::make_randomized_response).
    RandomizedResponse {
        /// The probability of the truth.
        prob: f64,
    },
    /// [`make_unary_encoding`](crate::make_unary_encoding), with the same probability of a lie for ones and zeros.
    SymmetricUnaryEncoding {
        /// The probability that the answer's bit is one.
        one: f64,
        /// The probability that another bit is one.
        zero: f64,
    },
    /// [`make_unary_encoding`](crate::make_unary_encoding), optimized.
    OptimizedUnaryEncoding {
        /// The probability that the answer's bit is one.
        one: f64,
        /// The probability that another bit is one.
        zero: f64,
    },
    /// [`make_subset_selection`](crate::make_subset_selection).
    SubsetSelection {
        /// How many categories a report names.
        size: usize,
        /// The probability that the answer is one of them.
        prob: f64,
    },
    /// [`make_local_hashing`](crate::make_local_hashing).
    LocalHashing {
        /// The number of buckets.
        buckets: usize,
        /// The probability of the answer's bucket.
        prob: f64,
    },
}

impl Oracle {
    fn channel(self, k: usize) -> Result<Channel> {
        let one_of = |n: usize| Ratio::new(1u32, n);
        let (truth, lie) = match self {
            Oracle::RandomizedResponse { prob } => return Channel::categories(k, prob),
            Oracle::SymmetricUnaryEncoding { one, zero }
            | Oracle::OptimizedUnaryEncoding { one, zero } => (exact(one), exact(zero)),
            Oracle::SubsetSelection { size, prob } => {
                return Channel::subsets(k, size, prob);
            }
            Oracle::LocalHashing { buckets, prob } => (exact(prob), one_of(buckets)?),
        };
        Channel::new(&truth, &lie)
    }

    /// The bits of a report as this crate's mechanisms make it.
    fn report_bits(self, k: usize) -> u64 {
        let place = |k: usize| u64::from((k - 1).checked_ilog2().map_or(0, |bits| bits + 1));
        match self {
            Oracle::RandomizedResponse { .. } => place(k),
            Oracle::LocalHashing { .. } => 16 * (place(k) + 2),
            _ => k as u64,
        }
    }
}

impl fmt::Display for Oracle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Oracle::RandomizedResponse { .. } => f.write_str("randomized response"),
            Oracle::SymmetricUnaryEncoding { .. } => f.write_str("symmetric unary encoding"),
            Oracle::OptimizedUnaryEncoding { .. } => f.write_str("optimized unary encoding"),
            Oracle::SubsetSelection { size, .. } => write!(f, "subsets of {size}"),
            Oracle::LocalHashing { buckets, .. } => {
                write!(f, "local hashing into {buckets} buckets")
            }
        }
    }
}

/// A way of asking, and what comes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    oracle: Oracle,
    channel: Channel,
    variance: f64,
    typical_variance: f64,
    report_bits: u64,
}

impl Candidate {
    fn new(oracle: Oracle, k: usize) -> Result<Self> {
        let channel = oracle.channel(k)?;
        let variance = |share: f64| -> Result<f64> {
            channel.standard_error(share, 1, Target::Sample).map(|error| error * error)
        };
        let (rare, typical) = (variance(0.0)?, variance(1.0 / k as f64)?);
        Ok(Candidate {
            oracle,
            variance: rare,
            typical_variance: typical,
            report_bits: oracle.report_bits(k),
            channel,
        })
    }

    /// The mechanism and its parameters.
    pub fn oracle(&self) -> Oracle {
        self.oracle
    }

    /// How its reports depend on the answers.
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// n times the variance of the estimated share of a value that nobody answers, with n respondents.
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// The same for a value that one in k answers, as the average value is: by it ways of asking are ranked. Only the noise counts.
    pub fn typical_variance(&self) -> f64 {
        self.typical_variance
    }

    /// The bits of a report.
    pub fn report_bits(&self) -> u64 {
        self.report_bits
    }
}

/// The best way of asking, and the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Recommendation {
    /// The best first.
    ranked: Vec<Candidate>,
    reason: String,
}

impl Recommendation {
    /// The mechanism and its parameters.
    pub fn oracle(&self) -> Oracle {
        self.best().oracle
    }

    /// How its reports depend on the answers.
    pub fn channel(&self) -> &Channel {
        &self.best().channel
    }

    /// The best.
    pub fn best(&self) -> &Candidate {
        &self.ranked[0]
    }

    /// The others, the better ones first; those with reports that are too long last.
    pub fn others(&self) -> &[Candidate] {
        &self.ranked[1..]
    }

    /// Why it is the best, in words.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// All ways of asking for one of k answers that lose at most `epsilon`, each with the parameters that make its error smallest.
///
/// # Errors
///
/// Fewer than two answers, or 2^32 and more; an `epsilon` so small that no float is a probability that stays within it.
pub fn candidates(k: usize, epsilon: Epsilon) -> Result<Vec<Candidate>> {
    let (one, zero) = unary_encoding::symmetric(epsilon)?;
    let symmetric = Oracle::SymmetricUnaryEncoding { one, zero };
    let (one, zero) = unary_encoding::optimized(epsilon)?;
    let optimized = Oracle::OptimizedUnaryEncoding { one, zero };
    let size = subset_selection::best_size(k, epsilon)?;
    let subsets =
        Oracle::SubsetSelection { size, prob: subset_selection::largest_prob(k, size, epsilon)? };
    let buckets = local_hashing::best_buckets(epsilon);
    let hashing =
        Oracle::LocalHashing { buckets, prob: local_hashing::largest_prob(buckets, epsilon)? };
    let response =
        Oracle::RandomizedResponse { prob: randomized_response::largest_prob(k, epsilon)? };
    let all = [response, symmetric, optimized, subsets, hashing];
    all.into_iter().map(|oracle| Candidate::new(oracle, k)).collect()
}

/// The way of asking with the smallest error, at the [average share](Candidate::typical_variance), whose reports have at most so many bits, if that is limited. Of two that are as good, it is the one with the shorter
/// reports.
///
/// For the shares that are far above the average another may be better; [`candidates`] has all of them.
///
/// # Errors
///
/// As [`candidates`]; no way with so few bits.
pub fn best(k: usize, epsilon: Epsilon, most_bits: Option<u64>) -> Result<Recommendation> {
    let mut ranked = candidates(k, epsilon)?;
    let fits = |candidate: &Candidate| most_bits.is_none_or(|most| candidate.report_bits <= most);
    let variance = |candidate: &Candidate| candidate.typical_variance;
    ranked.sort_by(|a, b| fits(b).cmp(&fits(a)).then(variance(a).total_cmp(&variance(b))));
    // Rounding may make those that are as good differ.
    let least = variance(&ranked[0]) * (1.0 + 1e-9);
    let as_good = ranked.iter().take_while(|other| fits(other) && variance(other) <= least);
    let shortest = as_good.enumerate().min_by_key(|(_, candidate)| candidate.report_bits);
    let first = shortest.map_or(0, |(first, _)| first);
    ranked[..=first].rotate_right(1);
    if !fits(&ranked[0]) {
        let shortest = ranked.iter().map(|candidate| candidate.report_bits).min().unwrap_or(0);
        let accepted = format!("at least {shortest} bits");
        return Err(Error::invalid_parameter("most_bits", "no report is so short", accepted));
    }
    let reason = reason(&ranked, k, most_bits);
    Ok(Recommendation { ranked, reason })
}

fn reason(ranked: &[Candidate], k: usize, most_bits: Option<u64>) -> String {
    let (best, next) = (&ranked[0], &ranked[1]);
    let limit = most_bits.map_or(String::new(), |most| format!(" of at most {most} bits a report"));
    let mut reason = format!(
        "{}: of the ways{limit} to ask for one of {k} answers it has the smallest error, n·Var = {:.4} for an average one.",
        best.oracle, best.typical_variance,
    );
    let percent =
        |other: &Candidate| 100.0 * (other.typical_variance / best.typical_variance - 1.0);
    let bits = |candidate: &Candidate| candidate.report_bits;
    reason += &format!(" The next is {}, {:.1} % more.", next.oracle, percent(next));
    let shorter = ranked.iter().filter(|other| bits(other) < bits(best));
    if let Some(shorter) = shorter.min_by(|a, b| a.typical_variance.total_cmp(&b.typical_variance))
    {
        reason += &format!(
            " A report has {} bits; {} for {:.1} % more variance with {}.",
            bits(best),
            bits(shorter),
            percent(shorter),
            shorter.oracle,
        );
    }
    reason
}

/// The smallest ε, to a thousandth of it, with which the best way of asking for one of k answers has a standard error of at most `error` for a rare answer, with so many
/// respondents; at least [`SMALLEST_EPSILON`]. None if that takes more than [`LARGEST_EPSILON`].
///
/// # Errors
///
/// Fewer than two answers; no respondents; an `error` that is not above 0.
pub fn epsilon_for(k: usize, error: f64, respondents: u64) -> Result<Option<Epsilon>> {
    if !(error > 0.0 && error.is_finite()) {
        return Err(Error::invalid_parameter("error", "it is not above 0", "a number above 0"));
    }
    smallest_epsilon(k, |channel| {
        Ok(channel.standard_error(0.0, respondents, Target::Population)? <= error)
    })
}

/// An ε with which the best way of asking for one of k answers lets so many respondents [detect](Channel::detectable) an answer of this share, and near the smallest one: at most a
/// thousandth above one that is not enough. It is at least [`SMALLEST_EPSILON`]. None if that takes more than [`LARGEST_EPSILON`].
///
/// # Errors
///
/// As [`Channel::detectable`]; fewer than two answers; a `share` that is not from 0 to 1.
pub fn epsilon_to_detect(
    k: usize,
    share: f64,
    respondents: u64,
    alpha: f64,
    power: f64,
) -> Result<Option<Epsilon>> {
    check_share(share)?;
    smallest_epsilon(k, |channel| {
        Ok(channel.detectable(respondents, alpha, power)?.is_some_and(|least| least <= share))
    })
}

/// No smaller ε is looked for.
pub const SMALLEST_EPSILON: f64 = 1e-9;

/// No larger ε is looked for: a lie is then rarer than one in 10^8.
pub const LARGEST_EPSILON: f64 = 20.0;

/// The error falls as ε grows.
fn smallest_epsilon(
    k: usize,
    is_enough: impl Fn(&Channel) -> Result<bool>,
) -> Result<Option<Epsilon>> {
    let accepts = |epsilon: f64| is_enough(best(k, Epsilon::new(epsilon)?, None)?.channel());
    let (mut too_small, mut enough) = (SMALLEST_EPSILON, LARGEST_EPSILON);
    if !accepts(enough)? {
        return Ok(None);
    }
    while enough / too_small > 1.001 {
        let middle = (enough * too_small).sqrt();
        if accepts(middle)? { enough = middle } else { too_small = middle }
    }
    Epsilon::new(enough).map(Some)
}

#[cfg(test)]
mod tests;
