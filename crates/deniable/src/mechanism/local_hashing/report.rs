//! What a respondent sends.

use alloc::boxed::Box;

use serde::{Deserialize, Serialize};

/// A hash function that the respondent drew, and a bucket: a report of [`make_local_hashing`](super::make_local_hashing).
///
/// It can be written and read. What is read may be anything: whether it is a report of a mechanism is checked when that mechanism counts it.
///
/// ```
/// use deniable::mechanism::local_hashing::HashedReport;
/// use deniable::prelude::*;
///
/// let drink = make_local_hashing(["tea", "coffee", "water", "wine"], 3, 0.6)?;
/// let report: HashedReport = drink.invoke(&"tea")?;
/// // A shift and two steps, as four places have two binary digits.
/// assert!(report.seed().len() == 3 && report.bucket() < 3);
/// let json = serde_json::to_string(&HashedReport::new([2, 0, 1], 2))?;
/// assert_eq!(json, r#"{"seed":[2,0,1],"bucket":2}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HashedReport {
    seed: Box<[u16]>,
    bucket: u16,
}

impl HashedReport {
    /// A report of these parts, as they were received.
    pub fn new(seed: impl Into<Box<[u16]>>, bucket: u16) -> Self {
        HashedReport { seed: seed.into(), bucket }
    }

    /// The hash function: its shift, and a step for each binary digit of a place, the lowest first. See the [module](super) for what it computes.
    pub fn seed(&self) -> &[u16] {
        &self.seed
    }

    /// The bucket: that of the answer, or a lie.
    pub fn bucket(&self) -> u16 {
        self.bucket
    }

    /// A row, which has one number or more, as a report.
    pub(super) fn from_row(row: &[u16]) -> Self {
        let (seed, bucket) = row.split_at(row.len() - 1);
        HashedReport { seed: seed.into(), bucket: bucket[0] }
    }
}
