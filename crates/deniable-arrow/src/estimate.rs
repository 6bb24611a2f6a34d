//! What counts say of a survey.

use deniable::estimate::{Detection, Estimates, Interval, Mean, Target};
use deniable::rappor::decode::decode;
use deniable::rappor::{CandidateMap, CohortCounts, Params};
use serde::Serialize;

use crate::Result;
use crate::counts::{Numbers, SurveyCounts, Tally};
use crate::survey::{Fingerprint, Question, Survey};

/// How to estimate.
#[derive(Clone, Debug)]
pub struct How {
    /// Whose shares: of all who could have been asked, of whom the respondents are a random sample, or of the respondents themselves.
    pub target: Target,
    /// Of each interval.
    pub confidence: f64,
    /// How many of the values that are said to occur may not, on average.
    pub alpha: f64,
    /// What to look for in the answers to text questions, where the survey does not say.
    pub candidates: Vec<String>,
}

impl Default for How {
    /// Of a population, at 95 %, with one in twenty false.
    fn default() -> Self {
        How { target: Target::Population, confidence: 0.95, alpha: 0.05, candidates: Vec::new() }
    }
}

/// What the counts say of all questions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SurveyEstimate {
    /// The survey's title.
    pub title: Option<String>,
    /// The survey.
    pub survey: Fingerprint,
    /// What a respondent who answered all questions lost.
    pub epsilon: f64,
    /// Of each interval.
    pub confidence: f64,
    /// "population" or "sample".
    pub target: &'static str,
    /// In the order of the survey.
    pub questions: Vec<QuestionEstimate>,
}

/// What the counts say of a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct QuestionEstimate {
    /// Its name.
    pub name: String,
    /// What people read.
    pub text: String,
    /// Its kind, as in the survey file.
    pub kind: &'static str,
    /// How it was randomized, in words.
    pub mechanism: String,
    /// What an answer lost.
    pub epsilon: f64,
    /// How many reports were counted.
    pub reports: u64,
    /// For each value its share; nothing for a number.
    pub values: Vec<ValueEstimate>,
    /// For a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<MeanEstimate>,
    /// For a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<TextEstimate>,
    /// What to know about these numbers, in words.
    pub notes: Vec<String>,
}

/// What the counts say of a value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValueEstimate {
    /// The value.
    pub value: String,
    /// The share of respondents, unbiased: it can be negative.
    pub share: f64,
    /// The same as a number of respondents.
    pub count: f64,
    /// The standard error of the share.
    pub standard_error: f64,
    /// The lower end of the interval of the share.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The probability of so large a share, if nobody had the value.
    pub p_value: f64,
    /// Whether the value occurs, by the rule of Benjamini and Hochberg.
    pub detected: bool,
    /// For questions with one answer: the share that is nearest to it when all are to be 1 together and none negative. For a text the shrunken share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consistent: Option<f64>,
}

/// What the counts say of a number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeanEstimate {
    /// The mean, unbiased.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The least that an answer can be.
    pub lowest: f64,
    /// The most.
    pub highest: f64,
}

/// How well the candidates explain the answers to a text question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TextEstimate {
    /// About 1 if they explain all of it.
    pub misfit: f64,
    /// The probability of so large a misfit if they did.
    pub p_value: f64,
    /// The share of reports that no candidate explains.
    pub unexplained: f64,
    /// The lower end of its interval.
    pub unexplained_low: f64,
    /// The upper end.
    pub unexplained_high: f64,
}

impl SurveyEstimate {
    pub(crate) fn new(survey: &Survey, counts: &SurveyCounts, how: &How) -> Result<Self> {
        counts.check(survey)?;
        let questions = survey.questions().iter().zip(counts.tallies());
        let questions = questions.map(|(question, tally)| estimate(question, tally, how));
        Ok(SurveyEstimate {
            title: survey.title().map(str::to_owned),
            survey: survey.fingerprint(),
            epsilon: survey.epsilon().get(),
            confidence: how.confidence,
            target: match how.target {
                Target::Sample => "sample",
                _ => "population",
            },
            questions: questions.collect::<Result<_>>()?,
        })
    }
}

fn estimate(question: &Question, tally: &Tally, how: &How) -> Result<QuestionEstimate> {
    let kind = question.kind();
    let mut found = match tally.reports() {
        0 => QuestionEstimate { notes: vec!["There are no reports.".into()], ..Default::default() },
        _ => kind.asked().estimate(tally, how)?,
    };
    found.name = question.name().to_owned();
    found.text = question.text().to_owned();
    found.kind = kind.name();
    found.mechanism = kind.mechanism();
    found.epsilon = question.epsilon().get();
    found.reports = tally.reports();
    Ok(found)
}

impl QuestionEstimate {
    pub(crate) fn of_values<'a>(
        names: impl IntoIterator<Item = &'a str>,
        estimates: &Estimates,
        how: &How,
    ) -> Result<Self> {
        let intervals = estimates.intervals(how.target, how.confidence)?;
        let detected = estimates.detected(Detection::BenjaminiHochberg, how.alpha)?;
        let consistent = estimates.consistent().ok();
        let all = names.into_iter().zip(estimates.iter()).zip(intervals).enumerate();
        let value = |(i, ((name, estimate), interval)): (
            usize,
            ((&str, deniable::estimate::Estimate<'_>), Interval),
        )| {
            ValueEstimate {
                value: name.to_owned(),
                share: estimate.share(),
                count: estimate.count(),
                standard_error: estimate.standard_error(how.target),
                low: interval.low,
                high: interval.high,
                p_value: estimate.p_value(),
                detected: detected.binary_search(&i).is_ok(),
                consistent: consistent.as_ref().map(|shares| shares[i]),
            }
        };
        let values: Vec<ValueEstimate> = all.map(value).collect();
        let mut notes = Vec::new();
        if values.iter().all(|value| value.low <= 0.0 && value.high >= 1.0) {
            notes.push("There are too few reports to say anything.".into());
        }
        Ok(QuestionEstimate { values, notes, ..Default::default() })
    }

    pub(crate) fn of_numbers(
        numbers: &Numbers,
        scale: f64,
        bounds: (f64, f64),
        how: &How,
    ) -> Result<Self> {
        let Numbers { count, mean, squares } = *numbers;
        let mean = Mean::new(count, mean, squares, scale, bounds)?;
        let Interval { low, high } = mean.interval(how.target, how.confidence)?;
        let estimate = MeanEstimate {
            mean: mean.mean(),
            standard_error: mean.standard_error(how.target),
            low,
            high,
            lowest: bounds.0,
            highest: bounds.1,
        };
        Ok(QuestionEstimate { mean: Some(estimate), ..Default::default() })
    }

    /// What RAPPOR's counts say of each candidate. The fields that are about a question of a survey are left empty.
    ///
    /// # Errors
    ///
    /// Counts that are not of these parameters or candidates; a confidence outside its range.
    pub fn of_texts(
        params: &Params,
        counts: &CohortCounts,
        candidates: &CandidateMap,
        how: &How,
    ) -> Result<Self> {
        if candidates.is_empty() {
            let notes = vec![
                "There are no candidates: name some, in the survey or when estimating.".into(),
            ];
            return Ok(QuestionEstimate { notes, ..Default::default() });
        }
        let decoded = decode(params, counts, candidates)?;
        let detected = decoded.detected(how.alpha)?;
        let value = |(i, (name, share)): (usize, (&str, deniable::rappor::decode::Share))| {
            let interval = share.interval(how.target, how.confidence)?;
            Ok(ValueEstimate {
                value: name.to_owned(),
                share: share.share(),
                count: share.count(),
                standard_error: share.standard_error(how.target),
                low: interval.low,
                high: interval.high,
                p_value: share.p_value(),
                detected: detected.binary_search(&i).is_ok(),
                consistent: Some(decoded.shrunken()[i]),
            })
        };
        let all = candidates.names().zip(decoded.iter()).enumerate();
        let values = all.map(value).collect::<Result<Vec<ValueEstimate>>>()?;
        let unexplained = decoded.unexplained();
        let Interval { low, high } = unexplained.interval(how.target, how.confidence)?;
        let fit = TextEstimate {
            misfit: decoded.misfit().ratio(),
            p_value: decoded.misfit().p_value(),
            unexplained: unexplained.share(),
            unexplained_low: low,
            unexplained_high: high,
        };
        let mut notes = Vec::new();
        if fit.p_value < 0.01 {
            notes.push(
                "The candidates do not explain all answers: some that occur are not listed.".into(),
            );
        }
        Ok(QuestionEstimate { values, fit: Some(fit), notes, ..Default::default() })
    }
}
