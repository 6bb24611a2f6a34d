//! The command: see [`USAGE`].
#![forbid(unsafe_code)]

use std::{process::ExitCode, time::Instant};

use deniable_mpfr::{cases, casts, certified, function::Function, interval, sweep, vectors};

const USAGE: &str = "\
usage: deniable-mpfr COMMAND

  cases [--count N] [--function NAME]   stratified cases of every function against MPFR
  casts [--count N]                     conversions between integers and floats
  certified [--count N]                 the public enclosures of ln and exp
  f32 [--function NAME] [--stride S]    every S-th f32 through the unary functions
  vectors [--check]                     write the known answers, or compare them
  ci                                    all of these, as much as fits in twenty minutes

The exit status is 1 if anything was wrong, 2 if the command was not understood.";

const CASES: u64 = 10_000_000;
const CASTS: u64 = 1_000_000;
const CERTIFIED: u64 = 1_000_000;
/// Odd, so that all patterns of low bits occur.
const CI_STRIDE: u64 = 7;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            println!("FAILED");
            ExitCode::FAILURE
        }
        Err(problem) => {
            eprintln!("{problem}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn run(words: &[String]) -> Result<bool, String> {
    let (command, rest) = words.split_first().ok_or("no command")?;
    let options = Options::parse(rest)?;
    match command.as_str() {
        "cases" => Ok(cases::run(options.count.unwrap_or(CASES), options.function)),
        "casts" => Ok(casts::run(options.count.unwrap_or(CASTS))),
        "certified" => Ok(enclosures(options.count.unwrap_or(CERTIFIED))),
        "f32" => Ok(sweep::run(options.function, options.stride.unwrap_or(1))),
        "vectors" => vectors::run(options.check).map_err(|error| error.to_string()),
        "ci" => ci(),
        other => Err(format!("no command {other}")),
    }
}

/// Those of any precision are slower, and have fewer cases.
fn enclosures(count: u64) -> bool {
    let words = certified::run(count);
    interval::run((count / 50).max(100)) && words
}

/// All stages, even after a failure: one run should tell everything.
fn ci() -> Result<bool, String> {
    let start = Instant::now();
    let done = |name: &str| println!("-- {name} done at {:.0} s", start.elapsed().as_secs_f64());
    let vectors = vectors::run(true).map_err(|error| error.to_string())?;
    done("vectors");
    let casts = casts::run(CASTS);
    done("casts");
    let certified = enclosures(CERTIFIED);
    done("certified");
    let sweep = sweep::run(None, CI_STRIDE);
    done("f32");
    let cases = cases::run(CASES, None);
    done("cases");
    let all = vectors && casts && certified && sweep && cases;
    if all {
        println!(
            "result: known answers, {CASTS} casts and {CASES} cases a function, {CERTIFIED} enclosures, every {CI_STRIDE}th number of 32 bits"
        );
    }
    Ok(all)
}

#[derive(Default)]
struct Options {
    count: Option<u64>,
    stride: Option<u64>,
    function: Option<Function>,
    check: bool,
}

impl Options {
    fn parse(words: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--check" => options.check = true,
                "--count" => options.count = Some(positive(value()?)?),
                "--stride" => options.stride = Some(positive(value()?)?),
                "--function" => {
                    let name = value()?;
                    let function = Function::named(name).ok_or(format!("no function {name}"))?;
                    options.function = Some(function);
                }
                other => return Err(format!("no option {other}")),
            }
        }
        Ok(options)
    }
}

fn positive(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("{text} is not a positive integer")),
    }
}
