//! Findings as comma-separated values.

use deniable_arrow::QuestionEstimate;

use super::Findings;

const COLUMNS: [&str; 11] = [
    "question",
    "kind",
    "measure",
    "value",
    "estimate",
    "low",
    "high",
    "standard_error",
    "count",
    "detected",
    "reports",
];

/// A line for each value of each question. With groups the first column says which, and there are no lines of all reports together.
pub(super) fn csv(findings: &Findings) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let by = findings.by.as_deref();
    let mut write = |line: Vec<String>| writer.write_record(line).expect("memory can be written");
    write(by.map(unlike_a_formula).into_iter().chain(COLUMNS.map(str::to_owned)).collect());
    if by.is_none() {
        lines(None, &findings.all.questions).for_each(&mut write);
    }
    for group in &findings.groups {
        lines(Some(group.group.as_deref().unwrap_or("")), &group.questions).for_each(&mut write);
    }
    let bytes = writer.into_inner().expect("memory can be written");
    String::from_utf8(bytes).expect("texts were written")
}

fn lines<'a>(
    group: Option<&'a str>,
    questions: &'a [QuestionEstimate],
) -> impl Iterator<Item = Vec<String>> + 'a {
    questions.iter().flat_map(move |question| {
        let line = |measure: &str, value: &str, numbers: [Option<f64>; 5], detected: &str| {
            let [estimate, low, high, error, count] =
                numbers.map(|x| x.map_or(String::new(), |x| x.to_string()));
            let words = [&question.name, question.kind, measure, value].map(unlike_a_formula);
            let rest = [estimate, low, high, error, count, detected.to_owned()];
            let group = group.map(unlike_a_formula);
            let reports = question.reports.to_string();
            group.into_iter().chain(words).chain(rest).chain([reports]).collect::<Vec<String>>()
        };
        let shares = question.values.iter().map(|value| {
            let numbers = [value.share, value.low, value.high, value.standard_error, value.count];
            let detected = if value.detected { "true" } else { "false" };
            line("share", &value.value, numbers.map(Some), detected)
        });
        let mean = question.mean.iter().map(|mean| {
            let numbers = [mean.mean, mean.low, mean.high, mean.standard_error].map(Some);
            line("mean", "", [numbers[0], numbers[1], numbers[2], numbers[3], None], "")
        });
        let unexplained = question.fit.iter().map(|fit| {
            let [share, low, high] = [fit.unexplained, fit.unexplained_low, fit.unexplained_high];
            line("unexplained", "", [Some(share), Some(low), Some(high), None, None], "")
        });
        shares.chain(mean).chain(unexplained).collect::<Vec<_>>()
    })
}

/// A text that a spreadsheet does not compute: names come from the survey, and groups from whoever wrote the public column.
fn unlike_a_formula(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if is_formula && text.parse::<f64>().is_err() { format!("'{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_a_formula() {
        for text in ["", "a", "a=b", "-1", "+1.5e3", "'=a", " =1"] {
            assert_eq!(unlike_a_formula(text), text);
        }
        for text in
            ["=1", "=HYPERLINK(\"x\")", "+a", "-a", "-", "--1", "@a", "\t=1", "\r=1", "-1+2"]
        {
            assert_eq!(unlike_a_formula(text), format!("'{text}"));
        }
    }
}
