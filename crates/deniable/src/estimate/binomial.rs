//! Exact one-sided bounds of a probability from a count (Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the
//! case of the binomial", 1934), and the binomial tails under them.
//!
//! [`lower`] is a p such that `successes` or more of `trials` would be seen with probability at most α were
//! the probability p: no approximation by a normal law, whose tails are wrong where few are counted, and where α is small.
//!
//! # Numerical error
//!
//! It is floating-point arithmetic, and errs to the safe side: a p is returned only if the tail computed at
//! that very p is at most (1 − [`MARGIN`]/2)·α. How p was found does not matter. What the tail can be off by,
//! relatively, with u = 2^−53, n ≤ 10^9 and the tail at least 10^−30, so that |k − np| < 4·10^5:
//!
//! - np and nq are off by 2u relatively, which moves the logarithm by 2u·|k − np| each: below 2·10^−10;
//! - the rest of the logarithm is below 100, each part computed to some 20u: below 10^−12;
//! - Stirling's series is cut off below 10^−13;
//! - the j-th term of the sum is off by less than 5·j·u, and terms after 2·10^5 do not count: below 2·10^−10.
//!
//! Together below 10^−9, a tenth of what is given away for it. The tests compare with certified tails at n = 10^9.

use crate::error::Shown;
use crate::{Error, Result};

/// The share of α that is given away: half of it at least against numerical error, the rest ends the search.
pub const MARGIN: f64 = 2e-8;

/// The most trials for which the margin is known to suffice.
pub const MOST_TRIALS: u64 = 1_000_000_000;

/// The smallest α for which the margin is known to suffice.
pub const SMALLEST_ALPHA: f64 = 1e-30;

/// A lower bound of the probability: were it this or smaller, `successes` or more would be seen with
/// probability at most `alpha`.
///
/// # Errors
///
/// More successes than trials, more trials than [`MOST_TRIALS`], an α that is not from [`SMALLEST_ALPHA`] to 1/2.
pub fn lower(successes: u64, trials: u64, alpha: f64) -> Result<f64> {
    let p = bound(successes, trials, alpha)?.p;
    // Above 1/2 it is 1 − q, rounded; floats there are 2^−53 apart.
    Ok(if p > 0.5 { p - f64::EPSILON / 2.0 } else { p })
}

/// An upper bound of the probability: were it this or larger, `successes` or fewer would be seen with
/// probability at most `alpha`.
///
/// # Errors
///
/// As [`lower`].
pub fn upper(successes: u64, trials: u64, alpha: f64) -> Result<f64> {
    check_successes(successes, trials)?;
    // Failures exchange the roles.
    let q = bound(trials - successes, trials, alpha)?.q;
    Ok(if q > 0.5 { (q + f64::EPSILON / 2.0).min(1.0) } else { q })
}

/// P(X ≥ k) for X binomial, to a relative error of 10^−9 where it is not below 10^−30.
///
/// # Errors
///
/// More than [`MOST_TRIALS`] trials, a p that is no probability.
pub fn at_least(k: u64, trials: u64, p: f64) -> Result<f64> {
    Ok(checked(trials, p)?.at_least(k, trials))
}

/// P(X ≤ k) for X binomial, to a relative error of 10^−9 where it is not below 10^−30.
///
/// # Errors
///
/// As [`at_least`].
pub fn at_most(k: u64, trials: u64, p: f64) -> Result<f64> {
    let split = checked(trials, p)?;
    Ok(match k {
        _ if k >= trials => 1.0,
        _ if (k as f64) < trials as f64 * p => tail(trials - k, trials, split.exchanged()).ln.exp(),
        _ => 1.0 - tail(k + 1, trials, split).ln.exp(),
    })
}

/// A probability and its complement. The smaller one is exact or nearly so, the other may be rounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split {
    pub(super) p: f64,
    pub(super) q: f64,
}

impl Split {
    pub(super) fn exchanged(self) -> Self {
        Split { p: self.q, q: self.p }
    }

    /// P(X ≥ k) for at most [`MOST_TRIALS`] trials.
    pub(super) fn at_least(self, k: u64, trials: u64) -> f64 {
        match k {
            0 => 1.0,
            _ if k > trials => 0.0,
            // Above the mean the terms fall; below it, the other tail's do.
            _ if k as f64 >= trials as f64 * self.p => tail(k, trials, self).ln.exp(),
            _ => 1.0 - tail(trials - k + 1, trials, self.exchanged()).ln.exp(),
        }
    }

    /// P(X = k) for k ≤ trials ≤ [`MOST_TRIALS`], to a relative error of 10^−9.
    pub(super) fn mass(self, k: u64, trials: u64) -> f64 {
        let ln = match k {
            _ if trials == 0 => 0.0,
            0 => ln_mass(trials, trials, self.exchanged()),
            _ => ln_mass(k, trials, self),
        };
        ln.exp()
    }
}

/// ln P(X ≥ k), and the ratio of P(X ≥ k) to P(X = k).
#[derive(Clone, Copy, Debug)]
struct Tail {
    ln: f64,
    ratio: f64,
}

/// The lower bound, as a [`Split`], so that a bound near 1 keeps the digits of its complement.
fn bound(k: u64, n: u64, alpha: f64) -> Result<Split> {
    check_successes(k, n)?;
    check_alpha(alpha)?;
    let half = checked(n, 0.5)?;
    let target = alpha.ln() - MARGIN;
    if k == 0 {
        return Ok(NOTHING_KNOWN);
    }
    if 2 * k > n && tail(k, n, half).ln <= target {
        let start = wilson(n - k, n, alpha, 1.0).min(0.5);
        // ln P(X ≥ k) is concave in q, with slope −k/(p·ratio).
        let step =
            |q: f64, excess: f64, ratio: f64| (q + excess * ratio * (1.0 - q) / k as f64).min(0.5);
        return Ok(search(k, n, target, start, |q| Split { p: 1.0 - q, q }, step));
    }
    let start = wilson(k, n, alpha, -1.0).max(f64::MIN_POSITIVE);
    // It is concave in ln p too, with slope k/ratio; so p stays positive.
    let step = |p: f64, excess: f64, ratio: f64| p * (-excess * ratio / k as f64).exp();
    Ok(search(k, n, target, start, |p| Split { p, q: 1.0 - p }, step))
}

/// Newton's method on a concave function: after its first step it stays on the safe side and comes nearer.
/// What is returned has been checked, or says nothing.
fn search(
    k: u64,
    n: u64,
    target: f64,
    start: f64,
    split: impl Fn(f64) -> Split,
    step: impl Fn(f64, f64, f64) -> f64,
) -> Split {
    let mut x = start;
    for _ in 0..100 {
        let tail = tail(k, n, split(x));
        let excess = tail.ln - target;
        if excess.abs() <= MARGIN / 2.0 {
            return split(x);
        }
        x = step(x, excess, tail.ratio);
    }
    NOTHING_KNOWN
}

/// A bound that always holds.
const NOTHING_KNOWN: Split = Split { p: 0.0, q: 1.0 };

fn checked(trials: u64, p: f64) -> Result<Split> {
    check_trials(trials)?;
    if (0.0..=1.0).contains(&p) {
        // −0 is 0, by which something is divided.
        return Ok(Split { p: p.abs(), q: 1.0 - p });
    }
    Err(Error::invalid_parameter("p", "it is no probability", "a number from 0 to 1"))
}

fn check_successes(successes: u64, trials: u64) -> Result<()> {
    if successes <= trials {
        return Ok(());
    }
    let problem = "there are more of them than trials";
    Err(Error::invalid_parameter("successes", problem, "at most as many as trials"))
}

pub(super) fn check_trials(trials: u64) -> Result<()> {
    if trials <= MOST_TRIALS {
        return Ok(());
    }
    Err(Error::invalid_parameter("trials", "there are too many", format!("at most {MOST_TRIALS}")))
}

pub(crate) fn check_alpha(alpha: f64) -> Result<()> {
    if (SMALLEST_ALPHA..=0.5).contains(&alpha) {
        return Ok(());
    }
    let problem = format!("{} is not in its range", Shown(alpha));
    Err(Error::invalid_parameter("alpha", problem, format!("from {SMALLEST_ALPHA:e} to 1/2")))
}

/// Where to start: the bound that a normal law would give, above or below k/n.
fn wilson(k: u64, n: u64, alpha: f64, sign: f64) -> f64 {
    let (k, n) = (k as f64, n as f64);
    let square = -2.0 * alpha.ln();
    let spread = (square * (k * (n - k) / n + square / 4.0)).sqrt();
    (k + square / 2.0 + sign * spread) / (n + square)
}

/// P(X ≥ k) for 1 ≤ k ≤ n and p ≤ k/n: P(X = k) times 1 + r + r·r′ + …, where the ratios r fall.
fn tail(k: u64, n: u64, split: Split) -> Tail {
    let odds = split.p / split.q;
    let (mut ratio, mut term) = (1.0f64, 1.0);
    for j in k..n {
        let r = (n - j) as f64 / (j + 1) as f64 * odds;
        term *= r;
        ratio += term;
        // What follows is below a geometric series.
        if term * r < 1e-17 * ratio * (1.0 - r) {
            break;
        }
    }
    Tail { ln: ln_mass(k, n, split) + ratio.ln(), ratio }
}

/// ln P(X = k) for 1 ≤ k ≤ n, in the form of Loader ("Fast and accurate computation of binomial
/// probabilities", 2000): large terms cancel before they are computed.
fn ln_mass(k: u64, n: u64, Split { p, q }: Split) -> f64 {
    let (kf, nf) = (k as f64, n as f64);
    if k == n {
        return nf * if q < 0.5 { (-q).ln_1p() } else { p.ln() };
    }
    let rest = nf - kf;
    let remainders = stirling_remainder(n) - stirling_remainder(k) - stirling_remainder(n - k);
    let root = (nf / (core::f64::consts::TAU * kf * rest)).ln() / 2.0;
    remainders + root - deviance(kf, nf * p) - deviance(rest, nf * q)
}

/// x ln (x/m) + m − x, without the cancellation that this form has near x = m.
fn deviance(x: f64, m: f64) -> f64 {
    let (difference, sum) = (x - m, x + m);
    if difference.abs() >= 0.1 * sum {
        return x * (x / m).ln() + m - x;
    }
    // ln (x/m) = 2 artanh v with v = (x − m)/(x + m), and m − x = −v·(x + m): the first terms leave v·(x − m).
    let v = difference / sum;
    let (mut total, mut power) = (difference * v, 2.0 * x * v);
    for j in 1..20 {
        power *= v * v;
        total += power / f64::from(2 * j + 1);
    }
    total
}

/// ln n! − ln (√(2πn)·(n/e)^n): below 16 from n! itself, and above from Stirling's series, which is off by less
/// than its first term left out, n^−9/1188.
fn stirling_remainder(n: u64) -> f64 {
    let x = n as f64;
    if n < 16 {
        let factorial: u64 = (1..=n).product();
        return (factorial as f64).ln() - (x + 0.5) * x.ln() + x
            - 0.5 * core::f64::consts::TAU.ln();
    }
    let s = 1.0 / (x * x);
    (1.0 / 12.0 - s * (1.0 / 360.0 - s * (1.0 / 1260.0 - s * (1.0 / 1680.0)))) / x
}
