//! An exact law, and its comparison with a closed form.

use core::fmt::Debug;
use std::collections::BTreeMap;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// Exact probabilities of outcomes, and the probability that is not resolved.
#[derive(Clone, Debug)]
pub struct Law<T> {
    /// What is resolved.
    pub mass: BTreeMap<T, RBig>,
    /// What is not.
    pub remainder: RBig,
    /// How many runs of the sampler it took.
    pub runs: u64,
}

/// A probability known to lie between two rationals.
#[derive(Clone, Debug)]
pub struct Between {
    /// The lower bound.
    pub low: RBig,
    /// The upper bound.
    pub high: RBig,
}

impl Between {
    /// A probability that is known.
    pub fn exactly(probability: RBig) -> Self {
        Between { low: probability.clone(), high: probability }
    }
}

impl<T: Ord + Clone + Debug> Law<T> {
    /// A law of which nothing is known yet.
    pub fn new() -> Self {
        Law { mass: BTreeMap::new(), remainder: RBig::ZERO, runs: 0 }
    }

    /// Adds probability to an outcome.
    pub fn add(&mut self, outcome: T, probability: RBig) {
        let mass = self.mass.entry(outcome).or_insert(RBig::ZERO);
        *mass += probability;
    }

    /// Compares with a closed form over a support that must contain every outcome seen.
    ///
    /// Passes if the masses and the remainder add up to 1, no outcome's mass is above its probability, and
    /// none is further below it than the remainder.
    ///
    /// # Errors
    ///
    /// What disagrees.
    pub fn compare(&self, support: impl IntoIterator<Item = (T, Between)>) -> Result<(), String> {
        let total = self.mass.values().fold(self.remainder.clone(), |sum, mass| sum + mass);
        if total != RBig::ONE || self.remainder < RBig::ZERO {
            return Err("the probabilities do not add up to 1".to_owned());
        }
        let mut unseen = self.mass.clone();
        for (outcome, probability) in support {
            let mass = unseen.remove(&outcome).unwrap_or(RBig::ZERO);
            if mass > probability.high {
                return Err(format!("outcome {outcome:?} is too likely"));
            }
            if mass + &self.remainder < probability.low {
                return Err(format!("outcome {outcome:?} is not likely enough"));
            }
        }
        match unseen.keys().next() {
            Some(outcome) => Err(format!("outcome {outcome:?} is impossible")),
            None => Ok(()),
        }
    }

    /// [`Law::compare`], and the remainder must be at most `largest_remainder`.
    ///
    /// # Errors
    ///
    /// What disagrees.
    pub fn check(
        &self,
        largest_remainder: &RBig,
        support: impl IntoIterator<Item = (T, Between)>,
    ) -> Result<(), String> {
        if self.remainder > *largest_remainder {
            return Err(format!(
                "a remainder of {} proves little",
                self.remainder.to_f64().value()
            ));
        }
        self.compare(support)
    }
}

impl<T: Ord + Clone + Debug> Default for Law<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// The law given that what was read was enough.
///
/// Where each draw reads one word unless it is rejected, and `depth` is the number of draws, that is the law given
/// that no draw is rejected, and so the law of the whole: a rejected draw is made again, and alike.
pub fn given_one_pass<T: Clone + Debug + Ord>(mut law: Law<T>) -> Law<T> {
    let resolved = RBig::ONE - &law.remainder;
    law.mass.values_mut().for_each(|mass| *mass /= &resolved);
    law.remainder = RBig::ZERO;
    law
}

/// 2^−n.
pub fn inverse_power_of_two(n: usize) -> RBig {
    RBig::from_parts(IBig::ONE, UBig::ONE << n)
}
