mod counting;

use deniable_sample::Ratio;

use super::*;
use crate::ErrorKind;
use crate::common::*;
use crate::estimate::{BitCounts, Channel};
use crate::mechanism::bound::exact;

fn numbers(k: u32, buckets: usize, prob: f64) -> LocalHashing<u32> {
    make_local_hashing(0..k, buckets, prob).unwrap()
}

fn map(buckets: usize, prob: f64) -> f64 {
    numbers(2, buckets, prob).map(1).unwrap().get()
}

/// The definition: b + Σ a_i over the ones among the digits of x, modulo g.
fn plain_hash(seed: &[u16], place: u32, g: u64) -> u64 {
    let ones = (0..32).filter(|digit| place >> digit & 1 == 1);
    ones.fold(u64::from(seed[0]), |sum, digit| sum + u64::from(seed[1 + digit])) % g
}

/// All seeds of so many numbers below g.
fn seeds(g: u16, length: usize) -> impl Iterator<Item = Vec<u16>> {
    let count = u32::from(g).pow(length as u32);
    (0..count).map(move |mut number| {
        let mut next = || {
            let digit = number % u32::from(g);
            number /= u32::from(g);
            digit as u16
        };
        (0..length).map(|_| next()).collect()
    })
}

#[test]
fn bad_categories_are_refused() {
    let cases: [(&[&str], &str); 3] = [
        (&[], "there are no categories"),
        (&["sesame4711"], "there is only one category"),
        (&["a", "sesame4711", "b", "sesame4711"], "number 4 is equal to number 2"),
    ];
    for (categories, problem) in cases {
        let error = make_local_hashing(categories.to_vec(), 4, 0.5).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidParameter);
        assert_eq!(error.parameter(), Some("categories"));
        assert!(error.to_string().contains(problem), "{error}");
        assert_silent(&error, &["sesame4711"]);
    }
}

#[test]
fn from_2_to_65536_buckets_are_accepted() {
    for buckets in [2, 3, 4, 255, 256, 257, 65_535, 65_536] {
        assert_eq!(numbers(3, buckets, 0.5).buckets(), buckets);
        assert!(largest_prob(buckets, Epsilon::new(1.0).unwrap()).is_ok());
    }
    for buckets in [0, 1, 65_537, 1 << 20, usize::MAX] {
        let made = make_local_hashing(0..3, buckets, 0.5).unwrap_err();
        assert_eq!(largest_prob(buckets, Epsilon::INFINITY).unwrap_err(), made);
        assert_eq!(made.kind(), ErrorKind::InvalidParameter);
        assert_eq!(made.parameter(), Some("buckets"));
        let side = if buckets < 2 { "below 2" } else { "above 65536" };
        let accepted = "accepted is an integer from 2 to 65536";
        assert_eq!(made.to_string(), format!("invalid buckets: {buckets} is {side}; {accepted}"));
    }
}

#[test]
fn a_prob_from_one_in_g_to_below_one_is_accepted() {
    for g in [2, 3, 4, 5, 10, 49, 1000, 65_536] {
        let least = 1.0 / g as f64;
        for prob in [least, up(least), 0.5, 0.75, down(1.0)] {
            assert_eq!(numbers(2, g, prob).prob(), prob);
        }
        let bad = [down(least), 0.0, -0.0, 5e-324, -0.5, f64::NEG_INFINITY, f64::NAN];
        for prob in bad.into_iter().chain([1.0, up(1.0), 2.0, f64::INFINITY]) {
            let error = make_local_hashing(0..2, g, prob).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidParameter);
            assert_eq!(error.parameter(), Some("prob"));
            let accepted = format!("accepted is a number from 1/{g} to below 1");
            assert!(error.to_string().ends_with(&accepted), "{error}");
        }
    }
}

/// The expansions are from an independent decimal arithmetic of 60 digits.
#[test]
fn the_loss_is_the_neighbour_above_the_logarithm() {
    let cases = [
        (3, 0.5, "0.693147180559945309417232121458176568075500134"),
        (10, 0.3, "1.349926716949015716212619889935990138465709140"),
        (49, 0.7, "4.718498871295094331303228919722268198581865279"),
        (1000, 0.2, "5.520460417528662969108306177954953473721069957"),
        (3, 1.0 / 3.0, "0.00000000000000008326672684688674168733034173915309941743980765"),
    ];
    for (g, prob, expansion) in cases {
        assert_eq!(map(g, prob), round_up(expansion), "{g} {prob}");
    }
}

#[test]
fn the_loss_is_that_of_randomized_response_over_the_buckets() {
    for g in [2, 3, 4, 56, 1000, 65_536] {
        for prob in [1.0 / g as f64, 0.5, 0.51, 0.9, down(1.0)] {
            let choice = crate::make_randomized_response(0..g, prob).unwrap();
            for k in [2, 3, 100] {
                let mechanism = numbers(k, g, prob);
                assert_eq!(mechanism.map(0).unwrap(), Epsilon::ZERO);
                for d_in in [1, 2, 3, u32::MAX] {
                    assert_eq!(mechanism.map(d_in), choice.map(1), "{g} {prob}");
                }
            }
        }
        for epsilon in losses() {
            let budget = Epsilon::new(epsilon).unwrap();
            assert_eq!(largest_prob(g, budget), randomized_response::largest_prob(g, budget));
        }
    }
}

/// n times less than the variance of an estimate of nobody: q(1 − q)/(p − q)².
fn variance(g: f64, epsilon: f64) -> f64 {
    let (p, q) = (epsilon.exp() / (epsilon.exp() + g - 1.0), 1.0 / g);
    q * (1.0 - q) / ((p - q) * (p - q))
}

#[test]
fn the_best_number_of_buckets_has_the_least_variance() {
    assert!((variance(4.0, 1.0) - 3.6917).abs() < 1e-4);
    for epsilon in (1..800).map(|n| f64::from(n) / 100.0) {
        let best = best_buckets(Epsilon::new(epsilon).unwrap());
        let least = (2..5000).map(|g| variance(f64::from(g), epsilon)).fold(f64::MAX, f64::min);
        assert!(variance(best as f64, epsilon) <= least * (1.0 + 1e-12), "{epsilon} {best}");
        assert!((best as f64 - 1.0 - epsilon.exp()).abs() <= 1.0, "{epsilon} {best}");
    }
}

/// With s + 1 and s + 2 buckets the variances are equal at ε = ln(s(s + 1))/2, which is no float.
#[test]
fn the_best_number_of_buckets_changes_where_it_should() {
    for s in (1..=100u32).chain([1000, 30_000, 65_534]) {
        let twice = loss_of_odds(1, &(s * (s + 1)).into(), &1u32.into()).get();
        let at = |twice: f64| best_buckets(Epsilon::new(twice / 2.0).unwrap());
        assert_eq!(at(down(twice)), s as usize + 1);
        assert_eq!(at(twice), s as usize + 2);
    }
    let tiny = best_buckets(Epsilon::new(5e-324).unwrap());
    assert_eq!((best_buckets(Epsilon::ZERO), tiny), (2, 2));
    for epsilon in [12.0, 1e300, f64::MAX, f64::INFINITY] {
        assert_eq!(best_buckets(Epsilon::new(epsilon).unwrap()), 65_536);
    }
}

/// For any two places all pairs of buckets come from equally many seeds.
#[test]
fn the_family_is_strongly_universal() {
    for g in 2..=6u16 {
        for k in 2..=9u32 {
            let length = seed_length(k as usize);
            let all: Vec<Vec<u16>> = seeds(g, length).collect();
            let share = all.len() / usize::from(g).pow(2);
            for (x, y) in (0..k).flat_map(|x| (0..x).map(move |y| (x, y))) {
                let mut pairs = vec![0; usize::from(g).pow(2)];
                for seed in &all {
                    let [x, y] = [x, y].map(|place| hash(seed, place, g.into()) as usize);
                    pairs[x * usize::from(g) + y] += 1;
                }
                assert!(pairs.iter().all(|&seeds| seeds == share), "{g} {k}: {x} {y}");
            }
        }
    }
}

#[test]
fn a_seed_has_a_step_for_each_digit_of_a_place() {
    for (k, length) in [(2, 2), (3, 3), (4, 3), (5, 4), (8, 4), (9, 5), (128, 8), (129, 9)] {
        assert_eq!(seed_length(k), length);
        assert_eq!(numbers(k as u32, 5, 0.5).row_length(), length + 1);
    }
    assert_eq!(seed_length(u32::MAX as usize), 33);
    for g in [2, 3, 56, 65_535, 65_536] {
        let seed: Vec<u16> = words(7, 33).iter().map(|word| (word % g) as u16).collect();
        for place in [0, 1, 2, 5, 1 << 31, u32::MAX - 1, u32::MAX] {
            assert_eq!(u64::from(hash(&seed, place, g as u32)), plain_hash(&seed, place, g));
        }
    }
}

/// Every word that matters, for every answer: the seed as it was drawn, the truth, a uniform bucket, and a uniform other one.
#[test]
fn every_choice_of_the_words_gives_the_report_it_should() {
    for (g, k) in [(2u64, 3u32), (3, 2), (3, 4), (4, 3)] {
        let mechanism = make_local_hashing((0..k).map(|i| 10 * i), g as usize, 0.5).unwrap();
        for seed in seeds(g as u16, seed_length(k as usize)) {
            for (first, anyone, another) in (0..2 * g * (g - 1))
                .map(|i| (if i % 2 == 0 { 0 } else { u64::MAX }, i / 2 % g, i / 2 / g))
            {
                let mut script: Vec<u64> = seed.iter().map(|&a| word_for(a.into(), g)).collect();
                script.extend([first, word_for(anyone, g), word_for(another, g - 1)]);
                for answer in 0..=k {
                    let truth = plain_hash(&seed, answer % k, g);
                    let others: Vec<u64> = (0..g).filter(|&other| other != truth).collect();
                    let expected = match answer {
                        outside if outside == k => anyone,
                        _ if first == 0 => truth,
                        _ => others[another as usize],
                    };
                    let mut script = Script::new(script.clone());
                    let said = mechanism.invoke_from(&(10 * answer), &mut script).unwrap();
                    assert_eq!(said, HashedReport::new(seed.clone(), expected as u16));
                    assert_eq!(script.drawn, seed.len() + if g == 2 { 2 } else { 3 });
                }
            }
        }
    }
}

#[test]
fn all_answers_draw_and_fail_alike() {
    for (k, g, prob) in [(2, 2, 0.5), (5, 3, 1.0 / 3.0), (1000, 56, 0.8), (9, 65_536, down(1.0))] {
        let mechanism = numbers(k, g, prob);
        let answers = [0, 1, k / 2, k - 1, k, u32::MAX];
        let most = assert_draws_alike(&answers, 20, |answer, script| {
            mechanism.invoke_from(answer, script)
        });
        assert_eq!(most, mechanism.row_length() - 1 + if g == 2 { 2 } else { 3 });
        assert_draws_alike(&answers, 4000, |&answer, script| {
            mechanism.randomize_rows(&[answer; 700], script)
        });
    }
    let mechanism = make_local_hashing(["a", "b", "c"], 3, 0.5).unwrap();
    let error = mechanism.invoke_from(&"sesame4711", &mut Script::new([0])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::EntropyUnavailable);
    assert_silent(&error, &["sesame4711"]);
}

#[test]
fn the_reports_of_a_batch_are_its_rows() {
    for (k, g) in [(3, 2), (128, 4), (1000, 300)] {
        let mechanism = numbers(k, g, 0.6);
        let answers: Vec<u32> = (0..2500).map(|i| i * 7 % (k + 1)).collect();
        let script = words(3, 20_000);
        let rows = mechanism.randomize_rows(&answers, &mut Script::new(script.clone())).unwrap();
        let shorts: Vec<u16> = answers.iter().map(|&place| place as u16).collect();
        let same = mechanism.randomize_rows(&shorts, &mut Script::new(script.clone())).unwrap();
        assert_eq!(rows, same);
        let reports = mechanism.invoke_batch_from(&answers, &mut Script::new(script)).unwrap();
        assert_eq!(rows.len(), answers.len() * mechanism.row_length());
        for (row, report) in rows.chunks(mechanism.row_length()).zip(&reports) {
            assert_eq!(row.split_last(), Some((&report.bucket(), report.seed())));
        }
        assert_eq!(reports.len(), answers.len());
        assert_eq!(mechanism.invoke_batch(&answers).unwrap().len(), answers.len());
        assert!(mechanism.invoke_rows::<u8>(&[]).unwrap().is_empty());
    }
}

/// So many that several threads share them, if there are any. With a probability this close to 1 a bucket is a lie once in 10^11 runs.
#[test]
fn nearly_truthful_reports_have_the_bucket_of_their_answer() {
    for (k, g) in [(7u32, 2u32), (500, 56)] {
        let mechanism = numbers(k, g as usize, down(1.0));
        let answers: Vec<u16> = (0..100_001).map(|i| (i % k) as u16).collect();
        let rows = mechanism.invoke_rows(&answers).unwrap();
        for (row, &answer) in rows.chunks(mechanism.row_length()).zip(&answers) {
            let (&bucket, seed) = row.split_last().unwrap();
            assert_eq!(u64::from(bucket), plain_hash(seed, answer.into(), g.into()));
        }
        let reports = mechanism.invoke_batch(&[0, 1, k - 1]).unwrap();
        for (report, place) in reports.iter().zip([0, 1, k - 1]) {
            let expected = plain_hash(report.seed(), place, g.into());
            assert_eq!(u64::from(report.bucket()), expected);
        }
    }
}

#[test]
fn the_channel_is_prob_and_one_in_g() {
    for (g, prob) in [(2, 0.75), (3, 0.5), (56, 0.7), (65_536, 0.1)] {
        let mechanism = numbers(5, g, prob);
        let channel = mechanism.channel().unwrap();
        let one_in = Ratio::new(1u32, g).unwrap();
        assert_eq!(channel, Channel::new(&exact(prob), &one_in).unwrap());
        assert_eq!((mechanism.outside(), mechanism.is_choice()), (Some(one_in), true));
        assert_eq!(channel.bias(&mechanism.outside().unwrap()), 0.0);
    }
    // 1/3 is no float, and the nearest one is below.
    for (g, prob) in [(4, 0.25), (3, 1.0 / 3.0)] {
        let mechanism = numbers(5, g, prob);
        assert_eq!(mechanism.channel().unwrap_err().parameter(), Some("prob"));
        assert_eq!(mechanism.standard_error(100), f64::INFINITY);
    }
    assert!(numbers(5, 3, up(1.0 / 3.0)).channel().is_ok());
}

/// With g = 4 and prob = 0.5: √(n·max(1/4, 3/16))/0.25, for n = 100 that is 20.
#[test]
fn the_standard_error_is_that_of_the_worst_count() {
    assert!((numbers(9, 4, 0.5).standard_error(100) / 20.0 - 1.0).abs() < 1e-15);
    // g = 2, prob = 0.9: √(64·0.25)/0.4.
    assert!((numbers(9, 2, 0.9).standard_error(64) / (4.0 / 0.4) - 1.0).abs() < 1e-14);
}

#[test]
fn the_order_of_the_categories_is_kept() {
    let given = ["z", "a", "m", "b"];
    let mechanism = make_local_hashing(given, 3, 0.5).unwrap();
    assert!(mechanism.categories().copied().eq(given));
    assert!((0..4).all(|index| mechanism.index_of(&given[index]) == Some(index)));
    assert_eq!(mechanism.index_of(&"wine"), None);
    let reversed = make_local_hashing(given.into_iter().rev(), 3, 0.5).unwrap();
    assert_ne!(mechanism, reversed);
    assert_ne!(mechanism, make_local_hashing(given, 3, 0.6).unwrap());
    assert_ne!(mechanism, make_local_hashing(given, 4, 0.5).unwrap());
    assert_eq!(mechanism, mechanism.clone());
    let shown = format!("{mechanism:?}");
    assert!(shown.starts_with("LocalHashing { categories: {\"z\""), "{shown}");
    assert!(shown.contains("buckets: 3, prob: 0.5, epsilon: "), "{shown}");
}

#[test]
fn reports_are_written_and_read() {
    let report = HashedReport::new([1, 0, 65_535], 7);
    let json = serde_json::to_string(&report).unwrap();
    assert_eq!(json, r#"{"seed":[1,0,65535],"bucket":7}"#);
    assert_eq!(serde_json::from_str::<HashedReport>(&json).unwrap(), report);
    for bad in [
        r#"{"seed":[1,0,65536],"bucket":7}"#,
        r#"{"seed":[1,0],"bucket":-1}"#,
        r#"{"seed":[1,0]}"#,
        r#"{"seed":[1,0],"bucket":1,"answer":0}"#,
    ] {
        assert!(serde_json::from_str::<HashedReport>(bad).is_err(), "{bad}");
    }
}

/// More than are randomized together.
#[test]
fn all_of_many_rows_are_drawn() {
    let mechanism = numbers(70, 65_536, 0.75);
    let rows = mechanism.randomize_rows(&[3u8; 2500], &mut Script::new(words(9, 50_000))).unwrap();
    let (length, mut drawn) = (mechanism.row_length(), 0);
    assert_eq!(rows.len(), 2500 * length);
    for row in rows.chunks(length) {
        drawn += usize::from(row[..length - 1].iter().all(|&number| number != 0));
    }
    // One number in 65 536 is zero.
    assert!(drawn > 2490, "{drawn}");
}
