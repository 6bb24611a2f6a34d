use core::fmt::Debug;

use super::*;
use crate::ErrorKind;

/// Through a file and back, twice.
fn there_and_back<M>(mechanism: &M)
where
    M: TryFrom<Spec, Error = Error> + PartialEq + Debug,
    for<'a> Spec: From<&'a M>,
{
    let spec = Spec::from(mechanism);
    let json = serde_json::to_string(&spec).unwrap();
    let read: Spec = serde_json::from_str(&json).unwrap();
    assert_eq!(read, spec, "{json}");
    let back = M::try_from(read).unwrap();
    assert_eq!(back, *mechanism, "{json}");
    assert_eq!(Spec::from(&back), spec);
}

fn read(json: &str) -> Spec {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}

fn float_domain<T: NamedFloat>(bounds: Option<(T, T)>) -> AtomDomain<T> {
    bounds.map_or(AtomDomain::finite(), |(low, high)| AtomDomain::bounded(low, high).unwrap())
}

fn floats_there_and_back<T: NamedFloat>(numbers: &[T]) {
    for &scale in numbers {
        for k in [None, Some(-149), Some(0), Some(100), Some(i32::MIN)] {
            for bounds in [None, Some((numbers[0], scale))] {
                let domain = float_domain(bounds);
                let metric = AbsoluteDistance::new();
                there_and_back(&make_scalar_float_laplace_cks20(domain, metric, scale, k).unwrap());
                for size in [0, 3, usize::MAX] {
                    let domain = VectorDomain::new(domain).with_size(size);
                    let made = make_vector_float_laplace_cks20(domain, L1Distance::new(), scale, k);
                    there_and_back(&made.unwrap());
                }
                let domain = VectorDomain::new(domain);
                let made = make_vector_float_laplace_cks20(domain, L1Distance::new(), scale, None);
                there_and_back(&made.unwrap());
            }
        }
    }
}

#[test]
fn every_float_mechanism_comes_back_as_it_was() {
    floats_there_and_back(&[0.0, 5e-324, 1e-310, 0.1, 1.0 / 3.0, 1e23, f64::MAX]);
    floats_there_and_back(&[0.0f32, 1e-45, 1e-40, 0.1, 1.0 / 3.0, 1e23, f32::MAX]);
}

#[test]
fn every_randomized_response_comes_back_as_it_was() {
    for prob in [0.5, 0.5 + f64::EPSILON, 2.0 / 3.0, 0.9, 1.0 - f64::EPSILON / 2.0] {
        for constant_time in [false, true] {
            there_and_back(&make_randomized_response_bool(prob, constant_time).unwrap());
            for (length, weight, f) in
                [(0, 0, 1.0), (64, 2, prob), (usize::MAX, usize::MAX, 5e-324)]
            {
                let domain = BitVectorDomain::new(length).with_max_weight(weight);
                let made =
                    make_randomized_response_bitvec(domain, DiscreteDistance, f, constant_time);
                there_and_back(&made.unwrap());
            }
        }
        let texts = ["", "a\"b\\c", "Grüße", "1", "null"].map(str::to_owned);
        there_and_back(&make_randomized_response(texts, prob).unwrap());
        there_and_back(&make_randomized_response([i64::MIN, -1, 0, i64::MAX], prob).unwrap());
    }
    there_and_back(&make_randomized_response_bool(1.0, true).unwrap());
    let borrowed = make_randomized_response(["b", "a"], 0.5).unwrap();
    let owned = make_randomized_response(["b".to_owned(), "a".to_owned()], 0.5).unwrap();
    assert_eq!(Spec::from(&borrowed), Spec::from(&owned));
}

fn integers_there_and_back<T: NamedInteger>(low: T, high: T) {
    for scale in [0.0, 5e-324, 2.0 / 3.0, f64::MAX] {
        for domain in [AtomDomain::all(), AtomDomain::bounded(low, high).unwrap()] {
            let made = make_scalar_integer_laplace_cks20(domain, AbsoluteDistance::new(), scale);
            let made = made.unwrap();
            there_and_back(&made);
            assert_ne!(Spec::from(&made), Spec::from(&made.clone().with_constant_time()));
            there_and_back(&made.with_constant_time());
            for domain in [VectorDomain::new(domain), VectorDomain::new(domain).with_size(9)] {
                let made = make_vector_integer_laplace_cks20(domain, L1Distance::new(), scale);
                let made = made.unwrap();
                there_and_back(&made);
                assert_ne!(Spec::from(&made), Spec::from(&made.clone().with_constant_time()));
                there_and_back(&made.with_constant_time());
            }
        }
    }
}

#[test]
fn every_integer_mechanism_comes_back_as_it_was() {
    integers_there_and_back(i32::MIN, i32::MAX);
    integers_there_and_back(-3i32, 3);
    integers_there_and_back(i64::MIN, i64::MAX);
}

const BOOL: &str = r#"{"mechanism":"randomized_response_bool","prob":0.75,"constant_time":true}"#;
const SCALAR: &str = r#"{"mechanism":"scalar_float_laplace_cks20","number":"f32","scale":0.5}"#;

#[test]
fn what_is_no_spec_is_refused() {
    for bad in [
        r#"{"mechanism":"randomized_response_bool","prob":0.75,"constant_time":true,"seed":1}"#,
        r#"{"mechanism":"randomized_response_bool","prob":0.75}"#,
        r#"{"mechanism":"randomized_response_bool","prob":"0.75","constant_time":true}"#,
        r#"{"mechanism":"gaussian","scale":1.0}"#,
        r#"{"prob":0.75,"constant_time":true}"#,
        r#"{"mechanism":"randomized_response","categories":[1,"a"],"prob":0.5}"#,
        r#"{"mechanism":"randomized_response","categories":[1.5,2.5],"prob":0.5}"#,
        r#"{"mechanism":"scalar_float_laplace_cks20","number":"f16","scale":0.5}"#,
        r#"{"mechanism":"scalar_float_laplace_cks20","number":"f32","scale":0.5,"size":3}"#,
        r#"{"mechanism":"scalar_float_laplace_cks20","number":"f32","scale":0.5,"k":0.5}"#,
        r#"{"mechanism":"scalar_float_laplace_cks20","number":"f32","scale":0.5,"k":2147483648}"#,
        r#"{"mechanism":"randomized_response_bitvec","length":-1,"max_weight":1,"f":0.5,"constant_time":true}"#,
    ] {
        assert!(serde_json::from_str::<Spec>(bad).is_err(), "{bad}");
    }
    assert!(serde_json::from_str::<Spec>(BOOL).is_ok());
    assert!(serde_json::from_str::<Spec>(SCALAR).is_ok());
}

/// A file has no NaN and no infinity; what a program puts into a spec itself is refused by the constructor.
#[test]
fn nan_and_infinities_do_not_come_through() {
    for bad in ["NaN", "Infinity", "-Infinity", "null", "1e400", "-1e400"] {
        let json = BOOL.replace("0.75", bad);
        assert!(serde_json::from_str::<Spec>(&json).is_err(), "{json}");
        let json = SCALAR.replace("0.5", bad);
        assert!(serde_json::from_str::<Spec>(&json).is_err(), "{json}");
    }
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let spec = Spec::RandomizedResponseBool { prob: bad, constant_time: true };
        assert_eq!(RandomizedResponseBool::try_from(spec).unwrap_err().parameter(), Some("prob"));
        let scalar = |bounds, scale| {
            let number = FloatType::F64;
            let spec = Spec::ScalarFloatLaplaceCks20 { number, bounds, scale, k: None };
            ScalarFloatLaplaceCks20::<f64>::try_from(spec).unwrap_err().parameter()
        };
        assert_eq!(scalar(None, bad), Some("scale"));
        assert_eq!(scalar(Some((bad, 1.0)), 1.0), Some("lower"));
        assert_eq!(scalar(Some((0.0, bad)), 1.0), Some("upper"));
        let number = IntegerType::I64;
        let constant_time = false;
        let spec =
            Spec::ScalarIntegerLaplaceCks20 { number, bounds: None, scale: bad, constant_time };
        let error = ScalarIntegerLaplaceCks20::<i64>::try_from(spec).unwrap_err();
        assert_eq!(error.parameter(), Some("scale"));
    }
}

#[test]
fn bad_parameters_get_the_constructors_error() {
    let error = RandomizedResponseBool::try_from(read(&BOOL.replace("0.75", "0.25"))).unwrap_err();
    assert_eq!(error, make_randomized_response_bool(0.25, true).unwrap_err());
    let json = r#"{"mechanism":"randomized_response","categories":["a","a"],"prob":0.5}"#;
    let error = RandomizedResponse::<String>::try_from(read(json)).unwrap_err();
    assert_eq!(error, make_randomized_response(["a", "a"], 0.5).unwrap_err());
    let json = r#"{"mechanism":"randomized_response","categories":[1,2,3],"prob":0.25}"#;
    let error = RandomizedResponse::<i64>::try_from(read(json)).unwrap_err();
    assert_eq!(error, make_randomized_response([1, 2, 3], 0.25).unwrap_err());
    let json = r#"{"mechanism":"randomized_response_bitvec","length":8,"max_weight":1,"f":0,"constant_time":true}"#;
    let error = RandomizedResponseBitvec::try_from(read(json)).unwrap_err();
    let domain = BitVectorDomain::new(8).with_max_weight(1);
    let made = make_randomized_response_bitvec(domain, DiscreteDistance, 0.0, true);
    assert_eq!(error, made.unwrap_err());
    let domain = AtomDomain::<f32>::finite();
    let make = |scale, k| {
        make_scalar_float_laplace_cks20(domain, AbsoluteDistance::new(), scale, k).unwrap_err()
    };
    let error = |json: &str| ScalarFloatLaplaceCks20::<f32>::try_from(read(json)).unwrap_err();
    assert_eq!(error(&SCALAR.replace("0.5", "-0.5")), make(-0.5, None));
    assert_eq!(error(&SCALAR.replace("0.5", r#"0.5,"k":128"#)), make(0.5, Some(128)));
    let json = SCALAR.replace("scalar", "vector").replace("0.5", r#"0.5,"k":0"#);
    let error = VectorFloatLaplaceCks20::<f32>::try_from(read(&json)).unwrap_err();
    assert_eq!(error.parameter(), Some("input_domain"));
    let json =
        r#"{"mechanism":"scalar_integer_laplace_cks20","number":"i32","bounds":[5,1],"scale":1}"#;
    let error = ScalarIntegerLaplaceCks20::<i32>::try_from(read(json)).unwrap_err();
    assert_eq!(error, AtomDomain::bounded(5, 1).unwrap_err());
}

#[test]
fn a_number_that_the_type_does_not_have_is_refused() {
    for scale in ["0.1", "1e39", "1e-46", "16777217"] {
        let json = SCALAR.replace("0.5", scale);
        let error = ScalarFloatLaplaceCks20::<f32>::try_from(read(&json)).unwrap_err();
        assert_eq!((error.kind(), error.parameter()), (ErrorKind::InvalidParameter, Some("scale")));
        let wide = json.replace("f32", "f64");
        assert!(ScalarFloatLaplaceCks20::<f64>::try_from(read(&wide)).is_ok(), "{wide}");
    }
    let json = SCALAR.replace("0.5", r#"0.5,"bounds":[0.1,1]"#);
    let error = ScalarFloatLaplaceCks20::<f32>::try_from(read(&json)).unwrap_err();
    assert_eq!(error.parameter(), Some("lower"));
    for (bounds, parameter) in [("[-2147483649,0]", "lower"), ("[0,2147483648]", "upper")] {
        let json = format!(
            r#"{{"mechanism":"vector_integer_laplace_cks20","number":"i32","bounds":{bounds},"scale":1}}"#
        );
        let error = VectorIntegerLaplaceCks20::<i32>::try_from(read(&json)).unwrap_err();
        assert_eq!(error.parameter(), Some(parameter));
        let wide = json.replace("i32", "i64");
        assert!(VectorIntegerLaplaceCks20::<i64>::try_from(read(&wide)).is_ok());
    }
}

#[test]
fn the_spec_of_another_mechanism_is_refused() {
    fn refused<M: TryFrom<Spec, Error = Error>>(json: &str) {
        let error = M::try_from(read(json)).err().expect("another mechanism");
        assert_eq!(error.kind(), ErrorKind::InvalidParameter);
        assert_eq!(error.parameter(), Some("mechanism"));
    }
    refused::<RandomizedResponseBool>(SCALAR);
    refused::<RandomizedResponseBitvec>(BOOL);
    refused::<RandomizedResponse<String>>(BOOL);
    refused::<RandomizedResponse<i64>>(BOOL);
    refused::<ScalarFloatLaplaceCks20<f64>>(SCALAR);
    refused::<VectorFloatLaplaceCks20<f32>>(SCALAR);
    refused::<ScalarIntegerLaplaceCks20<i64>>(SCALAR);
    refused::<VectorIntegerLaplaceCks20<i32>>(SCALAR);
    let texts = r#"{"mechanism":"randomized_response","categories":["1","2"],"prob":0.5}"#;
    refused::<RandomizedResponse<i64>>(texts);
    refused::<RandomizedResponse<String>>(&texts.replace(r#""1","2""#, "1,2"));
    let integer = r#"{"mechanism":"scalar_integer_laplace_cks20","number":"i32","scale":1}"#;
    refused::<ScalarIntegerLaplaceCks20<i64>>(integer);
    assert!(ScalarIntegerLaplaceCks20::<i32>::try_from(read(integer)).is_ok());
    let integers = integer.replace("scalar", "vector");
    refused::<VectorIntegerLaplaceCks20<i64>>(&integers);
    assert!(VectorIntegerLaplaceCks20::<i32>::try_from(read(&integers)).is_ok());
    let floats = r#"{"mechanism":"vector_float_laplace_cks20","number":"f32","scale":1}"#;
    refused::<VectorFloatLaplaceCks20<f64>>(floats);
    assert!(VectorFloatLaplaceCks20::<f32>::try_from(read(floats)).is_ok());
}

/// An empty list may be of texts as well as of integers.
#[test]
fn no_categories_get_the_constructors_error() {
    let json = r#"{"mechanism":"randomized_response","categories":[],"prob":0.5}"#;
    let error = RandomizedResponse::<String>::try_from(read(json)).unwrap_err();
    assert_eq!(error.parameter(), Some("categories"));
}

/// A reader of files checks a spec without knowing which mechanism it is of.
#[test]
fn a_spec_is_checked_by_the_constructor_it_names() {
    for (json, parameter) in [
        (BOOL, None),
        (SCALAR, None),
        (r#"{"mechanism":"randomized_response_bool","prob":2,"constant_time":true}"#, Some("prob")),
        (
            r#"{"mechanism":"randomized_response","categories":[1,1],"prob":0.5}"#,
            Some("categories"),
        ),
        (r#"{"mechanism":"randomized_response","categories":["a","b"],"prob":0}"#, Some("prob")),
        (
            r#"{"mechanism":"randomized_response_bitvec","length":1,"max_weight":1,"f":0,"constant_time":true}"#,
            Some("f"),
        ),
        (r#"{"mechanism":"scalar_float_laplace_cks20","number":"f32","scale":0.1}"#, Some("scale")),
        (r#"{"mechanism":"scalar_float_laplace_cks20","number":"f64","scale":-1}"#, Some("scale")),
        (
            r#"{"mechanism":"vector_float_laplace_cks20","number":"f32","scale":1,"k":200}"#,
            Some("k"),
        ),
        (
            r#"{"mechanism":"vector_float_laplace_cks20","number":"f64","scale":1,"k":0}"#,
            Some("input_domain"),
        ),
        (
            r#"{"mechanism":"scalar_integer_laplace_cks20","number":"i32","bounds":[0,3000000000],"scale":1}"#,
            Some("upper"),
        ),
        (
            r#"{"mechanism":"scalar_integer_laplace_cks20","number":"i64","scale":-1}"#,
            Some("scale"),
        ),
        (
            r#"{"mechanism":"vector_integer_laplace_cks20","number":"i32","scale":-1}"#,
            Some("scale"),
        ),
        (
            r#"{"mechanism":"vector_integer_laplace_cks20","number":"i64","bounds":[2,1],"scale":1}"#,
            Some("lower"),
        ),
    ] {
        let refused = read(json).check().err().and_then(|error| error.parameter());
        assert_eq!(refused, parameter, "{json}");
    }
    let inexact = r#"{"mechanism":"scalar_float_laplace_cks20","number":"f32","scale":0.1}"#;
    let message = read(inexact).check().unwrap_err().to_string();
    assert!(message.ends_with("such as 0.10000000149011612"), "{message}");
    // The nearest one is zero, which nobody asked for.
    let tiny = r#"{"mechanism":"scalar_float_laplace_cks20","number":"f32","scale":1e-60}"#;
    let message = read(tiny).check().unwrap_err().to_string();
    assert!(message.ends_with("accepted is a finite number of the type"), "{message}");
}

/// As it was written before there was such a form.
#[test]
fn noise_that_is_not_constant_time_does_not_say_so() {
    let domain = AtomDomain::<i64>::all();
    let made = make_scalar_integer_laplace_cks20(domain, AbsoluteDistance::new(), 2.0).unwrap();
    let written = |made: &_| serde_json::to_string(&Spec::from(made)).unwrap();
    assert!(!written(&made).contains("constant_time"));
    assert!(written(&made.with_constant_time()).contains("\"constant_time\":true"));
}

#[test]
fn the_time_is_no_part_of_the_law() {
    let with = |from: &str, to: &str| {
        let all = [
            r#"{"mechanism":"randomized_response_bool","prob":0.75,"constant_time":false}"#,
            r#"{"mechanism":"randomized_response_bitvec","length":8,"max_weight":2,"f":0.75,"constant_time":false}"#,
            r#"{"mechanism":"scalar_integer_laplace_cks20","number":"i64","bounds":null,"scale":0.75,"constant_time":false}"#,
            r#"{"mechanism":"vector_integer_laplace_cks20","number":"i64","bounds":null,"size":8,"scale":0.75,"constant_time":false}"#,
        ];
        all.map(|json| read(&json.replace(from, to)))
    };
    let ordinary = with("", "");
    for (i, spec) in ordinary.iter().enumerate() {
        for (j, constant) in with("false", "true").iter().enumerate() {
            assert_eq!((spec.has_law_of(constant), constant.has_law_of(spec)), (i == j, i == j));
            assert!(constant != spec && constant.has_law_of(constant));
        }
        for other in [with("0.75", "0.8"), with("i64", "i32"), with("8", "9")] {
            assert_eq!(spec.has_law_of(&other[i]), *spec == other[i], "{spec:?}");
        }
        assert!(
            !spec
                .has_law_of(&with("0.75,\"constant_time\":false", "0.8,\"constant_time\":true")[i])
        );
    }
    let choice =
        |prob| Spec::RandomizedResponse { categories: Categories::Integers([1, 2].into()), prob };
    assert!(choice(0.75).has_law_of(&choice(0.75)) && !choice(0.75).has_law_of(&choice(0.8)));
}
