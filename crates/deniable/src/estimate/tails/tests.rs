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
