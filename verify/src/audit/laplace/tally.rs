//! What the audit counts.

use core::fmt;

use crate::inversion::neighbour;

/// How many claims were compared with the truth, and what was wrong with them.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct LaplaceTally {
    /// Claims and outputs that were compared with the truth.
    pub cases: u64,
    /// Pairs of inputs (or of vectors of them) that were looked at.
    pub pairs: u64,
    /// Runs of the shipping code over scripts of words.
    pub runs: u64,
    /// Claims that are below the truth, for certain.
    pub violations: u64,
    /// Claims that the enclosure of the truth leaves open. None is expected: what can be equal is compared exactly.
    pub undecided: u64,
    /// Claims more than [`MOST_ULPS`] above a truth that a pair of inputs attains.
    pub loose: u64,
    /// Outputs that must not be, and refusals that are missing or tell something.
    pub malformed: u64,
    /// How far the loosest of the attained claims is above the truth, in units of its last place.
    pub loosest_ulps: f64,
    /// The first findings, in words.
    pub findings: Vec<String>,
}

/// A claim may be so many units of its last place above the truth.
pub const MOST_ULPS: f64 = 4.0;

/// So many findings are kept in words.
const MOST_FINDINGS: usize = 20;

impl LaplaceTally {
    /// Whether nothing was wrong.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.violations + self.undecided + self.loose + self.malformed == 0
    }

    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: LaplaceTally) {
        self.cases += other.cases;
        self.pairs += other.pairs;
        self.runs += other.runs;
        self.violations += other.violations;
        self.undecided += other.undecided;
        self.loose += other.loose;
        self.malformed += other.malformed;
        self.loosest_ulps = self.loosest_ulps.max(other.loosest_ulps);
        other.findings.into_iter().for_each(|finding| self.keep(|| finding));
    }

    pub(super) fn violation(&mut self, finding: impl FnOnce() -> String) {
        self.violations += 1;
        self.keep(finding);
    }

    pub(super) fn undecided(&mut self, finding: impl FnOnce() -> String) {
        self.undecided += 1;
        self.keep(finding);
    }

    pub(super) fn loose(&mut self, finding: impl FnOnce() -> String) {
        self.loose += 1;
        self.keep(finding);
    }

    pub(super) fn malformed(&mut self, finding: impl FnOnce() -> String) {
        self.malformed += 1;
        self.keep(finding);
    }

    fn keep(&mut self, finding: impl FnOnce() -> String) {
        if self.findings.len() < MOST_FINDINGS {
            self.findings.push(finding());
        }
    }
}

impl fmt::Display for LaplaceTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LaplaceTally { cases, pairs, runs, violations, undecided, loose, malformed, .. } = self;
        write!(f, "{cases} cases, {pairs} pairs, {runs} runs, ")?;
        write!(f, "{violations} violations, {undecided} undecided, ")?;
        write!(f, "{loose} loose, {malformed} malformed, ")?;
        write!(f, "loosest {:.2} ulp", self.loosest_ulps)?;
        self.findings.iter().try_for_each(|finding| write!(f, "\n  {finding}"))
    }
}

/// The next larger float; ∞ after the largest, and after itself.
pub(super) fn next_up(x: f64) -> f64 {
    if x.is_finite() { neighbour(x, 1).unwrap_or(f64::INFINITY) } else { x }
}

/// The next smaller float. The largest is next to ∞.
pub(super) fn next_down(x: f64) -> f64 {
    if x.is_finite() { neighbour(x, -1).unwrap_or(f64::MIN) } else { f64::MAX }
}
