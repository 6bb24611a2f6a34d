use deniable_sample::FLIPS;

use super::*;
use crate::ErrorKind;
use crate::common::*;

fn domain(length: usize, max_weight: usize) -> BitVectorDomain {
    BitVectorDomain::new(length).with_max_weight(max_weight)
}

fn flips(
    length: usize,
    max_weight: usize,
    f: f64,
    constant_time: bool,
) -> RandomizedResponseBitvec {
    let domain = domain(length, max_weight);
    make_randomized_response_bitvec(domain, DiscreteDistance, f, constant_time).unwrap()
}

fn map(length: usize, max_weight: usize, f: f64) -> f64 {
    flips(length, max_weight, f, false).map(1).unwrap().get()
}

/// Lengths around the ends of words.
const LENGTHS: [usize; 9] = [1, 2, 63, 64, 65, 127, 128, 129, 200];

#[test]
fn an_f_above_zero_up_to_one_is_accepted() {
    for f in [5e-324, 1e-310, f64::MIN_POSITIVE, 1e-17, 0.1, 0.5, down(1.0), 1.0] {
        for constant_time in [false, true] {
            let mechanism = flips(8, 1, f, constant_time);
            assert_eq!((mechanism.f(), mechanism.constant_time()), (f, constant_time));
        }
    }
    let not_above = [0.0, -0.0, -5e-324, -0.5, f64::MIN, f64::NEG_INFINITY];
    let cases = not_above.map(|f| (f, "is not above 0")).into_iter();
    let above = [up(1.0), 2.0, f64::MAX, f64::INFINITY].map(|f| (f, "is above 1"));
    for (f, problem) in cases.chain(above).chain([(f64::NAN, "it is not a number")]) {
        let error = make_randomized_response_bitvec(domain(8, 1), DiscreteDistance, f, false);
        let error = error.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidParameter);
        assert_eq!(error.parameter(), Some("f"));
        assert!(error.to_string().contains(problem), "{error}");
        assert!(error.to_string().ends_with("accepted is a number above 0, up to 1"), "{error}");
    }
}

#[test]
fn a_domain_without_a_max_weight_is_refused() {
    let free = BitVectorDomain::new(8);
    let made = make_randomized_response_bitvec(free, DiscreteDistance, 0.5, false);
    for error in [made.unwrap_err(), smallest_f(&free, Epsilon::INFINITY).unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::InvalidParameter);
        assert_eq!(error.parameter(), Some("input_domain"));
        assert!(error.to_string().contains("with_max_weight"));
    }
}

/// The expansions are from an independent decimal arithmetic of 60 digits.
#[test]
fn the_loss_is_the_neighbour_above_the_logarithm() {
    let cases = [
        (1, 8, 0.5, "2.1972245773362193827904904738450514092950"),
        (1, 8, 0.75, "1.021651247531981366411028192607323869756221593"),
        (1, 8, 0.1, "5.888877958332880803152473324285547997570726887"),
        (4, 7, 0.3, "12.142207387716745026747130465716790184868578961"),
        (40, 63, 0.5, "69.2125741860909105579004499261191193927919"),
        (1, 1, 1e-300, "691.468675078773650489755576691558679476688841718"),
        (9, 1, 5e-324, "745.133219101941207623524530567539810681162644437"),
    ];
    for (max_weight, length, f, expansion) in cases {
        assert_eq!(map(length, max_weight, f), round_up(expansion), "{f}");
    }
    assert_eq!(map(8, 1, 1.0), 0.0);
    // (2 − f)/f = (1 + x)/(1 − x) at x = 2^−53, of which the logarithm is 2x + 2x³/3 + …
    assert_eq!(map(64, 32, down(1.0)), up(0.5f64.powi(46)));
}

#[test]
fn at_most_twice_the_weight_and_no_more_than_all_bits_differ() {
    let f = 0.5;
    for (length, max_weight, places) in [
        (8, 0, 0),
        (0, 3, 0),
        (8, 1, 2),
        (8, 3, 6),
        (8, 4, 8),
        (8, 5, 8),
        (8, 8, 8),
        (8, 9, 8),
        (7, 4, 7),
        (8, usize::MAX, 8),
        (8, usize::MAX / 2 + 1, 8),
        (1, 1, 1),
    ] {
        let expected = loss(places, f).get();
        assert_eq!(map(length, max_weight, f), expected, "{length} {max_weight}");
        assert_eq!(expected == 0.0, places == 0);
    }
    let all = map(usize::MAX, usize::MAX, 0.5);
    assert!((all / (usize::MAX as f64 * 3f64.ln()) - 1.0).abs() < 1e-15);
}

#[test]
fn no_distance_above_one_is_accepted() {
    let mechanism = flips(8, 1, 0.5, false);
    assert_eq!(mechanism.map(0).unwrap(), Epsilon::ZERO);
    for d_in in [2, 3, u32::MAX] {
        let error = mechanism.map(d_in).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidDistance);
        assert_eq!(error.parameter(), Some("d_in"));
        assert_eq!(
            error.to_string(),
            format!("invalid d_in: {d_in} is above 1; accepted is 0 or 1")
        );
    }
    assert!(mechanism.check(2, Epsilon::INFINITY).is_err());
}

#[test]
fn the_loss_falls_as_f_grows_and_grows_with_the_weight() {
    let mut fs: Vec<f64> = (0..=1074).step_by(7).map(|places| 0.5f64.powi(places)).collect();
    fs.extend((1..=53).map(|places| 1.0 - 0.5f64.powi(places)));
    fs.sort_by(f64::total_cmp);
    fs.dedup();
    assert!(fs.windows(2).all(|pair| map(64, 2, pair[0]) > map(64, 2, pair[1])));
    let weights: Vec<f64> = (0..=32).map(|weight| map(64, weight, 0.5)).collect();
    assert!(weights.windows(2).all(|pair| pair[0] < pair[1]));
}

/// f/2 in binary places: a numerator, and how many there are.
fn half(f: f64) -> (u64, u32) {
    let Decoded::Finite { mantissa, exponent, .. } = f.decode() else { unreachable!() };
    let zeros = mantissa.trailing_zeros();
    (mantissa >> zeros, 1 + exponent.unsigned_abs() - zeros)
}

/// How many digits of so many bits are compared side by side if there are many and it is not in constant time. That is a
/// matter of speed alone, and seen where ones decide all bits by their first digit.
fn side_by_side(length: usize) -> u32 {
    let mechanism = flips(length, length, 0.5f64.powi(100), false);
    let mut script = Script::new(vec![u64::MAX; 100 * length]);
    mechanism.invoke_from(&BitVector::zeros(length), &mut script).unwrap();
    (script.drawn / length.div_ceil(64)) as u32
}

/// 64 digits, or as many as there are with zeros behind them, of a number in so many binary places.
fn digits(number: u64, places: u32, first: u32) -> u64 {
    match (places - first).checked_sub(64) {
        Some(behind) => number.checked_shr(behind).unwrap_or(0),
        None => number << (64 - (places - first)),
    }
}

/// The words that are read if each bit has its number, in as many places as f/2: first digits of all bits side by side,
/// then words of its own for each bit that is undecided. Lanes of no bit are zero.
fn words_of(numbers: &[u64], f: f64, constant_time: bool) -> Vec<u64> {
    let ((half, places), mut words) = (half(f), Vec::new());
    for block in numbers.chunks(FLIPS * 64) {
        let together = if constant_time { places } else { places.min(side_by_side(block.len())) };
        for place in 0..together {
            let digit = |number: u64| digits(number, places, place) >> 63;
            let word = |group: &[u64]| group.iter().rev().fold(0, |word, &n| word << 1 | digit(n));
            words.extend(block.chunks(64).map(word));
        }
        let agrees = |number: u64| {
            (0..together).all(|i| (digits(number, places, i) ^ digits(half, places, i)) >> 63 == 0)
        };
        for &number in block.iter().filter(|&&number| agrees(number)) {
            for first in (together..places).step_by(64) {
                words.push(digits(number, places, first));
                if digits(number, places, first) != digits(half, places, first) {
                    break;
                }
            }
        }
    }
    words
}

/// A bit is flipped if its number is below f/2, and all words are read that it takes and no more.
fn assert_flips(numbers: &[u64], f: f64, constant_time: bool) {
    let length = numbers.len();
    let words = words_of(numbers, f, constant_time);
    let mut script = Script::new(words.clone());
    let answer: BitVector = (0..length).map(|i| i % 3 == 0).collect();
    let report = flips(length, length, f, constant_time).invoke_from(&answer, &mut script);
    let flipped = numbers.iter().map(|&number| number < half(f).0);
    let expected: BitVector = answer.iter().zip(flipped).map(|(bit, flip)| bit != flip).collect();
    assert_eq!(report, Ok(expected), "{length} {f} {constant_time}");
    assert_eq!(script.drawn, words.len(), "{length} {f} {constant_time}");
}

/// f/2 is 1/4: of the numbers in two places 0 is below it.
#[test]
fn each_bit_flips_alone_and_the_last_one_too() {
    for (constant_time, other) in (1..4).flat_map(|other| [(false, other), (true, other)]) {
        for length in LENGTHS {
            for flipped in 0..length {
                let numbers: Vec<u64> =
                    (0..length).map(|i| if i == flipped { 0 } else { other }).collect();
                assert_flips(&numbers, 0.5, constant_time);
            }
        }
    }
}

#[test]
fn all_bits_flip_or_none_as_the_words_say() {
    for (constant_time, number) in (0..4).flat_map(|number| [(false, number), (true, number)]) {
        LENGTHS.iter().for_each(|&length| assert_flips(&vec![number; length], 0.5, constant_time));
    }
    for constant_time in [false, true] {
        for length in LENGTHS {
            let mechanism = flips(length, length, 0.5, constant_time);
            let answer: BitVector = (0..length).map(|i| i % 5 < 2).collect();
            let opposite: BitVector = answer.iter().map(|bit| !bit).collect();
            for (word, expected) in [(0, &opposite), (u64::MAX, &answer)] {
                let mut script = Script::new(vec![word; 3 * length]);
                assert_eq!(mechanism.invoke_from(&answer, &mut script).unwrap(), *expected);
            }
        }
    }
}

/// A flip happens below f/2 and not at it, in every lane: f/2 of the smallest float, 2^−1075, is no float.
#[test]
fn the_flip_probability_is_half_of_f_to_the_last_digit() {
    assert_eq!((half(0.5), half(1.0), half(5e-324)), ((1, 2), (1, 1), (1, 1075)));
    for f in [0.5, 1.0, 0.75, 0.3, 0.1, down(1.0), 1e-17, 1e-310, 5e-324] {
        let (half, places) = half(f);
        for (constant_time, turn) in (0..3).flat_map(|turn| [(false, turn), (true, turn)]) {
            // Just below, equal, and just above.
            let number = |i: usize| half - 1 + (i + turn) as u64 % 3;
            let number = |i: usize| if places == 1 { number(i).min(1) } else { number(i) };
            assert_flips(&(0..131).map(number).collect::<Vec<u64>>(), f, constant_time);
        }
    }
}

/// 5/16 is 0.0101 in base 2. All sixteen numbers of four places, in every lane, and in more bits than are compared side
/// by side.
#[test]
fn every_number_below_half_of_f_flips() {
    for (constant_time, turn) in (0..16).flat_map(|turn| [(false, turn), (true, turn)]) {
        for length in [70, FLIPS * 64 + 70] {
            let numbers: Vec<u64> = (0..length).map(|i| (i + turn) as u64 % 16).collect();
            assert_flips(&numbers, 0.625, constant_time);
        }
    }
}

#[test]
fn another_length_or_weight_is_refused_and_the_vector_is_not_told() {
    let mechanism = flips(8, 2, 0.5, false);
    let bits = |text: &str| -> BitVector { text.bytes().map(|byte| byte == b'1').collect() };
    assert!(mechanism.invoke(&bits("10000001")).is_ok());
    for bad in ["", "1011010", "101101001", "10110100", "11111111"] {
        let mut script = Script::new([0; 8]);
        let error = mechanism.invoke_from(&bits(bad), &mut script).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotAMember);
        assert_eq!(error.parameter(), Some("input"));
        assert_eq!(script.drawn, 0);
        let rule = "accepted is a vector of 8 bits with at most 2 ones";
        assert!(error.to_string().ends_with(rule), "{error}");
        assert_silent(&error, &["1011", "1111", "4 ones", "7 bits", "9 bits"]);
    }
    assert!(flips(8, 9, 0.5, false).invoke(&bits("11111111")).is_ok());
    assert!(flips(0, 0, 0.5, false).invoke(&bits("")).unwrap().is_empty());
}

/// In constant time as many words as f/2 has places, for every 64 bits; else no more than that.
#[test]
fn all_vectors_draw_and_fail_alike() {
    for (length, groups) in [(3, 1), (64, 1), (66, 2)] {
        let inputs: Vec<BitVector> =
            (0..8).map(|i| (0..length).map(|j| j % (i + 1) == i % 3).collect()).collect();
        let most = |f, constant_time| {
            let mechanism = flips(length, length, f, constant_time);
            let longest = groups * half(f).1.max(20) as usize;
            assert_draws_alike(&inputs, longest, |bits, script| mechanism.invoke_from(bits, script))
        };
        for f in [0.5, 1.0, 0.3, 1e-17] {
            assert_eq!(most(f, true), groups * half(f).1 as usize, "{f}");
        }
        assert_eq!(most(1.0, false), groups);
        // 64 numbers agree with another in few digits.
        for f in [0.5, 0.3, 1e-17, 1e-310] {
            assert!((groups..=20 * groups).contains(&most(f, false)), "{f}");
        }
    }
    let (mechanism, ones) = (flips(70, 70, 5e-324, true), (0..70).map(|j| j % 3 == 0).collect());
    let drawn = assert_draws_alike(&[BitVector::zeros(70), ones], 3000, |bits, script| {
        mechanism.invoke_from(bits, script)
    });
    assert_eq!(drawn, 2 * 1075);
}

#[test]
fn the_smallest_f_is_within_the_loss_and_the_next_is_not() {
    for (length, max_weight) in [(1, 1), (8, 1), (64, 2), (7, usize::MAX), (1_000_000, 500_000)] {
        let domain = domain(length, max_weight);
        for epsilon in losses() {
            let f = smallest_f(&domain, Epsilon::new(epsilon).unwrap()).unwrap();
            assert!(map(length, max_weight, f) <= epsilon, "{length} {epsilon}");
            let smallest = f.to_bits() == 1;
            assert!(smallest || map(length, max_weight, down(f)) > epsilon, "{length} {epsilon}");
        }
        assert_eq!(smallest_f(&domain, Epsilon::ZERO).unwrap(), 1.0);
        assert_eq!(smallest_f(&domain, Epsilon::INFINITY).unwrap().to_bits(), 1);
    }
    // Nothing can differ, so that any f will do.
    assert_eq!(smallest_f(&domain(8, 0), Epsilon::ZERO).unwrap().to_bits(), 1);
}

/// n·k·(f − f²/2)/(2(1 − f)²), the sum of k squared standard errors. All values to a relative 1e-14.
#[test]
fn the_errors_of_the_estimates_are_those_of_the_formula() {
    let is = |x: f64, y: f64| assert!((x / y - 1.0).abs() < 1e-14, "{x} {y}");
    for (f, k, n) in
        [(0.5, 8, 100), (0.1, 1, 1), (0.9, 1000, 1 << 40), (1e-300, 3, 7), (0.25, 64, 9)]
    {
        let mechanism = flips(k, 1, f, false);
        let (squared, single) = (mechanism.mean_squared_error(n), mechanism.standard_error(n));
        // Squaring the root of a number near 1e-300 stays within the range.
        is(squared, k as f64 * single * single);
    }
    // f = 1/2: n·k·(3/8)/(1/2) = 3nk/4.
    is(flips(8, 1, 0.5, false).mean_squared_error(100), 600.0);
    is(flips(8, 1, 0.5, false).standard_error(100), 75f64.sqrt());
    assert_eq!(flips(8, 1, 1.0, false).standard_error(5), f64::INFINITY);
    assert_eq!(flips(8, 1, 1.0, false).mean_squared_error(5), f64::INFINITY);
}

#[test]
fn the_errors_of_no_respondents_are_numbers() {
    let mechanism = flips(8, 1, 1.0, false);
    assert_eq!(mechanism.standard_error(0), f64::INFINITY);
    assert!(!mechanism.mean_squared_error(0).is_nan());
}
