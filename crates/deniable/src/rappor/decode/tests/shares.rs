//! Shares, what is detected, and what is shrunken.

use super::super::shrink::shrunken;
use super::*;
use crate::estimate::tails::normal_quantile;

fn noise() -> Noise {
    Noise::new(0.25, 0.75, 0.5).unwrap()
}

#[test]
fn counts_as_expected_give_the_shares() {
    let candidates = Candidates::new(32, 16, filters(1, 20, 32, 2, 16)).unwrap();
    let shares: Vec<f64> = (0..20).map(|i| if i % 2 == 0 { 0.1 } else { 0.0 }).collect();
    // p above q: a one speaks against a value, and all else is the same.
    for noise in [noise(), Noise::new(0.75, 0.25, 0.5).unwrap(), Noise::new(0.0, 1.0, 0.0).unwrap()]
    {
        let counts = counts(&noise, &candidates, &shares, 100_000_000, None);
        let decoded = solve(&noise, &counts, &candidates).unwrap();
        for (share, truth) in decoded.iter().zip(&shares) {
            assert_near(share.share(), *truth, 1e-6);
            assert_near(share.count(), truth * 1.6e9, 1e-6 * 1.6e9);
        }
        assert_near(decoded.unexplained().share(), 0.0, 1e-6);
        assert!(decoded.misfit().ratio() < 0.01 && decoded.misfit().p_value() > 0.99);
        assert_eq!((decoded.len(), decoded.respondents()), (20, 1_600_000_000));
        assert_near(decoded.shrunken()[0], 0.1, 1e-3);
        assert!(decoded.selected().is_none() && decoded.get(20).is_none());
        assert_eq!(decoded.detected(0.05).unwrap(), (0..20).step_by(2).collect::<Vec<_>>());
    }
}

#[test]
fn what_no_candidate_explains_is_seen() {
    let filters = filters(2, 30, 32, 2, 64);
    let all = Candidates::new(32, 64, &filters).unwrap();
    let shares: Vec<f64> = (0..30).map(|i| if i < 15 { 0.04 } else { 0.4 / 15.0 }).collect();
    let counts = counts(&noise(), &all, &shares, 1_000_000, None);
    let some = Candidates::new(32, 64, &filters[..15]).unwrap();
    let decoded = solve(&noise(), &counts, &some).unwrap();
    let unexplained = decoded.unexplained();
    assert!((unexplained.share() - 0.4).abs() < 0.05, "{unexplained:?}");
    assert!(unexplained.interval(Target::Sample, 0.99).unwrap().contains(0.4));
    assert!(decoded.misfit().p_value() < 1e-12 && decoded.misfit().ratio() > 2.0);
}

#[test]
fn intervals_and_p_values() {
    let part = |precision, robust| Part { estimate: 0.02, precision, robust, draws: 0.0 };
    // The larger error of both is taken.
    for part in [part(1e4, 4e-6), part(1e5, 1e-4)] {
        let share = Share::new(&part, f64::INFINITY, 1000);
        assert_near(share.standard_error(Target::Sample), 0.01, 1e-14);
        assert_near(share.robust_error(), part.robust.sqrt(), 1e-14);
    }
    let share = Share::new(&part(1e4, 4e-6), f64::INFINITY, 1000);
    assert_near(share.p_value(), 0.022_750_131_948_179_2, 1e-12);
    let interval = share.interval(Target::Sample, 0.95).unwrap();
    assert_near(interval.low, 0.000_400_360_154_599_46, 1e-15);
    assert_near(interval.high, 0.02 + 0.019_599_639_845_400_54, 1e-14);
    assert_near(
        share.count_interval(Target::Sample, 0.95).unwrap().high,
        39.599_639_845_400_54,
        1e-13,
    );
    // A population's has the draw of 1000 respondents in it.
    let drawn = (1e-4f64 + 0.02 * 0.98 / 1000.0).sqrt();
    assert_near(share.standard_error(Target::Population), drawn, 1e-14);
    assert!(share.interval(Target::Population, 0.95).unwrap().width() > interval.width());
    assert_eq!(share.interval(Target::Sample, 0.99).unwrap().low, 0.0);
    for confidence in [0.4, 1.0, f64::NAN] {
        let refused = share.interval(Target::Sample, confidence).unwrap_err();
        assert_eq!(refused.parameter(), Some("confidence"));
    }
    let nothing = Share::new(&Part::NOTHING, 10.0, 1000);
    let all = nothing.interval(Target::Sample, 0.5).unwrap();
    assert_eq!((nothing.p_value(), all.low, all.high), (0.5, 0.0, 1.0));
}

#[test]
fn detected_as_by_hand() {
    // p-values 0.001, 0.012, 0.2, 0.024, 0.9 against 0.01, 0.02, 0.03, 0.04, 0.05: the third smallest passes, and with it those below.
    let z = |p: f64| {
        let estimate = normal_quantile(p.min(0.5));
        Part { estimate, precision: 1.0, robust: 1.0, draws: 0.0 }
    };
    let parts: Vec<Part> = [0.001, 0.012, 0.2, 0.024, 0.5].map(z).to_vec();
    let squares = Squares { chi_square: 1.0, degrees: 1 };
    let counts = Counts::new(1, vec![9], vec![1]).unwrap();
    let decoded = Decoded::new(parts, z(0.5), squares, 10_000_000, None, &counts);
    assert_eq!(decoded.detected(0.05).unwrap(), [0, 1, 3]);
    assert_eq!(decoded.detected(0.01).unwrap(), [0]);
    assert_eq!(decoded.detected(0.0049).unwrap(), [0; 0]);
    for alpha in [0.0, 0.6, f64::NAN] {
        assert_eq!(decoded.detected(alpha).unwrap_err().parameter(), Some("alpha"));
    }
    // Three of five detected: each interval at 1 − 3/5·0.05.
    let adjusted = decoded.adjusted(Target::Sample, 0.05).unwrap();
    assert_eq!(adjusted.iter().map(|(i, _)| *i).collect::<Vec<_>>(), [0, 1, 3]);
    let (share, confidence) = (decoded.get(1).unwrap(), 1.0 - 0.05 * 3.0 / 5.0);
    assert_eq!(adjusted[1].1, share.interval(Target::Sample, confidence).unwrap());
    // A level so small that 1 less it is 1.
    let clear = Part { estimate: 500.0, ..z(0.5) };
    let decoded = Decoded::new(vec![clear], z(0.5), squares, 10_000_000, None, &counts);
    assert_eq!(decoded.adjusted(Target::Sample, 1e-30).unwrap().len(), 1);
}

#[test]
fn shrunken_shares() {
    let errors: Vec<f64> = uniforms(1, 12 * 200);
    let noisy = |truth: &dyn Fn(usize) -> f64| -> Vec<(f64, f64)> {
        let normal = |i: usize| errors[12 * i..][..12].iter().sum::<f64>() - 6.0;
        (0..200).map(|i| (truth(i) + 0.01 * normal(i), 0.01)).collect()
    };
    let off = |shares: &[f64], truth: &dyn Fn(usize) -> f64| -> f64 {
        shares.iter().enumerate().map(|(i, share)| (share - truth(i)).abs()).sum()
    };
    // Nothing occurs; one in ten does; all do.
    let truths: [&dyn Fn(usize) -> f64; 3] =
        [&|_| 0.0, &|i| if i % 10 == 0 { 0.05 } else { 0.0 }, &|_| 0.03];
    for (truth, gain) in truths.into_iter().zip([0.1, 0.25, 0.6]) {
        let estimates = noisy(truth);
        let shares = shrunken(&estimates);
        assert!(shares.iter().all(|share| *share >= 0.0));
        let plain: Vec<f64> = estimates.iter().map(|(share, _)| *share).collect();
        assert!(
            off(&shares, truth) < gain * off(&plain, truth),
            "{}",
            off(&shares, truth) / off(&plain, truth)
        );
        // A larger estimate has a larger share.
        let mut both: Vec<(f64, f64)> = plain.iter().copied().zip(shares).collect();
        both.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(both.windows(2).all(|two| two[0].1 <= two[1].1 + 1e-12));
    }
    // What is clear stays; what is not known is 0; far below 0 is 0; nothing to learn from.
    let few = shrunken(&[(0.5, 0.01), (0.0, f64::INFINITY), (-5.0, 0.01), (0.0, 0.001)]);
    assert_eq!((few[0], few[1], few[2]), (0.5, 0.0, 0.0));
    assert!(shrunken(&[]).is_empty());
    assert_eq!(shrunken(&[(0.3, f64::INFINITY)]), [0.0]);
}

/// The bits of a cohort go up and down with the respondents in it that have the candidate.
#[test]
fn draws_into_cohorts_count_where_weights_are_not_those_of_reports() {
    let filters = filters(4, 12, 32, 4, 8);
    let candidates = Candidates::new(32, 8, &filters).unwrap();
    let noise = Noise::new(0.01, 0.99, 0.0).unwrap();
    let cohorts: Vec<usize> = (0..8).collect();
    let reports: Vec<u64> = (0..8).map(|i| 100 << i).collect();
    let ones = reports.iter().flat_map(|n| vec![n / 8; 32]).collect();
    let counts = Counts::new(32, reports.clone(), ones).unwrap();
    let rows = Rows::new(noise, &counts, &candidates, &cohorts);
    // The definition: what the estimate has of each cohort, squared, less what each of its rows has alone.
    let (all, column) = (25_500.0, rows.columns.get(3));
    let expected = |gain: &dyn Fn(usize) -> f64| -> f64 {
        let two = |&a: &u32, &b: &u32| {
            let (a, b) = (a as usize, b as usize);
            if a / 32 != b / 32 || a == b {
                0.0
            } else {
                gain(a) * gain(b) / reports[a / 32] as f64
            }
        };
        column.iter().map(|a| column.iter().map(|b| two(a, b)).sum::<f64>()).sum()
    };
    let in_cohort = |row: usize| column.iter().filter(|&&r| r as usize / 32 == row / 32).count();
    let by_reports = |row: usize| reports[row / 32] as f64 / all / in_cohort(row) as f64;
    let equal = |row: usize| 0.125 / in_cohort(row) as f64;
    assert_near(rows.draws(3, by_reports) * all, expected(&by_reports) * all, 1e-12);
    assert_near(rows.draws(3, equal) * all, expected(&equal) * all, 1e-12);
    // Weights by the reports add nothing to a sample, equal ones do.
    let error = |draws: f64, target| {
        let part = Part { estimate: 0.4, precision: 1e6, robust: 1e-7, draws };
        Share::new(&part, 100.0, 25_500).standard_error(target)
    };
    let (none, more) = (rows.draws(3, by_reports), rows.draws(3, equal));
    assert!(none < 1.0 / all && more > 2.0 / all);
    assert_near(error(none, Target::Sample), 1e-3, 1e-12);
    assert_near(error(more, Target::Sample), (1e-6 + 0.24 * (more - 1.0 / all)).sqrt(), 1e-12);
    assert_near(error(none, Target::Population), (1e-6 + 0.24 / all).sqrt(), 1e-12);
    assert_near(error(more, Target::Population), (1e-6 + 0.24 * more).sqrt(), 1e-12);
    // The fit's own.
    let columns: Vec<usize> = (0..12).collect();
    let (fit, _) = fit_rows(&rows, &columns).unwrap();
    let gain = |row: usize| {
        let places = fit.design.get(row).iter().map(|&place| fit.inverse[(4, place as usize + 1)]);
        fit.weights[row] * (fit.inverse[(4, 0)] + places.sum::<f64>())
    };
    let own: f64 = column.iter().map(|&row| gain(row as usize)).sum();
    assert_near(own, 1.0, 1e-9);
    assert_near(
        halves::parts_of(&rows, &columns, &fit)[4].draws * all,
        expected(&gain) * all,
        1e-10,
    );
}
