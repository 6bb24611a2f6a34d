//! The binomial bounds against exact tails for few trials, and against certified ones for very many.
#![forbid(unsafe_code)]

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use deniable_audit::binomial::{at_least, at_most, lower, upper};
use deniable_audit::closed_form::{exp_neg, ln};
use deniable_audit::law::Between;

/// Successes, trials and α to a bound.
type Bound = fn(u64, u64, f64) -> f64;

const ALPHAS: [f64; 5] = [0.5, 0.05, 1e-3, 1e-9, 1e-12];

#[test]
fn bounds_are_safe_and_sharp_for_few_trials() {
    assert_eq!(few_trials(lower, upper), Ok(()));
}

#[test]
fn bounds_are_safe_and_sharp_for_many_trials() {
    for n in [10_000_000, 1_000_000_000] {
        assert_eq!(many_trials(n, lower), Ok(()));
        assert_eq!(many_trials(n, |k, n, alpha| 1.0 - upper(n - k, n, alpha)), Ok(()));
    }
}

#[test]
fn planted_bounds_are_found() {
    /// What the normal law would give.
    fn wald(sign: f64) -> impl Fn(u64, u64, f64) -> f64 {
        move |k, n, alpha| {
            let (p, n) = (k as f64 / n as f64, n as f64);
            // The normal quantile to two digits: its tail is about e^(−z²/2)/(z·√(2π)).
            let step = |z: f64, _| (-2.0 * (alpha * 2.5066 * z).ln()).max(1e-3).sqrt();
            let z = (0..50).fold(3.0, step);
            (p + sign * z * (p * (1.0 - p) / n).sqrt()).clamp(0.0, 1.0)
        }
    }
    let wald_lower: Bound = |k, n, alpha| wald(-1.0)(k, n, alpha);
    let wald_upper: Bound = |k, n, alpha| wald(1.0)(k, n, alpha);
    let one_more: Bound = |k, n, alpha| lower((k + 1).min(n), n, alpha);
    let one_fewer: Bound = |k, n, alpha| lower(k.saturating_sub(1), n, alpha);
    let one_fewer_above: Bound = |k, n, alpha| upper(k.saturating_sub(1), n, alpha);
    let doubled: Bound = |k, n, alpha| lower(k, n, (2.0 * alpha).min(0.5));
    for wrong in [wald_lower, one_more, one_fewer, upper, doubled] {
        assert!(few_trials(wrong, upper).is_err());
    }
    for wrong in [wald_upper, one_fewer_above, lower] {
        assert!(few_trials(lower, wrong).is_err());
    }
    for wrong in [wald_lower, one_more, one_fewer, upper, doubled] {
        assert!(many_trials(10_000_000, wrong).is_err());
    }
}

/// The margin rests on the tails being right to 10^−9.
#[test]
fn tails_are_right_to_a_billionth() {
    for (k, n, p) in [
        (1u64, 1u64, 0.3),
        (3, 10, 0.1),
        (250, 300, 0.7),
        (1_250, 10_000_000, 1e-4),
        (5_010_000, 10_000_000, 0.5),
        (9_999_950, 10_000_000, 0.99999),
        (500_100_000, 1_000_000_000, 0.5),
        (333_450_000, 1_000_000_000, 1.0 / 3.0),
        (900_070_000, 1_000_000_000, 0.9),
        (1_050, 1_000_000_000, 1e-6),
    ] {
        let exact = certified_tail(k, n, p);
        let near = |x: f64, scale: f64| {
            let scaled = RBig::try_from(x).unwrap();
            let room = RBig::try_from(scale).unwrap();
            exact.low.clone() * (RBig::ONE - &room) < scaled
                && scaled < exact.high.clone() * (RBig::ONE + room)
        };
        assert!(near(at_least(k, n, p), 1e-9), "P(Bin({n}, {p}) ≥ {k})");
        assert!(!near(at_least(k, n, p) * (1.0 + 3e-9), 1e-9), "the comparison is sharp");
        if k < n {
            assert!(!near(at_least(k + 1, n, p), 1e-9), "one off is found");
        }
        assert!((at_most(k - 1, n, p) + at_least(k, n, p) - 1.0).abs() < 1e-15);
        // p and 1 − p exchanged; exact where 1 − p is.
        if p == 0.5 || n < 1000 {
            assert!((at_most(n - k, n, 1.0 - p) / at_least(k, n, p) - 1.0).abs() < 1e-9);
        }
    }
    assert_eq!((at_least(0, 5, 0.0), at_least(1, 5, 0.0), at_least(6, 5, 0.5)), (1.0, 0.0, 0.0));
    assert_eq!((at_most(5, 5, 1.0), at_most(4, 5, 1.0), at_most(0, 5, 0.0)), (1.0, 0.0, 1.0));
}

/// Every bound keeps its tail below α exactly, and a bound nearer by a millionth would not.
fn few_trials(lower: Bound, upper: Bound) -> Result<(), String> {
    for n in [1u64, 2, 3, 10, 47, 300] {
        let mut successes = vec![0, 1, 2, 3, n / 10, n / 3, n / 2, n / 2 + 1, n - n / 5, n - 1, n];
        successes.retain(|&k| k <= n);
        successes.sort_unstable();
        successes.dedup();
        for (k, alpha) in successes.iter().flat_map(|&k| ALPHAS.map(|alpha| (k, alpha))) {
            let p = lower(k, n, alpha);
            let nearer = p + 1e-6 * p * (1.0 - p) + f64::EPSILON * p;
            let safe = p == 0.0 || exact_tail_is_at_most(k, n, p, false, alpha);
            let sharp = k == 0 || (p > 0.0 && !exact_tail_is_at_most(k, n, nearer, false, alpha));
            // The upper bound of k successes is about k failures.
            let p = upper(n - k, n, alpha);
            let nearer = p - 1e-6 * p * (1.0 - p) - f64::EPSILON;
            let safe_above = p == 1.0 || exact_tail_is_at_most(k, n, p, true, alpha);
            let sharp_above =
                k == 0 || p > nearer && !exact_tail_is_at_most(k, n, nearer, true, alpha);
            if !(safe && sharp && safe_above && sharp_above) {
                return Err(format!(
                    "{k} of {n} at {alpha}: {safe} {sharp} {safe_above} {sharp_above}"
                ));
            }
        }
    }
    Ok(())
}

/// Whether P(X ≥ k) ≤ α in integers, for X binomial with p, or with 1 − p.
fn exact_tail_is_at_most(k: u64, n: u64, p: f64, exchange: bool, alpha: f64) -> bool {
    if !(0.0..=1.0).contains(&p) {
        return false;
    }
    let p = RBig::try_from(p).unwrap();
    let p = if exchange { RBig::ONE - p } else { p };
    let (a, d) = (UBig::try_from(p.numerator().clone()).unwrap(), p.denominator().clone());
    let b = &d - &a;
    // Σ C(n, j) a^j b^(n−j) = a^k (C(n, k) b^(n−k) + a (C(n, k+1) b^(n−k−1) + …)).
    let (mut sum, mut choose, mut power) = (UBig::ZERO, UBig::ONE, UBig::ONE);
    for j in (k..=n).rev() {
        sum = sum * &a + &choose * &power;
        power *= &b;
        choose = choose * UBig::from(j) / UBig::from(n - j + 1);
    }
    sum *= a.pow(k as usize);
    let alpha = RBig::try_from(alpha).unwrap();
    let allowed = UBig::try_from(alpha.numerator().clone()).unwrap() * d.pow(n as usize);
    sum * alpha.denominator() <= allowed
}

/// A lower bound keeps its certified tail below α, gives little away, is nearer than Chernoff's, and the
/// smallest count whose bound is above a given p is as unlikely as it must be.
fn many_trials(n: u64, lower: impl Fn(u64, u64, f64) -> f64) -> Result<(), String> {
    for (k, alpha) in [(n / 2, 1e-12), (n / 3, 1e-3), (n - n / 50, 1e-10), (100, 1e-12)] {
        let p = lower(k, n, alpha);
        let share = k as f64 / n as f64;
        if !(p > 0.0 && p < share) {
            return Err(format!("{k} of {n} at {alpha}: {p} is no lower bound"));
        }
        let (tail, alpha_exact) = (certified_tail(k, n, p), RBig::try_from(alpha).unwrap());
        // An upper bound that became a lower one by 1 − x was rounded once more, to 10^−16 of 1.
        let given_away = RBig::try_from(1e-5).unwrap();
        if tail.high > alpha_exact || tail.low < alpha_exact.clone() * (RBig::ONE - given_away) {
            return Err(format!("{k} of {n} at {alpha}: {p} has the wrong tail"));
        }
        if n as f64 * divergence(share, p) > -alpha.ln() {
            return Err(format!("{k} of {n} at {alpha}: {p} is further than Chernoff's bound"));
        }
    }
    let (p, alpha) = (0.3, 1e-9);
    let (mut below, mut above) = (3 * (n / 10), 4 * (n / 10));
    while above - below > 1 {
        let middle = below.midpoint(above);
        if lower(middle, n, alpha) > p { above = middle } else { below = middle }
    }
    let alpha = RBig::try_from(alpha).unwrap();
    if certified_tail(above, n, p).high > alpha || certified_tail(below - 1, n, p).low <= alpha {
        return Err(format!("a probability of {p} is above its bound too often, or too seldom"));
    }
    Ok(())
}

/// The relative entropy of two coins: P(X ≥ np′) ≤ e^(−n·divergence(p′, p)).
fn divergence(a: f64, b: f64) -> f64 {
    a * (a / b).ln() + (1.0 - a) * ((1.0 - a) / (1.0 - b)).ln()
}

/// P(X ≥ k) for p ≤ k/n, over certified logarithms and integers: nothing in common with the code it judges.
fn certified_tail(k: u64, n: u64, p: f64) -> Between {
    let p = RBig::try_from(p).unwrap();
    let q = RBig::ONE - &p;
    let odds = &p / &q;
    let (a, b) = (UBig::try_from(odds.numerator().clone()).unwrap(), odds.denominator().clone());
    let one = UBig::ONE << 128;
    let (mut low, mut high) = (one.clone(), one.clone());
    let (mut sum_low, mut sum_high) = (one.clone(), one.clone());
    for j in k..n {
        let (up, down) = (&a * UBig::from(n - j), &b * UBig::from(j + 1));
        low = low * &up / &down;
        high = high * &up / &down + UBig::ONE;
        sum_low += &low;
        sum_high += &high;
        if (&high >> 40).is_zero() {
            // What follows is below a geometric series.
            sum_high += &high * &up / (down - up) + UBig::ONE;
            break;
        }
    }
    let mass = certified_mass(k, n, &p, &q);
    Between {
        low: mass.low * RBig::from_parts(sum_low.into(), one.clone()),
        high: mass.high * RBig::from_parts(sum_high.into(), one),
    }
}

/// P(X = k).
fn certified_mass(k: u64, n: u64, p: &RBig, q: &RBig) -> Between {
    let parts = [
        times(&ln_factorial(n), 1),
        times(&ln_factorial(k), -1),
        times(&ln_factorial(n - k), -1),
        times(&ln(p, BITS), k as i64),
        times(&ln(q, BITS), (n - k) as i64),
    ];
    let low = parts.iter().fold(RBig::ZERO, |sum, part| sum + &part.low);
    let high = parts.iter().fold(RBig::ZERO, |sum, part| sum + &part.high);
    Between { low: exp_neg(&-low, BITS).low, high: exp_neg(&-high.min(RBig::ZERO), BITS).high }
}

const BITS: usize = 180;

/// By multiplication up to 1000, then by Stirling's series, which lies between its partial sums.
fn ln_factorial(n: u64) -> Between {
    if n <= 1000 {
        return ln(
            &RBig::from((1..=n).fold(UBig::ONE, |product, i| product * UBig::from(i))),
            BITS,
        );
    }
    let x = RBig::from(n);
    let square = &x * &x;
    let first = RBig::ONE / (RBig::from(12) * &x);
    let second = RBig::ONE / (RBig::from(360) * &x * &square);
    let third = RBig::ONE / (RBig::from(1260) * &x * &square * &square);
    let fourth = RBig::ONE / (RBig::from(1680) * &x * &square * &square * &square);
    let high = first - second + third;
    let low = &high - fourth;
    // (n + 1/2) ln n − n + ln (2π)/2, with π to 40 digits.
    let digits: IBig = "31415926535897932384626433832795028841971".parse().unwrap();
    let unit = UBig::from(10u32).pow(40);
    let two_pi = |digits| RBig::from_parts(IBig::from(2) * digits, unit.clone());
    let (from, to) = (ln(&two_pi(digits.clone()), BITS), ln(&two_pi(digits + IBig::ONE), BITS));
    let (log, half) = (ln(&x, BITS), RBig::from_parts(IBig::ONE, UBig::from(2u32)));
    let sum = |log: RBig, constant: RBig, rest| (&x + &half) * log - &x + constant * &half + rest;
    Between { low: sum(log.low, from.low, low), high: sum(log.high, to.high, high) }
}

fn times(x: &Between, factor: i64) -> Between {
    let (a, b) = (&x.low * RBig::from(factor), &x.high * RBig::from(factor));
    if factor < 0 { Between { low: b, high: a } } else { Between { low: a, high: b } }
}
