//! Discrete Laplace noise on machine integers, saturated at their ends.

use dashu_int::IBig;
use dashu_ratio::RBig;
use deniable_sample::{DiscreteLaplace, Error, ErrorKind, Ratio, SaturatingInt, Source};
use deniable_verify::bisect::bisect;
use deniable_verify::closed_form::{geometric, laplace_tail};
use deniable_verify::draws::rational;
use deniable_verify::enumerate::{enumerate, inverse_power_of_two};
use deniable_verify::inversion::power;
use deniable_verify::law::{Between, Law};
use deniable_verify::words::{Script, Script64, spread};
use num_bigint::BigInt;

fn ratio(numerator: u64, denominator: u64) -> Ratio {
    Ratio::new(numerator, denominator).unwrap()
}

/// Below, at and above 1; dyadic or not; wider than the type; one that no fast path takes.
fn scales() -> Vec<Ratio> {
    let mut all = [(1, 10), (2, 3), (1, 1), (10, 3), (7, 1), (100, 1), (1 << 20, 3)]
        .map(|(n, d)| ratio(n, d))
        .to_vec();
    all.push(Ratio::new((1u128 << 70) + 1, 1u128 << 70).unwrap());
    all.push(Ratio::new((1u128 << 80) + 1, 3u32).unwrap());
    all
}

const SHIFTS: [i8; 11] = [-128, -127, -126, -100, -1, 0, 1, 100, 125, 126, 127];

/// P(Z ≥ z) for all z that tell sums on `i8` apart, computed once a scale.
struct Tails(Vec<Between>);

impl Tails {
    fn new(scale: &Ratio) -> Self {
        let scale = rational(scale);
        Tails((-256..=256).map(|z| laplace_tail(&scale, &IBig::from(z), 120)).collect())
    }

    fn at(&self, z: i32) -> &Between {
        &self.0[usize::try_from(z + 256).unwrap()]
    }

    /// The law of shift + Z, with everything beyond an end at that end.
    fn saturated(&self, shift: i8) -> impl Iterator<Item = (i8, Between)> {
        let certain = Between::exactly(RBig::ONE);
        let impossible = Between::exactly(RBig::ZERO);
        (i8::MIN..=i8::MAX).map(move |sum| {
            let z = i32::from(sum) - i32::from(shift);
            let from = if sum == i8::MIN { &certain } else { self.at(z) };
            let to = if sum == i8::MAX { &impossible } else { self.at(z + 1) };
            (sum, Between { low: &from.low - &to.high, high: &from.high - &to.low })
        })
    }

    /// Fails unless the law is that of shift + Z, saturated, but for a remainder of at most 1/64: most of that are signs
    /// that the first word leaves open, and magnitudes of a scale of 100 that 16 bits do not tell apart.
    fn check(&self, law: &Law<i8>, shift: i8) {
        law.check(&inverse_power_of_two(6), self.saturated(shift)).unwrap();
    }
}

#[test]
fn saturated_over_every_script() {
    for scale in scales() {
        let (noise, tails) = (DiscreteLaplace::new(&scale).unwrap(), Tails::new(&scale));
        for shift in SHIFTS {
            tails.check(&enumerate::<4, _, _>(5, |s| noise.sample_saturating(shift, s)), shift);
        }
    }
    for scale in [ratio(1, 10), ratio(1, 1)] {
        let (noise, tails) = (DiscreteLaplace::new(&scale).unwrap(), Tails::new(&scale));
        for shift in [-128, -120, 0, 126] {
            tails.check(&enumerate::<8, _, _>(3, |s| noise.sample_saturating(shift, s)), shift);
        }
    }
}

/// Every shift from which this noise reaches an end with a probability that shows, and all the others.
#[test]
fn every_shift_over_every_script() {
    let scale = ratio(5, 2);
    let (noise, tails) = (DiscreteLaplace::new(&scale).unwrap(), Tails::new(&scale));
    for shift in i8::MIN..=i8::MAX {
        tails.check(&enumerate::<4, _, _>(4, |s| noise.sample_saturating(shift, s)), shift);
    }
}

/// The magnitude over all 64-bit words, for either sign.
#[test]
fn saturated_over_all_64_bit_words() {
    for scale in scales().iter().filter(|scale| rational(scale) < RBig::from(1000)) {
        let noise = DiscreteLaplace::new(scale).unwrap();
        for (shift, sign) in [(100i8, 0), (-128, 0), (127, u64::MAX), (-120, u64::MAX)] {
            let law = bisect(|word| {
                noise.sample_saturating(shift, &mut Script64::new(&[sign, word])).ok()
            });
            law.check(&inverse_power_of_two(46), one_sided(scale, shift, sign != 0)).unwrap();
        }
    }
}

/// shift + G or shift − 1 − G, saturated.
fn one_sided(scale: &Ratio, shift: i8, negative: bool) -> Vec<(i8, Between)> {
    let scale = rational(scale);
    let steps = if negative { i32::from(shift) + 127 } else { 127 - i32::from(shift) };
    let steps = u64::try_from(steps).unwrap_or(0);
    let at = |g: u64| {
        let (shift, g) = (i32::from(shift), g as i32);
        i8::try_from(if negative { shift - 1 - g } else { shift + g }).unwrap()
    };
    let mut all: Vec<_> = (0..steps).map(|g| (at(g), geometric(&scale, g, 150))).collect();
    let end = if negative { i8::MIN } else { i8::MAX };
    all.push((end, power(IBig::from(steps), &scale, 150)));
    all
}

/// What the unbounded sampler makes of the script, and how many words it takes.
fn unbounded(noise: &DiscreteLaplace, script: &[u64]) -> (BigInt, usize) {
    let mut source = Script64::new(script);
    let z = noise.sample(&mut source).unwrap();
    (z, source.asked)
}

fn saturated_sum<I: SaturatingInt>(shift: I, z: &BigInt) -> I {
    let sum = BigInt::from(Into::<i128>::into(shift)) + z;
    let far = if sum < BigInt::ZERO { i128::MIN } else { i128::MAX };
    I::saturated(i128::try_from(&sum).unwrap_or(far))
}

/// Scripts that look random, and such whose U is next to 0 or 1 by up to six words: there noise of a huge scale is
/// small, and noise of a small scale is not.
fn scripts() -> Vec<Vec<u64>> {
    let words = spread(64);
    let mut all: Vec<Vec<u64>> = words.windows(28).map(<[u64]>::to_vec).collect();
    for edge in [0, u64::MAX] {
        for length in 1..=6 {
            for sign in [5, u64::MAX - 5] {
                let mut script = vec![sign];
                script.extend(vec![edge; length]);
                script.extend(&words[length..length + 28]);
                all.push(script);
            }
        }
    }
    all
}

const FLOATS: [f64; 18] = [
    5e-324,
    1e-300,
    1e-3,
    0.1,
    1.0,
    3.3,
    1e6,
    1e9,
    4e9,
    1e15,
    9e18,
    1.9e19,
    1e22,
    1e30,
    1e58,
    1e100,
    1e300,
    f64::MAX,
];

/// From the same words, the sum that the unbounded sampler gives, from no more of them. Returns how many ended inside
/// the type and how many at an end.
fn agree<I: SaturatingInt>(shifts: &[I], ends: [I; 2]) -> (u32, u32) {
    let (mut inside, mut outside) = (0, 0);
    let mut check = |noise: &DiscreteLaplace, script: &[u64]| {
        let (z, most) = unbounded(noise, script);
        for &shift in shifts {
            let mut source = Script64::new(script);
            let sum = noise.sample_saturating(shift, &mut source).unwrap();
            assert_eq!(sum, saturated_sum(shift, &z), "{shift:?} {noise:?}");
            assert!(source.asked <= most, "{shift:?} {noise:?}");
            if ends.contains(&sum) { outside += 1 } else { inside += 1 }
        }
    };
    let floats = FLOATS.into_iter().map(DiscreteLaplace::from_float);
    for noise in floats.chain(scales().iter().map(DiscreteLaplace::new)) {
        let noise = noise.unwrap();
        scripts().iter().for_each(|script| check(&noise, script));
    }
    (inside, outside)
}

#[test]
fn the_same_words_make_the_same_sum() {
    macro_rules! all {
        ($($int:ty)*) => {
            $(
                let (min, max) = (<$int>::MIN, <$int>::MAX);
                let shifts = [min, min + 1, min / 3, -1, 0, 1, 100, max / 2, max - 1, max];
                let (inside, outside) = agree::<$int>(&shifts, [min, max]);
                assert!(inside > 4000 && outside > 4000, "{inside} {outside}");
            )*
        };
    }
    all!(i8 i16 i32 i64);
}

/// Scripts that follow the digits of e^(−g/s) for the g at which the sum reaches its end: they need the 128-bit kernel,
/// then big integers, and must come out right on either side.
#[test]
fn scripts_next_to_an_end() {
    let mut deepest = 0;
    for (scale, shift) in [(1e18, i64::MAX / 2), (1e17, i64::MAX - 5), (3.5, i64::MAX - 3)] {
        let noise = DiscreteLaplace::from_float(scale).unwrap();
        let steps = RBig::try_from(scale).unwrap();
        for sign in [0, u64::MAX] {
            let shift = if sign == 0 { shift } else { -shift - 1 };
            let boundary = power(IBig::from(i64::MAX - shift.max(-shift - 1)), &steps, 400).low;
            for depth in [1, 2, 3, 5] {
                for next in [0, u64::MAX] {
                    let mut script = vec![sign];
                    script.extend(first_words(&boundary, depth));
                    script.extend([next, next, 0x5555_5555_5555_5555, 7, 8, 9]);
                    let (z, _) = unbounded(&noise, &script);
                    let mut source = Script64::new(&script);
                    let sum = noise.sample_saturating(shift, &mut source).unwrap();
                    assert_eq!(sum, saturated_sum(shift, &z), "{scale} {shift} {depth}");
                    deepest = deepest.max(source.asked);
                }
            }
        }
    }
    assert!(deepest >= 5, "big integers were not reached: {deepest} words");
}

/// The first words of a number in [0, 1).
fn first_words(x: &RBig, count: usize) -> Vec<u64> {
    let digit = |i: usize| {
        let digits = (x / inverse_power_of_two(64 * (i + 1))).floor();
        let before = (x / inverse_power_of_two(64 * i)).floor();
        u64::try_from(digits - (before << 64)).unwrap()
    };
    (0..count).map(digit).collect()
}

/// A word for the sign and one for the magnitude: whatever the scale, the type and the shift.
#[test]
fn extreme_scales_take_two_words() {
    for scale in [5e-324, 1e-300, 1.0, 1e300, f64::MAX] {
        let noise = DiscreteLaplace::from_float(scale).unwrap();
        for script in spread(400).windows(2) {
            for shift in [i64::MIN, -1, 0, i64::MAX] {
                noise.sample_saturating(shift, &mut Script64::new(script)).unwrap();
                noise.sample_saturating(shift as i32, &mut Script64::new(script)).unwrap();
            }
        }
    }
}

/// A float and the ratio that is its value are one law, drawn from the same words.
#[test]
fn floats_are_their_exact_values() {
    for scale in FLOATS {
        let float = DiscreteLaplace::from_float(scale).unwrap();
        let same = DiscreteLaplace::new(&Ratio::from_float(scale).unwrap()).unwrap();
        for script in scripts() {
            assert_eq!(unbounded(&float, &script).0, unbounded(&same, &script).0, "{scale}");
        }
    }
}

#[test]
fn refused_scales() {
    for scale in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = DiscreteLaplace::from_float(scale).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidParameter);
        assert!(error.to_string().contains("scale"), "{error}");
    }
    assert!(DiscreteLaplace::from_float(f32::from_bits(1)).is_ok());
}

/// The checks above find these mistakes.
mod planted {
    use super::*;

    /// Whether the law of a sampler that takes a sum to a result is told from the right one.
    fn is_found(shift: i8, wrong: impl Fn(i64) -> i8) -> bool {
        let scale = ratio(7, 1);
        let noise = DiscreteLaplace::new(&scale).unwrap();
        let law = enumerate::<4, _, Error>(5, |s| {
            let z = noise.sample(s)?;
            Ok(wrong(i64::from(shift) + i64::try_from(z).unwrap()))
        });
        law.compare(Tails::new(&scale).saturated(shift)).is_err()
    }

    #[test]
    fn wrapping_is_found() {
        for shift in [-126, 126] {
            assert!(is_found(shift, |sum| sum as i8));
            assert!(!is_found(shift, |sum| sum.clamp(-128, 127) as i8));
        }
    }

    #[test]
    fn an_end_that_comes_too_early_is_found() {
        assert!(is_found(120, |sum| sum.clamp(-128, 126) as i8));
        assert!(is_found(-120, |sum| sum.clamp(-127, 127) as i8));
        // At 126 the sum counts as saturated.
        assert!(is_found(120, |sum| if sum >= 126 { 127 } else { sum as i8 }));
    }

    #[test]
    fn negative_noise_of_zero_is_found() {
        let scale = ratio(7, 1);
        let law = enumerate::<4, _, Error>(5, |s| {
            let negative = deniable_sample::sample_bernoulli_float(0.5, false, s)?;
            let g = i64::try_from(deniable_sample::sample_geometric(&scale, s)?).unwrap();
            let sum = if negative { 120 - g } else { 120 + g };
            Ok(sum.clamp(-128, 127) as i8)
        });
        assert!(law.compare(Tails::new(&scale).saturated(120)).is_err());
    }

    /// U's later words made up, and never drawn.
    #[test]
    fn a_made_up_word_is_found() {
        let scale = ratio(7, 1);
        let noise = DiscreteLaplace::new(&scale).unwrap();
        let law = enumerate::<4, _, _>(3, |s| {
            use deniable_sample::Word;
            let words = [s.draw()?.value(), s.draw()?.value(), s.draw()?.value(), 8, 8, 8, 8, 8];
            noise.sample_saturating(120i8, &mut Script::<4>::new(&words))
        });
        assert!(law.compare(Tails::new(&scale).saturated(120)).is_err());
    }
}
