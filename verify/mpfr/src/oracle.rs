//! What is right: MPFR's answer, carried over to the format in question.
//!
//! # Why this is the directed rounding
//!
//! MPFR is asked for the result r rounded *down* to the precision p of the format (24 or 53 bits).
//! Its exponents are almost unbounded, so this is the greatest p-bit number d ≤ r with no regard to
//! subnormals or overflow, and MPFR says whether d = r. Then `floor` takes the greatest number f of
//! the format with f ≤ d.
//!
//! *Rounding twice is harmless here.* Every finite number of the format is a p-bit number. So a
//! number g of the format with g ≤ r also has g ≤ d, since d is the greatest of a larger set; hence
//! the greatest g ≤ d is the greatest g ≤ r. (For rounding to nearest this would be false.) That
//! covers subnormals, where the format has fewer bits than d, and both ends of the range: f is the
//! largest finite number if d is above it, and −∞ if d is below the least.
//!
//! *Upwards from downwards.* If d = r and f = d the result is exact and both bounds are f. Otherwise
//! f < r, and no number of the format lies in (f, r], so the least number ≥ r is the one after f:
//! the first subnormal after zero, ∞ after the largest, the least finite number after −∞.
//!
//! If the result leaves even MPFR's exponent range (about ±2^62), its rounding down returns its own
//! largest number, zero, its own smallest negative number, or −∞, and says "less than r" each time;
//! the same two steps are right for them.

use std::cmp::Ordering;

use rug::{
    Float,
    float::Round,
    ops::{AssignRound, Pow},
};

use crate::{
    function::{Answer, Args, Function},
    number::Number,
};

/// Registers of MPFR for one thread and one format.
#[derive(Debug)]
pub struct Oracle {
    x: Float,
    y: Float,
    result: Float,
}

impl Oracle {
    /// For the format `F`.
    pub fn new<F: Number>() -> Self {
        let register = || Float::new(F::PRECISION);
        Self { x: register(), y: register(), result: register() }
    }

    /// The bounds that `function` has to return.
    pub fn answer<F: Number>(&mut self, function: Function, args: &Args<F>) -> Answer<F> {
        debug_assert_eq!(self.result.prec(), F::PRECISION);
        if is_refused(function, args) {
            return Answer::ERROR;
        }
        args.x.store(&mut self.x);
        args.y.store(&mut self.y);
        let order = self.round_down(function, args.n);
        // ∞ − ∞, 0 · ∞, ∞ / ∞, the root or the logarithm of a negative number.
        if self.result.is_nan() {
            return Answer::ERROR;
        }
        bounds(&self.result, order)
    }

    fn round_down(&mut self, function: Function, n: i32) -> Ordering {
        let Self { x, y, result } = self;
        let (x, y) = (&*x, &*y);
        match function {
            Function::Add => result.assign_round(x + y, Round::Down),
            Function::Sub => result.assign_round(x - y, Round::Down),
            Function::Mul => result.assign_round(x * y, Round::Down),
            Function::Div => result.assign_round(x / y, Round::Down),
            Function::Sqrt => result.assign_round(x.sqrt_ref(), Round::Down),
            Function::Ln => result.assign_round(x.ln_ref(), Round::Down),
            Function::Ln1p => result.assign_round(x.ln_1p_ref(), Round::Down),
            Function::Exp => result.assign_round(x.exp_ref(), Round::Down),
            Function::ExpM1 => result.assign_round(x.exp_m1_ref(), Round::Down),
            Function::Powi => result.assign_round(x.pow(n), Round::Down),
        }
    }
}

/// The bounds in the format `F` of a result that `rounded_down` is the rounding of; `order` says
/// how the two compare.
pub fn bounds<F: Number>(rounded_down: &Float, order: Ordering) -> Answer<F> {
    let down = F::floor(rounded_down);
    let is_exact = order == Ordering::Equal && down.equals(rounded_down);
    let up = if is_exact { down } else { down.next_up() };
    Answer::new(without_sign_of_zero(down), without_sign_of_zero(up))
}

fn without_sign_of_zero<F: Number>(x: F) -> F {
    if x == F::ZERO { F::ZERO } else { x }
}

/// The refusals of the contract that MPFR does not share: it has infinities for x / 0 and 0^−1, and
/// 1 for NaN^0.
fn is_refused<F: Number>(function: Function, args: &Args<F>) -> bool {
    let Args { x, y, n } = *args;
    x.is_nan()
        || match function {
            Function::Div => y.is_nan() || y == F::ZERO,
            Function::Powi => x == F::ZERO && n < 0,
            _ => function.is_binary() && y.is_nan(),
        }
}
