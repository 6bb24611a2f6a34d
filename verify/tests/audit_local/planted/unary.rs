//! Mistakes of unary encoding.

use deniable::BitVector;
use deniable_verify::audit::local::plain::flips;
use deniable_verify::audit::local::unary::{self, Parameters};

use super::*;

/// Unary encoding with one mistake.
struct Unary {
    parameters: Parameters,
    mistake: &'static str,
}

impl Unary {
    fn new(k: u32, mistake: &'static str) -> Self {
        Unary { parameters: Parameters { k, one: 0.5, zero: 0.25 }, mistake }
    }

    fn has(&self, mistake: &str) -> bool {
        self.mistake == mistake
    }
}

impl Local for Unary {
    type Input = u32;
    type Output = BitVector;

    fn map(&self) -> f64 {
        unary::shipping(self.parameters).map()
    }

    fn randomize<S: Source + ?Sized>(&self, input: &u32, source: &mut S) -> Result<BitVector> {
        let Parameters { k, one, zero } = self.parameters;
        let (count, is_inside) = (k as usize, *input < k);
        let swapped = self.has("zero and one are swapped");
        let (own, others) = if swapped { (zero, one) } else { (one, zero) };
        let mut bits = flips(others, count, source)?;
        if self.has("outside draws no flip of its own") && !is_inside {
            return Ok(bits.into());
        }
        let own = flips(own, 1, source)?[0];
        match self.mistake {
            "two bits share a flip" => bits[1] = bits[0],
            "the last bit is no noise" => bits[count - 1] = false,
            "outside is the first" if !is_inside => bits[0] = own,
            "outside is all zeros" if !is_inside => bits.fill(false),
            _ => {}
        }
        if let Some(bit) = bits.get_mut(*input as usize) {
            *bit = match self.mistake {
                "the bit of the answer is randomized twice" => *bit | own,
                "the bit of the answer is not replaced" => *bit,
                "the bit of the answer is not randomized" => true,
                _ => own,
            };
        }
        Ok(bits.into())
    }
}

/// By all scripts of small words and by columns, by columns alone, and by faults.
fn laws_draws_and_errors(mistake: &'static str, k: u32) -> [(bool, bool, bool); 3] {
    let mechanism = Unary::new(k, mistake);
    [
        found(|tally| unary::audit_laws(tally, &mechanism, mechanism.parameters, 1 << 16)),
        found(|tally| unary::audit_draws(tally, &mechanism, mechanism.parameters)),
        found(|tally| unary::audit_errors(tally, &mechanism, mechanism.parameters)),
    ]
}

#[test]
fn the_right_one_is_not_accused() {
    for k in [2, 3, 4] {
        assert_eq!(laws_draws_and_errors("none", k), [NOTHING; 3]);
    }
}

/// One of them is impossible, or far likelier, for one answer.
#[test]
fn bits_that_lose_more() {
    for mistake in [
        "the last bit is no noise",
        "outside is all zeros",
        "the bit of the answer is randomized twice",
        "the bit of the answer is not randomized",
    ] {
        let [laws, draws, errors] = laws_draws_and_errors(mistake, 3);
        assert_eq!((laws.0, laws.2, draws, errors), (true, true, MISMATCH, NOTHING), "{mistake}");
    }
}

/// As private as the map says or more, and useless, or not what the documents say.
#[test]
fn bits_of_another_law() {
    for mistake in [
        "zero and one are swapped",
        "two bits share a flip",
        "outside is the first",
        "the bit of the answer is not replaced",
    ] {
        let [laws, draws, errors] = laws_draws_and_errors(mistake, 3);
        assert!(laws.2 && draws == MISMATCH && errors == NOTHING, "{mistake}");
    }
}

#[test]
fn hole_15_other_draws_outside() {
    for k in [2, 3, 64, 70] {
        let [laws, draws, errors] = match k {
            2 | 3 => laws_draws_and_errors("outside draws no flip of its own", k),
            _ => {
                let mechanism = Unary::new(k, "outside draws no flip of its own");
                let parameters = mechanism.parameters;
                let draws = found(|tally| unary::audit_draws(tally, &mechanism, parameters));
                let errors = found(|tally| unary::audit_errors(tally, &mechanism, parameters));
                [MISMATCH, draws, errors]
            }
        };
        assert_eq!((laws, draws, errors), (MISMATCH, MISMATCH, MISMATCH), "{k}");
    }
}

#[test]
fn maps_that_are_too_low_or_too_high() {
    let pairs = unary::pairs(300);
    let right = |one, zero| unary::shipping(Parameters { k: 2, one, zero }).map();
    let judge =
        |map: &dyn Fn(f64, f64) -> f64| found(|tally| unary::audit_maps(tally, &pairs, map));
    assert_eq!(judge(&right), NOTHING);
    // Of one bit where two differ, either of them.
    assert!(judge(&|one, zero| one.inf_div(zero).unwrap().inf_ln().unwrap()).0);
    let of_zeros = |one: f64, zero: f64| (1.0 - zero).inf_div(1.0 - one).unwrap().inf_ln().unwrap();
    assert!(judge(&of_zeros).0);
    // As if more than two bits differed.
    assert_eq!(judge(&|one, zero| 1.5 * right(one, zero)), LOOSE);
    // Hole 6.
    let plain = |one: f64, zero: f64| (one * (1.0 - zero) / (zero * (1.0 - one))).ln();
    assert!(judge(&plain).0);
    assert_eq!(judge(&|one, zero| f64::from_bits(right(one, zero).to_bits() - 1)), VIOLATION);
}
