//! The joint law of many uniform integers below one bound, several from a word.

use dashu_ratio::RBig;
use deniable_sample::{ManyBelow, Result, Source, Word, sample_uniform_int_below};
use deniable_verify::digits::{digits_of, many_by_division};
use deniable_verify::enumerate::{enumerate, is_uniform};
use deniable_verify::words::{Script, Script64, spread};

fn many<S: Source>(n: u32, count: usize, source: &mut S) -> Result<Vec<u16>> {
    let mut below = vec![0; count];
    ManyBelow::new(n)?.sample_all(&mut below, &mut Vec::new(), source)?;
    Ok(below)
}

/// With words of 4 bits, three digits of 2, one of 3 to 8, and one from several words of more; with words of 8 bits up to six of 2. One word more
/// than is needed if none is rejected, so that some are drawn again.
#[test]
fn many_over_every_script() {
    for n in 1..=17u32 {
        for count in 0..=4usize {
            let words = match n {
                1 => 0,
                2 => count.div_ceil(3),
                3..=15 => count,
                _ => 2 * count,
            };
            let outcomes = (n as usize).pow(count as u32);
            if words <= 4 && outcomes <= 100_000 {
                let law = enumerate(words + 1, |s: &mut Script<'_, 4>| many(n, count, s));
                assert!(is_uniform(&law, outcomes), "{n} {count}");
                assert!(law.remainder < RBig::ONE, "{n} {count}");
            }
        }
    }
    for (n, digits) in
        [(2u32, 6usize), (3, 3), (4, 3), (5, 2), (7, 2), (8, 2), (9, 1), (64, 1), (65, 1)]
    {
        for count in [1, digits - 1, digits, digits + 1] {
            let words = count.div_ceil(digits);
            let law = enumerate(words.max(1), |s: &mut Script<'_, 8>| many(n, count, s));
            assert!(is_uniform(&law, (n as usize).pow(count as u32)), "{n} {count}");
        }
    }
}

#[test]
fn many_over_64_bit_words() {
    let mut words = spread(900);
    words.extend([1, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1]);
    // Zero is rejected by all but powers of two.
    words.iter_mut().step_by(5).for_each(|word| *word = 0);
    let mut again = 0;
    for n in [2, 3, 4, 5, 6, 7, 56, 255, 256, 257, 1000, 4097, 46_341, 65_535, 65_536] {
        for script in words.windows(200).step_by(37) {
            for count in [0, 1, 2, digits_of(n), digits_of(n) + 1, 5 * digits_of(n) + 1] {
                let mut source = Script64::new(script);
                let (expected, used) = many_by_division(n, count, script);
                assert_eq!(many(n, count, &mut source), Ok(expected), "{n} {count}");
                assert_eq!(source.asked, used, "{n} {count}");
                again += usize::from(used > count.div_ceil(digits_of(n)));
            }
        }
    }
    assert!(again > 100, "{again}");
}

/// The checks above find these mistakes.
mod planted {
    use super::*;

    /// Two digits of 3 from a word of 4 bits.
    fn is_found(draw: fn(&mut Script<'_, 4>) -> Result<Vec<u64>>) -> bool {
        !is_uniform(&enumerate(2, draw), 9)
    }

    /// The digits, and what is left of the word.
    fn split(word: u64) -> (Vec<u64>, u64) {
        let (first, left) = (word * 3 / 16, word * 3 % 16);
        (vec![first, left * 3 / 16], left * 3 % 16)
    }

    #[test]
    fn the_right_digits_are_not_accused() {
        assert!(!is_found(|s| {
            loop {
                // 16 mod 9 = 7.
                let (digits, left) = split(s.draw()?.value());
                if left >= 7 {
                    return Ok(digits);
                }
            }
        }));
    }

    #[test]
    fn digits_of_words_that_should_be_rejected() {
        assert!(is_found(|s| s.draw().map(|word| split(word.value()).0)));
        // 16 mod 3 in the place of 16 mod 9.
        assert!(is_found(|s| {
            loop {
                let (digits, left) = split(s.draw()?.value());
                if left >= 1 {
                    return Ok(digits);
                }
            }
        }));
    }

    #[test]
    fn digits_that_are_not_independent() {
        assert!(is_found(|s| {
            let digit: u64 = sample_uniform_int_below(3u64, s)?;
            Ok(vec![digit, (digit + 1) % 3])
        }));
    }
}
