//! One number of the 8-bit float format: every pair of inputs, every output, every distance.

use dashu_ratio::RBig;
use deniable::{
    AbsoluteDistance, AtomDomain, Measurement, ScalarFloatLaplaceCks20,
    make_scalar_float_laplace_cks20,
};
use deniable_num::{Decoded, Float};
use deniable_sample::textbook::{self, Draws};
use deniable_sample::{Ratio, Result};
use num_bigint::BigUint;

use super::law::{Segments, World, segments};
use super::script::{compare_words, count_scripts, words_for};
use super::tally::LaplaceTally;
use super::vectors::claims;
use crate::inversion::power_of_two;
use crate::mini::Mini;
use crate::words::{Script, Script64};

/// The exponents of the grids there are.
pub const GRIDS: core::ops::RangeInclusive<i32> = FINEST..=7;

/// The finest of them.
pub const FINEST: i32 = Mini::MIN_EXPONENT;

/// What stands for an error where an output should be: NaN.
pub const NO_OUTPUT: u8 = 0x7f;

/// All inputs: the finite numbers, and the zero with a sign.
pub fn inputs() -> Vec<Mini> {
    let mut all = Mini::all();
    all.push(Mini(0x80));
    all
}

/// All distances there are but the infinite one, from 0 on.
pub fn distances() -> impl Iterator<Item = Mini> {
    (0..0x78).map(Mini)
}

/// A finite number in units of the finest step.
pub fn units(x: Mini) -> i64 {
    let Decoded::Finite { negative, mantissa, exponent } = x.decode() else {
        panic!("a finite number")
    };
    let magnitude = (mantissa as i64) << (exponent - Mini::MIN_EXPONENT);
    if negative { -magnitude } else { magnitude }
}

/// The step of the grid 2^k·ℤ in units of the finest.
pub fn grid_step(k: i32) -> i64 {
    1 << (k - Mini::MIN_EXPONENT)
}

/// Where a number in units is on the coarse grid: to the nearest, ties up.
pub fn grid_index(units: i64, step: i64) -> i64 {
    (2 * units + step).div_euclid(2 * step)
}

/// The mechanism that ships.
///
/// # Panics
///
/// If it is refused.
pub fn mechanism(scale: Mini, k: Option<i32>) -> ScalarFloatLaplaceCks20<Mini> {
    let (domain, metric) = (AtomDomain::finite(), AbsoluteDistance::new());
    make_scalar_float_laplace_cks20(domain, metric, scale, k).expect("a scale and a grid")
}

/// The output of the shipping mechanism where the noise is z steps: from 64-bit words that spell this noise.
pub fn shipping_out(k: i32) -> impl Fn(Mini, i64) -> u8 {
    // Rounding does not know the scale. With this one, the noise of the whole range is spelled by one word.
    let noise = mechanism(Mini::largest(false), Some(k));
    let in_steps = f64::from(2).powi(-k) * 240.0;
    move |x, z| {
        let words = words_for(z, in_steps);
        noise.randomize(&x, &mut Script64::new(&words)).map_or(NO_OUTPUT, |output| output.0)
    }
}

/// The same of the textbook form, whose draws are told what to be.
pub fn textbook_out(k: i32) -> impl Fn(Mini, i64) -> u8 {
    let scale = Mini::largest(false);
    move |x, z| {
        let mut draws = Wanted { units: z.unsigned_abs() << (k - 4).max(0), negative: z < 0 };
        let output = textbook::discrete_laplace_z2k(x, scale, k, &mut draws);
        output.map_or(NO_OUTPUT, |output| output.0)
    }
}

/// What the output should be.
pub fn expected_out(k: i32, x: Mini, z: i64) -> u8 {
    let step = grid_step(k);
    nearest((grid_index(units(x), step) + z) * step)
}

/// The nearest float to a number of units, ties to even, saturated.
pub fn nearest(sum: i64) -> u8 {
    let all = Mini::all();
    let above = all.partition_point(|&float| units(float) < sum).min(all.len() - 1);
    let below = above.saturating_sub(1);
    let (to_below, to_above) = (sum - units(all[below]), units(all[above]) - sum);
    let takes_above = to_above < to_below || to_above == to_below && all[above].is_even();
    if takes_above { all[above].0 } else { all[below].0 }
}

/// So much noise drives every input to the end of the range.
pub fn reach(k: i32) -> i64 {
    640 * 512 / grid_step(k)
}

/// Which noise leads to which output, for every input.
///
/// # Errors
///
/// A function that is not monotone in the noise.
pub fn all_segments(
    k: i32,
    look_at_all: bool,
    out: impl Fn(Mini, i64) -> u8,
) -> core::result::Result<Vec<Segments>, String> {
    let of_input = |x| segments(reach(k), look_at_all, |z| out(x, z));
    inputs().into_iter().map(of_input).collect()
}

/// Whether all outputs are finite numbers, zero has no sign, and the ends of the range are the outputs of the ends.
pub fn audit_outputs(name: &str, segments: &[Segments]) -> LaplaceTally {
    let mut tally = LaplaceTally::default();
    let ends = (Mini::largest(true).0, Mini::largest(false).0);
    for (x, segments) in inputs().into_iter().zip(segments) {
        tally.cases += segments.len() as u64;
        if let Some(bad) = segments.iter().find(|s| s.1 == 0x80 || s.1 & 0x78 == 0x78) {
            tally.malformed(|| format!("{name}: {x:?} becomes {:#x}", bad.1));
        }
        if (segments[0].1, segments[segments.len() - 1].1) != ends {
            tally.malformed(|| format!("{name}: {x:?} does not end at the ends of the range"));
        }
    }
    tally
}

/// Whether `out` is what it should be, just before and at every noise where it changes.
pub fn audit_rounding(
    name: &str,
    k: i32,
    segments: &[Segments],
    out: impl Fn(Mini, i64) -> u8,
) -> LaplaceTally {
    let mut tally = LaplaceTally::default();
    for (x, segments) in inputs().into_iter().zip(segments) {
        for &(first, _) in segments {
            for z in [first - 1, first] {
                tally.cases += 1;
                if out(x, z) != expected_out(k, x, z) {
                    tally.malformed(|| format!("{name}: {x:?} with noise {z} on grid {k}"));
                }
            }
        }
    }
    tally
}

/// Compares what a `map` claims at every distance with the worst of all pairs of inputs.
pub fn audit_scalar(
    (scale, k): (Mini, i32),
    segments: &[Segments],
    map: impl Fn(Mini) -> f64,
) -> LaplaceTally {
    let world = world(scale, k, segments);
    let name = format!("scale {:#x}, k {k}", scale.0);
    // Where everything is released nothing is rounded, as on the finest grid.
    let grid = if units(scale) == 0 { Mini::MIN_EXPONENT } else { k };
    let claims = claims(grid, 1, &map);
    let mut tally = world.audit(&name, &claims);
    let zero = |bits| inputs().iter().position(|x| x.0 == bits).expect("an input");
    if !world.same_law(zero(0), zero(0x80)) {
        tally.malformed(|| format!("{name}: the sign of a zero is told"));
    }
    audit_infinite(&name, map(Mini::infinity(false)), &mut tally);
    tally
}

/// The laws of all inputs. Where the scale is 0 the segments say it all.
pub fn world(scale: Mini, k: i32, segments: &[Segments]) -> World {
    let release = units(scale) == 0;
    let (step, rate) =
        if release { (1, RBig::ONE) } else { (grid_step(k), power_of_two(k) / scale.value()) };
    let positions: Vec<i64> = inputs().into_iter().map(units).collect();
    let index = |&units: &i64| grid_index(units, step);
    World::new(positions.clone(), positions.iter().map(index).collect(), segments, &rate)
}

/// Where nothing is added, the one output of each input.
pub fn release_segments(out: impl Fn(Mini) -> u8) -> Vec<Segments> {
    inputs().into_iter().map(|x| vec![(0, out(x))]).collect()
}

/// What the shipping mechanism makes of every input at a scale of 0, where it draws nothing.
pub fn shipping_release(k: Option<i32>) -> impl Fn(Mini) -> u8 {
    let release = mechanism(Mini(0), k);
    move |x| {
        let output = release.randomize(&x, &mut Script64::new(&[]));
        output.map_or(NO_OUTPUT, |output| output.0)
    }
}

/// What the shipping mechanism claims.
pub fn shipping_map(scale: Mini, k: Option<i32>) -> impl Fn(Mini) -> f64 {
    let noise = mechanism(scale, k);
    move |d_in| noise.map(d_in).map_or(f64::NAN, |loss| loss.get())
}

/// Runs the shipping mechanism over all scripts of up to `depth` 8-bit words and compares with the law by noise.
pub fn audit_words(
    (scale, k, x): (Mini, i32, Mini),
    depth: usize,
    segments: &Segments,
) -> LaplaceTally {
    let noise = mechanism(scale, Some(k));
    let law = count_scripts(depth, |source: &mut Script<'_, 8>| {
        noise.randomize(&x, source).map(|output| output.0)
    });
    let in_steps = scale.value() / power_of_two(k);
    compare_words(&format!("{:?}", (scale, k, x)), &law, &in_steps, segments)
}

/// No bound is promised for inputs of which nothing is known.
fn audit_infinite(name: &str, loss: f64, tally: &mut LaplaceTally) {
    tally.cases += 1;
    if loss != f64::INFINITY {
        tally.violation(|| format!("{name}: {loss:e} for any distance"));
    }
}

/// Draws that make the noise a wanted one: the magnitude, times the denominator of the scale in steps, and the
/// sign.
#[derive(Debug)]
struct Wanted {
    units: u64,
    negative: bool,
}

impl Draws for Wanted {
    fn uniform_below(&mut self, n: &BigUint) -> Result<BigUint> {
        let n = u64::try_from(n).expect("a small scale");
        let drawn = self.units % n;
        self.units /= n;
        Ok(drawn.into())
    }

    /// The sign. It is the only one.
    fn bernoulli(&mut self, _: &Ratio) -> Result<bool> {
        Ok(self.negative)
    }

    /// Whether a remainder is accepted, and whether to go on counting, with probability 1/e.
    fn bernoulli_exp(&mut self, x: &Ratio) -> Result<bool> {
        if x.numerator() < x.denominator() {
            return Ok(true);
        }
        let more = self.units > 0;
        self.units = self.units.saturating_sub(1);
        Ok(more)
    }
}
