//! What makes a call safe in a query engine: noise is drawn once a row, or the query is refused.
//!
//! An engine may evaluate an expression as often as it likes, and reads a table as often as a query names it. Marked as volatile, an expression is left alone by most rules of the optimizer, but a common table expression is still copied for each
//! use, and a filter on a randomized column may be evaluated apart from it. So this crate does not rely on the engine's good will. The guard has three rules, which [`register`](crate::register) adds to a session:
//!
//! 1. [`Mark`] sees the whole query before it is optimized. It refuses what would draw twice or tell more than its parameters say ([`flow`]), checks the parameters of aggregates, and gives each call a mark of its own: one more argument. A
//!    call without a mark refuses to run.
//! 2. [`Once`] sees the query when it is optimized: each mark is there at most once, and where it was put.
//! 3. [`Physically`] sees the plan that will run: each mark is there at most once. Rules of the engine that do not heed what is volatile are [left out](LeftOut) of plans that draw.
//!
//! Marks are arguments, so they travel with the plan to other machines. There a fourth rule, [`Tasks`], sees to it that no two tasks draw for a row.

mod flow;
mod mark;
mod once;
mod tables;
mod tasks;
mod total;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::{ColumnarValue, Expr, LogicalPlan};

use crate::central;
use crate::definition::Definition;
use crate::error::refused;
use crate::estimate;
use crate::randomize;

pub(crate) use mark::Mark;
pub(crate) use once::{LeftOut, Once, Physically};
pub(crate) use tasks::Tasks;
use tasks::drawn_by;

/// No literal of SQL has this type, so nobody writes a mark by mistake.
pub(crate) const MARK_TYPE: DataType = DataType::FixedSizeBinary(MARK_BYTES);

const MARK_BYTES: i32 = 8;

/// Whether an argument is a mark.
pub(crate) fn is_mark(argument: &Expr) -> bool {
    matches!(argument, Expr::Literal(value, _) if is_mark_value(Some(value)))
}

/// Whether a literal is a mark.
pub(crate) fn is_mark_value(value: Option<&ScalarValue>) -> bool {
    matches!(value, Some(ScalarValue::FixedSizeBinary(MARK_BYTES, Some(_))))
}

/// Whether a call that is about to draw was checked.
pub(crate) fn check_mark(function: &str, mark: &ColumnarValue) -> Result<()> {
    match mark {
        ColumnarValue::Scalar(value) if is_mark_value(Some(value)) => Ok(()),
        _ => Err(unchecked(function)),
    }
}

/// Nobody looked whether the query draws once a row.
pub(crate) fn unchecked(function: &str) -> DataFusionError {
    refused(
        function,
        "the query was not checked; accepted are queries, but for prepared ones, of a session that `deniable_sql::register` was called for",
    )
}

/// A call of one of our functions that draw noise.
pub(crate) enum Call<'a> {
    /// Once a row.
    Randomize(&'static Definition, &'a [Expr]),
    /// Once a query.
    Release(&'static Definition, &'a [Expr]),
}

impl<'a> Call<'a> {
    /// What an expression is, without what is in it.
    pub(crate) fn of(expression: &'a Expr) -> Option<Self> {
        match expression {
            Expr::ScalarFunction(call) => {
                let definition = find(&randomize::ALL, call.func.name())?;
                Some(Call::Randomize(definition, &call.args))
            }
            Expr::AggregateFunction(call) => {
                let definition = find(&central::ALL, call.func.name())?;
                Some(Call::Release(definition, &call.params.args))
            }
            _ => None,
        }
    }

    pub(crate) fn definition(&self) -> &'static Definition {
        match self {
            Call::Randomize(definition, _) | Call::Release(definition, _) => definition,
        }
    }

    pub(crate) fn arguments(&self) -> &'a [Expr] {
        match self {
            Call::Randomize(_, arguments) | Call::Release(_, arguments) => arguments,
        }
    }

    /// Its mark.
    pub(crate) fn mark(&self) -> Option<Vec<u8>> {
        mark_of(literal(self.arguments().get(2)))
    }
}

/// The mark that a literal is.
fn mark_of(value: Option<&ScalarValue>) -> Option<Vec<u8>> {
    match value {
        Some(ScalarValue::FixedSizeBinary(MARK_BYTES, mark)) => mark.clone(),
        _ => None,
    }
}

/// Whether a function is one of ours.
fn is_ours(name: &str) -> bool {
    crate::definitions().iter().any(|definition| definition.name == name)
}

/// One of our aggregates that draw nothing.
pub(crate) fn estimator(name: &str) -> Option<&'static Definition> {
    find(&estimate::ALL, name)
}

fn find(all: &[&'static Definition], name: &str) -> Option<&'static Definition> {
    all.iter().find(|definition| definition.name == name).copied()
}

/// The value of a literal argument.
pub(crate) fn literal(argument: Option<&Expr>) -> Option<&ScalarValue> {
    match argument {
        Some(Expr::Literal(value, _)) => Some(value),
        _ => None,
    }
}

/// Calls `see` for every expression of a plan, also those in subqueries, with the node that it is in.
pub(crate) fn each_expression(
    plan: &LogicalPlan,
    see: &mut dyn FnMut(&LogicalPlan, &Expr) -> Result<()>,
) -> Result<()> {
    use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
    plan.apply_with_subqueries(|node| {
        node.apply_expressions(|expression| {
            expression.apply(|part| {
                see(node, part)?;
                Ok(TreeNodeRecursion::Continue)
            })
        })
    })?;
    Ok(())
}
