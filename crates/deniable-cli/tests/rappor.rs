//! `deniable rappor`, run as users run it: on the reference's own files, and from values to shares.
#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use deniable::rappor::files::read_results;
use serde_json::Value;
use tempfile::TempDir;

const CASES: [(&str, &str); 4] = [
    ("demo3-fast", "demo3-fast"),
    ("r-unif-small-typical", "r-unif-small-typical"),
    // Whose map is that one's, or begins with it.
    ("r-exp-small-typical", "r-unif-small-typical"),
    ("r-zipf1.5-small-over_x10", "r-unif-small-typical"),
];

/// A value that must be seen nowhere.
const CANARY: &str = "canary-7f3a";

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_deniable"));
    command.arg("rappor").args(arguments).output().unwrap()
}

/// Runs it, which must go well, and returns what it prints.
fn done(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs it, which must be refused, and returns why.
fn refused(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(3), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn golden(case: &str, kind: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../deniable/tests/data/rappor");
    format!("{folder}/{case}_{kind}.csv")
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Folder(TempDir::new().unwrap())
    }

    fn at(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn with(&self, name: &str, text: &str) -> String {
        std::fs::write(self.at(name), text).unwrap();
        self.at(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.at(name)).unwrap()
    }

    fn files(&self) -> Vec<PathBuf> {
        std::fs::read_dir(self.0.path()).unwrap().map(|entry| entry.unwrap().path()).collect()
    }
}

/// True shares, by the values that were simulated.
fn truth(case: &str) -> HashMap<String, f64> {
    let mut shares = HashMap::new();
    for row in csv::Reader::from_path(golden(case, "hist")).unwrap().records() {
        let row = row.unwrap();
        shares.insert(row[0].to_owned(), row[1].parse::<f64>().unwrap() / 1e6);
    }
    shares
}

/// The reference's files are decoded: what is found occurs, is near the truth, and the files of results are read by its own readers.
#[test]
fn the_reference_s_collections_are_decoded() {
    let folder = Folder::new();
    for (case, map) in CASES {
        let (params, counts, map) =
            (golden(case, "params"), golden(case, "counts"), golden(map, "map"));
        let results = folder.at(case);
        let of = ["--params", &params, "--counts", &counts, "--map", &map];
        let run = |more: &[&str]| done(&[&["decode"], &of[..], more].concat());
        let json: Value =
            serde_json::from_str(&run(&["--reference", "--json", "-o", &results])).unwrap();
        assert_eq!(json["reports"], 1_000_000);
        let detected = json["detected"].as_array().unwrap();
        let truth = truth(case);
        let mut missed = 0;
        for found in detected {
            let share = truth.get(found["candidate"].as_str().unwrap()).copied().unwrap_or(0.0);
            let [low, high] = ["low", "high"].map(|name| found[name].as_f64().unwrap());
            missed += usize::from(!(low..=high).contains(&share));
        }
        // One in twenty is expected to.
        assert!(missed * 20 <= detected.len() + 20, "{case}: {missed} of {}", detected.len());
        let large = truth.iter().filter(|(_, share)| **share > 0.04);
        for (value, _) in large {
            assert!(detected.iter().any(|found| found["candidate"] == **value), "{case}: {value}");
        }
        let rows = read_results(std::fs::File::open(&results).unwrap()).unwrap();
        assert_eq!(rows.len(), detected.len());
        assert!(rows.iter().zip(detected).all(|(row, found)| found["candidate"] == row.string));
        let shown = run(&[]);
        assert!(shown.contains("in 1000000 reports") && shown.contains("Misfit"), "{shown}");
    }
}

/// Decoded by a map that does not belong to the counts, nothing fits. That is what the check above would look like if it checked nothing.
#[test]
fn a_map_of_other_hash_functions_finds_little() {
    let folder = Folder::new();
    let (params, counts) = (golden(CASES[0].0, "params"), golden(CASES[0].0, "counts"));
    let names: String = (1..=189).map(|i| format!("v{i}\n")).collect();
    let (names, ours) = (folder.with("names", &names), folder.at("map.csv"));
    done(&["map", "--params", &params, &names, "-o", &ours]);
    let shown =
        done(&["decode", "--params", &params, "--counts", &counts, "--map", &ours, "--json"]);
    let json: Value = serde_json::from_str(&shown).unwrap();
    assert!(json["detected"].as_array().unwrap().len() < 5);
    assert!(json["misfit"]["p_value"].as_f64().unwrap() < 1e-9);
}

#[test]
fn maps_are_the_reference_s() {
    let folder = Folder::new();
    for case in [CASES[0].0, CASES[1].0] {
        let (params, map) = (golden(case, "params"), golden(case, "map"));
        let map = std::fs::read_to_string(map).unwrap();
        let name = |line: &str| format!("{}\n", line.split(',').next().unwrap());
        let names = folder.with(case, &map.lines().map(name).collect::<String>());
        let made = done(&["map", "--params", &params, &names, "--reference", "-o", "-"]);
        assert_eq!(made, map);
    }
}

/// Values of so many clients, of which six in ten have the first value.
fn values(clients: usize) -> String {
    let value = |i: usize| if i % 10 < 6 { "tea" } else { CANARY };
    let rows = (0..clients).map(|i| format!("c{i},{}\n", value(i)));
    format!("client,value\n{}", rows.collect::<String>())
}

/// From values to shares, by both encoders. Off by seven standard errors once in 10¹¹ times.
#[test]
fn from_values_to_shares() {
    for reference in [false, true] {
        let folder = Folder::new();
        let params = folder.with("params.csv", "k,h,m,p,q,f\n32,2,8,0.25,0.75,0.3\n");
        let values = folder.with("values.csv", &values(20_000));
        let names = folder.with("names.txt", &format!("tea\n{CANARY}\nwater\n"));
        let [key, reports, counts, map] =
            ["key", "reports.csv", "counts.csv", "map.csv"].map(|name| folder.at(name));
        let like = if reference { &["--reference"][..] } else { &[] };
        let with = |arguments: &[&str]| done(&[arguments, &["--params", &params]].concat());
        let encode = ["encode", &values, "--secret-file", &key, "-o", &reports];
        with(&[&encode[..], like].concat());
        with(&["count", &reports, "-o", &counts]);
        with(&[&["map", &names, "-o", &map][..], like].concat());
        let decode = ["decode", "--counts", &counts, "--map", &map, "--json"];
        let json: Value = serde_json::from_str(&with(&[&decode[..], like].concat())).unwrap();
        let detected = json["detected"].as_array().unwrap();
        for (value, truth) in [("tea", 0.6), (CANARY, 0.4)] {
            let found = detected.iter().find(|found| found["candidate"] == value).unwrap();
            let [share, error] =
                ["share", "standard_error"].map(|name| found[name].as_f64().unwrap());
            assert!((share - truth).abs() < 7.0 * error && error < 0.03, "{value}: {found}");
        }
        let written = folder.text("reports.csv");
        assert!(written.starts_with("client,cohort,irr\nc0,") && !written.contains("tea"));
        assert!(!written.contains(CANARY));
        assert_eq!(written.lines().count(), 20_001);
    }
}

/// With p = 0 and q = 1 a report is the permanent answer.
const BARE: &str = "k,h,m,p,q,f\n16,2,4,0,1,0.5\n";

#[test]
fn a_client_of_a_key_file_says_the_same_for_ever() {
    for like in [&[][..], &["--reference"]] {
        let folder = Folder::new();
        let params = folder.with("params.csv", BARE);
        let values = folder.with("values.csv", &values(40));
        let encode = |key: Option<&str>, more: &[&str], to: &str| {
            let key = key.map(|key| folder.at(key));
            let secret: Vec<&str> =
                key.iter().flat_map(|key| ["--secret-file", key.as_str()]).collect();
            let output = folder.at(to);
            let given = ["encode", "--params", &params, &values, "-o", &output];
            done(&[&given[..], like, &secret, more].concat());
            folder.text(to)
        };
        let first = encode(Some("key"), &[], "1.csv");
        assert_eq!(encode(Some("key"), &[], "2.csv"), first);
        assert_ne!(encode(Some("key"), &["--metric", "other"], "3.csv"), first);
        assert_ne!(encode(Some("another key"), &[], "4.csv"), first);
        assert_ne!(encode(None, &[], "5.csv"), first);
        assert_ne!(encode(None, &[], "6.csv"), folder.text("5.csv"));
        // Cohorts are the clients', whatever is asked.
        let cohorts = |text: &str| -> Vec<String> {
            text.lines().map(|line| line.split(',').nth(1).unwrap().to_owned()).collect()
        };
        assert_eq!(cohorts(&folder.text("3.csv")), cohorts(&first));
    }
}

#[cfg(unix)]
#[test]
fn key_files_are_their_owner_s_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let (params, values) = (folder.with("params.csv", BARE), folder.with("values.csv", &values(3)));
    let (key, output) = (folder.at("key"), folder.at("reports.csv"));
    let arguments = ["encode", "--params", &params, &values, "--secret-file", &key, "-o", &output];
    done(&arguments);
    let mode = |path: &str| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&key), mode(&output)), (0o600, 0o600));
    std::fs::remove_file(&output).unwrap();
    std::fs::set_permissions(&key, PermissionsExt::from_mode(0o640)).unwrap();
    assert!(refused(&arguments).contains("mode 600"));
    assert!(!Path::new(&output).exists());
    let digits = "4".repeat(63);
    std::fs::write(&key, &digits).unwrap();
    std::fs::set_permissions(&key, PermissionsExt::from_mode(0o600)).unwrap();
    let why = refused(&arguments);
    assert!(why.contains("64 hexadecimal digits") && !why.contains("444"), "{why}");
    assert!(!folder.files().iter().any(|path| path.extension().is_some_and(|e| e == "partial")));
}

/// What is refused is named by its row, and is not quoted; and there is no output.
#[test]
fn what_is_refused_is_said_without_data() {
    let folder = Folder::new();
    let params = folder.with("params.csv", BARE);
    let (key, output) = (folder.at("key"), folder.at("out.csv"));
    let encode = |text: &str, more: &[&str]| {
        let values = folder.with("values.csv", text);
        let given = ["encode", "--params", &params, &values, "-o", &output];
        refused(&[&given[..], more].concat())
    };
    let secret = ["--secret-file", key.as_str()];
    for (why, says) in [
        (encode(&format!("client,cohort,value\na,1,x\nb,4,{CANARY}\n"), &[]), "row 2: cohort"),
        (encode(&format!("client,cohort,value\na,{CANARY},x\n"), &[]), "below 4"),
        (encode(&format!("client,text\na,{CANARY}\n"), &[]), "no column value"),
        (encode(&format!("value\n{CANARY}\n"), &secret), "no column client"),
        (encode(&format!("client,value\na,x\n,{CANARY}\n"), &secret), "row 2: client is missing"),
    ] {
        assert!(why.contains(says) && !why.contains(CANARY), "{why}");
        assert!(!Path::new(&output).exists());
    }
    let count = |text: &str| {
        let reports = folder.with("reports.csv", text);
        refused(&["count", "--params", &params, &reports, "-o", &output])
    };
    let bits = "0".repeat(16);
    for (why, says) in [
        (count(&format!("client,cohort,irr\na,0,{bits}\nb,0,{bits}1\n")), "row 2: irr"),
        (count(&format!("client,cohort,irr\na,9,{bits}\n")), "row 1: cohort"),
        (count(&format!("client,cohort,irr\na,0,{CANARY}\n")), "16 digits of 0 and 1"),
        (count("client,cohort\na,0\n"), "no column irr"),
    ] {
        assert!(why.contains(says) && !why.contains(CANARY), "{why}");
    }
    let wrong = folder.with("wrong.csv", "k,h,m,p,q,f\n16,2,4,0,1,7\n");
    let why = refused(&["map", "--params", &wrong, &wrong, "-o", &output]);
    assert!(why.contains("invalid f"), "{why}");
    let taken = folder.with("taken.csv", "");
    let values = folder.with("values.csv", &values(2));
    let why = refused(&["encode", "--params", &params, &values, "-o", &taken]);
    assert!(why.contains("is not written over"), "{why}");
}

/// The layout of the reference's simulations has more columns; numbers may be typed.
#[test]
fn reports_of_the_reference_s_simulation_are_counted() {
    let folder = Folder::new();
    let params = folder.with("params.csv", "k,h,m,p,q,f\n3,1,2,0.25,0.75,0.5\n");
    let reports =
        "client,cohort,bloom,prr,irr\r\n1,0,001,001,011\r\n1,0,001,001,001\r\n2,1,100,100,110\r\n";
    let reports = folder.with("reports.csv", reports);
    let counted = done(&["count", "--params", &params, &reports, &reports, "-o", "-"]);
    assert_eq!(counted, "4,4,2,0\n2,0,2,2\n");
    let json = folder.with("reports.jsonl", "{\"cohort\": 1, \"irr\": \"110\"}\n");
    assert_eq!(done(&["count", "--params", &params, &json, "-o", "-"]), "0,0,0,0\n1,0,1,1\n");
}
