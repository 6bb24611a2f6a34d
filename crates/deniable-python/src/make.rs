//! The constructors, under the names of the specification.

use deniable::mechanism::{
    local_hashing, randomized_response, randomized_response_bitvec, randomized_response_bool,
    subset_selection, unary_encoding, vector_float_laplace_cks20, vector_integer_laplace_cks20,
};
use deniable::num::{Directed, InfCast};
use deniable::spec::{Categories, FloatType, IntegerType};
use deniable::{BitVectorDomain, Epsilon, Spec};
use deniable_arrow::mechanism::MOST_VALUES;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyInt, PyString};

use crate::answer;
use crate::error::{Error, Result, refused, wrong_type};
use crate::measurement::{Measurement, too_many_categories};

/// Yes or no, asked of each person: the truth with probability `prob`, else the opposite.
///
/// Give `prob`, from 0.5 to 1, or `epsilon`, for which the largest `prob` is taken. `constant_time` is what
/// devices that answer in constant time were given: their reports are counted here, but nothing is randomized, since Python cannot keep it.
///
/// >>> make_randomized_response_bool(epsilon=1.0).check(1, 1.0)
/// True
#[pyfunction]
#[pyo3(signature = (prob=None, *, epsilon=None, constant_time=false))]
fn make_randomized_response_bool(
    prob: Option<f64>,
    epsilon: Option<f64>,
    constant_time: bool,
) -> Result<Measurement> {
    let prob = match one_of("prob", prob, epsilon)? {
        Given::Own(prob) => prob,
        Given::Epsilon(epsilon) => randomized_response_bool::largest_prob(epsilon),
    };
    Measurement::of_spec(Spec::RandomizedResponseBool { prob, constant_time })
}

/// One of several categories, asked of each person: the truth with probability `prob`, else any other.
///
/// Categories are two or more texts, or whole numbers. Give `prob`, from 1/t to below 1, or `epsilon`. An answer that is none of the
/// categories becomes any of them: have a category for others, and put them into it, or estimates are off.
///
/// >>> make_randomized_response(["tea", "coffee", "water"], prob=0.8).map(1) < 2.08
/// True
#[pyfunction]
#[pyo3(signature = (categories, prob=None, *, epsilon=None))]
fn make_randomized_response(
    categories: &Bound<'_, PyAny>,
    prob: Option<f64>,
    epsilon: Option<f64>,
) -> Result<Measurement> {
    let categories = categories_of(categories)?;
    let prob = match one_of("prob", prob, epsilon)? {
        Given::Own(prob) => prob,
        Given::Epsilon(epsilon) => randomized_response::largest_prob(len(&categories), epsilon)?,
    };
    Measurement::of_spec(Spec::RandomizedResponse { categories, prob })
}

/// One of several categories, asked of each person, as a bit for each: that of the truth is one with probability `one`, each other with probability `zero`.
///
/// Give both, or `epsilon`, for which the best two are taken. Reports are packed bits.
///
/// >>> make_unary_encoding(range(100), epsilon=1.0).parameters["one"]
/// 0.5
#[pyfunction]
#[pyo3(signature = (categories, one=None, zero=None, *, epsilon=None))]
fn make_unary_encoding(
    categories: &Bound<'_, PyAny>,
    one: Option<f64>,
    zero: Option<f64>,
    epsilon: Option<f64>,
) -> Result<Measurement> {
    let categories = categories_of(categories)?;
    let (one, zero) = match one_of("one and zero", both(one, zero)?, epsilon)? {
        Given::Own(both) => both,
        Given::Epsilon(epsilon) => unary_encoding::optimized(epsilon)?,
    };
    Measurement::of_spec(Spec::UnaryEncoding { categories, one, zero })
}

/// One of several categories, asked of each person, as a set of `size` of them: the truth is among them with probability `prob`, the others are random.
///
/// Give both, or `epsilon`, for which the best two are taken. Reports are packed bits.
///
/// >>> make_subset_selection(range(100), epsilon=1.0).parameters["size"]
/// 27
#[pyfunction]
#[pyo3(signature = (categories, size=None, prob=None, *, epsilon=None))]
fn make_subset_selection(
    categories: &Bound<'_, PyAny>,
    size: Option<&Bound<'_, PyAny>>,
    prob: Option<f64>,
    epsilon: Option<f64>,
) -> Result<Measurement> {
    let categories = categories_of(categories)?;
    let size = size.map(|size| whole("size", size)).transpose()?;
    let (size, prob) = match one_of("size and prob", both(size, prob)?, epsilon)? {
        Given::Own(both) => both,
        Given::Epsilon(epsilon) => {
            let size = subset_selection::best_size(len(&categories), epsilon)?;
            (size, subset_selection::largest_prob(len(&categories), size, epsilon)?)
        }
    };
    Measurement::of_spec(Spec::SubsetSelection { categories, size, prob })
}

/// One of very many categories, asked of each person, hashed into `buckets` by a function that the report names: the truth's bucket with probability `prob`, else any other.
///
/// Give both, or `epsilon`, for which the best two are taken. Reports are bytes.
///
/// >>> make_local_hashing(range(100_000), epsilon=1.0).parameters["buckets"]
/// 4
#[pyfunction]
#[pyo3(signature = (categories, buckets=None, prob=None, *, epsilon=None))]
fn make_local_hashing(
    categories: &Bound<'_, PyAny>,
    buckets: Option<&Bound<'_, PyAny>>,
    prob: Option<f64>,
    epsilon: Option<f64>,
) -> Result<Measurement> {
    let categories = categories_of(categories)?;
    let buckets = buckets.map(|buckets| whole("buckets", buckets)).transpose()?;
    let (buckets, prob) = match one_of("buckets and prob", both(buckets, prob)?, epsilon)? {
        Given::Own(both) => both,
        Given::Epsilon(epsilon) => {
            let buckets = local_hashing::best_buckets(epsilon);
            (buckets, local_hashing::largest_prob(buckets, epsilon)?)
        }
    };
    Measurement::of_spec(Spec::LocalHashing { categories, buckets, prob })
}

/// `length` bits, asked of each person, at most `max_weight` of them ones: each is flipped with probability f/2. That is the permanent step of RAPPOR.
///
/// Give `f`, above 0 and at most 1, or `epsilon`. `constant_time` is what devices that answer in constant time were
/// given: their reports are counted here, but nothing is randomized, since Python cannot keep it.
///
/// >>> make_randomized_response_bitvec(length=3, max_weight=3, f=0.5).invoke([True, False, True]).__len__()
/// 3
#[pyfunction]
#[pyo3(signature = (length, max_weight, f=None, *, epsilon=None, constant_time=false))]
fn make_randomized_response_bitvec(
    length: &Bound<'_, PyAny>,
    max_weight: &Bound<'_, PyAny>,
    f: Option<f64>,
    epsilon: Option<f64>,
    constant_time: bool,
) -> Result<Measurement> {
    let (length, max_weight) = (whole("length", length)?, whole("max_weight", max_weight)?);
    let f = match one_of("f", f, epsilon)? {
        Given::Own(f) => f,
        Given::Epsilon(epsilon) => {
            let domain = BitVectorDomain::new(length).with_max_weight(max_weight);
            randomized_response_bitvec::smallest_f(&domain, epsilon)?
        }
    };
    Measurement::of_spec(Spec::RandomizedResponseBitvec { length, max_weight, f, constant_time })
}

/// Laplace noise on a float: of each person, or one about everybody.
///
/// Give the `scale` of the noise, or `epsilon` with `sensitivity`, the most by which one person changes the number. With `bounds`, numbers outside of
/// them are refused, and the sensitivity is their distance unless it is said. `dtype` is "float64" or "float32". With `k`, numbers are rounded to multiples of 2^k.
///
/// >>> age = make_scalar_float_laplace_cks20(epsilon=0.5, bounds=(0, 120))
/// >>> age.epsilon <= 0.5
/// True
#[pyfunction]
#[pyo3(signature = (scale=None, *, epsilon=None, sensitivity=None, bounds=None, k=None, dtype="float64"))]
fn make_scalar_float_laplace_cks20(
    scale: Option<f64>,
    epsilon: Option<f64>,
    sensitivity: Option<&Bound<'_, PyAny>>,
    bounds: Option<(f64, f64)>,
    k: Option<i32>,
    dtype: &str,
) -> Result<Measurement> {
    let number = float_type(dtype)?;
    let sensitivity = sensitivity.map(exact).transpose()?;
    let sensitivity = match (sensitivity, bounds) {
        (None, Some((low, high))) if low <= high && (high - low).is_finite() => {
            Some(high.inf_sub(low).map_err(|_| no_bounds())?)
        }
        (None, Some(_)) if scale.is_none() => return Err(no_bounds()),
        (sensitivity, _) => sensitivity,
    };
    let scale = float_scale(number, one_of("scale", scale, epsilon)?, sensitivity, Some(1), k)?;
    Measurement::of_spec(Spec::ScalarFloatLaplaceCks20 { number, bounds, scale, k })
}

/// Laplace noise on many floats about everybody, as one vector.
///
/// Give the `scale` of the noise, or `epsilon` with `sensitivity`, the most by which one person changes the numbers, all changes added up. `size` is their number: if it is given, others are refused. With `k`, numbers are rounded to multiples of 2^k, for which the size must be
/// known. `dtype` is "float64" or "float32".
///
/// >>> noise = make_vector_float_laplace_cks20(epsilon=1.0, sensitivity=2.0)
/// >>> len(noise.invoke([10.0, 20.0, 30.0]))
/// 3
#[pyfunction]
#[pyo3(signature = (scale=None, *, epsilon=None, sensitivity=None, size=None, bounds=None, k=None, dtype="float64"))]
fn make_vector_float_laplace_cks20(
    scale: Option<f64>,
    epsilon: Option<f64>,
    sensitivity: Option<&Bound<'_, PyAny>>,
    size: Option<&Bound<'_, PyAny>>,
    bounds: Option<(f64, f64)>,
    k: Option<i32>,
    dtype: &str,
) -> Result<Measurement> {
    let number = float_type(dtype)?;
    let size = size.map(|size| whole("size", size)).transpose()?;
    let sensitivity = sensitivity.map(exact).transpose()?;
    let scale = float_scale(number, one_of("scale", scale, epsilon)?, sensitivity, size, k)?;
    Measurement::of_spec(Spec::VectorFloatLaplaceCks20 { number, bounds, size, scale, k })
}

/// Laplace noise on a whole number: of each person, or one about everybody.
///
/// Give the `scale` of the noise, or `epsilon` with `sensitivity`, the most by which one person changes the number. With `bounds`, numbers outside of
/// them are refused, and the sensitivity is their distance unless it is said. `dtype` is "int64" or "int32". `constant_time` is what devices
/// that draw in constant time were given: their reports are counted here, but no noise is drawn, since Python cannot keep it.
///
/// >>> isinstance(make_scalar_integer_laplace_cks20(scale=2.0).invoke(7), int)
/// True
#[pyfunction]
#[pyo3(signature = (scale=None, *, epsilon=None, sensitivity=None, bounds=None, dtype="int64", constant_time=false))]
fn make_scalar_integer_laplace_cks20(
    scale: Option<f64>,
    epsilon: Option<f64>,
    sensitivity: Option<&Bound<'_, PyAny>>,
    bounds: Option<(i64, i64)>,
    dtype: &str,
    constant_time: bool,
) -> Result<Measurement> {
    let number = integer_type(dtype)?;
    let sensitivity = sensitivity.map(|most| whole("sensitivity", most)).transpose()?;
    let sensitivity = sensitivity.or(bounds.map(|(low, high)| high.abs_diff(low)));
    let scale = integer_scale(one_of("scale", scale, epsilon)?, sensitivity)?;
    Measurement::of_spec(Spec::ScalarIntegerLaplaceCks20 { number, bounds, scale, constant_time })
}

/// Laplace noise on many whole numbers about everybody, as one vector: a histogram, say.
///
/// Give the `scale` of the noise, or `epsilon` with `sensitivity`, the most by which one person changes the numbers, all changes added up. `size` is their number: if it is given, others are refused. `dtype` is "int64" or "int32". `constant_time` is as for one number.
///
/// >>> histogram = make_vector_integer_laplace_cks20(epsilon=1.0, sensitivity=1)
/// >>> len(histogram.invoke([120, 40, 3]))
/// 3
#[pyfunction]
#[pyo3(signature = (scale=None, *, epsilon=None, sensitivity=None, size=None, bounds=None, dtype="int64", constant_time=false))]
fn make_vector_integer_laplace_cks20(
    scale: Option<f64>,
    epsilon: Option<f64>,
    sensitivity: Option<&Bound<'_, PyAny>>,
    size: Option<&Bound<'_, PyAny>>,
    bounds: Option<(i64, i64)>,
    dtype: &str,
    constant_time: bool,
) -> Result<Measurement> {
    let number = integer_type(dtype)?;
    let sensitivity = sensitivity.map(|most| whole("sensitivity", most)).transpose()?;
    let size = size.map(|size| whole("size", size)).transpose()?;
    let scale = integer_scale(one_of("scale", scale, epsilon)?, sensitivity)?;
    Measurement::of_spec(Spec::VectorIntegerLaplaceCks20 {
        number,
        bounds,
        size,
        scale,
        constant_time,
    })
}

/// Adds the constructors to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(make_randomized_response_bool, module)?)?;
    module.add_function(wrap_pyfunction!(make_randomized_response, module)?)?;
    module.add_function(wrap_pyfunction!(make_unary_encoding, module)?)?;
    module.add_function(wrap_pyfunction!(make_subset_selection, module)?)?;
    module.add_function(wrap_pyfunction!(make_local_hashing, module)?)?;
    module.add_function(wrap_pyfunction!(make_randomized_response_bitvec, module)?)?;
    module.add_function(wrap_pyfunction!(make_scalar_float_laplace_cks20, module)?)?;
    module.add_function(wrap_pyfunction!(make_vector_float_laplace_cks20, module)?)?;
    module.add_function(wrap_pyfunction!(make_scalar_integer_laplace_cks20, module)?)?;
    module.add_function(wrap_pyfunction!(make_vector_integer_laplace_cks20, module)?)
}

/// The mechanism's own parameter, or a budget.
enum Given<T> {
    Own(T),
    Epsilon(Epsilon),
}

fn one_of<T>(name: &'static str, own: Option<T>, epsilon: Option<f64>) -> Result<Given<T>> {
    match (own, epsilon) {
        (Some(own), None) => Ok(Given::Own(own)),
        (None, Some(epsilon)) => Ok(Given::Epsilon(Epsilon::new(epsilon)?)),
        (None, None) => {
            Err(refused(name, "nothing says how much noise there is", "this, or epsilon"))
        }
        (Some(_), Some(_)) => Err(refused(name, "epsilon is given as well", "one of them")),
    }
}

/// A sensitivity that is a float: one that would have to be rounded could become too small.
fn exact(sensitivity: &Bound<'_, PyAny>) -> Result<f64> {
    answer::float(sensitivity)
        .map_err(|_| wrong_type("for sensitivity a float, or a whole number up to 2^53"))
}

/// A parameter that is a whole number.
fn whole<T>(name: &'static str, value: &Bound<'_, PyAny>) -> Result<T>
where
    T: for<'a, 'py> FromPyObject<'a, 'py>,
{
    let accepted = "a whole number of at least 0";
    value.extract().map_err(|_| match value.is_instance_of::<PyInt>() {
        true => refused(name, "it is negative, or above all that there can be", accepted),
        false => wrong_type(&format!("for {name} {accepted}")),
    })
}

fn both<A, B>(first: Option<A>, second: Option<B>) -> Result<Option<(A, B)>> {
    match (first, second) {
        (Some(first), Some(second)) => Ok(Some((first, second))),
        (None, None) => Ok(None),
        _ => Err(refused(
            "epsilon",
            "one parameter of two is given",
            "both of them, or epsilon alone",
        )),
    }
}

/// Texts or whole numbers, and not some of each.
fn categories_of(categories: &Bound<'_, PyAny>) -> Result<Categories> {
    let accepted = "a list of texts, or one of whole numbers";
    let is_one = categories.is_instance_of::<PyString>()
        || categories.is_instance_of::<PyBytes>()
        || categories.is_instance_of::<PyByteArray>();
    if is_one {
        return Err(wrong_type(accepted));
    }
    if categories.len().is_ok_and(|count| count > MOST_VALUES) {
        return Err(too_many_categories());
    }
    let some = categories.try_iter().map_err(|_| wrong_type(accepted))?.take(MOST_VALUES + 1);
    let all = some.collect::<PyResult<Vec<Bound<'_, PyAny>>>>()?;
    if all.len() > MOST_VALUES {
        return Err(too_many_categories());
    }
    if !all.is_empty() && all.iter().all(|one| one.is_instance_of::<PyString>()) {
        let texts = all.iter().map(|text| text.extract::<String>());
        let no_unicode = || refused("categories", "one of them is no Unicode", "texts in Unicode");
        return Ok(Categories::Texts(texts.collect::<PyResult<_>>().map_err(|_| no_unicode())?));
    }
    if all.iter().any(|one| one.is_instance_of::<PyBool>()) {
        return Err(wrong_type(
            "make_randomized_response_bool for truth values, or other categories",
        ));
    }
    let number = |one: &Bound<'_, PyAny>| -> Result<i64> {
        answer::whole(one).map_err(|_| wrong_type(accepted))?.ok_or_else(|| {
            refused("categories", "one of them is no integer of 64 bits", "integers of 64 bits")
        })
    };
    Ok(Categories::Integers(all.iter().map(number).collect::<Result<_>>()?))
}

pub(crate) fn len(categories: &Categories) -> usize {
    match categories {
        Categories::Integers(integers) => integers.len(),
        Categories::Texts(texts) => texts.len(),
    }
}

fn float_type(dtype: &str) -> Result<FloatType> {
    match dtype {
        "float64" => Ok(FloatType::F64),
        "float32" => Ok(FloatType::F32),
        _ => Err(refused("dtype", "it is no type of floats", "\"float64\" or \"float32\"")),
    }
}

fn integer_type(dtype: &str) -> Result<IntegerType> {
    match dtype {
        "int64" => Ok(IntegerType::I64),
        "int32" => Ok(IntegerType::I32),
        _ => Err(refused("dtype", "it is no type of integers", "\"int64\" or \"int32\"")),
    }
}

fn no_bounds() -> Error {
    refused(
        "bounds",
        "they are not in order, or too far apart",
        "two finite numbers, the smaller one first",
    )
}

fn no_sensitivity() -> Error {
    refused(
        "sensitivity",
        "epsilon alone does not say how much noise there is",
        "the most by which one person changes the input",
    )
}

fn float_scale(
    number: FloatType,
    given: Given<f64>,
    sensitivity: Option<f64>,
    size: Option<usize>,
    k: Option<i32>,
) -> Result<f64> {
    use vector_float_laplace_cks20::smallest_scale;
    match given {
        Given::Own(scale) => Ok(scale),
        Given::Epsilon(epsilon) => {
            let sensitivity = sensitivity.ok_or_else(no_sensitivity)?;
            if sensitivity.is_nan() || sensitivity < 0.0 {
                let problem = "it is negative, or not a number";
                return Err(refused("sensitivity", problem, "a number of at least 0"));
            }
            match number {
                FloatType::F64 => Ok(smallest_scale(sensitivity, epsilon, size, k)?),
                FloatType::F32 => {
                    // A larger distance has a larger scale.
                    let sensitivity = f32::inf_cast(sensitivity).map_err(|_| no_sensitivity())?;
                    Ok(smallest_scale(sensitivity, epsilon, size, k)?.into())
                }
            }
        }
    }
}

fn integer_scale(given: Given<f64>, sensitivity: Option<u64>) -> Result<f64> {
    match given {
        Given::Own(scale) => Ok(scale),
        Given::Epsilon(epsilon) => {
            let sensitivity = sensitivity.ok_or_else(no_sensitivity)?;
            Ok(vector_integer_laplace_cks20::smallest_scale(sensitivity, epsilon)?)
        }
    }
}
