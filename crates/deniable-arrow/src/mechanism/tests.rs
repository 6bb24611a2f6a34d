use std::sync::Arc;

use arrow_array::types::{Float64Type, Int8Type};
use arrow_array::{
    BinaryArray, DictionaryArray, FixedSizeBinaryArray, Float32Array, Float64Array, Int8Array,
    Int16Array, Int32Array, Int64Array, LargeStringArray, ListArray, NullArray, StringArray,
    StringViewArray, UInt64Array,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::DataType;

use super::*;
use crate::ErrorKind;

fn mechanism(json: &str) -> Mechanism {
    let spec: Spec = serde_json::from_str(json).unwrap();
    Mechanism::try_from(spec).unwrap()
}

/// What its parameters leave nothing to chance in, but for once in 10^15.
const CERTAIN: [&str; 12] = [
    r#"{"mechanism":"randomized_response_bool","prob":1.0,"constant_time":false}"#,
    r#"{"mechanism":"randomized_response","categories":["tea","coffee","ü"],"prob":0.9999999999999999}"#,
    r#"{"mechanism":"randomized_response","categories":[7,-3,100],"prob":0.9999999999999999}"#,
    r#"{"mechanism":"randomized_response_bitvec","length":11,"max_weight":11,"f":1e-300,"constant_time":false}"#,
    r#"{"mechanism":"scalar_float_laplace_cks20","number":"f64","bounds":null,"scale":0.0,"k":null}"#,
    r#"{"mechanism":"vector_float_laplace_cks20","number":"f32","bounds":null,"size":3,"scale":0.0,"k":null}"#,
    r#"{"mechanism":"scalar_integer_laplace_cks20","number":"i64","bounds":null,"scale":0.0}"#,
    r#"{"mechanism":"vector_integer_laplace_cks20","number":"i32","bounds":null,"size":null,"scale":0.0}"#,
    r#"{"mechanism":"unary_encoding","categories":["tea","coffee","ü"],"one":0.9999999999999999,"zero":1e-300}"#,
    r#"{"mechanism":"subset_selection","categories":[7,-3,100],"size":1,"prob":0.9999999999999999}"#,
    r#"{"mechanism":"local_hashing","categories":["tea","coffee","ü"],"buckets":65536,"prob":0.9999999999999999}"#,
    r#"{"mechanism":"randomized_response_bitvec","length":70,"max_weight":9,"f":1e-300,"constant_time":false}"#,
];

fn certain(which: usize) -> Mechanism {
    mechanism(CERTAIN[which])
}

/// One row a respondent: 11 bits in two bytes each.
fn bits() -> FixedSizeBinaryArray {
    FixedSizeBinaryArray::new(2, Buffer::from_vec(vec![0b1010_0101u8, 0b101, 0, 0, 1, 0b10]), None)
}

fn lists() -> ListArray {
    let rows = (0..3).map(|i| Some((0..11).map(move |j| Some((i + j) % 3 == 0))));
    let mut builder =
        arrow_array::builder::ListBuilder::new(arrow_array::builder::BooleanBuilder::new());
    rows.for_each(|row| builder.append_option(row));
    builder.finish()
}

#[test]
fn a_spec_survives() {
    for json in CERTAIN {
        let mechanism = mechanism(json);
        let again = Mechanism::try_from(mechanism.spec()).unwrap();
        assert_eq!(mechanism.spec(), again.spec(), "{json}");
    }
}

#[test]
fn columns_of_every_type_keep_their_type_and_with_certainty_their_values() {
    let texts = ["tea", "ü", "coffee", "tea"];
    let dictionary: DictionaryArray<Int8Type> = texts.into_iter().collect();
    let numbers = [7i64, 100, -3];
    let cases: Vec<(usize, ArrayRef)> = vec![
        (0, Arc::new(BooleanArray::from(vec![true, false, true]))),
        (0, Arc::new(BooleanArray::from(vec![true; 200]).slice(3, 130))),
        (1, Arc::new(StringArray::from_iter_values(texts))),
        (1, Arc::new(StringArray::from_iter_values(texts).slice(1, 2))),
        (1, Arc::new(LargeStringArray::from_iter_values(texts))),
        (1, Arc::new(StringViewArray::from_iter_values(texts))),
        (2, Arc::new(Int8Array::from_iter_values(numbers.map(|x| x as i8)))),
        (2, Arc::new(Int16Array::from_iter_values(numbers.map(|x| x as i16)))),
        (2, Arc::new(Int64Array::from_iter_values(numbers).slice(1, 2))),
        (3, Arc::new(bits())),
        (3, Arc::new(bits().slice(1, 2))),
        (3, Arc::new(BinaryArray::from_iter_values(bits().iter().flatten()))),
        (3, Arc::new(lists())),
        (3, Arc::new(lists().slice(1, 2))),
        (4, Arc::new(Float64Array::from(vec![1.5, -2.25, 1e300]))),
        (5, Arc::new(Float32Array::from(vec![1.5, -2.25, 1e30]))),
        (6, Arc::new(Int64Array::from(vec![i64::MIN, 0, i64::MAX]))),
        (7, Arc::new(Int32Array::from(vec![i32::MIN, 0, i32::MAX]).slice(1, 2))),
    ];
    for (which, answers) in cases {
        let reports = certain(which).randomize(&answers, None).unwrap();
        assert_eq!(&reports, &answers, "{}", CERTAIN[which]);
        assert!(reports.nulls().is_none());
    }
    let reports = certain(1).randomize(&dictionary, None).unwrap();
    assert_eq!(reports.data_type(), dictionary.data_type());
    let back = columns::cast(&reports, &DataType::Utf8);
    assert_eq!(back.as_string::<i32>(), &StringArray::from_iter_values(texts));
}

#[test]
fn reports_that_are_no_categories_are_packed() {
    let texts = StringArray::from_iter_values(["tea", "ü", "coffee"]);
    let unary = certain(8).randomize(&texts, None).unwrap();
    assert_eq!(unary.as_fixed_size_binary().value_data(), [1, 4, 2]);
    let subsets = certain(9).randomize(&UInt64Array::from(vec![100, 7]), None).unwrap();
    assert_eq!(subsets.as_fixed_size_binary().value_data(), [4, 1]);
    let hashed = certain(10).randomize(&texts, None).unwrap();
    let mut counts = certain(10).counts();
    certain(10).count(&hashed, &mut counts).unwrap();
    assert_eq!((counts.reports(), counts.supporting().unwrap().len()), (3, 3));
}

#[test]
fn numbers_that_no_category_can_be_are_randomized_as_others_are() {
    // 2^64 − 3 is not −3.
    let huge = UInt64Array::from(vec![u64::MAX - 2; 4000]);
    let subsets = certain(9).randomize(&huge, None).unwrap();
    let mut counts = certain(9).counts();
    certain(9).count(&subsets, &mut counts).unwrap();
    // Each of three is drawn about 1333 times: below 900 once in 10^50.
    assert!(counts.supporting().unwrap().iter().all(|&ones| ones > 900));
}

#[test]
fn a_type_without_all_categories_is_refused_whatever_the_answers() {
    let mechanism =
        mechanism(r#"{"mechanism":"randomized_response","categories":[7,300],"prob":0.75}"#);
    let error = mechanism.randomize(&Int8Array::from(vec![7, 7]), None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Type);
    assert!(mechanism.randomize(&Int16Array::from(vec![7, 7]), None).is_ok());
}

#[test]
fn another_type_is_refused() {
    let columns: Vec<ArrayRef> = vec![
        Arc::new(BooleanArray::from(vec![true])),
        Arc::new(StringArray::from(vec!["tea"])),
        Arc::new(Int64Array::from(vec![7])),
        Arc::new(bits().slice(0, 1)),
        Arc::new(Float64Array::from(vec![1.0])),
    ];
    for (which, own) in [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)] {
        for (other, column) in columns.iter().enumerate() {
            let result = certain(which).randomize(column, None);
            assert_eq!(result.is_ok(), other == own, "{} {:?}", CERTAIN[which], column.data_type());
            if let Err(error) = result {
                assert_eq!(error.kind(), ErrorKind::Type);
                assert!(error.to_string().contains("accepted are"), "{error}");
            }
        }
    }
}

#[test]
fn what_is_missing_is_refused_or_stood_in_for() {
    let cases: Vec<(usize, ArrayRef, Answer<'_>, ArrayRef)> = vec![
        (
            0,
            Arc::new(BooleanArray::from(vec![None, Some(false)])),
            Answer::Bool(true),
            Arc::new(BooleanArray::from(vec![true, false])),
        ),
        (
            1,
            Arc::new(StringArray::from(vec![None, Some("tea")])),
            Answer::Text("ü"),
            Arc::new(StringArray::from(vec!["ü", "tea"])),
        ),
        (
            1,
            Arc::new(NullArray::new(2)),
            Answer::Text("ü"),
            Arc::new(StringArray::from(vec!["ü", "ü"])),
        ),
        (
            2,
            Arc::new(Int64Array::from(vec![None, Some(7)])),
            Answer::Integer(100),
            Arc::new(Int64Array::from(vec![100, 7])),
        ),
        (
            3,
            Arc::new(BinaryArray::from(vec![None, Some(&[1u8, 1] as &[u8])])),
            Answer::Bytes(&[3, 4]),
            Arc::new(BinaryArray::from(vec![&[3u8, 4] as &[u8], &[1, 1]])),
        ),
        (
            4,
            Arc::new(Float64Array::from(vec![None, Some(f64::NAN), Some(2.0)])),
            Answer::Float(1.0),
            Arc::new(Float64Array::from(vec![1.0, 1.0, 2.0])),
        ),
        (
            6,
            Arc::new(Int64Array::from(vec![None, Some(7)])),
            Answer::Integer(-1),
            Arc::new(Int64Array::from(vec![-1, 7])),
        ),
    ];
    for (which, answers, missing, expected) in cases {
        let error = certain(which).randomize(&answers, None).unwrap_err();
        assert!(error.to_string().contains("`missing`"), "{error}");
        let reports = certain(which).randomize(&answers, Some(missing)).unwrap();
        assert_eq!(&reports, &expected, "{}", CERTAIN[which]);
    }
}

#[test]
fn what_stands_for_a_missing_answer_must_be_an_answer() {
    let texts = StringArray::from(vec!["tea"]);
    let floats = Float32Array::from(vec![1.0; 3]);
    for (which, answers, missing) in [
        (0, &BooleanArray::from(vec![true]) as &dyn Array, Answer::Integer(1)),
        (1, &texts, Answer::Text("wine")),
        (1, &texts, Answer::Bool(true)),
        (2, &Int64Array::from(vec![7]), Answer::Integer(8)),
        (3, &bits(), Answer::Bytes(&[1])),
        (5, &floats, Answer::Float(0.1)),
        (5, &floats, Answer::Integer((1 << 24) + 1)),
        (7, &Int32Array::from(vec![7]), Answer::Integer(1 << 40)),
        (7, &Int32Array::from(vec![7]), Answer::Float(1.0)),
    ] {
        let error = certain(which).randomize(answers, Some(missing)).unwrap_err();
        assert!(error.to_string().contains("missing"), "{error}");
    }
}

/// An error that came only if something is missing would tell that it is.
#[test]
fn what_stands_for_a_missing_answer_is_a_member_also_if_nothing_is_missing() {
    let age = mechanism(
        r#"{"mechanism":"scalar_float_laplace_cks20","number":"f64","bounds":[0.0,120.0],"scale":1.0,"k":null}"#,
    );
    let whole = mechanism(
        r#"{"mechanism":"vector_integer_laplace_cks20","number":"i64","bounds":[-5,5],"size":1,"scale":10.0}"#,
    );
    let heavy = FixedSizeBinaryArray::new(9, Buffer::from_vec(vec![0u8; 9]), None);
    let numbers = (Float64Array::from(vec![1.0]), Int64Array::from(vec![1]));
    for (mechanism, answers, good, bad) in [
        (&age, &numbers.0 as &dyn Array, Answer::Float(120.0), Answer::Float(121.0)),
        (&whole, &numbers.1, Answer::Integer(5), Answer::Integer(6)),
        (
            &certain(11),
            &heavy,
            Answer::Bytes(&[255, 1, 0, 0, 0, 0, 0, 0, 0]),
            Answer::Bytes(&[255, 3, 0, 0, 0, 0, 0, 0, 0]),
        ),
        (
            &certain(11),
            &heavy,
            Answer::Bytes(&[0; 9]),
            Answer::Bytes(&[0, 0, 0, 0, 0, 0, 0, 0, 64]),
        ),
    ] {
        assert!(mechanism.randomize(answers, Some(good)).is_ok());
        let error = mechanism.randomize(answers, Some(bad)).unwrap_err();
        assert!(error.to_string().contains("invalid missing"), "{error}");
    }
}

/// Bits that are missing take no place in a column, but their reports do. Neither what is there nor what is missing decides.
#[test]
fn a_type_that_cannot_hold_the_reports_is_refused_whatever_is_missing() {
    let json = |length: usize| {
        format!(
            r#"{{"mechanism":"randomized_response_bitvec","length":{length},"max_weight":1,"f":0.5,"constant_time":false}}"#
        )
    };
    let item = Arc::new(arrow_schema::Field::new("item", DataType::Boolean, true));
    // 2^31 bits, and 2^31 bytes.
    for (of, length, rows) in [
        (DataType::List(item.clone()), 1 << 24, 1 << 7),
        (DataType::Binary, 1 << 24, 1 << 10),
        (DataType::Binary, 1 << 20, 1 << 14),
    ] {
        let (bits, zeros) = (mechanism(&json(length)), vec![0; length / 8]);
        let missing = Answer::Bytes(&zeros);
        let nothing = arrow_array::new_null_array(&of, rows);
        let short = arrow_array::new_empty_array(&of);
        // Rows of no bits are no members; the type is refused before they are.
        let present = match of {
            DataType::Binary => Arc::new(BinaryArray::from(vec![b"" as &[u8]; rows])) as ArrayRef,
            _ => {
                let offsets = OffsetBuffer::new_zeroed(rows);
                let none = Arc::new(BooleanArray::from(Vec::<bool>::new()));
                Arc::new(ListArray::new(item.clone(), offsets, none, None))
            }
        };
        for answers in [&nothing, &present] {
            let error = bits.randomize(answers, Some(missing)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Type, "{of}");
            assert!(error.to_string().contains("accepted are types whose offsets"), "{error}");
        }
        assert!(bits.randomize(&short, Some(missing)).is_ok());
    }
}

#[test]
fn no_members() {
    let stray = FixedSizeBinaryArray::new(2, Buffer::from_vec(vec![0u8, 0b1000]), None);
    let long = BinaryArray::from(vec![&[1u8, 1, 1] as &[u8]]);
    let heavy = FixedSizeBinaryArray::new(9, Buffer::from_vec(vec![255u8; 9]), None);
    let nothing = |data_type: DataType| arrow_array::new_null_array(&data_type, 2);
    let item = Arc::new(arrow_schema::Field::new("item", DataType::Boolean, true));
    for (of, missing) in
        [(DataType::FixedSizeBinary(3), &[0u8, 0]), (DataType::FixedSizeList(item, 5), &[0, 0])]
    {
        let error = certain(3).randomize(&nothing(of), Some(Answer::Bytes(missing))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Type);
    }
    let holes: ListArray =
        ListArray::from_iter_primitive::<Float64Type, _, _>(vec![Some(vec![Some(1.0)])]);
    for (which, answers) in [(3, &stray as &dyn Array), (3, &long), (11, &heavy), (3, &holes)] {
        let error = certain(which).randomize(answers, None).unwrap_err();
        assert!(error.to_string().contains("accepted"), "{error}");
    }
    assert!(certain(4).randomize(&Float64Array::from(vec![f64::NAN]), None).is_err());
    assert!(certain(5).randomize(&Float32Array::from(vec![1.0, 2.0]), None).is_err());
}

#[test]
fn losses() {
    let half =
        mechanism(r#"{"mechanism":"randomized_response_bool","prob":0.75,"constant_time":false}"#);
    let ln_3 = make_randomized_response_bool(0.75, false).unwrap().map(1).unwrap();
    assert_eq!((half.map(Distance::Whole(1)).unwrap(), half.epsilon()), (ln_3, Some(ln_3)));
    assert!(half.map(Distance::Float(1.0)).is_err());

    let age = mechanism(
        r#"{"mechanism":"scalar_float_laplace_cks20","number":"f64","bounds":[0.0,120.0],"scale":60.0,"k":null}"#,
    );
    assert_eq!(age.epsilon().unwrap().get(), 2.0);
    assert_eq!(age.map(Distance::Whole(30)).unwrap().get(), 0.5);
    assert!(age.map(Distance::Float(-1.0)).is_err() && age.map(Distance::Float(f64::NAN)).is_err());

    // 0.1 is no float of 32 bits: the next above is taken, which is 0.100000001…
    let short = mechanism(
        r#"{"mechanism":"vector_float_laplace_cks20","number":"f32","bounds":[0.0,1.0],"size":4,"scale":1.0,"k":null}"#,
    );
    assert!(short.map(Distance::Float(0.1)).unwrap().get() > 0.1);
    assert_eq!(short.epsilon().unwrap().get(), 4.0);
    // Negative, if only by so little that it is 0 in 32 bits.
    assert!(short.map(Distance::Float(-1e-60)).is_err());

    for json in [CERTAIN[4], CERTAIN[6], CERTAIN[7]] {
        assert_eq!(mechanism(json).epsilon(), None);
    }
    let whole = mechanism(
        r#"{"mechanism":"vector_integer_laplace_cks20","number":"i64","bounds":[-5,5],"size":3,"scale":10.0}"#,
    );
    assert_eq!(whole.epsilon().unwrap().get(), 3.0);
    assert!(whole.map(Distance::Float(1.0)).is_err());
}

#[test]
fn counts_and_estimates() {
    let drink = certain(1);
    let mut counts = drink.counts();
    let reports = StringArray::from(vec!["tea", "ü", "tea", "tea"]);
    drink.count(&reports, &mut counts).unwrap();
    let mut more = drink.counts();
    drink.count(&reports.slice(1, 1), &mut more).unwrap();
    counts.merge(&more).unwrap();
    assert_eq!(counts.supporting(), Some(vec![3, 0, 2]));
    let json = serde_json::to_string(&counts).unwrap();
    assert_eq!(serde_json::from_str::<Counts>(&json).unwrap(), counts);
    let found = drink.estimate(&counts, &How::default()).unwrap();
    assert_eq!(found.reports, 5);
    assert!((found.values[0].share - 0.6).abs() < 1e-9 && found.values[2].value == "ü");

    // Nothing is counted of a column that is none of reports.
    let before = counts.clone();
    for bad in [
        &StringArray::from(vec![Some("tea"), None]) as &dyn Array,
        &StringArray::from(vec!["tea", "wine"]),
        &Int64Array::from(vec![1]),
    ] {
        assert_eq!(drink.count(bad, &mut counts).unwrap_err().kind(), ErrorKind::Reports);
    }
    assert_eq!(counts, before);
    assert!(certain(2).count(&Int64Array::from(vec![7]), &mut counts).is_err());
    assert!(certain(2).estimate(&counts, &How::default()).is_err());
    assert!(counts.merge(&certain(0).counts()).is_err());

    // Answers that look like the digits of packed reports are no reports.
    let unary = certain(8);
    let digits = StringArray::from(vec!["01", "02"]);
    assert_eq!(unary.count(&digits, &mut unary.counts()).unwrap_err().kind(), ErrorKind::Reports);

    let numbers = certain(2);
    let mut counts = numbers.counts();
    numbers.count(&Int8Array::from(vec![100, -3, 100]), &mut counts).unwrap();
    assert_eq!(counts.supporting(), Some(vec![0, 1, 2]));

    let ticks = certain(3);
    let mut counts = ticks.counts();
    ticks.count(&bits(), &mut counts).unwrap();
    ticks.count(&lists(), &mut counts).unwrap();
    assert_eq!(counts.supporting(), Some(vec![3, 1, 2, 1, 1, 2, 1, 2, 2, 2, 2]));

    let age = mechanism(
        r#"{"mechanism":"scalar_float_laplace_cks20","number":"f64","bounds":[0.0,120.0],"scale":1.0,"k":null}"#,
    );
    let mut counts = age.counts();
    age.count(&Float64Array::from(vec![20.0, 40.0]), &mut counts).unwrap();
    assert_eq!(counts.supporting(), None);
    let mean = age.estimate(&counts, &How::default()).unwrap().mean.unwrap();
    assert_eq!((mean.mean, mean.highest), (30.0, 120.0));
    let error = age.count(&Float64Array::from(vec![f64::INFINITY]), &mut counts).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Reports);
}

/// The mechanism draws, but what it draws is too much to be added up.
#[test]
fn numbers_of_parameters_without_measure_are_not_counted() {
    let noise = |bounds: &str, scale: &str| {
        mechanism(&format!(
            r#"{{"mechanism":"scalar_float_laplace_cks20","number":"f64","bounds":{bounds},"scale":{scale},"k":null}}"#
        ))
    };
    let answers = Float64Array::from(vec![0.0; 100]);
    for (bounds, scale, refused) in [
        ("null", "1e100", None),
        ("[-1e100,1e100]", "1e100", None),
        ("null", "1.1e100", Some("invalid scale: ")),
        ("[-1.1e100,0.0]", "1.0", Some("invalid bounds: ")),
        ("[0.0,1e300]", "1.0", Some("invalid bounds: ")),
    ] {
        let noise = noise(bounds, scale);
        let (reports, mut counts) = (noise.randomize(&answers, None).unwrap(), noise.counts());
        match (noise.count(&reports, &mut counts), refused) {
            (Ok(()), None) => assert_eq!(counts.reports(), 100),
            (Err(error), Some(start)) => assert!(error.to_string().starts_with(start), "{error}"),
            (done, _) => panic!("{bounds}, {scale}: {done:?}"),
        }
    }
}

#[test]
fn a_mean_of_numbers_on_a_coarse_grid_says_so() {
    let coarse = mechanism(
        r#"{"mechanism":"scalar_float_laplace_cks20","number":"f64","bounds":null,"scale":1.0,"k":10}"#,
    );
    let mut counts = coarse.counts();
    coarse.count(&Float64Array::from(vec![1024.0; 10_000]), &mut counts).unwrap();
    let found = coarse.estimate(&counts, &How::default()).unwrap();
    let mean = found.mean.unwrap();
    // 600 becomes 1024 before noise is added.
    assert!(mean.low < 512.0 && mean.high > 1536.0 && mean.low > 511.0 && mean.high < 1537.0);
    assert_eq!(found.notes.len(), 1);
}

/// Reports that are as the law has them: one for each of so many equal chances.
#[test]
fn intervals_hold_a_mean_near_the_ends_of_a_type() {
    const REPORTS: i32 = 100_000;
    let noise = |scale: f64| {
        let chances = (0..REPORTS).map(|i| (f64::from(i) + 0.5) / f64::from(REPORTS) - 0.5);
        chances.map(move |u| -scale * u.signum() * (1.0 - 2.0 * u.abs()).ln())
    };
    let estimated = |bounds: [i32; 2], scale: f64, answer: i32| {
        let json = format!(
            r#"{{"mechanism":"scalar_integer_laplace_cks20","number":"i32","bounds":{bounds:?},"scale":{scale:?}}}"#
        );
        let made = mechanism(&json);
        // A cast keeps within the type, as the mechanism does.
        let reports = noise(scale).map(|noise| (f64::from(answer) + noise).round() as i32);
        let mut counts = made.counts();
        made.count(&Int32Array::from_iter_values(reports), &mut counts).unwrap();
        let found = made.estimate(&counts, &How::default()).unwrap();
        (found.mean.unwrap(), found.notes.len())
    };
    // Half of the noise is cut off, or a fifth, or next to nothing.
    for scale in [1e4, 1e9, 3e9] {
        for (bounds, answer) in [([0, i32::MAX], i32::MAX), ([i32::MIN, 0], i32::MIN)] {
            let (mean, notes) = estimated(bounds, scale, answer);
            let (off, truth) = ((mean.mean - f64::from(answer)).abs(), f64::from(answer));
            assert!(mean.low <= truth && truth <= mean.high, "{mean:?}");
            // Without the noise that is cut off, the interval would not.
            assert!(off > 20.0 * mean.standard_error && notes == 1, "{mean:?}");
        }
    }
    let (mean, notes) = estimated([0, 1_000_000_000], 1e9, 1_000_000_000);
    assert!(mean.mean < 0.9e9 && mean.high >= 1e9 && notes == 1, "{mean:?}");
    let (mean, notes) = estimated([0, 1_000_000_000], 1e7, 500_000_000);
    assert!(mean.high - mean.low < 4.0 * mean.standard_error && notes == 0, "{mean:?}");
    assert!(mean.low < 5e8 && mean.high > 5e8, "{mean:?}");

    let widest = |number: &str, most: &str| {
        let json = format!(
            r#"{{"mechanism":"scalar_float_laplace_cks20","number":"{number}","bounds":[0.0,{most}],"scale":1.2676506002282294e30,"k":null}}"#
        );
        let made = mechanism(&json);
        let (room, scale) = match &made {
            Mechanism::F32(noise) => (noise.room(), noise.scale_and_bounds().0),
            Mechanism::F64(noise) => (noise.room(), noise.scale_and_bounds().0),
            _ => unreachable!(),
        };
        room.unwrap().map(|room| numbers::cut(scale, room) / scale)
    };
    assert_eq!(widest("f32", "3.4028234663852886e38"), [0.0, 0.5]);
    assert_eq!(widest("f64", "3.4028234663852886e38"), [0.0, 0.0]);
    assert_eq!(numbers::cut(0.0, 0.0), 0.0);
    assert_eq!(numbers::cut(2.0, 2.0), (-1f64).exp());
}

#[test]
fn short_keys_of_a_dictionary_are_not_kept_when_there_are_many_categories() {
    let categories: Vec<String> = (0..300).map(|i| i.to_string()).collect();
    let answers: DictionaryArray<Int8Type> = ["1", "2"].into_iter().collect();
    for (count, expected) in [(128, DataType::Int8), (129, DataType::UInt32)] {
        let categories = Categories::Texts(categories[..count].to_vec());
        let spec = Spec::RandomizedResponse { categories, prob: 0.9999999999999999 };
        let mechanism = Mechanism::try_from(spec).unwrap();
        // The keys of these reports would fit.
        let reports = mechanism.randomize(&answers, None).unwrap();
        let DataType::Dictionary(key, _) = reports.data_type() else { panic!("a dictionary") };
        assert_eq!(**key, expected, "{count}");
    }
}

/// Whatever is in the column. Reports that a device made in constant time are counted.
#[test]
fn columns_are_not_randomized_in_constant_time() {
    let yes_no = r#"{"mechanism":"randomized_response_bool","prob":0.75,"constant_time":true}"#;
    let flips = r#"{"mechanism":"randomized_response_bitvec","length":11,"max_weight":11,"f":0.5,"constant_time":true}"#;
    let truths: ArrayRef = Arc::new(BooleanArray::from(vec![true, false]));
    let empty: ArrayRef = Arc::new(BooleanArray::from(Vec::<bool>::new()));
    let bits: ArrayRef = Arc::new(bits());
    for (json, column) in [(yes_no, truths), (yes_no, empty), (flips, bits)] {
        let mechanism = mechanism(json);
        let error = mechanism.randomize(&column, None).unwrap_err().to_string();
        assert!(error.starts_with("invalid constant_time: "), "{error}");
        mechanism.count(&column, &mut mechanism.counts()).unwrap();
    }
}

/// What devices made is counted all the same.
#[test]
fn noise_in_constant_time_is_not_for_columns() {
    let column: ArrayRef = Arc::new(Int64Array::from(vec![3, -3]));
    let json = r#"{"mechanism":"scalar_integer_laplace_cks20","number":"i64","scale":1.0,"constant_time":true}"#;
    let made = mechanism(json);
    let mut counts = made.counts();
    made.count(&column, &mut counts).unwrap();
    assert_eq!(counts.reports(), 2);
    let law = make_scalar_integer_laplace_cks20(AtomDomain::all(), AbsoluteDistance::new(), 1.0);
    let noise = IntegerNoise::Scalar(law.unwrap().with_constant_time());
    let mut numbers = [3i64, -3];
    for refused in [noise.add_to(&mut numbers), noise.add_to_filled(&mut numbers, None)] {
        assert!(refused.unwrap_err().to_string().starts_with("invalid constant_time: "));
        assert_eq!(numbers, [3, -3]);
    }
    for made in [made, Mechanism::I64(noise)] {
        let error = made.randomize(&column, None).unwrap_err();
        assert!(error.to_string().starts_with("invalid constant_time: "), "{error}");
    }
}

/// Devices that promise a time, and others that do not, are asked the same question.
#[test]
fn counts_of_one_law_are_merged_whatever_the_time() {
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![3, -3]));
    for (json, reports) in [
        (
            r#"{"mechanism":"randomized_response_bool","prob":0.75,"constant_time":false}"#,
            Arc::new(BooleanArray::from(vec![true, false])) as ArrayRef,
        ),
        (
            r#"{"mechanism":"randomized_response_bitvec","length":11,"max_weight":11,"f":0.75,"constant_time":false}"#,
            Arc::new(bits()),
        ),
        (
            r#"{"mechanism":"scalar_integer_laplace_cks20","number":"i64","scale":0.75,"constant_time":false}"#,
            numbers.clone(),
        ),
        (
            r#"{"mechanism":"vector_integer_laplace_cks20","number":"i64","bounds":null,"size":2,"scale":0.75,"constant_time":false}"#,
            numbers,
        ),
    ] {
        let ordinary = mechanism(json);
        let constant = mechanism(&json.replace("false", "true"));
        let other = mechanism(&json.replace("0.75", "0.8"));
        assert_ne!(ordinary.spec(), constant.spec());
        for (first, second) in [(&ordinary, &constant), (&constant, &ordinary)] {
            let (mut counts, mut more) = (first.counts(), second.counts());
            first.count(&reports, &mut counts).unwrap();
            second.count(&reports, &mut more).unwrap();
            counts.merge(&more).unwrap();
            assert_eq!((counts.reports(), &counts.mechanism), (2 * more.reports(), &first.spec()));
            assert_eq!(
                first.estimate(&counts, &How::default()).unwrap(),
                second.estimate(&counts, &How::default()).unwrap()
            );
            second.count(&reports, &mut counts).unwrap();
            let before = counts.clone();
            assert!(counts.merge(&other.counts()).is_err());
            assert!(other.count(&reports, &mut counts).is_err());
            assert!(other.estimate(&counts, &How::default()).is_err());
            assert_eq!((before.reports(), &before), (3 * more.reports(), &counts));
        }
    }
}

/// The constructors take any length; no column has rows of nothing, and no memory is without end.
#[test]
fn what_cannot_be_counted_is_refused() {
    let of_length = |length: usize| {
        let json = format!(
            r#"{{"mechanism":"randomized_response_bitvec","length":{length},"max_weight":0,"f":0.5,"constant_time":false}}"#
        );
        Mechanism::try_from(serde_json::from_str::<Spec>(&json).unwrap())
    };
    for length in [0, MOST_VALUES + 1, 1 << 60, usize::MAX] {
        assert_eq!(of_length(length).unwrap_err().parameter(), Some("length"), "{length}");
    }
    for length in [1, MOST_VALUES] {
        // A column of another type is refused for what it is.
        let column: ArrayRef = Arc::new(Int64Array::from(vec![3]));
        let error = of_length(length).unwrap().randomize(&column, None).unwrap_err();
        assert!(error.to_string().contains("another type"), "{error}");
    }
    let categories = deniable::spec::Categories::Integers((0..=MOST_VALUES as i64).collect());
    let error = Mechanism::try_from(Spec::RandomizedResponse { categories, prob: 0.5 });
    assert_eq!(error.unwrap_err().parameter(), Some("categories"));
}
