//! Randomized answers: a report of every row. One file a function.

mod bits;
mod choice;
mod number;
mod several;
mod text;
mod yes_no;

use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};
use deniable_arrow::{ErrorKind, Kind};

use crate::call::{call_name, literal};
use crate::definition::{BITS, Definition};
use crate::error::{refused, without_entropy};
use crate::guard;
use crate::parameters::question;

/// All of them.
pub(crate) static ALL: [&Definition; 6] = [
    &yes_no::DEFINITION,
    &choice::DEFINITION,
    &several::DEFINITION,
    &bits::DEFINITION,
    &number::DEFINITION,
    &text::DEFINITION,
];

/// A function that randomizes an answer.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Randomizer {
    definition: &'static Definition,
    signature: Signature,
}

impl Randomizer {
    pub(crate) fn function(definition: &'static Definition) -> ScalarUDF {
        // Volatile, so that the engine neither folds nor merges it; the guard sees to the rest.
        let signature = Signature::user_defined(Volatility::Volatile);
        ScalarUDF::new_from_impl(Randomizer { definition, signature })
    }

    fn name(&self) -> &'static str {
        self.definition.name
    }
}

/// The column that a kind of question is asked about: answers of all types that the survey's kind has, and a few more.
fn answers_of(kind: &str, asked: &Kind, answers: ArrayRef) -> ArrayRef {
    match (kind, asked) {
        (BITS, Kind::Several(several)) => {
            bits::packed(&answers, several.choices().len()).unwrap_or(answers)
        }
        _ => answers,
    }
}

impl ScalarUDFImpl for Randomizer {
    fn name(&self) -> &str {
        self.definition.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn schema_name(&self, arguments: &[Expr]) -> Result<String> {
        Ok(call_name(self.name(), arguments))
    }

    /// Types are taken as they are: a cast could fail, and its error would quote the answer.
    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let is_marked = types.len() == 3 && types[2] == guard::MARK_TYPE;
        if types.len() == 2 || is_marked {
            return Ok(types.to_vec());
        }
        Err(refused(
            self.name(),
            format!("there are {} arguments; accepted is {}", types.len(), self.definition.call()),
        ))
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Err(refused(self.name(), "its type depends on its parameters"))
    }

    /// This is when the parameters are checked: before anything is read.
    fn return_field_from_args(&self, arguments: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let literal = arguments.scalar_arguments.get(1).copied().flatten();
        let survey = question(self.name(), self.definition.kind, literal)?;
        let kind = survey.questions()[0].kind();
        if let Some(answers) = arguments.arg_fields.first() {
            check_type(self.definition, kind, answers.data_type())?;
        }
        Ok(Arc::new(Field::new(self.name(), kind.report_type(), false)))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let ScalarFunctionArgs { args, number_rows, .. } = arguments;
        let [answers, parameters, mark] = args.as_slice() else {
            return Err(guard::unchecked(self.name()));
        };
        guard::check_mark(self.name(), mark)?;
        let survey = question(self.name(), self.definition.kind, literal(parameters))?;
        let kind = survey.questions()[0].kind();
        let answers = answers.to_array(number_rows)?;
        let answers = answers_of(self.definition.kind, kind, answers);
        #[cfg(test)]
        crate::tests::drawn(parameters, answers.len());
        let reports = kind.randomize(&answers).map_err(|error| match error.kind() {
            ErrorKind::EntropyUnavailable => without_entropy(self.name(), error),
            _ => refused(self.name(), error),
        })?;
        Ok(ColumnarValue::Array(reports))
    }
}

/// Whether answers can have this type, when the query is planned.
fn check_type(definition: &Definition, kind: &Kind, answers: &DataType) -> Result<()> {
    let empty = datafusion::arrow::array::new_empty_array(answers);
    let empty = answers_of(definition.kind, kind, empty);
    match kind.understood(&empty) {
        Ok(_) => Ok(()),
        Err(error) => Err(refused(definition.name, error)),
    }
}
