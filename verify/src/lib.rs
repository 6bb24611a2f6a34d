//! Machinery that checks the proofs' claims on the shipping code.
#![deny(unsafe_code)]

pub use deniable_audit::{closed_form, interval, law};

pub mod audit;
pub mod backend;
pub mod bisect;
pub mod claims;
pub mod constant_time;
pub mod coverage;
pub mod deps;
pub mod digits;
pub mod draws;
pub mod enumerate;
pub mod flips;
pub mod instructions;
pub mod inversion;
#[cfg(unix)]
pub mod load;
pub mod mini;
mod mini_atom;
pub mod mutants;
pub mod program;
#[cfg(unix)]
pub mod rappor;
pub mod seal;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub mod soak;
pub mod speed;
pub mod supply;
pub mod words;
