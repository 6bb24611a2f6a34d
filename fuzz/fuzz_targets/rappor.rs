//! RAPPOR's parameters, what they lose, its clients and their reports.
#![no_main]

use arbitrary::Arbitrary;
use deniable::rappor::reference::Encoder;
use deniable::rappor::{CandidateMap, Client, CohortCounts, Params, Secret};
use deniable_fuzz::mechanism::check_loss;
use deniable_fuzz::planted;
use deniable_fuzz::share::Share;
use deniable_fuzz::words::Words;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    k: u32,
    h: u8,
    m: u16,
    // In the place of one of them.
    huge: Option<(usize, bool)>,
    p: Share,
    q: Share,
    f: Share,
    cohort: u16,
    value: &'a [u8],
    candidates: Vec<&'a str>,
    words: Vec<u64>,
}

/// The work of a report is so many bits at most, for this target to be quick.
const SMALL: usize = 1 << 12;

fuzz_target!(|input: Input<'_>| {
    let Input { k, h, m, huge, p, q, f, cohort, value, candidates, words } = input;
    let (mut k, h, mut m, cohort) = (k as usize, h.into(), m.into(), cohort.into());
    if let Some((huge, is_k)) = huge {
        *(if is_k { &mut k } else { &mut m }) = huge;
    }
    let Ok(params) = Params::new(k, h, m, p.0, q.0, f.0) else { return };
    check_loss(planted::loss(params.epsilon_of_report().get()));
    check_loss(planted::loss(params.epsilon_of_all_reports().get()));
    assert!(params.most_together() > 0, "no candidates at all");
    let channel = params.channel();
    assert!((0.0..=1.0).contains(&channel.truth()) && (0.0..=1.0).contains(&channel.lie()));
    let encoder = Encoder::new(params, cohort, value);
    if let Ok(encoder) = &encoder {
        check_loss(encoder.in_effect().epsilon_of_report().get());
        let report = encoder.report_from(value, &mut Words::new(words.clone())).expect("words");
        assert_eq!(report.bits().len(), k, "the length of a report");
    }
    if k * m.max(h) > SMALL {
        return;
    }
    let Ok(client) = Client::with_cohort(params, Secret::new([7; 32]), cohort) else {
        assert!(cohort >= m, "a cohort that is refused");
        return;
    };
    assert_eq!(client.permanent("q", value), client.permanent("q", value), "another answer");
    let report = client.report_from("q", value, &mut Words::new(words)).expect("words");
    planted::invocation(&report);
    let mut counts = CohortCounts::new(&params);
    counts.add(&report).expect("a report of these parameters");
    assert_eq!((counts.reports(), counts.fits(&params)), (1, true), "what was counted");
    let distinct = candidates.iter().collect::<std::collections::HashSet<_>>().len();
    let map = CandidateMap::new(&params, candidates.iter().copied());
    assert_eq!(map.is_ok(), distinct == candidates.len(), "which candidates there are");
});
