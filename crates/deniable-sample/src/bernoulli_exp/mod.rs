//! One bit that is true with probability e^−x.
#![doc = include_str!("proof.md")]

use deniable_num::certified::{FRACTION, Interval, exp_neg_128};
use num_bigint::{BigInt, BigUint};

use crate::expansion::{Irrational, IrrationalDigits, uniform_is_below};
use crate::{Ratio, Result, Source};

/// True with probability exactly e^−x.
///
/// # Errors
///
/// A source that fails.
///
/// # Examples
///
/// ```
/// use deniable_sample::{OsEntropy, Ratio, sample_bernoulli_exp};
/// let bit: bool = sample_bernoulli_exp(&Ratio::new(1u32, 2u32)?, &mut OsEntropy::new())?;
/// assert!(sample_bernoulli_exp(&Ratio::new(0u32, 1u32)?, &mut OsEntropy::new())?);
/// # Ok::<(), deniable_sample::Error>(())
/// ```
pub fn sample_bernoulli_exp<S: Source + ?Sized>(x: &Ratio, source: &mut S) -> Result<bool> {
    if x.is_zero() {
        return Ok(true);
    }
    uniform_is_below(IrrationalDigits::new(&ExpNeg(x)), source)
}

/// e^−x for x > 0.
pub(crate) struct ExpNeg<'a>(pub(crate) &'a Ratio);

impl Irrational for ExpNeg<'_> {
    fn first_word(&self) -> Option<u64> {
        let (low, high) = fixed(self.0)?;
        let (low, high) = exp_neg_128(low, high)?;
        (low >> 63 == high >> 63).then_some((low >> 63) as u64)
    }

    fn enclose(&self, bits: u64) -> (BigUint, BigUint) {
        if *self.0.numerator() > self.0.denominator() * bits {
            return (BigUint::ZERO, BigUint::from(1u32));
        }
        let negated = -BigInt::from(self.0.numerator().clone());
        let (m, n) = Interval::ratio(&negated, self.0.denominator(), bits)
            .and_then(|x| x.exp())
            .expect("a denominator above 0, and x below 2^60 as `bits` is");
        let down = n.unsigned_abs();
        let high = (m.high().magnitude() >> down) + 1u32;
        // Below 1, however small x is: its digits are ones long before the bounds tell it from 1.
        (m.low().magnitude() >> down, high.min(BigUint::from(1u32) << bits))
    }
}

/// Bounds of x · 2^FRACTION, if x is a ratio of words and below 1023.
fn fixed(x: &Ratio) -> Option<(u128, u128)> {
    let (numerator, denominator) = x.words()?;
    let whole = numerator / denominator;
    if whole >= 1023 {
        return None;
    }
    let denominator = u128::from(denominator);
    let first = u128::from(numerator % denominator as u64) << 64;
    let second = (first % denominator) << (FRACTION - 64);
    let fraction = ((first / denominator) << (FRACTION - 64)) | (second / denominator);
    let low = u128::from(whole) << FRACTION | fraction;
    Some((low, low + 1))
}

/// 1 / (1 + e^−y) for y > 0: the probability that two-sided noise is not negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Logistic {
    y: Ratio,
    first_word: u64,
}

impl Logistic {
    pub(crate) fn new(y: Ratio) -> Self {
        let first_word = if y.numerator() << 62u32 < *y.denominator() {
            // Below 1/2 + y/4, which is below 1/2 + 2^−64.
            1 << 63
        } else {
            let floor = crate::expansion::floor_scaled(&Bare(&y), 64);
            u64::try_from(&floor).expect("a number below 1 has 64 bits at 2^64")
        };
        Logistic { y, first_word }
    }
}

impl Irrational for Logistic {
    #[inline]
    fn first_word(&self) -> Option<u64> {
        Some(self.first_word)
    }

    fn enclose(&self, bits: u64) -> (BigUint, BigUint) {
        Bare(&self.y).enclose(bits)
    }
}

/// The logistic number without its first word.
struct Bare<'a>(&'a Ratio);

impl Irrational for Bare<'_> {
    fn first_word(&self) -> Option<u64> {
        None
    }

    fn enclose(&self, bits: u64) -> (BigUint, BigUint) {
        let (q_low, q_high) = ExpNeg(self.0).enclose(bits);
        let one = BigUint::from(1u32) << bits;
        let square = BigUint::from(1u32) << (2 * bits);
        let low = &square / (&one + q_high);
        let least = one + q_low;
        let high = (square + &least - 1u32) / least;
        (low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bounds at a low precision hold those at a high one.
    fn nested(number: &impl Irrational, coarse: u64) {
        const FINE: u64 = 400;
        let (low, high) = number.enclose(coarse);
        let (fine_low, fine_high) = number.enclose(FINE);
        let up = FINE - coarse;
        assert!(low << up <= fine_low && fine_high <= high << up, "at {coarse} bits");
    }

    fn ratios() -> impl Iterator<Item = Ratio> {
        let pairs = (1..60u32).flat_map(|n| [1u32, 2, 3, 7, 64, 1000].map(|d| (n, d)));
        pairs.map(|(n, d)| Ratio::new(n, d).expect("a denominator above 0"))
    }

    #[test]
    fn bounds_at_every_precision_are_bounds() {
        for x in ratios() {
            for bits in [1, 2, 3, 5, 8, 13, 21, 40, 64, 130] {
                nested(&ExpNeg(&x), bits);
                nested(&Bare(&x), bits);
            }
        }
    }

    /// The same of few numbers, one of them not in lowest terms, one with no end in sight.
    #[test]
    fn bounds_of_a_few_are_bounds() {
        for (numerator, denominator) in [(1u32, 3u32), (1000, 100), (59, 7), (1, 1000)] {
            let x = Ratio::new(numerator, denominator).unwrap();
            for bits in [1, 8, 64] {
                nested(&ExpNeg(&x), bits);
                nested(&Logistic::new(x.clone()), bits);
            }
        }
        let huge = Ratio::new(BigUint::from(1u32) << 70u32, 1u32).unwrap();
        assert_eq!(ExpNeg(&huge).enclose(64), (BigUint::ZERO, BigUint::from(1u32)));
    }

    #[test]
    fn no_probability_is_above_one() {
        for x in ratios().chain([Ratio::new(1000u32, 1u32).unwrap()]) {
            for bits in [1, 3, 64] {
                let one = BigUint::from(1u32) << bits;
                assert!(ExpNeg(&x).enclose(bits).1 <= one && Bare(&x).enclose(bits).1 <= one);
            }
        }
    }

    /// Less than a unit apart.
    #[test]
    fn ratios_of_words_are_enclosed() {
        for x in ratios() {
            let (low, high) = fixed(&x).unwrap();
            let exactly = x.numerator() << FRACTION;
            assert!(low * x.denominator() <= exactly && exactly <= high * x.denominator());
            assert_eq!(high - low, 1);
        }
        assert_eq!(fixed(&Ratio::new(1023u32, 1u32).unwrap()), None);
        assert!(fixed(&Ratio::new(1022u32, 1u32).unwrap()).is_some());
    }

    #[test]
    fn first_words_of_two_sided_noise_are_those_of_the_plain_form() {
        for y in ratios() {
            let floor = crate::expansion::floor_scaled(&Bare(&y), 64);
            assert_eq!(Logistic::new(y).first_word().map(BigUint::from), Some(floor));
        }
    }

    /// By the first word: e^−1/2 is 0.6065…, e^−2 is 0.1353….
    #[test]
    fn a_word_below_is_true() {
        struct One(u64);

        impl Source for One {
            type Word = u64;

            fn draw(&mut self) -> Result<u64> {
                Ok(self.0)
            }
        }

        for (numerator, denominator, threshold) in [(1u32, 2u32, 0.6065), (2, 1, 0.1353)] {
            let x = Ratio::new(numerator, denominator).unwrap();
            let bit =
                |share: f64| sample_bernoulli_exp(&x, &mut One((share * 2f64.powi(64)) as u64));
            assert_eq!((bit(threshold), bit(threshold + 1e-4)), (Ok(true), Ok(false)));
        }
        assert_eq!(sample_bernoulli_exp(&Ratio::new(0u32, 1u32).unwrap(), &mut One(9)), Ok(true));
    }

    /// Next to 1 and next to 1/2: no precision is spent on telling them apart.
    #[test]
    fn tiny_exponents_take_no_time() {
        let tiny = Ratio::new(1u32, BigUint::from(1u32) << 100_000u32).expect("not zero");
        assert_eq!(crate::expansion::floor_scaled(&ExpNeg(&tiny), 64), u64::MAX.into());
        let half = BigUint::from(1u32) << 127u32;
        assert_eq!(crate::expansion::floor_scaled(&Bare(&tiny), 128), half);
    }

    #[test]
    fn first_words_are_those_of_the_plain_form() {
        for x in ratios() {
            let floor = crate::expansion::floor_scaled(&ExpNeg(&x), 64);
            assert_eq!(ExpNeg(&x).first_word().map(BigUint::from), Some(floor), "{x:?}");
        }
    }
}
