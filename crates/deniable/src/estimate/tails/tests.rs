//! Tails against closed forms, and tables.

use core::f64::consts::{PI, SQRT_2};

use super::*;

fn assert_near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{a} is not {b}");
}

fn assert_ratio(a: f64, b: f64) {
    assert!((a / b - 1.0).abs() < 1e-10, "{a} is not {b}");
}

#[test]
fn student_with_one_and_two_degrees_of_freedom() {
    for x in [-30.0f64, -1.0, -0.01, 0.0, 0.01, 0.3, 1.0, 2.0, 7.0, 1e3, 1e8] {
        assert_near(student(x, 1.0), 0.5 - x.atan() / PI, 1e-14);
        assert_near(student(x, 2.0), 0.5 - x / (2.0 * (2.0 + x * x).sqrt()), 1e-14);
    }
    // Its square is beyond all floats, and the tail below them.
    assert_eq!(student(1e200, 3.0), 0.0);
    // atan(1/x)/π, which keeps the digits of a small tail.
    assert_ratio(student(1e8, 1.0), 1e-8f64.atan() / PI);
}

#[test]
fn student_with_even_degrees_of_freedom() {
    for half in [2u32, 5, 50, 500] {
        let degrees = f64::from(2 * half);
        for x in [0.1f64, 1.0, 2.0, 4.0] {
            let (sine, mut term, mut sum) = (x / (degrees + x * x).sqrt(), 1.0, 0.0);
            for i in 0..half {
                sum += term;
                term *= (1.0 - sine * sine) * f64::from(2 * i + 1) / f64::from(2 * i + 2);
            }
            assert_near(student(x, degrees), 0.5 - sine / 2.0 * sum, 1e-13);
            assert_near(student(-x, degrees), 0.5 + sine / 2.0 * sum, 1e-13);
        }
    }
}

#[test]
fn chi_square_with_even_degrees_of_freedom() {
    // The probability of fewer than d/2 events of a Poisson law with mean x/2.
    for degrees in [2u32, 4, 10, 100, 900] {
        for ratio in [0.1, 0.5, 0.9, 1.0, 1.1, 1.5] {
            let mean = ratio * f64::from(degrees) / 2.0;
            let (mut term, mut sum) = ((-mean).exp(), 0.0);
            for i in 0..degrees / 2 {
                sum += term;
                term *= mean / f64::from(i + 1);
            }
            assert_ratio(chi_square(2.0 * mean, f64::from(degrees)), sum);
        }
    }
    assert_eq!(chi_square(0.0, 5.0), 1.0);
}

#[test]
fn normal_as_in_tables() {
    assert_ratio(normal(1.0), 0.158_655_253_931_457_05);
    assert_ratio(normal(SQRT_2), 0.078_649_603_525_142_57);
    assert_ratio(normal(5.0), 2.866_515_718_791_939e-7);
    assert_ratio(normal(10.0), 7.619_853_024_160_527e-24);
    assert_eq!((normal(f64::INFINITY), normal(f64::NEG_INFINITY)), (0.0, 1.0));
    assert_near(normal(-1.0), 1.0 - 0.158_655_253_931_457_05, 1e-14);
    assert_near(normal_quantile(0.025), 1.959_963_984_540_054, 1e-14);
    assert_near(normal_quantile(0.5), 0.0, 1e-14);
    assert_near(student_quantile(0.025, 1e7), 1.959_964, 1e-6);
    assert_near(student_quantile(0.025, f64::INFINITY), 1.959_963_984_540_054, 1e-14);
    assert_near(student(1.3, f64::INFINITY), normal(1.3), 1e-15);
}

#[test]
fn quantiles_are_those_of_their_tails() {
    for degrees in [1.0, 3.0, 30.0, 1000.0] {
        for tail in [0.4, 0.05, 1e-3, 1e-9] {
            assert_ratio(student(student_quantile(tail, degrees), degrees), tail);
            assert_ratio(normal(normal_quantile(tail)), tail);
        }
    }
}

#[test]
fn few_of_laplaces_law() {
    for x in [0.0f64, 0.3, 1.0, 5.0, 30.0, 300.0] {
        assert_ratio(laplace_sum(x, 1), (-x).exp() / 2.0);
        assert_ratio(laplace_sum(x, 2), (-x).exp() * (x + 2.0) / 4.0);
        assert_ratio(laplace_sum(x, 3), (-x).exp() * (x * x + 5.0 * x + 8.0) / 16.0);
    }
    for tail in [0.5, 0.025, 1e-9, 5e-31f64] {
        assert_near(laplace_sum_quantile(tail, 1), -(2.0 * tail).ln(), 1e-12);
    }
}

/// Another way to the same: the integral of sin(tx)/t·(1 + t²)^(−n), by Simpson's rule.
#[test]
fn sums_of_laplaces_law_by_their_characteristic_function() {
    for n in [4u64, 30, 700, FEW, 5000] {
        let deviation = (2.0 * n as f64).sqrt();
        let tail = |x: f64| {
            let (steps, end) = (20_000, 40.0f64.min(9.0 / (n as f64).sqrt() * 5.0));
            let at = |i: i32| {
                let t = end * f64::from(i) / f64::from(steps);
                let first = if i == 0 { x } else { (t * x).sin() / t };
                let weight = if i == 0 || i == steps { 1.0 } else { f64::from(2 + i % 2 * 2) };
                weight * first * (-(n as f64) * (t * t).ln_1p()).exp()
            };
            0.5 - (0..=steps).map(at).sum::<f64>() * end / f64::from(steps) / 3.0 / PI
        };
        for z in [0.1, 1.0, 2.0, 3.0, 4.0, 5.0] {
            let (x, by_integral) = (z * deviation, tail(z * deviation));
            if n <= FEW {
                assert_near(laplace_sum(x, n), by_integral, 1e-11);
            }
            // A quantile is not below the exact one, and hardly above it.
            let quantile = laplace_sum_quantile(by_integral, n);
            assert!(quantile > x * (1.0 - 1e-5) && quantile < x * (1.0 + 1e-5), "{n} {z}");
        }
    }
}

/// Where the sums begin to be many, both ways meet; the one for many is above the other at all tails.
#[test]
fn many_of_laplaces_law_are_as_few_are() {
    for tail in [0.5, 0.4, 0.25, 0.1, 0.025, 1e-3, 1e-6, 1e-9, 1e-15, 1e-20, 1e-30, 5e-31] {
        let many = laplace_sum_quantile(tail, FEW + 1);
        let few = exceeded(tail, |x| laplace_sum(x, FEW + 1));
        assert!(many >= few * (1.0 - 1e-14) && many < few * 1.0005 + 1e-3, "{tail}: {many} {few}");
    }
}

/// Noise on integers is beyond such a quantile at most twice as often, and at most a fifth more often if the scale is at least 3.
#[test]
fn sums_of_noise_on_integers_have_nearly_the_quantiles_of_laplaces_law() {
    for (scale, most) in [(0.3f64, 2.0), (1.0, 1.5), (3.0, 1.2), (10.0, 1.06)] {
        let q = (-1.0 / scale).exp();
        let one = |k: i32| (1.0 - q) / (1.0 + q) * q.powi(k.abs());
        // Of a sum from −ends to ends.
        let (ends, mut law) = ((40.0 * scale) as i32 + 40, vec![1.0]);
        for n in 1..=6 {
            let last = (law.len() / 2) as i32;
            let chance = |sum: i32| -> f64 {
                (-last..=last).map(|before| law[(before + last) as usize] * one(sum - before)).sum()
            };
            law = (-ends..=ends).map(chance).collect();
            for miss in [0.5, 0.2, 0.135, 0.1, 0.05, 0.01, 1e-3, 1e-6] {
                let reach = laplace_sum_quantile(miss / 2.0, n) * scale;
                let beyond: f64 = law[(ends + reach as i32 + 1) as usize..].iter().sum();
                assert!(2.0 * beyond < most * miss, "{scale} {n} {miss}: {beyond}");
            }
        }
    }
}
