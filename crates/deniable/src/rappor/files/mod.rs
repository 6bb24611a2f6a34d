//! The files of the reference implementation: parameters, counts, candidates, results.
//!
//! All are comma-separated. What is refused is named by its line and column, from 1, and never quoted. What is written is what the reference's own programs write, byte for
//! byte; both ends of lines are read.

mod number;
mod results;
mod table;

use alloc::borrow::ToOwned;
use alloc::vec::Vec;
use std::io::{self, BufWriter, Read, Write};

use table::{Row, Table};

use super::{CandidateMap, CohortCounts, Params};
use crate::Result;
use crate::error::Shown;
use crate::estimate::BitCounts;

pub use results::{ResultRow, read_results, write_results};

/// The names of the parameters, which are the first line of their file.
const NAMES: [&str; 6] = ["k", "h", "m", "p", "q", "f"];

impl Params {
    /// Reads a file of parameters: a line of names and a line of numbers.
    ///
    /// ```
    /// use deniable::rappor::Params;
    ///
    /// let params = Params::read_csv("k,h,m,p,q,f\n8,2,128,0.39,0.61,0.45\n".as_bytes())?;
    /// assert_eq!(params, Params::new(8, 2, 128, 0.39, 0.61, 0.45)?);
    /// let error = Params::read_csv("k,h,m,p,q,f\n8,two,128,0.39,0.61,0.45\n".as_bytes()).unwrap_err();
    /// assert_eq!(error.to_string(), "invalid params: line 2, column 2 is no whole number; accepted is the parameter h");
    /// # Ok::<(), deniable::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Other names, more or fewer lines, or what is no number; a parameter outside its range; a reader that fails.
    pub fn read_csv(reader: impl Read) -> Result<Self> {
        let mut table = Table::new("params", reader);
        table.header(&NAMES)?;
        let row = table.next()?.ok_or_else(|| table.ends("a line of numbers"))?;
        row.check_columns(NAMES.len())?;
        let what = |column: usize| format!("the parameter {}", NAMES[column]);
        // What is too large for this machine is too large anyway.
        let integer = |column| {
            let n = row.integer(column, &what(column))?;
            Result::Ok(usize::try_from(n).unwrap_or(usize::MAX))
        };
        let float = |column| row.number(column, &what(column));
        let (k, h, m) = (integer(0)?, integer(1)?, integer(2)?);
        let params = Params::new(k, h, m, float(3)?, float(4)?, float(5)?)?;
        table.end()?;
        Ok(params)
    }

    /// Writes a file of parameters.
    ///
    /// # Errors
    ///
    /// A writer that fails.
    pub fn write_csv(&self, mut writer: impl Write) -> io::Result<()> {
        let [p, q, f] = [self.p(), self.q(), self.f()].map(Shown);
        writeln!(writer, "{}", NAMES.join(","))?;
        writeln!(writer, "{},{},{},{p},{q},{f}", self.k(), self.h(), self.m())
    }
}

impl CohortCounts {
    /// Reads a file of counts: a line for each cohort, with the number of its reports and how many of them have a one at each bit.
    ///
    /// # Errors
    ///
    /// More or fewer lines than cohorts, or columns than k + 1; what is no whole number; more ones than reports; more than 2^63 reports; a reader that fails.
    pub fn read_csv(reader: impl Read, params: &Params) -> Result<Self> {
        let mut table = Table::new("counts", reader);
        let mut cohorts = Vec::with_capacity(params.m());
        while cohorts.len() < params.m() {
            let lines = format!("{} lines, one for each cohort", params.m());
            let row = table.next()?.ok_or_else(|| table.ends(&lines))?;
            cohorts.push(read_cohort(&row, params.k())?);
        }
        table.end()?;
        CohortCounts::from_cohorts(cohorts)
    }

    /// Writes a file of counts.
    ///
    /// # Errors
    ///
    /// A writer that fails.
    pub fn write_csv(&self, writer: impl Write) -> io::Result<()> {
        let mut writer = BufWriter::new(writer);
        for cohort in self.cohorts() {
            write!(writer, "{}", cohort.reports())?;
            for ones in cohort.ones() {
                write!(writer, ",{ones}")?;
            }
            writeln!(writer)?;
        }
        writer.flush()
    }
}

fn read_cohort(row: &Row, k: usize) -> Result<BitCounts> {
    row.check_columns(k + 1)?;
    let reports = row.integer(0, "a number of reports")?;
    if reports > 1 << 63 {
        return Err(row.refused(0, "is too large", "a number of reports, up to 2^63"));
    }
    let mut ones = Vec::with_capacity(k);
    for column in 1..=k {
        let count = row.integer(column, "a number of ones")?;
        if count > reports {
            let accepted = "a number of ones, up to that of the reports in column 1";
            return Err(row.refused(column, "is too large", accepted));
        }
        ones.push(count);
    }
    let mut counts = BitCounts::new(k);
    counts.add_summed(&ones, reports);
    Ok(counts)
}

impl CandidateMap {
    /// Reads a file of candidates: a line for each, with its name and the numbers cohort·k + bit + 1 of its bits, h for each cohort in turn.
    ///
    /// # Errors
    ///
    /// More or fewer columns than h·m + 1; what is no such number of that cohort; two equal names, or one that is not UTF-8; a reader that fails.
    pub fn read_csv(reader: impl Read, params: &Params) -> Result<Self> {
        let (k, h, m) = (params.k(), params.h(), params.m());
        let mut table = Table::new("map", reader);
        let mut map = CandidateMap::empty(params);
        while let Some(row) = table.next()? {
            row.check_columns(h * m + 1)?;
            for column in 1..=h * m {
                // Of the cohort that the column is one of.
                let before = ((column - 1) / h * k) as u64;
                let number = row.integer(column, "the number of a bit")?;
                if !(before + 1..=before + k as u64).contains(&number) {
                    let (first, last) = (before + 1, before + k as u64);
                    let accepted = format!("the number of a bit from {first} to {last}");
                    return Err(row.refused(column, "is no bit of its cohort", &accepted));
                }
                map.push_bit((number - before - 1) as u16);
            }
            let name = row.text(0)?.to_owned();
            if map.insert(name).is_err() {
                return Err(row.refused(0, "is there already", "distinct candidates"));
            }
        }
        Ok(map)
    }

    /// Writes a file of candidates. Its lines end as in the reference's: with a carriage return and a line feed.
    ///
    /// # Errors
    ///
    /// A writer that fails.
    pub fn write_csv(&self, writer: impl Write) -> io::Result<()> {
        let mut writer = BufWriter::new(writer);
        for (candidate, name) in self.names().enumerate() {
            // As Python's writer does, and where a mark of UTF-8 would be taken for the file's.
            match name.contains(['"', ',', '\r', '\n', '\u{feff}']) {
                true => table::write_quoted(name, &mut writer)?,
                false => write!(writer, "{name}")?,
            }
            for cohort in 0..self.m() {
                for &bit in self.bits(candidate, cohort).unwrap_or_default() {
                    write!(writer, ",{}", cohort * self.k() + usize::from(bit) + 1)?;
                }
            }
            write!(writer, "\r\n")?;
        }
        writer.flush()
    }
}
