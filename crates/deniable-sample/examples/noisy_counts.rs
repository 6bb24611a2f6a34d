//! Counts with exact discrete Laplace noise: cargo run --release --example noisy_counts
//!
//! Each count is a whole number of visits, one person changes one count by one, and the noise has scale 2 on
//! the grid of whole numbers: what is printed is 1/2-differentially private.

use std::error::Error;
use std::path::Path;

use deniable_sample::{DiscreteLaplaceZ2k, OsEntropy};

const SCALE: f64 = 2.0;
const WHOLE_NUMBERS: i32 = 0;

fn main() -> Result<(), Box<dyn Error>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/visits.csv");
    let table = std::fs::read_to_string(file)?;
    let noise = DiscreteLaplaceZ2k::new(SCALE, WHOLE_NUMBERS)?;
    let mut entropy = OsEntropy::new();
    println!("{:<8} {:>8}", "ward", "visits, noisy");
    for (number, line) in table.lines().enumerate().skip(1) {
        // The message says where, never what.
        let bad = || format!("line {}: expected a name, a comma and a number", number + 1);
        let (ward, visits) = line.split_once(',').ok_or_else(bad)?;
        let visits: f64 = visits.trim().parse().map_err(|_| bad())?;
        println!("{ward:<8} {:>8}", noise.sample(visits, &mut entropy)?);
    }
    Ok(())
}
