//! `deniable ledger`.

use std::path::PathBuf;

use deniable::num::Directed;
use serde_json::json;

use crate::error::{Error, Result};
use crate::ledger::{self, Balance, Budget, Ledger};
use crate::output::{Facts, bound, print};
use crate::parameter;

/// What was spent on which data
///
/// A ledger is a file that only grows. It has a budget for each data set, stated when it is made, and refuses to go over it. `randomize` and `release` write to it with --ledger FILE --data NAME: what they spend is on the disk before anything of the result can be seen, also if the result then fails. Losses add up, rounding up.
///
/// Only a program can keep to it that is told to; whoever can write the file can also make another.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

const EXAMPLES: &str = "\
Examples:
  deniable ledger init spent.jsonl --budget people=2 --budget visits=0.5
  deniable release people.csv --count-by town --keys towns.txt --epsilon 0.5 -o towns.csv --ledger spent.jsonl --data people
  deniable ledger spend spent.jsonl --data people --epsilon 0.25 --for \"the report of May\"
  deniable ledger show spent.jsonl";

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Make a ledger
    Init {
        /// The file; one that exists is not written over
        ledger: PathBuf,
        /// A data set and the ε that may be spent on it in total
        #[arg(long = "budget", value_name = "NAME=EPSILON", required = true)]
        budgets: Vec<String>,
    },
    /// Write down what was spent elsewhere
    Spend {
        /// The file
        ledger: PathBuf,
        /// The data set
        #[arg(long)]
        data: String,
        /// What was spent, above 0
        #[arg(long, allow_negative_numbers = true)]
        epsilon: f64,
        /// What for
        #[arg(long = "for", value_name = "TEXT", default_value = "")]
        what: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// What was spent, and what is left
    Show {
        /// The file
        ledger: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

impl Args {
    pub(crate) fn run(self) -> Result<()> {
        match self.what {
            What::Init { ledger, budgets } => {
                let budgets =
                    budgets.iter().map(|text| budget(text)).collect::<Result<Vec<_>>>()?;
                parameter::distinct("budget", budgets.iter().map(|budget| &budget.data))?;
                ledger::init(&ledger, budgets)
            }
            What::Spend { ledger, data, epsilon, what, json } => {
                let epsilon = parameter::epsilon("epsilon", epsilon)?;
                let balance = ledger::debit(&ledger, &data, epsilon, &what)?;
                print(with_balance(Facts::default(), &data, balance).text(json))
            }
            What::Show { ledger, json } => {
                let ledger = Ledger::read(&ledger)?;
                print(if json { as_json(&ledger) } else { as_text(&ledger) })
            }
        }
    }
}

/// What is on a ledger after a debit.
pub(super) fn with_balance(facts: Facts, data: &str, balance: Balance) -> Facts {
    let facts = facts.with("data", data).with_epsilon("spent in total", balance.spent);
    facts.with_epsilon("budget", balance.budget)
}

fn budget(text: &str) -> Result<Budget> {
    let parts = text.rsplit_once('=');
    let parts = parts.and_then(|(data, epsilon)| Some((data, epsilon.trim().parse().ok()?)));
    let Some((data, epsilon)) = parts.filter(|(data, _)| !data.is_empty()) else {
        return Err(Error::refused(
            "--budget: it is no name with its ε; accepted is NAME=EPSILON, such as people=2",
        ));
    };
    parameter::positive("budget", epsilon)?;
    Ok(Budget { data: data.to_owned(), epsilon })
}

/// What can still be spent, rounded down.
fn left(balance: Balance) -> f64 {
    balance.budget.get().neg_inf_sub(balance.spent.get()).map_or(0.0, |left: f64| left.max(0.0))
}

fn as_json(ledger: &Ledger) -> String {
    let data = |budget: &Budget| {
        let balance = ledger.balance(&budget.data).expect("it has a budget");
        json!({
            "data": budget.data, "budget": budget.epsilon,
            "spent": balance.spent.get(), "left": left(balance),
        })
    };
    let data: Vec<_> = ledger.budgets().iter().map(data).collect();
    let (entries, unfinished) = (ledger.entries(), ledger.is_unfinished());
    format!("{}\n", json!({ "data": data, "entries": entries, "unfinished": unfinished }))
}

fn as_text(ledger: &Ledger) -> String {
    let heads = |heads: &[&str]| heads.iter().map(|&head| head.to_owned()).collect();
    let mut budgets: Vec<Vec<String>> = vec![heads(&["data", "budget", "spent", "left"])];
    for Budget { data, .. } in ledger.budgets() {
        let balance = ledger.balance(data).expect("it has a budget");
        let left = json!(left(balance)).to_string();
        budgets.push(vec![printable(data), bound(balance.budget), bound(balance.spent), left]);
    }
    let mut text = columns(&budgets);
    let mut entries: Vec<Vec<String>> = vec![heads(&["number", "time", "data", "epsilon", "for"])];
    for entry in ledger.entries() {
        let (number, epsilon) = (entry.number.to_string(), bound(entry.loss()));
        let (data, what) = (printable(&entry.data), printable(&entry.what));
        entries.push(vec![number, entry.time.clone(), data, epsilon, what]);
    }
    if !ledger.entries().is_empty() {
        text += &format!("\n{}", columns(&entries));
    }
    if ledger.is_unfinished() {
        text += "\nA part of an entry is at the end. Nothing came of it, and it does not count.\n";
    }
    text
}

/// Without letters that a terminal would obey.
fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}

/// Rows in columns of one width.
fn columns(rows: &[Vec<String>]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let line = |row: &Vec<String>| {
        let cell = |(column, cell): (usize, &String)| {
            let width = width(column).unwrap_or(0);
            format!("{cell:<width$}  ")
        };
        let line: String = row.iter().enumerate().map(cell).collect();
        format!("{}\n", line.trim_end())
    };
    rows.iter().map(line).collect()
}
