//! The settings that the reference decoder was run on.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::path::Path;

use deniable::rappor::files::{ResultRow, read_results};
use deniable::rappor::{CandidateMap, Params};

/// Their names.
pub const NAMES: [&str; 4] =
    ["r-unif-small-typical", "r-exp-small-typical", "r-zipf1.5-small-over_x10", "demo3-fast"];

/// How many strings there are of each, those that do not occur included.
const STRINGS: [usize; 4] = [120, 120, 1100, 200];

/// A setting with its truth.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Params,
    /// What the decoder is given.
    pub candidates: CandidateMap,
    /// How many respondents have each candidate.
    pub truth: Vec<u64>,
    /// How many have none of them.
    pub outside: u64,
    /// The number of respondents, and the bits, of each string that occurs.
    pub strings: Vec<(u64, Vec<usize>)>,
    /// What the reference found.
    pub reference: Reference,
}

/// What the reference's decoder found in one collection.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    /// How many candidates it detected.
    pub detected: usize,
    /// How many of them do not occur.
    pub false_positives: usize,
    /// Half the sum of the distances between its shares and the true ones, over all strings.
    pub distance: f64,
    /// Its mean standard error of a share that it detected.
    pub error: f64,
    /// The share of its 95 % intervals that hold the truth.
    pub covered: f64,
}

impl Setting {
    /// One of [`NAMES`], from its files.
    ///
    /// # Errors
    ///
    /// Another name; a file that cannot be read, or does not look as expected.
    pub fn read(folder: &Path, name: &str) -> Result<Self, String> {
        let place = NAMES.iter().position(|known| *known == name).ok_or("no such setting")?;
        let path = |part: &str| folder.join(format!("{name}_{part}.csv"));
        let open = |part: &str| {
            File::open(path(part)).map_err(|error| format!("{}: {error}", path(part).display()))
        };
        let say = |error: deniable::Error| format!("{name}: {error}");
        let params = Params::read_csv(open("params")?).map_err(say)?;
        let results = read_results(open("R_results")?).map_err(say)?;
        let histogram = fs::read_to_string(path("hist")).map_err(|error| error.to_string())?;
        let histogram = read_histogram(&histogram).ok_or("no histogram")?;
        let reference = Reference::new(&results, &histogram);

        let all: Vec<String> = (1..=STRINGS[place]).map(|i| format!("v{i}")).collect();
        let is_left_out = |string: &String| histogram.contains_key(string) && string.ends_with('9');
        let listed: Vec<String> = all.iter().filter(|s| !is_left_out(s)).cloned().collect();
        let count = |string: &String| histogram.get(string).copied().unwrap_or(0);
        let truth: Vec<u64> = listed.iter().map(count).collect();
        let candidates = CandidateMap::of_reference(&params, &listed).map_err(say)?;
        let occurring: Vec<String> = all.into_iter().filter(|string| count(string) > 0).collect();
        let filters = CandidateMap::of_reference(&params, &occurring).map_err(say)?;
        let string =
            |(i, string): (usize, &String)| (count(string), filters.rows_of(i).collect::<Vec<_>>());
        Ok(Setting {
            name: name.into(),
            params,
            candidates,
            outside: histogram.values().sum::<u64>() - truth.iter().sum::<u64>(),
            strings: occurring.iter().enumerate().map(string).collect(),
            truth,
            reference,
        })
    }

    /// The number of respondents.
    pub fn respondents(&self) -> u64 {
        self.strings.iter().map(|(count, _)| count).sum()
    }

    /// The true share of each candidate.
    pub fn shares(&self) -> Vec<f64> {
        self.truth.iter().map(|&count| count as f64 / self.respondents() as f64).collect()
    }

    /// The distance between shares of the candidates and the true ones, over all strings.
    pub fn distance(&self, shares: &[f64]) -> f64 {
        let outside = self.outside as f64 / self.respondents() as f64;
        let apart = |(a, b): (&f64, f64)| (a - b).abs();
        0.5 * (outside + shares.iter().zip(self.shares()).map(apart).sum::<f64>())
    }
}

impl Reference {
    fn new(results: &[ResultRow], histogram: &HashMap<String, u64>) -> Self {
        let total = histogram.values().sum::<u64>() as f64;
        let shares: HashMap<&String, f64> =
            results.iter().map(|row| (&row.string, row.proportion)).collect();
        let strings: HashSet<&String> = histogram.keys().chain(shares.keys().copied()).collect();
        let truth = |string: &String| histogram.get(string).copied().unwrap_or(0) as f64 / total;
        let apart =
            |string: &&String| (truth(string) - shares.get(string).copied().unwrap_or(0.0)).abs();
        let holds =
            |row: &&ResultRow| (row.prop_low_95..=row.prop_high_95).contains(&truth(&row.string));
        let errors: f64 = results.iter().map(|row| row.prop_std_error).sum();
        Reference {
            detected: results.len(),
            false_positives: shares.keys().filter(|s| !histogram.contains_key(**s)).count(),
            distance: 0.5 * strings.iter().map(apart).sum::<f64>(),
            error: errors / results.len() as f64,
            covered: results.iter().filter(holds).count() as f64 / results.len() as f64,
        }
    }
}

fn read_histogram(text: &str) -> Option<HashMap<String, u64>> {
    let line = |line: &str| {
        let (string, count) = line.split_once(',')?;
        Some((string.trim_matches('"').to_owned(), count.parse().ok()?))
    };
    text.lines().skip(1).map(line).collect()
}
