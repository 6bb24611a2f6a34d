//! Noise on machine integers, saturated at their ends.

use core::fmt::Debug;

use deniable_num::Narrow;
use num_bigint::BigUint;

use super::DiscreteLaplace;
use super::at_once::AddNoise;
use crate::magnitude::{Bounds, sample_magnitude};
use crate::{Result, Source};

/// A signed integer of at most 64 bits: `i8`, `i16`, `i32`, `i64`.
pub trait SaturatingInt: sealed::Sealed + Copy + Debug + PartialEq + Into<i128> {
    /// The number of its bits.
    const BITS: u32;

    /// The integer of this type that is nearest to n.
    fn saturated(n: i128) -> Self;

    /// The last bits of n.
    #[doc(hidden)]
    fn truncated(n: i128) -> Self;
}

impl DiscreteLaplace {
    /// Draws `shift` plus noise, saturated at the ends of the type.
    ///
    /// The noise is that of [`DiscreteLaplace::sample`]: from the same words both make the same sum. This one takes no
    /// memory but in less than one of 2^50 draws (or if the scale is no ratio of 64-bit words), and no more words: it
    /// returns as soon as all sums that are still possible saturate alike.
    ///
    /// # Errors
    ///
    /// A source that fails.
    ///
    /// # Examples
    ///
    /// ```
    /// use deniable_sample::{DiscreteLaplace, OsEntropy};
    /// let noise = DiscreteLaplace::from_float(10.0)?;
    /// let noisy: i64 = noise.sample_saturating(1_000, &mut OsEntropy::new())?;
    /// // Nearly all of this noise is beyond the type: it ends at one of its ends.
    /// let far = DiscreteLaplace::from_float(1e300)?.sample_saturating(7i32, &mut OsEntropy::new())?;
    /// assert!(far == i32::MIN || far == i32::MAX);
    /// # Ok::<(), deniable_sample::Error>(())
    /// ```
    #[inline]
    pub fn sample_saturating<I: SaturatingInt, S: Source + ?Sized>(
        &self,
        shift: I,
        source: &mut S,
    ) -> Result<I> {
        self.add(shift, source)
    }

    /// Adds noise to each of many integers: the law of as many [samples](DiscreteLaplace::sample_saturating), independent of
    /// each other.
    ///
    /// # Errors
    ///
    /// As there. Then the integers, of which some may have noise and some not, must not be used.
    pub fn sample_all_saturating<I: SaturatingInt, S: Source + ?Sized>(
        &self,
        shifts: &mut [I],
        source: &mut S,
    ) -> Result<()> {
        self.add_to_all(shifts, source)
    }
}

impl<I: SaturatingInt> AddNoise<I> for DiscreteLaplace {
    fn law(&self) -> &DiscreteLaplace {
        self
    }

    #[inline(always)]
    fn at_once(&self, number: I, negative: bool, scaled: Narrow) -> Option<I> {
        scaled.floor().map(|geometric| sum(number, negative, geometric.into()))
    }

    #[cold]
    #[inline(never)]
    fn slowly<S: Source>(&self, number: I, negative: bool, source: &mut S) -> Result<I> {
        // With a longer scale than the type the sum is beyond its ends, which the first bits tell.
        let first_look = self.scale.length().min(I::BITS.into());
        sample_magnitude(&self.scale, source, first_look, |bounds| {
            let (low, high) = match bounds {
                Bounds::Words { low, high, shift: up } => {
                    (times_power(*low, *up), times_power(*high, *up))
                }
                Bounds::Big { low, high } => (capped(low), capped(high)),
            };
            let (near, far) = (sum(number, negative, low), sum(number, negative, high));
            // The saturated sum is monotone in G: if both ends agree, all between them do.
            (near == far).then_some(near)
        })
    }
}

/// So far from any shift that the sum is beyond the ends of every type. What is further away is brought here.
pub(crate) const FAR: u128 = 1 << 66;

/// shift + G, or shift − 1 − G, saturated; for a G of at most FAR.
#[inline]
fn sum<I: SaturatingInt>(shift: I, negative: bool, geometric: u128) -> I {
    let (shift, geometric): (i128, i128) = (shift.into(), geometric as i128);
    I::saturated(if negative { shift - 1 - geometric } else { shift + geometric })
}

/// n · 2^up, or FAR if that is less.
#[inline]
fn times_power(n: u128, up: u32) -> u128 {
    if n > FAR.checked_shr(up).unwrap_or(0) {
        return FAR;
    }
    // At most FAR; and if `up` is beyond the type, n is 0.
    n.checked_shl(up).unwrap_or(0)
}

/// n, or FAR if that is less.
pub(crate) fn capped(n: &BigUint) -> u128 {
    u128::try_from(n).map_or(FAR, |n| n.min(FAR))
}

mod sealed {
    /// A sum of 64-bit integers and FAR fits in an `i128`; longer types would not do.
    pub trait Sealed {}
}

macro_rules! saturating {
    ($($int:ty)*) => {
        $(
            impl sealed::Sealed for $int {}

            impl SaturatingInt for $int {
                const BITS: u32 = <$int>::BITS;

                #[inline]
                fn saturated(n: i128) -> Self {
                    n.clamp(<$int>::MIN.into(), <$int>::MAX.into()) as $int
                }

                #[inline]
                fn truncated(n: i128) -> Self {
                    n as $int
                }
            }
        )*
    };
}

saturating!(i8 i16 i32 i64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_stop_at_the_far_end() {
        let edge = FAR >> 5;
        for (n, up, product) in [
            (3, 0, 3),
            (3, 5, 96),
            (edge - 1, 5, FAR - 32),
            (edge, 5, FAR),
            (edge + 1, 5, FAR),
            (1, 66, FAR),
            (1, 67, FAR),
            (u128::MAX, 1, FAR),
            (5, 4000, FAR),
            (0, 4000, 0),
        ] {
            assert_eq!(times_power(n, up), product, "{n} · 2^{up}");
        }
        assert_eq!(capped(&BigUint::from(FAR - 1)), FAR - 1);
        assert_eq!(capped(&(BigUint::from(FAR) << 200u32)), FAR);
    }
}
