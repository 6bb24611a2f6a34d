//! RAPPOR's clients as black boxes: a new client for every run, with a secret of its own.

use deniable::mechanism::randomized_response_bitvec::smallest_f;
use deniable::rappor::reference::Encoder;
use deniable::rappor::{Params, Secret};
use deniable::{BitVectorDomain, Epsilon};
use deniable_audit::subject::{self, Apart, Subject};

/// Bits of a filter, and of those that a value sets.
const BITS: (usize, usize) = (4, 2);

/// Clients with the least noise that keeps `claim`. Those that report twice, or as the reference does, are left out where it takes many millions of them.
pub(super) fn shipping(claim: Epsilon) -> Vec<(&'static str, Subject)> {
    let mut all = vec![("rappor::Client, one report", subject::rappor(of_report(claim), 1))];
    if claim.get() >= 1.0 {
        all.extend([
            ("rappor::Client, two reports", subject::rappor(of_all_reports(claim), 2)),
            ("rappor::reference::Encoder, one report", reference(claim)),
        ]);
    }
    all
}

fn reference(claim: Epsilon) -> Subject {
    let params = of_report(claim);
    let encoder = move || Encoder::new(params, 0, *Secret::random()?.as_bytes());
    let known = encoder().expect("accepted parameters");
    let bit = |filter: u32, bit: usize| filter >> bit & 1 == 1;
    let apart = Apart::find(|value| {
        let filter = known.filter_of(value);
        (0..params.k()).map(|i| bit(filter, i)).collect()
    });
    let ([left, right], buckets) = (apart.values.clone(), apart.outcomes());
    let run = move |value: &str| {
        let report = encoder()?.report(value)?;
        Ok(apart.agreeing(|bit| report.bits().get(bit) == Some(true)))
    };
    let other = run.clone();
    Subject {
        claimed: known.in_effect().epsilon_of_report(),
        inputs: [left.clone(), right.clone()],
        seen: "how many of the bits that differ are as in the left input",
        buckets,
        left: Box::new(move || run(&left)),
        right: Box::new(move || other(&right)),
    }
}

/// Much permanent noise and little on top of it. Reports of these lose at most `claim`.
pub fn of_report(claim: Epsilon) -> Params {
    let with = |noise: u32| params(1.0 / 16.0, 15.0 / 16.0, f64::from(noise) / 1000.0);
    let enough = (0..1000).map(with).find(|params| params.epsilon_of_report() <= claim);
    enough.expect("all but no signal")
}

/// All reports of these lose at most `claim`. A one is one, and nearly always seen in one of two reports.
pub fn of_all_reports(claim: Epsilon) -> Params {
    let domain = BitVectorDomain::new(BITS.0).with_max_weight(BITS.1);
    params(0.0, 63.0 / 64.0, smallest_f(&domain, claim).expect("a max_weight"))
}

fn params(p: f64, q: f64, f: f64) -> Params {
    Params::new(BITS.0, BITS.1, 1, p, q, f).expect("accepted parameters")
}
