//! The fast kernels against the plain form, which rounds every single step outwards.

use deniable_num::certified::{FRACTION, Interval, exp_neg_128, neg_ln_64, neg_ln_128};
use num_bigint::{BigInt, BigUint, Sign};

const BITS: u64 = 320;

/// Bounds that are far narrower than those of the kernels, and their fraction bits.
type Truth = (BigInt, BigInt, u64);

/// Where the truth, times 2^bits, lies within the bounds: how far above the lower one, in 256ths of their
/// distance; or None if it is outside.
fn position(low: u128, high: u128, truth: &Truth, bits: u64) -> Option<u32> {
    let up = truth.2 - bits;
    let (low, high) = (BigInt::from(low) << up, BigInt::from(high) << up);
    if truth.0 < low || truth.1 > high {
        return None;
    }
    let distance = (&truth.1 - &low) * 256u32 / (high - low);
    Some(u32::try_from(&distance).unwrap())
}

/// Leading zeros of every number, edges of every table entry, and what is between them.
fn fractions() -> Vec<u128> {
    let mut all = vec![u128::MAX, u128::MAX - 1, 1, 2, 3];
    for i in 128..=256u128 {
        all.extend(
            [(i << 120).wrapping_sub(1), i << 120, (i << 120) + 1].into_iter().filter(|&v| v != 0),
        );
    }
    // The lower ends of the table's cells, where the series is longest.
    let mut offset = 1u128;
    for i in 0..128 * 60 {
        offset = offset.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(0x9e37_79b9) % (1 << 113);
        all.push(((128 + i % 128) << 120) + offset);
    }
    let mut mixed = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128;
    for _ in 0..4000 {
        mixed =
            mixed.wrapping_mul(0xda94_2042_e4dd_58b5_0000_0000_0000_0001).rotate_left(77) ^ 0x5851;
        all.push(mixed);
        all.push(mixed >> (mixed as u32 % 128));
    }
    all.retain(|&v| v != 0);
    all
}

fn neg_ln(numerator: BigUint, scale: i64) -> Truth {
    let ln = Interval::ln(&numerator, scale, BITS).unwrap();
    (-ln.high(), -ln.low(), BITS)
}

#[test]
fn logarithms_of_128_bits() {
    assert_logarithms_of_128_bits(1);
}

#[test]
fn logarithms_of_64_bits() {
    assert_logarithms_of_64_bits(1);
}

#[test]
fn exponentials() {
    assert_exponentials(1);
}

/// Some of these, in no time: what is wrong is mostly wrong for all of them.
#[test]
fn bounds_here_and_there() {
    assert_logarithms_of_128_bits(59);
    assert_logarithms_of_64_bits(59);
    assert_exponentials(59);
}

/// For one fraction out of so many, and so below.
fn assert_logarithms_of_128_bits(of: usize) {
    let mut highest = 0;
    for v in fractions().into_iter().step_by(of) {
        let (low, high) = neg_ln_128(v).unwrap();
        assert!(high - low <= 4, "{v:#x}");
        let at = position(low, high, &neg_ln(v.into(), 128), FRACTION.into());
        highest = highest.max(at.unwrap_or_else(|| panic!("{v:#x}")));
    }
    assert!(highest > 64, "the margin is far too wide: {highest}/256");
    assert!(neg_ln_128(0).is_none());
}

fn assert_logarithms_of_64_bits(of: usize) {
    let mut highest = 0;
    let fractions = fractions().into_iter().step_by(of);
    for v in fractions.map(|v| (v >> 64) as u64).filter(|&v| v != 0) {
        let (low, high) = neg_ln_64(v).unwrap();
        assert_eq!(high - low, 1 << 43, "{v:#x}");
        let at = position(low, high, &neg_ln(v.into(), 64), FRACTION.into());
        highest = highest.max(at.unwrap_or_else(|| panic!("{v:#x}")));
    }
    assert!(highest > 64, "the margin is far too wide: {highest}/256");
    assert!(neg_ln_64(0).is_none());
}

fn assert_exponentials(of: usize) {
    let (mut highest, mut decided) = (0, 0);
    let all: Vec<u128> = fractions().into_iter().step_by(of).collect();
    for (i, &v) in all.iter().enumerate() {
        // From next to nothing up to the largest exponent.
        let x = (v >> 2) >> (i % 100);
        if x >= 1023 << FRACTION {
            continue;
        }
        let one = BigUint::from(1u32) << FRACTION;
        let (m, n) = Interval::ratio(&-BigInt::from(x), &one, BITS).unwrap().exp().unwrap();
        let truth = (m.low() >> -n, (m.high() >> -n) + 1, BITS);
        if let Some((low, high)) = exp_neg_128(x, x) {
            let at = position(low, high, &truth, 127);
            highest = highest.max(at.unwrap_or_else(|| panic!("{x:#x}")));
            decided += 1;
        }
    }
    assert!(decided > all.len() / 2 && highest > 16, "{decided} {highest}");
    assert!(exp_neg_128(0, 1023 << FRACTION).is_none());
    assert!(exp_neg_128(1, 0).is_none());
    for beyond in [1023, 1030] {
        assert!(exp_neg_128(beyond << FRACTION, beyond << FRACTION).is_none());
    }
    let five = 5 << FRACTION;
    assert!(exp_neg_128(five, five + 1).is_some() && exp_neg_128(five + 1, five).is_none());
    assert!(exp_neg_128((1023 << FRACTION) - 1, (1023 << FRACTION) - 1).is_some());
}

/// Multiples of ln 2, to the last bit: on the edge the kernel may give up, but not hang or be wrong.
#[test]
fn exponentials_at_multiples_of_ln_2() {
    for n in 1..1400u32 {
        let multiple = (Interval::ln_2(BITS).low() * n) >> (BITS - u64::from(FRACTION));
        let multiple = u128::try_from(&multiple).unwrap();
        for x in multiple.saturating_sub(4)..multiple + 4 {
            let Some((low, high)) = exp_neg_128(x, x) else { continue };
            let down = n.min(127);
            let power = 1u128 << 127 >> down;
            // e^−x is 2^−n but for x's distance from the multiple of ln 2.
            assert!(low <= power + 1 + (power >> 100) && high + 1 + (power >> 100) >= power, "{n}");
        }
    }
}

/// A bound that is not one is found.
#[test]
fn a_planted_margin_of_zero_is_found() {
    let wrong = fractions().into_iter().filter(|&v| {
        let (low, _) = neg_ln_128(v).unwrap();
        position(low, low + 1, &neg_ln(v.into(), 128), FRACTION.into()).is_none()
    });
    assert!(wrong.count() > 100);
}

/// The plain form at every precision, the smallest ones included: it ends, and it encloses.
#[test]
fn plain_at_low_precision() {
    let one = BigUint::from(1u32);
    for bits in 0..40u64 {
        for x in [-(1 << 40), -1000, -1, 0, 1, 7, 1000, 1i64 << 40] {
            let x = BigInt::from(x);
            let (coarse, n) = Interval::ratio(&x, &one, bits).unwrap().exp().unwrap();
            let (fine, m) = Interval::ratio(&x, &one, 400).unwrap().exp().unwrap();
            // The two may split x into n ln 2 and the rest one step apart.
            let up = 400 - bits + 1;
            let (low, high) = (coarse.low() << up, coarse.high() << up);
            let scaled = |fine: &BigInt| (fine << (1 + m - n).max(0)) >> (n - m - 1).max(0);
            assert!(low <= scaled(fine.low()) && scaled(fine.high()) <= high, "{x} at {bits}");
        }
    }
    for bits in 0..24u64 {
        for n in 1..400u32 {
            let coarse = Interval::ln(&n.into(), 7, bits).unwrap();
            let fine = Interval::ln(&n.into(), 7, 200).unwrap();
            assert!(coarse.low() << (200 - bits) <= *fine.low(), "ln({n}/128) at {bits}");
            assert!(*fine.high() <= coarse.high() << (200 - bits), "ln({n}/128) at {bits}");
        }
    }
}

#[test]
fn plain_refuses_what_has_no_value() {
    let one = BigUint::from(1u32);
    assert!(Interval::ln(&BigUint::ZERO, 0, 64).is_none());
    assert!(Interval::ln(&one, i64::MIN, 64).unwrap().low().sign() == Sign::Plus);
    assert!(Interval::ratio(&1.into(), &BigUint::ZERO, 64).is_none());
    assert!(Interval::ratio(&(BigInt::from(1) << 80), &one, 64).unwrap().exp().is_none());
    assert!(Interval::between(1.into(), 0.into(), 64).is_none());
}

/// ⌊n · 2^bits / d⌋ and ⌈n · 2^bits / d⌉.
#[test]
fn ratios_are_between_neighbours() {
    for (n, d) in (-20i64..=20).flat_map(|n| (1..=9i64).map(move |d| (n, d))) {
        for bits in [0, 3, 10] {
            let ratio = Interval::ratio(&n.into(), &(d as u64).into(), bits).unwrap();
            let low = (n << bits).div_euclid(d);
            let high = -(-n << bits).div_euclid(d);
            assert_eq!((ratio.low(), ratio.high()), (&low.into(), &high.into()), "{n}/{d}");
            assert_eq!(ratio.bits(), bits);
        }
    }
    assert!(Interval::ratio(&1.into(), &BigUint::ZERO, 10).is_none());
}

#[test]
fn an_interval_has_two_ends() {
    let interval = Interval::between((-3).into(), 5.into(), 7).unwrap();
    assert_eq!((interval.low(), interval.high(), interval.bits()), (&(-3).into(), &5.into(), 7));
    assert!(Interval::between(5.into(), 5.into(), 7).is_some());
    assert!(Interval::between(5.into(), (-3).into(), 7).is_none());
}

/// Of a ratio next to 1 hardly anything is unknown: no two large logarithms are subtracted from each other.
#[test]
fn small_logarithms_are_narrow() {
    let (one, zero) = (BigUint::from(1u32), BigUint::ZERO);
    let power: BigUint = &one << 60;
    let more: BigUint = &power + (&one << 40);
    for (above, below) in
        [(&power, &(&power - &one)), (&power, &more), (&(&power - &one), &power), (&more, &power)]
    {
        let ln = Interval::ln_ratio(above, below, 100).unwrap();
        assert!(ln.high() - ln.low() <= 16.into(), "{}", ln.high() - ln.low());
    }
    for (above, below) in [(&zero, &one), (&one, &zero), (&zero, &zero)] {
        assert!(Interval::ln_ratio(above, below, 100).is_none());
    }
}
