//! How likely reports are, given the answers.

use alloc::vec::Vec;

use faer::Mat;

use crate::rappor::Report;
use crate::rappor::decode::input::{Candidates, Lists, Noise};
use crate::{Error, Result};

/// For each value of a question how likely a report is, as a multiple of its probability from an empty filter.
#[derive(Clone, Debug)]
pub(super) struct Values {
    bits: usize,
    cohorts: usize,
    candidates: usize,
    /// How much likelier a bit of the report is if the filter's is one, as a logarithm: of a zero and of a one. Products of as many as a filter has bits may be no floats.
    ratios: [f64; 2],
    /// The bits of each candidate in each cohort.
    set: Lists,
    /// For each number of ones in a report, how likely it is from a filter with bits set at random, as a logarithm.
    others: Option<Vec<f64>>,
}

impl Values {
    pub(super) fn new(noise: &Noise, candidates: &Candidates, others: bool) -> Self {
        let (bits, cohorts) = (candidates.bits, candidates.cohorts);
        // Without noise, one bit would rule a value out for ever; as it is, it nearly does.
        let rate = |share| noise.rate(share).clamp(1e-9, 1.0 - 1e-9);
        let (zero, one) = (rate(0.0), rate(1.0));
        let ratios = [((1.0 - one) / (1.0 - zero)).ln(), (one / zero).ln()];
        let mut set = Lists::default();
        for all in candidates.set.iter() {
            let mut rest = all;
            for cohort in 0..cohorts {
                let end = rest.partition_point(|&bit| (bit as usize) < (cohort + 1) * bits);
                let here: Vec<u32> = rest[..end].iter().map(|bit| bit % bits as u32).collect();
                set.push(&here);
                rest = &rest[end..];
            }
        }
        let others = others.then(|| at_random(&set, bits, ratios));
        Values { bits, cohorts, candidates: candidates.len(), ratios, set, others }
    }

    /// How many values there are, with the others.
    pub(super) fn len(&self) -> usize {
        self.candidates + usize::from(self.others.is_some())
    }

    /// For each value, the others last; the largest is 1.
    pub(super) fn of(&self, report: &Report) -> Result<Vec<f64>> {
        let (cohort, words) = (report.cohort(), report.bits().as_words());
        if cohort >= self.cohorts || report.bits().len() != self.bits {
            let problem = "one has another length, or a cohort that there is none of";
            let accepted = format!("{} bits, of a cohort below {}", self.bits, self.cohorts);
            return Err(Error::invalid_parameter("reports", problem, accepted));
        }
        let ratio = |&bit: &u32| self.ratios[(words[bit as usize / 64] >> (bit % 64) & 1) as usize];
        let of = |candidate: usize| -> f64 {
            self.set.get(candidate * self.cohorts + cohort).iter().map(ratio).sum()
        };
        let mut all: Vec<f64> = (0..self.candidates).map(of).collect();
        all.extend(self.others.as_ref().map(|others| others[report.bits().count_ones()]));
        let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        all.iter_mut().for_each(|ln| *ln = (*ln - most).exp());
        Ok(all)
    }
}

/// For each number of ones in a report, the mean over all filters that have as many bits set as candidates have, as a logarithm.
fn at_random(set: &Lists, bits: usize, ratios: [f64; 2]) -> Vec<f64> {
    let [of_zero, of_one] = ratios.map(f64::exp);
    let most = set.iter().map(<[u32]>::len).max().unwrap_or(0);
    let mut sizes = vec![0.0; most + 1];
    set.iter().for_each(|list| sizes[list.len()] += 1.0 / set.len() as f64);
    let mean = |ones: usize| {
        // Bits are drawn one after the other: for each number of ones among those drawn, its probability times the likelihood.
        let mut drawn = vec![0.0; most + 2];
        drawn[0] = 1.0;
        let (mut scale, mut of_sizes) = (0.0, vec![(sizes[0], 0.0)]);
        for (size, frequency) in sizes.iter().enumerate().skip(1) {
            let left = (bits - size + 1) as f64;
            for j in (0..size).rev() {
                let one = ones.saturating_sub(j) as f64 / left;
                let mass = drawn[j];
                drawn[j + 1] += mass * one * of_one;
                drawn[j] = mass * (1.0 - one) * of_zero;
            }
            let sum = drawn.iter().sum::<f64>();
            drawn.iter_mut().for_each(|mass| *mass /= sum);
            scale += sum.ln();
            of_sizes.push((*frequency, scale));
        }
        of_sizes.retain(|(frequency, _)| *frequency > 0.0);
        let most = of_sizes.iter().map(|(_, ln)| *ln).fold(f64::NEG_INFINITY, f64::max);
        most + of_sizes
            .iter()
            .map(|(frequency, ln)| frequency * (ln - most).exp())
            .sum::<f64>()
            .ln()
    };
    (0..=bits).map(mean).collect()
}

/// Those of all respondents, for both questions.
#[derive(Clone, Debug)]
pub(super) struct Likelihoods {
    values: [usize; 2],
    of_one: Vec<f64>,
    of_other: Vec<f64>,
}

impl Likelihoods {
    pub(super) fn new(values: [usize; 2]) -> Self {
        Likelihoods { values, of_one: Vec::new(), of_other: Vec::new() }
    }

    pub(super) fn push(&mut self, [one, other]: [Vec<f64>; 2]) {
        self.of_one.extend(one);
        self.of_other.extend(other);
    }

    /// The number of respondents.
    pub(super) fn len(&self) -> usize {
        self.of_one.len() / self.values[0]
    }

    /// The number of pairs of values.
    pub(super) fn cells(&self) -> usize {
        self.values[0] * self.values[1]
    }

    fn pairs(&self) -> impl Iterator<Item = (&[f64], &[f64])> {
        self.of_one.chunks(self.values[0]).zip(self.of_other.chunks(self.values[1]))
    }

    /// The probability of a pair of reports under a law.
    fn whole(&self, (one, other): (&[f64], &[f64]), law: &[f64]) -> f64 {
        let row = |(a, law): (&f64, &[f64])| {
            a * law.iter().zip(other).map(|(mass, b)| mass * b).sum::<f64>()
        };
        one.iter().zip(law.chunks(self.values[1])).map(row).sum()
    }

    /// The mean of the log-likelihood.
    pub(super) fn log(&self, law: &[f64]) -> f64 {
        self.pairs().map(|pair| self.whole(pair, law).ln()).sum::<f64>() / self.len() as f64
    }

    /// Its derivative by each share, less 1.
    pub(super) fn slopes(&self, law: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.cells()];
        for pair in self.pairs() {
            let by = 1.0 / (self.whole(pair, law) * self.len() as f64);
            for (a, sums) in pair.0.iter().zip(sums.chunks_mut(self.values[1])) {
                sums.iter_mut().zip(pair.1).for_each(|(sum, b)| *sum += a * by * b);
            }
        }
        sums.iter().map(|sum| sum - 1.0).collect()
    }

    /// Its second derivatives, negated: the mean of the products of first ones.
    pub(super) fn curvature(&self, law: &[f64], block: usize) -> Mat<f64> {
        let mut curvature: Mat<f64> = Mat::zeros(self.cells(), self.cells());
        let pairs: Vec<_> = self.pairs().collect();
        for block in pairs.chunks(block) {
            let mut slopes: Mat<f64> = Mat::zeros(self.cells(), block.len());
            for (i, &(one, other)) in block.iter().enumerate() {
                let by = 1.0 / self.whole((one, other), law);
                for (row, a) in one.iter().enumerate() {
                    for (column, b) in other.iter().enumerate() {
                        slopes[(row * self.values[1] + column, i)] = a * b * by;
                    }
                }
            }
            curvature += &slopes * slopes.transpose();
        }
        let n = self.len() as f64;
        Mat::from_fn(self.cells(), self.cells(), |i, j| curvature[(i, j)] / n)
    }
}
