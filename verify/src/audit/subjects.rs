//! The shipping mechanisms under the black-box auditor, and mechanisms that lose more than they say.
//!
//! Each subject is run through `invoke`, with the operating system's entropy, as a user would.

use deniable::mechanism::{
    local_hashing, randomized_response, randomized_response_bitvec, randomized_response_bool,
    subset_selection, unary_encoding, vector_float_laplace_cks20, vector_integer_laplace_cks20,
};
use deniable::prelude::*;

use super::black_box::{Verdict, audit, power, trials_for};

pub mod rappor;

/// The losses that are claimed.
pub const CLAIMS: [f64; 3] = [0.1, 1.0, 5.0];

/// How much more a planted mechanism loses.
pub const EXCESS: f64 = 1.05;

/// One mechanism on two neighbouring inputs.
pub struct Subject {
    /// What it is called.
    pub name: &'static str,
    /// What it claims to lose: its `map`, unless it is planted.
    pub claimed: Epsilon,
    /// The outcomes that are told apart.
    pub buckets: Vec<u8>,
    /// An outcome of one input.
    pub left: Box<dyn FnMut() -> u8>,
    /// An outcome of the other.
    pub right: Box<dyn FnMut() -> u8>,
}

impl core::fmt::Debug for Subject {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} claiming {}", self.name, self.claimed)
    }
}

/// Audits every mechanism at every claim, and a planted one at every claim. `report` gets each verdict's line.
///
/// # Errors
///
/// Mechanisms that are accused, and planted ones that are not.
pub fn audit_subjects(mut report: impl FnMut(String)) -> Result<(), Vec<String>> {
    let mut findings = Vec::new();
    for claim in CLAIMS {
        let trials = trials_for(claim);
        for subject in shipping(claim) {
            let name = subject.name;
            let verdict = run(subject, trials).map_err(|error| vec![error])?;
            report(format!("{name}: {verdict}"));
            if verdict.is_violation() {
                findings.push(format!("{name}: {verdict}"));
            }
        }
        let trials = sure_trials(claim);
        let verdict = run(planted(claim), trials).map_err(|error| vec![error])?;
        report(format!("planted, loses {EXCESS} times what it claims: {verdict}"));
        if !verdict.is_violation() {
            findings.push(format!("planted at {claim}, but not found"));
        }
    }
    if findings.is_empty() { Ok(()) } else { Err(findings) }
}

/// Audits one.
///
/// # Errors
///
/// If there are more runs than the auditor can judge.
pub fn run(subject: Subject, trials: u64) -> Result<Verdict, String> {
    let Subject { claimed, buckets, left, right, .. } = subject;
    audit(claimed.get(), trials, &buckets, left, right)
}

/// The shipping mechanisms, each with the least noise that keeps `claim`.
fn shipping(claim: f64) -> Vec<Subject> {
    let claim = Epsilon::new(claim).expect("a claim is positive");
    let mut all = vec![
        yes_no(claim, claim),
        choice(claim, "make_randomized_response, two categories", 1),
        choice(claim, "make_randomized_response, a category and none", 9),
        hashed(claim, "make_local_hashing, two categories", 1),
        hashed(claim, "make_local_hashing, a category and none", 9),
        ticks(claim),
        bits_of_a_choice(claim, "make_unary_encoding, two categories", 2),
        bits_of_a_choice(claim, "make_unary_encoding, a category and none", 9),
        subset(claim, "make_subset_selection, two categories", 1),
        subset(claim, "make_subset_selection, a category and none", 9),
        float(claim),
        integer(claim),
    ];
    all.extend(rappor::shipping(claim));
    all
}

/// Randomized response that says it loses `claim`.
fn planted(claim: f64) -> Subject {
    let loss = |claim| Epsilon::new(claim).expect("a claim is positive");
    yes_no(loss(claim), loss(EXCESS * claim))
}

/// So many runs that the planted mechanism passes at most once in 10⁹ times.
fn sure_trials(claim: f64) -> u64 {
    let mut trials = 2 * trials_for(claim);
    while power(claim, EXCESS * claim, trials).0 < 1.0 - 1e-9 {
        trials += trials_for(claim) / 2;
    }
    trials
}

fn yes_no(claimed: Epsilon, loss: Epsilon) -> Subject {
    let prob = randomized_response_bool::largest_prob(loss);
    let mechanism = make_randomized_response_bool(prob, false).expect("an accepted prob");
    let other = mechanism.clone();
    Subject {
        name: "make_randomized_response_bool",
        claimed,
        buckets: vec![0],
        left: Box::new(move || u8::from(mechanism.invoke(&true).expect("entropy"))),
        right: Box::new(move || u8::from(other.invoke(&false).expect("entropy"))),
    }
}

fn choice(claim: Epsilon, name: &'static str, right: u8) -> Subject {
    let prob = randomized_response::largest_prob(5, claim).expect("an accepted claim");
    let mechanism = make_randomized_response(0..5u8, prob).expect("an accepted prob");
    let other = mechanism.clone();
    Subject {
        name,
        claimed: mechanism.map(1).expect("a distance"),
        buckets: (0..5).collect(),
        left: Box::new(move || mechanism.invoke(&3).expect("entropy")),
        right: Box::new(move || other.invoke(&right).expect("entropy")),
    }
}

fn hashed(claim: Epsilon, name: &'static str, right: u8) -> Subject {
    let buckets = local_hashing::best_buckets(claim);
    let prob = local_hashing::largest_prob(buckets, claim).expect("an accepted claim");
    let mechanism = make_local_hashing(0..2u8, buckets, prob).expect("accepted parameters");
    let other = mechanism.clone();
    // Which of the two categories have the bucket. Their buckets are the shift, and one step from it.
    let supported = move |report: deniable::Result<deniable::HashedReport>| {
        let report = report.expect("entropy");
        let [shift, step] = [0, 1].map(|i| usize::from(report.seed()[i]));
        let bucket = usize::from(report.bucket());
        u8::from(bucket == shift) + 2 * u8::from(bucket == (shift + step) % buckets)
    };
    Subject {
        name,
        claimed: mechanism.map(1).expect("a distance"),
        buckets: (0..4).collect(),
        left: Box::new(move || supported(mechanism.invoke(&0))),
        right: Box::new(move || supported(other.invoke(&right))),
    }
}

fn ticks(claim: Epsilon) -> Subject {
    let domain = BitVectorDomain::new(3).with_max_weight(1);
    let f = randomized_response_bitvec::smallest_f(&domain, claim).expect("a max_weight");
    let mechanism = make_randomized_response_bitvec(domain, DiscreteDistance, f, false);
    let mechanism = mechanism.expect("an accepted f");
    let other = mechanism.clone();
    let (first, last) =
        (BitVector::from([true, false, false]), BitVector::from([false, false, true]));
    let number = |report: deniable::Result<BitVector>| report.expect("entropy").to_bytes()[0];
    Subject {
        name: "make_randomized_response_bitvec",
        claimed: mechanism.map(1).expect("a distance"),
        buckets: (0..8).collect(),
        left: Box::new(move || number(mechanism.invoke(&first))),
        right: Box::new(move || number(other.invoke(&last))),
    }
}

fn bits_of_a_choice(claim: Epsilon, name: &'static str, right: u8) -> Subject {
    let (one, zero) = unary_encoding::optimized(claim).expect("an accepted claim");
    let mechanism = make_unary_encoding(0..3u8, one, zero).expect("accepted probabilities");
    let other = mechanism.clone();
    let number = |report: deniable::Result<BitVector>| report.expect("entropy").to_bytes()[0];
    Subject {
        name,
        claimed: mechanism.map(1).expect("a distance"),
        buckets: (0..8).collect(),
        left: Box::new(move || number(mechanism.invoke(&0))),
        right: Box::new(move || number(other.invoke(&right))),
    }
}

fn subset(claim: Epsilon, name: &'static str, right: u8) -> Subject {
    let prob = subset_selection::largest_prob(5, 2, claim).expect("an accepted claim");
    let mechanism = make_subset_selection(0..5u8, 2, prob).expect("an accepted prob");
    let other = mechanism.clone();
    let number = |report: deniable::Result<BitVector>| report.expect("entropy").to_bytes()[0];
    Subject {
        name,
        claimed: mechanism.map(1).expect("a distance"),
        buckets: (0u8..32).filter(|subset| subset.count_ones() == 2).collect(),
        left: Box::new(move || number(mechanism.invoke(&3))),
        right: Box::new(move || number(other.invoke(&right))),
    }
}

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
    // On which side of both inputs, in both numbers.
    let side = |released: deniable::Result<Vec<f64>>| {
        let of = |x: f64, low: f64| u8::from(x > low) + u8::from(x > low + 0.5);
        let released = released.expect("entropy");
        of(released[0], 0.0) * 3 + of(released[1], -0.5)
    };
    Subject {
        name: "make_vector_float_laplace_cks20",
        claimed: mechanism.map(1.0).expect("a distance"),
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
    let mechanism = mechanism.expect("an accepted scale");
    let other = mechanism.clone();
    let side = |released: deniable::Result<i64>| u8::from(released.expect("entropy") > 0);
    Subject {
        name: "make_scalar_integer_laplace_cks20",
        claimed: mechanism.map(1).expect("a distance"),
        buckets: vec![0],
        left: Box::new(move || side(mechanism.invoke(&0))),
        right: Box::new(move || side(other.invoke(&1))),
    }
}
