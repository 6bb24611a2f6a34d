//! The program with something in its way: no entropy, a disk that is full, a signal. What it leaves is whole or nothing and tells no answer, and what it says is an error.
//!
//! `DENIABLE_NEED_STRACE=1` tries every point, and fails where strace is missing. Without it a selection is tried, and what needs strace is skipped where it is not.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Output, Stdio};
use std::thread::scope;

use datafusion::arrow::array::{ArrayRef, RecordBatch, as_string_array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;

use crate::{CANARY, Folder, try_read};

const ROWS: usize = 3000;

/// The canary is in a column that is not selected, and in answers that are none of the list.
const QUERY: &str = "SELECT id, randomize_choice(mode, 'choices = [\"car\", \"bus\"], mechanism = \"randomized-response\", epsilon = 1.0') AS mode, randomize_yes_no(moved, 1.0) AS moved FROM t";

const COUNT: &str = "SELECT noisy_count(1, 'rows_per_person = 1, epsilon = 1.0') AS id FROM t";

const FORMATS: [&str; 3] = ["out.csv", "out.parquet", "out.arrow"];

fn folder() -> Folder {
    let answer = |i: usize| ["car", "bus", CANARY][i % 3];
    let row = |i| format!("{i},{CANARY},{},{}\n", answer(i), ["yes", "no"][i % 2]);
    let rows: String = (0..ROWS).map(row).collect();
    Folder::new().with("t.csv", &format!("id,note,mode,moved\n{rows}"))
}

/// The words of a query whose result goes to a file.
fn words<'a>(query: &'a str, name: &'a str) -> [&'a str; 7] {
    [query, "--table", "t=t.csv", "--threads", "1", "-o", name]
}

/// Runs the program behind other programs.
fn run_behind(before: &[&str], folder: &Folder, words: &[&str]) -> Output {
    let own = folder.command(words);
    let mut command = Command::new(before[0]);
    command.args(&before[1..]).arg(own.get_program()).args(own.get_args());
    command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    // Cargo's list of folders would be searched for every library.
    command.env_remove("LD_LIBRARY_PATH").current_dir(folder.0.path());
    command.stdin(Stdio::null()).output().unwrap()
}

/// Runs the program while strace changes what calls do.
fn traced(inject: &str, folder: &Folder, words: &[&str]) -> Output {
    let call = inject.split(':').next().unwrap();
    let (trace, inject) = (format!("trace={call}"), format!("inject={inject}"));
    // Who starts the tests in the background may have told them to ignore an interrupt, and what they start with them.
    let strace = ["env", "--default-signal=INT,TERM", "strace", "-f", "-o", "/dev/null", "-e"];
    run_behind(&[&strace[..], &[&trace, "-e", &inject]].concat(), folder, words)
}

/// Whether everything is to be tried.
fn is_thorough() -> bool {
    std::env::var_os("DENIABLE_NEED_STRACE").is_some()
}

fn can_trace(what: &str) -> bool {
    let done = Command::new("strace").args(["-f", "-o", "/dev/null", "true"]).status();
    let works = done.is_ok_and(|status| status.success());
    assert!(works || !is_thorough(), "{what}: strace does not work here");
    if !works {
        println!("skipped: {what}, for which strace is needed");
    }
    works
}

fn holds_canary(bytes: &[u8]) -> bool {
    bytes.windows(CANARY.len()).any(|part| part == CANARY.as_bytes())
}

/// Whether a file has all rows, by their numbers.
fn is_whole(folder: &Folder, name: &str) -> bool {
    let path = folder.path(name);
    let numbers: Vec<String> = if name.ends_with(".csv") {
        let text = fs::read_to_string(path).unwrap();
        let Some(lines) = text.strip_suffix('\n') else { return false };
        let number = |line: &str| line.split_once(',').unwrap_or_default().0.to_owned();
        lines.lines().skip(1).map(number).collect()
    } else {
        let column = |rows: RecordBatch| cast(rows.column(0), &DataType::Utf8).unwrap();
        let columns = try_read(&path).unwrap_or_default().into_iter().map(column);
        let texts = |column| as_string_array(&column).iter().flatten().map(str::to_owned).collect();
        columns.flat_map(|column: ArrayRef| -> Vec<String> { texts(column) }).collect()
    };
    numbers.into_iter().eq((0..ROWS).map(|i| i.to_string()))
}

/// What is wrong with what a run said and left. One that was ended by a signal may leave a file that is not finished.
fn fault(folder: &Folder, done: &Output) -> Option<String> {
    let (err, code) = (String::from_utf8_lossy(&done.stderr), done.status.code());
    if holds_canary(&done.stdout) || holds_canary(&done.stderr) {
        return Some("it said an answer".to_owned());
    }
    let is_clear = err.lines().any(|line| line.starts_with("error: ") && line.len() > 12);
    if !matches!(code, None | Some(0)) && (code != Some(1) || !is_clear || err.contains("defect")) {
        return Some(format!("it ended with {:?}: {err}", done.status));
    }
    let (results, others): (Vec<_>, Vec<_>) =
        left(folder).into_iter().partition(|name| name.starts_with("out."));
    for name in results.iter().chain(&others) {
        if holds_canary(&fs::read(folder.path(name)).unwrap()) {
            return Some(format!("an answer is in {name}"));
        }
    }
    let is_known = |name: &&String| code.is_none() && name.starts_with(".deniable-");
    if let Some(name) = others.iter().find(|name| !is_known(name)) {
        return Some(format!("{name} is left"));
    }
    match results.as_slice() {
        [] if code == Some(0) && done.stdout.is_empty() => Some("no result".to_owned()),
        [_, ..] if code == Some(1) => Some("it failed, and there is a result".to_owned()),
        names => names
            .iter()
            .find(|name| !is_whole(folder, name))
            .map(|name| format!("{name} is a part of a result")),
    }
}

/// The names of files that were not there before.
fn left(folder: &Folder) -> Vec<String> {
    folder.names().into_iter().filter(|name| name != "t.csv").collect()
}

/// Entropy that is there at first, and gone from the n-th call of a thread on, for all n there are.
#[test]
fn entropy_that_goes_away_is_an_error() {
    if !can_trace("entropy that goes away") {
        return;
    }
    for (query, function) in
        [(QUERY, "randomize_choice: no entropy"), (COUNT, "noisy_count: no entropy")]
    {
        let (mut n, mut draws) = (0, 0);
        loop {
            n += 1;
            let folder = folder();
            let words = words(query, "out.parquet");
            // The number has no file: what is left of it is not looked at.
            let words = if query == COUNT { &words[..5] } else { &words };
            let done = traced(&format!("getrandom:error=EIO:when={n}+"), &folder, words);
            assert!(done.status.code().is_some(), "{query}, from call {n} on: {:?}", done.status);
            assert_eq!(fault(&folder, &done), None, "{query}, from call {n} on");
            if done.status.success() {
                break;
            }
            let err = String::from_utf8_lossy(&done.stderr);
            assert!(err.contains("no entropy") && done.stdout.is_empty(), "{n}: {err}");
            draws += usize::from(err.contains(function));
        }
        // It fails at once without any, and some failed where noise was drawn.
        assert!((2..100).contains(&n) && draws > 0, "{query}: {n}, {draws}");
        println!("{function}: {draws} of {n}");
    }
    // Without the call there is a file.
    let folder = folder();
    let done = traced("getrandom:error=ENOSYS", &folder, &words(QUERY, "out.csv"));
    assert!(done.status.success() && fault(&folder, &done).is_none());
}

/// Files that cannot grow. The program lives on, and has to say what happened.
#[test]
fn a_file_that_cannot_grow_is_an_error() {
    for name in FORMATS {
        for (blocks, is_enough) in [(0, false), (1, false), (8, false), (16, false), (10_000, true)]
        {
            // A write beyond the size comes with a signal, which is ignored.
            let limit = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
            let folder = folder();
            let done = run_behind(&["sh", "-c", &limit], &folder, &words(QUERY, name));
            assert_eq!(fault(&folder, &done), None, "{name}, {blocks} blocks");
            let code = if is_enough { 0 } else { 1 };
            assert_eq!(done.status.code(), Some(code), "{name}, {blocks} blocks");
        }
    }
}

/// Calls that fail when all is written.
#[test]
fn a_file_that_cannot_be_finished_is_an_error() {
    if !can_trace("calls that fail") {
        return;
    }
    for inject in ["fsync:error=ENOSPC", "fsync:error=EIO", "renameat2:error=EACCES"] {
        let folder = folder();
        let done = traced(inject, &folder, &words(QUERY, "out.csv"));
        assert_eq!(fault(&folder, &done), None, "{inject}");
        assert_eq!(done.status.code(), Some(1), "{inject}");
    }
}

/// What is shown is lost: that is said, and what it cost as well.
#[test]
fn a_standard_output_that_is_full_is_an_error() {
    let folder = folder();
    for format in ["table", "csv", "json"] {
        for query in [QUERY, COUNT] {
            let mut command = folder.command(&[query, "--table", "t=t.csv", "--format", format]);
            let full = File::options().write(true).open("/dev/full").unwrap();
            let done = command.stdout(full).stderr(Stdio::piped()).output().unwrap();
            let err = String::from_utf8_lossy(&done.stderr);
            assert_eq!(fault(&folder, &done), None, "{format}: {query}");
            assert_eq!(done.status.code(), Some(1), "{format}: {query}");
            assert!(
                err.contains("error: standard output: ") && err.contains(" loses at most "),
                "{err}"
            );
        }
    }
}

/// Nobody can catch the first; a terminal sends the second, and a machine that is shut down the third.
const SIGNALS: [(&str, i32); 3] = [("KILL", 9), ("INT", 2), ("TERM", 15)];

/// Calls that change what is on the disk. Those with ? are not there on all machines.
const CALLS: [&str; 4] =
    ["write", "fsync", "?rename,?renameat,renameat2,?link,linkat", "?unlink,unlinkat"];

/// Others, which it does not use. One that it begins to use is to be moved above.
const UNUSED: &str = "?creat,?open,writev,pwrite64,pwritev,fdatasync,truncate,ftruncate,fallocate,sendfile,copy_file_range,splice,?mkdir,mkdirat,?rmdir";

/// Ended before the n-th call of a kind, for all n there are.
#[test]
fn ended_before_any_call_it_leaves_all_or_nothing() {
    if !can_trace("signals before calls") {
        return;
    }
    let try_all = |signal, name| {
        let calls = CALLS.into_iter().chain(is_thorough().then_some("openat"));
        let ended: Vec<_> = calls
            .map(|call| (1..).take_while(|n| was_ended(signal, call, *n, name)).count())
            .collect();
        println!("{name}, {}: {ended:?}", signal.0);
        // Fewer would mean that other calls are used than are known here.
        assert!(ended[..3].iter().all(|times| *times > 0), "{name}: {ended:?}");
        assert!(!was_ended(signal, UNUSED, 1, name), "{name}: a call that is not known");
    };
    scope(|scope| {
        for (signal, name) in SIGNALS.into_iter().zip(FORMATS) {
            let names = if is_thorough() { FORMATS.to_vec() } else { vec![name] };
            scope.spawn(move || names.into_iter().for_each(|name| try_all(signal, name)));
        }
    });
}

/// Ends the program before this call, looks at what is left, and says whether it came so far.
fn was_ended((signal, number): (&str, i32), call: &str, n: usize, name: &str) -> bool {
    let (folder, what) = (folder(), format!("{name}: {signal} before {call} {n}"));
    let inject = format!("{call}:signal={signal}:when={n}");
    let done = traced(&inject, &folder, &words(QUERY, name));
    assert_eq!(fault(&folder, &done), None, "{what}");
    let is_ended = done.status.signal() == Some(number);
    assert!(is_ended || done.status.success(), "{what}: {:?}", done.status);
    // Here all is written, and there is something to look at.
    let is_part = |name: &String| {
        name.starts_with(".deniable-") && fs::metadata(folder.path(name)).unwrap().len() > 999
    };
    assert!(call != "fsync" || !is_ended || left(&folder).iter().any(is_part), "{what}");
    is_ended
}

/// What the checks are for is found.
#[test]
fn planted_mistakes_are_found() {
    let said = |status, out: &str, err: &str| Output {
        status: ExitStatus::from_raw(status),
        stdout: out.into(),
        stderr: err.into(),
    };
    let (works, fails, killed) =
        (said(0, "", ""), said(1 << 8, "", "error: no storage space"), said(9, "", ""));
    let found = |folder: &Folder, done: &Output| fault(folder, done).unwrap_or_default();
    let none = folder();
    for (done, problem) in [
        (&works, "no result"),
        (&said(0, CANARY, ""), "said an answer"),
        (&said(9, "", CANARY), "said an answer"),
        (&said(1 << 8, "", ""), "it ended with"),
        (&said(1 << 8, "", "error: a defect of the program, at x"), "it ended with"),
        (&said(3 << 8, "", "error: the disk is full"), "it ended with"),
    ] {
        assert!(found(&none, done).contains(problem), "{problem}");
    }
    assert_eq!(found(&none, &fails) + &found(&none, &killed), "");
    for name in FORMATS {
        let folder = folder();
        folder.shows(&words(QUERY, name));
        assert_eq!(found(&folder, &works) + &found(&folder, &killed), "");
        assert!(found(&folder, &fails).contains("there is a result"));
        let whole = fs::read(folder.path(name)).unwrap();
        for bytes in [0, 1, whole.len() / 2, whole.len() - 1] {
            fs::write(folder.path(name), &whole[..bytes]).unwrap();
            assert!(found(&folder, &works).contains("a part"), "{name}: {bytes}");
        }
        fs::rename(folder.path(name), folder.path(".deniable-x")).unwrap();
        assert_eq!(found(&folder, &killed), "");
        assert!(found(&folder, &fails).contains(".deniable-x is left"));
        // Rows beyond the last, and answers as they are: the canary is found in each format.
        folder.shows(&words("SELECT id FROM t UNION ALL SELECT '7'", name));
        assert!(found(&folder, &killed).contains("a part"), "{name}");
        fs::remove_file(folder.path(name)).unwrap();
        folder.shows(&words("SELECT id, note FROM t", name));
        assert!(found(&folder, &works).contains("an answer is in out."), "{name}");
        fs::rename(folder.path(name), folder.path(".deniable-x")).unwrap();
        assert!(found(&folder, &killed).contains("an answer is in .deniable-x"), "{name}");
    }
}
