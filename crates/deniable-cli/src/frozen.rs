//! Reports in which responses of before take the place of new ones.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowDictionaryKeyType, Float64Type, UInt8Type, UInt16Type, UInt32Type};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, DictionaryArray, FixedSizeBinaryArray,
    Float64Array, PrimitiveArray, RecordBatch, StringArray,
};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;
use deniable_arrow::{Question, Survey};

use crate::error::{Error, Result};
use crate::memo::Memo;

/// The reports with those of the first time, for everybody who was asked before.
///
/// # Errors
///
/// Somebody who was asked the question before in another way: the response of then has another meaning, and a new one would spend again. A response that is no report.
pub(crate) fn frozen(
    memo: &mut Memo,
    survey: &Survey,
    people: &StringArray,
    answers: Option<&RecordBatch>,
    reports: &RecordBatch,
) -> Result<RecordBatch> {
    let mut columns = reports.columns().to_vec();
    for question in survey.questions() {
        let (place, _) =
            reports.schema_ref().column_with_name(question.name()).expect("a column of the survey");
        let answers = answers
            .map(|answers| answers.column_by_name(question.name()).expect("a column of the survey"))
            .map(|answers| question.kind().understood(answers))
            .transpose()?;
        let meaning = question.fingerprint().to_string();
        let mut kept = Vec::with_capacity(reports.num_rows());
        for (i, new) in rows(&columns[place]).iter().enumerate() {
            let answer = answers.as_ref().map(|answers| &answers[i][..]);
            let code = memo.code(question, people.value(i), answer);
            let response = memo.response(code, &[meaning.as_bytes(), new].concat());
            let response = response.strip_prefix(meaning.as_bytes());
            let response = response.ok_or_else(|| asked_otherwise(question))?;
            if response.len() != new.len() || !is_value(response, &columns[place]) {
                return Err(no_report(question));
            }
            kept.push(response.to_vec());
        }
        columns[place] = column(&kept, &columns[place]);
    }
    Ok(RecordBatch::try_new(reports.schema(), columns).expect("columns of the same types"))
}

fn asked_otherwise(question: &Question) -> Error {
    Error::refused(format!(
        "--memo: question \"{}\" was asked before with other parameters, and a new response would spend again; accepted is the question as it was, or another name for it",
        question.name(),
    ))
}

fn no_report(question: &Question) -> Error {
    Error::refused(format!(
        "--memo: a response to question \"{}\" is none of its reports, so the file of responses is damaged; accepted is the file as it was",
        question.name(),
    ))
}

/// Whether bytes as many as those of a report are the place of a value, where reports are places.
fn is_value(response: &[u8], like: &ArrayRef) -> bool {
    match (like.as_any_dictionary_opt(), response.first_chunk()) {
        (Some(reports), Some(place)) => {
            (u32::from_le_bytes(*place) as usize) < reports.values().len()
        }
        _ => true,
    }
}

/// Each report as bytes.
fn rows(reports: &ArrayRef) -> Vec<Vec<u8>> {
    match reports.data_type() {
        DataType::Boolean => {
            reports.as_boolean().values().iter().map(|yes| vec![u8::from(yes)]).collect()
        }
        DataType::Float64 => reports
            .as_primitive::<Float64Type>()
            .values()
            .iter()
            .map(|x| x.to_le_bytes().to_vec())
            .collect(),
        DataType::Dictionary(key, _) => match **key {
            DataType::UInt8 => keys::<UInt8Type>(reports),
            DataType::UInt16 => keys::<UInt16Type>(reports),
            _ => keys::<UInt32Type>(reports),
        },
        _ => {
            let binary = reports.as_fixed_size_binary();
            (0..binary.len()).map(|i| binary.value(i).to_vec()).collect()
        }
    }
}

fn keys<K: ArrowDictionaryKeyType>(reports: &ArrayRef) -> Vec<Vec<u8>> {
    let keys = reports.as_dictionary::<K>().keys().values();
    keys.iter().map(|key| (key.as_usize() as u32).to_le_bytes().to_vec()).collect()
}

/// A column like another, of these reports.
fn column(rows: &[Vec<u8>], like: &ArrayRef) -> ArrayRef {
    match like.data_type() {
        DataType::Boolean => {
            Arc::new(rows.iter().map(|row| Some(row[0] == 1)).collect::<BooleanArray>())
        }
        DataType::Float64 => {
            let number =
                |row: &Vec<u8>| f64::from_le_bytes(row[..8].try_into().expect("eight bytes"));
            Arc::new(Float64Array::from_iter_values(rows.iter().map(number)))
        }
        DataType::Dictionary(key, _) => match **key {
            DataType::UInt8 => of_keys::<UInt8Type>(rows, like),
            DataType::UInt16 => of_keys::<UInt16Type>(rows, like),
            _ => of_keys::<UInt32Type>(rows, like),
        },
        _ => {
            let size = like.as_fixed_size_binary().value_length();
            let all: Vec<u8> = rows.concat();
            Arc::new(FixedSizeBinaryArray::new(size, all.into(), None))
        }
    }
}

fn of_keys<K: ArrowDictionaryKeyType>(rows: &[Vec<u8>], like: &ArrayRef) -> ArrayRef {
    let key = |row: &Vec<u8>| {
        let place = u32::from_le_bytes(row[..4].try_into().expect("four bytes"));
        <K as ArrowPrimitiveType>::Native::usize_as(place as usize)
    };
    let keys = PrimitiveArray::<K>::from_iter_values(rows.iter().map(key));
    Arc::new(DictionaryArray::new(keys, like.as_dictionary::<K>().values().clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Responses of the right code and meaning, and with a right check behind them, as nobody wrote them.
    #[test]
    fn a_response_that_is_no_report_is_refused() {
        let survey = Survey::parse(include_str!("../tests/every_kind.toml")).unwrap();
        let people = StringArray::from(vec!["p"]);
        let answers = survey.questions().iter().map(|question| question.name()).chain(["region"]);
        let answers = answers.map(|name| (name, Arc::new(people.clone()) as ArrayRef));
        let reports = survey.randomize(&RecordBatch::try_from_iter(answers).unwrap()).unwrap();
        for question in survey.questions() {
            let folder = tempfile::tempdir().unwrap();
            let attempt = |response: &[u8]| {
                let mut memo =
                    Memo::open(&folder.path().join(format!("{}", response.len()))).unwrap();
                let code = memo.code(question, "p", None);
                let meaning = question.fingerprint().to_string();
                memo.response(code, &[meaning.as_bytes(), response].concat());
                frozen(&mut memo, &survey, &people, None, &reports)
            };
            let right = rows(reports.column_by_name(question.name()).unwrap())[0].clone();
            assert!(attempt(&right).is_ok());
            for wrong in [&[][..], &right[1..], &[&right[..], b"1"].concat()] {
                let error = attempt(wrong).unwrap_err().to_string();
                assert!(error.contains("is none of its reports"), "{error}");
            }
            if question.name() == "transport" {
                assert!(attempt(&[4, 0, 0, 0]).is_err());
            }
        }
    }
}
