//! Whether a noisy float is what its script of words demands.
//!
//! On real float types the outcomes are too many to list. Instead, what comes of a script must be what the
//! inverse of the law's distribution function makes of the two uniform numbers that the script spells. The
//! first is below 1/(1 + q) if the noise is not negative. The second, U, fixes the magnitude: it is the g with
//! e^(−(g+1)/s) < U ≤ e^(−g/s). All g that round to one float are an interval, and its ends are compared with U by
//! exponentials, where the sampler took logarithms.

use dashu_base::Signed;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use deniable_num::{Decoded, Float};

use crate::closed_form::{exp_neg, laplace_tail};
use crate::enumerate::inverse_power_of_two;
use crate::law::Between;
use crate::words::fraction_of_width;

/// Whether noise of this scale on the grid 2^k·ℤ, drawn from a script of words of `width` bits that was read to its
/// end, takes `shift` to `result`.
pub fn is_right<F: Float>(
    shift: F,
    scale: F,
    k: i32,
    width: usize,
    script: &[u64],
    result: F,
) -> bool {
    let in_steps = value(scale) / power_of_two(k);
    // The sign takes as many words as it takes to tell; the rest of the script is the magnitude's.
    let sign = |words| is_negative(&in_steps, width, &script[..words]).map(|sign| (sign, words));
    let Some((negative, words)) = (1..script.len()).find_map(sign) else { return false };
    let (near, far) = magnitudes(shift, result, negative, k);
    let rest = &script[words..];
    let u = fraction_of_width(width, rest);
    let above = &u + inverse_power_of_two(width * rest.len());
    let power = |g: IBig| power(g, &in_steps, width * script.len() + 300);
    above <= power(near).high
        && far.is_none_or(|far| !far.is_negative() && power(far + IBig::ONE).low <= u)
}

/// The integers G whose noise takes `shift` to `result`: the first, and the last if there is one.
pub fn magnitudes<F: Float>(shift: F, result: F, negative: bool, k: i32) -> (IBig, Option<IBig>) {
    let center = grid_index(&value(shift), k);
    let lowest = neighbour(result, -1).map(|below| end(below, result, k) - &center);
    let highest = neighbour(result, 1).map(|above| end(above, result, k) - &center);
    // Noise z = G, or z = −1 − G.
    let (near, far) = if negative {
        (highest.map(|z| -IBig::ONE - z), lowest.map(|z| -IBig::ONE - z))
    } else {
        (lowest, highest)
    };
    (near.unwrap_or(IBig::ZERO).max(IBig::ZERO), far)
}

/// e^(−g/in_steps), to about `bits` bits.
pub fn power(g: IBig, in_steps: &RBig, bits: usize) -> Between {
    let x = RBig::from(g) / in_steps;
    // Far beyond the precision of any script here.
    if x > RBig::from(100_000) {
        return Between { low: RBig::ZERO, high: inverse_power_of_two(100_000) };
    }
    exp_neg(&x, bits)
}

/// ⌊x / 2^k + 1/2⌋: ties go up.
pub fn grid_index(x: &RBig, k: i32) -> IBig {
    (x / power_of_two(k) + inverse_power_of_two(1)).floor()
}

/// 2^k.
pub fn power_of_two(k: i32) -> RBig {
    let magnitude = UBig::ONE << k.unsigned_abs() as usize;
    if k >= 0 { RBig::from(magnitude) } else { RBig::from_parts(IBig::ONE, magnitude) }
}

/// The float that many places further up, if it is finite.
pub fn neighbour<F: Float>(x: F, places: i64) -> Option<F> {
    let place = place(x) + places;
    let leading = 1 << (F::PRECISION - 1);
    let (above, fraction) = (place.unsigned_abs() / leading, place.unsigned_abs() % leading);
    let (mantissa, exponent) = match i32::try_from(above).ok()? {
        0 => (fraction, F::MIN_EXPONENT),
        above => (fraction + leading, F::MIN_EXPONENT + above - 1),
    };
    (exponent <= F::MAX_EXPONENT).then(|| F::encode(place < 0, mantissa, exponent))
}

/// The value of a finite float.
pub fn value<F: Float>(x: F) -> RBig {
    let Decoded::Finite { negative, mantissa, exponent } = x.decode() else {
        panic!("a finite number")
    };
    let magnitude = RBig::from(UBig::from(mantissa)) * power_of_two(exponent);
    if negative { -magnitude } else { magnitude }
}

/// How many positive floats there are up to x, or minus that for its negative.
fn place<F: Float>(x: F) -> i64 {
    let Decoded::Finite { negative, mantissa, exponent } = x.decode() else {
        panic!("a finite number")
    };
    let place = (i64::from(exponent - F::MIN_EXPONENT) << (F::PRECISION - 1)) + mantissa as i64;
    if negative { -place } else { place }
}

/// Whether the noise is negative, by these words; None if it takes more of them.
fn is_negative(in_steps: &RBig, width: usize, words: &[u64]) -> Option<bool> {
    let not_negative = if *in_steps < inverse_power_of_two(10) {
        Between { low: RBig::ONE - inverse_power_of_two(1000), high: RBig::ONE }
    } else {
        laplace_tail(in_steps, &IBig::ZERO, 200)
    };
    let u = fraction_of_width(width, words);
    if &u + inverse_power_of_two(width * words.len()) <= not_negative.low {
        Some(false)
    } else if u >= not_negative.high {
        Some(true)
    } else {
        None
    }
}

/// The last grid index before halfway to a neighbour, or at it if a tie goes to `result`.
fn end<F: Float>(neighbour: F, result: F, k: i32) -> IBig {
    let is_below = place(neighbour) < place(result);
    let halfway = (value(neighbour) + value(result)) / RBig::from(2) / power_of_two(k);
    let inward = if is_below { halfway.ceil() } else { halfway.floor() };
    let tie = RBig::from(inward.clone()) == halfway;
    match (tie && place(result) % 2 != 0, is_below) {
        (true, true) => inward + IBig::ONE,
        (true, false) => inward - IBig::ONE,
        _ => inward,
    }
}
