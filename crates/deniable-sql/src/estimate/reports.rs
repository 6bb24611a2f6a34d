use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility,
};
use deniable_arrow::Survey;

use super::{Counting, state_field};
use crate::call::{aggregate_name, literal_of};
use crate::definition::{Definition, Group};
use crate::error::refused;
use crate::parameters::fields;

pub(super) static DEFINITION: Definition = Definition {
    name: "count_reports",
    group: Group::Estimate,
    summary: "Counts the reports of a whole survey, to be merged and estimated by the command `deniable`.",
    arguments: &[
        ("survey", "the survey file, as a text"),
        (
            "report, …",
            "the reports of each question, in the order of the survey; NULL for one that was not asked",
        ),
    ],
    returns: "counts as a text, which `deniable estimate` and `deniable merge` read from a file NAME.counts.json",
    example: "SELECT count_reports('version = 1\n[[question]]\nname = \"moved\"\nkind = \"yes-no\"\nepsilon = 1.0', moved) AS counts FROM reports",
    kind: "",
};

/// The function that counts a whole survey.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Counter {
    signature: Signature,
}

impl Counter {
    pub(crate) fn function() -> AggregateUDF {
        AggregateUDF::new_from_impl(Counter {
            signature: Signature::user_defined(Volatility::Immutable),
        })
    }
}

/// Reads the survey of a call and checks that there are as many columns as questions.
pub(crate) fn survey(literal: Option<&ScalarValue>, columns: usize) -> Result<Survey> {
    let survey = Survey::parse(&fields(DEFINITION.name, literal)?)
        .map_err(|error| refused(DEFINITION.name, error))?;
    if survey.questions().len() == columns {
        return Ok(survey);
    }
    let names: Vec<&str> = survey.questions().iter().map(|question| question.name()).collect();
    Err(refused(
        DEFINITION.name,
        format!(
            "there are {columns} columns of reports; accepted is one for each question: {}",
            names.join(", ")
        ),
    ))
}

impl AggregateUDFImpl for Counter {
    fn name(&self) -> &str {
        DEFINITION.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn schema_name(
        &self,
        parameters: &datafusion::logical_expr::expr::AggregateFunctionParams,
    ) -> Result<String> {
        Ok(aggregate_name(DEFINITION.name, parameters))
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        if types.len() < 2 {
            return Err(refused(
                DEFINITION.name,
                format!("there are {} arguments; accepted is {}", types.len(), DEFINITION.call()),
            ));
        }
        Ok(types.to_vec())
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn state_fields(&self, arguments: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        Ok(vec![state_field(arguments.name)])
    }

    fn accumulator(&self, arguments: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        if arguments.is_distinct {
            return Err(refused(
                DEFINITION.name,
                "DISTINCT leaves reports out; accepted is every report",
            ));
        }
        let columns = arguments.exprs.len() - 1;
        let survey =
            Arc::new(survey(arguments.exprs.first().and_then(literal_of).as_ref(), columns)?);
        let counts = survey.counts();
        Ok(Box::new(Counting {
            definition: &DEFINITION,
            survey,
            counts,
            first: 1,
            columns,
            how: None,
        }))
    }
}
