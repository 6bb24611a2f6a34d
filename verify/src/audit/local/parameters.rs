//! Parameters to audit: the awkward ones, and many that are spread over all there are. The same every time.

/// Numbers that look random and are the same every time (SplitMix64).
#[derive(Clone, Debug)]
pub struct Spread(u64);

impl Spread {
    /// Its sequence depends on `seed` alone.
    pub fn new(seed: u64) -> Self {
        Spread(seed)
    }

    /// The next number below n, nearly uniform.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.word()) * u128::from(n)) >> 64) as u64
    }

    /// From 1 to n, and as often near 1 as its number of digits says.
    pub fn any_size(&mut self, n: u64) -> u64 {
        let bits = 1 + self.below(64 - u64::from(n.leading_zeros()));
        (self.word() >> (64 - bits)).clamp(1, n)
    }

    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}

/// `count` different probabilities from `least`, which is above 0, to 1: next to it, next to 1, and between.
/// `least` itself is the first.
pub fn probabilities(least: f64, count: usize, spread: &mut Spread) -> Vec<f64> {
    let (first, one) = (least.to_bits(), 1f64.to_bits());
    let mut bits = vec![first, first + 1, first + 2, one - 1, one - 2, 0.5f64.to_bits()];
    bits.retain(|&bits| bits >= first);
    let drawn = |bits: &mut Vec<u64>, spread: &mut Spread| {
        let next = match bits.len() % 4 {
            0 => first + spread.any_size(one - first),
            1 => one - spread.any_size(one - first),
            _ => (least + (1.0 - least) * spread.below(1 << 53) as f64 / (1u64 << 53) as f64)
                .to_bits(),
        };
        bits.push(next);
    };
    distinct(bits, count, |bits| drawn(bits, spread)).into_iter().map(f64::from_bits).collect()
}

/// `count` different floats above 0, up to 1: subnormal ones, those next to 1, round ones, and others of any size.
pub fn any_floats(count: usize, spread: &mut Spread) -> Vec<f64> {
    let one = 1f64.to_bits();
    let round = [1.0, 0.5, 0.25, 0.75, 0.1, 0.3, 0.9, 1e-3, 1e-9, 1e-300, f64::MIN_POSITIVE];
    let mut bits: Vec<u64> = round.iter().map(|f| f.to_bits()).collect();
    bits.extend([1, 2, 3, (1 << 52) - 1, (1 << 52) + 1, one - 1, one - 2]);
    let drawn = |bits: &mut Vec<u64>, spread: &mut Spread| {
        let next = match bits.len() % 4 {
            0 => spread.any_size(1 << 52),
            1 => one - spread.any_size(1 << 53),
            2 => (spread.any_size(1 << 53) as f64 / (1u64 << 53) as f64).to_bits(),
            _ => 1 + spread.below(one),
        };
        bits.push(next);
    };
    distinct(bits, count, |bits| drawn(bits, spread)).into_iter().map(f64::from_bits).collect()
}

/// How many binary digits after the point a float from 0 to 1 has.
pub fn places(x: f64) -> usize {
    if x.to_bits() << 1 == 0 {
        return 0;
    }
    let (exponent, mantissa) = (x.to_bits() >> 52 & 0x7ff, x.to_bits() & ((1 << 52) - 1));
    let (exponent, mantissa) =
        if exponent == 0 { (1, mantissa) } else { (exponent, mantissa | 1 << 52) };
    (1075 - exponent as usize).saturating_sub(mantissa.trailing_zeros() as usize)
}

/// Draws more until `count` are different, in the order they came. Fewer only if they are hard to find.
fn distinct(mut bits: Vec<u64>, count: usize, mut draw: impl FnMut(&mut Vec<u64>)) -> Vec<u64> {
    let mut seen = std::collections::HashSet::new();
    bits.retain(|&bits| seen.insert(bits));
    let mut tries = 0;
    while bits.len() < count && tries < 4 * count {
        tries += 1;
        draw(&mut bits);
        let newest = *bits.last().expect("one was drawn");
        if !seen.insert(newest) {
            bits.pop();
        }
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_many_and_within_range() {
        for (least, count) in [(0.5, 5000), (1.0 / 3.0, 300), (1.0 / 2000.0, 300)] {
            let all = probabilities(least, count, &mut Spread::new(7));
            assert_eq!(all.len(), count);
            assert!(all.iter().all(|p| (least..=1.0).contains(p)));
        }
        let all = any_floats(5000, &mut Spread::new(7));
        assert_eq!(all.len(), 5000);
        assert!(all.iter().all(|&f| 0.0 < f && f <= 1.0));
        assert!(all.iter().filter(|f| f.is_subnormal()).count() > 500);
        assert!(all.iter().filter(|f| **f > 0.999).count() > 500);
    }

    #[test]
    fn places_are_counted() {
        for (x, expected) in [(0.0, 0), (1.0, 0), (0.5, 1), (0.75, 2), (5e-324, 1074), (0.1, 55)] {
            assert_eq!(places(x), expected, "{x}");
        }
    }
}
