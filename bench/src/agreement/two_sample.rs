//! Whether two samples can be of one law, by how often an event came in each.
//!
//! If they are, then given how often it came in both together, its count in the first is hypergeometric, whatever the law (Fisher, "The logic of inductive inference", 1935). So the probability of a count as far
//! out is exact, and no approximation is part of the test.

use deniable_audit::binomial;

/// Of a number of trials.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    pub(super) seen: u64,
    pub(super) trials: u64,
}

/// The probability of counts so far apart or further were the law the same, in either direction: at most this.
pub(super) fn p_value(a: Count, b: Count) -> f64 {
    (2.0 * at_least(a, b).min(at_least(b, a))).min(1.0)
}

/// How likely it is at least that a test with this α tells a probability of `p` from one of `planted`, with so many trials each; none if no more than `1 − miss` can be said.
///
/// But for a chance of `miss` both counts are between their means and the limits computed here, or further apart than these; and the test tells the limits apart.
pub(super) fn tells(p: f64, planted: f64, trials: u64, alpha: f64, miss: f64) -> bool {
    let (less, more) = (p.min(planted), p.max(planted));
    let deviation = |p: f64| (trials as f64 * p * (1.0 - p)).sqrt();
    let (mut above, mut below) = (
        (trials as f64 * less + 6.0 * deviation(less)) as u64,
        (trials as f64 * more - 6.0 * deviation(more)) as u64,
    );
    while binomial::at_least(above + 1, trials, less) > miss / 2.0 {
        above += 1 + (deviation(less) / 50.0) as u64;
    }
    while below > 0 && binomial::at_most(below - 1, trials, more) > miss / 2.0 {
        below -= 1 + (deviation(more) / 50.0) as u64;
    }
    above < below && p_value(Count { seen: above, trials }, Count { seen: below, trials }) <= alpha
}

/// The fewest trials, or nearly, with which a test tells them apart.
pub(super) fn trials_to_tell(p: f64, planted: f64, alpha: f64, miss: f64) -> u64 {
    let mut trials = 1000;
    while !tells(p, planted, trials, alpha, miss) {
        trials += trials / 8;
    }
    trials
}

/// P(X ≥ a.seen) for X hypergeometric: at most this.
fn at_least(a: Count, b: Count) -> f64 {
    let (n, m) = (a.trials, b.trials);
    let both = a.seen + b.seen;
    let rest = n + m - both;
    let logarithm = ln_choose(both, a.seen) + ln_choose(rest, n - a.seen) - ln_choose(n + m, n);
    let (mut term, mut sum) = (logarithm.exp(), 0.0);
    for x in a.seen.. {
        sum += term;
        let next = (both - x) as f64 * (n - x) as f64;
        let ratio = next / ((x + 1) as f64 * ((m + x + 1) as f64 - both as f64));
        // Ratios fall: what comes is less than a geometric series.
        let tail = term * ratio / (1.0 - ratio);
        if ratio < 1.0 && tail <= sum * 1e-12 {
            sum += tail;
            break;
        }
        term *= ratio;
    }
    // Logarithms of factorials are some 10^7, to 16 digits.
    (sum * (1.0 + 1e-6)).min(1.0)
}

fn ln_choose(n: u64, k: u64) -> f64 {
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}

/// Stirling's series, whose terms left out are below 10^−15 from 20 on.
fn ln_factorial(n: u64) -> f64 {
    if n < 20 {
        return (2..=n).map(|i| (i as f64).ln()).sum();
    }
    let x = n as f64;
    let series = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5))
        - 1.0 / (1680.0 * x.powi(7));
    x * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI * x).ln() + series
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(seen: u64, trials: u64) -> Count {
        Count { seen, trials }
    }

    /// The tea that a lady tasted: 4 of 4 and 0 of 4, 1 of 70 ways each.
    #[test]
    fn small_tables_by_hand() {
        let near = |p: f64, exact: f64| assert!(p >= exact && p < exact * 1.001, "{p} {exact}");
        near(p_value(count(4, 4), count(0, 4)), 2.0 / 70.0);
        near(p_value(count(0, 4), count(4, 4)), 2.0 / 70.0);
        near(at_least(count(3, 4), count(1, 4)), 17.0 / 70.0);
        near(at_least(count(0, 4), count(0, 4)), 1.0);
        assert_eq!(p_value(count(2, 4), count(2, 4)), 1.0);
        assert_eq!(p_value(count(0, 1000), count(0, 1000)), 1.0);
        assert_eq!(p_value(count(1000, 1000), count(1000, 1000)), 1.0);
    }

    /// All tables of two samples of 12 and 9: probabilities of what is called at most α sum up to at most α.
    #[test]
    fn the_level_holds_exactly() {
        for both in 0..=21u64 {
            for alpha in [0.5, 0.1, 0.01, 0.001] {
                let (least, most) = (both.saturating_sub(9), both.min(12));
                let all = ln_choose(21, 12);
                let called: f64 = (least..=most)
                    .filter(|&x| p_value(count(x, 12), count(both - x, 9)) <= alpha)
                    .map(|x| (ln_choose(both, x) + ln_choose(21 - both, 12 - x) - all).exp())
                    .sum();
                assert!(called <= alpha, "{both} {alpha} {called}");
            }
        }
    }

    #[test]
    fn far_tails_are_those_of_a_normal_law() {
        // Seven deviations out: 2.56e-12 on both sides.
        let n = 1_000_000u64;
        let out = (7.0 * (n as f64 / 8.0).sqrt()) as u64;
        let p = p_value(count(n / 2 + out, n), count(n / 2 - out, n));
        assert!((2.3e-12..2.8e-12).contains(&p), "{p}");
    }

    #[test]
    fn more_trials_tell_more() {
        assert!(!tells(0.25, 0.2625, 10_000, 1e-12, 1e-10));
        let trials = trials_to_tell(0.25, 0.2625, 1e-12, 1e-10);
        assert!((300_000..1_500_000).contains(&trials), "{trials}");
        assert!(tells(0.2625, 0.25, trials, 1e-12, 1e-10));
    }
}
