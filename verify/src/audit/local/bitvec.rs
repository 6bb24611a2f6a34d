//! Bit vectors.

mod columns;

pub(super) use columns::Columns;
pub use columns::side_by_side;
use dashu_ratio::RBig;
use deniable::{
    BitVector, BitVectorDomain, DiscreteDistance, RandomizedResponseBitvec,
    make_randomized_response_bitvec,
};
use deniable_audit::stated;
use deniable_sample::FLIPS;

use super::laws::{Words, judge_laws, over_small_words, same_errors};
use super::parameters::{Spread, any_floats};
use super::{Local, map_at_other_distances};
use crate::audit::exact::{Loss, Tally, value};
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
        let most = match (full, LONGEST.contains(&parameters)) {
            (true, true) => 1 << 25,
            (true, false) => 1 << 19,
            (false, _) => 1 << 16,
        };
        audit_laws(&mut tally, &mechanism, parameters, most);
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

/// The laws of all members of the domain, by all scripts of words of 1, 2, 4 and 8 bits where that takes at most so
/// many runs; the map bounds the loss of all pairs and is tight. Then, for words of 64 bits, each bit by its own column.
///
/// With words of 1 bit every bit of the vector has its own words, so that all digits of many probabilities can be
/// tried. With wider ones bits share words, and vectors that are longer than a word take several groups of words.
pub fn audit_laws<M: Local<Input = BitVector, Output = BitVector>>(
    tally: &mut Tally,
    mechanism: &M,
    parameters: Parameters,
    most_runs: usize,
) {
    let inputs = members(parameters);
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
    let columns = Columns::new(parameters, 64);
    tally.check(what, columns.check(mechanism, &inputs, columns.every_noise()));
    // With all vectors as inputs, and not again for each weight.
    if parameters.m == parameters.k {
        tally.check(what, columns.check(mechanism, &inputs, columns.every_place()));
    }
}

/// Each bit is flipped by its own column of 64-bit words and by nothing else, the last one too, for vectors of any
/// length, and no more words are read than it takes. With words of 8 bits that is so too, where laws are only found for
/// short vectors.
pub fn audit_draws<M: Local<Input = BitVector, Output = BitVector>>(
    tally: &mut Tally,
    mechanism: &M,
    parameters: Parameters,
) {
    let (inputs, columns) = (some_members(parameters), Columns::new(parameters, 64));
    let small = Columns::new(parameters, 8);
    for result in [
        columns.check(mechanism, &inputs, columns.every_noise()),
        columns.check(mechanism, &inputs, columns.every_place()),
        columns.check(mechanism, &inputs, columns.one_is_last()),
        small.check_small::<8, _>(mechanism, &inputs, small.every_noise()),
    ] {
        tally.check(|| named(parameters), result);
    }
}

/// Every vector reads the same words and gets the same errors.
pub fn audit_errors<M: Local<Input = BitVector, Output = BitVector>>(
    tally: &mut Tally,
    mechanism: &M,
    parameters: Parameters,
) {
    let (inputs, columns) = (some_members(parameters), Columns::new(parameters, 64));
    for turn in 0..3 {
        let noise: BitVector = (0..parameters.k).map(|j| j % (turn + 1) == 0).collect();
        let script = columns.script(&columns.agreeing(&noise, turn), turn);
        // A fault at each of very many draws takes long, and is no other than one among fewer.
        if script.len() <= 1200 {
            let result = same_errors(mechanism, &inputs, &script);
            tally.check(|| named(parameters), result);
        }
    }
}

/// Pairs that differ in d places lose d · ln((2 − f)/f), for each d there is, against any map.
pub fn audit_maps(tally: &mut Tally, fs: &[f64], map: impl Fn(Parameters) -> f64) {
    for &f in fs {
        let loss = Loss::new(stated::bit(f));
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

/// Whose laws are looked for in full, though it takes long: eight bits in one word, or in two, and three digits; and all
/// digits of a float that has many, for three bits.
const LONGEST: [Parameters; 2] = [
    Parameters { k: 8, m: 0, f: 0.75, constant_time: false },
    Parameters { k: 3, m: 3, f: 0.3, constant_time: false },
];

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

/// The laws of these inputs over all scripts of words of `BITS` bits, if that takes at most so many runs.
fn laws_if_few<const BITS: u32, M: Local<Input = BitVector, Output = BitVector>>(
    mechanism: &M,
    parameters: Parameters,
    inputs: &[BitVector],
    most_runs: usize,
) -> Option<Result<Vec<Law<BitVector>>, String>> {
    let columns = Columns::new(parameters, BITS as usize);
    let depth = columns.most_words();
    // Long scripts take their time too.
    let runs = columns.scripts().saturating_mul(inputs.len() * (1 + depth / 64));
    // Of a mechanism that reads on there might be far more scripts.
    let laws = || {
        columns.check_ends::<BITS, _>(mechanism, inputs)?;
        over_small_words::<BITS, _>(mechanism, inputs, depth)
    };
    (runs <= most_runs).then(laws)
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
        (0..k)
            .map(|j| j >= first && (j - first).is_multiple_of(step) && (j - first) / step < m)
            .collect()
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
    fs.extend([1.0 - f64::EPSILON / 2.0, f64::EPSILON, 1e-30, 5e-324]);
    let mut chosen = fs.len();
    if full {
        fs.extend([1e-300, 1e-310]);
        chosen = fs.len();
        fs.extend(any_floats(42, &mut Spread::new(4)).split_off(18));
    }
    let mut all = Vec::new();
    for (i, k) in (0..fs.len()).flat_map(|i| (1..=9).map(move |k| (i, k))) {
        // The longest vectors take the longest.
        let f = fs[i];
        if k > 4 && !(full && i < chosen || [0.3, 0.5, 1.0].contains(&f)) {
            continue;
        }
        let most = if k > 6 { 1 } else { k };
        for (m, constant_time) in (0..=most).flat_map(|m| [(m, false), (m, true)]) {
            all.push(Parameters { k, m, f, constant_time });
        }
    }
    all
}

/// Every length up to 200 with one f, and lengths around those of words with others; and more bits than are decided
/// side by side.
fn by_draws(full: bool) -> Vec<Parameters> {
    let short = (1..=200).filter(|k| full || k % 64 < 3 || k % 64 > 61);
    let most = FLIPS * 64;
    let long: &[usize] = if full { &[most - 2, most + 2, most + 70] } else { &[most + 2] };
    let mut all = Vec::new();
    for k in short.chain(long.iter().copied()) {
        let around = k % 64 < 2 || k % 64 > 62 || k == 200;
        let fs: &[f64] = match (around, full || k % 64 == 1) {
            (true, true) => &[0.5, 1.0, 0.3, 1e-30, 5e-324],
            (true, false) => &[0.5, 1.0, 0.3],
            (false, _) => &[0.3],
        };
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
