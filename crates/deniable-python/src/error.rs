//! Errors as Python has them, with the message of the library's.

use deniable::ErrorKind;
use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};

pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Any error of the library's, on its way to Python.
pub(crate) struct Error(PyErr);

impl From<Error> for PyErr {
    fn from(Error(error): Error) -> Self {
        error
    }
}

impl From<PyErr> for Error {
    fn from(error: PyErr) -> Self {
        Error(error)
    }
}

impl From<deniable::Error> for Error {
    fn from(error: deniable::Error) -> Self {
        Error(match error.kind() {
            ErrorKind::EntropyUnavailable => PyOSError::new_err(error.to_string()),
            _ => PyValueError::new_err(error.to_string()),
        })
    }
}

impl From<deniable_arrow::Error> for Error {
    fn from(error: deniable_arrow::Error) -> Self {
        Error(match error.kind() {
            deniable_arrow::ErrorKind::Type => PyTypeError::new_err(error.to_string()),
            deniable_arrow::ErrorKind::EntropyUnavailable => PyOSError::new_err(error.to_string()),
            _ => PyValueError::new_err(error.to_string()),
        })
    }
}

/// A value of a type that is not accepted.
pub(crate) fn wrong_type(accepted: &str) -> Error {
    Error(PyTypeError::new_err(format!("the type is another; accepted is {accepted}")))
}

/// A parameter that is not accepted.
pub(crate) fn refused(
    parameter: &'static str,
    problem: &'static str,
    accepted: &'static str,
) -> Error {
    deniable::Error::invalid_parameter(parameter, problem, accepted).into()
}
