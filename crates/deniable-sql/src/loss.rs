//! What a call loses, as a function of SQL.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{
    ColumnarValue, LogicalPlan, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, Volatility,
};
use deniable::Epsilon;

use crate::call::{literal, shown_argument};
use crate::central::{self, Released};
use crate::definition::{Definition, Group};
use crate::error::refused;
use crate::guard::{self, Call, each_expression};
use crate::parameters::question;
use crate::randomize;

pub(crate) static DEFINITION: Definition = Definition {
    name: "privacy_map",
    group: Group::Loss,
    summary: "The ε that a call of one of these functions loses, rounded up: for a randomizer that of a person with so many rows, for a noisy aggregate that of a person with so many rows in the table.",
    arguments: &[
        ("function", "the name of a function that draws noise, as a text"),
        ("parameters", "those of the call"),
        (
            "rows",
            "optional: how many rows a person has; 1 for randomizers, `rows_per_person` for noisy aggregates",
        ),
    ],
    returns: "a number",
    example: "SELECT privacy_map('randomize_yes_no', 'prob = 0.75') AS epsilon",
    kind: "",
};

/// The function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct PrivacyMap {
    signature: Signature,
}

impl PrivacyMap {
    pub(crate) fn function() -> ScalarUDF {
        ScalarUDF::new_from_impl(PrivacyMap {
            signature: Signature::user_defined(Volatility::Immutable),
        })
    }
}

/// What a call of a query loses: for a randomizer a row's answer, for a noisy aggregate a person's rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    /// The function.
    pub function: &'static str,
    /// The column, in the words of the query.
    pub column: String,
    /// What is lost at most.
    pub epsilon: f64,
}

/// What the calls of a query lose, each by itself. What is lost by a person whose answers are in all of them is at most the sum.
///
/// # Errors
///
/// A call with wrong parameters.
pub fn losses(plan: &LogicalPlan) -> Result<Vec<Loss>> {
    let mut losses = Vec::new();
    each_expression(plan, &mut |_, part| {
        if let Some(call) = Call::of(part) {
            let function = call.definition().name;
            let epsilon = loss(function, guard::literal(call.arguments().get(1)), None)?;
            let column = call.arguments().first().map(shown_argument).unwrap_or_default();
            losses.push(Loss { function, column, epsilon });
        }
        Ok(())
    })?;
    Ok(losses)
}

/// What a call loses with these parameters.
pub(crate) fn loss(
    function: &str,
    parameters: Option<&ScalarValue>,
    rows: Option<u64>,
) -> Result<f64> {
    let named = |all: &[&'static Definition]| {
        all.iter().find(|definition| definition.name == function).copied()
    };
    if let Some(definition) = named(&randomize::ALL) {
        let survey = question(definition.name, definition.kind, parameters)?;
        return Ok(times(survey.epsilon(), rows.unwrap_or(1)).get());
    }
    let Some(definition) = named(&central::ALL) else {
        let names: Vec<&str> =
            randomize::ALL.iter().chain(&central::ALL).map(|definition| definition.name).collect();
        return Err(refused(
            DEFINITION.name,
            format!("there is no such function; accepted are {}", names.join(", ")),
        ));
    };
    let number = if function == "noisy_histogram" { DataType::Utf8 } else { DataType::Float64 };
    let released = Released::read(definition, parameters, &number)?;
    let rows = rows.unwrap_or(released.rows_per_person());
    Ok(released.map(function, rows)?.get())
}

/// The loss of many rows: a sum, rounded up.
fn times(epsilon: Epsilon, rows: u64) -> Epsilon {
    let (mut sum, mut power) = (Epsilon::ZERO, epsilon);
    for place in 0..u64::BITS - rows.leading_zeros() {
        if rows >> place & 1 == 1 {
            sum = sum + power;
        }
        power = power + power;
    }
    sum
}

impl ScalarUDFImpl for PrivacyMap {
    fn name(&self) -> &str {
        DEFINITION.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        if (2..=3).contains(&types.len()) {
            return Ok(types.to_vec());
        }
        Err(refused(
            DEFINITION.name,
            format!("there are {} arguments; accepted is {}", types.len(), DEFINITION.call()),
        ))
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    /// Wrong arguments are refused when the query is planned.
    fn return_field_from_args(&self, arguments: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        of_call(arguments.scalar_arguments)?;
        Ok(Arc::new(Field::new(self.name(), DataType::Float64, false)))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let literals: Vec<_> = arguments.args.iter().map(literal).collect();
        Ok(ColumnarValue::Scalar(ScalarValue::Float64(Some(of_call(&literals)?))))
    }
}

/// The loss that a call asks for.
fn of_call(literals: &[Option<&ScalarValue>]) -> Result<f64> {
    let literal = |place: usize| literals.get(place).copied().flatten();
    let Some(Some(Some(function))) = literal(0).map(ScalarValue::try_as_str) else {
        let problem = "`function` is no literal; accepted is the name of a function as a text";
        return Err(refused(DEFINITION.name, problem));
    };
    let rows = match (literals.len(), literal(2)) {
        (2, _) => None,
        (_, Some(ScalarValue::Int64(Some(rows)))) if *rows >= 0 => Some(rows.unsigned_abs()),
        _ => {
            let problem =
                "`rows` is no literal, or negative; accepted is a whole number of at least 0";
            return Err(refused(DEFINITION.name, problem));
        }
    };
    loss(function, literal(1), rows)
}
