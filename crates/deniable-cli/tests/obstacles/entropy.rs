//! Entropy that is refused.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::commands::{PROGRAM, ROWS, Row, folder};
use super::judge::{May, fault};
use super::run::{LINE, Wall, behind, finish, input, run_behind};
use super::{can_mount, can_trace, is_thorough, on_all};

/// A row for which there is no entropy.
pub(crate) fn without(row: &Row) -> May {
    // Others may need it for a hash table.
    if row.draws { May::Fail(1) } else { May::FailOr(1) }
}

/// A kernel without the call, or a sandbox that forbids it: there is the same entropy in a file.
#[test]
fn without_getrandom_the_file_is_read() {
    on_all(ROWS, |row| {
        for error in [libc::ENOSYS, libc::EPERM] {
            let folder = folder();
            let done = refused(error, folder.path(), row);
            assert_eq!(fault(row, folder.path(), &done, May::Work), None, "{} {error}", row.line);
        }
    });
}

/// A call that fails in another way.
#[test]
fn entropy_that_fails_is_an_error() {
    on_all(ROWS, |row| {
        for error in [libc::EIO, libc::EAGAIN] {
            let folder = folder();
            let done = refused(error, folder.path(), row);
            let found = fault(row, folder.path(), &done, without(row));
            assert_eq!(found, None, "{}, error {error}", row.line);
            assert!(!row.pays() || !row.prints() || done.stdout.is_empty() || !row.draws);
        }
    });
}

fn refused(error: i32, folder: &Path, row: &Row) -> super::run::Done {
    run_behind(Wall::GetrandomFails(error), &PROGRAM, folder, row.line, row.stdin)
}

/// Neither the call nor the files: they are forbidden, or end after a few bytes.
#[test]
fn entropy_that_is_refused_everywhere_is_an_error() {
    if !can_mount("entropy that is refused everywhere") {
        return;
    }
    // A folder for devices without any, and files of five bytes in the place of devices.
    let none = "mount -t tmpfs none /dev";
    let short =
        "printf 12345 > five; mount --bind five /dev/urandom; mount --bind five /dev/random";
    let rows: Vec<_> = ROWS.iter().filter(|row| is_thorough() || row.draws).collect();
    on_all(&rows, |row| {
        for devices in [none, short] {
            let folder = folder();
            let wall = behind(Wall::GetrandomFails(libc::ENOSYS), &PROGRAM);
            let mut mounted = in_namespace(&format!("{{ {devices}; }} 2>&1"), &wall);
            let stdin = input(folder.path(), row.stdin);
            let done = finish(mounted.env(LINE, row.line).stdin(stdin), folder.path());
            let _ = fs::remove_file(folder.path().join("five"));
            let found = fault(row, folder.path(), &done, without(row));
            assert_eq!(found, None, "{}, {devices}", row.line);
        }
    });
}

/// The command in a namespace in which the shell did something before.
pub(crate) fn in_namespace(before: &str, command: &Command) -> Command {
    let mut mounted = Command::new("unshare");
    mounted.args(["-Urm", "sh", "-c", &format!("{before} && exec \"$0\" \"$@\"")]);
    mounted.arg(command.get_program()).args(command.get_args());
    mounted.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    mounted
}

/// A signal that comes while entropy is asked for is no error.
#[test]
fn an_interrupted_call_is_made_again() {
    if !can_trace("calls for entropy that are interrupted") {
        return;
    }
    let rows: Vec<_> = ROWS.iter().filter(|row| row.draws).collect();
    on_all(&rows, |row| {
        let folder = folder();
        let done = traced("inject=getrandom:error=EINTR:when=1..3", folder.path(), row);
        assert_eq!(fault(row, folder.path(), &done, May::Work), None, "{}", row.line);
    });
}

/// Entropy that is there at first, and gone from the n-th call on, for all n there are.
#[test]
fn entropy_that_goes_away_is_an_error() {
    if !can_trace("entropy that goes away") {
        return;
    }
    // One of each kind of command, every day.
    let chosen = |(place, row): &(usize, &Row)| row.draws && (is_thorough() || place % 4 == 0);
    let rows: Vec<_> = ROWS.iter().enumerate().filter(chosen).map(|(_, row)| row).collect();
    on_all(&rows, |row| {
        let mut n = 0;
        loop {
            n += 1;
            let folder = folder();
            let inject = format!("inject=getrandom:error=EIO:when={n}+");
            let done = traced(&inject, folder.path(), row);
            let found = fault(row, folder.path(), &done, May::FailOr(1));
            assert_eq!(found, None, "{}, gone from call {n} on", row.line);
            if done.is_success() {
                break;
            }
        }
        assert!(n > 1, "{}", row.line);
        // More calls than that would be another way to draw.
        assert!(n < 400, "{}: {n}", row.line);
    });
}

/// Runs a row while strace changes what calls return.
pub(crate) fn traced(inject: &str, folder: &Path, row: &Row) -> super::run::Done {
    traced_with(&[], inject, folder, row)
}

pub(crate) fn traced_with(
    more: &[&str],
    inject: &str,
    folder: &Path,
    row: &Row,
) -> super::run::Done {
    traced_program(&PROGRAM, more, inject, folder, row)
}

pub(crate) fn traced_program(
    program: &Path,
    more: &[&str],
    inject: &str,
    folder: &Path,
    row: &Row,
) -> super::run::Done {
    let call = inject.split(['=', ':']).nth(1).unwrap();
    // Who starts the tests in the background may have told them to ignore an interrupt, and what they start with them.
    let mut strace = Command::new("env");
    strace.args(["--default-signal=INT,TERM", "strace"]);
    strace.args(["-f", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e", inject]);
    strace.args(more).arg(program).args(row.words());
    let stdin: Stdio = input(folder, row.stdin);
    finish(strace.stdin(stdin), folder)
}
