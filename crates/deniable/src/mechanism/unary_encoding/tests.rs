use core::hash::Hasher;

use super::*;
use crate::common::*;
use crate::estimate::BitCounts;
use crate::{BitVectorDomain, DiscreteDistance, ErrorKind, make_randomized_response_bitvec};

fn numbers(k: usize, one: f64, zero: f64) -> UnaryEncoding<usize> {
    make_unary_encoding(0..k, one, zero).unwrap()
}

fn map(one: f64, zero: f64) -> f64 {
    numbers(3, one, zero).map(1).unwrap().get()
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

/// Numbers of categories around the ends of words.
const COUNTS: [usize; 10] = [2, 3, 5, 63, 64, 65, 100, 127, 128, 200];

#[test]
fn fewer_than_two_categories_or_equal_ones_are_refused() {
    let cases: [(&[&str], &str); 3] = [
        (&[], "there are no categories"),
        (&["sesame4711"], "there is only one category"),
        (&["a", "sesame4711", "b", "sesame4711"], "number 4 is equal to number 2"),
    ];
    for (categories, problem) in cases {
        let error = make_unary_encoding(categories.to_vec(), 0.5, 0.25).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidParameter);
        assert_eq!(error.parameter(), Some("categories"));
        assert!(error.to_string().contains(problem), "{error}");
        assert_silent(&error, &["sesame4711"]);
    }
    assert!(make_unary_encoding([AnyCase("Tea"), AnyCase("tea")], 0.5, 0.25).is_err());
}

#[test]
fn a_zero_above_nothing_and_below_one_is_accepted() {
    for (one, zero) in [
        (0.5, 0.25),
        (0.5, down(0.5)),
        (0.5, 5e-324),
        (down(1.0), down(down(1.0))),
        (down(1.0), 5e-324),
        (1e-323, 5e-324),
        (f64::MIN_POSITIVE, 1e-310),
    ] {
        let mechanism = numbers(3, one, zero);
        assert_eq!((mechanism.one(), mechanism.zero()), (one, zero));
        assert!(mechanism.map(1).unwrap() > Epsilon::ZERO);
    }
}

#[test]
fn other_probabilities_are_refused() {
    let accepted_one = "accepted is a number above 0 and below 1";
    let accepted_zero = "accepted is a number above 0 and below one";
    let (not_above, not_below) = ("is not above 0", "is not below");
    for (one, zero, parameter, problem) in [
        (f64::NAN, 0.25, "one", "it is not a number"),
        (0.0, 0.25, "one", "0 is not above 0"),
        (-0.0, 0.25, "one", not_above),
        (-0.5, 0.25, "one", not_above),
        (f64::NEG_INFINITY, 0.25, "one", not_above),
        (1.0, 0.25, "one", "1 is not below 1"),
        (f64::INFINITY, 0.25, "one", not_below),
        (f64::NAN, f64::NAN, "one", "it is not a number"),
        (0.5, f64::NAN, "zero", "it is not a number"),
        (0.5, 0.0, "zero", "0 is not above 0"),
        (0.5, -0.0, "zero", not_above),
        (0.5, -5e-324, "zero", not_above),
        (0.5, f64::NEG_INFINITY, "zero", not_above),
        (0.5, 0.5, "zero", "0.5 is not below one, which is 0.5"),
        (0.5, up(0.5), "zero", not_below),
        (0.25, 0.5, "zero", "0.5 is not below one, which is 0.25"),
        (0.5, f64::INFINITY, "zero", not_below),
        (5e-324, 5e-324, "zero", not_below),
        (5e-324, 1e-310, "zero", not_below),
    ] {
        let error = make_unary_encoding(0..3, one, zero).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidParameter);
        assert_eq!(error.parameter(), Some(parameter), "{one} {zero}");
        assert!(error.to_string().contains(problem), "{error}");
        let accepted = if parameter == "one" { accepted_one } else { accepted_zero };
        assert!(error.to_string().ends_with(accepted), "{error}");
    }
}

/// The expansions are from an independent decimal arithmetic of 70 digits.
#[test]
fn the_loss_is_the_neighbour_above_the_logarithm() {
    let cases = [
        (0.5, 0.25, "1.0986122886681096913952452369225257046474905578227494517346"),
        (0.5, 0.2689414213699951, "1.0000000000000000854336444363617277700645023553183486878878"),
        (0.75, 0.25, "2.1972245773362193827904904738450514092949811156454989034693"),
        (0.9, 0.1, "4.3944491546724389506181517185495520918098018922659818889667"),
        (0.3, 0.1, "1.3499267169490156545335629663161838588752638854547206368607"),
        (0.5, 5e-324, "744.44007192138126231410729844608163411308714430291414292561"),
        (down(1.0), 5e-324, "781.17687249105836360219829842084933201574966257577045421303"),
        (down(1.0), 0.5, "36.736800569677101288090999974767697902662518272856311287422"),
        (1e-300, 1e-310, "23.025850929940459920306256092287871229620514392945648952586"),
    ];
    for (one, zero, expansion) in cases {
        assert_eq!(map(one, zero), round_up(expansion), "{one} {zero}");
    }
}

#[test]
fn every_distance_from_one_on_loses_the_same_however_many_categories_there_are() {
    for (one, zero) in [(0.5, 0.25), (0.9, 0.1), (0.5, 5e-324)] {
        let expected = numbers(2, one, zero).map(1);
        for k in COUNTS {
            let mechanism = numbers(k, one, zero);
            assert_eq!(mechanism.map(0).unwrap(), Epsilon::ZERO);
            assert!([1, 2, 3, u32::MAX].iter().all(|&d_in| mechanism.map(d_in) == expected));
        }
    }
}

#[test]
fn the_loss_grows_with_one_and_falls_as_zero_grows() {
    let probs = [5e-324, 1e-310, 1e-9, 0.1, 0.3, 0.5, 0.75, 0.9, down(1.0)];
    for (i, &zero) in probs.iter().enumerate() {
        assert!(probs[i + 1..].windows(2).all(|one| map(one[0], zero) < map(one[1], zero)));
    }
    for (i, &one) in probs.iter().enumerate() {
        assert!(probs[..i].windows(2).all(|zero| map(one, zero[0]) > map(one, zero[1])));
    }
}

/// Two bits differ between two vectors of one one, and each is kept with probability 1 − f/2.
#[test]
fn symmetric_bits_lose_what_a_flipped_vector_of_one_one_loses() {
    let domain = BitVectorDomain::new(9).with_max_weight(1);
    for f in [0.9, 0.5, 0.25, 0.125, 1e-9] {
        let flips = make_randomized_response_bitvec(domain, DiscreteDistance, f, false).unwrap();
        // 1 − f/2 is a float for these.
        if 1.0 - (1.0 - f / 2.0) == f / 2.0 {
            assert_eq!(map(1.0 - f / 2.0, f / 2.0), flips.map(1).unwrap().get(), "{f}");
        }
    }
}

/// Of 1/4 a lane is below if both its digits are 0, of 1/2 if its one digit is.
#[test]
fn every_choice_of_the_words_gives_the_bits_it_should() {
    for k in [2usize, 3, 5] {
        let mechanism = numbers(k, 0.5, 0.25);
        let all = (1u64 << k) - 1;
        for (first, second) in (0..=all).flat_map(|i| (0..=all).map(move |j| (i, j))) {
            for answer in 0..=k {
                for own in [0, 1] {
                    let mut script = Script::new([first, second, own]);
                    let report = mechanism.invoke_from(&answer, &mut script).unwrap();
                    let noise = !(first | second) & all;
                    let expected = match answer {
                        outside if outside == k => noise,
                        inside => noise & !(1 << inside) | (1 - own) << inside,
                    };
                    assert_eq!(report.as_words(), [expected], "{k} {answer}");
                    assert_eq!(script.drawn, 3);
                }
            }
        }
    }
}

/// A bit that is never drawn as one but for a chance of 2^−1074, and one that always is but for 2^−53.
fn certain(k: usize) -> UnaryEncoding<usize> {
    numbers(k, down(1.0), 5e-324)
}

#[test]
fn the_bit_of_the_answer_is_that_of_its_place() {
    for k in COUNTS {
        let mechanism = certain(k);
        for answer in [0, 1, k / 2, k - 1, k, usize::MAX] {
            let report = mechanism.invoke(&answer).unwrap();
            assert_eq!(report.len(), k);
            assert!((0..k).all(|place| report.get(place) == Some(place == answer)), "{k} {answer}");
        }
    }
}

/// More reports than are made at once, and enough for several threads.
#[test]
fn rows_and_batches_are_reports_one_after_the_other() {
    for k in COUNTS.into_iter().chain([1000, 5000]) {
        let mechanism = certain(k);
        for count in [0, 1, 2, 63, 64, 65, 1023, 1024, 1025, 9000] {
            let count = if k > 200 { count / 10 } else { count };
            let answers: Vec<usize> = (0..count).map(|i| (i * 7919) % (k + 1)).collect();
            let places: Vec<u16> = answers.iter().map(|&place| place as u16).collect();
            let rows = mechanism.invoke_rows(&places).unwrap();
            let batch = mechanism.invoke_batch(&answers).unwrap();
            assert_eq!((rows.len(), batch.len()), (count * k.div_ceil(64), count));
            for (i, row) in rows.chunks(k.div_ceil(64)).enumerate() {
                let report = BitVector::from_words(row.to_vec(), k).unwrap();
                let expected: BitVector = (0..k).map(|place| place == answers[i]).collect();
                assert_eq!((&report, &batch[i]), (&expected, &expected), "{k} {count} {i}");
            }
        }
    }
    let outside = certain(70).invoke_rows(&[70u32, u32::MAX]).unwrap();
    assert_eq!(outside, [0; 4]);
}

/// Each count is within eight standard deviations of what is expected: a false alarm comes up once in 10^12 runs.
#[test]
fn bits_of_a_batch_have_their_probabilities() {
    let count = 60_000;
    for k in [5, 64, 70] {
        let mechanism = numbers(k, 0.5, 0.25);
        let answers: Vec<usize> = (0..count).map(|i| if i % 3 == 0 { 1 } else { k }).collect();
        let mut counts = BitCounts::new(k);
        mechanism.count(&mechanism.invoke_batch(&answers).unwrap(), &mut counts).unwrap();
        let rows = mechanism.invoke_rows(&vec![1u8; count]).unwrap();
        let mut all_ones = BitCounts::new(k);
        all_ones.add_rows(&rows).unwrap();
        for (place, (&some, &all)) in counts.ones().iter().zip(&all_ones.ones()).enumerate() {
            let (some, all) = (some as f64 / count as f64, all as f64 / count as f64);
            let truth = if place == 1 { [1.0 / 3.0, 0.5] } else { [0.25, 0.25] };
            assert!((some - truth[0]).abs() < 0.016 && (all - truth[1]).abs() < 0.016);
        }
    }
}

#[test]
fn the_order_of_the_categories_is_kept() {
    let given = ["z", "a", "m", "b", "y", "c"];
    let mechanism = make_unary_encoding(given, 0.5, 0.25).unwrap();
    assert!(mechanism.categories().copied().eq(given));
    assert!((0..6).all(|index| mechanism.index_of(&given[index]) == Some(index)));
    let reversed = make_unary_encoding(given.into_iter().rev(), 0.5, 0.25).unwrap();
    assert_ne!(mechanism, reversed);
    assert_ne!(mechanism, make_unary_encoding(given, 0.6, 0.25).unwrap());
    assert_ne!(mechanism, make_unary_encoding(given, 0.5, 0.2).unwrap());
    assert_eq!(mechanism, mechanism.clone());
    let cups = make_unary_encoding([AnyCase("Tea"), AnyCase("coffee")], down(1.0), 5e-324).unwrap();
    for answer in ["Tea", "tea", "TEA"] {
        assert_eq!(cups.invoke(&AnyCase(answer)).unwrap(), BitVector::from([true, false]));
    }
    let shown = format!("{mechanism:?}");
    assert!(shown.contains("UnaryEncoding") && shown.contains("zero: 0.25"), "{shown}");
}

#[test]
fn all_answers_draw_and_fail_alike() {
    for k in COUNTS {
        for (one, zero) in [(0.5, 0.25), (0.5, 0.3), (0.9, 0.1), (down(1.0), 1e-9)] {
            let mechanism = numbers(k, one, zero);
            let answers = [0, 1, k / 2, k - 1, k, usize::MAX];
            assert_draws_alike(&answers, 200, |answer, script| {
                mechanism.invoke_from(answer, script)
            });
        }
    }
    let mechanism = numbers(70, 0.9, 0.1);
    let batches = [vec![0, 1, 2], vec![70, 70, 70], vec![5, 69, 1000]];
    assert_draws_alike(&batches, 200, |answers: &Vec<usize>, script| {
        mechanism.invoke_batch_from(answers, script)
    });
    let mechanism = make_unary_encoding(["a", "b", "c"], 0.5, 0.25).unwrap();
    let error = mechanism.invoke_from(&"sesame4711", &mut Script::new([0])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::EntropyUnavailable);
    assert_silent(&error, &["sesame4711"]);
}

#[test]
fn the_optimized_zero_is_within_the_loss_and_the_next_is_not() {
    for epsilon in losses() {
        let budget = Epsilon::new(epsilon).unwrap();
        match optimized(budget) {
            Ok((one, zero)) => {
                assert!(one == 0.5 && check_zero(one, zero).is_ok());
                assert!(loss(one, zero) <= budget, "{epsilon}");
                assert!(zero.to_bits() == 1 || loss(one, down(zero)) > budget, "{epsilon}");
            }
            Err(error) => {
                assert_eq!(error.parameter(), Some("epsilon"));
                assert!(loss(0.5, down(0.5)) > budget && epsilon < 1e-15);
            }
        }
    }
    assert_eq!(optimized(Epsilon::INFINITY).unwrap(), (0.5, 5e-324));
    // 1/(1 + 3) at ln 3 = 1.0986…, rounded up.
    assert_eq!(optimized(Epsilon::new(map(0.5, 0.25)).unwrap()).unwrap(), (0.5, 0.25));
}

#[test]
fn the_symmetric_one_is_within_the_loss_and_the_next_is_not() {
    for epsilon in losses() {
        let budget = Epsilon::new(epsilon).unwrap();
        match symmetric(budget) {
            Ok((one, zero)) => {
                assert!(check_one(one).is_ok() && check_zero(one, zero).is_ok());
                // Their sum is exactly 1: both are multiples of 2^−53.
                let parts = |x: f64| (x * 2f64.powi(53)) as u64;
                assert_eq!(parts(one) + parts(zero), 1 << 53);
                assert!(parts(one) as f64 == one * 2f64.powi(53));
                assert!(loss(one, zero) <= budget, "{epsilon}");
                let next = up(one);
                assert!(next == 1.0 || loss(next, 1.0 - next) > budget, "{epsilon}");
            }
            Err(error) => {
                assert_eq!(error.parameter(), Some("epsilon"));
                assert!(loss(up(0.5), 1.0 - up(0.5)) > budget && epsilon < 1e-15);
            }
        }
    }
    assert_eq!(symmetric(Epsilon::INFINITY).unwrap().0, down(1.0));
    // The least one above 1/2 that there is.
    let least = (up(0.5), 1.0 - up(0.5));
    for (one, zero) in [(0.75, 0.25), least] {
        assert_eq!(symmetric(Epsilon::new(map(one, zero)).unwrap()).unwrap(), (one, zero));
    }
}

/// The loss that a refusal says is enough is enough, and no smaller one is.
#[test]
fn the_refusal_of_a_small_loss_says_how_much_is_needed() {
    for find in [optimized, symmetric] {
        let message = find(Epsilon::ZERO).unwrap_err().to_string();
        let enough: f64 = message.rsplit(' ').next().unwrap().parse().unwrap();
        assert!(find(Epsilon::new(enough).unwrap()).is_ok());
        assert!(find(Epsilon::new(down(enough)).unwrap()).is_err());
    }
}

/// Of all pairs with the same loss, the variance where nobody answers, q(1 − q)/(p − q)², is least at p = 1/2.
#[test]
fn the_optimized_pair_has_the_least_variance() {
    for epsilon in [0.1f64, 1.0, 3.0] {
        let variance = |one: f64, zero: f64| zero * (1.0 - zero) / (one - zero).powi(2);
        let (one, zero) = optimized(Epsilon::new(epsilon).unwrap()).unwrap();
        let least = variance(one, zero);
        // 4e^ε/(e^ε − 1)².
        let expected = 4.0 * epsilon.exp() / epsilon.exp_m1().powi(2);
        assert!((least / expected - 1.0).abs() < 1e-12);
        for other in (1..100).filter(|&i| i != 50).map(|i| f64::from(i) / 100.0) {
            let odds = other / (1.0 - other) / epsilon.exp();
            assert!(variance(other, odds / (1.0 + odds)) > least, "{other}");
        }
    }
}

#[test]
fn the_standard_error_is_that_of_the_worst_count() {
    // √(100·max(1/4, 3/16))/(1/4) = 20.
    assert!((numbers(3, 0.5, 0.25).standard_error(100) / 20.0 - 1.0).abs() < 1e-15);
    // one = 0.9, zero = 0.2: √(100·0.16)/0.7.
    assert!((numbers(9, 0.9, 0.2).standard_error(100) / (4.0 / 0.7) - 1.0).abs() < 1e-14);
    // The difference is one step of the floats.
    let near = numbers(2, 0.5, down(0.5)).standard_error(4);
    assert!((near / 2f64.powi(54) - 1.0).abs() < 1e-9);
    assert_eq!(numbers(2, 0.5, 0.25).standard_error(0), 0.0);
}

#[test]
fn reports_support_the_ones_and_answers_outside_do_not_bias() {
    let mechanism = numbers(3, 0.5, 0.25);
    let channel = mechanism.channel().unwrap();
    assert_eq!((channel.truth(), channel.lie()), (0.5, 0.25));
    assert!(mechanism.is_choice());
    let mut counts = BitCounts::new(3);
    let reports = [BitVector::from([true, false, true]), BitVector::from([true, false, false])];
    mechanism.count(&reports, &mut counts).unwrap();
    assert_eq!(counts.ones(), [2, 0, 1]);
    let estimates = mechanism.estimate(&counts).unwrap();
    assert_eq!(estimates.outside_bias(), 0.0);
    // (2 − 2/4)·4, −2/4·4 and (1 − 2/4)·4.
    let expected = [6.0, -2.0, 2.0];
    assert!(estimates.iter().zip(expected).all(|(estimate, count)| estimate.count() == count));
    let error = mechanism.count(&[BitVector::zeros(4)], &mut counts).unwrap_err();
    assert_eq!(error.parameter(), Some("reports"));
    let error = mechanism.count(&reports, &mut BitCounts::new(4)).unwrap_err();
    assert_eq!(error.parameter(), Some("counts"));
}
