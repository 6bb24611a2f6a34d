//! One of many categories, hashed: a hash function that the respondent draws, and the bucket of the answer, or another one.
#![doc = include_str!("proof.md")]

#[cfg(feature = "std")]
mod counting;
mod family;
mod report;
mod rows;

use alloc::vec::Vec;

pub use report::HashedReport;

use core::borrow::Borrow;
use core::fmt;
use core::hash::Hash;

use deniable_sample::{Dyadic, Entropy, Source, sample_uniform_int_below};

use self::family::{hash, seed_length};
use crate::domain::{CategoryDomain, Domain};
#[cfg(feature = "std")]
use crate::estimate::FrequencyOracle;
use crate::mechanism::bound::loss_of_odds;
use crate::mechanism::categories::Categories;
use crate::mechanism::one_answer::measurement_of_one_answer;
use crate::mechanism::randomized_response::{self, check_prob, loss, randomize_place};
use crate::{Epsilon, Error, LocalRandomizer, Measurement, Result};

/// Releases a hash function, drawn at random, and one of `buckets` buckets: with probability `prob` that of the answer under this hash function, else one of
/// the others, each as likely as any. An answer that is none of the categories gives any bucket.
///
/// For long lists: the error of an estimate does not grow with the number of categories, as that of
/// [`make_randomized_response`](crate::make_randomized_response) does. From about 3·e^ε + 2 categories on it is the smaller. It is the optimized
/// local hashing of Wang, Blocki, Li and Jha, "Locally Differentially Private Protocols for Frequency Estimation" (2017), if `buckets` is
/// [`best_buckets`] and `prob` is [`largest_prob`], with hash functions that are pairwise independent exactly.
///
/// # Reports
///
/// A [`HashedReport`] is m + 2 numbers of 16 bits for lists of up to 2^m categories: 18 bytes for 128 of them, 44 for a million. Whoever counts reports must know
/// the list and its order, and hashes each category for each report.
///
/// # Privacy
///
/// With g buckets, ε = |ln(prob·(g − 1)/(1 − prob))|, rounded up, for every d_in from 1 on. The hash function is drawn whatever the answer and is public: the loss does
/// not rest on its quality. Every answer draws the same random words: the numbers of the hash function in their order, then whether the bucket is that of the
/// answer, then any bucket, then another one. Time is not protected: looking up an answer and hashing it takes longer for some than for others.
///
/// # Bias
///
/// A report of any other answer, outside the categories or inside, supports a category with probability 1/g exactly. So answers outside do not bias the
/// estimates: they are missing in all of them.
///
/// # Errors
///
/// Fewer than two categories, or two that are equal; fewer than 2 or more than 65536 buckets; a `prob` below 1/g or not below 1. The float nearest to 1/g, which
/// is what `1.0 / g` computes, is accepted, and its ε is right, where it is below 1/g too.
///
/// # Examples
///
/// ```
/// use deniable::estimate::{BitCounts, FrequencyOracle};
/// use deniable::mechanism::local_hashing::{best_buckets, largest_prob};
/// use deniable::prelude::*;
///
/// let budget = Epsilon::new(1.0)?;
/// let buckets = best_buckets(budget);
/// let towns = (0..5000).map(|number| format!("town {number}"));
/// let home = make_local_hashing(towns, buckets, largest_prob(buckets, budget)?)?;
/// assert!(home.check(1, budget)?);
///
/// let report = home.invoke(&"town 4711".to_owned())?;
/// let mut counts = BitCounts::new(home.values());
/// home.count(&[report], &mut counts)?;
///
/// let error = make_local_hashing(["tea", "coffee"], 1, 0.5).unwrap_err();
/// assert_eq!(error.to_string(), "invalid buckets: 1 is below 2; accepted is an integer from 2 to 65536");
/// # Ok::<(), deniable::Error>(())
/// ```
pub fn make_local_hashing<T: Eq + Hash + Clone + Send + Sync>(
    categories: impl IntoIterator<Item = T>,
    buckets: usize,
    prob: f64,
) -> Result<LocalHashing<T>> {
    let categories = Categories::new(categories)?;
    check_buckets(buckets)?;
    check_prob(buckets, prob)?;
    Ok(LocalHashing {
        domain: CategoryDomain::new(),
        categories,
        buckets: buckets as u32,
        prob,
        truth: Dyadic::from_float(prob)?,
        epsilon: loss(buckets, prob),
    })
}

/// The mechanism of [`make_local_hashing`].
#[derive(Clone)]
pub struct LocalHashing<T> {
    domain: CategoryDomain<T>,
    categories: Categories<T>,
    /// From 2 to 2^16.
    buckets: u32,
    prob: f64,
    truth: Dyadic,
    epsilon: Epsilon,
}

impl<T: Eq + Hash + Clone + Send + Sync> LocalHashing<T> {
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

    /// The number of buckets.
    pub fn buckets(&self) -> usize {
        self.buckets as usize
    }

    /// The probability of the answer's own bucket.
    pub fn prob(&self) -> f64 {
        self.prob
    }

    /// The numbers of a hash function.
    fn seed_length(&self) -> usize {
        seed_length(self.categories.len())
    }

    /// [`Measurement::invoke_from`] for random words of any width. That is what exhaustive checks run.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn randomize<S: Source + ?Sized>(
        &self,
        answer: &T,
        source: &mut S,
    ) -> Result<HashedReport> {
        self.domain.check_member(answer)?;
        let place = self.index_of(answer);
        let mut seed = vec![0; self.seed_length()];
        for residue in &mut seed {
            *residue = sample_uniform_int_below(self.buckets, source)? as u16;
        }
        let hashed = place.map(|place| hash(&seed, place as u32, self.buckets) as usize);
        let bucket = randomize_place(self.buckets(), self.truth, hashed, source)?;
        Ok(HashedReport::new(seed, bucket as u16))
    }

    /// The standard error of one category's number of answers, estimated from the reports of `respondents` people, at the number of answers where it is
    /// largest. ∞ if the reports say nothing.
    #[cfg(feature = "std")]
    pub fn standard_error(&self, respondents: u64) -> f64 {
        let Ok(channel) = self.channel() else { return f64::INFINITY };
        let (truth, lie) = (channel.truth(), channel.lie());
        let variance = f64::max(truth * (1.0 - truth), lie * (1.0 - lie));
        (respondents as f64 * variance).sqrt() / channel.signal()
    }

    fn reports_of(&self, rows: &[u16]) -> Vec<HashedReport> {
        rows.chunks_exact(self.row_length()).map(HashedReport::from_row).collect()
    }
}

impl<T: Eq + Hash + Clone + Send + Sync> Measurement for LocalHashing<T> {
    measurement_of_one_answer!(CategoryDomain<T>, HashedReport);
}

impl<T: Eq + Hash + Clone + Send + Sync> LocalRandomizer for LocalHashing<T> {
    #[cfg(feature = "std")]
    fn invoke_batch(&self, answers: &[T]) -> Result<Vec<HashedReport>> {
        let rows = self.invoke_rows(&self.categories.places(answers))?;
        Ok(self.reports_of(&rows))
    }

    fn invoke_batch_from(
        &self,
        answers: &[T],
        entropy: &mut dyn Entropy,
    ) -> Result<Vec<HashedReport>> {
        let rows = self.randomize_rows(&self.categories.places(answers), entropy)?;
        Ok(self.reports_of(&rows))
    }
}

impl<T: Eq + Hash> PartialEq for LocalHashing<T> {
    /// The same categories in the same order, as many buckets, and the same `prob`: the rest follows from them.
    fn eq(&self, other: &Self) -> bool {
        self.categories == other.categories
            && self.buckets == other.buckets
            && self.truth == other.truth
    }
}

impl<T: fmt::Debug> fmt::Debug for LocalHashing<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalHashing")
            .field("categories", &self.categories)
            .field("buckets", &self.buckets)
            .field("prob", &self.prob)
            .field("epsilon", &self.epsilon)
            .finish()
    }
}

/// The number of buckets with which the estimates of rare categories have the smallest error, for this loss: next to e^ε + 1, and at most 65536.
///
/// The variance of such an estimate, for n respondents, is n·(e^ε + g − 1)²/((g − 1)·(e^ε − 1)²).
///
/// ```
/// use deniable::Epsilon;
/// use deniable::mechanism::local_hashing::best_buckets;
///
/// assert_eq!(best_buckets(Epsilon::ZERO), 2);
/// assert_eq!(best_buckets(Epsilon::new(1.0)?), 4);
/// assert_eq!(best_buckets(Epsilon::new(4.0)?), 56);
/// # Ok::<(), deniable::Error>(())
/// ```
pub fn best_buckets(epsilon: Epsilon) -> usize {
    // With s = g − 1 the variance is a multiple of e^2ε/s + 2·e^ε + s. One more bucket makes it no smaller from the first s on with s·(s + 1) ≥ e^2ε. No
    // such logarithm is a float, so that rounding it up does not change on which side of one it is.
    let twice = 2.0 * epsilon.get();
    let is_small = |s: u64| loss_of_odds(1, &(s * (s + 1)).into(), &1u32.into()).get() <= twice;
    let (mut low, mut high) = (1, MOST_BUCKETS as u64 - 1);
    while low < high {
        let middle = low.midpoint(high);
        if is_small(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low as usize + 1
}

/// The largest `prob` with which so many buckets have an ε of at most `epsilon`: the next larger float would exceed it.
///
/// It is [that](randomized_response::largest_prob) of randomized response with as many categories.
///
/// # Errors
///
/// Fewer than 2 or more than 65536 buckets; an `epsilon` that no accepted `prob` stays within, which happens only where one in the number of buckets is no
/// float and `epsilon` is below 10⁻¹⁵.
pub fn largest_prob(buckets: usize, epsilon: Epsilon) -> Result<f64> {
    check_buckets(buckets)?;
    randomized_response::largest_prob(buckets, epsilon)
}

/// A residue has 16 bits.
const MOST_BUCKETS: usize = 1 << 16;

fn check_buckets(buckets: usize) -> Result<()> {
    let problem = match buckets {
        0 | 1 => format!("{buckets} is below 2"),
        _ if buckets > MOST_BUCKETS => format!("{buckets} is above {MOST_BUCKETS}"),
        _ => return Ok(()),
    };
    let accepted = format!("an integer from 2 to {MOST_BUCKETS}");
    Err(Error::invalid_parameter("buckets", problem, accepted))
}

#[cfg(test)]
mod tests;
