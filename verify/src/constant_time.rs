//! Constant time, checked on the machine code that ships.
//!
//! *Decisions.* `deniable-constant-time` runs mechanisms and samplers on answers and random words that memcheck takes for undefined, and counts the jumps and addresses that depend on them. It is built at each of
//! `LEVELS`, and run with kernels of either form. *Divisions.* Their duration depends on their operands, which memcheck does not see: the machine code of all functions that secrets go through is looked at. Not
//! covered: what another compiler or other flags would make of the source.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// What the program, the Python package and most users' programs are built with, what tests are, what small programs are, and what the smallest client is.
const LEVELS: [&str; 5] = ["3", "2", "s", TOGETHER, SMALLEST];

/// All crates together, for size.
const TOGETHER: &str = "z with LTO";

/// As in `verify/small`: besides without `std` and without unwinding.
const SMALLEST: &str = "z with LTO and no std";

/// Both forms of kernels, of which there is one without `std`.
const KERNELS: [&str; 2] = ["vectors", "plain"];

fn kernels(level: &str) -> &'static [&'static str] {
    if level == SMALLEST { &KERNELS[1..] } else { &KERNELS }
}

const PROGRAM: &str = "deniable-constant-time";

/// `verify constant-time [--require]`.
///
/// # Errors
///
/// What leaks and should not, or leaks and was not found; with `--require` also that there is no
/// valgrind to check with.
pub fn command(root: &Path, arguments: &[String]) -> Result<ExitCode, Vec<String>> {
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let missing = missing();
    match (&arguments[..], &missing) {
        ([] | ["--require"], None) => {}
        (["--require"], Some(missing)) => return Err(vec![missing.clone()]),
        ([], Some(missing)) => {
            println!("skipped: {missing}");
            return Ok(ExitCode::SUCCESS);
        }
        _ => return Err(vec!["usage: constant-time [--require]".into()]),
    }
    let (mut findings, mut right, mut planted) = (Vec::new(), 0, 0);
    for level in LEVELS {
        let program = build(root, level)?;
        for kernels in kernels(level) {
            for case in run(&program, kernels)? {
                let Case { expected, found, name } = &case;
                println!("-O{level}, {kernels}: {name}: {found} decisions on secret bits");
                if !case.is_right() {
                    findings.push(format!(
                        "-O{level}, {kernels}, {name}: expected {expected}, found {found}"
                    ));
                }
                if expected == "some" { planted += 1 } else { right += 1 }
            }
        }
        let code = Code::of(&program)?;
        findings.extend(divisions(&code).into_iter().map(|found| format!("-O{level}: {found}")));
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    println!(
        "result: {right} cases make no decision on secrets that they may not, {planted} planted ones are found; no division; levels {}; kernels {}",
        LEVELS.join(", "),
        KERNELS.join(", ")
    );
    Ok(ExitCode::SUCCESS)
}

/// What there must be and is not.
fn missing() -> Option<String> {
    let is_there = |name: &str| {
        let mut command = Command::new(name);
        let command = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    #[cfg(target_arch = "x86_64")]
    let has_vectors = is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    let has_vectors = false;
    if !has_vectors {
        return Some("this needs an x86_64 with AVX2".into());
    }
    let tools = ["valgrind", "objdump"];
    tools.into_iter().find(|tool| !is_there(tool)).map(|tool| format!("this needs {tool}"))
}

/// Builds the program at an optimisation level, in a folder of its own.
fn build(root: &Path, level: &str) -> Result<PathBuf, Vec<String>> {
    let failed = |error: &dyn core::fmt::Display| vec![format!("cargo: {error}")];
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let folder = target.join("constant-time").join(level.replace(' ', "-"));
    // A number is not quoted, a letter is.
    let settings: &[&str] = match level {
        TOGETHER => &["opt-level=\"z\"", "lto=true", "codegen-units=1"],
        SMALLEST => &["opt-level=\"z\"", "lto=true", "codegen-units=1", "panic=\"abort\""],
        "s" => &["opt-level=\"s\""],
        "2" => &["opt-level=2"],
        _ => &["opt-level=3"],
    };
    let settings = settings.iter().map(|setting| format!("profile.release.{setting}"));
    let status = Command::new(cargo)
        .current_dir(root)
        .args(["build", "--quiet", "--release", "--locked", "-p", PROGRAM])
        .args(settings.flat_map(|setting| ["--config".to_owned(), setting]))
        .args((level == SMALLEST).then_some("--no-default-features"))
        .arg("--target-dir")
        .arg(&folder)
        .status()
        .map_err(|error| failed(&error))?;
    if !status.success() {
        return Err(failed(&status));
    }
    Ok(folder.join("release").join(PROGRAM))
}

/// A line of the program.
struct Case {
    /// How many decisions there are to be, or "some".
    expected: String,
    found: usize,
    name: String,
}

impl Case {
    fn of(line: &str) -> Option<Self> {
        let mut parts = line.split('\t');
        let (expected, found, name) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Case { expected: expected.into(), found: found.parse().ok()?, name: name.into() })
    }

    fn is_right(&self) -> bool {
        match self.expected.parse::<usize>() {
            Ok(expected) => self.found == expected,
            Err(_) => self.expected == "some" && self.found > 0,
        }
    }
}

/// Runs the program under memcheck. The planted mistakes fill its log, which is shown only if it fails altogether.
fn run(program: &Path, kernels: &str) -> Result<Vec<Case>, Vec<String>> {
    let failed = |error| vec![format!("valgrind: {error}")];
    let output = Command::new("valgrind")
        .args(["-q", "--tool=memcheck", "--error-exitcode=0", "--error-limit=no"])
        .args(["--leak-check=no", "--expensive-definedness-checks=yes", "--"])
        .arg(program)
        .arg(kernels)
        .output()
        .map_err(failed)?;
    let lines = String::from_utf8_lossy(&output.stdout);
    let cases: Option<Vec<Case>> = lines.lines().map(Case::of).collect();
    match cases {
        Some(cases) if output.status.success() && !cases.is_empty() => Ok(cases),
        _ => Err(vec![String::from_utf8_lossy(&output.stderr).into_owned()]),
    }
}

/// The functions of a program: what each is called, calls, and whether it divides.
struct Code(BTreeMap<u64, Function>);

#[derive(Default)]
struct Function {
    name: String,
    calls: BTreeSet<u64>,
    divisions: usize,
}

impl Code {
    fn of(program: &Path) -> Result<Self, Vec<String>> {
        let failed = |error| vec![format!("objdump: {error}")];
        let output = Command::new("objdump")
            .args(["-d", "-C", "--no-show-raw-insn"])
            .arg(program)
            .output()
            .map_err(failed)?;
        let slots = Command::new("objdump").arg("-R").arg(program).output().map_err(failed)?;
        if !output.status.success() || !slots.status.success() {
            return Err(vec![String::from_utf8_lossy(&output.stderr).into_owned()]);
        }
        let [code, slots] = [&output, &slots].map(|said| String::from_utf8_lossy(&said.stdout));
        Ok(Self::read(&code, &slots))
    }

    /// From the machine code, and the list of slots through which functions of other crates are called.
    fn read(text: &str, slots: &str) -> Self {
        let slots: BTreeMap<u64, u64> = slots.lines().filter_map(slot).collect();
        let (mut all, mut at) = (BTreeMap::new(), 0);
        for line in text.lines() {
            if let Some((address, name)) = header(line) {
                at = address;
                all.insert(at, Function { name: name.to_owned(), ..Function::default() });
            } else if let Some(function) = all.get_mut(&at) {
                let instruction = line.split_once('\t').map_or("", |(_, rest)| rest);
                let mut words = instruction.split_whitespace();
                let operation = words.next().unwrap_or_default();
                // Whole numbers, and floats in all registers.
                if operation.contains("div") {
                    function.divisions += 1;
                }
                // Calls, and jumps to the beginning of another function.
                if operation.starts_with("call") || operation.starts_with('j') {
                    let target = words.next().and_then(|word| u64::from_str_radix(word, 16).ok());
                    function.calls.extend(target);
                }
                // What is called through a slot, or is taken to be called through a register.
                if let Some(address) = referred_to(instruction) {
                    function.calls.insert(slots.get(&address).copied().unwrap_or(address));
                }
            }
        }
        Code(all)
    }

    /// All functions that are called from one whose name begins so.
    fn reached_from(&self, start: impl Fn(&str) -> bool) -> BTreeSet<u64> {
        let starts = self.0.iter().filter(|(_, function)| start(&function.name));
        let mut open: Vec<u64> = starts.map(|(&at, _)| at).collect();
        let mut reached = BTreeSet::new();
        while let Some(at) = open.pop() {
            let Some(function) = self.0.get(&at) else { continue };
            if is_public(&function.name) || !reached.insert(at) {
                continue;
            }
            open.extend(&function.calls);
        }
        reached
    }

    fn dividing(&self, functions: &BTreeSet<u64>) -> Vec<&str> {
        let all = functions.iter().filter_map(|at| self.0.get(at));
        all.filter(|function| function.divisions > 0).map(|one| one.name.as_str()).collect()
    }
}

/// The address of a slot and what is in it.
fn slot(line: &str) -> Option<(u64, u64)> {
    let (address, rest) = line.split_once(" R_X86_64_RELATIVE")?;
    let target = rest.split_once("+0x")?.1;
    Some((u64::from_str_radix(address, 16).ok()?, u64::from_str_radix(target.trim(), 16).ok()?))
}

/// The address in the comment behind an instruction.
fn referred_to(instruction: &str) -> Option<u64> {
    let address = instruction.split_once("# ")?.1.split(' ').next()?;
    u64::from_str_radix(address, 16).ok()
}

/// The address and the name of a function, from the line above its code.
fn header(line: &str) -> Option<(u64, &str)> {
    let (address, name) = line.strip_suffix(">:")?.split_once(" <")?;
    Some((u64::from_str_radix(address, 16).ok()?, name))
}

/// Functions that see lengths, parameters and addresses of memory alone; those of the rare case that the proof of `laplace_digits` declares; the form of noise that is not in constant time; and the source of secrets. Names end here, or with what a function is an instance of.
const PUBLIC: [&str; 21] = [
    "deniable_sample::bernoulli_float::lanes::lengths",
    "deniable_sample::uniform::surplus",
    "deniable_sample::uniform::either::EitherBelow::new",
    "deniable_sample::uniform::either::EitherBelow::surplus",
    "core::iter::adapters::zip::TrustedRandomAccessNoCoerce::size",
    "core::iter::traits::iterator::Iterator::zip",
    "core::iter::adapters::zip::Zip<A,B> as core::iter::adapters::zip::ZipImpl<A,B>>::new",
    "deniable_sample::laplace_digits::ConstantTimeLaplace<I>::decide",
    "deniable::mechanism::randomized_response_bitvec::is_multiple",
    "deniable::mechanism::vector_integer_laplace_cks20::fast",
    "deniable::mechanism::vector_integer_laplace_cks20::fast_to_all",
    "deniable_constant_time::SecretWords as deniable_sample::entropy::Entropy>::fill",
    "alloc::raw_vec::",
    "alloc::alloc::",
    "alloc::fmt::",
    "alloc::string::",
    "alloc::borrow::",
    "core::panicking::",
    "core::result::unwrap_failed",
    "core::fmt::",
    "i64 as core::fmt::Debug>::fmt",
];

fn is_public(name: &str) -> bool {
    let name = name.trim_start_matches('<');
    PUBLIC.iter().any(|public| match public.strip_suffix("::") {
        Some(module) => name.starts_with(module),
        None => name == *public,
    })
}

/// Functions that secrets go through and that divide, and the planted one if it is not found.
fn divisions(code: &Code) -> Vec<String> {
    const SECRET: &str = "deniable_constant_time::secret::";
    const PLANTED: &str = "deniable_constant_time::secret::planted::";
    let shipping = code.reached_from(|name| name.starts_with(SECRET) && !name.starts_with(PLANTED));
    let mut findings: Vec<String> = code
        .dividing(&shipping)
        .into_iter()
        .map(|name| format!("{name} divides, and secrets go through it"))
        .collect();
    if shipping.len() < 10 {
        findings.push("the functions that secrets go through are not in the machine code".into());
    }
    // One in a function of this crate, and one that the compiler calls in another.
    for function in ["division", "of_two_words"] {
        let start = format!("{PLANTED}{function}");
        if code.dividing(&code.reached_from(|name| name == start)).is_empty() {
            findings.push(format!("the planted {function} is not found"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOTS: &str = "
OFFSET           TYPE              VALUE
0000000000009000 R_X86_64_RELATIVE  *ABS*+0x0000000000003000
";

    const LISTING: &str = "
0000000000001000 <deniable_constant_time::secret::one>:
    1000:\tmov    %rdi,%rax
    1004:\tcall   2000 <shared>
    1009:\tret

0000000000001800 <deniable_constant_time::secret::planted::division>:
    1800:\tjmp    3000 <further>

0000000000001900 <deniable_constant_time::secret::planted::of_two_words>:
    1900:\tcall   *0x8(%rip)        # 9000 <slot>

0000000000002000 <shared>:
    2000:\tjne    2008 <shared+0x8>
    2004:\tcall   4000 <deniable_sample::uniform::surplus>
    2008:\tret

0000000000003000 <further>:
    3000:\tidiv   %rcx

0000000000004000 <deniable_sample::uniform::surplus>:
    4000:\tdiv    %rcx
    4004:\tcall   3000 <further>
";

    #[test]
    fn divisions_are_found_through_calls_and_jumps() {
        let code = Code::read(LISTING, SLOTS);
        let few = "the functions that secrets go through are not in the machine code";
        assert_eq!(divisions(&code), [few]);
        let divides = LISTING.replace("call   2000 <shared>", "call   3000 <further>");
        let found = divisions(&Code::read(&divides, SLOTS));
        assert_eq!(found[0], "further divides, and secrets go through it");
        // Through a slot, and through a register that a slot was read to.
        for indirectly in
            ["call   *0x8(%rip)        # 9000 <slot>", "mov    0x8(%rip),%r14        # 9000 <slot>"]
        {
            let divides = LISTING.replace("call   2000 <shared>", indirectly);
            let found = divisions(&Code::read(&divides, SLOTS));
            assert_eq!(found[0], "further divides, and secrets go through it");
        }
        let nothing = LISTING.replace("idiv   %rcx", "mov    %rcx,%rcx");
        let found = divisions(&Code::read(&nothing, SLOTS));
        assert!(found.contains(&"the planted division is not found".to_owned()));
        assert!(found.contains(&"the planted of_two_words is not found".to_owned()));
    }

    #[test]
    fn counts_are_compared() {
        for (line, is_right) in
            [("0\t0\ta", true), ("0\t1\ta", false), ("3\t3\ta", true), ("some\t2\ta", true)]
        {
            assert_eq!(Case::of(line).unwrap().is_right(), is_right, "{line}");
        }
        assert!(!Case::of("some\t0\ta").unwrap().is_right());
        assert!(Case::of("some\tx\ta").is_none());
    }
}
