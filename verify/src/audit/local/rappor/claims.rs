//! What parameters claim to lose, against the worst ratio over every kind of pair of Bloom filters.

use deniable::rappor::Params;
use deniable_audit::stated::rappor as stated;

use super::{Permanent, Report, Step, params};
use crate::audit::exact::{Loss, Tally};
use crate::audit::local::Local;
use crate::audit::local::parameters::{Spread, any_floats};

/// The claims that ship: of one report, and of all.
pub fn shipping(params: &Params) -> [f64; 2] {
    [Report(*params).map(), Permanent(*params).map()]
}

/// Judges the claims about one report and about all by every kind of pair of filters.
pub fn audit_claims(tally: &mut Tally, all: &[Params], claims: impl Fn(&Params) -> [f64; 2]) {
    for params in all {
        let [report, permanent] = claims(params);
        for (step, claim, ones) in [
            ("one report", report, Report(*params).ones()),
            ("all reports", permanent, Permanent(*params).ones()),
        ] {
            let losses = stated::losses(params, &ones).into_iter();
            let losses: Vec<_> = losses.map(|(times, worst)| (times, Loss::new(worst))).collect();
            let losses: Vec<_> = losses.iter().map(|(times, loss)| (*times, loss)).collect();
            tally.judge(|| format!("{step} of {params:?}"), claim, &losses);
        }
    }
}

/// Bits and hash functions, with probabilities of all sizes: none, certain ones, subnormal ones and those next to 1; p below q and above.
pub fn many(full: bool) -> Vec<Params> {
    let mut all = round();
    let mut spread = Spread::new(7);
    let floats: Vec<f64> = any_floats(if full { 20_000 } else { 1_000 }, &mut spread)
        .into_iter()
        .chain([0.0])
        .collect();
    for (i, &p) in floats.iter().enumerate() {
        let mut any = || floats[spread.below(floats.len() as u64) as usize];
        let (q, f) = match i % 3 {
            // The next one.
            0 => (f64::from_bits(p.to_bits() + 1), any()),
            _ => (any(), any()),
        };
        let (k, h) = SIZES[i % SIZES.len()];
        if p != q && q <= 1.0 && f < 1.0 {
            all.push(params(k, h, p, q, f));
        }
    }
    all
}

/// Fewer bits than two filters of h ones have, as many, and more.
const SIZES: [(usize, usize); 16] = [
    (1, 1),
    (2, 1),
    (3, 1),
    (2, 2),
    (3, 2),
    (4, 2),
    (128, 2),
    (4, 3),
    (5, 3),
    (6, 3),
    (7, 4),
    (9, 8),
    (16, 8),
    (32, 16),
    (20, 16),
    (65_536, 64),
];

/// All pairs of some round numbers, and awkward ones.
fn round() -> Vec<Params> {
    let some = [0.0, 1e-300, 1e-17, 0.1, 0.25, 0.39, 0.5, 0.61, 0.75, 0.999, 1.0];
    let fs = [0.0, 5e-324, 0.1, 0.45, 0.5, 0.75, 0.99, 1.0 - f64::EPSILON / 2.0];
    let mut all = Vec::new();
    for (k, h) in (1..=6).flat_map(|k| (1..=4).map(move |h| (k, h))) {
        for (i, p) in some.into_iter().enumerate() {
            for (j, q) in some.into_iter().enumerate().filter(|(j, _)| *j != i) {
                all.push(params(k, h, p, q, fs[(i + 3 * j + k + h) % fs.len()]));
            }
        }
    }
    all
}
