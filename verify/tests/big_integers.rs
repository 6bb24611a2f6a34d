//! The big integers that the samplers and enclosures lean on, against an independent implementation.
//!
//! `num-bigint` ships; `dashu` judges. Every operation that a proof uses, over operands chosen for carries:
//! runs of ones and zeros, lengths around the limits of words, quotients next to a power of two.

use dashu_base::DivRem;
use dashu_int::{IBig, UBig};
use deniable_verify::draws::big;
use deniable_verify::words::spread;
use num_bigint::{BigInt, BigUint, Sign};

/// Lengths from nothing to 40 words, with ones, zeros and mixed words at either end.
fn operands() -> Vec<BigUint> {
    let mut all = vec![BigUint::ZERO, BigUint::from(1u32), BigUint::from(u64::MAX)];
    let words = spread(2000);
    for (i, length) in [1, 2, 3, 4, 5, 8, 17, 40].into_iter().cycle().take(72).enumerate() {
        let mut digits: Vec<u64> = words[20 * i..20 * i + length].to_vec();
        match i / 8 {
            0 => digits.fill(u64::MAX),
            1 => digits[..length - 1].fill(0),
            2 => digits[length - 1] = 1,
            3 => digits[length - 1] = 1 << 63,
            4 => digits[0] = u64::MAX,
            5 => digits[length / 2..].fill(u64::MAX),
            _ => {}
        }
        let bytes: Vec<u8> = digits.iter().flat_map(|word| word.to_le_bytes()).collect();
        all.push(BigUint::from_bytes_le(&bytes));
    }
    all
}

#[test]
fn products_quotients_sums_and_differences_agree() {
    let all = operands();
    let mut cases = 0;
    for a in &all {
        for b in &all {
            let (x, y) = (big(a), big(b));
            assert_eq!(big(&(a * b)), &x * &y);
            assert_eq!(big(&(a + b)), &x + &y);
            assert_eq!(a.cmp(b), x.cmp(&y));
            if a >= b {
                assert_eq!(big(&(a - b)), &x - &y);
            }
            if *b != BigUint::ZERO {
                assert_eq!(big(&(a % b)), (&x).div_rem(&y).1);
                assert_eq!(big(&(a * b + b - 1u32)), &x * &y + &y - UBig::ONE);
            }
            cases += 1;
        }
    }
    assert_eq!(cases, 75 * 75);
    assert!(quotients_agree(|a, b| a / b));
}

/// Whether a division is that of `dashu`, next to exact multiples too, where a quotient digit is easily one off.
fn quotients_agree(divide: impl Fn(&BigUint, &BigUint) -> BigUint) -> bool {
    let all = operands();
    let agrees = |a: &BigUint, b: &BigUint| {
        let product = a * b;
        big(&divide(a, b)) == big(a) / big(b)
            && divide(&product, b) == *a
            && divide(&(product + b - 1u32), b) == *a
    };
    all.iter().all(|a| all.iter().filter(|&b| *b != BigUint::ZERO).all(|b| agrees(a, b)))
}

/// Hole 13: a quotient that is rounded the wrong way, if only where the rest is the largest.
#[test]
fn a_planted_division_that_rounds_up_at_times_is_found() {
    let wrong = |a: &BigUint, b: &BigUint| {
        let up = a % b + 1u32 == *b && *b > BigUint::from(u64::MAX);
        a / b + u32::from(up)
    };
    assert!(!quotients_agree(wrong));
}

#[test]
fn shifts_and_lengths_agree() {
    for a in operands() {
        let x = big(&a);
        for shift in [0usize, 1, 31, 32, 63, 64, 65, 127, 128, 1000, 4096] {
            assert_eq!(big(&(&a << shift)), &x << shift);
            assert_eq!(big(&(&a >> shift)), &x >> shift);
            // Of a negative number, towards −∞: what the plain enclosures rely on.
            let negative = BigInt::from_biguint(Sign::Minus, a.clone()) >> shift;
            let expected = -IBig::from(x.clone()) >> shift;
            assert_eq!(-IBig::from(big(negative.magnitude())), expected);
        }
        assert_eq!(a.bits() as usize, dashu_base::BitTest::bit_len(&x));
    }
}
