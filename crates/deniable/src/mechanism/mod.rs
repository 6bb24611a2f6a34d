//! The mechanisms, one folder a constructor, each with its proof.
//!
//! | question | constructor |
//! |---|---|
//! | yes or no, asked of each person | [`make_randomized_response_bool`](randomized_response_bool) |
//! | one of t answers, asked of each person | [`make_randomized_response`](randomized_response) |
//! | several of k answers, or a Bloom filter, asked of each person | [`make_randomized_response_bitvec`](randomized_response_bitvec) |
//! | numbers computed from everybody's data | [`make_vector_float_laplace_cks20`](vector_float_laplace_cks20), [`make_vector_integer_laplace_cks20`](vector_integer_laplace_cks20) |

pub(crate) mod bound;
mod lanes;
mod search;

pub mod randomized_response;
pub mod randomized_response_bitvec;
pub mod randomized_response_bool;
pub mod vector_float_laplace_cks20;
pub mod vector_integer_laplace_cks20;
