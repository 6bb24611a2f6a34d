//! Reports of each cohort, counted.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::{Params, Report};
use crate::estimate::BitCounts;
use crate::{Error, Result};

/// For each cohort the number of its reports, and how many of them have a one at each bit.
///
/// Its size does not grow with the number of reports. Counts made apart are merged. They can be written and read; what is read is checked. For
/// the reference implementation's file see [`CohortCounts::read_csv`].
///
/// ```
/// use deniable::BitVector;
/// use deniable::rappor::{CohortCounts, Params, Report};
///
/// let params = Params::new(2, 1, 3, 0.25, 0.75, 0.5)?;
/// let mut counts = CohortCounts::new(&params);
/// counts.add(&Report::new(2, BitVector::from([true, false])))?;
/// assert_eq!((counts.reports(), counts.cohorts()[2].ones()), (1, [1, 0].to_vec()));
/// assert!(counts.add(&Report::new(3, BitVector::zeros(2))).is_err());
/// assert!(counts.add(&Report::new(0, BitVector::zeros(3))).is_err());
/// # Ok::<(), deniable::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct CohortCounts {
    /// At least one, all of one length.
    cohorts: Vec<BitCounts>,
}

impl CohortCounts {
    /// No reports yet.
    pub fn new(params: &Params) -> Self {
        CohortCounts { cohorts: vec![BitCounts::new(params.k()); params.m()] }
    }

    /// The counts of each cohort.
    pub fn cohorts(&self) -> &[BitCounts] {
        &self.cohorts
    }

    /// The number of bits of a report.
    pub fn length(&self) -> usize {
        self.cohorts[0].length()
    }

    /// How many reports were added, to all cohorts.
    pub fn reports(&self) -> u64 {
        self.cohorts.iter().map(BitCounts::reports).sum()
    }

    /// Whether they are counts of these parameters: as many cohorts, of as many bits.
    pub fn fits(&self, params: &Params) -> bool {
        (self.cohorts.len(), self.length()) == (params.m(), params.k())
    }

    /// Adds one report.
    ///
    /// # Errors
    ///
    /// A report of another length, or of a cohort that there is none of.
    pub fn add(&mut self, report: &Report) -> Result<()> {
        self.check(report, 0)?;
        self.cohorts[report.cohort()].add(report.bits())
    }

    /// Adds many reports.
    ///
    /// # Errors
    ///
    /// As [`CohortCounts::add`]. Then none of them is added.
    pub fn add_all(&mut self, reports: &[Report]) -> Result<()> {
        for (index, report) in reports.iter().enumerate() {
            self.check(report, index)?;
        }
        reports.iter().try_for_each(|report| self.cohorts[report.cohort()].add(report.bits()))
    }

    /// Adds what was counted elsewhere.
    ///
    /// # Errors
    ///
    /// Counts of another length or another number of cohorts, or of more than 2^63 reports in all. Then none of them is added.
    pub fn merge(&mut self, other: &CohortCounts) -> Result<()> {
        if (other.cohorts.len(), other.length()) != (self.cohorts.len(), self.length()) {
            let problem = "it has other cohorts, or another length";
            return Err(Error::invalid_parameter(
                "other",
                problem,
                "counts of the same parameters",
            ));
        }
        check_reports("other", [self, other].map(CohortCounts::reports))?;
        let mut both = self.cohorts.iter_mut().zip(&other.cohorts);
        both.try_for_each(|(cohort, other)| cohort.merge(other))
    }

    /// From the counts of each cohort.
    ///
    /// # Errors
    ///
    /// No cohorts; cohorts of different lengths; more than 2^63 reports in all.
    pub fn from_cohorts(cohorts: Vec<BitCounts>) -> Result<Self> {
        let Some(first) = cohorts.first() else {
            return Err(Error::invalid_parameter("cohorts", "there are none", "one or more"));
        };
        if cohorts.iter().any(|cohort| cohort.length() != first.length()) {
            let problem = "they have different lengths";
            return Err(Error::invalid_parameter("cohorts", problem, "counts of one length"));
        }
        check_reports("cohorts", cohorts.iter().map(BitCounts::reports))?;
        Ok(CohortCounts { cohorts })
    }

    /// Whether a report, number `index` from 0, can be added.
    fn check(&self, report: &Report, index: usize) -> Result<()> {
        let problem = match self.cohorts.get(report.cohort()) {
            None => "has a cohort that there is none of",
            Some(cohort) if report.bits().len() != cohort.length() => "has another length",
            Some(_) => return Ok(()),
        };
        let problem = format!("report number {} {problem}", index + 1);
        let (cohorts, length) = (self.cohorts.len(), self.length());
        let accepted = format!("reports of {length} bits, of a cohort below {cohorts}");
        Err(Error::invalid_parameter("reports", problem, accepted))
    }
}

/// Counts as they are written. What is read becomes [`CohortCounts`] only if it could have been counted.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    cohorts: Vec<BitCounts>,
}

impl From<CohortCounts> for Written {
    fn from(counts: CohortCounts) -> Self {
        Written { cohorts: counts.cohorts }
    }
}

impl TryFrom<Written> for CohortCounts {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self> {
        CohortCounts::from_cohorts(written.cohorts)
    }
}

/// So few in all that no sum of them overflows.
fn check_reports(parameter: &'static str, reports: impl IntoIterator<Item = u64>) -> Result<()> {
    let total = reports.into_iter().try_fold(0, u64::checked_add);
    if total.is_some_and(|total| total <= 1 << 63) {
        return Ok(());
    }
    Err(Error::invalid_parameter(parameter, "there are too many reports", "at most 2^63 reports"))
}
