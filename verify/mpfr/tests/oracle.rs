//! The oracle against exact rationals, and against what the contract says of special values.

use deniable_mpfr::{
    enclosure,
    function::{Answer, Args, Function},
    number::Number,
    oracle::Oracle,
    strata,
};
use rug::{Assign, Float, Rational, ops::Pow};

const CASES: u64 = 30_000;
const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// The value without rounding; only for finite numbers.
fn rational<F: Number>(x: F) -> Option<Rational> {
    Rational::from_f64(x.wide())
}

/// Asserts that the bounds are the numbers next to a value that `compare` compares them with.
fn assert_next_to<F: Number>(
    answer: Answer<F>,
    compare: impl Fn(F) -> std::cmp::Ordering,
    context: &dyn std::fmt::Debug,
) {
    let (down, up) = (answer.down.unwrap(), answer.up.unwrap());
    if down == up {
        assert!(compare(down).is_eq(), "exact {context:?}");
        return;
    }
    assert_eq!(down.position() + 1, up.position(), "neighbours {context:?}");
    assert!(down == -F::INFINITY || compare(down).is_lt(), "below {context:?}");
    assert!(up == F::INFINITY || compare(up).is_gt(), "above {context:?}");
}

fn check_rational<F: Number>(function: Function) {
    let mut oracle = Oracle::new::<F>();
    let mut checked = 0;
    for index in 0..CASES {
        let args = strata::case::<F>(function, index);
        let (Some(x), Some(y)) = (rational(args.x), rational(args.y)) else { continue };
        let undefined = function == Function::Div && y == 0
            || function == Function::Powi && (args.n.unsigned_abs() > 40 || x == 0 && args.n < 0);
        if undefined {
            continue;
        }
        let exact = match function {
            Function::Add => x + y,
            Function::Sub => x - y,
            Function::Mul => x * y,
            Function::Div => x / y,
            _ => x.pow(args.n),
        };
        let answer = oracle.answer(function, &args);
        assert_next_to(answer, |bound| rational(bound).unwrap().cmp(&exact), &(function, args));
        checked += 1;
    }
    assert!(checked > CASES / 3, "{function:?}: only {checked}");
}

#[test]
fn rational_results() {
    for function in Function::BINARY.into_iter().chain([Function::Powi]) {
        check_rational::<f64>(function);
        check_rational::<f32>(function);
    }
}

#[test]
fn square_roots() {
    let mut oracle = Oracle::new::<f64>();
    for index in 0..CASES {
        let args = strata::case::<f64>(Function::Sqrt, index);
        let Some(x) = rational(args.x).filter(|x| *x >= 0) else { continue };
        let square = |bound| rational::<f64>(bound).unwrap().square().cmp(&x);
        let answer = oracle.answer(Function::Sqrt, &args);
        assert_next_to(answer, square, &args);
    }
}

/// MPFR at another precision takes other paths through its code.
#[test]
fn transcendental_results_at_high_precision() {
    fn check<F: Number>(function: Function) {
        let mut oracle = Oracle::new::<F>();
        let (mut x, mut exact) = (Float::new(53), Float::new(400));
        for index in 0..CASES {
            let args = strata::case::<F>(function, index);
            args.x.store(&mut x);
            match function {
                Function::Ln => exact.assign(x.ln_ref()),
                Function::Ln1p => exact.assign(x.ln_1p_ref()),
                Function::Exp => exact.assign(x.exp_ref()),
                _ => exact.assign(x.exp_m1_ref()),
            }
            // Where 400 bits do not suffice either, or MPFR's exponents do not: the table of special
            // values below has examples.
            let is_lost = exact.is_zero() && args.x != F::ZERO || exact == -1;
            if !exact.is_finite() || is_lost || args.x.wide().abs() < 1e-50 {
                continue;
            }
            let compare = |bound: F| Float::with_val(53, bound.wide()).partial_cmp(&exact).unwrap();
            assert_next_to(oracle.answer(function, &args), compare, &(function, args));
        }
    }
    for function in Function::UNARY.into_iter().filter(|f| f.is_transcendental()) {
        check::<f64>(function);
        check::<f32>(function);
    }
}

#[test]
fn special_values() {
    use Function::{Add, Div, Exp, ExpM1, Ln, Ln1p, Mul, Powi, Sqrt, Sub};
    let both = |x: f64| Answer::new(x, x);
    let (max, least, over) = (f64::MAX, 5e-324, Answer::new(f64::MAX, INF));
    let table = [
        (Add, INF, -INF, 0, Answer::ERROR),
        (Add, INF, 1.0, 0, both(INF)),
        (Add, -0.0, -0.0, 0, both(0.0)),
        (Add, max, max, 0, over),
        (Add, -max, -max, 0, Answer::new(-INF, -max)),
        (Add, 1.0, NAN, 0, Answer::ERROR),
        (Sub, INF, INF, 0, Answer::ERROR),
        (Sub, -INF, 1.0, 0, both(-INF)),
        (Mul, 0.0, INF, 0, Answer::ERROR),
        (Mul, -0.0, 5.0, 0, both(0.0)),
        (Mul, least, 0.5, 0, Answer::new(0.0, least)),
        (Mul, -least, 0.5, 0, Answer::new(-least, 0.0)),
        (Div, INF, INF, 0, Answer::ERROR),
        (Div, 1.0, 0.0, 0, Answer::ERROR),
        (Div, INF, -0.0, 0, Answer::ERROR),
        (Div, 0.0, 0.0, 0, Answer::ERROR),
        (Div, -1.0, INF, 0, both(0.0)),
        (Sqrt, -0.0, 0.0, 0, both(0.0)),
        (Sqrt, -least, 0.0, 0, Answer::ERROR),
        (Sqrt, INF, 0.0, 0, both(INF)),
        (Ln, 1.0, 0.0, 0, both(0.0)),
        (Ln, 0.0, 0.0, 0, both(-INF)),
        (Ln, -0.0, 0.0, 0, both(-INF)),
        (Ln, -INF, 0.0, 0, Answer::ERROR),
        (Ln, INF, 0.0, 0, both(INF)),
        (Ln1p, -1.0, 0.0, 0, both(-INF)),
        (Ln1p, (-1f64).next_down(), 0.0, 0, Answer::ERROR),
        (Ln1p, -0.0, 0.0, 0, both(0.0)),
        (Ln1p, least, 0.0, 0, Answer::new(0.0, least)),
        (Exp, -INF, 0.0, 0, both(0.0)),
        (Exp, -0.0, 0.0, 0, both(1.0)),
        (Exp, -max, 0.0, 0, Answer::new(0.0, least)),
        (Exp, max, 0.0, 0, over),
        (Exp, least, 0.0, 0, Answer::new(1.0, 1f64.next_up())),
        (ExpM1, -INF, 0.0, 0, both(-1.0)),
        (ExpM1, -max, 0.0, 0, Answer::new(-1.0, (-1f64).next_up())),
        (ExpM1, -0.0, 0.0, 0, both(0.0)),
        (Powi, -INF, 0.0, 0, both(1.0)),
        (Powi, -INF, 0.0, 3, both(-INF)),
        (Powi, -INF, 0.0, -3, both(0.0)),
        (Powi, 0.0, 0.0, 0, both(1.0)),
        (Powi, -0.0, 0.0, -1, Answer::ERROR),
        (Powi, -0.0, 0.0, 3, both(0.0)),
        (Powi, NAN, 0.0, 0, Answer::ERROR),
        (Powi, -2.0, 0.0, i32::MAX, Answer::new(-INF, -max)),
        (Powi, 0.5, 0.0, i32::MAX, Answer::new(0.0, least)),
    ];
    let mut oracle = Oracle::new::<f64>();
    for (function, x, y, n, expected) in table {
        let answer = oracle.answer(function, &Args { x, y, n });
        let bits = |a: Answer<f64>| (a.down.map(f64::to_bits), a.up.map(f64::to_bits));
        assert_eq!(bits(answer), bits(expected), "{function:?} {x} {y} {n}");
    }
}

#[test]
fn the_enclosure_agrees_with_mpfr() {
    let limits = [1.0 / (1 << 26) as f32, 89.0, -104.0, -18.0, 88.72284, -103.97208, 1.0, -1.0];
    let around =
        |x: f32| (-200..=200).map(move |d| f32::from_bits(x.to_bits().wrapping_add_signed(d)));
    let mut oracle = Oracle::new::<f32>();
    for function in Function::UNARY {
        let stratified = (0..200_000).map(|index| strata::case::<f32>(function, index).x);
        let signed = limits.into_iter().flat_map(|x| [x, -x]).flat_map(around);
        for x in stratified.chain(signed) {
            let Some(decided) = enclosure::decide(function, x) else { continue };
            let right = oracle.answer(function, &Args::unary(x));
            let bits = |a: Answer<f32>| (a.down.map(f32::to_bits), a.up.map(f32::to_bits));
            assert_eq!(bits(decided), bits(right), "{function:?} {x:e}");
        }
    }
}
