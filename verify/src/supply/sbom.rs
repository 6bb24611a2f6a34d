//! What the command is made of, as a CycloneDX document.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{cargo, metadata, not_found, scratch, succeed};

/// What is shipped as a program.
const PROGRAM: &str = "deniable-cli";

/// A name and a version.
type Package = (String, String);

/// Writes the document, and holds it against what cargo says is linked, and against the lock file.
pub(super) fn check(root: &Path, file: Option<&Path>) -> Result<String, Vec<String>> {
    let one = |error: String| vec![error];
    let host = host().map_err(one)?;
    let metadata = metadata(root, &["--filter-platform", &host]).map_err(one)?;
    let lock = fs::read_to_string(root.join("Cargo.lock")).map_err(|e| one(e.to_string()))?;
    let checksums = checksums(&lock);
    let linked = linked(&cargo_tree(root, &host).map_err(one)?);
    let document = of(&metadata, PROGRAM, &linked, &checksums).map_err(one)?;
    let mut findings = missing(&document, &linked, &checksums);
    findings.extend(planted(&document, &linked, &checksums));
    if !findings.is_empty() {
        return Err(findings);
    }
    let path = match file {
        Some(file) => file.to_owned(),
        None => scratch(root).map_err(one)?.join(format!("{PROGRAM}.cdx.json")),
    };
    let text = format!("{document:#}\n");
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let written = folder.map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
    written.map_err(|error| one(format!("{}: {error}", path.display())))?;
    println!("{}", path.display());
    Ok(format!(
        "all {} packages that {PROGRAM} links are in its bill of materials; 3 planted mistakes found",
        linked.len()
    ))
}

/// The document: the program, and every package that is linked into it, with its licence, its checksum and what it depends on. Metadata know all edges, but with the features of all
/// programs of the workspace; so packages that are not linked into this one are left out.
fn of(
    metadata: &Value,
    program: &str,
    linked: &BTreeSet<Package>,
    checksums: &BTreeMap<Package, String>,
) -> Result<Value, String> {
    let unexpected = || "metadata: unexpected answer".to_owned();
    let list = |value: &Value| value.as_array().cloned().ok_or_else(unexpected);
    let packages: BTreeMap<String, Value> = list(&metadata["packages"])?
        .into_iter()
        .map(|package| (text(&package["id"]), package))
        .collect();
    let is_linked = |id: &String| {
        let package = packages.get(id);
        package.is_some_and(|package| linked.contains(&named(package)))
    };
    let edges: BTreeMap<String, Vec<String>> = list(&metadata["resolve"]["nodes"])?
        .into_iter()
        .map(|node| {
            let mut next = normal(&node["deps"]);
            next.retain(is_linked);
            (text(&node["id"]), next)
        })
        .collect();
    let start = packages.iter().find(|(_, package)| package["name"] == program);
    let (start, _) = start.ok_or_else(unexpected)?;
    let (mut seen, mut open) = (BTreeSet::from([start]), vec![start]);
    while let Some(id) = open.pop() {
        let next = edges.get(id).ok_or_else(unexpected)?;
        open.extend(next.iter().filter(|id| seen.insert(id)));
    }
    let reference = |id: &String| purl(&packages[id]);
    let components = seen.iter().filter(|id| **id != start);
    let components: Vec<Value> =
        components.map(|id| component(&packages[*id], "library", checksums)).collect();
    let depends = |id: &&String| {
        let on: BTreeSet<String> = edges[*id].iter().map(reference).collect();
        json!({ "ref": reference(id), "dependsOn": on })
    };
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": component(&packages[start], "application", checksums) },
        "components": components,
        "dependencies": seen.iter().map(depends).collect::<Vec<_>>(),
    }))
}

/// What is wrong with a document: packages that are linked and not in it, or in it and not linked; a package of a registry without its checksum, or with no licence.
fn missing(
    document: &Value,
    linked: &BTreeSet<Package>,
    checksums: &BTreeMap<Package, String>,
) -> Vec<String> {
    let components = document["components"].as_array().into_iter().flatten();
    let listed: BTreeMap<Package, &Value> = components
        .chain([&document["metadata"]["component"]])
        .map(|component| (named(component), component))
        .collect();
    let mut findings = Vec::new();
    for package in linked {
        let Some(component) = listed.get(package) else {
            findings.push(format!("{} {} is linked, and not listed", package.0, package.1));
            continue;
        };
        if checksums.get(package).is_some_and(|sum| component["hashes"][0]["content"] != **sum) {
            findings.push(format!("{} {} is listed with another checksum", package.0, package.1));
        }
        if component["licenses"][0]["expression"].as_str().is_none_or(str::is_empty) {
            findings.push(format!("{} {} is listed without a licence", package.0, package.1));
        }
    }
    let others = listed.keys().filter(|package| !linked.contains(*package));
    findings.extend(
        others.map(|(name, version)| format!("{name} {version} is listed, and not linked")),
    );
    findings
}

/// The packages of what `cargo tree --prefix none` prints.
fn linked(tree: &str) -> BTreeSet<Package> {
    let package = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned()))
    };
    tree.lines().filter_map(package).collect()
}

/// What a mistake does to the packages that are listed.
type Change = fn(&mut Vec<Value>);

/// One package left out, one of another version, one with another checksum.
fn planted(
    document: &Value,
    linked: &BTreeSet<Package>,
    checksums: &BTreeMap<Package, String>,
) -> Vec<String> {
    let changes: [(&str, Change); 3] = [
        ("a package that is left out", |all| drop(all.pop())),
        ("a package of another version", |all| all[0]["version"] = "0.0.0".into()),
        ("a package with another checksum", |all| {
            let from_registry = all.iter_mut().find(|one| one["hashes"].is_array());
            from_registry.expect("there are some")["hashes"][0]["content"] = "00".into();
        }),
    ];
    let is_found = |change: Change| {
        let mut document = document.clone();
        document["components"].as_array_mut().is_some_and(|components| {
            change(components);
            true
        }) && !missing(&document, linked, checksums).is_empty()
    };
    let unnoticed = changes.into_iter().filter(|(_, change)| !is_found(*change));
    unnoticed.map(|(what, _)| not_found(what)).collect()
}

/// What cargo says is linked, which takes the features of this program alone.
fn cargo_tree(root: &Path, host: &str) -> Result<String, String> {
    let mut command = cargo();
    command.args(["tree", "--locked", "-p", PROGRAM, "-e", "normal", "--prefix", "none"]);
    command.args(["--no-dedupe", "--target", host]).current_dir(root);
    succeed(&mut command)
}

/// The target that programs are built for here.
fn host() -> Result<String, String> {
    let mut rustc = std::process::Command::new("rustc");
    let version = succeed(rustc.arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not tell its host".into())
}

/// The packages of a registry in a lock file, with their checksums.
fn checksums(lock: &str) -> BTreeMap<Package, String> {
    let entry = |entry: &str| {
        let value = |key: &str| {
            let line = entry.lines().find_map(|line| line.strip_prefix(key))?;
            Some(line.trim_matches('"').to_owned())
        };
        Some(((value("name = ")?, value("version = ")?), value("checksum = ")?))
    };
    lock.split("[[package]]").filter_map(entry).collect()
}

/// The packages that are linked, out of a node's dependencies: neither those of tests nor those of build scripts.
fn normal(dependencies: &Value) -> Vec<String> {
    let is_normal = |dependency: &&Value| {
        let kinds = dependency["dep_kinds"].as_array().into_iter().flatten();
        kinds.into_iter().any(|kind| kind["kind"].is_null())
    };
    let all = dependencies.as_array().into_iter().flatten();
    all.filter(is_normal).map(|dependency| text(&dependency["pkg"])).collect()
}

fn component(package: &Value, kind: &str, checksums: &BTreeMap<Package, String>) -> Value {
    let (name, version) = named(package);
    let mut component = json!({
        "type": kind,
        "bom-ref": purl(package),
        "name": name,
        "version": version,
        "purl": purl(package),
        // Some old packages write a slash for "or".
        "licenses": [{ "expression": text(&package["license"]).replace('/', " OR ") }],
    });
    if let Some(checksum) = checksums.get(&(name, version)) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    component
}

fn named(package: &Value) -> Package {
    (text(&package["name"]), text(&package["version"]))
}

fn purl(package: &Value) -> String {
    format!("pkg:cargo/{}@{}", text(&package["name"]), text(&package["version"]))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "version = 4\n\n[[package]]\nname = \"used\"\nversion = \"1.2.0\"\nsource = \"registry\"\nchecksum = \"ab12\"\n\n\
        [[package]]\nname = \"program\"\nversion = \"0.1.0\"\ndependencies = [\n \"used\",\n]\n";

    const TREE: &str =
        "program v0.1.0 (/somewhere)\nused v1.2.0\nused v1.2.0 (*)\n\n[build-dependencies]\n";

    fn package(name: &str, version: &str) -> Package {
        (name.to_owned(), version.to_owned())
    }

    /// A program that links `used`, and has `tests` for its tests and `built` for its build script.
    fn metadata() -> Value {
        let package = |name: &str, version: &str| json!({ "id": name, "name": name, "version": version, "license": "MIT/Apache-2.0" });
        let dependency =
            |name: &str, kind: Value| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        json!({
            "packages": [package("program", "0.1.0"), package("used", "1.2.0"), package("tests", "3.0.0"), package("built", "4.0.0")],
            "resolve": { "nodes": [
                { "id": "program", "deps": [
                    dependency("used", Value::Null), dependency("tests", "dev".into()), dependency("built", "build".into()),
                ] },
                { "id": "used", "deps": [] }, { "id": "tests", "deps": [] }, { "id": "built", "deps": [] },
            ] },
        })
    }

    fn document() -> Value {
        of(&metadata(), "program", &linked(TREE), &checksums(LOCK)).unwrap()
    }

    #[test]
    fn packages_are_read_of_the_tree_and_of_the_lock_file() {
        let both = BTreeSet::from([package("program", "0.1.0"), package("used", "1.2.0")]);
        assert_eq!(linked(TREE), both);
        assert!(linked("used 1.2.0\nused\n").is_empty(), "no version begins without a v");
        assert_eq!(checksums(LOCK), BTreeMap::from([(package("used", "1.2.0"), "ab12".into())]));
    }

    #[test]
    fn what_is_linked_is_listed_and_nothing_else() {
        let document = document();
        assert_eq!(document["components"].as_array().unwrap().len(), 1);
        let used = &document["components"][0];
        assert_eq!(named(used), package("used", "1.2.0"));
        assert_eq!(used["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(used["hashes"][0]["content"], "ab12");
        let edges = json!([
            { "ref": "pkg:cargo/program@0.1.0", "dependsOn": ["pkg:cargo/used@1.2.0"] },
            { "ref": "pkg:cargo/used@1.2.0", "dependsOn": [] },
        ]);
        assert_eq!(document["dependencies"], edges);
        assert!(of(&metadata(), "another", &linked(TREE), &checksums(LOCK)).is_err());
        assert!(of(&json!({}), "program", &linked(TREE), &checksums(LOCK)).is_err());
    }

    #[test]
    fn each_thing_that_is_wrong_is_told() {
        let (linked, checksums) = (linked(TREE), checksums(LOCK));
        let told = |change: &dyn Fn(&mut Value)| {
            let mut document = document();
            change(&mut document);
            missing(&document, &linked, &checksums)
        };
        assert!(told(&|_| {}).is_empty());
        assert_eq!(
            told(&|all| all["components"] = json!([])),
            ["used 1.2.0 is linked, and not listed"]
        );
        assert_eq!(
            told(&|all| all["components"][0]["version"] = "1.2.1".into()),
            ["used 1.2.0 is linked, and not listed", "used 1.2.1 is listed, and not linked"]
        );
        let another = "used 1.2.0 is listed with another checksum";
        assert_eq!(
            told(&|all| all["components"][0]["hashes"][0]["content"] = "ab13".into()),
            [another]
        );
        assert_eq!(told(&|all| all["components"][0]["hashes"] = Value::Null), [another]);
        assert_eq!(
            told(&|all| all["components"][0]["licenses"][0]["expression"] = "".into()),
            ["used 1.2.0 is listed without a licence"]
        );
    }
}
