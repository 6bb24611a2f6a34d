//! What the checks need to know about `f32` and `f64`.

use rug::{Assign, Float, float::Round};

use crate::function::UnderTest;

/// `f32` or `f64`.
pub trait Number:
    Copy + PartialOrd + std::fmt::Debug + std::ops::Neg<Output = Self> + UnderTest + Send + Sync
{
    /// `"f32"` or `"f64"`.
    const NAME: &'static str;
    /// Bits of precision, the hidden one included.
    const PRECISION: u32;
    /// Bits of the whole number.
    const WIDTH: u32;
    /// Exponent of the smallest subnormal number.
    const LOW: i32;
    /// Exponent of the largest finite number.
    const HIGH: i32;
    /// The largest finite number.
    const MAX: Self;
    /// The smallest normal number.
    const MIN_POSITIVE: Self;
    /// Zero, with a plus sign.
    const ZERO: Self;
    /// Positive infinity.
    const INFINITY: Self;

    /// The number with these bits, the low [`Number::WIDTH`] of them.
    fn from_bits(bits: u64) -> Self;
    /// The bits.
    fn bits(self) -> u64;
    /// The least number above.
    fn next_up(self) -> Self;
    /// The greatest number below.
    fn next_down(self) -> Self;
    /// Whether it is not a number.
    fn is_nan(self) -> bool {
        self.partial_cmp(&self).is_none()
    }
    /// A number near `x`; for generators, where the rounding does not matter.
    fn near(x: f64) -> Self;
    /// The same value.
    fn wide(self) -> f64;
    /// Stores the value in `float`, which has at least [`Number::PRECISION`] bits.
    fn store(self, float: &mut Float);
    /// The greatest number that is at most `float`: subnormals and the ends of the range included.
    fn floor(float: &Float) -> Self;
    /// Whether the values are the same.
    fn equals(self, float: &Float) -> bool;

    /// The position among all numbers in their order: neighbours differ by one, −0 and +0 agree.
    fn position(self) -> i64 {
        let sign = 1u64 << (Self::WIDTH - 1);
        let magnitude = (self.bits() & (sign - 1)) as i64;
        if self.bits() & sign == 0 { magnitude } else { -magnitude }
    }
}

macro_rules! number {
    ($float:ty, $bits:ty, $low:expr, $high:expr) => {
        impl Number for $float {
            const NAME: &'static str = stringify!($float);
            const PRECISION: u32 = <$float>::MANTISSA_DIGITS;
            const WIDTH: u32 = <$bits>::BITS;
            const LOW: i32 = $low;
            const HIGH: i32 = $high;
            const MAX: Self = <$float>::MAX;
            const MIN_POSITIVE: Self = <$float>::MIN_POSITIVE;
            const ZERO: Self = 0.0;
            const INFINITY: Self = <$float>::INFINITY;

            fn from_bits(bits: u64) -> Self {
                <$float>::from_bits(bits as $bits)
            }
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
            fn next_up(self) -> Self {
                <$float>::next_up(self)
            }
            fn next_down(self) -> Self {
                <$float>::next_down(self)
            }
            fn near(x: f64) -> Self {
                x as $float
            }
            fn wide(self) -> f64 {
                self.into()
            }
            fn store(self, float: &mut Float) {
                debug_assert!(float.prec() >= Self::PRECISION);
                float.assign(self);
            }
            fn floor(float: &Float) -> Self {
                // MPFR's own conversion, which honours subnormals and the ends of the range. Not
                // rug's to `f32`, which does not: release 1.19 rounds those to nearest.
                let wide = float.to_f64_round(Round::Down);
                // The nearest is `wide` or one of its neighbours. Rounding down twice is rounding
                // down once, since every `f32` is an `f64`.
                let nearest = wide as $float;
                if nearest.wide() > wide { nearest.next_down() } else { nearest }
            }
            fn equals(self, float: &Float) -> bool {
                *float == self
            }
        }
    };
}

number!(f32, u32, -149, 127);
number!(f64, u64, -1074, 1023);
