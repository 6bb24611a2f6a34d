//! Reports, counted.

use arrow_array::RecordBatch;
use deniable::estimate::BitCounts;
use deniable::rappor::CohortCounts;
use serde::{Deserialize, Serialize};

use crate::columns::{self, no_report};
use crate::survey::{Fingerprint, Survey};
use crate::{Error, Result};

/// What was counted of a survey's reports: all that estimates need, and of a size that does not grow with the reports.
///
/// Counts made apart are [merged](SurveyCounts::merge). They can be written and read; what is read is checked. They are made of randomized
/// reports alone, and so they are as private as these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SurveyCounts {
    survey: Fingerprint,
    questions: Vec<Counted>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Counted {
    name: String,
    tally: Tally,
}

/// The counts of one question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Tally {
    /// How many reports support each value.
    Values(BitCounts),
    /// The reports of each cohort.
    Texts(CohortCounts),
    Numbers(Numbers),
}

/// Bounds of answers and scales of noise up to here are counted.
pub(crate) const LARGEST: f64 = 1e100;

/// Reports up to here are counted: 2^62 of their squares can be added up, and noise of a counted scale goes so far once in e^(10^10) times.
const LARGEST_REPORT: f64 = 1e110;

/// The count, the mean and the sum of squared deviations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "WrittenNumbers", into = "WrittenNumbers")]
pub(crate) struct Numbers {
    pub(crate) count: u64,
    pub(crate) mean: f64,
    pub(crate) squares: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenNumbers {
    count: u64,
    mean: f64,
    squares: f64,
}

impl From<Numbers> for WrittenNumbers {
    fn from(Numbers { count, mean, squares }: Numbers) -> Self {
        WrittenNumbers { count, mean, squares }
    }
}

impl TryFrom<WrittenNumbers> for Numbers {
    type Error = Error;

    fn try_from(WrittenNumbers { count, mean, squares }: WrittenNumbers) -> Result<Self> {
        let is_nothing = count > 0 || (mean == 0.0 && squares == 0.0);
        // Those of up to 2^62 reports, and what roundings add.
        let is_in_range = mean.abs() <= LARGEST_REPORT && (0.0..=1e240).contains(&squares);
        if count <= 1 << 62 && is_in_range && is_nothing {
            return Ok(Numbers { count, mean, squares });
        }
        Err(Error::reports("these are no counts of numbers; accepted are counts that `count` made"))
    }
}

impl Numbers {
    /// That reports can be added up. One that cannot would spoil what all others say: their counts could not be read again.
    pub(crate) fn check(mut reports: impl Iterator<Item = f64>) -> Result<()> {
        // NaN is not.
        if reports.all(|report| report.abs() <= LARGEST_REPORT) { Ok(()) } else { Err(no_report()) }
    }

    pub(crate) fn add_all(&mut self, numbers: &[f64]) {
        let count = numbers.len() as f64;
        if numbers.is_empty() {
            return;
        }
        let mean = numbers.iter().sum::<f64>() / count;
        let squares = numbers.iter().map(|x| (x - mean) * (x - mean)).sum();
        self.merge(&Numbers { count: numbers.len() as u64, mean, squares });
    }

    /// By the formula of Chan, Golub and LeVeque (1983).
    fn merge(&mut self, other: &Numbers) {
        if other.count == 0 {
            return;
        }
        let (n, more) = (self.count as f64, other.count as f64);
        let apart = other.mean - self.mean;
        let mean = self.mean + apart * (more / (n + more));
        // Roundings could take it beyond all reports.
        self.mean = mean.clamp(-LARGEST_REPORT, LARGEST_REPORT);
        self.squares += other.squares + apart * apart * (n / (n + more)) * more;
        self.count = self.count.saturating_add(other.count);
    }
}

impl Tally {
    pub(crate) fn values(&self) -> Result<&BitCounts> {
        if let Tally::Values(counts) = self { Ok(counts) } else { Err(another()) }
    }

    pub(crate) fn values_mut(&mut self) -> Result<&mut BitCounts> {
        if let Tally::Values(counts) = self { Ok(counts) } else { Err(another()) }
    }

    pub(crate) fn texts(&self) -> Result<&CohortCounts> {
        if let Tally::Texts(counts) = self { Ok(counts) } else { Err(another()) }
    }

    pub(crate) fn texts_mut(&mut self) -> Result<&mut CohortCounts> {
        if let Tally::Texts(counts) = self { Ok(counts) } else { Err(another()) }
    }

    pub(crate) fn numbers(&self) -> Result<&Numbers> {
        if let Tally::Numbers(counts) = self { Ok(counts) } else { Err(another()) }
    }

    pub(crate) fn numbers_mut(&mut self) -> Result<&mut Numbers> {
        if let Tally::Numbers(counts) = self { Ok(counts) } else { Err(another()) }
    }

    pub(crate) fn merge(&mut self, other: &Tally) -> Result<()> {
        match (self, other) {
            (Tally::Values(counts), Tally::Values(more)) => Ok(counts.merge(more)?),
            (Tally::Texts(counts), Tally::Texts(more)) => Ok(counts.merge(more)?),
            (Tally::Numbers(counts), Tally::Numbers(more)) => {
                counts.merge(more);
                Ok(())
            }
            _ => Err(another()),
        }
    }

    /// How many reports were counted.
    pub(crate) fn reports(&self) -> u64 {
        match self {
            Tally::Values(counts) => counts.reports(),
            Tally::Texts(counts) => counts.reports(),
            Tally::Numbers(counts) => counts.count,
        }
    }
}

fn another() -> Error {
    Error::reports("the counts are of another question; accepted are counts of this survey")
}

impl SurveyCounts {
    pub(crate) fn new(survey: &Survey) -> Self {
        let question = |question: &crate::Question| Counted {
            name: question.name().to_owned(),
            tally: question.kind().asked().tally(),
        };
        let questions = survey.questions().iter().map(question).collect();
        SurveyCounts { survey: survey.fingerprint(), questions }
    }

    /// The survey that they are of.
    pub fn survey(&self) -> Fingerprint {
        self.survey
    }

    /// How many reports of each question were counted, by its name.
    pub fn reports(&self) -> impl ExactSizeIterator<Item = (&str, u64)> + '_ {
        self.questions.iter().map(|counted| (counted.name.as_str(), counted.tally.reports()))
    }

    /// Adds what was counted elsewhere.
    ///
    /// # Errors
    ///
    /// Counts of another survey; more reports than can be counted. Then nothing is added.
    pub fn merge(&mut self, other: &SurveyCounts) -> Result<()> {
        if self.survey != other.survey {
            return Err(Error::reports(
                "the counts are of different surveys; accepted are counts of one",
            ));
        }
        self.update(|questions| {
            let names = |all: &[Counted]| -> Vec<String> {
                all.iter().map(|counted| counted.name.clone()).collect()
            };
            if names(questions) != names(&other.questions) {
                return Err(another());
            }
            let mut pairs = questions.iter_mut().zip(&other.questions);
            pairs.try_for_each(|(counted, more)| counted.tally.merge(&more.tally))
        })
    }

    pub(crate) fn add(&mut self, survey: &Survey, reports: &RecordBatch) -> Result<()> {
        self.check(survey)?;
        self.update(|questions| {
            for (counted, question) in questions.iter_mut().zip(survey.questions()) {
                if reports.schema_ref().column_with_name(question.name()).is_none() {
                    continue;
                }
                let (place, _) = columns::find(reports.schema_ref(), question.name())?;
                let kind = question.kind().asked();
                kind.count(reports.column(place), &mut counted.tally)?;
            }
            Ok(())
        })
    }

    /// Changes all of it or nothing.
    fn update(&mut self, change: impl FnOnce(&mut [Counted]) -> Result<()>) -> Result<()> {
        let mut questions = self.questions.clone();
        change(&mut questions)?;
        self.questions = questions;
        Ok(())
    }

    /// Whether they are counts of this survey, question by question.
    pub(crate) fn check(&self, survey: &Survey) -> Result<()> {
        let expected = SurveyCounts::new(survey);
        let is_same = |(a, b): (&Counted, &Counted)| {
            a.name == b.name && std::mem::discriminant(&a.tally) == std::mem::discriminant(&b.tally)
        };
        if self.survey == expected.survey
            && self.questions.len() == expected.questions.len()
            && self.questions.iter().zip(&expected.questions).all(is_same)
        {
            return Ok(());
        }
        Err(survey.another("the counts are"))
    }

    pub(crate) fn tallies(&self) -> impl Iterator<Item = &Tally> {
        self.questions.iter().map(|counted| &counted.tally)
    }
}

#[cfg(test)]
mod tests;
