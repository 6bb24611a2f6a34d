//! A format whose sums can be listed.

use deniable_num::{Decoded, Float};

/// A float with the range of `f32` and four bits of precision, so that the sums on its finest grid are decided by one word and are
/// few enough to list: one sign bit, eight of exponent, three of fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Coarse(pub(super) u16);

impl Float for Coarse {
    const PRECISION: u32 = 4;
    const WIDTH: u32 = 12;
    const MIN_EXPONENT: i32 = -129;
    const MAX_EXPONENT: i32 = 124;

    fn decode(self) -> Decoded {
        let (negative, fraction) = (self.0 >> 11 == 1, u64::from(self.0 & 7));
        match self.0 >> 3 & 255 {
            255 if fraction == 0 => Decoded::Infinite { negative },
            255 => Decoded::NaN,
            0 => Decoded::Finite {
                negative: negative && fraction != 0,
                mantissa: fraction,
                exponent: -129,
            },
            biased => Decoded::Finite {
                negative,
                mantissa: fraction + 8,
                exponent: i32::from(biased) - 130,
            },
        }
    }

    fn encode(negative: bool, mantissa: u64, exponent: i32) -> Self {
        Coarse(u16::from(negative) << 11 | ((exponent + 129) as u64 * 8 + mantissa) as u16)
    }

    fn to_raw(self) -> u64 {
        self.0.into()
    }

    fn from_raw(raw: u64) -> Self {
        assert!(raw >> 12 == 0, "twelve bits");
        Coarse(raw as u16)
    }

    fn infinity(negative: bool) -> Self {
        Coarse(u16::from(negative) << 11 | 0x7f8)
    }
}
