//! What was decoded, as the reference implementation writes it.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use std::io::{self, BufWriter, Read, Write};

use super::number::as_r_writes;
use super::table::{Row, Table, write_quoted};
use crate::Result;
#[cfg(feature = "rappor-decode")]
use crate::{
    Error,
    estimate::{Interval, Target},
    rappor::{CandidateMap, decode::Decoded},
};

/// One candidate of the reference's results.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultRow {
    /// The candidate.
    pub string: String,
    /// How many respondents have it.
    pub estimate: f64,
    /// The standard error of that.
    pub std_error: f64,
    /// The share of respondents who have it.
    pub proportion: f64,
    /// The standard error of that.
    pub prop_std_error: f64,
    /// The lower end of an interval of 95 %.
    pub prop_low_95: f64,
    /// The upper end.
    pub prop_high_95: f64,
}

#[cfg(feature = "rappor-decode")]
impl ResultRow {
    /// The candidates that were detected, the largest share first. Intervals are [adjusted](Decoded::adjusted) for that, so that they hold the truth as often as the file says.
    ///
    /// # Errors
    ///
    /// Another number of candidates than was decoded.
    pub fn of(decoded: &Decoded, candidates: &CandidateMap) -> Result<Vec<Self>> {
        if decoded.len() != candidates.len() {
            let problem = "they are not those that were decoded";
            return Err(Error::invalid_parameter("candidates", problem, "the same candidates"));
        }
        let row = |(i, interval): (usize, Interval)| {
            let (string, share) = (candidates.name(i)?.to_owned(), decoded.get(i)?);
            let error = share.standard_error(Target::Sample);
            Some(ResultRow {
                string,
                estimate: share.count(),
                std_error: error * decoded.respondents() as f64,
                proportion: share.share(),
                prop_std_error: error,
                prop_low_95: interval.low,
                prop_high_95: interval.high,
            })
        };
        let adjusted = decoded.adjusted(Target::Sample, 0.05)?;
        let mut rows: Vec<_> = adjusted.into_iter().filter_map(row).collect();
        rows.sort_by(|a, b| b.proportion.total_cmp(&a.proportion));
        Ok(rows)
    }
}

const NAMES: [&str; 7] = [
    "string",
    "estimate",
    "std_error",
    "proportion",
    "prop_std_error",
    "prop_low_95",
    "prop_high_95",
];

/// Reads a file of results: a line of names, and a line for each candidate. `NA` is NaN.
///
/// # Errors
///
/// Other names, more or fewer columns, what is no number, a candidate that is not UTF-8; a reader that fails.
pub fn read_results(reader: impl Read) -> Result<Vec<ResultRow>> {
    let (mut table, mut results) = (Table::new("results", reader), Vec::new());
    table.header(&NAMES)?;
    while let Some(row) = table.next()? {
        row.check_columns(NAMES.len())?;
        results.push(ResultRow {
            string: row.text(0)?.to_owned(),
            estimate: number(&row, 1)?,
            std_error: number(&row, 2)?,
            proportion: number(&row, 3)?,
            prop_std_error: number(&row, 4)?,
            prop_low_95: number(&row, 5)?,
            prop_high_95: number(&row, 6)?,
        });
    }
    Ok(results)
}

/// Writes a file of results: names and candidates in quotes, and numbers with up to 15 significant digits. NaN is `NA`.
///
/// # Errors
///
/// A writer that fails.
pub fn write_results(results: &[ResultRow], writer: impl Write) -> io::Result<()> {
    let mut writer = BufWriter::new(writer);
    let names = NAMES.map(|name| format!("\"{name}\""));
    writeln!(writer, "{}", names.join(","))?;
    for row in results {
        write_quoted(&row.string, &mut writer)?;
        for x in [
            row.estimate,
            row.std_error,
            row.proportion,
            row.prop_std_error,
            row.prop_low_95,
            row.prop_high_95,
        ] {
            write!(writer, ",{}", as_r_writes(x))?;
        }
        writeln!(writer)?;
    }
    writer.flush()
}

fn number(row: &Row, column: usize) -> Result<f64> {
    match row.field(column) {
        Some(b"NA" | b"NaN") => Ok(f64::NAN),
        Some(b"Inf") => Ok(f64::INFINITY),
        Some(b"-Inf") => Ok(f64::NEG_INFINITY),
        _ => row.number(column, "a number, or NA"),
    }
}
