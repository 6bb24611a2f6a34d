//! What a question can tell, before anybody is asked.

use deniable::estimate::{Channel, FrequencyOracle, Target};
use deniable::mechanism::randomized_response_bitvec::smallest_f;
use deniable::mechanism::randomized_response_bool::largest_prob;
use deniable::mechanism::vector_float_laplace_cks20::smallest_scale;
use deniable::plan::LARGEST_EPSILON;
use deniable::prelude::*;
use deniable::rappor::Params;
use deniable_arrow::{ChoiceMechanism, Kind};

use crate::error::{Error, Result};

/// A value is seen if fewer than so many of all that nobody has would be.
pub(super) const ALPHA: f64 = 0.05;
/// With this probability.
pub(super) const POWER: f64 = 0.8;
/// A question that sees no smaller share does not work.
pub(super) const LARGEST_SHARE: f64 = 0.3;
/// Nor does a number with a larger error, as a part of its range.
pub(super) const LARGEST_ERROR: f64 = 0.1;
/// More respondents are not advised.
const MOST_RESPONDENTS: u64 = 10_000_000_000;

/// How the reports of a question depend on the answers.
pub(super) enum Design {
    Shares {
        channel: Channel,
        values: usize,
        /// Of how many values an answer names one.
        per_answer: f64,
    },
    Texts {
        params: Params,
        candidates: usize,
    },
    Number {
        scale: f64,
        width: f64,
    },
}

impl Design {
    /// As the survey has it. A text without candidates is looked for among so many.
    pub(super) fn of(kind: &Kind, candidates: usize) -> Result<Self> {
        Ok(match kind {
            Kind::YesNo(asked) => Design::shares(asked.mechanism().channel()?, 1, 0.5),
            Kind::Choice(asked) => {
                let channel = match asked.mechanism() {
                    ChoiceMechanism::RandomizedResponse(mechanism) => mechanism.channel(),
                    ChoiceMechanism::UnaryEncoding(mechanism) => mechanism.channel(),
                    ChoiceMechanism::SubsetSelection(mechanism) => mechanism.channel(),
                    ChoiceMechanism::LocalHashing(mechanism) => mechanism.channel(),
                    _ => return Err(unknown()),
                };
                Design::shares(channel?, asked.categories().len(), 1.0)
            }
            Kind::Several(asked) => {
                let most = asked.most() as f64;
                Design::shares(asked.mechanism().channel()?, asked.choices().len(), most)
            }
            Kind::Text(asked) => Design::Texts {
                params: *asked.params(),
                candidates: match asked.candidates().len() {
                    0 => candidates,
                    listed => listed,
                },
            },
            Kind::Number(asked) => {
                let (low, high) = asked.bounds();
                Design::Number { scale: asked.mechanism().scale(), width: high - low }
            }
            _ => return Err(unknown()),
        })
    }

    /// The same question with another ε, asked in the best way.
    fn with_epsilon(&self, kind: &Kind, epsilon: Epsilon) -> Result<Self> {
        Ok(match (self, kind) {
            (Design::Number { width, .. }, _) => {
                let scale = smallest_scale(*width, epsilon, Some(1), None)?;
                Design::Number { scale, width: *width }
            }
            (Design::Texts { params, candidates }, _) => {
                let (k, h) = (params.k(), params.h());
                let f = smallest_f(&BitVectorDomain::new(k).with_max_weight(h.min(k)), epsilon)?;
                let params = Params::new(k, h, params.m(), 0.0, 1.0, f)?;
                Design::Texts { params, candidates: *candidates }
            }
            (Design::Shares { values, per_answer, .. }, kind) => {
                let channel = match kind {
                    Kind::YesNo(_) => {
                        make_randomized_response_bool(largest_prob(epsilon), false)?.channel()?
                    }
                    Kind::Several(asked) => {
                        let domain = BitVectorDomain::new(*values).with_max_weight(asked.most());
                        let f = smallest_f(&domain, epsilon)?;
                        make_randomized_response_bitvec(domain, DiscreteDistance, f, false)?
                            .channel()?
                    }
                    _ => deniable::plan::best(*values, epsilon, None)?.channel().clone(),
                };
                Design::shares(channel, *values, *per_answer)
            }
        })
    }

    fn shares(channel: Channel, values: usize, per_answer: f64) -> Self {
        Design::Shares { channel, values, per_answer }
    }

    /// How many values are estimated; nothing for a number.
    pub(super) fn values(&self) -> Option<usize> {
        match self {
            Design::Shares { values, .. } => Some(*values),
            Design::Texts { candidates, .. } => Some(*candidates),
            Design::Number { .. } => None,
        }
    }

    /// The share that the average value has, if as many are named as can be.
    pub(super) fn typical_share(&self) -> Option<f64> {
        match self {
            Design::Shares { values, per_answer, .. } => {
                Some((per_answer / *values as f64).min(0.5))
            }
            Design::Texts { candidates, .. } => Some(1.0 / *candidates as f64),
            Design::Number { .. } => None,
        }
    }

    /// The expected standard error of such a share, or of a mean. The answers to a number are as far apart as can be.
    pub(super) fn standard_error(&self, respondents: u64) -> Result<f64> {
        let share = self.typical_share().unwrap_or(0.0);
        Ok(match self {
            Design::Shares { channel, .. } => {
                channel.standard_error(share, respondents, Target::Population)?
            }
            Design::Texts { params, candidates } => {
                params.standard_error(share, *candidates, respondents, Target::Population)?
            }
            Design::Number { scale, width } => {
                let variance = 2.0 * scale * scale + width * width / 4.0;
                (variance / respondents as f64).sqrt()
            }
        })
    }

    /// The smallest share that is seen, whichever value it is of. Nothing if not even all are, and for a number.
    pub(super) fn detectable(&self, respondents: u64) -> Result<Option<f64>> {
        Ok(match self {
            Design::Shares { channel, values, .. } => {
                channel.detectable(respondents, ALPHA / *values as f64, POWER)?
            }
            Design::Texts { params, candidates } => {
                params.detectable(*candidates, respondents, ALPHA, POWER)?
            }
            Design::Number { .. } => None,
        })
    }

    /// The largest error with which the question works.
    pub(super) fn largest_error(&self) -> f64 {
        match self {
            Design::Number { width, .. } => LARGEST_ERROR * width,
            // A yes is one value of two.
            _ => 1.0 / self.values().unwrap_or(2).max(2) as f64,
        }
    }

    /// Whether so many respondents let it see something.
    pub(super) fn works(&self, respondents: u64) -> Result<bool> {
        if self.standard_error(respondents)? > self.largest_error() {
            return Ok(false);
        }
        let is_seen = self.detectable(respondents)?.is_some_and(|share| share <= LARGEST_SHARE);
        Ok(is_seen || self.values().is_none())
    }

    /// How many respondents it takes to work: one, two, three digits of it. Nothing if nobody can ask so many.
    pub(super) fn respondents_to_work(&self) -> Result<Option<u64>> {
        let (mut too_few, mut enough) = (0, 1);
        while !self.works(enough)? {
            if enough >= MOST_RESPONDENTS {
                return Ok(None);
            }
            (too_few, enough) = (enough, 2 * enough);
        }
        while enough - too_few > 1 + enough / 500 {
            let middle = too_few + (enough - too_few) / 2;
            if self.works(middle)? { enough = middle } else { too_few = middle }
        }
        Ok(Some(enough))
    }

    /// The ε with which so many respondents are enough, to a hundredth of it. Nothing if that would protect nobody.
    pub(super) fn epsilon_to_work(&self, kind: &Kind, respondents: u64) -> Result<Option<f64>> {
        let works = |epsilon: f64| -> Result<bool> {
            self.with_epsilon(kind, Epsilon::new(epsilon)?)?.works(respondents)
        };
        let (mut too_small, mut enough) =
            (kind.epsilon().get().min(LARGEST_EPSILON), LARGEST_EPSILON);
        if !works(enough)? {
            return Ok(None);
        }
        while enough / too_small > 1.01 {
            let middle = (enough * too_small).sqrt();
            if works(middle)? { enough = middle } else { too_small = middle }
        }
        Ok(Some(enough))
    }
}

fn unknown() -> Error {
    Error::refused("this kind of question cannot be planned yet; accepted are the others")
}

#[cfg(test)]
mod tests {
    use deniable_arrow::Survey;

    use super::*;

    /// A question of each kind, with this ε.
    fn survey(epsilon: f64) -> Survey {
        let kinds = [
            "kind = 'yes-no'",
            "kind = 'choice'\nchoices = ['a', 'b', 'c', 'd', 'e', 'f', 'g']",
            "kind = 'several'\nchoices = ['a', 'b', 'c', 'd']\nmost = 2",
            "kind = 'text'\ncandidates = ['a', 'b', 'c', 'd', 'e']",
            "kind = 'number'\nlow = -5\nhigh = 5",
        ];
        let question = |(i, kind): (usize, &&str)| {
            format!("[[question]]\nname = 'q{i}'\n{kind}\nepsilon = {epsilon}\n")
        };
        let questions: String = kinds.iter().enumerate().map(question).collect();
        Survey::parse(&format!("version = 1\n{questions}")).unwrap()
    }

    #[test]
    fn what_is_advised_is_enough_and_hardly_more() {
        const FEW: u64 = 100;
        for (i, question) in survey(0.3).questions().iter().enumerate() {
            let kind = question.kind();
            let design = Design::of(kind, 10).unwrap();
            assert!(!design.works(FEW).unwrap(), "{i}");
            let n = design.respondents_to_work().unwrap().unwrap();
            assert!(design.works(n).unwrap() && !design.works(n - n / 50).unwrap(), "{i}");
            let epsilon = design.epsilon_to_work(kind, FEW).unwrap().unwrap();
            let works = |epsilon: f64| {
                let survey = survey(epsilon);
                Design::of(survey.questions()[i].kind(), 10).unwrap().works(FEW).unwrap()
            };
            assert!(works(epsilon) && !works(epsilon / 1.02), "{i}");
        }
    }

    #[test]
    fn what_cannot_work_has_no_advice() {
        let survey = survey(0.3);
        for question in survey.questions() {
            let design = Design::of(question.kind(), 10).unwrap();
            let advised = design.epsilon_to_work(question.kind(), 1).unwrap();
            assert_eq!(advised, None, "{}", question.name());
        }
    }
}
