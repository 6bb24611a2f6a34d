//! The files: answers of [`ROWS`] people, and their reports.

use std::fs::{self, File};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray,
};
use datafusion::arrow::compute::{concat_batches, take_record_batch};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use datafusion::parquet::file::properties::WriterProperties;
use deniable_arrow::Survey;

/// How many people there are.
pub(crate) const ROWS: i64 = 2_000_000;

/// In how many files: more than executors.
const FILES: i64 = 8;

/// How many reports are drawn, and taken again and again: without optimization, that of a text takes long.
const DRAWN: i64 = 20_011;

/// All kinds of questions.
pub(crate) const SURVEY: &str = r#"
version = 1
public = ["region"]

[[question]]
name = "moved"
kind = "yes-no"
epsilon = 2.0

[[question]]
name = "transport"
kind = "choice"
choices = ["car", "bus", "bike"]
epsilon = 3.0

[[question]]
name = "pets"
kind = "several"
choices = ["cat", "dog", "fish"]
most = 2
epsilon = 4.0

[[question]]
name = "browser"
kind = "text"
bits = 32
hashes = 1
cohorts = 8
candidates = ["Firefox", "Chrome"]
epsilon = 3.0

[[question]]
name = "hours"
kind = "number"
low = 0
high = 24
epsilon = 2.0
"#;

/// The files, made once for all tests.
pub(crate) static DATA: LazyLock<Data> = LazyLock::new(Data::make);

pub(crate) struct Data {
    folder: PathBuf,
}

impl Data {
    /// `--table` for the answers: id, moved, and same, which is 5 for all.
    pub(crate) fn answers(&self) -> String {
        format!("answers={}", self.path("answers-*.parquet"))
    }

    /// The files with reports, as a pattern.
    pub(crate) fn reports(&self) -> String {
        self.path("reports-*.parquet")
    }

    /// The same but for one.
    pub(crate) fn fewer_reports(&self) -> String {
        self.path("reports-[1-9].parquet")
    }

    /// A file with the survey.
    pub(crate) fn survey(&self) -> String {
        self.path("survey.toml")
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    /// In a folder that the next run writes over.
    fn make() -> Self {
        let data = Data { folder: Path::new(env!("CARGO_TARGET_TMPDIR")).join("cluster") };
        fs::create_dir_all(&data.folder).unwrap();
        fs::write(data.survey(), SURVEY).unwrap();
        let survey = Survey::parse(SURVEY).unwrap();
        let drawn = survey.randomize(&all_answers()).unwrap();
        for file in 0..FILES {
            let ids = file * ROWS / FILES..(file + 1) * ROWS / FILES;
            write(&data.path(&format!("answers-{file}.parquet")), &answers(ids.clone()));
            // Files differ in their counts.
            let picked = Int64Array::from_iter_values(ids.map(|id| id * id / 7 % DRAWN));
            let reports = take_record_batch(&drawn, &picked).unwrap();
            write(&data.path(&format!("reports-{file}.parquet")), &reports);
        }
        data
    }
}

/// Answers of people with these numbers.
fn answers(ids: Range<i64>) -> RecordBatch {
    let columns: [(&str, ArrayRef); 3] = [
        ("id", Arc::new(Int64Array::from_iter_values(ids.clone()))),
        ("moved", Arc::new(BooleanArray::from_iter(ids.clone().map(|id| Some(moved(id)))))),
        ("same", Arc::new(Float64Array::from_iter_values(ids.map(|_| 5.0)))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Answers to all questions.
fn all_answers() -> RecordBatch {
    let ids = 0..DRAWN;
    let texts = |choices: &'static [&'static str]| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(
            ids.clone().map(|id| choices[id as usize % choices.len()]),
        ))
    };
    let columns: [(&str, ArrayRef); 6] = [
        ("region", Arc::new(Int64Array::from_iter_values(ids.clone().map(|id| id % 7)))),
        ("moved", Arc::new(BooleanArray::from_iter(ids.clone().map(|id| Some(moved(id)))))),
        ("transport", texts(&["car", "bus", "car", "bike", "car"])),
        ("pets", texts(&["cat", "", "cat;dog", "fish"])),
        ("browser", texts(&["Firefox", "Chrome", "Firefox"])),
        ("hours", Arc::new(Float64Array::from_iter_values(ids.clone().map(|id| (id % 25) as f64)))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// What a person says.
pub(crate) fn moved(id: i64) -> bool {
    id % 4 == 0
}

fn write(path: &str, rows: &RecordBatch) {
    // Several groups of rows, which are what tasks share a file by.
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(25_000)).build();
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, rows.schema(), Some(properties)).unwrap();
    writer.write(rows).unwrap();
    writer.close().unwrap();
}

/// The rows of a Parquet file.
pub(crate) fn read(path: &Path) -> RecordBatch {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let schema = reader.schema().clone();
    let batches: Vec<_> = reader.with_batch_size(1 << 20).build().unwrap().flatten().collect();
    concat_batches(&schema, &batches).unwrap()
}
