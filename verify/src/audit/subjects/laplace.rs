//! Laplace noise as a black box: each released number is on one side of both inputs, on the other, or between them.

use deniable::mechanism::{vector_float_laplace_cks20, vector_integer_laplace_cks20};
use deniable::prelude::*;
use deniable_audit::subject::{self, Subject};

/// Noise of the least scale that keeps `claim`.
pub(super) fn shipping(claim: Epsilon) -> Vec<(&'static str, Subject)> {
    let (number, numbers) = (integer(claim), integers(claim));
    vec![
        ("make_scalar_float_laplace_cks20", float(claim)),
        ("make_vector_float_laplace_cks20", floats(claim)),
        ("make_scalar_integer_laplace_cks20", one_integer(number.clone())),
        (
            "make_scalar_integer_laplace_cks20, constant time",
            one_integer(number.with_constant_time()),
        ),
        ("make_vector_integer_laplace_cks20", two_integers(numbers.clone())),
        (
            "make_vector_integer_laplace_cks20, constant time",
            two_integers(numbers.with_constant_time()),
        ),
    ]
}

fn float(claim: Epsilon) -> Subject {
    let scale = vector_float_laplace_cks20::smallest_scale(1.0, claim, Some(1), None);
    let (domain, metric) = (AtomDomain::<f64>::finite(), AbsoluteDistance::new());
    let scale = scale.expect("an accepted claim");
    let mechanism = make_scalar_float_laplace_cks20(domain, metric, scale, None);
    let mechanism = mechanism.expect("an accepted scale");
    let other = mechanism.clone();
    let side = |released: deniable::Result<f64>| {
        released.map(|released| u32::from(released > 0.0) + u32::from(released > 1.0))
    };
    Subject {
        claimed: mechanism.map(1.0).expect("a distance"),
        inputs: ["0", "1"].map(str::to_owned),
        seen: "the side of both inputs",
        buckets: (0..3).collect(),
        left: Box::new(move || side(mechanism.invoke(&0.0))),
        right: Box::new(move || side(other.invoke(&1.0))),
    }
}

fn floats(claim: Epsilon) -> Subject {
    let scale = vector_float_laplace_cks20::smallest_scale(1.0, claim, Some(2), None);
    let domain = VectorDomain::finite::<f64>().with_size(2);
    let mechanism = make_vector_float_laplace_cks20(
        domain,
        L1Distance::new(),
        scale.expect("an accepted claim"),
        None,
    );
    let mechanism = mechanism.expect("an accepted scale");
    let other = mechanism.clone();
    let side = |released: deniable::Result<Vec<f64>>| {
        let of = |x: f64, low: f64| u32::from(x > low) + u32::from(x > low + 0.5);
        released.map(|released| of(released[0], 0.0) * 3 + of(released[1], -0.5))
    };
    Subject {
        claimed: mechanism.map(1.0).expect("a distance"),
        inputs: ["0, 0", "0.5, −0.5"].map(str::to_owned),
        seen: "the sides of both inputs",
        buckets: (0..9).collect(),
        left: Box::new(move || side(mechanism.invoke(&[0.0, 0.0]))),
        right: Box::new(move || side(other.invoke(&[0.5, -0.5]))),
    }
}

fn integer(claim: Epsilon) -> deniable::ScalarIntegerLaplaceCks20<i64> {
    let scale = vector_integer_laplace_cks20::smallest_scale(1, claim).expect("an accepted claim");
    let (domain, metric) = (AtomDomain::<i64>::all(), AbsoluteDistance::new());
    make_scalar_integer_laplace_cks20(domain, metric, scale).expect("an accepted scale")
}

fn one_integer(mechanism: deniable::ScalarIntegerLaplaceCks20<i64>) -> Subject {
    subject::integer(mechanism, 1).expect("a distance")
}

fn integers(claim: Epsilon) -> deniable::VectorIntegerLaplaceCks20<i64> {
    let scale = vector_integer_laplace_cks20::smallest_scale(2, claim).expect("an accepted claim");
    let domain = VectorDomain::finite::<i64>().with_size(2);
    make_vector_integer_laplace_cks20(domain, L1Distance::new(), scale).expect("an accepted scale")
}

fn two_integers(mechanism: deniable::VectorIntegerLaplaceCks20<i64>) -> Subject {
    let other = mechanism.clone();
    // Nothing is between two inputs that are next to each other.
    let side = |released: deniable::Result<Vec<i64>>| {
        released.map(|released| u32::from(released[0] > 0) * 2 + u32::from(released[1] < 0))
    };
    Subject {
        claimed: mechanism.map(2).expect("a distance"),
        inputs: ["0, 0", "1, −1"].map(str::to_owned),
        seen: "the sides of both inputs",
        buckets: (0..4).collect(),
        left: Box::new(move || side(mechanism.invoke(&[0, 0]))),
        right: Box::new(move || side(other.invoke(&[1, -1]))),
    }
}
