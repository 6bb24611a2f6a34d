//! A disk that is full.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::commands::{PROGRAM, ROWS, Row, folder, undisturbed};
use super::judge::{May, fault, left, said};
use super::run::{Done, Wall, finish, finish_with, input, run_behind};
use super::{can_mount, is_thorough, on_all};

/// Rows that write files, not counting those that only append to a ledger.
fn writers() -> Vec<&'static Row> {
    ROWS.iter().filter(|row| !row.outputs().is_empty()).collect()
}

/// Files that cannot grow beyond a size, from nothing up to what is needed. The program lives on, and has to say what happened.
#[test]
fn a_file_that_cannot_grow_is_an_error() {
    on_all(&writers(), |row| {
        let whole = folder();
        assert!(undisturbed(whole.path(), row, row.line).is_success());
        let size = largest(whole.path(), row);
        let parts = if is_thorough() { 8 } else { 2 };
        let mut limits: Vec<u64> = (0..parts).map(|part| size * part / parts).collect();
        limits.extend([1, size - 1]);
        for limit in limits {
            // Uncertain results have uncertain sizes.
            if !row.is_certain && limit > size / 2 {
                continue;
            }
            let folder = folder();
            let done = limited(limit, folder.path(), row);
            let found = fault(row, folder.path(), &done, May::Fail(1));
            assert_eq!(found, None, "{}, files of {limit} bytes", row.line);
        }
    });
}

/// The ledger alone cannot grow: wherever its line is cut off, the debit is not there, and the next one works.
#[test]
fn a_line_of_the_ledger_that_is_cut_off_does_not_count() {
    let whole = folder();
    let row = ROWS.iter().find(|row| row.line.starts_with("ledger spend")).unwrap();
    let size = || fs::metadata(whole.path().join("ledger.jsonl")).unwrap().len();
    let before = size();
    assert!(undisturbed(whole.path(), row, row.line).is_success());
    let after = size();
    let step = if is_thorough() { 1 } else { 29 };
    let limits: Vec<u64> = (before..after).step_by(step).chain([after - 1]).collect();
    on_all(&limits, |&limit| {
        let folder = folder();
        let done = limited(limit, folder.path(), row);
        let found = fault(row, folder.path(), &done, May::Fail(1));
        assert_eq!(found, None, "{limit} of {before} to {after}");
        // And what costs it makes nothing.
        let is_chosen = is_thorough() && (limit - before) % 32 == 0;
        for row in ROWS.iter().filter(|row| row.pays() && is_chosen) {
            let folder = self::folder();
            let done = limited(limit, folder.path(), row);
            assert_eq!(fault(row, folder.path(), &done, May::FailOr(1)), None, "{}", row.line);
        }
    });
}

/// Runs a program where `full` is a disk all of which is taken by another file. What is on it is gone afterwards, so it is listed.
const FULL: &str = "mount -t tmpfs -o size=16k,nr_inodes=64 none full && mkdir full/out.folder \
    && { head -c 65536 /dev/zero > full/other 2>/dev/null; \"$0\" \"$@\"; code=$?; find full -type f > listed; exit $code; }";

/// A disk that has no place for any byte.
#[test]
fn a_disk_that_is_full_is_an_error() {
    if !can_mount("a disk that is full") {
        return;
    }
    on_all(&writers(), |row| {
        let folder = folder();
        fs::create_dir(folder.path().join("full")).unwrap();
        let mut mounted = Command::new("unshare");
        mounted.args(["-Urm", "sh", "-c", FULL]).arg(&*PROGRAM);
        mounted.args(row.line.replace(" out.", " full/out.").split(' '));
        let done = finish(mounted.stdin(input(folder.path(), row.stdin)), folder.path());
        let listed = fs::read_to_string(folder.path().join("listed")).unwrap();
        assert_eq!(said(&done, May::Fail(1)), None, "{}", row.line);
        assert_eq!(left(row, folder.path(), &done, May::Fail(1)), None, "{}", row.line);
        assert_eq!(listed, "full/other\n", "{}", row.line);
    });
}

/// What is said is lost: that is an error if it is the result, and else it changes nothing.
#[test]
fn a_standard_output_that_is_full_is_an_error() {
    on_all(ROWS, |row| {
        for (out, err) in [(true, false), (false, true), (true, true)] {
            let folder = folder();
            let done = into_full(&PROGRAM, row, folder.path(), out, err);
            let may = if out && row.prints() { May::Fail(1) } else { May::Work };
            let what = format!("{}: full output {out}, errors {err}", row.line);
            if !err {
                assert_eq!(said(&done, may), None, "{what}");
            } else if row.prints() && out {
                assert_eq!(done.status.code(), Some(1), "{what}");
            } else if !row.line.contains(" -o -") {
                assert_eq!(done.status.code(), Some(0), "{what}");
            } else {
                // The facts that go with the rows are lost.
                assert!(matches!(done.status.code(), Some(0 | 1)), "{what}: {:?}", done.status);
            }
        }
    });
}

/// A program whose output, or whose errors, go to a disk that is full.
pub(crate) fn into_full(program: &Path, row: &Row, folder: &Path, out: bool, err: bool) -> Done {
    let full = |is: bool| match is {
        true => fs::File::options().write(true).open("/dev/full").unwrap().into(),
        false => Stdio::piped(),
    };
    let mut command = Command::new(program);
    command.args(row.words()).stdin(input(folder, row.stdin));
    finish_with(&mut command, folder, full(out), full(err))
}

fn limited(limit: u64, folder: &Path, row: &Row) -> Done {
    run_behind(Wall::FileSize(limit), &PROGRAM, folder, row.line, row.stdin)
}

/// The bytes of the largest file that a row wrote.
fn largest(folder: &Path, row: &Row) -> u64 {
    let files = super::commands::files(folder);
    let written =
        files.iter().filter(|file| row.outputs().iter().any(|name| file.starts_with(name)));
    written.map(|file| fs::metadata(folder.join(file)).unwrap().len()).max().unwrap()
}
