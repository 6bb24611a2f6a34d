//! Answers are nowhere, and half a file is none.

use std::sync::Arc;
use std::time::Duration;

use arrow_array::{ArrayRef, RecordBatch};

use super::files::{batch, parquet};
use super::*;

/// Raw answers are nowhere: not in what is said, not in any file, whether it works or not.
#[test]
fn answers_never_leak() {
    let folder = Folder::new();
    let canaries = ANSWERS
        .replace("horse", CANARY)
        .replace(",x", &format!(",{CANARY}"))
        .replace("p2", CANARY)
        .replace("yes", CANARY);
    folder.write("answers.csv", &canaries);
    folder.write("twice.csv", &format!("{canaries}{CANARY},north,{CANARY},{CANARY},{CANARY},1\n"));
    folder.write("nameless.csv", &format!("{canaries},north,{CANARY},{CANARY},{CANARY},1\n"));
    folder.write("column.csv", &canaries.replace("transport", "transports"));
    folder.write("lines.jsonl", &format!("{{\"person\":\"{CANARY}\"\n{CANARY}\n"));
    folder.write("half.jsonl", &format!("{{\"person\":\"{CANARY}\",\"region\":1,\"moved\":\"{CANARY}\",\"transport\":1,\"apps\":2}}\n{{{CANARY}\n"));
    folder.write("none.parquet", CANARY);
    folder.write("none.arrow", CANARY);
    let mut types = batch(3);
    let dates: ArrayRef = Arc::new(arrow_array::BinaryArray::from(vec![CANARY.as_bytes(); 3]));
    let mut columns = types.columns().to_vec();
    columns[3] = dates;
    let mut fields: Vec<arrow_schema::Field> =
        types.schema().fields().iter().map(|f| f.as_ref().clone()).collect();
    fields[3] = arrow_schema::Field::new("transport", arrow_schema::DataType::Binary, true);
    types = RecordBatch::try_new(Arc::new(arrow_schema::Schema::new(fields)), columns).unwrap();
    parquet(&types, &folder.path("types.parquet"), 100);
    let whole = fs::read(folder.path("types.parquet")).unwrap();
    fs::write(folder.path("torn.parquet"), &whole[..whole.len() / 2]).unwrap();
    let inputs = [
        ("answers.csv", 0),
        ("twice.csv", 3),
        ("nameless.csv", 3),
        ("column.csv", 3),
        ("lines.jsonl", 3),
        ("half.jsonl", 3),
        ("none.parquet", 1),
        ("none.arrow", 1),
        ("types.parquet", 3),
        ("torn.parquet", 1),
        ("missing.csv", 1),
    ];
    for (input, code) in inputs {
        let done = folder.run(&["randomize", "survey.toml", input, "-o", "reports.csv"]);
        assert_eq!(
            done.status.code(),
            Some(code),
            "{input}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        assert!(!holds_canary(&done.stdout) && !holds_canary(&done.stderr), "{input}");
        assert_eq!(folder.path("reports.csv").exists(), code == 0, "{input}");
        assert!(!folder.names().iter().any(|name| name.ends_with(".partial")), "{input}");
        folder.assert_no_canary(&inputs.map(|(input, _)| input));
        let _ = fs::remove_file(folder.path("reports.csv"));
    }
    // A planted mistake: the check finds it where it is.
    assert!(holds_canary(&folder.read("answers.csv")));
}

/// Killed at any moment, it leaves a whole file or none.
#[cfg(unix)]
#[test]
fn killed_it_leaves_nothing_that_looks_like_a_result() {
    let folder = Folder::new();
    parquet(&batch(200_000), &folder.path("answers.parquet"), 1_000_000);
    folder.randomize("answers.parquet", "whole.arrow");
    let whole = folder.read("whole.arrow");
    let (mut killed, mut finished) = (0, 0);
    let mut wait = Duration::from_millis(1);
    while finished < 2 && killed < 200 {
        let arguments = ["randomize", "survey.toml", "answers.parquet", "-o", "reports.arrow"];
        let mut child = folder.command(&arguments).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(wait);
        child.kill().unwrap();
        child.wait().unwrap();
        if folder.path("reports.arrow").exists() {
            assert!(folder.read("reports.arrow") == whole);
            fs::remove_file(folder.path("reports.arrow")).unwrap();
            finished += 1;
        } else {
            killed += 1;
        }
        wait = wait.mul_f64(1.15) + Duration::from_millis(1);
    }
    assert!(killed > 0 && finished > 0, "{killed} {finished}");
    for name in folder.names() {
        let is_known = ["answers.parquet", "survey.toml", "whole.arrow"].contains(&name.as_str());
        assert!(is_known || (name.starts_with('.') && name.ends_with(".partial")), "{name}");
    }
}
