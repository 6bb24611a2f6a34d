//! The worst ratios of the laws that the mechanisms state, as rational numbers.
//!
//! Each function has a ratio for every kind of pair of inputs: two answers, and an answer and one that is none of the
//! categories, which is randomized too.

pub mod rappor;

use dashu_ratio::RBig;

use crate::exact::{Worst, fraction, value};

/// Yes or no: the truth with probability `prob`.
///
/// # Panics
///
/// If `prob` is not finite.
pub fn yes_no(prob: f64) -> Worst {
    let truth = value(prob);
    Worst::of_probabilities(&truth, &(RBig::ONE - &truth))
}

/// One of t places: that of the answer with probability `prob`, else one of the others. So are the buckets of local hashing.
///
/// # Panics
///
/// If `prob` is not finite, or t is below 2.
pub fn choice(t: u32, prob: f64) -> [Worst; 3] {
    let (anyone, truth) = (fraction(1, t.into()), value(prob));
    let lie = (RBig::ONE - &truth) / RBig::from(t - 1);
    let (more, less) = if truth > lie { (&truth, &lie) } else { (&lie, &truth) };
    [(more, less), (more, &anyone), (&anyone, less)].map(|(a, b)| Worst::of_probabilities(a, b))
}

/// A bit for each category, which is one with probability `one` for the answer's and with probability `zero` for others.
///
/// # Panics
///
/// If one of both is not finite.
pub fn bits_of_a_choice(one: f64, zero: f64) -> [Worst; 3] {
    let (p, q) = (value(one), value(zero));
    let (never, other) = (RBig::ONE - &p, RBig::ONE - &q);
    // One in bit i, zero in bit j, and both, of the answers i and j.
    [
        Worst::of_probabilities(&p, &q),
        Worst::of_probabilities(&never, &other),
        Worst::of_probabilities(&(&p * &other), &(&q * &never)),
    ]
}

/// A subset of `size` of k categories, which has the answer with probability `prob`.
///
/// # Panics
///
/// If `prob` is not finite, or the size is not from 1 to k − 1.
pub fn subset(k: u32, size: u32, prob: f64) -> [Worst; 3] {
    // Times the number of subsets: of those, size in k have the answer.
    let (any, truth) = (RBig::ONE, value(prob));
    let is_in = &truth * fraction(k.into(), size.into());
    let is_out = (RBig::ONE - &truth) * fraction(k.into(), (k - size).into());
    [(&is_in, &any), (&any, &is_out), (&is_in, &is_out)].map(|(a, b)| Worst::of_probabilities(a, b))
}

/// One bit that is noise with probability f. Each bit in which two inputs differ is a factor.
///
/// # Panics
///
/// If f is not finite.
pub fn bit(f: f64) -> Worst {
    let flip = value(f) / RBig::from(2);
    Worst::of_probabilities(&(RBig::ONE - &flip), &flip)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(n: u64, d: u64) -> Worst {
        Worst::Ratio(fraction(n, d))
    }

    #[test]
    fn ratios_that_are_known() {
        assert_eq!(yes_no(0.75), ratio(3, 1));
        assert_eq!(yes_no(1.0), Worst::Infinite);
        // 1/2 and 1/4, and 1/3 of an answer outside.
        assert_eq!(choice(3, 0.5), [ratio(2, 1), ratio(3, 2), ratio(4, 3)]);
        assert_eq!(bits_of_a_choice(0.5, 0.25), [ratio(2, 1), ratio(3, 2), ratio(3, 1)]);
        // Each of the three pairs with the answer has 1/4, each without it 1/12, and each has 1/6 for an answer outside.
        assert_eq!(subset(4, 2, 0.75), [ratio(3, 2), ratio(2, 1), ratio(3, 1)]);
        assert_eq!(bit(0.5), ratio(3, 1));
    }
}
