//! What can be said about the loss of a mechanism by looking at it, without trusting what it says of itself.
//!
//! | what | rests on |
//! |---|---|
//! | [`enumerated`] | the program: its exact law over all 64-bit words, and the worst ratio of probabilities over all pairs of inputs |
//! | [`stated`] | the stated law: the worst ratio as a rational number, without the arithmetic that computes maps |
//! | [`black_box`] | outcomes alone: a lower bound of ε, from counts. [`subject`] runs the shipping mechanisms, [`files`] reads the outcomes of any program |
//!
//! [`exact`] judges a claim where the worst ratio is known. That the stated laws are those of the programs is what
//! `deniable-verify` shows, by enumeration, and is no part of this crate.
#![forbid(unsafe_code)]

pub mod binomial;
pub mod black_box;
pub mod closed_form;
pub mod enumerated;
pub mod exact;
pub mod files;
pub mod interval;
pub mod law;
pub mod stated;
pub mod subject;
