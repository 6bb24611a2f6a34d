//! Responses that are frozen.

use super::*;

/// With a small budget, so that two draws of 300 answers are equal once in 10^60.
fn doubtful(folder: &Folder) -> String {
    folder.write(
        "survey.toml",
        &CERTAIN.replace("epsilon = 200", "epsilon = 1").replace("epsilon = 1000", "epsilon = 2"),
    );
    let mut answers = String::from("person,region,moved,transport,apps\n");
    (0..300).for_each(|i| answers += &format!("p{i},north,yes,bus,maps\n"));
    folder.write("answers.csv", &answers);
    answers
}

#[test]
fn responses_are_frozen() {
    let folder = Folder::new();
    let answers = doubtful(&folder);
    let run = |input: &str, output: &str, more: &[&str]| {
        let arguments =
            [&["randomize", "survey.toml", input, "-o", output, "--memo", "key"][..], more]
                .concat();
        let done = folder.run(&arguments);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        csv_rows(&folder.read(output)).1
    };
    let first = run("answers.csv", "1.csv", &[]);
    assert_eq!(run("answers.csv", "2.csv", &[]), first);
    // Another answer, in another order, and others who are new.
    let changed = answers.replace("yes,bus,maps", "no,car,music");
    let mut rows: Vec<&str> = changed.lines().skip(1).collect();
    rows.reverse();
    let more: Vec<String> = (0..50).map(|i| format!("q{i},south,yes,bus,maps")).collect();
    let text =
        format!("person,region,moved,transport,apps\n{}\n{}\n", rows.join("\n"), more.join("\n"));
    folder.write("changed.csv", &text);
    let mut again = run("changed.csv", "3.csv", &[]);
    again.truncate(300);
    again.reverse();
    assert_eq!(again, first);
    // Without the memo, or with a new one, responses are drawn anew.
    folder.randomize("answers.csv", "4.csv");
    assert_ne!(csv_rows(&folder.read("4.csv")).1, first);
    for name in ["key", "key.responses"] {
        fs::remove_file(folder.path(name)).unwrap();
    }
    assert_ne!(run("answers.csv", "5.csv", &[]), first);
    // Only the owner reads key and responses, and neither names anybody.
    for name in ["key", "key.responses"] {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(
                fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777,
                0o600
            );
        }
        let bytes = folder.read(name);
        assert!(!bytes.windows(4).any(|window| window == b"p299"));
    }
}

#[test]
fn responses_to_each_answer_are_frozen_when_told() {
    let folder = Folder::new();
    let answers = doubtful(&folder);
    folder.write("changed.csv", &answers.replace("yes", "no"));
    let run = |input: &str, output: &str| {
        let done = folder.run(&[
            "randomize",
            "survey.toml",
            input,
            "-o",
            output,
            "--memo",
            "key",
            "--memo-answers",
        ]);
        assert!(done.status.success());
        assert!(String::from_utf8_lossy(&done.stderr).contains("reveals that an answer changed"));
        csv_rows(&folder.read(output)).1
    };
    let first = run("answers.csv", "1.csv");
    let changed = run("changed.csv", "2.csv");
    assert_ne!(changed, first);
    assert_eq!(run("answers.csv", "3.csv"), first);
    assert_eq!(run("changed.csv", "4.csv"), changed);
    // What did not change is the same.
    let transport = |rows: &[String]| {
        rows.iter().map(|row| row.split(',').nth(2).unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(transport(&changed), transport(&first));
}

#[test]
fn a_memo_needs_people_and_its_files() {
    let folder = Folder::new();
    folder.write("answers.csv", ANSWERS);
    let arguments =
        ["randomize", "survey.toml", "answers.csv", "-o", "reports.csv", "--memo", "key"];
    folder.write("key", "short");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert!(folder.refused(&arguments, 3).contains("accepted is a file with mode 600"));
        fs::set_permissions(folder.path("key"), PermissionsExt::from_mode(0o600)).unwrap();
    }
    assert!(folder.refused(&arguments, 3).contains("this is no key"));
    fs::remove_file(folder.path("key")).unwrap();
    folder.write("key.responses", "not ours, not ours");
    assert!(folder.refused(&arguments, 3).contains("no file of responses"));
    folder.write("survey.toml", &CERTAIN.replace("id = \"person\"", ""));
    assert!(folder.refused(&arguments, 3).contains("`id`"));
    assert!(!folder.path("reports.csv").exists());
}

/// Without one of both nobody would be recognized, and all would spend again.
#[test]
fn a_key_or_responses_that_are_lost_are_not_made_anew() {
    let folder = Folder::new();
    doubtful(&folder);
    fn arguments(output: &str) -> [&str; 7] {
        ["randomize", "survey.toml", "answers.csv", "-o", output, "--memo", "key"]
    }
    let rows = |output: &str| {
        assert!(folder.run(&arguments(output)).status.success());
        csv_rows(&folder.read(output)).1
    };
    let first = rows("1.csv");
    for (lost, says) in [
        ("key", "key: this key is gone"),
        ("key.responses", "key.responses: the responses of the key key are gone"),
    ] {
        fs::rename(folder.path(lost), folder.path("kept")).unwrap();
        let before = folder.names();
        let said = folder.refused(&arguments("2.csv"), 3);
        assert!(said.contains(says) && said.contains("asked afresh and spend again"), "{said}");
        assert_eq!(folder.names(), before);
        fs::rename(folder.path("kept"), folder.path(lost)).unwrap();
        // As it was, it goes on.
        assert_eq!(rows("2.csv"), first);
        fs::remove_file(folder.path("2.csv")).unwrap();
    }
    // Whoever knows what that means can begin anew.
    fs::remove_file(folder.path("key")).unwrap();
    fs::remove_file(folder.path("key.responses")).unwrap();
    assert_ne!(rows("2.csv"), first);
    // What a crash of the first run leaves: responses of nobody, and no key yet.
    fs::remove_file(folder.path("key")).unwrap();
    folder.write("key.responses", "deniable memo 1\n");
    let again = rows("3.csv");
    assert_eq!(rows("4.csv"), again);
}

/// A response is only that of the question it was drawn for, and another one is not drawn in silence.
#[test]
fn a_question_with_a_memo_stays_as_it_is() {
    let folder = Folder::new();
    folder.write("answers.csv", ANSWERS);
    let run = |output: &str| {
        folder.run(&["randomize", "survey.toml", "answers.csv", "-o", output, "--memo", "key"])
    };
    assert!(run("1.csv").status.success());
    for (from, to) in
        [("[\"car\", \"bus\"]", "[\"bus\", \"car\"]"), ("epsilon = 200", "epsilon = 5")]
    {
        folder.write("survey.toml", &CERTAIN.replace(from, to));
        let done = run("2.csv");
        assert_eq!(done.status.code(), Some(3));
        assert!(
            String::from_utf8_lossy(&done.stderr).contains("asked before with other parameters")
        );
        assert!(!folder.path("2.csv").exists());
    }
    // Other words around it do not matter.
    folder.write("survey.toml", &CERTAIN.replace("version = 1", "version = 1\ntitle = \"New\""));
    assert!(run("3.csv").status.success());
}

/// Else a person who writes the same answer in many ways would be averaged.
#[test]
fn an_answer_is_the_same_however_it_is_written() {
    let folder = Folder::new();
    let answers = doubtful(&folder);
    folder.write("written.csv", &answers.replace("yes,bus,maps", "Y , bus ,maps;;hiking"));
    let run = |input: &str, output: &str| {
        let memo = ["--memo", "key", "--memo-answers"];
        let all = [&["randomize", "survey.toml", input, "-o", output][..], &memo].concat();
        assert!(folder.run(&all).status.success());
        csv_rows(&folder.read(output)).1
    };
    assert_eq!(run("answers.csv", "1.csv"), run("written.csv", "2.csv"));
}
