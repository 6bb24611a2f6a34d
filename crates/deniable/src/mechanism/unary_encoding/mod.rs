//! One of k categories as k bits: that of the answer is one with one probability, the others with a smaller one.
#![doc = include_str!("proof.md")]

use alloc::borrow::ToOwned;
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::fmt;
use core::hash::Hash;

use deniable_num::{Decoded, Float};
#[cfg(feature = "std")]
use deniable_sample::OsEntropy;
use deniable_sample::{Dyadic, Entropy, Scratch, Source};

use crate::domain::{CategoryDomain, Domain};
use crate::error::Shown;
#[cfg(feature = "std")]
use crate::estimate::FrequencyOracle;
use crate::mechanism::bound::{exact, loss_of_odds};
use crate::mechanism::categories::Categories;
use crate::mechanism::one_answer::measurement_of_one_answer;
use crate::mechanism::randomized_response::CategoryIndex;
use crate::mechanism::rows::{OneEach, Rows};
use crate::mechanism::search::{before, largest_that, smallest_that};
use crate::{BitVector, Epsilon, Error, LocalRandomizer, Measurement, Result};

/// Releases a bit for each of `categories`: that of the answer is one with probability `one`, each other with probability
/// `zero`, independently of each other. For an answer that is none of the categories all are one with probability `zero`.
///
/// The parameters are best found by [`optimized`], which has the least error where most answers are others, or by [`symmetric`],
/// which errs as often in a one as in a zero.
///
/// # Privacy
///
/// ε = ln(one·(1 − zero)/(zero·(1 − one))), rounded up, for every d_in from 1 on, however many categories there are. Every answer draws
/// the same random words. Time is not protected: looking up an answer takes longer for some than for others.
///
/// # Bias
///
/// Answers outside the categories add nothing to the estimates: these are then of fewer answers than there are reports.
///
/// # Errors
///
/// Fewer than two categories, or two that are equal; a `one` outside (0, 1), a `zero` that is not above 0 and below `one`.
///
/// # Examples
///
/// ```
/// use deniable::mechanism::unary_encoding::optimized;
/// use deniable::prelude::*;
///
/// let (one, zero) = optimized(Epsilon::new(1.0)?)?;
/// let drink = make_unary_encoding(["tea", "coffee", "other"], one, zero)?;
/// let report: BitVector = drink.invoke(&"tea")?;
/// assert_eq!(report.len(), 3);
/// assert!(drink.check(1, Epsilon::new(1.0)?)?);
///
/// let error = make_unary_encoding(["tea", "coffee"], 0.5, 0.6).unwrap_err();
/// assert_eq!(error.to_string(), "invalid zero: 0.6 is not below one, which is 0.5; accepted is a number above 0 and below one");
/// # Ok::<(), deniable::Error>(())
/// ```
pub fn make_unary_encoding<T: Eq + Hash + Clone + Send + Sync>(
    categories: impl IntoIterator<Item = T>,
    one: f64,
    zero: f64,
) -> Result<UnaryEncoding<T>> {
    let categories = Categories::new(categories)?;
    check_one(one)?;
    check_zero(one, zero)?;
    Ok(UnaryEncoding {
        domain: CategoryDomain::new(),
        categories,
        one,
        zero,
        law_of_one: Dyadic::from_float(one)?,
        law_of_zero: Dyadic::from_float(zero)?,
        epsilon: loss(one, zero),
    })
}

/// The mechanism of [`make_unary_encoding`].
#[derive(Clone)]
pub struct UnaryEncoding<T> {
    domain: CategoryDomain<T>,
    categories: Categories<T>,
    one: f64,
    zero: f64,
    law_of_one: Dyadic,
    law_of_zero: Dyadic,
    epsilon: Epsilon,
}

impl<T: Eq + Hash + Clone + Send + Sync> UnaryEncoding<T> {
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

    /// The probability that the bit of the answer is one.
    pub fn one(&self) -> f64 {
        self.one
    }

    /// The probability that another bit is one.
    pub fn zero(&self) -> f64 {
        self.zero
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

    /// Reports of many answers, given as places in the list of [categories](UnaryEncoding::categories), from 0. A place behind the end of
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
    /// let drink = make_unary_encoding(["tea", "coffee", "other"], 0.5, 0.25)?;
    /// let rows = drink.invoke_rows(&[0u8, 1, 1, 2])?;
    /// let mut counts = BitCounts::new(drink.values());
    /// counts.add_rows(&rows)?;
    /// assert_eq!(counts.reports(), 4);
    /// # Ok::<(), deniable::Error>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn invoke_rows<I: CategoryIndex>(&self, places: &[I]) -> Result<Vec<u64>> {
        self.rows().for_places(places, |rows, places| {
            self.fill(rows, places, &mut Scratch::new(), &mut OsEntropy::new())
        })
    }

    /// [`UnaryEncoding::invoke_rows`] for random words of any width.
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
        self.rows().flip(self.law_of_zero, rows, scratch, source)?;
        let (count, mut drawn) = (places.len(), Vec::new());
        let ones = OneEach::sample(self.law_of_one, count, &mut drawn, scratch, source)?;
        let rows = rows.chunks_exact_mut(self.rows().words());
        for (number, (row, &place)) in rows.zip(places).enumerate() {
            let place: u32 = place.into();
            let place = place as usize;
            if place < self.categories.len() {
                let bit = u64::from(ones.get(number)) << (place % 64);
                row[place / 64] = row[place / 64] & !(1 << (place % 64)) | bit;
            }
        }
        Ok(())
    }

    fn rows(&self) -> Rows {
        Rows::new(self.categories.len())
    }

    /// The standard error of one category's number of answers, estimated from the reports of `respondents` people, at
    /// the number of answers where it is largest.
    #[cfg(feature = "std")]
    pub fn standard_error(&self, respondents: u64) -> f64 {
        let variance = f64::max(self.one * (1.0 - self.one), self.zero * (1.0 - self.zero));
        let channel = self.channel().expect("zero is below one");
        (respondents as f64 * variance).sqrt() / channel.signal()
    }
}

impl<T: Eq + Hash + Clone + Send + Sync> Measurement for UnaryEncoding<T> {
    measurement_of_one_answer!(CategoryDomain<T>, BitVector);
}

impl<T: Eq + Hash + Clone + Send + Sync> LocalRandomizer for UnaryEncoding<T> {
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

impl<T: Eq + Hash> PartialEq for UnaryEncoding<T> {
    /// The same categories in the same order, and the same probabilities: the rest follows from them.
    fn eq(&self, other: &Self) -> bool {
        self.categories == other.categories
            && self.law_of_one == other.law_of_one
            && self.law_of_zero == other.law_of_zero
    }
}

impl<T: fmt::Debug> fmt::Debug for UnaryEncoding<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnaryEncoding")
            .field("categories", &self.categories)
            .field("one", &self.one)
            .field("zero", &self.zero)
            .field("epsilon", &self.epsilon)
            .finish()
    }
}

/// `one` and `zero` of *optimized unary encoding*: `one` is 1/2, and `zero` the smallest with which ε is at most `epsilon`: the next
/// smaller float would exceed it.
///
/// Of all pairs with this ε these have the least error in categories that few people answer. Follows Wang, Blocki, Li
/// and Jha, "Locally Differentially Private Protocols for Frequency Estimation" (USENIX Security 2017).
///
/// ```
/// use deniable::Epsilon;
/// use deniable::mechanism::unary_encoding::optimized;
///
/// let (one, zero) = optimized(Epsilon::new(1.0)?)?;
/// assert!(one == 0.5 && (zero - 0.2689).abs() < 1e-4);
/// assert!(optimized(Epsilon::ZERO).is_err());
/// # Ok::<(), deniable::Error>(())
/// ```
///
/// # Errors
///
/// An `epsilon` that no `zero` below 1/2 stays within, which is one below 10⁻¹⁵.
pub fn optimized(epsilon: Epsilon) -> Result<(f64, f64)> {
    let (smallest, largest) = (f64::from_bits(1), before(0.5));
    // The loss falls as `zero` grows.
    let zero = smallest_that(smallest, largest, |zero| loss(0.5, zero) <= epsilon);
    Ok((0.5, zero.ok_or_else(|| too_small(loss(0.5, largest)))?))
}

/// `one` and `zero` of *symmetric unary encoding*, the bits of basic RAPPOR: `one` is the largest, and `zero` is exactly 1 − `one`, with
/// which ε is at most `epsilon`: the next larger `one` would exceed it.
///
/// ```
/// use deniable::Epsilon;
/// use deniable::mechanism::unary_encoding::symmetric;
///
/// let (one, zero) = symmetric(Epsilon::new(2.0)?)?;
/// assert!(one == 1.0 - zero && (one - 0.7311).abs() < 1e-4);
/// # Ok::<(), deniable::Error>(())
/// ```
///
/// # Errors
///
/// An `epsilon` that no `one` above 1/2 stays within, which is one below 10⁻¹⁵.
pub fn symmetric(epsilon: Epsilon) -> Result<(f64, f64)> {
    // From 1/2 on, 1 − one is a float. The loss grows with `one`.
    let both = |one: f64| (one, 1.0 - one);
    let least = 0.5 + f64::EPSILON / 2.0;
    let within = |one| loss(one, 1.0 - one) <= epsilon;
    let one = largest_that(least, before(1.0), within);
    one.map(both).ok_or_else(|| too_small(loss(least, 1.0 - least)))
}

fn too_small(least: Epsilon) -> Error {
    let accepted = format!("at least {least}");
    Error::invalid_parameter("epsilon", "no one and zero stay within it", accepted)
}

/// Above 0, and below 1.
fn check_one(one: f64) -> Result<()> {
    if is_positive(one) && one < 1.0 {
        return Ok(());
    }
    let problem = match one {
        _ if one.is_nan() => "it is not a number".to_owned(),
        _ if one >= 1.0 => format!("{} is not below 1", Shown(one)),
        _ => format!("{} is not above 0", Shown(one)),
    };
    Err(Error::invalid_parameter("one", problem, "a number above 0 and below 1"))
}

/// Above 0, and below a `one` that is.
fn check_zero(one: f64, zero: f64) -> Result<()> {
    // Floats that are not negative are in the order of their bits.
    if is_positive(zero) && zero.to_bits() < one.to_bits() {
        return Ok(());
    }
    let problem = match zero {
        _ if zero.is_nan() => "it is not a number".to_owned(),
        _ if is_positive(zero) || zero >= 1.0 => {
            format!("{} is not below one, which is {}", Shown(zero), Shown(one))
        }
        _ => format!("{} is not above 0", Shown(zero)),
    };
    Err(Error::invalid_parameter("zero", problem, "a number above 0 and below one"))
}

/// Whether it is above 0. A comparison of floats would take subnormal numbers for zero, if the processor is so set.
fn is_positive(x: f64) -> bool {
    matches!(x.decode(), Decoded::Finite { negative: false, mantissa: 1.., .. })
}

/// ln(one·(1 − zero)/(zero·(1 − one))) for probabilities above 0 and below 1.
fn loss(one: f64, zero: f64) -> Epsilon {
    let (one, zero) = (exact(one), exact(zero));
    let never = |p: &deniable_sample::Ratio| p.denominator() - p.numerator();
    loss_of_odds(1, &(one.numerator() * never(&zero)), &(zero.numerator() * never(&one)))
}

#[cfg(test)]
mod tests;
