//! The counts of a survey's reports.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Schema;
use datafusion::prelude::SessionContext;
use deniable_arrow::{FINGERPRINT, Survey, SurveyCounts};

use crate::error::{Error, Result};
use crate::tables::{expand, open};

/// Counts the reports in files, and writes the counts to the standard output. As elsewhere, the questions that a file has no column of are left out.
pub(crate) async fn run(session: &SessionContext, text: &str, files: &[String]) -> Result<()> {
    let survey = Survey::parse(text)?;
    // Files with the same questions are one table.
    let mut groups: BTreeMap<Vec<bool>, Vec<PathBuf>> = BTreeMap::new();
    for path in expand(files)? {
        let (_, schema) = open(session, std::slice::from_ref(&path)).await?;
        check(&survey, &path, &schema)?;
        let asked = survey.questions().iter();
        let asked = asked.map(|question| schema.column_with_name(question.name()).is_some());
        groups.entry(asked.collect()).or_default().push(path);
    }
    let mut counts = survey.counts();
    for (asked, paths) in groups {
        counts.merge(&count(session, text, &survey, &asked, &paths).await?)?;
    }
    let counts = serde_json::to_string(&counts);
    let counts = counts.map_err(|_| Error::failed("the counts cannot be written"))?;
    writeln!(io::stdout(), "{counts}")
        .map_err(|error| Error::io(Path::new("standard output"), &error))
}

/// Whether a file says that it has reports of the survey.
fn check(survey: &Survey, path: &Path, schema: &Schema) -> Result<()> {
    let found = schema.metadata().get(FINGERPRINT).and_then(|found| found.parse().ok());
    if found == Some(survey.fingerprint()) {
        return Ok(());
    }
    Err(Error::refused(format!(
        "{}: these are no reports of this survey, or they do not say of which; accepted are files that `deniable randomize` or `deniable sql` wrote, .parquet or .arrow, with the fingerprint {}",
        path.display(),
        survey.fingerprint(),
    )))
}

/// The counts of files, all of which have the columns of those questions that are `asked`.
async fn count(
    session: &SessionContext,
    text: &str,
    survey: &Survey,
    asked: &[bool],
    paths: &[PathBuf],
) -> Result<SurveyCounts> {
    let (table, _) = open(session, paths).await?;
    session.deregister_table("reports")?;
    session.register_table("reports", Arc::new(table))?;
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let columns = survey.questions().iter().zip(asked);
    let columns: Vec<String> = columns
        .map(|(question, is_asked)| match is_asked {
            true => quoted(question.name()),
            false => "NULL".to_owned(),
        })
        .collect();
    let query = format!(
        "SELECT count_reports('{}', {}) FROM reports",
        text.replace('\'', "''"),
        columns.join(", ")
    );
    let frame = session.sql(&query).await.map_err(|error| Error::of_plan(&error))?;
    let batches = frame.collect().await?;
    let counts = batches.iter().find(|batch| batch.num_rows() > 0);
    let counts = counts.and_then(|batch| {
        serde_json::from_str(batch.column(0).as_string_opt::<i32>()?.value(0)).ok()
    });
    counts.ok_or_else(|| Error::failed("there are no counts"))
}
