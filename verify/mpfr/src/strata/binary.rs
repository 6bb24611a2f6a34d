//! Arguments of + − × ÷.

use super::draw::{Draw, scale};
use crate::{
    function::{Args, Function},
    number::Number,
};

/// Case `index`, strata in turn.
pub fn draw<F: Number>(function: Function, draw: &mut Draw, index: u64) -> Args<F> {
    let stratum = index % 12;
    let (x, y) = match stratum {
        0 => (draw.bits(), draw.bits()),
        1 => (draw.edge(), draw.edge()),
        2 => (draw.small(), draw.small()),
        3 => with_special(draw),
        _ => match function {
            Function::Mul => product(draw, stratum),
            Function::Div => quotient(draw, stratum),
            _ => sum(draw, stratum),
        },
    };
    let flip = function == Function::Sub;
    Args::binary(x, if flip { -y } else { y })
}

fn with_special<F: Number>(draw: &mut Draw) -> (F, F) {
    let special = draw.special::<F>();
    let special = draw.nudge(special, 1);
    let other = match draw.rng.below(3) {
        0 => draw.bits(),
        1 => draw.edge(),
        _ => draw.small(),
    };
    if draw.rng.next() >> 63 == 0 { (special, other) } else { (other, special) }
}

fn sum<F: Number>(draw: &mut Draw, stratum: u64) -> (F, F) {
    let precision = F::PRECISION as i32;
    let (low, high) = (F::LOW, F::HIGH);
    let (x, y): (F, F) = match stratum {
        // All distances of exponents at which the digits overlap or just touch.
        4 | 5 => {
            let exponent = draw.rng.between(low + precision + 3, high);
            let gap = draw.rng.between(0, precision + 3);
            (draw.at(exponent), draw.at(exponent - gap))
        }
        // Cancellation of all but the last digits.
        6 => {
            let x: F = draw.between(low, high);
            return (x, -draw.nudge(x, 4));
        }
        // Half a step of x, and just beside it.
        7 => {
            let exponent = draw.rng.between(low + 2 * precision, high);
            let half = F::near(scale(1.0, exponent - precision));
            (draw.at(exponent), draw.nudge(half, 2))
        }
        // A speck beside a mountain.
        8 => {
            let exponent = draw.rng.between(low + precision + 4, high);
            (draw.at(exponent), draw.between(low, exponent - precision - 2))
        }
        9 => (draw.between(low, low + precision + 4), draw.between(low, low + precision + 4)),
        // The edge of overflow.
        10 => {
            let y = draw.between(high - precision - 3, high);
            let x = draw.nudge(F::MAX, 4);
            let x = if draw.rng.next() >> 63 == 0 { x } else { draw.at(high) };
            return if draw.rng.next() >> 63 == 0 { (x, y) } else { (-x, -y) };
        }
        // Exact sums, and y exactly half a step.
        _ => {
            let exponent = draw.rng.between(low, high - 24);
            let mut part = || F::near(scale(draw.odd(20) as f64, exponent));
            let (x, y) = (part(), part());
            if draw.rng.next() >> 63 == 0 {
                (x, y)
            } else {
                (x, F::near(scale(1.0, exponent + 19 - precision)))
            }
        }
    };
    (draw.signed(x), draw.signed(y))
}

fn product<F: Number>(draw: &mut Draw, stratum: u64) -> (F, F) {
    let precision = F::PRECISION as i32;
    let (x, y): (F, F) = match stratum {
        4 | 5 => (draw.between(-40, 40), draw.between(-40, 40)),
        // Products that just fit, or have one or two digits too many: exact, halfway, quarter.
        6 => {
            let bits = draw.rng.between(2, precision - 2) as u32;
            let rest = F::PRECISION + draw.rng.below(3) as u32 - bits;
            let exponent = draw.rng.between(-30, 30);
            let x = F::near(scale(draw.odd(bits) as f64, exponent));
            (x, F::near(draw.odd(rest.min(F::PRECISION)) as f64))
        }
        // Products next to one.
        7 => {
            let x: F = draw.between(-100, 100);
            let y = F::near(1.0 / x.wide());
            (x, draw.nudge(y, 3))
        }
        8 => {
            let sum = draw.rng.between(F::LOW - 3, F::LOW + precision + 3);
            let exponent = draw.rng.between(sum / 2 - 20, sum / 2 + 20);
            (draw.at(exponent), draw.at(sum - exponent))
        }
        // Subnormal and exact, or exactly halfway, or just beside it.
        9 => {
            let low = F::LOW - draw.rng.between(0, 4);
            let exponent = draw.rng.between(low / 2 - 10, low / 2 + 10);
            let x = F::near(scale(draw.odd(12) as f64, exponent));
            let y = F::near(scale(draw.odd(11) as f64, low - exponent));
            (x, draw.nudge(y, 1))
        }
        10 => across(draw, F::MAX),
        _ => across(draw, F::MIN_POSITIVE),
    };
    (draw.signed(x), draw.signed(y))
}

/// Two factors whose product is next to `target`.
fn across<F: Number>(draw: &mut Draw, target: F) -> (F, F) {
    let x: F = draw.between(F::HIGH / 4, F::HIGH / 2);
    let x = if target == F::MAX { x } else { F::near(1.0 / x.wide()) };
    let y = F::near(target.wide() / x.wide());
    (x, draw.nudge(y, 4))
}

fn quotient<F: Number>(draw: &mut Draw, stratum: u64) -> (F, F) {
    let precision = F::PRECISION as i32;
    let (x, y): (F, F) = match stratum {
        4 | 5 => (draw.between(-40, 40), draw.between(-40, 40)),
        // Exact quotients, and one step beside them.
        6 => {
            let bits = draw.rng.between(1, precision - 1) as u32;
            let (q, y) = (draw.odd(bits), draw.odd(F::PRECISION - bits));
            let exponent = draw.rng.between(-30, 30);
            let x = F::near(scale((q * y) as f64, exponent));
            (draw.nudge(x, 1), F::near(y as f64))
        }
        // Quotients next to the middle between two numbers.
        7 => {
            let (q, y) = (draw.odd(F::PRECISION + 1), draw.odd(F::PRECISION));
            let x = F::near((u128::from(q) * u128::from(y)) as f64);
            (draw.nudge(x, 1), F::near(y as f64))
        }
        8 => {
            let difference = draw.rng.between(F::LOW - 3, F::LOW + precision + 3);
            let exponent = draw.rng.between(1, F::HIGH);
            (draw.at(difference + exponent), draw.at(exponent))
        }
        // Subnormal and exact, or exactly halfway, or just beside it.
        9 => {
            let exponent = draw.rng.between(precision, F::HIGH - precision);
            let low = F::LOW - draw.rng.between(0, 4);
            let divisor = draw.rng.pick(&[1.0, 3.0, 5.0]);
            let x = F::near(scale(draw.odd(18) as f64 * divisor, low + exponent));
            (draw.nudge(x, 1), F::near(scale(divisor, exponent)))
        }
        10 => {
            let x: F = draw.between(1, F::HIGH);
            let y = F::near(x.wide() / F::MAX.wide());
            (x, draw.nudge(y, 4))
        }
        _ => {
            let x: F = draw.between(F::LOW, F::HIGH);
            (x, draw.nudge(x, 4))
        }
    };
    (draw.signed(x), draw.signed(y))
}
