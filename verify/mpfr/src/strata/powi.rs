//! Arguments of `powi`.

use super::draw::Draw;
use crate::{function::Args, number::Number};

/// Exponents that are special by themselves.
pub const SPECIAL_EXPONENTS: [i32; 11] =
    [0, 1, -1, 2, -2, 3, -3, i32::MAX, i32::MIN, i32::MAX - 1, i32::MIN + 1];

/// Case `index`, strata in turn.
pub fn draw<F: Number>(draw: &mut Draw, index: u64) -> Args<F> {
    let n = exponent(draw);
    let x = match index % 9 {
        0 => draw.bits(),
        1 => draw.edge(),
        2 => draw.small(),
        3 => draw.special(),
        // A base so near to one that large exponents make sense.
        4 => {
            let one = F::near(1.0);
            let near = draw.nudge(one, 16);
            draw.signed(near)
        }
        5 => {
            let gap = draw.between::<f64>(-40, -2);
            let gap = draw.signed(gap);
            let near = F::near(1.0 + gap);
            draw.signed(near)
        }
        // Exact powers: few digits, small exponent.
        6 => return exact(draw),
        7 => return near_limit(draw),
        _ => {
            let x = draw.between(-3, 3);
            draw.signed(x)
        }
    };
    Args::powi(x, n)
}

fn exponent(draw: &mut Draw) -> i32 {
    match draw.rng.below(8) {
        0 => draw.rng.pick(&SPECIAL_EXPONENTS),
        1 => draw.rng.next() as i32,
        2 | 3 => draw.rng.between(-2000, 2000),
        4 | 5 => draw.rng.between(-64, 64),
        _ => draw.rng.between(-4, 4),
    }
}

fn exact<F: Number>(draw: &mut Draw) -> Args<F> {
    let n = draw.rng.between(2, 12);
    let bits = (F::PRECISION / n as u32 + draw.rng.below(2) as u32).max(1);
    let base = draw.odd(bits) as f64;
    let shift = draw.rng.between(-3, 3);
    let x = F::near(base * 2f64.powi(shift));
    Args::powi(draw.signed(x), n)
}

/// Powers at the edge of overflow, of the subnormal numbers, and of zero.
fn near_limit<F: Number>(draw: &mut Draw) -> Args<F> {
    let most = draw.rng.pick(&[4, 40, 400, 4000]);
    let n = draw.rng.between(2, most);
    let target = match draw.rng.below(3) {
        0 => F::HIGH + 1,
        1 => F::LOW + F::PRECISION as i32 - 1,
        _ => F::LOW - draw.rng.between(-(F::PRECISION as i32), 2),
    };
    let up = F::near(2f64.powf(f64::from(target) / f64::from(n)));
    let (x, n) = if draw.rng.next() >> 63 == 0 { (up, n) } else { (F::near(1.0 / up.wide()), -n) };
    let x = draw.nudge(x, 4);
    Args::powi(draw.signed(x), n)
}
