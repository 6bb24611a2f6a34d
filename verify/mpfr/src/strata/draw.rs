//! Numbers of the kinds that the strata are made of.

use crate::{number::Number, rng::SplitMix};

/// The numbers that are special in the format.
pub fn specials<F: Number>() -> [F; 18] {
    let one = F::near(1.0);
    let quiet_nan = F::from_bits(F::INFINITY.bits() | 1 << (F::PRECISION - 2));
    let positive = [
        F::ZERO,
        F::INFINITY,
        F::MIN_POSITIVE,
        F::MIN_POSITIVE.next_down(),
        F::MAX,
        F::MAX.next_down(),
        F::ZERO.next_up(),
        one,
        quiet_nan,
    ];
    std::array::from_fn(|i| if i < 9 { positive[i] } else { -positive[i - 9] })
}

/// A source of numbers.
#[derive(Debug)]
pub struct Draw {
    /// Where the bits come from.
    pub rng: SplitMix,
}

impl Draw {
    /// From these bits.
    pub fn new(rng: SplitMix) -> Self {
        Self { rng }
    }

    /// Any bit pattern.
    pub fn bits<F: Number>(&mut self) -> F {
        F::from_bits(self.rng.next() >> (64 - F::WIDTH))
    }

    /// One of [`specials`].
    pub fn special<F: Number>(&mut self) -> F {
        self.rng.pick(&specials::<F>())
    }

    /// A power of two, up to a few steps.
    pub fn edge<F: Number>(&mut self) -> F {
        let exponent = self.rng.between(F::LOW, F::HIGH);
        let edge = F::near(scale(1.0, exponent));
        let moved = self.nudge(edge, 4);
        self.signed(moved)
    }

    /// A small integer, or a fraction of two.
    pub fn small<F: Number>(&mut self) -> F {
        let bits = self.rng.between(2, 12) as u32;
        let numerator = self.rng.below(1 << bits) as f64;
        let denominator = match self.rng.below(3) {
            0 => 1,
            1 => 1 << self.rng.below(12),
            _ => 1 + self.rng.below(1 << bits),
        };
        let value = F::near(numerator / denominator as f64);
        self.signed(value)
    }

    /// A positive number with any digits, from 2^exponent to twice that.
    pub fn at<F: Number>(&mut self, exponent: i32) -> F {
        F::near(scale(1.0 + self.rng.unit(), exponent))
    }

    /// A positive number with any digits and an exponent from `low` to `high`.
    pub fn between<F: Number>(&mut self, low: i32, high: i32) -> F {
        let exponent = self.rng.between(low, high);
        self.at(exponent)
    }

    /// An odd integer of exactly `bits` bits.
    pub fn odd(&mut self, bits: u32) -> u64 {
        (self.rng.next() >> (64 - bits)) | (1 << (bits - 1)) | 1
    }

    /// The number up to `most` steps away from `x`, in either direction or none.
    pub fn nudge<F: Number>(&mut self, x: F, most: i32) -> F {
        let steps = self.rng.between(-most, most);
        (0..steps.abs()).fold(x, |x, _| if steps < 0 { x.next_down() } else { x.next_up() })
    }

    /// With a sign at random.
    pub fn signed<F: Number>(&mut self, x: F) -> F {
        if self.rng.next() >> 63 == 0 { x } else { -x }
    }
}

/// x · 2^exponent; where it is subnormal, near that.
pub fn scale(x: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    x * 2f64.powi(half) * 2f64.powi(exponent - half)
}
