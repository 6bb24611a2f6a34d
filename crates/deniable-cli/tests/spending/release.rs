use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::Folder;

/// So little noise that the numbers come out as they are: the chance of one that differs is below 10⁻⁴⁰.
const NEARLY_NONE: &str = "--scale 0.01";

fn lines(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split(',').collect()).collect()
}

fn numbers(text: &str, column: usize) -> Vec<f64> {
    lines(text)[1..].iter().map(|line| line[column].parse().unwrap()).collect()
}

#[test]
fn a_table_keeps_its_labels_and_says_what_it_costs() {
    let folder = Folder::new().with("a.csv", "town,n,secret,m\nX,10,7,1.5\nY,20,8,-2\n");
    let line = "release a.csv --columns m,n --keep town --sensitivity 1 --scale 1e-300";
    let said = folder.json(&format!("{line} -o b.csv"));
    let released = folder.read("b.csv");
    assert_eq!(released, "town,m,n\nX,1.5,10.0\nY,-2.0,20.0\n");
    assert_eq!(said["epsilon"].as_f64(), Some(1e300));
    assert_eq!(
        (&said["rows"], &said["numbers"], &said["k"]),
        (&json!(2), &json!(4), &json!(-1074))
    );

    let noisy = "release a.csv --columns n --sensitivity 1 --epsilon 0.1 --output c.jsonl";
    let said = folder.run(noisy);
    assert!(said.out.contains("\nepsilon      0.10000000000000001\n"), "{}", said.out);
    assert!(said.out.contains("tables with the same rows"));
    assert_eq!(folder.read("c.jsonl").lines().count(), 2);
    assert_eq!(folder.names(), ["a.csv", "b.csv", "c.jsonl"]);
}

#[test]
fn every_cell_is_a_number() {
    let cells = ["", "no number", "NaN", "inf", "-1e999", " 3 ", "0x10", "5", "\"1,5\""];
    let column = cells.iter().map(|cell| format!("{cell},z\n")).collect::<String>();
    let folder = Folder::new().with("a.csv", &format!("n,z\n{column}"));
    let line = "release a.csv --columns n --sensitivity 1 --scale 1e-300 -o b.csv";
    assert_eq!(folder.run(line).code, 0);
    let expected = [0.0, 0.0, 0.0, f64::MAX, -f64::MAX, 3.0, 0.0, 5.0, 0.0];
    let found = numbers(&folder.read("b.csv"), 0);
    let near = |(found, expected): (&f64, &f64)| (found - expected).abs() < 1e-200;
    assert!(found.len() == 9 && found.iter().zip(&expected).all(near), "{found:?}");

    // Lines of JSON that have no such cell, or are no objects at all.
    let folder =
        folder.with("a.jsonl", "{\"n\":1}\n{\"m\":2}\nno JSON\n{\"n\":null}\n{\"n\":\"4\"}\n");
    assert_eq!(folder.run(&line.replace("csv", "jsonl")).code, 0);
    let found: Vec<f64> = folder
        .read("b.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["n"].as_f64().unwrap())
        .collect();
    assert!(found.iter().zip(&[1.0, 0.0, 0.0, 0.0, 4.0]).all(near), "{found:?}");
}

#[test]
fn columns_of_all_formats_and_types_are_read() {
    let folder = Folder::new().with("a.csv", "town,n\nX,1\nX,\nY,3.5\n").with("keys.txt", "X\nY\n");
    let mut input = "a.csv".to_owned();
    for output in ["b.parquet", "c.arrow", "d.jsonl.gz", "e.csv.zst", "f.csv"] {
        let line = "--columns n --keep town --sensitivity 1 --scale 1e-300 -o";
        assert_eq!(folder.run(&format!("release {input} {line} {output}")).code, 0, "{output}");
        let line = format!("release {output} --count-by town --keys keys.txt {NEARLY_NONE} -o");
        assert_eq!(folder.run(&format!("{line} counts-{output}")).code, 0, "{output}");
        assert_eq!(folder.run(&format!("{line} {output}-counts.csv")).code, 0);
        let counts = folder.read(&format!("{output}-counts.csv"));
        assert_eq!(counts, "key,count\nX,2\nY,1\n", "{output}");
        input = output.to_owned();
    }
    let found = numbers(&folder.read("f.csv"), 1);
    assert!(found[0] == 1.0 && found[1].abs() < 1e-200 && found[2] == 3.5, "{found:?}");
    // A column of whole numbers has keys, one of floats has none.
    let folder = folder.with("keys.txt", "1\n2\n");
    let line = format!("--keys keys.txt {NEARLY_NONE} -o g.csv");
    folder.refused(
        &format!("release b.parquet --count-by n {line}"),
        3,
        "accepted are texts, whole",
    );
    assert_eq!(folder.run(&format!("release counts-b.parquet --count-by count {line}")).code, 0);
    assert_eq!(folder.read("g.csv"), "key,count\n1,1\n2,1\n");
}

#[test]
fn a_coarse_grid_costs_more_for_more_numbers() {
    let folder = Folder::new().with("a.csv", "n\n1.2\n2.6\n3\n").with("b.csv", "n\n4\n");
    let line = "release a.csv b.csv --columns n --sensitivity 1 -k 0";
    let said = folder.json(&format!("{line} --scale 0.01 -o c.csv"));
    // A distance of 1 moves up to four numbers by a step each.
    assert_eq!((&said["epsilon"], &said["k"]), (&json!(400.0), &json!(0)));
    assert_eq!(folder.read("c.csv"), "n\n1.0\n3.0\n3.0\n4.0\n");
    let said = folder.json(&format!("{line} --epsilon 2 -o d.csv"));
    assert_eq!((&said["epsilon"], &said["scale"]), (&json!(2.0), &json!(2.0)));
    folder.refused(
        "release - --format csv --columns n --sensitivity 1 -k 0 --scale 1 -o e.csv",
        3,
        "only once",
    );
}

#[test]
fn noise_is_drawn_anew_for_every_number() {
    let column = "5\n".repeat(200);
    let folder = Folder::new().with("a.csv", &format!("n\n{column}"));
    let release = |out: &str| {
        let line = format!("release a.csv --columns n --sensitivity 1 --scale 1e6 -o {out}");
        assert_eq!(folder.run(&line).code, 0);
        numbers(&folder.read(out), 0)
    };
    let (first, second) = (release("b.csv"), release("c.csv"));
    // Two are equal with a probability far below 10⁻¹² each, and all are on one side of 5 with one of 2⁻¹⁹⁸.
    let mut all = [first.clone(), second].concat();
    all.sort_by(f64::total_cmp);
    all.dedup();
    assert_eq!(all.len(), 400);
    assert!(first.iter().any(|&x| x > 5.0) && first.iter().any(|&x| x < 5.0));
}

#[test]
fn counts_are_those_of_the_keys() {
    let folder = Folder::new()
        .with("a.csv", "id,town\n1,York\n2,Bath\n3,York\n4,\n5,Rome\n6\n7,york\n")
        .with("b.csv", "town\nYork\n")
        .with("keys.txt", "Leeds\r\nYork\r\n\r\nBath\r\n");
    let line = format!("release a.csv b.csv --count-by town --keys keys.txt {NEARLY_NONE}");
    let said = folder.json(&format!("{line} -o c.csv"));
    assert_eq!(folder.read("c.csv"), "key,count\nLeeds,0\nYork,3\nBath,1\n");
    assert_eq!(folder.run(&format!("{line} --other elsewhere -o d.csv")).code, 0);
    assert_eq!(folder.read("d.csv"), "key,count\nLeeds,0\nYork,3\nBath,1\nelsewhere,4\n");
    assert_eq!(folder.run(&format!("{line} --other Leeds -o e.csv")).code, 0);
    assert_eq!(folder.read("e.csv"), "key,count\nLeeds,4\nYork,3\nBath,1\n");
    assert_eq!((&said["sensitivity"], &said["neighbours"]), (&json!(1), &json!("add-remove")));
    assert_eq!(said["epsilon"], json!(100.0));
}

#[test]
fn the_sensitivity_of_counts_follows_from_the_neighbours() {
    let folder = Folder::new().with("a.csv", "town\nX\n").with("keys.txt", "X\n");
    let mut out = 0;
    let mut release = |options: &str| {
        out += 1;
        folder
            .json(&format!("release a.csv --count-by town --keys keys.txt {options} -o {out}.csv"))
    };
    for (options, sensitivity, epsilon) in [
        ("--scale 2", 1, 0.5),
        ("--scale 2 --rows-per-person 3", 3, 1.5),
        ("--scale 2 --neighbours replace", 2, 1.0),
        ("--scale 2 --neighbours replace --rows-per-person 3", 6, 3.0),
    ] {
        let said = release(options);
        assert_eq!(
            (&said["sensitivity"], &said["epsilon"]),
            (&json!(sensitivity), &json!(epsilon))
        );
    }
    let said = release("--epsilon 0.5 --rows-per-person 3 --neighbours replace");
    assert_eq!((&said["scale"], &said["epsilon"]), (&json!(12.0), &json!(0.5)));
    assert_eq!((&said["rows_per_person"], &said["neighbours"]), (&json!(3), &json!("replace")));
    let line =
        "release a.csv --count-by town --keys keys.txt --scale 2 --rows-per-person 3 -o t.csv";
    let text = folder.run(line).out;
    assert!(text.contains("files with and without the rows of one person, at most 3\n"), "{text}");
}

/// Files of 3 and of 3000 rows: all that is said of them is the same.
#[test]
fn nothing_tells_how_many_rows_were_counted() {
    let folder = Folder::new().with("keys.txt", "X\nY\n");
    let mut said = Vec::new();
    for rows in [3, 3000] {
        let folder = Folder(tempfile::tempdir_in(folder.0.path()).unwrap())
            .with("a.csv", &format!("town\n{}", "X\n".repeat(rows)))
            .with("keys.txt", "X\nY\n");
        for json in ["", "--json"] {
            let line = "release a.csv --count-by town --keys keys.txt --epsilon 0.5 -o b.csv";
            let all = folder.run(&format!("{line} {json}"));
            said.push((all.code, all.out, all.err, folder.names()));
            fs::remove_file(folder.path("b.csv")).unwrap();
        }
    }
    assert_eq!(said[..2], said[2..]);
}

/// Whether any row has the column can be a matter of one person's rows.
#[test]
fn a_file_without_a_person_is_counted_as_one_with_them() {
    for rows in ["{\"town\":\"X\"}\n", "", "{\"id\":1}\n"] {
        let folder = Folder::new().with("a.jsonl", rows).with("keys.txt", "X\nY\n");
        let line = "release a.jsonl --count-by town --keys keys.txt --epsilon 0.5 -o b.csv";
        let said = folder.run(line);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{rows}");
    }
}

#[test]
fn what_is_refused_is_refused_before_anything_is_spent() {
    let folder = Folder::new()
        .with("a.csv", "town,n,n2,n2\nX,1,1,1\n")
        .with("b.csv", "town\nX\n")
        .with("keys.txt", "X\n")
        .with("none.txt", "\n\n")
        .with("twice.txt", "X\nY\nX\n")
        .with("there.csv", "");
    assert_eq!(folder.run("ledger init spent.jsonl --budget people=1").code, 0);
    let names = folder.names();
    let (table, counts) = ("--columns n --sensitivity 1", "--count-by town --keys keys.txt");
    for (arguments, code, words) in [
        (format!("a.csv {table} --epsilon 1 -o there.csv"), 3, "this file exists"),
        (format!("a.csv {counts} --epsilon 1 -o there.csv"), 3, "this file exists"),
        (format!("a.csv b.csv {table} --epsilon 1 -o o.csv"), 3, "column \"n\": it is not there"),
        (format!("a.csv {table} --epsilon 0 -o o.csv"), 3, "--epsilon"),
        (format!("a.csv {table} --scale 0 -o o.csv"), 3, "--scale"),
        (format!("a.csv {table} --scale 5e-324 -o o.csv"), 3, "nothing bounds what is lost"),
        (format!("a.csv {table} --epsilon 1 --scale 1 -o o.csv"), 2, "--scale"),
        (format!("a.csv {table} -o o.csv"), 2, "--epsilon"),
        (format!("a.csv {table} {counts} --epsilon 1 -o o.csv"), 2, "cannot be used with"),
        ("a.csv --columns n --epsilon 1 -o o.csv".to_owned(), 2, "--sensitivity"),
        ("a.csv --columns n --sensitivity -1 --epsilon 1 -o o.csv".to_owned(), 3, "--sensitivity"),
        ("a.csv --columns n --sensitivity 0 --epsilon 1 -o o.csv".to_owned(), 3, "--sensitivity"),
        (format!("a.csv {counts} --sensitivity 1 --epsilon 1 -o o.csv"), 2, "cannot be used with"),
        (format!("a.csv {counts} -k 0 --epsilon 1 -o o.csv"), 2, "cannot be used with"),
        (format!("a.csv {counts} --keep n --epsilon 1 -o o.csv"), 2, "cannot be used with"),
        (format!("a.csv {table} --other X --epsilon 1 -o o.csv"), 2, "cannot be used with"),
        (
            format!("a.csv {table} --neighbours replace --epsilon 1 -o o.csv"),
            2,
            "cannot be used with",
        ),
        (
            format!("a.csv {table} --rows-per-person 2 --epsilon 1 -o o.csv"),
            2,
            "cannot be used with",
        ),
        ("a.csv --columns n2 --sensitivity 1 --epsilon 1 -o o.csv".to_owned(), 3, "there twice"),
        ("a.csv --columns n,n --sensitivity 1 --epsilon 1 -o o.csv".to_owned(), 3, "there twice"),
        (format!("a.csv {table} --keep n --epsilon 1 -o o.csv"), 3, "there twice"),
        (format!("a.csv {table} --keep none --epsilon 1 -o o.csv"), 3, "\"none\": it is not there"),
        ("a.csv --count-by none --keys keys.txt --epsilon 1 -o o.csv".to_owned(), 3, "not there"),
        ("a.csv --count-by town --keys none.txt --epsilon 1 -o o.csv".to_owned(), 3, "no keys"),
        ("a.csv --count-by town --keys twice.txt --epsilon 1 -o o.csv".to_owned(), 3, "line 3"),
        ("a.csv --count-by town --epsilon 1 -o o.csv".to_owned(), 2, "--keys"),
        (format!("a.csv {counts} --rows-per-person 0 --epsilon 1 -o o.csv"), 2, "rows-per-person"),
        (
            format!(
                "a.csv {counts} --rows-per-person 9223372036854775808 --neighbours replace --epsilon 1 -o o.csv"
            ),
            3,
            "below 2^63",
        ),
        (format!("none.csv {table} --epsilon 1 -o o.csv"), 1, "none.csv: "),
        (format!("a.csv {table} --epsilon 1.5 -o o.csv"), 4, "0 of 1 is spent"),
        (format!("a.csv {counts} --epsilon 1.5 -o o.csv"), 4, "0 of 1 is spent"),
    ] {
        let line = format!("release {arguments} --ledger spent.jsonl --data people");
        folder.refused(&line, code, words);
        assert_eq!(folder.names(), names, "{line}");
    }
    assert_eq!(folder.json("ledger show spent.jsonl")["entries"], json!([]));
    folder.refused(
        &format!("release a.csv {table} --epsilon 1 -o o.csv --ledger spent.jsonl"),
        2,
        "--data",
    );
}

#[test]
fn the_ledger_is_debited_with_what_was_lost() {
    let folder = Folder::new().with("a.csv", "n\n1\n").with("keys.txt", "1\n");
    assert_eq!(folder.run("ledger init spent.jsonl --budget people=1").code, 0);
    let ledger = "--ledger spent.jsonl --data people";
    let said = folder
        .json(&format!("release a.csv --columns n --sensitivity 1 --scale 4 -o b.csv {ledger}"));
    assert_eq!((&said["epsilon"], &said["spent_in_total"]), (&json!(0.25), &json!(0.25)));
    let counts = format!("release a.csv --count-by n --keys keys.txt --epsilon 0.75 {ledger}");
    assert_eq!(folder.json(&format!("{counts} -o c.csv"))["spent_in_total"], json!(1.0));
    folder.refused(&format!("{counts} -o d.csv"), 4, "1 of 1 is spent");
    let entries = folder.json("ledger show spent.jsonl")["entries"].clone();
    assert_eq!(
        (&entries[0]["what"], &entries[1]["epsilon"]),
        (&json!("release b.csv"), &json!(0.75))
    );
    assert_eq!(folder.names(), ["a.csv", "b.csv", "c.csv", "keys.txt", "spent.jsonl"]);
}

/// Rows on the standard output, and what is said of them on the standard error.
#[test]
fn the_standard_output_has_the_rows_alone() {
    let folder = Folder::new().with("a.csv", "n\n1\n");
    let line = "release a.csv --columns n --sensitivity 1 --scale 1e-300 --to csv -o -";
    let said = folder.run(line);
    assert_eq!((said.code, said.out.as_str()), (0, "n\n1.0\n"));
    assert!(said.err.contains("epsilon "));
}

#[test]
fn no_value_is_found_anywhere() {
    let canaries = ["CANARY-71937", "71937193.5"];
    let folder = Folder::new().with("keys.txt", "X\n").with("other.csv", "other\n");
    let [text, number] = canaries;
    let csv = format!("town,n,id\n{text},{number},1\nX,{text},2\n\"{text},{number},3\n");
    fs::create_dir(folder.path("in")).unwrap();
    let folder = folder
        .with("in/a.csv", &csv)
        .with("in/a.jsonl", &format!("{{\"town\":\"{text}\",\"n\":{number}}}\n{text}\n"))
        .with("in/a.parquet", &csv)
        .with("in/a.arrow", &csv)
        .with("in/a.csv.gz", &csv);
    assert_eq!(folder.run("ledger init spent.jsonl --budget people=9").code, 0);
    for (i, input) in ["a.csv", "a.jsonl", "a.parquet", "a.arrow", "a.csv.gz"].iter().enumerate() {
        for (j, form) in [
            "--columns n --sensitivity 1e9 --epsilon 1",
            "--columns n --sensitivity 1e9 --epsilon 1 -k 0 --json",
            "--columns town --sensitivity 1e9 --epsilon 1 --ledger spent.jsonl --data people",
            "--count-by town --keys keys.txt --epsilon 1 --json",
            "--count-by n --keys keys.txt --other rest --epsilon 1 --ledger spent.jsonl --data people",
            "--columns none --sensitivity 1 --epsilon 1",
        ]
        .iter()
        .enumerate()
        {
            let said = folder.run(&format!("release in/{input} {form} -o {i}{j}.csv"));
            // Text is no Parquet, no Arrow and not compressed.
            assert_eq!(said.code, if i > 1 { 1 } else if j == 5 { 3 } else { 0 }, "{input} {form}");
            for canary in canaries {
                assert!(!format!("{}{}", said.out, said.err).contains(canary), "{input} {form}");
            }
        }
    }
    for name in folder.names().iter().filter(|name| *name != "in") {
        let text = folder.read(name);
        assert!(canaries.iter().all(|canary| !name.contains(canary) && !text.contains(canary)));
    }
    assert!(folder.names().iter().all(|name| !name.contains("partial")));
}

/// While the ledger cannot be written, there is no row and no result, wherever it goes.
#[test]
fn nothing_is_seen_before_it_is_paid_for() {
    // More rows than any buffer holds.
    let rows = 100_000;
    let keys: String = (0..rows).map(|key| format!("{key}\n")).collect();
    let folder = Folder::new().with("a.csv", &format!("n\n{keys}")).with("keys.txt", &keys);
    assert_eq!(folder.run("ledger init spent.jsonl --budget people=100").code, 0);
    let lock = fs::File::open(folder.path("spent.jsonl")).unwrap();
    lock.lock().unwrap();
    let (table, counts) = ("--columns n --sensitivity 1", "--count-by n --keys keys.txt");
    let run = |(i, form): (usize, &str)| {
        let output = if i % 2 == 0 { "-o - --to csv".to_owned() } else { format!("-o {i}.csv") };
        let line =
            format!("release a.csv {form} --epsilon 1 {output} --ledger spent.jsonl --data people");
        let stdout = fs::File::create(folder.path(&format!("{i}.out"))).unwrap();
        folder.command(&line).stdout(stdout).stderr(Stdio::null()).spawn().unwrap()
    };
    let forms = [table, table, counts, counts, "--columns n --sensitivity 1 -k 0"];
    let mut children: Vec<_> = forms.into_iter().enumerate().map(run).collect();
    let partials = || folder.names().iter().filter(|name| name.ends_with(".partial")).count();
    let start = Instant::now();
    while partials() < 2 {
        assert!(start.elapsed() < Duration::from_secs(60), "they do not wait for the ledger");
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_secs(1));
    assert!(children.iter_mut().all(|child| child.try_wait().unwrap().is_none()));
    for name in folder.names() {
        assert!(!name.ends_with(".csv") || name == "a.csv", "{name}");
        if name.ends_with(".partial") || name.ends_with(".out") {
            assert!(folder.read(&name).lines().count() <= 1, "{name}");
        }
    }
    children.iter_mut().for_each(|child| child.kill().unwrap());
    for mut child in children {
        child.wait().unwrap();
    }
    lock.unlock().unwrap();
    assert_eq!(folder.json("ledger show spent.jsonl")["entries"], json!([]));
}

/// Killed at any moment, what is there is whole and was paid for.
#[test]
fn a_kill_leaves_a_whole_ledger_and_no_half_result() {
    let rows = 20_000;
    let folder = Folder::new().with("a.csv", &format!("n\n{}", "1\n".repeat(rows)));
    assert_eq!(folder.run("ledger init spent.jsonl --budget people=100").code, 0);
    let line = |out: &str| {
        format!(
            "release a.csv --columns n --sensitivity 1 --epsilon 1 -o {out} --ledger spent.jsonl --data people"
        )
    };
    let start = Instant::now();
    assert_eq!(folder.run(&line("first.csv")).code, 0);
    let whole = start.elapsed();
    let (rounds, mut done) = (60, 1);
    for round in 0..rounds {
        let out = format!("{round}.csv");
        let mut child = folder.command(&line(&out)).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole * round / rounds + Duration::from_micros(50));
        let _ = child.kill();
        child.wait().unwrap();
        let shown = folder.json("ledger show spent.jsonl");
        let entries = shown["entries"].as_array().unwrap();
        if folder.path(&out).exists() {
            done += 1;
            assert_eq!(folder.read(&out).lines().count(), rows + 1);
            assert_eq!(entries.last().unwrap()["what"], json!(format!("release {out}")));
        }
        assert!(entries.len() >= done && entries.len() <= round as usize + 2);
        let parts = folder.names().into_iter().filter(|name| name.contains(&out) && *name != out);
        // A part of a result has a name that says so, has noise from the first byte on, and was paid for.
        for name in parts {
            assert!(name.starts_with('.') && name.ends_with(".partial"), "{name}");
            let paid = entries.iter().any(|entry| entry["what"] == json!(format!("release {out}")));
            assert!(paid || folder.read(&name).lines().count() <= 1);
        }
    }
}
