//! The demonstration.

use std::time::Instant;

use super::{assert_holds, run_in};

#[test]
fn the_demonstration_finds_the_truth_in_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let start = Instant::now();
    let words = ["demo", "--json", "--confidence", "0.999999999999"];
    let output = run_in(folder.path(), &words);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(start.elapsed().as_secs() < 60);
    let findings: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let truth: Vec<Vec<f64>> = serde_json::from_value(findings["truth"].clone()).unwrap();
    assert_holds(&findings, &truth);
    assert_eq!(findings["questions"][0]["reports"], 100_000);
    // A program that reads it did not ask for a page, and nothing else is left.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_demonstration_writes_over_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| {
        let output = run_in(folder.path(), &[&["demo", "--respondents", "500"], words].concat());
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, text) = run(&["--keep", "kept"]);
    assert_eq!(code, Some(0));
    assert!(text.contains("The page with charts is deniable-demo.html."), "{text}");
    for name in ["survey.toml", "answers.csv", "reports.parquet"] {
        assert!(folder.path().join("kept").join(name).exists(), "{name}");
    }
    assert!(run(&[]).1.contains("deniable-demo-2.html"));
    assert_eq!(run(&["--keep", "kept"]).0, Some(3));
    assert_eq!(run(&["--html", "deniable-demo.html"]).0, Some(3));
}
