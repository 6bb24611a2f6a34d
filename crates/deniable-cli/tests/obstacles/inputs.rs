//! Files that cannot be read, and files that go away.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::commands::{ROWS, Row, folder, undisturbed};
use super::entropy::traced_with;
use super::judge::{May, fault, said};
use super::{can_trace, is_thorough, on_all};

/// Puts something in the place of a file.
type Plant = fn(&Path);

/// What can be in the place of a file.
const BROKEN: [(&str, Plant); 4] = [
    ("nothing", |_| ()),
    ("a folder", |path| fs::create_dir(path).unwrap()),
    ("a link to itself", |path| symlink(path, path).unwrap()),
    ("what its owner may not read", |path| {
        fs::write(path, "").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
    }),
];

/// Every file that a row reads, each in every way.
#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    on_all(ROWS, |row| {
        for input in row.inputs() {
            for (how, plant) in BROKEN {
                let folder = folder();
                let path = folder.path().join(input);
                if row.stdin == Some(input) {
                    continue;
                }
                fs::rename(&path, folder.path().join("kept")).unwrap();
                plant(&path);
                if fs::read(&path).is_ok() {
                    // Whoever may read everything reads this as well. (The last one: what else there is nobody can read.)
                    assert_eq!(how, BROKEN[3].0);
                    continue;
                }
                let done = undisturbed(folder.path(), row, row.line);
                let what = format!("{}, {how} for {input}", row.line);
                assert_eq!(said(&done, May::Fail(1)), None, "{what}");
                let _ = fs::remove_dir(&path).or_else(|_| fs::remove_file(&path));
                fs::rename(folder.path().join("kept"), &path).unwrap();
                assert_eq!(fault(row, folder.path(), &done, May::Fail(1)), None, "{what}");
            }
        }
    });
}

/// A file that is gone, or whose disk fails, at its n-th use, for the first few.
#[test]
fn a_file_that_vanishes_is_an_error() {
    if !can_trace("files that vanish") {
        return;
    }
    let cases: Vec<(&Row, &str)> = ROWS
        .iter()
        .flat_map(|row| row.inputs().into_iter().map(move |input| (row, input)))
        .collect();
    let step = if is_thorough() { 1 } else { 7 };
    let cases: Vec<_> = cases.into_iter().step_by(step).collect();
    on_all(&cases, |&(row, input)| {
        for (call, error) in [("openat", "ENOENT"), ("read", "EIO")] {
            let mut failed = 0;
            for n in 1..=4 {
                let folder = folder();
                let inject = format!("inject={call}:error={error}:when={n}");
                let done = traced_with(&["-P", input], &inject, folder.path(), row);
                let found = fault(row, folder.path(), &done, May::FailOr(1));
                assert_eq!(found, None, "{}: {call} {n} of {input}", row.line);
                if done.is_success() {
                    break;
                }
                failed += 1;
            }
            // Its first use at least; what is given as the standard input is opened by nobody else.
            let least = usize::from(call == "read" || row.stdin != Some(input));
            assert!(failed >= least, "{}: {call} of {input}", row.line);
        }
    });
}
