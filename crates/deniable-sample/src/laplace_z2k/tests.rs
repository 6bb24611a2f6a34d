use super::*;
use crate::Error;

/// mantissa · 2^exponent, exactly, in units of 2^least.
fn in_units(real: &Real, least: i64) -> BigInt {
    let magnitude = BigInt::from(real.mantissa()) << (real.exponent() - least);
    if real.is_negative() { -magnitude } else { magnitude }
}

/// Quarters on coarser grids, ties among them.
#[test]
fn numbers_are_rounded_to_the_grid_with_ties_up() {
    for quarters in -100i64..=100 {
        let x = quarters as f64 / 4.0;
        for k in -2..=70 {
            let on_grid = round_to_grid(x, k).unwrap();
            // ⌊quarters / step + 1/2⌋ · step, with a step of 2^(k + 2) quarters.
            let step = BigInt::from(1) << (k + 2);
            let doubled: BigInt = BigInt::from(2 * quarters) + &step;
            let twice = &step * 2;
            // Rounded down, also below zero.
            let whole = (&doubled + (&twice << 10)) / &twice - (1 << 10);
            assert_eq!(in_units(&on_grid, -2), whole * &step, "{x} on 2^{k}");
            // There is one zero.
            assert!(on_grid.mantissa() != 0 || !on_grid.is_negative(), "{x} on 2^{k}");
        }
    }
    assert!(round_to_grid(f64::NAN, 0).is_none() && round_to_grid(f64::INFINITY, 0).is_none());
}

#[test]
fn sums_in_big_integers_are_rounded_once() {
    for quarters in -20i64..=20 {
        for noise in -20i64..=20 {
            for k in [-5, -2, 0, 3, 40] {
                let x = quarters as f64 / 4.0;
                let shift = round_to_grid(x, -1074).unwrap();
                let sum: f64 = round_sum(shift, BigInt::from(noise), k);
                // Both are multiples of 1/32, and their sum has less than 53 bits.
                let step = f64::from_bits(((k + 1023) as u64) << 52);
                assert_eq!(sum, x + noise as f64 * step);
                assert!(sum != 0.0 || sum.is_sign_positive());
            }
        }
    }
    let one = || round_to_grid(1.0f64, -1074).unwrap();
    let far: BigInt = BigInt::from(1) << 3000;
    assert_eq!(round_sum::<f64>(one(), far.clone(), -1074), f64::MAX);
    assert_eq!(round_sum::<f64>(one(), -far, -1074), f64::MIN);
    // A tie, and what is hardly above it.
    assert_eq!(round_sum::<f64>(one(), BigInt::from(1), -53), 1.0);
    let above: BigInt = (BigInt::from(1) << 500) + 1;
    assert_eq!(round_sum::<f64>(one(), above, -553), 1.0 + f64::EPSILON);
}

#[test]
fn numbers_that_are_none_are_refused_before_a_word_is_drawn() {
    struct None;
    impl Source for None {
        type Word = u64;

        fn draw(&mut self) -> Result<u64> {
            Err(Error::entropy_unavailable())
        }
    }
    let noise = DiscreteLaplaceZ2k::new(1.0, 0).unwrap();
    for shift in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(noise.sample(shift, &mut None), Err(not_finite()));
    }
    assert_eq!(noise.sample(1.0, &mut None), Err(Error::entropy_unavailable()));
    assert_eq!(noise.sample_all(&mut [1.0], &mut None), Err(Error::entropy_unavailable()));
}
