//! RAPPOR: texts that nobody listed before, asked again and again, without a bound on how often.
//!
//! Each client hashes its value into a small Bloom filter, adds *permanent* noise that it remembers, and reports that answer with fresh, *instantaneous* noise on
//! top. The server counts ones for each bit of each cohort of clients, and asks which candidate values explain the counts. Follows Erlingsson, Pihur and Korolova, "RAPPOR:
//! Randomized Aggregatable Privacy-Preserving Ordinal Response" (2014).
//!
//! | step | where | what |
//! |---|---|---|
//! | parameters, and what they lose | both | [`Params`] |
//! | what error to expect, and which shares are seen | beforehand | [`Params::standard_error`], [`Params::detectable`]; the [guide](crate::guide::rappor) |
//! | Bloom filter of a value, in a cohort | both | [`Params::filter_of`] |
//! | permanent answer, and reports of it | client | [`Client`]; [`Params::permanent`], [`Params::instantaneous`] |
//! | counts of each cohort | server | [`CohortCounts`] |
//! | bits of candidates | server | [`CandidateMap`] |
//! | shares of candidates, with intervals | server | `decode` (feature `rappor-decode`) |
//! | files of the reference implementation | server | [`files`] |
//! | its Python client | client | [`reference`](mod@reference) |
//!
//! ```
//! use deniable::rappor::{CandidateMap, Client, CohortCounts, Params, Secret};
//!
//! let params = Params::new(32, 2, 16, 0.25, 0.75, 0.5)?;
//! let mut counts = CohortCounts::new(&params);
//! for value in ["tea", "tea", "coffee"] {
//!     let client = Client::new(params, Secret::random()?);
//!     counts.add(&client.report("drink", value)?)?;
//! }
//! let candidates = CandidateMap::new(&params, ["tea", "coffee", "water"])?;
//! assert_eq!((counts.reports(), candidates.len()), (3, 3));
//! # Ok::<(), deniable::Error>(())
//! ```
//!
//! # What is protected
//!
//! | somebody sees | and is to tell | loss |
//! |---|---|---|
//! | one report of a client | any value from any other | [`Params::epsilon_of_report`] |
//! | all reports of a client, however many | a value from another one, in its place wherever it occurs | [`Params::epsilon_of_all_reports`], for each such value and metric |
//! | all reports of a client | *when* its answer changes | not protected |
//! | the reports and the client's secret | the value | not protected |
//!
//! The second line is the promise of the permanent noise: reports of one value never average out. It is not a promise about a history of answers. A client whose answer
//! changes reports another permanent answer from then on, so that the change itself can be seen in many reports, and two histories that change at different times can
//! be told apart with certainty. An answer that changes often, such as a place or a time of day, is no question for this mechanism; ask it with a fresh
//! mechanism and add the losses up.
#![doc = include_str!("proof.md")]

mod client;
#[cfg(feature = "std")]
mod counts;
#[cfg(feature = "rappor-decode")]
pub mod decode;
#[cfg(feature = "std")]
pub mod files;
mod filter;
mod keyed;
#[cfg(feature = "std")]
mod map;
mod params;
#[cfg(feature = "std")]
mod plan;
#[cfg(feature = "std")]
pub mod reference;
mod response;

pub use client::{Client, Report, Secret};
#[cfg(feature = "std")]
pub use counts::CohortCounts;
#[cfg(feature = "std")]
pub use map::CandidateMap;
pub use params::Params;

#[cfg(test)]
mod tests;
