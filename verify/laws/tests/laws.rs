//! The laws of the samplers, in one program.
#![forbid(unsafe_code)]

#[path = "../../tests/bernoulli.rs"]
mod bernoulli;
#[path = "../../tests/either_below.rs"]
mod either_below;
#[path = "../../tests/faults.rs"]
mod faults;
#[path = "../../tests/laplace.rs"]
mod laplace;
#[path = "../../tests/laplace_all/main.rs"]
mod laplace_all;
#[path = "../../tests/laplace_digits.rs"]
mod laplace_digits;
#[path = "../../tests/laplace_saturating.rs"]
mod laplace_saturating;
#[path = "../../tests/laplace_z2k.rs"]
mod laplace_z2k;
#[path = "../../tests/laplace_z2k_inversion.rs"]
mod laplace_z2k_inversion;
#[path = "../../tests/many_below.rs"]
mod many_below;
#[path = "../../tests/textbook.rs"]
mod textbook;
#[path = "../../tests/uniform.rs"]
mod uniform;
#[path = "../../tests/words.rs"]
mod words;
