//! From answers to estimates, with the program as it is.

mod demo;
mod estimate;
mod page;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A survey with a question of each kind.
const SURVEY: &str = include_str!("../every_kind.toml");

/// How many rows [`answers`] has.
const ROWS: usize = 4000;

/// Half moved; a quarter takes the car, the bus, the bike and a horse each; all have a cat and half a dog; half browse with each candidate; all have eight hours.
fn answers() -> String {
    let row = |i: usize| {
        let region = ["north", "south"][i / 4 % 2];
        let moved = ["yes", "no"][i % 2];
        let transport = ["car", "bus", "bike", "horse"][i % 4];
        let pets = ["cat", "cat;dog"][i % 2];
        let browser = ["Firefox", "Chrome"][i / 2 % 2];
        format!("{region},{moved},{transport},{pets},{browser},8\n")
    };
    "region,moved,transport,pets,browser,hours\n".to_owned()
        + &(0..ROWS).map(row).collect::<String>()
}

/// The true shares, in the order of the survey, and the mean.
const TRUTH: [&[f64]; 5] =
    [&[0.5], &[0.25, 0.25, 0.25, 0.25], &[1.0, 0.5, 0.0], &[0.5, 0.5], &[8.0]];

/// A folder with the survey and the answers.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.write("survey.toml", SURVEY);
        folder.write("answers.csv", &answers());
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs the program in the folder.
    fn run(&self, words: &[&str]) -> Output {
        run_in(self.0.path(), words)
    }

    /// What it prints, if all is well.
    fn prints(&self, words: &[&str]) -> String {
        let output = self.run(words);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, words: &[&str]) -> Value {
        serde_json::from_str(&self.prints(words)).unwrap()
    }

    /// Why it refuses.
    fn refuses(&self, words: &[&str]) -> String {
        let output = self.run(words);
        assert_eq!(output.status.code(), Some(3), "{words:?}");
        assert!(output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    }

    fn randomize(&self, reports: &str) {
        self.prints(&["randomize", "survey.toml", "answers.csv", "-o", reports]);
    }
}

/// Runs the program in a folder, which is also where its temporary files are.
fn run_in(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_deniable"));
    command.current_dir(folder).env("TMPDIR", folder).args(words).output().unwrap()
}

/// Whether the intervals of an estimate hold these shares and means.
fn assert_holds(estimate: &Value, truth: &[Vec<f64>]) {
    let questions = estimate["questions"].as_array().unwrap();
    assert_eq!(questions.len(), truth.len());
    for (question, truth) in questions.iter().zip(truth) {
        let values = question["values"].as_array().unwrap();
        let all = if values.is_empty() { vec![&question["mean"]] } else { values.iter().collect() };
        assert_eq!(all.len(), truth.len(), "{question}");
        for (value, &truth) in all.iter().zip(truth) {
            let (low, high) = (value["low"].as_f64().unwrap(), value["high"].as_f64().unwrap());
            // The end of an interval is rounded where everybody or nobody has the value.
            assert!(low - 1e-9 <= truth && truth <= high + 1e-9, "{value}: {truth}");
        }
    }
}
