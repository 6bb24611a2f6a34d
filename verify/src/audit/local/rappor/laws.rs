//! The laws of both steps, and of both together.

use dashu_ratio::RBig;
use deniable::BitVector;
use deniable::rappor::Params;
use deniable_sample::FLIPS;

use super::{Step, bits, filters, params};
use crate::audit::exact::Tally;
use crate::audit::local::bitvec::Columns;
use crate::audit::local::laws::{Words, judge_laws, over_intervals, over_small_words, same_errors};
use crate::audit::local::parameters::places;
use crate::law::{Between, Law};
use crate::words::spread;

/// How many words a step reads at most, and how many scripts of them there are.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    words: usize,
    scripts: usize,
}

impl Extent {
    /// That of the permanent step: each bit reads words until one is another than that of f/2.
    fn of_permanent(params: &Params, width: usize) -> Self {
        let f = params.f();
        let words = if f > 0.0 { (places(f) + 1).div_ceil(width) } else { 0 };
        let of_bit = words.saturating_mul((1usize << width.min(62)) - 1).saturating_add(1);
        Extent { words: words * params.k(), scripts: of_bit.saturating_pow(params.k() as u32) }
    }

    /// That of the instantaneous step, whose bits share words.
    fn of_instantaneous(params: &Params, width: usize) -> Self {
        let [ones, zeros] =
            [params.q(), params.p()].map(|prob| Columns::of_ones(params.k(), prob, width));
        Extent {
            words: ones.most_words() + zeros.most_words(),
            scripts: ones.scripts().saturating_mul(zeros.scripts()),
        }
    }

    fn and(self, other: Extent) -> Extent {
        let scripts = self.scripts.saturating_mul(other.scripts);
        Extent { words: self.words + other.words, scripts }
    }
}

/// A permanent step: by small words, and by intervals of words of 64 bits.
pub fn audit_permanent<M: Step>(tally: &mut Tally, step: &M, most_runs: usize) {
    let params = step.params();
    let extent = |width| Extent::of_permanent(params, width);
    audit_small_words(tally, step, extent, most_runs);
    let (inputs, Extent { words, .. }) = (filters(params), extent(64));
    // Two kinds of words that decide, at each of the words of a bit.
    if (2 * words / params.k() + 1).pow(params.k() as u32) * inputs.len() <= most_runs {
        judge(tally, step, &inputs, over_intervals(step, &inputs, words));
    }
}

/// Both steps together, by small words. All filters get the same errors, of words of 64 bits too.
pub fn audit_report<M: Step>(tally: &mut Tally, step: &M, most_runs: usize) {
    let params = step.params();
    let extent =
        |width| Extent::of_permanent(params, width).and(Extent::of_instantaneous(params, width));
    audit_small_words(tally, step, extent, most_runs);
    let script = spread(extent(64).words);
    tally.check(|| named(params), same_errors(step, &filters(params), &script));
}

/// By words of 1, 2 and 4 bits, where there are at most so many runs.
fn audit_small_words<M: Step>(
    tally: &mut Tally,
    step: &M,
    extent: impl Fn(usize) -> Extent,
    most_runs: usize,
) {
    let inputs = filters(step.params()).len();
    let depth = |width| {
        let Extent { words, scripts } = extent(width);
        (scripts.saturating_mul(inputs) <= most_runs).then_some(words)
    };
    depth(1).into_iter().for_each(|depth| audit_laws::<1, _>(tally, step, depth));
    depth(2).into_iter().for_each(|depth| audit_laws::<2, _>(tally, step, depth));
    depth(4).into_iter().for_each(|depth| audit_laws::<4, _>(tally, step, depth));
}

/// The laws of all filters over all scripts of at most `depth` words of `BITS` bits: each is the product of the laws of its bits, all filters read the same words, and
/// what is claimed bounds the loss of all pairs and is tight.
pub fn audit_laws<const BITS: u32, M: Step>(tally: &mut Tally, step: &M, depth: usize) {
    let inputs = filters(step.params());
    judge(tally, step, &inputs, over_small_words::<BITS, _>(step, &inputs, depth));
}

/// An instantaneous step, of all permanent answers, those too that are no filters.
pub fn audit_instantaneous<M: Step>(tally: &mut Tally, step: &M, most_runs: usize) {
    let params = step.params();
    let inputs: Vec<_> = (0..1 << params.k()).map(|number| bits(params.k(), number)).collect();
    let extent = Extent::of_instantaneous(params, 1);
    if extent.scripts.saturating_mul(inputs.len()) <= most_runs {
        let laws = over_small_words::<1, _>(step, &inputs, extent.words);
        tally.check(|| named(params), laws.and_then(|laws| are_products(step, &inputs, &laws)));
    }
}

/// An instantaneous step: each bit of a report is decided by its own columns of words of 64 bits and by nothing else, by those of q where the permanent answer has a one and by those of p where
/// it has a zero, for any number of bits, and no more words are read than it takes.
pub fn audit_draws<M: Step>(tally: &mut Tally, step: &M) {
    let params = step.params();
    let [ones, zeros] = [params.q(), params.p()].map(|prob| Columns::of_ones(params.k(), prob, 64));
    let kinds: Vec<_> = zeros.every_kind().collect();
    let result = ones.every_kind().enumerate().try_for_each(|(turn, of_one)| {
        let of_zero = &kinds[turn * 7 % kinds.len()];
        let mut script = ones.script(&of_one, turn);
        script.extend(zeros.script(of_zero, turn));
        let (of_one, of_zero) = (ones.noise(&of_one), zeros.noise(of_zero));
        some_answers(params.k()).iter().try_for_each(|answer| {
            let drawn = answer.iter().zip(of_one.iter().zip(of_zero.iter()));
            let expected = drawn.map(|(bit, (one, zero))| if bit { one } else { zero }).collect();
            let mut words = Words::new(&script);
            let released = step.invoke_from(answer, &mut words);
            match (released, words.asked) == (Ok(expected), script.len()) {
                true => Ok(()),
                false => Err("a bit is not decided by its own columns alone".to_owned()),
            }
        })
    });
    tally.check(|| named(params), result);
}

/// Notes whether laws are those of a step, and judges the loss that is claimed by them.
fn judge<M: Step>(
    tally: &mut Tally,
    step: &M,
    inputs: &[BitVector],
    laws: Result<Vec<Law<BitVector>>, String>,
) {
    let what = || named(step.params());
    let checked = laws.as_ref().map_err(Clone::clone);
    tally.check(what, checked.and_then(|laws| are_products(step, inputs, laws)));
    if let Ok(laws) = laws {
        judge_laws(tally, &what, step.map(), &laws);
    }
}

/// All bits are independent, and each is a one with the probability of the step.
fn are_products<M: Step>(
    step: &M,
    inputs: &[BitVector],
    laws: &[Law<BitVector>],
) -> Result<(), String> {
    let (one, zero) = step.ones();
    let probability = |input: &BitVector, output: &BitVector| {
        input.iter().zip(output.iter()).fold(RBig::ONE, |product, (input, output)| {
            let chance = if input { &one } else { &zero };
            product * if output { chance.clone() } else { RBig::ONE - chance }
        })
    };
    inputs.iter().zip(laws).try_for_each(|(input, law)| {
        let outputs = (0..1 << input.len()).map(|number| bits(input.len(), number));
        let form = outputs.map(|output| {
            let probability = probability(input, &output);
            (output, Between::exactly(probability))
        });
        law.check(&RBig::ZERO, form)
    })
}

/// Few bits, with fewer than two filters have ones, as many, and more. Few digits and many, none and certain ones; p below q and above.
pub fn small(full: bool) -> Vec<Params> {
    let mut all = vec![
        params(1, 1, 0.25, 0.75, 0.5),
        params(2, 1, 0.25, 0.75, 0.5),
        params(2, 2, 0.5, 0.75, 0.5),
        params(2, 1, 0.75, 0.5, 0.25),
        params(2, 1, 0.0, 1.0, 0.75),
        params(2, 1, 0.5, 0.0, 0.5),
        params(3, 1, 0.5, 0.75, 0.5),
        params(3, 2, 0.5, 0.25, 0.5),
        params(3, 2, 0.5, 0.75, 0.5),
        params(3, 3, 1.0, 0.5, 0.5),
        params(4, 2, 0.5, 1.0, 0.5),
        params(4, 2, 0.5, 0.0, 0.5),
        params(4, 3, 0.0, 0.5, 0.5),
    ];
    let probabilities = [0.0, 0.125, 0.25, 0.3, 0.5, 0.75, 0.875, 1e-30, 1.0];
    let fs = [0.0, 0.3, 0.25, 0.5, 0.75, 0.875, 1.0 - f64::EPSILON / 2.0, 5e-324];
    let mut turn = 0;
    for (k, h) in (1..=5).flat_map(|k| (1..=k + 1).map(move |h| (k, h))) {
        for p in probabilities {
            for q in probabilities.into_iter().filter(|&q| q != p) {
                turn += 1;
                if turn % if full { 3 } else { 19 } == 0 {
                    all.push(params(k, h, p, q, fs[turn % fs.len()]));
                }
            }
        }
    }
    all
}

/// As many bits as words have, and around that; and more than are drawn at once.
pub fn by_draws(full: bool) -> Vec<Params> {
    let short = (1..=200).filter(|k| full || k % 64 < 2 || k % 64 > 62);
    let most = FLIPS * 64;
    let long: &[usize] = if full { &[most - 1, most, most + 70] } else { &[most + 2] };
    let pairs = [(0.25, 0.75), (0.7, 0.3), (1e-17, 0.5), (0.5, 5e-324)];
    let all = short.chain(long.iter().copied()).enumerate();
    all.map(|(turn, k)| params(k, 1, pairs[turn % 4].0, pairs[turn % 4].1, 0.5)).collect()
}

/// Permanent answers of zeros, of ones, and of both.
fn some_answers(k: usize) -> [BitVector; 4] {
    let all: [fn(usize) -> bool; 4] = [|_| false, |_| true, |bit| bit % 3 == 0, |bit| bit % 2 == 1];
    all.map(|is_one| (0..k).map(is_one).collect())
}

fn named(params: &Params) -> String {
    format!("RAPPOR, {params:?}")
}
