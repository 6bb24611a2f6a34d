//! The query as it will run.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};
use datafusion::physical_expr::expressions::Literal;
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_optimizer::{PhysicalOptimizerContext, PhysicalOptimizerRule};
use datafusion::physical_plan::ExecutionPlan;

use super::{Call, each_expression, find, mark_of};
use crate::error::refused;
use crate::randomize;

/// Checks the optimized query.
#[derive(Debug, Default)]
pub(crate) struct Once;

impl OptimizerRule for Once {
    fn name(&self) -> &str {
        "deniable_once"
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let mut seen = Seen::default();
        each_expression(&plan, &mut |node, part| match Call::of(part) {
            None => Ok(()),
            Some(Call::Randomize(definition, _)) if !matches!(node, LogicalPlan::Projection(_)) => {
                Err(refused(
                    definition.name,
                    "the optimizer would evaluate it where rows are chosen; accepted is to write the reports to a table first",
                ))
            }
            Some(Call::Randomize(definition, arguments))
                if arguments[0].column_refs().is_empty() =>
            {
                Err(refused(
                    definition.name,
                    "the answer is the same for all rows, and the engine would take the report for a constant; accepted is a column",
                ))
            }
            Some(call) => seen.add(call.definition().name, call.mark()),
        })?;
        Ok(Transformed::no(plan))
    }
}

/// Checks the plan that will run.
#[derive(Debug, Default)]
pub(crate) struct Physically;

impl PhysicalOptimizerRule for Physically {
    fn name(&self) -> &str {
        "deniable_once"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mut seen = Seen::default();
        each_physical(&plan, &mut |part| seen.look(part))?;
        Ok(plan)
    }
}

/// The engine's rules that plans which draw are optimized by, and ours, by what their names begin with: those without which plans do not run, and few that leave every expression and the order of rows alone.
const KEPT: [&str; 9] = [
    "CombinePartialFinalAggregate",
    "EnsureCooperative",
    "EnsureRequirements",
    "LimitPushdown",
    "OptimizeAggregateOrder",
    "OutputRequirements",
    "SanityCheckPlan",
    "deniable_",
    "join_selection",
];

/// A rule that is left out for plans that draw.
///
/// Rules know little of what is volatile. The one that pushes filters down puts an expression in the place of its name, so that `WHERE r > 0` would be decided by other noise than the `r` that is shown. The one that answers aggregates by statistics puts true values into the plan, which EXPLAIN
/// shows. The one that pushes projections down moves a call into the scan of a file; there the one for sorts takes its column for one of the file's, and reads files and groups of rows in the order of true answers. A rule that nobody has looked at is left out too.
#[derive(Debug)]
pub(crate) struct LeftOut(Arc<dyn PhysicalOptimizerRule + Send + Sync>);

impl LeftOut {
    /// The rules of a session, with all but those that are kept left out where something is drawn.
    pub(crate) fn among(
        rules: &[Arc<dyn PhysicalOptimizerRule + Send + Sync>],
    ) -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
        let careful = |rule: &Arc<dyn PhysicalOptimizerRule + Send + Sync>| {
            let is_kept = KEPT.iter().any(|name| rule.name().starts_with(name));
            if is_kept { rule.clone() } else { Arc::new(LeftOut(rule.clone())) }
        };
        rules.iter().map(careful).collect()
    }
}

impl PhysicalOptimizerRule for LeftOut {
    /// Another name than that of the rule, so that it is not left out twice.
    fn name(&self) -> &str {
        "deniable_left_out"
    }

    fn schema_check(&self) -> bool {
        self.0.schema_check()
    }

    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if draws(&plan)? { Ok(plan) } else { self.0.optimize(plan, config) }
    }

    fn optimize_with_context(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        context: &dyn PhysicalOptimizerContext,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if draws(&plan)? { Ok(plan) } else { self.0.optimize_with_context(plan, context) }
    }
}

/// Whether a plan draws.
fn draws(plan: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    let mut draws = false;
    plan.apply(|node| {
        draws |= super::drawn_by(node)?.is_some();
        Ok(if draws { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(draws)
}

/// Calls `see` for every expression of a plan.
fn each_physical(
    plan: &Arc<dyn ExecutionPlan>,
    see: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<()>,
) -> Result<()> {
    plan.apply(|node| {
        node.apply_expressions(&mut |expression| {
            expression.apply(|part| see(part).map(|()| TreeNodeRecursion::Continue))
        })
    })?;
    Ok(())
}

/// The marks so far.
#[derive(Default)]
struct Seen(HashSet<Vec<u8>>);

impl Seen {
    fn add(&mut self, function: &str, mark: Option<Vec<u8>>) -> Result<()> {
        match mark {
            Some(mark) if self.0.insert(mark.clone()) => Ok(()),
            Some(_) => Err(refused(
                function,
                "the optimizer would evaluate it twice; accepted is to write the reports to a table first",
            )),
            None => Err(super::unchecked(function)),
        }
    }

    fn look(&mut self, part: &Arc<dyn PhysicalExpr>) -> Result<()> {
        let Some(call) = part.downcast_ref::<ScalarFunctionExpr>() else {
            return Ok(());
        };
        if find(&randomize::ALL, call.fun().name()).is_none() {
            return Ok(());
        }
        let mark = call.args().get(2).and_then(|mark| mark.downcast_ref::<Literal>());
        self.add(call.fun().name(), mark_of(mark.map(Literal::value)))
    }
}
