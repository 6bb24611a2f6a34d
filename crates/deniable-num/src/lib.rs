//! Numbers that know which way they round.
#![forbid(unsafe_code)]
