//! `deniable count`.

use std::io::Write;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use deniable_arrow::{FINGERPRINT, Survey, SurveyCounts};

use super::randomize::{read_survey, survey_rows};
use crate::error::{Error, Kind, Result};
use crate::files::{Atomic, Format, Wanted, expand, open_wanted, watched};

/// How the names of files of counts end, by which they are told from files of reports.
const SUFFIX: &str = ".counts.json";

/// Count reports, for estimates made elsewhere or later
///
/// Reports say which survey they are of, and those of another one are refused. A CSV file says it in its rows: one without any has no reports, of whatever survey.
///
/// Counts are all that estimates need. They are small however many reports there are, and as private as these: many machines count their own, `deniable merge` adds up, `deniable estimate` reads the sum.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  deniable count survey.toml reports-1.parquet -o 1.counts.json
  deniable count survey.toml 'reports-*.csv.gz' -o all.counts.json")]
pub(crate) struct Args {
    /// The survey file
    survey: PathBuf,
    /// Files of reports, as `deniable randomize` writes them: .csv, .jsonl, .parquet or .arrow, patterns such as part-*.csv, or - for the standard input
    #[arg(required = true)]
    reports: Vec<String>,
    /// Where the counts go, a name that ends with .counts.json, or - for the standard output; a file that exists is not written over
    #[arg(short, long)]
    output: PathBuf,
    /// The format of the reports, if their names do not say it
    #[arg(long)]
    format: Option<Format>,
}

impl Args {
    pub(crate) fn run(self) -> Result<()> {
        check_name(&self.output)?;
        let survey = read_survey(&self.survey)?;
        let mut counts = survey.counts();
        for path in expand(&self.reports)? {
            add_reports(&survey, &path, self.format, &mut counts)?;
        }
        write_counts(&self.output, &counts)
    }
}

/// Whether a file is one of counts, by its name.
pub(crate) fn is_counts(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.ends_with(SUFFIX))
}

/// Whether others will know the file as one of counts.
pub(crate) fn check_name(output: &Path) -> Result<()> {
    if is_counts(output) || output == Path::new("-") {
        return Ok(());
    }
    Err(Error::refused(format!(
        "--output: {} does not say that these are counts; accepted is a name that ends with {SUFFIX}",
        output.display(),
    )))
}

/// Adds all reports of a file.
pub(crate) fn add_reports(
    survey: &Survey,
    path: &Path,
    format: Option<Format>,
    counts: &mut SurveyCounts,
) -> Result<()> {
    each_batch(survey, path, format, None, |reports| Ok(survey.count(reports, counts)?))
}

/// The reports of a file, batch by batch: the columns of the questions, and one more if it is named.
pub(crate) fn each_batch(
    survey: &Survey,
    path: &Path,
    format: Option<Format>,
    more: Option<&str>,
    mut count: impl FnMut(&RecordBatch) -> Result<()>,
) -> Result<()> {
    let questions = survey.questions().iter().map(|question| question.name());
    let wanted: Vec<String> = questions.chain(more).map(str::to_owned).collect();
    let rows = survey_rows(survey);
    let source = open_wanted(path, format, &Wanted { names: &wanted, rows, ..Wanted::default() })?;
    let (schema, mut is_empty) = (source.schema.clone(), true);
    for reports in watched(source) {
        is_empty = false;
        count(&reports?).map_err(|error| error.of_file(path))?;
    }
    // Where each row says which survey it is of, none of them says anything.
    if is_empty && schema.column_with_name(FINGERPRINT).is_none() {
        let reports = RecordBatch::new_empty(schema);
        let counted = survey.count(&reports, &mut survey.counts());
        counted.map_err(|error| Error::from(error).of_file(path))?;
    }
    Ok(())
}

/// Reads a file of counts.
pub(crate) fn read_counts(path: &Path) -> Result<SurveyCounts> {
    let text = std::fs::read(path).map_err(|error| Error::io(path, &error))?;
    serde_json::from_slice(&text).map_err(|_| {
        Error::refused(format!(
            "{}: these are no counts; accepted are files that `deniable count` or `deniable merge` wrote",
            path.display(),
        ))
    })
}

pub(crate) fn write_counts(path: &Path, counts: &SurveyCounts) -> Result<()> {
    let text = serde_json::to_string(counts)
        .map_err(|_| Error::new(Kind::Failed, "the counts cannot be written"))?;
    let mut file = Atomic::create(path)?;
    writeln!(file, "{text}").map_err(|error| Error::io(path, &error))?;
    file.finish()
}
