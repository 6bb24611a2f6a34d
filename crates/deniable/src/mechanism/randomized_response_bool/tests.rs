use super::*;
use crate::ErrorKind;
use crate::common::*;

fn map(prob: f64) -> f64 {
    make_randomized_response_bool(prob, false).unwrap().map(1).unwrap().get()
}

/// From 0.5 to 1, dense at both ends.
fn probs() -> Vec<f64> {
    let mut probs = vec![0.5, 0.55, 0.6, 2.0 / 3.0, 0.75, 0.8, 0.9, 0.99, 1.0];
    probs.extend((2..=53).map(|places| 0.5 + 0.5f64.powi(places)));
    probs.extend((2..=53).map(|places| 1.0 - 0.5f64.powi(places)));
    probs.sort_by(f64::total_cmp);
    probs.dedup();
    probs
}

#[test]
fn a_prob_from_one_half_to_one_is_accepted() {
    for constant_time in [false, true] {
        for prob in probs() {
            let mechanism = make_randomized_response_bool(prob, constant_time).unwrap();
            assert_eq!(mechanism.prob(), prob);
            assert_eq!(mechanism.constant_time(), constant_time);
        }
    }
}

#[test]
fn any_other_prob_is_refused_with_the_rule() {
    let below = [down(0.5), 0.0, -0.0, 5e-324, -5e-324, -1.0, f64::MIN, f64::NEG_INFINITY];
    let above = [up(1.0), 2.0, f64::MAX, f64::INFINITY];
    let cases = below.map(|prob| (prob, "is below 0.5")).into_iter();
    let cases = cases.chain(above.map(|prob| (prob, "is above 1")));
    for (prob, problem) in cases.chain([(f64::NAN, "it is not a number")]) {
        let error = make_randomized_response_bool(prob, true).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidParameter);
        assert_eq!(error.parameter(), Some("prob"));
        let message = error.to_string();
        assert!(message.contains(problem), "{message}");
        assert!(message.ends_with("accepted is a number from 0.5 to 1"), "{message}");
    }
}

/// The expansions are from an independent decimal arithmetic of 60 digits.
#[test]
fn the_loss_is_the_neighbour_above_the_logarithm() {
    let cases = [
        (0.75, "1.0986122886681096913952452369225257046475"),
        (0.9, "2.1972245773362196295067181683243069621053"),
        (0.99, "4.5951198501345890297025151627951888984109"),
        (0.6, "0.4054651081081642894594277300346382905715"),
        (down(1.0), "36.7368005696771012880909999747676979026625"),
    ];
    for (prob, expansion) in cases {
        assert_eq!(map(prob), round_up(expansion), "{prob}");
    }
    // p/(1 − p) = (1 + x)/(1 − x) at x = 2^−52, of which the logarithm is 2x + 2x³/3 + …
    assert_eq!(map(up(0.5)), up(0.5f64.powi(51)));
    assert_eq!(map(0.5), 0.0);
    assert_eq!(map(1.0), f64::INFINITY);
}

#[test]
fn every_distance_from_one_on_loses_the_same() {
    for prob in probs() {
        let mechanism = make_randomized_response_bool(prob, false).unwrap();
        let bound = mechanism.map(1).unwrap();
        assert_eq!(mechanism.map(0).unwrap(), Epsilon::ZERO);
        for d_in in [2, 3, 1000, u32::MAX] {
            assert_eq!(mechanism.map(d_in).unwrap(), bound);
        }
    }
}

#[test]
fn the_loss_grows_with_prob() {
    for pair in probs().windows(2) {
        assert!(map(pair[0]) < map(pair[1]), "{pair:?}");
    }
}

#[test]
fn a_low_word_is_the_truth_and_a_high_one_the_lie() {
    for constant_time in [false, true] {
        for prob in probs().into_iter().filter(|&prob| prob < 1.0) {
            let mechanism = make_randomized_response_bool(prob, constant_time).unwrap();
            // The first 64 digits of prob are all it has.
            let digits = (prob * 2f64.powi(64)) as u64;
            let cases = [(0, true), (digits - 1, true), (digits, false), (u64::MAX, false)];
            for ((word, truthful), answer) in
                cases.into_iter().flat_map(|c| [(c, true), (c, false)])
            {
                let mut script = Script::new([word]);
                let said = mechanism.invoke_from(&answer, &mut script).unwrap();
                assert_eq!(said == answer, truthful, "{prob} {word}");
                assert_eq!(script.drawn, 1);
            }
        }
    }
}

#[test]
fn at_one_the_truth_is_released_and_nothing_is_drawn() {
    for constant_time in [false, true] {
        let mechanism = make_randomized_response_bool(1.0, constant_time).unwrap();
        for answer in [true, false] {
            assert_eq!(mechanism.invoke_from(&answer, &mut Script::new([])).unwrap(), answer);
        }
    }
}

#[test]
fn both_answers_draw_and_fail_alike() {
    for constant_time in [false, true] {
        for prob in probs() {
            let mechanism = make_randomized_response_bool(prob, constant_time).unwrap();
            let most = assert_draws_alike(&[true, false], 4, |answer, script| {
                mechanism.invoke_from(answer, script)
            });
            assert_eq!(most, usize::from(prob < 1.0));
        }
    }
    let error = make_randomized_response_bool(0.75, true)
        .unwrap()
        .invoke_from(&true, &mut Script::new([]))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::EntropyUnavailable);
    assert_eq!(error.parameter(), None);
    assert_silent(&error, &["true", "false"]);
}

#[test]
fn the_largest_prob_is_within_the_loss_and_the_next_is_not() {
    for epsilon in losses() {
        let prob = largest_prob(Epsilon::new(epsilon).unwrap());
        assert!(map(prob) <= epsilon, "{epsilon}");
        if prob < 1.0 {
            assert!(map(up(prob)) > epsilon, "{epsilon}");
        } else {
            assert_eq!((prob, epsilon), (1.0, f64::INFINITY));
        }
    }
    assert_eq!(largest_prob(Epsilon::ZERO), 0.5);
    assert_eq!(largest_prob(Epsilon::new(1e300).unwrap()), down(1.0));
}

/// Every prob is the largest of its own loss.
#[test]
fn calibration_inverts_the_map() {
    for prob in probs() {
        assert_eq!(largest_prob(Epsilon::new(map(prob)).unwrap()), prob);
    }
}

/// √(n·p(1 − p))/(2p − 1): with p = 0.9 and n = 400, √36/0.8.
#[test]
fn the_standard_error_is_that_of_the_binomial_law() {
    let standard_error = |prob, respondents| {
        make_randomized_response_bool(prob, false).unwrap().standard_error(respondents)
    };
    assert!((standard_error(0.9, 400) / 7.5 - 1.0).abs() < 1e-15);
    assert!((standard_error(0.75, 1_000_000) / 750_000f64.sqrt() - 1.0).abs() < 1e-15);
    assert_eq!(standard_error(1.0, 1000), 0.0);
    assert_eq!(standard_error(0.5, 1000), f64::INFINITY);
    assert_eq!(standard_error(0.75, 0), 0.0);
    assert!(standard_error(up(0.5), u64::MAX).is_finite());
}

#[test]
fn the_standard_error_of_no_respondents_is_a_number() {
    let mechanism = make_randomized_response_bool(0.5, false).unwrap();
    assert_eq!(mechanism.standard_error(0), f64::INFINITY);
}
