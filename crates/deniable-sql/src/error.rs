//! What can go wrong, as the engine's errors.

use std::error::Error;
use std::fmt;

use datafusion::common::{DataFusionError, SchemaError};

/// A query that is refused, or that fails because of us. The message says what is accepted, and has no data in it.
#[derive(Debug)]
struct Ours {
    message: String,
    lacks_entropy: bool,
}

impl fmt::Display for Ours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Ours {}

/// A query that is refused, or that cannot go on: what is wrong with it, and what is accepted.
pub(crate) fn refused(function: &str, problem: impl fmt::Display) -> DataFusionError {
    let message = format!("{function}: {problem}");
    DataFusionError::External(Box::new(Ours { message, lacks_entropy: false }))
}

/// A query that is in order, and for which the system gives no entropy.
pub(crate) fn without_entropy(function: &str, problem: impl fmt::Display) -> DataFusionError {
    let message = format!("{function}: {problem}");
    DataFusionError::External(Box::new(Ours { message, lacks_entropy: true }))
}

/// Whether a query failed because the system gives no entropy.
pub fn lacks_entropy(error: &DataFusionError) -> bool {
    ours(error).is_some_and(|ours| ours.lacks_entropy)
}

/// The message of an error as it can be shown. What the engine says while a query runs may quote data ("cannot cast 'canary' to Int32"), and is replaced; errors of ours never do.
///
/// ```
/// use datafusion::common::DataFusionError;
/// use deniable_sql::shown;
///
/// let error = DataFusionError::Execution("Cannot cast string 'positive' to value of Int32 type".into());
/// assert!(!shown(&error).contains("positive"));
/// ```
pub fn shown(error: &DataFusionError) -> String {
    if let Some(ours) = ours(error) {
        return ours.message.clone();
    }
    match error.find_root() {
        DataFusionError::ResourcesExhausted(_) => "the query needs more memory than it may have".to_owned(),
        DataFusionError::IoError(error) => format!("a file cannot be read or written: {}", error.kind()),
        DataFusionError::ObjectStore(_) => "a file cannot be read or written".to_owned(),
        _ => "the query failed while it ran; what the engine says of it can quote the data, and is not shown".to_owned(),
    }
}

/// The same for an error of a query that has not begun to run, of which the engine knows nothing but the text and the types.
pub fn shown_of_plan(error: &DataFusionError) -> String {
    if let Some(ours) = ours(error) {
        return ours.message.clone();
    }
    let error = error.find_root();
    // The engine would go on with names that are alike, and where a file has no header they are answers.
    if let DataFusionError::SchemaError(problem, _) = error
        && let SchemaError::FieldNotFound { field, .. } = problem.as_ref()
    {
        return format!("No field named {field}.");
    }
    error.strip_backtrace().lines().next().unwrap_or_default().to_owned()
}

/// Whether it is one of ours, by its type: a text could be of the data.
fn ours(error: &DataFusionError) -> Option<&Ours> {
    let mut next: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = next {
        if let Some(ours) = error.downcast_ref::<Ours>() {
            return Some(ours);
        }
        next = match error.downcast_ref::<DataFusionError>() {
            Some(DataFusionError::External(inner)) => Some(inner.as_ref()),
            _ => error.source(),
        };
    }
    None
}
