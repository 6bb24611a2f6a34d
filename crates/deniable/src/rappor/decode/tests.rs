mod fit;
mod inputs;
mod long;
mod shares;

use super::input::Lists;
use super::*;
use crate::common::words;

/// Numbers from 0 to 1 without a pattern.
pub(super) fn uniforms(seed: u64, count: usize) -> Vec<f64> {
    words(seed, count).iter().map(|word| (word >> 11) as f64 / (1u64 << 53) as f64).collect()
}

/// Bits of so many candidates in all cohorts, by hashes without a pattern.
pub(super) fn filters(
    seed: u64,
    candidates: usize,
    bits: usize,
    hashes: usize,
    cohorts: usize,
) -> Vec<Vec<usize>> {
    let hash =
        |(i, word): (usize, u64)| i / hashes % cohorts * bits + (word % bits as u64) as usize;
    let all: Vec<usize> =
        words(seed, candidates * cohorts * hashes).into_iter().enumerate().map(hash).collect();
    all.chunks(cohorts * hashes).map(<[usize]>::to_vec).collect()
}

/// Counts as expected, to the nearest, if these were the shares, and how noise would change them: `spread` standard deviations of a number from −1 to 1.
fn counts(
    noise: &Noise,
    candidates: &Candidates,
    shares: &[f64],
    reports: u64,
    spread: Option<u64>,
) -> Counts {
    let mut rates = vec![0.0; candidates.bits * candidates.cohorts];
    for (set, share) in candidates.set.iter().zip(shares) {
        set.iter().for_each(|&bit| rates[bit as usize] += share);
    }
    let errors = spread.map(|seed| uniforms(seed, 12 * rates.len()));
    let one = |(i, share): (usize, &f64)| {
        let (rate, n) = (noise.rate(*share), reports as f64);
        // The sum of twelve is nearly normal, with a variance of 1.
        let error =
            errors.as_ref().map_or(0.0, |all| all[12 * i..][..12].iter().sum::<f64>() - 6.0);
        (n * rate + error * (n * rate * (1.0 - rate)).sqrt()).round().clamp(0.0, n) as u64
    };
    let ones = rates.iter().enumerate().map(one).collect();
    Counts::new(candidates.bits, vec![reports; candidates.cohorts], ones).unwrap()
}

fn lists(lists: &[&[u32]]) -> Lists {
    let mut all = Lists::default();
    lists.iter().for_each(|list| all.push(list));
    all
}

pub(super) fn assert_near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{a} is not {b}");
}
