//! One answer: from a Python value to what a mechanism takes, and back.
//!
//! Whether a value is refused depends on its type alone, but for what the domain of a mechanism leaves out. What is no category is randomized as
//! such: a number of any size, a text that is no Unicode.

use deniable::BitVector;
use deniable::prelude::*;
use deniable_arrow::mechanism::{Answer, ChoiceMechanism, FloatNoise, IntegerNoise, Mechanism};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::error::{Result, refused, wrong_type};

/// A yes or a no.
pub(crate) fn truth(value: &Bound<'_, PyAny>) -> Result<bool> {
    // NumPy's too.
    value.extract().map_err(|_| wrong_type("True or False"))
}

/// A whole number, which is none if 64 bits do not hold it.
pub(crate) fn whole(value: &Bound<'_, PyAny>) -> Result<Option<i64>> {
    let is_whole = value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>();
    if is_whole {
        return Ok(value.extract().ok());
    }
    match numpys_integer(value)? {
        Some(whole) => Ok(whole.extract().ok()),
        None => Err(wrong_type("a whole number")),
    }
}

/// A whole number of NumPy's as one of Python's.
pub(crate) fn numpys_integer<'py>(value: &Bound<'py, PyAny>) -> Result<Option<Bound<'py, PyAny>>> {
    let is_whole = is_numpys(value, &INTEGERS);
    Ok(is_whole.then(|| value.call_method0("__index__")).transpose()?)
}

/// A number that is exact as a float of 64 bits.
pub(crate) fn float(value: &Bound<'_, PyAny>) -> Result<f64> {
    if let Ok(float) = value.cast::<PyFloat>() {
        return Ok(float.value());
    }
    // That of 64 bits is one of Python's.
    if is_numpys(value, &SHORT_FLOATS) {
        return value.extract().map_err(|_| wrong_type("a number"));
    }
    let accepted = "whole numbers that are floats, up to 2^53 in size, or floats";
    match whole(value).map_err(|_| wrong_type("a number"))? {
        Some(whole) if whole.unsigned_abs() <= 1 << 53 => Ok(whole as f64),
        _ => Err(deniable::Error::not_a_member(accepted).into()),
    }
}

/// A number that is exact as a float of 32 bits.
fn short_float(value: &Bound<'_, PyAny>) -> Result<f32> {
    let long = float(value)?;
    let short = long as f32;
    if f64::from(short) == long || long.is_nan() {
        return Ok(short);
    }
    Err(deniable::Error::not_a_member("floats of 32 bits").into())
}

const SHORT_FLOATS: [&str; 2] = ["float16", "float32"];
const INTEGERS: [&str; 8] =
    ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"];

/// Whether it is a number of one of these types of NumPy's.
fn is_numpys(value: &Bound<'_, PyAny>, names: &[&str]) -> bool {
    let class = value.get_type();
    class.module().is_ok_and(|module| module == "numpy")
        && class.name().is_ok_and(|own| names.iter().any(|name| own == *name))
}

/// A text that is none of the categories: longer than all of them.
fn no_text(mechanism: &ChoiceMechanism<String>) -> String {
    let mut text = mechanism.categories().into_iter().max_by_key(|text| text.len()).cloned();
    text.get_or_insert_default().push('x');
    text.unwrap_or_default()
}

/// A number that is none of the categories.
fn no_number(mechanism: &ChoiceMechanism<i64>) -> i64 {
    (0..).find(|number| mechanism.index_of(number).is_none()).unwrap_or_default()
}

/// A text, which is none of the categories if it is no Unicode.
pub(crate) fn text(
    value: &Bound<'_, PyAny>,
    mechanism: &ChoiceMechanism<String>,
) -> Result<String> {
    let text = value.cast::<PyString>().map_err(|_| wrong_type("a text"))?;
    Ok(text.to_str().map_or_else(|_| no_text(mechanism), str::to_owned))
}

/// A whole number, which is none of the categories if 64 bits do not hold it.
pub(crate) fn number(value: &Bound<'_, PyAny>, mechanism: &ChoiceMechanism<i64>) -> Result<i64> {
    Ok(whole(value)?.unwrap_or_else(|| no_number(mechanism)))
}

/// Bits: packed bytes, or a list of truth values.
pub(crate) fn bits(value: &Bound<'_, PyAny>, length: usize) -> Result<BitVector> {
    let no_member = || deniable::Error::not_a_member(BitVectorDomain::new(length).members());
    if let Ok(bytes) = value.cast::<PyBytes>() {
        let bits = BitVector::from_bytes(bytes.as_bytes(), length).map_err(|_| no_member())?;
        // Bits behind the last are no part of it.
        return if bits.to_bytes() == bytes.as_bytes() {
            Ok(bits)
        } else {
            Err(no_member().into())
        };
    }
    if !is_list(value) {
        return Err(wrong_type("bytes with packed bits, or a list of truth values"));
    }
    let bits: BitVector = value.try_iter()?.map(|bit| truth(&bit?)).collect::<Result<_>>()?;
    if bits.len() == length { Ok(bits) } else { Err(no_member().into()) }
}

/// Whether it is a list or a tuple.
pub(crate) fn is_list(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>()
}

/// What a mechanism says to one answer.
pub(crate) fn invoke<'py>(
    mechanism: &Mechanism,
    value: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyAny>> {
    let py = value.py();
    mechanism.refuse_constant_time()?;
    Ok(match mechanism {
        Mechanism::YesNo(mechanism) => {
            let report = mechanism.invoke(&truth(value)?)?;
            PyBool::new(py, report).to_owned().into_any()
        }
        Mechanism::Texts(mechanism) => {
            let answer = text(value, mechanism)?;
            match mechanism {
                ChoiceMechanism::RandomizedResponse(mechanism) => {
                    PyString::new(py, &mechanism.invoke(&answer)?).into_any()
                }
                other => packed(py, other, &answer)?,
            }
        }
        Mechanism::Integers(mechanism) => {
            let answer = number(value, mechanism)?;
            match mechanism {
                ChoiceMechanism::RandomizedResponse(mechanism) => {
                    mechanism.invoke(&answer)?.into_pyobject(py).map_err(PyErr::from)?.into_any()
                }
                other => packed(py, other, &answer)?,
            }
        }
        Mechanism::Bits(mechanism) => {
            let report = mechanism.invoke(&bits(value, mechanism.input_domain().length())?)?;
            if value.is_instance_of::<PyBytes>() {
                PyBytes::new(py, &report.to_bytes()).into_any()
            } else {
                PyList::new(py, report.iter())?.into_any()
            }
        }
        Mechanism::F64(FloatNoise::Scalar(mechanism)) => {
            PyFloat::new(py, mechanism.invoke(&float(value)?)?).into_any()
        }
        Mechanism::F32(FloatNoise::Scalar(mechanism)) => {
            PyFloat::new(py, mechanism.invoke(&short_float(value)?)?.into()).into_any()
        }
        Mechanism::I64(IntegerNoise::Scalar(mechanism)) => {
            let report = mechanism.invoke(&integer(value)?)?;
            report.into_pyobject(py).map_err(PyErr::from)?.into_any()
        }
        Mechanism::I32(IntegerNoise::Scalar(mechanism)) => {
            let report = mechanism.invoke(&integer(value)?)?;
            report.into_pyobject(py).map_err(PyErr::from)?.into_any()
        }
        Mechanism::F64(FloatNoise::Vector(mechanism)) => {
            PyList::new(py, mechanism.invoke(&all(value, float)?)?)?.into_any()
        }
        Mechanism::F32(FloatNoise::Vector(mechanism)) => {
            PyList::new(py, mechanism.invoke(&all(value, short_float)?)?)?.into_any()
        }
        Mechanism::I64(IntegerNoise::Vector(mechanism)) => {
            PyList::new(py, mechanism.invoke(&all(value, integer::<i64>)?)?)?.into_any()
        }
        Mechanism::I32(IntegerNoise::Vector(mechanism)) => {
            PyList::new(py, mechanism.invoke(&all(value, integer::<i32>)?)?)?.into_any()
        }
        _ => return Err(wrong_type("a mechanism that this module knows")),
    })
}

/// A whole number of a type of integers.
pub(crate) fn integer<T: TryFrom<i64>>(value: &Bound<'_, PyAny>) -> Result<T> {
    let number = whole(value)?.and_then(|number| T::try_from(number).ok());
    let bits = 8 * size_of::<T>();
    number.ok_or_else(|| deniable::Error::not_a_member(format!("integers of {bits} bits")).into())
}

fn all<T>(
    values: &Bound<'_, PyAny>,
    one: impl Fn(&Bound<'_, PyAny>) -> Result<T>,
) -> Result<Vec<T>> {
    if !is_list(values) {
        return Err(wrong_type("a list of numbers"));
    }
    values.try_iter()?.map(|value| one(&value?)).collect()
}

/// A report that is no category, as the bytes that columns of reports have.
fn packed<'py, T>(
    py: Python<'py>,
    mechanism: &ChoiceMechanism<T>,
    answer: &T,
) -> Result<Bound<'py, PyAny>>
where
    T: Eq + std::hash::Hash + Clone + Send + Sync,
{
    let bytes = match mechanism {
        ChoiceMechanism::UnaryEncoding(mechanism) => mechanism.invoke(answer)?.to_bytes(),
        ChoiceMechanism::SubsetSelection(mechanism) => mechanism.invoke(answer)?.to_bytes(),
        ChoiceMechanism::LocalHashing(mechanism) => {
            let report = mechanism.invoke(answer)?;
            let numbers = report.seed().iter().copied().chain([report.bucket()]);
            numbers.flat_map(u16::to_le_bytes).collect()
        }
        _ => return Err(wrong_type("a mechanism that this module knows")),
    };
    Ok(PyBytes::new(py, &bytes).into_any())
}

/// What stands for a missing answer, out of the Python value that says it.
pub(crate) struct StandIn(Owned);

enum Owned {
    Bool(bool),
    Text(String),
    Integer(i64),
    Float(f64),
    Bytes(Vec<u8>),
}

impl StandIn {
    pub(crate) fn new(value: &Bound<'_, PyAny>) -> Result<Self> {
        Ok(StandIn(if let Ok(yes) = value.extract::<bool>() {
            Owned::Bool(yes)
        } else if let Ok(text) = value.extract::<String>() {
            Owned::Text(text)
        } else if value.is_instance_of::<PyFloat>() || is_numpys(value, &SHORT_FLOATS) {
            Owned::Float(float(value)?)
        } else if let Ok(bytes) = value.cast::<PyBytes>() {
            Owned::Bytes(bytes.as_bytes().to_vec())
        } else {
            let whole = whole(value).ok().flatten();
            Owned::Integer(whole.ok_or_else(|| {
                refused("missing", "it is no answer", "an answer of this mechanism")
            })?)
        }))
    }

    pub(crate) fn answer(&self) -> Answer<'_> {
        match &self.0 {
            Owned::Bool(yes) => Answer::Bool(*yes),
            Owned::Text(text) => Answer::Text(text),
            Owned::Integer(whole) => Answer::Integer(*whole),
            Owned::Float(float) => Answer::Float(*float),
            Owned::Bytes(bytes) => Answer::Bytes(bytes),
        }
    }
}
