//! The files of RAPPOR's reference implementation, with zero bytes between them: parameters, counts, candidates, results.
#![no_main]

use deniable::rappor::files::{ResultRow, read_results, write_results};
use deniable::rappor::{CandidateMap, CohortCounts, Params};
use deniable_fuzz::planted;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut files = data.split(|&byte| byte == 0);
    let [params, counts, map, results] = [(); 4].map(|()| files.next().unwrap_or_default());
    check_results(results);
    planted::declared_length(params);
    let Ok(params) = Params::read_csv(params) else { return };
    let mut written = Vec::new();
    params.write_csv(&mut written).expect("a vector");
    assert_eq!(Params::read_csv(&written[..]).as_ref(), Ok(&params), "read back as another");
    let map = CandidateMap::read_csv(map, &params);
    if let Ok(map) = &map {
        let mut written = Vec::new();
        map.write_csv(&mut written).expect("a vector");
        let back = CandidateMap::read_csv(&written[..], &params);
        assert_eq!(back.as_ref(), Ok(map), "read back as another");
    }
    let Ok(counts) = CohortCounts::read_csv(counts, &params) else { return };
    let mut written = Vec::new();
    counts.write_csv(&mut written).expect("a vector");
    let back = CohortCounts::read_csv(&written[..], &params);
    assert_eq!(back.as_ref(), Ok(&counts), "read back as another");
    if let Ok(map) = map {
        decoded(&params, &counts, &map);
    }
});

/// Numbers are written with 15 digits: what was read from them once more is the same.
fn check_results(results: &[u8]) {
    let Ok(rows) = read_results(results) else { return };
    let written = |rows: &[ResultRow]| {
        let mut text = Vec::new();
        write_results(rows, &mut text).expect("a vector");
        text
    };
    let once = written(&rows);
    let back = read_results(&once[..]).expect("what was written");
    assert_eq!(written(&back), once, "read back as another");
}

/// Needs linear algebra, which the other targets of this kind are built without.
#[cfg(not(feature = "columns"))]
fn decoded(_: &Params, _: &CohortCounts, _: &CandidateMap) {}

#[cfg(feature = "columns")]
fn decoded(params: &Params, counts: &CohortCounts, map: &CandidateMap) {
    // More than these take the decoder long.
    if params.k() * params.m() > 1 << 10 {
        return;
    }
    let Ok(decoded) = deniable::rappor::decode::decode(params, counts, map) else { return };
    assert!(decoded.iter().all(|share| !share.share().is_nan()), "no share");
    let rows = ResultRow::of(&decoded, map).expect("the candidates that were decoded");
    write_results(&rows, std::io::sink()).expect("a sink");
}
