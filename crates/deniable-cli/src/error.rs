//! What goes wrong, said without the data, and the exit codes for it.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// The result of a subcommand.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Why the program gives up. The message says what to do, and has no value of the data in it.
#[derive(Debug)]
pub(crate) struct Error {
    kind: Kind,
    message: String,
}

/// The exit codes, which the help documents. 2 is clap's, for a command line that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A file that cannot be read or written, or no entropy: 1.
    Failed = 1,
    /// A survey, a parameter or data that is refused: 3.
    Refused = 3,
    /// More than the budget: 4.
    Budget = 4,
    /// A check that did not hold: 5.
    Violated = 5,
}

impl Error {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into() }
    }

    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Error::new(Kind::Refused, message)
    }

    /// A file, and what the system said of it.
    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        // Not the error's own text, which a library may have put data in.
        Error::new(Kind::Failed, format!("{}: {}", path.display(), error.kind()))
    }

    /// The same, with the file it is about.
    pub(crate) fn of_file(self, path: &Path) -> Self {
        Error::new(self.kind, format!("{}: {}", path.display(), self.message))
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.kind as u8)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<deniable_arrow::Error> for Error {
    fn from(error: deniable_arrow::Error) -> Self {
        let kind = match error.kind() {
            deniable_arrow::ErrorKind::EntropyUnavailable => Kind::Failed,
            _ => Kind::Refused,
        };
        Error::new(kind, error.to_string())
    }
}

impl From<deniable::Error> for Error {
    fn from(error: deniable::Error) -> Self {
        let kind = match error.kind() {
            deniable::ErrorKind::EntropyUnavailable => Kind::Failed,
            _ => Kind::Refused,
        };
        Error::new(kind, error.to_string())
    }
}
