use super::*;
use crate::{ErrorKind, make_randomized_response};

fn reports(rows: &[&str]) -> Vec<BitVector> {
    rows.iter().map(|row| row.bytes().map(|byte| byte == b'1').collect()).collect()
}

/// The same bits `count` times.
fn repeated(bits: &str, count: usize) -> Vec<BitVector> {
    vec![reports(&[bits]).remove(0); count]
}

#[test]
fn small_cases_are_those_of_the_formula() {
    // (Y − n·f/2)/(1 − f) with n = 4: at f = 1/2, 2Y − 2; at f = 1/4, (4Y − 2)/3; at f = 3/4, 4Y − 6.
    let rows = reports(&["11110", "01110", "00110", "00010"]);
    for (f, expected) in [
        (0.5, [0.0, 2.0, 4.0, 6.0, -2.0]),
        (0.25, [2.0 / 3.0, 2.0, 10.0 / 3.0, 14.0 / 3.0, -2.0 / 3.0]),
        (0.75, [-2.0, 2.0, 6.0, 10.0, -6.0]),
    ] {
        assert_eq!(debias_randomized_response_bitvec(&rows, f).unwrap(), expected);
    }
    // (Y − n(1 − p))/(2p − 1) with n = 4: at p = 3/4, 2Y − 2.
    for yes in 0..=4 {
        let answers: Vec<bool> = (0..4).map(|i| i < yes).collect();
        let estimate = debias_randomized_response_bool(&answers, 0.75).unwrap();
        assert_eq!(estimate, 2.0 * yes as f64 - 2.0);
        assert_eq!(debias_randomized_response_bool(&answers, 1.0).unwrap(), yes as f64);
    }
    // t = 5, p = 1/2, r = 1/8: (8Y − n)/3.
    let mechanism = make_randomized_response(0..5, 0.5).unwrap();
    let estimates = debias_randomized_response(&mechanism, &[0, 0, 1, 2, 0]).unwrap();
    assert_eq!(estimates, [19.0 / 3.0, 1.0, 1.0, -5.0 / 3.0, -5.0 / 3.0]);
}

/// If the counts are what is expected of the truth, the estimate is the truth.
#[test]
fn expected_counts_give_the_truth_back() {
    // Of 64 answers with x ones, at f = 1/8, expected are x·15/16 + (64 − x)/16 = 4 + 7x/8.
    let channel = Channel::bitvec(0.125).unwrap();
    for ones in (0..=64).step_by(8) {
        assert_eq!(channel.estimate(4 + 7 * ones / 8, 64), ones as f64);
    }
    // At p = 13/16: 13x/16 + 3(64 − x)/16 = 12 + 5x/8.
    let channel = Channel::bool(0.8125).unwrap();
    for yes in (0..=64).step_by(8) {
        assert_eq!(channel.estimate(12 + 5 * yes / 8, 64), yes as f64);
    }
    // t = 4, p = 5/8, r = 1/8: x·5/8 + (64 − x)/8 = 8 + x/2.
    let channel = Channel::categories(4, 0.625).unwrap();
    for answers in (0..=64).step_by(2) {
        assert_eq!(channel.estimate(8 + answers / 2, 64), answers as f64);
    }
}

/// The estimates of all categories add up to the number of reports, here without a rounding.
#[test]
fn estimates_add_up_to_the_respondents() {
    let mechanism = make_randomized_response(0..9, 0.5).unwrap();
    // r = 1/16 and n = 7·36: (16·7c − n)/7 = 16c − 36.
    let reports: Vec<usize> = (0..9).flat_map(|c| vec![c; 7 * c]).collect();
    let estimates = debias_randomized_response(&mechanism, &reports).unwrap();
    assert!(estimates.iter().all(|estimate| estimate.fract() == 0.0));
    assert_eq!(estimates.iter().sum::<f64>(), reports.len() as f64);
}

#[test]
fn an_f_or_prob_without_information_is_refused() {
    let rows = reports(&["10"]);
    let bad = [0.0, -0.0, -5e-324, -0.5, 1.0 + f64::EPSILON, 2.0, f64::INFINITY, f64::NEG_INFINITY];
    for f in bad.into_iter().chain([1.0, f64::NAN]) {
        let error = debias_randomized_response_bitvec(&rows, f).unwrap_err();
        assert_eq!((error.kind(), error.parameter()), (ErrorKind::InvalidParameter, Some("f")));
        assert!(error.to_string().ends_with("a number above 0 and below 1"), "{error}");
    }
    for prob in [0.5, 0.25, 0.0, 1.0 + f64::EPSILON, -1.0, f64::NAN, f64::INFINITY] {
        let error = debias_randomized_response_bool(&[true], prob).unwrap_err();
        assert_eq!((error.kind(), error.parameter()), (ErrorKind::InvalidParameter, Some("prob")));
    }
    let mechanism = make_randomized_response(0..4, 0.25).unwrap();
    let error = debias_randomized_response(&mechanism, &[1]).unwrap_err();
    assert_eq!(error.parameter(), Some("prob"));
    assert!(error.to_string().contains("a number above 1/t, below 1"));
}

#[test]
fn no_reports_two_lengths_and_strange_reports_are_refused() {
    let mechanism = make_randomized_response(["a", "b"], 0.75).unwrap();
    let none = [
        debias_randomized_response_bitvec(&[], 0.5).unwrap_err(),
        debias_randomized_response_bool(&[], 0.75).unwrap_err(),
        debias_randomized_response(&mechanism, &[]).unwrap_err(),
    ];
    for error in none {
        assert_eq!(error.parameter(), Some("reports"));
        assert!(error.to_string().contains("there are none; accepted is at least one report"));
    }
    let rows = reports(&["10110", "10111", "1011"]);
    let error = debias_randomized_response_bitvec(&rows, 0.5).unwrap_err();
    assert_eq!(error.parameter(), Some("reports"));
    assert!(error.to_string().contains("report number 3 has another length"));
    assert!(!format!("{error:?}").contains("1011"));
    let error = debias_randomized_response(&mechanism, &["a", "sesame4711"]).unwrap_err();
    assert_eq!(error.parameter(), Some("reports"));
    assert!(error.to_string().contains("report number 2 is none of the categories"));
    assert!(!format!("{error:?}").contains("sesame4711"));
}

/// Fewer respondents than counts, as many, and more: estimates are the same whether or not each is computed once.
#[test]
fn many_places_give_what_each_alone_gives() {
    for f in [5e-324, 1e-310, 0.1, 0.5, 0.9, 1.0 - f64::EPSILON / 2.0] {
        let channel = Channel::bitvec(f).unwrap();
        for respondents in 0..12u64 {
            for places in [0, 1, respondents as usize, respondents as usize + 1, 13, 40] {
                let counts: Vec<u64> =
                    (0..places).map(|i| i as u64 * 7 % (respondents + 1)).collect();
                let alone: Vec<f64> =
                    counts.iter().map(|&count| channel.estimate(count, respondents)).collect();
                assert_eq!(channel.estimates(&counts, respondents), alone);
            }
        }
    }
    assert_eq!(debias_randomized_response_bitvec(&reports(&["", ""]), 0.5).unwrap(), [0.0; 0]);
}

#[test]
fn every_place_counts_its_own_bits() {
    for length in [1, 63, 64, 65, 128, 129, 200] {
        let rows: Vec<BitVector> =
            (1..=3).map(|step| (0..length).map(|i| i % (step + 1) == 0).collect()).collect();
        let expected: Vec<f64> = (0..length)
            .map(|i| (1..=3).filter(|step| i % (step + 1) == 0).count() as f64)
            .map(|count| 2.0 * count - 1.5)
            .collect();
        assert_eq!(debias_randomized_response_bitvec(&rows, 0.5).unwrap(), expected);
    }
}

/// With next to no flips the counts are the estimates; next to none of the bits kept, every one counts for 2^53.
#[test]
fn extreme_noise_is_taken_off_exactly() {
    let rows = [repeated("10", 3), repeated("00", 1)].concat();
    for f in [5e-324, 1e-310, f64::MIN_POSITIVE, 1e-300] {
        let estimates = debias_randomized_response_bitvec(&rows, f).unwrap();
        // −n·f/2/(1 − f) is −2f, to the nearest float.
        assert_eq!(estimates, [3.0, -2.0 * f]);
    }
    // f = 1 − x: (Y − 2 + 2x)/x = (Y − 2)/x + 2.
    let x = f64::EPSILON / 2.0;
    let estimates = debias_randomized_response_bitvec(&rows, 1.0 - x).unwrap();
    assert_eq!(estimates, [1.0 / x + 2.0, -2.0 / x + 2.0]);
}

/// The float nearest to 1/3 is 2^−54/3 below it: a report of a category speaks against it. With Y reports among n,
/// (Y − n·r)/(prob − r) at r = (1 − prob)/2 is (2Y − n(1 − prob))/(3·prob − 1) = −2^54·(2Y − n(1 − prob)).
#[test]
fn below_one_in_t_a_report_speaks_against_its_category() {
    let mechanism = make_randomized_response(["a", "b", "c"], 1.0 / 3.0).unwrap();
    let estimates = debias_randomized_response(&mechanism, &["a"]).unwrap();
    // n(1 − prob) = 2/3 + 2^−54/3: −2^54·(2 − 2/3) + 1/3 and 2^54·2/3 + 1/3, which are whole numbers, rounded once.
    let whole = (1i64 << 54) as f64;
    assert!(estimates[0] < 0.0 && estimates[1] > 0.0);
    assert_eq!(estimates[1], (((1i128 << 55) + 1) / 3) as f64);
    assert_eq!(estimates[0], -((((1i128 << 56) - 1) / 3) as f64));
    assert_eq!(estimates[1], estimates[2]);
    assert!((estimates.iter().sum::<f64>() / whole).abs() < 1e-15);
}

#[test]
fn as_many_reports_as_a_word_can_count_are_no_problem() {
    let n = u64::MAX;
    let channel = Channel::bool(0.75).unwrap();
    // 2Y − n/2
    assert_eq!(channel.estimate(n, n), 1.5 * n as f64);
    assert_eq!(channel.estimate(0, n), -0.5 * n as f64);
    let channel = Channel::categories(1_000_000, 0.5).unwrap();
    let truth = channel.estimate(n, n);
    // (1 − r)/(1/2 − r) at r = 1/1999998 is 1999997/999998.
    assert!((truth / (n as f64 * 1_999_997.0 / 999_998.0) - 1.0).abs() < 1e-15);
    assert_eq!(
        Channel::bitvec(0.5).unwrap().estimates(&[n, 0], n),
        [1.5 * n as f64, -0.5 * n as f64]
    );
}

/// prob = a/2^54 with a = 6004799503160661, and of n = 2^55 reports n(1 − prob)/2 = 2^54 − a are expected of a category
/// that nobody answered.
#[test]
fn an_estimate_of_zero_has_no_sign_even_below_one_in_t() {
    let channel = Channel::categories(3, 1.0 / 3.0).unwrap();
    let nobody = channel.estimate((1 << 54) - 6_004_799_503_160_661, 1 << 55);
    assert_eq!(nobody.to_bits(), 0);
}
