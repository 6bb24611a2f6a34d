//! A long file, randomized by the command, which writes on a second thread, and copied column by column through the same reader and writer on one.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::{ArrayRef, BooleanArray, RecordBatch, StringArray, UInt64Array};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

pub(crate) const ROWS: usize = 10_000_000;
const BATCH: usize = 1 << 16;
const ROUNDS: usize = 5;
const CATEGORIES: [&str; 8] = ["car", "bus", "bike", "train", "tram", "walk", "ferry", "none"];

/// Prints both times of each round, and the ratio of both.
pub(crate) fn print() {
    let folder = folder("files");
    let answers = folder.join("answers.parquet");
    write_answers(&answers);
    write_survey(&folder);
    let command = command();
    let mut ratios = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        copy(&answers, &folder.join("copy.parquet"));
        let copied = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let status = Command::new(&command)
            .current_dir(&folder)
            .args(["randomize", "survey.toml", "answers.parquet", "-o", "reports.parquet"])
            .status();
        let randomized = start.elapsed().as_secs_f64();
        assert!(status.is_ok_and(|status| status.success()), "the command failed");
        println!(
            "{ROWS} rows of Parquet: copied in {copied:.2} s, randomized in {randomized:.2} s"
        );
        ratios.push(copied / randomized);
        for name in ["copy.parquet", "reports.parquet"] {
            fs::remove_file(folder.join(name)).expect("a file that was written");
        }
    }
    println!(
        "randomized at {:.2} of the speed of copying (median; wanted 0.5)",
        median(&mut ratios)
    );
    fs::remove_dir_all(&folder).expect("the folder");
}

/// A new folder for files that are large.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("deniable-bench-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The middle one.
pub(crate) fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// A survey with a question for each column of the answers.
pub(crate) fn write_survey(folder: &Path) {
    let choices: Vec<String> = (0..64).map(|i| format!("\"c{i}\"")).collect();
    let survey = format!(
        "version = 1\n[[question]]\nname = \"yes\"\nkind = \"yes-no\"\nepsilon = 1\n\
         [[question]]\nname = \"choice\"\nkind = \"choice\"\nchoices = {:?}\nother = false\nmissing = \"none\"\nmechanism = \"randomized-response\"\nepsilon = 1\n\
         [[question]]\nname = \"set\"\nkind = \"several\"\nchoices = [{}]\nmost = 64\nepsilon = 64\n",
        CATEGORIES,
        choices.join(", "),
    );
    fs::write(folder.join("survey.toml"), survey).expect("a survey");
}

/// The command, built as it ships.
pub(crate) fn command() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = root.join("Cargo.toml");
    let build = ["build", "--release", "-p", "deniable-cli", "--manifest-path"];
    let status = Command::new("cargo").args(build).arg(manifest).status();
    assert!(status.is_ok_and(|status| status.success()), "the command cannot be built");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    target.join("release/deniable")
}

fn properties() -> WriterProperties {
    let level = ZstdLevel::try_new(1).expect("a level");
    WriterProperties::builder().set_compression(Compression::ZSTD(level)).build()
}

pub(crate) fn write_answers(path: &Path) {
    let mut state = 1u64;
    let mut word = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^ (state >> 29)
    };
    let mut writer: Option<ArrowWriter<File>> = None;
    for start in (0..ROWS).step_by(BATCH) {
        let rows = BATCH.min(ROWS - start);
        let words: Vec<u64> = (0..rows).map(|_| word()).collect();
        let yes: ArrayRef =
            Arc::new(words.iter().map(|word| Some(word >> 40 & 3 == 0)).collect::<BooleanArray>());
        let choice = words.iter().map(|word| CATEGORIES[(word >> 50 & 7) as usize]);
        let choice: ArrayRef = Arc::new(StringArray::from_iter_values(choice));
        let set: ArrayRef = Arc::new(UInt64Array::from(words));
        let batch = RecordBatch::try_from_iter([("yes", yes), ("choice", choice), ("set", set)])
            .expect("columns");
        let writer = writer.get_or_insert_with(|| {
            let file = File::create(path).expect("a file");
            ArrowWriter::try_new(file, batch.schema(), Some(properties())).expect("a writer")
        });
        writer.write(&batch).expect("rows");
    }
    writer.expect("rows").close().expect("the end of the file");
}

fn copy(from: &Path, to: &Path) {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(from).expect("a file"))
        .expect("Parquet");
    let schema = builder.schema().clone();
    let reader = builder.with_batch_size(BATCH).build().expect("a reader");
    let mut writer =
        ArrowWriter::try_new(File::create(to).expect("a file"), schema, Some(properties()))
            .expect("a writer");
    for batch in reader {
        writer.write(&batch.expect("rows")).expect("rows");
    }
    let file = writer.into_inner().expect("the end of the file");
    file.sync_all().expect("a disk");
}
