//! What draws words from the operating system by itself: of it the answers alone are secret.

use deniable::prelude::*;
use deniable::{RandomizedResponseBitvec, ScalarIntegerLaplaceCks20};

use crate::{Case, NOTHING, SecretWords, bits, draw, members, secret, secret_bits, yes_no};

/// More than are worked on at once.
const MANY: usize = 70;

pub(crate) const CASES: &[Case] = &[
    ("RandomizedResponseBool::invoke_in_place", NOTHING, |secret| {
        let mut answers = truth_values(secret);
        secret::system::yes_no_in_place(&yes_no(0.7, true), &mut answers);
        ones(answers)
    }),
    ("RandomizedResponseBool::invoke_batch", NOTHING, |secret| {
        ones(secret::system::yes_no_batch(&yes_no(0.7, true), &truth_values(secret)))
    }),
    ("RandomizedResponseBool::invoke_packed", NOTHING, |secret| {
        let mut answers: Vec<u64> = (0..34).map(|_| draw(secret)).collect();
        secret::system::packed(&yes_no(0.7, true), &mut answers, 33 * 64 + 6);
        both(answers)
    }),
    ("RandomizedResponseBitvec::invoke_in_place with a max_weight", members(1), |secret| {
        let mut answer = secret_bits(130, secret);
        secret::system::bits_in_place(&limited(130, 100), &mut answer);
        both(answer.as_words().to_vec())
    }),
    ("RandomizedResponseBitvec::invoke_batch with a max_weight", members(1), |secret| {
        let answers = bit_vectors(secret);
        let reports = secret::system::bits_batch(&limited(130, 100), &answers);
        reports.iter().fold(0, |sum, report| sum ^ both(report.as_words().to_vec()))
    }),
    ("RandomizedResponseBitvec::invoke_rows with a max_weight", members(1), |secret| {
        // Without the first bit of each row none is too heavy.
        let mut rows: Vec<u64> = (0..34).map(|_| draw(secret) & (u64::MAX - 1)).collect();
        secret::system::rows(&limited(64, 63), &mut rows);
        both(rows)
    }),
    ("RandomizedResponse::invoke_indices_constant_time", NOTHING, |secret| {
        let mechanism = make_randomized_response(0..3u32, 0.7).expect("accepted parameters");
        let mut places: Vec<u8> = (0..MANY).map(|_| draw(secret) as u8).collect();
        secret::system::indices(&mechanism, &mut places);
        places.into_iter().fold(0, |sum, place| sum << 1 ^ u64::from(place))
    }),
    ("ScalarIntegerLaplaceCks20::invoke_in_place with bounds", members(1), |secret| {
        let mut numbers = numbers(secret);
        secret::system::numbers_in_place(&bounded(3.0), &mut numbers);
        sum(numbers)
    }),
    ("ScalarIntegerLaplaceCks20::invoke_batch with bounds", members(1), |secret| {
        sum(secret::system::numbers_batch(&bounded(3.0), &numbers(secret)))
    }),
    ("ScalarIntegerLaplaceCks20::invoke_batch without noise", members(1), |secret| {
        sum(secret::system::numbers_batch(&bounded(0.0), &numbers(secret)))
    }),
    ("VectorIntegerLaplaceCks20::invoke_in_place with bounds", members(1), |secret| {
        let mut numbers = numbers(secret);
        let domain = VectorDomain::new(AtomDomain::bounded(-5, 300).expect("bounds"));
        let noise = make_vector_integer_laplace_cks20(domain, L1Distance::new(), 3.0);
        let noise = noise.expect("a scale").with_constant_time();
        secret::system::vector_in_place(&noise, &mut numbers);
        sum(numbers)
    }),
];

fn truth_values(secret: &mut SecretWords) -> Vec<bool> {
    (0..MANY).map(|_| draw(secret) & 1 == 1).collect()
}

fn bit_vectors(secret: &mut SecretWords) -> Vec<BitVector> {
    (0..MANY).map(|_| secret_bits(130, secret)).collect()
}

/// Numbers that are members of [`bounded`].
fn numbers(secret: &mut SecretWords) -> Vec<i64> {
    (0..MANY).map(|_| (draw(secret) & 255) as i64).collect()
}

fn limited(length: usize, most: usize) -> RandomizedResponseBitvec {
    bits(length, most, 0.3, true)
}

fn bounded(scale: f64) -> ScalarIntegerLaplaceCks20<i64> {
    let domain = AtomDomain::bounded(-5, 300).expect("bounds");
    let noise = make_scalar_integer_laplace_cks20(domain, AbsoluteDistance::new(), scale);
    noise.expect("a scale").with_constant_time()
}

fn ones(reports: Vec<bool>) -> u64 {
    reports.into_iter().fold(0, |sum, report| sum << 1 ^ u64::from(report))
}

fn both(words: Vec<u64>) -> u64 {
    words.into_iter().fold(0, |sum, word| sum ^ word)
}

fn sum(numbers: Vec<i64>) -> u64 {
    numbers.into_iter().fold(0, |sum, number| sum ^ number as u64)
}
