//! RAPPOR: the permanent answer, reports of it, and what both lose.
//!
//! The laws of both steps are found over all their entropy ([`laws`]); the losses of very many parameters are judged by every kind of pair of Bloom
//! filters there is ([`claims`]); and the client's memory is held to a plain program ([`memory`]), so that what a client sends has the law of what was enumerated, with
//! the words of a keyed function.

use dashu_ratio::RBig;
use deniable::rappor::Params;
use deniable::rappor::reference::Encoder;
use deniable::{BitVector, Result};
use deniable_audit::stated::rappor as stated;
use deniable_sample::Source;

use super::Local;
use crate::audit::exact::{Tally, value};

pub mod claims;
pub mod laws;
pub mod memory;

/// The audit of `deniable::rappor`.
pub fn audit(full: bool) -> Tally {
    let mut tally = Tally::default();
    let most_runs = if full { 1 << 19 } else { 1 << 16 };
    for params in laws::small(full) {
        laws::audit_permanent(&mut tally, &Permanent(params), most_runs);
        laws::audit_instantaneous(&mut tally, &Instantaneous(params), most_runs);
        laws::audit_report(&mut tally, &Report(params), most_runs);
    }
    for params in laws::by_draws(full) {
        laws::audit_draws(&mut tally, &Instantaneous(params));
    }
    claims::audit_claims(&mut tally, &claims::many(full), claims::shipping);
    memory::audit_memory(&mut tally, full, memory::shipping);
    memory::audit_reference(&mut tally, full, Encoder::permanent);
    tally
}

/// Parameters of one cohort.
///
/// # Panics
///
/// If they are refused.
pub fn params(k: usize, h: usize, p: f64, q: f64, f: f64) -> Params {
    Params::new(k, h, 1, p, q, f).expect("accepted parameters")
}

/// The vector of k bits whose bit i is that of a number.
pub fn bits(k: usize, number: usize) -> BitVector {
    (0..k).map(|bit| number >> bit & 1 == 1).collect()
}

/// All Bloom filters of some parameters, of few bits.
pub fn filters(params: &Params) -> Vec<BitVector> {
    let all = (1..1 << params.k()).map(|number| bits(params.k(), number));
    all.filter(|filter| filter.count_ones() <= params.h()).collect()
}

/// A step of the noise, or both, whose bits are independent of each other.
pub trait Step: Local<Input = BitVector, Output = BitVector> {
    /// Its parameters.
    fn params(&self) -> &Params;

    /// The probabilities that a bit of the output is one where that of the input is one, and where it is zero.
    fn ones(&self) -> (RBig, RBig);
}

/// A Bloom filter to a permanent answer. It claims what all reports lose.
#[derive(Clone, Copy, Debug)]
pub struct Permanent(pub Params);

/// A permanent answer to a report. By itself it claims nothing.
#[derive(Clone, Copy, Debug)]
pub struct Instantaneous(pub Params);

/// A Bloom filter to a report of a new permanent answer. It claims what one report loses.
#[derive(Clone, Copy, Debug)]
pub struct Report(pub Params);

impl Step for Permanent {
    fn params(&self) -> &Params {
        &self.0
    }

    fn ones(&self) -> (RBig, RBig) {
        stated::permanent(&self.0)
    }
}

impl Step for Instantaneous {
    fn params(&self) -> &Params {
        &self.0
    }

    fn ones(&self) -> (RBig, RBig) {
        (value(self.0.q()), value(self.0.p()))
    }
}

impl Step for Report {
    fn params(&self) -> &Params {
        &self.0
    }

    fn ones(&self) -> (RBig, RBig) {
        stated::report(&self.0)
    }
}

impl Local for Permanent {
    type Input = BitVector;
    type Output = BitVector;

    fn map(&self) -> f64 {
        self.0.epsilon_of_all_reports().get()
    }

    fn randomize<S: Source + ?Sized>(
        &self,
        filter: &BitVector,
        source: &mut S,
    ) -> Result<BitVector> {
        self.0.permanent_from(filter, source)
    }
}

impl Local for Instantaneous {
    type Input = BitVector;
    type Output = BitVector;

    fn map(&self) -> f64 {
        f64::INFINITY
    }

    fn randomize<S: Source + ?Sized>(
        &self,
        permanent: &BitVector,
        source: &mut S,
    ) -> Result<BitVector> {
        self.0.instantaneous_from(permanent, source)
    }
}

impl Local for Report {
    type Input = BitVector;
    type Output = BitVector;

    fn map(&self) -> f64 {
        self.0.epsilon_of_report().get()
    }

    fn randomize<S: Source + ?Sized>(
        &self,
        filter: &BitVector,
        source: &mut S,
    ) -> Result<BitVector> {
        let permanent = Permanent(self.0).randomize(filter, source)?;
        Instantaneous(self.0).randomize(&permanent, source)
    }
}
