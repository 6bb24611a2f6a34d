//! Audits: what can be said about a mechanism by running it, without trusting what it says of itself.
//!
//! - [`local`], which has RAPPOR too, and [`laplace`]: exact. The laws of the shipping code by enumeration, the worst ratio of
//!   probabilities over every class of input pairs, against `map`.
//! - [`black_box`]: statistical. Knows nothing but outcomes, and can judge any program; [`subjects`] are the
//!   shipping mechanisms, and one that loses more than it says.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

pub use deniable_audit::{binomial, black_box, files};

pub mod exact;
pub mod laplace;
pub mod local;
pub mod subjects;

/// `verify audit [exact | black-box | files EPSILON BUCKETS LEFT RIGHT]`. Without a word, the first two.
///
/// # Errors
///
/// What is found.
pub fn command(_root: &Path, arguments: &[String]) -> Result<ExitCode, Vec<String>> {
    let words: Vec<_> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [] => {
            let (cases, subjects) = (exact_audit()?, subjects_audit()?);
            println!(
                "result: {cases} exact cases and {subjects} black boxes, none of which loses more than its map says; planted mistakes found"
            );
        }
        ["exact"] => drop(exact_audit()?),
        ["black-box"] => drop(subjects_audit()?),
        ["files", ..] => return files_command(&arguments[1..]),
        _ => {
            return Err(vec![
                "usage: audit [exact | black-box | files EPSILON a,b,c|@FILE LEFT RIGHT]".into(),
            ]);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The exact audits, in full. How many cases there are.
fn exact_audit() -> Result<u64, Vec<String>> {
    let start = Instant::now();
    let local = local::audit_local(true);
    println!("local mechanisms: {local}");
    let rappor = local::rappor::audit(true);
    println!("RAPPOR: {rappor}");
    let laplace = laplace::audit_laplace(true);
    println!("Laplace mechanisms: {laplace}");
    let cases = local.cases + rappor.cases + laplace.cases;
    println!("{cases} cases in {} s", start.elapsed().as_secs());
    let all = [
        (local.is_clean(), local.to_string()),
        (rappor.is_clean(), rappor.to_string()),
        (laplace.is_clean(), laplace.to_string()),
    ];
    let findings: Vec<_> =
        all.into_iter().filter(|(is_clean, _)| !is_clean).map(|(_, found)| found).collect();
    if findings.is_empty() { Ok(cases) } else { Err(findings) }
}

/// The shipping mechanisms as black boxes. How many there are.
fn subjects_audit() -> Result<u64, Vec<String>> {
    subjects::audit_subjects(|line| println!("{line}"))
}

/// `EPSILON BUCKETS LEFT RIGHT`: [`files::judge_files`], with the buckets separated by commas, or as `@FILE`, one a
/// line. Fails if the claim is contradicted.
///
/// # Errors
///
/// Wrong arguments, or what [`files::judge_files`] refuses.
pub fn files_command(arguments: &[String]) -> Result<ExitCode, Vec<String>> {
    let [claimed, buckets, left, right] = arguments else {
        return Err(vec!["usage: EPSILON a,b,c|@FILE LEFT RIGHT, outcomes one a line".to_owned()]);
    };
    let claimed = claimed.parse().map_err(|_| vec!["EPSILON must be a number".to_owned()])?;
    let buckets = files::read_buckets(buckets).map_err(|error| vec![error.to_string()])?;
    let verdict = files::judge_files(claimed, Some(&buckets), Path::new(left), Path::new(right));
    let verdict = verdict.map_err(|error| vec![error.to_string()])?;
    println!("{verdict}");
    Ok(if verdict.is_violation() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
