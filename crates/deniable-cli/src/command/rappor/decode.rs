//! `deniable rappor decode`: which candidates explain the counts.

use std::path::PathBuf;

use deniable::estimate::Target;
use deniable::rappor::decode::{Decoded, decode};
use deniable::rappor::files::{ResultRow, write_results};
use deniable::rappor::{CandidateMap, CohortCounts};
use serde_json::json;

use super::encode::in_effect;
use super::{of_file, read, read_params, write};
use crate::error::Result;
use crate::present::{Look, aligned, people, percent, print};

/// The shares of candidates, from counts
///
/// Candidates that occur are shown, the largest share first: of those, at most 5 % are expected not to occur. Their intervals are adjusted for having been found, and at most 5 % of them are expected to miss the truth.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The file of parameters: k,h,m,p,q,f and a line of numbers
    #[arg(long, value_name = "FILE")]
    params: PathBuf,
    /// The file of counts
    #[arg(long, value_name = "FILE")]
    counts: PathBuf,
    /// The file of candidates and their bits
    #[arg(long, value_name = "FILE")]
    map: PathBuf,
    /// The reports are of the reference implementation's Python client, or of encode --reference, which rounds f up
    #[arg(long)]
    reference: bool,
    /// Write the results as the reference implementation does; a file that exists is not written over
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(super) fn run(self) -> Result<()> {
        let mut params = read_params(&self.params)?;
        let counts = read(&self.counts, |file| CohortCounts::read_csv(file, &params))?;
        let map = read(&self.map, |file| CandidateMap::read_csv(file, &params))?;
        if self.reference {
            params = in_effect(&params).map_err(|error| of_file(&self.params, &error))?;
        }
        let decoded = decode(&params, &counts, &map)?;
        let rows = ResultRow::of(&decoded, &map)?;
        if let Some(path) = &self.output {
            write(path, |file| write_results(&rows, file))?;
        }
        let shown = if self.json { in_json(&decoded, &rows)? } else { in_words(&decoded, &rows)? };
        print(&(shown + "\n"))
    }
}

fn in_json(decoded: &Decoded, rows: &[ResultRow]) -> Result<String> {
    let candidate = |row: &ResultRow| {
        json!({
            "candidate": row.string,
            "share": row.proportion,
            "standard_error": row.prop_std_error,
            "low": row.prop_low_95,
            "high": row.prop_high_95,
            "reports": row.estimate,
        })
    };
    let (unexplained, misfit) = (decoded.unexplained(), decoded.misfit());
    let interval = unexplained.interval(Target::Sample, 0.95)?;
    let whole = json!({
        "reports": decoded.respondents(),
        "candidates": decoded.len(),
        "detected": rows.iter().map(candidate).collect::<Vec<_>>(),
        "unexplained": {
            "share": unexplained.share(), "low": interval.low, "high": interval.high,
        },
        "misfit": {
            "ratio": misfit.ratio(), "degrees": misfit.degrees(), "p_value": misfit.p_value(),
        },
    });
    Ok(format!("{whole:#}"))
}

fn in_words(decoded: &Decoded, rows: &[ResultRow]) -> Result<String> {
    let cells = |row: &ResultRow| {
        vec![
            row.string.clone(),
            percent(row.proportion, 2),
            format!("{} to {}", percent(row.prop_low_95, 2), percent(row.prop_high_95, 2)),
            people(row.estimate),
        ]
    };
    let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let heading = ["candidate", "share", "95 % interval", "reports"];
    let table = aligned(Look::of_terminal(), &heading, &cells);
    let (unexplained, misfit) = (decoded.unexplained(), decoded.misfit());
    let interval = unexplained.interval(Target::Sample, 0.95)?;
    let verdict = match misfit.p_value() {
        p if p < 0.01 => {
            "more than noise: candidates are missing, or clients report more than once"
        }
        _ => "no more than noise",
    };
    Ok(format!(
        "{table}\n{} of {} candidates occur in {} reports.\nNot explained by them: {} ({} to {}).\nMisfit: {:.3} where 1 is expected, {verdict}.",
        rows.len(),
        decoded.len(),
        decoded.respondents(),
        percent(unexplained.share(), 2),
        percent(interval.low, 2),
        percent(interval.high, 2),
        misfit.ratio(),
    ))
}
