//! The checks that are commands: `cargo run -p deniable-verify -- seal --check`.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

#[cfg(all(target_os = "linux", target_env = "gnu"))]
use deniable_verify::soak;
use deniable_verify::{
    audit, claims, constant_time, coverage, deps, instructions, mutants, seal, speed, supply,
};
#[cfg(unix)]
use deniable_verify::{load, rappor};

/// One line a subcommand; each is a module of its name.
const COMMANDS: &[(&str, Subcommand, &str)] = &[
    ("seal", seal::command, "[--check]    ties each proof to the code it covers"),
    ("deps", deps::command, "the direction of the dependencies"),
    (
        "claims",
        claims::command,
        "[--check | list | run [--compare] ID…]    what is claimed, and what was shown of it",
    ),
    (
        "constant-time",
        constant_time::command,
        "[--require]    secret words decide no jump and no address",
    ),
    (
        "coverage",
        coverage::command,
        "REPORT [--files | --list]    lines and branches that no test reaches, against the reasons",
    ),
    (
        "audit",
        audit::command,
        "[exact | black-box | files EPSILON a,b,c|@FILE LEFT RIGHT]    the true loss against `map`",
    ),
    (
        "instructions",
        instructions::command,
        "[--require | --update]    instructions an item, against those expected",
    ),
    #[cfg(unix)]
    (
        "load",
        load::command,
        "[RESPONDENTS]    many answers through the commands, in bounded memory",
    ),
    (
        "mutants",
        mutants::command,
        "[--check | [--quick] [--again]] [PART…]    small changes of the code, each of which a test must find",
    ),
    #[cfg(unix)]
    (
        "rappor",
        rappor::command,
        "[TIMES [SEED] | long | pairs | all]    the decoder on collections drawn anew",
    ),
    (
        "supply",
        supply::command,
        "policy [--require] | minimal | features | api | sbom [FILE]    what comes in from outside",
    ),
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    ("soak", soak::command, "[--minutes MINUTES]    everything for an hour, and what grows"),
    ("speed", speed::command, "nanoseconds a call, words a draw"),
];

/// Takes the root of the workspace and the arguments after its name.
type Subcommand = fn(&Path, &[String]) -> Result<ExitCode, Vec<String>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a member has a parent");
    let known = |name: &str| COMMANDS.iter().find(|(known, ..)| *known == name);
    let Some((name, run, _)) = arguments.first().and_then(|name| known(name)) else {
        for (name, _, help) in COMMANDS {
            eprintln!("{name} {help}");
        }
        return ExitCode::from(2);
    };
    run(root, &arguments[1..]).unwrap_or_else(|findings| {
        for finding in findings {
            eprintln!("{name}: {finding}");
        }
        ExitCode::FAILURE
    })
}
