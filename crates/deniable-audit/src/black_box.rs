//! The auditor of any mechanism as a black box: run it often on two neighbouring inputs, count the outcomes,
//! and bound its ε from below.
//!
//! # Why the bound holds
//!
//! ε is at least ln (P(S)/Q(S)) for every set S of outcomes, where P and Q are the laws of the two inputs. The
//! sets looked at are single buckets and their complements. The buckets are fixed before anything is
//! counted, and what falls into none of them is a bucket of its own. So the count of a bucket is binomial, and
//! its exact bounds ([`binomial`]) fail with a known probability: α split evenly over the lower and the upper
//! bound of each bucket for each input. A bound of a complement fails exactly when the other bound of its
//! bucket does, and costs nothing. So with probability at least 1 − α all bounds hold, and then ε is at
//! least ln (lower bound of P(S)/upper bound of Q(S)) for every S looked at, in both directions.
//!
//! Buckets chosen after a look at the same counts void this; so do runs that are not independent.
//!
//! # What it can find
//!
//! For boolean randomized response it flags 1.05·ε where ε is claimed, after [`trials_for`] runs of each input,
//! with probability at least 0.99. [`power`] computes it from the binomial law, without simulation. A
//! mechanism that leaks on rare outcomes only, or in no single bucket, needs more runs or better buckets: no
//! finding is no proof.

use core::fmt;

use deniable_num::Directed;

use crate::binomial;

/// How often a mechanism that keeps its promise is accused, at most.
pub const FALSE_ALARM: f64 = 1e-9;

/// How often each outcome was seen for one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts<T> {
    /// Sorted, each once.
    buckets: Vec<T>,
    /// One a bucket, and last what fell into none.
    counts: Vec<u64>,
}

/// A lower bound of ε and what shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The bound; 0 if nothing is shown.
    pub epsilon: f64,
    /// What shows it, unless nothing does.
    pub witness: Option<Witness>,
}

/// A set of outcomes that one input makes likelier than the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// The outcomes, in words.
    pub outcomes: String,
    /// Whether the left input makes them likelier, not the right one.
    pub left_is_likelier: bool,
    /// The probability under the likelier input is at least this.
    pub at_least: f64,
    /// The probability under the other input is at most this.
    pub at_most: f64,
}

/// What an audit found. It is wrong to accuse with probability at most [`Verdict::false_alarm`].
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Verdict {
    /// The ε that was claimed.
    pub claimed: f64,
    /// What the runs show of it.
    pub bound: Bound,
    /// The runs with the left and with the right input.
    pub trials: (u64, u64),
    /// How often a mechanism that keeps its promise is accused, at most.
    pub false_alarm: f64,
}

impl Verdict {
    /// Whether the runs contradict the claim.
    #[must_use]
    pub fn is_violation(&self) -> bool {
        self.bound.epsilon > self.claimed
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (found, claimed, epsilon) = (self.is_violation(), self.claimed, self.bound.epsilon);
        let finding = if found { "VIOLATION" } else { "no violation found" };
        let (left, right) = self.trials;
        write!(f, "{finding}: ε = {claimed} is claimed, and at least {epsilon:.6} is shown")?;
        write!(f, " by {left} runs with the left and {right} with the right input")?;
        if let Some(w) = &self.bound.witness {
            let (here, there) =
                if w.left_is_likelier { ("left", "right") } else { ("right", "left") };
            let (outcomes, at_least, at_most) = (&w.outcomes, w.at_least, w.at_most);
            write!(
                f,
                "; {outcomes} has a probability of at least {at_least:.6} on the {here} and"
            )?;
            write!(f, " at most {at_most:.6} on the {there}")?;
        }
        write!(f, " (wrong at most once in {:e} audits)", (1.0 / self.false_alarm).round())
    }
}

impl<T: Ord> Counts<T> {
    /// Nothing counted yet, over buckets that are decided now.
    pub fn new(buckets: impl IntoIterator<Item = T>) -> Self {
        let mut buckets: Vec<T> = buckets.into_iter().collect();
        buckets.sort_unstable();
        buckets.dedup();
        Counts { counts: vec![0; buckets.len() + 1], buckets }
    }

    /// Counts `times` runs with this outcome: one, or a row of a table of counts.
    pub fn add(&mut self, outcome: &T, times: u64) {
        let found = self.buckets.binary_search(outcome);
        self.counts[found.unwrap_or(self.buckets.len())] += times;
    }

    /// Adds counts that were made elsewhere.
    ///
    /// # Errors
    ///
    /// Other buckets.
    pub fn merge(&mut self, other: &Self) -> Result<(), String> {
        if self.buckets != other.buckets {
            return Err("counts over different buckets cannot be added".to_owned());
        }
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        Ok(())
    }

    /// The buckets and their counts; last what fell into none.
    pub fn iter(&self) -> impl Iterator<Item = (Option<&T>, u64)> {
        let buckets = self.buckets.iter().map(Some).chain([None]);
        buckets.zip(self.counts.iter().copied())
    }

    /// How many runs were counted.
    pub fn trials(&self) -> u64 {
        self.counts.iter().sum()
    }
}

impl<T: Ord> Extend<T> for Counts<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, outcomes: I) {
        outcomes.into_iter().for_each(|outcome| self.add(&outcome, 1));
    }
}

/// A lower bound of ε that holds with probability at least 1 − α. The module says why.
///
/// # Errors
///
/// Other buckets, more runs than [`binomial::MOST_TRIALS`], or an α outside (10^−20, 1/2).
pub fn lower_bound<T: Ord + fmt::Debug>(
    left: &Counts<T>,
    right: &Counts<T>,
    alpha: f64,
) -> Result<Bound, String> {
    if left.buckets != right.buckets {
        return Err("the two inputs must be counted over the same buckets".to_owned());
    }
    if left.trials().max(right.trials()) > binomial::MOST_TRIALS {
        return Err(format!("at most {} runs can be judged", binomial::MOST_TRIALS));
    }
    // α/(10^−30) is more than four times the buckets that fit into memory.
    if !(1e-20..0.5).contains(&alpha) {
        return Err("α must be from 1e-20 to 0.5".to_owned());
    }
    let each = alpha / (4 * left.counts.len()) as f64;
    let mut best = Bound { epsilon: 0.0, witness: None };
    let (n, m) = (left.trials(), right.trials());
    for (bucket, (&l, &r)) in left.counts.iter().zip(&right.counts).enumerate() {
        for (complement, l, r) in [(false, l, r), (true, n - l, m - r)] {
            // Bounds lie around the shares, so that only the input with the larger share can be shown likelier.
            let left_is_likelier = u128::from(l) * u128::from(m) > u128::from(r) * u128::from(n);
            let ((k, n), (j, m)) =
                if left_is_likelier { ((l, n), (r, m)) } else { ((r, m), (l, n)) };
            let at_least = binomial::lower(k, n, each);
            let at_most = binomial::upper(j, m, each);
            let epsilon = ln_ratio(at_least, at_most);
            if epsilon > best.epsilon {
                let outcomes = in_words(left.buckets.get(bucket), complement);
                let witness = Witness { outcomes, left_is_likelier, at_least, at_most };
                best = Bound { epsilon, witness: Some(witness) };
            }
        }
    }
    Ok(best)
}

/// Runs a mechanism `trials` times on each of two neighbouring inputs and judges its claim.
///
/// # Errors
///
/// A claim that is no number from 0, or too many trials.
pub fn audit<T: Ord + Clone + fmt::Debug>(
    claimed: f64,
    trials: u64,
    buckets: &[T],
    mut left: impl FnMut() -> T,
    mut right: impl FnMut() -> T,
) -> Result<Verdict, String> {
    let mut counts = [Counts::new(buckets.to_vec()), Counts::new(buckets.to_vec())];
    for _ in 0..trials {
        counts[0].add(&left(), 1);
        counts[1].add(&right(), 1);
    }
    judge(claimed, &counts[0], &counts[1])
}

/// Judges a claim by counts that were made elsewhere.
///
/// # Errors
///
/// A claim that is no number from 0, nothing counted, or what [`lower_bound`] refuses.
pub fn judge<T: Ord + fmt::Debug>(
    claimed: f64,
    left: &Counts<T>,
    right: &Counts<T>,
) -> Result<Verdict, String> {
    judge_at(FALSE_ALARM, claimed, left, right)
}

/// [`judge`] with another probability of a false alarm: who makes many audits gives each its part of one.
///
/// # Errors
///
/// As there.
pub fn judge_at<T: Ord + fmt::Debug>(
    false_alarm: f64,
    claimed: f64,
    left: &Counts<T>,
    right: &Counts<T>,
) -> Result<Verdict, String> {
    if claimed.is_nan() || claimed < 0.0 {
        return Err("the claimed ε must be a number from 0".to_owned());
    }
    let trials = (left.trials(), right.trials());
    if trials.0 == 0 || trials.1 == 0 {
        return Err("each input needs at least one outcome".to_owned());
    }
    Ok(Verdict { claimed, bound: lower_bound(left, right, false_alarm)?, trials, false_alarm })
}

/// How many runs of each input the auditor needs to flag boolean randomized response with 1.05·ε where ε is
/// claimed, with probability at least 0.99.
///
/// By the normal law: ln of a share of n has the deviation √((1 − p)/(n·p)), each bound keeps √(2 ln (12/α))
/// of them (a little more than it does), and 0.99 takes 2.33 more of both together. The tests compute the
/// power exactly. Only from ε = 0.011 to 14 is it within [`binomial::MOST_TRIALS`].
pub fn trials_for(epsilon: f64) -> u64 {
    trials_at(FALSE_ALARM, epsilon)
}

/// [`trials_for`] an auditor with another probability of a false alarm.
pub fn trials_at(false_alarm: f64, epsilon: f64) -> u64 {
    let odds = (1.05 * epsilon).exp();
    let (likely, unlikely) = ((1.0 / odds).sqrt(), odds.sqrt());
    let kept = (2.0 * (12.0 / false_alarm).ln()).sqrt();
    let deviations = kept * (likely + unlikely) + 2.33 * likely.hypot(unlikely);
    (deviations / (0.05 * epsilon)).powi(2).ceil() as u64
}

/// Bounds of the probability that boolean randomized response with `truth` is flagged where `claimed` is
/// claimed: the auditor's power, or, where the two are equal, its rate of false alarms.
pub fn power(claimed: f64, truth: f64, trials: u64) -> (f64, f64) {
    power_at(FALSE_ALARM, claimed, truth, trials)
}

/// [`power`] of an auditor with another probability of a false alarm.
pub fn power_at(false_alarm: f64, claimed: f64, truth: f64, trials: u64) -> (f64, f64) {
    power_of(truth, trials, |honest_left, honest_right| {
        let [mut left, mut right] = [Counts::new([true, false]), Counts::new([true, false])];
        left.add(&true, honest_left);
        left.add(&false, trials - honest_left);
        right.add(&false, honest_right);
        right.add(&true, trials - honest_right);
        lower_bound(&left, &right, false_alarm).is_ok_and(|bound| bound.epsilon > claimed)
    })
}

/// [`power`] for any auditor, who sees how many answers of the left and of the right input were honest, and
/// accuses the more readily the more there are.
///
/// The honest answers X and Y are independent and binomial. X is cut into strips: in a strip, the Y that it
/// takes to be accused is between what it takes at its two ends. Fewer than half honest in total count for the
/// upper bound only: there an auditor may accuse the other way round. The bounds are right up to the relative
/// error of the tails, 10^−9.
///
/// # Panics
///
/// If there are no trials or more than half of [`binomial::MOST_TRIALS`].
pub fn power_of(truth: f64, trials: u64, mut accuses: impl FnMut(u64, u64) -> bool) -> (f64, f64) {
    let p = 1.0 / (1.0 + (-truth).exp());
    let (n, mean) = (trials, trials as f64 * p);
    let deviation = (mean * (1.0 - p)).sqrt();
    let mut edges: Vec<u64> = (-32..=32)
        .map(|i| (mean + f64::from(i) * deviation / 4.0).clamp(0.0, n as f64) as u64)
        .collect();
    edges.extend([0, n]);
    edges.sort_unstable();
    edges.dedup();
    let mut last = n + 1;
    let mut enough = |x: u64| -> f64 {
        // No more than for the x before, and mostly less by no more than a deviation.
        let near = last.saturating_sub(deviation as u64).clamp(n - x, n);
        let mut from = near;
        if accuses(x, near) {
            (from, last) = (n - x, near);
        }
        while from < last {
            let y = from.midpoint(last);
            if accuses(x, y) { last = y } else { from = y + 1 }
        }
        binomial::at_least(from, n, p)
    };
    let accused: Vec<f64> = edges.iter().map(|&x| enough(x)).collect();
    let (mut low, mut high) = (0.0, binomial::at_most(n - 1, 2 * n, p));
    for (edge, accused) in edges.windows(2).zip(accused.windows(2)) {
        // The last strip is closed.
        let to = if edge[1] == n { n + 1 } else { edge[1] };
        let strip = strip_probability(edge[0], to, n, p);
        low += strip * accused[0];
        high += strip * accused[1];
    }
    (low, high)
}

/// P(from ≤ X < to) for to > 0, by the tail in which it lies.
fn strip_probability(from: u64, to: u64, n: u64, p: f64) -> f64 {
    if from as f64 >= n as f64 * p {
        return binomial::at_least(from, n, p) - binomial::at_least(to, n, p);
    }
    let below = if from == 0 { 0.0 } else { binomial::at_most(from - 1, n, p) };
    binomial::at_most(to - 1, n, p) - below
}

/// ln (a/b), rounded down; 0 if that shows nothing.
fn ln_ratio(a: f64, b: f64) -> f64 {
    if a <= b {
        return 0.0;
    }
    a.neg_inf_div(b).and_then(|ratio| ratio.neg_inf_ln()).unwrap_or(0.0)
}

fn in_words<T: fmt::Debug>(bucket: Option<&T>, complement: bool) -> String {
    match (bucket, complement) {
        (Some(bucket), false) => format!("{bucket:?}"),
        (Some(bucket), true) => format!("anything but {bucket:?}"),
        (None, false) => "an outcome in no bucket".to_owned(),
        (None, true) => "an outcome in any bucket".to_owned(),
    }
}
