//! Surveys on data frames.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use deniable_arrow::{FINGERPRINT, Survey as RustSurvey, SurveyCounts as RustCounts};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use pyo3_arrow::input::AnyRecordBatch;
use pyo3_arrow::{PySchema, PyTable};

use crate::error::{Error, Result, refused};
use crate::estimate::{how, values};
use crate::glue;
use crate::import::sound_batch;

/// What is asked, how each answer is randomized, and what that loses: the survey file of the command `deniable`.
///
/// >>> survey = Survey.parse('''
/// ... version = 1
/// ... [[question]]
/// ... name = "moved"
/// ... kind = "yes-no"
/// ... epsilon = 1.0
/// ... ''')
/// >>> survey.questions, survey.epsilon <= 1.0
/// (['moved'], True)
/// >>> reports = survey.randomize({"moved": [True, False, None]})
/// >>> sorted(reports)
/// ['deniable_survey', 'moved']
/// >>> survey.count(reports).reports
/// {'moved': 3}
#[pyclass(frozen, module = "deniable")]
pub(crate) struct Survey {
    survey: RustSurvey,
    text: String,
}

#[pymethods]
impl Survey {
    /// Reads a survey file.
    #[staticmethod]
    fn load(path: std::path::PathBuf) -> Result<Self> {
        Survey::parse(std::fs::read_to_string(path).map_err(PyErr::from)?)
    }

    /// Reads the text of a survey file. An error says the line, and what would be accepted.
    #[staticmethod]
    fn parse(text: String) -> Result<Self> {
        Ok(Survey { survey: RustSurvey::parse(&text)?, text })
    }

    /// What the survey is called.
    #[getter]
    fn title(&self) -> Option<&str> {
        self.survey.title()
    }

    /// The names of the questions, which are those of their columns.
    #[getter]
    fn questions(&self) -> Vec<&str> {
        self.survey.questions().iter().map(|question| question.name()).collect()
    }

    /// The column by which respondents are told apart, if there is one. It is in no report.
    #[getter]
    fn id(&self) -> Option<&str> {
        self.survey.id()
    }

    /// The columns that are passed on as they are.
    #[getter]
    fn public(&self) -> Vec<&str> {
        self.survey.public().iter().map(String::as_str).collect()
    }

    /// What a respondent who answers all questions loses.
    #[getter]
    fn epsilon(&self) -> f64 {
        self.survey.epsilon().get()
    }

    /// What an answer to each question loses.
    #[getter]
    fn epsilons<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for question in self.survey.questions() {
            all.set_item(question.name(), question.epsilon().get())?;
        }
        Ok(all)
    }

    /// What reports are made by: equal for two surveys if their reports mean the same.
    #[getter]
    fn fingerprint(&self) -> String {
        self.survey.fingerprint().to_string()
    }

    /// A frame of answers, one person a row, randomized. What comes back is of the kind that went in: pandas, Polars, an Arrow table, a dict of lists.
    ///
    /// Columns that are neither questions nor public are left out. What is missing, or cannot be read, is randomized as what the survey says. The column
    /// `deniable_survey` says which survey the reports are of.
    ///
    /// If the survey names an `id`, no two rows may have the same. Randomizing the same answers again loses ε again.
    ///
    /// With `plain`, reports have types that engines such as Spark read: texts where there would be categories, bytes of any length where there would be
    /// some of a fixed length, and `deniable_survey` is a column of texts, in Arrow tables too.
    #[pyo3(signature = (frame, *, plain=false))]
    fn randomize<'py>(
        slf: &Bound<'py, Self>,
        frame: &Bound<'py, PyAny>,
        plain: bool,
    ) -> Result<Bound<'py, PyAny>> {
        Ok(glue(slf.py(), "_frames")?.call_method1("randomize", (slf, frame, plain))?)
    }

    /// The schema of the Arrow table that `randomize` makes of answers of a schema, as one of pyarrow's: for engines that want to know it before.
    ///
    /// Answers that `randomize` would refuse for their columns or types are refused here.
    #[pyo3(signature = (answers, *, plain=false))]
    fn report_schema<'py>(
        slf: &Bound<'py, Self>,
        answers: &Bound<'py, PyAny>,
        plain: bool,
    ) -> Result<Bound<'py, PyAny>> {
        Ok(glue(slf.py(), "_frames")?.call_method1("report_schema", (slf, answers, plain))?)
    }

    /// Counts reports: all that estimates need. Counts of parts can be added.
    fn count<'py>(
        slf: &Bound<'py, Self>,
        reports: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>> {
        Ok(glue(slf.py(), "_frames")?.call_method1("count", (slf, reports))?)
    }

    /// What the reports, or their counts, say, question by question. See `SurveyEstimates`.
    ///
    /// `candidates` is what to look for in answers to text questions, where the survey lists nothing.
    ///
    /// For each value of a public column apart, as the command's `--by`: `{name: survey.estimate(group) for name, group in reports.groupby("region")}`
    /// with pandas, and the same with `group_by` of Polars.
    #[pyo3(signature = (reports, *, confidence=0.95, target="population", candidates=None))]
    fn estimate<'py>(
        slf: &Bound<'py, Self>,
        reports: &Bound<'py, PyAny>,
        confidence: f64,
        target: &str,
        candidates: Option<Vec<String>>,
    ) -> Result<Bound<'py, PyAny>> {
        let (py, survey) = (slf.py(), &slf.get().survey);
        let how = how(confidence, target, candidates.unwrap_or_default())?;
        let counts = match reports.cast::<SurveyCounts>() {
            Ok(counts) => counts.clone(),
            Err(_) => Self::count(slf, reports)?.cast_into().map_err(PyErr::from)?,
        };
        let counts = &counts.get().0;
        let found = py.detach(|| survey.estimate(counts, &how))?;
        let questions = PyList::empty(py);
        for question in &found.questions {
            let parts = values(py, question, None)?;
            parts.set_item("text", &question.text)?;
            questions.append(parts)?;
        }
        let estimates = glue(py, "_results")?.getattr("SurveyEstimates")?;
        Ok(estimates.call1((found.title, found.epsilon, found.confidence, questions))?)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> Result<String> {
        let own = slf.get();
        let questions = PyList::new(slf.py(), own.questions())?;
        Ok(format!(
            "Survey(questions={}, epsilon={})",
            questions.repr()?,
            PyFloatRepr(own.epsilon())
        ))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.text == other.text
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("parse")?, (slf.get().text.clone(),)))
    }

    /// The kind of a question, if there is one of this name.
    fn _kind_of(&self, name: &str) -> Option<&'static str> {
        self.survey.question(name).map(|question| question.kind().name())
    }

    fn _randomize(&self, py: Python<'_>, frame: AnyRecordBatch, plain: bool) -> Result<PyTable> {
        let (batches, schema) = frame.into_table().map_err(PyErr::from)?.into_inner();
        let survey = &self.survey;
        let (schema, mut reports) = (report_schema(survey, &schema, plain)?, Vec::new());
        py.detach(|| check_ids(survey, &batches))?;
        for_each_part(py, &batches, |part| {
            let part = survey.randomize(&part)?;
            reports.push(if plain { in_plain_types(survey, part, &schema)? } else { part });
            Ok(())
        })?;
        Ok(PyTable::try_new(reports, schema)?)
    }

    fn _report_schema(&self, answers: PySchema, plain: bool) -> Result<PySchema> {
        Ok(report_schema(&self.survey, answers.as_ref(), plain)?.into())
    }

    fn _count(&self, py: Python<'_>, reports: AnyRecordBatch) -> Result<SurveyCounts> {
        let batches = reports.into_table().map_err(PyErr::from)?.into_inner().0;
        let mut counts = self.survey.counts();
        for_each_part(py, &batches, |part| match with_fingerprint(part)? {
            Some(part) => Ok(self.survey.count(&part, &mut counts)?),
            None => Ok(()),
        })?;
        Ok(SurveyCounts(counts))
    }
}

/// Rows that are worked on at once, as many as the command takes: what is made on the way is kept for so many alone, and sums are rounded alike.
const PART: usize = 1 << 16;

/// Does the work on some rows at a time, without the interpreter's lock. Between two times a signal can end it, and what was made is dropped.
fn for_each_part(
    py: Python<'_>,
    batches: &[RecordBatch],
    mut work: impl FnMut(RecordBatch) -> Result<()> + Send,
) -> Result<()> {
    for batch in batches {
        let rows = batch.num_rows();
        for start in (0..rows.max(1)).step_by(PART) {
            let part = batch.slice(start, PART.min(rows - start));
            py.detach(|| work(sound_batch(&part)?))?;
            py.check_signals()?;
        }
    }
    Ok(())
}

/// The schema of reports of such answers.
fn report_schema(survey: &RustSurvey, answers: &Schema, plain: bool) -> Result<SchemaRef> {
    if survey.id().is_some_and(|id| answers.column_with_name(id).is_none()) {
        return Err(no_ids());
    }
    let schema = survey.report_schema(answers)?;
    if !plain {
        return Ok(schema);
    }
    let columns = schema.fields().iter();
    let mut columns: Vec<Field> = columns
        .map(|column| Field::clone(column).with_data_type(plain_type(column.data_type())))
        .collect();
    columns.push(Field::new(FINGERPRINT, DataType::Utf8, false));
    Ok(Arc::new(Schema::new_with_metadata(columns, schema.metadata().clone())))
}

fn plain_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Dictionary(_, values) => plain_type(values),
        DataType::FixedSizeBinary(_) => DataType::Binary,
        other => other.clone(),
    }
}

/// Reports in the types of a plain schema, and with the survey in its column.
fn in_plain_types(
    survey: &RustSurvey,
    reports: RecordBatch,
    schema: &SchemaRef,
) -> Result<RecordBatch> {
    let too_long =
        |_| refused("frame", "its reports are too long for plain types", "fewer rows at a time");
    let typed = reports.columns().iter().zip(schema.fields());
    let mut columns = typed
        .map(|(column, field)| arrow_cast::cast(column, field.data_type()).map_err(too_long))
        .collect::<Result<Vec<ArrayRef>>>()?;
    let survey = std::iter::repeat_n(survey.fingerprint().to_string(), reports.num_rows());
    columns.push(Arc::new(StringArray::from_iter_values(survey)));
    RecordBatch::try_new(schema.clone(), columns).map_err(too_long)
}

/// A float as Python writes it.
struct PyFloatRepr(f64);

impl std::fmt::Display for PyFloatRepr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

/// That every row has an id, and no respondent is there twice. Of each id, two hashes are kept: two that differ have both in common once in 2^128.
fn check_ids(survey: &RustSurvey, batches: &[RecordBatch]) -> Result<()> {
    let Some(id) = survey.id() else { return Ok(()) };
    let keys = [RandomState::new(), RandomState::new()];
    let mut seen = HashSet::new();
    for batch in batches {
        let column = batch.column_by_name(id).ok_or_else(no_ids)?;
        let no_texts = || refused("frame", "the ids cannot be read as texts", "texts and numbers");
        let ids = arrow_cast::cast(column, &DataType::LargeUtf8).map_err(|_| no_texts())?;
        for id in ids.as_string::<i64>() {
            let id = id.ok_or_else(|| refused("frame", "a row has no id", "one for every row"))?;
            if !seen.insert([keys[0].hash_one(id), keys[1].hash_one(id)]) {
                return Err(refused(
                    "frame",
                    "two rows have the same id",
                    "one row a respondent, each with an id of its own",
                ));
            }
        }
    }
    Ok(())
}

fn no_ids() -> Error {
    refused("frame", "the survey names a column of ids that is not there", "a frame with it")
}

/// With the fingerprint in the metadata: where frames keep none, from its column. Nothing, if that has no rows.
fn with_fingerprint(batch: RecordBatch) -> Result<Option<RecordBatch>> {
    let Some(column) = batch.column_by_name(FINGERPRINT) else { return Ok(Some(batch)) };
    let different =
        || refused("reports", "they are of different surveys, or of none", "reports of one survey");
    let texts = arrow_cast::cast(column, &DataType::LargeUtf8).map_err(|_| different())?;
    let texts = texts.as_string::<i64>();
    let Some(first) = texts.iter().next() else { return Ok(None) };
    let mut metadata = batch.schema_ref().metadata().clone();
    let said = metadata.get(FINGERPRINT).map(String::as_str);
    let first = said.or(first).ok_or_else(different)?.to_owned();
    if texts.iter().any(|text| text != Some(&first)) {
        return Err(different());
    }
    metadata.insert(FINGERPRINT.to_owned(), first);
    let schema = Schema::new_with_metadata(batch.schema_ref().fields().clone(), metadata);
    batch.with_schema(schema.into()).map(Some).map_err(|_| different())
}

/// What was counted of a survey's reports. Counts of parts, from many machines, can be added; they are those of the command's `count`.
#[pyclass(frozen, module = "deniable")]
pub(crate) struct SurveyCounts(RustCounts);

#[pymethods]
impl SurveyCounts {
    /// How many reports of each question were counted.
    #[getter]
    fn reports<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (name, reports) in self.0.reports() {
            all.set_item(name, reports)?;
        }
        Ok(all)
    }

    /// The counts as JSON, as `deniable count` writes them.
    fn to_json(&self) -> String {
        serde_json::to_string(&self.0).expect("plain data")
    }

    /// Counts out of JSON, which are checked.
    #[staticmethod]
    fn from_json(text: &str) -> Result<Self> {
        let counts = serde_json::from_str(text);
        let no_counts =
            |_| refused("text", "these are no counts of a survey", "what to_json wrote");
        Ok(SurveyCounts(counts.map_err(no_counts)?))
    }

    fn __add__(&self, other: &Self) -> Result<Self> {
        let mut sum = self.0.clone();
        sum.merge(&other.0)?;
        Ok(SurveyCounts(sum))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __repr__(slf: &Bound<'_, Self>) -> Result<String> {
        Ok(format!("SurveyCounts(reports={})", slf.get().reports(slf.py())?.repr()?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("from_json")?, (slf.get().to_json(),)))
    }
}
