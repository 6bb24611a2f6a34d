//! Instructions a kernel takes for each item, counted by callgrind: the same on a busy machine as on an idle one.
//!
//! Each job runs twice, for few items and for many, and the difference of the two counts is what the items took. A tenth of a
//! percent of it is chance: how many draws needed more words than most do. The counts that are expected are in `verify/instructions.txt`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use deniable::estimate::BitCounts;
use deniable::prelude::*;

/// More than so many times what is expected is a regression, and less than that a reason to expect less.
const TOLERANCE: f64 = 1.05;

/// A job for so many items.
type Job = fn(usize);

const JOBS: &[(&str, Job)] = &[
    ("yes-or-no", |n| yes_or_no().invoke_in_place(&mut vec![true; n]).expect("entropy")),
    ("yes-or-no-packed", |n| {
        yes_or_no().invoke_packed(&mut vec![0; n.div_ceil(64)], n).expect("entropy");
    }),
    ("choice-of-16", |n| choice(16, n)),
    ("choice-of-1000", |n| choice(1000, n)),
    ("choice-of-100000", |n| choice(100_000, n)),
    ("bits-f-0.5", |n| bits(0.5, false, n)),
    ("bits-f-0.1", |n| bits(0.1, false, n)),
    ("bits-f-0.1-constant-time", |n| bits(0.1, true, n)),
    ("count-bits", |n| {
        let mut counts = BitCounts::new(K);
        counts.add_rows(&vec![0x5555; n.div_ceil(K) * K / 64]).expect("whole rows");
    }),
    ("unary-encoding", |n| {
        let mechanism = make_unary_encoding(0..128, 0.5, 0.3).expect("probabilities");
        mechanism.invoke_rows(&vec![3u8; n]).expect("entropy");
    }),
    ("subset-selection", |n| {
        let mechanism = make_subset_selection(0..128, 34, 0.5).expect("a size");
        mechanism.invoke_rows(&vec![3u8; n]).expect("entropy");
    }),
    ("local-hashing", |n| {
        local_hashing().invoke_rows(&vec![3u8; n]).expect("entropy");
    }),
    ("count-hashed", |n| {
        let mut counts = BitCounts::new(128);
        let rows = vec![1; n * local_hashing().row_length()];
        local_hashing().count_rows(&rows, &mut counts).expect("reports");
    }),
    ("float-laplace-1", |n| float_laplace(1.0, n)),
    ("float-laplace-1e-3", |n| float_laplace(1e-3, n)),
    ("float-laplace-1e6", |n| float_laplace(1e6, n)),
    ("integer-laplace-1", |n| integer_laplace(1.0, n)),
    ("integer-laplace-1e9", |n| integer_laplace(1e9, n)),
];

/// Bits of a vector.
const K: usize = 1024;

fn yes_or_no() -> deniable::RandomizedResponseBool {
    make_randomized_response_bool(0.75, false).expect("a probability")
}

fn choice(t: u32, n: usize) {
    let mechanism = make_randomized_response(0..t, 0.75).expect("a probability");
    mechanism.invoke_indices(&mut vec![3u32; n]).expect("entropy");
}

fn bits(f: f64, constant_time: bool, n: usize) {
    let domain = BitVectorDomain::new(K).with_max_weight(K);
    let mechanism = make_randomized_response_bitvec(domain, DiscreteDistance, f, constant_time);
    let mut rows = vec![0; n.div_ceil(K) * K / 64];
    mechanism.expect("an f").invoke_rows(&mut rows).expect("entropy");
}

fn local_hashing() -> deniable::LocalHashing<u32> {
    make_local_hashing(0..128, 4, 0.5).expect("buckets")
}

fn float_laplace(scale: f64, n: usize) {
    let numbers = VectorDomain::finite::<f64>();
    let mechanism = make_vector_float_laplace_cks20(numbers, L1Distance::new(), scale, None);
    mechanism.expect("a scale").invoke_in_place(&mut vec![0.3; n]).expect("entropy");
}

fn integer_laplace(scale: f64, n: usize) {
    let numbers = VectorDomain::finite::<i64>();
    let mechanism = make_vector_integer_laplace_cks20(numbers, L1Distance::new(), scale);
    mechanism.expect("a scale").invoke_in_place(&mut vec![25; n]).expect("entropy");
}

const INSIDE: &str = "--inside-callgrind";

/// `verify instructions [--require | --update]`.
///
/// # Errors
///
/// A job that takes more than is expected; with `--require` also that it cannot be counted here.
pub fn command(root: &Path, arguments: &[String]) -> Result<ExitCode, Vec<String>> {
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let file = root.join("verify/instructions.txt");
    match arguments[..] {
        [INSIDE, name, items] => run(name, items),
        ["--update"] => update(&file),
        [] | ["--require"] => match reason_not_to_count() {
            None => check(&file),
            Some(reason) if arguments.is_empty() => {
                println!("skipped: {reason}");
                Ok(ExitCode::SUCCESS)
            }
            Some(reason) => Err(vec![reason.into()]),
        },
        _ => Err(vec!["usage: instructions [--require | --update]".into()]),
    }
}

/// One job, once.
fn run(name: &str, items: &str) -> Result<ExitCode, Vec<String>> {
    let job = JOBS.iter().find(|(known, _)| *known == name);
    let items = items.parse().map_err(|_| vec!["how many items?".to_owned()])?;
    job.ok_or_else(|| vec![format!("there is no job {name}")])?.1(items);
    Ok(ExitCode::SUCCESS)
}

/// Counts depend on the instructions there are.
fn reason_not_to_count() -> Option<&'static str> {
    #[cfg(target_arch = "x86_64")]
    if !(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("aes")) {
        return Some("the counts are for processors with AVX2 and AES");
    }
    let valgrind = Command::new("valgrind").arg("--version").stdout(Stdio::null()).status();
    match cfg!(target_arch = "x86_64") && valgrind.is_ok_and(|status| status.success()) {
        true => None,
        false => Some("this needs valgrind on x86_64"),
    }
}

fn update(file: &Path) -> Result<ExitCode, Vec<String>> {
    let mut lines = String::from("# Instructions an item, by `verify instructions --update`.\n");
    for (name, _) in JOBS {
        let count = count(name)?;
        println!("{name} {count:.3}");
        let _ = writeln!(lines, "{name} {count:.3}");
    }
    std::fs::write(file, lines).map_err(|error| vec![error.to_string()])?;
    Ok(ExitCode::SUCCESS)
}

fn check(file: &Path) -> Result<ExitCode, Vec<String>> {
    let expected = std::fs::read_to_string(file).map_err(|error| vec![error.to_string()])?;
    let expected = parse(&expected)?;
    let mut findings = Vec::new();
    for (name, _) in JOBS {
        let Some((_, expected)) = expected.iter().find(|(known, _)| known == name) else {
            findings.push(format!("{name}: nothing is expected of it; run with --update"));
            continue;
        };
        let counted = count(name)?;
        println!("{name}: {counted:.3} instructions an item, expected {expected:.3}");
        findings.extend(judge(name, counted, *expected));
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    println!("result: {} forms cost what they did, within 5 %", JOBS.len());
    Ok(ExitCode::SUCCESS)
}

/// What is wrong with a count, if anything is.
pub fn judge(name: &str, counted: f64, expected: f64) -> Option<String> {
    if counted <= expected * TOLERANCE && expected <= counted * TOLERANCE {
        return None;
    }
    let change = match counted > expected {
        true => "a regression",
        false => "an improvement, to be kept with --update",
    };
    let percent = (counted / expected - 1.0) * 100.0;
    Some(format!("{name}: {counted:.3} instructions an item, {percent:+.1} %: {change}"))
}

/// Names and counts, a line each.
///
/// # Errors
///
/// A line that is neither a comment nor a name and a number.
pub fn parse(text: &str) -> Result<Vec<(String, f64)>, Vec<String>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let count = line.split_once(' ').and_then(|(name, count)| {
                count
                    .parse()
                    .ok()
                    .filter(|count: &f64| *count > 0.0)
                    .map(|count| (name.to_owned(), count))
            });
            count.ok_or_else(|| vec![format!("not a name and a count: {line}")])
        })
        .collect()
}

/// Instructions an item.
fn count(name: &str) -> Result<f64, Vec<String>> {
    // Its table of categories is built in both runs, and takes a million instructions more or less, as its hashes fall: a few of each item, unless there are many.
    let times = if name == "choice-of-100000" { 16 } else { 1 };
    let (few, many) = (40 * K, 40 * K + 200 * K * times);
    Ok((total(name, many)? - total(name, few)?) / (many - few) as f64)
}

/// All instructions of this program doing one job.
fn total(name: &str, items: usize) -> Result<f64, Vec<String>> {
    let program = std::env::current_exe().map_err(|error| vec![error.to_string()])?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["instructions", INSIDE, name, &items.to_string()])
        .output()
        .map_err(|error| vec![error.to_string()])?;
    let log = String::from_utf8_lossy(&output.stderr);
    let counted =
        log.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    counted
        .filter(|_| output.status.success())
        .ok_or_else(|| vec![format!("callgrind failed on {name}")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_percent_are_found_and_less_is_not() {
        assert!(judge("a", 104.9, 100.0).is_none() && judge("a", 95.3, 100.0).is_none());
        assert!(judge("a", 105.1, 100.0).is_some_and(|text| text.contains("regression")));
        assert!(judge("a", 95.0, 100.0).is_some_and(|text| text.contains("--update")));
    }

    #[test]
    fn every_job_has_an_expected_count() {
        let expected = parse(include_str!("../instructions.txt")).unwrap();
        let names: Vec<_> = expected.iter().map(|(name, _)| name.as_str()).collect();
        assert!(JOBS.iter().map(|(name, _)| *name).eq(names));
    }

    #[test]
    fn what_is_no_count_is_refused() {
        assert_eq!(parse("# x\na 1.5\n").unwrap(), [("a".to_owned(), 1.5)]);
        for bad in ["a", "a b", "a -1", "a 0", "a NaN"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_jobs_run() {
        JOBS.iter().for_each(|(_, job)| job(2 * K));
    }
}
