//! Packages with a mistake in them.

use std::fs;
use std::path::{Path, PathBuf};

/// Writes the package `planted` into a workspace of its own, with these lines behind its first ones and this code, and returns its folder.
pub(super) fn write(
    scratch: &Path,
    name: &str,
    manifest: &str,
    code: &str,
) -> Result<PathBuf, String> {
    let folder = scratch.join(format!("planted-{name}"));
    let head =
        "[workspace]\n\n[package]\nname = \"planted\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let files = [("Cargo.toml", format!("{head}{manifest}")), ("src/lib.rs", code.to_owned())];
    let written = fs::create_dir_all(folder.join("src")).and_then(|()| {
        files.iter().try_for_each(|(file, text)| fs::write(folder.join(file), text))
    });
    written.map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}
