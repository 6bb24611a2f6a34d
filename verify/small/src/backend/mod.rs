//! Everything unsafe: what a platform has to bring, which is entropy and a way to start and to end, and memory, which is the same for all.
#![allow(unsafe_code)]

mod arena;
#[cfg(target_os = "linux")]
#[path = "linux.rs"]
pub(crate) mod platform;
#[cfg(target_arch = "arm")]
#[path = "microbit.rs"]
pub(crate) mod platform;
#[cfg(target_arch = "wasm32")]
#[path = "wasm.rs"]
pub(crate) mod platform;
