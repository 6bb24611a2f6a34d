//! `deniable rappor`: texts that nobody listed before, on the files of the reference implementation.

mod decode;
mod encode;
mod reports;
mod secret;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use deniable::rappor::{CandidateMap, CohortCounts, Params};

use crate::error::{Error, Result};
use crate::files::{Atomic, Format, expand};

/// RAPPOR on the files of the reference implementation
///
/// Parameters, reports, counts, maps of candidates and results are those that the programs of github.com/google/rappor read and write.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    step: Step,
}

const EXAMPLES: &str = "\
Examples:
  deniable rappor encode --params params.csv answers.csv --secret-file key -o reports.csv
  deniable rappor count --params params.csv reports.csv -o counts.csv
  deniable rappor map --params params.csv candidates.txt -o map.csv
  deniable rappor decode --params params.csv --counts counts.csv --map map.csv";

#[derive(Debug, clap::Subcommand)]
enum Step {
    Encode(encode::Args),
    Count(Count),
    Map(Map),
    Decode(decode::Args),
}

impl Args {
    pub(crate) fn run(self) -> Result<()> {
        match self.step {
            Step::Encode(args) => args.run(),
            Step::Count(args) => args.run(),
            Step::Map(args) => args.run(),
            Step::Decode(args) => args.run(),
        }
    }
}

/// Count the ones of each bit of each cohort
#[derive(Debug, clap::Args)]
struct Count {
    /// The file of parameters: k,h,m,p,q,f and a line of numbers
    #[arg(long, value_name = "FILE")]
    params: PathBuf,
    /// Files of reports with the columns cohort and irr
    #[arg(required = true)]
    reports: Vec<String>,
    /// Where the counts go, or - for the standard output; a file that exists is not written over
    #[arg(short, long)]
    output: PathBuf,
    /// The format of the reports, if their names do not say it
    #[arg(long)]
    format: Option<Format>,
}

impl Count {
    fn run(self) -> Result<()> {
        let params = read_params(&self.params)?;
        let mut counts = CohortCounts::new(&params);
        for path in expand(&self.reports)? {
            reports::count(&path, self.format, &params, &mut counts)?;
        }
        write(&self.output, |file| counts.write_csv(file))
    }
}

/// The bits that candidates set, for the decoder
#[derive(Debug, clap::Args)]
struct Map {
    /// The file of parameters: k,h,m,p,q,f and a line of numbers
    #[arg(long, value_name = "FILE")]
    params: PathBuf,
    /// The candidates, one a line; lines that are empty do not count
    candidates: PathBuf,
    /// Where the map goes, or - for the standard output; a file that exists is not written over
    #[arg(short, long)]
    output: PathBuf,
    /// Hash as the reference implementation does, for reports of its clients and of encode --reference
    #[arg(long)]
    reference: bool,
}

impl Map {
    fn run(self) -> Result<()> {
        let params = read_params(&self.params)?;
        let text = std::fs::read_to_string(&self.candidates)
            .map_err(|error| Error::io(&self.candidates, &error))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let names = text.lines().filter(|name| !name.is_empty());
        let map = match self.reference {
            true => CandidateMap::of_reference(&params, names),
            false => CandidateMap::new(&params, names),
        };
        let map = map.map_err(|error| of_file(&self.candidates, &error))?;
        write(&self.output, |file| map.write_csv(file))
    }
}

fn read_params(path: &Path) -> Result<Params> {
    read(path, |bytes| Params::read_csv(bytes))
}

/// Reads one of the reference's files.
fn read<T>(path: &Path, read: impl FnOnce(&[u8]) -> deniable::Result<T>) -> Result<T> {
    let bytes = std::fs::read(path).map_err(|error| Error::io(path, &error))?;
    read(&bytes).map_err(|error| of_file(path, &error))
}

/// Writes one of them, whole or not at all.
fn write(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut file = Atomic::create(path)?;
    write(&mut file).map_err(|error| Error::io(path, &error))?;
    file.finish()
}

fn of_file(path: &Path, error: &deniable::Error) -> Error {
    Error::refused(format!("{}: {error}", path.display()))
}
