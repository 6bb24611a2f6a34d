//! From counts of ones back to the shares of candidates.
//!
//! The server has a list of candidate values, and knows which bits each of them sets in the filters of each cohort. The share of filters with a bit is the sum of the shares of the
//! candidates that set it. Noise taken off, each bit of each cohort is one equation for the shares, and [`decode`] solves them by weighted least squares:
//!
//! ```
//! use deniable::estimate::{BitCounts, Target};
//! use deniable::rappor::decode::decode;
//! use deniable::rappor::{CandidateMap, CohortCounts, Params};
//!
//! // Eight cohorts of 10 000 reports; 6000 of each are of tea, 4000 of coffee, and the noise happens to be what it is on average.
//! let params = Params::new(16, 1, 8, 0.25, 0.75, 0.0)?;
//! let candidates = CandidateMap::new(&params, ["tea", "coffee", "water"])?;
//! let cohort = |cohort: usize| {
//!     let mut ones = vec![2500; 16];
//!     for (candidate, respondents) in [(0, 6000), (1, 4000)] {
//!         ones[usize::from(candidates.bits(candidate, cohort).unwrap()[0])] += respondents / 2;
//!     }
//!     BitCounts::from_ones(10_000, ones)
//! };
//! let counts = CohortCounts::from_cohorts((0..8).map(cohort).collect::<Result<_, _>>()?)?;
//!
//! let decoded = decode(&params, &counts, &candidates)?;
//! let shares: Vec<f64> = decoded.iter().map(|share| (share.share() * 1e6).round() / 1e6).collect();
//! assert_eq!(shares, [0.6, 0.4, 0.0]);
//! assert_eq!(decoded.detected(0.05)?, [0, 1]);
//! assert!(decoded.get(0).unwrap().interval(Target::Population, 0.95)?.contains(0.6));
//! # Ok::<(), deniable::Error>(())
//! ```
//!
//! # What comes out
//!
//! | question | answer |
//! |---|---|
//! | how many have this candidate? | [`Share::share`], [`Share::count`]: unbiased, so that some are negative |
//! | within what bounds? | [`Share::interval`], for a candidate named beforehand |
//! | which candidates occur? | [`Decoded::detected`]: of those said to occur, few do not |
//! | how many have a candidate that was detected? | [`Decoded::adjusted`]: those detected are those that are too large by chance, and these bounds allow for it |
//! | what does the whole look like? | [`Decoded::shrunken`]: not negative and nearer to the truth on the whole, but biased |
//! | are candidates missing from the list? | [`Decoded::misfit`], [`Decoded::unexplained`] |
//! | do answers to two questions go together? | [`associate`] |
//!
//! # Long lists
//!
//! With fewer than four bits a candidate, or more than 1000 candidates, not all can be estimated together. Then cohorts are dealt into two halves. On each,
//! the candidates that matter are selected by a non-negative lasso; on the *other* half, these are estimated together, and each further candidate beside them. The results of both halves
//! are averaged. No candidate is estimated from reports that selected it: its error would be what it was selected for, and intervals would miss the truth.
//!
//! # Errors of estimates
//!
//! A standard error is the larger of two. One follows from a model: each row has the variance of a binomial count, at the rate that a first fit expects there, and one more that
//! all rows have in common, by which the residuals exceed that. It stands for candidates that are missing, and for clients that report more than once; bits are set by hashing, so that all of
//! this is like noise to a row. The other is a sandwich estimate, HC3 ([`Share::robust_error`]), which takes each row's variance from its own residual and assumes nothing; but with
//! few cohorts it is uncertain itself, and by chance too small.
//!
//! Neither knows that respondents set all bits of their value at once. How many of them are in a cohort is up to chance, and where cohorts do not count by their reports, because of what is
//! missing, that adds to the error: by share·(1 − share), so that only candidates that occur have it, and [p-values](Share::p_value) have not.
//!
//! Clients that report more than once add to this what is not known from counts. If they do, with little noise, several hash functions and cohorts of very different sizes, intervals are too short:
//! decode one report of each client then.
//!
//! Intervals were simulated on four settings of the reference implementation and hold at least as often as they say: `verify rappor`.

mod association;
mod fit;
mod halves;
mod input;
mod lasso;
mod rows;
mod share;
mod shrink;

use alloc::string::String;
use alloc::vec::Vec;

use fit::{Misfit as Squares, fit_rows};
use halves::{Half, Part, estimate, select};
use input::{Candidates, Counts, Noise};
use rows::Rows;

use super::plan::BITS_A_CANDIDATE;
use super::{CandidateMap, CohortCounts, Params};
use crate::estimate::binomial::check_alpha;
use crate::estimate::{Detection, Interval, Target};
use crate::{Error, Result};

pub use association::{Association, Question, associate};
pub use share::{Misfit, Share};

/// The share of each candidate, from the counts of all cohorts.
///
/// Shares are those of reports: a client that reports twice counts twice. Estimates of two candidates hardly depend on each other if they share few bits.
///
/// # Errors
///
/// Candidates or counts of other bits or cohorts than the parameters'; no reports, or more than 10^9 in a cohort; reports that say nothing; candidates that the cohorts with reports
/// cannot tell apart.
pub fn decode(
    params: &Params,
    counts: &CohortCounts,
    candidates: &CandidateMap,
) -> Result<Decoded> {
    if !counts.fits(params) {
        let problem = "their bits and cohorts are not those of the parameters";
        return Err(Error::invalid_parameter("counts", problem, "the same bits and cohorts"));
    }
    check_shape(candidates, params)?;
    solve(&Noise::try_from(params)?, &counts.try_into()?, &candidates.try_into()?)
}

fn check_shape(candidates: &CandidateMap, params: &Params) -> Result<()> {
    if (candidates.k(), candidates.h(), candidates.m()) == (params.k(), params.h(), params.m()) {
        return Ok(());
    }
    let problem = "their bits, hash functions or cohorts are not those of the parameters";
    Err(Error::invalid_parameter("candidates", problem, "a map made for the same parameters"))
}

/// Counts and candidates have the same bits and cohorts.
fn solve(noise: &Noise, counts: &Counts, candidates: &Candidates) -> Result<Decoded> {
    let cohorts: Vec<usize> = (0..counts.cohorts()).filter(|&c| counts.reports()[c] > 0).collect();
    let (bits, all) = (cohorts.len() * counts.bits(), candidates.len());
    let rows = |cohorts: &[usize]| Rows::new(*noise, counts, candidates, cohorts);
    let of_these = |(parts, intercept, squares, degrees, selected)| {
        let density = candidates.density();
        Decoded::new(parts, scaled(intercept, 1.0 / density), squares, degrees, selected, counts)
    };
    if cohorts.len() == 1 || all <= halves::MOST_SELECTED && all * BITS_A_CANDIDATE <= bits {
        return together(&rows(&cohorts)).map(of_these);
    }
    let half = |first| cohorts.iter().skip(first).step_by(2).copied().collect::<Vec<usize>>();
    Ok(of_these(by_halves(&[rows(&half(0)), rows(&half(1))])))
}

/// What the counts say of all candidates, in their order.
#[derive(Clone, Debug)]
pub struct Decoded {
    parts: Vec<Part>,
    shrunken: Vec<f64>,
    unexplained: Part,
    squares: Squares,
    degrees: usize,
    respondents: u64,
    selected: Option<[Vec<usize>; 2]>,
}

impl Decoded {
    fn new(
        parts: Vec<Part>,
        unexplained: Part,
        squares: Squares,
        degrees: usize,
        selected: Option<[Vec<usize>; 2]>,
        counts: &Counts,
    ) -> Self {
        let estimate = |part: &Part| (part.estimate, part.variance().sqrt());
        let shrunken = shrink::shrunken(&parts.iter().map(estimate).collect::<Vec<_>>());
        let respondents = counts.respondents();
        Decoded { parts, shrunken, unexplained, squares, degrees, respondents, selected }
    }

    /// The number of candidates.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// How many reports there are.
    pub fn respondents(&self) -> u64 {
        self.respondents
    }

    /// What the counts say of a candidate, if there is one of this number, from 0.
    pub fn get(&self, candidate: usize) -> Option<Share> {
        self.parts.get(candidate).map(|part| self.of(part))
    }

    /// The same for all candidates.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Share> + '_ {
        self.parts.iter().map(|part| self.of(part))
    }

    fn of(&self, part: &Part) -> Share {
        Share::new(part, self.degrees as f64, self.respondents)
    }

    /// The candidates that occur, in their order: of those, a share of at most `alpha` is expected not to occur (Benjamini and Hochberg, 1995), by
    /// their [p-values](Share::p_value).
    ///
    /// # Errors
    ///
    /// An `alpha` that is not at least 10^−30 and at most 1/2.
    pub fn detected(&self, alpha: f64) -> Result<Vec<usize>> {
        check_alpha(alpha)?;
        let p_values: Vec<f64> = self.iter().map(|share| share.p_value()).collect();
        Ok(Detection::BenjaminiHochberg.among(&p_values, alpha))
    }

    /// The [detected](Decoded::detected) candidates with intervals, of which a share of at most `alpha` is expected to miss the truth (Benjamini and Yekutieli, 2005). These are
    /// wider than [`Share::interval`], which misses more often the truth of candidates that were looked at *because* they were detected.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn adjusted(&self, target: Target, alpha: f64) -> Result<Vec<(usize, Interval)>> {
        let detected = self.detected(alpha)?;
        // Not by a confidence, which would be 1 less what may be too small to tell from 0.
        let tail = alpha * detected.len() as f64 / self.len() as f64 / 2.0;
        let interval = |i: usize| (i, self.of(&self.parts[i]).interval_beyond(target, tail));
        Ok(detected.into_iter().map(interval).collect())
    }

    /// For each candidate a share that is not negative, and 0 for many that do not occur. In all they are nearer to the truth than those [detected](Decoded::detected) or all unbiased ones, and
    /// they are biased: sums over candidates, differences and averages are to be taken of the [unbiased](Share::share) ones.
    ///
    /// Each is the median of what the true share may be, by a law of shares that is found from all estimates (empirical Bayes).
    pub fn shrunken(&self) -> &[f64] {
        &self.shrunken
    }

    /// How well the candidates explain the counts.
    pub fn misfit(&self) -> Misfit {
        Misfit::new(self.squares)
    }

    /// The share of reports that no candidate of the fit explains, if they set as many bits as the candidates do. With a [long list](self#long-lists), the fit has
    /// [selected](Decoded::selected) candidates only.
    pub fn unexplained(&self) -> Share {
        self.of(&self.unexplained)
    }

    /// For a [long list](self#long-lists), the candidates that each half of the cohorts selected, and that were estimated together on the other half. The first half has the first
    /// cohort with reports, the third one, and so on.
    pub fn selected(&self) -> Option<&[Vec<usize>; 2]> {
        self.selected.as_ref()
    }
}

type Found = (Vec<Part>, Part, Squares, usize, Option<[Vec<usize>; 2]>);

/// All candidates in one fit.
fn together(rows: &Rows) -> Result<Found> {
    let columns: Vec<usize> = (0..rows.columns.len()).collect();
    let refused = |problem: String, accepted: String| {
        Err(Error::invalid_parameter("candidates", problem, accepted))
    };
    if columns.len() + 1 >= rows.len() {
        let problem = "there are more of them than one cohort's bits can tell apart";
        return refused(problem.into(), "fewer, or more cohorts".into());
    }
    // Each pair of them has an entry in the matrix of the fit.
    if columns.len() > halves::MOST_SELECTED {
        let accepted = format!("at most {}, or more cohorts", halves::MOST_SELECTED);
        return refused("there are too many for one cohort's reports".into(), accepted);
    }
    let (fit, squares) = match fit_rows(rows, &columns) {
        Ok(fitted) => fitted,
        Err(dependent) => {
            let number = dependent.0 + 1;
            let problem = match rows.columns.get(dependent.0).len() == rows.len() {
                true => format!("number {number} sets all bits"),
                false => format!("number {number} cannot be told from those before it"),
            };
            return refused(problem, "fewer, or more cohorts".into());
        }
    };
    let mut parts = halves::parts_of(rows, &columns, &fit);
    let intercept = parts.remove(0);
    Ok((parts, intercept, squares, squares.degrees, None))
}

/// Selected on one half and estimated on the other, both ways (cross-fitting: Chernozhukov and others, 2018).
fn by_halves(rows: &[Rows; 2]) -> Found {
    let selected = [select(&rows[0]), select(&rows[1])];
    let halves: [Half; 2] = [estimate(&rows[1], &selected[0]), estimate(&rows[0], &selected[1])];
    let [one, other] = &halves;
    let both = one.candidates.iter().zip(&other.candidates);
    let parts = both.map(|(one, other)| averaged(one, other)).collect();
    let squares = Squares {
        chi_square: one.squares.chi_square + other.squares.chi_square,
        degrees: one.squares.degrees + other.squares.degrees,
    };
    let degrees = one.squares.degrees.min(other.squares.degrees).max(1);
    (parts, averaged(&one.intercept, &other.intercept), squares, degrees, Some(selected))
}

/// Weighted by how much each half says, which depends on bits and numbers of reports and hardly on the errors.
fn averaged(one: &Part, other: &Part) -> Part {
    if one.precision == 0.0 || other.precision == 0.0 {
        return if one.precision > 0.0 { *one } else { *other };
    }
    let precision = one.precision + other.precision;
    let (a, b) = (one.precision / precision, other.precision / precision);
    Part {
        estimate: a * one.estimate + b * other.estimate,
        robust: a * a * one.robust + b * b * other.robust,
        draws: a * a * one.draws + b * b * other.draws,
        precision,
    }
}

fn scaled(part: Part, by: f64) -> Part {
    Part {
        estimate: part.estimate * by,
        robust: part.robust * by * by,
        draws: part.draws * by * by,
        precision: part.precision / (by * by),
    }
}

#[cfg(test)]
mod tests;
