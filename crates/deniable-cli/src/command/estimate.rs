//! `deniable estimate`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::{RecordBatch, StringArray, UInt32Array};
use arrow_schema::DataType;
use deniable::estimate::Target;
use deniable_arrow::{How, Survey, SurveyCounts};

use super::count::{add_reports, each_batch, is_counts, read_counts};
use super::randomize::read_survey;
use super::sql::count_on_cluster;
use crate::error::{Error, Result};
use crate::files::{Format, expand};
use crate::present::{Findings, Group, Output};

/// More groups than anybody reads, and than are kept in memory.
const MOST_GROUPS: usize = 1000;

/// What the reports say, with intervals
///
/// For each question the share of each answer, or the mean of a number. An interval holds the true one with the probability that --confidence says. "seen" means that the answer occurs: among all that are said to, one in twenty does not, on average.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  deniable estimate survey.toml reports.parquet
  deniable estimate survey.toml 'reports-*.csv.gz' --html report.html
  deniable estimate survey.toml reports.parquet --by region --csv > shares.csv
  deniable estimate survey.toml all.counts.json --json
  deniable estimate survey.toml 'reports/*.parquet' --cluster 127.0.0.1:50050")]
pub(crate) struct Args {
    /// The survey file
    survey: PathBuf,
    /// Files of reports, as `deniable randomize` writes them, or of counts, as `deniable count` does (.counts.json); patterns such as part-*.csv, or - for reports from the standard input
    #[arg(required = true)]
    reports: Vec<String>,
    #[command(flatten)]
    output: Output,
    /// Estimate apart for each value of this column, which the survey lists as public
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,
    /// The probability with which an interval holds the truth
    #[arg(long, default_value_t = 0.95)]
    confidence: f64,
    /// Whose shares: of all who could have been asked, or of those who were
    #[arg(long, value_enum, default_value_t = Whose::Population)]
    target: Whose,
    /// What to look for in answers to text questions, one candidate a line, where the survey lists none
    #[arg(long, value_name = "FILE")]
    candidates: Option<PathBuf>,
    /// The format of the reports, if their names do not say it
    #[arg(long)]
    format: Option<Format>,
    /// Let a cluster count, whose scheduler is there (see `deniable sql`); it reads .parquet and .arrow files, which its machines must see under the same names
    #[arg(long, value_name = "HOST:PORT", conflicts_with_all = ["by", "format"])]
    cluster: Option<String>,
}

/// Whom the estimates are about.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Whose {
    /// All who could have been asked, of whom the respondents are a random sample
    Population,
    /// The respondents themselves
    Sample,
}

impl Args {
    pub(crate) fn run(self) -> Result<()> {
        self.output.check()?;
        let survey = read_survey(&self.survey)?;
        let how = self.how()?;
        let paths = expand(&self.reports)?;
        let findings = match &self.by {
            None => {
                let counts = self.count(&survey, &paths)?;
                Findings::of(survey.estimate(&counts, &how)?)
            }
            Some(by) => self.by_group(by, &survey, &paths, &how)?,
        };
        self.output.show(&findings)
    }

    fn how(&self) -> Result<How> {
        let candidates = self.candidates.as_deref().map(read_candidates).transpose()?;
        Ok(How {
            target: match self.target {
                Whose::Population => Target::Population,
                Whose::Sample => Target::Sample,
            },
            confidence: self.confidence,
            candidates: candidates.unwrap_or_default(),
            ..How::default()
        })
    }

    fn count(&self, survey: &Survey, paths: &[PathBuf]) -> Result<SurveyCounts> {
        let mut counts = survey.counts();
        if let Some(cluster) = &self.cluster {
            counts.merge(&count_on_cluster(cluster, &self.survey, &self.reports)?)?;
            return Ok(counts);
        }
        for path in paths {
            if is_counts(path) {
                let part = read_counts(path)?;
                counts.merge(&part).map_err(|error| Error::from(error).of_file(path))?;
            } else {
                add_reports(survey, path, self.format, &mut counts)?;
            }
        }
        Ok(counts)
    }

    fn by_group(
        &self,
        by: &str,
        survey: &Survey,
        paths: &[PathBuf],
        how: &How,
    ) -> Result<Findings> {
        check_public(by, survey)?;
        let mut groups = Groups { survey, by, counts: BTreeMap::new() };
        for path in paths {
            if is_counts(path) {
                let error = Error::refused("counts have no groups; accepted are files of reports");
                return Err(error.of_file(path));
            }
            each_batch(survey, path, self.format, Some(by), |reports| groups.add(reports))?;
        }
        let mut all = survey.counts();
        groups.counts.values().try_for_each(|counts| all.merge(counts))?;
        let mut findings = Findings::of(survey.estimate(&all, how)?);
        findings.by = Some(by.to_owned());
        for (group, counts) in &groups.counts {
            let questions = survey.estimate(counts, how)?.questions;
            findings.groups.push(Group { group: group.clone(), questions });
        }
        Ok(findings)
    }
}

/// Lines that are not empty, each once.
fn read_candidates(path: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, &error))?;
    let mut seen = std::collections::HashSet::new();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && seen.insert(*line));
    Ok(lines.map(str::to_owned).collect())
}

fn check_public(by: &str, survey: &Survey) -> Result<()> {
    if survey.public().iter().any(|name| name == by) {
        return Ok(());
    }
    let accepted = match survey.public() {
        [] => "none, as the survey lists no public column".to_owned(),
        names => format!("one of \"{}\"", names.join("\", \"")),
    };
    Err(Error::refused(format!(
        "--by: \"{by}\" is no public column of the survey; accepted is {accepted}"
    )))
}

/// The counts of each value of a public column; of rows without one under nothing.
struct Groups<'a> {
    survey: &'a Survey,
    by: &'a str,
    counts: BTreeMap<Option<String>, SurveyCounts>,
}

impl Groups<'_> {
    fn add(&mut self, reports: &RecordBatch) -> Result<()> {
        let names = self.names(reports)?;
        let mut rows: BTreeMap<Option<&str>, Vec<u32>> = BTreeMap::new();
        for (row, name) in names.iter().enumerate() {
            rows.entry(name).or_default().push(row as u32);
        }
        for (name, rows) in rows {
            let name = name.map(str::to_owned);
            if !self.counts.contains_key(&name) && self.counts.len() == MOST_GROUPS {
                return Err(Error::refused(format!(
                    "--by: column \"{}\" has more than {MOST_GROUPS} values; accepted is a column with fewer",
                    self.by,
                )));
            }
            let own = arrow_select::take::take_record_batch(reports, &UInt32Array::from(rows))
                .map_err(|_| self.no_groups())?;
            let counts = self.counts.entry(name).or_insert_with(|| self.survey.counts());
            self.survey.count(&own, counts)?;
        }
        Ok(())
    }

    fn names(&self, reports: &RecordBatch) -> Result<StringArray> {
        let column = reports.column_by_name(self.by).ok_or_else(|| {
            Error::refused(format!(
                "--by: the reports have no column \"{}\"; accepted are reports with it",
                self.by
            ))
        })?;
        let texts = arrow_cast::cast(column, &DataType::Utf8).map_err(|_| self.no_groups())?;
        Ok(texts.as_string::<i32>().clone())
    }

    fn no_groups(&self) -> Error {
        Error::refused(format!(
            "--by: the values of column \"{}\" cannot be read as texts; accepted are texts, numbers, truth values and times",
            self.by,
        ))
    }
}
