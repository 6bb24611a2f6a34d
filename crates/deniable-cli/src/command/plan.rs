//! `deniable plan`.

mod design;

use std::path::PathBuf;

use deniable_arrow::{Question, Survey};
use serde::Serialize;

use super::randomize::read_survey;
use crate::error::Result;
use crate::present::{Look, aligned, decimal, epsilon, json, people, percent, plain, print};
use design::Design;

/// How many candidates a text has of which the survey says nothing.
const CANDIDATES: usize = 100;

/// What a survey will cost and what it can see, before anybody is asked
///
/// For each question its mechanism, what an answer loses (ε), the standard error that is to be expected of an average answer, and the smallest share that is seen with a probability of 80 % where nobody's would be with 5 %, whichever answer it is of. It warns where a question cannot work, and says what would help.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  deniable plan survey.toml --respondents 2000
  deniable plan survey.toml --respondents 2000 --json")]
pub(crate) struct Args {
    /// The survey file
    survey: PathBuf,
    /// How many people will answer
    #[arg(long, short = 'n', value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    respondents: u64,
    /// How many candidates the answers to a text will be looked for among, where the survey lists none
    #[arg(long, default_value_t = CANDIDATES)]
    candidates: usize,
    /// Print JSON in place of a table
    #[arg(long)]
    json: bool,
}

/// This is what `--json` prints.
#[derive(Serialize)]
struct Plan {
    title: Option<String>,
    survey: String,
    respondents: u64,
    /// What a respondent who answers all questions loses.
    epsilon: f64,
    questions: Vec<Planned>,
}

#[derive(Serialize)]
struct Planned {
    name: String,
    kind: &'static str,
    mechanism: String,
    epsilon: f64,
    /// How many shares are estimated; nothing for a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<usize>,
    /// The share whose error it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    typical_share: Option<f64>,
    /// Of such a share, or of the mean at most.
    standard_error: f64,
    /// Nothing if not even all are seen, and for a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    detectable_share: Option<f64>,
    works: bool,
    warnings: Vec<String>,
}

impl Args {
    pub(crate) fn run(self) -> Result<()> {
        let survey = read_survey(&self.survey)?;
        let plan = Plan::new(&survey, self.respondents, self.candidates.max(1))?;
        print(&if self.json { json(&plan) } else { plan.table() })
    }
}

/// The plan of a survey as a table.
pub(crate) fn table(survey: &Survey, respondents: u64) -> Result<String> {
    Ok(Plan::new(survey, respondents, CANDIDATES)?.table())
}

impl Plan {
    fn new(survey: &Survey, respondents: u64, candidates: usize) -> Result<Self> {
        let planned = |question| Planned::new(question, respondents, candidates);
        Ok(Plan {
            title: survey.title().map(str::to_owned),
            survey: survey.fingerprint().to_string(),
            respondents,
            epsilon: survey.epsilon().get(),
            questions: survey.questions().iter().map(planned).collect::<Result<_>>()?,
        })
    }

    fn table(&self) -> String {
        let look = Look::of_terminal();
        let heading = ["question", "kind", "ε", "standard error", "smallest share seen"];
        let rows: Vec<Vec<String>> = self.questions.iter().map(Planned::words).collect();
        let mut text = format!(
            "{}\n{} respondents · ε = {} for who answers all questions\n\n{}",
            look.bold(&plain(self.title.as_deref().unwrap_or("Survey"))),
            people(self.respondents as f64),
            epsilon(self.epsilon),
            aligned(look, &heading, &rows),
        );
        text.push('\n');
        for Planned { name, mechanism, .. } in &self.questions {
            text += &format!("  {}: {}\n", plain(name), plain(mechanism));
        }
        for planned in &self.questions {
            for warning in &planned.warnings {
                text += &format!("\nwarning: {}: {}\n", plain(&planned.name), plain(warning));
            }
        }
        text
    }
}

impl Planned {
    fn new(question: &Question, respondents: u64, candidates: usize) -> Result<Self> {
        let design = Design::of(question.kind(), candidates)?;
        let works = design.works(respondents)?;
        let warnings = if works { vec![] } else { vec![warning(question, &design, respondents)?] };
        Ok(Planned {
            name: question.name().to_owned(),
            kind: question.kind().name(),
            mechanism: question.kind().mechanism(),
            epsilon: question.epsilon().get(),
            values: design.values(),
            typical_share: design.typical_share(),
            standard_error: design.standard_error(respondents)?,
            detectable_share: design.detectable(respondents)?,
            works,
            warnings,
        })
    }

    fn words(&self) -> Vec<String> {
        let (error, seen) = match self.values {
            None => (short(self.standard_error), String::new()),
            Some(_) => (
                short_percent(self.standard_error),
                self.detectable_share.map_or("none".to_owned(), short_percent),
            ),
        };
        vec![self.name.clone(), self.kind.to_owned(), epsilon(self.epsilon), error, seen]
    }
}

/// Why it does not work, and what would help.
fn warning(question: &Question, design: &Design, respondents: u64) -> Result<String> {
    let error = design.standard_error(respondents)?;
    let seen = design.detectable(respondents)?;
    let mut text = match (design.values(), seen) {
        (None, _) => format!(
            "the standard error of the mean is up to {}, more than a tenth of the range of the answers.",
            short(error),
        ),
        (Some(_), Some(share)) if error <= design.largest_error() => {
            format!("only answers with a share of {} or more are seen.", short_percent(share))
        }
        (Some(_), None) => "not even an answer that everybody gives is seen.".to_owned(),
        (Some(values), Some(_)) => format!(
            "the standard error is {}, too large to tell {values} answers apart.",
            short_percent(error),
        ),
    };
    let more = design.respondents_to_work()?.map(|n| format!("{} respondents", people(rounded(n))));
    let looser = design.epsilon_to_work(question.kind(), respondents)?;
    let looser =
        looser.map(|larger| format!("ε = {}", decimal((100.0 * larger).ceil() / 100.0, 2)));
    let help: Vec<String> = more.into_iter().chain(looser).collect();
    text += &match help.as_slice() {
        [] => " Neither more respondents nor a larger ε would help; ask for less: fewer choices."
            .into(),
        help => format!(" It would work with {}.", help.join(", or with ")),
    };
    Ok(text)
}

/// To two digits, and not below.
fn rounded(n: u64) -> f64 {
    let unit = 10u64.pow(n.max(1).ilog10().saturating_sub(1));
    (n.div_ceil(unit) * unit) as f64
}

/// To two digits that count.
fn short(x: f64) -> String {
    decimal(x, (1.0 - x.abs().max(1e-6).log10().floor()).max(0.0) as usize)
}

fn short_percent(share: f64) -> String {
    percent(share, if share < 0.01 { 2 } else { 1 })
}
