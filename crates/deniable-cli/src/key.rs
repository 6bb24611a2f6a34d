//! Key files: 64 hexadecimal digits that their owner alone can read.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use deniable::rappor::Secret;

use crate::error::{Error, Result};
use crate::files::Atomic;
use crate::output::complain;

/// The key of a file; a new one, if there is no file.
///
/// # Errors
///
/// As [`read`] and [`make`].
pub(crate) fn read_or_make(path: &Path) -> Result<Secret> {
    read(path)?.map_or_else(|| make(path), Ok)
}

/// The key of a file, if there is one.
///
/// # Errors
///
/// A file that cannot be read, that others than its owner can read, or that is no key file.
pub(crate) fn read(path: &Path) -> Result<Option<Secret>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io(path, &error)),
    };
    check_private(path, &file)?;
    let mut text = Vec::new();
    // No more than a key and its end of line, however long the file is.
    file.take(70).read_to_end(&mut text).map_err(|error| Error::io(path, &error))?;
    parse(text.trim_ascii_end()).map(Some).ok_or_else(|| {
        Error::refused(format!(
            "{}: this is no key file; accepted are 64 hexadecimal digits, or a name without a file, for a new key",
            path.display(),
        ))
    })
}

/// A new key in a file that its owner alone can read, durable before anything is made with it.
///
/// # Errors
///
/// A file that cannot be written; no entropy.
pub(crate) fn make(path: &Path) -> Result<Secret> {
    let key = Secret::random()?;
    let mut file = Atomic::create(path)?;
    writeln!(file, "{}", hex(key.as_bytes())).map_err(|error| Error::io(path, &error))?;
    file.finish()?;
    complain(&format!("{}: a new key; keep it, and where nobody can read it", path.display()));
    Ok(key)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn parse(digits: &[u8]) -> Option<Secret> {
    let digits: &[u8; 64] = digits.try_into().ok()?;
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        // Not from_str_radix alone, which takes a sign.
        let digit = |at: usize| char::from(pair[at]).to_digit(16);
        *byte = (digit(0)? * 16 + digit(1)?) as u8;
    }
    Some(Secret::new(bytes))
}

#[cfg(unix)]
fn check_private(path: &Path, file: &File) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = file.metadata().map_err(|error| Error::io(path, &error))?;
    if metadata.permissions().mode() & 0o077 == 0 {
        return Ok(());
    }
    Err(Error::refused(format!(
        "{}: others than its owner can read or write this key; accepted is a file with mode 600",
        path.display(),
    )))
}

#[cfg(not(unix))]
fn check_private(_: &Path, _: &File) -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_64_digits_and_nothing_else() {
        let digits = "00ff".repeat(16);
        assert_eq!(hex(parse(digits.as_bytes()).unwrap().as_bytes()), digits);
        for wrong in ["", "00ff", &"+0ff".repeat(16), &"0x0f".repeat(16), &"é".repeat(32)] {
            assert!(parse(wrong.as_bytes()).is_none());
        }
    }
}
