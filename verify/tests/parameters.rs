//! Every constructor takes exactly the parameters of its range, NaN never among them.

use deniable::mechanism::vector_float_laplace_cks20::smallest_scale;
use deniable::prelude::*;

/// Numbers at and around every end of a range, and those that are no numbers.
const CANDIDATES: [f64; 26] = [
    f64::NAN,
    -f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN,
    -1.0,
    -5e-324,
    -0.0,
    0.0,
    5e-324,
    1e-310,
    1e-3,
    0.33333333333333326,
    0.3333333333333333,
    0.33333333333333337,
    0.49999999999999994,
    0.5,
    0.5000000000000001,
    0.75,
    0.9999999999999999,
    1.0,
    1.0000000000000002,
    1.5,
    2.0,
    1e300,
];

/// Whether a constructor accepts exactly the candidates in `range`, which speaks of values, not of floats.
fn accepts_exactly(accepts: impl Fn(f64) -> bool, range: impl Fn(f64) -> bool) -> bool {
    CANDIDATES.iter().all(|&x| accepts(x) == (!x.is_nan() && range(x)))
}

fn flips(f: f64) -> bool {
    let domain = BitVectorDomain::new(2).with_max_weight(1);
    make_randomized_response_bitvec(domain, DiscreteDistance, f, false).is_ok()
}

fn debiases(f: f64) -> bool {
    debias_randomized_response_bitvec(&[BitVector::zeros(2)], f).is_ok()
}

#[test]
fn each_constructor_takes_its_range() {
    let yes = |prob| make_randomized_response_bool(prob, false).is_ok();
    assert!(accepts_exactly(yes, |x| (0.5..=1.0).contains(&x)));
    let choice = |prob| make_randomized_response([1, 2, 3], prob).is_ok();
    assert!(accepts_exactly(choice, |x| (1.0 / 3.0..1.0).contains(&x)));
    let hashing = |prob| make_local_hashing([1, 2], 3, prob).is_ok();
    assert!(accepts_exactly(hashing, |x| (1.0 / 3.0..1.0).contains(&x)));
    let subsets = |prob| make_subset_selection(0..6, 2, prob).is_ok();
    assert!(accepts_exactly(subsets, |x| (1.0 / 3.0..1.0).contains(&x)));
    let one = |one| make_unary_encoding(0..3, one, 1e-3).is_ok();
    assert!(accepts_exactly(one, |x| x > 1e-3 && x < 1.0));
    let zero = |zero| make_unary_encoding(0..3, 0.5, zero).is_ok();
    assert!(accepts_exactly(zero, |x| x > 0.0 && x < 0.5));
    assert!(accepts_exactly(flips, |x| x > 0.0 && x <= 1.0));
    assert!(accepts_exactly(debiases, |x| x > 0.0 && x < 1.0));
    let debiases_bool = |prob| debias_randomized_response_bool(&[true], prob).is_ok();
    assert!(accepts_exactly(debiases_bool, |x| x > 0.5 && x <= 1.0));
}

#[test]
fn each_scale_and_distance_takes_its_range() {
    let scale = |x: f64| x >= 0.0 && x.is_finite();
    let vectors = VectorDomain::finite::<f64>();
    let float = |x| make_vector_float_laplace_cks20(vectors, L1Distance::new(), x, None).is_ok();
    assert!(accepts_exactly(float, scale));
    let one = AtomDomain::<f64>::finite();
    let scalar = |x| make_scalar_float_laplace_cks20(one, AbsoluteDistance::new(), x, None).is_ok();
    assert!(accepts_exactly(scalar, scale));
    let count = AtomDomain::<i64>::all();
    let integer = |x| make_scalar_integer_laplace_cks20(count, AbsoluteDistance::new(), x).is_ok();
    assert!(accepts_exactly(integer, scale));
    let noise = make_vector_float_laplace_cks20(vectors, L1Distance::new(), 1.0, None).unwrap();
    assert!(accepts_exactly(|x| noise.map(x).is_ok(), |x| x >= 0.0));
    assert!(accepts_exactly(|x| Epsilon::new(x).is_ok(), |x| x >= 0.0));
    let budget = Epsilon::new(1.0).unwrap();
    // Beyond the largest scale there is none to be found.
    assert!(accepts_exactly(|x| smallest_scale(x, budget, None, None).is_ok(), scale));
}

/// The check above finds these mistakes.
mod planted {
    use super::*;

    /// Hole 12: NaN is neither at most 0 nor above 1.
    #[test]
    fn hole_12_a_test_for_the_bad_range() {
        let document = |f: f64| !(f <= 0.0 || f > 1.0);
        assert!(document(f64::NAN) && flips(0.5) && !flips(f64::NAN));
        assert!(!accepts_exactly(document, |x| x > 0.0 && x <= 1.0));
    }

    /// Hole 12: at f = 1 the estimate divides by zero.
    #[test]
    fn hole_12_debiasing_at_one() {
        assert!(!accepts_exactly(flips, |x| x > 0.0 && x < 1.0));
    }
}
