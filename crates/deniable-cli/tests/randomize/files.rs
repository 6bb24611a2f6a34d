//! Files of all formats, and what is seen of them in the reports.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;

use super::*;

fn gzip(text: &str, path: &Path) {
    let mut writer =
        flate2::write::GzEncoder::new(File::create(path).unwrap(), flate2::Compression::fast());
    writer.write_all(text.as_bytes()).unwrap();
    writer.finish().unwrap();
}

pub(super) fn batch(rows: usize) -> RecordBatch {
    let of = |values: [Option<&str>; 3]| -> ArrayRef {
        Arc::new((0..rows).map(|i| values[i % 3]).collect::<StringArray>())
    };
    let people: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..rows).map(|i| format!("p{}", i + 1))));
    let moved = [Some(true), Some(false), None];
    let moved: ArrayRef = Arc::new((0..rows).map(|i| moved[i % 3]).collect::<BooleanArray>());
    RecordBatch::try_from_iter_with_nullable([
        ("person", people, false),
        ("region", of([Some("north"), Some("south"), Some("north")]), false),
        ("moved", moved, true),
        ("transport", of([Some("bus"), Some("horse"), Some("car")]), true),
        ("apps", of([Some("maps;mail"), None, Some("music;mail;maps")]), true),
        ("extra", Arc::new(Float64Array::from(vec![0.5; rows])) as ArrayRef, true),
    ])
    .unwrap()
}

pub(super) fn parquet(batch: &RecordBatch, path: &Path, group: usize) {
    let properties = parquet::file::properties::WriterProperties::builder()
        .set_max_row_group_row_count(Some(group));
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties.build())).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

fn arrow(batch: &RecordBatch, path: &Path, rows: usize) {
    let mut writer =
        arrow_ipc::writer::FileWriter::try_new(File::create(path).unwrap(), &batch.schema())
            .unwrap();
    for start in (0..batch.num_rows()).step_by(rows) {
        writer.write(&batch.slice(start, rows.min(batch.num_rows() - start))).unwrap();
    }
    writer.finish().unwrap();
}

/// The same answers from files of all formats, layouts and types give the same bytes: nothing else of the input is in them.
#[test]
fn bytes_depend_on_reports_survey_and_rows_alone() {
    let folder = Folder::new();
    let jsonl = "\
{\"person\":1,\"region\":\"north\",\"moved\":true,\"transport\":\"bus\",\"apps\":[\"maps\",\"mail\"]}
{\"person\":\"b\",\"region\":\"south\",\"moved\":0,\"transport\":{\"a\":1},\"apps\":\"\"}

{\"person\":\"c\",\"region\":\"north\",\"transport\":\" car \",\"apps\":[\"mail\",\"mail\",\"maps\",7]}
";
    folder.write("answers.csv", ANSWERS);
    folder.write("quoted.csv", "moved,apps,\"transport\",region,person,\"a\nb\"\r\ntrue,\"mail; maps\",bus,north,1,\"\"\"\"\r\n0,cat,,south,2\r\nperhaps,maps;mail,car,north,3,4,5,6\r\n");
    folder.write("answers.jsonl", jsonl);
    gzip(ANSWERS, &folder.path("answers.csv.gz"));
    gzip(jsonl, &folder.path("lines.ndjson.gz"));
    fs::write(folder.path("answers.csv.zst"), zstd::encode_all(ANSWERS.as_bytes(), 1).unwrap())
        .unwrap();
    parquet(&batch(3), &folder.path("answers.parquet"), 2);
    arrow(&batch(3), &folder.path("answers.arrow"), 1);
    let inputs = [
        "answers.csv",
        "quoted.csv",
        "answers.jsonl",
        "answers.csv.gz",
        "lines.ndjson.gz",
        "answers.csv.zst",
        "answers.parquet",
        "answers.arrow",
    ];
    for output in
        ["out.csv", "out.jsonl", "out.parquet", "out.arrow", "out.csv.gz", "out.jsonl.zst"]
    {
        let mut first: Option<Vec<u8>> = None;
        for input in inputs {
            folder.randomize(input, output);
            let bytes = folder.read(output);
            fs::remove_file(folder.path(output)).unwrap();
            // A dictionary's type for public columns is passed on as it is; all of these are texts.
            assert_eq!(&bytes, first.get_or_insert_with(|| bytes.clone()), "{input} {output}");
        }
    }
    // A planted mistake: another answer is seen.
    folder.write("other.csv", &ANSWERS.replace("horse", "car"));
    folder.randomize("answers.csv", "a.arrow");
    folder.randomize("other.csv", "b.arrow");
    assert_ne!(folder.read("a.arrow"), folder.read("b.arrow"));
}

/// Batches of the input, which nobody is to see, in files that are longer than a batch.
#[test]
fn long_files_do_not_show_their_batches() {
    let folder = Folder::new();
    let all = batch(150_000);
    parquet(&all, &folder.path("a.parquet"), 1_000_000);
    parquet(&all, &folder.path("b.parquet"), 7_000);
    arrow(&all, &folder.path("c.arrow"), 33_333);
    parquet(&all.slice(0, 100_001), &folder.path("part-1.parquet"), 1_000_000);
    parquet(&all.slice(100_001, 49_999), &folder.path("part-2.parquet"), 1_000_000);
    for output in ["out.parquet", "out.arrow"] {
        let mut first: Option<Vec<u8>> = None;
        for input in ["a.parquet", "b.parquet", "c.arrow", "part-*.parquet"] {
            folder.randomize(input, output);
            let bytes = folder.read(output);
            fs::remove_file(folder.path(output)).unwrap();
            assert!(&bytes == first.get_or_insert_with(|| bytes.clone()), "{input} {output}");
        }
    }
}

/// A report of a long list, in bytes.
const LONG: usize = 25_000;

/// A survey with a long list, and answers to it.
fn long_list(rows: usize) -> Folder {
    let folder = Folder::new();
    let choices: Vec<String> = (0..8 * LONG).map(|i| format!("\"{i}\"")).collect();
    let question = "name = \"list\"\nkind = \"several\"\nmost = 1\nepsilon = 1000";
    let survey =
        format!("version = 1\n[[question]]\n{question}\nchoices = [{}]", choices.join(","));
    folder.write("survey.toml", &survey);
    let answers: Vec<String> = (0..rows).map(|i| i.to_string()).collect();
    folder.write("answers.csv", &format!("list\n{}\n", answers.join("\n")));
    let column: ArrayRef = Arc::new(StringArray::from(answers));
    let answers = RecordBatch::try_from_iter([("list", column)]).unwrap();
    arrow(&answers, &folder.path("answers.arrow"), rows);
    folder
}

/// Few reports of a long list are in memory at a time, and how many is a matter of the survey alone.
#[test]
fn long_lists_are_in_small_batches() {
    // What the reports of a batch, and of a group of Parquet, may take.
    let (batch_rows, group_rows) = ((1 << 25) / LONG, (1 << 27) / LONG);
    let rows = 2 * batch_rows + 7;
    let folder = long_list(rows);
    folder.randomize("answers.csv", "a.arrow");
    folder.randomize("answers.arrow", "b.arrow");
    assert!(folder.read("a.arrow") == folder.read("b.arrow"));
    let reports = File::open(folder.path("a.arrow")).unwrap();
    let reports = arrow_ipc::reader::FileReader::try_new(reports, None).unwrap();
    let lengths: Vec<usize> = reports.map(|batch| batch.unwrap().num_rows()).collect();
    assert_eq!(lengths, [batch_rows, batch_rows, 7]);

    folder.randomize("answers.*", "c.parquet");
    let reports = File::open(folder.path("c.parquet")).unwrap();
    let reports =
        parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(reports).unwrap();
    let groups = reports.metadata().row_groups().iter();
    let groups: Vec<i64> = groups.map(|group| group.num_rows()).collect();
    assert_eq!(groups, [group_rows as i64, (2 * rows - group_rows) as i64]);
}

/// 500 MB of reports, made and counted in 400 MB of memory.
#[cfg(target_os = "linux")]
#[test]
fn long_lists_are_made_and_counted_in_little_memory() {
    let folder = long_list(20_000);
    let run = |line: &str| {
        let limited = format!("ulimit -d 400000; exec {} {line}", env!("CARGO_BIN_EXE_deniable"));
        let mut command = Command::new("sh");
        command.args(["-c", &limited]).current_dir(folder.0.path()).env("RAYON_NUM_THREADS", "1");
        let done = command.stdin(Stdio::null()).output().unwrap();
        assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
        done.stdout
    };
    run("randomize survey.toml answers.csv -o 1.parquet");
    run("randomize survey.toml answers.arrow -o 2.parquet");
    let counts = run("count survey.toml 1.parquet 2.parquet -o -");
    let counts: serde_json::Value = serde_json::from_slice(&counts).unwrap();
    assert_eq!(counts["questions"][0]["tally"]["values"]["reports"], 40_000);
}

#[test]
fn standard_input_and_output() {
    let folder = Folder::new();
    let arguments = ["randomize", "survey.toml", "-", "--format", "csv", "-o", "-", "--to", "csv"];
    let mut child =
        folder.command(&arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(ANSWERS.as_bytes()).unwrap();
    let mut out = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut out).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(csv_rows(&out).1, REPORTS);
    let said = folder.refused(&["randomize", "survey.toml", "-", "-o", "-", "--to", "csv"], 3);
    assert!(said.contains("--format"), "{said}");
    let said =
        folder.refused(&["randomize", "survey.toml", "-", "--format", "parquet", "-o", "x.csv"], 3);
    assert!(said.contains("needs a file"), "{said}");
}

#[test]
fn what_is_there_is_not_written_over() {
    let folder = Folder::new();
    folder.write("answers.csv", ANSWERS);
    folder.write("reports.csv", "mine");
    let said = folder.refused(&["randomize", "survey.toml", "answers.csv", "-o", "reports.csv"], 3);
    assert!(said.contains("exists") && said.contains("another name"), "{said}");
    assert_eq!(folder.read("reports.csv"), b"mine");
    let said =
        folder.refused(&["randomize", "survey.toml", "answers.csv", "-o", "no/such/folder.csv"], 1);
    assert!(said.contains("not found"), "{said}");
}

/// However an answer is written, it is one row, and nothing else of the row depends on it.
#[test]
fn answers_that_no_program_holds_are_rows_as_others() {
    let folder = Folder::new();
    let row = |place: &str, answer: &[u8]| {
        let start = format!(r#"{{"person": "{place}", "region":"{place}" ,"moved": "yes","apps":"#);
        [start.as_bytes(), answer, b",\"transport\":\"bus\"}\n"].concat()
    };
    let deep = [vec![b'['; 200], vec![b']'; 200]].concat();
    let answers: [&[u8]; 6] = [b"0", b"1e999", br#""\ud800""#, b"\"\xff\"", &deep, b"9"];
    let rows = answers.iter().enumerate().map(|(i, answer)| row(&format!("r{i}"), answer));
    fs::write(folder.path("answers.jsonl"), rows.collect::<Vec<_>>().concat()).unwrap();
    folder.randomize("answers.jsonl", "reports.csv");
    let expected: Vec<String> = (0..6).map(|i| format!("r{i},true,bus,00")).collect();
    assert_eq!(csv_rows(&folder.read("reports.csv")).1, expected);
}

#[test]
fn an_empty_line_of_one_column_is_a_respondent() {
    let folder = Folder::new();
    let survey = "version = 1\n[[question]]\nname = \"moved\"\nkind = \"yes-no\"\nepsilon = 200\n";
    folder.write("survey.toml", survey);
    let expected = ["true", "false", "false", "true", "false"];
    for (i, answers) in [
        "moved\nyes\n\nno\nyes\n\n",
        "\nmoved\r\nyes\r\n\r\nno\r\nyes\r\n\r\n",
        // Within quotes an empty line is a part of an answer.
        "moved\nyes\n\"no\n\n\"\n\n\"yes\"\n\n",
    ]
    .iter()
    .enumerate()
    {
        folder.write("answers.csv", answers);
        folder.randomize("answers.csv", &format!("{i}.csv"));
        assert_eq!(csv_rows(&folder.read(&format!("{i}.csv"))).1, expected, "{i}");
    }
}

/// Dictionaries of public columns may differ from file to file, and need not fit into one.
#[test]
fn public_columns_lose_their_dictionaries() {
    use arrow_array::types::Int8Type;
    let folder = Folder::new();
    let of = |name: &str| {
        let texts = |of: &dyn Fn(usize) -> String| -> ArrayRef {
            Arc::new((0..100).map(|i| Some(of(i))).collect::<StringArray>())
        };
        let region: arrow_array::DictionaryArray<Int8Type> = (0..100)
            .map(|i| format!("{name}{i}"))
            .collect::<Vec<_>>()
            .iter()
            .map(|r| r.as_str())
            .collect();
        let columns = [
            ("person", texts(&|i| format!("{name}{i}"))),
            ("region", Arc::new(region) as ArrayRef),
            ("moved", texts(&|_| "yes".into())),
            ("transport", texts(&|_| "bus".into())),
            ("apps", texts(&|_| "maps".into())),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        arrow(&batch, &folder.path(&format!("{name}.arrow")), 100);
    };
    of("a");
    of("b");
    for output in ["r.csv", "r.arrow", "r.parquet"] {
        let done = folder.run(&["randomize", "survey.toml", "a.arrow", "b.arrow", "-o", output]);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    let regions = csv_rows(&folder.read("r.csv")).1;
    assert!(
        regions.len() == 200 && regions[0].starts_with("a0,") && regions[199].starts_with("b99,")
    );
}

/// Two billion groups of rows, for which the library of Parquet asks for memory.
#[test]
fn a_footer_that_declares_too_much_is_damage() {
    let folder = Folder::new();
    let root = [0x48, 1, b'r', 0x15, 0, 0];
    let groups = [0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 7, 0];
    let footer = [&[0x15, 2, 0x19, 0x1c][..], &root, &[0x16, 0], &groups].concat();
    let length = (footer.len() as u32).to_le_bytes();
    let file = [&b"PAR1"[..], &footer, &length, b"PAR1"].concat();
    std::fs::write(folder.path("answers.parquet"), file).unwrap();
    let said = folder.refused(&["randomize", "survey.toml", "answers.parquet", "-o", "x.csv"], 1);
    assert!(said.contains("answers.parquet: it cannot be read as Parquet"), "{said}");
}

/// A header of a page is looked at before the library reads it, which would take this one for what it was: it goes by the numbers of fields, not by their kinds.
#[test]
fn a_header_of_a_page_with_other_kinds_is_damage() {
    let folder = Folder::new();
    let batch = batch(100);
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    let metadata = writer.close().unwrap();
    let mut columns = metadata.row_group(0).columns().iter();
    let moved = columns.find(|column| column.column_path().string() == "moved").unwrap();
    let (start, _) = moved.byte_range();
    let arguments = ["randomize", "survey.toml", "answers.parquet", "-o", "x.csv"];
    // The first field: a number of 32 bits, then a byte.
    let kind = &mut file[start as usize];
    assert_eq!(*kind, 0x15);
    *kind = 0x13;
    std::fs::write(folder.path("answers.parquet"), &file).unwrap();
    let said = folder.refused(&arguments, 1);
    assert!(said.contains("answers.parquet: it cannot be read as Parquet"), "{said}");
    file[start as usize] = 0x15;
    std::fs::write(folder.path("answers.parquet"), &file).unwrap();
    assert!(folder.run(&arguments).status.success());
}
