//! The query as it was written.

use std::sync::atomic::{AtomicU64, Ordering};

use datafusion::arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::expr::WindowFunction;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan};
use datafusion::optimizer::AnalyzerRule;

use super::{Call, MARK_BYTES, each_expression, estimator, find, flow, is_ours, literal};
use crate::central::{self, Released};
use crate::error::refused;
use crate::estimate;

/// Checks the query and marks its calls.
#[derive(Debug, Default)]
pub(crate) struct Mark;

/// Marks differ within a process, so that parts of plans can be put together.
static NEXT: AtomicU64 = AtomicU64::new(1);

impl AnalyzerRule for Mark {
    fn name(&self) -> &str {
        "deniable_mark"
    }

    fn analyze(&self, plan: LogicalPlan, config: &ConfigOptions) -> Result<LogicalPlan> {
        let (mut draws, mut is_ours, mut has_lambda) = (None, false, false);
        each_expression(&plan, &mut |node, part| {
            if let Some(call) = Call::of(part) {
                draws = Some(call.definition().name);
                check_arguments(&call, node)?;
            }
            match part {
                Expr::AggregateFunction(call) => {
                    is_ours |=
                        check_estimate(call.func.name(), &call.params.args, call.params.distinct)?
                }
                Expr::WindowFunction(window) => check_window(window)?,
                Expr::HigherOrderFunction(_) | Expr::Lambda(_) => has_lambda = true,
                _ => {}
            }
            Ok(())
        })?;
        if let Some(name) = draws {
            if has_lambda {
                return Err(refused(
                    name,
                    "a function of functions is in the query, and may draw for every element of a list; accepted is a query without one",
                ));
            }
            check_settings(name, config)?;
            flow::check(&plan, config)?;
        } else if !is_ours {
            return Ok(plan);
        }
        let marked = plan.transform_up_with_subqueries(|node| {
            let node = node.map_expressions(|expression| expression.transform_up(mark))?;
            node.map_data(LogicalPlan::recompute_schema)
        })?;
        Ok(marked.data)
    }
}

/// Settings under which a query would tell more than its result, or would not be checked.
fn check_settings(name: &str, config: &ConfigOptions) -> Result<()> {
    if config.optimizer.skip_failed_rules || config.optimizer.max_passes == 0 {
        return Err(refused(
            name,
            "with `datafusion.optimizer.skip_failed_rules`, or `max_passes` of 0, the query is not checked; accepted are the defaults",
        ));
    }
    // EXPLAIN is not seen here, but what is explained.
    if config.explain.show_statistics {
        return Err(refused(
            name,
            "with `datafusion.explain.show_statistics` the engine shows statistics of the data; accepted is the default",
        ));
    }
    Ok(())
}

/// Windows of our aggregates: noise would be drawn for every row.
fn check_window(window: &WindowFunction) -> Result<()> {
    let name = window.fun.name();
    if find(&central::ALL, name).is_some() {
        return Err(refused(
            name,
            "a window would draw for every row; accepted is the call as an aggregate",
        ));
    }
    if is_ours(name) {
        return Err(refused(name, "it is not for windows; accepted is the call as an aggregate"));
    }
    Ok(())
}

fn check_arguments(call: &Call<'_>, node: &LogicalPlan) -> Result<()> {
    let name = call.definition().name;
    if call.arguments().len() > 2 && call.mark().is_none() {
        return Err(refused(
            name,
            format!("there are too many arguments; accepted is {}", call.definition().call()),
        ));
    }
    if let Call::Release(definition, arguments) = call {
        let schema = node.inputs().first().map(|input| input.schema().clone());
        let answers = match (arguments.first(), schema) {
            (Some(answers), Some(schema)) => answers.get_type(&schema)?,
            _ => DataType::Null,
        };
        Released::read(definition, literal(arguments.get(1)), &answers)?;
    }
    Ok(())
}

/// Checks the parameters of an aggregate that draws nothing, and says whether it is one.
fn check_estimate(name: &str, arguments: &[Expr], is_distinct: bool) -> Result<bool> {
    if name == estimate::COUNTER.name {
        estimate::survey(literal(arguments.first()), arguments.len().saturating_sub(1))?;
    } else if let Some(definition) = estimator(name) {
        let literals: Vec<_> =
            arguments.iter().skip(1).map(|argument| literal(Some(argument)).cloned()).collect();
        estimate::check(definition, &literals)?;
    } else {
        return Ok(is_ours(name));
    }
    if is_distinct {
        return Err(refused(name, "DISTINCT leaves reports out; accepted is every report"));
    }
    Ok(true)
}

/// Marks an expression, if it is a call.
fn mark(expression: Expr) -> Result<Transformed<Expr>> {
    let is_unmarked = Call::of(&expression).is_some_and(|call| call.mark().is_none());
    match expression {
        Expr::ScalarFunction(mut call) if is_unmarked => {
            call.args.push(new_mark());
            Ok(Transformed::yes(Expr::ScalarFunction(call)))
        }
        Expr::AggregateFunction(mut call) if is_ours(call.func.name()) => {
            if is_unmarked {
                call.params.args.push(new_mark());
            }
            call.params.args = call.params.args.into_iter().map(small).collect();
            Ok(Transformed::yes(Expr::AggregateFunction(call)))
        }
        other => Ok(Transformed::no(other)),
    }
}

fn new_mark() -> Expr {
    let mark = NEXT.fetch_add(1, Ordering::Relaxed).to_le_bytes();
    Expr::Literal(ScalarValue::FixedSizeBinary(MARK_BYTES, Some(mark.to_vec())), None)
}

/// Aggregates are given their literals as columns, with a copy for each row. A dictionary has one.
fn small(argument: Expr) -> Expr {
    match argument {
        Expr::Literal(
            value @ (ScalarValue::Utf8(_) | ScalarValue::Utf8View(_) | ScalarValue::LargeUtf8(_)),
            metadata,
        ) => {
            let text = ScalarValue::Utf8(value.try_as_str().flatten().map(str::to_owned));
            Expr::Literal(
                ScalarValue::Dictionary(Box::new(DataType::UInt8), Box::new(text)),
                metadata,
            )
        }
        other => other,
    }
}
