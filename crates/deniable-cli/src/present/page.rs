//! Findings as a page of one file: no script, and nothing from a network.

use minijinja::Environment;
use minijinja::value::Serde;
use serde::Serialize;

use super::Findings;
use super::numbers::{confidence, decimal, epsilon, people};
use super::rows::Shown;

/// Its name tells the engine to escape all that is put into it.
const NAME: &str = "page.html";
const TEMPLATE: &str = include_str!("page.html");

/// So many values of a question are shown.
const MOST_VALUES: usize = 200;

/// What the template is filled with.
#[derive(Serialize)]
struct Page<'a> {
    title: &'a str,
    survey: String,
    epsilon: String,
    /// e^ε.
    times: String,
    confidence: String,
    is_sample: bool,
    is_simulated: bool,
    reports: String,
    sections: Vec<Section>,
    version: &'static str,
}

/// A heading, and the questions under it.
#[derive(Serialize)]
struct Section {
    heading: Option<String>,
    questions: Vec<Shown>,
}

pub(super) fn page(findings: &Findings) -> String {
    let all = &findings.all;
    let reports = all.questions.iter().map(|question| question.reports).max().unwrap_or(0);
    let page = Page {
        title: all.title.as_deref().unwrap_or("Survey"),
        survey: all.survey.to_string(),
        epsilon: epsilon(all.epsilon),
        times: decimal(all.epsilon.exp(), if all.epsilon < 3.0 { 1 } else { 0 }),
        confidence: confidence(all.confidence),
        is_sample: all.target == "sample",
        is_simulated: findings.truth.is_some(),
        reports: people(reports as f64),
        sections: sections(findings),
        version: env!("CARGO_PKG_VERSION"),
    };
    let mut environment = Environment::new();
    environment.add_template(NAME, TEMPLATE).expect("a template that is tested");
    let template = environment.get_template(NAME).expect("it was added");
    template.render(Serde(page)).expect("a template that is tested") + "\n"
}

/// All reports, then each group.
fn sections(findings: &Findings) -> Vec<Section> {
    let shown = |(i, question)| Shown::new(question, findings.truth_of(i), MOST_VALUES);
    let heading = findings.by.as_ref().map(|_| "All reports".to_owned());
    let questions = findings.all.questions.iter().enumerate().map(shown).collect();
    let mut sections = vec![Section { heading, questions }];
    for group in &findings.groups {
        let shown = |question| Shown::new(question, None, MOST_VALUES);
        let questions = group.questions.iter().map(shown).collect();
        sections.push(Section { heading: Some(findings.heading(group)), questions });
    }
    sections
}
