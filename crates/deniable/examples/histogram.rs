//! A histogram of simulated visits by hour, released with noise.
//!
//! `cargo run --release --example histogram`

use deniable::mechanism::vector_integer_laplace_cks20::smallest_scale;
use deniable::prelude::*;

fn main() -> deniable::Result<()> {
    // One visitor is counted in one hour only: adding or removing them changes the counts by 1 in all.
    let visits: [i64; 24] = [
        12, 7, 3, 2, 4, 15, 48, 120, 260, 310, 290, 305, 340, 330, 300, 280, 310, 400, 420, 260,
        150, 90, 50, 25,
    ];
    let scale = smallest_scale(1, Epsilon::new(0.5)?)?;
    let hours = VectorDomain::finite::<i64>().with_size(visits.len());
    let noise = make_vector_integer_laplace_cks20(hours, L1Distance::new(), scale)?;
    let released = noise.invoke(&visits)?;

    println!("Visits by hour. One visitor loses at most ε = {}.", noise.map(1)?);
    println!("19 counts in 20 are off by at most {}.\n", noise.accuracy(0.95)?);
    for (hour, count) in released.iter().enumerate() {
        println!("{hour:02}:00 {count:>5} {}", "█".repeat((count / 10).max(0) as usize));
    }
    Ok(())
}
