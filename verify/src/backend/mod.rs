//! Everything unsafe.
#![allow(unsafe_code)]

#[cfg(unix)]
pub mod fork;
pub mod valgrind;
