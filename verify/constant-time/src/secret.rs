//! What secrets go through: each function by itself, so that its machine code can be looked at.

use std::hint::black_box;

use deniable::mechanism::randomized_response::CategoryIndex;
use deniable::prelude::*;
use deniable::{
    RandomizedResponse, RandomizedResponseBitvec, RandomizedResponseBool,
    ScalarIntegerLaplaceCks20, VectorIntegerLaplaceCks20,
};
use deniable_sample::{
    ConstantTimeLaplace, Dyadic, Entropy, SaturatingInt, Scratch, Word, sample_bernoulli_float,
};

use crate::{ENDLESS, SecretWords};

#[inline(never)]
pub(crate) fn compare(word: u64, digit: u64) -> u64 {
    let (below, equal) = word.below_and_equal(digit);
    below << 1 | equal
}

#[inline(never)]
pub(crate) fn bernoulli(prob: f64, constant_time: bool, secret: &mut SecretWords) -> u64 {
    u64::from(sample_bernoulli_float(prob, constant_time, secret).expect(ENDLESS))
}

#[inline(never)]
pub(crate) fn sample(law: Dyadic, secret: &mut SecretWords) -> u64 {
    u64::from(law.sample(true, secret).expect(ENDLESS))
}

#[inline(never)]
pub(crate) fn lanes(
    law: Dyadic,
    flips: &mut [u64],
    count: usize,
    constant_time: bool,
    secret: &mut SecretWords,
) {
    law.sample_flips(flips, count, constant_time, &mut Scratch::new(), secret).expect(ENDLESS);
}

#[inline(never)]
pub(crate) fn yes_no(
    mechanism: &RandomizedResponseBool,
    answer: bool,
    secret: &mut SecretWords,
) -> u64 {
    u64::from(mechanism.randomize(&answer, secret).expect(ENDLESS))
}

#[inline(never)]
pub(crate) fn batch(
    mechanism: &RandomizedResponseBool,
    answers: &mut [bool],
    secret: &mut SecretWords,
) {
    mechanism.randomize_in_place(answers, secret).expect(ENDLESS);
}

#[inline(never)]
pub(crate) fn packed(
    mechanism: &RandomizedResponseBool,
    answers: &mut [u64],
    length: usize,
    secret: &mut SecretWords,
) {
    mechanism.randomize_packed(answers, length, secret).expect(ENDLESS);
}

#[inline(never)]
pub(crate) fn rows(
    mechanism: &RandomizedResponseBitvec,
    rows: &mut [u64],
    secret: &mut SecretWords,
) {
    mechanism.randomize_rows(rows, secret).expect(ENDLESS);
}

#[inline(never)]
pub(crate) fn bits(
    mechanism: &RandomizedResponseBitvec,
    bits: &BitVector,
    secret: &mut SecretWords,
) -> BitVector {
    mechanism.randomize(bits, secret).expect(ENDLESS)
}

#[inline(never)]
pub(crate) fn weight(bits: &BitVector) -> u64 {
    bits.count_ones() as u64
}

#[inline(never)]
pub(crate) fn indices<I: CategoryIndex>(
    mechanism: &RandomizedResponse<u32>,
    answers: &mut [I],
    secret: &mut SecretWords,
) {
    mechanism.randomize_indices_constant_time(answers, secret).expect(ENDLESS);
}

#[inline(never)]
pub(crate) fn noise<I: SaturatingInt>(
    law: &ConstantTimeLaplace<I>,
    numbers: &mut [I],
    secret: &mut SecretWords,
) {
    law.sample_all_saturating(numbers, secret).expect(ENDLESS);
}

/// As they are called where the type of the source is not known.
#[inline(never)]
pub(crate) fn yes_no_of_any_source(
    mechanism: &RandomizedResponseBool,
    answer: bool,
    secret: &mut dyn Entropy,
) -> u64 {
    u64::from(mechanism.invoke_from(&answer, secret).expect(ENDLESS))
}

#[inline(never)]
pub(crate) fn bits_of_any_source(
    mechanism: &RandomizedResponseBitvec,
    bits: &BitVector,
    secret: &mut dyn Entropy,
) -> BitVector {
    mechanism.invoke_from(bits, secret).expect(ENDLESS)
}

#[inline(never)]
pub(crate) fn yes_no_batch_of_any_source(
    mechanism: &RandomizedResponseBool,
    answers: &[bool],
    secret: &mut dyn Entropy,
) -> Vec<bool> {
    mechanism.invoke_batch_from(answers, secret).expect(ENDLESS)
}

#[inline(never)]
pub(crate) fn bits_batch_of_any_source(
    mechanism: &RandomizedResponseBitvec,
    answers: &[BitVector],
    secret: &mut dyn Entropy,
) -> Vec<BitVector> {
    mechanism.invoke_batch_from(answers, secret).expect(ENDLESS)
}

#[inline(never)]
pub(crate) fn number(
    mechanism: &ScalarIntegerLaplaceCks20<i64>,
    number: i64,
    secret: &mut dyn Entropy,
) -> i64 {
    mechanism.invoke_from(&number, secret).expect(ENDLESS)
}

#[inline(never)]
pub(crate) fn numbers(
    mechanism: &VectorIntegerLaplaceCks20<i32>,
    numbers: &[i32],
    secret: &mut dyn Entropy,
) -> Vec<i32> {
    mechanism.invoke_from(numbers, secret).expect(ENDLESS)
}

/// With words of the operating system.
#[cfg(feature = "std")]
pub(crate) mod system {
    use super::*;

    #[inline(never)]
    pub(crate) fn yes_no_in_place(mechanism: &RandomizedResponseBool, answers: &mut [bool]) {
        mechanism.invoke_in_place(answers).expect(WORKS);
    }

    #[inline(never)]
    pub(crate) fn yes_no_batch(mechanism: &RandomizedResponseBool, answers: &[bool]) -> Vec<bool> {
        mechanism.invoke_batch(answers).expect(WORKS)
    }

    #[inline(never)]
    pub(crate) fn packed(mechanism: &RandomizedResponseBool, answers: &mut [u64], length: usize) {
        mechanism.invoke_packed(answers, length).expect(WORKS);
    }

    #[inline(never)]
    pub(crate) fn bits_in_place(mechanism: &RandomizedResponseBitvec, answer: &mut BitVector) {
        mechanism.invoke_in_place(answer).expect(WORKS);
    }

    #[inline(never)]
    pub(crate) fn bits_batch(
        mechanism: &RandomizedResponseBitvec,
        answers: &[BitVector],
    ) -> Vec<BitVector> {
        mechanism.invoke_batch(answers).expect(WORKS)
    }

    #[inline(never)]
    pub(crate) fn rows(mechanism: &RandomizedResponseBitvec, rows: &mut [u64]) {
        mechanism.invoke_rows(rows).expect(WORKS);
    }

    #[inline(never)]
    pub(crate) fn indices(mechanism: &RandomizedResponse<u32>, places: &mut [u8]) {
        mechanism.invoke_indices_constant_time(places).expect(WORKS);
    }

    #[inline(never)]
    pub(crate) fn numbers_in_place(noise: &ScalarIntegerLaplaceCks20<i64>, numbers: &mut [i64]) {
        noise.invoke_in_place(numbers).expect(WORKS);
    }

    #[inline(never)]
    pub(crate) fn numbers_batch(
        noise: &ScalarIntegerLaplaceCks20<i64>,
        numbers: &[i64],
    ) -> Vec<i64> {
        noise.invoke_batch(numbers).expect(WORKS)
    }

    #[inline(never)]
    pub(crate) fn vector_in_place(noise: &VectorIntegerLaplaceCks20<i64>, numbers: &mut [i64]) {
        noise.invoke_in_place(numbers).expect(WORKS);
    }

    const WORKS: &str = "members, and a system with entropy";
}

/// What the look at the machine code must find.
pub(crate) mod planted {
    use super::black_box;

    #[inline(never)]
    pub(crate) fn division(word: u64) -> u64 {
        further(word) + 1
    }

    #[inline(never)]
    fn further(word: u64) -> u64 {
        black_box(1 << 40) / (word | 1)
    }

    #[inline(never)]
    pub(crate) fn of_two_words(word: u64) -> u128 {
        black_box(1 << 100) % (u128::from(word) << 64 | 1)
    }
}
