//! Types of other crates in our interface: a change of theirs is a change of ours.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{cargo, not_found, planted, scratch, succeed};

/// The crates whose interface others build on. (The command has none, and the other two are no libraries of Rust's registry.)
const PUBLISHED: [&str; 5] =
    ["deniable-num", "deniable-sample", "deniable", "deniable-audit", "deniable-arrow"];

/// The list beside a crate's manifest: one path a line, `#` begins a comment.
const LIST: &str = "public-dependencies.txt";

/// What comes with the compiler, and what is released together with us.
const OURS: [&str; 5] = ["alloc", "core", "std", "proc_macro", "deniable"];

/// Each published crate against its list.
pub(super) fn check(root: &Path) -> Result<String, Vec<String>> {
    let one = |error| vec![error];
    let scratch = scratch(root).map_err(one)?;
    let (mut findings, mut listed) = (Vec::new(), 0);
    for name in PUBLISHED {
        let file = root.join("crates").join(name).join(LIST);
        let list =
            fs::read_to_string(&file).map_err(|e| vec![format!("{}: {e}", file.display())])?;
        let used = foreign(&interface(root, name, None).map_err(one)?);
        let allowed = entries(&list);
        println!("{name}: {} items of other crates", used.len());
        findings.extend(
            unlisted(&used, &allowed).map(|path| format!("{name}: {path} is not in {LIST}")),
        );
        findings.extend(
            allowed
                .difference(&used)
                .map(|path| format!("{name}: {path} is in {LIST}, and not used")),
        );
        listed += used.len();
    }
    // The version that the workspace has, so that nothing has to be fetched for it.
    let folder = planted::write(
        &scratch,
        "api",
        "\n[dependencies]\nnum-bigint = { version = \"0.5.1\", default-features = false }\n",
        "pub struct Deep<T>(pub T);\n\npub fn planted() -> Option<Deep<num_bigint::BigUint>> {\n    None\n}\n",
    )
    .map_err(one)?;
    let target = scratch.join("planted");
    let used = foreign(&interface(&folder, "planted", Some(&target)).map_err(one)?);
    if unlisted(&used, &BTreeSet::new()).next().is_none_or(|path| !path.starts_with("num_bigint::"))
    {
        findings.push(not_found("a function that returns another crate's type"));
    }
    if findings.is_empty() {
        return Ok(format!(
            "{listed} items of other crates in the interfaces of {} crates, all listed; 1 planted mistake found",
            PUBLISHED.len()
        ));
    }
    Err(findings)
}

/// The items of other crates that an interface, as rustdoc writes it, names: in signatures, fields, bounds, re-exports, and as traits that are implemented.
pub fn foreign(interface: &Value) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    let items = interface["index"].as_object().into_iter().flatten();
    for (_, item) in items.filter(|(_, item)| item["crate_id"] == 0) {
        let implementation = &item["inner"]["impl"];
        // What the compiler, or another crate for all types, implements is none of our doing.
        if implementation["is_synthetic"] == true || !implementation["blanket_impl"].is_null() {
            continue;
        }
        mentioned(&item["inner"], &mut ids);
    }
    let path = |id: u64| {
        let known = &interface["paths"][id.to_string()];
        let parts = known["path"].as_array()?.iter().map(Value::as_str);
        (known["crate_id"] != 0).then(|| parts.collect::<Option<Vec<_>>>())?
    };
    let paths = ids.into_iter().filter_map(path);
    paths.filter(|path| !is_ours(path)).map(|path| path.join("::")).collect()
}

/// Those that are not allowed.
pub fn unlisted<'a>(
    used: &'a BTreeSet<String>,
    allowed: &'a BTreeSet<String>,
) -> impl Iterator<Item = &'a String> {
    used.difference(allowed)
}

fn is_ours(path: &[&str]) -> bool {
    path.first().is_some_and(|name| OURS.contains(name) || name.starts_with("deniable_"))
}

/// The numbers of items that are named somewhere in here: rustdoc has them in fields called `id`.
fn mentioned(value: &Value, ids: &mut BTreeSet<u64>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| mentioned(value, ids)),
        Value::Object(fields) => {
            ids.extend(fields.get("id").and_then(Value::as_u64));
            fields.values().for_each(|value| mentioned(value, ids));
        }
        _ => {}
    }
}

/// What rustdoc says of a package with all features. Its JSON is not stable, hence the variable.
fn interface(folder: &Path, name: &str, target: Option<&Path>) -> Result<Value, String> {
    let mut command = cargo();
    command.args(["rustdoc", "--quiet", "--lib", "--all-features", "-p", name]).current_dir(folder);
    command.args(["--", "-Z", "unstable-options", "--output-format", "json"]);
    command.env("RUSTC_BOOTSTRAP", "1");
    let documentation = match target {
        Some(target) => {
            command.env("CARGO_TARGET_DIR", target);
            target.join("doc")
        }
        None => scratch(folder)?.with_file_name("doc"),
    };
    succeed(&mut command)?;
    let file = documentation.join(format!("{}.json", name.replace('-', "_")));
    let text = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", file.display()))
}

fn entries(list: &str) -> BTreeSet<String> {
    let lines = list.lines().map(|line| line.split('#').next().unwrap_or("").trim());
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}
