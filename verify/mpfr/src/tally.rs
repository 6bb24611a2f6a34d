//! Counting what was found, and sharing work between threads.

use crate::{
    function::{Answer, Args, Function, show},
    judge::{Fault, judge},
    number::Number,
};

/// Faults printed in full; the others are only counted.
const SHOWN: usize = 5;

/// Threads of a run.
pub const THREADS: u64 = 2;

/// What a run found.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Cases; each was asked in both directions.
    pub cases: u64,
    /// Bounds on the wrong side of the true value.
    pub unsafe_side: u64,
    /// Bounds on the right side, but not the value promised.
    pub too_far: u64,
    /// Errors missing or needless, NaN, −0.0.
    pub other: u64,
    /// Neighbours compared.
    pub pairs: u64,
    /// Neighbours out of order.
    pub not_monotone: u64,
    /// The greatest distance on the safe side, in steps of the format.
    pub slack: u64,
    /// Bounds on the safe side that are not the correctly rounded value.
    pub slack_count: u64,
    /// The first faults.
    pub shown: Vec<String>,
}

impl Tally {
    /// Everything that must be zero.
    pub fn violations(&self) -> u64 {
        self.unsafe_side + self.too_far + self.other + self.not_monotone
    }

    /// Judges one case.
    pub fn record<F: Number>(
        &mut self,
        function: Function,
        args: &Args<F>,
        expected: &Answer<F>,
        got: &Answer<F>,
    ) {
        self.cases += 1;
        for (verdict, direction) in judge(function, expected, got).into_iter().zip(["down", "up"]) {
            match verdict {
                Ok(0) => continue,
                Ok(slack) => {
                    self.count_slack(slack);
                    continue;
                }
                Err(fault) => self.count_fault(fault),
            }
            let name = function.name();
            self.note(|| {
                let [right, wrong] = [expected, got].map(|a| [show(a.down), show(a.up)].join(" "));
                let given = args.show(function).replace('\t', " ");
                format!(
                    "{name} {} ({given}) {direction}: {verdict:?}, expected {right}, got {wrong}",
                    F::NAME
                )
            });
        }
    }

    /// Records a fault of a cast, which is either right or not.
    pub fn record_wrong(&mut self, describe: impl FnOnce() -> String) {
        self.other += 1;
        self.note(describe);
    }

    /// Records whether neighbours were in order.
    pub fn record_pair(&mut self, is_monotone: bool, describe: impl FnOnce() -> String) {
        self.pairs += 1;
        if !is_monotone {
            self.not_monotone += 1;
            self.note(describe);
        }
    }

    /// Adds what another thread found.
    pub fn merge(mut self, other: Self) -> Self {
        self.cases += other.cases;
        self.unsafe_side += other.unsafe_side;
        self.too_far += other.too_far;
        self.other += other.other;
        self.pairs += other.pairs;
        self.not_monotone += other.not_monotone;
        self.slack = self.slack.max(other.slack);
        self.slack_count += other.slack_count;
        self.shown.extend(other.shown);
        self.shown.truncate(SHOWN);
        self
    }

    fn count_slack(&mut self, slack: u64) {
        self.slack = self.slack.max(slack);
        self.slack_count += 1;
    }

    fn count_fault(&mut self, fault: Fault) {
        match fault {
            Fault::UnsafeSide => self.unsafe_side += 1,
            Fault::TooFar(slack) => {
                self.too_far += 1;
                self.count_slack(slack);
            }
            _ => self.other += 1,
        }
    }

    fn note(&mut self, describe: impl FnOnce() -> String) {
        if self.shown.len() < SHOWN {
            self.shown.push(describe());
        }
    }
}

/// Runs `part(0)`, `part(1)`, … on a thread each, and returns their results in that order.
pub fn in_parallel<T: Send>(part: impl Fn(u64) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let part = &part;
        let threads: Vec<_> = (0..THREADS).map(|t| scope.spawn(move || part(t))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread of the run")).collect()
    })
}
