//! Counts, and what they say.

use deniable::estimate::Target;
use deniable_arrow::mechanism::Counts as RustCounts;
use deniable_arrow::{How, QuestionEstimate, ValueEstimate};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::error::{Result, refused};

/// What was counted of a mechanism's reports. Counts of parts, from many machines, can be added.
///
/// >>> drink = make_randomized_response(["tea", "coffee", "water"], prob=0.8)
/// >>> counts = drink.count(["tea", "tea", "water"])
/// >>> counts.reports, counts.supporting
/// (3, [2, 0, 1])
#[pyclass(frozen, module = "deniable")]
pub(crate) struct Counts(pub(crate) RustCounts);

#[pymethods]
impl Counts {
    /// How many reports were counted.
    #[getter]
    fn reports(&self) -> u64 {
        self.0.reports()
    }

    /// How many reports support each value; None if reports are numbers.
    #[getter]
    fn supporting(&self) -> Option<Vec<u64>> {
        self.0.supporting()
    }

    /// The counts as JSON, from which `Counts.from_json` makes them again.
    fn to_json(&self) -> String {
        serde_json::to_string(&self.0).expect("plain data")
    }

    /// Counts out of JSON, which are checked.
    #[staticmethod]
    fn from_json(text: &str) -> Result<Self> {
        let counts = serde_json::from_str(text);
        Ok(Counts(
            counts.map_err(|_| refused("text", "these are no counts", "what to_json wrote"))?,
        ))
    }

    fn __add__(&self, other: &Self) -> Result<Self> {
        let mut sum = self.0.clone();
        sum.merge(&other.0)?;
        Ok(Counts(sum))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __repr__(&self) -> String {
        format!("Counts(reports={})", self.0.reports())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("from_json")?, (slf.get().to_json(),)))
    }
}

/// How to estimate.
pub(crate) fn how(confidence: f64, target: &str, candidates: Vec<String>) -> Result<How> {
    let target = match target {
        "population" => Target::Population,
        "sample" => Target::Sample,
        _ => return Err(refused("target", "it is neither", "\"population\" or \"sample\"")),
    };
    Ok(How { target, confidence, candidates, ..How::default() })
}

/// The parts of what was found, as columns. The values' own names, unless the caller has better ones.
pub(crate) fn values<'py>(
    py: Python<'py>,
    found: &QuestionEstimate,
    names: Option<Bound<'py, PyList>>,
) -> Result<Bound<'py, PyDict>> {
    let parts = PyDict::new(py);
    parts.set_item("name", &found.name)?;
    parts.set_item("kind", found.kind)?;
    parts.set_item("mechanism", &found.mechanism)?;
    parts.set_item("epsilon", found.epsilon)?;
    parts.set_item("reports", found.reports)?;
    parts.set_item("notes", &found.notes)?;
    let columns = PyDict::new(py);
    let each = |part: fn(&ValueEstimate) -> f64| found.values.iter().map(part).collect::<Vec<_>>();
    match &found.mean {
        None => {
            match names {
                Some(names) => columns.set_item("value", names)?,
                None => {
                    let own: Vec<&str> = found.values.iter().map(|v| v.value.as_str()).collect();
                    columns.set_item("value", own)?;
                }
            }
            columns.set_item("share", each(|value| value.share))?;
            columns.set_item("low", each(|value| value.low))?;
            columns.set_item("high", each(|value| value.high))?;
            columns.set_item("count", each(|value| value.count))?;
            columns.set_item("standard_error", each(|value| value.standard_error))?;
            columns.set_item("p_value", each(|value| value.p_value))?;
            let detected: Vec<bool> = found.values.iter().map(|value| value.detected).collect();
            columns.set_item("detected", detected)?;
            let consistent: Option<Vec<f64>> = found.values.iter().map(|v| v.consistent).collect();
            if let Some(consistent) = consistent.filter(|shares| !shares.is_empty()) {
                columns.set_item("consistent", consistent)?;
            }
        }
        Some(mean) => {
            columns.set_item("mean", [mean.mean])?;
            columns.set_item("low", [mean.low])?;
            columns.set_item("high", [mean.high])?;
            columns.set_item("standard_error", [mean.standard_error])?;
        }
    }
    parts.set_item("columns", columns)?;
    if let Some(fit) = &found.fit {
        let parts_of_fit = PyDict::new(py);
        parts_of_fit.set_item("misfit", fit.misfit)?;
        parts_of_fit.set_item("p_value", fit.p_value)?;
        parts_of_fit.set_item("unexplained", fit.unexplained)?;
        parts_of_fit.set_item("unexplained_low", fit.unexplained_low)?;
        parts_of_fit.set_item("unexplained_high", fit.unexplained_high)?;
        parts.set_item("fit", parts_of_fit)?;
    }
    Ok(parts)
}
