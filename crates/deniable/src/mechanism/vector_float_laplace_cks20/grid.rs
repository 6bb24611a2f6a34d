//! The grid 2^k·ℤ, and how far rounding to it drives numbers apart.

use deniable_num::{Decoded, Direction, Float, Real};
use deniable_sample::Ratio;
use num_bigint::BigUint;

use crate::mechanism::bound::{exact, loss_of_ratio};
use crate::{Epsilon, Error, Result};

/// The grid 2^k·ℤ that noise is drawn on, and a bound of how much rounding to it can drive two numbers apart: 2^k less the
/// type's finest step, rounded up.
///
/// Without a `k`, and for every `k` below it, the grid is the type's finest, where nothing is rounded.
///
/// # Errors
///
/// A `k` for which 2^k is beyond the type's range.
///
/// # Examples
///
/// ```
/// use deniable::get_discretization_consts;
///
/// assert_eq!(get_discretization_consts::<f64>(None)?, (-1074, 0.0));
/// assert_eq!(get_discretization_consts::<f64>(Some(0))?, (0, 1.0));
/// assert_eq!(get_discretization_consts::<f32>(Some(i32::MIN))?, (-149, 0.0));
/// assert!(get_discretization_consts::<f64>(Some(1024)).is_err());
/// # Ok::<(), deniable::Error>(())
/// ```
pub fn get_discretization_consts<T: Float>(k: Option<i32>) -> Result<(i32, T)> {
    let finest = T::MIN_EXPONENT;
    let coarsest = T::MAX_EXPONENT + T::PRECISION as i32 - 1;
    let k = k.unwrap_or(finest).max(finest);
    if k > coarsest {
        let problem = format!("2^{k} is beyond the type's range");
        return Err(Error::invalid_parameter("k", problem, format!("an integer up to {coarsest}")));
    }
    let step = Real::exact(false, 1, k.into());
    let finest_step = Real::exact(true, 1, finest.into());
    Ok((k, Real::sum(step, finest_step).round(Direction::Up)))
}

/// (d_in + size·relaxation)/scale, rounded up: a bound of the loss that is simple and not always tight. The
/// mechanisms' own `map` is.
///
/// A `d_in` of 0 loses nothing. Without noise, at a `scale` of 0, everything else loses everything.
///
/// # Errors
///
/// A `d_in`, `scale` or `relaxation` that is negative or NaN; an infinite `scale`.
///
/// # Examples
///
/// ```
/// use deniable::laplace_map;
///
/// assert_eq!(laplace_map(1.0, 2.0, 3, 0.5)?.get(), 1.25);
/// assert!(laplace_map(-1.0, 2.0, 3, 0.5).is_err());
/// # Ok::<(), deniable::Error>(())
/// ```
pub fn laplace_map<T: Float>(d_in: T, scale: T, size: usize, relaxation: T) -> Result<Epsilon> {
    let (d_in, relaxation) = (distance("d_in", d_in)?, distance("relaxation", relaxation)?);
    let Some(scale) = distance("scale", scale)? else {
        return Err(Error::invalid_distance("scale", "it is infinite", "a finite number"));
    };
    if d_in.as_ref().is_some_and(|d_in| *d_in.numerator() == BigUint::ZERO) {
        return Ok(Epsilon::ZERO);
    }
    let (Some(d_in), Some(relaxation)) = (d_in, relaxation) else { return Ok(Epsilon::INFINITY) };
    let moved = relaxation.numerator() * BigUint::from(size);
    let sum = d_in.numerator() * relaxation.denominator() + moved * d_in.denominator();
    let numerator = sum * scale.denominator();
    let denominator = d_in.denominator() * relaxation.denominator() * scale.numerator();
    Ok(loss_of_ratio(&numerator, &denominator))
}

/// How many steps of the grid 2^k·ℤ vectors of `size` numbers at most `d_in` apart can be apart once they are
/// rounded to it, in total. None if there is no end to it.
///
/// Let g be the least distance of two floats that are rounded to different points of the grid, d_in at least A·g, and the grid's
/// step K·g. To end j steps apart, two numbers must be (j − 1)·K·g + g apart. So at most c = min(size, A) of the numbers end
/// apart at all, in c + ⌊(A − c)/K⌋ steps. On the finest grid K is 1, and that is A. The proof has the details.
pub(super) fn grid_steps<T: Float>(
    d_in: T,
    size: Option<usize>,
    k: i32,
) -> Result<Option<BigUint>> {
    let Some(d_in) = distance("d_in", d_in)? else {
        return Ok((size == Some(0)).then_some(BigUint::ZERO));
    };
    if size == Some(0) {
        return Ok(Some(BigUint::ZERO));
    }
    // Just below the boundary 2^(k−1), floats are so far apart.
    let least = T::MIN_EXPONENT.max(k - 1 - T::PRECISION as i32);
    let unit = step(least);
    let units = d_in.numerator() * unit.denominator() / (d_in.denominator() * unit.numerator());
    let apart = match size {
        Some(size) => units.clone().min(size.into()),
        None => units.clone(),
    };
    let rest = (&units - &apart) >> (k - least);
    Ok(Some(apart + rest))
}

/// 2^k.
pub(super) fn step(k: i32) -> Ratio {
    let power = BigUint::from(1u32) << k.unsigned_abs();
    let one = BigUint::from(1u32);
    let (numerator, denominator) = if k >= 0 { (power, one) } else { (one, power) };
    Ratio::new(numerator, denominator).expect("a power of two is not zero")
}

/// The exact value of a distance, None if it is infinite.
fn distance<T: Float>(parameter: &'static str, x: T) -> Result<Option<Ratio>> {
    match x.decode() {
        Decoded::Finite { negative: false, .. } => Ok(Some(exact(x))),
        Decoded::Infinite { negative: false } => Ok(None),
        Decoded::NaN => {
            Err(Error::invalid_distance(parameter, "it is not a number", "a number of at least 0"))
        }
        _ => Err(Error::invalid_distance(
            parameter,
            format!("{x:?} is negative"),
            "a number of at least 0",
        )),
    }
}
