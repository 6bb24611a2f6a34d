//! Yes or no.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_buffer::{BooleanBuffer, Buffer};
use arrow_schema::DataType;
use deniable::estimate::{BitCounts, FrequencyOracle};
use deniable::mechanism::randomized_response_bool::largest_prob;
use deniable::prelude::*;
use deniable::{RandomizedResponseBool, Spec};

use super::{Asked, Budget, Read, budget, epsilon, short, written};
use crate::Result;
use crate::columns::{self, check_whole, no_report};
use crate::counts::Tally;
use crate::estimate::{How, QuestionEstimate};
use crate::survey::fields::Fields;

/// A question with two answers, by randomized response.
#[derive(Clone, Debug)]
pub struct YesNo {
    mechanism: RandomizedResponseBool,
    missing: bool,
}

impl YesNo {
    /// How an answer is randomized.
    pub fn mechanism(&self) -> &RandomizedResponseBool {
        &self.mechanism
    }

    /// What a missing answer, or one that cannot be read, becomes.
    pub fn missing(&self) -> bool {
        self.missing
    }

    pub(super) fn read(mut fields: Fields<'_>) -> Read<Self> {
        let prob = fields.number("prob")?;
        let at = prob.as_ref().map_or(fields.at, |prob| prob.at);
        let prob = match budget(&mut fields, "`prob`", prob)? {
            Budget::Own(prob) => prob.value,
            Budget::Epsilon(field) => largest_prob(epsilon(&field)?),
        };
        let missing = match fields.text("missing")? {
            None => false,
            Some(missing) => read_word(&missing.value).ok_or_else(|| {
                missing.refused("`missing` is neither; accepted are \"yes\" and \"no\"")
            })?,
        };
        fields.finish("a yes-no question")?;
        let refused =
            |error: deniable::Error| crate::survey::fields::Wrong::at(at, error.to_string());
        let mechanism = make_randomized_response_bool(prob, false).map_err(refused)?;
        mechanism.channel().map_err(refused)?;
        Ok(YesNo { mechanism, missing })
    }

    /// The answers as truth values, or missing.
    fn answers(&self, answers: &dyn Array) -> BooleanArray {
        if let Some(answers) = answers.as_boolean_opt() {
            return answers.clone();
        }
        if answers.data_type().is_floating() {
            let numbers = columns::cast(answers, &DataType::Float64);
            let number = |x: Option<f64>| match x {
                Some(1.0) => Some(true),
                Some(0.0) => Some(false),
                _ => None,
            };
            return numbers
                .as_primitive::<arrow_array::types::Float64Type>()
                .iter()
                .map(number)
                .collect();
        }
        columns::texts(answers).iter().map(|text| text.and_then(read_word)).collect()
    }
}

/// Words for yes and no.
fn read_word(text: &str) -> Option<bool> {
    let is_one_of =
        |words: [&str; 5]| words.iter().any(|word| text.trim().eq_ignore_ascii_case(word));
    match () {
        () if is_one_of(["yes", "y", "true", "t", "1"]) => Some(true),
        () if is_one_of(["no", "n", "false", "f", "0"]) => Some(false),
        () => None,
    }
}

impl Asked for YesNo {
    fn epsilon(&self) -> Epsilon {
        self.mechanism.map(1).expect("a distance")
    }

    fn mechanism(&self) -> String {
        format!("randomized response, the truth with probability {}", short(self.mechanism.prob()))
    }

    fn described(&self) -> String {
        written(&(Spec::from(&self.mechanism), self.missing))
    }

    fn accepts(&self, answers: &DataType) -> bool {
        columns::is_text_like(answers) || answers.is_floating()
    }

    fn accepted(&self) -> &'static str {
        "truth values, texts such as yes and no, and the numbers 1 and 0"
    }

    fn report_type(&self) -> DataType {
        DataType::Boolean
    }

    fn randomize(&self, answers: &dyn Array) -> Result<ArrayRef> {
        let length = answers.len();
        let mut words = columns::words(&self.answers(answers), self.missing);
        self.mechanism.invoke_packed(&mut words, length)?;
        let reports = BooleanBuffer::new(Buffer::from_vec(words), 0, length);
        Ok(Arc::new(BooleanArray::new(reports, None)))
    }

    fn understood(&self, answers: &dyn Array) -> Vec<Vec<u8>> {
        let answers = self.answers(answers);
        answers.iter().map(|yes| vec![u8::from(yes.unwrap_or(self.missing))]).collect()
    }

    fn tally(&self) -> Tally {
        Tally::Values(BitCounts::new(1))
    }

    fn count(&self, reports: &dyn Array, tally: &mut Tally) -> Result<()> {
        check_whole(reports)?;
        let counted = match reports.as_boolean_opt() {
            Some(reports) => {
                BitCounts::from_ones(reports.len() as u64, vec![reports.true_count() as u64])?
            }
            // Files without types. Python's write a capital letter.
            None if columns::is_text_like(reports.data_type()) => {
                let yes = |text: Option<&str>| match text {
                    Some("true" | "True") => Ok(1),
                    Some("false" | "False") => Ok(0),
                    _ => Err(no_report()),
                };
                let yes: u64 = columns::texts(reports).iter().map(yes).sum::<Result<u64>>()?;
                BitCounts::from_ones(reports.len() as u64, vec![yes])?
            }
            None => return Err(no_report()),
        };
        Ok(tally.values_mut()?.merge(&counted)?)
    }

    fn estimate(&self, tally: &Tally, how: &How) -> Result<QuestionEstimate> {
        let estimates = self.mechanism.estimate(tally.values()?)?;
        QuestionEstimate::of_values(["yes"], &estimates, how)
    }
}
