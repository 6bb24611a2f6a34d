//! A uniform number against the binary expansion of another.
//!
//! Let U be uniform on [0, 1) and p in [0, 1). Then U < p with probability p, and to decide it one reads
//! both expansions from the front until they differ. All Bernoulli laws of this crate are this loop; they
//! differ in where the digits of p come from.

use core::cmp::Ordering;

use num_bigint::BigUint;

use crate::{Result, Source, Word};

/// The binary expansion of a number in [0, 1), from the front.
pub(crate) trait Expansion {
    /// The next `width` bits, or None if all the rest are zero.
    fn next(&mut self, width: u32) -> Option<u64>;
}

/// Whether a uniform number is below the expanded one: true with exactly that probability.
#[inline]
pub(crate) fn uniform_is_below<S: Source + ?Sized>(
    mut expansion: impl Expansion,
    source: &mut S,
) -> Result<bool> {
    while let Some(digit) = expansion.next(S::Word::BITS) {
        match source.draw()?.compare(digit) {
            Ordering::Less => return Ok(true),
            Ordering::Greater => return Ok(false),
            Ordering::Equal => {}
        }
    }
    Ok(false)
}

/// The same for as many uniform numbers as `lanes` says, at most as many as a word has bits: bit j of the result tells
/// whether the number of lane j is below the expanded one. Bit j of each word is the next digit of that number.
#[inline]
pub(crate) fn uniforms_are_below<S: Source + ?Sized>(
    mut expansion: impl Expansion,
    lanes: u32,
    source: &mut S,
) -> Result<u64> {
    let (mut below, mut undecided) = (0, lowest(lanes.min(S::Word::BITS)));
    while undecided != 0 {
        let Some(digit) = expansion.next(1) else { break };
        let (digit, drawn) = (digit.wrapping_neg(), source.draw()?.value());
        below |= undecided & digit & !drawn;
        undecided &= !(drawn ^ digit);
    }
    Ok(below)
}

/// A word whose lowest bits are ones, up to 64 of them.
#[inline]
pub(crate) fn lowest(bits: u32) -> u64 {
    u64::MAX.checked_shr(64 - bits).unwrap_or(0)
}

/// An irrational number in (0, 1) that can be enclosed as narrowly as one likes.
pub(crate) trait Irrational {
    /// The number's first 64 bits, if a fast path knows them.
    fn first_word(&self) -> Option<u64>;

    /// Bounds of the number times 2^bits. Their distance times 2^−bits must go to zero as `bits` grows.
    fn enclose(&self, bits: u64) -> (BigUint, BigUint);
}

/// The expansion of an irrational number.
pub(crate) struct IrrationalDigits<'a, N> {
    number: &'a N,
    position: u64,
    first_word: Option<u64>,
}

impl<'a, N: Irrational> IrrationalDigits<'a, N> {
    #[inline]
    pub(crate) fn new(number: &'a N) -> Self {
        IrrationalDigits { number, position: 0, first_word: number.first_word() }
    }
}

impl<N: Irrational> Expansion for IrrationalDigits<'_, N> {
    #[inline]
    fn next(&mut self, width: u32) -> Option<u64> {
        let mask = u64::MAX >> (64 - width);
        self.position += u64::from(width);
        if let (Some(first), 0..=64) = (self.first_word, self.position) {
            return Some(first >> (64 - self.position) & mask);
        }
        Some(low_word(&floor_scaled(self.number, self.position)) & mask)
    }
}

/// ⌊number · 2^position⌋, at whatever precision it takes.
#[cold]
pub(crate) fn floor_scaled<N: Irrational>(number: &N, position: u64) -> BigUint {
    let mut bits = position + 64;
    loop {
        // An irrational number is strictly below its upper bound: 1 − 2^−1000 has an expansion of ones.
        let (low, high) = number.enclose(bits);
        let (low, high) = (low >> (bits - position), (high - 1u32) >> (bits - position));
        if low == high {
            return low;
        }
        bits *= 2;
    }
}

/// The last 64 bits of an integer.
fn low_word(n: &BigUint) -> u64 {
    n.iter_u64_digits().next().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    /// Lanes of all patterns of six digits: each is below or not as the number of its digits is.
    #[test]
    fn each_lane_is_compared_by_its_own_digits() {
        const DIGITS: u32 = 6;

        struct Digits(u64, u32);

        impl Expansion for Digits {
            fn next(&mut self, width: u32) -> Option<u64> {
                assert_eq!(width, 1);
                self.1 = self.1.checked_sub(1)?;
                Some(self.0 >> self.1 & 1)
            }
        }

        struct Lanes(u32);

        impl Source for Lanes {
            type Word = u64;

            /// The next digit of j in bit j.
            fn draw(&mut self) -> Result<u64> {
                self.0 = self.0.checked_sub(1).ok_or_else(Error::entropy_unavailable)?;
                Ok((0..64).map(|lane| (lane >> self.0 & 1) << lane).sum())
            }
        }

        for number in 0..64 {
            for lanes in [1, 5, 63, 64, 200] {
                let mut source = Lanes(DIGITS);
                let below = uniforms_are_below(Digits(number, DIGITS), lanes, &mut source);
                let expected = (0..64.min(u64::from(lanes))).filter(|&lane| lane < number);
                assert_eq!(below, Ok(expected.map(|lane| 1 << lane).sum()), "{number} {lanes}");
            }
            // Ended as soon as all are decided: lane 0 alone, at the first one.
            let mut source = Lanes(DIGITS);
            uniforms_are_below(Digits(number, DIGITS), 1, &mut source).unwrap();
            assert_eq!(source.0, number.checked_ilog2().unwrap_or(0), "{number}");
        }
    }

    /// In parts of any width.
    #[test]
    fn digits_begin_with_the_first_word() {
        struct Known(u64);

        impl Irrational for Known {
            fn first_word(&self) -> Option<u64> {
                Some(self.0)
            }

            fn enclose(&self, _: u64) -> (BigUint, BigUint) {
                unreachable!("the first word is known")
            }
        }

        let first = 0xfedc_ba98_7654_3210u64;
        for width in [1u32, 4, 8, 16, 32, 64] {
            let number = Known(first);
            let mut digits = IrrationalDigits::new(&number);
            let parts = (0..64 / width).map(|_| digits.next(width).unwrap());
            assert_eq!(
                parts.fold(0u128, |all, part| all << width | u128::from(part)),
                first.into()
            );
        }
    }

    /// A number given by its first 256 bits, with bounds that are `slack` units wide on either side.
    struct Coarse {
        bits: BigUint,
        slack: u32,
    }

    impl Irrational for Coarse {
        fn first_word(&self) -> Option<u64> {
            None
        }

        fn enclose(&self, bits: u64) -> (BigUint, BigUint) {
            let floor =
                if bits > 256 { &self.bits << (bits - 256) } else { &self.bits >> (256 - bits) };
            let low = if floor >= BigUint::from(self.slack) {
                &floor - self.slack
            } else {
                BigUint::ZERO
            };
            (low, floor + self.slack + 1u32)
        }
    }

    /// Ones and zeros in long runs: the bounds straddle a digit's edge until they are narrow enough.
    #[test]
    fn digits_next_to_an_edge_are_right() {
        for run in 1..190u32 {
            let ones = (BigUint::from(1u32) << run) - 1u32;
            for edge in [ones.clone() << (250 - run), BigUint::from(1u32) << (250 - run)] {
                for slack in [0, 1, 5, 1000] {
                    let number = Coarse { bits: &edge + 3u32, slack };
                    let mut digits = IrrationalDigits::new(&number);
                    for position in (16..=192u32).step_by(16) {
                        let expected =
                            (&number.bits >> (256 - position)) & BigUint::from(0xffffu32);
                        assert_eq!(
                            digits.next(16).map(BigUint::from),
                            Some(expected),
                            "{run} {slack}"
                        );
                    }
                }
            }
        }
    }
}
