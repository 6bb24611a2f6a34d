//! The checks find these mistakes.

use super::*;

/// The cases in which mistakes are looked for, in one word and in two.
fn cases(known: &Known, distances: &[i64], visit: &mut impl FnMut(Case)) {
    for target in ends_and_middle::<f64>().into_iter().skip(12).flat_map(|x| targets(x.term)) {
        for x in distances.iter().flat_map(|&above| relative_to::<f64>(target, above)) {
            known.around(x, target, visit);
        }
    }
}

const ONE_WORD: Known = Known { bits: &[63, 61], ..Known::ONE_WORD };
const TWO_WORDS: Known = Known { bits: &[127], offsets: &[-2, 0, 1], ..Known::TWO_WORDS };

/// Whether a wrong way to an answer is told from the right one, by rounding and by comparison.
fn is_found(known: &Known, wrong: impl Fn(&Case) -> Option<f64>) -> [bool; 2] {
    let mut found = [false; 2];
    cases(known, &[-1, 0, 1], &mut |case| {
        if let Some(answer) = wrong(&case).filter(|answer| answer.is_finite()) {
            found[0] = found[0] || !case.is_right(answer);
            found[1] = found[1] || !case.is_nearest(answer);
        }
    });
    found
}

fn rounded(sum: Real) -> Option<f64> {
    Some(sum.round(Direction::Nearest))
}

fn wrong_answers_are_found(known: &Known, answer: fn(&Case) -> Option<f64>) {
    let is_found = |wrong: &dyn Fn(&Case) -> Option<f64>| is_found(known, wrong);
    assert_eq!(is_found(&answer), [false; 2]);
    for less in [4, u128::MAX] {
        let narrower = |case: &Case| Narrow { slack: case.y.slack.saturating_sub(less), ..case.y };
        assert_eq!(is_found(&|case| answer(&Case { y: narrower(case), ..*case })), [true; 2]);
    }
    // One end stands for all.
    assert_eq!(is_found(&|case| rounded(case.sum(0))), [true; 2]);
    assert_eq!(is_found(&|case| rounded(case.sum(case.y.slack))), [true; 2]);
    assert_eq!(is_found(&|case| answer(case).map(|sum| -sum)), [true; 2]);
    assert_eq!(is_found(&|case| answer(case).map(|sum| step(sum, 1))), [true; 2]);
}

#[test]
fn wrong_answers_of_one_word_are_found() {
    wrong_answers_are_found(&ONE_WORD, Case::answer);
}

#[test]
fn wrong_answers_of_two_words_are_found() {
    wrong_answers_are_found(&TWO_WORDS, Case::long_answer);
}

/// So many floats further from zero.
fn step(x: f64, places: i64) -> f64 {
    f64::from_bits(x.to_bits().wrapping_add_signed(places))
}

/// 1 and its successor, each with exactly half a place more.
#[test]
fn a_wrong_rule_for_ties_is_found() {
    for (x, nearest) in [(1.0, 1.0), (step(1.0, 1), step(1.0, 2))] {
        let X { term, raw } = X::float(x).unwrap();
        for negative in [false, true] {
            let x = (negative, term.1, term.2);
            let y = Narrow { mantissa: 1 << 62, slack: 0, exponent: -115 };
            let case = Case { x, raw, y_negative: negative, y };
            let signed = |x: f64| if negative { -x } else { x };
            assert_eq!((case.answer::<f64>(), case.long_answer::<f64>()), (None, None));
            assert!(case.is_right(signed(nearest)) && case.is_nearest(signed(nearest)));
            for other in [step(nearest, 1), step(nearest, -1)].map(signed) {
                assert!(!case.is_right(other) && !case.is_nearest(other));
            }
        }
    }
}

/// Of the answers there are, nearly all would be missed.
#[test]
fn silence_is_found() {
    let [mut easy, mut told] = [[0; 2]; 2];
    cases(&ONE_WORD, &[1], &mut |case| {
        easy[0] += u32::from(case.is_easy::<f64>());
        told[0] += u32::from(case.answer::<f64>().is_some());
    });
    cases(&TWO_WORDS, &[1], &mut |case| {
        easy[1] += u32::from(case.is_easy_in_two_words::<f64>());
        told[1] += u32::from(case.long_answer::<f64>().is_some());
    });
    assert!(told[0] > 80_000 && told[1] > 9_000, "{told:?}");
    assert!((0..2).all(|n| easy[n] * 100 > told[n] * 95), "{easy:?} of {told:?}");
}
