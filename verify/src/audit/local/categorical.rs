//! One of t categories.

use core::cmp::Ordering;
use core::hash::{Hash, Hasher};

use dashu_ratio::RBig;
use deniable::make_randomized_response;
use deniable_audit::stated;
use deniable_sample::sample_uniform_int_below;

use super::laws::{
    Words, given_one_pass, judge_laws, over_intervals, over_small_words, same_errors,
};
use super::parameters::{Spread, places, probabilities};
use super::{Local, map_at_other_distances};
use crate::audit::exact::{Loss, Tally, fraction, value};
use crate::law::{Between, Law};
use crate::words::{Script64, spread};

/// The audit of `make_randomized_response`.
pub fn audit(full: bool) -> Tally {
    let mut tally = Tally::default();
    let counts: Vec<u32> = if full {
        (2..=2000).collect()
    } else {
        (2..=40).chain([63, 64, 65, 127, 128, 129, 500, 1000, 2000]).collect()
    };
    let many = if full { 180 } else { 40 };
    let mut seeds = Spread::new(2);
    for t in counts {
        let one_in = 1.0 / f64::from(t);
        let mechanism = make_randomized_response(0..t, one_in).expect("an accepted prob");
        tally.check(|| named(t, one_in), map_at_other_distances(&mechanism, false));
        audit_draws(&mut tally, &mechanism, t);
        audit_errors(&mut tally, &mechanism, t);
        audit_maps(&mut tally, t, &probs(t, many, &mut seeds), |t, prob| {
            make_randomized_response(0..t, prob).ok().map(|mechanism| Local::map(&mechanism))
        });
    }
    for t in 2..=8 {
        for prob in probs_with_law(t, full, &mut seeds) {
            let mechanism = make_randomized_response(0..t, prob).expect("an accepted prob");
            audit_laws(&mut tally, &mechanism, t, prob, full);
        }
    }
    let cups = ["tea", "coffee", "Other"].map(Caseless::new);
    audit_equal_answers(&mut tally, &make_randomized_response(cups, 0.75).expect("two or more"));
    tally
}

/// The laws of all categories and of two answers outside of them, exactly, by intervals of 64-bit words and, where
/// `prob` has few digits, by all scripts of small words. The map bounds the loss of all pairs and is tight.
///
/// The closed form treats all categories alike, so a law that has it does too.
pub fn audit_laws<M: Local<Input = u32, Output = u32>>(
    tally: &mut Tally,
    mechanism: &M,
    t: u32,
    prob: f64,
    full: bool,
) {
    let inputs: Vec<u32> = (0..=t).chain([u32::MAX]).collect();
    // One word each for the truth, for anyone, and for another unless there is only one.
    let draws = if t == 2 { 2 } else { 3 };
    let mut all = vec![over_intervals(mechanism, &inputs, draws)];
    if places(prob) <= 4 {
        all.push(over_small_words::<4, _>(mechanism, &inputs, draws));
    }
    // 2^24 scripts, and in full only.
    if places(prob) <= 8 && (t == 2 || full && prob == short_prob(t)) {
        all.push(over_small_words::<8, _>(mechanism, &inputs, draws));
    }
    for laws in all {
        let laws: Result<Vec<_>, _> =
            laws.map(|laws| laws.into_iter().map(given_one_pass).collect());
        let is_right =
            laws.as_ref().map_err(Clone::clone).and_then(|laws| is_law(t, prob, &inputs, laws));
        tally.check(|| named(t, prob), is_right);
        if let Ok(laws) = laws {
            judge_laws(tally, &|| named(t, prob), mechanism.map(), &laws);
        }
    }
}

/// The law by its draws: whether the truth is told, anyone, and another than the truth.
///
/// Each draw's own law is known, so it takes only the outputs for all their values. Inside, the truth is the
/// answer itself, and lies are each other category once, whoever is drawn as anyone. Outside, each category comes
/// once, whatever the other draws. Nothing of this depends on `prob`.
pub fn audit_draws<M: Local<Input = u32, Output = u32>>(tally: &mut Tally, mechanism: &M, t: u32) {
    let what = || format!("categorical by its draws, t = {t}");
    let draws = match Draws::new(mechanism, t) {
        Ok(draws) => draws,
        Err(problem) => return tally.check(what, Err(problem)),
    };
    let mut inside = vec![0, 1, t / 2, t - 2, t - 1];
    inside.sort_unstable();
    inside.dedup();
    for input in inside {
        tally.check(what, draws.inside(input));
    }
    for input in [t, t + 1, u32::MAX] {
        tally.check(what, draws.outside(input));
    }
}

/// Every answer reads the same words and gets the same errors, on scripts with rejected draws too.
pub fn audit_errors<M: Local<Input = u32, Output = u32>>(tally: &mut Tally, mechanism: &M, t: u32) {
    let inputs = [0, 1, t / 2, t - 1, t, u32::MAX];
    let random = spread(16);
    let mut scripts = vec![vec![], vec![0], vec![u64::MAX]];
    for word in rejected(t).into_iter().chain(rejected(t - 1)) {
        for truth in [7, u64::MAX] {
            scripts.extend([
                vec![word],
                vec![truth, word],
                vec![truth, word, word],
                vec![truth, 7, word],
            ]);
        }
    }
    for mut script in scripts {
        script.extend(&random);
        tally.check(
            || format!("categorical, t = {t}, errors"),
            same_errors(mechanism, &inputs, &script),
        );
    }
}

/// Some of the words that a uniform draw below n rejects, if it rejects any: the low half of w·n is least where the
/// high half begins.
pub(super) fn rejected(n: u32) -> Vec<u64> {
    let (n, all) = (u128::from(n), 1u128 << 64);
    let first = |v: u128| (v * all).div_ceil(n);
    let is_rejected = |&word: &u128| word * n % all < all % n;
    [0, 1, 2, n / 2, n - 1]
        .map(first)
        .into_iter()
        .filter(is_rejected)
        .map(|word| word as u64)
        .collect()
}

/// The loss of the three classes of pairs (both inside, from inside to outside, from outside to inside) against any
/// map; None where the map refuses `prob`.
pub fn audit_maps(tally: &mut Tally, t: u32, probs: &[f64], map: impl Fn(u32, f64) -> Option<f64>) {
    judge_maps(tally, named, t, probs, map);
}

/// The same for a mechanism of another name that releases one of t places.
pub(super) fn judge_maps(
    tally: &mut Tally,
    named: impl Fn(u32, f64) -> String,
    t: u32,
    probs: &[f64],
    map: impl Fn(u32, f64) -> Option<f64>,
) {
    for &prob in probs {
        let Some(map) = map(t, prob) else { continue };
        let losses = stated::choice(t, prob).map(Loss::new);
        tally.judge(|| named(t, prob), map, &losses.each_ref().map(|loss| (1, loss)));
    }
}

/// Where equality is coarser than identity, equal answers give the same outputs, and only stored categories come out.
pub fn audit_equal_answers<M: Local<Input = Caseless>>(tally: &mut Tally, mechanism: &M) {
    let inputs = ["tea", "TEA", "Coffee", "other", "milk", "MILK"].map(Caseless::new);
    let what = || "categorical, answers that are equal and not the same".to_owned();
    match over_small_words::<4, _>(mechanism, &inputs, 3) {
        Ok(laws) => {
            let laws: Vec<_> = laws.into_iter().map(given_one_pass).collect();
            // At distance 0 the map is 0.
            judge_laws(tally, &what, 0.0, &laws[..2]);
            judge_laws(tally, &what, 0.0, &laws[4..]);
            judge_laws(tally, &what, mechanism.map(), &laws);
        }
        Err(problem) => tally.check(what, Err(problem)),
    }
}

/// A text that equals all that differ from it in upper and lower case only. Its order tells them apart.
#[derive(Clone, Debug)]
pub struct Caseless(String);

impl Caseless {
    /// This text.
    pub fn new(text: &str) -> Self {
        Caseless(text.to_owned())
    }
}

impl PartialEq for Caseless {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl Eq for Caseless {}

impl Hash for Caseless {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_ascii_lowercase().hash(state);
    }
}

impl PartialOrd for Caseless {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Caseless {
    /// Laws are kept by this order: what can be told apart must be told apart.
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

/// Words that make each draw come out as one likes.
struct Draws<'a, M> {
    mechanism: &'a M,
    t: u32,
    anyone: Vec<Option<u64>>,
    another: Vec<Option<u64>>,
}

impl<'a, M: Local<Input = u32, Output = u32>> Draws<'a, M> {
    fn new(mechanism: &'a M, t: u32) -> Result<Self, String> {
        Ok(Draws { mechanism, t, anyone: words_below(t)?, another: words_below(t - 1)? })
    }

    /// What is released. The words that tell the truth and a lie do so for every accepted `prob`.
    fn released(
        &self,
        input: u32,
        truthful: bool,
        anyone: usize,
        another: usize,
    ) -> Result<u32, String> {
        let mut script = [if truthful { 0 } else { u64::MAX }, 0, 0];
        let mut length = 1;
        for word in [self.anyone[anyone], self.another[another]].into_iter().flatten() {
            script[length] = word;
            length += 1;
        }
        let mut words = Words::new(&script[..length]);
        match self.mechanism.invoke_from(&input, &mut words) {
            Ok(output) if words.asked == length && output < self.t => Ok(output),
            _ => Err("it does not make these draws".to_owned()),
        }
    }

    fn inside(&self, input: u32) -> Result<(), String> {
        is_truth_or_lie(self.t, input, |truthful, anyone, another| {
            self.released(input, truthful, anyone, another)
        })
    }

    fn outside(&self, input: u32) -> Result<(), String> {
        is_anyone(self.t, |truthful, anyone, another| {
            self.released(input, truthful, anyone, another)
        })
    }
}

/// What is released of "truthful", "anyone" and "another", if one of t places is the truth: the truth, and else each other place once.
pub(super) fn is_truth_or_lie(
    t: u32,
    truth: u32,
    released: impl Fn(bool, usize, usize) -> Result<u32, String>,
) -> Result<(), String> {
    let (anyones, others) = (t as usize, t as usize - 1);
    for anyone in some_of(anyones) {
        let mut seen = vec![false; t as usize];
        seen[truth as usize] = true;
        for another in 0..others {
            let output = released(false, anyone, another)?;
            if core::mem::replace(&mut seen[output as usize], true) {
                return Err(format!("{output} is too likely a lie of {truth}"));
            }
        }
    }
    for another in some_of(others) {
        let lie = released(false, 0, another)?;
        for anyone in 0..anyones {
            if released(true, anyone, another)? != truth {
                return Err(format!("{truth} is not told"));
            }
            if released(false, anyone, another)? != lie {
                return Err(format!("a lie of {truth} depends on anyone"));
            }
        }
    }
    // The truth does not depend on the lie that was not told.
    let truths = |another| released(true, 0, another).map(|output| output == truth);
    match (0..others).map(truths).collect::<Result<Vec<_>, _>>()?.contains(&false) {
        true => Err(format!("{truth} is not told")),
        false => Ok(()),
    }
}

/// The same for an answer outside: each place once, whatever else is drawn.
pub(super) fn is_anyone(
    t: u32,
    released: impl Fn(bool, usize, usize) -> Result<u32, String>,
) -> Result<(), String> {
    let (anyones, others) = (t as usize, t as usize - 1);
    for another in some_of(others) {
        for truthful in [true, false] {
            let mut seen = vec![false; t as usize];
            for anyone in 0..anyones {
                let output = released(truthful, anyone, another)?;
                if core::mem::replace(&mut seen[output as usize], true) {
                    return Err(format!("{output} is too likely for an answer outside"));
                }
            }
        }
    }
    for anyone in some_of(anyones) {
        let expected = released(true, anyone, 0)?;
        for (another, truthful) in (0..others).flat_map(|i| [(i, true), (i, false)]) {
            if released(truthful, anyone, another)? != expected {
                return Err("an answer outside depends on other draws".to_owned());
            }
        }
    }
    Ok(())
}

/// For each number below n a word that makes `sample_uniform_int_below` return it: the first or the last such word
/// that is not rejected. Nothing is drawn below 1.
pub(super) fn words_below(n: u32) -> Result<Vec<Option<u64>>, String> {
    if n == 1 {
        return Ok(vec![None]);
    }
    // w·n = v·2^64 + low is accepted if low is at least 2^64 mod n, and there are equally many such w for each v.
    let (n, all) = (u128::from(n), 1u128 << 64);
    let word = |v: u128| {
        let first = (v * all + all % n).div_ceil(n);
        let last = ((v + 1) * all).div_ceil(n) - 1;
        if last - first + 1 != all / n {
            return Err("a number has another count of words".to_owned());
        }
        for word in [first, last] {
            let script = [word as u64];
            let mut source = Script64::new(&script);
            let drawn = sample_uniform_int_below(n as usize, &mut source);
            if drawn != Ok(v as usize) || source.asked != 1 {
                return Err("a word gives another number".to_owned());
            }
        }
        Ok(Some(if v.is_multiple_of(2) { first } else { last } as u64))
    };
    (0..n).map(word).collect()
}

/// All indices if they are few, else some, the first and the last among them.
fn some_of(n: usize) -> Vec<usize> {
    if n <= 32 { (0..n).collect() } else { vec![0, n / 2, n - 1] }
}

/// What the documents say: inside, the truth or any of the others alike; outside, any.
fn is_law(t: u32, prob: f64, inputs: &[u32], laws: &[Law<u32>]) -> Result<(), String> {
    let (truth, anyone) = (value(prob), fraction(1, t.into()));
    let lie = (RBig::ONE - &truth) / RBig::from(t - 1);
    for (&input, law) in inputs.iter().zip(laws) {
        let probability = |output: u32| match input {
            _ if input >= t => anyone.clone(),
            _ if input == output => truth.clone(),
            _ => lie.clone(),
        };
        law.check(&RBig::ZERO, (0..t).map(|y| (y, Between::exactly(probability(y)))))?;
    }
    Ok(())
}

/// 1/t and its neighbours, of which the lower ones may be refused, next to 1, and others.
pub(super) fn probs(t: u32, count: usize, seeds: &mut Spread) -> Vec<f64> {
    let least = 1.0 / f64::from(t);
    let mut probs = probabilities(least, count, seeds);
    probs.extend([1, 2].map(|steps| f64::from_bits(least.to_bits() - steps)));
    probs.retain(|&prob| prob < 1.0);
    probs
}

/// All with 4 digits, one with 8, and some with many.
fn probs_with_law(t: u32, full: bool, seeds: &mut Spread) -> Vec<f64> {
    let mut probs: Vec<f64> = (16u32.div_ceil(t)..16).map(|n| f64::from(n) / 16.0).collect();
    probs.push(short_prob(t));
    probs.extend(self::probs(t, if full { 60 } else { 8 }, seeds));
    probs.retain(|&prob| prob >= 1.0 / f64::from(t));
    probs
}

/// A `prob` with 8 digits.
fn short_prob(t: u32) -> f64 {
    f64::from((256 / t + 40) | 1) / 256.0
}

fn named(t: u32, prob: f64) -> String {
    format!("categorical, t = {t}, prob = {prob}")
}
