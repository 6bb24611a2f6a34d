//! The steps of the plain form, each by itself: put together, their margins hide those of each other.

use core::f64::consts::LN_2;

use super::*;

fn interval(low: i64, high: i64, bits: u64) -> Interval {
    Interval::between(low.into(), high.into(), bits).unwrap()
}

/// Whether the first is within the second.
fn is_within(inner: &Interval, outer: &Interval) -> bool {
    let up = inner.bits - outer.bits;
    &outer.low << up <= inner.low && inner.high <= &outer.high << up
}

#[test]
fn integers_are_divided_downwards() {
    for (a, b) in (-30..=30i64).flat_map(|a| (1..=9i64).map(move |b| (a, b))) {
        let quotient = floor_div(&a.into(), &(b as u64).into());
        assert_eq!(quotient, a.div_euclid(b).into(), "{a}/{b}");
    }
}

#[test]
fn what_is_above_is_less_than_a_unit_above() {
    for (n, bits) in (0..100u64).flat_map(|n| (0..6).map(move |bits| (n, bits))) {
        let unit = 1u64 << bits;
        let above = above(BigUint::from(n), bits) * unit;
        assert!(above > n.into() && above <= (n + unit).into(), "{n} {bits}");
    }
}

#[test]
fn multiples_have_their_ends_in_order() {
    let of = |n: i64| interval(3, 5, 7).times(&n.into());
    assert_eq!(
        (of(2), of(0), of(-2)),
        (interval(6, 10, 7), interval(0, 0, 7), interval(-10, -6, 7))
    );
    assert_eq!(interval(-3, 5, 7).times(&(-1).into()), interval(-5, 3, 7));
}

/// Where a unit is no less than what the powers come down to.
#[test]
fn bounds_of_few_bits_have_an_end() {
    for bits in 0..8 {
        let unit = 1.0 / f64::from(1 << bits);
        let ln_2 = Interval::ln_2(bits);
        let [low, high] =
            [&ln_2.low, &ln_2.high].map(|end| i64::try_from(end).unwrap() as f64 * unit);
        assert!(low < LN_2 && LN_2 < high, "{bits}: {low} to {high}");
    }
}

/// All arguments of few bits, and some of many, against many more bits.
fn arguments(least: u64, end: impl Fn(u64) -> u64) -> impl Iterator<Item = (u64, u64)> {
    (least..62).flat_map(move |bits| {
        // Not `step_by`, whose steps are no longer than a word, which may have 32 bits.
        let step = (end(bits) >> 5).max(1);
        (0..end(bits).div_ceil(step)).map(move |i| (i * step, bits))
    })
}

const FINE: u64 = 200;

fn fine(n: u64, bits: u64) -> Interval {
    let n = BigInt::from(n) << (FINE - bits);
    Interval { low: n.clone(), high: n, bits: FINE }
}

#[test]
fn exponentials_are_enclosed() {
    for (n, bits) in arguments(0, |bits| (7u128 << bits).div_ceil(5) as u64) {
        let coarse = taylor_exp(&interval(n as i64, n as i64, bits));
        assert!(is_within(&taylor_exp(&fine(n, bits)), &coarse), "{n}/2^{bits}");
        // A unit for each of at most 20 terms, and four; times e^1.4.
        assert!(coarse.high - coarse.low < 100.into(), "{n}/2^{bits}");
    }
}

#[test]
fn inverse_hyperbolic_tangents_are_enclosed() {
    for (n, bits) in arguments(0, |bits| (1 << bits) / 3 + 1) {
        let coarse = artanh(&interval(n as i64, n as i64, bits));
        assert!(is_within(&artanh(&fine(n, bits)), &coarse), "{n}/2^{bits}");
        assert!(coarse.high - coarse.low < 100.into(), "{n}/2^{bits}");
    }
}

/// However long the argument is, a few units are unknown.
#[test]
fn exponentials_are_narrow() {
    for (n, bits) in [(1i64, 1), (-1, 1), (3, 2), (1 << 30, 0), (-(1 << 40), 8), (12345, 64)] {
        let (m, _) = interval(n, n, bits).exp().unwrap();
        assert!(&m.high - &m.low <= 2.into(), "{n}/2^{bits}");
        assert!(m.low >= ((1i128 << bits) - 1).into() && m.high <= ((4u128 << bits) + 1).into());
    }
}

#[test]
fn exponentials_end_at_their_limit() {
    let limit = BigInt::from(1) << 60;
    for sign in [1, -1i32] {
        let within: BigInt = (&limit - 1u32) * sign;
        assert!(Interval { low: within.clone(), high: within, bits: 0 }.exp().is_some());
        let beyond: BigInt = &limit * sign;
        assert!(Interval { low: beyond.clone(), high: beyond, bits: 0 }.exp().is_none());
    }
}

/// An integer that is nearer to a multiple of ln 2 than bounds of ln 2 tell: a convergent of its continued fraction.
#[test]
fn exponentials_next_to_a_power_of_two_are_right() {
    const NUMERATOR: i64 = 281_788_184_111_715_588;
    const DENOMINATOR: i64 = 406_534_415_799_078_269;
    let (m, n) = interval(-NUMERATOR, -NUMERATOR, 0).exp().unwrap();
    // e^−NUMERATOR is 2^−DENOMINATOR, and less than 2^−59 of it more.
    assert!(m.low >= BigInt::from(0) && m.high >= BigInt::from(1), "{m:?}");
    assert!([-DENOMINATOR, -DENOMINATOR - 1].contains(&n), "{n}");
    let fine = Interval {
        low: BigInt::from(-NUMERATOR) << FINE,
        high: BigInt::from(-NUMERATOR) << FINE,
        bits: FINE,
    };
    let (m, n) = fine.exp().unwrap();
    assert_eq!((n, m.low >> (FINE - 50)), (-DENOMINATOR, BigInt::from(1) << 50));
}
