//! What can go wrong, without the data.

use std::fmt;

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a survey, a column or reports were refused. The message says what is accepted, and never has a value of the data in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

/// What an [`Error`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The survey file, at a line and column, both from 1.
    Survey {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// A column that is not there, or whose type no answer has.
    Column,
    /// A column whose type is not that of a mechanism's inputs.
    Type,
    /// Reports or counts that are not of this survey, or of no survey.
    Reports,
    /// A mechanism: a parameter of an estimate.
    Mechanism,
    /// The operating system gives no entropy.
    EntropyUnavailable,
}

impl Error {
    pub(crate) fn survey(line: usize, column: usize, message: impl fmt::Display) -> Self {
        let message = format!("survey, line {line}, column {column}: {message}");
        Error { kind: ErrorKind::Survey { line, column }, message }
    }

    pub(crate) fn column(name: &str, problem: impl fmt::Display) -> Self {
        Error { kind: ErrorKind::Column, message: format!("column \"{name}\": {problem}") }
    }

    pub(crate) fn data_type(problem: impl Into<String>) -> Self {
        Error { kind: ErrorKind::Type, message: problem.into() }
    }

    pub(crate) fn reports(problem: impl Into<String>) -> Self {
        Error { kind: ErrorKind::Reports, message: problem.into() }
    }

    /// What it is about.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<deniable::Error> for Error {
    fn from(error: deniable::Error) -> Self {
        let kind = match error.kind() {
            deniable::ErrorKind::EntropyUnavailable => ErrorKind::EntropyUnavailable,
            _ => ErrorKind::Mechanism,
        };
        Error { kind, message: error.to_string() }
    }
}
