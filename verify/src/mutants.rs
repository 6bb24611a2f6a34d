//! Mutation testing by `cargo-mutants`: each small change of a sampler, a map or a mechanism is found by a test, or is shown to change nothing in `verify/equivalent.toml`.

mod parts;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use serde::Deserialize;

use parts::{PARTS, Part, Stage};

/// The changes that no test can find, and why.
const EQUIVALENT: &str = "verify/equivalent.toml";

/// `verify mutants [PART…]`, or `verify mutants judge PART FOLDER…`: what `cargo-mutants` wrote, the later folders on what the earlier ones missed.
///
/// `samplers`, `arithmetic` and `mechanisms` are all parts of a package.
///
/// # Errors
///
/// A change that is not found and not explained, or explained and found.
pub fn command(root: &Path, arguments: &[String]) -> Result<ExitCode, Vec<String>> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["judge", name, ref folders @ ..] if !folders.is_empty() => {
            let folders: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
            let (tried, equivalent) = judge(root, part(name)?, &folders)?;
            println!("result: {}", all_found(tried, equivalent));
        }
        ref names => {
            let mut parts: Vec<&Part> = Vec::new();
            for name in names {
                match PACKAGES.iter().find(|(of, _)| of == name) {
                    Some((_, package)) => {
                        parts.extend(PARTS.iter().filter(|part| part.package == *package));
                    }
                    None => parts.push(part(name)?),
                }
            }
            if names.is_empty() {
                parts.extend(PARTS);
            }
            let (mut tried, mut equivalent, mut findings) = (0, 0, Vec::new());
            for part in parts {
                match run(root, part) {
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
        }
    }
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
fn run(root: &Path, part: &Part) -> Result<(usize, usize), Vec<String>> {
    let folder = root.join("target/mutants-of").join(part.name);
    // What is kept of an earlier run would be mixed with this one.
    let _ = std::fs::remove_dir_all(&folder);
    let list = explanations(root)?;
    let mut folders: Vec<PathBuf> = Vec::new();
    for (number, stage) in part.stages.iter().enumerate() {
        let folder = folder.join(format!("stage-{}", number + 1));
        let only = if folders.is_empty() {
            Vec::new()
        } else {
            // Those that are explained need no other tests, which take longer from stage to stage.
            let left = left(&folders)?;
            let open: Vec<&Mutant> = survivors(root, &left)?
                .into_iter()
                .filter(|survivor| !list.iter().any(|one| one.explains(survivor)))
                .map(|survivor| survivor.mutant)
                .collect();
            if open.is_empty() {
                break;
            }
            // By name, each on its own.
            open.iter().map(|mutant| format!("--re=^{}$", escaped(&mutant.0))).collect()
        };
        mutate(root, part, stage, &folder, &only)?;
        folders.push(folder);
    }
    judge(root, part, &folders)
}

/// Runs `cargo-mutants`, which ends with 0 if all was found, 2 if something was missed and 3 if something took too long, which is a way to be found.
fn mutate(
    root: &Path,
    part: &Part,
    stage: &Stage,
    folder: &Path,
    only: &[String],
) -> Result<(), Vec<String>> {
    std::fs::create_dir_all(folder).map_err(|error| vec![format!("{folder:?}: {error}")])?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Tests that fail anyhow would find everything, and so would slow ones.
    let test = |arguments: &[&str]| {
        Command::new(&cargo)
            .args(["test", "--quiet", "--profile=mutants"])
            .args(stage.packages.iter().map(|package| format!("--package={package}")))
            .args(stage.features.iter().map(|feature| format!("--features={feature}")))
            .args(stage.targets)
            .args(arguments)
            .current_dir(root)
            .status()
            .is_ok_and(|status| status.success())
    };
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
    let status = Command::new(cargo)
        .args(["mutants", "--package", part.package, "--profile=mutants", "--no-shuffle"])
        .args(["--exclude=**/tests.rs", "--exclude=**/tests/**", "--baseline=skip"])
        // Metrics and measures are types of one value: there is nothing else that could be returned.
        .args(["--exclude-re=::input_metric -> ", "--exclude-re=::output_measure -> "])
        .arg(format!("--timeout={}", stage.longest))
        .arg(format!(
            "--jobs={}",
            std::thread::available_parallelism().map_or(1, |cores| cores.get().min(4))
        ))
        .args(part.files.iter().map(|file| format!("--file=crates/{}/src/{file}", part.package)))
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Mutant(String);

impl Mutant {
    fn parts(&self) -> Option<(&str, usize, &str)> {
        let mut parts = self.0.splitn(4, ':');
        let (file, line, _) = (parts.next()?, parts.next()?, parts.next()?);
        Some((file, line.parse().ok()?, parts.next()?.trim()))
    }
}

fn listed(folder: &Path, name: &str) -> Result<BTreeSet<Mutant>, Vec<String>> {
    let path = folder.join("mutants.out").join(name);
    let text = std::fs::read_to_string(&path);
    let text = text.map_err(|error| vec![format!("{}: {error}", path.display())])?;
    Ok(text.lines().map(|line| Mutant(line.to_owned())).collect())
}

/// Those that a test found, or that never end.
fn found(folder: &Path) -> Result<BTreeSet<Mutant>, Vec<String>> {
    let mut found = listed(folder, "caught.txt")?;
    found.extend(listed(folder, "timeout.txt")?);
    Ok(found)
}

/// Those that the first stage missed, and that none behind it found: what a stage did not try, or could not build, is not found.
fn left(stages: &[PathBuf]) -> Result<BTreeSet<Mutant>, Vec<String>> {
    let (first, later) = stages.split_first().expect("there is one");
    let mut left = listed(first, "missed.txt")?;
    for stage in later {
        let found = found(stage)?;
        left.retain(|mutant| !found.contains(mutant));
    }
    Ok(left)
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
fn judge(root: &Path, part: &Part, stages: &[PathBuf]) -> Result<(usize, usize), Vec<String>> {
    let first = &stages[0];
    let mut tried = found(first)?;
    tried.extend(listed(first, "missed.txt")?);
    let unviable = listed(first, "unviable.txt")?.len();
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
    let left = left(stages)?;
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
        let first = stage(1, ["a", "", "b c d e", ""]);
        let second = stage(2, ["b", "c", "d", ""]);
        let left = left(&[first, second]).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        assert_eq!(left, ["d", "e"].map(|name| Mutant(name.into())).into());
    }
}
