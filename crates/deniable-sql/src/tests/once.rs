//! Noise is drawn once a row, or the query is refused.

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Float64Type;
use datafusion::physical_plan::displayable;

use super::{ROWS, draws, refusal, run, session, session_with};

/// A call with parameters that no other test has.
fn call(test: usize) -> (String, String) {
    let parameters = format!("low = 0, high = 9, epsilon = 1.0{test}");
    (format!("randomize_number(n, '{parameters}')"), parameters)
}

/// `{call}` stands for the call; the result has that many rows, and so many reports are drawn.
#[tokio::test]
async fn drawn_once() {
    let queries = [
        ("SELECT {call} AS r FROM t", ROWS),
        ("SELECT r, r AS again, r + r AS twice, -r AS less FROM (SELECT {call} AS r FROM t)", ROWS),
        ("WITH s AS (SELECT id, {call} AS r FROM t) SELECT r, r * 2, abs(r) FROM s", ROWS),
        (
            "SELECT r FROM (SELECT id, {call} AS r FROM t) WHERE id < 2000 AND r > -1e9 AND r < 1e9",
            ROWS,
        ),
        ("SELECT * FROM (SELECT id, {call} AS r FROM t) ORDER BY r", ROWS),
        ("SELECT * FROM (SELECT id, {call} AS r FROM t) ORDER BY r LIMIT 2000", ROWS),
        (
            "SELECT a.r, b.id FROM (SELECT id, {call} AS r FROM t) a JOIN (SELECT id FROM t) b ON a.id = b.id",
            ROWS,
        ),
        ("SELECT s.r FROM (SELECT id, {call} AS r FROM t) s CROSS JOIN (SELECT 1) o", ROWS),
        ("SELECT DISTINCT r FROM (SELECT id, {call} AS r FROM t)", ROWS),
        ("SELECT r FROM (SELECT {call} AS r FROM t) UNION ALL SELECT 1.0 WHERE false", ROWS),
        ("SELECT row_number() OVER (ORDER BY r), r FROM (SELECT {call} AS r FROM t)", ROWS),
        ("SELECT CASE WHEN r > 0 THEN r ELSE -r END FROM (SELECT {call} AS r FROM t)", ROWS),
        ("SELECT CASE WHEN id >= 0 THEN {call} ELSE 0.0 END AS r FROM t", ROWS),
        (
            "SELECT {call} AS r FROM (SELECT n, row_number() OVER (PARTITION BY id ORDER BY f) AS w FROM t) WHERE w = 1",
            ROWS,
        ),
        ("SELECT {call} AS r FROM (SELECT id, max(n) AS n FROM t GROUP BY id)", ROWS),
        ("SELECT {call} + 1 AS r FROM t WHERE id IN (SELECT id FROM t WHERE id >= 0)", ROWS),
    ];
    for (i, (query, rows)) in queries.into_iter().enumerate() {
        for (j, (partitions, batch)) in [(1, 8192), (4, 100)].into_iter().enumerate() {
            let (call, parameters) = call(10 * i + j);
            let query = query.replace("{call}", &call);
            let result = run(&session_with(partitions, batch), &query).await;
            let result = result.unwrap_or_else(|error| panic!("{query}: {error}"));
            assert_eq!(result.num_rows(), rows, "{query}");
            assert_eq!(draws(&parameters), ROWS, "{query}");
        }
    }
}

/// All uses of a report are of one draw.
#[tokio::test]
async fn uses_agree() {
    let (call, _) = call(1000);
    let query = format!(
        "SELECT a.r, a.r AS s, a.q FROM (SELECT id, r, -r AS q FROM (SELECT id, {call} AS r FROM t)) a JOIN (SELECT id FROM t) b ON a.id = b.id WHERE a.r > -1e9"
    );
    let rows = run(&session(), &query).await.unwrap();
    let columns = |i: usize| rows.column(i).as_primitive::<Float64Type>().values().to_vec();
    assert_eq!(columns(0), columns(1));
    assert!(columns(0).iter().zip(columns(2)).all(|(r, q)| -r == q));
    assert_eq!(rows.num_rows(), ROWS);
    let mut all = columns(0);
    all.sort_by(f64::total_cmp);
    all.dedup();
    assert_eq!(all.len(), ROWS, "each row has noise of its own");
}

#[tokio::test]
async fn refused() {
    let queries = [
        // Twice.
        ("SELECT {call} AS a, {call} AS b FROM t", "twice"),
        ("SELECT {call} + {call} AS a FROM t", "twice"),
        (
            "WITH s AS (SELECT id, {call} AS r FROM t) SELECT a.r, b.r AS q FROM s a JOIN s b ON a.id = b.id",
            "twice",
        ),
        ("SELECT {call} AS r FROM t UNION ALL SELECT {call} AS r FROM t", "twice"),
        (
            "WITH s AS (SELECT {call} AS r FROM t) SELECT r FROM s UNION ALL SELECT r FROM s",
            "twice",
        ),
        // Where rows are chosen.
        ("SELECT id FROM t WHERE {call} > 3", "in a subquery"),
        ("SELECT id FROM t ORDER BY {call}", "subquery"),
        ("SELECT count(*) FROM t GROUP BY {call}", "in a subquery"),
        ("SELECT avg({call}) FROM t", "in a subquery"),
        ("SELECT t.id FROM t JOIN (SELECT 1 AS one) o ON {call} > o.one", "in a subquery"),
        ("SELECT sum({call}) OVER (ORDER BY id) FROM t", "in a subquery"),
        ("SELECT id FROM t WHERE id = (SELECT max({call}) FROM t)", "in a subquery"),
        ("SELECT id, (SELECT max(r) FROM (SELECT {call} AS r FROM t)) FROM t", "subquery in FROM"),
        ("SELECT id FROM t WHERE EXISTS (SELECT {call} FROM t)", "subquery in FROM"),
        // Several rows of one.
        ("SELECT {call} AS r FROM t JOIN (VALUES (1), (2)) v(w) ON v.w > 0", "a join comes before"),
        ("SELECT {call} AS r FROM t, (VALUES (1), (2)) v(w)", "a join comes before"),
        ("SELECT {call} AS r FROM (SELECT n, unnest([1, 2]) AS u FROM t)", "unnest comes before"),
        (
            "WITH RECURSIVE s AS (SELECT id, n FROM t UNION ALL SELECT id, n FROM s WHERE false) SELECT {call} AS r FROM s",
            "nobody knows",
        ),
        // In another way.
        ("SELECT n, {call} AS r FROM t", "\"n\" of table"),
        ("SELECT n + 1 AS m, {call} AS r FROM t", "\"n\" of table"),
        ("SELECT {call} AS r FROM t WHERE n > 3", "\"n\" of table"),
        ("SELECT {call} AS r FROM t LIMIT (SELECT max(n) FROM t)", ""),
        ("SELECT {call} AS r FROM (SELECT n, n > 3 AS big FROM t) WHERE big", "\"n\" of table"),
        ("SELECT {call} AS r FROM t ORDER BY n", "\"n\" of table"),
        ("SELECT {call} + n AS r FROM t", "\"n\" of table"),
        ("SELECT CASE WHEN n > 3 THEN {call} ELSE 0.0 END AS r FROM t", "\"n\" of table"),
        ("SELECT r FROM (SELECT n, {call} AS r FROM t) WHERE n > 3", "\"n\" of table"),
        (
            "SELECT a.r FROM (SELECT id, {call} AS r FROM t) a JOIN t b ON a.id = b.id AND b.n > 3",
            "\"n\" of table",
        ),
        (
            "SELECT r, (SELECT max(n) FROM t) AS m FROM (SELECT {call} AS r FROM t)",
            "\"n\" of table",
        ),
        ("SELECT {call} AS r FROM t UNION ALL SELECT n FROM t", "\"n\" of table"),
        (
            "SELECT {call} AS r FROM t WHERE EXISTS (SELECT 1 FROM t u WHERE u.id = t.n)",
            "refers to the query around it",
        ),
        ("EXPLAIN ANALYZE SELECT {call} AS r FROM t", "Analyze"),
        // One table with several names.
        (
            "SELECT a.r, b.n FROM (SELECT id, {call} AS r FROM t) a JOIN public.t b ON a.id = b.id",
            "\"n\" of table",
        ),
        (
            "SELECT a.r FROM (SELECT id, {call} AS r FROM t) a JOIN datafusion.public.t b ON a.id = b.id ORDER BY b.n",
            "\"n\" of table",
        ),
        (
            "SELECT a.r, b.n FROM (SELECT id, {call} AS r FROM t) a JOIN same b ON a.id = b.id",
            "\"n\" of table",
        ),
        // The same answers twice.
        (
            "SELECT a.r, b.r AS q FROM (SELECT id, {call} AS r FROM t a) a JOIN (SELECT id, {call} AS r FROM t b) b ON a.id = b.id",
            "randomized twice",
        ),
        (
            "SELECT {call} AS r, randomize_number(n + 0, 'low = 0, high = 9, epsilon = 3.0') AS q FROM t",
            "randomized twice",
        ),
        ("SELECT {call} AS r, randomize_yes_no(n > 3, 1.0) AS q FROM t", "randomized twice"),
        ("SELECT {call} AS r FROM (SELECT n FROM t UNION ALL SELECT n FROM t)", "UNION of a table"),
        (
            "SELECT {call} AS r FROM (SELECT n FROM t UNION ALL SELECT n FROM same)",
            "UNION of a table",
        ),
        (
            "SELECT {call} AS r FROM (SELECT (SELECT n FROM t WHERE id = 7) AS n FROM generate_series(1, 10))",
            "a subquery comes before",
        ),
        (
            "SELECT randomize_number((SELECT n FROM t WHERE id = 7), 'low = 0, high = 9, epsilon = 3.0') AS r, {call} AS q FROM t",
            "a subquery is in it",
        ),
        ("SELECT {call} AS r FROM (SELECT 5 AS n)", "no column"),
        ("SELECT {call} AS r FROM (SELECT max(n) OVER () AS n FROM t)", "several rows of a window"),
        (
            "SELECT randomize_number(sum(n) OVER (ORDER BY id), 'low = 0, high = 9, epsilon = 3.0') AS r FROM t",
            "several rows of a window",
        ),
        (
            "SELECT {call} AS r FROM (SELECT id, x, max(n) AS n FROM t GROUP BY GROUPING SETS ((id), (x)))",
            "grouping sets",
        ),
        (
            "SELECT {call} AS r FROM (SELECT id, x, max(n) AS n FROM t GROUP BY CUBE (id, x))",
            "grouping sets",
        ),
        // What fails for some answers.
        (
            "SELECT randomize_number(10 / (n - 3), 'low = 0, high = 9, epsilon = 3.0') AS r FROM t",
            "can fail",
        ),
        ("SELECT {call} AS r FROM (SELECT 10 / n AS n FROM t)", "can fail"),
        (
            "SELECT {call} AS r FROM (SELECT CASE WHEN n = 7 THEN 1 / 0 ELSE n END AS n FROM t)",
            "can fail",
        ),
        ("SELECT {call} AS r FROM (SELECT CAST(c AS INT) AS n FROM t)", "can fail"),
        ("SELECT {call} AS r FROM (SELECT CAST(n AS SMALLINT) AS n FROM t)", "can fail"),
        (
            "SELECT {call} AS r FROM (SELECT ceil(TRY_CAST(c AS DECIMAL(2, 1))) AS n FROM t)",
            "can fail",
        ),
        (
            "SELECT randomize_yes_no(c LIKE concat(c, '_'), 1.0) AS q, {call} AS r FROM t",
            "can fail",
        ),
        (
            "SELECT {call} AS r FROM (SELECT character_length(TRY_CAST(TRY_CAST(n AS DATE) AS VARCHAR)) AS n FROM t)",
            "can fail",
        ),
        (
            "SELECT {call} AS r FROM (SELECT EXISTS (SELECT 1 FROM t WHERE n = 7) AS n FROM t)",
            "a subquery comes before",
        ),
        (
            "SELECT {call} AS r FROM (SELECT 7 IN (SELECT n FROM t) AS n FROM t)",
            "a subquery comes before",
        ),
        (
            "SELECT r FROM (SELECT {call} AS r, (SELECT id FROM t WHERE n = 7) AS u FROM t)",
            "a subquery can fail",
        ),
        (
            "SELECT r FROM (SELECT randomize_number(coalesce(5, n), 'low = 0, high = 9, epsilon = 3.0') AS r FROM t)",
            "the same for all rows",
        ),
        (
            "SELECT randomize_yes_no(e IS NULL, 1.0) AS q, r FROM (SELECT estimate_choice(c, 'choices = [\"a\"], epsilon = 2.0, mechanism = \"randomized-response\"') AS e FROM t), (SELECT {call} AS r FROM t)",
            "a join comes before",
        ),
        (
            "SELECT randomize_yes_no(e IS NULL, 1.0) AS q FROM (SELECT estimate_choice(c, 'choices = [\"a\", \"b\"], epsilon = 2.0') AS e FROM t WHERE id = 7)",
            "estimate_choice can fail",
        ),
        (
            "SELECT randomize_yes_no(e IS NULL, 1.0) AS q FROM (SELECT estimate_yes_no(c, 2.0) AS e FROM t)",
            "estimate_yes_no can fail",
        ),
        ("UPDATE t SET n = {call}", "nobody knows"),
        ("SELECT DISTINCT ON (n) {call} AS r FROM t", "n"),
        ("COPY (SELECT n, {call} AS r FROM t) TO '/nowhere/reports.parquet'", "\"n\" of table"),
    ];
    for (i, (query, message)) in queries.into_iter().enumerate() {
        let (call, parameters) = call(2000 + i);
        let query = query.replace("{call}", &call);
        let session = session();
        // The same table under another name.
        session.register_table("same", session.table_provider("t").await.unwrap()).unwrap();
        let found = refusal(&session, &query).await;
        assert!(found.contains(message), "{query}: {found}");
        assert_eq!(draws(&parameters), 0, "{query}");
    }
}

/// What the optimizer can do away with is not drawn.
#[tokio::test]
async fn folded() {
    let parameters = "prob = 0.7501";
    let query =
        format!("SELECT id FROM (SELECT id, randomize_yes_no(x, '{parameters}') AS r FROM t)");
    assert_eq!(run(&session(), &query).await.unwrap().num_rows(), ROWS);
    assert_eq!(draws(parameters), 0);
    let query = format!("SELECT randomize_yes_no(x, '{parameters}') OR TRUE AS r FROM t");
    let rows = run(&session(), &query).await.unwrap();
    assert_eq!(rows.column(0).as_boolean().true_count(), ROWS);
    assert!(draws(parameters) == 0 || draws(parameters) == ROWS);
}

/// The plan that runs has the call once, and planning again, or the optimized plan once more, is the same.
#[tokio::test]
async fn planned_again() {
    let session = session();
    let (call, parameters) = call(3000);
    let frame =
        session.sql(&format!("SELECT r, r + 1 FROM (SELECT {call} AS r FROM t)")).await.unwrap();
    let plan = frame.clone().create_physical_plan().await.unwrap();
    let text = displayable(plan.as_ref()).indent(false).to_string();
    assert_eq!(text.matches("randomize_number").count(), 1, "{text}");
    let optimized = frame.into_optimized_plan().unwrap();
    let again = session.execute_logical_plan(optimized).await.unwrap();
    assert_eq!(
        again.collect().await.unwrap().iter().map(|batch| batch.num_rows()).sum::<usize>(),
        ROWS
    );
    assert_eq!(draws(&parameters), ROWS);
}

/// A frame that is kept is drawn for once.
#[tokio::test]
async fn cached() {
    let session = session();
    let (call, parameters) = call(4000);
    let frame = session
        .sql(&format!("SELECT id, {call} AS r FROM t"))
        .await
        .unwrap()
        .cache()
        .await
        .unwrap();
    let (a, b) = (frame.clone().collect().await.unwrap(), frame.collect().await.unwrap());
    assert_eq!(a, b);
    run(
        &session,
        &format!("CREATE TABLE kept AS SELECT id, {} AS r FROM t", super::once::call(4001).0),
    )
    .await
    .unwrap();
    let query = "SELECT count(*) FROM kept a JOIN kept b ON a.id = b.id AND a.r = b.r";
    let rows = run(&session, query).await.unwrap();
    assert_eq!(
        rows.column(0).as_primitive::<datafusion::arrow::datatypes::Int64Type>().value(0),
        ROWS as i64
    );
    assert_eq!((draws(&parameters), draws(&super::once::call(4001).1)), (ROWS, ROWS));
}

/// Functions without their guard do not run.
#[tokio::test]
async fn unguarded() {
    let session = datafusion::prelude::SessionContext::new();
    crate::scalar_functions().into_iter().for_each(|function| session.register_udf(function));
    crate::aggregate_functions().into_iter().for_each(|function| session.register_udaf(function));
    for call in
        ["randomize_yes_no(column1, 1.0)", "noisy_count(1, 'rows_per_person = 1, epsilon = 1.0')"]
    {
        let found = refusal(&session, &format!("SELECT {call} FROM (VALUES (true))")).await;
        assert!(found.contains("was not checked"), "{found}");
    }
}

/// Nobody brings a mark of their own.
#[tokio::test]
async fn marks_of_others() {
    for mark in [
        "7",
        "NULL",
        "id",
        "9223372036854775808",
        "X'0000000000000001'",
        "arrow_cast(X'0000000000000001', 'FixedSizeBinary(8)')",
    ] {
        let query = format!("SELECT randomize_yes_no(x, 1.5, {mark}) AS r FROM t");
        let found = refusal(&session(), &query).await;
        assert!(
            found.contains("arguments; accepted is randomize_yes_no(answer, parameters)"),
            "{found}"
        );
    }
}

/// Functions of functions draw for every element, and the optimizer moves reports into them.
#[tokio::test]
async fn lambdas() {
    let session = session();
    run(&session, "SET datafusion.sql_parser.dialect = 'duckdb'").await.unwrap();
    let (call, parameters) = call(5000);
    for query in [
        "SELECT array_transform([1, 2, 3], v -> {call}) AS r FROM t",
        "SELECT array_transform([1, 2, 3], v -> v * 0 + r) AS r FROM (SELECT {call} AS r FROM t)",
    ] {
        let found = refusal(&session, &query.replace("{call}", &call)).await;
        assert!(found.contains("a function of functions"), "{found}");
    }
    assert_eq!(draws(&parameters), 0);
}

/// A table that may be one of several makes one of them: no order of tables hides it.
#[tokio::test]
async fn overlapping_tables() {
    let folder = tempfile::tempdir().unwrap();
    let session = session();
    for (name, from) in [("x", 0), ("y", 500)] {
        let path = folder.path().join(name).with_extension("parquet");
        let query = format!(
            "COPY (SELECT id, n FROM t WHERE id >= {from} AND id < {from} + 500) TO '{}'",
            path.display()
        );
        run(&session, &query).await.unwrap();
    }
    let at = |name: &str| folder.path().join(name).display().to_string();
    let links = tempfile::tempdir().unwrap();
    let link = |name: &str| links.path().join(name).display().to_string();
    std::os::unix::fs::symlink(at("y.parquet"), link("soft.parquet")).unwrap();
    std::fs::hard_link(at("y.parquet"), link("hard.parquet")).unwrap();
    let encoded = at("y.parquet").replace("y.parquet", "%79.parquet");
    for (name, path) in [
        ("a", at("x.parquet")),
        ("b", at("y.parquet")),
        ("c", at("")),
        ("d", link("soft.parquet")),
        ("e", link("hard.parquet")),
        ("f", format!("file://{encoded}")),
    ] {
        run(&session, &format!("CREATE EXTERNAL TABLE {name} STORED AS PARQUET LOCATION '{path}'"))
            .await
            .unwrap();
    }
    for other in ["b", "c", "d", "e", "f"] {
        let query = format!(
            "SELECT b.r, o.n FROM (SELECT max(id) AS m FROM a) a CROSS JOIN (SELECT id, {} AS r FROM b) b JOIN {other} o ON b.id = o.id",
            call(5003).0
        );
        let found = refusal(&session, &query).await;
        assert!(found.contains("\"n\" of table"), "{other}: {found}");
        let query = format!(
            "SELECT k, w FROM (SELECT max(id) FROM a), (SELECT noisy_count(1, 'rows_per_person = 1, epsilon = 1.0') AS k FROM b), (SELECT count(*) AS w FROM {other})"
        );
        let found = refusal(&session, &query).await;
        assert!(found.contains("without noise"), "{other}: {found}");
    }
}

/// Statistics of files answer aggregates, and the plan would show the answer.
#[tokio::test]
async fn explained() {
    let folder = tempfile::tempdir().unwrap();
    let session = session();
    let path = folder.path().join("t.parquet").display().to_string();
    run(&session, &format!("COPY (SELECT id, n + 4711 AS n FROM t) TO '{path}'")).await.unwrap();
    run(&session, &format!("CREATE EXTERNAL TABLE f STORED AS PARQUET LOCATION '{path}'"))
        .await
        .unwrap();
    let plain = run(&session, "EXPLAIN SELECT max(n) FROM f").await.unwrap();
    let drawn = run(
        &session,
        &format!("EXPLAIN SELECT {} AS r FROM (SELECT max(n) AS n FROM f)", call(5004).0),
    )
    .await
    .unwrap();
    let text = |rows: &datafusion::arrow::array::RecordBatch| {
        datafusion::arrow::util::pretty::pretty_format_batches(std::slice::from_ref(rows))
            .unwrap()
            .to_string()
    };
    assert!(text(&plain).contains("4720") && !text(&drawn).contains("4720"), "{}", text(&drawn));
}

/// Statistics of files say which file, or group of rows, has the least answers, and a sort would read these first.
#[tokio::test]
async fn files_are_read_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let session = session_with(1, 8192);
    // Answers fall where ids rise. One of them is named like the report, or at its place, in each of the queries.
    for id in 0..4 {
        let path = folder.path().join(format!("p{id}.parquet"));
        let query = format!(
            "COPY (SELECT id, id < 2 AS x, 3 - id AS n FROM t WHERE id = {id}) TO '{}'",
            path.display()
        );
        run(&session, &query).await.unwrap();
    }
    let create = format!(
        "CREATE EXTERNAL TABLE f STORED AS PARQUET LOCATION '{}/'",
        folder.path().display()
    );
    run(&session, &create).await.unwrap();
    let kept: Vec<String> = (0..4).map(|id| format!("p{id}.parquet")).collect();
    for (query, is_even_first) in [
        ("SELECT id, randomize_yes_no(x, 0.0001) AS r FROM f ORDER BY r", false),
        ("SELECT id, randomize_yes_no(x, 0.0001) AS x FROM f ORDER BY x", false),
        ("SELECT id, randomize_yes_no(x, 0.0001) AS n FROM f ORDER BY n", false),
        (
            "SELECT id % 2 AS n, id, randomize_number(n, 'low = 0, high = 15, epsilon = 0.01') AS r FROM f ORDER BY n",
            true,
        ),
        ("SELECT id % 2 AS x, id, randomize_yes_no(x, 0.0001) AS r FROM f ORDER BY x", true),
    ] {
        let plan = run(&session, &format!("EXPLAIN {query}")).await.unwrap();
        let plan = datafusion::arrow::util::pretty::pretty_format_batches(&[plan]).unwrap();
        let plan = plan.to_string();
        let places: Vec<usize> = kept.iter().map(|name| plan.find(name).unwrap()).collect();
        assert!(places.is_sorted(), "{query}: {plan}");
        let rows = run(&session, query).await.unwrap();
        let ids = rows.column_by_name("id").unwrap();
        let ids = ids.as_primitive::<datafusion::arrow::datatypes::Int64Type>().values();
        if is_even_first {
            let expected = [0, 2, 1, 3];
            assert_eq!(ids.as_ref(), expected, "{query}");
        } else {
            // Two rising runs, for no and yes, or one of them.
            let falls = ids.windows(2).filter(|pair| pair[0] > pair[1]).count();
            assert!(falls <= 1, "{query}: {ids:?}");
        }
    }
    // Without a draw the engine sorts files by what is in them, so that the test would find it.
    let plain = run(&session, "EXPLAIN SELECT id, n FROM f ORDER BY n").await.unwrap();
    let plain = datafusion::arrow::util::pretty::pretty_format_batches(&[plain]).unwrap();
    let plain = plain.to_string();
    assert!(plain.find("p3.parquet").unwrap() < plain.find("p0.parquet").unwrap(), "{plain}");
}

/// A folder has links to a file of another table, or two names of one.
#[tokio::test]
async fn links_in_folders() {
    let folder = tempfile::tempdir().unwrap();
    let session = session();
    let at = |name: &str| folder.path().join(name).display().to_string();
    run(&session, &format!("COPY (SELECT id, n FROM t) TO '{}'", at("f.parquet"))).await.unwrap();
    for name in ["soft", "hard", "twice"] {
        std::fs::create_dir(at(name)).unwrap();
    }
    std::os::unix::fs::symlink(at("f.parquet"), at("soft/a.parquet")).unwrap();
    std::os::unix::fs::symlink(at("soft"), at("soft/circle")).unwrap();
    std::fs::hard_link(at("f.parquet"), at("hard/a.parquet")).unwrap();
    std::fs::hard_link(at("f.parquet"), at("twice/a.parquet")).unwrap();
    std::fs::hard_link(at("f.parquet"), at("twice/b.parquet")).unwrap();
    for (name, path) in
        [("f", "f.parquet"), ("soft", "soft/"), ("hard", "hard/"), ("twice", "twice/")]
    {
        let path = at(path);
        run(&session, &format!("CREATE EXTERNAL TABLE {name} (id BIGINT, n BIGINT) STORED AS PARQUET LOCATION '{path}/'").replace("//'", "/'").replace("parquet/'", "parquet'"))
            .await
            .unwrap();
    }
    let (call, parameters) = call(5005);
    for other in ["soft", "hard"] {
        let query = format!(
            "SELECT f.r, o.n FROM (SELECT id, {call} AS r FROM f) f JOIN {other} o ON f.id = o.id"
        );
        let found = refusal(&session, &query).await;
        assert!(found.contains("\"n\" of table"), "{other}: {found}");
    }
    let found = refusal(&session, &format!("SELECT {call} AS r FROM twice")).await;
    assert!(found.contains("under two names"), "{found}");
    assert_eq!(draws(&parameters), 0);
    assert_eq!(
        run(&session, &format!("SELECT {call} AS r FROM hard")).await.unwrap().num_rows(),
        ROWS
    );
}

/// Rows that are dealt out by an answer.
#[tokio::test]
async fn repartitioned() {
    use datafusion::logical_expr::Partitioning;
    use datafusion::prelude::col;
    let session = session();
    let (call, parameters) = call(5006);
    let frame = session.table("t").await.unwrap();
    let frame = frame.repartition(Partitioning::Hash(vec![col("n")], 4)).unwrap();
    session.register_table("dealt", frame.into_view()).unwrap();
    let found = refusal(&session, &format!("SELECT {call} AS r FROM dealt")).await;
    assert!(found.contains("\"n\" of table"), "{found}");
    assert_eq!(draws(&parameters), 0);
}

/// A setting that would let unchecked plans through, and one that shows statistics.
#[tokio::test]
async fn settings() {
    for (setting, value) in [
        ("datafusion.optimizer.skip_failed_rules", "true"),
        ("datafusion.optimizer.max_passes", "0"),
        ("datafusion.explain.show_statistics", "true"),
    ] {
        let session = session();
        let query = format!("SELECT {} AS r FROM t", call(5001).0);
        run(&session, &query).await.unwrap();
        run(&session, &format!("SET {setting} = {value}")).await.unwrap();
        let name = setting.rsplit('.').next().unwrap();
        assert!(refusal(&session, &query).await.contains(name), "{setting}");
    }
}

/// Registered twice it is the same, and the session stays the one it was.
#[tokio::test]
async fn registered_twice() {
    let session = session();
    crate::register(&session).unwrap();
    assert_eq!(session.session_id(), session.state().session_id());
    let (call, parameters) = call(5002);
    let query = format!("SELECT r FROM (SELECT {call} AS r FROM t) WHERE r > -1e9");
    assert_eq!(run(&session, &query).await.unwrap().num_rows(), ROWS);
    assert_eq!(draws(&parameters), ROWS);
}

/// Expressions that cannot fail are fine.
#[tokio::test]
async fn computed_answers() {
    for answer in [
        "n + 1",
        "n * 2 - 1",
        "CASE WHEN n > 5 THEN 1 ELSE 0 END",
        "coalesce(n, 0)",
        "TRY_CAST(c AS INT)",
        "CAST(n AS DOUBLE)",
        "n > 3 AND x",
        "character_length(lower(c))",
        "n IN (1, 2)",
        "c LIKE 'a%'",
        "n BETWEEN 2 AND 4",
        "greatest(n, 3)",
    ] {
        let query = format!(
            "SELECT randomize_number({answer}, 'low = 0, high = 9, epsilon = 1.0') AS r FROM t"
        );
        assert_eq!(run(&session(), &query).await.unwrap().num_rows(), ROWS, "{answer}");
    }
}
