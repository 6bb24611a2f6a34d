//! How far apart two output distributions are.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::string::ToString;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::iter::Sum;
use core::ops::Add;

use deniable_num::{Decoded, Directed, Float};

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
        let problem = match epsilon.decode() {
            Decoded::Finite { mantissa: 0, .. } => return Ok(Self::ZERO),
            Decoded::Finite { negative: false, .. } | Decoded::Infinite { negative: false } => {
                return Ok(Epsilon(epsilon));
            }
            Decoded::NaN => "it is not a number",
            _ => "it is negative",
        };
        Err(Error::invalid_distance("epsilon", problem, "a number of at least 0"))
    }

    /// The bare number.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Whether there is a bound at all.
    pub fn is_finite(self) -> bool {
        self.0.is_finite()
    }
}

impl Add for Epsilon {
    type Output = Epsilon;

    /// The sum, rounded up: the loss of two releases about the same person.
    fn add(self, other: Epsilon) -> Epsilon {
        Epsilon(self.0.inf_add(other.0).expect("neither is NaN nor negative"))
    }
}

impl Sum for Epsilon {
    /// The sum, each step rounded up.
    fn sum<I: Iterator<Item = Epsilon>>(losses: I) -> Epsilon {
        losses.fold(Epsilon::ZERO, Add::add)
    }
}

impl Hash for Epsilon {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
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
    /// With a precision, as in `{:.3}`, the decimals are rounded up: what is printed is a bound too. Without one it is the shortest
    /// decimal that reads back as the same float, and may be below it by less than half a unit in its last place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match f.precision() {
            _ if !self.is_finite() => "∞".to_owned(),
            Some(decimals) => rounded_up(self.0, decimals),
            None => Shown(self.0).to_string(),
        };
        // Not `pad`, which would cut the text off at the precision.
        let width = f.width().unwrap_or(0);
        match f.align() {
            Some(fmt::Alignment::Left) => write!(f, "{text:<width$}"),
            Some(fmt::Alignment::Center) => write!(f, "{text:^width$}"),
            _ => write!(f, "{text:>width$}"),
        }
    }
}

/// A finite number that is not negative with so many decimals, rounded up.
fn rounded_up(x: f64, decimals: usize) -> String {
    // No float has more than 1074 decimals.
    let exact = format!("{x:.1074}");
    let end = exact.find('.').expect("a decimal point") + 1 + decimals;
    if end >= exact.len() {
        return format!("{x:.decimals$}");
    }
    let (kept, dropped) = exact.split_at(end);
    let kept = kept.trim_end_matches('.').to_owned();
    if dropped.bytes().all(|digit| digit == b'0') { kept } else { next_decimal(kept) }
}

/// The decimal with one added to its last place.
fn next_decimal(decimal: String) -> String {
    let mut digits = decimal.into_bytes();
    for place in (0..digits.len()).rev() {
        match digits[place] {
            b'.' => {}
            b'9' => digits[place] = b'0',
            _ => {
                digits[place] += 1;
                return String::from_utf8_lossy(&digits).into_owned();
            }
        }
    }
    format!("1{}", String::from_utf8_lossy(&digits))
}

impl fmt::Debug for Epsilon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Epsilon({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

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
    fn what_is_no_loss_is_refused_for_what_it_is() {
        for (refused, problem) in [
            (f64::NAN, "it is not a number"),
            (-1.0, "it is negative"),
            (f64::NEG_INFINITY, "it is negative"),
        ] {
            let error = Epsilon::new(refused).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidDistance);
            assert_eq!(
                error.to_string(),
                format!("invalid epsilon: {problem}; accepted is a number of at least 0")
            );
        }
    }

    #[test]
    fn losses_are_told_apart() {
        use core::hash::BuildHasher;
        let [one, two] = [1.0, 2.0].map(|loss| Epsilon::new(loss).unwrap());
        assert!(one != two && one == Epsilon::new(1.0).unwrap());
        let hasher = std::hash::RandomState::new();
        assert_ne!(hasher.hash_one(one), hasher.hash_one(two));
        assert_eq!((f64::from(one), f64::from(two)), (1.0, 2.0));
        assert_eq!(format!("{two:?}"), "Epsilon(2)");
    }

    #[test]
    fn a_sum_rounds_up() {
        let (one, tiny) = (Epsilon(1.0), Epsilon(1e-300));
        assert_eq!((one + tiny).get(), 1.0 + f64::EPSILON);
        assert_eq!(one + Epsilon::ZERO, one);
        assert_eq!(one + Epsilon::INFINITY, Epsilon::INFINITY);
        assert_eq!([one, one, tiny].into_iter().sum::<Epsilon>().get(), 2.0 + 2.0 * f64::EPSILON);
    }

    #[test]
    fn decimals_are_rounded_up() {
        let shown = |x: f64, decimals| format!("{:.*}", decimals, Epsilon(x));
        for (x, decimals, expected) in [
            (3f64.ln(), 4, "1.0987"),
            (3f64.ln(), 0, "2"),
            (1.0, 3, "1.000"),
            (0.0, 2, "0.00"),
            (5e-324, 3, "0.001"),
            (0.9991, 3, "1.000"),
            (99.999, 1, "100.0"),
            (0.5, 1, "0.5"),
            (0.5, 0, "1"),
            (1e22, 1, "10000000000000000000000.0"),
        ] {
            assert_eq!(shown(x, decimals), expected);
        }
        assert_eq!(shown(0.1, 1074).len(), 1076);
        assert!(shown(0.1, 1200).ends_with("000"));
        for decimals in [330, 401, 500, 900, 1073] {
            let (exact, above) = (shown(5e-324, 1074), shown(5e-324, decimals));
            assert!(above > exact && format!("{above:0<1076}") > exact, "{decimals}");
        }
        // A carry through every digit.
        assert_eq!(shown(100.0 - f64::EPSILON * 32.0, 13), "100.0000000000000");
        assert_eq!(shown(99_999_999_999.999_98, 4), "100000000000.0000");
        assert_eq!(format!("{:>6}|{:<6.1}|", Epsilon(1.5), Epsilon::INFINITY), "   1.5|∞     |");
        assert_eq!(format!("{:^7}|", Epsilon(1.5)), "  1.5  |");
        assert_eq!(Epsilon(1e-300).to_string(), "1e-300");
    }
}
