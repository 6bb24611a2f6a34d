use crate::elementary;
use crate::error::{Error, ErrorKind, Result};
use crate::power;
use crate::round::{Direction, Real};
use crate::{Decoded, Float};

macro_rules! directed {
    ($( $(#[$doc:meta])* $up:ident $down:ident ($($arg:ident: $kind:ty),*) => $implementation:path; )*) => {
        /// Arithmetic that rounds in a known direction.
        ///
        /// `inf_` rounds towards +∞: the result is never below the true value. `neg_inf_` rounds towards
        /// −∞: it is never above it.
        ///
        /// # Precision
        ///
        /// `add`, `sub`, `mul`, `div` and `sqrt` return *the* neighbouring float on that side, or the true
        /// value if it is a float. So do `ln`, `ln_1p`, `exp` and `exp_m1`, which are monotone therefore.
        /// `powi` is within one unit in the last place of it, monotone, and exact where the power is a
        /// float.
        ///
        /// # Special values
        ///
        /// The infinities are the ends of the extended reals: ∞ + 1 = ∞, exp(−∞) = 0, ln 0 = −∞, x⁰ = 1. A
        /// value beyond the largest finite number rounds to ∞ in one direction and to the largest finite
        /// number in the other. A zero result is always +0.0, and the sign of a zero operand means nothing.
        ///
        /// # Errors
        ///
        /// NaN as an operand; ∞ − ∞, 0 · ∞, ∞ / ∞, x / 0, the root or logarithm of a negative number, a
        /// negative power of zero. The error names the operation.
        ///
        /// # Examples
        ///
        /// ```
        /// use deniable_num::Directed;
        /// let (below, above) = (1.0f64.neg_inf_div(10.0)?, 1.0f64.inf_div(10.0)?);
        /// assert_eq!(above.to_bits(), below.to_bits() + 1); // neighbours
        /// assert_eq!(1.0f64.inf_ln()?, 0.0);
        /// assert_eq!(f64::NAN.inf_ln().unwrap_err().operation(), "inf_ln");
        /// # Ok::<(), deniable_num::Error>(())
        /// ```
        pub trait Directed: Float {
            $(
                $(#[$doc])*
                /// Never below the true value.
                fn $up(self $(, $arg: $kind)*) -> Result<Self> {
                    $implementation(stringify!($up), self $(, $arg)*, Direction::Up)
                }

                $(#[$doc])*
                /// Never above the true value.
                fn $down(self $(, $arg: $kind)*) -> Result<Self> {
                    $implementation(stringify!($down), self $(, $arg)*, Direction::Down)
                }
            )*
        }
    };
}

directed! {
    /// The sum.
    inf_add neg_inf_add (rhs: Self) => add;
    /// The difference.
    inf_sub neg_inf_sub (rhs: Self) => sub;
    /// The product.
    inf_mul neg_inf_mul (rhs: Self) => mul;
    /// The quotient.
    inf_div neg_inf_div (rhs: Self) => div;
    /// The square root.
    inf_sqrt neg_inf_sqrt () => sqrt;
    /// The natural logarithm.
    inf_ln neg_inf_ln () => elementary::ln;
    /// ln(1 + self).
    inf_ln_1p neg_inf_ln_1p () => elementary::ln_1p;
    /// e to the power of self.
    inf_exp neg_inf_exp () => elementary::exp;
    /// e to the power of self, minus 1.
    inf_exp_m1 neg_inf_exp_m1 () => elementary::exp_m1;
    /// self to the power of an integer.
    inf_powi neg_inf_powi (n: i32) => power::powi;
}

impl<F: Float> Directed for F {}

/// A float that is not NaN.
#[derive(Clone, Copy)]
pub(crate) enum Extended {
    Infinite { negative: bool },
    Finite(Real),
}

pub(crate) fn extended<F: Float>(operation: &'static str, x: F) -> Result<Extended> {
    match x.decode() {
        Decoded::NaN => Err(Error::new(operation, ErrorKind::NotANumber)),
        Decoded::Infinite { negative } => Ok(Extended::Infinite { negative }),
        Decoded::Finite { negative, mantissa, exponent } => {
            Ok(Extended::Finite(Real::exact(negative, mantissa.into(), exponent.into())))
        }
    }
}

pub(crate) fn undefined<T>(operation: &'static str) -> Result<T> {
    Err(Error::new(operation, ErrorKind::Undefined))
}

fn add<F: Float>(operation: &'static str, a: F, b: F, direction: Direction) -> Result<F> {
    sum(operation, extended(operation, a)?, extended(operation, b)?, direction)
}

fn sub<F: Float>(operation: &'static str, a: F, b: F, direction: Direction) -> Result<F> {
    let negated = match extended(operation, b)? {
        Extended::Infinite { negative } => Extended::Infinite { negative: !negative },
        Extended::Finite(b) => Extended::Finite(b.with_sign(!b.negative)),
    };
    sum(operation, extended(operation, a)?, negated, direction)
}

fn sum<F: Float>(
    operation: &'static str,
    a: Extended,
    b: Extended,
    direction: Direction,
) -> Result<F> {
    use Extended::{Finite, Infinite};
    match (a, b) {
        (Infinite { negative: a }, Infinite { negative: b }) if a != b => undefined(operation),
        (Infinite { negative }, _) | (_, Infinite { negative }) => Ok(F::infinity(negative)),
        (Finite(a), Finite(b)) => Ok(Real::sum(a, b).round(direction)),
    }
}

fn mul<F: Float>(operation: &'static str, a: F, b: F, direction: Direction) -> Result<F> {
    use Extended::{Finite, Infinite};
    match (extended(operation, a)?, extended(operation, b)?) {
        (Infinite { negative: a }, Infinite { negative: b }) => Ok(F::infinity(a != b)),
        (Infinite { negative }, Finite(x)) | (Finite(x), Infinite { negative }) => {
            if x.mantissa == 0 {
                return undefined(operation);
            }
            Ok(F::infinity(negative != x.negative))
        }
        (Finite(a), Finite(b)) => {
            let negative = a.negative != b.negative;
            Ok(Real::exact(negative, a.mantissa * b.mantissa, a.exponent + b.exponent)
                .round(direction))
        }
    }
}

fn div<F: Float>(operation: &'static str, a: F, b: F, direction: Direction) -> Result<F> {
    use Extended::{Finite, Infinite};
    match (extended(operation, a)?, extended(operation, b)?) {
        (Infinite { .. }, Infinite { .. }) => undefined(operation),
        (_, Finite(b)) if b.mantissa == 0 => undefined(operation),
        (Infinite { negative }, Finite(b)) => Ok(F::infinity(negative != b.negative)),
        (Finite(_), Infinite { .. }) => Ok(Real::ZERO.round(direction)),
        (Finite(a), Finite(b)) => Ok(quotient(a, b).round(direction)),
    }
}

/// The quotient of two floats' values. The dividend is shifted up as far as it goes, so that the
/// quotient has at least 74 bits: enough to be rounded with a sticky rest.
fn quotient(a: Real, b: Real) -> Real {
    if a.mantissa == 0 {
        return Real::ZERO;
    }
    let shift = a.mantissa.leading_zeros();
    let dividend = a.mantissa << shift;
    let mantissa = dividend / b.mantissa;
    Real {
        negative: a.negative != b.negative,
        mantissa,
        exponent: a.exponent - i64::from(shift) - b.exponent,
        sticky: mantissa * b.mantissa != dividend,
    }
}

fn sqrt<F: Float>(operation: &'static str, x: F, direction: Direction) -> Result<F> {
    match extended(operation, x)? {
        Extended::Infinite { negative: false } => Ok(F::infinity(false)),
        Extended::Infinite { negative: true } => undefined(operation),
        Extended::Finite(x) if x.negative => undefined(operation),
        Extended::Finite(x) if x.mantissa == 0 => Ok(Real::ZERO.round(direction)),
        Extended::Finite(x) => {
            // The exponent under the root must be even; the root then has 63 or 64 bits.
            let top = x.mantissa.leading_zeros();
            let shift = if (x.exponent - i64::from(top)) % 2 == 0 { top } else { top - 1 };
            let square = x.mantissa << shift;
            let root = square.isqrt();
            let exponent = (x.exponent - i64::from(shift)) / 2;
            let sticky = root * root != square;
            Ok(Real { negative: false, mantissa: root, exponent, sticky }.round(direction))
        }
    }
}
