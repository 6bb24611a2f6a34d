//! One of t categories: the truth with a known probability, else one of the others.
#![doc = include_str!("proof.md")]

mod indices;

use alloc::borrow::ToOwned;
use alloc::vec::Vec;

pub use indices::CategoryIndex;
pub(crate) use indices::randomize_places;

use core::borrow::Borrow;
use core::fmt;
use core::hash::Hash;

use deniable_num::{Direction, Real};
use deniable_sample::{Dyadic, Entropy, Source, sample_uniform_int_below};
use num_bigint::BigUint;

use crate::bulk::or_wiped;
use crate::domain::{CategoryDomain, Domain};
use crate::error::Shown;
use crate::mechanism::bound::{exact, loss_of_odds};
use crate::mechanism::categories::{Categories, check_count};
use crate::mechanism::one_answer::measurement_of_one_answer;
use crate::mechanism::search::{before, largest_that, smallest_that};
use crate::{Epsilon, Error, LocalRandomizer, Measurement, Result};

/// Releases one of `categories`: the truth with probability `prob`, else one of the others, each as likely as
/// any. An answer that is none of the categories gives any of them.
///
/// What is released is the category as it was given here, in an order that is kept.
///
/// # Privacy
///
/// With t categories, ε = |ln(prob·(t − 1)/(1 − prob))|, rounded up, for every d_in from 1 on. Every answer draws the same
/// random words. Time is not protected: looking up an answer takes longer for some than for others. Answers given as places in the list have a form in constant
/// time, [`invoke_indices_constant_time`](RandomizedResponse::invoke_indices_constant_time).
///
/// # Bias
///
/// Answers outside the categories add their number divided by t to the estimate of each, and nothing in
/// the reports tells how many there were. Where they can occur, give them a category of their own, such
/// as "other", and send them there.
///
/// # Errors
///
/// Fewer than two categories, or two that are equal; a `prob` below 1/t or not below 1. The float nearest to 1/t, which
/// is what `1.0 / t` computes, is accepted, and its ε is right, where it is below 1/t too.
///
/// # Examples
///
/// ```
/// use deniable::prelude::*;
///
/// let drink = make_randomized_response(["tea", "coffee", "other"], 0.8)?;
/// let said: &str = drink.invoke(&"tea")?;
/// assert!(drink.map(1)?.get() >= 8f64.ln());
///
/// let error = make_randomized_response(["tea", "coffee"], 0.4).unwrap_err();
/// assert_eq!(error.to_string(), "invalid prob: 0.4 is below 1/2; accepted is a number from 1/2 to below 1");
/// # Ok::<(), deniable::Error>(())
/// ```
pub fn make_randomized_response<T: Eq + Hash + Clone + Send + Sync>(
    categories: impl IntoIterator<Item = T>,
    prob: f64,
) -> Result<RandomizedResponse<T>> {
    let categories = Categories::new(categories)?;
    check_prob(categories.len(), prob)?;
    Ok(RandomizedResponse {
        domain: CategoryDomain::new(),
        prob,
        truth: Dyadic::from_float(prob)?,
        epsilon: loss(categories.len(), prob),
        categories,
    })
}

/// The mechanism of [`make_randomized_response`].
#[derive(Clone)]
pub struct RandomizedResponse<T> {
    domain: CategoryDomain<T>,
    categories: Categories<T>,
    prob: f64,
    truth: Dyadic,
    epsilon: Epsilon,
}

impl<T: Eq + Hash + Clone + Send + Sync> RandomizedResponse<T> {
    /// The categories, in the order they were given.
    pub fn categories(&self) -> impl ExactSizeIterator<Item = &T> + '_ {
        self.categories.iter()
    }

    /// The place of a category in that order. As in a hash map, it can be given in a borrowed form: a `&str` where categories are `String`s.
    pub fn index_of<Q: Eq + Hash + ?Sized>(&self, category: &Q) -> Option<usize>
    where
        T: Borrow<Q>,
    {
        self.categories.index_of(category)
    }

    /// The probability of the truth.
    pub fn prob(&self) -> f64 {
        self.prob
    }

    /// [`Measurement::invoke_from`] for random words of any width. That is what exhaustive checks run.
    ///
    /// # Errors
    ///
    /// As there.
    #[inline]
    pub fn randomize<S: Source + ?Sized>(&self, answer: &T, source: &mut S) -> Result<T> {
        self.domain.check_member(answer)?;
        let index =
            randomize_place(self.categories.len(), self.truth, self.index_of(answer), source)?;
        Ok(self.categories.at(index).clone())
    }

    /// [`LocalRandomizer::invoke_batch`] without a copy of the categories: what is released is borrowed from the list.
    ///
    /// # Errors
    ///
    /// As there.
    ///
    /// # Examples
    ///
    /// ```
    /// use deniable::prelude::*;
    ///
    /// let drink = make_randomized_response(["tea".to_owned(), "coffee".to_owned()], 0.8)?;
    /// let said: Vec<&String> = drink.invoke_batch_borrowed(&["tea".to_owned(), "cocoa".to_owned()])?;
    /// # assert_eq!(said.len(), 2);
    /// # Ok::<(), deniable::Error>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn invoke_batch_borrowed(&self, answers: &[T]) -> Result<Vec<&T>> {
        let mut places = self.categories.places(answers);
        self.invoke_indices(&mut places)?;
        Ok(self.at_places(places).collect())
    }

    /// Randomizes answers where they are. A report is cloned into its answer's place, which for texts that fit needs no new memory.
    ///
    /// # Side channels
    ///
    /// What [`Clone::clone_from`] keeps is not randomized: a `String` still has room for the answer it was. Send the reports elsewhere as what they
    /// are equal to, not as what their memory holds.
    ///
    /// # Errors
    ///
    /// As [`LocalRandomizer::invoke_batch`]. Then all answers are the first category, and none is left as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use deniable::prelude::*;
    ///
    /// let drink = make_randomized_response(["tea".to_owned(), "coffee".to_owned()], 0.8)?;
    /// let mut answers = ["tea".to_owned(), "cocoa".to_owned()];
    /// drink.invoke_in_place(&mut answers)?;
    /// assert!(answers.iter().all(|report| drink.index_of(report).is_some()));
    /// # Ok::<(), deniable::Error>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn invoke_in_place(&self, answers: &mut [T]) -> Result<()> {
        or_wiped(answers, self.categories.at(0).clone(), |answers| {
            let mut places = self.categories.places(answers);
            self.invoke_indices(&mut places)?;
            for (answer, report) in answers.iter_mut().zip(self.at_places(places)) {
                answer.clone_from(report);
            }
            Ok(())
        })
    }

    fn at_places(&self, places: Vec<u32>) -> impl Iterator<Item = &T> {
        places.into_iter().map(|place| self.categories.at(place as usize))
    }

    /// The standard error of one category's number of answers, estimated from the reports of `respondents` people
    /// by [`debias_randomized_response`](crate::debias_randomized_response), at the number of answers
    /// where it is largest, if all answers are among the categories. ∞ if the reports say nothing.
    #[cfg(feature = "std")]
    pub fn standard_error(&self, respondents: u64) -> f64 {
        // That of the truth. A certain lie is no likelier, but for the rounding of 1/t, and varies no more.
        let variance = self.prob * (1.0 - self.prob);
        match self.signal() {
            0.0 => f64::INFINITY,
            signal => (respondents as f64 * variance).sqrt() / signal,
        }
    }

    /// How much likelier the truth is than one lie, |t·prob − 1|/(t − 1). Next to 1/t the difference is far below the
    /// last place of either, so that it is taken of the exact values.
    fn signal(&self) -> f64 {
        let (prob, t) = (exact(self.prob), BigUint::from(self.categories.len()));
        let (truth, whole) = (prob.numerator() * &t, prob.denominator());
        let difference = if truth >= *whole { truth - whole } else { whole - truth };
        let signal = Real::ratio(&difference, &(whole * (t - 1u32)));
        signal.expect("there are two or more categories").round(Direction::Nearest)
    }
}

impl<T: Eq + Hash + Clone + Send + Sync> Measurement for RandomizedResponse<T> {
    measurement_of_one_answer!(CategoryDomain<T>, T);
}

impl<T: Eq + Hash + Clone + Send + Sync> LocalRandomizer for RandomizedResponse<T> {
    #[cfg(feature = "std")]
    fn invoke_batch(&self, answers: &[T]) -> Result<Vec<T>> {
        self.invoke_batch_borrowed(answers).map(|reports| reports.into_iter().cloned().collect())
    }

    fn invoke_batch_from(&self, answers: &[T], entropy: &mut dyn Entropy) -> Result<Vec<T>> {
        let mut places = self.categories.places(answers);
        self.randomize_indices(&mut places, entropy)?;
        Ok(self.at_places(places).cloned().collect())
    }
}

impl<T: Eq + Hash> PartialEq for RandomizedResponse<T> {
    /// The same categories in the same order, and the same `prob`: the rest follows from them.
    fn eq(&self, other: &Self) -> bool {
        self.categories == other.categories && self.truth == other.truth
    }
}

impl<T: fmt::Debug> fmt::Debug for RandomizedResponse<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RandomizedResponse")
            .field("categories", &self.categories)
            .field("prob", &self.prob)
            .field("epsilon", &self.epsilon)
            .finish()
    }
}

/// The largest `prob` with which `t` categories have an ε of at most `epsilon`: the next larger float would exceed it.
///
/// ```
/// use deniable::Epsilon;
/// use deniable::mechanism::randomized_response::largest_prob;
///
/// assert!((largest_prob(3, Epsilon::new(1.0)?)? - 0.576).abs() < 1e-3);
/// // No float is one third.
/// assert!(largest_prob(3, Epsilon::ZERO).is_err());
/// # Ok::<(), deniable::Error>(())
/// ```
///
/// # Errors
///
/// Fewer than two categories; an `epsilon` that no accepted `prob` stays within, which happens only where 1/t is no
/// float and `epsilon` is below 10⁻¹⁵.
pub fn largest_prob(t: usize, epsilon: Epsilon) -> Result<f64> {
    check_count("t", t)?;
    let within = |prob| loss(t, prob) <= epsilon;
    let is_accepted = |prob| check_prob(t, prob).is_ok();
    let least = smallest_that(0.0, 0.5, is_accepted).expect("1/t is at most 1/2");
    // From 1/t on the loss grows with `prob`. Only `least` itself can be below 1/t, and have the larger loss.
    let largest = largest_that(least, before(1.0), |prob| prob == least || within(prob));
    largest.filter(|&prob| within(prob)).ok_or_else(|| {
        let accepted = format!("at least {}", loss(t, least));
        Error::invalid_parameter("epsilon", "no prob stays within it", accepted)
    })
}

/// One of t places: that of the answer with the probability of `truth`, else one of the others; any of them if the answer has none.
/// Everything is drawn whatever the answer, so that all answers draw the same words.
#[inline]
pub(crate) fn randomize_place<S: Source + ?Sized>(
    t: usize,
    truth: Dyadic,
    answer: Option<usize>,
    source: &mut S,
) -> Result<usize> {
    let truthful = truth.sample(false, source)?;
    let anyone = sample_uniform_int_below(t, source)?;
    let another = sample_uniform_int_below(t - 1, source)?;
    Ok(match answer {
        None => anyone,
        Some(index) if truthful => index,
        // Those from the truth on move up by one, over it.
        Some(index) => another + usize::from(another >= index),
    })
}

/// At least 1/t or the float nearest to it, and below 1.
pub(crate) fn check_prob(t: usize, prob: f64) -> Result<()> {
    if 0.0 < prob && prob < 1.0 && is_at_least_one_in(t, prob) {
        return Ok(());
    }
    let problem = match prob {
        _ if prob.is_nan() => "it is not a number".to_owned(),
        _ if prob >= 1.0 => format!("{} is not below 1", Shown(prob)),
        _ => format!("{} is below 1/{t}", Shown(prob)),
    };
    Err(Error::invalid_parameter("prob", problem, format!("a number from 1/{t} to below 1")))
}

/// Whether a float from 0 to 1 is at least 1/t, or the nearest float below it.
fn is_at_least_one_in(t: usize, prob: f64) -> bool {
    let nearest = Real::ratio(&1u32.into(), &t.into()).expect("t is not zero");
    let nearest: f64 = nearest.round(Direction::Nearest);
    // Floats that are not negative are in the order of their bits.
    prob.to_bits() >= nearest.to_bits()
}

/// |ln(prob·(t − 1)/(1 − prob))| for a `prob` above 0 and below 1.
///
/// If `prob` is below 1/t, lying is the likelier, and the odds are the other way round.
pub(crate) fn loss(t: usize, prob: f64) -> Epsilon {
    let prob = exact(prob);
    let truth = prob.numerator() * BigUint::from(t - 1);
    let lie = prob.denominator() - prob.numerator();
    loss_of_odds(1, &truth, &lie)
}

#[cfg(test)]
mod tests;
