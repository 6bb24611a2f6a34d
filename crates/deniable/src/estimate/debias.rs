use core::hash::Hash;

use deniable_num::{Direction, Real};
use num_bigint::{BigInt, BigUint, Sign};

use super::counts::BitCounts;
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
    let mut counts = vec![0; mechanism.categories().len()];
    for (number, report) in reports.iter().enumerate() {
        let Some(index) = mechanism.index_of(report) else {
            let problem = format!("report number {} is none of the categories", number + 1);
            return Err(Error::invalid_parameter("reports", problem, "reports of this mechanism"));
        };
        counts[index] += 1;
    }
    Ok(channel.estimates(&counts, reports.len() as u64))
}

/// The probabilities of a report given the answer: truth/whole where it agrees and lie/whole where it does not.
struct Channel {
    whole: BigUint,
    lie: BigUint,
    /// truth − lie, not zero.
    signal: BigInt,
}

impl Channel {
    fn bitvec(f: f64) -> Result<Self> {
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
        Ok(Self::new(&whole - f.numerator(), f.numerator().clone(), whole))
    }

    fn bool(prob: f64) -> Result<Self> {
        check_prob(prob)?;
        if prob == 0.5 {
            let problem = "at 0.5 the reports say nothing";
            return Err(Error::invalid_parameter("prob", problem, "a number above 0.5, up to 1"));
        }
        let prob = exact(prob);
        let lie = prob.denominator() - prob.numerator();
        Ok(Self::new(prob.numerator().clone(), lie, prob.denominator().clone()))
    }

    fn categories(t: usize, prob: f64) -> Result<Self> {
        let (prob, others) = (exact(prob), BigUint::from(t - 1));
        let lie = prob.denominator() - prob.numerator();
        let truth = prob.numerator() * &others;
        if truth == lie {
            let problem = "at exactly 1/t the reports say nothing";
            return Err(Error::invalid_parameter("prob", problem, "a number above 1/t, below 1"));
        }
        Ok(Self::new(truth, lie, prob.denominator() * others))
    }

    fn new(truth: BigUint, lie: BigUint, whole: BigUint) -> Self {
        let signal = BigInt::from(truth) - BigInt::from(lie.clone());
        Channel { whole, lie, signal }
    }

    /// (count·whole − respondents·lie)/signal, to the nearest float.
    fn estimate(&self, count: u64, respondents: u64) -> f64 {
        let in_words = self.estimate_in_words(count, respondents);
        in_words.unwrap_or_else(|| self.estimate_in_full(count, respondents))
    }

    /// The same, if the numbers fit into words.
    fn estimate_in_words(&self, count: u64, respondents: u64) -> Option<f64> {
        let (whole, lie) = (i64::try_from(&self.whole).ok()?, i64::try_from(&self.lie).ok()?);
        let signal = i64::try_from(&self.signal).ok()?;
        let surplus =
            i128::from(whole) * i128::from(count) - i128::from(lie) * i128::from(respondents);
        if surplus == 0 {
            return None;
        }
        let (up, divisor) = (surplus.unsigned_abs().leading_zeros(), signal.unsigned_abs());
        let (dividend, divisor) = (surplus.unsigned_abs() << up, u128::from(divisor));
        // The quotient has 65 bits or more. Its last bit stands for all that follow, so that it is rounded once.
        let quotient = (dividend / divisor) | u128::from(dividend % divisor != 0);
        let size = quotient as f64 / (1u128 << up) as f64;
        Some(if (surplus < 0) != (signal < 0) { -size } else { size })
    }

    /// The same, whatever the size of the numbers.
    fn estimate_in_full(&self, count: u64, respondents: u64) -> f64 {
        let surplus = BigInt::from(&self.whole * count) - BigInt::from(&self.lie * respondents);
        let ratio = Real::ratio(surplus.magnitude(), self.signal.magnitude());
        let negative = (surplus.sign() == Sign::Minus) != (self.signal.sign() == Sign::Minus);
        ratio.expect("the signal is not zero").with_sign(negative).round(Direction::Nearest)
    }

    /// The same for each of `counts`. With fewer respondents than counts, each estimate is computed once.
    fn estimates(&self, counts: &[u64], respondents: u64) -> Vec<f64> {
        let distinct = respondents.saturating_add(1);
        if distinct >= counts.len() as u64 {
            return counts.iter().map(|&count| self.estimate(count, respondents)).collect();
        }
        let mut known = vec![None; distinct as usize];
        let estimate = |&count: &u64| {
            *known[count as usize].get_or_insert_with(|| self.estimate(count, respondents))
        };
        counts.iter().map(estimate).collect()
    }
}

fn no_reports(parameter: &'static str) -> Error {
    Error::invalid_parameter(parameter, "there are none", "at least one report")
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod tests_of_counts {
    use super::*;
    use crate::common::words;

    #[test]
    fn estimates_in_words_are_those_in_full() {
        let noise = [0.1, 0.25, 0.3, 1.0 - f64::EPSILON].map(|f| Channel::bitvec(f).unwrap());
        let others = [Channel::bool(0.75).unwrap(), Channel::categories(7, 0.01).unwrap()];
        let few = [0, 1, 2, 3, 12_345, 99_999, 1 << 53, (1 << 53) + 1, u64::MAX - 1, u64::MAX];
        let pairs = few.into_iter().flat_map(|count| few.map(|respondents| (count, respondents)));
        let random = words(1, 4000);
        let pairs = pairs.chain(random.chunks(2).map(|pair| (pair[0] >> (pair[1] % 64), pair[1])));
        for (count, respondents) in pairs {
            for channel in noise.iter().chain(&others) {
                let full = channel.estimate_in_full(count, respondents);
                assert_eq!(channel.estimate(count, respondents).to_bits(), full.to_bits());
                let in_words = channel.estimate_in_words(count, respondents);
                assert_eq!(in_words.is_none(), full == 0.0);
            }
        }
        assert_eq!(Channel::bitvec(1e-300).unwrap().estimate_in_words(1, 2), None);
        // Above 2^53 + 1, which is in the middle between two floats, by so little that the quotient does not show it.
        let above = noise[2].estimate_in_words(7_656_119_366_529_845, 9_007_199_254_740_999);
        assert_eq!(above, Some(9_007_199_254_740_994.0));
    }

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
