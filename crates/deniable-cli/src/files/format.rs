//! What a file is, by its name.

use std::path::Path;

use crate::error::{Error, Result};

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Comma-separated values with a line of names
    Csv,
    /// A JSON object a line
    Jsonl,
    /// Apache Parquet
    Parquet,
    /// Apache Arrow IPC
    Arrow,
}

/// How a file of text is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    None,
    Gzip,
    Zstd,
}

impl Format {
    /// By the extension, and whether the file is compressed as a whole; `told` wins. `-` must be told.
    pub(crate) fn of(path: &Path, told: Option<Format>) -> Result<(Format, Compression)> {
        let extension = |path: &Path| {
            path.extension().and_then(|extension| extension.to_str()).unwrap_or("").to_lowercase()
        };
        let (compression, inner) = match extension(path).as_str() {
            "gz" => (Compression::Gzip, path.with_extension("")),
            "zst" => (Compression::Zstd, path.with_extension("")),
            _ => (Compression::None, path.to_owned()),
        };
        let format = told.or(match extension(&inner).as_str() {
            "csv" => Some(Format::Csv),
            "jsonl" | "ndjson" | "json" => Some(Format::Jsonl),
            "parquet" | "pq" => Some(Format::Parquet),
            "arrow" | "ipc" | "feather" => Some(Format::Arrow),
            _ => None,
        });
        let Some(format) = format else {
            return Err(Error::refused(format!(
                "{}: the format cannot be told from the name; accepted are .csv, .jsonl, .parquet and .arrow, of which .csv and .jsonl with .gz or .zst behind them; or name it with --format or --to",
                path.display(),
            )));
        };
        if compression != Compression::None && matches!(format, Format::Parquet | Format::Arrow) {
            return Err(Error::refused(format!(
                "{}: Parquet and Arrow files are compressed inside; accepted are names without .gz or .zst",
                path.display(),
            )));
        }
        Ok((format, compression))
    }

    /// Whether its values are texts, and it has no metadata.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Format::Csv | Format::Jsonl)
    }
}
