//! How many reports have a one at each place, without keeping the reports.

use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use super::planes::Planes;
use crate::mechanism::randomized_response::CategoryIndex;
use crate::{BitVector, Error, Result};

/// Counts of ones at each place of bit vectors of one length, which reports are added to as they come.
///
/// Its size does not grow with the number of reports. Counts made apart, on other machines say, are merged. They can be
/// written and read; what is read is checked.
///
/// ```
/// use deniable::BitVector;
/// use deniable::estimate::BitCounts;
///
/// let mut counts = BitCounts::new(2);
/// counts.add(&BitVector::from([true, false]))?;
/// counts.add_all(&[BitVector::from([true, true]), BitVector::from([false, false])])?;
/// assert_eq!((counts.reports(), counts.ones()), (3, [2, 1].to_vec()));
/// assert!(counts.add(&BitVector::zeros(3)).is_err());
/// # Ok::<(), deniable::Error>(())
/// ```
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct BitCounts {
    reports: u64,
    /// What was moved out of the planes.
    ones: Vec<u64>,
    planes: Planes,
}

/// So many reports of an iterator are collected, and then added together.
const GROUP: usize = 64;

impl BitCounts {
    /// No reports yet, of this many bits.
    pub fn new(length: usize) -> Self {
        BitCounts { reports: 0, ones: vec![0; length], planes: Planes::new(length) }
    }

    /// What was counted elsewhere: the number of reports, and how many of them have a one at each place.
    ///
    /// # Errors
    ///
    /// More than 2^63 reports; more ones than reports.
    pub fn from_ones(reports: u64, ones: Vec<u64>) -> Result<Self> {
        check_reports("reports", reports)?;
        if ones.iter().any(|&ones| ones > reports) {
            let problem = "there are more ones than reports";
            return Err(Error::invalid_parameter("ones", problem, "numbers up to that of reports"));
        }
        Ok(BitCounts { reports, planes: Planes::new(ones.len()), ones })
    }

    /// The number of bits of a report.
    pub fn length(&self) -> usize {
        self.ones.len()
    }

    /// How many reports were added.
    pub fn reports(&self) -> u64 {
        self.reports
    }

    /// How many of them have a one, at each place.
    pub fn ones(&self) -> Vec<u64> {
        let mut ones = self.ones.clone();
        self.planes.add_to(&mut ones);
        ones
    }

    /// Adds one report.
    ///
    /// # Errors
    ///
    /// A report of another length.
    pub fn add(&mut self, report: &BitVector) -> Result<()> {
        self.check(report, 0)?;
        self.add_checked(core::slice::from_ref(report).iter());
        Ok(())
    }

    /// Adds many reports.
    ///
    /// # Errors
    ///
    /// A report of another length. Then none of them is added.
    pub fn add_all(&mut self, reports: &[BitVector]) -> Result<()> {
        for (index, report) in reports.iter().enumerate() {
            self.check(report, index)?;
        }
        self.add_checked(reports.iter());
        Ok(())
    }

    /// Adds reports that have a one at one place each, given as that place, from 0.
    ///
    /// # Errors
    ///
    /// A place behind the end. Then none of them is added.
    ///
    /// ```
    /// use deniable::estimate::BitCounts;
    ///
    /// let mut counts = BitCounts::new(3);
    /// counts.add_places(&[0u8, 2, 2])?;
    /// assert_eq!((counts.reports(), counts.ones()), (3, [1, 0, 2].to_vec()));
    /// assert!(counts.add_places(&[1u8, 3]).is_err());
    /// # Ok::<(), deniable::Error>(())
    /// ```
    pub fn add_places<I: CategoryIndex>(&mut self, places: &[I]) -> Result<()> {
        let length = self.length();
        let is_behind = |&place: &I| place.into() as usize >= length;
        if let Some(index) = places.iter().position(is_behind) {
            let problem = format!("number {} is behind the last of {length} places", index + 1);
            return Err(Error::invalid_parameter("places", problem, "places of a report"));
        }
        for &place in places {
            self.ones[place.into() as usize] += 1;
        }
        self.reports += places.len() as u64;
        Ok(())
    }

    /// Adds reports that were counted already, and have no more ones at a place than they are.
    pub(crate) fn add_summed(&mut self, ones: &[u64], reports: u64) {
        for (sum, ones) in self.ones.iter_mut().zip(ones) {
            *sum += ones;
        }
        self.reports += reports;
    }

    /// Adds reports up to the first of another length.
    pub(super) fn add_each<'a>(
        &mut self,
        reports: impl IntoIterator<Item = &'a BitVector>,
    ) -> Result<()> {
        let mut group = Vec::with_capacity(GROUP);
        for (index, report) in reports.into_iter().enumerate() {
            self.check(report, index)?;
            group.push(report);
            if group.len() == GROUP {
                self.add_checked(group.iter().copied());
                group.clear();
            }
        }
        self.add_checked(group.iter().copied());
        Ok(())
    }

    /// Adds reports of the right length.
    fn add_checked<'a>(&mut self, reports: impl ExactSizeIterator<Item = &'a BitVector>) {
        self.reports += reports.len() as u64;
        self.planes.add_each(reports.map(BitVector::as_words), &mut self.ones);
    }

    /// Adds reports that lie one after the other, each [`BitVector::as_words`]: one word for every 64 bits, with zeros behind
    /// the last bit. It is the fastest way of adding.
    ///
    /// Reports of no bits take no words, so that nobody can tell how many they are: none is added.
    ///
    /// # Errors
    ///
    /// Words that are not whole reports; a one behind the last bit of a report. Then none of them is added.
    ///
    /// ```
    /// use deniable::estimate::BitCounts;
    ///
    /// let mut counts = BitCounts::new(65);
    /// counts.add_rows(&[0b01, 1, 0b11, 0])?;
    /// assert_eq!((counts.reports(), &counts.ones()[..2]), (2, &[2, 1][..]));
    /// assert!(counts.add_rows(&[0b01, 1, 0b11]).is_err());
    /// assert!(counts.add_rows(&[0b01, 2]).is_err());
    /// assert_eq!(counts.reports(), 2);
    /// # Ok::<(), deniable::Error>(())
    /// ```
    pub fn add_rows(&mut self, rows: &[u64]) -> Result<()> {
        let words = self.length().div_ceil(64);
        let reports = rows.len().checked_div(words).unwrap_or(0);
        if reports * words != rows.len() {
            return Err(bad_rows("they are not whole reports"));
        }
        self.planes.add_packed(rows, &mut self.ones);
        if self.planes.have_strays() {
            self.take_back(rows);
            return Err(bad_rows("a report has a one behind its last bit"));
        }
        self.reports += reports as u64;
        Ok(())
    }

    /// Takes rows off the counts again, by counting them a second time. This way good rows are read only once.
    #[cold]
    fn take_back(&mut self, rows: &[u64]) {
        let mut again = BitCounts::new(self.length());
        again.planes.add_packed(rows, &mut again.ones);
        let ones = self.ones().iter().zip(again.ones()).map(|(ones, again)| ones - again).collect();
        *self = BitCounts { ones, reports: self.reports, ..BitCounts::new(self.length()) };
    }

    /// Adds what was counted elsewhere.
    ///
    /// # Errors
    ///
    /// Counts of another length, or of more than 2^63 reports in all.
    pub fn merge(&mut self, other: &BitCounts) -> Result<()> {
        if other.length() != self.length() {
            return Err(another_length("other", "it has another length"));
        }
        check_reports("other", self.reports.saturating_add(other.reports))?;
        other.ones().iter().zip(&mut self.ones).for_each(|(more, ones)| *ones += more);
        self.reports += other.reports;
        Ok(())
    }

    /// Whether a report, number `index` from 0, has the right length.
    fn check(&self, report: &BitVector, index: usize) -> Result<()> {
        if report.len() == self.length() {
            return Ok(());
        }
        Err(another_length("reports", format!("report number {} has another length", index + 1)))
    }
}

impl PartialEq for BitCounts {
    /// The same counts, whatever is still in the planes.
    fn eq(&self, other: &Self) -> bool {
        self.reports == other.reports && self.ones() == other.ones()
    }
}

impl Eq for BitCounts {}

impl fmt::Debug for BitCounts {
    /// Without the reports that wait to be counted.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BitCounts")
            .field("length", &self.length())
            .field("reports", &self.reports)
            .finish_non_exhaustive()
    }
}

/// Counts as they are written. What is read becomes [`BitCounts`] only if it could have been counted.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    reports: u64,
    ones: Vec<u64>,
}

impl From<BitCounts> for Written {
    fn from(counts: BitCounts) -> Self {
        Written { reports: counts.reports, ones: counts.ones() }
    }
}

impl TryFrom<Written> for BitCounts {
    type Error = Error;

    fn try_from(Written { reports, ones }: Written) -> Result<Self> {
        BitCounts::from_ones(reports, ones)
    }
}

fn bad_rows(problem: &'static str) -> Error {
    let accepted = "one word for every 64 bits of a report, with zeros behind the last bit";
    Error::invalid_parameter("rows", problem, accepted)
}

fn another_length(
    parameter: &'static str,
    problem: impl Into<alloc::borrow::Cow<'static, str>>,
) -> Error {
    Error::invalid_parameter(parameter, problem, "reports of one length")
}

/// So few that counting on never overflows: nobody adds 2^63 reports to what was merged or read.
fn check_reports(parameter: &'static str, reports: u64) -> Result<()> {
    if reports <= 1 << 63 {
        return Ok(());
    }
    Err(Error::invalid_parameter(parameter, "there are too many reports", "at most 2^63 reports"))
}

/// There is nothing to estimate from.
pub(super) fn no_reports(parameter: &'static str) -> Error {
    Error::invalid_parameter(parameter, "there are none", "at least one report")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::words;

    fn reports(length: usize, count: usize) -> Vec<BitVector> {
        let random = words(length as u64, count * length.div_ceil(64).max(1));
        let row = |i: usize| BitVector::from_packed(&random, i * length.div_ceil(64) * 64, length);
        (0..count).map(|i| row(i).unwrap()).collect()
    }

    fn packed(reports: &[BitVector]) -> Vec<u64> {
        reports.iter().flat_map(BitVector::as_words).copied().collect()
    }

    /// One bit at a time.
    fn plainly(length: usize, reports: &[BitVector]) -> Vec<u64> {
        let count = |place| reports.iter().filter(|bits| bits.get(place) == Some(true)).count();
        (0..length).map(|place| count(place) as u64).collect()
    }

    /// Reports added in groups of this size, each group in another of the three ways.
    fn mixed(length: usize, reports: &[BitVector], size: usize) -> BitCounts {
        let mut counts = BitCounts::new(length);
        for (i, group) in reports.chunks(size).enumerate() {
            match i % 3 {
                0 => counts.add_all(group).unwrap(),
                1 => group.iter().for_each(|report| counts.add(report).unwrap()),
                _ => counts.add_rows(&packed(group)).unwrap(),
            }
        }
        counts
    }

    #[test]
    fn counts_are_those_of_one_bit_at_a_time() {
        for length in [1, 5, 63, 64, 65, 200, 1024, 1025] {
            for count in [0, 1, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1100] {
                let reports = reports(length, count);
                let expected = plainly(length, &reports);
                let mut each = BitCounts::new(length);
                each.add_each(&reports).unwrap();
                let mut rows = BitCounts::new(length);
                rows.add_rows(&packed(&reports)).unwrap();
                let some = [1, 2, 7, 16, 100, 2000].map(|size| mixed(length, &reports, size));
                for counts in some.into_iter().chain([each, rows]) {
                    assert_eq!(counts.ones(), expected, "{length} {count}");
                    assert_eq!(counts.reports(), count as u64, "{length} {count}");
                }
            }
        }
    }

    /// So many short reports that the planes are full, in all ways of adding.
    #[test]
    fn nothing_is_lost_when_the_planes_are_full() {
        let ones = vec![BitVector::from(vec![true; 1100]); 10_000];
        for size in [1, 3, 50, 3000] {
            assert_eq!(mixed(1100, &ones, size).ones(), vec![10_000; 1100]);
        }
    }

    #[test]
    fn asking_for_the_counts_does_not_change_them() {
        let reports = reports(70, 600);
        let mut counts = BitCounts::new(70);
        for (i, report) in reports.iter().enumerate() {
            counts.add(report).unwrap();
            if i % 59 == 0 {
                assert_eq!(counts.ones(), plainly(70, &reports[..=i]));
            }
        }
        assert_eq!(counts.ones(), counts.ones());
    }

    #[test]
    fn rows_that_are_no_reports_add_nothing() {
        let accepted = "one word for every 64 bits of a report, with zeros behind the last bit";
        for (length, before) in [(1, 0), (63, 5), (65, 700), (100, 17), (1000, 9000)] {
            let words = usize::div_ceil(length, 64);
            let mut counts = mixed(length, &reports(length, before), 300);
            let (ones, rows) = (counts.ones(), packed(&reports(length, 5000)));
            for bad in [0, 1, 999, 4998, 4999] {
                let mut rows = rows.clone();
                rows[bad * words + words - 1] |= 1 << 63;
                let error = counts.add_rows(&rows).unwrap_err();
                let expected = format!(
                    "invalid rows: a report has a one behind its last bit; accepted is {accepted}"
                );
                assert_eq!((error.parameter(), error.to_string()), (Some("rows"), expected));
                assert_eq!((counts.reports(), counts.ones()), (before as u64, ones.clone()));
            }
            if words > 1 {
                let error = counts.add_rows(&rows[1..]).unwrap_err();
                let expected =
                    format!("invalid rows: they are not whole reports; accepted is {accepted}");
                assert_eq!((error.parameter(), error.to_string()), (Some("rows"), expected));
                assert_eq!((counts.reports(), counts.ones()), (before as u64, ones));
            }
            counts.add_rows(&rows).unwrap();
            assert_eq!(counts.reports(), before as u64 + 5000);
        }
    }

    #[test]
    fn reports_of_no_bits_have_no_words() {
        let mut counts = BitCounts::new(0);
        counts.add_all(&reports(0, 40)).unwrap();
        counts.add_rows(&[]).unwrap();
        assert!(counts.add_rows(&[0]).is_err());
        assert_eq!((counts.reports(), counts.ones()), (40, vec![]));
    }

    #[test]
    fn merged_counts_are_those_of_all_reports() {
        let reports = reports(130, 3000);
        let all = mixed(130, &reports, 3000);
        let mut merged = BitCounts::new(130);
        for part in reports.chunks(701) {
            merged.merge(&mixed(130, part, 300)).unwrap();
        }
        assert_eq!((merged.reports(), merged.ones()), (3000, all.ones()));
        assert_eq!(merged, all);
        assert!(merged.merge(&BitCounts::new(131)).is_err());
    }

    #[test]
    fn too_many_reports_are_refused_and_change_nothing() {
        let most = format!(r#"{{"reports":{},"ones":[5]}}"#, 1u64 << 63);
        let mut counts: BitCounts = serde_json::from_str(&most).unwrap();
        let before = counts.clone();
        assert!(counts.merge(&before).is_err());
        assert_eq!(counts, before);
        counts.add(&BitVector::from([true])).unwrap();
        assert_eq!((counts.reports(), counts.ones()), ((1 << 63) + 1, vec![6]));
        let more = format!(r#"{{"reports":{},"ones":[5]}}"#, (1u64 << 63) + 1);
        assert!(serde_json::from_str::<BitCounts>(&more).is_err());
    }

    #[test]
    fn a_report_of_another_length_adds_nothing() {
        let mut counts = BitCounts::new(3);
        let bad = [BitVector::from([true; 3]), BitVector::zeros(4)];
        let error = counts.add_all(&bad).unwrap_err();
        assert!(error.to_string().contains("report number 2"));
        assert_eq!((counts.reports(), counts.ones()), (0, vec![0; 3]));
    }

    #[test]
    fn counts_are_written_and_read() {
        let counts = mixed(70, &reports(70, 50), 7);
        let json = serde_json::to_string(&counts).unwrap();
        let read: BitCounts = serde_json::from_str(&json).unwrap();
        assert_eq!((read.reports(), read.ones()), (50, counts.ones()));
        assert_eq!(read, counts);
        assert_ne!(read, BitCounts::new(70));
        for bad in [r#"{"reports":1,"ones":[2]}"#, r#"{"reports":1,"ones":[1],"more":0}"#] {
            assert!(serde_json::from_str::<BitCounts>(bad).is_err());
        }
    }
}
