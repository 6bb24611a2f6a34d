//! Noise on counts and sums: central privacy. One file a function.
//!
//! All three add up whole numbers, exactly and in any order, and add discrete Laplace noise to the total when everything is there. A person has at most `rows_per_person` rows, and a row changes the total by at most
//! one row's worth; so two tables, one with a person's rows and one without them, have totals at most [`Released::sensitivity`] apart.

mod count;
mod histogram;
mod sum;

use std::mem::size_of_val;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Int64Type};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::expr::AggregateFunctionParams;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::format_state_name;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility,
};
use deniable::Epsilon;
use deniable::mechanism::vector_integer_laplace_cks20::{
    VectorIntegerLaplaceCks20, smallest_scale,
};
use deniable::prelude::*;
use toml::{Table, Value};

use crate::call::{aggregate_name, literal_of};
use crate::definition::Definition;
use crate::error::{refused, without_entropy};
use crate::guard;
use crate::parameters::{fields, table};

/// All of them.
pub(crate) static ALL: [&Definition; 3] =
    [&count::DEFINITION, &sum::DEFINITION, &histogram::DEFINITION];

/// A function that releases a total with noise.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Releaser {
    definition: &'static Definition,
    signature: Signature,
}

impl Releaser {
    pub(crate) fn function(definition: &'static Definition) -> AggregateUDF {
        let signature = Signature::user_defined(Volatility::Volatile);
        AggregateUDF::new_from_impl(Releaser { definition, signature })
    }
}

/// What a row is worth.
#[derive(Debug)]
enum Worth {
    /// One, unless it is missing.
    One,
    Steps(sum::Steps),
    /// One, in the place of its key.
    Key(histogram::Keys),
}

impl Worth {
    /// How many totals there are.
    fn totals(&self) -> usize {
        match self {
            Worth::One | Worth::Steps(_) => 1,
            Worth::Key(keys) => keys.len(),
        }
    }

    /// The most that one row changes the totals, all together.
    fn of_a_row(&self) -> u64 {
        match self {
            Worth::One | Worth::Key(_) => 1,
            Worth::Steps(steps) => steps.most(),
        }
    }
}

/// What a call releases: it follows from its parameters alone.
#[derive(Debug)]
pub(crate) struct Released {
    worth: Worth,
    rows_per_person: u64,
    sensitivity: u64,
    noise: VectorIntegerLaplaceCks20<i64>,
}

impl Released {
    /// Reads the parameters.
    ///
    /// # Errors
    ///
    /// One that is missing, NULL, no literal, unknown or outside its range.
    pub(crate) fn read(
        definition: &'static Definition,
        literal: Option<&ScalarValue>,
        answers: &DataType,
    ) -> Result<Self> {
        let name = definition.name;
        let mut parameters =
            Parameters { function: name, table: table(name, &fields(name, literal)?)? };
        let worth = match name {
            "noisy_sum" => Worth::Steps(sum::Steps::read(&mut parameters, answers)?),
            "noisy_histogram" => Worth::Key(histogram::Keys::read(&mut parameters, answers)?),
            _ => Worth::One,
        };
        let rows_per_person = parameters.rows_per_person()?;
        let Some(sensitivity) =
            rows_per_person.checked_mul(worth.of_a_row()).filter(|most| *most <= MOST)
        else {
            return Err(parameters.wrong(
                "rows_per_person",
                "is too large for these bounds",
                "smaller bounds or fewer rows, or a coarser `step`",
            ));
        };
        let scale = parameters.scale(sensitivity)?;
        parameters.finish()?;
        let domain = VectorDomain::finite::<i64>().with_size(worth.totals());
        let noise = make_vector_integer_laplace_cks20(domain, L1Distance::new(), scale);
        let noise = noise.map_err(|error| refused(name, error))?;
        let released = Released { worth, rows_per_person, sensitivity, noise };
        if !released.epsilon(name)?.is_finite() {
            return Err(refused(
                name,
                "`scale` is so small that nothing bounds the loss; accepted is a larger number above 0",
            ));
        }
        Ok(released)
    }

    /// What a person loses.
    pub(crate) fn epsilon(&self, function: &str) -> Result<Epsilon> {
        self.noise.map(self.sensitivity).map_err(|error| refused(function, error))
    }

    /// What a person with so many rows loses.
    pub(crate) fn map(&self, function: &str, rows: u64) -> Result<Epsilon> {
        let Some(distance) = rows.checked_mul(self.worth.of_a_row()) else {
            return Err(refused(function, "`rows` is too large; accepted is a smaller number"));
        };
        self.noise.map(distance).map_err(|error| refused(function, error))
    }

    /// How many rows a person has at most.
    pub(crate) fn rows_per_person(&self) -> u64 {
        self.rows_per_person
    }
}

/// The largest sensitivity: totals are 64-bit numbers, and should not end there.
const MOST: u64 = 1 << 53;

/// Fields of a text.
pub(crate) struct Parameters {
    function: &'static str,
    table: Table,
}

impl Parameters {
    fn wrong(
        &self,
        name: &str,
        problem: &str,
        accepted: &str,
    ) -> datafusion::common::DataFusionError {
        refused(self.function, format!("`{name}` {problem}; accepted is {accepted}"))
    }

    fn number(&mut self, name: &str) -> Result<Option<f64>> {
        match self.table.remove(name) {
            None => Ok(None),
            Some(Value::Float(number)) if number.is_finite() => Ok(Some(number)),
            Some(Value::Integer(number)) if number.unsigned_abs() <= 1 << 53 => {
                Ok(Some(number as f64))
            }
            Some(_) => Err(self.wrong(name, "is no number, or too large", "a finite number")),
        }
    }

    fn required(&mut self, name: &str) -> Result<f64> {
        self.number(name)?.ok_or_else(|| self.wrong(name, "is missing", "a finite number"))
    }

    fn rows_per_person(&mut self) -> Result<u64> {
        let accepted = "the largest number of rows that one person has, 1 or more";
        match self.table.remove("rows_per_person") {
            Some(Value::Integer(rows)) if rows >= 1 => Ok(rows.unsigned_abs()),
            Some(_) => Err(self.wrong("rows_per_person", "is no whole number above 0", accepted)),
            None => Err(self.wrong("rows_per_person", "is missing", accepted)),
        }
    }

    /// Either `epsilon` or `scale`.
    fn scale(&mut self, sensitivity: u64) -> Result<f64> {
        match (self.number("epsilon")?, self.number("scale")?) {
            (Some(epsilon), None) if epsilon > 0.0 => {
                let scale =
                    Epsilon::new(epsilon).and_then(|epsilon| smallest_scale(sensitivity, epsilon));
                scale.map_err(|error| refused(self.function, error))
            }
            (Some(_), None) => {
                Err(self.wrong("epsilon", "is not in its range", "a finite number above 0"))
            }
            (None, Some(scale)) => Ok(scale),
            _ => Err(refused(
                self.function,
                "accepted is either `epsilon`, or `scale` of the noise, and one of them",
            )),
        }
    }

    fn finish(self) -> Result<()> {
        match self.table.keys().next() {
            None => Ok(()),
            Some(name) => Err(refused(
                self.function,
                format!("`{name}` is no parameter of it; see its documentation"),
            )),
        }
    }
}

impl AggregateUDFImpl for Releaser {
    fn name(&self) -> &str {
        self.definition.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn schema_name(&self, parameters: &AggregateFunctionParams) -> Result<String> {
        Ok(aggregate_name(self.definition.name, parameters))
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let is_marked = types.len() == 3 && types[2] == guard::MARK_TYPE;
        if types.len() == 2 || is_marked {
            return Ok(types.to_vec());
        }
        Err(refused(
            self.definition.name,
            format!("there are {} arguments; accepted is {}", types.len(), self.definition.call()),
        ))
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(match self.definition.name {
            "noisy_sum" => DataType::Float64,
            "noisy_histogram" => histogram::returned(),
            _ => DataType::Int64,
        })
    }

    fn state_fields(&self, arguments: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let name = format_state_name(arguments.name, "totals");
        Ok(vec![Arc::new(Field::new(name, DataType::Binary, true))])
    }

    fn accumulator(&self, arguments: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let name = self.definition.name;
        let [answers, parameters, mark] = arguments.exprs else {
            return Err(guard::unchecked(name));
        };
        if arguments.is_distinct
            || !arguments.order_bys.is_empty()
            || !guard::is_mark_value(literal_of(mark).as_ref())
        {
            return Err(guard::unchecked(name));
        }
        let _ = answers;
        let answers = arguments.expr_fields[0].data_type();
        let released = Released::read(self.definition, literal_of(parameters).as_ref(), answers)?;
        let totals = vec![0; released.worth.totals()];
        Ok(Box::new(Adding { definition: self.definition, released, totals, result: None }))
    }
}

/// Totals of the rows so far.
#[derive(Debug)]
struct Adding {
    definition: &'static Definition,
    released: Released,
    totals: Vec<i128>,
    /// Noise is drawn once.
    result: Option<ScalarValue>,
}

impl Accumulator for Adding {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let rows = &values[0];
        match &self.released.worth {
            Worth::One => self.totals[0] += (rows.len() - rows.logical_null_count()) as i128,
            Worth::Steps(steps) => self.totals[0] += steps.add_up(rows)?,
            Worth::Key(keys) => keys.count(rows, &mut self.totals)?,
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        for state in states[0].as_binary::<i32>().iter().flatten() {
            if state.len() != 16 * self.totals.len() {
                return Err(refused(self.definition.name, "the partial totals cannot be read"));
            }
            for (total, part) in self.totals.iter_mut().zip(state.as_chunks::<16>().0) {
                *total += i128::from_le_bytes(*part);
            }
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let bytes = self.totals.iter().flat_map(|total| total.to_le_bytes()).collect();
        Ok(vec![ScalarValue::Binary(Some(bytes))])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        if let Some(result) = &self.result {
            return Ok(result.clone());
        }
        // Totals beyond the type are moved to its ends, which brings no two of them further apart.
        let ends = (i128::from(i64::MIN), i128::from(i64::MAX));
        let totals = self.totals.iter().map(|total| (*total).clamp(ends.0, ends.1) as i64);
        let mut totals: Vec<i64> = totals.collect();
        let noise = &self.released.noise;
        noise.invoke_in_place(&mut totals).map_err(|error| match error.kind() {
            ErrorKind::EntropyUnavailable => without_entropy(self.definition.name, error),
            _ => refused(self.definition.name, error),
        })?;
        let result = match &self.released.worth {
            Worth::One => ScalarValue::Int64(Some(totals[0])),
            Worth::Steps(steps) => ScalarValue::Float64(Some(steps.value(totals[0]))),
            Worth::Key(keys) => keys.shown(totals),
        };
        self.result = Some(result.clone());
        Ok(result)
    }

    fn size(&self) -> usize {
        size_of_val(self) + 16 * self.totals.len()
    }
}

/// A column of whole numbers, if it is one.
fn whole(column: &ArrayRef) -> Option<&datafusion::arrow::array::Int64Array> {
    column.as_primitive_opt::<Int64Type>()
}
