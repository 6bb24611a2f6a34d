//! A geometric integer: the floor of a scaled exponential.
#![doc = include_str!("proof.md")]

use num_bigint::BigUint;

use crate::error::Refusal;
use crate::magnitude::{Bounds, Scale, sample_magnitude};
use crate::{Error, Ratio, Result, Source};

/// The integer g ≥ 0 with probability exactly (1 − e^(−1/scale)) e^(−g/scale).
///
/// # Errors
///
/// A `scale` of zero; a source that fails.
///
/// # Examples
///
/// ```
/// use deniable_sample::{OsEntropy, Ratio, sample_geometric};
/// let g = sample_geometric(&Ratio::new(5u32, 2u32)?, &mut OsEntropy::new())?;
/// assert!(sample_geometric(&Ratio::new(0u32, 1u32)?, &mut OsEntropy::new()).is_err());
/// # Ok::<(), deniable_sample::Error>(())
/// ```
pub fn sample_geometric<S: Source + ?Sized>(scale: &Ratio, source: &mut S) -> Result<BigUint> {
    if scale.is_zero() {
        return Err(Error::invalid_parameter(&Refusal {
            parameter: "scale",
            accepted: "a ratio above 0",
        }));
    }
    let scale = Scale::ratio(scale);
    sample_magnitude(&scale, source, scale.length(), settled)
}

/// The integer itself, once the bounds agree.
pub(crate) fn settled(bounds: &Bounds) -> Option<BigUint> {
    match bounds {
        Bounds::Words { low, high, shift: 0 } if low == high => Some(BigUint::from(*low)),
        Bounds::Words { .. } => None,
        Bounds::Big { low, high } => (low == high).then(|| low.clone()),
    }
}
