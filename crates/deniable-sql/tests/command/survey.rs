//! Questions by their names, and files of reports.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::Schema;
use deniable_arrow::{FINGERPRINT, Survey, SurveyCounts};
use serde_json::Value;

use crate::{Folder, read, write};

/// A question of each kind.
pub(crate) const EVERY_KIND: &str = include_str!("../../../deniable-cli/tests/every_kind.toml");

/// The same with other parameters.
const OTHER: &str =
    "version = 1\n[[question]]\nname = \"moved\"\nkind = \"yes-no\"\nepsilon = 1.5\n";

/// All questions, each with its function.
const ALL: &str = "SELECT region, randomize_yes_no(moved, 'moved') AS moved, randomize_choice(transport, 'transport') AS transport, \
    randomize_several(pets, 'pets') AS pets, randomize_text(browser, 'browser') AS browser, randomize_number(hours, 'hours') AS hours FROM answers";

const ROWS: u64 = 3000;

fn folder() -> Folder {
    let row = |i: u64| {
        let region = ["north", "south"][i as usize / 2 % 2];
        let moved = ["yes", "no"][i as usize % 2];
        let transport = ["car", "bus", "bike", "horse"][i as usize % 4];
        format!("{region},{moved},{transport},cat;dog,Firefox,{}\n", i % 24)
    };
    let rows: String = (0..ROWS).map(row).collect();
    let answers = format!("region,moved,transport,pets,browser,hours\n{rows}");
    let folder = Folder::new().with("survey.toml", EVERY_KIND).with("other.toml", OTHER);
    folder.with("answers.csv", &answers)
}

/// Runs a query on the answers.
fn reports(folder: &Folder, query: &str, name: &str) {
    let table = ["--table", "answers=answers.csv", "--survey", "survey.toml"];
    folder.shows(&[&[query], &table[..], &["-o", name]].concat());
}

/// The survey that a file says its rows are reports of.
fn survey_of(path: &Path) -> Option<String> {
    read(path)[0].schema().metadata().get(FINGERPRINT).cloned()
}

/// The counts that the library makes of files.
fn counted(folder: &Folder, names: &[&str]) -> SurveyCounts {
    let survey = Survey::parse(EVERY_KIND).unwrap();
    let mut counts = survey.counts();
    for rows in names.iter().flat_map(|name| read(&folder.path(name))) {
        survey.count(&rows, &mut counts).unwrap();
    }
    counts
}

/// The counts that the program makes of files.
fn counts(folder: &Folder, names: &[&str]) -> SurveyCounts {
    let files = names.iter().flat_map(|name| ["--count", name]);
    let words: Vec<&str> = ["--survey", "survey.toml"].into_iter().chain(files).collect();
    serde_json::from_str(&folder.shows(&words)).unwrap()
}

/// Whether counts are the same. Whole numbers are; means of numbers are up to rounding, which depends on the order in which they were merged.
fn assert_same(left: &SurveyCounts, right: &SurveyCounts) {
    fn check(left: &Value, right: &Value) {
        match (left, right) {
            (Value::Object(a), Value::Object(b)) => {
                assert!(a.keys().eq(b.keys()), "{left} {right}");
                a.iter().for_each(|(key, value)| check(value, &b[key]));
            }
            (Value::Array(a), Value::Array(b)) => {
                assert_eq!(a.len(), b.len());
                a.iter().zip(b).for_each(|(a, b)| check(a, b));
            }
            (Value::Number(a), Value::Number(b)) if a.is_f64() && b.is_f64() => {
                let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
                assert!((a - b).abs() <= 1e-12 * a.abs(), "{a} {b}");
            }
            _ => assert_eq!(left, right),
        }
    }
    check(&serde_json::to_value(left).unwrap(), &serde_json::to_value(right).unwrap());
}

/// Files of reports say so, and are counted by the library and the program alike: all rows of all questions.
#[test]
fn reports_are_counted() {
    let folder = folder();
    let own = Survey::parse(EVERY_KIND).unwrap().fingerprint().to_string();
    for name in ["reports.parquet", "reports.arrow"] {
        reports(&folder, ALL, name);
        assert_eq!(survey_of(&folder.path(name)), Some(own.clone()));
        let ours = counts(&folder, &[name]);
        assert!(ours.reports().all(|(_, count)| count == ROWS));
        assert_same(&ours, &counted(&folder, &[name]));
        let table = format!("t={name}");
        let regions = "SELECT region, count(*) FROM t GROUP BY region ORDER BY region";
        assert_eq!(folder.rows(&[regions, "--table", &table]), ["north,1500", "south,1500"]);
    }
    // Other formats have no place to say it, and are no reports.
    reports(&folder, ALL, "reports.csv");
    let csv = ["--survey", "survey.toml", "--count", "reports.csv"];
    folder.refuses(&csv, 3, "accepted are files that `deniable randomize` or `deniable sql` wrote");
    // Patterns are all of their files.
    reports(&folder, ALL, "more.parquet");
    let both = ["more.parquet", "reports.parquet"];
    assert_same(&counts(&folder, &both), &counted(&folder, &both));
    assert_same(&counts(&folder, &["*.parquet"]), &counted(&folder, &both));
}

/// The questions that a file has no column of are left out, in each file for itself.
#[test]
fn some_questions_are_counted() {
    let folder = folder();
    reports(&folder, ALL, "all.parquet");
    reports(
        &folder,
        "SELECT randomize_yes_no(moved, 'moved') AS moved FROM answers LIMIT 100",
        "moved.parquet",
    );
    reports(
        &folder,
        "SELECT randomize_number(hours, 'hours') AS hours, randomize_several(pets, 'pets') AS pets, region FROM answers LIMIT 10",
        "some.parquet",
    );
    for (names, reports) in [
        (&["moved.parquet"][..], [100, 0, 0, 0, 0]),
        (&["some.parquet"], [0, 0, 10, 0, 10]),
        (&["some.parquet", "all.parquet", "moved.parquet"], [3100, 3000, 3010, 3000, 3010]),
    ] {
        let ours = counts(&folder, names);
        assert_eq!(ours.reports().map(|(_, count)| count).collect::<Vec<_>>(), reports);
        assert_same(&ours, &counted(&folder, names));
    }
}

/// Only a report as it was drawn, of the question whose name it has, is one.
#[test]
fn what_are_reports() {
    let folder = folder();
    let moved = "randomize_yes_no(moved, 'moved') AS moved";
    let cases = [
        ("SELECT {moved} FROM answers", true),
        ("SELECT region, {moved}, 1 AS one FROM answers", true),
        ("SELECT {moved} FROM answers WHERE region = 'north'", true),
        ("SELECT {moved} FROM answers LIMIT 7", true),
        ("SELECT region, {moved} FROM answers ORDER BY region LIMIT 7", true),
        ("SELECT {moved} FROM answers ORDER BY region", true),
        ("SELECT {moved} FROM answers ORDER BY region LIMIT 7", true),
        ("SELECT region, {moved} FROM answers ORDER BY moved, region", true),
        // The same parameters, written out.
        ("SELECT randomize_yes_no(moved, 'epsilon = 2.0') AS moved FROM answers", true),
        // Of another column, whose answers are those of the question.
        ("SELECT randomize_yes_no(pets, 'moved') AS moved FROM answers", true),
        // Nothing is reported, or under another name.
        ("SELECT region FROM answers", false),
        ("SELECT randomize_yes_no(moved, 'moved') AS changed FROM answers", false),
        ("SELECT randomize_yes_no(moved, 'moved') FROM answers", false),
        // Answers beside it, as they are.
        ("SELECT {moved}, hours FROM answers", false),
        ("SELECT moved FROM answers", false),
        ("SELECT NULL AS moved", false),
        // Computed further.
        ("SELECT NOT randomize_yes_no(moved, 'moved') AS moved FROM answers", false),
        ("SELECT NOT moved AS moved FROM (SELECT {moved} FROM answers)", false),
        (
            "SELECT {moved}, character_length(h) AS hours FROM (SELECT moved, hours AS h FROM answers)",
            false,
        ),
        (
            "SELECT m AS moved FROM (SELECT randomize_yes_no(moved, 'moved') AS m FROM answers)",
            false,
        ),
        // Chosen by what they are.
        ("SELECT * FROM (SELECT {moved} FROM answers) WHERE moved", false),
        ("SELECT DISTINCT {moved} FROM answers", false),
        ("SELECT {moved} FROM answers ORDER BY moved LIMIT 7", false),
        ("(SELECT region, {moved} FROM answers ORDER BY moved LIMIT 100) ORDER BY region", false),
        (
            "SELECT randomize_yes_no(b AND region <> '', 'moved') AS moved FROM (SELECT region, randomize_yes_no(moved, 'epsilon = 0.01') AS b FROM answers)",
            false,
        ),
        ("SELECT {moved} FROM answers ORDER BY NOT moved, region LIMIT 7", false),
        ("SELECT {moved} FROM answers ORDER BY region, moved LIMIT 7", false),
        ("SELECT moved FROM (SELECT {moved} FROM answers ORDER BY moved LIMIT 9) LIMIT 7", false),
        // Other parameters, or those of another question.
        ("SELECT randomize_yes_no(moved, 'epsilon = 1.0') AS moved FROM answers", false),
        ("SELECT randomize_yes_no(moved, 2.5) AS moved FROM answers", false),
        (
            "SELECT {moved}, randomize_choice(transport, 'choices = [\"car\"], epsilon = 3.0') AS transport FROM answers",
            false,
        ),
        ("SELECT randomize_number(hours, 'hours') AS moved FROM answers", false),
        // A function of another kind that takes these parameters.
        ("SELECT randomize_text(moved, 'moved') AS moved FROM answers", false),
        ("SELECT randomize_yes_no(moved, 'moved') AS hours FROM answers", false),
        // Two tables.
        ("SELECT {moved} FROM answers UNION ALL SELECT true", false),
    ];
    for (i, (query, are_reports)) in cases.into_iter().enumerate() {
        for format in ["parquet", "arrow"] {
            let (query, name) = (query.replace("{moved}", moved), format!("{i}.{format}"));
            reports(&folder, &query, &name);
            assert_eq!(survey_of(&folder.path(&name)).is_some(), are_reports, "{query}");
        }
    }
    // Nobody says which survey it is.
    let query = "SELECT randomize_yes_no(moved, 'epsilon = 2.0') AS moved FROM answers";
    folder.shows(&[query, "--table", "answers=answers.csv", "-o", "none.parquet"]);
    assert_eq!(survey_of(&folder.path("none.parquet")), None);
}

/// What was made of reports does not say that it is some.
#[test]
fn made_of_reports() {
    let folder = folder();
    for name in ["reports.parquet", "reports.arrow"] {
        reports(&folder, ALL, name);
        for (i, output) in ["made.parquet", "made.arrow"].into_iter().enumerate() {
            let (table, output) = (format!("reports={name}"), format!("{name}-{i}-{output}"));
            for query in [
                "SELECT NOT moved AS moved, hours * 2 AS hours FROM reports",
                "SELECT randomize_yes_no(moved, 'moved') AS moved FROM reports",
            ] {
                folder.shows(&[query, "--table", &table, "--survey", "survey.toml", "-o", &output]);
                assert_eq!(survey_of(&folder.path(&output)), None, "{output}");
                let count = ["--survey", "survey.toml", "--count", &output];
                folder.refuses(&count, 3, "no reports of this survey");
                std::fs::remove_file(folder.path(&output)).unwrap();
            }
        }
    }
}

/// Reports of another survey, of none, and of this one beside them.
#[test]
fn other_surveys() {
    let folder = folder();
    reports(&folder, ALL, "reports.parquet");
    let count = |survey: &'static str, file: &'static str| ["--survey", survey, "--count", file];
    let own = Survey::parse(OTHER).unwrap().fingerprint().to_string();
    folder.refuses(&count("other.toml", "reports.parquet"), 3, &own);
    let words = ["SELECT randomize_yes_no(moved, 'moved') AS moved FROM answers", "--table"];
    let words = [&words[..], &["answers=answers.csv", "--survey", "other.toml"]].concat();
    folder.shows(&[&words[..], &["-o", "other.parquet"]].concat());
    folder.refuses(
        &count("survey.toml", "other.parquet"),
        3,
        "other.parquet: these are no reports",
    );
    folder.refuses(&count("survey.toml", "*.parquet"), 3, "other.parquet: these are no reports");
    folder.refuses(&count("survey.toml", "none.parquet"), 1, "none.parquet: entity not found");
    // With the fingerprint, but not what was drawn.
    let rows = &read(&folder.path("other.parquet"))[0];
    let own = Survey::parse(EVERY_KIND).unwrap().fingerprint().to_string();
    let metadata = HashMap::from([(FINGERPRINT.to_owned(), own)]);
    let fields = vec![rows.schema().field(0).clone().with_name("hours")];
    let schema = Arc::new(Schema::new_with_metadata(fields, metadata));
    let forged = RecordBatch::try_new(schema, rows.columns().to_vec()).unwrap();
    write(&folder.path("forged.parquet"), &forged);
    folder.refuses(&count("survey.toml", "forged.parquet"), 3, "count_reports: ");
}

/// Names stand for parameters in all functions of questions, and in nothing else.
#[test]
fn names() {
    let folder = folder();
    reports(&folder, ALL, "reports.parquet");
    let estimates = "SELECT estimate_yes_no(moved, 'moved')['reports'], estimate_choice(transport, 'transport')[1]['reports'], estimate_several(pets, 'pets')[1]['reports'], \
        estimate_text(browser, 'browser')[1]['reports'], estimate_number(hours, 'hours')['reports'] FROM reports";
    let rest = ["--table", "reports=reports.parquet", "--survey", "survey.toml"];
    assert_eq!(folder.rows(&[&[estimates], &rest[..]].concat()), ["3000,3000,3000,3000,3000"]);
    let run = |query: &str, words: &[&str]| {
        folder.run(&[&[query, "--table", "answers=answers.csv"], words].concat())
    };
    let query = "SELECT randomize_yes_no(moved, 'move') AS moved FROM answers";
    let said = run(query, &["--survey", "survey.toml"]);
    assert_eq!(said.code, 3);
    assert!(said.err.contains(
        "\"move\" is no question of the survey; accepted is the name of one, or parameters"
    ));
    // Without a survey there are no names.
    let said = run("SELECT randomize_yes_no(moved, 'moved') AS moved FROM answers", &[]);
    assert_eq!(said.code, 3);
    assert!(said.err.contains("accepted are fields of a survey file"), "{}", said.err);
    // Of another kind.
    let said = run(
        "SELECT randomize_yes_no(moved, 'pets') AS r FROM answers",
        &["--survey", "survey.toml"],
    );
    assert_eq!(said.code, 3);
    assert!(said.err.contains("randomize_yes_no: "), "{}", said.err);
    let said = run(
        "SELECT lpad('moved', 5, 'hours') AS r, concat('a', 'moved') AS q FROM answers LIMIT 1",
        &["--survey", "survey.toml", "--format", "csv"],
    );
    assert_eq!(said.out, "r,q\nmoved,amoved\n");
}

/// The counts are the last of what is written: nobody reads them, and that is no defect.
#[test]
fn closed_output() {
    let folder = folder();
    reports(&folder, ALL, "reports.parquet");
    let mut command = folder.command(&["--survey", "survey.toml", "--count", "reports.parquet"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = command.stdout(writer).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("error: standard output: ") && !said.contains("defect"), "{said}");
}
