//! RAPPOR's client under the black-box auditor, and mistakes that it finds. Secrets and words look random and are always the same.
#![forbid(unsafe_code)]

use deniable::rappor::{Params, Secret};
use deniable::{Entropy, Epsilon};
use deniable_audit::subject::Clients;
use deniable_verify::audit::black_box::{Verdict, audit};
use deniable_verify::audit::local::laws::Words;
use deniable_verify::audit::subjects::rappor::{of_all_reports, of_report};
use deniable_verify::words::spread;

const TRIALS: u64 = 60_000;

/// Words of a run: for its secrets, and for the reports.
const WORDS: usize = 40;

/// Judges a claim about what is seen of clients.
fn judge(claimed: Epsilon, clients: &Clients, seen: Seen) -> Verdict {
    let [left, right] = &clients.apart().values;
    let script = spread(2 * WORDS * TRIALS as usize);
    let (lefts, rights) = script.split_at(WORDS * TRIALS as usize);
    let runs = |value, script| {
        let mut runs = <[u64]>::chunks(script, WORDS);
        move || seen(clients, value, &mut Words::new(runs.next().unwrap()))
    };
    let (left, right) = (runs(left, lefts), runs(right, rights));
    audit(claimed.get(), TRIALS, &clients.apart().outcomes(), left, right).unwrap()
}

type Seen = fn(&Clients, &str, &mut Words<'_>) -> u32;

fn as_it_ships(clients: &Clients, value: &str, words: &mut Words<'_>) -> u32 {
    let secret = secret(words);
    clients.seen(&clients.report(value, secret, words).unwrap())
}

/// A client that draws a permanent answer for each of two reports.
fn forgets(clients: &Clients, value: &str, words: &mut Words<'_>) -> u32 {
    let mut reports = Vec::new();
    for _ in 0..2 {
        let secret = secret(words);
        reports.extend(clients.report(value, secret, words).unwrap().into_iter().take(1));
    }
    clients.seen(&reports)
}

fn secret(words: &mut Words<'_>) -> Secret {
    let mut drawn = [0; 4];
    words.fill(&mut drawn).unwrap();
    Secret::new(core::array::from_fn(|i| drawn[i / 8].to_be_bytes()[i % 8]))
}

fn epsilon(claim: f64) -> Epsilon {
    Epsilon::new(claim).unwrap()
}

/// These parameters with others in their place.
fn with(params: Params, h: usize, f: f64) -> Params {
    Params::new(params.k(), h, 1, params.p(), params.q(), f).unwrap()
}

/// What is shown is near what is claimed, and not above it.
#[test]
fn clients_keep_their_promise() {
    for claim in [1.0, 2.0, 5.0] {
        let one = Clients::new(of_report(epsilon(claim)), 1);
        let all = Clients::new(of_all_reports(epsilon(claim)), 2);
        for clients in [&one, &all] {
            let claimed = clients.claimed();
            let verdict = judge(claimed, clients, as_it_ships);
            assert!(!verdict.is_violation(), "{clients:?} {verdict}");
            assert!(verdict.bound.epsilon > 0.6 * claimed.get(), "{clients:?} {verdict}");
        }
    }
}

#[test]
fn claims_with_another_h_or_f_are_found() {
    for claim in [1.0, 5.0] {
        let params = of_report(epsilon(claim));
        let of_one_hash = with(params, 1, params.f()).epsilon_of_report();
        assert!(judge(of_one_hash, &Clients::new(params, 1), as_it_ships).is_violation());
        // Half of the noise that is claimed.
        let half = Clients::new(with(params, 2, params.f() / 2.0), 1);
        assert!(judge(params.epsilon_of_report(), &half, as_it_ships).is_violation());
        let params = of_all_reports(epsilon(claim));
        let of_one_hash = with(params, 1, params.f()).epsilon_of_all_reports();
        assert!(judge(of_one_hash, &Clients::new(params, 2), as_it_ships).is_violation());
    }
}

/// Hole 16: what one report loses is less than what several lose, and much less than what several lose of a client that forgets.
#[test]
fn hole_16_several_reports_are_not_one() {
    let params = Params::new(4, 2, 1, 0.0, 0.5, 0.5).unwrap();
    let many = &Clients::new(params, 8);
    assert!(judge(params.epsilon_of_report(), many, as_it_ships).is_violation());
    assert!(!judge(params.epsilon_of_all_reports(), many, as_it_ships).is_violation());
}

#[test]
fn a_client_that_forgets_is_found() {
    let params = Params::new(4, 2, 1, 0.0, 1.0, 0.5).unwrap();
    let twice = &Clients::new(params, 2);
    let claimed = params.epsilon_of_all_reports();
    assert!(!judge(claimed, twice, as_it_ships).is_violation());
    let verdict = judge(claimed, twice, forgets);
    assert!(verdict.is_violation(), "{verdict}");
}

/// Which of p and q is the larger does not matter to what is lost: a swap is no mistake that could be found.
#[test]
fn p_and_q_lose_as_much_as_q_and_p() {
    for (k, h, p, q, f) in [(4, 2, 0.1, 0.7, 0.3), (3, 2, 0.1, 0.7, 0.3), (5, 4, 0.0, 0.2, 0.5)] {
        let [one, other] = [(p, q), (q, p)].map(|(p, q)| Params::new(k, h, 1, p, q, f).unwrap());
        assert_eq!(one.epsilon_of_report(), other.epsilon_of_report());
        assert_eq!(one.epsilon_of_all_reports(), other.epsilon_of_all_reports());
    }
}
