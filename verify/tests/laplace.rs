//! The exact laws of geometric and discrete Laplace integers.

use dashu_int::IBig;
use dashu_ratio::RBig;
use deniable_sample::{
    DiscreteLaplace, Error, ErrorKind, Ratio, Result, Source, sample_discrete_laplace,
    sample_geometric,
};
use deniable_verify::bisect::bisect;
use deniable_verify::closed_form::{exp_neg, geometric, laplace_between, laplace_tail};
use deniable_verify::draws::{big, rational};
use deniable_verify::enumerate::{enumerate, inverse_power_of_two};
use deniable_verify::law::{Between, Law};
use deniable_verify::words::{Script, Script64, fraction, spread};
use num_bigint::BigUint;

fn ratio(numerator: u64, denominator: u64) -> Ratio {
    Ratio::new(numerator, denominator).unwrap()
}

/// Below, at and above 1; dyadic or not; one that no fast path takes.
fn scales() -> Vec<Ratio> {
    let mut all = [(1, 10), (1, 3), (1, 2), (2, 3), (1, 1), (5, 2), (10, 3), (7, 1)]
        .map(|(n, d)| ratio(n, d))
        .to_vec();
    all.push(Ratio::new((1u128 << 70) + 1, 1u128 << 70).unwrap());
    all
}

fn geometric_support(scale: &Ratio, bits: usize) -> impl Iterator<Item = (u64, Between)> {
    let scale = rational(scale);
    // Beyond 50 scales and one step there is less than 2^−70.
    let end = u64::try_from(IBig::from(50) * scale.ceil()).unwrap() + 2;
    (0..end).map(move |g| (g, geometric(&scale, g, bits)))
}

fn laplace_support(scale: &Ratio, bits: usize) -> impl Iterator<Item = (i64, Between)> {
    let scale = rational(scale);
    let end = i64::try_from(IBig::from(50) * scale.ceil()).unwrap() + 2;
    (-end..end).map(move |z| (z, laplace_between(&scale, &IBig::from(z), &IBig::from(z + 1), bits)))
}

fn geometric_word<S: Source>(scale: &Ratio, source: &mut S) -> Result<u64> {
    sample_geometric(scale, source).map(|g| u64::try_from(g).unwrap())
}

fn laplace_word<S: Source>(law: &DiscreteLaplace, source: &mut S) -> Result<i64> {
    law.sample(source).map(|z| i64::try_from(z).unwrap())
}

#[test]
fn geometric_over_every_script() {
    for scale in scales() {
        let law = enumerate::<4, _, Error>(7, |s| geometric_word(&scale, s));
        law.check(&inverse_power_of_two(17), geometric_support(&scale, 100)).unwrap();
        let law = enumerate::<8, _, Error>(3, |s| geometric_word(&scale, s));
        law.check(&inverse_power_of_two(13), geometric_support(&scale, 100)).unwrap();
    }
}

/// Deep enough to leave the 64-bit kernel, the 128-bit one, and to take big integers: a scale of 1/64 has
/// few outcomes, so that few scripts stay open.
#[test]
fn geometric_through_all_kernels() {
    let scale = ratio(1, 64);
    let law = enumerate::<4, _, Error>(36, |s| geometric_word(&scale, s));
    law.check(&inverse_power_of_two(140), geometric_support(&scale, 300)).unwrap();
}

#[test]
fn geometric_over_all_64_bit_words() {
    for scale in scales().into_iter().chain([ratio(1000, 7), ratio(1 << 20, 1 << 10)]) {
        let law = bisect(|word| geometric_word(&scale, &mut Script64::new(&[word])).ok());
        law.check(&inverse_power_of_two(46), geometric_support(&scale, 150)).unwrap();
    }
}

fn laplace_law(
    scale: &Ratio,
    sampler: impl Fn(&DiscreteLaplace, &mut Script<'_, 4>) -> Result<i64>,
) -> Law<i64> {
    let prepared = DiscreteLaplace::new(scale).unwrap();
    enumerate::<4, _, Error>(6, |s| sampler(&prepared, s))
}

#[test]
fn laplace_over_every_script() {
    for scale in scales() {
        let law = laplace_law(&scale, |law, s| laplace_word(law, s));
        law.check(&inverse_power_of_two(11), laplace_support(&scale, 100)).unwrap();
    }
}

/// The sign is decided by the first words, the magnitude by those after: each over all 64-bit words.
#[test]
fn laplace_over_all_64_bit_words() {
    for scale in scales() {
        let law = DiscreteLaplace::new(&scale).unwrap();
        // A fraction just below 1/2 has magnitude 0 or more, and −1 or less if it is negative.
        let signs = bisect(|word| {
            let words = [word, 1 << 62];
            laplace_word(&law, &mut Script64::new(&words)).ok().map(|z| z >= 0)
        });
        let not_negative = laplace_tail(&rational(&scale), &IBig::ZERO, 200);
        let negative =
            Between { low: RBig::ONE - &not_negative.high, high: RBig::ONE - &not_negative.low };
        let largest = inverse_power_of_two(63);
        signs.check(&largest, [(true, not_negative), (false, negative)]).unwrap();
        for sign in [0, u64::MAX] {
            let law = bisect(|word| laplace_word(&law, &mut Script64::new(&[sign, word])).ok());
            let support = geometric_support(&scale, 150)
                .map(|(g, p)| (if sign == 0 { g as i64 } else { -1 - g as i64 }, p));
            law.check(&inverse_power_of_two(50), support).unwrap();
        }
    }
}

/// On both sides of where the sign's first word is known without computing it. A word that ties is followed
/// here by as many as it takes to decide against, so exactly ⌊2^64 / (1 + q)⌋ words are not negative.
#[test]
fn signs_of_large_scales_over_all_64_bit_words() {
    for exponent in [10, 20, 30, 59, 60, 61, 62, 63, 64, 100] {
        let scale = Ratio::new(1u128 << exponent, 1u32).unwrap();
        let law = DiscreteLaplace::new(&scale).unwrap();
        let signs = bisect(|word| {
            let words = [word, u64::MAX, u64::MAX, u64::MAX, u64::MAX, 1 << 62, 5, 6, 7];
            law.sample(&mut Script64::new(&words)).ok().map(|z| z >= 0.into())
        });
        let not_negative = laplace_tail(&rational(&scale), &IBig::ZERO, 300);
        let words = (not_negative.low / inverse_power_of_two(64)).floor();
        assert_eq!(words, (not_negative.high / inverse_power_of_two(64)).floor());
        assert_eq!(signs.mass[&true], RBig::from(words) * inverse_power_of_two(64), "2^{exponent}");
    }
}

/// Scales far above 1 have too many outcomes to list. What the sampler makes of a uniform number U must be
/// the g with e^(−(g+1)/scale) < U ≤ e^(−g/scale): checked with the exponential, not the logarithm.
#[test]
fn large_scales_invert_the_uniform_number() {
    let scales = [
        ratio(1 << 40, 1),
        ratio(u64::MAX, 3),
        ratio(1_000_000_007, 998_244_353),
        Ratio::new(1u128 << 100, 1u32).unwrap(),
        Ratio::new(u128::MAX, 12_345u32).unwrap(),
        // No ratio of words: big integers from the start.
        Ratio::new((1u128 << 100) + 1, 3u32).unwrap(),
    ];
    for scale in &scales {
        for script in spread(200).windows(6) {
            let mut source = Script64::new(script);
            let g = IBig::from(big(&sample_geometric(scale, &mut source).unwrap()));
            let u = fraction(&script[..source.asked]);
            let above = &u + inverse_power_of_two(64 * source.asked);
            let power = |g: IBig| exp_neg(&(RBig::from(g) / rational(scale)), 500);
            assert!(above <= power(g.clone()).high, "{scale:?}");
            assert!(power(g + IBig::ONE).low <= u, "{scale:?}");
        }
    }
}

/// A scale of eight thousand bits takes as many bits of U, and not a logarithm for every word of them.
#[test]
fn huge_scales_take_a_moment() {
    let scale = Ratio::new(BigUint::from(1u32) << 8000u32, 1u32).unwrap();
    let words = spread(140);
    let mut source = Script64::new(&words);
    let g = sample_geometric(&scale, &mut source).unwrap();
    assert!((126..=129).contains(&source.asked), "{}", source.asked);
    assert!((7980..=8006).contains(&g.bits()));
}

#[test]
fn refused_scales() {
    for error in [
        sample_geometric(&ratio(0, 1), &mut Script64::new(&[1; 9])).unwrap_err(),
        sample_discrete_laplace(&ratio(0, 7), &mut Script64::new(&[1; 9])).unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::InvalidParameter);
    }
}

/// The checks above find these mistakes.
mod planted {
    use super::*;

    #[test]
    fn a_double_zero_is_found() {
        let scale = ratio(1, 1);
        let law = enumerate::<4, _, Error>(6, |s| {
            let negative = deniable_sample::sample_bernoulli_float(0.5, false, s)?;
            let g = geometric_word(&scale, s)? as i64;
            Ok(if negative { -g } else { g })
        });
        assert!(law.compare(laplace_support(&scale, 100)).is_err());
    }

    #[test]
    fn a_fair_sign_is_found() {
        let scale = ratio(5, 2);
        let law = enumerate::<4, _, Error>(6, |s| {
            let negative = deniable_sample::sample_bernoulli_float(0.5, false, s)?;
            let g = geometric_word(&scale, s)? as i64;
            Ok(if negative { -1 - g } else { g })
        });
        assert!(law.compare(laplace_support(&scale, 100)).is_err());
    }

    #[test]
    fn a_scale_off_by_a_millionth_is_found() {
        let scale = ratio(5_000_005, 2_000_000);
        let law = bisect(|word| geometric_word(&scale, &mut Script64::new(&[word])).ok());
        assert!(law.compare(geometric_support(&ratio(5, 2), 150)).is_err());
    }

    /// Taking the middle of the first word and never drawing another.
    #[test]
    fn a_dropped_low_part_is_found() {
        let scale = ratio(1, 1);
        let law = enumerate::<4, _, Error>(3, |s| {
            use deniable_sample::Word;
            let drawn = (s.draw()?.value() << 4) + s.draw()?.value();
            let u = (drawn as f64 + 0.5) / 256.0;
            Ok((-u.ln()).floor() as u64)
        });
        assert!(law.compare(geometric_support(&scale, 100)).is_err());
    }
}
