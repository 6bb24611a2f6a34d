//! Reports of bits for categories in bulk: the joint law of some rows, and all rows against plain programs.

use std::collections::BTreeSet;

use dashu_ratio::RBig;
use deniable::prelude::*;
use deniable_verify::audit::exact::fraction;
use deniable_verify::audit::local::plain::{subset_rows, unary_rows};
use deniable_verify::audit::local::{subset, unary};
use deniable_verify::enumerate::enumerate;
use deniable_verify::inversion::value;
use deniable_verify::words::{Script, Script64, spread};

const UNARY: [unary::Parameters; 4] = [
    unary::Parameters { k: 2, one: 0.5, zero: 0.25 },
    unary::Parameters { k: 2, one: 0.75, zero: 0.5 },
    unary::Parameters { k: 3, one: 0.5, zero: 0.25 },
    unary::Parameters { k: 3, one: 0.75, zero: 0.125 },
];

/// Reports of places below, at and behind the number of categories.
const PLACES: [&[u8]; 6] = [&[0], &[1, 0], &[1, 1], &[0, 2], &[255, 1], &[0, 1, 3]];

/// The probability of a report of bits, from that of each.
fn of_bits(unary::Parameters { k, one, zero }: unary::Parameters, place: u8, row: u64) -> RBig {
    (0..k).fold(RBig::ONE, |product, bit| {
        let chance = value(if bit == u32::from(place) { one } else { zero });
        product * if row >> bit & 1 == 1 { chance } else { RBig::ONE - chance }
    })
}

/// That of a subset, from how many of them have the place and how many do not. For few categories, so that they can be listed.
fn of_subset(
    subset::Parameters { k, size, prob }: subset::Parameters,
    place: u8,
    row: u64,
) -> RBig {
    let subsets: Vec<u64> = (0..1 << k).filter(|row: &u64| row.count_ones() == size).collect();
    if !subsets.contains(&row) {
        return RBig::ZERO;
    }
    let has = |row: u64| row >> place & 1 == 1;
    let alike = match u32::from(place) < k {
        true => subsets.iter().filter(|&&other| has(other) == has(row)).count(),
        false => return fraction(1, subsets.len() as u64),
    };
    let share = if has(row) { value(prob) } else { RBig::ONE - value(prob) };
    share / RBig::from(alike)
}

/// Whether rows over all scripts of `BITS` bits have the product law: exactly in its parts, as far as it is resolved, which is more than
/// half of it.
///
/// How many words are read does not depend on which rows come of them, so that what is resolved has the probabilities of the whole.
fn has_the_product_law<const BITS: u32>(
    places: &[u8],
    depth: usize,
    probability: impl Fn(u8, u64) -> RBig,
    randomize: impl Fn(&[u8], &mut Script<'_, BITS>) -> deniable::Result<Vec<u64>>,
) -> bool {
    let law = enumerate(depth, |s| randomize(places, s));
    let resolved = RBig::ONE - &law.remainder;
    let product = |rows: &[u64]| {
        let each = places.iter().zip(rows).map(|(&place, &row)| probability(place, row));
        each.fold(RBig::ONE, |product, chance| product * chance)
    };
    // If each has its share, and the shares add up to the whole, there are no others.
    let total = law.mass.values().fold(RBig::ZERO, |sum, mass| sum + mass);
    total == resolved
        && resolved > fraction(1, 2)
        && law.mass.keys().fold(RBig::ZERO, |sum, rows| sum + product(rows)) == RBig::ONE
        && law.mass.iter().all(|(rows, mass)| *mass == product(rows) * &resolved)
}

#[test]
fn rows_of_bits_are_independent() {
    let mut seen = BTreeSet::new();
    for parameters in UNARY {
        let mechanism = unary::shipping(parameters);
        let digits = |prob: f64| if prob == 0.125 { 3 } else { 1 + usize::from(prob != 0.5) };
        for places in PLACES {
            let bits = places.len() * parameters.k as usize;
            let words = |width: usize| {
                let of = |count: usize, prob| count.div_ceil(width) * digits(prob);
                of(bits, parameters.zero) + of(places.len(), parameters.one)
            };
            let probability = |place, row| of_bits(parameters, place, row);
            // 2^20 scripts and more take long.
            if words(1) < 20 {
                seen.insert(1);
                assert!(has_the_product_law::<1>(places, words(1), probability, |x, s| {
                    mechanism.randomize_rows(x, s)
                }));
            }
            if words(2) < 10 {
                seen.insert(2);
                assert!(has_the_product_law::<2>(places, words(2), probability, |x, s| {
                    mechanism.randomize_rows(x, s)
                }));
            }
            if words(4) < 5 {
                seen.insert(4);
                assert!(has_the_product_law::<4>(places, words(4), probability, |x, s| {
                    mechanism.randomize_rows(x, s)
                }));
            }
        }
    }
    assert_eq!(seen.len(), 3);
}

/// The bits that are read for some places: what is enough for more than half of the law.
const SUBSETS: [(subset::Parameters, &[u8], usize); 9] = [
    (subset::Parameters { k: 2, size: 1, prob: 0.75 }, &[0, 1], 10),
    (subset::Parameters { k: 2, size: 1, prob: 0.5 }, &[2, 0], 8),
    (subset::Parameters { k: 2, size: 1, prob: 0.5 }, &[1, 1, 0], 12),
    (subset::Parameters { k: 3, size: 1, prob: 0.5 }, &[0, 2], 14),
    (subset::Parameters { k: 3, size: 1, prob: 0.75 }, &[7, 1], 16),
    (subset::Parameters { k: 3, size: 2, prob: 0.75 }, &[2, 2], 16),
    (subset::Parameters { k: 4, size: 1, prob: 0.5 }, &[3, 4], 16),
    (subset::Parameters { k: 4, size: 2, prob: 0.5 }, &[0], 13),
    (subset::Parameters { k: 4, size: 2, prob: 0.5 }, &[1, 255], 20),
];

#[test]
fn rows_of_subsets_are_independent() {
    for (parameters, places, depth) in SUBSETS {
        let mechanism = subset::shipping(parameters);
        let probability = |place, row| of_subset(parameters, place, row);
        let randomize = |x: &[u8], s: &mut Script<'_, 1>| mechanism.randomize_rows(x, s);
        assert!(has_the_product_law(places, depth, probability, randomize), "{parameters:?}");
    }
    let (parameters, places, _) = SUBSETS[0];
    let mechanism = subset::shipping(parameters);
    let randomize = |x: &[u8], s: &mut Script<'_, 2>| mechanism.randomize_rows(x, s);
    let probability = |place, row| of_subset(parameters, place, row);
    assert!(has_the_product_law(places, 7, probability, randomize));
}

/// Numbers of categories around the ends of words, and numbers of reports around those of runs and groups.
const COUNTS: [(u32, usize); 16] = [
    (2, 3),
    (2, 1100),
    (5, 1023),
    (5, 2100),
    (63, 70),
    (63, 300),
    (64, 200),
    (64, 1500),
    (65, 129),
    (100, 1030),
    (128, 63),
    (128, 1025),
    (1000, 20),
    (1024, 300),
    (8192, 3),
    (9000, 3),
];

/// Places of which some are behind the end.
fn places(k: u32, count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| (i * 7919) % (k + 3)).collect()
}

fn words_of(reports: &[BitVector]) -> Vec<u64> {
    reports.iter().flat_map(BitVector::as_words).copied().collect()
}

#[test]
fn rows_of_bits_are_those_of_the_plain_program() {
    let words = spread(1_000_000);
    for ((k, count), (one, zero)) in
        COUNTS.into_iter().flat_map(|counts| [(counts, (0.5, 0.25)), (counts, (0.7, 0.3))])
    {
        let parameters = unary::Parameters { k, one, zero };
        let (mechanism, places) = (unary::shipping(parameters), places(k, count));
        let (mut source, mut again) = (Script64::new(&words), Script64::new(&words));
        let rows = mechanism.randomize_rows(&places, &mut source).unwrap();
        let plain = unary_rows(parameters, &places, &mut again).unwrap();
        assert!(rows == words_of(&plain) && source.asked == again.asked, "{k} {count} {one}");
        let batch = mechanism.invoke_batch_from(&places, &mut Words(words.iter())).unwrap();
        assert!(batch == plain, "{k} {count} {one}");
    }
}

#[test]
fn rows_of_subsets_are_those_of_the_plain_program() {
    let words = spread(1_000_000);
    for (k, count) in COUNTS {
        for size in [1, k / 20, k / 4, k / 2, k - 1] {
            let prob = 1.0 - 0.5 / f64::from(k);
            if size == 0 || size * 3 / 2 * count as u32 > 200_000 {
                continue;
            }
            let parameters = subset::Parameters { k, size, prob };
            let (mechanism, places) = (subset::shipping(parameters), places(k, count));
            let (mut source, mut again) = (Script64::new(&words), Script64::new(&words));
            let rows = mechanism.randomize_rows(&places, &mut source).unwrap();
            let plain = subset_rows(parameters, &places, &mut again).unwrap();
            assert!(rows == words_of(&plain) && source.asked == again.asked, "{k} {count} {size}");
            let batch = mechanism.invoke_batch_from(&places, &mut Words(words.iter())).unwrap();
            assert!(batch == plain, "{k} {count} {size}");
        }
    }
}

#[test]
fn places_of_all_widths_give_the_same_rows() {
    let words = spread(100_000);
    let (bits, subsets) =
        (make_unary_encoding(0..70, 0.5, 0.3), make_subset_selection(0..70, 20, 0.5));
    let (bits, subsets) = (bits.unwrap(), subsets.unwrap());
    let longs = places(70, 300);
    let shorts: Vec<u16> = longs.iter().map(|&place| place as u16).collect();
    let bytes: Vec<u8> = longs.iter().map(|&place| place as u8).collect();
    let source = || Script64::new(&words);
    let expected = bits.randomize_rows(&longs, &mut source()).unwrap();
    assert_eq!(bits.randomize_rows(&shorts, &mut source()).unwrap(), expected);
    assert_eq!(bits.randomize_rows(&bytes, &mut source()).unwrap(), expected);
    let expected = subsets.randomize_rows(&longs, &mut source()).unwrap();
    assert_eq!(subsets.randomize_rows(&shorts, &mut source()).unwrap(), expected);
    assert_eq!(subsets.randomize_rows(&bytes, &mut source()).unwrap(), expected);
}

/// All answers draw the same words, and a source that fails before the last of them leaves nothing.
#[test]
fn all_answers_draw_the_same_words() {
    let words = spread(60_000);
    let (bits, subsets) =
        (make_unary_encoding(0..70u32, 0.5, 0.3), make_subset_selection(0..70u32, 20, 0.5));
    let (bits, subsets) = (bits.unwrap(), subsets.unwrap());
    let asked = |of_bits: bool, place: u32, script: &[u64]| {
        let (mut source, places) = (Script64::new(script), [place; 1100]);
        let rows = match of_bits {
            true => bits.randomize_rows(&places, &mut source),
            false => subsets.randomize_rows(&places, &mut source),
        };
        (rows.map(|rows| rows.len()).ok(), source.asked)
    };
    for of_bits in [true, false] {
        let (rows, needed) = asked(of_bits, 0, &words);
        assert_eq!(rows, Some(2200));
        for most in [0, 1, 7, needed / 2, needed - 1, needed, needed + 1] {
            let rows = (most >= needed).then_some(2200);
            let expected = (rows, most.min(needed) + usize::from(most < needed));
            for place in [0, 1, 69, 70, u32::MAX] {
                assert_eq!(asked(of_bits, place, &words[..most]), expected, "{place} {most}");
            }
        }
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

/// The checks above find these mistakes.
mod planted {
    use deniable_verify::audit::local::plain::{exchange, flips, subsets};

    use super::*;

    /// Two rows of two bits each, with their flips, and then made of them.
    fn finds(make: impl Fn(&[bool], &[bool], &[u8]) -> [u64; 2]) -> bool {
        let parameters = UNARY[0];
        let randomize = |places: &[u8], s: &mut Script<'_, 2>| {
            let noise = flips(parameters.zero, 4, s)?;
            let own = flips(parameters.one, 2, s)?;
            Ok(make(&noise, &own, places).to_vec())
        };
        let probability = |place, row| of_bits(parameters, place, row);
        let all: [&[u8]; 3] = [&[0, 1], &[1, 1], &[0, 2]];
        !all.iter().all(|places| has_the_product_law(places, 5, probability, randomize))
    }

    fn row(bits: &[bool], own: bool, place: u8) -> u64 {
        let bit = |(i, &bit): (usize, &bool)| {
            u64::from(if i == usize::from(place) { own } else { bit }) << i
        };
        bits.iter().enumerate().map(bit).sum()
    }

    #[test]
    fn rows_of_bits_that_are_not_independent() {
        assert!(!finds(|noise, own, x| [
            row(&noise[..2], own[0], x[0]),
            row(&noise[2..], own[1], x[1])
        ]));
        // The same noise for both.
        assert!(finds(|noise, own, x| [
            row(&noise[..2], own[0], x[0]),
            row(&noise[..2], own[1], x[1])
        ]));
        // The same flip of the answer's bit for both.
        assert!(finds(|noise, own, x| [
            row(&noise[..2], own[0], x[0]),
            row(&noise[2..], own[0], x[1])
        ]));
        // Rows that overlap by a bit.
        assert!(finds(|noise, own, x| [
            row(&noise[..2], own[0], x[0]),
            row(&noise[1..3], own[1], x[1])
        ]));
        // The bit that would be the answer's is the noise of the next row.
        assert!(finds(|noise, own, x| [
            row(&noise[..2], noise[2], x[0]),
            row(&noise[2..], own[1], x[1])
        ]));
        // Outside is the last.
        assert!(finds(|noise, own, x| [
            row(&noise[..2], own[0], x[0].min(1)),
            row(&noise[2..], own[1], x[1].min(1))
        ]));
    }

    /// Two subsets of one of three, with what is drawn for them, and then made of them.
    fn finds_subsets(wrong: impl Fn(&mut [Vec<bool>], &mut [bool], &mut [[usize; 2]])) -> bool {
        let (parameters, places, depth) = SUBSETS[3];
        let randomize = |places: &[u8], s: &mut Script<'_, 1>| {
            let mut rows = subsets(parameters, 2, s)?;
            let mut truthful = flips(parameters.prob, 2, s)?;
            let mut others = Vec::new();
            for _ in 0..2 {
                let one_in = deniable_sample::sample_uniform_int_below(1usize, s)?;
                others.push([one_in, deniable_sample::sample_uniform_int_below(2usize, s)?]);
            }
            wrong(&mut rows, &mut truthful, &mut others);
            for (i, row) in rows.iter_mut().enumerate() {
                exchange(row, places[i].into(), truthful[i], others[i][0], others[i][1]);
            }
            Ok(rows.iter().map(|bits| row(bits, false, u8::MAX)).collect())
        };
        let probability = |place, row| of_subset(parameters, place, row);
        !has_the_product_law(places, depth, probability, randomize)
    }

    #[test]
    fn rows_of_subsets_that_are_not_independent() {
        assert!(!finds_subsets(|_, _, _| ()));
        assert!(finds_subsets(|rows, _, _| rows[1] = rows[0].clone()));
        assert!(finds_subsets(|_, truthful, _| truthful[1] = truthful[0]));
        assert!(finds_subsets(|_, _, others| others[1] = others[0]));
        assert!(finds_subsets(|_, _, others| others[0][1] = 0));
        assert!(finds_subsets(|rows, _, _| rows[1] = vec![true, false, false]));
    }

    /// A law of which too little is seen is none.
    #[test]
    fn a_part_of_a_law() {
        let (parameters, places, _) = SUBSETS[3];
        let mechanism = subset::shipping(parameters);
        let randomize = |x: &[u8], s: &mut Script<'_, 1>| mechanism.randomize_rows(x, s);
        let probability = |place, row| of_subset(parameters, place, row);
        assert!(!has_the_product_law(places, 7, probability, randomize));
    }
}
