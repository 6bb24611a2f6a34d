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
    // A folder of its own: the variable that rustdoc needs would have the ordinary one built anew, each time.
    let target = scratch.join("api");
    let (mut findings, mut listed) = (Vec::new(), 0);
    for name in PUBLISHED {
        let file = root.join("crates").join(name).join(LIST);
        let list =
            fs::read_to_string(&file).map_err(|e| vec![format!("{}: {e}", file.display())])?;
        let used = foreign(&interface(root, name, &target).map_err(one)?);
        println!("{name}: {} items of other crates", used.len());
        findings.extend(differences(name, &used, &entries(&list)));
        listed += used.len();
    }
    let folder = planted::write(
        &scratch,
        "api",
        "\n[dependencies]\nnum-bigint = { version = \"0.5.1\", default-features = false }\n",
        "pub struct Deep<T>(pub T);\n\npub fn planted() -> Option<Deep<num_bigint::BigUint>> {\n    None\n}\n",
    )
    .map_err(one)?;
    // The versions that the workspace has, so that nothing has to be fetched.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).map_err(|e| one(e.to_string()))?;
    let used = foreign(&interface(&folder, "planted", &target).map_err(one)?);
    let found = differences("planted", &used, &BTreeSet::new());
    if found != ["planted: num_bigint::biguint::BigUint is not in public-dependencies.txt"] {
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
fn foreign(interface: &Value) -> BTreeSet<String> {
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
        let parts = known["path"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let parts: Vec<_> = parts.collect();
        // What cannot be told is taken for another's.
        let told = if parts.is_empty() { format!("item {id}") } else { parts.join("::") };
        (known["crate_id"] != 0 && !is_ours(&parts)).then_some(told)
    };
    ids.into_iter().filter_map(path).collect()
}

/// What is used and not in a crate's list, and what is in it and not used.
fn differences(name: &str, used: &BTreeSet<String>, listed: &BTreeSet<String>) -> Vec<String> {
    let unlisted = used.difference(listed).map(|path| format!("{name}: {path} is not in {LIST}"));
    let unused =
        listed.difference(used).map(|path| format!("{name}: {path} is in {LIST}, and not used"));
    unlisted.chain(unused).collect()
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
fn interface(folder: &Path, name: &str, target: &Path) -> Result<Value, String> {
    let mut command = cargo();
    command.args(["rustdoc", "--quiet", "--lib", "--all-features", "-p", name]).current_dir(folder);
    command.args(["--", "-Z", "unstable-options", "--output-format", "json"]);
    succeed(command.env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", target))?;
    let file = target.join("doc").join(format!("{}.json", name.replace('-', "_")));
    let text = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", file.display()))
}

fn entries(list: &str) -> BTreeSet<String> {
    let lines = list.lines().map(|line| line.split('#').next().unwrap_or("").trim());
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// An interface of one item, and the paths of what it may name: 1 is its own, 2 of the compiler, 3 released with us, 4 and 5 of others.
    fn named(item: &Value) -> Vec<String> {
        let path = |of: u64, path: &[&str]| json!({ "crate_id": of, "path": path });
        let interface = json!({
            "index": { "0": item },
            "paths": {
                "1": path(0, &["ours", "Own"]),
                "2": path(1, &["core", "option", "Option"]),
                "3": path(2, &["deniable_num", "Upper"]),
                "4": path(3, &["other", "Type"]),
                "5": path(4, &["another", "Trait"]),
            },
        });
        foreign(&interface).into_iter().collect()
    }

    fn resolved(id: u64, arguments: &[Value]) -> Value {
        let arguments: Vec<_> = arguments.iter().map(|one| json!({ "type": one })).collect();
        json!({ "resolved_path": { "id": id, "args": { "angle_bracketed": { "args": arguments } } } })
    }

    #[test]
    fn what_is_named_deep_in_a_signature_is_found() {
        let deep = resolved(2, &[resolved(1, &[resolved(4, &[])])]);
        let function = json!({ "function": { "sig": { "inputs": [], "output": deep } } });
        assert_eq!(named(&json!({ "crate_id": 0, "inner": function })), ["other::Type"]);
        assert!(named(&json!({ "crate_id": 3, "inner": function })).is_empty(), "theirs");
        let unknown = json!({ "crate_id": 0, "inner": { "type_alias": resolved(6, &[]) } });
        assert_eq!(named(&unknown), ["item 6"]);
    }

    #[test]
    fn what_comes_with_the_compiler_and_with_us_is_not() {
        let ours = resolved(2, &[resolved(1, &[]), resolved(3, &[])]);
        assert!(named(&json!({ "crate_id": 0, "inner": { "type_alias": ours } })).is_empty());
        // A name that begins like ours is another's all the same.
        assert!(!is_ours(&["deniablez", "Type"]));
        assert!(!is_ours(&["stdx"]) && !is_ours(&[]));
    }

    #[test]
    fn re_exports_are_found_and_implementations_are_if_we_wrote_them() {
        let exported = json!({ "use": { "source": "other::Type", "id": 4, "is_glob": false } });
        assert_eq!(named(&json!({ "crate_id": 0, "inner": exported })), ["other::Type"]);
        let implemented = |synthetic: bool, blanket: Value| {
            let inner = json!({ "impl": {
                "trait": { "id": 5 }, "for": resolved(1, &[]), "is_synthetic": synthetic, "blanket_impl": blanket,
            } });
            named(&json!({ "crate_id": 0, "inner": inner }))
        };
        assert_eq!(implemented(false, Value::Null), ["another::Trait"]);
        assert!(implemented(true, Value::Null).is_empty());
        assert!(implemented(false, json!({ "generic": "T" })).is_empty());
    }

    #[test]
    fn both_directions_are_told() {
        let set = |paths: &[&str]| paths.iter().map(|&path| path.to_owned()).collect();
        let (used, listed) = (set(&["a::A", "b::B"]), entries("# why\n\nb::B # reason\n c::C\n"));
        assert_eq!(listed, set(&["b::B", "c::C"]));
        assert_eq!(
            differences("ours", &used, &listed),
            [
                "ours: a::A is not in public-dependencies.txt",
                "ours: c::C is in public-dependencies.txt, and not used"
            ]
        );
        assert!(differences("ours", &used, &used).is_empty());
    }
}
