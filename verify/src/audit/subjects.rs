//! The shipping mechanisms under the black-box auditor, and mechanisms that lose more than they say.

use deniable::mechanism::{
    local_hashing, randomized_response, randomized_response_bitvec, randomized_response_bool,
    subset_selection, unary_encoding, vector_float_laplace_cks20, vector_integer_laplace_cks20,
};
use deniable::prelude::*;
use deniable_audit::subject::{self, Other, Subject};

use super::black_box::{power, trials_for};

pub mod rappor;

/// The losses that are claimed.
pub const CLAIMS: [f64; 3] = [0.1, 1.0, 5.0];

/// How much more a planted mechanism loses.
pub const EXCESS: f64 = 1.05;

/// Audits every mechanism at every claim, and a planted one at every claim. `report` gets each verdict's line.
///
/// # Errors
///
/// Mechanisms that are accused, and planted ones that are not.
pub fn audit_subjects(mut report: impl FnMut(String)) -> Result<u64, Vec<String>> {
    let mut findings = Vec::new();
    let mut subjects = 0;
    for claim in CLAIMS {
        let trials = trials_for(claim);
        for (name, subject) in shipping(claim) {
            let verdict = subject.audit(trials).map_err(|error| vec![error])?;
            report(format!("{name}: {verdict}"));
            subjects += 1;
            if verdict.is_violation() {
                findings.push(format!("{name}: {verdict}"));
            }
        }
        let verdict = planted(claim).audit(sure_trials(claim)).map_err(|error| vec![error])?;
        report(format!("planted, loses {EXCESS} times what it claims: {verdict}"));
        if !verdict.is_violation() {
            findings.push(format!("planted at {claim}, but not found"));
        }
    }
    if findings.is_empty() { Ok(subjects) } else { Err(findings) }
}

/// The shipping mechanisms, each with the least noise that keeps `claim`.
fn shipping(claim: f64) -> Vec<(String, Subject)> {
    let claim = epsilon(claim);
    let mut all = vec![("make_randomized_response_bool".to_owned(), yes_no(claim))];
    for (other, inputs) in
        [(Other::Category, "two categories"), (Other::None, "a category and none")]
    {
        let subjects = [
            ("make_randomized_response", choice(claim, other)),
            ("make_local_hashing", hashed(claim, other)),
            ("make_unary_encoding", bits_of_a_choice(claim, other)),
            ("make_subset_selection", subset(claim, other)),
        ];
        all.extend(subjects.map(|(name, subject)| (format!("{name}, {inputs}"), subject)));
    }
    let others = [
        ("make_randomized_response_bitvec", ticks(claim)),
        ("make_vector_float_laplace_cks20", float(claim)),
        ("make_scalar_integer_laplace_cks20", integer(claim)),
    ];
    all.extend(others.into_iter().chain(rappor::shipping(claim)).map(|(n, s)| (n.to_owned(), s)));
    all
}

/// Randomized response that says it loses `claim`.
fn planted(claim: f64) -> Subject {
    Subject { claimed: epsilon(claim), ..yes_no(epsilon(EXCESS * claim)) }
}

/// So many runs that the planted mechanism passes at most once in 10⁹ times.
fn sure_trials(claim: f64) -> u64 {
    let mut trials = 2 * trials_for(claim);
    while power(claim, EXCESS * claim, trials).0 < 1.0 - 1e-9 {
        trials += trials_for(claim) / 2;
    }
    trials
}

fn epsilon(claim: f64) -> Epsilon {
    Epsilon::new(claim).expect("a claim is positive")
}

fn yes_no(claim: Epsilon) -> Subject {
    let prob = randomized_response_bool::largest_prob(claim);
    subject::yes_no(make_randomized_response_bool(prob, false).expect("an accepted prob"))
}

fn choice(claim: Epsilon, other: Other) -> Subject {
    let prob = randomized_response::largest_prob(5, claim).expect("an accepted claim");
    subject::choice(make_randomized_response(0..5, prob).expect("an accepted prob"), other)
}

fn hashed(claim: Epsilon, other: Other) -> Subject {
    let buckets = local_hashing::best_buckets(claim);
    let prob = local_hashing::largest_prob(buckets, claim).expect("an accepted claim");
    let mechanism = make_local_hashing(0..2, buckets, prob).expect("accepted parameters");
    subject::hashed(mechanism, other)
}

fn ticks(claim: Epsilon) -> Subject {
    let domain = BitVectorDomain::new(3).with_max_weight(1);
    let f = randomized_response_bitvec::smallest_f(&domain, claim).expect("a max_weight");
    let mechanism = make_randomized_response_bitvec(domain, DiscreteDistance, f, false);
    subject::ticks(mechanism.expect("an accepted f")).expect("a distance")
}

fn bits_of_a_choice(claim: Epsilon, other: Other) -> Subject {
    let (one, zero) = unary_encoding::optimized(claim).expect("an accepted claim");
    let mechanism = make_unary_encoding(0..3, one, zero).expect("accepted probabilities");
    subject::bits_of_a_choice(mechanism, other)
}

fn subset(claim: Epsilon, other: Other) -> Subject {
    let prob = subset_selection::largest_prob(5, 2, claim).expect("an accepted claim");
    subject::subset(make_subset_selection(0..5, 2, prob).expect("an accepted prob"), other)
}

/// Two numbers, of which each is on one side of both inputs, on the other, or between them.
fn float(claim: Epsilon) -> Subject {
    let scale = vector_float_laplace_cks20::smallest_scale(1.0, claim, Some(2), None);
    let domain = VectorDomain::finite::<f64>().with_size(2);
    let mechanism = make_vector_float_laplace_cks20(
        domain,
        L1Distance::new(),
        scale.expect("an accepted claim"),
        None,
    );
    let mechanism = mechanism.expect("an accepted scale");
    let other = mechanism.clone();
    let side = |released: deniable::Result<Vec<f64>>| {
        let of = |x: f64, low: f64| u32::from(x > low) + u32::from(x > low + 0.5);
        released.map(|released| of(released[0], 0.0) * 3 + of(released[1], -0.5))
    };
    Subject {
        claimed: mechanism.map(1.0).expect("a distance"),
        inputs: ["0, 0", "0.5, −0.5"].map(str::to_owned),
        seen: "the sides of both inputs",
        buckets: (0..9).collect(),
        left: Box::new(move || side(mechanism.invoke(&[0.0, 0.0]))),
        right: Box::new(move || side(other.invoke(&[0.5, -0.5]))),
    }
}

fn integer(claim: Epsilon) -> Subject {
    let scale = vector_integer_laplace_cks20::smallest_scale(1, claim);
    let mechanism = make_scalar_integer_laplace_cks20(
        AtomDomain::<i64>::all(),
        AbsoluteDistance::new(),
        scale.expect("an accepted claim"),
    );
    subject::integer(mechanism.expect("an accepted scale"), 1).expect("a distance")
}
