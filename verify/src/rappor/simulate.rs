//! Collections drawn anew from a known histogram.

use deniable::estimate::BitCounts;
use deniable::rappor::{CohortCounts, Params};

/// Words without a pattern, the same for the same seed: SplitMix64.
#[derive(Clone, Debug)]
pub struct Words(u64);

impl Words {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Words(seed.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// The next one.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform between 0 and 1.
    pub fn uniform(&mut self) -> f64 {
        ((self.word() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Uniform below `n`, which is small.
    pub fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }

    /// Normal, with mean 0 and variance 1 (Box and Muller, 1958).
    pub fn normal(&mut self) -> f64 {
        let (radius, turn) = ((-2.0 * self.uniform().ln()).sqrt(), self.uniform());
        radius * (core::f64::consts::TAU * turn).cos()
    }
}

/// Binomial variables by inversion, from the likeliest value outwards.
#[derive(Clone, Debug)]
pub struct Binomial {
    /// ln i!
    ln_factorials: Vec<f64>,
}

impl Binomial {
    /// For up to so many trials.
    pub fn new(most: u64) -> Self {
        let mut sum = 0.0;
        let ln_factorials = (0..=most).map(|i| {
            sum += (i.max(1) as f64).ln();
            sum
        });
        Binomial { ln_factorials: ln_factorials.collect() }
    }

    /// The number of successes of `trials` with probability `p`.
    pub fn draw(&self, trials: u64, p: f64, words: &mut Words) -> u64 {
        if trials == 0 || p <= 0.0 || p >= 1.0 {
            return if p >= 1.0 { trials } else { 0 };
        }
        let mode = (((trials + 1) as f64 * p) as u64).min(trials);
        let (mut down, mut up) = (mode, mode);
        let (mut below, mut above) = (self.mass(mode, trials, p), self.mass(mode, trials, p));
        let odds = p / (1.0 - p);
        let mut left = words.uniform() - above;
        while left > 0.0 && (down > 0 || up < trials) {
            if up < trials {
                above *= (trials - up) as f64 / (up + 1) as f64 * odds;
                up += 1;
                left -= above;
                if left <= 0.0 {
                    return up;
                }
            }
            if down > 0 {
                below *= down as f64 / ((trials - down + 1) as f64 * odds);
                down -= 1;
                left -= below;
                if left <= 0.0 {
                    return down;
                }
            }
        }
        mode
    }

    fn mass(&self, k: u64, n: u64, p: f64) -> f64 {
        let ln = |i: u64| self.ln_factorials[i as usize];
        let powers = k as f64 * p.ln() + (n - k) as f64 * (1.0 - p).ln();
        (ln(n) - ln(k) - ln(n - k) + powers).exp()
    }
}

/// The counts of a collection: each respondent in a random cohort, with one report.
///
/// Bits of a report are independent given its filter, so that the ones at a bit of a cohort are the sum of two binomial numbers.
pub fn simulate(
    params: &Params,
    strings: &[(u64, Vec<usize>)],
    binomial: &Binomial,
    words: &mut Words,
) -> CohortCounts {
    let (bits, cohorts) = (params.k(), params.m());
    let (mut reports, mut set) = (vec![0; cohorts], vec![0; cohorts * bits]);
    for (count, filters) in strings {
        let (mut left, mut there) = (*count, vec![0; cohorts]);
        for (cohort, there) in there.iter_mut().enumerate() {
            *there = binomial.draw(left, 1.0 / (cohorts - cohort) as f64, words);
            left -= *there;
            reports[cohort] += *there;
        }
        filters.iter().for_each(|&bit| set[bit] += there[bit / bits]);
    }
    let [zero, one] = rates(params);
    let cohort = |(cohort, &reports): (usize, &u64)| {
        let ones = set[cohort * bits..][..bits]
            .iter()
            .map(|&set| binomial.draw(set, one, words) + binomial.draw(reports - set, zero, words));
        BitCounts::from_ones(reports, ones.collect()).expect("ones of reports")
    };
    let cohorts = reports.iter().enumerate().map(cohort).collect();
    CohortCounts::from_cohorts(cohorts).expect("counts of one length")
}

/// The probabilities of a one where the Bloom filter has a zero, and where it has a one.
pub(super) fn rates(params: &Params) -> [f64; 2] {
    let (p, q, f) = (params.p(), params.q(), params.f());
    [p, q].map(|kept| f * (p + q) / 2.0 + (1.0 - f) * kept)
}
