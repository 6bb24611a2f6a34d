//! Columns of Arrow's, which come with a promise and not with a proof: texts may be no UTF-8, and keys may be of no value.
//!
//! That the memory is there, the library that made a column must be trusted with.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericBinaryArray, GenericListArray, GenericStringArray,
    OffsetSizeTrait, RecordBatch, StringViewArray, downcast_dictionary_array,
};
use arrow_schema::DataType;

use crate::error::{Result, refused};

/// A column whose texts are Unicode: in one that is not, what cannot be read is replaced by U+FFFD.
///
/// # Errors
///
/// A dictionary without the value of a key.
pub(crate) fn sound(column: &ArrayRef) -> Result<ArrayRef> {
    if let Some(keys) = column.as_any_dictionary_opt() {
        check_keys(column)?;
        let values = sound(keys.values())?;
        let is_same = Arc::ptr_eq(&values, keys.values());
        return Ok(if is_same { column.clone() } else { keys.with_values(values) });
    }
    Ok(match column.data_type() {
        DataType::Utf8 => texts::<i32>(column),
        DataType::LargeUtf8 => texts::<i64>(column),
        DataType::Utf8View => {
            let bytes = column.as_string_view().clone().to_binary_view();
            if bytes.iter().flatten().all(is_text) {
                return Ok(column.clone());
            }
            let lossy = bytes.iter().map(|bytes| bytes.map(String::from_utf8_lossy));
            Arc::new(lossy.collect::<StringViewArray>())
        }
        DataType::List(_) => lists::<i32>(column)?,
        DataType::LargeList(_) => lists::<i64>(column)?,
        DataType::FixedSizeList(item, size) => {
            let lists = column.as_fixed_size_list();
            let values = sound(lists.values())?;
            if Arc::ptr_eq(&values, lists.values()) {
                return Ok(column.clone());
            }
            Arc::new(FixedSizeListArray::new(item.clone(), *size, values, lists.nulls().cloned()))
        }
        _ => column.clone(),
    })
}

/// The same for all columns.
///
/// # Errors
///
/// As there.
pub(crate) fn sound_batch(batch: &RecordBatch) -> Result<RecordBatch> {
    let columns = batch.columns().iter().map(sound).collect::<Result<Vec<ArrayRef>>>()?;
    RecordBatch::try_new(batch.schema(), columns).map_err(|_| unsound())
}

fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok()
}

fn texts<O: OffsetSizeTrait>(column: &ArrayRef) -> ArrayRef {
    let bytes = GenericBinaryArray::<O>::from(column.as_string::<O>().clone());
    if bytes.iter().flatten().all(is_text) {
        return column.clone();
    }
    let lossy = bytes.iter().map(|bytes| bytes.map(String::from_utf8_lossy));
    Arc::new(lossy.collect::<GenericStringArray<O>>())
}

fn lists<O: OffsetSizeTrait>(column: &ArrayRef) -> Result<ArrayRef> {
    let lists = column.as_list::<O>();
    let values = sound(lists.values())?;
    if Arc::ptr_eq(&values, lists.values()) {
        return Ok(column.clone());
    }
    let (item, offsets, _, nulls) = lists.clone().into_parts();
    Ok(Arc::new(GenericListArray::<O>::new(item, offsets, values, nulls)))
}

fn check_keys(column: &ArrayRef) -> Result<()> {
    let column: &dyn Array = column;
    downcast_dictionary_array!(
        column => {
            let values = column.values().len();
            let is_there = |key: Option<usize>| key.is_none_or(|key| key < values);
            if column.keys_iter().all(is_there) { Ok(()) } else { Err(unsound()) }
        }
        _ => Ok(())
    )
}

fn unsound() -> crate::error::Error {
    refused("column", "its dictionary has not all values", "dictionaries with a value for each key")
}
