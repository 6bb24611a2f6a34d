//! Logarithms of words against the plain form, and how far the floats on the way stray from the truth.

use num_bigint::BigInt;

use super::super::fast::neg_ln_128;
use super::super::plain::Interval;
use super::super::table::tests::{BITS, floor_at};
use super::*;
use crate::{Directed, InfCast};

/// Numbers that look random and are the same every time.
fn spread(count: usize) -> impl Iterator<Item = u64> {
    let mut mixed = 0x9e37_79b9_7f4a_7c15_u64;
    (0..count).map(move |_| {
        mixed = mixed.wrapping_mul(0xd134_2543_de82_ef95).rotate_left(23) ^ 0x5851;
        mixed
    })
}

/// Around all powers of two, next to 2^64, and both ends of every cell of the table at several lengths.
fn edges() -> Vec<u64> {
    let mut all = Vec::from_iter(0..1 << 14);
    all.extend((14..=64).flat_map(|bit| {
        let power = 1u128.wrapping_shl(bit) as u64;
        (0..9).map(move |n| power.wrapping_add(n).wrapping_sub(4))
    }));
    all.extend((0..1000).map(|n| u64::MAX - n));
    all.extend((10..60).map(|bit| u64::MAX - (1 << bit)));
    for halvings in [0, 1, 2, 3, 4, 10, 21, 22, 45, 50] {
        for first in (512..1024).map(|i: u64| i << 54) {
            let last = first | ((1 << 54) - 1);
            all.extend([first, last - (1 << 53), last].map(|v| v >> halvings));
            // Not beyond the last bit.
            all.extend([first + (1 << halvings), last - (1 << halvings)].map(|v| v >> halvings));
        }
    }
    all
}

/// Words of all lengths that have a bound, the long ones more often.
fn spread_words(count: usize) -> impl Iterator<Item = u64> {
    spread(count).enumerate().map(|(n, word)| {
        let halvings = if n % 2 == 0 { 0 } else { n as u32 / 2 % 51 };
        (word | 1 << 63) >> halvings
    })
}

/// The fraction bits of the truth.
const FRACTION: u64 = 120;

/// −ln(u / 2^64) · 2^FRACTION, from below and from above.
fn truth(u: u64) -> [u128; 2] {
    let ln = Interval::ln(&u.into(), 64, FRACTION).expect("not zero");
    [-ln.high(), -ln.low()].map(|bound| u128::try_from(&bound).expect("u is below 2^64"))
}

/// How far the truth is above a bound, at least and at most, in 2^−16 of its units.
fn above(ln: NegLn, u: u64) -> [i128; 2] {
    let up = ln.down as u32 + FRACTION as u32 - 64;
    let bound = u128::from(ln.mantissa) << up;
    let [low, high] = truth(u).map(|truth| truth as i128 - bound as i128);
    [low >> (up - 16), (high >> (up - 16)) + 1]
}

/// Whether the truth is not below the bound, and less than so many units above it.
fn encloses(ln: NegLn, slack: u64, u: u64) -> bool {
    let [low, high] = above(ln, u);
    low >= 0 && high < i128::from(slack) << 16
}

fn has_bound(u: u64) -> bool {
    u64::from(u.leading_zeros()) < NegLn::TOO_MANY
}

fn words_with_bound(count: usize) -> impl Iterator<Item = u64> {
    edges().into_iter().filter(|&u| has_bound(u)).chain(spread_words(count))
}

#[test]
fn bounds_enclose_the_logarithm() {
    let [mut lowest, mut highest] = [i128::MAX, 0];
    for u in words_with_bound(300_000) {
        let [low, high] = above(NegLn::of(u), u);
        assert!(low >= 0 && high < i128::from(NegLn::SLACK) << 16, "{u:#x}: {low} to {high}");
        (lowest, highest) = (lowest.min(low), highest.max(high));
    }
    // In 2^−16 of a unit: no smaller slack would do, and the bound is not far too low.
    assert!(lowest < 1 << 14 && highest > 2 << 16, "{lowest} to {highest}");
}

/// What is said of a word is as long as it says, for every length. Of zero, too, it says only that there are too many.
#[test]
fn lengths_are_right() {
    for u in edges().into_iter().chain(spread_words(10_000)) {
        let NegLn { mantissa, down, halvings } = NegLn::of(u);
        assert_eq!(halvings, u64::from(u.leading_zeros()).min(NegLn::TOO_MANY), "{u:#x}");
        assert_eq!(halvings == NegLn::TOO_MANY, u < 1 << 13, "{u:#x}");
        assert_eq!(down, DOUBLINGS[halvings as usize].down, "{u:#x}");
        // Long enough: more than a third of the range, unless u is from 2^63 on.
        assert!(down == 0 || mantissa > u64::MAX / 3, "{u:#x}");
    }
    assert_eq!(NegLn::of(0).halvings, 51);
}

#[test]
fn leading_zeros_are_counted() {
    for n in edges().into_iter().chain(spread_words(100_000)) {
        assert_eq!(leading_zeros(n), n.leading_zeros().min(51).into(), "{n:#x}");
    }
}

fn lanes_are_alike<const LANES: usize>(words: &[u64]) {
    for words in words.windows(LANES).step_by(LANES.div_ceil(2)) {
        let lns = NegLns::<LANES>::of(words.try_into().unwrap());
        for (lane, &u) in words.iter().enumerate() {
            assert_eq!(lns.get(lane), NegLn::of(u), "{u:#x} in lane {lane} of {LANES}");
        }
    }
}

#[test]
fn many_are_as_one() {
    let mut words = edges();
    // Not in order: neighbours differ.
    words.extend(spread_words(10_000));
    let few = words.len() as u64;
    let mixed = spread(100_000).map(|n| words[(n >> 32).wrapping_rem(few) as usize]);
    let words = Vec::from_iter(mixed);
    lanes_are_alike::<1>(&words);
    lanes_are_alike::<3>(&words);
    lanes_are_alike::<8>(&words);
    lanes_are_alike::<64>(&words);
}

/// Whether an entry is the one of v/2^64 in [(512 + i)/1024, (513 + i)/1024).
fn is_cell(i: usize, Cell { ln, reciprocal }: Cell) -> bool {
    // The largest with which no v of the cell comes to more than 1.
    let end = 513 + i as u32;
    let c = reciprocal >> 8;
    let is_largest = c * end <= 2048 * 1024 && (c + 1) * end > 2048 * 1024;
    let kept = u128::from(ln) << 8 | u128::from(reciprocal & 0xff);
    let exact = Interval::ln(&c.into(), 11, BITS).unwrap();
    let exact = if c == 2048 { BigInt::ZERO } else { floor_at(&exact, 72) };
    is_largest && exact == kept.into()
}

/// Whether an entry is the one of n ln 2.
fn is_doubling(n: usize, Doubling { multiple, down }: Doubling) -> bool {
    let ln_2 = Interval::ln_2(BITS);
    let is_enough = |down: u64| ln_2.high() * (n + 1) <= BigInt::from(1) << (BITS + down);
    let exact: BigInt = (ln_2.low() * n) >> (BITS - 64 + down);
    is_enough(down) && (down == 0 || !is_enough(down - 1)) && exact == multiple.into()
}

#[test]
fn tables_are_as_computed() {
    assert!(CELLS.iter().enumerate().all(|(i, &cell)| is_cell(i, cell)));
    assert!(DOUBLINGS.iter().enumerate().all(|(n, &doubling)| is_doubling(n, doubling)));
    assert_eq!(DOUBLINGS.map(|doubling| doubling.down).iter().max(), Some(&6));
}

/// How a processor rounds the operations of floats.
#[derive(Clone, Copy, Debug)]
enum Mode {
    Nearest,
    Up,
    /// Or towards zero, as nothing here is negative.
    Down,
}

impl Mode {
    fn add(self, a: f64, b: f64) -> f64 {
        match self {
            Mode::Nearest => a + b,
            Mode::Up => a.inf_add(b).unwrap(),
            Mode::Down => a.neg_inf_add(b).unwrap(),
        }
    }

    fn mul(self, a: f64, b: f64) -> f64 {
        match self {
            Mode::Nearest => a * b,
            Mode::Up => a.inf_mul(b).unwrap(),
            Mode::Down => a.neg_inf_mul(b).unwrap(),
        }
    }

    fn float(self, n: u64) -> f64 {
        match self {
            Mode::Nearest => n as f64,
            Mode::Up => f64::inf_cast(n).unwrap(),
            Mode::Down => f64::neg_inf_cast(n).unwrap(),
        }
    }
}

/// The steps of [`neg_ln_half_to_one`] with some of them open, the last shift left out.
#[derive(Clone, Copy)]
struct Steps {
    mode: Mode,
    /// Of r², r³ and so on.
    coefficients: [f64; 6],
    margin: u128,
}

impl Steps {
    const RIGHT: Self = Steps {
        mode: Mode::Nearest,
        coefficients: [1.0 / 2.0, 1.0 / 3.0, 1.0 / 4.0, 1.0 / 5.0, 1.0 / 6.0, 1.0 / 7.0],
        margin: MARGIN as u128,
    };

    /// −ln(v / 2^64) · 2^72.
    fn neg_ln_half_to_one(&self, v: u64) -> u128 {
        let (mode, Cell { ln, reciprocal }) = (self.mode, Cell::of(v));
        let r = (1u128 << 75) - u128::from(v) * u128::from(reciprocal >> 8);
        let y = u64::try_from(r.div_ceil(8)).expect("r is below 2^−8");
        let float = mode.float(y);
        // A power of two is exact.
        let r = float / 2f64.powi(72);
        let [first @ .., last] = self.coefficients;
        let tail =
            first.into_iter().rev().fold(last, |tail, first| mode.add(first, mode.mul(r, tail)));
        let quadratic = mode.mul(float / 4.0, mode.mul(r, tail));
        let quadratic = mode.add(quadratic, TWO_52) - TWO_52;
        let ln = u128::from(ln) << 8 | u128::from(reciprocal & 0xff);
        ln + u128::from(y) + 4 * quadratic as u128 - self.margin
    }

    fn neg_ln(&self, u: u64) -> NegLn {
        let (v, halvings) = normalize(u);
        let Doubling { multiple, down } = Doubling::of(halvings);
        let ln = (self.neg_ln_half_to_one(v) >> 8) as u64;
        NegLn { mantissa: (ln >> down) + multiple, down, halvings }
    }

    /// How far the result is above the truth, in 2^−8 of 2^−72. The bounds of the truth are 2^−36 of that apart.
    fn stray(&self, v: u64) -> i128 {
        let (low, _) = neg_ln_128(u128::from(v) << 64);
        (self.neg_ln_half_to_one(v) as i128 * (1 << 44) - low as i128) >> 36
    }

    /// The lowest and the highest [`Steps::stray`] of bad words, in 2^−72.
    fn strays(self, count: usize) -> [i128; 2] {
        let strays = bad_fractions(count).map(|v| self.stray(v));
        let [low, high] =
            strays.fold([0, 0], |[low, high], stray| [stray.min(low), stray.max(high)]);
        [low >> 8, (high >> 8) + 1]
    }
}

/// At the lower ends of cells r is largest, and so is what floats do to its square: most in these cells.
const WORST: [u64; 6] = [7, 13, 10, 15, 6, 17];

/// Most of them at the lower ends of the cells.
fn bad_fractions(count: usize) -> impl Iterator<Item = u64> {
    spread(count).enumerate().map(|(n, mixed)| match n % 4 {
        0 => mixed | 1 << 63,
        1 => ((512 + (n as u64 / 4) % 512) << 54) + (mixed >> 20),
        _ => ((512 + WORST[n / 4 % WORST.len()]) << 54) + (mixed >> 24),
    })
}

/// The steps are those of the code. So is then what is found of them.
#[test]
fn steps_are_those_of_the_code() {
    let fractions = words_with_bound(10_000).map(|u| normalize(u).0);
    for v in fractions.chain(bad_fractions(300_000)) {
        let steps = (Steps::RIGHT.neg_ln_half_to_one(v) >> 8) as u64;
        assert_eq!(neg_ln_half_to_one(v, Cell::of(v)), steps, "{v:#x}");
    }
}

/// Before the margin is subtracted. It has room for more.
#[test]
fn floats_stray_less_than_the_margin() {
    const { assert!(MARGIN >= 20) };
    let strays = |mode| Steps { mode, margin: 0, ..Steps::RIGHT }.strays(1_000_000);
    let [nearest, up, down] = [Mode::Nearest, Mode::Up, Mode::Down].map(strays);
    assert!(nearest[0] >= -10 && nearest[1] <= 10, "{nearest:?}");
    assert!(up[1] <= 20 && down[0] >= -20, "{up:?}, {down:?}");
    // The search finds words that are bad enough.
    assert!(nearest[0] <= -7 && nearest[1] >= 7 && up[1] >= 12 && down[0] <= -12);
}

#[test]
fn bounds_hold_in_every_mode_of_rounding() {
    for mode in [Mode::Up, Mode::Down] {
        let steps = Steps { mode, ..Steps::RIGHT };
        for u in words_with_bound(10_000) {
            assert!(encloses(steps.neg_ln(u), NegLn::SLACK, u), "{u:#x}, {mode:?}");
        }
    }
}

/// The checks above find these mistakes.
mod planted {
    use super::*;

    /// How many of some words have a bound that is not one.
    fn found(slack: u64, wrong: impl Fn(u64) -> NegLn) -> usize {
        words_with_bound(100_000).filter(|&u| !encloses(wrong(u), slack, u)).count()
    }

    #[test]
    fn a_slack_that_is_too_small_is_found() {
        assert!(found(NegLn::SLACK - 1, NegLn::of) > 0);
    }

    #[test]
    fn a_margin_of_zero_is_found() {
        let steps = Steps { margin: 0, ..Steps::RIGHT };
        assert!(found(NegLn::SLACK, |u| steps.neg_ln(u)) > 10);
        // Below the truth in all of them.
        assert!(words_with_bound(100_000).any(|u| above(steps.neg_ln(u), u)[1] < 0));
    }

    #[test]
    fn wrong_coefficients_are_found() {
        let strays = |n: usize, wrong: f64| {
            let mut steps = Steps { margin: 0, ..Steps::RIGHT };
            steps.coefficients[n] = wrong;
            steps.strays(100_000)
        };
        assert!(strays(5, 1.0 / 8.0)[0] < -20);
        assert!(strays(5, 1.0 / 6.0)[1] > 20);
        assert!(strays(4, 1.0 / 7.0)[0] < -20);
        let half = 0.5f64.to_bits();
        assert!(strays(0, f64::from_bits(half + 1))[1] > 9);
        assert!(strays(0, f64::from_bits(half - 1))[0] < -8);
    }

    #[test]
    fn wrong_entries_of_tables_are_found() {
        for (i, &cell) in CELLS.iter().enumerate() {
            let Cell { ln, reciprocal } = cell;
            assert!(!is_cell(i, Cell { reciprocal: reciprocal ^ 1, ..cell }), "{i}");
            assert!(!is_cell(i, Cell { reciprocal: reciprocal ^ 1 << 8, ..cell }), "{i}");
            assert!(!is_cell(i, Cell { ln: ln ^ 1, ..cell }), "{i}");
        }
        for (n, &doubling) in DOUBLINGS.iter().enumerate() {
            let Doubling { multiple, down } = doubling;
            assert!(!is_doubling(n, Doubling { multiple: multiple ^ 1, ..doubling }), "{n}");
            assert!(!is_doubling(n, Doubling { multiple: multiple / 2, down: down + 1 }), "{n}");
        }
    }

    #[test]
    fn wrong_lengths_are_found() {
        let all = words_with_bound(100_000).count();
        for more in [1, u64::MAX] {
            let wrong = |u: u64| {
                let (v, halvings) = normalize(u);
                let Doubling { multiple, down } = Doubling::of(halvings.wrapping_add(more));
                let ln = neg_ln_half_to_one(v, Cell::of(v)) >> down;
                NegLn { mantissa: ln.wrapping_add(multiple), down, halvings }
            };
            assert_eq!(found(NegLn::SLACK, wrong), all);
        }
    }
}
