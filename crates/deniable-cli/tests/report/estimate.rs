//! Files of reports and of counts, groups, and what is refused.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};

use super::{Folder, ROWS, TRUTH, assert_holds};

const SURE: [&str; 4] = ["--confidence", "0.999999999999", "--target", "sample"];

fn truth() -> Vec<Vec<f64>> {
    TRUTH.iter().map(|shares| shares.to_vec()).collect()
}

#[test]
fn every_format_goes_from_answers_to_estimates() {
    let folder = Folder::new();
    for end in ["csv", "jsonl", "csv.gz", "jsonl.zst", "parquet", "arrow"] {
        let reports = format!("reports.{end}");
        folder.randomize(&reports);
        let words = [&["estimate", "survey.toml", &reports, "--json"], &SURE[..]].concat();
        let estimate = folder.json(&words);
        assert_holds(&estimate, &truth());
        assert_eq!(estimate["questions"][0]["reports"], ROWS);
    }
}

#[test]
fn counts_that_are_merged_are_those_of_all_files() {
    let folder = Folder::new();
    let parts = ["1.parquet", "2.csv.gz", "3.arrow"];
    for part in parts {
        folder.randomize(part);
        let counts = format!("{}.counts.json", &part[..1]);
        folder.prints(&["count", "survey.toml", part, "-o", &counts]);
    }
    folder.prints(&["merge", "survey.toml", "?.counts.json", "-o", "all.counts.json"]);
    let merged = folder.json(&["estimate", "survey.toml", "all.counts.json", "--json"]);
    let words = [&["estimate", "survey.toml"], &parts[..], &["--json"]].concat();
    let at_once = folder.json(&words);
    let mixed =
        folder.json(&["estimate", "survey.toml", "1.counts.json", parts[1], parts[2], "--json"]);
    for other in [&merged, &mixed] {
        for question in 0..4 {
            assert_eq!(other["questions"][question], at_once["questions"][question]);
        }
        let mean = |of: &Value| of["questions"][4]["mean"]["mean"].as_f64().unwrap();
        assert!((mean(other) - mean(&at_once)).abs() < 1e-9);
    }
    assert_eq!(merged["questions"][4]["reports"], 3 * ROWS);
}

#[test]
fn another_survey_is_refused() {
    let folder = Folder::new();
    folder.randomize("reports.csv");
    folder.randomize("reports.parquet");
    folder.prints(&["count", "survey.toml", "reports.csv", "-o", "own.counts.json"]);
    folder.write("other.toml", &super::SURVEY.replacen("epsilon = 2.0", "epsilon = 2.5", 1));
    for reports in ["reports.csv", "reports.parquet"] {
        let why = folder.refuses(&["estimate", "other.toml", reports]);
        assert!(why.contains(reports) && why.contains("of another survey"), "{why}");
    }
    let why = folder.refuses(&["estimate", "other.toml", "own.counts.json"]);
    assert!(why.contains("different surveys"), "{why}");
    folder.refuses(&["merge", "other.toml", "own.counts.json", "-o", "sum.counts.json"]);
    folder.refuses(&["count", "other.toml", "reports.csv", "-o", "sum.counts.json"]);
    assert!(!folder.path("sum.counts.json").exists());
    // A title and the texts that people read are no part of what reports mean.
    folder.write("same.toml", &super::SURVEY.replace("\"Test\"", "\"Another title\""));
    folder.prints(&["estimate", "same.toml", "reports.csv"]);
}

/// No rows are no reports; but whose they would be is checked where the file says it.
#[test]
fn reports_without_rows_are_of_a_survey() {
    let folder = Folder::new();
    let header = super::answers().lines().next().unwrap().to_owned() + "\n";
    folder.write("answers.csv", &header);
    folder.write("other.toml", &super::SURVEY.replacen("epsilon = 2.0", "epsilon = 2.5", 1));
    fn arguments<'a>(survey: &'a str, reports: &'a str) -> [&'a str; 5] {
        ["count", survey, reports, "-o", "-"]
    }
    for reports in ["none.csv", "none.parquet", "none.arrow"] {
        folder.randomize(reports);
        let counts = folder.json(&arguments("survey.toml", reports));
        assert_eq!(counts["questions"][0]["tally"]["values"]["reports"], 0, "{reports}");
    }
    for reports in ["none.parquet", "none.arrow"] {
        let why = folder.refuses(&arguments("other.toml", reports));
        assert!(why.contains(reports) && why.contains("of another survey"), "{why}");
        let by = ["estimate", "other.toml", reports, "--by", "region"];
        assert!(folder.refuses(&by).contains("of another survey"));
    }
    // The rows of CSV say it, and the header that they do.
    folder.prints(&arguments("other.toml", "none.csv"));
    let why = folder.refuses(&arguments("survey.toml", "answers.csv"));
    assert!(why.contains("do not say which survey they are of"), "{why}");
}

#[test]
fn reports_that_are_none_are_refused() {
    let folder = Folder::new();
    let why = folder.refuses(&["estimate", "survey.toml", "answers.csv"]);
    assert!(why.contains("do not say which survey they are of"), "{why}");
    folder.randomize("reports.csv");
    let reports = folder.read("reports.csv");
    // One row of another survey, and an answer in the place of a report.
    let digits = reports.lines().nth(1).unwrap().rsplit(',').next().unwrap();
    let (head, last) = reports.trim_end().rsplit_once(digits).unwrap();
    folder.write("mixed.csv", &format!("{head}{}{last}\n", "0".repeat(32)));
    let why = folder.refuses(&["estimate", "survey.toml", "mixed.csv"]);
    assert!(why.contains("different surveys"), "{why}");
    folder.write("raw.csv", &reports.replacen(",true,", ",CANARY,", 1));
    let why = folder.refuses(&["estimate", "survey.toml", "raw.csv"]);
    assert!(why.contains("raw.csv") && !why.contains("CANARY"), "{why}");
    folder.write("bad.counts.json", "{\"survey\": \"CANARY\"}");
    let why = folder.refuses(&["estimate", "survey.toml", "bad.counts.json"]);
    assert!(why.contains("no counts") && !why.contains("CANARY"), "{why}");
}

#[test]
fn groups_are_estimated_apart() {
    let folder = Folder::new();
    folder.randomize("reports.csv");
    let by = folder.json(&["estimate", "survey.toml", "reports.csv", "--by", "region", "--json"]);
    let names: Vec<&Value> =
        by["groups"].as_array().unwrap().iter().map(|group| &group["group"]).collect();
    assert_eq!(names, ["north", "south"]);
    assert_eq!(by["by"], "region");
    let reports = folder.read("reports.csv");
    let (head, _) = reports.split_once('\n').unwrap();
    for (i, name) in ["north", "south"].iter().enumerate() {
        let own = reports.lines().filter(|line| line.starts_with(name));
        let own: String =
            [head].into_iter().chain(own).map(|line| line.to_owned() + "\n").collect();
        folder.write("own.csv", &own);
        let alone = folder.json(&["estimate", "survey.toml", "own.csv", "--json"]);
        assert_eq!(by["groups"][i]["questions"], alone["questions"]);
        assert_eq!(alone["questions"][0]["reports"], ROWS / 2);
    }
    // All of them together are what they are without groups, but for the rounding of a mean.
    let all = folder.json(&["estimate", "survey.toml", "reports.csv", "--json"]);
    assert_eq!(by["questions"][1], all["questions"][1]);
    let table = folder.prints(&["estimate", "survey.toml", "reports.csv", "--by", "region"]);
    assert!(table.contains("region: north") && table.contains("region: south"));
    // A spreadsheet computes no group.
    folder.write("formula.csv", &reports.replace("north,", "=1+1,"));
    let lines =
        folder.prints(&["estimate", "survey.toml", "formula.csv", "--by", "region", "--csv"]);
    assert!(lines.contains("\n'=1+1,moved,") && !lines.contains("\n="), "{lines}");
}

#[test]
fn groups_that_cannot_be_are_refused() {
    let folder = Folder::new();
    folder.randomize("reports.csv");
    let why = folder.refuses(&["estimate", "survey.toml", "reports.csv", "--by", "moved"]);
    assert!(why.contains("accepted is one of \"region\""), "{why}");
    folder.prints(&["count", "survey.toml", "reports.csv", "-o", "a.counts.json"]);
    let why = folder.refuses(&["estimate", "survey.toml", "a.counts.json", "--by", "region"]);
    assert!(why.contains("counts have no groups"), "{why}");
    let reports = folder.read("reports.csv");
    let mut lines = reports.lines().enumerate();
    let region = |(i, line): (usize, &str)| {
        if i == 0 { line.to_owned() } else { format!("{i}{line}") }
    };
    let many: Vec<String> = lines.by_ref().map(region).collect();
    folder.write("many.csv", &(many[..=1000].join("\n") + "\n"));
    folder.prints(&["estimate", "survey.toml", "many.csv", "--by", "region", "--csv"]);
    folder.write("many.csv", &(many[..=1001].join("\n") + "\n"));
    let why = folder.refuses(&["estimate", "survey.toml", "many.csv", "--by", "region"]);
    assert!(why.contains("more than 1000 values"), "{why}");
}

#[test]
fn what_programs_read_has_these_names() {
    let folder = Folder::new();
    folder.randomize("reports.parquet");
    let estimate = folder.json(&["estimate", "survey.toml", "reports.parquet", "--json"]);
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let sorted = |mut names: Vec<&'static str>| {
        names.sort_unstable();
        names
    };
    let top = vec!["title", "survey", "epsilon", "confidence", "target", "questions"];
    assert_eq!(keys(&estimate), sorted(top));
    let question =
        vec!["name", "text", "kind", "mechanism", "epsilon", "reports", "values", "notes"];
    assert_eq!(keys(&estimate["questions"][0]), sorted(question.clone()));
    assert_eq!(keys(&estimate["questions"][3]), sorted([question.clone(), vec!["fit"]].concat()));
    assert_eq!(keys(&estimate["questions"][4]), sorted([question, vec!["mean"]].concat()));
    let value = vec![
        "value",
        "share",
        "count",
        "standard_error",
        "low",
        "high",
        "p_value",
        "detected",
        "consistent",
    ];
    assert_eq!(keys(&estimate["questions"][1]["values"][0]), sorted(value));
    assert_eq!(estimate["target"], json!("population"));
    let csv = folder.prints(&["estimate", "survey.toml", "reports.parquet", "--csv"]);
    let head =
        "question,kind,measure,value,estimate,low,high,standard_error,count,detected,reports";
    assert_eq!(csv.lines().next(), Some(head));
    // A line for each share, one for what no candidate explains, one for the mean.
    assert_eq!(csv.lines().count(), 1 + 1 + 4 + 3 + 2 + 1 + 1);
}

#[test]
fn candidates_come_from_a_file_where_the_survey_has_none() {
    let folder = Folder::new();
    folder.write("open.toml", &super::SURVEY.replace("candidates = [", "# "));
    folder.randomize("reports.csv");
    let none = folder.json(&["estimate", "open.toml", "reports.csv", "--json"]);
    assert_eq!(none["questions"][3]["values"], json!([]));
    folder.write("candidates.txt", "Chrome\n\n Firefox \nChrome\n");
    let words =
        ["estimate", "open.toml", "reports.csv", "--json", "--candidates", "candidates.txt"];
    let found = folder.json(&words);
    assert_eq!(found["questions"][3]["values"].as_array().unwrap().len(), 2);
}

#[test]
fn a_plan_warns_where_a_question_cannot_work() {
    let folder = Folder::new();
    let plan = |n: &str| folder.json(&["plan", "survey.toml", "-n", n, "--json"]);
    let warnings = |plan: &Value| {
        let questions = plan["questions"].as_array().unwrap().iter();
        questions.filter(|question| question["warnings"] != json!([])).count()
    };
    let (few, many) = (plan("5"), plan("1000000"));
    assert_eq!((warnings(&few), warnings(&many)), (5, 0));
    assert_eq!(many["epsilon"], 14.0);
    let text = folder.prints(&["plan", "survey.toml", "-n", "5"]);
    assert!(text.contains("warning: moved") && text.contains("It would work with"), "{text}");
}

/// Frames of other programs keep no metadata: they have the fingerprint in a column, of texts or of categories.
#[test]
fn fingerprints_in_a_column_are_read() {
    let folder = Folder::new();
    folder.randomize("reports.parquet");
    let known = folder.json(&["estimate", "survey.toml", "reports.parquet", "--json"]);
    let (batch, own) = without_metadata(&folder.path("reports.parquet"));
    let texts = |marks: &[&str]| -> ArrayRef {
        Arc::new(StringArray::from_iter_values((0..ROWS).map(|row| marks[row % marks.len()])))
    };
    let text_in_categories = DataType::Dictionary(DataType::UInt32.into(), DataType::Utf8.into());
    let categories = arrow_cast::cast(&texts(&[&own]), &text_in_categories).unwrap();
    for (name, marks) in [("texts", texts(&[&own])), ("categories", categories)] {
        let batch = with_column(&batch, marks);
        write_parquet(&batch, &folder.path(&format!("{name}.parquet")));
        write_arrow(&batch, &folder.path(&format!("{name}.arrow")));
        for end in ["parquet", "arrow"] {
            let words = ["estimate", "survey.toml", &format!("{name}.{end}"), "--json"];
            assert_eq!(folder.json(&words), known, "{words:?}");
        }
    }
    let other = "0".repeat(32);
    for (marks, why) in [
        (vec![own.as_str(), &other], "rows are of different surveys"),
        (vec![other.as_str()], "of another survey"),
        (vec!["CANARY"], "of another survey"),
    ] {
        write_parquet(&with_column(&batch, texts(&marks)), &folder.path("bad.parquet"));
        let said = folder.refuses(&["estimate", "survey.toml", "bad.parquet"]);
        assert!(said.contains(why) && !said.contains("CANARY"), "{said}");
    }
    write_parquet(&batch, &folder.path("none.parquet"));
    let said = folder.refuses(&["estimate", "survey.toml", "none.parquet"]);
    assert!(said.contains("do not say which survey"), "{said}");
    let empty = with_column(&batch, texts(&[&own])).slice(0, 0);
    write_parquet(&empty, &folder.path("empty.parquet"));
    let found = folder.json(&["estimate", "survey.toml", "empty.parquet", "--json"]);
    assert_eq!(found["questions"][0]["reports"], 0);
}

/// The reports of a file, and the fingerprint that they are without.
fn without_metadata(path: &Path) -> (RecordBatch, String) {
    let file = File::open(path).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let own = reader.schema().metadata()["deniable_survey"].clone();
    let mut batches = reader.with_batch_size(ROWS).build().unwrap();
    let batch = batches.next().unwrap().unwrap();
    let plain = Schema::new(batch.schema().fields().clone());
    (batch.with_schema(plain.into()).unwrap(), own)
}

fn with_column(batch: &RecordBatch, marks: ArrayRef) -> RecordBatch {
    let own = batch.schema().fields().iter().cloned().collect::<Vec<_>>();
    let mark = Field::new("deniable_survey", marks.data_type().clone(), true);
    let schema = Schema::new([own, vec![mark.into()]].concat());
    let columns = [batch.columns().to_vec(), vec![marks]].concat();
    RecordBatch::try_new(schema.into(), columns).unwrap()
}

fn write_parquet(batch: &RecordBatch, path: &Path) {
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

fn write_arrow(batch: &RecordBatch, path: &Path) {
    let file = File::create(path).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}

/// As pandas writes truth values.
#[test]
fn capital_letters_of_truth_values_are_read() {
    let folder = Folder::new();
    folder.randomize("reports.csv");
    let known = folder.json(&["estimate", "survey.toml", "reports.csv", "--json"]);
    let capital =
        folder.read("reports.csv").replace(",true,", ",True,").replace(",false,", ",False,");
    assert!(capital.contains(",True,"));
    folder.write("capital.csv", &capital);
    assert_eq!(folder.json(&["estimate", "survey.toml", "capital.csv", "--json"]), known);
}
