//! Columns of bits: packed in bytes, the first bit of a byte the lowest, or lists of truth values.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeListArray, GenericListArray, OffsetSizeTrait,
};
use arrow_buffer::{BooleanBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, FieldRef};
use deniable::RandomizedResponseBitvec;
use deniable::prelude::*;

use super::{Answer, another_type, no_stand_in};
use crate::columns;
use crate::kind::{Packed, word};
use crate::{Error, Result};

/// [`Mechanism::randomize`](super::Mechanism::randomize) of bits.
pub(super) fn randomize(
    mechanism: &RandomizedResponseBitvec,
    answers: &dyn Array,
    missing: Option<Answer<'_>>,
) -> Result<ArrayRef> {
    let (length, count) = (length(mechanism), answers.len());
    check_offsets(answers.data_type(), count, length)?;
    let packed = Packed::bits(length);
    let is_list = answers.data_type().is_nested();
    let mut bytes = Vec::with_capacity(if is_list { 0 } else { count * packed.row_bytes() });
    let mut bits = BooleanBufferBuilder::new(if is_list { count * length } else { 0 });
    // Some rows at a time: as words they take up to eight times the memory.
    let at_once = packed.rows_at_once();
    for start in (0..count.max(1)).step_by(at_once) {
        let block = answers.slice(start, at_once.min(count - start));
        let mut rows = rows(mechanism, &block, missing)?;
        mechanism.invoke_rows(&mut rows)?;
        match is_list {
            true => add_bits(&rows, length, &mut bits),
            false => packed.add_words(&rows, &mut bytes),
        }
    }
    let mut values = || Arc::new(BooleanArray::new(bits.finish(), None)) as ArrayRef;
    Ok(match answers.data_type() {
        DataType::List(item) => lists::<i32>(item, count, values()),
        DataType::LargeList(item) => lists::<i64>(item, count, values()),
        DataType::FixedSizeList(item, size) => {
            Arc::new(FixedSizeListArray::new(item.clone(), *size, values(), None))
        }
        other => {
            let packed = packed.column(bytes);
            if packed.data_type() == other { packed } else { columns::cast(&packed, other) }
        }
    })
}

/// That the offsets of a type reach the end of the reports. A column in which something is missing can be shorter than its reports, so the type, the number of
/// rows and the length decide and nothing else: an error must not tell.
fn check_offsets(answers: &DataType, count: usize, length: usize) -> Result<()> {
    let row = match answers {
        DataType::List(item) if is_truth(item) => length,
        DataType::Binary => length.div_ceil(8),
        _ => return Ok(()),
    };
    if count.checked_mul(row).is_some_and(|end| i32::try_from(end).is_ok()) {
        return Ok(());
    }
    Err(Error::data_type(
        "the offsets of the column's type have 32 bits, which end before the reports do; accepted are types whose offsets have 64 bits, or fewer rows at a time",
    ))
}

/// The bits of each row in whole words, with zeros behind them.
pub(super) fn rows(
    mechanism: &RandomizedResponseBitvec,
    answers: &dyn Array,
    missing: Option<Answer<'_>>,
) -> Result<Vec<u64>> {
    let length = length(mechanism);
    let missing = missing.map(|missing| stand_in(mechanism, missing)).transpose()?;
    let mut rows = Rows { length, missing, words: Vec::new() };
    rows.words.reserve_exact(answers.len() * length.div_ceil(64));
    match answers.data_type() {
        DataType::FixedSizeBinary(bytes) if *bytes as usize == length.div_ceil(8) => {
            let binary = answers.as_fixed_size_binary();
            rows.add_bytes(binary.iter(), mechanism)?;
        }
        DataType::Binary => rows.add_bytes(answers.as_binary::<i32>().iter(), mechanism)?,
        DataType::LargeBinary => rows.add_bytes(answers.as_binary::<i64>().iter(), mechanism)?,
        DataType::BinaryView => rows.add_bytes(answers.as_binary_view().iter(), mechanism)?,
        DataType::List(item) if is_truth(item) => {
            rows.add_lists(answers.as_list::<i32>(), mechanism)?
        }
        DataType::LargeList(item) if is_truth(item) => {
            rows.add_lists(answers.as_list::<i64>(), mechanism)?
        }
        DataType::FixedSizeList(item, size) if is_truth(item) && *size as usize == length => {
            let (lists, size) = (answers.as_fixed_size_list(), *size as usize);
            let row = |i: usize| (!lists.is_null(i)).then(|| i * size..(i + 1) * size);
            rows.add_bits(lists.values().as_boolean(), (0..lists.len()).map(row), mechanism)?;
        }
        _ => {
            return Err(another_type(
                "packed bits, with as many bytes a row as the bits take, and lists of truth values",
            ));
        }
    }
    Ok(rows.words)
}

fn length(mechanism: &RandomizedResponseBitvec) -> usize {
    mechanism.input_domain().length()
}

fn is_truth(item: &FieldRef) -> bool {
    item.data_type() == &DataType::Boolean
}

/// What stands for missing bits, which is a member of the domain whether or not something is missing: an error must not tell.
fn stand_in(mechanism: &RandomizedResponseBitvec, missing: Answer<'_>) -> Result<Vec<u64>> {
    let domain = mechanism.input_domain();
    let words = match missing {
        Answer::Bytes(bytes) if bytes.len() == domain.length().div_ceil(8) => {
            bytes.chunks(8).map(word).collect()
        }
        _ => Vec::new(),
    };
    let bits = BitVector::from_words(words.clone(), domain.length());
    if bits.is_ok_and(|bits| domain.is_member(&bits)) {
        return Ok(words);
    }
    Err(no_stand_in(
        "packed bits, with as many bytes as they take and no more ones than `max_weight`",
    ))
}

/// Rows as they are put together.
struct Rows {
    length: usize,
    missing: Option<Vec<u64>>,
    words: Vec<u64>,
}

impl Rows {
    fn add_missing(&mut self) -> Result<()> {
        self.words.extend(self.missing.as_ref().ok_or_else(super::something_missing)?);
        Ok(())
    }

    fn add_bytes<'a>(
        &mut self,
        rows: impl Iterator<Item = Option<&'a [u8]>>,
        mechanism: &RandomizedResponseBitvec,
    ) -> Result<()> {
        for row in rows {
            match row {
                Some(row) if row.len() == self.length.div_ceil(8) => {
                    self.words.extend(row.chunks(8).map(word));
                }
                Some(_) => return Err(no_member(mechanism)),
                None => self.add_missing()?,
            }
        }
        Ok(())
    }

    fn add_lists<O: OffsetSizeTrait>(
        &mut self,
        lists: &GenericListArray<O>,
        mechanism: &RandomizedResponseBitvec,
    ) -> Result<()> {
        let end = |i: usize| lists.value_offsets()[i].as_usize();
        let row = |i: usize| (!lists.is_null(i)).then(|| end(i)..end(i + 1));
        self.add_bits(lists.values().as_boolean(), (0..lists.len()).map(row), mechanism)
    }

    fn add_bits(
        &mut self,
        bits: &BooleanArray,
        rows: impl Iterator<Item = Option<std::ops::Range<usize>>>,
        mechanism: &RandomizedResponseBitvec,
    ) -> Result<()> {
        for row in rows {
            match row {
                Some(row) if row.len() == self.length => {
                    if bits.slice(row.start, row.len()).null_count() > 0 {
                        return Err(super::something_missing());
                    }
                    let bits = bits.values().slice(row.start, row.len());
                    let words = bits.bit_chunks();
                    self.words.extend(words.iter_padded().take(self.length.div_ceil(64)));
                }
                Some(_) => return Err(no_member(mechanism)),
                None => self.add_missing()?,
            }
        }
        Ok(())
    }
}

fn no_member(mechanism: &RandomizedResponseBitvec) -> Error {
    deniable::Error::not_a_member(mechanism.input_domain().members()).into()
}

/// Adds the bits of all rows, one after the other.
fn add_bits(rows: &[u64], length: usize, bits: &mut BooleanBufferBuilder) {
    let row_words = length.div_ceil(64).max(1);
    let mut bytes = Vec::with_capacity(8 * row_words);
    for row in rows.chunks(row_words) {
        bytes.clear();
        bytes.extend(row.iter().flat_map(|word| word.to_le_bytes()));
        bits.append_packed_range(0..length, &bytes);
    }
}

fn lists<O: OffsetSizeTrait>(item: &FieldRef, count: usize, values: ArrayRef) -> ArrayRef {
    let length = values.len().checked_div(count).unwrap_or(0);
    let offsets = OffsetBuffer::from_lengths(std::iter::repeat_n(length, count));
    Arc::new(GenericListArray::<O>::new(item.clone(), offsets, values, None))
}

#[cfg(test)]
mod tests {
    use arrow_schema::Field;

    use super::*;

    #[test]
    fn offsets_that_end_before_the_reports_are_refused() {
        let item = || Arc::new(Field::new("item", DataType::Boolean, true));
        let most = i32::MAX as usize;
        for (of, bits, is_accepted) in [
            (DataType::List(item()), most, true),
            (DataType::List(item()), most + 1, false),
            (DataType::Binary, 8 * most, true),
            (DataType::Binary, 8 * most + 1, false),
            (DataType::LargeList(item()), usize::MAX, true),
            (DataType::FixedSizeList(item(), 1), usize::MAX, true),
            (DataType::LargeBinary, usize::MAX, true),
            (DataType::BinaryView, usize::MAX, true),
            (DataType::FixedSizeBinary(1), usize::MAX, true),
        ] {
            assert_eq!(check_offsets(&of, 1, bits).is_ok(), is_accepted, "{of} of {bits}");
        }
        let lists = DataType::List(item());
        assert!(check_offsets(&lists, most / 7, 7).is_ok());
        assert!(check_offsets(&lists, most / 7 + 1, 7).is_err());
        // Packed, the same rows are short enough.
        assert!(check_offsets(&DataType::Binary, most / 7 + 1, 7).is_ok());
        assert!(check_offsets(&lists, usize::MAX, 2).is_err());
        for of in [lists, DataType::Binary] {
            assert!(check_offsets(&of, 0, usize::MAX).is_ok());
        }
    }
}
