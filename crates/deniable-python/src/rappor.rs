//! RAPPOR: any text, asked of each person again and again.

use deniable::BitVector;
use deniable::rappor::{CandidateMap, Client, CohortCounts, Params, Report, Secret};
use deniable_arrow::{How, QuestionEstimate};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::error::{Result, refused};
use crate::estimate::{how, values};
use crate::glue;

/// The parameters of RAPPOR: `k` bits of a report, `h` hash functions, `m` cohorts; `f`, how often a bit of the permanent answer is noise; `p` and `q`, the
/// probabilities of a one in a report where the permanent answer has a zero and a one.
///
/// >>> params = RapporParams(k=128, h=2, m=64, p=0.25, q=0.75, f=0.5)
/// >>> params.epsilon_of_report < params.epsilon_of_all_reports
/// True
#[pyclass(frozen, module = "deniable")]
pub(crate) struct RapporParams(Params);

#[pymethods]
impl RapporParams {
    #[new]
    fn new(k: usize, h: usize, m: usize, p: f64, q: f64, f: f64) -> Result<Self> {
        Ok(RapporParams(Params::new(k, h, m, p, q, f)?))
    }

    /// Bits of a report.
    #[getter]
    fn k(&self) -> usize {
        self.0.k()
    }

    /// Hash functions.
    #[getter]
    fn h(&self) -> usize {
        self.0.h()
    }

    /// Cohorts.
    #[getter]
    fn m(&self) -> usize {
        self.0.m()
    }

    /// The probability of a one where the permanent answer has a zero.
    #[getter]
    fn p(&self) -> f64 {
        self.0.p()
    }

    /// The probability of a one where the permanent answer has a one.
    #[getter]
    fn q(&self) -> f64 {
        self.0.q()
    }

    /// How often a bit of the permanent answer is noise.
    #[getter]
    fn f(&self) -> f64 {
        self.0.f()
    }

    /// What one report loses.
    #[getter]
    fn epsilon_of_report(&self) -> f64 {
        self.0.epsilon_of_report().get()
    }

    /// What all reports of a value together lose, however many there are.
    #[getter]
    fn epsilon_of_all_reports(&self) -> f64 {
        self.0.epsilon_of_all_reports().get()
    }

    /// The bits of a value's Bloom filter in a cohort.
    fn bits_of(&self, cohort: usize, value: &Bound<'_, PyString>) -> Result<Vec<usize>> {
        Ok(self.0.bits_of(cohort, value.to_string_lossy().as_bytes())?)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __repr__(&self) -> String {
        let (k, h, m, p, q, f) = self.parts();
        format!("RapporParams(k={k}, h={h}, m={m}, p={p:?}, q={q:?}, f={f:?})")
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, Parts) {
        (slf.get_type().into_any(), slf.get().parts())
    }
}

/// k, h, m, p, q and f.
type Parts = (usize, usize, usize, f64, f64, f64);

impl RapporParams {
    fn parts(&self) -> Parts {
        let params = &self.0;
        (params.k(), params.h(), params.m(), params.p(), params.q(), params.f())
    }
}

/// One person's device. Its `secret`, 32 bytes that stay on it, fixes the permanent answers; without one, a random one is drawn, and the permanent answers are others in
/// the next process.
///
/// >>> params = RapporParams(k=16, h=2, m=4, p=0.25, q=0.75, f=0.5)
/// >>> cohort, bits = RapporClient(params).report("homepage", "example.org")
/// >>> cohort < 4, len(bits)
/// (True, 2)
#[pyclass(frozen, module = "deniable")]
pub(crate) struct RapporClient(Client);

#[pymethods]
impl RapporClient {
    #[new]
    #[pyo3(signature = (params, secret=None, *, cohort=None))]
    fn new(params: &RapporParams, secret: Option<&[u8]>, cohort: Option<usize>) -> Result<Self> {
        let secret = match secret {
            None => Secret::random()?,
            Some(bytes) => Secret::new(
                bytes
                    .try_into()
                    .map_err(|_| refused("secret", "it has another length", "32 bytes"))?,
            ),
        };
        Ok(RapporClient(match cohort {
            None => Client::new(params.0, secret),
            Some(cohort) => Client::with_cohort(params.0, secret, cohort)?,
        }))
    }

    /// The cohort, from 0.
    #[getter]
    fn cohort(&self) -> usize {
        self.0.cohort()
    }

    /// A report on a value: the cohort and packed bits. `metric` is what the value is about.
    fn report<'py>(
        &self,
        py: Python<'py>,
        metric: &str,
        value: &Bound<'py, PyString>,
    ) -> Result<(usize, Bound<'py, PyBytes>)> {
        // What is no Unicode is replaced: an error would tell of it.
        let report = self.0.report(metric, value.to_string_lossy().as_bytes())?;
        Ok((report.cohort(), PyBytes::new(py, &report.bits().to_bytes())))
    }

    fn __repr__(&self) -> String {
        format!("RapporClient(cohort={})", self.0.cohort())
    }
}

/// Reports, counted by cohort. Counts of parts can be added.
///
/// >>> params = RapporParams(k=16, h=2, m=4, p=0.25, q=0.75, f=0.5)
/// >>> client = RapporClient(params)
/// >>> RapporCounts(params, [client.report("homepage", "example.org") for _ in range(3)])
/// RapporCounts(reports=3)
#[pyclass(frozen, module = "deniable")]
pub(crate) struct RapporCounts {
    params: Params,
    counts: CohortCounts,
}

#[pymethods]
impl RapporCounts {
    #[new]
    fn new(params: &RapporParams, reports: Vec<(usize, Vec<u8>)>) -> Result<Self> {
        let params = params.0;
        let report = |(cohort, bytes): &(usize, Vec<u8>)| -> Result<Report> {
            Ok(Report::new(*cohort, BitVector::from_bytes(bytes, params.k())?))
        };
        let reports = reports.iter().map(report).collect::<Result<Vec<Report>>>()?;
        let mut counts = CohortCounts::new(&params);
        counts.add_all(&reports)?;
        Ok(RapporCounts { params, counts })
    }

    /// How many reports were counted.
    #[getter]
    fn reports(&self) -> u64 {
        self.counts.reports()
    }

    /// The parameters of the reports.
    #[getter]
    fn params(&self) -> RapporParams {
        RapporParams(self.params)
    }

    /// The counts as JSON, with their parameters.
    fn to_json(&self) -> String {
        serde_json::to_string(&(&self.params, &self.counts)).expect("plain data")
    }

    /// Counts out of JSON, which are checked.
    #[staticmethod]
    fn from_json(text: &str) -> Result<Self> {
        let no_counts = || refused("text", "these are no counts", "what to_json wrote");
        let (params, counts): (Params, CohortCounts) =
            serde_json::from_str(text).map_err(|_| no_counts())?;
        if counts.fits(&params) { Ok(RapporCounts { params, counts }) } else { Err(no_counts()) }
    }

    fn __add__(&self, other: &Self) -> Result<Self> {
        if self.params != other.params {
            return Err(refused("counts", "they are of other parameters", "counts of the same"));
        }
        let mut counts = self.counts.clone();
        counts.merge(&other.counts)?;
        Ok(RapporCounts { params: self.params, counts })
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.params == other.params && self.counts == other.counts
    }

    fn __repr__(&self) -> String {
        format!("RapporCounts(reports={})", self.counts.reports())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("from_json")?, (slf.get().to_json(),)))
    }
}

/// How many people have each of the `candidates`, with intervals. See `Estimates`; its `fit` says how well the candidates explain the reports.
#[pyfunction]
#[pyo3(signature = (params, counts, candidates, *, confidence=0.95, target="population", alpha=0.05))]
pub(crate) fn rappor_decode<'py>(
    py: Python<'py>,
    params: &RapporParams,
    counts: &RapporCounts,
    candidates: Vec<String>,
    confidence: f64,
    target: &str,
    alpha: f64,
) -> Result<Bound<'py, PyAny>> {
    if params.0 != counts.params {
        return Err(refused("counts", "they are of other parameters", "counts with these"));
    }
    let how = How { alpha, ..how(confidence, target, Vec::new())? };
    let mut found = py.detach(|| -> Result<QuestionEstimate> {
        let map = CandidateMap::new(&params.0, candidates)?;
        Ok(QuestionEstimate::of_texts(&params.0, &counts.counts, &map, &how)?)
    })?;
    found.reports = counts.counts.reports();
    found.epsilon = params.0.epsilon_of_report().get();
    let parts = values(py, &found, None)?;
    Ok(glue(py, "_results")?.getattr("Estimates")?.call1((parts,))?)
}
