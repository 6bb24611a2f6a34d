//! Seals that tie each `proof.md` to the code it covers.
//!
//! A proof says near its end what it is about, with paths relative to itself:
//!
//! ```text
//! Covers: `mod.rs`, `../digits.rs`.
//! ```
//!
//! `proof.lock` at the root keeps a hash of each proof's text and of the code it covers. When either
//! changes the check fails until somebody has read the proof again and resealed it. Formatting, comments
//! and tests may change freely: the hash is taken over the tokens that are left without them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use sha2::{Digest, Sha256};

pub use code::code_hash;
pub(crate) use code::is_test;

mod code;

/// The lock's name in the root of the workspace.
pub const LOCK: &str = "proof.lock";

/// What was wrong, one finding a line.
pub type Findings = Vec<String>;

/// `verify seal [--check]`.
///
/// # Errors
///
/// The findings that keep the proofs from being sealed, or, with `--check`, from being in force.
pub fn command(root: &Path, arguments: &[String]) -> Result<ExitCode, Findings> {
    match arguments {
        [] => {
            let changed = reseal(root)?;
            for line in &changed {
                println!("{line}: read this proof again");
            }
            println!("{} proofs sealed, {} changes", survey(root)?.len(), changed.len());
        }
        [flag] if flag == "--check" => {
            println!("result: {} proofs are of the code that is there", check(root)?)
        }
        _ => return Err(vec!["usage: seal [--check]".into()]),
    }
    Ok(ExitCode::SUCCESS)
}

/// Compares the tree with its lock, and returns how many proofs are sealed.
///
/// # Errors
///
/// One finding for each proof, covered file or stale entry of the lock that does not match.
pub fn check(root: &Path) -> Result<usize, Findings> {
    let now = survey(root)?;
    let changed = changes(&read_lock(root)?, &now);
    if changed.is_empty() {
        return Ok(now.len());
    }
    let hint = "read the proof again, then run `cargo run -p deniable-verify -- seal`";
    Err(changed.into_iter().map(|line| format!("{line}: {hint}")).collect())
}

/// Writes the lock anew and returns what had changed since it was last written.
///
/// # Errors
///
/// What is wrong with the proofs themselves; the lock is then left as it was.
pub fn reseal(root: &Path) -> Result<Findings, Findings> {
    let now = survey(root)?;
    let changed = changes(&read_lock(root)?, &now);
    fs::write(root.join(LOCK), render(&now)).map_err(|error| vec![format!("{LOCK}: {error}")])?;
    Ok(changed)
}

/// The crates in which all code beside a proof, or in a folder below one, must be covered.
const NO_CODE_UNCOVERED: [&str; 1] = ["crates/deniable-sample/src"];

const HEADER: &str = "\
# The proofs, and under each the code it covers, with hashes (formatting, comments and tests aside).
# Written by `cargo run -p deniable-verify -- seal`, after the proofs that it names were read again.
";

/// Proofs by path.
type Seals = BTreeMap<String, Seal>;

#[derive(Debug, Default, PartialEq, Eq)]
struct Seal {
    text: String,
    code: BTreeMap<String, String>,
}

/// The seals as the tree would have them now.
fn survey(root: &Path) -> Result<Seals, Findings> {
    let mut seals = Seals::new();
    let mut findings = Findings::new();
    let files = files_below(root, Path::new("crates")).map_err(|error| vec![error])?;
    for proof in files.iter().filter(|file| file.file_name().is_some_and(|name| name == "proof.md"))
    {
        match seal(root, proof) {
            Ok(seal) => drop(seals.insert(slashed(proof), seal)),
            Err(found) => findings.extend(found),
        }
    }
    // An uncovered file is only news once the proofs themselves can be read.
    if findings.is_empty() {
        findings.extend(uncovered(root, &files, &seals));
    }
    if findings.is_empty() { Ok(seals) } else { Err(findings) }
}

fn seal(root: &Path, proof: &Path) -> Result<Seal, Findings> {
    let name = slashed(proof);
    let text = read(root, proof).map_err(|error| vec![error])?;
    let covered = covers(&text).map_err(|error| vec![format!("{name}: {error}")])?;
    let folder = proof.parent().unwrap_or(Path::new(""));
    let mut seal = Seal { text: hex(&Sha256::digest(&text)), code: BTreeMap::new() };
    let mut findings = Findings::new();
    for path in covered {
        let hashed = inside(&folder.join(&path))
            .ok_or_else(|| format!("{path} is outside the workspace"))
            .and_then(|file| Ok((read(root, &file)?, slashed(&file))))
            .and_then(|(source, file)| match code_hash(&source) {
                Ok(hash) => Ok((file, hash)),
                Err(error) => Err(format!("{file} does not parse: {error}")),
            });
        match hashed {
            Ok((file, hash)) => drop(seal.code.insert(file, hash)),
            Err(error) => findings.push(format!("{name}: covers what cannot be read: {error}")),
        }
    }
    if findings.is_empty() { Ok(seal) } else { Err(findings) }
}

/// The paths in the paragraph that starts with `Covers:`.
fn covers(text: &str) -> Result<Vec<String>, String> {
    let mut starts = text.lines().enumerate().filter(|(_, line)| line.starts_with("Covers:"));
    let start = starts.next().ok_or("has no line that starts with `Covers:`")?.0;
    if starts.next().is_some() {
        return Err("has more than one line that starts with `Covers:`".into());
    }
    let paragraph: Vec<_> =
        text.lines().skip(start).take_while(|line| !line.trim().is_empty()).collect();
    let paragraph = paragraph.join(" ");
    let quoted = paragraph.split('`').skip(1).step_by(2);
    let paths: Vec<_> =
        quoted.filter(|s| s.ends_with(".rs") || s.contains('/')).map(str::to_owned).collect();
    if paths.is_empty() {
        return Err("covers no file: name them as `mod.rs`".into());
    }
    Ok(paths)
}

/// Findings for the code that lies beside or below a proof, and that no proof covers.
fn uncovered(root: &Path, files: &[PathBuf], seals: &Seals) -> Findings {
    let covered: BTreeSet<_> = seals.values().flat_map(|seal| seal.code.keys()).collect();
    let strict = |file: &Path| NO_CODE_UNCOVERED.iter().any(|folder| file.starts_with(folder));
    let mut findings = Findings::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "rs")) {
        let proved = |folder: &&Path| seals.contains_key(&slashed(&folder.join("proof.md")));
        let folder = file.ancestors().skip(1).find(proved);
        let Some(folder) = folder.filter(|_| strict(file)) else { continue };
        if !covered.contains(&slashed(file)) && !is_test_module(root, folder, file) {
            let proof = slashed(&folder.join("proof.md"));
            findings.push(format!("{}: no proof covers it, see {proof}", slashed(file)));
        }
    }
    findings
}

/// Whether `file`, or a folder between it and `folder`, is declared as `#[cfg(test)] mod …;`.
fn is_test_module(root: &Path, folder: &Path, file: &Path) -> bool {
    let mut module = folder.to_owned();
    for component in file.strip_prefix(folder).into_iter().flat_map(Path::components) {
        let parents = [module.join("mod.rs"), module.with_extension("rs")];
        let source = parents.iter().find_map(|parent| read(root, parent).ok()).unwrap_or_default();
        let items = syn::parse_file(&source).map(|parent| parent.items).unwrap_or_default();
        let stem = Path::new(component.as_os_str()).file_stem();
        let declared = items.iter().any(|item| match item {
            syn::Item::Mod(declared) => {
                declared.content.is_none()
                    && stem.is_some_and(|stem| declared.ident == stem.to_string_lossy())
                    && code::is_test(declared)
            }
            _ => false,
        });
        if declared {
            return true;
        }
        module.push(component);
    }
    false
}

/// One line for each difference, with the proof and the file it is about.
fn changes(old: &Seals, new: &Seals) -> Findings {
    let mut lines = Findings::new();
    for (proof, is) in new {
        match old.get(proof) {
            Some(was) => lines.extend(changes_of(proof, was, is)),
            None => lines.push(format!("{proof}: not sealed yet")),
        }
    }
    let gone = old.keys().filter(|proof| !new.contains_key(*proof));
    lines.extend(gone.map(|proof| format!("{proof}: in {LOCK}, but there is no such proof")));
    lines
}

fn changes_of(proof: &str, was: &Seal, is: &Seal) -> Findings {
    let mut lines = Findings::new();
    if was.text != is.text {
        lines.push(format!("{proof}: its text changed"));
    }
    let files: BTreeSet<_> = was.code.keys().chain(is.code.keys()).collect();
    for file in files {
        match (was.code.get(file), is.code.get(file)) {
            (was, is) if was == is => {}
            (None, _) => lines.push(format!("{proof}: {file} is newly covered")),
            (_, None) => lines.push(format!("{proof}: {file} is no longer covered")),
            _ => lines.push(format!("{proof}: {file} changed")),
        }
    }
    lines
}

fn render(seals: &Seals) -> String {
    let mut text = HEADER.to_owned();
    for (proof, seal) in seals {
        let _ = write!(text, "\n{proof} {}\n", seal.text);
        for (file, hash) in &seal.code {
            let _ = writeln!(text, "    {file} {hash}");
        }
    }
    text
}

/// The seals of the lock; none where there is no lock yet.
fn read_lock(root: &Path) -> Result<Seals, Findings> {
    let text = match fs::read_to_string(root.join(LOCK)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Seals::new()),
        Err(error) => return Err(vec![format!("{LOCK}: {error}")]),
        Ok(text) => text,
    };
    let mut seals = Seals::new();
    for (number, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let malformed = || vec![format!("{LOCK}: line {} is malformed", number + 1)];
        let (path, hash) = line.trim_start().rsplit_once(' ').ok_or_else(malformed)?;
        let (path, hash) = (path.to_owned(), hash.to_owned());
        let unused = if line.starts_with(' ') {
            let mut current = seals.last_entry().ok_or_else(malformed)?;
            current.get_mut().code.insert(path, hash).is_none()
        } else {
            // Sorted, so that the last entry of the map is the proof that the next lines belong to.
            let sorted = seals.last_key_value().is_none_or(|(last, _)| *last < path);
            seals.insert(path, Seal { text: hash, code: BTreeMap::new() });
            sorted
        };
        if !unused {
            return Err(malformed());
        }
    }
    Ok(seals)
}

/// All files below `folder`, sorted, relative to `root`.
pub(crate) fn files_below(root: &Path, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |error| format!("{}: {error}", slashed(folder));
    let mut files = Vec::new();
    for entry in fs::read_dir(root.join(folder)).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = folder.join(entry.file_name());
        if !entry.file_type().map_err(failed)?.is_dir() {
            files.push(path);
        } else if entry.file_name() != "target" {
            files.extend(files_below(root, &path)?);
        }
    }
    files.sort();
    Ok(files)
}

fn read(root: &Path, file: &Path) -> Result<String, String> {
    fs::read_to_string(root.join(file)).map_err(|error| format!("{}: {error}", slashed(file)))
}

/// The path without `..`, if it does not lead out of the root.
fn inside(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => plain.push(name),
            Component::CurDir => {}
            Component::ParentDir if plain.pop() => {}
            _ => return None,
        }
    }
    Some(plain)
}

pub(crate) fn slashed(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
