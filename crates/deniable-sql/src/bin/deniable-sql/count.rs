//! The counts of a survey's reports.

use std::sync::Arc;

use datafusion::arrow::array::AsArray;
use datafusion::prelude::SessionContext;
use deniable_arrow::{FINGERPRINT, Survey};

use crate::error::{Error, Result};
use crate::tables::{expand, open};

/// Counts the reports in files, and writes the counts to the standard output.
pub(crate) async fn run(session: &SessionContext, text: &str, files: &[String]) -> Result<()> {
    let survey = Survey::parse(text)?;
    for (i, path) in expand(files)?.iter().enumerate() {
        let (table, schema) = open(session, &[path.to_string_lossy().into_owned()]).await?;
        let found = schema.metadata().get(FINGERPRINT).and_then(|found| found.parse().ok());
        if found != Some(survey.fingerprint()) {
            return Err(Error::refused(format!(
                "{}: these are no reports of this survey, or they do not say of which; accepted are files that `deniable randomize` wrote, .parquet or .arrow, with the fingerprint {}",
                path.display(),
                survey.fingerprint(),
            )));
        }
        let _ = (i, table);
    }
    let (table, _) = open(session, files).await?;
    session.register_table("reports", Arc::new(table))?;
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let columns: Vec<String> =
        survey.questions().iter().map(|question| quoted(question.name())).collect();
    let query = format!(
        "SELECT count_reports('{}', {}) FROM reports",
        text.replace('\'', "''"),
        columns.join(", ")
    );
    let batches = session.sql(&query).await?.collect().await?;
    let counts = batches.iter().find(|batch| batch.num_rows() > 0);
    let counts = counts.ok_or_else(|| Error::failed("there are no counts"))?;
    println!("{}", counts.column(0).as_string::<i32>().value(0));
    Ok(())
}
