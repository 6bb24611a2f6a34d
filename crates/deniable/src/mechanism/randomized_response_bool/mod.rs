//! Yes or no: the truth with a known probability, else its opposite.
#![doc = include_str!("proof.md")]

use core::fmt;

use deniable_sample::{Dyadic, Entropy, OsEntropy, Source, Word};
use num_bigint::BigUint;

use crate::domain::{AtomDomain, Domain};
use crate::error::Shown;
use crate::mechanism::bound::{exact, loss_of_odds};
use crate::mechanism::search::largest_that;
use crate::{
    DiscreteDistance, Epsilon, Error, LocalRandomizer, MaxDivergence, Measurement, Result,
};

/// Releases a yes or no truthfully with probability `prob`, and its opposite otherwise.
///
/// With `constant_time` the number of random words drawn depends on `prob` alone, and no branch and no
/// address depends on the answer, on the words or on the released value.
///
/// # Privacy
///
/// ε = ln(prob/(1 − prob)), rounded up, for every d_in from 1 on; ∞ if `prob` is 1.
///
/// # Errors
///
/// A `prob` outside [0.5, 1].
///
/// # Examples
///
/// ```
/// use deniable::prelude::*;
///
/// let smokes = make_randomized_response_bool(0.75, false)?;
/// let said: bool = smokes.invoke(&true)?;
/// assert!(smokes.map(1)?.get() >= 3f64.ln());
///
/// let error = make_randomized_response_bool(0.25, false).unwrap_err();
/// assert_eq!(error.to_string(), "invalid prob: 0.25 is below 0.5; accepted is a number from 0.5 to 1");
/// # Ok::<(), deniable::Error>(())
/// ```
pub fn make_randomized_response_bool(
    prob: f64,
    constant_time: bool,
) -> Result<RandomizedResponseBool> {
    check_prob(prob)?;
    Ok(RandomizedResponseBool {
        domain: AtomDomain::all(),
        prob,
        constant_time,
        truth: Dyadic::from_float(prob)?,
        epsilon: loss(prob),
    })
}

/// The mechanism of [`make_randomized_response_bool`].
#[derive(Clone, PartialEq)]
pub struct RandomizedResponseBool {
    domain: AtomDomain<bool>,
    prob: f64,
    constant_time: bool,
    truth: Dyadic,
    epsilon: Epsilon,
}

impl RandomizedResponseBool {
    /// The probability of the truth.
    pub fn prob(&self) -> f64 {
        self.prob
    }

    /// Whether it runs in constant time.
    pub fn constant_time(&self) -> bool {
        self.constant_time
    }

    /// [`Measurement::invoke_from`] for random words of any width. That is what exhaustive checks run.
    ///
    /// # Errors
    ///
    /// As there.
    #[inline]
    pub fn randomize<S: Source + ?Sized>(&self, answer: &bool, source: &mut S) -> Result<bool> {
        self.domain.check_member(answer)?;
        let truthful = self.truth.sample(self.constant_time, source)?;
        Ok(answer ^ !truthful)
    }

    /// [`LocalRandomizer::invoke_batch_from`] for random words of any width: as many answers at a time as a word has bits.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn randomize_batch<S: Source + ?Sized>(
        &self,
        answers: &[bool],
        source: &mut S,
    ) -> Result<Vec<bool>> {
        answers.iter().try_for_each(|answer| self.domain.check_member(answer))?;
        let mut reports = Vec::with_capacity(answers.len());
        for answers in answers.chunks(S::Word::BITS as usize) {
            let lanes = answers.len() as u32;
            let truthful = self.truth.sample_lanes(lanes, self.constant_time, source)?;
            let report = |(lane, answer): (usize, &bool)| answer ^ (truthful >> lane & 1 == 0);
            reports.extend(answers.iter().enumerate().map(report));
        }
        Ok(reports)
    }

    /// The standard error of the number of yeses, estimated from the reports of `respondents` people by
    /// [`debias_randomized_response_bool`](crate::debias_randomized_response_bool). ∞ if `prob` is 0.5: then the reports say nothing.
    pub fn standard_error(&self, respondents: u64) -> f64 {
        let variance = respondents as f64 * self.prob * (1.0 - self.prob);
        match 2.0 * self.prob - 1.0 {
            0.0 => f64::INFINITY,
            signal => variance.sqrt() / signal,
        }
    }
}

impl Measurement for RandomizedResponseBool {
    type Domain = AtomDomain<bool>;
    type Metric = DiscreteDistance;
    type Measure = MaxDivergence;
    type Output = bool;

    fn input_domain(&self) -> &AtomDomain<bool> {
        &self.domain
    }

    fn input_metric(&self) -> DiscreteDistance {
        DiscreteDistance
    }

    fn output_measure(&self) -> MaxDivergence {
        MaxDivergence
    }

    fn map(&self, d_in: u32) -> Result<Epsilon> {
        Ok(if d_in == 0 { Epsilon::ZERO } else { self.epsilon })
    }

    #[inline]
    fn invoke_from(&self, answer: &bool, entropy: &mut dyn Entropy) -> Result<bool> {
        self.randomize(answer, entropy)
    }
}

impl LocalRandomizer for RandomizedResponseBool {
    fn invoke_batch(&self, answers: &[bool]) -> Result<Vec<bool>> {
        self.randomize_batch(answers, &mut OsEntropy::new())
    }

    fn invoke_batch_from(&self, answers: &[bool], entropy: &mut dyn Entropy) -> Result<Vec<bool>> {
        self.randomize_batch(answers, entropy)
    }
}

impl fmt::Debug for RandomizedResponseBool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RandomizedResponseBool")
            .field("prob", &self.prob)
            .field("constant_time", &self.constant_time)
            .field("epsilon", &self.epsilon)
            .finish()
    }
}

/// The largest `prob` whose ε is at most `epsilon`: the next larger float would exceed it.
///
/// ```
/// use deniable::Epsilon;
/// use deniable::mechanism::randomized_response_bool::largest_prob;
///
/// assert!((largest_prob(Epsilon::new(1.0)?) - 0.731).abs() < 1e-3);
/// # Ok::<(), deniable::Error>(())
/// ```
pub fn largest_prob(epsilon: Epsilon) -> f64 {
    largest_that(0.5, 1.0, |prob| loss(prob) <= epsilon).expect("no loss at 0.5")
}

/// From 0.5 to 1.
pub(crate) fn check_prob(prob: f64) -> Result<()> {
    if (0.5..=1.0).contains(&prob) {
        return Ok(());
    }
    let problem = match prob {
        _ if prob.is_nan() => "it is not a number".to_owned(),
        _ if prob > 1.0 => format!("{} is above 1", Shown(prob)),
        _ => format!("{} is below 0.5", Shown(prob)),
    };
    Err(Error::invalid_parameter("prob", problem, "a number from 0.5 to 1"))
}

/// ln(prob/(1 − prob)) for a `prob` from 0.5 to 1.
fn loss(prob: f64) -> Epsilon {
    // prob = a/b
    let prob = exact(prob);
    let lie = prob.denominator() - prob.numerator();
    if lie == BigUint::ZERO {
        return Epsilon::INFINITY;
    }
    loss_of_odds(1, prob.numerator(), &lie)
}

#[cfg(test)]
mod tests;
