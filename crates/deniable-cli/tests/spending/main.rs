//! `release`, `ledger`, `map`, `calibrate` and `generate`, run as people run them.

mod generate;
mod ledger;
mod mechanisms;
mod release;

#[path = "../shared/names.rs"]
mod names;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A folder with files, in which the command is run.
struct Folder(TempDir);

/// What the command said.
struct Said {
    code: i32,
    out: String,
    err: String,
}

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn with(self, name: &str, text: &str) -> Self {
        fs::write(self.path(name), text).unwrap();
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of all files.
    fn names(&self) -> Vec<String> {
        names::names_in(self.0.path())
    }

    fn command(&self, line: &str) -> Command {
        command(self.0.path(), line)
    }

    /// Runs the command with arguments that have no spaces.
    fn run(&self, line: &str) -> Said {
        self.command(line).output().unwrap().into()
    }

    /// The same, which must be done, and print JSON.
    fn json(&self, line: &str) -> Value {
        let said = self.run(&format!("{line} --json"));
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{line}");
        serde_json::from_str(&said.out).unwrap()
    }

    /// The same, which must be refused with this code and with words such as these.
    fn refused(&self, line: &str, code: i32, words: &str) {
        let said = self.run(line);
        assert_eq!((said.code, said.out.as_str()), (code, ""), "{line}: {}", said.err);
        assert!(said.err.contains(words), "{line}: {}", said.err);
    }
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

fn command(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_deniable"));
    command.args(line.split_whitespace()).current_dir(folder);
    command
}
