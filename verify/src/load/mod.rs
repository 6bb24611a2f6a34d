//! Many answers through `deniable randomize | deniable estimate`, in memory that does not grow with their number.
//!
//! Nothing is on the disk: this program writes answers to the first command, which writes to the second. Three things are checked: that all reports were counted; that each estimate is as near to the truth as
//! Hoeffding's inequality says, but for a probability of `ALPHA` in all, and that the interval of the command holds the truth; and the most memory of either process.

mod answers;

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Instant;

use serde_json::Value;

use crate::backend::usage::{Ended, wait};
use crate::program;
use answers::{CHOICES, PATTERN, Pattern, write};

/// The most memory of a process, in bytes.
const MOST: u64 = 32 << 20;

/// The probability with which an estimate that is right is called wrong, over all shares; and an interval.
const ALPHA: f64 = 5e-10;

/// If no number is told, and at most: intervals are known to hold up to here.
const RESPONDENTS: u64 = 1_000_000_000;

/// Of the runs with a planted mistake.
const FEW: u64 = 1_000_000;

/// As `ALPHA` for each of the shares, two-sided.
const CONFIDENCE: &str = "0.99999999995";

const EPSILON: f64 = 1.0;

/// The argument that makes this program keep all it reads.
const HOARD: &str = "--hoard";

/// `verify load`.
///
/// # Errors
///
/// What did not hold.
pub fn command(root: &Path, arguments: &[String]) -> Result<ExitCode, Vec<String>> {
    let usage = || vec![format!("usage: load [RESPONDENTS], from 1 to {RESPONDENTS}")];
    let respondents = match arguments {
        [] => RESPONDENTS,
        [hoard] if hoard == HOARD => return hoard_all().map_err(|error| vec![error.to_string()]),
        [number] => number
            .parse()
            .ok()
            .filter(|number| (1..=RESPONDENTS).contains(number))
            .ok_or_else(usage)?,
        _ => return Err(usage()),
    };
    let folder =
        Folder::new().map_err(|error| vec![format!("a folder for the survey: {error}")])?;
    let pipeline = Pipeline {
        program: program::build(root).map_err(|error| vec![error])?,
        survey: folder.survey().map_err(|error| vec![format!("the survey: {error}")])?,
        hoards: false,
    };
    let start = Instant::now();
    let outcome = pipeline.run(&PATTERN, respondents).map_err(|error| vec![error.to_string()])?;
    let seconds = start.elapsed().as_secs_f64();
    for (name, ended) in [("randomize", outcome.randomize), ("estimate", outcome.estimate)] {
        let (peak, busy) = (ended.peak as f64 / 1e6, ended.processor);
        println!("{name}: at most {peak:.1} MB, {busy:.1} s on a processor");
    }
    println!(
        "{respondents} respondents in {seconds:.1} s, {:.2} ns each",
        seconds * 1e9 / respondents as f64
    );
    let problems = problems(&outcome, &PATTERN, respondents);
    if !problems.is_empty() {
        return Err(problems);
    }
    let planted = planted(&pipeline)?;
    println!(
        "result: {respondents} respondents, {} shares, each within {:.1e} of the truth, its interval around it; at most {} MB a process; {planted} planted mistakes found",
        1 + CHOICES.len(),
        distance(respondents, CHOICES.len() as u32),
        MOST >> 20,
    );
    Ok(ExitCode::SUCCESS)
}

/// Both commands, one behind the other.
struct Pipeline {
    program: PathBuf,
    survey: PathBuf,
    /// Planted: in place of the first command, one that keeps all it reads.
    hoards: bool,
}

struct Outcome {
    randomize: Ended,
    estimate: Ended,
    found: Value,
}

impl Pipeline {
    fn run(&self, pattern: &Pattern, respondents: u64) -> io::Result<Outcome> {
        let mut randomize = self.randomize()?;
        let (to, from) = (randomize.stdin.take(), randomize.stdout.take());
        let from = from.ok_or_else(|| io::Error::other("no output"))?;
        let mut estimate = Command::new(&self.program)
            .args(["estimate", "--json", "--target", "sample", "--confidence", CONFIDENCE])
            .args(["--format", "arrow"])
            .arg(&self.survey)
            .arg("-")
            .stdin(from)
            .stdout(Stdio::piped())
            // It says that there are no reports, which is no news.
            .stderr(if self.hoards { Stdio::null() } else { Stdio::inherit() })
            .spawn()?;
        let mut to = to.ok_or_else(|| io::Error::other("no input"))?;
        // If the command has stopped reading, how it ended says more.
        let _ = write(&mut to, pattern, respondents);
        drop(to);
        let randomize = wait(randomize)?;
        let mut text = String::new();
        estimate
            .stdout
            .take()
            .ok_or_else(|| io::Error::other("no output"))?
            .read_to_string(&mut text)?;
        let estimate = wait(estimate)?;
        let found = serde_json::from_str(&text).unwrap_or(Value::Null);
        Ok(Outcome { randomize, estimate, found })
    }

    fn randomize(&self) -> io::Result<Child> {
        let mut command = if self.hoards {
            let mut command = Command::new(std::env::current_exe()?);
            command.args(["load", HOARD]);
            command
        } else {
            let mut command = Command::new(&self.program);
            command.arg("randomize").arg(&self.survey);
            command.args(["-", "--format", "arrow", "-o", "-", "--to", "arrow"]);
            command
        };
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
    }
}

/// What does not hold.
fn problems(outcome: &Outcome, pattern: &Pattern, respondents: u64) -> Vec<String> {
    let mut problems = Vec::new();
    for (name, ended) in [("randomize", outcome.randomize), ("estimate", outcome.estimate)] {
        if !ended.well {
            problems.push(format!("{name} failed"));
        }
        if ended.peak > MOST {
            let (peak, most) = (ended.peak >> 20, MOST >> 20);
            problems.push(format!("{name} took {peak} MB of memory, more than {most}"));
        }
    }
    let truth = pattern.counts(respondents);
    let (yes, choices) = truth.split_at(1);
    problems.extend(wrong_question(&outcome.found, 0, "yes", respondents, yes));
    problems.extend(wrong_question(&outcome.found, 1, "choice", respondents, choices));
    problems
}

fn wrong_question(
    found: &Value,
    place: usize,
    name: &str,
    respondents: u64,
    truth: &[u64],
) -> Vec<String> {
    let question = &found["questions"][place];
    let values = question["values"].as_array().map_or(&[][..], Vec::as_slice);
    let mut wrong = Vec::new();
    if question["name"] != name || values.len() != truth.len() {
        wrong.push(format!("{name}: no estimates"));
    }
    if question["reports"].as_u64() != Some(respondents) {
        wrong.push(format!("{name}: {} reports of {respondents}", question["reports"]));
    }
    let most = distance(respondents, if truth.len() == 1 { 2 } else { truth.len() as u32 });
    for (value, &truth) in values.iter().zip(truth) {
        let truth = truth as f64 / respondents as f64;
        let number = |name: &str| value[name].as_f64().unwrap_or(f64::NAN);
        let (share, low, high) = (number("share"), number("low"), number("high"));
        let is_near = (share - truth).abs() <= most;
        let is_inside = low <= truth && truth <= high;
        if !is_near || !is_inside {
            wrong.push(format!(
                "{name}, {}: {share} from {low} to {high}, and the truth is {truth}",
                value["value"],
            ));
        }
    }
    wrong
}

/// How far an estimate can be from the truth, but for its part of `ALPHA`, among so many choices.
///
/// Reports are independent, so that Hoeffding's inequality bounds their mean. What an answer changes in it is the probability of the truth less that of any other answer.
fn distance(respondents: u64, choices: u32) -> f64 {
    let shares = (1 + CHOICES.len()) as f64;
    let mean = ((2.0 * shares / ALPHA).ln() / (2.0 * respondents as f64)).sqrt();
    let odds = EPSILON.exp();
    // The command's probabilities are floats: the last digits of this are not those of its own.
    mean / ((odds - 1.0) / (odds + f64::from(choices - 1))) * (1.0 + 1e-9)
}

/// Each planted mistake must be found, by what it is.
fn planted(pipeline: &Pipeline) -> Result<usize, Vec<String>> {
    let failed = |error: io::Error| vec![error.to_string()];
    let one_more_yes = {
        let mut pattern = PATTERN;
        pattern.yes[1] = true;
        pattern
    };
    let hoards = Pipeline { hoards: true, ..pipeline.copy() };
    let plants = [
        ("a respondent is lost", pipeline.run(&PATTERN, FEW - 1).map_err(failed)?, "reports of"),
        ("a share is another", pipeline.run(&one_more_yes, FEW).map_err(failed)?, "the truth is"),
        ("answers are kept", hoards.run(&PATTERN, FEW).map_err(failed)?, "of memory"),
    ];
    let missed: Vec<String> = plants
        .iter()
        .filter(|(_, outcome, sign)| {
            !problems(outcome, &PATTERN, FEW).iter().any(|problem| problem.contains(sign))
        })
        .map(|(name, ..)| format!("planted, and not found: {name}"))
        .collect();
    if missed.is_empty() { Ok(plants.len()) } else { Err(missed) }
}

impl Pipeline {
    fn copy(&self) -> Self {
        Pipeline { program: self.program.clone(), survey: self.survey.clone(), hoards: self.hoards }
    }
}

/// Keeps a hundred bytes for each that is read.
fn hoard_all() -> io::Result<ExitCode> {
    let (mut kept, mut buffer) = (Vec::new(), vec![0; 1 << 16]);
    let mut input = io::stdin().lock();
    loop {
        match input.read(&mut buffer)? {
            0 => break,
            read => kept.extend(buffer[..read].iter().flat_map(|&byte| [byte; 100])),
        }
    }
    io::stdout().lock().write_all(&kept[..kept.len().min(1)])?;
    Ok(ExitCode::SUCCESS)
}

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("deniable-load-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Folder(path))
    }

    fn survey(&self) -> io::Result<PathBuf> {
        let path = self.0.join("survey.toml");
        let text = format!(
            "version = 1\n[[question]]\nname = \"yes\"\nkind = \"yes-no\"\nepsilon = {EPSILON:?}\n\
             [[question]]\nname = \"choice\"\nkind = \"choice\"\nchoices = {CHOICES:?}\nother = false\nmissing = \"none\"\nmechanism = \"randomized-response\"\nepsilon = {EPSILON:?}\n",
        );
        std::fs::write(&path, text)?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(peak: u64, reports: u64, shift: f64) -> Outcome {
        let respondents = 1_000_000u32;
        let value = |truth: &u64| {
            let share = *truth as f64 / f64::from(respondents) + shift;
            serde_json::json!({"value": "a", "share": share, "low": share - 0.03, "high": share + 0.03})
        };
        let counts = PATTERN.counts(respondents.into());
        let question = |name: &str, counts: &[u64]| {
            let values: Vec<Value> = counts.iter().map(value).collect();
            serde_json::json!({"name": name, "reports": reports, "values": values})
        };
        let questions = [question("yes", &counts[..1]), question("choice", &counts[1..])];
        let ended = Ended { well: true, peak, processor: 1.0 };
        let found = serde_json::json!({"questions": questions});
        Outcome { randomize: ended, estimate: ended, found }
    }

    #[test]
    fn each_planted_outcome_is_found() {
        let wrong = |outcome: &Outcome| problems(outcome, &PATTERN, 1_000_000).len();
        assert_eq!(wrong(&outcome(MOST, 1_000_000, 0.0)), 0);
        assert_eq!(wrong(&outcome(MOST + 1, 1_000_000, 0.0)), 2);
        assert_eq!(wrong(&outcome(MOST, 999_999, 0.0)), 2);
        assert_eq!(wrong(&outcome(MOST, 1_000_000, 0.04)), 9);
        // Inside its interval, and further away than it should be.
        assert_eq!(wrong(&outcome(MOST, 1_000_000, 0.025)), 9);
        let nothing = Outcome { found: Value::Null, ..outcome(MOST, 1_000_000, 0.0) };
        assert_eq!(wrong(&nothing), 4);
    }

    #[test]
    fn the_distance_is_hoeffdings() {
        // sqrt(ln(2·9/5e-10)/2e6)/tanh(1/2) = sqrt(24.307/2e6)/0.46212
        assert!((distance(1_000_000, 2) - 0.007_544).abs() < 1e-6, "{}", distance(1_000_000, 2));
        assert!(distance(1_000_000_000, 2) < 2.5e-4);
        assert!(distance(1_000_000, 8) > 2.0 * distance(1_000_000, 2));
    }
}
