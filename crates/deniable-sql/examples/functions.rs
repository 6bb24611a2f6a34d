//! Writes the page on the functions, `doc/functions.md`: `cargo run --example functions`. With `--check`, it says whether the page is the one that would be written.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use deniable_sql::{Definition, Group, definitions};

/// What is said of a group, before its functions.
const GROUPS: [(Group, &str, &str); 4] = [
    (
        Group::Randomize,
        "Randomize",
        "A report of every row, drawn once. The parameters are the fields of a question in a survey file, with commas between them; a number alone is `epsilon`. What is missing, unknown or unreadable is randomized as a survey would: \
         no answer is an error, and no report is NULL.",
    ),
    (
        Group::Estimate,
        "Estimate",
        "What reports say, with intervals. The partial state is counts, so that partitions and machines count their own. Rows come of a list by `unnest`: \
         `SELECT unnest(e) FROM (SELECT unnest(estimate_choice(…)) AS e FROM reports)`.",
    ),
    (
        Group::Central,
        "Add noise",
        "Totals of a table whose rows are true, with exact noise. `rows_per_person` is a promise about the table: no person has more rows in it. What a query with several of them loses adds up.",
    ),
    (Group::Loss, "What it costs", "For planning, and for those who check."),
];

fn main() -> ExitCode {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("doc/functions.md");
    let page = page();
    if std::fs::read_to_string(&path).is_ok_and(|before| before == page) {
        return ExitCode::SUCCESS;
    }
    if std::env::args().any(|word| word == "--check") {
        eprintln!("doc/functions.md is not what would be written");
        return ExitCode::FAILURE;
    }
    match std::fs::write(&path, page) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("doc/functions.md cannot be written: {error}");
            ExitCode::FAILURE
        }
    }
}

fn page() -> String {
    let mut page =
        String::from("# Functions\n\nThis page is written by `cargo run --example functions`.\n");
    for (group, title, text) in GROUPS {
        let _ = write!(page, "\n## {title}\n\n{text}\n");
        for definition in definitions().into_iter().filter(|definition| definition.group == group) {
            section(&mut page, definition);
        }
    }
    page
}

fn section(page: &mut String, definition: &Definition) {
    let _ = write!(page, "\n### `{}`\n\n{}\n\n", definition.call(), definition.summary);
    for (name, text) in definition.arguments {
        let _ = writeln!(page, "- `{name}`: {text}.");
    }
    let _ =
        write!(page, "- returns {}.\n\n```sql\n{}\n```\n", definition.returns, definition.example);
}
