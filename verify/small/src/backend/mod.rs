//! Everything unsafe.
#![allow(unsafe_code)]

pub(crate) mod platform;
