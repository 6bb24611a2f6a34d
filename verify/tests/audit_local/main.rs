//! The exact audit of the local mechanisms, and the mistakes it finds. `verify audit` runs it in full.

use deniable::prelude::*;
use deniable_verify::audit::exact::Tally;
use deniable_verify::audit::local::{bitvec, boolean, categorical, hashing, subset, unary};
use deniable_verify::words::Script;

/// In constant time every digit of the probability is read, whatever the words are. Without, the first that differ decide.
#[test]
fn constant_time_reads_every_digit() {
    // 53 places are seven words of 8 bits.
    let prob = 1.0 - f64::EPSILON / 2.0;
    for (constant_time, word, expected) in [(true, 0, 7), (true, 255, 7), (false, 0, 1)] {
        let mechanism = make_randomized_response_bool(prob, constant_time).unwrap();
        let script = [word; 40];
        let mut words = Script::<8>::new(&script);
        mechanism.randomize(&true, &mut words).unwrap();
        assert_eq!(words.asked, expected);
    }
    // Half of it has 54 places: a word for each, for every eight bits.
    for (length, groups) in [(3, 1), (8, 1), (9, 2), (70, 9), (130, 17)] {
        let domain = BitVectorDomain::new(length).with_max_weight(1);
        let flips = make_randomized_response_bitvec(domain, DiscreteDistance, prob, true).unwrap();
        for word in [0, 255] {
            let script = [word; 1000];
            let mut words = Script::<8>::new(&script);
            flips.randomize(&BitVector::zeros(length), &mut words).unwrap();
            assert_eq!(words.asked, groups * 54, "{length}");
        }
    }
}

/// Nothing is found, in as much as there should be.
fn is_clean(tally: &Tally, cases: u64, pairs: u64) {
    assert!(tally.is_clean(), "{tally}");
    assert!(tally.cases >= cases && tally.pairs >= pairs, "{tally}");
    assert!(tally.widest_slack_ulps <= 1.0, "{tally}");
}

#[test]
fn the_boolean_mechanism_is_private() {
    is_clean(&boolean::audit(false), 4_000, 4_000);
}

#[test]
fn the_categorical_mechanism_is_private() {
    is_clean(&categorical::audit(false), 5_000, 5_000);
}

#[test]
fn the_hashing_mechanism_is_private() {
    is_clean(&hashing::audit(false), 3_000, 300);
}

#[test]
fn the_bit_vector_mechanism_is_private() {
    is_clean(&bitvec::audit(false), 50_000, 70_000);
}

#[test]
fn unary_encoding_is_private() {
    is_clean(&unary::audit(false), 5_000, 500);
}

#[test]
fn subset_selection_is_private() {
    is_clean(&subset::audit(false), 3_000, 300);
}

mod planted;
