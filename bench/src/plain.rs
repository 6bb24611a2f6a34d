//! A fast generator that is not cryptographic, and floating-point formulas: what one writes without privacy in mind.

/// xoshiro256++ of Blackman and Vigna, "Scrambled linear pseudorandom number generators" (2021).
pub struct Xoshiro([u64; 4]);

impl Xoshiro {
    pub fn new() -> Self {
        Xoshiro([0x9e37_79b9, 0x7f4a_7c15, 0xbf58_476d, 0x94d0_49bb])
    }

    #[inline]
    pub fn next(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A float from 0 to below 1.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Nearly uniform below n.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }

    /// Laplace noise by the textbook formula, which leaks.
    #[inline]
    pub fn laplace(&mut self, scale: f64) -> f64 {
        let u = self.uniform() - 0.5;
        -scale * u.signum() * (1.0 - 2.0 * u.abs()).ln()
    }
}
