//! Everything unsafe, behind interfaces that are safe to call.
#![allow(unsafe_code)]

mod pages;
mod wiped_on_fork;
mod words;

pub(crate) use wiped_on_fork::{State, WipedOnFork};
pub(crate) use words::{bytes_of, take};
