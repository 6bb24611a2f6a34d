//! Whole numbers: the claim is d/scale, and the ends of the type are post-processing.

use dashu_int::UBig;
use dashu_ratio::RBig;
use deniable::mechanism::vector_integer_laplace_cks20::{Integer, smallest_scale};
use deniable::{
    AbsoluteDistance, AtomDomain, Epsilon, L1Distance, Measurement, ScalarIntegerLaplaceCks20,
    VectorDomain, make_scalar_integer_laplace_cks20, make_vector_integer_laplace_cks20,
};

use super::closed::{compare_float, in_units, judge, positive};
use super::law::{Claim, Segments, World, segments};
use super::script::{compare_words, count_scripts, words_for};
use super::tally::{LaplaceTally, next_down};
use crate::inversion::{power_of_two, value};
use crate::words::{Script, Script64, spread};

/// So many integers at an end of the type are looked at.
pub const INPUTS: i64 = 9;

/// An end of the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The smallest integer.
    Low,
    /// The largest integer.
    High,
}

/// The mechanism that ships.
///
/// # Panics
///
/// If it is refused.
pub fn mechanism<T: Integer>(scale: f64) -> ScalarIntegerLaplaceCks20<T> {
    make_scalar_integer_laplace_cks20(AtomDomain::all(), AbsoluteDistance::new(), scale)
        .expect("a scale")
}

/// Compares claims with d/scale, for distances and scales over all exponents.
pub fn audit_integer_map(count: usize, map: impl Fn(u64, f64) -> f64) -> LaplaceTally {
    let mut tally = LaplaceTally::default();
    for (d_in, scale) in distances_and_scales(count) {
        judge(&(d_in, scale), map(d_in, scale), Some(loss(d_in, scale)), &mut tally);
    }
    tally
}

/// What the shipping mechanisms claim, NaN if they do not agree: for a number or a vector, `i32` or `i64`.
pub fn shipping_integer_map(d_in: u64, scale: f64) -> f64 {
    let domain = VectorDomain::finite::<i64>();
    let vector = make_vector_integer_laplace_cks20(domain, L1Distance::new(), scale);
    let claims = [
        mechanism::<i32>(scale).map(d_in),
        mechanism::<i64>(scale).map(d_in),
        vector.and_then(|noise| noise.map(d_in)),
    ];
    match claims {
        [Ok(a), Ok(b), Ok(c)] if a == b && b == c => a.get(),
        _ => f64::NAN,
    }
}

/// Whether `smallest` scales stay within ε and the next smaller float does not.
pub fn audit_integer_calibration(
    count: usize,
    smallest: impl Fn(u64, Epsilon) -> Option<f64>,
) -> LaplaceTally {
    let mut tally = LaplaceTally::default();
    for (d_in, epsilon) in distances_and_scales(count) {
        tally.cases += 1;
        let within = |scale| {
            let (numerator, denominator) = loss(d_in, scale);
            compare_float(epsilon, &numerator, &denominator).is_ge()
        };
        let finding = || format!("the scale for {d_in} within {epsilon:e}");
        match smallest(d_in, Epsilon::new(epsilon).expect("a loss")) {
            Some(scale) if !within(scale) => tally.violation(finding),
            Some(scale) if scale > 0.0 && within(next_down(scale)) => tally.loose(finding),
            None if within(f64::MAX) => tally.loose(finding),
            _ => {}
        }
    }
    tally
}

/// The shipping calibration.
pub fn shipping_integer_scale(d_in: u64, epsilon: Epsilon) -> Option<f64> {
    smallest_scale(d_in, epsilon).ok()
}

/// The input that many places from an end of the type.
pub fn input<T: Integer>(end: End, place: i64) -> T {
    T::saturated(match end {
        End::Low => T::saturated(i128::MIN).into() + i128::from(place),
        End::High => T::saturated(i128::MAX).into() - i128::from(place),
    })
}

/// An output as its distance from the end of the type; all that are far away as one.
pub fn output<T: Integer>(end: End, output: T) -> u8 {
    let away = match end {
        End::Low => output.into() - T::saturated(i128::MIN).into(),
        End::High => T::saturated(i128::MAX).into() - output.into(),
    };
    u8::try_from(away).unwrap_or(u8::MAX).min(200)
}

/// The output of the shipping mechanism where the noise is z: from 64-bit words that spell this noise.
pub fn shipping_integer_out<T: Integer>(end: End) -> impl Fn(i64, i64) -> u8 {
    let scale = 60.0;
    let noise = mechanism::<T>(scale);
    move |place, z| {
        let words = words_for(z, scale);
        let result = noise.randomize(&input(end, place), &mut Script64::new(&words));
        result.map_or(u8::MAX, |result| output(end, result))
    }
}

/// Which noise leads to which output, for every input at this end.
///
/// # Errors
///
/// A function that is not monotone in the noise.
pub fn integer_segments(out: impl Fn(i64, i64) -> u8) -> Result<Vec<Segments>, String> {
    (0..INPUTS).map(|place| segments(250, true, |z| out(place, z))).collect()
}

/// Whether each output is the sum, no further than the end of the type.
pub fn audit_saturation(end: End, segments: &[Segments]) -> LaplaceTally {
    let mut tally = LaplaceTally::default();
    for (place, segments) in segments.iter().enumerate() {
        for &(first, output) in segments {
            tally.cases += 1;
            let away = if end == End::Low { place as i64 + first } else { place as i64 - first };
            if i64::from(output) != away.clamp(0, 200) {
                tally.malformed(|| format!("{end:?}: {place} with noise {first} is {output}"));
            }
        }
    }
    tally
}

/// Compares what a `map` claims with the worst of all pairs of inputs at an end of the type.
pub fn audit_ends(scale: f64, segments: &[Segments], map: impl Fn(u64) -> f64) -> LaplaceTally {
    let positions: Vec<i64> = (0..INPUTS).collect();
    let rate = RBig::ONE / value(scale);
    let world = World::new(positions.clone(), positions, segments, &rate);
    let claim =
        |distance: i64| Claim { distance, loss: map(distance.unsigned_abs()), steps: distance };
    let claims: Vec<Claim> = (0..INPUTS).map(claim).collect();
    world.audit(&format!("integers, scale {scale}"), &claims)
}

/// Runs the shipping mechanism over all scripts of up to `depth` 8-bit words and compares with the law by noise.
pub fn audit_integer_words<T: Integer>(
    (end, scale, place): (End, f64, i64),
    depth: usize,
    segments: &Segments,
) -> LaplaceTally {
    let noise = mechanism::<T>(scale);
    let law = count_scripts(depth, |source: &mut Script<'_, 8>| {
        noise.randomize(&input(end, place), source).map(|result| output(end, result))
    });
    compare_words(&format!("{:?}", (end, scale, place)), &law, &value(scale), segments)
}

/// d_in / scale as a fraction.
fn loss(d_in: u64, scale: f64) -> (UBig, UBig) {
    // In units of the smallest float, 2^−1074.
    let unit = power_of_two(1074).numerator().clone();
    let unit = UBig::try_from(unit).expect("a power of two");
    (UBig::from(d_in) * unit, in_units(scale).expect("a finite scale"))
}

/// Distances and scales, or losses, of all sizes.
fn distances_and_scales(count: usize) -> impl Iterator<Item = (u64, f64)> {
    let words = spread(count + 2);
    (0..count).map(move |i| {
        let (d, s) = (words[i], words[i + 1]);
        let d_in = match d % 8 {
            0 => (d >> 8) % 4,
            1 => u64::MAX,
            2 => 1 << ((d >> 8) % 64),
            _ => d >> ((d >> 3) % 64),
        };
        let scale = match s % 16 {
            0 => 0.0,
            // Around 1.
            1..=8 => f64::from_bits((1003 + (s >> 4) % 70) << 52 | s >> 12),
            _ => positive(s),
        };
        (d_in, scale)
    })
}
