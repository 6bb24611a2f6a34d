//! Columns of answers and of reports, whatever type they have.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, BooleanArray, LargeStringArray, StringArray};
use arrow_schema::{DataType, Field, Schema};

use crate::{Error, Result};

/// The place of a column and what it is.
pub(crate) fn find<'a>(schema: &'a Schema, name: &str) -> Result<(usize, &'a Field)> {
    let mut named = schema.fields().iter().enumerate().filter(|(_, field)| field.name() == name);
    let Some((place, field)) = named.next() else {
        return Err(Error::column(
            name,
            "it is not there; accepted are data with a column of this name",
        ));
    };
    if named.next().is_some() {
        return Err(Error::column(name, "it is there twice; accepted is one column of a name"));
    }
    Ok((place, field))
}

/// Whether [`texts`] reads it.
pub(crate) fn is_text_like(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_text_like(values),
        DataType::RunEndEncoded(_, values) => is_text_like(values.data_type()),
        other => {
            is_text(other)
                || other.is_integer()
                || matches!(other, DataType::Boolean | DataType::Null)
        }
    }
}

/// Whether its values are texts.
pub(crate) fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// A column of texts, of any length together: offsets of 32 bits would end at 2 GiB, and one long answer would take others with it.
#[derive(Debug)]
pub(crate) enum Texts {
    Short(StringArray),
    Long(LargeStringArray),
}

impl Texts {
    /// The text at a place, if there is one.
    pub(crate) fn get(&self, i: usize) -> Option<&str> {
        match self {
            Texts::Short(texts) => (!texts.is_null(i)).then(|| texts.value(i)),
            Texts::Long(texts) => (!texts.is_null(i)).then(|| texts.value(i)),
        }
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = Option<&str>> {
        let length = match self {
            Texts::Short(texts) => texts.len(),
            Texts::Long(texts) => texts.len(),
        };
        (0..length).map(|i| self.get(i))
    }
}

/// A column as texts; whole numbers in decimal digits, truth values as `true` and `false`. Nothing where there is no text.
pub(crate) fn texts(array: &dyn Array) -> Texts {
    if let Some(texts) = array.as_string_opt::<i32>() {
        return Texts::Short(texts.clone());
    }
    Texts::Long(cast(array, &DataType::LargeUtf8).as_string::<i64>().clone())
}

/// A cast whose values are missing where there is no such value. The types are such that it cannot fail.
pub(crate) fn cast(array: &dyn Array, to: &DataType) -> Arc<dyn Array> {
    let options = arrow_cast::CastOptions { safe: true, ..Default::default() };
    // Where the cast itself is refused, all answers are missing: an error could depend on them.
    arrow_cast::cast_with_options(array, to, &options)
        .unwrap_or_else(|_| arrow_array::new_null_array(to, array.len()))
}

/// The bits of a column of truth values in words, from the least significant bit, and zeros behind the last; `missing` where there is none.
pub(crate) fn words(array: &BooleanArray, missing: bool) -> Vec<u64> {
    let values = array.values().bit_chunks();
    let mut words: Vec<u64> = values.iter_padded().collect();
    words.truncate(array.len().div_ceil(64));
    if let Some(nulls) = array.nulls() {
        let valid = nulls.inner().bit_chunks();
        for (word, valid) in words.iter_mut().zip(valid.iter_padded()) {
            *word = *word & valid | if missing { !valid } else { 0 };
        }
    }
    mask_last(&mut words, array.len());
    words
}

/// Makes the bits behind the last one zeros.
pub(crate) fn mask_last(words: &mut [u64], length: usize) {
    if let Some(last) = words.last_mut().filter(|_| !length.is_multiple_of(64)) {
        *last &= !0 >> (64 - length % 64);
    }
}

/// A column of reports in which nothing is missing.
pub(crate) fn check_whole(reports: &dyn Array) -> Result<()> {
    if reports.logical_null_count() == 0 {
        return Ok(());
    }
    Err(Error::reports(
        "something is missing in a column of reports; accepted are reports that `randomize` made",
    ))
}

/// Reports of another type, or that the survey's mechanism does not make.
pub(crate) fn no_report() -> Error {
    Error::reports(
        "a column has what its mechanism does not report; accepted are reports that `randomize` made",
    )
}
