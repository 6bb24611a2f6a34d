//! Vectors: how the distance and the rounding are spread over the coordinates.

use deniable::{
    L1Distance, Measurement, Result, VectorDomain, VectorFloatLaplaceCks20,
    make_vector_float_laplace_cks20,
};
use deniable_num::Float;

use super::law::{Claim, Segments};
use super::script::{compare_words_of_two, count_scripts};
use super::small::{distances, grid_index, grid_step, inputs, units, world};
use super::tally::LaplaceTally;
use crate::inversion::power_of_two;
use crate::mini::Mini;
use crate::words::Script;

/// What the shipping mechanism claims of vectors of n 8-bit floats.
///
/// # Panics
///
/// If it is refused.
pub fn shipping_vector_map(scale: Mini, k: i32, n: usize) -> impl Fn(Mini) -> f64 {
    let domain = VectorDomain::finite::<Mini>().with_size(n);
    let noise = make_vector_float_laplace_cks20(domain, L1Distance::new(), scale, Some(k));
    let noise = noise.expect("a scale and a grid");
    move |d_in| noise.map(d_in).map_or(f64::NAN, |loss| loss.get())
}

/// Compares what a `map` claims at every distance with the worst of all pairs of vectors of n numbers around ties.
pub fn audit_vectors(
    (scale, k, n): (Mini, i32, u32),
    segments: &[Segments],
    map: impl Fn(Mini) -> f64,
) -> LaplaceTally {
    let name = format!("scale {:#x}, k {k}, {n} numbers", scale.0);
    let chosen = around_ties(k);
    world(scale, k, segments).audit_vectors(&name, &chosen, n, &claims(k, n.into(), map))
}

/// The same with the worst of all pairs of vectors of n numbers.
pub fn audit_all_vectors(
    (scale, k, n): (Mini, i32, u32),
    segments: &[Segments],
    map: impl Fn(Mini) -> f64,
) -> LaplaceTally {
    let name = format!("scale {:#x}, k {k}, {n} numbers of all", scale.0);
    world(scale, k, segments).audit_all_vectors(&name, n, &claims(k, n.into(), map))
}

/// Runs the shipping mechanism on vectors of two numbers over all scripts of up to six 4-bit words, and compares with
/// the product of the laws by noise: the numbers' noise is independent.
///
/// # Panics
///
/// If the mechanism is refused.
pub fn audit_words_of_two(
    (scale, k): (Mini, i32),
    numbers: [usize; 2],
    segments: &[Segments],
    randomize: impl Fn(&Noise, &[Mini], &mut Script<'_, 4>) -> Result<Vec<Mini>>,
) -> LaplaceTally {
    let domain = VectorDomain::finite::<Mini>().with_size(2);
    let noise = make_vector_float_laplace_cks20(domain, L1Distance::new(), scale, Some(k));
    let noise = noise.expect("a scale and a grid");
    let [first, second] = numbers;
    let input = [first, second].map(|place| inputs()[place]);
    let law = count_scripts(6, |source: &mut Script<'_, 4>| {
        randomize(&noise, &input, source).map(|outputs| (outputs[0].0, outputs[1].0))
    });
    let in_steps = scale.value() / power_of_two(k);
    let both = [&segments[first], &segments[second]];
    compare_words_of_two(&format!("{:?}", (scale, k, input)), &law, &in_steps, both)
}

/// The mechanism for vectors of 8-bit floats.
pub type Noise = VectorFloatLaplaceCks20<Mini>;

/// Compares how many steps a map says vectors of n numbers can end apart with the worst there is, for numbers in
/// units of the finest step, `most` at most apart, and grids whose step is K = 1, 2, 4, …, 64 of them.
///
/// `steps(A, K, n)` must be exactly that: all numbers of the finest grid are in the type where they are small.
pub fn audit_spread(
    most: usize,
    longest: usize,
    steps: impl Fn(usize, usize, usize) -> f64,
) -> LaplaceTally {
    let mut tally = LaplaceTally::default();
    for step in (0..7).map(|binary| 1 << binary) {
        let one = apart_by_distance(most, step);
        let mut worst = vec![0; most + 1];
        for n in 0..=longest {
            if n > 0 {
                worst = (0..=most)
                    .map(|a| (0..=a).map(|b| one[b] + worst[a - b]).max().unwrap_or(0))
                    .collect();
            }
            tally.pairs += (most * most * step) as u64;
            for (distance, &truth) in worst.iter().enumerate() {
                tally.cases += 1;
                let (claim, truth) = (steps(distance, step, n), truth as f64);
                let finding = || format!("{n} numbers, {distance} apart, grid {step}: {claim}");
                if claim < truth || claim.is_nan() {
                    tally.violation(finding);
                } else if claim > truth {
                    tally.loose(finding);
                }
            }
        }
    }
    tally
}

/// The same number through the public map, on subnormal numbers: at a scale of one step of the grid the loss is their
/// number.
///
/// # Panics
///
/// If the mechanism is refused.
pub fn shipping_spread<T: Subnormal>(distance: usize, step: usize, n: usize) -> f64 {
    let k = T::MIN_EXPONENT + step.ilog2() as i32;
    let domain = VectorDomain::finite::<T>().with_size(n);
    let scale = T::encode(false, step as u64, T::MIN_EXPONENT);
    let noise = make_vector_float_laplace_cks20(domain, L1Distance::new(), scale, Some(k));
    let d_in = T::encode(false, distance as u64, T::MIN_EXPONENT);
    noise.expect("a scale and a grid").map(d_in).map_or(f64::NAN, |loss| loss.get())
}

/// A type in which multiples of the finest step up to 100 are subnormal numbers.
pub trait Subnormal: deniable::domain::Number<Distance = Self> + Float {}

impl Subnormal for f32 {}
impl Subnormal for f64 {}

/// How many steps two numbers at most `a` units apart can end apart, for each a, by trying all of them.
fn apart_by_distance(most: usize, step: usize) -> Vec<i64> {
    let step = step as i64;
    let worst_at = |a: i64| {
        let apart = |u: i64| grid_index(u + a, step) - grid_index(u, step);
        (-2 * step..2 * step).map(apart).max().unwrap_or(0)
    };
    let mut worst = 0;
    (0..=most as i64)
        .map(|a| {
            worst = worst.max(worst_at(a));
            worst
        })
        .collect()
}

/// What a `map` claims of vectors of n numbers at every finite distance.
pub(super) fn claims(k: i32, n: i64, map: impl Fn(Mini) -> f64) -> Vec<Claim> {
    let step = grid_step(k);
    // The closest numbers on both sides of a tie are at 2^(k−1): no closer than the precision of those below it.
    let closest = (step >> (Mini::PRECISION + 1)).max(1);
    distances()
        .map(|d_in| {
            let distance = units(d_in);
            Claim {
                distance,
                loss: map(d_in),
                steps: most_steps(distance / closest, step / closest, n),
            }
        })
        .collect()
}

/// The most steps of a grid by which vectors of n whole numbers end apart: c do, all but one of them by 1.
fn most_steps(distance: i64, step: i64, n: i64) -> i64 {
    let differing = n.min(distance);
    differing + (distance - differing).div_euclid(step)
}

/// Twelve inputs: both sides of the ties next to zero, of one further away, and of zero.
fn around_ties(k: i32) -> Vec<usize> {
    let (step, all) = (grid_step(k), inputs());
    let from = |tie: i64| all[..239].partition_point(|&x| 2 * units(x) < tie).min(238);
    let mut chosen = vec![118, 119, 120];
    for tie in [from(step), from(-step), from(3 * step)] {
        chosen.extend([tie.saturating_sub(1), tie, (tie + 1).min(238)]);
    }
    chosen.sort_unstable();
    chosen.dedup();
    let more = (121..239).filter(|x| !chosen.contains(x)).take(12 - chosen.len());
    let more: Vec<usize> = more.collect();
    chosen.extend(more);
    chosen
}
