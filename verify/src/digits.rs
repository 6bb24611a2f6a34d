//! Uniform integers that share a word, by division of big integers.

use dashu_int::UBig;

/// The first digits in base n of a word, by division, or none if it is rejected.
fn by_division(n: u32, digits: usize, word: u64, count: usize) -> Option<Vec<u16>> {
    let (n, whole) = (UBig::from(n), UBig::ONE << 64);
    let power = n.pow(digits);
    let product = &power * UBig::from(word);
    if &product % &whole < &whole % &power {
        return None;
    }
    let below = product / whole;
    let digit = |i: usize| u16::try_from(&below / n.pow(digits - 1 - i) % &n).unwrap();
    Some((0..count).map(digit).collect())
}

/// How many digits a word of 64 bits gives.
///
/// # Panics
///
/// For an `n` that gives none, which is above 2^48.
pub fn digits_of(n: u32) -> usize {
    (1..=48).rev().find(|&digits| UBig::from(n).pow(digits) <= UBig::ONE << 48).unwrap()
}

/// What [`ManyBelow`](deniable_sample::ManyBelow) draws of a script, and how many words of it.
///
/// # Panics
///
/// For a script that is too short.
pub fn many_by_division(n: u32, count: usize, script: &[u64]) -> (Vec<u16>, usize) {
    let digits = digits_of(n);
    let (first, rest) = script.split_at(count.div_ceil(digits));
    // Those that are rejected take the words behind the block.
    let mut more = rest.iter();
    let mut one = || more.find_map(|&word| by_division(n, 1, word, 1)).unwrap()[0];
    let mut below = Vec::new();
    for (group, &word) in first.iter().enumerate() {
        let count = digits.min(count - group * digits);
        match by_division(n, digits, word, count) {
            Some(group) => below.extend(group),
            None => below.extend((0..count).map(|_| one())),
        }
    }
    (below, script.len() - more.len())
}
