//! The public enclosures on machine words, compared with MPFR as enclosures.
//!
//! The rounded functions cannot tell whether these are right: rounding looks at 53 bits, the
//! enclosures have more than 100, and an error in the last forty would change one rounding in 2^40.

use std::time::Instant;

use deniable_num::certified::{FRACTION, SLACK_64, exp_neg_128, neg_ln_64, neg_ln_128};
use rug::{Assign, Float, Integer};

use crate::{
    rng::{SplitMix, seed},
    tally::{THREADS, Tally, in_parallel},
};

/// Bits of MPFR's values: far more than the enclosures have.
const PRECISION: u32 = 320;

/// Runs `count` cases of each enclosure; whether nothing was wrong.
pub fn run(count: u64) -> bool {
    let checks: [(&str, Check); 3] =
        [("neg_ln_64", check_ln_64), ("neg_ln_128", check_ln_128), ("exp_neg_128", check_exp)];
    let mut is_clean = true;
    for (name, check) in checks {
        let start = Instant::now();
        let parts = in_parallel(|thread| part(name, check, count, thread));
        let (tally, seen) = parts
            .into_iter()
            .reduce(|(t, s), (tally, seen)| (t.merge(tally), s.merge(seen)))
            .expect("at least one thread");
        println!(
            "{name}: {} cases, {} wrong, {} undecided, widest {}, nearest to a bound {:.0e}, \
             {:.1} seconds",
            tally.cases,
            tally.violations(),
            seen.undecided,
            seen.widest,
            seen.nearest,
            start.elapsed().as_secs_f64()
        );
        tally.shown.iter().for_each(|line| println!("  {line}"));
        // An enclosure that never answers is never wrong.
        is_clean &= tally.violations() == 0 && seen.undecided < count / 10;
    }
    is_clean
}

/// An enclosure, the promised greatest width, the true bounds of what it encloses, the arguments.
#[derive(Debug)]
pub struct Case {
    /// What the crate says; `None` if it cannot tell.
    pub got: Option<(u128, u128)>,
    /// The promised width.
    pub width: u128,
    /// The true value at the lower end of the argument.
    pub low: Float,
    /// The true value at the upper end of the argument.
    pub high: Float,
    /// For messages.
    pub argument: String,
}

type Check = fn(&mut SplitMix, u64) -> Case;

/// The widest enclosure, the true value that came nearest to a bound, in units of the last place,
/// and the arguments without an answer.
#[derive(Debug)]
struct Seen {
    widest: u128,
    nearest: f64,
    undecided: u64,
}

impl Seen {
    fn merge(self, other: Self) -> Self {
        Self {
            widest: self.widest.max(other.widest),
            nearest: self.nearest.min(other.nearest),
            undecided: self.undecided + other.undecided,
        }
    }
}

fn part(name: &str, check: Check, count: u64, thread: u64) -> (Tally, Seen) {
    let mut tally = Tally::default();
    let mut seen = Seen { widest: 0, nearest: f64::INFINITY, undecided: 0 };
    for index in (thread..count).step_by(THREADS as usize) {
        let case = check(&mut SplitMix::for_case(seed(name), index), index);
        tally.cases += 1;
        let Some((low, high)) = case.got else {
            seen.undecided += 1;
            continue;
        };
        if !encloses(&case) {
            tally.record_wrong(|| format!("{name} {}: {low:x} {high:x}", case.argument));
            continue;
        }
        seen.widest = seen.widest.max(high - low);
        let room = (case.low - Integer::from(low)).min(&(Integer::from(high) - case.high));
        seen.nearest = seen.nearest.min(room.to_f64());
    }
    (tally, seen)
}

/// Whether the true values are between the bounds, and those no wider than promised.
pub fn encloses(case: &Case) -> bool {
    case.got.is_none_or(|(low, high)| {
        let is_narrow = high.checked_sub(low).is_some_and(|width| width <= case.width);
        is_narrow && case.low >= low && case.high <= high
    })
}

fn check_ln_64(rng: &mut SplitMix, index: u64) -> Case {
    let fraction = ((fraction(rng, index) >> 64) as u64).max(1);
    let value = neg_ln(u128::from(fraction), 64);
    let argument = format!("{fraction:016x}");
    let width = SLACK_64;
    Case { got: neg_ln_64(fraction), width, low: value.clone(), high: value, argument }
}

fn check_ln_128(rng: &mut SplitMix, index: u64) -> Case {
    let fraction = fraction(rng, index);
    let value = neg_ln(fraction, 128);
    let argument = format!("{fraction:032x}");
    Case { got: neg_ln_128(fraction), width: 4, low: value.clone(), high: value, argument }
}

fn check_exp(rng: &mut SplitMix, index: u64) -> Case {
    let x_low = exponent(rng, index);
    let x_high = (x_low + u128::from(rng.below(4))).min((1023 << FRACTION) - 1);
    let at = |x: u128| {
        let scaled = Float::with_val(PRECISION, Integer::from(x)) >> FRACTION;
        (-scaled).exp() << 127u32
    };
    let argument = format!("{x_low:032x} {x_high:032x}");
    // No width is promised.
    let got = exp_neg_128(x_low, x_high);
    Case { got, width: u128::MAX, low: at(x_high), high: at(x_low), argument }
}

/// −ln(fraction / 2^bits) · 2^FRACTION.
fn neg_ln(fraction: u128, bits: u32) -> Float {
    let mut value = Float::new(PRECISION);
    value.assign(Integer::from(fraction));
    -((value >> bits).ln()) << FRACTION
}

/// Fractions of 2^128: any, of any size, at the edges of the tables' 128 intervals, near one.
fn fraction(rng: &mut SplitMix, index: u64) -> u128 {
    let any = u128::from(rng.next()) << 64 | u128::from(rng.next());
    let few = i128::from(rng.between(-4, 4));
    let shift = rng.below(128) as u32;
    let drawn = match index % 6 {
        0 => any,
        1 => any >> shift,
        2 => (1u128 << shift).wrapping_add_signed(few),
        // In the upper 64 bits as well, for those who use only them.
        3 => ((128 + u128::from(rng.below(128))) << 120).wrapping_add_signed(few << 64),
        4 => ((128 + u128::from(rng.below(128))) << 120).wrapping_add_signed(few) >> (shift % 64),
        _ => u128::MAX - (any >> shift),
    };
    drawn.max(1)
}

/// Exponents times 2^FRACTION, below 1023: any, of any size, near multiples of ln 2, and at the edges
/// of the table's 64ths above them.
fn exponent(rng: &mut SplitMix, index: u64) -> u128 {
    let any = u128::from(rng.next()) << 64 | u128::from(rng.next());
    let few = i128::from(rng.between(-40, 40));
    let limit = 1023u128 << FRACTION;
    let multiple = || neg_ln(1, 1).to_integer().and_then(|ln_2| ln_2.to_u128()).unwrap_or(0);
    let drawn = match index % 6 {
        0 => any % limit,
        1 => (any % limit) >> rng.below(120),
        2 => any % (64 << FRACTION),
        3 => multiple() * u128::from(rng.below(1400)) + (any >> (12 + rng.below(116))),
        4 => {
            let edge = multiple() * u128::from(1 + rng.below(1400));
            (edge - (u128::from(rng.below(45)) << (FRACTION - 6))).wrapping_add_signed(few)
        }
        _ => u128::from(rng.below(1023 << 6)) << (FRACTION - 6),
    };
    drawn.min(limit - 1)
}
