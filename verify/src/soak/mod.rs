//! Hours of everything, in one process that must not grow.
//!
//! Each round runs every mechanism in all of its forms, on threads that start and end and in children, and every command. After each round it is noted what the process has: `judge` says what
//! counts as growing. Then each kind of leak is planted, in a run of its own, and must be found.

mod commands;
mod judge;
mod library;

use std::fs::{self, File};
use std::hint::black_box;
use std::mem::forget;
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use crate::backend::usage::allocated;
use crate::program;
use commands::Place;
use judge::{MEASURES, Sample, drift, ends, grown};

const MINUTES: f64 = 60.0;

/// In a minute; a round takes at least a tenth of a second.
const MOST_ROUNDS: f64 = 600.0;

/// Of a run with a planted leak.
const PLANTED_ROUNDS: usize = 48;

/// What one round leaves behind.
type Leak = fn(&Place, usize);

/// The measure that must be found to grow, and how it does.
const LEAKS: [(&str, Leak); 5] = [
    ("bytes allocated", |_, _| forget(black_box(vec![1u8; 4 << 10]))),
    ("bytes resident", |_, _| forget(black_box(vec![1u8; 1 << 20]))),
    ("open descriptors", |_, _| forget(File::open("/dev/null"))),
    ("threads", |_, round| {
        if round % 8 == 0 {
            thread::spawn(|| thread::sleep(Duration::from_secs(3600)));
        }
    }),
    ("files left", |place, round| place.leave_a_file(round).unwrap_or_default()),
];

/// `verify soak`.
///
/// # Errors
///
/// What grew, or failed.
pub fn command(root: &Path, arguments: &[String]) -> Result<ExitCode, Vec<String>> {
    let usage = || vec!["usage: soak [--minutes MINUTES]".to_owned()];
    let minutes = match arguments {
        [] => MINUTES,
        [name, minutes] if name == "--minutes" => {
            minutes.parse().ok().filter(|minutes| (0.1..1e5).contains(minutes)).ok_or_else(usage)?
        }
        _ => return Err(usage()),
    };
    let program = program::build(root).map_err(|error| vec![error])?;
    let place = Place::new(program).map_err(|error| vec![error.to_string()])?;
    let end = Instant::now() + Duration::from_secs_f64(60.0 * minutes);
    // All of it at once: it must not be what grows.
    let mut samples = Vec::with_capacity((minutes * MOST_ROUNDS) as usize);
    let mut done = 0;
    while Instant::now() < end && samples.len() < samples.capacity() {
        done += round(&place, &mut samples).map_err(|error| vec![error])?;
    }
    if Instant::now() < end {
        return Err(vec![format!(
            "more than {MOST_ROUNDS} rounds a minute: there was no room for them"
        )]);
    }
    report(&samples, done);
    let problems = grown(&samples);
    if !problems.is_empty() {
        return Err(problems);
    }
    let found = plant(&place)?;
    println!(
        "result: {minutes} minutes of all mechanisms, threads, children and commands; allocated memory grew by less than 64 KiB, resident memory and that of commands by less than 8 MiB, no descriptor, thread or file was left; {found} planted leaks found"
    );
    Ok(ExitCode::SUCCESS)
}

/// One round, and what the process has behind it.
fn round(place: &Place, samples: &mut Vec<Sample>) -> Result<u64, String> {
    let start = Instant::now();
    let done = library::round()?;
    let seconds = start.elapsed().as_secs_f64();
    let command = place.round()?;
    samples.push(Sample { seconds, command, ..sample(place)? });
    Ok(done)
}

/// What the process has now.
fn sample(place: &Place) -> Result<Sample, String> {
    let failed = |error: std::io::Error| error.to_string();
    let status = fs::read_to_string("/proc/self/status").map_err(failed)?;
    let number = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        number.ok_or_else(|| format!("/proc/self/status does not say {name}"))
    };
    let descriptors = fs::read_dir("/proc/self/fd").map_err(failed)?.count() as u64;
    Ok(Sample {
        allocated: allocated(),
        resident: number("VmRSS:")? << 10,
        descriptors,
        threads: number("Threads:")?,
        files: place.left().map_err(failed)? as u64,
        ..Sample::default()
    })
}

fn report(samples: &[Sample], done: u64) {
    println!("{} rounds, {done} things randomized", samples.len());
    for (name, read, most) in MEASURES {
        let (early, late) = ends(samples, read);
        println!(
            "{name}: at most {early} in the second eighth, {late} in the last half (may grow by {most})"
        );
    }
    println!(
        "a round of the library takes {:.2} times as long in the last quarter as in the second",
        drift(samples)
    );
}

/// Runs with each leak, without the commands, which have no part in it. What was leaked stays.
fn plant(place: &Place) -> Result<usize, Vec<String>> {
    let mut missed = Vec::new();
    for (name, leak) in LEAKS {
        let mut samples = Vec::with_capacity(PLANTED_ROUNDS);
        for round in 0..PLANTED_ROUNDS {
            library::round().map_err(|error| vec![error])?;
            leak(place, round);
            samples.push(sample(place).map_err(|error| vec![error])?);
        }
        if !grown(&samples).iter().any(|problem| problem.starts_with(name)) {
            missed.push(format!("planted, and not found: {name}"));
        }
    }
    if missed.is_empty() { Ok(LEAKS.len()) } else { Err(missed) }
}
