//! The constructors of Laplace noise: floats and integers, single numbers and vectors.
#![no_main]

use arbitrary::Arbitrary;
use deniable::domain::Number;
use deniable::mechanism::{vector_float_laplace_cks20, vector_integer_laplace_cks20};
use deniable::prelude::*;
use deniable::spec::{NamedFloat, NamedInteger};
use deniable::{Spec, laplace_map};
use deniable_fuzz::mechanism::{check_loss, check_map, invoke};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Input {
    F32(Floats<f32>),
    F64(Floats<f64>),
    I32(Integers<i32>),
    I64(Integers<i64>),
}

#[derive(Arbitrary, Debug)]
struct Floats<T> {
    bounds: Option<(T, T)>,
    size: Option<usize>,
    scale: T,
    k: Option<i32>,
    distances: [T; 4],
    numbers: Vec<T>,
    epsilon: f64,
    words: Vec<u64>,
}

#[derive(Arbitrary, Debug)]
struct Integers<T> {
    bounds: Option<(T, T)>,
    size: Option<usize>,
    scale: f64,
    distances: [u64; 4],
    numbers: Vec<T>,
    epsilon: f64,
    constant_time: bool,
    words: Vec<u64>,
}

fuzz_target!(|input: Input| match input {
    Input::F32(floats) => of_floats(floats, 0.0),
    Input::F64(floats) => of_floats(floats, 0.0),
    Input::I32(integers) => of_integers(integers),
    Input::I64(integers) => of_integers(integers),
});

fn domain<T: Number>(bounds: Option<(T, T)>) -> Option<AtomDomain<T>> {
    match bounds {
        None => Some(AtomDomain::finite()),
        Some((low, high)) => AtomDomain::bounded(low, high).ok(),
    }
}

fn of_floats<T: NamedFloat + PartialOrd>(input: Floats<T>, zero: T) {
    let Floats { bounds, size, scale, k, mut distances, numbers, epsilon, words } = input;
    let Some(element) = domain(bounds) else { return };
    // Distances are not negative; a map refuses others, and says so.
    let first = make_scalar_float_laplace_cks20(element, AbsoluteDistance::new(), scale, k);
    if let Ok(mechanism) = &first {
        for d_in in distances {
            assert_eq!(mechanism.map(d_in).is_ok(), d_in >= zero, "which distances there are");
        }
    }
    let mut ordered = distances.to_vec();
    ordered.retain(|&d_in| d_in >= zero);
    ordered.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    if let Ok(mechanism) = &first {
        check_map(mechanism, zero, &ordered);
        if let Some(number) = numbers.first() {
            let _ = invoke(mechanism, number, words.clone());
        }
        there_and_back(mechanism);
    }
    let vectors = VectorDomain::new(element);
    let vectors = size.map_or(vectors, |size| vectors.with_size(size));
    if let Ok(mechanism) = make_vector_float_laplace_cks20(vectors, L1Distance::new(), scale, k) {
        check_map(&mechanism, zero, &ordered);
        let _ = invoke(&mechanism, &numbers, words);
        there_and_back(&mechanism);
    }
    distances.reverse();
    if let Ok(loss) = laplace_map(distances[0], scale, size.unwrap_or(1), distances[1]) {
        check_loss(loss.get());
    }
    let Ok(epsilon) = Epsilon::new(epsilon) else { return };
    let scale = vector_float_laplace_cks20::smallest_scale(distances[0], epsilon, size, k);
    let Ok(scale) = scale else { return };
    let vectors = VectorDomain::finite::<T>();
    let vectors = size.map_or(vectors, |size| vectors.with_size(size));
    let mechanism = make_vector_float_laplace_cks20(vectors, L1Distance::new(), scale, k);
    let loss = mechanism.expect("a scale that is accepted").map(distances[0]);
    assert!(loss.expect("a distance") <= epsilon, "above the budget");
}

fn of_integers<T: NamedInteger>(input: Integers<T>)
where
    VectorDomain<AtomDomain<T>>: deniable::Domain<Carrier = [T]>,
{
    let Integers { bounds, size, scale, mut distances, numbers, epsilon, words, constant_time } =
        input;
    distances.sort();
    let Some(element) = domain(bounds) else { return };
    if let Ok(mechanism) =
        make_scalar_integer_laplace_cks20(element, AbsoluteDistance::new(), scale)
    {
        let mechanism = if constant_time { mechanism.with_constant_time() } else { mechanism };
        check_map(&mechanism, 0, &distances);
        if let Some(number) = numbers.first() {
            let _ = invoke(&mechanism, number, words.clone());
        }
        there_and_back(&mechanism);
    }
    let vectors = VectorDomain::new(element);
    let vectors = size.map_or(vectors, |size| vectors.with_size(size));
    if let Ok(mechanism) = make_vector_integer_laplace_cks20(vectors, L1Distance::new(), scale) {
        let mechanism = if constant_time { mechanism.with_constant_time() } else { mechanism };
        check_map(&mechanism, 0, &distances);
        let _ = invoke(&mechanism, &numbers, words);
        there_and_back(&mechanism);
    }
    let Ok(epsilon) = Epsilon::new(epsilon) else { return };
    let scale = vector_integer_laplace_cks20::smallest_scale(distances[0], epsilon);
    let Ok(scale) = scale else { return };
    let domain = AtomDomain::<i64>::all();
    let mechanism = make_scalar_integer_laplace_cks20(domain, AbsoluteDistance::new(), scale);
    let loss = mechanism.expect("a scale that is accepted").map(distances[0]);
    assert!(loss.expect("a distance") <= epsilon, "above the budget");
}

fn there_and_back<M>(mechanism: &M)
where
    M: TryFrom<Spec, Error = deniable::Error> + PartialEq + std::fmt::Debug,
    for<'a> Spec: From<&'a M>,
{
    let back = M::try_from(Spec::from(mechanism)).expect("its own parameters");
    assert_eq!(&back, mechanism, "another mechanism");
}
