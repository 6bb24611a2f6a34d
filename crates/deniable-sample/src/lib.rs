//! Entropy in, exact random variates out.
#![deny(unsafe_code)]

mod backend;
pub mod entropy;
mod error;
mod word;

pub use entropy::{Entropy, OsEntropy};
pub use error::{Error, ErrorKind, Result};
pub use word::{Low, Source, Word};
