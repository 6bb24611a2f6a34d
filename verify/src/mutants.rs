//! Mutation testing by `cargo-mutants`: each small change of a sampler, a map or a mechanism is found by a test, or is shown to change nothing in `verify/equivalent.toml`.

mod parts;
mod record;
mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::claims::today;
use parts::{PARTS, Part, QUICK, Stage};
use record::{Mutant, Record};
use sources::{Sources, digest, sources};

/// The changes that no test can find, and why.
const EQUIVALENT: &str = "verify/equivalent.toml";
/// What came of each part, when it was last tried whole.
const KEPT: &str = "verify/mutants.toml";

/// `verify mutants [--quick] [--again] [PART…]`, or `verify mutants --check [PART…]`.
///
/// `samplers`, `arithmetic` and `mechanisms` are all parts of a package. With `--quick` only tests that take seconds look for a change, and nothing is kept. With `--again` what an earlier run found stays
/// found if the sources of the part are what they were: the rest is tried, by tests that may be new. With `--check` nothing is tried: what was kept is said of the parts whose sources are what they were.
///
/// # Errors
///
/// A change that is not found and not explained, or explained and found.
pub fn command(root: &Path, arguments: &[String]) -> Result<ExitCode, Vec<String>> {
    let (mut check, mut effort, mut parts) = (false, Effort::default(), BTreeSet::new());
    for argument in arguments {
        match argument.as_str() {
            "--check" => check = true,
            "--quick" => effort.quick = true,
            "--again" => effort.again = true,
            name => parts.extend(named(name)?),
        }
    }
    if parts.is_empty() {
        parts.extend(0..PARTS.len());
    }
    let parts: Vec<&Part> = parts.into_iter().map(|place| &PARTS[place]).collect();
    if check {
        println!("result: {}", said(root, &parts)?);
        return Ok(ExitCode::SUCCESS);
    }
    let findings = try_all(root, &parts, effort);
    if !findings.is_empty() {
        return Err(findings);
    }
    if !effort.quick {
        println!("result: {}", said(root, &parts)?);
    }
    Ok(ExitCode::SUCCESS)
}

/// How much is tried.
#[derive(Clone, Copy, Default)]
struct Effort {
    /// Quick stages only.
    quick: bool,
    /// What was not found before.
    again: bool,
}

/// All parts of a package.
const PACKAGES: [(&str, &str); 3] =
    [("samplers", "deniable-sample"), ("arithmetic", "deniable-num"), ("mechanisms", "deniable")];

/// The places of a part, or of those of a package.
fn named(name: &str) -> Result<Vec<usize>, Vec<String>> {
    let package = PACKAGES.iter().find(|(of, _)| *of == name).map(|(_, package)| *package);
    let is_meant = |part: &Part| part.name == name || Some(part.package) == package;
    let places: Vec<usize> = (0..PARTS.len()).filter(|&place| is_meant(&PARTS[place])).collect();
    if places.is_empty() {
        let packages = PACKAGES.iter().map(|(name, _)| *name);
        let names: Vec<&str> = packages.chain(PARTS.iter().map(|part| part.name)).collect();
        return Err(vec![format!("no part is called {name}; there are {}", names.join(", "))]);
    }
    Ok(places)
}

/// Tries parts side by side, rather than changes of one: each builds what it stands on once. What is wrong.
fn try_all(root: &Path, parts: &[&Part], effort: Effort) -> Vec<String> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(4));
    let workers = cores.min(parts.len());
    let (next, findings) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let outcome = try_part(root, part, effort, cores / workers);
            // One after the other: what is kept is read and written again.
            let mut findings = findings.lock().unwrap_or_else(PoisonError::into_inner);
            let outcome = outcome.and_then(|result| match effort.quick {
                true => Ok(()),
                false => keep(root, part, result),
            });
            for finding in outcome.err().into_iter().flatten() {
                // Hours may pass before the last one.
                println!("{}: {finding}", part.name);
                findings.push(format!("{}: {finding}", part.name));
            }
        }
    };
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    findings.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// All stages, then the judgement.
fn try_part(root: &Path, part: &Part, effort: Effort, jobs: usize) -> Result<Kept, Vec<String>> {
    let folder = root.join("target/mutants-of").join(part.name);
    let sources = sources(root, part)?;
    let mut record = if effort.again { Record::read(&folder)? } else { Record::default() };
    record.keep(&sources);
    // What is there of an earlier run would be mixed with this one.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)
        .map_err(|error| vec![format!("{}: {error}", folder.display())])?;
    record.write(&folder)?;
    let list = explanations(root)?;
    let mut stages = part.stages.iter().filter(|stage| !effort.quick || stage.longest <= QUICK);
    let files: Vec<String> = sources.keys().map(|file| format!("--file={file}")).collect();
    if record.sources.is_empty() {
        let stage = stages.next().ok_or_else(|| vec!["there is no such stage".to_owned()])?;
        let out = folder.join("all");
        mutate(root, part, stage, jobs, &out, &files)?;
        record.add(&out)?;
        record.sources = sources.clone();
        record.write(&folder)?;
    }
    for (number, stage) in stages.enumerate() {
        // No quick test may find what is explained: the reason would be wrong, or the stage finds everything.
        let is_quick = stage.longest <= QUICK;
        let left = record.left();
        let open: Vec<&Mutant> = survivors(root, &left)?
            .into_iter()
            .filter(|survivor| is_quick || !list.iter().any(|one| one.explains(survivor)))
            .map(|survivor| survivor.mutant)
            .collect();
        if open.is_empty() {
            continue;
        }
        // By name, each on its own.
        let mut only: Vec<String> =
            open.iter().map(|mutant| format!("--re=^{}$", escaped(&mutant.0))).collect();
        only.extend(files.iter().cloned());
        let out = folder.join(format!("stage-{}", number + 1));
        mutate(root, part, stage, jobs, &out, &only)?;
        record.add(&out)?;
        record.write(&folder)?;
    }
    if self::sources(root, part)? != sources {
        return Err(vec!["its sources were changed while it was tried".into()]);
    }
    let result = judge(root, &record)?;
    Ok(Kept { date: today()?, sources: digest_of_all(&sources), result })
}

/// Held while the tests run on what is not changed: they build in one folder.
static UNCHANGED: Mutex<()> = Mutex::new(());

/// Runs tests on what is not changed: those that fail anyhow would find everything, and so would slow ones.
fn control(root: &Path, stage: &Stage, profile: &str) -> Result<(), Vec<String>> {
    let test = |arguments: &[&str]| {
        Command::new(cargo())
            .args(["test", "--quiet", profile])
            .args(stage.packages.iter().map(|package| format!("--package={package}")))
            .args(stage.features.iter().map(|feature| format!("--features={feature}")))
            .args(stage.targets)
            .args(arguments)
            .current_dir(root)
            .status()
            .is_ok_and(|status| status.success())
    };
    let _alone = UNCHANGED.lock().unwrap_or_else(PoisonError::into_inner);
    let builds = test(&["--no-run"]);
    let start = Instant::now();
    if !builds || !test(&[&["--"], stage.filters].concat()) {
        return Err(vec!["the tests fail before anything is changed".into()]);
    }
    // Several are tried at once, beside builds.
    let seconds = start.elapsed().as_secs_f64();
    if seconds * 4.0 > f64::from(stage.longest) {
        return Err(vec![format!(
            "the tests take {seconds:.1} s, more than a quarter of the time after which they count as hanging; the machine is too busy"
        )]);
    }
    Ok(())
}

fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Runs `cargo-mutants`, which ends with 0 if all was found, 2 if something was missed and 3 if something took too long, which is a way to be found.
fn mutate(
    root: &Path,
    part: &Part,
    stage: &Stage,
    jobs: usize,
    folder: &Path,
    only: &[String],
) -> Result<(), Vec<String>> {
    std::fs::create_dir_all(folder).map_err(|error| vec![format!("{folder:?}: {error}")])?;
    let profile =
        if stage.longest <= QUICK { "--profile=mutants" } else { "--profile=mutants-slow" };
    control(root, stage, profile)?;
    let status = Command::new(cargo())
        .args(["mutants", "--package", part.package, profile, "--no-shuffle"])
        .args(["--exclude=**/tests.rs", "--exclude=**/tests/**", "--baseline=skip", "--no-config"])
        // Metrics and measures are types of one value: there is nothing else that could be returned.
        .args(["--exclude-re=::input_metric -> ", "--exclude-re=::output_measure -> "])
        .arg(format!("--timeout={}", stage.longest))
        .arg(format!("--jobs={jobs}"))
        .args(stage.packages.iter().map(|package| format!("--test-package={package}")))
        .args(stage.features.iter().map(|feature| format!("--features={feature}")))
        .arg("--output")
        .arg(folder)
        .args(only)
        // For building and for running: what is built first is not in the time that a test may take.
        .args(stage.targets.iter().map(|target| format!("--cargo-arg={target}")))
        .args(["--", "--"])
        .args(stage.filters)
        .current_dir(root)
        // Its copies of the tree have targets of their own.
        .env_remove("CARGO_TARGET_DIR")
        // Warnings that are denied would be changes that do not compile.
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .status()
        .map_err(|error| vec![format!("cargo: {error}")])?;
    match status.code() {
        Some(0 | 2 | 3) => Ok(()),
        _ => Err(vec![format!(
            "cargo mutants: {status}; install it by `cargo install --locked cargo-mutants`"
        )]),
    }
}

/// A name as a regular expression that means it alone.
fn escaped(name: &str) -> String {
    let mut escaped = String::new();
    for letter in name.chars() {
        if r"\.+*?()|[]{}^$".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// A change that no test found, and the line that it changes.
#[derive(Debug)]
struct Survivor<'a> {
    mutant: &'a Mutant,
    file: String,
    line: String,
    column: usize,
    change: String,
}

fn survivors<'a>(
    root: &Path,
    left: &'a BTreeSet<Mutant>,
) -> Result<Vec<Survivor<'a>>, Vec<String>> {
    let with_line = |mutant: &'a Mutant| {
        let named = || vec![format!("{} is no mutant", mutant.0)];
        let (file, line, column, change) = mutant.parts().ok_or_else(named)?;
        let source = read(root, file)?;
        let line = source.lines().nth(line.saturating_sub(1)).ok_or_else(named)?.trim().to_owned();
        Ok(Survivor { mutant, file: file.to_owned(), line, column, change: change.to_owned() })
    };
    left.iter().map(with_line).collect()
}

fn read(root: &Path, name: &str) -> Result<String, Vec<String>> {
    std::fs::read_to_string(root.join(name)).map_err(|error| vec![format!("{name}: {error}")])
}

/// A change that no test can find. The line stands for the place, since its number changes.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Equivalent {
    file: String,
    line: String,
    /// Where the line has the same change at several places, and only one of them is meant.
    column: Option<usize>,
    change: String,
    why: String,
}

impl Equivalent {
    fn explains(&self, survivor: &Survivor<'_>) -> bool {
        self.file == survivor.file
            && self.line == survivor.line
            && self.column.is_none_or(|column| column == survivor.column)
            && self.change == survivor.change
            && !self.why.trim().is_empty()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    equivalent: Vec<Equivalent>,
}

fn explanations(root: &Path) -> Result<Vec<Equivalent>, Vec<String>> {
    let list: List = toml::from_str(&read(root, EQUIVALENT)?)
        .map_err(|error| vec![format!("{EQUIVALENT}: {error}")])?;
    Ok(list.equivalent)
}

/// What came of a part: how many changes were tried, were found by the time that tests took alone, and did not compile; and those that change nothing.
#[derive(Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Judgement {
    tried: usize,
    slow: usize,
    unviable: usize,
    equivalent: BTreeSet<Mutant>,
}

/// Compares what no stage found with what is explained.
fn judge(root: &Path, record: &Record) -> Result<Judgement, Vec<String>> {
    let tried: BTreeSet<&Mutant> =
        record.found.iter().chain(&record.slow).chain(&record.missed).collect();
    let unviable = record.unviable.iter().filter(|mutant| !tried.contains(mutant)).count();
    if tried.len() < unviable || tried.is_empty() {
        return Err(vec![format!(
            "{} mutants were tried, and {unviable} did not build",
            tried.len()
        )]);
    }
    let equivalent = record.left();
    check_explained(root, &equivalent, &record.sources)?;
    let slow = record.slow.difference(&record.found).count();
    Ok(Judgement { tried: tried.len(), slow, unviable, equivalent })
}

/// That there is an explanation for each change that no test finds, and for no other one of these files.
fn check_explained(
    root: &Path,
    left: &BTreeSet<Mutant>,
    sources: &Sources,
) -> Result<(), Vec<String>> {
    let explained = explanations(root)?;
    let explained: Vec<&Equivalent> =
        explained.iter().filter(|one| sources.contains_key(&one.file)).collect();
    let findings = compare(&survivors(root, left)?, &explained);
    if findings.is_empty() { Ok(()) } else { Err(findings) }
}

/// A judgement, and what it is of.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    date: String,
    sources: String,
    result: Judgement,
}

fn kept(root: &Path) -> Result<BTreeMap<String, Kept>, Vec<String>> {
    if !root.join(KEPT).exists() {
        return Ok(BTreeMap::new());
    }
    toml::from_str(&read(root, KEPT)?).map_err(|error| vec![format!("{KEPT}: {error}")])
}

fn keep(root: &Path, part: &Part, new: Kept) -> Result<(), Vec<String>> {
    let mut kept = kept(root)?;
    kept.insert(part.name.to_owned(), new);
    let text = toml::to_string(&kept).map_err(|error| vec![error.to_string()])?;
    std::fs::write(root.join(KEPT), text).map_err(|error| vec![format!("{KEPT}: {error}")])
}

fn digest_of_all(sources: &Sources) -> String {
    let all: Vec<String> = sources.iter().map(|(file, said)| format!("{file} {said}")).collect();
    digest(&all.join("\n"))
}

/// What is known of parts as they are.
fn said(root: &Path, parts: &[&Part]) -> Result<String, Vec<String>> {
    let kept = kept(root)?;
    let (mut tried, mut slow, mut unviable, mut equivalent) = (0, 0, 0, 0);
    let (mut stale, mut days) = (Vec::new(), BTreeSet::new());
    for part in parts {
        let sources = sources(root, part)?;
        let digest = digest_of_all(&sources);
        match kept.get(part.name).filter(|kept| kept.sources == digest) {
            Some(Kept { date, result, .. }) => {
                days.insert(date.as_str());
                // What was explained then may not be any more.
                check_explained(root, &result.equivalent, &sources)?;
                tried += result.tried;
                slow += result.slow;
                unviable += result.unviable;
                equivalent += result.equivalent.len();
            }
            None => stale.push(part.name),
        }
    }
    let found = format!(
        "{tried} mutants, all found ({slow} of them since tests took at least four times as long or did not end) but {equivalent} that change nothing, as is explained; {unviable} more do not compile{}",
        when(&days)
    );
    match stale[..] {
        [] => Ok(found),
        _ if stale.len() == parts.len() => {
            Err(vec![format!("none of the {} parts was tried whole as it is", parts.len())])
        }
        _ => Err(vec![format!(
            "{} of {} parts: {found}; the others were not tried as they are: {}",
            parts.len() - stale.len(),
            parts.len(),
            stale.join(", ")
        )]),
    }
}

/// When the parts were tried, which is not when somebody asks. Days are written so that the first of the alphabet is the oldest.
fn when(days: &BTreeSet<&str>) -> String {
    match (days.first(), days.last()) {
        (Some(first), Some(last)) if first == last => format!("; tried on {first}"),
        (Some(first), Some(last)) => format!("; tried between {first} and {last}"),
        _ => String::new(),
    }
}

fn compare(survivors: &[Survivor<'_>], explained: &[&Equivalent]) -> Vec<String> {
    // One explanation for each: a line may be there twice, or have two places.
    let mut unused: Vec<&Equivalent> = explained.to_vec();
    let mut findings = Vec::new();
    for survivor in survivors {
        match unused.iter().position(|one| one.explains(survivor)) {
            Some(place) => drop(unused.remove(place)),
            None => findings
                .push(format!("{}: no test finds it, and nothing explains it", survivor.mutant.0)),
        }
    }
    let stale = unused.iter();
    findings.extend(stale.map(|one| {
        format!(
            "{EQUIVALENT}: \"{}\" in {} ({}) is found, or is not there",
            one.change, one.file, one.line
        )
    }));
    findings
}

#[cfg(test)]
mod tests {
    use super::parts::LEFT_ALONE;
    use super::sources::{is_of_tests, matches, rust_files};
    use super::*;

    fn equivalent(why: &str) -> Equivalent {
        Equivalent {
            file: "crates/a/src/lib.rs".into(),
            line: "if a > b {".into(),
            column: None,
            change: "replace > with >= in most".into(),
            why: why.into(),
        }
    }

    #[test]
    fn names_are_taken_apart() {
        let name = "crates/a/src/lib.rs:42:9: replace <impl A for B>::most -> u8 with 0";
        let parts = ("crates/a/src/lib.rs", 42, 9, "replace <impl A for B>::most -> u8 with 0");
        assert_eq!(Mutant(name.into()).parts(), Some(parts));
        assert_eq!(Mutant("crates/a/src/lib.rs: nothing".into()).parts(), None);
        assert_eq!(
            escaped("a.rs:1: replace + with * in <A>::b"),
            r"a\.rs:1: replace \+ with \* in <A>::b"
        );
    }

    #[test]
    fn what_survives_must_be_explained_and_nothing_else() {
        let mutant = Mutant("crates/a/src/lib.rs:3:8: replace > with >= in most".into());
        let survivor = |line: &str| Survivor {
            mutant: &mutant,
            file: "crates/a/src/lib.rs".into(),
            line: line.into(),
            column: 8,
            change: "replace > with >= in most".into(),
        };
        let explained = equivalent("equal ones are the same");
        assert_eq!(compare(&[survivor("if a > b {")], &[&explained]), [""; 0]);
        // Without a reason, at another line, found.
        assert_eq!(compare(&[survivor("if a > b {")], &[&equivalent(" ")]).len(), 2);
        assert_eq!(compare(&[survivor("if a > c {")], &[&explained]).len(), 2);
        assert_eq!(compare(&[], &[&explained]).len(), 1);
        assert_eq!(compare(&[survivor("if a > b {")], &[]).len(), 1);
        // At another place.
        let elsewhere = Equivalent { column: Some(9), ..equivalent("equal ones are the same") };
        assert_eq!(compare(&[survivor("if a > b {")], &[&elsewhere]).len(), 2);
        let there = Equivalent { column: Some(8), ..equivalent("equal ones are the same") };
        assert_eq!(compare(&[survivor("if a > b {")], &[&there]), [""; 0]);
        // Two, and one of them explained.
        let two = [survivor("if a > b {"), survivor("if a > b {")];
        assert_eq!(compare(&two, &[&explained]).len(), 1);
        assert_eq!(compare(&two, &[&explained, &explained]), [""; 0]);
    }

    /// The days are those that were kept, whatever day it is.
    #[test]
    fn what_is_said_has_the_days_on_which_it_was_tried() {
        let days = |days: &[&'static str]| when(&days.iter().copied().collect());
        assert_eq!(days(&[]), "");
        assert_eq!(days(&["2026-11-18", "2026-11-18"]), "; tried on 2026-11-18");
        let two = "; tried between 2025-12-31 and 2026-11-02";
        assert_eq!(days(&["2026-11-02", "2025-12-31", "2026-02-01"]), two);
    }

    #[test]
    fn parts_and_packages_have_names() {
        assert_eq!(named("digits").unwrap().len(), 1);
        assert!(named("samplers").unwrap().contains(&named("digits").unwrap()[0]));
        assert!(named("nothing").unwrap_err()[0].contains("digits"));
    }

    /// Every file of the core crates is in one part, or in none for a reason.
    #[test]
    fn every_file_is_changed_or_left_alone_for_a_reason() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for (_, package) in PACKAGES {
            let files = rust_files(root, package).unwrap();
            let files: Vec<&String> = files.iter().filter(|file| !is_of_tests(file)).collect();
            let parts = PARTS.iter().filter(|part| part.package == package);
            let alone = LEFT_ALONE.iter().filter(|(of, ..)| *of == package);
            let patterns: Vec<&str> = parts
                .flat_map(|part| part.files)
                .chain(alone.flat_map(|(_, of, _)| *of))
                .copied()
                .collect();
            for pattern in &patterns {
                assert!(files.iter().any(|file| matches(pattern, file)), "{package}: no {pattern}");
            }
            for file in files {
                let of = patterns.iter().filter(|pattern| matches(pattern, file)).count();
                assert_eq!(of, 1, "{package}: {file} is in {of} parts");
            }
        }
    }
}
