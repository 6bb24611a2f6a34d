//! Conversions between integers and floats.

use std::time::Instant;

use deniable_num::InfCast;
use rug::{Float, Integer, float::Round};

use crate::{
    function::{Answer, hex},
    number::Number,
    oracle::bounds,
    rng::{SplitMix, seed},
    strata::draw::{Draw, scale},
    tally::{THREADS, Tally, in_parallel},
};

/// Runs `count` cases of each pair of types; whether nothing was wrong.
pub fn run(count: u64) -> bool {
    let start = Instant::now();
    let mut total = Tally::default();
    for_each_pair(&mut |pair: &dyn Pair| {
        let tally = in_parallel(|thread| {
            let mut tally = Tally::default();
            (thread..count).step_by(THREADS as usize).for_each(|i| pair.check(i, &mut tally));
            tally
        });
        let tally = tally.into_iter().reduce(Tally::merge).expect("at least one thread");
        tally.shown.iter().for_each(|line| println!("  {line}"));
        total = std::mem::take(&mut total).merge(tally);
    });
    println!(
        "casts: {} cases, {} wrong, {:.1} seconds",
        total.cases,
        total.violations(),
        start.elapsed().as_secs_f64()
    );
    total.violations() == 0
}

/// A pair of types that can be cast.
pub trait Pair: Sync {
    /// Compares case number `index` with what is right.
    fn check(&self, index: u64, tally: &mut Tally);
    /// Case number `index` as a line of the known answers.
    fn line(&self, index: u64) -> String;
}

/// Calls `each` with all pairs of types, always in the same order.
pub fn for_each_pair(each: &mut dyn FnMut(&dyn Pair)) {
    macro_rules! pairs {
        ($($integer:ty)*) => { $(
            each(&Cast::<$integer, f32>::NEW);
            each(&Cast::<$integer, f64>::NEW);
            each(&Cast::<f32, $integer>::NEW);
            each(&Cast::<f64, $integer>::NEW);
        )* };
    }
    pairs!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);
    each(&Cast::<f32, f64>::NEW);
    each(&Cast::<f64, f32>::NEW);
}

/// The cast from `From` to `To`.
struct Cast<From, To>(std::marker::PhantomData<fn(From) -> To>);

impl<From, To> Cast<From, To> {
    const NEW: Self = Self(std::marker::PhantomData);
}

impl<From: Operand, To: Operand + InfCast<From>> Cast<From, To> {
    fn value(index: u64) -> From {
        let name = format!("{} {}", From::NAME, To::NAME);
        let mut draw = Draw::new(SplitMix::for_case(seed(&name), index));
        // Values at home in either type: a float that is nearly an integer, an integer that is
        // nearly a float.
        match index % 3 {
            0 => From::draw(&mut draw),
            1 => From::from_exact(To::draw(&mut draw).exact(), &mut draw),
            _ => From::from_exact(between_floats(&mut draw), &mut draw),
        }
    }
}

impl<From: Operand, To: Operand + InfCast<From>> Pair for Cast<From, To> {
    fn check(&self, index: u64, tally: &mut Tally) {
        let value = Self::value(index);
        let expected = To::expected(value.exact());
        let got = Answer { down: To::neg_inf_cast(value).ok(), up: To::inf_cast(value).ok() };
        tally.cases += 1;
        if !agrees(&expected, &got) {
            tally.record_wrong(|| {
                let (from, to) = (From::NAME, To::NAME);
                format!("{from} to {to}: {}, expected {expected:?}, got {got:?}", value.text())
            });
        }
    }

    fn line(&self, index: u64) -> String {
        let value = Self::value(index);
        let expected = To::expected(value.exact());
        let [down, up] =
            [expected.down, expected.up].map(|a| a.map_or("error".to_owned(), Operand::text));
        format!("cast\t{}\t{}\t{}\t{down}\t{up}", From::NAME, To::NAME, value.text())
    }
}

/// Whether both directions are the same, bit by bit: −0.0 is not +0.0 here.
pub fn agrees<To: Operand>(expected: &Answer<To>, got: &Answer<To>) -> bool {
    let bits = |answer: Option<To>| answer.map(Operand::bits);
    bits(expected.down) == bits(got.down) && bits(expected.up) == bits(got.up)
}

/// A type that takes part in casts.
pub trait Operand: Copy + std::fmt::Debug {
    /// The name of the type.
    const NAME: &'static str;
    /// A stratified value.
    fn draw(draw: &mut Draw) -> Self;
    /// A value at or next to `exact`.
    fn from_exact(exact: Float, draw: &mut Draw) -> Self;
    /// The value without rounding; NaN and infinities as such.
    fn exact(self) -> Float;
    /// The greatest value of the type at most `exact`, and the least value at least that.
    fn expected(exact: Float) -> Answer<Self>;
    /// Bits in hexadecimal for a float, decimal for an integer.
    fn text(self) -> String;
    /// The bits.
    fn bits(self) -> u128;
}

/// Enough precision for every value of every type here: integers of 128 bits, floats of 53.
const ROOM: u32 = 256;

/// Integers next to the middle between two floats, and next to floats, at all sizes.
fn between_floats(draw: &mut Draw) -> Float {
    let bits = draw.rng.pick(&[23, 24, 25, 52, 53, 54]);
    let top = draw.odd(bits);
    let shift = draw.rng.below(129 - u64::from(bits)) as u32;
    let value = (Integer::from(top) << shift) + draw.rng.between(-2, 2);
    let value = if draw.rng.next() >> 63 == 0 { value } else { -value };
    Float::with_val(ROOM, value)
}

macro_rules! integer {
    ($($integer:ty)*) => { $(
        impl Operand for $integer {
            const NAME: &'static str = stringify!($integer);

            fn draw(draw: &mut Draw) -> Self {
                let wide = u128::from(draw.rng.next()) << 64 | u128::from(draw.rng.next());
                let few = draw.rng.between(-4, 4) as Self;
                let shift = draw.rng.below(u64::from(Self::BITS)) as u32;
                match draw.rng.below(5) {
                    0 => wide as Self,
                    1 => wide as Self >> shift,
                    2 => (1 as Self).wrapping_shl(shift).wrapping_add(few),
                    3 => Self::MAX.wrapping_add(few),
                    _ => few,
                }
            }
            fn from_exact(exact: Float, draw: &mut Draw) -> Self {
                // Wraps around where it does not fit: any value will do then.
                let near = exact.to_integer().map(|integer| integer.to_u128_wrapping());
                near.map_or_else(|| Self::draw(draw), |near| near as Self)
            }
            fn exact(self) -> Float {
                Float::with_val(ROOM, self)
            }
            fn expected(exact: Float) -> Answer<Self> {
                if exact.is_nan() {
                    return Answer::ERROR;
                }
                let (least, greatest) = (Self::MIN, Self::MAX);
                let down = if exact < least {
                    None
                } else if exact >= greatest {
                    Some(greatest)
                } else {
                    exact.clone().floor().to_integer().and_then(|i| i.try_into().ok())
                };
                let up = if exact > greatest {
                    None
                } else if exact <= least {
                    Some(least)
                } else {
                    exact.ceil().to_integer().and_then(|i| i.try_into().ok())
                };
                Answer { down, up }
            }
            fn text(self) -> String {
                self.to_string()
            }
            fn bits(self) -> u128 {
                self as u128
            }
        }
    )* };
}

integer!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

macro_rules! float {
    ($($float:ty)*) => { $(
        impl Operand for $float {
            const NAME: &'static str = stringify!($float);

            fn draw(draw: &mut Draw) -> Self {
                match draw.rng.below(6) {
                    0 => draw.bits(),
                    1 => draw.special(),
                    2 => draw.edge(),
                    // Integers and a half, at all sizes.
                    3 => {
                        let bits = draw.rng.between(1, 26) as u32;
                        let shift = draw.rng.between(-2, 104);
                        let value = Self::near(scale(draw.odd(bits) as f64, shift));
                        draw.signed(value)
                    }
                    _ => {
                        let value = draw.between(-2, 129.min(<Self as Number>::HIGH));
                        draw.signed(value)
                    }
                }
            }
            fn from_exact(exact: Float, draw: &mut Draw) -> Self {
                let near = <Self as Number>::floor(&exact);
                draw.nudge(near, 2)
            }
            fn exact(self) -> Float {
                Float::with_val(ROOM, self)
            }
            fn expected(exact: Float) -> Answer<Self> {
                if exact.is_nan() {
                    return Answer::ERROR;
                }
                let precision = <Self as Number>::PRECISION;
                let (down, order) = Float::with_val_round(precision, &exact, Round::Down);
                bounds(&down, order)
            }
            fn text(self) -> String {
                hex(self)
            }
            fn bits(self) -> u128 {
                Number::bits(self).into()
            }
        }
    )* };
}

float!(f32 f64);
