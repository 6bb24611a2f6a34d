//! `deniable release`.

mod histogram;
mod table;

use std::path::{Path, PathBuf};

use arrow_array::{Array, ArrayRef, new_null_array};
use arrow_schema::{DataType, Schema};
use clap::ArgGroup;
use deniable::Epsilon;

use super::ledger::with_balance;
use crate::error::{Error, Result};
use crate::files::Format;
use crate::output::{Facts, print_beside};
use crate::{ledger, parameter};

/// Add Laplace noise to a table of numbers, or to counts
///
/// TABLE. With --columns, the numbers in these columns are taken as one vector, and noise is added to each. Neighbours are tables with the same rows whose numbers differ by at most --sensitivity in total: add up the most that one person can change each of them by. The number of rows is public, and so are the columns that --keep lists; all others are left out. Every cell is a 64-bit float before noise is added: a number is rounded to the nearest, one that is missing or cannot be read is 0, one beyond the range is the largest of its sign. The sensitivity is that of these floats: whole numbers up to 2^53 are not changed by rounding.
///
/// COUNTS. With --count-by, the rows of each key in --keys are counted, and noise is added to each count. The keys come from the file and never from the data. Rows with another key, or none, are not counted, or go to --other. Neighbours are files with and without the rows of one person, at most --rows-per-person of them; or with --neighbours replace, files in which these rows are others. The sensitivity follows: c, or 2c. The number of rows is not public, and not said. Counts with noise can be negative.
///
/// Nothing that is said or refused depends on a value; but of JSON lines, a column of numbers that no row has is refused. What is released twice costs twice. Several files are one table, in their order.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = ArgGroup::new("form").required(true).args(["columns", "count_by"]))]
#[command(group = ArgGroup::new("noise").required(true).args(["epsilon", "scale"]))]
pub(crate) struct Args {
    /// Files: .csv, .jsonl, .parquet or .arrow, patterns such as part-*.csv, or - for the standard input
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<String>,
    /// The columns of numbers, with commas between them
    #[arg(long, value_delimiter = ',', requires = "sensitivity")]
    columns: Vec<String>,
    /// The most by which the numbers of neighbours differ, in total
    #[arg(long, conflicts_with = "count_by", allow_negative_numbers = true)]
    sensitivity: Option<f64>,
    /// Round to multiples of 2^K: 0 makes whole numbers. It costs more, which is accounted for, and the files are read twice; the finest grid, if it is not said
    #[arg(short, conflicts_with = "count_by", allow_negative_numbers = true)]
    k: Option<i32>,
    /// Public columns that are passed on as they are
    #[arg(long, value_delimiter = ',', conflicts_with = "count_by")]
    keep: Vec<String>,
    /// The column of keys
    #[arg(long, value_name = "COLUMN", requires = "keys")]
    count_by: Option<String>,
    /// The keys, one a line
    #[arg(long, value_name = "FILE", conflicts_with = "columns")]
    keys: Option<PathBuf>,
    /// The key for rows that have none of the keys; if it is not said, they are not counted
    #[arg(long, value_name = "NAME", conflicts_with = "columns")]
    other: Option<String>,
    /// The most rows that one person has in all files together [default: 1]
    #[arg(long, value_name = "C", conflicts_with = "columns", value_parser = clap::value_parser!(u64).range(1..))]
    rows_per_person: Option<u64>,
    /// Which files are neighbours [default: add-remove]
    #[arg(long, conflicts_with = "columns")]
    neighbours: Option<histogram::Neighbours>,
    /// What the release may lose, above 0: the least noise that keeps to it is taken
    #[arg(long, allow_negative_numbers = true)]
    epsilon: Option<f64>,
    /// The scale of the noise, above 0
    #[arg(long, allow_negative_numbers = true)]
    scale: Option<f64>,
    /// Where the result goes; a file that exists is not written over
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// The format of the files, if their names do not say it
    #[arg(long)]
    format: Option<Format>,
    /// The format of the result, if its name does not say it
    #[arg(long)]
    to: Option<Format>,
    /// Spend ε from this ledger before anything is released
    #[arg(long, value_name = "FILE", requires = "data")]
    ledger: Option<PathBuf>,
    /// The data set of the ledger
    #[arg(long, value_name = "NAME", requires = "ledger")]
    data: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  deniable release sums.csv --keep town --columns income,rent --sensitivity 5000 --epsilon 1 -o noisy.csv
  deniable release counts.parquet --columns n --sensitivity 1 --scale 2 -k 0 -o noisy.parquet
  deniable release visits.csv --count-by town --keys towns.txt --rows-per-person 3 --epsilon 0.5 -o towns.csv
  deniable release people-*.csv --count-by town --keys towns.txt --other elsewhere --epsilon 0.5 -o towns.csv --ledger spent.jsonl --data people";

impl Args {
    pub(crate) fn run(self) -> Result<()> {
        let facts = match &self.count_by {
            None => self.table()?.release(&self)?,
            Some(column) => self.histogram(column)?.release(&self)?,
        };
        print_beside(&self.output, &facts.text(self.json))
    }

    fn table(&self) -> Result<table::Table> {
        let sensitivity = self.sensitivity.expect("clap demands it");
        let sensitivity = parameter::positive("sensitivity", sensitivity)?;
        table::Table::new(self.columns.clone(), self.keep.clone(), sensitivity, self.k)
    }

    fn histogram(&self, column: &str) -> Result<histogram::Histogram> {
        let keys = self.keys.as_deref().expect("clap demands it");
        let keys = histogram::Keys::read(keys, self.other.as_deref())?;
        let neighbours = self.neighbours.unwrap_or(histogram::Neighbours::AddRemove);
        let rows_per_person = self.rows_per_person.unwrap_or(1);
        histogram::Histogram::new(column.to_owned(), keys, neighbours, rows_per_person)
    }

    /// The scale that is given, or else what `calibrate` finds for the ε that is given.
    fn scale(&self, calibrate: impl Fn(Epsilon) -> deniable::Result<f64>) -> Result<f64> {
        match (self.scale, self.epsilon) {
            (Some(scale), _) => parameter::positive("scale", scale),
            (None, epsilon) => {
                let epsilon = parameter::epsilon("epsilon", epsilon.expect("clap demands it"))?;
                Ok(calibrate(epsilon)?)
            }
        }
    }

    /// Spends what a release loses, from the ledger if there is one. No noise may be drawn before.
    fn spend(&self, epsilon: Epsilon, facts: Facts) -> Result<Facts> {
        if !epsilon.is_finite() {
            return Err(Error::refused(
                "the noise is so little that nothing bounds what is lost; accepted is a larger --scale, or --epsilon",
            ));
        }
        let facts = facts.with_epsilon("epsilon", epsilon);
        let (Some(path), Some(data)) = (&self.ledger, &self.data) else { return Ok(facts) };
        let what = format!("release {}", self.output.display());
        Ok(with_balance(facts, data, ledger::debit(path, data, epsilon, &what)?))
    }
}

/// The place of a column of this name.
fn place(schema: &Schema, name: &str) -> Result<usize> {
    let refused = |problem| Error::refused(format!("column \"{name}\": {problem}"));
    let mut named = (0..schema.fields().len()).filter(|&i| schema.field(i).name() == name);
    match (named.next(), named.next()) {
        (Some(place), None) => Ok(place),
        (None, _) => Err(refused("it is not there; accepted are files with a column of this name")),
        _ => Err(refused("it is there twice; accepted is one column of a name")),
    }
}

/// A column whose type is none that is meant.
fn wrong_type(name: &str, accepted: &str) -> Error {
    Error::refused(format!("column \"{name}\": its type is another; accepted are {accepted}"))
}

/// The type of the values, whatever way they are stored.
fn values_of(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, values) => values_of(values),
        DataType::RunEndEncoded(_, values) => values_of(values.data_type()),
        other => other,
    }
}

fn is_text(values: &DataType) -> bool {
    matches!(values, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Texts, truth values, or nothing at all.
fn is_plain(values: &DataType) -> bool {
    is_text(values) || matches!(values, DataType::Boolean | DataType::Null)
}

/// What cannot be cast is missing: an error could depend on the data.
fn cast(column: &ArrayRef, to: &DataType) -> ArrayRef {
    arrow_cast::cast(column, to).unwrap_or_else(|_| new_null_array(to, column.len()))
}

/// How far the noise of a number goes.
fn within(facts: Facts, accuracy: f64) -> Facts {
    facts.with_words("noise", format!("at most {accuracy}, 19 times of 20"), accuracy)
}

fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}
