//! Where results go.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema};

use crate::{CANARY, Folder, Said, read, write};

const ROWS: &str = "SELECT column1 AS name, column2 AS n FROM (VALUES ('a', 1), (NULL, 2), ('c, d', 3)) ORDER BY n";

const NONE: &str = "SELECT 'a' AS name, 1 AS n WHERE false";

/// Each format has the same rows, and none are none with their header.
#[test]
fn files() {
    let folder = Folder::new();
    for name in ["rows.parquet", "rows.arrow", "rows.csv"] {
        assert_eq!(folder.shows(&[ROWS, "-o", name]), "");
        let none = format!("none-{name}");
        assert_eq!(folder.shows(&[NONE, "--output", &none]), "");
    }
    assert_eq!(folder.read("rows.csv"), "name,n\na,1\n,2\n\"c, d\",3\n");
    assert_eq!(folder.read("none-rows.csv"), "name,n\n");
    for name in ["rows.parquet", "rows.arrow"] {
        let rows = read(&folder.path(name));
        assert_eq!(rows.len(), 1);
        let texts = cast(rows[0].column(0), &DataType::Utf8).unwrap();
        let names: Vec<_> = texts.as_string::<i32>().iter().collect();
        assert_eq!(names, [Some("a"), None, Some("c, d")]);
        assert_eq!(rows[0].column(1).data_type(), &DataType::Int64);
        let none = read(&folder.path(&format!("none-{name}")));
        assert_eq!(none.iter().map(RecordBatch::num_rows).sum::<usize>(), 0);
        let table = format!("t={name}");
        let again = ["SELECT name, n FROM t ORDER BY n", "--table", &table];
        assert_eq!(folder.rows(&again), ["a,1", ",2", "\"c, d\",3"]);
    }
}

#[test]
fn shown() {
    let folder = Folder::new();
    let table = "+------+---+\n| name | n |\n+------+---+\n| a    | 1 |\n|      | 2 |\n| c, d | 3 |\n+------+---+\n";
    assert_eq!(folder.shows(&[ROWS]), table);
    assert_eq!(folder.shows(&[ROWS, "--format", "table"]), table);
    assert_eq!(folder.shows(&[ROWS, "--format", "csv"]), "name,n\na,1\n,2\n\"c, d\",3\n");
    assert_eq!(
        folder.shows(&[ROWS, "--format", "json"]),
        "{\"name\":\"a\",\"n\":1}\n{\"n\":2}\n{\"name\":\"c, d\",\"n\":3}\n"
    );
    assert_eq!(folder.shows(&[NONE]), "+------+---+\n| name | n |\n+------+---+\n+------+---+\n");
    assert_eq!(folder.shows(&[NONE, "--format", "csv"]), "name,n\n");
    assert_eq!(folder.shows(&[NONE, "--format", "json"]), "");
    assert_eq!(folder.names(), [""; 0]);
}

/// A file is whole, its owner's alone, and written once; of a query that fails there is nothing.
#[test]
fn whole_or_not_at_all() {
    // What fails comes after some thousands of rows that were written.
    let rows: String = (0..30_000).map(|i| format!("{i}\n")).collect();
    let folder = Folder::new().with("t.csv", &format!("n\n{rows}{CANARY}\n"));
    for name in ["a.parquet", "a.csv", "a.arrow"] {
        let failing = ["SELECT CAST(n AS INT) AS n FROM t", "--table", "t=t.csv", "--threads", "1"];
        folder.refuses(&[&failing[..], &["-o", name]].concat(), 3, "is not shown");
        folder.shows(&["SELECT 1 AS n", "-o", name]);
        let before = fs::read(folder.path(name)).unwrap();
        let mode = fs::metadata(folder.path(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
        let why = "is not written over; accepted is another name";
        folder.refuses(&["SELECT 2 AS n", "-o", name], 3, why);
        assert_eq!(fs::read(folder.path(name)).unwrap(), before, "{name}");
    }
    // A link to nowhere is no free name either.
    std::os::unix::fs::symlink("nowhere.csv", folder.path("link.csv")).unwrap();
    folder.refuses(&["SELECT 1 AS n", "-o", "link.csv"], 3, "is not written over");
    folder.refuses(&["SELECT 1", "-o", "none/a.csv"], 1, "none/a.csv: entity not found");
    folder.refuses(&["SELECT 1", "-o", "a.xls"], 3, "ends with .parquet, .csv or .arrow");
    folder.refuses(
        &["SELECT [1] AS n", "-o", "list.csv"],
        1,
        "has a type that this format has not",
    );
}

/// What is in a file beside its rows does not go on: it may be of the answers.
#[test]
fn metadata_stays_behind() {
    let folder = Folder::new().with("survey.toml", crate::survey::EVERY_KIND);
    let region: ArrayRef = Arc::new(StringArray::from(vec!["north", "south"]));
    let field = Field::new("region", DataType::Utf8, true);
    let metadata = [("notes".to_owned(), CANARY.to_owned())];
    let schema = Schema::new_with_metadata(vec![field], metadata.into());
    let rows = RecordBatch::try_new(Arc::new(schema), vec![region]).unwrap();
    for input in ["t.parquet", "t.arrow"] {
        write(&folder.path(input), &rows);
        for (i, name) in ["a.parquet", "a.arrow"].into_iter().enumerate() {
            let (table, name) = (format!("t={input}"), format!("{input}-{i}-{name}"));
            let query = "SELECT region FROM t";
            folder.shows(&[query, "--table", &table, "-o", &name, "--survey", "survey.toml"]);
            let bytes = fs::read(folder.path(&name)).unwrap();
            assert!(!bytes.windows(CANARY.len()).any(|part| part == CANARY.as_bytes()), "{name}");
            assert!(read(&folder.path(&name))[0].schema().metadata().is_empty());
        }
    }
}

/// Runs the program, and reads only the first bytes of what it shows.
fn cut_off(folder: &Folder, words: &[&str]) -> Said {
    let mut command = folder.command(words);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut shown = child.stdout.take().unwrap();
    shown.read_exact(&mut [0; 5]).unwrap();
    drop(shown);
    child.wait_with_output().unwrap().into()
}

/// Nobody reads on: that is said, and what was shown has cost what it costs.
#[test]
fn closed_output() {
    let rows: String = (0..50_000).map(|i| format!("{i},yes\n")).collect();
    let folder = Folder::new().with("t.csv", &format!("id,x\n{rows}"));
    let query = "SELECT id, randomize_yes_no(x, 1.0) AS x FROM t";
    for format in ["table", "csv", "json"] {
        let said = cut_off(&folder, &[query, "--table", "t=t.csv", "--format", format]);
        assert_eq!(said.code, 1, "{format}: {}", said.err);
        assert!(said.err.contains("error: standard output: "), "{format}: {}", said.err);
        assert!(!said.err.contains("defect"), "{format}: {}", said.err);
        assert!(said.err.contains("randomize_yes_no(t.x): a row loses"), "{format}: {}", said.err);
    }
}

/// Neither is there anybody who listens.
#[test]
fn closed_error() {
    let folder = Folder::new().with("t.csv", "x\nyes\n");
    for (query, code) in
        [("SELECT randomize_yes_no(x, 1.0) AS x FROM t", 0), ("SELECT y FROM t", 3)]
    {
        let mut command = folder.command(&[query, "--table", "t=t.csv"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(code), "{query}");
    }
}
