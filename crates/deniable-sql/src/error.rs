//! What can go wrong, as the engine's errors.

use datafusion::common::DataFusionError;

/// A query that is refused: what is wrong with it, and what is accepted.
pub(crate) fn refused(function: &str, problem: impl std::fmt::Display) -> DataFusionError {
    DataFusionError::Plan(format!("{MARK}{function}: {problem}"))
}

/// An error of ours while a query runs. None has data in it.
pub(crate) fn failed(function: &str, error: impl std::fmt::Display) -> DataFusionError {
    DataFusionError::Execution(format!("{MARK}{function}: {error}"))
}

/// What the messages of this crate begin with, by which they are known among those of the engine, which may quote data.
const MARK: &str = "deniable: ";

/// The message of an error as it can be shown: one of ours, or one about the text of the query. All that the engine says while it runs may quote data ("cannot cast 'canary' to Int32"), and is replaced.
///
/// ```
/// use datafusion::common::DataFusionError;
/// use deniable_sql::shown;
///
/// let error = DataFusionError::Execution("Cannot cast string 'positive' to value of Int32 type".into());
/// assert!(!shown(&error).contains("positive"));
/// ```
pub fn shown(error: &DataFusionError) -> String {
    let text = error.to_string();
    if let Some((_, ours)) = text.split_once(MARK) {
        // What comes after it was added on the way by the engine.
        return ours.lines().next().unwrap_or_default().to_owned();
    }
    match error.find_root() {
        DataFusionError::SQL(..) | DataFusionError::Plan(_) | DataFusionError::SchemaError(..)
        | DataFusionError::NotImplemented(_) | DataFusionError::Configuration(_) => {
            error.strip_backtrace().lines().next().unwrap_or_default().to_owned()
        }
        DataFusionError::ResourcesExhausted(_) => {
            "the query needs more memory than it may have".to_owned()
        }
        DataFusionError::IoError(error) => format!("a file cannot be read or written: {}", error.kind()),
        DataFusionError::ObjectStore(_) => "a file cannot be read or written".to_owned(),
        _ => "the query failed while it ran; what the engine says of it can quote the data, and is not shown"
            .to_owned(),
    }
}
