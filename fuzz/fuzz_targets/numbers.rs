//! Directed rounding against exact rationals of another library.
#![no_main]

use arbitrary::Arbitrary;
use dashu_ratio::RBig;
use deniable::num::{Directed, Float, InfCast};
use deniable_fuzz::planted;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input {
    a: f64,
    b: f64,
    c: f32,
    d: f32,
    n: i32,
    signed: i64,
    unsigned: u64,
}

fuzz_target!(|input: Input| {
    let Input { a, b, c, d, n, signed, unsigned } = input;
    basic(a, b, exact(a), exact(b));
    basic(c, d, exact(c), exact(d));
    powers(a, n % 65);
    functions(a);
    let bounds = (f32::neg_inf_cast(a), f32::inf_cast(a));
    check(bounds, exact(a));
    check((f64::neg_inf_cast(signed), f64::inf_cast(signed)), Some(signed.into()));
    check((f32::neg_inf_cast(signed), f32::inf_cast(signed)), Some(signed.into()));
    check((f64::neg_inf_cast(unsigned), f64::inf_cast(unsigned)), Some(unsigned.into()));
    check((f32::neg_inf_cast(unsigned), f32::inf_cast(unsigned)), Some(unsigned.into()));
    if let (Some(x), Ok(below), Ok(above)) = (exact(a), i64::neg_inf_cast(a), i64::inf_cast(a)) {
        assert!(RBig::from(below) <= x && x <= RBig::from(above), "a cast to the wrong side");
        assert!(above.abs_diff(below) <= 1, "a cast that is too wide");
    }
});

/// A float that the other library takes.
trait Exact: Float + Directed + Into<f64> + PartialOrd {
    fn above(self) -> Self;
}

impl Exact for f64 {
    fn above(self) -> f64 {
        self.next_up()
    }
}

impl Exact for f32 {
    fn above(self) -> f32 {
        self.next_up()
    }
}

fn exact(x: impl Into<f64>) -> Option<RBig> {
    RBig::try_from(x.into()).ok()
}

type Bounds<T> = (deniable::num::Result<T>, deniable::num::Result<T>);

/// Checks that the exact number is between both, that they are it or neighbours, and that both are refused or none.
fn check<T: Exact>((below, above): Bounds<T>, exact_value: Option<RBig>) {
    let (Ok(below), Ok(above)) = (&below, &above) else {
        assert!(below.is_err() && above.is_err(), "half refused");
        return;
    };
    let Some(x) = exact_value else { return };
    let (below, above): (T, T) = (*below, *above);
    let shown = planted::rounded_up(above.into());
    match exact(shown) {
        Some(above) => assert!(x <= above, "rounded up to below"),
        None => assert!(shown == f64::INFINITY, "rounded up to nowhere"),
    }
    match exact(below) {
        Some(below) => assert!(below <= x, "rounded down to above"),
        None => assert!(below.into() == f64::NEG_INFINITY, "rounded down to nowhere"),
    }
    let is_exact = exact(below) == Some(x);
    let next: f64 = if is_exact { below.into() } else { below.above().into() };
    assert!(above.into() == next, "not the nearest");
}

fn basic<T: Exact>(a: T, b: T, x: Option<RBig>, y: Option<RBig>) {
    let both = |of: fn(RBig, RBig) -> RBig| Some(of(x.clone()?, y.clone()?));
    check((a.neg_inf_add(b), a.inf_add(b)), both(|x, y| x + y));
    check((a.neg_inf_sub(b), a.inf_sub(b)), both(|x, y| x - y));
    check((a.neg_inf_mul(b), a.inf_mul(b)), both(|x, y| x * y));
    let is_divisor = y.as_ref().is_some_and(|y| *y != RBig::ZERO);
    check((a.neg_inf_div(b), a.inf_div(b)), is_divisor.then(|| both(|x, y| x / y)).flatten());
    if let (Ok(below), Ok(above), Some(x)) = (a.neg_inf_sqrt(), a.inf_sqrt(), x) {
        let square = |root: T| exact(root).map(|root| root.clone() * root);
        assert!(square(below).is_some_and(|square| square <= x), "a root above");
        assert!(square(above).is_some_and(|square| square >= x), "a root below");
        let is_next = above.into() == below.above().into();
        assert!(is_next || square(below) == square(above), "not the nearest root");
    }
}

fn powers(a: f64, n: i32) {
    let Some(x) = exact(a).filter(|x| n >= 0 || *x != RBig::ZERO) else { return };
    let power = x.pow(n.unsigned_abs() as isize);
    let power = if n < 0 { RBig::ONE / power } else { power };
    check((a.neg_inf_powi(n), a.inf_powi(n)), Some(power));
}

/// The system's functions are off by less than two units in the last place.
fn functions(a: f64) {
    for (below, above, near) in [
        (a.neg_inf_ln(), a.inf_ln(), a.ln()),
        (a.neg_inf_ln_1p(), a.inf_ln_1p(), a.ln_1p()),
        (a.neg_inf_exp(), a.inf_exp(), a.exp()),
        (a.neg_inf_exp_m1(), a.inf_exp_m1(), a.exp_m1()),
    ] {
        let (Ok(below), Ok(above)) = (below, above) else {
            assert!(near.is_nan() || near.is_infinite(), "refused");
            continue;
        };
        let above = planted::rounded_up(above);
        assert!(below <= above && above <= below.next_up(), "not the nearest");
        let (least, most) = (below.next_down().next_down(), above.next_up().next_up());
        assert!(least <= near && near <= most, "far from what the system says");
    }
}
