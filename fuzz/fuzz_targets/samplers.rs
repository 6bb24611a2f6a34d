//! The constructors of the samplers below the mechanisms: accepted is what the documentation says, and what is drawn is in its range.
#![no_main]

use arbitrary::Arbitrary;
use deniable::num::{Decoded, Float};
use deniable::sample::{
    ConstantTimeLaplace, DiscreteLaplace, DiscreteLaplaceZ2k, Dyadic, EitherBelow, ManyBelow,
    Ratio, SaturatingInt, Scratch, sample_bernoulli_exp, sample_bernoulli_rational,
    sample_geometric, sample_uniform_int_below,
};
use deniable_fuzz::planted;
use deniable_fuzz::share::Share;
use deniable_fuzz::words::Words;
use libfuzzer_sys::fuzz_target;
use num_bigint::{BigInt, BigUint};

#[derive(Arbitrary, Debug)]
struct Input {
    law: Law,
    words: Vec<u64>,
}

#[derive(Arbitrary, Debug)]
enum Law {
    Bits { prob: Share, count: u16, words: u8 },
    Ratio { numerator: Vec<u8>, denominator: Vec<u8>, shift: i64 },
    Scale { scale: f64, shift: i64 },
    NarrowScale { scale: f32, shift: i32 },
    Grid { scale: f64, k: i32, shift: f64 },
    NarrowGrid { scale: f32, k: i16, shift: f32 },
    Below { n: u64, count: u16 },
    BelowInteger { n: Vec<u8> },
}

/// So many bytes of an integer are looked at. The time that longer ones take grows with them.
const BYTES: usize = 64;

fuzz_target!(|input: Input| {
    let words = || Words::new(input.words.clone());
    match input.law {
        Law::Bits { prob, count, words: groups } => bits(prob.0, count, groups, words),
        Law::Ratio { numerator, denominator, shift } => {
            ratio(integer(&numerator), integer(&denominator), shift, words);
        }
        Law::Scale { scale, shift } => {
            laplace(DiscreteLaplace::from_float(scale).ok(), is_scale(scale), shift, words);
            constant_time(
                ConstantTimeLaplace::from_float(scale).ok(),
                is_scale(scale),
                shift,
                words,
            );
        }
        Law::NarrowScale { scale, shift } => {
            let is_scale = is_scale(scale.into());
            laplace(DiscreteLaplace::from_float(scale).ok(), is_scale, shift, words);
            constant_time(ConstantTimeLaplace::from_float(scale).ok(), is_scale, shift, words);
        }
        Law::Grid { scale, k, shift } => grid(scale, k % 1100, shift, words),
        Law::NarrowGrid { scale, k, shift } => grid(scale, i32::from(k % 200), shift, words),
        Law::Below { n, count } => below(n, usize::from(count) % 1000, words),
        Law::BelowInteger { n } => below_integer(integer(&n), words),
    }
});

fn integer(bytes: &[u8]) -> BigUint {
    BigUint::from_bytes_le(&bytes[..bytes.len().min(BYTES)])
}

fn is_scale(scale: f64) -> bool {
    scale > 0.0 && scale.is_finite()
}

/// One flip by each of both ways from the same words, and many.
fn bits(prob: f64, count: u16, groups: u8, words: impl Fn() -> Words) {
    let law = Dyadic::from_float(prob);
    assert_eq!(law.is_ok(), (0.0..=1.0).contains(&prob), "which probabilities there are");
    let Ok(law) = law else { return };
    let flip = |constant_time| law.sample(constant_time, &mut words()).expect("words");
    assert_eq!(flip(false), flip(true), "another flip in constant time");
    let (count, groups) = (usize::from(count) % 1000, usize::from(groups) % 17);
    for constant_time in [false, true] {
        let mut flips = vec![u64::MAX; groups];
        let flipped = law.half().sample_flips(
            &mut flips,
            count,
            constant_time,
            &mut Scratch::new(),
            &mut words(),
        );
        assert_eq!(flipped.is_ok(), flips.len() == count.div_ceil(64), "which lengths there are");
        let behind = flips.last().filter(|_| flipped.is_ok() && count % 64 != 0);
        assert_eq!(behind.map_or(0, |last| last >> (count % 64)), 0, "a flip behind the last one");
    }
}

fn ratio(numerator: BigUint, denominator: BigUint, shift: i64, words: impl Fn() -> Words) {
    let zero = BigUint::ZERO;
    let ratio = Ratio::new(numerator.clone(), denominator.clone());
    assert_eq!(ratio.is_ok(), denominator != zero, "which ratios there are");
    let Ok(ratio) = ratio else { return };
    let is_true = sample_bernoulli_rational(&ratio, &mut words());
    assert_eq!(is_true.is_ok(), numerator <= denominator, "which probabilities there are");
    if let Ok(is_true) = is_true {
        assert!(!is_true || numerator != zero, "true with probability 0");
        assert!(is_true || numerator != denominator, "false with probability 0");
    }
    let is_true = sample_bernoulli_exp(&ratio, &mut words()).expect("any ratio");
    assert!(is_true || numerator != zero, "false with probability 0");
    let is_scale = numerator != zero;
    assert_eq!(sample_geometric(&ratio, &mut words()).is_ok(), is_scale, "which scales there are");
    laplace(DiscreteLaplace::new(&ratio).ok(), is_scale, shift, &words);
    constant_time(ConstantTimeLaplace::new(&ratio).ok(), is_scale, shift, words);
}

/// From the same words the noise as it is, and added to an integer of the machine's.
fn laplace<I>(law: Option<DiscreteLaplace>, is_scale: bool, shift: I, words: impl Fn() -> Words)
where
    I: SaturatingInt + Into<BigInt>,
{
    assert_eq!(law.is_some(), is_scale, "which scales there are");
    let Some(law) = law else { return };
    let noise = law.sample(&mut words()).expect("words");
    let noisy: BigInt = law.sample_saturating(shift, &mut words()).expect("words").into();
    let (least, most) = (I::saturated(i128::MIN).into(), I::saturated(i128::MAX).into());
    let exact: BigInt = noise + Into::<BigInt>::into(shift);
    let expected = exact.clamp(least, most);
    assert_eq!(noisy, expected, "other noise on a machine's integer");
    law.sample_all_saturating(&mut [shift; 70], &mut words()).expect("words");
}

fn constant_time<I: SaturatingInt>(
    law: Option<ConstantTimeLaplace<I>>,
    is_scale: bool,
    shift: I,
    words: impl Fn() -> Words,
) {
    assert_eq!(law.is_some(), is_scale, "which scales there are");
    let Some(law) = law else { return };
    let mut both = [shift; 2];
    law.sample_all_saturating(&mut both, &mut words()).expect("words");
    let first = law.sample_saturating(shift, &mut words()).expect("words");
    assert_eq!(both[0], first, "another first one of many");
}

/// A number on the grid, or an end of the numbers that there are.
fn grid<F>(scale: F, k: i32, shift: F, words: impl Fn() -> Words)
where
    F: Float + Into<f64>,
{
    let law = DiscreteLaplaceZ2k::new(scale, k);
    let is_exponent = (F::MIN_EXPONENT..F::MAX_EXPONENT + F::PRECISION as i32).contains(&k);
    assert_eq!(law.is_ok(), is_exponent && is_scale(scale.into()), "which grids there are");
    let Ok(law) = law else { return };
    let is_finite = shift.into().is_finite();
    let mut noisy = [shift; 70];
    assert_eq!(
        law.sample_all(&mut noisy, &mut words()).is_ok(),
        is_finite,
        "which numbers there are"
    );
    let one = law.sample(shift, &mut words());
    assert_eq!(one.is_ok(), is_finite, "which numbers there are");
    let Ok(one) = one else { return };
    noisy.into_iter().chain([one]).for_each(|noisy| on_grid(noisy, k));
}

fn on_grid<F: Float + Into<f64>>(noisy: F, k: i32) {
    let Decoded::Finite { mantissa, exponent, .. } = noisy.decode() else {
        panic!("no finite number");
    };
    let is_largest =
        [false, true].iter().any(|&negative| F::largest(negative).into() == noisy.into());
    let zeros = planted::zeros(exponent + mantissa.trailing_zeros() as i32);
    assert!(mantissa == 0 || is_largest || zeros >= k, "a number beside the grid");
}

fn below(n: u64, count: usize, words: impl Fn() -> Words) {
    let one = sample_uniform_int_below(n, &mut words());
    assert_eq!(one.is_ok(), n != 0, "which bounds there are");
    assert!(one.is_ok_and(|one| planted::below(one, n) < n) || n == 0, "not below the bound");
    let small = n as u32;
    let many = ManyBelow::new(small);
    assert_eq!(many.is_ok(), (1..=1 << 16).contains(&small), "which bounds there are");
    if let Ok(many) = many {
        let mut below = vec![0; count];
        many.sample_all(&mut below, &mut Vec::new(), &mut words()).expect("words");
        assert!(below.iter().all(|&below| u32::from(below) < small), "not below the bound");
    }
    let either = EitherBelow::new(small);
    assert_eq!(either.is_ok(), small >= 2, "which bounds there are");
    if let Ok(either) = either {
        let [any, other] = either.sample(&mut words()).expect("words");
        assert!(any < small && other < small - 1, "not below the bound");
        let (mut any, mut other) = (vec![0; count], vec![0; count]);
        let drawn = either.sample_all(&mut any, &mut other, &mut Vec::new(), &mut words());
        drawn.expect("words");
        assert!(any.iter().all(|&any| any < small), "not below the bound");
        assert!(other.iter().all(|&other| other < small - 1), "not below the bound");
    }
}

fn below_integer(n: BigUint, words: impl Fn() -> Words) {
    let one = sample_uniform_int_below(n.clone(), &mut words());
    assert_eq!(one.is_ok(), n != BigUint::ZERO, "which bounds there are");
    assert!(one.is_ok_and(|one| one < n) || n == BigUint::ZERO, "not below the bound");
}
