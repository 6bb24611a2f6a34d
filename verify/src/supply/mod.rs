//! What comes in from outside: policy, versions, features, types of others in our interface, and the list of all of it.
//!
//! Each check is run on the workspace, and then on a planted mistake, a package of a few lines that is written under `target/`.

mod api;
mod features;
mod minimal;
mod planted;
mod policy;
mod sbom;

use std::path::Path;
use std::process::{Command, ExitCode};

use serde_json::Value;

/// The crates that clients have: without `std` too, with each feature alone.
const CORE: [&str; 3] = ["deniable-num", "deniable-sample", "deniable"];

const USAGE: &str = "usage: supply policy [--require] | minimal | features | api | sbom [FILE]";

/// `verify supply`.
///
/// # Errors
///
/// What was found.
pub fn command(root: &Path, arguments: &[String]) -> Result<ExitCode, Vec<String>> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        ["policy"] => policy::check(root, false)?,
        ["policy", "--require"] => policy::check(root, true)?,
        ["minimal"] => minimal::check(root)?,
        ["features"] => features::check(root)?,
        ["api"] => api::check(root)?,
        ["sbom"] => sbom::check(root, None)?,
        ["sbom", file] => sbom::check(root, Some(Path::new(file)))?,
        _ => return Err(vec![USAGE.into()]),
    };
    println!("result: {result}");
    Ok(ExitCode::SUCCESS)
}

/// The cargo that runs this.
fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command. What it says is shown only if it fails.
fn succeed(command: &mut Command) -> Result<String, String> {
    let what = || {
        let arguments = command.get_args().map(|argument| argument.to_string_lossy());
        arguments.collect::<Vec<_>>().join(" ")
    };
    let what = what();
    let output = command.output().map_err(|error| format!("{what}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{what}\n{}", String::from_utf8_lossy(&output.stderr)))
}

/// What cargo knows of the workspace at `root`.
fn metadata(root: &Path, more: &[&str]) -> Result<Value, String> {
    let mut command = cargo();
    command.args(["metadata", "--format-version", "1", "--locked"]).args(more).current_dir(root);
    serde_json::from_str(&succeed(&mut command)?).map_err(|error| format!("metadata: {error}"))
}

/// Where scratch packages and what is built of them go.
fn scratch(root: &Path) -> Result<std::path::PathBuf, String> {
    let metadata = metadata(root, &["--no-deps"])?;
    let folder = metadata["target_directory"].as_str().ok_or("metadata: no target directory")?;
    Ok(Path::new(folder).join("supply"))
}

/// A planted mistake that a check did not find.
fn not_found(planted: &str) -> String {
    format!("the planted mistake was not found: {planted}")
}
