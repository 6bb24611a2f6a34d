//! The fast enclosures against the plain ones, before any rounding to a float hides how good they are.

use num_bigint::BigUint;

use super::*;

type Fast = fn(Real) -> Option<Enclosure>;
type Plain = fn(Real, u64) -> Enclosure;

const FUNCTIONS: [(&str, Fast, Plain); 4] = [
    ("ln", fast::ln, plain::ln),
    ("ln_1p", fast::ln_1p, plain::ln_1p),
    ("exp", fast::exp, plain::exp),
    ("exp_m1", fast::exp_m1, plain::exp_m1),
];

/// Magnitudes from 2^−60 up to 2^10, both signs, and numbers next to 1.
fn arguments() -> Vec<f64> {
    let mut all = Vec::new();
    let mut mixed = 0x9e37_79b9_7f4a_7c15_u64;
    for i in 0..1000u32 {
        mixed = mixed.wrapping_mul(0xd134_2543_de82_ef95).rotate_left(23) ^ 0x5851;
        let fraction = f64::from_bits(mixed >> 12 | 1023 << 52);
        let x = fraction * 2f64.powi((i % 70) as i32 - 60);
        all.extend([x, -x, 1.0 + 2f64.powi(-((i % 52) as i32)) * (fraction - 1.0)]);
    }
    all
}

fn is_defined(name: &str, x: f64) -> bool {
    match name {
        "ln" => x > 0.0 && x != 1.0,
        "ln_1p" => x > -1.0,
        _ => x.abs() < 1023.0,
    }
}

/// a ≤ b, where a sticky number lies strictly between its mantissa and the next.
fn at_most(a: Real, b: Real) -> bool {
    let exponent = a.exponent.min(b.exponent);
    let scaled = |x: Real| BigUint::from(x.mantissa) << (x.exponent - exponent);
    let (a, b) = (scaled(a) + u32::from(a.sticky), scaled(b));
    a <= b
}

/// Whether the plain enclosure, which is far narrower, lies within the fast one.
pub(super) fn encloses(fast: &Enclosure, plain: &Enclosure) -> bool {
    fast.negative == plain.negative
        && at_most(fast.low, plain.low)
        && at_most(Real { sticky: false, ..plain.high }, fast.high)
        && !(plain.high.sticky && plain.high.mantissa == fast.high.mantissa)
}

/// The relative width of an enclosure, as a power of two.
fn width(enclosure: &Enclosure) -> i64 {
    let Enclosure { low, high, .. } = *enclosure;
    assert_eq!(low.exponent, high.exponent);
    magnitude_exponent(Real::exact(false, high.mantissa - low.mantissa, low.exponent))
        - magnitude_exponent(low)
}

#[test]
fn fast_encloses_plain() {
    assert_enclosed(1);
}

/// Some of these, in no time: what is wrong is mostly wrong for all of them.
#[test]
fn enclosures_here_and_there() {
    assert_enclosed(37);
}

/// For one argument out of so many.
fn assert_enclosed(of: usize) {
    for (name, fast, plain) in FUNCTIONS {
        let (mut compared, mut widest) = (0, -200);
        let arguments = arguments().into_iter().step_by(of);
        let defined: Vec<f64> = arguments.filter(|&x| is_defined(name, x)).collect();
        for &x in &defined {
            let x = Real::from_float(x).unwrap();
            let Some(enclosure) = fast(x) else { continue };
            assert!(encloses(&enclosure, &plain(x, 400)), "{name} of {x:?}");
            widest = widest.max(width(&enclosure));
            compared += 1;
        }
        // Nearly all have one.
        assert!(compared >= defined.len() * 99 / 100, "{name}: {compared} of {}", defined.len());
        // Narrow enough that hardly any rounding is left open.
        assert!(widest <= -62, "{name}: 2^{widest}");
    }
}

#[test]
fn a_planted_shift_of_the_enclosure_is_found() {
    for (name, fast, plain) in FUNCTIONS {
        let found = arguments().into_iter().filter(|&x| is_defined(name, x)).any(|x| {
            let x = Real::from_float(x).unwrap();
            let Some(mut enclosure) = fast(x) else { return false };
            let width = enclosure.high.mantissa - enclosure.low.mantissa;
            enclosure.low.mantissa += width;
            enclosure.high.mantissa += width;
            !encloses(&enclosure, &plain(x, 400))
        });
        assert!(found, "{name}");
    }
}

/// An enclosure of 1 and some units of 2^−100 on both sides.
fn around_one(units: u128) -> Enclosure {
    let at = |mantissa| Real::exact(false, mantissa, -100);
    Enclosure { negative: false, low: at((1 << 100) - units), high: at((1 << 100) + units) }
}

/// What no enclosure decides is rounded to the safe side in the end, and what one decides at once.
#[test]
fn the_precision_is_doubled_until_it_decides() {
    let asked = core::cell::RefCell::new(Vec::new());
    let undecided = |bits| {
        asked.borrow_mut().push(bits);
        around_one(1)
    };
    let after = f64::from_bits(1f64.to_bits() + 1);
    assert_eq!(settle::<f64>(Direction::Up, Some(around_one(1)), undecided), after);
    assert_eq!(asked.take(), [256, 512, 1024, 2048, 4096]);
    let in_the_end = |bits| if bits < 1024 { undecided(bits) } else { around_one(0) };
    assert_eq!(settle::<f64>(Direction::Up, None, in_the_end), 1.0);
    assert_eq!(asked.take(), [256, 512]);
}

#[test]
fn a_multiple_of_what_may_be_zero_has_no_enclosure() {
    let between = |low: i32, high: i32| plain::Interval::between(low.into(), high.into(), 4);
    for (low, high) in [(-1, 1), (0, 1), (-1, 0), (0, 0)] {
        assert!(between(low, high).unwrap().multiple(3).is_none(), "{low} {high}");
    }
    assert!(between(1, 2).unwrap().multiple(3).is_some());
    assert!(between(-2, -1).unwrap().multiple(3).is_some());
}

/// Whole numbers come as mantissas with and without zeros behind.
#[test]
fn the_plain_form_takes_whole_numbers() {
    for direction in [Direction::Up, Direction::Down] {
        let short = plain::exp(Real::exact(false, 1, 3), 256).round::<f64>(direction);
        let long = plain::exp(Real::exact(false, 8 << 40, -40), 256).round::<f64>(direction);
        assert!(short == long && short.1);
        assert_eq!(Ok(short.0), exp("exp", 8.0, direction));
    }
}

/// What is next to x, or to 1, lies where it is said to.
#[test]
fn values_of_tiny_numbers_are_enclosed() {
    let one = Real::exact(false, 1, 0);
    for exponent in (TINY - 30)..TINY {
        for fraction in [1.0, 1.3, 1.999_999] {
            let x = Real::from_float(fraction * 2f64.powi(exponent as i32)).unwrap();
            let negative = Real { negative: true, ..x };
            for (beside, plain) in [
                (beside(x, true), plain::ln_1p(x, 600)),
                (beside(negative, false), plain::ln_1p(negative, 600)),
                (beside(x, false), plain::exp_m1(x, 600)),
                (beside(negative, true), plain::exp_m1(negative, 600)),
                (beside(one, false), plain::exp(x, 600)),
                (beside(one, true), plain::exp(negative, 600)),
            ] {
                assert!(encloses(&beside, &plain), "{fraction} * 2^{exponent}");
            }
        }
    }
}
