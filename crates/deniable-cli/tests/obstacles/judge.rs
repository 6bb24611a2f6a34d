//! What is wrong with what a program left and said.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::commands::{CANARY, INPUTS, LARGE, PROGRAM, Row, files, undisturbed};
use super::run::{Done, run};

/// How a program ended that had something in its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum May {
    /// It must fail, with this code.
    Fail(i32),
    /// Either is right: what was in its way need not concern it. If it fails, then with this code.
    FailOr(i32),
    /// It must work.
    Work,
    /// It is killed.
    Die,
}

/// What is wrong with a run of a row and with the folder it was run in, which is used up.
pub(crate) fn fault(row: &Row, folder: &Path, done: &Done, may: May) -> Option<String> {
    said(done, may).or_else(|| left(row, folder, done, may))
}

/// What is wrong with how it ended and what it said.
pub(crate) fn said(done: &Done, may: May) -> Option<String> {
    let (code, err) = (done.status.code(), done.err());
    if holds_canary(&done.stdout) || holds_canary(&done.stderr) {
        return Some("it said an answer".to_owned());
    }
    let right = match may {
        May::Fail(expected) => code == Some(expected),
        May::FailOr(expected) => code == Some(0) || code == Some(expected),
        May::Work => code == Some(0),
        May::Die => code.is_none() || code == Some(0),
    };
    if !right {
        return Some(format!("it ended with {:?}: {err}", done.status));
    }
    if code.is_some_and(|code| code != 0) {
        let is_clear = err.lines().any(|line| line.starts_with("error: ") && line.len() > 12);
        if !is_clear || err.contains("panicked") || err.contains("defect") {
            return Some(format!("it failed without a clear error: {err}"));
        }
    }
    None
}

/// What is wrong with what it left.
pub(crate) fn left(row: &Row, folder: &Path, done: &Done, may: May) -> Option<String> {
    let is_input = |name: &str| name == LARGE || INPUTS.iter().any(|(input, _)| *input == name);
    let found = files(folder);
    for name in &found {
        let bytes = fs::read(folder.join(name)).unwrap_or_default();
        if !is_input(name) && holds_canary(&bytes) {
            return Some(format!("an answer is in {name}"));
        }
        if may != May::Die && name.ends_with(".partial") {
            return Some(format!("{name} is left"));
        }
    }
    let failed = done.status.code() != Some(0);
    let has_ledger = row.line.contains("ledger.jsonl");
    let entries = || if has_ledger { entries(folder) } else { Some(0) };
    let Some(spent) = entries() else { return Some("the ledger cannot be read".to_owned()) };
    let results = results(folder, "out.");
    let is_out = !results.is_empty() || printed_rows(row, folder, done);
    if row.pays() && spent == 0 && (is_out || !failed) {
        return Some("there is a result that nobody paid for".to_owned());
    }
    if !failed && row.outputs().iter().any(|name| !folder.join(name).exists()) {
        return Some("it says that all is well, and there is no result".to_owned());
    }
    let again = undisturbed(folder, row, &row.again());
    if !again.is_success() {
        return Some(format!("it cannot be run again: {}", again.err()));
    }
    if row.pays() && entries() != Some(spent + 1) {
        return Some("a debit was lost".to_owned());
    }
    let whole = self::results(folder, "again.");
    for (name, bytes) in &results {
        let Some(whole) = whole.get(name) else { return Some(format!("{name} is too much")) };
        let is_whole = if row.is_certain { bytes == whole } else { is_alike(name, bytes, whole) };
        if !is_whole {
            return Some(format!("there is a part of a result, {name}"));
        }
    }
    if !failed && results.len() != whole.len() {
        return Some("it says that all is well, and a result is missing".to_owned());
    }
    printed(row, done, &again)
}

/// What is wrong with what it printed.
fn printed(row: &Row, done: &Done, again: &Done) -> Option<String> {
    // What was spent before is in it.
    let changes = row.line.starts_with("ledger") || row.pays() && !row.line.contains(" -o -");
    let is_whole = match row.is_certain && !changes {
        true if done.is_success() => done.stdout == again.stdout,
        true => again.stdout.starts_with(&done.stdout),
        false => !done.is_success() || done.stdout.is_empty() == again.stdout.is_empty(),
    };
    (!is_whole).then(|| "it printed something else than a result".to_owned())
}

/// Whether more came out than the names of columns.
fn printed_rows(row: &Row, folder: &Path, done: &Done) -> bool {
    let (Some(stdin), true) = (row.stdin, row.line.contains(" -o -")) else { return false };
    let text = fs::read_to_string(folder.join(stdin)).unwrap();
    fs::write(folder.join("heading"), text.lines().next().unwrap()).unwrap();
    let line = row.line.split(" --ledger").next().unwrap();
    let none = run(&PROGRAM, folder, line, Some("heading"));
    fs::remove_file(folder.join("heading")).unwrap();
    done.stdout.len() > none.stdout.len()
}

/// What was written, by the rest of its name; what a file that is not finished is called tells that.
fn results(folder: &Path, start: &str) -> BTreeMap<String, Vec<u8>> {
    let is_result = |name: &String| name.starts_with(start) && !name.ends_with(".partial");
    let names = files(folder).into_iter().filter(is_result);
    names
        .map(|name| (name[start.len()..].to_owned(), fs::read(folder.join(&name)).unwrap()))
        .collect()
}

/// Whether a result that is not the same in every run is as whole as another, by its format.
fn is_alike(name: &str, bytes: &[u8], other: &[u8]) -> bool {
    let lines = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count();
    let is_json = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).is_ok();
    match name.rsplit('.').next() {
        Some("csv") => lines(bytes) == lines(other) && bytes.ends_with(b"\n"),
        Some("parquet") => bytes.len() > 8 && bytes.ends_with(b"PAR1"),
        Some("html") => bytes.ends_with(b"</html>\n"),
        Some("json") => is_json(bytes),
        _ => bytes == other,
    }
}

/// The debits in the ledger; none if it cannot be read.
pub(crate) fn entries(folder: &Path) -> Option<usize> {
    let done = run(&PROGRAM, folder, "ledger show ledger.jsonl --json", None);
    let shown: serde_json::Value = serde_json::from_slice(&done.stdout).ok()?;
    Some(shown["entries"].as_array()?.len())
}

pub(crate) fn holds_canary(bytes: &[u8]) -> bool {
    bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes())
}
