use num_bigint::BigUint;

use super::*;
use crate::common::*;
use crate::{AbsoluteDistance, AtomDomain, ErrorKind, L1Distance, Measurement, VectorDomain};

fn scalar<T: Integer>(scale: f64) -> ScalarIntegerLaplaceCks20<T> {
    let domain = AtomDomain::all();
    make_scalar_integer_laplace_cks20(domain, AbsoluteDistance::new(), scale).unwrap()
}

fn vector(size: usize, scale: f64) -> VectorIntegerLaplaceCks20<i64> {
    let domain = VectorDomain::finite::<i64>().with_size(size);
    make_vector_integer_laplace_cks20(domain, L1Distance::new(), scale).unwrap()
}

/// mantissa · 2^exponent of a finite float that is not negative, from its bits.
fn parts(x: f64) -> (BigUint, i64) {
    let bits = x.to_bits();
    let (biased, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    let mantissa = if biased == 0 { fraction } else { fraction | 1 << 52 };
    (mantissa.into(), biased.max(1) as i64 - 1075)
}

/// Whether loss · scale is below d_in, in integers.
fn is_too_small(loss: f64, scale: f64, d_in: u64) -> bool {
    let ((a, i), (b, j)) = (parts(loss), parts(scale));
    let (product, exponent) = (a * b, i + j);
    if exponent >= 0 {
        product << exponent < d_in.into()
    } else {
        product < BigUint::from(d_in) << -exponent
    }
}

const SCALES: [f64; 11] =
    [5e-324, 1e-310, 1e-100, 1e-9, 0.1, 1.0, 2.0 / 3.0, 3.0, 1e9, 1e300, f64::MAX];

#[test]
fn a_finite_scale_that_is_not_negative_is_accepted() {
    for scale in SCALES.into_iter().chain([0.0]) {
        assert_eq!(scalar::<i32>(scale).scale(), scale);
        assert_eq!(vector(2, scale).scale(), scale);
    }
    assert_eq!(scalar::<i64>(-0.0).scale().to_bits(), 0);
    for scale in [-5e-324, -1.0, f64::MIN, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        let domain = AtomDomain::<i64>::all();
        let scalar = make_scalar_integer_laplace_cks20(domain, AbsoluteDistance::new(), scale);
        let domain = VectorDomain::new(domain);
        let vector = make_vector_integer_laplace_cks20(domain, L1Distance::new(), scale);
        for error in [scalar.unwrap_err(), vector.unwrap_err()] {
            assert_eq!(error.kind(), ErrorKind::InvalidParameter);
            assert_eq!(error.parameter(), Some("scale"));
            assert!(error.to_string().contains("is negative or not finite"), "{error}");
            assert!(error.to_string().ends_with("a finite number of at least 0"), "{error}");
        }
    }
}

/// The loss is the smallest float that is not below d_in/scale, compared on integers.
#[test]
fn the_loss_is_the_neighbour_above_the_quotient() {
    for scale in SCALES {
        for d_in in [1, 2, 3, 7, 1000, (1 << 53) + 1, u64::MAX - 1, u64::MAX] {
            let loss = scalar::<i64>(scale).map(d_in).unwrap().get();
            assert_eq!(vector(3, scale).map(d_in).unwrap().get(), loss);
            if loss == f64::INFINITY {
                assert!(is_too_small(f64::MAX, scale, d_in));
                continue;
            }
            assert!(!is_too_small(loss, scale, d_in), "{scale} {d_in}");
            assert!(is_too_small(down(loss), scale, d_in), "{scale} {d_in}");
        }
        assert_eq!(scalar::<i64>(scale).map(0).unwrap(), Epsilon::ZERO);
    }
    assert_eq!(scalar::<i32>(0.0).map(0).unwrap(), Epsilon::ZERO);
    assert_eq!(scalar::<i32>(0.0).map(1).unwrap(), Epsilon::INFINITY);
    assert_eq!(scalar::<i32>(5e-324).map(1).unwrap(), Epsilon::INFINITY);
    assert_eq!(scalar::<i64>(f64::MAX).map(1).unwrap().get(), up(0.5f64.powi(1024)));
}

#[test]
fn the_loss_grows_with_the_distance_and_falls_with_the_scale() {
    let mut scales = SCALES[2..].to_vec();
    scales.sort_by(f64::total_cmp);
    let losses: Vec<f64> = scales.iter().map(|&s| scalar::<i64>(s).map(1).unwrap().get()).collect();
    assert!(losses.windows(2).all(|pair| pair[0] > pair[1]));
    let distances = [0, 1, 2, 3, 100, 1 << 40, u64::MAX];
    let losses = distances.map(|d_in| scalar::<i64>(3.0).map(d_in).unwrap());
    assert!(losses.windows(2).all(|pair| pair[0] < pair[1]));
}

/// The first word is the sign, and the next a uniform number U: the noise is ⌊−scale·ln U⌋, or −1 less that.
#[test]
fn the_noise_is_what_the_words_say() {
    let half = 1 << 63;
    // −3·ln 0.5 = 2.079…, and with a third word for a result that is in doubt.
    for (sign, uniform, noise) in
        [(0, half, 2), (u64::MAX, half, -3), (0, u64::MAX - 7, 0), (u64::MAX, u64::MAX - 7, -1)]
    {
        let mut script = Script::new([sign, uniform, half]);
        assert_eq!(scalar::<i64>(3.0).invoke_from(&100, &mut script).unwrap(), 100 + noise);
        let mut script = Script::new([sign, uniform, half]);
        assert_eq!(
            scalar::<i32>(3.0).invoke_from(&-100, &mut script).unwrap(),
            -100 + noise as i32
        );
    }
    // In a vector the signs are the bits of the first words, and the last word is for the second number:
    // −ln 2^−64 · 3 = 133.08…, where a word leaves everything down to 2^−63 in doubt.
    let mut script = Script::new([0, half, 1, 7]);
    let both = vector(2, 3.0).invoke_from(&[10, 20], &mut script).unwrap();
    assert_eq!(both, [12, 20 + 133]);
    assert_eq!(script.drawn, 4);
    // P(not negative) = 0.58… = 0.1001… in base 2: 11 is above, 00 below.
    let mut script = Script::new([0b10, 0b10, half, half]);
    let both = vector(2, 3.0).invoke_from(&[10, 20], &mut script).unwrap();
    assert_eq!(both, [12, 20 - 3]);
    assert_eq!(script.drawn, 4);
}

#[test]
fn sums_beyond_the_type_end_at_its_ends() {
    for scale in [1e3, 1e18, 1e300, f64::MAX] {
        let (plus, minus) = ([0, 1, 1, 1], [u64::MAX, 1, 1, 1]);
        let wide = |x: i64, words: [u64; 4]| {
            scalar::<i64>(scale).invoke_from(&x, &mut Script::new(words)).unwrap()
        };
        let narrow = |x: i32, words: [u64; 4]| {
            scalar::<i32>(scale).invoke_from(&x, &mut Script::new(words)).unwrap()
        };
        assert_eq!(wide(i64::MAX, plus), i64::MAX);
        assert_eq!(wide(i64::MAX - 5, plus), i64::MAX);
        assert_eq!(wide(i64::MIN, minus), i64::MIN);
        assert_eq!(narrow(i32::MAX, plus), i32::MAX);
        assert_eq!(narrow(i32::MIN + 5, minus), i32::MIN);
        assert!(wide(i64::MIN, plus) > i64::MIN && wide(i64::MAX, minus) < i64::MAX);
    }
}

#[test]
fn without_noise_the_data_is_released_and_nothing_is_drawn() {
    for x in [i64::MIN, -1, 0, 7, i64::MAX] {
        assert_eq!(scalar::<i64>(0.0).invoke_from(&x, &mut Script::new([])).unwrap(), x);
    }
    assert_eq!(vector(2, 0.0).invoke_from(&[-4, 4], &mut Script::new([])).unwrap(), [-4, 4]);
    assert_eq!(vector(0, 1.0).invoke_from(&[], &mut Script::new([])).unwrap(), [0i64; 0]);
}

#[test]
fn what_is_outside_the_domain_is_refused_and_not_told() {
    let domain = AtomDomain::bounded(0i64, 120).unwrap();
    let age = make_scalar_integer_laplace_cks20(domain, AbsoluteDistance::new(), 1.0).unwrap();
    let ages = VectorDomain::new(domain).with_size(2);
    let ages = make_vector_integer_laplace_cks20(ages, L1Distance::new(), 1.0).unwrap();
    let errors = [
        age.invoke(&4711).unwrap_err(),
        age.invoke(&-4711).unwrap_err(),
        ages.invoke(&[4, 4711]).unwrap_err(),
        ages.invoke(&[47]).unwrap_err(),
        ages.invoke(&[47, 47, 47]).unwrap_err(),
    ];
    for error in &errors {
        assert_eq!((error.kind(), error.parameter()), (ErrorKind::NotAMember, Some("input")));
        assert!(error.to_string().contains("an integer from 0 to 120"), "{error}");
        assert_silent(error, &["47"]);
    }
    assert!(age.invoke(&0).is_ok() && age.invoke(&120).is_ok());
    let error = age.invoke_from(&47, &mut Script::new([0])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::EntropyUnavailable);
    assert_silent(&error, &["47"]);
}

#[test]
fn the_smallest_scale_is_within_the_loss_and_the_next_is_not() {
    for d_in in [1, 3, 1000, u64::MAX] {
        for epsilon in losses() {
            let Ok(scale) = smallest_scale(d_in, Epsilon::new(epsilon).unwrap()) else {
                assert!(loss(d_in, f64::MAX).get() > epsilon);
                continue;
            };
            assert!(loss(d_in, scale).get() <= epsilon, "{d_in} {epsilon}");
            assert!(scale == 0.0 || loss(d_in, down(scale)).get() > epsilon, "{d_in} {epsilon}");
        }
        assert_eq!(smallest_scale(d_in, Epsilon::INFINITY).unwrap(), 0.0);
        let error = smallest_scale(d_in, Epsilon::ZERO).unwrap_err();
        assert_eq!(error.parameter(), Some("epsilon"));
    }
    assert_eq!(smallest_scale(0, Epsilon::ZERO).unwrap(), 0.0);
}

/// P(|noise| > a) = 2q^(a+1)/(1 + q), computed in plain floats, which are within a relative 1e-12 here.
#[test]
fn the_accuracy_is_the_first_integer_that_suffices() {
    for scale in [0.05, 0.3, 1.0, 2.5, 10.0, 1234.5] {
        let tail = |a: f64| {
            let q = (-1.0f64 / scale).exp();
            2.0 * (-(a + 1.0) / scale).exp() / (1.0 + q)
        };
        for confidence in [1e-9, 0.1, 0.5, 0.9, 0.95, 0.999, 1.0 - 1e-9] {
            let alpha = scalar::<i64>(scale).accuracy(confidence).unwrap();
            assert_eq!(vector(2, scale).accuracy(confidence).unwrap(), alpha);
            assert_eq!(alpha.fract(), 0.0);
            let missed = 1.0 - confidence;
            assert!(tail(alpha) <= missed * (1.0 + 1e-12), "{scale} {confidence}");
            let one_less = tail(alpha - 1.0) > missed * (1.0 - 1e-12);
            assert!(alpha == 0.0 || one_less, "{scale} {confidence}");
        }
    }
    assert_eq!(scalar::<i32>(0.0).accuracy(0.99).unwrap(), 0.0);
}

/// The sums of the sampler, from the same words; and what does not change.
#[test]
fn constant_time_is_the_same_mechanism() {
    use deniable_sample::{Entropy, Result};

    struct Counting(u64);

    impl Entropy for Counting {
        fn fill(&mut self, words: &mut [u64]) -> Result<()> {
            for word in words {
                self.0 =
                    self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                *word = self.0;
            }
            Ok(())
        }
    }

    for scale in [1e-3, 0.7, 30.0, 1e9, 1e300] {
        let law = ConstantTimeLaplace::<i64>::from_float(scale).unwrap();
        let (ordinary, even) = (vector(50, scale), vector(50, scale).with_constant_time());
        assert!(even.constant_time() && !ordinary.constant_time() && even != ordinary);
        assert_eq!(even.map(3).unwrap(), ordinary.map(3).unwrap());
        assert_eq!(even, even.clone().with_constant_time());
        let numbers: Vec<i64> = (0..50).map(|x| x * x - 1000).collect();
        let mut expected = numbers.clone();
        law.sample_all_saturating(&mut expected, &mut Counting(1)).unwrap();
        assert_eq!(even.invoke_from(&numbers, &mut Counting(1)).unwrap(), expected);
        assert!(scale < 0.5 || expected != numbers);
        let one = scalar::<i64>(scale).with_constant_time();
        assert!(one.constant_time());
        assert_eq!(one.invoke_from(&numbers[0], &mut Counting(1)).unwrap(), expected[0]);
        assert!(even.invoke(&numbers[..49]).is_err());
        assert_eq!(even.invoke(&numbers).unwrap().len(), 50);
    }
    let nothing = vector(2, 0.0).with_constant_time();
    assert!(nothing.constant_time());
    assert_eq!(nothing.invoke(&[4, 5]).unwrap(), [4, 5]);
    assert_eq!(nothing.map(1).unwrap(), Epsilon::INFINITY);
}

#[test]
fn the_scale_is_shown() {
    let shown = format!("{:?}", vector(2, 0.5));
    assert!(shown.contains("scale: 0.5"), "{shown}");
}
