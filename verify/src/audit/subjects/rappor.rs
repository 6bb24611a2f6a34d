//! RAPPOR's clients as black boxes: a new client for every run, with a secret of its own.

use deniable::mechanism::randomized_response_bitvec::smallest_f;
use deniable::rappor::reference::Encoder;
use deniable::rappor::{Client, Params, Report, Secret};
use deniable::{BitVectorDomain, Entropy, Epsilon, OsEntropy};
use deniable_audit::subject::Subject;

/// Bits of a filter, and of those that a value sets.
const BITS: (usize, usize) = (4, 2);

/// Clients with the least noise that keeps `claim`. Those that report twice, or as the reference does, are left out where it takes many millions of them.
pub(super) fn shipping(claim: Epsilon) -> Vec<(&'static str, Subject)> {
    let mut all = vec![("rappor::Client, one report", one_report(claim))];
    if claim.get() >= 1.0 {
        all.extend([
            ("rappor::Client, two reports", all_reports(claim)),
            ("rappor::reference::Encoder, one report", reference(claim)),
        ]);
    }
    all
}

fn one_report(claim: Epsilon) -> Subject {
    let clients = Clients { params: of_report(claim), reports: 1 };
    subject(clients.params.epsilon_of_report(), clients)
}

fn all_reports(claim: Epsilon) -> Subject {
    let clients = Clients { params: of_all_reports(claim), reports: 2 };
    subject(clients.params.epsilon_of_all_reports(), clients)
}

fn subject(claimed: Epsilon, clients: Clients) -> Subject {
    let [left, right] = clients.values();
    let run =
        move |value: &str| Ok(clients.seen(value, Secret::random()?, &mut OsEntropy::new()).into());
    Subject {
        claimed,
        inputs: [left.clone(), right.clone()],
        seen: "the bits that are a one in any report",
        buckets: outcomes().into_iter().map(u32::from).collect(),
        left: Box::new(move || run(&left)),
        right: Box::new(move || run(&right)),
    }
}

fn reference(claim: Epsilon) -> Subject {
    let params = of_report(claim);
    let encoder = move || Encoder::new(params, 0, *Secret::random()?.as_bytes());
    let known = encoder().expect("accepted parameters");
    let [left, right] = apart(|value| known.filter_of(value));
    let run = move |value: &str| Ok(number(&encoder()?.report(value)?).into());
    Subject {
        claimed: known.in_effect().epsilon_of_report(),
        inputs: [left.clone(), right.clone()],
        seen: "the bits that are a one in any report",
        buckets: outcomes().into_iter().map(u32::from).collect(),
        left: Box::new(move || run(&left)),
        right: Box::new(move || run(&right)),
    }
}

/// Clients that all hold one value, and report it so often. What is seen is which bits are a one in any report.
#[derive(Clone, Copy, Debug)]
pub struct Clients {
    /// The parameters, of one cohort.
    pub params: Params,
    /// The reports of each client.
    pub reports: usize,
}

impl Clients {
    /// What is seen of the client with this secret.
    ///
    /// # Panics
    ///
    /// If there is no entropy.
    pub fn seen(&self, value: &str, secret: Secret, entropy: &mut dyn Entropy) -> u8 {
        let client = Client::with_cohort(self.params, secret, 0).expect("the only cohort");
        (0..self.reports).fold(0, |seen, _| {
            seen | number(&client.report_from("m", value, entropy).expect("entropy"))
        })
    }

    /// Two values whose filters have no bit in common, and as many bits as there can be.
    pub fn values(&self) -> [String; 2] {
        let filter = |value: &str| self.params.filter_of(0, value).expect("the only cohort");
        apart(|value| u32::from(filter(value).to_bytes()[0]))
    }
}

/// Every number of the bits of a report.
pub fn outcomes() -> Vec<u8> {
    (0..1 << BITS.0).collect()
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

/// The first two numbers whose filters have no bit in common, and all bits together.
fn apart(filter: impl Fn(&str) -> u32) -> [String; 2] {
    let values: Vec<String> = (0..64).map(|i| i.to_string()).collect();
    let mut pairs = values.iter().flat_map(|left| values.iter().map(move |right| [left, right]));
    let all = (1 << BITS.0) - 1;
    let found = pairs.find(|pair| {
        let [left, right] = pair.map(|value| filter(value));
        left & right == 0 && left | right == all && left.count_ones() == right.count_ones()
    });
    found.expect("two of very many").map(String::clone)
}

fn number(report: &Report) -> u8 {
    report.bits().to_bytes()[0]
}
