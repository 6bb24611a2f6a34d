//! What is left of answers on the machines: in files that nobody else reads, and not in what the programs say.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::data::DATA;
use crate::programs::{Cluster, complaint, files, said, until};
use crate::randomized;

/// In answers only.
const CANARY: &str = "canary7f3a";

/// What tasks hand on stays in the folder of an executor until the query has ended, and for good if the executor is lost.
#[test]
fn folders() {
    let cluster = Cluster::start(2);
    let mut client =
        cluster.start_sql(&[randomized::QUERY, "--table", &DATA.answers(), "--format", "csv"]);
    until("both have partial results", || {
        assert!(client.is_running());
        (0..2).all(|i| !cluster.partial(i).is_empty()).then_some(())
    });
    for path in files(&cluster.work(0)).iter().chain(&files(&cluster.work(1))) {
        let mode = fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}: {mode:o}", path.display());
    }
}

#[test]
fn messages() {
    let cluster = Cluster::start(2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers.csv");
    fs::write(&path, format!("id,a\n1,5\n2,{CANARY}\n")).unwrap();
    let table = format!("answers={}", path.display());
    for query in [
        "SELECT CAST(a AS INT) FROM answers",
        "SELECT sum(CAST(a AS INT)) FROM answers",
        "SELECT encode('text', a) FROM answers",
        "SELECT estimate_choice(a, 'choices = [\"b\", \"c\"], epsilon = 2.0') FROM answers",
        "SELECT estimate_yes_no(a, 1.0) FROM answers",
    ] {
        let output = cluster.sql(&[query, "--table", &table]);
        assert_eq!(output.status.code(), Some(3), "{query}");
        assert!(!complaint(&output).contains(CANARY), "{query}: {}", complaint(&output));
        assert!(output.stdout.is_empty());
    }
    assert!(!cluster.logs().contains(CANARY), "{}", cluster.logs());
}

/// An executor that cannot tell the scheduler how a task failed tells nobody else.
#[test]
fn messages_without_a_scheduler() {
    let mut cluster = Cluster::start(1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers.csv");
    // Wherever it is cut for tasks, there is a canary, and much before it.
    let part = format!("{}{CANARY}\n", "12345\n".repeat(200_000));
    fs::write(&path, format!("a\n{}", part.repeat(16))).unwrap();
    let table = format!("answers={}", path.display());
    // So that there is a connection, which is then lost.
    said(cluster.sql(&["SELECT count(*) FROM answers", "--table", &table]));
    let before = cluster.partial(0);
    let mut client =
        cluster.start_sql(&["SELECT md5(a), CAST(a AS INT) FROM answers", "--table", &table]);
    until("the task runs", || cluster.partial(0).into_iter().find(|path| !before.contains(path)));
    cluster.scheduler.kill();
    // It gives up when nobody hears it.
    cluster.executors[0].end();
    client.end();
    assert!(!cluster.logs().contains(CANARY), "{}", cluster.logs());
    assert!(!client.log().contains(CANARY), "{}", client.log());
}
