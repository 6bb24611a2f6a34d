//! Everything unsafe.
#![allow(unsafe_code)]

pub mod control;
#[cfg(unix)]
pub mod fork;
pub mod valgrind;
