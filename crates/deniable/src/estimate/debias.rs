use alloc::borrow::ToOwned;
use alloc::vec::Vec;
use core::hash::Hash;

use num_bigint::BigUint;

use super::FrequencyOracle;
use super::channel::Channel;
use super::counts::{BitCounts, no_reports};
use crate::error::Shown;
use crate::mechanism::bound::exact;
use crate::mechanism::randomized_response::RandomizedResponse;
use crate::mechanism::randomized_response_bitvec::check_f;
use crate::mechanism::randomized_response_bool::check_prob;
use crate::{BitVector, Error, Result};

/// Unbiased estimates of how many answers had a one at each place, from the reports of
/// [`make_randomized_response_bitvec`](crate::make_randomized_response_bitvec) with this `f`.
///
/// At each place, with Y ones among n reports, (Y − n·f/2)/(1 − f), to the nearest float. The mean squared error, summed
/// over k places, is n·k·(f − f²/2)/(2(1 − f)²). An estimate can be negative, or above n: cutting it off would bias it.
///
/// # Errors
///
/// No reports, or reports of two lengths; an `f` outside (0, 1). At f = 1 the reports say nothing.
///
/// # Examples
///
/// ```
/// use deniable::prelude::*;
///
/// let reports = [BitVector::from([true, false]), BitVector::from([true, true])];
/// assert_eq!(debias_randomized_response_bitvec(&reports, 0.5)?, [3.0, 1.0]);
/// assert!(debias_randomized_response_bitvec(&reports, 1.0).is_err());
/// # Ok::<(), deniable::Error>(())
/// ```
pub fn debias_randomized_response_bitvec<'a>(
    reports: impl IntoIterator<Item = &'a BitVector>,
    f: f64,
) -> Result<Vec<f64>> {
    let channel = Channel::bitvec(f)?;
    let mut reports = reports.into_iter().peekable();
    let first = reports.peek().ok_or_else(|| no_reports("reports"))?;
    let mut counts = BitCounts::new(first.len());
    counts.add_each(reports)?;
    Ok(channel.estimates(&counts.ones(), counts.reports()))
}

/// The same as [`debias_randomized_response_bitvec`], from the counts of the reports.
///
/// # Errors
///
/// Counts of no reports; an `f` outside (0, 1). At f = 1 the reports say nothing.
///
/// # Examples
///
/// ```
/// use deniable::estimate::{BitCounts, debias_randomized_response_bitvec_counts};
///
/// let mut counts = BitCounts::new(2);
/// assert!(debias_randomized_response_bitvec_counts(&counts, 0.5).is_err());
/// counts.add_rows(&[0b01, 0b11])?;
/// assert_eq!(debias_randomized_response_bitvec_counts(&counts, 0.5)?, [3.0, 1.0]);
/// # Ok::<(), deniable::Error>(())
/// ```
pub fn debias_randomized_response_bitvec_counts(counts: &BitCounts, f: f64) -> Result<Vec<f64>> {
    let channel = Channel::bitvec(f)?;
    if counts.reports() == 0 {
        return Err(no_reports("counts"));
    }
    Ok(channel.estimates(&counts.ones(), counts.reports()))
}

/// An unbiased estimate of how many answers were yes, from the reports of
/// [`make_randomized_response_bool`](crate::make_randomized_response_bool) with this `prob`.
///
/// With Y yeses among n reports, (Y − n·(1 − prob))/(2·prob − 1), to the nearest float.
///
/// # Errors
///
/// No reports; a `prob` outside (0.5, 1]. At 0.5 the reports say nothing.
///
/// # Examples
///
/// ```
/// use deniable::prelude::*;
///
/// assert_eq!(debias_randomized_response_bool(&[true, true, false, true], 0.75)?, 4.0);
/// assert!(debias_randomized_response_bool(&[true], 0.5).is_err());
/// # Ok::<(), deniable::Error>(())
/// ```
pub fn debias_randomized_response_bool(reports: &[bool], prob: f64) -> Result<f64> {
    let channel = Channel::bool(prob)?;
    if reports.is_empty() {
        return Err(no_reports("reports"));
    }
    let yes = reports.iter().filter(|&&report| report).count();
    Ok(channel.estimate(yes as u64, reports.len() as u64))
}

/// Unbiased estimates of how many answers there were of each category, in the order of the categories, from the reports
/// of [`make_randomized_response`](crate::make_randomized_response).
///
/// With Y reports of a category among n, and the lie r = (1 − prob)/(t − 1), it is (Y − n·r)/(prob − r), to the nearest float.
///
/// # Bias
///
/// Each answer outside the categories adds 1/t to every estimate, and the reports do not tell how many there were.
///
/// # Errors
///
/// No reports; a report that is none of the categories; a `prob` of exactly 1/t, at which the reports say nothing.
///
/// # Examples
///
/// ```
/// use deniable::prelude::*;
///
/// let drink = make_randomized_response(["tea", "coffee", "water"], 0.5)?;
/// assert_eq!(debias_randomized_response(&drink, &["tea", "tea", "coffee"])?, [5.0, 1.0, -3.0]);
/// assert!(debias_randomized_response(&drink, &["wine"]).is_err());
/// # Ok::<(), deniable::Error>(())
/// ```
pub fn debias_randomized_response<T: Eq + Hash + Clone + Send + Sync>(
    mechanism: &RandomizedResponse<T>,
    reports: &[T],
) -> Result<Vec<f64>> {
    let channel = Channel::categories(mechanism.categories().len(), mechanism.prob())?;
    if reports.is_empty() {
        return Err(no_reports("reports"));
    }
    let mut counts = BitCounts::new(mechanism.values());
    mechanism.count(reports, &mut counts)?;
    Ok(channel.estimates(&counts.ones(), counts.reports()))
}

impl Channel {
    /// Of a place of bit vectors.
    pub(crate) fn bitvec(f: f64) -> Result<Self> {
        if check_f(f).is_err() || f == 1.0 {
            let problem = match f {
                _ if f.is_nan() => "it is not a number".to_owned(),
                _ if f == 1.0 => "at 1 the reports say nothing".to_owned(),
                _ => format!("{} is not between 0 and 1", Shown(f)),
            };
            return Err(Error::invalid_parameter("f", problem, "a number above 0 and below 1"));
        }
        // f/2 = a/2b
        let f = exact(f);
        let whole = f.denominator() * 2u32;
        Ok(Self::from_parts(&whole - f.numerator(), f.numerator().clone(), whole))
    }

    /// Of the answer yes.
    pub(crate) fn bool(prob: f64) -> Result<Self> {
        check_prob(prob)?;
        if prob == 0.5 {
            let problem = "at 0.5 the reports say nothing";
            return Err(Error::invalid_parameter("prob", problem, "a number above 0.5, up to 1"));
        }
        let prob = exact(prob);
        let lie = prob.denominator() - prob.numerator();
        Ok(Self::from_parts(prob.numerator().clone(), lie, prob.denominator().clone()))
    }

    /// Of a category. A lie may be the likelier, if only by as much as the nearest float to 1/t is below it.
    pub(crate) fn categories(t: usize, prob: f64) -> Result<Self> {
        let (prob, others) = (exact(prob), BigUint::from(t - 1));
        let lie = prob.denominator() - prob.numerator();
        let truth = prob.numerator() * &others;
        if truth == lie {
            let problem = "at exactly 1/t the reports say nothing";
            return Err(Error::invalid_parameter("prob", problem, "a number above 1/t, below 1"));
        }
        Ok(Self::from_parts(truth, lie, prob.denominator() * others))
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod tests_of_counts {
    use super::*;

    #[test]
    fn counts_give_the_estimates_of_their_reports() {
        let reports = [BitVector::from([true, false, true]), BitVector::from([true, true, false])];
        let mut counts = BitCounts::new(3);
        for f in [0.0, 1.0, f64::NAN] {
            let error = debias_randomized_response_bitvec_counts(&counts, f).unwrap_err();
            assert_eq!(error.parameter(), Some("f"));
        }
        let error = debias_randomized_response_bitvec_counts(&counts, 0.5).unwrap_err();
        assert_eq!(error.parameter(), Some("counts"));
        assert!(error.to_string().contains("there are none; accepted is at least one report"));
        counts.add_all(&reports).unwrap();
        let expected = debias_randomized_response_bitvec(&reports, 0.3).unwrap();
        assert_eq!(debias_randomized_response_bitvec_counts(&counts, 0.3).unwrap(), expected);
    }
}
