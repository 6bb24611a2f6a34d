//! A uniformly random integer below a bound.
#![doc = include_str!("proof.md")]

mod either;
mod many;

pub use either::EitherBelow;
pub use many::ManyBelow;

use num_bigint::BigUint;

use crate::error::Refusal;
use crate::word::{Low, Word};
use crate::{Error, Result, Source};

/// Uniform on 0, 1, …, n − 1, exactly.
///
/// For every unsigned integer type and for big integers.
///
/// # Errors
///
/// An `n` of zero; a source that fails.
///
/// # Examples
///
/// ```
/// use deniable_sample::{OsEntropy, sample_uniform_int_below};
/// let die = 1 + sample_uniform_int_below(6u32, &mut OsEntropy::new())?;
/// assert!((1..=6).contains(&die));
/// assert!(sample_uniform_int_below(0u32, &mut OsEntropy::new()).is_err());
/// # Ok::<(), deniable_sample::Error>(())
/// ```
#[inline]
pub fn sample_uniform_int_below<T: UniformInt, S: Source + ?Sized>(
    n: T,
    source: &mut S,
) -> Result<T> {
    n.sample_below(source)
}

/// The types [`sample_uniform_int_below`] works on.
pub trait UniformInt: Sized {
    /// Uniform below `self`.
    ///
    /// # Errors
    ///
    /// As [`sample_uniform_int_below`].
    fn sample_below<S: Source + ?Sized>(self, source: &mut S) -> Result<Self>;
}

macro_rules! unsigned {
    ($($integer:ty)*) => {$(
        impl UniformInt for $integer {
            #[inline]
            fn sample_below<S: Source + ?Sized>(self, source: &mut S) -> Result<Self> {
                let below = below(self as u128, source)?;
                Ok(below as $integer)
            }
        }
    )*};
}

unsigned!(u8 u16 u32 u64 u128 usize);

impl UniformInt for BigUint {
    fn sample_below<S: Source + ?Sized>(self, source: &mut S) -> Result<Self> {
        if let Ok(n) = u128::try_from(&self) {
            return below(n, source).map(BigUint::from);
        }
        let length = (&self - 1u32).bits();
        let words = length.div_ceil(S::Word::BITS.into());
        let spare = words * u64::from(S::Word::BITS) - length;
        loop {
            let mut drawn = BigUint::from(source.draw()?.value() >> spare);
            for _ in 1..words {
                drawn = (drawn << S::Word::BITS) | BigUint::from(source.draw()?.value());
            }
            if drawn < self {
                return Ok(drawn);
            }
        }
    }
}

#[inline]
fn below<S: Source + ?Sized>(n: u128, source: &mut S) -> Result<u128> {
    match n {
        0 => Err(Error::invalid_parameter(&Refusal {
            parameter: "n",
            accepted: "an integer of at least 1",
        })),
        1 => Ok(0),
        _ if n >> S::Word::BITS == 0 => below_word(n as u64, source).map(u128::from),
        _ => below_words(n, source),
    }
}

/// One word times n: the high half is the result, unless the low half is among the few that some results
/// have one more of. Follows Algorithm 5 of Lemire, "Fast Random Integer Generation in an Interval" (2019).
#[inline]
fn below_word<S: Source + ?Sized>(n: u64, source: &mut S) -> Result<u64> {
    loop {
        let (high, low) = source.draw()?.mul(n);
        // The threshold is below n: only then is it worth a division.
        if !low.is_below(n) || !low.is_below(surplus(n, S::Word::BITS)) {
            return Ok(high);
        }
    }
}

/// 2^bits mod n.
#[cold]
fn surplus(n: u64, bits: u32) -> u64 {
    ((1u128 << bits) % u128::from(n)) as u64
}

/// As many bits as n − 1 has, drawn again until they are below n.
fn below_words<S: Source + ?Sized>(n: u128, source: &mut S) -> Result<u128> {
    let length = 128 - (n - 1).leading_zeros();
    let words = length.div_ceil(S::Word::BITS);
    let spare = words * S::Word::BITS - length;
    loop {
        let mut drawn = u128::from(source.draw()?.value() >> spare);
        for _ in 1..words {
            drawn = drawn << S::Word::BITS | u128::from(source.draw()?.value());
        }
        if drawn < n {
            return Ok(drawn);
        }
    }
}
