use deniable_sample::Ratio;

use super::*;

fn channel(truth: (u32, u32), lie: (u32, u32)) -> Channel {
    let ratio = |(numerator, denominator): (u32, u32)| Ratio::new(numerator, denominator).unwrap();
    Channel::new(&ratio(truth), &ratio(lie)).unwrap()
}

fn estimates(supporting: Vec<u64>, respondents: u64, is_choice: bool) -> Estimates {
    Estimates::new(channel((1, 2), (1, 4)), supporting, respondents, 0.0, is_choice).unwrap()
}

#[test]
fn shares_are_unbiased_for_both_targets() {
    // E[supporting] for a share of 0.3 is 100·(0.25 + 0.3·0.25) = 32.5.
    let all = estimates(vec![32, 33], 100, false);
    let shares: Vec<f64> = all.iter().map(|estimate| estimate.share()).collect();
    assert_eq!(shares, [0.28, 0.32]);
    assert_eq!(all.get(1).unwrap().count(), 32.0);
    assert!(all.get(2).is_none());
}

/// Over the law of the reports, by enumeration: the mean of the estimated variance is the variance.
#[test]
fn variances_are_unbiased() {
    let channel = channel((2, 3), (1, 7));
    let (truth, lie) = (channel.truth(), channel.lie());
    let n = 7u64;
    let binomial = |n: u64, p: f64, k: u64| {
        let ways = (0..k).fold(1.0, |ways, i| ways * (n - i) as f64 / (i + 1) as f64);
        ways * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32)
    };
    let check = |target: Target, law: &dyn Fn(u64) -> f64| {
        let estimate = |k| Estimate::new(&channel, k, n).unwrap();
        let mean: f64 = (0..=n).map(|k| law(k) * estimate(k).share()).sum();
        let square = |k: u64| (estimate(k).share() - mean).powi(2);
        let variance: f64 = (0..=n).map(|k| law(k) * square(k)).sum();
        let estimated: f64 = (0..=n).map(|k| law(k) * estimate(k).variance(target)).sum();
        (mean, variance, estimated)
    };
    for share in [0.0, 0.3, 1.0] {
        let rate = lie + share * (truth - lie);
        let (mean, variance, estimated) = check(Target::Population, &|k| binomial(n, rate, k));
        assert!((mean - share).abs() < 1e-12 && (variance - estimated).abs() < 1e-12);
    }
    for having in [0, 2, 7] {
        let law = |k: u64| -> f64 {
            let both = |i: u64| binomial(having, truth, i) * binomial(n - having, lie, k - i);
            (0..=k.min(having)).filter(|i| k - i <= n - having).map(both).sum()
        };
        let (mean, variance, estimated) = check(Target::Sample, &law);
        assert!((mean - having as f64 / n as f64).abs() < 1e-12);
        // Where it would be negative it is 0, which is more; that is so only for few reports.
        assert!(estimated - variance > -1e-12 && estimated - variance < 0.02, "{having}");
    }
}

#[test]
fn one_respondent_says_nothing_of_a_population() {
    let channel = channel((3, 4), (1, 4));
    let estimate = Estimate::new(&channel, 1, 1).unwrap();
    assert_eq!(estimate.variance(Target::Population), f64::INFINITY);
    for target in [Target::Population, Target::Sample] {
        let interval = estimate.interval(target, 0.95).unwrap();
        assert_eq!((interval.low, interval.high), (0.0, 1.0));
    }
}

#[test]
fn intervals_grow_with_confidence_and_hold_the_share() {
    let channel = channel((1, 2), (1, 10));
    for supporting in [0, 1, 10, 17, 100] {
        let estimate = Estimate::new(&channel, supporting, 100).unwrap();
        for target in [Target::Population, Target::Sample] {
            let mut before = Interval { low: 1.0, high: 0.0 };
            for confidence in [0.5, 0.9, 0.95, 0.999, 1.0 - 1e-9] {
                let interval = estimate.interval(target, confidence).unwrap();
                assert!(0.0 <= interval.low && interval.low <= interval.high);
                assert!(interval.high <= 1.0);
                assert!(interval.low <= before.low && interval.high >= before.high);
                assert!(interval.contains(estimate.share().clamp(0.0, 1.0)));
                before = interval;
            }
        }
        let (sample, population) = (
            estimate.interval(Target::Sample, 0.95).unwrap(),
            estimate.interval(Target::Population, 0.95).unwrap(),
        );
        assert!(sample.width() <= population.width() + 1e-12, "{supporting}");
    }
}

/// With a channel that never lies the sample is known, and the population's interval is the binomial one.
#[test]
fn without_noise_the_sample_is_known() {
    let channel = channel((1, 1), (0, 1));
    let estimate = Estimate::new(&channel, 3, 10).unwrap();
    let sample = estimate.interval(Target::Sample, 0.95).unwrap();
    assert_eq!((sample.low, sample.high), (0.3, 0.3));
    assert_eq!(estimate.variance(Target::Sample), 0.0);
    let population = estimate.interval(Target::Population, 0.95).unwrap();
    // Clopper and Pearson's, from tables: 0.0667, 0.6525.
    assert!((population.low - 0.0667).abs() < 5e-5 && (population.high - 0.6525).abs() < 5e-5);
}

#[test]
fn bad_parameters_are_refused() {
    let good = channel((3, 4), (1, 4));
    assert_eq!(Estimate::new(&good, 0, 0).unwrap_err().parameter(), Some("respondents"));
    assert_eq!(Estimate::new(&good, 2, 1).unwrap_err().parameter(), Some("supporting"));
    let error = Estimate::new(&good, 2, 1 << 40).unwrap_err();
    assert_eq!(error.parameter(), Some("respondents"));
    let lying = Channel::from_parts(1u32.into(), 2u32.into(), 3u32.into());
    assert_eq!(Estimate::new(&lying, 1, 2).unwrap_err().parameter(), Some("channel"));
    let estimate = Estimate::new(&good, 1, 2).unwrap();
    for confidence in [f64::NAN, -1.0, 0.4, 1.0, 1.5, 1.0 - 1e-15] {
        let error = estimate.interval(Target::Sample, confidence).unwrap_err();
        assert_eq!(error.parameter(), Some("confidence"));
    }
    for share in [-0.1, 1.1, f64::NAN] {
        let error = good.standard_error(share, 5, Target::Sample).unwrap_err();
        assert_eq!(error.parameter(), Some("share"));
        let error = good.respondents_for(0.1, share, Target::Sample).unwrap_err();
        assert_eq!(error.parameter(), Some("share"));
    }
    for error in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = good.respondents_for(error, 0.5, Target::Sample).unwrap_err();
        assert_eq!(refused.parameter(), Some("error"));
    }
    for power in [0.4, 1.0, f64::NAN] {
        assert_eq!(good.detectable(10, 0.05, power).unwrap_err().parameter(), Some("power"));
    }
    for alpha in [0.0, 0.6, f64::NAN] {
        assert_eq!(good.detectable(10, alpha, 0.8).unwrap_err().parameter(), Some("alpha"));
        let all = estimates(vec![1, 2], 10, true);
        assert!(all.detected(Detection::Bonferroni, alpha).is_err());
    }
    assert_eq!(good.detectable(0, 0.05, 0.8).unwrap_err().parameter(), Some("respondents"));
}

/// By the definition: at that share the value is found with that probability, and a little below it is not.
#[test]
fn what_is_detectable_is_detected() {
    use super::super::binomial::at_least;
    let channel = channel((1, 2), (1, 4));
    for (n, alpha, power) in [(50, 0.05, 0.8), (1000, 0.01, 0.5), (100_000, 1e-6, 0.99)] {
        let share = channel.detectable(n, alpha, power).unwrap().unwrap();
        let found = |share: f64| {
            let critical = (0..=n).find(|&k| at_least(k, n, 0.25).unwrap() <= alpha).unwrap();
            at_least(critical, n, 0.25 + 0.25 * share).unwrap()
        };
        assert!(found(share) >= power && found(share - 1e-6) < power, "{n}");
        let needed = channel.respondents_to_detect(share, alpha, power).unwrap().unwrap();
        assert!(needed < n * 23 / 20 && needed > n * 8 / 10, "{n} {needed}");
        // And more of them too.
        for more in (0..2000).step_by(7) {
            let at_that = channel.detectable(needed + more, alpha, power).unwrap().unwrap();
            assert!(at_that <= share, "{n} {needed} {more}");
        }
    }
    assert_eq!(channel.detectable(1, 0.05, 0.8).unwrap(), None);
    let estimate = Estimate::new(&channel, 20, 50).unwrap();
    assert_eq!(estimate.detectable(0.05, 0.8), channel.detectable(50, 0.05, 0.8));
    assert_eq!(channel.respondents_to_detect(1e-6, 0.05, 0.8).unwrap(), None);
}

#[test]
fn errors_and_respondents_are_inverse() {
    let channel = channel((1, 2), (1, 4));
    for target in [Target::Population, Target::Sample] {
        for share in [0.0, 0.2, 1.0] {
            let needed = channel.respondents_for(0.01, share, target).unwrap().unwrap();
            assert!(channel.standard_error(share, needed, target).unwrap() <= 0.01);
            assert!(channel.standard_error(share, needed - 1, target).unwrap() > 0.01);
        }
    }
    for d in 1..1000 {
        let error = 1.0 / f64::from(d);
        let needed = channel.respondents_for(error, 0.3, Target::Population).unwrap().unwrap();
        assert!(channel.standard_error(0.3, needed, Target::Population).unwrap() <= error);
    }
    assert_eq!(channel.respondents_for(1e-12, 0.5, Target::Sample).unwrap(), None);
}

#[test]
fn detection_follows_its_rules() {
    // p-values 0.001, 0.012, 0.03, 0.045, 0.2: a textbook case at 0.05.
    let p_values = [0.03, 0.001, 0.2, 0.012, 0.045];
    let found = |rule: Detection| {
        let most = rule.largest(&p_values, 0.05).unwrap();
        p_values.iter().filter(|&&p| p <= most).count()
    };
    assert_eq!(found(Detection::Bonferroni), 1);
    // 0.03 ≤ 3·0.01 and 0.045 > 4·0.01.
    assert_eq!(found(Detection::BenjaminiHochberg), 3);
    assert_eq!(Detection::BenjaminiHochberg.largest(&[0.9, 0.8], 0.05), None);
    // The step is up: the last that is small enough counts, whatever is before it.
    assert_eq!(Detection::BenjaminiHochberg.largest(&[0.04, 0.05], 0.05), Some(0.05));

    let all = estimates(vec![100, 25, 60, 24], 100, false);
    assert_eq!(all.detected(Detection::Bonferroni, 0.05).unwrap(), [0, 2]);
    assert_eq!(all.detected(Detection::BenjaminiHochberg, 0.05).unwrap(), [0, 2]);
    let none = estimates(vec![], 10, true);
    assert!(none.is_empty() && none.detected(Detection::Bonferroni, 0.05).unwrap().is_empty());
}

#[test]
fn simultaneous_intervals_are_longer() {
    let all = estimates(vec![30, 40], 100, false);
    let together = all.simultaneous(Target::Population, 0.95).unwrap();
    for (interval, estimate) in together.iter().zip(all.iter()) {
        let alone = estimate.interval(Target::Population, 0.95).unwrap();
        let each = estimate.interval(Target::Population, 0.975).unwrap();
        assert!(interval.width() > alone.width());
        assert!((interval.width() - each.width()).abs() < 1e-12);
    }
    for confidence in [-4.0, 0.0, 0.3, 1.0, f64::NAN] {
        assert!(all.simultaneous(Target::Population, confidence).is_err());
    }
    let apart = all.intervals(Target::Sample, 0.9).unwrap();
    let one = all.get(1).unwrap().interval(Target::Sample, 0.9).unwrap();
    assert_eq!(apart[1], one);
}

#[test]
fn consistent_shares_are_the_nearest() {
    let cases: [&[f64]; 6] = [
        &[0.2, 0.3, 0.5],
        &[0.5, 0.7, -0.2],
        &[-1.0, -2.0],
        &[5.0, 1.0, 1.0],
        &[0.25; 4],
        &[0.9, 0.4, 0.05, -0.3],
    ];
    for shares in cases {
        let nearest = onto_simplex(shares);
        assert!((nearest.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{shares:?}");
        assert!(nearest.iter().all(|&share| share >= 0.0));
        // The condition for the nearest: no share that is not 0 is moved less than another is.
        let moved: Vec<f64> = shares.iter().zip(&nearest).map(|(a, b)| a - b).collect();
        let off = moved.iter().zip(&nearest).find(|pair| *pair.1 > 0.0).unwrap().0;
        for (moved, share) in moved.iter().zip(&nearest) {
            assert!(if *share > 0.0 { (moved - off).abs() < 1e-12 } else { *moved <= off + 1e-12 });
        }
    }
    assert!(estimates(vec![5, 5], 10, false).consistent().is_err());
    assert!(estimates(vec![5, 5], 10, true).consistent().is_ok());
}

#[test]
fn differences_are_signed_and_have_both_uncertainties() {
    let (few, many) = (estimates(vec![35], 100, false), estimates(vec![450], 1000, false));
    let (few, many) = (few.get(0).unwrap(), many.get(0).unwrap());
    let forth = difference(&many, &few, Target::Population, 0.95).unwrap();
    assert!((forth.share - 0.4).abs() < 1e-12 && forth.interval.contains(forth.share));
    let back = difference(&few, &many, Target::Population, 0.95).unwrap();
    assert!((forth.share + back.share).abs() < 1e-12);
    assert_eq!(forth.interval.low, -back.interval.high);
    assert_eq!(forth.standard_error, back.standard_error);
    let alone = few.interval(Target::Population, 0.95).unwrap();
    assert!(forth.interval.width() > alone.width());
    // Each side holds with the square root.
    let each = few.interval(Target::Population, 0.95f64.sqrt()).unwrap();
    let others = many.interval(Target::Population, 0.95f64.sqrt()).unwrap();
    assert!((back.interval.low - (each.low - others.high)).abs() < 1e-12);
    for confidence in [2.0, 0.3, f64::NAN] {
        let error = difference(&few, &many, Target::Population, confidence).unwrap_err();
        assert_eq!(error.parameter(), Some("confidence"));
    }
}

/// An error that so many respondents do not quite have: as rounding has it, the number that is computed may be theirs.
#[test]
fn rounding_does_not_make_too_few_respondents_enough() {
    let channel = channel((1, 2), (1, 4));
    for n in 1..2000 {
        let error = |n| channel.standard_error(0.1, n, Target::Population).unwrap();
        let asked = crate::common::down(error(n));
        let needed = channel.respondents_for(asked, 0.1, Target::Population).unwrap().unwrap();
        assert!(needed == n + 1 && error(needed) <= asked, "{n}: {needed}");
    }
}
