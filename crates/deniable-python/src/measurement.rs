//! A mechanism, as Python sees it.

use std::hash::{DefaultHasher, Hash, Hasher};

use deniable::{Epsilon, Spec};
use deniable_arrow::mechanism::{Counts as RustCounts, Distance, Mechanism};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyTuple};
use pyo3_arrow::PyChunkedArray;
use pyo3_arrow::input::AnyArray;

use crate::answer::{self, StandIn};
use crate::error::{Error, Result, refused, wrong_type};
use crate::estimate::{Counts, how, values};
use crate::{column, glue};

/// A mechanism, made by one of the functions `make_…`: what it does to an answer, and what that loses.
///
/// >>> smokes = make_randomized_response_bool(prob=0.75)
/// >>> smokes
/// make_randomized_response_bool(prob=0.75, constant_time=False)
/// >>> smokes.invoke(True) in (True, False)
/// True
/// >>> round(smokes.epsilon, 4)
/// 1.0986
///
/// It can be compared, hashed, pickled and written as JSON: all that it is are its parameters.
#[pyclass(frozen, module = "deniable", from_py_object)]
#[derive(Clone)]
pub(crate) struct Measurement {
    pub(crate) mechanism: Mechanism,
}

impl Measurement {
    pub(crate) fn of_spec(spec: Spec) -> Result<Self> {
        Ok(Measurement { mechanism: Mechanism::try_from(spec)? })
    }

    pub(crate) fn json(&self) -> String {
        serde_json::to_string(&self.mechanism.spec()).expect("plain data")
    }

    fn count_into(
        &self,
        reports: &Bound<'_, PyAny>,
        kind: &str,
        counts: &mut RustCounts,
    ) -> Result<()> {
        match kind {
            "numpy" => column::count_numpy(&self.mechanism, reports, counts),
            "arrow" => column::count_arrow(&self.mechanism, reports, counts),
            _ => column::count_list(
                &self.mechanism,
                reports.cast::<PyList>().map_err(|_| wrong_type("a list"))?,
                counts,
            ),
        }
    }
}

#[pymethods]
impl Measurement {
    /// What two inputs so far apart lose at most: the ε of this distance, never below the true one.
    ///
    /// For answers, any two are 1 apart. For numbers the distance says by how much one person can change them.
    ///
    /// >>> make_vector_float_laplace_cks20(scale=2.0).map(1.0)
    /// 0.5
    fn map(&self, d_in: &Bound<'_, PyAny>) -> Result<f64> {
        Ok(self.mechanism.map(distance(&self.mechanism, d_in)?)?.get())
    }

    /// Whether two inputs `d_in` apart lose at most `d_out`.
    ///
    /// >>> make_randomized_response_bool(prob=0.75).check(1, 1.1)
    /// True
    fn check(&self, d_in: &Bound<'_, PyAny>, d_out: &Bound<'_, PyAny>) -> Result<bool> {
        // A number that would have to be rounded is refused: up, and the answer would be wrong.
        let d_out = answer::float(d_out)?;
        let loss = self.mechanism.map(distance(&self.mechanism, d_in)?)?;
        Ok(loss <= Epsilon::new(d_out)?)
    }

    /// One answer, or one vector, randomized. What comes back has the type of what went in; bits can be `bytes` or a list.
    ///
    /// >>> drink = make_randomized_response(["tea", "coffee", "water"], prob=0.8)
    /// >>> drink.invoke("tea") in ("tea", "coffee", "water")
    /// True
    fn invoke<'py>(slf: &Bound<'py, Self>, value: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        let mechanism = &slf.get().mechanism;
        let may_be_array = match mechanism {
            Mechanism::Bits(_) => !value.is_instance_of::<PyBytes>(),
            other => !other.is_local(),
        };
        let is_list = || value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
        if may_be_array && !is_list() {
            return Ok(glue(slf.py(), "_columns")?.call_method1("invoke", (slf, value))?);
        }
        answer::invoke(mechanism, value)
    }

    fn __call__<'py>(
        slf: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>> {
        Self::invoke(slf, value)
    }

    /// A column of answers, one person a row, randomized. What comes back is of the kind that went in: a NumPy array, an Arrow array or
    /// chunked array, a Polars or pandas Series, a list.
    ///
    /// Nothing may be missing in it, unless `missing` says what stands for it.
    ///
    /// Bits are a matrix of truth values, packed bytes (the first bit of a byte is the lowest), or a column of lists or bytes. Reports that are no
    /// categories, those of unary encoding, subset selection and local hashing, are packed bytes.
    ///
    /// >>> smokes = make_randomized_response_bool(epsilon=1.0)
    /// >>> len(smokes.randomize([True, False, None], missing=False))
    /// 3
    ///
    /// In expressions of Polars', eager or lazy, which then draw once for each row:
    ///
    /// >>> import polars as pl
    /// >>> noisy = pl.col("smokes").map_batches(smokes.randomize, return_dtype=pl.Boolean)
    /// >>> pl.LazyFrame({"smokes": [True, False, True]}).with_columns(noisy).collect().shape
    /// (3, 1)
    ///
    /// Randomizing the same answers again loses ε again.
    #[pyo3(signature = (column, *, missing=None))]
    fn randomize<'py>(
        slf: &Bound<'py, Self>,
        column: &Bound<'py, PyAny>,
        missing: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        let columns = glue(slf.py(), "_columns")?;
        Ok(columns.call_method1("randomize", (slf, column, missing))?)
    }

    /// Counts reports: all that estimates need. Counts of parts can be added.
    ///
    /// >>> smokes = make_randomized_response_bool(prob=0.75)
    /// >>> smokes.count([True, False]) + smokes.count([True])
    /// Counts(reports=3)
    fn count<'py>(
        slf: &Bound<'py, Self>,
        reports: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>> {
        Ok(glue(slf.py(), "_columns")?.call_method1("count", (slf, reports))?)
    }

    /// What the reports, or their counts, say: for each value its share with an interval, or the mean of numbers. See `Estimates`.
    ///
    /// The intervals are about all who could have been asked, of whom the respondents are a random sample; with `target="sample"` about the respondents
    /// themselves.
    ///
    /// >>> smokes = make_randomized_response_bool(prob=0.75)
    /// >>> found = smokes.estimate([True] * 600 + [False] * 400)
    /// >>> round(found["share"][0], 3)
    /// 0.7
    #[pyo3(signature = (reports, *, confidence=0.95, target="population"))]
    fn estimate<'py>(
        slf: &Bound<'py, Self>,
        reports: &Bound<'py, PyAny>,
        confidence: f64,
        target: &str,
    ) -> Result<Bound<'py, PyAny>> {
        let (py, own) = (slf.py(), slf.get());
        let how = how(confidence, target, Vec::new())?;
        let counts = match reports.cast::<Counts>() {
            Ok(counts) => counts.clone(),
            Err(_) => Self::count(slf, reports)?.cast_into().map_err(PyErr::from)?,
        };
        let counts = &counts.get().0;
        let found = py.detach(|| own.mechanism.estimate(counts, &how))?;
        let parts = values(py, &found, own.values(py)?)?;
        parts.set_item("epsilon", own.mechanism.epsilon().map(Epsilon::get))?;
        Ok(glue(py, "_results")?.getattr("Estimates")?.call1((parts,))?)
    }

    /// Unbiased counts of each value, in the order of the categories or bits.
    ///
    /// >>> make_randomized_response_bool(prob=0.75).debias([True] * 600 + [False] * 400)
    /// [700.0]
    fn debias<'py>(
        slf: &Bound<'py, Self>,
        reports: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>> {
        let found = Self::estimate(slf, reports, 0.95, "sample")?;
        Ok(found.call_method0("_counts")?)
    }

    /// What any two inputs lose at most: the ε of an answer.
    ///
    /// Noise on numbers has none unless there are bounds, and a size for a vector: then it is `map` that says what a distance loses.
    #[getter]
    fn epsilon(&self) -> Result<f64> {
        let epsilon = self.mechanism.epsilon().ok_or_else(|| {
            refused(
                "epsilon",
                "inputs can be any distance apart",
                "map(d_in), with the most that one person can change",
            )
        })?;
        Ok(epsilon.get())
    }

    /// The parameters by name, with the mechanism's.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let parameters = py.import("json")?.call_method1("loads", (self.json(),))?;
        Ok(parameters.cast_into().map_err(PyErr::from)?)
    }

    /// The categories, if answers are one of several.
    #[getter]
    fn categories<'py>(&self, py: Python<'py>) -> Result<Option<Bound<'py, PyList>>> {
        Ok(match &self.mechanism {
            Mechanism::Texts(choice) => Some(PyList::new(py, choice.categories())?),
            Mechanism::Integers(choice) => Some(PyList::new(py, choice.categories())?),
            _ => None,
        })
    }

    /// The mechanism as JSON, from which `Measurement.from_json` makes it again.
    ///
    /// >>> make_randomized_response_bool(prob=0.75).to_json()
    /// '{"mechanism":"randomized_response_bool","prob":0.75,"constant_time":false}'
    fn to_json(&self) -> String {
        self.json()
    }

    /// A mechanism out of JSON. Its constructor refuses what it would refuse from a program.
    #[staticmethod]
    fn from_json(text: &str) -> Result<Self> {
        let spec = serde_json::from_str(text)
            .map_err(|_| refused("text", "it is no JSON of a mechanism", "what to_json wrote"))?;
        Measurement::of_spec(spec)
    }

    fn __repr__<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        let parameters = slf.get().parameters(slf.py())?;
        Ok(glue(slf.py(), "_results")?.call_method1("constructor", (parameters,))?)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Measurement>();
        other.is_ok_and(|other| other.get().mechanism.spec() == self.mechanism.spec())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.json().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("from_json")?, (slf.get().json(),)))
    }

    /// What answers are, in a word.
    #[getter]
    fn _answers(&self) -> &'static str {
        match &self.mechanism {
            Mechanism::YesNo(_) => "truth values",
            Mechanism::Bits(_) => "bits",
            Mechanism::Texts(_) => "texts",
            Mechanism::Integers(_) => "integers",
            _ => "numbers",
        }
    }

    /// Whether reports have the type of answers.
    #[getter]
    fn _reports_are_answers(&self) -> bool {
        self.mechanism.reports_are_answers()
    }

    fn _randomize_numpy<'py>(
        &self,
        column: &Bound<'py, PyAny>,
        missing: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        let missing = missing.map(StandIn::new).transpose()?;
        column::randomize_numpy(&self.mechanism, column, missing.as_ref().map(StandIn::answer))
    }

    fn _randomize_arrow(
        &self,
        column: &Bound<'_, PyAny>,
        missing: Option<&Bound<'_, PyAny>>,
    ) -> Result<PyChunkedArray> {
        let missing = missing.map(StandIn::new).transpose()?;
        column::randomize_arrow(&self.mechanism, column, missing.as_ref().map(StandIn::answer))
    }

    fn _randomize_list<'py>(
        &self,
        column: &Bound<'py, PyList>,
        missing: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyList>> {
        let missing = missing.map(StandIn::new).transpose()?;
        column::randomize_list(&self.mechanism, column, missing.as_ref().map(StandIn::answer))
    }

    fn _count(&self, reports: &Bound<'_, PyAny>, kind: &str) -> Result<Counts> {
        let mut counts = self.mechanism.counts();
        self.count_into(reports, kind, &mut counts)?;
        Ok(Counts(counts))
    }

    /// Rows of truth values, as bytes, packed.
    #[staticmethod]
    fn _pack<'py>(rows: numpy::PyReadonlyArray2<'py, u8>) -> Result<Bound<'py, PyAny>> {
        column::pack(&rows)
    }

    /// For the bench.
    fn _batch_seconds(&self, column: &Bound<'_, PyAny>, times: usize) -> Result<Vec<f64>> {
        column::batch_seconds(&self.mechanism, column, times)
    }

    /// Where the interpreter's columns are in memory, as this module sees them: for tests that nothing was copied.
    #[staticmethod]
    fn _address(column: AnyArray) -> Result<Vec<usize>> {
        column::addresses(column)
    }
}

impl Measurement {
    /// What can be estimated of its reports.
    fn values<'py>(&self, py: Python<'py>) -> Result<Option<Bound<'py, PyList>>> {
        Ok(match &self.mechanism {
            Mechanism::YesNo(_) => Some(PyList::new(py, [true])?),
            Mechanism::Bits(bits) => {
                use deniable::estimate::FrequencyOracle;
                Some(PyList::new(py, 0..bits.values())?)
            }
            _ => self.categories(py)?,
        })
    }
}

pub(crate) fn too_many_categories() -> Error {
    refused("categories", "there are too many", "up to 16777216 of them")
}

/// A whole number, or any other one.
fn distance(mechanism: &Mechanism, d_in: &Bound<'_, PyAny>) -> Result<Distance> {
    let accepted = "a number from 0";
    if d_in.is_instance_of::<PyBool>() {
        return Err(wrong_type(accepted));
    }
    let of_numpy = answer::numpys_integer(d_in)?;
    let d_in = of_numpy.as_ref().unwrap_or(d_in);
    if d_in.is_instance_of::<PyInt>() {
        // A distance beyond all others loses as much as they do, or more.
        let is_negative = d_in.lt(0)?;
        return match d_in.extract::<u64>() {
            Ok(whole) => Ok(Distance::Whole(whole)),
            Err(_) if is_negative => {
                Err(deniable::Error::invalid_distance("d_in", "it is negative", accepted).into())
            }
            Err(_) => match mechanism {
                Mechanism::F32(_) | Mechanism::F64(_) => Ok(Distance::Float(f64::INFINITY)),
                Mechanism::I32(_) | Mechanism::I64(_) => {
                    let accepted = "a whole number below 2^64";
                    Err(deniable::Error::invalid_distance("d_in", "it is too large", accepted)
                        .into())
                }
                _ => Ok(Distance::Whole(u64::MAX)),
            },
        };
    }
    match d_in.cast::<PyFloat>() {
        Ok(float) => Ok(Distance::Float(float.value())),
        Err(_) => answer::float(d_in).map(Distance::Float).map_err(|_| wrong_type(accepted)),
    }
}
