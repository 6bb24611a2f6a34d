//! Columns: NumPy's arrays, Arrow's, and lists. What other kinds of columns become is decided in Python (`_columns.py`).
//!
//! NumPy's memory can be changed by others, so it is read while the interpreter's lock is held; the work is done without it.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, PrimitiveArray, StringArray,
};
use arrow_schema::{DataType, FieldRef};
use deniable::prelude::*;
use deniable_arrow::mechanism::{
    Answer, ChoiceMechanism, Counts, Mechanism, Noise, Reported, WholeNumber,
};
use numpy::{
    Element, IntoPyArray, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyList, PyTuple};
use pyo3_arrow::PyChunkedArray;
use pyo3_arrow::input::AnyArray;

use crate::answer::{bits, float, number, text, truth};
use crate::error::{Result, wrong_type};

/// Rows that are worked on at once, where what is made of them would otherwise be kept thrice.
const BLOCK: usize = 1 << 20;

/// The reports on a column of NumPy's. Truth values come as bytes.
pub(crate) fn randomize_numpy<'py>(
    mechanism: &Mechanism,
    column: &Bound<'py, PyAny>,
    missing: Option<Answer<'_>>,
) -> Result<Bound<'py, PyAny>> {
    let py = column.py();
    match mechanism {
        Mechanism::YesNo(yes_no) => {
            mechanism.truth_value(missing)?;
            let mut answers = truths(mechanism, column)?;
            py.detach(|| yes_no.invoke_in_place(&mut answers))?;
            Ok(answers.into_pyarray(py).into_any())
        }
        Mechanism::Integers(choice) => {
            macro_rules! each {
                ($($number:ty)*) => {$(
                    if let Ok(numbers) = column.extract::<PyReadonlyArray1<'_, $number>>() {
                        return randomize_integers(choice, &numbers, missing);
                    }
                )*};
            }
            each!(i64 i32 i16 i8 u64 u32 u16 u8);
            Err(mechanism.another_type().into())
        }
        Mechanism::Bits(_) => {
            let (rows, width) = packed_rows(mechanism, column)?;
            let reports = py.detach(|| randomize_rows(mechanism, &rows, width, missing))?;
            matrix(py, reports, width)
        }
        Mechanism::F32(noise) => randomize_numbers(mechanism, noise, column, missing),
        Mechanism::F64(noise) => randomize_numbers(mechanism, noise, column, missing),
        Mechanism::I32(noise) => randomize_numbers(mechanism, noise, column, missing),
        Mechanism::I64(noise) => randomize_numbers(mechanism, noise, column, missing),
        _ => Err(mechanism.another_type().into()),
    }
}

/// NumPy's truth values are bytes, and could be others than 0 and 1.
fn truths(mechanism: &Mechanism, column: &Bound<'_, PyAny>) -> Result<Vec<bool>> {
    let bytes: PyReadonlyArray1<'_, u8> = column.extract().map_err(|_| mechanism.another_type())?;
    match bytes.as_slice() {
        Ok(bytes) => collected(bytes.iter().map(|&byte| byte != 0)),
        Err(_) => collected(bytes.as_array().iter().map(|&byte| byte != 0)),
    }
}

fn values<T: Element + Copy>(column: &PyReadonlyArray1<'_, T>) -> Result<Vec<T>> {
    match column.as_slice() {
        Ok(values) => collected(values.iter().copied()),
        Err(_) => collected(column.as_array().iter().copied()),
    }
}

/// A copy, if there is the memory: an array of NumPy's can be longer than any memory.
fn collected<T>(values: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>> {
    let mut all = Vec::new();
    let no_memory = |_| PyMemoryError::new_err("there is not enough memory for a column so long");
    all.try_reserve_exact(values.len()).map_err(no_memory)?;
    all.extend(values);
    Ok(all)
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
        column.extract().map_err(|_| mechanism.another_type())?;
    let py = column.py();
    let mut numbers = values(&numbers)?;
    py.detach(|| noise.add_to_filled(&mut numbers, missing))?;
    Ok(numbers.into_pyarray(py).into_any())
}

fn randomize_integers<'py, N: WholeNumber + Element>(
    choice: &ChoiceMechanism<i64>,
    numbers: &PyReadonlyArray1<'py, N>,
    missing: Option<Answer<'_>>,
) -> Result<Bound<'py, PyAny>> {
    let py = numbers.py();
    let numbers = values(numbers)?;
    match py.detach(|| choice.report_numbers(numbers.iter().copied().map(Some), missing))? {
        Reported::Places(numbers) => Ok(numbers.into_pyarray(py).into_any()),
        Reported::Column(reports) => {
            let rows = reports.as_fixed_size_binary();
            matrix(py, rows.value_data().to_vec(), rows.value_length() as usize)
        }
    }
}

/// Rows of bytes, one after the other.
fn packed_rows(mechanism: &Mechanism, column: &Bound<'_, PyAny>) -> Result<(Vec<u8>, usize)> {
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
    // A slice has the order of the memory, which can be that of the columns.
    let bytes = match rows.as_slice() {
        Ok(bytes) if rows.is_c_contiguous() => collected(bytes.iter().copied()),
        _ => collected(rows.as_array().iter().copied()),
    };
    Ok((bytes?, width))
}

/// Packed bits, some rows at a time.
fn randomize_rows(
    mechanism: &Mechanism,
    rows: &[u8],
    width: usize,
    missing: Option<Answer<'_>>,
) -> deniable_arrow::Result<Vec<u8>> {
    let mut reports = Vec::with_capacity(rows.len());
    for block in rows.chunks((BLOCK * width).max(1)) {
        let block = mechanism.randomize(&binary(block.to_vec(), width), missing)?;
        reports.extend_from_slice(block.as_fixed_size_binary().value_data());
    }
    Ok(reports)
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
    Ok(column.into_chunked_array().map_err(|_| mechanism.another_type())?.into_inner())
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

/// A list of answers as a column of Arrow's. `None` and NaN are missing.
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
            Arc::new(StringArray::from(answers))
        }
        Mechanism::Integers(choice) => {
            let answers: Vec<Option<i64>> = optional!(|value| number(value, choice));
            Arc::new(PrimitiveArray::<arrow_array::types::Int64Type>::from(answers))
        }
        Mechanism::Bits(mechanism) => {
            let length = mechanism.input_domain().length();
            let answers: Vec<Option<BitVector>> = optional!(|value| bits(value, length));
            let bytes = answers.iter().map(|bits| bits.as_ref().map(BitVector::to_bytes));
            Arc::new(BinaryArray::from_iter(bytes))
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
    list_of(py, &reports, list)
}

/// A column of reports as a list. Bits are lists if an answer is one, else bytes: all of them, or a report would tell whether its answer was missing.
fn list_of<'py>(
    py: Python<'py>,
    reports: &dyn Array,
    answers: &Bound<'py, PyList>,
) -> Result<Bound<'py, PyList>> {
    use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
    Ok(match reports.data_type() {
        DataType::Boolean => PyList::new(py, reports.as_boolean().values().iter())?,
        DataType::Utf8 => {
            let texts = reports.as_string::<i32>();
            PyList::new(py, (0..texts.len()).map(|i| texts.value(i)))?
        }
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
        DataType::Binary => {
            let rows = reports.as_binary::<i32>();
            let is_list = |answer: &Bound<'py, PyAny>| {
                answer.is_instance_of::<PyList>() || answer.is_instance_of::<PyTuple>()
            };
            let length = answers.iter().find(is_list).map(|answer| answer.len());
            let length = length.transpose()?;
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
        let (rows, width) = packed_rows(mechanism, column)?;
        return Ok(py.detach(|| {
            let mut blocks = rows.chunks((BLOCK * width).max(1));
            blocks.try_for_each(|block| mechanism.count(&binary(block.to_vec(), width), counts))
        })?);
    }
    if let Mechanism::YesNo(_) = mechanism {
        let reports = BooleanArray::from(truths(mechanism, column)?);
        return Ok(py.detach(|| mechanism.count(&reports, counts))?);
    }
    macro_rules! each {
        ($($number:ty, $column:ident;)*) => {$(
            if let Ok(numbers) = column.extract::<PyReadonlyArray1<'_, $number>>() {
                let numbers = values(&numbers)?;
                let reports = PrimitiveArray::<arrow_array::types::$column>::from_iter_values(numbers);
                return Ok(py.detach(|| mechanism.count(&reports, counts))?);
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
    let chunks = imported(mechanism, column)?.0;
    Ok(column.py().detach(|| chunks.iter().try_for_each(|chunk| mechanism.count(chunk, counts)))?)
}

/// Counts a list of reports, which are answers or bytes.
pub(crate) fn count_list(
    mechanism: &Mechanism,
    list: &Bound<'_, PyList>,
    counts: &mut Counts,
) -> Result<()> {
    let py = list.py();
    let is_packed = match mechanism {
        Mechanism::Texts(choice) => !matches!(choice, ChoiceMechanism::RandomizedResponse(_)),
        Mechanism::Integers(choice) => !matches!(choice, ChoiceMechanism::RandomizedResponse(_)),
        _ => false,
    };
    let reports: ArrayRef = if is_packed {
        let bytes = |report: Bound<'_, PyAny>| match report.cast_into::<PyBytes>() {
            Ok(bytes) => Ok(bytes.as_bytes().to_vec()),
            Err(_) => Err(wrong_type("a list of packed reports, each of them bytes")),
        };
        let rows = list.iter().map(bytes).collect::<Result<Vec<_>>>()?;
        Arc::new(BinaryArray::from_iter_values(rows))
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
