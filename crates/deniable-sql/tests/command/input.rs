//! Tables of files.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};

use crate::{CANARY, Folder, write};

/// Nothing is inferred from the data: what looks like a number, a date or a truth value is a text, as it is written.
#[test]
fn columns_of_csv_are_texts() {
    let folder = Folder::new().with(
        "t.csv",
        "number,float,truth,day,\"a name, with a comma\"\n007,1e5,TRUE,2020-02-30,\"x, \"\"y\"\"\"\n8,NaN,false,2020-01-01,\"two\nlines\"\n",
    );
    let types = "SELECT DISTINCT arrow_typeof(number) || arrow_typeof(float) || arrow_typeof(truth) || arrow_typeof(day) || arrow_typeof(\"a name, with a comma\") FROM t";
    assert_eq!(folder.rows(&[types, "--table", "t=t.csv"]), ["Utf8".repeat(5)]);
    let all = "SELECT number, float, truth, day FROM t";
    assert_eq!(
        folder.rows(&[all, "--table", "t=t.csv"]),
        ["007,1e5,TRUE,2020-02-30", "8,NaN,false,2020-01-01"]
    );
    let length = "SELECT character_length(\"a name, with a comma\") FROM t";
    assert_eq!(folder.rows(&[length, "--table", "t=t.csv"]), ["6", "9"]);
}

/// A file is the same table in each format, and patterns are all of their files.
#[test]
fn formats_and_patterns() {
    let folder =
        Folder::new().with("t.csv", "name,n\na,1\nb,2\n").with("more-1.csv", "name,n\nc,3\n");
    let folder = folder.with("more-2.csv", "name,n\nd,4\n").with("more-[1].csv", "name,n\ne,5\n");
    let folder = folder.with("odd #%2e ?*{é.csv", "name,n\nf,6\n");
    let columns: [(&str, ArrayRef); 3] = [
        ("name", Arc::new(StringArray::from(vec!["a", "b"]))),
        ("n", Arc::new(Int64Array::from(vec![1, 2]))),
        ("f", Arc::new(Float64Array::from(vec![0.5, 1.5]))),
    ];
    let rows = RecordBatch::try_from_iter(columns).unwrap();
    for name in ["t.parquet", "t.arrow", "u.parquet"] {
        write(&folder.path(name), &rows);
    }
    for (files, expected) in [
        ("t.csv", vec!["a,1", "b,2"]),
        ("t.parquet", vec!["a,1", "b,2"]),
        ("t.arrow", vec!["a,1", "b,2"]),
        ("?.parquet", vec!["a,1", "a,1", "b,2", "b,2"]),
        ("more-[12].csv", vec!["c,3", "d,4"]),
        ("more-*.csv", vec!["c,3", "d,4", "e,5"]),
        // A name with such letters in it is itself first.
        ("more-[1].csv", vec!["e,5"]),
        ("odd #%2e ?*{é.csv", vec!["f,6"]),
        ("odd*.csv", vec!["f,6"]),
    ] {
        let table = format!("t={files}");
        let query = "SELECT name, n FROM t ORDER BY name";
        assert_eq!(folder.rows(&[query, "--table", &table]), expected, "{files}");
    }
    let types = "SELECT arrow_typeof(n) || arrow_typeof(f) FROM t LIMIT 1";
    for files in ["t=t.parquet", "t=t.arrow"] {
        assert_eq!(folder.rows(&[types, "--table", files]), ["Int64Float64"]);
    }
    let join = "SELECT t.name, u.f FROM t JOIN u ON t.name = u.name ORDER BY t.name";
    let tables = ["--table", "t=t.csv", "--table", "u=t.parquet", "--threads", "1"];
    assert_eq!(folder.rows(&[&[join], &tables[..]].concat()), ["a,0.5", "b,1.5"]);
}

/// Rows of text have no names: in another order a private column would be read as a public one.
#[test]
fn other_headers() {
    let folder = Folder::new().with("t-1.csv", "region,answer\nnorth,1\n");
    let folder = folder.with("t-2.csv", &format!("answer,region\n{CANARY},south\n"));
    let query = "SELECT region FROM t";
    folder.refuses(&[query, "--table", "t=t-*.csv"], 3, "the same columns in the same order");
    let folder = folder.with("t-2.csv", "region\nsouth\n");
    folder.refuses(&[query, "--table", "t=t-*.csv"], 3, "the same columns in the same order");
    let folder = folder.with("t-2.csv", "region,answer\nsouth,2\n");
    assert_eq!(folder.rows(&[query, "--table", "t=t-*.csv"]).len(), 2);
}

/// Files that are not there, that are none of their format, and that have none.
#[test]
fn unreadable() {
    let folder = Folder::new().with("bad.parquet", CANARY).with("bad.arrow", CANARY);
    let folder = folder.with("empty.csv", "").with("t.txt", CANARY).with("t.csv", "a\n1\n");
    let folder =
        folder.with("survey.toml", CANARY).with("torn.csv", &format!("a,b\n1,2\n{CANARY}\n"));
    for (files, code, why) in [
        ("none.csv", 1, "none.csv: entity not found"),
        ("none/*.csv", 3, "no file has such a name"),
        ("***", 3, "no pattern of file names"),
        ("bad.parquet", 1, "bad.parquet: it cannot be read; accepted is a whole file"),
        ("bad.arrow", 1, "bad.arrow: it cannot be read; accepted is a whole file"),
        ("empty.csv", 3, "accepted is a .csv file whose first line has the names"),
        ("torn.csv", 3, "can quote the data, and is not shown"),
        ("t.txt", 3, "accepted are names that all end with .parquet, or .csv, or .arrow"),
        ("*", 3, "accepted are names that all end with .parquet, or .csv, or .arrow"),
        (".", 3, "accepted are names that all end with"),
    ] {
        let table = format!("t={files}");
        folder.refuses(&["SELECT * FROM t", "--table", &table], code, why);
    }
    let two = ["SELECT 1", "--table", "t=t.csv", "--table", "t=t.csv"];
    folder.refuses(&two, 3, "accepted are names that differ");
    folder.refuses(&["SELECT 1", "--survey", "none.toml"], 1, "none.toml: entity not found");
    folder.refuses(&["SELECT 1", "--survey", "survey.toml"], 3, "survey.toml: survey, line 1");
}

/// A file that a pattern finds twice, by a link, is read once; one that has two names is not drawn for.
#[test]
fn a_file_with_two_names() {
    let folder = Folder::new().with("a1.csv", "id,n\n1,5\n2,6\n");
    let query = "SELECT id, randomize_number(n, 'low = 0, high = 9, epsilon = 1.0') AS r FROM t";
    let words = [query, "--table", "t=a*.csv"];
    std::os::unix::fs::symlink(folder.path("a1.csv"), folder.path("a2.csv")).unwrap();
    assert_eq!(folder.rows(&words).len(), 2);
    std::fs::hard_link(folder.path("a1.csv"), folder.path("a3.csv")).unwrap();
    folder.refuses(&words, 3, "under two names");
}
