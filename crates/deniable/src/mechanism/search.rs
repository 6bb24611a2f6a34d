//! The neighbouring float at which a condition begins to hold.

use deniable_num::{Decoded, Float};

/// The smallest float from `low` to `high`, both finite and not negative, for which `holds`; None if there is
/// none. From the first for which it holds, it must hold for all above.
pub(crate) fn smallest_that<F: Float>(low: F, high: F, holds: impl Fn(F) -> bool) -> Option<F> {
    if !holds(high) {
        return None;
    }
    // All below `fails` do not hold, `works` and all above do.
    let (mut fails, mut works) = (place(low), place(high));
    while fails < works {
        let middle = fails + (works - fails) / 2;
        if holds(at::<F>(middle)) {
            works = middle;
        } else {
            fails = middle + 1;
        }
    }
    Some(at(works))
}

/// The largest float from `low` to `high`, both finite and not negative, for which `holds`; None if there is
/// none. Up to the last for which it holds, it must hold for all below.
pub(crate) fn largest_that<F: Float>(low: F, high: F, holds: impl Fn(F) -> bool) -> Option<F> {
    match smallest_that(low, high, |x| !holds(x)) {
        None => Some(high),
        Some(first) => (place(first) > place(low)).then(|| at(place(first) - 1)),
    }
}

/// The largest float below this one, which is above 0.
pub(crate) fn before<F: Float>(x: F) -> F {
    at(place(x) - 1)
}

/// How many floats there are from 0 to this one.
fn place<F: Float>(x: F) -> u64 {
    match x.decode() {
        Decoded::Finite { mantissa, exponent, .. } => {
            (((exponent - F::MIN_EXPONENT) as u64) << (F::PRECISION - 1)) + mantissa
        }
        _ => unreachable!("only finite floats are looked at"),
    }
}

/// The float at this place.
fn at<F: Float>(place: u64) -> F {
    let leading = 1 << (F::PRECISION - 1);
    match place / leading {
        0 => F::encode(false, place, F::MIN_EXPONENT),
        binade => F::encode(false, place % leading + leading, F::MIN_EXPONENT + binade as i32 - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_floats_are_the_same_order() {
        for x in [0.0, 5e-324, 2.2e-308, f64::MIN_POSITIVE, 0.1, 0.5, 1.0, 3.0, f64::MAX] {
            assert_eq!(place(x), x.to_bits());
            assert_eq!(at::<f64>(x.to_bits()), x);
        }
        assert_eq!(before(1.0f64), 1.0 - f64::EPSILON / 2.0);
        assert_eq!(before(1.0f32), 1.0 - f32::EPSILON / 2.0);
    }

    #[test]
    fn the_edge_is_found_wherever_it_is() {
        for edge in [0.0f32, 1e-45, 0.1, 0.5, 2.0] {
            assert_eq!(smallest_that(0.0, 2.0, |x| x >= edge), Some(edge));
            assert_eq!(largest_that(0.0, 2.0, |x| x <= edge), Some(edge));
        }
        assert_eq!(smallest_that(0.0, 2.0f32, |x| x > 2.0), None);
        assert_eq!(largest_that(0.5, 2.0f32, |x| x < 0.5), None);
    }
}
