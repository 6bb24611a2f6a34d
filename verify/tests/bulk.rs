//! Bulk forms: the joint law of categories given as places, and of packed bits.

use dashu_ratio::RBig;
use deniable::RandomizedResponse;
use deniable::prelude::*;
use deniable_verify::enumerate::enumerate;
use deniable_verify::inversion::value;
use deniable_verify::words::{Script, Script64, spread};

/// The probability of a report, where a place of `t` or more is no category.
fn probability(t: u32, prob: &RBig, answer: u8, report: u8) -> RBig {
    if u32::from(answer) >= t {
        return RBig::ONE / RBig::from(t);
    }
    if answer == report { prob.clone() } else { (RBig::ONE - prob) / RBig::from(t - 1) }
}

/// Whether the reports of some answers have the product law, as far as it is resolved, which is nearly all of it.
fn has_the_product_law(
    t: u32,
    prob: f64,
    answers: &[u8],
    depth: usize,
    randomize: impl Fn(&mut [u8], &mut Script<'_, 4>) -> deniable::Result<()>,
) -> bool {
    let law = enumerate(depth, |s| {
        let mut reports = answers.to_vec();
        randomize(&mut reports, s).map(|()| reports)
    });
    let prob = value(prob);
    let product = |reports: &[u8]| {
        let each = answers.iter().zip(reports).map(|(&x, &y)| probability(t, &prob, x, y));
        each.fold(RBig::ONE, |product, chance| product * chance)
    };
    let is_right = |(reports, mass): (&Vec<u8>, &RBig)| {
        let expected = product(reports);
        *mass <= expected && expected <= mass + &law.remainder
    };
    law.mass.len() == (t as usize).pow(answers.len() as u32)
        && law.mass.iter().all(is_right)
        && law.remainder < RBig::ONE / RBig::from(6)
}

fn categories(t: u32, prob: f64) -> RandomizedResponse<u32> {
    make_randomized_response(0..t, prob).unwrap()
}

#[test]
fn reports_of_places_are_independent() {
    for (t, prob, answers, depth) in [
        (2, 0.5, &[0, 1][..], 3),
        (2, 0.75, &[1, 1], 4),
        (2, 0.75, &[2, 0], 4),
        (2, 0.75, &[0, 7, 1], 5),
        (3, 0.5, &[2], 4),
        (3, 0.75, &[0, 3], 5),
        (3, 0.75, &[1, 2], 5),
        (4, 0.625, &[3], 5),
        (4, 0.75, &[2, 255], 5),
        (5, 0.75, &[4], 6),
        (5, 0.5, &[9], 6),
    ] {
        let mechanism = categories(t, prob);
        let randomize = |x: &mut [u8], s: &mut Script<'_, 4>| mechanism.randomize_indices(x, s);
        assert!(has_the_product_law(t, prob, answers, depth, randomize), "{t} {prob} {answers:?}");
        let randomize =
            |x: &mut [u8], s: &mut Script<'_, 4>| mechanism.randomize_indices_constant_time(x, s);
        // Each answer has words of its own here, and some of them are rejected.
        let depth = depth + answers.len();
        if depth <= 6 {
            let is_right = has_the_product_law(t, prob, answers, depth, randomize);
            assert!(is_right, "{t} {prob} {answers:?}");
        }
    }
}

/// Whatever the answers, the same words; and reports of a word's own, at all widths.
#[test]
fn places_in_constant_time() {
    let words = spread(3000);
    for t in [2, 3, 255, 5000] {
        let mechanism = categories(t, 0.7);
        let run = |answers: &[u32], most: usize| {
            let (mut reports, mut source) = (answers.to_vec(), Script64::new(&words[..most]));
            let outcome = mechanism.randomize_indices_constant_time(&mut reports, &mut source);
            (outcome.map(|()| reports).ok(), source.asked)
        };
        let (reports, needed) = run(&[0; 150], words.len());
        assert_eq!(reports.map(|reports| reports.iter().all(|&place| place < t)), Some(true));
        for answer in [1, t - 1, t, u32::MAX] {
            assert_eq!(run(&[answer; 150], words.len()).1, needed);
            for most in [0, 1, 54, needed - 1] {
                assert_eq!(run(&[answer; 150], most), (None, most + 1));
            }
        }
        // Truthful where the flip says so, one of the others where it does not.
        let answers: Vec<u32> = (0..150).map(|i| i % t).collect();
        let (first, second) = (run(&answers, words.len()).0, run(&[t; 150], words.len()).0);
        let kept = first.unwrap().iter().zip(&answers).filter(|(a, b)| a == b).count();
        assert!((80..130).contains(&kept), "{kept}");
        assert!(t < 255 || second.unwrap().iter().max().is_some_and(|&most| most > t / 2));
    }
    let mechanism = categories(300, 0.7);
    let refused =
        mechanism.randomize_indices_constant_time(&mut [0u8; 3], &mut Script64::new(&words));
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::InvalidParameter);
}

#[test]
fn places_of_all_widths_and_values_are_randomized_alike() {
    let words = spread(4000);
    for (t, outside) in [(2, 2), (3, 5), (200, 255), (255, 255)] {
        let mechanism = categories(t, 0.75);
        for script in words.windows(2600).step_by(307) {
            let answers: Vec<u32> =
                (0..1500).map(|i| if i % 7 == 3 { outside } else { i % t }).collect();
            let mut bytes: Vec<u8> = answers.iter().map(|&place| place as u8).collect();
            let mut shorts: Vec<u16> = answers.iter().map(|&place| place as u16).collect();
            let mut longs = answers.clone();
            mechanism.randomize_indices(&mut bytes, &mut Script64::new(script)).unwrap();
            mechanism.randomize_indices(&mut shorts, &mut Script64::new(script)).unwrap();
            mechanism.randomize_indices(&mut longs, &mut Script64::new(script)).unwrap();
            assert!(longs.iter().eq(&bytes.iter().map(|&x| x.into()).collect::<Vec<u32>>()));
            assert!(longs.iter().eq(&shorts.iter().map(|&x| x.into()).collect::<Vec<u32>>()));
            let values = mechanism.invoke_batch_from(&answers, &mut Words(script.iter())).unwrap();
            assert_eq!(values, longs);
        }
    }
}

#[test]
fn all_answers_draw_the_same_words() {
    let words = spread(3000);
    for t in [2, 1000, 5000] {
        let mechanism = categories(t, 0.7);
        let asked = |answer: u32, script: &[u64]| {
            let mut source = Script64::new(script);
            let outcome = mechanism.randomize_indices(&mut [answer; 1100], &mut source);
            (outcome.is_ok(), source.asked)
        };
        let (is_ok, needed) = asked(0, &words);
        assert!(is_ok);
        for most in [0, 1, 7, needed - 1, needed, needed + 1] {
            let expected = (most >= needed, most.min(needed) + usize::from(most < needed));
            for answer in [0, 1, t - 1, t, u32::MAX] {
                assert_eq!(asked(answer, &words[..most]), expected, "{t} {answer} {most}");
            }
        }
    }
}

/// Packed answers, answers in bytes and rows of bits are flipped by the same words.
#[test]
fn packed_bits_are_flipped_as_unpacked_ones_are() {
    let words = spread(40_000);
    for (prob, constant_time) in [(0.75, false), (0.7, false), (0.7, true), (1.0, false)] {
        let mechanism = make_randomized_response_bool(prob, constant_time).unwrap();
        for length in [0, 1, 63, 64, 65, 1000, 1024, 8191, 8192, 8193, 9000] {
            let answers: Vec<bool> = (0..length).map(|i| i % 3 == 0).collect();
            let mut unpacked = answers.clone();
            let mut source = Script64::new(&words);
            mechanism.randomize_in_place(&mut unpacked, &mut source).unwrap();
            let mut packed = BitVector::from(answers).as_words().to_vec();
            let mut again = Script64::new(&words);
            mechanism.randomize_packed(&mut packed, length, &mut again).unwrap();
            assert_eq!(packed, BitVector::from(unpacked).as_words());
            assert_eq!(source.asked, again.asked);
        }
    }
    for length in [1, 64, 70, 1024, 1100] {
        let domain = BitVectorDomain::new(length).with_max_weight(length);
        let flips = make_randomized_response_bitvec(domain, DiscreteDistance, 0.3, false).unwrap();
        let answers: Vec<BitVector> =
            (0..5).map(|row| (0..length).map(|i| (i + row) % 4 == 0).collect()).collect();
        let mut rows: Vec<u64> = answers.iter().flat_map(|row| row.as_words()).copied().collect();
        flips.randomize_rows(&mut rows, &mut Script64::new(&words)).unwrap();
        let mut source = Script64::new(&words);
        let one_by_one = match length % 64 {
            // One long vector.
            0 => {
                let domain = BitVectorDomain::new(5 * length).with_max_weight(5 * length);
                let long = make_randomized_response_bitvec(domain, DiscreteDistance, 0.3, false);
                let all = answers.iter().flat_map(BitVector::iter).collect();
                long.unwrap().randomize(&all, &mut source).unwrap().as_words().to_vec()
            }
            _ => {
                let report = |row| flips.randomize(row, &mut source).unwrap().as_words().to_vec();
                answers.iter().flat_map(report).collect()
            }
        };
        assert_eq!(rows, one_by_one, "{length}");
    }
}

/// Words of a script as entropy.
struct Words<'a>(core::slice::Iter<'a, u64>);

impl deniable::Entropy for Words<'_> {
    fn fill(&mut self, words: &mut [u64]) -> deniable_sample::Result<()> {
        for word in words {
            *word = *self.0.next().ok_or_else(deniable_sample::Error::entropy_unavailable)?;
        }
        Ok(())
    }
}

/// More answers than are drawn for at once: the second block goes on where the first one ends.
#[test]
fn blocks_of_places_follow_each_other() {
    let words = spread(9000);
    let mechanism = categories(5, 0.7);
    let answers: Vec<u8> = (0..2500).map(|i| (i % 6) as u8).collect();
    let mut all = answers.clone();
    mechanism.randomize_indices(&mut all, &mut Script64::new(&words)).unwrap();
    let (mut blocks, mut source) = (answers, Script64::new(&words));
    for block in blocks.chunks_mut(1024) {
        mechanism.randomize_indices(block, &mut source).unwrap();
    }
    assert_eq!(all, blocks);
}

/// The checks above find these mistakes.
mod planted {
    use deniable_sample::{Dyadic, EitherBelow, Scratch};

    use super::*;

    /// Three categories, with the integers of one lane by `either`.
    fn is_found(
        either: fn(&mut Script<'_, 4>) -> deniable_sample::Result<[u32; 2]>,
        combine: fn(u8, bool, [u32; 2]) -> u32,
    ) -> bool {
        let truth = Dyadic::from_float(0.75).unwrap();
        let right = has_the_product_law(3, 0.75, &[1], 4, |answers, s| {
            let mut flips = [0];
            truth.sample_flips(&mut flips, 1, false, &mut Scratch::new(), s)?;
            answers[0] = combine(answers[0], flips[0] == 1, either(s)?) as u8;
            Ok(())
        });
        !right
    }

    fn right_either(s: &mut Script<'_, 4>) -> deniable_sample::Result<[u32; 2]> {
        EitherBelow::new(3)?.sample(s)
    }

    fn right_combination(answer: u8, truthful: bool, [any, other]: [u32; 2]) -> u32 {
        let place = u32::from(answer);
        match truthful {
            true if place < 3 => place,
            _ if place >= 3 => any,
            _ => other + u32::from(other >= place),
        }
    }

    #[test]
    fn the_right_one_is_not_accused() {
        assert!(!is_found(right_either, right_combination));
    }

    #[test]
    fn another_that_does_not_move_up() {
        assert!(is_found(right_either, |answer, truthful, [_, other]| {
            if truthful { answer.into() } else { other }
        }));
    }

    #[test]
    fn any_in_the_place_of_another() {
        assert!(is_found(right_either, |answer, truthful, [any, _]| {
            if truthful { answer.into() } else { any }
        }));
    }
}
