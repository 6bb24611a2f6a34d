//! `deniable sql` and `deniable estimate --cluster`, with a program in the place of `deniable-sql` that says what it was asked.
#![cfg(unix)]
#![forbid(unsafe_code)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A survey with a question of each kind.
const SURVEY: &str = include_str!("every_kind.toml");

/// Writes down its arguments, one a line.
const RECORDS: &str = "#!/bin/sh\nprintf '<%s>\\n' \"$@\" > arguments\n";

/// A folder with `deniable` in it, and an empty one for other programs.
struct Folder(TempDir);

/// What the command said.
struct Said {
    code: i32,
    out: String,
    err: String,
}

impl Folder {
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        // Beside it where it was built there may be a `deniable-sql`.
        let (own, here) = (env!("CARGO_BIN_EXE_deniable"), folder.path("deniable"));
        if fs::hard_link(own, &here).is_err() {
            done(Command::new("cp").arg(own).arg(here));
        }
        fs::create_dir(folder.path("programs")).unwrap();
        folder.write("survey.toml", SURVEY);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Puts a program there. Another process does it: one that is started by a thread beside this one would keep the file open, and then it does not start.
    fn install(&self, place: &str, script: &str) {
        self.write("script", script);
        let mut install = Command::new("install");
        done(install.args(["-m", "755"]).arg(self.path("script")).arg(self.path(place)));
    }

    /// Runs the command, which finds programs in the folder for them and in those of the system.
    fn run(&self, words: &[&str]) -> Said {
        let system = std::env::var("PATH").unwrap();
        self.run_with(words, &format!("{}:{system}", self.path("programs").display()))
    }

    fn run_with(&self, words: &[&str], path: &str) -> Said {
        let mut command = Command::new(self.path("deniable"));
        command.args(words).current_dir(self.0.path()).env("PATH", path).stdin(Stdio::null());
        command.output().unwrap().into()
    }

    /// What it prints, if all is well.
    fn prints(&self, words: &[&str]) -> String {
        let said = self.run(words);
        assert_eq!(said.code, 0, "{words:?}: {}", said.err);
        said.out
    }

    /// Reports of each kind, and their counts.
    fn with_reports(self) -> Self {
        let row = |i: usize| {
            let moved = ["yes", "no"][i % 2];
            format!("north,{moved},car,cat;dog,Firefox,{}\n", i % 24)
        };
        let rows: String = (0..1000).map(row).collect();
        self.write("answers.csv", &format!("region,moved,transport,pets,browser,hours\n{rows}"));
        for name in ["1.parquet", "2.parquet"] {
            self.prints(&["randomize", "survey.toml", "answers.csv", "-o", name]);
        }
        self.prints(&["count", "survey.toml", "?.parquet", "-o", "all.counts.json"]);
        self
    }
}

fn done(command: &mut Command) {
    assert!(command.status().unwrap().success());
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Said {
            code: output.status.code().expect("it was not killed"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Arguments go on as they are, also those that `deniable` has itself, and what comes back is what it said.
#[test]
fn arguments_and_codes_are_passed_on() {
    let folder = Folder::new();
    let script = format!("{RECORDS}echo shown\necho said >&2\n");
    folder.install("programs/deniable-sql", &script);
    for arguments in [
        &["SELECT \"a b\", 'c' FROM t -- $HOME", "--table", "t=*.csv", "-o", "a.csv"][..],
        &["--help"],
        &["--version"],
        &["-h"],
        &["--", "--count", ""],
        &["--survey", "s.toml", "SELECT 1"],
    ] {
        let said = folder.run(&[&["sql"], arguments].concat());
        assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, "shown\n", "said\n"));
        // The first -- ends the options of `deniable`.
        let passed = arguments.strip_prefix(&["--"]).unwrap_or(arguments);
        let expected: String = passed.iter().map(|word| format!("<{word}>\n")).collect();
        assert_eq!(folder.read("arguments"), expected);
    }
    for code in [1, 2, 3, 101] {
        folder.install("programs/deniable-sql", &format!("#!/bin/sh\necho why >&2\nexit {code}\n"));
        let said = folder.run(&["sql", "SELECT 1"]);
        assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (code, "", "why\n"));
    }
    folder.install("programs/deniable-sql", "#!/bin/sh\nkill -9 $$\n");
    let said = folder.run(&["sql", "SELECT 1"]);
    assert_eq!(
        (said.code, said.err.as_str()),
        (1, "error: deniable-sql was stopped by a signal\n")
    );
}

/// The program beside the command is the one of its version, and comes first.
#[test]
fn the_program_beside_it_comes_first() {
    let folder = Folder::new();
    folder.install("programs/deniable-sql", "#!/bin/sh\necho elsewhere\n");
    assert_eq!(folder.prints(&["sql"]), "elsewhere\n");
    folder.install("deniable-sql", "#!/bin/sh\necho beside\n");
    assert_eq!(folder.prints(&["sql"]), "beside\n");
}

#[test]
fn without_the_program_it_says_where_it_is_from() {
    let folder = Folder::new().with_reports();
    let none = folder.path("programs").display().to_string();
    let cluster = ["estimate", "survey.toml", "1.parquet", "--cluster", "127.0.0.1:1"];
    for words in [&["sql", "SELECT 1"][..], &["sql", "--help"], &cluster] {
        let said = folder.run_with(words, &none);
        assert_eq!((said.code, said.out.as_str()), (1, ""), "{words:?}");
        let why = "the program deniable-sql cannot be started (entity not found); accepted is one beside this program or in the search path, which `cargo install --path crates/deniable-sql` puts there";
        assert_eq!(said.err, format!("error: {why}\n"));
    }
    // The command's own help needs no other program.
    let said = folder.run_with(&["help", "sql"], &none);
    assert!(said.code == 0 && said.out.contains("Query files with SQL"), "{}", said.err);
}

/// Counts by a cluster are estimated as those that are made here.
#[test]
fn a_cluster_counts() {
    let folder = Folder::new().with_reports();
    folder.install("programs/deniable-sql", &format!("{RECORDS}cat all.counts.json\n"));
    for format in ["--json", "--csv"] {
        let words = ["estimate", "survey.toml", "1.parquet", "2.parquet", format];
        let here = folder.prints(&["estimate", "survey.toml", "all.counts.json", format]);
        let cluster = ["--cluster", "a-host:50050", "--confidence", "0.95"];
        assert_eq!(folder.prints(&[&words[..], &cluster].concat()), here);
        let of_reports: String = folder.prints(&words);
        assert_eq!(of_reports, here);
        let expected = "<--cluster>\n<a-host:50050>\n<--survey>\n<survey.toml>\n<--count>\n<1.parquet>\n<--count>\n<2.parquet>\n";
        assert_eq!(folder.read("arguments"), expected);
    }
    // Patterns are expanded where the files are.
    folder.prints(&["estimate", "survey.toml", "?.parquet", "--cluster", "a-host:50050"]);
    assert!(folder.read("arguments").ends_with("<--count>\n<?.parquet>\n"));
}

/// What the program did not count is not estimated.
#[test]
fn a_cluster_that_does_not_count() {
    let folder = Folder::new().with_reports();
    let words = ["estimate", "survey.toml", "1.parquet", "--cluster", "a-host:50050"];
    let other = "version = 1\n[[question]]\nname = \"moved\"\nkind = \"yes-no\"\nepsilon = 1.5\n";
    folder.write("other.toml", other);
    folder.prints(&["randomize", "other.toml", "answers.csv", "-o", "other.parquet"]);
    folder.prints(&["count", "other.toml", "other.parquet", "-o", "other.counts.json"]);
    let not_counted = "error: --cluster: the reports were not counted\n";
    let no_counts =
        "error: --cluster: deniable-sql returned no counts; accepted is the one of this version\n";
    for (script, code, err) in [
        ("cat all.counts.json; echo why >&2; exit 3", 3, format!("why\n{not_counted}")),
        ("cat all.counts.json; echo why >&2; exit 1", 1, format!("why\n{not_counted}")),
        ("cat all.counts.json; exit 2", 1, not_counted.to_owned()),
        ("cat all.counts.json; kill -9 $$", 1, not_counted.to_owned()),
        ("", 1, no_counts.to_owned()),
        ("echo rubbish", 1, no_counts.to_owned()),
        ("echo '{}'", 1, no_counts.to_owned()),
        ("cat all.counts.json all.counts.json", 1, no_counts.to_owned()),
        ("head -c 100 all.counts.json", 1, no_counts.to_owned()),
        (
            "cat other.counts.json",
            3,
            "error: the counts are of different surveys; accepted are counts of one\n".to_owned(),
        ),
    ] {
        folder.install("programs/deniable-sql", &format!("#!/bin/sh\n{script}\n"));
        let said = folder.run(&words);
        assert_eq!((said.code, said.out.as_str()), (code, ""), "{script}");
        assert_eq!(said.err, err, "{script}");
    }
    // These would be done here, or not at all.
    for more in [["--by", "region"], ["--format", "csv"]] {
        let said = folder.run(&[&words[..], &more].concat());
        assert!(said.code == 2 && said.err.contains("cannot be used with"), "{}", said.err);
    }
    let said = folder.run(&["estimate", "survey.toml", "none-*.parquet", "--cluster", "a:1"]);
    assert_eq!(
        (said.code, said.err.as_str()),
        (3, "error: none-*.parquet: no file has such a name\n")
    );
}
