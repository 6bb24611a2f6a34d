//! What the machine can do at most: random words, and bytes copied.

use std::hint::black_box;
use std::time::Instant;

use deniable::{Entropy, OsEntropy};

/// Prints both.
pub fn print() {
    let mut words = vec![0u64; 1 << 13];
    let fill = best(|| OsEntropy::new().fill(black_box(&mut words)).expect("entropy"));
    let (from, mut to) = (vec![1u8; 64 << 20], vec![0u8; 64 << 20]);
    let copy = best(|| black_box(&mut to).copy_from_slice(black_box(&from)));
    let word = fill * 1e9 / words.len() as f64;
    println!("A random word of the generator in bulk: {word:.2} ns.");
    println!("Memory copied: {:.1} GB/s.\n", from.len() as f64 / copy / 1e9);
}

/// The shortest of some runs, in seconds.
fn best(mut job: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        job();
        start.elapsed().as_secs_f64()
    };
    (0..30).map(time).fold(f64::INFINITY, f64::min)
}
