//! Licences, sources, versions: the rules of `deny.toml`.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{cargo, not_found, planted, scratch, succeed};

/// The workspaces that something is shipped of.
const WORKSPACES: [&str; 3] =
    ["Cargo.toml", "crates/deniable-python/Cargo.toml", "crates/deniable-sql/Cargo.toml"];

const RULES: [&str; 3] = ["bans", "licenses", "sources"];

/// Every workspace, and four packages that break a rule each.
pub(super) fn check(root: &Path, require: bool) -> Result<String, Vec<String>> {
    let one = |error| vec![error];
    if succeed(cargo().args(["deny", "--version"])).is_err() {
        let said = "cargo-deny is missing (cargo install --locked cargo-deny)";
        return if require { Err(vec![said.into()]) } else { Ok(format!("skipped: {said}")) };
    }
    let rules = root.join("deny.toml");
    let mut findings = Vec::new();
    for workspace in WORKSPACES {
        println!("{workspace}");
        let manifest = root.join(workspace);
        // For all platforms, since the rules hold for all of them.
        let mut fetch = cargo();
        fetch.args(["fetch", "--locked", "--quiet", "--manifest-path"]).arg(&manifest);
        let outcome = succeed(&mut fetch).and_then(|_| deny(&manifest, &rules));
        findings.extend(outcome.err());
    }
    let scratch = scratch(root).map_err(one)?;
    findings.extend(planted(&scratch, &rules).map_err(one)?);
    if findings.is_empty() {
        return Ok(format!(
            "{} workspaces keep the rules of deny.toml; {} planted mistakes found",
            WORKSPACES.len(),
            PLANTED.len()
        ));
    }
    Err(findings)
}

/// Name, what is wrong, how cargo-deny calls that, and the manifest's lines. They use nothing that the workspace does not have; the last two stand for crates of a registry.
const PLANTED: [(&str, &str, &str, &str); 4] = [
    ("licence", "a licence that is not allowed", "rejected", "license = \"GPL-3.0-only\"\n"),
    (
        "wildcard",
        "a dependency of any version",
        "wildcard",
        "license = \"MIT\"\n\n[dependencies]\ncfg-if = \"*\"\n",
    ),
    (
        "twice",
        "a crate that is to be there once, in two versions",
        "duplicate",
        "license = \"MIT\"\n\n[dependencies]\nindexmap = \"2.7\"\nother = { package = \"indexmap\", version = \"0.1.0\", path = \"other\" }\n",
    ),
    (
        "source",
        "a crate from an unknown place",
        "source-not-allowed",
        "license = \"MIT\"\n\n[dependencies]\nindexmap = { version = \"0.1.0\", git = \"OTHER\" }\n",
    ),
];

/// Those that were not found.
fn planted(scratch: &Path, rules: &Path) -> Result<Vec<String>, String> {
    let mut findings = Vec::new();
    for (name, what, rule, manifest) in PLANTED {
        let folder = scratch.join(format!("planted-{name}"));
        // What was resolved for another version of the rule would be taken for this one's.
        let _ = fs::remove_file(folder.join("Cargo.lock"));
        let other = other(&folder)?;
        let manifest = manifest.replace("OTHER", &format!("file://{}", other.display()));
        let folder = planted::write(scratch, name, &manifest, "")?;
        succeed(cargo().args(["fetch", "--quiet"]).current_dir(&folder))
            .map_err(|error| format!("{name}: {error}"))?;
        // It must be that rule alone, and not that the command fails for another reason.
        let told = deny(&folder.join("Cargo.toml"), rules).err().unwrap_or_default();
        let broken = told.lines().filter(|line| line.starts_with("error"));
        let mut broken = broken.peekable();
        if broken.peek().is_none()
            || broken.any(|line| !line.starts_with(&format!("error[{rule}]")))
        {
            findings.push(format!("{}\n{told}", not_found(what)));
        }
    }
    Ok(findings)
}

/// A repository with the crate `indexmap` 0.1.0 within a folder.
fn other(folder: &Path) -> Result<std::path::PathBuf, String> {
    let other = folder.join("other");
    let manifest = "[package]\nname = \"indexmap\"\nversion = \"0.1.0\"\nedition = \"2024\"\nlicense = \"MIT\"\n";
    let written = fs::create_dir_all(other.join("src"))
        .and_then(|()| fs::write(other.join("Cargo.toml"), manifest))
        .and_then(|()| fs::write(other.join("src/lib.rs"), ""));
    written.map_err(|error| format!("{}: {error}", other.display()))?;
    let who = ["-c", "user.name=planted", "-c", "user.email=planted"];
    for arguments in [
        &["init", "--quiet"][..],
        &["add", "."],
        &["commit", "--quiet", "--allow-empty", "-m", "planted"],
    ] {
        succeed(Command::new("git").args(who).args(arguments).current_dir(&other))?;
    }
    Ok(other)
}

fn deny(manifest: &Path, rules: &Path) -> Result<String, String> {
    let mut command = cargo();
    command.args(["deny", "--offline", "--manifest-path"]).arg(manifest);
    command.arg("--config").arg(rules).args(["check"]).args(RULES);
    succeed(&mut command)
}
