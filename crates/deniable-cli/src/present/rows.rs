//! A question in rows of words and places, for whatever shows them.

use deniable_arrow::{MeanEstimate, QuestionEstimate, ValueEstimate};
use serde::Serialize;

use super::numbers::{decimal, digits, epsilon, people, percent};

/// Where an axis of shares may end.
const TOPS: [f64; 12] = [0.01, 0.02, 0.04, 0.06, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0];

/// A question as it is shown.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) kind: &'static str,
    pub(super) mechanism: String,
    pub(super) epsilon: String,
    pub(super) reports: String,
    /// Whether it is a mean and not shares.
    pub(super) is_mean: bool,
    pub(super) has_truth: bool,
    pub(super) rows: Vec<Row>,
    /// What is written at the start, the middle and the end of the axis.
    pub(super) ticks: [String; 3],
    pub(super) notes: Vec<String>,
}

/// A value.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) value: String,
    pub(super) estimate: String,
    pub(super) low: String,
    pub(super) high: String,
    /// Of shares, how many respondents that is, and whether it is more than nobody.
    pub(super) count: Option<String>,
    pub(super) is_detected: Option<bool>,
    pub(super) truth: Option<String>,
    pub(super) is_held: Option<bool>,
    pub(super) at: Places,
}

/// Places on the axis, from 0 to 1.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Places {
    pub(super) estimate: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) truth: Option<f64>,
}

impl Shown {
    /// With the `most` largest values, if there are more of them. Those of a text come with the largest first, the others in the order of the survey.
    pub(super) fn new(question: &QuestionEstimate, truth: Option<&[f64]>, most: usize) -> Self {
        let mut shown = Shown {
            name: question.name.clone(),
            text: question.text.clone(),
            kind: question.kind,
            mechanism: question.mechanism.clone(),
            epsilon: epsilon(question.epsilon),
            reports: people(question.reports as f64),
            is_mean: false,
            has_truth: truth.is_some(),
            rows: Vec::new(),
            ticks: Default::default(),
            notes: question.notes.clone(),
        };
        match &question.mean {
            Some(mean) => shown.add_mean(mean, truth.map(|truth| truth[0])),
            None => shown.add_shares(question, truth, most),
        }
        shown
    }

    fn add_mean(&mut self, mean: &MeanEstimate, truth: Option<f64>) {
        let digits = digits(mean.standard_error, 0);
        let number = |x: f64| decimal(x, digits);
        let MeanEstimate { lowest, highest, .. } = *mean;
        let place = |x: f64| ((x - lowest) / (highest - lowest)).clamp(0.0, 1.0);
        self.is_mean = true;
        self.ticks = [lowest, lowest / 2.0 + highest / 2.0, highest].map(short);
        self.rows = vec![Row {
            value: "mean".into(),
            estimate: number(mean.mean),
            low: number(mean.low),
            high: number(mean.high),
            count: None,
            is_detected: None,
            truth: truth.map(number),
            is_held: truth.map(|truth| (mean.low..=mean.high).contains(&truth)),
            at: Places {
                estimate: place(mean.mean),
                low: place(mean.low),
                high: place(mean.high),
                truth: truth.map(place),
            },
        }];
    }

    fn add_shares(&mut self, question: &QuestionEstimate, truth: Option<&[f64]>, most: usize) {
        let values = question.values.iter().enumerate();
        let mut values: Vec<(&ValueEstimate, Option<f64>)> =
            values.map(|(i, value)| (value, truth.map(|truth| truth[i]))).collect();
        let left_out = values.len().saturating_sub(most);
        if question.kind == "text" || left_out > 0 {
            values.sort_by(|(a, _), (b, _)| b.share.total_cmp(&a.share));
            values.truncate(most);
        }
        let largest = values.iter().map(|(value, truth)| value.high.max(truth.unwrap_or(0.0)));
        let largest = largest.fold(0.0, f64::max);
        let top = TOPS.into_iter().find(|&top| largest <= top).unwrap_or(1.0);
        let errors = values.iter().map(|(value, _)| 100.0 * value.standard_error);
        let digits = digits(errors.fold(f64::INFINITY, f64::min), 1);
        self.ticks = [0.0, top / 2.0, top].map(|share| short(100.0 * share) + "\u{a0}%");
        self.rows = values.iter().map(|&(value, truth)| share(value, truth, top, digits)).collect();
        if left_out > 0 {
            self.notes.push(format!(
                "{} values with smaller shares are not shown; --json and --csv have all of them.",
                people(left_out as f64),
            ));
        }
        if let Some(fit) = &question.fit {
            self.notes.push(format!(
                "No candidate explains {} of the answers (interval {} to {}).",
                percent(fit.unexplained, digits),
                percent(fit.unexplained_low, digits),
                percent(fit.unexplained_high, digits),
            ));
        }
    }
}

fn share(value: &ValueEstimate, truth: Option<f64>, top: f64, digits: usize) -> Row {
    let place = |share: f64| (share / top).clamp(0.0, 1.0);
    Row {
        value: value.value.clone(),
        estimate: percent(value.share, digits),
        low: percent(value.low, digits),
        high: percent(value.high, digits),
        count: Some(people(value.count)),
        is_detected: Some(value.detected),
        truth: truth.map(|truth| percent(truth, digits)),
        is_held: truth.map(|truth| (value.low..=value.high).contains(&truth)),
        at: Places {
            estimate: place(value.share),
            low: place(value.low),
            high: place(value.high),
            truth: truth.map(place),
        },
    }
}

/// A number at an axis.
fn short(x: f64) -> String {
    let text = decimal(x, 2);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
