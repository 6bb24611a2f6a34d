//! What is not done, and why.

use crate::{CANARY, Folder};

fn folder() -> Folder {
    let rows = format!("region,x,n\nnorth,yes,1\nsouth,{CANARY},{CANARY}\n");
    Folder::new().with("t.csv", &rows).with("survey.toml", crate::survey::EVERY_KIND)
}

#[test]
fn command_lines() {
    let folder = folder();
    for (words, why) in [
        (&[][..], "required"),
        (&["SELECT 1", "SELECT 2"], "unexpected argument 'SELECT 2'"),
        (&["SELECT 1", "--speed"], "unexpected argument '--speed'"),
        (
            &["SELECT 1", "--table", "t"],
            "accepted is NAME=FILES, such as reports=reports/*.parquet",
        ),
        (&["SELECT 1", "--table", "=t.csv"], "accepted is NAME=FILES"),
        (&["SELECT 1", "--format", "xml"], "[possible values: table, csv, json]"),
        (&["SELECT 1", "--format", "csv", "-o", "a.csv"], "cannot be used with"),
        (&["SELECT 1", "--threads", "many"], "invalid value 'many'"),
        (&["--count", "reports.parquet"], "--survey <FILE>"),
        (&["SELECT 1", "--count", "a.parquet", "--survey", "survey.toml"], "cannot be used with"),
    ] {
        folder.refuses(words, 2, why);
    }
    let help = folder.shows(&["--help"]);
    assert!(help.contains("Usage: deniable sql") && help.contains("--survey <FILE>"));
    assert!(folder.shows(&["--version"]).contains(env!("CARGO_PKG_VERSION")));
}

/// Only what reads is a query.
#[test]
fn statements() {
    let folder = folder();
    let no_query = "accepted is SELECT, or EXPLAIN";
    for (query, why) in [
        ("COPY t TO 'x.csv'", no_query),
        ("COPY (SELECT randomize_yes_no(x, 1.0) AS x FROM t) TO 'x.parquet'", no_query),
        ("EXPLAIN COPY t TO 'x.csv'", no_query),
        ("EXPLAIN ANALYZE COPY t TO 'x.csv'", no_query),
        ("INSERT INTO t VALUES ('a', 'b', 'c')", no_query),
        ("EXPLAIN ANALYZE INSERT INTO t VALUES ('a', 'b', 'c')", no_query),
        ("UPDATE t SET x = 'a'", no_query),
        ("DELETE FROM t", no_query),
        ("TRUNCATE t", no_query),
        ("CREATE TABLE u AS SELECT 1", no_query),
        ("EXPLAIN CREATE TABLE u AS SELECT 1", no_query),
        ("CREATE VIEW u AS SELECT * FROM t", no_query),
        ("CREATE EXTERNAL TABLE u STORED AS CSV LOCATION 't.csv'", no_query),
        ("CREATE SCHEMA u", no_query),
        ("SELECT * INTO u FROM t", no_query),
        ("DROP TABLE t", no_query),
        ("SET datafusion.explain.show_statistics = true", no_query),
        ("RESET datafusion.execution.batch_size", no_query),
        ("PREPARE a AS SELECT 1", no_query),
        ("EXECUTE a", no_query),
        ("BEGIN", "Unsupported SQL statement"),
        ("SELECT 1; SELECT 2", "only supports a single SQL statement"),
        ("SELECT 1; DROP TABLE t", "only supports a single SQL statement"),
        ("", "No SQL statements"),
        ("perhaps", "Expected: an SQL statement"),
        // Files that no option names.
        ("SELECT * FROM 't.csv'", "not found"),
        ("SELECT * FROM u", "not found"),
        ("SHOW TABLES", "not supported"),
    ] {
        folder.refuses(&[query, "--table", "t=t.csv"], 3, why);
    }
    for query in ["SELECT 1", "SELECT 1;", "WITH a AS (SELECT 1) SELECT * FROM a", "VALUES (1)"] {
        assert_eq!(folder.rows(&[query, "--table", "t=t.csv"]), ["1"], "{query}");
    }
}

/// How a query would be computed can be shown, but not what is known of the data, and nothing is drawn.
#[test]
fn explained() {
    let folder = folder();
    let query = "SELECT region, randomize_yes_no(x, 'moved') AS moved FROM t";
    let rest = ["--table", "t=t.csv", "--survey", "survey.toml"];
    let run = |what: &str| {
        let query = format!("{what} {query}");
        folder.run(&[&[query.as_str()], &rest[..]].concat())
    };
    for what in ["EXPLAIN", "EXPLAIN FORMAT INDENT", "EXPLAIN FORMAT TREE"] {
        let said = run(what);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{what}");
        assert!(said.out.contains("randomize_"), "{what}: {}", said.out);
        assert!(!said.out.contains(CANARY), "{what}");
    }
    for (what, why) in [
        ("EXPLAIN VERBOSE", "EXPLAIN VERBOSE shows statistics of the data; accepted is EXPLAIN"),
        (
            "EXPLAIN ANALYZE",
            "EXPLAIN ANALYZE draws, and shows how many rows there are; accepted is EXPLAIN",
        ),
        ("EXPLAIN ANALYZE VERBOSE", "accepted is EXPLAIN"),
    ] {
        let said = run(what);
        assert_eq!((said.code, said.out.as_str()), (3, ""), "{what}");
        assert!(said.err.contains(why), "{what}: {}", said.err);
    }
    // Without noise there is nothing to hide.
    for what in ["EXPLAIN VERBOSE", "EXPLAIN ANALYZE"] {
        folder.shows(&[&format!("{what} SELECT region FROM t"), "--table", "t=t.csv"]);
    }
}

/// Queries that would draw twice, and parameters that are none: before anything is read.
#[test]
fn queries_and_parameters() {
    let folder = folder();
    for (query, why) in [
        ("SELECT x, randomize_yes_no(x, 1.0) AS r FROM t", "depends on column \"x\" of table"),
        ("SELECT randomize_yes_no(x, 1.0) AS a, randomize_yes_no(x, 1.0) AS b FROM t", "twice"),
        ("SELECT randomize_yes_no(x, 0.0) AS r FROM t", "above 0"),
        ("SELECT randomize_yes_no(x, 'epsilon = 1.0, speed = 2') AS r FROM t", "`speed`"),
        ("SELECT randomize_choice(x, 1.0) AS r FROM t", "`choices`"),
        ("SELECT noisy_count(1, 'epsilon = 1.0') FROM t", "`rows_per_person` is missing"),
        ("SELECT randomize_yes_no(y, 1.0) AS r FROM t", "No field named y"),
        ("SELECT randomize_maybe(x, 1.0) AS r FROM t", "randomize_maybe"),
    ] {
        folder.refuses(&[query, "--table", "t=t.csv"], 3, why);
        folder.refuses(&[query, "--table", "t=t.csv", "-o", "r.parquet"], 3, why);
    }
}

/// What fails while a query runs quotes what it failed for, and that is an answer.
#[test]
fn no_answers_in_messages() {
    let folder = folder();
    for query in [
        "SELECT CAST(n AS INT) FROM t",
        "SELECT CAST(x AS BOOLEAN) FROM t",
        "SELECT CAST(n AS TIMESTAMP) FROM t",
        "SELECT CAST('deniable: ' || n AS DOUBLE) FROM t",
        "SELECT date_trunc(n, now()) FROM t",
        "SELECT arrow_cast(n, 'Decimal128(3, 1)') FROM t",
        "SELECT decode(n, 'hex') FROM t",
        "SELECT regexp_like('a', '(' || n) FROM t",
    ] {
        for format in ["table", "csv", "json"] {
            let said = folder.run(&[query, "--table", "t=t.csv", "--format", format]);
            assert_eq!(said.code, 3, "{query}: {}", said.err);
            assert!(said.err.contains("is not shown"), "{query}: {}", said.err);
            assert!(!said.err.contains(CANARY) && !said.out.contains(CANARY), "{query}");
        }
    }
    // A file without a header, whose first answers stand for names.
    let folder = Folder::new().with("a.csv", &format!("alice,{CANARY}\nbob,no\n"));
    let query = "SELECT randomize_yes_no(canary7f3, 1.0) AS r FROM t";
    folder.refuses(&[query, "--table", "t=a.csv"], 3, "No field named canary7f3.");
}

/// What is lost is said by column, as it is written.
#[test]
fn losses() {
    let folder = folder();
    let query = "SELECT randomize_number(x, 'low = 0, high = 9, scale = 18.0') AS x, randomize_number(character_length(n) + 1, 'low = 0, high = 9, scale = 9.0') AS n FROM t";
    let said = folder.run(&[query, "--table", "t=t.csv"]);
    assert_eq!(
        said.err,
        "randomize_number(t.x): a row loses at most epsilon = 0.5\nrandomize_number(character_length(t.n) + 1): a row loses at most epsilon = 1\n"
    );
    let query = "SELECT noisy_count(1, 'rows_per_person = 3, scale = 6.0') AS people, noisy_histogram(region, 'keys = [\"north\"], rows_per_person = 1, scale = 4.0') AS regions FROM t";
    let said = folder.run(&[query, "--table", "t=t.csv", "-o", "noisy.parquet"]);
    assert_eq!(
        said.err,
        "noisy_count(1): a person loses at most epsilon = 0.5\nnoisy_histogram(t.region): a person loses at most epsilon = 0.25\n"
    );
    assert_eq!(folder.run(&["SELECT region FROM t", "--table", "t=t.csv"]).err, "");
}
