//! Local hashing in bulk: the residues that seeds are made of, several from a word, and the joint law of rows.

use core::fmt::Debug;

use dashu_int::UBig;
use dashu_ratio::RBig;
use deniable::prelude::*;
use deniable::{LocalHashing, Source};
use deniable_sample::{ManyBelow, Result as Sampled, Word, sample_uniform_int_below};
use deniable_verify::audit::local::hashing::{Parameters, bucket_of, seed_length, shipping};
use deniable_verify::audit::local::laws::given_one_pass;
use deniable_verify::enumerate::enumerate;
use deniable_verify::inversion::value;
use deniable_verify::law::Law;
use deniable_verify::words::{Script, Script64, spread};

/// Whether all of `count` outcomes are equally likely: each has its share of what is resolved.
fn is_uniform<T: Ord + Debug>(law: &Law<T>, count: usize) -> bool {
    let share = (RBig::ONE - &law.remainder) / RBig::from(count);
    law.mass.len() == count && law.mass.values().all(|mass| *mass == share)
}

fn many<S: Source>(n: u32, count: usize, source: &mut S) -> Sampled<Vec<u16>> {
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

/// The first digits in base n of a word, by division, or none if it is rejected.
fn by_division(n: u32, digits: usize, word: u64, count: usize) -> Option<Vec<u16>> {
    let (n, whole) = (UBig::from(n), UBig::ONE << 64);
    let power = n.pow(digits);
    let product = &power * UBig::from(word);
    if &product % &whole < &whole % &power {
        return None;
    }
    let below = product / whole;
    let digit = |i: usize| u16::try_from(&below / n.pow(digits - 1 - i) % &n).unwrap();
    Some((0..count).map(digit).collect())
}

/// How many digits a word of 64 bits gives.
fn digits_of(n: u32) -> usize {
    (1..=48).rev().find(|&digits| UBig::from(n).pow(digits) <= UBig::ONE << 48).unwrap()
}

/// What [`ManyBelow`] draws of a script, and how many words of it.
fn many_by_division(n: u32, count: usize, script: &[u64]) -> (Vec<u16>, usize) {
    let digits = digits_of(n);
    let (first, rest) = script.split_at(count.div_ceil(digits));
    // Those that are rejected take the words behind the block.
    let mut more = rest.iter();
    let mut one = || more.find_map(|&word| by_division(n, 1, word, 1)).unwrap()[0];
    let mut below = Vec::new();
    for (group, &word) in first.iter().enumerate() {
        let count = digits.min(count - group * digits);
        match by_division(n, digits, word, count) {
            Some(group) => below.extend(group),
            None => below.extend((0..count).map(|_| one())),
        }
    }
    (below, script.len() - more.len())
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

/// The probability of a row.
fn probability(Parameters { k, g, prob }: Parameters, answer: u32, row: &[u16]) -> RBig {
    let (&bucket, seed) = row.split_last().unwrap();
    let of_bucket = match answer {
        _ if answer >= k => RBig::ONE / RBig::from(g),
        _ if bucket_of(seed, answer, g) == u32::from(bucket) => value(prob),
        _ => (RBig::ONE - value(prob)) / RBig::from(g - 1),
    };
    of_bucket / RBig::from(UBig::from(g).pow(seed.len()))
}

/// Whether the rows of some answers have the product law. What is not resolved, because something is drawn again, is as the rest.
fn has_the_product_law(
    parameters: Parameters,
    answers: &[u32],
    depth: usize,
    randomize: impl Fn(&[u32], &mut Script<'_, 4>) -> deniable::Result<Vec<u16>>,
) -> bool {
    let law = given_one_pass(enumerate(depth, |s| randomize(answers, s)));
    let length = seed_length(parameters.k) + 1;
    let product = |rows: &[u16]| {
        let each = answers.iter().zip(rows.chunks(length));
        each.fold(RBig::ONE, |product, (&x, row)| product * probability(parameters, x, row))
    };
    let outcomes = (parameters.g as usize).pow((length * answers.len()) as u32);
    law.mass.len() == outcomes && law.mass.iter().all(|(rows, mass)| *mass == product(rows))
}

#[test]
fn rows_are_independent() {
    for (k, g, prob, answers, depth) in [
        (2, 2, 0.5, &[0][..], 3),
        (2, 2, 0.75, &[1], 4),
        (2, 2, 0.75, &[2], 4),
        (3, 2, 0.75, &[2], 5),
        (4, 2, 0.75, &[3], 5),
        (4, 2, 0.5, &[u32::MAX], 4),
        (2, 2, 0.5, &[0, 1], 4),
        (2, 2, 0.75, &[1, 1], 5),
        (2, 2, 0.75, &[7, 0], 5),
        (2, 3, 0.5, &[1], 5),
        (2, 3, 0.5, &[2], 5),
        (2, 4, 0.5, &[0], 5),
        (2, 4, 0.5, &[9], 5),
    ] {
        let parameters = Parameters { k, g, prob };
        let mechanism = shipping(parameters);
        let right = has_the_product_law(parameters, answers, depth, |answers, s| {
            mechanism.randomize_rows(answers, s)
        });
        assert!(right, "{k} {g} {prob} {answers:?}");
    }
}

/// So many rows are drawn together.
const TOGETHER: usize = 1024;

/// The seeds are residues by division, and the buckets are what randomized response over the buckets makes of the hashes, from the words that follow.
fn rows_by_parts(
    parameters: Parameters,
    answers: &[u32],
    source: &mut Script64<'_>,
    script: &[u64],
) -> Vec<u16> {
    let Parameters { k, g, prob } = parameters;
    let length = seed_length(k) + 1;
    let choice = make_randomized_response(0..g, prob).unwrap();
    let mut all = Vec::new();
    for answers in answers.chunks(TOGETHER) {
        let (mut rows, used) = many_by_division(g, answers.len() * length, &script[source.asked..]);
        (0..used).for_each(|_| drop(source.draw()));
        let hashed = |(&answer, row): (&u32, &[u16])| match answer < k {
            true => bucket_of(&row[..length - 1], answer, g),
            false => g,
        };
        let mut buckets: Vec<u32> = answers.iter().zip(rows.chunks(length)).map(hashed).collect();
        choice.randomize_indices(&mut buckets, source).unwrap();
        for (row, &bucket) in rows.chunks_mut(length).zip(&buckets) {
            row[length - 1] = bucket as u16;
        }
        all.extend(rows);
    }
    all
}

#[test]
fn rows_are_residues_and_randomized_buckets() {
    let mut words = spread(40_000);
    words.iter_mut().step_by(97).for_each(|word| *word = 0);
    for (k, g, prob) in
        [(2, 2, 0.75), (128, 4, 0.5), (9, 3, 0.7), (1000, 56, 0.7), (70, 65_536, 0.1)]
    {
        let parameters = Parameters { k, g, prob };
        let mechanism = shipping(parameters);
        for count in [0, 1, 2, 64, 1000, TOGETHER, TOGETHER + 1, 2100] {
            let answers: Vec<u32> = (0..count as u32).map(|i| i * 5 % (k + 2)).collect();
            let mut source = Script64::new(&words);
            let rows = mechanism.randomize_rows(&answers, &mut source).unwrap();
            let mut again = Script64::new(&words);
            let expected = rows_by_parts(parameters, &answers, &mut again, &words);
            assert_eq!((rows, source.asked), (expected, again.asked), "{k} {g} {count}");
        }
    }
}

#[test]
fn rows_of_all_answers_draw_the_same_words() {
    let words = spread(3000);
    for (k, g) in [(2, 2), (128, 4), (9, 4097)] {
        let mechanism: LocalHashing<u32> = shipping(Parameters { k, g, prob: 0.7 });
        let asked = |answer: u32, script: &[u64]| {
            let mut source = Script64::new(script);
            let outcome = mechanism.randomize_rows(&[answer; 300], &mut source);
            (outcome.is_ok(), source.asked)
        };
        let (is_ok, needed) = asked(0, &words);
        assert!(is_ok);
        for most in [0, 1, 7, needed / 2, needed - 1, needed, needed + 1] {
            let expected = (most >= needed, most.min(needed) + usize::from(most < needed));
            for answer in [0, 1, k - 1, k, u32::MAX] {
                assert_eq!(asked(answer, &words[..most]), expected, "{k} {g} {answer} {most}");
            }
        }
    }
}

/// The checks above find these mistakes.
mod planted {
    use super::*;

    /// Two digits of 3 from a word of 4 bits.
    fn is_found(draw: fn(&mut Script<'_, 4>) -> Sampled<Vec<u64>>) -> bool {
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

    /// Two answers of two categories, with one mistake.
    fn rows_are_found(
        spoil: fn(&mut [Vec<u16>; 2], &mut Script<'_, 4>) -> deniable::Result<()>,
    ) -> bool {
        let parameters = Parameters { k: 2, g: 2, prob: 0.75 };
        !has_the_product_law(parameters, &[0, 1], 4, |_, s| {
            let mut bits = || s.draw().map(|word| word.value() as u16);
            let (seeds, lies) = (bits()?, bits()? & bits()?);
            let seed = |at: u16| vec![seeds >> at & 1, seeds >> (at + 1) & 1];
            let mut rows = [seed(0), seed(2)];
            for (number, row) in rows.iter_mut().enumerate() {
                row.push(hash(number, row) ^ (lies >> number & 1));
            }
            spoil(&mut rows, s)?;
            Ok(rows.concat())
        })
    }

    /// Of the answer with this number, which is its place.
    fn hash(number: usize, row: &[u16]) -> u16 {
        bucket_of(&row[..2], number as u32, 2) as u16
    }

    #[test]
    fn the_right_rows_are_not_accused() {
        assert!(!rows_are_found(|_, _| Ok(())));
    }

    #[test]
    fn rows_that_share_something() {
        let seed = |rows: &mut [Vec<u16>; 2], _: &mut Script<'_, 4>| {
            let lie = rows[1][2] ^ hash(1, &rows[1]);
            rows[1] = rows[0].clone();
            rows[1][2] = hash(1, &rows[1]) ^ lie;
            Ok(())
        };
        assert!(rows_are_found(seed));
        let lie = |rows: &mut [Vec<u16>; 2], _: &mut Script<'_, 4>| {
            rows[1][2] = hash(1, &rows[1]) ^ rows[0][2] ^ hash(0, &rows[0]);
            Ok(())
        };
        assert!(rows_are_found(lie));
    }

    #[test]
    fn a_bucket_that_is_not_randomized() {
        assert!(rows_are_found(|rows, _| {
            rows[0][2] = hash(0, &rows[0]);
            Ok(())
        }));
        // The residue too many, left where the bucket should be.
        assert!(rows_are_found(|rows, s| {
            rows[0][2] = (s.draw()?.value() & 1) as u16;
            Ok(())
        }));
    }
}
