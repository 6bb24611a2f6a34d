//! What both libraries do where no map tells it: with inputs that are no members, at the end of the range, with estimates.

use std::panic::{AssertUnwindSafe, catch_unwind};

use deniable::Measurement as _;
use opendp::domains::{AtomDomain, VectorDomain};
use opendp::measurements::make_laplace;
use opendp::measures::MaxDivergence;
use opendp::metrics::L1Distance;

/// A thing to do, and what came of it.
pub(super) struct Behaviour {
    pub(super) name: &'static str,
    pub(super) ours: String,
    pub(super) theirs: String,
    /// Why they differ; none if they must not.
    pub(super) reason: Option<&'static str>,
}

pub(super) fn all() -> Vec<Behaviour> {
    vec![
        Behaviour {
            name: "bit vectors of 8 and of 16 bits through one mechanism",
            ours: both(our_bits(8, 4, 8), our_bits(8, 4, 16)),
            theirs: both(their_bits(4, 8), their_bits(4, 16)),
            reason: Some("the length of a report tells the two apart, whatever the map says"),
        },
        Behaviour {
            name: "a bit vector with more ones than max_weight",
            ours: text(our_bits_of(2, &[true; 8])),
            theirs: text(their_bits_of(2, &[true; 8])),
            reason: Some("the map counts on max_weight"),
        },
        Behaviour {
            name: "a vector of 10 numbers where 1 is declared, k 0",
            ours: text(our_floats(Some(1), 1.0, Some(0), &[0.5; 10]).map(|x| x.len())),
            theirs: text(their_floats(Some(1), 1.0, Some(0), &[0.5; 10]).map(|x| x.len())),
            reason: Some("the map counts on the size"),
        },
        Behaviour {
            name: "a vector with NaN in it, scale 0",
            ours: text(our_floats(None, 0.0, None, &[f64::NAN])),
            theirs: text(their_floats(None, 0.0, None, &[f64::NAN])),
            reason: Some("NaN is no member; they release 0 for it"),
        },
        Behaviour {
            name: "a vector with an infinity in it, scale 0",
            ours: text(our_floats(None, 0.0, None, &[f64::INFINITY])),
            theirs: text(their_floats(None, 0.0, None, &[f64::INFINITY])),
            reason: Some("an infinity is no member of finite floats; theirs is clamped"),
        },
        Behaviour {
            name: "negative zero, scale 0",
            ours: text(our_floats(None, 0.0, None, &[-0.0])),
            theirs: text(their_floats(None, 0.0, None, &[-0.0])),
            reason: None,
        },
        Behaviour {
            name: "0.3 and 0.75, scale 0, k 0",
            ours: text(our_floats(Some(2), 0.0, Some(0), &[0.3, 0.75])),
            theirs: text(their_floats(Some(2), 0.0, Some(0), &[0.3, 0.75])),
            reason: Some("at a scale of 0 ours is the data itself; theirs is rounded to the grid"),
        },
        Behaviour {
            name: "200 times the largest float with noise of scale 10^308: all finite",
            ours: all_finite(our_floats(None, 1e308, None, &[f64::MAX; 200])),
            theirs: all_finite(their_floats(None, 1e308, None, &[f64::MAX; 200])),
            reason: Some("a sum beyond the range is the largest float here, and an infinity there"),
        },
        Behaviour {
            name: "200 times the largest i32 beside the end with noise of scale 1000: all in range",
            ours: text(our_bytes(&[i32::MAX; 200]).map(|x| x.len())),
            theirs: text(their_bytes(&[i32::MAX; 200]).map(|x| x.len())),
            reason: None,
        },
        Behaviour {
            name: "estimates from bit vectors, f 1",
            ours: text(our_estimate(1.0)),
            theirs: text(their_estimate(1.0)),
            reason: Some("reports with f = 1 say nothing; they divide by 0"),
        },
        Behaviour {
            name: "estimates from bit vectors, f NaN",
            ours: text(our_estimate(f64::NAN)),
            theirs: text(their_estimate(f64::NAN)),
            reason: Some("they look for bad numbers, of which NaN is none"),
        },
        Behaviour {
            name: "estimates from bit vectors, f 0.5",
            ours: text(our_estimate(0.5)),
            theirs: text(their_estimate(0.5)),
            reason: None,
        },
        Behaviour {
            name: "estimates from bit vectors, no report",
            ours: text(deniable::debias_randomized_response_bitvec([], 0.5).ok()),
            theirs: text(their(|| {
                opendp::measurements::debias_randomized_response_bitvec(vec![], 0.5)
            })),
            reason: None,
        },
    ]
}

fn text<T: std::fmt::Debug>(outcome: Option<T>) -> String {
    outcome.map_or("refused".to_owned(), |outcome| format!("{outcome:?}"))
}

fn both(first: Option<usize>, second: Option<usize>) -> String {
    format!("{} and {}", text(first), text(second))
}

fn all_finite(numbers: Option<Vec<f64>>) -> String {
    text(numbers.map(|numbers| numbers.iter().all(|x| x.is_finite())))
}

fn their<T>(run: impl FnOnce() -> opendp::error::Fallible<T>) -> Option<T> {
    catch_unwind(AssertUnwindSafe(run)).ok().and_then(Result::ok)
}

fn our_bits(k: usize, m: usize, length: usize) -> Option<usize> {
    let domain = deniable::BitVectorDomain::new(k).with_max_weight(m);
    let metric = deniable::DiscreteDistance;
    let made = deniable::make_randomized_response_bitvec(domain, metric, 0.5, false).ok()?;
    made.invoke(&deniable::BitVector::zeros(length)).ok().map(|report| report.len())
}

fn our_bits_of(m: usize, bits: &[bool]) -> Option<usize> {
    let domain = deniable::BitVectorDomain::new(bits.len()).with_max_weight(m);
    let metric = deniable::DiscreteDistance;
    let made = deniable::make_randomized_response_bitvec(domain, metric, 0.5, false).ok()?;
    made.invoke(&bits.iter().copied().collect()).ok().map(|report| report.len())
}

fn their_bits(m: usize, length: usize) -> Option<usize> {
    their_bits_of(m, &vec![false; length])
}

fn their_bits_of(m: usize, bits: &[bool]) -> Option<usize> {
    let domain = opendp::domains::BitVectorDomain::new().with_max_weight(m);
    let metric = opendp::metrics::DiscreteDistance;
    their(|| {
        let mechanism = opendp::measurements::make_randomized_response_bitvec;
        let made = mechanism(domain, metric, 0.5, false)?;
        made.invoke(&bits.iter().copied().collect()).map(|report| report.len())
    })
}

fn our_floats(
    size: Option<usize>,
    scale: f64,
    k: Option<i32>,
    numbers: &[f64],
) -> Option<Vec<f64>> {
    let domain = deniable::VectorDomain::finite::<f64>();
    let domain = match size {
        Some(size) => domain.with_size(size),
        None => domain,
    };
    let metric = deniable::L1Distance::new();
    let made = deniable::make_vector_float_laplace_cks20(domain, metric, scale, k).ok()?;
    made.invoke(numbers).ok()
}

fn their_floats(
    size: Option<usize>,
    scale: f64,
    k: Option<i32>,
    numbers: &[f64],
) -> Option<Vec<f64>> {
    let domain = VectorDomain::new(AtomDomain::<f64>::new_non_nan());
    let domain = match size {
        Some(size) => domain.with_size(size),
        None => domain,
    };
    their(|| {
        let metric = L1Distance::<f64>::default();
        make_laplace::<_, _, MaxDivergence>(domain, metric, scale, k)?.invoke(&numbers.to_vec())
    })
}

fn our_bytes(numbers: &[i32]) -> Option<Vec<i32>> {
    let domain = deniable::VectorDomain::finite::<i32>();
    let metric = deniable::L1Distance::new();
    let made = deniable::make_vector_integer_laplace_cks20(domain, metric, 1000.0).ok()?;
    made.invoke(numbers).ok()
}

fn their_bytes(numbers: &[i32]) -> Option<Vec<i32>> {
    let domain = VectorDomain::new(AtomDomain::<i32>::default());
    their(|| {
        let metric = L1Distance::<i32>::default();
        make_laplace::<_, _, MaxDivergence>(domain, metric, 1000.0, None)?.invoke(&numbers.to_vec())
    })
}

const REPORTS: [[bool; 3]; 4] =
    [[true, false, true], [true, true, false], [false, false, true], [true, false, false]];

fn our_estimate(f: f64) -> Option<Vec<f64>> {
    let reports: Vec<deniable::BitVector> =
        REPORTS.iter().map(|report| report.iter().copied().collect()).collect();
    deniable::debias_randomized_response_bitvec(&reports, f).ok()
}

fn their_estimate(f: f64) -> Option<Vec<f64>> {
    let reports = REPORTS.iter().map(|report| report.iter().copied().collect()).collect();
    their(|| opendp::measurements::debias_randomized_response_bitvec(reports, f))
}
