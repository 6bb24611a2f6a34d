//! How far apart two output distributions are.

use core::cmp::Ordering;
use core::fmt;

use deniable_num::Directed;

use crate::error::Shown;
use crate::{Error, Result};

/// How far apart two distributions of outputs are. What it measures is the privacy loss.
pub trait Measure: Clone + PartialEq + fmt::Debug + Send + Sync {
    /// A privacy loss in this measure.
    type Loss: Copy + PartialOrd + fmt::Debug;
}

/// The privacy loss of a [`Measure`].
pub type Loss<M> = <M as Measure>::Loss;

/// The largest logarithm of a ratio of probabilities, over all sets of outputs: *pure* differential privacy.
///
/// If it is at most ε, then nobody who sees the output can raise the odds of any guess about the input by
/// more than the factor e^ε.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MaxDivergence;

impl Measure for MaxDivergence {
    type Loss = Epsilon;
}

/// A privacy loss ε: a number that is not negative, or ∞.
///
/// As the result of a `map` it is an upper bound: the true loss is not above it.
///
/// ```
/// use deniable::Epsilon;
///
/// let budget = Epsilon::new(1.1)?;
/// assert!(Epsilon::new(1.0)? < budget);
/// assert!(Epsilon::new(-1.0).is_err());
/// assert_eq!(budget.to_string(), "1.1");
/// # Ok::<(), deniable::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Epsilon(f64);

impl Epsilon {
    /// No loss at all.
    pub const ZERO: Epsilon = Epsilon(0.0);

    /// No bound: the input itself may be released.
    pub const INFINITY: Epsilon = Epsilon(f64::INFINITY);

    /// A loss of ε.
    ///
    /// # Errors
    ///
    /// A number that is negative or NaN.
    pub fn new(epsilon: f64) -> Result<Self> {
        // Zero of either sign.
        if epsilon.to_bits() << 1 == 0 {
            return Ok(Self::ZERO);
        }
        let accepted = "a number of at least 0";
        if epsilon.is_nan() {
            return Err(Error::invalid_distance("epsilon", "it is not a number", accepted));
        }
        if epsilon.is_sign_negative() {
            return Err(Error::invalid_distance("epsilon", "it is negative", accepted));
        }
        Ok(Epsilon(epsilon))
    }

    /// The bare number.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Whether there is a bound at all.
    pub fn is_finite(self) -> bool {
        self.0.is_finite()
    }

    /// The sum, rounded up: the loss of two releases about the same person.
    #[must_use]
    #[allow(clippy::should_implement_trait)]
    pub fn add(self, other: Epsilon) -> Epsilon {
        Epsilon(self.0.inf_add(other.0).expect("neither is NaN nor negative"))
    }
}

impl PartialEq for Epsilon {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Epsilon {}

impl PartialOrd for Epsilon {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Epsilon {
    /// The bits of floats that are not negative are in the order of their values. Comparing the floats
    /// themselves would depend on how the processor is told to treat subnormal numbers.
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.to_bits().cmp(&other.0.to_bits())
    }
}

impl TryFrom<f64> for Epsilon {
    type Error = Error;

    fn try_from(epsilon: f64) -> Result<Self> {
        Self::new(epsilon)
    }
}

impl From<Epsilon> for f64 {
    fn from(epsilon: Epsilon) -> f64 {
        epsilon.0
    }
}

impl fmt::Display for Epsilon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_finite() { Shown(self.0).fmt(f) } else { f.write_str("∞") }
    }
}

impl fmt::Debug for Epsilon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Epsilon({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_a_number_that_is_not_negative() {
        for bad in [-1.0, -5e-324, f64::NEG_INFINITY, f64::NAN, -f64::NAN] {
            assert!(Epsilon::new(bad).is_err());
        }
        assert_eq!(Epsilon::new(-0.0).unwrap().get().to_bits(), 0);
        assert_eq!(Epsilon::new(f64::INFINITY).unwrap(), Epsilon::INFINITY);
        let ordered = [0.0, 5e-324, 1e-310, 1.0, f64::MAX, f64::INFINITY];
        for pair in ordered.windows(2) {
            assert!(Epsilon::new(pair[0]).unwrap() < Epsilon::new(pair[1]).unwrap());
        }
    }

    #[test]
    fn a_sum_rounds_up() {
        let (one, tiny) = (Epsilon(1.0), Epsilon(1e-300));
        assert_eq!(one.add(tiny).get(), 1.0 + f64::EPSILON);
        assert_eq!(one.add(Epsilon::ZERO), one);
        assert_eq!(one.add(Epsilon::INFINITY), Epsilon::INFINITY);
    }
}
