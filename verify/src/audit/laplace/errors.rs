//! What errors tell: nothing.

use deniable::{AtomDomain, Error, ErrorKind, Result};
use deniable_sample::Source;

use super::tally::LaplaceTally;
use crate::mini::Mini;
use crate::words::spread;

/// Reads a script, but fails at one draw; draws are counted from 1.
#[derive(Debug)]
pub struct FailsAt<'a> {
    script: &'a [u64],
    fails_at: usize,
    /// How many draws were made.
    pub drawn: usize,
}

impl Source for FailsAt<'_> {
    type Word = u64;

    fn draw(&mut self) -> deniable_sample::Result<u64> {
        self.drawn += 1;
        match self.script.get(self.drawn - 1) {
            Some(&word) if self.drawn != self.fails_at => Ok(word),
            _ => Err(deniable_sample::Error::entropy_unavailable()),
        }
    }
}

/// Runs a mechanism on every input and script with a fault at every draw: always an error, always the same.
pub fn audit_faults<X: ?Sized, Y>(
    name: &str,
    inputs: &[&X],
    randomize: impl Fn(&X, &mut FailsAt<'_>) -> Result<Y>,
) -> LaplaceTally {
    let mut tally = LaplaceTally::default();
    let mut first: Option<Error> = None;
    for script in scripts() {
        for input in inputs {
            let mut whole = FailsAt { script: &script, fails_at: 0, drawn: 0 };
            if randomize(input, &mut whole).is_err() {
                tally.malformed(|| format!("{name}: an error without a fault"));
            }
            for fails_at in 1..=whole.drawn {
                tally.cases += 1;
                let mut source = FailsAt { script: &script, fails_at, drawn: 0 };
                let outcome = randomize(input, &mut source).err();
                let same = match &outcome {
                    None => false,
                    Some(error) => {
                        error.kind() == ErrorKind::EntropyUnavailable
                            && *first.get_or_insert_with(|| error.clone()) == *error
                            && source.drawn == fails_at
                    }
                };
                if !same {
                    tally.malformed(|| format!("{name}: the fault at draw {fails_at} is told"));
                }
            }
        }
    }
    tally
}

/// Runs a mechanism on inputs outside its domain: always the same error, and nothing is drawn.
pub fn audit_outsiders<X: ?Sized, Y>(
    name: &str,
    outsiders: &[&X],
    randomize: impl Fn(&X, &mut FailsAt<'_>) -> Result<Y>,
) -> LaplaceTally {
    let mut tally = LaplaceTally::default();
    let script = [7; 64];
    let mut first: Option<Error> = None;
    for outsider in outsiders {
        tally.cases += 1;
        let mut source = FailsAt { script: &script, fails_at: 0, drawn: 0 };
        match randomize(outsider, &mut source).err() {
            Some(error)
                if error.kind() == ErrorKind::NotAMember
                    && source.drawn == 0
                    && *first.get_or_insert_with(|| error.clone()) == error => {}
            _ => tally.malformed(|| format!("{name}: what is wrong with an input is told")),
        }
    }
    tally
}

/// Which domains a constructor accepts, and which distances a map: NaN in neither, nothing negative.
pub fn audit_refusals(
    name: &str,
    accepts: impl Fn(AtomDomain<Mini>) -> bool,
    map: impl Fn(Mini) -> Result<f64>,
) -> LaplaceTally {
    let mut tally = LaplaceTally { cases: 3, ..LaplaceTally::default() };
    let bounded = AtomDomain::bounded(Mini(0x81), Mini(0x40)).expect("bounds");
    if accepts(AtomDomain::all()) || !accepts(AtomDomain::finite()) || !accepts(bounded) {
        tally.malformed(|| format!("{name}: NaN is admitted, or a domain without it is not"));
    }
    for bits in 0..=u8::MAX {
        tally.cases += 1;
        // Both zeros are distances, and so is ∞.
        let is_distance = bits <= 0x78 || bits == 0x80;
        let refused = map(Mini(bits)).is_err_and(|e| e.kind() == ErrorKind::InvalidDistance);
        if refused == is_distance {
            tally.malformed(|| format!("{name}: the distance {bits:#x}"));
        }
    }
    tally
}

/// Scripts that take long ways too.
fn scripts() -> Vec<Vec<u64>> {
    let random = spread(64);
    let mut all: Vec<Vec<u64>> = random.windows(40).map(<[u64]>::to_vec).collect();
    for start in [[0; 4], [1 << 63, 0, 0, 0], [u64::MAX; 4], [u64::MAX / 3; 4], [0, 0, 0, 1]] {
        all.push(start.into_iter().chain(random.iter().copied()).collect());
    }
    all
}
