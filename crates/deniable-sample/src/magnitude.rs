//! ⌊scale · E⌋ for a standard exponential E, as narrowly as somebody needs it.
//!
//! E = −ln U, and the binary digits of U are drawn as they are needed. Each digit narrows E, and with it
//! the integer G = ⌊scale · E⌋, which has P(G ≥ g) = P(U ≤ e^(−g/scale)) = e^(−g/scale). Whoever asks looks
//! at the bounds and says whether they decide; if not, another word is drawn. What is returned is a
//! function of U alone, so its law is exact whenever each pair of bounds is right.

use deniable_num::Narrow;
use deniable_num::certified::{FRACTION, Interval, NegLn, neg_ln_64, neg_ln_128};

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
        self.times_ln::<W>(NegLn::of(leading(word)))
    }

    /// scale · E from a lower bound of −ln u, where u is the first word of U.
    #[inline(always)]
    pub(crate) fn times_ln<W: Word>(&self, ln: NegLn) -> Narrow {
        let Scale::Dyadic { mantissa, exponent } = *self else { return Narrow::UNKNOWN };
        // −ln U is at most −ln u, and less than 2^−BITS / u below it: in units of the bound, 2^width.
        let width = ln.halvings + 65 - u64::from(W::BITS) - ln.down;
        let is_known = (ln.halvings < NegLn::TOO_MANY) & (W::BITS == 64 || width <= 61);
        let width = 1u64 << (width & 63);
        let lower = ln.mantissa.saturating_sub(width);
        let narrow = Narrow {
            mantissa: mul_high(lower, mantissa) >> 1,
            // The scale's mantissa is below 2^64: it does not lengthen the slack, but for the product's last place.
            slack: (width >> 1) + SLACK,
            exponent: exponent + ln.down as i64 + 1,
        };
        narrow.known_if(is_known)
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

/// The units of scale · E that its bounds may be off by rounding.
const SLACK: u64 = {
    // Half of the logarithm's, as the product is halved, and less than one for the product's last place.
    NegLn::SLACK.div_ceil(2) + 1
};

/// A word as the first bits of 64.
#[inline(always)]
pub(crate) fn leading<W: Word>(word: W) -> u64 {
    word.value() << (64 - W::BITS)
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
    let look = |(low, high)| scale.words(low, high).and_then(|bounds| decide(&bounds));
    while scale.fits_words() && uniform.drawn < 128 {
        uniform.push(source.draw()?);
        if let Some(decided) = uniform.about_neg_ln().and_then(look) {
            return Ok(decided);
        }
        if let Some(decided) = uniform.neg_ln().and_then(look) {
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

    /// Bounds of −ln U · 2^FRACTION that are cheap to compute. None if there are none.
    #[inline]
    fn about_neg_ln(&self) -> Option<(u128, u128)> {
        let (first, second) = ((self.top >> 64) as u64, self.top as u64);
        let (low, high) = neg_ln_64(first)?;
        if second == 0 {
            return Some(self.widened(low, high));
        }
        // ln(first + second/2^64) is ln(first) + ln(1 + d), where d = second / (2^64 · first) is below 2^−48, and ln(1 + d) is from d − d²/2 to d.
        let (numerator, denominator) = (second >> 8, first >> 32);
        if denominator >> 16 == 0 {
            return None;
        }
        let d_low = u128::from(numerator / (denominator + 1)) << (FRACTION - 88);
        let d_high = u128::from(numerator / denominator + 1) << (FRACTION - 88);
        const { assert!(FRACTION - 97 == 19) };
        Some(self.widened(low.saturating_sub(d_high), high - d_low + (1 << 19)))
    }

    /// Bounds of −ln U · 2^FRACTION from more than a word. None as long as all bits are zero.
    #[inline]
    fn neg_ln(&self) -> Option<(u128, u128)> {
        if self.drawn <= 64 {
            return None;
        }
        let (low, high) = neg_ln_128(self.top)?;
        Some(self.widened(low, high))
    }

    /// Bounds of −ln U from those of −ln u, where u is what is known of U.
    ///
    /// U is at least u and less than u + 2^−drawn, so −ln U is at most −ln u, and less than 2^−drawn / u
    /// below it.
    #[inline]
    fn widened(&self, low: u128, high: u128) -> (u128, u128) {
        let width = FRACTION + self.top.leading_zeros() + 1;
        let width = 1u128.checked_shl(width.saturating_sub(self.drawn)).unwrap_or(u128::MAX);
        (low.saturating_sub(width), high)
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

/// The leading 64 bits of a product of 128, from products of halves, which vectors have an instruction for.
#[inline(always)]
fn mul_high(a: u64, b: u64) -> u64 {
    let (high, low) = (|n: u64| n >> 32, |n: u64| n & 0xffff_ffff);
    let (one, other) = (high(a) * low(b), low(a) * high(b));
    let carry = low(one) + low(other) + high(low(a) * low(b));
    high(a) * high(b) + high(one) + high(other) + high(carry)
}

/// The quotient of such a product and a word whose leading bit is set.
#[inline]
fn divided((high, low): (u128, u64), denominator: u64) -> u128 {
    let denominator = u128::from(denominator);
    let rest = (high % denominator) << 64 | u128::from(low);
    ((high / denominator) << 64) + rest / denominator
}

#[cfg(test)]
mod tests;
