//! Nobody is left to compute: the command says so, and does not wait for ever.

use std::time::{Duration, Instant};

use crate::data::DATA;
use crate::programs::{Cluster, Program, complaint, sql, until};
use crate::randomized;

/// A client, when its query runs.
fn running(cluster: &Cluster, output: &str) -> Program {
    let mut client =
        cluster.start_sql(&[randomized::QUERY, "--table", &DATA.answers(), "-o", output]);
    until("tasks run", || {
        assert!(client.is_running(), "{}", client.log());
        (!cluster.partial(0).is_empty()).then_some(())
    });
    client
}

#[test]
fn all_executors() {
    let mut cluster = Cluster::start(2);
    let folder = tempfile::tempdir().unwrap();
    let mut client = running(&cluster, folder.path().join("reports.parquet").to_str().unwrap());
    cluster.executors.iter_mut().for_each(Program::kill);
    assert_eq!(client.end().code(), Some(1));
    assert!(client.log().contains("lost all its executors"), "{}", client.log());
    assert_eq!(folder.path().read_dir().unwrap().count(), 0, "nothing is left");
}

#[test]
fn the_scheduler() {
    let mut cluster = Cluster::start(2);
    let folder = tempfile::tempdir().unwrap();
    let mut client = running(&cluster, folder.path().join("reports.parquet").to_str().unwrap());
    cluster.scheduler.kill();
    assert_eq!(client.end().code(), Some(1));
    assert!(client.log().contains("connection to a machine"), "{}", client.log());
    assert_eq!(folder.path().read_dir().unwrap().count(), 0, "nothing is left");
    // It is not there for the next one.
    let start = Instant::now();
    let output = sql(&["SELECT 1", "--cluster", &cluster.address]);
    assert_eq!(output.status.code(), Some(1));
    assert!(complaint(&output).contains("there is no scheduler at"), "{}", complaint(&output));
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn no_address() {
    let output = sql(&["SELECT 1", "--cluster", "here"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(complaint(&output).contains("HOST:PORT"), "{}", complaint(&output));
}
