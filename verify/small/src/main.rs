//! A respondent's device: mechanisms without `std`, with an allocator, entropy and a panic handler of its own. It is a program of Linux without the
//! C library, of a chip without an operating system, or a module of WebAssembly.
//!
//! That it links is a check. Whatever brings in `std` brings in a second panic handler, which the compiler refuses. It then runs, and
//! ends with 0 if every answer was as it must be.
#![deny(unsafe_code)]
#![no_std]
#![no_main]

mod backend;

use deniable::domain::BitVectorDomain;
use deniable::rappor::{Client, Params, Secret};
use deniable::{
    BitVector, DiscreteDistance, Entropy, Epsilon, LocalRandomizer, Measurement, Result,
    make_randomized_response, make_randomized_response_bitvec, make_randomized_response_bool,
    sample,
};

use backend::platform::Platform;

/// The chance that 64 fair answers are all the same is 2^−63.
const RUNS: usize = 64;

/// 0 if every answer was as it must be, 1 if one was not, 2 if the device was refused one.
fn status() -> i32 {
    match run() {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(_) => 2,
    }
}

fn run() -> Result<bool> {
    let device = &mut Device;
    Ok(booleans(device)?
        && categories(device)?
        && bits(device)?
        && cohorts(device)?
        && refuses_without_entropy()?)
}

fn booleans(device: &mut dyn Entropy) -> Result<bool> {
    let smokes = make_randomized_response_bool(0.5, false)?;
    let said = smokes.invoke_batch_from(&[true; RUNS], device)?;
    Ok(said.contains(&true) && said.contains(&false) && smokes.map(1)? == Epsilon::ZERO)
}

fn categories(device: &mut dyn Entropy) -> Result<bool> {
    let drink = make_randomized_response(["tea", "coffee", "water"], 0.8)?;
    let said = drink.invoke_from(&"tea", device)?;
    let others = drink.invoke_batch_from(&["cocoa"; RUNS], device)?;
    let known = |said: &&str| drink.index_of(said).is_some();
    Ok(known(&said) && others.iter().all(known) && drink.map(1)?.get() < 2.08)
}

fn bits(device: &mut dyn Entropy) -> Result<bool> {
    let domain = BitVectorDomain::new(RUNS).with_max_weight(1);
    let flips = make_randomized_response_bitvec(domain, DiscreteDistance, 1.0, true)?;
    let report = flips.invoke_from(&BitVector::zeros(RUNS), device)?;
    Ok((1..RUNS).contains(&report.count_ones()))
}

fn cohorts(device: &mut Device) -> Result<bool> {
    let mut words = [0; 4];
    device.fill(&mut words)?;
    let mut secret = [0; 32];
    for (bytes, word) in secret.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    let params = Params::new(128, 2, 64, 0.25, 0.75, 0.5)?;
    let client = Client::new(params, Secret::new(secret));
    let report = client.report_from("home page", "https://example.org/", device)?;
    Ok(report.bits().len() == 128 && report.cohort() < 64)
}

/// Without entropy nothing is released.
fn refuses_without_entropy() -> Result<bool> {
    let smokes = make_randomized_response_bool(0.75, false)?;
    Ok(smokes.invoke_from(&true, &mut Broken).is_err())
}

struct Device;

impl Entropy for Device {
    fn fill(&mut self, words: &mut [u64]) -> sample::Result<()> {
        Platform.fill(words)?;
        if cfg!(feature = "planted-stuck") {
            words.fill(0);
        }
        Ok(())
    }
}

/// A device whose generator has failed.
struct Broken;

impl Entropy for Broken {
    fn fill(&mut self, _words: &mut [u64]) -> sample::Result<()> {
        Err(sample::Error::entropy_unavailable())
    }
}
