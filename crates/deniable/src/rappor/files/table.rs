//! Lines and columns of a comma-separated file.

use alloc::borrow::ToOwned;
use alloc::vec::Vec;
use std::io::{self, BufRead, BufReader, Read, Write};

use crate::{Error, Result};

/// A file that is read line by line.
pub(super) struct Table<R> {
    /// What it is a file of.
    name: &'static str,
    reader: BufReader<R>,
    /// How many lines were read.
    lines: u64,
    /// The last of them, without its end.
    line: Vec<u8>,
    /// Its end.
    end: &'static [u8],
}

impl<R: Read> Table<R> {
    pub(super) fn new(name: &'static str, reader: R) -> Self {
        Table { name, reader: BufReader::new(reader), lines: 0, line: Vec::new(), end: b"" }
    }

    /// The next line that is not empty. A field in quotes may go over several lines.
    pub(super) fn next(&mut self) -> Result<Option<Row>> {
        loop {
            if !self.read_line()? {
                return Ok(None);
            }
            if !self.line.is_empty() {
                break;
            }
        }
        let mut row = Row { name: self.name, line: self.lines, text: Vec::new(), ends: Vec::new() };
        let mut at = 0;
        loop {
            at = match self.line.get(at) {
                Some(b'"') => self.quoted(at + 1, &mut row)?,
                _ => self.plain(at, &mut row)?,
            };
            if !matches!(self.line.get(at), None | Some(b',')) {
                return Err(badly_quoted(&row));
            }
            row.ends.push(row.text.len());
            if at == self.line.len() {
                return Ok(Some(row));
            }
            at += 1;
        }
    }

    /// Reads a field without quotes, and returns where it ends.
    fn plain(&self, start: usize, row: &mut Row) -> Result<usize> {
        let length = self.line[start..].iter().position(|&byte| byte == b',');
        let end = length.map_or(self.line.len(), |length| start + length);
        let field = &self.line[start..end];
        if field.contains(&b'"') {
            return Err(badly_quoted(row));
        }
        row.text.extend(field);
        Ok(end)
    }

    /// Reads a field in quotes, from behind the first of them, and returns where it ends, maybe in another line.
    fn quoted(&mut self, start: usize, row: &mut Row) -> Result<usize> {
        let mut at = start;
        loop {
            match (self.line.get(at), self.line.get(at + 1)) {
                (Some(b'"'), Some(b'"')) => {
                    row.text.push(b'"');
                    at += 2;
                }
                (Some(b'"'), _) => return Ok(at + 1),
                (Some(&byte), _) => {
                    row.text.push(byte);
                    at += 1;
                }
                (None, _) => {
                    row.text.extend(self.end);
                    if !self.read_line()? {
                        return Err(badly_quoted(row));
                    }
                    at = 0;
                }
            }
        }
    }

    /// Reads a line, if there is one.
    fn read_line(&mut self) -> Result<bool> {
        self.line.clear();
        if self.reader.read_until(b'\n', &mut self.line).is_err() {
            let problem = "it could not be read";
            return Err(Error::invalid_parameter(self.name, problem, "a readable file"));
        }
        if self.line.is_empty() {
            return Ok(false);
        }
        let ends: [&[u8]; 3] = [b"\r\n", b"\n", b""];
        self.end = ends.into_iter().find(|end| self.line.ends_with(end)).unwrap_or(b"");
        self.line.truncate(self.line.len() - self.end.len());
        // Some programs begin files with a mark of UTF-8.
        if self.lines == 0 && self.line.starts_with(b"\xef\xbb\xbf") {
            self.line.drain(..3);
        }
        self.lines += 1;
        Ok(true)
    }

    /// Reads a line of names.
    pub(super) fn header(&mut self, names: &[&str]) -> Result<()> {
        let accepted = format!("the names {}", names.join(","));
        let row = self.next()?.ok_or_else(|| self.ends(&accepted))?;
        let is = |column: usize| row.field(column) == Some(names[column].as_bytes());
        match (0..names.len()).find(|&column| !is(column)) {
            Some(column) => Err(row.refused(column, "is another name", &accepted)),
            None => row.check_columns(names.len()),
        }
    }

    /// There must be no more lines.
    pub(super) fn end(&mut self) -> Result<()> {
        let Some(row) = self.next()? else { return Ok(()) };
        let problem = format!("line {} is one too many", row.line);
        Err(Error::invalid_parameter(self.name, problem, "a file that ends before it"))
    }

    /// The error of a file that has too few lines.
    pub(super) fn ends(&self, accepted: &str) -> Error {
        let problem = format!("it ends after line {}", self.lines);
        Error::invalid_parameter(self.name, problem, accepted.to_owned())
    }
}

/// The error of the field that is being read.
fn badly_quoted(row: &Row) -> Error {
    let accepted = "a field without quotes, or with quotes around it and each within it twice";
    row.refused(row.ends.len(), "is not quoted as it should be", accepted)
}

/// One line. Columns are numbered from 0 here, and from 1 where people read it.
pub(super) struct Row {
    name: &'static str,
    line: u64,
    /// All fields, one after the other, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Row {
    pub(super) fn check_columns(&self, columns: usize) -> Result<()> {
        if self.ends.len() == columns {
            return Ok(());
        }
        let problem = format!("line {} has {} columns", self.line, self.ends.len());
        Err(Error::invalid_parameter(self.name, problem, format!("{columns} columns")))
    }

    /// A whole number that is not negative.
    pub(super) fn integer(&self, column: usize, accepted: &str) -> Result<u64> {
        let digits = self.field(column).filter(|field| field.iter().all(u8::is_ascii_digit));
        parsed(digits).ok_or_else(|| self.refused(column, "is no whole number", accepted))
    }

    /// A decimal number, to the nearest float.
    pub(super) fn number(&self, column: usize, accepted: &str) -> Result<f64> {
        // Neither names of numbers nor what is none.
        let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
        let decimal = self.field(column).filter(|field| field.iter().all(is_part));
        parsed(decimal).ok_or_else(|| self.refused(column, "is no number", accepted))
    }

    /// A text as it is.
    pub(super) fn text(&self, column: usize) -> Result<&str> {
        let text = core::str::from_utf8(self.raw(column).unwrap_or_default());
        text.map_err(|_| self.refused(column, "is not UTF-8", "text in UTF-8"))
    }

    /// A field without spaces around it.
    pub(super) fn field(&self, column: usize) -> Option<&[u8]> {
        self.raw(column).map(<[u8]>::trim_ascii)
    }

    fn raw(&self, column: usize) -> Option<&[u8]> {
        let end = *self.ends.get(column)?;
        let start = column.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.text[start..end])
    }

    pub(super) fn refused(&self, column: usize, problem: &str, accepted: &str) -> Error {
        let problem = format!("line {}, column {} {problem}", self.line, column + 1);
        Error::invalid_parameter(self.name, problem, accepted.to_owned())
    }
}

fn parsed<T: core::str::FromStr>(field: Option<&[u8]>) -> Option<T> {
    core::str::from_utf8(field?).ok()?.parse().ok()
}

/// A text in quotes, each quote in it twice.
pub(super) fn write_quoted(text: &str, writer: &mut impl Write) -> io::Result<()> {
    write!(writer, "\"{}\"", text.replace('"', "\"\""))
}
