//! Any text, by RAPPOR.

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use deniable::mechanism::randomized_response_bitvec::smallest_f;
use deniable::prelude::*;
use deniable::rappor::{CandidateMap, Client, CohortCounts, Params, Report, Secret};

use super::packed::{Packed, word};
use super::{Asked, Budget, Read, budget, epsilon, short, written};
use crate::Result;
use crate::columns::{self, no_report};
use crate::counts::Tally;
use crate::estimate::{How, QuestionEstimate};
use crate::survey::fields::{Fields, Wrong};

/// The bytes of a report that are its cohort.
const COHORT: usize = 2;
/// What all keyed noise of these reports is called; each row has a secret of its own.
const METRIC: &str = "survey";

/// A question for any text, whose answers are found among candidates afterwards.
///
/// Each row is one report of one client, with a secret that is drawn for it and forgotten, and a random cohort.
#[derive(Clone, Debug)]
pub struct Text {
    params: Params,
    candidates: Vec<String>,
}

impl Text {
    /// The parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The candidates that the survey lists, if any. Others can be looked for: [`How::candidates`].
    pub fn candidates(&self) -> &[String] {
        &self.candidates
    }

    pub(super) fn read(mut fields: Fields<'_>) -> Read<Self> {
        let mut count = |name, default| {
            fields.count(name).map(|field| field.map_or(default, |field| field.value))
        };
        let (k, h, m) = (count("bits", 64)?, count("hashes", 2)?, count("cohorts", 32)?);
        let candidates = fields.texts("candidates")?.map_or(Vec::new(), |list| list.value);
        let [p, q, f] = [fields.number("p")?, fields.number("q")?, fields.number("f")?];
        let at = p.as_ref().map_or(fields.at, |p| p.at);
        let own = match (&p, &q, &f) {
            (None, None, None) => None,
            (Some(p), Some(q), Some(f)) => Some((p.value, q.value, f.value)),
            _ => {
                return Err(Wrong::at(
                    at,
                    "of `p`, `q` and `f` some are missing; accepted are all three",
                ));
            }
        };
        let refused = |error: deniable::Error| Wrong::at(at, error.to_string());
        let (p, q, f) = match budget(&mut fields, "`p`, `q` and `f`", own)? {
            Budget::Own(own) => own,
            // One report a person: all of the noise is permanent.
            Budget::Epsilon(field) => {
                let filters = BitVectorDomain::new(k).with_max_weight(h.min(k));
                let f =
                    smallest_f(&filters, epsilon(&field)?).map_err(|error| field.refused(error))?;
                (0.0, 1.0, f)
            }
        };
        fields.finish("a text question")?;
        let params = Params::new(k, h, m, p, q, f).map_err(refused)?;
        let mut seen = std::collections::HashSet::new();
        for candidate in &candidates {
            if !seen.insert(&candidate.value) {
                return Err(candidate.refused(
                    "this candidate is there twice; accepted are candidates that differ",
                ));
            }
        }
        Ok(Text { params, candidates: candidates.into_iter().map(|field| field.value).collect() })
    }

    fn packed(&self) -> Packed {
        Packed::bytes(COHORT + self.params.k().div_ceil(8))
    }

    fn report(&self, answer: &str, row: &mut Vec<u8>) -> Result<()> {
        let report = Client::new(self.params, Secret::random()?).report(METRIC, answer)?;
        row.extend((report.cohort() as u16).to_le_bytes());
        let bytes = report.bits().as_words().iter().flat_map(|word| word.to_le_bytes());
        row.extend(bytes.take(self.params.k().div_ceil(8)));
        Ok(())
    }

    fn read_report(&self, row: &[u8]) -> Option<Report> {
        let cohort = usize::from(u16::from_le_bytes([row[0], row[1]]));
        let words = row[COHORT..].chunks(8).map(word).collect::<Vec<u64>>();
        let bits = BitVector::from_words(words, self.params.k()).ok()?;
        (cohort < self.params.m()).then(|| Report::new(cohort, bits))
    }
}

impl Asked for Text {
    /// Of one report: each row has a secret of its own.
    fn epsilon(&self) -> Epsilon {
        self.params.epsilon_of_report()
    }

    fn mechanism(&self) -> String {
        let Text { params, .. } = self;
        format!(
            "RAPPOR with k = {} bits, h = {} a value, m = {} cohorts, p = {}, q = {}, f = {}",
            params.k(),
            params.h(),
            params.m(),
            short(params.p()),
            short(params.q()),
            short(params.f()),
        )
    }

    fn described(&self) -> String {
        written(&self.params)
    }

    fn accepts(&self, answers: &DataType) -> bool {
        columns::is_text_like(answers)
    }

    fn accepted(&self) -> &'static str {
        "texts, whole numbers and truth values"
    }

    fn report_type(&self) -> DataType {
        self.packed().data_type()
    }

    fn randomize(&self, answers: &dyn Array) -> Result<ArrayRef> {
        let mut rows = Vec::new();
        for answer in columns::texts(answers).iter() {
            self.report(answer.unwrap_or("").trim(), &mut rows)?;
        }
        Ok(self.packed().column(rows))
    }

    fn understood(&self, answers: &dyn Array) -> Vec<Vec<u8>> {
        let texts = columns::texts(answers);
        texts.iter().map(|text| text.unwrap_or("").trim().as_bytes().to_vec()).collect()
    }

    fn tally(&self) -> Tally {
        Tally::Texts(CohortCounts::new(&self.params))
    }

    fn count(&self, reports: &dyn Array, tally: &mut Tally) -> Result<()> {
        let rows = self.packed().rows(reports)?;
        let rows = rows.chunks(COHORT + self.params.k().div_ceil(8));
        let reports: Option<Vec<Report>> = rows.map(|row| self.read_report(row)).collect();
        Ok(tally.texts_mut()?.add_all(&reports.ok_or_else(no_report)?)?)
    }

    fn estimate(&self, tally: &Tally, how: &How) -> Result<QuestionEstimate> {
        let candidates =
            if self.candidates.is_empty() { &how.candidates } else { &self.candidates };
        let map = CandidateMap::new(&self.params, candidates.iter().cloned())?;
        QuestionEstimate::of_texts(&self.params, tally.texts()?, &map, how)
    }
}
