//! Our mechanisms, their peers and the machine's limits, side by side in one run:
//! `cargo run --release --manifest-path bench/Cargo.toml`. With words after `--`, only rows whose names contain one of them.
//!
//! Below the table: two threads against one, cost from 10^3 to 10^8 items, memory of a streaming count (the words `threads`, `linear`, `memory`), and the errors of estimates
//! beside those of two Python libraries, if Python has them (`errors`), and a long file that the command randomizes (`files`). With the word `sql`, queries beside the command, and a cluster.
//!
//! With `opendp` as the first word nothing is timed: maps and outputs of both libraries are compared.
//!
//! Times on a shared machine mean little; ratios within one run mean more. In each of several rounds every contender of a row
//! runs once, one after the other, and the ratio printed is the median over the rounds.
#![forbid(unsafe_code)]

mod agreement;
mod contest;
mod errors;
mod files;
mod limits;
mod peers;
mod plain;
mod python;
mod rows;
mod scale;
mod sql;

use std::process::ExitCode;

fn main() -> ExitCode {
    if cfg!(debug_assertions) {
        eprintln!("usage: cargo run --release --manifest-path bench/Cargo.toml [-- WORD…]");
        return ExitCode::from(2);
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [scale::COUNT, reports] = words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        scale::count(reports);
        return ExitCode::SUCCESS;
    }
    if let Some((first, rest)) = words.split_first()
        && first == "opendp"
    {
        return agreement::run(rest);
    }
    let is_wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word));
    scale::with_threads(1, || {
        let mut numpy = python::Python::with_numpy();
        limits::print();
        contest::print_header();
        for row in rows::all().filter(|row| is_wanted(row.name)) {
            contest::print_row(row, numpy.as_mut());
        }
    });
    if is_wanted("threads") {
        scale::print_threads();
    }
    if is_wanted("linear") {
        scale::with_threads(1, scale::print_linear);
    }
    if is_wanted("memory") {
        scale::print_memory();
    }
    if is_wanted("errors") {
        errors::print();
    }
    if is_wanted("files") {
        files::print();
    }
    // It builds a query engine, which takes long: only if it is asked for.
    if words.iter().any(|word| word == "sql") {
        sql::print();
    }
    ExitCode::SUCCESS
}
