use crate::Float;
use crate::directed::{Extended, extended};
use crate::error::{Error, ErrorKind, Result};
use crate::round::{Direction, Real};

/// Conversions that round in a known direction.
///
/// Between every integer type and `f32` or `f64`, both ways, and between `f32` and `f64`.
///
/// # Precision
///
/// The result is the neighbouring value of the target type on the demanded side, or the operand itself
/// where the target has it; a zero is always +0.0. Beyond a float's range: ±∞ in one direction, the largest finite number in the
/// other. Beyond an integer's range: its `MAX` (or `MIN`) where that is a bound.
///
/// # Errors
///
/// NaN; and an upper bound above an integer type's `MAX`, a lower bound below its `MIN`: there is none.
///
/// # Examples
///
/// ```
/// use deniable_num::InfCast;
/// assert_eq!(f32::inf_cast(16_777_217u32)?, 16_777_218.0);
/// assert_eq!(f32::neg_inf_cast(16_777_217u32)?, 16_777_216.0);
/// assert_eq!(u8::neg_inf_cast(300.0f64)?, 255);
/// assert!(u8::inf_cast(300.0f64).is_err());
/// # Ok::<(), deniable_num::Error>(())
/// ```
pub trait InfCast<T>: Sized {
    /// The least value of this type that is not below `value`.
    ///
    /// # Errors
    ///
    /// See [`InfCast`].
    fn inf_cast(value: T) -> Result<Self>;

    /// The greatest value of this type that is not above `value`.
    ///
    /// # Errors
    ///
    /// See [`InfCast`].
    fn neg_inf_cast(value: T) -> Result<Self>;
}

macro_rules! float_to_float {
    ($($from:ty => $to:ty),*) => {$(
        impl InfCast<$from> for $to {
            fn inf_cast(value: $from) -> Result<Self> {
                float_cast("inf_cast", value, Direction::Up)
            }
            fn neg_inf_cast(value: $from) -> Result<Self> {
                float_cast("neg_inf_cast", value, Direction::Down)
            }
        }
    )*};
}

macro_rules! integers {
    ($float:ty: $($integer:ty)*) => {$(
        impl InfCast<$integer> for $float {
            fn inf_cast(value: $integer) -> Result<Self> {
                Ok(from_integer(magnitude!($integer, value), Direction::Up))
            }
            fn neg_inf_cast(value: $integer) -> Result<Self> {
                Ok(from_integer(magnitude!($integer, value), Direction::Down))
            }
        }

        impl InfCast<$float> for $integer {
            fn inf_cast(value: $float) -> Result<Self> {
                const OPERATION: &str = "inf_cast";
                match to_integer(OPERATION, value, Direction::Up)? {
                    Whole::Below => Ok(<$integer>::MIN),
                    Whole::Above => no_bound(OPERATION),
                    Whole::Integer { negative: false, magnitude } => {
                        <$integer>::try_from(magnitude).or_else(|_| no_bound(OPERATION))
                    }
                    Whole::Integer { negative: true, magnitude } => {
                        Ok(negated!($integer, magnitude).unwrap_or(<$integer>::MIN))
                    }
                }
            }
            fn neg_inf_cast(value: $float) -> Result<Self> {
                const OPERATION: &str = "neg_inf_cast";
                match to_integer(OPERATION, value, Direction::Down)? {
                    Whole::Below => no_bound(OPERATION),
                    Whole::Above => Ok(<$integer>::MAX),
                    Whole::Integer { negative: false, magnitude } => {
                        Ok(<$integer>::try_from(magnitude).unwrap_or(<$integer>::MAX))
                    }
                    Whole::Integer { negative: true, magnitude } => {
                        negated!($integer, magnitude).map_or_else(|| no_bound(OPERATION), Ok)
                    }
                }
            }
        }
    )*};
}

/// The sign and the magnitude of an integer.
macro_rules! magnitude {
    ($integer:ty, $value:expr) => {
        ($value < <$integer>::MIN.max(0), widen($value.abs_diff(0)))
    };
}

/// The integer with this magnitude and a minus sign, if the type has it.
macro_rules! negated {
    ($integer:ty, $magnitude:expr) => {
        0i128
            .checked_sub_unsigned($magnitude)
            .and_then(|integer| <$integer>::try_from(integer).ok())
    };
}

float_to_float!(f32 => f32, f32 => f64, f64 => f32, f64 => f64);
integers!(f32: u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);
integers!(f64: u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

fn float_cast<F: Float, T: Float>(
    operation: &'static str,
    x: F,
    direction: Direction,
) -> Result<T> {
    match extended(operation, x)? {
        Extended::Infinite { negative } => Ok(T::infinity(negative)),
        Extended::Finite(x) => Ok(x.round(direction)),
    }
}

fn from_integer<F: Float>((negative, magnitude): (bool, u128), direction: Direction) -> F {
    Real::exact(negative, magnitude, 0).round(direction)
}

/// A float rounded to an integer, or where it lies if that has more than 128 bits.
enum Whole {
    Below,
    Above,
    Integer { negative: bool, magnitude: u128 },
}

fn to_integer<F: Float>(operation: &'static str, x: F, direction: Direction) -> Result<Whole> {
    let x = match extended(operation, x)? {
        Extended::Infinite { negative: true } => return Ok(Whole::Below),
        Extended::Infinite { negative: false } => return Ok(Whole::Above),
        Extended::Finite(x) => x,
    };
    if x.exponent >= 0 {
        if i64::from(x.mantissa.leading_zeros()) < x.exponent {
            return Ok(if x.negative { Whole::Below } else { Whole::Above });
        }
        return Ok(Whole::Integer { negative: x.negative, magnitude: x.mantissa << x.exponent });
    }
    let down = (-x.exponent).min(127);
    let floor = x.mantissa >> down;
    let inexact = floor << down != x.mantissa;
    let away_from_zero = (direction == Direction::Up) != x.negative;
    let magnitude = floor + u128::from(inexact && away_from_zero);
    Ok(Whole::Integer { negative: x.negative && magnitude != 0, magnitude })
}

fn no_bound<T>(operation: &'static str) -> Result<T> {
    Err(Error::new(operation, ErrorKind::NoBound))
}

/// To 128 bits, from every unsigned type; `usize` has no `From`.
fn widen<T: TryInto<u128>>(value: T) -> u128 {
    match value.try_into() {
        Ok(wide) => wide,
        Err(_) => unreachable!("no integer type is wider than 128 bits"),
    }
}
