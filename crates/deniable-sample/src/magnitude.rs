//! ⌊scale · E⌋ for a standard exponential E, as narrowly as somebody needs it.
//!
//! E = −ln U, and the binary digits of U are drawn as they are needed. Each digit narrows E, and with it
//! the integer G = ⌊scale · E⌋, which has P(G ≥ g) = P(U ≤ e^(−g/scale)) = e^(−g/scale). Whoever asks looks
//! at the bounds and says whether they decide; if not, another word is drawn. What is returned is a
//! function of U alone, so its law is exact whenever each pair of bounds is right.

use deniable_num::Narrow;
use deniable_num::certified::{FRACTION, Interval, SLACK_64, neg_ln_64, neg_ln_128};

use num_bigint::{BigInt, BigUint, Sign};

use crate::{Ratio, Result, Source, Word};

/// Bounds of the integer G.
#[derive(Debug)]
pub(crate) enum Bounds {
    /// low · 2^shift ≤ G ≤ high · 2^shift, with low and high below 2^120; and if shift is above 0, G is below
    /// the upper bound.
    Words { low: u128, high: u128, shift: u32 },
    /// low ≤ G ≤ high.
    Big { low: BigUint, high: BigUint },
}

/// A positive scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// mantissa · 2^exponent; the mantissa's leading bit is bit 63.
    Dyadic { mantissa: u64, exponent: i64 },
    /// Any other ratio, and the same as words if it fits.
    Ratio { ratio: Ratio, words: Option<WordRatio> },
}

/// numerator / denominator · 2^exponent; both have their leading bit at bit 63.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WordRatio {
    numerator: u64,
    denominator: u64,
    exponent: i64,
}

impl Scale {
    /// mantissa · 2^exponent for a mantissa that is not zero.
    #[inline]
    pub(crate) fn dyadic(mantissa: u64, exponent: i64) -> Self {
        let zeros = mantissa.leading_zeros();
        Scale::Dyadic { mantissa: mantissa << zeros, exponent: exponent - i64::from(zeros) }
    }

    /// A ratio that is not zero.
    pub(crate) fn ratio(ratio: &Ratio) -> Self {
        let words = match ratio.words() {
            None => None,
            Some((numerator, denominator)) if denominator.is_power_of_two() => {
                return Scale::dyadic(numerator, -i64::from(denominator.trailing_zeros()));
            }
            Some((numerator, denominator)) => {
                let (up, down) = (numerator.leading_zeros(), denominator.leading_zeros());
                Some(WordRatio {
                    numerator: numerator << up,
                    denominator: denominator << down,
                    exponent: i64::from(down) - i64::from(up),
                })
            }
        };
        Scale::Ratio { ratio: ratio.clone(), words }
    }

    /// 1 / scale.
    pub(crate) fn inverse(&self) -> Ratio {
        let inverse = match self {
            Scale::Ratio { ratio, .. } => ratio.inverse(),
            Scale::Dyadic { mantissa, exponent } => {
                let power = BigUint::from(1u32) << exponent.unsigned_abs();
                if *exponent >= 0 {
                    Ratio::new(1u32, power * *mantissa)
                } else {
                    Ratio::new(power, *mantissa)
                }
            }
        };
        inverse.expect("a scale is not zero")
    }

    /// About the binary logarithm of the scale, if that is above 0: so many bits of U tell nothing of the last
    /// digits of G.
    pub(crate) fn length(&self) -> u64 {
        match self {
            Scale::Ratio { ratio, .. } => {
                ratio.numerator().bits().saturating_sub(ratio.denominator().bits())
            }
            Scale::Dyadic { exponent, .. } => u64::try_from(exponent + 63).unwrap_or(0),
        }
    }

    /// Whether [`Scale::words`] gives bounds.
    #[inline]
    fn fits_words(&self) -> bool {
        !matches!(self, Scale::Ratio { words: None, .. })
    }

    /// Bounds of G from bounds of E · 2^FRACTION, which are below 2^123.
    #[inline]
    fn words(&self, low: u128, high: u128) -> Option<Bounds> {
        let (low, high, exponent) = match *self {
            Scale::Dyadic { mantissa, exponent } => {
                let product = |e: u128| times(e, mantissa).0 >> 4;
                (product(low), product(high), exponent + 68)
            }
            Scale::Ratio {
                words: Some(WordRatio { numerator, denominator, exponent }), ..
            } => {
                let quotient = |e: u128| divided(times(e, numerator), denominator) >> 4;
                (quotient(low), quotient(high), exponent + 4)
            }
            Scale::Ratio { words: None, .. } => return None,
        };
        let shift = exponent - i64::from(FRACTION);
        Some(if shift > 0 {
            Bounds::Words { low, high: high + 1, shift: u32::try_from(shift).ok()? }
        } else {
            let down = u32::try_from(-shift).unwrap_or(u32::MAX);
            let floor = |n: u128| n.checked_shr(down).unwrap_or(0);
            Bounds::Words { low: floor(low), high: floor(high), shift: 0 }
        })
    }

    /// scale · E after one word of U, as far as that tells.
    #[inline(always)]
    pub(crate) fn at_once<W: Word>(&self, word: W) -> Narrow {
        self.leading_bits(word).unwrap_or(Narrow::UNKNOWN)
    }

    #[inline(always)]
    fn leading_bits<W: Word>(&self, word: W) -> Option<Narrow> {
        let Scale::Dyadic { mantissa, exponent } = *self else { return None };
        let u = word.value() << (64 - W::BITS);
        let (low, _) = neg_ln_64(u)?;
        // In units of 2^(64 − zeros), which are no less than SLACK_64, −ln u is at least `leading` and less than 2 above it.
        let zeros = ((low >> 64) as u64).leading_zeros();
        const { assert!(SLACK_64 <= 1 << (64 - 21)) };
        if zeros > 21 {
            return None;
        }
        let leading = (low << zeros >> 64) as u64;
        // −ln U is at most that, and less than 2^(FRACTION + 1 − BITS) / u below it.
        let width = (u.leading_zeros() + zeros + 53).wrapping_sub(W::BITS);
        if width > 61 {
            return None;
        }
        let product = u128::from(leading - (1 << width)) * u128::from(mantissa);
        Some(Narrow {
            mantissa: (product >> 64) as u64,
            // The scale's mantissa is below 2^64: it does not lengthen the slack, but for the product's last place.
            slack: (1 << width) + 3,
            exponent: exponent + 128 - i64::from(zeros) - i64::from(FRACTION),
        })
    }

    /// ⌊scale · e / 2^bits⌋.
    fn floor(&self, e: &BigUint, bits: u64) -> BigUint {
        match self {
            Scale::Ratio { ratio, .. } => (e * ratio.numerator()) / (ratio.denominator() << bits),
            Scale::Dyadic { mantissa, exponent } => {
                let product = e * *mantissa;
                if *exponent >= 0 {
                    (product << exponent.unsigned_abs()) >> bits
                } else {
                    product >> (bits + exponent.unsigned_abs())
                }
            }
        }
    }
}

/// Draws G until `decide` accepts its bounds. Fewer than `first_look` bits are not looked at in big integers.
#[inline]
pub(crate) fn sample_magnitude<T, S: Source + ?Sized>(
    scale: &Scale,
    source: &mut S,
    first_look: u64,
    decide: impl Fn(&Bounds) -> Option<T>,
) -> Result<T> {
    let mut uniform = Uniform { top: 0, drawn: 0 };
    while scale.fits_words() && uniform.drawn < 128 {
        uniform.push(source.draw()?);
        let bounds = uniform.neg_ln().and_then(|(low, high)| scale.words(low, high));
        if let Some(decided) = bounds.and_then(|bounds| decide(&bounds)) {
            return Ok(decided);
        }
    }
    sample_magnitude_big(scale, source, first_look, decide, uniform)
}

/// The rest, in big integers: reached less than once in 2^50 draws, or always if the scale does not fit in
/// words.
#[cold]
fn sample_magnitude_big<T, S: Source + ?Sized>(
    scale: &Scale,
    source: &mut S,
    first_look: u64,
    decide: impl Fn(&Bounds) -> Option<T>,
    uniform: Uniform,
) -> Result<T> {
    let mut digits = BigUint::from(uniform.digits());
    let mut drawn = u64::from(uniform.drawn);
    loop {
        digits = (digits << S::Word::BITS) | BigUint::from(source.draw()?.value());
        drawn += u64::from(S::Word::BITS);
        if digits == BigUint::ZERO || drawn < first_look {
            continue;
        }
        let bits = drawn + 64;
        let ln = |digits| Interval::ln(digits, drawn as i64, bits).expect("digits above 0");
        let (first, last) = (ln(&digits), ln(&(&digits + 1u32)));
        let (low, high) = (not_negative(-last.high()), not_negative(-first.low()));
        let bounds = Bounds::Big { low: scale.floor(&low, bits), high: scale.floor(&high, bits) };
        if let Some(decided) = decide(&bounds) {
            return Ok(decided);
        }
    }
}

/// A uniform number of which the first `drawn` ≤ 128 bits are known.
struct Uniform {
    top: u128,
    drawn: u32,
}

impl Uniform {
    #[inline]
    fn push<W: Word>(&mut self, word: W) {
        self.drawn += W::BITS;
        self.top |= u128::from(word.value()) << (128 - self.drawn);
    }

    /// The known bits as an integer.
    fn digits(&self) -> u128 {
        self.top.checked_shr(128 - self.drawn).unwrap_or(0)
    }

    /// Bounds of −ln U · 2^FRACTION. None as long as all bits are zero.
    ///
    /// U is at least u and less than u + 2^−drawn, so −ln U is at most −ln u, and less than 2^−drawn / u
    /// below it.
    #[inline]
    fn neg_ln(&self) -> Option<(u128, u128)> {
        let (low, high) = if self.drawn <= 64 {
            neg_ln_64((self.top >> 64) as u64)?
        } else {
            neg_ln_128(self.top)?
        };
        let width = FRACTION + self.top.leading_zeros() + 1;
        let width = 1u128.checked_shl(width.saturating_sub(self.drawn)).unwrap_or(u128::MAX);
        Some((low.saturating_sub(width), high))
    }
}

fn not_negative(x: BigInt) -> BigUint {
    match x.sign() {
        Sign::Minus => BigUint::ZERO,
        _ => x.magnitude().clone(),
    }
}

/// The product of a number below 2^123 and a word: without its last 64 bits, and those.
#[inline]
fn times(e: u128, word: u64) -> (u128, u64) {
    let low = u128::from(e as u64) * u128::from(word);
    let high = (e >> 64) * u128::from(word);
    (high + (low >> 64), low as u64)
}

/// The quotient of such a product and a word whose leading bit is set.
#[inline]
fn divided((high, low): (u128, u64), denominator: u64) -> u128 {
    let denominator = u128::from(denominator);
    let rest = (high % denominator) << 64 | u128::from(low);
    ((high / denominator) << 64) + rest / denominator
}
