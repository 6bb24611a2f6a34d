//! Numbers that know which way they round.
//!
//! A privacy bound that is a rounding error too small is a lie. This crate computes bounds that can only err
//! to one side:
//!
//! - [`Directed`]: `inf_add`, `neg_inf_sub`, `inf_ln` and their kin on `f32` and `f64`, each rounding the way its name
//!   says. Basic operations return the neighbouring float on that side, and so do logarithm and exponential.
//! - [`InfCast`]: conversions between integers and floats that round in a known direction.
//! - [`Upper`] and [`Lower`]: bounds whose direction is in the type. Mixing them up does not compile. They start from
//!   floats, from exact ratios of integers ([`Upper::ratio`]) and from the logarithms of such ([`Upper::ln_ratio`]).
//! - [`Narrow`]: numbers known to a few units, added and rounded in one word where that is enough.
//! - [`certified`]: enclosures of logarithm and exponential, for samplers that decide by comparison.
//!
//! Everything is computed on integers: no global state, no rounding mode, no allocation outside the rarely taken slow path. For speed, [`certified::NegLn`]
//! and [`Narrow`] count zeros by a floating-point exponent, which is exact, and one small term of the former is a floating-point number: its bound holds
//! in every rounding mode. One `inf_ln` takes less than a fifth of a microsecond.
//!
//! [`proof`] says why the bounds hold, and what checks it.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), no_std)]

mod bound;
mod cast;
pub mod certified;
mod directed;
mod elementary;
mod enclosure;
mod error;
mod float;
mod narrow;
mod power;
mod ratio;
mod round;
mod wide;

#[doc = include_str!("proof.md")]
pub mod proof {}

pub use bound::{Lower, Upper};
pub use cast::InfCast;
pub use directed::Directed;
pub use error::{Error, ErrorKind, Result};
pub use float::{Decoded, Float};
pub use narrow::Narrow;
pub use round::{Direction, Real};
