//! The survey file.
#![no_main]

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::DataType;
use deniable_arrow::{How, Survey};
use deniable_fuzz::mechanism::check_loss;
use deniable_fuzz::planted;
use libfuzzer_sys::fuzz_target;

/// Longer reports than these take long to make.
const SMALL: usize = 1 << 10;

fuzz_target!(|text: &str| {
    planted::parser(text);
    let Ok(survey) = Survey::parse(text) else { return };
    check_loss(survey.epsilon().get());
    assert!(survey.questions().iter().all(|question| question.epsilon().is_finite()));
    let again = Survey::parse(text).expect("what was accepted");
    assert_eq!(survey.fingerprint(), again.fingerprint(), "another fingerprint");
    let size = |data_type| match data_type {
        DataType::FixedSizeBinary(length) => length as usize,
        _ => 8,
    };
    let sizes = survey.questions().iter().map(|question| size(question.kind().report_type()));
    if sizes.sum::<usize>() > SMALL || text.contains("cohorts") {
        return;
    }
    let names = survey.questions().iter().map(|question| question.name());
    let names = names.chain(survey.public().iter().map(String::as_str)).chain(survey.id());
    let column = || Arc::new(StringArray::from(vec![Some("yes"), Some("1.5"), None])) as ArrayRef;
    let answers = RecordBatch::try_from_iter(names.map(|name| (name, column())));
    let reports = survey.randomize(&answers.expect("columns")).expect("answers of any kind");
    let mut counts = survey.counts();
    survey.count(&reports, &mut counts).expect("reports of this survey");
    let estimate = survey.estimate(&counts, &How::default());
    if let Ok(estimate) = estimate {
        assert_eq!(estimate.questions.len(), survey.questions().len());
    }
});
