//! The black-box auditor on files of outcomes, one a line, that any program can write.

use core::fmt;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use crate::black_box::{Counts, Verdict, judge};

/// The most outcomes that are told apart where nobody named them: each costs a little power.
pub const MOST_BUCKETS: usize = 64;

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// A file cannot be read, or not to its end.
    Unreadable(String),
    /// What [`judge`] says of the claim and the counts.
    Refused(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Unreadable(text) | Problem::Refused(text) => f.write_str(text),
        }
    }
}

impl core::error::Error for Problem {}

/// Judges a claim by two files of outcomes.
///
/// The buckets must be decided before anything is counted. Where they are not given, the first tenth of each file is for
/// that alone: its most frequent outcomes are the buckets, and only what follows is counted.
///
/// # Errors
///
/// A file that cannot be read, or what [`judge`] refuses.
pub fn judge_files(
    claimed: f64,
    buckets: Option<&[String]>,
    left: &Path,
    right: &Path,
) -> Result<Verdict, Problem> {
    let (buckets, skipped) = match buckets {
        Some(buckets) => (buckets.to_vec(), [0, 0]),
        None => first_tenths([left, right])?,
    };
    let count = |path: &Path, skipped: usize| {
        let mut counts = Counts::new(buckets.clone());
        for (place, line) in lines(path)?.enumerate() {
            let line = line?;
            if place >= skipped {
                counts.add(&line, 1);
            }
        }
        Ok::<_, Problem>(counts)
    };
    judge(claimed, &count(left, skipped[0])?, &count(right, skipped[1])?).map_err(Problem::Refused)
}

/// Buckets as they are named on a command line: separated by commas, or as `@FILE`, one a line.
///
/// # Errors
///
/// A file that cannot be read.
pub fn read_buckets(text: &str) -> Result<Vec<String>, Problem> {
    let Some(path) = text.strip_prefix('@') else {
        return Ok(text.split(',').map(str::to_owned).collect());
    };
    lines(Path::new(path))?.collect()
}

/// The most frequent outcomes of the first tenth of each file, and how many lines that is.
fn first_tenths(paths: [&Path; 2]) -> Result<(Vec<String>, [usize; 2]), Problem> {
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    let mut skipped = [0, 0];
    for (path, skipped) in paths.into_iter().zip(&mut skipped) {
        let mut all = 0;
        for line in lines(path)? {
            line?;
            all += 1;
        }
        *skipped = all / 10;
        for line in lines(path)?.take(*skipped) {
            *seen.entry(line?).or_default() += 1;
        }
    }
    let mut buckets: Vec<(String, u64)> = seen.into_iter().collect();
    buckets.sort_by_key(|&(_, times)| core::cmp::Reverse(times));
    buckets.truncate(MOST_BUCKETS);
    Ok((buckets.into_iter().map(|(outcome, _)| outcome).collect(), skipped))
}

fn lines(path: &Path) -> Result<impl Iterator<Item = Result<String, Problem>>, Problem> {
    // Not the error's own text, which may have data in it.
    let unreadable =
        |error: io::Error| Problem::Unreadable(format!("{}: {}", path.display(), error.kind()));
    let file = File::open(path).map_err(unreadable)?;
    Ok(BufReader::new(file).lines().map(move |line| line.map_err(unreadable)))
}
