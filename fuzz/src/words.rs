//! Random words that the fuzzer chooses.

use deniable::Entropy;
use deniable::sample::Result;

/// Words of the input, and behind its end those of a generator: samplers that reject must come to an end.
#[derive(Clone, Debug)]
pub struct Words {
    script: std::vec::IntoIter<u64>,
    state: u64,
}

impl Words {
    /// These words first.
    pub fn new(script: Vec<u64>) -> Self {
        Words { script: script.into_iter(), state: 0 }
    }
}

impl Entropy for Words {
    fn fill(&mut self, words: &mut [u64]) -> Result<()> {
        words.fill_with(|| self.script.next().unwrap_or_else(|| next(&mut self.state)));
        Ok(())
    }
}

/// SplitMix64, of Steele, Lea and Flood (2014).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut word = *state;
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
