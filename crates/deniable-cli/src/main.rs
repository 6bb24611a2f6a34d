//! The command `deniable`: from a file of answers to a private report.
#![forbid(unsafe_code)]

mod command;
mod error;
mod files;
mod frozen;
mod key;
mod ledger;
mod memo;
mod output;
mod parameter;
mod present;

use std::process::ExitCode;

use clap::Parser;

use command::Cli;

fn main() -> ExitCode {
    // A core dump would have raw answers in it.
    let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
    let _ = rustix::process::setrlimit(rustix::process::Resource::Core, none);
    // Its message could have a raw answer in it.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        eprintln!("error: a defect of the program, at {place}; please report it");
    }));
    match Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            error.exit_code()
        }
    }
}
