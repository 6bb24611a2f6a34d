//! Stratified cases of every function.

use std::time::Instant;

use crate::{
    function::{Answer, Args, Function, ask},
    judge::is_monotone,
    number::Number,
    oracle::Oracle,
    strata,
    tally::{THREADS, Tally, in_parallel},
};

/// Every so many cases of a monotone function, the next number is asked as well. It has no common
/// factor with the number of strata, so that all of them are met.
const NEIGHBOUR_EVERY: u64 = 13;

/// Runs `count` cases of each function, or of the named one; whether nothing was wrong.
pub fn run(count: u64, only: Option<Function>) -> bool {
    println!(
        "{:<8} {:<4} {:>10} {:>7} {:>8} {:>6} {:>6} {:>10} {:>9} {:>8} {:>7}",
        "function",
        "type",
        "cases",
        "unsafe",
        "too far",
        "other",
        "slack",
        "with slack",
        "pairs",
        "disorder",
        "seconds"
    );
    let mut is_clean = true;
    for function in Function::ALL {
        if only.is_some_and(|only| only != function) {
            continue;
        }
        is_clean &= run_one::<f64>(function, count);
        // The unary functions are swept over all of f32 instead.
        if !Function::UNARY.contains(&function) {
            is_clean &= run_one::<f32>(function, count);
        }
    }
    is_clean
}

fn run_one<F: Number>(function: Function, count: u64) -> bool {
    let start = Instant::now();
    let tally = in_parallel(|thread| part::<F>(function, count, thread, ask))
        .into_iter()
        .reduce(Tally::merge)
        .expect("at least one thread");
    println!(
        "{:<8} {:<4} {:>10} {:>7} {:>8} {:>6} {:>6} {:>10} {:>9} {:>8} {:>7.1}",
        function.name(),
        F::NAME,
        tally.cases,
        tally.unsafe_side,
        tally.too_far,
        tally.other,
        tally.slack,
        tally.slack_count,
        tally.pairs,
        tally.not_monotone,
        start.elapsed().as_secs_f64()
    );
    tally.shown.iter().for_each(|line| println!("  {line}"));
    tally.violations() == 0
}

/// Runs the cases of one thread, and judges what `implementation` answers.
///
/// The run passes the crate under test; tests pass implementations with a planted mistake.
pub fn part<F: Number>(
    function: Function,
    count: u64,
    thread: u64,
    implementation: impl Fn(Function, &Args<F>) -> Answer<F>,
) -> Tally {
    let mut tally = Tally::default();
    let mut oracle = Oracle::new::<F>();
    for index in (thread..count).step_by(THREADS as usize) {
        let args = strata::case::<F>(function, index);
        let got = implementation(function, &args);
        tally.record(function, &args, &oracle.answer(function, &args), &got);
        if index % NEIGHBOUR_EVERY == 0 && has_direction(function, &args) {
            let above = implementation(function, &Args { x: args.x.next_up(), ..args });
            let is_falling = function == Function::Powi && args.n < 0;
            let (low, high) = if is_falling { (above, got) } else { (got, above) };
            tally.record_pair(is_monotone(&low, &high), || {
                let at = args.show(function);
                format!("{} {} ({at}): out of order with the next", function.name(), F::NAME)
            });
        }
    }
    tally
}

/// Whether the function rises, or falls, all the way from `args.x` upwards.
fn has_direction<F: Number>(function: Function, args: &Args<F>) -> bool {
    function.is_transcendental() || function == Function::Powi && args.x > F::ZERO
}
