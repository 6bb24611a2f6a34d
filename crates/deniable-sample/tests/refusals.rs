//! Parameters that are refused, and the ends of the ranges that are not.

use deniable_sample::{
    EitherBelow, Entropy, Error, ErrorKind, ManyBelow, Ratio, Result, sample_discrete_laplace,
    textbook,
};

/// Words without a pattern, the same every time, and how many were drawn.
struct Fixed(u64);

impl Entropy for Fixed {
    fn fill(&mut self, words: &mut [u64]) -> Result<()> {
        for word in words {
            self.0 += 1;
            let z = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            *word = z ^ (z >> 31);
        }
        Ok(())
    }
}

fn ratio(numerator: u32, denominator: u32) -> Ratio {
    Ratio::new(numerator, denominator).unwrap()
}

fn assert_refused<T: std::fmt::Debug>(result: std::result::Result<T, Error>, says: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidParameter);
    assert_eq!(error.to_string(), format!("invalid {says}"));
}

#[test]
fn laws_that_there_are_not_are_refused() {
    let least_1 = "accepted is an integer of at least 1";
    assert_refused(Ratio::new(1u32, 0u32), &format!("denominator: {least_1}"));
    assert_refused(EitherBelow::new(1), "t: accepted is an integer of at least 2");
    for n in [0, 65_537] {
        assert_refused(ManyBelow::new(n), "n: accepted is an integer from 1 to 65536");
    }
}

#[test]
fn the_textbook_refuses_what_the_others_do_before_it_draws() {
    let entropy = &mut Fixed(0);
    let n = textbook::uniform_int_below(0, entropy);
    assert_refused(n, "n: accepted is an integer of at least 1");
    let coin = textbook::bernoulli_rational(&ratio(3, 2), entropy);
    assert_refused(coin, "prob: accepted is a ratio from 0 to 1");
    let geometric = textbook::geometric(&ratio(0, 1), entropy);
    assert_refused(geometric, "scale: accepted is a ratio above 0");
    for scale in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        let noise = textbook::discrete_laplace_z2k(1.0, scale, 0, entropy);
        assert_refused(noise, "scale: accepted is a finite number above 0");
    }
    assert_eq!(entropy.0, 0);
}

/// The noise does not depend on the shift: on the grid of whole numbers, numbers that are 10 apart have results 10 apart.
#[test]
fn textbook_noise_is_added_to_negative_numbers_too() {
    for seed in 0..50 {
        let noisy = |shift: f64| {
            textbook::discrete_laplace_z2k(shift, 4.0, 0, &mut Fixed(100 * seed)).unwrap()
        };
        assert_eq!(noisy(-7.0), noisy(3.0) - 10.0);
        assert_eq!(noisy(-7.4), noisy(-7.0));
    }
}

/// On a grid whose step is finer than the scale's last place, noise on zero is so many steps.
#[test]
fn textbook_noise_on_a_fine_grid_is_that_of_integers() {
    let (scale, step) = (2f64.powi(-8), 2f64.powi(-62));
    let in_steps = Ratio::new(1u64 << 54, 1u32).unwrap();
    for seed in 0..50 {
        let noise = textbook::discrete_laplace_z2k(0.0, scale, -62, &mut Fixed(100 * seed));
        let steps = textbook::discrete_laplace(&in_steps, &mut Fixed(100 * seed)).unwrap();
        assert_eq!(noise.unwrap(), steps.to_string().parse::<f64>().unwrap() * step);
    }
}

#[test]
fn below_one_there_is_zero_and_no_word_is_drawn() {
    let (mut below, mut entropy) = ([7; 20], Fixed(0));
    ManyBelow::new(1).unwrap().sample_all(&mut below, &mut Vec::new(), &mut entropy).unwrap();
    assert_eq!((below, entropy.0), ([0; 20], 0));
}

/// A scale of parts that are no machine words draws what the same scale in small parts does.
#[test]
fn the_parts_of_a_scale_may_be_long() {
    let long = Ratio::new(ratio(7, 1).numerator() << 100u32, ratio(3, 1).numerator() << 100u32);
    let long = long.unwrap();
    for seed in 0..200 {
        let draw = |scale: &Ratio| sample_discrete_laplace(scale, &mut Fixed(100 * seed)).unwrap();
        assert_eq!(draw(&long), draw(&ratio(7, 3)));
    }
}
