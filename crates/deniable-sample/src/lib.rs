//! Entropy in, exact random variates out.
#![deny(unsafe_code)]

mod backend;
pub mod bernoulli_exp;
pub mod bernoulli_float;
pub mod bernoulli_rational;
pub mod entropy;
mod error;
mod expansion;
pub mod geometric;
pub mod laplace;
pub mod laplace_z2k;
mod magnitude;
mod ratio;
pub mod textbook;
pub mod uniform;
mod word;

pub use bernoulli_exp::sample_bernoulli_exp;
pub use bernoulli_float::{Dyadic, sample_bernoulli_float};
pub use bernoulli_rational::sample_bernoulli_rational;
pub use entropy::{Entropy, OsEntropy};
pub use error::{Error, ErrorKind, Result};
pub use geometric::sample_geometric;
pub use laplace::{DiscreteLaplace, sample_discrete_laplace};
pub use laplace_z2k::{DiscreteLaplaceZ2k, sample_discrete_laplace_Z2k};
pub use ratio::Ratio;
pub use uniform::{UniformInt, sample_uniform_int_below};
pub use word::{Low, Source, Word};
