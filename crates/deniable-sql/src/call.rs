//! What the functions' calls have in common.

use std::sync::Arc;

use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::AggregateFunctionParams;
use datafusion::logical_expr::{ColumnarValue, Expr};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Literal;

use crate::guard;

/// The value of an argument that is the same for all rows.
pub(crate) fn literal_of(argument: &Arc<dyn PhysicalExpr>) -> Option<ScalarValue> {
    argument.downcast_ref::<Literal>().map(|literal| literal.value().clone())
}

/// The same of a function of a row.
pub(crate) fn literal(argument: &ColumnarValue) -> Option<&ScalarValue> {
    match argument {
        ColumnarValue::Scalar(value) => Some(value),
        ColumnarValue::Array(_) => None,
    }
}

/// The name of a call's column. The guard changes the arguments' form and adds a mark, and neither changes the name.
pub(crate) fn call_name(function: &str, arguments: &[Expr]) -> String {
    let arguments = arguments.iter().filter(|argument| !guard::is_mark(argument));
    let shown: Vec<String> = arguments.map(argument_name).collect();
    format!("{function}({})", shown.join(", "))
}

/// [`call_name`] of an aggregate.
pub(crate) fn aggregate_name(function: &str, parameters: &AggregateFunctionParams) -> String {
    let name = call_name(function, &parameters.args);
    match &parameters.filter {
        Some(filter) => format!("{name} FILTER (WHERE {})", filter.schema_name()),
        None => name,
    }
}

fn argument_name(argument: &Expr) -> String {
    plain(argument).unwrap_or_else(|| argument.schema_name().to_string())
}

/// An argument as people write it, without the types of its literals. Unlike names, two that differ can be shown alike.
pub(crate) fn shown_argument(argument: &Expr) -> String {
    plain(argument).unwrap_or_else(|| argument.human_display().to_string())
}

/// The value of an argument that is a literal.
fn plain(argument: &Expr) -> Option<String> {
    match argument {
        Expr::Literal(ScalarValue::Dictionary(_, value), _) => Some(value.to_string()),
        Expr::Literal(value, _) => Some(value.to_string()),
        _ => None,
    }
}
