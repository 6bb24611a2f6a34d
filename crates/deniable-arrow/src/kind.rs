//! The kinds of questions: what an answer may be, how it is randomized, counted and estimated. One file each.

mod choice;
mod number;
mod packed;
mod several;
mod text;
mod yes_no;

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use deniable::Epsilon;
use indexmap::IndexSet;

use crate::counts::Tally;
use crate::estimate::{How, QuestionEstimate};
use crate::survey::fields::{Field, Fields, Wrong};
use crate::{Error, Result};

pub use choice::Choice;
pub use number::Number;
pub(crate) use packed::{Packed, word};
pub use several::Several;
pub use text::Text;
pub use yes_no::YesNo;

/// A result of reading the survey file.
pub(crate) type Read<T> = std::result::Result<T, Wrong>;

/// What is asked, and how the answer is randomized.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// Yes or no.
    YesNo(YesNo),
    /// One of a list.
    Choice(Choice),
    /// Several of a list.
    Several(Several),
    /// Any text, by RAPPOR.
    Text(Text),
    /// A number between bounds.
    Number(Number),
}

/// What every kind can do.
pub(crate) trait Asked {
    /// What an answer loses.
    fn epsilon(&self) -> Epsilon;

    /// The mechanism, in words.
    fn mechanism(&self) -> String;

    /// All that reports depend on, as a text. Lists and not objects, whose order is a matter of how JSON is written.
    fn described(&self) -> String;

    /// Whether answers can have this type.
    fn accepts(&self, answers: &DataType) -> bool;

    /// The types of answers, in words.
    fn accepted(&self) -> &'static str;

    /// The type of reports.
    fn report_type(&self) -> DataType;

    /// Reports of the answers, whose type is accepted. Every answer counts: what is missing, or cannot be read, is randomized as what the survey says.
    fn randomize(&self, answers: &dyn Array) -> Result<ArrayRef>;

    /// What the mechanism is given for each of the answers, as bytes: the same for all ways to write an answer.
    fn understood(&self, answers: &dyn Array) -> Vec<Vec<u8>>;

    /// A tally of no reports yet.
    fn tally(&self) -> Tally;

    /// Adds reports to a tally of this question. On an error, the tally is as it was.
    fn count(&self, reports: &dyn Array, tally: &mut Tally) -> Result<()>;

    /// What a tally says.
    fn estimate(&self, tally: &Tally, how: &How) -> Result<QuestionEstimate>;
}

impl Kind {
    /// Its name in the survey file.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::YesNo(_) => "yes-no",
            Kind::Choice(_) => "choice",
            Kind::Several(_) => "several",
            Kind::Text(_) => "text",
            Kind::Number(_) => "number",
        }
    }

    pub(crate) fn asked(&self) -> &dyn Asked {
        match self {
            Kind::YesNo(kind) => kind,
            Kind::Choice(kind) => kind,
            Kind::Several(kind) => kind,
            Kind::Text(kind) => kind,
            Kind::Number(kind) => kind,
        }
    }

    /// What an answer loses.
    pub fn epsilon(&self) -> Epsilon {
        self.asked().epsilon()
    }

    /// The mechanism and its parameters, in words and rounded for reading.
    pub fn mechanism(&self) -> String {
        self.asked().mechanism()
    }

    /// The type of reports.
    pub fn report_type(&self) -> DataType {
        self.asked().report_type()
    }

    /// Randomizes a column of answers, one respondent each.
    ///
    /// # Errors
    ///
    /// A type that no answer to such a question has; no entropy. Never because of an answer.
    pub fn randomize(&self, answers: &dyn Array) -> Result<ArrayRef> {
        self.check("answers", answers.data_type())?;
        self.asked().randomize(answers)
    }

    /// What is randomized in the place of each answer, as bytes: equal for answers that are the same, however they are written.
    ///
    /// # Errors
    ///
    /// A type that no answer to such a question has.
    pub fn understood(&self, answers: &dyn Array) -> Result<Vec<Vec<u8>>> {
        self.check("answers", answers.data_type())?;
        Ok(self.asked().understood(answers))
    }

    pub(crate) fn check(&self, name: &str, answers: &DataType) -> Result<()> {
        if self.asked().accepts(answers) {
            return Ok(());
        }
        let (kind, accepted) = (self.name(), self.asked().accepted());
        // Names in a type can be answers: those of JSON objects are.
        let shown = if answers.is_nested() { String::new() } else { format!(" {answers}") };
        let problem = format!(
            "its type{shown} is none that answers to a {kind} question have; accepted are {accepted}"
        );
        Err(Error::column(name, problem))
    }

    pub(crate) fn described(&self) -> (&'static str, String) {
        (self.name(), self.asked().described())
    }

    /// The rest of a question.
    pub(crate) fn read(mut fields: Fields<'_>) -> Read<Self> {
        let kind = fields.text("kind")?;
        let kind = fields.required(kind, "kind")?;
        match kind.value.as_str() {
            "yes-no" => YesNo::read(fields).map(Kind::YesNo),
            "choice" => Choice::read(fields).map(Kind::Choice),
            "several" => Several::read(fields).map(Kind::Several),
            "text" => Text::read(fields).map(Kind::Text),
            "number" => Number::read(fields).map(Kind::Number),
            _ => Err(kind.refused(
                "`kind` is not a kind of question; accepted are \"yes-no\", \"choice\", \"several\", \"text\" and \"number\"",
            )),
        }
    }
}

/// A budget in the survey file: ε, or else what `own` made of the mechanism's own parameters.
enum Budget<T> {
    Epsilon(Field<f64>),
    Own(T),
}

/// Either `epsilon` or the parameters, whose names are `own`; not both, and not neither.
fn budget<T>(fields: &mut Fields<'_>, own: &str, parameters: Option<T>) -> Read<Budget<T>> {
    match (fields.number("epsilon")?, parameters) {
        (Some(epsilon), None) => Ok(Budget::Epsilon(epsilon)),
        (None, Some(parameters)) => Ok(Budget::Own(parameters)),
        (Some(epsilon), Some(_)) => Err(epsilon
            .refused(format!("there is a budget already: accepted is either `epsilon`, or {own}"))),
        (None, None) => Err(Wrong::at(
            fields.at,
            format!("there is no budget: accepted is either `epsilon`, or {own}"),
        )),
    }
}

/// A number to four significant digits, for reading.
fn short(x: f64) -> String {
    let places = if x == 0.0 { 0.0 } else { (3.0 - x.abs().log10().floor()).clamp(0.0, 300.0) };
    let text = format!("{x:.*}", places as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Plain data as a text.
fn written(data: &impl serde::Serialize) -> String {
    serde_json::to_string(data).expect("plain data")
}

/// An ε above 0 that is finite.
fn epsilon(field: &Field<f64>) -> Read<Epsilon> {
    if field.value > 0.0 && field.value.is_finite() {
        return Epsilon::new(field.value).map_err(|error| field.refused(error));
    }
    Err(field.refused("`epsilon` is not in its range; accepted is a finite number above 0"))
}

/// Answers are read without the spaces around them, and an empty one is a missing one: such a choice would never be found.
fn check_choice<T>(field: &Field<T>, choice: &str) -> Read<()> {
    if !choice.is_empty() && choice.trim() == choice {
        return Ok(());
    }
    Err(field.refused(
        "this choice is empty, or begins or ends with a space; accepted are texts that do not",
    ))
}

/// A list of choices that differ, at least `least`.
fn choices(fields: &mut Fields<'_>, least: usize) -> Read<IndexSet<String>> {
    let list = fields.texts("choices")?;
    let list = fields.required(list, "choices")?;
    let mut choices = IndexSet::new();
    for choice in &list.value {
        check_choice(choice, &choice.value)?;
        if !choices.insert(choice.value.clone()) {
            return Err(
                choice.refused("this choice is there twice; accepted are choices that differ")
            );
        }
    }
    if choices.len() < least {
        return Err(
            list.refused(format!("there are too few choices; accepted are at least {least}"))
        );
    }
    Ok(choices)
}

#[cfg(test)]
mod tests;
