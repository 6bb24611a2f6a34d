//! Yes or no: the truth with a known probability, else its opposite.
#![doc = include_str!("proof.md")]

use alloc::borrow::ToOwned;
use alloc::vec::Vec;
use core::fmt;

#[cfg(feature = "std")]
use deniable_sample::OsEntropy;
use deniable_sample::{Dyadic, Entropy, FLIPS, Kernel, Scratch, Source, Word, vectorized};
use num_bigint::BigUint;

use crate::bulk::{each_part, in_parts, or_wiped};
use crate::domain::{AtomDomain, Domain};
use crate::error::Shown;
use crate::mechanism::bound::{exact, loss_of_odds};
use crate::mechanism::lanes::{Flips, flips};
use crate::mechanism::one_answer::measurement_of_one_answer;
use crate::mechanism::search::largest_that;
use crate::{Epsilon, Error, LocalRandomizer, Measurement, Result};

/// Releases a yes or no truthfully with probability `prob`, and its opposite otherwise.
///
/// With `constant_time` the number of random words drawn depends on `prob` and the number of answers alone, and no branch and no
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

    /// Randomizes answers where they are.
    ///
    /// # Errors
    ///
    /// A source of entropy that fails. Then all of them are `false`: none is left as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use deniable::prelude::*;
    ///
    /// let mut answers = [true, false, true];
    /// make_randomized_response_bool(0.75, false)?.invoke_in_place(&mut answers)?;
    /// # Ok::<(), deniable::Error>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn invoke_in_place(&self, answers: &mut [bool]) -> Result<()> {
        in_parts(answers, false, LEAST, |part| self.randomize_in_place(part, &mut OsEntropy::new()))
    }

    /// [`RandomizedResponseBool::invoke_in_place`] for answers of one bit each, 64 in a word, the first lowest. Bits behind the
    /// last answer stay as they are.
    ///
    /// # Errors
    ///
    /// More or fewer words than that takes: then they stay as they are. A source of entropy that fails: then all words are zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use deniable::prelude::*;
    ///
    /// let mut answers = [0b101];
    /// make_randomized_response_bool(0.75, false)?.invoke_packed(&mut answers, 3)?;
    /// assert!(answers[0] <= 0b111);
    /// # Ok::<(), deniable::Error>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn invoke_packed(&self, answers: &mut [u64], length: usize) -> Result<()> {
        check_words(answers, length)?;
        or_wiped(answers, 0, |answers| {
            // The last word is the only one that may have fewer.
            let (whole, rest) = answers.split_at_mut(length / 64);
            each_part(whole, LEAST / 64, |part| {
                self.randomize_packed(part, 64 * part.len(), &mut OsEntropy::new())
            })?;
            self.randomize_packed(rest, length % 64, &mut OsEntropy::new())
        })
    }

    /// [`RandomizedResponseBool::invoke_in_place`] for random words of any width. On failure some answers may be as they were.
    ///
    /// # Errors
    ///
    /// A source that fails.
    pub fn randomize_in_place<S: Source + ?Sized>(
        &self,
        answers: &mut [bool],
        source: &mut S,
    ) -> Result<()> {
        let (mut drawn, mut scratch) = ([0; FLIPS], Scratch::new());
        let width = S::Word::BITS as usize;
        for answers in answers.chunks_mut(flips::<S>()) {
            let count = answers.len();
            let truthful = &mut drawn[..count.div_ceil(width)];
            self.truth.sample_flips(truthful, count, self.constant_time, &mut scratch, source)?;
            for (answers, truthful) in answers.chunks_mut(width).zip(truthful) {
                vectorized(Lies { answers, lies: !*truthful });
            }
        }
        Ok(())
    }

    /// [`RandomizedResponseBool::invoke_packed`] for random words of any width. On failure some answers may be as they were.
    ///
    /// # Errors
    ///
    /// More or fewer words than there are answers; a source that fails.
    pub fn randomize_packed<S: Source + ?Sized>(
        &self,
        answers: &mut [u64],
        length: usize,
        source: &mut S,
    ) -> Result<()> {
        check_words(answers, length)?;
        let (law, constant_time) = (self.truth, self.constant_time);
        Flips { law, constant_time, of_kept: true }.flip(
            answers,
            length,
            &mut Scratch::new(),
            source,
        )
    }

    /// The standard error of the number of yeses, estimated from the reports of `respondents` people by
    /// [`debias_randomized_response_bool`](crate::debias_randomized_response_bool). ∞ if `prob` is 0.5: then the reports say nothing.
    #[cfg(feature = "std")]
    pub fn standard_error(&self, respondents: u64) -> f64 {
        let variance = respondents as f64 * self.prob * (1.0 - self.prob);
        match 2.0 * self.prob - 1.0 {
            0.0 => f64::INFINITY,
            signal => variance.sqrt() / signal,
        }
    }
}

impl Measurement for RandomizedResponseBool {
    measurement_of_one_answer!(AtomDomain<bool>, bool);
}

impl LocalRandomizer for RandomizedResponseBool {
    #[cfg(feature = "std")]
    fn invoke_batch(&self, answers: &[bool]) -> Result<Vec<bool>> {
        let mut reports = answers.to_vec();
        self.invoke_in_place(&mut reports)?;
        Ok(reports)
    }

    fn invoke_batch_from(&self, answers: &[bool], entropy: &mut dyn Entropy) -> Result<Vec<bool>> {
        let mut reports = answers.to_vec();
        self.randomize_in_place(&mut reports, entropy)?;
        Ok(reports)
    }
}

/// Fewer answers than these are not worth a thread.
const LEAST: usize = 1 << 18;

/// Turns the answers whose bit is one into their opposites.
struct Lies<'a> {
    answers: &'a mut [bool],
    lies: u64,
}

impl Kernel for Lies<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let mut lies = [0; 64];
        for (bytes, byte) in lies.chunks_exact_mut(8).zip(self.lies.to_le_bytes()) {
            // Bit i of the byte alone in byte i, and then at the end of it.
            let alone = (u64::from(byte) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
            let bits = ((alone + 0x7f7f_7f7f_7f7f_7f7f) >> 7) & 0x0101_0101_0101_0101;
            bytes.copy_from_slice(&bits.to_le_bytes());
        }
        match <&mut [bool; 64]>::try_from(&mut *self.answers) {
            Ok(answers) => flip(answers, &lies),
            Err(_) => flip(self.answers, &lies),
        }
    }
}

/// Turns the answers whose byte is one into their opposites.
#[inline(always)]
fn flip(answers: &mut [bool], lies: &[u8; 64]) {
    for (answer, lie) in answers.iter_mut().zip(lies) {
        *answer ^= *lie == 1;
    }
}

/// Whether so many words hold so many bits.
fn check_words(answers: &[u64], length: usize) -> Result<()> {
    if answers.len() == length.div_ceil(64) {
        return Ok(());
    }
    let problem = "they are not as many as length says";
    Err(Error::invalid_parameter("answers", problem, "one word for every 64 answers"))
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
