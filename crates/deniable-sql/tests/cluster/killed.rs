//! An executor is killed while it has tasks: they are run once more, and nobody sees that.

use std::fs;
use std::path::Path;

use crate::data::DATA;
use crate::programs::{Cluster, Program, said, sql, until};
use crate::randomized;

/// Starts a query, and waits until a task of it has ended on the first executor, and another has begun.
fn half_way(cluster: &Cluster, arguments: &[&str]) -> Program {
    let mut client = cluster.start_sql(arguments);
    until("the executor has partial results", || {
        assert!(client.is_running(), "it is half-way: {}", client.log());
        (cluster.partial(0).len() > 1).then_some(())
    });
    client
}

/// Whether the scheduler had to run tasks once more.
fn is_noticed(cluster: &Cluster) -> bool {
    cluster.scheduler.log().contains("on lost Executor")
}

#[test]
fn counting() {
    let reports = format!("reports={}", DATA.reports());
    let query = "SELECT unnest(e) FROM (SELECT unnest(estimate_text(browser, 'browser')) AS e FROM reports)";
    let survey = DATA.survey();
    let arguments = [query, "--table", &reports, "--survey", &survey, "--format", "csv"];
    let expected = said(sql(&arguments));
    let mut cluster = Cluster::start(2);
    let mut client = half_way(&cluster, &arguments);
    cluster.executors[0].kill();
    assert!(client.is_running(), "it is half-way: {}", client.log());
    let end = client.end();
    assert!(end.success() && client.log() == expected, "{end}: {}", client.log());
    assert!(is_noticed(&cluster), "{}", cluster.logs());
}

/// A file with a report of every row, whichever try it is of.
#[test]
fn randomizing() {
    let mut cluster = Cluster::start(2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reports.parquet");
    let arguments = [randomized::QUERY, "--table", &DATA.answers(), "-o", path.to_str().unwrap()];
    let mut client = half_way(&cluster, &arguments);
    cluster.executors[0].kill();
    assert!(client.is_running(), "it is half-way: {}", client.log());
    check_whole(&mut client, &path);
    assert!(is_noticed(&cluster), "{}", cluster.logs());
}

/// An executor that is started again still has the reports of its first tasks, and could hand them on beside those of the second try.
#[test]
fn started_again() {
    let mut cluster = Cluster::start(2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reports.parquet");
    let arguments = [randomized::QUERY, "--table", &DATA.answers(), "-o", path.to_str().unwrap()];
    let mut client = half_way(&cluster, &arguments);
    cluster.executors[0].start_again();
    assert!(client.is_running(), "it is half-way: {}", client.log());
    check_whole(&mut client, &path);
    assert!(is_noticed(&cluster), "{}", cluster.logs());
}

/// Whether the command ends with all that it was asked for.
fn check_whole(client: &mut Program, path: &Path) {
    let end = client.end();
    assert!(end.success(), "{end}: {}", client.log());
    assert_eq!(names(path.parent().unwrap()), ["reports.parquet"]);
    randomized::check(path);
}

/// What is in a folder, hidden files as well.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}
