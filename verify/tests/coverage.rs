//! How often intervals hold the truth, and how long they are, by enumeration of all counts: no simulation, no normal law.

use deniable::estimate::{Channel, Estimate, Interval, Target, difference};
use deniable::sample::Ratio;

const CONFIDENCE: f64 = 0.95;
/// What is lost by rounding, here and there.
const ROUNDING: f64 = 1e-8;
/// The quantile of the normal law for 95 %.
const NORMAL: f64 = 1.959_963_984_540_054;
const TARGETS: [Target; 2] = [Target::Population, Target::Sample];

fn channel((truth, lie): (f64, f64)) -> Channel {
    let exact = |p: f64| Ratio::from_float(p).unwrap();
    Channel::new(&exact(truth), &exact(lie)).unwrap()
}

/// Support with the answer and without it, of each kind of mechanism at several ε.
fn rates() -> Vec<(&'static str, (f64, f64))> {
    let mut all = vec![("yes or no, barely random", (0.999, 0.001)), ("no noise", (1.0, 0.0))];
    for epsilon in [0.2f64, 1.0, 4.0] {
        let e = epsilon.exp();
        let half = (epsilon / 2.0).exp();
        let among = |k: f64| e / (e + k - 1.0);
        all.push(("yes or no", (among(2.0), 1.0 - among(2.0))));
        all.push(("one of 16", (among(16.0), (1.0 - among(16.0)) / 15.0)));
        all.push(("one of 1000", (among(1000.0), (1.0 - among(1000.0)) / 999.0)));
        all.push(("bits", (half / (half + 1.0), 1.0 / (half + 1.0))));
        all.push(("optimized unary encoding", (0.5, 1.0 / (e + 1.0))));
        let g = (e + 1.0).round();
        all.push(("local hashing", (among(g), 1.0 / g)));
        let (k, size) = (128.0, (128.0 / (e + 1.0)).round());
        let truth = size * e / (size * e + k - size);
        let lie = truth * (size - 1.0) / (k - 1.0) + (1.0 - truth) * size / (k - 1.0);
        all.push(("subset selection", (truth, lie)));
    }
    all
}

const SHARES: [f64; 9] = [0.0, 0.001, 0.01, 0.05, 0.1, 0.3, 0.5, 0.9, 1.0];

/// P(k successes), k from 0 to n: from the most likely number outwards, and made a law by its sum.
fn binomial(n: u64, p: f64) -> Vec<f64> {
    let mode = (((n + 1) as f64 * p) as usize).min(n as usize);
    let mut law = vec![0.0; n as usize + 1];
    law[mode] = 1.0;
    for k in mode..n as usize {
        law[k + 1] = law[k] * (n as usize - k) as f64 / (k + 1) as f64 * (p / (1.0 - p));
    }
    for k in (0..mode).rev() {
        law[k] = law[k + 1] * (k + 1) as f64 / (n as usize - k) as f64 * ((1.0 - p) / p);
    }
    let sum: f64 = law.iter().sum();
    law.iter().map(|mass| mass / sum).collect()
}

/// The law of the number of supporting reports.
fn law(rates: (f64, f64), share: f64, n: u64, target: Target) -> Vec<f64> {
    let (truth, lie) = rates;
    match target {
        Target::Population => binomial(n, lie + share * (truth - lie)),
        Target::Sample => {
            let having = (share * n as f64).round() as u64;
            let (ours, others) = (binomial(having, truth), binomial(n - having, lie));
            let mut law = vec![0.0; n as usize + 1];
            for (i, a) in ours.iter().enumerate().filter(|(_, a)| **a > 1e-18) {
                for (j, b) in others.iter().enumerate().filter(|(_, b)| **b > 1e-18) {
                    law[i + j] += a * b;
                }
            }
            law
        }
    }
}

/// The share that the interval is to hold.
fn truth(share: f64, n: u64, target: Target) -> f64 {
    match target {
        Target::Population => share,
        Target::Sample => (share * n as f64).round() / n as f64,
    }
}

/// The standard deviation of the estimated share.
fn deviation((truth, lie): (f64, f64), share: f64, n: u64, target: Target) -> f64 {
    let spread = match target {
        Target::Population => {
            let rate = lie + share * (truth - lie);
            rate * (1.0 - rate)
        }
        Target::Sample => share * truth * (1.0 - truth) + (1.0 - share) * lie * (1.0 - lie),
    };
    (spread / n as f64).sqrt() / (truth - lie)
}

/// What is wrong with intervals, if anything, and how many cases there were.
fn judge(
    sizes: &[u64],
    interval: impl Fn(&Estimate<'_>, Target) -> Interval,
) -> Result<usize, String> {
    let mut cases = 0;
    for (name, rates) in rates() {
        let channel = channel(rates);
        for (&n, target) in sizes.iter().flat_map(|n| TARGETS.map(|target| (n, target))) {
            // Those that are seen at some share.
            let mut known: Vec<Option<Interval>> = vec![None; n as usize + 1];
            for share in SHARES {
                let law = law(rates, share, n, target);
                let truth = truth(share, n, target);
                let (mut covered, mut width) = (0.0, 0.0);
                for (k, mass) in law.iter().enumerate().filter(|(_, mass)| **mass > 1e-12) {
                    let interval = *known[k].get_or_insert_with(|| {
                        interval(&Estimate::new(&channel, k as u64, n).unwrap(), target)
                    });
                    covered += mass * f64::from(u8::from(interval.contains(truth)));
                    width += mass * interval.width();
                }
                let case = format!("{name} {rates:?}, {n}, {share}, {target:?}");
                if covered < CONFIDENCE - ROUNDING {
                    return Err(format!("{case}: {covered} covered"));
                }
                let deviation = deviation(rates, truth, n, target);
                // Of the number of supporting reports. Where that is a handful, the normal law is no measure.
                let variance = (n as f64 * deviation * (rates.0 - rates.1)).powi(2);
                let normal = 2.0 * NORMAL * deviation;
                if variance >= 100.0 && width > 1.15 * normal {
                    return Err(format!("{case}: {} times as long", width / normal));
                }
                cases += 1;
            }
        }
    }
    Ok(cases)
}

fn exact(estimate: &Estimate<'_>, target: Target) -> Interval {
    estimate.interval(target, CONFIDENCE).unwrap()
}

#[test]
fn intervals_of_few_reports_hold() {
    let cases = judge(&[1, 2, 3, 5, 10, 30, 100], exact).unwrap();
    assert!(cases > 2000, "{cases}");
}

#[test]
fn intervals_of_many_reports_hold_and_are_short() {
    let cases = judge(&[1000, 4000], exact).unwrap();
    assert!(cases > 600, "{cases}");
}

/// The normal interval, one that is too long, and one of the other target are found.
#[test]
fn planted_intervals_are_found() {
    let normal = |estimate: &Estimate<'_>, target| {
        let (share, error) = (estimate.share(), NORMAL * estimate.standard_error(target));
        Interval { low: (share - error).max(0.0), high: (share + error).min(1.0) }
    };
    assert!(judge(&[10, 30, 100], normal).unwrap_err().contains("covered"));
    let long = |estimate: &Estimate<'_>, target| estimate.interval(target, 0.98).unwrap();
    assert!(judge(&[1000], long).unwrap_err().contains("times as long"));
    let of_the_sample =
        |estimate: &Estimate<'_>, _| estimate.interval(Target::Sample, CONFIDENCE).unwrap();
    assert!(judge(&[1000], of_the_sample).unwrap_err().contains("covered"));
    let short = |estimate: &Estimate<'_>, target| estimate.interval(target, 0.93).unwrap();
    assert!(judge(&[1000], short).unwrap_err().contains("covered"));
}

/// Other confidences, by what is missed.
#[test]
fn intervals_of_all_confidences_hold() {
    for confidence in [0.5, 0.8, 0.999, 1.0 - 1e-9] {
        for (_, rates) in rates() {
            let channel = channel(rates);
            for (n, target) in [3, 25].into_iter().flat_map(|n| TARGETS.map(|target| (n, target))) {
                let estimates = (0..=n).map(|k| Estimate::new(&channel, k, n).unwrap());
                let intervals: Vec<Interval> = estimates
                    .map(|estimate| estimate.interval(target, confidence).unwrap())
                    .collect();
                for share in SHARES {
                    let truth = truth(share, n, target);
                    let law = law(rates, share, n, target);
                    let of_each = law.iter().zip(&intervals);
                    let misses = of_each.filter(|(_, interval)| !interval.contains(truth));
                    let missed: f64 = misses.map(|(mass, _)| mass).sum();
                    assert!(missed <= (1.0 - confidence) * (1.0 + ROUNDING) + 1e-15, "{rates:?}");
                }
            }
        }
    }
}

/// Differences of two collections of different sizes and mechanisms, with much noise and with little.
#[test]
fn intervals_of_differences_hold() {
    let two = [
        ((0.75, 0.25), (0.75, 0.25)),
        ((0.5, 0.27), (0.9, 0.1)),
        ((0.3, 0.05), (0.6, 0.4)),
        ((0.999, 0.001), (0.999, 0.001)),
        ((0.982, 0.018), (0.7, 0.0)),
        ((1.0, 0.3), (0.7, 0.0)),
    ];
    let (mut least, mut shortest) = (1.0f64, f64::INFINITY);
    for (one, other) in two {
        let channels = (channel(one), channel(other));
        for (n, m) in [(1, 1), (2, 40), (20, 20), (5, 150), (50, 50)] {
            for (target, confidence) in TARGETS.into_iter().zip([CONFIDENCE, 0.999]) {
                let interval = |i: usize, j: usize| {
                    let one = Estimate::new(&channels.0, i as u64, n).unwrap();
                    let other = Estimate::new(&channels.1, j as u64, m).unwrap();
                    difference(&one, &other, target, confidence).unwrap()
                };
                let mut known = vec![None; (n as usize + 1) * (m as usize + 1)];
                for (share, other_share) in
                    [(0.0, 0.0), (0.1, 0.1), (0.36, 0.66), (0.5, 0.2), (0.9, 0.0), (1.0, 0.35)]
                {
                    let laws = (law(one, share, n, target), law(other, other_share, m, target));
                    let is = truth(share, n, target) - truth(other_share, m, target);
                    let mut missed = 0.0;
                    for (i, a) in laws.0.iter().enumerate() {
                        for (j, b) in laws.1.iter().enumerate().filter(|(_, b)| a * **b > 1e-9) {
                            let known = &mut known[i * (m as usize + 1) + j];
                            let found = known.get_or_insert_with(|| interval(i, j));
                            // What is lost by rounding a difference of fractions.
                            let Interval { low, high } = found.interval;
                            let holds = low - 1e-12 <= is && is <= high + 1e-12;
                            missed += a * b * f64::from(u8::from(!holds));
                            shortest = shortest.min((high - low) / found.standard_error);
                        }
                    }
                    let case =
                        format!("{one:?} {other:?} {n} {m} {share} {other_share} {target:?}");
                    assert!(missed <= (1.0 - confidence) * (1.0 + ROUNDING), "{case}: {missed}");
                    least = least.min((1.0 - missed) / confidence);
                }
            }
        }
    }
    assert!(least < 1.02 && shortest < 8.0, "not bought with length: {least} {shortest}");
}
