//! Bit vectors.

use dashu_ratio::RBig;
use deniable::{
    BitVector, BitVectorDomain, DiscreteDistance, RandomizedResponseBitvec,
    make_randomized_response_bitvec,
};
use deniable_sample::Dyadic;

use super::laws::{Words, judge_laws, over_intervals, over_small_words, same_errors};
use super::parameters::{Spread, any_floats, places};
use super::{Local, map_at_other_distances};
use crate::audit::exact::{Loss, Tally, Worst, value};
use crate::interval::{Range, explore_paths};
use crate::law::{Between, Law};
use crate::words::spread;

/// Length, largest weight, f and whether in constant time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// The number of bits.
    pub k: usize,
    /// The most ones.
    pub m: usize,
    /// Twice the probability that a bit is flipped.
    pub f: f64,
    /// Whether in constant time.
    pub constant_time: bool,
}

/// The audit of `make_randomized_response_bitvec`.
pub fn audit(full: bool) -> Tally {
    let mut tally = Tally::default();
    for parameters in with_law(full) {
        let mechanism = shipping(parameters);
        tally.check(|| named(parameters), map_at_other_distances(&mechanism, true));
        tally.check(|| named(parameters), refuses_others(&mechanism, parameters));
        // In full, 2^24 scripts of three words of 8 bits for one of them.
        let most = if parameters == LONGEST { 1 << 28 } else { 1 << 20 };
        audit_laws(&mut tally, &mechanism, parameters, if full { most } else { 1 << 19 });
    }
    for parameters in by_draws(full) {
        let mechanism = shipping(parameters);
        audit_draws(&mut tally, &mechanism, parameters);
        audit_errors(&mut tally, &mechanism, parameters);
    }
    let fs = any_floats(if full { 6_000 } else { 300 }, &mut Spread::new(3));
    audit_maps(&mut tally, &fs, |parameters| Local::map(&shipping(parameters)));
    tally
}

/// The laws of all members of the domain: by intervals of 64-bit words, and by all scripts of small words where they
/// are few, both if it takes at most so many runs. The map bounds the loss of all pairs and is tight.
pub fn audit_laws<M: Local<Input = BitVector, Output = BitVector>>(
    tally: &mut Tally,
    mechanism: &M,
    parameters: Parameters,
    most_runs: usize,
) {
    let inputs = members(parameters);
    let depth = |width| words(parameters, width) * parameters.k;
    // Long probabilities take their time too.
    let is_few =
        |width| leaves(parameters, width).saturating_mul(inputs.len() + depth(64)) <= most_runs;
    let mut all = Vec::new();
    if is_few(64) {
        all.push(over_intervals(mechanism, &inputs, depth(64)));
    }
    if is_few(4) {
        all.push(over_small_words::<4, _>(mechanism, &inputs, depth(4)));
    }
    if is_few(8) {
        all.push(over_small_words::<8, _>(mechanism, &inputs, depth(8)));
    }
    let what = || named(parameters);
    for laws in all {
        let checked = laws.as_ref().map_err(Clone::clone);
        tally.check(what, checked.and_then(|laws| is_law(parameters, &inputs, laws)));
        if let Ok(laws) = laws {
            judge_laws(tally, &what, mechanism.map(), &laws);
        }
    }
}

/// Each bit is flipped by its own draw and by nothing else, the last one too, for vectors of any length: none is
/// flipped, each alone, all but each, and many.
pub fn audit_draws<M: Local<Input = BitVector, Output = BitVector>>(
    tally: &mut Tally,
    mechanism: &M,
    parameters: Parameters,
) {
    let (k, draws) = (parameters.k, Draws::new(parameters));
    let inputs = some_members(parameters);
    let mut noises = vec![BitVector::zeros(k)];
    for i in 0..k {
        noises.push((0..k).map(|j| j == i).collect());
        noises.push((0..k).map(|j| j != i).collect());
    }
    let random = spread(k + 16);
    noises.extend((0..16).map(|i| (0..k).map(|j| random[j + i] & 1 == 1).collect()));
    let result = noises.iter().enumerate().try_for_each(|(turn, noise)| {
        let script = draws.script(noise, turn);
        for input in &inputs {
            let mut words = Words::new(&script);
            let output = mechanism.invoke_from(input, &mut words);
            if output.as_ref() != Ok(&xor(input, noise)) || words.asked != script.len() {
                return Err("a bit is not flipped by its own draw alone".to_owned());
            }
        }
        Ok(())
    });
    tally.check(|| named(parameters), result);
}

/// Every vector reads the same words and gets the same errors.
pub fn audit_errors<M: Local<Input = BitVector, Output = BitVector>>(
    tally: &mut Tally,
    mechanism: &M,
    parameters: Parameters,
) {
    let inputs = some_members(parameters);
    let draws = Draws::new(parameters);
    for turn in 0..3 {
        let noise: BitVector = (0..parameters.k).map(|j| j % (turn + 1) == 0).collect();
        let script = draws.script(&noise, turn);
        // A fault at each of very many draws takes long, and is no other than one among fewer.
        if script.len() <= 300 {
            let result = same_errors(mechanism, &inputs, &script);
            tally.check(|| named(parameters), result);
        }
    }
}

/// Pairs that differ in d places lose d · ln((2 − f)/f), for each d there is, against any map.
pub fn audit_maps(tally: &mut Tally, fs: &[f64], map: impl Fn(Parameters) -> f64) {
    for &f in fs {
        let flip = value(f) / RBig::from(2);
        let loss = Loss::new(Worst::of_probabilities(&(RBig::ONE - &flip), &flip));
        for (k, m) in DOMAINS {
            let parameters = Parameters { k, m, f, constant_time: false };
            let losses: Vec<_> = (0..=k.min(2 * m) as u64).map(|d| (d, &loss)).collect();
            tally.judge(|| named(parameters), map(parameters), &losses);
        }
    }
}

/// Lengths and weights: those where 2m and k meet, none, all, and those with many differences.
const DOMAINS: [(usize, usize); 13] = [
    (1, 0),
    (1, 1),
    (2, 1),
    (3, 1),
    (3, 2),
    (8, 4),
    (16, 1),
    (32, 3),
    (64, 2),
    (65, 33),
    (128, 8),
    (100, 50),
    (1_000_000, 5),
];

/// Whose laws are found by every script of words of 8 bits, however long it takes.
const LONGEST: Parameters = Parameters { k: 3, m: 3, f: 77.0 / 128.0, constant_time: false };

/// The mechanism that ships.
///
/// # Panics
///
/// If it refuses the parameters.
pub fn shipping(parameters: Parameters) -> RandomizedResponseBitvec {
    let Parameters { k, m, f, constant_time } = parameters;
    let domain = BitVectorDomain::new(k).with_max_weight(m);
    make_randomized_response_bitvec(domain, DiscreteDistance, f, constant_time)
        .expect("accepted parameters")
}

/// The words that flip a bit, and those that do not: the ends of all the intervals that decide one draw.
struct Draws {
    flips: Vec<Vec<u64>>,
    keeps: Vec<Vec<u64>>,
}

impl Draws {
    fn new(parameters: Parameters) -> Self {
        let flip = Dyadic::from_float(parameters.f).expect("from 0 to 1").half();
        let length = words(parameters, 64);
        let mut draws = Draws { flips: Vec::new(), keeps: Vec::new() };
        let random = spread(32);
        let seen = |path: &[Range], outcome: Option<&bool>| {
            for is_first in [true, false] {
                let end = |range: &Range| if is_first { range.first } else { range.last };
                let mut script: Vec<u64> = path.iter().map(end).collect();
                if parameters.constant_time {
                    // The draw is decided, and the rest is read all the same.
                    script.extend(&random[script.len()..length.max(script.len())]);
                }
                let list = if outcome == Some(&true) { &mut draws.flips } else { &mut draws.keeps };
                list.push(script);
            }
        };
        explore_paths(Range::ALL, length, |source| flip.sample(false, source), seen);
        draws
    }

    /// Words that flip the bits of `noise`; `turn` decides which of them.
    fn script(&self, noise: &BitVector, turn: usize) -> Vec<u64> {
        let mut script = Vec::new();
        for (j, flips) in noise.iter().enumerate() {
            let list = if flips { &self.flips } else { &self.keeps };
            script.extend(&list[(turn + 3 * j) % list.len()]);
        }
        script
    }
}

/// Words of this width for one draw, at most.
fn words(parameters: Parameters, width: usize) -> usize {
    (places(parameters.f) + 1).div_ceil(width)
}

/// About how many scripts decide all draws: one for each word of each draw, or all words of a draw together.
fn leaves(parameters: Parameters, width: usize) -> usize {
    let words = words(parameters, width);
    // Of 64 bits, the intervals below, at and above the digit; zeros have none below, and most digits are zeros.
    let each: usize = if width == 64 { 3 } else { 1 << width };
    let draw = if parameters.constant_time {
        each.saturating_pow(words as u32)
    } else if width == 64 {
        words + 2
    } else {
        words * each
    };
    draw.saturating_pow(parameters.k as u32)
}

/// All vectors of k bits with at most m ones.
fn members(Parameters { k, m, .. }: Parameters) -> Vec<BitVector> {
    let all = (0u32..1 << k).filter(|bits| bits.count_ones() as usize <= m);
    all.map(|bits| (0..k).map(|i| bits >> i & 1 == 1).collect()).collect()
}

/// Zeros, the first m ones, the last m, and some between.
fn some_members(Parameters { k, m, .. }: Parameters) -> Vec<BitVector> {
    let m = m.min(k);
    let member = |first: usize, step: usize| {
        (0..k).map(|j| j >= first && (j - first) % step == 0 && (j - first) / step < m).collect()
    };
    vec![BitVector::zeros(k), member(0, 1), member(k - m, 1), member(0, 2)]
}

/// Vectors of another length or with too many ones are refused before a word is drawn.
fn refuses_others(
    mechanism: &RandomizedResponseBitvec,
    Parameters { k, m, .. }: Parameters,
) -> Result<(), String> {
    let mut others =
        vec![BitVector::zeros(k + 1), BitVector::zeros(k - 1), BitVector::zeros(k + 64)];
    if m < k {
        others.push((0..k).map(|j| j <= m).collect());
    }
    let random = spread(1000);
    for other in others {
        let mut words = Words::new(&random);
        let outcome = Local::invoke_from(mechanism, &other, &mut words);
        if outcome.map_err(|e| e.kind()) != Err(deniable::ErrorKind::NotAMember) || words.asked > 0
        {
            return Err("a vector that is not a member is not refused".to_owned());
        }
    }
    Ok(())
}

/// Every bit is flipped with probability f/2, independently of the others.
fn is_law(
    Parameters { k, f, .. }: Parameters,
    inputs: &[BitVector],
    laws: &[Law<BitVector>],
) -> Result<(), String> {
    let flip = value(f) / RBig::from(2);
    let keep = RBig::ONE - &flip;
    let all = members(Parameters { k, m: k, f, constant_time: false });
    let probability = |flips: usize| {
        let flipped = (0..flips).fold(RBig::ONE, |product, _| product * &flip);
        (flips..k).fold(flipped, |product, _| product * &keep)
    };
    let by_flips: Vec<RBig> = (0..=k).map(probability).collect();
    for (input, law) in inputs.iter().zip(laws) {
        let form = all.iter().map(|output| {
            let flips = xor(input, output).count_ones();
            (output.clone(), Between::exactly(by_flips[flips].clone()))
        });
        law.check(&RBig::ZERO, form)?;
    }
    Ok(())
}

/// Short vectors with every weight, for f with few and with many digits.
fn with_law(full: bool) -> Vec<Parameters> {
    let eighths = (1..=8).map(|n| f64::from(n) / 8.0);
    let mut fs: Vec<f64> = eighths.chain([1.0 / 128.0, 77.0 / 128.0, 0.3, 0.1]).collect();
    fs.extend([1.0 - f64::EPSILON / 2.0, f64::EPSILON, 1e-30, 1e-300, 1e-310, 5e-324]);
    let chosen = fs.len();
    if full {
        fs.extend(any_floats(42, &mut Spread::new(4)).split_off(18));
    }
    let mut all = Vec::new();
    for (i, k) in (0..fs.len()).flat_map(|i| (1..=6).map(move |k| (i, k))) {
        // The longest vectors take the longest.
        if k > 4 && !(full && i < chosen || fs[i] == 0.3) {
            continue;
        }
        let f = fs[i];
        for (m, constant_time) in (0..=k).flat_map(|m| [(m, false), (m, true)]) {
            all.push(Parameters { k, m, f, constant_time });
        }
    }
    all
}

/// Every length up to 200 with one f, and lengths around those of words with others.
fn by_draws(full: bool) -> Vec<Parameters> {
    let lengths: Vec<usize> = (1..=200).filter(|k| full || k % 64 < 3 || k % 64 > 61).collect();
    let mut all = Vec::new();
    for k in lengths {
        let around = k % 64 < 2 || k % 64 > 62 || k == 200;
        let fs: &[f64] = if around { &[0.5, 1.0, 0.3, 1e-310, 5e-324] } else { &[0.3] };
        for (&f, constant_time) in fs.iter().flat_map(|f| [(f, false), (f, true)]) {
            all.push(Parameters { k, m: k, f, constant_time });
        }
    }
    all
}

fn named(Parameters { k, m, f, constant_time }: Parameters) -> String {
    let time = if constant_time { ", constant time" } else { "" };
    format!("bit vector, k = {k}, max_weight = {m}, f = {f:e}{time}")
}

/// The places where two vectors of one length differ.
fn xor(a: &BitVector, b: &BitVector) -> BitVector {
    a.iter().zip(b.iter()).map(|(a, b)| a ^ b).collect()
}
