//! Compares `deniable-num` with MPFR.
//!
//! The order of the modules is the order of the argument: numbers and functions, what is right
//! ([`oracle`]), what counts as wrong ([`judge`]), which arguments are worth asking about
//! ([`strata`]), and the programs that put them together.
#![forbid(unsafe_code)]

pub mod cases;
pub mod casts;
pub mod certified;
pub mod enclosure;
pub mod function;
pub mod hard;
pub mod interval;
pub mod judge;
pub mod number;
pub mod oracle;
pub mod rng;
pub mod strata;
pub mod sweep;
pub mod tally;
pub mod vectors;
