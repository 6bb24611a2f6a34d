//! Parameters: literals of the query, which are read once and are the fields of a survey file.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use datafusion::common::{Result, ScalarValue};
use deniable::estimate::Target;
use deniable_arrow::{ErrorKind, How, Survey};
use toml::{Table, Value};

use crate::error::refused;

/// The name of the only question.
const QUESTION: &str = "answer";

/// As many parameters as are kept.
const KEPT: usize = 1000;

/// What was read, by the kind and the text: the functions are called with the same literal for every batch.
static READ: LazyLock<Mutex<Kept>> = LazyLock::new(Mutex::default);

type Kept = HashMap<(&'static str, String), Arc<Survey>>;

/// A survey of one question, of the kind of the function. The literal is its fields as in a survey file, in one line; or a number, which is its ε.
pub(crate) fn question(
    function: &'static str,
    kind: &'static str,
    literal: Option<&ScalarValue>,
) -> Result<Arc<Survey>> {
    let text = fields(function, literal)?;
    let key = (function, text);
    let lock = || READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(survey) = lock().get(&key) {
        return Ok(survey.clone());
    }
    let survey = Arc::new(read(function, kind, &key.1)?);
    let mut kept = lock();
    if kept.len() >= KEPT {
        kept.clear();
    }
    kept.insert(key, survey.clone());
    Ok(survey)
}

/// The fields of a literal, as TOML; a number is the ε.
pub(crate) fn fields(function: &str, literal: Option<&ScalarValue>) -> Result<String> {
    fields_or(function, "epsilon", literal)
}

/// The fields of a literal, as TOML, or the one field that a number stands for.
fn fields_or(function: &str, of_number: &str, literal: Option<&ScalarValue>) -> Result<String> {
    let Some(literal) = literal else {
        return Err(refused(
            function,
            format!(
                "the parameters are no literal; accepted is a text such as '{of_number} = 0.5', which is the same for all rows"
            ),
        ));
    };
    let number = match literal {
        ScalarValue::Float64(Some(number)) => Some(format!("{number:?}")),
        ScalarValue::Float32(Some(number)) => Some(format!("{:?}", f64::from(*number))),
        ScalarValue::Int64(Some(number)) => Some(number.to_string()),
        ScalarValue::Dictionary(_, text) => return fields_or(function, of_number, Some(text)),
        _ => None,
    };
    if let Some(number) = number {
        return Ok(format!("{of_number} = {number}"));
    }
    match literal.try_as_str() {
        Some(Some(text)) => Ok(text.to_owned()),
        _ => Err(refused(
            function,
            format!(
                "the parameters are NULL or of another type; accepted is a text such as '{of_number} = 0.5', or a number, which is the {of_number}"
            ),
        )),
    }
}

/// The fields in one line, as a table.
pub(crate) fn table(function: &str, text: &str) -> Result<Table> {
    let line = format!("fields = {{ {text} }}");
    let table: Table = line.parse().map_err(|error: toml::de::Error| {
        refused(function, format!("the parameters cannot be read: {}; accepted are fields of a survey file with commas between them, such as 'epsilon = 1.0, missing = \"no\"'", error.message().replace('\n', ", ")))
    })?;
    match table.into_iter().collect::<Vec<_>>().as_slice() {
        [(_, Value::Table(fields))] => Ok(fields.clone()),
        _ => Err(refused(
            function,
            "the parameters are more than the fields of one table; accepted are fields with commas between them",
        )),
    }
}

fn read(function: &'static str, kind: &str, text: &str) -> Result<Survey> {
    let mut fields = table(function, text)?;
    for own in ["name", "kind", "text"] {
        if fields.contains_key(own) {
            return Err(refused(
                function,
                format!(
                    "`{own}` is no parameter of a function; accepted are the other fields of a {kind} question"
                ),
            ));
        }
    }
    let bits = if kind == crate::definition::BITS {
        Some(named_bits(function, &mut fields)?)
    } else {
        None
    };
    fields.insert("name".into(), Value::String(QUESTION.into()));
    fields.insert("kind".into(), Value::String(bits.unwrap_or(kind).into()));
    let mut survey = Table::new();
    survey.insert("version".into(), Value::Integer(1));
    survey.insert("question".into(), Value::Array(vec![Value::Table(fields)]));
    Survey::parse(&survey.to_string()).map_err(|error| {
        let message = error.to_string();
        // Lines and columns are those of a file that nobody wrote.
        let message = match error.kind() {
            ErrorKind::Survey { .. } => {
                message.split_once(": ").map_or("", |(_, rest)| rest).to_owned()
            }
            _ => message,
        };
        refused(function, message)
    })
}

/// Bits without names are several choices, whose names are their numbers.
fn named_bits(function: &str, fields: &mut Table) -> Result<&'static str> {
    let wrong = |problem: &str| {
        refused(function, format!("`length` {problem}; accepted is a whole number from 1 to 65536"))
    };
    let length = match fields.remove("length") {
        Some(Value::Integer(length)) => length,
        Some(_) => return Err(wrong("is no whole number")),
        None => return Err(wrong("is missing")),
    };
    if !(1..=1 << 16).contains(&length) {
        return Err(wrong("is not in its range"));
    }
    if fields.contains_key("choices") {
        return Err(refused(
            function,
            "`choices` is no parameter of this function; accepted is `length`",
        ));
    }
    let names = (0..length).map(|place| Value::String(place.to_string()));
    fields.insert("choices".into(), Value::Array(names.collect()));
    Ok("several")
}

/// How to estimate: a number, which is the confidence; or fields.
pub(crate) fn how(function: &str, literal: Option<&ScalarValue>) -> Result<How> {
    let mut how = How::default();
    let text = fields_or(function, "confidence", literal)?;
    for (name, value) in table(function, &text)? {
        match (name.as_str(), &value) {
            ("confidence", Value::Float(confidence)) => how.confidence = *confidence,
            ("alpha", Value::Float(alpha)) => how.alpha = *alpha,
            ("target", Value::String(target)) if target == "population" => {
                how.target = Target::Population
            }
            ("target", Value::String(target)) if target == "sample" => how.target = Target::Sample,
            ("candidates", Value::Array(candidates)) if candidates.iter().all(Value::is_str) => {
                how.candidates =
                    candidates.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            }
            _ => {
                return Err(refused(
                    function,
                    format!(
                        "`{name}` is no way to estimate, or is of another type; accepted are `confidence` and `alpha` (numbers), `target` (\"population\" or \"sample\") and `candidates` (a list of texts)"
                    ),
                ));
            }
        }
    }
    for (name, value) in [("confidence", how.confidence), ("alpha", how.alpha)] {
        if !(value > 0.0 && value < 1.0) {
            return Err(refused(
                function,
                format!("`{name}` is not in its range; accepted is a number between 0 and 1"),
            ));
        }
    }
    Ok(how)
}

/// The fields of a question of a survey file, in one line, as the functions take them; nothing, if there is no question of that name.
///
/// # Errors
///
/// A text that is no survey.
pub fn question_fields(
    survey: &str,
    name: &str,
) -> std::result::Result<Option<String>, deniable_arrow::Error> {
    Survey::parse(survey)?;
    let file: Table = survey.parse().unwrap_or_default();
    let questions = file.get("question").and_then(Value::as_array).into_iter().flatten();
    for question in questions.filter_map(Value::as_table) {
        if question.get("name").and_then(Value::as_str) != Some(name) {
            continue;
        }
        let own = ["name", "kind", "text"];
        let fields = question.iter().filter(|(field, _)| !own.contains(&field.as_str()));
        let fields: Vec<String> =
            fields.map(|(field, value)| format!("{field} = {value}")).collect();
        return Ok(Some(fields.join(", ")));
    }
    Ok(None)
}
