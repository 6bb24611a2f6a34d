//! The mechanisms, one folder a constructor, each with its proof.
//!
//! | question | constructor |
//! |---|---|
//! | yes or no, asked of each person | [`make_randomized_response_bool`](randomized_response_bool) |
//! | one of t answers, asked of each person | [`make_randomized_response`](randomized_response) |
//! | one of very many answers, asked of each person | [`make_local_hashing`](local_hashing) |
//! | one of k answers, where k is larger than e^ε, asked of each person | [`make_subset_selection`](subset_selection), [`make_unary_encoding`](unary_encoding) |
//! | several of k answers, or a Bloom filter, asked of each person | [`make_randomized_response_bitvec`](randomized_response_bitvec) |
//! | numbers computed from everybody's data | [`make_vector_float_laplace_cks20`](vector_float_laplace_cks20), [`make_vector_integer_laplace_cks20`](vector_integer_laplace_cks20) |

pub(crate) mod bound;
mod categories;
pub(crate) mod lanes;
mod one_answer;
mod rows;
mod search;

pub mod local_hashing;
pub mod randomized_response;
pub mod randomized_response_bitvec;
pub mod randomized_response_bool;
pub mod subset_selection;
pub mod unary_encoding;
pub mod vector_float_laplace_cks20;
pub mod vector_integer_laplace_cks20;
