//! Every `f32` through the unary functions.

use std::{
    io::IsTerminal as _,
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use crate::{
    enclosure::{by_mpfr, decide, worst_error},
    function::{Args, Function, ask},
    oracle::Oracle,
    tally::{Tally, in_parallel},
};

/// Bit patterns of `f32`.
const PATTERNS: u64 = 1 << 32;
/// Bit patterns that a thread takes at a time.
const BLOCK: u64 = 1 << 22;
/// Arguments at which the enclosure is itself compared with MPFR.
const SPOT_CHECKS: u64 = 1_000_000;
/// The relative error of the `f64` functions that their documentation allows, twice over. The margin
/// of the enclosure is 64 times this.
const DOCUMENTED_ERROR: f64 = 2.0 / (1u64 << 52) as f64;

/// Asks for every `stride`-th bit pattern; whether nothing was wrong.
pub fn run(only: Option<Function>, stride: u64) -> bool {
    let mut is_clean = true;
    for function in Function::UNARY.into_iter().filter(|f| only.is_none_or(|only| only == *f)) {
        is_clean &= run_one(function, stride);
    }
    is_clean
}

fn run_one(function: Function, stride: u64) -> bool {
    let worst = worst_error(function, SPOT_CHECKS);
    println!(
        "{:<8} f32  f64 enclosure: worst error {:.2} · 2^-52",
        function.name(),
        worst * 2f64.powi(52)
    );
    let start = Instant::now();
    let next_block = AtomicU64::new(0);
    let parts = in_parallel(|_| part(function, stride, &next_block, start));
    let asked_mpfr: u64 = parts.iter().map(|(_, asked)| asked).sum();
    let tally = parts.into_iter().map(|(t, _)| t).reduce(Tally::merge).expect("a thread");
    println!(
        "{:<8} f32  {} cases, {} unsafe, {} too far, {} other, slack {}, {} by MPFR, {:.1} seconds",
        function.name(),
        tally.cases,
        tally.unsafe_side,
        tally.too_far,
        tally.other,
        tally.slack,
        asked_mpfr,
        start.elapsed().as_secs_f64()
    );
    tally.shown.iter().for_each(|line| println!("  {line}"));
    tally.violations() == 0 && worst <= DOCUMENTED_ERROR
}

fn part(function: Function, stride: u64, next_block: &AtomicU64, start: Instant) -> (Tally, u64) {
    let mut tally = Tally::default();
    let mut oracle = Oracle::new::<f32>();
    let mut asked_mpfr = 0;
    loop {
        let from = next_block.fetch_add(BLOCK, Ordering::Relaxed);
        if from >= PATTERNS {
            return (tally, asked_mpfr);
        }
        let first = from.next_multiple_of(stride);
        for bits in (first..from + BLOCK).step_by(stride as usize) {
            let args = Args::unary(f32::from_bits(bits as u32));
            let expected = decide(function, args.x).unwrap_or_else(|| {
                asked_mpfr += 1;
                by_mpfr(&mut oracle, function, args.x)
            });
            tally.record(function, &args, &expected, &ask(function, &args));
        }
        show_progress(function, from, start);
    }
}

/// A line that overwrites itself, for someone who watches.
fn show_progress(function: Function, from: u64, start: Instant) {
    if (from / BLOCK).is_multiple_of(16) && std::io::stderr().is_terminal() {
        let (percent, seconds) = (100 * from / PATTERNS, start.elapsed().as_secs());
        eprint!("\r{:<8} {percent:>3} % {seconds} s \r", function.name());
    }
}
