//! Counts and estimates are those of one process.

use crate::data::DATA;
use crate::programs::{Cluster, said, sql};

/// Sums of whole numbers: the same to the last digit.
const EXACT: [&str; 6] = [
    "SELECT count(*) FROM reports",
    "SELECT unnest(e) FROM (SELECT estimate_yes_no(moved, 'moved') AS e FROM reports)",
    "SELECT unnest(e) FROM (SELECT unnest(estimate_choice(transport, 'transport')) AS e FROM reports)",
    "SELECT unnest(e) FROM (SELECT unnest(estimate_several(pets, 'pets')) AS e FROM reports)",
    "SELECT unnest(e) FROM (SELECT unnest(estimate_text(browser, 'browser')) AS e FROM reports)",
    "SELECT region, e['share'], e['low'], e['high'], e['reports'] FROM (SELECT region, estimate_yes_no(moved, 'moved') AS e FROM reports GROUP BY region) ORDER BY region",
];

const MEAN: &str =
    "SELECT unnest(e) FROM (SELECT estimate_number(hours, 'hours') AS e FROM reports)";

/// What the arguments of a query are.
fn query<'a>(query: &'a str, table: &'a str, survey: &'a str) -> [&'a str; 7] {
    [query, "--table", table, "--survey", survey, "--format", "csv"]
}

#[test]
fn estimates() {
    let (table, survey) = (format!("reports={}", DATA.reports()), DATA.survey());
    let expected: Vec<_> =
        EXACT.iter().map(|text| said(sql(&query(text, &table, &survey)))).collect();
    let mean = numbers(&said(sql(&query(MEAN, &table, &survey))));
    for executors in [1, 2] {
        let cluster = Cluster::start(executors);
        for (text, expected) in EXACT.iter().zip(&expected) {
            let found = said(cluster.sql(&query(text, &table, &survey)));
            assert_eq!(found, *expected, "{executors} executors: {text}");
        }
        let found = numbers(&said(cluster.sql(&query(MEAN, &table, &survey))));
        assert_eq!(found.len(), mean.len());
        for (found, expected) in found.iter().zip(&mean) {
            let most = 1e-12 * expected.abs();
            assert!((found - expected).abs() <= most, "{executors}: {found} is not {expected}");
        }
    }
}

#[test]
fn counts() {
    let survey = DATA.survey();
    let reports = DATA.reports();
    let expected = said(sql(&["--survey", &survey, "--count", &reports, "--threads", "1"]));
    let cluster = Cluster::start(2);
    let found = said(cluster.sql(&["--survey", &survey, "--count", &reports]));
    let (found_whole, found_sums) = sums(&found);
    let (whole, expected_sums) = sums(&expected);
    assert_eq!(found_whole, whole);
    for (found, expected) in found_sums.iter().zip(&expected_sums) {
        assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{found} is not {expected}");
    }
    // A file that is left out would be seen.
    let fewer = said(cluster.sql(&["--survey", &survey, "--count", &DATA.fewer_reports()]));
    assert_ne!(sums(&fewer).0, whole);
}

/// The counts without the sums of floats, and those.
fn sums(counts: &str) -> (serde_json::Value, Vec<f64>) {
    let mut counts: serde_json::Value = serde_json::from_str(counts).unwrap();
    let mut sums = Vec::new();
    take_floats(&mut counts, &mut sums);
    assert!(!sums.is_empty(), "there is a question for a number");
    (counts, sums)
}

fn take_floats(value: &mut serde_json::Value, floats: &mut Vec<f64>) {
    match value {
        serde_json::Value::Array(values) => {
            values.iter_mut().for_each(|value| take_floats(value, floats));
        }
        serde_json::Value::Object(values) => {
            values.values_mut().for_each(|value| take_floats(value, floats));
        }
        other if other.is_f64() => floats.extend(other.take().as_f64()),
        _ => {}
    }
}

/// The second line of a table with commas.
fn numbers(table: &str) -> Vec<f64> {
    table.lines().nth(1).unwrap().split(',').map(|number| number.parse().unwrap()).collect()
}
