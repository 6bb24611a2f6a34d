//! The exact law of noise on a grid of floats.

use dashu_base::Signed;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use deniable_num::Float;
use deniable_sample::{DiscreteLaplaceZ2k, Result, sample_discrete_laplace_Z2k, textbook};
use deniable_verify::closed_form::{exp_neg, laplace_tail};
use deniable_verify::draws::enumerate_draws;
use deniable_verify::enumerate::{enumerate, inverse_power_of_two};
use deniable_verify::law::{Between, Law};
use deniable_verify::mini::Mini;
use deniable_verify::words::{Script, Script64, fraction, spread};

fn power_of_two(k: i32) -> RBig {
    let magnitude = UBig::ONE << k.unsigned_abs() as usize;
    if k >= 0 { RBig::from(magnitude) } else { RBig::from_parts(IBig::ONE, magnitude) }
}

/// ⌊x / 2^k + 1/2⌋: ties go up.
fn grid_index(x: &RBig, k: i32) -> IBig {
    (x / power_of_two(k) + RBig::from_parts(IBig::ONE, UBig::from(2u32))).floor()
}

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
    enumerate::<4, _>(DEPTH, |s| noise.sample(shift, s))
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
    let none = || Script64::new(&[]);
    for scale in [0.0, -0.0, -1.0, f64::INFINITY, f64::NAN] {
        assert!(sample_discrete_laplace_Z2k(0.0, scale, 0, &mut none()).is_err());
    }
    for shift in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        assert!(sample_discrete_laplace_Z2k(shift, 1.0, 0, &mut none()).is_err());
    }
    for k in [-1075, 1024, i32::MIN, i32::MAX] {
        assert!(DiscreteLaplaceZ2k::<f64>::new(1.0, k).is_err());
    }
    assert!(DiscreteLaplaceZ2k::<f64>::new(f64::MAX, 1023).is_ok());
    assert!(DiscreteLaplaceZ2k::<f32>::new(1e-45, -150).is_err());
}

// 64-bit words on real floats: outcomes are too many to list. Instead, what comes of a script must be what
// the inverse of the law's distribution function makes of the uniform number the script spells: the
// magnitude G of the noise is the g with e^(−(g+1)/s) < U ≤ e^(−g/s), and all g that round to the same float
// are an interval. Both ends are compared by exponentials.

/// The range of G whose noise takes `shift` to `result`, as grid indices; None for no upper end.
fn magnitudes(shift: f64, result: f64, negative: bool, k: i32) -> (IBig, Option<IBig>) {
    let exact = |x: f64| RBig::try_from(x).expect("finite");
    let center = grid_index(&exact(shift), k);
    let even = result.to_bits() & 1 == 0;
    // The nearest grid index on either side of halfway to the neighbour.
    let end = |neighbour: f64| {
        let halfway = (exact(neighbour) + exact(result)) / RBig::from(2) / power_of_two(k);
        let inward = if neighbour < result { halfway.ceil() } else { halfway.floor() };
        let tie = RBig::from(inward.clone()) == halfway;
        match (tie && !even, neighbour < result) {
            (true, true) => inward + IBig::ONE,
            (true, false) => inward - IBig::ONE,
            _ => inward,
        }
    };
    let lowest = (result != f64::MIN).then(|| end(below(result)) - &center);
    let highest = (result != f64::MAX).then(|| end(above(result)) - &center);
    // Noise z = G, or z = −1 − G.
    let (near, far) = if negative {
        (highest.map(|z| -IBig::ONE - z), lowest.map(|z| -IBig::ONE - z))
    } else {
        (lowest, highest)
    };
    let near = near.unwrap_or(IBig::ZERO).max(IBig::ZERO);
    (near, far)
}

/// The next float towards +∞.
fn above(x: f64) -> f64 {
    if x == 0.0 {
        return 5e-324;
    }
    f64::from_bits(if x > 0.0 { x.to_bits() + 1 } else { x.to_bits() - 1 })
}

/// The next float towards −∞.
fn below(x: f64) -> f64 {
    -above(-x)
}

/// Whether `result` is right for this script. The sign must have been decided by the first word.
fn is_right(shift: f64, scale: f64, k: i32, script: &[u64], asked: usize, result: f64) -> bool {
    let negative = script[0] >> 63 == 1;
    let (near, far) = magnitudes(shift, result, negative, k);
    let u = fraction(&script[1..asked]);
    let above = &u + inverse_power_of_two(64 * (asked - 1));
    let scale = RBig::try_from(scale).expect("finite");
    let bits = 64 * asked + 300;
    let power = |g: IBig| {
        let x = RBig::from(g) * power_of_two(k) / &scale;
        // Far beyond the script's own precision the power is 0 to all intents.
        if x > RBig::from(100_000) {
            return Between { low: RBig::ZERO, high: inverse_power_of_two(100_000) };
        }
        exp_neg(&x, bits)
    };
    let far_enough = above <= power(near).high;
    let near_enough = far.is_none_or(|far| !far.is_negative() && power(far + IBig::ONE).low <= u);
    far_enough && near_enough
}

const SHIFTS: [f64; 9] = [0.0, 1.0, -1.0, 1e-300, -5e-324, 0.3, 1e6, -1e300, f64::MAX];
const SCALES: [f64; 7] = [1.0, 0.1, 1e-3, 1e6, 1e-300, 1e300, f64::MAX];
const GRIDS: [i32; 5] = [-1074, -1000, -40, 0, 1023];

#[test]
fn scripts_of_64_bit_words_are_inverted() {
    let words = spread(60);
    let mut checked = 0;
    for shift in SHIFTS {
        for scale in SCALES {
            for k in GRIDS {
                let noise = DiscreteLaplaceZ2k::new(scale, k).unwrap();
                // The sign is the first bit only where the scale is far above the step.
                if RBig::try_from(scale).unwrap() < power_of_two(k + 20) {
                    continue;
                }
                for script in words.windows(8) {
                    let mut source = Script64::new(script);
                    let result = noise.sample(shift, &mut source).unwrap();
                    let right = is_right(shift, scale, k, script, source.asked, result);
                    assert!(right, "shift {shift:e} scale {scale:e} k {k}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 10_000, "{checked}");
}

/// Scripts that follow the digits of e^(−g/s) for a g at which the rounding changes: they need the 128-bit
/// kernel, then big integers, and must still come out right on either side.
#[test]
fn scripts_next_to_a_rounding_boundary_are_inverted() {
    let (k, mut deepest) = (-1074, 0);
    for (shift, scale) in
        [(0.0, 1.0), (1.0, 1.0), (0.3, 1e-3), (-2.5, 1e6), (1e6, 1.0), (1e-300, 1e-300)]
    {
        let noise = DiscreteLaplaceZ2k::new(scale, k).unwrap();
        for start in spread(12) {
            let script = [0x1234_5678_9abc_def0, start, 1, 2, 3, 4, 5, 6];
            let result: f64 = noise.sample(shift, &mut Script64::new(&script)).unwrap();
            let (_, far) = magnitudes(shift, result, false, k);
            let x = RBig::from(far.unwrap() + IBig::ONE) * power_of_two(k)
                / RBig::try_from(scale).unwrap();
            // The first 192 or 320 bits of the boundary, then one word that decides.
            for depth in [1, 2, 3, 5] {
                let digits = (exp_neg(&x, 600).low * power_of_two(64 * depth)).floor();
                let digits = UBig::try_from(digits).unwrap();
                let mut script = vec![0x1234_5678_9abc_def0];
                for i in (0..depth).rev() {
                    let word = (&digits >> (64 * i as usize)) & UBig::from(u64::MAX);
                    script.push(u64::try_from(word).unwrap());
                }
                for next in [0, u64::MAX] {
                    let mut script = script.clone();
                    script.extend([next, next, 0x5555_5555_5555_5555, 7, 8, 9]);
                    let mut source = Script64::new(&script);
                    let result = noise.sample(shift, &mut source).unwrap();
                    assert!(is_right(shift, scale, k, &script, source.asked, result));
                    deepest = deepest.max(source.asked);
                }
            }
        }
    }
    assert!(deepest >= 6, "big integers were not reached: {deepest} words");
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
        let up = (x + RBig::from_parts(IBig::ONE, UBig::from(2u32))).floor();
        let tie = RBig::from(up.clone()) - x == RBig::from_parts(IBig::ONE, UBig::from(2u32));
        if tie && &up % IBig::from(2) != IBig::ZERO { up - IBig::ONE } else { up }
    }

    fn ties_away(x: &RBig) -> IBig {
        let half = RBig::from_parts(IBig::ONE, UBig::from(2u32));
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
                check(&enumerate::<4, _>(DEPTH, sampler), case)
            };
            run("none").unwrap();
            assert!(run(mistake).is_err(), "{mistake} was not found");
        }
    }

    /// A result one unit off is not right for its script.
    #[test]
    fn a_neighbouring_float_is_found() {
        let noise = DiscreteLaplaceZ2k::new(1.0, -1074).unwrap();
        for script in spread(40).windows(8) {
            let mut source = Script64::new(script);
            let result: f64 = noise.sample(0.3, &mut source).unwrap();
            for wrong in [above(result), below(result)] {
                assert!(!is_right(0.3, 1.0, -1074, script, source.asked, wrong));
            }
        }
    }
}
