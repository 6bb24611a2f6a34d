//! A plan that runs as tasks, on several machines.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::physical_expr::ScalarFunctionExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};

use super::find;
use crate::central;
use crate::definition::Definition;
use crate::error::refused;
use crate::randomize;

/// Nodes that hand on what their one input draws, to one task.
///
/// Others do not. Tasks share nothing, so that each one computes the side of a join which it collects, and draws for it. And where rows are dealt out to several tasks by what was drawn, a task that is run once more, because a machine was lost, may deal a row to another
/// than before: both see a report of it. Where one task gets all of it, that one begins anew as well.
const ONE_TASK: [&str; 13] = [
    "ProjectionExec",
    "FilterExec",
    "CoalesceBatchesExec",
    "CooperativeExec",
    "CoalescePartitionsExec",
    "SortExec",
    "SortExec(TopK)",
    "SortPreservingMergeExec",
    "LocalLimitExec",
    "GlobalLimitExec",
    "AggregateExec",
    "WindowAggExec",
    "BoundedWindowAggExec",
];

/// Refuses a plan in which several tasks, or a task that is run once more, would draw for the same row and show it. One task puts the result together.
///
/// That last task is needed. Of tasks that make the result itself, Ballista 55 hands on the first try beside the second: if an executor is lost and started again, rows come twice, with two draws. What tasks hand to others is kept better.
#[derive(Debug, Default)]
pub(crate) struct Tasks;

impl PhysicalOptimizerRule for Tasks {
    fn name(&self) -> &str {
        "deniable_tasks"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        drawing(&plan)?;
        match plan.output_partitioning().partition_count() {
            1 => Ok(plan),
            _ => Ok(Arc::new(CoalescePartitionsExec::new(plan))),
        }
    }
}

/// What draws in a plan, if anything does.
fn drawing(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<&'static Definition>> {
    let mut draws = None;
    for input in plan.children() {
        draws = drawing(input)?.or(draws);
    }
    match draws {
        Some(definition) if !ONE_TASK.contains(&plan.name()) => Err(refused(
            definition.name,
            "joins, unions and groups of what was drawn would draw again on a cluster, once a task; accepted is to write the reports to a file first, and to query that, or to leave out the cluster",
        )),
        Some(definition) => Ok(Some(definition)),
        None => own(plan),
    }
}

/// What draws in a node itself.
fn own(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<&'static Definition>> {
    let mut draws = None;
    plan.apply_expressions(&mut |expression| {
        expression.apply(|part| {
            if let Some(call) = part.downcast_ref::<ScalarFunctionExpr>() {
                draws = find(&randomize::ALL, call.fun().name()).or(draws);
            }
            Ok(TreeNodeRecursion::Continue)
        })
    })?;
    if let Some(node) = plan.downcast_ref::<AggregateExec>()
        && !matches!(node.mode(), AggregateMode::Partial | AggregateMode::PartialReduce)
    {
        for call in node.aggr_expr() {
            draws = find(&central::ALL, call.fun().name()).or(draws);
        }
    }
    Ok(draws)
}
