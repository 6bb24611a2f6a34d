//! How a report depends on the answer.

use alloc::vec::Vec;

use deniable_num::{Direction, Real};
use deniable_sample::Ratio;
use num_bigint::{BigInt, BigUint, Sign};

use super::binomial::Split;
use crate::mechanism::bound::exact;
use crate::{Error, Result};

/// The probabilities that a report supports a value: if the answer is that value, and if it is another one.
///
/// Each local mechanism is such a channel for each of its values. A report of randomized response supports the one that it names, a report of
/// bits those whose bit is one. Both probabilities are exact, so that what is computed from them is not biased by rounding.
///
/// ```
/// use deniable::estimate::Channel;
/// use deniable::sample::Ratio;
///
/// let channel = Channel::new(&Ratio::new(3u32, 4u32)?, &Ratio::new(1u32, 4u32)?)?;
/// assert_eq!((channel.truth(), channel.lie()), (0.75, 0.25));
/// // Half of 100 reports: as many as there would be if nobody's answer were this.
/// assert_eq!(channel.estimate(25, 100), 0.0);
/// # Ok::<(), deniable::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The common denominator.
    whole: BigUint,
    truth: BigUint,
    lie: BigUint,
}

/// The smallest difference between truth and lie of which squares are still numbers.
const LEAST_SIGNAL: f64 = 1e-100;

impl Channel {
    /// A report supports a value with probability `truth` if the answer is that value, and with probability `lie` if it is not.
    ///
    /// # Errors
    ///
    /// A `truth` above 1; a `lie` that is not below `truth` by at least 10^−100: then the reports say nothing.
    pub fn new(truth: &Ratio, lie: &Ratio) -> Result<Self> {
        let channel = Self::from_parts(
            truth.numerator() * lie.denominator(),
            lie.numerator() * truth.denominator(),
            truth.denominator() * lie.denominator(),
        );
        if channel.truth > channel.whole {
            return Err(Error::invalid_parameter("truth", "it is above 1", "a probability"));
        }
        channel.check_signal("lie")?;
        Ok(channel)
    }

    /// Whether the truth is so much the likelier that estimates are numbers.
    pub(super) fn check_signal(&self, parameter: &'static str) -> Result<()> {
        if self.signal() >= LEAST_SIGNAL {
            return Ok(());
        }
        let problem =
            "support is as likely without the answer, or nearly, and the reports say nothing";
        let accepted = format!("a truth that is at least {LEAST_SIGNAL:e} above the lie");
        Err(Error::invalid_parameter(parameter, problem, accepted))
    }

    /// The probability of support with the answer, and its complement, each to the nearest float.
    pub(super) fn split_of_truth(&self) -> Split {
        self.split(&self.truth)
    }

    /// The same without the answer.
    pub(super) fn split_of_lie(&self) -> Split {
        self.split(&self.lie)
    }

    fn split(&self, part: &BigUint) -> Split {
        Split { p: self.of_whole(part), q: self.of_whole(&(&self.whole - part)) }
    }

    /// Of a category that is one of `size` of k in a report with probability `prob` if it is the answer: others share the rest of the places.
    pub(crate) fn subsets(k: usize, size: usize, prob: f64) -> Result<Self> {
        // (size − prob)/(k − 1), where prob = a/b.
        let prob = exact(prob);
        let rest = prob.denominator() * size - prob.numerator();
        Self::new(&prob, &Ratio::new(rest, prob.denominator() * (k - 1))?)
    }

    /// truth/whole and lie/whole, which differ.
    pub(crate) fn from_parts(truth: BigUint, lie: BigUint, whole: BigUint) -> Self {
        Channel { whole, truth, lie }
    }

    /// The probability of support by a report of this value, to the nearest float.
    pub fn truth(&self) -> f64 {
        self.of_whole(&self.truth)
    }

    /// The probability of support by a report of another value, to the nearest float.
    pub fn lie(&self) -> f64 {
        self.of_whole(&self.lie)
    }

    /// truth − lie, to the nearest float. Negative if a lie is the likelier.
    pub fn signal(&self) -> f64 {
        let signal = self.signed_signal();
        let size = self.of_whole(signal.magnitude());
        if signal.sign() == Sign::Minus { -size } else { size }
    }

    /// How much one answer that is none of the values adds to each estimate, if its report supports a value with probability `support`:
    /// (support − lie)/(truth − lie).
    pub(crate) fn bias(&self, support: &Ratio) -> f64 {
        let surplus = BigInt::from(support.numerator() * &self.whole)
            - BigInt::from(&self.lie * support.denominator());
        self.in_signals(surplus, &BigInt::from(support.denominator().clone()))
    }

    fn of_whole(&self, part: &BigUint) -> f64 {
        Real::ratio(part, &self.whole).expect("a whole is not zero").round(Direction::Nearest)
    }

    fn signed_signal(&self) -> BigInt {
        BigInt::from(self.truth.clone()) - BigInt::from(self.lie.clone())
    }

    /// surplus/(parts·(truth − lie)), to the nearest float.
    fn in_signals(&self, surplus: BigInt, parts: &BigInt) -> f64 {
        let signal = self.signed_signal() * parts;
        let ratio = Real::ratio(surplus.magnitude(), signal.magnitude());
        let negative = (surplus.sign() == Sign::Minus) != (signal.sign() == Sign::Minus);
        ratio.expect("the signal is not zero").with_sign(negative).round(Direction::Nearest)
    }

    /// An unbiased estimate of how many of `respondents` answered the value that `supporting` reports support:
    /// (supporting − respondents·lie)/(truth − lie), to the nearest float.
    pub fn estimate(&self, supporting: u64, respondents: u64) -> f64 {
        let in_words = self.estimate_in_words(supporting, respondents);
        in_words.unwrap_or_else(|| self.estimate_in_full(supporting, respondents))
    }

    /// The same, if the numbers fit into words.
    fn estimate_in_words(&self, supporting: u64, respondents: u64) -> Option<f64> {
        let part = |part: &BigUint| i64::try_from(part).ok();
        let (whole, truth, lie) = (part(&self.whole)?, part(&self.truth)?, part(&self.lie)?);
        let signal = truth - lie;
        let surplus =
            i128::from(whole) * i128::from(supporting) - i128::from(lie) * i128::from(respondents);
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
    fn estimate_in_full(&self, supporting: u64, respondents: u64) -> f64 {
        let surplus =
            BigInt::from(&self.whole * supporting) - BigInt::from(&self.lie * respondents);
        self.in_signals(surplus, &BigInt::from(1))
    }

    /// The same for each of some counts. With fewer respondents than counts, each estimate is computed once.
    pub(crate) fn estimates(&self, counts: &[u64], respondents: u64) -> Vec<f64> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::words;

    fn channel(truth: (u64, u64), lie: (u64, u64)) -> Result<Channel> {
        let ratio = |(numerator, denominator): (u64, u64)| Ratio::new(numerator, denominator);
        Channel::new(&ratio(truth)?, &ratio(lie)?)
    }

    #[test]
    fn estimates_in_words_are_those_in_full() {
        let channels = [
            channel((19, 20), (1, 20)),
            channel((1, 2), (1, 1 << 52)),
            channel((7, 10), (699_999_999_999, 1_000_000_000_000)),
            channel((1, 3), (1, 7)),
        ];
        // The lie is the likelier.
        let other = Channel::from_parts(2u32.into(), 9u32.into(), 11u32.into());
        let few = [0, 1, 2, 3, 12_345, 99_999, 1 << 53, (1 << 53) + 1, u64::MAX - 1, u64::MAX];
        let pairs = few.into_iter().flat_map(|count| few.map(|respondents| (count, respondents)));
        let random = words(1, 4000);
        let pairs = pairs.chain(random.chunks(2).map(|pair| (pair[0] >> (pair[1] % 64), pair[1])));
        let channels: Vec<Channel> =
            channels.into_iter().map(Result::unwrap).chain([other]).collect();
        for (count, respondents) in pairs {
            for channel in &channels {
                let full = channel.estimate_in_full(count, respondents);
                assert_eq!(channel.estimate(count, respondents).to_bits(), full.to_bits());
                let in_words = channel.estimate_in_words(count, respondents);
                assert_eq!(in_words.is_none(), full == 0.0);
            }
        }
        let long = Channel::from_parts(3u32.into(), 1u32.into(), BigUint::from(1u32) << 70);
        assert_eq!(long.estimate_in_words(1, 2), None);
        assert_eq!(long.estimate(0, 2), -1.0);
    }

    #[test]
    fn a_quotient_is_rounded_once() {
        // With f = 0.3, above 2^53 + 1, which is in the middle between two floats, by so little that the quotient does not show it.
        let f = Ratio::from_float(0.3).unwrap();
        let whole = f.denominator() * 2u32;
        let channel = Channel::from_parts(&whole - f.numerator(), f.numerator().clone(), whole);
        let above = channel.estimate_in_words(7_656_119_366_529_845, 9_007_199_254_740_999);
        assert_eq!(above, Some(9_007_199_254_740_994.0));
    }

    #[test]
    fn probabilities_are_checked() {
        assert_eq!(channel((5, 4), (1, 4)).unwrap_err().parameter(), Some("truth"));
        for lie in [(1, 2), (3, 4)] {
            assert_eq!(channel((1, 2), lie).unwrap_err().parameter(), Some("lie"));
        }
        let nothing = Channel::from_parts(3u32.into(), 2u32.into(), BigUint::from(1u32) << 400);
        assert!(nothing.check_signal("lie").is_err());
        let channel = channel((1, 1), (0, 1)).unwrap();
        assert_eq!((channel.truth(), channel.lie(), channel.signal()), (1.0, 0.0, 1.0));
        assert_eq!(channel.bias(&Ratio::new(1u32, 4u32).unwrap()), 0.25);
    }
}
