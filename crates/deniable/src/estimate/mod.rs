//! From reports back to statistics.
//!
//! A local mechanism lies with a known probability, so that the number of lies can be expected, and taken off.

pub mod binomial;
mod channel;
mod counts;
mod debias;
mod interval;
mod joint;
mod mean;
mod oracle;
mod planes;
pub(crate) mod tails;
mod two_binomials;

pub use channel::Channel;
pub use counts::BitCounts;
pub use debias::{
    debias_randomized_response, debias_randomized_response_bitvec,
    debias_randomized_response_bitvec_counts, debias_randomized_response_bool,
};
#[cfg(feature = "rappor")]
pub(crate) use interval::check_power;
pub(crate) use interval::check_share;
pub use interval::{Estimate, Interval, Target};
pub use joint::{Detection, Difference, Estimates, difference};
pub use mean::Mean;
pub use oracle::FrequencyOracle;
pub(crate) use oracle::check_counts;
