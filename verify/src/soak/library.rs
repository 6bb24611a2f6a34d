//! One round of library calls: every mechanism in all of its forms, estimates, planning; on threads that start and end, and in children.

use std::io;
use std::thread;

use deniable::domain::Carrier;
use deniable::estimate::{BitCounts, FrequencyOracle, Target};
use deniable::plan;
use deniable::prelude::*;
use deniable::rappor::decode::decode;
use deniable::rappor::{CandidateMap, Client, CohortCounts, Params, Secret};
use deniable_sample::{Entropy, OsEntropy};

use crate::backend::fork::{How, in_child};

/// Of each bulk form.
const MANY: usize = 3000;

const THREADS: usize = 3;

/// Runs it once, and says how many things were randomized.
///
/// # Errors
///
/// What failed, in words.
pub(super) fn round() -> Result<u64, String> {
    let failed = |error: deniable::Error| error.to_string();
    let mut done = everything().map_err(failed)?;
    let threads: Vec<_> = (0..THREADS).map(|_| thread::spawn(everything)).collect();
    for thread in threads {
        done += thread.join().map_err(|_| "a thread panicked")?.map_err(failed)?;
    }
    let drawn = |how| in_child(how, 64, |words| words.fill_with(word));
    let children = [drawn(How::Fork), drawn(How::RawClone), drawn(How::Fork)];
    let children: io::Result<Vec<_>> = children.into_iter().collect();
    Ok(done + children.map_err(|error| error.to_string())?.concat().len() as u64)
}

fn word() -> u64 {
    OsEntropy::new().word().expect("entropy")
}

fn everything() -> deniable::Result<u64> {
    Ok(yes_no()?
        + choice()?
        + bits()?
        + oracles()?
        + floats()?
        + integers()?
        + rappor()?
        + plans()?)
}

fn yes_no() -> deniable::Result<u64> {
    for constant_time in [false, true] {
        let mechanism = make_randomized_response_bool(0.75, constant_time)?;
        mechanism.invoke(&true)?;
        let reports = mechanism.invoke_batch(&[true; MANY])?;
        mechanism.invoke_in_place(&mut [false; MANY])?;
        mechanism.invoke_packed(&mut [0; MANY / 64 + 1], MANY)?;
        debias_randomized_response_bool(&reports, 0.75)?;
        estimate(&mechanism, &reports)?;
        mechanism.map(1)?;
    }
    Ok(6 * MANY as u64)
}

fn choice() -> deniable::Result<u64> {
    let words = ["car", "bus", "bike", "train", "none"].map(str::to_owned);
    let mechanism = make_randomized_response(words.clone(), 0.6)?;
    let mut answers = vec![words[1].clone(); MANY];
    mechanism.invoke(&words[0])?;
    let reports = mechanism.invoke_batch(&answers)?;
    mechanism.invoke_batch_borrowed(&answers)?;
    mechanism.invoke_in_place(&mut answers)?;
    mechanism.invoke_indices(&mut [3u8; MANY])?;
    mechanism.invoke_indices_constant_time(&mut [3u8; MANY])?;
    debias_randomized_response(&mechanism, &reports)?;
    estimate(&mechanism, &reports)?;
    Ok(5 * MANY as u64)
}

fn bits() -> deniable::Result<u64> {
    let domain = BitVectorDomain::new(100).with_max_weight(10);
    let mechanism = make_randomized_response_bitvec(domain, DiscreteDistance, 0.5, false)?;
    let mut answer = BitVector::zeros(100);
    mechanism.invoke_in_place(&mut answer)?;
    let reports = mechanism.invoke_batch(&vec![BitVector::zeros(100); MANY / 10])?;
    debias_randomized_response_bitvec(&reports, 0.5)?;
    let domain = BitVectorDomain::new(128).with_max_weight(10);
    let mechanism = make_randomized_response_bitvec(domain, DiscreteDistance, 0.1, true)?;
    mechanism.invoke_rows(&mut vec![0; 2 * MANY])?;
    Ok((MANY + MANY / 10) as u64)
}

fn oracles() -> deniable::Result<u64> {
    let places = vec![3u8; MANY];
    let unary = make_unary_encoding(0..40, 0.5, 0.3)?;
    count_rows(40, &unary.invoke_rows(&places)?)?;
    estimate(&unary, &unary.invoke_batch(&[7; 50])?)?;
    let subset = make_subset_selection(0..40, 10, 0.5)?;
    count_rows(40, &subset.invoke_rows(&places)?)?;
    estimate(&subset, &subset.invoke_batch(&[7; 50])?)?;
    let hashing = make_local_hashing(0..40, 4, 0.5)?;
    let mut counts = BitCounts::new(40);
    hashing.count_rows(&hashing.invoke_rows(&places)?, &mut counts)?;
    estimate(&hashing, &hashing.invoke_batch(&[7; 50])?)?;
    Ok(3 * (MANY + 50) as u64)
}

fn floats() -> deniable::Result<u64> {
    let numbers = vec![0.25; MANY];
    for (scale, k) in [(1.0, None), (1e-3, None), (3.0, Some(-2)), (0.0, None)] {
        let domain = VectorDomain::finite::<f64>().with_size(MANY);
        let mechanism = make_vector_float_laplace_cks20(domain, L1Distance::new(), scale, k)?;
        let mut noisy = mechanism.invoke(&numbers)?;
        mechanism.invoke_in_place(&mut noisy)?;
        mechanism.map(1.0)?;
    }
    let (domain, metric) = (AtomDomain::<f32>::finite(), AbsoluteDistance::new());
    let mechanism = make_scalar_float_laplace_cks20(domain, metric, 2.0, None)?;
    mechanism.invoke(&0.5)?;
    mechanism.invoke_in_place(&mut [0.5; MANY])?;
    Ok(9 * MANY as u64)
}

fn integers() -> deniable::Result<u64> {
    let numbers = vec![25i64; MANY];
    for scale in [1.0, 1e-3, 1e12] {
        let domain = VectorDomain::finite::<i64>();
        let mechanism = make_vector_integer_laplace_cks20(domain, L1Distance::new(), scale)?;
        for mechanism in [mechanism.clone(), mechanism.with_constant_time()] {
            let mut noisy = mechanism.invoke(&numbers)?;
            mechanism.invoke_in_place(&mut noisy)?;
        }
    }
    let (domain, metric) = (AtomDomain::<i32>::finite(), AbsoluteDistance::new());
    let mechanism = make_scalar_integer_laplace_cks20(domain, metric, 2.0)?;
    for mechanism in [mechanism.clone(), mechanism.with_constant_time()] {
        mechanism.invoke(&5)?;
        mechanism.invoke_in_place(&mut [5; MANY])?;
    }
    Ok(14 * MANY as u64)
}

fn rappor() -> deniable::Result<u64> {
    const CLIENTS: usize = 200;
    let params = Params::new(32, 2, 4, 0.25, 0.75, 0.5)?;
    let mut counts = CohortCounts::new(&params);
    for client in 0..CLIENTS {
        let value = if client % 3 == 0 { "tea" } else { "coffee" };
        let client = Client::new(params, Secret::random()?);
        counts.add(&client.report("drink", value)?)?;
    }
    let candidates = CandidateMap::new(&params, ["tea", "coffee", "water"])?;
    decode(&params, &counts, &candidates)?;
    Ok(CLIENTS as u64)
}

/// And what is refused.
fn plans() -> deniable::Result<u64> {
    plan::best(40, Epsilon::new(1.0)?, None)?;
    let refused = [
        make_randomized_response_bool(2.0, false).is_err(),
        make_randomized_response(["a", "a"], 0.6).is_err(),
        make_scalar_float_laplace_cks20(
            AtomDomain::<f64>::finite(),
            AbsoluteDistance::new(),
            -1.0,
            None,
        )
        .is_err(),
    ];
    Ok(refused.iter().filter(|&&refused| refused).count() as u64)
}

fn count_rows(length: usize, rows: &[u64]) -> deniable::Result<()> {
    let mut counts = BitCounts::new(length);
    counts.add_rows(rows)
}

fn estimate<M: FrequencyOracle>(mechanism: &M, reports: &[M::Output]) -> deniable::Result<()>
where
    Carrier<M::Domain>: Sized,
{
    let mut counts = BitCounts::new(mechanism.values());
    mechanism.count(reports, &mut counts)?;
    for estimate in mechanism.estimate(&counts)?.iter() {
        estimate.interval(Target::Population, 0.95)?;
    }
    Ok(())
}
