//! Whether a result is reports of a survey, so that its file may say so.

use std::collections::HashMap;

use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::tree_node::TreeNode;
use datafusion::logical_expr::{Expr, LogicalPlan};
use deniable_arrow::{FINGERPRINT, Fingerprint, Kind, Survey};
use deniable_sql::{Definition, Group};

use crate::error::Result;

/// The fingerprint of the survey, if the query's columns that are named like its questions are reports of these questions and nothing else, and there is one.
///
/// That is judged by the outermost SELECT: each such column is a call of the function of the question's kind, with the question's parameters, as it is. ORDER BY and LIMIT do not matter, but both together do where the
/// order is that of reports: the first of them are not like the others.
pub(crate) fn fingerprint(plan: &LogicalPlan, survey: &str) -> Result<Option<Fingerprint>> {
    let parsed = Survey::parse(survey)?;
    let mut reports = Vec::new();
    for (place, field) in plan.schema().fields().iter().enumerate() {
        let Some(question) = parsed.question(field.name()) else { continue };
        let parameters = deniable_sql::question_fields(survey, field.name())?;
        let (Some(call), Some(parameters)) = (call(plan, place, field.name()), parameters) else {
            return Ok(None);
        };
        if !is_call_of(call, question.kind(), &parameters) {
            return Ok(None);
        }
        reports.push(field.name().as_str());
    }
    // A report of a report is none of the survey.
    let is_once = deniable_sql::losses(plan)?.len() == randomizers(plan) && !reads_reports(plan);
    let are_reports = !reports.is_empty() && is_once && !chooses(plan, &reports, false);
    Ok(are_reports.then(|| parsed.fingerprint()))
}

/// Whether one of the tables says that its rows are reports.
fn reads_reports(plan: &LogicalPlan) -> bool {
    let says = plan.exists(|node| {
        Ok(match node {
            LogicalPlan::TableScan(scan) => {
                let schema = scan.source.schema();
                schema.metadata().contains_key(FINGERPRINT)
                    || schema.column_with_name(FINGERPRINT).is_some()
            }
            _ => false,
        })
    });
    says.unwrap_or(true)
}

/// The schema of a file: what a result brings with it of the files that it was made of stays there, since it can be of answers, or says of them that they are reports.
pub(crate) fn schema_of_file(result: &Schema, fingerprint: Option<Fingerprint>) -> SchemaRef {
    let own = fingerprint.map(|fingerprint| (FINGERPRINT.to_owned(), fingerprint.to_string()));
    let metadata: HashMap<String, String> = own.into_iter().collect();
    Schema::new_with_metadata(result.fields().clone(), metadata).into()
}

/// What the outermost SELECT has in a place, if that is its name there.
fn call<'a>(plan: &'a LogicalPlan, place: usize, name: &str) -> Option<&'a Expr> {
    match plan {
        LogicalPlan::Sort(sort) => call(&sort.input, place, name),
        LogicalPlan::Limit(limit) => call(&limit.input, place, name),
        LogicalPlan::Projection(select) => match select.expr.get(place)? {
            Expr::Alias(alias) if alias.name == name => Some(alias.expr.as_ref()),
            // For ORDER BY something that is not shown the engine has a SELECT around it, of the columns that are.
            Expr::Column(column) if matches!(*select.input, LogicalPlan::Sort(_)) => {
                let place = select.input.schema().index_of_column(column).ok()?;
                call(&select.input, place, name)
            }
            _ => None,
        },
        _ => None,
    }
}

/// How many columns of the outermost SELECT randomize.
fn randomizers(plan: &LogicalPlan) -> usize {
    let fields = plan.schema().fields().iter().enumerate();
    let calls = fields.filter_map(|(place, field)| call(plan, place, field.name()));
    let is_ours = |call: &&Expr| match call {
        Expr::ScalarFunction(call) => deniable_sql::definitions()
            .iter()
            .any(|ours| ours.group == Group::Randomize && ours.name == call.func.name()),
        _ => false,
    };
    calls.filter(is_ours).count()
}

/// Whether a call randomizes answers to a question of this kind, with these parameters.
fn is_call_of(call: &Expr, kind: &Kind, parameters: &str) -> bool {
    let Expr::ScalarFunction(call) = call else { return false };
    let is_it = |definition: &Definition| {
        definition.group == Group::Randomize
            && definition.name == call.func.name()
            && definition.kind == kind.name()
    };
    let is_function = deniable_sql::definitions().into_iter().any(is_it);
    let literal = match call.args.as_slice() {
        [_, Expr::Literal(literal, _)] => literal.try_as_str().flatten(),
        _ => None,
    };
    is_function && literal == Some(parameters)
}

/// Whether rows are left out by what their reports are.
fn chooses(plan: &LogicalPlan, reports: &[&str], is_limited: bool) -> bool {
    match plan {
        LogicalPlan::Limit(limit) => chooses(&limit.input, reports, true),
        LogicalPlan::Sort(sort) => {
            let mut by = sort.expr.iter().flat_map(|sort| sort.expr.column_refs());
            let is_limited = is_limited || sort.fetch.is_some();
            (is_limited && by.any(|column| reports.contains(&column.name.as_str())))
                || chooses(&sort.input, reports, is_limited)
        }
        LogicalPlan::Projection(select) => chooses(&select.input, reports, is_limited),
        _ => false,
    }
}
