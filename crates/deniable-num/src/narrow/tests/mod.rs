//! What one word or two tell of a sum, against exact arithmetic at both ends of what is known.

use num_bigint::{BigInt, BigUint, Sign};

use super::*;
use crate::{Decoded, Direction, Real};
use format::{Eight, Five, Long, Sixteen};

mod format;
mod planted;
mod two_words;

/// A sign, a mantissa and an exponent.
type Term = (bool, u64, i64);

/// A sum to be rounded.
#[derive(Clone, Copy, Debug)]
struct Case {
    x: Term,
    /// The bits of x, if it is a float.
    raw: Option<u64>,
    y_negative: bool,
    y: Narrow<u128>,
}

impl Case {
    /// y in one word.
    fn short(&self) -> Narrow {
        let Narrow { mantissa, slack, exponent } = self.y;
        let [mantissa, slack] = [mantissa, slack].map(|n| u64::try_from(n).expect("one word"));
        Narrow { mantissa, slack, exponent }
    }

    fn answer<F: Float>(&self) -> Option<F> {
        Narrow::nearest_sum(self.x, (self.y_negative, self.short()))
    }

    /// The answer by the bits of x, if it is a float.
    fn raw_answer<F: Float>(&self) -> Option<u64> {
        let y_sign = u64::from(self.y_negative).wrapping_neg();
        let (sum, is_known) = Narrow::nearest_raw_sum::<F>(self.raw?, y_sign, self.short());
        is_known.then_some(sum)
    }

    /// x plus the number that is so many units above the lower end of y.
    fn sum(&self, above: u128) -> Real {
        let (negative, mantissa, exponent) = self.x;
        let y = self.y.mantissa + above;
        if y >> 120 != 0 {
            let common = exponent.min(self.y.exponent);
            let sum = self.big_sum(above, common);
            return Real::from_big(sum.magnitude(), common).with_sign(sum.sign() == Sign::Minus);
        }
        Real::sum(
            Real::exact(negative, mantissa.into(), exponent),
            Real::exact(self.y_negative, y, self.y.exponent),
        )
    }

    /// The same in units of 2^common.
    fn big_sum(&self, above: u128, common: i64) -> BigInt {
        let (negative, mantissa, exponent) = self.x;
        let y = BigUint::from(self.y.mantissa + above);
        signed(negative, mantissa.into(), exponent - common)
            + signed(self.y_negative, y, self.y.exponent - common)
    }

    /// Whether x plus each number examined, both ends among them, rounds to the answer. Rounding is monotone: both ends speak for
    /// all between.
    fn is_right<F: Float>(&self, answer: F) -> bool {
        let slack = self.y.slack;
        [0, slack / 3, slack - slack / 7, slack]
            .into_iter()
            .all(|above| self.sum(above).round::<F>(Direction::Nearest).to_raw() == answer.to_raw())
    }

    /// The same by comparison with the answer's neighbours, in big integers.
    fn is_nearest<F: Float>(&self, answer: F) -> bool {
        let common = self.x.2.min(self.y.exponent).min(i64::from(F::MIN_EXPONENT) - 1);
        let (low, high) = halfways(answer, common);
        let is_even = answer.to_raw() & 1 == 0;
        [0, self.y.slack].into_iter().all(|above| {
            let sum = self.big_sum(above, common);
            low < sum && sum < high || is_even && (low == sum || sum == high)
        })
    }

    /// Whether one word has to be enough: near enough, narrow enough, long enough, neither subnormal nor one of the largest
    /// numbers, and alike even with a unit added at either end for each of x and y that does not fit the larger unit.
    fn is_easy<F: Float>(&self) -> bool {
        let (x_negative, mantissa, exponent) = self.x;
        let y_unit = self.y.exponent;
        let x_unit = match mantissa {
            0 => y_unit,
            _ => exponent + 1 - i64::from(mantissa.leading_zeros()),
        };
        let unit = x_unit.max(y_unit);
        let (x_down, y_down) = (unit - x_unit, unit - y_unit);
        if x_down > 63 || y_down > 63 || self.y.slack >> y_down > (1 << 50) - 3 {
            return false;
        }
        let precision = i64::from(F::PRECISION);
        let is_x_cut = mantissa >> precision != 0 || x_down >= 63 - precision;
        // In 256ths of the larger unit; what is lost of each number is less than one of them.
        let last = unit - 8;
        let signed = |negative: bool, mantissa: u128, exponent: i64| {
            // Only a zero is further away.
            let up = (exponent - last).clamp(-127, 127);
            let (up, down) = (up.max(0), (-up).max(0));
            let magnitude = (mantissa << up >> down) as i128;
            if negative { -magnitude } else { magnitude }
        };
        let x = signed(x_negative, mantissa.into(), exponent);
        let ends = [0, self.y.slack]
            .map(|above| x + signed(self.y_negative, self.y.mantissa + above, self.y.exponent));
        let [one, other] = ends.map(i128::unsigned_abs);
        let more = 256 * (u128::from(is_x_cut) + u128::from(y_down > 0)) + 2;
        let (low, high) = (one.min(other).saturating_sub(more), one.max(other) + more);
        (ends[0] < 0) == (ends[1] < 0) && has_one_float::<F>(low, high, last)
    }
}

/// Whether all from low to high round to one float, though the places were those of the smallest. They are in 256ths of a unit,
/// of which they have at least 2^52 and not nearly 2^64. Neither subnormal, nor one of the largest numbers.
fn has_one_float<F: Float>(low: u128, high: u128, last: i64) -> bool {
    let precision = i64::from(F::PRECISION);
    let place = |n: u128| i64::from(128 - n.leading_zeros()) - precision;
    if low >> 60 == 0 || place(low) <= 8 {
        return false;
    }
    let half = |n: u128| 1u128 << (place(n) - 1);
    let kept = |n: u128| (n + half(low)) >> place(low);
    kept(low) == kept(high)
        && (high + half(high)) >> 72 == 0
        && last + place(low) >= F::MIN_EXPONENT.into()
        && last + place(high) < F::MAX_EXPONENT.into()
}

fn signed(negative: bool, magnitude: BigUint, up: i64) -> BigInt {
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    BigInt::from_biguint(sign, magnitude << up.unsigned_abs())
}

/// Halfway from a finite float to its neighbours, in units of 2^common.
fn halfways<F: Float>(x: F, common: i64) -> (BigInt, BigInt) {
    let Decoded::Finite { negative, mantissa, exponent } = x.decode() else { panic!("finite") };
    let half = BigUint::from(1u32) << (i64::from(exponent) - 1 - common).unsigned_abs();
    let magnitude = BigUint::from(mantissa) << (i64::from(exponent) - common).unsigned_abs();
    let is_power = mantissa == 1 << (F::PRECISION - 1) && exponent > F::MIN_EXPONENT;
    let outward = BigInt::from(&magnitude + &half);
    // Below a power of two the floats are twice as near to each other.
    let inward = BigInt::from(magnitude) - BigInt::from(half >> u32::from(is_power));
    if negative { (-outward, -inward) } else { (inward, outward) }
}

/// What is known of y in the cases visited.
struct Known<'a> {
    /// How many bits of its mantissa are used.
    bits: &'a [i64],
    /// Its slack, or as much as fits.
    slacks: &'a [u128],
    /// By how many units an end is moved.
    offsets: &'a [i128],
    /// The largest number of its type.
    most: u128,
}

impl Known<'_> {
    const ONE_WORD: Self = Known {
        bits: &[63, 62, 61, 60, 54, 53, 12, 1],
        slacks: &[0, 1, 2, 3, 6, 1 << 9, 1 << 47, u128::MAX],
        offsets: &[-9, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 5],
        most: u64::MAX as u128,
    };

    /// Visits cases that end next to `target`: y is what is missing, known to some number of bits, with one of its ends moved by a
    /// few units.
    fn around(&self, x: X, target: Term, visit: &mut impl FnMut(Case)) {
        let common = x.term.2.min(target.2);
        let scaled = |(negative, mantissa, exponent): Term| {
            signed(negative, mantissa.into(), exponent - common)
        };
        let difference = scaled(target) - scaled(x.term);
        let y_negative = difference.sign() == Sign::Minus;
        let magnitude = difference.magnitude();
        for bits in self.bits {
            let down = magnitude.bits() as i64 - bits;
            let shifted = if down >= 0 { magnitude >> down } else { magnitude << -down };
            let end = u128::try_from(&shifted).expect("128 bits at most");
            for &slack in self.slacks {
                for start in [Some(end), end.checked_sub(slack)].into_iter().flatten() {
                    let moved = self.offsets.iter().filter_map(|&n| start.checked_add_signed(n));
                    for mantissa in moved.filter(|mantissa| *mantissa <= self.most / 2) {
                        let slack = slack.min(self.most - mantissa);
                        let y = Narrow { mantissa, slack, exponent: common + down };
                        visit(Case { x: x.term, raw: x.raw, y_negative, y });
                    }
                }
            }
        }
    }
}

/// The exact term of a sum, and its bits if it is a float.
#[derive(Clone, Copy, Debug)]
struct X {
    term: Term,
    raw: Option<u64>,
}

impl X {
    fn float<F: Float>(x: F) -> Option<Self> {
        let Decoded::Finite { mantissa, exponent, .. } = x.decode() else { return None };
        // A zero has a sign here, as it has in the bits.
        let negative = x.to_raw() >> (F::WIDTH - 1) == 1;
        Some(X { term: (negative, mantissa, exponent.into()), raw: Some(x.to_raw()) })
    }

    fn other(term: Term) -> Self {
        X { term, raw: None }
    }
}

/// A float and the points halfway to its neighbours.
fn targets((negative, mantissa, exponent): Term) -> impl Iterator<Item = Term> {
    let quarters = [
        4 * mantissa + 2,
        4 * mantissa,
        (4 * mantissa).wrapping_sub(2),
        (4 * mantissa).wrapping_sub(1),
    ];
    let quarters = quarters.into_iter().take(if mantissa == 0 { 2 } else { 4 });
    quarters.map(move |quarters| (negative, quarters, exponent - 2))
}

/// How many cases were run, and how many of them had an answer.
#[derive(Debug, Default)]
struct Count {
    cases: u64,
    answers: u64,
}

impl Count {
    /// Runs a case. Fails if an answer is not right, if there is none where one word has to be enough, or if the form on bits or
    /// two words give another.
    fn run<F: Float>(&mut self, case: Case) {
        let answer = case.answer::<F>();
        self.cases += 1;
        match answer {
            None => assert!(!case.is_easy::<F>(), "no answer to {case:?}"),
            Some(answer) => {
                self.answers += 1;
                assert!(case.is_right(answer), "{case:?} is not {answer:?}");
                if self.answers % 31 == 0 {
                    assert!(case.is_nearest(answer), "{case:?} is not near {answer:?}");
                }
            }
        }
        if case.raw.is_some() {
            let is_subnormal = case.x.1 != 0 && case.x.1 >> (F::PRECISION - 1) == 0;
            let expected = answer.filter(|_| !is_subnormal).map(F::to_raw);
            assert_eq!(case.raw_answer::<F>(), expected, "{case:?} by its bits");
        }
        self.run_in_two_words(case, answer);
    }

    /// Two words give the same answer, and have one more often. They may miss one that is a power of two, if that is an end of the
    /// range or overflows.
    fn run_in_two_words<F: Float>(&self, case: Case, answer: Option<F>) {
        match (answer, case.long_answer::<F>()) {
            (Some(one), Some(two)) => assert_eq!(one.to_raw(), two.to_raw(), "{case:?}"),
            (None, Some(two)) => assert!(case.is_right(two), "{case:?} is not {two:?}"),
            (one, None) => {
                let may_miss = |answer: F| case.is_bad_for_two_words() || is_power_of_two(answer);
                let is_missed = !one.is_none_or(may_miss)
                    || (one.is_some() || self.cases % 101 == 0) && case.is_easy_in_two_words::<F>();
                assert!(!is_missed, "no answer in two words to {case:?}");
            }
        }
    }
}

fn is_power_of_two<F: Float>(x: F) -> bool {
    matches!(x.decode(), Decoded::Finite { mantissa, .. } if mantissa.is_power_of_two())
}

fn all_floats<F: Float>() -> impl Iterator<Item = X> {
    (0..1u64 << F::WIDTH).filter_map(|raw| X::float(F::from_raw(raw)))
}

/// Every float of a format, and what takes it next to every float or halfway between two.
#[test]
fn every_sum_of_a_tiny_format() {
    let (mut count, bits) = (Count::default(), Vec::from_iter(1..=63));
    let known = Known { bits: &bits, ..Known::ONE_WORD };
    for x in all_floats::<Five>() {
        for target in all_floats::<Five>().flat_map(|x| targets(x.term)) {
            known.around(x, target, &mut |case| count.run::<Five>(case));
        }
    }
    assert!(count.cases > 31_000_000 && count.answers > 3_000_000, "{count:?}");
}

/// Every float of a format plus every number of seven bits, as far apart as they may be.
#[test]
fn every_short_number_added_to_a_tiny_format() {
    let mut count = Count::default();
    for x in all_floats::<Five>() {
        for (short, up) in (0..128u128).flat_map(|short| [56, 55, 45].map(|up| (short, up))) {
            for slack in [0, 1, 2, 3, 5, 8, 1 << 20, 1 << 49, 1 << 52] {
                for exponent in (-75..-45).chain(-10..10) {
                    for y_negative in [false, true] {
                        let y = Narrow { mantissa: short << up, slack, exponent };
                        count.run::<Five>(Case { x: x.term, raw: x.raw, y_negative, y });
                    }
                }
            }
        }
    }
    assert!(count.cases > 9_600_000 && count.answers > 2_600_000, "{count:?}");
}

/// The float with these parts, the exponent being counted from that of subnormal numbers.
fn from_parts<F: Float>(negative: bool, biased: i64, fraction: u64) -> Option<X> {
    let fraction = fraction & ((1 << (F::PRECISION - 1)) - 1);
    let sign = u64::from(negative) << (F::WIDTH - 1);
    let special = (1 << (F::WIDTH - F::PRECISION)) - 1;
    let biased = u64::try_from(biased).ok().filter(|biased| *biased < special)?;
    X::float(F::from_raw(sign | biased << (F::PRECISION - 1) | fraction))
}

const FRACTIONS: [u64; 4] = [0, 1, u64::MAX, 0xaaaa_aaaa_aaaa_aaaa];

/// Floats at both ends and in the middle of the exponents, powers of two, odd and even ones. Half of them are negative.
fn ends_and_middle<F: Float>() -> Vec<X> {
    let special = (1i64 << (F::WIDTH - F::PRECISION)) - 1;
    let mut all = Vec::new();
    for biased in [0, 1, 2, special / 2, special - 2, special - 1] {
        for fraction in FRACTIONS {
            all.extend(from_parts::<F>(all.len() % 2 == 1, biased, fraction));
        }
    }
    all
}

/// Numbers of either sign whose leading bit is so many places above that of the target: floats, and others of 64 bits.
fn relative_to<F: Float>((_, mantissa, exponent): Term, above: i64) -> Vec<X> {
    let top = exponent + 64 - i64::from(mantissa.leading_zeros()) + above;
    let biased = top - i64::from(F::MIN_EXPONENT) - i64::from(F::PRECISION) + 1;
    let mut all = Vec::new();
    for negative in [false, true] {
        all.extend([0, u64::MAX, 1].iter().filter_map(|&f| from_parts::<F>(negative, biased, f)));
        all.extend(
            [u64::MAX, 1 << 63 | 1, 0x5555 << 47].map(|m| X::other((negative, m, top - 64))),
        );
    }
    all
}

const DISTANCES: [i64; 21] =
    [-130, -66, -65, -64, -63, -62, -61, -53, -20, -2, -1, 0, 1, 2, 13, 40, 61, 62, 63, 64, 65];

fn sums_near_and_far<F: Float>() -> Count {
    let mut count = Count::default();
    for target in ends_and_middle::<F>().into_iter().flat_map(|x| targets(x.term)) {
        let zeros = [false, true].map(|negative| from_parts::<F>(negative, 0, 0));
        let subnormal = [1, 3, u64::MAX].map(|fraction| from_parts::<F>(false, 0, fraction));
        let near = DISTANCES.iter().flat_map(|&above| relative_to::<F>(target, above));
        for x in zeros.into_iter().chain(subnormal).flatten().chain(near) {
            Known::ONE_WORD.around(x, target, &mut |case| count.run::<F>(case));
        }
    }
    count
}

#[test]
fn sums_of_each_format() {
    for count in [
        sums_near_and_far::<f64>(),
        sums_near_and_far::<f32>(),
        sums_near_and_far::<Long>(),
        sums_near_and_far::<Sixteen>(),
        sums_near_and_far::<Eight>(),
    ] {
        assert!(count.cases > 18_000_000 && count.answers > 2_100_000, "{count:?}");
    }
}

/// Units up to 70 places apart, in either direction: x is a float or halfway between two, and y is any number.
fn sums_of_all_distances<F: Float>(count: &mut Count) {
    let floats = ends_and_middle::<F>().into_iter();
    let halfways = floats.clone().flat_map(|x| targets(x.term).map(X::other));
    for x in floats.chain(halfways) {
        let (_, mantissa, exponent) = x.term;
        let x_unit = exponent + 1 - i64::from(mantissa.leading_zeros());
        for ahead in -70..=70 {
            for mantissa in MANTISSAS {
                for slack in [0, 1, 4, 1 << 8, 1 << 30, 1 << 45, 1 << 60, u64::MAX.into()] {
                    let slack = slack.min(u128::from(u64::MAX) - mantissa);
                    for y_negative in [false, true] {
                        let y = Narrow { mantissa, slack, exponent: x_unit - ahead };
                        count.run::<F>(Case { x: x.term, raw: x.raw, y_negative, y });
                    }
                }
            }
        }
    }
}

/// From nothing to the largest, whose upper end is in the last bit.
const MANTISSAS: [u128; 8] =
    [0, 1, 5 << 40, 1 << 61, 0x5555 << 47, 1 << 62, (1 << 63) - 3, (1 << 63) - 1];

#[test]
fn sums_of_units_far_apart() {
    let mut count = Count::default();
    sums_of_all_distances::<f64>(&mut count);
    sums_of_all_distances::<f32>(&mut count);
    sums_of_all_distances::<Long>(&mut count);
    sums_of_all_distances::<Sixteen>(&mut count);
    sums_of_all_distances::<Five>(&mut count);
    assert!(count.cases > 10_000_000 && count.answers > 2_700_000, "{count:?}");
}

/// Numbers that look random and are the same every time.
fn spread(count: usize) -> impl Iterator<Item = u64> {
    let mut mixed = 0x9e37_79b9_7f4a_7c15_u64;
    (0..count).map(move |_| {
        mixed = mixed.wrapping_mul(0xd134_2543_de82_ef95).rotate_left(23) ^ 0x5851;
        mixed
    })
}

/// Both numbers from 2^−10 to 2^10, y known to 63 bits: how many of a hundred sums are told.
fn share_of_usual_sums<F: Float>() -> u64 {
    let mut count = Count::default();
    for mixed in spread(100_000) {
        let (x_top, y_top) = ((mixed % 20) as i64 - 10, (mixed >> 8) as i64 % 20 - 10);
        let biased = x_top - i64::from(F::MIN_EXPONENT) - i64::from(F::PRECISION) + 1;
        let x = from_parts::<F>(mixed >> 40 & 1 == 1, biased, mixed >> 3).unwrap();
        let mantissa = u128::from(mixed.rotate_left(31) >> 2 | 1 << 62);
        let y = Narrow { mantissa, slack: 5, exponent: y_top - 63 };
        let y_negative = mixed >> 41 & 1 == 1;
        count.run::<F>(Case { x: x.term, raw: x.raw, y_negative, y });
    }
    count.answers * 100 / count.cases
}

#[test]
fn one_word_is_nearly_always_enough() {
    let shares = [share_of_usual_sums::<f64>(), share_of_usual_sums::<f32>()];
    assert!(shares[0] >= 99 && shares[1] >= 99, "{shares:?}");
}

/// Whatever is added to it, and in whatever units.
#[test]
fn the_unknown_number_is_never_told() {
    fn is_told<F: Float>(x: X, y: Narrow, units: &[i32]) -> bool {
        units.iter().any(|&k| {
            let y = Narrow { exponent: y.exponent + i64::from(k), ..y };
            [false, true].into_iter().any(|negative| {
                let y_sign = u64::from(negative).wrapping_neg();
                let by_bits = x.raw.is_some_and(|r| Narrow::nearest_raw_sum::<F>(r, y_sign, y).1);
                by_bits || Narrow::nearest_sum::<F>(x.term, (negative, y)).is_some()
            })
        })
    }
    fn is_never_told<F: Float>(x: X) -> bool {
        let unknown = |(mantissa, slack)| {
            let y = Narrow { mantissa, slack, exponent: 0 }.known_if(false);
            assert!(y.is_unknown() && y.floor().is_none());
            y
        };
        let parts = [(0, 0), (0, u64::MAX), (1 << 62, 3), ((1 << 63) - 1, 1 << 63)].map(unknown);
        // If it is not made smaller, it need not be in bounds.
        let others = [(1 << 63, 1 << 63), (u64::MAX, 0), (u64::MAX, u64::MAX)].map(unknown);
        let units = [-1100, F::MIN_EXPONENT, 0, F::MAX_EXPONENT, 1100];
        !parts.into_iter().chain([Narrow::UNKNOWN]).any(|y| is_told::<F>(x, y, &units))
            && !others.into_iter().any(|y| is_told::<F>(x, y, &[0, 1, 1100]))
    }
    let far = [1 << 58, (1 << 59) - 200, (1 << 59) - 63, 1 << 59, (1 << 59) + 63]
        .into_iter()
        .flat_map(|exponent| [0, 1, 1 << 63, u64::MAX].map(|m| X::other((true, m, exponent))));
    assert!(ends_and_middle::<f64>().into_iter().chain(far).all(is_never_told::<f64>));
    assert!(ends_and_middle::<f32>().into_iter().all(is_never_told::<f32>));
    assert!(all_floats::<Eight>().all(is_never_told::<Eight>));
    // From 0 to more than any float.
    let Narrow { mantissa, slack, exponent } = Narrow::UNKNOWN;
    assert!(mantissa == 0 && slack > 0 && exponent > 3 * 1024);
}

#[test]
fn a_known_number_stays_as_it_is() {
    for y in [Narrow::exact(0), Narrow::exact(5), Narrow { mantissa: 7, slack: 9, exponent: -3 }] {
        assert_eq!(y.known_if(true), y);
        assert!(!y.is_unknown());
    }
    assert!(Narrow::UNKNOWN.known_if(true).is_unknown());
}

#[test]
fn infinities_and_nan_are_never_told() {
    for raw in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN].map(f64::to_bits) {
        for exponent in (-1140..1024).step_by(3).chain([961, 962, 971]) {
            for mantissa in [0, 1 << 62, (1 << 63) - 1] {
                let y = Narrow { mantissa, slack: 0, exponent };
                assert!(!Narrow::nearest_raw_sum::<f64>(raw, 0, y).1);
                assert!(!Narrow::nearest_raw_sum::<f64>(raw, u64::MAX, y).1);
            }
        }
    }
}

/// Small numbers, and such that lack little of 2^64.
fn mantissas() -> impl Iterator<Item = u64> {
    let edges = (0..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1]);
    (0..40).chain(edges).chain((0..20).map(|n| u64::MAX - n)).chain(spread(20))
}

/// The integer part as it is defined, for every case.
#[test]
fn floors_are_those_of_both_ends() {
    let floor = |n: u128, down: u32| n.checked_shr(down).unwrap_or(0);
    let mut told = 0;
    for mantissa in mantissas() {
        for slack in mantissas() {
            for down in (0..70).chain([127, 128, 129, 1 << 31, u32::MAX]) {
                let y = Narrow { mantissa, slack, exponent: -i64::from(down) };
                let (low, high) = (u128::from(mantissa), u128::from(mantissa) + u128::from(slack));
                let is_one = high >> 64 == 0 && floor(low, down) == floor(high, down);
                let expected = is_one.then(|| floor(low, down) as u64);
                assert_eq!(y.floor(), expected, "{y:?}");
                told += u64::from(is_one);
            }
            for exponent in [1, 2, 64, 1 << 59] {
                assert_eq!(Narrow { mantissa, slack, exponent }.floor(), None);
            }
        }
    }
    assert!(told > 1_000_000, "{told}");
    // Beyond what a shift can say.
    assert_eq!(Narrow { mantissa: 1, slack: 0, exponent: -(1 << 40) }.floor(), None);
}

#[test]
fn integers_are_exact() {
    for n in mantissas().filter(|n| n >> 63 == 0) {
        let Narrow { mantissa, slack, exponent } = Narrow::exact(n);
        assert_eq!((slack, mantissa >> 62), (0, u64::from(n != 0)));
        assert!((-63..=0).contains(&exponent));
        assert_eq!(u128::from(mantissa), u128::from(n) << -exponent);
        assert_eq!(Narrow::exact(n).floor(), Some(n));
    }
}

#[test]
fn what_is_unknown_is_far_away() {
    assert!(Narrow::UNKNOWN.is_unknown() && Narrow::exact(7).known_if(false).is_unknown());
    for known in [Narrow::exact(0), Narrow::exact(7), Narrow::exact((1 << 63) - 1)] {
        assert!(!known.is_unknown() && !known.known_if(true).is_unknown());
        assert!(!Narrow { exponent: 5000, ..known }.is_unknown());
    }
}

/// An infinity, and every kind of NaN that has a single bit or all of them; also the one whose fraction is its exponent.
#[test]
fn what_is_no_number_has_no_sum() {
    let special = f64::INFINITY.to_bits();
    let fractions = (0..52).map(|bit| 1u64 << bit).chain([0, (1 << 52) - 1, special >> 52]);
    for raw in fractions.flat_map(|fraction| [special | fraction, special | fraction | 1 << 63]) {
        // Less three quarters of it, what was taken for 2^1024 and something would be a number.
        let power = Narrow { mantissa: 3 << 60, slack: 0, exponent: 962 };
        for (y_sign, y) in [(0, Narrow::exact(3)), (0, power), (u64::MAX, power)] {
            let (_, is_known) = Narrow::nearest_raw_sum::<f64>(raw, y_sign, y);
            assert!(!is_known, "{raw:x}");
        }
    }
    let (sum, is_known) = Narrow::nearest_raw_sum::<f64>(1f64.to_bits(), 0, Narrow::exact(3));
    assert_eq!((f64::from_bits(sum), is_known), (4.0, true));
}
