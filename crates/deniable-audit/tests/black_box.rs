//! The black-box auditor: its power and its false alarms, computed from the binomial law and not simulated,
//! and planted auditors that these computations find.
#![forbid(unsafe_code)]

use deniable_audit::binomial::{at_least, at_most, lower, upper};
use deniable_audit::black_box::{
    Counts, FALSE_ALARM, judge, lower_bound, power, power_of, trials_for,
};

/// The counts of the left and of the right input to a lower bound of ε.
type Auditor = fn(&Counts<u32>, &Counts<u32>) -> f64;

const EPSILONS: [f64; 3] = [0.1, 1.0, 5.0];

fn real(left: &Counts<u32>, right: &Counts<u32>) -> f64 {
    lower_bound(left, right, FALSE_ALARM).unwrap().epsilon
}

#[test]
fn a_twentieth_too_much_is_flagged_and_the_truth_is_not() {
    assert_eq!(flags_a_twentieth(real), Ok(()));
    assert_eq!(spares_the_truth(real), Ok(()));
    // The runs that this takes, as documented to users.
    assert_eq!(EPSILONS.map(trials_for), [11_490_591, 155_555, 256_881]);
}

/// Between and beyond the epsilons of the bar, `trials_for` is enough too.
#[test]
fn trials_are_enough_at_other_epsilons() {
    for epsilon in [0.3, 2.0, 8.0] {
        let n = trials_for(epsilon);
        assert!(power(epsilon, 1.05 * epsilon, n).0 >= 0.99, "{epsilon}");
        assert!(power(epsilon, epsilon, n).1 <= FALSE_ALARM, "{epsilon}");
        assert!(power(epsilon, 1.05 * epsilon, n / 2).1 < 0.99, "half of {n} is not enough");
    }
}

#[test]
fn leaks_are_found_wherever_they_are() {
    assert_eq!(finds_every_kind_of_leak(real), Ok(()));
    assert_eq!(spares_many_buckets(real), Ok(()));
}

#[test]
fn planted_auditors_are_found() {
    let point_estimates: Auditor = |left, right| {
        best(left, right, |(k, n), (j, m)| (k as f64 / n as f64, j as f64 / m as f64))
    };
    let bounds_exchanged: Auditor =
        |left, right| best(left, right, |(k, n), (j, m)| (upper(k, n, 1e-10), lower(j, m, 1e-10)));
    assert!(fails(spares_the_truth(point_estimates), "flagged with a probability of 0.5"));
    assert!(fails(spares_the_truth(bounds_exchanged), "flagged with a probability of"));
    let not_split: Auditor = |left, right| {
        best(left, right, |(k, n), (j, m)| (lower(k, n, FALSE_ALARM), upper(j, m, FALSE_ALARM)))
    };
    assert!(fails(spares_many_buckets(not_split), "raise a false alarm"));
    let timid: Auditor = |left, right| lower_bound(left, right, 1e-18).unwrap().epsilon;
    assert!(fails(flags_a_twentieth(timid), "1.05·0.1 is flagged"));
    let one_direction: Auditor = |left, right| {
        let bound = lower_bound(left, right, FALSE_ALARM).unwrap();
        if bound.witness.is_some_and(|w| w.left_is_likelier) { bound.epsilon } else { 0.0 }
    };
    assert!(fails(finds_every_kind_of_leak(one_direction), "in a bucket"));
    let declared_buckets_only: Auditor = |left, right| {
        let only = |counts: &Counts<u32>| {
            let mut only = Counts::new(counts.iter().filter_map(|(bucket, _)| bucket.copied()));
            counts.iter().for_each(|(b, count)| b.into_iter().for_each(|b| only.add(b, count)));
            only
        };
        real(&only(left), &only(right))
    };
    assert!(fails(finds_every_kind_of_leak(declared_buckets_only), "in no bucket"));
    let no_complements: Auditor =
        |left, right| best(left, right, |(k, n), (j, m)| (lower(k, n, 1e-12), upper(j, m, 1e-12)));
    assert!(fails(finds_every_kind_of_leak(no_complements), "in all but one"));
}

#[test]
fn counts_add_up_and_refuse_what_does_not_fit() {
    let mut counts = Counts::new([3, 1, 3]);
    counts.extend([1, 3, 2, 3]);
    let mut other = Counts::new([1, 3]);
    other.add(&7, 5);
    counts.merge(&other).unwrap();
    assert_eq!(counts.iter().collect::<Vec<_>>(), [(Some(&1), 1), (Some(&3), 2), (None, 6)]);
    assert_eq!(counts.trials(), 9);
    let different = Counts::new([1, 2]);
    assert!(counts.merge(&different).is_err());
    assert!(lower_bound(&counts, &different, 0.01).is_err());
    assert!(lower_bound(&counts, &counts, 0.0).is_err());
    assert!(judge(-1.0, &counts, &counts).is_err());
    other.add(&1, 2_000_000_000);
    assert!(judge(1.0, &counts, &other).is_err(), "too many to be sure of the bounds");
}

/// Boolean randomized response with 1.05·ε is flagged with a power of 0.99; and at the lower 1 % quantile of
/// all honest answers, evenly split.
fn flags_a_twentieth(auditor: Auditor) -> Result<(), String> {
    for epsilon in EPSILONS {
        let (n, truth) = (trials_for(epsilon), 1.05 * epsilon);
        let accuses = |x, y| {
            let (left, right) = response(n, x, y);
            auditor(&left, &right) > epsilon
        };
        let (power, _) = power_of(truth, n, accuses);
        let quantile = quantile(2 * n, truth, |k, p| at_most(k, 2 * n, p) >= 0.01);
        if power < 0.99 || !accuses(quantile / 2, quantile / 2) {
            return Err(format!("1.05·{epsilon} is flagged with a power of {power} only"));
        }
    }
    Ok(())
}

/// Boolean randomized response with ε itself is not, but for one time in 10^9; nor at the upper 10^−9 quantile
/// of all honest answers, evenly split.
fn spares_the_truth(auditor: Auditor) -> Result<(), String> {
    for epsilon in EPSILONS {
        let n = trials_for(epsilon);
        let accuses = |x, y| {
            let (left, right) = response(n, x, y);
            auditor(&left, &right) > epsilon
        };
        let (_, alarms) = power_of(epsilon, n, accuses);
        let quantile = quantile(2 * n, epsilon, |k, p| at_least(k, 2 * n, p) <= FALSE_ALARM);
        if alarms > FALSE_ALARM || accuses(quantile / 2, quantile / 2) {
            return Err(format!("{epsilon} itself is flagged with a probability of {alarms}"));
        }
    }
    Ok(())
}

/// With 100 buckets, all alike under both inputs, and one input known much better than the other, the smallest
/// count that is flagged comes up in one of them less than once in 10^9.
fn spares_many_buckets(auditor: Auditor) -> Result<(), String> {
    let (buckets, share, known) = (100u32, 1000, 1_000_000);
    let even = |share: u64, first: u64| {
        let mut counts = Counts::new(0..buckets);
        (0..buckets).for_each(|bucket| counts.add(&bucket, share));
        counts.add(&0, first);
        counts
    };
    let right = even(known, 0);
    let flagged = |more: u64| auditor(&even(share, more), &right) > 0.0;
    let least =
        (0..10).rev().fold(0, |more, i| more + if flagged(more + (1 << i)) { 0 } else { 1 << i });
    let n = share * u64::from(buckets);
    // The buckets exclude each other, so that two at once are rarer still: this is the rate to 10^−9 of it.
    let alarms = f64::from(buckets) * at_least(share + least + 1, n, 1.0 / f64::from(buckets));
    // An auditor that accuses nobody would pass too.
    if !(FALSE_ALARM / 1000.0..=FALSE_ALARM).contains(&alarms) {
        return Err(format!("{buckets} buckets raise a false alarm with probability {alarms}"));
    }
    Ok(())
}

/// A ratio of 2 is shown to be above e^0.5 where only one outcome leaks, in one direction: in a bucket, in none,
/// or spread over all but one, and whichever input is called left.
fn finds_every_kind_of_leak(auditor: Auditor) -> Result<(), String> {
    let count = |first: u64, other: u64, spread: u64| {
        let mut counts = Counts::new(0..100u32);
        counts.add(&0, first);
        counts.add(&1000, other);
        (1..100).for_each(|bucket| counts.add(&bucket, spread));
        counts
    };
    let cases = [
        ("a bucket", count(10_000, 0, 10_000), count(20_000, 0, 9_900)),
        ("no bucket", count(500_000, 10_000, 5_000), count(500_000, 20_000, 4_900)),
        ("all but one", count(1_000_000, 0, 60), count(1_000_000, 0, 120)),
    ];
    for (place, a, b) in &cases {
        for (left, right) in [(a, b), (b, a)] {
            let bound = auditor(left, right);
            if !(0.5..=core::f64::consts::LN_2).contains(&bound) {
                return Err(format!("a leak in {place} shows as {bound}"));
            }
        }
    }
    Ok(())
}

/// Whether a plant was found, and for the reason it should be.
fn fails(check: Result<(), String>, because: &str) -> bool {
    check.is_err_and(|reason| reason.contains(because))
}

/// An auditor of single buckets in both directions, with these bounds; for plants.
fn best(
    left: &Counts<u32>,
    right: &Counts<u32>,
    bounds: impl Fn((u64, u64), (u64, u64)) -> (f64, f64),
) -> f64 {
    let (n, m) = (left.trials(), right.trials());
    let pairs =
        left.iter().zip(right.iter()).map(|((_, l), (_, r))| (l, r)).filter(|p| *p != (0, 0));
    let ratio = |(a, b): (f64, f64)| (a / b).ln();
    pairs.fold(0.0, |best, (l, r)| {
        best.max(ratio(bounds((l, n), (r, m)))).max(ratio(bounds((r, m), (l, n))))
    })
}

/// The counts of boolean randomized response with so many honest answers of the left and of the right input.
fn response(n: u64, honest_left: u64, honest_right: u64) -> (Counts<u32>, Counts<u32>) {
    let [mut left, mut right] = [Counts::new([0, 1]), Counts::new([0, 1])];
    left.add(&1, honest_left);
    left.add(&0, n - honest_left);
    right.add(&0, honest_right);
    right.add(&1, n - honest_right);
    (left, right)
}

/// The smallest number of honest answers for which something holds that holds above it.
fn quantile(n: u64, epsilon: f64, holds: impl Fn(u64, f64) -> bool) -> u64 {
    let p = 1.0 / (1.0 + (-epsilon).exp());
    let (mut from, mut to) = (0, n);
    while from < to {
        let middle = from.midpoint(to);
        if holds(middle, p) { to = middle } else { from = middle + 1 }
    }
    from
}
