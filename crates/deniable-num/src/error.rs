use core::fmt;

/// What this crate's functions return.
pub type Result<T> = core::result::Result<T, Error>;

/// Why an operation has no bound to give.
///
/// The message names the operation and the rule. It never contains an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    operation: &'static str,
    kind: ErrorKind,
}

/// The kinds of [`Error`], to match on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An operand is NaN.
    NotANumber,
    /// The operation has no value there: ∞ − ∞, 0 · ∞, ∞ / ∞, x / 0, a root or logarithm of a negative
    /// number, the logarithm of a ratio with a zero in it, a negative power of zero.
    Undefined,
    /// The target type has no value on the demanded side: an upper bound above an integer type's `MAX`.
    NoBound,
}

impl Error {
    pub(crate) fn new(operation: &'static str, kind: ErrorKind) -> Self {
        Error { operation, kind }
    }

    /// The kind of this error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The name of the operation that failed, such as `inf_ln`.
    pub fn operation(&self) -> &'static str {
        self.operation
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = match self.kind {
            ErrorKind::NotANumber => "an operand is NaN; every other value is accepted",
            ErrorKind::Undefined => "it has no value for these operands",
            ErrorKind::NoBound => "the target type has no value on that side of the operand",
        };
        write!(f, "{}: {rule}", self.operation)
    }
}

impl core::error::Error for Error {}
