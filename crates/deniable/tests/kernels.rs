//! Both forms of the kernels that mechanisms and counts have, one after the other in a process of its own: they must compute the same.

use deniable::estimate::BitCounts;
use deniable::prelude::*;
use deniable::sample::without_vectors;
use deniable::{Entropy, LocalHashing};

/// Words without a pattern, the same every time: SplitMix64.
struct Fixed(u64);

impl Entropy for Fixed {
    fn fill(&mut self, words: &mut [u64]) -> deniable::sample::Result<()> {
        for word in words {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            *word = z ^ (z >> 31);
        }
        Ok(())
    }
}

/// What the kernels made.
#[derive(Debug, PartialEq)]
struct Made {
    yes_no: Vec<bool>,
    places: [Vec<u32>; 3],
    rows: Vec<u64>,
    ones: Vec<Vec<u64>>,
}

/// Enough answers for several rounds of every kernel, and some that do not fill one.
const ANSWERS: usize = 1501;

fn made(seed: u64) -> Made {
    let entropy = &mut Fixed(seed);
    let places: Vec<u32> = (0..ANSWERS as u32).map(|i| i % 300).collect();

    let mut yes_no: Vec<bool> = (0..ANSWERS).map(|i| i % 3 == 0).collect();
    let truths = make_randomized_response_bool(0.7, false).unwrap();
    truths.randomize_in_place(&mut yes_no, entropy).unwrap();

    let choice = make_randomized_response(0..300u32, 0.4).unwrap();
    let mut said = [places.clone(), places.clone(), places.clone()];
    choice.randomize_indices(&mut said[0], entropy).unwrap();
    choice.randomize_indices_constant_time(&mut said[1], entropy).unwrap();
    let few = make_randomized_response(0..300u32, 0.999).unwrap();
    few.randomize_indices(&mut said[2], entropy).unwrap();

    let domain = BitVectorDomain::new(130).with_max_weight(130);
    let flips = make_randomized_response_bitvec(domain, DiscreteDistance, 0.3, false).unwrap();
    let mut rows = vec![0; 3 * ANSWERS];
    flips.randomize_rows(&mut rows, entropy).unwrap();
    let unary = make_unary_encoding(0..300u32, 0.5, 0.2).unwrap();
    let unary = unary.randomize_rows(&places, entropy).unwrap();

    let mut ones = Vec::new();
    for (length, rows) in [(130, &rows), (300, &unary)] {
        let mut counts = BitCounts::new(length);
        counts.add_rows(rows).unwrap();
        let report = BitVector::from_words(rows[..length.div_ceil(64)].to_vec(), length).unwrap();
        counts.add_all(&vec![report; 77]).unwrap();
        ones.push(counts.ones());
    }
    // Buckets that fit a byte, and more.
    for buckets in [5, 1000] {
        let hashing = make_local_hashing(0..300u32, buckets, 0.6).unwrap();
        let reports = hashing.randomize_rows(&places, entropy).unwrap();
        ones.push(counted(&hashing, &reports));
        let (mut counts, some) = (BitCounts::new(70), (0..70u32).collect::<Vec<_>>());
        hashing.count_candidates(&reports, &some, &mut counts).unwrap();
        ones.push(counts.ones());
    }
    Made { yes_no, places: said, rows: [rows, unary].concat(), ones }
}

fn counted(hashing: &LocalHashing<u32>, reports: &[u16]) -> Vec<u64> {
    let mut counts = BitCounts::new(300);
    hashing.count_rows(reports, &mut counts).unwrap();
    counts.ones()
}

#[test]
fn both_forms_of_kernels_make_the_same() {
    let best: Vec<Made> = (0..5).map(made).collect();
    without_vectors();
    let plain: Vec<Made> = (0..5).map(made).collect();
    assert_eq!(best, plain);
    // Something came of each, and of other words something else.
    assert_ne!(plain[0].yes_no, plain[1].yes_no);
    assert!((0..3).all(|which| plain[0].places[which] != plain[1].places[which]));
    assert_ne!(plain[0].rows, plain[1].rows);
    assert!((0..6).all(|which| plain[0].ones[which] != plain[1].ones[which]));
}
