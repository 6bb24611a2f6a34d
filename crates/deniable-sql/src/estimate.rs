//! Estimates from reports. One file a function.

mod bits;
mod choice;
mod number;
mod reports;
mod several;
mod text;
mod yes_no;

use std::mem::size_of_val;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Float64Array, ListArray, RecordBatch,
    RecordBatchOptions, StringArray, StructArray, UInt64Array,
};
use datafusion::arrow::buffer::OffsetBuffer;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::format_state_name;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility,
};
use deniable_arrow::{FINGERPRINT, How, QuestionEstimate, Survey, SurveyCounts};

use crate::call::{aggregate_name, literal_of};
use crate::definition::Definition;
use crate::error::refused;
use crate::parameters::{how, question};

pub(crate) use reports::{Counter, survey};

/// All of them but [`Counter`].
pub(crate) static ALL: [&Definition; 6] = [
    &yes_no::DEFINITION,
    &choice::DEFINITION,
    &several::DEFINITION,
    &bits::DEFINITION,
    &number::DEFINITION,
    &text::DEFINITION,
];

/// That of the function that counts a whole survey.
pub(crate) static COUNTER: &Definition = &reports::DEFINITION;

/// A function that estimates.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Estimator {
    definition: &'static Definition,
    signature: Signature,
}

impl Estimator {
    pub(crate) fn function(definition: &'static Definition) -> AggregateUDF {
        let signature = Signature::user_defined(Volatility::Immutable);
        AggregateUDF::new_from_impl(Estimator { definition, signature })
    }
}

/// What the parameters of a call say.
fn parsed(
    definition: &'static Definition,
    literals: &[Option<ScalarValue>],
) -> Result<(Arc<Survey>, How)> {
    let survey =
        question(definition.name, definition.kind, literals.first().and_then(Option::as_ref))?;
    let how = match literals.get(1) {
        Some(literal) => how(definition.name, literal.as_ref())?,
        None => How::default(),
    };
    Ok((survey, how))
}

/// Checks the parameters of a call when the query is planned.
pub(crate) fn check(
    definition: &'static Definition,
    literals: &[Option<ScalarValue>],
) -> Result<()> {
    parsed(definition, literals).map(drop)
}

impl AggregateUDFImpl for Estimator {
    fn name(&self) -> &str {
        self.definition.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn schema_name(
        &self,
        parameters: &datafusion::logical_expr::expr::AggregateFunctionParams,
    ) -> Result<String> {
        Ok(aggregate_name(self.definition.name, parameters))
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        if (2..=3).contains(&types.len()) {
            return Ok(types.to_vec());
        }
        Err(refused(
            self.definition.name,
            format!("there are {} arguments; accepted is {}", types.len(), self.definition.call()),
        ))
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(match self.definition.kind {
            "yes-no" => DataType::Struct(share_fields(false)),
            "number" => DataType::Struct(mean_fields()),
            _ => DataType::new_list(DataType::Struct(share_fields(true)), true),
        })
    }

    fn state_fields(&self, arguments: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        Ok(vec![state_field(arguments.name)])
    }

    fn accumulator(&self, arguments: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        if arguments.is_distinct {
            return Err(refused(
                self.definition.name,
                "DISTINCT leaves reports out; accepted is every report",
            ));
        }
        let literals: Vec<_> = arguments.exprs.iter().skip(1).map(literal_of).collect();
        let (survey, how) = parsed(self.definition, &literals)?;
        Ok(Box::new(Counting {
            definition: self.definition,
            counts: survey.counts(),
            survey,
            first: 0,
            columns: 1,
            how: Some(how),
        }))
    }
}

/// The partial state is the counts, as text.
fn state_field(name: &str) -> FieldRef {
    Arc::new(Field::new(format_state_name(name, "counts"), DataType::Binary, true))
}

/// The reports of a group, counted.
#[derive(Debug)]
pub(super) struct Counting {
    definition: &'static Definition,
    survey: Arc<Survey>,
    counts: SurveyCounts,
    /// Which of the arguments are reports: the first of them, and how many.
    first: usize,
    columns: usize,
    /// How to estimate; nothing, if the counts themselves are wanted.
    how: Option<How>,
}

impl Counting {
    fn written(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(&self.counts).map_err(|error| refused(self.definition.name, error))
    }
}

impl Accumulator for Counting {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let columns = &values[self.first..][..self.columns];
        let asked = self.survey.questions().iter().zip(columns);
        // No reports have the type of NULL: a whole survey's question that is not asked has it.
        let asked =
            asked.filter(|(_, column)| self.how.is_some() || column.data_type() != &DataType::Null);
        let (fields, columns): (Vec<Field>, Vec<ArrayRef>) = asked
            .map(|(question, column)| {
                (Field::new(question.name(), column.data_type().clone(), true), column.clone())
            })
            .unzip();
        let metadata = [(FINGERPRINT.to_owned(), self.survey.fingerprint().to_string())];
        let schema = Arc::new(Schema::new_with_metadata(fields, metadata.into()));
        let options = RecordBatchOptions::new().with_row_count(Some(values[0].len()));
        let reports = RecordBatch::try_new_with_options(schema, columns, &options)?;
        self.survey
            .count(&reports, &mut self.counts)
            .map_err(|error| refused(self.definition.name, error))
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        for state in states[0].as_binary::<i32>().iter().flatten() {
            let counts: SurveyCounts = serde_json::from_slice(state)
                .map_err(|_| refused(self.definition.name, "the partial counts cannot be read"))?;
            self.counts.merge(&counts).map_err(|error| refused(self.definition.name, error))?;
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![ScalarValue::Binary(Some(self.written()?))])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let Some(how) = &self.how else {
            let text = String::from_utf8(self.written()?);
            return Ok(ScalarValue::Utf8(text.ok()));
        };
        let estimate = self.survey.estimate(&self.counts, how);
        let mut estimate = estimate.map_err(|error| refused(self.definition.name, error))?;
        Ok(shown(self.definition.kind, &estimate.questions.remove(0)))
    }

    fn size(&self) -> usize {
        // The counts are about what they take written.
        size_of_val(self) + self.written().map_or(0, |written| written.len())
    }
}

fn share_fields(is_one_of_many: bool) -> Fields {
    let mut fields = vec![Field::new("reports", DataType::UInt64, false)];
    let numbers = ["share", "count", "standard_error", "low", "high", "p_value"];
    fields.extend(numbers.map(|name| Field::new(name, DataType::Float64, false)));
    if is_one_of_many {
        fields.insert(0, Field::new("value", DataType::Utf8, false));
        fields.push(Field::new("detected", DataType::Boolean, false));
        fields.push(Field::new("consistent", DataType::Float64, true));
    }
    fields.into()
}

fn mean_fields() -> Fields {
    let numbers = ["mean", "standard_error", "low", "high"];
    let mut fields = vec![Field::new("reports", DataType::UInt64, false)];
    fields.extend(numbers.map(|name| Field::new(name, DataType::Float64, false)));
    fields.into()
}

/// A struct, or a list of structs. Of no reports: NULL, or a list of nothing.
fn shown(kind: &str, estimate: &QuestionEstimate) -> ScalarValue {
    let values = &estimate.values;
    let numbers = |number: fn(&deniable_arrow::ValueEstimate) -> f64| {
        Arc::new(Float64Array::from_iter_values(values.iter().map(number))) as ArrayRef
    };
    let reports = |rows| Arc::new(UInt64Array::from_value(estimate.reports, rows)) as ArrayRef;
    if kind == "number" {
        let Some(mean) = &estimate.mean else {
            return null_struct(mean_fields());
        };
        let numbers = [mean.mean, mean.standard_error, mean.low, mean.high];
        let numbers = numbers.map(|number| Arc::new(Float64Array::from(vec![number])) as ArrayRef);
        let columns = [reports(1)].into_iter().chain(numbers).collect();
        return ScalarValue::Struct(Arc::new(StructArray::new(mean_fields(), columns, None)));
    }
    let mut columns = vec![
        reports(values.len()),
        numbers(|value| value.share),
        numbers(|value| value.count),
        numbers(|value| value.standard_error),
        numbers(|value| value.low),
        numbers(|value| value.high),
        numbers(|value| value.p_value),
    ];
    if kind == "yes-no" {
        if values.is_empty() {
            return null_struct(share_fields(false));
        }
        return ScalarValue::Struct(Arc::new(StructArray::new(share_fields(false), columns, None)));
    }
    let names = values.iter().map(|value| value.value.as_str());
    columns.insert(0, Arc::new(StringArray::from_iter_values(names)));
    let detected: Vec<bool> = values.iter().map(|value| value.detected).collect();
    columns.push(Arc::new(BooleanArray::from(detected)));
    columns.push(Arc::new(values.iter().map(|value| value.consistent).collect::<Float64Array>()));
    let rows = StructArray::new(share_fields(true), columns, None);
    let item = Arc::new(Field::new_list_field(rows.data_type().clone(), true));
    let whole = OffsetBuffer::from_lengths([rows.len()]);
    ScalarValue::List(Arc::new(ListArray::new(item, whole, Arc::new(rows), None)))
}

fn null_struct(fields: Fields) -> ScalarValue {
    ScalarValue::Struct(Arc::new(StructArray::new_null(fields, 1)))
}
