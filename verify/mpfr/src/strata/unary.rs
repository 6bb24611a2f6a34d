//! Arguments of the root, the logarithms and the exponentials.

use super::draw::{Draw, scale};
use crate::{function::Function, number::Number};

/// Case `index`, strata in turn.
pub fn draw<F: Number>(function: Function, draw: &mut Draw, index: u64) -> F {
    match index % 12 {
        0 => draw.bits(),
        1 => draw.edge(),
        2 => draw.small(),
        3 => {
            let special = draw.special::<F>();
            draw.nudge(special, 4)
        }
        4 => near_exact(function, draw),
        5 => inverse_of_simple(function, draw),
        6 => near_threshold(function, draw),
        7 => tiny(function, draw),
        8 if function == Function::Sqrt => next_to_middle(draw),
        _ => natural(function, draw),
    }
}

/// An argument with any digits whose result is neither extreme nor trivial.
pub fn natural<F: Number>(function: Function, draw: &mut Draw) -> F {
    match function {
        Function::Sqrt | Function::Ln => {
            let whole = draw.rng.next() >> 63 == 0;
            let (low, high) = if whole { (F::LOW, F::HIGH) } else { (-4, 4) };
            draw.between(low, high)
        }
        Function::Ln1p => {
            let x: F = draw.between(-20, 20);
            let below_zero = draw.rng.next() >> 63 == 0;
            if below_zero { F::near(-draw.rng.unit()) } else { x }
        }
        _ => {
            // Up to the exponent of ln MAX, and a little beyond.
            let top = if F::WIDTH == 64 { 9 } else { 6 };
            let x = draw.between(-20, top);
            draw.signed(x)
        }
    }
}

/// Next to an argument whose result is exact: 1 for the logarithm, 0 for the exponential, …
fn near_exact<F: Number>(function: Function, draw: &mut Draw) -> F {
    let precision = F::PRECISION as i32;
    let offset = if draw.rng.next() >> 63 == 0 {
        draw.between::<f64>(-precision - 3, -1)
    } else {
        // A few steps of the number 1. The result is that many steps from the exact one, but for the
        // square of the offset: the hardest cases there are.
        let bits = draw.rng.between(1, precision / 2) as u32;
        scale(draw.odd(bits) as f64, 1 - precision)
    };
    let offset = draw.signed(offset);
    match function {
        Function::Ln => {
            let near_one = F::near(1.0 + offset);
            draw.nudge(near_one, 1)
        }
        Function::Sqrt => perfect_square(draw),
        Function::Ln1p if draw.rng.next() >> 63 == 0 => F::near(-1.0 + offset.abs()),
        _ => F::near(offset),
    }
}

/// A perfect square times a power of four, and one step beside it.
fn perfect_square<F: Number>(draw: &mut Draw) -> F {
    let bits = draw.rng.between(1, F::PRECISION as i32 / 2) as u32;
    let root = draw.odd(bits);
    let exponent = 2 * draw.rng.between(F::LOW / 2 + 1, (F::HIGH - F::PRECISION as i32) / 2);
    let square = F::near(scale((root * root) as f64, exponent));
    draw.nudge(square, 1)
}

/// The root is next to the middle between two numbers: ((2m + 1) / 2)².
fn next_to_middle<F: Number>(draw: &mut Draw) -> F {
    let root = u128::from(draw.odd(F::PRECISION + 1));
    let exponent = 2 * draw.rng.between(-50, 6) - 2 * F::PRECISION as i32;
    let square = F::near(scale((root * root) as f64, exponent));
    draw.nudge(square, 1)
}

/// An argument whose result is next to a simple number.
fn inverse_of_simple<F: Number>(function: Function, draw: &mut Draw) -> F {
    let y = match draw.rng.below(3) {
        0 => draw.small::<f64>(),
        1 => draw.edge::<f64>(),
        _ => f64::from(draw.bits::<f32>()),
    };
    let x = match function {
        Function::Sqrt => y * y,
        Function::Ln => y.exp(),
        Function::Ln1p => y.exp_m1(),
        Function::Exp => y.abs().ln(),
        _ => y.ln_1p(),
    };
    draw.nudge(F::near(x), 2)
}

/// Where results overflow, become subnormal, vanish, or reach −1.
fn near_threshold<F: Number>(function: Function, draw: &mut Draw) -> F {
    let ln2 = std::f64::consts::LN_2;
    let (low, high) = (f64::from(F::LOW), f64::from(F::HIGH));
    let precision = f64::from(F::PRECISION);
    let x = match function {
        Function::Exp => draw.rng.pick(&[high + 1.0, low + precision - 1.0, low, low - 1.0]) * ln2,
        Function::ExpM1 => draw.rng.pick(&[high + 1.0, -precision, -precision - 1.0]) * ln2,
        Function::Ln1p => -1.0,
        _ => F::MIN_POSITIVE.wide(),
    };
    if draw.rng.next() >> 63 == 0 {
        return draw.nudge(F::near(x), 16);
    }
    F::near(x + draw.rng.unit() - 0.5)
}

/// Tiny arguments, and those of subnormal results.
fn tiny<F: Number>(function: Function, draw: &mut Draw) -> F {
    if function == Function::Exp && draw.rng.next() >> 63 == 0 {
        let low = f64::from(F::LOW - 1) * std::f64::consts::LN_2;
        return F::near(low + draw.rng.unit() * f64::from(F::PRECISION));
    }
    let subnormal = draw.rng.next() >> 63 == 0;
    let precision = F::PRECISION as i32;
    let x = if subnormal {
        draw.between(F::LOW, F::LOW + precision)
    } else {
        draw.between(-3 * precision, -precision / 3)
    };
    draw.signed(x)
}
