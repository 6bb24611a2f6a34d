//! Counts of one survey and of no other.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, RecordBatch};

use super::*;
use crate::{ErrorKind, How};

fn survey(prob: f64) -> Survey {
    Survey::parse(&format!("version = 1\n[[question]]\nname = \"q\"\nkind = \"yes-no\"\nprob = {prob}\n[[question]]\nname = \"n\"\nkind = \"number\"\nlow = 0\nhigh = 1\nscale = 1")).unwrap()
}

fn reports(survey: &Survey, rows: usize) -> RecordBatch {
    let yes = Arc::new(BooleanArray::from(vec![true; rows])) as ArrayRef;
    let answers = RecordBatch::try_from_iter([("q", yes.clone()), ("n", yes)]).unwrap();
    survey.randomize(&answers).unwrap()
}

#[test]
fn reports_of_another_survey_are_refused() {
    let (one, other) = (survey(0.75), survey(0.8));
    let mut counts = one.counts();
    let error = one.count(&reports(&other, 3), &mut counts).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Reports);
    assert!(error.to_string().contains(&one.fingerprint().to_string()));
    let bare = reports(&one, 3);
    let schema = bare.schema().as_ref().clone().with_metadata(Default::default());
    let bare = RecordBatch::try_new(Arc::new(schema), bare.columns().to_vec()).unwrap();
    let error = one.count(&bare, &mut counts).unwrap_err();
    assert!(error.to_string().contains("do not say which survey"));
    assert_eq!(counts, one.counts());
    assert!(one.count(&reports(&one, 3), &mut other.counts()).is_err());
    assert!(counts.merge(&other.counts()).is_err());
    assert!(one.estimate(&other.counts(), &How::default()).is_err());
}

#[test]
fn counts_are_written_and_read() {
    let survey = survey(0.75);
    let mut counts = survey.counts();
    survey.count(&reports(&survey, 1000), &mut counts).unwrap();
    let text = serde_json::to_string(&counts).unwrap();
    assert_eq!(serde_json::from_str::<SurveyCounts>(&text).unwrap(), counts);
    // What was not counted is not read, or refused by the survey.
    for (from, to) in [
        ("\"count\":1000", "\"count\":0"),
        ("\"reports\":1000", "\"reports\":0"),
        ("survey", "servey"),
    ] {
        assert!(text.contains(from));
        assert!(serde_json::from_str::<SurveyCounts>(&text.replace(from, to)).is_err(), "{to}");
    }
    let renamed: SurveyCounts = serde_json::from_str(&text.replace("\"q\"", "\"p\"")).unwrap();
    assert!(survey.estimate(&renamed, &How::default()).is_err());
    assert!(counts.clone().merge(&renamed).is_err());
}

#[test]
fn a_failure_in_the_second_question_leaves_the_first_as_it_was() {
    let survey = survey(0.75);
    let good = reports(&survey, 2);
    let bad = Arc::new(arrow_array::Float64Array::from(vec![0.0, f64::NAN])) as ArrayRef;
    let bad = RecordBatch::try_new(good.schema(), vec![good.column(0).clone(), bad]).unwrap();
    let mut counts = survey.counts();
    assert!(survey.count(&bad, &mut counts).is_err());
    assert_eq!(counts, survey.counts());
}

/// Squares without end are written as nothing, and were not read again: nobody's report would have been of use.
#[test]
fn a_report_that_cannot_be_added_up_is_none() {
    let survey = survey(0.75);
    let with = |number: f64| {
        let good = reports(&survey, 2);
        let numbers = Arc::new(arrow_array::Float64Array::from(vec![0.0, number])) as ArrayRef;
        RecordBatch::try_new(good.schema(), vec![good.column(0).clone(), numbers]).unwrap()
    };
    for largest in [LARGEST_REPORT, -LARGEST_REPORT] {
        let mut counts = survey.counts();
        for number in [f64::NAN, f64::INFINITY, 1e200, -f64::MAX, largest * 1.1] {
            let error = survey.count(&with(number), &mut counts).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Reports, "{number}");
            assert_eq!(counts, survey.counts());
        }
        survey.count(&with(largest), &mut counts).unwrap();
        let more = counts.clone();
        counts.merge(&more).unwrap();
        let text = serde_json::to_string(&counts).unwrap();
        assert_eq!(serde_json::from_str::<SurveyCounts>(&text).unwrap(), counts);
        assert!(survey.estimate(&counts, &How::default()).is_ok());
    }
}

/// The largest bounds and the largest noise: reports are beyond both as often as not, and are counted.
#[test]
fn what_an_accepted_survey_reports_is_counted() {
    let survey = Survey::parse("version = 1\n[[question]]\nname = \"n\"\nkind = \"number\"\nlow = 0\nhigh = 1e100\nscale = 1e100").unwrap();
    let answers = Arc::new(arrow_array::Float64Array::from(vec![1e100; 1000])) as ArrayRef;
    let answers = RecordBatch::try_from_iter([("n", answers)]).unwrap();
    let mut counts = survey.counts();
    survey.count(&survey.randomize(&answers).unwrap(), &mut counts).unwrap();
    let text = serde_json::to_string(&counts).unwrap();
    assert_eq!(serde_json::from_str::<SurveyCounts>(&text).unwrap(), counts);
    let found = survey.estimate(&counts, &How::default()).unwrap();
    assert!(found.questions[0].mean.as_ref().unwrap().standard_error > 0.0);
}

/// Of many of the largest reports, whose sum is rounded.
#[test]
fn a_mean_is_not_beyond_all_reports() {
    for count in 1..300 {
        let mut numbers = Numbers::default();
        numbers.add_all(&vec![LARGEST_REPORT; count]);
        let text = serde_json::to_string(&numbers).unwrap();
        assert!(serde_json::from_str::<Numbers>(&text).is_ok(), "{count}");
    }
}

#[test]
fn means_do_not_depend_on_how_they_were_counted() {
    let numbers: Vec<f64> = (0..1000).map(|i| 1e6 + f64::from(i * i % 97)).collect();
    let (mut whole, mut parts) = (Numbers::default(), Numbers::default());
    whole.add_all(&numbers);
    numbers.chunks(7).for_each(|part| parts.add_all(part));
    parts.add_all(&[]);
    assert_eq!((whole.count, parts.count), (1000, 1000));
    assert!((whole.mean - parts.mean).abs() < 1e-6);
    assert!((whole.squares / parts.squares - 1.0).abs() < 1e-9);
    let mean = numbers.iter().sum::<f64>() / 1000.0;
    let squares: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
    assert!((whole.squares / squares - 1.0).abs() < 1e-12);
}

#[test]
fn no_reports_are_said_to_be_none() {
    let survey = survey(0.75);
    let estimate = survey.estimate(&survey.counts(), &How::default()).unwrap();
    assert!(estimate.questions.iter().all(|question| question.notes == ["There are no reports."]));
}
