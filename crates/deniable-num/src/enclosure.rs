//! From an enclosure to a directed float.

use crate::Float;
use crate::round::{Direction, Real};

/// A number known to be no float, its magnitude from `low` to `high`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Enclosure {
    pub(crate) negative: bool,
    pub(crate) low: Real,
    pub(crate) high: Real,
}

impl Enclosure {
    /// The rounded number, and whether the enclosure was narrow enough to tell. If it was not, the result
    /// is still on the safe side.
    ///
    /// That the number is no float is used twice: it lies strictly above `low` and strictly below `high`
    /// wherever those are floats.
    pub(crate) fn round<F: Float>(&self, direction: Direction) -> (F, bool) {
        let away_from_zero = (direction == Direction::Up) != self.negative;
        let low = round_to::<F>(self.negative, just_above(self.low), direction);
        let high = round_to::<F>(self.negative, just_below(self.high), direction);
        let decided = same(low, high);
        (if away_from_zero { round_to(self.negative, self.high, direction) } else { low }, decided)
    }
}

fn round_to<F: Float>(negative: bool, magnitude: Real, direction: Direction) -> F {
    Real { negative, ..magnitude }.round(direction)
}

fn same<F: Float>(a: F, b: F) -> bool {
    a.decode() == b.decode()
}

fn just_above(x: Real) -> Real {
    Real { sticky: true, ..lengthened(x) }
}

fn just_below(x: Real) -> Real {
    let x = lengthened(x);
    if x.sticky { x } else { Real { mantissa: x.mantissa - 1, sticky: true, ..x } }
}

/// The same number with its leading bit at bit 127, so that a sticky rest is below any float's last bit.
fn lengthened(x: Real) -> Real {
    let shift = x.mantissa.leading_zeros();
    debug_assert!(shift < 128 && (shift == 0 || !x.sticky || shift < 64));
    if x.sticky {
        return x;
    }
    Real { mantissa: x.mantissa << shift, exponent: x.exponent - i64::from(shift), ..x }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ULP: f64 = f64::EPSILON;

    /// What an enclosure is rounded to, down and up, and whether it decides.
    fn rounded(negative: bool, low: Real, high: Real) -> [(f64, bool); 2] {
        [Direction::Down, Direction::Up]
            .map(|direction| Enclosure { negative, low, high }.round(direction))
    }

    /// A float at an end is no obstacle: the number is no float.
    #[test]
    fn ends_that_are_floats_decide() {
        let one = Real::exact(false, 1, 0);
        let above = Real::exact(false, (1 << 100) + 1, -100);
        let below = Real::exact(false, (1 << 100) - 1, -100);
        assert_eq!(rounded(false, one, above), [(1.0, true), (1.0 + ULP, true)]);
        assert_eq!(rounded(false, below, one), [(1.0 - ULP / 2.0, true), (1.0, true)]);
        assert_eq!(rounded(true, one, above), [(-1.0 - ULP, true), (-1.0, true)]);
        assert_eq!(rounded(true, below, one), [(-1.0, true), (-1.0 + ULP / 2.0, true)]);
        // By one unit of the longest mantissa.
        let just = Real::exact(false, (1 << 127) + 1, -127);
        assert_eq!(rounded(false, one, just), [(1.0, true), (1.0 + ULP, true)]);
        // Sticky ends are between two of them already.
        let sticky = Real { sticky: true, ..Real::exact(false, 1 << 127, -127) };
        assert_eq!(rounded(false, one, sticky), [(1.0, true), (1.0 + ULP, true)]);
        assert_eq!(rounded(false, sticky, above), [(1.0, true), (1.0 + ULP, true)]);
    }

    #[test]
    fn what_is_not_decided_is_safe() {
        let below = Real::exact(false, (1 << 100) - 1, -100);
        let above = Real::exact(false, (1 << 100) + 1, -100);
        assert_eq!(rounded(false, below, above), [(1.0 - ULP / 2.0, false), (1.0 + ULP, false)]);
        assert_eq!(rounded(true, below, above), [(-1.0 - ULP, false), (-1.0 + ULP / 2.0, false)]);
    }
}
