//! The exact laws of the textbook algorithms, by their draws.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use deniable_sample::textbook::{self, Draws};
use deniable_sample::{Ratio, Result};
use deniable_verify::closed_form::{exp_neg, geometric, laplace_between};
use deniable_verify::draws::{enumerate_draws, rational};
use deniable_verify::enumerate::inverse_power_of_two;
use deniable_verify::law::{Between, Law};
use deniable_verify::words::Script;
use num_bigint::BigUint;

fn ratio(numerator: u32, denominator: u32) -> Ratio {
    Ratio::new(numerator, denominator).unwrap()
}

fn smallest() -> RBig {
    inverse_power_of_two(60)
}

fn complement(p: &Between) -> Between {
    Between { low: RBig::ONE - &p.high, high: RBig::ONE - &p.low }
}

#[test]
fn bernoulli_rational() {
    for (n, d) in [(0, 1), (1, 1), (1, 2), (1, 3), (5, 7), (13, 64)] {
        let p = ratio(n, d);
        let law = enumerate_draws(&smallest(), |s| textbook::bernoulli_rational(&p, s));
        let exact = Between::exactly(rational(&p));
        law.check(&RBig::ZERO, [(false, complement(&exact)), (true, exact)]).unwrap();
    }
}

#[test]
fn bernoulli_exp() {
    for (n, d) in [(0, 1), (1, 7), (1, 2), (1, 1), (7, 5), (3, 1)] {
        let x = ratio(n, d);
        let law = enumerate_draws(&smallest(), |s| textbook::bernoulli_exp(&x, s));
        let exact = exp_neg(&rational(&x), 100);
        let largest = inverse_power_of_two(50);
        law.check(&largest, [(false, complement(&exact)), (true, exact)]).unwrap();
    }
}

fn geometric_support(scale: &Ratio) -> impl Iterator<Item = (u64, Between)> {
    let scale = rational(scale);
    (0..400).map(move |g| (g, geometric(&scale, g, 100)))
}

#[test]
fn geometric_integers() {
    for (t, s) in [(1, 3), (1, 1), (2, 3), (5, 2), (3, 1)] {
        let scale = ratio(t, s);
        let law = enumerate_draws(&smallest(), |d| {
            textbook::geometric(&scale, d).map(|g| u64::try_from(g).unwrap())
        });
        law.check(&inverse_power_of_two(50), geometric_support(&scale)).unwrap();
    }
}

fn laplace_support(scale: &Ratio) -> impl Iterator<Item = (i64, Between)> {
    let scale = rational(scale);
    (-200..200i64)
        .map(move |z| (z, laplace_between(&scale, &IBig::from(z), &IBig::from(z + 1), 100)))
}

fn law_of(scale: &Ratio, keep_negative_zero: bool) -> Law<i64> {
    enumerate_draws(&smallest(), |d| {
        if !keep_negative_zero {
            return textbook::discrete_laplace(scale, d).map(|z| i64::try_from(z).unwrap());
        }
        let magnitude = i64::try_from(textbook::geometric(scale, d)?).unwrap();
        Ok(if d.bernoulli(&ratio(1, 2))? { -magnitude } else { magnitude })
    })
}

#[test]
fn laplace_integers() {
    for (t, s) in [(1, 3), (1, 1), (2, 3), (5, 2)] {
        let scale = ratio(t, s);
        law_of(&scale, false).check(&inverse_power_of_two(50), laplace_support(&scale)).unwrap();
    }
}

#[test]
fn a_planted_double_zero_is_found() {
    let scale = ratio(1, 1);
    assert!(law_of(&scale, true).compare(laplace_support(&scale)).is_err());
}

#[test]
fn a_planted_off_by_one_in_the_alternating_count_is_found() {
    // Algorithm 1 with its answer taken one step too early: even for odd.
    fn wrong(x: &Ratio, d: &mut impl Draws) -> Result<bool> {
        let mut k = 0u32;
        while d.bernoulli(&Ratio::new(x.numerator().clone(), x.denominator() * (k + 1))?)? {
            k += 1;
        }
        Ok(k % 2 == 1)
    }
    let x = ratio(1, 2);
    let law = enumerate_draws(&smallest(), |s| wrong(&x, s));
    let exact = exp_neg(&rational(&x), 100);
    assert!(law.compare([(false, complement(&exact)), (true, exact)]).is_err());
}

/// Of its words, where the other tests choose.
#[test]
fn a_source_draws_by_its_words() {
    for word in 0..256 {
        let words = [word];
        let drawn = Script::<8>::new(&words).uniform_below(&256u32.into());
        assert_eq!(drawn, Ok(BigUint::from(word)));
        let is_below = Script::<8>::new(&words).bernoulli(&ratio(1, 2));
        assert_eq!(is_below, Ok(word < 128));
    }
}

#[test]
fn the_enumerator_itself() {
    let law = enumerate_draws(&RBig::ZERO, |d| d.uniform_below(&BigUint::from(3u32)));
    assert_eq!(law.runs, 3);
    let third = RBig::from_parts(IBig::ONE, UBig::from(3u32));
    assert!(law.mass.values().all(|mass| *mass == third));
}
