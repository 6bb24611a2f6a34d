//! The exact law of a textbook algorithm, by its draws: a uniform integer below n weighs 1/n.

use core::fmt::Debug;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use deniable_sample::textbook::Draws;
use deniable_sample::{Error, Ratio, Result};
use num_bigint::BigUint;

use crate::closed_form::exp_neg;
use crate::law::Law;

/// Runs `algorithm` over every sequence of draws whose probability is at least `smallest`. The others are
/// the remainder.
///
/// An algorithm that begins again is followed through one pass: its law is the one conditioned on that
/// pass being accepted, which is the law of the whole loop.
pub fn enumerate_draws<T: Ord + Clone + Debug>(
    smallest: &RBig,
    algorithm: impl Fn(&mut Choices<'_>) -> Result<T>,
) -> Law<T> {
    let mut law = Law::new();
    let mut rejected = RBig::ZERO;
    let mut chosen: Vec<Choice> = Vec::new();
    loop {
        let mut choices =
            Choices { chosen: &mut chosen, next: 0, weight: RBig::ONE, smallest, uniforms: 0 };
        let outcome = algorithm(&mut choices);
        let (used, weight, again) = (choices.next, choices.weight, choices.uniforms > 1);
        law.runs += 1;
        match outcome {
            Ok(outcome) => law.add(outcome, weight),
            Err(_) if again => rejected += weight,
            Err(_) => {}
        }
        assert_eq!(used, chosen.len(), "an algorithm makes the same draws again");
        while chosen.last().is_some_and(|choice| choice.taken + 1 == choice.weights.len()) {
            chosen.pop();
        }
        match chosen.last_mut() {
            Some(choice) => choice.taken += 1,
            None => break,
        }
    }
    let accepted = RBig::ONE - rejected;
    law.mass.values_mut().for_each(|mass| *mass /= &accepted);
    law.remainder = law.mass.values().fold(RBig::ONE, |rest, mass| rest - mass);
    law
}

/// A source of draws that follows a list of choices and then takes the first of each.
#[derive(Debug)]
pub struct Choices<'a> {
    chosen: &'a mut Vec<Choice>,
    next: usize,
    weight: RBig,
    smallest: &'a RBig,
    uniforms: u32,
}

/// One draw: what can come of it, with its probability, and what is taken.
#[derive(Clone, Debug)]
struct Choice {
    weights: Vec<(u64, RBig)>,
    taken: usize,
}

impl Choices<'_> {
    fn choose(&mut self, weights: impl FnOnce() -> Vec<(u64, RBig)>) -> Result<u64> {
        if self.weight < *self.smallest {
            return Err(Error::entropy_unavailable());
        }
        if self.next == self.chosen.len() {
            self.chosen.push(Choice { weights: weights(), taken: 0 });
        }
        let choice = &self.chosen[self.next];
        let (value, weight) = &choice.weights[choice.taken];
        self.weight *= weight;
        self.next += 1;
        Ok(*value)
    }
}

impl Draws for Choices<'_> {
    fn uniform_below(&mut self, n: &BigUint) -> Result<BigUint> {
        self.uniforms += 1;
        if self.uniforms > 1 {
            return Err(Error::entropy_unavailable());
        }
        let n = u64::try_from(n).expect("an n that can be enumerated");
        let weight = RBig::from_parts(IBig::ONE, UBig::from(n));
        self.choose(|| (0..n).map(|value| (value, weight.clone())).collect()).map(BigUint::from)
    }

    fn bernoulli(&mut self, prob: &Ratio) -> Result<bool> {
        let p = rational(prob);
        let weights = || {
            let both = [(1, p.clone()), (0, RBig::ONE - p)];
            both.into_iter().filter(|(_, weight)| !weight.is_zero()).collect()
        };
        self.choose(weights).map(|value| value == 1)
    }

    /// A draw of its own, whose law is enumerated elsewhere. The weights are lower bounds, 2^−200 from the
    /// truth; what they leave out ends up in the remainder.
    fn bernoulli_exp(&mut self, x: &Ratio) -> Result<bool> {
        let p = exp_neg(&rational(x), 200);
        let weights = || {
            let both = [(1, p.low), (0, RBig::ONE - p.high)];
            both.into_iter().filter(|(_, weight)| *weight > RBig::ZERO).collect()
        };
        self.choose(weights).map(|value| value == 1)
    }
}

/// A ratio in the numbers of this crate.
pub fn rational(ratio: &Ratio) -> RBig {
    RBig::from_parts(big(ratio.numerator()).into(), big(ratio.denominator()))
}

/// A big integer in the numbers of this crate.
pub fn big(n: &BigUint) -> UBig {
    UBig::from_le_bytes(&n.to_bytes_le())
}
