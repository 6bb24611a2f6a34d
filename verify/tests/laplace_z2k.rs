//! The exact law of noise on a grid of floats.

use dashu_base::Signed;
use dashu_int::IBig;
use dashu_ratio::RBig;
use deniable_num::Float;
use deniable_sample::{
    DiscreteLaplaceZ2k, Error, ErrorKind, Result, sample_discrete_laplace_Z2k, textbook,
};
use deniable_verify::closed_form::laplace_tail;
use deniable_verify::draws::enumerate_draws;
use deniable_verify::enumerate::{enumerate, inverse_power_of_two};
use deniable_verify::inversion::{grid_index, is_right, power_of_two};
use deniable_verify::law::{Between, Law};
use deniable_verify::mini::Mini;
use deniable_verify::words::{Script, Script64};

/// The first grid index from which on values round to `next` or above, where `before` and `next` are
/// neighbours: from halfway on, exactly there if `next` is the even one.
fn first_index(before: Mini, next: Mini, k: i32) -> IBig {
    let halfway = (before.value() + next.value()) / RBig::from(2) / power_of_two(k);
    let index = halfway.ceil();
    if RBig::from(index.clone()) == halfway && !next.is_even() { index + IBig::ONE } else { index }
}

/// The closed form for every float: sums of the discrete Laplace law between roundings.
fn closed_form(shift: Mini, scale: Mini, k: i32) -> Vec<(Mini, Between)> {
    let center = grid_index(&shift.value(), k);
    let in_steps = scale.value() / power_of_two(k);
    let all = Mini::all();
    // P(result ≥ y) for every y but the smallest.
    let tails: Vec<Between> = all
        .windows(2)
        .map(|pair| laplace_tail(&in_steps, &(first_index(pair[0], pair[1], k) - &center), 80))
        .collect();
    let certain = Between::exactly(RBig::ONE);
    let never = Between::exactly(RBig::ZERO);
    let above = tails.iter().chain([&never]);
    let at_least = [&certain].into_iter().chain(&tails);
    all.iter()
        .zip(at_least.zip(above))
        .map(|(&y, (from, to))| {
            (y, Between { low: &from.low - &to.high, high: &from.high - &to.low })
        })
        .collect()
}

fn shipping_law(shift: Mini, scale: Mini, k: i32) -> Law<Mini> {
    let noise = DiscreteLaplaceZ2k::new(scale, k).unwrap();
    enumerate::<4, _, Error>(DEPTH, |s| noise.sample(shift, s))
}

/// 24 bits in all; what they leave open is at most 2^−10, for the case with the most outcomes.
const DEPTH: usize = 6;

fn check(law: &Law<Mini>, (shift, scale, k): (Mini, Mini, i32)) -> std::result::Result<(), String> {
    law.check(&inverse_power_of_two(10), closed_form(shift, scale, k))
}

fn nearest(value: f64) -> Mini {
    let distance = |m: &&Mini| (m.value().to_f64().value() - value).abs();
    *Mini::all().iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap()
}

/// Zero, the smallest, ties on every grid, both ends; scales below, at and far above the step; the
/// finest grid, the coarsest, and some between.
fn cases() -> Vec<(Mini, Mini, i32)> {
    let shifts = [0.0, 0.001_953_125, -0.001_953_125, 0.5, -0.5, 1.5, -2.5, 7.0, 240.0, -240.0];
    let scales = [0.001_953_125, 0.25, 1.0, 3.5, 240.0];
    let mut all = Vec::new();
    for shift in shifts.map(nearest) {
        for scale in scales.map(nearest) {
            all.extend([-9, -4, 0, 3, 7].map(|k| (shift, scale, k)));
        }
    }
    all
}

#[test]
fn every_script_on_eight_bit_floats() {
    for case in cases() {
        let law = shipping_law(case.0, case.1, case.2);
        check(&law, case).unwrap_or_else(|e| panic!("{case:?}: {e}"));
        // A zero is always +0, whatever the sign of the noise.
        assert!(!law.mass.contains_key(&Mini(0x80)));
    }
}

/// The law's comparison has the remainder as its slack. This one has none: each script that ends, ends with
/// what its two uniform numbers demand.
#[test]
fn every_script_ends_as_it_should() {
    for (shift, scale, k) in cases().into_iter().step_by(23) {
        let noise = DiscreteLaplaceZ2k::new(scale, k).unwrap();
        let law = enumerate::<4, _, Error>(4, |s| {
            let result = noise.sample(shift, s)?;
            let right = is_right(shift, scale, k, 4, s.read(), result);
            assert!(right, "{:?} {:?}", (shift, scale, k), s.read());
            Ok(result)
        });
        assert!(law.remainder < inverse_power_of_two(1));
    }
}

#[test]
fn the_sign_of_a_zero_shift_means_nothing() {
    let law = shipping_law(Mini(0x80), nearest(1.0), 0);
    check(&law, (Mini(0), nearest(1.0), 0)).unwrap();
}

/// The textbook form, by its draws, has the same law.
#[test]
fn textbook_on_eight_bit_floats() {
    for (shift, scale, k) in [(1.5, 1.0, -1), (-0.5, 0.25, 0), (240.0, 3.5, -1), (0.0, 2.0, 1)] {
        let (shift, scale) = (nearest(shift), nearest(scale));
        let law = enumerate_draws(&inverse_power_of_two(60), |d| {
            textbook::discrete_laplace_z2k(shift, scale, k, d)
        });
        law.check(&inverse_power_of_two(40), closed_form(shift, scale, k)).unwrap();
    }
}

#[test]
fn refused_parameters() {
    // Not for want of words.
    let refused = |shift: f64, scale: f64| {
        let drawn = sample_discrete_laplace_Z2k(shift, scale, 0, &mut Script64::new(&[1; 9]));
        assert_eq!(drawn.unwrap_err().kind(), ErrorKind::InvalidParameter, "{shift} {scale}");
    };
    for scale in [0.0, -0.0, -1.0, f64::INFINITY, f64::NAN] {
        refused(0.0, scale);
    }
    for shift in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        refused(shift, 1.0);
    }
    for k in [-1075, 1024, i32::MIN, i32::MAX] {
        assert!(DiscreteLaplaceZ2k::<f64>::new(1.0, k).is_err());
    }
    assert!(DiscreteLaplaceZ2k::<f64>::new(f64::MAX, 1023).is_ok());
    assert!(DiscreteLaplaceZ2k::<f32>::new(1e-45, -150).is_err());
}

/// The checks above find these mistakes.
mod planted {
    use super::*;

    /// Rounds to the grid by another rule first; the sampler then has nothing left to round.
    fn pre_rounded(shift: Mini, k: i32, rule: fn(&RBig) -> IBig) -> Mini {
        let index = rule(&(shift.value() / power_of_two(k)));
        let value = RBig::from(index) * power_of_two(k);
        *Mini::all().iter().find(|m| m.value() == value).expect("a float on the grid")
    }

    fn ties_to_even(x: &RBig) -> IBig {
        let half = inverse_power_of_two(1);
        let up = (x + &half).floor();
        let tie = RBig::from(up.clone()) - x == half;
        if tie && &up % IBig::from(2) != IBig::ZERO { up - IBig::ONE } else { up }
    }

    fn ties_away(x: &RBig) -> IBig {
        let half = inverse_power_of_two(1);
        if x.is_negative() { (x - half).ceil() } else { (x + half).floor() }
    }

    type Planted = Box<dyn Fn(&mut Script<'_, 4>) -> Result<Mini>>;

    fn planted(mistake: &str, shift: Mini, scale: Mini, k: i32) -> Planted {
        let right = DiscreteLaplaceZ2k::new(scale, k).unwrap();
        let coarse = DiscreteLaplaceZ2k::new(scale, k + 1).unwrap();
        match mistake {
            "ties to even" => {
                let shift = pre_rounded(shift, k, ties_to_even);
                Box::new(move |s| right.sample(shift, s))
            }
            "ties away from zero" => {
                let shift = pre_rounded(shift, k, ties_away);
                Box::new(move |s| right.sample(shift, s))
            }
            "a dropped low bit" => Box::new(move |s| coarse.sample(shift, s)),
            "a signed zero" => Box::new(move |s| {
                let result = right.sample(shift, s)?;
                let negative = s.read()[0] >> 3 == 1;
                Ok(if result == Mini(0) && negative { Mini(0x80) } else { result })
            }),
            "an infinity" => Box::new(move |s| {
                let result = right.sample(shift, s)?;
                Ok(if result == Mini::largest(false) { Mini::infinity(false) } else { result })
            }),
            _ => Box::new(move |s| right.sample(shift, s)),
        }
    }

    #[test]
    fn mistakes_are_found() {
        for (mistake, shift, scale, k) in [
            ("ties to even", 0.5, 1.0, 0),
            ("ties away from zero", -0.5, 1.0, 0),
            ("a dropped low bit", 0.0, 1.0, -1),
            ("a signed zero", 0.0, 1.0, 0),
            ("an infinity", 240.0, 1.0, 0),
        ] {
            let case = (nearest(shift), nearest(scale), k);
            let run = |mistake| {
                let sampler = planted(mistake, case.0, case.1, case.2);
                check(&enumerate::<4, _, Error>(DEPTH, sampler), case)
            };
            run("none").unwrap();
            assert!(run(mistake).is_err(), "{mistake} was not found");
        }
    }
}
