//! Formats so small that all their numbers can be visited.

use crate::{Decoded, Float};

pub(super) type Five = Tiny<2, 5, -3>;
pub(super) type Eight = Tiny<4, 8, -9>;
pub(super) type Sixteen = Tiny<11, 16, -24>;
/// As long as `f64`, and with next to no range.
pub(super) type Long = Tiny<53, 56, -50>;

/// A small format: P bits of precision, W in memory, and 2^MIN the smallest number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiny<const P: u32, const W: u32, const MIN: i32>(u64);

impl<const P: u32, const W: u32, const MIN: i32> Float for Tiny<P, W, MIN> {
    const PRECISION: u32 = P;
    const WIDTH: u32 = W;
    const MIN_EXPONENT: i32 = MIN;
    const MAX_EXPONENT: i32 = MIN + (1 << (W - P)) - 3;

    fn decode(self) -> Decoded {
        let negative = self.0 >> (W - 1) == 1;
        let magnitude = self.0 & ((1 << (W - 1)) - 1);
        let (biased, fraction) = (magnitude >> (P - 1), magnitude & ((1 << (P - 1)) - 1));
        match biased as i32 {
            0 => Decoded::Finite {
                negative: negative && fraction != 0,
                mantissa: fraction,
                exponent: MIN,
            },
            above if above == (1 << (W - P)) - 1 && fraction == 0 => Decoded::Infinite { negative },
            above if above == (1 << (W - P)) - 1 => Decoded::NaN,
            above => Decoded::Finite {
                negative,
                mantissa: fraction | 1 << (P - 1),
                exponent: MIN + above - 1,
            },
        }
    }

    fn encode(negative: bool, mantissa: u64, exponent: i32) -> Self {
        assert!(mantissa >> P == 0 && (MIN..=Self::MAX_EXPONENT).contains(&exponent));
        assert!(mantissa >> (P - 1) == 1 || exponent == MIN);
        let magnitude = (((exponent - MIN) as u64) << (P - 1)) + mantissa;
        Tiny(u64::from(negative) << (W - 1) | magnitude)
    }

    fn to_raw(self) -> u64 {
        self.0
    }

    fn from_raw(raw: u64) -> Self {
        assert!(raw >> W == 0, "no more bits than the format has");
        Tiny(raw)
    }

    fn infinity(negative: bool) -> Self {
        Tiny(u64::from(negative) << (W - 1) | ((1 << (W - P)) - 1) << (P - 1))
    }
}
