//! Constant time, checked by memcheck on the shipping machine code.
//!
//! A sampler runs on random words that memcheck takes for undefined. Any jump and any address that
//! depends on them is reported. Not covered: instructions whose own duration depends on their operands
//! (divisions), and what another compiler or other flags would make of the source.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use deniable::prelude::*;
use deniable_sample::{
    Dyadic, Entropy, FLIPS, Result as Sampled, Scratch, Word, sample_bernoulli_float,
};

use crate::backend::valgrind;

/// What must run in constant time. Returns anything that depends on all of the output.
const CONSTANT_TIME: &[(&str, Run)] = &[
    ("no randomness at all", |_| 7),
    ("Word::below_and_equal", |secret| {
        let (below, equal) = draw(secret).below_and_equal(0x8000_0000_0000_0001);
        below << 1 | equal
    }),
    ("sample_bernoulli_float of one word", |secret| bernoulli(0.3, true, secret)),
    ("sample_bernoulli_float of one bit", |secret| bernoulli(0.5, true, secret)),
    ("sample_bernoulli_float of 17 words", |secret| bernoulli(1e-310, true, secret)),
    ("half of the smallest float", |secret| {
        let half = Dyadic::from_float(5e-324).expect("a probability").half();
        u64::from(half.sample(true, secret).expect("there is no end to these words"))
    }),
    ("lanes of one place", |secret| lanes(0.5, true, secret)),
    ("lanes of 1074 places", |secret| lanes(5e-324, true, secret)),
    ("a batch of yes or no", |secret| batch(true, secret)),
    ("packed yes or no", |secret| packed(true, secret)),
    ("rows of bits", |secret| rows(true, secret)),
    ("make_randomized_response_bool of one word", |secret| answer(0.75, true, secret)),
    ("make_randomized_response_bool of 53 places", |secret| {
        answer(f64::from_bits(0.5f64.to_bits() + 1), true, secret)
    }),
    ("make_randomized_response_bitvec of three words", |secret| flips(130, 130, 0.3, true, secret)),
    ("make_randomized_response_bitvec of one bit", |secret| flips(1, 1, 1e-310, true, secret)),
    ("the weight of a bit vector", |secret| secret_bits(130, secret).count_ones() as u64),
];

/// What is constant time but for one decision that is not secret: whether the input is a member of the domain.
const MEMBERSHIP: &[(&str, Run)] =
    &[("make_randomized_response_bitvec with a max_weight", |secret| {
        flips(130, 100, 0.3, true, secret)
    })];

/// Mistakes that the check must find, or it is worth nothing.
const PLANTED: &[(&str, Run)] = &[
    ("a branch on a random bit", |secret| branch(draw(secret) & 1 == 1)),
    ("sample_bernoulli_float without constant_time", |secret| bernoulli(1e-310, false, secret)),
    ("lanes without constant_time", |secret| lanes(0.3, false, secret)),
    ("a batch of yes or no without constant_time", |secret| batch(false, secret)),
    ("packed yes or no without constant_time", |secret| packed(false, secret)),
    ("rows of bits without constant_time", |secret| rows(false, secret)),
    ("make_randomized_response_bool without constant_time", |secret| answer(0.75, false, secret)),
    ("make_randomized_response_bitvec without constant_time", |secret| {
        flips(130, 130, 0.3, false, secret)
    }),
    ("a branch on the answer", |secret| {
        let yes = draw(secret) & 1 == 1;
        branch(yes) ^ answer(0.75, true, secret)
    }),
    ("counting ones until there are too many", |secret| {
        let bits = secret_bits(130, secret);
        u64::from(bits.iter().filter(|&bit| bit).nth(100).is_some())
    }),
    ("a branch on Word::compare", |secret| branch(draw(secret).compare(1 << 63).is_lt())),
    ("a table read at a random index", |secret| {
        let table: [u64; 256] = core::hint::black_box(core::array::from_fn(|i| i as u64));
        table[(draw(secret) & 255) as usize]
    }),
    ("a loop until a random bit is set", |secret| {
        let mut rounds = 0;
        while core::hint::black_box(draw(secret)) & 1 == 0 {
            rounds += 1;
        }
        rounds
    }),
];

fn bernoulli(prob: f64, constant_time: bool, secret: &mut SecretWords) -> u64 {
    let outcome = sample_bernoulli_float(prob, constant_time, secret);
    u64::from(outcome.expect("there is no end to these words"))
}

fn lanes(prob: f64, constant_time: bool, secret: &mut SecretWords) -> u64 {
    let law = Dyadic::from_float(prob).expect("a probability");
    let mut flips = [0; 32];
    let drawn = law.sample_flips(&mut flips, 2040, constant_time, &mut Scratch::new(), secret);
    drawn.expect("there is no end to these words");
    flips.iter().fold(0, |sum, flips| sum ^ flips)
}

/// More answers than are flipped at once.
fn batch(constant_time: bool, secret: &mut SecretWords) -> u64 {
    let mechanism = make_randomized_response_bool(0.7, constant_time).expect("a probability");
    let answers: Vec<bool> = (0..FLIPS * 64 + 70).map(|_| draw(secret) & 1 == 1).collect();
    let reports = mechanism.invoke_batch_from(&answers, secret);
    let reports = reports.expect("there is no end to these words");
    reports.iter().fold(0, |sum, &report| sum << 1 ^ u64::from(report))
}

fn packed(constant_time: bool, secret: &mut SecretWords) -> u64 {
    let mechanism = make_randomized_response_bool(0.7, constant_time).expect("a probability");
    let mut answers: Vec<u64> = (0..34).map(|_| draw(secret)).collect();
    let reports = mechanism.randomize_packed(&mut answers, 33 * 64 + 6, secret);
    reports.expect("there is no end to these words");
    answers.iter().fold(0, |sum, word| sum ^ word)
}

/// Vectors of 64 bits: all of them are members, and none has bits behind its last one.
fn rows(constant_time: bool, secret: &mut SecretWords) -> u64 {
    let domain = BitVectorDomain::new(64).with_max_weight(64);
    let mechanism = make_randomized_response_bitvec(domain, DiscreteDistance, 0.7, constant_time);
    let mut rows: Vec<u64> = (0..34).map(|_| draw(secret)).collect();
    let reports = mechanism.expect("accepted parameters").randomize_rows(&mut rows, secret);
    reports.expect("there is no end to these words");
    rows.iter().fold(0, |sum, word| sum ^ word)
}

fn answer(prob: f64, constant_time: bool, secret: &mut SecretWords) -> u64 {
    let mechanism = make_randomized_response_bool(prob, constant_time).expect("a probability");
    let yes = draw(secret) & 1 == 1;
    u64::from(mechanism.invoke_from(&yes, secret).expect("there is no end to these words"))
}

fn flips(
    length: usize,
    max_weight: usize,
    f: f64,
    constant_time: bool,
    secret: &mut SecretWords,
) -> u64 {
    let domain = BitVectorDomain::new(length).with_max_weight(max_weight);
    let mechanism = make_randomized_response_bitvec(domain, DiscreteDistance, f, constant_time);
    let bits = secret_bits(length, secret);
    let report = mechanism.expect("accepted parameters").invoke_from(&bits, secret);
    report.expect("a member of the domain").as_words().iter().fold(0, |sum, word| sum ^ word)
}

/// A bit vector of secret bits.
fn secret_bits(length: usize, secret: &mut SecretWords) -> BitVector {
    let words: Vec<u64> = (0..length.div_ceil(64)).map(|_| draw(secret)).collect();
    BitVector::from_packed(&words, 0, length).expect("as many words as it takes")
}

/// One check: draws, computes, and returns what was computed.
pub type Run = fn(&mut SecretWords) -> u64;

/// `verify constant-time [--require]`.
///
/// # Errors
///
/// What leaks and should not, or leaks and was not found; with `--require` also that there is no
/// valgrind to check with.
pub fn command(_root: &Path, arguments: &[String]) -> Result<ExitCode, Vec<String>> {
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [INSIDE] if valgrind::running_on_valgrind() => run_all(),
        [INSIDE] => Err(vec!["valgrind does not answer on this kind of machine".into()]),
        [] | ["--require"] if is_available() => run_inside(),
        [] => {
            println!("skipped: this needs valgrind on x86_64");
            Ok(ExitCode::SUCCESS)
        }
        ["--require"] => Err(vec!["this needs valgrind on x86_64".into()]),
        _ => Err(vec!["usage: constant-time [--require]".into()]),
    }
}

/// How often memcheck finds that running `f` depends on the words it draws. The result is made public
/// without being looked at.
///
/// # Panics
///
/// Outside valgrind, where nothing would ever be found.
pub fn leaks<R: Into<u64>>(name: &str, f: impl FnOnce(&mut SecretWords) -> R) -> usize {
    assert!(valgrind::running_on_valgrind(), "only memcheck can tell");
    // Where memcheck's log goes too.
    eprintln!("{name}:");
    let before = valgrind::error_count();
    let mut result = [f(&mut SecretWords::new()).into()];
    valgrind::mark_public(&mut result);
    core::hint::black_box(result);
    valgrind::error_count() - before
}

/// Words which are always the same, and which memcheck takes for undefined.
#[derive(Debug)]
pub struct SecretWords {
    state: u64,
}

impl SecretWords {
    /// The words from their start.
    #[expect(clippy::new_without_default, reason = "no state of a generator is the natural one")]
    pub fn new() -> Self {
        SecretWords { state: 0x243f_6a88_85a3_08d3 }
    }
}

impl Entropy for SecretWords {
    fn fill(&mut self, words: &mut [u64]) -> Sampled<()> {
        for word in words.iter_mut() {
            *word = split_mix(&mut self.state);
        }
        valgrind::mark_secret(words);
        Ok(())
    }
}

const INSIDE: &str = "--inside-valgrind";

fn is_available() -> bool {
    let quiet =
        |command: &mut Command| command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    cfg!(target_arch = "x86_64")
        && quiet(Command::new("valgrind").arg("--version")).is_ok_and(|status| status.success())
}

/// Starts this program again under memcheck. The planted mistakes fill its log, so that the log is shown
/// only when something went wrong.
fn run_inside() -> Result<ExitCode, Vec<String>> {
    let failed = |error| vec![format!("valgrind: {error}")];
    let output = Command::new("valgrind")
        .args([
            "-q",
            "--tool=memcheck",
            "--error-exitcode=0",
            "--error-limit=no",
            "--leak-check=no",
        ])
        .args(["--expensive-definedness-checks=yes", "--"])
        .arg(std::env::current_exe().map_err(failed)?)
        .args(["constant-time", INSIDE])
        .stdout(Stdio::inherit())
        .output()
        .map_err(failed)?;
    if output.status.success() {
        return Ok(ExitCode::SUCCESS);
    }
    Err(vec![String::from_utf8_lossy(&output.stderr).into_owned()])
}

fn run_all() -> Result<ExitCode, Vec<String>> {
    let mut findings = Vec::new();
    for (cases, expected) in
        [(PLANTED, 1..=usize::MAX), (CONSTANT_TIME, 0..=0), (MEMBERSHIP, 1..=1)]
    {
        for &(name, run) in cases {
            let found = leaks(name, run);
            println!("{name}: {found} decisions on secret bits");
            if !expected.contains(&found) {
                findings.push(format!("{name}: expected {expected:?} decisions, found {found}"));
            }
        }
    }
    if findings.is_empty() { Ok(ExitCode::SUCCESS) } else { Err(findings) }
}

fn draw(secret: &mut SecretWords) -> u64 {
    secret.word().expect("these words never run out")
}

/// A real jump: the compiler cannot turn two different calls into a conditional move.
fn branch(condition: bool) -> u64 {
    #[inline(never)]
    fn one_way(x: u64) -> u64 {
        core::hint::black_box(x)
    }
    #[inline(never)]
    fn other_way(x: u64) -> u64 {
        core::hint::black_box(x + 1)
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
