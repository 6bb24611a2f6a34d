//! Whether answers to two questions go together: shares of pairs of candidates, from each respondent's pair of reports.

mod likelihood;

use alloc::vec::Vec;

use faer::Mat;

use super::check_shape;
use super::fit::inverse;
use super::halves::{MOST_SELECTED, Part};
use super::share::Share;
use crate::rappor::{CandidateMap, Params, Report};
use crate::{Error, Result};
use likelihood::{Likelihoods, Values};

/// Cheap steps before the first of Newton's.
const FIRST_STEPS: usize = 20;
const MOST_STEPS: usize = 100;
/// How much likelier, as a logarithm, the best law may be than the one that is taken for it: far less than what chance changes.
const GAP: f64 = 1e-3;
/// So many standard errors below 0 is the slope of a pair that is ruled out. Where reports are hardly ever like those of a pair, none of them may be; then there is a slope, and no curvature to say how far
/// to follow it.
const RULED_OUT: f64 = 3.0;
/// What a sum of many logarithms may be off by. Near the best law a step gains less.
const ROUNDING: f64 = 1e-12;
/// Respondents whose second derivatives are added up at once.
const BLOCK: usize = 256;

/// One of two questions: how its reports were made, and which answers it has.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    params: &'a Params,
    candidates: &'a CandidateMap,
    others: bool,
}

impl<'a> Question<'a> {
    /// A question that everybody answers by one of the candidates.
    pub fn new(params: &'a Params, candidates: &'a CandidateMap) -> Self {
        Question { params, candidates, others: false }
    }

    /// The same with one value more, behind the candidates: all other answers, which set bits at random.
    pub fn with_others(self) -> Self {
        Question { others: true, ..self }
    }

    /// How many values there are, with the others.
    pub fn values(&self) -> usize {
        self.candidates.len() + usize::from(self.others)
    }

    fn likelihoods(&self) -> Result<Values> {
        check_shape(self.candidates, self.params)?;
        Ok(Values::new(&self.params.try_into()?, &self.candidates.try_into()?, self.others))
    }
}

/// The share of each pair of values of two questions.
#[derive(Clone, Debug)]
pub struct Association {
    values: [usize; 2],
    law: Vec<f64>,
    parts: Vec<Part>,
    respondents: u64,
}

impl Association {
    /// What the reports say of a pair of values, each from 0. The share is nearly unbiased and can be negative; for shares that are not see [`Association::likeliest`].
    ///
    /// It is one step of Newton's method from the likeliest law, with no regard to signs; its variance is the inverse of the observed information. Reports are those of respondents
    /// drawn from a population, each with one pair.
    ///
    /// A pair that no report looks like, where those of the pair would, has a share of 0 with a standard error of 1.5 respondents.
    pub fn get(&self, one: usize, other: usize) -> Option<Share> {
        let is_pair = one < self.values[0] && other < self.values[1];
        let part = is_pair.then(|| &self.parts[one * self.values[1] + other])?;
        Some(Share::new(part, f64::INFINITY, self.respondents))
    }

    /// The law of pairs under which the reports are likeliest: shares that are not negative and 1 together. Those of the first value of the first question come first.
    pub fn likeliest(&self) -> &[f64] {
        &self.law
    }

    /// How many values each question has.
    pub fn values(&self) -> [usize; 2] {
        self.values
    }

    /// The number of respondents.
    pub fn respondents(&self) -> u64 {
        self.respondents
    }
}

/// The shares of pairs, from each respondent's reports to both questions.
///
/// ```
/// use deniable::rappor::decode::{Question, associate};
/// use deniable::rappor::{CandidateMap, Client, Params, Secret};
///
/// // No noise, so that the example cannot fail by chance.
/// let params = Params::new(64, 2, 4, 0.0, 1.0, 0.0)?;
/// let drinks = CandidateMap::new(&params, ["tea", "coffee"])?;
/// let times = CandidateMap::new(&params, ["morning", "evening"])?;
/// let mut reports = Vec::new();
/// let answers = ["tea evening", "tea evening", "tea morning", "coffee morning", "coffee evening"];
/// for (drink, time) in answers.iter().filter_map(|answer| answer.split_once(' ')) {
///     let client = Client::new(params, Secret::random()?);
///     reports.push((client.report("drink", drink)?, client.report("time", time)?));
/// }
/// let pairs = associate(
///     &Question::new(&params, &drinks),
///     &Question::new(&params, &times),
///     reports.iter().map(|(drink, time)| (drink, time)),
/// )?;
/// assert!((pairs.likeliest()[1] - 0.4).abs() < 0.01);
/// assert!((pairs.get(1, 0).unwrap().share() - 0.2).abs() < 0.01);
/// # Ok::<(), deniable::Error>(())
/// ```
///
/// The likeliest law is found by expectation maximization (Dempster, Laird and Rubin, 1977) and, near it, by Newton's method with shares kept from being negative; it is within 10^−3 of the largest
/// log-likelihood, which concavity lets be checked.
///
/// # Errors
///
/// No reports; reports of other bits or cohorts than the candidates'; more than 1000 pairs of values; values that the reports cannot tell apart; reports for which no likeliest law is found.
pub fn associate<'r>(
    one: &Question<'_>,
    other: &Question<'_>,
    reports: impl IntoIterator<Item = (&'r Report, &'r Report)>,
) -> Result<Association> {
    check_values([one.values(), other.values()])?;
    from_values([one.likelihoods()?, other.likelihoods()?], reports)
}

fn check_values(values: [usize; 2]) -> Result<()> {
    if values[0].saturating_mul(values[1]) <= MOST_SELECTED {
        return Ok(());
    }
    let accepted = format!("at most {MOST_SELECTED} pairs of values");
    Err(Error::invalid_parameter("candidates", "there are too many", accepted))
}

fn from_values<'r>(
    tables: [Values; 2],
    reports: impl IntoIterator<Item = (&'r Report, &'r Report)>,
) -> Result<Association> {
    let values = [tables[0].len(), tables[1].len()];
    let mut likelihoods = Likelihoods::new(values);
    for (first, second) in reports {
        likelihoods.push([tables[0].of(first)?, tables[1].of(second)?]);
    }
    if likelihoods.len() == 0 {
        return Err(Error::invalid_parameter("reports", "there are none", "at least one"));
    }
    let (law, slopes, curvature) = likeliest(&likelihoods).ok_or_else(|| {
        let problem = "no law of pairs was found that makes them likeliest";
        Error::invalid_parameter("reports", problem, "more of them, or fewer candidates")
    })?;
    let parts = parts(&likelihoods, &law, &slopes, &curvature)?;
    Ok(Association { values, law, parts, respondents: likelihoods.len() as u64 })
}

/// The law under which the reports are likeliest, with the derivatives of the mean log-likelihood there: the first less 1, the second negated.
/// None if that takes too many steps.
fn likeliest(likelihoods: &Likelihoods) -> Option<(Vec<f64>, Vec<f64>, Mat<f64>)> {
    let cells = likelihoods.cells();
    let mut law = vec![1.0 / cells as f64; cells];
    for _ in 0..FIRST_STEPS {
        let slopes = likelihoods.slopes(&law);
        law.iter_mut().zip(slopes).for_each(|(mass, slope)| *mass *= 1.0 + slope);
    }
    for _ in 0..MOST_STEPS {
        let (slopes, curvature) = (likelihoods.slopes(&law), likelihoods.curvature(&law, BLOCK));
        // No law is likelier by more than this: the logarithm is concave.
        let gap = likelihoods.len() as f64 * slopes.iter().copied().fold(0.0, f64::max);
        if gap <= GAP {
            return Some((law, slopes, curvature));
        }
        let target = best_quadratic(&law, &slopes, &curvature);
        law = towards(likelihoods, &law, &target);
    }
    None
}

/// The x ≥ 0 that maximizes slopes·(x − law) − ½·(x − law)ᵀ·curvature·(x − law), by coordinate descent.
fn best_quadratic(law: &[f64], slopes: &[f64], curvature: &Mat<f64>) -> Vec<f64> {
    let (mut x, mut left) = (law.to_vec(), slopes.to_vec());
    for _ in 0..1000 {
        let mut most = 0.0f64;
        for j in 0..x.len() {
            let after = (x[j] + left[j] / curvature[(j, j)]).max(0.0);
            let change = after - x[j];
            if change != 0.0 {
                x[j] = after;
                let column = curvature.col(j);
                left.iter_mut().enumerate().for_each(|(i, left)| *left -= change * column[i]);
                most = most.max(change.abs());
            }
        }
        if most < 1e-10 {
            break;
        }
    }
    x
}

/// All the way to the target, or half of it and so on, as soon as that is likelier; made a law by its sum.
fn towards(likelihoods: &Likelihoods, law: &[f64], target: &[f64]) -> Vec<f64> {
    let before = likelihoods.log(law);
    let mut share = 1.0;
    for _ in 0..40 {
        let next: Vec<f64> =
            law.iter().zip(target).map(|(from, to)| from + share * (to - from)).collect();
        let sum: f64 = next.iter().sum();
        let next: Vec<f64> = next.iter().map(|mass| mass / sum).collect();
        if likelihoods.log(&next) >= before - ROUNDING * before.abs() {
            return next;
        }
        share /= 2.0;
    }
    law.to_vec()
}

/// One more step of Newton's, with shares that are 1 together and otherwise free, and its variances. Pairs that are ruled out are 0.
fn parts(
    likelihoods: &Likelihoods,
    law: &[f64],
    slopes: &[f64],
    curvature: &Mat<f64>,
) -> Result<Vec<Part>> {
    let n = likelihoods.len() as f64;
    let is_possible = |j: &usize| slopes[*j] >= -RULED_OUT * (curvature[(*j, *j)] / n).sqrt();
    let possible: Vec<usize> = (0..law.len()).filter(is_possible).collect();
    let cells = possible.len();
    let curvature = Mat::from_fn(cells, cells, |i, j| curvature[(possible[i], possible[j])]);
    let inverse = inverse(&curvature).map_err(|_| {
        let problem = "the reports do not tell all pairs of them apart";
        Error::invalid_parameter("candidates", problem, "fewer, or more reports")
    })?;
    // If as many as 3 of n respondents had a pair, one in twenty times none would have been seen.
    let unseen = (1.5 / n) * (1.5 / n);
    let least = if cells < law.len() { unseen } else { 1e-9 / n };
    let sum = |i: usize| inverse.col(i).iter().sum::<f64>();
    let sums: Vec<f64> = (0..cells).map(sum).collect();
    let total: f64 = sums.iter().sum();
    let covariance = |i: usize, j: usize| inverse[(i, j)] - sums[i] * sums[j] / total;
    let part = |i: usize| {
        let step: f64 = (0..cells).map(|j| covariance(i, j) * slopes[possible[j]]).sum();
        let estimate = law[possible[i]] + step;
        // What is said of a population has this in it already, and no report tells more than the answer.
        // It is that of the law at which the information is, as what is left is then never negative.
        let share = law[possible[i]];
        let noise = ((covariance(i, i) - share * (1.0 - share)) / n).max(least);
        Part { estimate, precision: 1.0 / noise, robust: noise, draws: 0.0 }
    };
    let none = Part { estimate: 0.0, precision: 1.0 / unseen, robust: unseen, draws: 0.0 };
    let mut parts = vec![none; law.len()];
    (0..cells).for_each(|i| parts[possible[i]] = part(i));
    Ok(parts)
}

#[cfg(test)]
mod tests;
