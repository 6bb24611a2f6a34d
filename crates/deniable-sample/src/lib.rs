//! Entropy in, exact random variates out.
//!
//! *Exact* means that the probability of each outcome is the stated one, not close to it: a sampler that is
//! nearly right can leak what it was meant to hide. Each law is a module with its proof in its documentation,
//! and `verify/` runs the code of this crate over every script of small words to check what the proof claims.
//!
//! | law | function | many draws from one law |
//! |---|---|---|
//! | true with the probability of a float | [`sample_bernoulli_float`] | [`Dyadic`], [`Dyadic::sample_flips`] |
//! | true with a rational probability | [`sample_bernoulli_rational`] | |
//! | true with probability e^−x | [`sample_bernoulli_exp`] | |
//! | uniform below n | [`sample_uniform_int_below`] | [`ManyBelow`]; [`EitherBelow`]: below t or t − 1 |
//! | geometric | [`sample_geometric`] | |
//! | discrete Laplace on the integers | [`sample_discrete_laplace`] | [`DiscreteLaplace`] |
//! | the same on `i32` or `i64`, saturated | | [`DiscreteLaplace::sample_saturating`] |
//! | the same, in constant time | | [`ConstantTimeLaplace`] |
//! | discrete Laplace on a grid of floats | [`sample_discrete_laplace_Z2k`] | [`DiscreteLaplaceZ2k`] |
//!
//! All of them draw from a [`Source`], and every [`Entropy`] is one; [`OsEntropy`] is the one to use. A source can
//! fail, and the failure reaches the caller as an [`Error`]: nothing weaker is drawn instead.
//!
//! # Without `std`
//!
//! With `default-features = false` this crate is `no_std` with `alloc`. All samplers are there; [`OsEntropy`] is not, and the caller brings
//! an [`Entropy`] of the platform. Instructions are then chosen when it is compiled, not when it runs.
//!
//! # How exactness is cheap
//!
//! Every law here is a function of one uniform real number, whose binary digits are drawn as they are needed.
//! Certified bounds say what is known of the result so far; as soon as they decide it, it is returned. Nearly
//! always the first word decides. Since the result is a function of the uniform number, its law does not depend
//! on when the bounds decide, only on their being right.
//!
//! # Word widths
//!
//! A sampler touches a random word only through [`Word`]. The code that ships with 64-bit words is the code that is
//! enumerated with words of 4 and 8 bits, and with words that stand for intervals.
#![deny(unsafe_code)]
#![cfg_attr(not(test), no_std)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod backend;
pub mod bernoulli_exp;
pub mod bernoulli_float;
pub mod bernoulli_rational;
pub mod entropy;
mod error;
mod expansion;
pub mod geometric;
pub mod laplace;
pub mod laplace_digits;
pub mod laplace_z2k;
mod magnitude;
mod ratio;
pub mod textbook;
pub mod uniform;
mod word;

#[doc(hidden)]
pub use backend::{Kernel, vectorized, without_vectors};
pub use bernoulli_exp::sample_bernoulli_exp;
pub use bernoulli_float::{Dyadic, FLIPS, Scratch, sample_bernoulli_float};
pub use bernoulli_rational::sample_bernoulli_rational;
pub use entropy::Entropy;
#[cfg(feature = "std")]
pub use entropy::OsEntropy;
pub use error::{Error, ErrorKind, Result};
pub use geometric::sample_geometric;
pub use laplace::{DiscreteLaplace, SaturatingInt, sample_discrete_laplace};
pub use laplace_digits::ConstantTimeLaplace;
pub use laplace_z2k::{DiscreteLaplaceZ2k, sample_discrete_laplace_Z2k};
pub use ratio::Ratio;
pub use uniform::{EitherBelow, ManyBelow, UniformInt, sample_uniform_int_below};
pub use word::{Low, Source, Word};
