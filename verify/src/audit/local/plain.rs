//! Reports of bits by plain programs: the same draws as the shipping mechanisms, one bit in a place and no words.
//!
//! They follow the proofs line by line. What they share with the code that ships is the samplers, whose laws are known.

use deniable::BitVector;
use deniable_sample::{Dyadic, FLIPS, Result, Scratch, Source, Word, sample_uniform_int_below};

use super::{subset, unary};

/// The reports of `make_unary_encoding` for these places.
///
/// # Errors
///
/// A source that fails.
pub fn unary_rows<S: Source + ?Sized>(
    unary::Parameters { k, one, zero }: unary::Parameters,
    places: &[u32],
    source: &mut S,
) -> Result<Vec<BitVector>> {
    let mut reports = Vec::new();
    for places in places.chunks(group(k)) {
        let mut rows = flip_rows(zero, k, places.len(), source)?;
        let own = flips(one, places.len(), source)?;
        for ((row, &place), own) in rows.iter_mut().zip(places).zip(own) {
            if let Some(bit) = row.get_mut(place as usize) {
                *bit = own;
            }
        }
        reports.extend(rows.into_iter().map(BitVector::from));
    }
    Ok(reports)
}

/// The reports of `make_subset_selection` for these places.
///
/// # Errors
///
/// A source that fails.
pub fn subset_rows<S: Source + ?Sized>(
    parameters: subset::Parameters,
    places: &[u32],
    source: &mut S,
) -> Result<Vec<BitVector>> {
    let mut reports = Vec::new();
    for places in places.chunks(group(parameters.k)) {
        let mut rows = subsets(parameters, places.len(), source)?;
        let truthful = flips(parameters.prob, places.len(), source)?;
        for ((row, &place), truthful) in rows.iter_mut().zip(places).zip(truthful) {
            let one_in = sample_uniform_int_below(parameters.size, source)?;
            let one_out = sample_uniform_int_below(parameters.k - parameters.size, source)?;
            exchange(row, place as usize, truthful, one_in as usize, one_out as usize);
        }
        reports.extend(rows.into_iter().map(BitVector::from));
    }
    Ok(reports)
}

/// Puts an answer that is a category into a set, or takes it out, for another one.
pub fn exchange(row: &mut [bool], place: usize, truthful: bool, one_in: usize, one_out: usize) {
    if row.get(place).is_none_or(|&is_in| is_in == truthful) {
        return;
    }
    let number = if truthful { one_in } else { one_out };
    let mut others = (0..row.len()).filter(|&other| row[other] == truthful);
    let other = others.nth(number).expect("there are so many");
    row.swap(place, other);
}

/// Uniformly random sets.
///
/// # Errors
///
/// A source that fails.
pub fn subsets<S: Source + ?Sized>(
    subset::Parameters { k, size, .. }: subset::Parameters,
    count: usize,
    source: &mut S,
) -> Result<Vec<Vec<bool>>> {
    let fewer = size.min(k - size);
    let mut rows = match share(k, fewer) {
        Some(share) => flip_rows(share, k, count, source)?,
        None => vec![vec![false; k as usize]; count],
    };
    for row in &mut rows {
        loop {
            let ones = row.iter().filter(|&&is_in| is_in).count();
            if ones == fewer as usize {
                break;
            }
            let place = sample_uniform_int_below(k, source)? as usize;
            row[place] = ones < fewer as usize;
        }
        if fewer < size {
            row.iter_mut().for_each(|is_in| *is_in = !*is_in);
        }
    }
    Ok(rows)
}

/// The probability of the flips that sets begin with, which is a matter of speed alone.
fn share(k: u32, fewer: u32) -> Option<f64> {
    // The least power of two whose square is not below k.
    let parts = (0..).map(|digits| 1u64 << digits).find(|parts| parts * parts >= u64::from(k));
    let parts = parts.expect("k is bounded");
    let share = u64::from(fewer) * parts / u64::from(k);
    (share > 0 && fewer >= k / 16).then(|| share as f64 / parts as f64)
}

/// So many rows of k flips: as many as are flipped at once, in runs.
fn flip_rows<S: Source + ?Sized>(
    prob: f64,
    k: u32,
    rows: usize,
    source: &mut S,
) -> Result<Vec<Vec<bool>>> {
    let (k, most) = (k as usize, FLIPS * 64);
    // Without gaps in words one row goes on where the other ends. Else each run begins with a row.
    let run = if k % 64 == 0 { most } else { (most / k).max(1) * k };
    let mut bits = Vec::new();
    while bits.len() < rows * k {
        let count = run.min(rows * k - bits.len());
        bits.extend(flips(prob, count, source)?);
    }
    Ok(bits.chunks(k).map(<[bool]>::to_vec).collect())
}

/// So many flips, at most `FLIPS` words of them at once.
///
/// # Errors
///
/// A source that fails.
pub fn flips<S: Source + ?Sized>(prob: f64, count: usize, source: &mut S) -> Result<Vec<bool>> {
    let (law, width) = (Dyadic::from_float(prob)?, S::Word::BITS as usize);
    let mut flips = Vec::with_capacity(count);
    while flips.len() < count {
        let next = (count - flips.len()).min(FLIPS * width);
        let mut drawn = vec![0; next.div_ceil(width)];
        law.sample_flips(&mut drawn, next, false, &mut Scratch::new(), source)?;
        flips.extend((0..next).map(|i| drawn[i / width] >> (i % width) & 1 == 1));
    }
    Ok(flips)
}

/// So many reports are made at once.
fn group(k: u32) -> usize {
    ((1 << 14) / (k as usize).div_ceil(64)).clamp(64, 1024)
}
