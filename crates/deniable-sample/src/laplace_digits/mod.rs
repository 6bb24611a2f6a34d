//! The discrete Laplace law on machine integers, in a time that does not tell what was drawn.
#![doc = include_str!("proof.md")]

use alloc::vec::Vec;
use core::hint::black_box;
use core::marker::PhantomData;

use deniable_num::Float;
use num_bigint::BigUint;

use crate::bernoulli_exp::{ExpNeg, Logistic};
use crate::expansion::{
    Expansion, Irrational, IrrationalDigits, floor_scaled, lowest, uniform_is_below,
};
use crate::geometric::settled;
use crate::laplace::saturating::{FAR, capped};
use crate::magnitude::sample_magnitude;
use crate::word::draw_exactly;
use crate::{DiscreteLaplace, Ratio, Result, SaturatingInt, Source, Word};

/// The law of [`DiscreteLaplace::sample_saturating`], drawn in constant time.
///
/// The binary digits of a geometric integer are independent, so that a sign and a fixed number of digits are drawn whatever they are. The
/// law is exact all the same: where the first 128 bits of a uniform number do not decide a digit, more are drawn, which happens less than once in 2^121 numbers.
///
/// # Privacy
///
/// But for that one decision, no branch, no memory access and no number of words depends on what is drawn or on the integers that noise is added to. So
/// time, and all else that depends on which instructions are run, tells nothing of a number but with a chance below 2^−121, and then it may tell anything. It does depend on the scale and the type.
///
/// # Examples
///
/// ```
/// use deniable_sample::{ConstantTimeLaplace, OsEntropy};
/// let noise = ConstantTimeLaplace::from_float(10.0)?;
/// let noisy: i64 = noise.sample_saturating(1_000, &mut OsEntropy::new())?;
/// # Ok::<(), deniable_sample::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstantTimeLaplace<I> {
    law: DiscreteLaplace,
    /// The first 128 bits of the probabilities that the noise is not negative; that its magnitude has a zero as digit 0, 1, …; that it has
    /// more digits than these.
    thresholds: Vec<u128>,
    number: PhantomData<I>,
}

/// How many words of each uniform number are compared whatever they are.
const WORDS: usize = 2;

/// e^−ENOUGH is below 2^−128.
const ENOUGH: u32 = 89;

impl<I: SaturatingInt> ConstantTimeLaplace<I> {
    /// The law with this scale.
    ///
    /// # Errors
    ///
    /// A `scale` of zero.
    pub fn new(scale: &Ratio) -> Result<Self> {
        DiscreteLaplace::new(scale).map(Self::from)
    }

    /// The law whose scale is the exact value of a float.
    ///
    /// # Errors
    ///
    /// A `scale` that is not positive and finite.
    pub fn from_float<F: Float>(scale: F) -> Result<Self> {
        DiscreteLaplace::from_float(scale).map(Self::from)
    }

    /// Draws `shift` plus noise, saturated at the ends of the type.
    ///
    /// # Errors
    ///
    /// A source that fails.
    pub fn sample_saturating<S: Source + ?Sized>(&self, shift: I, source: &mut S) -> Result<I> {
        let mut one = [shift];
        self.sample_all_saturating(&mut one, source)?;
        Ok(one[0])
    }

    /// Adds noise to each of many integers: the law of as many samples, independent of each other.
    ///
    /// # Errors
    ///
    /// As there. Then the integers, of which some may have noise and some not, must not be used.
    pub fn sample_all_saturating<S: Source + ?Sized>(
        &self,
        numbers: &mut [I],
        source: &mut S,
    ) -> Result<()> {
        let mut words = Vec::new();
        for number in numbers {
            draw_exactly(WORDS * self.thresholds.len(), &mut words, source)?;
            let (mut noise, is_open) = self.compare(&words);
            // The one decision on what was drawn, and nearly always the same.
            if is_open != 0 {
                noise = self.decide(&words, source)?;
            }
            *number = noise.add_to(*number);
        }
        Ok(())
    }

    /// How many digits of the magnitude are drawn.
    fn digits(&self) -> u32 {
        self.thresholds.len() as u32 - 2
    }

    /// What the words say of the noise if they decide it, and 0; or 1 if they do not.
    #[inline]
    fn compare<W: Word>(&self, words: &[W]) -> (Noise, u64) {
        let (mut below, mut open) = (0u128, 0);
        let all = words.chunks_exact(WORDS).zip(&self.thresholds);
        for (place, comparison) in all.enumerate() {
            let (is_below, is_open) = compare(comparison);
            below |= u128::from(is_below) << place;
            open |= is_open;
        }
        let not_negative = below as u64 & 1;
        let zeros = (below >> 1) as u64;
        let beyond = (below >> (self.digits() + 1)) as u64 & 1;
        // With all digits of the type and more, the sum is beyond its ends, and that is all there is to know. With fewer digits the threshold for more is 0, which no words are below: that is left open by
        // words of 0, or is not so.
        let magnitude = u128::from(!zeros & lowest(self.digits())) | (u128::from(beyond) * FAR);
        (Noise { negative: not_negative ^ 1, magnitude }, black_box(open))
    }

    /// What the words, and as many more as it takes, say of the noise.
    #[cold]
    #[inline(never)]
    fn decide<S: Source + ?Sized>(&self, words: &[S::Word], source: &mut S) -> Result<Noise> {
        let mut is_below = Vec::new();
        for (place, pair) in words.chunks_exact(WORDS).zip(&self.thresholds).enumerate() {
            is_below.push(match compare(pair) {
                (_, 1) => self.rest_is_below(place as u32, source)?,
                (below, _) => below == 1,
            });
        }
        let digits = self.digits();
        let is_one = |place: u32| u128::from(!is_below[place as usize + 1]);
        let magnitude = match is_below[digits as usize + 1] {
            false => (0..digits).map(|place| is_one(place) << place).sum(),
            true if digits == I::BITS => FAR,
            // Memoryless: what a geometric integer is above 2^digits is one again.
            true => {
                let scale = &self.law.scale;
                let more = sample_magnitude(scale, source, scale.length(), settled)?;
                capped(&(more + (BigUint::from(1u32) << digits)))
            }
        };
        Ok(Noise { negative: u64::from(!is_below[0]), magnitude })
    }

    /// Whether a uniform number is below a probability with which its first words agree.
    fn rest_is_below<S: Source + ?Sized>(&self, threshold: u32, source: &mut S) -> Result<bool> {
        let digits = self.digits();
        if threshold > digits {
            return rest_is_below(&ExpNeg(&self.power(digits)), source);
        }
        rest_is_below(&self.is_zero(threshold.saturating_sub(1)), source)
    }

    /// The probability that this digit of the magnitude is zero: 1/(1 + q^(2^place)), which for digit 0 is also that of noise which is not negative.
    fn is_zero(&self, place: u32) -> Logistic {
        Logistic::new(self.power(place))
    }

    /// 2^place / scale: e to the minus that is q^(2^place).
    fn power(&self, place: u32) -> Ratio {
        let inverse = self.law.scale.inverse();
        let power = Ratio::new(inverse.numerator() << place, inverse.denominator().clone());
        power.expect("a denominator is not zero")
    }
}

impl<I: SaturatingInt> From<DiscreteLaplace> for ConstantTimeLaplace<I> {
    /// The same law.
    fn from(law: DiscreteLaplace) -> Self {
        let inverse = law.scale.inverse();
        let enough = inverse.denominator() * ENOUGH;
        let is_enough = |&digits: &u32| inverse.numerator() << digits >= enough;
        let digits = (0..I::BITS).find(is_enough).unwrap_or(I::BITS);
        let mut all = ConstantTimeLaplace { law, thresholds: Vec::new(), number: PhantomData };
        let zeros = (0..digits).map(|place| first_bits(&all.is_zero(place)));
        let thresholds = [first_bits(&all.is_zero(0))].into_iter().chain(zeros);
        all.thresholds = thresholds.chain([first_bits(&ExpNeg(&all.power(digits)))]).collect();
        all
    }
}

/// ⌊number · 2^128⌋.
fn first_bits(number: &impl Irrational) -> u128 {
    u128::try_from(&floor_scaled(number, 128)).expect("a number below 1 has 128 bits at 2^128")
}

/// Whether a uniform number that begins with these words is below the threshold, and whether they leave that open, each as 0 or 1.
#[inline]
fn compare<W: Word>((words, &threshold): (&[W], &u128)) -> (u64, u64) {
    let (mut is_below, mut open) = (0, 1);
    for (word, end) in words.iter().zip(1..) {
        let digit = (threshold >> (128 - end * W::BITS)) as u64 & lowest(W::BITS);
        let (below, equal) = word.below_and_equal(digit);
        is_below |= open & below;
        open &= equal;
    }
    (is_below, open)
}

/// Whether a uniform number is below an expanded one with which its first words agree.
fn rest_is_below<S: Source + ?Sized>(number: &impl Irrational, source: &mut S) -> Result<bool> {
    let mut digits = IrrationalDigits::new(number);
    for _ in 0..WORDS {
        digits.next(S::Word::BITS);
    }
    uniform_is_below(digits, source)
}

/// A magnitude G of at most FAR + 2^64, or −1 − G.
struct Noise {
    negative: u64,
    magnitude: u128,
}

impl Noise {
    /// The sum, saturated, without a branch.
    #[inline]
    fn add_to<I: SaturatingInt>(&self, number: I) -> I {
        let sum = number.into() + (self.magnitude as i128 ^ -i128::from(self.negative));
        let most = (1 << (I::BITS - 1)) - 1;
        // All ones where the sum is beyond that end; what is hidden from the optimizer does not become a jump.
        let above = black_box((most - sum) >> 127);
        let below = black_box((sum + most + 1) >> 127);
        I::truncated(sum & !(above | below) | most & above | !most & below)
    }
}
