//! The program as a whole under its own auditor: what `randomize` and `release` write for two files, judged as outcomes of any program.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::Command;

use deniable_audit::binomial::{at_least, at_most};
use deniable_audit::black_box::{Counts, judge, power};
use tempfile::TempDir;

/// So many that a claim of a twentieth too little passes at most once in 10⁹ times, which the test computes.
const ROWS: usize = 450_000;

/// The same for a table with noise, where a half of the outcomes tells nothing.
const CELLS: usize = 700_000;

const SURVEY: &str = r#"
version = 1

[[question]]
name = "moved"
kind = "yes-no"
epsilon = 1.0

[[question]]
name = "transport"
kind = "choice"
choices = ["car", "bus", "bike"]
mechanism = "randomized-response"
epsilon = 1.0
"#;

/// Randomizes rows that are all alike, and writes the columns of the reports to files of outcomes.
fn outcomes(folder: &Path, survey: &str, name: &str, row: &str) -> [String; 3] {
    let at = |kind: &str| folder.join(format!("{name}.{kind}")).display().to_string();
    std::fs::write(at("toml"), survey).unwrap();
    std::fs::write(at("csv"), format!("moved,transport\n{}", row.repeat(ROWS))).unwrap();
    let (answers, reports) = (at("csv"), at("reports.csv"));
    let output = Command::new(env!("CARGO_BIN_EXE_deniable"))
        .args(["randomize", &at("toml"), &answers, "-o", &reports])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut reader = csv::Reader::from_path(&reports).unwrap();
    let names = reader.headers().unwrap().clone();
    let place = |name: &str| names.iter().position(|known| known == name).unwrap();
    let (moved, transport) = (place("moved"), place("transport"));
    let (mut one, mut other, mut both) = (String::new(), String::new(), String::new());
    for row in reader.records() {
        let row = row.unwrap();
        one += &format!("{}\n", &row[moved]);
        other += &format!("{}\n", &row[transport]);
        both += &format!("{} {}\n", &row[moved], &row[transport]);
    }
    let mut files = [at("moved"), at("transport"), at("both")];
    for (path, text) in files.iter_mut().zip([one, other, both]) {
        assert_eq!(text.lines().count(), ROWS);
        std::fs::write(path, text).unwrap();
    }
    files
}

/// Whether the auditor accuses.
fn accuses(epsilon: f64, left: &str, right: &str, buckets: &str) -> bool {
    let output = Command::new(env!("CARGO_BIN_EXE_deniable"))
        .args(["audit", "files", &epsilon.to_string(), left, right, "--buckets", buckets])
        .output()
        .unwrap();
    match output.status.code() {
        Some(0) => false,
        Some(5) => true,
        _ => panic!("{}", String::from_utf8_lossy(&output.stderr)),
    }
}

const YES_OR_NO: &str = "true,false";
const TRANSPORT: &str = "car,bus,bike,other";
const BOTH: &str = "true car,true bus,false car,false bus";

#[test]
fn randomize_keeps_the_claims_of_the_survey() {
    let folder = TempDir::new().unwrap();
    let left = outcomes(folder.path(), SURVEY, "left", "yes,car\n");
    let right = outcomes(folder.path(), SURVEY, "right", "no,bus\n");
    for ((claimed, buckets), (left, right)) in
        [(1.0, YES_OR_NO), (1.0, TRANSPORT), (2.0, BOTH)].into_iter().zip(left.iter().zip(&right))
    {
        assert!(!accuses(claimed, left, right, buckets), "{left}");
        // Not because nothing can be seen: of each, most of the loss is.
        assert!(accuses(0.8 * claimed, left, right, buckets), "{left}");
    }
    // A twentieth too little.
    assert!(power(0.95, 1.0, ROWS as u64).0 >= 1.0 - 1e-9);
    assert!(accuses(0.95, &left[0], &right[0], YES_OR_NO));
}

/// A program that ran with another survey than it says, with a twentieth more.
#[test]
fn another_survey_than_is_claimed_is_found() {
    let folder = TempDir::new().unwrap();
    let louder = SURVEY.replace("epsilon = 1.0", "epsilon = 1.06");
    let left = outcomes(folder.path(), &louder, "left", "yes,car\n");
    let right = outcomes(folder.path(), &louder, "right", "no,bus\n");
    assert!(power(1.0, 1.06, ROWS as u64).0 >= 1.0 - 1e-9);
    assert!(accuses(1.0, &left[0], &right[0], YES_OR_NO));
}

/// Releases a file, and returns the ε that the program says and a file that says of each number in a column whether it is below 1.
fn released(
    folder: &Path,
    name: &str,
    text: &str,
    form: &[&str],
    seen: (&str, usize),
) -> (f64, String) {
    let at = |kind: &str| folder.join(format!("{name}.{kind}")).display().to_string();
    std::fs::write(at("csv"), text).unwrap();
    let (input, noisy) = (at("csv"), at("noisy.csv"));
    let output = Command::new(env!("CARGO_BIN_EXE_deniable"))
        .args(["release", &input, "-o", &noisy, "--scale", "1", "--json"])
        .args(form)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut reader = csv::Reader::from_path(&noisy).unwrap();
    let place = reader.headers().unwrap().iter().position(|known| known == seen.0).unwrap();
    let is_low = |row: csv::StringRecord| row[place].parse::<f64>().unwrap() < 1.0;
    let outcomes: Vec<&str> =
        reader.records().map(|row| if is_low(row.unwrap()) { "low" } else { "high" }).collect();
    assert_eq!(outcomes.len(), seen.1);
    std::fs::write(at("outcomes"), outcomes.join("\n")).unwrap();
    (said["epsilon"].as_f64().unwrap(), at("outcomes"))
}

/// Every cell has noise of its own, so that tables in which all cells differ by 1 are as many pairs of tables in which one does.
#[test]
fn release_keeps_what_it_says_of_a_table() {
    let folder = TempDir::new().unwrap();
    let release = |name: &str, cell: &str| {
        let text = format!("n\n{}", cell.repeat(CELLS));
        released(
            folder.path(),
            name,
            &text,
            &["--columns", "n", "--sensitivity", "1"],
            ("n", CELLS),
        )
    };
    let [(claimed, zeros), (_, ones)] = [release("zeros", "0\n"), release("ones", "1\n")];
    assert!((1.0..1.000_001).contains(&claimed));
    assert!(!accuses(claimed, &zeros, &ones, "low"));
    assert!(accuses(0.95 * claimed, &zeros, &ones, "low"));
    // Missed at most once in 10⁹ times: so often more zeros or fewer ones are `high` than suffices.
    let n = CELLS as u64;
    let (high_of_zero, high_of_one) = ((-1f64).exp() / 2.0, 0.5);
    let deviations = |p: f64, times: f64| {
        (n as f64 * p + times * (n as f64 * p * (1.0 - p)).sqrt()).round() as u64
    };
    let (most, least) = (deviations(high_of_zero, 6.2), deviations(high_of_one, -6.2));
    assert!(at_least(most, n, high_of_zero) + at_most(least, n, high_of_one) <= 1e-9);
    let of = |high: u64| {
        let mut counts = Counts::new(["low"]);
        counts.add(&"low", n - high);
        counts.add(&"high", high);
        counts
    };
    assert!(judge(0.95 * claimed, &of(most), &of(least)).unwrap().is_violation());
}

/// And so with the counts: with two-sided geometric noise of scale 1, whether a count of 0 or 1 is below 1 is randomized response with ε = 1.
#[test]
fn release_keeps_what_it_says_of_counts() {
    let folder = TempDir::new().unwrap();
    let all: String = (0..ROWS).map(|i| format!("k{i}\n")).collect();
    let keys = folder.path().join("keys.txt").display().to_string();
    std::fs::write(&keys, &all).unwrap();
    let release = |name: &str, rows: &str| {
        let form = ["--count-by", "key", "--keys", &keys];
        released(folder.path(), name, &format!("key\n{rows}"), &form, ("count", ROWS))
    };
    let [(claimed, none), (_, one)] = [release("none", "another\n"), release("one", &all)];
    assert!((1.0..1.000_001).contains(&claimed));
    assert!(!accuses(claimed, &none, &one, "low"));
    assert!(power(0.95 * claimed, 1.0, ROWS as u64).0 >= 1.0 - 1e-9);
    assert!(accuses(0.95 * claimed, &none, &one, "low"));
}
