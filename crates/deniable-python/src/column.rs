//! Columns: NumPy's arrays, Arrow's, and lists. What other kinds of columns become is decided in Python (`_columns.py`).
//!
//! NumPy's memory can be changed by others, so it is read while the interpreter's lock is held; the work is done without it.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeBinaryArray, LargeBinaryArray, LargeStringArray,
    PrimitiveArray,
};
use arrow_schema::{DataType, FieldRef};
use deniable::prelude::*;
use deniable_arrow::mechanism::{
    Answer, ChoiceMechanism, Counts, FloatNoise, Mechanism, Noise, Reported, WholeNumber,
};
use numpy::ndarray::Axis;
use numpy::{
    Element, IntoPyArray, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyList};
use pyo3_arrow::PyChunkedArray;
use pyo3_arrow::input::AnyArray;

use crate::answer::{bits, float, is_list, number, text, truth};
use crate::error::{Result, wrong_type};
use crate::import::sound;

/// Rows that are worked on at once: what is made on the way is kept for so many alone.
const BLOCK: usize = 1 << 20;

/// Rows that are counted at once: those of the command's, so that sums are rounded alike.
const COUNTED: usize = 1 << 16;

/// The reports on a column of NumPy's. Truth values come as bytes.
pub(crate) fn randomize_numpy<'py>(
    mechanism: &Mechanism,
    column: &Bound<'py, PyAny>,
    missing: Option<Answer<'_>>,
) -> Result<Bound<'py, PyAny>> {
    let py = column.py();
    mechanism.refuse_constant_time()?;
    match mechanism {
        Mechanism::YesNo(yes_no) => {
            mechanism.truth_value(missing)?;
            let answers = truths(mechanism, column)?;
            let mut reports = room(answers.len())?;
            in_blocks(py, answers.len(), BLOCK, |rows| {
                let start = rows.start;
                add_values(&answers, rows, is_true, &mut reports);
                Ok(py.detach(|| yes_no.invoke_in_place(&mut reports[start..]))?)
            })?;
            Ok(reports.into_pyarray(py).into_any())
        }
        Mechanism::Integers(choice) => {
            macro_rules! each {
                ($($number:ty)*) => {$(
                    if let Some(numbers) = numbers_of::<$number>(column) {
                        return randomize_integers(choice, &numbers, missing);
                    }
                )*};
            }
            each!(i64 i32 i16 i8 u64 u32 u16 u8);
            Err(mechanism.another_type().into())
        }
        Mechanism::Bits(_) => randomize_rows(mechanism, column, missing),
        Mechanism::F32(noise) => randomize_numbers(mechanism, noise, column, missing),
        Mechanism::F64(noise) => randomize_numbers(mechanism, noise, column, missing),
        Mechanism::I32(noise) => randomize_numbers(mechanism, noise, column, missing),
        Mechanism::I64(noise) => randomize_numbers(mechanism, noise, column, missing),
        _ => Err(mechanism.another_type().into()),
    }
}

/// Does the work on some rows at a time; on none, if there are none. Between two times a signal can end it, and what was made is dropped.
fn in_blocks(
    py: Python<'_>,
    rows: usize,
    block: usize,
    mut work: impl FnMut(Range<usize>) -> Result<()>,
) -> Result<()> {
    for start in (0..rows.max(1)).step_by(block) {
        work(start..rows.min(start + block))?;
        py.check_signals()?;
    }
    Ok(())
}

/// Truth values as the bytes that they are.
fn truths<'py>(
    mechanism: &Mechanism,
    column: &Bound<'py, PyAny>,
) -> Result<PyReadonlyArray1<'py, u8>> {
    Ok(column.extract().map_err(|_| mechanism.another_type())?)
}

/// A column of numbers, of which each is at an address and a distance of a whole number of them: others would be read from where they are not.
fn numbers_of<'py, T: Element>(column: &Bound<'py, PyAny>) -> Option<PyReadonlyArray1<'py, T>> {
    let array: PyReadonlyArray1<'py, T> = column.extract().ok()?;
    let size = size_of::<T>() as isize;
    let is_aligned = (array.data() as usize).is_multiple_of(align_of::<T>());
    let is_whole = array.strides().iter().all(|stride| stride % size == 0);
    (is_aligned && is_whole).then_some(array)
}

/// Adds some of a column's values to others, each made into something else.
fn add_values<T: Element + Copy, U>(
    column: &PyReadonlyArray1<'_, T>,
    rows: Range<usize>,
    of: impl Fn(T) -> U,
    all: &mut Vec<U>,
) {
    match column.as_slice() {
        Ok(values) => all.extend(values[rows].iter().map(|&value| of(value))),
        Err(_) => {
            let mut values = column.as_array();
            values.slice_axis_inplace(Axis(0), rows.into());
            all.extend(values.iter().map(|&value| of(value)));
        }
    }
}

fn values<T: Element + Copy, U>(
    column: &PyReadonlyArray1<'_, T>,
    rows: Range<usize>,
    of: impl Fn(T) -> U,
) -> Vec<U> {
    let mut values = Vec::with_capacity(rows.len());
    add_values(column, rows, of, &mut values);
    values
}

/// NumPy's truth values could be others than 0 and 1.
fn is_true(byte: u8) -> bool {
    byte != 0
}

fn same<T>(value: T) -> T {
    value
}

/// Room for so many, if there is the memory: an array of NumPy's can be longer than any.
fn room<T>(length: usize) -> Result<Vec<T>> {
    let mut all = Vec::new();
    all.try_reserve_exact(length).map_err(no_memory)?;
    Ok(all)
}

fn no_memory(_: std::collections::TryReserveError) -> PyErr {
    PyMemoryError::new_err("there is not enough memory for a column so long")
}

fn randomize_numbers<'py, N: Noise + Sync>(
    mechanism: &Mechanism,
    noise: &N,
    column: &Bound<'py, PyAny>,
    missing: Option<Answer<'_>>,
) -> Result<Bound<'py, PyAny>>
where
    N::Number: Element,
{
    let numbers: PyReadonlyArray1<'_, N::Number> =
        numbers_of(column).ok_or_else(|| mechanism.another_type())?;
    let py = column.py();
    let mut reports = room(numbers.len())?;
    // A vector is one input.
    let block = if noise.is_vector() { usize::MAX } else { BLOCK };
    in_blocks(py, numbers.len(), block, |rows| {
        let start = rows.start;
        add_values(&numbers, rows, same, &mut reports);
        Ok(py.detach(|| noise.add_to_filled(&mut reports[start..], missing))?)
    })?;
    Ok(reports.into_pyarray(py).into_any())
}

fn randomize_integers<'py, N: WholeNumber + Element>(
    choice: &ChoiceMechanism<i64>,
    numbers: &PyReadonlyArray1<'py, N>,
    missing: Option<Answer<'_>>,
) -> Result<Bound<'py, PyAny>> {
    let (py, count) = (numbers.py(), numbers.len());
    let (mut places, mut packed, mut width) = (Vec::new(), Vec::new(), 0);
    in_blocks(py, count, choice.rows_at_once(), |rows| {
        let left = count - rows.end;
        let block = values(numbers, rows, same);
        match py.detach(|| choice.report_numbers(block.into_iter().map(Some), missing))? {
            Reported::Places(numbers) => append(&mut places, numbers, left)?,
            Reported::Column(reports) => {
                let rows = reports.as_fixed_size_binary();
                width = rows.value_length() as usize;
                append(&mut packed, rows.value_data().to_vec(), left * width)?;
            }
        }
        Ok(())
    })?;
    match width {
        0 => Ok(places.into_pyarray(py).into_any()),
        width => matrix(py, packed, width),
    }
}

/// Adds a block of reports, of which `left` are to follow. The first is not copied.
fn append<T: Copy>(all: &mut Vec<T>, block: Vec<T>, left: usize) -> Result<()> {
    if all.is_empty() {
        *all = block;
        all.try_reserve_exact(left).map_err(no_memory)?;
    } else {
        all.extend_from_slice(&block);
    }
    Ok(())
}

/// Rows of bytes.
fn packed_rows<'py>(
    mechanism: &Mechanism,
    column: &Bound<'py, PyAny>,
) -> Result<PyReadonlyArray2<'py, u8>> {
    let rows: PyReadonlyArray2<'_, u8> = column.extract().map_err(|_| mechanism.another_type())?;
    let width = rows.shape()[1];
    if let Mechanism::Bits(bits) = mechanism {
        let domain = bits.input_domain();
        if width != domain.length().div_ceil(8) {
            return Err(deniable::Error::not_a_member(domain.members()).into());
        }
    }
    if width == 0 || i32::try_from(width).is_err() {
        return Err(mechanism.another_type().into());
    }
    Ok(rows)
}

/// Some of them, one after the other.
fn block_of(rows: &PyReadonlyArray2<'_, u8>, block: Range<usize>) -> FixedSizeBinaryArray {
    let width = rows.shape()[1];
    // A slice has the order of the memory, which can be that of the columns.
    let bytes = match rows.as_slice() {
        Ok(bytes) if rows.is_c_contiguous() => {
            bytes[block.start * width..block.end * width].to_vec()
        }
        _ => {
            let mut rows = rows.as_array();
            rows.slice_axis_inplace(Axis(0), block.into());
            rows.iter().copied().collect()
        }
    };
    binary(bytes, width)
}

/// Rows of truth values, which come as bytes, with eight of them packed in a byte.
pub(crate) fn pack<'py>(rows: &PyReadonlyArray2<'py, u8>) -> Result<Bound<'py, PyAny>> {
    let py = rows.py();
    let (rows, width) = (rows.as_array(), rows.shape()[1].div_ceil(8));
    let length = rows.nrows().saturating_mul(width);
    let mut packed = room(length)?;
    packed.resize(length, 0u8);
    for (row, bytes) in rows.rows().into_iter().zip(packed.chunks_mut(width.max(1))) {
        for (place, &truth) in row.iter().enumerate() {
            bytes[place / 8] |= u8::from(truth != 0) << (place % 8);
        }
    }
    matrix(py, packed, width)
}

/// Packed bits, some rows at a time.
fn randomize_rows<'py>(
    mechanism: &Mechanism,
    column: &Bound<'py, PyAny>,
    missing: Option<Answer<'_>>,
) -> Result<Bound<'py, PyAny>> {
    let (py, rows) = (column.py(), packed_rows(mechanism, column)?);
    let (count, width) = (rows.shape()[0], rows.shape()[1]);
    let mut reports = room(count.saturating_mul(width))?;
    in_blocks(py, count, BLOCK / width + 1, |block| {
        let block = block_of(&rows, block);
        let block = py.detach(|| mechanism.randomize(&block, missing))?;
        reports.extend_from_slice(block.as_fixed_size_binary().value_data());
        Ok(())
    })?;
    matrix(py, reports, width)
}

fn binary(rows: Vec<u8>, width: usize) -> FixedSizeBinaryArray {
    FixedSizeBinaryArray::new(width as i32, rows.into(), None)
}

fn matrix(py: Python<'_>, rows: Vec<u8>, width: usize) -> Result<Bound<'_, PyAny>> {
    let count = rows.len() / width;
    Ok(rows.into_pyarray(py).reshape([count, width])?.into_any())
}

/// The reports on a column of Arrow's, chunk by chunk.
pub(crate) fn randomize_arrow(
    mechanism: &Mechanism,
    column: &Bound<'_, PyAny>,
    missing: Option<Answer<'_>>,
) -> Result<PyChunkedArray> {
    let chunks = chunks(mechanism, column)?;
    let reports = column.py().detach(|| {
        let reports = chunks.iter().map(|chunk| mechanism.randomize(chunk, missing));
        let reports = reports.collect::<deniable_arrow::Result<Vec<ArrayRef>>>()?;
        of_one_type(mechanism, reports)
    })?;
    Ok(PyChunkedArray::from_array_refs(reports).map_err(PyErr::from)?)
}

/// Texts that could be too many for short offsets have long ones: then all chunks do.
fn of_one_type(
    mechanism: &Mechanism,
    reports: Vec<ArrayRef>,
) -> deniable_arrow::Result<Vec<ArrayRef>> {
    let long = DataType::LargeUtf8;
    if reports.iter().all(|chunk| chunk.data_type() != &long) {
        return Ok(reports);
    }
    let cast =
        |chunk: &ArrayRef| arrow_cast::cast(chunk, &long).map_err(|_| mechanism.another_type());
    reports.iter().map(cast).collect()
}

/// A column of Arrow's. What its library says if it is none may have its values in it, and is not passed on.
fn imported(mechanism: &Mechanism, column: &Bound<'_, PyAny>) -> Result<(Vec<ArrayRef>, FieldRef)> {
    let column = column.extract::<AnyArray>().map_err(|_| mechanism.another_type())?;
    let column = column.into_chunked_array().map_err(|_| mechanism.another_type())?;
    let (chunks, field) = column.into_inner();
    Ok((chunks.iter().map(sound).collect::<Result<_>>()?, field))
}

/// The chunks of a column; one, if it is one input.
fn chunks(mechanism: &Mechanism, column: &Bound<'_, PyAny>) -> Result<Vec<ArrayRef>> {
    let (mut chunks, field) = imported(mechanism, column)?;
    if chunks.is_empty() {
        chunks.push(arrow_array::new_empty_array(field.data_type()));
    }
    if !mechanism.is_local() && chunks.len() > 1 {
        let all: Vec<&dyn Array> = chunks.iter().map(|chunk| &**chunk).collect();
        let one = arrow_select::concat::concat(&all).map_err(|_| mechanism.another_type())?;
        return Ok(vec![one]);
    }
    Ok(chunks)
}

/// A list of answers or of reports as a column of Arrow's. `None` and NaN are missing. Texts and bytes have offsets of 64 bits: those of 32 end at 2 GiB, and one
/// long answer would take all others with it.
fn column_of(mechanism: &Mechanism, list: &Bound<'_, PyList>) -> Result<ArrayRef> {
    macro_rules! optional {
        ($one:expr) => {
            list.iter()
                .map(|value| if is_missing(&value) { Ok(None) } else { $one(&value).map(Some) })
                .collect::<Result<_>>()?
        };
    }
    Ok(match mechanism {
        Mechanism::YesNo(_) => {
            let answers: Vec<Option<bool>> = optional!(truth);
            Arc::new(BooleanArray::from(answers))
        }
        Mechanism::Texts(choice) => {
            let answers: Vec<Option<String>> = optional!(|value| text(value, choice));
            Arc::new(LargeStringArray::from(answers))
        }
        Mechanism::Integers(choice) => {
            let answers: Vec<Option<i64>> = optional!(|value| number(value, choice));
            Arc::new(PrimitiveArray::<arrow_array::types::Int64Type>::from(answers))
        }
        Mechanism::Bits(mechanism) => {
            let length = mechanism.input_domain().length();
            let answers: Vec<Option<BitVector>> = optional!(|value| bits(value, length));
            let bytes = answers.iter().map(|bits| bits.as_ref().map(BitVector::to_bytes));
            Arc::new(LargeBinaryArray::from_iter(bytes))
        }
        Mechanism::F32(_) => {
            let answers: Vec<Option<f64>> = optional!(float);
            let is_exact = |x: &f64| f64::from(*x as f32) == *x || x.is_nan();
            if !answers.iter().flatten().all(is_exact) {
                return Err(deniable::Error::not_a_member("floats of 32 bits").into());
            }
            let short = answers.into_iter().map(|x| x.map(|x| x as f32));
            Arc::new(short.collect::<PrimitiveArray<arrow_array::types::Float32Type>>())
        }
        Mechanism::F64(_) => {
            let answers: Vec<Option<f64>> = optional!(float);
            Arc::new(PrimitiveArray::<arrow_array::types::Float64Type>::from(answers))
        }
        Mechanism::I32(_) => {
            let answers: Vec<Option<i32>> = optional!(integer);
            Arc::new(PrimitiveArray::<arrow_array::types::Int32Type>::from(answers))
        }
        Mechanism::I64(_) => {
            let answers: Vec<Option<i64>> = optional!(integer);
            Arc::new(PrimitiveArray::<arrow_array::types::Int64Type>::from(answers))
        }
        _ => return Err(mechanism.another_type().into()),
    })
}

fn integer<T: TryFrom<i64>>(value: &Bound<'_, PyAny>) -> Result<T> {
    crate::answer::integer(value)
}

fn is_missing(value: &Bound<'_, PyAny>) -> bool {
    value.is_none() || value.cast::<PyFloat>().is_ok_and(|float| float.value().is_nan())
}

/// The reports on a list of answers, as a list.
pub(crate) fn randomize_list<'py>(
    mechanism: &Mechanism,
    list: &Bound<'py, PyList>,
    missing: Option<Answer<'_>>,
) -> Result<Bound<'py, PyList>> {
    let py = list.py();
    let answers = column_of(mechanism, list)?;
    let reports = py.detach(|| mechanism.randomize(&answers, missing))?;
    list_of(mechanism, &reports, list)
}

/// A column of reports as a list. Bits are lists if an answer is one, else bytes: all of them, or a report would tell whether its answer was missing.
fn list_of<'py>(
    mechanism: &Mechanism,
    reports: &dyn Array,
    answers: &Bound<'py, PyList>,
) -> Result<Bound<'py, PyList>> {
    let py = answers.py();
    use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
    Ok(match reports.data_type() {
        DataType::Boolean => PyList::new(py, reports.as_boolean().values().iter())?,
        DataType::LargeUtf8 => {
            let texts = reports.as_string::<i64>();
            PyList::new(py, (0..texts.len()).map(|i| texts.value(i)))?
        }
        DataType::Int64 => PyList::new(py, reports.as_primitive::<Int64Type>().values())?,
        DataType::Int32 => PyList::new(py, reports.as_primitive::<Int32Type>().values())?,
        DataType::Float64 => PyList::new(py, reports.as_primitive::<Float64Type>().values())?,
        DataType::Float32 => PyList::new(py, reports.as_primitive::<Float32Type>().values())?,
        DataType::FixedSizeBinary(_) => {
            let rows = reports.as_fixed_size_binary();
            PyList::new(py, (0..rows.len()).map(|i| PyBytes::new(py, rows.value(i))))?
        }
        DataType::LargeBinary => {
            let rows = reports.as_binary::<i64>();
            let length = match mechanism {
                Mechanism::Bits(bits) if answers.iter().any(|answer| is_list(&answer)) => {
                    Some(bits.input_domain().length())
                }
                _ => None,
            };
            let row = |i: usize| -> Result<Bound<'py, PyAny>> {
                let Some(length) = length else {
                    return Ok(PyBytes::new(py, rows.value(i)).into_any());
                };
                let bits = BitVector::from_bytes(rows.value(i), length)?;
                Ok(PyList::new(py, bits.iter())?.into_any())
            };
            PyList::new(py, (0..rows.len()).map(row).collect::<Result<Vec<_>>>()?)?
        }
        _ => return Err(wrong_type("a column of reports")),
    })
}

/// Counts a column of NumPy's. Truth values come as bytes.
pub(crate) fn count_numpy(
    mechanism: &Mechanism,
    column: &Bound<'_, PyAny>,
    counts: &mut Counts,
) -> Result<()> {
    let py = column.py();
    if column.extract::<PyReadonlyArray2<'_, u8>>().is_ok() {
        let rows = packed_rows(mechanism, column)?;
        return in_blocks(py, rows.shape()[0], COUNTED, |block| {
            let block = block_of(&rows, block);
            Ok(py.detach(|| mechanism.count(&block, counts))?)
        });
    }
    if let Mechanism::YesNo(_) = mechanism {
        let reports = truths(mechanism, column)?;
        return in_blocks(py, reports.len(), COUNTED, |rows| {
            let block = values(&reports, rows, is_true);
            Ok(py.detach(|| mechanism.count(&BooleanArray::from(block), counts))?)
        });
    }
    macro_rules! each {
        ($($number:ty, $column:ident;)*) => {$(
            if let Some(reports) = numbers_of::<$number>(column) {
                return in_blocks(py, reports.len(), COUNTED, |rows| {
                    let block = values(&reports, rows, same);
                    let block = PrimitiveArray::<arrow_array::types::$column>::from(block);
                    Ok(py.detach(|| mechanism.count(&block, counts))?)
                });
            }
        )*};
    }
    each! {
        f64, Float64Type; f32, Float32Type; i64, Int64Type; i32, Int32Type; i16, Int16Type; i8, Int8Type;
        u64, UInt64Type; u32, UInt32Type; u16, UInt16Type; u8, UInt8Type;
    }
    Err(mechanism.another_type().into())
}

/// Counts a column of Arrow's.
pub(crate) fn count_arrow(
    mechanism: &Mechanism,
    column: &Bound<'_, PyAny>,
    counts: &mut Counts,
) -> Result<()> {
    let (py, chunks) = (column.py(), imported(mechanism, column)?.0);
    chunks.iter().try_for_each(|chunk| {
        in_blocks(py, chunk.len(), COUNTED, |rows| {
            let block = chunk.slice(rows.start, rows.len());
            Ok(py.detach(|| mechanism.count(&block, counts))?)
        })
    })
}

/// Counts a list of reports, which are answers or bytes.
pub(crate) fn count_list(
    mechanism: &Mechanism,
    list: &Bound<'_, PyList>,
    counts: &mut Counts,
) -> Result<()> {
    let py = list.py();
    let reports: ArrayRef = if !mechanism.reports_are_answers() {
        let bytes = |report: Bound<'_, PyAny>| match report.cast_into::<PyBytes>() {
            Ok(bytes) => Ok(bytes.as_bytes().to_vec()),
            Err(_) => Err(wrong_type("a list of packed reports, each of them bytes")),
        };
        let rows = list.iter().map(bytes).collect::<Result<Vec<_>>>()?;
        Arc::new(LargeBinaryArray::from_iter_values(rows))
    } else {
        column_of(mechanism, list)?
    };
    Ok(py.detach(|| mechanism.count(&reports, counts))?)
}

/// The addresses of the values of a column's chunks.
pub(crate) fn addresses(column: AnyArray) -> Result<Vec<usize>> {
    let chunks = column.into_chunked_array().map_err(PyErr::from)?.into_inner().0;
    let first = |chunk: &ArrayRef| chunk.to_data().buffers().last().map(|b| b.as_ptr() as usize);
    Ok(chunks.iter().filter_map(first).collect())
}

/// How long the library's own batch takes on the memory of an array of NumPy's, of which truth values come as bytes: what the bench compares with.
pub(crate) fn batch_seconds(
    mechanism: &Mechanism,
    column: &Bound<'_, PyAny>,
    times: usize,
) -> Result<Vec<f64>> {
    macro_rules! measure {
        ($type:ty, $batch:expr) => {{
            let answers: PyReadonlyArray1<'_, $type> =
                column.extract().map_err(|_| mechanism.another_type())?;
            let answers = answers.as_slice().map_err(|_| mechanism.another_type())?;
            seconds(times, || $batch(answers))
        }};
    }
    mechanism.refuse_constant_time()?;
    match mechanism {
        Mechanism::YesNo(yes_no) => {
            let answers = truths(mechanism, column)?;
            // A byte can be anything, a truth value is one of two.
            let answers: Vec<bool> = answers.as_array().iter().map(|&byte| byte != 0).collect();
            seconds(times, || yes_no.invoke_batch(&answers))
        }
        Mechanism::Integers(ChoiceMechanism::RandomizedResponse(choice)) => {
            measure!(i64, |answers| choice.invoke_batch(answers))
        }
        Mechanism::F64(FloatNoise::Scalar(noise)) => {
            measure!(f64, |answers| noise.invoke_batch(answers))
        }
        Mechanism::F64(FloatNoise::Vector(noise)) => measure!(f64, |answers| noise.invoke(answers)),
        _ => Err(mechanism.another_type().into()),
    }
}

fn seconds<T>(times: usize, batch: impl Fn() -> deniable::Result<T>) -> Result<Vec<f64>> {
    let once = |_| {
        let start = std::time::Instant::now();
        std::hint::black_box(batch()?);
        Ok(start.elapsed().as_secs_f64())
    };
    (0..times).map(once).collect()
}
