//! The command `deniable`: from a file of answers to a private report.
#![forbid(unsafe_code)]

mod command;
mod error;
mod files;
mod foreign;
mod frozen;
mod key;
mod ledger;
mod memo;
mod output;
mod parameter;
mod present;

use std::panic::{catch_unwind, resume_unwind, set_hook};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser;
use deniable::{Entropy, OsEntropy};

use command::Cli;
use output::complain;

fn main() -> ExitCode {
    // A core dump would have raw answers in it.
    let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
    let _ = rustix::process::setrlimit(rustix::process::Resource::Core, none);
    // Its message could have a raw answer in it.
    set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        if is_of_hashing(&place) || !has_entropy() {
            WITHOUT_ENTROPY.store(true, Ordering::Relaxed);
            return;
        }
        if foreign::is_reading() {
            return;
        }
        complain(&format!("error: a defect of the program, at {place}; please report it"));
    }));
    let no_entropy = || deniable::Error::from(deniable::sample::Error::entropy_unavailable());
    let done = catch_unwind(|| Cli::parse().run());
    let done = match done {
        // Also one that was caught where a file is read.
        Err(_) | Ok(Err(_)) if WITHOUT_ENTROPY.load(Ordering::Relaxed) => Err(no_entropy().into()),
        Err(panic) => resume_unwind(panic),
        Ok(done) => done,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("error: {error}"));
            error.exit_code()
        }
    }
}

/// Whether there was a panic because of that.
static WITHOUT_ENTROPY: AtomicBool = AtomicBool::new(false);

/// Whether a panic comes from where the keys of hash tables are drawn, which are not to be had without one if entropy fails.
fn is_of_hashing(place: &str) -> bool {
    place.contains("/std/src/sys/random/") || place.contains("/ahash-")
}

/// Whether the system gives entropy now. Another thread asks for it, as this one may have some at hand.
fn has_entropy() -> bool {
    let asked = std::thread::Builder::new().spawn(|| OsEntropy::new().word().is_ok());
    // Without a thread nothing is known, and the panic is told.
    asked.map_or(true, |asked| asked.join().unwrap_or(false))
}
