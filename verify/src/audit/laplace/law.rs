//! The exact log-ratio of two output laws that are discrete Laplace noise seen through a monotone function.
//!
//! Where the noise z is in [a, b], the output is y, so with q = e^−r the probability of y is, but for the factor
//! 1/(1 + q) that is the same for all inputs and outputs and is left out here,
//!
//! - q^a − q^(b+1) = q^a·(1 − q^(b−a+1)) if a ≥ 0, and the mirror image if b ≤ 0;
//! - 1 + q − q^(1−a) − q^(b+1) if a < 0 < b.
//!
//! The logarithm is a whole multiple of r plus the logarithm of a bracket. The first is an integer in units of
//! 2^−100 over r's denominator. The second is enclosed in these units, once for each bracket that occurs. Where both
//! inputs have the same bracket it cancels and nothing is rounded at all: these are the pairs that attain the worst
//! ratio, so that a claim which is exactly right is told from one that is a little too small.

use std::collections::HashMap;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use super::brackets::{Brackets, Cell, IMPOSSIBLE, unit_inverse};
use super::tally::{LaplaceTally, MOST_ULPS, next_up};

/// More than any finite log-ratio.
const INFINITE: i128 = i128::MAX;

/// For one input: from which z on the output is which, in order; the first holds from −∞ on.
pub type Segments = Vec<(i64, u8)>;

/// The laws of the output for every input.
#[derive(Clone, Debug)]
pub struct World {
    /// Where each input is, in steps of the finest grid.
    pub positions: Vec<i64>,
    /// Where each input is once it is rounded to the grid, in steps of that.
    pub indices: Vec<i64>,
    laws: Vec<Vec<Cell>>,
    denominator: UBig,
}

/// What a mechanism says of inputs at most `distance` apart, in steps of the finest grid.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// The distance.
    pub distance: i64,
    /// The loss it claims.
    pub loss: f64,
    /// How many steps of the coarse grid inputs so close can end apart, by a formula.
    pub steps: i64,
}

/// A pair of inputs, or of vectors of them: how far apart they are, also on the coarse grid, and bounds of their worst
/// log-ratio over all outputs.
#[derive(Clone, Copy, Debug)]
struct Pair {
    distance: i64,
    steps: i64,
    low: i128,
    high: i128,
}

impl Pair {
    const NONE: Pair = Pair { distance: 0, steps: 0, low: 0, high: 0 };

    /// With more coordinates. What is infinite stays so.
    fn plus(&self, other: &Pair) -> Pair {
        Pair {
            distance: self.distance + other.distance,
            steps: self.steps + other.steps,
            low: self.low.saturating_add(other.low),
            high: self.high.saturating_add(other.high),
        }
    }

    /// The worse of both in each respect, at the distance of this one.
    fn worse(&self, other: &Pair) -> Pair {
        Pair {
            distance: self.distance,
            steps: self.steps.max(other.steps),
            low: self.low.max(other.low),
            high: self.high.max(other.high),
        }
    }
}

impl World {
    /// The laws of inputs at `positions` with these `segments`, under noise with q = e^−rate.
    ///
    /// # Panics
    ///
    /// If a log-probability has no room in 128 bits.
    pub fn new(
        positions: Vec<i64>,
        indices: Vec<i64>,
        segments: &[Segments],
        rate: &RBig,
    ) -> World {
        let mut brackets = Brackets::new(rate);
        let laws = segments
            .iter()
            .map(|segments| {
                let mut law = vec![IMPOSSIBLE; 256];
                for (place, &(first, output)) in segments.iter().enumerate() {
                    let from = (place > 0).then_some(first);
                    let to = segments.get(place + 1).map(|next| next.0 - 1);
                    law[usize::from(output)] = brackets.cell(from, to);
                }
                law
            })
            .collect();
        World { positions, indices, laws, denominator: rate.denominator().clone() }
    }

    /// Whether two inputs have the same law.
    pub fn same_law(&self, one: usize, other: usize) -> bool {
        self.laws[one] == self.laws[other]
    }

    /// Compares claims, in the order of their distances, with the worst of all pairs.
    pub fn audit(&self, name: &str, claims: &[Claim]) -> LaplaceTally {
        let mut pairs = Vec::new();
        for one in 0..self.laws.len() {
            for other in 0..one {
                let (there, back) = (self.pair(one, other), self.pair(other, one));
                pairs.push(Pair {
                    low: there.low.max(back.low),
                    high: there.high.max(back.high),
                    ..there
                });
            }
        }
        let count = pairs.len() as u64;
        self.sweep(name, pairs, count, claims, true)
    }

    /// The same for vectors of n of the `chosen` inputs: all pairs of them, one by one. Noise is independent, so the
    /// worst output of a pair is made of the worst outputs of its coordinates, in one direction.
    pub fn audit_vectors(
        &self,
        name: &str,
        chosen: &[usize],
        n: u32,
        claims: &[Claim],
    ) -> LaplaceTally {
        let one: Vec<Pair> = chosen
            .iter()
            .flat_map(|&one| chosen.iter().map(move |&other| self.pair(one, other)))
            .collect();
        let count = (one.len() as u64).pow(n);
        let mut worst: HashMap<i64, Pair> = HashMap::new();
        for mut choice in 0..count {
            let mut sum = Pair::NONE;
            for _ in 0..n {
                sum = sum.plus(&one[(choice % one.len() as u64) as usize]);
                choice /= one.len() as u64;
            }
            let so_far = worst.entry(sum.distance).or_insert(sum);
            *so_far = so_far.worse(&sum);
        }
        self.sweep(name, worst.into_values().collect(), count, claims, false)
    }

    /// The same for vectors of n of all inputs. Of all pairs of inputs only those count that are worse than all
    /// closer ones; of these all combinations are looked at.
    pub fn audit_all_vectors(&self, name: &str, n: u32, claims: &[Claim]) -> LaplaceTally {
        let inputs = 0..self.laws.len();
        let pairs = inputs.clone().flat_map(|one| inputs.clone().map(move |other| (one, other)));
        let one = records(pairs.map(|(one, other)| self.pair(one, other)).collect());
        let most = claims.last().map_or(0, |claim| claim.distance);
        let (mut all, mut count) = (one.clone(), one.len() as u64);
        for _ in 1..n {
            count += (all.len() * one.len()) as u64;
            let mut sums: HashMap<i64, Pair> = HashMap::new();
            for (a, b) in all.iter().flat_map(|a| one.iter().map(move |b| (a, b))) {
                if a.distance + b.distance <= most {
                    let sum = a.plus(b);
                    let so_far = sums.entry(sum.distance).or_insert(sum);
                    *so_far = so_far.worse(&sum);
                }
            }
            all = records(sums.into_values().collect());
        }
        self.sweep(name, all, count, claims, true)
    }

    fn sweep(
        &self,
        name: &str,
        mut pairs: Vec<Pair>,
        count: u64,
        claims: &[Claim],
        complete: bool,
    ) -> LaplaceTally {
        let mut tally = LaplaceTally { pairs: count, ..LaplaceTally::default() };
        pairs.sort_unstable_by_key(|pair| pair.distance);
        let mut next = 0;
        let mut worst = Pair::NONE;
        for claim in claims {
            while next < pairs.len() && pairs[next].distance <= claim.distance {
                worst = worst.worse(&pairs[next]);
                next += 1;
            }
            let (steps, expected) = (worst.steps, claim.steps);
            if complete && steps != expected {
                let distance = claim.distance;
                tally.malformed(|| format!("{name}: {steps} steps at {distance}, not {expected}"));
            }
            // Of few inputs, others may attain what these do not.
            let attained = complete || steps == expected;
            self.compare(name, claim, &worst, attained, &mut tally);
        }
        tally
    }

    fn pair(&self, one: usize, other: usize) -> Pair {
        let (low, high) = worst_of(&self.laws[one], &self.laws[other]);
        Pair {
            distance: (self.positions[one] - self.positions[other]).abs(),
            steps: (self.indices[one] - self.indices[other]).abs(),
            low,
            high,
        }
    }

    fn compare(
        &self,
        name: &str,
        claim: &Claim,
        worst: &Pair,
        attained: bool,
        tally: &mut LaplaceTally,
    ) {
        tally.cases += 1;
        let Claim { distance, loss, .. } = *claim;
        let claimed = self.units(loss);
        if worst.low > claimed {
            let truth = self.in_words(worst.low);
            tally.violation(|| format!("{name}: {loss:e} at {distance}, the truth is {truth}"));
        } else if worst.high > claimed {
            let width = self.in_words(worst.high - worst.low);
            tally.undecided(|| format!("{name}: {loss:e} at {distance} is within {width}"));
        } else if worst.high < claimed {
            let ulp = self.units(next_up(loss)) - claimed;
            let ulps = (claimed - worst.high) as f64 / ulp as f64;
            if ulps <= MOST_ULPS {
                tally.loosest_ulps = tally.loosest_ulps.max(ulps);
            } else if attained {
                let truth = self.in_words(worst.high);
                tally.loose(|| format!("{name}: {loss:e} at {distance}, the truth is {truth}"));
            }
        }
    }

    /// A claim in units. It has no finer digits than they do, unless it is below every log-ratio there is.
    fn units(&self, loss: f64) -> i128 {
        if loss == f64::INFINITY {
            return INFINITE;
        }
        let exact = RBig::try_from(loss).expect("a number") * unit_inverse(&self.denominator);
        i128::try_from(exact.floor()).unwrap_or(INFINITE - 1)
    }

    fn rational(&self, units: i128) -> RBig {
        RBig::from(IBig::from(units)) / unit_inverse(&self.denominator)
    }

    fn in_words(&self, units: i128) -> String {
        if units == INFINITE {
            return "infinite".to_owned();
        }
        format!("{:e}", self.rational(units).to_f64().value())
    }
}

/// Where the output changes as z goes from −reach to reach, for a function that is monotone in z.
///
/// Where `look_at_all`, monotony is not taken for granted.
///
/// # Errors
///
/// An output that comes back after another one.
pub fn segments(
    reach: i64,
    look_at_all: bool,
    out: impl Fn(i64) -> u8,
) -> Result<Segments, String> {
    let mut found = vec![(-reach, out(-reach))];
    if look_at_all {
        for z in 1 - reach..=reach {
            let output = out(z);
            if output != found[found.len() - 1].1 {
                found.push((z, output));
            }
        }
    } else {
        let last = (reach, out(reach));
        split(found[0], last, &out, &mut found);
    }
    let mut seen = [false; 256];
    for &(z, output) in &found {
        if core::mem::replace(&mut seen[usize::from(output)], true) {
            return Err(format!("the output {output:#x} comes back at noise {z}"));
        }
    }
    Ok(found)
}

/// Adds the changes after `from` up to `to`.
fn split(from: (i64, u8), to: (i64, u8), out: &impl Fn(i64) -> u8, found: &mut Segments) {
    if from.1 == to.1 {
        return;
    }
    if to.0 - from.0 == 1 {
        found.push(to);
        return;
    }
    let middle = from.0 + (to.0 - from.0) / 2;
    let middle = (middle, out(middle));
    split(from, middle, out, found);
    split(middle, to, out, found);
}

/// Those that are in some respect worse than all closer ones.
fn records(mut pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.sort_unstable_by_key(|pair| pair.distance);
    let mut kept = vec![Pair::NONE];
    for pair in pairs {
        let last = kept[kept.len() - 1];
        let worst = Pair { distance: pair.distance, ..last.worse(&pair) };
        if (worst.steps, worst.low, worst.high) != (last.steps, last.low, last.high) {
            kept.push(worst);
        }
    }
    kept
}

/// Bounds of the largest log-ratio of the two laws in the direction of the first.
fn worst_of(one: &[Cell], other: &[Cell]) -> (i128, i128) {
    // Some output is at least as likely.
    let (mut low, mut high) = (0, 0);
    for (one, other) in one.iter().zip(other) {
        if !one.possible {
            continue;
        }
        if !other.possible {
            return (INFINITE, INFINITE);
        }
        let exact = one.exact - other.exact;
        let (least, most) = if one.bracket == other.bracket {
            (exact, exact)
        } else {
            (exact + one.low - other.high, exact + one.high - other.low)
        };
        (low, high) = (low.max(least), high.max(most));
    }
    (low, high)
}
