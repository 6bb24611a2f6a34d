//! What noise alone leaves to be found: a floor for any decoder that is made of counts.

use deniable::rappor::Params;
use deniable_audit::binomial;

use super::simulate::rates;

/// The standard error of a share if only noise is in the way: that of the mean over the rows of a candidate, less that over the others.
pub(super) fn noise_alone(params: &Params, respondents: u64) -> f64 {
    let (k, h, m) = (params.k() as f64, params.h(), params.m() as f64);
    let density = 1.0 - (1.0 - 1.0 / k).powi(h as i32);
    let [zero, one] = rates(params);
    let rate = zero + (one - zero) * density;
    let reports = respondents as f64 / m;
    let variance = rate * (1.0 - rate) / (reports * (one - zero).powi(2));
    (variance / (m * k * density * (1.0 - density))).sqrt()
}

/// How many of the candidates that occur are found: fewer with a probability of at most `alpha`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Power {
    /// Candidates that occur.
    pub(super) occurring: u64,
    /// The share of each of them, in standard errors.
    pub(super) signal: f64,
    /// All candidates.
    pub(super) candidates: u64,
    /// The probability.
    pub(super) alpha: f64,
}

impl Power {
    /// Those with a p-value of at most `level`: each with the same probability, by the normal law of its estimate.
    pub(super) fn suspected(&self, level: f64) -> u64 {
        fewest(self.occurring, self.chance(level), self.alpha)
    }

    /// Those that Benjamini and Hochberg detect at `level`: at least n, if n have a p-value that is small enough for n.
    pub(super) fn detected(&self, level: f64) -> u64 {
        let enough = |n: &u64| {
            let p_value = level * *n as f64 / self.candidates as f64;
            falls_below(*n, self.occurring, self.chance(p_value)) <= self.alpha
        };
        (1..=self.occurring).rev().find(enough).unwrap_or(0)
    }

    fn chance(&self, p_value: f64) -> f64 {
        normal_tail(normal_quantile(p_value) - self.signal)
    }
}

/// The largest number that successes fall below with a probability of at most `alpha`.
pub(super) fn fewest(trials: u64, p: f64, alpha: f64) -> u64 {
    (1..=trials).take_while(|n| falls_below(*n, trials, p) <= alpha).last().unwrap_or(0)
}

/// The smallest number that successes are above with a probability of at most `alpha`.
pub(super) fn most(trials: u64, p: f64, alpha: f64) -> u64 {
    trials - fewest(trials, 1.0 - p, alpha)
}

/// The probability of fewer than n successes, where n is from 1.
fn falls_below(n: u64, trials: u64, p: f64) -> f64 {
    // What is nearer to 1 than rounding tells is taken for less.
    binomial::at_most(n - 1, trials, p.min(1.0 - 1e-13))
}

/// The probability that a normal number is above `z`, by Simpson's rule: right to a millionth of it.
pub(super) fn normal_tail(z: f64) -> f64 {
    const STEPS: u32 = 800;
    let from = z.clamp(-10.0, 10.0);
    let step = (from.max(0.0) + 10.0 - from) / f64::from(STEPS);
    let at = |i: u32| {
        let x = from + f64::from(i) * step;
        let weight = if i == 0 || i == STEPS { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
        weight * (-x * x / 2.0).exp()
    };
    (0..=STEPS).map(at).sum::<f64>() * step / (3.0 * core::f64::consts::TAU.sqrt())
}

/// The z that a normal number is above with this probability.
pub(super) fn normal_quantile(tail: f64) -> f64 {
    let (mut low, mut high) = (-10.0, 10.0);
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if normal_tail(middle) > tail { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against values of tables.
    #[test]
    fn normal_tails_are_those_of_tables() {
        for (z, tail) in [
            (0.0, 0.5),
            (1.0, 0.158_655_253_931_457),
            (-2.0, 0.977_249_868_051_821),
            (5.0, 2.866_515_718_791_94e-7),
        ] {
            assert!((normal_tail(z) / tail - 1.0).abs() < 1e-6, "{z}: {}", normal_tail(z));
            assert!((normal_quantile(tail) - z).abs() < 1e-6, "{z}");
        }
    }

    #[test]
    fn floors_are_the_largest_of_their_probability() {
        let (trials, p, alpha) = (1000, 0.95, 1e-10);
        let floor = fewest(trials, p, alpha);
        assert!(binomial::at_most(floor - 1, trials, p) <= alpha);
        assert!(binomial::at_most(floor, trials, p) > alpha);
        let ceiling = most(trials, 0.05, alpha);
        assert!(binomial::at_least(ceiling + 1, trials, 0.05) <= alpha);
        assert!(binomial::at_least(ceiling, trials, 0.05) > alpha);
        let power = |signal| Power { occurring: 100, signal, candidates: 1000, alpha };
        // All of those that are plain to see, and none that are not.
        assert_eq!([30.0, 0.0].map(|signal| power(signal).detected(0.05)), [100, 0]);
        assert!(power(3.0).suspected(0.05) > power(3.0).detected(0.05));
    }
}
