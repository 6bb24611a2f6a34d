//! What was tried, and how it went.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::read;
use super::sources::Sources;

/// `file:line:column: what is changed`, as `cargo-mutants` names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(transparent)]
pub(super) struct Mutant(pub(super) String);

impl Mutant {
    /// File, line, column and change.
    pub(super) fn parts(&self) -> Option<(&str, usize, usize, &str)> {
        let mut parts = self.0.splitn(4, ':');
        let (file, line, column) = (parts.next()?, parts.next()?, parts.next()?);
        Some((file, line.parse().ok()?, column.parse().ok()?, parts.next()?.trim()))
    }
}

/// The mutants of a part that have been tried.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Record {
    /// Those that a test found.
    pub(super) found: BTreeSet<Mutant>,
    /// Those with which tests took at least four times as long as without, or did not end.
    pub(super) slow: BTreeSet<Mutant>,
    /// Those that a stage missed, whether or not another one found them.
    pub(super) missed: BTreeSet<Mutant>,
    /// Those that do not compile.
    pub(super) unviable: BTreeSet<Mutant>,
    /// The files of the part, if all of their mutants were tried.
    pub(super) sources: Sources,
}

impl Record {
    const NAME: &str = "record.toml";

    /// That of an earlier run, if there was one.
    pub(super) fn read(folder: &Path) -> Result<Self, Vec<String>> {
        if !folder.join(Self::NAME).exists() {
            return Ok(Self::default());
        }
        toml::from_str(&read(folder, Self::NAME)?)
            .map_err(|error| vec![format!("{}: {error}", Self::NAME)])
    }

    pub(super) fn write(&self, folder: &Path) -> Result<(), Vec<String>> {
        let text = toml::to_string(self).map_err(|error| vec![error.to_string()])?;
        let path = folder.join(Self::NAME);
        std::fs::write(&path, text).map_err(|error| vec![format!("{}: {error}", path.display())])
    }

    /// Forgets all if a file is not what it was: what was found in another one may have been found through it.
    pub(super) fn keep(&mut self, sources: &Sources) {
        if self.sources != *sources {
            *self = Record::default();
        }
    }

    /// What `cargo-mutants` wrote of a stage.
    pub(super) fn add(&mut self, folder: &Path) -> Result<(), Vec<String>> {
        let folder = folder.join("mutants.out");
        let outcomes: Outcomes = serde_json::from_str(&read(&folder, "outcomes.json")?)
            .map_err(|error| vec![format!("outcomes.json: {error}")])?;
        for Outcome { scenario: Scenario::Mutant { name }, summary, log_path } in outcomes.outcomes
        {
            let mutant = Mutant(name);
            let mutants = match summary.as_str() {
                "CaughtMutant" => &mut self.found,
                "Timeout" => &mut self.slow,
                "MissedMutant" => &mut self.missed,
                "Unviable" if is_refused(&read(&folder, &log_path)?) => &mut self.unviable,
                other => return Err(vec![format!("{}: {other}, which tells nothing", mutant.0)]),
            };
            mutants.insert(mutant);
        }
        Ok(())
    }

    /// Those that a stage missed, and that none found: what a stage did not try, or could not build, is not found.
    pub(super) fn left(&self) -> BTreeSet<Mutant> {
        let found = |mutant: &&Mutant| self.found.contains(*mutant) || self.slow.contains(*mutant);
        self.missed.iter().filter(|mutant| !found(mutant)).cloned().collect()
    }
}

/// Whether the compiler says where it is no program: a disk that is full, or a linker that was ended, is no property of a mutant.
fn is_refused(log: &str) -> bool {
    let lines: Vec<&str> = log.lines().collect();
    lines
        .windows(2)
        .any(|pair| pair[0].starts_with("error") && pair[1].trim_start().starts_with("--> "))
}

// As cargo-mutants writes them.

#[derive(Deserialize)]
struct Outcomes {
    outcomes: Vec<Outcome>,
}

#[derive(Deserialize)]
struct Outcome {
    scenario: Scenario,
    summary: String,
    log_path: String,
}

#[derive(Deserialize)]
enum Scenario {
    Mutant { name: String },
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with what `cargo-mutants` would write of what came of mutants.
    fn written(name: &str, mutants: &[(&str, &str)]) -> std::path::PathBuf {
        let name = format!("deniable-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let out = folder.join("mutants.out");
        std::fs::create_dir_all(&out).unwrap();
        let refused = "error[E0308]: mismatched types\n  --> src/lib.rs:1:1\n";
        std::fs::write(out.join("log"), refused).unwrap();
        let full = "error: linking with `cc` failed: exit status: 1\n  = note: ld: No space left on device\nerror: could not compile\n";
        std::fs::write(out.join("full"), full).unwrap();
        let outcome = |(name, came): &(&str, &str)| {
            let (summary, log) =
                if *came == "Full" { ("Unviable", "full") } else { (*came, "log") };
            serde_json::json!({
                "scenario": { "Mutant": { "name": name } },
                "summary": summary,
                "log_path": log,
            })
        };
        let all: Vec<_> = mutants.iter().map(outcome).collect();
        let text = serde_json::json!({ "outcomes": all }).to_string();
        std::fs::write(out.join("outcomes.json"), text).unwrap();
        folder
    }

    /// What a later stage found is found, and what it did not try or could not build is not.
    #[test]
    fn what_was_not_tried_is_not_found() {
        let missed = "MissedMutant";
        let first =
            [("a", "CaughtMutant"), ("b", missed), ("c", missed), ("d", missed), ("e", missed)];
        let second = [("b", "CaughtMutant"), ("c", "Timeout"), ("d", missed), ("e", "Unviable")];
        let mut record = Record::default();
        for (name, mutants) in [("first", &first[..]), ("second", &second)] {
            let folder = written(name, mutants);
            record.add(&folder).unwrap();
            record.write(&folder).unwrap();
            record = Record::read(&folder).unwrap();
            std::fs::remove_dir_all(folder).unwrap();
        }
        assert_eq!(record.left(), ["d", "e"].map(|name| Mutant(name.into())).into());
        assert_eq!(record.slow, [Mutant("c".into())].into());
    }

    #[test]
    fn what_tells_nothing_is_refused() {
        for (name, mutants) in [("full", [("a", "Full")]), ("other", [("a", "Failure")])] {
            let folder = written(name, &mutants);
            assert!(Record::default().add(&folder).is_err(), "{name}");
            std::fs::remove_dir_all(folder).unwrap();
        }
    }

    /// What was found while a file of the part was another has to be tried again.
    #[test]
    fn what_has_changed_is_forgotten() {
        let mutants = |names: &[&str]| names.iter().map(|name| Mutant((*name).into())).collect();
        let said = |of: [(&str, &str); 2]| of.map(|(file, said)| (file.into(), said.into())).into();
        let record = || Record {
            found: mutants(&["a.rs:1:1: x", "b.rs:1:1: x"]),
            missed: mutants(&["a.rs:2:1: y", "b.rs:2:1: y"]),
            sources: said([("a.rs", "1"), ("b.rs", "2")]),
            ..Record::default()
        };
        let (mut same, mut other) = (record(), record());
        same.keep(&said([("a.rs", "1"), ("b.rs", "2")]));
        assert_eq!((same.left(), same.found), (record().left(), record().found));
        other.keep(&said([("a.rs", "1"), ("b.rs", "3")]));
        assert!(other.found.is_empty() && other.left().is_empty() && other.sources.is_empty());
    }
}
