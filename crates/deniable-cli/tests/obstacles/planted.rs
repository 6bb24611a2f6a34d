//! Programs with a mistake each, in the place of the real one: the checks find them.

use std::path::PathBuf;

use tempfile::TempDir;

use super::commands::{PROGRAM, ROWS, Row, folder, install};
use super::disk::into_full;
use super::judge::{May, fault, said};
use super::run::{Wall, run, run_behind};

/// A script in which `$real` is the real program.
pub(crate) struct Stub(TempDir);

impl Stub {
    pub(crate) fn new(script: &str) -> Self {
        let stub = Stub(TempDir::new().unwrap());
        let script = format!("#!/bin/sh\nreal='{}'\n{script}\n", PROGRAM.display());
        install(&stub.path(), &script);
        stub
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("deniable")
    }
}

/// `randomize … -o out.csv`, and the same with a ledger.
fn rows() -> [&'static Row; 2] {
    [&ROWS[0], &ROWS[2]]
}

/// What is found of a program with this mistake.
fn found(script: &str, row: &Row, may: May) -> String {
    let (stub, folder) = (Stub::new(script), folder());
    let done = run(&stub.path(), folder.path(), row.line, row.stdin);
    fault(row, folder.path(), &done, may).unwrap_or_default()
}

#[test]
fn mistakes_in_what_is_said_are_found() {
    let [row, _] = rows();
    for (script, problem) in [
        ("echo CANARY7f3a >&2; exit 1", "said an answer"),
        ("echo \"error: in the row of CANARY7f3a\" >&2; exit 1", "said an answer"),
        ("exit 1", "without a clear error"),
        ("echo error: >&2; exit 1", "without a clear error"),
        ("echo 'error: a defect of the program, at x' >&2; exit 1", "without a clear error"),
        ("echo 'error: the disk is full' >&2; exit 101", "ended with"),
        ("kill -ABRT $$", "ended with"),
        ("exec \"$real\" \"$@\"", "ended with"),
    ] {
        assert!(found(script, row, May::Fail(1)).contains(problem), "{script}");
        println!("planted mistake found: {problem}");
    }
    let right = "echo 'error: out.csv: no storage space' >&2; exit 1";
    assert_eq!(found(right, row, May::Fail(1)), "");
}

#[test]
fn mistakes_in_what_is_left_are_found() {
    let [row, paid] = rows();
    let fails = "echo 'error: out.csv: no storage space' >&2; exit 1";
    let half = "\"$real\" \"$@\" > /dev/null; head -c 40 out.csv > half; mv half out.csv";
    let spends = "\"$real\" ledger spend ledger.jsonl --data d --epsilon 1 > /dev/null";
    for (script, row, may, problem) in [
        (format!("{half}; {fails}"), row, May::Fail(1), "a part of a result"),
        (half.to_owned(), row, May::Work, "a part of a result"),
        ("exit 0".to_owned(), row, May::Work, "no result"),
        (format!("cp answers.csv out.csv; {fails}"), row, May::Fail(1), "an answer is in out.csv"),
        (format!("cp answers.csv log; {fails}"), row, May::Fail(1), "in log"),
        (format!("echo > .out.csv.7.partial; {fails}"), row, May::Fail(1), "partial is left"),
        (
            format!("\"$real\" randomize certain.toml answers.csv -o out.arrow; {fails}"),
            paid,
            May::Fail(1),
            "nobody paid",
        ),
        (
            format!("printf '{{\"entry' > ledger.jsonl; {fails}"),
            paid,
            May::Fail(1),
            "cannot be read",
        ),
        (
            format!("{spends}; printf x >> ledger.jsonl; {fails}"),
            paid,
            May::Fail(1),
            "cannot be read",
        ),
        ("\"$real\" \"$@\"; echo more".to_owned(), row, May::Work, "something else"),
    ] {
        let found = found(&script, row, may);
        assert!(found.contains(problem), "{script}: {found:?}");
        println!("planted mistake found: {problem}");
    }
    // Spent, and no result: that is allowed.
    assert_eq!(found(&format!("{spends}; {fails}"), paid, May::Fail(1)), "");
}

/// A program that goes on without entropy, and one that takes what it was refused for zeros.
#[test]
fn results_without_entropy_are_found() {
    let [row, _] = rows();
    let made = folder();
    assert!(run(&PROGRAM, made.path(), row.line, None).is_success());
    let copy = format!("cp {} out.csv", made.path().join("out.csv").display());
    for error in [libc::EIO, libc::EAGAIN] {
        let (stub, folder) = (Stub::new(&copy), folder());
        let wall = Wall::GetrandomFails(error);
        let done = run_behind(wall, &stub.path(), folder.path(), row.line, None);
        let found = fault(row, folder.path(), &done, May::Fail(1)).unwrap_or_default();
        assert!(found.contains("ended with"), "{found:?}");
        println!("planted mistake found: a result without entropy");
    }
}

/// Writes that fail and nobody looks at: to a file, and to the standard output.
#[test]
fn writes_that_fail_unseen_are_found() {
    let [row, _] = rows();
    let (stub, folder) = (Stub::new("\"$real\" \"$@\"; echo 12345 > out.csv; exit 0"), folder());
    let done = run_behind(Wall::FileSize(3), &stub.path(), folder.path(), row.line, None);
    let found = fault(row, folder.path(), &done, May::Fail(1)).unwrap_or_default();
    assert!(found.contains("ended with"), "{found:?}");
    let prints = ROWS.iter().find(|row| row.line.starts_with("plan")).unwrap();
    let stub = Stub::new("\"$real\" \"$@\" | cat; exit 0");
    let done = into_full(&stub.path(), prints, folder.path(), true, false);
    assert!(said(&done, May::Fail(1)).unwrap_or_default().contains("ended with"));
    println!("planted mistake found: writes that fail unseen");
}

/// The walls stand: the same programs that are refused entropy or size behind them work without.
#[test]
fn walls_stand() {
    let folder = folder();
    let tool =
        |wall, line: &str| run_behind(wall, "/usr/bin/env".as_ref(), folder.path(), line, None);
    let (none, some) = (Wall::FileSize(0), Wall::FileSize(1 << 20));
    assert!(tool(some, "tee written").is_success());
    assert!(!tool(none, "cp answers.csv copied").is_success());
    assert!(tool(some, "cp answers.csv copied").is_success());
    let entropy = "demo --respondents 500 --json";
    let behind =
        |error| run_behind(Wall::GetrandomFails(error), &PROGRAM, folder.path(), entropy, None);
    assert!(behind(libc::ENOSYS).is_success());
    assert!(!behind(libc::EIO).is_success());
}
