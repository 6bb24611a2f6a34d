//! What was found, shown: as tables with bars on a terminal, as JSON, as CSV, and as a page.

mod numbers;
mod page;
mod rows;
mod table;
mod written;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use deniable_arrow::{QuestionEstimate, SurveyEstimate};
use serde::Serialize;

use crate::error::{Error, Result};
use crate::files::{Atomic, refuse_existing};

pub(crate) use numbers::{decimal, epsilon, people, percent};
pub(crate) use table::{Look, aligned, plain};

/// Estimates of all reports and of groups of them. This is what `--json` prints.
#[derive(Debug, Serialize)]
pub(crate) struct Findings {
    #[serde(flatten)]
    pub(crate) all: SurveyEstimate,
    /// The column whose values the groups are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) by: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) groups: Vec<Group>,
    /// Of simulated answers: for each question the true share of each value, or the true mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) truth: Option<Vec<Vec<f64>>>,
}

/// Estimates of the reports with one value of a public column.
#[derive(Debug, Serialize)]
pub(crate) struct Group {
    /// The value; nothing for reports that have none.
    pub(crate) group: Option<String>,
    pub(crate) questions: Vec<QuestionEstimate>,
}

impl Findings {
    pub(crate) fn of(all: SurveyEstimate) -> Self {
        Findings { all, by: None, groups: Vec::new(), truth: None }
    }

    /// The truth of a question, if it is known.
    fn truth_of(&self, question: usize) -> Option<&[f64]> {
        self.truth.as_ref().map(|truth| truth[question].as_slice())
    }

    /// How many intervals hold the truth, of those whose truth is known.
    pub(crate) fn held(&self) -> (usize, usize) {
        let questions = self.all.questions.iter().enumerate();
        let shown =
            questions.map(|(i, question)| rows::Shown::new(question, self.truth_of(i), usize::MAX));
        let rows: Vec<rows::Row> = shown.flat_map(|shown| shown.rows).collect();
        let is_held = |row: &&rows::Row| row.is_held == Some(true);
        (
            rows.iter().filter(is_held).count(),
            rows.iter().filter(|row| row.is_held.is_some()).count(),
        )
    }

    /// How a group is called.
    fn heading(&self, group: &Group) -> String {
        let by = self.by.as_deref().unwrap_or_default();
        format!("{by}: {}", group.group.as_deref().unwrap_or("(missing)"))
    }
}

/// Where findings go.
#[derive(Debug, clap::Args)]
pub(crate) struct Output {
    /// Print JSON in place of tables
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print comma-separated values in place of tables, a line for each answer
    ///
    /// A text that a spreadsheet would compute, since it begins with =, +, - or @ and is no number, has a ' before it. JSON has all texts as they are.
    #[arg(long)]
    pub(crate) csv: bool,
    /// Write a page with charts too, one file that needs no other; a file that exists is not written over, and - is the standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

impl Output {
    /// What can be refused before the work is done.
    pub(crate) fn check(&self) -> Result<()> {
        match &self.html {
            Some(page) if page == Path::new("-") && (self.json || self.csv) => Err(Error::refused(
                "--html: the standard output is taken; accepted is the name of a file",
            )),
            Some(page) if page != Path::new("-") => refuse_existing(page),
            _ => Ok(()),
        }
    }

    pub(crate) fn show(&self, findings: &Findings) -> Result<()> {
        if let Some(page) = &self.html {
            write_page(page, findings)?;
        }
        match &self.html {
            _ if self.json => print(&json(findings)),
            _ if self.csv => print(&written::csv(findings)),
            Some(page) if page == Path::new("-") => Ok(()),
            _ => print(&table::tables(findings, Look::of_terminal())),
        }
    }
}

fn write_page(path: &Path, findings: &Findings) -> Result<()> {
    let mut file = Atomic::create(path)?;
    let page = page::page(findings);
    file.write_all(page.as_bytes()).map_err(|error| Error::io(path, &error))?;
    file.finish()
}

/// Plain data in lines that people can read as well.
pub(crate) fn json(data: &impl Serialize) -> String {
    serde_json::to_string_pretty(data).expect("plain data") + "\n"
}

/// Prints, and does not mind if nobody reads on.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::io(Path::new("-"), &error))
        }
        _ => Ok(()),
    }
}
