//! The cases: parameters, events, and how each program draws.

use std::collections::HashSet;

use deniable::Measurement as _;
use deniable::sample::{Ratio, textbook};
use deniable::{
    AbsoluteDistance, AtomDomain, BitVector, BitVectorDomain, DiscreteDistance, L1Distance,
    OsEntropy, VectorDomain,
};
use opendp::measurements::make_laplace;
use opendp::measures::MaxDivergence;

use super::{Case, Draw, draw, one_by_one};

/// Entropy does not fail, and parameters are right.
const FINE: &str = "parameters that are accepted, and entropy";

/// What is planted: so many times the scale, or the probability of noise.
const CHANGE: f64 = 1.05;

pub(super) fn all() -> Vec<Case> {
    vec![
        yes_no("yes or no, prob 0.75", 0.75, false),
        yes_no("yes or no, prob 0.9, constant time", 0.9, true),
        category("5 categories, prob 0.5", 2),
        outside("5 categories, an answer outside"),
        bits("8 bits, f 0.5", false),
        bits("8 bits, f 0.5, constant time", true),
        doubles("f64, scale 1", 1.0, None),
        doubles("f64, scale 0.7, k -2", 0.7, Some(-2)),
        doubles("f64, scale 1000, k -20", 1000.0, Some(-20)),
        singles("f32, scale 1"),
        integers("i64, scale 1", 1.0),
        integers("i64, scale 0.3", 0.3),
        integers("i64, scale 40", 40.0),
        saturated("i64 beside its end, scale 40"),
    ]
}

fn quarter() -> Ratio {
    Ratio::new(1u32, 4u32).expect(FINE)
}

fn yes_no(name: &'static str, prob: f64, constant_time: bool) -> Case {
    let events = |&report: &bool| u64::from(report);
    let made =
        |prob: f64| deniable::make_randomized_response_bool(prob, constant_time).expect(FINE);
    let (one, all, packed) = (made(prob), made(prob), made(prob));
    let planted = made(1.0 - CHANGE * (1.0 - prob));
    let probabilities = (prob, planted.prob());
    let theirs =
        opendp::measurements::make_randomized_response_bool(prob, constant_time).expect(FINE);
    let hundredths = (100.0 * prob).round() as u32;
    // The float, which is not the fraction, is off by less than any test could tell.
    let fraction = Ratio::new(hundredths, 100u32).expect(FINE);
    let all_true = |size: usize| vec![true; size];
    Case {
        name,
        events: 1,
        ours: vec![
            ("one", draw(1, events, one_by_one(move || one.invoke(&true).expect(FINE)))),
            (
                "in place",
                draw(1, events, move |size| {
                    let mut answers = all_true(size);
                    all.invoke_in_place(&mut answers).expect(FINE);
                    answers
                }),
            ),
            (
                "packed",
                draw(1, events, move |size| {
                    let mut words = vec![u64::MAX; size.div_ceil(64)];
                    if size % 64 > 0 {
                        words[size / 64] >>= 64 - size % 64;
                    }
                    packed.invoke_packed(&mut words, size).expect(FINE);
                    (0..size).map(|i| words[i / 64] >> (i % 64) & 1 == 1).collect()
                }),
            ),
        ],
        others: vec![
            ("opendp", draw(1, events, one_by_one(move || theirs.invoke(&true).expect(FINE)))),
            (
                "textbook",
                draw(
                    1,
                    events,
                    one_by_one(move || {
                        textbook::bernoulli_rational(&fraction, &mut OsEntropy::new()).expect(FINE)
                    }),
                ),
            ),
        ],
        planted: draw(1, events, one_by_one(move || planted.invoke(&true).expect(FINE))),
        probabilities,
    }
}

fn category(name: &'static str, truth: u32) -> Case {
    let events = |&report: &u32| 1u64 << report;
    let made = |prob: f64| deniable::make_randomized_response(0..5u32, prob).expect(FINE);
    let (one, batch, indices) = (made(0.5), made(0.5), made(0.5));
    let planted = made(1.0 - CHANGE * 0.5);
    let set: HashSet<u32> = (0..5).collect();
    let theirs = opendp::measurements::make_randomized_response(set, 0.5).expect(FINE);
    let half = Ratio::new(1u32, 2u32).expect(FINE);
    let by_parts = move || {
        let mut entropy = OsEntropy::new();
        let lie = textbook::uniform_int_below(4, &mut entropy).expect(FINE) as u32;
        let is_true = textbook::bernoulli_rational(&half, &mut entropy).expect(FINE);
        if is_true { truth } else { lie + u32::from(lie >= truth) }
    };
    Case {
        name,
        events: 5,
        ours: vec![
            ("one", draw(5, events, one_by_one(move || one.invoke(&truth).expect(FINE)))),
            (
                "in place",
                draw(5, events, move |size| {
                    let mut answers = vec![truth; size];
                    batch.invoke_in_place(&mut answers).expect(FINE);
                    answers
                }),
            ),
            (
                "indices",
                draw(5, events, move |size| {
                    let mut answers = vec![truth; size];
                    indices.invoke_indices(&mut answers).expect(FINE);
                    answers
                }),
            ),
        ],
        others: vec![
            ("opendp", draw(5, events, one_by_one(move || theirs.invoke(&truth).expect(FINE)))),
            ("textbook", draw(5, events, one_by_one(by_parts))),
        ],
        planted: draw(5, events, one_by_one(move || planted.invoke(&truth).expect(FINE))),
        probabilities: (0.5, 1.0 - CHANGE * 0.5),
    }
}

/// An answer that is no category gives any of them; planted is one that comes more often.
fn outside(name: &'static str) -> Case {
    let events = |&report: &u32| 1u64 << report;
    let made = |prob: f64| deniable::make_randomized_response(0..5u32, prob).expect(FINE);
    let (one, batch, planted) = (made(0.5), made(0.5), made(CHANGE * 0.2));
    let set: HashSet<u32> = (0..5).collect();
    let theirs = opendp::measurements::make_randomized_response(set, 0.5).expect(FINE);
    let any = || textbook::uniform_int_below(5, &mut OsEntropy::new()).expect(FINE) as u32;
    Case {
        name,
        events: 5,
        ours: vec![
            ("one", draw(5, events, one_by_one(move || one.invoke(&99).expect(FINE)))),
            (
                "in place",
                draw(5, events, move |size| {
                    let mut answers = vec![99; size];
                    batch.invoke_in_place(&mut answers).expect(FINE);
                    answers
                }),
            ),
        ],
        others: vec![
            ("opendp", draw(5, events, one_by_one(move || theirs.invoke(&99).expect(FINE)))),
            ("textbook", draw(5, events, one_by_one(any))),
        ],
        planted: draw(5, events, one_by_one(move || planted.invoke(&2).expect(FINE))),
        probabilities: (0.2, CHANGE * 0.2),
    }
}

/// Which bits are flipped, and which two of them are.
fn flips(flipped: u8) -> u64 {
    let pairs = (0..8).flat_map(|i| (0..i).map(move |j| (i, j))).enumerate();
    let both =
        pairs.map(|(place, (i, j))| u64::from(flipped >> i & flipped >> j & 1) << (8 + place));
    both.fold(u64::from(flipped), |all, one| all | one)
}

fn bits(name: &'static str, constant_time: bool) -> Case {
    const ANSWER: u8 = 0b1011_0001;
    const EVENTS: usize = 8 + 28;
    let events = |&report: &u8| flips(report ^ ANSWER);
    let made = |f: f64| {
        let domain = BitVectorDomain::new(8).with_max_weight(8);
        deniable::make_randomized_response_bitvec(domain, DiscreteDistance, f, constant_time)
            .expect(FINE)
    };
    let (one, rows, planted) = (made(0.5), made(0.5), made(CHANGE * 0.5));
    let invoke = |mechanism: deniable::RandomizedResponseBitvec| {
        let answer = BitVector::from_bytes(&[ANSWER], 8).expect(FINE);
        one_by_one(move || mechanism.invoke(&answer).expect(FINE).to_bytes()[0])
    };
    let domain = opendp::domains::BitVectorDomain::new().with_max_weight(8);
    let metric = opendp::metrics::DiscreteDistance;
    let mechanism = opendp::measurements::make_randomized_response_bitvec;
    let theirs = mechanism(domain, metric, 0.5, constant_time).expect(FINE);
    let answer: opendp::domains::BitVector = (0..8).map(|i| ANSWER >> i & 1 == 1).collect();
    let by_bits = || {
        let flip = |_| textbook::bernoulli_rational(&quarter(), &mut OsEntropy::new());
        let flips = (0..8).map(|i| u8::from(flip(i).expect(FINE)) << i);
        flips.fold(ANSWER, |report, flip| report ^ flip)
    };
    Case {
        name,
        events: EVENTS,
        ours: vec![
            ("one", draw(EVENTS, events, invoke(one))),
            (
                "rows",
                draw(EVENTS, events, move |size| {
                    let mut words = vec![u64::from(ANSWER); size];
                    rows.invoke_rows(&mut words).expect(FINE);
                    words.iter().map(|&word| word as u8).collect()
                }),
            ),
        ],
        others: vec![
            (
                "opendp",
                draw(
                    EVENTS,
                    events,
                    one_by_one(move || {
                        let report = theirs.invoke(&answer).expect(FINE);
                        report.iter().enumerate().map(|(i, bit)| u8::from(*bit) << i).sum()
                    }),
                ),
            ),
            ("textbook", draw(EVENTS, events, one_by_one(by_bits))),
        ],
        planted: draw(EVENTS, events, invoke(planted)),
        probabilities: (0.25, CHANGE * 0.25),
    }
}

/// In scales; noise above each is an event.
const LIMITS: [f64; 15] =
    [-4.0, -3.0, -2.0, -1.5, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0];

/// The limits, noise of more than two scales, and eight low digits.
const FLOAT_EVENTS: usize = LIMITS.len() + 1 + 8;

fn float_events(noise: f64, scale: f64, digits: u64) -> u64 {
    let limits = LIMITS.iter().enumerate();
    let above = limits.map(|(i, limit)| u64::from(noise > limit * scale) << i);
    let above: u64 = above.sum();
    above
        | u64::from(noise.abs() > 2.0 * scale) << LIMITS.len()
        | (digits & 0xff) << (LIMITS.len() + 1)
}

/// P(|Z| > limit) of noise on a grid with so many steps a scale.
fn outer(limit_in_steps: f64, scale_in_steps: f64) -> f64 {
    let q = (-1.0 / scale_in_steps).exp();
    2.0 * q.powf(limit_in_steps.floor() + 1.0) / (1.0 + q)
}

fn doubles(name: &'static str, scale: f64, k: Option<i32>) -> Case {
    const SHIFT: f64 = 0.25;
    let events = move |&number: &f64| float_events(number - SHIFT, scale, number.to_bits());
    let made = move |scale: f64, size: usize| {
        let domain = VectorDomain::finite::<f64>().with_size(size);
        deniable::make_vector_float_laplace_cks20(domain, L1Distance::new(), scale, k).expect(FINE)
    };
    let (domain, metric) = (AtomDomain::<f64>::finite(), AbsoluteDistance::new());
    let one = deniable::make_scalar_float_laplace_cks20(domain, metric, scale, k).expect(FINE);
    let vectors = move |scale: f64| {
        move |size: usize| made(scale, size).invoke(&vec![SHIFT; size]).expect(FINE)
    };
    let in_place = move |size: usize| {
        let mut numbers = vec![SHIFT; size];
        made(scale, size).invoke_in_place(&mut numbers).expect(FINE);
        numbers
    };
    let theirs = move |size: usize| {
        use opendp::domains::{AtomDomain, VectorDomain};
        let domain = VectorDomain::new(AtomDomain::<f64>::new_non_nan()).with_size(size);
        let metric = opendp::metrics::L1Distance::<f64>::default();
        let made = make_laplace::<_, _, MaxDivergence>(domain, metric, scale, k).expect(FINE);
        made.invoke(&vec![SHIFT; size]).expect(FINE)
    };
    let grid = k.unwrap_or(-1074);
    let textbook = move || {
        textbook::discrete_laplace_z2k(SHIFT, scale, grid, &mut OsEntropy::new()).expect(FINE)
    };
    let steps = 2f64.powi(-grid.max(-40));
    let limit = 2.0 * scale * steps;
    let (p, changed) = (outer(limit, scale * steps), outer(limit, CHANGE * scale * steps));
    let counted = |block: Box<dyn FnMut(usize) -> Vec<f64>>| draw(FLOAT_EVENTS, events, block);
    Case {
        name,
        events: FLOAT_EVENTS,
        ours: vec![
            ("one", counted(Box::new(one_by_one(move || one.invoke(&SHIFT).expect(FINE))))),
            ("vectors", counted(Box::new(vectors(scale)))),
            ("in place", counted(Box::new(in_place))),
        ],
        others: vec![
            ("opendp", counted(Box::new(theirs))),
            ("textbook", counted(Box::new(one_by_one(textbook)))),
        ],
        planted: counted(Box::new(vectors(CHANGE * scale))),
        probabilities: (p, changed),
    }
}

fn singles(name: &'static str) -> Case {
    const SHIFT: f32 = 0.25;
    let events =
        |&number: &f32| float_events(f64::from(number - SHIFT), 1.0, number.to_bits().into());
    let made = |scale: f32| {
        let domain = VectorDomain::finite::<f32>();
        deniable::make_vector_float_laplace_cks20(domain, L1Distance::new(), scale, None)
            .expect(FINE)
    };
    let vectors = |mechanism: deniable::VectorFloatLaplaceCks20<f32>| {
        move |size: usize| mechanism.invoke(&vec![SHIFT; size]).expect(FINE)
    };
    let theirs = {
        use opendp::domains::{AtomDomain, VectorDomain};
        let domain = VectorDomain::new(AtomDomain::<f32>::new_non_nan());
        let metric = opendp::metrics::L1Distance::<f32>::default();
        make_laplace::<_, _, MaxDivergence>(domain, metric, 1.0, None).expect(FINE)
    };
    let textbook =
        || textbook::discrete_laplace_z2k(SHIFT, 1.0, -149, &mut OsEntropy::new()).expect(FINE);
    Case {
        name,
        events: FLOAT_EVENTS,
        ours: vec![("vectors", draw(FLOAT_EVENTS, events, vectors(made(1.0))))],
        others: vec![
            (
                "opendp",
                draw(FLOAT_EVENTS, events, move |size| {
                    theirs.invoke(&vec![SHIFT; size]).expect(FINE)
                }),
            ),
            ("textbook", draw(FLOAT_EVENTS, events, one_by_one(textbook))),
        ],
        planted: draw(FLOAT_EVENTS, events, vectors(made(CHANGE as f32))),
        probabilities: ((-2.0f64).exp(), (-2.0 / CHANGE).exp()),
    }
}

/// Noise of −8 to 8, more than two scales, at most none, odd.
const INTEGER_EVENTS: usize = 17 + 3;

fn integer_events(noise: i64, scale: f64) -> u64 {
    let near = if (-8..=8).contains(&noise) { 1 << (noise + 8) } else { 0 };
    near | u64::from(noise.unsigned_abs() as f64 > 2.0 * scale) << 17
        | u64::from(noise <= 0) << 18
        | u64::from(noise & 1 == 1) << 19
}

fn integers(name: &'static str, scale: f64) -> Case {
    let (p, planted) = (outer(2.0 * scale, scale), outer(2.0 * scale, CHANGE * scale));
    let events = move |&number: &i64| integer_events(number - 25, scale);
    integers_at(name, 25, scale, INTEGER_EVENTS, events, (p, planted))
}

/// Sums beyond the type's end become it.
fn saturated(name: &'static str) -> Case {
    const SHIFT: i64 = i64::MAX - 27;
    let above = |scale: f64| {
        let q = (-1.0 / scale).exp();
        q.powi(27) / (1.0 + q)
    };
    let events = |&number: &i64| {
        u64::from(number == i64::MAX)
            | u64::from(number == i64::MAX - 1) << 1
            | u64::from(number < SHIFT - 80) << 2
            | u64::from(number < SHIFT) << 3
            | u64::from(number == SHIFT) << 4
    };
    integers_at(name, SHIFT, 40.0, 5, events, (above(40.0), above(CHANGE * 40.0)))
}

fn integers_at(
    name: &'static str,
    shift: i64,
    scale: f64,
    count: usize,
    events: impl Fn(&i64) -> u64 + Copy + 'static,
    probabilities: (f64, f64),
) -> Case {
    let made = |scale: f64| {
        let domain = VectorDomain::finite::<i64>();
        deniable::make_vector_integer_laplace_cks20(domain, L1Distance::new(), scale).expect(FINE)
    };
    let (domain, metric) = (AtomDomain::<i64>::finite(), AbsoluteDistance::new());
    let one = deniable::make_scalar_integer_laplace_cks20(domain, metric, scale).expect(FINE);
    let vectors = |mechanism: deniable::VectorIntegerLaplaceCks20<i64>| -> Draw {
        draw(count, events, move |size| mechanism.invoke(&vec![shift; size]).expect(FINE))
    };
    let in_place = made(scale);
    let theirs = {
        use opendp::domains::{AtomDomain, VectorDomain};
        let domain = VectorDomain::new(AtomDomain::<i64>::default());
        let metric = opendp::metrics::L1Distance::<i64>::default();
        make_laplace::<_, _, MaxDivergence>(domain, metric, scale, None).expect(FINE)
    };
    // As the floats are: scale is m/2^52 or a whole number.
    let exact = exact_ratio(scale);
    let textbook = move || {
        let noise = textbook::discrete_laplace(&exact, &mut OsEntropy::new()).expect(FINE);
        let noise = i64::try_from(noise).unwrap_or(i64::MAX);
        shift.saturating_add(noise)
    };
    Case {
        name,
        events: count,
        ours: vec![
            ("one", draw(count, events, one_by_one(move || one.invoke(&shift).expect(FINE)))),
            ("vectors", vectors(made(scale))),
            (
                "in place",
                draw(count, events, move |size| {
                    let mut numbers = vec![shift; size];
                    in_place.invoke_in_place(&mut numbers).expect(FINE);
                    numbers
                }),
            ),
        ],
        others: vec![
            (
                "opendp",
                draw(count, events, move |size| theirs.invoke(&vec![shift; size]).expect(FINE)),
            ),
            ("textbook", draw(count, events, one_by_one(textbook))),
        ],
        planted: vectors(made(CHANGE * scale)),
        probabilities,
    }
}

/// A float below 2^10 as a ratio.
fn exact_ratio(x: f64) -> Ratio {
    let shift = 1u64 << 54;
    Ratio::new((x * shift as f64) as u64, shift).expect(FINE)
}
