//! The constructors of mechanisms for one answer: yes or no, categories, bits.
#![no_main]

use arbitrary::Arbitrary;
use deniable::estimate::{BitCounts, FrequencyOracle};
use deniable::mechanism::{local_hashing, randomized_response, subset_selection, unary_encoding};
use deniable::prelude::*;
use deniable::{Measurement, Spec};
use deniable_fuzz::mechanism::{check_map, invoke};
use deniable_fuzz::share::Share;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Parameters {
    Bool { prob: Share, constant_time: bool, answer: bool },
    Categories { categories: Vec<String>, prob: Share, answer: String },
    Unary { categories: Vec<u16>, one: Share, zero: Share, answer: u16 },
    Subset { categories: Vec<i64>, size: u8, prob: Share, answer: i64 },
    Hashing { categories: Vec<i64>, buckets: u32, prob: Share, answer: i64 },
    Bits { length: u8, max_weight: usize, f: Share, constant_time: bool, answer: Vec<bool> },
    Huge { length: usize, max_weight: usize, f: Share },
    Budget { k: u16, size: u16, buckets: u32, epsilon: f64 },
}

#[derive(Arbitrary, Debug)]
struct Input {
    parameters: Parameters,
    distances: [u32; 3],
    words: Vec<u64>,
}

fuzz_target!(|input: Input| {
    let Input { parameters, distances, words } = input;
    match parameters {
        Parameters::Bool { prob, constant_time, answer } => {
            let Ok(mechanism) = make_randomized_response_bool(prob.0, constant_time) else {
                return;
            };
            check(&mechanism, &answer, distances, words);
        }
        Parameters::Categories { categories, prob, answer } => {
            let Ok(mechanism) = make_randomized_response(categories, prob.0) else { return };
            check(&mechanism, &answer, distances, words);
            there_and_back(&mechanism);
        }
        Parameters::Unary { categories, one, zero, answer } => {
            let Ok(mechanism) = make_unary_encoding(categories, one.0, zero.0) else { return };
            check(&mechanism, &answer, distances, words);
        }
        Parameters::Subset { categories, size, prob, answer } => {
            let Ok(mechanism) = make_subset_selection(categories, size.into(), prob.0) else {
                return;
            };
            check(&mechanism, &answer, distances, words);
            there_and_back(&mechanism);
        }
        Parameters::Hashing { categories, buckets, prob, answer } => {
            let Ok(mechanism) = make_local_hashing(categories, buckets as usize, prob.0) else {
                return;
            };
            check(&mechanism, &answer, distances, words);
            there_and_back(&mechanism);
        }
        Parameters::Bits { length, max_weight, f, constant_time, answer } => {
            let domain = BitVectorDomain::new(length.into()).with_max_weight(max_weight);
            let made =
                make_randomized_response_bitvec(domain, DiscreteDistance, f.0, constant_time);
            let Ok(mechanism) = made else { return };
            // Vectors differ or not; the map refuses other distances.
            assert!(mechanism.map(2).is_err(), "a distance that there is none of");
            let distances = distances.map(|d_in| d_in % 2);
            let member = BitVector::zeros(length.into());
            check(&mechanism, &member, distances, words.clone());
            check(&mechanism, &BitVector::from(answer), distances, words);
        }
        Parameters::Huge { length, max_weight, f } => {
            // A vector of this domain may be larger than all memory; its mechanism is not.
            let domain = BitVectorDomain::new(length).with_max_weight(max_weight);
            let Ok(mechanism) =
                make_randomized_response_bitvec(domain, DiscreteDistance, f.0, false)
            else {
                return;
            };
            check_map(&mechanism, 0, &[0, 1]);
            there_and_back(&mechanism);
        }
        Parameters::Budget { k, size, buckets, epsilon } => {
            budget(k.into(), size.into(), buckets as usize, epsilon);
        }
    }
});

fn sorted(mut distances: [u32; 3]) -> [u32; 3] {
    distances.sort();
    distances
}

fn check<M>(mechanism: &M, answer: &M::Answer, distances: [u32; 3], words: Vec<u64>)
where
    M: Oracle,
{
    check_map(mechanism, 0, &sorted(distances));
    let Ok(report) = invoke(mechanism, answer, words) else { return };
    let mut counts = BitCounts::new(mechanism.values());
    mechanism.count(&[report], &mut counts).expect("a report of the mechanism");
    if let Ok(estimates) = mechanism.estimate(&counts) {
        assert!(estimates.iter().all(|estimate| !estimate.share().is_nan()), "a share of nothing");
    }
}

/// Mechanisms of an answer, whose reports are counted.
trait Oracle:
    Measurement<
        Domain: deniable::Domain<Carrier = Self::Answer>,
        Metric = DiscreteDistance,
        Measure = MaxDivergence,
        Output: std::fmt::Debug,
    > + FrequencyOracle
{
    type Answer;
}

impl<M, A> Oracle for M
where
    M: FrequencyOracle<Metric = DiscreteDistance, Measure = MaxDivergence, Output: std::fmt::Debug>,
    M::Domain: deniable::Domain<Carrier = A>,
{
    type Answer = A;
}

fn there_and_back<M>(mechanism: &M)
where
    M: TryFrom<Spec, Error = deniable::Error> + PartialEq + std::fmt::Debug,
    for<'a> Spec: From<&'a M>,
{
    let back = M::try_from(Spec::from(mechanism)).expect("its own parameters");
    assert_eq!(&back, mechanism, "another mechanism");
}

/// The best parameters for a budget are accepted, and within it.
fn budget(k: usize, size: usize, buckets: usize, epsilon: f64) {
    let Ok(epsilon) = Epsilon::new(epsilon) else { return };
    let within = |loss: Epsilon| assert!(loss <= epsilon, "above the budget");
    if let Ok(prob) = randomized_response::largest_prob(k, epsilon) {
        let mechanism = make_randomized_response(0..k, prob).expect("a prob that is accepted");
        within(mechanism.map(1).expect("a distance"));
    }
    if let Ok(prob) = subset_selection::largest_prob(k, size, epsilon) {
        let mechanism = make_subset_selection(0..k, size, prob).expect("a prob that is accepted");
        within(mechanism.map(1).expect("a distance"));
    }
    if let Ok(prob) = local_hashing::largest_prob(buckets, epsilon) {
        let mechanism = make_local_hashing([0, 1], buckets, prob).expect("a prob that is accepted");
        within(mechanism.map(1).expect("a distance"));
    }
    if let Ok((one, zero)) = unary_encoding::optimized(epsilon) {
        let mechanism = make_unary_encoding([0, 1], one, zero).expect("accepted");
        within(mechanism.map(1).expect("a distance"));
    }
    if k >= 2 {
        let best = subset_selection::best_size(k, epsilon).expect("two or more");
        assert!((1..k).contains(&best), "a size that is none");
    }
    make_local_hashing([0, 1], local_hashing::best_buckets(epsilon), 0.999).expect("buckets");
}
