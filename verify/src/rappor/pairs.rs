//! Pairs of answers: whether intervals of their shares hold the truth.

use deniable::estimate::Target;
use deniable::rappor::decode::{Question, associate};
use deniable::rappor::{CandidateMap, Params, Report};

use super::simulate::{Words, rates};

const RESPONDENTS: usize = 10_000;
/// The law of pairs: three candidates and others, of each question.
const LAW: [[f64; 4]; 4] = [
    [0.20, 0.05, 0.00, 0.05],
    [0.05, 0.20, 0.00, 0.05],
    [0.00, 0.00, 0.10, 0.00],
    [0.10, 0.00, 0.10, 0.10],
];

/// Prints the coverage, and says if it falls short.
pub(super) fn judge(times: usize) -> Vec<String> {
    let [occurring, others] = pair_coverage(times, 1);
    println!(
        "{times} collections of {RESPONDENTS} pairs: 95 % intervals hold {occurring:.4} of those that occur, {others:.4} of the others"
    );
    let short = |covered: &&f64| **covered < 0.94;
    let finding = |covered: &f64| format!("pairs: {covered:.4} covered");
    [occurring, others].iter().filter(short).map(finding).collect()
}

/// The share of 95 % intervals that hold the truth, of the pairs that occur and of the others, which cutting off below 0 helps.
pub fn pair_coverage(times: usize, seed: u64) -> [f64; 2] {
    let (mut words, mut held, mut all) = (Words::new(seed), [0.0; 2], [0.0; 2]);
    let params = Params::new(16, 2, 16, 0.25, 0.75, 0.25).expect("parameters");
    for _ in 0..times {
        // Names that were not used before have bits that are drawn anew.
        let candidates = [0, 1].map(|_| {
            let names: Vec<String> = (0..3).map(|_| words.word().to_string()).collect();
            CandidateMap::new(&params, names).expect("names that differ")
        });
        let reports: Vec<[Report; 2]> =
            (0..RESPONDENTS).map(|_| respondent(&params, &candidates, &mut words)).collect();
        let [one, other] =
            [0, 1].map(|i: usize| Question::new(&params, &candidates[i]).with_others());
        let reports = reports.iter().map(|[one, other]| (one, other));
        let pairs = associate(&one, &other, reports).expect("pairs that can be told apart");
        for (i, row) in LAW.iter().enumerate() {
            for (j, truth) in row.iter().enumerate() {
                let share = pairs.get(i, j).expect("a pair");
                let interval = share.interval(Target::Population, 0.95).expect("a confidence");
                let which = usize::from(*truth == 0.0);
                held[which] += f64::from(u8::from(interval.contains(*truth)));
                all[which] += 1.0;
            }
        }
    }
    [held[0] / all[0], held[1] / all[1]]
}

/// The two reports of a respondent.
fn respondent(params: &Params, candidates: &[CandidateMap; 2], words: &mut Words) -> [Report; 2] {
    let (cohort, pair) = (words.below(params.m()), pair(words));
    [0, 1].map(|question: usize| {
        let mut rates_of = vec![rates(params)[0]; params.k()];
        let set: Vec<usize> = match candidates[question].bits(pair[question], cohort) {
            Some(bits) => bits.iter().map(|&bit| usize::from(bit)).collect(),
            None => (0..params.h()).map(|_| words.below(params.k())).collect(),
        };
        set.into_iter().for_each(|bit| rates_of[bit] = rates(params)[1]);
        Report::new(cohort, rates_of.iter().map(|rate| words.uniform() < *rate).collect())
    })
}

/// A pair of answers.
fn pair(words: &mut Words) -> [usize; 2] {
    let mut left = words.uniform();
    for (i, mass) in LAW.iter().flatten().enumerate() {
        left -= mass;
        if left < 0.0 {
            return [i / 4, i % 4];
        }
    }
    [3, 3]
}
