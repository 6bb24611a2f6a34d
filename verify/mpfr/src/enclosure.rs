//! The bounds of an `f32` result from an interval in `f64` arithmetic, where that decides.
//!
//! # Why it can be trusted
//!
//! The interval is the standard library's `f64` result, widened by 2^−45 of itself on either side.
//! The C library documents an error of at most one unit in the last place (2^−52) for `exp`, `expm1`,
//! `log` and `log1p`, and IEEE 754 demands half a unit of `sqrt`: the margin is 128 times the
//! documented error. [`worst_error`] measures the error against MPFR.
//!
//! The standard library shares no code with the crate under test, so a gross error of the former at
//! some argument shows as a disagreement, unless both are wrong there in the same way.
//!
//! Where the true value is too near to a number for any margin, an inequality decides. For
//! 0 < |x| ≤ 1/2
//!
//! - 1 + x < e^x < 1 + x + x²
//! - x − x² < ln(1 + x) < x
//!
//! What neither decides, MPFR does.

use crate::{
    function::{Answer, Args, Function},
    number::Number,
    oracle::Oracle,
    rng::{SplitMix, seed},
    strata::{draw::Draw, unary},
};
use rug::{Assign, Float};

/// Half the width of the interval, relative to the value.
const MARGIN: f64 = 1.0 / (1u64 << 45) as f64;

/// The bounds of `function` at `x`, or `None` if this cannot decide.
#[inline]
pub fn decide(function: Function, x: f32) -> Option<Answer<f32>> {
    if x.is_nan() || x < lower_end(function) {
        return Some(Answer::ERROR);
    }
    if x == 0.0 || x.is_infinite() {
        return None;
    }
    by_inequality(function, x).or_else(|| by_interval(function, x))
}

/// The greatest relative error of the `f64` functions among `count` stratified arguments of `f32`.
pub fn worst_error(function: Function, count: u64) -> f64 {
    let mut worst = 0f64;
    let mut exact = Float::new(160);
    let mut argument = Float::new(53);
    for index in 0..count {
        let mut draw = Draw::new(SplitMix::for_case(seed("enclosure"), index));
        let x: f32 = unary::draw(function, &mut draw, index);
        if !(x.is_finite() && x > lower_end(function)) || by_inequality(function, x).is_some() {
            continue;
        }
        argument.assign(x);
        match function {
            Function::Sqrt => exact.assign(argument.sqrt_ref()),
            Function::Ln => exact.assign(argument.ln_ref()),
            Function::Ln1p => exact.assign(argument.ln_1p_ref()),
            Function::Exp => exact.assign(argument.exp_ref()),
            _ => exact.assign(argument.exp_m1_ref()),
        }
        let guess = in_f64(function, x);
        if exact.is_zero() {
            worst = worst.max(guess.abs());
            continue;
        }
        let error = (Float::with_val(160, guess) - &exact) / &exact;
        worst = worst.max(error.to_f64().abs());
    }
    worst
}

/// What MPFR says.
pub fn by_mpfr(oracle: &mut Oracle, function: Function, x: f32) -> Answer<f32> {
    oracle.answer(function, &Args::unary(x))
}

/// Below this the function is undefined.
fn lower_end(function: Function) -> f32 {
    match function {
        Function::Sqrt | Function::Ln => 0.0,
        Function::Ln1p => -1.0,
        _ => f32::NEG_INFINITY,
    }
}

fn in_f64(function: Function, x: f32) -> f64 {
    let x = f64::from(x);
    match function {
        Function::Sqrt => x.sqrt(),
        Function::Ln => x.ln(),
        Function::Ln1p => x.ln_1p(),
        Function::Exp => x.exp(),
        Function::ExpM1 => x.exp_m1(),
        _ => unreachable!("only functions of one number"),
    }
}

/// For finite x other than zero.
fn by_inequality(function: Function, x: f32) -> Option<Answer<f32>> {
    // Below this, 2 |x| is less than a step at 1 on either side, and x² less than a step at x.
    let is_tiny = x.abs() < 1.0 / (1 << 26) as f32;
    // e^89 > 2^128, and e^−104 < 2^−150 is less than half the smallest positive number.
    let (is_huge, is_lost) = (x >= 89.0, x <= -104.0);
    match function {
        Function::Exp if is_tiny && x > 0.0 => Some(Answer::new(1.0, 1f32.next_up())),
        Function::Exp if is_tiny => Some(Answer::new(1f32.next_down(), 1.0)),
        Function::ExpM1 if is_tiny => Some(Answer::new(x, plain(x.next_up()))),
        Function::Ln1p if is_tiny => Some(Answer::new(plain(x.next_down()), x)),
        Function::Exp | Function::ExpM1 if is_huge => Some(Answer::new(f32::MAX, f32::INFINITY)),
        Function::Exp if is_lost => Some(Answer::new(0.0, 0f32.next_up())),
        // e^−18 < 2^−24, the step above −1.
        Function::ExpM1 if x <= -18.0 => Some(Answer::new(-1.0, (-1f32).next_up())),
        _ => None,
    }
}

fn by_interval(function: Function, x: f32) -> Option<Answer<f32>> {
    let middle = in_f64(function, x);
    let margin = middle.abs() * MARGIN;
    // The rounding of these two lines is 2^−53 of the value: 1/256 of the margin.
    let (low, high) = (middle - margin, middle + margin);
    // `nearest` may be on either side of `low`, so take the greatest number strictly below it.
    let nearest = low as f32;
    let down = if f64::from(nearest) < low { nearest } else { nearest.next_down() };
    let up = down.next_up();
    // No number in the interval: the true value is strictly between the two.
    (high < f64::from(up)).then(|| Answer::new(plain(down), plain(up)))
}

/// Zero without a sign.
fn plain(x: f32) -> f32 {
    if x == f32::ZERO { 0.0 } else { x }
}
