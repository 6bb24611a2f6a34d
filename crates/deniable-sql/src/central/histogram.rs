use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Int64Array, ListArray, StringArray, StructArray,
};
use datafusion::arrow::buffer::OffsetBuffer;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Fields};
use datafusion::common::{Result, ScalarValue};
use toml::Value;

use super::Parameters;
use crate::definition::{Definition, Group};
use crate::error::refused;

pub(super) static DEFINITION: Definition = Definition {
    name: "noisy_histogram",
    group: Group::Central,
    summary: "The number of rows of each key of a public list, with exact discrete Laplace noise. It stands for GROUP BY, whose keys would tell who is there. Tables are hard to tell apart with and without one person's rows.",
    arguments: &[
        ("key", "texts, whole numbers or truth values"),
        (
            "parameters",
            "`keys`; `other`, a key for all other rows and those without one; `rows_per_person`; `epsilon`, or `scale`",
        ),
    ],
    returns: "a list with a struct for each key: `key`, `count`",
    example: "SELECT unnest(noisy_histogram(region, 'keys = [\"north\", \"south\"], other = \"elsewhere\", rows_per_person = 1, epsilon = 0.5')) AS region FROM answers",
    kind: "",
};

/// The keys, in their order.
#[derive(Debug)]
pub(super) struct Keys {
    names: Vec<String>,
    places: HashMap<String, usize>,
    other: Option<usize>,
}

impl Keys {
    pub(super) fn read(parameters: &mut Parameters, answers: &DataType) -> Result<Self> {
        let plain = match answers {
            DataType::Dictionary(_, values) => values,
            other => other,
        };
        let is_text = matches!(plain, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
        if !(is_text || plain.is_integer() || matches!(plain, DataType::Boolean | DataType::Null)) {
            return Err(refused(
                DEFINITION.name,
                "the column has another type; accepted are texts, whole numbers and truth values",
            ));
        }
        let accepted = "a list of texts that differ";
        let mut keys = Keys { names: Vec::new(), places: HashMap::new(), other: None };
        let Some(Value::Array(list)) = parameters.table.remove("keys") else {
            return Err(parameters.wrong("keys", "is missing, or no list", accepted));
        };
        for key in &list {
            if !key.as_str().is_some_and(|key| keys.add(key)) {
                return Err(parameters.wrong(
                    "keys",
                    "has one twice, or one that is no text",
                    accepted,
                ));
            }
        }
        if keys.names.is_empty() {
            return Err(parameters.wrong("keys", "is empty", accepted));
        }
        match parameters.table.remove("other") {
            None => {}
            Some(Value::String(other)) => {
                keys.add(&other);
                keys.other = Some(keys.places[&other]);
            }
            Some(_) => return Err(parameters.wrong("other", "is no text", "a text")),
        }
        Ok(keys)
    }

    /// Adds a key, and says whether it was not there yet.
    fn add(&mut self, key: &str) -> bool {
        if self.places.contains_key(key) {
            return false;
        }
        self.places.insert(key.to_owned(), self.names.len());
        self.names.push(key.to_owned());
        true
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    pub(super) fn count(&self, rows: &ArrayRef, totals: &mut [i128]) -> Result<()> {
        let texts = cast(rows, &DataType::LargeUtf8)
            .map_err(|_| refused(DEFINITION.name, "the column cannot be read"))?;
        for key in texts.as_string::<i64>() {
            let place = key.and_then(|key| self.places.get(key).copied()).or(self.other);
            if let Some(place) = place {
                totals[place] += 1;
            }
        }
        Ok(())
    }

    pub(super) fn shown(&self, counts: Vec<i64>) -> ScalarValue {
        let names = Arc::new(StringArray::from_iter_values(&self.names)) as ArrayRef;
        let rows = StructArray::new(row(), vec![names, Arc::new(Int64Array::from(counts))], None);
        let item = Arc::new(Field::new_list_field(rows.data_type().clone(), true));
        let whole = OffsetBuffer::from_lengths([rows.len()]);
        ScalarValue::List(Arc::new(ListArray::new(item, whole, Arc::new(rows), None)))
    }
}

fn row() -> Fields {
    vec![Field::new("key", DataType::Utf8, false), Field::new("count", DataType::Int64, false)]
        .into()
}

pub(super) fn returned() -> DataType {
    DataType::new_list(DataType::Struct(row()), true)
}
