//! Reports: one of every row, by the law of the mechanism, and no noise twice.

use std::path::Path;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use deniable::estimate::binomial::{at_least, at_most};

use crate::data::{DATA, ROWS, moved, read};
use crate::programs::{Cluster, complaint, until};

/// A report is the answer with this probability.
const TRUE: f64 = 0.75;

/// A law that the test must tell from it.
const WRONG: f64 = 0.755;

/// The query of all tests that randomize.
pub(crate) const QUERY: &str = "SELECT id, randomize_yes_no(moved, 'prob = 0.75') AS moved, randomize_number(same, 'low = 0, high = 9, epsilon = 1.0') AS same FROM answers";

#[test]
fn every_row_once() {
    let cluster = Cluster::start(2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reports.parquet");
    let arguments = [QUERY, "--table", &DATA.answers(), "-o", path.to_str().unwrap()];
    let mut client = cluster.start_sql(&arguments);
    until("both executors have work", || {
        assert!(client.is_running(), "{}", client.log());
        (0..2).all(|i| !cluster.partial(i).is_empty()).then_some(())
    });
    assert!(client.end().success(), "{}", client.log());
    check(&path);
    // It is not drawn for again.
    let output = cluster.sql(&arguments);
    assert!(output.status.code() == Some(3) && complaint(&output).contains("exists"));
}

/// Whether a file has the reports of all.
pub(crate) fn check(path: &Path) {
    let reports = read(path);
    check_ids(&reports);
    check_law(&reports);
    check_noise(&reports);
}

/// Each id once.
fn check_ids(reports: &RecordBatch) {
    let mut ids = reports.column(0).as_primitive::<Int64Type>().values().to_vec();
    ids.sort_unstable();
    assert!(ids.iter().copied().eq(0..ROWS), "each row has one report");
}

/// Whether the number of true reports is one of TRUE: exactly that of a binomial law, with a false alarm in 10^9 runs.
fn check_law(reports: &RecordBatch) {
    let ids = reports.column(0).as_primitive::<Int64Type>().values();
    let said = reports.column(1).as_boolean().values();
    let kept = ids.iter().zip(said).filter(|(id, said)| moved(**id) == *said).count() as u64;
    assert!(is_alright(kept), "{kept} of {ROWS} reports are true");
}

fn is_alright(kept: u64) -> bool {
    let rows = ROWS as u64;
    at_least(kept, rows, TRUE).unwrap().min(at_most(kept, rows, TRUE).unwrap()) > 0.5e-9
}

/// The test of the law finds a probability that is wrong by 0.005, but for once in 10^6 runs.
#[test]
fn power() {
    let rows = ROWS as u64;
    // The most that is alright.
    let (mut alright, mut wrong) = ((TRUE * ROWS as f64) as u64, rows);
    assert!(is_alright(alright) && !is_alright(wrong));
    while wrong - alright > 1 {
        let middle = alright.midpoint(wrong);
        if is_alright(middle) { alright = middle } else { wrong = middle }
    }
    assert!(at_most(alright, rows, WRONG).unwrap() < 1e-6);
}

/// Two rows that have the same answer have the same report by chance alone. Near 9, the scale, floats are 2^-49 apart, and closer near 0: less than 10^-3 pairs are expected, and more than 3 come in 10^13 runs. Tasks with the same stream would have them by the thousand.
fn check_noise(reports: &RecordBatch) {
    let mut values = reports.column(2).as_primitive::<Float64Type>().values().to_vec();
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    assert!(values.len() + 3 >= ROWS as usize, "{} values differ", values.len());
}
