//! The public enclosures of any precision, compared with MPFR.
//!
//! They decide what the fast kernels leave open, which at 53 bits happens next to never: the rounded
//! functions would hide a mistake here.

use std::time::Instant;

use deniable_num::certified::Interval;
use num_bigint::{BigInt, BigUint};
use rug::{Float, Integer, Rational};

use crate::{
    rng::{SplitMix, seed},
    tally::{THREADS, Tally, in_parallel},
};

/// Enclosures may lose some units to the number of their terms, and to multiples of ln 2; one that is
/// wider than this would be of little use.
const WIDEST: u64 = 1 << 20;

/// Runs `count` cases of each function; whether nothing was wrong.
pub fn run(count: u64) -> bool {
    let checks: [(&str, Check); 4] =
        [("ratio", check_ratio), ("ln_2", check_ln_2), ("ln", check_ln), ("exp", check_exp)];
    let mut is_clean = true;
    for (name, check) in checks {
        let start = Instant::now();
        let tally = in_parallel(|thread| part(name, check, count, thread))
            .into_iter()
            .reduce(Tally::merge)
            .expect("at least one thread");
        println!(
            "Interval::{name}: {} cases, {} wrong, {:.1} seconds",
            tally.cases,
            tally.violations(),
            start.elapsed().as_secs_f64()
        );
        tally.shown.iter().for_each(|line| println!("  {line}"));
        is_clean &= tally.violations() == 0;
    }
    is_clean
}

/// Whether `interval` has the numbers from `low` to `high` in it, and is no wider than `widest` units.
///
/// `low` and `high` are already multiplied by 2^bits.
pub fn encloses(interval: &Interval, low: &Rational, high: &Rational, widest: u64) -> bool {
    let [below, above] = [interval.low(), interval.high()].map(integer);
    let is_narrow = Integer::from(&above - &below) <= widest;
    is_narrow && *low >= below && *high <= above
}

/// `Err` with the arguments if wrong.
type Check = fn(&mut SplitMix) -> Result<(), String>;

fn part(name: &str, check: Check, count: u64, thread: u64) -> Tally {
    let mut tally = Tally::default();
    for index in (thread..count).step_by(THREADS as usize) {
        tally.cases += 1;
        if let Err(arguments) = check(&mut SplitMix::for_case(seed(name), index)) {
            tally.record_wrong(|| format!("Interval::{name}: {arguments}"));
        }
    }
    tally
}

fn check_ratio(rng: &mut SplitMix) -> Result<(), String> {
    let bits = rng.below(600);
    let (numerator, denominator) = (signed(rng), natural(rng));
    let interval = Interval::ratio(&numerator, &denominator, bits).expect("a denominator above 0");
    let exact = Rational::from((integer(&numerator), integer(&denominator.clone().into())));
    let exact = exact << bits as u32;
    // Exact where that is possible.
    let widest = u64::from(*exact.denom() != 1);
    encloses(&interval, &exact, &exact, widest)
        .then_some(())
        .ok_or_else(|| format!("{numerator} / {denominator}, {bits} bits"))
}

fn check_ln_2(rng: &mut SplitMix) -> Result<(), String> {
    let bits = 8 + rng.below(1000);
    let two = Float::with_val(bits as u32 + 128, 2);
    let exact = scaled(two.ln(), bits);
    encloses(&Interval::ln_2(bits), &exact, &exact, WIDEST)
        .then_some(())
        .ok_or_else(|| format!("{bits} bits"))
}

fn check_ln(rng: &mut SplitMix) -> Result<(), String> {
    let bits = precision(rng);
    let numerator = match rng.below(3) {
        // Powers of two, and next to them.
        0 => (BigUint::from(1u32) << rng.below(200)) + rng.below(3),
        _ => natural(rng),
    };
    let scale = i64::from(rng.between(-1100, 1300));
    let exact = Float::with_val(bits as u32 + 256, integer(&numerator.clone().into()));
    let exact = if scale >= 0 { exact >> scale as u32 } else { exact << (-scale) as u32 };
    let exact = scaled(exact.ln(), bits);
    let ln = Interval::ln(&numerator, scale, bits).expect("a numerator above 0");
    encloses(&ln, &exact, &exact, WIDEST)
        .then_some(())
        .ok_or_else(|| format!("ln({numerator} / 2^{scale}), {bits} bits"))
}

fn check_exp(rng: &mut SplitMix) -> Result<(), String> {
    let bits = precision(rng);
    let size = rng.between(-80, 10);
    let low = BigInt::from(rng.next()) << bits >> (64 - size);
    let low = if rng.next() >> 63 == 0 { low } else { -low };
    let high = &low + rng.below(3);
    let x = Interval::between(low, high, bits).expect("low is below high");
    let (m, n) = x.exp().expect("|x| < 1024");
    // e^x / 2^n, to be compared with m.
    let at = |end: &BigInt| {
        let precision = bits as u32 + 256;
        let exact = Float::with_val(precision, integer(end)) >> bits as u32;
        scaled(exact.exp() >> i32::try_from(n).expect("|x| < 1024"), bits)
    };
    encloses(&m, &at(x.low()), &at(x.high()), WIDEST)
        .then_some(())
        .ok_or_else(|| format!("exp of {x:?}"))
}

/// The value times 2^bits. MPFR rounded it at 100 bits more than the enclosures have; an enclosure
/// would have to miss the true value by less than 2^−100 units for the difference to matter.
fn scaled(value: Float, bits: u64) -> Rational {
    (value << bits as u32).to_rational().expect("a finite number")
}

fn precision(rng: &mut SplitMix) -> u64 {
    rng.pick(&[64, 100, 128, 256, 512]) + rng.below(8)
}

fn natural(rng: &mut SplitMix) -> BigUint {
    let digits = [rng.next() as u32, rng.next() as u32, rng.next() as u32, rng.next() as u32];
    (BigUint::from_slice(&digits) >> rng.below(128)) + 1u32
}

fn signed(rng: &mut SplitMix) -> BigInt {
    let magnitude = BigInt::from(natural(rng));
    match rng.below(8) {
        0 => BigInt::ZERO,
        1..4 => magnitude,
        _ => -magnitude,
    }
}

fn integer(x: &BigInt) -> Integer {
    Integer::from_str_radix(&x.to_str_radix(16), 16).expect("hexadecimal digits")
}
