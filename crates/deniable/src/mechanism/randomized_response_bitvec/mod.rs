//! Bit vectors: each bit flipped with a known probability. The permanent step of RAPPOR.
#![doc = include_str!("proof.md")]

use alloc::borrow::ToOwned;
use alloc::vec::Vec;
use core::fmt;

use deniable_num::{Decoded, Float};
#[cfg(feature = "std")]
use deniable_sample::OsEntropy;
use deniable_sample::{Dyadic, Entropy, FLIPS, Scratch, Source};
use num_bigint::BigUint;

use crate::bulk::{in_parts, or_wiped};
use crate::domain::{BitVectorDomain, Domain};
use crate::error::Shown;
use crate::mechanism::bound::{exact, loss_of_odds};
use crate::mechanism::lanes::Flips;
use crate::mechanism::search::smallest_that;
use crate::{
    BitVector, DiscreteDistance, Epsilon, Error, LocalRandomizer, MaxDivergence, Measurement,
    Result,
};

/// Releases a bit vector of which each bit is flipped with probability `f`/2, independently of the others.
///
/// With `constant_time` the number of random words drawn depends on `f` and the length alone, and no branch and no
/// address depends on the bits, the words or the report, except on whether the vector is a member of the domain.
///
/// # Privacy
///
/// Vectors of k bits with at most m ones differ in at most min(2m, k) places: ε = min(2m, k) · ln((2 − f)/f), rounded up, for
/// d_in = 1.
///
/// # Errors
///
/// A domain without a `max_weight`; an `f` outside (0, 1].
///
/// # Examples
///
/// ```
/// use deniable::prelude::*;
///
/// let domain = BitVectorDomain::new(8).with_max_weight(1);
/// let flips = make_randomized_response_bitvec(domain, DiscreteDistance, 0.5, false)?;
/// let report = flips.invoke(&BitVector::from_bytes(&[0b100], 8)?)?;
/// assert_eq!(report.len(), 8);
/// assert!(flips.map(1)?.get() >= 2.0 * 3f64.ln());
///
/// let error = make_randomized_response_bitvec(domain, DiscreteDistance, 0.0, false).unwrap_err();
/// assert_eq!(error.to_string(), "invalid f: 0 is not above 0; accepted is a number above 0, up to 1");
/// let error = flips.invoke(&BitVector::zeros(9)).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::NotAMember);
/// # Ok::<(), deniable::Error>(())
/// ```
pub fn make_randomized_response_bitvec(
    input_domain: BitVectorDomain,
    input_metric: DiscreteDistance,
    f: f64,
    constant_time: bool,
) -> Result<RandomizedResponseBitvec> {
    let distance = largest_distance(&input_domain)?;
    check_f(f)?;
    Ok(RandomizedResponseBitvec {
        domain: input_domain,
        metric: input_metric,
        f,
        constant_time,
        flip: Dyadic::from_float(f)?.half(),
        epsilon: loss(distance, f),
    })
}

/// The mechanism of [`make_randomized_response_bitvec`].
#[derive(Clone, PartialEq)]
pub struct RandomizedResponseBitvec {
    domain: BitVectorDomain,
    metric: DiscreteDistance,
    f: f64,
    constant_time: bool,
    flip: Dyadic,
    epsilon: Epsilon,
}

impl RandomizedResponseBitvec {
    /// Twice the probability that a bit is flipped.
    pub fn f(&self) -> f64 {
        self.f
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
    pub fn randomize<S: Source + ?Sized>(
        &self,
        answer: &BitVector,
        source: &mut S,
    ) -> Result<BitVector> {
        self.domain.check_member(answer)?;
        let mut report = answer.clone();
        self.flip(report.as_words_mut(), &mut Scratch::new(), source)?;
        Ok(report)
    }

    /// Randomizes a vector where it is.
    ///
    /// # Errors
    ///
    /// As [`Measurement::invoke`]. If entropy fails, all bits are zero; a vector that is no member stays as it is.
    #[cfg(feature = "std")]
    pub fn invoke_in_place(&self, answer: &mut BitVector) -> Result<()> {
        self.domain.check_member(answer)?;
        or_wiped(answer.as_words_mut(), 0, |bits| {
            self.flip(bits, &mut Scratch::new(), &mut OsEntropy::new())
        })
    }

    /// Randomizes many vectors where they are, packed one after the other, each in as many words as its bits take.
    ///
    /// # Errors
    ///
    /// A number of words that is no multiple of those of a vector, a one behind the last bit of a vector, or one that is no member:
    /// then all stay as they are. If entropy fails, all words are zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use deniable::prelude::*;
    ///
    /// let domain = BitVectorDomain::new(70).with_max_weight(1);
    /// let flips = make_randomized_response_bitvec(domain, DiscreteDistance, 0.5, false)?;
    /// let mut two = [1 << 5, 0, 0, 1];
    /// flips.invoke_rows(&mut two)?;
    /// assert!(two[1] < 1 << 6 && two[3] < 1 << 6);
    /// assert!(flips.invoke_rows(&mut [1, 0, 0]).is_err());
    /// # Ok::<(), deniable::Error>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn invoke_rows(&self, rows: &mut [u64]) -> Result<()> {
        self.check_rows(rows)?;
        let words = self.words();
        in_parts(rows, 0, words * LEAST.div_ceil(words.max(1)), |part| {
            self.flip_rows(part, &mut OsEntropy::new())
        })
    }

    /// [`RandomizedResponseBitvec::invoke_rows`] for random words of any width. On failure some vectors may be as they were.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn randomize_rows<S: Source + ?Sized>(
        &self,
        rows: &mut [u64],
        source: &mut S,
    ) -> Result<()> {
        self.check_rows(rows)?;
        self.flip_rows(rows, source)
    }

    fn check_rows(&self, rows: &[u64]) -> Result<()> {
        if !is_multiple(rows.len(), self.words()) {
            let problem = "they are not whole vectors";
            let accepted = format!("a multiple of {} words", self.words());
            return Err(Error::invalid_parameter("rows", problem, accepted));
        }
        let (mut rest, mut breach) = (rows, 0);
        // All are looked at before anything is decided: time tells whether all are members, and not which one is none.
        while !rest.is_empty() {
            let (row, others) = rest.split_at(self.words());
            breach |= self.domain.breach_of(row);
            rest = others;
        }
        if breach == 0 { Ok(()) } else { Err(Error::not_a_member(self.domain.members())) }
    }

    fn flip_rows<S: Source + ?Sized>(&self, rows: &mut [u64], source: &mut S) -> Result<()> {
        let (mut scratch, length) = (Scratch::new(), self.domain.length());
        if length % 64 == 0 {
            // Without gaps between them they are one long vector, with more bits than a number may be able to tell.
            let mut all = rows.chunks_mut(FLIPS);
            return all.try_for_each(|bits| {
                self.flips().flip(bits, 64 * bits.len(), &mut scratch, source)
            });
        }
        let mut rest = rows;
        while let Some((row, others)) = rest.split_at_mut_checked(self.words()) {
            self.flips().flip(row, length, &mut scratch, source)?;
            rest = others;
        }
        Ok(())
    }

    /// Flips each bit of a vector with its probability.
    fn flip<S: Source + ?Sized>(
        &self,
        bits: &mut [u64],
        scratch: &mut Scratch<S::Word>,
        source: &mut S,
    ) -> Result<()> {
        self.flips().flip(bits, self.domain.length(), scratch, source)
    }

    fn flips(&self) -> Flips {
        Flips { law: self.flip, constant_time: self.constant_time, of_kept: false }
    }

    /// The words of a vector.
    fn words(&self) -> usize {
        self.domain.length().div_ceil(64)
    }

    /// The standard error of the number of ones at one place, estimated from the reports of `respondents` people by
    /// [`debias_randomized_response_bitvec`](crate::debias_randomized_response_bitvec). ∞ if `f` is 1: then the reports say nothing.
    #[cfg(feature = "std")]
    pub fn standard_error(&self, respondents: u64) -> f64 {
        if self.f == 1.0 {
            return f64::INFINITY;
        }
        let flip = self.f / 2.0;
        (respondents as f64 * flip * (1.0 - flip)).sqrt() / (1.0 - self.f)
    }

    /// The expected sum over all places of the squared errors of these estimates: n·k·(f − f²/2)/(2(1 − f)²) for n
    /// respondents and k bits. ∞ if `f` is 1.
    pub fn mean_squared_error(&self, respondents: u64) -> f64 {
        if self.f == 1.0 {
            return f64::INFINITY;
        }
        let (n, k, f) = (respondents as f64, self.domain.length() as f64, self.f);
        n * k * (f - f * f / 2.0) / (2.0 * (1.0 - f) * (1.0 - f))
    }
}

impl Measurement for RandomizedResponseBitvec {
    type Domain = BitVectorDomain;
    type Metric = DiscreteDistance;
    type Measure = MaxDivergence;
    type Output = BitVector;

    fn input_domain(&self) -> &BitVectorDomain {
        &self.domain
    }

    fn input_metric(&self) -> DiscreteDistance {
        self.metric
    }

    fn output_measure(&self) -> MaxDivergence {
        MaxDivergence
    }

    fn map(&self, d_in: u32) -> Result<Epsilon> {
        match d_in {
            0 => Ok(Epsilon::ZERO),
            1 => Ok(self.epsilon),
            _ => Err(Error::invalid_distance("d_in", format!("{d_in} is above 1"), "0 or 1")),
        }
    }

    #[cfg(feature = "std")]
    fn invoke(&self, answer: &BitVector) -> Result<BitVector> {
        self.randomize(answer, &mut OsEntropy::new())
    }

    fn invoke_from(&self, answer: &BitVector, entropy: &mut dyn Entropy) -> Result<BitVector> {
        self.randomize(answer, entropy)
    }
}

impl LocalRandomizer for RandomizedResponseBitvec {
    #[cfg(feature = "std")]
    fn invoke_batch(&self, answers: &[BitVector]) -> Result<Vec<BitVector>> {
        self.domain.check_members(answers)?;
        let mut reports = answers.to_vec();
        let (mut scratch, mut entropy) = (Scratch::new(), OsEntropy::new());
        let mut bits = reports.iter_mut().map(BitVector::as_words_mut);
        bits.try_for_each(|bits| self.flip(bits, &mut scratch, &mut entropy))?;
        Ok(reports)
    }
}

/// Fewer words than these are not worth a thread.
const LEAST: usize = 1 << 12;

impl fmt::Debug for RandomizedResponseBitvec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RandomizedResponseBitvec")
            .field("domain", &self.domain)
            .field("f", &self.f)
            .field("constant_time", &self.constant_time)
            .field("epsilon", &self.epsilon)
            .finish()
    }
}

/// The smallest `f` whose ε is at most `epsilon`: the next smaller float would exceed it.
///
/// ```
/// use deniable::mechanism::randomized_response_bitvec::smallest_f;
/// use deniable::{BitVectorDomain, Epsilon};
///
/// let f = smallest_f(&BitVectorDomain::new(64).with_max_weight(1), Epsilon::new(2.0)?)?;
/// assert!((f - 0.538).abs() < 1e-3);
/// # Ok::<(), deniable::Error>(())
/// ```
///
/// # Errors
///
/// A domain without a `max_weight`.
pub fn smallest_f(input_domain: &BitVectorDomain, epsilon: Epsilon) -> Result<f64> {
    let distance = largest_distance(input_domain)?;
    let smallest = f64::from_bits(1);
    let within = |f| loss(distance, f) <= epsilon;
    Ok(smallest_that(smallest, 1.0, within).expect("no loss at 1"))
}

/// Whether there are so many words for each of some vectors. By itself, so that the code which sees bits has no division in it.
#[inline(never)]
fn is_multiple(words: usize, of: usize) -> bool {
    if of == 0 { words == 0 } else { words % of == 0 }
}

/// In how many places two members can differ.
fn largest_distance(domain: &BitVectorDomain) -> Result<u64> {
    let Some(max_weight) = domain.max_weight() else {
        return Err(Error::invalid_parameter(
            "input_domain",
            "it has no max_weight",
            "a domain with a max_weight, such as BitVectorDomain::new(64).with_max_weight(2)",
        ));
    };
    Ok(max_weight.saturating_mul(2).min(domain.length()) as u64)
}

/// Above 0, and at most 1.
pub(crate) fn check_f(f: f64) -> Result<()> {
    let is_positive = matches!(f.decode(), Decoded::Finite { negative: false, mantissa: 1.., .. });
    if f <= 1.0 && is_positive {
        return Ok(());
    }
    let problem = match f {
        _ if f.is_nan() => "it is not a number".to_owned(),
        _ if f > 1.0 => format!("{} is above 1", Shown(f)),
        _ => format!("{} is not above 0", Shown(f)),
    };
    Err(Error::invalid_parameter("f", problem, "a number above 0, up to 1"))
}

/// distance · ln((2 − f)/f) for an `f` above 0, up to 1.
fn loss(distance: u64, f: f64) -> Epsilon {
    // f = a/b
    let f = exact(f);
    let kept = f.denominator() * BigUint::from(2u32) - f.numerator();
    loss_of_odds(distance, &kept, f.numerator())
}

#[cfg(test)]
mod tests;
