//! Noise on totals.

use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::{Float64Type, Int64Type};

use super::{ROWS, refusal, run, session, session_with};

/// So little noise that there is none.
const EXACT: &str = "rows_per_person = 1, epsilon = 1e15";

#[tokio::test]
async fn totals() {
    for (partitions, batch) in [(1, 8192), (4, 100)] {
        let session = session_with(partitions, batch);
        let query = format!(
            "SELECT noisy_count(1, '{EXACT}'), noisy_count(y, '{EXACT}'), noisy_count(n, '{EXACT}') FILTER (WHERE n > 6), \
             noisy_sum(n, 'low = 0, high = 9, {EXACT}'), noisy_sum(n, 'low = 2, high = 5, {EXACT}'), noisy_sum(f, 'low = -1, high = 9.0, {EXACT}'), \
             noisy_sum(f * 0.1, 'low = 0, high = 1.0, step = 0.1, {EXACT}'), \
             noisy_histogram(c, 'keys = [\"b\", \"z\", \"a\"], {EXACT}'), noisy_histogram(c, 'keys = [\"b\"], other = \"rest\", {EXACT}') FROM t"
        );
        let rows = run(&session, &query).await.unwrap();
        let count = |i: usize| rows.column(i).as_primitive::<Int64Type>().value(0);
        let sum = |i: usize| rows.column(i).as_primitive::<Float64Type>().value(0);
        let shown = |i: usize| {
            let list = rows.column(i).as_list::<i32>().value(0);
            let list = list.as_struct();
            let keys = list.column(0).as_string::<i32>().iter().map(|key| key.unwrap().to_owned());
            keys.zip(list.column(1).as_primitive::<Int64Type>().values().iter().copied())
                .collect::<Vec<_>>()
        };
        assert_eq!((count(0), count(1), count(2)), (ROWS as i64, 800, 300));
        assert_eq!((sum(3), sum(4)), (4500.0, 100.0 * (2.0 + 2.0 + 2.0 + 3.0 + 4.0 + 5.0 * 5.0)));
        assert_eq!(sum(5), 4500.0);
        assert!((sum(6) - 450.0).abs() < 1e-9);
        let pairs = |pairs: &[(&str, i64)]| {
            pairs.iter().map(|(key, count)| (key.to_string(), *count)).collect::<Vec<_>>()
        };
        assert_eq!(shown(7), pairs(&[("b", 333), ("z", 0), ("a", 334)]));
        assert_eq!(shown(8), pairs(&[("b", 333), ("rest", 667)]));
    }
}

/// Numbers that are none, and beyond the bounds, and of all types.
#[tokio::test]
async fn odd_numbers() {
    let query = format!(
        "SELECT noisy_sum(v, 'low = -10, high = 10, {EXACT}') FROM (VALUES ('NaN'::double), ('Infinity'::double), ('-Infinity'::double), (NULL), (1e300), (3.5), (-0.0)) w(v)"
    );
    let rows = run(&session(), &query).await.unwrap();
    assert_eq!(rows.column(0).as_primitive::<Float64Type>().value(0), 13.5);
    for kind in [
        "TINYINT",
        "SMALLINT",
        "INT",
        "BIGINT",
        "TINYINT UNSIGNED",
        "BIGINT UNSIGNED",
        "REAL",
        "DOUBLE",
    ] {
        let query =
            format!("SELECT noisy_sum(TRY_CAST(n AS {kind}), 'low = 0, high = 9, {EXACT}') FROM t");
        let rows = run(&session(), &query).await.unwrap();
        assert_eq!(rows.column(0).as_primitive::<Float64Type>().value(0), 4500.0, "{kind}");
    }
}

/// Of no rows there is noise as well: that nobody is there is no secret otherwise.
#[tokio::test]
async fn nobody() {
    let mut seen = std::collections::HashSet::new();
    for i in 0..40 {
        let query = format!(
            "SELECT noisy_count(1, 'rows_per_person = 1, scale = 1000.{i}') FROM t WHERE false"
        );
        let rows = run(&session(), &query).await.unwrap();
        seen.insert(rows.column(0).as_primitive::<Int64Type>().value(0));
        assert!(!rows.column(0).is_null(0));
    }
    assert!(seen.len() > 20);
}

#[tokio::test]
async fn refused() {
    let call = "noisy_count(n, 'rows_per_person = 1, epsilon = 1.0')";
    for (query, message) in [
        ("SELECT c, {call} FROM t GROUP BY c", "GROUP BY"),
        ("SELECT {call} FROM t GROUP BY c", "GROUP BY"),
        ("SELECT {call} FROM t GROUP BY GROUPING SETS ((c), ())", "GROUP BY"),
        ("SELECT {call}, count(*) FROM t", "beside a noisy aggregate"),
        ("SELECT {call}, max(id) FROM t", "beside a noisy aggregate"),
        ("SELECT {call} OVER (PARTITION BY c) FROM t", "a window"),
        ("SELECT {call} OVER () FROM t", "a window"),
        ("SELECT noisy_count(DISTINCT n, 'rows_per_person = 1, epsilon = 1.0') FROM t", "DISTINCT"),
        (
            "SELECT noisy_count(n, 'rows_per_person = 1, epsilon = 1.0' ORDER BY id) FROM t",
            "ORDER BY",
        ),
        ("SELECT {call} FROM (SELECT * FROM t LIMIT 10)", "several rows at once"),
        ("SELECT {call} FROM (SELECT DISTINCT n FROM t)", "several rows at once"),
        (
            "SELECT {call} FROM t a JOIN (SELECT id AS i FROM t) b ON a.id = b.i",
            "several rows at once",
        ),
        ("SELECT {call} FROM (SELECT n, row_number() OVER () AS w FROM t)", "several rows at once"),
        ("SELECT {call} FROM (SELECT sum(n) AS n FROM t GROUP BY c)", "several rows at once"),
        ("SELECT {call} FROM t WHERE n > (SELECT avg(n) FROM t)", "several rows at once"),
        ("SELECT {call} FILTER (WHERE n > (SELECT avg(n) FROM t)) FROM t", "several rows at once"),
        ("SELECT {call} FROM (SELECT unnest([n, n]) AS n FROM t)", "several rows at once"),
        ("WITH s AS (SELECT {call} AS k FROM t) SELECT a.k, b.k AS l FROM s a, s b", "twice"),
        ("SELECT {call} AS k FROM t UNION ALL SELECT {call} AS k FROM t", "twice"),
        ("SELECT k, n FROM (SELECT {call} AS k FROM t), t", "without noise"),
        ("SELECT k, (SELECT count(*) FROM t) FROM (SELECT {call} AS k FROM t)", "without noise"),
        (
            "SELECT k, (SELECT count(*) FROM public.t) FROM (SELECT {call} AS k FROM t)",
            "without noise",
        ),
        ("SELECT {call} FROM (SELECT n FROM t UNION ALL SELECT n FROM t)", "several rows at once"),
        (
            "SELECT noisy_sum((SELECT n FROM t WHERE id = 7), 'low = 0, high = 9, rows_per_person = 1, epsilon = 1.0') FROM generate_series(1, 10)",
            "a subquery is in it",
        ),
        (
            "SELECT noisy_count(CASE WHEN id = 7 AND n = 7 THEN 1 / (n - 7) END, 'rows_per_person = 1, epsilon = 1.0') FROM t",
            "can fail",
        ),
        (
            "SELECT {call} FROM t WHERE 1 / (CASE WHEN id = 7 AND n = 7 THEN 0 ELSE 1 END) = 1",
            "can fail",
        ),
        ("SELECT {call} FILTER (WHERE 1 / n > 0) FROM t", "can fail"),
        ("SELECT {call} FROM (SELECT n, CAST(c AS INT) AS m FROM t)", "can fail"),
        ("EXPLAIN ANALYZE SELECT {call} FROM t WHERE n > 3", "Analyze"),
        ("SELECT {call} AS k FROM t HAVING count(*) > 5", "beside a noisy aggregate"),
        ("SELECT 1 WHERE 500 < (SELECT {call} FROM t)", "subquery in FROM"),
    ] {
        let found = refusal(&session(), &query.replace("{call}", call)).await;
        assert!(found.contains(message), "{query}: {found}");
    }
}

/// Results can be used as any other.
#[tokio::test]
async fn used() {
    for query in [
        "SELECT k, k * 2, k / 3 FROM (SELECT noisy_count(n, '{EXACT}') AS k FROM t)",
        "SELECT s / k FROM (SELECT noisy_count(n, '{EXACT}') AS k, noisy_sum(n, 'low = 0, high = 9, {EXACT}') AS s FROM t WHERE c = 'a')",
        "SELECT noisy_sum(n, 'low = 0, high = 9, {EXACT}') / noisy_count(n, '{EXACT}') FROM t",
        "SELECT e['key'], e['count'] FROM (SELECT unnest(noisy_histogram(c, 'keys = [\"a\", \"b\"], {EXACT}')) AS e FROM t) WHERE e['count'] > 5",
        "SELECT noisy_count(n, '{EXACT}') AS k FROM (SELECT n FROM t UNION ALL SELECT column1 FROM (VALUES (1), (2)))",
        "SELECT noisy_sum(n * 2, 'low = 0, high = 9, {EXACT}') AS k FROM t WHERE n > 5 AND c = 'a'",
        "SELECT noisy_count(a.n, '{EXACT}') AS k FROM t a HAVING noisy_count(a.n, '{EXACT}') > 5",
    ] {
        let found = run(&session(), &query.replace("{EXACT}", EXACT)).await;
        assert!(found.is_ok(), "{query}: {found:?}");
    }
}
