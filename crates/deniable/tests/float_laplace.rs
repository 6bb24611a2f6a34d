//! Float noise: rounding to the grid, refused inputs, and how large the noise is.

use deniable::prelude::*;
use deniable::{ScalarFloatLaplaceCks20, VectorFloatLaplaceCks20};

#[allow(dead_code, unreachable_pub)]
mod common;
use common::*;

fn scalar(scale: f64, k: Option<i32>) -> ScalarFloatLaplaceCks20<f64> {
    let domain = AtomDomain::finite();
    make_scalar_float_laplace_cks20(domain, AbsoluteDistance::new(), scale, k).unwrap()
}

fn scalar_f32(scale: f32) -> ScalarFloatLaplaceCks20<f32> {
    let domain = AtomDomain::finite();
    make_scalar_float_laplace_cks20(domain, AbsoluteDistance::new(), scale, None).unwrap()
}

fn vector(size: usize, scale: f64, k: Option<i32>) -> VectorFloatLaplaceCks20<f64> {
    let domain = VectorDomain::finite().with_size(size);
    make_vector_float_laplace_cks20(domain, L1Distance::new(), scale, k).unwrap()
}

/// No noise that can be seen: a sign that is not negative, and a U next to 1.
const NONE: [u64; 3] = [0, u64::MAX - 7, 0];

#[test]
fn ties_are_rounded_up_to_the_grid() {
    let rounded = |x: f64, k| scalar(2f64.powi(k), Some(k)).invoke_from(&x, &mut Script::new(NONE));
    for (x, whole) in [(0.5, 1.0), (-0.5, 0.0), (1.5, 2.0), (2.5, 3.0), (-1.5, -1.0), (-2.5, -2.0)]
    {
        assert_eq!(rounded(x, 0).unwrap(), whole);
        assert_eq!(rounded(1024.0 * x, 10).unwrap(), 1024.0 * whole);
    }
    assert_eq!(rounded(down(0.5), 0).unwrap(), 0.0);
    assert_eq!(rounded(2f64.powi(1022), 1023).unwrap(), 2f64.powi(1023));
    assert_eq!(rounded(f64::MAX, 1023).unwrap(), f64::MAX);
    assert_eq!(scalar(0.0, Some(10)).invoke_from(&0.1, &mut Script::new([])).unwrap(), 0.1);
}

#[test]
fn what_is_outside_the_domain_is_refused_and_not_told() {
    let domain = AtomDomain::bounded(0.0, 100.0).unwrap();
    let bounded =
        make_scalar_float_laplace_cks20(domain, AbsoluteDistance::new(), 1.0, None).unwrap();
    let errors = [
        bounded.invoke(&4711.25).unwrap_err(),
        bounded.invoke(&-4711.25).unwrap_err(),
        bounded.invoke(&f64::INFINITY).unwrap_err(),
        scalar(1.0, None).invoke(&f64::NAN).unwrap_err(),
        scalar_f32(0.0).invoke(&f32::NEG_INFINITY).unwrap_err(),
        vector(2, 1.0, None).invoke(&[4711.25, f64::NAN]).unwrap_err(),
        vector(2, 1.0, None).invoke(&[4711.25]).unwrap_err(),
        vector(2, 0.0, None).invoke(&[4711.25; 3]).unwrap_err(),
    ];
    for error in &errors {
        assert_eq!((error.kind(), error.parameter()), (ErrorKind::NotAMember, Some("input")));
        assert_silent(error, &["4711", "inf", "NaN", "nan", "-4", "length 1", "length 3"]);
    }
    for number in [0.0, -0.0, 100.0] {
        assert!(bounded.invoke(&number).is_ok());
    }
    for length in 0..4 {
        let mut script = Script::new(&words(1, 4)[..length]);
        let error = vector(2, 1.0, None).invoke_from(&[4711.25; 2], &mut script).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::EntropyUnavailable);
        assert_silent(&error, &["4711"]);
    }
}

/// P(|noise| > 2^k·a) = 2q^(a+1)/(1 + q), computed in plain floats, which are within a relative 1e-12 here.
#[test]
fn the_accuracy_is_the_first_multiple_that_suffices() {
    for (k, scale) in [-3, 0, 10].into_iter().flat_map(|k| [0.1, 0.7, 2.5, 300.0].map(|s| (k, s))) {
        let step = 2f64.powi(k);
        let tail = |a: f64| 2.0 * (-(a + 1.0) / scale).exp() / (1.0 + (-1.0f64 / scale).exp());
        for confidence in [1e-9, 0.1, 0.5, 0.9, 0.95, 0.999, 1.0 - 1e-9] {
            let alpha = vector(2, scale * step, Some(k)).accuracy(confidence).unwrap() / step;
            let missed = 1.0 - confidence;
            assert_eq!(alpha.fract(), 0.0);
            assert!(tail(alpha) <= missed * (1.0 + 1e-12), "{k} {scale} {confidence}");
            let one_less = tail(alpha - 1.0) > missed * (1.0 - 1e-12);
            assert!(alpha == 0.0 || one_less, "{k} {scale} {confidence}");
        }
    }
    // On the finest grid it is that of the Laplace law, −scale·ln(1 − confidence), to a relative 1e-14.
    for confidence in [0.5, 0.95, 1.0 - 1e-9] {
        for (alpha, scale) in [
            (scalar(3.0, None).accuracy(confidence).unwrap(), 3.0),
            (scalar_f32(0.5).accuracy(confidence).unwrap(), 0.5),
            (scalar(1e-200, None).accuracy(confidence).unwrap(), 1e-200),
        ] {
            assert!((alpha / (-scale * (-confidence).ln_1p()) - 1.0).abs() < 1e-14, "{confidence}");
        }
    }
    assert_eq!(scalar(0.0, None).accuracy(0.99).unwrap(), 0.0);
}

#[test]
fn a_confidence_is_between_zero_and_one() {
    let noise = scalar(2.0, None);
    for confidence in [5e-324, 0.5, down(1.0)] {
        assert!(noise.accuracy(confidence).unwrap() >= 0.0);
    }
    for bad in [0.0, -0.0, 1.0, up(1.0), -0.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for error in
            [noise.accuracy(bad).unwrap_err(), vector(2, 0.0, None).accuracy(bad).unwrap_err()]
        {
            assert_eq!(error.kind(), ErrorKind::InvalidParameter);
            assert_eq!(error.parameter(), Some("confidence"));
            assert!(error.to_string().ends_with("accepted is a number between 0 and 1"), "{error}");
        }
    }
}

/// With extreme scales, grids and confidences it is a number, and it grows with the scale and with the confidence.
#[test]
fn the_accuracy_of_extreme_noise_is_a_number_that_grows() {
    let scales = [5e-324, 1e-310, 1e-150, 1.0, 1e150, 1e307];
    for k in [-1074, -1000, -52, 0, 52, 1000, 1023] {
        for confidence in [5e-324, 1e-17, 0.5, 0.99, down(1.0)] {
            let accuracy = |scale| scalar(scale, Some(k)).accuracy(confidence).unwrap();
            let alphas = scales.map(accuracy);
            assert!(alphas.iter().all(|&alpha| alpha >= 0.0), "{k} {confidence}");
            assert!(alphas.windows(2).all(|pair| pair[0] <= pair[1]), "{k} {confidence}");
        }
        let confidences = [5e-324, 1e-17, 0.5, 0.99, down(1.0)];
        for scale in scales {
            let alphas = confidences.map(|c| scalar(scale, Some(k)).accuracy(c).unwrap());
            assert!(alphas.windows(2).all(|pair| pair[0] <= pair[1]), "{k} {scale}");
        }
    }
}
