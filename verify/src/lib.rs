//! Machinery that checks the proofs' claims on the shipping code.
#![deny(unsafe_code)]

pub mod audit;
pub mod backend;
pub mod bisect;
pub mod closed_form;
pub mod constant_time;
pub mod deps;
pub mod draws;
pub mod enumerate;
pub mod instructions;
pub mod interval;
pub mod inversion;
pub mod law;
pub mod mini;
pub mod rappor;
pub mod seal;
pub mod speed;
pub mod words;
