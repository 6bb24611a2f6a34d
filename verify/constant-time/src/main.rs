//! The shipping code, run on random words and answers that memcheck takes for undefined. Any jump and any address that depends on them is counted.
//!
//! `verify constant-time` builds this at each optimisation level and runs it under valgrind, with kernels of either form. A line is printed for each case: what is expected, what was
//! found, and its name, with tabs between them.
#![deny(unsafe_code)]

mod backend;
mod secret;
#[cfg(feature = "std")]
mod system;

use std::hint::black_box;
use std::process::ExitCode;

use deniable::mechanism::randomized_response::CategoryIndex;
use deniable::prelude::*;
use deniable::{
    RandomizedResponse, RandomizedResponseBitvec, RandomizedResponseBool, ScalarIntegerLaplaceCks20,
};
use deniable_sample::{
    ConstantTimeLaplace, Dyadic, Entropy, FLIPS, Result as Sampled, SaturatingInt, Word,
    without_vectors,
};

use backend::valgrind;

const ENDLESS: &str = "there is no end to these words";

/// A case: its name, what is expected of it, and what it runs.
type Case = (&'static str, Expected, Run);

/// Draws, computes, and returns anything that depends on all of the output.
type Run = fn(&mut SecretWords) -> u64;

/// How many decisions on secrets a case makes.
#[derive(Clone, Copy)]
enum Expected {
    Exactly {
        /// Decisions on the answers: whether all are members of the domain.
        answers: usize,
        /// Decisions on random words alone, none of which is left when only the answers are secret:
        /// - whether a word is rejected, which is independent of what is drawn in the end (`uniform` and `randomized_response`, their proofs);
        /// - whether a number's noise needs more words, which happens less than once in 2^121 numbers (`laplace_digits`, its proof).
        words: usize,
    },
    /// A planted mistake: the check must find it, or it is worth nothing.
    Planted,
    /// One that must also be found when only the answers are secret.
    PlantedInAnswers,
}

use Expected::{Exactly, Planted, PlantedInAnswers};

/// No decision on secrets.
const NOTHING: Expected = Exactly { answers: 0, words: 0 };

const fn members(answers: usize) -> Expected {
    Exactly { answers, words: 0 }
}

const fn rejections(words: usize) -> Expected {
    Exactly { answers: 0, words }
}

const fn rare(words: usize) -> Expected {
    rejections(words)
}

const fn members_and_rare(answers: usize, words: usize) -> Expected {
    Exactly { answers, words }
}

/// What is run. No decision on secrets, but for those that may be told, one by one.
const CASES: &[Case] = &[
    ("Word::below_and_equal", NOTHING, |secret| {
        secret::compare(draw(secret), 0x8000_0000_0000_0001)
    }),
    ("sample_bernoulli_float of one word", NOTHING, |s| secret::bernoulli(0.3, true, s)),
    ("sample_bernoulli_float of one bit", NOTHING, |s| secret::bernoulli(0.5, true, s)),
    ("sample_bernoulli_float of 17 words", NOTHING, |s| secret::bernoulli(1e-310, true, s)),
    ("half of the smallest float", NOTHING, |secret| {
        secret::sample(Dyadic::from_float(5e-324).expect("a probability").half(), secret)
    }),
    ("lanes of one place", NOTHING, |secret| lanes(0.5, true, secret)),
    ("lanes of 1074 places", NOTHING, |secret| lanes(5e-324, true, secret)),
    ("a batch of yes or no", NOTHING, |secret| batch(true, secret)),
    ("packed yes or no", NOTHING, |secret| packed(true, secret)),
    ("rows of 64 bits", NOTHING, |secret| rows(64, 64, true, secret)),
    ("34 rows of 70 bits", NOTHING, |secret| rows(70, 70, true, secret)),
    ("34 rows of 70 bits with a max_weight, whose members are known", members(1), |s| {
        rows(70, 69, true, s)
    }),
    ("make_randomized_response_bool of one word", NOTHING, |s| answer(0.75, true, s)),
    ("make_randomized_response_bool of 53 places", NOTHING, |secret| {
        answer(f64::from_bits(0.5f64.to_bits() + 1), true, secret)
    }),
    ("make_randomized_response_bitvec of three words", NOTHING, |secret| {
        flips(130, 130, 0.3, true, secret)
    }),
    ("make_randomized_response_bitvec of one bit", NOTHING, |secret| {
        flips(1, 1, 1e-310, true, secret)
    }),
    ("the weight of a bit vector", NOTHING, |secret| secret::weight(&secret_bits(130, secret))),
    (
        "make_randomized_response_bitvec with a max_weight, whose members are known",
        members(1),
        |s| flips(130, 100, 0.3, true, s),
    ),
    ("70 places of 3 categories, and a rejection of each", rejections(70), |secret| {
        places::<u8>(3, 70, secret)
    }),
    ("5 places of 2 categories, and a rejection of each", rejections(5), |secret| {
        places::<u16>(2, 5, secret)
    }),
    ("5 places of 100000 categories, and a rejection of each", rejections(5), |secret| {
        let mechanism = make_randomized_response(0..100_000, 0.7).expect("accepted parameters");
        categories::<u32>(&mechanism, 5, secret)
    }),
    ("70 places of 3 categories of which a word is rejected", rejections(71), |secret| {
        // Behind those of 64 flips.
        secret.zero_after = Some(80);
        places::<u8>(3, 70, secret)
    }),
    ("Laplace noise on 2000 numbers of 64 bits, and a rare case of each", rare(2000), |secret| {
        noise::<i64>(10.0, 2000, secret)
    }),
    ("Laplace noise on 2000 numbers of 32 bits, and a rare case of each", rare(2000), |secret| {
        noise::<i32>(0.5, 2000, secret)
    }),
    ("Laplace noise on 300 numbers of 16 bits, and a rare case of each", rare(300), |secret| {
        noise::<i16>(50.0, 300, secret)
    }),
    ("Laplace noise on 300 numbers of 8 bits, and a rare case of each", rare(300), |secret| {
        noise::<i8>(1e3, 300, secret)
    }),
    ("Laplace noise of the smallest scale, and a rare case of each", rare(300), |secret| {
        noise::<i32>(5e-324, 300, secret)
    }),
    ("Laplace noise of the largest scale, and a rare case of each", rare(300), |secret| {
        noise::<i64>(f64::MAX, 300, secret)
    }),
    ("make_scalar_integer_laplace_cks20 in constant time, and its rare case", rare(1), |secret| {
        let number = draw(secret) as i64;
        secret::number(&laplace_of_one().with_constant_time(), number, secret) as u64
    }),
    (
        "make_scalar_integer_laplace_cks20 in constant time with bounds, whose members are known, and its rare case",
        members_and_rare(1, 1),
        |secret| {
            let domain = AtomDomain::bounded(-5, 300).expect("bounds");
            let law = make_scalar_integer_laplace_cks20(domain, AbsoluteDistance::new(), 3.0);
            let number = (draw(secret) & 255) as i64;
            secret::number(&law.expect("a scale").with_constant_time(), number, secret) as u64
        },
    ),
    (
        "make_vector_integer_laplace_cks20 in constant time with bounds, whose members are known, and a rare case of each",
        members_and_rare(1, 4),
        |secret| {
            let domain = VectorDomain::new(AtomDomain::bounded(-5, 300).expect("bounds"));
            let law =
                make_vector_integer_laplace_cks20(domain.with_size(4), L1Distance::new(), 3.0);
            let numbers: Vec<i32> = (0..4).map(|_| (draw(secret) & 255) as i32).collect();
            let law = law.expect("a scale").with_constant_time();
            let noisy = secret::numbers(&law, &numbers, secret);
            noisy.into_iter().fold(0, |sum, number| sum ^ number as u64)
        },
    ),
    ("make_vector_integer_laplace_cks20 in constant time, and a rare case of each", rare(4), |s| {
        laplace_of_four(true, s)
    }),
    ("make_randomized_response_bool of any source", NOTHING, |secret| {
        let yes = draw(secret) & 1 == 1;
        secret::yes_no_of_any_source(&yes_no(0.7, true), yes, secret)
    }),
    ("make_randomized_response_bitvec of any source", NOTHING, |secret| {
        let answer = secret_bits(130, secret);
        let report = secret::bits_of_any_source(&bits(130, 130, 0.3, true), &answer, secret);
        report.as_words().iter().fold(0, |sum, word| sum ^ word)
    }),
    ("invoke_batch_from of 70 answers", NOTHING, |secret| {
        let answers: Vec<bool> = (0..70).map(|_| draw(secret) & 1 == 1).collect();
        let reports = secret::yes_no_batch_of_any_source(&yes_no(0.7, true), &answers, secret);
        reports.into_iter().fold(0, |sum, report| sum << 1 ^ u64::from(report))
    }),
    // All at once, and then each, when it is known.
    ("invoke_batch_from of 5 bit vectors with a max_weight", members(1 + 5), |secret| {
        let answers: Vec<BitVector> = (0..5).map(|_| secret_bits(130, secret)).collect();
        let law = bits(130, 100, 0.3, true);
        let reports = secret::bits_batch_of_any_source(&law, &answers, secret);
        reports.iter().flat_map(BitVector::as_words).fold(0, |sum, word| sum ^ word)
    }),
    ("a branch on a random bit", PlantedInAnswers, |secret| branch(draw(secret) & 1 == 1)),
    ("sample_bernoulli_float without constant_time", Planted, |secret| {
        secret::bernoulli(1e-310, false, secret)
    }),
    ("lanes without constant_time", Planted, |secret| lanes(0.3, false, secret)),
    ("a batch of yes or no without constant_time", Planted, |secret| batch(false, secret)),
    ("packed yes or no without constant_time", Planted, |secret| packed(false, secret)),
    ("rows of 64 bits without constant_time", Planted, |secret| rows(64, 64, false, secret)),
    ("make_randomized_response_bool without constant_time", Planted, |secret| {
        answer(0.75, false, secret)
    }),
    ("make_randomized_response_bitvec without constant_time", Planted, |secret| {
        flips(130, 130, 0.3, false, secret)
    }),
    ("a branch on the answer", PlantedInAnswers, |secret| {
        let yes = draw(secret) & 1 == 1;
        branch(yes) ^ answer(0.75, true, secret)
    }),
    ("counting ones until there are too many", PlantedInAnswers, |secret| {
        let bits = secret_bits(130, secret);
        u64::from(bits.iter().filter(|&bit| bit).nth(100).is_some())
    }),
    ("a branch on Word::compare", PlantedInAnswers, |secret| {
        branch(draw(secret).compare(1 << 63).is_lt())
    }),
    ("a table read at a random index", PlantedInAnswers, |secret| {
        let table: [u64; 256] = black_box(core::array::from_fn(|i| i as u64));
        table[(draw(secret) & 255) as usize]
    }),
    ("a loop until a random bit is set", PlantedInAnswers, |secret| {
        let mut rounds = 0;
        while black_box(draw(secret)) & 1 == 0 {
            rounds += 1;
        }
        rounds
    }),
    ("a category looked up in its table", PlantedInAnswers, |secret| {
        let mechanism = make_randomized_response(0..1000u32, 0.7).expect("accepted parameters");
        let answer = (draw(secret) % 1000) as u32;
        let report = mechanism.randomize(&answer, secret).expect(ENDLESS);
        u64::from(report)
    }),
    ("Laplace noise on four numbers without constant time", Planted, |s| laplace_of_four(false, s)),
    ("clamping by a branch", PlantedInAnswers, |secret| {
        let sum = i128::from(draw(secret)) - (1 << 63);
        branch(sum > 100)
    }),
];

fn lanes(prob: f64, constant_time: bool, secret: &mut SecretWords) -> u64 {
    let law = Dyadic::from_float(prob).expect("a probability");
    let mut flips = [0; 32];
    secret::lanes(law, &mut flips, 2040, constant_time, secret);
    flips.iter().fold(0, |sum, flips| sum ^ flips)
}

fn yes_no(prob: f64, constant_time: bool) -> RandomizedResponseBool {
    make_randomized_response_bool(prob, constant_time).expect("a probability")
}

/// More answers than are flipped at once.
fn batch(constant_time: bool, secret: &mut SecretWords) -> u64 {
    let mut answers: Vec<bool> = (0..FLIPS * 64 + 70).map(|_| draw(secret) & 1 == 1).collect();
    secret::batch(&yes_no(0.7, constant_time), &mut answers, secret);
    answers.iter().fold(0, |sum, &report| sum << 1 ^ u64::from(report))
}

fn packed(constant_time: bool, secret: &mut SecretWords) -> u64 {
    let mut answers: Vec<u64> = (0..34).map(|_| draw(secret)).collect();
    secret::packed(&yes_no(0.7, constant_time), &mut answers, 33 * 64 + 6, secret);
    answers.iter().fold(0, |sum, word| sum ^ word)
}

fn bits(length: usize, weight: usize, f: f64, constant_time: bool) -> RandomizedResponseBitvec {
    let domain = BitVectorDomain::new(length).with_max_weight(weight);
    let mechanism = make_randomized_response_bitvec(domain, DiscreteDistance, f, constant_time);
    mechanism.expect("accepted parameters")
}

/// 34 vectors, all of them members: of the last word of each there is what the length leaves, and the first bit is a zero.
fn rows(length: usize, max_weight: usize, constant_time: bool, secret: &mut SecretWords) -> u64 {
    let words = length.div_ceil(64);
    let left = |i: usize| {
        if i % words == words - 1 { u64::MAX >> (64 * words - length) } else { u64::MAX - 1 }
    };
    let mut rows: Vec<u64> = (0..34 * words).map(|i| draw(secret) & left(i)).collect();
    secret::rows(&bits(length, max_weight, 0.7, constant_time), &mut rows, secret);
    rows.iter().fold(0, |sum, word| sum ^ word)
}

fn answer(prob: f64, constant_time: bool, secret: &mut SecretWords) -> u64 {
    let yes = draw(secret) & 1 == 1;
    secret::yes_no(&yes_no(prob, constant_time), yes, secret)
}

fn flips(
    length: usize,
    max_weight: usize,
    f: f64,
    constant_time: bool,
    secret: &mut SecretWords,
) -> u64 {
    let answer = secret_bits(length, secret);
    let report = secret::bits(&bits(length, max_weight, f, constant_time), &answer, secret);
    report.as_words().iter().fold(0, |sum, word| sum ^ word)
}

fn places<I: CategoryIndex>(t: u32, count: usize, secret: &mut SecretWords) -> u64 {
    let mechanism = make_randomized_response(0..t, 0.7).expect("accepted parameters");
    categories::<I>(&mechanism, count, secret)
}

/// Of places inside and outside the list.
fn categories<I: CategoryIndex>(
    mechanism: &RandomizedResponse<u32>,
    count: usize,
    secret: &mut SecretWords,
) -> u64 {
    // All bits of the type, and every other time few of them, so that places are inside the list too.
    let place = |i| draw(secret) as u32 >> if i % 2 == 0 { 0 } else { 30 };
    let mut answers: Vec<I> = (0..count).map(place).map(I::from_place).collect();
    secret::indices(mechanism, &mut answers, secret);
    answers.into_iter().fold(0, |sum, report| sum << 1 ^ u64::from(report.into()))
}

fn noise<I: SaturatingInt>(scale: f64, count: usize, secret: &mut SecretWords) -> u64 {
    let law = ConstantTimeLaplace::<I>::from_float(scale).expect("a scale");
    let mut numbers: Vec<I> =
        (0..count).map(|_| I::truncated(i128::from(draw(secret) as i64))).collect();
    secret::noise(&law, &mut numbers, secret);
    numbers.into_iter().fold(0, |sum, number| sum ^ Into::<i128>::into(number) as u64)
}

fn laplace_of_one() -> ScalarIntegerLaplaceCks20<i64> {
    let domain = AtomDomain::<i64>::all();
    make_scalar_integer_laplace_cks20(domain, AbsoluteDistance::new(), 3.0).expect("a scale")
}

fn laplace_of_four(constant_time: bool, secret: &mut SecretWords) -> u64 {
    let domain = VectorDomain::finite::<i32>().with_size(4);
    let noise = make_vector_integer_laplace_cks20(domain, L1Distance::new(), 3.0);
    let noise = noise.expect("a scale");
    let noise = if constant_time { noise.with_constant_time() } else { noise };
    let numbers: Vec<i32> = (0..4).map(|_| draw(secret) as i32).collect();
    let noisy = secret::numbers(&noise, &numbers, secret);
    noisy.into_iter().fold(0, |sum, number| sum ^ number as u64)
}

/// A bit vector of secret bits.
fn secret_bits(length: usize, secret: &mut SecretWords) -> BitVector {
    let words: Vec<u64> = (0..length.div_ceil(64)).map(|_| draw(secret)).collect();
    BitVector::from_packed(&words, 0, length).expect("as many words as it takes")
}

/// Words which are always the same, and which memcheck takes for undefined.
#[derive(Debug)]
pub(crate) struct SecretWords {
    state: u64,
    /// So many words before one that is zero, which samplers of integers reject.
    zero_after: Option<usize>,
    /// Whether what mechanisms draw is secret. Answers always are.
    are_words_secret: bool,
    /// How many answers there were, and how many words.
    answers: usize,
    words: usize,
}

impl Entropy for SecretWords {
    fn fill(&mut self, words: &mut [u64]) -> Sampled<()> {
        for word in words.iter_mut() {
            let left = self.zero_after;
            self.zero_after = left.and_then(|left| left.checked_sub(1));
            *word = if left == Some(0) { 0 } else { split_mix(&mut self.state) };
        }
        if self.are_words_secret {
            valgrind::mark_secret(words);
        }
        self.words += words.len();
        Ok(())
    }
}

/// An answer, or a word that a case looks at itself.
fn draw(secret: &mut SecretWords) -> u64 {
    let mut answer = [split_mix(&mut secret.state)];
    valgrind::mark_secret(&mut answer);
    secret.answers += 1;
    answer[0]
}

/// A real jump: the compiler cannot turn two different calls into a conditional move.
fn branch(condition: bool) -> u64 {
    #[inline(never)]
    fn one_way(x: u64) -> u64 {
        black_box(x)
    }
    #[inline(never)]
    fn other_way(x: u64) -> u64 {
        black_box(x + 1)
    }
    if condition { one_way(2) } else { other_way(4) }
}

/// Follows Steele, Lea and Flood, "Fast splittable pseudorandom number generators", figure 17.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// What the kernels ask the processor for.
fn has_vectors() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// What came of a case.
struct Found {
    /// How often memcheck finds that it depends on what is secret.
    decisions: usize,
    answers: usize,
    words: usize,
    /// Whether what comes out depends on it: else nothing went through.
    is_result_secret: bool,
}

/// Runs a case. Its result is made public without being looked at.
fn run(name: &str, run: Run, are_words_secret: bool) -> Found {
    // Where memcheck's log goes too.
    eprintln!("{name}:");
    let before = valgrind::error_count();
    let state = 0x243f_6a88_85a3_08d3;
    let mut secret =
        SecretWords { state, zero_after: None, are_words_secret, answers: 0, words: 0 };
    let mut result = [run(&mut secret)];
    let is_result_secret = valgrind::is_secret(&result);
    valgrind::mark_public(&mut result);
    black_box(result);
    let SecretWords { answers, words, .. } = secret;
    Found { decisions: valgrind::error_count() - before, answers, words, is_result_secret }
}

/// Runs a case with answers and words secret, then with answers alone, if it has both. Those that are right by mistake, since nothing secret comes
/// out, are said to be so.
fn check(name: &str, expected: Expected, run_it: Run) -> bool {
    let (all, answers) = match expected {
        Exactly { answers, words } => ((answers + words).to_string(), Some(answers.to_string())),
        Planted => ("some".to_owned(), None),
        PlantedInAnswers => ("some".to_owned(), Some("some".to_owned())),
    };
    let is_told = |found: &Found| {
        let is_secret = matches!(expected, Planted | PlantedInAnswers) || found.is_result_secret;
        if !is_secret {
            eprintln!("{name}: what comes out depends on nothing secret");
        }
        is_secret
    };
    let both = run(name, run_it, true);
    let mut is_right = is_told(&both);
    if both.words > 0 || both.answers == 0 || answers.is_none() {
        println!("{all}\t{}\t{name}", both.decisions);
    }
    if let Some(expected) = answers.filter(|_| both.answers > 0) {
        let alone = run(name, run_it, false);
        is_right &= is_told(&alone);
        println!("{expected}\t{}\t{name}, the answers alone", alone.decisions);
    }
    is_right
}

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("plain") => without_vectors(),
        // Whether they are there is asked under valgrind, which may hide what the processor has.
        Some("vectors") if has_vectors() => {}
        Some("vectors") => {
            eprintln!("the kernels for AVX2 are not run here");
            return ExitCode::from(2);
        }
        _ => {
            eprintln!("usage: deniable-constant-time plain|vectors, under valgrind");
            return ExitCode::from(2);
        }
    }
    if !valgrind::running_on_valgrind() {
        eprintln!("only memcheck can tell");
        return ExitCode::from(2);
    }
    let system: &[_] = {
        #[cfg(feature = "std")]
        {
            system::CASES
        }
        #[cfg(not(feature = "std"))]
        {
            &[]
        }
    };
    // A planted mistake: nothing secret comes out, and that is seen.
    let mut is_right = !run("nothing secret", |_| 7, true).is_result_secret;
    for &(name, expected, run) in CASES.iter().chain(system) {
        is_right &= check(name, expected, run);
    }
    // So that it is there to be looked at.
    black_box(secret::planted::division(black_box(7)));
    black_box(secret::planted::of_two_words(black_box(7)));
    if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
