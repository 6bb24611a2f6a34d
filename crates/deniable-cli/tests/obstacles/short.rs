//! Entropy that comes in pieces.
//!
//! A call that says it gave a piece gave none if strace made it up: strace then writes the piece as well. A device is a pipe in which every piece is a packet, which a read does not go beyond.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::commands::{PROGRAM, ROWS, Row, folder, noise};
use super::entropy::{in_namespace, traced, traced_program, traced_with};
use super::judge::{May, fault};
use super::planted::Stub;
use super::run::{Done, LINE, Wall, behind, finish, input};
use super::{can, can_mount, can_trace, is_thorough, on_all};

/// What these write is made of their seed.
const NOISY: [Row; 3] = [
    noise("release numbers.csv --columns n --sensitivity 1 --scale 1e6 -o out.csv"),
    noise("randomize memo.toml answers.csv -o out.csv"),
    noise("rappor encode --params noisy.csv values.csv -o out.csv"),
];

/// Rows that draw; every day one of each kind of command.
fn rows() -> Vec<&'static Row> {
    let chosen = |(place, row): &(usize, &Row)| row.draws && (is_thorough() || place % 4 == 0);
    ROWS.iter().enumerate().filter(chosen).map(|(_, row)| row).collect()
}

/// Whether strace can write to a program's memory.
fn can_poke(what: &str) -> bool {
    let inject = pieces("5a", 1);
    can(what, "strace", &["-f", "-o", "/dev/null", "-e", "trace=getrandom", "-e", &inject, "true"])
}

/// Every call gives so many bytes, which begin with these. More than eight would be more than some ask for, and so would a number that does not divide what they ask for.
fn pieces(bytes: &str, count: usize) -> String {
    format!("inject=getrandom:retval={count}:poke_exit=@arg1={bytes}")
}

/// Calls that give less than they were asked for, all of them or every second one.
#[test]
fn a_short_call_is_gone_on_with() {
    if !can_poke("calls for entropy that give less") {
        return;
    }
    let mut injects = vec!["inject=getrandom:retval=1:when=1+2".to_owned()];
    injects.push("inject=getrandom:retval=3:when=4".to_owned());
    injects.extend([1, 2, 8].map(|count| pieces(&"5a".repeat(count), count)));
    on_all(&rows(), |row| {
        for inject in &injects {
            let folder = folder();
            let done = traced(inject, folder.path(), row);
            assert_eq!(fault(row, folder.path(), &done, May::Work), None, "{}, {inject}", row.line);
        }
    });
}

/// The seed is the same however long the pieces are that make it up: each is in its place, and none is left out.
#[test]
fn a_seed_of_pieces_is_whole() {
    if !can_poke("seeds of pieces") {
        return;
    }
    on_all(&NOISY, |row| {
        let written = |inject: &str| {
            let folder = folder();
            let done = traced(inject, folder.path(), row);
            assert!(done.is_success(), "{}, {inject}: {}", row.line, done.err());
            fs::read(folder.path().join("out.csv")).unwrap()
        };
        let mut all = Vec::new();
        for bytes in ["5a", "a55a", "0123456789abcdef"] {
            let length = bytes.len() / 2;
            let whole = written(&pieces(&bytes.repeat(8 / length), 8));
            for count in [1, 2, 4].into_iter().filter(|count| count % length == 0) {
                let inject = pieces(&bytes.repeat(count / length), count);
                assert!(written(&inject) == whole, "{}, {inject}", row.line);
            }
            all.push(whole);
        }
        // As if a piece were taken for more: what is behind it stays as it was.
        let taken = pieces("5a", 8);
        all.extend([written(&taken), written(&pieces("01234567", 8)), written(&taken)]);
        let same = all.pop();
        assert!(same.as_ref() == all.get(3), "{}: not made of the seed alone", row.line);
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count, "{}", row.line);
        println!("planted mistake found: a short piece taken for a whole one");
    });
}

/// A call that gives nothing and says that it worked. One at a time: asked for a hash table's key, the standard library would ask for ever. No kernel does that.
#[test]
fn a_call_that_gives_nothing_is_an_error() {
    if !can_trace("calls for entropy that give nothing") {
        return;
    }
    on_all(&rows(), |row| {
        let (mut n, mut failed) = (0, 0);
        loop {
            n += 1;
            let folder = folder();
            let (done, given) = gives_nothing(&PROGRAM, n, folder.path(), row);
            let Some(for_noise) = given else { break };
            let may = if for_noise { May::Fail(1) } else { May::Work };
            let found = fault(row, folder.path(), &done, may);
            assert_eq!(found, None, "{}, nothing from call {n}", row.line);
            failed += u32::from(for_noise);
        }
        assert!(failed > 0 && n < 400, "{}: {n}", row.line);
    });
    // A program that then takes another result, or none.
    let (row, made) = (&ROWS[0], folder());
    assert!(super::run::run(&PROGRAM, made.path(), row.line, None).is_success());
    let copy = format!("cp {} out.csv", made.path().join("out.csv").display());
    for mistake in [&*copy, "exit 0", "exit 1"] {
        let (stub, mut n) = (Stub::new(&format!("\"$real\" \"$@\" || {mistake}")), 0);
        let found = loop {
            n += 1;
            let folder = folder();
            let (done, given) = gives_nothing(&stub.path(), n, folder.path(), row);
            if given.expect("a call for noise") {
                break fault(row, folder.path(), &done, May::Fail(1)).unwrap_or_default();
            }
        };
        assert_eq!(found.contains("ended with"), mistake != "exit 1", "{mistake}: {found:?}");
    }
    println!("planted mistake found: a call that gave nothing is overlooked");
}

/// A run in which the n-th call of a thread gives nothing, and whether such a call was one for noise. None if there is no n-th.
fn gives_nothing(program: &Path, n: u32, folder: &Path, row: &Row) -> (Done, Option<bool>) {
    let log = tempfile::NamedTempFile::new().unwrap();
    let more = ["-o", log.path().to_str().unwrap(), "-e", "raw=all"];
    let inject = format!("inject=getrandom:retval=0:when={n}");
    let done = match program == *PROGRAM {
        true => traced_with(&more, &inject, folder, row),
        false => traced_program(program, &more, &inject, folder, row),
    };
    let log = whole_calls(&fs::read_to_string(log.path()).unwrap());
    let given: Vec<_> = log.iter().filter(|line| line.contains("(INJECTED)")).collect();
    // Those of the libraries for C and of Rust have flags. One that asks for no byte asks whether there is such a call.
    let for_noise = |line: &String| line.contains(", 0) ") && !line.contains("(0x1, 0, 0)");
    let any = given.into_iter().map(for_noise).reduce(|any, one| any | one);
    (done, any)
}

/// The lines of a log, where a call that another thread came in between is put together again.
fn whole_calls(log: &str) -> Vec<String> {
    let mut begun: Vec<(&str, &str)> = Vec::new();
    let mut calls = Vec::new();
    for line in log.lines() {
        let (thread, said) = line.split_once(' ').unwrap_or((line, ""));
        if let Some(start) = said.strip_suffix(" <unfinished ...>") {
            begun.push((thread, start));
        } else if let Some((_, end)) = said.split_once(" resumed>") {
            let place = begun.iter().position(|(of, _)| *of == thread);
            let start = place.map_or("", |place| begun.swap_remove(place).1);
            calls.push(format!("{thread} {start}{end}"));
        } else {
            calls.push(line.to_owned());
        }
    }
    calls
}

#[test]
fn calls_in_two_lines_are_put_together() {
    let log = "7  getrandom(0x1, 0x20, 0 <unfinished ...>\n\
               8  getrandom(0x5, 0x8, 0x1) = 0x8\n\
               7  <... getrandom resumed>)     = 0 (INJECTED)\n";
    let calls =
        ["8  getrandom(0x5, 0x8, 0x1) = 0x8", "7  getrandom(0x1, 0x20, 0)     = 0 (INJECTED)"];
    assert_eq!(whole_calls(log), calls);
}

/// What gives bytes without end, from files that are open already.
const RANDOM: &str = "cat <&9";
const CONSTANT: &str = "tr '\\0' Z </dev/zero";

/// The command in a namespace whose device gives pieces of so many bytes of this.
fn with_device(from: &str, count: usize, command: &Command) -> Command {
    // What writes ends when nobody is left that could read, which is when the program ends.
    let device = format!(
        "exec 9</dev/urandom 8<>few && {{ ( exec 8>&- 2>/dev/null; {from} | \
         dd bs={count} iflag=fullblock oflag=direct >few ) >/dev/null & }} && \
         mount --bind few /dev/urandom && exec 9<&-"
    );
    in_namespace(&format!("mkfifo few && {device}"), command)
}

/// Runs a row without the call, and with a device that gives pieces.
fn pieced(from: &str, count: usize, program: &Path, folder: &Path, row: &Row) -> Done {
    let wall = behind(Wall::GetrandomFails(libc::ENOSYS), program);
    let mut mounted = with_device(from, count, &wall);
    let stdin = input(folder, row.stdin);
    let done = finish(mounted.env(LINE, row.line).stdin(stdin), folder);
    // Nobody is to wait for what comes out of it.
    fs::remove_file(folder.join("few")).unwrap();
    done
}

/// Whether packets can be had.
fn can_piece(what: &str) -> bool {
    let dd = "{ dd if=/dev/zero count=1 oflag=direct 2>/dev/null || kill $$; } | cat >/dev/null";
    can_mount(what) && can(what, "sh", &["-c", dd])
}

/// The device gives few bytes at a time, and goes on.
#[test]
fn a_device_that_gives_few_bytes_is_asked_again() {
    if !can_piece("a device that gives few bytes") {
        return;
    }
    on_all(&rows(), |row| {
        for count in [1, 7] {
            let folder = folder();
            let done = pieced(RANDOM, count, &PROGRAM, folder.path(), row);
            let found = fault(row, folder.path(), &done, May::Work);
            assert_eq!(found, None, "{}, {count} bytes", row.line);
        }
    });
    // The device does that, and a program is found that reads it once.
    let once = "dd if=/dev/urandom bs=32 count=1 2>/dev/null";
    let folder = folder();
    let mut shell = Command::new("sh");
    let read = finish(
        with_device(RANDOM, 7, shell.args(["-c", once])).stdin(input(folder.path(), None)),
        folder.path(),
    );
    assert_eq!(read.stdout.len(), 7, "{}", read.err());
    let stub = Stub::new(&format!(
        "[ $({once} | wc -c) = 32 ] || {{ echo 'error: there is no entropy' >&2; exit 1; }}; \
         exec \"$real\" \"$@\""
    ));
    for (count, is_found) in [(7, true), (32, false)] {
        let folder = super::commands::folder();
        let done = pieced(RANDOM, count, &stub.path(), folder.path(), &ROWS[0]);
        let found = fault(&ROWS[0], folder.path(), &done, May::Work).unwrap_or_default();
        assert_eq!(found.contains("ended with"), is_found, "{count}: {found:?}");
    }
    println!("planted mistake found: a device that is read once");
}

/// The seed is the same however long the pieces are, and the one that the call would have given.
#[test]
fn a_seed_from_a_device_is_whole() {
    let what = "seeds from a device";
    if !can_piece(what) || !can_poke(what) {
        return;
    }
    on_all(&NOISY, |row| {
        let written = |from: &str, count| {
            let folder = folder();
            let done = pieced(from, count, &PROGRAM, folder.path(), row);
            assert!(done.is_success(), "{}, {count} bytes: {}", row.line, done.err());
            fs::read(folder.path().join("out.csv")).unwrap()
        };
        let folder = folder();
        assert!(traced(&pieces("5a", 1), folder.path(), row).is_success(), "{}", row.line);
        let whole = fs::read(folder.path().join("out.csv")).unwrap();
        for count in [1, 7, 32] {
            assert!(written(CONSTANT, count) == whole, "{}, {count} bytes", row.line);
        }
        assert!(written(RANDOM, 7) != whole, "{}", row.line);
        println!("planted mistake found: a seed of other bytes");
    });
}
