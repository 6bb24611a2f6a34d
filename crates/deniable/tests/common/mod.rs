//! What the tests share. It is a module of the crate's unit tests too, so it needs nothing of `deniable` itself.

use std::fmt::Debug;

use deniable_sample::{Entropy, Error, Result};

/// Hands out the words of a list, and then fails.
pub struct Script {
    words: Vec<u64>,
    pub drawn: usize,
}

impl Script {
    pub fn new(words: impl Into<Vec<u64>>) -> Self {
        Script { words: words.into(), drawn: 0 }
    }
}

impl Entropy for Script {
    fn fill(&mut self, words: &mut [u64]) -> Result<()> {
        for word in words {
            *word = *self.words.get(self.drawn).ok_or_else(Error::entropy_unavailable)?;
            self.drawn += 1;
        }
        Ok(())
    }
}

/// A fixed list of words without a pattern: SplitMix64.
pub fn words(seed: u64, count: usize) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    (0..count).map(|_| next()).collect()
}

/// A word of which a uniform integer below `n` becomes `result`, for small `n`.
pub fn word_for(result: u64, n: u64) -> u64 {
    ((u128::from(result) << 64 | 1 << 63).div_ceil(u128::from(n))) as u64
}

/// The next float above one that is not negative.
pub fn up(x: f64) -> f64 {
    f64::from_bits(x.to_bits() + 1)
}

/// The next float below one that is positive.
pub fn down(x: f64) -> f64 {
    f64::from_bits(x.to_bits() - 1)
}

/// The smallest float that is not below a positive number with this decimal expansion, which has so many digits
/// that none of the numbers here are in doubt.
pub fn round_up(decimal: &str) -> f64 {
    let nearest: f64 = decimal.parse().unwrap();
    let digits = decimal.len() - decimal.find('.').unwrap() - 1;
    let exactly = format!("{nearest:.digits$}");
    assert_eq!(exactly.len(), decimal.len());
    assert_ne!(exactly, decimal, "more digits are needed");
    if exactly.as_str() < decimal { up(nearest) } else { nearest }
}

/// Neither the message nor the debugging output of anything may contain any of `secrets`.
pub fn assert_silent(what: &(impl Debug + ToString), secrets: &[&str]) {
    for text in [what.to_string(), format!("{what:?}"), format!("{what:#?}")] {
        for secret in secrets {
            assert!(!text.contains(secret), "{text} contains {secret}");
        }
    }
}

/// Runs `invoke` on each input with scripts of fixed words, cut off after every number of words. All inputs draw the
/// same number of words, and where that fails, all fail with an equal error. Returns the most words drawn.
pub fn assert_draws_alike<I, O, E: PartialEq + Debug>(
    inputs: &[I],
    longest: usize,
    invoke: impl Fn(&I, &mut Script) -> core::result::Result<O, E>,
) -> usize {
    let mut most = 0;
    for seed in 0..40 {
        let words = words(seed, longest);
        let whole = |input| {
            let mut script = Script::new(words.clone());
            assert!(invoke(input, &mut script).is_ok(), "{longest} words are enough");
            script.drawn
        };
        let drawn = whole(&inputs[0]);
        most = most.max(drawn);
        assert!(inputs.iter().all(|input| whole(input) == drawn));
        for length in 0..drawn {
            let error = |input| invoke(input, &mut Script::new(&words[..length])).err();
            let first = error(&inputs[0]);
            assert!(first.is_some());
            assert!(inputs.iter().all(|input| error(input) == first));
        }
    }
    most
}

/// Losses from none to no bound, with the neighbours of ln 3 between.
pub fn losses() -> Vec<f64> {
    let ln_3 = round_up("1.0986122886681096913952452369225257046475");
    let mut losses = vec![0.0, 5e-324, 1e-300, 1e-17, 1e-3, 0.1, 1.0, 5.0, 40.0, 700.0, 1e300];
    losses.extend([down(ln_3), ln_3, up(ln_3), f64::INFINITY]);
    losses
}
