//! The known answers in `vectors/num`.

use std::{
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    casts,
    function::{Args, Function, show},
    hard::hardest,
    number::Number,
    oracle::Oracle,
    strata,
};

/// Random arguments searched for each of the functions that have hard cases.
const SEARCHED: u64 = 2_000_000;
/// Hard cases kept of each function and type.
const HARD: usize = 60;

const COMMON: &str = "\
# Known answers of the directed functions, computed with MPFR. Written by `deniable-mpfr vectors`.
# Floats are bits in hexadecimal, integers are decimal, fields are separated by tabs.
# The last two fields are the results rounded towards minus infinity (neg_inf_) and towards plus
# infinity (inf_), or the word error.
";

/// Writes the files; or, if `check`, compares them instead. Whether they are as they should be.
pub fn run(check: bool) -> io::Result<bool> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/num");
    let files = [
        ("unary.tsv", "function type x", unary()),
        ("binary.tsv", "function type x y", binary()),
        ("powi.tsv", "function type x n", powi()),
        ("cast.tsv", "function from to value", cast()),
    ];
    let mut is_same = true;
    for (name, columns, lines) in files {
        let path = folder.join(name);
        let text = file(columns, &lines);
        if check {
            is_same &= compare(&path, &text);
        } else {
            fs::create_dir_all(&folder)?;
            fs::write(&path, text)?;
        }
        println!("{name}: {} cases", lines.len());
    }
    Ok(is_same)
}

fn compare(path: &PathBuf, text: &str) -> bool {
    let is_same = fs::read_to_string(path).is_ok_and(|found| found == text);
    if !is_same {
        println!("{} is not what `vectors` writes", path.display());
    }
    is_same
}

fn file(columns: &str, lines: &[String]) -> String {
    let mut text = COMMON.to_owned();
    let _ = writeln!(text, "# columns: {columns} neg_inf inf");
    let _ = writeln!(text, "# cases: {}", lines.len());
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text
}

fn unary() -> Vec<String> {
    let mut lines = Vec::new();
    for function in Function::UNARY {
        add_unary::<f64>(function, &mut lines);
        add_unary::<f32>(function, &mut lines);
    }
    lines
}

fn add_unary<F: Number>(function: Function, lines: &mut Vec<String>) {
    let specials = strata::draw::specials().into_iter().map(Args::<F>::unary);
    let mut args: Vec<_> = specials.collect();
    args.extend(stratified::<F>(function, 120));
    if function.is_transcendental() {
        args.extend(hardest::<F>(function, SEARCHED, HARD));
    }
    add(function, &args, lines);
}

fn binary() -> Vec<String> {
    let mut lines = Vec::new();
    for function in Function::BINARY {
        add(function, &pairs::<f64>(function, 180), &mut lines);
        add(function, &pairs::<f32>(function, 120), &mut lines);
    }
    lines
}

/// Every fifth pair of specials, and stratified cases.
fn pairs<F: Number>(function: Function, count: u64) -> Vec<Args<F>> {
    let specials = (0..pairs_of_specials()).step_by(5).map(|i| strata::case(function, i));
    specials.chain(stratified(function, count)).collect()
}

fn powi() -> Vec<String> {
    let mut lines = Vec::new();
    add_powi::<f64>(&mut lines);
    add_powi::<f32>(&mut lines);
    lines
}

fn add_powi<F: Number>(lines: &mut Vec<String>) {
    let mut args = pairs::<F>(Function::Powi, 270);
    args.extend(hardest::<F>(Function::Powi, SEARCHED, HARD));
    add(Function::Powi, &args, lines);
}

fn cast() -> Vec<String> {
    let mut lines = Vec::new();
    casts::for_each_pair(&mut |pair| lines.extend((0..30).map(|index| pair.line(index))));
    lines
}

/// The first `count` stratified cases after the pairs of specials.
fn stratified<F: Number>(function: Function, count: u64) -> impl Iterator<Item = Args<F>> {
    let first = pairs_of_specials();
    (first..first + count).map(move |index| strata::case(function, index))
}

fn pairs_of_specials() -> u64 {
    let count = strata::draw::specials::<f64>().len() as u64;
    count * count
}

fn add<F: Number>(function: Function, args: &[Args<F>], lines: &mut Vec<String>) {
    let mut oracle = Oracle::new::<F>();
    for args in args {
        let answer = oracle.answer(function, args);
        let (given, name) = (args.show(function), function.name());
        let (down, up) = (show(answer.down), show(answer.up));
        lines.push(format!("{name}\t{}\t{given}\t{down}\t{up}", F::NAME));
    }
}
