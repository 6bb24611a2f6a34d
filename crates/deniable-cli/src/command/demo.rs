//! `deniable demo`.

mod simulate;

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;
use deniable::estimate::Target;
use deniable_arrow::How;

use super::count::add_reports;
use super::randomize::read_survey;
use super::{Cli, plan};
use crate::error::{Error, Result};
use crate::files::replace;
use crate::present::{Findings, Output, people, print};

/// The survey that ships with the program.
const SURVEY: &str = include_str!("../../demo/survey.toml");
/// The page, unless it is told otherwise.
const PAGE: &str = "deniable-demo.html";

/// The whole job on simulated answers, start to end
///
/// Simulates respondents to a survey that ships with the program, randomizes their answers as `deniable randomize` does, estimates from the reports alone, and shows the truth beside the estimates. Nobody's data is used.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  deniable demo
  deniable demo --respondents 10000 --keep demo
  deniable demo --html demo.html")]
pub(crate) struct Args {
    /// How many respondents are simulated
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    respondents: u64,
    #[command(flatten)]
    output: Output,
    /// Keep the survey, the simulated answers and the reports in this new folder
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// The probability with which an interval holds the truth
    #[arg(long, default_value_t = 0.95)]
    confidence: f64,
}

impl Args {
    pub(crate) fn run(mut self) -> Result<()> {
        self.output.check()?;
        let is_for_people = !self.output.json && !self.output.csv;
        if is_for_people && self.output.html.is_none() {
            self.output.html = Some(free_name(PAGE));
        }
        let page = self.output.html.clone().filter(|page| page != Path::new("-"));
        let say =
            |text: String| if is_for_people && page.is_some() { print(&text) } else { Ok(()) };
        let folder = Folder::create(self.keep.as_deref())?;
        let [survey, answers, reports] =
            ["survey.toml", "answers.csv", "reports.parquet"].map(|name| folder.path.join(name));
        replace(&survey, SURVEY.as_bytes())?;
        let n = people(self.respondents as f64);
        say(format!("1. The answers of {n} respondents are simulated.\n"))?;
        let truth = simulate::simulate(&answers, self.respondents)?;
        say(format!(
            "2. $ deniable plan survey.toml --respondents {}: what the survey costs and what it can see.\n\n",
            self.respondents,
        ))?;
        let read = read_survey(&survey)?;
        if is_for_people && page.is_some() {
            print(&plan::table(&read, self.respondents)?)?;
        }
        say("\n3. $ deniable randomize survey.toml answers.csv -o reports.parquet: nobody has to be trusted with what comes out.\n".into())?;
        run(&["randomize", text(&survey)?, text(&answers)?, "-o", text(&reports)?])?;
        say("4. $ deniable estimate survey.toml reports.parquet --target sample: from the reports alone. The line ┃ is the truth.\n\n".into())?;
        let mut counts = read.counts();
        add_reports(&read, &reports, None, &mut counts)?;
        let how = How { target: Target::Sample, confidence: self.confidence, ..How::default() };
        let mut findings = Findings::of(read.estimate(&counts, &how)?);
        findings.truth = Some(truth.shares());
        self.output.show(&findings)?;
        say(closing(&findings, page.as_deref(), self.keep.as_deref()))
    }
}

/// The subcommand, as if it had been typed.
fn run(words: &[&str]) -> Result<()> {
    let words = ["deniable"].iter().chain(words);
    Cli::try_parse_from(words).map_err(|error| Error::refused(error.to_string()))?.run()
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| {
        Error::refused("--keep: this is no name of a folder in UTF-8; accepted is another name")
    })
}

/// What came of it, and where it is.
fn closing(findings: &Findings, page: Option<&Path>, keep: Option<&Path>) -> String {
    let (held, all) = findings.held();
    let expected = findings.all.confidence * all as f64;
    let mut text = format!(
        "\n{held} of {all} intervals hold the truth; about {expected:.0} are expected to.\n"
    );
    if let Some(page) = page {
        text += &format!("The page with charts is {}.\n", page.display());
    }
    if let Some(folder) = keep {
        text += &format!("The files are in {}.\n", folder.display());
    }
    text
}

/// The name, or the first one with a number that no file has.
fn free_name(name: &str) -> PathBuf {
    let (stem, extension) = name.split_once('.').expect("a name with an extension");
    let others = (2..).map(|i| PathBuf::from(format!("{stem}-{i}.{extension}")));
    let mut names = std::iter::once(PathBuf::from(name)).chain(others);
    names.find(|path| !path.exists()).expect("there are more names than files")
}

/// A new folder, which goes again unless it is kept.
struct Folder {
    path: PathBuf,
    is_kept: bool,
}

impl Folder {
    fn create(keep: Option<&Path>) -> Result<Self> {
        let path = match keep {
            Some(folder) => folder.to_owned(),
            None => std::env::temp_dir().join(format!("deniable-demo-{}", std::process::id())),
        };
        fs::create_dir(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => Error::refused(format!(
                "{}: this folder exists, and is not written into; accepted is another name",
                path.display(),
            )),
            _ => Error::io(&path, &error),
        })?;
        Ok(Folder { path, is_kept: keep.is_some() })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}
