//! What makes a call safe in a query engine: noise is drawn once a row, or the query is refused.
//!
//! An engine may evaluate an expression as often as it likes, and reads a table as often as a query names it. Marked as volatile, an expression is left alone by most rules of the optimizer, but a common table expression is still copied for each
//! use, and a filter on a randomized column may be evaluated apart from it. So this crate does not rely on the engine's good will. The guard has three rules, which [`register`](crate::register) adds to a session:
//!
//! 1. [`Mark`] sees the whole query before it is optimized. It refuses what would draw twice or tell more than its parameters say ([`flow`]), checks the parameters of aggregates, and gives each call a mark of its own: one more argument, a number. A
//!    call without a mark refuses to run.
//! 2. [`Once`] sees the query when it is optimized: each mark is there at most once, and where it was put.
//! 3. [`Physically`] sees the plan that will run: each mark is there at most once. One rule of the engine, which would draw again for a filter, is [left out](LeftOut) of plans that draw.
//!
//! Marks are arguments, so they travel with the plan to other machines.

mod flow;
mod mark;
mod once;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::{ColumnarValue, Expr, LogicalPlan};

use crate::central;
use crate::definition::Definition;
use crate::error::{failed, refused};
use crate::estimate;
use crate::randomize;

pub(crate) use mark::Mark;
pub(crate) use once::{LeftOut, Once, Physically};

/// No literal of SQL has this type, so nobody writes a mark by mistake.
pub(crate) const MARK_TYPE: DataType = DataType::UInt64;

/// Whether an argument is a mark.
pub(crate) fn is_mark(argument: &Expr) -> bool {
    matches!(argument, Expr::Literal(value, _) if is_mark_value(Some(value)))
}

/// Whether a literal is a mark.
pub(crate) fn is_mark_value(value: Option<&ScalarValue>) -> bool {
    matches!(value, Some(ScalarValue::UInt64(Some(_))))
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
    failed(
        function,
        "the query was not checked; accepted are queries of a session that `deniable_sql::register` was called for",
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

    /// The number of its mark.
    pub(crate) fn mark(&self) -> Option<u64> {
        match self.arguments().get(2) {
            Some(Expr::Literal(ScalarValue::UInt64(mark), _)) => *mark,
            _ => None,
        }
    }
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

/// A table that is a query by itself, with our functions in it, which the engine has not put in its place.
pub(crate) fn refuse_hidden(plan: &LogicalPlan) -> Result<()> {
    use datafusion::common::tree_node::TreeNodeRecursion;
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node
            && let Some(view) = scan.source.get_logical_plan()
        {
            each_expression(&view, &mut |_, part| match Call::of(part) {
                Some(call) => Err(refused(
                    call.definition().name,
                    "it is in a view; accepted is a query that has it in its own text",
                )),
                None => Ok(()),
            })?;
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(())
}
