//! Which arguments are worth asking about.
//!
//! Uniform bit patterns alone would hardly ever meet a cancellation, an exact product or the edge of
//! overflow, so each function has a list of strata and the cases go round them in turn.

pub mod binary;
pub mod draw;
pub mod powi;
pub mod unary;

use crate::{
    function::{Args, Function},
    number::Number,
    rng::{SplitMix, seed},
};
use draw::Draw;

/// Case number `index` of `function`.
pub fn case<F: Number>(function: Function, index: u64) -> Args<F> {
    let specials = draw::specials::<F>();
    let count = specials.len() as u64;
    // The first cases are all pairs of specials; a function of one number sees each many times.
    if index < count * count {
        let [x, y] = [index / count, index % count].map(|i| specials[i as usize]);
        let n = powi::SPECIAL_EXPONENTS[(index % powi::SPECIAL_EXPONENTS.len() as u64) as usize];
        return Args { x, y, n };
    }
    let mut draw = Draw::new(SplitMix::for_case(seed(function.name()), index));
    match function {
        Function::Powi => powi::draw(&mut draw, index),
        _ if function.is_binary() => binary::draw(function, &mut draw, index),
        _ => Args::unary(unary::draw(function, &mut draw, index)),
    }
}
