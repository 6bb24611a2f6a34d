//! The judgement of a privacy map where the worst ratio of probabilities is known exactly.
//!
//! The true loss between two inputs is the logarithm of a rational number, or that of a power of one. It is
//! enclosed by [`closed_form::ln`], which has nothing in common with the code that computes maps, ever more
//! narrowly until it is decided on which side of the map it lies. That ends: the logarithm of a rational other
//! than 1 is irrational, and a map is a float.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::closed_form;
use crate::law::{Between, Law};

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

    /// The loss to the nearest float, or nearly: to show, not to judge by.
    pub fn approximate(&self) -> f64 {
        match self.worst {
            Worst::Ratio(_) => self.ln.low.to_f64().value(),
            Worst::Infinite => f64::INFINITY,
        }
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
