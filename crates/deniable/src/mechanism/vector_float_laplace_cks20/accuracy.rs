//! How large the noise is.

use deniable_num::{Directed, Direction, Float, InfCast, Lower, Real, Upper};

use crate::error::Shown;
use crate::{Error, Result};

/// The smallest multiple α of 2^k with P(|noise| ≤ α) ≥ confidence, up to the rounding of its computation, which is
/// upwards.
///
/// Noise is 2^k·Z with P(|Z| > a) = 2q^(a+1)/(1 + q), q = e^(−2^k/scale). That is at most 1 − confidence from
/// a + 1 = (scale/2^k)·ln(2/((1 − confidence)(1 + q))) on.
pub(crate) fn laplace_accuracy<T: Float>(scale: T, k: i32, confidence: f64) -> Result<f64> {
    if !(0.0 < confidence && confidence < 1.0) {
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
    if scale == 0.0 {
        return Ok(0.0);
    }
    let bound = first_above(scale, step, confidence);
    Ok(bound.expect("scale, step and confidence are positive and finite"))
}

fn first_above(scale: f64, step: f64, confidence: f64) -> deniable_num::Result<f64> {
    let rate = Upper::new(step)?.div(Lower::new(scale)?)?;
    let q = rate.neg().exp()?;
    let missed = Lower::new(1.0)?.sub(Upper::new(confidence)?)?;
    let both = Lower::new(1.0)?.add(q)?.scale(missed.get())?;
    let tail = Upper::new(2.0)?.div(both)?.ln()?.scale(scale)?;
    let alpha = tail.sub(Lower::new(step)?)?.get();
    // Up to a multiple of the step. From 2^53 steps on every float is one.
    let steps = alpha.inf_div(step)?;
    if alpha <= 0.0 || steps >= 9e15 {
        return Ok(alpha.max(0.0));
    }
    (u64::inf_cast(steps)? as f64).inf_mul(step)
}
