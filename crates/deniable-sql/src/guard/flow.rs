//! Which answers flow where: a query may show what was randomized only through its reports.

use std::collections::{BTreeSet, HashSet};

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, DataFusionError, JoinType, Result};
use datafusion::logical_expr::logical_plan::{DdlStatement, Distinct};
use datafusion::logical_expr::{Aggregate, DmlStatement, Expr, LogicalPlan, Partitioning, WriteOp};

use super::tables::{Tables, ordering};
use super::{Call, is_mark, total};
use crate::call::call_name;
use crate::error::refused;

/// What a value was computed of: columns of tables. A table's rows themselves are a column without a name.
type Sources = BTreeSet<(usize, String)>;

/// What a node's output was computed of.
#[derive(Clone, Default)]
struct Flow {
    /// Each column.
    columns: Vec<Sources>,
    /// Which rows there are, and their order.
    rows: Sources,
}

impl Flow {
    fn all(&self) -> Sources {
        self.columns.iter().flatten().chain(&self.rows).cloned().collect()
    }
}

/// Refuses a query that draws for a row more than once, or whose result depends on an answer in another way than through a report of it.
pub(super) fn check(plan: &LogicalPlan, config: &ConfigOptions) -> Result<()> {
    let mut walk = Walk {
        config,
        tables: Tables::of(plan, config)?,
        private: Sources::new(),
        randomized: Sources::new(),
        spread: Sources::new(),
        calls: HashSet::new(),
        partial: Vec::new(),
        first: None,
    };
    let shown = walk.node(plan)?.all();
    walk.check_spread()?;
    walk.check_shown(&shown)?;
    walk.check_partial()
}

struct Walk<'a> {
    config: &'a ConfigOptions,
    tables: Tables,
    /// What may be seen through reports and noise only.
    private: Sources,
    /// The calls so far, as texts without their marks.
    calls: HashSet<String>,
    /// What randomizers were given.
    randomized: Sources,
    /// What is in several rows of a window or of grouping sets.
    spread: Sources,
    /// What may fail, in words, and what that depends on.
    partial: Vec<(String, Sources)>,
    /// The name of the first function.
    first: Option<String>,
}

impl Walk<'_> {
    /// No answer is in several rows when it is randomized.
    fn check_spread(&self) -> Result<()> {
        let Some((_, column)) = self.randomized.intersection(&self.spread).next() else {
            return Ok(());
        };
        Err(self.wrong(&format!(
            "an answer of column \"{column}\" is in several rows of a window or of grouping sets, and would be drawn for in each; accepted is to randomize first"
        )))
    }

    /// Nothing private is shown.
    fn check_shown(&self, shown: &Sources) -> Result<()> {
        let Some((table, column)) = self.private.intersection(shown).next() else {
            return Ok(());
        };
        let table = self.tables.name(*table);
        Err(self.wrong(&match column.as_str() {
            "" => format!(
                "the query also shows rows of table \"{table}\" without noise; accepted is a query that uses it in noisy aggregates only"
            ),
            column => format!(
                "the result depends on column \"{column}\" of table \"{table}\" also in another way: it is shown, or rows are chosen, joined, grouped or sorted by it; accepted is a query that uses it in this call alone"
            ),
        }))
    }

    /// Nothing private can make the query fail.
    fn check_partial(&self) -> Result<()> {
        let tells = |sources: &Sources| self.private.intersection(sources).next().is_some();
        let Some((what, _)) = self.partial.iter().find(|(_, sources)| tells(sources)) else {
            return Ok(());
        };
        Err(self.wrong(&format!(
            "{what} can fail for some answers, and a failure would tell of them; accepted are comparisons, logic, CASE, + - *, TRY_CAST of texts and numbers and simple functions, or a table in which it is computed before"
        )))
    }

    fn node(&mut self, plan: &LogicalPlan) -> Result<Flow> {
        match plan {
            LogicalPlan::Projection(node) => {
                let input = self.node(&node.input)?;
                let columns = self.values(&node.expr, node.input.schema(), &input, true)?;
                if node.expr.iter().any(has_randomizer) {
                    self.check_rows(&node.input)?;
                }
                Ok(Flow { columns, rows: input.rows })
            }
            LogicalPlan::Filter(node) => {
                let input = self.node(&node.input)?;
                self.chosen_by([&node.predicate], node.input.schema(), input)
            }
            LogicalPlan::Sort(node) => {
                let input = self.node(&node.input)?;
                self.chosen_by(node.expr.iter().map(|sort| &sort.expr), node.input.schema(), input)
            }
            LogicalPlan::Aggregate(node) => self.aggregate(node),
            LogicalPlan::Window(node) => {
                let mut input = self.node(&node.input)?;
                let more = self.values(&node.window_expr, node.input.schema(), &input, false)?;
                self.spread.extend(more.iter().flatten().cloned());
                input.columns.extend(more);
                Ok(input)
            }
            LogicalPlan::Join(node) => {
                let (left, right) = (self.node(&node.left)?, self.node(&node.right)?);
                let schema = node.left.schema().join(node.right.schema())?;
                let both = Flow {
                    columns: [left.columns.clone(), right.columns.clone()].concat(),
                    rows: &left.rows | &right.rows,
                };
                let keys = node.on.iter().flat_map(|(left, right)| [left, right]);
                let mut joined = self.chosen_by(keys.chain(&node.filter), &schema, both)?;
                joined.columns = match node.join_type {
                    JoinType::LeftSemi | JoinType::LeftAnti => left.columns,
                    JoinType::RightSemi | JoinType::RightAnti => right.columns,
                    JoinType::LeftMark => [left.columns, vec![joined.rows.clone()]].concat(),
                    JoinType::RightMark => [right.columns, vec![joined.rows.clone()]].concat(),
                    _ => joined.columns,
                };
                Ok(joined)
            }
            LogicalPlan::Union(node) => {
                let mut all = Flow {
                    columns: vec![Sources::new(); node.schema.fields().len()],
                    ..Flow::default()
                };
                for input in &node.inputs {
                    let input = self.node(input)?;
                    all.rows.extend(input.rows);
                    all.columns
                        .iter_mut()
                        .zip(input.columns)
                        .for_each(|(all, one)| all.extend(one));
                }
                Ok(all)
            }
            LogicalPlan::Distinct(Distinct::All(input)) => {
                let mut flow = self.node(input)?;
                flow.rows = flow.all();
                Ok(flow)
            }
            LogicalPlan::Distinct(Distinct::On(node)) => {
                let input = self.node(&node.input)?;
                let sorts = node.sort_expr.iter().flatten().map(|sort| &sort.expr);
                let by = node.on_expr.iter().chain(sorts);
                let input = self.chosen_by(by, node.input.schema(), input)?;
                let columns = self.values(&node.select_expr, node.input.schema(), &input, false)?;
                Ok(Flow { columns, rows: input.rows })
            }
            LogicalPlan::TableScan(scan) => {
                let table = self.tables.number(scan, self.config);
                let names = scan.projected_schema.fields().iter().map(|field| field.name());
                let columns = names.map(|name| [(table, name.clone())].into()).collect();
                let mut rows = Sources::from([(table, String::new())]);
                let filters = scan.filters.iter().flat_map(Expr::column_refs);
                rows.extend(filters.map(|column| (table, column.name.clone())));
                rows.extend(ordering(scan).into_iter().map(|name| (table, name)));
                Ok(Flow { columns, rows })
            }
            LogicalPlan::Values(_) | LogicalPlan::EmptyRelation(_) => {
                self.refuse_calls(plan)?;
                let column = |place: usize| [(usize::MAX, place.to_string())].into();
                let columns = (0..plan.schema().fields().len()).map(column).collect();
                Ok(Flow { columns, rows: Sources::new() })
            }
            LogicalPlan::Unnest(node) => {
                let input = self.node(&node.input)?;
                let all = input.all();
                Ok(Flow { columns: vec![all.clone(); node.schema.fields().len()], rows: all })
            }
            LogicalPlan::Repartition(node) => {
                let input = self.node(&node.input)?;
                let by = match &node.partitioning_scheme {
                    Partitioning::RoundRobinBatch(_) => &[],
                    Partitioning::Hash(by, _) | Partitioning::DistributeBy(by) => by.as_slice(),
                    Partitioning::Range(_) => return Err(self.misplaced(plan)),
                };
                self.chosen_by(by, node.input.schema(), input)
            }
            LogicalPlan::Limit(_) | LogicalPlan::SubqueryAlias(_) | LogicalPlan::Subquery(_) => {
                self.refuse_calls(plan)?;
                self.node(plan.inputs()[0])
            }
            // These write their input somewhere, or show how it would be computed. EXPLAIN ANALYZE runs it, and shows how many rows there are.
            LogicalPlan::Explain(_)
            | LogicalPlan::Copy(_)
            | LogicalPlan::Dml(DmlStatement { op: WriteOp::Insert(_), .. })
            | LogicalPlan::Ddl(DdlStatement::CreateMemoryTable(_)) => {
                self.refuse_calls(plan)?;
                self.node(plan.inputs()[0])
            }
            _ => Err(self.misplaced(plan)),
        }
    }

    /// The flow of an input whose rows are chosen or ordered by expressions.
    fn chosen_by<'a>(
        &mut self,
        by: impl IntoIterator<Item = &'a Expr>,
        schema: &DFSchema,
        mut input: Flow,
    ) -> Result<Flow> {
        for expression in by {
            let sources = self.value(expression, schema, &input, false)?;
            input.rows.extend(sources);
        }
        Ok(input)
    }

    fn aggregate(&mut self, node: &Aggregate) -> Result<Flow> {
        let input = self.node(&node.input)?;
        let is_release = |part: &Expr| Ok(matches!(Call::of(part), Some(Call::Release(..))));
        let releases =
            node.aggr_expr.iter().any(|expression| expression.exists(is_release).unwrap_or(true));
        if releases {
            self.check_release(node)?;
            self.private.extend(input.all());
        }
        let mut columns = self.values(&node.group_expr, node.input.schema(), &input, false)?;
        let keys: Sources = columns.iter().flatten().cloned().collect();
        let rows = if releases { Sources::new() } else { &input.rows | &keys };
        for expression in &node.aggr_expr {
            let sources = self.value(expression, node.input.schema(), &input, false)?;
            // How many there are depends on which there are.
            columns.push(if sources.is_empty() { rows.clone() } else { sources });
        }
        // With grouping sets a row is in several groups. They have a column of their own, which says which.
        if node.group_expr.iter().any(|key| matches!(key, Expr::GroupingSet(_))) {
            self.spread.extend(columns.iter().flatten().cloned());
        }
        let all = columns.iter().flatten().cloned().collect::<Sources>();
        columns.resize(node.schema.fields().len(), all);
        Ok(Flow { columns, rows })
    }

    /// Whether noise on totals is enough here.
    fn check_release(&mut self, node: &Aggregate) -> Result<()> {
        for expression in &node.aggr_expr {
            let Expr::AggregateFunction(call) = expression.clone().unalias_nested().data else {
                return Err(refused(
                    "noisy aggregates",
                    "they are within other expressions; accepted is to compute with their results in an outer query",
                ));
            };
            let Some(Call::Release(definition, _)) =
                Call::of(&Expr::AggregateFunction(call.clone()))
            else {
                return Err(refused(
                    call.func.name(),
                    "it stands beside a noisy aggregate, and would show the same rows without noise; accepted are noisy aggregates alone",
                ));
            };
            let name = definition.name;
            if !node.group_expr.is_empty() {
                return Err(refused(
                    name,
                    "the keys of GROUP BY show who is there; accepted is noisy_histogram with a public list of keys, or FILTER (WHERE …)",
                ));
            }
            if call.params.distinct
                || !call.params.order_by.is_empty()
                || call.params.null_treatment.is_some()
            {
                return Err(refused(
                    name,
                    "DISTINCT, ORDER BY and IGNORE NULLS are not for it; accepted is the call without them",
                ));
            }
            self.check_one_by_one(name, &node.input)?;
            if call.params.filter.as_ref().is_some_and(|filter| has_subquery(filter)) {
                return Err(not_one_by_one(name));
            }
        }
        Ok(())
    }

    fn values(
        &mut self,
        expressions: &[Expr],
        schema: &DFSchema,
        input: &Flow,
        may_draw: bool,
    ) -> Result<Vec<Sources>> {
        expressions
            .iter()
            .map(|expression| self.value(expression, schema, input, may_draw))
            .collect()
    }

    /// What an expression is computed of. The arguments of our calls do not count: they become private.
    fn value(
        &mut self,
        expression: &Expr,
        schema: &DFSchema,
        input: &Flow,
        may_draw: bool,
    ) -> Result<Sources> {
        if let Some(what) = total::partial(expression, schema) {
            let mut sources = input.rows.clone();
            for column in expression.column_refs() {
                sources.extend(column_sources(column, schema, input)?);
            }
            self.partial.push((what, sources));
        }
        let mut found = Sources::new();
        expression.apply(|part| {
            if let Some(call) = Call::of(part) {
                self.call(part, &call, schema, input, may_draw)?;
                return Ok(TreeNodeRecursion::Jump);
            }
            match part {
                Expr::Column(column) => found.extend(column_sources(column, schema, input)?),
                Expr::OuterReferenceColumn(..) => {
                    return Err(self.wrong("the query has a subquery that refers to the query around it; accepted are subqueries that stand for themselves"));
                }
                Expr::ScalarSubquery(subquery) => found.extend(self.subquery(&subquery.subquery)?),
                Expr::Exists(exists) => found.extend(self.subquery(&exists.subquery.subquery)?),
                Expr::InSubquery(within) => found.extend(self.subquery(&within.subquery.subquery)?),
                Expr::SetComparison(within) => found.extend(self.subquery(&within.subquery.subquery)?),
                _ => {}
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        // What a subquery is made of can make the whole fail.
        if has_subquery(expression) {
            self.partial.push(("a subquery".to_owned(), found.clone()));
        }
        Ok(found)
    }

    fn call(
        &mut self,
        whole: &Expr,
        call: &Call<'_>,
        schema: &DFSchema,
        input: &Flow,
        may_draw: bool,
    ) -> Result<()> {
        let name = call.definition().name;
        self.first.get_or_insert_with(|| name.to_owned());
        if matches!(call, Call::Randomize(..)) && !may_draw {
            return Err(refused(
                name,
                "it is used where rows are chosen, joined, grouped, sorted or added up, which may draw more than once a row; accepted is to name it in a subquery (SELECT …, f(x) AS y FROM …) and to use the name",
            ));
        }
        let filter = match whole {
            Expr::AggregateFunction(call) => {
                call.params.filter.as_ref().map(|filter| filter.to_string())
            }
            _ => None,
        };
        let text = format!("{} {filter:?}", call_name(name, call.arguments()));
        if !self.calls.insert(text) {
            return Err(refused(
                name,
                "the same call is there twice, or its subquery is used twice, and each would draw anew; accepted is one call, whose name can be used often, or a table of its results",
            ));
        }
        if call.arguments().iter().any(has_subquery) {
            return Err(refused(
                name,
                "a subquery is in it, whose answers would be drawn for in every row; accepted are columns of a table",
            ));
        }
        let mut sources = Sources::new();
        for argument in call.arguments().iter().filter(|argument| !is_mark(argument)) {
            sources.extend(self.value(argument, schema, input, false)?);
        }
        if matches!(call, Call::Randomize(..)) {
            if sources.is_empty() {
                return Err(refused(
                    name,
                    "there is no column of a table in it; accepted is an answer that is one, or is computed of one",
                ));
            }
            if let Some((_, column)) = self.randomized.intersection(&sources).next() {
                return Err(refused(
                    name,
                    format!(
                        "column \"{column}\" is randomized twice, and each report costs its epsilon; accepted is one call for a column, whose name can be used often"
                    ),
                ));
            }
            // That there is a row is no secret of its own.
            sources.retain(|(_, column)| !column.is_empty());
            self.randomized.extend(sources.clone());
        }
        self.private.extend(sources);
        Ok(())
    }

    /// Rows are randomized as they are in tables: what makes several rows of one would draw for each.
    fn check_rows(&mut self, input: &LogicalPlan) -> Result<()> {
        let mut seen = HashSet::new();
        self.check_each_row(input, &mut seen)
    }

    fn check_each_row(&mut self, node: &LogicalPlan, seen: &mut HashSet<usize>) -> Result<()> {
        let several = |what: &str| {
            refused(
                "randomize",
                format!(
                    "{what} comes before it, which can make several rows of one answer, and each would be drawn for; accepted is to randomize first and join the reports"
                ),
            )
        };
        let inputs = match node {
            LogicalPlan::Join(join) => match join.join_type {
                JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => {
                    vec![join.left.as_ref()]
                }
                JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => {
                    vec![join.right.as_ref()]
                }
                _ => return Err(several("a join")),
            },
            LogicalPlan::Unnest(_) => return Err(several("unnest")),
            LogicalPlan::TableScan(scan) => {
                if !seen.insert(self.tables.number(scan, self.config)) {
                    return Err(several("UNION of a table with itself"));
                }
                Vec::new()
            }
            other => other.inputs(),
        };
        node.apply_expressions(|expression| {
            // Those by which rows are chosen make no new ones.
            let chooses = matches!(node, LogicalPlan::Filter(_));
            let is_value = |part: &Expr| Ok(matches!(part, Expr::ScalarSubquery(_)));
            if if chooses { expression.exists(is_value)? } else { has_subquery(expression) } {
                return Err(several("a subquery"));
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        inputs.into_iter().try_for_each(|input| self.check_each_row(input, seen))
    }

    /// A person's rows have an effect on themselves alone, and once: that is what the bound on them counts.
    fn check_one_by_one(&mut self, name: &str, input: &LogicalPlan) -> Result<()> {
        let mut seen = HashSet::new();
        input.apply(|node| {
            let is_simple = match node {
                LogicalPlan::TableScan(scan) => {
                    scan.fetch.is_none() && seen.insert(self.tables.number(scan, self.config))
                }
                LogicalPlan::Projection(_)
                | LogicalPlan::Filter(_)
                | LogicalPlan::SubqueryAlias(_)
                | LogicalPlan::Union(_)
                | LogicalPlan::Values(_)
                | LogicalPlan::EmptyRelation(_) => true,
                _ => false,
            };
            let mut subqueries = false;
            node.apply_expressions(|expression| {
                subqueries |= has_subquery(expression);
                Ok(TreeNodeRecursion::Continue)
            })?;
            if !is_simple || subqueries {
                return Err(not_one_by_one(name));
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(())
    }

    fn subquery(&mut self, plan: &LogicalPlan) -> Result<Sources> {
        let before = self.calls.len();
        let flow = self.node(plan)?;
        if self.calls.len() > before {
            return Err(self.wrong("it is within a subquery of an expression, which may be computed more than once; accepted is a subquery in FROM"));
        }
        Ok(flow.all())
    }

    /// Nodes in whose expressions neither calls nor subqueries have a place.
    fn refuse_calls(&self, plan: &LogicalPlan) -> Result<()> {
        plan.apply_expressions(|expression| {
            if has_subquery(expression) || expression.exists(|part| Ok(Call::of(part).is_some()))? {
                return Err(self.misplaced(plan));
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(())
    }

    fn misplaced(&self, plan: &LogicalPlan) -> DataFusionError {
        let name = plan.display().to_string();
        let kind = name.split([':', ' ']).next().unwrap_or_default();
        self.wrong(&format!("the query has a part ({kind}) of which nobody knows how often it draws; accepted are SELECT, COPY, INSERT and CREATE TABLE"))
    }

    fn wrong(&self, problem: &str) -> DataFusionError {
        refused(self.first.as_deref().unwrap_or("the query"), problem)
    }
}

fn column_sources(column: &Column, schema: &DFSchema, input: &Flow) -> Result<Sources> {
    let place = schema.index_of_column(column)?;
    Ok(input.columns.get(place).cloned().unwrap_or_else(|| input.all()))
}

fn has_randomizer(expression: &Expr) -> bool {
    let is_randomizer = |part: &Expr| Ok(matches!(Call::of(part), Some(Call::Randomize(..))));
    expression.exists(is_randomizer).unwrap_or(true)
}

fn has_subquery(expression: &Expr) -> bool {
    let is_subquery = |part: &Expr| {
        Ok(matches!(
            part,
            Expr::ScalarSubquery(_)
                | Expr::Exists(_)
                | Expr::InSubquery(_)
                | Expr::SetComparison(_)
        ))
    };
    expression.exists(is_subquery).unwrap_or(true)
}

fn not_one_by_one(name: &str) -> DataFusionError {
    refused(
        name,
        "what comes before it looks at several rows at once (a join, LIMIT, DISTINCT, a window, a subquery, another aggregate, or a table twice), so that `rows_per_person` says nothing; accepted is a table, with WHERE and expressions of single rows",
    )
}
