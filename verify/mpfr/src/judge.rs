//! What counts as wrong.

use crate::{
    function::{Answer, Function},
    number::Number,
};

/// A way to be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A number where an error was due.
    MissingError,
    /// An error where a number was due.
    NeedlessError,
    /// NaN.
    NotANumber,
    /// −0.0.
    NegativeZero,
    /// Below the true value although rounded up, or the other way round.
    UnsafeSide,
    /// On the safe side, but further away than promised: so many steps.
    TooFar(u64),
}

/// How far from the correctly rounded value, in steps, `function` may be on the safe side.
///
/// `powi` promises one step, and none where the power is a number of the format. The others have to
/// be the correctly rounded value.
pub fn allowance<F: Number>(function: Function, expected: &Answer<F>) -> u64 {
    u64::from(function == Function::Powi && expected.down != expected.up)
}

/// Compares both directions; the steps between what was right and what came, or the fault.
pub fn judge<F: Number>(
    function: Function,
    expected: &Answer<F>,
    got: &Answer<F>,
) -> [Result<u64, Fault>; 2] {
    let allowed = allowance(function, expected);
    [judge_one(expected.down, got.down, allowed, -1), judge_one(expected.up, got.up, allowed, 1)]
}

/// Compares one direction; `safe` is the sign of the direction of rounding.
fn judge_one<F: Number>(
    expected: Option<F>,
    got: Option<F>,
    allowed: u64,
    safe: i64,
) -> Result<u64, Fault> {
    let (expected, got) = match (expected, got) {
        (None, None) => return Ok(0),
        (None, Some(_)) => return Err(Fault::MissingError),
        (Some(_), None) => return Err(Fault::NeedlessError),
        (Some(expected), Some(got)) => (expected, got),
    };
    if got.is_nan() {
        return Err(Fault::NotANumber);
    }
    if got == F::ZERO && got.bits() != 0 {
        return Err(Fault::NegativeZero);
    }
    let slack = (got.position() - expected.position()) * safe;
    match u64::try_from(slack) {
        Err(_) => Err(Fault::UnsafeSide),
        Ok(slack) if slack > allowed => Err(Fault::TooFar(slack)),
        Ok(slack) => Ok(slack),
    }
}

/// Whether the bounds at `x` and at a larger argument are in order, for an increasing function.
pub fn is_monotone<F: Number>(at_x: &Answer<F>, above: &Answer<F>) -> bool {
    let ordered = |low: Option<F>, high: Option<F>| match (low, high) {
        (Some(low), Some(high)) => low <= high,
        // Domains of increasing functions begin somewhere; they do not end.
        (None, _) => true,
        (Some(_), None) => false,
    };
    ordered(at_x.down, above.down) && ordered(at_x.up, above.up)
}
