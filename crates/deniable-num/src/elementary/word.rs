//! −ln of single words, in steps that a compiler turns into vector instructions.

use super::table::LN_2;
use super::table_64::{LN_RECIPROCALS, MULTIPLES_OF_LN_2, RECIPROCALS};

/// −ln(u / 2^64) for a word u, from below: mantissa · 2^(down − 64), less than [`NegLn::SLACK`] units too small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NegLn {
    /// The lower bound.
    pub mantissa: u64,
    /// How far the mantissa is shifted: from 0 to 6.
    pub down: u64,
    /// How many leading zeros u has. If there are [`NegLn::TOO_MANY`], the word may have more, and the bound says nothing.
    pub halvings: u64,
}

impl NegLn {
    /// How much the mantissa may be too small.
    pub const SLACK: u64 = 3;
    /// The number of leading zeros from which on nothing is known.
    pub const TOO_MANY: u64 = 51;

    /// Of one word.
    #[inline(always)]
    pub fn of(u: u64) -> Self {
        let (v, halvings) = normalize(u);
        let cell = Cell::of(v);
        let doubling = Doubling::of(halvings);
        NegLn {
            mantissa: (neg_ln_half_to_one(v, cell) >> doubling.down) + doubling.multiple,
            down: doubling.down,
            halvings,
        }
    }
}

/// A [`NegLn`] for each of many words, part by part.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct NegLns<const LANES: usize> {
    mantissas: [u64; LANES],
    downs: [u64; LANES],
    halvings: [u64; LANES],
}

impl<const LANES: usize> NegLns<LANES> {
    /// Of each word.
    #[inline(always)]
    pub fn of(words: &[u64; LANES]) -> Self {
        let zeros = [0; LANES];
        let mut lns = NegLns { mantissas: zeros, downs: zeros, halvings: zeros };
        let mut terms =
            Terms { fractions: zeros, lns: zeros, multiples: zeros, reciprocals: [0; LANES] };
        for (lane, &word) in words.iter().enumerate() {
            (terms.fractions[lane], lns.halvings[lane]) = normalize(word);
        }
        // Only the tables are read one after the other.
        for lane in 0..LANES {
            let cell = Cell::of(terms.fractions[lane]);
            (terms.lns[lane], terms.reciprocals[lane]) = (cell.ln, cell.reciprocal);
            let doubling = Doubling::of(lns.halvings[lane]);
            (terms.multiples[lane], lns.downs[lane]) = (doubling.multiple, doubling.down);
        }
        for lane in 0..LANES {
            let cell = Cell { ln: terms.lns[lane], reciprocal: terms.reciprocals[lane] };
            let ln = neg_ln_half_to_one(terms.fractions[lane], cell);
            lns.mantissas[lane] = (ln >> (lns.downs[lane] & 7)) + terms.multiples[lane];
        }
        lns
    }

    /// Of the word of this lane.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> NegLn {
        NegLn {
            mantissa: self.mantissas[lane],
            down: self.downs[lane],
            halvings: self.halvings[lane],
        }
    }
}

/// What the logarithms are made of.
#[repr(align(64))]
struct Terms<const LANES: usize> {
    fractions: [u64; LANES],
    lns: [u64; LANES],
    multiples: [u64; LANES],
    reciprocals: [u32; LANES],
}

/// The word shifted to the left until its leading bit is set, and by how much; at most by [`NegLn::TOO_MANY`].
#[inline(always)]
fn normalize(u: u64) -> (u64, u64) {
    let halvings = leading_zeros(u);
    (u << (halvings & 63), halvings)
}

/// The number of leading zeros of n, or 51 if there are more, for which vectors have no instruction: from the exponent of a float that
/// holds the 52 leading bits exactly, in every rounding mode. The last of them is set, which keeps the float from being zero.
#[inline(always)]
pub(crate) fn leading_zeros(n: u64) -> u64 {
    let float = f64::from_bits(TWO_52.to_bits() | n >> 12 | 1) - TWO_52;
    (1023 + 51) - (float.to_bits() >> 52)
}

const TWO_52: f64 = (1u64 << 52) as f64;

/// What is known of v/2^64 in [(512 + i)/1024, (513 + i)/1024).
#[derive(Clone, Copy)]
struct Cell {
    /// ln c · 2^64, rounded down, where c is the cell's reciprocal.
    ln: u64,
    /// 2048 c, and then 8 bits that belong at the end of ln c.
    reciprocal: u32,
}

impl Cell {
    #[inline(always)]
    fn of(v: u64) -> Self {
        CELLS[(v >> 54 & 0x1ff) as usize]
    }
}

static CELLS: [Cell; 512] = {
    let mut table = [Cell { ln: 0, reciprocal: 0 }; 512];
    let mut i = 0;
    while i < 512 {
        let ln = LN_RECIPROCALS[i] >> (116 - 72);
        let reciprocal = (RECIPROCALS[i] as u32) << 8 | (ln & 0xff) as u32;
        table[i] = Cell { ln: (ln >> 8) as u64, reciprocal };
        i += 1;
    }
    table
};

/// A multiple of ln 2.
#[derive(Clone, Copy)]
struct Doubling {
    /// n ln 2 · 2^(64 − down), rounded down.
    multiple: u64,
    /// The least with (n + 1) ln 2 ≤ 2^down.
    down: u64,
}

impl Doubling {
    #[inline(always)]
    fn of(n: u64) -> Self {
        DOUBLINGS[(n & 63) as usize]
    }
}

static DOUBLINGS: [Doubling; 64] = {
    let mut table = [Doubling { multiple: 0, down: 0 }; 64];
    let mut n = 0;
    while n < 64 {
        // n ln 2 from the table is less than 2 too small.
        let above = MULTIPLES_OF_LN_2[n] + (LN_2 >> 12) + 3;
        let mut down = 0;
        while above >> (116 + down) != 0 {
            down += 1;
        }
        let multiple = (MULTIPLES_OF_LN_2[n] >> (116 - 64 + down)) as u64;
        table[n] = Doubling { multiple, down: down as u64 };
        n += 1;
    }
    table
};

/// −ln(v / 2^64) · 2^64 of a v ≥ 2^63, from below.
#[inline(always)]
fn neg_ln_half_to_one(v: u64, Cell { ln, reciprocal }: Cell) -> u64 {
    let (c, rest_of_ln) = (u64::from(reciprocal >> 8), u64::from(reciprocal & 0xff));
    // v/2^64 times the reciprocal is 1 − r: r · 2^72, rounded up. What leaves the word is 2^72.
    let product = (((v >> 32) * c) << 29).wrapping_add(((v & 0xffff_ffff) * c) >> 3);
    let y = product.wrapping_neg();
    // −ln(1 − r) is r + r² (1/2 + r/3 + r²/4 + …). The second term is below 2^−18: to so many bits less it may be off.
    let float = y as f64;
    let r = float * (1.0 / TWO_52 / TWO_20);
    let tail = 1.0 / 5.0 + r * (1.0 / 6.0 + r * (1.0 / 7.0));
    let tail = 1.0 / 2.0 + r * (1.0 / 3.0 + r * (1.0 / 4.0 + r * tail));
    let quadratic = (float * 0.25) * (r * tail);
    // An integer is the mantissa of such a float.
    let quadratic = (quadratic + TWO_52).to_bits() - TWO_52.to_bits();
    // A word with too many leading zeros may leave the range, and then nothing is said.
    let series = y.wrapping_add(rest_of_ln + (quadratic << 2)).wrapping_sub(MARGIN);
    ln + (series >> 8)
}

const TWO_20: f64 = (1u64 << 20) as f64;

/// How much the series may be too large before this is subtracted, in units of 2^−72.
const MARGIN: u64 = 32;

#[cfg(test)]
mod tests;
