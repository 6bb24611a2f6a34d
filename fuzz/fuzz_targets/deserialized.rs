//! All that is read by `serde`, and what is done with it.
#![no_main]

use deniable::estimate::{BitCounts, FrequencyOracle};
use deniable::mechanism::local_hashing::HashedReport;
use deniable::prelude::*;
use deniable::rappor::decode::decode;
use deniable::rappor::{CandidateMap, CohortCounts, Params};
use deniable::spec::Spec;
use deniable_arrow::mechanism::Counts;
use deniable_arrow::{Fingerprint, How, Mechanism, Survey, SurveyCounts};
use deniable_fuzz::planted;
use deniable_fuzz::survey::SURVEY;
use libfuzzer_sys::fuzz_target;
use serde::Serialize;
use serde::de::DeserializeOwned;

fuzz_target!(|data: &[u8]| {
    // The first byte says what the rest is.
    let Some((kind, json)) = data.split_first() else { return };
    match kind % 7 {
        0 => bit_counts(json),
        1 => hashed_report(json),
        2 => drop(read::<Params>(json)),
        3 => cohort_counts(json),
        4 => survey_counts(json),
        5 => counts(json),
        _ => drop(read::<Fingerprint>(json)),
    }
});

fn read<T>(json: &[u8]) -> Option<T>
where
    T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let value: T = serde_json::from_slice(json).ok()?;
    let written = planted::written(serde_json::to_string(&value).expect("plain data"));
    let back: T = serde_json::from_str(&written).expect("what was written");
    assert_eq!(back, value, "read back as another");
    Some(value)
}

fn bit_counts(json: &[u8]) {
    let Some(counts) = read::<BitCounts>(json) else { return };
    let length = counts.length();
    let domain = BitVectorDomain::new(length).with_max_weight(1.min(length));
    if let Ok(bits) = make_randomized_response_bitvec(domain, DiscreteDistance, 0.5, false) {
        if let Ok(estimates) = bits.estimate(&counts) {
            assert!(estimates.iter().all(|estimate| !estimate.share().is_nan()), "no share");
        }
    }
    let mut twice = counts.clone();
    if twice.merge(&counts).is_ok() {
        assert_eq!(twice.reports(), 2 * counts.reports(), "what was merged");
    }
}

fn hashed_report(json: &[u8]) {
    let Some(report) = read::<HashedReport>(json) else { return };
    let hashing = make_local_hashing(["a", "b", "c", "d", "e"], 3, 0.5).expect("parameters");
    let mut counts = BitCounts::new(hashing.values());
    let is_counted = hashing.count(&[report.clone()], &mut counts).is_ok();
    let is_report = report.bucket() < 3 && report.seed().iter().all(|&residue| residue < 3);
    assert!(is_report || !is_counted, "what is no report was counted");
}

fn cohort_counts(json: &[u8]) {
    let Some(counts) = read::<CohortCounts>(json) else { return };
    let mut twice = counts.clone();
    let _ = twice.merge(&counts);
    let (k, m) = (counts.length(), counts.cohorts().len());
    let Ok(params) = Params::new(k, 1, m, 0.25, 0.75, 0.5) else { return };
    let map = CandidateMap::new(&params, ["a", "b", "c"]).expect("candidates");
    if let Ok(decoded) = decode(&params, &counts, &map) {
        assert!(decoded.iter().all(|share| !share.share().is_nan()), "no share");
    }
}

fn survey_counts(json: &[u8]) {
    let Some(counts) = read::<SurveyCounts>(json) else { return };
    let survey = Survey::parse(SURVEY).expect("a survey");
    let mut sum = survey.counts();
    if sum.merge(&counts).is_ok() {
        let _ = survey.estimate(&sum, &How::default());
    }
    let _ = survey.estimate(&counts, &How::default());
}

fn counts(json: &[u8]) {
    let Some(counts) = read::<Counts>(json) else { return };
    let mut twice = counts.clone();
    let _ = twice.merge(&counts);
    let value: serde_json::Value = serde_json::from_slice(json).expect("it was read");
    let Ok(spec) = serde_json::from_value::<Spec>(value["mechanism"].clone()) else { return };
    let Ok(mechanism) = Mechanism::try_from(spec) else { return };
    let _ = mechanism.estimate(&counts, &How::default());
}
