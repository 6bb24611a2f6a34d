//! Machinery that checks the proofs' claims on the shipping code.
#![deny(unsafe_code)]
