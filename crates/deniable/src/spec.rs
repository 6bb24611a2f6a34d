//! Mechanisms as data: what files, tables and other languages speak.
//!
//! A [`Spec`] names a mechanism and its parameters. It may hold anything, since anybody may write one; a mechanism comes
//! of it only through the mechanism's constructor, which refuses what it would refuse from a program. So there is no
//! mechanism whose `map` was not computed here.
//!
//! ```
//! use deniable::prelude::*;
//! use deniable::{RandomizedResponseBool, Spec};
//!
//! let mechanism = make_randomized_response_bool(0.75, true)?;
//! let spec = Spec::from(&mechanism);
//! let json = serde_json::to_string(&spec)?;
//! assert_eq!(json, r#"{"mechanism":"randomized_response_bool","prob":0.75,"constant_time":true}"#);
//! let back: Spec = serde_json::from_str(&json)?;
//! assert_eq!(RandomizedResponseBool::try_from(back)?, mechanism);
//!
//! let bad: Spec = serde_json::from_str(
//!     r#"{"mechanism":"randomized_response_bool","prob":7.0,"constant_time":true}"#,
//! )?;
//! assert!(RandomizedResponseBool::try_from(bad).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Floats survive a file only if its reader is exact; `serde_json` is with its feature `float_roundtrip`. If it is not,
//! the mechanism that comes back has another parameter, and the ε of that parameter.

mod bit_reports;
mod local_hashing;

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use deniable_num::{Direction, Float, Real};
use serde::{Deserialize, Serialize};

use crate::domain::Number;
use crate::error::Shown;
use crate::mechanism::vector_integer_laplace_cks20::Integer;
use crate::{
    AbsoluteDistance, AtomDomain, BitVectorDomain, DiscreteDistance, Error, L1Distance,
    LocalHashing, Measurement, RandomizedResponse, RandomizedResponseBitvec,
    RandomizedResponseBool, Result, ScalarFloatLaplaceCks20, ScalarIntegerLaplaceCks20,
    SubsetSelection, UnaryEncoding, VectorDomain, VectorFloatLaplaceCks20,
    VectorIntegerLaplaceCks20, make_randomized_response, make_randomized_response_bitvec,
    make_randomized_response_bool, make_scalar_float_laplace_cks20,
    make_scalar_integer_laplace_cks20, make_vector_float_laplace_cks20,
    make_vector_integer_laplace_cks20,
};

/// A mechanism's name and parameters, checked by nobody yet. See the [module](self).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "mechanism", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
#[allow(missing_docs)] // The fields are the parameters of the constructors.
pub enum Spec {
    /// [`make_randomized_response_bool`].
    RandomizedResponseBool { prob: f64, constant_time: bool },
    /// [`make_randomized_response`].
    RandomizedResponse { categories: Categories, prob: f64 },
    /// [`make_local_hashing`](crate::make_local_hashing).
    LocalHashing { categories: Categories, buckets: usize, prob: f64 },
    /// [`make_subset_selection`](crate::make_subset_selection).
    SubsetSelection { categories: Categories, size: usize, prob: f64 },
    /// [`make_unary_encoding`](crate::make_unary_encoding).
    UnaryEncoding { categories: Categories, one: f64, zero: f64 },
    /// [`make_randomized_response_bitvec`].
    RandomizedResponseBitvec { length: usize, max_weight: usize, f: f64, constant_time: bool },
    /// [`make_scalar_float_laplace_cks20`].
    ScalarFloatLaplaceCks20 {
        number: FloatType,
        bounds: Option<(f64, f64)>,
        scale: f64,
        k: Option<i32>,
    },
    /// [`make_vector_float_laplace_cks20`].
    VectorFloatLaplaceCks20 {
        number: FloatType,
        bounds: Option<(f64, f64)>,
        size: Option<usize>,
        scale: f64,
        k: Option<i32>,
    },
    /// [`make_scalar_integer_laplace_cks20`].
    ScalarIntegerLaplaceCks20 {
        number: IntegerType,
        bounds: Option<(i64, i64)>,
        scale: f64,
        #[serde(default, skip_serializing_if = "is_false")]
        constant_time: bool,
    },
    /// [`make_vector_integer_laplace_cks20`].
    VectorIntegerLaplaceCks20 {
        number: IntegerType,
        bounds: Option<(i64, i64)>,
        size: Option<usize>,
        scale: f64,
        #[serde(default, skip_serializing_if = "is_false")]
        constant_time: bool,
    },
}

/// The categories of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Categories {
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Texts.
    Texts(Vec<String>),
}

/// The types of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FloatType {
    /// 32 bits.
    F32,
    /// 64 bits.
    F64,
}

/// The types of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntegerType {
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
}

impl From<&RandomizedResponseBool> for Spec {
    fn from(mechanism: &RandomizedResponseBool) -> Self {
        let (prob, constant_time) = (mechanism.prob(), mechanism.constant_time());
        Spec::RandomizedResponseBool { prob, constant_time }
    }
}

impl TryFrom<Spec> for RandomizedResponseBool {
    type Error = Error;

    fn try_from(spec: Spec) -> Result<Self> {
        match spec {
            Spec::RandomizedResponseBool { prob, constant_time } => {
                make_randomized_response_bool(prob, constant_time)
            }
            _ => Err(another("randomized_response_bool")),
        }
    }
}

impl From<&RandomizedResponse<String>> for Spec {
    fn from(mechanism: &RandomizedResponse<String>) -> Self {
        let categories = Categories::Texts(mechanism.categories().cloned().collect());
        Spec::RandomizedResponse { categories, prob: mechanism.prob() }
    }
}

impl From<&RandomizedResponse<&str>> for Spec {
    fn from(mechanism: &RandomizedResponse<&str>) -> Self {
        let texts = mechanism.categories().map(|&text| text.to_owned()).collect();
        Spec::RandomizedResponse { categories: Categories::Texts(texts), prob: mechanism.prob() }
    }
}

impl From<&RandomizedResponse<i64>> for Spec {
    fn from(mechanism: &RandomizedResponse<i64>) -> Self {
        let categories = Categories::Integers(mechanism.categories().copied().collect());
        Spec::RandomizedResponse { categories, prob: mechanism.prob() }
    }
}

impl TryFrom<Spec> for RandomizedResponse<String> {
    type Error = Error;

    fn try_from(spec: Spec) -> Result<Self> {
        match spec {
            Spec::RandomizedResponse { categories: Categories::Texts(texts), prob } => {
                make_randomized_response(texts, prob)
            }
            // An empty list is read as one of integers. The constructor says what is wrong with it.
            Spec::RandomizedResponse { categories: Categories::Integers(none), prob }
                if none.is_empty() =>
            {
                make_randomized_response(Vec::new(), prob)
            }
            _ => Err(another("randomized_response with texts as categories")),
        }
    }
}

impl TryFrom<Spec> for RandomizedResponse<i64> {
    type Error = Error;

    fn try_from(spec: Spec) -> Result<Self> {
        match spec {
            Spec::RandomizedResponse { categories: Categories::Integers(integers), prob } => {
                make_randomized_response(integers, prob)
            }
            _ => Err(another("randomized_response with integers as categories")),
        }
    }
}

impl From<&RandomizedResponseBitvec> for Spec {
    fn from(mechanism: &RandomizedResponseBitvec) -> Self {
        let domain = mechanism.input_domain();
        Spec::RandomizedResponseBitvec {
            length: domain.length(),
            max_weight: domain.max_weight().expect("the constructor demands one"),
            f: mechanism.f(),
            constant_time: mechanism.constant_time(),
        }
    }
}

impl TryFrom<Spec> for RandomizedResponseBitvec {
    type Error = Error;

    fn try_from(spec: Spec) -> Result<Self> {
        match spec {
            Spec::RandomizedResponseBitvec { length, max_weight, f, constant_time } => {
                let domain = BitVectorDomain::new(length).with_max_weight(max_weight);
                make_randomized_response_bitvec(domain, DiscreteDistance, f, constant_time)
            }
            _ => Err(another("randomized_response_bitvec")),
        }
    }
}

/// A float type that a [`Spec`] can name.
pub trait NamedFloat: Number<Distance = Self> + Float {
    /// Its name.
    const NUMBER: FloatType;
}

impl NamedFloat for f32 {
    const NUMBER: FloatType = FloatType::F32;
}

impl NamedFloat for f64 {
    const NUMBER: FloatType = FloatType::F64;
}

impl<T: NamedFloat> From<&ScalarFloatLaplaceCks20<T>> for Spec {
    fn from(mechanism: &ScalarFloatLaplaceCks20<T>) -> Self {
        Spec::ScalarFloatLaplaceCks20 {
            number: T::NUMBER,
            bounds: mechanism.input_domain().bounds().map(|(low, high)| (widen(low), widen(high))),
            scale: widen(mechanism.scale()),
            k: Some(mechanism.k()),
        }
    }
}

impl<T: NamedFloat> TryFrom<Spec> for ScalarFloatLaplaceCks20<T> {
    type Error = Error;

    fn try_from(spec: Spec) -> Result<Self> {
        match spec {
            Spec::ScalarFloatLaplaceCks20 { number, bounds, scale, k } if number == T::NUMBER => {
                let scale = narrow("scale", scale)?;
                make_scalar_float_laplace_cks20(floats(bounds)?, AbsoluteDistance::new(), scale, k)
            }
            _ => Err(another("scalar_float_laplace_cks20 of this type of floats")),
        }
    }
}

impl<T: NamedFloat> From<&VectorFloatLaplaceCks20<T>> for Spec {
    fn from(mechanism: &VectorFloatLaplaceCks20<T>) -> Self {
        let domain = mechanism.input_domain();
        Spec::VectorFloatLaplaceCks20 {
            number: T::NUMBER,
            bounds: domain.element().bounds().map(|(low, high)| (widen(low), widen(high))),
            size: domain.size(),
            scale: widen(mechanism.scale()),
            k: Some(mechanism.k()),
        }
    }
}

impl<T: NamedFloat> TryFrom<Spec> for VectorFloatLaplaceCks20<T> {
    type Error = Error;

    fn try_from(spec: Spec) -> Result<Self> {
        match spec {
            Spec::VectorFloatLaplaceCks20 { number, bounds, size, scale, k }
                if number == T::NUMBER =>
            {
                let domain = sized(floats(bounds)?, size);
                let scale = narrow("scale", scale)?;
                make_vector_float_laplace_cks20(domain, L1Distance::new(), scale, k)
            }
            _ => Err(another("vector_float_laplace_cks20 of this type of floats")),
        }
    }
}

/// An integer type that a [`Spec`] can name.
pub trait NamedInteger: Integer + Into<i64> + TryFrom<i64> {
    /// Its name.
    const NUMBER: IntegerType;
}

impl NamedInteger for i32 {
    const NUMBER: IntegerType = IntegerType::I32;
}

impl NamedInteger for i64 {
    const NUMBER: IntegerType = IntegerType::I64;
}

impl<T: NamedInteger> From<&ScalarIntegerLaplaceCks20<T>> for Spec {
    fn from(mechanism: &ScalarIntegerLaplaceCks20<T>) -> Self {
        Spec::ScalarIntegerLaplaceCks20 {
            number: T::NUMBER,
            bounds: mechanism.input_domain().bounds().map(|(low, high)| (low.into(), high.into())),
            scale: mechanism.scale(),
            constant_time: mechanism.constant_time(),
        }
    }
}

impl<T: NamedInteger> TryFrom<Spec> for ScalarIntegerLaplaceCks20<T> {
    type Error = Error;

    fn try_from(spec: Spec) -> Result<Self> {
        match spec {
            Spec::ScalarIntegerLaplaceCks20 { number, bounds, scale, constant_time }
                if number == T::NUMBER =>
            {
                let (domain, metric) = (integers(bounds)?, AbsoluteDistance::new());
                let noise = make_scalar_integer_laplace_cks20(domain, metric, scale)?;
                Ok(if constant_time { noise.with_constant_time() } else { noise })
            }
            _ => Err(another("scalar_integer_laplace_cks20 of this type of integers")),
        }
    }
}

impl<T: NamedInteger> From<&VectorIntegerLaplaceCks20<T>> for Spec {
    fn from(mechanism: &VectorIntegerLaplaceCks20<T>) -> Self {
        let domain = mechanism.input_domain();
        Spec::VectorIntegerLaplaceCks20 {
            number: T::NUMBER,
            bounds: domain.element().bounds().map(|(low, high)| (low.into(), high.into())),
            size: domain.size(),
            scale: mechanism.scale(),
            constant_time: mechanism.constant_time(),
        }
    }
}

impl<T: NamedInteger> TryFrom<Spec> for VectorIntegerLaplaceCks20<T> {
    type Error = Error;

    fn try_from(spec: Spec) -> Result<Self> {
        match spec {
            Spec::VectorIntegerLaplaceCks20 { number, bounds, size, scale, constant_time }
                if number == T::NUMBER =>
            {
                let domain = sized(integers(bounds)?, size);
                let noise = make_vector_integer_laplace_cks20(domain, L1Distance::new(), scale)?;
                Ok(if constant_time { noise.with_constant_time() } else { noise })
            }
            _ => Err(another("vector_integer_laplace_cks20 of this type of integers")),
        }
    }
}

impl Spec {
    /// Whether the constructor of the mechanism that it names would accept it.
    ///
    /// # Errors
    ///
    /// Those of the constructor.
    pub fn check(&self) -> Result<()> {
        let spec = self.clone();
        match self {
            Spec::RandomizedResponseBool { .. } => RandomizedResponseBool::try_from(spec).map(drop),
            Spec::RandomizedResponse { categories: Categories::Integers(_), .. } => {
                RandomizedResponse::<i64>::try_from(spec).map(drop)
            }
            Spec::RandomizedResponse { .. } => {
                RandomizedResponse::<String>::try_from(spec).map(drop)
            }
            Spec::LocalHashing { categories: Categories::Integers(_), .. } => {
                LocalHashing::<i64>::try_from(spec).map(drop)
            }
            Spec::LocalHashing { .. } => LocalHashing::<String>::try_from(spec).map(drop),
            Spec::SubsetSelection { categories: Categories::Integers(_), .. } => {
                SubsetSelection::<i64>::try_from(spec).map(drop)
            }
            Spec::SubsetSelection { .. } => SubsetSelection::<String>::try_from(spec).map(drop),
            Spec::UnaryEncoding { categories: Categories::Integers(_), .. } => {
                UnaryEncoding::<i64>::try_from(spec).map(drop)
            }
            Spec::UnaryEncoding { .. } => UnaryEncoding::<String>::try_from(spec).map(drop),
            Spec::RandomizedResponseBitvec { .. } => {
                RandomizedResponseBitvec::try_from(spec).map(drop)
            }
            Spec::ScalarFloatLaplaceCks20 { number: FloatType::F32, .. } => {
                ScalarFloatLaplaceCks20::<f32>::try_from(spec).map(drop)
            }
            Spec::ScalarFloatLaplaceCks20 { .. } => {
                ScalarFloatLaplaceCks20::<f64>::try_from(spec).map(drop)
            }
            Spec::VectorFloatLaplaceCks20 { number: FloatType::F32, .. } => {
                VectorFloatLaplaceCks20::<f32>::try_from(spec).map(drop)
            }
            Spec::VectorFloatLaplaceCks20 { .. } => {
                VectorFloatLaplaceCks20::<f64>::try_from(spec).map(drop)
            }
            Spec::ScalarIntegerLaplaceCks20 { number: IntegerType::I32, .. } => {
                ScalarIntegerLaplaceCks20::<i32>::try_from(spec).map(drop)
            }
            Spec::ScalarIntegerLaplaceCks20 { .. } => {
                ScalarIntegerLaplaceCks20::<i64>::try_from(spec).map(drop)
            }
            Spec::VectorIntegerLaplaceCks20 { number: IntegerType::I32, .. } => {
                VectorIntegerLaplaceCks20::<i32>::try_from(spec).map(drop)
            }
            Spec::VectorIntegerLaplaceCks20 { .. } => {
                VectorIntegerLaplaceCks20::<i64>::try_from(spec).map(drop)
            }
        }
    }

    /// Whether two mechanisms report with the same law, so that they lose the same, and their reports are counted together: they are equal, but for
    /// `constant_time`, which says how long the drawing takes and nothing of what is drawn.
    ///
    /// ```
    /// use deniable::Spec;
    ///
    /// let device = Spec::RandomizedResponseBool { prob: 0.75, constant_time: true };
    /// let server = Spec::RandomizedResponseBool { prob: 0.75, constant_time: false };
    /// assert!(device != server && device.has_law_of(&server));
    /// ```
    pub fn has_law_of(&self, other: &Spec) -> bool {
        self == other || self.in_ordinary_time() == other.in_ordinary_time()
    }

    fn in_ordinary_time(&self) -> Spec {
        let mut spec = self.clone();
        match &mut spec {
            Spec::RandomizedResponseBool { constant_time, .. }
            | Spec::RandomizedResponseBitvec { constant_time, .. }
            | Spec::ScalarIntegerLaplaceCks20 { constant_time, .. }
            | Spec::VectorIntegerLaplaceCks20 { constant_time, .. } => *constant_time = false,
            // There is no such form.
            Spec::RandomizedResponse { .. }
            | Spec::LocalHashing { .. }
            | Spec::SubsetSelection { .. }
            | Spec::UnaryEncoding { .. }
            | Spec::ScalarFloatLaplaceCks20 { .. }
            | Spec::VectorFloatLaplaceCks20 { .. } => {}
        }
        spec
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "that is how serde calls it")]
fn is_false(truth: &bool) -> bool {
    !truth
}

fn another(accepted: &'static str) -> Error {
    Error::invalid_parameter("mechanism", "the spec is that of another mechanism", accepted)
}

fn sized<D: crate::Domain>(element: D, size: Option<usize>) -> VectorDomain<D> {
    let domain = VectorDomain::new(element);
    match size {
        Some(size) => domain.with_size(size),
        None => domain,
    }
}

fn floats<T: NamedFloat>(bounds: Option<(f64, f64)>) -> Result<AtomDomain<T>> {
    match bounds {
        Some((low, high)) => AtomDomain::bounded(narrow("lower", low)?, narrow("upper", high)?),
        None => Ok(AtomDomain::finite()),
    }
}

fn integers<T: NamedInteger>(bounds: Option<(i64, i64)>) -> Result<AtomDomain<T>> {
    let narrow = |name, bound: i64| {
        T::try_from(bound).map_err(|_| {
            let problem = format!("{bound} is beyond the type's range");
            Error::invalid_parameter(name, problem, "a number of the type")
        })
    };
    match bounds {
        Some((low, high)) => AtomDomain::bounded(narrow("lower", low)?, narrow("upper", high)?),
        None => Ok(AtomDomain::finite()),
    }
}

/// A finite parameter as a wider float, which is exact.
fn widen<T: Float>(x: T) -> f64 {
    widened(x).expect("a parameter is finite")
}

/// A float as a narrower one, if that is exact.
fn narrow<T: Float>(parameter: &'static str, x: f64) -> Result<T> {
    let accepted = "a finite number of the type";
    let Some(exact) = Real::from_float(x) else {
        return Err(Error::invalid_parameter(parameter, "it is not finite", accepted));
    };
    let nearest: T = exact.round(Direction::Nearest);
    let back = widened(nearest);
    if back.is_some_and(|back| back.decode() == x.decode()) {
        return Ok(nearest);
    }
    let accepted = match back {
        // Zero would be no noise at all, which nobody asked for.
        Some(back) if back != 0.0 => format!("{accepted}, such as {}", Shown(back)),
        _ => accepted.to_owned(),
    };
    let problem = format!("{} is no number of this type of floats", Shown(x));
    Err(Error::invalid_parameter(parameter, problem, accepted))
}

fn widened<T: Float>(x: T) -> Option<f64> {
    Real::from_float(x).map(|x| x.round(Direction::Nearest))
}

#[cfg(test)]
mod tests;
