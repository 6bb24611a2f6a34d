//! The exact audit of the local mechanisms: on the code that ships, over all its entropy.
//!
//! First the law: for parameters with few outcomes by every script of small words and by intervals of all 64-bit
//! words ([`laws`]), or by the columns of bits that decide each bit of a vector; for the others by their draws. Then the loss: for very many parameters the worst ratio of
//! probabilities between any two inputs, as a rational number, against the map ([`super::exact`]).
//!
//! Everything takes any [`Local`] mechanism or any map, so that mechanisms with known mistakes can be audited
//! too. An audit that does not find them is worth nothing.

use core::fmt::Debug;
use core::hash::Hash;

use deniable::{
    BitVector, Entropy, HashedReport, LocalHashing, LocalRandomizer, Measurement,
    RandomizedResponse, RandomizedResponseBitvec, RandomizedResponseBool, Result, SubsetSelection,
    UnaryEncoding,
};
use deniable_sample::Source;

use super::exact::Tally;

pub mod bitvec;
pub mod boolean;
pub mod categorical;
pub mod hashing;
pub mod laws;
pub mod parameters;
pub mod plain;
pub mod rappor;
pub mod subset;
pub mod unary;

/// A mechanism that can be run over words of any width.
pub trait Local {
    /// What a respondent answers.
    type Input;
    /// What is released.
    type Output: Ord + Clone + Debug;

    /// The loss that is claimed between any two inputs.
    fn map(&self) -> f64;

    /// Releases a randomized answer.
    ///
    /// # Errors
    ///
    /// No entropy.
    fn randomize<S: Source + ?Sized>(
        &self,
        input: &Self::Input,
        source: &mut S,
    ) -> Result<Self::Output>;

    /// The entry that users call, with 64-bit words.
    ///
    /// # Errors
    ///
    /// No entropy.
    fn invoke_from(&self, input: &Self::Input, entropy: &mut dyn Entropy) -> Result<Self::Output> {
        self.randomize(input, entropy)
    }
}

/// The audit of the mechanisms: in full it takes minutes, else seconds.
pub fn audit_local(full: bool) -> Tally {
    let mut tally = boolean::audit(full);
    tally.merge(categorical::audit(full));
    tally.merge(bitvec::audit(full));
    tally.merge(hashing::audit(full));
    tally.merge(unary::audit(full));
    tally.merge(subset::audit(full));
    tally
}

impl Local for RandomizedResponseBool {
    type Input = bool;
    type Output = bool;

    fn map(&self) -> f64 {
        claimed(self)
    }

    fn randomize<S: Source + ?Sized>(&self, input: &bool, source: &mut S) -> Result<bool> {
        RandomizedResponseBool::randomize(self, input, source)
    }

    fn invoke_from(&self, input: &bool, entropy: &mut dyn Entropy) -> Result<bool> {
        Measurement::invoke_from(self, input, entropy)
    }
}

impl<T: Eq + Hash + Ord + Clone + Debug + Send + Sync> Local for RandomizedResponse<T> {
    type Input = T;
    type Output = T;

    fn map(&self) -> f64 {
        claimed(self)
    }

    fn randomize<S: Source + ?Sized>(&self, input: &T, source: &mut S) -> Result<T> {
        RandomizedResponse::randomize(self, input, source)
    }

    fn invoke_from(&self, input: &T, entropy: &mut dyn Entropy) -> Result<T> {
        Measurement::invoke_from(self, input, entropy)
    }
}

impl Local for RandomizedResponseBitvec {
    type Input = BitVector;
    type Output = BitVector;

    fn map(&self) -> f64 {
        claimed(self)
    }

    fn randomize<S: Source + ?Sized>(
        &self,
        input: &BitVector,
        source: &mut S,
    ) -> Result<BitVector> {
        RandomizedResponseBitvec::randomize(self, input, source)
    }

    fn invoke_from(&self, input: &BitVector, entropy: &mut dyn Entropy) -> Result<BitVector> {
        Measurement::invoke_from(self, input, entropy)
    }
}

impl<T: Eq + Hash + Clone + Send + Sync> Local for LocalHashing<T> {
    type Input = T;
    /// The numbers of the seed, and last the bucket.
    type Output = Vec<u16>;

    fn map(&self) -> f64 {
        claimed(self)
    }

    fn randomize<S: Source + ?Sized>(&self, input: &T, source: &mut S) -> Result<Vec<u16>> {
        LocalHashing::randomize(self, input, source).map(row_of)
    }

    fn invoke_from(&self, input: &T, entropy: &mut dyn Entropy) -> Result<Vec<u16>> {
        Measurement::invoke_from(self, input, entropy).map(row_of)
    }
}

fn row_of(report: HashedReport) -> Vec<u16> {
    report.seed().iter().copied().chain([report.bucket()]).collect()
}

impl<T: Eq + Hash + Clone + Send + Sync> Local for UnaryEncoding<T> {
    type Input = T;
    type Output = BitVector;

    fn map(&self) -> f64 {
        claimed(self)
    }

    fn randomize<S: Source + ?Sized>(&self, input: &T, source: &mut S) -> Result<BitVector> {
        UnaryEncoding::randomize(self, input, source)
    }

    fn invoke_from(&self, input: &T, entropy: &mut dyn Entropy) -> Result<BitVector> {
        Measurement::invoke_from(self, input, entropy)
    }
}

impl<T: Eq + Hash + Clone + Send + Sync> Local for SubsetSelection<T> {
    type Input = T;
    type Output = BitVector;

    fn map(&self) -> f64 {
        claimed(self)
    }

    fn randomize<S: Source + ?Sized>(&self, input: &T, source: &mut S) -> Result<BitVector> {
        SubsetSelection::randomize(self, input, source)
    }

    fn invoke_from(&self, input: &T, entropy: &mut dyn Entropy) -> Result<BitVector> {
        Measurement::invoke_from(self, input, entropy)
    }
}

/// The map at distance 1, which is the distance of any two different answers.
fn claimed<M>(mechanism: &M) -> f64
where
    M: LocalRandomizer<Metric = deniable::DiscreteDistance, Measure = deniable::MaxDivergence>,
    deniable::domain::Carrier<M::Domain>: Sized,
{
    mechanism.map(1).expect("a distance of the metric").get()
}

/// The map at other distances: none between equal inputs, and beyond 1 what the documents say.
fn map_at_other_distances<M>(mechanism: &M, refuses_two: bool) -> core::result::Result<(), String>
where
    M: LocalRandomizer<Metric = deniable::DiscreteDistance, Measure = deniable::MaxDivergence>,
    deniable::domain::Carrier<M::Domain>: Sized,
{
    if mechanism.map(0).ok().map(|loss| loss.get().to_bits()) != Some(0) {
        return Err("equal inputs lose something".to_owned());
    }
    for d_in in [2, u32::MAX] {
        let right = match mechanism.map(d_in) {
            Ok(loss) => !refuses_two && loss.get() == claimed(mechanism),
            Err(_) => refuses_two,
        };
        if !right {
            return Err(format!("the map at {d_in} is not what the documents say"));
        }
    }
    Ok(())
}
