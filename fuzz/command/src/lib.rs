//! The command `deniable`, to be called in this process.
//!
//! The command is a program and no library, and stays so: nothing outside may depend on its modules. So they are compiled here a second
//! time, from where they are, and the targets run the command as people do, by its arguments.
#![forbid(unsafe_code)]

#[path = "../../../crates/deniable-cli/src"]
mod cli {
    pub(crate) mod command;
    pub(crate) mod error;
    pub(crate) mod files;
    pub(crate) mod foreign;
    pub(crate) mod frozen;
    pub(crate) mod key;
    pub(crate) mod ledger;
    pub(crate) mod memo;
    pub(crate) mod output;
    pub(crate) mod parameter;
    pub(crate) mod present;
}
// Where the modules look for each other.
use cli::{command, error, files, foreign, frozen, key, ledger, memo, output, parameter, present};

use clap::Parser;

/// Runs the command with these arguments, of which the first is not its name.
///
/// # Errors
///
/// What the command says before it ends with an exit code that is not 0.
///
/// # Panics
///
/// Arguments that are none of the command: then it is the caller who is wrong.
pub fn run(arguments: &[&str]) -> Result<(), String> {
    let arguments = ["deniable"].iter().chain(arguments);
    let command = command::Cli::try_parse_from(arguments).expect("arguments of the command");
    command.run().map_err(|error| error.to_string())
}

/// Whether a library reads a file in this thread, whose panics the command catches.
pub fn is_reading() -> bool {
    foreign::is_reading()
}
