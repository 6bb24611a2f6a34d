//! Files of rows: CSV, JSON lines, Parquet and Arrow, chosen by extension.

mod atomic;
mod background;
mod format;
mod progress;
mod read;
mod write;

pub(crate) use atomic::{Atomic, refuse_existing};
pub(crate) use background::Background;
pub(crate) use format::{Compression, Format};
pub(crate) use progress::watched;
pub(crate) use read::{Source, expand, open, open_with};
pub(crate) use write::Sink;

/// The rows of a batch.
pub(crate) const BATCH: usize = 1 << 16;
