//! Privacy losses from exact rationals, with one rounding, up.

use deniable_num::{Decoded, Float, Upper};
use deniable_sample::Ratio;
use num_bigint::BigUint;

use crate::Epsilon;

/// factor · |ln(numerator / denominator)|: the loss where that many independent bits, or one choice, have
/// these odds. Neither is zero.
pub(crate) fn loss_of_odds(factor: u64, numerator: &BigUint, denominator: &BigUint) -> Epsilon {
    let (larger, smaller) =
        if numerator >= denominator { (numerator, denominator) } else { (denominator, numerator) };
    let bound = Upper::<f64>::ln_ratio(factor, larger, smaller).expect("neither is zero");
    Epsilon::new(bound.get()).expect("the logarithm of a ratio of at least 1")
}

/// numerator / denominator. Without a denominator the loss has no bound, unless it is none.
pub(crate) fn loss_of_ratio(numerator: &BigUint, denominator: &BigUint) -> Epsilon {
    if *numerator == BigUint::ZERO {
        return Epsilon::ZERO;
    }
    match Upper::<f64>::ratio(numerator, denominator) {
        Ok(bound) => Epsilon::new(bound.get()).expect("a ratio of natural numbers"),
        Err(_) => Epsilon::INFINITY,
    }
}

/// The exact value of a float that is finite and not negative.
pub(crate) fn exact<F: Float>(x: F) -> Ratio {
    Ratio::from_float(x).expect("a finite number that is not negative")
}

/// Whether it is zero, of either sign. A comparison of floats would take subnormal numbers for zero, if the processor is so set.
pub(crate) fn is_zero<F: Float>(x: F) -> bool {
    matches!(x.decode(), Decoded::Finite { mantissa: 0, .. })
}
