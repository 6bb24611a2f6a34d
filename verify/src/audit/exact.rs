//! The judgement of a privacy map where the worst ratio of probabilities is known exactly.
//!
//! The true loss between two inputs is the logarithm of a rational number, or that of a power of one. It is
//! enclosed by [`closed_form::ln`], which has nothing in common with the code that computes maps, ever more
//! narrowly until it is decided on which side of the map it lies. That ends: the logarithm of a rational other
//! than 1 is irrational, and a map is a float.

use core::fmt;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::closed_form;
use crate::law::{Between, Law};

/// A map may be this many units in the last place above the truth. The shipping ones round once: less than 1.
pub const MOST_ULPS: f64 = 4.0;

/// The largest ratio of the probabilities that two inputs give to one output.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Worst {
    /// At least 1.
    Ratio(RBig),
    /// An output of one input is impossible for the other.
    Infinite,
}

/// A [`Worst`] and its logarithm.
#[derive(Clone, Debug)]
pub struct Loss {
    worst: Worst,
    ln: Between,
}

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

impl Worst {
    /// That of two laws, in either direction.
    pub fn of_laws<T: Ord>(left: &Law<T>, right: &Law<T>) -> Worst {
        let (mut worst, impossible) = (Worst::Ratio(RBig::ONE), RBig::ZERO);
        for (above, below) in [(left, right), (right, left)] {
            for (outcome, mass) in &above.mass {
                let other = below.mass.get(outcome).unwrap_or(&impossible);
                if mass > other {
                    worst = worst.max(Worst::of_probabilities(mass, other));
                }
            }
        }
        worst
    }

    /// That of two probabilities of one output, in either direction.
    pub fn of_probabilities(a: &RBig, b: &RBig) -> Worst {
        match a.cmp(b) {
            core::cmp::Ordering::Less if a.is_zero() => Worst::Infinite,
            core::cmp::Ordering::Less => Worst::Ratio(b / a),
            core::cmp::Ordering::Equal => Worst::Ratio(RBig::ONE),
            core::cmp::Ordering::Greater if b.is_zero() => Worst::Infinite,
            core::cmp::Ordering::Greater => Worst::Ratio(a / b),
        }
    }
}

impl Loss {
    /// Its logarithm, as far as it is nearly always needed.
    pub fn new(worst: Worst) -> Self {
        let ln = match &worst {
            Worst::Ratio(ratio) => closed_form::ln(ratio, FIRST_BITS),
            Worst::Infinite => Between::exactly(RBig::ZERO),
        };
        Loss { worst, ln }
    }

    /// How far a map is above `times` this loss, in steps from the float just below the map to it. None if it is
    /// not above: a violation.
    ///
    /// A map that is rounded up once is less than one step above. There is no step that would do for
    /// a map above no loss at all, or without bound above a bounded one: they are ∞ above.
    pub fn slack(&self, times: u64, map: f64) -> Option<f64> {
        if map.is_nan() || map < 0.0 {
            return None;
        }
        let ratio = match &self.worst {
            Worst::Infinite if times > 0 => return (map == f64::INFINITY).then_some(0.0),
            Worst::Ratio(ratio) if times > 0 && *ratio > RBig::ONE => ratio,
            _ => return Some(if map == 0.0 { 0.0 } else { f64::INFINITY }),
        };
        if map == f64::INFINITY {
            return Some(f64::INFINITY);
        }
        let (claim, times) = (value(map), RBig::from(times));
        let (mut ln, mut bits) = (self.ln.clone(), FIRST_BITS);
        while &ln.high * &times > claim {
            if &ln.low * &times > claim {
                return None;
            }
            bits *= 2;
            ln = closed_form::ln(ratio, bits);
        }
        let step = &claim - value(f64::from_bits(map.to_bits() - 1));
        Some(((claim - ln.low * times) / step).to_f64().value())
    }
}

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

/// The exact value of a finite float.
///
/// # Panics
///
/// If it is not finite.
pub fn value(x: f64) -> RBig {
    RBig::try_from(x).expect("a finite number")
}

/// n/d.
pub fn fraction(n: u64, d: u64) -> RBig {
    RBig::from_parts(IBig::from(n), UBig::from(d))
}

/// Enough to tell a logarithm from a float but once in 2^40 times.
const FIRST_BITS: usize = 96;

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

    fn above(x: f64) -> f64 {
        f64::from_bits(x.to_bits() + 1)
    }

    /// ln 3 = 1.0986122886681098 − 8.3…·10^−17…, and the float below it is less.
    #[test]
    fn one_step_decides() {
        let (three, near) = (loss(3, 1), 1.098_612_288_668_109_8);
        let up = if three.slack(1, near).is_some() { near } else { above(near) };
        let down = f64::from_bits(up.to_bits() - 1);
        assert!(three.slack(1, up).is_some_and(|ulps| ulps > 0.0 && ulps < 1.0));
        assert!(three.slack(1, above(up)).is_some_and(|ulps| ulps > 1.0 && ulps < 2.0));
        assert_eq!(three.slack(1, down), None);
        assert_eq!(three.slack(2, up), None);
        assert!(loss(9, 1).slack(1, 2.0 * up).is_some_and(|ulps| ulps < 2.0));
    }

    #[test]
    fn nothing_and_everything() {
        let (none, all) = (loss(1, 1), Loss::new(Worst::Infinite));
        assert_eq!(none.slack(1, 0.0), Some(0.0));
        assert_eq!(none.slack(7, 5e-324), Some(f64::INFINITY));
        assert_eq!(loss(3, 1).slack(0, 0.0), Some(0.0));
        assert_eq!(loss(3, 1).slack(1, 0.0), None);
        assert_eq!(loss(3, 1).slack(1, f64::INFINITY), Some(f64::INFINITY));
        assert_eq!(all.slack(1, f64::MAX), None);
        assert_eq!(all.slack(1, f64::INFINITY), Some(0.0));
        assert_eq!(all.slack(0, 0.0), Some(0.0));
        for bad in [f64::NAN, -1.0, f64::NEG_INFINITY] {
            assert_eq!(none.slack(1, bad), None);
        }
    }

    /// A ratio so near to 1 that its logarithm differs from a float only after 160 digits.
    #[test]
    fn refined_until_decided() {
        let tiny = RBig::from_parts(IBig::ONE, UBig::ONE << 200);
        // ln (1 + 2^−200) is below 2^−200 by about 2^−401; ln (1/(1 − 2^−200)) is above it.
        let map = f64::from_bits((1023 - 200) << 52);
        let below = Loss::new(Worst::Ratio(RBig::ONE + &tiny));
        assert!(below.slack(1, map).is_some_and(|ulps| ulps < 1e-40));
        let over = Loss::new(Worst::Ratio(RBig::ONE / (RBig::ONE - tiny)));
        assert_eq!(over.slack(1, map), None);
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

    #[test]
    fn the_worst_ratio_of_two_laws() {
        let law = |masses: &[(u8, u64)]| {
            let mut law = Law::new();
            masses.iter().for_each(|&(outcome, mass)| law.add(outcome, fraction(mass, 4)));
            law
        };
        let (a, b, c) = (law(&[(0, 3), (1, 1)]), law(&[(0, 2), (1, 2)]), law(&[(0, 4)]));
        assert_eq!(Worst::of_laws(&a, &b), Worst::Ratio(fraction(2, 1)));
        assert_eq!(Worst::of_laws(&b, &a), Worst::Ratio(fraction(2, 1)));
        assert_eq!(Worst::of_laws(&a, &c), Worst::Infinite);
        assert_eq!(Worst::of_laws(&a, &a), Worst::Ratio(RBig::ONE));
    }
}
