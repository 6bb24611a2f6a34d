//! What an audit found, for people and for programs.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use deniable_audit::black_box::{FALSE_ALARM, Verdict};
use serde_json::{Value, json};

use super::look::Judged;

/// What was looked at, and what came out.
pub(super) struct Certificate {
    /// Name and parameters, or the names of files.
    pub(super) subject: Value,
    /// The two inputs that runs are of.
    pub(super) inputs: [String; 2],
    /// What an outcome is, in words.
    pub(super) seen: &'static str,
    pub(super) claimed: f64,
    pub(super) exact: Option<Judged>,
    pub(super) sampled: Option<Verdict>,
}

impl Certificate {
    /// Whether anything contradicts the claim.
    pub(super) fn is_violation(&self) -> bool {
        self.exact.as_ref().is_some_and(|exact| exact.slack.is_none())
            || self.sampled.as_ref().is_some_and(Verdict::is_violation)
    }

    pub(super) fn json(&self) -> String {
        let exact = self.exact.as_ref().map(|exact| {
            json!({
                "law": if exact.is_enumerated { "enumerated" } else { "stated" },
                "rests_on": exact.basis,
                "epsilon": number(exact.epsilon),
                "claim_above_it_in_ulps": exact.slack.map(number),
                "holds": exact.slack.is_some(),
            })
        });
        let sampled = self.sampled.as_ref().map(|verdict| {
            let witness = verdict.bound.witness.as_ref().map(|witness| {
                json!({
                    "outcomes": witness.outcomes,
                    "likelier_input": self.inputs[usize::from(!witness.left_is_likelier)],
                    "at_least": witness.at_least,
                    "at_most_on_the_other": witness.at_most,
                })
            });
            json!({
                "inputs": self.inputs,
                "an_outcome_is": self.seen,
                "runs": [verdict.trials.0, verdict.trials.1],
                "confidence": 1.0 - FALSE_ALARM,
                "epsilon_at_least": verdict.bound.epsilon,
                "witness": witness,
                "holds": !verdict.is_violation(),
            })
        });
        let whole = json!({
            "audit": self.subject,
            "claimed_epsilon": number(self.claimed),
            "exact": exact,
            "sampled": sampled,
            "violated": self.is_violation(),
            "version": env!("CARGO_PKG_VERSION"),
            "date": date(SystemTime::now()),
        });
        format!("{whole:#}")
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "claimed: ε = {}", self.claimed)?;
        if let Some(exact) = &self.exact {
            let holds = match exact.slack {
                Some(0.0) => "the claim holds with equality".to_owned(),
                Some(slack) if slack.is_finite() => {
                    format!("the claim holds, and is {slack:.2} units of its last place above it")
                }
                Some(_) => "the claim holds".to_owned(),
                None => "THE CLAIM IS VIOLATED".to_owned(),
            };
            write!(f, "\nexact:   ε = {}; {holds}\n         by {}", exact.epsilon, exact.basis)?;
        }
        if let Some(verdict) = &self.sampled {
            let [left, right] = &self.inputs;
            write!(f, "\nsampled: {verdict}\n         left is {left}, right is {right}; ")?;
            write!(f, "an outcome is {}", self.seen)?;
        }
        Ok(())
    }
}

/// JSON has no infinity.
fn number(x: f64) -> Value {
    if x.is_finite() { json!(x) } else { json!("infinite") }
}

/// Year, month, day and time of day of the universal time.
fn date(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let (mut year, mut day) = (1970, days);
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// By `date -u -d @SECONDS`.
    #[test]
    fn dates_that_are_known() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_798_761_599, "2026-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(date(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
    }
}
