//! Batches: the joint law of all reports, and each report by its own lane of the words.

use dashu_ratio::RBig;
use deniable::prelude::*;
use deniable_sample::{Dyadic, FLIPS, Scratch, Source, Word};
use deniable_verify::enumerate::enumerate;
use deniable_verify::flips::{agreeing, flips_of};
use deniable_verify::inversion::value;
use deniable_verify::words::{Script, Script64, spread};

fn randomize_batch<S: Source>(
    mechanism: &deniable::RandomizedResponseBool,
    answers: &[bool],
    source: &mut S,
) -> deniable::Result<Vec<bool>> {
    let mut reports = answers.to_vec();
    mechanism.randomize_in_place(&mut reports, source)?;
    Ok(reports)
}

fn lanes<S: Source>(
    law: &Dyadic,
    count: usize,
    constant_time: bool,
    source: &mut S,
) -> deniable_sample::Result<u64> {
    let mut flips = [0];
    law.sample_flips(&mut flips, count, constant_time, &mut Scratch::new(), source)?;
    Ok(flips[0])
}

/// The probability that each of some answers, all with the same probability of the truth, becomes each of the reports.
fn product(prob: &RBig, answers: &[bool], reports: &[bool]) -> RBig {
    let chance = |(a, b)| if a == b { prob.clone() } else { RBig::ONE - prob };
    answers.iter().zip(reports).map(chance).fold(RBig::ONE, |product, chance| product * chance)
}

/// Whether reports of the answers, with words of 4 bits, have the product law, all of it.
fn has_the_product_law(
    prob: f64,
    answers: &[bool],
    depth: usize,
    randomize: impl Fn(&[bool], &mut Script<'_, 4>) -> deniable::Result<Vec<bool>>,
) -> bool {
    let law = enumerate(depth, |s| randomize(answers, s));
    let prob = value(prob);
    law.remainder == RBig::ZERO
        && law.mass.len() == 1 << answers.len()
        && law.mass.iter().all(|(reports, mass)| *mass == product(&prob, answers, reports))
}

/// Up to five answers: one word of four lanes and one of which a single lane is used.
const ANSWERS: [&[bool]; 5] = [
    &[true],
    &[false, true],
    &[true, true, false, true],
    &[false, true, false, false],
    &[true, false, true, true, false],
];

#[test]
fn reports_of_a_batch_are_independent() {
    for (prob, places) in [(0.5, 1), (0.75, 2), (0.875, 3), (0.625, 3)] {
        for constant_time in [false, true] {
            let mechanism = make_randomized_response_bool(prob, constant_time).unwrap();
            for answers in ANSWERS {
                // Words of four lanes each; then a word for each lane that is left.
                let groups = answers.len().div_ceil(4);
                let together = ((answers.len() / groups).ilog2() as usize + 3).min(places);
                let depth = match constant_time || together == places {
                    true => places * groups,
                    false => together * groups + answers.len(),
                };
                let randomize =
                    |x: &[bool], s: &mut Script<'_, 4>| randomize_batch(&mechanism, x, s);
                if depth > 5 {
                    // 16^6 scripts and more: two words of lanes are looked at with fewer places.
                    continue;
                }
                let right = has_the_product_law(prob, answers, depth, randomize);
                assert!(right, "{prob} {answers:?}");
            }
        }
    }
}

#[test]
fn each_report_is_decided_by_its_own_lane() {
    let words = spread(60_000);
    for prob in [0.5, 0.75, 0.7, 0.9, f64::from_bits(1f64.to_bits() - 1)] {
        for (constant_time, length) in [
            (false, 64usize),
            (true, 64),
            (false, 70),
            (false, 1),
            (false, 1000),
            (true, 1024),
            (false, 1024),
        ] {
            let mechanism = make_randomized_response_bool(prob, constant_time).unwrap();
            for random in words.windows(9000).step_by(9973) {
                for script in [random, &agreeing(prob, length.div_ceil(64), random)] {
                    let answers: Vec<bool> = (0..length).map(|i| i % 3 == 0).collect();
                    let mut source = Script64::new(script);
                    let reports = randomize_batch(&mechanism, &answers, &mut source).unwrap();
                    let (truthful, used) = flips_of(prob, length, constant_time, script);
                    let kept =
                        reports.iter().zip(&answers).map(|(report, answer)| report == answer);
                    assert!(kept.eq(truthful), "{prob} {length}");
                    assert_eq!(source.asked, used);
                    let shipping = mechanism.invoke_batch_from(&answers, &mut Words::new(script));
                    assert_eq!(shipping.unwrap(), reports);
                }
            }
        }
    }
}

/// More answers than are flipped at once: the second block goes on where the first one ends.
#[test]
fn blocks_follow_each_other() {
    let words = spread(160 * FLIPS);
    let mechanism = make_randomized_response_bool(0.7, false).unwrap();
    let answers = [true; 2 * FLIPS * 64 + 52];
    let reports = randomize_batch(&mechanism, &answers, &mut Script64::new(&words)).unwrap();
    let mut expected = Vec::new();
    let mut from = 0;
    for count in [FLIPS * 64, FLIPS * 64, 52] {
        let (truthful, used) = flips_of(0.7, count, false, &words[from..]);
        expected.extend(truthful);
        from += used;
    }
    assert_eq!(reports, expected);
}

#[test]
fn a_batch_draws_the_same_whatever_the_answers_and_fails_as_a_whole() {
    let mechanism = make_randomized_response_bool(0.7, false).unwrap();
    for script in spread(400).windows(60).step_by(31) {
        let asked = |answer: bool, most: usize| {
            let mut source = Script64::new(&script[..most]);
            let outcome = randomize_batch(&mechanism, &[answer; 150], &mut source);
            (outcome.map(|reports| reports.len()), source.asked)
        };
        let (all, needed) = asked(true, 60);
        assert_eq!(all, Ok(150));
        for most in 0..=60 {
            assert_eq!(asked(true, most), asked(false, most));
            assert_eq!(asked(true, most).0.is_ok(), most >= needed);
        }
    }
}

/// Words of a script as entropy.
struct Words<'a>(core::slice::Iter<'a, u64>);

impl<'a> Words<'a> {
    fn new(words: &'a [u64]) -> Self {
        Words(words.iter())
    }
}

impl deniable::Entropy for Words<'_> {
    fn fill(&mut self, words: &mut [u64]) -> deniable_sample::Result<()> {
        for word in words {
            *word = *self.0.next().ok_or_else(deniable_sample::Error::entropy_unavailable)?;
        }
        Ok(())
    }
}

/// The checks above find these mistakes.
mod planted {
    use super::*;

    /// Lanes with one mistake, as a batch of answers.
    fn is_found(wrong: fn(&Dyadic, &mut Script<'_, 4>) -> deniable_sample::Result<u64>) -> bool {
        let law = Dyadic::from_float(0.75).unwrap();
        let randomize = |answers: &[bool], s: &mut Script<'_, 4>| {
            let truthful = wrong(&law, s)?;
            Ok(answers.iter().enumerate().map(|(i, x)| x ^ (truthful >> i & 1 == 0)).collect())
        };
        !has_the_product_law(0.75, &[true, false, true, true], 2, randomize)
    }

    #[test]
    fn the_right_lanes_are_not_accused() {
        assert!(!is_found(|law, s| lanes(law, 4, true, s)));
    }

    #[test]
    fn lanes_that_share_a_bit() {
        assert!(
            is_found(|law, s| lanes(law, 4, true, s).map(|flips| flips & 7 | (flips & 1) << 3))
        );
    }

    #[test]
    fn lanes_that_stop_one_place_early() {
        assert!(is_found(|_, s| {
            let first = s.draw()?.value();
            s.draw()?;
            Ok(!first & 15)
        }));
    }

    /// 0.8125 is 0.1101 in base 2.
    #[test]
    fn digits_from_the_wrong_end() {
        let is_right = |digits: [u64; 4]| {
            has_the_product_law(0.8125, &[true, false], 4, |answers, s| {
                let (mut below, mut undecided) = (0, 15);
                for digit in digits {
                    let drawn = s.draw()?.value();
                    below |= undecided & (15 * digit) & !drawn;
                    undecided &= !(drawn ^ (15 * digit));
                }
                Ok(answers.iter().enumerate().map(|(i, x)| x ^ (below >> i & 1 == 0)).collect())
            })
        };
        assert!(is_right([1, 1, 0, 1]) && !is_right([1, 0, 1, 1]));
    }
}
