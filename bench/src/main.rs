//! Our mechanisms, their peers and the machine's limits, side by side in one run:
//! `cargo run --release --manifest-path bench/Cargo.toml`. With words after `--`, only rows whose names contain one of them.
//!
//! Times on a shared machine mean little; ratios within one run mean more. In each of several rounds every contender of a row
//! runs once, one after the other, and the ratio printed is the median over the rounds.
#![forbid(unsafe_code)]

mod contest;
mod limits;
mod numpy;
mod peers;
mod plain;
mod rows;

use std::process::ExitCode;

fn main() -> ExitCode {
    if cfg!(debug_assertions) {
        eprintln!("usage: cargo run --release --manifest-path bench/Cargo.toml [-- WORD…]");
        return ExitCode::from(2);
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut numpy = numpy::Numpy::start();
    limits::print();
    contest::print_header();
    for row in rows::all() {
        if words.is_empty() || words.iter().any(|word| row.name.contains(word.as_str())) {
            contest::print_row(row, numpy.as_mut());
        }
    }
    ExitCode::SUCCESS
}
