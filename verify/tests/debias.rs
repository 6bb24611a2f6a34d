//! The estimates' expectation and mean squared error, exactly: over every list of reports that a small survey can give,
//! each with the probability that the shipping mechanism gives it.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use deniable::prelude::*;
use deniable_verify::enumerate::{enumerate, inverse_power_of_two};
use deniable_verify::inversion::{neighbour, value};
use deniable_verify::law::Law;
use deniable_verify::words::Script;

/// What one respondent may report, with exact probabilities; all of it, nothing is unresolved.
fn law_of<T: Ord + Clone + core::fmt::Debug>(
    depth: usize,
    randomize: impl Fn(&mut Script<'_, 4>) -> deniable::Result<T>,
) -> Vec<(T, RBig)> {
    let law: Law<T> = enumerate(depth, randomize);
    assert_eq!(law.remainder, RBig::ZERO, "this probability has few digits");
    law.mass.into_iter().collect()
}

/// Every list of one report from each respondent.
fn surveys<T: Clone>(respondents: &[Vec<(T, RBig)>]) -> Vec<(Vec<T>, RBig)> {
    respondents.iter().fold(vec![(Vec::new(), RBig::ONE)], |lists, respondent| {
        let grown = |(list, probability): &(Vec<T>, RBig)| {
            let one_more = |(report, chance): &(T, RBig)| {
                let longer = list.iter().chain([report]).cloned().collect::<Vec<T>>();
                (longer, probability * chance)
            };
            respondent.iter().map(one_more).collect::<Vec<_>>()
        };
        lists.iter().flat_map(grown).collect()
    })
}

/// The expected estimates, and the expected sum of their squared distances from `truth`.
fn moments<T>(
    surveys: &[(Vec<T>, RBig)],
    truth: &[RBig],
    estimate: impl Fn(&[T]) -> Vec<RBig>,
) -> (Vec<RBig>, RBig) {
    let mut mean = vec![RBig::ZERO; truth.len()];
    let mut squared = RBig::ZERO;
    for (reports, probability) in surveys {
        for ((mean, truth), estimate) in mean.iter_mut().zip(truth).zip(estimate(reports)) {
            let error = &estimate - truth;
            squared += &error * &error * probability;
            *mean += estimate * probability;
        }
    }
    (mean, squared)
}

fn exactly(x: f64) -> RBig {
    value(x)
}

fn ratio(numerator: i64, denominator: u64) -> RBig {
    RBig::from_parts(IBig::from(numerator), UBig::from(denominator))
}

fn values(estimates: deniable::Result<Vec<f64>>) -> Vec<RBig> {
    estimates.unwrap().into_iter().map(value).collect()
}

/// n·k·(f − f²/2)/(2(1 − f)²): the document's theorem.
fn theorem(n: u64, k: u64, f: &RBig) -> RBig {
    let kept = RBig::ONE - f;
    RBig::from(n * k) * (f - f * f / RBig::from(2)) / (RBig::from(2) * &kept * &kept)
}

/// Three answers of two bits: all the ways of having 0 to 3 ones at a place.
fn bit_surveys() -> Vec<Vec<BitVector>> {
    let bits = |a, b| BitVector::from([a, b]);
    let all = [bits(false, false), bits(true, false), bits(false, true), bits(true, true)];
    let mut lists = Vec::new();
    for a in &all {
        for b in &all {
            lists.push(vec![a.clone(), b.clone()]);
            lists.push(vec![a.clone(), b.clone(), all[1].clone()]);
        }
    }
    lists
}

/// Whether a mechanism's reports, debiased by `estimate`, have the theorem's expectation and error. Where f and 1 − f are powers
/// of two all estimates are floats, so that the moments of the shipping code are exact.
fn bits_hold(
    f: f64,
    randomize: impl Fn(&BitVector, &mut Script<'_, 4>) -> deniable::Result<BitVector>,
    estimate: impl Fn(&[BitVector]) -> Vec<RBig>,
) -> bool {
    bit_surveys().iter().all(|answers| {
        let laws: Vec<_> =
            answers.iter().map(|answer| law_of(3, |s| randomize(answer, s))).collect();
        let count = |place| answers.iter().filter(|bits| bits.get(place) == Some(true)).count();
        let truth = [RBig::from(count(0) as u64), RBig::from(count(1) as u64)];
        let (mean, squared) = moments(&surveys(&laws), &truth, &estimate);
        mean == truth && squared == theorem(answers.len() as u64, 2, &exactly(f))
    })
}

fn flips(f: f64) -> deniable::RandomizedResponseBitvec {
    let domain = BitVectorDomain::new(2).with_max_weight(2);
    make_randomized_response_bitvec(domain, DiscreteDistance, f, false).unwrap()
}

#[test]
fn bit_vectors_are_unbiased_with_the_theorems_error() {
    let half = flips(0.5);
    let shipping = |reports: &[BitVector]| values(debias_randomized_response_bitvec(reports, 0.5));
    assert!(bits_hold(0.5, |x, s| half.randomize(x, s), shipping));
    // The exact estimator for an f where it is no float; that the shipping one is its nearest float is below.
    let quarter = flips(0.25);
    let exact = |reports: &[BitVector]| {
        let n = reports.len() as i64;
        let ones = |place| reports.iter().filter(|bits| bits.get(place) == Some(true)).count();
        let estimate = |place| (RBig::from(ones(place) as u64) - ratio(n, 8)) / ratio(3, 4);
        vec![estimate(0), estimate(1)]
    };
    assert!(bits_hold(0.25, |x, s| quarter.randomize(x, s), exact));
}

#[test]
fn the_mechanisms_own_error_is_the_theorems() {
    for (f, n) in [(0.5, 1), (0.25, 10), (0.1, 1000), (0.9, 7)] {
        let expected = theorem(n, 2, &exactly(f)).to_f64().value();
        let mechanism = flips(f);
        let relative = |x: f64| (x / expected - 1.0).abs();
        assert!(relative(mechanism.mean_squared_error(n)) < 1e-14);
        assert!(relative(2.0 * mechanism.standard_error(n).powi(2)) < 1e-14);
    }
}

/// (Y − n·lie)/(truth − lie) for every Y, to the nearest float.
#[test]
fn every_estimate_is_the_nearest_float() {
    for f in
        [5e-324, 1e-300, 1e-9, 0.1, 0.25, 0.3, 0.5, 0.7, 0.999, f64::from_bits(1f64.to_bits() - 1)]
    {
        for n in [1usize, 2, 3, 7, 20] {
            for ones in 0..=n {
                let reports: Vec<_> = (0..n).map(|i| BitVector::from([i < ones])).collect();
                let shipping = debias_randomized_response_bitvec(&reports, f).unwrap()[0];
                let lie = exactly(f) * inverse_power_of_two(1);
                let exact = (RBig::from(ones as u64) - RBig::from(n as u64) * lie)
                    / (RBig::ONE - exactly(f));
                assert!(is_nearest(shipping, &exact), "f {f}, {ones} of {n}");
            }
        }
    }
}

/// No neighbour is nearer.
fn is_nearest(x: f64, exact: &RBig) -> bool {
    let distance = |x: f64| {
        let difference = value(x) - exact;
        if difference < RBig::ZERO { -difference } else { difference }
    };
    [-1, 1].iter().all(|&places| neighbour(x, places).is_none_or(|y| distance(x) <= distance(y)))
}

#[test]
fn yes_and_no_are_unbiased() {
    let mechanism = make_randomized_response_bool(0.75, false).unwrap();
    for answers in [vec![true], vec![true, false, false], vec![true, true, false, true]] {
        let laws: Vec<_> =
            answers.iter().map(|x| law_of(2, |s| mechanism.randomize(x, s))).collect();
        let truth = [RBig::from(answers.iter().filter(|&&answer| answer).count() as u64)];
        let estimate = |reports: &[bool]| {
            values(debias_randomized_response_bool(reports, 0.75).map(|x| vec![x]))
        };
        let (mean, squared) = moments(&surveys(&laws), &truth, estimate);
        assert_eq!(mean, truth);
        // n·p(1 − p)/(2p − 1)²
        assert_eq!(squared, RBig::from(answers.len() as u64) * ratio(3, 4));
        let error = mechanism.standard_error(answers.len() as u64);
        assert!((error * error - squared.to_f64().value()).abs() < 1e-14);
    }
}

/// Three categories, among them each with probability 1/2 of the truth and 1/4 of each lie. The mechanism's uniform draws
/// below 3 reject a word now and then, so that the law over words has a remainder; the law by its draws has none.
fn choices(answer: Option<usize>) -> Vec<(&'static str, RBig)> {
    let chance = |category: usize| match answer {
        Some(answer) if answer == category => ratio(1, 2),
        Some(_) => ratio(1, 4),
        None => ratio(1, 3),
    };
    DRINKS.iter().enumerate().map(|(index, drink)| (*drink, chance(index))).collect()
}

const DRINKS: [&str; 3] = ["tea", "coffee", "water"];

/// Hole 4: answers outside the categories add 1/t each to every estimate. Nothing else does.
#[test]
fn categories_are_unbiased_but_for_answers_outside_of_them() {
    let mechanism = make_randomized_response(DRINKS, 0.5).unwrap();
    let estimate =
        |reports: &[&'static str]| values(debias_randomized_response(&mechanism, reports));
    for outside in 0..3 {
        let mut answers = vec![Some(0), Some(0), Some(1)];
        answers.extend(vec![None; outside]);
        let laws: Vec<_> = answers.iter().map(|&answer| choices(answer)).collect();
        let truth = [RBig::from(2), RBig::ONE, RBig::ZERO];
        let (mean, squared) = moments(&surveys(&laws), &truth, estimate);
        let bias = ratio(outside as i64, 3);
        assert!(mean.iter().zip(&truth).all(|(mean, truth)| *mean == truth + &bias));
        if outside == 0 {
            let worst = mechanism.standard_error(3).powi(2) * 3.0;
            assert!(squared.to_f64().value() <= worst * (1.0 + 1e-14));
        }
    }
}

/// What [`choices`] says is what the mechanism does.
#[test]
fn the_choices_are_those_of_the_mechanism() {
    let mechanism = make_randomized_response(DRINKS, 0.5).unwrap();
    for answer in [Some(0), Some(1), Some(2), None] {
        let said = answer.map_or("wine", |index: usize| DRINKS[index]);
        let law = enumerate::<4, _, _>(4, |s| mechanism.randomize(&said, s));
        let expected = choices(answer)
            .into_iter()
            .map(|(drink, chance)| (drink, deniable_verify::law::Between::exactly(chance)));
        law.check(&inverse_power_of_two(7), expected).unwrap();
    }
}

/// The checks above find these mistakes.
mod planted {
    use super::*;

    #[test]
    fn f_taken_for_the_probability_of_a_flip_is_found() {
        let mechanism = flips(0.5);
        let estimate = |reports: &[BitVector]| {
            let n = RBig::from(reports.len() as u64);
            let ones = |place| reports.iter().filter(|bits| bits.get(place) == Some(true)).count();
            vec![RBig::from(ones(0) as u64) - &n / RBig::from(2), RBig::from(ones(1) as u64) - n]
        };
        assert!(!bits_hold(0.5, |x, s| mechanism.randomize(x, s), estimate));
    }

    #[test]
    fn an_estimate_cut_off_at_zero_is_found() {
        let mechanism = flips(0.5);
        let estimate = |reports: &[BitVector]| {
            let raw = values(debias_randomized_response_bitvec(reports, 0.5));
            raw.into_iter().map(|x| x.max(RBig::ZERO)).collect()
        };
        assert!(!bits_hold(0.5, |x, s| mechanism.randomize(x, s), estimate));
    }

    /// Hole 7: the last bit as it is.
    #[test]
    fn a_last_bit_without_noise_is_found() {
        let one = make_randomized_response_bitvec(
            BitVectorDomain::new(1).with_max_weight(1),
            DiscreteDistance,
            0.5,
            false,
        )
        .unwrap();
        let short = |x: &BitVector, s: &mut Script<'_, 4>| {
            let first = one.randomize(&BitVector::from([x.get(0).unwrap()]), s)?;
            Ok(BitVector::from([first.get(0).unwrap(), x.get(1).unwrap()]))
        };
        let shipping =
            |reports: &[BitVector]| values(debias_randomized_response_bitvec(reports, 0.5));
        assert!(!bits_hold(0.5, short, shipping));
    }

    #[test]
    fn a_float_next_to_the_nearest_is_found() {
        let third = ratio(1, 3);
        assert!(is_nearest(1.0 / 3.0, &third));
        assert!(!is_nearest(neighbour(1.0 / 3.0, 1).unwrap(), &third));
    }
}
