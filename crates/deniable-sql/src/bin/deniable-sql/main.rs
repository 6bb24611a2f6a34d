//! The command `deniable sql`: queries on files, with our functions in them.
#![forbid(unsafe_code)]

mod count;
mod error;
mod output;
mod reports;
mod session;
mod survey;
mod tables;

use std::io::{self, Write};
use std::panic::{catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use datafusion::execution::context::SQLOptions;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SessionContext;
use deniable_sql::Loss;

use error::{Error, Result};
use output::Output;
use tables::Table;

/// Query files with SQL, with functions that randomize, estimate and add noise
///
/// A query reads the files that --table names, and shows its result or writes it to a file. Noise is drawn once a row, or the query is refused; what it loses is said on the standard error.
#[derive(Debug, Parser)]
#[command(name = "deniable sql", bin_name = "deniable sql", version)]
#[command(after_help = "\
Examples:
  deniable sql \"SELECT estimate_yes_no(moved, 1.0) FROM reports\" --table 'reports=reports/*.parquet'
  deniable sql \"SELECT region, randomize_yes_no(moved, 'moved') AS moved FROM answers\" \\
      --table answers=answers.parquet --survey survey.toml -o reports.parquet
  deniable sql \"SELECT noisy_count(1, 'rows_per_person = 1, epsilon = 0.5') FROM people\" --table people=people.csv

Exit codes are those of `deniable`: 1 a file or the cluster failed, or this machine gives no entropy, 2 no command line, 3 a query, a parameter or data is refused.")]
struct Args {
    /// The query, one SELECT or EXPLAIN
    #[arg(required_unless_present = "count")]
    query: Option<String>,
    /// A table and its files: .parquet, .csv or .arrow, and patterns such as reports/*.parquet. Columns of .csv files are texts
    #[arg(long = "table", value_name = "NAME=FILES")]
    tables: Vec<Table>,
    /// A survey file: the name of one of its questions stands for the question's parameters. A .parquet or .arrow file of reports that are named like their questions says which survey they are of, and `deniable estimate` reads it
    #[arg(long, value_name = "FILE")]
    survey: Option<PathBuf>,
    /// Count the reports of the survey in these files, and show the counts, as `deniable count` writes them
    #[arg(long, value_name = "REPORTS", requires = "survey", conflicts_with_all = ["query", "tables", "output"])]
    count: Vec<String>,
    #[command(flatten)]
    output: Output,
    /// How many threads compute; as many as there are processors, if it is not said
    #[arg(long, value_name = "NUMBER")]
    threads: Option<usize>,
    /// Let a cluster compute, whose scheduler is there. Its machines must see the files under the same names
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "HOST:PORT", conflicts_with = "threads")]
    cluster: Option<String>,
}

fn main() -> ExitCode {
    deniable_sql::be_discreet();
    match catch_unwind(run) {
        // Also one that was caught where the query ran; it was said.
        Err(_) | Ok(Err(_)) if deniable_sql::panicked_without_entropy() => ExitCode::FAILURE,
        Err(panic) => resume_unwind(panic),
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            error.exit_code()
        }
    }
}

fn run() -> Result<()> {
    let args = Args::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime
        .map_err(|error| Error::failed(format!("the program has no threads: {}", error.kind())))?;
    runtime.block_on(args.run())
}

impl Args {
    async fn run(self) -> Result<()> {
        self.output.check()?;
        let survey = self.survey.as_deref().map(survey::read).transpose()?;
        let session = self.session().await?;
        if let (Some(survey), [_, ..]) = (&survey, self.count.as_slice()) {
            return count::run(&session, survey, &self.count).await;
        }
        for table in &self.tables {
            table.register(&session).await?;
        }
        let plan =
            plan(&session, self.query.as_deref().unwrap_or_default(), survey.as_deref()).await?;
        let losses = losses(&plan)?;
        let fingerprint = match &survey {
            Some(survey) => reports::fingerprint(&plan, survey)?,
            None => None,
        };
        #[cfg(feature = "cluster")]
        if self.cluster.is_some() && !losses.is_empty() {
            session::check(&session, &plan).await?;
        }
        let frame = session.execute_logical_plan(plan).await?;
        let plan = frame.create_physical_plan().await.map_err(|error| Error::of_plan(&error))?;
        let written = self.output.write(plan, session.task_ctx(), fingerprint).await;
        // A part of what goes to the standard output is there even if the rest is not.
        if written.is_ok() || self.output.is_shown() {
            say(&losses);
        }
        written
    }

    async fn session(&self) -> Result<SessionContext> {
        #[cfg(feature = "cluster")]
        if let Some(cluster) = &self.cluster {
            return session::of_cluster(cluster).await;
        }
        session::here(self.threads)
    }
}

/// The query, if it is one that reads.
async fn plan(session: &SessionContext, query: &str, survey: Option<&str>) -> Result<LogicalPlan> {
    let state = session.state();
    let dialect = state.config_options().sql_parser.dialect;
    let statement = state.sql_to_statement(query, &dialect);
    let mut statement = statement.map_err(|error| Error::of_plan(&error))?;
    if let Some(survey) = survey {
        survey::name_parameters(&mut statement, survey)?;
    }
    let plan = state.statement_to_plan(statement).await;
    let plan = plan.map_err(|error| Error::of_plan(&error))?;
    let reads =
        SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
    reads.verify_plan(&plan).map_err(|_| {
        Error::refused("this is no query that reads; accepted is SELECT, or EXPLAIN, and --output writes its result")
    })?;
    Ok(plan)
}

/// What the query will lose.
fn losses(plan: &LogicalPlan) -> Result<Vec<Loss>> {
    let losses = deniable_sql::losses(plan)?;
    let refused = |what: &str| Err(Error::refused(format!("{what}; accepted is EXPLAIN")));
    match plan {
        _ if losses.is_empty() => Ok(losses),
        LogicalPlan::Analyze(_) => {
            refused("EXPLAIN ANALYZE draws, and shows how many rows there are")
        }
        LogicalPlan::Explain(explain) if explain.verbose => {
            refused("EXPLAIN VERBOSE shows statistics of the data")
        }
        // It draws nothing.
        LogicalPlan::Explain(_) => Ok(Vec::new()),
        _ => Ok(losses),
    }
}

/// What the query lost, on the standard error.
fn say(losses: &[Loss]) {
    for loss in losses {
        let whom = if loss.function.starts_with("noisy") { "a person" } else { "a row" };
        // If nobody listens, nobody is told.
        let _ = writeln!(
            io::stderr(),
            "{}({}): {whom} loses at most epsilon = {}",
            loss.function,
            loss.column,
            loss.epsilon
        );
    }
}
