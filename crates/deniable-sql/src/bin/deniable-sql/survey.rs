//! Parameters by the name of a survey's question.

use std::ops::ControlFlow;
use std::path::Path;

use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Value, visit_expressions_mut,
};

use crate::error::{Error, Result};

/// The text of a survey file, which is one.
pub(crate) fn read(path: &Path) -> Result<String> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, &error))?;
    let parsed = deniable_arrow::Survey::parse(&text);
    parsed.map_err(|error| Error::refused(format!("{}: {error}", path.display())))?;
    Ok(text)
}

/// Puts the parameters of the survey's questions in the place of their names, in the calls of our functions.
pub(crate) fn name_parameters(statement: &mut Statement, survey: &str) -> Result<()> {
    let statement = match statement {
        Statement::Statement(statement) => statement,
        Statement::Explain(explain) => return name_parameters(&mut explain.statement, survey),
        _ => return Ok(()),
    };
    let mut outcome = Ok(());
    let _ = visit_expressions_mut(statement.as_mut(), |expression| {
        if let Expr::Function(function) = expression {
            outcome = name_parameter(function, survey);
        }
        if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    outcome
}

fn name_parameter(function: &mut Function, survey: &str) -> Result<()> {
    let name = function.name.to_string().to_lowercase();
    let is_ours =
        deniable_sql::definitions().iter().any(|ours| ours.name == name && !ours.kind.is_empty());
    let FunctionArguments::List(list) = &mut function.args else {
        return Ok(());
    };
    let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value)))) =
        list.args.get_mut(1)
    else {
        return Ok(());
    };
    let Value::SingleQuotedString(text) = &mut value.value else {
        return Ok(());
    };
    // Parameters have an equals sign, unless there are none.
    if !is_ours || text.contains('=') || text.trim().is_empty() {
        return Ok(());
    }
    match deniable_sql::question_fields(survey, text)? {
        Some(fields) => *text = fields,
        None => {
            return Err(Error::refused(format!(
                "{name}: \"{text}\" is no question of the survey; accepted is the name of one, or parameters such as 'epsilon = 1.0'"
            )));
        }
    }
    Ok(())
}
