//! How large the noise is.

use alloc::borrow::ToOwned;

use deniable_num::{Decoded, Directed, Direction, Float, InfCast, Lower, Real, Upper};

use crate::error::Shown;
use crate::mechanism::bound::is_zero;
use crate::{Error, Result};

/// The smallest multiple α of 2^k with P(|noise| ≤ α) ≥ confidence, up to the rounding of its computation, which is
/// upwards.
///
/// Noise is 2^k·Z with P(|Z| > a) = 2q^(a+1)/(1 + q), q = e^(−2^k/scale). That is at most 1 − confidence from
/// a + 1 = (scale/2^k)·ln(2/((1 − confidence)(1 + q))) on.
pub(crate) fn laplace_accuracy<T: Float>(scale: T, k: i32, confidence: f64) -> Result<f64> {
    let is_positive =
        matches!(confidence.decode(), Decoded::Finite { negative: false, mantissa: 1.., .. });
    if !is_positive || confidence >= 1.0 {
        let problem = if confidence.is_nan() {
            "it is not a number".to_owned()
        } else {
            format!("{} is not between 0 and 1", Shown(confidence))
        };
        return Err(Error::invalid_parameter("confidence", problem, "a number between 0 and 1"));
    }
    let exact = Real::from_float(scale).expect("a scale is finite");
    let scale: f64 = exact.round(Direction::Nearest);
    let step: f64 = Real::exact(false, 1, k.into()).round(Direction::Nearest);
    if is_zero(scale) {
        return Ok(0.0);
    }
    let bound = first_above(scale, step, confidence);
    Ok(bound.expect("scale, step and confidence are positive and finite"))
}

/// scale·(−ln(1 − confidence) − ln((1 + q)/2)) − step, up to a multiple of the step. Both logarithms are of numbers next to 1 at
/// times, where they are taken of the difference.
fn first_above(scale: f64, step: f64, confidence: f64) -> deniable_num::Result<f64> {
    let rate = Upper::new(step)?.div(Lower::new(scale)?)?;
    let half_less = rate.neg().exp_m1()?.scale(0.5)?.ln_1p()?;
    let missed = Lower::new(-confidence)?.ln_1p()?;
    let tail = missed.neg().add(half_less.neg())?.scale(scale)?;
    let alpha = tail.sub(Lower::new(step)?)?;
    if alpha <= Upper::new(0.0)? {
        return Ok(0.0);
    }
    // From 2^53 steps on every float is a multiple.
    let steps = alpha.get().inf_div(step)?;
    if Upper::new(steps)? >= Upper::new(9e15)? {
        return Ok(alpha.get());
    }
    f64::inf_cast(u64::inf_cast(steps)?)?.inf_mul(step)
}
