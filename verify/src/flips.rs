//! Flips of many lanes at once, one lane after the other.

use dashu_ratio::RBig;

use crate::inversion::value;

/// The binary digits of a probability below 1, to the last that is not zero.
fn digits(prob: f64) -> Vec<bool> {
    let (mut rest, two, mut digits) = (value(prob), RBig::from(2), Vec::new());
    while rest != RBig::ZERO {
        rest *= &two;
        digits.push(rest >= RBig::ONE);
        if rest >= RBig::ONE {
            rest -= RBig::ONE;
        }
    }
    digits
}

/// Whether a number that begins with these digits is below the probability. None if they do not tell.
fn is_below(probability: &[bool], mut number: impl Iterator<Item = bool>) -> Option<bool> {
    for digit in probability {
        match number.next() {
            Some(own) if own != *digit => return Some(*digit),
            Some(_) => {}
            None => return None,
        }
    }
    Some(false)
}

/// Flips from 64-bit words, lane by lane, as the documentation has it, and how many words they take.
///
/// # Panics
///
/// If there are too few words.
pub fn flips_of(prob: f64, count: usize, constant_time: bool, words: &[u64]) -> (Vec<bool>, usize) {
    if prob == 0.0 || prob == 1.0 {
        return (vec![prob == 1.0; count], 0);
    }
    let digits = digits(prob);
    let groups = count.div_ceil(64);
    let together = match constant_time {
        true => digits.len(),
        false => digits.len().min((count / groups).ilog2() as usize + 3),
    };
    let mut used = together * groups;
    let flips = (0..count).map(|lane| {
        let column = (0..together).map(|d| words[d * groups + lane / 64] >> (lane % 64) & 1 == 1);
        let decided = is_below(&digits, column.clone());
        decided.unwrap_or_else(|| {
            // Words of its own, from their highest bit.
            let from = used;
            let own =
                words[from..].iter().flat_map(|w| (0..64).rev().map(move |i| w >> i & 1 == 1));
            let rest = &digits[together..];
            let agree = rest.iter().zip(own.clone()).take_while(|(a, b)| **a == *b).count();
            used += (agree + 1).min(rest.len()).div_ceil(64);
            is_below(rest, own).expect("words enough")
        })
    });
    (flips.collect(), used)
}

/// Scripts in which whole columns agree with a probability for so many places, so that lanes have to look at the last ones.
pub fn agreeing(prob: f64, groups: usize, random: &[u64]) -> Vec<u64> {
    let digits = if prob < 1.0 { digits(prob) } else { Vec::new() };
    let mut words = random.to_vec();
    for (place, digit) in digits.iter().enumerate() {
        for group in 0..groups {
            if let Some(word) = words.get_mut(place * groups + group) {
                // Lane j agrees for j·17 mod 71 places.
                let agree = (0..64).filter(|j| j * 17 % 71 > place).fold(0, |m, j| m | 1u64 << j);
                *word = *word & !agree | if *digit { agree } else { 0 };
            }
        }
    }
    words
}
