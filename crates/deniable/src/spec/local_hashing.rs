//! Local hashing as data.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Categories, Spec, another};
use crate::{Error, LocalHashing, Result, make_local_hashing};

impl From<&LocalHashing<String>> for Spec {
    fn from(mechanism: &LocalHashing<String>) -> Self {
        let texts = mechanism.categories().cloned().collect();
        spec(Categories::Texts(texts), mechanism.buckets(), mechanism.prob())
    }
}

impl From<&LocalHashing<&str>> for Spec {
    fn from(mechanism: &LocalHashing<&str>) -> Self {
        let texts = mechanism.categories().map(|&text| text.to_owned()).collect();
        spec(Categories::Texts(texts), mechanism.buckets(), mechanism.prob())
    }
}

impl From<&LocalHashing<i64>> for Spec {
    fn from(mechanism: &LocalHashing<i64>) -> Self {
        let integers = mechanism.categories().copied().collect();
        spec(Categories::Integers(integers), mechanism.buckets(), mechanism.prob())
    }
}

fn spec(categories: Categories, buckets: usize, prob: f64) -> Spec {
    Spec::LocalHashing { categories, buckets, prob }
}

impl TryFrom<Spec> for LocalHashing<String> {
    type Error = Error;

    fn try_from(spec: Spec) -> Result<Self> {
        match spec {
            Spec::LocalHashing { categories: Categories::Texts(texts), buckets, prob } => {
                make_local_hashing(texts, buckets, prob)
            }
            // An empty list is read as one of integers. The constructor says what is wrong with it.
            Spec::LocalHashing { categories: Categories::Integers(none), buckets, prob }
                if none.is_empty() =>
            {
                make_local_hashing(Vec::new(), buckets, prob)
            }
            _ => Err(another("local_hashing with texts as categories")),
        }
    }
}

impl TryFrom<Spec> for LocalHashing<i64> {
    type Error = Error;

    fn try_from(spec: Spec) -> Result<Self> {
        match spec {
            Spec::LocalHashing { categories: Categories::Integers(integers), buckets, prob } => {
                make_local_hashing(integers, buckets, prob)
            }
            _ => Err(another("local_hashing with integers as categories")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Spec {
        serde_json::from_str(json).unwrap()
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
        for (buckets, prob) in [(2, 0.5), (3, 1.0 / 3.0), (56, 0.7), (65_536, 0.1)] {
            let texts = ["", "a\"b", "Grüße", "1"].map(str::to_owned);
            there_and_back(&make_local_hashing(texts, buckets, prob).unwrap());
            there_and_back(&make_local_hashing([i64::MIN, 0, i64::MAX], buckets, prob).unwrap());
        }
        let borrowed = make_local_hashing(["b", "a"], 4, 0.5).unwrap();
        let owned = make_local_hashing(["b".to_owned(), "a".to_owned()], 4, 0.5).unwrap();
        assert_eq!(Spec::from(&borrowed), Spec::from(&owned));
        let json = serde_json::to_string(&Spec::from(&borrowed)).unwrap();
        assert_eq!(
            json,
            r#"{"mechanism":"local_hashing","categories":["b","a"],"buckets":4,"prob":0.5}"#
        );
    }

    #[test]
    fn what_the_constructor_refuses_is_refused() {
        let json = r#"{"mechanism":"local_hashing","categories":[1,2],"buckets":4,"prob":0.5}"#;
        for (from, to, parameter) in [
            ("[1,2]", "[1,1]", "categories"),
            ("[1,2]", "[]", "categories"),
            ("4", "1", "buckets"),
            ("4", "65537", "buckets"),
            ("0.5", "0.2", "prob"),
            ("0.5", "1", "prob"),
        ] {
            let error = read(&json.replace(from, to)).check().unwrap_err();
            assert_eq!(error.parameter(), Some(parameter), "{from} {to}");
        }
        let empty = read(&json.replace("[1,2]", "[]"));
        let error = LocalHashing::<String>::try_from(empty).unwrap_err();
        assert_eq!(error.parameter(), Some("categories"));
        for bad in ["-1", "1.5", "null", "\"4\""] {
            let bad = json.replace(":4,", &format!(":{bad},"));
            assert!(serde_json::from_str::<Spec>(&bad).is_err(), "{bad}");
        }
        assert!(serde_json::from_str::<Spec>(&json.replace("0.5", "0.5,\"seed\":1")).is_err());
    }

    #[test]
    fn the_spec_of_another_mechanism_is_refused() {
        let integers = r#"{"mechanism":"local_hashing","categories":[1,2],"buckets":4,"prob":0.5}"#;
        let texts = integers.replace("1,2", r#""1","2""#);
        let other = r#"{"mechanism":"randomized_response","categories":[1,2],"prob":0.5}"#;
        let refusals = [
            LocalHashing::<String>::try_from(read(integers)).err(),
            LocalHashing::<i64>::try_from(read(&texts)).err(),
            LocalHashing::<i64>::try_from(read(other)).err(),
            LocalHashing::<String>::try_from(read(other)).err(),
        ];
        assert!(refusals.iter().flatten().all(|error| error.parameter() == Some("mechanism")));
        assert_eq!(refusals.iter().flatten().count(), 4);
        assert!(LocalHashing::<i64>::try_from(read(integers)).is_ok());
    }
}
