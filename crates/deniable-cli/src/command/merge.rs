//! `deniable merge`.

use std::path::PathBuf;

use super::count::{check_name, read_counts, write_counts};
use super::randomize::read_survey;
use crate::error::{Error, Result};
use crate::files::expand;

/// Add up counts made apart
///
/// The sum is that of all reports counted at once, exactly; of numbers but for the rounding of floats. The same file twice is counted twice.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  deniable merge survey.toml 1.counts.json 2.counts.json -o all.counts.json
  deniable merge survey.toml 'from-*/part.counts.json' -o all.counts.json")]
pub(crate) struct Args {
    /// The survey file
    survey: PathBuf,
    /// Files of counts, as `deniable count` writes them, or patterns
    #[arg(required = true)]
    parts: Vec<String>,
    /// Where the sum goes, a name that ends with .counts.json, or - for the standard output; a file that exists is not written over
    #[arg(short, long)]
    output: PathBuf,
}

impl Args {
    pub(crate) fn run(self) -> Result<()> {
        check_name(&self.output)?;
        let survey = read_survey(&self.survey)?;
        let mut counts = survey.counts();
        for path in expand(&self.parts)? {
            let part = read_counts(&path)?;
            counts.merge(&part).map_err(|error| Error::from(error).of_file(&path))?;
        }
        write_counts(&self.output, &counts)
    }
}
