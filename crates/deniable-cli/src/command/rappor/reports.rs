//! Files of reports: a client, its cohort, and the bits as text, that of the highest number first.

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use deniable::BitVector;
use deniable::rappor::{CohortCounts, Params, Report};

use crate::error::{Error, Result};
use crate::files::{Format, open};

/// The columns of the reference's files. Of its reports, `bloom` and `prr` are for simulations: they are the answer, or nearly, and nothing here writes them.
pub(super) const CLIENT: &str = "client";
pub(super) const COHORT: &str = "cohort";
pub(super) const VALUE: &str = "value";
const REPORT: &str = "irr";

/// The columns of a file of reports.
pub(super) fn schema() -> SchemaRef {
    let column = |name, kind| Field::new(name, kind, false);
    Arc::new(Schema::new(vec![
        column(CLIENT, DataType::Utf8),
        column(COHORT, DataType::UInt32),
        column(REPORT, DataType::Utf8),
    ]))
}

/// Rows of a file of reports.
pub(super) fn batch(clients: Vec<String>, reports: &[Report]) -> RecordBatch {
    let cohorts = reports.iter().map(|report| report.cohort() as u32);
    let bits = reports.iter().map(|report| text_of(report.bits()));
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(clients)),
        Arc::new(arrow_array::UInt32Array::from_iter_values(cohorts)),
        Arc::new(StringArray::from_iter_values(bits)),
    ];
    RecordBatch::try_new(schema(), columns).expect("columns of the schema")
}

/// Counts the reports of a file.
pub(super) fn count(
    path: &Path,
    format: Option<Format>,
    params: &Params,
    counts: &mut CohortCounts,
) -> Result<()> {
    let source = open(path, format, &[COHORT, REPORT].map(str::to_owned))?;
    let mut row = 0;
    for batch in source {
        let batch = batch?;
        let (cohorts, bits) = (texts(path, &batch, COHORT)?, texts(path, &batch, REPORT)?);
        for (cohort, bits) in cohorts.iter().zip(bits.iter()) {
            row += 1;
            let cohort = cohort_of(path, row, cohort, params)?;
            let bits = bits.and_then(|bits| bits_of(bits, params.k())).ok_or_else(|| {
                let accepted = format!("{} digits of 0 and 1", params.k());
                refused(path, row, "irr is no report", &accepted)
            })?;
            counts.add(&Report::new(cohort, bits))?;
        }
    }
    Ok(())
}

/// The texts of a column that must be there.
pub(super) fn texts(path: &Path, batch: &RecordBatch, name: &str) -> Result<StringArray> {
    texts_if_there(batch, name).ok_or_else(|| {
        Error::refused(format!(
            "{}: there is no column {name} of texts or numbers; accepted is a file with one",
            path.display(),
        ))
    })
}

/// The texts of a column, if it is there.
pub(super) fn texts_if_there(batch: &RecordBatch, name: &str) -> Option<StringArray> {
    let column = batch.column_by_name(name)?;
    let texts = arrow_cast::cast(column, &DataType::Utf8).ok()?;
    Some(texts.as_string::<i32>().clone())
}

/// The cohort of a row.
pub(super) fn cohort_of(
    path: &Path,
    row: u64,
    text: Option<&str>,
    params: &Params,
) -> Result<usize> {
    let cohort = text.and_then(|text| text.trim().parse().ok());
    cohort.filter(|&cohort| cohort < params.m()).ok_or_else(|| {
        let accepted = format!("a whole number below {}", params.m());
        refused(path, row, "cohort is none", &accepted)
    })
}

/// A row, from 1, that is refused, without what is in it.
pub(super) fn refused(path: &Path, row: u64, problem: &str, accepted: &str) -> Error {
    Error::refused(format!("{}: row {row}: {problem}; accepted is {accepted}", path.display()))
}

fn text_of(bits: &BitVector) -> String {
    let digit = |bit| if bits.get(bit) == Some(true) { '1' } else { '0' };
    (0..bits.len()).rev().map(digit).collect()
}

fn bits_of(text: &str, k: usize) -> Option<BitVector> {
    let text = text.trim();
    let digit = |byte: &u8| match byte {
        b'0' => Some(false),
        b'1' => Some(true),
        _ => None,
    };
    let bits: BitVector = text.as_bytes().iter().rev().map(digit).collect::<Option<_>>()?;
    (bits.len() == k).then_some(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_bit_comes_first() {
        let bits = BitVector::from([true, false, false]);
        assert_eq!(text_of(&bits), "001");
        assert_eq!(bits_of(" 001", 3), Some(bits));
        for wrong in ["01", "0001", "002", ""] {
            assert_eq!(bits_of(wrong, 3), None);
        }
    }
}
