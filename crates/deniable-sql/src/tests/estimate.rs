//! Estimates are those of the library, whatever the partitions.

use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Field, Float64Type, Schema, UInt64Type};
use deniable_arrow::{FINGERPRINT, Survey, SurveyCounts};

use super::{ROWS, run, session, session_with};

const CHOICE: &str = "choices = [\"a\", \"b\"], epsilon = 2.0";

fn survey(fields: &str) -> Survey {
    Survey::parse(&format!("version = 1\n[[question]]\nname = \"r\"\n{fields}")).unwrap()
}

/// The library's counts of a column.
fn counted(survey: &Survey, rows: &RecordBatch, column: &str) -> SurveyCounts {
    let column = rows.column_by_name(column).unwrap();
    let metadata = [(FINGERPRINT.to_owned(), survey.fingerprint().to_string())];
    let fields = vec![Field::new("r", column.data_type().clone(), true)];
    let schema = Schema::new_with_metadata(fields, metadata.into());
    let batch = RecordBatch::try_new(Arc::new(schema), vec![column.clone()]).unwrap();
    let mut counts = survey.counts();
    survey.count(&batch, &mut counts).unwrap();
    counts
}

#[tokio::test]
async fn equal() {
    for (partitions, batch) in [(1, 8192), (2, 33), (4, 100)] {
        let session = session_with(partitions, batch);
        let query = format!(
            "CREATE TABLE r AS SELECT id, randomize_yes_no(x, 1.0) AS yes, randomize_choice(c, '{CHOICE}') AS one, randomize_number(n, 'low = 0, high = 9, epsilon = 1.0') AS number FROM t"
        );
        run(&session, &query).await.unwrap();
        let rows = run(&session, "SELECT * FROM r").await.unwrap();

        let found = run(&session, &format!("SELECT estimate_yes_no(yes, 1.0) AS yes, estimate_choice(one, '{CHOICE}') AS one FROM r")).await.unwrap();
        let yes = survey("kind = \"yes-no\"\nepsilon = 1.0");
        let expected = yes.estimate(&counted(&yes, &rows, "yes"), &Default::default()).unwrap();
        let found_yes = found.column(0).as_struct();
        let number = |name: &str| {
            found_yes.column_by_name(name).unwrap().as_primitive::<Float64Type>().value(0)
        };
        let value = &expected.questions[0].values[0];
        assert_eq!(
            [
                number("share"),
                number("count"),
                number("standard_error"),
                number("low"),
                number("high"),
                number("p_value")
            ],
            [value.share, value.count, value.standard_error, value.low, value.high, value.p_value]
        );
        assert_eq!(
            found_yes.column_by_name("reports").unwrap().as_primitive::<UInt64Type>().value(0),
            ROWS as u64
        );

        let one = survey("kind = \"choice\"\nchoices = [\"a\", \"b\"]\nepsilon = 2.0");
        let expected = one.estimate(&counted(&one, &rows, "one"), &Default::default()).unwrap();
        let list = found.column(1).as_list::<i32>().value(0);
        let list = list.as_struct();
        assert_eq!(list.len(), 3);
        for (i, value) in expected.questions[0].values.iter().enumerate() {
            let number = |name: &str| {
                list.column_by_name(name).unwrap().as_primitive::<Float64Type>().value(i)
            };
            assert_eq!(
                list.column_by_name("value").unwrap().as_string::<i32>().value(i),
                value.value
            );
            assert_eq!(
                [number("share"), number("low"), number("high"), number("consistent")],
                [value.share, value.low, value.high, value.consistent.unwrap()]
            );
            assert_eq!(
                list.column_by_name("detected").unwrap().as_boolean().value(i),
                value.detected
            );
        }
    }
}

/// Means are of floats, whose sums depend on the order in the last digits.
#[tokio::test]
async fn means() {
    let session = session();
    run(&session, "CREATE TABLE r AS SELECT randomize_number(n, 'low = 0, high = 9, epsilon = 1.0') AS r FROM t").await.unwrap();
    let rows = run(&session, "SELECT * FROM r").await.unwrap();
    let found = run(
        &session,
        "SELECT estimate_number(r, 'low = 0, high = 9, epsilon = 1.0', 0.99) AS e FROM r",
    )
    .await
    .unwrap();
    let number = survey("kind = \"number\"\nlow = 0\nhigh = 9\nepsilon = 1.0");
    let how = deniable_arrow::How { confidence: 0.99, ..Default::default() };
    let expected = number.estimate(&counted(&number, &rows, "r"), &how).unwrap();
    let expected = expected.questions[0].mean.as_ref().unwrap();
    for (name, expected) in [
        ("mean", expected.mean),
        ("standard_error", expected.standard_error),
        ("low", expected.low),
        ("high", expected.high),
    ] {
        let found = found
            .column(0)
            .as_struct()
            .column_by_name(name)
            .unwrap()
            .as_primitive::<Float64Type>()
            .value(0);
        assert!((found - expected).abs() < 1e-12 * expected.abs().max(1.0), "{name}");
    }
}

/// Each group has its own, and rows come of lists.
#[tokio::test]
async fn groups_and_rows() {
    let session = session();
    run(&session, &format!("CREATE TABLE r AS SELECT id, id % 7 AS g, randomize_choice(c, '{CHOICE}') AS one FROM t")).await.unwrap();
    let query = format!(
        "SELECT g, e['value'] AS value, e['share'] AS share, e['reports'] AS reports FROM (SELECT g, unnest(estimate_choice(one, '{CHOICE}')) AS e FROM r GROUP BY g) ORDER BY g, value"
    );
    let found = run(&session, &query).await.unwrap();
    assert_eq!(found.num_rows(), 21);
    let survey = survey("kind = \"choice\"\nchoices = [\"a\", \"b\"]\nepsilon = 2.0");
    for g in 0..7 {
        let own = run(&session, &format!("SELECT one FROM r WHERE g = {g}")).await.unwrap();
        let expected =
            survey.estimate(&counted(&survey, &own, "one"), &Default::default()).unwrap();
        for (i, value) in expected.questions[0].values.iter().enumerate() {
            let share = found.column(2).as_primitive::<Float64Type>().value(3 * g + i);
            assert_eq!(share, value.share, "a, b and other are in the order of the alphabet");
        }
    }
    let query = format!(
        "SELECT unnest(e) FROM (SELECT unnest(estimate_choice(one, '{CHOICE}')) AS e FROM r)"
    );
    let found = run(&session, &query).await.unwrap();
    assert_eq!((found.num_rows(), found.num_columns()), (3, 10));
}

/// Of nothing there is no estimate.
#[tokio::test]
async fn nothing() {
    let query = format!(
        "SELECT estimate_yes_no(x, 1.0) AS a, estimate_choice(c, '{CHOICE}') AS b, estimate_number(f, 'low = 0, high = 9, epsilon = 1.0') AS d FROM t WHERE false"
    );
    let found = run(&session(), &query).await.unwrap();
    assert!(found.column(0).is_null(0) && found.column(2).is_null(0));
    assert_eq!(found.column(1).as_list::<i32>().value(0).len(), 0);
}

/// What is no report is refused, and not shown.
#[tokio::test]
async fn no_reports() {
    for (query, message) in [
        (format!("SELECT estimate_choice(c, '{CHOICE}') FROM (VALUES ('a'), ('canary')) v(c)"), ""),
        ("SELECT estimate_yes_no(c, 1.0) FROM (VALUES (true), (NULL)) v(c)".to_owned(), "missing"),
        ("SELECT estimate_yes_no(c, 1.0) FROM (VALUES (1), (2)) v(c)".to_owned(), ""),
    ] {
        let found = super::refusal(&session(), &query).await;
        assert!(
            found.contains(message) && found.starts_with("estimate_") && !found.contains("canary"),
            "{query}: {found}"
        );
    }
}

/// The counts of a whole survey are the command's.
#[tokio::test]
async fn counts() {
    let text = "version = 1\n[[question]]\nname = \"r\"\nkind = \"yes-no\"\nepsilon = 1.0\n[[question]]\nname = \"s\"\nkind = \"choice\"\nchoices = [\"a\", \"b\"]\nepsilon = 2.0";
    let session = session();
    run(&session, &format!("CREATE TABLE r AS SELECT randomize_yes_no(x, 1.0) AS r, randomize_choice(c, '{CHOICE}') AS s FROM t")).await.unwrap();
    let found =
        run(&session, &format!("SELECT count_reports('{text}', r, s) FROM r")).await.unwrap();
    let found: SurveyCounts =
        serde_json::from_str(found.column(0).as_string::<i32>().value(0)).unwrap();
    let rows = run(&session, "SELECT * FROM r").await.unwrap();
    let survey = Survey::parse(text).unwrap();
    let metadata = [(FINGERPRINT.to_owned(), survey.fingerprint().to_string())];
    let schema = rows.schema().as_ref().clone().with_metadata(metadata.into());
    let mut expected = survey.counts();
    survey.count(&rows.with_schema(Arc::new(schema)).unwrap(), &mut expected).unwrap();
    assert_eq!(found, expected);
}
