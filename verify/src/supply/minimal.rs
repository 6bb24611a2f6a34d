//! The lowest versions that the manifests promise to be enough.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{cargo, not_found, planted, scratch, succeed};

/// What is built: everything that users can have of this workspace.
const CRATES: [&str; 6] = [
    "deniable-num",
    "deniable-sample",
    "deniable",
    "deniable-audit",
    "deniable-arrow",
    "deniable-cli",
];

/// Builds a copy of the workspace in which each direct dependency has the lowest version that its manifest allows. (With
/// `minimal-versions`, which does that to theirs too, the mistakes that are found are mostly those of others.)
pub(super) fn check(root: &Path) -> Result<String, Vec<String>> {
    let one = |error| vec![error];
    let scratch = scratch(root).map_err(one)?;
    let copy = scratch.join("minimal");
    copy_to(root, &copy).map_err(one)?;
    resolve(&copy).map_err(one)?;
    let mut findings = Vec::new();
    for name in CRATES {
        println!("{name}");
        let features = if name == "deniable" { &["--all-features"][..] } else { &[] };
        findings.extend(build(&copy, name, features, &scratch.join("minimal-target")).err());
    }
    // `zeroize_flat_type` came with 1.5.
    let folder = planted::write(
        &scratch,
        "minimal",
        "\n[dependencies]\nzeroize = { version = \"1.3.0\", default-features = false }\n",
        "pub unsafe fn planted(word: *mut u64) {\n    unsafe { zeroize::zeroize_flat_type(word) }\n}\n",
    )
    .map_err(one)?;
    let target = scratch.join("planted");
    let newest = succeed(cargo().args(["generate-lockfile", "--quiet"]).current_dir(&folder))
        .and_then(|_| build(&folder, "planted", &[], &target));
    let lowest = resolve(&folder).and_then(|()| match build(&folder, "planted", &[], &target) {
        Err(error) if error.contains("zeroize_flat_type") => Ok(()),
        _ => Err(not_found("a lower bound that is too low")),
    });
    findings.extend(newest.err());
    findings.extend(lowest.err());
    if findings.is_empty() {
        return Ok(format!(
            "{} crates build with the lowest versions that they allow; 1 planted mistake found",
            CRATES.len()
        ));
    }
    Err(findings)
}

/// The files that are under version control, and new ones that would be.
fn copy_to(root: &Path, copy: &Path) -> Result<(), String> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(root);
    let files = succeed(&mut git)?;
    for file in files.split('\0').filter(|file| !file.is_empty() && root.join(file).is_file()) {
        let (from, to) = (root.join(file), copy.join(file));
        // Untouched if it is the same, so that it is not built again.
        let same = fs::read(&to).is_ok_and(|old| fs::read(&from).is_ok_and(|new| new == old));
        let copied = match to.parent() {
            Some(folder) if !same => fs::create_dir_all(folder).and_then(|()| fs::copy(&from, &to)),
            _ => Ok(0),
        };
        copied.map_err(|error| format!("{}: {error}", to.display()))?;
    }
    Ok(())
}

/// The option is not stable, hence the variable.
fn resolve(folder: &Path) -> Result<(), String> {
    // A lock file that is there would be kept to.
    let _ = fs::remove_file(folder.join("Cargo.lock"));
    let mut command = cargo();
    command.args(["-Z", "direct-minimal-versions", "generate-lockfile", "--quiet"]);
    succeed(command.env("RUSTC_BOOTSTRAP", "1").current_dir(folder)).map(drop)
}

fn build(folder: &Path, name: &str, features: &[&str], target: &Path) -> Result<String, String> {
    let mut command = cargo();
    command.args(["check", "--quiet", "--locked", "-p", name]).args(features);
    succeed(command.env("CARGO_TARGET_DIR", target).current_dir(folder))
}
