use crate::common::words;
use crate::rappor::{CandidateMap, CohortCounts, Params, Report};
use crate::{BitVector, ErrorKind};

fn params() -> Params {
    Params::new(70, 2, 5, 0.25, 0.75, 0.5).unwrap()
}

fn reports(count: usize) -> Vec<Report> {
    let random = words(1, 3 * count);
    let one = |i: usize| {
        let bits = BitVector::from_packed(&random[3 * i..], 0, 70).unwrap();
        Report::new((random[3 * i + 2] % 5) as usize, bits)
    };
    (0..count).map(one).collect()
}

#[test]
fn counts_are_those_of_one_bit_at_a_time() {
    let reports = reports(1000);
    let mut counts = CohortCounts::new(&params());
    reports[..300].iter().for_each(|report| counts.add(report).unwrap());
    counts.add_all(&reports[300..600]).unwrap();
    let mut others = CohortCounts::new(&params());
    others.add_all(&reports[600..]).unwrap();
    counts.merge(&others).unwrap();
    assert_eq!((counts.reports(), counts.length()), (1000, 70));
    assert!(counts.fits(&params()));
    for (cohort, counted) in counts.cohorts().iter().enumerate() {
        let of_it: Vec<_> = reports.iter().filter(|report| report.cohort() == cohort).collect();
        assert_eq!(counted.reports(), of_it.len() as u64);
        let ones = |bit| of_it.iter().filter(|r| r.bits().get(bit) == Some(true)).count() as u64;
        assert_eq!(counted.ones(), (0..70).map(ones).collect::<Vec<_>>());
    }
}

#[test]
fn what_is_no_report_adds_nothing() {
    let (mut counts, good) = (CohortCounts::new(&params()), reports(3));
    let accepted = "accepted is reports of 70 bits, of a cohort below 5";
    for (bad, problem) in [
        (Report::new(5, BitVector::zeros(70)), "has a cohort that there is none of"),
        (Report::new(usize::MAX, BitVector::zeros(70)), "has a cohort that there is none of"),
        (Report::new(0, BitVector::zeros(69)), "has another length"),
        (Report::new(4, BitVector::zeros(0)), "has another length"),
    ] {
        let all = [good.clone(), vec![bad.clone()]].concat();
        let error = counts.add_all(&all).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("invalid reports: report number 4 {problem}; {accepted}")
        );
        assert_eq!(counts.add(&bad).unwrap_err().kind(), ErrorKind::InvalidParameter);
        assert_eq!(counts, CohortCounts::new(&params()));
    }
    for (k, m) in [(70, 4), (70, 6), (69, 5)] {
        let other = Params::new(k, 2, m, 0.25, 0.75, 0.5).unwrap();
        let error = counts.merge(&CohortCounts::new(&other)).unwrap_err();
        assert_eq!(error.parameter(), Some("other"));
        assert!(!counts.fits(&other));
    }
}

#[test]
fn counts_are_written_and_read() {
    let mut counts = CohortCounts::new(&Params::new(2, 1, 2, 0.25, 0.75, 0.5).unwrap());
    counts.add(&Report::new(1, BitVector::from([false, true]))).unwrap();
    let json = serde_json::to_string(&counts).unwrap();
    assert_eq!(json, r#"{"cohorts":[{"reports":0,"ones":[0,0]},{"reports":1,"ones":[0,1]}]}"#);
    assert_eq!(serde_json::from_str::<CohortCounts>(&json).unwrap(), counts);
    for bad in [
        r#"{"cohorts":[]}"#,
        r#"{"cohorts":[{"reports":0,"ones":[0,0]},{"reports":1,"ones":[0]}]}"#,
        r#"{"cohorts":[{"reports":0,"ones":[1]}]}"#,
        r#"{"cohorts":[{"reports":9223372036854775808,"ones":[0]},{"reports":1,"ones":[0]}]}"#,
        r#"{"cohorts":[{"reports":9223372036854775808,"ones":[0]},{"reports":9223372036854775808,"ones":[0]}]}"#,
        r#"{"cohorts":[{"reports":0,"ones":[0]}],"params":0}"#,
    ] {
        assert!(serde_json::from_str::<CohortCounts>(bad).is_err(), "{bad}");
    }
    let most = r#"{"cohorts":[{"reports":9223372036854775808,"ones":[0]}]}"#;
    let mut most: CohortCounts = serde_json::from_str(most).unwrap();
    let one: CohortCounts =
        serde_json::from_str(r#"{"cohorts":[{"reports":1,"ones":[1]}]}"#).unwrap();
    let before = most.clone();
    assert!(most.merge(&one).is_err());
    assert_eq!(most, before);
}

#[test]
fn a_map_has_the_bits_of_each_candidate() {
    let params = params();
    let names = ["", "tea", "coffee", "ünï"];
    let map = CandidateMap::new(&params, names).unwrap();
    assert_eq!((map.len(), map.k(), map.h(), map.m()), (4, 70, 2, 5));
    assert!(map.names().eq(names) && !map.is_empty());
    for (candidate, name) in names.iter().enumerate() {
        assert_eq!((map.name(candidate), map.index_of(name)), (Some(*name), Some(candidate)));
        let mut rows = Vec::new();
        for cohort in 0..5 {
            let bits = params.bits_of(cohort, name).unwrap();
            let of_map = map.bits(candidate, cohort).unwrap();
            assert!(of_map.iter().map(|&bit| usize::from(bit)).eq(bits.iter().copied()));
            let filter = params.filter_of(cohort, name).unwrap();
            let ones = (0..70).filter(|&bit| filter.get(bit) == Some(true));
            rows.extend(ones.map(|bit| cohort * 70 + bit));
        }
        assert!(map.rows_of(candidate).eq(rows));
    }
    assert_eq!((map.bits(4, 0), map.bits(0, 5), map.name(4)), (None, None, None));
    assert_eq!((map.index_of("water"), map.rows_of(4).count()), (None, 0));
    assert_eq!(map, CandidateMap::new(&params, names).unwrap());
    assert_eq!(format!("{map:?}"), "CandidateMap { candidates: 4, k: 70, h: 2, m: 5, .. }");
    assert_ne!(map, CandidateMap::of_reference(&params, names).unwrap());
    let longer = Params::new(71, 2, 5, 0.25, 0.75, 0.5).unwrap();
    assert_ne!(map, CandidateMap::new(&longer, names).unwrap());
    assert_ne!(map, CandidateMap::new(&params, names.into_iter().rev()).unwrap());
    let none = CandidateMap::new(&params, Vec::<String>::new()).unwrap();
    assert!(none.is_empty() && none.bits(0, 0).is_none());
}

#[test]
fn equal_candidates_are_refused_and_not_told() {
    let error = CandidateMap::new(&params(), ["tea", "coffee", "tea"]).unwrap_err();
    let message =
        "invalid candidates: number 3 is equal to number 1; accepted is distinct candidates";
    assert_eq!(error.to_string(), message);
    let map = CandidateMap::new(&params(), ["tea"]).unwrap();
    assert!(!format!("{map:?}").contains("tea"));
}
