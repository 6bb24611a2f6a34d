//! What is claimed, what shows it, and whether it was shown: `verify/claims.toml`, `verify/results.toml`, and the page that is made of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use serde::{Deserialize, Serialize};

/// The list of claims, which people write.
const CLAIMS: &str = "verify/claims.toml";
/// What the commands said, which [`command`] writes.
const RESULTS: &str = "verify/results.toml";
/// The page.
const PAGE: &str = "CLAIMS.md";

/// `verify claims [--check | run [--compare] ID… | list]`, where `always` stands for all that must say the same for every change. Keeps
/// what was said and when; with `--compare` not if something else was said before.
///
/// # Errors
///
/// A page that is not that of the claims and their results; a command that fails, or says something else than it did.
pub fn command(root: &Path, arguments: &[String]) -> Result<ExitCode, Vec<String>> {
    let claims = read(root)?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => write(root, PAGE, &page(&claims, &results(root)?)?)?,
        ["--check"] => {
            check(root, &claims)?;
            println!("result: {} claims, of which each has a result", claims.len());
        }
        ["list"] => claims.iter().for_each(|claim| println!("{} ({})", claim.id, claim.cost)),
        ["run", "--compare", ref ids @ ..] if !ids.is_empty() => {
            // Before the first of them takes its minutes.
            check(root, &claims)?;
            for claim in chosen(&claims, ids)? {
                let said = run(root, claim)?;
                compare(claim, &said, results(root)?.get(&claim.id))?;
                keep(root, &claims, claim, said)?;
            }
        }
        ["run", ref ids @ ..] if !ids.is_empty() => {
            for claim in chosen(&claims, ids)? {
                let said = run(root, claim)?;
                keep(root, &claims, claim, said)?;
            }
        }
        _ => return Err(vec!["usage: claims [--check | list | run [--compare] ID…]".into()]),
    }
    Ok(ExitCode::SUCCESS)
}

/// What we say, and how somebody else can see that it is so.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Claim {
    id: String,
    claim: String,
    /// Rust, the command, Python, SQL.
    surface: String,
    evidence: String,
    /// For a shell, or `verify` and the arguments of this program.
    command: String,
    /// On two cores, without building.
    cost: String,
    when: When,
}

/// What runs a command.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum When {
    /// Every change, and it must say the same again.
    Always,
    /// Every change.
    Ci,
    /// Who wants to.
    Hand,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    claim: Vec<Claim>,
}

/// What a command said, and when.
#[derive(Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Outcome {
    date: String,
    said: String,
}

type Outcomes = BTreeMap<String, Outcome>;

fn read(root: &Path) -> Result<Vec<Claim>, Vec<String>> {
    parse(&text(root, CLAIMS)?)
}

fn parse(text: &str) -> Result<Vec<Claim>, Vec<String>> {
    let list: List = toml::from_str(text).map_err(|error| vec![format!("{CLAIMS}: {error}")])?;
    for (i, claim) in list.claim.iter().enumerate() {
        if list.claim[..i].iter().any(|before| before.id == claim.id) {
            return Err(vec![format!("{CLAIMS}: two claims are called {}", claim.id)]);
        }
        let parts = [&claim.claim, &claim.surface, &claim.evidence, &claim.command, &claim.cost];
        if parts.iter().any(|part| part.is_empty() || part.contains(['|', '\n'])) {
            return Err(vec![format!(
                "{CLAIMS}: a part of {} is empty, or has a | or an end of line in it",
                claim.id
            )]);
        }
    }
    Ok(list.claim)
}

fn results(root: &Path) -> Result<Outcomes, Vec<String>> {
    if !root.join(RESULTS).exists() {
        return Ok(Outcomes::new());
    }
    toml::from_str(&text(root, RESULTS)?).map_err(|error| vec![format!("{RESULTS}: {error}")])
}

fn chosen<'a>(claims: &'a [Claim], ids: &[&str]) -> Result<Vec<&'a Claim>, Vec<String>> {
    let find = |id: &&str| match claims.iter().find(|claim| claim.id == *id) {
        Some(claim) => Ok(claim),
        None => Err(vec![format!("no claim is called {id}")]),
    };
    let mut chosen = Vec::new();
    for id in ids {
        match *id {
            "always" => chosen.extend(claims.iter().filter(|claim| claim.when == When::Always)),
            _ => chosen.push(find(id)?),
        }
    }
    Ok(chosen)
}

/// Whether the page is what is made of the claims and their results.
fn check(root: &Path, claims: &[Claim]) -> Result<(), Vec<String>> {
    if text(root, PAGE)? == page(claims, &results(root)?)? {
        return Ok(());
    }
    Err(vec![format!("{PAGE} is not what is made of {CLAIMS} and {RESULTS}; run `verify claims`")])
}

/// Runs a claim's command and shows what it says. Its result is the last line that begins with `result: `, or how many tests passed, or that it did.
fn run(root: &Path, claim: &Claim) -> Result<String, Vec<String>> {
    println!("==> {}: {}", claim.id, claim.command);
    let failed = |error: &dyn core::fmt::Display| vec![format!("{}: {error}", claim.id)];
    let mut command = match claim.command.strip_prefix("verify ") {
        Some(arguments) => {
            let mut this = Command::new(std::env::current_exe().map_err(|error| failed(&error))?);
            this.args(arguments.split_whitespace());
            this
        }
        None => {
            let mut shell = Command::new("bash");
            shell.args(["-c", &claim.command]);
            shell
        }
    };
    let mut child = command
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| failed(&error))?;
    let (mut said, mut tests) = (None, None);
    for line in BufReader::new(child.stdout.take().expect("it is piped")).lines() {
        let line = line.map_err(|error| failed(&error))?;
        println!("{line}");
        if let Some(result) = line.strip_prefix("result: ") {
            said = Some(result.replace('|', "/"));
        }
        if let Some(passed) = passed(&line) {
            *tests.get_or_insert(0) += passed;
        }
    }
    let status = child.wait().map_err(|error| failed(&error))?;
    let said = said.unwrap_or_else(|| match tests {
        Some(0) => "skipped: no test ran".to_owned(),
        Some(1) => "1 test passed".to_owned(),
        Some(tests) => format!("{tests} tests passed"),
        None => "passed".to_owned(),
    });
    if said.starts_with("skipped") {
        return Err(failed(&said));
    }
    if status.success() { Ok(said) } else { Err(failed(&status)) }
}

/// How many tests passed, in the line with which Cargo's or pytest's end.
fn passed(line: &str) -> Option<u64> {
    let words = line.strip_prefix("test result: ok. ").unwrap_or(line);
    let (count, rest) = words.split_once(" passed")?;
    let is_end = rest.is_empty() || rest.starts_with([';', ',', ' ']);
    count.parse().ok().filter(|_| is_end)
}

/// Keeps what a command said today, and makes the page of it.
fn keep(root: &Path, claims: &[Claim], claim: &Claim, said: String) -> Result<(), Vec<String>> {
    let mut stored = results(root)?;
    stored.insert(claim.id.clone(), Outcome { date: today()?, said });
    let text = toml::to_string(&stored).map_err(|error| vec![error.to_string()])?;
    write(root, RESULTS, &text)?;
    // Until all of them have run there is no page.
    page(claims, &stored).map_or(Ok(()), |page| write(root, PAGE, &page))
}

fn compare(claim: &Claim, said: &str, stored: Option<&Outcome>) -> Result<(), Vec<String>> {
    match stored {
        Some(stored) if stored.said == said => Ok(()),
        Some(stored) => Err(vec![format!(
            "{}: the page says \"{}\", and now it is \"{said}\"; run `verify claims run {}`",
            claim.id, stored.said, claim.id
        )]),
        None => Err(vec![format!("{}: {RESULTS} has no result of it", claim.id)]),
    }
}

/// The page, if there is a result for each claim, and none for what is no claim.
fn page(claims: &[Claim], results: &Outcomes) -> Result<String, Vec<String>> {
    let mut page = String::from(INTRODUCTION);
    let mut missing = Vec::new();
    for claim in claims {
        let Some(Outcome { date, said }) = results.get(&claim.id) else {
            missing.push(format!("{RESULTS} has no result of {}", claim.id));
            continue;
        };
        let Claim { claim, surface, evidence, command, cost, when, .. } = claim;
        let when = match when {
            When::Always => "always",
            When::Ci => "in CI",
            When::Hand => "by hand",
        };
        let row = writeln!(
            page,
            "| {claim} | {surface} | {evidence} | `{command}` | {cost}, {when} | {date} | {said} |"
        );
        row.expect("a text takes all there is");
    }
    let is_claimed = |id: &&String| claims.iter().any(|claim| claim.id == **id);
    let others = results.keys().filter(|id| !is_claimed(id));
    missing.extend(others.map(|id| format!("{RESULTS} has a result of {id}, which is no claim")));
    if missing.is_empty() { Ok(page) } else { Err(missing) }
}

const INTRODUCTION: &str = "\
# Claims

What is claimed, what shows it, and what it showed when it was last run. `verify` stands for `cargo run --release -p deniable-verify --`. This page is made by `verify claims` of `verify/claims.toml` and of what the commands said. A command says nothing that
differs between two good runs; those marked *always* are run for every change, and must say the same again; so must those *in CI*, of which the last ones are left out, or shortened, on a machine that is too slow for them. What is not claimed, and what is known to be missing, is on the page about [limitations](LIMITATIONS.md).

| claim | for | evidence | command | time (2 cores) | last run | result |
|---|---|---|---|---|---|---|
";

pub(crate) fn today() -> Result<String, Vec<String>> {
    let failed = || vec!["this needs the program date".to_owned()];
    let output = Command::new("date").args(["-u", "+%F"]).output().map_err(|_| failed())?;
    let date = String::from_utf8(output.stdout).map_err(|_| failed())?;
    if output.status.success() { Ok(date.trim().to_owned()) } else { Err(failed()) }
}

fn text(root: &Path, name: &str) -> Result<String, Vec<String>> {
    std::fs::read_to_string(root.join(name)).map_err(|error| vec![format!("{name}: {error}")])
}

fn write(root: &Path, name: &str, text: &str) -> Result<(), Vec<String>> {
    std::fs::write(root.join(name), text).map_err(|error| vec![format!("{name}: {error}")])
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = r#"
[[claim]]
id = "a"
claim = "A is so"
surface = "Rust"
evidence = "it is tried"
command = "echo more; echo 'result: 3 tries'"
cost = "1 s"
when = "always"

[[claim]]
id = "b"
claim = "B is so"
surface = "SQL"
evidence = "it is tried too"
command = "false"
cost = "1 h"
when = "hand"
"#;

    fn outcome(said: &str) -> Outcome {
        Outcome { date: "2026-01-01".into(), said: said.into() }
    }

    #[test]
    fn the_result_is_the_last_word() {
        let claims = parse(TWO).unwrap();
        assert_eq!(run(Path::new("/"), &claims[0]), Ok("3 tries".to_owned()));
        assert!(run(Path::new("/"), &claims[1]).is_err());
        let skipped = parse(&TWO.replace("3 tries", "skipped: no tool")).unwrap();
        assert!(run(Path::new("/"), &skipped[0]).is_err());
        let of_tests = |line: &str| {
            let command = format!("echo '{line}'; echo '{line}'");
            let claims = TWO.replace("echo more; echo 'result: 3 tries'", &command);
            run(Path::new("/"), &parse(&claims).unwrap()[0])
        };
        let cargo = "test result: ok. 3 passed; 0 failed; 0 ignored";
        assert_eq!(of_tests(cargo), Ok("6 tests passed".to_owned()));
        assert_eq!(of_tests("4 passed, 1 skipped in 2.31s"), Ok("8 tests passed".to_owned()));
        assert!(of_tests(&cargo.replace('3', "0")).is_err());
        assert_eq!(of_tests("all passed"), Ok("passed".to_owned()));
        assert!(compare(&claims[0], "3 tries", Some(&outcome("3 tries"))).is_ok());
        assert!(compare(&claims[0], "2 tries", Some(&outcome("3 tries"))).is_err());
        assert!(compare(&claims[0], "3 tries", None).is_err());
        assert!(compare(&claims[1], "3 tries", None).is_err());
    }

    #[test]
    fn a_page_has_all_claims_or_is_none() {
        let claims = parse(TWO).unwrap();
        let mut results = Outcomes::from([("b".to_owned(), outcome("passed"))]);
        assert_eq!(page(&claims, &results), Err(vec![format!("{RESULTS} has no result of a")]));
        results.insert("a".into(), outcome("3 tries"));
        let page = page(&claims, &results).unwrap();
        assert!(page.ends_with(
            "| B is so | SQL | it is tried too | `false` | 1 h, by hand | 2026-01-01 | passed |\n"
        ));
        results.insert("c".into(), outcome("passed"));
        assert!(super::page(&claims, &results).is_err());
        results.remove("c");
        results.remove("b");
        assert_eq!(
            super::page(&claims, &results),
            Err(vec![format!("{RESULTS} has no result of b")])
        );
    }

    /// What is compared is kept with the day, if it is the same; else the page stays.
    #[test]
    fn what_is_said_again_is_of_today() {
        let root = std::env::temp_dir().join(format!("deniable-claims-{}", std::process::id()));
        std::fs::create_dir_all(root.join("verify")).unwrap();
        let said = |said: &str| {
            let before = ["a", "b"].map(|id| (id.to_owned(), outcome(said)));
            let before = Outcomes::from(before);
            write(&root, CLAIMS, TWO).unwrap();
            write(&root, RESULTS, &toml::to_string(&before).unwrap()).unwrap();
            write(&root, PAGE, &page(&parse(TWO).unwrap(), &before).unwrap()).unwrap();
            let outcome = command(&root, &["run", "--compare", "always"].map(String::from));
            let is_on_page = command(&root, &["--check".to_owned()]).is_ok();
            (outcome.is_ok(), is_on_page, results(&root).unwrap() == before)
        };
        let outcomes = [said("3 tries"), said("2 tries")];
        std::fs::remove_dir_all(&root).unwrap();
        assert_eq!(outcomes, [(true, true, false), (false, true, true)]);
    }

    #[test]
    fn bad_lists_are_refused() {
        for (from, to) in [
            ("id = \"b\"", "id = \"a\""),
            ("A is so", "A | so"),
            ("A is so", ""),
            ("cost = \"1 s\"\n", ""),
            ("when = \"always\"", "when = \"always\"\nmore = 1"),
            ("when = \"always\"", "when = \"never\""),
        ] {
            assert!(TWO.contains(from) && parse(&TWO.replace(from, to)).is_err(), "{to}");
        }
    }

    /// What is said to be run for every change is run.
    #[test]
    fn ci_runs_what_it_is_said_to_run() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let scripts = [".ci/run", ".ci/slow"].map(|name| text(root, name).unwrap());
        let runs = |id: &str| scripts.iter().any(|script| runs(script, id));
        assert!(runs("always") && !runs("soak"));
        for claim in read(root).unwrap() {
            assert_eq!(runs(&claim.id), claim.when == When::Ci, "{}", claim.id);
        }
    }

    /// Whether a line that runs claims names this one.
    fn runs(script: &str, id: &str) -> bool {
        let lines = script.lines().filter(|line| {
            line.contains("claim") && !line.trim_start().starts_with('#')
                || line.contains("for id in")
        });
        lines.flat_map(|line| line.split([' ', ';', '"'])).any(|word| word == id)
    }

    /// What the repository has: each command is on the page about checks.
    #[test]
    fn every_command_is_listed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let page = text(root, "verify/README.md").unwrap();
        for claim in read(root).unwrap() {
            assert!(page.contains(&claim.command), "{}: {}", claim.id, claim.command);
        }
    }
}
