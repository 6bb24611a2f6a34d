//! Local hashing in bulk: the joint law of rows, and the residues and buckets that they are made of.

use dashu_int::UBig;
use dashu_ratio::RBig;
use deniable::prelude::*;
use deniable::{LocalHashing, Source};
use deniable_sample::Word;
use deniable_verify::audit::local::hashing::{Parameters, bucket_of, seed_length, shipping};
use deniable_verify::audit::local::laws::given_one_pass;
use deniable_verify::digits::many_by_division;
use deniable_verify::enumerate::enumerate;
use deniable_verify::inversion::value;
use deniable_verify::words::{Script, Script64, spread};

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
