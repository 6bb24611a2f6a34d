//! Bounds, constructors, maps and samplers give the same result however the processor is set: rounding in any direction,
//! subnormal numbers taken for zero. Any library in the process may have set it so.

use core::fmt::Debug;
use core::hint::black_box;

use deniable::mechanism::{
    local_hashing, randomized_response, randomized_response_bitvec, randomized_response_bool,
    subset_selection, unary_encoding, vector_float_laplace_cks20, vector_integer_laplace_cks20,
};
use deniable::prelude::*;
use deniable::rappor::Params;
use deniable::rappor::reference::Encoder;
use deniable::{RandomizedResponseBool, ScalarFloatLaplaceCks20, Spec};
use deniable_num::{Directed, Float, InfCast, Lower, Upper};
use deniable_sample::{Dyadic, Source};
use deniable_verify::backend::control::{SETTINGS, with_setting};
use deniable_verify::words::{Script64, spread};

/// Numbers of every kind, most of them subnormal or next to it.
const NUMBERS: [f64; 18] = [
    0.0,
    -0.0,
    5e-324,
    1e-320,
    1e-310,
    -1e-310,
    f64::MIN_POSITIVE,
    1.3e-300,
    1e-20,
    0.1,
    1.0 / 3.0,
    0.5,
    0.75,
    1.0,
    1.5,
    1e19,
    1e300,
    f64::MAX,
];

/// What `f` returns, in words, must be the same under every setting.
fn is_the_same(f: impl Fn() -> Vec<String>) -> Result<(), String> {
    let usual = f();
    for setting in SETTINGS {
        let Some(seen) = with_setting(setting, &f) else { continue };
        for (i, (a, b)) in usual.iter().zip(&seen).enumerate() {
            if a != b {
                return Err(format!("under {setting:x}, number {i} is {b} and not {a}"));
            }
        }
        assert_eq!(usual.len(), seen.len());
    }
    Ok(())
}

/// Every number of the list, hidden from the optimizer.
fn numbers() -> impl Iterator<Item = f64> {
    NUMBERS.into_iter().map(black_box)
}

/// In words that tell floats apart by their bits.
fn bits(x: f64) -> String {
    format!("{:x}", x.to_bits())
}

fn loss(loss: deniable::Result<Epsilon>) -> String {
    loss.map_or_else(|error| format!("{:?}", error.kind()), |loss| bits(loss.get()))
}

fn kind<T>(result: deniable::Result<T>) -> String {
    result.map_or_else(|error| format!("{:?}", error.kind()), |_| "accepted".to_owned())
}

fn shown<T: Debug, E>(result: Result<T, E>) -> String {
    result.map_or_else(|_| "refused".to_owned(), |value| format!("{value:?}"))
}

#[test]
fn directed_arithmetic() {
    is_the_same(|| {
        let mut seen = Vec::new();
        for x in numbers() {
            seen.push(format!("{:?}", x.decode()));
            for unary in [x.inf_sqrt(), x.inf_ln(), x.neg_inf_exp(), x.inf_ln_1p(), x.inf_exp_m1()]
            {
                seen.push(shown(unary.map(f64::to_bits)));
            }
            seen.push(shown(f32::inf_cast(x).map(f32::to_bits)));
            for y in numbers() {
                let binary = [x.inf_add(y), x.neg_inf_sub(y), x.inf_mul(y), x.neg_inf_div(y)];
                seen.extend(binary.map(|result| shown(result.map(f64::to_bits))));
                let bounds = [Upper::new(x).unwrap() <= Upper::new(y).unwrap()];
                seen.push(format!(
                    "{bounds:?} {:?}",
                    Lower::new(x).unwrap() < Lower::new(y).unwrap()
                ));
            }
        }
        seen
    })
    .unwrap();
}

#[test]
fn constructors_and_maps_of_randomized_response() {
    is_the_same(|| {
        let mut seen = Vec::new();
        for x in numbers() {
            seen.push(loss(make_randomized_response_bool(x, true).and_then(|m| m.map(1))));
            seen.push(loss(make_randomized_response(0..3, x).and_then(|m| m.map(1))));
            seen.push(loss(make_local_hashing(0..9, 3, x).and_then(|m| m.map(1))));
            seen.push(loss(make_subset_selection(0..5, 2, x).and_then(|m| m.map(1))));
            let unary = |one, zero| make_unary_encoding(0..3, one, zero).and_then(|m| m.map(1));
            seen.extend(numbers().map(|zero| loss(unary(x, zero))));
            let domain = BitVectorDomain::new(9).with_max_weight(2);
            let flips = make_randomized_response_bitvec(domain, DiscreteDistance, x, false);
            seen.push(loss(flips.and_then(|m| m.map(1))));
            seen.push(kind(debias_randomized_response_bitvec(&[BitVector::zeros(9)], x)));
            seen.push(shown(Dyadic::from_float(x)));
            let Ok(epsilon) = Epsilon::new(x) else { continue };
            seen.push(bits(epsilon.get()));
            seen.push(bits((epsilon + epsilon).get()));
            seen.push(bits(randomized_response_bool::largest_prob(epsilon)));
            seen.push(shown(randomized_response::largest_prob(3, epsilon).map(f64::to_bits)));
            seen.push(local_hashing::best_buckets(epsilon).to_string());
            seen.push(shown(local_hashing::largest_prob(3, epsilon).map(f64::to_bits)));
            let pair = |(one, zero): (f64, f64)| (one.to_bits(), zero.to_bits());
            seen.push(shown(unary_encoding::optimized(epsilon).map(pair)));
            seen.push(shown(unary_encoding::symmetric(epsilon).map(pair)));
            seen.push(shown(subset_selection::best_size(100, epsilon)));
            seen.push(shown(subset_selection::largest_prob(7, 3, epsilon).map(f64::to_bits)));
            let f = randomized_response_bitvec::smallest_f(&domain, epsilon);
            seen.push(shown(f.map(f64::to_bits)));
        }
        seen
    })
    .unwrap();
}

/// A scale, a grid and a distance.
fn laplace_map(scale: f64, k: Option<i32>, d_in: f64) -> Vec<String> {
    let domain = VectorDomain::finite::<f64>().with_size(2);
    let floats = make_vector_float_laplace_cks20(domain, L1Distance::new(), scale, k);
    let sizeless = VectorDomain::finite::<f64>();
    let unsized_floats = make_vector_float_laplace_cks20(sizeless, L1Distance::new(), scale, k);
    let count = AtomDomain::<i64>::all();
    let integer = make_scalar_integer_laplace_cks20(count, AbsoluteDistance::new(), scale);
    let accuracy = |confidence| floats.as_ref().map_or(Ok(0.0), |m| m.accuracy(confidence));
    let accuracies = [0.95, 1e-310, d_in].map(|c| shown(accuracy(c).map(f64::to_bits)));
    vec![
        loss(floats.and_then(|m| m.map(d_in))),
        kind(unsized_floats),
        loss(integer.and_then(|m| m.map(1))),
        loss(deniable::laplace_map(d_in, scale, 2, 1e-310)),
        accuracies.concat(),
    ]
}

#[test]
fn constructors_and_maps_of_laplace_noise() {
    is_the_same(|| {
        let mut seen = Vec::new();
        for k in [None, Some(-1050), Some(-1000), Some(0), Some(1023)] {
            for x in numbers() {
                numbers().for_each(|y| seen.extend(laplace_map(x, k, y)));
                if let Ok(epsilon) = Epsilon::new(x) {
                    let scale =
                        |d| vector_float_laplace_cks20::smallest_scale(d, epsilon, Some(2), k);
                    seen.extend([1e-310, 1.0].map(|d: f64| shown(scale(d).map(f64::to_bits))));
                    let scale = vector_integer_laplace_cks20::smallest_scale(3, epsilon);
                    seen.push(shown(scale.map(f64::to_bits)));
                }
            }
        }
        seen
    })
    .unwrap();
}

#[test]
fn domains_and_specs() {
    is_the_same(|| {
        let mut seen = Vec::new();
        for x in numbers() {
            for y in numbers() {
                let domain = AtomDomain::bounded(x, y);
                let members = |domain: AtomDomain<f64>| {
                    numbers().map(|z| domain.is_member(&z)).collect::<Vec<_>>()
                };
                seen.push(shown(domain.map(members)));
            }
            let (bounds, k) = (None, None);
            let number = deniable::spec::FloatType::F32;
            let spec = Spec::ScalarFloatLaplaceCks20 { number, bounds, scale: x, k };
            seen.push(shown(ScalarFloatLaplaceCks20::<f32>::try_from(spec)));
            let spec = Spec::RandomizedResponseBool { prob: x, constant_time: false };
            seen.push(shown(RandomizedResponseBool::try_from(spec)));
        }
        seen
    })
    .unwrap();
}

/// What RAPPOR's parameters lose, and the permanent answers of the reference's client.
#[test]
fn rappor() {
    is_the_same(|| {
        let mut seen = Vec::new();
        for f in numbers() {
            let Ok(params) = Params::new(16, 2, 64, 0.5, 0.75, f) else {
                seen.push("refused".into());
                continue;
            };
            seen.push(bits(params.epsilon_of_report().get()));
            seen.push(bits(params.epsilon_of_all_reports().get()));
            let Ok(encoder) = Encoder::new(params, 0, *b"secret") else { continue };
            seen.push(bits(encoder.in_effect().f()));
            seen.extend((0..400).map(|filter| encoder.permanent(filter).to_string()));
        }
        seen
    })
    .unwrap();
}

/// Every mechanism over the same words.
#[test]
fn outputs() {
    let words = spread(400);
    is_the_same(|| {
        let mut seen = Vec::new();
        for (x, words) in numbers().flat_map(|x| words.chunks(20).map(move |words| (x, words))) {
            for (scale, k) in [(0.0, None), (1e-310, None), (5e-324, Some(-1050)), (1.0, Some(0))] {
                let domain = VectorDomain::finite::<f64>().with_size(2);
                let noise =
                    make_vector_float_laplace_cks20(domain, L1Distance::new(), scale, k).unwrap();
                let output = noise.randomize(&[x, -x], &mut Script64::new(words)).unwrap();
                seen.push(format!("{:?}", output.into_iter().map(bits).collect::<Vec<_>>()));
            }
            let source = || Script64::new(words);
            let yes = make_randomized_response_bool(0.75, false).unwrap();
            seen.push(shown(yes.randomize(&true, &mut source())));
            let choice = make_randomized_response(0..5, 0.3).unwrap();
            seen.push(shown(choice.randomize(&7, &mut source())));
            let unary = make_unary_encoding(0..5, 0.3, 1e-310).unwrap();
            seen.push(shown(unary.randomize(&3, &mut Cycle::new(words))));
            let subsets = make_subset_selection(0..5, 2, 0.7).unwrap();
            seen.push(shown(subsets.randomize(&3, &mut Cycle::new(words))));
            for scale in [1e-310, 3.0, 1e300] {
                let (count, metric) = (AtomDomain::<i32>::all(), AbsoluteDistance::new());
                let noise = make_scalar_integer_laplace_cks20(count, metric, scale).unwrap();
                seen.push(shown(noise.randomize(&17, &mut source())));
            }
            let (one, metric) = (AtomDomain::<f32>::finite(), AbsoluteDistance::new());
            let noise = make_scalar_float_laplace_cks20(one, metric, 1e-40, None).unwrap();
            seen.push(shown(noise.randomize(&1e-42, &mut source()).map(f32::to_bits)));
            let domain = BitVectorDomain::new(5).with_max_weight(5);
            let flips = make_randomized_response_bitvec(domain, DiscreteDistance, 1e-310, true);
            let report = flips.unwrap().randomize(&BitVector::zeros(5), &mut Cycle::new(words));
            seen.push(shown(report));
        }
        seen
    })
    .unwrap();
}

/// Words over and over: a subnormal probability takes many.
struct Cycle<'a>(core::iter::Cycle<core::slice::Iter<'a, u64>>);

impl<'a> Cycle<'a> {
    fn new(words: &'a [u64]) -> Self {
        Cycle(words.iter().cycle())
    }
}

impl Source for Cycle<'_> {
    type Word = u64;

    fn draw(&mut self) -> deniable_sample::Result<u64> {
        Ok(*self.0.next().expect("it never ends"))
    }
}

/// The check above finds these mistakes, where the machine has such settings.
mod planted {
    use super::*;

    fn is_found(f: impl Fn(f64) -> String) -> bool {
        is_the_same(|| numbers().map(&f).collect()).is_err() || !cfg!(target_arch = "x86_64")
    }

    #[test]
    fn a_comparison_with_zero() {
        assert!(is_found(|x| format!("{}", x == 0.0)));
    }

    #[test]
    fn a_plain_quotient() {
        assert!(is_found(|x| bits(x / 3.0)));
    }
}
