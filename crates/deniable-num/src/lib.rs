//! Numbers that know which way they round.
#![forbid(unsafe_code)]

mod bound;
mod cast;
pub mod certified;
mod directed;
mod elementary;
mod enclosure;
mod error;
mod float;
mod power;
mod round;
mod wide;

pub use bound::{Lower, Upper};
pub use cast::InfCast;
pub use directed::Directed;
pub use error::{Error, ErrorKind, Result};
pub use float::{Decoded, Float};
pub use round::{Direction, Real};
