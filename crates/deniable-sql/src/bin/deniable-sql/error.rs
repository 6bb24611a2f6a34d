//! What goes wrong, said without the data, and the exit codes of `deniable`.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use datafusion::common::DataFusionError;

pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Why the program gives up.
#[derive(Debug)]
pub(crate) struct Error {
    code: u8,
    message: String,
}

impl Error {
    /// A query, a parameter or data.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Error { code: 3, message: message.into() }
    }

    /// A file, the cluster.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Error { code: 1, message: message.into() }
    }

    /// A file, and what the system said of it.
    pub(crate) fn io(path: &Path, error: &std::io::Error) -> Self {
        Error::failed(format!("{}: {}", path.display(), error.kind()))
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// An error of a query that runs.
impl From<DataFusionError> for Error {
    fn from(error: DataFusionError) -> Self {
        #[cfg(feature = "cluster")]
        if let DataFusionError::Execution(text) = error.find_root()
            && let Some(message) = lost(text)
        {
            return Error::failed(message);
        }
        let code = match error.find_root() {
            _ if deniable_sql::lacks_entropy(&error) => 1,
            DataFusionError::IoError(_)
            | DataFusionError::ObjectStore(_)
            | DataFusionError::ResourcesExhausted(_) => 1,
            _ => 3,
        };
        Error { code, message: deniable_sql::shown(&error) }
    }
}

/// Whether a text of Ballista's says that machines of a cluster are gone. The text itself can have data in it, and is not shown.
#[cfg(feature = "cluster")]
fn lost(text: &str) -> Option<&'static str> {
    const CONNECTION: [&str; 4] =
        ["tonic::transport::Error", "h2 protocol error", "GrpcConnectionError", "Stream closed"];
    if text.starts_with("Job ") {
        let is_empty = text.contains(" failed: all executors were lost");
        return is_empty.then_some(
            "the cluster lost all its executors, and none came back in time; start them, and then the query again",
        );
    }
    CONNECTION.iter().any(|part| text.contains(part)).then_some(
        "the connection to a machine of the cluster was lost; when all of them run, start the query again",
    )
}

impl Error {
    /// An error of a query that has not begun to run.
    pub(crate) fn of_plan(error: &DataFusionError) -> Self {
        Error::refused(deniable_sql::shown_of_plan(error))
    }
}

impl From<deniable_arrow::Error> for Error {
    fn from(error: deniable_arrow::Error) -> Self {
        Error::refused(error.to_string())
    }
}
