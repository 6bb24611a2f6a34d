//! One of k categories as a subset of them: the answer is in it with a known probability, and the others are random.
#![doc = include_str!("proof.md")]

mod subset;

use alloc::borrow::ToOwned;
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::fmt;
use core::hash::Hash;

use deniable_num::{Directed, Direction, Real};
#[cfg(feature = "std")]
use deniable_sample::OsEntropy;
use deniable_sample::{Dyadic, Entropy, Ratio, Scratch, Source, sample_uniform_int_below};
use num_bigint::{BigInt, BigUint};

use self::subset::{Subsets, contains, place_of, turn};
use crate::domain::{CategoryDomain, Domain};
use crate::error::Shown;
#[cfg(feature = "std")]
use crate::estimate::FrequencyOracle;
use crate::mechanism::bound::{exact, loss_of_odds};
use crate::mechanism::categories::{Categories, check_count};
use crate::mechanism::one_answer::measurement_of_one_answer;
use crate::mechanism::randomized_response::CategoryIndex;
use crate::mechanism::rows::{OneEach, Rows};
use crate::mechanism::search::{before, largest_that, smallest_that};
use crate::{BitVector, Epsilon, Error, LocalRandomizer, Measurement, Result};

/// Releases a subset of `size` of the `categories`, as bits: the answer is in it with probability `prob`, and all others are as likely as each
/// other. An answer that is none of the categories gives any subset of that size.
///
/// With [`best_size`] and [`largest_prob`] it has the least error of all mechanisms here for one of k answers. With a `size` of 1 it is
/// [`make_randomized_response`](crate::make_randomized_response).
///
/// # Privacy
///
/// With k categories, ε = |ln(prob·(k − size)/((1 − prob)·size))|, rounded up, for every d_in from 1 on. Every answer draws the same
/// random words. Time is not protected: looking up an answer takes longer for some than for others.
///
/// # Bias
///
/// Answers outside the categories add their number divided by k to the estimate of each, and nothing in
/// the reports tells how many there were. Where they can occur, give them a category of their own, such
/// as "other", and send them there.
///
/// # Errors
///
/// Fewer than two categories, or two that are equal; a `size` of 0, or of all categories; a `prob` below size/k or not below 1. The
/// float nearest to size/k is accepted, and its ε is right, where it is below size/k too.
///
/// # Examples
///
/// ```
/// use deniable::prelude::*;
///
/// let drink = make_subset_selection(["tea", "coffee", "water", "other"], 2, 0.75)?;
/// let report: BitVector = drink.invoke(&"tea")?;
/// assert_eq!((report.len(), report.count_ones()), (4, 2));
/// assert!(drink.map(1)?.get() >= 3f64.ln());
///
/// let error = make_subset_selection(["tea", "coffee", "other"], 2, 0.5).unwrap_err();
/// assert_eq!(error.to_string(), "invalid prob: 0.5 is below 2/3; accepted is a number from 2/3 to below 1");
/// # Ok::<(), deniable::Error>(())
/// ```
pub fn make_subset_selection<T: Eq + Hash + Clone + Send + Sync>(
    categories: impl IntoIterator<Item = T>,
    size: usize,
    prob: f64,
) -> Result<SubsetSelection<T>> {
    let categories = Categories::new(categories)?;
    check_size(categories.len(), size)?;
    check_prob(categories.len(), size, prob)?;
    Ok(SubsetSelection {
        domain: CategoryDomain::new(),
        size,
        prob,
        truth: Dyadic::from_float(prob)?,
        subsets: Subsets::new(categories.len(), size)?,
        epsilon: loss(categories.len(), size, prob),
        categories,
    })
}

/// The mechanism of [`make_subset_selection`].
#[derive(Clone)]
pub struct SubsetSelection<T> {
    domain: CategoryDomain<T>,
    categories: Categories<T>,
    size: usize,
    prob: f64,
    truth: Dyadic,
    subsets: Subsets,
    epsilon: Epsilon,
}

impl<T: Eq + Hash + Clone + Send + Sync> SubsetSelection<T> {
    /// The categories, in the order they were given, which is that of the bits.
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

    /// How many categories a report has.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The probability that the answer is one of them.
    pub fn prob(&self) -> f64 {
        self.prob
    }

    /// [`Measurement::invoke_from`] for random words of any width. That is what exhaustive checks run.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn randomize<S: Source + ?Sized>(&self, answer: &T, source: &mut S) -> Result<BitVector> {
        self.domain.check_member(answer)?;
        let place = self.index_of(answer).map_or(u32::MAX, |place| place as u32);
        BitVector::from_words(self.randomize_rows(&[place], source)?, self.categories.len())
    }

    /// Reports of many answers, given as places in the list of [categories](SubsetSelection::categories), from 0. A place behind the end of
    /// the list is an answer that is none of the categories.
    ///
    /// The reports are one after the other, each in as many words as its bits take: as
    /// [`BitCounts::add_rows`](crate::estimate::BitCounts::add_rows) counts them.
    ///
    /// # Errors
    ///
    /// A source of entropy that fails.
    ///
    /// # Examples
    ///
    /// ```
    /// use deniable::estimate::{BitCounts, FrequencyOracle};
    /// use deniable::prelude::*;
    ///
    /// let drink = make_subset_selection(["tea", "coffee", "water", "other"], 2, 0.75)?;
    /// let rows = drink.invoke_rows(&[0u8, 1, 1, 2])?;
    /// assert!(rows.iter().all(|row| row.count_ones() == 2));
    /// let mut counts = BitCounts::new(drink.values());
    /// counts.add_rows(&rows)?;
    /// # Ok::<(), deniable::Error>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn invoke_rows<I: CategoryIndex>(&self, places: &[I]) -> Result<Vec<u64>> {
        self.rows().for_places(places, |rows, places| {
            self.fill(rows, places, &mut Scratch::new(), &mut OsEntropy::new())
        })
    }

    /// [`SubsetSelection::invoke_rows`] for random words of any width.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn randomize_rows<I: CategoryIndex, S: Source + ?Sized>(
        &self,
        places: &[I],
        source: &mut S,
    ) -> Result<Vec<u64>> {
        let mut scratch = Scratch::new();
        self.rows().for_places_in_turn(places, |rows, places| {
            self.fill(rows, places, &mut scratch, source)
        })
    }

    /// Makes reports of rows of zeros. Everything is drawn whatever the answers, so that all of them draw the same words.
    fn fill<I: CategoryIndex, S: Source + ?Sized>(
        &self,
        rows: &mut [u64],
        places: &[I],
        scratch: &mut Scratch<S::Word>,
        source: &mut S,
    ) -> Result<()> {
        self.subsets.sample(rows, scratch, source)?;
        let (count, mut drawn) = (places.len(), Vec::new());
        let truths = OneEach::sample(self.truth, count, &mut drawn, scratch, source)?;
        let rows = rows.chunks_exact_mut(self.rows().words());
        for (number, (row, &place)) in rows.zip(places).enumerate() {
            let one_in = sample_uniform_int_below(self.size, source)?;
            let one_out = sample_uniform_int_below(self.categories.len() - self.size, source)?;
            let place: u32 = place.into();
            self.put(row, place as usize, truths.get(number), one_in, one_out);
        }
        Ok(())
    }

    /// Puts the answer into any subset, in the place of one that is in it, or takes it out for one that is not. An answer that is none of the
    /// categories leaves it as it is.
    #[inline]
    fn put(&self, row: &mut [u64], answer: usize, truthful: bool, one_in: usize, one_out: usize) {
        if answer >= self.categories.len() || contains(row, answer) == truthful {
            return;
        }
        let other = place_of(row, truthful, if truthful { one_in } else { one_out });
        turn(row, other);
        turn(row, answer);
    }

    fn rows(&self) -> Rows {
        Rows::new(self.categories.len())
    }

    /// The standard error of one category's number of answers, estimated from the reports of `respondents` people, at
    /// the number of answers where it is largest, if all answers are among the categories. ∞ if the reports say nothing, or next to nothing.
    #[cfg(feature = "std")]
    pub fn standard_error(&self, respondents: u64) -> f64 {
        let Ok(channel) = self.channel() else { return f64::INFINITY };
        let (truth, lie) = (channel.truth(), channel.lie());
        let variance = f64::max(truth * (1.0 - truth), lie * (1.0 - lie));
        (respondents as f64 * variance).sqrt() / channel.signal()
    }
}

impl<T: Eq + Hash + Clone + Send + Sync> Measurement for SubsetSelection<T> {
    measurement_of_one_answer!(CategoryDomain<T>, BitVector);
}

impl<T: Eq + Hash + Clone + Send + Sync> LocalRandomizer for SubsetSelection<T> {
    #[cfg(feature = "std")]
    fn invoke_batch(&self, answers: &[T]) -> Result<Vec<BitVector>> {
        self.rows().to_vectors(&self.invoke_rows(&self.categories.places(answers))?)
    }

    fn invoke_batch_from(
        &self,
        answers: &[T],
        entropy: &mut dyn Entropy,
    ) -> Result<Vec<BitVector>> {
        self.rows().to_vectors(&self.randomize_rows(&self.categories.places(answers), entropy)?)
    }
}

impl<T: Eq + Hash> PartialEq for SubsetSelection<T> {
    /// The same categories in the same order, the same `size` and the same `prob`: the rest follows from them.
    fn eq(&self, other: &Self) -> bool {
        self.categories == other.categories && self.size == other.size && self.truth == other.truth
    }
}

impl<T: fmt::Debug> fmt::Debug for SubsetSelection<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubsetSelection")
            .field("categories", &self.categories)
            .field("size", &self.size)
            .field("prob", &self.prob)
            .field("epsilon", &self.epsilon)
            .finish()
    }
}

/// The `size` with the least error in categories that nobody answers, if ε is `epsilon`: near k/(e^ε + 1).
///
/// With p = size·e^ε/(size·e^ε + k − size) and q = (size − p)/(k − 1), it is where q(1 − q)/(p − q)² is least. Follows Ye and Barg, "Optimal
/// Schemes for Discrete Distribution Estimation under Locally Differential Privacy" (2018), and Wang and others, "Mutual Information
/// Optimally Local Private Discrete Distribution Estimation" (2016).
///
/// ```
/// use deniable::Epsilon;
/// use deniable::mechanism::subset_selection::best_size;
///
/// assert_eq!(best_size(128, Epsilon::new(1.0)?)?, 34);
/// // Randomized response is as good as any.
/// assert_eq!(best_size(10, Epsilon::new(3.0)?)?, 1);
/// # Ok::<(), deniable::Error>(())
/// ```
///
/// # Errors
///
/// Fewer than two categories.
pub fn best_size(k: usize, epsilon: Epsilon) -> Result<usize> {
    check_count("k", k)?;
    let growth = epsilon.get().inf_exp().ok().and_then(|growth| Ratio::from_float(growth).ok());
    // Beyond all floats a single category is best.
    let Some(growth) = growth else { return Ok(1) };
    let (mut least, mut most) = (1, k - 1);
    while least < most {
        let middle = least + (most - least) / 2;
        if is_large_enough(k, middle, &growth) {
            most = middle;
        } else {
            least = middle + 1;
        }
    }
    Ok(least)
}

/// Whether the next larger size is no better, where `growth` is e^ε = E.
///
/// q(1 − q)/(p − q)² is (E − 1)^−2 times α/size + β/(k − size) and something that does not depend on the size, with α = (k − E)(k − 1)/k and β =
/// E(kE − 1)(k − 1)/k. So the next is no better if (k − E)(k − size)(k − size − 1) ≤ E(kE − 1)·size(size + 1): from the best size on.
fn is_large_enough(k: usize, size: usize, growth: &Ratio) -> bool {
    let pairs = |n: usize| BigInt::from(n) * BigInt::from(n + 1);
    let (e, whole) = (growth.numerator().clone(), growth.denominator().clone());
    let (e, whole, k_times) = (BigInt::from(e), BigInt::from(whole), BigInt::from(k));
    // All times the square of the denominator.
    let more = (&k_times * &whole - &e) * &whole * pairs(k - size - 1);
    more <= (k_times * &e - whole) * e * pairs(size)
}

/// The largest `prob` with which subsets of `size` of k categories have an ε of at most `epsilon`: the next larger float would exceed it.
///
/// ```
/// use deniable::Epsilon;
/// use deniable::mechanism::subset_selection::largest_prob;
///
/// assert!((largest_prob(128, 34, Epsilon::new(1.0)?)? - 0.4958).abs() < 1e-4);
/// # Ok::<(), deniable::Error>(())
/// ```
///
/// # Errors
///
/// Fewer than two categories; a `size` of 0 or of all categories; an `epsilon` that no accepted `prob` stays within, which happens only where size/k is no
/// float and `epsilon` is below 10⁻¹⁵, or with nearly all categories little more.
pub fn largest_prob(k: usize, size: usize, epsilon: Epsilon) -> Result<f64> {
    check_count("k", k)?;
    check_size(k, size)?;
    let within = |prob| loss(k, size, prob) <= epsilon;
    let is_accepted = |prob| check_prob(k, size, prob).is_ok();
    let least = smallest_that(0.0, before(1.0), is_accepted).expect("size/k is below 1");
    // From size/k on the loss grows with `prob`. Only `least` itself can be below size/k, and have the larger loss.
    let largest = largest_that(least, before(1.0), |prob| prob == least || within(prob));
    largest.filter(|&prob| within(prob)).ok_or_else(|| {
        let accepted = format!("at least {}", loss(k, size, least));
        Error::invalid_parameter("epsilon", "no prob stays within it", accepted)
    })
}

/// At least one, and not all.
fn check_size(k: usize, size: usize) -> Result<()> {
    if (1..k).contains(&size) {
        return Ok(());
    }
    let problem = if size == 0 { "it is 0".to_owned() } else { format!("{size} is not below {k}") };
    Err(Error::invalid_parameter("size", problem, format!("an integer from 1 to {}", k - 1)))
}

/// At least size/k or the float nearest to it, and below 1.
fn check_prob(k: usize, size: usize, prob: f64) -> Result<()> {
    if 0.0 < prob && prob < 1.0 && is_at_least(k, size, prob) {
        return Ok(());
    }
    let problem = match prob {
        _ if prob.is_nan() => "it is not a number".to_owned(),
        _ if prob >= 1.0 => format!("{} is not below 1", Shown(prob)),
        _ => format!("{} is below {size}/{k}", Shown(prob)),
    };
    Err(Error::invalid_parameter("prob", problem, format!("a number from {size}/{k} to below 1")))
}

/// Whether a float from 0 to 1 is at least size/k, or the nearest float below it.
fn is_at_least(k: usize, size: usize, prob: f64) -> bool {
    let nearest = Real::ratio(&size.into(), &k.into()).expect("k is not zero");
    let nearest: f64 = nearest.round(Direction::Nearest);
    // Floats that are not negative are in the order of their bits.
    prob.to_bits() >= nearest.to_bits()
}

/// |ln(prob·(k − size)/((1 − prob)·size))| for a `prob` above 0 and below 1.
///
/// If `prob` is below size/k, lying is the likelier, and the odds are the other way round.
fn loss(k: usize, size: usize, prob: f64) -> Epsilon {
    let prob = exact(prob);
    let truth = prob.numerator() * BigUint::from(k - size);
    let lie = (prob.denominator() - prob.numerator()) * BigUint::from(size);
    loss_of_odds(1, &truth, &lie)
}

#[cfg(test)]
mod tests;
