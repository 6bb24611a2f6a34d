//! The program ended by a signal before every call that changes a file.
//!
//! strace sends it before the n-th call of a kind, for all n there are. It counts the calls of each thread by itself, and the first that comes to n ends all: while a thread writes rows in the background, calls of another before its own n-th are not interrupted. Here that thread has few rows; `large` has many. A write of which only a part arrives is for the tests of the ledger and of the memo, and for `disk`.

use std::fs;

use super::commands::{ROWS, Row, folder, undisturbed};
use super::entropy::traced;
use super::judge::{May, fault};
use super::{can_trace, is_thorough, on_all};

/// Calls that change what is on the disk and that the program uses; those with ? are not there on all machines.
const CALLS: [&str; 12] = [
    "openat",
    "write",
    "ftruncate",
    "fsync",
    "?link",
    "linkat",
    "?rename",
    "?unlink",
    "unlinkat",
    "?mkdir",
    "mkdirat",
    "?rmdir",
];

/// Others, which it does not use. One that it begins to use is to be moved above.
const UNUSED: &str = "?creat,?open,writev,pwrite64,pwritev,fdatasync,?renameat,renameat2,truncate,fallocate,sendfile,copy_file_range,splice";

/// Signals that end it: nobody can catch the first, a terminal sends the second, and a machine that is shut down the third.
pub(crate) const SIGNALS: [(&str, i32); 3] = [("KILL", 9), ("INT", 2), ("TERM", 15)];

/// So many of the rows are tried every day, with the first signal.
const EVERY_DAY: usize = 9;

#[test]
fn killed_before_any_call_it_leaves_all_or_nothing() {
    if !can_trace("signals before calls") {
        return;
    }
    let count = if is_thorough() { ROWS.len() } else { EVERY_DAY };
    let signals = if is_thorough() { &SIGNALS[..] } else { &SIGNALS[..1] };
    let changes =
        |row: &&Row| !row.outputs().is_empty() || row.pays() || row.line.contains(" -o -");
    let cases: Vec<_> = ROWS[..count]
        .iter()
        .filter(changes)
        .flat_map(|row| signals.iter().map(move |signal| (row, signal)))
        .collect();
    on_all(&cases, |&(row, signal)| {
        let mut killed = [0; CALLS.len()];
        for (call, killed) in CALLS.iter().zip(&mut killed) {
            while was_ended(row, call, signal, *killed + 1) {
                *killed += 1;
            }
        }
        assert!(!was_ended(row, UNUSED, signal, 1), "{}: a call that is not known", row.line);
        println!("{}, {}: {killed:?}", row.line, signal.0);
        assert_known(row, &killed);
    });
}

/// The program writes, syncs, and moves: fewer would mean that other calls are used than are known here.
fn assert_known(row: &Row, killed: &[u32; CALLS.len()]) {
    let times = |call: &str| killed[CALLS.iter().position(|known| *known == call).unwrap()];
    assert!(times("openat") >= 3 && times("write") >= 1, "{}", row.line);
    if row.line.contains(" -o out.") {
        assert!(times("fsync") >= 2 && times("?link") + times("linkat") >= 1, "{}", row.line);
    }
}

/// Ends the program before this call, looks at what is left, and says whether it came so far.
fn was_ended(row: &Row, call: &str, (name, number): &(&str, i32), n: u32) -> bool {
    let folder = folder();
    let inject = format!("inject={call}:signal={name}:when={n}");
    let done = traced(&inject, folder.path(), row);
    let is_ended = done.signal() == Some(*number);
    let found = fault(row, folder.path(), &done, May::Die);
    assert_eq!(found, None, "{}: {name} before {call} {n}", row.line);
    assert!(is_ended || done.is_success(), "{}: {:?}", row.line, done.status);
    is_ended
}

/// Mistakes that a program could make are seen in what it leaves.
#[test]
fn planted_mistakes_are_found() {
    let found = |row: &Row, plant: &dyn Fn(&std::path::Path)| {
        let folder = folder();
        let done = undisturbed(folder.path(), row, row.line);
        assert!(done.is_success(), "{}: {}", row.line, done.err());
        plant(folder.path());
        fault(row, folder.path(), &done, May::Die).unwrap_or_default()
    };
    let write = |name: &'static str, bytes: &'static [u8]| {
        move |folder: &std::path::Path| fs::write(folder.join(name), bytes).unwrap()
    };
    for row in &ROWS[..EVERY_DAY] {
        let [output] = row.outputs()[..] else { panic!("{}", row.line) };
        assert_eq!(found(row, &|_| ()), "", "{}", row.line);
        let cut = |folder: &std::path::Path| {
            let file = fs::File::options().write(true).open(folder.join(output)).unwrap();
            file.set_len(file.metadata().unwrap().len() - 1).unwrap();
        };
        assert!(found(row, &cut).contains("a part"), "{}", row.line);
        let partial = write(".out.1.partial", b"...CANARY7f3a");
        assert!(found(row, &partial).contains(".out.1.partial"), "{}", row.line);
        println!("planted mistake found: a part of {output}, an answer beside it");
    }
    let [_, _, paid, memo, ..] = ROWS else { panic!("rows") };
    assert!(found(memo, &write("key", b"")).contains("run again"));
    assert!(found(memo, &write("key.responses", b"")).contains("run again"));
    let forget = |names: &'static [&str]| {
        move |folder: &std::path::Path| {
            names.iter().for_each(|name| fs::remove_file(folder.join(name)).unwrap());
        }
    };
    assert!(found(memo, &forget(&["key"])).contains("run again"));
    assert!(found(memo, &forget(&["key.responses"])).contains("run again"));
    assert!(found(memo, &forget(&["key", "key.responses"])).contains("a part"));
    assert!(found(paid, &write("ledger.jsonl", b"{")).contains("cannot be read"));
    let unpaid = |folder: &std::path::Path| {
        let text = fs::read_to_string(folder.join("ledger.jsonl")).unwrap();
        let header = format!("{}\n", text.lines().next().unwrap());
        fs::write(folder.join("ledger.jsonl"), header).unwrap();
    };
    assert!(found(paid, &unpaid).contains("nobody paid"));
    println!("planted mistake found: a memo or a ledger that is damaged");
}
