//! Everything unsafe.
#![allow(unsafe_code)]

pub mod control;
#[cfg(unix)]
pub mod fork;
#[cfg(unix)]
pub mod usage;
