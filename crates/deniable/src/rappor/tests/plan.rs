//! Against the exact variances of the fit that is planned for, and by hand.

use crate::ErrorKind;
use crate::estimate::Target;
use crate::rappor::Params;

fn params(k: usize, h: usize, m: usize, p: f64, q: f64, f: f64) -> Params {
    Params::new(k, h, m, p, q, f).unwrap()
}

/// A row for each bit of each cohort: a one for the intercept, and the bits of so many candidates.
fn design(params: &Params, candidates: usize) -> Vec<Vec<f64>> {
    let k = params.k();
    let has = |place: usize, candidate: usize| {
        let bits = params.bits_of(place / k, candidate.to_string()).unwrap();
        f64::from(u8::from(bits.contains(&(place % k))))
    };
    let row =
        |place| [1.0].into_iter().chain((0..candidates).map(move |j| has(place, j))).collect();
    (0..k * params.m()).map(row).collect()
}

/// n times the exact variance of each candidate's estimate, for a sample: weighted least squares with an intercept, filters by the hash functions, cohorts of the same size, no values but
/// these. It shares nothing with the plan but the parameters: the fit's matrix is solved, and reports are drawn to cohorts without replacement.
fn exact_variances(params: &Params, shares: &[f64]) -> Vec<f64> {
    let (k, m, columns) = (params.k(), params.m(), shares.len() + 1);
    let (p, q, f) = (params.p(), params.q(), params.f());
    let (one, zero) = ((1.0 - f / 2.0) * q + f / 2.0 * p, f / 2.0 * q + (1.0 - f / 2.0) * p);
    let signal = one - zero;
    let design = design(params, shares.len());
    let set: Vec<f64> = design
        .iter()
        .map(|row| row[1..].iter().zip(shares).map(|(x, share)| x * share).sum())
        .collect();
    let weights: Vec<f64> = set
        .iter()
        .map(|set| zero + signal * set)
        .map(|rate| signal * signal / (rate * (1.0 - rate)))
        .collect();
    let inverse = inverse_of_gram(&design, &weights);
    (1..columns)
        .map(|candidate| {
            let loads: Vec<f64> = design
                .iter()
                .zip(&weights)
                .map(|(row, weight)| {
                    weight * inverse[candidate].iter().zip(row).map(|(a, x)| a * x).sum::<f64>()
                })
                .collect();
            // What reports add, given the filters; a cohort has one in m of them.
            let noise: f64 = loads
                .iter()
                .zip(&set)
                .map(|(load, set)| {
                    let variance = set * one * (1.0 - one) + (1.0 - set) * zero * (1.0 - zero);
                    m as f64 * load * load * variance / (signal * signal)
                })
                .sum();
            // What is added by shares that are not the same in all cohorts.
            let dealt: f64 = (0..m)
                .map(|cohort| {
                    let rows = cohort * k..(cohort + 1) * k;
                    let moves: Vec<f64> = (1..columns)
                        .map(|j| rows.clone().map(|i| loads[i] * design[i][j]).sum())
                        .collect();
                    let mean: f64 = moves.iter().zip(shares).map(|(x, share)| x * share).sum();
                    let square: f64 =
                        moves.iter().zip(shares).map(|(x, share)| x * x * share).sum();
                    m as f64 * (square - mean * mean)
                })
                .sum();
            let share = shares[candidate - 1];
            noise + dealt - share * (1.0 - share)
        })
        .collect()
}

/// (XᵀWX)⁻¹ by Gauss and Jordan.
fn inverse_of_gram(design: &[Vec<f64>], weights: &[f64]) -> Vec<Vec<f64>> {
    let n = design[0].len();
    let mut both = vec![vec![0.0; 2 * n]; n];
    for (row, weight) in design.iter().zip(weights) {
        for i in (0..n).filter(|&i| row[i] != 0.0) {
            (0..n).for_each(|j| both[i][j] += weight * row[i] * row[j]);
        }
    }
    (0..n).for_each(|i| both[i][n + i] = 1.0);
    for i in 0..n {
        let pivot = both[i][i];
        both[i].iter_mut().for_each(|x| *x /= pivot);
        let row = both[i].clone();
        for (_, other) in both.iter_mut().enumerate().filter(|(j, _)| *j != i) {
            let factor = other[i];
            other.iter_mut().zip(&row).for_each(|(x, y)| *x -= factor * y);
        }
    }
    both.iter().map(|row| row[n..].to_vec()).collect()
}

/// Shares that are 1 together: all the same, each nine tenths of the one before, one of a half.
fn some_shares(count: usize) -> [Vec<f64>; 3] {
    let raw: [&dyn Fn(usize) -> f64; 3] =
        [&|_| 1.0, &|i| 0.9f64.powi(i as i32), &|i| if i == 0 { 1.0 } else { 1.0 / count as f64 }];
    raw.map(|raw| {
        let sum: f64 = (0..count).map(raw).sum();
        (0..count).map(|i| raw(i) / sum).collect()
    })
}

/// The planned variances over the exact ones: the least, that of the sums, and the largest.
fn planned_over_exact(params: &Params, shares: &[f64]) -> [f64; 3] {
    let count = shares.len();
    let error = |&share| params.standard_error(share, count, 1, Target::Sample).unwrap();
    let planned: Vec<f64> = shares.iter().map(|share| error(share) * error(share)).collect();
    let exact = exact_variances(params, shares);
    let ratios = || planned.iter().zip(&exact).map(|(planned, exact)| planned / exact);
    let mean = planned.iter().sum::<f64>() / exact.iter().sum::<f64>();
    [ratios().fold(f64::INFINITY, f64::min), mean, ratios().fold(0.0, f64::max)]
}

#[test]
fn variances_are_those_of_the_fit() {
    for params in [
        params(32, 1, 16, 0.25, 0.75, 0.5),
        params(16, 2, 32, 0.25, 0.75, 0.5),
        params(8, 2, 64, 0.39, 0.61, 0.45),
        params(128, 2, 4, 0.5, 0.75, 0.5),
        params(64, 4, 8, 0.75, 0.25, 0.25),
        params(4, 1, 128, 0.25, 0.75, 0.5),
    ] {
        for count in [2, 10, 40, params.most_together()] {
            for shares in some_shares(count) {
                let [least, mean, most] = planned_over_exact(&params, &shares);
                let tell = format!("{params:?}, {count}: {least} {mean} {most}");
                assert!((mean - 1.0).abs() < 0.02, "{tell}");
                assert!(if params.m() > 4 { 0.85 } else { 0.75 } < least && most < 1.15, "{tell}");
            }
        }
    }
}

/// The guide says what it adds to an error: its share, divided by √(k·m).
#[test]
fn a_value_that_is_not_listed_adds_to_all_errors() {
    for (params, candidates) in [
        (params(32, 1, 16, 0.25, 0.75, 0.5), 40),
        (params(16, 2, 32, 0.25, 0.75, 0.5), 10),
        (params(8, 2, 64, 0.39, 0.61, 0.45), 40),
    ] {
        // The last twenty, one after the other, are not listed.
        let all = design(&params, candidates + 20);
        let listed: Vec<Vec<f64>> = all.iter().map(|row| row[..=candidates].to_vec()).collect();
        let inverse = inverse_of_gram(&listed, &vec![1.0; all.len()]);
        let square = |missing: usize| -> f64 {
            let products: Vec<f64> = (0..=candidates)
                .map(|j| all.iter().map(|row| row[j] * row[missing]).sum())
                .collect();
            let off = |of: &Vec<f64>| of.iter().zip(&products).map(|(a, b)| a * b).sum::<f64>();
            inverse[1..].iter().map(off).map(|off| off * off).sum::<f64>() / candidates as f64
        };
        let mean = (candidates + 1..=candidates + 20).map(square).sum::<f64>() / 20.0;
        let ratio = mean * (params.k() * params.m()) as f64;
        assert!((0.9..1.4).contains(&ratio), "{params:?}: {ratio}");
    }
}

/// The documentation says where it is off, and by how much.
#[test]
fn where_it_is_off_it_is_known_by_how_much() {
    // With little noise, what other values add depends on what they are.
    let little_noise = params(32, 1, 16, 0.0, 1.0, 0.1);
    // With two bits a cohort, columns are not as random as that.
    let two_bits = params(2, 1, 256, 0.25, 0.75, 0.5);
    for count in [2, 10, 40, 128] {
        for shares in some_shares(count) {
            let [_, mean, _] = planned_over_exact(&little_noise, &shares);
            assert!((1.0..1.3).contains(&mean), "{count}: {mean}");
            let [_, mean, _] = planned_over_exact(&two_bits, &shares);
            assert!((0.9..1.0).contains(&mean), "{count}: {mean}");
        }
    }
}

/// Of a rare candidate alone, from an independent rational arithmetic.
#[test]
fn the_error_of_a_rare_candidate_is_the_formula() {
    for (params, known) in [
        (params(32, 1, 16, 0.25, 0.75, 0.5), 1.975_403_184_652_562),
        (params(128, 2, 64, 0.5, 0.75, 0.5), 2.832_457_426_190_482_7),
        (params(8, 2, 4, 0.39, 0.61, 0.45), 3.441_730_151_183_933_6),
        (params(64, 3, 8, 0.75, 0.25, 0.25), 0.746_961_431_072_726_6),
    ] {
        for target in [Target::Sample, Target::Population] {
            let error = params.standard_error(0.0, 1, 1, target).unwrap();
            assert!((error / known - 1.0).abs() < 1e-12, "{params:?} {error}");
            let of_many = params.standard_error(0.0, 1, 250_000, target).unwrap();
            assert!((of_many / known - 1.0 / 500.0).abs() < 1e-14);
        }
    }
}

#[test]
fn a_population_is_less_certain_than_the_sample() {
    let params = params(32, 1, 64, 0.25, 0.75, 0.5);
    for share in [0.0, 0.01, 0.5, 1.0] {
        let error = |target| params.standard_error(share, 100, 1000, target).unwrap();
        let (sample, population) = (error(Target::Sample), error(Target::Population));
        let drawn = share * (1.0 - share) / 1000.0;
        assert!((population * population - sample * sample - drawn).abs() < 1e-12);
    }
}

/// Quantiles of the normal law are from the complementary error function of another language.
#[test]
fn a_share_is_detected_at_the_quantiles_of_the_normal_law() {
    let params = params(32, 1, 64, 0.25, 0.75, 0.5);
    let n = 1_000_000;
    for (candidates, alpha, critical) in [
        (1, 0.25, 0.674_489_750_196_081_7),
        (1, 0.05, 1.644_853_626_951_473),
        (100, 0.05, 3.290_526_731_491_895_3),
        (1_000_000, 0.001, 5.997_807_015_007_687),
        (1, 1e-30, 11.464_024_688_443_617),
        (1_000_000, 1e-30, 12.604_276_277_268_246),
    ] {
        for (power, likely) in
            [(0.5, 0.0), (0.8, 0.841_621_233_572_914_2), (0.95, 1.644_853_626_951_473)]
        {
            let share = params.detectable(candidates, n, alpha, power).unwrap().unwrap();
            let error = |target| params.standard_error(share, candidates, n, target).unwrap();
            let reach = critical * error(Target::Sample) + likely * error(Target::Population);
            assert!((share / reach - 1.0).abs() < 1e-10, "{candidates} {alpha} {power} {share}");
        }
    }
}

#[test]
fn respondents_are_the_fewest_that_are_enough() {
    for params in [params(32, 1, 64, 0.25, 0.75, 0.5), params(16, 2, 8, 0.6, 0.1, 0.25)] {
        for share in [1e-6, 0.001, 0.02, 0.3, 1.0] {
            let enough = params.respondents_to_detect(share, 100, 0.05, 0.8).unwrap().unwrap();
            let least = |n| params.detectable(100, n, 0.05, 0.8).unwrap();
            assert!(least(enough).is_some_and(|least| least <= share * (1.0 + 1e-12)));
            assert!(least(enough - 1).is_none_or(|least| least > share * (1.0 - 1e-12)));
            for target in [Target::Sample, Target::Population] {
                let enough = params.respondents_for(0.001, share, 100, target).unwrap().unwrap();
                let error = |n| params.standard_error(share, 100, n, target).unwrap();
                assert!(error(enough) <= 0.001 && error(enough - 1) > 0.001);
            }
        }
        assert_eq!(params.respondents_to_detect(0.0, 100, 0.05, 0.8).unwrap(), None);
        assert_eq!(params.respondents_to_detect(1e-12, 100, 0.05, 0.8).unwrap(), None);
        assert_eq!(params.respondents_for(1e-300, 0.0, 1, Target::Sample).unwrap(), None);
        assert_eq!(params.respondents_for(1e9, 0.0, 1, Target::Sample).unwrap(), Some(1));
        // Even odds of seeing nothing where nothing is: no number is the least.
        assert_eq!(params.respondents_to_detect(0.0, 1, 0.5, 0.5).unwrap(), None);
        assert_eq!(params.detectable(100, 5, 0.05, 0.8).unwrap(), None);
    }
}

#[test]
fn a_long_list_costs_as_much_as_the_longest_that_is_estimated_together() {
    let params = params(32, 2, 16, 0.25, 0.75, 0.5);
    let error = |count| params.standard_error(0.0, count, 1000, Target::Sample).unwrap();
    assert_eq!(params.most_together(), 128);
    assert!(error(1) < error(127) && error(127) < error(128) && error(128) == error(1_000_000));
    // But what is seen among more of them has to be larger.
    let seen = |count| params.detectable(count, 1_000_000, 0.05, 0.5).unwrap().unwrap();
    assert!(seen(128) < seen(1_000_000));
    assert!(params.standard_error(0.0, usize::MAX, 1000, Target::Sample).is_ok());
    assert_eq!(Params::new(2, 1, 1, 0.0, 1.0, 0.0).unwrap().most_together(), 1);
}

#[test]
fn what_cannot_be_planned_is_refused() {
    let good = params(32, 1, 64, 0.25, 0.75, 0.5);
    let one_cohort = params(32, 1, 1, 0.25, 0.75, 0.5);
    assert!(one_cohort.standard_error(0.0, 8, 1, Target::Sample).is_ok());
    let message = |result: crate::Result<f64>| {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidParameter);
        error.to_string()
    };
    let error_of = |params: &Params, share, candidates, respondents| {
        message(params.standard_error(share, candidates, respondents, Target::Sample))
    };
    for share in [-0.1, 1.1, f64::NAN] {
        assert!(error_of(&good, share, 1, 1).ends_with("accepted is a number from 0 to 1"));
        let refused = good.respondents_to_detect(share, 1, 0.05, 0.8).unwrap_err();
        assert_eq!(refused.parameter(), Some("share"));
        let refused = good.respondents_for(0.1, share, 1, Target::Sample).unwrap_err();
        assert_eq!(refused.parameter(), Some("share"));
    }
    for (params, candidates, respondents, expected) in [
        (good, 0, 1, "invalid candidates: there are none; accepted is 1 or more"),
        (good, 1, 0, "invalid respondents: there are none; accepted is 1 or more"),
        (
            one_cohort,
            9,
            1,
            "invalid candidates: there are more of them than one cohort's bits can tell apart; accepted is up to 8, or more cohorts",
        ),
        (
            params(1, 1, 8, 0.25, 0.75, 0.5),
            1,
            1,
            "invalid k: a single bit is one whatever the value; accepted is an integer of 2 or more",
        ),
        (
            params(8, 1, 8, 0.0, 1e-16, 0.0),
            1,
            1,
            "invalid q: it is so near to p that the reports say nothing; accepted is a number with (1 − f)·|q − p| at least 1e-15",
        ),
    ] {
        assert_eq!(error_of(&params, 0.0, candidates, respondents), expected);
        let refused = params.detectable(candidates, respondents, 0.05, 0.8).unwrap_err();
        assert_eq!(refused.to_string(), expected);
    }
    for (alpha, power, parameter) in [
        (0.0, 0.8, "alpha"),
        (0.6, 0.8, "alpha"),
        (f64::NAN, 0.8, "alpha"),
        (0.05, 0.4, "power"),
        (0.05, 1.0, "power"),
        (0.05, f64::NAN, "power"),
    ] {
        let refused = good.detectable(1, 100, alpha, power).unwrap_err();
        assert_eq!(refused.parameter(), Some(parameter));
        let refused = good.respondents_to_detect(0.1, 1, alpha, power).unwrap_err();
        assert_eq!(refused.parameter(), Some(parameter));
    }
    for error in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = good.respondents_for(error, 0.0, 1, Target::Sample).unwrap_err();
        assert_eq!(refused.parameter(), Some("error"));
    }
    // As far apart as that, and no farther: large, and still a number.
    let faint = params(8, 1, 8, 0.25, 0.25 + 2e-15, 0.0);
    assert!(faint.standard_error(0.0, 1, 1, Target::Sample).unwrap().is_finite());
    assert_eq!(faint.respondents_to_detect(0.5, 1, 0.05, 0.8).unwrap(), None);
}

/// The page of the guide has the numbers that the code has.
#[test]
fn the_guide_has_these_settings() {
    let page = include_str!("../../guide/rappor/1-start.md");
    let settings = [
        ("asked once, ε about 1", params(32, 1, 64, 0.0, 1.0, 0.76)),
        ("asked once, ε about 2", params(32, 1, 64, 0.0, 1.0, 0.54)),
        ("asked again and again, ε about 2", params(32, 1, 64, 0.25, 0.75, 0.5)),
        ("asked again and again, ε about 4", params(32, 1, 64, 0.25, 0.75, 0.24)),
        ("a long list, again and again, ε about 4", params(64, 1, 256, 0.25, 0.75, 0.24)),
        ("for comparison: tests of the reference", params(8, 2, 128, 0.39, 0.61, 0.45)),
    ];
    let missing: Vec<String> = settings
        .iter()
        .map(|(name, params)| row_of_the_guide(name, params))
        .filter(|row| !page.lines().any(|line| line == row))
        .collect();
    assert!(missing.is_empty(), "the guide lacks\n{}", missing.join("\n"));
    let rows = page.lines().filter(|line| line.starts_with("| a")).count();
    assert_eq!(rows, settings.len() - 1, "the guide has other settings too");
}

fn row_of_the_guide(name: &str, params: &Params) -> String {
    let seen = |people| 100.0 * params.detectable(100, people, 0.05, 0.8).unwrap().unwrap();
    let error = 100.0 * params.standard_error(0.0, 100, 100_000, Target::Sample).unwrap();
    format!(
        "| {name} | {} | {} | {} | {} | {} | {} | {:.2} | {:.2} | {error:.2} % | {:.2} % | {:.2} % |",
        params.k(),
        params.h(),
        params.m(),
        params.p(),
        params.q(),
        params.f(),
        params.epsilon_of_report().get(),
        params.epsilon_of_all_reports().get(),
        seen(100_000),
        seen(1_000_000),
    )
}

/// An error that so many respondents do not quite have: as rounding has it, the number that is computed may be theirs.
#[test]
fn rounding_does_not_make_too_few_respondents_enough() {
    let params = params(32, 2, 16, 0.25, 0.75, 0.5);
    for n in 1..2000 {
        let error = |n| params.standard_error(0.1, 10, n, Target::Sample).unwrap();
        let asked = crate::common::down(error(n));
        let needed = params.respondents_for(asked, 0.1, 10, Target::Sample).unwrap().unwrap();
        assert!(needed == n + 1 && error(needed) <= asked, "{n}: {needed}");
    }
}
