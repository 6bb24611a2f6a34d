//! The mistakes of bit vectors.

use deniable::{BitVector, Result};
use deniable_sample::{Dyadic, Source};
use deniable_verify::audit::local::bitvec::Parameters;
use deniable_verify::audit::local::laws::{judge_laws, over_small_words};
use deniable_verify::audit::local::{Local, bitvec};

use super::{LOOSE, MISMATCH, NOTHING, VIOLATION, bits_map, found};

/// A bit vector mechanism with one mistake.
struct Bits {
    parameters: Parameters,
    mistake: &'static str,
}

impl Local for Bits {
    type Input = BitVector;
    type Output = BitVector;

    fn map(&self) -> f64 {
        bits_map(self.parameters)
    }

    fn randomize<S: Source + ?Sized>(
        &self,
        input: &BitVector,
        source: &mut S,
    ) -> Result<BitVector> {
        let f = self.parameters.f;
        let half = Dyadic::from_float(f)?.half();
        let flip = match self.mistake {
            "f is the flip" => Dyadic::from_float(f)?,
            "half as a float" => Dyadic::from_float(f / 2.0)?,
            _ => half,
        };
        let mut output = input.clone();
        let is_short = self.mistake == "the last bit is not flipped";
        let mut last = false;
        for i in 0..input.len() - usize::from(is_short) {
            let repeats = self.mistake == "every 64th bit repeats" && i % 64 == 63;
            if !repeats {
                last = flip.sample(false, source)?;
            }
            if self.mistake == "ones draw twice" && input.get(i) == Some(true) {
                source.draw()?;
            }
            output.set(i, input.get(i) != Some(last))?;
        }
        Ok(output)
    }
}

fn all_of(mistake: &'static str, k: usize, f: f64) -> (bool, bool, bool) {
    let parameters = Parameters { k, m: k, f, constant_time: false };
    let mechanism = Bits { parameters, mistake };
    found(|tally| bitvec::audit_laws(tally, &mechanism, parameters, 1 << 16))
}

fn draws_of(mistake: &'static str, k: usize, f: f64) -> (bool, bool, bool) {
    let parameters = Parameters { k, m: k, f, constant_time: false };
    let mechanism = Bits { parameters, mistake };
    found(|tally| bitvec::audit_draws(tally, &mechanism, parameters))
}

/// Hole 5: vectors of two lengths in one domain are told apart for certain.
#[test]
fn hole_5_two_lengths() {
    let parameters = Parameters { k: 2, m: 2, f: 0.5, constant_time: false };
    let mechanism = Bits { parameters, mistake: "none" };
    let judged = |inputs: &[BitVector]| {
        found(|tally| {
            // Shorter vectors draw fewer words: one reason more, and looked away from here.
            let laws = inputs.iter().flat_map(|input| {
                over_small_words::<4, _>(&mechanism, core::slice::from_ref(input), 2).unwrap()
            });
            let laws: Vec<_> = laws.collect();
            judge_laws(tally, &|| "two lengths".to_owned(), mechanism.map(), &laws);
        })
    };
    let one_length = [[false, false], [true, true]].map(BitVector::from);
    assert_eq!(judged(&one_length), NOTHING);
    assert_eq!(judged(&[BitVector::from([false]), BitVector::from([false, false])]), VIOLATION);
    let both = [BitVector::from([false]), BitVector::from([false, false])];
    assert!(over_small_words::<4, _>(&mechanism, &both, 2).is_err());
}

/// Hole 6: 2m where vectors have fewer bits.
#[test]
fn hole_6_more_differences_than_bits() {
    let map = |parameters: Parameters| bits_map(Parameters { k: 2 * parameters.m, ..parameters });
    assert_eq!(found(|tally| bitvec::audit_maps(tally, &[0.3], map)), LOOSE);
    // And fewer than there are.
    let map = |parameters: Parameters| bits_map(Parameters { k: parameters.m, ..parameters });
    assert!(found(|tally| bitvec::audit_maps(tally, &[0.3], map)).0);
}

/// Hole 6: f itself as the probability of a flip.
#[test]
fn hole_6_f_is_not_the_flip() {
    for f in [0.25, 0.3] {
        assert_eq!(all_of("f is the flip", 2, f), (false, true, true));
        assert_eq!(draws_of("f is the flip", 70, f), MISMATCH);
    }
    // All bits are flipped for certain.
    assert_eq!(all_of("f is the flip", 2, 1.0), (true, false, true));
}

/// Hole 6: half of the smallest float is no float.
#[test]
fn hole_6_half_as_a_float() {
    assert_eq!(all_of("half as a float", 2, 0.3), NOTHING);
    assert_eq!(all_of("half as a float", 2, 5e-324), (true, false, true));
    assert_eq!(draws_of("half as a float", 70, 5e-324), MISMATCH);
}

/// Hole 7: the loop ends one bit early.
#[test]
fn hole_7_the_last_bit() {
    for k in 1..=3 {
        assert_eq!(all_of("none", k, 0.5), NOTHING);
        assert_eq!(all_of("the last bit is not flipped", k, 0.5), (true, false, true));
    }
    for k in [1, 63, 64, 65, 128, 200] {
        assert_eq!(draws_of("none", k, 0.5), NOTHING);
        assert_eq!(draws_of("the last bit is not flipped", k, 0.5), MISMATCH);
    }
    assert_eq!(draws_of("every 64th bit repeats", 63, 0.5), NOTHING);
    assert_eq!(draws_of("every 64th bit repeats", 64, 0.5), MISMATCH);
}

/// Hole 15, for bit vectors.
#[test]
fn hole_15_ones_draw_more_than_zeros() {
    let parameters = Parameters { k: 5, m: 5, f: 0.5, constant_time: false };
    let audit = |mistake| {
        let mechanism = Bits { parameters, mistake };
        found(|tally| bitvec::audit_errors(tally, &mechanism, parameters))
    };
    assert_eq!(audit("none"), NOTHING);
    assert_eq!(audit("ones draw twice"), MISMATCH);
    assert_eq!(all_of("ones draw twice", 3, 0.5), MISMATCH);
}
