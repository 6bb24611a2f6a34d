//! How many reports have a one at each place, without keeping the reports.

use serde::{Deserialize, Serialize};

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
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct BitCounts {
    reports: u64,
    /// What was moved out of the planes.
    ones: Vec<u64>,
    planes: Planes,
}

impl BitCounts {
    /// No reports yet, of this many bits.
    pub fn new(length: usize) -> Self {
        BitCounts { reports: 0, ones: vec![0; length], planes: Planes::new(length) }
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
        self.add_group(&[report]);
        Ok(())
    }

    /// Adds many reports, eight at a time.
    ///
    /// # Errors
    ///
    /// A report of another length. Then none of them is added.
    pub fn add_all(&mut self, reports: &[BitVector]) -> Result<()> {
        for (index, report) in reports.iter().enumerate() {
            self.check(report, index)?;
        }
        self.add_each(reports)
    }

    /// Adds reports up to the first of another length, eight at a time.
    pub(super) fn add_each<'a>(
        &mut self,
        reports: impl IntoIterator<Item = &'a BitVector>,
    ) -> Result<()> {
        let mut group = Vec::with_capacity(8);
        for (index, report) in reports.into_iter().enumerate() {
            self.check(report, index)?;
            group.push(report);
            if group.len() == 8 {
                self.add_group(&group);
                group.clear();
            }
        }
        self.add_group(&group);
        Ok(())
    }

    /// Adds up to eight reports of the right length.
    fn add_group(&mut self, group: &[&BitVector]) {
        self.make_room();
        match <[&BitVector; 8]>::try_from(group) {
            Ok(eight) => self.planes.add_eight(eight.map(BitVector::as_words)),
            Err(_) => group.iter().for_each(|report| self.planes.add(report.as_words())),
        }
        self.reports += group.len() as u64;
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

    /// Moves what the planes hold to the counts, if eight more reports might not fit.
    fn make_room(&mut self) {
        if self.planes.reports + 8 > MOST {
            self.planes.add_to(&mut self.ones);
            self.planes.clear();
        }
    }
}

impl PartialEq for BitCounts {
    /// The same counts, whatever is still in the planes.
    fn eq(&self, other: &Self) -> bool {
        self.reports == other.reports && self.ones() == other.ones()
    }
}

impl Eq for BitCounts {}

/// Counters written vertically: bit p of the count at each place is in plane p. Adding a report costs a few operations on whole
/// words, and 64 places at a time.
#[derive(Clone, Debug)]
struct Planes {
    /// Plane after plane, each as many words as a report.
    bits: Vec<u64>,
    carry: Vec<u64>,
    reports: u64,
}

/// So many planes count to [`MOST`].
const PLANES: usize = 10;
const MOST: u64 = (1 << PLANES) - 1;

impl Planes {
    fn new(length: usize) -> Self {
        let words = length.div_ceil(64);
        Planes { bits: vec![0; PLANES * words], carry: vec![0; words], reports: 0 }
    }

    fn clear(&mut self) {
        self.bits.fill(0);
        self.reports = 0;
    }

    /// Adds one report: what each plane cannot hold is carried to the next.
    fn add(&mut self, report: &[u64]) {
        self.carry.copy_from_slice(report);
        self.carry_on(0);
        self.reports += 1;
    }

    /// Adds eight: a tree of adders leaves one carry into the fourth plane.
    fn add_eight(&mut self, reports: [&[u64]; 8]) {
        let words = self.carry.len();
        let (ones, rest) = self.bits.split_at_mut(words);
        let (twos, rest) = rest.split_at_mut(words);
        let fours = &mut rest[..words];
        // Slices of one length, so that no index is checked in the loop.
        let r = reports.map(|report| &report[..words]);
        for w in 0..words {
            let (one, two_a) = full_adder(ones[w], r[0][w], r[1][w]);
            let (one, two_b) = full_adder(one, r[2][w], r[3][w]);
            let (two, four_a) = full_adder(twos[w], two_a, two_b);
            let (one, two_a) = full_adder(one, r[4][w], r[5][w]);
            let (one, two_b) = full_adder(one, r[6][w], r[7][w]);
            let (two, four_b) = full_adder(two, two_a, two_b);
            let (four, eight) = full_adder(fours[w], four_a, four_b);
            (ones[w], twos[w], fours[w], self.carry[w]) = (one, two, four, eight);
        }
        self.carry_on(3);
        self.reports += 8;
    }

    /// Adds the carry to the planes from this one on.
    fn carry_on(&mut self, first: usize) {
        let words = self.carry.len();
        for plane in self.bits.chunks_exact_mut(words.max(1)).skip(first) {
            for (bits, carry) in plane.iter_mut().zip(&mut self.carry) {
                (*bits, *carry) = (*bits ^ *carry, *bits & *carry);
            }
        }
    }

    /// Adds the count at each place.
    fn add_to(&self, ones: &mut [u64]) {
        let words = self.carry.len();
        for (plane, bits) in self.bits.chunks_exact(words.max(1)).enumerate() {
            for (ones, word) in ones.chunks_mut(64).zip(bits) {
                for (place, count) in ones.iter_mut().enumerate() {
                    *count += (word >> place & 1) << plane;
                }
            }
        }
    }
}

/// The sum of three bits in each place: its low bit, and its high one.
#[inline]
fn full_adder(a: u64, b: u64, c: u64) -> (u64, u64) {
    let half = a ^ b;
    (half ^ c, a & b | half & c)
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
        check_reports("reports", reports)?;
        if ones.iter().any(|&ones| ones > reports) {
            let problem = "there are more ones than reports";
            return Err(Error::invalid_parameter("ones", problem, "numbers up to that of reports"));
        }
        Ok(BitCounts { reports, planes: Planes::new(ones.len()), ones })
    }
}

fn another_length(
    parameter: &'static str,
    problem: impl Into<std::borrow::Cow<'static, str>>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::words;

    fn reports(length: usize, count: usize) -> Vec<BitVector> {
        let random = words(length as u64, count * length.div_ceil(64).max(1));
        let row = |i: usize| BitVector::from_packed(&random, i * length.div_ceil(64) * 64, length);
        (0..count).map(|i| row(i).unwrap()).collect()
    }

    /// The plain twin: one bit at a time.
    fn plainly(length: usize, reports: &[BitVector]) -> Vec<u64> {
        let count = |place| reports.iter().filter(|bits| bits.get(place) == Some(true)).count();
        (0..length).map(|place| count(place) as u64).collect()
    }

    #[test]
    fn counts_are_those_of_one_bit_at_a_time() {
        for length in [0, 1, 5, 63, 64, 65, 200] {
            for count in [0, 1, 7, 8, 9, 16, 100, 1015, 1016, 1017, 1023, 1024, 2100] {
                let reports = reports(length, count);
                let expected = plainly(length, &reports);
                let (mut together, mut alone) = (BitCounts::new(length), BitCounts::new(length));
                together.add_all(&reports).unwrap();
                reports.iter().for_each(|report| alone.add(report).unwrap());
                assert_eq!(together.ones(), expected, "{length} {count}");
                assert_eq!(alone.ones(), expected, "{length} {count}");
                assert_eq!((together.reports(), alone.reports()), (count as u64, count as u64));
            }
        }
    }

    /// All ones carry through every plane, just before and at the moment the planes are full.
    #[test]
    fn nothing_is_lost_when_the_planes_are_full() {
        let ones = vec![BitVector::from(vec![true; 70]); 3000];
        for mixed in [1, 2, 5] {
            let mut counts = BitCounts::new(70);
            for (i, group) in ones.chunks(mixed * 3).enumerate() {
                match i % 2 {
                    0 => counts.add_all(group).unwrap(),
                    _ => group.iter().for_each(|report| counts.add(report).unwrap()),
                }
            }
            assert_eq!(counts.ones(), vec![3000; 70]);
        }
    }

    #[test]
    fn merged_counts_are_those_of_all_reports() {
        let reports = reports(130, 3000);
        let mut all = BitCounts::new(130);
        all.add_all(&reports).unwrap();
        let mut merged = BitCounts::new(130);
        for part in reports.chunks(701) {
            let mut counts = BitCounts::new(130);
            counts.add_all(part).unwrap();
            merged.merge(&counts).unwrap();
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
        let mut counts = BitCounts::new(70);
        counts.add_all(&reports(70, 50)).unwrap();
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
