//! One of several answers.

use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{GenericStringType, UInt32Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, GenericByteArray, OffsetSizeTrait, PrimitiveArray,
    StringArray, downcast_dictionary_array, downcast_integer_array,
};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use deniable::estimate::{BitCounts, FrequencyOracle};
use deniable::mechanism::randomized_response::CategoryIndex;
use deniable::plan::Oracle;
use deniable::prelude::*;
use deniable::{LocalHashing, RandomizedResponse, Spec, SubsetSelection, UnaryEncoding};

use super::{Answer, another_type, no_stand_in};
use crate::columns::no_report;
use crate::estimate::{How, QuestionEstimate};
use crate::kind::Packed;
use crate::{Error, Result};

/// How one of several answers is randomized.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[allow(missing_docs)] // The names say it.
pub enum ChoiceMechanism<T = String> {
    RandomizedResponse(RandomizedResponse<T>),
    UnaryEncoding(UnaryEncoding<T>),
    SubsetSelection(SubsetSelection<T>),
    LocalHashing(LocalHashing<T>),
}

/// The same on any of them.
macro_rules! each {
    ($mechanism:expr, $name:ident => $body:expr) => {
        match $mechanism {
            ChoiceMechanism::RandomizedResponse($name) => $body,
            ChoiceMechanism::UnaryEncoding($name) => $body,
            ChoiceMechanism::SubsetSelection($name) => $body,
            ChoiceMechanism::LocalHashing($name) => $body,
        }
    };
}

macro_rules! of_spec {
    ($($category:ty)*) => {$(
        impl ChoiceMechanism<$category> {
            pub(crate) fn of_spec(spec: Spec) -> deniable::Result<Self> {
                Ok(match spec {
                    Spec::UnaryEncoding { .. } => ChoiceMechanism::UnaryEncoding(spec.try_into()?),
                    Spec::SubsetSelection { .. } => {
                        ChoiceMechanism::SubsetSelection(spec.try_into()?)
                    }
                    Spec::LocalHashing { .. } => ChoiceMechanism::LocalHashing(spec.try_into()?),
                    _ => ChoiceMechanism::RandomizedResponse(spec.try_into()?),
                })
            }

            pub(crate) fn spec(&self) -> Spec {
                each!(self, mechanism => Spec::from(mechanism))
            }
        }
    )*};
}

of_spec!(String i64);

impl<T: Eq + Hash + Clone + Send + Sync> ChoiceMechanism<T> {
    pub(crate) fn new(oracle: Oracle, categories: Vec<T>) -> deniable::Result<Self> {
        Ok(match oracle {
            Oracle::RandomizedResponse { prob } => {
                ChoiceMechanism::RandomizedResponse(make_randomized_response(categories, prob)?)
            }
            Oracle::SymmetricUnaryEncoding { one, zero }
            | Oracle::OptimizedUnaryEncoding { one, zero } => {
                ChoiceMechanism::UnaryEncoding(make_unary_encoding(categories, one, zero)?)
            }
            Oracle::SubsetSelection { size, prob } => {
                ChoiceMechanism::SubsetSelection(make_subset_selection(categories, size, prob)?)
            }
            Oracle::LocalHashing { buckets, prob } => {
                ChoiceMechanism::LocalHashing(make_local_hashing(categories, buckets, prob)?)
            }
            _ => unreachable!("a way of asking that this crate does not know"),
        })
    }

    /// The categories, in the order they were given.
    pub fn categories(&self) -> Vec<&T> {
        each!(self, mechanism => mechanism.categories().collect())
    }

    /// How many categories there are.
    pub fn values(&self) -> usize {
        each!(self, mechanism => mechanism.values())
    }

    /// The place of a category.
    pub fn index_of<Q: Eq + Hash + ?Sized>(&self, category: &Q) -> Option<usize>
    where
        T: Borrow<Q>,
    {
        each!(self, mechanism => mechanism.index_of(category))
    }

    pub(crate) fn map(&self, d_in: u32) -> Result<Epsilon> {
        Ok(each!(self, mechanism => mechanism.map(d_in))?)
    }

    /// Whether the reports say anything.
    pub(crate) fn check_channel(&self) -> deniable::Result<()> {
        each!(self, mechanism => mechanism.channel()).map(drop)
    }

    /// So many rows that several threads are worth their while, and that what is made on the way takes little memory.
    pub fn rows_at_once(&self) -> usize {
        match self {
            ChoiceMechanism::RandomizedResponse(_) => 1 << 18,
            _ => self.packed().rows_at_once(),
        }
    }

    /// The type of reports that are no categories.
    pub(crate) fn packed(&self) -> Packed {
        match self {
            ChoiceMechanism::LocalHashing(hashing) => Packed::bytes(2 * hashing.row_length()),
            _ => Packed::bits(self.values()),
        }
    }

    /// Reports on answers that are given as places, those behind the end being none of the categories.
    ///
    /// # Errors
    ///
    /// No entropy.
    pub fn report<I: CategoryIndex>(&self, mut places: Vec<I>) -> Result<Reported<I>> {
        let packed = self.packed();
        Ok(match self {
            ChoiceMechanism::RandomizedResponse(mechanism) => {
                mechanism.invoke_indices(&mut places)?;
                Reported::Places(places)
            }
            ChoiceMechanism::UnaryEncoding(mechanism) => {
                let rows = |places: &[I]| mechanism.invoke_rows(places);
                self.report_rows(&places, rows, |words, all| packed.add_words(&words, all))?
            }
            ChoiceMechanism::SubsetSelection(mechanism) => {
                let rows = |places: &[I]| mechanism.invoke_rows(places);
                self.report_rows(&places, rows, |words, all| packed.add_words(&words, all))?
            }
            ChoiceMechanism::LocalHashing(mechanism) => {
                let rows = |places: &[I]| mechanism.invoke_rows(places);
                self.report_rows(&places, rows, |rows, all| {
                    all.extend(rows.into_iter().flat_map(u16::to_le_bytes));
                })?
            }
        })
    }

    /// Packed bits, some rows at a time, of which `add` makes bytes.
    fn report_rows<I: CategoryIndex, R>(
        &self,
        places: &[I],
        rows: impl Fn(&[I]) -> deniable::Result<R>,
        add: impl Fn(R, &mut Vec<u8>),
    ) -> Result<Reported<I>> {
        let packed = self.packed();
        let mut bytes = Vec::with_capacity(places.len() * packed.row_bytes());
        for block in places.chunks(packed.rows_at_once()) {
            add(rows(block)?, &mut bytes);
        }
        Ok(Reported::Column(packed.column(bytes)))
    }

    /// Counts a column of reports, of which `places` finds those that are categories.
    pub(crate) fn count(
        &self,
        reports: &dyn Array,
        counts: &mut BitCounts,
        places: impl FnOnce(&Self, &dyn Array) -> Result<Vec<u32>>,
    ) -> Result<()> {
        match self {
            ChoiceMechanism::RandomizedResponse(_) => counts.add_places(&places(self, reports)?)?,
            ChoiceMechanism::UnaryEncoding(_) => {
                counts.add_rows(&self.packed().rows_of_words(reports)?)?;
            }
            ChoiceMechanism::SubsetSelection(mechanism) => {
                let rows = self.packed().rows_of_words(reports)?;
                let ones = |row: &[u64]| row.iter().map(|word| word.count_ones()).sum::<u32>();
                let row_words = self.values().div_ceil(64);
                if rows.chunks(row_words).any(|row| ones(row) as usize != mechanism.size()) {
                    return Err(no_report());
                }
                counts.add_rows(&rows)?;
            }
            ChoiceMechanism::LocalHashing(mechanism) => {
                let bytes = self.packed().rows(reports)?;
                let rows: Vec<u16> =
                    bytes.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect();
                mechanism.count_rows(&rows, counts)?;
            }
        }
        Ok(())
    }

    pub(crate) fn estimate(&self, counts: &BitCounts, how: &How) -> Result<QuestionEstimate>
    where
        T: ToString,
    {
        let estimates = each!(self, mechanism => mechanism.estimate(counts))?;
        let names: Vec<String> = self.categories().into_iter().map(T::to_string).collect();
        QuestionEstimate::of_values(names.iter().map(String::as_str), &estimates, how)
    }
}

/// What became of answers.
#[derive(Clone, Debug)]
pub enum Reported<I> {
    /// The places of categories.
    Places(Vec<I>),
    /// Packed bits.
    Column(ArrayRef),
}

/// With `$index` as the shortest integer that has a place for each category, and one behind them.
macro_rules! with_index {
    ($values:expr, $index:ident => $body:expr) => {
        match $values {
            0..=255 => {
                type $index = u8;
                $body
            }
            256..=65_535 => {
                type $index = u16;
                $body
            }
            _ => {
                type $index = u32;
                $body
            }
        }
    };
}

/// A place, or the one behind all.
fn index<I: CategoryIndex>(place: Option<usize>) -> I {
    I::from_place(place.map_or(I::MOST, |place| place as u32))
}

impl ChoiceMechanism<String> {
    pub(super) fn randomize_texts(
        &self,
        answers: &dyn Array,
        missing: Option<Answer<'_>>,
    ) -> Result<ArrayRef> {
        let missing = match missing {
            None => None,
            Some(Answer::Text(text)) => Some(self.index_of(text).ok_or_else(no_category)?),
            Some(_) => return Err(no_category()),
        };
        with_index!(self.values(), Index => {
            let missing: Index = index(missing);
            let places = self.places::<Index>(answers, missing)?;
            match self.report(places)? {
                Reported::Places(places) => Ok(self.texts_at(&places, answers.data_type())),
                Reported::Column(reports) => Ok(reports),
            }
        })
    }

    fn places<I: CategoryIndex>(&self, answers: &dyn Array, missing: I) -> Result<Vec<I>> {
        let place = |text: Option<&str>| match text {
            Some(text) => index(self.index_of(text)),
            None => missing,
        };
        downcast_dictionary_array!(
            answers => {
                let of_values: Vec<I> = self.places(answers.values(), missing)?;
                let place = |key: Option<usize>| key.map_or(missing, |key| of_values[key]);
                return Ok(answers.keys_iter().map(place).collect());
            }
            _ => {}
        );
        Ok(match answers.data_type() {
            DataType::Utf8 => answers.as_string::<i32>().iter().map(place).collect(),
            DataType::LargeUtf8 => answers.as_string::<i64>().iter().map(place).collect(),
            DataType::Utf8View => answers.as_string_view().iter().map(place).collect(),
            // A column of nothing but missing values.
            DataType::Null => vec![missing; answers.len()],
            _ => return Err(another_type("texts")),
        })
    }

    /// The texts at these places, as a column of a type like that of the answers. The type does not depend on what the answers are.
    fn texts_at<I: CategoryIndex>(&self, places: &[I], answers: &DataType) -> ArrayRef {
        let categories = self.categories();
        let longest = categories.iter().map(|text| text.len()).max().unwrap_or(0);
        let is_short = longest.saturating_mul(places.len()) <= i32::MAX as usize;
        match answers {
            DataType::Dictionary(key, texts) => {
                let keys = places.iter().map(|&place| place.into());
                let keys = PrimitiveArray::<UInt32Type>::from_iter_values(keys);
                let values: ArrayRef = Arc::new(StringArray::from_iter_values(&categories));
                let column = DictionaryArray::new(keys, crate::columns::cast(&values, texts));
                // Too short a type of keys is not kept, whichever keys there are.
                if categories.len() as u64 > keys_of(key) {
                    return Arc::new(column);
                }
                crate::columns::cast(&column, answers)
            }
            DataType::LargeUtf8 => Arc::new(texts::<i64, I>(&categories, places)),
            DataType::Utf8View if is_short => {
                crate::columns::cast(&texts::<i32, I>(&categories, places), answers)
            }
            _ if is_short => Arc::new(texts::<i32, I>(&categories, places)),
            _ => Arc::new(texts::<i64, I>(&categories, places)),
        }
    }

    pub(crate) fn places_of_texts(&self, reports: &dyn Array) -> Result<Vec<u32>> {
        let places = self.places::<u32>(reports, u32::MAX).map_err(|_| no_report())?;
        self.all_known(places)
    }
}

/// How many keys of a dictionary a type has.
fn keys_of(key: &DataType) -> u64 {
    match key {
        DataType::Int8 => 1 << 7,
        DataType::UInt8 => 1 << 8,
        DataType::Int16 => 1 << 15,
        DataType::UInt16 => 1 << 16,
        DataType::Int32 => 1 << 31,
        _ => u64::MAX,
    }
}

fn texts<O: OffsetSizeTrait, I: CategoryIndex>(
    categories: &[&String],
    places: &[I],
) -> GenericByteArray<GenericStringType<O>> {
    let text = |&place: &I| categories[place.into() as usize].as_bytes();
    let offsets = OffsetBuffer::from_lengths(places.iter().map(|place| text(place).len()));
    let mut bytes = Vec::with_capacity(offsets.last().map_or(0, |end: &O| end.as_usize()));
    places.iter().for_each(|place| bytes.extend_from_slice(text(place)));
    GenericByteArray::new(offsets, Buffer::from_vec(bytes), None)
}

/// A type of integers that categories can be given in.
pub trait WholeNumber: Copy + Send + Sync + TryFrom<i64> + 'static {
    /// As a category, if there can be one.
    fn category(self) -> Option<i64>;
}

macro_rules! whole_numbers {
    ($($number:ty)*) => {$(
        impl WholeNumber for $number {
            fn category(self) -> Option<i64> {
                self.try_into().ok()
            }
        }
    )*};
}

whole_numbers!(i8 i16 i32 i64 u8 u16 u32 u64);

impl ChoiceMechanism<i64> {
    /// What is reported on answers that are numbers: numbers of the same type, or packed bits.
    ///
    /// # Errors
    ///
    /// A type that has not all categories; no entropy.
    pub fn report_numbers<N: WholeNumber>(
        &self,
        answers: impl Iterator<Item = Option<N>>,
        missing: Option<Answer<'_>>,
    ) -> Result<Reported<N>> {
        let missing = match missing {
            None => None,
            Some(Answer::Integer(number)) => Some(self.index_of(&number).ok_or_else(no_category)?),
            Some(_) => return Err(no_category()),
        };
        let category = |category: &i64| N::try_from(*category).ok();
        let categories: Option<Vec<N>> = self.categories().into_iter().map(category).collect();
        let is_category = matches!(self, ChoiceMechanism::RandomizedResponse(_));
        let categories = match categories {
            Some(categories) => categories,
            None if is_category => {
                return Err(Error::data_type(
                    "the column's type has not all categories; accepted are types with more bits",
                ));
            }
            None => Vec::new(),
        };
        with_index!(self.values(), Index => {
            let missing: Index = index(missing);
            let place = |answer: Option<N>| match answer {
                Some(answer) => index(answer.category().and_then(|number| self.index_of(&number))),
                None => missing,
            };
            let (mut answers, mut numbers, mut rows) = (answers.map(place), Vec::new(), Vec::new());
            // Some at a time, so that their places need not all be kept.
            let at_once = self.rows_at_once();
            loop {
                let places: Vec<Index> = answers.by_ref().take(at_once).collect();
                let (length, left) = (places.len(), answers.size_hint().0);
                match self.report(places)? {
                    Reported::Places(places) => {
                        numbers.reserve(length + left);
                        numbers.extend(places.iter().map(|&place| categories[place as usize]));
                    }
                    Reported::Column(reports) => {
                        let packed = reports.as_fixed_size_binary();
                        rows.reserve((length + left) * packed.value_length() as usize);
                        rows.extend_from_slice(packed.value_data());
                    }
                }
                if length < at_once {
                    break;
                }
            }
            Ok(match is_category {
                true => Reported::Places(numbers),
                false => Reported::Column(self.packed().column(rows)),
            })
        })
    }

    pub(super) fn randomize_numbers(
        &self,
        answers: &dyn Array,
        missing: Option<Answer<'_>>,
    ) -> Result<ArrayRef> {
        downcast_integer_array!(
            answers => {
                Ok(match self.report_numbers(answers.iter(), missing)? {
                    Reported::Places(numbers) => {
                        let numbers = ScalarBuffer::from(numbers);
                        with_type(answers, numbers)
                    }
                    Reported::Column(reports) => reports,
                })
            }
            _ => Err(another_type("whole numbers of a type that all categories have"))
        )
    }

    pub(crate) fn places_of_numbers(&self, reports: &dyn Array) -> Result<Vec<u32>> {
        let place =
            |number: Option<i64>| index::<u32>(number.and_then(|number| self.index_of(&number)));
        let places = downcast_integer_array!(
            reports => reports.iter().map(|number| place(number.and_then(WholeNumber::category))).collect(),
            _ => return Err(no_report())
        );
        self.all_known(places)
    }
}

impl<T: Eq + Hash + Clone + Send + Sync> ChoiceMechanism<T> {
    fn all_known(&self, places: Vec<u32>) -> Result<Vec<u32>> {
        let values = self.values();
        if places.iter().all(|&place| (place as usize) < values) {
            Ok(places)
        } else {
            Err(no_report())
        }
    }
}

/// A column of the type of another.
fn with_type<P: arrow_array::ArrowPrimitiveType>(
    _: &PrimitiveArray<P>,
    numbers: ScalarBuffer<P::Native>,
) -> ArrayRef {
    Arc::new(PrimitiveArray::<P>::new(numbers, None))
}

fn no_category() -> Error {
    no_stand_in("one of the categories")
}
