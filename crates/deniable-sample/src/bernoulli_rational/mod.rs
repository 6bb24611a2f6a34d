//! One bit that is true with a rational probability.
#![doc = include_str!("proof.md")]

use num_bigint::BigUint;

use crate::error::Refusal;
use crate::expansion::{Expansion, uniform_is_below};
use crate::{Error, Ratio, Result, Source};

/// True with probability exactly `prob`.
///
/// # Errors
///
/// A `prob` above 1; a source that fails.
///
/// # Examples
///
/// ```
/// use deniable_sample::{OsEntropy, Ratio, sample_bernoulli_rational};
/// let third: bool = sample_bernoulli_rational(&Ratio::new(1u32, 3u32)?, &mut OsEntropy::new())?;
/// assert!(sample_bernoulli_rational(&Ratio::new(4u32, 3u32)?, &mut OsEntropy::new()).is_err());
/// # Ok::<(), deniable_sample::Error>(())
/// ```
pub fn sample_bernoulli_rational<S: Source + ?Sized>(prob: &Ratio, source: &mut S) -> Result<bool> {
    if prob.numerator() > prob.denominator() {
        return Err(Error::invalid_parameter(&Refusal {
            parameter: "prob",
            accepted: "a ratio from 0 to 1",
        }));
    }
    if prob.numerator() == prob.denominator() {
        return Ok(true);
    }
    match prob.words() {
        Some((rest, denominator)) => uniform_is_below(WordDivision { rest, denominator }, source),
        None => {
            let (rest, denominator) = (prob.numerator().clone(), prob.denominator());
            uniform_is_below(BigDivision { rest, denominator }, source)
        }
    }
}

/// Long division: the digits of rest/denominator, where rest < denominator.
struct WordDivision {
    rest: u64,
    denominator: u64,
}

impl Expansion for WordDivision {
    fn next(&mut self, width: u32) -> Option<u64> {
        if self.rest == 0 {
            return None;
        }
        let dividend = u128::from(self.rest) << width;
        let denominator = u128::from(self.denominator);
        self.rest = (dividend % denominator) as u64;
        Some((dividend / denominator) as u64)
    }
}

/// The same in big integers.
struct BigDivision<'a> {
    rest: BigUint,
    denominator: &'a BigUint,
}

impl Expansion for BigDivision<'_> {
    fn next(&mut self, width: u32) -> Option<u64> {
        if self.rest == BigUint::ZERO {
            return None;
        }
        let dividend = &self.rest << width;
        let digit = &dividend / self.denominator;
        self.rest = dividend - &digit * self.denominator;
        Some(u64::try_from(&digit).expect("the rest is below the denominator"))
    }
}
