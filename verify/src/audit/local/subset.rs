//! A subset of k categories, of which the answer is one with a known probability.

use dashu_int::UBig;
use dashu_ratio::RBig;
use deniable::{BitVector, SubsetSelection, make_subset_selection};
use deniable_audit::stated;

use super::laws::{Words, given_one_pass, judge_laws, over_small_words, same_errors};
use super::parameters::{Spread, places, probabilities};
use super::plain::subset_rows;
use super::{Local, map_at_other_distances};
use crate::audit::exact::{Loss, Tally, fraction, value};
use crate::law::{Between, Law};
use crate::words::{Script64, spread};

/// The parameters of a mechanism over the numbers below k.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// How many categories there are.
    pub k: u32,
    /// How many are in a report.
    pub size: u32,
    /// The probability that the answer is one of them.
    pub prob: f64,
}

/// The audit of `make_subset_selection`.
pub fn audit(full: bool) -> Tally {
    let mut tally = Tally::default();
    let laws = LAWS.iter().filter(|(.., depth)| full || *depth <= 17);
    for (&(k, size, depth), prob) in laws.flat_map(|law| [0.5, 0.75, 0.875].map(|p| (law, p))) {
        let parameters = Parameters { k, size, prob };
        if prob >= f64::from(size) / f64::from(k) {
            audit_laws(&mut tally, &shipping(parameters), parameters, depth + places(prob));
        }
    }
    for (k, size) in sizes(full) {
        for prob in [f64::from(size) / f64::from(k), 1.0 - 1.0 / f64::from(7 * k)] {
            let parameters = Parameters { k, size, prob };
            let mechanism = shipping(parameters);
            tally.check(|| named(parameters), map_at_other_distances(&mechanism, false));
            audit_draws(&mut tally, &mechanism, parameters);
            audit_errors(&mut tally, &mechanism, parameters);
        }
    }
    let mut seeds = Spread::new(7);
    for k in (2..if full { 60 } else { 12 }).chain([64, 100, 128, 255]) {
        let step = if k < 60 { 1 } else { 1 + k / 9 };
        for size in (1..k).step_by(step as usize) {
            let probs = probs(k, size, if full { 40 } else { 12 }, &mut seeds);
            audit_maps(&mut tally, k, size, &probs, |prob| {
                let made = make_subset_selection(0..k, size as usize, prob).ok();
                made.map(|mechanism| Local::map(&mechanism))
            });
        }
    }
    tally
}

/// The mechanism that ships.
///
/// # Panics
///
/// If it refuses the parameters.
pub fn shipping(Parameters { k, size, prob }: Parameters) -> SubsetSelection<u32> {
    make_subset_selection(0..k, size as usize, prob).expect("accepted parameters")
}

/// The laws of all categories and of two answers outside of them, by all scripts of so many single bits. The map bounds the loss of all pairs and
/// is tight.
///
/// There is no most of the words that are read: a place is drawn again until it can be turned. But how many are read does not
/// depend on which subset comes of them, so that what is resolved has the very probabilities of the whole, and not just nearly.
pub fn audit_laws<M: Local<Input = u32, Output = BitVector>>(
    tally: &mut Tally,
    mechanism: &M,
    parameters: Parameters,
    depth: usize,
) {
    let inputs: Vec<u32> = (0..=parameters.k).chain([u32::MAX]).collect();
    let what = || named(parameters);
    let laws = over_small_words::<1, _>(mechanism, &inputs, depth);
    let is_known = |laws: Vec<Law<BitVector>>| match laws[0].remainder < fraction(1, 2) {
        true => Ok(laws.into_iter().map(given_one_pass).collect::<Vec<_>>()),
        false => Err("less than half of the law is known".to_owned()),
    };
    let laws = laws.and_then(is_known);
    let checked = laws.as_ref().map_err(Clone::clone);
    tally.check(what, checked.and_then(|laws| is_law(parameters, &inputs, laws)));
    if let Ok(laws) = laws {
        judge_laws(tally, &what, mechanism.map(), &laws);
    }
}

/// Over words of 64 bits the mechanism that users call makes the reports that a plain program makes of the same draws, and reads the same words.
pub fn audit_draws<M: Local<Input = u32, Output = BitVector>>(
    tally: &mut Tally,
    mechanism: &M,
    parameters: Parameters,
) {
    let inputs = some_inputs(parameters.k);
    tally.check(|| named(parameters), has_plain_reports(mechanism, parameters, &inputs));
}

/// Every answer reads the same words and gets the same errors.
pub fn audit_errors<M: Local<Input = u32, Output = BitVector>>(
    tally: &mut Tally,
    mechanism: &M,
    parameters: Parameters,
) {
    let inputs = some_inputs(parameters.k);
    // A fault at each of many draws takes long, and is no other than one among fewer.
    let step = if parameters.k < 20 { 1 } else { 7 };
    for script in scripts(parameters.k).into_iter().step_by(step) {
        tally.check(|| named(parameters), same_errors(mechanism, &inputs, &script));
    }
}

/// The loss of the three classes of pairs (one in the report and the other not, one in it and none of the categories, one not in it and none) against any map;
/// None where the map refuses `prob`.
pub fn audit_maps(
    tally: &mut Tally,
    k: u32,
    size: u32,
    probs: &[f64],
    map: impl Fn(f64) -> Option<f64>,
) {
    for &prob in probs {
        let Some(map) = map(prob) else { continue };
        let losses = stated::subset(k, size, prob).map(Loss::new);
        let what = || named(Parameters { k, size, prob });
        tally.judge(what, map, &losses.each_ref().map(|loss| (1, loss)));
    }
}

/// Categories and sizes, and how many bits besides those of `prob` resolve more than half of the law. With flips first, from four categories on.
const LAWS: [(u32, u32, usize); 12] = [
    (2, 1, 3),
    (3, 1, 9),
    (3, 2, 9),
    (4, 1, 10),
    (4, 2, 13),
    (4, 3, 10),
    (5, 1, 13),
    (5, 4, 13),
    (6, 1, 14),
    (5, 2, 20),
    (5, 3, 20),
    (6, 3, 19),
];

/// n over m.
fn over(n: u32, m: u32) -> UBig {
    (0..m).fold(UBig::ONE, |product, i| product * UBig::from(n - i) / UBig::from(i + 1))
}

/// What the documents say of each subset of the size, and of no other.
fn is_law(
    Parameters { k, size, prob }: Parameters,
    inputs: &[u32],
    laws: &[Law<BitVector>],
) -> Result<(), String> {
    let chance = |share: RBig, count: UBig| share / RBig::from(count);
    let is_in = chance(value(prob), over(k - 1, size - 1));
    let is_out = chance(RBig::ONE - value(prob), over(k - 1, size));
    let any = chance(RBig::ONE, over(k, size));
    for (&input, law) in inputs.iter().zip(laws) {
        let form = (0u32..1 << k).filter(|subset| subset.count_ones() == size).map(|subset| {
            let probability = match subset.checked_shr(input).map(|bits| bits & 1) {
                _ if input >= k => &any,
                Some(1) => &is_in,
                _ => &is_out,
            };
            let report: BitVector = (0..k).map(|i| subset >> i & 1 == 1).collect();
            (report, Between::exactly(probability.clone()))
        });
        law.check(&RBig::ZERO, form)?;
    }
    Ok(())
}

/// The reports of the plain program, over words of 64 bits.
fn has_plain_reports<M: Local<Input = u32, Output = BitVector>>(
    mechanism: &M,
    parameters: Parameters,
    inputs: &[u32],
) -> Result<(), String> {
    for script in scripts(parameters.k) {
        for input in inputs {
            let mut source = Script64::new(&script);
            let plain = subset_rows(parameters, &[*input], &mut source);
            let plain = plain.map_err(|_| "the script is too short")?;
            let mut words = Words::new(&script);
            let report = mechanism.invoke_from(input, &mut words);
            if report.ok().as_ref() != plain.first() || words.asked != source.asked {
                return Err("the report is not that of the plain program".to_owned());
            }
        }
    }
    Ok(())
}

/// Words without a pattern, some with draws that are rejected, and some with flips that are all ones or all zeros.
fn scripts(k: u32) -> Vec<Vec<u64>> {
    let length = 600 + 40 * k as usize;
    let random = spread(2 * length);
    let mut all: Vec<Vec<u64>> =
        random.windows(length).step_by(1 + length / 24).map(<[u64]>::to_vec).collect();
    for (i, script) in all.iter_mut().enumerate() {
        match i % 4 {
            // Rejected by all that is no power of two.
            1 => script.iter_mut().step_by(5).for_each(|word| *word = 0),
            2 => script[..k.div_ceil(64) as usize].fill(0),
            3 => script[..k.div_ceil(64) as usize].fill(u64::MAX),
            _ => {}
        }
    }
    all
}

/// Some categories, the first and the last among them, and answers outside.
fn some_inputs(k: u32) -> [u32; 6] {
    [0, 1, k / 2, k - 1, k, u32::MAX]
}

/// Few and many categories, and all kinds of sizes: of one, of all but one, with flips and without.
fn sizes(full: bool) -> Vec<(u32, u32)> {
    let counts: Vec<u32> = if full {
        (2..=40).chain([63, 64, 65, 100, 127, 128, 129, 192, 200, 300]).collect()
    } else {
        vec![2, 3, 4, 5, 6, 9, 17, 63, 64, 65, 128, 200]
    };
    let mut all = Vec::new();
    for k in counts {
        let near = [1, 2, k / 17, k / 16, k / 4, k / 3, k / 2, k / 2 + 1, k - k / 9, k - 1];
        let mut sizes = near.to_vec();
        sizes.retain(|size| (1..k).contains(size));
        sizes.sort_unstable();
        sizes.dedup();
        all.extend(sizes.into_iter().map(|size| (k, size)));
    }
    all
}

/// size/k and its neighbours, of which the lower ones may be refused, next to 1, and others.
fn probs(k: u32, size: u32, count: usize, seeds: &mut Spread) -> Vec<f64> {
    let least = f64::from(size) / f64::from(k);
    let mut probs = probabilities(least, count, seeds);
    probs.extend([1, 2].map(|steps| f64::from_bits(least.to_bits() - steps)));
    probs.retain(|&prob| prob < 1.0);
    probs
}

fn named(Parameters { k, size, prob }: Parameters) -> String {
    format!("subset selection, k = {k}, size = {size}, prob = {prob}")
}
