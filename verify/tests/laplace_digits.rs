//! Laplace noise in constant time: a sign and independent binary digits, each from words of its own.

use core::fmt::Debug;
use std::collections::BTreeMap;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use deniable_sample::{
    ConstantTimeLaplace, Ratio, Result as Sampled, SaturatingInt, Source, sample_geometric,
};
use deniable_verify::closed_form::{exp_neg, laplace_tail};
use deniable_verify::draws::rational;
use deniable_verify::enumerate::{enumerate, inverse_power_of_two};
use deniable_verify::law::Between;
use deniable_verify::words::{Script, Script64, Word4, fraction, spread};

/// How exactly probabilities are known: to so many bits after the first of them that is not zero.
const BITS: usize = 400;

/// The comparisons that make noise of this scale on integers of so many bits, computed anew: the probabilities that it is not negative, that each digit is
/// zero, and that there are more digits.
fn comparisons(scale: &RBig, bits: u32) -> Vec<Between> {
    let power = |place: u32| RBig::from(UBig::ONE << place as usize) / scale;
    let q = |place| {
        let y = power(place);
        if y > RBig::from(4000) {
            return Between { low: RBig::ZERO, high: inverse_power_of_two(5000) };
        }
        let whole = usize::try_from(y.floor()).expect("a small number");
        exp_neg(&y, BITS + 2 * whole)
    };
    let is_zero = |place| {
        let Between { low, high } = q(place);
        Between { low: RBig::ONE / (RBig::ONE + high), high: RBig::ONE / (RBig::ONE + low) }
    };
    let digits = (0..bits).find(|&place| power(place) >= RBig::from(89)).unwrap_or(bits);
    [is_zero(0)].into_iter().chain((0..digits).map(is_zero)).chain([q(digits)]).collect()
}

/// shift + noise for these outcomes of the comparisons, with the magnitude that is given if there are more digits.
fn sum<I: SaturatingInt>(shift: I, is_below: &[bool], beyond: impl FnOnce() -> IBig) -> I {
    let digits = is_below.len() - 2;
    let magnitude = if is_below[digits + 1] {
        beyond()
    } else {
        (0..digits)
            .filter(|place| !is_below[place + 1])
            .fold(IBig::ZERO, |sum, place| sum + (IBig::ONE << place))
    };
    let noise = if is_below[0] { magnitude } else { -IBig::ONE - magnitude };
    let sum = IBig::from(Into::<i128>::into(shift)) + noise;
    let far = if sum < IBig::ZERO { i128::MIN } else { i128::MAX };
    I::saturated(i128::try_from(&sum).unwrap_or(far))
}

/// Every outcome of so many comparisons.
fn outcomes(count: usize) -> impl Iterator<Item = Vec<bool>> {
    (0..1u32 << count).map(move |set| (0..count).map(|i| set >> i & 1 == 1).collect())
}

fn ratio(numerator: u64, denominator: u64) -> Ratio {
    Ratio::new(numerator, denominator).unwrap()
}

/// The words of one comparison, and all that follow the fixed ones, come from a script; the others are the smallest or the largest.
struct OneOpen<'a, 'b> {
    script: &'a mut Script<'b, 4>,
    is_below: &'a [bool],
    open: usize,
    drawn: usize,
}

impl Source for OneOpen<'_, '_> {
    type Word = Word4;

    fn draw(&mut self) -> Sampled<Word4> {
        let comparison = self.drawn / 2;
        self.drawn += 1;
        match self.is_below.get(comparison) {
            Some(&is_below) if comparison != self.open => {
                Script::new(&[if is_below { 0 } else { 15 }]).draw()
            }
            _ => self.script.draw(),
        }
    }
}

#[test]
fn each_bit_has_its_probability_whatever_the_others_are() {
    // All digits of the type, and a probability of more of them that 8 bits show.
    for (scale, shift) in [(ratio(100, 1), 0i8), (ratio(1000, 3), -60)] {
        let probabilities = comparisons(&rational(&scale), 8);
        let noise = ConstantTimeLaplace::<i8>::new(&scale).unwrap();
        assert_eq!(probabilities.len(), 10);
        for open in 0..probabilities.len() {
            for mut is_below in outcomes(probabilities.len()).filter(|all| !all[open]) {
                let not_below = sum(shift, &is_below, || IBig::from(1000));
                let law = enumerate::<4, _, _>(6, |script| {
                    let is_below = &is_below;
                    let mut source = OneOpen { script, is_below, open, drawn: 0 };
                    noise.sample_saturating(shift, &mut source)
                });
                is_below[open] = true;
                let below = sum(shift, &is_below, || IBig::from(1000));
                let Between { low, high } = probabilities[open].clone();
                let not = Between { low: RBig::ONE - &high, high: RBig::ONE - &low };
                let expected = if below == not_below {
                    vec![(below, Between::exactly(RBig::ONE))]
                } else {
                    vec![(below, Between { low, high }), (not_below, not)]
                };
                law.check(&inverse_power_of_two(20), expected).unwrap();
            }
        }
    }
}

/// The law of the shipping sums if each comparison has its probability, against that of Laplace noise.
#[test]
fn bits_make_the_law() {
    let tiny = inverse_power_of_two(100);
    for scale in [(1, 10), (2, 3), (1, 1), (10, 3), (7, 1), (100, 1), (1 << 20, 3)] {
        let scale = ratio(scale.0, scale.1);
        let noise = ConstantTimeLaplace::<i8>::new(&scale).unwrap();
        let scale = rational(&scale);
        let probabilities = comparisons(&scale, 8);
        let digits = probabilities.len() - 2;
        for shift in [-128i8, -127, -1, 0, 1, 100, 127] {
            let mut law: BTreeMap<i8, Between> = BTreeMap::new();
            for is_below in outcomes(probabilities.len()) {
                // Which has a probability below 2^−128.
                if is_below[digits + 1] && digits < 8 {
                    continue;
                }
                let words = |&is_below: &bool| [if is_below { 0 } else { u64::MAX }; 2];
                let script: Vec<u64> = is_below.iter().flat_map(words).collect();
                let sum = noise.sample_saturating(shift, &mut Script64::new(&script)).unwrap();
                let weight = is_below.iter().zip(&probabilities).fold(
                    Between::exactly(RBig::ONE),
                    |weight, (&is_below, p)| match is_below {
                        true => Between { low: weight.low * &p.low, high: weight.high * &p.high },
                        false => Between {
                            low: weight.low * (RBig::ONE - &p.high),
                            high: weight.high * (RBig::ONE - &p.low),
                        },
                    },
                );
                let mass = law.entry(sum).or_insert_with(|| Between::exactly(RBig::ZERO));
                mass.low += weight.low;
                mass.high += weight.high;
            }
            let tail = |z: i32| laplace_tail(&scale, &IBig::from(z), 150);
            for sum in i8::MIN..=i8::MAX {
                let z = i32::from(sum) - i32::from(shift);
                let mut expected = tail(z);
                if sum == i8::MIN {
                    expected = Between::exactly(RBig::ONE);
                }
                if sum < i8::MAX {
                    let next = tail(z + 1);
                    expected.low -= next.high;
                    expected.high -= next.low;
                }
                let none = Between::exactly(RBig::ZERO);
                let seen = law.get(&sum).unwrap_or(&none);
                assert!(seen.low <= &expected.high + &tiny, "{sum} is too likely");
                assert!(&expected.low - &tiny <= seen.high, "{sum} is not likely enough");
                assert!(&seen.high - &seen.low < tiny && expected.high - expected.low < tiny);
            }
        }
    }
}

/// What a script makes of the comparisons, and the sum; with a mistake if one is planted.
fn reference<I: SaturatingInt>(
    scale: &Ratio,
    probabilities: &[Between],
    shift: I,
    script: &[u64],
    planted: Planted,
) -> (I, usize) {
    let mut probabilities = probabilities.to_vec();
    match planted {
        Planted::FairSign => probabilities[0] = Between::exactly(inverse_power_of_two(1)),
        Planted::AnotherDigit if probabilities.len() > 3 => probabilities.swap(1, 2),
        _ => {}
    }
    let mut used = 2 * probabilities.len();
    // Whether U, of which these are the first words, is below p, if they tell.
    let decided = |words: &[u64], p: &Between| {
        let u = fraction(words);
        if u >= p.high {
            return Some(false);
        }
        (u + inverse_power_of_two(64 * words.len()) <= p.low).then_some(true)
    };
    let mut is_below = Vec::new();
    for (own, p) in script.chunks(2).zip(&probabilities) {
        let mut words = own.to_vec();
        is_below.push(loop {
            if let Some(is_below) = decided(&words, p) {
                break is_below;
            }
            words.push(script[used]);
            used += 1;
        });
    }
    let all_digits = probabilities.len() == I::BITS as usize + 2;
    let mut beyond = || {
        if all_digits {
            return IBig::ONE << 80usize;
        }
        let mut rest = Script64::new(&script[used..]);
        let more = sample_geometric(scale, &mut rest).unwrap();
        used += rest.asked;
        let more = IBig::from(UBig::from_le_bytes(&more.to_bytes_le()));
        more + (IBig::ONE << (probabilities.len() - 2))
    };
    let last = is_below.len() - 1;
    if planted == Planted::NothingBeyond {
        is_below[last] = false;
    }
    let mut expected = sum(shift, &is_below, &mut beyond);
    if planted == Planted::PlainNegation && !is_below[0] {
        expected = I::saturated(Into::<i128>::into(expected) + 1);
    }
    (expected, used)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Planted {
    Nothing,
    FairSign,
    AnotherDigit,
    NothingBeyond,
    PlainNegation,
}

const FLOATS: [f64; 13] =
    [5e-324, 1e-3, 0.011, 0.012, 0.1, 1.0, 3.3, 1e6, 1e9, 9e18, 1e22, 1e300, f64::MAX];

/// Scripts that look random; and such that are the first digits of one of the probabilities, or of all of them, so that words which follow decide.
fn scripts(probabilities: &[Between]) -> Vec<Vec<u64>> {
    let words = spread(500);
    let own = 2 * probabilities.len();
    let mut all: Vec<Vec<u64>> = (0..40).map(|at| words[at..at + own + 60].to_vec()).collect();
    let first_words = |p: &Between| {
        let digits = (&p.low / inverse_power_of_two(128)).floor();
        let digits = u128::try_from(digits).unwrap();
        [(digits >> 64) as u64, digits as u64]
    };
    let last = probabilities.len() - 1;
    for (place, p) in probabilities.iter().enumerate() {
        for next in [0, 1 << 62, u64::MAX] {
            let mut script = words[place..place + own + 60].to_vec();
            script[2 * place..2 * place + 2].copy_from_slice(&first_words(p));
            script[own] = next;
            all.push(script);
        }
    }
    let mut script: Vec<u64> = probabilities.iter().flat_map(first_words).collect();
    script.extend(&words[..80]);
    all.push(script);
    // More digits than are drawn: the smallest of all numbers.
    let mut script = words[..own + 60].to_vec();
    script[2 * last..own].fill(0);
    script[own..own + 20].fill(0);
    all.push(script);
    all
}

/// The first difference between the shipping sums and those of the reference.
fn differ<I: SaturatingInt + Debug>(
    scales: &[f64],
    shifts: &[I],
    planted: Planted,
) -> Option<String> {
    for &scale in scales {
        let noise = ConstantTimeLaplace::<I>::from_float(scale).unwrap();
        let exact = Ratio::from_float(scale).unwrap();
        let probabilities = comparisons(&rational(&exact), I::BITS);
        for script in scripts(&probabilities) {
            for &shift in shifts {
                let mut source = Script64::new(&script);
                let sum = noise.sample_saturating(shift, &mut source).unwrap();
                let (expected, used) = reference(&exact, &probabilities, shift, &script, planted);
                if sum != expected || source.asked != used {
                    return Some(format!("scale {scale}, shift {shift:?}"));
                }
            }
        }
    }
    None
}

#[test]
fn every_sum_is_that_of_its_words() {
    assert_eq!(differ(&FLOATS, &[i8::MIN, -3, 0, i8::MAX], Planted::Nothing), None);
    assert_eq!(differ(&FLOATS, &[i16::MIN, 7], Planted::Nothing), None);
    assert_eq!(differ(&FLOATS, &[i32::MIN + 1, 1 << 20], Planted::Nothing), None);
    assert_eq!(differ(&FLOATS, &[i64::MIN, -1, 5, i64::MAX - 1], Planted::Nothing), None);
}

/// Some of these, in no time: what is wrong is mostly wrong for all of them.
#[test]
fn a_few_sums_are_those_of_their_words() {
    assert_eq!(differ(&[0.012, 3.3, 1e22], &[i8::MIN, -3, i8::MAX], Planted::Nothing), None);
    assert_eq!(differ(&[1e9], &[5i64], Planted::Nothing), None);
}

#[test]
fn planted_mistakes_are_found() {
    for planted in
        [Planted::FairSign, Planted::AnotherDigit, Planted::NothingBeyond, Planted::PlainNegation]
    {
        assert!(differ(&FLOATS, &[0i8, 100], planted).is_some(), "{planted:?}");
        assert!(differ(&FLOATS, &[0i64, 100], planted).is_some(), "{planted:?}");
    }
}

/// Many at once are as many samples from the words that follow each other.
#[test]
fn many_are_one_after_the_other() {
    let noise = ConstantTimeLaplace::<i32>::from_float(20.0).unwrap();
    let script = spread(2000);
    let mut numbers: Vec<i32> = (0..30).map(|x| x * 1000 - 20_000).collect();
    let mut source = Script64::new(&script);
    let singly: Vec<i32> =
        numbers.iter().map(|&x| noise.sample_saturating(x, &mut source).unwrap()).collect();
    let asked = source.asked;
    let mut source = Script64::new(&script);
    noise.sample_all_saturating(&mut numbers, &mut source).unwrap();
    assert_eq!((numbers, source.asked), (singly, asked));
}

#[test]
fn scales_that_are_none_are_refused() {
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(ConstantTimeLaplace::<i64>::from_float(scale).is_err());
    }
    assert!(ConstantTimeLaplace::<i64>::new(&ratio(0, 1)).is_err());
}
