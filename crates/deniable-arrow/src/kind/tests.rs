//! Answers of all types, read as the survey says; reports, counted.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, FixedSizeBinaryArray, Float32Array,
    Float64Array, Int64Array, LargeStringArray, NullArray, RecordBatch, RunArray, StringArray,
    StringViewArray, UInt8Array, UInt64Array,
};
use arrow_schema::DataType;

use crate::{ErrorKind, Result, Survey};

/// With a budget like this, no answer is ever changed: once in 10^80.
const CERTAIN: &str = "epsilon = 200";

fn survey(fields: &str) -> Survey {
    Survey::parse(&format!("version = 1\n[[question]]\nname = \"q\"\n{fields}\n")).unwrap()
}

fn batch(column: ArrayRef) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable([("q", column, true)]).unwrap()
}

fn report(survey: &Survey, column: ArrayRef) -> ArrayRef {
    let reports = survey.randomize(&batch(column)).unwrap();
    assert_eq!(reports.schema().field(0).data_type(), &survey.questions()[0].kind().report_type());
    assert!(reports.column(0).nulls().is_none() && !reports.schema().field(0).is_nullable());
    reports.column(0).clone()
}

fn texts(all: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(all.to_vec()))
}

/// The same texts as columns of all types that have them.
fn all_texts(all: &[Option<&str>]) -> Vec<ArrayRef> {
    let plain = texts(all);
    vec![
        plain.clone(),
        Arc::new(LargeStringArray::from(all.to_vec())),
        Arc::new(StringViewArray::from(all.to_vec())),
        Arc::new(all.iter().copied().collect::<DictionaryArray<Int32Type>>()),
        Arc::new(all.iter().copied().collect::<RunArray<Int32Type>>()),
        // With something before and behind it.
        {
            let more: Vec<Option<&str>> = [&[Some("yes"), None][..], all, &[None]].concat();
            texts(&more).slice(2, all.len())
        },
        {
            let more: Vec<Option<&str>> = [&[Some("yes"), None][..], all, &[None]].concat();
            Arc::new(more.into_iter().collect::<RunArray<Int32Type>>().slice(2, all.len()))
        },
    ]
}

#[test]
fn yes_and_no() {
    let bools = |column: ArrayRef, missing: &str| -> Vec<bool> {
        let survey = survey(&format!("kind = \"yes-no\"\n{CERTAIN}\nmissing = \"{missing}\""));
        report(&survey, column).as_boolean().values().iter().collect()
    };
    let words = [
        Some("yes"),
        Some("No"),
        Some(" TRUE "),
        Some("0"),
        Some("1"),
        None,
        Some("perhaps"),
        Some(""),
    ];
    for column in all_texts(&words) {
        assert_eq!(
            bools(column.clone(), "no"),
            [true, false, true, false, true, false, false, false]
        );
        assert_eq!(bools(column, "yes"), [true, false, true, false, true, true, true, true]);
    }
    let truths = BooleanArray::from(vec![Some(true), None, Some(false), Some(true)]);
    for missing in ["no", "yes"] {
        let expected = [true, missing == "yes", false, true];
        assert_eq!(bools(Arc::new(truths.clone()), missing), expected);
        assert_eq!(bools(Arc::new(truths.slice(1, 3)), missing), expected[1..]);
        let numbers = Float64Array::from(vec![
            Some(1.0),
            None,
            Some(0.0),
            Some(1.0),
            Some(0.5),
            Some(f64::NAN),
        ]);
        assert_eq!(bools(Arc::new(numbers), missing)[..4], expected);
        assert_eq!(bools(Arc::new(Int64Array::from(vec![1, 7, 0, 1])), missing), expected);
        assert_eq!(bools(Arc::new(NullArray::new(2)), missing), [missing == "yes"; 2]);
    }
    // More than one word of them, with nothing behind the last.
    for length in [0, 1, 63, 64, 65, 1000] {
        let all: Vec<Option<bool>> =
            (0..length).map(|i| (i % 3 > 0).then_some(i % 2 == 0)).collect();
        let expected: Vec<bool> = all.iter().map(|answer| answer.unwrap_or(true)).collect();
        assert_eq!(bools(Arc::new(BooleanArray::from(all)), "yes"), expected);
    }
}

#[test]
fn one_of_a_list() {
    let categories = |fields: &str, column: ArrayRef| -> Vec<String> {
        let survey = survey(&format!("kind = \"choice\"\n{CERTAIN}\n{fields}"));
        let reports = report(&survey, column);
        let texts = crate::columns::texts(&reports);
        texts.iter().map(|text| text.unwrap().to_owned()).collect()
    };
    let response = "mechanism = \"randomized-response\"\nchoices = [\"car\", \"bus\", \"7\"]";
    for column in all_texts(&[Some("bus"), Some("horse"), None, Some(" car "), Some("")]) {
        assert_eq!(categories(response, column.clone()), ["bus", "other", "other", "car", "other"]);
        let named = format!("{response}\nother = \"walk\"\nmissing = \"bus\"");
        assert_eq!(categories(&named, column.clone()), ["bus", "walk", "bus", "car", "bus"]);
        let none = format!("{response}\nother = false\nmissing = \"7\"");
        assert_eq!(categories(&none, column), ["bus", "7", "7", "car", "7"]);
    }
    assert_eq!(categories(response, Arc::new(UInt8Array::from(vec![7, 8]))), ["7", "other"]);
    let truths = "mechanism = \"randomized-response\"\nchoices = [\"true\"]";
    assert_eq!(
        categories(truths, Arc::new(BooleanArray::from(vec![true, false]))),
        ["true", "other"]
    );
    // The dictionary of reports is the survey's, whatever was answered.
    let survey = survey(&format!("kind = \"choice\"\n{CERTAIN}\n{response}"));
    let reports = report(&survey, texts(&[Some("bus")]));
    let values = reports.as_any_dictionary().values().as_string::<i32>().clone();
    assert_eq!(values.iter().flatten().collect::<Vec<_>>(), ["car", "bus", "7", "other"]);
}

#[test]
fn several_of_a_list() {
    let rows = |most: usize, column: ArrayRef| -> Vec<Vec<usize>> {
        let choices: Vec<String> = (0..10).map(|i| format!("\"c{i}\"")).collect();
        let fields = format!(
            "kind = \"several\"\nchoices = [{}]\nmost = {most}\nepsilon = 1000",
            choices.join(", ")
        );
        let reports = report(&survey(&fields), column);
        let reports = reports.as_fixed_size_binary();
        let ticked = |row: &[u8]| (0..16).filter(|i| row[i / 8] >> (i % 8) & 1 == 1).collect();
        (0..reports.len()).map(|i| ticked(reports.value(i))).collect()
    };
    let expected = [vec![0, 9], vec![], vec![3], vec![], vec![1, 2, 4]];
    let words = [Some("c9; c0"), None, Some("c3;c3;no such"), Some(""), Some("c4;c2;c1")];
    for column in all_texts(&words) {
        assert_eq!(rows(10, column.clone()), expected);
        assert_eq!(rows(2, column), [vec![0, 9], vec![], vec![3], vec![], vec![1, 2]]);
    }
    let mut lists = ListBuilder::new(StringBuilder::new());
    for text in words {
        match text {
            Some(text) => text.split(';').for_each(|part| lists.values().append_value(part)),
            None => lists.values().append_null(),
        }
        lists.append(text.is_some());
    }
    let lists = lists.finish();
    assert_eq!(rows(10, Arc::new(lists.clone())), expected);
    assert_eq!(rows(10, Arc::new(lists.slice(2, 3))), expected[2..]);
    let masks =
        UInt64Array::from(vec![Some(0b10_0000_0001), None, Some(8), Some(1 << 10), Some(0b1_0110)]);
    assert_eq!(rows(10, Arc::new(masks)), expected);
    let bytes = FixedSizeBinaryArray::try_from_sparse_iter_with_size(
        [Some([1, 2]), None, Some([8, 0]), Some([0, 0xfc]), Some([0x16, 0])].into_iter(),
        2,
    );
    assert_eq!(rows(10, Arc::new(bytes.unwrap())), expected);
    // The name of a choice in a text is one, also if it is a number: only a column of numbers has bits.
    assert_eq!(rows(10, texts(&[Some("3"), Some("c3")])), [vec![], vec![3]]);
    // A number is no answer of more than one choice unless it is whole and not negative.
    assert_eq!(rows(10, Arc::new(Int64Array::from(vec![-1, 3]))), [vec![], vec![0, 1]]);
}

#[test]
fn numbers() {
    let fields = "kind = \"number\"\nlow = -1\nhigh = 3\nepsilon = 1e300\nmissing = 2.5";
    let numbers = |column: ArrayRef| -> Vec<f64> {
        report(&survey(fields), column).as_primitive::<Float64Type>().values().to_vec()
    };
    let near = |found: Vec<f64>, expected: &[f64]| {
        assert_eq!(found.len(), expected.len());
        found.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-9, "{a} {b}"));
    };
    let all = [Some(0.5), None, Some(-7.0), Some(1e300), Some(f64::NAN), Some(f64::NEG_INFINITY)];
    near(numbers(Arc::new(Float64Array::from(all.to_vec()))), &[0.5, 2.5, -1.0, 3.0, 2.5, -1.0]);
    near(numbers(Arc::new(Float32Array::from(vec![0.5, f32::NAN]))), &[0.5, 2.5]);
    near(
        numbers(Arc::new(Int64Array::from(vec![Some(i64::MIN), Some(2), None]))),
        &[-1.0, 2.0, 2.5],
    );
    for column in all_texts(&[Some("0.5"), Some("1e999"), Some("two"), None, Some("-9")]) {
        near(numbers(column), &[0.5, 3.0, 2.5, 2.5, -1.0]);
    }
    // The middle of the bounds, if the survey does not say.
    let survey = survey("kind = \"number\"\nlow = -1\nhigh = 3\nepsilon = 1e300");
    near(
        report(&survey, Arc::new(NullArray::new(1)))
            .as_primitive::<Float64Type>()
            .values()
            .to_vec(),
        &[1.0],
    );
}

#[test]
fn texts_become_filters() {
    let survey =
        survey("kind = \"text\"\nbits = 64\nhashes = 2\ncohorts = 4\np = 0.0\nq = 1.0\nf = 1e-80");
    let crate::Kind::Text(kind) = survey.questions()[0].kind() else { panic!("a text") };
    for column in all_texts(&[Some("tea"), Some(" tea"), None, Some("")]) {
        let reports = report(&survey, column);
        let reports = reports.as_fixed_size_binary();
        for (i, text) in ["tea", "tea", "", ""].into_iter().enumerate() {
            let row = reports.value(i);
            let cohort = usize::from(u16::from_le_bytes([row[0], row[1]]));
            let filter = kind.params().filter_of(cohort, text.as_bytes()).unwrap();
            assert_eq!(row[2..], filter.to_bytes()[..]);
        }
    }
    // Everybody is in a cohort of their own choosing: 400 times the same one has a probability of 4^−399.
    let reports = report(&survey, Arc::new(NullArray::new(400)));
    let reports = reports.as_fixed_size_binary();
    assert!((1..400).any(|i| reports.value(i)[..2] != reports.value(0)[..2]));
}

#[test]
fn numbers_are_shortened_for_reading() {
    for (x, text) in [
        (0.0, "0"),
        (1.0, "1"),
        (0.7310585786300048, "0.7311"),
        (20.000000001, "20"),
        (123456.7, "123457"),
        (1e-5, "0.00001"),
    ] {
        assert_eq!(super::short(x), text);
    }
}

/// Whatever a column has in it, it is randomized; whether its type can be read does not depend on the data.
#[test]
fn types_are_refused_and_answers_never() {
    let dates = || Arc::new(arrow_array::Date32Array::from(vec![1])) as ArrayRef;
    for kind in [
        "kind = \"yes-no\"\nepsilon = 1",
        "kind = \"choice\"\nchoices = [\"a\"]\nepsilon = 1",
        "kind = \"several\"\nchoices = [\"a\"]\nmost = 1\nepsilon = 1",
        "kind = \"text\"\nepsilon = 1",
        "kind = \"number\"\nlow = 0\nhigh = 1\nepsilon = 1",
    ] {
        let survey = survey(kind);
        // An object of JSON has its names in its type.
        let object = arrow_array::StructArray::from(vec![(
            Arc::new(arrow_schema::Field::new("secret", DataType::Date32, true)),
            dates(),
        )]);
        let bytes = arrow_array::BinaryArray::from(vec![&b"secret"[..]]);
        for column in [dates(), Arc::new(bytes), Arc::new(object)] {
            let error = survey.randomize(&batch(column.clone())).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Column);
            assert!(error.to_string().contains("accepted are"), "{error}");
            assert!(!error.to_string().contains("secret"), "{error}");
            let empty = batch(column.slice(0, 0));
            assert_eq!(survey.randomize(&empty).unwrap_err(), error);
        }
        let error =
            survey.randomize(&RecordBatch::try_from_iter([("p", dates())]).unwrap()).unwrap_err();
        assert!(error.to_string().contains("column \"q\": it is not there"));
        let strange = [
            "\0",
            "\u{202e}",
            "e\u{301}",
            "9999999999999999999999",
            "-0",
            "NaN",
            ";;;",
            "\"",
            "  ",
        ];
        let strange: Vec<Option<&str>> = strange.iter().copied().map(Some).collect();
        for column in all_texts(&strange) {
            assert_eq!(report(&survey, column).len(), strange.len());
        }
    }
}

/// Counts of reports in a file of types, and in one of texts.
#[test]
fn reports_are_counted_in_all_forms() -> Result<()> {
    let choices = "choices = [\"a\", \"b\", \"c\"]";
    for fields in [
        format!("kind = \"yes-no\"\n{CERTAIN}"),
        format!("kind = \"choice\"\n{choices}\nmechanism = \"randomized-response\"\nepsilon = 1"),
        format!("kind = \"choice\"\n{choices}\nmechanism = \"unary-encoding\"\nepsilon = 1"),
        format!("kind = \"choice\"\n{choices}\nmechanism = \"subset-selection\"\nepsilon = 1"),
        format!("kind = \"choice\"\n{choices}\nmechanism = \"local-hashing\"\nepsilon = 1"),
        format!("kind = \"several\"\n{choices}\nmost = 2\nepsilon = 1"),
        "kind = \"text\"\nepsilon = 1".into(),
        "kind = \"number\"\nlow = 0\nhigh = 1\nepsilon = 1".into(),
    ] {
        let survey = survey(&fields);
        let answers = ["a", "b", "yes", "0.5"].map(Some).repeat(50);
        let reports = survey.randomize(&batch(texts(&answers)))?;
        let mut whole = survey.counts();
        survey.count(&reports, &mut whole)?;
        assert_eq!(whole.reports().collect::<Vec<_>>(), [("q", 200)]);
        // In parts, and merged.
        let (mut first, mut second) = (survey.counts(), survey.counts());
        survey.count(&reports.slice(0, 77), &mut first)?;
        survey.count(&reports.slice(77, 123), &mut second)?;
        first.merge(&second)?;
        assert_near(&survey, &first, &whole);
        // As a file of text has them.
        let text = match reports.column(0).data_type() {
            DataType::FixedSizeBinary(_) => {
                let binary = reports.column(0).as_fixed_size_binary();
                let hex =
                    |row: &[u8]| row.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
                Arc::new(StringArray::from_iter_values((0..200).map(|i| hex(binary.value(i)))))
                    as ArrayRef
            }
            _ => crate::columns::cast(reports.column(0), &DataType::Utf8),
        };
        let written = RecordBatch::try_from_iter([("q", text)]).unwrap();
        let metadata = reports.schema().metadata().clone();
        let schema = written.schema().as_ref().clone().with_metadata(metadata);
        let written = written.with_schema(Arc::new(schema)).unwrap();
        let mut again = survey.counts();
        survey.count(&written, &mut again)?;
        assert_near(&survey, &again, &whole);
        // What is no report is refused, and adds nothing.
        for bad in
            [texts(&[Some("rubbish")]), texts(&[None]), Arc::new(NullArray::new(1)) as ArrayRef]
        {
            let bad = RecordBatch::try_from_iter_with_nullable([("q", bad, true)]).unwrap();
            let schema =
                bad.schema().as_ref().clone().with_metadata(reports.schema().metadata().clone());
            let bad = bad.with_schema(Arc::new(schema)).unwrap();
            let before = again.clone();
            let error = survey.count(&bad, &mut again).unwrap_err();
            assert_eq!((error.kind(), &again), (ErrorKind::Reports, &before), "{fields}");
            assert!(!error.to_string().contains("rubbish"));
        }
    }
    Ok(())
}

/// Equal, but for the rounding of sums of numbers.
fn assert_near(survey: &Survey, one: &crate::SurveyCounts, other: &crate::SurveyCounts) {
    if survey.questions()[0].kind().name() != "number" {
        assert_eq!(one, other);
    }
    let mean = |counts| {
        let estimate = survey.estimate(counts, &Default::default()).unwrap();
        estimate.questions[0].mean.as_ref().map_or(0.0, |mean| mean.mean + mean.standard_error)
    };
    assert!((mean(one) - mean(other)).abs() < 1e-9);
}
