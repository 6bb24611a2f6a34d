//! RAPPOR's clients: a new one for every run, with a secret of its own.

use deniable::rappor::{Client, Params, Secret};
use deniable::{BitVector, Entropy, Epsilon, OsEntropy, Result};

use super::{AGREE, Subject};

/// As many numbers are looked at for two that differ the most.
const VALUES: usize = 64;

/// Clients that hold one of two values, and report it so often.
#[derive(Clone, Debug)]
pub struct Clients {
    params: Params,
    reports: usize,
    apart: Apart,
    /// Whether a bit of the permanent answer is more likely a one, by the number of reports in which it is.
    is_one: Vec<bool>,
}

impl Clients {
    /// Clients of the first cohort: which one a client is in depends on no value.
    pub fn new(params: Params, reports: usize) -> Self {
        let apart = Apart::find(|value| params.filter_of(0, value).expect("there is a cohort"));
        let likelihood =
            |p: f64, ones: usize| p.powi(ones as i32) * (1.0 - p).powi((reports - ones) as i32);
        let is_one = |ones| likelihood(params.q(), ones) > likelihood(params.p(), ones);
        Clients { params, reports, apart, is_one: (0..=reports).map(is_one).collect() }
    }

    /// The parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// What they claim to lose.
    pub fn claimed(&self) -> Epsilon {
        match self.reports {
            1 => self.params.epsilon_of_report(),
            _ => self.params.epsilon_of_all_reports(),
        }
    }

    /// The two values.
    pub fn apart(&self) -> &Apart {
        &self.apart
    }

    /// What a client with this secret sends.
    ///
    /// # Errors
    ///
    /// No entropy.
    pub fn report(
        &self,
        value: &str,
        secret: Secret,
        entropy: &mut dyn Entropy,
    ) -> Result<Vec<BitVector>> {
        let client = Client::with_cohort(self.params, secret, 0)?;
        let mut report = || Ok(client.report_from("m", value, entropy)?.bits().clone());
        (0..self.reports).map(|_| report()).collect()
    }

    /// What is told apart of a client's reports: how far the permanent answer that they suggest is the left value's.
    pub fn seen(&self, reports: &[BitVector]) -> u32 {
        self.apart.agreeing(|bit| {
            let ones = reports.iter().filter(|report| report.get(bit) == Some(true)).count();
            self.is_one[ones]
        })
    }
}

/// Two values, and the bits in which their Bloom filters differ.
#[derive(Clone, Debug)]
pub struct Apart {
    /// The left one and the right one.
    pub values: [String; 2],
    /// The bits, and whether the left value has it.
    bits: Vec<(usize, bool)>,
}

impl Apart {
    /// The first two small numbers whose filters differ in more bits than those of any others.
    pub fn find(filter: impl Fn(&str) -> BitVector) -> Self {
        let values: Vec<String> = (0..VALUES).map(|i| i.to_string()).collect();
        let filters: Vec<BitVector> = values.iter().map(|value| filter(value)).collect();
        let differing = |left: usize, right: usize| -> Vec<(usize, bool)> {
            let both = filters[left].iter().zip(filters[right].iter()).enumerate();
            both.filter(|(_, (left, right))| left != right)
                .map(|(i, (left, _))| (i, left))
                .collect()
        };
        let mut found = (differing(0, 1), [0, 1]);
        for (left, right) in (0..VALUES).flat_map(|left| (0..left).map(move |right| (left, right)))
        {
            let bits = differing(left, right);
            if bits.len() > found.0.len() {
                found = (bits, [left, right]);
            }
        }
        let (bits, places) = found;
        Apart { values: places.map(|place| values[place].clone()), bits }
    }

    /// How many of the bits that differ are as the left value has them.
    pub fn agreeing(&self, is_one: impl Fn(usize) -> bool) -> u32 {
        self.bits.iter().filter(|(bit, left)| is_one(*bit) == *left).count() as u32
    }

    /// All that [`Apart::agreeing`] can be.
    pub fn outcomes(&self) -> Vec<u32> {
        (0..=self.bits.len() as u32).collect()
    }
}

/// Clients that report so often.
pub fn rappor(params: Params, reports: usize) -> Subject {
    let clients = Clients::new(params, reports);
    let [left, right] = clients.apart().values.clone();
    let (claimed, buckets) = (clients.claimed(), clients.apart().outcomes());
    let run = move |value: &str| {
        Ok(clients.seen(&clients.report(value, Secret::random()?, &mut OsEntropy::new())?))
    };
    let other = run.clone();
    Subject {
        claimed,
        inputs: [&left, &right].map(|value| format!("the text {value}")),
        seen: AGREE,
        buckets,
        left: Box::new(move || run(&left)),
        right: Box::new(move || other(&right)),
    }
}
