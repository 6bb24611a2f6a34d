//! The library's exact binomial bounds and tails, for counts that are right.
//!
//! What judges mechanisms rests on them, so that they are held to certified tails in `tests/binomial.rs`.

use deniable::estimate::binomial;
pub use deniable::estimate::binomial::{MOST_TRIALS, SMALLEST_ALPHA};

const RIGHT: &str = "a count of no more trials than can be judged";

/// [`binomial::lower`].
///
/// # Panics
///
/// Where that is an error.
pub fn lower(successes: u64, trials: u64, alpha: f64) -> f64 {
    binomial::lower(successes, trials, alpha).expect(RIGHT)
}

/// [`binomial::upper`].
///
/// # Panics
///
/// Where that is an error.
pub fn upper(successes: u64, trials: u64, alpha: f64) -> f64 {
    binomial::upper(successes, trials, alpha).expect(RIGHT)
}

/// [`binomial::at_least`].
///
/// # Panics
///
/// Where that is an error.
pub fn at_least(k: u64, trials: u64, p: f64) -> f64 {
    binomial::at_least(k, trials, p).expect(RIGHT)
}

/// [`binomial::at_most`].
///
/// # Panics
///
/// Where that is an error.
pub fn at_most(k: u64, trials: u64, p: f64) -> f64 {
    binomial::at_most(k, trials, p).expect(RIGHT)
}
