//! What is in a folder.

use std::fs;
use std::path::Path;

/// The names of all files, in order.
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let name =
        |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(name).collect();
    names.sort();
    names
}
