//! Everything unsafe, behind interfaces that are safe to call.
#![allow(unsafe_code)]

mod kernel;
mod pages;
mod wiped_on_fork;
mod words;

pub use kernel::{Kernel, vectorized};
pub(crate) use wiped_on_fork::{State, WipedOnFork};
pub(crate) use words::{bytes_of, take};
