//! What the operations do where arithmetic has no plain answer: decided, documented, and held here.

use deniable_num::{Directed, Direction, Error, ErrorKind, InfCast, Lower, Real, Upper};
use num_bigint::BigUint;

const INF: f64 = f64::INFINITY;
const MAX: f64 = f64::MAX;
const TINY: f64 = 5e-324;

fn bits(x: Result<f64, Error>) -> Result<u64, (ErrorKind, &'static str)> {
    x.map(f64::to_bits).map_err(|e| (e.kind(), e.operation()))
}

/// Both directions, bit by bit: −0.0 is not +0.0.
macro_rules! gives {
    ($x:expr, $down:ident $up:ident ($($arg:expr)?) => $low:expr, $high:expr) => {{
        let x: f64 = $x;
        assert_eq!(bits(x.$down($($arg)?)), Ok(f64::to_bits($low)), "{} of {x:e}", stringify!($down));
        assert_eq!(bits(x.$up($($arg)?)), Ok(f64::to_bits($high)), "{} of {x:e}", stringify!($up));
    }};
}

macro_rules! fails {
    ($kind:ident: $x:expr, $down:ident $up:ident ($($arg:expr)?)) => {{
        let x: f64 = $x;
        assert_eq!(bits(x.$down($($arg)?)), Err((ErrorKind::$kind, stringify!($down))), "{x:e}");
        assert_eq!(bits(x.$up($($arg)?)), Err((ErrorKind::$kind, stringify!($up))), "{x:e}");
    }};
}

#[test]
fn zeros_are_positive() {
    gives!(-0.0, neg_inf_add inf_add (-0.0) => 0.0, 0.0);
    gives!(1.0, neg_inf_sub inf_sub (1.0) => 0.0, 0.0);
    gives!(-1.0, neg_inf_mul inf_mul (0.0) => 0.0, 0.0);
    gives!(-0.0, neg_inf_div inf_div (3.0) => 0.0, 0.0);
    gives!(-0.0, neg_inf_sqrt inf_sqrt () => 0.0, 0.0);
    gives!(1.0, neg_inf_ln inf_ln () => 0.0, 0.0);
    gives!(-0.0, neg_inf_ln_1p inf_ln_1p () => 0.0, 0.0);
    gives!(-0.0, neg_inf_exp_m1 inf_exp_m1 () => 0.0, 0.0);
    gives!(-0.0, neg_inf_powi inf_powi (3) => 0.0, 0.0);
    gives!(1.0, neg_inf_div inf_div (-INF) => 0.0, 0.0);
    gives!(-INF, neg_inf_powi inf_powi (-3) => 0.0, 0.0);
    gives!(-TINY, neg_inf_mul inf_mul (0.5) => -TINY, 0.0);
    gives!(TINY, neg_inf_mul inf_mul (0.5) => 0.0, TINY);
}

#[test]
fn overflow_goes_to_infinity_one_way_and_stops_at_max_the_other() {
    gives!(MAX, neg_inf_add inf_add (TINY) => MAX, INF);
    gives!(MAX, neg_inf_add inf_add (MAX) => MAX, INF);
    gives!(-MAX, neg_inf_sub inf_sub (TINY) => -INF, -MAX);
    gives!(1e200, neg_inf_mul inf_mul (1e200) => MAX, INF);
    gives!(-1e200, neg_inf_mul inf_mul (1e200) => -INF, -MAX);
    gives!(1.0, neg_inf_div inf_div (TINY) => MAX, INF);
    gives!(710.0, neg_inf_exp inf_exp () => MAX, INF);
    gives!(1e300, neg_inf_exp_m1 inf_exp_m1 () => MAX, INF);
    gives!(10.0, neg_inf_powi inf_powi (309) => MAX, INF);
    gives!(-10.0, neg_inf_powi inf_powi (309) => -INF, -MAX);
    assert_eq!(f32::inf_cast(1e300), Ok(f32::INFINITY));
    assert_eq!(f32::neg_inf_cast(1e300), Ok(f32::MAX));
    assert_eq!(f32::inf_cast(-1e300), Ok(f32::MIN));
}

#[test]
fn underflow_stops_at_the_smallest_subnormal() {
    gives!(-800.0, neg_inf_exp inf_exp () => 0.0, TINY);
    gives!(-1e308, neg_inf_exp inf_exp () => 0.0, TINY);
    gives!(0.5, neg_inf_powi inf_powi (1075) => 0.0, TINY);
    gives!(0.5, neg_inf_powi inf_powi (1074) => TINY, TINY);
    gives!(0.5, neg_inf_powi inf_powi (i32::MAX) => 0.0, TINY);
    gives!(-1e308, neg_inf_exp_m1 inf_exp_m1 () => -1.0, -1.0 + f64::EPSILON / 2.0);
    gives!(TINY, neg_inf_exp_m1 inf_exp_m1 () => TINY, 2.0 * TINY);
    gives!(TINY, neg_inf_ln_1p inf_ln_1p () => 0.0, TINY);
    gives!(-TINY, neg_inf_ln_1p inf_ln_1p () => -2.0 * TINY, -TINY);
    gives!(TINY, neg_inf_exp inf_exp () => 1.0, 1.0 + f64::EPSILON);
    gives!(-TINY, neg_inf_exp inf_exp () => 1.0 - f64::EPSILON / 2.0, 1.0);
}

#[test]
fn infinities_are_the_ends_of_the_extended_reals() {
    gives!(INF, neg_inf_add inf_add (-MAX) => INF, INF);
    gives!(1.0, neg_inf_sub inf_sub (INF) => -INF, -INF);
    gives!(-INF, neg_inf_mul inf_mul (-2.0) => INF, INF);
    gives!(INF, neg_inf_div inf_div (-2.0) => -INF, -INF);
    gives!(INF, neg_inf_sqrt inf_sqrt () => INF, INF);
    gives!(INF, neg_inf_ln inf_ln () => INF, INF);
    gives!(INF, neg_inf_ln_1p inf_ln_1p () => INF, INF);
    gives!(INF, neg_inf_exp inf_exp () => INF, INF);
    gives!(-INF, neg_inf_exp inf_exp () => 0.0, 0.0);
    gives!(-INF, neg_inf_exp_m1 inf_exp_m1 () => -1.0, -1.0);
    gives!(0.0, neg_inf_ln inf_ln () => -INF, -INF);
    gives!(-0.0, neg_inf_ln inf_ln () => -INF, -INF);
    gives!(-1.0, neg_inf_ln_1p inf_ln_1p () => -INF, -INF);
    gives!(-INF, neg_inf_powi inf_powi (3) => -INF, -INF);
    gives!(INF, neg_inf_powi inf_powi (0) => 1.0, 1.0);
    gives!(0.0, neg_inf_powi inf_powi (0) => 1.0, 1.0);
    gives!(1.0, neg_inf_powi inf_powi (i32::MIN) => 1.0, 1.0);
}

#[test]
fn undefined_forms_are_errors() {
    fails!(Undefined: INF, neg_inf_add inf_add (-INF));
    fails!(Undefined: INF, neg_inf_sub inf_sub (INF));
    fails!(Undefined: INF, neg_inf_mul inf_mul (-0.0));
    fails!(Undefined: 0.0, neg_inf_mul inf_mul (-INF));
    fails!(Undefined: INF, neg_inf_div inf_div (INF));
    fails!(Undefined: 1.0, neg_inf_div inf_div (0.0));
    fails!(Undefined: 0.0, neg_inf_div inf_div (-0.0));
    fails!(Undefined: INF, neg_inf_div inf_div (0.0));
    fails!(Undefined: -TINY, neg_inf_sqrt inf_sqrt ());
    fails!(Undefined: -INF, neg_inf_sqrt inf_sqrt ());
    fails!(Undefined: -TINY, neg_inf_ln inf_ln ());
    fails!(Undefined: -INF, neg_inf_ln inf_ln ());
    fails!(Undefined: -1.000_000_000_000_000_2, neg_inf_ln_1p inf_ln_1p ());
    fails!(Undefined: -INF, neg_inf_ln_1p inf_ln_1p ());
    fails!(Undefined: -0.0, neg_inf_powi inf_powi (-1));
}

#[test]
fn nan_is_an_error_that_names_the_operation() {
    let nan = f64::NAN;
    fails!(NotANumber: nan, neg_inf_add inf_add (1.0));
    fails!(NotANumber: 1.0, neg_inf_add inf_add (nan));
    fails!(NotANumber: nan, neg_inf_sub inf_sub (1.0));
    fails!(NotANumber: INF, neg_inf_mul inf_mul (nan));
    fails!(NotANumber: 0.0, neg_inf_div inf_div (nan));
    fails!(NotANumber: nan, neg_inf_sqrt inf_sqrt ());
    fails!(NotANumber: nan, neg_inf_ln inf_ln ());
    fails!(NotANumber: nan, neg_inf_ln_1p inf_ln_1p ());
    fails!(NotANumber: nan, neg_inf_exp inf_exp ());
    fails!(NotANumber: nan, neg_inf_exp_m1 inf_exp_m1 ());
    fails!(NotANumber: nan, neg_inf_powi inf_powi (0));
    assert_eq!(u8::inf_cast(nan).unwrap_err().kind(), ErrorKind::NotANumber);
    let message = "inf_ln: an operand is NaN; every other value is accepted";
    assert_eq!(nan.inf_ln().unwrap_err().to_string(), message);
}

#[test]
fn casts_at_the_ends() {
    assert_eq!(f64::inf_cast(u128::MAX), Ok(2f64.powi(128)));
    assert_eq!(f64::neg_inf_cast(u128::MAX), Ok(f64::from_bits(2f64.powi(128).to_bits() - 1)));
    assert_eq!(f32::inf_cast(u128::MAX), Ok(2f32.powi(127) * 2.0));
    assert_eq!(f64::neg_inf_cast(i128::MIN), Ok(-(2f64.powi(127))));
    assert_eq!(i128::neg_inf_cast(-(2f64.powi(127))), Ok(i128::MIN));
    assert_eq!(i128::inf_cast(-INF), Ok(i128::MIN));
    assert_eq!(i128::inf_cast(INF).unwrap_err().kind(), ErrorKind::NoBound);
    assert_eq!(u128::inf_cast(2f64.powi(128)).unwrap_err().kind(), ErrorKind::NoBound);
    assert_eq!(u128::neg_inf_cast(2f64.powi(128)), Ok(u128::MAX));
    assert_eq!(u8::inf_cast(-0.5f32), Ok(0));
    assert_eq!(u8::neg_inf_cast(-0.5f32).unwrap_err().kind(), ErrorKind::NoBound);
    assert_eq!(i8::neg_inf_cast(-127.5f32), Ok(-128));
    assert_eq!(i8::inf_cast(127.5f32).unwrap_err().kind(), ErrorKind::NoBound);
    assert_eq!((i8::inf_cast(TINY), i8::neg_inf_cast(TINY)), (Ok(1), Ok(0)));
}

#[test]
fn typed_bounds_keep_their_direction() {
    let (up, down) = (|x: f64| Upper::new(x).unwrap(), |x: f64| Lower::new(x).unwrap());
    assert_eq!(up(0.1).add(up(0.2)).unwrap().get(), 0.1f64.inf_add(0.2).unwrap());
    assert_eq!(up(0.1).sub(down(0.2)).unwrap().get(), 0.1f64.inf_sub(0.2).unwrap());
    assert_eq!(down(0.1).sub(up(0.3)).unwrap().get(), 0.1f64.neg_inf_sub(0.3).unwrap());
    assert_eq!(down(3.0).ln().unwrap().get(), 3.0f64.neg_inf_ln().unwrap());
    assert_eq!(up(3.0).exp().unwrap().neg().get(), -3.0f64.inf_exp().unwrap());
    assert_eq!(up(1.0).div(down(3.0)).unwrap().get(), 1.0f64.inf_div(3.0).unwrap());
    assert_eq!(down(1.0).div(up(3.0)).unwrap().get(), 1.0f64.neg_inf_div(3.0).unwrap());
    assert_eq!(up(-1.0).div(down(3.0)).unwrap().get(), 0.0);
    assert_eq!(up(0.1).scale(3.0).unwrap().get(), 0.1f64.inf_mul(3.0).unwrap());
    assert_eq!((up(1.0).max(up(2.0)).get(), down(1.0).min(down(2.0)).get()), (2.0, 1.0));
    assert_eq!((up(-TINY).max(up(0.0)).get(), down(-INF).min(down(TINY)).get()), (0.0, -INF));
    assert!(up(1.0).div(down(0.0)).is_err() && down(-1.0).div(up(1.0)).is_err());
    assert!(up(1.0).scale(-1.0).is_err() && up(1.0).scale(f64::NAN).is_err());
    assert!(Upper::new(f64::NAN).is_err() && Lower::new(f32::NAN).is_err());
    assert_eq!((up(0.0).div(down(3.0)), down(0.0).div(up(3.0))), (Ok(up(0.0)), Ok(down(0.0))));
    assert_eq!(up(1.0).scale(f64::NAN).unwrap_err().operation(), "Upper::scale");
}

#[test]
fn bounds_compare_by_value() {
    assert_eq!(Upper::new(0.0).unwrap(), Upper::new(-0.0).unwrap());
    assert_ne!(Upper::new(TINY).unwrap(), Upper::new(0.0).unwrap());
    assert_eq!(Lower::new(-INF).unwrap(), Lower::new(-INF).unwrap());
    assert!(Lower::new(-1.0f32).unwrap() < Lower::new(-0.5f32).unwrap());
    let ascending = [-INF, -MAX, -2.0, -1.5, -1.0, -TINY, 0.0, TINY, 1.0, 1.5, 2.0, MAX, INF];
    for pair in ascending.windows(2) {
        assert!(Upper::new(pair[0]).unwrap() < Upper::new(pair[1]).unwrap(), "{pair:?}");
    }
}

#[test]
fn an_error_names_the_operation_and_the_rule() {
    let zero = (Upper::new(0.0).unwrap(), Lower::new(0.0).unwrap());
    let error = zero.0.div(zero.1).unwrap_err();
    assert_eq!(error.to_string(), "Upper::div: it has no value for these operands");
    assert_eq!(zero.1.div(zero.0).unwrap_err().operation(), "Lower::div");
    let error = u8::inf_cast(256.0f64).unwrap_err();
    assert_eq!(
        error.to_string(),
        "inf_cast: the target type has no value on that side of the operand"
    );
    let error = f64::NAN.inf_ln().unwrap_err();
    assert_eq!(error.to_string(), "inf_ln: an operand is NaN; every other value is accepted");
}

#[test]
fn a_real_has_the_parts_that_it_was_made_of() {
    let x = Real::exact(true, 3, -2);
    assert_eq!((x.is_negative(), x.mantissa(), x.exponent()), (true, 3, -2));
    assert!(!x.with_sign(false).is_negative());
    assert_eq!(Real::sum(x, Real::exact(false, 1, 0)).round::<f64>(Direction::Up), 0.25);
}

/// A sum of what is not known exactly would look exact.
#[test]
fn a_sum_takes_exact_numbers_of_120_bits_only() {
    let one = Real::exact(false, 1, 0);
    let long = Real::exact(false, 1 << 120, 0);
    let third = Real::ratio(&1u32.into(), &3u32.into()).unwrap();
    for (x, y) in [(long, one), (one, long), (long, long), (third, one), (one, third)] {
        assert!(std::panic::catch_unwind(|| Real::sum(x, y)).is_err());
    }
}

#[test]
fn the_nearest_of_two_is_the_even_one() {
    let nearest = |mantissa, exponent| {
        [false, true].map(|negative| {
            Real::exact(negative, mantissa, exponent).round::<f64>(Direction::Nearest)
        })
    };
    let both = |x: f64| [x, -x];
    let odd = (1u128 << 52) + 1;
    let ulp = f64::EPSILON;
    // Below the middle, in it, above it: after an even float and after an odd one.
    for (mantissa, float) in [
        ((1 << 62) + (1 << 9) - 1, 1.0),
        ((1 << 62) + (1 << 9), 1.0),
        ((1 << 62) + (1 << 9) + 1, 1.0 + ulp),
        ((odd << 10) + (1 << 9) - 1, 1.0 + ulp),
        ((odd << 10) + (1 << 9), 1.0 + 2.0 * ulp),
        ((odd << 10) + (1 << 9) + 1, 1.0 + 2.0 * ulp),
    ] {
        assert_eq!(nearest(mantissa, -62), both(float), "{mantissa:x}");
    }
    // All bits are below the smallest float, and the first of them is next to it, or further away.
    assert_eq!(nearest(u128::MAX, -1074 - 128), both(TINY));
    assert_eq!(nearest((1 << 127) + 1, -1074 - 128), both(TINY));
    assert_eq!(nearest(1 << 127, -1074 - 128), [0.0; 2]);
    assert_eq!(nearest(u128::MAX, -1074 - 129), [0.0; 2]);
    assert_eq!(nearest(u128::MAX, 1024 - 128), both(INF));
}

/// Whether anything follows the leading 128 bits.
#[test]
fn long_integers_are_exact_if_zeros_follow() {
    let power = BigUint::from(1u32) << 200u32;
    let rounded = |n: &BigUint, direction| Real::from_big(n, -200).round::<f64>(direction);
    assert_eq!([Direction::Down, Direction::Up].map(|to| rounded(&power, to)), [1.0; 2]);
    let above = &power + 1u32;
    assert_eq!(rounded(&above, Direction::Down), 1.0);
    assert_eq!(rounded(&above, Direction::Up), 1.0 + f64::EPSILON);
    assert_eq!(Real::from_big(&power, -200).exponent(), -127);
    assert_eq!(Real::from_float(-0.75f64).unwrap().round::<f64>(Direction::Up), -0.75);
    assert_eq!((Real::from_float(INF), Real::from_float(f64::NAN)), (None, None));
}
