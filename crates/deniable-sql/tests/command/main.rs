//! The program `deniable-sql` as it is, on files.
#![forbid(unsafe_code)]

mod input;
#[cfg(target_os = "linux")]
mod obstacles;
mod output;
mod refused;
mod survey;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::reader::FileReader;
use datafusion::arrow::ipc::writer::FileWriter;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

/// Nothing but answers has it in it.
const CANARY: &str = "CANARY7f3a";

/// A folder with files, in which the program is run.
struct Folder(tempfile::TempDir);

/// What the program said.
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

    /// The names of all files, in order.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_deniable-sql"));
        command.current_dir(self.0.path()).env("TMPDIR", self.0.path()).args(words);
        command
    }

    fn run(&self, words: &[&str]) -> Said {
        self.command(words).output().unwrap().into()
    }

    /// What is shown, if all is well.
    fn shows(&self, words: &[&str]) -> String {
        let said = self.run(words);
        assert_eq!(said.code, 0, "{words:?}: {}", said.err);
        said.out
    }

    /// The lines of a result, below its header.
    fn rows(&self, words: &[&str]) -> Vec<String> {
        let shown = self.shows(&[words, &["--format", "csv"]].concat());
        shown.lines().skip(1).map(str::to_owned).collect()
    }

    /// Why nothing is done: it says so with this code and such words, shows nothing, and leaves no file.
    fn refuses(&self, words: &[&str], code: i32, why: &str) {
        let before = self.names();
        let said = self.run(words);
        assert_eq!((said.code, said.out.as_str()), (code, ""), "{words:?}: {}", said.err);
        assert!(said.err.contains(why), "{words:?}: {}", said.err);
        assert!(!said.err.contains(CANARY), "{words:?}: {}", said.err);
        assert_eq!(self.names(), before, "{words:?}");
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

/// Writes a file by its name.
fn write(path: &Path, rows: &RecordBatch) {
    let file = File::create(path).unwrap();
    if path.extension().unwrap() == "parquet" {
        let mut writer = ArrowWriter::try_new(file, rows.schema(), None).unwrap();
        writer.write(rows).unwrap();
        writer.close().unwrap();
    } else {
        let mut writer = FileWriter::try_new(file, &rows.schema()).unwrap();
        writer.write(rows).unwrap();
        writer.finish().unwrap();
    }
}

/// Reads a file by its name, without the program.
fn read(path: &Path) -> Vec<RecordBatch> {
    try_read(path).unwrap()
}

/// The same for one that may be none, or a part of one.
fn try_read(path: &Path) -> Result<Vec<RecordBatch>, ArrowError> {
    let file = File::open(path)?;
    if path.extension().is_some_and(|extension| extension == "parquet") {
        let reader = ParquetRecordBatchReaderBuilder::try_new(file)?;
        let schema = reader.schema().clone();
        // Batches have not the metadata of the file.
        let with_metadata =
            |rows: RecordBatch| RecordBatch::try_new(schema.clone(), rows.columns().to_vec());
        reader.build()?.map(|rows| with_metadata(rows?)).collect()
    } else {
        FileReader::try_new(file, None)?.collect()
    }
}
