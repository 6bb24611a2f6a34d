//! Extreme parameters and large inputs: each is done soon, and right.
//!
//! Nothing here takes a fifth of the time it is given. What is random has a false alarm less than once in 10²⁰ runs.

use std::time::{Duration, Instant};

use deniable::domain::Number;
use deniable::mechanism::{randomized_response, vector_float_laplace_cks20};
use deniable::prelude::*;

/// Does it within five seconds.
fn soon<T>(work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    let elapsed = start.elapsed();
    assert!(elapsed < Duration::from_secs(5), "it took {elapsed:?}");
    done
}

/// What the tests need to know of the types with noise.
trait Tested: Number<Distance = Self> + deniable_num::Float + Into<f64> + PartialEq + 'static {
    const EXPONENTS: (i32, i32);
    const SCALES: &'static [Self];
    const INPUTS: &'static [Self];
    const MAX: f64;
}

macro_rules! tested {
    ($float:ident, $exponents:expr, $tiny:expr, $huge:expr) => {
        impl Tested for $float {
            const EXPONENTS: (i32, i32) = $exponents;
            const SCALES: &'static [Self] =
                &[$float::from_bits(1), $tiny, $float::MIN_POSITIVE, 0.1, 1.0, $huge, $float::MAX];
            const INPUTS: &'static [Self] =
                &[0.0, -0.0, $float::from_bits(1), -$tiny, 1.5, -3.25, $float::MIN, $float::MAX];
            const MAX: f64 = $float::MAX as f64;
        }
    };
}

tested!(f32, (-149, 127), 1e-40, 1e30);
tested!(f64, (-1074, 1023), 1e-310, 1e300);

/// 2^k, down to the smallest float.
fn power(k: i32) -> f64 {
    if k < 0 { 0.5f64.powi(-k) } else { 2f64.powi(k) }
}

fn noise_at_the_ends<T: Tested>() {
    let (finest, coarsest) = T::EXPONENTS;
    let grids = [i32::MIN, finest - 1, finest, finest + 1, -1, 0, 1, coarsest - 1, coarsest];
    for (k, &scale) in grids.into_iter().flat_map(|k| T::SCALES.iter().map(move |s| (k, s))) {
        let domain = VectorDomain::finite().with_size(T::INPUTS.len());
        let noise =
            make_vector_float_laplace_cks20(domain, L1Distance::new(), scale, Some(k)).unwrap();
        assert_eq!(noise.k(), k.max(finest));
        for _ in 0..10 {
            for number in noise.invoke(T::INPUTS).unwrap() {
                let number: f64 = number.into();
                let steps = number / power(noise.k());
                let on_the_grid = steps.fract() == 0.0 || steps.is_infinite();
                assert!(
                    number.is_finite() && (on_the_grid || number.abs() == T::MAX),
                    "{k} {scale:?}"
                );
                assert!(number != 0.0 || number.is_sign_positive());
            }
        }
    }
    for k in [coarsest + 1, i32::MAX] {
        let domain = AtomDomain::finite();
        let made =
            make_scalar_float_laplace_cks20(domain, AbsoluteDistance::new(), T::SCALES[3], Some(k));
        assert_eq!(made.unwrap_err().parameter(), Some("k"));
    }
}

#[test]
fn every_grid_and_every_scale_is_fast() {
    soon(noise_at_the_ends::<f32>);
    soon(noise_at_the_ends::<f64>);
}

/// A step that is not likely once in e^(10²⁰) draws, and noise beyond the range once in 2^200.
#[test]
fn noise_far_below_the_grid_is_none_and_far_above_the_range_is_all() {
    soon(|| {
        let domain = AtomDomain::<f64>::finite();
        for scale in [5e-324, 1e-310, 1e-21] {
            let noise =
                make_scalar_float_laplace_cks20(domain, AbsoluteDistance::new(), scale, Some(0));
            let noise = noise.unwrap();
            for (x, rounded) in [(2.5, 3.0), (-2.5, -2.0), (0.25, 0.0), (f64::MIN, f64::MIN)] {
                assert_eq!(noise.invoke(&x).unwrap(), rounded);
            }
            let whole = make_scalar_integer_laplace_cks20(
                AtomDomain::all(),
                AbsoluteDistance::new(),
                scale,
            );
            let whole = whole.unwrap();
            for x in [i64::MIN, -1, 0, i64::MAX] {
                assert_eq!(whole.invoke(&x).unwrap(), x);
            }
        }
        for scale in [1e100, 1e300, f64::MAX] {
            let whole = make_scalar_integer_laplace_cks20(
                AtomDomain::all(),
                AbsoluteDistance::new(),
                scale,
            );
            let whole = whole.unwrap();
            let ends = (0..200).map(|_| whole.invoke(&7i32).unwrap());
            assert!(ends.into_iter().all(|end| end == i32::MIN || end == i32::MAX));
        }
    });
}

#[test]
fn integer_noise_of_every_scale_is_fast() {
    soon(|| {
        for &scale in f64::SCALES {
            let domain = VectorDomain::finite::<i64>();
            let noise =
                make_vector_integer_laplace_cks20(domain, L1Distance::new(), scale).unwrap();
            assert_eq!(noise.invoke(&[0; 1000]).unwrap().len(), 1000);
            assert_eq!(noise.map(u64::MAX).unwrap().get() == f64::INFINITY, scale < 1e-200);
            assert!(noise.accuracy(0.99).unwrap() >= 0.0);
        }
    });
}

/// Half of the answers are the truth. The bound of 1500 is more than nine standard deviations of 158.
fn a_million_categories<T: Eq + std::hash::Hash + Clone + Send + Sync>(
    category: impl Fn(usize) -> T,
) {
    let count = 1_000_000;
    let categories: Vec<T> = (0..count).map(category).collect();
    let mechanism = soon(|| make_randomized_response(categories.clone(), 0.5).unwrap());
    let answers = || categories.iter().step_by(10);
    let reports =
        soon(|| answers().map(|answer| mechanism.invoke(answer).unwrap()).collect::<Vec<T>>());
    assert_eq!(reports.len(), 100_000);
    assert!(reports.iter().all(|report| mechanism.index_of(report).is_some()));
    let truths = answers().zip(&reports).filter(|(answer, report)| answer == report).count();
    assert!(truths.abs_diff(50_000) < 1500, "{truths}");
    let estimates = soon(|| debias_randomized_response(&mechanism, &reports).unwrap());
    // All reports are of one category or another: the estimates add up to them, to a relative 1e-9.
    let sum: f64 = estimates.iter().sum();
    assert!((sum / 100_000.0 - 1.0).abs() < 1e-9, "{sum}");
    let prob =
        soon(|| randomized_response::largest_prob(count, mechanism.map(1).unwrap()).unwrap());
    // A few floats have the same loss, which is known to a relative 1e-16 only.
    assert!((0.5..0.5 + 1e-14).contains(&prob), "{prob}");
}

#[test]
fn a_million_categories_are_fast() {
    a_million_categories(|i| i as i64 - 500_000);
    a_million_categories(|i| format!("category {i}"));
}

/// A quarter of the bits is flipped. The bound of 14000 is more than ten standard deviations of 1370.
#[test]
fn ten_million_bits_are_fast() {
    let length = 10_000_000;
    let domain = BitVectorDomain::new(length).with_max_weight(length);
    let answer: BitVector = (0..length).map(|i| i % 3 == 0).collect();
    let mut reports = Vec::new();
    for constant_time in [false, true, false] {
        let mechanism =
            make_randomized_response_bitvec(domain, DiscreteDistance, 0.5, constant_time);
        let report = soon(|| mechanism.unwrap().invoke(&answer).unwrap());
        assert_eq!(report.len(), length);
        let flipped = report.iter().zip(answer.iter()).filter(|(a, b)| a != b).count();
        assert!(flipped.abs_diff(length / 4) < 14_000, "{flipped}");
        reports.push(report);
    }
    let estimates = soon(|| debias_randomized_response_bitvec(&reports, 0.5).unwrap());
    assert_eq!(estimates.len(), length);
    // (Y − 3/4)·2 for each of the last places, the very last included.
    for place in [0, 1, 63, 64, length - 65, length - 2, length - 1] {
        let count = reports.iter().filter(|report| report.get(place) == Some(true)).count();
        assert_eq!(estimates[place], 2.0 * count as f64 - 1.5);
    }
}

/// The parts of the laws that are computed when a mechanism is made, and those of each `map`.
#[test]
fn bounds_of_extreme_parameters_are_fast() {
    soon(|| {
        for k in [-1074, -1, 0, 1023] {
            for &scale in f64::SCALES {
                let domain = VectorDomain::finite().with_size(usize::MAX);
                let noise =
                    make_vector_float_laplace_cks20(domain, L1Distance::new(), scale, Some(k));
                let losses =
                    [0.0, 5e-324, 1.0, f64::MAX].map(|d_in| noise.as_ref().unwrap().map(d_in));
                let losses = losses.map(|loss| loss.unwrap());
                assert!(
                    losses[0] == Epsilon::ZERO && losses.windows(2).all(|pair| pair[0] <= pair[1])
                );
                // No two floats so close are on both sides of a coarse grid's boundary.
                assert_eq!(losses[1] > Epsilon::ZERO, k == -1074);
                assert!(losses[3] > Epsilon::ZERO);
            }
        }
    });
    soon(|| {
        for (size, k) in [(1, -1074), (usize::MAX, 0), (usize::MAX, 1023)] {
            for epsilon in [5e-324, 1.0, f64::MAX] {
                let epsilon = Epsilon::new(epsilon).unwrap();
                let scale = |d_in| {
                    vector_float_laplace_cks20::smallest_scale(d_in, epsilon, Some(size), Some(k))
                };
                assert_eq!(scale(0.0).unwrap(), 0.0);
                assert!(scale(1e-300).map_or(true, |scale| scale >= 0.0));
            }
        }
        let domain = BitVectorDomain::new(usize::MAX).with_max_weight(usize::MAX);
        let flips =
            make_randomized_response_bitvec(domain, DiscreteDistance, 5e-324, true).unwrap();
        // 2^64 · 745.13… (2^32 − 1 where words are half as long), to a relative 1e-15.
        let expected = usize::MAX as f64 * 745.133_219_101_941_2;
        assert!((flips.map(1).unwrap().get() / expected - 1.0).abs() < 1e-15);
        assert_eq!(flips.invoke(&BitVector::zeros(8)).unwrap_err().kind(), ErrorKind::NotAMember);
    });
}

/// The many digits of extreme numbers are in a message as few.
#[test]
fn messages_about_extreme_numbers_are_short() {
    let texts = [
        make_randomized_response_bool(1e-300, true).unwrap_err().to_string(),
        make_randomized_response_bool(1e300, true).unwrap_err().to_string(),
        Epsilon::new(1e300).unwrap().to_string(),
        Epsilon::new(5e-324).unwrap().to_string(),
    ];
    assert!(texts.iter().all(|text| text.len() < 120), "{texts:?}");
}
