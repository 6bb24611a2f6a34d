use core::fmt;

/// What this crate's functions return.
pub type Result<T> = core::result::Result<T, Error>;

/// Why a variate could not be drawn.
///
/// The message names the rule that was broken and what would be accepted. It never contains data, and
/// a failure of entropy does not say at which draw it happened: the number of draws may depend on data.
///
/// It is one pointer wide: a `Result` of a word stays small enough for registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Option<&'static Refusal>);

/// The kinds of [`Error`], to match on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The source of entropy failed. Nothing was drawn in its place.
    EntropyUnavailable,
    /// A parameter of the law is outside its range.
    InvalidParameter,
}

/// A parameter that was refused: which, and what would be accepted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) parameter: &'static str,
    pub(crate) accepted: &'static str,
}

impl Error {
    /// The error every source of entropy reports, whatever the cause.
    pub fn entropy_unavailable() -> Self {
        Error(None)
    }

    pub(crate) fn invalid_parameter(refusal: &'static Refusal) -> Self {
        Error(Some(refusal))
    }

    /// The kind of this error.
    pub fn kind(&self) -> ErrorKind {
        match self.0 {
            None => ErrorKind::EntropyUnavailable,
            Some(_) => ErrorKind::InvalidParameter,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => {
                f.write_str("no entropy: the operating system's random generator could not be read")
            }
            Some(Refusal { parameter, accepted }) => {
                write!(f, "invalid {parameter}: accepted is {accepted}")
            }
        }
    }
}

impl core::error::Error for Error {}
