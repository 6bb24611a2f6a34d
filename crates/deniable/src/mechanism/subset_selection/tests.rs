use core::hash::Hasher;

use super::*;
use crate::common::*;
use crate::estimate::BitCounts;
use crate::{ErrorKind, make_randomized_response};

fn numbers(k: usize, size: usize, prob: f64) -> SubsetSelection<usize> {
    make_subset_selection(0..k, size, prob).unwrap()
}

fn map(k: usize, size: usize, prob: f64) -> f64 {
    numbers(k, size, prob).map(1).unwrap().get()
}

/// Texts that are equal if their letters are, whatever their case.
#[derive(Clone, Copy, Debug, Eq)]
struct AnyCase(&'static str);

impl PartialEq for AnyCase {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(other.0)
    }
}

impl Hash for AnyCase {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_ascii_lowercase().hash(state);
    }
}

/// Numbers of categories, and sizes: of one, of all but one, and those that are flipped first.
const SIZES: [(usize, usize); 14] = [
    (2, 1),
    (3, 1),
    (3, 2),
    (4, 2),
    (5, 2),
    (10, 7),
    (63, 20),
    (64, 17),
    (65, 64),
    (100, 27),
    (128, 34),
    (128, 100),
    (200, 1),
    (200, 199),
];

#[test]
fn fewer_than_two_categories_or_equal_ones_are_refused() {
    let cases: [(&[&str], &str); 3] = [
        (&[], "there are no categories"),
        (&["sesame4711"], "there is only one category"),
        (&["a", "sesame4711", "b", "sesame4711"], "number 4 is equal to number 2"),
    ];
    for (categories, problem) in cases {
        let error = make_subset_selection(categories.to_vec(), 1, 0.5).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidParameter);
        assert_eq!(error.parameter(), Some("categories"));
        assert!(error.to_string().contains(problem), "{error}");
        assert_silent(&error, &["sesame4711"]);
    }
    assert!(make_subset_selection([AnyCase("Tea"), AnyCase("tea")], 1, 0.5).is_err());
}

#[test]
fn a_size_of_none_or_all_is_refused() {
    for k in [2, 3, 10] {
        for size in [0, k, k + 1, usize::MAX] {
            let made = make_subset_selection(0..k, size, 0.9).unwrap_err();
            let found = largest_prob(k, size, Epsilon::INFINITY).unwrap_err();
            for error in [made, found] {
                assert_eq!(error.kind(), ErrorKind::InvalidParameter);
                assert_eq!(error.parameter(), Some("size"));
                let problem = if size == 0 {
                    "it is 0".to_owned()
                } else {
                    format!("{size} is not below {k}")
                };
                let expected =
                    format!("invalid size: {problem}; accepted is an integer from 1 to {}", k - 1);
                assert_eq!(error.to_string(), expected);
            }
        }
        assert!((1..k).all(|size| make_subset_selection(0..k, size, 0.95).is_ok()));
    }
}

#[test]
fn a_prob_from_the_share_to_below_one_is_accepted() {
    for (k, size) in SIZES {
        let least = size as f64 / k as f64;
        for prob in [least, up(least), (1.0 + least) / 2.0, down(1.0)] {
            let mechanism = numbers(k, size, prob);
            assert_eq!((mechanism.size(), mechanism.prob()), (size, prob));
        }
        let bad = [down(least), 0.0, -0.0, 5e-324, -0.5, f64::NEG_INFINITY, f64::NAN];
        for prob in bad.into_iter().chain([1.0, up(1.0), 2.0, f64::INFINITY]) {
            let error = make_subset_selection(0..k, size, prob).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidParameter);
            assert_eq!(error.parameter(), Some("prob"));
            let accepted = format!("accepted is a number from {size}/{k} to below 1");
            assert!(error.to_string().ends_with(&accepted), "{error}");
        }
    }
    let message = |prob| make_subset_selection(0..5, 2, prob).unwrap_err().to_string();
    assert!(message(1.0).contains("1 is not below 1;"));
    assert!(message(0.25).contains("0.25 is below 2/5;"));
    assert!(message(f64::NAN).contains("it is not a number;"));
}

/// The order of a float below 1 and size/k, on integers.
fn against_share(k: usize, size: usize, prob: f64) -> core::cmp::Ordering {
    let bits = prob.to_bits();
    let (mantissa, places) = (bits & ((1 << 52) - 1) | 1 << 52, 1075 - (bits >> 52));
    (u128::from(mantissa) * k as u128).cmp(&((size as u128) << places))
}

/// The loss of the nearest float to size/k: none if it is that, and else that of a relative error of up to 2^−53, in what is the smaller.
#[test]
fn the_share_itself_is_accepted_for_every_size_and_its_loss_is_right() {
    let mut below = 0;
    for k in 2..=120 {
        for size in 1..k {
            let prob = size as f64 / k as f64;
            let loss = map(k, size, prob);
            match against_share(k, size, prob) {
                core::cmp::Ordering::Equal => assert_eq!(loss, 0.0, "{k} {size}"),
                order => {
                    let most = 0.5f64.powi(53) * (1.0 + size as f64 / (k - size) as f64) * 1.001;
                    assert!(loss > 0.0 && loss < most, "{k} {size}");
                    below += u32::from(order.is_lt());
                }
            }
        }
    }
    assert!(below > 1000, "only {below} of the floats are below size/k");
}

/// The expansions are from an independent decimal arithmetic of 70 digits.
#[test]
fn the_loss_is_the_neighbour_above_the_logarithm() {
    let cases = [
        (4, 2, 0.75, "1.09861228866810969139524523692252570464749055782274945173469433"),
        (3, 1, 0.5, "0.69314718055994530941723212145817656807550013436025525412068001"),
        (128, 34, 0.4957665, "0.99999985296977954878182946098673374235144970306705633751895143"),
        (1000, 269, 0.5, "0.99970208014793939750242395072373645327629108630426258829132187"),
        (10, 9, 0.95, "0.74721440183022014229388464212189826694215626873195501602817122"),
        (3, 1, 1.0 / 3.0, "0.00000000000000008326672684688674168733034173915309941743980776"),
        (7, 3, 3.0 / 7.0, "0.00000000000000009714451465470119796114325149347940698720515270"),
        (10, 3, 0.3, "0.00000000000000005286776307738840724583967780379461177012751715"),
        (49, 12, 12.0 / 49.0, "0.00000000000000003063115326950037776230326414370409727504029022"),
    ];
    for (k, size, prob, expansion) in cases {
        assert_eq!(map(k, size, prob), round_up(expansion), "{k} {size} {prob}");
    }
    let most = round_up("22.92129101171332718431638482999504599055590948394094128847676944");
    assert_eq!(loss(1_000_000, 999_999, down(1.0)).get(), most);
}

#[test]
fn every_distance_from_one_on_loses_the_same() {
    for (k, size) in SIZES {
        let mechanism = numbers(k, size, down(1.0));
        assert_eq!(mechanism.map(0).unwrap(), Epsilon::ZERO);
        assert!([2, 3, u32::MAX].iter().all(|&d_in| mechanism.map(d_in) == mechanism.map(1)));
    }
}

#[test]
fn the_loss_grows_with_prob_and_falls_as_the_size_grows() {
    for (k, size) in SIZES {
        let least = size as f64 / k as f64;
        let probs = (1..20).map(|i| least + (1.0 - least) * f64::from(i) / 20.0);
        let losses: Vec<f64> = probs.map(|prob| map(k, size, prob)).collect();
        assert!(losses.windows(2).all(|pair| pair[0] < pair[1]), "{k} {size}");
    }
    let losses: Vec<f64> = (1..9).map(|size| map(10, size, 0.95)).collect();
    assert!(losses.windows(2).all(|pair| pair[0] > pair[1]));
}

#[test]
fn subsets_of_one_lose_what_randomized_response_loses() {
    for (k, prob) in [(2, 0.5), (3, 1.0 / 3.0), (10, 0.9), (1000, 0.002), (5, down(1.0))] {
        let response = make_randomized_response(0..k, prob).unwrap();
        assert_eq!(numbers(k, 1, prob).map(1), response.map(1), "{k} {prob}");
    }
}

/// Every set to begin with, every place that is turned then, and every draw for the answer.
#[test]
fn every_choice_of_the_words_gives_the_subset_it_should() {
    // Of 1/4 a lane is below if both its digits are 0. Two of five: 0.25 is below 2/5.
    let mechanism = numbers(5, 2, 0.5);
    for first in 0..32u64 {
        for (turned, draw) in (0..25).flat_map(|i| (0..12).map(move |j| ([i % 5, i / 5], j))) {
            let (own, one_in, one_out) = (draw % 2, draw / 2 % 2, draw / 4);
            let mut script = vec![!first & 31, 0];
            let mut subset = first;
            // Zeros are turned while there are too few ones, and else ones.
            let mut turns = turned.into_iter();
            while subset.count_ones() != 2 {
                let Some(place) = turns.next() else { break };
                script.push(word_for(place, 5));
                if (subset >> place & 1 == 1) == (subset.count_ones() > 2) {
                    subset ^= 1 << place;
                }
            }
            if subset.count_ones() != 2 {
                continue;
            }
            script.extend([own, word_for(one_in, 2), word_for(one_out, 3)]);
            let members = |is_in: bool| (0..5).filter(move |i| (subset >> i & 1 == 1) == is_in);
            for answer in 0..=5u64 {
                let (truthful, is_in) = (own == 0, subset >> answer & 1 == 1);
                let other = match truthful {
                    true => members(true).nth(one_in as usize).unwrap(),
                    false => members(false).nth(one_out as usize).unwrap(),
                };
                let expected = match answer {
                    5 => subset,
                    _ if truthful == is_in => subset,
                    _ => subset ^ 1 << answer ^ 1 << other,
                };
                let mut words = Script::new(script.clone());
                let report = mechanism.invoke_from(&(answer as usize), &mut words).unwrap();
                assert_eq!(report.as_words(), [expected], "{first} {turned:?} {draw} {answer}");
                assert_eq!(words.drawn, script.len());
            }
        }
    }
}

#[test]
fn a_report_has_its_size_and_the_answer_is_where_it_should_be() {
    for (k, size) in SIZES {
        // A lie once in 2^53 reports.
        let mechanism = numbers(k, size, down(1.0));
        for answer in [0, 1, k / 2, k - 1, k, usize::MAX] {
            for _ in 0..20 {
                let report = mechanism.invoke(&answer).unwrap();
                assert_eq!((report.len(), report.count_ones()), (k, size));
                assert!(answer >= k || report.get(answer) == Some(true), "{k} {size} {answer}");
            }
        }
    }
}

/// More reports than are made at once, and enough for several threads.
#[test]
fn rows_and_batches_are_reports_one_after_the_other() {
    for (k, size) in SIZES.into_iter().chain([(1000, 269), (5000, 10)]) {
        let mechanism = numbers(k, size, down(1.0));
        for count in [0, 1, 2, 64, 65, 1023, 1024, 1025, 5000] {
            let count = if k > 200 { count / 10 } else { count };
            let answers: Vec<usize> = (0..count).map(|i| (i * 7919) % (k + 1)).collect();
            let places: Vec<u16> = answers.iter().map(|&place| place as u16).collect();
            let rows = mechanism.invoke_rows(&places).unwrap();
            let batch = mechanism.invoke_batch(&answers).unwrap();
            assert_eq!((rows.len(), batch.len()), (count * k.div_ceil(64), count));
            for (i, row) in rows.chunks(k.div_ceil(64)).enumerate() {
                let report = BitVector::from_words(row.to_vec(), k).unwrap();
                for report in [&report, &batch[i]] {
                    assert_eq!((report.len(), report.count_ones()), (k, size));
                    assert!(answers[i] == k || report.get(answers[i]) == Some(true));
                }
            }
        }
    }
}

/// Each count is within eight standard deviations of what is expected: a false alarm comes up once in 10^12 runs.
#[test]
fn bits_of_a_batch_have_their_probabilities() {
    let count = 60_000;
    for (k, size, prob) in [(5, 2, 0.5), (64, 17, 0.5), (70, 50, 0.75), (3, 1, 0.5)] {
        let mechanism = numbers(k, size, prob);
        let share = |ones: u64| ones as f64 / count as f64;
        let mut counts = BitCounts::new(k);
        mechanism.count(&mechanism.invoke_batch(&vec![1; count]).unwrap(), &mut counts).unwrap();
        let mut outside = BitCounts::new(k);
        outside.add_rows(&mechanism.invoke_rows(&vec![255u8; count]).unwrap()).unwrap();
        let lie = (size as f64 - prob) / (k - 1) as f64;
        for (place, (inside, outside)) in counts.ones().into_iter().zip(outside.ones()).enumerate()
        {
            let expected = if place == 1 { prob } else { lie };
            assert!((share(inside) - expected).abs() < 0.017, "{k} {size} {place}");
            assert!((share(outside) - size as f64 / k as f64).abs() < 0.017, "{k} {size} {place}");
        }
    }
}

#[test]
fn the_order_of_the_categories_is_kept() {
    let given = ["z", "a", "m", "b", "y", "c"];
    let mechanism = make_subset_selection(given, 2, 0.5).unwrap();
    assert!(mechanism.categories().copied().eq(given));
    assert!((0..6).all(|index| mechanism.index_of(&given[index]) == Some(index)));
    let reversed = make_subset_selection(given.into_iter().rev(), 2, 0.5).unwrap();
    assert_ne!(mechanism, reversed);
    assert_ne!(mechanism, make_subset_selection(given, 2, 0.6).unwrap());
    assert_ne!(mechanism, make_subset_selection(given, 3, 0.5).unwrap());
    assert_eq!(mechanism, mechanism.clone());
    let cups = [AnyCase("Tea"), AnyCase("coffee"), AnyCase("milk")];
    let cups = make_subset_selection(cups, 1, down(1.0)).unwrap();
    for answer in ["Tea", "tea", "TEA"] {
        assert_eq!(cups.invoke(&AnyCase(answer)).unwrap(), BitVector::from([true, false, false]));
    }
    let shown = format!("{mechanism:?}");
    assert!(shown.contains("SubsetSelection") && shown.contains("size: 2"), "{shown}");
}

#[test]
fn all_answers_draw_and_fail_alike() {
    for (k, size) in SIZES {
        for prob in [size as f64 / k as f64, 0.995, down(1.0)] {
            let Ok(mechanism) = make_subset_selection(0..k, size, prob) else { continue };
            let answers = [0, 1, k / 2, k - 1, k, usize::MAX];
            assert_draws_alike(&answers, 300, |answer, script| {
                mechanism.invoke_from(answer, script)
            });
        }
    }
    let mechanism = numbers(70, 20, 0.5);
    let batches = [vec![0, 1, 2], vec![70, 70, 70], vec![5, 69, 1000]];
    assert_draws_alike(&batches, 600, |answers: &Vec<usize>, script| {
        mechanism.invoke_batch_from(answers, script)
    });
    let mechanism = make_subset_selection(["a", "b", "c"], 1, 0.5).unwrap();
    let error = mechanism.invoke_from(&"sesame4711", &mut Script::new([0])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::EntropyUnavailable);
    assert_silent(&error, &["sesame4711"]);
}

#[test]
fn the_largest_prob_is_within_the_loss_and_the_next_is_not() {
    for (k, size) in SIZES.into_iter().chain([(1_000_000, 268_941), (1_000_000, 1)]) {
        for epsilon in losses() {
            let budget = Epsilon::new(epsilon).unwrap();
            match largest_prob(k, size, budget) {
                Ok(prob) => {
                    assert!(loss(k, size, prob) <= budget, "{k} {size} {epsilon}");
                    assert!(check_prob(k, size, prob).is_ok());
                    assert!(up(prob) == 1.0 || loss(k, size, up(prob)) > budget, "{k} {epsilon}");
                }
                // Neither of the two floats around size/k stays within.
                Err(error) => {
                    assert_eq!(error.parameter(), Some("epsilon"));
                    let least = size as f64 / k as f64;
                    assert!(loss(k, size, least) > budget && loss(k, size, up(least)) > budget);
                    assert!(epsilon < 1e-13, "{k} {size} {epsilon}");
                }
            }
        }
    }
    assert_eq!(largest_prob(2, 1, Epsilon::ZERO).unwrap(), 0.5);
    assert_eq!(largest_prob(1024, 3, Epsilon::ZERO).unwrap(), 3.0 / 1024.0);
    assert_eq!(largest_prob(3, 2, Epsilon::INFINITY).unwrap(), down(1.0));
    for k in [0, 1] {
        assert_eq!(largest_prob(k, 1, Epsilon::INFINITY).unwrap_err().parameter(), Some("k"));
        assert_eq!(best_size(k, Epsilon::INFINITY).unwrap_err().parameter(), Some("k"));
    }
}

/// The loss that the refusal says is enough is enough, and no smaller one is.
#[test]
fn the_refusal_of_a_small_loss_says_how_much_is_needed() {
    for (k, size) in [(3, 1), (3, 2), (10, 3), (49, 12), (1000, 269)] {
        let message = largest_prob(k, size, Epsilon::ZERO).unwrap_err().to_string();
        let enough: f64 = message.rsplit(' ').next().unwrap().parse().unwrap();
        assert!(largest_prob(k, size, Epsilon::new(enough).unwrap()).is_ok(), "{k}");
        assert!(largest_prob(k, size, Epsilon::new(down(enough)).unwrap()).is_err(), "{k}");
    }
}

/// q(1 − q)/(p − q)² as it is written in the documentation.
fn variance(k: usize, size: usize, epsilon: f64) -> f64 {
    let (k, size, growth) = (k as f64, size as f64, epsilon.exp());
    let p = size * growth / (size * growth + k - size);
    let q = (p * (size - 1.0) + (1.0 - p) * size) / (k - 1.0);
    q * (1.0 - q) / (p - q).powi(2)
}

/// Against all sizes, where another may be as good to a relative 1e-9.
#[test]
fn the_best_size_has_the_least_variance() {
    for epsilon in [0.01, 0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0] {
        for k in (2..200).chain([500, 1000]) {
            let best = best_size(k, Epsilon::new(epsilon).unwrap()).unwrap();
            let least = variance(k, best, epsilon);
            let better = (1..k).find(|&size| variance(k, size, epsilon) < least * (1.0 - 1e-9));
            assert_eq!(better, None, "{k} {epsilon} {best}");
            let near = k as f64 / (epsilon.exp() + 1.0);
            assert!((best as f64 - near).abs() < 1.5, "{k} {epsilon} {best} {near}");
        }
    }
    assert_eq!(best_size(128, Epsilon::new(1.0).unwrap()).unwrap(), 34);
    assert!((variance(128, 34, 1.0) - 3.6098).abs() < 5e-5);
    let many = best_size(u32::MAX as usize, Epsilon::new(1.0).unwrap()).unwrap();
    assert!((many as f64 / (u32::MAX as f64 / (1f64.exp() + 1.0)) - 1.0).abs() < 1e-6);
}

#[test]
fn the_best_size_of_no_loss_and_of_any() {
    for k in 2..100 {
        assert_eq!(best_size(k, Epsilon::ZERO).unwrap(), k / 2, "{k}");
        for epsilon in [710.0, 1e300, f64::INFINITY, 40.0] {
            assert_eq!(best_size(k, Epsilon::new(epsilon).unwrap()).unwrap(), 1);
        }
    }
}

/// k = 4, size = 2, prob = 3/4: a lie is 5/12, the difference is 1/3.
#[test]
fn the_standard_error_is_that_of_the_worst_count() {
    let expected = (100.0f64 * 35.0 / 144.0).sqrt() * 3.0;
    assert!((numbers(4, 2, 0.75).standard_error(100) / expected - 1.0).abs() < 1e-14);
    // As randomized response: t = 11, prob = 0.2, lie = 0.08: √(100·0.16)/0.12.
    assert!((numbers(11, 1, 0.2).standard_error(100) / (4.0 / 0.12) - 1.0).abs() < 1e-14);
    assert_eq!(numbers(4, 2, 0.5).standard_error(100), f64::INFINITY);
    // The float is below 1/3.
    assert_eq!(numbers(3, 1, 1.0 / 3.0).standard_error(100), f64::INFINITY);
    assert!(numbers(3, 1, up(1.0 / 3.0)).standard_error(100).is_finite());
}

#[test]
fn reports_support_the_ones_and_answers_outside_bias() {
    let mechanism = numbers(4, 2, 0.75);
    let channel = mechanism.channel().unwrap();
    assert_eq!((channel.truth(), channel.lie(), channel.signal()), (0.75, 5.0 / 12.0, 1.0 / 3.0));
    assert!(mechanism.is_choice());
    let mut counts = BitCounts::new(4);
    let bits = |text: &str| -> BitVector { text.bytes().map(|byte| byte == b'1').collect() };
    mechanism.count(&[bits("1100"), bits("1001")], &mut counts).unwrap();
    let estimates = mechanism.estimate(&counts).unwrap();
    assert_eq!(estimates.outside_bias(), 0.25);
    // (2 − 2·5/12)·3, (1 − 2·5/12)·3, −2·5/12·3 and again the second.
    let expected = [3.5, 0.5, -2.5, 0.5];
    assert!(estimates.iter().zip(expected).all(|(estimate, count)| estimate.count() == count));
    for bad in ["1000", "1110", "0000", "11000", "110"] {
        let error = mechanism.count(&[bits("1010"), bits(bad)], &mut counts).unwrap_err();
        assert_eq!(error.parameter(), Some("reports"));
        assert!(error.to_string().contains("report number 2"), "{error}");
    }
    assert_eq!((counts.ones(), counts.reports()), (vec![2, 1, 0, 1], 2));
    let error = mechanism.count(&[bits("1010")], &mut BitCounts::new(5)).unwrap_err();
    assert_eq!(error.parameter(), Some("counts"));
    for (k, size, prob) in [(4, 2, 0.5), (3, 1, 1.0 / 3.0)] {
        let error = numbers(k, size, prob).channel().unwrap_err();
        assert_eq!(error.parameter(), Some("prob"));
    }
}

#[test]
fn a_batch_from_a_source_is_the_rows_of_its_words() {
    for (k, size) in [(3, 1), (64, 5), (70, 30)] {
        let mechanism = numbers(k, size, 0.6);
        let answers: Vec<usize> = (0..1500).map(|i| i * 7 % (k + 1)).collect();
        let places: Vec<u8> = answers.iter().map(|&place| place as u8).collect();
        let script = || Script::new(words(5, 400_000));
        let batch = mechanism.invoke_batch_from(&answers, &mut script()).unwrap();
        let rows = mechanism.randomize_rows(&places, &mut script()).unwrap();
        let reports = rows.chunks(k.div_ceil(64)).map(|row| BitVector::from_words(row.to_vec(), k));
        assert_eq!(batch, reports.map(Result::unwrap).collect::<Vec<_>>());
        assert_eq!(batch.len(), answers.len());
    }
}
