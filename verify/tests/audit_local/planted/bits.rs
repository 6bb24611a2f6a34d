//! The mistakes of bit vectors.

use deniable::{BitVector, Entropy, Result};
use deniable_sample::{FLIPS, Source, Word};
use deniable_verify::audit::exact::Tally;
use deniable_verify::audit::local::bitvec::Parameters;
use deniable_verify::audit::local::laws::{judge_laws, over_small_words};
use deniable_verify::audit::local::{Local, bitvec};

use super::{LOOSE, MISMATCH, NOTHING, VIOLATION, bits_map, found};

/// A bit vector mechanism with one mistake.
#[derive(Clone, Copy)]
struct Bits {
    parameters: Parameters,
    mistake: &'static str,
    place: Place,
}

/// Where the mistake is made.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Everywhere,
    /// Not where users call it.
    Generic,
    /// Only where users call it.
    Entry,
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
        self.unless(Place::Entry).flip_all(input, source)
    }

    fn invoke_from(&self, input: &BitVector, entropy: &mut dyn Entropy) -> Result<BitVector> {
        self.unless(Place::Generic).flip_all(input, entropy)
    }
}

impl Bits {
    /// Without the mistake if it is only made there.
    fn unless(self, place: Place) -> Self {
        if self.place == place { Bits { mistake: "none", ..self } } else { self }
    }

    fn has(&self, mistake: &str) -> bool {
        self.mistake == mistake
    }

    fn flip_all<S: Source + ?Sized>(&self, input: &BitVector, source: &mut S) -> Result<BitVector> {
        let most = FLIPS * S::Word::BITS as usize;
        let length = input.len() - usize::from(self.has("the last bit is not flipped"));
        let (mut output, mut flips) = (input.clone(), Vec::new());
        for first in (0..length).step_by(most) {
            if first == 0 || !self.has("the next block gets the same flips") {
                flips = self.flips(most.min(length - first), source)?;
            }
            for (i, flip) in (first..length).zip(&flips) {
                output.set(i, input.get(i) != Some(*flip))?;
            }
        }
        if self.has("ones draw once more") {
            (0..input.count_ones()).try_for_each(|_| source.draw().map(|_| ()))?;
        }
        Ok(output)
    }

    /// Flips of so many bits: side by side, and then of those that are undecided.
    fn flips<S: Source + ?Sized>(&self, count: usize, source: &mut S) -> Result<Vec<bool>> {
        if self.has("f is the flip") && self.parameters.f == 1.0 {
            return Ok(vec![true; count]);
        }
        let (digits, width) = (self.digits(), S::Word::BITS as usize);
        let groups = count.div_ceil(width);
        let few = digits.len().min(bitvec::side_by_side(count, width));
        let together = if self.reads_all() { digits.len() } else { few };
        let mut flips = vec![None; count];
        for &digit in &digits[..together] {
            let words = self.draw(groups, source)?;
            for (i, flip) in flips.iter_mut().enumerate() {
                let drawn = words[i / width] >> (i % width) & 1 == 1;
                let is_open = flip.is_none() || self.has("a lane is decided again") && digit;
                *flip = if drawn != digit && is_open { Some(digit) } else { *flip };
            }
        }
        let from = if self.has("the rest begins again") { 0 } else { together };
        let rest = if self.has("the rest is no flip") { &[] } else { &digits[from..] };
        let mut shared = None;
        for flip in flips.iter_mut().filter(|flip| flip.is_none()) {
            let own = match shared.filter(|_| self.has("the rest is shared")) {
                Some(shared) => shared,
                None => self.is_below(rest, source)?,
            };
            (*flip, shared) = (Some(own), Some(own));
        }
        let mut flips: Vec<bool> = flips.into_iter().flatten().collect();
        self.repeat(&mut flips, width);
        Ok(flips)
    }

    /// Whether a uniform number of its own is below that with these digits.
    fn is_below<S: Source + ?Sized>(&self, digits: &[bool], source: &mut S) -> Result<bool> {
        let width = S::Word::BITS as usize;
        for digits in digits.chunks(width) {
            let digit = digits.iter().fold(0, |word, &digit| word << 1 | u64::from(digit));
            let digit = digit << (width - digits.len());
            let drawn = self.draw(1, source)?[0];
            if drawn != digit {
                return Ok(drawn < digit);
            }
        }
        Ok(self.has("f/2 itself is below"))
    }

    /// Bits that get the flip of another.
    fn repeat(&self, flips: &mut [bool], width: usize) {
        for i in 1..flips.len() {
            let of = match self.mistake {
                "two bits share a lane" if i == 1 => 0,
                "every 64th bit repeats" if i % 64 == 63 => i - 1,
                "the next group gets the same flips" if i >= width => i - width,
                _ => i,
            };
            flips[i] = flips[of];
        }
    }

    fn reads_all(&self) -> bool {
        match self.mistake {
            "constant time ends early" => false,
            "all digits are read" => true,
            _ => self.parameters.constant_time,
        }
    }

    fn draw<S: Source + ?Sized>(&self, count: usize, source: &mut S) -> Result<Vec<u64>> {
        let word = |_| match source.draw() {
            Err(_) if self.has("a fault is a zero") => Ok(0),
            drawn => Ok(drawn?.value()),
        };
        (0..count).map(word).collect()
    }

    /// The binary digits of f/2.
    fn digits(&self) -> Vec<bool> {
        let f = self.parameters.f;
        let mut rest = match self.mistake {
            "f is the flip" => 2.0 * f,
            "half as a float" => f / 2.0 * 2.0,
            _ => f,
        };
        let mut digits = vec![rest >= 1.0];
        while rest != 0.0 && rest != 1.0 {
            rest = 2.0 * if rest > 1.0 { rest - 1.0 } else { rest };
            digits.push(rest >= 1.0);
        }
        match self.mistake {
            "it ends one place early" => _ = digits.pop(),
            "the digits are from the wrong end" => digits.reverse(),
            _ => {}
        }
        digits
    }
}

const PLAIN: Parameters = Parameters { k: 1, m: 1, f: 0.5, constant_time: false };

fn with(mistake: &'static str, k: usize, f: f64) -> Bits {
    Bits { parameters: Parameters { k, m: k, f, ..PLAIN }, mistake, place: Place::Everywhere }
}

fn laws(mechanism: Bits) -> (bool, bool, bool) {
    found(|tally| bitvec::audit_laws(tally, &mechanism, mechanism.parameters, 1 << 16))
}

fn draws(mechanism: Bits) -> (bool, bool, bool) {
    found(|tally| bitvec::audit_draws(tally, &mechanism, mechanism.parameters))
}

fn errors(mechanism: Bits) -> (bool, bool, bool) {
    found(|tally| bitvec::audit_errors(tally, &mechanism, mechanism.parameters))
}

fn all_of(mistake: &'static str, k: usize, f: f64) -> (bool, bool, bool) {
    laws(with(mistake, k, f))
}

fn draws_of(mistake: &'static str, k: usize, f: f64) -> (bool, bool, bool) {
    draws(with(mistake, k, f))
}

/// Hole 5: vectors of two lengths in one domain are told apart for certain.
#[test]
fn hole_5_two_lengths() {
    let mechanism = with("none", 2, 0.5);
    let judged = |inputs: &[BitVector]| {
        found(|tally| {
            // Shorter vectors draw fewer words: one reason more, and looked away from here.
            let laws = inputs.iter().flat_map(|input| {
                over_small_words::<4, _>(&mechanism, core::slice::from_ref(input), 4).unwrap()
            });
            let laws: Vec<_> = laws.collect();
            judge_laws(tally, &|| "two lengths".to_owned(), mechanism.map(), &laws);
        })
    };
    let one_length = [[false, false], [true, true]].map(BitVector::from);
    assert_eq!(judged(&one_length), NOTHING);
    assert_eq!(judged(&[BitVector::from([false]), BitVector::from([false, false])]), VIOLATION);
    let both = [BitVector::zeros(1), BitVector::zeros(5)];
    assert!(over_small_words::<4, _>(&mechanism, &both, 4).is_err());
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
    assert_eq!(all_of("half as a float", 1, 5e-324), (true, false, true));
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
    assert_eq!(errors(with("none", 5, 0.5)), NOTHING);
    assert_eq!(errors(with("ones draw once more", 5, 0.5)), MISMATCH);
    assert_eq!(all_of("ones draw once more", 3, 0.5), MISMATCH);
}

#[test]
fn a_fault_that_is_no_error() {
    for (k, f) in [(5, 0.5), (70, 0.3), (64, 5e-324)] {
        assert_eq!(errors(with("none", k, f)), NOTHING);
        assert_eq!(errors(with("a fault is a zero", k, f)), MISMATCH);
    }
}

/// Mistakes that make for another law, each with a vector and an f in which it shows in small words, and a vector in
/// which it does in words of 64 bits.
const OTHER_LAWS: [(&str, usize, f64, usize); 11] = [
    ("two bits share a lane", 3, 0.5, 3),
    ("the last bit is not flipped", 4, 0.5, 4),
    ("it ends one place early", 4, 0.75, 4),
    ("the digits are from the wrong end", 3, 0.75, 3),
    ("the next group gets the same flips", 5, 0.5, 70),
    ("the next block gets the same flips", LONG, 0.5, LONG),
    ("the rest is no flip", 2, 77.0 / 128.0, 2),
    ("the rest begins again", 2, 77.0 / 128.0, 2),
    ("the rest is shared", 2, 77.0 / 128.0, 2),
    ("a lane is decided again", 2, 77.0 / 128.0, 2),
    ("f/2 itself is below", 2, 0.5, 2),
];

/// More bits than are decided side by side.
const LONG: usize = FLIPS * 64 + 50;

/// By small words alone where users call another mechanism. Where more words are read than should be, there are too
/// many scripts for a law, but not in constant time.
#[test]
fn flips_with_another_law_by_small_words() {
    for (mistake, k, f, _) in OTHER_LAWS.into_iter().filter(|(_, k, ..)| *k < LONG) {
        let mut generic = Bits { place: Place::Generic, ..with(mistake, k, f) };
        let plain = laws(generic);
        generic.parameters.constant_time = true;
        let constant = laws(generic);
        assert!(plain.2, "{mistake}");
        let judged = plain.0 || plain.1 || constant.0 || constant.1;
        assert!(judged || mistake == "the rest begins again", "{mistake}");
    }
}

/// By columns of 64-bit words alone where only users call this mechanism.
#[test]
fn flips_with_another_law_by_columns() {
    for (mistake, _, f, k) in OTHER_LAWS {
        let entry = Bits { place: Place::Entry, ..with(mistake, k, f) };
        assert_eq!(draws(entry), MISMATCH, "{mistake}");
        if k < 5 {
            assert_eq!(laws(entry), MISMATCH, "{mistake}");
        }
    }
}

/// Every kind of script finds them.
#[test]
fn flips_of_long_vectors_with_another_law() {
    for (mistake, ..) in OTHER_LAWS {
        for (k, f) in [(70, 0.9), (LONG, 0.9)] {
            let (mechanism, mut tally) = (with(mistake, k, f), Tally::default());
            bitvec::audit_draws(&mut tally, &mechanism, mechanism.parameters);
            let found = if mistake.contains("block") && k < LONG { 0 } else { 4 };
            assert_eq!((tally.checks, tally.mismatches.count), (4, found), "{mistake} {k}");
        }
    }
}

/// The law is right, and there are too many words or too few.
#[test]
fn flips_that_read_other_words() {
    for k in [3, 63, 70] {
        assert_eq!(draws(with("all digits are read", k, 0.3)), MISMATCH);
        let mut constant = with("constant time ends early", k, 0.3);
        assert_eq!(draws(constant), NOTHING);
        constant.parameters.constant_time = true;
        assert_eq!(draws(constant), MISMATCH);
        constant.mistake = "all digits are read";
        assert_eq!(draws(constant), NOTHING);
    }
    // Of so many digits no audit would see the end.
    let generic = Bits { place: Place::Generic, ..with("all digits are read", 2, 0.3) };
    assert_eq!((laws(generic), draws(generic)), (MISMATCH, MISMATCH));
}
