//! Noise on a grid of `f32` and `f64`, from 64-bit words: each result is what its script demands.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use deniable_num::Float;
use deniable_sample::DiscreteLaplaceZ2k;
use deniable_verify::inversion::{is_right, magnitudes, neighbour, power, power_of_two, value};
use deniable_verify::words::{Script64, spread};

/// The result and how many words it took.
fn drawn<F: Float>(noise: &DiscreteLaplaceZ2k<F>, shift: F, script: &[u64]) -> (F, usize) {
    let mut source = Script64::new(script);
    let result = noise.sample(shift, &mut source).unwrap();
    (result, source.asked)
}

/// Every shift with every scale on every grid, over scripts that look random.
fn check_all<F: Float>(shifts: &[F], scales: &[F], grids: &[i32]) -> usize {
    let words = spread(40);
    let mut checked = 0;
    for &scale in scales {
        for &k in grids {
            let noise = DiscreteLaplaceZ2k::new(scale, k).unwrap();
            for &shift in shifts {
                for script in words.windows(8) {
                    let (result, asked) = drawn(&noise, shift, script);
                    let right = is_right(shift, scale, k, 64, &script[..asked], result);
                    assert!(right, "shift {shift:?} scale {scale:?} k {k}");
                    checked += 1;
                }
            }
        }
    }
    checked
}

#[test]
fn f64_at_both_ends_of_everything() {
    let shifts =
        [0.0, 1.0, -1.0, 1e-300, -5e-324, 0.3, 0.5, -0.5, 0.75, 1e6, -1e300, f64::MAX, f64::MIN];
    let scales = [5e-324, 1e-300, 1e-3, 0.1, 1.0, 1e6, 1e300, f64::MAX];
    let checked = check_all(&shifts, &scales, &[-1074, -1000, -40, 0, 1000, 1023]);
    assert_eq!(checked, 13 * 8 * 6 * 33);
}

#[test]
fn f32_at_both_ends_of_everything() {
    let shifts = [0.0, 1.0, -1e-45, 0.3, 0.5, -0.5, 1e6, f32::MAX, f32::MIN];
    let scales = [1e-45, 1e-3, 1.0, 1e6, f32::MAX];
    let checked = check_all::<f32>(&shifts, &scales, &[-149, -100, -3, 0, 127]);
    assert_eq!(checked, 9 * 5 * 5 * 33);
}

/// Scripts that follow the digits of e^(−g/s) for a g at which the rounding changes: they need the 128-bit
/// kernel, then big integers, and must still come out right on either side.
#[test]
fn scripts_next_to_a_rounding_boundary() {
    let (k, mut deepest) = (-1074, 0);
    for (shift, scale) in
        [(0.0, 1.0), (1.0, 1.0), (0.3, 1e-3), (-2.5, 1e6), (1e6, 1.0), (1e-300, 1e-300)]
    {
        for sign in [0x1234_5678_9abc_def0, 0x9234_5678_9abc_def0] {
            for start in spread(12) {
                let scripts = scripts_at_boundary(shift, scale, k, [sign, start]);
                for script in scripts {
                    let noise = DiscreteLaplaceZ2k::<f64>::new(scale, k).unwrap();
                    let (result, asked) = drawn(&noise, shift, &script);
                    assert!(is_right(shift, scale, k, 64, &script[..asked], result));
                    deepest = deepest.max(asked);
                }
            }
        }
    }
    assert!(deepest >= 6, "big integers were not reached: {deepest} words");
}

/// Scripts that begin with the sign, follow the boundary above what `start` leads to, and then leave it.
fn scripts_at_boundary(shift: f64, scale: f64, k: i32, start: [u64; 2]) -> Vec<Vec<u64>> {
    let noise = DiscreteLaplaceZ2k::<f64>::new(scale, k).unwrap();
    let (result, _) = drawn(&noise, shift, &[start[0], start[1], 1, 2, 3, 4, 5, 6]);
    let (_, last) = magnitudes(shift, result, start[0] >> 63 == 1, k);
    let in_steps = value(scale) / power_of_two(k);
    let boundary = power(last.unwrap() + IBig::ONE, &in_steps, 600).low;
    let mut scripts = Vec::new();
    for depth in [1, 2, 3, 5] {
        for next in [0, u64::MAX] {
            let mut script = vec![start[0]];
            script.extend(first_words(&boundary, depth));
            script.extend([next, next, 0x5555_5555_5555_5555, 7, 8, 9]);
            scripts.push(script);
        }
    }
    scripts
}

/// The first words of a number in [0, 1).
fn first_words(x: &RBig, count: i32) -> Vec<u64> {
    let digits = UBig::try_from((x * power_of_two(64 * count)).floor()).unwrap();
    let word = |i| u64::try_from((&digits >> (64 * i)) & UBig::from(u64::MAX)).unwrap();
    (0..count as usize).rev().map(word).collect()
}

/// The checks above find these mistakes.
mod planted {
    use super::*;

    #[test]
    fn a_neighbouring_float_is_found() {
        let noise = DiscreteLaplaceZ2k::<f64>::new(1.0, -1074).unwrap();
        for script in spread(40).windows(8) {
            let (result, asked) = drawn(&noise, 0.3, script);
            for places in [-1, 1] {
                let wrong = neighbour(result, places).unwrap();
                assert!(!is_right(0.3, 1.0, -1074, 64, &script[..asked], wrong));
            }
        }
    }

    #[test]
    fn a_flipped_sign_is_found() {
        let noise = DiscreteLaplaceZ2k::<f64>::new(2.0, 0).unwrap();
        for script in spread(40).windows(8) {
            let (result, asked) = drawn(&noise, 0.0, script);
            assert!(!is_right(0.0, 2.0, 0, 64, &script[..asked], -1.0 - result));
        }
    }

    #[test]
    fn a_scale_off_in_its_last_bit_is_found() {
        let noise = DiscreteLaplaceZ2k::<f64>::new(1.0 + f64::EPSILON, -1074).unwrap();
        let wrong = spread(400)
            .windows(8)
            .filter(|script| {
                let (result, asked) = drawn(&noise, 0.0, script);
                !is_right(0.0, 1.0, -1074, 64, &script[..asked], result)
            })
            .count();
        assert!(wrong > 200, "{wrong}");
    }
}
