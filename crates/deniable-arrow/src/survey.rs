//! The survey file.

pub(crate) mod fields;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field as Column, Schema, SchemaRef};
use deniable::Epsilon;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use toml::de::DeTable;

use crate::columns;
use crate::counts::SurveyCounts;
use crate::estimate::{How, SurveyEstimate};
use crate::kind::Kind;
use crate::{Error, Result};
use fields::{Field, Fields, Wrong};

/// The key of the metadata of reports that has the survey's fingerprint, and the name of the column that has it in files without metadata.
pub const FINGERPRINT: &str = "deniable_survey";

/// The version of the survey file that this crate reads.
const VERSION: usize = 1;

/// What is asked, how each answer is randomized, and what that loses. See the [crate](crate).
///
/// # The file
///
/// TOML, with `version = 1`, optionally a `title`, the name of an `id` column and a list of `public` columns, and a `[[question]]` for each question. A question
/// has a `name`, which is that of its column, optionally the `text` that people read, and a `kind`:
///
/// | kind | its fields | its budget: `epsilon`, or | a missing answer, and one that cannot be read |
/// |---|---|---|---|
/// | `yes-no` | | `prob` of the truth | `missing = "no"` or `"yes"`; no |
/// | `choice` | `choices`; `other = "…"` or `false`; `mechanism` | `prob`; `one`, `zero`; `size`, `prob`; `buckets`, `prob` | `missing`: one of them; other |
/// | `several` | `choices`; `most` | `f` | nothing is ticked |
/// | `text` | `bits`, `hashes`, `cohorts`, `candidates` | `p`, `q`, `f` | the empty text |
/// | `number` | `low`, `high` | `scale` | `missing`: a number; the middle of the bounds |
///
/// Answers that are none of the `choices` go to the category `other`, which is added to the choices unless it is one of them; with `other = false` they become `missing`. Numbers are moved
/// to the nearest bound. Of several answers, the first `most` in the order of the choices count.
///
/// Several answers are a list of their names, or one text with `;` between them. A column of whole numbers has the bits of up to 64 choices, from the least significant one: 5 ticks the first choice and the
/// third. That depends on the type of the column and never on its values: the *text* 5 is the choice that is called so, and so are the numbers in a list. Files of text (CSV, JSON lines) have
/// no other columns than texts, and so a number in them is a name.
///
/// The `mechanism` of a choice is `randomized-response`, `unary-encoding`, `subset-selection` or `local-hashing`. With a budget of `epsilon`, the one with
/// the smallest error is taken unless it is named.
#[derive(Clone, Debug)]
pub struct Survey {
    title: Option<String>,
    id: Option<String>,
    public: Vec<String>,
    questions: Vec<Question>,
    fingerprint: Fingerprint,
}

/// A question of a survey.
#[derive(Clone, Debug)]
pub struct Question {
    name: String,
    text: Option<String>,
    kind: Kind,
}

impl Question {
    /// The name of its column.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What people read; the name, if the survey does not say.
    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or(&self.name)
    }

    /// What is asked, and how it is randomized.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// What an answer loses.
    pub fn epsilon(&self) -> Epsilon {
        self.kind.epsilon()
    }

    /// What its reports are made by: the name, the kind and the parameters.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(std::slice::from_ref(self))
    }
}

impl Survey {
    /// Reads a survey file.
    ///
    /// # Errors
    ///
    /// What is no TOML, a field that is missing, unknown or outside its range: with its line and column, and what would be accepted.
    pub fn parse(text: &str) -> Result<Self> {
        read(text).map_err(|Wrong { at, message }| {
            let before = text.get(..at).unwrap_or(text);
            let line_start = before.rfind('\n').map_or(0, |end| end + 1);
            let line = before.matches('\n').count() + 1;
            Error::survey(line, before[line_start..].chars().count() + 1, message)
        })
    }

    /// What the survey is called.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The column by which respondents are told apart, if there is one. It is in no report.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The columns that are passed on as they are.
    pub fn public(&self) -> &[String] {
        &self.public
    }

    /// The questions, at least one.
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// The question of a name.
    pub fn question(&self, name: &str) -> Option<&Question> {
        self.questions.iter().find(|question| question.name == name)
    }

    /// What a respondent who answers all questions loses: the sum over the questions, rounded up.
    pub fn epsilon(&self) -> Epsilon {
        self.questions.iter().fold(Epsilon::ZERO, |sum, question| sum + question.epsilon())
    }

    /// What reports are made by: the questions with their parameters, and nothing else of the file.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// The columns of reports, those passed on first, whose types are those of `answers`. Nothing in them is missing but in those passed on. The metadata has the [fingerprint](FINGERPRINT).
    ///
    /// # Errors
    ///
    /// A column that is not there, or there twice; a question whose answers have a type that none of its kind has.
    pub fn report_schema(&self, answers: &Schema) -> Result<SchemaRef> {
        let mut columns = Vec::new();
        for name in &self.public {
            let (_, column) = columns::find(answers, name)?;
            columns.push(Column::new(name, public_type(column.data_type()), true));
        }
        for Question { name, kind, .. } in &self.questions {
            kind.check(name, columns::find(answers, name)?.1.data_type())?;
            columns.push(Column::new(name, kind.report_type(), false));
        }
        let metadata = [(FINGERPRINT.to_owned(), self.fingerprint.to_string())];
        Ok(Arc::new(Schema::new_with_metadata(columns, metadata.into())))
    }

    /// Randomizes answers, one respondent a row, with the operating system's entropy. Columns that are neither a question nor public are left out.
    ///
    /// Doing it again spends the budget again: whoever sees both results loses up to twice [`Survey::epsilon`].
    ///
    /// # Errors
    ///
    /// As [`Survey::report_schema`], or no entropy. Never because of an answer.
    pub fn randomize(&self, answers: &RecordBatch) -> Result<RecordBatch> {
        let schema = self.report_schema(answers.schema_ref())?;
        let column = |name: &String| {
            columns::find(answers.schema_ref(), name).map(|(place, _)| answers.column(place))
        };
        let mut reports = Vec::with_capacity(schema.fields().len());
        for name in &self.public {
            let public = column(name)?;
            reports.push(columns::cast(public, &public_type(public.data_type())));
        }
        for Question { name, kind, .. } in &self.questions {
            reports.push(kind.randomize(column(name)?)?);
        }
        let options =
            arrow_array::RecordBatchOptions::new().with_row_count(Some(answers.num_rows()));
        Ok(RecordBatch::try_new_with_options(schema, reports, &options)
            .expect("columns of the schema's types, and of one length"))
    }

    /// Counts of no reports yet.
    pub fn counts(&self) -> SurveyCounts {
        SurveyCounts::new(self)
    }

    /// Adds reports to the counts. The questions that the reports have no column of are left out.
    ///
    /// # Errors
    ///
    /// Reports without a fingerprint in their metadata, or with another one; a column that has not the type of reports, or something missing, or what this survey's mechanisms
    /// do not report. Then nothing is added.
    pub fn count(&self, reports: &RecordBatch, counts: &mut SurveyCounts) -> Result<()> {
        self.check_fingerprint(reports.schema_ref())?;
        counts.add(self, reports)
    }

    /// What the counts say, question by question.
    ///
    /// # Errors
    ///
    /// Counts of another survey; a confidence outside its range.
    pub fn estimate(&self, counts: &SurveyCounts, how: &How) -> Result<SurveyEstimate> {
        SurveyEstimate::new(self, counts, how)
    }

    fn check_fingerprint(&self, reports: &Schema) -> Result<()> {
        let Some(found) = reports.metadata().get(FINGERPRINT) else {
            return Err(Error::reports(
                "the reports do not say which survey they are of: accepted are reports that `randomize` made",
            ));
        };
        if found.parse() == Ok(self.fingerprint) {
            return Ok(());
        }
        Err(self.another("the reports are"))
    }

    pub(crate) fn another(&self, which: &str) -> Error {
        let own = self.fingerprint;
        Error::reports(format!(
            "{which} of another survey, or of another version of this one; accepted is the fingerprint {own}"
        ))
    }
}

/// Without a dictionary, which may be another one in every batch.
fn public_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Dictionary(_, values) => public_type(values),
        other => other.clone(),
    }
}

impl FromStr for Survey {
    type Err = Error;

    /// As [`Survey::parse`].
    fn from_str(text: &str) -> Result<Self> {
        Survey::parse(text)
    }
}

fn read(text: &str) -> std::result::Result<Survey, Wrong> {
    let table = DeTable::parse(text).map_err(|error| {
        Wrong::at(error.span().map_or(0, |span| span.start), error.message().replace('\n', ", "))
    })?;
    let mut fields = Fields::new(table.get_ref(), 0);
    let version = fields.count("version")?;
    let version = fields.required(version, "version")?;
    if version.value != VERSION {
        return Err(
            version.refused(format!("`version` is not one of this program; accepted is {VERSION}"))
        );
    }
    let title = fields.text("title")?;
    let id = fields.text("id")?;
    let public = fields.texts("public")?.map_or(Vec::new(), |public| public.value);
    let questions = fields.tables("question")?;
    let questions = fields.required(questions, "question")?;
    fields.finish("a survey")?;
    let mut names = Names::default();
    for name in id.iter().chain(&public) {
        names.add(name)?;
    }
    if questions.value.is_empty() {
        return Err(questions.refused("there is no question; accepted is at least one"));
    }
    let question = |fields| read_question(fields, &mut names);
    let questions: Vec<Question> =
        questions.value.into_iter().map(question).collect::<std::result::Result<_, _>>()?;
    let fingerprint = Fingerprint::of(&questions);
    Ok(Survey {
        title: title.map(|title| title.value),
        id: id.map(|id| id.value),
        public: public.into_iter().map(|name| name.value).collect(),
        questions,
        fingerprint,
    })
}

fn read_question(
    mut fields: Fields<'_>,
    names: &mut Names,
) -> std::result::Result<Question, Wrong> {
    let name = fields.text("name")?;
    let name = fields.required(name, "name")?;
    names.add(&name)?;
    let text = fields.text("text")?;
    let at = fields.at;
    let kind = Kind::read(fields)?;
    if !kind.epsilon().is_finite() {
        return Err(Wrong::at(
            at,
            "nothing bounds what an answer loses; accepted are parameters with more noise, or `epsilon`",
        ));
    }
    Ok(Question { name: name.value, text: text.map(|text| text.value), kind })
}

/// The names of columns, which all differ.
#[derive(Default)]
struct Names(Vec<String>);

impl Names {
    fn add(&mut self, name: &Field<String>) -> std::result::Result<(), Wrong> {
        if name.value.is_empty() || name.value == FINGERPRINT {
            return Err(name.refused("this cannot be the name of a column; accepted is any other"));
        }
        if self.0.contains(&name.value) {
            let why = format!(
                "there is a column `{}` already; accepted are names that differ",
                name.value
            );
            return Err(name.refused(why));
        }
        self.0.push(name.value.clone());
        Ok(())
    }
}

/// 128 bits of a hash of what reports are made by: equal for two surveys exactly if their reports mean the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fingerprint([u8; 16]);

impl Fingerprint {
    fn of(questions: &[Question]) -> Self {
        let described: Vec<_> = questions.iter().map(|q| (&q.name, q.kind.described())).collect();
        let text =
            serde_json::to_vec(&("deniable survey", VERSION, described)).expect("plain data");
        let hash = Sha256::digest(text);
        Fingerprint(hash[..16].try_into().expect("sixteen bytes"))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

impl FromStr for Fingerprint {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let byte = |i: usize| u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> = (0..16).map(byte).collect();
        match bytes.and_then(|bytes| bytes.try_into().ok()) {
            Some(bytes) if text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit()) => {
                Ok(Fingerprint(bytes))
            }
            _ => Err(Error::reports(
                "this is no fingerprint of a survey; accepted are 32 digits from 0 to f",
            )),
        }
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Fingerprint> for String {
    fn from(fingerprint: Fingerprint) -> Self {
        fingerprint.to_string()
    }
}

#[cfg(test)]
mod tests;
