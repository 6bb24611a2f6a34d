//! Any mechanism, on columns: what programs that are not about a survey use.
//!
//! A [`Mechanism`] comes of a [`Spec`]. It is stricter than a survey about columns: their type must be that of the mechanism's inputs, nothing is read as something else, and whatever is missing is refused
//! unless the caller says what stands for it.

mod bits;
mod numbers;
mod one_of;

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_buffer::{BooleanBuffer, Buffer};
use arrow_schema::DataType;
use deniable::estimate::{BitCounts, FrequencyOracle};
use deniable::prelude::*;
use deniable::spec::{Categories, FloatType, IntegerType};
use deniable::{RandomizedResponseBitvec, RandomizedResponseBool, Spec};
use serde::{Deserialize, Serialize};

use crate::columns::{self, check_whole, no_report};
use crate::counts::Tally;
use crate::estimate::{How, QuestionEstimate};
use crate::{Error, Result};

use numbers::Counted;
pub use numbers::{FloatNoise, IntegerNoise, Noise};
pub use one_of::{ChoiceMechanism, Reported, WholeNumber};

/// A mechanism of any kind.
///
/// ```
/// use arrow_array::{Array, StringArray};
/// use deniable::Spec;
/// use deniable_arrow::Mechanism;
///
/// let spec: Spec = serde_json::from_str(
///     r#"{"mechanism": "randomized_response", "categories": ["tea", "coffee", "water"], "prob": 0.8}"#,
/// )?;
/// let drink = Mechanism::try_from(spec)?;
/// let reports = drink.randomize(&StringArray::from(vec!["tea", "tea", "coffee"]), None)?;
/// assert_eq!(reports.len(), 3);
///
/// let mut counts = drink.counts();
/// drink.count(&reports, &mut counts)?;
/// let estimate = drink.estimate(&counts, &Default::default())?;
/// assert_eq!(estimate.values[1].value, "coffee");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Mechanism {
    /// Yes or no.
    YesNo(RandomizedResponseBool),
    /// One of several texts.
    Texts(ChoiceMechanism<String>),
    /// One of several whole numbers.
    Integers(ChoiceMechanism<i64>),
    /// Bits.
    Bits(RandomizedResponseBitvec),
    /// Noise on floats of 32 bits.
    F32(FloatNoise<f32>),
    /// Noise on floats of 64 bits.
    F64(FloatNoise<f64>),
    /// Noise on integers of 32 bits.
    I32(IntegerNoise<i32>),
    /// Noise on integers of 64 bits.
    I64(IntegerNoise<i64>),
}

/// What stands for a missing answer.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // The names say it.
pub enum Answer<'a> {
    Bool(bool),
    Text(&'a str),
    Integer(i64),
    Float(f64),
    Bytes(&'a [u8]),
}

/// How far apart two inputs are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distance {
    /// A whole number.
    Whole(u64),
    /// Any number.
    Float(f64),
}

/// What was counted of a mechanism's reports, with the mechanism. Counts made apart can be merged, written and read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    mechanism: Spec,
    tally: Tally,
}

impl Counts {
    /// How many reports were counted.
    pub fn reports(&self) -> u64 {
        self.tally.reports()
    }

    /// How many reports support each value; nothing, if reports are numbers.
    pub fn supporting(&self) -> Option<Vec<u64>> {
        self.tally.values().ok().map(BitCounts::ones)
    }

    /// Adds what was counted elsewhere. Where one mechanism is in constant time and the other is not, these stay counts of the one that they were of.
    ///
    /// # Errors
    ///
    /// Counts of another mechanism; more reports than can be counted. Then nothing is added.
    pub fn merge(&mut self, other: &Counts) -> Result<()> {
        self.check(&other.mechanism)?;
        self.tally.merge(&other.tally)
    }

    /// That they are of this mechanism, or of one whose reports have the same law.
    fn check(&self, mechanism: &Spec) -> Result<()> {
        if self.mechanism.has_law_of(mechanism) { Ok(()) } else { Err(another_mechanism()) }
    }
}

fn another_mechanism() -> Error {
    Error::reports("the counts are of another mechanism; accepted are counts of this one")
}

/// The most bits or categories: as many counts are kept, and as long are reports.
pub const MOST_VALUES: usize = 1 << 24;

/// That what has to be counted is neither nothing nor without end.
fn check_values(spec: &Spec) -> deniable::Result<()> {
    let refused = |parameter, problem, accepted| {
        Err(deniable::Error::invalid_parameter(parameter, problem, accepted))
    };
    match spec {
        Spec::RandomizedResponseBitvec { length: 1..=MOST_VALUES, .. } => Ok(()),
        Spec::RandomizedResponseBitvec { .. } => {
            refused("length", "it is out of range", "an integer from 1 to 16777216")
        }
        Spec::RandomizedResponse { categories, .. }
        | Spec::UnaryEncoding { categories, .. }
        | Spec::SubsetSelection { categories, .. }
        | Spec::LocalHashing { categories, .. } => {
            let count = match categories {
                Categories::Texts(texts) => texts.len(),
                Categories::Integers(integers) => integers.len(),
            };
            if count <= MOST_VALUES {
                return Ok(());
            }
            refused("categories", "there are too many", "up to 16777216 of them")
        }
        _ => Ok(()),
    }
}

impl TryFrom<Spec> for Mechanism {
    type Error = deniable::Error;

    /// By the mechanism's constructor, with its errors, and without one that counts nothing, or more than [`MOST_VALUES`].
    fn try_from(spec: Spec) -> deniable::Result<Self> {
        check_values(&spec)?;
        Ok(match &spec {
            Spec::RandomizedResponseBool { .. } => Mechanism::YesNo(spec.try_into()?),
            Spec::RandomizedResponseBitvec { .. } => Mechanism::Bits(spec.try_into()?),
            Spec::RandomizedResponse { categories, .. }
            | Spec::UnaryEncoding { categories, .. }
            | Spec::SubsetSelection { categories, .. }
            | Spec::LocalHashing { categories, .. } => match categories {
                Categories::Texts(_) => Mechanism::Texts(ChoiceMechanism::<String>::of_spec(spec)?),
                Categories::Integers(_) => {
                    Mechanism::Integers(ChoiceMechanism::<i64>::of_spec(spec)?)
                }
            },
            Spec::ScalarFloatLaplaceCks20 { number, .. }
            | Spec::VectorFloatLaplaceCks20 { number, .. } => match number {
                FloatType::F32 => Mechanism::F32(FloatNoise::of_spec(spec)?),
                FloatType::F64 => Mechanism::F64(FloatNoise::of_spec(spec)?),
            },
            Spec::ScalarIntegerLaplaceCks20 { number, .. }
            | Spec::VectorIntegerLaplaceCks20 { number, .. } => match number {
                IntegerType::I32 => Mechanism::I32(IntegerNoise::of_spec(spec)?),
                IntegerType::I64 => Mechanism::I64(IntegerNoise::of_spec(spec)?),
            },
            _ => unreachable!("a mechanism that this crate does not know"),
        })
    }
}

/// The same for all kinds of numbers.
macro_rules! each_noise {
    ($mechanism:expr, $noise:ident => $body:expr, $($other:pat => $otherwise:expr),+ $(,)?) => {
        match $mechanism {
            Mechanism::F32($noise) => $body,
            Mechanism::F64($noise) => $body,
            Mechanism::I32($noise) => $body,
            Mechanism::I64($noise) => $body,
            $($other => $otherwise),+
        }
    };
}

impl Mechanism {
    /// Its name and parameters.
    pub fn spec(&self) -> Spec {
        each_noise!(self, noise => noise.spec(),
            Mechanism::YesNo(mechanism) => mechanism.into(),
            Mechanism::Texts(mechanism) => mechanism.spec(),
            Mechanism::Integers(mechanism) => mechanism.spec(),
            Mechanism::Bits(mechanism) => mechanism.into(),
        )
    }

    /// What two inputs so far apart lose at most.
    ///
    /// # Errors
    ///
    /// A distance that is none: negative, NaN, or a float where the metric has whole numbers.
    pub fn map(&self, d_in: Distance) -> Result<Epsilon> {
        each_noise!(self, noise => noise.map(d_in),
            Mechanism::YesNo(mechanism) => Ok(mechanism.map(discrete(d_in)?)?),
            Mechanism::Texts(mechanism) => mechanism.map(discrete(d_in)?),
            Mechanism::Integers(mechanism) => mechanism.map(discrete(d_in)?),
            Mechanism::Bits(mechanism) => Ok(mechanism.map(discrete(d_in)?)?),
        )
    }

    /// What any two inputs lose at most; nothing, if there is no end of it: noise on numbers without bounds, or on vectors of any size.
    pub fn epsilon(&self) -> Option<Epsilon> {
        each_noise!(self, noise => noise.epsilon(),
            _ => Some(self.map(Distance::Whole(1)).expect("a distance of all answers")),
        )
    }

    /// Whether an input is one person's answer, so that a column has one a row. Else a column is one input.
    pub fn is_local(&self) -> bool {
        each_noise!(self, noise => !noise.is_vector(), _ => true)
    }

    /// Whether a report has the type of an answer. Else it is packed bits.
    pub fn reports_are_answers(&self) -> bool {
        match self {
            Mechanism::Texts(choice) => matches!(choice, ChoiceMechanism::RandomizedResponse(_)),
            Mechanism::Integers(choice) => matches!(choice, ChoiceMechanism::RandomizedResponse(_)),
            _ => true,
        }
    }

    /// The type of columns of answers, in words.
    pub fn accepted(&self) -> &'static str {
        match self {
            Mechanism::YesNo(_) => "truth values",
            Mechanism::Texts(_) => "texts",
            Mechanism::Integers(_) => "whole numbers of a type that all categories have",
            Mechanism::Bits(_) => {
                "packed bits, with as many bytes a row as the bits take, and lists of truth values"
            }
            Mechanism::F32(_) => "floats of 32 bits",
            Mechanism::F64(_) => "floats of 64 bits",
            Mechanism::I32(_) => "integers of 32 bits",
            Mechanism::I64(_) => "integers of 64 bits",
        }
    }

    /// Randomizes a column, with the operating system's entropy. Reports have the type of the answers where a report is an answer, else they are packed bits.
    ///
    /// # Errors
    ///
    /// A column of another type; something missing, unless `missing` stands for it; what is no member of the mechanism's domain; a mechanism in constant time; no entropy.
    pub fn randomize(&self, answers: &dyn Array, missing: Option<Answer<'_>>) -> Result<ArrayRef> {
        self.refuse_constant_time()?;
        if missing.is_none() && answers.logical_null_count() > 0 {
            return Err(something_missing());
        }
        match self {
            Mechanism::YesNo(mechanism) => {
                let missing = self.truth_value(missing)?;
                let boolean = answers.as_boolean_opt().ok_or_else(|| self.another_type())?;
                let mut words = columns::words(boolean, missing);
                mechanism.invoke_packed(&mut words, answers.len())?;
                let reports = BooleanBuffer::new(Buffer::from_vec(words), 0, answers.len());
                Ok(Arc::new(BooleanArray::new(reports, None)))
            }
            Mechanism::Texts(mechanism) => mechanism.randomize_texts(answers, missing),
            Mechanism::Integers(mechanism) => mechanism.randomize_numbers(answers, missing),
            Mechanism::Bits(mechanism) => bits::randomize(mechanism, answers, missing),
            Mechanism::F32(noise) => noise.randomize(answers, missing),
            Mechanism::F64(noise) => noise.randomize(answers, missing),
            Mechanism::I32(noise) => noise.randomize(answers, missing),
            Mechanism::I64(noise) => noise.randomize(answers, missing),
        }
    }

    /// Columns are read in a time that depends on what is in them, so a mechanism with `constant_time` randomizes none. It counts reports, and estimates.
    ///
    /// # Errors
    ///
    /// A mechanism in constant time.
    pub fn refuse_constant_time(&self) -> Result<()> {
        let is_promised = each_noise!(self, noise => noise.constant_time(),
            Mechanism::YesNo(mechanism) => mechanism.constant_time(),
            Mechanism::Bits(mechanism) => mechanism.constant_time(),
            // There is no such form.
            Mechanism::Texts(_) | Mechanism::Integers(_) => false,
        );
        if is_promised { Err(no_constant_time().into()) } else { Ok(()) }
    }

    /// What stands for a missing truth value.
    ///
    /// # Errors
    ///
    /// An answer of another kind.
    pub fn truth_value(&self, missing: Option<Answer<'_>>) -> Result<bool> {
        match missing {
            None => Ok(false),
            Some(Answer::Bool(yes)) => Ok(yes),
            Some(_) => Err(no_stand_in("a truth value")),
        }
    }

    /// A column's type that this mechanism has no answers of.
    pub fn another_type(&self) -> Error {
        another_type(self.accepted())
    }

    /// Counts of no reports yet.
    pub fn counts(&self) -> Counts {
        Counts { mechanism: self.spec(), tally: self.tally() }
    }

    fn tally(&self) -> Tally {
        each_noise!(self, _noise => Tally::Numbers(Default::default()),
            Mechanism::YesNo(_) => Tally::Values(BitCounts::new(1)),
            Mechanism::Texts(mechanism) => Tally::Values(BitCounts::new(mechanism.values())),
            Mechanism::Integers(mechanism) => Tally::Values(BitCounts::new(mechanism.values())),
            Mechanism::Bits(mechanism) => Tally::Values(BitCounts::new(mechanism.values())),
        )
    }

    /// Adds reports to counts of this mechanism.
    ///
    /// # Errors
    ///
    /// Counts of another mechanism; a column in which something is missing, or is no report of this mechanism; noise or bounds beyond 1e100. Then nothing is added.
    pub fn count(&self, reports: &dyn Array, counts: &mut Counts) -> Result<()> {
        counts.check(&self.spec())?;
        check_whole(reports)?;
        let tally = &mut counts.tally;
        match self {
            Mechanism::YesNo(_) => {
                let reports = reports.as_boolean_opt().ok_or_else(no_report)?;
                let ones = vec![reports.true_count() as u64];
                let counted = BitCounts::from_ones(reports.len() as u64, ones)?;
                Ok(tally.values_mut()?.merge(&counted)?)
            }
            // Texts with digits are for files.
            Mechanism::Texts(_) | Mechanism::Integers(_)
                if !self.reports_are_answers() && !is_binary(reports.data_type()) =>
            {
                Err(no_report())
            }
            Mechanism::Texts(mechanism) => {
                mechanism.count(reports, tally.values_mut()?, ChoiceMechanism::places_of_texts)
            }
            Mechanism::Integers(mechanism) => {
                mechanism.count(reports, tally.values_mut()?, ChoiceMechanism::places_of_numbers)
            }
            Mechanism::Bits(mechanism) => {
                let rows = bits::rows(mechanism, reports, None).map_err(|_| no_report())?;
                Ok(tally.values_mut()?.add_rows(&rows)?)
            }
            Mechanism::F32(noise) => noise.count(reports, tally.numbers_mut()?),
            Mechanism::F64(noise) => noise.count(reports, tally.numbers_mut()?),
            Mechanism::I32(noise) => noise.count(reports, tally.numbers_mut()?),
            Mechanism::I64(noise) => noise.count(reports, tally.numbers_mut()?),
        }
    }

    /// What the counts say.
    ///
    /// # Errors
    ///
    /// Counts of another mechanism, or of no reports; a confidence outside its range; a mechanism whose reports say nothing.
    pub fn estimate(&self, counts: &Counts, how: &How) -> Result<QuestionEstimate> {
        counts.check(&self.spec())?;
        let tally = &counts.tally;
        let mut found = each_noise!(self, noise => noise.estimate(tally.numbers()?, how),
            Mechanism::YesNo(mechanism) => {
                QuestionEstimate::of_values(["yes"], &mechanism.estimate(tally.values()?)?, how)
            },
            Mechanism::Texts(mechanism) => mechanism.estimate(tally.values()?, how),
            Mechanism::Integers(mechanism) => mechanism.estimate(tally.values()?, how),
            Mechanism::Bits(mechanism) => {
                let names: Vec<String> = (0..mechanism.values()).map(|i| i.to_string()).collect();
                let estimates = mechanism.estimate(tally.values()?)?;
                QuestionEstimate::of_values(names.iter().map(String::as_str), &estimates, how)
            }
        )?;
        found.reports = counts.reports();
        found.epsilon = self.epsilon().map_or(f64::INFINITY, Epsilon::get);
        Ok(found)
    }
}

/// A distance that counts whether answers differ.
fn discrete(d_in: Distance) -> Result<u32> {
    match d_in {
        // The metric's distances end far below.
        Distance::Whole(whole) => Ok(u32::try_from(whole).unwrap_or(u32::MAX)),
        Distance::Float(_) => Err(deniable::Error::invalid_distance(
            "d_in",
            "it is no whole number",
            "a whole number, 1 for any two answers",
        )
        .into()),
    }
}

fn no_constant_time() -> deniable::Error {
    deniable::Error::invalid_parameter(
        "constant_time",
        "columns are read in a time that depends on what is in them",
        "false; or the mechanism itself, in Rust",
    )
}

fn is_binary(data_type: &DataType) -> bool {
    use DataType::{Binary, BinaryView, FixedSizeBinary, LargeBinary};
    matches!(data_type, FixedSizeBinary(_) | Binary | LargeBinary | BinaryView)
}

fn another_type(accepted: &str) -> Error {
    Error::data_type(format!("the column has another type; accepted are {accepted}"))
}

fn no_stand_in(accepted: &'static str) -> Error {
    deniable::Error::invalid_parameter("missing", "it is no answer of this mechanism", accepted)
        .into()
}

fn something_missing() -> Error {
    deniable::Error::not_a_member(
        "columns in which nothing is missing, or any with `missing`, which says what stands for it",
    )
    .into()
}

#[cfg(test)]
mod tests;
