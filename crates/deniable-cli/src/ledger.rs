//! What was spent on which data: a file that only grows, and that refuses to go over its budgets.
//!
//! Each line is JSON with a hash of itself and of all before it, so that a change anywhere is noticed. That is no protection against somebody who
//! makes up all hashes anew, and nobody can tell that whole lines are missing at the end, as in an older copy.
//!
//! [`debit`] returns when the line is on the disk, and what was paid for must not be seen before. It holds a lock from reading to writing, so that two programs cannot
//! spend the same ε. A crash while a line is written leaves a part of it at the end. Its debit never returned, so nothing was made public for it: it does not count, and the next debit removes it. A
//! whole line counts, also if only the end of the line is missing. All else that is not as it was written is refused.

mod line;
mod time;

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;

use deniable::Epsilon;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Kind, Result};
use crate::files::Atomic;
use crate::output::bound;
use line::{is_unfinished, read_line, write_line};

/// A budget: what may be spent on a data set in total.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Budget {
    pub(crate) data: String,
    pub(crate) epsilon: f64,
}

/// What was spent at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// From 1.
    pub(crate) number: u64,
    pub(crate) time: String,
    pub(crate) data: String,
    pub(crate) epsilon: f64,
    pub(crate) what: String,
}

impl Entry {
    /// Of one that was read.
    pub(crate) fn loss(&self) -> Epsilon {
        loss(self.epsilon).expect("it was checked")
    }
}

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    deniable_ledger: u32,
    budgets: Vec<Budget>,
}

/// The version of the file that is read and written.
const VERSION: u32 = 1;

/// What a ledger says of a data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Balance {
    /// The sum, rounded up.
    pub(crate) spent: Epsilon,
    pub(crate) budget: Epsilon,
}

/// The contents of a ledger, which were checked.
#[derive(Debug)]
pub(crate) struct Ledger {
    budgets: Vec<Budget>,
    entries: Vec<Entry>,
    /// The hash of the last line.
    hash: String,
    /// The bytes up to the end of the last entry.
    length: usize,
    /// What is behind it.
    end: End,
}

/// How a ledger ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// As it should.
    Whole,
    /// With an entry that counts, but without the end of its line.
    NoNewline,
    /// With a part of an entry that does not count.
    Unfinished,
}

/// Makes a new ledger with these budgets, which are finite and above 0.
///
/// # Errors
///
/// A file that exists; one that cannot be written.
pub(crate) fn init(path: &Path, budgets: Vec<Budget>) -> Result<()> {
    let (line, _) = write_line("", &Header { deniable_ledger: VERSION, budgets });
    let mut file = Atomic::create(path)?;
    file.write_all(line.as_bytes()).map_err(|error| Error::io(path, &error))?;
    file.finish()
}

/// Spends ε on a data set. When it returns, that is durable.
///
/// # Errors
///
/// [`Kind::Budget`] if more than the budget would be spent, and nothing is; a data set that has no budget; a ledger that is damaged; a file
/// that cannot be read or written, which may have spent it all the same.
pub(crate) fn debit(path: &Path, data: &str, epsilon: Epsilon, what: &str) -> Result<Balance> {
    let io = |error| Error::io(path, &error);
    let mut file = OpenOptions::new().read(true).append(true).open(path).map_err(io)?;
    file.lock().map_err(io)?;
    let ledger = Ledger::of(path, &mut file)?;
    let Balance { spent, budget } = ledger.balance(data).ok_or_else(|| unknown(path, data))?;
    let sum = spent + epsilon;
    if sum > budget {
        let (spent, budget, epsilon) = (bound(spent), bound(budget), bound(epsilon));
        return Err(Error::new(
            Kind::Budget,
            format!(
                "{}, data \"{data}\": {spent} of {budget} is spent, and this would cost {epsilon}; accepted is what stays within the budget",
                path.display(),
            ),
        ));
    }
    let entry = Entry {
        number: ledger.entries.len() as u64 + 1,
        time: time::now(),
        data: data.to_owned(),
        epsilon: epsilon.get(),
        what: what.to_owned(),
    };
    let (mut line, _) = write_line(&ledger.hash, &entry);
    if ledger.end != End::Whole {
        file.set_len(ledger.length as u64).map_err(io)?;
    }
    if ledger.end == End::NoNewline {
        line.insert(0, '\n');
    }
    file.write_all(line.as_bytes()).and_then(|()| file.sync_all()).map_err(io)?;
    Ok(Balance { spent: sum, budget })
}

impl Ledger {
    /// Reads a ledger.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, is no ledger, or is damaged.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let mut file = File::open(path).map_err(|error| Error::io(path, &error))?;
        file.lock_shared().map_err(|error| Error::io(path, &error))?;
        Ledger::of(path, &mut file)
    }

    /// The budgets, in the order they were given.
    pub(crate) fn budgets(&self) -> &[Budget] {
        &self.budgets
    }

    /// What was spent, in order.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether there is a part of an entry at the end, which does not count.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.end == End::Unfinished
    }

    /// What was spent on a data set, if it has a budget.
    pub(crate) fn balance(&self, data: &str) -> Option<Balance> {
        let budget = self.budgets.iter().find(|budget| budget.data == data)?;
        let of_data = self.entries.iter().filter(|entry| entry.data == data);
        let spent = of_data.map(Entry::loss).sum();
        Some(Balance { spent, budget: loss(budget.epsilon).expect("it was checked") })
    }

    fn of(path: &Path, file: &mut File) -> Result<Self> {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| Error::io(path, &error))?;
        Ledger::parse(&bytes).map_err(|line| {
            let problem = match line {
                1 => "this is not the first line of a ledger; accepted is a file that `deniable ledger init` made",
                _ => "this is not what was written; accepted is the file without changes, from a copy of it",
            };
            Error::refused(format!("{}, line {line}: {problem}", path.display()))
        })
    }

    /// Refuses with the number of the first line that is not as it was written.
    fn parse(bytes: &[u8]) -> std::result::Result<Self, usize> {
        let (lines, rest) = match bytes.iter().rposition(|&byte| byte == b'\n') {
            Some(end) => bytes.split_at(end + 1),
            None => (&[][..], bytes),
        };
        let mut lines_in_order = lines.split_inclusive(|&byte| byte == b'\n');
        let (header, hash) =
            lines_in_order.next().and_then(|line| read_line::<Header>("", line)).ok_or(1usize)?;
        let is_known = header.deniable_ledger == VERSION;
        if !is_known || header.budgets.iter().any(|budget| loss(budget.epsilon).is_none()) {
            return Err(1);
        }
        let (budgets, entries) = (header.budgets, Vec::new());
        let mut ledger = Ledger { budgets, entries, hash, length: lines.len(), end: End::Whole };
        for line in lines_in_order {
            ledger.push(line)?;
        }
        if rest.is_empty() {
            return Ok(ledger);
        }
        let rest = without_zeros(rest);
        if is_unfinished::<Entry>(rest) {
            ledger.end = End::Unfinished;
            return Ok(ledger);
        }
        ledger.push(&[rest, b"\n"].concat())?;
        ledger.end = End::NoNewline;
        ledger.length += rest.len();
        Ok(ledger)
    }

    fn push(&mut self, line: &[u8]) -> std::result::Result<(), usize> {
        let number = self.entries.len() + 1;
        let is_next = |(entry, _): &(Entry, String)| {
            entry.number == number as u64
                && loss(entry.epsilon).is_some()
                && self.budgets.iter().any(|budget| budget.data == entry.data)
        };
        let (entry, hash) =
            read_line::<Entry>(&self.hash, line).filter(is_next).ok_or(number + 1)?;
        self.entries.push(entry);
        self.hash = hash;
        Ok(())
    }
}

/// Some file systems have zeros where bytes did not arrive before a crash.
fn without_zeros(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    &bytes[..end]
}

/// A loss that is finite.
fn loss(epsilon: f64) -> Option<Epsilon> {
    Epsilon::new(epsilon).ok().filter(|epsilon| epsilon.is_finite())
}

fn unknown(path: &Path, data: &str) -> Error {
    Error::refused(format!(
        "{}: no data set \"{data}\" has a budget in it; accepted is a name that `deniable ledger show` shows",
        path.display(),
    ))
}

#[cfg(test)]
mod tests;
