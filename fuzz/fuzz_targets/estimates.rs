//! What is made of reports and of plans: bits, counts, channels, intervals, means, the best parameters.
#![no_main]

use arbitrary::Arbitrary;
use deniable::estimate::{
    BitCounts, Channel, Estimate, FrequencyOracle, Interval, Mean, Target, binomial, difference,
};
use deniable::mechanism::randomized_response_bitvec::smallest_f;
use deniable::mechanism::randomized_response_bool::largest_prob;
use deniable::num::{Lower, Upper};
use deniable::plan;
use deniable::prelude::*;
use deniable::rappor::{CohortCounts, Params};
use deniable::sample::Ratio;
use deniable_fuzz::planted;
use deniable_fuzz::share::Share;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Input {
    Bits {
        words: Vec<u64>,
        bytes: Vec<u8>,
        start: usize,
        length: usize,
        is_short: bool,
    },
    Counts {
        reports: u64,
        ones: Vec<u64>,
        others: Vec<u64>,
        prob: Share,
    },
    Channel {
        truth: Share,
        lie: Share,
        counts: [u64; 2],
        level: Level,
        sample: bool,
    },
    Mean {
        respondents: u64,
        numbers: [f64; 5],
        level: Level,
    },
    Binomial {
        successes: u64,
        trials: u64,
        level: Level,
    },
    Plan {
        k: usize,
        epsilon: f64,
        most_bits: Option<u64>,
    },
    Enough {
        k: u16,
        respondents: u64,
        level: Level,
    },
    Bound {
        x: f64,
    },
    Budget {
        length: usize,
        max_weight: usize,
        epsilon: f64,
    },
    Rappor {
        k: u8,
        h: u8,
        m: u8,
        probs: [Share; 3],
        candidates: u16,
        respondents: u64,
        level: Level,
    },
}

/// What errors are asked for.
#[derive(Arbitrary, Debug)]
struct Level {
    share: Share,
    alpha: Share,
    power: Share,
}

fuzz_target!(|input: Input| match input {
    Input::Bits { words, bytes, start, length, is_short } => {
        let length = if is_short { length % 200 } else { length };
        bits(words, &bytes, start, length);
    }
    Input::Counts { reports, ones, others, prob } => counts(reports, ones, others, prob.0),
    Input::Channel { truth, lie, counts: [a, b], level, sample } => {
        let target = if sample { Target::Sample } else { Target::Population };
        channel(truth.0, lie.0, a, b % (1 << 31), &level, target);
    }
    Input::Mean { respondents, numbers, level } => mean(respondents, numbers, &level),
    Input::Binomial { successes, trials, level } => {
        of_trials(successes, trials % (1 << 31), &level);
    }
    Input::Plan { k, epsilon, most_bits } => best(k, epsilon, most_bits),
    Input::Enough { k, respondents, level } => enough(k.into(), respondents, &level),
    Input::Bound { x } => {
        assert_eq!(Upper::new(x).is_ok(), !x.is_nan(), "which upper bounds there are");
        assert_eq!(Lower::new(x).is_ok(), !x.is_nan(), "which lower bounds there are");
    }
    Input::Budget { length, max_weight, epsilon } => budget(length, max_weight, epsilon),
    Input::Rappor { k, h, m, probs: [p, q, f], candidates, respondents, level } => {
        let params = Params::new(k.into(), h.into(), m.into(), p.0, q.0, f.0);
        let Ok(params) = params else { return };
        rappor(&params, candidates.into(), respondents, &level);
    }
});

/// The same bits by each of three ways.
fn bits(words: Vec<u64>, bytes: &[u8], start: usize, length: usize) {
    let packed = BitVector::from_packed(&words, start, length);
    let is_there = start.checked_add(length).is_some_and(|end| end <= 64 * words.len());
    assert_eq!(packed.is_ok(), is_there, "which bits there are");
    if let Ok(packed) = packed {
        let one_by_one = (start..start + length).map(|at| words[at / 64] >> (at % 64) & 1 == 1);
        assert_eq!(packed, one_by_one.collect::<BitVector>(), "other bits");
        let whole = BitVector::from_words(packed.as_words().to_vec(), length);
        assert_eq!(whole.as_ref(), Ok(&packed), "other bits");
        let bytes = packed.to_bytes();
        assert_eq!(BitVector::from_bytes(&bytes, length).as_ref(), Ok(&packed), "other bits");
        assert_eq!(packed.get(length), None, "a bit behind the last one");
    }
    let of_bytes = BitVector::from_bytes(bytes, length);
    assert_eq!(of_bytes.is_ok(), bytes.len() == length.div_ceil(8), "which bits there are");
    let is_whole = words.len() == length.div_ceil(64);
    assert!(is_whole || BitVector::from_words(words, length).is_err(), "too many words");
}

/// Counts made elsewhere are possible ones, and add up.
fn counts(reports: u64, ones: Vec<u64>, others: Vec<u64>, prob: f64) {
    let first = BitCounts::from_ones(reports, ones.clone());
    let is_possible = reports <= 1 << 63 && ones.iter().all(|&ones| ones <= reports);
    assert_eq!(first.is_ok(), is_possible, "which counts there are");
    let Ok(first) = first else { return };
    assert_eq!((first.reports(), &first.ones()), (reports, &ones), "other counts");
    let most = others.iter().copied().max().unwrap_or(0);
    let Ok(second) = BitCounts::from_ones(most, others) else { return };
    let mut both = first.clone();
    let merged = both.merge(&second);
    let fit = first.length() == second.length() && reports.saturating_add(most) <= 1 << 63;
    assert_eq!(merged.is_ok(), fit, "which counts add up");
    let cohorts = CohortCounts::from_cohorts(vec![first.clone(), second]);
    assert_eq!(cohorts.is_ok(), fit, "which cohorts there are");
    if merged.is_err() {
        assert_eq!(both.ones(), first.ones(), "other counts");
    }
    let Ok(yes_no) = make_randomized_response_bool(prob, false) else { return };
    if let Ok(estimates) = yes_no.estimate(&both) {
        let shares: Vec<f64> = estimates.iter().map(|one| one.share()).collect();
        assert!(shares.iter().all(|share| share.is_finite()), "a share of nothing");
    }
}

fn channel(truth: f64, lie: f64, supporting: u64, respondents: u64, level: &Level, target: Target) {
    let (Ok(truth), Ok(lie)) = (ratio(truth), ratio(lie)) else { return };
    let Ok(channel) = Channel::new(&truth, &lie) else { return };
    assert!(channel.signal() > 0.0 && channel.truth() > channel.lie(), "a channel that lies");
    let estimate = |supporting| Estimate::new(&channel, supporting, respondents);
    let made = estimate(supporting);
    let is_possible =
        (1..=binomial::MOST_TRIALS).contains(&respondents) && supporting <= respondents;
    assert_eq!(made.is_ok(), is_possible, "which estimates there are");
    // Few of all 64-bit numbers are at most a number of respondents.
    let Ok(made) = estimate(supporting.checked_rem(respondents + 1).unwrap_or(0)) else { return };
    assert!(made.share().is_finite() && made.variance(target) >= 0.0, "an error below 0");
    assert!((0.0..=1.0).contains(&made.p_value()), "no probability");
    if let Ok(interval) = made.interval(target, level.power.0) {
        check(interval, 0.0..=1.0);
        let twice = difference(&made, &made, target, level.power.0).expect("the same level");
        check(twice.interval, -1.0..=1.0);
        assert!(twice.interval.contains(0.0), "a difference of the same");
    }
    if let Ok(Some(share)) = made.detectable(level.alpha.0, level.power.0) {
        assert!((0.0..=1.0).contains(&share), "no share");
    }
}

fn ratio(x: f64) -> deniable::sample::Result<Ratio> {
    let ratio = Ratio::from_float(x);
    assert_eq!(ratio.is_ok(), x.is_finite() && x >= 0.0, "which ratios there are");
    ratio
}

fn check(interval: Interval, within: std::ops::RangeInclusive<f64>) {
    let Interval { low, high } = planted::interval(interval);
    assert!(low <= high, "an interval the wrong way round");
    assert!(within.contains(&low) && within.contains(&high), "an interval of what is not there");
}

fn mean(respondents: u64, [mean, squares, scale, low, high]: [f64; 5], level: &Level) {
    let made = Mean::new(respondents, mean, squares, scale, (low, high));
    let numbers = mean.is_finite() && [squares, scale].iter().all(|x| x.is_finite() && *x >= 0.0);
    assert_eq!(made.is_ok(), respondents > 0 && numbers && low <= high, "which means there are");
    let Ok(made) = made else { return };
    for target in [Target::Population, Target::Sample] {
        assert!(made.standard_error(target) >= 0.0, "an error below 0");
        if let Ok(interval) = made.interval(target, level.power.0) {
            check(interval, low..=high);
        }
    }
}

fn of_trials(successes: u64, trials: u64, level: &Level) {
    let successes = successes.checked_rem(trials + 2).unwrap_or(0);
    let (alpha, p) = (level.alpha.0, level.share.0);
    if let Ok(lower) = binomial::lower(successes, trials, alpha) {
        assert!(successes <= trials, "more successes than trials");
        let upper = binomial::upper(successes, trials, alpha).expect("the same rule");
        check(Interval { low: lower, high: upper }, 0.0..=1.0);
    }
    if let Ok(tail) = binomial::at_least(successes, trials, p) {
        assert!((0.0..=1.0).contains(&tail), "no probability");
        let other = binomial::at_most(successes, trials, p).expect("the same rule");
        // What is in both is counted twice.
        assert!((0.0..=1.0).contains(&other) && tail + other > 1.0 - 1e-6, "no probability");
    }
}

fn best(k: usize, epsilon: f64, most_bits: Option<u64>) {
    let Ok(epsilon) = Epsilon::new(epsilon) else { return };
    let Ok(candidates) = plan::candidates(k, epsilon) else { return };
    for candidate in &candidates {
        assert!(candidate.variance() >= 0.0, "an error below 0");
    }
    if let Ok(best) = plan::best(k, epsilon, most_bits) {
        assert!(!best.reason().is_empty());
        let bits = best.best().report_bits();
        assert!(most_bits.is_none_or(|most| bits <= most), "too many bits");
    }
}

fn enough(k: usize, respondents: u64, level: &Level) {
    let is_epsilon = |epsilon: Epsilon| {
        let range = plan::SMALLEST_EPSILON..=plan::LARGEST_EPSILON;
        assert!(range.contains(&epsilon.get()), "an ε that was not asked for");
    };
    let (share, alpha, power) = (level.share.0, level.alpha.0, level.power.0);
    if let Ok(Some(epsilon)) = plan::epsilon_for(k, share, respondents) {
        is_epsilon(epsilon);
    }
    if let Ok(Some(epsilon)) = plan::epsilon_to_detect(k, share, respondents, alpha, power) {
        is_epsilon(epsilon);
    }
}

/// The best parameters for a budget are accepted, and within it.
fn budget(length: usize, max_weight: usize, epsilon: f64) {
    let Ok(epsilon) = Epsilon::new(epsilon) else { return };
    let yes_no = make_randomized_response_bool(largest_prob(epsilon), false).expect("accepted");
    assert!(yes_no.map(1).expect("a distance") <= epsilon, "above the budget");
    let domain = BitVectorDomain::new(length).with_max_weight(max_weight);
    let Ok(f) = smallest_f(&domain, epsilon) else { return };
    let flips = make_randomized_response_bitvec(domain, DiscreteDistance, f, false);
    let loss = flips.expect("accepted").map(1).expect("a distance");
    assert!(loss <= epsilon, "above the budget");
}

fn rappor(params: &Params, candidates: usize, respondents: u64, level: &Level) {
    let (share, alpha, power) = (level.share.0, level.alpha.0, level.power.0);
    for target in [Target::Population, Target::Sample] {
        if let Ok(error) = params.standard_error(share, candidates, respondents, target) {
            assert!(error >= 0.0, "an error below 0");
            let people = params.respondents_for(error.max(1e-3), share, candidates, target);
            assert!(people.is_ok(), "an error that is none");
        }
    }
    if let Ok(Some(share)) = params.detectable(candidates, respondents, alpha, power) {
        assert!((0.0..=1.0).contains(&share), "no share");
    }
    let _ = params.respondents_to_detect(share, candidates, alpha, power);
}
