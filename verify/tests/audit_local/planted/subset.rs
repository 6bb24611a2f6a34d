//! Mistakes of subset selection.

use dashu_ratio::RBig;
use deniable::BitVector;
use deniable_verify::audit::exact::value;
use deniable_verify::audit::local::plain::{exchange, flips, subsets};
use deniable_verify::audit::local::subset::{self, Parameters};

use super::*;

/// Subset selection with one mistake.
struct Subsets {
    parameters: Parameters,
    mistake: &'static str,
}

impl Subsets {
    fn new(k: u32, size: u32, prob: f64, mistake: &'static str) -> Self {
        Subsets { parameters: Parameters { k, size, prob }, mistake }
    }

    /// Any set, with what is wrong with it.
    fn any<S: Source + ?Sized>(&self, source: &mut S) -> Result<Vec<bool>> {
        let Parameters { k, size, .. } = self.parameters;
        let mut row = subsets(self.parameters, 1, source)?.remove(0);
        let first_out = row.iter().position(|is_in| !is_in).expect("a size below k");
        match self.mistake {
            // One of all but the last comes in its place.
            "the last is never chosen" if row[k as usize - 1] => {
                row.swap(k as usize - 1, first_out)
            }
            "one fewer" if size > 1 => {
                let first = row.iter().position(|&is_in| is_in).expect("a size above 0");
                row[first] = false;
            }
            _ => {}
        }
        Ok(row)
    }
}

impl Local for Subsets {
    type Input = u32;
    type Output = BitVector;

    fn map(&self) -> f64 {
        subset::shipping(self.parameters).map()
    }

    fn randomize<S: Source + ?Sized>(&self, input: &u32, source: &mut S) -> Result<BitVector> {
        let Parameters { k, size, prob } = self.parameters;
        let (place, is_inside) = (*input as usize, *input < k);
        let mut row = self.any(source)?;
        let truthful = flips(prob, 1, source)?[0];
        if self.mistake == "draws what it needs" {
            let (one_in, one_out) = match truthful {
                true => (sample_uniform_int_below(size, source)?, 0),
                false if is_inside => (0, sample_uniform_int_below(k - size, source)?),
                false => (0, 0),
            };
            exchange(&mut row, place, truthful, one_in as usize, one_out as usize);
            return Ok(row.into());
        }
        let one_in = sample_uniform_int_below(size, source)? as usize;
        let one_out = sample_uniform_int_below(k - size, source)? as usize;
        match self.mistake {
            "the first goes" => exchange(&mut row, place, truthful, 0, one_out),
            "the first comes" => exchange(&mut row, place, truthful, one_in, 0),
            "a lie leaves it" if is_inside && !truthful => {}
            "a truth takes none out" if is_inside && truthful => row[place] = true,
            "a lie puts none in" if is_inside && !truthful => row[place] = false,
            "always the truth" => exchange(&mut row, place, true, one_in, one_out),
            "outside has the first" if !is_inside => {
                exchange(&mut row, 0, true, one_in, one_out);
            }
            "outside is as the first" if !is_inside => {
                exchange(&mut row, 0, truthful, one_in, one_out);
            }
            "one fewer" => {
                let of = |is_in: bool| row.iter().filter(|&&bit| bit == is_in).count().max(1);
                let (one_in, one_out) = (one_in % of(true), one_out % of(false));
                if row.contains(&true) {
                    exchange(&mut row, place, truthful, one_in, one_out);
                }
            }
            _ => exchange(&mut row, place, truthful, one_in, one_out),
        }
        Ok(row.into())
    }
}

/// By all scripts of single bits, by the plain program, and by faults.
fn laws_draws_and_errors(
    mistake: &'static str,
    k: u32,
    size: u32,
    prob: f64,
) -> [(bool, bool, bool); 3] {
    let mechanism = Subsets::new(k, size, prob, mistake);
    [
        found(|tally| subset::audit_laws(tally, &mechanism, mechanism.parameters, 15)),
        found(|tally| subset::audit_draws(tally, &mechanism, mechanism.parameters)),
        found(|tally| subset::audit_errors(tally, &mechanism, mechanism.parameters)),
    ]
}

#[test]
fn the_right_one_is_not_accused() {
    for (k, size) in [(2, 1), (3, 1), (3, 2), (4, 1), (4, 2), (4, 3)] {
        assert_eq!(laws_draws_and_errors("none", k, size, 0.75), [NOTHING; 3], "{k} {size}");
    }
}

/// A set is impossible, or far likelier, for one answer.
#[test]
fn subsets_that_lose_more() {
    for mistake in [
        "a truth takes none out",
        "a lie puts none in",
        "always the truth",
        "outside has the first",
        "the last is never chosen",
        "one fewer",
    ] {
        let [laws, draws, errors] = laws_draws_and_errors(mistake, 4, 2, 0.75);
        assert_eq!((laws.0, laws.2, draws, errors), (true, true, MISMATCH, NOTHING), "{mistake}");
    }
}

/// Some sets are likelier than others, or answers outside are no other than one inside.
#[test]
fn subsets_of_another_law() {
    for mistake in
        ["the first goes", "the first comes", "a lie leaves it", "outside is as the first"]
    {
        let [laws, draws, errors] = laws_draws_and_errors(mistake, 4, 2, 0.75);
        assert!(laws.2 && draws == MISMATCH && errors == NOTHING, "{mistake}");
    }
}

/// Of many categories the plain program finds them.
#[test]
fn subsets_of_many_with_another_law() {
    for mistake in [
        "the last is never chosen",
        "the first goes",
        "the first comes",
        "a lie leaves it",
        "outside has the first",
        "draws what it needs",
    ] {
        let mechanism = Subsets::new(128, 34, 0.5, mistake);
        let parameters = mechanism.parameters;
        let found = found(|tally| subset::audit_draws(tally, &mechanism, parameters));
        assert_eq!(found, MISMATCH, "{mistake}");
    }
    let mechanism = Subsets::new(128, 34, 0.5, "none");
    let found = found(|tally| subset::audit_draws(tally, &mechanism, mechanism.parameters));
    assert_eq!(found, NOTHING);
}

#[test]
fn hole_15_other_draws_for_a_lie() {
    for (k, size) in [(3, 1), (4, 2)] {
        let [laws, draws, errors] = laws_draws_and_errors("draws what it needs", k, size, 0.75);
        assert_eq!((laws, draws, errors), (MISMATCH, MISMATCH, MISMATCH), "{k} {size}");
    }
}

/// Half of the law is not enough to know it.
#[test]
fn a_part_of_a_law() {
    let mechanism = Subsets::new(4, 2, 0.75, "none");
    let audit =
        |depth| found(|tally| subset::audit_laws(tally, &mechanism, mechanism.parameters, depth));
    assert_eq!((audit(8), audit(15)), (MISMATCH, NOTHING));
}

#[test]
fn maps_that_are_too_low_or_too_high() {
    let (k, size) = (10u32, 3u32);
    let right = |prob| Some(subset::shipping(Parameters { k, size, prob }).map());
    let judge = |probs: &[f64], map: &dyn Fn(f64) -> Option<f64>| {
        found(|tally| subset::audit_maps(tally, k, size, probs, map))
    };
    let probs: Vec<f64> = (31..100).map(|i| f64::from(i) / 100.0).collect();
    assert_eq!(judge(&probs, &right), NOTHING);
    assert_eq!(judge(&[0.3], &right), NOTHING);
    // Of a category and none, where two categories lose more.
    let of_outside = |prob: f64| (prob * f64::from(k) / f64::from(size)).inf_ln().ok();
    assert_eq!(judge(&probs, &of_outside), VIOLATION);
    // Without the others that are in the set.
    assert_eq!(judge(&probs, &|prob| (prob / (1.0 - prob)).inf_ln().ok()), VIOLATION);
    // That of randomized response, and the sum of both directions.
    let of_one = |prob: f64| (prob * f64::from(k - 1) / (1.0 - prob)).inf_ln().ok();
    assert_eq!(judge(&probs, &of_one), LOOSE);
    assert_eq!(judge(&probs, &|prob| right(prob).map(|loss| 2.0 * loss)), LOOSE);
    let below = |prob| right(prob).map(|loss| f64::from_bits(loss.to_bits() - 1));
    assert_eq!(judge(&probs, &below), VIOLATION);
}

/// Hole 1: where the float is below size/k, lying is likelier than telling the truth.
#[test]
fn hole_1_the_nearest_float_is_below_the_share() {
    let mut below = 0;
    for (k, size) in (2..40u32).flat_map(|k| (1..k).map(move |size| (k, size))) {
        let prob = f64::from(size) / f64::from(k);
        let right = |prob| Some(subset::shipping(Parameters { k, size, prob }).map());
        let judge = |map: &dyn Fn(f64) -> Option<f64>| {
            found(|tally| subset::audit_maps(tally, k, size, &[prob], map))
        };
        assert_eq!(judge(&right), NOTHING, "{k} {size}");
        // The logarithm of the odds of the truth, which are no more than 1.
        let share = RBig::from_parts(size.into(), k.into());
        if value(prob) < share {
            below += 1;
            assert_eq!(judge(&|_| Some(0.0)), VIOLATION, "{k} {size}");
        }
    }
    assert!(below > 100, "{below}");
}
