//! What the exact audits found.

use core::fmt;

pub use deniable_audit::exact::{Loss, Worst, fraction, value};

/// A map may be this many units in the last place above the truth. The shipping ones round once: less than 1.
pub const MOST_ULPS: f64 = 4.0;

/// What an audit has seen so far.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Tally {
    /// Classes of pairs of inputs whose loss was judged, each once for all parameters it was judged with.
    pub cases: u64,
    /// Pairs of inputs whose loss was judged by laws that were found by running the mechanism.
    pub pairs: u64,
    /// Laws and properties that were checked.
    pub checks: u64,
    /// Losses above the map.
    pub violations: Findings,
    /// Maps further above the worst loss than [`MOST_ULPS`].
    pub loose: Findings,
    /// Laws that are not the stated ones, and other broken properties.
    pub mismatches: Findings,
    /// The widest gap between a map and the worst loss, over the maps that are not loose.
    pub widest_slack_ulps: f64,
}

/// How many, and the first few in words.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// How many.
    pub count: u64,
    /// The first [`KEPT`].
    pub examples: Vec<String>,
}

/// How many findings of a kind are kept in words.
pub const KEPT: usize = 20;

impl Tally {
    /// Whether nothing was found.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.findings() == 0
    }

    /// How much was found.
    #[must_use]
    pub fn findings(&self) -> u64 {
        self.violations.count + self.loose.count + self.mismatches.count
    }

    /// Judges the map of one mechanism, `what`, by the losses of all classes of pairs of its inputs, each
    /// so many times the logarithm of a ratio. It must bound each, and be tight for the largest.
    pub fn judge(&mut self, what: impl Fn() -> String, map: f64, losses: &[(u64, &Loss)]) {
        self.cases += losses.len() as u64;
        let mut slack = f64::INFINITY;
        for &(times, loss) in losses {
            match loss.slack(times, map) {
                Some(ulps) => slack = slack.min(ulps),
                None => {
                    self.violations.add(|| format!("{}: a loss is above the map, {map}", what()));
                    slack = f64::NAN;
                }
            }
        }
        if slack > MOST_ULPS {
            self.loose.add(|| format!("{}: the map, {map}, is {slack} ulp too high", what()));
        } else if slack > self.widest_slack_ulps {
            self.widest_slack_ulps = slack;
        }
    }

    /// Notes what a check said.
    pub fn check(&mut self, what: impl FnOnce() -> String, result: Result<(), String>) {
        self.checks += 1;
        if let Err(problem) = result {
            self.mismatches.add(|| format!("{}: {problem}", what()));
        }
    }

    /// Adds what another audit saw.
    pub fn merge(&mut self, other: Tally) {
        self.cases += other.cases;
        self.pairs += other.pairs;
        self.checks += other.checks;
        self.violations.merge(other.violations);
        self.loose.merge(other.loose);
        self.mismatches.merge(other.mismatches);
        self.widest_slack_ulps = self.widest_slack_ulps.max(other.widest_slack_ulps);
    }
}

impl Findings {
    fn add(&mut self, finding: impl FnOnce() -> String) {
        self.count += 1;
        if self.examples.len() < KEPT {
            self.examples.push(finding());
        }
    }

    fn merge(&mut self, other: Findings) {
        self.count += other.count;
        let room = KEPT - self.examples.len();
        self.examples.extend(other.examples.into_iter().take(room));
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rounded up: six places would make 1 of what is just below it only if it is that near.
        let slack = (self.widest_slack_ulps * 1e6).ceil() / 1e6;
        write!(f, "{} cases, {} violations, ", grouped(self.cases), self.violations.count)?;
        write!(f, "map at most {slack} ulp above the truth; ")?;
        write!(f, "{} loose, {} pairs of laws, ", self.loose.count, grouped(self.pairs))?;
        write!(f, "{} checks, {} mismatches", grouped(self.checks), self.mismatches.count)?;
        for (kind, findings) in [
            ("VIOLATION", &self.violations),
            ("LOOSE", &self.loose),
            ("MISMATCH", &self.mismatches),
        ] {
            for example in &findings.examples {
                write!(f, "\n{kind}: {example}")?;
            }
        }
        Ok(())
    }
}

/// Digits in groups of three.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let (mut text, length) = (String::new(), digits.len());
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (length - i) % 3 == 0 {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loss(n: u64, d: u64) -> Loss {
        Loss::new(Worst::Ratio(fraction(n, d)))
    }

    #[test]
    fn a_tally_counts_and_adds_up() {
        let (mut tally, mut other) = (Tally::default(), Tally::default());
        let (two, three) = (loss(2, 1), loss(3, 1));
        tally.judge(|| "sound".to_owned(), 1.098_612_288_668_11, &[(1, &two), (1, &three)]);
        other.judge(|| "low".to_owned(), 1.0, &[(1, &two), (1, &three)]);
        other.judge(|| "high".to_owned(), 1.2, &[(1, &two), (1, &three)]);
        other.check(|| "law".to_owned(), Err("is another".to_owned()));
        for _ in 0..30 {
            other.check(|| "law".to_owned(), Err("is another".to_owned()));
        }
        assert!(tally.is_clean());
        tally.merge(other);
        assert_eq!((tally.cases, tally.violations.count, tally.loose.count), (6, 1, 1));
        assert_eq!((tally.mismatches.count, tally.mismatches.examples.len()), (31, KEPT));
        let text = tally.to_string();
        assert!(text.starts_with("6 cases, 1 violations, map at most "), "{text}");
        assert!(text.contains("VIOLATION: low: a loss is above the map, 1"), "{text}");
        assert_eq!(grouped(1_234_567), "1 234 567");
        assert_eq!(grouped(12), "12");
    }
}
