use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, FixedSizeBinaryArray};
use datafusion::arrow::buffer::Buffer;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;

use crate::definition::{BITS, Definition, Group};

pub(super) static DEFINITION: Definition = Definition {
    name: "randomize_bits",
    group: Group::Randomize,
    summary: "Randomizes a vector of bits. Bits beyond the length do not count, those that are missing are 0, and of more than `most` ones the first count.",
    arguments: &[
        (
            "answer",
            "binary values, from the least significant bit of the first byte, or lists of truth values",
        ),
        ("parameters", "`length`; `most`, the largest number of ones; `epsilon`, or `f`"),
    ],
    returns: "packed bits, never NULL",
    example: "SELECT randomize_bits(ticks, 'length = 5, most = 2, epsilon = 4.0') AS ticks FROM answers",
    kind: BITS,
};

/// Any binary values as ones of the length's bytes; nothing for other types.
pub(super) fn packed(answers: &ArrayRef, length: usize) -> Option<ArrayRef> {
    let bytes = length.div_ceil(8);
    let mut rows = vec![0u8; bytes * answers.len()];
    let mut parts = rows.chunks_exact_mut(bytes);
    match answers.data_type() {
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => {
            let answers = cast(answers, &DataType::LargeBinary).ok()?;
            for (row, answer) in parts.by_ref().zip(answers.as_binary::<i64>()) {
                let answer = answer.unwrap_or_default();
                let common = bytes.min(answer.len());
                row[..common].copy_from_slice(&answer[..common]);
            }
        }
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _)
            if item.data_type() == &DataType::Boolean =>
        {
            let answers = cast(answers, &DataType::LargeList(item.clone())).ok()?;
            for (row, answer) in parts.by_ref().zip(answers.as_list::<i64>().iter()) {
                let Some(answer) = answer else { continue };
                for (place, _) in answer
                    .as_boolean()
                    .iter()
                    .take(length)
                    .enumerate()
                    .filter(|(_, bit)| *bit == Some(true))
                {
                    row[place / 8] |= 1 << (place % 8);
                }
            }
        }
        _ => return None,
    }
    if !length.is_multiple_of(8) {
        for row in rows.chunks_exact_mut(bytes) {
            row[bytes - 1] &= (1 << (length % 8)) - 1;
        }
    }
    let width = i32::try_from(bytes).ok()?;
    Some(Arc::new(FixedSizeBinaryArray::new(width, Buffer::from_vec(rows), None)))
}
