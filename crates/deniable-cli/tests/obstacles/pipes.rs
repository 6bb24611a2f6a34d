//! Pipes whose other end is gone.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use super::commands::{PROGRAM, ROWS, folder};
use super::judge::{May, fault, left, said};
use super::on_all;
use super::run::{finish, finish_with, input};

/// Nobody reads what it prints. Some commands do not mind, as others have read enough; none of them says that it did what it did not.
#[test]
fn an_output_that_nobody_reads_is_no_crash() {
    on_all(ROWS, |row| {
        let folder = folder();
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(&*PROGRAM);
        command.args(row.words()).stdin(input(folder.path(), row.stdin));
        let done = finish_with(&mut command, folder.path(), writer.into(), Stdio::piped());
        assert_eq!(said(&done, May::FailOr(1)), None, "{}", row.line);
        // Rows that were not written are not what was asked for.
        if row.line.contains(" -o -") || row.line.starts_with("generate") && row.prints() {
            assert_eq!(done.status.code(), Some(1), "{}", row.line);
        }
        let done = super::run::Done { status: failed(), ..done };
        assert_eq!(left(row, folder.path(), &done, May::FailOr(1)), None, "{}", row.line);
    });
}

/// A status that is none of success: what was printed is nowhere, so that nothing of it is asked for.
fn failed() -> std::process::ExitStatus {
    Command::new("false").status().unwrap()
}

/// The other end goes away after a part of the input, for several parts; or it is not there at all.
#[test]
fn an_input_that_ends_early_makes_no_part_of_a_row() {
    let rows: Vec<_> = ROWS.iter().filter(|row| row.stdin.is_some()).collect();
    on_all(&rows, |row| {
        let whole = fs::read(folder().path().join(row.stdin.unwrap())).unwrap();
        for part in 0..8 {
            let folder = folder();
            let (reader, mut writer) = std::io::pipe().unwrap();
            let given = &whole[..whole.len() * part / 8];
            writer.write_all(given).unwrap();
            drop(writer);
            let mut command = Command::new(&*PROGRAM);
            let done = finish(command.args(row.words()).stdin(reader), folder.path());
            // A part of a file of text may be a whole one with fewer rows.
            assert_eq!(said(&done, May::FailOr(3)), None, "{}, {part} of 8", row.line);
            let lines = |bytes: &[u8]| {
                bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count()
            };
            if row.line.contains("--to csv") {
                assert!(lines(&done.stdout) <= lines(given).max(1), "{}, {part} of 8", row.line);
            }
        }
    });
}

/// Formats that say where they end are not taken for whole where they are not.
#[test]
fn an_input_that_is_cut_off_is_an_error_where_it_can_be_told() {
    let made = folder();
    for (extension, format) in
        [("csv.gz", "csv"), ("arrow", "arrow"), ("jsonl.zst", "jsonl"), ("parquet", "parquet")]
    {
        let line = format!("randomize certain.toml answers.csv -o cut.{extension}");
        let done = super::run::run(&PROGRAM, made.path(), &line, None);
        assert!(done.is_success(), "{line}: {}", done.err());
        let whole = fs::read(made.path().join(format!("cut.{extension}"))).unwrap();
        for cut in [1, 9, whole.len() / 2, whole.len() - 3] {
            let folder = folder();
            let name = format!("cut.{extension}");
            fs::write(folder.path().join(&name), &whole[..whole.len() - cut]).unwrap();
            let line = format!("count certain.toml {name} -o out.counts.json --format {format}");
            let done = super::run::run(&PROGRAM, folder.path(), &line, None);
            assert!(
                matches!(done.status.code(), Some(1 | 3)),
                "{name}, {cut} bytes less: {:?}",
                done.status
            );
            assert!(
                done.err().starts_with("error: ") && !done.err().contains("defect"),
                "{}",
                done.err()
            );
            assert!(!folder.path().join("out.counts.json").exists());
        }
    }
}

#[test]
fn a_standard_input_that_is_closed_or_no_file_is_an_error() {
    let rows: Vec<_> = ROWS.iter().filter(|row| row.stdin.is_some()).collect();
    on_all(&rows, |row| {
        for from in ["<&-", "< ."] {
            let is_closed = from == "<&-";
            let folder = folder();
            let mut command = Command::new("sh");
            command.args(["-c", &format!("exec \"$0\" \"$@\" {from}")]).arg(&*PROGRAM);
            let done = finish(command.args(row.words()).stdin(Stdio::null()), folder.path());
            // One that is closed is as good as one without a byte.
            let found = match is_closed {
                true => said(&done, May::FailOr(3)),
                false => fault(row, folder.path(), &done, May::Fail(1)),
            };
            assert_eq!(found, None, "{} {from}", row.line);
        }
    });
}
