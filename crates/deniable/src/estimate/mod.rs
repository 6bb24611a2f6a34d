//! From reports back to statistics.
//!
//! A local mechanism lies with a known probability, so that the number of lies can be expected, and taken off.

mod counts;
mod debias;
mod planes;

pub use counts::BitCounts;
pub use debias::{
    debias_randomized_response, debias_randomized_response_bitvec,
    debias_randomized_response_bitvec_counts, debias_randomized_response_bool,
};
