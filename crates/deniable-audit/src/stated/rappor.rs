//! RAPPOR: one report of a client, and all of them, which tell as much as its permanent answer does.

use dashu_ratio::RBig;
use deniable::rappor::Params;

use crate::exact::{Worst, value};

/// The probabilities that a bit is one where the Bloom filter has a one, and where it has a zero.
pub type Ones = (RBig, RBig);

/// Those of the permanent answer.
pub fn permanent(params: &Params) -> Ones {
    let flip = value(params.f()) / RBig::from(2);
    (RBig::ONE - &flip, flip)
}

/// Those of a report of a new permanent answer.
pub fn report(params: &Params) -> Ones {
    let (q, p) = (value(params.q()), value(params.p()));
    let (one, zero) = permanent(params);
    let by = |one: RBig| &one * &q + (RBig::ONE - &one) * &p;
    (by(one), by(zero))
}

/// What every kind of pair of Bloom filters loses, as so many times the logarithm of a ratio. All bits are independent, so that ratios are multiplied.
pub fn losses(params: &Params, (one, zero): &Ones) -> Vec<(u64, Worst)> {
    let (first, second) = (most_for(one, zero), most_for(zero, one));
    let loss = |(a, b)| {
        let (times, worst) = match a {
            _ if first == second => (a + b, first.clone()),
            _ if a == b => (a, product(&first, &second)),
            _ => (1, product(&power(&first, a), &power(&second, b))),
        };
        (times as u64, worst)
    };
    kinds(params.k(), params.h()).into_iter().map(loss).collect()
}

/// For every pair of filters how many bits only the first has, and how many only the second. Of very many kinds only those of which no other has more
/// bits of one kind and as many of the other: a bit more never tells less.
pub fn kinds(k: usize, h: usize) -> Vec<(usize, usize)> {
    // Both may have bits in common, each has from 1 to h, and all together are at most k.
    let is_kind = |a: usize, b: usize| {
        let mut common = 0..=h;
        common.any(|c| [a + c, b + c].iter().all(|n| (1..=h).contains(n)) && a + b + c <= k)
    };
    let all = (0..=h).flat_map(|a| (0..=h).map(move |b| (a, b))).filter(|&(a, b)| is_kind(a, b));
    all.filter(|&(a, b)| h <= 6 || !is_kind(a + 1, b) && !is_kind(a, b + 1)).collect()
}

/// How much likelier an output of a bit is at most where it is a one with probability `above` than where it is with `below`.
fn most_for(above: &RBig, below: &RBig) -> Worst {
    match above >= below {
        true => Worst::of_probabilities(above, below),
        false => Worst::of_probabilities(&(RBig::ONE - above), &(RBig::ONE - below)),
    }
}

fn power(worst: &Worst, exponent: usize) -> Worst {
    match worst {
        _ if exponent == 0 => Worst::Ratio(RBig::ONE),
        Worst::Ratio(ratio) => Worst::Ratio(ratio.pow(exponent as isize)),
        Worst::Infinite => Worst::Infinite,
    }
}

fn product(a: &Worst, b: &Worst) -> Worst {
    match (a, b) {
        (Worst::Ratio(a), Worst::Ratio(b)) => Worst::Ratio(a * b),
        _ => Worst::Infinite,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::fraction;

    #[test]
    fn losses_that_are_known() {
        let params = Params::new(2, 1, 1, 0.25, 0.75, 0.5).unwrap();
        let none = (0, Worst::Ratio(RBig::ONE));
        // 5/8 and 3/8: two bits, each 5/3 times as likely. The same filter twice loses nothing.
        let ratio = |n, d| Worst::Ratio(fraction(n, d));
        let expect = |losses: Vec<(u64, Worst)>, times: u64, worst: Worst| {
            assert_eq!(losses.len(), 2);
            assert_eq!((losses[0].0, &losses[1]), (none.0, &(times, worst)));
        };
        expect(losses(&params, &report(&params)), 2, ratio(5, 3));
        expect(losses(&params, &permanent(&params)), 2, ratio(3, 1));
    }
}
