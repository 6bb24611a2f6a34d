//! The command `deniable`, built as it ships.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds it, and says where it is: beside this program, or where a release of it would be.
///
/// # Errors
///
/// It cannot be built.
pub fn build(root: &Path) -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--release", "--quiet", "-p", "deniable-cli"])
        .current_dir(root)
        .status()
        .map_err(|error| format!("cargo: {error}"))?;
    if !status.success() {
        return Err("the command cannot be built".into());
    }
    let this = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
    let target = this.parent().and_then(Path::parent).ok_or("this program has no folder")?;
    let built = target.join("release").join("deniable");
    if built.exists() { Ok(built) } else { Err("the command is not where it was built".into()) }
}
