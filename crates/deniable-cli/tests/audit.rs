//! `deniable audit`: claims that hold, claims that do not, and what is written about them.
#![forbid(unsafe_code)]

use std::process::{Command, Output};

use serde_json::Value;

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_deniable")).arg("audit").args(arguments).output().unwrap()
}

/// What an audit finds, and its exit code.
fn found(arguments: &[&str]) -> (Value, Option<i32>) {
    let output = run(&[arguments, &["--json"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let why = String::from_utf8_lossy(&output.stderr);
    let json = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{arguments:?}: {why}"));
    (json, output.status.code())
}

/// Mechanisms and whether their laws are enumerated; the first loses ln 3.
const MECHANISMS: [(&[&str], Option<&str>); 11] = [
    (&["randomized-response-bool", "--prob", "0.75"], Some("enumerated")),
    (&["randomized-response", "--categories", "5", "--prob", "0.6"], Some("enumerated")),
    (&["randomized-response", "--categories", "50", "--prob", "0.6"], Some("stated")),
    (&["bitvec", "--length", "8", "--max-weight", "1", "--f", "0.5"], Some("stated")),
    (&["unary-encoding", "--categories", "9", "--one", "0.5", "--zero", "0.25"], Some("stated")),
    (&["subset-selection", "--categories", "9", "--size", "3", "--prob", "0.75"], Some("stated")),
    (&["local-hashing", "--categories", "9", "--buckets", "4", "--prob", "0.5"], Some("stated")),
    (&["laplace", "--scale", "1", "--sensitivity", "1"], None),
    (&["laplace-integer", "--scale", "2", "--sensitivity", "3"], None),
    (
        &["rappor", "--bits", "9", "--cohorts", "3", "-p", "0.02", "-q", "0.98", "-f", "0.5"],
        Some("stated"),
    ),
    (
        &["rappor", "--bits", "9", "-p", "0.05", "-q", "0.95", "-f", "0.5", "--reports", "3"],
        Some("stated"),
    ),
];

#[test]
fn what_ships_keeps_its_claims() {
    for (mechanism, law) in MECHANISMS {
        let (json, code) = found(mechanism);
        assert_eq!((code, &json["violated"]), (Some(0), &Value::Bool(false)), "{json}");
        assert_eq!(json["exact"]["law"].as_str(), law);
        assert_eq!(json["audit"]["mechanism"], mechanism[0]);
        let claimed = json["claimed_epsilon"].as_f64().unwrap();
        if law.is_some() {
            let [epsilon, ulps] = ["epsilon", "claim_above_it_in_ulps"]
                .map(|name| json["exact"][name].as_f64().unwrap());
            assert!((epsilon - claimed).abs() < 1e-12 && (0.0..4.0).contains(&ulps), "{json}");
        }
        let sampled = &json["sampled"];
        assert_eq!(sampled.is_null(), law == Some("enumerated"));
        if !sampled.is_null() {
            let bound = sampled["epsilon_at_least"].as_f64().unwrap();
            assert!(bound > 0.8 * claimed && bound < claimed, "{json}");
        }
    }
}

/// A tenth less than the truth is found by what is exact, and half of it by runs.
#[test]
fn smaller_claims_are_found() {
    for (mechanism, law) in MECHANISMS {
        let truth = found(&[mechanism, &["--samples", "1"]].concat()).0;
        let truth = truth["claimed_epsilon"].as_f64().unwrap();
        let judged = |share: f64, samples: &str| {
            let claim = (share * truth).to_string();
            found(&[mechanism, &["--claim", &claim, "--samples", samples]].concat())
        };
        let (json, code) = judged(0.999_999, "1");
        assert_eq!(code, Some(if law.is_some() { 5 } else { 0 }), "{json}");
        assert_eq!(json["exact"]["holds"].as_bool(), law.map(|_| false));
        let (json, code) = judged(0.5, "200000");
        assert_eq!((code, &json["sampled"]["holds"]), (Some(5), &Value::Bool(false)), "{json}");
        let (json, code) = judged(1.000_001, "1");
        assert_eq!(code, Some(0), "{json}");
    }
}

#[test]
fn certificates_are_written() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("audit.json").display().to_string();
    let mechanism = ["randomized-response-bool", "--prob", "0.75", "--samples", "100000"];
    let output = run(&[&mechanism[..], &["--certificate", &path]].concat());
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && shown.starts_with("claimed: ε = 1.098"), "{shown}");
    assert!(shown.contains("over all 64-bit words") && shown.contains("no violation found"));
    let json: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(json["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(json["date"].as_str().unwrap().len(), "2026-01-01T00:00:00Z".len());
    assert_eq!(json["audit"]["prob"], 0.75);
    assert_eq!(json["sampled"]["runs"], serde_json::json!([100_000, 100_000]));
    assert_eq!(json["sampled"]["confidence"], 0.999_999_999);
    // Not written over.
    assert_eq!(run(&[&mechanism[..], &["--certificate", &path]].concat()).status.code(), Some(3));
}

#[test]
fn files_of_outcomes_are_judged() {
    let folder = tempfile::TempDir::new().unwrap();
    let write = |name: &str, yes: usize, no: usize| {
        let path = folder.path().join(name).display().to_string();
        std::fs::write(&path, "yes\n".repeat(yes) + &"no\n".repeat(no)).unwrap();
        path
    };
    let (left, right) = (write("left", 9000, 1000), write("right", 1000, 9000));
    let judged = |epsilon| found(&["files", epsilon, &left, &right, "--buckets", "yes,no"]);
    let (json, code) = judged("1.5");
    assert_eq!((code, &json["violated"]), (Some(5), &Value::Bool(true)), "{json}");
    let witness = &json["sampled"]["witness"];
    assert_eq!(
        (&witness["outcomes"], &witness["likelier_input"]),
        (&"\"no\"".into(), &right.as_str().into())
    );
    assert_eq!(judged("2.2").1, Some(0));
    let output = run(&["files", "1.5", &left, &right, "--buckets", "yes"]);
    let why = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), why.as_str()), (Some(5), "error: the claim does not hold\n"));
}

#[test]
fn what_is_refused() {
    for (arguments, says) in [
        (&["randomized-response-bool", "--prob", "0.4"][..], "invalid prob"),
        (&["randomized-response-bool", "--prob", "0.75", "--claim=-1"], "invalid"),
        (&["laplace", "--scale=-1", "--sensitivity", "1"], "invalid"),
        (&["laplace", "--scale", "1", "--sensitivity", "1", "--samples", "0"], "at least one"),
        (&["laplace-integer", "--scale", "1", "--sensitivity", "4294967296"], "at most 2^32 - 1"),
        (&["laplace", "--scale", "1", "--sensitivity", "1", "--reports", "2"], "report once"),
        (&["subset-selection", "--categories", "3", "--size", "3", "--prob", "0.5"], "invalid"),
        (&["files", "1", "a", "b", "--samples", "7"], "--samples"),
    ] {
        let output = run(arguments);
        let why = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {why}");
        assert!(why.contains(says), "{why}");
    }
    let output = run(&["files", "1", "/does/not/exist", "/nor/this"]);
    assert_eq!(output.status.code(), Some(1));
}
