use core::fmt;

/// What this crate's functions return.
pub type Result<T> = core::result::Result<T, Error>;

/// Why a variate could not be drawn.
///
/// The message names the rule that was broken and what would be accepted. It never contains data, and
/// a failure of entropy does not say at which draw it happened: the number of draws may depend on data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Inner);

/// The kinds of [`Error`], to match on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The source of entropy failed. Nothing was drawn in its place.
    EntropyUnavailable,
    /// A parameter of the law is outside its range.
    InvalidParameter,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Inner {
    EntropyUnavailable,
    InvalidParameter { parameter: &'static str, accepted: &'static str },
}

impl Error {
    /// The error every source of entropy reports, whatever the cause.
    pub fn entropy_unavailable() -> Self {
        Error(Inner::EntropyUnavailable)
    }

    pub(crate) fn invalid_parameter(parameter: &'static str, accepted: &'static str) -> Self {
        Error(Inner::InvalidParameter { parameter, accepted })
    }

    /// The kind of this error.
    pub fn kind(&self) -> ErrorKind {
        match self.0 {
            Inner::EntropyUnavailable => ErrorKind::EntropyUnavailable,
            Inner::InvalidParameter { .. } => ErrorKind::InvalidParameter,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Inner::EntropyUnavailable => {
                f.write_str("no entropy: the operating system's random generator could not be read")
            }
            Inner::InvalidParameter { parameter, accepted } => {
                write!(f, "invalid {parameter}: accepted is {accepted}")
            }
        }
    }
}

impl std::error::Error for Error {}
