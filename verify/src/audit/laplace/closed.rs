//! What the mechanisms claim on `f32` and `f64`, against exact rationals: the claim is the smallest float that is not
//! below the truth.

use dashu_base::BitTest;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use deniable::domain::Number;
use deniable::mechanism::vector_float_laplace_cks20::smallest_scale;
use deniable::{
    Epsilon, L1Distance, Measurement, VectorDomain, get_discretization_consts, laplace_map,
    make_vector_float_laplace_cks20,
};
use deniable_num::{Decoded, Float};

use super::tally::{LaplaceTally, next_down};
use crate::inversion::{grid_index, neighbour, power_of_two, value};
use crate::words::spread;

/// A float type of the mechanisms.
pub trait Real: Number<Distance = Self> + Float {}

impl<T: Number<Distance = T> + Float> Real for T {}

/// A mechanism and a distance.
#[derive(Clone, Copy, Debug)]
pub struct Case<T> {
    /// The distance, which may be infinite.
    pub d_in: T,
    /// The scale, which may be zero.
    pub scale: T,
    /// The grid.
    pub k: Option<i32>,
    /// The length of the vectors. It is known unless the grid is the finest.
    pub size: Option<usize>,
}

/// Cases over all exponents, the ends of the type included.
pub fn cases<T: Real>(count: usize) -> impl Iterator<Item = Case<T>> {
    let words = spread(count + 6);
    (0..count).map(move |i| {
        let [w, d, s, k, n] = [0, 1, 2, 3, 4].map(|place| words[i + place]);
        let d_in = if w % 61 == 0 { T::infinity(false) } else { positive(d) };
        let scale = match w % 16 {
            0 => positive(0),
            // About the distance, where the loss is a usual one.
            1..=8 => like(positive(s), exponent(d_in) + (s >> 8) as i32 % 8 - 4),
            _ => positive(s),
        };
        let coarsest = T::MAX_EXPONENT + T::PRECISION as i32 - 1;
        let all = (coarsest - T::MIN_EXPONENT + 1) as u64;
        let k = match k % 8 {
            0 => None,
            1 => Some(i32::MIN),
            // Close to the distance, where rounding matters.
            2..=5 => {
                let near = exponent(d_in) + (k >> 8) as i32 % 8 - 4;
                Some(near.clamp(T::MIN_EXPONENT, coarsest))
            }
            _ => Some(T::MIN_EXPONENT + ((k >> 8) % all) as i32),
        };
        let finest = k.is_none_or(|k| k <= T::MIN_EXPONENT);
        let size = match n % 8 {
            0 if finest => None,
            0..=2 => Some(1),
            3 => Some(0),
            4..=6 => Some((n >> 8) as usize % 100),
            _ => Some((n >> 8) as usize >> ((n >> 3) % 50)),
        };
        Case { d_in, scale, k, size }
    })
}

/// Compares a claim with 2^k·(c + ⌊(A − c)/K⌋)/scale for every case.
pub fn audit_map<T: Real>(
    cases: impl IntoIterator<Item = Case<T>>,
    map: impl Fn(&Case<T>) -> f64,
) -> LaplaceTally {
    let mut tally = LaplaceTally::default();
    for case in cases {
        let truth = loss::<T>(case.d_in, case.size, case.k, case.scale);
        judge(&case, map(&case), truth, &mut tally);
    }
    tally
}

/// What the shipping mechanism claims, NaN if it is refused.
pub fn shipping_map<T: Real>(case: &Case<T>) -> f64 {
    let domain = VectorDomain::finite::<T>();
    let domain = case.size.map_or(domain, |size| domain.with_size(size));
    make_vector_float_laplace_cks20(domain, L1Distance::new(), case.scale, case.k)
        .and_then(|noise| noise.map(case.d_in))
        .map_or(f64::NAN, |loss| loss.get())
}

/// Compares [`laplace_map`] with (d_in + n·relaxation)/scale for every case; the relaxation is any number.
pub fn audit_laplace_map<T: Real>(cases: impl IntoIterator<Item = Case<T>>) -> LaplaceTally {
    let mut tally = LaplaceTally::default();
    let mut relaxation = positive(0);
    for case in cases {
        let n = case.size.unwrap_or(1);
        let claim = laplace_map(case.d_in, case.scale, n, relaxation);
        let claim = claim.map_or(f64::NAN, |loss| loss.get());
        let truth = match (in_units(case.d_in), in_units(relaxation), in_units(case.scale)) {
            (Some(d_in), _, _) if d_in.is_zero() => Some((UBig::ZERO, UBig::ONE)),
            (Some(d_in), Some(moved), Some(scale)) => Some((d_in + moved * UBig::from(n), scale)),
            _ => None,
        };
        judge(&(case, relaxation), claim, truth, &mut tally);
        // The next case's relaxation has nothing to do with its distance.
        relaxation = case.scale;
    }
    tally
}

/// The constants of every grid, and refusals beyond: the relaxation is the smallest float from 2^k − 2^k_min on.
pub fn audit_consts<T: Real>() -> LaplaceTally {
    let mut tally = LaplaceTally::default();
    let coarsest = T::MAX_EXPONENT + T::PRECISION as i32 - 1;
    let grids = (T::MIN_EXPONENT - 3..=coarsest + 3).map(Some);
    for k in grids.chain([None, Some(i32::MIN), Some(i32::MAX)]) {
        tally.cases += 1;
        let expected = k.unwrap_or(T::MIN_EXPONENT).max(T::MIN_EXPONENT);
        let right = match get_discretization_consts::<T>(k) {
            Err(_) => expected > coarsest,
            Ok((k, relaxation)) => {
                let exact = power_of_two(k) - power_of_two(T::MIN_EXPONENT);
                let below = neighbour(relaxation, -1).expect("a finite number");
                k == expected
                    && k <= coarsest
                    && value(relaxation) >= exact
                    && (value(below) < exact || exact.is_zero() && value(relaxation).is_zero())
            }
        };
        if !right {
            tally.malformed(|| format!("the constants of the grid {k:?}"));
        }
    }
    tally
}

/// Whether `smallest` scales stay within ε and the next smaller float does not.
pub fn audit_calibration<T: Real>(
    cases: impl IntoIterator<Item = (Case<T>, Epsilon)>,
    smallest: impl Fn(&Case<T>, Epsilon) -> Option<T>,
) -> LaplaceTally {
    let mut tally = LaplaceTally::default();
    for (case, epsilon) in cases {
        tally.cases += 1;
        let within = |scale: T| {
            let Some((numerator, denominator)) = loss::<T>(case.d_in, case.size, case.k, scale)
            else {
                return epsilon == Epsilon::INFINITY;
            };
            compare_float(epsilon.get(), &numerator, &denominator).is_ge()
        };
        let finding = || format!("the scale for {case:?} within {epsilon}");
        match smallest(&case, epsilon) {
            Some(scale) if !within(scale) => tally.violation(finding),
            Some(scale) => {
                let below = neighbour(scale, -1).filter(|_| !value(scale).is_zero());
                if below.is_some_and(within) {
                    tally.loose(finding);
                }
            }
            None if within(T::largest(false)) => tally.loose(finding),
            None => {}
        }
    }
    tally
}

/// The shipping calibration.
pub fn shipping_scale<T: Real>(case: &Case<T>, epsilon: Epsilon) -> Option<T> {
    smallest_scale(case.d_in, epsilon, case.size, case.k).ok()
}

/// Cases with a loss to stay within, from the smallest to none.
pub fn losses<T: Real>(count: usize) -> impl Iterator<Item = (Case<T>, Epsilon)> {
    let words = spread(count + 1);
    cases::<T>(count).zip(words).map(|(case, word)| {
        let epsilon = match word % 16 {
            0 => Epsilon::INFINITY,
            1 => Epsilon::ZERO,
            // Around 1, and anywhere.
            2..=9 => Epsilon::new(f64::from_bits((1013 + word % 21) << 52 | word >> 12)).unwrap(),
            _ => Epsilon::new(positive::<f64>(word)).unwrap(),
        };
        (case, epsilon)
    })
}

/// Compares a claim with what becomes of `count` concrete pairs of vectors, each at its exact distance, rounded up to a
/// float: numbers at ties, next to them and anywhere.
pub fn audit_pairs<T: Real>(count: usize, map: impl Fn(&Case<T>) -> f64) -> LaplaceTally {
    let mut tally = LaplaceTally::default();
    let words = spread(count + 16);
    for (i, case) in cases::<T>(count).enumerate() {
        let k = case.k.unwrap_or(i32::MIN).max(T::MIN_EXPONENT);
        let size = 1 + (words[i] % 3) as usize;
        let (mut distance, mut apart) = (RBig::ZERO, IBig::ZERO);
        for place in 0..size {
            let [x, y] = close_numbers::<T>(k, words[i + 2 * place + 1], words[i + 2 * place + 2]);
            let (x, y) = (value(x), value(y));
            let steps = grid_index(&x, k) - grid_index(&y, k);
            distance += absolute(&x - &y);
            apart += if steps < IBig::ZERO { -steps } else { steps };
        }
        let beyond = distance > value(T::largest(false));
        let d_in = if beyond { T::infinity(false) } else { round_up(&distance) };
        let case = Case { d_in, size: Some(size), ..case };
        tally.pairs += 1;
        let apart = UBig::try_from(apart).expect("a sum of distances");
        let truth = shifted(apart, k, case.scale);
        let mut found = LaplaceTally::default();
        judge(&case, map(&case), Some(truth), &mut found);
        // Not every pair is the worst one.
        if found.loose > 0 {
            found = LaplaceTally { cases: 1, ..LaplaceTally::default() };
        }
        tally.merge(found);
    }
    tally
}

/// The loss as a fraction: (numerator, denominator), of which the second is 0 if the loss is infinite; None if the
/// distance is.
fn loss<T: Real>(d_in: T, size: Option<usize>, k: Option<i32>, scale: T) -> Option<(UBig, UBig)> {
    let k = k.unwrap_or(i32::MIN).max(T::MIN_EXPONENT);
    if size == Some(0) {
        return Some((UBig::ZERO, UBig::ONE));
    }
    // Without noise nothing is rounded.
    let k = if in_units(scale) == Some(UBig::ZERO) { T::MIN_EXPONENT } else { k };
    // The floats next to the boundary 2^(k−1) are so far apart, and none on both sides of another are closer.
    let least = T::MIN_EXPONENT.max(k - 1 - T::PRECISION as i32);
    let units = in_units(d_in)? >> (least - T::MIN_EXPONENT) as usize;
    let apart = size.map_or(units.clone(), |size| UBig::from(size).min(units.clone()));
    let rest = (&units - &apart) >> (k - least) as usize;
    Some(shifted(apart + rest, k, scale))
}

/// steps · 2^k / scale as a fraction.
fn shifted<T: Real>(steps: UBig, k: i32, scale: T) -> (UBig, UBig) {
    (steps << (k - T::MIN_EXPONENT) as usize, in_units(scale).expect("a finite scale"))
}

/// A number that is not negative, in units of the type's smallest; None if it is infinite.
pub(super) fn in_units<T: Float>(x: T) -> Option<UBig> {
    match x.decode() {
        Decoded::Finite { mantissa, exponent, .. } => {
            Some(UBig::from(mantissa) << (exponent - T::MIN_EXPONENT) as usize)
        }
        _ => None,
    }
}

/// The claim must be the smallest float that is not below the truth, which is a fraction, or no number at all.
pub(super) fn judge(
    case: &dyn core::fmt::Debug,
    claim: f64,
    truth: Option<(UBig, UBig)>,
    tally: &mut LaplaceTally,
) {
    tally.cases += 1;
    let Some((numerator, denominator)) = truth else {
        if claim != f64::INFINITY {
            tally.violation(|| format!("{case:?}: {claim:e} at an infinite distance"));
        }
        return;
    };
    if claim.is_nan() || compare_float(claim, &numerator, &denominator).is_lt() {
        tally.violation(|| format!("{case:?}: {claim:e} is too small"));
    } else if claim > 0.0 && compare_float(next_down(claim), &numerator, &denominator).is_ge() {
        tally.loose(|| format!("{case:?}: {claim:e} is too large"));
    }
}

/// The order of a float that is not negative and a fraction, whose denominator may be 0.
pub(super) fn compare_float(x: f64, numerator: &UBig, denominator: &UBig) -> core::cmp::Ordering {
    let infinite = denominator.is_zero() && !numerator.is_zero();
    let Decoded::Finite { mantissa, exponent, .. } = x.decode() else {
        return if infinite { core::cmp::Ordering::Equal } else { core::cmp::Ordering::Greater };
    };
    if infinite {
        return core::cmp::Ordering::Less;
    }
    if numerator.is_zero() {
        return mantissa.cmp(&0);
    }
    let (up, down) = (exponent.max(0) as usize, (-exponent).max(0) as usize);
    let left = UBig::from(mantissa) * denominator;
    // Shifting by a thousand places is rarely needed to tell.
    let lengths = (left.bit_len() + up).cmp(&(numerator.bit_len() + down));
    if lengths.is_eq() { (left << up).cmp(&(numerator << down)) } else { lengths }
}

/// A finite number of at least 0 made of a random word: all exponents are as likely, and simple mantissas and the
/// ends of the type occur often.
pub(super) fn positive<T: Float>(word: u64) -> T {
    let leading = 1u64 << (T::PRECISION - 1);
    let exponents = (T::MAX_EXPONENT - T::MIN_EXPONENT + 1) as u64;
    let fraction = (word >> 16) % leading;
    let fraction = match word % 8 {
        0 | 1 => 0,
        2 => leading - 1,
        3 => 1,
        4 => fraction & 7,
        _ => fraction,
    };
    match (word >> 3) % 32 {
        0 => T::encode(false, fraction, T::MIN_EXPONENT),
        1 => T::encode(false, leading + fraction, T::MIN_EXPONENT),
        2 => T::encode(false, leading + fraction, T::MAX_EXPONENT),
        3 => T::encode(false, leading + fraction, 1 - T::PRECISION as i32),
        _ => {
            let exponent = T::MIN_EXPONENT + ((word >> 8) % exponents) as i32;
            T::encode(false, leading + fraction, exponent)
        }
    }
}

/// The exponent of a number's first digit, about.
fn exponent<T: Float>(x: T) -> i32 {
    match x.decode() {
        Decoded::Finite { exponent, .. } => exponent + T::PRECISION as i32 - 1,
        _ => 0,
    }
}

/// The mantissa of a number with another exponent of its first digit, as far as the type goes.
fn like<T: Float>(x: T, exponent: i32) -> T {
    let Decoded::Finite { mantissa, .. } = x.decode() else { return x };
    let exponent = exponent + 1 - T::PRECISION as i32;
    if exponent < T::MIN_EXPONENT || mantissa >> (T::PRECISION - 1) == 0 {
        return x;
    }
    T::encode(false, mantissa, exponent.min(T::MAX_EXPONENT))
}

/// Two numbers: at, next to, or anywhere near the tie 2^(k−1), and floats close to them or a few steps further.
fn close_numbers<T: Float>(k: i32, word: u64, other: u64) -> [T; 2] {
    let tie = round_up::<T>(&(power_of_two(k - 1) * RBig::from(2 * (word >> 60) as i64 + 1)));
    let x = match word % 4 {
        0 => positive(word >> 2),
        1 => tie,
        _ => neighbour(tie, -1 - (word >> 40 & 1) as i64).unwrap_or(tie),
    };
    let places = match other % 4 {
        0 => 1,
        1 => (other >> 8 & 15) as i64,
        2 => (other >> 8) as i64 >> (8 + (other >> 2) % 50),
        _ => {
            let further = value(x) + power_of_two(k) * RBig::from((other >> 8 & 7) as i64);
            return signs([x, round_up(&further)], other);
        }
    };
    signs([x, neighbour(x, places).unwrap_or(x)], other)
}

/// Both numbers, mirrored or not.
fn signs<T: Float>(pair: [T; 2], word: u64) -> [T; 2] {
    if word >> 63 == 0 {
        return pair;
    }
    pair.map(|x| match x.decode() {
        Decoded::Finite { mantissa, exponent, .. } => T::encode(mantissa != 0, mantissa, exponent),
        _ => x,
    })
}

/// The smallest number from `x` ≥ 0 on, or the largest of the type.
fn round_up<T: Float>(x: &RBig) -> T {
    let zero = T::encode(false, 0, T::MIN_EXPONENT);
    let binades = i64::from(T::MAX_EXPONENT - T::MIN_EXPONENT + 2);
    let (mut low, mut high) = (0, (binades << (T::PRECISION - 1)) - 1);
    while low < high {
        let middle = low + (high - low) / 2;
        let enough = value(neighbour(zero, middle).expect("a number of the type")) >= *x;
        (low, high) = if enough { (low, middle) } else { (middle + 1, high) };
    }
    neighbour(zero, low).expect("a number of the type")
}

fn absolute(x: RBig) -> RBig {
    if x < RBig::ZERO { -x } else { x }
}
