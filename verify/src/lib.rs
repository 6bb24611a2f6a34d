//! Machinery that checks the proofs' claims on the shipping code.
#![deny(unsafe_code)]

pub use deniable_audit::{closed_form, interval, law};

pub mod audit;
pub mod backend;
pub mod bisect;
pub mod constant_time;
pub mod deps;
pub mod draws;
pub mod enumerate;
pub mod instructions;
pub mod inversion;
pub mod mini;
pub mod rappor;
pub mod seal;
pub mod speed;
pub mod words;
