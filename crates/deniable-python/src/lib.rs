//! The Python package `deniable`: what is Rust of it.
//!
//! Everything that has to do with privacy is the library's. Here Python's values become the library's and back; which kind of column or frame goes in
//! and comes out, and how results are shown, is in the package's Python.
#![forbid(unsafe_code)]

mod answer;
mod column;
mod error;
mod estimate;
mod import;
mod make;
mod measurement;
mod rappor;
mod survey;

use pyo3::prelude::*;

/// A module of the package that is written in Python.
fn glue<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyModule>> {
    py.import(format!("deniable.{name}"))
}

#[pymodule]
fn _deniable(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("FINGERPRINT", deniable_arrow::FINGERPRINT)?;
    module.add_class::<measurement::Measurement>()?;
    module.add_class::<estimate::Counts>()?;
    module.add_class::<survey::Survey>()?;
    module.add_class::<survey::SurveyCounts>()?;
    module.add_class::<rappor::RapporParams>()?;
    module.add_class::<rappor::RapporClient>()?;
    module.add_class::<rappor::RapporCounts>()?;
    module.add_function(wrap_pyfunction!(rappor::rappor_decode, module)?)?;
    make::add_to(module)
}
