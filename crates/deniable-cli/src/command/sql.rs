//! `deniable sql`, and other work for the program `deniable-sql`.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use deniable_arrow::SurveyCounts;

use crate::error::{Error, Kind, Result};

/// The name of the other program.
const PROGRAM: &str = "deniable-sql";

/// Query files with SQL, with functions that randomize, estimate and add noise, here or on a cluster
///
/// The program deniable-sql does it, which is built apart, since a query engine is large. `deniable sql --help` shows its help.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true, disable_version_flag = true)]
#[command(after_help = "\
Examples:
  deniable sql \"SELECT estimate_yes_no(moved, 1.0) FROM reports\" --table 'reports=reports/*.parquet'
  deniable sql --help")]
pub(crate) struct Args {
    /// A query and options, as deniable-sql takes them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    arguments: Vec<OsString>,
}

impl Args {
    pub(crate) fn run(self) -> Result<()> {
        let mut command = program();
        command.args(&self.arguments);
        let status = command.status().map_err(|error| missing(&error))?;
        match status.code() {
            Some(0) => Ok(()),
            // It has said why.
            Some(code) => std::process::exit(code),
            None => Err(Error::new(Kind::Failed, "deniable-sql was stopped by a signal")),
        }
    }
}

/// The counts of reports in files, by a cluster.
///
/// # Errors
///
/// No such program; what it said is on the standard error.
pub(crate) fn count_on_cluster(
    cluster: &str,
    survey: &Path,
    reports: &[String],
) -> Result<SurveyCounts> {
    let mut command = program();
    command.arg("--cluster").arg(cluster).arg("--survey").arg(survey);
    for reports in reports {
        command.arg("--count").arg(reports);
    }
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| missing(&error))?;
    if !output.status.success() {
        let kind = if output.status.code() == Some(3) { Kind::Refused } else { Kind::Failed };
        return Err(Error::new(kind, "--cluster: the reports were not counted"));
    }
    serde_json::from_slice(&output.stdout).map_err(|_| {
        Error::new(
            Kind::Failed,
            "--cluster: deniable-sql returned no counts; accepted is the one of this version",
        )
    })
}

/// The program beside this one, or else in the search path.
fn program() -> Command {
    let beside = env::current_exe().ok().and_then(|own| Some(own.parent()?.join(PROGRAM)));
    let beside = beside.map(|path| path.with_extension(env::consts::EXE_EXTENSION));
    Command::new(beside.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(PROGRAM)))
}

fn missing(error: &std::io::Error) -> Error {
    let message = format!(
        "the program {PROGRAM} cannot be started ({}); accepted is one beside this program or in the search path, which `cargo install --path crates/deniable-sql` puts there",
        error.kind(),
    );
    Error::new(Kind::Failed, message)
}
