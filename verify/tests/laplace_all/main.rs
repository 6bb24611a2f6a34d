//! Laplace noise on many numbers at once: their joint law, and each number by its own digits of the sign and its own words.

use core::fmt::Debug;
use std::collections::BTreeMap;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use deniable_num::Float;
use deniable_sample::{DiscreteLaplace, DiscreteLaplaceZ2k, Error, SaturatingInt, Source, Word};
use deniable_verify::bisect::bisect;
use deniable_verify::enumerate::{enumerate, inverse_power_of_two};
use deniable_verify::inversion::{is_right, magnitudes, power, power_of_two, value};
use deniable_verify::law::{Between, Law};
use deniable_verify::mini::Mini;
use deniable_verify::words::{Script, Script64, spread};

mod coarse;

use coarse::Coarse;

/// Noise on numbers of one type, as this file sees it: one number from one script, many from another, and the law.
trait Noise<T> {
    /// The scale in steps.
    fn in_steps(&self) -> RBig;

    fn one<S: Source>(&self, shift: T, source: &mut S) -> Result<T, Error>;

    fn all<S: Source>(&self, shifts: &mut [T], source: &mut S) -> Result<(), Error>;

    /// The probability that a shift becomes a result, if the sign of the noise is this.
    fn chance(&self, shift: T, result: T, negative: bool) -> Between;

    /// What tells numbers apart, zeros of either sign among them.
    fn bits(x: T) -> u64;
}

/// Noise on a grid of floats.
struct OnFloats<F> {
    law: DiscreteLaplaceZ2k<F>,
    scale: F,
    k: i32,
}

impl<F: Float> OnFloats<F> {
    fn new(scale: F, k: i32) -> Self {
        OnFloats { law: DiscreteLaplaceZ2k::new(scale, k).unwrap(), scale, k }
    }
}

impl<F: Float> Noise<F> for OnFloats<F> {
    fn in_steps(&self) -> RBig {
        value(self.scale) / power_of_two(self.k)
    }

    fn one<S: Source>(&self, shift: F, source: &mut S) -> Result<F, Error> {
        self.law.sample(shift, source)
    }

    fn all<S: Source>(&self, shifts: &mut [F], source: &mut S) -> Result<(), Error> {
        self.law.sample_all(shifts, source)
    }

    fn chance(&self, shift: F, result: F, negative: bool) -> Between {
        let (near, far) = magnitudes(shift, result, negative, self.k);
        from_to(&self.in_steps(), near, far.map(|far| far + IBig::ONE))
    }

    fn bits(x: F) -> u64 {
        x.to_raw()
    }
}

/// Noise on integers.
struct OnIntegers {
    law: DiscreteLaplace,
    scale: f64,
}

impl OnIntegers {
    fn new(scale: f64) -> Self {
        OnIntegers { law: DiscreteLaplace::from_float(scale).unwrap(), scale }
    }
}

impl<I: SaturatingInt> Noise<I> for OnIntegers {
    fn in_steps(&self) -> RBig {
        value(self.scale)
    }

    fn one<S: Source>(&self, shift: I, source: &mut S) -> Result<I, Error> {
        self.law.sample_saturating(shift, source)
    }

    fn all<S: Source>(&self, shifts: &mut [I], source: &mut S) -> Result<(), Error> {
        self.law.sample_all_saturating(shifts, source)
    }

    fn chance(&self, shift: I, result: I, negative: bool) -> Between {
        let (shift, sum): (i128, i128) = (shift.into(), result.into());
        // shift + G or shift − 1 − G; an end of the type stands for all beyond it.
        let distance = if negative { shift - 1 - sum } else { sum - shift };
        let is_end = I::saturated(if negative { sum - 1 } else { sum + 1 }) == result;
        let end = (!is_end).then(|| IBig::from(distance) + IBig::ONE);
        from_to(&value(self.scale), IBig::from(distance).max(IBig::ZERO), end)
    }

    fn bits(x: I) -> u64 {
        Into::<i128>::into(x) as u64
    }
}

/// P(from ≤ G < to), or P(from ≤ G).
fn from_to(in_steps: &RBig, from: IBig, to: Option<IBig>) -> Between {
    let to = to.map(|to| to.max(from.clone()));
    let at_least = |g| power(g, in_steps, BITS);
    let beyond = to.map_or(Between::exactly(RBig::ZERO), |to| match to == from {
        true => at_least(from.clone()),
        false => at_least(to),
    });
    let from = at_least(from);
    Between { low: (from.low - beyond.high).max(RBig::ZERO), high: from.high - beyond.low }
}

/// The precision of closed forms.
const BITS: usize = 300;

/// P(the noise is not negative): 1/(1 + q), which is above 1/2 however near q is to 1.
fn not_negative(in_steps: &RBig) -> Between {
    let q = power(IBig::ONE, in_steps, BITS);
    Between { low: RBig::ONE / (RBig::ONE + q.high), high: RBig::ONE / (RBig::ONE + q.low) }
}

/// The joint law of the numbers, drawn together from words of `WIDTH` bits.
fn joint_law<const WIDTH: u32, T: Copy + Ord + Debug>(
    noise: &impl Noise<T>,
    shifts: &[T],
    depth: usize,
) -> Law<Vec<T>> {
    enumerate::<WIDTH, _, Error>(depth, |source| {
        let mut numbers = shifts.to_vec();
        noise.all(&mut numbers, source).map(|()| numbers)
    })
}

/// Whether it is the product of the laws of each, but for the remainder. What is seen is compared: no mass is above its
/// probability, and all masses add up to 1 without the remainder. So nothing else lacks more than that.
fn is_product<T: Copy + Ord + Debug>(
    law: &Law<Vec<T>>,
    noise: &impl Noise<T>,
    shifts: &[T],
    largest_remainder: f64,
) -> Result<(), String> {
    let not_negative = not_negative(&noise.in_steps());
    let negative =
        Between { low: RBig::ONE - &not_negative.high, high: RBig::ONE - &not_negative.low };
    let chance = |shift: T, result: T| {
        let [up, down] = [false, true].map(|sign| noise.chance(shift, result, sign));
        let low = up.low * &not_negative.low + down.low * &negative.low;
        Between { low, high: up.high * &not_negative.high + down.high * &negative.high }
    };
    let mut known = BTreeMap::new();
    let mut joint = |results: &Vec<T>| {
        shifts.iter().zip(results).fold(
            Between::exactly(RBig::ONE),
            |product, (&shift, &result)| {
                let one: &Between =
                    known.entry((shift, result)).or_insert_with(|| chance(shift, result));
                Between { low: product.low * &one.low, high: product.high * &one.high }
            },
        )
    };
    let support: Vec<_> = law.mass.keys().map(|seen| (seen.clone(), joint(seen))).collect();
    law.check(&RBig::try_from(largest_remainder).unwrap(), support)
}

fn check_joint<const WIDTH: u32, T: Copy + Ord + Debug>(
    noise: &impl Noise<T>,
    shifts: &[T],
    depth: usize,
    largest_remainder: f64,
) {
    let law = joint_law::<WIDTH, T>(noise, shifts, depth);
    let result = is_product(&law, noise, shifts, largest_remainder);
    result.unwrap_or_else(|e| panic!("{WIDTH} bits, {shifts:?}: {e}"));
}

const INTEGERS: [i8; 4] = [0, 126, -128, 5];
const MINIS: [Mini; 4] = [Mini(0x38), Mini(0x80), Mini(0xb9), Mini(0x77)];

/// Two or three numbers side by side. With words of 4 bits most of the remainder are signs: those of two numbers take six words in
/// one of 32 cases.
#[test]
fn joint_laws_of_one_block() {
    for (scale, remainder) in [(0.5, 0.18), (2.0, 0.23)] {
        check_joint::<4, i8>(&OnIntegers::new(scale), &INTEGERS[..2], 6, remainder);
    }
    check_joint::<4, i8>(&OnIntegers::new(0.125), &INTEGERS[1..4], 6, 0.39);
    check_joint::<4, Mini>(&OnFloats::new(Mini(0x30), 0), &MINIS[..2], 6, 0.18);
    for (scale, remainder) in [(0.125, 0.005), (0.5, 0.009), (2.0, 0.026)] {
        check_joint::<2, i8>(&OnIntegers::new(scale), &INTEGERS[..2], 12, remainder);
        check_joint::<2, i8>(&OnIntegers::new(scale), &INTEGERS[2..], 12, remainder);
    }
    for (scale, k, remainder) in [(0x30, 0, 0.009), (0x38, 1, 0.009), (0x34, -2, 0.05)] {
        let noise = OnFloats::new(Mini(scale), k);
        check_joint::<2, Mini>(&noise, &MINIS[..2], 12, remainder);
        check_joint::<2, Mini>(&noise, &MINIS[2..], 12, remainder);
    }
}

/// More numbers than a word has bits.
#[test]
fn joint_laws_of_several_blocks() {
    for (scale, remainders) in [(0.125, [0.0002, 0.004, 0.04]), (1.0, [0.002, 0.03, 0.2])] {
        let noise = OnIntegers::new(scale);
        for (remainder, length) in remainders.into_iter().zip(2..) {
            check_joint::<1, i8>(&noise, &INTEGERS[..length], 24, remainder);
        }
    }
    check_joint::<2, i8>(&OnIntegers::new(0.125), &INTEGERS[..3], 12, 0.08);
    check_joint::<2, i8>(&OnIntegers::new(0.125), &INTEGERS, 12, 0.22);
    let noise = OnFloats::new(Mini(0x30), 0);
    check_joint::<1, Mini>(&noise, &MINIS[..3], 24, 0.1);
    check_joint::<2, Mini>(&noise, &MINIS[..3], 12, 0.2);
}

/// The law of one number over all 64-bit words of its magnitude, for this sign, against the closed form. What one word does not
/// decide is the remainder: a few words at each of the places where the result changes. Returns how many results there are.
fn over_all_words<T: Copy + Ord + Debug>(
    noise: &impl Noise<T>,
    (shift, negative): (T, bool),
    beyond: &[u64],
) -> Result<usize, String> {
    // One lane: its sign comes from the last bits of the first words.
    let signs = Digits::new(&noise.in_steps()).script(1, negative);
    let law = bisect(|word| {
        let script = [&signs, [word].as_slice(), beyond].concat();
        let mut numbers = [shift];
        noise.all(&mut numbers, &mut Script64::new(&script)).ok().map(|()| numbers[0])
    });
    let chance = |&sum: &T| (sum, noise.chance(shift, sum, negative));
    let support: Vec<_> = law.mass.keys().map(chance).collect();
    law.check(&inverse_power_of_two(42), support).map(|()| law.mass.len())
}

fn check_all_words<T: Copy + Ord + Debug>(noise: &impl Noise<T>, shift: T) -> usize {
    let check = |negative| {
        let results = over_all_words(noise, (shift, negative), &[]);
        results.unwrap_or_else(|e| panic!("{shift:?} {negative}: {e}"))
    };
    check(false) + check(true)
}

#[test]
fn one_number_over_all_64_bit_words() {
    let (one, mut results) = (Coarse::encode(false, 8, -3).0, 0);
    for (scale, k) in [(one, -129), (one + 43, -129), (one - 64, -30)] {
        let noise = OnFloats::new(Coarse(scale), k);
        for shift in [0, one, one + 0x801, one + 30, 0x803] {
            results += check_all_words(&noise, Coarse(shift));
        }
    }
    assert!(results > 10_000, "{results}");
    for scale in [0.1, 1.0, 7.25, 100.0] {
        for shift in [0i8, 126, -128] {
            check_all_words(&OnIntegers::new(scale), shift);
        }
    }
}

/// The binary digits of the probability that noise is not negative.
struct Digits(Vec<u64>);

impl Digits {
    fn new(in_steps: &RBig) -> Self {
        // More than any script here asks for, and few enough to tell where the number is next to 1/2.
        const LENGTH: usize = 100;
        let Between { low, high } = not_negative(in_steps);
        let floor = |x: RBig| (x * RBig::from(UBig::ONE << LENGTH)).floor();
        let all = floor(low);
        assert_eq!(all, floor(high), "a scale whose digits are known");
        let digit = |i: usize| u64::from((&all >> (LENGTH - 1 - i)) % IBig::from(2) == IBig::ONE);
        Digits((0..LENGTH).map(digit).collect())
    }

    /// Words of so many bits that give a single number this sign.
    fn script(&self, width: usize, negative: bool) -> Vec<u64> {
        if !negative {
            return vec![0];
        }
        let ones = self.0.chunks(width).take_while(|word| !word.contains(&0)).count();
        vec![u64::MAX >> (64 - width); ones + 1]
    }

    /// Which of so many numbers are negative: bit j of each word is the next digit of the number in lane j.
    fn signs(&self, lanes: usize, draw: &mut impl FnMut() -> Option<u64>) -> Option<Vec<bool>> {
        let mut signs = vec![None; lanes];
        for &digit in &self.0 {
            if signs.iter().all(Option::is_some) {
                break;
            }
            let word = draw()?;
            for (lane, sign) in signs.iter_mut().enumerate() {
                let drawn = word >> lane & 1;
                if sign.is_none() && drawn != digit {
                    *sign = Some(drawn > digit);
                }
            }
        }
        signs.into_iter().collect()
    }
}

/// What a list of words makes of one number, or None if they do not suffice.
type One<'a, T> = &'a dyn Fn(T, &[u64]) -> Option<T>;

/// What the documentation says, number by number: signs for as many as a word has bits, a word for each, and then, in the order of
/// the numbers, what they need beyond. Each number is made by itself, from its own sign and its own words; those are returned with
/// it.
fn replay<T: Copy>(
    (digits, width): (&Digits, usize),
    one: One<'_, T>,
    shifts: &[T],
    mut draw: impl FnMut() -> Option<u64>,
    mistake: Mistake,
) -> Option<Vec<(T, Vec<u64>)>> {
    let mut results = Vec::new();
    for block in shifts.chunks(width) {
        let mut signs = digits.signs(block.len(), &mut draw)?;
        let mut words = Vec::new();
        for _ in block {
            words.push(draw()?);
        }
        let mut beyond = Vec::new();
        mistake.spoil(&mut signs, &mut words);
        for (lane, &shift) in block.iter().enumerate() {
            let mut script = digits.script(width, signs[lane]);
            script.push(words[lane]);
            let mut next = 0;
            let result = loop {
                if let Some(result) = one(shift, &script) {
                    break result;
                }
                if next == beyond.len() {
                    beyond.push(if mistake == Mistake::MadeUpWords { 1 } else { draw()? });
                }
                script.push(beyond[next]);
                next += 1;
            };
            if mistake != Mistake::SharedWordsBeyond {
                beyond.clear();
            }
            results.push((result, script));
        }
    }
    Some(results)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    None,
    SharedSign,
    FlippedSigns,
    SignsMoved,
    SharedWord,
    WordsMoved,
    /// As if one word told more than it does: what follows it is not drawn.
    MadeUpWords,
    SharedWordsBeyond,
}

impl Mistake {
    fn spoil(self, signs: &mut [bool], words: &mut [u64]) {
        let last = signs.len() - 1;
        match self {
            Mistake::SharedSign => signs[last] = signs[0],
            Mistake::FlippedSigns => signs.iter_mut().for_each(|sign| *sign = !*sign),
            Mistake::SignsMoved => signs.rotate_left(1),
            Mistake::SharedWord => words[last] = words[0],
            Mistake::WordsMoved => words.rotate_left(1),
            _ => {}
        }
    }
}

/// Numbers made together from a script of 64-bit words, and how many words that took.
fn together<T: Copy>(
    noise: &impl Noise<T>,
    shifts: &[T],
    script: &[u64],
) -> (Result<Vec<T>, Error>, usize) {
    let (mut numbers, mut source) = (shifts.to_vec(), Script64::new(script));
    let result = noise.all(&mut numbers, &mut source);
    (result.map(|()| numbers), source.asked)
}

/// The same number by number, with the words of each.
fn apart<T: Copy>(
    noise: &impl Noise<T>,
    shifts: &[T],
    script: &[u64],
    mistake: Mistake,
) -> (Vec<(T, Vec<u64>)>, usize) {
    let digits = Digits::new(&noise.in_steps());
    let one = |shift, script: &[u64]| noise.one(shift, &mut Script64::new(script)).ok();
    let mut next = 0;
    let draw = || {
        next += 1;
        script.get(next - 1).copied()
    };
    let results = replay((&digits, 64), &one, shifts, draw, mistake).expect("words to spare");
    (results, next)
}

/// Words that look random, and such among which every few are 0, 1 or all ones: those do not decide alone.
fn scripts() -> Vec<Vec<u64>> {
    let words = spread(900);
    let mut all = Vec::new();
    for start in (0..500).step_by(100) {
        let plain = words[start..start + 400].to_vec();
        for step in [5, 17] {
            let mut rare = plain.clone();
            let edges = [0, u64::MAX, 1, u64::MAX - 1, 0].iter().cycle();
            rare.iter_mut().skip(9).step_by(step).zip(edges).for_each(|(word, edge)| *word = *edge);
            all.push(rare);
        }
        all.push(plain);
    }
    all
}

/// Whether numbers made together are those made apart, from as many words. Returns how many numbers took more than one.
fn agree<T: Copy, N: Noise<T>>(noise: &N, shifts: &[T], mistake: Mistake) -> Option<usize> {
    let mut long = 0;
    for length in [0, 1, 2, 63, 64, 65, 130] {
        let shifts: Vec<T> = shifts.iter().copied().cycle().take(length).collect();
        for script in scripts() {
            let (numbers, asked) = together(noise, &shifts, &script);
            let (expected, read) = apart(noise, &shifts, &script, mistake);
            let numbers = numbers.expect("words to spare").into_iter().map(N::bits);
            if !numbers.eq(expected.iter().map(|(x, _)| N::bits(*x))) || asked != read {
                return None;
            }
            // One word is the sign's.
            long += expected.iter().filter(|(_, words)| words.len() > 2).count();
        }
    }
    Some(long)
}

fn check_agreement<T: Copy, N: Noise<T>>(noise: &N, shifts: &[T]) {
    let long = agree(noise, shifts, Mistake::None).expect("the same numbers from the same words");
    assert!(long > 100, "{long}");
}

const SHIFTS: [f64; 11] =
    [0.0, 1.0, -0.0, -2.5, 0.3, 1e-310, 1e6, -1e300, 5e-324, 123_456.789, f64::MAX];

#[test]
fn each_float_has_its_own_sign_and_words() {
    for (scale, k) in [
        (1.0, -1074),
        (1.0, -40),
        (1.0, -1),
        (0.1, -1074),
        (0.1, -2),
        (3e4, -1074),
        (3e4, 10),
        (1e-300, -1074),
        (1e300, -1074),
        (1e300, 990),
    ] {
        check_agreement(&OnFloats::new(scale, k), &SHIFTS);
    }
    let shifts = SHIFTS.map(|x| (x as f32).clamp(f32::MIN, f32::MAX));
    for (scale, k) in [(1.5, -149), (1e-3, -149), (1e30, -149), (1.5, -20), (1.5, 0)] {
        check_agreement(&OnFloats::<f32>::new(scale, k), &shifts);
    }
}

#[test]
fn each_integer_has_its_own_sign_and_words() {
    for scale in [0.1, 1.0, 1e3, 1e12, 1e30, 1e300] {
        let noise = OnIntegers::new(scale);
        check_agreement(&noise, &[0i8, -128, 127, 5]);
        check_agreement(&noise, &[0i32, i32::MIN, 7]);
        check_agreement(&noise, &[0i64, i64::MAX, -9]);
    }
}

/// Signs that follow the digits of their probability far beyond the first word of them, and leave it at different places.
#[test]
fn signs_may_take_many_words() {
    fn check<T: Copy, N: Noise<T>>(noise: &N, shifts: &[T]) {
        let (digits, rest) = (Digits::new(&noise.in_steps()), spread(400));
        for rounds in [1, 2, 20, 63, 64, 65, 66, 80, 90] {
            let all_ones = |&digit: &u64| u64::wrapping_neg(digit);
            let mut script: Vec<u64> = digits.0[..rounds].iter().map(all_ones).collect();
            // Lane 2 leaves in the first round, lane 5 in the last one.
            script[0] ^= 1 << 2;
            script[rounds - 1] ^= 1 << 5;
            script.extend(&rest);
            let (numbers, asked) = together(noise, shifts, &script);
            let (expected, read) = apart(noise, shifts, &script, Mistake::None);
            let numbers = numbers.unwrap().into_iter().map(N::bits);
            assert!(numbers.eq(expected.iter().map(|(x, _)| N::bits(*x))), "{rounds}");
            assert!(asked == read && asked > rounds + shifts.len());
        }
    }
    for scale in [0.3, 1.0, 5.5, 1e6] {
        check(&OnFloats::new(scale, 0), &[1.5; 70]);
        check(&OnIntegers::new(scale), &[7i64; 64]);
    }
    check(&OnFloats::new(1.0, -1074), &SHIFTS);
}

/// The numbers are not only those that come one at a time: they are what their signs and words demand.
#[test]
fn each_float_is_what_its_words_demand() {
    for (scale, k) in [(1.0, -1074), (0.3, -10), (1e6, -1074)] {
        let noise = OnFloats::new(scale, k);
        let script = &scripts()[0];
        let shifts: Vec<f64> = SHIFTS.into_iter().cycle().take(100).collect();
        let numbers = together(&noise, &shifts, script).0.unwrap();
        let own = apart(&noise, &shifts, script, Mistake::None).0;
        for ((shift, number), (_, words)) in shifts.iter().zip(numbers).zip(own) {
            assert!(is_right(*shift, scale, k, 64, &words, number), "{shift} {number}");
        }
    }
}

/// Words of 4 bits, of which few decide: three blocks of numbers, and many words beyond.
#[test]
fn each_number_has_its_own_small_words() {
    fn check<T: Copy, N: Noise<T>>(noise: &N, shifts: &[T]) {
        let digits = Digits::new(&noise.in_steps());
        let one = |shift, script: &[u64]| noise.one(shift, &mut Script::<4>::new(script)).ok();
        let words: Vec<u64> = spread(2000).iter().map(|word| word >> 60).collect();
        for script in words.windows(300).step_by(7) {
            let mut next = 0;
            let draw = || {
                next += 1;
                script.get(next - 1).copied()
            };
            let own = replay((&digits, 4), &one, shifts, draw, Mistake::None).unwrap();
            let (mut numbers, mut source) = (shifts.to_vec(), Script::<4>::new(script));
            noise.all(&mut numbers, &mut source).unwrap();
            assert!(numbers.into_iter().map(N::bits).eq(own.iter().map(|(x, _)| N::bits(*x))));
            assert_eq!(source.asked, next);
        }
    }
    for scale in [0.125, 1.0, 40.0] {
        check(&OnIntegers::new(scale), &[0i8, 126, -128, 5, 0, 1, 2, 127, -7, 3]);
        check(&OnFloats::new(scale, -1074), &SHIFTS[..9]);
    }
    check(&OnFloats::new(Mini(0x38), -9), &MINIS.repeat(2)[..7]);
}

/// Sources that fail and numbers that are none.
mod refusals;

/// The checks above find these mistakes.
mod planted;
