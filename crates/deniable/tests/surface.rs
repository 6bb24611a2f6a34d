//! What mechanisms, domains, losses and plans say of themselves.

use std::collections::HashSet;

use deniable::domain::{Atom, Domain};
use deniable::estimate::{BitCounts, FrequencyOracle, Interval, Mean, Target, binomial};
use deniable::prelude::*;
use deniable::{CategoryDomain, laplace_map, plan};

#[test]
fn mechanisms_say_what_they_measure_by() {
    let numbers = VectorDomain::finite::<f64>();
    let floats = make_vector_float_laplace_cks20(numbers, L1Distance::new(), 1.0, None).unwrap();
    assert_eq!(
        (floats.input_metric(), floats.output_measure()),
        (L1Distance::default(), MaxDivergence)
    );
    let numbers = VectorDomain::finite::<i64>();
    let integers = make_vector_integer_laplace_cks20(numbers, L1Distance::new(), 1.0).unwrap();
    assert_eq!(
        (integers.input_metric(), integers.output_measure()),
        (L1Distance::new(), MaxDivergence)
    );
    let float = make_scalar_float_laplace_cks20(
        AtomDomain::<f64>::finite(),
        AbsoluteDistance::new(),
        1.0,
        None,
    )
    .unwrap();
    assert_eq!(
        (float.input_metric(), float.output_measure()),
        (AbsoluteDistance::default(), MaxDivergence)
    );
    let integer = make_scalar_integer_laplace_cks20(
        AtomDomain::<i64>::finite(),
        AbsoluteDistance::new(),
        1.0,
    )
    .unwrap();
    assert_eq!(
        (integer.input_metric(), integer.output_measure()),
        (AbsoluteDistance::new(), MaxDivergence)
    );
    let domain = BitVectorDomain::new(3).with_max_weight(3);
    let bits = make_randomized_response_bitvec(domain, DiscreteDistance, 0.5, false).unwrap();
    assert_eq!((bits.input_metric(), bits.output_measure()), (DiscreteDistance, MaxDivergence));
}

#[test]
fn domains_say_who_their_members_are() {
    assert_eq!(CategoryDomain::<u8>::default(), CategoryDomain::new());
    assert_eq!(format!("{:?}", CategoryDomain::<u8>::new()), "CategoryDomain");
    assert_eq!(BitVectorDomain::new(3).members(), "a vector of 3 bits");
    let shares = VectorDomain::new(AtomDomain::bounded(0.0, 1.0).unwrap());
    assert!(shares.members().starts_with("a vector, each element "), "{}", shares.members());
    assert!(shares.with_size(2).members().starts_with("a vector of length 2, each element "));
    assert!(false.is_at_most(true) && true.is_at_most(true) && !true.is_at_most(false));
    assert!(!f64::NAN.is_at_most(1.0) && !1.0.is_at_most(f64::NAN) && (-0.0).is_at_most(0.0));
}

#[test]
fn losses_are_numbers_that_are_not_negative() {
    let one = Epsilon::try_from(1.0).unwrap();
    assert_eq!(f64::from(one), 1.0);
    assert!(Epsilon::try_from(-1.0).is_err() && Epsilon::try_from(f64::NAN).is_err());
    let set: HashSet<Epsilon> = [one, Epsilon::new(1.0).unwrap(), Epsilon::ZERO].into();
    assert_eq!(set.len(), 2);
    let refused = deniable::sample::Ratio::new(1u32, 0u32).unwrap_err();
    assert_eq!(deniable::Error::from(refused).kind(), ErrorKind::InvalidParameter);
    let error = laplace_map(1.0, f64::INFINITY, 1, 0.0).unwrap_err();
    assert_eq!(error.parameter(), Some("scale"));
}

#[test]
fn yes_or_no_is_counted_and_estimated() {
    let smokes = make_randomized_response_bool(0.75, false).unwrap();
    assert_eq!((smokes.values(), smokes.is_choice(), smokes.outside()), (1, false, None));
    let mut counts = BitCounts::new(1);
    assert_eq!(smokes.estimate(&counts).unwrap_err().parameter(), Some("counts"));
    smokes.count(&[[true; 40], [false; 40]].concat(), &mut counts).unwrap();
    assert!(smokes.count(&[true], &mut BitCounts::new(2)).is_err());
    let estimates = smokes.estimate(&counts).unwrap();
    let yes = estimates.get(0).unwrap();
    assert_eq!((yes.share(), yes.supporting(), yes.respondents()), (0.5, 40, 80));
    assert_eq!((estimates.respondents(), estimates.channel().truth()), (80, 0.75));
    let share = yes.interval(Target::Sample, 0.9).unwrap();
    let count = yes.count_interval(Target::Sample, 0.9).unwrap();
    assert_eq!((count.low, count.high), (share.low * 80.0, share.high * 80.0));
    assert!(format!("{counts:?}").contains("length: 1, reports: 80"), "{counts:?}");
}

#[test]
fn bits_are_counted_and_estimated() {
    let domain = BitVectorDomain::new(2).with_max_weight(2);
    let bits = make_randomized_response_bitvec(domain, DiscreteDistance, 0.5, false).unwrap();
    assert_eq!((bits.values(), bits.is_choice(), bits.outside()), (2, false, None));
    let mut counts = BitCounts::new(2);
    let report: BitVector = [true, false].into_iter().collect();
    bits.count(&[report.clone(), report.clone()], &mut counts).unwrap();
    assert!(bits.count(&[report], &mut BitCounts::new(3)).is_err());
    // A bit is kept with probability 3/4, so two ones of two are 2·(1 − 1/4)/(1/2) = 3 expected.
    let counted: Vec<f64> = bits.estimate(&counts).unwrap().iter().map(|bit| bit.count()).collect();
    assert_eq!(counted, [3.0, -1.0]);
}

#[test]
fn categories_are_counted_and_estimated() {
    let drink = make_randomized_response(["tea", "coffee", "none"], 0.8).unwrap();
    assert!(drink.is_choice());
    let third = drink.outside().unwrap();
    assert_eq!(format!("{third:?}"), "1/3");
    let mut counts = BitCounts::new(3);
    drink.count(&["tea", "tea", "none"], &mut counts).unwrap();
    assert_eq!(counts.ones(), [2, 0, 1]);
    let estimates = drink.estimate(&counts).unwrap();
    let same = estimates.intervals(Target::Population, 0.9).unwrap();
    assert_eq!(same.len(), 3);
    // The float nearest to 1/3 is below it: what is reported is as good as any category.
    let nothing = make_randomized_response(["tea", "coffee", "none"], 1.0 / 3.0).unwrap();
    assert_eq!(nothing.channel().unwrap_err().parameter(), Some("prob"));
    let error = counts.add_places(&[0u8, 3]).unwrap_err();
    assert_eq!(error.parameter(), Some("places"));
    assert_eq!(counts.reports(), 3, "none is added");
}

/// Equal counts have equal intervals, however they were found.
#[test]
fn values_with_the_same_count_have_the_same_interval() {
    let mut counts = BitCounts::new(3);
    counts.add_places(&[0u8, 1, 2, 2]).unwrap();
    let drink = make_randomized_response(["tea", "coffee", "none"], 0.8).unwrap();
    let estimates = drink.estimate(&counts).unwrap();
    let intervals = estimates.intervals(Target::Sample, 0.9).unwrap();
    assert_eq!(intervals[0], intervals[1]);
    assert_eq!(intervals[2], estimates.get(2).unwrap().interval(Target::Sample, 0.9).unwrap());
}

#[test]
fn an_interval_has_its_bounds() {
    let interval = Interval { low: 0.25, high: 0.5 };
    assert!(interval.contains(0.25) && interval.contains(0.5));
    assert!(!interval.contains(0.2) && !interval.contains(0.6) && !interval.contains(f64::NAN));
    assert_eq!(interval.to_string(), "[0.25, 0.5]");
    assert_eq!(format!("{interval:.1}"), "[0.2, 0.5]");
}

#[test]
fn means_need_bounds_in_order() {
    let mean = Mean::new(10, 3.5, 20.0, 1.0, (0.0, 5.0)).unwrap();
    assert_eq!((mean.respondents(), mean.mean()), (10, 3.5));
    for bounds in [(5.0, 0.0), (f64::NAN, 1.0), (0.0, f64::NAN)] {
        let error = Mean::new(10, 3.5, 20.0, 1.0, bounds).unwrap_err();
        assert_eq!(error.parameter(), Some("bounds"));
    }
}

/// Of five tosses: 1, 6, 16, 26, 31, 32 in 32.
#[test]
fn binomial_tails_are_those_of_tosses() {
    let cumulative = [1.0, 6.0, 16.0, 26.0, 31.0, 32.0, 32.0];
    for (k, ways) in (0..).zip(cumulative) {
        assert!((binomial::at_most(k, 5, 0.5).unwrap() - ways / 32.0).abs() < 1e-12, "{k}");
        let above = binomial::at_least(k + 1, 5, 0.5).unwrap();
        assert!((above - (32.0 - ways) / 32.0).abs() < 1e-12, "{k}");
    }
    assert_eq!(binomial::at_least(0, 5, 0.5), Ok(1.0));
    // Neither zero lets anything happen.
    for zero in [0.0, -0.0] {
        assert_eq!(binomial::at_least(1, 5, zero), Ok(0.0));
        assert_eq!(binomial::at_most(0, 5, zero), Ok(1.0));
    }
    for p in [-0.1, 1.1, f64::NAN] {
        assert_eq!(binomial::at_most(1, 5, p).unwrap_err().parameter(), Some("p"));
    }
    let error = binomial::upper(6, 5, 0.05).unwrap_err();
    assert_eq!(error.parameter(), Some("successes"));
    let trials = binomial::at_least(1, binomial::MOST_TRIALS + 1, 0.5).unwrap_err();
    assert_eq!(trials.parameter(), Some("trials"));
}

#[test]
fn a_plan_says_what_it_is_made_of() {
    let epsilon = Epsilon::new(1.0).unwrap();
    let plan = plan::best(16, epsilon, None).unwrap();
    let best = plan.best();
    assert_eq!(best.oracle(), plan.oracle());
    assert!(best.channel().truth() > best.channel().lie());
    let error = best.channel().standard_error(0.0, 1, Target::Sample).unwrap();
    assert!((best.variance() / (error * error) - 1.0).abs() < 1e-12);
    assert_eq!(best.report_bits(), 16);
    for error in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(plan::epsilon_for(16, error, 1000).unwrap_err().parameter(), Some("error"));
    }
}

#[test]
fn batches_come_from_the_operating_system_too() {
    let drink = make_local_hashing(["tea", "coffee", "none"], 2, 0.75).unwrap();
    assert_eq!(drink.invoke_batch(&["tea", "none"]).unwrap().len(), 2);
    let mut places = [0u8, 1, 2, 200];
    let drink = make_randomized_response(["tea", "coffee", "none"], 0.75).unwrap();
    drink.invoke_indices_constant_time(&mut places).unwrap();
    assert!(places.iter().all(|&place| place < 3));
    // A lie is told once in 2^53.
    let almost = f64::from_bits(1f64.to_bits() - 1);
    let truthful = make_randomized_response(["tea", "coffee", "none"], almost).unwrap();
    let mut places = [0u32, 1, 2, 1];
    truthful.invoke_indices_constant_time(&mut places).unwrap();
    assert_eq!(places, [0, 1, 2, 1]);
}
