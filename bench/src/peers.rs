//! The crate `opendp`, doing the same jobs.

use std::collections::HashSet;
use std::hash::Hash;
use std::hint::black_box;

use opendp::domains::{AtomDomain, BitVector, BitVectorDomain, VectorDomain};
use opendp::measurements::{
    debias_randomized_response_bitvec, make_laplace, make_randomized_response,
    make_randomized_response_bitvec, make_randomized_response_bool,
};
use opendp::measures::MaxDivergence;
use opendp::metrics::{DiscreteDistance, L1Distance};
use opendp::traits::Hashable;

use crate::contest::Contender;

/// Its jobs are a thousand times slower: fewer items do.
const ITEMS: usize = 200;

pub fn yes_or_no(prob: f64) -> Contender {
    let mechanism = make_randomized_response_bool(prob, false).expect("a probability");
    Contender::new(ITEMS, move || {
        (0..ITEMS).for_each(|i| {
            black_box(mechanism.invoke(&(i % 3 == 0)).expect("entropy"));
        });
    })
}

pub fn choice<T: Hashable + Eq + Hash + Clone>(categories: Vec<T>, prob: f64) -> Contender {
    let set: HashSet<T> = categories.iter().cloned().collect();
    let mechanism = make_randomized_response(set, prob).expect("a probability");
    Contender::new(ITEMS, move || {
        (0..ITEMS).for_each(|i| {
            let answer = &categories[i % categories.len()];
            black_box(mechanism.invoke(answer).expect("entropy"));
        });
    })
}

pub fn bits(k: usize, f: f64, constant_time: bool) -> Contender {
    let domain = BitVectorDomain::new().with_max_weight(k);
    let mechanism = make_randomized_response_bitvec(domain, DiscreteDistance, f, constant_time);
    let (mechanism, bits) = (mechanism.expect("an f"), BitVector::repeat(false, k));
    Contender::new(k, move || {
        black_box(mechanism.invoke(&bits).expect("entropy"));
    })
}

/// It takes the reports by value, so that a copy of them is part of its job.
pub fn debias(k: usize, n: usize) -> Contender {
    let reports: Vec<BitVector> =
        (0..n).map(|i| (0..k).map(|j| (i * 7 + j * j) % 5 < 2).collect()).collect();
    Contender::new(n * k, move || {
        black_box(debias_randomized_response_bitvec(reports.clone(), 0.5).expect("reports"));
    })
}

pub fn float_laplace(scale: f64) -> Contender {
    let domain = VectorDomain::new(AtomDomain::<f64>::new_non_nan());
    let metric = L1Distance::<f64>::default();
    let mechanism = make_laplace::<_, _, MaxDivergence>(domain, metric, scale, None);
    let (mechanism, numbers) = (mechanism.expect("a scale"), vec![0.25; ITEMS]);
    Contender::new(ITEMS, move || {
        black_box(mechanism.invoke(&numbers).expect("entropy"));
    })
}

pub fn integer_laplace(scale: f64) -> Contender {
    let domain = VectorDomain::new(AtomDomain::<i64>::default());
    let metric = L1Distance::<i64>::default();
    let mechanism = make_laplace::<_, _, MaxDivergence>(domain, metric, scale, None);
    let (mechanism, numbers) = (mechanism.expect("a scale"), vec![25; ITEMS]);
    Contender::new(ITEMS, move || {
        black_box(mechanism.invoke(&numbers).expect("entropy"));
    })
}

pub fn make_yes_or_no() -> Contender {
    Contender::new(1, || {
        black_box(make_randomized_response_bool(black_box(0.75), false).expect("a probability"));
    })
}

pub fn make_choice() -> Contender {
    Contender::new(1, || {
        let categories: HashSet<i32> = (0..16).collect();
        black_box(make_randomized_response(categories, black_box(0.75)).expect("a probability"));
    })
}

pub fn make_bits() -> Contender {
    Contender::new(1, || {
        let domain = BitVectorDomain::new().with_max_weight(2);
        let made = make_randomized_response_bitvec(domain, DiscreteDistance, black_box(0.5), false);
        black_box(made.expect("an f"));
    })
}
