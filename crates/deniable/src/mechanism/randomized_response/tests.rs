use core::hash::Hasher;

use super::*;
use crate::common::*;
use crate::{ErrorKind, make_randomized_response_bool};

fn numbers(t: usize, prob: f64) -> RandomizedResponse<usize> {
    make_randomized_response(0..t, prob).unwrap()
}

fn map(t: usize, prob: f64) -> f64 {
    numbers(t, prob).map(1).unwrap().get()
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

/// The order of a float below 1 and 1/t, on integers.
fn against_one_in(t: u64, prob: f64) -> core::cmp::Ordering {
    let bits = prob.to_bits();
    let (mantissa, places) = (bits & ((1 << 52) - 1) | 1 << 52, 1075 - (bits >> 52));
    (u128::from(mantissa) * u128::from(t)).cmp(&(1 << places))
}

#[test]
fn fewer_than_two_categories_or_equal_ones_are_refused() {
    let cases: [(&[&str], &str, &str); 4] = [
        (&[], "there are no categories", "two or more categories"),
        (&["sesame4711"], "there is only one category", "two or more categories"),
        (&["a", "sesame4711", "b", "sesame4711"], "number 4 is equal to number 2", "distinct"),
        (&["sesame4711", "sesame4711"], "number 2 is equal to number 1", "distinct"),
    ];
    for (categories, problem, accepted) in cases {
        let error = make_randomized_response(categories.to_vec(), 0.5).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidParameter);
        assert_eq!(error.parameter(), Some("categories"));
        assert!(error.to_string().contains(problem), "{error}");
        assert!(error.to_string().contains(accepted), "{error}");
        assert_silent(&error, &["sesame4711"]);
    }
    assert!(make_randomized_response([AnyCase("Tea"), AnyCase("tea")], 0.5).is_err());
}

/// The iterator says that it has more items than memory holds, and the second is refused.
#[test]
fn a_long_list_of_equal_categories_is_refused_at_the_second() {
    let endless = std::iter::repeat_n("same", usize::MAX);
    let error = make_randomized_response(endless, 0.5).unwrap_err();
    assert!(error.to_string().contains("number 2 is equal to number 1"));
}

#[test]
fn a_prob_from_one_in_t_to_below_one_is_accepted() {
    for t in [2, 3, 4, 5, 10, 49, 1000] {
        let least = 1.0 / t as f64;
        for prob in [least, up(least), 0.5, 0.75, down(1.0)] {
            assert_eq!(numbers(t, prob).prob(), prob);
        }
        let bad = [down(least), 0.0, -0.0, 5e-324, -0.5, f64::NEG_INFINITY, f64::NAN];
        for prob in bad.into_iter().chain([1.0, up(1.0), 2.0, f64::INFINITY]) {
            let error = make_randomized_response(0..t, prob).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidParameter);
            assert_eq!(error.parameter(), Some("prob"));
            let accepted = format!("accepted is a number from 1/{t} to below 1");
            assert!(error.to_string().ends_with(&accepted), "{error}");
        }
    }
    let message = |prob| make_randomized_response(0..3, prob).unwrap_err().to_string();
    assert!(message(1.0).contains("1 is not below 1;"));
    assert!(message(0.25).contains("0.25 is below 1/3;"));
    assert!(message(f64::NAN).contains("it is not a number;"));
}

/// The loss of the nearest float to 1/t: none if it is 1/t, and else that of a relative error of up to 2^−53.
#[test]
fn one_in_t_is_accepted_for_every_t_and_its_loss_is_right() {
    let mut below = 0;
    for t in 2..=3000u64 {
        let prob = 1.0 / t as f64;
        let loss = map(t as usize, prob);
        match against_one_in(t, prob) {
            core::cmp::Ordering::Equal => assert_eq!(loss, 0.0, "{t}"),
            order => {
                assert!(loss > 0.0 && loss < 0.5f64.powi(52), "{t}");
                below += u32::from(order.is_lt());
            }
        }
        assert!(make_randomized_response(0..t, down(prob)).is_err(), "{t}");
    }
    assert!(below > 1000, "only {below} of the floats are below 1/t");
}

/// The expansions are from an independent decimal arithmetic of 60 digits.
#[test]
fn the_loss_is_the_neighbour_above_the_logarithm() {
    let cases = [
        (3, 0.5, "0.693147180559945309417232121458176568075500134"),
        (10, 0.3, "1.349926716949015716212619889935990138465709140"),
        (49, 0.7, "4.718498871295094331303228919722268198581865279"),
        (1000, 0.2, "5.520460417528662969108306177954953473721069957"),
        (1_000_000, 0.01, "9.220389707829184197949132316923769100428841817"),
        (1_000_000, down(1.0), "50.552310127640875391865615119540349814769127062"),
        (3, 1.0 / 3.0, "0.00000000000000008326672684688674168733034173915309941743980765"),
        (49, 1.0 / 49.0, "0.00000000000000008145972322607756965751436750587774822743834662"),
    ];
    for (t, prob, expansion) in cases {
        assert_eq!(map(t, prob), round_up(expansion), "{t} {prob}");
    }
}

#[test]
fn every_distance_from_one_on_loses_the_same() {
    for (t, prob) in [(2, 0.5), (3, 1.0 / 3.0), (10, 0.9), (1000, 0.002)] {
        let mechanism = numbers(t, prob);
        assert_eq!(mechanism.map(0).unwrap(), Epsilon::ZERO);
        for d_in in [2, 3, u32::MAX] {
            assert_eq!(mechanism.map(d_in), mechanism.map(1));
        }
    }
}

#[test]
fn the_loss_grows_with_prob_and_with_the_number_of_categories() {
    for t in [2, 3, 10, 49, 1000] {
        let mut probs = vec![up(1.0 / t as f64), 0.5, 0.6, 0.9, down(1.0)];
        probs.extend((1..20).map(|i| (1.0 + f64::from(i) / 10.0) / t as f64).filter(|&p| p < 0.5));
        probs.sort_by(f64::total_cmp);
        probs.dedup();
        assert!(probs.windows(2).all(|pair| map(t, pair[0]) < map(t, pair[1])), "{t}");
    }
    for pair in [2, 3, 4, 10, 100, 1000].windows(2) {
        assert!(map(pair[0], 0.5) < map(pair[1], 0.5));
    }
}

#[test]
fn two_categories_lose_what_a_yes_or_no_loses() {
    for prob in [0.5, up(0.5), 0.51, 0.6, 2.0 / 3.0, 0.75, 0.9, 0.999, down(1.0)] {
        let bool = make_randomized_response_bool(prob, false).unwrap();
        assert_eq!(numbers(2, prob).map(1), bool.map(1), "{prob}");
    }
}

/// Every word that matters, for every answer: the truth, a uniform category, and a uniform other one.
#[test]
fn every_choice_of_the_words_gives_the_category_it_should() {
    for t in [2u64, 3, 4, 7] {
        let mechanism = make_randomized_response((0..t).map(|i| 10 * i), 0.5).unwrap();
        for (first, anyone, another) in (0..2 * t * (t - 1))
            .map(|i| (if i % 2 == 0 { 0 } else { u64::MAX }, i / 2 % t, i / 2 / t))
        {
            let script = [first, word_for(anyone, t), word_for(another, t - 1)];
            for answer in 0..=t {
                let others: Vec<u64> = (0..t).filter(|&other| other != answer).collect();
                let expected = match answer {
                    outside if outside == t => anyone,
                    truth if first == 0 => truth,
                    _ => others[another as usize],
                };
                let mut script = Script::new(script);
                let said = mechanism.invoke_from(&(10 * answer), &mut script).unwrap();
                assert_eq!(said, 10 * expected, "{t} {answer} {first} {anyone} {another}");
                assert_eq!(script.drawn, if t == 2 { 2 } else { 3 });
            }
        }
    }
}

#[test]
fn what_is_released_is_the_category_as_it_was_given() {
    let mechanism = make_randomized_response([AnyCase("Tea"), AnyCase("coffee")], 0.5).unwrap();
    for answer in ["Tea", "tea", "TEA"] {
        let script = &mut Script::new([0, 0]);
        assert_eq!(mechanism.invoke_from(&AnyCase(answer), script).unwrap().0, "Tea");
        let script = &mut Script::new([u64::MAX, 0]);
        assert_eq!(mechanism.invoke_from(&AnyCase(answer), script).unwrap().0, "coffee");
        assert_eq!(mechanism.index_of(&AnyCase(answer)), Some(0));
    }
    assert_eq!(mechanism.index_of(&AnyCase("wine")), None);
}

#[test]
fn the_order_of_the_categories_is_kept() {
    let given = ["z", "a", "m", "b", "y", "c"];
    let mechanism = make_randomized_response(given, 0.5).unwrap();
    assert!(mechanism.categories().copied().eq(given));
    assert_eq!(mechanism.categories().len(), 6);
    assert!((0..6).all(|index| mechanism.index_of(&given[index]) == Some(index)));
    let reversed = make_randomized_response(given.into_iter().rev(), 0.5).unwrap();
    assert_ne!(mechanism, reversed);
    assert_ne!(mechanism, make_randomized_response(given, 0.6).unwrap());
    assert_eq!(mechanism, mechanism.clone());
}

#[test]
fn all_answers_draw_and_fail_alike() {
    for (t, prob) in [(2, 0.5), (3, 1.0 / 3.0), (5, 0.8), (1000, down(1.0)), (3 << 10, 0.5)] {
        let mechanism = numbers(t, prob);
        let answers = [0, 1, t / 2, t - 1, t, usize::MAX];
        let most =
            assert_draws_alike(&answers, 8, |answer, script| mechanism.invoke_from(answer, script));
        assert_eq!(most, if t == 2 { 2 } else { 3 });
    }
    let mechanism = make_randomized_response(["a", "b", "c"], 0.5).unwrap();
    let error = mechanism.invoke_from(&"sesame4711", &mut Script::new([0])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::EntropyUnavailable);
    assert_silent(&error, &["sesame4711"]);
}

#[test]
fn the_largest_prob_is_within_the_loss_and_the_next_is_not() {
    for t in [2, 3, 10, 49, 1000, 1_000_000] {
        for epsilon in losses() {
            let budget = Epsilon::new(epsilon).unwrap();
            match largest_prob(t, budget) {
                Ok(prob) => {
                    assert!(loss(t, prob) <= budget, "{t} {epsilon}");
                    assert!(check_prob(t, prob).is_ok());
                    assert!(up(prob) == 1.0 || loss(t, up(prob)) > budget, "{t} {epsilon}");
                }
                // Neither of the two floats around 1/t stays within.
                Err(error) => {
                    assert_eq!(error.parameter(), Some("epsilon"));
                    let least = 1.0 / t as f64;
                    assert!(loss(t, least) > budget && loss(t, up(least)) > budget);
                    assert!(epsilon < 1e-15 && t != 2, "{t} {epsilon}");
                }
            }
        }
    }
    assert_eq!(largest_prob(2, Epsilon::ZERO).unwrap(), 0.5);
    assert_eq!(largest_prob(1024, Epsilon::ZERO).unwrap(), 1.0 / 1024.0);
    assert_eq!(largest_prob(3, Epsilon::INFINITY).unwrap(), down(1.0));
    assert!(largest_prob(0, Epsilon::INFINITY).is_err());
    assert!(largest_prob(1, Epsilon::INFINITY).is_err());
}

/// The loss that the refusal says is enough is enough, and no smaller one is.
#[test]
fn the_refusal_of_a_small_loss_says_how_much_is_needed() {
    for t in [3, 5, 7, 10, 49, 1000, 1_000_000] {
        let message = largest_prob(t, Epsilon::ZERO).unwrap_err().to_string();
        let enough: f64 = message.rsplit(' ').next().unwrap().parse().unwrap();
        assert!(largest_prob(t, Epsilon::new(enough).unwrap()).is_ok(), "{t}");
        assert!(largest_prob(t, Epsilon::new(down(enough)).unwrap()).is_err(), "{t}");
    }
}

/// With t = 3 and prob = 0.5 a lie is 0.25: √(n·1/4)/0.25, for n = 100 that is 20.
#[test]
fn the_standard_error_is_that_of_the_worst_count() {
    assert!((numbers(3, 0.5).standard_error(100) / 20.0 - 1.0).abs() < 1e-15);
    // t = 5, prob = 0.9, lie = 0.025: √(64·0.09)/0.875.
    assert!((numbers(5, 0.9).standard_error(64) / (2.4 / 0.875) - 1.0).abs() < 1e-14);
    // t = 11, prob = 0.1 would be below; at prob = 0.2, lie = 0.08: √(100·0.16)/0.12.
    assert!((numbers(11, 0.2).standard_error(100) / (4.0 / 0.12) - 1.0).abs() < 1e-14);
    assert_eq!(numbers(4, 0.25).standard_error(100), f64::INFINITY);
}

/// At the float below 1/3 the reports say something, if little.
#[test]
fn the_standard_error_next_to_one_in_t_is_right() {
    // 1/3 − prob = 2^−54/3, and truth − lie is 3/2 of that: −2^−55.
    let expected = (100.0f64 * 2.0 / 9.0).sqrt() * 2f64.powi(55);
    assert!((numbers(3, 1.0 / 3.0).standard_error(100) / expected - 1.0).abs() < 1e-9);
    // 1 − 6·prob = 2^−54, of which a fifth is the difference.
    let expected = (100.0f64 * 5.0 / 36.0).sqrt() * 5.0 * 2f64.powi(54);
    assert!((numbers(6, 1.0 / 6.0).standard_error(100) / expected - 1.0).abs() < 1e-9);
}
