//! Replays the known answers in `vectors/num`, which were computed with MPFR.

use std::{any::type_name, fmt::Debug, fs, path::Path, str::FromStr};

use deniable_num::{Directed, InfCast, Result};

#[test]
fn unary() {
    replay("unary.tsv", |fields| match fields[1] {
        "f32" => check_unary::<f32>(fields),
        _ => check_unary::<f64>(fields),
    });
}

#[test]
fn binary() {
    replay("binary.tsv", |fields| match fields[1] {
        "f32" => check_binary::<f32>(fields),
        _ => check_binary::<f64>(fields),
    });
}

#[test]
fn powi() {
    replay("powi.tsv", |fields| match fields[1] {
        "f32" => check_powi::<f32>(fields),
        _ => check_powi::<f64>(fields),
    });
}

#[test]
fn cast() {
    replay("cast.tsv", |fields| {
        macro_rules! dispatch {
            ($($integer:ident)*) => {
                match (fields[1], fields[2]) {
                    $(
                        (stringify!($integer), "f32") => check_cast::<$integer, f32>(fields),
                        (stringify!($integer), "f64") => check_cast::<$integer, f64>(fields),
                        ("f32", stringify!($integer)) => check_cast::<f32, $integer>(fields),
                        ("f64", stringify!($integer)) => check_cast::<f64, $integer>(fields),
                    )*
                    ("f32", "f64") => check_cast::<f32, f64>(fields),
                    ("f64", "f32") => check_cast::<f64, f32>(fields),
                    _ => panic!("no such cast: {fields:?}"),
                }
            };
        }
        // The answers for these two are those of a 64-bit machine.
        let is_native = fields[1..3].iter().any(|name| name.ends_with("size"));
        if !is_native || usize::BITS == 64 {
            dispatch!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);
        }
    });
}

/// Calls `check` with the fields of each case, and compares their number with the file's header.
fn replay(name: &str, check: impl Fn(&[&str])) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/num").join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let declared = text.lines().find_map(|line| line.strip_prefix("# cases: "));
    let declared: usize = declared.expect("a header with the number of cases").parse().unwrap();
    let cases = text.lines().filter(|line| !line.starts_with('#'));
    let count = cases.map(|line| check(&line.split('\t').collect::<Vec<_>>())).count();
    assert_eq!(count, declared, "{name}");
    assert!(count >= 500, "{name} is nearly empty");
}

fn check_unary<F: Directed + Value>(fields: &[&str]) {
    let &[function, _, x, down, up] = fields else { panic!("{fields:?}") };
    let x = F::parse(x);
    let (got_down, got_up) = match function {
        "sqrt" => (x.neg_inf_sqrt(), x.inf_sqrt()),
        "ln" => (x.neg_inf_ln(), x.inf_ln()),
        "ln_1p" => (x.neg_inf_ln_1p(), x.inf_ln_1p()),
        "exp" => (x.neg_inf_exp(), x.inf_exp()),
        "exp_m1" => (x.neg_inf_exp_m1(), x.inf_exp_m1()),
        _ => panic!("no such function: {fields:?}"),
    };
    assert_same(down, got_down, fields);
    assert_same(up, got_up, fields);
}

fn check_binary<F: Directed + Value>(fields: &[&str]) {
    let &[function, _, x, y, down, up] = fields else { panic!("{fields:?}") };
    let (x, y) = (F::parse(x), F::parse(y));
    let (got_down, got_up) = match function {
        "add" => (x.neg_inf_add(y), x.inf_add(y)),
        "sub" => (x.neg_inf_sub(y), x.inf_sub(y)),
        "mul" => (x.neg_inf_mul(y), x.inf_mul(y)),
        "div" => (x.neg_inf_div(y), x.inf_div(y)),
        _ => panic!("no such function: {fields:?}"),
    };
    assert_same(down, got_down, fields);
    assert_same(up, got_up, fields);
}

/// `powi` may be one step further out, unless the power is a float.
fn check_powi<F: Directed + Value>(fields: &[&str]) {
    let &["powi", _, x, n, down, up] = fields else { panic!("{fields:?}") };
    let (x, n) = (F::parse(x), n.parse().unwrap());
    let (got_down, got_up) = (x.neg_inf_powi(n), x.inf_powi(n));
    if down == up {
        assert_same(down, got_down, fields);
        assert_same(up, got_up, fields);
        return;
    }
    let [got_down, got_up] = [got_down, got_up].map(|got| {
        let (position, is_negative) = got.expect("a power").position_and_sign();
        assert!(position != 0 || !is_negative, "-0.0: {fields:?}");
        position
    });
    let [down, up] = [down, up].map(|bound| F::parse(bound).position());
    assert!((0..=1).contains(&(down - got_down)), "{fields:?}");
    assert!((0..=1).contains(&(got_up - up)), "{fields:?}");
}

fn check_cast<From: Value, To: Value + InfCast<From>>(fields: &[&str]) {
    let &["cast", _, _, value, down, up] = fields else { panic!("{fields:?}") };
    let value = From::parse(value);
    assert_same(down, To::neg_inf_cast(value), fields);
    assert_same(up, To::inf_cast(value), fields);
}

fn assert_same<T: Value>(expected: &str, got: Result<T>, fields: &[&str]) {
    let expected = (expected != "error").then(|| T::parse(expected));
    let got = got.ok();
    assert_eq!(
        expected.map(T::position_and_sign),
        got.map(T::position_and_sign),
        "{} expected {expected:?}, got {got:?}: {fields:?}",
        type_name::<T>()
    );
}

/// A number in a file: the bits of a float in hexadecimal, an integer in decimal.
trait Value: Copy + Debug {
    fn parse(text: &str) -> Self;
    /// The place among the numbers of the type: neighbours differ by one.
    fn position(self) -> i128;
    /// Equal for the same bits only.
    fn position_and_sign(self) -> (i128, bool);
}

macro_rules! float {
    ($float:ty, $bits:ty) => {
        impl Value for $float {
            fn parse(text: &str) -> Self {
                Self::from_bits(<$bits>::from_str_radix(text, 16).unwrap())
            }
            fn position(self) -> i128 {
                let magnitude = i128::from(self.abs().to_bits());
                if self.is_sign_negative() { -magnitude } else { magnitude }
            }
            fn position_and_sign(self) -> (i128, bool) {
                (self.position(), self.is_sign_negative())
            }
        }
    };
}

float!(f32, u32);
float!(f64, u64);

macro_rules! integer {
    ($($integer:ty)*) => { $(
        impl Value for $integer {
            fn parse(text: &str) -> Self {
                Self::from_str(text).unwrap()
            }
            fn position(self) -> i128 {
                self as i128
            }
            fn position_and_sign(self) -> (i128, bool) {
                (self.position(), false)
            }
        }
    )* };
}

integer!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);
