use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use crate::Folder;

fn with_ledger(budget: &str) -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&format!("ledger init spent.jsonl --budget {budget}")).code, 0);
    folder
}

fn spend(epsilon: &str) -> String {
    format!("ledger spend spent.jsonl --data people --epsilon {epsilon} --for May")
}

#[test]
fn what_is_spent_adds_up_to_the_budget_and_no_further() {
    let folder = with_ledger("people=1 --budget visits=0.3");
    let balance = folder.json(&spend("0.1"));
    assert_eq!(balance, json!({ "data": "people", "spent_in_total": 0.1, "budget": 1.0 }));
    // Rounded up: the two floats are together above the one next to 0.3.
    assert_eq!(folder.json(&spend("0.2"))["spent_in_total"], json!(0.30000000000000004));
    folder.refused(&spend("0.8"), 4, "0.30000000000000005 of 1 is spent, and this would cost 0.8");
    // The next smaller float would still be paid.
    folder.refused(&spend("0.7000000000000001"), 4, "accepted is what stays within the budget");
    assert_eq!(folder.run(&spend("0.6875")).code, 0);
    let shown = folder.json("ledger show spent.jsonl");
    assert_eq!(shown["entries"].as_array().unwrap().len(), 3);
    assert_eq!(shown["entries"][1]["what"], "May");
    assert_eq!(shown["data"][0]["spent"], json!(0.9875));
    assert_eq!(
        shown["data"][1],
        json!({ "data": "visits", "budget": 0.3, "spent": 0.0, "left": 0.3 })
    );
    let text = folder.run("ledger show spent.jsonl").out;
    assert!(text.starts_with("data    budget  spent"), "{text}");
    assert_eq!(text.lines().count(), 8, "{text}");
    let mode = fs::metadata(folder.path("spent.jsonl")).unwrap().permissions().mode();
    assert_eq!((mode & 0o777, folder.names()), (0o600, vec!["spent.jsonl".to_owned()]));
}

#[test]
fn what_is_no_ledger_or_no_budget_is_refused() {
    let folder = with_ledger("people=1").with("other.jsonl", "{}\n");
    for (line, code, words) in [
        ("ledger init spent.jsonl --budget people=9", 3, "this file exists"),
        ("ledger init new.jsonl", 2, "--budget"),
        ("ledger init new.jsonl --budget people", 3, "NAME=EPSILON"),
        ("ledger init new.jsonl --budget =1", 3, "NAME=EPSILON"),
        ("ledger init new.jsonl --budget people=inf", 3, "a finite number above 0"),
        ("ledger init new.jsonl --budget a=1 --budget a=2", 3, "is there twice"),
        ("ledger show none.jsonl", 1, "none.jsonl: "),
        ("ledger show other.jsonl", 3, "line 1: this is not the first line of a ledger"),
        // A name that is misspelt has no budget of its own.
        ("ledger spend spent.jsonl --data poeple --epsilon 0.1", 3, "no data set \"poeple\""),
        ("ledger spend spent.jsonl --data people --epsilon 0", 3, "--epsilon"),
        ("ledger spend spent.jsonl --data people --epsilon 1e300", 4, "of 1 is spent"),
    ] {
        folder.refused(line, code, words);
    }
    assert_eq!(folder.names(), ["other.jsonl", "spent.jsonl"]);
    assert_eq!(folder.json("ledger show spent.jsonl")["entries"], json!([]));
}

#[test]
fn twenty_programs_at_once_do_not_overspend() {
    let folder = with_ledger("people=1");
    let line = spend("0.25");
    // All of them wait until they can start at once.
    let lock = fs::File::open(folder.path("spent.jsonl")).unwrap();
    lock.lock().unwrap();
    let start =
        || folder.command(&line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut children: Vec<_> = (0..20).map(|_| start()).collect();
    std::thread::sleep(Duration::from_millis(500));
    assert!(children.iter_mut().all(|child| child.try_wait().unwrap().is_none()));
    lock.unlock().unwrap();
    let codes = children.into_iter().map(|mut child| child.wait().unwrap().code().unwrap());
    let mut codes: Vec<i32> = codes.collect();
    codes.sort();
    assert_eq!(codes, [[0; 4].as_slice(), &[4; 16]].concat());
    let shown = folder.json("ledger show spent.jsonl");
    let numbers = shown["entries"].as_array().unwrap().iter().map(|entry| entry["number"].clone());
    assert_eq!(numbers.collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!((&shown["data"][0]["spent"], &shown["data"][0]["left"]), (&json!(1.0), &json!(0.0)));
}

#[test]
fn a_part_of_a_line_does_not_count_and_is_mended() {
    let folder = with_ledger("people=1");
    assert_eq!(folder.run(&spend("0.5")).code, 0);
    let whole = folder.read("spent.jsonl");
    let mut file = fs::OpenOptions::new().append(true).open(folder.path("spent.jsonl")).unwrap();
    file.write_all(b"{\"entry\":{\"number\":2,\"time\":\"2030-01").unwrap();
    let shown = folder.json("ledger show spent.jsonl");
    assert_eq!((&shown["unfinished"], &shown["data"][0]["spent"]), (&json!(true), &json!(0.5)));
    assert!(folder.run("ledger show spent.jsonl").out.contains("it does not count"));
    assert_eq!(folder.run(&spend("0.5")).code, 0);
    folder.refused(&spend("0.5"), 4, "1 of 1 is spent");
    assert!(folder.read("spent.jsonl").starts_with(&whole));
    assert_eq!(folder.json("ledger show spent.jsonl")["unfinished"], json!(false));
}

#[test]
fn a_changed_line_is_refused_by_all_and_nothing_is_released() {
    let folder = with_ledger("people=1").with("a.csv", "n\n1\n");
    for _ in 0..3 {
        assert_eq!(folder.run(&spend("0.25")).code, 0);
    }
    let changed = folder.read("spent.jsonl").replacen("0.25", "0.05", 1);
    let folder = folder.with("spent.jsonl", &changed);
    let release = "release a.csv --columns n --sensitivity 1 --epsilon 0.1 -o b.csv --ledger spent.jsonl --data people";
    for line in [release, "ledger show spent.jsonl", &spend("0.1")] {
        folder.refused(line, 3, "spent.jsonl, line 2: this is not what was written");
    }
    assert_eq!(folder.names(), ["a.csv", "spent.jsonl"]);
    assert_eq!(folder.read("spent.jsonl"), changed);
}
