//! A scheduler and executors as processes, on loopback: the results of one process, whatever the number of machines, and whichever of them is lost.
#![cfg(unix)]
#![forbid(unsafe_code)]

mod data;
mod equal;
mod killed;
mod lost;
mod private;
mod programs;
mod randomized;
mod refused;
