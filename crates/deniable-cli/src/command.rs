//! The subcommands, one file each.

mod audit;
mod calibrate;
mod count;
mod demo;
mod estimate;
mod generate;
mod ledger;
mod map;
mod mechanism;
mod merge;
mod plan;
mod randomize;
mod rappor;
mod release;
mod sql;

use clap::{Parser, Subcommand};

use crate::error::Result;

/// Deniable answers, reliable statistics: differential privacy on files.
#[derive(Debug, Parser)]
#[command(name = "deniable", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Files appear whole or not at all. A run that is killed may leave .NAME.NUMBER.partial beside the
file it was writing: it is a part of what would have been written, no answer is in it, and it can
be removed.

Exit codes:
  0  done
  1  a file cannot be read or written, or the system gives no entropy
  2  this is no command line of the program
  3  a survey, a parameter or data is refused
  4  it would cost more than the budget
  5  a check did not hold";

#[derive(Debug, Subcommand)]
enum Command {
    Demo(demo::Args),
    Plan(plan::Args),
    Randomize(randomize::Args),
    Count(count::Args),
    Merge(merge::Args),
    Estimate(estimate::Args),
    Release(Box<release::Args>),
    Map(map::Args),
    Calibrate(calibrate::Args),
    Rappor(rappor::Args),
    Audit(audit::Args),
    Ledger(ledger::Args),
    Sql(sql::Args),
    Generate(generate::Args),
}

impl Cli {
    pub(crate) fn run(self) -> Result<()> {
        match self.command {
            Command::Demo(args) => args.run(),
            Command::Plan(args) => args.run(),
            Command::Randomize(args) => args.run(),
            Command::Count(args) => args.run(),
            Command::Merge(args) => args.run(),
            Command::Estimate(args) => args.run(),
            Command::Release(args) => args.run(),
            Command::Map(args) => args.run(),
            Command::Calibrate(args) => args.run(),
            Command::Rappor(args) => args.run(),
            Command::Audit(args) => args.run(),
            Command::Ledger(args) => args.run(),
            Command::Sql(args) => args.run(),
            Command::Generate(args) => args.run(),
        }
    }
}
