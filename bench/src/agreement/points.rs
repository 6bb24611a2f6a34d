//! Parameters, extremes among them, and what both libraries say that they lose.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::truth::Truth;

mod bits;
mod categories;
mod floats;
mod integers;
mod yes_no;

/// One set of parameters and a distance.
pub(super) struct Point {
    pub(super) name: String,
    /// None where parameters or distance are none of the specification's.
    pub(super) truth: Option<Truth>,
    /// The map, or None if it is refused, at construction or by the map.
    pub(super) ours: Option<f64>,
    pub(super) theirs: Option<f64>,
}

/// What they do otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Their map is below the true loss.
    TooLow,
    /// Their map is above the true loss by more than rounding.
    Loose,
    /// They refuse what is accepted.
    Refuses,
    /// They accept what is refused.
    Accepts,
}

/// Points that have the same reasons.
pub(super) struct Group {
    pub(super) name: &'static str,
    pub(super) points: Vec<Point>,
    /// Why each kind of disagreement is to be expected here. Other kinds are not.
    pub(super) reasons: &'static [(Kind, &'static str)],
}

pub(super) fn all() -> Vec<Group> {
    [yes_no::groups(), categories::groups(), bits::groups(), floats::groups(), integers::groups()]
        .into_iter()
        .flatten()
        .collect()
}

/// What the other library says; a panic is a refusal.
fn theirs<T>(map: impl FnOnce() -> opendp::error::Fallible<T>) -> Option<T> {
    catch_unwind(AssertUnwindSafe(map)).ok().and_then(Result::ok)
}

/// What ours says.
fn ours(map: impl FnOnce() -> deniable::Result<deniable::Epsilon>) -> Option<f64> {
    map().ok().map(deniable::Epsilon::get)
}

/// Numbers of [0, 1) that are the same in every run.
fn spread(count: usize) -> impl Iterator<Item = f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    (0..count).map(move |_| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    })
}
