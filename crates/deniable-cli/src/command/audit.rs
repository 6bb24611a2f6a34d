//! `deniable audit`: whether a claim about a loss holds, by looking.

mod certificate;
mod look;

use std::io::Write;
use std::path::PathBuf;

use deniable_audit::black_box::{Verdict, trials_for};
use deniable_audit::files::{Problem, judge_files, read_buckets};

use self::certificate::Certificate;
use super::mechanism::Mechanism;
use crate::error::{Error, Kind, Result};
use crate::files::Atomic;
use crate::output::print;

/// Check a mechanism, or the outcomes of any program, against a claim
///
/// Where the law of the program can be enumerated, the worst ratio of the probabilities of an output over all pairs of inputs is computed as a rational number and compared with the claim. Elsewhere that is done for the stated law, if there is one, and the program is run many times on two inputs: exact binomial bounds of what is seen give a lower bound of ε, which is wrong at most once in 10⁹ audits. A lower bound below the claim is no proof of the claim.
///
/// Exits with 5 if the claim does not hold.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
    /// Judge this ε, and not what the mechanism claims
    #[arg(long, global = true, value_name = "EPSILON")]
    claim: Option<f64>,
    /// Run the mechanism so often on each of two inputs, also if its law can be enumerated
    #[arg(long, global = true, value_name = "N")]
    samples: Option<u64>,
    /// Look at so many reports of each client of RAPPOR, from 1 to 64, and not at one
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    reports: Option<u8>,
    /// Write what was found as JSON; a file that exists is not written over
    #[arg(long, global = true, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  deniable audit randomized-response-bool --prob 0.75
  deniable audit unary-encoding --categories 10 --one 0.5 --zero 0.25 --certificate audit.json
  deniable audit laplace --scale 2 --sensitivity 1 --samples 1000000
  deniable audit rappor --bits 16 -f 0.5 --reports 2
  deniable audit files 1.0 with-ann.txt without-ann.txt";

#[derive(Debug, clap::Subcommand)]
enum What {
    #[command(flatten)]
    Mechanism(Mechanism),
    Files(Files),
}

/// Two files of outcomes, one a line, of any program on two neighbouring inputs
///
/// Each line is the outcome of one run, and runs are independent. The outcomes that are told apart must be decided without a look at those that are counted: name them with --buckets, or the first tenth of each file is for that, and is not counted.
#[derive(Debug, clap::Args)]
struct Files {
    /// The ε that is claimed
    epsilon: f64,
    /// Outcomes of the one input
    left: PathBuf,
    /// Outcomes of the other
    right: PathBuf,
    /// The outcomes that are told apart, separated by commas, or @FILE with one a line; all others are one
    #[arg(long)]
    buckets: Option<String>,
}

impl Args {
    pub(crate) fn run(self) -> Result<()> {
        let certificate = match &self.what {
            What::Mechanism(mechanism) => self.mechanism(mechanism)?,
            What::Files(files) => self.files(files)?,
        };
        if let Some(path) = &self.certificate {
            let mut file = Atomic::create(path)?;
            writeln!(file, "{}", certificate.json()).map_err(|error| Error::io(path, &error))?;
            file.finish()?;
        }
        match self.json {
            true => print(format!("{}\n", certificate.json()))?,
            false => print(format!("{certificate}\n"))?,
        }
        if certificate.is_violation() {
            return Err(Error::new(Kind::Violated, "the claim does not hold"));
        }
        Ok(())
    }

    fn mechanism(&self, mechanism: &Mechanism) -> Result<Certificate> {
        if self.reports.is_some() && !matches!(mechanism, Mechanism::Rappor { .. }) {
            return Err(Error::refused(
                "--reports: other mechanisms report once; accepted is rappor with it",
            ));
        }
        let mut look = mechanism.look(self.reports.unwrap_or(1).into())?;
        if let Some(claim) = self.claim {
            look.claim(claim)?;
        }
        let claimed = look.subject.claimed.get();
        let exact = look.exact.map(|exact| exact.judged(claimed));
        let is_enumerated = exact.as_ref().is_some_and(|exact| exact.is_enumerated);
        let (inputs, seen) = (look.subject.inputs.clone(), look.subject.seen);
        let sampled = match self.samples {
            None if is_enumerated => None,
            samples => Some(sample(look.subject, samples.unwrap_or(trials(claimed)))?),
        };
        let mut subject = mechanism.described();
        if let Some(reports) = self.reports {
            subject["reports"] = reports.into();
        }
        Ok(Certificate { subject, inputs, seen, claimed, exact, sampled })
    }

    fn files(&self, files: &Files) -> Result<Certificate> {
        if self.claim.is_some() || self.samples.is_some() || self.reports.is_some() {
            return Err(Error::refused(
                "files: --claim, --samples and --reports are for mechanisms; accepted is EPSILON, and as many lines as there are",
            ));
        }
        let told = |problem: Problem| match problem {
            Problem::Unreadable(message) => Error::new(Kind::Failed, message),
            other => Error::refused(other.to_string()),
        };
        let buckets = files.buckets.as_deref().map(read_buckets).transpose().map_err(told)?;
        let (left, right) = (&files.left, &files.right);
        let verdict = judge_files(files.epsilon, buckets.as_deref(), left, right).map_err(told)?;
        let inputs = [left, right].map(|path| path.display().to_string());
        let subject = serde_json::json!({ "files": inputs, "buckets": buckets });
        let claimed = files.epsilon;
        Ok(Certificate {
            subject,
            inputs,
            seen: "a line",
            claimed,
            exact: None,
            sampled: Some(verdict),
        })
    }
}

fn sample(subject: deniable_audit::subject::Subject, samples: u64) -> Result<Verdict> {
    let no_entropy = deniable::Error::from(deniable::sample::Error::entropy_unavailable());
    subject.audit(samples).map_err(|problem| match problem == no_entropy.to_string() {
        true => no_entropy.into(),
        false => Error::refused(problem),
    })
}

/// So many that a loss of a twentieth too much is found, within limits of time; where everything or nothing is claimed there is no such number.
fn trials(claimed: f64) -> u64 {
    if claimed == 0.0 || claimed.is_infinite() {
        return 100_000;
    }
    trials_for(claimed).clamp(100_000, 10_000_000)
}
