//! Bounds whose direction is in the type.

use core::cmp::Ordering;

use crate::error::{Error, ErrorKind, Result};
use crate::{Decoded, Directed, Float};

/// A number that is known not to be below some quantity.
///
/// It can only be combined with other bounds in ways that keep it an upper bound: an upper plus an upper,
/// an upper minus a *lower*. Mixing the directions up does not compile. The larger of two upper bounds
/// ([`Ord::max`]) bounds the larger quantity.
///
/// # Examples
///
/// ```
/// use deniable_num::{Lower, Upper};
/// // ln(p / (1 − p)), rounded up.
/// let p = 0.75f64;
/// let truth = Upper::new(p)?.div(Lower::new(1.0)?.sub(Upper::new(p)?)?)?;
/// assert!(truth.ln()?.get() >= 3f64.ln());
/// # Ok::<(), deniable_num::Error>(())
/// ```
///
/// ```compile_fail
/// use deniable_num::{Lower, Upper};
/// let wrong = Upper::new(1.0f64)?.sub(Upper::new(0.75)?)?; // an upper minus an upper bounds nothing
/// # Ok::<(), deniable_num::Error>(())
/// ```
///
/// ```compile_fail
/// use deniable_num::{Lower, Upper};
/// let wrong: Upper<f64> = Lower::new(1.0f64)?.ln()?; // a lower bound does not become an upper one
/// # Ok::<(), deniable_num::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Upper<F>(F);

/// A number that is known not to be above some quantity. See [`Upper`].
#[derive(Clone, Copy, Debug)]
pub struct Lower<F>(F);

macro_rules! bound {
    ($bound:ident, $other:ident, $name:literal, $add:ident $sub:ident $mul:ident $sqrt:ident $ln:ident
     $ln_1p:ident $exp:ident $exp_m1:ident) => {
        impl<F: Directed> $bound<F> {
            /// A number as a bound of itself.
            ///
            /// # Errors
            ///
            /// NaN bounds nothing.
            pub fn new(x: F) -> Result<Self> {
                match x.decode() {
                    Decoded::NaN => Err(Error::new($name, ErrorKind::NotANumber)),
                    _ => Ok($bound(x)),
                }
            }

            /// The bound as a bare float.
            pub fn get(self) -> F {
                self.0
            }

            /// Bounds the sum.
            ///
            /// # Errors
            ///
            /// ∞ − ∞.
            #[allow(clippy::should_implement_trait)]
            pub fn add(self, rhs: Self) -> Result<Self> {
                self.0.$add(rhs.0).map($bound)
            }

            /// Bounds the difference. What is subtracted is bounded from the other side.
            ///
            /// # Errors
            ///
            /// ∞ − ∞.
            #[allow(clippy::should_implement_trait)]
            pub fn sub(self, rhs: $other<F>) -> Result<Self> {
                self.0.$sub(rhs.0).map($bound)
            }

            /// Bounds the product with a known factor that is not negative.
            ///
            /// # Errors
            ///
            /// A factor that is negative or NaN, and 0 · ∞.
            pub fn scale(self, factor: F) -> Result<Self> {
                if sign(factor) < 0 {
                    return Err(Error::new(concat!($name, "::scale"), ErrorKind::Undefined));
                }
                self.0.$mul(factor).map($bound)
            }

            /// Bounds the negated quantity, from the other side.
            #[allow(clippy::should_implement_trait)]
            pub fn neg(self) -> $other<F> {
                $other(match self.0.decode() {
                    Decoded::Finite { negative, mantissa, exponent } => {
                        F::encode(!negative && mantissa != 0, mantissa, exponent)
                    }
                    Decoded::Infinite { negative } => F::infinity(!negative),
                    Decoded::NaN => unreachable!("a bound is never NaN"),
                })
            }

            bound!(@function $bound, sqrt, $sqrt, "the square root");
            bound!(@function $bound, ln, $ln, "the natural logarithm");
            bound!(@function $bound, ln_1p, $ln_1p, "ln(1 + x)");
            bound!(@function $bound, exp, $exp, "the exponential");
            bound!(@function $bound, exp_m1, $exp_m1, "exp(x) − 1");
        }

        impl<F: Float> PartialEq for $bound<F> {
            fn eq(&self, other: &Self) -> bool {
                order(self.0) == order(other.0)
            }
        }

        impl<F: Float> Eq for $bound<F> {}

        impl<F: Float> PartialOrd for $bound<F> {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl<F: Float> Ord for $bound<F> {
            fn cmp(&self, other: &Self) -> Ordering {
                order(self.0).cmp(&order(other.0))
            }
        }
    };
    (@function $bound:ident, $name:ident, $directed:ident, $what:literal) => {
        #[doc = concat!("Bounds ", $what, " of the quantity, which is monotone.")]
        ///
        /// # Errors
        ///
        /// Where the function is not defined at the bound.
        pub fn $name(self) -> Result<Self> {
            self.0.$directed().map($bound)
        }
    };
}

bound!(Upper, Lower, "Upper", inf_add inf_sub inf_mul inf_sqrt inf_ln inf_ln_1p inf_exp inf_exp_m1);
bound!(Lower, Upper, "Lower", neg_inf_add neg_inf_sub neg_inf_mul neg_inf_sqrt neg_inf_ln neg_inf_ln_1p
    neg_inf_exp neg_inf_exp_m1);

impl<F: Directed> Upper<F> {
    /// Bounds the quotient by a positive quantity. A negative dividend gives 0: of a divisor that may be
    /// anything above its bound, no more can be said.
    ///
    /// # Errors
    ///
    /// A divisor whose lower bound is not positive; ∞ / ∞.
    #[allow(clippy::should_implement_trait)]
    pub fn div(self, rhs: Lower<F>) -> Result<Self> {
        if sign(rhs.0) <= 0 {
            return Err(Error::new("Upper::div", ErrorKind::Undefined));
        }
        if sign(self.0) < 0 {
            return Ok(Upper(F::encode(false, 0, F::MIN_EXPONENT)));
        }
        self.0.inf_div(rhs.0).map(Upper)
    }
}

impl<F: Directed> Lower<F> {
    /// Bounds the quotient by a positive quantity. The dividend must not be negative.
    ///
    /// # Errors
    ///
    /// A dividend whose lower bound is negative, a divisor whose upper bound is not positive; ∞ / ∞.
    #[allow(clippy::should_implement_trait)]
    pub fn div(self, rhs: Upper<F>) -> Result<Self> {
        if sign(self.0) < 0 || sign(rhs.0) <= 0 {
            return Err(Error::new("Lower::div", ErrorKind::Undefined));
        }
        self.0.neg_inf_div(rhs.0).map(Lower)
    }
}

/// A number that grows with the float. Comparing floats themselves would be a floating-point instruction.
fn order<F: Float>(x: F) -> i128 {
    let (negative, magnitude) = match x.decode() {
        Decoded::NaN => unreachable!("a bound is never NaN"),
        Decoded::Infinite { negative } => (negative, i128::MAX),
        Decoded::Finite { negative, mantissa, exponent } => {
            let binade = i128::from(exponent - F::MIN_EXPONENT);
            (negative, (binade << (F::PRECISION - 1)) + i128::from(mantissa))
        }
    };
    if negative { -magnitude } else { magnitude }
}

/// −1, 0 or 1; NaN counts as −1, which every caller refuses or hands on to an operation that does.
fn sign<F: Float>(x: F) -> i32 {
    match x.decode() {
        Decoded::NaN => -1,
        Decoded::Finite { mantissa: 0, .. } => 0,
        Decoded::Finite { negative, .. } | Decoded::Infinite { negative } => {
            if negative {
                -1
            } else {
                1
            }
        }
    }
}
