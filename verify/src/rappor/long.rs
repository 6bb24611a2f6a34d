//! How long a long list takes, and how much memory.

use std::fs;
use std::time::Instant;

use deniable::estimate::Target;
use deniable::rappor::decode::{Share, decode};
use deniable::rappor::{CandidateMap, Params};

use super::simulate::{Binomial, Words, simulate};

const CANDIDATES: usize = 10_000;
const RESPONDENTS: u64 = 20_000_000;
const MOST_SECONDS: f64 = 10.0;
const MOST_KIB: u64 = 1 << 20;

/// 10 000 candidates over 128 cohorts of 128 bits, of which different numbers occur.
pub(super) fn measure() -> Vec<String> {
    let params = Params::new(128, 2, 128, 0.25, 0.75, 0.5).expect("parameters");
    let mut words = Words::new(1);
    let start = Instant::now();
    let names = (0..CANDIDATES).map(|i| format!("candidate {i}"));
    let candidates = CandidateMap::new(&params, names).expect("candidates");
    println!("bits of {CANDIDATES} candidates: {:.2} s", start.elapsed().as_secs_f64());
    let binomial = Binomial::new(RESPONDENTS);
    let mut findings = Vec::new();
    for occurring in [100, 1000, 3000] {
        let count = |i: usize| if i < occurring { RESPONDENTS / occurring as u64 } else { 0 };
        let strings: Vec<_> =
            (0..occurring).map(|i| (count(i), candidates.rows_of(i).collect())).collect();
        let counts = simulate(&params, &strings, &binomial, &mut words);
        let start = Instant::now();
        let decoded = decode(&params, &counts, &candidates).expect("decodable");
        let seconds = start.elapsed().as_secs_f64();
        let n = counts.reports() as f64;
        let holds = |(i, share): (usize, Share)| {
            let interval = share.interval(Target::Sample, 0.95).expect("a confidence");
            interval.contains(count(i) as f64 / n)
        };
        let covered = decoded.iter().enumerate().filter(|&(i, share)| holds((i, share))).count();
        let selected = decoded.selected().map_or([0; 2], |both| [both[0].len(), both[1].len()]);
        println!(
            "{occurring} occur: {seconds:.2} s, selected {selected:?}, detected {}, covered {:.4}",
            decoded.detected(0.05).expect("a level").len(),
            covered as f64 / CANDIDATES as f64,
        );
        if seconds > MOST_SECONDS {
            findings.push(format!("{occurring} occur: {seconds:.1} s"));
        }
    }
    match peak() {
        Some(kib) => println!("{} MiB at most, with the simulator's", kib / 1024),
        None => println!("memory: not known on this system"),
    }
    findings.extend(peak().filter(|&kib| kib > MOST_KIB).map(|kib| format!("{kib} KiB")));
    findings
}

/// The most memory that this process had, in KiB.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
