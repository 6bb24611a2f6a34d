//! `verify rappor`: the decoder on collections drawn anew from known histograms.
//!
//! Four settings of the reference implementation, whose own decoder's results are known for one collection each. Every tenth string
//! that occurs is no candidate.

mod acceptance;
mod law;
mod long;
mod pairs;
mod settings;
mod simulate;

use std::path::Path;
use std::process::ExitCode;

pub use acceptance::{Means, same_data_coverage, simulate_many};
pub use pairs::pair_coverage;
pub use settings::{NAMES, Reference, Setting};
pub use simulate::{Binomial, Words, simulate};

/// Collections of each setting, unless told otherwise.
const TIMES: usize = 200;

/// Runs it.
///
/// # Errors
///
/// Arguments that are none; a setting that cannot be read; what falls short of the reference or of its own claims.
pub fn command(root: &Path, arguments: &[String]) -> Result<ExitCode, Vec<String>> {
    let usage = || {
        vec!["usage: rappor [TIMES [SEED]] | rappor long | rappor pairs | rappor all".to_owned()]
    };
    let argument = |i: usize, default: u64| -> Result<u64, Vec<String>> {
        arguments.get(i).map_or(Ok(default), |text| text.parse().map_err(|_| usage()))
    };
    let collections = |times: usize, seed: u64| -> Result<Vec<String>, Vec<String>> {
        let folder = root.join("crates/deniable/tests/data/rappor");
        let mut findings = Vec::new();
        for name in NAMES {
            let setting = Setting::read(&folder, name).map_err(|error| vec![error])?;
            findings.extend(acceptance::judge(&setting, times, seed));
        }
        Ok(findings)
    };
    let findings = match arguments.first().map(String::as_str) {
        Some("long") if arguments.len() == 1 => long::measure(),
        Some("pairs") if arguments.len() == 1 => pairs::judge(TIMES),
        Some("all") if arguments.len() == 1 => {
            [collections(TIMES, 1)?, long::measure(), pairs::judge(TIMES)].concat()
        }
        _ if arguments.len() > 2 => return Err(usage()),
        _ => collections(argument(0, TIMES as u64)? as usize, argument(1, 1)?)?,
    };
    if !findings.is_empty() {
        return Err(findings);
    }
    if arguments.first().is_some_and(|argument| argument == "all") {
        println!(
            "result: {TIMES} collections of each of {} settings, a long list and pairs of answers",
            NAMES.len()
        );
    }
    Ok(ExitCode::SUCCESS)
}
