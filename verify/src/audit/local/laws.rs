//! The laws of all inputs together: each script of words is run with every input.
//!
//! That shows three things at once. The law of each input. That all inputs read the same number of words, on
//! every script, and that they get the same error where the words run out, be it at the first draw or at the
//! last. And, since the intervals found for the generic code are replayed through the entry that users call, that
//! both are one mechanism.

use core::cell::RefCell;
use core::fmt::Debug;
use std::collections::BTreeSet;

use dashu_ratio::RBig;
use deniable::{Entropy, ErrorKind};
use deniable_sample::{Error, Source};

use super::Local;
use crate::audit::exact::{Loss, Tally, Worst};
use crate::enumerate::enumerate;
use crate::interval::{Intervals, Range, explore_paths};
use crate::law::Law;
pub use crate::law::given_one_pass;
use crate::words::Script;

/// The law of each input, over all scripts of at most `depth` words of `BITS` bits.
///
/// # Errors
///
/// Inputs that do not read the same words or do not get the same errors.
pub fn over_small_words<const BITS: u32, M: Local>(
    mechanism: &M,
    inputs: &[M::Input],
    depth: usize,
) -> Result<Vec<Law<M::Output>>, String> {
    let disagreement = Disagreement::default();
    let law = enumerate::<BITS, _, _>(depth, |source| {
        together(inputs, source, &disagreement, |input, s| mechanism.randomize(input, s))
    });
    disagreement.none()?;
    Ok(marginals(&law, inputs.len()))
}

/// The law of each input, over all scripts of at most `depth` words of 64 bits. The words at the ends of each
/// interval must give the same through [`Local::invoke_from`].
///
/// # Errors
///
/// Inputs that do not read the same words or do not get the same errors; another result of `invoke_from`.
pub fn over_intervals<M: Local>(
    mechanism: &M,
    inputs: &[M::Input],
    depth: usize,
) -> Result<Vec<Law<M::Output>>, String> {
    let disagreement = Disagreement::default();
    let law = explore_paths(
        Range::ALL,
        depth,
        |source| {
            together(inputs, source, &disagreement, |i, s: &mut Intervals| {
                mechanism.randomize(i, s)
            })
        },
        |path, outcome| disagreement.note(replay(mechanism, inputs, path, outcome)),
    );
    disagreement.none()?;
    Ok(marginals(&law, inputs.len()))
}

/// Runs all inputs on the script, without a fault and with a fault at each draw, after which there would be words
/// again: every input must read the same number of words and get the same error.
///
/// # Errors
///
/// What differs.
pub fn same_errors<M: Local>(
    mechanism: &M,
    inputs: &[M::Input],
    script: &[u64],
) -> Result<(), String> {
    let disagreement = Disagreement::default();
    let run = |fault: Option<usize>| {
        let mut source = Words { script, fault, asked: 0 };
        let outcomes =
            together(inputs, &mut source, &disagreement, |input, words: &mut Words<'_>| {
                mechanism.invoke_from(input, words)
            });
        (outcomes.is_ok(), source.asked)
    };
    let (is_ok, draws) = run(None);
    if !is_ok {
        return Err("the script is too short".to_owned());
    }
    for draw in 1..=draws {
        if run(Some(draw)) != (false, draw) {
            return Err(format!("a result, or more draws, in spite of the fault at draw {draw}"));
        }
    }
    disagreement.none()
}

/// Judges the loss between all pairs of laws, which must be known in full. They count as pairs, not as cases: a pair
/// comes up once for each way to find its laws.
pub fn judge_laws<T: Ord + Clone + Debug>(
    tally: &mut Tally,
    what: &dyn Fn() -> String,
    map: f64,
    laws: &[Law<T>],
) {
    if laws.iter().any(|law| !law.remainder.is_zero()) {
        return tally.check(what, Err("a part of the law is not known".to_owned()));
    }
    // Few ratios are the ratios of many pairs. An input loses nothing against itself.
    let mut ratios = BTreeSet::from([Worst::Ratio(RBig::ONE)]);
    for (i, left) in laws.iter().enumerate() {
        ratios.extend(laws[i + 1..].iter().map(|right| Worst::of_laws(left, right)));
    }
    let losses: Vec<Loss> = ratios.into_iter().map(Loss::new).collect();
    let losses: Vec<(u64, &Loss)> = losses.iter().map(|loss| (1, loss)).collect();
    let cases = tally.cases;
    tally.judge(what, map, &losses);
    tally.cases = cases;
    tally.pairs += (laws.len() * (laws.len() - 1) / 2) as u64;
}

/// Words of 64 bits from a script, with a fault at one draw.
#[derive(Clone, Debug)]
pub struct Words<'a> {
    script: &'a [u64],
    fault: Option<usize>,
    /// How many words were asked for, the one that was not there included.
    pub asked: usize,
}

impl<'a> Words<'a> {
    /// A script without a fault, except that it ends.
    pub fn new(script: &'a [u64]) -> Self {
        Words { script, fault: None, asked: 0 }
    }
}

impl Entropy for Words<'_> {
    fn fill(&mut self, words: &mut [u64]) -> deniable_sample::Result<()> {
        for word in words {
            self.asked += 1;
            *word = match self.script.get(self.asked - 1) {
                Some(&next) if self.fault != Some(self.asked) => next,
                _ => return Err(Error::entropy_unavailable()),
            };
        }
        Ok(())
    }
}

/// A source that can be read again from its first word.
trait Again: Source {
    fn again(&self) -> Self;

    fn asked(&self) -> usize;
}

impl<const BITS: u32> Again for Script<'_, BITS> {
    fn again(&self) -> Self {
        let mut source = self.clone();
        source.asked = 0;
        source
    }

    fn asked(&self) -> usize {
        self.asked
    }
}

impl Again for Words<'_> {
    fn again(&self) -> Self {
        Words { asked: 0, ..self.clone() }
    }

    fn asked(&self) -> usize {
        self.asked
    }
}

impl Again for Intervals {
    fn again(&self) -> Self {
        Intervals::again(self)
    }

    fn asked(&self) -> usize {
        Intervals::asked(self)
    }
}

/// The first thing that was wrong. Found within samplers, which cannot return it.
#[derive(Default)]
struct Disagreement(RefCell<Option<String>>);

impl Disagreement {
    fn note(&self, result: Result<(), String>) {
        if let Err(problem) = result {
            self.0.borrow_mut().get_or_insert(problem);
        }
    }

    fn none(&self) -> Result<(), String> {
        self.0.borrow_mut().take().map_or(Ok(()), Err)
    }
}

/// Runs every input on the same words. What is returned is right for the first input, whatever the others do.
fn together<I, T, S: Again>(
    inputs: &[I],
    source: &mut S,
    disagreement: &Disagreement,
    run: impl Fn(&I, &mut S) -> deniable::Result<T>,
) -> deniable_sample::Result<Vec<Option<T>>> {
    let first = run(&inputs[0], source);
    let error = first.as_ref().err().cloned();
    if error.as_ref().is_some_and(|error| error.kind() != ErrorKind::EntropyUnavailable) {
        disagreement.note(Err("a member of the domain is refused".to_owned()));
    }
    let mut outcomes = vec![first.ok()];
    for input in &inputs[1..] {
        let mut again = source.again();
        let outcome = run(input, &mut again);
        if again.asked() != source.asked() {
            disagreement.note(Err("one input reads more words than another".to_owned()));
        }
        if outcome.as_ref().err() != error.as_ref() {
            disagreement.note(Err("one input gets another error than another".to_owned()));
        }
        outcomes.push(outcome.ok());
    }
    if error.is_some() { Err(Error::entropy_unavailable()) } else { Ok(outcomes) }
}

/// Runs `invoke_from` with the first words of all intervals, with the last, and with either in turn.
fn replay<M: Local>(
    mechanism: &M,
    inputs: &[M::Input],
    path: &[Range],
    outcome: Option<&Vec<Option<M::Output>>>,
) -> Result<(), String> {
    let ends: [fn(usize) -> bool; 4] = [|_| true, |_| false, |i| i % 2 == 0, |i| i % 2 == 1];
    for takes_first in ends {
        let word =
            |(i, range): (usize, &Range)| if takes_first(i) { range.first } else { range.last };
        let script: Vec<u64> = path.iter().enumerate().map(word).collect();
        for (i, input) in inputs.iter().enumerate() {
            let mut words = Words::new(&script);
            let released = mechanism.invoke_from(input, &mut words).ok();
            let expected = outcome.and_then(|outcomes| outcomes[i].clone());
            if released != expected || released.is_some() && words.asked != path.len() {
                return Err("invoke_from is not what was explored".to_owned());
            }
        }
    }
    Ok(())
}

/// The laws of the single inputs.
fn marginals<T: Ord + Clone + Debug>(joint: &Law<Vec<Option<T>>>, inputs: usize) -> Vec<Law<T>> {
    let mut laws = vec![Law::new(); inputs];
    for law in &mut laws {
        (law.remainder, law.runs) = (joint.remainder.clone(), joint.runs);
    }
    for (outcomes, mass) in &joint.mass {
        for (law, outcome) in laws.iter_mut().zip(outcomes) {
            law.add(outcome.clone().expect("all inputs have an outcome or none"), mass.clone());
        }
    }
    laws
}
