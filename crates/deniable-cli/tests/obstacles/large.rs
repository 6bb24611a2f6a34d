//! Many rows, which one thread writes while another reads and randomizes the next: ended before calls of either.
//!
//! strace counts the calls of each thread by itself. So the n-th write of the one that writes is waited for with the n-th write of any: all others have fewer before. Calls of the one that reads are known by the file.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::LazyLock;

use tempfile::TempDir;

use super::commands::{LARGE, Row, folder, names, noise, undisturbed};
use super::entropy::traced_with;
use super::judge::{May, entries, fault};
use super::kill::SIGNALS;
use super::run::Done;
use super::{can_trace, is_thorough, on_all};

const ROW: Row =
    noise("randomize certain.toml large.csv -o out.csv --ledger ledger.jsonl --data d");

/// Several batches of rows, and their reports many times what is written at once.
const PEOPLE: u32 = 200_000;

/// The folder of all rows, and the large file.
fn with_large() -> TempDir {
    static MODEL: LazyLock<TempDir> = LazyLock::new(|| {
        let model = TempDir::new().unwrap();
        let mut file = BufWriter::new(fs::File::create(model.path().join(LARGE)).unwrap());
        writeln!(file, "person,region,moved,transport,extra").unwrap();
        for person in 0..PEOPLE {
            let (moved, by) = (["yes", "no"], ["bus", "car", "CANARY7f3a"]);
            let (moved, by) = (moved[person as usize % 2], by[person as usize % 3]);
            writeln!(file, "CANARY7f3a{person},north,{moved},{by},CANARY7f3a").unwrap();
        }
        file.flush().unwrap();
        model
    });
    let (folder, own) = (folder(), MODEL.path().join(LARGE));
    fs::hard_link(own, folder.path().join(LARGE)).unwrap();
    folder
}

/// The calls that are counted: all writes, and reads of the file.
const COUNTED: [(&str, &[&str]); 2] = [("write", &[]), ("read", &["-P", LARGE])];

/// Runs the row with a signal before the n-th call, and says how many calls each thread began, the first one first.
fn ended((call, only): (&str, &[&str]), signal: &str, n: u32, folder: &Path) -> (Done, Vec<u32>) {
    let log = tempfile::NamedTempFile::new().unwrap();
    let more = [&["-o", log.path().to_str().unwrap(), "-e", "raw=all"], only].concat();
    let inject = format!("inject={call}:signal={signal}:when={n}");
    let done = traced_with(&more, &inject, folder, &ROW);
    let log = fs::read_to_string(log.path()).unwrap();
    let mut threads: Vec<(&str, u32)> = Vec::new();
    for line in log.lines() {
        let (thread, said) = line.split_once(' ').unwrap();
        let begins = u32::from(said.trim_start().starts_with(&format!("{call}(")));
        match threads.iter_mut().find(|(known, _)| *known == thread) {
            Some((_, count)) => *count += begins,
            None => threads.push((thread, begins)),
        }
    }
    (done, threads.into_iter().map(|(_, count)| count).collect())
}

#[test]
fn killed_while_another_thread_writes_it_leaves_all_or_nothing() {
    if !can_trace("signals while rows are written") {
        return;
    }
    let mut cases = Vec::new();
    for counted in COUNTED {
        // More than there are.
        let folder = with_large();
        let (done, threads) = ended(counted, "KILL", 65_000, folder.path());
        assert!(done.is_success(), "{}", done.err());
        let most = *threads.iter().max().unwrap();
        assert!(most >= 20, "{threads:?}");
        // Its first writes are a heading and the debit, and then another thread writes nearly all.
        assert_eq!(threads[0] == most, counted.0 == "read", "{threads:?}");
        println!("{}: {most} calls of a thread, {threads:?}", counted.0);
        let moments = match is_thorough() {
            true => vec![1, 2, 3, 4, most / 4, most / 2, most - 1, most],
            false => vec![most / 2],
        };
        cases.push((counted, moments));
    }
    let signals = if is_thorough() { &SIGNALS[..] } else { &SIGNALS[..1] };
    let cases: Vec<_> = cases
        .iter()
        .flat_map(|(counted, moments)| signals.iter().map(move |signal| (counted, signal, moments)))
        .collect();
    on_all(&cases, |&(counted, &(name, number), moments)| {
        let mut before = 0;
        for &n in moments {
            let folder = with_large();
            let (done, threads) = ended(*counted, name, n, folder.path());
            let what = format!("{name} before {} {n}: {threads:?}", counted.0);
            assert_eq!(done.signal(), Some(number), "{what}");
            if counted.0 == "write" {
                // It came to the thread that writes, and that went so far.
                let partial = partial(folder.path()).map_or(0, |bytes| bytes.len());
                assert!(n < 3 || threads[0] == 2 && threads[1..].contains(&n), "{what}");
                assert!(n < 4 || partial > before, "{what}: {partial} bytes");
                before = partial;
            }
            assert_eq!(problem(folder.path(), &done), None, "{what}");
        }
    });
}

/// What is wrong with what it left, which is used up.
fn problem(folder: &Path, done: &Done) -> Option<String> {
    let begun = partial(folder);
    let has_rows = begun.as_ref().is_some_and(|begun| begun.contains(&b'\n'));
    let has_rows = has_rows && begun.as_ref().is_some_and(|begun| !begun.ends_with(b"survey\n"));
    if has_rows && entries(folder) == Some(0) {
        return Some("there are rows that nobody paid for".to_owned());
    }
    fault(&ROW, folder, done, May::Die).or_else(|| {
        let whole = fs::read(folder.join("again.csv")).unwrap();
        let is_start = begun.is_none_or(|begun| whole.starts_with(&begun));
        (!is_start).then(|| "what is not finished is not the beginning of a result".to_owned())
    })
}

/// What is in the file that is not finished.
fn partial(folder: &Path) -> Option<Vec<u8>> {
    let is_partial = |name: &&String| name.ends_with(".partial");
    let names = names(folder);
    names.iter().find(is_partial).map(|name| fs::read(folder.join(name)).unwrap())
}

/// Mistakes in what stays of many rows are seen.
#[test]
fn planted_mistakes_in_many_rows_are_found() {
    let unpaid = |folder: &Path| {
        let text = fs::read_to_string(folder.join("ledger.jsonl")).unwrap();
        let header = format!("{}\n", text.lines().next().unwrap());
        fs::write(folder.join("ledger.jsonl"), header).unwrap();
    };
    let unfinished = |folder: &Path| {
        fs::rename(folder.join("out.csv"), folder.join(".out.csv.1.partial")).unwrap();
    };
    let change = |name: &'static str, change: &'static dyn Fn(&mut Vec<u8>)| {
        move |folder: &Path| {
            let mut bytes = fs::read(folder.join(name)).unwrap();
            change(&mut bytes);
            fs::write(folder.join(name), bytes).unwrap();
        }
    };
    let cut = change("out.csv", &|bytes| bytes.truncate(bytes.len() / 2));
    let swap = change("out.csv", &|bytes| bytes.swap(1 << 18, (1 << 18) + 1));
    let leak = change("out.csv", &|bytes| bytes.extend(b"CANARY7f3a\n"));
    // A debit that was not written whole is none.
    let torn = change("ledger.jsonl", &|bytes| bytes.truncate(bytes.len() - 9));
    let beheaded = change("ledger.jsonl", &|bytes| drop(bytes.drain(..9)));
    type Plants<'a> = &'a [&'a dyn Fn(&Path)];
    let cases: [(Plants, &str); 9] = [
        (&[], ""),
        (&[&cut, &unfinished], ""),
        (&[&cut], "a part"),
        (&[&cut, &unfinished, &unpaid], "nobody paid"),
        (&[&unpaid], "nobody paid"),
        (&[&swap, &unfinished], "not the beginning"),
        (&[&cut, &leak, &unfinished], "an answer is in"),
        (&[&torn], "nobody paid"),
        (&[&beheaded], "cannot be read"),
    ];
    for (plants, expected) in cases {
        let folder = with_large();
        let mut done = undisturbed(folder.path(), &ROW, ROW.line);
        assert!(done.is_success(), "{}", done.err());
        plants.iter().for_each(|plant| plant(folder.path()));
        // As one that was killed says: what is not there is not promised.
        done.status = std::os::unix::process::ExitStatusExt::from_raw(9);
        let found = problem(folder.path(), &done).unwrap_or_default();
        assert_eq!(found.is_empty(), expected.is_empty(), "{found}");
        assert!(found.contains(expected), "{found}, {expected}");
        if !expected.is_empty() {
            println!("planted mistake found: {expected}, of many rows");
        }
    }
}
