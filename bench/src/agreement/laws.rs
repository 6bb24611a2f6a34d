//! Whether outputs of ours have the law of theirs, and of the textbook algorithms.
//!
//! Each mechanism runs in each of its forms, with the entropy that ships. Events are counted (a bit is flipped, noise is above a limit, the last digit is odd), and each count is held against that of the other
//! program by an exact two-sample test. All tests together raise a false alarm with a probability of at most [`FALSE_ALARM`]; there are so many draws that a change of the scale, or of the probability of
//! noise, by 5 % is missed with a probability of at most [`MISS`]. That change is planted in each case, and must be found.

mod cases;

use std::fmt;

use super::two_sample::{Count, p_value, trials_to_tell};

/// Of all tests together.
const FALSE_ALARM: f64 = 1e-9;

/// Of one planted change. There are fewer than 20.
const MISS: f64 = 5e-11;

/// Counts events of so many draws.
type Draw = Box<dyn FnMut(u64) -> Vec<u64>>;

/// One mechanism with its parameters.
struct Case {
    name: &'static str,
    events: usize,
    ours: Vec<(&'static str, Draw)>,
    /// The other library, then the textbook.
    others: Vec<(&'static str, Draw)>,
    /// Ours with noise that is changed by 5 %.
    planted: Draw,
    /// The probability of one event, and that of the planted one.
    probabilities: (f64, f64),
}

/// What was compared.
pub(super) struct Compared {
    cases: usize,
    tests: usize,
    planted: usize,
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Compared { cases, tests, planted } = self;
        write!(
            f,
            "{cases} laws in {tests} two-sample tests with opendp and the textbook (false alarm at most {FALSE_ALARM:e}), no difference; a change of 5 % planted in each: {planted} found (missed at most {MISS:e} each)"
        )
    }
}

/// Runs all cases, and notes what is not as it should be.
pub(super) fn compare(problems: &mut Vec<String>) -> Compared {
    let mut cases = cases::all();
    let tests = cases.iter().map(|case| (case.ours.len() * case.others.len() + 1) * case.events);
    let tests = tests.sum();
    let alpha = FALSE_ALARM / tests as f64;
    let mut compared = Compared { cases: cases.len(), tests, planted: 0 };
    for case in &mut cases {
        compared.planted += usize::from(case.run(alpha, problems));
    }
    compared
}

impl Case {
    /// Whether the planted change was found.
    fn run(&mut self, alpha: f64, problems: &mut Vec<String>) -> bool {
        let (p, planted) = self.probabilities;
        let trials = trials_to_tell(p, planted, alpha, MISS);
        let counts = |draws: &mut Vec<(&'static str, Draw)>| {
            let draw = |(name, draw): &mut (&'static str, Draw)| (*name, draw(trials));
            draws.iter_mut().map(draw).collect::<Vec<_>>()
        };
        let (ours, others) = (counts(&mut self.ours), counts(&mut self.others));
        for (form, ours) in &ours {
            for (other, theirs) in &others {
                let (event, p) = least(ours, theirs, trials);
                println!("{}, {form}, {other}: {trials} draws, least p {p:.1e}", self.name);
                if p <= alpha {
                    problems.push(format!(
                        "{}, {form}: event {event} came {} times, in {other} {} times, of {trials}",
                        self.name, ours[event], theirs[event],
                    ));
                }
            }
        }
        let (_, p) = least(&(self.planted)(trials), &others[0].1, trials);
        println!("{}, 5 % planted: least p {p:.1e}", self.name);
        if p > alpha {
            problems.push(format!("{}: the planted change was not found", self.name));
        }
        p <= alpha
    }
}

/// The event that tells most, and its p.
fn least(a: &[u64], b: &[u64], trials: u64) -> (usize, f64) {
    assert_eq!(a.len(), b.len(), "the same events");
    let p = |(&a, &b)| p_value(Count { seen: a, trials }, Count { seen: b, trials });
    let all = a.iter().zip(b).map(p).enumerate();
    all.min_by(|a, b| a.1.total_cmp(&b.1)).expect("an event")
}

/// Draws in blocks, and counts events: bit i of what `events` says is event i.
fn draw<T>(
    count: usize,
    events: impl Fn(&T) -> u64 + 'static,
    mut block: impl FnMut(usize) -> Vec<T> + 'static,
) -> Draw {
    const BLOCK: u64 = 4096;
    Box::new(move |trials| {
        let mut counts = vec![0; count];
        let mut left = trials;
        while left > 0 {
            let size = left.min(BLOCK);
            let drawn = block(size as usize);
            assert_eq!(drawn.len() as u64, size, "as many as were asked for");
            for output in &drawn {
                let mut seen = events(output);
                while seen != 0 {
                    counts[seen.trailing_zeros() as usize] += 1;
                    seen &= seen - 1;
                }
            }
            left -= size;
        }
        counts
    })
}

/// Draws one by one.
fn one_by_one<T>(mut one: impl FnMut() -> T + 'static) -> impl FnMut(usize) -> Vec<T> + 'static {
    move |size| (0..size).map(|_| one()).collect()
}
