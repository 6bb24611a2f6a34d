//! The errors of estimates, ours and those of two Python libraries, on the same simulated answers.

use deniable::estimate::{BitCounts, FrequencyOracle};
use deniable::plan::{self, Candidate, Oracle};
use deniable::prelude::*;

use crate::plain::Xoshiro;
use crate::python::Python;

const K: usize = 128;
const RESPONDENTS: usize = 10_000;
/// With so many, the mean error of 128 values is known to about a percent.
const REPEATS: usize = 100;
/// Theirs take their time.
const THEIR_REPEATS: usize = 3;

/// Prints n times the mean squared error of a share.
pub fn print() {
    let (answers, mut python) = (answers(), Python::start(include_str!("errors.py")));
    println!(
        "\n| ε | oracle | theory | ours | ours, consistent | pure-ldp | multi-freq-ldpy (clipped, scaled) |"
    );
    println!("|---|---|---|---|---|---|---|");
    for epsilon in [0.5, 1.0, 2.0, 4.0] {
        let all = plan::candidates(K, Epsilon::new(epsilon).expect("a number"));
        let mut all = all.expect("an ε of mechanisms");
        all.sort_by(|a, b| a.variance().total_cmp(&b.variance()));
        for candidate in all {
            let Some(name) = name(candidate.oracle()) else { continue };
            let (raw, consistent) = ours(&candidate, &answers);
            let theory = theory(&candidate, &answers);
            let mut other = |library| {
                let python = python.as_mut();
                let error = python.and_then(|p| theirs(p, library, name, epsilon, &answers));
                error.map_or("–".to_owned(), |error| format!("{error:.3}"))
            };
            let (pure, multi) = (other("pure-ldp"), other("multi-freq-ldpy"));
            println!(
                "| {epsilon} | {name} | {theory:.3} | {raw:.3} | {consistent:.3} | {pure} | {multi} |"
            );
        }
    }
}

fn name(oracle: Oracle) -> Option<&'static str> {
    match oracle {
        Oracle::RandomizedResponse { .. } => Some("GRR"),
        Oracle::OptimizedUnaryEncoding { .. } => Some("OUE"),
        Oracle::SubsetSelection { .. } => Some("SS"),
        Oracle::LocalHashing { .. } => Some("OLH"),
        _ => None,
    }
}

/// Answer number i is i times as rare as the first.
fn answers() -> Vec<u32> {
    let weights: Vec<f64> = (1..=K).map(|i| 1.0 / i as f64).collect();
    let total: f64 = weights.iter().sum();
    let mut generator = Xoshiro::new();
    let mut answer = || {
        let mut rest = generator.uniform() * total;
        let place = weights.iter().position(|weight| {
            rest -= weight;
            rest < 0.0
        });
        place.unwrap_or(K - 1) as u32
    };
    (0..RESPONDENTS).map(|_| answer()).collect()
}

fn shares(answers: &[u32]) -> Vec<f64> {
    let mut shares = vec![0.0; K];
    answers.iter().for_each(|&answer| shares[answer as usize] += 1.0 / answers.len() as f64);
    shares
}

/// The mean over the values of n times the variance.
fn theory(candidate: &Candidate, answers: &[u32]) -> f64 {
    let error = |&share: &f64| {
        let channel = candidate.channel();
        let error = channel.standard_error(share, 1, deniable::estimate::Target::Sample);
        error.expect("a share").powi(2)
    };
    shares(answers).iter().map(error).sum::<f64>() / K as f64
}

fn ours(candidate: &Candidate, answers: &[u32]) -> (f64, f64) {
    const RIGHT: &str = "parameters of a plan";
    let categories = 0..K as u32;
    match candidate.oracle() {
        Oracle::RandomizedResponse { prob } => {
            errors(&make_randomized_response(categories, prob).expect(RIGHT), answers)
        }
        Oracle::OptimizedUnaryEncoding { one, zero } => {
            errors(&make_unary_encoding(categories, one, zero).expect(RIGHT), answers)
        }
        Oracle::SubsetSelection { size, prob } => {
            errors(&make_subset_selection(categories, size, prob).expect(RIGHT), answers)
        }
        Oracle::LocalHashing { buckets, prob } => {
            errors(&make_local_hashing(categories, buckets, prob).expect(RIGHT), answers)
        }
        other => unreachable!("{other} has no name"),
    }
}

/// Of the unbiased shares and of the consistent ones.
fn errors<M>(mechanism: &M, answers: &[u32]) -> (f64, f64)
where
    M: FrequencyOracle<Domain = CategoryDomain<u32>>,
{
    let truth = shares(answers);
    let error = |shares: &[f64]| {
        let squares = shares.iter().zip(&truth).map(|(share, truth)| (share - truth).powi(2));
        squares.sum::<f64>() * answers.len() as f64 / K as f64
    };
    let mut sums = (0.0, 0.0);
    for _ in 0..REPEATS {
        let reports = mechanism.invoke_batch(answers).expect("entropy");
        let mut counts = BitCounts::new(K);
        mechanism.count(&reports, &mut counts).expect("its reports");
        let estimates = mechanism.estimate(&counts).expect("its counts");
        let raw: Vec<f64> = estimates.iter().map(|estimate| estimate.share()).collect();
        sums.0 += error(&raw);
        sums.1 += error(&estimates.consistent().expect("one answer each"));
    }
    (sums.0 / REPEATS as f64, sums.1 / REPEATS as f64)
}

/// The error of another library, if Python has it.
fn theirs(
    python: &mut Python,
    library: &str,
    oracle: &str,
    epsilon: f64,
    answers: &[u32],
) -> Option<f64> {
    let answers = answers.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    python.ask(&format!("{library} {oracle} {epsilon} {K} {THEIR_REPEATS} {answers}"))
}
