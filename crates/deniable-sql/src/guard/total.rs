//! Expressions that have a value for every answer. One that can fail tells by failing.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::DFSchema;
use datafusion::common::tree_node::TreeNode;
use datafusion::logical_expr::{Expr, ExprSchemable, Operator};

/// Functions of the engine that cannot fail.
const TOTAL: [&str; 16] = [
    "btrim",
    "ltrim",
    "rtrim",
    "lower",
    "upper",
    "character_length",
    "octet_length",
    "starts_with",
    "ends_with",
    "contains",
    "concat",
    "coalesce",
    "greatest",
    "least",
    "get_field",
    "date_part",
];

/// The first part of an expression that may fail, in words; nothing, if none does. Our own calls that draw do not fail because of an answer.
pub(super) fn partial(expression: &Expr, schema: &DFSchema) -> Option<String> {
    let mut found = None;
    let _ = expression.exists(|part| {
        found = may_fail(part, schema);
        Ok(found.is_some())
    });
    found
}

fn may_fail(part: &Expr, schema: &DFSchema) -> Option<String> {
    use Operator::{
        And, Eq, Gt, GtEq, IsDistinctFrom, IsNotDistinctFrom, Lt, LtEq, Minus, Multiply, NotEq, Or,
        Plus, StringConcat,
    };
    let fails = |what: &str| Some(what.to_owned());
    match part {
        Expr::Alias(_)
        | Expr::GroupingSet(_)
        | Expr::Column(_)
        | Expr::Literal(..)
        | Expr::Not(_)
        | Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsUnknown(_)
        | Expr::IsNotTrue(_)
        | Expr::IsNotFalse(_)
        | Expr::IsNotUnknown(_)
        | Expr::Between(_)
        | Expr::Case(_)
        | Expr::InList(_) => None,
        // A pattern of the data can be too long.
        Expr::Like(like) if matches!(*like.pattern, Expr::Literal(..)) => None,
        Expr::Like(_) => fails("LIKE with a pattern that is no literal"),
        Expr::TryCast(cast) => match cast.expr.get_type(schema) {
            Ok(from) if tries(&from, cast.field.data_type()) => None,
            _ => fails("TRY_CAST of these types"),
        },
        Expr::BinaryExpr(binary) => match binary.op {
            And | Or | Eq | NotEq | Lt | LtEq | Gt | GtEq | IsDistinctFrom | IsNotDistinctFrom
            | StringConcat => None,
            // Of whole numbers and floats, whose ends are joined; of decimals and times they fail.
            Plus | Minus | Multiply => match part.get_type(schema) {
                Ok(number) if number.is_integer() || number.is_floating() => None,
                _ => fails("arithmetic on decimals and times"),
            },
            other => Some(other.to_string()),
        },
        Expr::Cast(cast) => match cast.expr.get_type(schema) {
            Ok(from) if widens(&from, cast.field.data_type()) => None,
            _ => fails("CAST (of texts and numbers TRY_CAST does not)"),
        },
        // Of decimals they overflow.
        Expr::ScalarFunction(call) if matches!(call.func.name(), "floor" | "ceil") => {
            let number = call.args.first().map(|number| number.get_type(schema));
            match number {
                Some(Ok(number)) if number.is_integer() || number.is_floating() => None,
                _ => fails("floor and ceil of decimals"),
            }
        }
        Expr::ScalarFunction(call) if TOTAL.contains(&call.func.name()) => None,
        Expr::ScalarFunction(call) if super::is_ours(call.func.name()) => None,
        Expr::ScalarFunction(call) => Some(call.func.name().to_owned()),
        // An estimator refuses what its mechanism does not report, and answers are no reports.
        Expr::AggregateFunction(call) if super::estimator(call.func.name()).is_some() => {
            Some(call.func.name().to_owned())
        }
        Expr::AggregateFunction(call) if super::is_ours(call.func.name()) => None,
        Expr::AggregateFunction(call) => fold(call.func.name(), part, schema),
        Expr::WindowFunction(window) => fold(window.fun.name(), part, schema),
        _ => fails("an expression of this kind"),
    }
}

/// An aggregate of the engine, also over a window.
fn fold(name: &str, part: &Expr, schema: &DFSchema) -> Option<String> {
    let is_total = match name {
        "count" | "min" | "max" | "bool_and" | "bool_or" | "row_number" | "rank" | "dense_rank" => {
            true
        }
        "sum" | "avg" => {
            part.get_type(schema).is_ok_and(|number| number.is_integer() || number.is_floating())
        }
        _ => false,
    };
    (!is_total).then(|| name.to_owned())
}

/// Whether TRY_CAST between these types gives NULL where it gives nothing else. From times, and to dictionaries, it fails after all.
fn tries(from: &DataType, to: &DataType) -> bool {
    let is_plain = |kind: &DataType| {
        is_text(kind) || kind.is_integer() || kind.is_floating() || kind == &DataType::Boolean
    };
    let is_more = |kind: &DataType| {
        kind.is_decimal()
            || matches!(kind, DataType::Date32 | DataType::Date64 | DataType::Timestamp(..))
    };
    (is_plain(from) && is_plain(to)) || (is_text(from) && is_more(to))
}

/// Whether every value of a type has one of the other.
fn widens(from: &DataType, to: &DataType) -> bool {
    if let DataType::Dictionary(_, values) = from {
        return widens(values, to);
    }
    match (from, to) {
        (from, to) if from == to => true,
        (DataType::Null, _) => true,
        (from, to) if is_text(to) => {
            is_text(from) || from.is_integer() || from.is_floating() || from == &DataType::Boolean
        }
        (DataType::Boolean, to) => to.is_integer() || to.is_floating(),
        (from, to) if from.is_integer() && to.is_floating() => true,
        (DataType::Float16 | DataType::Float32, DataType::Float64)
        | (DataType::Float16, DataType::Float32) => true,
        (from, to) if from.is_signed_integer() && to.is_signed_integer() => {
            from.primitive_width() <= to.primitive_width()
        }
        (from, to) if from.is_unsigned_integer() && to.is_integer() => {
            let more = usize::from(to.is_signed_integer());
            from.primitive_width()
                .zip(to.primitive_width())
                .is_some_and(|(from, to)| from + more <= to)
        }
        _ => false,
    }
}

fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}
