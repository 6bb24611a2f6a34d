//! Mechanisms for categories whose reports are bits.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Categories, Spec, another};
use crate::{
    Error, Result, SubsetSelection, UnaryEncoding, make_subset_selection, make_unary_encoding,
};

macro_rules! for_categories {
    ($($mechanism:ident($($parameter:ident),*) is $make:ident, $name:literal;)*) => {$(
        impl From<&$mechanism<String>> for Spec {
            fn from(mechanism: &$mechanism<String>) -> Self {
                let categories = Categories::Texts(mechanism.categories().cloned().collect());
                Spec::$mechanism { categories, $($parameter: mechanism.$parameter()),* }
            }
        }

        impl From<&$mechanism<&str>> for Spec {
            fn from(mechanism: &$mechanism<&str>) -> Self {
                let texts = mechanism.categories().map(|&text| text.to_owned()).collect();
                let categories = Categories::Texts(texts);
                Spec::$mechanism { categories, $($parameter: mechanism.$parameter()),* }
            }
        }

        impl From<&$mechanism<i64>> for Spec {
            fn from(mechanism: &$mechanism<i64>) -> Self {
                let categories = Categories::Integers(mechanism.categories().copied().collect());
                Spec::$mechanism { categories, $($parameter: mechanism.$parameter()),* }
            }
        }

        impl TryFrom<Spec> for $mechanism<String> {
            type Error = Error;

            fn try_from(spec: Spec) -> Result<Self> {
                match spec {
                    Spec::$mechanism { categories: Categories::Texts(texts), $($parameter),* } => {
                        $make(texts, $($parameter),*)
                    }
                    // An empty list is read as one of integers. The constructor says what is wrong with it.
                    Spec::$mechanism { categories: Categories::Integers(none), $($parameter),* }
                        if none.is_empty() =>
                    {
                        $make(Vec::new(), $($parameter),*)
                    }
                    _ => Err(another(concat!($name, " with texts as categories"))),
                }
            }
        }

        impl TryFrom<Spec> for $mechanism<i64> {
            type Error = Error;

            fn try_from(spec: Spec) -> Result<Self> {
                match spec {
                    Spec::$mechanism {
                        categories: Categories::Integers(integers), $($parameter),*
                    } => $make(integers, $($parameter),*),
                    _ => Err(another(concat!($name, " with integers as categories"))),
                }
            }
        }
    )*};
}

for_categories! {
    UnaryEncoding(one, zero) is make_unary_encoding, "unary_encoding";
    SubsetSelection(size, prob) is make_subset_selection, "subset_selection";
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNARY: &str =
        r#"{"mechanism":"unary_encoding","categories":[1,2],"one":0.5,"zero":0.25}"#;
    const SUBSETS: &str =
        r#"{"mechanism":"subset_selection","categories":[1,2,3],"size":2,"prob":0.75}"#;

    fn read(json: &str) -> Spec {
        serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"))
    }

    fn there_and_back<M: TryFrom<Spec, Error = Error> + PartialEq + core::fmt::Debug>(mechanism: &M)
    where
        for<'a> Spec: From<&'a M>,
    {
        let spec = Spec::from(mechanism);
        assert_eq!(spec.check(), Ok(()));
        let back = M::try_from(read(&serde_json::to_string(&spec).unwrap())).unwrap();
        assert_eq!((&back, Spec::from(&back)), (mechanism, spec));
    }

    #[test]
    fn every_mechanism_comes_back_as_it_was() {
        let texts = ["", "a\"b\\c", "Grüße", "1"].map(str::to_owned);
        let integers = [i64::MIN, -1, 0, i64::MAX];
        for (one, zero) in [(0.5, 0.25), (1.0 - f64::EPSILON / 2.0, 5e-324), (0.3, 0.1)] {
            there_and_back(&make_unary_encoding(texts.clone(), one, zero).unwrap());
            there_and_back(&make_unary_encoding(integers, one, zero).unwrap());
        }
        for (size, prob) in [(1, 0.25), (2, 2.0 / 3.0), (3, 1.0 - f64::EPSILON / 2.0)] {
            there_and_back(&make_subset_selection(texts.clone(), size, prob).unwrap());
            there_and_back(&make_subset_selection(integers, size, prob).unwrap());
        }
    }

    #[test]
    fn they_are_written_by_their_names() {
        let write = |spec: Spec| serde_json::to_string(&spec).unwrap();
        assert_eq!(write(Spec::from(&make_unary_encoding([1, 2], 0.5, 0.25).unwrap())), UNARY);
        let subsets = make_subset_selection([1, 2, 3], 2, 0.75).unwrap();
        assert_eq!(write(Spec::from(&subsets)), SUBSETS);
        let borrowed = make_unary_encoding(["b", "a"], 0.5, 0.25).unwrap();
        let owned = make_unary_encoding(["b".to_owned(), "a".to_owned()], 0.5, 0.25).unwrap();
        assert_eq!(Spec::from(&borrowed), Spec::from(&owned));
        let borrowed = make_subset_selection(["b", "a"], 1, 0.5).unwrap();
        let owned = make_subset_selection(["b".to_owned(), "a".to_owned()], 1, 0.5).unwrap();
        assert_eq!(Spec::from(&borrowed), Spec::from(&owned));
    }

    #[test]
    fn what_the_constructor_refuses_is_refused() {
        for (json, from, to, parameter) in [
            (UNARY, "[1,2]", "[1,1]", "categories"),
            (UNARY, "[1,2]", "[]", "categories"),
            (UNARY, "[1,2]", r#"["a","a"]"#, "categories"),
            (UNARY, "0.5", "1", "one"),
            (UNARY, "0.25", "0", "zero"),
            (UNARY, "0.25", "0.5", "zero"),
            (SUBSETS, "[1,2,3]", "[1,1,2]", "categories"),
            (SUBSETS, "[1,2,3]", "[]", "categories"),
            (SUBSETS, ":2,", ":0,", "size"),
            (SUBSETS, ":2,", ":3,", "size"),
            (SUBSETS, "0.75", "0.5", "prob"),
            (SUBSETS, "0.75", "1", "prob"),
        ] {
            let error = read(&json.replace(from, to)).check().unwrap_err();
            assert_eq!(error.parameter(), Some(parameter), "{from} {to}");
        }
        let empty = |json: &str| read(&json.replace("[1,2,3]", "[]").replace("[1,2]", "[]"));
        let errors = [
            UnaryEncoding::<String>::try_from(empty(UNARY)).unwrap_err(),
            SubsetSelection::<String>::try_from(empty(SUBSETS)).unwrap_err(),
        ];
        assert!(errors.iter().all(|error| error.parameter() == Some("categories")));
        for bad in [
            UNARY.replace("0.5", "null"),
            UNARY.replace("0.5", "0.5,\"seed\":1"),
            UNARY.replace("0.25", "NaN"),
            SUBSETS.replace(":2,", ":-1,"),
            SUBSETS.replace(":2,", ":1.5,"),
        ] {
            assert!(serde_json::from_str::<Spec>(&bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_spec_of_another_mechanism_is_refused() {
        let texts = |json: &str| json.replace("[1,2", r#"["1","2""#).replace(",3]", r#","3"]"#);
        let refusals = [
            UnaryEncoding::<String>::try_from(read(UNARY)).err(),
            UnaryEncoding::<i64>::try_from(read(&texts(UNARY))).err(),
            UnaryEncoding::<i64>::try_from(read(SUBSETS)).err(),
            UnaryEncoding::<String>::try_from(read(SUBSETS)).err(),
            SubsetSelection::<String>::try_from(read(SUBSETS)).err(),
            SubsetSelection::<i64>::try_from(read(&texts(SUBSETS))).err(),
            SubsetSelection::<i64>::try_from(read(UNARY)).err(),
            SubsetSelection::<String>::try_from(read(UNARY)).err(),
        ];
        assert_eq!(refusals.iter().flatten().count(), 8);
        assert!(refusals.iter().flatten().all(|error| error.parameter() == Some("mechanism")));
        assert!(UnaryEncoding::<i64>::try_from(read(UNARY)).is_ok());
        assert!(SubsetSelection::<String>::try_from(read(&texts(SUBSETS))).is_ok());
    }
}
