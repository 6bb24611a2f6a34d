//! The accuracy of Laplace noise against its exact tail.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use deniable::prelude::*;
use deniable_verify::closed_form::laplace_tail;
use deniable_verify::inversion::{neighbour, power_of_two, value};

/// Whether P(|noise| ≤ alpha) is at least `confidence`, for certain or for certain not.
fn suffices(scale: f64, k: i32, alpha: f64, confidence: f64) -> bool {
    let in_steps = value(scale) / power_of_two(k);
    let beyond = (value(alpha) / power_of_two(k)).floor() + IBig::ONE;
    let missed = RBig::ONE - value(confidence);
    let mut bits = 200;
    loop {
        let tail = laplace_tail(&in_steps, &beyond, bits);
        let two = RBig::from(UBig::from(2u32));
        if &tail.high * &two <= missed {
            return true;
        }
        if &tail.low * &two > missed {
            return false;
        }
        bits *= 2;
    }
}

/// Whether `accuracy` suffices, is a multiple of the step, and one step less would not do; where a step is little more than the
/// rounding of the computation, one step and eight units in the last place less.
fn is_right(scale: f64, k: i32, confidence: f64, accuracy: impl Fn(f64) -> f64) -> bool {
    let (alpha, step) = (accuracy(confidence), power_of_two(k));
    let steps = value(alpha) / &step;
    if !suffices(scale, k, alpha, confidence) || steps != RBig::from(steps.floor()) {
        return false;
    }
    let places = if steps < RBig::from(1u64 << 40) { 0 } else { -8 };
    let smaller = neighbour(alpha, places).unwrap();
    let smaller = (value(smaller) - &step).to_f64().value();
    alpha == 0.0 || !suffices(scale, k, smaller, confidence)
}

const SCALES: [(f64, i32); 12] = [
    (1.0, 0),
    (0.3, 0),
    (1e-3, 0),
    (1e6, 0),
    (1e13, 0),
    (3e14, -2),
    (1.0, -30),
    (1.0, -1074),
    (1e-3, -1074),
    (1e200, -1074),
    (5e-324, -1074),
    (7.0, 3),
];

const CONFIDENCES: [f64; 7] = [1e-300, 1e-9, 0.1, 0.5, 0.95, 0.999999, 0.9999999999999999];

fn shipping(scale: f64, k: i32) -> impl Fn(f64) -> f64 {
    let (domain, metric) = (AtomDomain::finite(), AbsoluteDistance::new());
    let noise = make_scalar_float_laplace_cks20(domain, metric, scale, Some(k)).unwrap();
    move |confidence| noise.accuracy(confidence).unwrap()
}

#[test]
fn the_accuracy_is_the_least_that_suffices() {
    for (scale, k) in SCALES {
        for confidence in CONFIDENCES {
            let right = is_right(scale, k, confidence, shipping(scale, k));
            assert!(right, "scale {scale}, k {k}, confidence {confidence}");
        }
    }
}

/// The check above finds these mistakes.
mod planted {
    use super::*;

    fn is_found(mistake: impl Fn(f64, f64) -> f64) -> bool {
        SCALES.into_iter().any(|(scale, k)| {
            let shipping = shipping(scale, k);
            CONFIDENCES
                .into_iter()
                .any(|confidence| !is_right(scale, k, confidence, |c| mistake(shipping(c), scale)))
        })
    }

    #[test]
    fn an_alpha_next_to_the_right_one() {
        assert!(!is_found(|alpha, _| alpha));
        assert!(is_found(|alpha, _| neighbour(alpha, -16).unwrap_or(alpha).max(0.0)));
        assert!(is_found(|alpha, _| neighbour(alpha, 24).unwrap()));
    }

    #[test]
    fn the_formula_of_the_continuous_law() {
        assert!(!is_right(0.3, 0, 0.95, |c| -0.3 * (1.0 - c).ln()));
    }
}
