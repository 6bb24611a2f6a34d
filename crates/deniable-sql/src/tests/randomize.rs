//! Each function, with so little noise that reports are what was understood.

use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type};

use super::{refusal, run, session};

/// The reports of a query as texts, in order.
async fn reports(query: &str) -> Vec<String> {
    let rows = run(&session(), query).await.unwrap();
    assert_eq!(rows.column(0).null_count(), 0, "{query}");
    assert!(!rows.schema().field(0).is_nullable(), "{query}");
    if let DataType::FixedSizeBinary(_) = rows.column(0).data_type() {
        let bits = rows.column(0).as_fixed_size_binary().iter();
        return bits
            .map(|bits| bits.unwrap().iter().map(|byte| format!("{byte:08b}")).collect())
            .collect();
    }
    let texts = cast(rows.column(0), &DataType::Utf8).unwrap();
    texts.as_string::<i32>().iter().map(|text| text.unwrap().to_owned()).collect()
}

#[tokio::test]
async fn yes_no() {
    let rows =
        "FROM (VALUES (1, 'yes'), (2, 'no'), (3, NULL), (4, 'canary'), (5, 'TRUE')) v(id, a)";
    let query = format!("SELECT randomize_yes_no(a, 36.0) {rows}");
    assert_eq!(reports(&query).await, ["true", "false", "false", "false", "true"]);
    let query = format!("SELECT randomize_yes_no(a, 'epsilon = 36.0, missing = \"yes\"') {rows}");
    assert_eq!(reports(&query).await, ["true", "false", "true", "true", "true"]);
    let query = format!("SELECT randomize_yes_no(id, 36) {rows}");
    assert_eq!(reports(&query).await[0], "true");
}

#[tokio::test]
async fn choice() {
    let rows = "FROM (VALUES ('a'), (NULL), ('canary'), (' b '), ('')) v(a)";
    let query =
        format!("SELECT randomize_choice(a, 'choices = [\"a\", \"b\"], epsilon = 36.0') {rows}");
    assert_eq!(reports(&query).await, ["a", "other", "other", "b", "other"]);
    let query = format!(
        "SELECT randomize_choice(a, 'choices = [\"a\", \"b\"], other = false, missing = \"b\", epsilon = 36.0') {rows}"
    );
    assert_eq!(reports(&query).await, ["a", "b", "b", "b", "b"]);
    let query = "SELECT randomize_choice(n, 'choices = [\"0\", \"1\"], epsilon = 36.0') FROM (VALUES (0), (1), (2)) v(n)";
    assert_eq!(reports(query).await, ["0", "1", "other"]);
}

#[tokio::test]
async fn several() {
    let parameters = "'choices = [\"cat\", \"dog\", \"fish\"], most = 2, epsilon = 80.0'";
    let query = format!(
        "SELECT randomize_several(a, {parameters}) FROM (VALUES ('cat;fish'), (NULL), ('canary'), ('fish;dog;cat'), ('dog')) v(a)"
    );
    let expected = ["00000101", "00000000", "00000000", "00000011", "00000010"];
    assert_eq!(reports(&query).await, expected);
    let query = format!(
        "SELECT randomize_several(a, {parameters}) FROM (VALUES (['cat', 'fish']), (NULL), (['canary']), (['fish', 'dog', 'cat']), (['dog'])) v(a)"
    );
    assert_eq!(reports(&query).await, expected);
    let query = format!(
        "SELECT randomize_several(a, {parameters}) FROM (VALUES (5), (NULL), (8), (7), (2)) v(a)"
    );
    assert_eq!(reports(&query).await, expected);
}

#[tokio::test]
async fn bits() {
    let parameters = "'length = 10, most = 3, epsilon = 100.0'";
    let query = format!(
        "SELECT randomize_bits(a, {parameters}) FROM (VALUES (X'0500'), (NULL), (X'FF'), (X'0003FF'), (X'00FC')) v(a)"
    );
    let expected = [
        "0000010100000000",
        "0000000000000000",
        "0000011100000000",
        "0000000000000011",
        "0000000000000000",
    ];
    assert_eq!(reports(&query).await, expected);
    let query = format!(
        "SELECT randomize_bits(a, {parameters}) FROM (VALUES ([true, NULL, true]), (NULL), ([false, true]), ([]), ([false,false,false,false,false,false,false,false,false,true,true])) v(a)"
    );
    let expected = [
        "0000010100000000",
        "0000000000000000",
        "0000001000000000",
        "0000000000000000",
        "0000000000000010",
    ];
    assert_eq!(reports(&query).await, expected);
}

#[tokio::test]
async fn number() {
    let parameters = "'low = 0, high = 24, epsilon = 1e15'";
    let query = format!(
        "SELECT randomize_number(a, {parameters}) FROM (VALUES (5.5), (NULL), (-3.0), (99.0), ('NaN'::double)) v(a)"
    );
    let rows = run(&session(), &query).await.unwrap();
    let numbers = rows.column(0).as_primitive::<Float64Type>().values().to_vec();
    for (number, expected) in numbers.iter().zip([5.5, 12.0, 0.0, 24.0, 12.0]) {
        assert!((number - expected).abs() < 1e-9, "{numbers:?}");
    }
    let query = "SELECT randomize_number(a, 'low = 0, high = 24, missing = 7, epsilon = 1e15') FROM (VALUES ('8'), ('canary')) v(a)";
    let rows = run(&session(), query).await.unwrap();
    let numbers = rows.column(0).as_primitive::<Float64Type>().values().to_vec();
    assert!((numbers[0] - 8.0).abs() + (numbers[1] - 7.0).abs() < 1e-9, "{numbers:?}");
}

/// Types that no answer has are refused when the query is planned.
#[tokio::test]
async fn types() {
    for (call, accepted) in [
        ("randomize_number([1, 2], 'low = 0, high = 1, epsilon = 1.0')", "numbers, and texts"),
        ("randomize_yes_no([true], 1.0)", "truth values"),
    ] {
        let found = super::session().sql(&format!("SELECT {call}")).await.map(drop).unwrap_err();
        let found = crate::shown_of_plan(&found);
        assert!(found.contains(accepted), "{found}");
    }
    let found = refusal(
        &session(),
        "SELECT randomize_choice(f, 'choices = [\"a\"], epsilon = 1.0') FROM t",
    )
    .await;
    assert!(found.contains("texts, whole numbers and truth values"), "{found}");
}

/// What the engine says of a value that cannot be converted quotes it, and an error of ours cannot be forged.
#[tokio::test]
async fn no_data_in_messages() {
    for query in [
        "SELECT CAST(a AS INT) FROM (VALUES ('canary')) v(a)",
        "SELECT CAST(concat('deniable: ', a) AS INT) FROM (VALUES ('canary')) v(a)",
        "SELECT encode('a', (SELECT a FROM (VALUES ('canary')) v(a)))",
    ] {
        let found = refusal(&session(), query).await;
        assert!(!found.contains("canary"), "{found}");
    }
}
