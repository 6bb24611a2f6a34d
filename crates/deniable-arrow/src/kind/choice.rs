//! One of a list.

use std::sync::Arc;

use arrow_array::types::{ArrowDictionaryKeyType, UInt8Type, UInt16Type, UInt32Type};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, DictionaryArray, PrimitiveArray, StringArray,
    downcast_dictionary_array,
};
use arrow_schema::DataType;
use deniable::estimate::BitCounts;
use deniable::mechanism::{local_hashing, randomized_response, subset_selection, unary_encoding};
use deniable::plan::{self, Oracle};
use deniable::prelude::*;
use foldhash::fast::RandomState;
use indexmap::IndexSet;

use super::{Asked, Budget, Read, budget, check_choice, choices, epsilon, short, written};
use crate::Result;
use crate::columns::{self, check_whole, no_report};
use crate::counts::Tally;
use crate::estimate::{How, QuestionEstimate};
use crate::mechanism::{ChoiceMechanism, Reported};
use crate::survey::fields::{Field, Fields, Wrong};

/// The category of answers that are none of the choices, unless the survey names another.
const OTHER: &str = "other";

/// A question with one of several answers.
#[derive(Clone, Debug)]
pub struct Choice {
    mechanism: ChoiceMechanism,
    /// In their order, with the other one.
    categories: IndexSet<String, RandomState>,
    /// Where answers go that are none of the categories.
    unknown: u32,
    /// Where missing answers go.
    missing: u32,
    /// The categories as a column, which all columns of reports share.
    dictionary: ArrayRef,
}

impl Choice {
    /// How an answer is randomized.
    pub fn mechanism(&self) -> &ChoiceMechanism {
        &self.mechanism
    }

    /// What can be reported, in the order of the survey; the category of other answers last, unless the survey lists it.
    pub fn categories(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        self.categories.iter().map(String::as_str)
    }

    pub(super) fn read(mut fields: Fields<'_>) -> Read<Self> {
        let choices = choices(&mut fields, 1)?;
        let mut categories: IndexSet<String, RandomState> = choices.into_iter().collect();
        let other = fields.text_or_false("other")?;
        if let Some((field, name)) = other.as_ref().and_then(|f| Some((f, f.value.as_ref()?))) {
            check_choice(field, name)?;
        }
        let other = other.map_or(Some(OTHER.to_owned()), |other| other.value);
        let other = other.map(|name| categories.insert_full(name).0 as u32);
        if categories.len() < 2 {
            return Err(Wrong::at(
                fields.at,
                "there is one category; accepted are at least two, or one and `other`",
            ));
        }
        let missing = match fields.text("missing")? {
            None => other.ok_or_else(|| {
                Wrong::at(fields.at, "`missing` is missing; with `other = false`, it says which choice stands for missing and unknown answers")
            })?,
            Some(name) => categories.get_index_of(&name.value).ok_or_else(|| {
                name.refused("`missing` is none of the choices; accepted is one of them, or `other`")
            })? as u32,
        };
        let (at, oracle) = read_oracle(&mut fields, categories.len())?;
        fields.finish("a choice question")?;
        let refused = |error: deniable::Error| Wrong::at(at, error.to_string());
        let all = categories.iter().cloned().collect();
        let mechanism = ChoiceMechanism::new(oracle, all).map_err(refused)?;
        mechanism.check_channel().map_err(refused)?;
        let dictionary = Arc::new(StringArray::from_iter_values(&categories));
        Ok(Choice { mechanism, categories, unknown: other.unwrap_or(missing), missing, dictionary })
    }

    fn place(&self, text: Option<&str>) -> u32 {
        match text {
            None => self.missing,
            Some(text) => match self.categories.get_index_of(text.trim()) {
                Some(place) => place as u32,
                None if text.trim().is_empty() => self.missing,
                None => self.unknown,
            },
        }
    }

    /// The places of the answers.
    fn places(&self, answers: &dyn Array) -> Vec<u32> {
        downcast_dictionary_array!(
            answers => {
                let of_values: Vec<u32> = self.places(answers.values());
                let place = |key: Option<usize>| key.map_or(self.missing, |key| of_values[key]);
                return answers.keys_iter().map(place).collect();
            }
            _ => {}
        );
        columns::texts(answers).iter().map(|text| self.place(text)).collect()
    }

    fn column<K: ArrowDictionaryKeyType>(&self, places: Vec<u32>) -> ArrayRef
    where
        K::Native: TryFrom<u32>,
    {
        let key = |place: u32| K::Native::try_from(place).ok().expect("a key that fits");
        let keys = PrimitiveArray::<K>::from_iter_values(places.into_iter().map(key));
        Arc::new(DictionaryArray::new(keys, self.dictionary.clone()))
    }

    /// The places of reports that are categories.
    fn reported(&self, reports: &dyn Array) -> Result<Vec<u32>> {
        check_whole(reports)?;
        downcast_dictionary_array!(
            reports => {
                // Values that no report has may be anything.
                let texts = columns::texts(reports.values());
                let of_values: Vec<Option<usize>> = texts.iter().map(|text| self.categories.get_index_of(text?)).collect();
                let place = |key: Option<usize>| key.and_then(|key| of_values[key]).map(|place| place as u32);
                return reports.keys_iter().map(place).collect::<Option<_>>().ok_or_else(no_report);
            }
            _ => {}
        );
        if !columns::is_text_like(reports.data_type()) {
            return Err(no_report());
        }
        let place =
            |text: Option<&str>| self.categories.get_index_of(text?).map(|place| place as u32);
        columns::texts(reports).iter().map(place).collect::<Option<_>>().ok_or_else(no_report)
    }
}

/// The parameters as the survey has them, or the best ones for its ε.
fn read_oracle(fields: &mut Fields<'_>, k: usize) -> Read<(usize, Oracle)> {
    let mechanism = fields.text("mechanism")?;
    let [prob, one, zero] = [fields.number("prob")?, fields.number("one")?, fields.number("zero")?];
    let [size, buckets] = [fields.count("size")?, fields.count("buckets")?];
    let name = mechanism.as_ref().map(|name| name.value.as_str());
    let at = mechanism.as_ref().map_or(fields.at, |name| name.at);
    let own = match (name, &prob, &one, &zero, &size, &buckets) {
        (_, None, None, None, None, None) => None,
        (None | Some("randomized-response"), Some(prob), None, None, None, None) => {
            Some(Oracle::RandomizedResponse { prob: prob.value })
        }
        (Some("unary-encoding"), None, Some(one), Some(zero), None, None) => {
            Some(Oracle::OptimizedUnaryEncoding { one: one.value, zero: zero.value })
        }
        (Some("subset-selection"), Some(prob), None, None, Some(size), None) => {
            Some(Oracle::SubsetSelection { size: size.value, prob: prob.value })
        }
        (Some("local-hashing"), Some(prob), None, None, None, Some(buckets)) => {
            Some(Oracle::LocalHashing { buckets: buckets.value, prob: prob.value })
        }
        _ => {
            return Err(Wrong::at(
                at,
                "these are not the parameters of one mechanism; accepted are `prob` for randomized-response, `one` and `zero` for unary-encoding, `size` and `prob` for subset-selection, `buckets` and `prob` for local-hashing",
            ));
        }
    };
    match budget(fields, "the parameters of its mechanism", own)? {
        Budget::Own(oracle) => Ok((at, oracle)),
        Budget::Epsilon(field) => {
            best(&field, mechanism.as_ref(), k).map(|oracle| (field.at, oracle))
        }
    }
}

fn best(field: &Field<f64>, mechanism: Option<&Field<String>>, k: usize) -> Read<Oracle> {
    let epsilon = epsilon(field)?;
    let refused = |error: deniable::Error| field.refused(error);
    Ok(match mechanism.map(|name| name.value.as_str()) {
        None => plan::best(k, epsilon, None).map_err(refused)?.oracle(),
        Some("randomized-response") => Oracle::RandomizedResponse {
            prob: randomized_response::largest_prob(k, epsilon).map_err(refused)?,
        },
        Some("unary-encoding") => {
            let (one, zero) = unary_encoding::optimized(epsilon).map_err(refused)?;
            Oracle::OptimizedUnaryEncoding { one, zero }
        }
        Some("subset-selection") => {
            let size = subset_selection::best_size(k, epsilon).map_err(refused)?;
            let prob = subset_selection::largest_prob(k, size, epsilon).map_err(refused)?;
            Oracle::SubsetSelection { size, prob }
        }
        Some("local-hashing") => {
            let buckets = local_hashing::best_buckets(epsilon);
            let prob = local_hashing::largest_prob(buckets, epsilon).map_err(refused)?;
            Oracle::LocalHashing { buckets, prob }
        }
        Some(_) => {
            let why = "`mechanism` is none for a choice; accepted are \"randomized-response\", \"unary-encoding\", \"subset-selection\" and \"local-hashing\"";
            return Err(mechanism.expect("it was there").refused(why));
        }
    })
}

impl Asked for Choice {
    fn epsilon(&self) -> Epsilon {
        self.mechanism.map(1).expect("a distance")
    }

    fn mechanism(&self) -> String {
        let k = self.categories.len();
        match &self.mechanism {
            ChoiceMechanism::RandomizedResponse(m) => {
                format!(
                    "randomized response over {k} categories, the truth with probability {}",
                    short(m.prob())
                )
            }
            ChoiceMechanism::UnaryEncoding(m) => {
                format!(
                    "unary encoding in {k} bits, ones with probability {} and {}",
                    short(m.one()),
                    short(m.zero())
                )
            }
            ChoiceMechanism::SubsetSelection(m) => {
                format!(
                    "subsets of {} of {k} categories, with the truth at probability {}",
                    m.size(),
                    short(m.prob())
                )
            }
            ChoiceMechanism::LocalHashing(m) => {
                format!(
                    "local hashing of {k} categories into {} buckets, the truth with probability {}",
                    m.buckets(),
                    short(m.prob())
                )
            }
        }
    }

    fn described(&self) -> String {
        written(&(self.mechanism.spec(), self.unknown, self.missing))
    }

    fn accepts(&self, answers: &DataType) -> bool {
        columns::is_text_like(answers)
    }

    fn accepted(&self) -> &'static str {
        "texts, whole numbers and truth values"
    }

    fn report_type(&self) -> DataType {
        if !matches!(self.mechanism, ChoiceMechanism::RandomizedResponse(_)) {
            return self.mechanism.packed().data_type();
        }
        let key = match self.categories.len() {
            0..=256 => UInt8Type::DATA_TYPE,
            257..=65_536 => UInt16Type::DATA_TYPE,
            _ => UInt32Type::DATA_TYPE,
        };
        DataType::Dictionary(Box::new(key), Box::new(DataType::Utf8))
    }

    fn randomize(&self, answers: &dyn Array) -> Result<ArrayRef> {
        Ok(match self.mechanism.report(self.places(answers))? {
            Reported::Column(reports) => reports,
            Reported::Places(places) => match self.categories.len() {
                0..=256 => self.column::<UInt8Type>(places),
                257..=65_536 => self.column::<UInt16Type>(places),
                _ => self.column::<UInt32Type>(places),
            },
        })
    }

    fn understood(&self, answers: &dyn Array) -> Vec<Vec<u8>> {
        self.places(answers).into_iter().map(|place| place.to_le_bytes().to_vec()).collect()
    }

    fn tally(&self) -> Tally {
        Tally::Values(BitCounts::new(self.categories.len()))
    }

    fn count(&self, reports: &dyn Array, tally: &mut Tally) -> Result<()> {
        self.mechanism.count(reports, tally.values_mut()?, |_, reports| self.reported(reports))
    }

    fn estimate(&self, tally: &Tally, how: &How) -> Result<QuestionEstimate> {
        self.mechanism.estimate(tally.values()?, how)
    }
}
