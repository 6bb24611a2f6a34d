//! What one word decides, against what the same word makes slowly, and the block against its twin for better instructions.

use core::cmp::Ordering;
use core::fmt::Debug;

use deniable_num::certified::{FRACTION, Interval, NegLn, neg_ln_64};
use deniable_num::{Decoded, Float};
use num_bigint::{BigInt, BigUint};

use super::*;
use crate::magnitude::Scale;
use crate::{DiscreteLaplaceZ2k, Error, Low, Ratio};

/// A word of fewer bits.
#[derive(Clone, Copy, Debug)]
struct Short<const BITS: u32>(u64);

impl<const BITS: u32> Word for Short<BITS> {
    const BITS: u32 = BITS;

    type Low = NoLow;

    fn compare(self, digit: u64) -> Ordering {
        self.0.cmp(&digit)
    }

    fn below_and_equal(self, digit: u64) -> (u64, u64) {
        (u64::from(self.0 < digit), u64::from(self.0 == digit))
    }

    fn mul(self, _: u64) -> (u64, NoLow) {
        unreachable!("no word is multiplied here")
    }

    fn value(self) -> u64 {
        self.0
    }
}

#[derive(Clone, Copy, Debug)]
struct NoLow;

impl Low for NoLow {
    fn is_below(self, _: u64) -> bool {
        unreachable!("no word is multiplied here")
    }
}

/// A word that can be made of its value.
trait FromValue: Word + Debug {
    /// The word of the leading bits of a number.
    fn leading(bits: u64) -> Self;
}

impl FromValue for u64 {
    fn leading(bits: u64) -> Self {
        bits
    }
}

impl<const BITS: u32> FromValue for Short<BITS> {
    fn leading(bits: u64) -> Self {
        Short(bits >> (64 - BITS))
    }
}

/// The same word again and again, but not for ever.
struct Again<W> {
    word: W,
    left: u32,
}

impl<W: Word> Source for Again<W> {
    type Word = W;

    fn draw(&mut self) -> Result<W> {
        self.left = self.left.checked_sub(1).ok_or_else(Error::entropy_unavailable)?;
        Ok(self.word)
    }
}

/// A number whose bits can be compared.
trait Number: Copy + Debug {
    fn bits(self) -> u64;
}

macro_rules! numbers {
    ($($number:ty: $bits:expr),*) => {
        $(
            impl Number for $number {
                fn bits(self) -> u64 {
                    $bits(self)
                }
            }
        )*
    };
}

numbers! { f64: Float::to_raw, f32: Float::to_raw, Twelve: Float::to_raw, i8: |n| n as u64, i32: |n| n as u64, i64: |n| n as u64 }

/// A float with the range of `f32` and four bits of precision: one sign bit, eight of exponent, three of fraction.
#[derive(Clone, Copy, Debug)]
struct Twelve(u64);

impl Float for Twelve {
    const PRECISION: u32 = 4;
    const WIDTH: u32 = 12;
    const MIN_EXPONENT: i32 = -129;
    const MAX_EXPONENT: i32 = 124;

    fn decode(self) -> Decoded {
        let negative = self.0 >> 11 == 1;
        match (self.0 >> 3 & 255, self.0 & 7) {
            (255, 0) => Decoded::Infinite { negative },
            (255, _) => Decoded::NaN,
            (0, mantissa) => {
                Decoded::Finite { negative: negative && mantissa != 0, mantissa, exponent: -129 }
            }
            (biased, fraction) => {
                Decoded::Finite { negative, mantissa: fraction + 8, exponent: biased as i32 - 130 }
            }
        }
    }

    fn encode(negative: bool, mantissa: u64, exponent: i32) -> Self {
        Twelve(u64::from(negative) << 11 | ((exponent + 129) as u64 * 8 + mantissa))
    }

    fn to_raw(self) -> u64 {
        self.0
    }

    fn from_raw(raw: u64) -> Self {
        assert!(raw >> 12 == 0, "twelve bits");
        Twelve(raw)
    }

    fn infinity(negative: bool) -> Self {
        Twelve(u64::from(negative) << 11 | 0x7f8)
    }
}

/// The number plus noise, drawn slowly from this word and then from as many zeros or ones as it takes.
fn slowly<T: Number, W: FromValue>(
    noise: &impl AddNoise<T>,
    (number, negative): (T, bool),
    word: W,
    rest: u64,
) -> u64 {
    let mut rest = Again { word: W::leading(rest), left: 1000 };
    let source = &mut Resumed::new(word, &mut rest);
    noise.slowly(number, negative, source).expect("words to spare").bits()
}

/// Whether the result is what the word makes slowly, whatever follows it: what comes slowly is monotone in what follows, so
/// that zeros and ones speak for all.
fn is_right<T: Number, W: FromValue>(
    noise: &impl AddNoise<T>,
    case: (T, bool),
    word: W,
    result: u64,
) -> bool {
    [0, u64::MAX].into_iter().all(|rest| slowly(noise, case, word, rest) == result)
}

/// Numbers that look random and are the same every time.
fn spread(count: usize) -> impl Iterator<Item = u64> {
    let mut mixed = 0x9e37_79b9_7f4a_7c15_u64;
    (0..count).map(move |_| {
        mixed = mixed.wrapping_mul(0xd134_2543_de82_ef95).rotate_left(23) ^ 0x5851;
        mixed
    })
}

/// Both ends, all powers of two and what is next to them, cells of the logarithm's table, and what is between: whole blocks.
fn words() -> Vec<u64> {
    let mut all = vec![0, 1, u64::MAX, u64::MAX - 1];
    all.extend((1..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1]));
    // Around here, where −ln U is 2^−10, a word ceases to tell.
    all.extend((0..12).map(|n| u64::MAX - (n << 52)));
    all.extend(spread(60).enumerate().map(|(i, mixed)| u64::MAX - (mixed >> (8 + i % 30))));
    all.extend((0..16).flat_map(|cell| [(512 + 32 * cell) << 54, (513 + 32 * cell) << 54]));
    all.extend(spread(200).enumerate().map(|(i, mixed)| mixed >> (i % 64)));
    all.truncate(all.len() / LANES * LANES);
    all
}

/// How many lanes there were, and how many of them were decided at once.
#[derive(Debug, Default)]
struct Count {
    lanes: u64,
    decided: u64,
}

impl Count {
    /// Runs a block both ways. Fails if they differ, if a number that is decided is not what comes slowly, or if one that is not
    /// decided is changed.
    fn run<T: Number, W: FromValue>(
        &mut self,
        noise: &impl AddNoise<T>,
        numbers: &[T],
        negative: u64,
        words: &[W],
    ) {
        let (mut plain, mut fast) = (numbers.to_vec(), numbers.to_vec());
        let left = Block { noise, numbers: &mut plain, negative, words }.run();
        let fast_left = vectorized(Block { noise, numbers: &mut fast, negative, words });
        assert_eq!(left, fast_left);
        assert!(plain.iter().zip(&fast).all(|(a, b)| a.bits() == b.bits()));
        assert_eq!(left.checked_shr(numbers.len() as u32).unwrap_or(0), 0);
        for (lane, (&number, result)) in numbers.iter().zip(&plain).enumerate() {
            self.lanes += 1;
            if left >> lane & 1 == 1 {
                assert_eq!(result.bits(), number.bits(), "left, and changed");
                continue;
            }
            self.decided += 1;
            let case = (number, negative >> lane & 1 == 1);
            let right = is_right(noise, case, words[lane], result.bits());
            assert!(right, "{case:?} {:?} is not {result:?}", words[lane]);
        }
    }

    /// Every number with every word of the list, and with either sign.
    fn run_all<T: Number, W: FromValue>(&mut self, noise: &impl AddNoise<T>, numbers: &[T]) {
        let words: Vec<W> = words().into_iter().map(W::leading).collect();
        for (turn, words) in words.chunks(LANES).enumerate() {
            for &number in numbers {
                for negative in [0, u64::MAX] {
                    self.run(noise, &[number; LANES], negative, words);
                }
            }
            // Different numbers side by side, and fewer than there are lanes.
            let mixed: Vec<T> =
                (0..LANES).map(|lane| numbers[(lane + turn) % numbers.len()]).collect();
            for length in [1, 5, 63, 64] {
                self.run(noise, &mixed[..length], 0x6a09_e667_f3bc_c908, &words[..length]);
            }
        }
    }
}

const FLOATS: [f64; 24] = [
    0.0,
    -0.0,
    5e-324,
    -5e-324,
    1e-310,
    f64::MIN_POSITIVE,
    -1e-300,
    1e-20,
    0.1,
    0.3,
    1.0,
    -1.0,
    1.5,
    -2.0,
    1e6,
    -9_007_199_254_740_991.0,
    1e18,
    -1e100,
    1e300,
    f64::MAX,
    f64::MIN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

const SCALES: [f64; 17] = [
    5e-324,
    1e-310,
    1e-300,
    1e-100,
    1e-20,
    1e-3,
    0.3,
    1.0,
    1.5,
    1e3,
    1e6,
    1e15,
    1e18,
    1e30,
    1e100,
    1e300,
    f64::MAX,
];

#[test]
fn floats_of_64_bits() {
    let mut count = Count::default();
    for scale in SCALES {
        for k in [-1074, -1073, -1022, -400, -60, -3, 0, 1, 50, 400, 971, 1023] {
            let noise = DiscreteLaplaceZ2k::new(scale, k).unwrap();
            count.run_all::<f64, u64>(&noise, &FLOATS);
        }
    }
    assert!(count.lanes > 3_900_000 && count.decided > 1_000_000, "{count:?}");
}

#[test]
fn floats_of_32_bits() {
    let mut count = Count::default();
    let finite = FLOATS.map(|x| x as f32);
    for scale in [1e-45, 1e-40, 1e-30, 1e-3, 0.3, 1.0, 1e6, 1e30, f32::MAX] {
        for k in [-149, -148, -126, -40, -3, 0, 1, 50, 104, 127] {
            let noise = DiscreteLaplaceZ2k::new(scale, k).unwrap();
            count.run_all::<f32, u64>(&noise, &finite);
            count.run_all::<f32, Short<32>>(&noise, &finite);
        }
    }
    assert!(count.lanes > 3_400_000 && count.decided > 800_000, "{count:?}");
}

#[test]
fn integers() {
    let mut count = Count::default();
    for scale in SCALES {
        let noise = DiscreteLaplace::from_float(scale).unwrap();
        count.run_all::<i64, u64>(&noise, &[0, 1, -1, 1000, i64::MIN, i64::MAX, i64::MAX - 5]);
        count.run_all::<i32, u64>(&noise, &[0, -1, 1000, i32::MIN, i32::MAX, i32::MIN + 5]);
        count.run_all::<i8, Short<32>>(&noise, &[0, -1, i8::MIN, i8::MAX, 120]);
    }
    assert!(count.lanes > 270_000 && count.decided > 140_000, "{count:?}");
}

/// All words of 16 bits, on the finest grid and on others.
#[test]
fn every_word_on_a_short_float() {
    let mut count = Count::default();
    let all: Vec<Short<16>> = (0..1 << 16).map(Short).collect();
    let one = Twelve::encode(false, 8, -3).0;
    for (scale, k) in [(one, -129), (one + 13, -129), (one + 5, -5), (one + 23, 0), (16, -129)] {
        let noise = DiscreteLaplaceZ2k::new(Twelve(scale), k).unwrap();
        for number in [0, one, 0x800 | (one + 1), one + 27, one - 90, 0x7f7].map(Twelve) {
            for negative in [0, u64::MAX] {
                let numbers = [number; LANES];
                all.chunks(LANES).for_each(|words| count.run(&noise, &numbers, negative, words));
            }
        }
    }
    assert!(count.lanes > 3_900_000 && count.decided > 2_200_000, "{count:?}");
}

/// The words on both sides of the first change of the slow result above `start`, which is monotone in the word.
fn next_change<T: Number>(noise: &impl AddNoise<T>, case: (T, bool), start: u64) -> Option<u64> {
    let result = |word: u64| slowly(noise, case, word, 0);
    let before = result(start);
    let differs =
        |distance: &u64| start.checked_add(*distance).is_some_and(|word| result(word) != before);
    let first = (0..63).map(|bit| 1 << bit).find(differs)?;
    let (mut same, mut changed) = (start + first / 2, start + first);
    while changed - same > 1 {
        let middle = same + (changed - same) / 2;
        if result(middle) == before { same = middle } else { changed = middle }
    }
    Some(same)
}

/// Words of every length, next to where the result changes.
fn run_changes<T: Number>(count: &mut Count, noise: &impl AddNoise<T>, numbers: &[T]) {
    for case in numbers.iter().flat_map(|&number| [(number, false), (number, true)]) {
        for start in spread(64).enumerate().map(|(shift, mixed)| (mixed | 1 << 63) >> shift) {
            if let Some(last) = next_change(noise, case, start) {
                let words: Vec<u64> = (0..LANES as u64)
                    .map(|n| last.saturating_sub(24).saturating_add(n).max(1))
                    .collect();
                let negative = u64::from(case.1).wrapping_neg();
                count.run(noise, &[case.0; LANES], negative, &words);
            }
        }
    }
}

/// Here each bound has to hold to the last unit.
#[test]
fn words_next_to_a_change() {
    let mut count = Count::default();
    for (scale, k) in
        [(1.0, -1074), (1.0, -60), (0.7, -30), (3e5, -1074), (1e-3, -52), (1e300, -1074)]
    {
        let noise = DiscreteLaplaceZ2k::new(scale, k).unwrap();
        let numbers = [0.0, 1.0, -1.0, 0.75 * scale, -3.0 * scale, 1000.0 * scale];
        run_changes(&mut count, &noise, &numbers);
    }
    for (scale, k) in [(1.0f32, -149), (1e-3, -149), (0.7, -22)] {
        let noise = DiscreteLaplaceZ2k::new(scale, k).unwrap();
        run_changes(&mut count, &noise, &[0.0, 1.0, -1.0, 0.75 * scale, -3.0 * scale]);
    }
    for scale in [0.3, 1.0, 7.0, 1e3, 1e6, 1e9, 1e15] {
        let noise = DiscreteLaplace::from_float(scale).unwrap();
        run_changes(&mut count, &noise, &[0i64, -5, i64::MAX / 3]);
        run_changes(&mut count, &noise, &[0i32, -5, i32::MIN + 900]);
    }
    assert!(count.lanes > 720_000 && count.decided > 335_000, "{count:?}");
}

/// Whether a number known to these bounds is what the word says: all of scale · −ln U for U from u/2^BITS to (u + 1)/2^BITS.
fn encloses<W: Word>((mantissa, exponent): (u64, i64), word: W, y: Narrow) -> bool {
    let (low, high) = scaled_ends((mantissa, exponent), word);
    let end = |mantissa: BigUint| BigInt::from(mantissa << (y.exponent + FINE).unsigned_abs());
    end(y.mantissa.into()) <= low && high <= end(BigUint::from(y.mantissa) + y.slack)
}

/// The fraction bits of exact ends; more than any exponent here is below 0.
const FINE: i64 = 1600;

/// The least and the largest value of scale · −ln U, times 2^FINE, within a few units.
fn scaled_ends<W: Word>((mantissa, exponent): (u64, i64), word: W) -> (BigInt, BigInt) {
    const BITS: u64 = 300;
    let ln = |u: BigUint| Interval::ln(&u, W::BITS.into(), BITS).expect("a word above 0");
    let scaled = |e: BigInt| {
        let up = FINE + exponent - BITS as i64;
        let product = e * mantissa;
        if up >= 0 { product << up } else { product >> -up }
    };
    let u = BigUint::from(word.value());
    let (first, last) = (ln(u.clone()), ln(u + 1u32));
    // Of the last word the logarithm may be 0, which the bounds of its logarithm are around.
    (scaled(-last.high().clone()).max(BigInt::ZERO), scaled(-first.low().clone()) + 1)
}

/// Scales as mantissa and exponent: the shortest, the longest, and the range of what a float on a grid may have.
const DYADIC: [(u64, i64); 6] = [
    (1 << 63, -63),
    (u64::MAX, -64),
    (0xc90f_daa2_2168_c235, -61),
    (0xffff_ffff_ffff_f800, -1137),
    (1 << 63 | 1 << 11, 900),
    (1 << 63, 2034),
];

/// Every word of the list: enclosed, and no more than a few times wider than it has to be. Returns how many were told.
fn check_enclosures<W: FromValue>() -> usize {
    let mut told = 0;
    for (mantissa, exponent) in DYADIC {
        let scale = Scale::dyadic(mantissa, exponent);
        for word in words().into_iter().chain(spread(500)).map(W::leading) {
            let y = scale.at_once(word);
            if y.is_unknown() {
                continue;
            }
            told += 1;
            assert!(encloses((mantissa, exponent), word, y), "{word:?} {scale:?}");
            let (low, high) = scaled_ends((mantissa, exponent), word);
            let units = (high - low) >> (y.exponent + FINE);
            assert!(BigInt::from(y.slack) <= units * 4 + 5, "{word:?} {scale:?}: {y:?}");
            let is_long =
                y.mantissa >> 60 != 0 || word.value() >> (W::BITS - 1) == 1 || W::BITS < 16;
            assert!(is_long && y.mantissa >> 63 == 0, "{word:?} {scale:?}: {y:?}");
        }
    }
    told
}

#[test]
fn magnitudes_are_enclosed() {
    let told = [
        check_enclosures::<u64>(),
        check_enclosures::<Short<32>>(),
        check_enclosures::<Short<16>>(),
        check_enclosures::<Short<8>>(),
        check_enclosures::<Short<4>>(),
    ];
    let all = DYADIC.len() * (words().len() + 500);
    let least = [92, 75, 65, 55, 15].map(|percent| all * percent / 100);
    assert!(told.iter().zip(least).all(|(&told, least)| told >= least), "{told:?} of {all}");
}

/// Where every rounding goes the same way: nearly as much is missing from the logarithm as may be, and nearly a unit more from the product with
/// a scale of 64 bits.
#[test]
fn the_whole_slack_is_needed() {
    let (mut checked, mut closest) = (0, BigInt::from(1) << FINE);
    let lacks_much = |word: &u64| {
        let ln = NegLn::of(*word);
        let unit = FRACTION - 64 + ln.down as u32;
        let missing = neg_ln_64(*word).unwrap().0 - (u128::from(ln.mantissa) << unit);
        missing > 2u128 << unit
    };
    assert_eq!(NegLn::SLACK, 3);
    let words = spread(20_000).enumerate().map(|(i, mixed)| (mixed | 1 << 63) >> (1 + i % 40));
    for word in words.filter(lacks_much) {
        let (first, last) = (1 << 63, u64::MAX);
        for mantissa in (1..300).map(|less| last - less).chain([first, last]) {
            let y = Scale::dyadic(mantissa, 0).at_once(word);
            assert!(encloses((mantissa, 0), word, y), "{word:#x} {mantissa:#x}");
            let end = BigInt::from(BigUint::from(y.mantissa) + y.slack) << (y.exponent + FINE);
            let spare = (end - scaled_ends((mantissa, 0), word).1) >> (y.exponent + FINE - 10);
            closest = closest.min(spare);
            checked += 1;
        }
    }
    // In 1024ths of a unit.
    assert!(checked > 1000 && closest < BigInt::from(1100), "{checked} {closest}");
}

/// A word whose logarithm lacks more than two units, and scales whose products lack nearly one: together two, as the logarithm's are halved.
#[test]
fn no_smaller_slack_would_do() {
    let (word, mut closest) = (0x1929_2627_2330u64, BigInt::from(1) << FINE);
    for mantissa in (1..3000).map(|less| u64::MAX - less) {
        let y = Scale::dyadic(mantissa, 0).at_once(word);
        assert!(encloses((mantissa, 0), word, y), "{mantissa:#x}");
        let end = BigInt::from(BigUint::from(y.mantissa) + y.slack) << (y.exponent + FINE);
        let spare = end - scaled_ends((mantissa, 0), word).1;
        closest = closest.min(spare >> (y.exponent + FINE - 20));
    }
    // Less than a unit.
    assert!(closest < BigInt::from(1 << 20), "{closest}");
}

/// Every word of 64 bits that is not among the first.
#[test]
fn nearly_every_word_tells() {
    let scale = Scale::dyadic(1, 0);
    for word in words().into_iter().chain(spread(1000)) {
        assert_eq!(scale.at_once(word).is_unknown(), word < 1 << 13, "{word:#x}");
    }
}

/// Half of all numbers is more than can be told.
#[test]
fn a_word_of_one_bit_tells_nothing() {
    for (mantissa, exponent) in DYADIC {
        let scale = Scale::dyadic(mantissa, exponent);
        assert!([0, 1].into_iter().all(|bit| scale.at_once(Short::<1>(bit)).is_unknown()));
    }
}

#[test]
fn ratios_are_never_told() {
    for (numerator, denominator) in [(1u128, 3u128), (7, 10), ((1 << 100) + 1, 1 << 100)] {
        let scale = Scale::ratio(&Ratio::new(numerator, denominator).unwrap());
        assert!(words().into_iter().all(|word| scale.at_once(word).is_unknown()));
    }
}

/// How many of a hundred lanes are decided at once, of numbers up to 100 and words that look random.
fn share<T: Number>(noise: &impl AddNoise<T>, number: impl Fn(u64) -> T) -> u64 {
    let (mut count, all) = (Count::default(), Vec::from_iter(spread(100 * LANES)));
    for words in all.chunks(LANES) {
        let numbers: Vec<T> =
            words.iter().map(|word| number(word.rotate_left(32) % 10_000)).collect();
        count.run(noise, &numbers, words[0], words);
    }
    count.decided * 100 / count.lanes
}

#[test]
fn usual_noise_is_decided_at_once() {
    for scale in [0.01, 1.0, 3.3, 1e4] {
        for k in [-1074, -100, -10, 0] {
            let noise = DiscreteLaplaceZ2k::new(scale, k).unwrap();
            let share = share(&noise, |n| n as f64 / 100.0);
            assert!(share >= 96, "{scale} {k} {share}");
        }
        let noise = DiscreteLaplaceZ2k::new(scale as f32, -149).unwrap();
        assert!(share(&noise, |n| n as f32 / 100.0) >= 99, "{scale}");
        let noise = DiscreteLaplace::from_float(scale).unwrap();
        assert!(share(&noise, |n| n as i64) >= 99 && share(&noise, |n| n as i32) >= 99, "{scale}");
    }
    // A sum of few bits more than the float has is often exactly halfway, which one word does not tell.
    let noise = DiscreteLaplaceZ2k::new(1e4, -40).unwrap();
    assert!(share(&noise, |n| n as f64 / 100.0) >= 75);
}

/// The checks above find these mistakes.
mod planted {
    use super::*;

    /// What is made of the sign and of the magnitude before the sum.
    type Wrong = fn(bool, Narrow) -> (bool, Narrow);

    /// How many wrong results are found, next to where the right one changes.
    fn found((scale, k, number): (f64, i32, f64), wrong: Wrong) -> u32 {
        let noise = DiscreteLaplaceZ2k::new(scale, k).unwrap();
        let mut found = 0;
        for (shift, mixed) in spread(200).enumerate() {
            // Short words tell less.
            let (negative, start) = (mixed & 1 == 1, (mixed | 1 << 63) >> (1 + shift % 50));
            let Some(last) = next_change(&noise, (number, negative), start) else { continue };
            for word in last - 10..last + 10 {
                let (sign, scaled) = wrong(negative, noise.law().scale.at_once(word));
                let is_wrong = |sum: f64| !is_right(&noise, (number, negative), word, sum.bits());
                found += u32::from(noise.at_once(number, sign, scaled).is_some_and(is_wrong));
            }
        }
        found
    }

    #[test]
    fn wrong_results_are_found() {
        for case in [(1.0, -1074, 0.3), (1.0, -1074, 0.0), (0.7, -40, -5.0)] {
            assert_eq!(found(case, |negative, y| (negative, y)), 0);
            // A number that is known better than it is, the other sign, twice the magnitude.
            assert!(found(case, |negative, y| (negative, Narrow { slack: 0, ..y })) > 100);
            assert!(found(case, |negative, y| (!negative, y)) > 100);
            let twice: Wrong = |negative, y| (negative, Narrow { exponent: y.exponent + 1, ..y });
            assert!(found(case, twice) > 100);
        }
    }

    #[test]
    fn wrong_enclosures_are_found() {
        // For how many of the scales, of which some have room in their last unit.
        let found = |wrong: fn(Narrow) -> Narrow| {
            let is_found = |&(mantissa, exponent): &(u64, i64)| {
                let scale = Scale::dyadic(mantissa, exponent);
                let narrow = |word| wrong(scale.at_once(word));
                spread(300).any(|word| !encloses((mantissa, exponent), word, narrow(word)))
            };
            DYADIC.iter().filter(|&scale| is_found(scale)).count()
        };
        assert_eq!(found(|y| y), 0);
        assert!(found(|y| Narrow { slack: y.slack - 2, ..y }) >= 2);
        assert!(found(|y| Narrow { mantissa: y.mantissa - 2, ..y }) >= 2);
        assert!(found(|y| Narrow { mantissa: y.mantissa + 2, ..y }) >= 2);
        assert_eq!(found(|y| Narrow { exponent: y.exponent - 1, ..y }), DYADIC.len());
        assert_eq!(found(|y| Narrow { exponent: y.exponent + 1, ..y }), DYADIC.len());
    }
}
