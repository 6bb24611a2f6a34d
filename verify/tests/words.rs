//! The words themselves: what ships, what is enumerated, and what stands for an interval, all mean the same.

use core::cmp::Ordering;

use deniable_sample::{Entropy, Low, Result, Source, Word, sample_bernoulli_float};
use deniable_verify::interval::{Range, explore};
use deniable_verify::words::{Script, Script64, fraction, spread};

/// Everything a sampler can learn of a word, by definition.
fn expected(word: u64, n: u64, width: u32) -> (Ordering, (u64, u64), u64, bool, u64) {
    let product = u128::from(word) * u128::from(n);
    let low = product % (1 << width);
    (
        word.cmp(&n),
        (u64::from(word < n), u64::from(word == n)),
        (product >> width) as u64,
        low < u128::from(n),
        word,
    )
}

/// The same, asked of the word.
fn found<W: Word>(word: W, n: u64) -> (Ordering, (u64, u64), u64, bool, u64) {
    let (high, low) = word.mul(n);
    (word.compare(n), word.below_and_equal(n), high, low.is_below(n), word.value())
}

#[test]
fn words_of_64_bits_are_what_they_say() {
    let mut all = spread(60);
    all.extend([0, 1, 2, 1 << 63, (1 << 63) - 1, u64::MAX, u64::MAX - 1]);
    for &word in &all {
        for n in all.iter().copied().chain([word, word.wrapping_add(1), word.wrapping_sub(1)]) {
            assert_eq!(found(word, n), expected(word, n, 64), "{word:#x} {n:#x}");
        }
        // Exactly at the threshold.
        let (_, low) = word.mul(3);
        assert!(!low.is_below(word.wrapping_mul(3)));
    }
}

/// Entropy that counts.
struct Counter(u64);

impl Entropy for Counter {
    fn fill(&mut self, words: &mut [u64]) -> Result<()> {
        for word in words {
            self.0 += 7;
            *word = self.0;
        }
        Ok(())
    }
}

#[test]
fn entropy_is_a_source_of_its_own_words() {
    let mut entropy = Counter(0);
    assert_eq!((entropy.draw(), entropy.draw()), (Ok(7), Ok(14)));
    let mut words = vec![1, 2, 3];
    entropy.draw_many(5, &mut words).unwrap();
    assert_eq!(words, [21, 28, 35, 42, 49]);
    entropy.draw_many(1, &mut words).unwrap();
    assert_eq!(words, [56]);
    assert_eq!([entropy.bit(), Counter(u64::MAX - 10).bit()], [Ok(false), Ok(true)]);
}

#[test]
fn small_words_are_what_they_say() {
    for word in 0..256 {
        for n in 0..256 {
            let drawn = Script::<8>::new(&[word]).draw().unwrap();
            assert_eq!(found(drawn, n), expected(word, n, 8));
        }
    }
}

/// An interval word tells, for the words it speaks for, what each of them would have told.
#[test]
fn interval_words_speak_for_all_they_stand_for() {
    for n in [1u64, 2, 3, 7, 1 << 40, u64::MAX / 5, u64::MAX] {
        for first in spread(20).into_iter().chain([0, n - 1, u64::MAX - 4]) {
            let range = Range { first, last: first.saturating_add(4) };
            let law = explore(range, 1, |s| {
                let word = s.draw()?;
                Ok((word.compare(n), word.below_and_equal(n)))
            });
            let words = range.first..=range.last;
            for (outcome, probability) in &law.mass {
                let count = words
                    .clone()
                    .filter(|&word| (word.compare(n), word.below_and_equal(n)) == *outcome)
                    .count();
                let one = fraction(&[1]);
                assert_eq!(*probability, one * dashu_ratio::RBig::from(count));
            }
        }
    }
}

/// In constant time, at 64 bits: the answer is the comparison of the script's number with the probability.
#[test]
fn constant_time_on_words_that_ship() {
    for p in [0.3, 0.5, 0.1, 1e-20, 1e-310] {
        let exact = dashu_ratio::RBig::try_from(p).unwrap();
        // The probability's own digits, its neighbours in the last place, and others.
        let digits = |shift: i64| {
            let scaled = &exact * dashu_ratio::RBig::from(dashu_int::UBig::ONE << (64 * 18));
            let scaled = scaled.floor() + dashu_int::IBig::from(shift);
            let scaled = dashu_int::UBig::try_from(scaled).unwrap();
            (0..18usize)
                .rev()
                .map(|i| {
                    let word = (&scaled >> (64 * i)) & dashu_int::UBig::from(u64::MAX);
                    u64::try_from(word).unwrap()
                })
                .collect::<Vec<_>>()
        };
        let mut scripts = vec![digits(0), digits(-1), digits(1), vec![0; 18], vec![u64::MAX; 18]];
        scripts.extend(spread(100).windows(18).map(<[u64]>::to_vec));
        for script in scripts {
            let is_below = fraction(&script) < exact;
            for constant_time in [false, true] {
                let drawn = sample_bernoulli_float(p, constant_time, &mut Script64::new(&script));
                assert_eq!(drawn.unwrap(), is_below, "prob {p}, constant time {constant_time}");
            }
        }
    }
}
