//! The number of supporting reports if so many respondents have the answer: a sum of two binomial numbers, and how many they can have been.
//!
//! # Numerical error
//!
//! Both laws are listed from their most likely number outwards, until what follows is below 10^−25; the first is computed as
//! [`binomial`](super::binomial) does, and each of the others from the one before, so that the j-th is off by less than 5·j·2^−53: below 10^−9 for 10^9 respondents.
//! What is left out is below 10^−18. Both are added to a tail before it is compared, so that an interval is rather too long.

use alloc::vec::Vec;

use super::binomial::{MOST_TRIALS, Split};

/// What a tail may be too small by, relatively and besides.
const MARGIN: (f64, f64) = (1e-8, 1e-18);

/// The smallest probability that the margin leaves alone.
pub(super) const SMALLEST_ALPHA: f64 = 1e-14;

/// The probabilities of support with the answer and without it; the first is larger.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rates {
    pub(super) truth: Split,
    pub(super) lie: Split,
}

impl Rates {
    /// The least and the largest number of respondents who can have the answer: those with which so many supporting reports, or more, have a
    /// probability above `alpha`, and so many or fewer too. `start` is about that number and `spread` about its standard deviation.
    pub(super) fn possible(
        self,
        supporting: u64,
        respondents: u64,
        alpha: f64,
        (start, spread): (f64, f64),
    ) -> (u64, u64) {
        debug_assert!(respondents <= MOST_TRIALS && alpha >= SMALLEST_ALPHA);
        let is_above = |tail: f64| tail * (1.0 + MARGIN.0) + MARGIN.1 > alpha;
        let away = spread * (-2.0 * alpha.ln()).sqrt();
        let guess = |number: f64| (number.max(0.0) as u64).min(respondents);
        let step = ((spread / 8.0) as u64).max(1);
        let low = first_that(guess(start - away), step, respondents, |having| {
            is_above(self.at_least(supporting, having, respondents))
        });
        let high = first_that(respondents - guess(start + away), step, respondents, |without| {
            is_above(self.at_most(supporting, respondents - without, respondents))
        });
        // If none can be, all of them or none of them is the nearest.
        let low = low.unwrap_or(respondents);
        let high = respondents - high.unwrap_or(respondents);
        (low, high.max(low))
    }

    /// P(supporting or more) if so many respondents have the answer.
    fn at_least(self, supporting: u64, having: u64, respondents: u64) -> f64 {
        let (ours, others) = self.laws(having, respondents);
        tail_of_sum(&ours, &others, supporting)
    }

    /// P(supporting or fewer) if so many respondents have the answer: so many other reports, or more, do not support it.
    fn at_most(self, supporting: u64, having: u64, respondents: u64) -> f64 {
        let (ours, others) = self.laws(having, respondents);
        tail_of_sum(
            &ours.turned(having),
            &others.turned(respondents - having),
            respondents - supporting,
        )
    }

    fn laws(self, having: u64, respondents: u64) -> (Law, Law) {
        (Law::new(having, self.truth), Law::new(respondents - having, self.lie))
    }
}

/// The least number up to `last` that is accepted, if all after an accepted one are. The search begins at `guess`.
fn first_that(guess: u64, step: u64, last: u64, is_accepted: impl Fn(u64) -> bool) -> Option<u64> {
    // The last that is not accepted, plus one, and the first that is, as far as is known.
    let (mut from, mut to, mut step) = (0, last + 1, step);
    let mut number = guess;
    loop {
        if is_accepted(number) {
            to = number
        } else {
            from = number + 1
        }
        if from == to {
            return (to <= last).then_some(to);
        }
        number = if to == last + 1 {
            from.saturating_add(step - 1).min(last)
        } else if from == 0 && to > step {
            to - step
        } else {
            from + (to - from) / 2
        };
        step = step.saturating_mul(2);
    }
}

/// The law of a number: probabilities of `first`, `first` + 1, ….
struct Law {
    first: u64,
    masses: Vec<f64>,
}

impl Law {
    /// Binomial.
    fn new(trials: u64, split: Split) -> Self {
        const NEGLIGIBLE: f64 = 1e-25;
        let mode = (((trials + 1) as f64 * split.p) as u64).min(trials);
        let (most, odds) = (split.mass(mode, trials), split.p / split.q);
        let mut below = Vec::new();
        let (mut number, mut now) = (mode, most);
        while number > 0 && now > NEGLIGIBLE {
            now *= number as f64 / ((trials - number + 1) as f64 * odds);
            number -= 1;
            below.push(now);
        }
        below.reverse();
        let mut masses = below;
        masses.push(most);
        let (mut above, mut now) = (mode, most);
        while above < trials && now > NEGLIGIBLE {
            now *= (trials - above) as f64 * odds / (above + 1) as f64;
            above += 1;
            masses.push(now);
        }
        Law { first: number, masses }
    }

    /// The law of `total` minus the number.
    fn turned(mut self, total: u64) -> Self {
        self.masses.reverse();
        Law { first: total + 1 - self.first - self.masses.len() as u64, masses: self.masses }
    }
}

/// P(one number of each law are `least` or more together).
fn tail_of_sum(one: &Law, other: &Law, least: u64) -> f64 {
    // P(the other is at least its first + i), the smallest added first.
    let mut tails = other.masses.clone();
    for i in (1..tails.len()).rev() {
        tails[i - 1] += tails[i];
    }
    let tail = |from: u64| match from.checked_sub(other.first) {
        None => 1.0,
        Some(i) => tails.get(i as usize).copied().unwrap_or(0.0),
    };
    let chance = |(i, mass): (usize, &f64)| mass * tail(least.saturating_sub(one.first + i as u64));
    one.masses.iter().enumerate().map(chance).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By its definition, for few respondents.
    fn masses(rates: Rates, having: u64, respondents: u64) -> Vec<f64> {
        let mut law = vec![1.0];
        for respondent in 0..respondents {
            let p = if respondent < having { rates.truth.p } else { rates.lie.p };
            law.push(0.0);
            for k in (0..law.len()).rev() {
                law[k] = law[k] * (1.0 - p) + if k > 0 { law[k - 1] * p } else { 0.0 };
            }
        }
        law
    }

    const RATES: [Rates; 5] = [
        rates(0.75, 0.25),
        rates(0.5, 0.27),
        rates(0.03, 0.002),
        rates(0.999, 0.9),
        rates(1.0, 0.1),
    ];

    const fn rates(truth: f64, lie: f64) -> Rates {
        Rates { truth: Split { p: truth, q: 1.0 - truth }, lie: Split { p: lie, q: 1.0 - lie } }
    }

    #[test]
    fn tails_are_those_of_the_definition() {
        for rates in RATES {
            for (having, respondents) in [(0, 1), (1, 1), (3, 10), (0, 30), (30, 30), (17, 60)] {
                let law = masses(rates, having, respondents);
                for supporting in 0..=respondents {
                    let at_least: f64 = law[supporting as usize..].iter().sum();
                    let at_most: f64 = law[..=supporting as usize].iter().sum();
                    let ours = rates.at_least(supporting, having, respondents);
                    assert!((ours - at_least).abs() <= 1e-11 * at_least + 1e-18, "{rates:?}");
                    let ours = rates.at_most(supporting, having, respondents);
                    assert!((ours - at_most).abs() <= 1e-11 * at_most + 1e-18, "{rates:?}");
                }
            }
        }
    }

    #[test]
    fn possible_numbers_are_those_that_are_not_refuted() {
        for rates in RATES {
            for respondents in [1, 2, 9, 40] {
                for supporting in 0..=respondents {
                    for alpha in [0.4, 0.025, 1e-4] {
                        let are_likely = |having: u64| {
                            let law = masses(rates, having, respondents);
                            [&law[supporting as usize..], &law[..=supporting as usize]]
                                .map(|tail| tail.iter().sum::<f64>() * (1.0 + 1e-8) > alpha)
                        };
                        let low = (0..=respondents).find(|&having| are_likely(having)[0]);
                        let high = (0..=respondents).rev().find(|&having| are_likely(having)[1]);
                        let (low, high) = (low.unwrap_or(respondents), high.unwrap_or(0));
                        for start in [-3.0f64, 0.0, 5.0, 1e3] {
                            let near = (start, 1.0 + start.abs());
                            let found = rates.possible(supporting, respondents, alpha, near);
                            assert_eq!(found, (low, high.max(low)), "{rates:?} {supporting}");
                        }
                    }
                }
            }
        }
    }

    /// A complement that is lost where 1 minus it is a float.
    #[test]
    fn a_truth_next_to_one_may_still_be_a_lie() {
        let truth = Split { p: 1.0, q: 4e-17 };
        let rates = Rates { truth, lie: truth.exchanged() };
        let n = 1_000_000_000;
        // All but one, if all have it: 4·10^−8.
        let tail = rates.at_most(n - 1, n, n);
        assert!((tail / 4e-8 - 1.0).abs() < 1e-6, "{tail}");
        assert_eq!(rates.possible(n - 1, n, 1e-9, (n as f64, 1.0)).1, n);
    }

    #[test]
    fn the_first_is_found_wherever_the_search_begins() {
        for last in [0, 1, 5, 100] {
            for first in 0..=last + 1 {
                for (guess, step) in [(0, 1), (last, 1), (last / 2, 1), (last / 3, 7)] {
                    let found = first_that(guess, step, last, |number| number >= first);
                    assert_eq!(found, (first <= last).then_some(first));
                }
            }
        }
    }
}
