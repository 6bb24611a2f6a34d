//! The shipping mechanisms under the black-box auditor, and mechanisms that lose more than they say.

use deniable::mechanism::{
    local_hashing, randomized_response, randomized_response_bitvec, randomized_response_bool,
    subset_selection, unary_encoding,
};
use deniable::prelude::*;
use deniable_audit::subject::{self, Other, Subject};

use super::black_box::{FALSE_ALARM, Verdict, power_at, trials_at};

mod laplace;
pub mod rappor;

/// The losses that are claimed.
pub const CLAIMS: [f64; 3] = [0.1, 1.0, 5.0];

/// How much more a planted mechanism loses.
pub const EXCESS: f64 = 1.05;

/// Audits every mechanism at every claim, and a planted one at every claim. All audits together accuse a mechanism that keeps its promise with a probability of at
/// most [`FALSE_ALARM`]. `report` gets each verdict's line.
///
/// # Errors
///
/// Mechanisms that are accused, and planted ones that are not.
pub fn audit_subjects(report: impl Fn(String) + Sync) -> Result<u64, Vec<String>> {
    let each = part_of_an_alarm();
    let mut findings = Vec::new();
    let verdicts = all_verdicts(each, &report)?;
    findings.extend(accused(&verdicts));
    for claim in CLAIMS {
        let trials = sure_trials(each, claim);
        let verdict = planted(claim).audit_at(each, trials).map_err(|error| vec![error])?;
        report(format!("planted, loses {EXCESS} times what it claims: {verdict}"));
        if !verdict.is_violation() {
            findings.push(format!("planted at {claim}, but not found"));
        }
    }
    if findings.is_empty() { Ok(verdicts.len() as u64) } else { Err(findings) }
}

/// Every mechanism at every claim, with the claim.
fn subjects() -> impl Iterator<Item = (f64, String, Subject)> {
    let at = |claim| shipping(claim).into_iter().map(move |(name, subject)| (claim, name, subject));
    CLAIMS.into_iter().flat_map(at)
}

/// What each audit may have of [`FALSE_ALARM`].
fn part_of_an_alarm() -> f64 {
    FALSE_ALARM / subjects().count() as f64
}

/// Audits side by side, as many as there are cores.
fn all_verdicts(
    each: f64,
    report: &(impl Fn(String) + Sync),
) -> Result<Vec<(String, Verdict)>, Vec<String>> {
    let workers = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    // A run is of one thread, which makes its subjects itself.
    let work = |worker: usize| {
        let mut verdicts = Vec::new();
        for (claim, name, subject) in subjects().skip(worker).step_by(workers) {
            let verdict = subject.audit_at(each, trials_at(each, claim))?;
            report(format!("{name}: {verdict}"));
            verdicts.push((name, verdict));
        }
        Ok(verdicts)
    };
    let all: Result<Vec<_>, String> = std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
        let ended = |worker: std::thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|_| Err("an audit panicked".to_owned()))
        };
        workers.into_iter().map(ended).collect()
    });
    Ok(all.map_err(|error| vec![error])?.concat())
}

/// Mechanisms that are accused, and whether too many would be that keep their promises.
fn accused(verdicts: &[(String, Verdict)]) -> Vec<String> {
    let violations = verdicts.iter().filter(|(_, verdict)| verdict.is_violation());
    let mut findings: Vec<String> =
        violations.map(|(name, verdict)| format!("{name}: {verdict}")).collect();
    let alarms: f64 = verdicts.iter().map(|(_, verdict)| verdict.false_alarm).sum();
    // The parts are rounded.
    if alarms > FALSE_ALARM * (1.0 + 1e-9) {
        findings.push(format!("false alarms have a probability of {alarms:e} in all"));
    }
    findings
}

/// The shipping mechanisms, each with the least noise that keeps `claim`.
fn shipping(claim: f64) -> Vec<(String, Subject)> {
    let claim = epsilon(claim);
    let mut all = Vec::new();
    for (other, inputs) in
        [(Other::Category, "two categories"), (Other::None, "a category and none")]
    {
        let subjects = [
            ("make_randomized_response", choice(claim, other)),
            ("make_randomized_response, constant time", place(claim, other)),
            ("make_local_hashing", hashed(claim, other)),
            ("make_unary_encoding", bits_of_a_choice(claim, other)),
            ("make_subset_selection", subset(claim, other)),
        ];
        all.extend(subjects.map(|(name, subject)| (format!("{name}, {inputs}"), subject)));
    }
    let others = [
        ("make_randomized_response_bool", yes_no(claim, false)),
        ("make_randomized_response_bool, constant time", yes_no(claim, true)),
        ("make_randomized_response_bitvec", ticks(claim, false)),
        ("make_randomized_response_bitvec, constant time", ticks(claim, true)),
    ];
    let others = others.into_iter().chain(laplace::shipping(claim)).chain(rappor::shipping(claim));
    all.extend(others.map(|(name, subject)| (name.to_owned(), subject)));
    all
}

/// Randomized response that says it loses `claim`.
fn planted(claim: f64) -> Subject {
    Subject { claimed: epsilon(claim), ..yes_no(epsilon(EXCESS * claim), false) }
}

/// So many runs that the planted mechanism passes at most once in 10⁹ times.
fn sure_trials(false_alarm: f64, claim: f64) -> u64 {
    let enough = trials_at(false_alarm, claim);
    let mut trials = 2 * enough;
    while power_at(false_alarm, claim, EXCESS * claim, trials).0 < 1.0 - 1e-9 {
        trials += enough / 2;
    }
    trials
}

fn epsilon(claim: f64) -> Epsilon {
    Epsilon::new(claim).expect("a claim is positive")
}

fn yes_no(claim: Epsilon, constant_time: bool) -> Subject {
    let prob = randomized_response_bool::largest_prob(claim);
    subject::yes_no(make_randomized_response_bool(prob, constant_time).expect("an accepted prob"))
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

fn ticks(claim: Epsilon, constant_time: bool) -> Subject {
    let domain = BitVectorDomain::new(3).with_max_weight(1);
    let f = randomized_response_bitvec::smallest_f(&domain, claim).expect("a max_weight");
    let mechanism = make_randomized_response_bitvec(domain, DiscreteDistance, f, constant_time);
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

/// As [`choice`], by places and in constant time.
fn place(claim: Epsilon, other: Other) -> Subject {
    let prob = randomized_response::largest_prob(5, claim).expect("an accepted claim");
    let mechanism = make_randomized_response(0..5, prob).expect("an accepted prob");
    let (words, right) = match other {
        Other::Category => ("the second place", 1),
        Other::None => ("behind the last place", u32::MAX),
    };
    let run = |answer: u32| -> subject::Run {
        let mechanism = mechanism.clone();
        Box::new(move || {
            let mut answers = [answer];
            mechanism.invoke_indices_constant_time(&mut answers)?;
            Ok(answers[0])
        })
    };
    Subject {
        claimed: mechanism.map(1).expect("a distance"),
        inputs: ["the first place", words].map(str::to_owned),
        seen: "the place, from 0",
        buckets: vec![0, 1],
        left: run(0),
        right: run(right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every constructor, and the constant-time form of each that has one.
    #[test]
    fn every_mechanism_is_there() {
        let names: Vec<String> = subjects().map(|(_, name, _)| name).collect();
        assert_eq!(left_out(&names), [""; 0]);
        // Planted: each is missed.
        for name in &names {
            let of = |one: &&String| one.split(',').next() != name.split(',').next();
            let others: Vec<String> = names.iter().filter(of).cloned().collect();
            assert!(name.starts_with("rappor") || !left_out(&others).is_empty(), "{name}");
        }
        let plain: Vec<String> =
            names.into_iter().filter(|name| !name.contains("constant time")).collect();
        assert_eq!(left_out(&plain).len(), 5);
    }

    /// Constructors of the prelude that no name begins with, and constant-time forms.
    fn left_out(names: &[String]) -> Vec<String> {
        let prelude = include_str!("../../../crates/deniable/src/prelude.rs");
        let words = prelude.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let constructors = words.filter(|word| word.starts_with("make_")).map(str::to_owned);
        let in_constant_time = [
            "make_randomized_response_bool",
            "make_randomized_response_bitvec",
            "make_randomized_response",
            "make_scalar_integer_laplace_cks20",
            "make_vector_integer_laplace_cks20",
        ];
        let in_constant_time = in_constant_time.map(|name| format!("{name}, constant time"));
        let is_there = |wanted: &String| {
            let begins =
                |name: &String| *name == *wanted || name.starts_with(&format!("{wanted},"));
            names.iter().any(begins)
        };
        constructors.chain(in_constant_time).filter(|wanted| !is_there(wanted)).collect()
    }

    /// Planted: what one audit may be wrong, each of them is.
    #[test]
    fn false_alarms_add_up() {
        let verdicts = |each: f64| -> Vec<(String, Verdict)> {
            let one = |(_, name, subject): (f64, String, Subject)| {
                (name, subject.audit_at(each, 100).unwrap())
            };
            subjects().map(one).collect()
        };
        assert_eq!(accused(&verdicts(part_of_an_alarm())), [""; 0]);
        let found = accused(&verdicts(FALSE_ALARM));
        assert!(found.len() == 1 && found[0].contains("in all"), "{found:?}");
        let planted = planted(1.0).audit_at(part_of_an_alarm(), 1_000_000).unwrap();
        assert_eq!(accused(&[("planted".to_owned(), planted)]).len(), 1);
    }

    /// As the page of these checks says.
    #[test]
    fn a_twentieth_too_much_is_found() {
        let each = part_of_an_alarm();
        let trials = CLAIMS.map(|claim| trials_at(each, claim));
        assert_eq!(trials, [13_152_937, 177_579, 291_240]);
        for (claim, trials) in CLAIMS.into_iter().zip(trials) {
            assert!(power_at(each, claim, EXCESS * claim, trials).0 >= 0.99, "{claim}");
            assert!(power_at(each, claim, claim, trials).1 <= each, "{claim}");
            assert!(power_at(each, claim, EXCESS * claim, trials / 2).1 < 0.99, "{claim}");
        }
    }
}
