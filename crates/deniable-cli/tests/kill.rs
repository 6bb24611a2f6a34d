//! The program killed before every call that changes a file: what it leaves is whole or nothing, tells no answer, and can be gone on with.
//!
//! strace ends it before the n-th call of a kind, for all n there are. A write of which only a part arrives is for the tests of the ledger and of the memo.
#![cfg(unix)]
#![forbid(unsafe_code)]

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use tempfile::TempDir;

/// Calls that change what is on the disk; those with ? are not there on all machines.
const CALLS: [&str; 14] = [
    "openat",
    "write",
    "writev",
    "pwrite64",
    "ftruncate",
    "fsync",
    "fdatasync",
    "?link",
    "linkat",
    "?rename",
    "?renameat",
    "renameat2",
    "?unlink",
    "unlinkat",
];

/// In answers only.
const CANARY: &str = "CANARY7f3a";

/// The files that have answers in them, and others that are given.
const INPUTS: [(&str, &str); 5] = [
    ("certain.toml", CERTAIN),
    ("memo.toml", MEMO),
    ("answers.csv", ANSWERS),
    ("numbers.csv", "town,n,other\nX,10,CANARY7f3a\nY,20,z\nCANARY7f3a,30,z\n"),
    ("keys.txt", "X\nY\n"),
];

/// With this budget no answer is ever changed: once in 10^80. Two runs write the same.
const CERTAIN: &str = include_str!("certain.toml");

/// Two runs write the same only by the memo, but for once in 10^9.
const MEMO: &str = r#"
version = 1
id = "person"

[[question]]
name = "moved"
kind = "several"
choices = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]
most = 2
epsilon = 0.1
"#;

const ANSWERS: &str = "\
person,region,moved,transport,extra
p1,north,yes,bus,CANARY7f3a
CANARY7f3a,south,no,CANARY7f3a,x
p3,north,CANARY7f3a,car,x
p4,north,no,car,CANARY7f3a
";

/// Each writes `out.` something.
const COMMANDS: [&str; 9] = [
    "randomize certain.toml answers.csv -o out.csv",
    "randomize certain.toml answers.csv -o out.parquet",
    "randomize certain.toml answers.csv -o out.arrow --ledger ledger.jsonl --data d",
    "randomize memo.toml answers.csv -o out.csv --memo key",
    "randomize memo.toml answers.csv -o out.csv --memo key --memo-answers --ledger ledger.jsonl --data d",
    "release numbers.csv --columns n --sensitivity 1 --scale 1e-300 -o out.parquet --ledger ledger.jsonl --data d",
    "release numbers.csv --count-by town --keys keys.txt --scale 0.01 -o out.csv --ledger ledger.jsonl --data d",
    // This takes several writes.
    "release many.csv --columns n --sensitivity 1 --scale 1e-300 -o out.csv",
    "count certain.toml reports.csv -o out.counts.json",
];

#[test]
fn killed_before_any_call_it_leaves_all_or_nothing() {
    if !strace_works() {
        assert!(std::env::var_os("DENIABLE_NEED_STRACE").is_none(), "strace cannot be run");
        println!("skipped: strace cannot be run");
        return;
    }
    for line in COMMANDS {
        let mut killed = [0; CALLS.len()];
        for (call, killed) in CALLS.iter().zip(&mut killed) {
            while was_killed(line, call, *killed + 1) {
                *killed += 1;
            }
        }
        println!("{line}: {killed:?}");
        // The program writes, syncs, and moves: fewer would mean that other calls are used than are known here.
        for (call, least) in [("openat", 3), ("write", 1), ("fsync", 2), ("linkat", 1)] {
            let place = CALLS.iter().position(|known| *known == call).unwrap();
            assert!(killed[place] >= least, "{line}: {call}");
        }
    }
}

fn strace_works() -> bool {
    let mut strace = Command::new("strace");
    let done = strace.args(["-f", "-o", "/dev/null", "true"]).output();
    done.is_ok_and(|done| done.status.success())
}

/// Kills the program before this call, looks at what is left, and says whether it came so far.
fn was_killed(line: &str, call: &str, n: u32) -> bool {
    let folder = folder();
    let inject = format!("inject={call}:signal=KILL:when={n}");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject]);
    strace.arg(env!("CARGO_BIN_EXE_deniable"));
    let done = run_in(folder.path(), strace.args(line.split(' ')));
    let is_killed = done.status.signal() == Some(9);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(is_killed || done.status.success(), "{line}, {call} {n}: {said}");
    assert!(!holds_canary(&done.stdout) && !holds_canary(&done.stderr), "{line}, {call} {n}");
    assert!(is_killed || output(folder.path(), line).exists());
    if let Some(problem) = problem(folder.path(), line) {
        panic!("{line}, killed before {call} {n}: {problem}");
    }
    is_killed
}

/// A folder with the inputs, reports, and a ledger of which nothing is spent.
fn folder() -> TempDir {
    static MODEL: LazyLock<TempDir> = LazyLock::new(|| {
        let model = TempDir::new().unwrap();
        INPUTS.iter().for_each(|(name, text)| fs::write(model.path().join(name), text).unwrap());
        let many = format!("n\n{}", "1234567\n".repeat(100_000));
        fs::write(model.path().join("many.csv"), many).unwrap();
        succeeds(model.path(), "randomize certain.toml answers.csv -o reports.csv");
        succeeds(model.path(), "ledger init ledger.jsonl --budget d=1e305");
        model
    });
    let folder = TempDir::new().unwrap();
    for name in names(MODEL.path()) {
        fs::copy(MODEL.path().join(&name), folder.path().join(&name)).unwrap();
    }
    folder
}

/// What is wrong with a folder in which the command was run.
fn problem(folder: &Path, line: &str) -> Option<String> {
    let canary = |name: &String| {
        let is_input = INPUTS.iter().any(|(input, _)| input == name);
        !is_input && holds_canary(&fs::read(folder.join(name)).unwrap())
    };
    if let Some(name) = names(folder).into_iter().find(canary) {
        return Some(format!("an answer is in {name}"));
    }
    let entries = || {
        let done = deniable(folder, "ledger show ledger.jsonl --json");
        let shown: serde_json::Value = serde_json::from_slice(&done.stdout).ok()?;
        Some(shown["entries"].as_array()?.len())
    };
    let Some(spent) = entries() else { return Some("the ledger cannot be read".to_owned()) };
    let found = fs::read(output(folder, line)).ok();
    if found.is_some() && line.contains("--ledger") && spent == 0 {
        return Some("there is a result that nobody paid for".to_owned());
    }
    let again = line.replace("-o out.", "-o again.");
    let done = deniable(folder, &again);
    if !done.status.success() {
        return Some(format!("it cannot be run again: {}", String::from_utf8_lossy(&done.stderr)));
    }
    if line.contains("--ledger") && entries() != Some(spent + 1) {
        return Some("a debit was lost".to_owned());
    }
    let whole = fs::read(output(folder, &again)).unwrap();
    found.filter(|found| *found != whole).map(|_| "there is a part of a result".to_owned())
}

/// The file behind -o.
fn output(folder: &Path, line: &str) -> PathBuf {
    folder.join(line.split(' ').skip_while(|word| *word != "-o").nth(1).unwrap())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn holds_canary(bytes: &[u8]) -> bool {
    bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes())
}

fn succeeds(folder: &Path, line: &str) {
    let done = deniable(folder, line);
    assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
}

fn deniable(folder: &Path, line: &str) -> Output {
    run_in(folder, Command::new(env!("CARGO_BIN_EXE_deniable")).args(line.split(' ')))
}

fn run_in(folder: &Path, command: &mut Command) -> Output {
    // Cargo's list of folders would be searched for every library.
    let command = command.env_remove("LD_LIBRARY_PATH").env("TMPDIR", folder);
    command.current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

/// Mistakes that a program could make are seen in what it leaves.
#[test]
fn planted_mistakes_are_found() {
    let found = |line: &str, plant: &dyn Fn(&Path)| {
        let folder = folder();
        succeeds(folder.path(), line);
        plant(folder.path());
        problem(folder.path(), line).unwrap_or_default()
    };
    let write = |name: &'static str, bytes: &'static [u8]| {
        move |folder: &Path| fs::write(folder.join(name), bytes).unwrap()
    };
    for line in COMMANDS {
        assert_eq!(found(line, &|_| ()), "", "{line}");
        let cut = |folder: &Path| {
            let file = fs::File::options().write(true).open(output(folder, line)).unwrap();
            file.set_len(file.metadata().unwrap().len() - 1).unwrap();
        };
        assert!(found(line, &cut).contains("a part"), "{line}");
        let partial = write(".out.1.partial", b"...CANARY7f3a");
        assert!(found(line, &partial).contains(".out.1.partial"), "{line}");
    }
    let [_, _, paid, memo, ..] = COMMANDS;
    assert!(found(memo, &write("key", b"")).contains("run again"));
    assert!(found(memo, &write("key.responses", b"")).contains("run again"));
    let forget = |names: &'static [&str]| {
        move |folder: &Path| {
            names.iter().for_each(|name| fs::remove_file(folder.join(name)).unwrap());
        }
    };
    assert!(found(memo, &forget(&["key"])).contains("run again"));
    assert!(found(memo, &forget(&["key.responses"])).contains("run again"));
    assert!(found(memo, &forget(&["key", "key.responses"])).contains("a part"));
    assert!(found(paid, &write("ledger.jsonl", b"{")).contains("cannot be read"));
    let unpaid = |folder: &Path| {
        let text = fs::read_to_string(folder.join("ledger.jsonl")).unwrap();
        let header = format!("{}\n", text.lines().next().unwrap());
        fs::write(folder.join("ledger.jsonl"), header).unwrap();
    };
    assert!(found(paid, &unpaid).contains("nobody paid"));
}
