//! Answers of any number of respondents, as a stream that takes no memory.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::types::UInt8Type;
use arrow_array::{ArrayRef, BooleanArray, DictionaryArray, RecordBatch, StringArray, UInt8Array};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;

/// What can be chosen; nobody chooses the last.
pub(super) const CHOICES: [&str; 8] =
    ["car", "bus", "bike", "train", "tram", "walk", "ferry", "none"];

/// After so many respondents the answers come again.
pub(super) const PERIOD: u64 = 16;

/// Who of them says yes, and what each chooses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pattern {
    pub(super) yes: [bool; PERIOD as usize],
    pub(super) choice: [u8; PERIOD as usize],
}

/// Five of sixteen say yes.
pub(super) const PATTERN: Pattern = Pattern {
    yes: [
        true, false, false, true, false, false, true, false, false, true, false, false, true,
        false, false, false,
    ],
    choice: [0, 1, 0, 2, 0, 1, 3, 0, 1, 0, 4, 2, 1, 0, 5, 6],
};

impl Pattern {
    /// How many of so many respondents say yes, then how many choose each.
    pub(super) fn counts(&self, respondents: u64) -> Vec<u64> {
        let mut counts = vec![0; 1 + CHOICES.len()];
        for (place, (yes, choice)) in self.yes.iter().zip(self.choice).enumerate() {
            let people = (respondents + PERIOD - 1 - place as u64) / PERIOD;
            counts[0] += u64::from(*yes) * people;
            counts[1 + usize::from(choice)] += people;
        }
        counts
    }

    fn batch(&self, rows: usize) -> Result<RecordBatch, ArrowError> {
        let place = |row: usize| row % PERIOD as usize;
        let yes: BooleanArray = (0..rows).map(|row| Some(self.yes[place(row)])).collect();
        let keys: UInt8Array = (0..rows).map(|row| Some(self.choice[place(row)])).collect();
        let values = Arc::new(StringArray::from(CHOICES.to_vec()));
        let choice = DictionaryArray::<UInt8Type>::try_new(keys, values)?;
        let columns: [(&str, ArrayRef); 2] = [("yes", Arc::new(yes)), ("choice", Arc::new(choice))];
        RecordBatch::try_from_iter(columns)
    }
}

/// Writes the answers of so many respondents as an Arrow stream. A batch is made once, and its bytes are written as often as it takes: what is measured is who reads them.
pub(super) fn write(to: &mut impl Write, pattern: &Pattern, respondents: u64) -> io::Result<()> {
    let [start, batch, end] = parts(pattern, ROWS).map_err(io::Error::other)?;
    let [_, rest, _] =
        parts(pattern, (respondents % ROWS as u64) as usize).map_err(io::Error::other)?;
    to.write_all(&start)?;
    for _ in 0..respondents / ROWS as u64 {
        to.write_all(&batch)?;
    }
    to.write_all(&rest)?;
    to.write_all(&end)
}

/// Of a batch, a multiple of the period.
const ROWS: usize = 1 << 16;

/// The bytes of a stream before a batch, with the dictionary; those of the batch; and those behind it.
fn parts(pattern: &Pattern, rows: usize) -> Result<[Vec<u8>; 3], ArrowError> {
    let batch = pattern.batch(rows)?;
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema())?;
    // The dictionary comes with the first batch, and not again.
    writer.write(&batch.slice(0, 0))?;
    let start = writer.get_ref().len();
    writer.write(&batch)?;
    let middle = writer.get_ref().len();
    writer.finish()?;
    let mut bytes = writer.into_inner()?;
    let end = bytes.split_off(middle);
    let batch = bytes.split_off(start);
    Ok([bytes, batch, end])
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_ipc::reader::StreamReader;

    use super::*;

    /// What is written is read again, by a reader that knows nothing of how it was put together.
    #[test]
    fn a_stream_has_the_answers_it_says() {
        for respondents in [0, 1, 15, 16, 65_535, 65_536, 65_537, 200_003] {
            let mut bytes = Vec::new();
            write(&mut bytes, &PATTERN, respondents).unwrap();
            let mut counts = vec![0; 1 + CHOICES.len()];
            let mut rows = 0;
            for batch in StreamReader::try_new(&bytes[..], None).unwrap() {
                let batch = batch.unwrap();
                rows += batch.num_rows() as u64;
                counts[0] += batch.column(0).as_boolean().true_count() as u64;
                let choices = batch.column(1).as_dictionary::<UInt8Type>();
                assert_eq!(choices.null_count(), 0);
                choices.keys().values().iter().for_each(|&key| counts[1 + usize::from(key)] += 1);
            }
            assert_eq!((rows, counts), (respondents, PATTERN.counts(respondents)));
        }
    }
}
