//! A bit for each of k categories, of which that of the answer has a law of its own.

use dashu_ratio::RBig;
use deniable::{BitVector, UnaryEncoding, make_unary_encoding};
use deniable_audit::stated;
use deniable_sample::FLIPS;

use super::bitvec::Columns;
use super::laws::{Words, judge_laws, over_small_words, same_errors};
use super::parameters::{Spread, any_floats};
use super::{Local, map_at_other_distances};
use crate::audit::exact::{Loss, Tally, value};
use crate::law::{Between, Law};
use crate::words::Script;

/// The parameters of a mechanism over the numbers below k.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// How many categories there are.
    pub k: u32,
    /// The probability that the bit of the answer is one.
    pub one: f64,
    /// The probability that another bit is one.
    pub zero: f64,
}

/// The audit of `make_unary_encoding`.
pub fn audit(full: bool) -> Tally {
    let mut tally = Tally::default();
    for parameters in with_law(full) {
        let mechanism = shipping(parameters);
        tally.check(|| named(parameters), map_at_other_distances(&mechanism, false));
        audit_laws(&mut tally, &mechanism, parameters, if full { 1 << 22 } else { 1 << 18 });
    }
    for parameters in by_draws(full) {
        let mechanism = shipping(parameters);
        audit_draws(&mut tally, &mechanism, parameters);
        audit_errors(&mut tally, &mechanism, parameters);
    }
    audit_maps(&mut tally, &pairs(if full { 20_000 } else { 2_000 }), |one, zero| {
        Local::map(&shipping(Parameters { k: 2, one, zero }))
    });
    tally
}

/// The mechanism that ships.
///
/// # Panics
///
/// If it refuses the parameters.
pub fn shipping(Parameters { k, one, zero }: Parameters) -> UnaryEncoding<u32> {
    make_unary_encoding(0..k, one, zero).expect("accepted parameters")
}

/// The laws of all categories and of two answers outside of them, by all scripts of words of 1, 2, 4 and 8 bits where that takes at
/// most so many runs; the map bounds the loss of all pairs and is tight. Then, for words of 64 bits, each bit by its own column.
pub fn audit_laws<M: Local<Input = u32, Output = BitVector>>(
    tally: &mut Tally,
    mechanism: &M,
    parameters: Parameters,
    most_runs: usize,
) {
    let inputs: Vec<u32> = (0..=parameters.k).chain([u32::MAX]).collect();
    let all = [
        laws_if_few::<1, _>(mechanism, parameters, &inputs, most_runs),
        laws_if_few::<2, _>(mechanism, parameters, &inputs, most_runs),
        laws_if_few::<4, _>(mechanism, parameters, &inputs, most_runs),
        laws_if_few::<8, _>(mechanism, parameters, &inputs, most_runs),
    ];
    let what = || named(parameters);
    for laws in all.into_iter().flatten() {
        let checked = laws.as_ref().map_err(Clone::clone);
        tally.check(what, checked.and_then(|laws| is_law(parameters, &inputs, laws)));
        if let Ok(laws) = laws {
            judge_laws(tally, &what, mechanism.map(), &laws);
        }
    }
    tally.check(what, Draws::new(parameters, 64).check(mechanism, &inputs));
}

/// Each bit is one by its own column of 64-bit words and by nothing else, that of the answer by columns behind all others, for any number of
/// categories, and no more words are read than it takes. With words of 8 bits that is so too.
pub fn audit_draws<M: Local<Input = u32, Output = BitVector>>(
    tally: &mut Tally,
    mechanism: &M,
    parameters: Parameters,
) {
    let inputs = some_inputs(parameters.k);
    let what = || named(parameters);
    tally.check(what, Draws::new(parameters, 64).check(mechanism, &inputs));
    tally.check(what, Draws::new(parameters, 8).check_small::<8, _>(mechanism, &inputs));
}

/// Every answer reads the same words and gets the same errors.
pub fn audit_errors<M: Local<Input = u32, Output = BitVector>>(
    tally: &mut Tally,
    mechanism: &M,
    parameters: Parameters,
) {
    let (inputs, draws) = (some_inputs(parameters.k), Draws::new(parameters, 64));
    for turn in 0..3 {
        let noise: BitVector = (0..parameters.k as usize).map(|j| j % (turn + 1) == 0).collect();
        let (script, _) = draws.script(&draws.zeros.agreeing(&noise, turn), turn);
        // A fault at each of very many draws takes long, and is no other than one among fewer.
        if script.len() <= 1200 {
            tally.check(|| named(parameters), same_errors(mechanism, &inputs, &script));
        }
    }
}

/// The loss of two categories, in whose bits both probabilities meet, and of a category and none, in whose bit one of them does,
/// against any map of `one` and `zero`.
pub fn audit_maps(tally: &mut Tally, pairs: &[(f64, f64)], map: impl Fn(f64, f64) -> f64) {
    for &(one, zero) in pairs {
        let losses = stated::bits_of_a_choice(one, zero).map(Loss::new);
        let what = || named(Parameters { k: 2, one, zero });
        tally.judge(what, map(one, zero), &losses.each_ref().map(|loss| (1, loss)));
    }
}

/// Scripts of which it is known what they do: columns for all bits, and then for that of the answer.
struct Draws {
    zeros: Columns,
    ones: Columns,
}

impl Draws {
    fn new(Parameters { k, one, zero }: Parameters, width: usize) -> Self {
        Draws {
            zeros: Columns::of_ones(k as usize, zero, width),
            ones: Columns::of_ones(1, one, width),
        }
    }

    /// The words that are read if the numbers of all bits agree with `zero` in so many digits, and whether the bit of the answer is one. That is of every kind in
    /// turn.
    fn script(&self, agreeing: &[usize], turn: usize) -> (Vec<u64>, bool) {
        let kinds: Vec<_> = self.ones.every_place().collect();
        let own = &kinds[turn % kinds.len()];
        let mut script = self.zeros.script(agreeing, turn);
        script.extend(self.ones.script(own, turn));
        (script, self.ones.noise(own).get(0) == Some(true))
    }

    /// Runs the mechanism that users call.
    fn check<M: Local<Input = u32, Output = BitVector>>(
        &self,
        mechanism: &M,
        inputs: &[u32],
    ) -> Result<(), String> {
        self.check_runs(inputs, |input, script| {
            let mut words = Words::new(script);
            (mechanism.invoke_from(input, &mut words), words.asked)
        })
    }

    /// The same with words of `BITS` bits.
    fn check_small<const BITS: u32, M: Local<Input = u32, Output = BitVector>>(
        &self,
        mechanism: &M,
        inputs: &[u32],
    ) -> Result<(), String> {
        self.check_runs(inputs, |input, script| {
            let mut words = Script::<BITS>::new(script);
            (mechanism.randomize(input, &mut words), words.asked)
        })
    }

    fn check_runs(
        &self,
        inputs: &[u32],
        run: impl Fn(&u32, &[u64]) -> (deniable::Result<BitVector>, usize),
    ) -> Result<(), String> {
        for (turn, agreeing) in self.zeros.every_kind().enumerate() {
            let ((script, own), noise) =
                (self.script(&agreeing, turn), self.zeros.noise(&agreeing));
            for input in inputs {
                let bit = |(place, bit)| if place == *input as usize { own } else { bit };
                let expected: BitVector = noise.iter().enumerate().map(bit).collect();
                if run(input, &script) != (Ok(expected), script.len()) {
                    return Err("a bit is not decided by its own column alone".to_owned());
                }
            }
        }
        Ok(())
    }

    /// Runs the mechanism with words of `BITS` bits: it must not ask for more than decide.
    fn check_ends<const BITS: u32, M: Local<Input = u32, Output = BitVector>>(
        &self,
        mechanism: &M,
        inputs: &[u32],
    ) -> Result<(), String> {
        for (turn, agreeing) in self.zeros.every_kind().enumerate() {
            let (script, _) = self.script(&agreeing, turn);
            let ends =
                |input| mechanism.randomize(input, &mut Script::<BITS>::new(&script)).is_ok();
            if !inputs.iter().all(ends) {
                return Err("more words are read than decide".to_owned());
            }
        }
        Ok(())
    }
}

/// The laws of these inputs over all scripts of words of `BITS` bits, if that takes at most so many runs.
fn laws_if_few<const BITS: u32, M: Local<Input = u32, Output = BitVector>>(
    mechanism: &M,
    parameters: Parameters,
    inputs: &[u32],
    most_runs: usize,
) -> Option<Result<Vec<Law<BitVector>>, String>> {
    let draws = Draws::new(parameters, BITS as usize);
    let depth = draws.zeros.most_words() + draws.ones.most_words();
    let scripts = draws.zeros.scripts().saturating_mul(draws.ones.scripts());
    // Long scripts take their time too.
    let runs = scripts.saturating_mul(inputs.len() * (1 + depth / 64));
    // Of a mechanism that reads on there might be far more scripts.
    let laws = || {
        draws.check_ends::<BITS, _>(mechanism, inputs)?;
        over_small_words::<BITS, _>(mechanism, inputs, depth)
    };
    (runs <= most_runs).then(laws)
}

/// All bits are independent: that of the answer is one with probability `one`, the others with `zero`.
fn is_law(
    Parameters { k, one, zero }: Parameters,
    inputs: &[u32],
    laws: &[Law<BitVector>],
) -> Result<(), String> {
    let (p, q) = (value(one), value(zero));
    let all: Vec<BitVector> =
        (0u32..1 << k).map(|bits| (0..k).map(|i| bits >> i & 1 == 1).collect()).collect();
    for (&input, law) in inputs.iter().zip(laws) {
        let probability = |report: &BitVector| {
            report.iter().enumerate().fold(RBig::ONE, |product, (place, is_one)| {
                let chance = if place == input as usize { &p } else { &q };
                product * if is_one { chance.clone() } else { RBig::ONE - chance }
            })
        };
        let form = all.iter().map(|y| (y.clone(), Between::exactly(probability(y))));
        law.check(&RBig::ZERO, form)?;
    }
    Ok(())
}

/// Some categories, the first and the last among them, and answers outside.
fn some_inputs(k: u32) -> [u32; 6] {
    [0, 1, k / 2, k - 1, k, u32::MAX]
}

/// Few categories, with probabilities of few digits and of many.
fn with_law(full: bool) -> Vec<Parameters> {
    let mut pairs = vec![(0.5, 0.25), (0.5, 0.125), (0.75, 0.25), (0.875, 0.625), (0.625, 0.375)];
    pairs.extend([(0.9375, 0.0625), (0.5, 77.0 / 256.0), (0.5, 0.1), (0.9, 0.3), (0.7, 1e-30)]);
    pairs.extend([(1.0 - f64::EPSILON / 2.0, 0.5), (0.5, 5e-324), (1e-310, 5e-324)]);
    if full {
        pairs.extend(self::pairs(60).split_off(20));
    }
    let all = pairs.into_iter().flat_map(|pair| (2..=6).map(move |k| (k, pair)));
    all.map(|(k, (one, zero))| Parameters { k, one, zero }).collect()
}

/// As many categories as bits in words, and around that; and more than are flipped at once.
fn by_draws(full: bool) -> Vec<Parameters> {
    let short = (2..=200).filter(|k| full || k % 64 < 3 || k % 64 > 61);
    let most = FLIPS as u32 * 64;
    let long: &[u32] = if full { &[most - 1, most, most + 70] } else { &[most + 2] };
    let mut all = Vec::new();
    for k in short.chain(long.iter().copied()) {
        let pairs: &[(f64, f64)] = match k % 64 < 2 || k % 64 > 62 {
            true => &[(0.5, 0.25), (0.5, 0.2689414213699951), (0.7, 0.3)],
            false => &[(0.5, 0.2689414213699951)],
        };
        all.extend(pairs.iter().map(|&(one, zero)| Parameters { k, one, zero }));
    }
    all
}

/// So many pairs of a `one` and a smaller `zero`: next to each other, next to 0 and 1, and others of any size.
pub fn pairs(count: usize) -> Vec<(f64, f64)> {
    let mut seeds = Spread::new(6);
    let floats = any_floats(2 * count, &mut seeds);
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for (i, &x) in floats.iter().enumerate().filter(|(_, x)| **x < 1.0) {
        let y = match i % 4 {
            // The next one, and one nearby.
            0 => f64::from_bits(x.to_bits() + 1),
            1 => f64::from_bits(x.to_bits() + seeds.any_size(1 << 52)),
            _ => floats[seeds.below(floats.len() as u64) as usize],
        };
        let (one, zero) = (x.max(y), x.min(y));
        if zero < one && one < 1.0 {
            pairs.push((one, zero));
        }
    }
    pairs.truncate(count);
    pairs
}

fn named(Parameters { k, one, zero }: Parameters) -> String {
    format!("unary encoding, k = {k}, one = {one:e}, zero = {zero:e}")
}
