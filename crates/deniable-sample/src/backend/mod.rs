//! Everything unsafe.
