use core::cmp::Ordering;

use num_bigint::BigUint;

use super::*;
use crate::common::*;
use crate::{AbsoluteDistance, ErrorKind, L1Distance, Measurement, VectorDomain};

/// The types with noise, and what the tests need to know of them.
trait Tested: Number<Distance = Self> + Float + Into<f64> + PartialOrd {
    /// The exponents of the smallest and the largest power of two.
    const EXPONENTS: (i32, i32);
    const NAN: Self;
    const FINITE: [Self; 8];
    /// The next smaller number.
    fn below(self) -> Self;
    fn negated(self) -> Self;
}

macro_rules! tested {
    ($float:ident, $exponents:expr) => {
        impl Tested for $float {
            const EXPONENTS: (i32, i32) = $exponents;
            const NAN: Self = $float::NAN;
            const FINITE: [Self; 8] = [
                $float::from_bits(1),
                $float::from_bits(3),
                1e-20,
                0.1,
                1.0,
                1.5,
                3e10,
                $float::MAX,
            ];
            fn below(self) -> Self {
                $float::from_bits(self.to_bits() - 1)
            }
            fn negated(self) -> Self {
                -self
            }
        }
    };
}

tested!(f32, (-149, 127));
tested!(f64, (-1074, 1023));

fn scalar<T: Tested>(scale: T, k: Option<i32>) -> ScalarFloatLaplaceCks20<T> {
    let domain = AtomDomain::finite();
    make_scalar_float_laplace_cks20(domain, AbsoluteDistance::new(), scale, k).unwrap()
}

fn vector<T: Tested>(size: usize, scale: T, k: Option<i32>) -> VectorFloatLaplaceCks20<T> {
    let domain = VectorDomain::finite().with_size(size);
    make_vector_float_laplace_cks20(domain, L1Distance::new(), scale, k).unwrap()
}

/// mantissa · 2^exponent of a finite number that is not negative, from its bits.
fn parts(x: impl Into<f64>) -> (BigUint, i64) {
    let bits = x.into().to_bits();
    let (biased, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    let mantissa = if biased == 0 { fraction } else { fraction | 1 << 52 };
    (mantissa.into(), biased.max(1) as i64 - 1075)
}

/// The order of loss · scale and steps · 2^k, in integers.
fn order(loss: f64, scale: impl Into<f64>, steps: &BigUint, k: i32) -> Ordering {
    let ((a, i), (b, j)) = (parts(loss), parts(scale));
    let (exponent, k) = (i + j, i64::from(k));
    let least = exponent.min(k);
    ((a * b) << (exponent - least)).cmp(&(steps << (k - least)))
}

/// Whether a loss is the smallest float that is not below steps · 2^k / scale.
fn is_neighbour_above(loss: f64, scale: impl Into<f64> + Copy, steps: &BigUint, k: i32) -> bool {
    if *steps == BigUint::ZERO {
        return loss == 0.0;
    }
    let enough = loss == f64::INFINITY || order(loss, scale, steps, k) != Ordering::Less;
    enough && order(down(loss), scale, steps, k) == Ordering::Less
}

/// ⌊(d_in + n(2^k − g))/2^k⌋ in units of g, the least distance across a boundary; if d_in has fewer units than n, only so many
/// numbers end apart.
fn steps<T: Tested>(d_in: T, n: usize, k: i32) -> BigUint {
    let finest = i64::from(T::EXPONENTS.0).max(i64::from(k) - 1 - i64::from(T::PRECISION));
    let (mantissa, exponent) = parts(d_in);
    let units = if exponent >= finest {
        mantissa << (exponent - finest)
    } else {
        mantissa >> (finest - exponent)
    };
    let step = BigUint::from(1u32) << (i64::from(k) - finest);
    let differing = BigUint::from(n).min(units.clone());
    (units + differing * (&step - 1u32)) / step
}

fn grids<T: Tested>() -> Vec<i32> {
    let (finest, coarsest) = T::EXPONENTS;
    vec![finest, finest + 1, finest + 23, -40, -1, 0, 1, 30, coarsest - 1, coarsest]
}

fn the_map_is_the_formula<T: Tested>() {
    for (k, n) in grids::<T>().into_iter().flat_map(|k| [1, 2, 7, 1000, usize::MAX].map(|n| (k, n)))
    {
        for scale in T::FINITE {
            let mechanism = vector(n, scale, Some(k));
            for d_in in T::FINITE {
                let loss = mechanism.map(d_in).unwrap().get();
                let steps = steps(d_in, n, k);
                assert!(is_neighbour_above(loss, scale, &steps, k), "{d_in:?} {n} {scale:?} {k}");
                let whole = n > 1 || scalar(scale, Some(k)).map(d_in).unwrap().get() == loss;
                assert!(whole, "{d_in:?} {scale:?} {k}");
            }
        }
    }
}

#[test]
fn the_map_is_the_tight_formula_on_every_grid() {
    the_map_is_the_formula::<f32>();
    the_map_is_the_formula::<f64>();
}

/// The most steps that `units` spread over `n` numbers drive their roundings apart, by trying everything.
fn most_steps(units: u64, n: u64, step: u64) -> u64 {
    let round = |x: u64| (2 * x + step) / (2 * step);
    let alone = |a: u64| (0..step).map(|x| round(x + a) - round(x)).max().unwrap();
    match n {
        0 => 0,
        _ => (0..=units).map(|a| alone(a) + most_steps(units - a, n - 1, step)).max().unwrap(),
    }
}

/// Without noise nothing is rounded, so that the smallest distance loses everything on every grid.
#[test]
fn without_noise_the_grid_hides_nothing() {
    for (k, d_in) in [(-1074, 5e-324), (0, 5e-324), (0, 1e-20), (1023, 1.0)] {
        assert_eq!(vector(1, 0.0, Some(k)).map(d_in).unwrap(), Epsilon::INFINITY);
        assert_eq!(scalar(0.0, Some(k)).map(d_in).unwrap(), Epsilon::INFINITY);
    }
    assert_eq!(scalar(-0.0f64, None).scale().to_bits(), 0);
    // With noise, no two floats that close are rounded apart, and two further apart are.
    assert_eq!(vector(1, 1.0, Some(0)).map(f64::EPSILON / 8.0).unwrap(), Epsilon::ZERO);
    assert_eq!(vector(1, 1.0, Some(0)).map(f64::EPSILON / 4.0).unwrap().get(), 1.0);
}

#[test]
fn no_pair_is_further_apart_than_the_map_says_and_one_is_as_far() {
    for (shift, n) in (0..4).flat_map(|shift| (0..5).map(move |n| (shift, n))) {
        for units in 0..12 {
            let d_in = f64::from_bits(units);
            let steps = grid_steps(d_in, Some(n as usize), -1074 + shift).unwrap().unwrap();
            assert_eq!(steps, most_steps(units, n, 1 << shift).into(), "{units} {n} {shift}");
        }
    }
}

fn special_distances<T: Tested>() {
    let (finest, coarsest) = T::EXPONENTS;
    let [zero, infinity] = [T::encode(false, 0, finest), T::infinity(false)];
    for k in [finest, 0, coarsest] {
        for scale in [zero, T::FINITE[0], T::FINITE[4], T::FINITE[7]] {
            let mechanism = vector(3, scale, Some(k));
            for nothing in [zero, zero.negated()] {
                assert_eq!(mechanism.map(nothing).unwrap(), Epsilon::ZERO);
                assert_eq!(scalar(scale, Some(k)).map(nothing).unwrap(), Epsilon::ZERO);
            }
            assert_eq!(mechanism.map(infinity).unwrap(), Epsilon::INFINITY);
            for bad in [T::NAN, T::FINITE[0].negated(), T::FINITE[4].negated(), infinity.negated()]
            {
                let error = mechanism.map(bad).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::InvalidDistance);
                assert_eq!(error.parameter(), Some("d_in"));
                assert!(error.to_string().ends_with("a number of at least 0"), "{error}");
                assert!(smallest_scale(bad, Epsilon::INFINITY, Some(1), Some(k)).is_err());
            }
            // A vector without numbers tells nothing.
            for d_in in [zero, T::FINITE[4], infinity] {
                assert_eq!(vector(0, scale, Some(k)).map(d_in).unwrap(), Epsilon::ZERO);
            }
        }
        assert_eq!(vector(3, zero, Some(k)).map(T::FINITE[0]).unwrap(), Epsilon::INFINITY);
    }
}

#[test]
fn no_distance_loses_nothing_and_no_noise_everything() {
    special_distances::<f32>();
    special_distances::<f64>();
    assert_eq!(scalar(5e-324, None).map(f64::MAX).unwrap(), Epsilon::INFINITY);
    assert_eq!(scalar(f64::MAX, None).map(5e-324).unwrap().get(), 5e-324);
}

fn parameters<T: Tested>() {
    let (finest, coarsest) = T::EXPONENTS;
    let [zero, infinity] = [T::encode(false, 0, finest), T::infinity(false)];
    for scale in T::FINITE.into_iter().chain([zero, zero.negated()]) {
        assert!(scalar(scale, None).scale() == scale && vector(2, scale, Some(3)).scale() == scale);
    }
    for (k, kept) in [(None, finest), (Some(i32::MIN), finest), (Some(coarsest), coarsest)] {
        assert_eq!((scalar(T::FINITE[4], k).k(), vector(1, T::FINITE[4], k).k()), (kept, kept));
    }
    let make = |element: AtomDomain<T>, size: Option<usize>, scale, k| {
        let domain = VectorDomain::new(element);
        let domain = size.map_or(domain, |size| domain.with_size(size));
        make_vector_float_laplace_cks20(domain, L1Distance::new(), scale, k).map(|_| ())
    };
    let (finite, one) = (AtomDomain::finite(), T::FINITE[4]);
    let scales = [T::NAN, T::FINITE[0].negated(), one.negated(), infinity, infinity.negated()];
    let refused = scales.map(|scale| (make(finite, None, scale, None), "scale", "at least 0"));
    let others = [
        (make(AtomDomain::all(), None, one, None), "input_domain", "finite()"),
        (make(finite, Some(3), one, Some(coarsest + 1)), "k", "an integer up to"),
        (make(finite, Some(3), one, Some(i32::MAX)), "k", "an integer up to"),
        (make(finite, None, one, Some(finest + 1)), "input_domain", "with_size"),
        (make(finite, None, one, Some(0)), "input_domain", "with_size"),
        (
            smallest_scale(one, Epsilon::ZERO, None, Some(0)).map(|_| ()),
            "input_domain",
            "with_size",
        ),
    ];
    for (made, parameter, accepted) in refused.into_iter().chain(others) {
        let error = made.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidParameter);
        assert_eq!(error.parameter(), Some(parameter));
        assert!(error.to_string().contains(accepted), "{error}");
    }
    assert!(make(finite, None, one, Some(finest)).is_ok() && make(finite, None, one, None).is_ok());
}

#[test]
fn parameters_are_accepted_up_to_their_limits() {
    parameters::<f32>();
    parameters::<f64>();
    let all = AtomDomain::<f64>::all();
    let scalar = make_scalar_float_laplace_cks20(all, AbsoluteDistance::new(), 1.0, None);
    assert_eq!(scalar.unwrap_err().parameter(), Some("input_domain"));
}

#[test]
fn the_relaxation_is_the_grid_less_the_finest_step_rounded_up() {
    let relaxation = |k| get_discretization_consts::<f64>(Some(k)).unwrap().1;
    assert_eq!(relaxation(-1074), 0.0);
    assert_eq!(relaxation(-1073), 5e-324);
    assert_eq!(relaxation(-1022), down(f64::MIN_POSITIVE));
    // 2^53 − 1 steps are a float, 2^54 − 1 are none.
    assert_eq!(relaxation(-1021), down(2.0 * f64::MIN_POSITIVE));
    assert_eq!(relaxation(-1020), 4.0 * f64::MIN_POSITIVE);
    assert_eq!(relaxation(1023), 2f64.powi(1023));
    assert_eq!(get_discretization_consts::<f32>(Some(127)).unwrap(), (127, 2f32.powi(127)));
    assert!(get_discretization_consts::<f32>(Some(128)).is_err());
}

#[test]
fn the_documents_bound_is_rounded_up_and_never_below_the_map() {
    assert_eq!(laplace_map(1.0, 3.0, 0, 0.0).unwrap().get(), up(1.0 / 3.0));
    assert_eq!(laplace_map(1.0f32, 3.0, 2, 1.0).unwrap().get(), 1.0);
    assert_eq!(laplace_map(0.0, 0.0, 9, 1.0).unwrap(), Epsilon::ZERO);
    assert_eq!(laplace_map(-0.0, 1.0, 9, 1.0).unwrap(), Epsilon::ZERO);
    for infinite in [
        (1.0, 0.0, 0.0),
        (f64::INFINITY, 1.0, 0.0),
        (1.0, 1.0, f64::INFINITY),
        (1e300, 1e-300, 0.0),
    ] {
        let (d_in, scale, relaxation) = infinite;
        assert_eq!(laplace_map(d_in, scale, 1, relaxation).unwrap(), Epsilon::INFINITY);
    }
    for (k, d_in) in grids::<f64>().into_iter().flat_map(|k| f64::FINITE.map(|d_in| (k, d_in))) {
        let relaxation = get_discretization_consts::<f64>(Some(k)).unwrap().1;
        let bound = laplace_map(d_in, 3.0, 7, relaxation).unwrap();
        assert!(bound >= vector(7, 3.0, Some(k)).map(d_in).unwrap(), "{k} {d_in}");
    }
    for bad in [-1.0, f64::NAN] {
        for (at, name) in ["d_in", "scale", "relaxation"].into_iter().enumerate() {
            let [d_in, scale, relaxation] =
                std::array::from_fn(|i| if i == at { bad } else { 1.0 });
            let error = laplace_map(d_in, scale, 1, relaxation).unwrap_err();
            assert_eq!((error.kind(), error.parameter()), (ErrorKind::InvalidDistance, Some(name)));
        }
    }
}

#[test]
fn the_documents_bound_at_infinity() {
    assert_eq!(laplace_map(0.0, 1.0, 1, f64::INFINITY).unwrap(), Epsilon::ZERO);
    assert!(laplace_map(f64::INFINITY, f64::NAN, 1, 0.0).is_err());
}

/// No noise that can be seen: a sign that is not negative, and a U next to 1.
const NONE: [u64; 3] = [0, u64::MAX - 7, 0];
/// Much of it, upwards and downwards: a U next to 2^−64, so that −ln U is 44.
const UP: [u64; 4] = [0, 1, 1, 1];
const DOWN: [u64; 4] = [u64::MAX, 1, 1, 1];

fn zeros_have_no_sign<T: Tested>() {
    let (finest, _) = T::EXPONENTS;
    let [zero, one] = [T::encode(false, 0, finest), T::FINITE[4]];
    let positive = |x: T| !x.into().is_sign_negative() && x == zero;
    for x in [zero, zero.negated()] {
        // Without noise, with noise that is 0 on the finest grid, and on a coarse one.
        for (scale, k) in
            [(zero, None), (zero.negated(), Some(0)), (T::FINITE[0], None), (one, Some(0))]
        {
            assert!(positive(scalar(scale, k).invoke_from(&x, &mut Script::new(NONE)).unwrap()));
            let both = vector(1, scale, k).invoke_from(&[x], &mut Script::new(NONE)).unwrap();
            assert!(positive(both[0]));
        }
    }
    // −1e-20 is rounded to 0; 1 − 1 and −1 + 1 are 0: −ln 0.25 is 1.38…
    let coarse = scalar(one, Some(0));
    for (x, words) in [
        (T::FINITE[2].negated(), NONE),
        (one, [u64::MAX, u64::MAX - 7, 0]),
        (one.negated(), [0, 1 << 62, 0]),
    ] {
        assert!(positive(coarse.invoke_from(&x, &mut Script::new(words)).unwrap()), "{x:?}");
    }
}

#[test]
fn a_released_zero_is_positive() {
    zeros_have_no_sign::<f32>();
    zeros_have_no_sign::<f64>();
}

fn saturates<T: Tested>() {
    let most = T::FINITE[7];
    let ends = [most, T::FINITE[4], T::FINITE[4].negated(), most.negated()];
    for (k, x) in grids::<T>().into_iter().flat_map(|k| ends.map(|x| (k, x))) {
        let noise = scalar(most, Some(k));
        assert!(noise.invoke_from(&x, &mut Script::new(UP)).unwrap() == most, "{x:?} {k}");
        assert!(
            noise.invoke_from(&x, &mut Script::new(DOWN)).unwrap() == most.negated(),
            "{x:?} {k}"
        );
    }
}

#[test]
fn sums_beyond_the_range_become_the_largest_number() {
    saturates::<f32>();
    saturates::<f64>();
}

fn calibrates<T: Tested>() {
    let zero = T::encode(false, 0, T::EXPONENTS.0);
    for (k, size) in [(None, None), (Some(0), Some(1)), (Some(-20), Some(50)), (Some(100), Some(3))]
    {
        for (d_in, epsilon) in
            T::FINITE.into_iter().flat_map(|d| losses().into_iter().map(move |e| (d, e)))
        {
            let grid = get_discretization_consts::<T>(k).unwrap().0;
            let loss = |scale| Noise::loss(d_in, scale, size, grid).unwrap().get();
            match smallest_scale(d_in, Epsilon::new(epsilon).unwrap(), size, k) {
                Ok(scale) => {
                    assert!(loss(scale) <= epsilon, "{d_in:?} {epsilon} {k:?}");
                    let tight = scale == zero || loss(scale.below()) > epsilon;
                    assert!(tight, "{d_in:?} {epsilon} {k:?}");
                }
                Err(error) => {
                    assert_eq!(error.parameter(), Some("epsilon"));
                    assert!(loss(T::FINITE[7]) > epsilon, "{d_in:?} {epsilon} {k:?}");
                }
            }
        }
        assert!(smallest_scale(zero, Epsilon::ZERO, size, k).unwrap() == zero);
    }
}

#[test]
fn the_smallest_scale_is_within_the_loss_and_the_next_is_not() {
    calibrates::<f32>();
    calibrates::<f64>();
}

#[test]
fn a_distance_that_is_none_is_told_from_one_that_is_negative() {
    let domain = VectorDomain::finite::<f64>().with_size(2);
    let noise = make_vector_float_laplace_cks20(domain, L1Distance::new(), 2.0, Some(-3)).unwrap();
    for (d_in, problem) in [(f64::NAN, "it is not a number"), (-1.0, "-1.0 is negative")] {
        let error = noise.map(d_in).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidDistance);
        assert!(error.to_string().contains(problem), "{error}");
    }
    assert!(format!("{noise:?}").contains("Noise { scale: 2.0, k: -3 }"), "{noise:?}");
}
