//! What is decoded: the noise, the counts, and the bits of the candidates.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use std::collections::HashMap;

use crate::error::Shown;
use crate::estimate::BitCounts;
use crate::estimate::binomial::MOST_TRIALS;
use crate::rappor::plan::LEAST_SIGNAL;
use crate::rappor::{CandidateMap, CohortCounts, Params};
use crate::{Error, Result};

/// How bits of a report depend on the bits of the Bloom filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Noise {
    zero: f64,
    signal: f64,
}

impl Noise {
    /// A permanent bit is noise with probability `f`, half of it ones. A bit of the report is one with probability `q` where
    /// the permanent bit is one, and `p` where it is zero.
    ///
    /// # Errors
    ///
    /// A `p` or `q` that is no probability, or both so near that reports say nothing; an `f` that is not at least 0 and below 1.
    pub(super) fn new(p: f64, q: f64, f: f64) -> Result<Self> {
        for (name, x) in [("p", p), ("q", q)] {
            if !(0.0..=1.0).contains(&x) {
                let problem = format!("{} is no probability", Shown(x));
                return Err(Error::invalid_parameter(name, problem, "a number from 0 to 1"));
            }
        }
        if !(0.0..1.0).contains(&f) {
            let problem = format!("{} is not in its range", Shown(f));
            return Err(Error::invalid_parameter("f", problem, "a number from 0 to below 1"));
        }
        let signal = (1.0 - f) * (q - p);
        if signal.abs() < LEAST_SIGNAL {
            let problem = "with this f it is so near to p that reports say nothing";
            let accepted = format!("a number that is {LEAST_SIGNAL:e}/(1 − f) from p, or more");
            return Err(Error::invalid_parameter("q", problem, accepted));
        }
        Ok(Noise { zero: p + f * (q - p) / 2.0, signal })
    }

    /// How much likelier a one is where the Bloom filter has a one: (1 − f)·(q − p).
    pub(super) fn signal(&self) -> f64 {
        self.signal
    }

    /// The share of filters with a one, unbiased, from the share of reports with a one.
    pub(super) fn debias(&self, rate: f64) -> f64 {
        (rate - self.zero) / self.signal
    }

    /// The probability of a one at a share of filters with a one.
    pub(super) fn rate(&self, share: f64) -> f64 {
        self.zero + self.signal * share
    }
}

impl TryFrom<&Params> for Noise {
    type Error = Error;

    /// As [`Noise::new`].
    fn try_from(params: &Params) -> Result<Self> {
        Noise::new(params.p(), params.q(), params.f())
    }
}

/// How many reports each cohort sent, and how many of them had a one at each bit.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Counts {
    bits: usize,
    reports: Vec<u64>,
    ones: Vec<u64>,
}

impl Counts {
    /// The reports of each cohort, of so many bits; `ones` has those of the first cohort first.
    ///
    /// # Errors
    ///
    /// No bits; not as many `ones` as bits of all cohorts; more ones than reports; no reports, or more of them than
    /// [`MOST_TRIALS`] in a cohort.
    pub(super) fn new(bits: usize, reports: Vec<u64>, ones: Vec<u64>) -> Result<Self> {
        if bits == 0 || reports.len().checked_mul(bits) != Some(ones.len()) {
            let problem = "there are not as many of them as bits in all cohorts";
            return Err(Error::invalid_parameter("ones", problem, "a count for each bit"));
        }
        if reports.iter().all(|&n| n == 0) {
            return Err(Error::invalid_parameter("reports", "there are none", "at least one"));
        }
        if reports.iter().any(|&n| n > MOST_TRIALS) {
            let accepted = format!("at most {MOST_TRIALS} a cohort");
            return Err(Error::invalid_parameter("reports", "there are too many", accepted));
        }
        let fits = |(&n, ones): (&u64, &[u64])| ones.iter().all(|&ones| ones <= n);
        if !reports.iter().zip(ones.chunks(bits)).all(fits) {
            let problem = "there are more of them than reports";
            return Err(Error::invalid_parameter("ones", problem, "ones that were counted"));
        }
        Ok(Counts { bits, reports, ones })
    }

    /// The bits of a report.
    pub(super) fn bits(&self) -> usize {
        self.bits
    }

    /// The cohorts.
    pub(super) fn cohorts(&self) -> usize {
        self.reports.len()
    }

    /// The reports of all cohorts.
    pub(super) fn respondents(&self) -> u64 {
        self.reports.iter().sum()
    }

    pub(super) fn reports(&self) -> &[u64] {
        &self.reports
    }

    pub(super) fn ones(&self) -> &[u64] {
        &self.ones
    }
}

impl TryFrom<&CohortCounts> for Counts {
    type Error = Error;

    /// As [`Counts::new`].
    fn try_from(counts: &CohortCounts) -> Result<Self> {
        let reports = counts.cohorts().iter().map(BitCounts::reports).collect();
        let ones = counts.cohorts().iter().flat_map(BitCounts::ones).collect();
        Counts::new(counts.length(), reports, ones)
    }
}

/// Without the counts, which are data.
impl fmt::Debug for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bits, cohorts) = (self.bits, self.cohorts());
        f.debug_struct("Counts")
            .field("bits", &bits)
            .field("cohorts", &cohorts)
            .finish_non_exhaustive()
    }
}

/// The bits that each candidate sets in each cohort's Bloom filters.
#[derive(Clone, Debug)]
pub(super) struct Candidates {
    pub(super) bits: usize,
    pub(super) cohorts: usize,
    pub(super) set: Lists,
}

impl Candidates {
    /// For each candidate, its bits in all cohorts: cohort·`bits` + bit, from 0. Their order does not matter, nor whether one is
    /// there twice.
    ///
    /// # Errors
    ///
    /// A bit beyond the last cohort; no candidates; a candidate without bits; two candidates with the same bits, which no reports
    /// can tell apart.
    pub(super) fn new<C: AsRef<[usize]>>(
        bits: usize,
        cohorts: usize,
        candidates: impl IntoIterator<Item = C>,
    ) -> Result<Self> {
        let refused = |problem: String, accepted: &'static str| {
            Err(Error::invalid_parameter("candidates", problem, accepted))
        };
        let most = bits.checked_mul(cohorts).filter(|&most| u32::try_from(most).is_ok());
        let Some(most) = most else {
            return refused("there are too many bits".into(), "fewer than 2^32 in all cohorts");
        };
        let (mut set, mut seen) = (Lists::default(), HashMap::new());
        for (i, candidate) in candidates.into_iter().enumerate() {
            let mut list: Vec<u32> = Vec::with_capacity(candidate.as_ref().len());
            for &bit in candidate.as_ref() {
                if bit >= most {
                    let problem = format!("number {} has a bit beyond the last cohort's", i + 1);
                    return refused(problem, "bits below cohorts times bits");
                }
                list.push(bit as u32);
            }
            list.sort_unstable();
            list.dedup();
            if list.is_empty() {
                return refused(format!("number {} has no bits", i + 1), "candidates with bits");
            }
            set.push(&list);
            if let Some(twin) = seen.insert(list, i) {
                let problem = format!("numbers {} and {} set the same bits", twin + 1, i + 1);
                return refused(problem, "candidates that differ");
            }
        }
        if seen.is_empty() {
            return refused("there are none".into(), "at least one");
        }
        Ok(Candidates { bits, cohorts, set })
    }

    /// How many candidates there are.
    pub(super) fn len(&self) -> usize {
        self.set.len()
    }

    /// Which share of all bits a candidate sets, on average.
    pub(super) fn density(&self) -> f64 {
        self.set.items.len() as f64 / (self.len() * self.bits * self.cohorts) as f64
    }
}

impl TryFrom<&CandidateMap> for Candidates {
    type Error = Error;

    /// As [`Candidates::new`].
    fn try_from(map: &CandidateMap) -> Result<Self> {
        let rows = |candidate| map.rows_of(candidate).collect::<Vec<usize>>();
        Candidates::new(map.k(), map.m(), (0..map.len()).map(rows))
    }
}

/// Lists of indices, one after the other: the ones of each column of a sparse matrix, or of each row.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    ends: Vec<usize>,
    items: Vec<u32>,
}

impl Lists {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, i: usize) -> &[u32] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.items[start..self.ends[i]]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|i| self.get(i))
    }

    pub(super) fn push(&mut self, list: &[u32]) {
        self.items.extend_from_slice(list);
        self.ends.push(self.items.len());
    }

    /// For each of `rows` rows, at which places of `columns` there are columns with a one in it.
    pub(super) fn transposed(&self, columns: &[usize], rows: usize) -> Lists {
        let mut ends = vec![0usize; rows];
        for &column in columns {
            self.get(column).iter().for_each(|&row| ends[row as usize] += 1);
        }
        let mut sum = 0;
        for end in &mut ends {
            (sum, *end) = (sum + *end, sum);
        }
        let mut items = vec![0; sum];
        for (place, &column) in columns.iter().enumerate() {
            for &row in self.get(column) {
                let next = &mut ends[row as usize];
                items[*next] = place as u32;
                *next += 1;
            }
        }
        Lists { ends, items }
    }
}
