//! What is found on a long list, how long it takes, and how much memory.

use std::fs;

use deniable::estimate::Target;
use deniable::rappor::decode::{Decoded, decode};
use deniable::rappor::{CandidateMap, Params};

use super::law::{Power, fewest, most, noise_alone};
use super::simulate::{Binomial, Words, simulate};
use crate::backend::usage;

const CANDIDATES: usize = 10_000;
const RESPONDENTS: u64 = 20_000_000;
/// How many candidates occur.
const SIZES: [usize; 3] = [100, 1000, 3000];
/// Seconds on a processor: of a machine that has other things to do, a clock tells nothing.
const MOST_SECONDS: f64 = 10.0;
const MOST_KIB: u64 = 1 << 20;
/// The level of detection, and what 95 % intervals miss.
const LEVEL: f64 = 0.05;
/// What an interval misses of a share of 0, behind which it is cut off on one side.
const MISSED_AT_ZERO: f64 = 0.025;
/// A good decoder falls short of any floor with a probability of at most this, if estimates do not depend on each other (they hardly do) and words are drawn anew. (They are not.)
const FALSE_ALARM: f64 = 1e-9;
/// The numbers that are judged, of each size.
const JUDGED: f64 = 5.0;
/// Errors may be so many times those that noise alone makes, since not all candidates that occur are in the fit; 1.05, 1.28 and 1.16 were measured.
const NOISE: [f64; 3] = [1.1, 1.3, 1.25];

/// What was found of one size.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Found {
    /// Which of [`SIZES`].
    size: usize,
    /// Of those that occur: detected; with a p-value of at most [`LEVEL`]; held by their intervals.
    detected: u64,
    suspected: u64,
    covered: u64,
    /// Of the others.
    suspected_wrongly: u64,
    covered_at_zero: u64,
    /// Seconds on a processor.
    seconds: f64,
}

/// 10 000 candidates over 128 cohorts of 128 bits, of which different numbers occur.
pub(super) fn measure() -> Vec<String> {
    let params = params();
    let mut words = Words::new(1);
    let start = usage::processor();
    let names = (0..CANDIDATES).map(|i| format!("candidate {i}"));
    let candidates = CandidateMap::new(&params, names).expect("candidates");
    println!("bits of {CANDIDATES} candidates: {:.2} s", usage::processor() - start);
    let binomial = Binomial::new(RESPONDENTS);
    let mut findings = Vec::new();
    for (size, occurring) in SIZES.into_iter().enumerate() {
        let strings: Vec<_> =
            (0..occurring).map(|i| (each(size), candidates.rows_of(i).collect())).collect();
        let counts = simulate(&params, &strings, &binomial, &mut words);
        let start = usage::processor();
        let decoded = decode(&params, &counts, &candidates).expect("decodable");
        let found = Found::new(size, &decoded, usage::processor() - start);
        print(&found, &decoded);
        findings.extend(judge(&found));
    }
    let peak = peak();
    match peak {
        Some(kib) => println!("{} MiB at most, with the simulator's", kib / 1024),
        None => println!("memory: not known on this system"),
    }
    findings.extend(judge_memory(peak));
    findings
}

fn params() -> Params {
    Params::new(128, 2, 128, 0.25, 0.75, 0.5).expect("parameters")
}

/// How many respondents have each candidate that occurs.
fn each(size: usize) -> u64 {
    RESPONDENTS / SIZES[size] as u64
}

impl Found {
    fn new(size: usize, decoded: &Decoded, seconds: f64) -> Self {
        let occurs = |i: usize| i < SIZES[size];
        let total = decoded.respondents() as f64;
        let mut found = Found {
            size,
            detected: 0,
            suspected: 0,
            covered: 0,
            suspected_wrongly: 0,
            covered_at_zero: 0,
            seconds,
        };
        let detected = decoded.detected(LEVEL).expect("a level");
        found.detected = detected.into_iter().filter(|&i| occurs(i)).count() as u64;
        for (i, share) in decoded.iter().enumerate() {
            let (suspected, covered, truth) = match occurs(i) {
                true => (&mut found.suspected, &mut found.covered, each(size) as f64 / total),
                false => (&mut found.suspected_wrongly, &mut found.covered_at_zero, 0.0),
            };
            let interval = share.interval(Target::Sample, 1.0 - LEVEL).expect("a confidence");
            *suspected += u64::from(share.p_value() <= LEVEL);
            *covered += u64::from(interval.contains(truth));
        }
        found
    }
}

fn print(found: &Found, decoded: &Decoded) {
    let (floors, occurring) = (Floors::new(found.size), SIZES[found.size]);
    let selected = decoded.selected().map_or([0; 2], |both| [both[0].len(), both[1].len()]);
    let noise = noise_alone(&params(), RESPONDENTS);
    let errors = decoded.iter().map(|share| share.standard_error(Target::Sample));
    println!(
        "{occurring} occur: {:.2} s, selected {selected:?}, errors {:.3} times those of noise alone",
        found.seconds,
        errors.sum::<f64>() / CANDIDATES as f64 / noise,
    );
    println!(
        "  of those that occur {} detected (at least {}), {} suspected ({}), {} covered ({})",
        found.detected,
        floors.detected,
        found.suspected,
        floors.suspected,
        found.covered,
        floors.covered,
    );
    println!(
        "  of the others {} suspected (at most {}), {} covered (at least {})",
        found.suspected_wrongly,
        floors.suspected_wrongly,
        found.covered_at_zero,
        floors.covered_at_zero,
    );
}

/// What is demanded of [`Found`].
struct Floors {
    detected: u64,
    suspected: u64,
    covered: u64,
    suspected_wrongly: u64,
    covered_at_zero: u64,
}

impl Floors {
    /// By binomial laws, as each candidate is found or not, held or not.
    fn new(size: usize) -> Self {
        let alpha = FALSE_ALARM / (JUDGED * SIZES.len() as f64);
        let (occurring, candidates) = (SIZES[size] as u64, CANDIDATES as u64);
        let error = NOISE[size] * noise_alone(&params(), RESPONDENTS);
        let signal = 1.0 / occurring as f64 / error;
        let power = Power { occurring, signal, candidates, alpha };
        let others = candidates - occurring;
        Floors {
            detected: power.detected(LEVEL),
            suspected: power.suspected(LEVEL),
            covered: fewest(occurring, 1.0 - LEVEL, alpha),
            suspected_wrongly: most(others, LEVEL, alpha),
            covered_at_zero: fewest(others, 1.0 - MISSED_AT_ZERO, alpha),
        }
    }
}

/// Where it falls short.
fn judge(found: &Found) -> Vec<String> {
    let floors = Floors::new(found.size);
    let mut findings = Vec::new();
    let mut demand = |is_met: bool, what: String| {
        if !is_met {
            findings.push(format!("{} occur: {what}", SIZES[found.size]));
        }
    };
    demand(found.detected >= floors.detected, format!("{} detected", found.detected));
    demand(found.suspected >= floors.suspected, format!("{} suspected", found.suspected));
    demand(found.covered >= floors.covered, format!("{} covered", found.covered));
    let wrongly = found.suspected_wrongly;
    demand(wrongly <= floors.suspected_wrongly, format!("{wrongly} others suspected"));
    let covered = found.covered_at_zero;
    demand(covered >= floors.covered_at_zero, format!("{covered} others covered"));
    demand(found.seconds <= MOST_SECONDS, format!("{:.1} s", found.seconds));
    findings
}

/// Memory that is not known is not little.
fn judge_memory(peak: Option<u64>) -> Option<String> {
    match peak {
        Some(kib) if kib <= MOST_KIB => None,
        Some(kib) => Some(format!("{kib} KiB")),
        None => Some("how much memory it took is not known on this system".to_owned()),
    }
}

/// The most memory that this process had, in KiB.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the decoder as it is.
    const MEASURED: [Found; 3] = [
        Found {
            size: 0,
            detected: 100,
            suspected: 100,
            covered: 94,
            suspected_wrongly: 465,
            covered_at_zero: 9657,
            seconds: 1.8,
        },
        Found {
            size: 1,
            detected: 305,
            suspected: 814,
            covered: 955,
            suspected_wrongly: 408,
            covered_at_zero: 8783,
            seconds: 2.0,
        },
        Found {
            size: 2,
            detected: 0,
            suspected: 721,
            covered: 2856,
            suspected_wrongly: 292,
            covered_at_zero: 6853,
            seconds: 1.8,
        },
    ];

    /// What the decoder found, and each number of it as a mistake would make it.
    #[test]
    fn what_falls_short_is_found() {
        for found in MEASURED {
            assert_eq!(judge(&found), [""; 0]);
            let size = found.size;
            let floors = Floors::new(size);
            let mut planted = vec![
                (Found { suspected: floors.suspected - 1, ..found }, "suspected"),
                (Found { covered: floors.covered - 1, ..found }, "covered"),
                (Found { suspected_wrongly: floors.suspected_wrongly + 1, ..found }, "others"),
                (Found { covered_at_zero: floors.covered_at_zero - 1, ..found }, "others"),
                (Found { seconds: 10.1, ..found }, "10.1 s"),
                // Nothing, as of a decoder that says that all shares are 0; all.
                (Found { suspected: 0, covered: 0, ..found }, "suspected"),
                (Found { suspected_wrongly: 9000, ..found }, "others"),
            ];
            // Of 3000 of so small shares a good decoder may detect none.
            if let Some(fewer) = floors.detected.checked_sub(1) {
                planted.push((Found { detected: fewer, ..found }, "detected"));
            }
            for (mistake, what) in planted {
                let findings = judge(&mistake);
                assert!(findings.iter().any(|finding| finding.contains(what)), "{mistake:?}");
            }
        }
        assert!(Floors::new(0).detected == 100 && Floors::new(1).detected > 0);
    }

    #[test]
    fn memory_that_is_not_known_is_not_little() {
        assert_eq!(judge_memory(Some(MOST_KIB)), None);
        assert!(judge_memory(Some(MOST_KIB + 1)).is_some() && judge_memory(None).is_some());
    }
}
