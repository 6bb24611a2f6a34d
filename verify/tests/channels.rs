//! The probabilities that estimates rest on, against the exact law of the reports: how often a report supports the answer, another value,
//! and any value if the answer is none of them.

use core::fmt::Debug;

use dashu_int::UBig;
use dashu_ratio::RBig;
use deniable::estimate::{BitCounts, FrequencyOracle};
use deniable::prelude::*;
use deniable::sample::Ratio;
use deniable_verify::enumerate::enumerate;
use deniable_verify::words::Script;

fn exactly(ratio: &Ratio) -> RBig {
    let big = |n: &num_bigint::BigUint| UBig::from_le_bytes(&n.to_bytes_le());
    RBig::from_parts(big(ratio.numerator()).into(), big(ratio.denominator()))
}

/// Words of 4 bits, or of 2 where many are drawn.
type Source<'a, 'b, const BITS: u32> = &'a mut Script<'b, BITS>;

/// An answer, and which values it is.
type Answer<T> = (T, Vec<usize>);

/// What disagrees with the claimed probabilities of support.
fn judge<const BITS: u32, M, T, R>(
    mechanism: &M,
    (truth, lie, outside): (Ratio, Ratio, Option<Ratio>),
    answers: &[Answer<T>],
    depth: usize,
    randomize: impl Fn(&T, Source<'_, '_, BITS>) -> deniable::Result<R>,
) -> Result<(), String>
where
    M: FrequencyOracle<Output = R>,
    deniable::domain::Carrier<M::Domain>: Sized,
    T: Debug,
{
    let values = mechanism.values();
    for (answer, is) in answers {
        let law = enumerate::<BITS, _, _>(depth, |source| {
            let mut counts = BitCounts::new(values);
            mechanism.count(&[randomize(answer, source)?], &mut counts)?;
            Ok::<_, deniable::Error>(counts.ones())
        });
        for value in 0..values {
            let supports = law.mass.iter().filter(|(ones, _)| ones[value] == 1);
            let chance = supports.fold(RBig::ZERO, |sum, (_, mass)| sum + mass);
            let claimed = match &outside {
                Some(outside) if is.is_empty() => exactly(outside),
                _ if is.contains(&value) => exactly(&truth),
                _ => exactly(&lie),
            };
            if chance > claimed || claimed > &chance + &law.remainder {
                return Err(format!("{answer:?} supports {value} with {chance}, not {claimed}"));
            }
            if law.remainder > RBig::from_parts(1.into(), 50u32.into()) {
                return Err(format!("{} is left", law.remainder));
            }
        }
    }
    Ok(())
}

/// What the mechanism itself claims, which is also what its estimates are computed from.
fn claims<M: FrequencyOracle>(mechanism: &M, truth: (f64, f64)) -> bool
where
    deniable::domain::Carrier<M::Domain>: Sized,
{
    let channel = mechanism.channel().unwrap();
    (channel.truth(), channel.lie()) == truth
}

fn ratio(numerator: u32, denominator: u32) -> Ratio {
    Ratio::new(numerator, denominator).unwrap()
}

/// Each category, and an answer that is none.
fn categories(k: u32) -> Vec<Answer<u32>> {
    (0..k).map(|i| (i, vec![i as usize])).chain([(99, vec![])]).collect()
}

#[test]
fn yes_or_no() {
    let mechanism = make_randomized_response_bool(0.75, false).unwrap();
    assert!(claims(&mechanism, (0.75, 0.25)) && mechanism.outside().is_none());
    let answers = [(true, vec![0]), (false, vec![])];
    let run = |answer: &bool, source: Source<'_, '_, 4>| mechanism.randomize(answer, source);
    let claimed = (ratio(3, 4), ratio(1, 4), None);
    assert_eq!(judge(&mechanism, claimed, &answers, 3, run), Ok(()));
    let wrong = (ratio(3, 4), ratio(5, 16), None);
    assert!(judge(&mechanism, wrong, &answers, 3, run).is_err());
}

#[test]
fn one_of_some() {
    for k in [2, 3, 4] {
        let mechanism = make_randomized_response(0..k, 0.625).unwrap();
        let lie = ratio(3, 8 * (k - 1));
        assert!(claims(&mechanism, (0.625, 0.375 / f64::from(k - 1))));
        let run = |answer: &u32, source: Source<'_, '_, 4>| mechanism.randomize(answer, source);
        let outside = mechanism.outside();
        assert_eq!(outside.as_ref().map(exactly), Some(exactly(&ratio(1, k))));
        let claimed = (ratio(5, 8), lie.clone(), outside);
        assert_eq!(judge(&mechanism, claimed, &categories(k), 5, run), Ok(()));
        let wrong = (ratio(5, 8), lie, Some(ratio(0, 1)));
        assert!(judge(&mechanism, wrong, &categories(k), 5, run).is_err());
    }
}

#[test]
fn bits() {
    let domain = BitVectorDomain::new(3).with_max_weight(2);
    let mechanism = make_randomized_response_bitvec(domain, DiscreteDistance, 0.5, false).unwrap();
    assert!(claims(&mechanism, (0.75, 0.25)) && mechanism.outside().is_none());
    let answers = [
        (BitVector::from([false, true, true]), vec![1, 2]),
        (BitVector::from([true, false, false]), vec![0]),
        (BitVector::zeros(3), vec![]),
    ];
    let run = |answer: &BitVector, source: Source<'_, '_, 4>| mechanism.randomize(answer, source);
    let claimed = (ratio(3, 4), ratio(1, 4), None);
    assert_eq!(judge(&mechanism, claimed, &answers, 4, run), Ok(()));
    let twice = (ratio(1, 2), ratio(1, 2), None);
    assert!(judge(&mechanism, twice, &answers, 4, run).is_err());
}

#[test]
fn unary_encoding() {
    let mechanism = make_unary_encoding(0..3, 0.5, 0.125).unwrap();
    assert!(claims(&mechanism, (0.5, 0.125)));
    let run = |answer: &u32, source: Source<'_, '_, 4>| mechanism.randomize(answer, source);
    let claimed = (ratio(1, 2), ratio(1, 8), mechanism.outside());
    assert_eq!(judge(&mechanism, claimed, &categories(3), 5, run), Ok(()));
    let swapped = (ratio(1, 8), ratio(1, 2), mechanism.outside());
    assert!(judge(&mechanism, swapped, &categories(3), 5, run).is_err());
}

#[test]
fn subset_selection() {
    let mechanism = make_subset_selection(0..4, 2, 0.75).unwrap();
    // (2 − 3/4)/3 for another one.
    assert!(claims(&mechanism, (0.75, 1.25 / 3.0)));
    let run = |answer: &u32, source: Source<'_, '_, 2>| mechanism.randomize(answer, source);
    assert_eq!(mechanism.outside().as_ref().map(exactly), Some(exactly(&ratio(1, 2))));
    let claimed = (ratio(3, 4), ratio(5, 12), mechanism.outside());
    assert_eq!(judge(&mechanism, claimed, &categories(4), 9, run), Ok(()));
    let one_fewer = (ratio(3, 4), ratio(1, 3), mechanism.outside());
    assert!(judge(&mechanism, one_fewer, &categories(4), 9, run).is_err());
}

#[test]
fn local_hashing() {
    let mechanism = make_local_hashing(0..4, 4, 0.75).unwrap();
    assert!(claims(&mechanism, (0.75, 0.25)));
    let run = |answer: &u32, source: Source<'_, '_, 2>| mechanism.randomize(answer, source);
    let claimed = (ratio(3, 4), ratio(1, 4), mechanism.outside());
    assert_eq!(judge(&mechanism, claimed, &categories(4), 9, run), Ok(()));
    let of_response = (ratio(3, 4), ratio(1, 12), mechanism.outside());
    assert!(judge(&mechanism, of_response, &categories(4), 9, run).is_err());
}
