//! One of many categories, hashed.

use dashu_ratio::RBig;
use deniable::estimate::BitCounts;
use deniable::{LocalHashing, make_local_hashing};

use super::categorical::{is_anyone, is_truth_or_lie, judge_maps, probs, rejected, words_below};
use super::laws::{
    Words, given_one_pass, judge_laws, over_intervals, over_small_words, same_errors,
};
use super::parameters::{Spread, places};
use super::{Local, map_at_other_distances};
use crate::audit::exact::{Tally, fraction, value};
use crate::law::{Between, Law};
use crate::words::spread;

/// The parameters of a mechanism over the numbers below k.
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    /// How many categories there are.
    pub k: u32,
    /// How many buckets there are.
    pub g: u32,
    /// The probability of the answer's bucket.
    pub prob: f64,
}

/// The audit of `make_local_hashing`.
pub fn audit(full: bool) -> Tally {
    let mut tally = Tally::default();
    let mut seeds = Spread::new(5);
    let some = [63, 64, 65, 127, 128, 129, 255, 256, 257, 1000, 4096, 4097, 65_535, 65_536];
    let counts: Vec<u32> = (2..if full { 1000 } else { 20 }).chain(some).collect();
    for g in counts {
        let least = Parameters { k: 2, g, prob: 1.0 / f64::from(g) };
        tally.check(|| named(least), map_at_other_distances(&shipping(least), false));
        audit_maps(&mut tally, g, &probs(g, if full { 120 } else { 40 }, &mut seeds), |p| {
            make_local_hashing(0..p.k, p.g as usize, p.prob).ok().map(|made| Local::map(&made))
        });
    }
    for (k, g) in
        [(2, 2), (3, 3), (5, 7), (128, 4), (1000, 56), (129, 257), (40, 1000), (9, 65_536)]
    {
        let parameters = Parameters { k, g, prob: 0.5 };
        audit_draws(&mut tally, &shipping(parameters), parameters);
        audit_errors(&mut tally, &shipping(parameters), parameters);
    }
    let few = [(2, 2), (3, 2), (4, 2), (5, 2), (2, 3), (3, 3), (2, 4)];
    let more = [(8, 2), (9, 2), (4, 3), (3, 4), (2, 5), (2, 6)];
    for &(k, g) in few.iter().chain(if full { &more[..] } else { &[] }) {
        for prob in [0.5, 0.75, 0.9375, 0.7, 1.0 - f64::EPSILON / 2.0] {
            let parameters = Parameters { k, g, prob };
            let mechanism = shipping(parameters);
            audit_laws(&mut tally, &mechanism, parameters, full, |row| ones(&mechanism, row));
        }
    }
    tally
}

/// The mechanism that ships.
///
/// # Panics
///
/// If the parameters are refused.
pub fn shipping(Parameters { k, g, prob }: Parameters) -> LocalHashing<u32> {
    make_local_hashing(0..k, g as usize, prob).expect("accepted parameters")
}

/// The categories that a report supports, by the counting that ships.
fn ones(mechanism: &LocalHashing<u32>, row: &[u16]) -> Vec<u64> {
    let mut counts = BitCounts::new(mechanism.categories().len());
    mechanism.count_rows(row, &mut counts).expect("a report of this mechanism");
    counts.ones()
}

/// The bucket of a place, as the documents have it: the shift, and the step of each digit that is one.
pub fn bucket_of(seed: &[u16], place: u32, g: u32) -> u32 {
    let digits = (0..seed.len() - 1).filter(|digit| place >> digit & 1 == 1);
    digits.fold(u32::from(seed[0]), |sum, digit| (sum + u32::from(seed[1 + digit])) % g)
}

/// How many numbers a seed has: one more than the last place has digits.
pub fn seed_length(k: u32) -> usize {
    1 + (32 - (k - 1).leading_zeros()) as usize
}

/// The laws of seed and bucket of all categories and of two answers outside of them, exactly, by intervals of 64-bit words and, where `prob` has few
/// digits and the draws are few, by all scripts of small words. The map bounds the loss of all pairs and is tight. What each report supports, by
/// `supports`, has the stated probabilities.
pub fn audit_laws<M: Local<Input = u32, Output = Vec<u16>>>(
    tally: &mut Tally,
    mechanism: &M,
    parameters: Parameters,
    full: bool,
    supports: impl Fn(&[u16]) -> Vec<u64>,
) {
    let Parameters { k, g, prob } = parameters;
    let (inputs, draws) = (inputs(k), seed_length(k) + draws_of_bucket(g));
    let mut all = vec![over_intervals(mechanism, &inputs, draws)];
    // 2^20 scripts for some of the parameters, and in full only.
    if places(prob) <= 4 && (draws <= 4 || full && draws <= 5 && prob == 0.75) {
        all.push(over_small_words::<4, _>(mechanism, &inputs, draws));
    }
    for laws in all {
        let laws: Vec<_> = match laws {
            Ok(laws) => laws.into_iter().map(given_one_pass).collect(),
            Err(problem) => {
                tally.check(|| named(parameters), Err(problem));
                continue;
            }
        };
        tally.check(|| named(parameters), is_law(parameters, &inputs, &laws));
        let support = is_support(parameters, &inputs, &laws, &supports);
        tally.check(|| named(parameters), support);
        judge_laws(tally, &|| named(parameters), mechanism.map(), &laws);
    }
}

/// All categories, and two answers outside of them.
pub fn inputs(k: u32) -> Vec<u32> {
    (0..=k).chain([u32::MAX]).collect()
}

/// Whether the bucket is that of the answer, any bucket, and another one unless there is only one.
fn draws_of_bucket(g: u32) -> usize {
    if g == 2 { 2 } else { 3 }
}

/// What the documents say: all seeds alike, and given the seed, randomized response over the buckets.
fn is_law(
    Parameters { k, g, prob }: Parameters,
    inputs: &[u32],
    laws: &[Law<Vec<u16>>],
) -> Result<(), String> {
    let (truth, anyone) = (value(prob), fraction(1, g.into()));
    let lie = (RBig::ONE - &truth) / RBig::from(g - 1);
    let length = seed_length(k);
    let share = fraction(1, u64::from(g).pow(length as u32));
    for (&input, law) in inputs.iter().zip(laws) {
        let probability = |row: &[u16]| {
            let (&bucket, seed) = row.split_last().expect("a row is not empty");
            let of_bucket = match input {
                _ if input >= k => &anyone,
                _ if bucket_of(seed, input, g) == u32::from(bucket) => &truth,
                _ => &lie,
            };
            of_bucket * &share
        };
        let support = rows(g, length + 1).map(|row| {
            let probability = probability(&row);
            (row, Between::exactly(probability))
        });
        law.check(&RBig::ZERO, support)?;
    }
    Ok(())
}

/// Whether a report supports the answer with probability `prob`, and everything else with probability 1/g.
///
/// # Errors
///
/// What has another probability.
pub fn is_support(
    Parameters { k, g, prob }: Parameters,
    inputs: &[u32],
    laws: &[Law<Vec<u16>>],
    supports: impl Fn(&[u16]) -> Vec<u64>,
) -> Result<(), String> {
    for (&input, law) in inputs.iter().zip(laws) {
        let mut supported = vec![RBig::ZERO; k as usize];
        for (row, mass) in &law.mass {
            for (supported, one) in supported.iter_mut().zip(supports(row)) {
                *supported += mass * RBig::from(one);
            }
        }
        for (place, supported) in (0..).zip(supported) {
            let expected = if place == input { value(prob) } else { fraction(1, g.into()) };
            if supported != expected {
                return Err(format!("{place} has another support if the answer is {input}"));
            }
        }
    }
    Ok(())
}

/// All rows of so many numbers below g.
fn rows(g: u32, length: usize) -> impl Iterator<Item = Vec<u16>> {
    (0..u64::from(g).pow(length as u32)).map(move |number| {
        let digit = |place| (number / u64::from(g).pow(place) % u64::from(g)) as u16;
        (0..length as u32).map(digit).collect()
    })
}

/// The law by its draws: the numbers of the seed, whether the bucket is that of the answer, anyone, and another.
///
/// Each draw's own law is known, so it takes only the outputs for their values. The seed is what was drawn. Given a seed the bucket is that of
/// randomized response, for all values of its draws. Nothing of this depends on `prob`.
pub fn audit_draws<M: Local<Input = u32, Output = Vec<u16>>>(
    tally: &mut Tally,
    mechanism: &M,
    Parameters { k, g, .. }: Parameters,
) {
    let what = || format!("hashing by its draws, k = {k}, g = {g}");
    let (residues, another) = match (words_below(g), words_below(g - 1)) {
        (Ok(residues), Ok(another)) => (residues, another),
        (residues, another) => return tally.check(what, residues.and(another).map(drop)),
    };
    let draws = Draws { mechanism, g, residues, another };
    let mut spread = Spread::new(u64::from(k * 100 + g));
    for seed in 0..if g > 300 { 2 } else { 6 } {
        let mut residue = || if seed == 0 { g - 1 } else { spread.below(g.into()) as u32 } as u16;
        let seed: Vec<u16> = (0..seed_length(k)).map(|_| residue()).collect();
        for input in [0, 1, k / 2, k - 1] {
            let truth = bucket_of(&seed, input, g);
            let released =
                |truthful, anyone, another| draws.released(input, &seed, truthful, anyone, another);
            tally.check(what, is_truth_or_lie(g, truth, released));
        }
        for input in [k, u32::MAX] {
            let released =
                |truthful, anyone, another| draws.released(input, &seed, truthful, anyone, another);
            tally.check(what, is_anyone(g, released));
        }
    }
}

/// Words that make each draw come out as one likes.
struct Draws<'a, M> {
    mechanism: &'a M,
    g: u32,
    residues: Vec<Option<u64>>,
    another: Vec<Option<u64>>,
}

impl<M: Local<Input = u32, Output = Vec<u16>>> Draws<'_, M> {
    /// The bucket, if the seed is the one that was drawn.
    fn released(
        &self,
        input: u32,
        seed: &[u16],
        truthful: bool,
        anyone: usize,
        another: usize,
    ) -> Result<u32, String> {
        let mut script: Vec<u64> =
            seed.iter().filter_map(|&residue| self.residues[usize::from(residue)]).collect();
        script.push(if truthful { 0 } else { u64::MAX });
        script.extend([self.residues[anyone], self.another[another]].into_iter().flatten());
        let mut words = Words::new(&script);
        let row = self.mechanism.invoke_from(&input, &mut words);
        match row.as_ref().map(|row| row.split_last()) {
            Ok(Some((&bucket, drawn)))
                if words.asked == script.len() && drawn == seed && u32::from(bucket) < self.g =>
            {
                Ok(bucket.into())
            }
            _ => Err("it does not make these draws".to_owned()),
        }
    }
}

/// Every answer reads the same words and gets the same errors, on scripts with rejected draws too.
pub fn audit_errors<M: Local<Input = u32, Output = Vec<u16>>>(
    tally: &mut Tally,
    mechanism: &M,
    Parameters { k, g, .. }: Parameters,
) {
    let inputs = [0, 1, k / 2, k - 1, k, u32::MAX];
    let random = spread(60);
    let draws = seed_length(k) + draws_of_bucket(g);
    let mut scripts = vec![random.clone()];
    for word in rejected(g).into_iter().chain(rejected(g - 1)).chain([0, u64::MAX]) {
        for draw in 0..draws {
            let mut script = random.clone();
            script.splice(draw..draw, [word, word]);
            scripts.push(script);
        }
    }
    for script in scripts {
        tally.check(
            || format!("hashing, k = {k}, g = {g}, errors"),
            same_errors(mechanism, &inputs, &script),
        );
    }
}

/// The loss of the three classes of pairs (both inside, from inside to outside, from outside to inside) against any map; None where the map
/// refuses its parameters. Under a seed with which two categories have one bucket nothing is lost.
pub fn audit_maps(
    tally: &mut Tally,
    g: u32,
    probs: &[f64],
    map: impl Fn(Parameters) -> Option<f64>,
) {
    let parameters = |g, prob| Parameters { k: 2, g, prob };
    let what = |g, prob| named(parameters(g, prob));
    judge_maps(tally, what, g, probs, |g, prob| map(parameters(g, prob)));
}

fn named(Parameters { k, g, prob }: Parameters) -> String {
    format!("hashing, k = {k}, g = {g}, prob = {prob}")
}
