//! Mechanisms whose reports are counted.

use alloc::vec::Vec;
use core::hash::Hash;

use deniable_sample::Ratio;
use num_bigint::BigUint;

use super::counts::no_reports;
use super::{BitCounts, Channel, Estimates};
use crate::domain::Carrier;
use crate::mechanism::bound::exact;
use crate::mechanism::local_hashing::HashedReport;
use crate::{
    BitVector, Error, LocalHashing, LocalRandomizer, Measurement, RandomizedResponse,
    RandomizedResponseBitvec, RandomizedResponseBool, Result, SubsetSelection, UnaryEncoding,
};

/// A local mechanism whose reports tell how many respondents answered what: each report *supports* some of its values.
///
/// What is estimated are numbers of respondents, one for each value. All values have the same [`Channel`], so that the number of reports that
/// support a value is all that an estimate needs. Reports are counted as they come, on several machines if need be, and forgotten.
///
/// ```
/// use deniable::estimate::{BitCounts, FrequencyOracle};
/// use deniable::prelude::*;
///
/// let drink = make_randomized_response(["tea", "coffee", "other"], 0.8)?;
/// let mut counts = BitCounts::new(drink.values());
/// drink.count(&["tea", "tea", "other"], &mut counts)?;
/// assert_eq!(counts.ones(), [2, 0, 1]);
/// # Ok::<(), deniable::Error>(())
/// ```
pub trait FrequencyOracle: LocalRandomizer
where
    Carrier<Self::Domain>: Sized,
{
    /// How many values there are.
    fn values(&self) -> usize;

    /// How the reports depend on the answers.
    ///
    /// # Errors
    ///
    /// Parameters with which the reports say nothing.
    fn channel(&self) -> Result<Channel>;

    /// The probability that a report supports a value if the answer is none of the values; nothing if there are no such answers.
    fn outside(&self) -> Option<Ratio>;

    /// Whether an answer is one value and no other, so that the shares of all values are 1 together.
    fn is_choice(&self) -> bool;

    /// Adds to the counts, for each report, a one at each value that it supports.
    ///
    /// # Errors
    ///
    /// Counts of more or fewer values; a report that this mechanism does not make. Then none of them is added.
    fn count(&self, reports: &[Self::Output], counts: &mut BitCounts) -> Result<()>;

    /// What the counted reports say of each value.
    ///
    /// # Errors
    ///
    /// Counts of more or fewer values, or of no reports; parameters with which the reports say nothing.
    fn estimate(&self, counts: &BitCounts) -> Result<Estimates> {
        check_counts(self.values(), counts)?;
        if counts.reports() == 0 {
            return Err(no_reports("counts"));
        }
        let channel = self.channel()?;
        let bias = self.outside().map_or(0.0, |support| channel.bias(&support));
        Estimates::new(channel, counts.ones(), counts.reports(), bias, self.is_choice())
    }
}

/// Whether the counts are those of so many values.
pub(crate) fn check_counts(values: usize, counts: &BitCounts) -> Result<()> {
    if counts.length() == values {
        return Ok(());
    }
    let problem = format!("they are of {} values", counts.length());
    Err(Error::invalid_parameter("counts", problem, format!("counts of {values} values")))
}

impl FrequencyOracle for RandomizedResponseBool {
    /// One: yes.
    fn values(&self) -> usize {
        1
    }

    fn channel(&self) -> Result<Channel> {
        Channel::bool(self.prob())
    }

    fn outside(&self) -> Option<Ratio> {
        None
    }

    fn is_choice(&self) -> bool {
        false
    }

    fn count(&self, reports: &[bool], counts: &mut BitCounts) -> Result<()> {
        check_counts(1, counts)?;
        let yes = reports.iter().filter(|&&report| report).count();
        counts.add_summed(&[yes as u64], reports.len() as u64);
        Ok(())
    }
}

impl<T: Eq + Hash + Clone + Send + Sync> FrequencyOracle for RandomizedResponse<T> {
    fn values(&self) -> usize {
        self.categories().len()
    }

    fn channel(&self) -> Result<Channel> {
        let channel = Channel::categories(self.values(), self.prob())?;
        if channel.signal() > 0.0 {
            return Ok(channel);
        }
        let problem = "it is below 1/t, and the reports say next to nothing";
        Err(Error::invalid_parameter("prob", problem, "a number above 1/t, below 1"))
    }

    /// Any category is as likely.
    fn outside(&self) -> Option<Ratio> {
        Ratio::new(1u32, self.values()).ok()
    }

    fn is_choice(&self) -> bool {
        true
    }

    fn count(&self, reports: &[T], counts: &mut BitCounts) -> Result<()> {
        check_counts(self.values(), counts)?;
        counts.add_places(&places_of(reports, |report| self.index_of(report))?)
    }
}

/// The places of reports that are categories.
pub(super) fn places_of<T>(
    reports: &[T],
    index_of: impl Fn(&T) -> Option<usize>,
) -> Result<Vec<u32>> {
    let place = |(number, report)| {
        index_of(report).map(|place| place as u32).ok_or_else(|| {
            let problem = format!("report number {} is none of the categories", number + 1);
            Error::invalid_parameter("reports", problem, "reports of this mechanism")
        })
    };
    reports.iter().enumerate().map(place).collect()
}

impl<T: Eq + Hash + Clone + Send + Sync> FrequencyOracle for LocalHashing<T> {
    fn values(&self) -> usize {
        self.categories().len()
    }

    /// `prob` for the answer itself, and one in the number of buckets for any other.
    fn channel(&self) -> Result<Channel> {
        let (prob, buckets) = (exact(self.prob()), BigUint::from(self.buckets()));
        let (truth, lie) = (prob.numerator() * &buckets, prob.denominator().clone());
        if truth > lie {
            return Ok(Channel::from_parts(truth, lie, prob.denominator() * buckets));
        }
        let problem = "it is not above 1/g, and the reports say nothing";
        Err(Error::invalid_parameter("prob", problem, "a number above 1/g, below 1"))
    }

    /// As likely as for any other answer.
    fn outside(&self) -> Option<Ratio> {
        Ratio::new(1u32, self.buckets()).ok()
    }

    fn is_choice(&self) -> bool {
        true
    }

    fn count(&self, reports: &[HashedReport], counts: &mut BitCounts) -> Result<()> {
        check_counts(self.values(), counts)?;
        self.count_reports(reports, counts)
    }
}

impl<T: Eq + Hash + Clone + Send + Sync> FrequencyOracle for UnaryEncoding<T> {
    fn values(&self) -> usize {
        self.categories().len()
    }

    fn channel(&self) -> Result<Channel> {
        Channel::new(&exact(self.one()), &exact(self.zero()))
    }

    /// As likely as if the answer is another value.
    fn outside(&self) -> Option<Ratio> {
        Some(exact(self.zero()))
    }

    fn is_choice(&self) -> bool {
        true
    }

    fn count(&self, reports: &[BitVector], counts: &mut BitCounts) -> Result<()> {
        check_counts(self.values(), counts)?;
        counts.add_all(reports)
    }
}

impl<T: Eq + Hash + Clone + Send + Sync> FrequencyOracle for SubsetSelection<T> {
    fn values(&self) -> usize {
        self.categories().len()
    }

    fn channel(&self) -> Result<Channel> {
        Channel::subsets(self.values(), self.size(), self.prob()).map_err(|_| {
            let problem = "it is not above size/k, and the reports say next to nothing";
            Error::invalid_parameter("prob", problem, "a number above size/k, below 1")
        })
    }

    /// Any subset is as likely.
    fn outside(&self) -> Option<Ratio> {
        Ratio::new(self.size(), self.values()).ok()
    }

    fn is_choice(&self) -> bool {
        true
    }

    fn count(&self, reports: &[BitVector], counts: &mut BitCounts) -> Result<()> {
        check_counts(self.values(), counts)?;
        let is_other = |report: &BitVector| report.count_ones() != self.size();
        if let Some(index) = reports.iter().position(is_other) {
            let problem = format!("report number {} has more or fewer ones", index + 1);
            let accepted = format!("reports of this mechanism, with {} ones each", self.size());
            return Err(Error::invalid_parameter("reports", problem, accepted));
        }
        counts.add_all(reports)
    }
}

impl FrequencyOracle for RandomizedResponseBitvec {
    fn values(&self) -> usize {
        self.input_domain().length()
    }

    fn channel(&self) -> Result<Channel> {
        Channel::bitvec(self.f())
    }

    fn outside(&self) -> Option<Ratio> {
        None
    }

    fn is_choice(&self) -> bool {
        false
    }

    fn count(&self, reports: &[BitVector], counts: &mut BitCounts) -> Result<()> {
        check_counts(self.values(), counts)?;
        counts.add_all(reports)
    }
}
