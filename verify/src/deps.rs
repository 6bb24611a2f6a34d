//! The direction of the dependencies: a crate uses only those above it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, ExitCode};

use serde_json::Value;

/// The crates that users can have, each using only those before it.
pub const ORDER: [&str; 9] = [
    "deniable-num",
    "deniable-sample",
    "deniable",
    "deniable-testing",
    "deniable-audit",
    "deniable-arrow",
    "deniable-cli",
    "deniable-sql",
    "deniable-python",
];

/// Reads no entropy but a seed, so nothing that ships may contain it.
pub const TESTING: &str = "deniable-testing";

/// This crate, and what it runs: they may use all others, and none of those may use them.
pub const VERIFIERS: [&str; 3] = ["deniable-verify", "deniable-constant-time", "deniable-laws"];

/// Everything from outside that the crates which carry the trust argument use: crate, dependency, reason.
pub const ALLOWED: [(&str, &str, &str); 7] = [
    ("deniable-num", "num-bigint", "exact integers where machine words do not suffice"),
    ("deniable-sample", "num-bigint", "exact integers where machine words do not suffice"),
    ("deniable-sample", "aes", "the generator between two reads of the operating system's"),
    ("deniable-sample", "chacha20", "the same where the processor has no AES"),
    ("deniable-sample", "getrandom", "the operating system's generator on every platform"),
    ("deniable-sample", "zeroize", "wipes the generator's state and unused words"),
    ("deniable-sample", "libc", "tells a forked child that it must seed anew"),
];

/// A member of the workspace and what it declares.
#[derive(Clone, Debug)]
pub struct Member {
    /// The package's name.
    pub name: String,
    /// Its direct dependencies, optional and platform-specific ones included.
    pub uses: Vec<Use>,
}

/// One declared dependency.
#[derive(Clone, Debug)]
pub struct Use {
    /// The package used, whatever it is renamed to.
    pub name: String,
    /// Whether only tests, examples and benchmarks use it.
    pub dev: bool,
}

/// `verify deps`.
///
/// # Errors
///
/// The rules that are broken.
pub fn command(root: &Path, arguments: &[String]) -> Result<ExitCode, Vec<String>> {
    if !arguments.is_empty() {
        return Err(vec!["usage: deps".into()]);
    }
    let members = read(root).map_err(|error| vec![error])?;
    let findings = violations(&members);
    if !findings.is_empty() {
        return Err(findings);
    }
    println!("result: of {} crates no dependency points the wrong way", members.len());
    Ok(ExitCode::SUCCESS)
}

/// The rules that `members` break, in words.
pub fn violations(members: &[Member]) -> Vec<String> {
    let names: BTreeSet<_> = members.iter().map(|member| member.name.as_str()).collect();
    let mut findings = Vec::new();
    for member in members.iter().filter(|member| !is_verifier(&member.name)) {
        let Some(place) = place(&member.name) else {
            findings.push(format!("{}: has no place in the order of crates", member.name));
            continue;
        };
        for used in &member.uses {
            let broken = if names.contains(used.name.as_str()) || is_ours(&used.name) {
                inward(place, used)
            } else {
                outward(&member.name, used)
            };
            findings
                .extend(broken.map(|rule| format!("{} uses {}: {rule}", member.name, used.name)));
        }
    }
    findings
}

/// Workspaces of crates that have a place in the order.
const WORKSPACES: [&str; 3] = ["", "crates/deniable-sql", "crates/deniable-python"];

/// The members of all workspaces of the repository at `root` as cargo sees them.
///
/// # Errors
///
/// Cargo could not be run, or did not answer as expected.
pub fn read(root: &Path) -> Result<Vec<Member>, String> {
    let mut members = Vec::new();
    for workspace in WORKSPACES {
        members.extend(members_of(&root.join(workspace))?);
    }
    Ok(members)
}

fn members_of(workspace: &Path) -> Result<Vec<Member>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(workspace)
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)));
    }
    parse(&output.stdout).ok_or_else(|| "cargo metadata: unexpected answer".into())
}

fn is_ours(name: &str) -> bool {
    is_verifier(name) || place(name).is_some()
}

fn is_verifier(name: &str) -> bool {
    VERIFIERS.contains(&name)
}

fn place(name: &str) -> Option<usize> {
    ORDER.iter().position(|known| *known == name)
}

/// The rule broken by using another crate of the workspace from the crate at `user`.
fn inward(user: usize, used: &Use) -> Option<&'static str> {
    if is_verifier(&used.name) {
        return Some("nothing may use the verifier");
    }
    match place(&used.name) {
        None => Some("has no place in the order of crates"),
        Some(place) if place >= user => Some("it is not above it in the order of crates"),
        Some(_) if used.name == TESTING && !used.dev => Some("only tests may use it"),
        Some(_) => None,
    }
}

/// The rule broken by using a crate from outside.
fn outward(user: &str, used: &Use) -> Option<&'static str> {
    let watched = ALLOWED.iter().any(|(name, ..)| *name == user);
    let listed = ALLOWED.iter().any(|(name, allowed, _)| *name == user && *allowed == used.name);
    (watched && !listed && !used.dev).then_some("it is not on the list of allowed dependencies")
}

fn parse(metadata: &[u8]) -> Option<Vec<Member>> {
    let metadata: Value = serde_json::from_slice(metadata).ok()?;
    let member = |package: &Value| {
        let uses = package["dependencies"].as_array()?.iter().map(|dependency| {
            let name = dependency["name"].as_str()?.to_owned();
            Some(Use { name, dev: dependency["kind"] == "dev" })
        });
        Some(Member {
            name: package["name"].as_str()?.to_owned(),
            uses: uses.collect::<Option<_>>()?,
        })
    };
    metadata["packages"].as_array()?.iter().map(member).collect()
}
