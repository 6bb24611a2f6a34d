//! A small deterministic generator, so that every run asks the same questions.

/// SplitMix64 of Steele, Lea and Flood (2014).
#[derive(Clone, Debug)]
pub struct SplitMix {
    state: u64,
}

impl SplitMix {
    /// The generator of case number `index` in the run named `seed`.
    ///
    /// Every case has its own, so that the cases do not depend on how threads share them.
    pub fn for_case(seed: u64, index: u64) -> Self {
        let mut first = Self { state: seed };
        let start = first.next();
        Self { state: start ^ index.wrapping_mul(0xd134_2543_de82_ef95) }
    }

    /// The next 64 bits.
    #[expect(clippy::should_implement_trait, reason = "never ends, so Option would be noise")]
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; the bias of about n / 2^64 does not matter here.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i32, high: i32) -> i32 {
        let span = (i64::from(high) - i64::from(low) + 1) as u64;
        (i64::from(low) + self.below(span) as i64) as i32
    }

    /// A float in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * 2f64.powi(-53)
    }

    /// One of the items.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }
}

/// A seed from a name (FNV-1a).
pub fn seed(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
