//! Files of rows: CSV, JSON lines, Parquet and Arrow, chosen by extension.

mod atomic;
mod background;
mod footer;
mod format;
mod ipc;
mod pages;
mod progress;
mod read;
mod write;

pub(crate) use atomic::{Atomic, refuse_existing, replace};
pub(crate) use background::Background;
pub(crate) use format::{Compression, Format};
pub(crate) use progress::watched;
pub(crate) use read::{Source, Wanted, expand, open, open_wanted};
pub(crate) use write::Sink;

use arrow_schema::DataType;

/// The rows of a batch, unless they are long.
pub(crate) const BATCH: usize = 1 << 16;

/// What the reports of a batch take, at most: there are several copies of it at a time.
const BATCH_BYTES: usize = 1 << 25;

/// The rows of a batch of reports of these types. It depends on nothing else, since it can be seen in files.
pub(crate) fn batch_rows(reports: impl IntoIterator<Item = DataType>) -> usize {
    rows_within(BATCH_BYTES, reports).min(BATCH)
}

/// How many reports take so many bytes; at least one. Bits are the only ones that can be long.
fn rows_within(bytes: usize, reports: impl IntoIterator<Item = DataType>) -> usize {
    let lengths = reports.into_iter().map(|data_type| match data_type {
        DataType::FixedSizeBinary(length) => usize::try_from(length).unwrap_or(0),
        _ => 0,
    });
    (bytes / lengths.sum::<usize>().max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_bounded_in_rows_and_bytes() {
        let rows = |lengths: &[i32]| {
            let bits = lengths.iter().map(|&length| DataType::FixedSizeBinary(length));
            batch_rows(bits.chain([DataType::Boolean, DataType::Float64]))
        };
        for lengths in [&[][..], &[0], &[1], &[512], &[256, 256]] {
            assert_eq!(rows(lengths), BATCH);
        }
        for lengths in [&[513][..], &[256, 257], &[125_000], &[62_500, 62_500], &[1 << 25]] {
            let row = lengths.iter().sum::<i32>() as usize;
            let rows = rows(lengths);
            assert!(rows < BATCH && rows * row <= BATCH_BYTES && (rows + 1) * row > BATCH_BYTES);
        }
        assert_eq!(rows(&[i32::MAX, i32::MAX]), 1);
    }
}
