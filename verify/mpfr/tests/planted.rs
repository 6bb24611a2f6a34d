//! Planted mistakes: a check that cannot fail checks nothing.

use deniable_num::certified::Interval;

use deniable_mpfr::{
    cases,
    casts::{Operand, agrees},
    certified::{Case, encloses},
    function::{Answer, Args, Function, ask},
    interval,
    judge::{Fault, is_monotone, judge},
    number::Number,
    oracle::Oracle,
    tally::{THREADS, Tally},
};

const CASES: u64 = 20_000;

fn right(function: Function, args: Args<f64>) -> Answer<f64> {
    Oracle::new::<f64>().answer(function, &args)
}

/// What the run finds in an implementation that spoils the right answers.
fn run<F: Number>(function: Function, spoil: impl Fn(&Args<F>, Answer<F>) -> Answer<F>) -> Tally {
    let oracle = std::cell::RefCell::new(Oracle::new::<F>());
    run_all(function, |function, args| spoil(args, oracle.borrow_mut().answer(function, args)))
}

/// The parts of all threads, one after the other.
fn run_all<F: Number>(
    function: Function,
    implementation: impl Fn(Function, &Args<F>) -> Answer<F>,
) -> Tally {
    let parts = (0..THREADS).map(|t| cases::part(function, CASES, t, &implementation));
    parts.reduce(Tally::merge).unwrap()
}

fn each<F>(answer: Answer<F>, change: impl Fn(F) -> F) -> Answer<F> {
    Answer { down: answer.down.map(&change), up: answer.up.map(&change) }
}

#[test]
fn the_right_answers_pass() {
    for function in Function::ALL {
        assert_eq!(run::<f64>(function, |_, answer| answer).violations(), 0, "{function:?}");
        assert_eq!(run::<f32>(function, |_, answer| answer).violations(), 0, "{function:?}");
    }
}

#[test]
fn the_nearest_number_is_flagged() {
    let nearest = |function, args: &Args<f64>| {
        let Args { x, y, n } = *args;
        match function {
            Function::Add => x + y,
            Function::Sub => x - y,
            Function::Mul => x * y,
            Function::Div => x / y,
            Function::Sqrt => x.sqrt(),
            Function::Ln => x.ln(),
            Function::Ln1p => x.ln_1p(),
            Function::Exp => x.exp(),
            Function::ExpM1 => x.exp_m1(),
            Function::Powi => x.powi(n),
        }
    };
    for function in Function::ALL {
        let tally = run::<f64>(function, |args, answer| each(answer, |_| nearest(function, args)));
        assert!(tally.unsafe_side > CASES / 20, "{function:?}: {tally:?}");
    }
    let sum = right(Function::Add, Args::binary(0.1, 0.2));
    let verdict = judge(Function::Add, &sum, &each(sum, |_| 0.1 + 0.2));
    assert_eq!(verdict, [Err(Fault::UnsafeSide), Ok(0)]);
}

#[test]
fn one_step_too_far_is_flagged() {
    for function in [Function::Add, Function::Sub, Function::Mul, Function::Div, Function::Ln] {
        let answer = right(function, Args::binary(3.0, 7.0));
        let wide = Answer::new(answer.down.unwrap().next_down(), answer.up.unwrap().next_up());
        assert_eq!(judge(function, &answer, &wide), [Err(Fault::TooFar(1)); 2], "{function:?}");
    }
}

#[test]
fn an_unsafe_step_of_ln_is_flagged() {
    for x in [0.3, 3.0, 1e300, 5e-324, 1f64.next_up()] {
        let answer = right(Function::Ln, Args::unary(x));
        let narrow = Answer::new(answer.down.unwrap().next_up(), answer.up.unwrap().next_down());
        assert_eq!(judge(Function::Ln, &answer, &narrow), [Err(Fault::UnsafeSide); 2]);
    }
}

#[test]
fn one_unsafe_case_in_thousands_is_counted() {
    let once = std::cell::Cell::new(false);
    let tally = run::<f64>(Function::Exp, |args, answer| {
        if args.x > 1.5 && args.x < 2.0 && !once.replace(true) {
            return Answer { up: answer.up.map(f64::next_down), ..answer };
        }
        answer
    });
    assert_eq!((tally.unsafe_side, tally.shown.len()), (1, 1));
}

#[test]
fn a_flush_to_zero_is_flagged() {
    fn flush<F: Number>(x: F) -> F {
        let is_subnormal = x < F::MIN_POSITIVE && x > -F::MIN_POSITIVE;
        if is_subnormal { F::ZERO } else { x }
    }
    for function in Function::ALL {
        // Logarithms and roots of numbers of the format are never subnormal.
        let expects = !matches!(function, Function::Sqrt | Function::Ln);
        let tally = run::<f64>(function, |_, answer| each(answer, flush));
        assert_eq!(tally.unsafe_side > 20, expects, "{function:?}: {tally:?}");
        let tally = run::<f32>(function, |_, answer| each(answer, flush));
        assert_eq!(tally.unsafe_side > 20, expects, "{function:?}: {tally:?}");
    }
}

#[test]
fn max_and_infinity_swapped_are_flagged() {
    fn swap<F: Number>(x: F) -> F {
        match x {
            x if x == F::MAX => F::INFINITY,
            x if x == F::INFINITY => F::MAX,
            x => x,
        }
    }
    for function in [Function::Add, Function::Mul, Function::Div, Function::Exp, Function::Powi] {
        let tally = run::<f64>(function, |_, answer| each(answer, swap));
        assert!(tally.unsafe_side > 100, "{function:?}: {tally:?}");
        let tally = run::<f32>(function, |_, answer| each(answer, swap));
        assert!(tally.unsafe_side > 100, "{function:?}: {tally:?}");
    }
}

#[test]
fn a_negative_zero_is_flagged() {
    let answer = right(Function::Sub, Args::binary(1.0, 1.0));
    let negative = each(answer, |_| -0.0);
    assert_eq!(judge(Function::Sub, &answer, &negative), [Err(Fault::NegativeZero); 2]);
    for function in [Function::Add, Function::Sub, Function::Mul, Function::Sqrt, Function::Powi] {
        let tally =
            run::<f64>(function, |_, answer| each(answer, |x| if x == 0.0 { -0.0 } else { x }));
        assert!(tally.other > 10, "{function:?}: {tally:?}");
    }
}

#[test]
fn missing_and_needless_errors_are_flagged() {
    for function in Function::ALL {
        for argument in [f64::NAN, -f64::NAN] {
            let answer = right(function, Args { x: argument, y: 1.0, n: 0 });
            let verdict = judge(function, &answer, &Answer::new(argument, 1.0));
            assert_eq!(verdict, [Err(Fault::MissingError); 2], "{function:?}");
        }
        let tally = run::<f64>(function, |_, answer| Answer {
            down: answer.down.or(Some(0.0)),
            up: answer.up.or(Some(f64::INFINITY)),
        });
        assert!(tally.other > 100, "{function:?}: {tally:?}");
    }
    let answer = right(Function::Add, Args::binary(1.0, 1.0));
    assert_eq!(judge(Function::Add, &answer, &Answer::ERROR), [Err(Fault::NeedlessError); 2]);
    let verdict = judge(Function::Add, &answer, &Answer::new(f64::NAN, f64::NAN));
    assert_eq!(verdict, [Err(Fault::NotANumber); 2]);
}

#[test]
fn powi_has_one_step_and_no_more() {
    let widen = |answer: Answer<f64>| {
        Answer::new(answer.down.unwrap().next_down(), answer.up.unwrap().next_up())
    };
    let inexact = right(Function::Powi, Args::powi(1.1, 7));
    assert_eq!(judge(Function::Powi, &inexact, &widen(inexact)), [Ok(1); 2]);
    let verdict = judge(Function::Powi, &inexact, &widen(widen(inexact)));
    assert_eq!(verdict, [Err(Fault::TooFar(2)); 2]);
    let exact = right(Function::Powi, Args::powi(3.0, 7));
    assert_eq!(judge(Function::Powi, &exact, &widen(exact)), [Err(Fault::TooFar(1)); 2]);
}

#[test]
fn disorder_is_flagged() {
    assert!(is_monotone(&Answer::new(1.0, 2.0), &Answer::new(1.0, 2.0)));
    assert!(!is_monotone(&Answer::new(1.0, 2.0), &Answer::new(0.5, 2.0)));
    assert!(!is_monotone(&Answer::new(1.0, 2.0), &Answer::new(1.0, 1.5)));
    assert!(!is_monotone(&Answer::new(1.0, 2.0), &Answer::ERROR));
    // Wider by a step at every other number.
    let tally = run::<f64>(Function::Ln, |args, answer| {
        let even = args.x.to_bits() % 2 == 0;
        Answer { up: answer.up.map(|x| if even { x.next_up() } else { x }), ..answer }
    });
    assert!(tally.not_monotone > 50, "{tally:?}");
}

#[test]
fn wrong_casts_are_flagged() {
    let zero = <f32 as Operand>::expected((-0.0f64).exact());
    assert!(agrees(&zero, &Answer::new(0.0, 0.0)));
    assert!(!agrees(&zero, &Answer::new(-0.0, 0.0)));
    let large = <f32 as Operand>::expected(1e300f64.exact());
    assert!(agrees(&large, &Answer::new(f32::MAX, f32::INFINITY)));
    assert!(!agrees(&large, &Answer::new(f32::INFINITY, f32::INFINITY)));
    let beyond = <u8 as Operand>::expected(255.5f64.exact());
    assert!(agrees(&beyond, &Answer { down: Some(255), up: None }));
    assert!(!agrees(&beyond, &Answer::new(255, 255)));
    let below = <u8 as Operand>::expected((-0.5f64).exact());
    assert!(agrees(&below, &Answer { down: None, up: Some(0) }));
    let nan = <i64 as Operand>::expected(f64::NAN.exact());
    assert!(agrees(&nan, &Answer::ERROR));
    assert!(!agrees(&nan, &Answer::new(0, 0)));
}

#[test]
fn wrong_enclosures_are_flagged() {
    let case = |low: u128, high: u128| Case {
        got: Some((low, high)),
        width: 4,
        low: rug::Float::with_val(320, 10.25),
        high: rug::Float::with_val(320, 10.75),
        argument: String::new(),
    };
    assert!(encloses(&case(10, 11)) && encloses(&case(8, 12)));
    assert!(!encloses(&case(11, 12)), "too high");
    assert!(!encloses(&case(8, 10)), "too low");
    assert!(!encloses(&case(7, 12)), "too wide");
    assert!(!encloses(&case(11, 10)), "the wrong way round");
    let interval = |low: i32, high: i32| {
        Interval::between(low.into(), high.into(), 8).expect("low is below high")
    };
    let (low, high) = (rug::Rational::from((-7, 2)), rug::Rational::from((9, 2)));
    let check = |bounds: Interval| interval::encloses(&bounds, &low, &high, 10);
    assert!(check(interval(-4, 5)));
    assert!(!check(interval(-3, 5)) && !check(interval(-4, 4)) && !check(interval(-6, 5)));
}

#[test]
fn the_crate_itself_passes_the_same_run() {
    for function in Function::ALL {
        let tally = run_all::<f64>(function, ask);
        assert_eq!(tally.violations(), 0, "{function:?}: {tally:?}");
    }
}
