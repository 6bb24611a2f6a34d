//! An 8-bit float: one sign bit, four of exponent, three of fraction. Small enough to look at all of it.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use deniable_num::{Decoded, Float};

/// The float with these bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mini(pub u8);

impl Float for Mini {
    const PRECISION: u32 = 4;
    const WIDTH: u32 = 8;
    const MIN_EXPONENT: i32 = -9;
    const MAX_EXPONENT: i32 = 4;

    fn decode(self) -> Decoded {
        let negative = self.0 >> 7 == 1;
        let fraction = u64::from(self.0 & 7);
        match self.0 >> 3 & 15 {
            15 if fraction == 0 => Decoded::Infinite { negative },
            15 => Decoded::NaN,
            0 => Decoded::Finite {
                negative: negative && fraction != 0,
                mantissa: fraction,
                exponent: Self::MIN_EXPONENT,
            },
            biased => Decoded::Finite {
                negative,
                mantissa: fraction + 8,
                exponent: Self::MIN_EXPONENT + i32::from(biased) - 1,
            },
        }
    }

    fn encode(negative: bool, mantissa: u64, exponent: i32) -> Self {
        let above = (exponent - Self::MIN_EXPONENT) as u64 * 8;
        assert!(mantissa < 16 && (mantissa >= 8 || exponent == Self::MIN_EXPONENT));
        Mini(u8::from(negative) << 7 | (above + mantissa) as u8)
    }

    fn to_raw(self) -> u64 {
        self.0.into()
    }

    fn from_raw(raw: u64) -> Self {
        Mini(u8::try_from(raw).expect("eight bits"))
    }

    fn infinity(negative: bool) -> Self {
        Mini(u8::from(negative) << 7 | 0x78)
    }
}

impl Mini {
    /// All finite numbers, from the smallest to the largest, zero once.
    pub fn all() -> Vec<Mini> {
        let negative = (1..0x78).rev().map(|bits| Mini(bits | 0x80));
        negative.chain((0..0x78).map(Mini)).collect()
    }

    /// The value of a finite number, from its bits alone.
    pub fn value(self) -> RBig {
        let (biased, fraction) = (usize::from(self.0 >> 3 & 15), u32::from(self.0 & 7));
        let (mantissa, up) = if biased == 0 { (fraction, 0) } else { (fraction + 8, biased - 1) };
        let magnitude = RBig::from_parts(IBig::from(mantissa) << up, UBig::ONE << 9);
        if self.0 >> 7 == 1 { -magnitude } else { magnitude }
    }

    /// Whether its last bit is zero.
    pub fn is_even(self) -> bool {
        self.0 & 1 == 0
    }
}
