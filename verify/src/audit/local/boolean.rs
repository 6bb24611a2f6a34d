//! Yes or no.

use dashu_ratio::RBig;
use deniable::make_randomized_response_bool;
use deniable_audit::stated;

use super::Local;
use super::laws::{judge_laws, over_intervals, over_small_words, same_errors};
use super::map_at_other_distances;
use super::parameters::{Spread, places, probabilities};
use crate::audit::exact::{Loss, Tally, value};
use crate::law::{Between, Law};
use crate::words::spread;

/// The audit of `make_randomized_response_bool`.
pub fn audit(full: bool) -> Tally {
    let mut probs = probabilities(0.5, if full { 200_000 } else { 4_000 }, &mut Spread::new(1));
    probs.push(1.0);
    let make = |prob, constant_time| {
        make_randomized_response_bool(prob, constant_time).expect("an accepted prob")
    };
    let mut tally = audit_laws(&probs, make);
    audit_maps(&mut tally, &probs, |prob| Local::map(&make(prob, false)));
    let many = if full { 2_000 } else { 200 };
    tally.merge(audit_small_words(&probs[..many], make));
    tally.merge(audit_small_words(&short_probs(), make));
    for prob in [0.5, 0.75, 0.9, 1.0] {
        let distances = map_at_other_distances(&make(prob, false), false);
        tally.check(|| named(prob), distances);
    }
    tally
}

/// Over intervals of all 64-bit words: with and without `constant_time` the law is that of `prob`, the map
/// bounds the loss and is tight, and all inputs get the same errors.
pub fn audit_laws<M: Local<Input = bool, Output = bool>>(
    probs: &[f64],
    make: impl Fn(f64, bool) -> M,
) -> Tally {
    let mut tally = Tally::default();
    for &prob in probs {
        let (plain, constant) = (make(prob, false), make(prob, true));
        for mechanism in [&plain, &constant] {
            let laws = over_intervals(mechanism, &INPUTS, WORDS);
            tally.check(
                || named(prob),
                laws.as_ref().map_err(Clone::clone).and_then(|laws| is_law(prob, laws)),
            );
            if let (Ok(laws), true) = (laws, core::ptr::eq(mechanism, &plain)) {
                judge_laws(&mut tally, &|| named(prob), mechanism.map(), &laws);
            }
            let errors = scripts(prob).iter().try_for_each(|s| same_errors(mechanism, &INPUTS, s));
            tally.check(|| named(prob), errors);
        }
        let same = plain.map().to_bits() == constant.map().to_bits();
        tally.check(|| named(prob), same.then_some(()).ok_or("two modes, two maps".to_owned()));
    }
    tally
}

/// The same laws over every script of words of 4 and of 8 bits. In constant time every digit is read, and so
/// only where there are few.
pub fn audit_small_words<M: Local<Input = bool, Output = bool>>(
    probs: &[f64],
    make: impl Fn(f64, bool) -> M,
) -> Tally {
    let mut tally = Tally::default();
    for &prob in probs {
        let plain = make(prob, false);
        let mut laws = vec![over_small_words::<4, _>(&plain, &INPUTS, 16)];
        laws.push(over_small_words::<8, _>(&plain, &INPUTS, 8));
        if places(prob) <= 12 {
            let constant = make(prob, true);
            laws.push(over_small_words::<4, _>(&constant, &INPUTS, 3));
            laws.push(over_small_words::<8, _>(&constant, &INPUTS, 2));
        }
        for laws in laws {
            tally.check(|| named(prob), laws.and_then(|laws| is_law(prob, &laws)));
        }
    }
    tally
}

/// The loss between yes and no against any map.
pub fn audit_maps(tally: &mut Tally, probs: &[f64], map: impl Fn(f64) -> f64) {
    for &prob in probs {
        let loss = Loss::new(stated::yes_no(prob));
        tally.judge(|| named(prob), map(prob), &[(1, &loss)]);
    }
}

const INPUTS: [bool; 2] = [false, true];

/// A `prob` from 0.5 to 1 has at most 53 digits.
const WORDS: usize = 1;

fn named(prob: f64) -> String {
    format!("boolean, prob = {prob}")
}

/// The truth with probability `prob`, the opposite otherwise, and nothing unresolved.
fn is_law(prob: f64, laws: &[Law<bool>]) -> Result<(), String> {
    let (truth, lie) = (value(prob), RBig::ONE - value(prob));
    for (input, law) in INPUTS.into_iter().zip(laws) {
        let form = [(input, truth.clone()), (!input, lie.clone())];
        law.check(&RBig::ZERO, form.map(|(outcome, p)| (outcome, Between::exactly(p))))?;
    }
    Ok(())
}

/// Words around the digits of `prob`, and others.
fn scripts(prob: f64) -> Vec<[u64; 1]> {
    let digits = (prob * 18_446_744_073_709_551_616.0) as u64;
    [0, u64::MAX, digits - 1, digits, digits.saturating_add(1), spread(1)[0]]
        .map(|word| [word])
        .to_vec()
}

/// All with up to 8 digits, and some with up to 12.
fn short_probs() -> Vec<f64> {
    let eight = (128..=256).map(|n| f64::from(n) / 256.0);
    let twelve = [2049, 2050, 3000, 3333, 4094, 4095].map(|n| f64::from(n) / 4096.0);
    eight.chain(twelve).collect()
}
