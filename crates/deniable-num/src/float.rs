/// A binary floating-point format: `f32`, `f64`, and the small ones that exhaustive checks use.
///
/// Everything this crate does with such floats goes through [`Float::decode`] and [`Float::encode`], on
/// integers. No floating-point instruction is executed on them, so neither the rounding mode nor a
/// flush-to-zero flag that another library left set can change a bound. An implementation of
/// `decode` must keep the optimizer from turning tests of bits back into comparisons of floats.
///
/// A format must not be wider than `f64` in precision or range; one that is does not compile.
pub trait Float: Copy + core::fmt::Debug {
    /// The number of bits of a normal number's mantissa, the leading one included.
    const PRECISION: u32;
    /// The number of bits in memory.
    const WIDTH: u32;
    /// The exponent of the smallest positive number: 2^MIN_EXPONENT.
    const MIN_EXPONENT: i32;
    /// The exponent of the last place of the largest finite number.
    const MAX_EXPONENT: i32;

    /// Takes the number apart.
    fn decode(self) -> Decoded;

    /// Puts a finite number together: mantissa · 2^exponent, negated if `negative`.
    ///
    /// The mantissa has PRECISION bits, or fewer if the exponent is MIN_EXPONENT; the exponent is from
    /// MIN_EXPONENT to MAX_EXPONENT.
    fn encode(negative: bool, mantissa: u64, exponent: i32) -> Self;

    /// The bits of the number in memory, in the order of IEEE 754: one for the sign, WIDTH − PRECISION of the exponent, and the fraction.
    fn to_raw(self) -> u64;

    /// The number with these bits.
    fn from_raw(raw: u64) -> Self;

    /// ±∞.
    fn infinity(negative: bool) -> Self;

    /// The largest finite number, or its negative.
    fn largest(negative: bool) -> Self {
        Self::encode(negative, (1 << Self::PRECISION) - 1, Self::MAX_EXPONENT)
    }
}

/// A float taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoded {
    /// Not a number.
    NaN,
    /// ±∞.
    Infinite {
        /// Whether it is −∞.
        negative: bool,
    },
    /// ± mantissa · 2^exponent. Zero has mantissa 0 and is never negative.
    Finite {
        /// The sign.
        negative: bool,
        /// An integer below 2^PRECISION.
        mantissa: u64,
        /// A power of two, at least MIN_EXPONENT.
        exponent: i32,
    },
}

macro_rules! ieee {
    ($float:ty, $bits:ty, $precision:expr) => {
        impl Float for $float {
            const PRECISION: u32 = $precision;
            const WIDTH: u32 = <$bits>::BITS;
            const MIN_EXPONENT: i32 = <$float>::MIN_EXP - $precision;
            const MAX_EXPONENT: i32 = <$float>::MAX_EXP - $precision;

            #[inline]
            fn decode(self) -> Decoded {
                const FRACTION: u32 = $precision - 1;
                const SPECIAL: $bits = (1 << (<$bits>::BITS - $precision)) - 1;
                // Hidden from the optimizer, which would turn a test of the bits back into a comparison of floats.
                let bits = core::hint::black_box(self.to_bits());
                let negative = bits >> (<$bits>::BITS - 1) == 1;
                let biased = (bits >> FRACTION) & SPECIAL;
                let fraction = u64::from(bits & ((1 << FRACTION) - 1));
                if biased == SPECIAL {
                    return if fraction == 0 {
                        Decoded::Infinite { negative }
                    } else {
                        Decoded::NaN
                    };
                }
                if biased == 0 {
                    let negative = negative && fraction != 0;
                    return Decoded::Finite {
                        negative,
                        mantissa: fraction,
                        exponent: Self::MIN_EXPONENT,
                    };
                }
                let mantissa = fraction | 1 << FRACTION;
                Decoded::Finite {
                    negative,
                    mantissa,
                    exponent: Self::MIN_EXPONENT + biased as i32 - 1,
                }
            }

            #[inline]
            fn encode(negative: bool, mantissa: u64, exponent: i32) -> Self {
                const FRACTION: u32 = $precision - 1;
                debug_assert!(mantissa >> $precision == 0);
                debug_assert!((Self::MIN_EXPONENT..=Self::MAX_EXPONENT).contains(&exponent));
                let sign = <$bits>::from(negative) << (<$bits>::BITS - 1);
                let normal = mantissa >> FRACTION;
                debug_assert!(normal == 1 || exponent == Self::MIN_EXPONENT);
                let biased = normal * ((exponent - Self::MIN_EXPONENT) as u64 + 1);
                let fraction = mantissa & ((1 << FRACTION) - 1);
                <$float>::from_bits(sign | (biased << FRACTION | fraction) as $bits)
            }

            #[inline(always)]
            fn to_raw(self) -> u64 {
                self.to_bits().into()
            }

            #[inline(always)]
            fn from_raw(raw: u64) -> Self {
                <$float>::from_bits(raw as $bits)
            }

            #[inline]
            fn infinity(negative: bool) -> Self {
                if negative { <$float>::NEG_INFINITY } else { <$float>::INFINITY }
            }
        }
    };
}

ieee!(f32, u32, 24);
ieee!(f64, u64, 53);

#[cfg(test)]
mod tests {
    use super::*;

    fn back<F: Float>(x: F) -> Option<F> {
        match x.decode() {
            Decoded::NaN => None,
            Decoded::Infinite { negative } => Some(F::infinity(negative)),
            Decoded::Finite { negative, mantissa, exponent } => {
                Some(F::encode(negative, mantissa, exponent))
            }
        }
    }

    #[test]
    fn decode_and_encode_are_inverse() {
        let step = 65_537;
        for bits in (0..=u32::MAX).step_by(step).chain([0, 1, 0x7f_ffff, 0x80_0000, 0x7f7f_ffff]) {
            let x = f32::from_bits(bits);
            match back(x) {
                None => assert!(x.is_nan()),
                Some(_) if bits == 1 << 31 => assert_eq!(back(x).unwrap().to_bits(), 0),
                Some(y) => assert_eq!(y.to_bits(), bits),
            }
        }
        for x in [f64::MAX, f64::MIN_POSITIVE, 5e-324, -1.5, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(back(x).unwrap().to_bits(), x.to_bits());
        }
        assert_eq!(<f64 as Float>::largest(true), f64::MIN);
        assert_eq!(<f32 as Float>::largest(false), f32::MAX);
        assert_eq!((<f64 as Float>::MIN_EXPONENT, <f64 as Float>::MAX_EXPONENT), (-1074, 971));
    }
}
