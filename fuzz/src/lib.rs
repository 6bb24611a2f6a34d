//! What the fuzz targets share: oracles, random words, files, and the planted mistakes by which the oracles are tried.

#[cfg(feature = "files")]
pub mod command;
pub mod mechanism;
pub mod planted;
pub mod share;
pub mod survey;
pub mod words;
