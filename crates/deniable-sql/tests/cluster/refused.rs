//! A query that is refused in one process is refused on a cluster, and so are some that only one process computes rightly; by the client, and by the scheduler if a client has no guard.

use std::path::Path;

use ballista::prelude::SessionContextExt;
use ballista_core::extension::SessionConfigExt;
use datafusion::arrow::array::RecordBatch;
use datafusion::common::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};

use crate::programs::{Cluster, complaint, said, sql};

const CALL: &str = "randomize_number(n, 'low = 0, high = 9, epsilon = 1.0')";

/// `{call}` stands for [`CALL`].
const REFUSED: [&str; 9] = [
    "SELECT {call} AS a, {call} AS b FROM few",
    "WITH s AS (SELECT id, {call} AS r FROM few) SELECT a.r, b.r AS q FROM s a JOIN s b ON a.id = b.id",
    "WITH s AS (SELECT {call} AS r FROM few) SELECT r FROM s UNION ALL SELECT r FROM s",
    "SELECT id FROM few WHERE {call} > 3",
    "SELECT avg({call}) FROM few",
    "SELECT {call} AS r FROM few, (VALUES (1), (2)) v(w)",
    "SELECT n, {call} AS r FROM few",
    "SELECT {call} AS r FROM few WHERE n > 3",
    "SELECT randomize_number(n, 'low = 0, high = 9') AS r FROM few",
];

/// In one process these draw once a row. On a cluster, each task would draw for the side of a join that it collects, and a task that is run once more might hand rows to another than before.
const TASKS: [&str; 7] = [
    "SELECT s.id, s.r, b.m FROM (SELECT id, {call} AS r FROM few) s JOIN many b ON s.id = b.m",
    "SELECT s.id, s.r, b.m FROM (SELECT id, {call} AS r FROM few) s JOIN many b ON s.r > b.m",
    "SELECT s.id, s.r, b.m FROM many b CROSS JOIN (SELECT id, {call} AS r FROM few) s",
    "SELECT s.c, b.m FROM many b CROSS JOIN (SELECT noisy_count(1, 'rows_per_person = 1, epsilon = 0.5') AS c FROM few) s",
    "SELECT r, count(*) FROM (SELECT {call} > 4 AS r FROM few) GROUP BY r",
    "SELECT DISTINCT r FROM (SELECT {call} AS r FROM few)",
    "SELECT {call} AS r FROM few UNION ALL SELECT 1.0 FROM many",
];

/// What is accepted, with the number of rows.
const ACCEPTED: [(&str, usize); 5] = [
    ("SELECT id, {call} AS r FROM few", FEW),
    ("SELECT r FROM (SELECT id, {call} AS r FROM few) WHERE r > -1e9 ORDER BY r", FEW),
    ("SELECT r FROM (SELECT id, {call} AS r FROM few) ORDER BY r LIMIT 2", 2),
    ("SELECT avg(r), count(*) FROM (SELECT {call} AS r FROM few)", 1),
    ("SELECT noisy_count(1, 'rows_per_person = 1, epsilon = 0.5') AS c FROM few", 1),
];

const FEW: usize = 5;

/// Two tables: few, in one file, and many, in four.
fn tables(folder: &Path) -> [String; 4] {
    let write = |name: String, query: String| {
        said(sql(&[&query, "-o", folder.join(name).to_str().unwrap()]));
    };
    let few = format!("SELECT value AS id, value AS n FROM generate_series(0, {})", FEW - 1);
    write("few.parquet".into(), few);
    std::fs::create_dir(folder.join("many")).unwrap();
    for i in 0..4 {
        let query = format!("SELECT value % 5 AS m FROM generate_series({i}, {i} + 99)");
        write(format!("many/{i}.parquet"), query);
    }
    let table = |name: &str, files: &str| format!("{name}={}", folder.join(files).display());
    let option = || "--table".to_owned();
    [option(), table("few", "few.parquet"), option(), table("many", "many/*.parquet")]
}

#[test]
fn by_the_client() {
    let folder = tempfile::tempdir().unwrap();
    let tables = tables(folder.path());
    let cluster = Cluster::start(2);
    let run = |query: &str, is_cluster: bool| {
        let query = query.replace("{call}", CALL);
        let mut arguments = vec![query.as_str(), "--format", "csv"];
        arguments.extend(tables.iter().map(String::as_str));
        if is_cluster { cluster.sql(&arguments) } else { sql(&arguments) }
    };
    for query in REFUSED {
        let (here, there) = (run(query, false), run(query, true));
        assert_eq!(here.status.code(), Some(3), "{query}");
        assert_eq!(there.status.code(), Some(3), "{query}");
        assert_eq!(complaint(&there), complaint(&here), "{query}");
    }
    for query in TASKS {
        assert!(run(query, false).status.success(), "{query}");
        let output = run(query, true);
        assert_eq!(output.status.code(), Some(3), "{query}");
        assert!(complaint(&output).contains("on a cluster"), "{query}: {}", complaint(&output));
    }
    assert!((0..2).all(|i| cluster.partial(i).is_empty()), "no task was run");
    for (query, rows) in ACCEPTED {
        let found = said(run(query, true));
        assert_eq!(found.lines().count(), rows + 1, "{query}: {found}");
    }
}

/// A client that knows the functions, and not the rules.
async fn plain_client(cluster: &Cluster, folder: &Path, is_adaptive: bool) -> SessionContext {
    let config =
        SessionConfig::new_with_ballista().with_ballista_adaptive_query_planner(is_adaptive);
    let state = SessionStateBuilder::new().with_config(config).with_default_features().build();
    let address = format!("df://{}", cluster.address);
    let session = SessionContext::remote_with_state(&address, state).await.unwrap();
    for function in deniable_sql::scalar_functions() {
        session.register_udf(function);
    }
    for function in deniable_sql::aggregate_functions() {
        session.register_udaf(function);
    }
    for (table, files) in [("few", "few.parquet"), ("many", "many")] {
        let options = ParquetReadOptions::default();
        let path = folder.join(files);
        session.register_parquet(table, path.to_str().unwrap(), options).await.unwrap();
    }
    session
}

async fn run(session: &SessionContext, query: &str) -> Result<Vec<RecordBatch>> {
    session.sql(&query.replace("{call}", CALL)).await?.collect().await
}

#[tokio::test(flavor = "multi_thread")]
async fn by_the_scheduler() {
    let folder = tempfile::tempdir().unwrap();
    tables(folder.path());
    let cluster = Cluster::start(2);
    for is_adaptive in [false, true] {
        let session = plain_client(&cluster, folder.path(), is_adaptive).await;
        for query in REFUSED.iter().chain(&TASKS) {
            let found = run(&session, query).await.map(drop).unwrap_err().to_string();
            let is_ours =
                ["randomize", "noisy"].iter().any(|name| found.contains(&format!("error: {name}")));
            assert!(is_ours && !found.contains("was not checked"), "{query}: {found}");
        }
        assert!((0..2).all(|i| cluster.partial(i).is_empty()), "no task was run");
    }
    let session = plain_client(&cluster, folder.path(), true).await;
    for (query, rows) in ACCEPTED {
        let found = run(&session, query).await.unwrap();
        assert_eq!(found.iter().map(RecordBatch::num_rows).sum::<usize>(), rows, "{query}");
    }
}
