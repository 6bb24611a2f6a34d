//! Pairs of answers.

use super::*;
use crate::BitVector;
use crate::estimate::Target;
use crate::rappor::decode::input::{Candidates, Noise};
use crate::rappor::decode::tests::{assert_near, uniforms};

fn report(set: &[usize], bits: usize, noise: &Noise, uniforms: &[f64]) -> BitVector {
    let rate = |bit: usize| noise.rate(if set.contains(&bit) { 1.0 } else { 0.0 });
    (0..bits).map(|bit| uniforms[bit] < rate(bit)).collect()
}

/// Two values in three cohorts of 8 bits, each with two bits that the other has not.
fn candidates(first: usize) -> Candidates {
    let bits = |value: usize| {
        let bit = move |i: usize| i / 2 * 8 + (first + 3 * (i / 2) + 2 * value + i % 2) % 8;
        (0..6).map(bit).collect::<Vec<usize>>()
    };
    Candidates::new(8, 3, [bits(0), bits(1)]).unwrap()
}

/// So many respondents, with the pairs in turn by a law of 20ths.
fn reports(noise: &Noise, of: [&Candidates; 2], law: [usize; 4], count: usize) -> Vec<[Report; 2]> {
    let turns: Vec<usize> = (0..4).flat_map(|pair| vec![pair; law[pair]]).collect();
    let random = uniforms(77, count * 17);
    let one = |i: usize| {
        let (pair, random) = (turns[i % turns.len()], &random[17 * i..][..17]);
        let cohort = (random[16] * 3.0) as usize;
        let answer = |question: usize, value: usize| {
            let all = of[question].set.get(value).iter().map(|&bit| bit as usize);
            let here = all.filter(|bit| bit / 8 == cohort).map(|bit| bit % 8);
            let bits = report(&here.collect::<Vec<_>>(), 8, noise, &random[8 * question..]);
            Report::new(cohort, bits)
        };
        [answer(0, pair / 2), answer(1, pair % 2)]
    };
    (0..count).map(one).collect()
}

fn joint(noise: &Noise, law: [usize; 4], count: usize, others: bool) -> Association {
    let of = [candidates(1), candidates(2)];
    let reports = reports(noise, [&of[0], &of[1]], law, count);
    let tables = [&of[0], &of[1]].map(|candidates| Values::new(noise, candidates, others));
    from_values(tables, reports.iter().map(|[one, other]| (one, other))).unwrap()
}

#[test]
fn without_noise_pairs_are_counted() {
    let noise = Noise::new(0.0, 1.0, 0.0).unwrap();
    let pairs = joint(&noise, [8, 2, 3, 7], 2000, false);
    for (i, share) in [0.4, 0.1, 0.15, 0.35].into_iter().enumerate() {
        let estimate = pairs.get(i / 2, i % 2).unwrap();
        assert_near(estimate.share(), share, 1e-4);
        assert_near(pairs.likeliest()[i], share, 1e-4);
        // Nothing but the draw of respondents is uncertain.
        let drawn = (share * (1.0 - share) / 2000.0).sqrt();
        assert_near(estimate.standard_error(Target::Population), drawn, 1e-4);
        assert!(estimate.standard_error(Target::Sample) < 0.1 * drawn);
    }
    assert_eq!((pairs.values(), pairs.respondents()), ([2, 2], 2000));
    assert!(pairs.get(2, 0).is_none() && pairs.get(0, 2).is_none());
}

#[test]
fn with_noise_pairs_are_found() {
    let noise = Noise::new(0.25, 0.75, 0.25).unwrap();
    for others in [false, true] {
        let pairs = joint(&noise, [10, 0, 2, 8], 20_000, others);
        let [_, columns] = pairs.values();
        assert_eq!(columns, if others { 3 } else { 2 });
        assert_near(pairs.likeliest().iter().sum::<f64>(), 1.0, 1e-9);
        let mut sum = 0.0;
        for (i, truth) in [0.5, 0.0, 0.1, 0.4].into_iter().enumerate() {
            let share = pairs.get(i / 2, i % 2).unwrap();
            let error = share.standard_error(Target::Population);
            assert!((share.share() - truth).abs() < 4.0 * error, "{share:?}");
            assert!(error < 0.05);
            assert!((pairs.likeliest()[i / 2 * columns + i % 2] - truth).abs() < 4.0 * error);
            sum += share.share();
        }
        if !others {
            assert_near(sum, 1.0, 1e-6);
        }
    }
}

fn likelihoods(count: usize) -> Likelihoods {
    let noise = Noise::new(0.25, 0.75, 0.25).unwrap();
    let of = [candidates(1), candidates(2)];
    let tables = [0, 1].map(|i: usize| Values::new(&noise, &of[i], true));
    let mut all = Likelihoods::new([3, 3]);
    for [one, other] in reports(&noise, [&of[0], &of[1]], [10, 0, 2, 8], count) {
        all.push([tables[0].of(&one).unwrap(), tables[1].of(&other).unwrap()]);
    }
    all
}

#[test]
fn the_likeliest_law_is_where_slow_steps_end() {
    let likelihoods = likelihoods(2000);
    let (law, slopes, _) = likeliest(&likelihoods).unwrap();
    let mut slow = vec![1.0 / 9.0; 9];
    for _ in 0..20_000 {
        let slopes = likelihoods.slopes(&slow);
        slow.iter_mut().zip(slopes).for_each(|(mass, slope)| *mass *= 1.0 + slope);
    }
    law.iter().zip(&slow).for_each(|(a, b)| assert_near(*a, *b, 1e-3));
    let gap = 2000.0 * (likelihoods.log(&slow) - likelihoods.log(&law));
    assert!(gap < GAP, "{gap}");
    assert!(slopes.iter().all(|slope| *slope <= GAP / 2000.0));
    // Pairs that nobody has are exactly 0, which slow steps reach never.
    assert!(law.contains(&0.0) && !slow.contains(&0.0));
}

#[test]
fn derivatives_are_those_of_the_likelihood() {
    let likelihoods = likelihoods(300);
    let law: Vec<f64> = uniforms(5, 9).iter().map(|u| 0.05 + u / 9.0).collect();
    let (slopes, curvature) = (likelihoods.slopes(&law), likelihoods.curvature(&law, 7));
    let moved = |j: usize, by: f64| {
        let mut law = law.clone();
        law[j] += by;
        law
    };
    for j in 0..9 {
        let step = 1e-6;
        let (up, down) = (moved(j, step), moved(j, -step));
        let slope = (likelihoods.log(&up) - likelihoods.log(&down)) / (2.0 * step);
        assert_near(slopes[j], slope - 1.0, 1e-7);
        let (up, down) = (likelihoods.slopes(&up), likelihoods.slopes(&down));
        for i in 0..9 {
            assert_near(curvature[(i, j)], (down[i] - up[i]) / (2.0 * step), 1e-6);
        }
    }
}

#[test]
fn others_are_the_mean_over_all_filters() {
    // Candidates with one bit, or two, in equal numbers: others are the mean of the means over all filters with one and with two.
    let noise = Noise::new(0.2, 0.7, 0.1).unwrap();
    let of = Candidates::new(5, 1, [&[0][..], &[1, 2]]).unwrap();
    let values = Values::new(&noise, &of, true);
    let ratio = |report: u32, bit: u32| {
        let (one, zero) = (noise.rate(1.0), noise.rate(0.0));
        if report >> bit & 1 == 1 { one / zero } else { (1.0 - one) / (1.0 - zero) }
    };
    for report in 0..32u32 {
        let (mut ones, mut twos) = (0.0, 0.0);
        for i in 0..5 {
            ones += ratio(report, i) / 5.0;
            twos += (0..i).map(|j| ratio(report, i) * ratio(report, j) / 10.0).sum::<f64>();
        }
        let bits: BitVector = (0..5).map(|bit| report >> bit & 1 == 1).collect();
        let likelihoods = values.of(&Report::new(0, bits)).unwrap();
        assert_near(likelihoods[2] / likelihoods[0], (ones + twos) / 2.0 / ratio(report, 0), 1e-12);
        let two = ratio(report, 1) * ratio(report, 2);
        assert_near(likelihoods[1] / likelihoods[0], two / ratio(report, 0), 1e-12);
    }
}

/// 64 bits that a billion speaks for, each: their product is no float.
#[test]
fn many_bits_without_noise() {
    let params = Params::new(256, 64, 2, 0.0, 1.0, 0.0).unwrap();
    let map = CandidateMap::new(&params, ["tea", "coffee"]).unwrap();
    for others in [false, true] {
        let plain = Question::new(&params, &map);
        let question = if others { plain.with_others() } else { plain };
        assert_eq!(question.values(), if others { 3 } else { 2 });
        let values = question.likelihoods().unwrap();
        for (value, name) in ["tea", "coffee"].into_iter().enumerate() {
            let report = Report::new(1, params.filter_of(1, name).unwrap());
            let of = values.of(&report).unwrap();
            let is_near =
                |(i, x): (usize, &f64)| (x - f64::from(u8::from(i == value))).abs() < 1e-9;
            assert!(of.iter().enumerate().all(is_near), "{of:?}");
        }
        // No filter looks like this, and none is ruled out: those with the fewest bits are the likeliest.
        let none = values.of(&Report::new(1, BitVector::zeros(256))).unwrap();
        assert!(none.contains(&1.0) && none.iter().all(|x| x.is_finite()));
    }
    let both = |one: &str, other: &str| {
        let of = |name| Report::new(0, params.filter_of(0, name).unwrap());
        (of(one), of(other))
    };
    let names = ["tea", "coffee"];
    let reports: Vec<_> = (0..40).map(|i| both(names[i % 2], names[i / 2 % 2])).collect();
    let question = Question::new(&params, &map);
    let pairs = associate(&question, &question, reports.iter().map(|(a, b)| (a, b))).unwrap();
    pairs.likeliest().iter().for_each(|share| assert_near(*share, 0.25, 1e-4));
    assert_near(pairs.get(1, 0).unwrap().share(), 0.25, 1e-4);
}

/// Nobody has the pair, and no report looks as if: there is nothing to tell its variance from.
#[test]
fn pairs_that_are_ruled_out_have_no_share() {
    for (p, q) in [(0.0, 1.0), (0.01, 0.99), (0.1, 0.9)] {
        let params = Params::new(64, 8, 4, p, q, 0.0).unwrap();
        let map = CandidateMap::new(&params, ["tea", "coffee"]).unwrap();
        let noise = Noise::try_from(&params).unwrap();
        let random = uniforms(5, 2 * 64 * 300);
        let one = |i: usize, name: &str| {
            let random = &random[64 * i..][..64];
            let set = params.bits_of(i / 2 % 4, name).unwrap();
            Report::new(i / 2 % 4, report(&set, 64, &noise, random))
        };
        let of = |i: usize| {
            let names = [["tea", "tea"], ["coffee", "coffee"], ["tea", "coffee"]][i / 4 % 3];
            (one(2 * i, names[0]), one(2 * i + 1, names[1]))
        };
        let reports: Vec<_> = (0..300).map(of).collect();
        let reports = || reports.iter().map(|(one, other)| (one, other));
        for others in [false, true] {
            let question = Question { others, ..Question::new(&params, &map) };
            let pairs = associate(&question, &question, reports()).unwrap();
            let [_, columns] = pairs.values();
            for i in 0..columns * columns {
                let (row, column) = (i / columns, i % columns);
                let seen = row < 2 && column < 2 && (row, column) != (1, 0);
                let (share, truth) =
                    (pairs.get(row, column).unwrap(), if seen { 1.0 / 3.0 } else { 0.0 });
                let error = share.standard_error(Target::Sample);
                assert!((share.share() - truth).abs() < 0.1 && error < 0.05, "{share:?}");
            }
        }
    }
}

#[test]
fn bad_reports_are_refused() {
    let params = Params::new(8, 2, 3, 0.25, 0.75, 0.25).unwrap();
    let map = CandidateMap::new(&params, ["tea", "coffee"]).unwrap();
    let question = Question::new(&params, &map);
    let of = |cohort, bits| Report::new(cohort, BitVector::zeros(bits));
    let refused = |reports: &[(Report, Report)]| {
        let reports = reports.iter().map(|(one, other)| (one, other));
        associate(&question, &question, reports).unwrap_err().parameter()
    };
    assert_eq!(refused(&[]), Some("reports"));
    assert_eq!(refused(&[(of(0, 8), of(3, 8))]), Some("reports"));
    assert_eq!(refused(&[(of(0, 8), of(0, 7))]), Some("reports"));
    // One report cannot tell four pairs apart.
    assert_eq!(refused(&[(of(0, 8), of(0, 8))]), Some("candidates"));
    let many = CandidateMap::new(&params, (0..40).map(|i| i.to_string())).unwrap();
    let many = Question::new(&params, &many);
    let error = associate(&many, &many, [(&of(0, 8), &of(0, 8))]).unwrap_err();
    assert!(error.to_string().contains("at most 1000 pairs"));
    let other = Params::new(8, 2, 4, 0.25, 0.75, 0.25).unwrap();
    let other = Question::new(&other, &map);
    let error = associate(&other, &question, [(&of(0, 8), &of(0, 8))]).unwrap_err();
    assert_eq!(error.parameter(), Some("candidates"));
}
