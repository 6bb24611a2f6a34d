//! Mutation testing by `cargo-mutants`: each small change of a sampler, a map or a mechanism is found by a test, or is shown to change nothing in `verify/equivalent.toml`.

mod parts;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

#[cfg(test)]
use parts::LEFT_ALONE;
use parts::{PARTS, Part, QUICK, Stage};

/// The changes that no test can find, and why.
const EQUIVALENT: &str = "verify/equivalent.toml";

/// `verify mutants [--quick] [--again] [PART…]`.
///
/// `samplers`, `arithmetic` and `mechanisms` are all parts of a package. With `--quick` only tests that take seconds look for a change. With `--again` what an earlier run found stays found where the
/// source is what it was: the rest is tried, by tests that may be new.
///
/// # Errors
///
/// A change that is not found and not explained, or explained and found.
pub fn command(root: &Path, arguments: &[String]) -> Result<ExitCode, Vec<String>> {
    let (mut quick, mut again, mut parts) = (false, false, Vec::new());
    for argument in arguments {
        match argument.as_str() {
            "--quick" => quick = true,
            "--again" => again = true,
            name => match PACKAGES.iter().find(|(of, _)| *of == name) {
                Some((_, package)) => {
                    parts.extend(PARTS.iter().filter(|part| part.package == *package));
                }
                None => parts.push(part(name)?),
            },
        }
    }
    if parts.is_empty() {
        parts.extend(PARTS);
    }
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(4));
    // Parts side by side, rather than changes of one: each builds what it stands on once.
    let workers = cores.min(parts.len());
    let (next, outcomes) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = run(root, part, quick, again, cores / workers);
                    // Hours may pass before the last one.
                    for finding in outcome.as_ref().err().into_iter().flatten() {
                        println!("{}: {finding}", part.name);
                    }
                    outcomes.lock().unwrap_or_else(PoisonError::into_inner).push(outcome);
                }
            });
        }
    });
    let (mut tried, mut equivalent, mut findings) = (0, 0, Vec::new());
    for outcome in outcomes.into_inner().unwrap_or_else(PoisonError::into_inner) {
        match outcome {
            Ok((of_part, without_effect)) => {
                (tried, equivalent) = (tried + of_part, equivalent + without_effect);
            }
            Err(of_part) => findings.extend(of_part),
        }
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    println!("result: {}", all_found(tried, equivalent));
    Ok(ExitCode::SUCCESS)
}

/// All parts of a package.
const PACKAGES: [(&str, &str); 3] =
    [("samplers", "deniable-sample"), ("arithmetic", "deniable-num"), ("mechanisms", "deniable")];

fn all_found(tried: usize, equivalent: usize) -> String {
    format!("{tried} mutants, all found but {equivalent} that change nothing, as is explained")
}

fn part(name: &str) -> Result<&'static Part, Vec<String>> {
    PARTS.iter().find(|part| part.name == name).ok_or_else(|| {
        let packages = PACKAGES.iter().map(|(name, _)| *name);
        let names: Vec<&str> = packages.chain(PARTS.iter().map(|part| part.name)).collect();
        vec![format!("no part is called {name}; there are {}", names.join(", "))]
    })
}

/// All stages, then the judgement.
fn run(
    root: &Path,
    part: &Part,
    quick: bool,
    again: bool,
    jobs: usize,
) -> Result<(usize, usize), Vec<String>> {
    let folder = root.join("target/mutants-of").join(part.name);
    let sources = sources(root, part)?;
    let mut record = if again { Record::read(&folder)? } else { Record::default() };
    record.keep(&sources);
    // What is kept of an earlier run would be mixed with this one.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)
        .map_err(|error| vec![format!("{}: {error}", folder.display())])?;
    record.write(&folder)?;
    let list = explanations(root)?;
    let mut stages = part.stages.iter().filter(|stage| !quick || stage.longest <= QUICK);
    let new: Vec<&str> = sources
        .keys()
        .filter(|file| !record.sources.contains_key(*file))
        .map(String::as_str)
        .collect();
    if !new.is_empty() {
        // All that is left of an earlier run begins with the first stage as well.
        let stage = if record.left().is_empty() { stages.next() } else { stages.clone().next() };
        if let Some(stage) = stage {
            let out = folder.join("new");
            let files = new.iter().map(|file| format!("--file={file}")).collect::<Vec<_>>();
            mutate(root, part, stage, jobs, &out, &files)?;
            record.add(&out)?;
            record.sources = sources.clone();
            record.write(&folder)?;
        }
    }
    for (number, stage) in stages.enumerate() {
        // Those that are explained need no other tests, which take longer from stage to stage.
        let left = record.left();
        let open: Vec<&Mutant> = survivors(root, &left)?
            .into_iter()
            .filter(|survivor| !list.iter().any(|one| one.explains(survivor)))
            .map(|survivor| survivor.mutant)
            .collect();
        if open.is_empty() {
            break;
        }
        // By name, each on its own.
        let mut only: Vec<String> =
            open.iter().map(|mutant| format!("--re=^{}$", escaped(&mutant.0))).collect();
        only.extend(sources.keys().map(|file| format!("--file={file}")));
        let out = folder.join(format!("stage-{}", number + 1));
        mutate(root, part, stage, jobs, &out, &only)?;
        record.add(&out)?;
        record.write(&folder)?;
    }
    judge(root, part, &record)
}

/// The files of a part, and what they say, without their tests.
fn sources(root: &Path, part: &Part) -> Result<BTreeMap<String, String>, Vec<String>> {
    let mut sources = BTreeMap::new();
    for file in rust_files(&root.join("crates").join(part.package).join("src"), "")? {
        if part.files.iter().any(|pattern| matches(pattern, &file)) && !is_of_tests(&file) {
            let file = format!("crates/{}/src/{file}", part.package);
            let text = read(root, &file)?;
            let code = text.rsplit_once("\n#[cfg(test)]\n").map_or(text.as_str(), |(code, _)| code);
            let digest = Sha256::digest(code.as_bytes());
            let digest = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            sources.insert(file, digest);
        }
    }
    Ok(sources)
}

/// Tests have files and folders of their own.
fn is_of_tests(file: &str) -> bool {
    file.ends_with("tests.rs") || file.split('/').any(|folder| folder == "tests")
}

/// All files of Rust below a folder, by their paths in it.
fn rust_files(folder: &Path, within: &str) -> Result<Vec<String>, Vec<String>> {
    let failed = |error: std::io::Error| vec![format!("{}: {error}", folder.display())];
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = format!("{within}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            files.extend(rust_files(&entry.path(), &format!("{name}/"))?);
        } else if name.ends_with(".rs") {
            files.push(name);
        }
    }
    Ok(files)
}

/// Whether a path is one of those that a pattern means, where a `*` stands for any letters but a `/`.
fn matches(pattern: &str, path: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == path,
        Some((before, after)) => path.strip_prefix(before).is_some_and(|rest| {
            let within = rest.find('/').unwrap_or(rest.len());
            (0..=within).any(|end| rest.is_char_boundary(end) && matches(after, &rest[end..]))
        }),
    }
}

/// Held while the tests run on what is not changed.
static UNCHANGED: Mutex<()> = Mutex::new(());

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
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let profile =
        if stage.longest <= QUICK { "--profile=mutants" } else { "--profile=mutants-slow" };
    // Tests that fail anyhow would find everything, and so would slow ones.
    let test = |arguments: &[&str]| {
        Command::new(&cargo)
            .args(["test", "--quiet", profile])
            .args(stage.packages.iter().map(|package| format!("--package={package}")))
            .args(stage.features.iter().map(|feature| format!("--features={feature}")))
            .args(stage.targets)
            .args(arguments)
            .current_dir(root)
            .status()
            .is_ok_and(|status| status.success())
    };
    {
        // One after the other: they build in the same folder.
        let _alone = UNCHANGED.lock().unwrap_or_else(PoisonError::into_inner);
        let builds = test(&["--no-run"]);
        let start = Instant::now();
        if !builds || !test(&[&["--"], stage.filters].concat()) {
            return Err(vec![format!("{}: the tests fail before anything is changed", part.name)]);
        }
        // Several are tried at once, beside builds.
        if start.elapsed().as_millis() * 4 > u128::from(stage.longest) * 1000 {
            return Err(vec![format!(
                "{}: the tests take more than a quarter of the time after which they count as hanging; the machine is too busy",
                part.name
            )]);
        }
    }
    let status = Command::new(cargo)
        .args(["mutants", "--package", part.package, profile, "--no-shuffle"])
        .args(["--exclude=**/tests.rs", "--exclude=**/tests/**", "--baseline=skip"])
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

/// `file:line:column: what is changed`, as `cargo-mutants` names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(transparent)]
struct Mutant(String);

impl Mutant {
    fn parts(&self) -> Option<(&str, usize, &str)> {
        let mut parts = self.0.splitn(4, ':');
        let (file, line, _) = (parts.next()?, parts.next()?, parts.next()?);
        Some((file, line.parse().ok()?, parts.next()?.trim()))
    }
}

/// What has been tried, and how it went.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Record {
    /// Those that a test found, or that never end.
    found: BTreeSet<Mutant>,
    /// Those that a stage missed, whether or not another one found them.
    missed: BTreeSet<Mutant>,
    /// Those that do not compile.
    unviable: BTreeSet<Mutant>,
    /// Files all of whose mutants were tried, and what they said.
    sources: BTreeMap<String, String>,
}

impl Record {
    const NAME: &str = "record.toml";

    fn read(folder: &Path) -> Result<Self, Vec<String>> {
        toml::from_str(&read(folder, Self::NAME)?)
            .map_err(|error| vec![format!("{}: {error}", Self::NAME)])
    }

    fn write(&self, folder: &Path) -> Result<(), Vec<String>> {
        let text = toml::to_string(self).map_err(|error| vec![error.to_string()])?;
        let path = folder.join(Self::NAME);
        std::fs::write(&path, text).map_err(|error| vec![format!("{}: {error}", path.display())])
    }

    /// Forgets what is about files that are not what they were.
    fn keep(&mut self, sources: &BTreeMap<String, String>) {
        self.sources.retain(|file, said| sources.get(file) == Some(said));
        for mutants in [&mut self.found, &mut self.missed, &mut self.unviable] {
            mutants.retain(|mutant| {
                mutant.parts().is_some_and(|(file, ..)| self.sources.contains_key(file))
            });
        }
    }

    /// What `cargo-mutants` wrote.
    fn add(&mut self, folder: &Path) -> Result<(), Vec<String>> {
        self.found.extend(listed(folder, "caught.txt")?);
        self.found.extend(listed(folder, "timeout.txt")?);
        self.missed.extend(listed(folder, "missed.txt")?);
        // What one stage cannot build has not been tried by it; it counts where none could.
        self.unviable.extend(listed(folder, "unviable.txt")?);
        Ok(())
    }

    /// Those that a stage missed, and that none found: what a stage did not try, or could not build, is not found.
    fn left(&self) -> BTreeSet<Mutant> {
        self.missed.difference(&self.found).cloned().collect()
    }
}

fn listed(folder: &Path, name: &str) -> Result<BTreeSet<Mutant>, Vec<String>> {
    let path = folder.join("mutants.out").join(name);
    let text = std::fs::read_to_string(&path);
    let text = text.map_err(|error| vec![format!("{}: {error}", path.display())])?;
    Ok(text.lines().map(|line| Mutant(line.to_owned())).collect())
}

/// A change that no test found, and the line that it changes.
#[derive(Debug)]
struct Survivor<'a> {
    mutant: &'a Mutant,
    file: String,
    line: String,
    change: String,
}

fn survivors<'a>(
    root: &Path,
    left: &'a BTreeSet<Mutant>,
) -> Result<Vec<Survivor<'a>>, Vec<String>> {
    let with_line = |mutant: &'a Mutant| {
        let named = || vec![format!("{} is no mutant", mutant.0)];
        let (file, line, change) = mutant.parts().ok_or_else(named)?;
        let source = read(root, file)?;
        let line = source.lines().nth(line.saturating_sub(1)).ok_or_else(named)?.trim().to_owned();
        Ok(Survivor { mutant, file: file.to_owned(), line, change: change.to_owned() })
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
    change: String,
    why: String,
}

impl Equivalent {
    fn explains(&self, survivor: &Survivor<'_>) -> bool {
        self.file == survivor.file
            && self.line == survivor.line
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

/// Compares what no stage found with what is explained. How many were tried, and how many change nothing.
fn judge(root: &Path, part: &Part, record: &Record) -> Result<(usize, usize), Vec<String>> {
    let tried: BTreeSet<&Mutant> = record.found.union(&record.missed).collect();
    let unviable = record.unviable.iter().filter(|mutant| !tried.contains(mutant)).count();
    if tried.len() < unviable || tried.is_empty() {
        return Err(vec![format!(
            "{}: {} mutants were tried, and {unviable} did not build",
            part.name,
            tried.len()
        )]);
    }
    let files: BTreeSet<&str> = tried.iter().filter_map(|mutant| Some(mutant.parts()?.0)).collect();
    let explained = explanations(root)?;
    let explained: Vec<&Equivalent> =
        explained.iter().filter(|one| files.contains(one.file.as_str())).collect();
    let left = record.left();
    let findings = compare(&survivors(root, &left)?, &explained);
    if !findings.is_empty() {
        return Err(findings);
    }
    let all_found = all_found(tried.len(), left.len());
    println!("{}: {all_found}; {unviable} others do not compile", part.name);
    Ok((tried.len(), left.len()))
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
    use super::*;

    fn equivalent(why: &str) -> Equivalent {
        Equivalent {
            file: "crates/a/src/lib.rs".into(),
            line: "if a > b {".into(),
            change: "replace > with >= in most".into(),
            why: why.into(),
        }
    }

    #[test]
    fn names_are_taken_apart() {
        let name = "crates/a/src/lib.rs:42:9: replace <impl A for B>::most -> u8 with 0";
        let parts = ("crates/a/src/lib.rs", 42, "replace <impl A for B>::most -> u8 with 0");
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
            change: "replace > with >= in most".into(),
        };
        let explained = equivalent("equal ones are the same");
        assert_eq!(compare(&[survivor("if a > b {")], &[&explained]), [""; 0]);
        // Without a reason, at another line, found.
        assert_eq!(compare(&[survivor("if a > b {")], &[&equivalent(" ")]).len(), 2);
        assert_eq!(compare(&[survivor("if a > c {")], &[&explained]).len(), 2);
        assert_eq!(compare(&[], &[&explained]).len(), 1);
        assert_eq!(compare(&[survivor("if a > b {")], &[]).len(), 1);
        // Two, and one of them explained.
        let two = [survivor("if a > b {"), survivor("if a > b {")];
        assert_eq!(compare(&two, &[&explained]).len(), 1);
        assert_eq!(compare(&two, &[&explained, &explained]), [""; 0]);
    }

    /// What a later stage found is found, and what it did not try or could not build is not.
    #[test]
    fn what_was_not_tried_is_not_found() {
        let folder = std::env::temp_dir().join(format!("deniable-stages-{}", std::process::id()));
        let stage = |number: u8, lists: [&str; 4]| {
            let out = folder.join(number.to_string()).join("mutants.out");
            std::fs::create_dir_all(&out).unwrap();
            let names = ["caught.txt", "timeout.txt", "missed.txt", "unviable.txt"];
            for (name, list) in names.iter().zip(lists) {
                std::fs::write(out.join(name), list.replace(' ', "\n")).unwrap();
            }
            folder.join(number.to_string())
        };
        let mut record = Record::default();
        record.add(&stage(1, ["a", "", "b c d e", ""])).unwrap();
        record.add(&stage(2, ["b", "c", "d", "e"])).unwrap();
        record.write(&folder).unwrap();
        let left = Record::read(&folder).unwrap().left();
        std::fs::remove_dir_all(folder).unwrap();
        assert_eq!(left, ["d", "e"].map(|name| Mutant(name.into())).into());
    }

    /// What was found in a file that has changed since has to be tried again.
    #[test]
    fn what_has_changed_is_forgotten() {
        let mutants = |names: &[&str]| names.iter().map(|name| Mutant((*name).into())).collect();
        let said = |of: [(&str, &str); 2]| of.map(|(file, said)| (file.into(), said.into())).into();
        let mut record = Record {
            found: mutants(&["a.rs:1:1: x", "b.rs:1:1: x"]),
            missed: mutants(&["a.rs:2:1: y", "b.rs:2:1: y"]),
            unviable: mutants(&["c.rs:1:1: x"]),
            sources: said([("a.rs", "1"), ("b.rs", "2")]),
        };
        record.keep(&said([("a.rs", "1"), ("b.rs", "3")]));
        assert_eq!(record.found, mutants(&["a.rs:1:1: x"]));
        assert_eq!(record.left(), mutants(&["a.rs:2:1: y"]));
        assert!(record.unviable.is_empty());
        assert_eq!(record.sources.len(), 1);
    }

    #[test]
    fn patterns_stay_in_their_folder() {
        assert!(matches("bernoulli_*/*.rs", "bernoulli_exp/mod.rs"));
        assert!(matches("word.rs", "word.rs"));
        assert!(!matches("mechanism/*.rs", "mechanism/rows/mod.rs"));
        assert!(!matches("word.rs", "words.rs"));
        assert!(!matches("bernoulli_*/*.rs", "expansion.rs"));
    }

    /// Every file of the core crates is in one part, or in none for a reason.
    #[test]
    fn every_file_is_changed_or_left_alone_for_a_reason() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for (_, package) in PACKAGES {
            let files = rust_files(&root.join("crates").join(package).join("src"), "").unwrap();
            let files: Vec<&String> = files.iter().filter(|file| !is_of_tests(file)).collect();
            let parts = PARTS.iter().filter(|part| part.package == package);
            let patterns: Vec<&str> = parts
                .flat_map(|part| part.files)
                .chain(
                    LEFT_ALONE.iter().filter(|(of, ..)| *of == package).flat_map(|(_, of, _)| *of),
                )
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
