//! Reports that are bits: rows of words here, binary columns of a fixed size in files, hexadecimal digits in files of text.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray};
use arrow_buffer::Buffer;
use arrow_schema::DataType;

use crate::Result;
use crate::columns::{self, check_whole, no_report};

/// Rows of `bytes` bytes each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packed {
    bytes: usize,
}

impl Packed {
    /// Rows of so many bits.
    pub(crate) fn bits(bits: usize) -> Self {
        Packed { bytes: bits.div_ceil(8) }
    }

    pub(crate) fn bytes(bytes: usize) -> Self {
        Packed { bytes }
    }

    pub(crate) fn data_type(self) -> DataType {
        DataType::FixedSizeBinary(self.bytes as i32)
    }

    /// A column of rows of bytes, one after the other.
    pub(crate) fn column(self, bytes: Vec<u8>) -> ArrayRef {
        Arc::new(FixedSizeBinaryArray::new(self.bytes as i32, Buffer::from_vec(bytes), None))
    }

    /// The same from rows of whole words.
    pub(crate) fn column_of_words(self, words: Vec<u64>) -> ArrayRef {
        if self.bytes.is_multiple_of(8) {
            let words: Vec<u64> = words.into_iter().map(u64::to_le).collect();
            let values = Buffer::from_vec(words);
            return Arc::new(FixedSizeBinaryArray::new(self.bytes as i32, values, None));
        }
        let mut bytes = Vec::with_capacity(words.len() / self.row_words() * self.bytes);
        self.add_words(&words, &mut bytes);
        self.column(bytes)
    }

    /// The bytes of rows of whole words, behind others.
    pub(crate) fn add_words(self, words: &[u64], bytes: &mut Vec<u8>) {
        for row in words.chunks(self.row_words()) {
            let row_bytes = row.iter().flat_map(|word| word.to_le_bytes());
            bytes.extend(row_bytes.take(self.bytes));
        }
    }

    /// Rows that are worked on at once, so that what is made on the way takes little memory, and is worth the while of several threads.
    pub(crate) fn rows_at_once(self) -> usize {
        (1 << 18) / self.row_words() + 1
    }

    pub(crate) fn row_bytes(self) -> usize {
        self.bytes
    }

    /// At least one, so that rows of nothing are none.
    fn row_words(self) -> usize {
        self.bytes.div_ceil(8).max(1)
    }

    /// The bytes of a column of reports, one row after the other.
    pub(crate) fn rows(self, reports: &dyn Array) -> Result<Vec<u8>> {
        check_whole(reports)?;
        if let Some(binary) = reports.as_fixed_size_binary_opt() {
            if binary.value_length() as usize != self.bytes {
                return Err(no_report());
            }
            return Ok(binary.value_data()[..binary.len() * self.bytes].to_vec());
        }
        let copied = |row: Option<&[u8]>| row.map(<[u8]>::to_vec);
        if let Some(binary) = reports.as_binary_opt::<i32>() {
            return self.concatenated(binary.iter().map(copied), reports.len());
        }
        if let Some(binary) = reports.as_binary_opt::<i64>() {
            return self.concatenated(binary.iter().map(copied), reports.len());
        }
        if let Some(binary) = reports.as_binary_view_opt() {
            return self.concatenated(binary.iter().map(copied), reports.len());
        }
        if !columns::is_text(reports.data_type()) {
            return Err(no_report());
        }
        let texts = columns::texts(reports);
        self.concatenated(texts.iter().map(|text| from_hex(text?)), reports.len())
    }

    fn concatenated(
        self,
        rows: impl Iterator<Item = Option<Vec<u8>>>,
        length: usize,
    ) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(length * self.bytes);
        for row in rows {
            let row = row.filter(|row| row.len() == self.bytes).ok_or_else(no_report)?;
            bytes.extend(row);
        }
        Ok(bytes)
    }

    /// The same as rows of whole words, of `bits` bits with zeros behind them.
    pub(crate) fn rows_of_words(self, reports: &dyn Array) -> Result<Vec<u64>> {
        let rows = self.rows(reports)?;
        let mut words = Vec::with_capacity(reports.len() * self.row_words());
        for row in rows.chunks(self.bytes) {
            words.extend(row.chunks(8).map(word));
        }
        Ok(words)
    }
}

/// A word from up to eight bytes.
pub(crate) fn word(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(all)
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).ok()).collect()
}
