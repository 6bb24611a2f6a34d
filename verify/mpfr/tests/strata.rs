//! The strata meet what they are there for.

use deniable_mpfr::{
    function::{Args, Function},
    number::Number,
    oracle::Oracle,
    strata,
};

const CASES: u64 = 24_000;

/// How many cases had a result of each kind.
#[derive(Debug, Default)]
struct Met {
    exact: u64,
    inexact: u64,
    subnormal: u64,
    vanishing: u64,
    overflow: u64,
    refused: u64,
    cancelled: u64,
}

fn meet<F: Number>(function: Function) -> Met {
    let mut oracle = Oracle::new::<F>();
    let mut met = Met::default();
    for index in 0..CASES {
        let args: Args<F> = strata::case(function, index);
        let answer = oracle.answer(function, &args);
        let (Some(down), Some(up)) = (answer.down, answer.up) else {
            met.refused += 1;
            continue;
        };
        let is_exact = down == up;
        met.exact += u64::from(is_exact);
        met.inexact += u64::from(!is_exact);
        met.subnormal += u64::from(
            down != F::ZERO && up != F::ZERO && up < F::MIN_POSITIVE && down > -F::MIN_POSITIVE,
        );
        met.vanishing += u64::from(!is_exact && (down == F::ZERO || up == F::ZERO));
        met.overflow += u64::from(!is_exact && (up == F::INFINITY || down == -F::INFINITY));
        let far_below = down.wide().abs() < args.x.wide().abs() * 2f64.powi(-12);
        met.cancelled += u64::from(is_exact && far_below && args.x.wide().is_finite());
    }
    met
}

fn check<F: Number>(function: Function) {
    use Function::{Add, Exp, ExpM1, Ln, Ln1p, Sqrt, Sub};
    let met = meet::<F>(function);
    let enough = |count: u64| count >= CASES / 200;
    let context = format!("{function:?} {}: {met:?}", F::NAME);
    assert!(enough(met.inexact), "{context}");
    assert!(met.refused > 20, "{context}");
    let is_sum = matches!(function, Add | Sub);
    // Transcendental functions are exact at one or two arguments only.
    assert!(enough(met.exact) || function.is_transcendental() && met.exact > 20, "{context}");
    assert!(enough(met.subnormal) || matches!(function, Sqrt | Ln), "{context}");
    // Sums of numbers of the format never vanish, nor do exp(x) − 1 and ln(1 + x) except at the end.
    let vanishes = !is_sum && !matches!(function, Sqrt | Ln | Ln1p | ExpM1);
    assert!(!vanishes || enough(met.vanishing), "{context}");
    assert!(enough(met.overflow) || matches!(function, Sqrt | Ln | Ln1p), "{context}");
    assert!(!is_sum || enough(met.cancelled), "{context}");
    assert!(function != Exp || met.exact > 20, "{context}");
}

#[test]
fn every_kind_of_result_is_met() {
    for function in Function::ALL {
        check::<f64>(function);
        check::<f32>(function);
    }
}

/// Sums, products and quotients exactly in the middle between two numbers, and just beside it.
#[test]
fn middles_are_met() {
    for function in [Function::Add, Function::Sub, Function::Mul] {
        let (mut at, mut beside) = (0, 0);
        for index in 0..CASES {
            let args: Args<f64> = strata::case(function, index);
            match distance_from_middle(function, &args) {
                Some(0.0) => at += 1,
                Some(distance) if distance < 1e-6 => beside += 1,
                _ => {}
            }
        }
        assert!(at > 100, "{function:?}: {at} at the middle");
        assert!(beside > 20, "{function:?}: {beside} beside it");
    }
}

/// In steps of the format at the result; `None` for results that are not normal.
fn distance_from_middle(function: Function, args: &Args<f64>) -> Option<f64> {
    use rug::{Float, float::Round};
    let [x, y] = [args.x, args.y].map(|x| Float::with_val(53, x));
    // All bits of the result, whatever the exponents.
    let exact = match function {
        Function::Add => Float::with_val(2200, &x + &y),
        Function::Sub => Float::with_val(2200, &x - &y),
        _ => Float::with_val(2200, &x * &y),
    };
    let (down, _) = Float::with_val_round(53, &exact, Round::Zero);
    let exponent = down.get_exp().filter(|e| (-1021..=1024).contains(e))?;
    let rest = exact.abs() - down.abs();
    let steps = rest << (53 - exponent);
    Some((steps - 0.5f64).to_f64().abs())
}
