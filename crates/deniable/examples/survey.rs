//! A survey of 10 000 simulated people, each question through another local mechanism: the truth beside the estimate.
//!
//! `cargo run --release --example survey`

use deniable::mechanism::{
    randomized_response, randomized_response_bitvec, randomized_response_bool,
};
use deniable::prelude::*;

const PEOPLE: usize = 10_000;

fn main() -> deniable::Result<()> {
    let budget = Epsilon::new(1.0)?;
    println!("{PEOPLE} people, three questions, each with a privacy loss of at most {budget}.\n");
    println!("{:<22}{:>8}{:>10}{:>16}", "", "truth", "estimate", "standard error");
    smoking(budget)?;
    drinks(budget)?;
    newspapers(budget)
}

/// Yes or no.
fn smoking(budget: Epsilon) -> deniable::Result<()> {
    let prob = randomized_response_bool::largest_prob(budget);
    let smokes = make_randomized_response_bool(prob, true)?;

    let answers: Vec<bool> = (0..PEOPLE).map(|person| person % 5 == 0).collect();
    let reports = smokes.invoke_batch(&answers)?;
    let estimate = debias_randomized_response_bool(&reports, prob)?;

    println!("Do you smoke? The truth with probability {prob:.3}, ε = {:.3}", smokes.map(1)?);
    let truth = answers.iter().filter(|&&answer| answer).count();
    row("yes", truth, estimate, smokes.standard_error(PEOPLE as u64));
    Ok(())
}

/// One of several.
fn drinks(budget: Epsilon) -> deniable::Result<()> {
    let list = ["tea", "coffee", "water", "other"];
    let prob = randomized_response::largest_prob(list.len(), budget)?;
    let drink = make_randomized_response(list, prob)?;

    let choice = |person: usize| list[[0, 0, 0, 1, 1, 1, 1, 1, 2, 3][person % 10]];
    let answers: Vec<&str> = (0..PEOPLE).map(choice).collect();
    let reports = drink.invoke_batch(&answers)?;
    let estimates = debias_randomized_response(&drink, &reports)?;

    println!("What do you drink? The truth with probability {prob:.3}, ε = {:.3}", drink.map(1)?);
    for (category, estimate) in list.iter().zip(estimates) {
        let truth = answers.iter().filter(|&answer| answer == category).count();
        row(category, truth, estimate, drink.standard_error(PEOPLE as u64));
    }
    Ok(())
}

/// As many as one likes, up to two.
fn newspapers(budget: Epsilon) -> deniable::Result<()> {
    let list = ["the Courier", "the Echo", "the Herald", "the Mirror", "the Post"];
    let domain = BitVectorDomain::new(list.len()).with_max_weight(2);
    let f = randomized_response_bitvec::smallest_f(&domain, budget)?;
    let reads = make_randomized_response_bitvec(domain, DiscreteDistance, f, true)?;

    let ticks = |person: usize| (0..5).map(|i| person % 4 == i || person % 7 == i).collect();
    let answers: Vec<BitVector> = (0..PEOPLE).map(ticks).collect();
    let reports = reads.invoke_batch(&answers)?;
    let estimates = debias_randomized_response_bitvec(&reports, f)?;

    println!(
        "Which two do you read? Each tick flipped with probability {:.3}, ε = {:.3}",
        f / 2.0,
        reads.map(1)?
    );
    for (index, (name, estimate)) in list.iter().zip(estimates).enumerate() {
        let truth = answers.iter().filter(|ticks| ticks.get(index) == Some(true)).count();
        row(name, truth, estimate, reads.standard_error(PEOPLE as u64));
    }
    Ok(())
}

fn row(name: &str, truth: usize, estimate: f64, error: f64) {
    println!("  {name:<20}{truth:>8}{estimate:>10.0}{error:>16.0}");
}
