//! `deniable map`.

use super::mechanism::Mechanism;
use crate::error::Result;
use crate::output::print;

/// The ε of a mechanism with given parameters
///
/// It is a bound of what is lost, rounded up: the digits that are printed are not below it. In JSON it is the float, and null where there is no bound.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    mechanism: Mechanism,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  deniable map randomized-response-bool --prob 0.75
  deniable map randomized-response --categories 4 --prob 0.8
  deniable map laplace --sensitivity 1 --scale 2 --json
  deniable map laplace --sensitivity 1 --scale 2 --size 3 -k 0
  deniable map rappor --bits 128 --hashes 2 --cohorts 64 -p 0.25 -q 0.75 -f 0.5";

impl Args {
    pub(crate) fn run(self) -> Result<()> {
        print(self.mechanism.facts()?.text(self.json))
    }
}
