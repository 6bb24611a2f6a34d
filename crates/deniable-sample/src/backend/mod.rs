//! Everything unsafe, behind interfaces that are safe to call.
#![allow(unsafe_code)]

mod kernel;
#[cfg(feature = "std")]
#[cfg_attr(not(target_os = "linux"), path = "no_pages.rs")]
mod pages;
#[cfg(feature = "std")]
mod wiped_on_fork;
#[cfg(feature = "std")]
mod words;

pub use kernel::{Kernel, vectorized, without_vectors};
#[cfg(feature = "std")]
pub(crate) use wiped_on_fork::{State, WipedOnFork};
#[cfg(feature = "std")]
pub(crate) use words::{bytes_of, take};
