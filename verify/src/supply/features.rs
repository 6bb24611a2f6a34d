//! Every feature builds alone, and so does none of them.

use std::path::Path;

use super::{CORE, cargo, metadata, not_found, planted, scratch, succeed};

/// Each of the core crates without features, with each one alone, and with all.
pub(super) fn check(root: &Path) -> Result<String, Vec<String>> {
    let one = |error| vec![error];
    let metadata = metadata(root, &["--no-deps"]).map_err(one)?;
    let (mut findings, mut built) = (Vec::new(), 0);
    for name in CORE {
        for features in combinations(&metadata, name).map_err(one)? {
            println!("{name} {}", features.join(" "));
            let outcome = build(root, name, &features, None);
            built += usize::from(outcome.is_ok());
            findings.extend(outcome.err());
        }
    }
    let scratch = scratch(root).map_err(one)?;
    let folder = planted::write(
        &scratch,
        "features",
        "\n[features]\nalone = []\nother = []\n",
        "#[cfg(feature = \"other\")]\nfn other() {}\n\n#[cfg(feature = \"alone\")]\npub fn alone() {\n    other()\n}\n",
    )
    .map_err(one)?;
    let target = scratch.join("planted");
    let alone = build(&folder, "planted", &["--features", "alone"], Some(&target));
    let all = build(&folder, "planted", &["--all-features"], Some(&target));
    if alone.is_ok() || all.is_err() {
        findings.push(not_found("a feature that does not build without another"));
    }
    if findings.is_empty() {
        return Ok(format!(
            "{built} combinations of features of {} crates build; 1 planted mistake found",
            CORE.len()
        ));
    }
    Err(findings)
}

/// The arguments for none, each and all of a package's features.
fn combinations<'a>(
    metadata: &'a serde_json::Value,
    name: &str,
) -> Result<Vec<Vec<&'a str>>, String> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let package = packages.into_iter().find(|package| package["name"] == name);
    let features = package.and_then(|package| package["features"].as_object());
    let features = features.ok_or_else(|| format!("metadata: no features of {name}"))?;
    let mut all = vec![vec!["--no-default-features"]];
    for feature in features.keys().filter(|feature| *feature != "default") {
        all.push(vec!["--no-default-features", "--features", feature]);
    }
    all.push(vec!["--all-features"]);
    Ok(all)
}

/// Without warnings: what only one feature uses is left out with it.
fn build(
    folder: &Path,
    package: &str,
    features: &[&str],
    target: Option<&Path>,
) -> Result<String, String> {
    let mut command = cargo();
    command.args(["clippy", "--quiet", "-p", package]).args(features);
    command.args(["--", "-D", "warnings"]).current_dir(folder);
    if let Some(target) = target {
        command.env("CARGO_TARGET_DIR", target);
    }
    succeed(&mut command)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn none_each_and_all() {
        let features = json!({ "default": ["std"], "rayon": ["std"], "std": [] });
        let metadata = json!({ "packages": [
            { "name": "other", "features": { "more": [] } }, { "name": "ours", "features": features },
        ] });
        let arguments = combinations(&metadata, "ours").unwrap();
        let arguments: Vec<_> = arguments.iter().map(|one| one.join(" ")).collect();
        assert_eq!(
            arguments,
            [
                "--no-default-features",
                "--no-default-features --features rayon",
                "--no-default-features --features std",
                "--all-features"
            ]
        );
        assert!(combinations(&metadata, "missing").is_err());
    }
}
