//! Parameters from the command line that several commands have.

use deniable::Epsilon;

use crate::error::{Error, Result};

/// A finite number above 0.
pub(crate) fn positive(name: &str, x: f64) -> Result<f64> {
    if x > 0.0 && x.is_finite() {
        return Ok(x);
    }
    Err(Error::refused(format!(
        "--{name}: it is not in its range; accepted is a finite number above 0"
    )))
}

/// A loss above 0 that is finite.
pub(crate) fn epsilon(name: &str, x: f64) -> Result<Epsilon> {
    Ok(Epsilon::new(positive(name, x)?)?)
}

/// Names that differ.
pub(crate) fn distinct<'a>(
    option: &str,
    names: impl IntoIterator<Item = &'a String>,
) -> Result<()> {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(Error::refused(format!(
                "--{option}: \"{name}\" is there twice; accepted are names that differ"
            )));
        }
    }
    Ok(())
}
