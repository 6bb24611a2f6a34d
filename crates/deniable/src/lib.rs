//! Deniable answers, reliable statistics.
//!
//! Somebody asks a sensitive question. If each answer is randomized before anybody sees it, each person can deny
//! theirs, and the statistics over many people still come out. Or somebody holds sensitive data and publishes numbers
//! about it with noise. Both are *differential privacy*, and this crate does both so that the promise printed on it is true of the
//! code that runs.
//!
//! ```
//! use deniable::prelude::*;
//!
//! let drink = make_randomized_response(["tea", "coffee", "water"], 0.8)?;
//! let said = drink.invoke(&"tea")?; // "tea" four times in five
//! let loss = drink.map(1)?; // ε ≤ 2.0795
//! # assert!(["tea", "coffee", "water"].contains(&said) && loss.get() > 2.079 && loss.get() < 2.08);
//! # Ok::<(), deniable::Error>(())
//! ```
//!
//! # What ε means
//!
//! Take two inputs that are to be hard to tell apart: two answers of one person, say. The privacy loss ε bounds what an
//! output can reveal about which of them it was: no output is more than e^ε times likelier from one than from the other. So
//! whoever sees the output cannot raise their odds for any guess by more than that factor, whatever else they know.
//!
//! | ε | e^ε | a guess at even odds becomes at most |
//! |---|---|---|
//! | 0 | 1 | 50 %: the output says nothing |
//! | 0.1 | 1.1 | 52.5 % |
//! | 1 | 2.7 | 73 % |
//! | ln 3 ≈ 1.1 | 3 | 75 %: the truth with probability 3/4 |
//! | 5 | 148 | 99.3 % |
//! | ∞ | | certainty |
//!
//! Losses add up: two releases about the same answer, ε₁ and ε₂, lose ε₁ + ε₂ together ([`Epsilon`] adds, rounding up).
//!
//! # What a measurement is
//!
//! A mechanism here is a [`Measurement`]: a [`Domain`] of inputs it accepts, a [`Metric`] for the distance between them, a
//! [`Measure`] for the loss, a function ([`invoke`](Measurement::invoke)), and a [`map`](Measurement::map) from a distance between inputs to an upper bound of
//! the loss. For answers the distance is [`DiscreteDistance`]: 1 between any two. For numbers it says by how much one
//! person can change them: a count changes by 1, so `map(1)` is the loss of a person whose presence is to be hidden.
//!
//! | question | mechanism | noise is set by |
//! |---|---|---|
//! | yes or no, asked of each person | [`make_randomized_response_bool`] | `prob`, the probability of the truth |
//! | one of t answers, asked of each person | [`make_randomized_response`] | `prob`, the probability of the truth |
//! | one of very many answers, asked of each person | [`make_local_hashing`] | `prob`, the probability of the truth, and `buckets` |
//! | one of k answers, where k is larger than e^ε, asked of each person | [`make_subset_selection`] | `size` and `prob`, the probability that the truth is among those that are said |
//! | the same, with a bit for each answer | [`make_unary_encoding`] | `one` and `zero`, the probabilities that the bit of the truth, and another one, is one |
//! | several of k answers, or a Bloom filter, asked of each person | [`make_randomized_response_bitvec`] | `f`, twice the probability that a bit is flipped |
//! | a number, asked of each person, or one number about everybody | [`make_scalar_float_laplace_cks20`], [`make_scalar_integer_laplace_cks20`] | `scale` |
//! | many numbers about everybody | [`make_vector_float_laplace_cks20`], [`make_vector_integer_laplace_cks20`] | `scale` |
//!
//! Those asked of each person are [`LocalRandomizer`]s: nobody needs to be trusted with the answers, and the error of an
//! estimate over n people grows with √n. Noise on numbers about everybody is far smaller, but somebody must hold the data.
//!
//! # From a budget to a parameter, and to the error
//!
//! Each mechanism's module finds the parameter that just keeps a budget, and each mechanism says what error to expect:
//!
//! ```
//! use deniable::mechanism::randomized_response_bool::largest_prob;
//! use deniable::prelude::*;
//!
//! let prob = largest_prob(Epsilon::new(1.0)?);
//! let smokes = make_randomized_response_bool(prob, false)?;
//! assert!(smokes.check(1, Epsilon::new(1.0)?)?);
//! // Of 10 000 people, the number who smoke is estimated to within about 96, and twice that 19 times in 20.
//! assert_eq!(smokes.standard_error(10_000).round(), 96.0);
//!
//! let reports = smokes.invoke_batch(&[true; 10_000])?;
//! let estimate = debias_randomized_response_bool(&reports, prob)?;
//! # assert!((estimate - 10_000.0).abs() < 96.0 * 7.0); // fails once in 10^11
//! # Ok::<(), deniable::Error>(())
//! ```
//!
//! # What is refused
//!
//! A parameter outside its range, an input that is no member of the domain, a distance that is none: each gets an [`Error`] that
//! says what would be accepted, and never contains data. If the operating system gives no entropy, nothing is released.
//!
//! ```
//! use deniable::prelude::*;
//!
//! let domain = VectorDomain::finite::<f64>().with_size(2);
//! let noise = make_vector_float_laplace_cks20(domain, L1Distance::new(), 1.0, None)?;
//! assert_eq!(noise.invoke(&[1.0, f64::NAN]).unwrap_err().kind(), ErrorKind::NotAMember);
//! assert_eq!(noise.map(-1.0).unwrap_err().kind(), ErrorKind::InvalidDistance);
//! # Ok::<(), deniable::Error>(())
//! ```
//!
//! # Without `std`
//!
//! With `default-features = false` this crate is `no_std` with `alloc`, for devices that answer. Mechanisms, maps, budgets turned into
//! parameters, [`Spec`] and the client of RAPPOR (feature `rappor`) are there, with randomness that the device brings:
//! [`invoke_from`](Measurement::invoke_from) takes any [`Entropy`]. What the collector needs (estimates, plans, files) is not.
//!
//! # Below
//!
//! [`num`] has arithmetic that rounds in a known direction, [`sample`] the exact samplers, for mechanisms of your own.
//!
//! # Why believe it
//!
//! Each mechanism's module has its proof, and the checks that hold the code to it: its exact law by enumeration, the
//! exact worst ratio of probabilities over all classes of inputs against `map`. [`leaks`] retells how implementations of the same mechanisms
//! leaked, and what prevents it here.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), no_std)]
// What only the forms with `std` use is not worth an attribute of its own.
#![cfg_attr(not(feature = "std"), allow(dead_code, unused_imports))]

#[macro_use]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod bits;
mod bulk;
pub mod domain;
mod error;
#[cfg(feature = "std")]
pub mod estimate;
pub mod measure;
pub mod measurement;
pub mod mechanism;
pub mod metric;
#[cfg(feature = "std")]
pub mod plan;
pub mod prelude;
#[cfg(feature = "rappor")]
pub mod rappor;
pub mod spec;

/// What unit tests and integration tests share.
#[cfg(test)]
#[allow(unreachable_pub)]
#[path = "../tests/common/mod.rs"]
mod common;

#[doc = include_str!("guide/1-plan.md")]
#[doc = include_str!("guide/plan.svg")]
#[doc = include_str!("guide/2-collect.md")]
#[doc = include_str!("guide/estimate.svg")]
#[doc = include_str!("guide/3-believe.md")]
#[doc = include_str!("guide/coverage.svg")]
#[doc = include_str!("guide/4-decide.md")]
pub mod guide {
    #[cfg(feature = "rappor")]
    #[doc = include_str!("guide/rappor/1-start.md")]
    #[doc = include_str!("guide/rappor/people.svg")]
    #[doc = include_str!("guide/rappor/2-f.md")]
    #[doc = include_str!("guide/rappor/losses.svg")]
    #[doc = include_str!("guide/rappor/3-pq.md")]
    #[doc = include_str!("guide/rappor/noise.svg")]
    #[doc = include_str!("guide/rappor/4-h.md")]
    #[doc = include_str!("guide/rappor/hashes.svg")]
    #[doc = include_str!("guide/rappor/5-k.md")]
    #[doc = include_str!("guide/rappor/bits.svg")]
    #[doc = include_str!("guide/rappor/6-m.md")]
    #[doc = include_str!("guide/rappor/cohorts.svg")]
    #[doc = include_str!("guide/rappor/7-read.md")]
    pub mod rappor {}
}

#[doc = include_str!("leaks.md")]
pub mod leaks {}

pub use bits::BitVector;
pub use deniable_num::{self as num, Float};
#[cfg(feature = "std")]
pub use deniable_sample::OsEntropy;
pub use deniable_sample::{self as sample, Entropy, Source};
pub use domain::{AtomDomain, BitVectorDomain, CategoryDomain, Domain, VectorDomain};
pub use error::{Error, ErrorKind, Result};
#[cfg(feature = "std")]
pub use estimate::{
    debias_randomized_response, debias_randomized_response_bitvec, debias_randomized_response_bool,
};
pub use measure::{Epsilon, MaxDivergence, Measure};
pub use measurement::{LocalRandomizer, Measurement};
pub use mechanism::local_hashing::{HashedReport, LocalHashing, make_local_hashing};
pub use mechanism::randomized_response::{RandomizedResponse, make_randomized_response};
pub use mechanism::randomized_response_bitvec::{
    RandomizedResponseBitvec, make_randomized_response_bitvec,
};
pub use mechanism::randomized_response_bool::{
    RandomizedResponseBool, make_randomized_response_bool,
};
pub use mechanism::subset_selection::{SubsetSelection, make_subset_selection};
pub use mechanism::unary_encoding::{UnaryEncoding, make_unary_encoding};
pub use mechanism::vector_float_laplace_cks20::{
    ScalarFloatLaplaceCks20, VectorFloatLaplaceCks20, get_discretization_consts, laplace_map,
    make_scalar_float_laplace_cks20, make_vector_float_laplace_cks20,
};
pub use mechanism::vector_integer_laplace_cks20::{
    ScalarIntegerLaplaceCks20, VectorIntegerLaplaceCks20, make_scalar_integer_laplace_cks20,
    make_vector_integer_laplace_cks20,
};
pub use metric::{AbsoluteDistance, DiscreteDistance, L1Distance, Metric};
pub use spec::Spec;
