use dashu_ratio::RBig;
use deniable::Measurement as _;
use deniable_audit::exact::value;

use super::{Group, Point, Truth, ours, spread, theirs};

pub(super) fn groups() -> Vec<Group> {
    let scales = [
        0.0,
        f64::from_bits(1),
        1e-300,
        0.1,
        1.0,
        3.0,
        7.5,
        2f64.powi(60),
        f64::MAX,
        -1.0,
        -0.0,
        f64::NAN,
        f64::INFINITY,
    ];
    let distances = [0, 1, 2, 7, (1 << 53) + 1, i64::MAX as u64, u64::MAX];
    let named = scales.into_iter().flat_map(|scale| distances.map(|d| point(scale, d)));
    let more = spread(300).map(|x| point(0.01 + 1000.0 * x * x, (1e6 * x) as u64 + 1));
    let points = named.chain(more).collect();
    vec![Group { name: "integers", points, reasons: &[] }]
}

fn point(scale: f64, d: u64) -> Point {
    use deniable::{L1Distance, VectorDomain, make_vector_integer_laplace_cks20};
    Point {
        name: format!("scale {scale:?}, d_in {d}"),
        truth: truth(scale, d),
        ours: ours(|| {
            let domain = VectorDomain::finite::<i64>();
            make_vector_integer_laplace_cks20(domain, L1Distance::new(), scale)?.map(d)
        }),
        theirs: theirs(|| {
            use opendp::domains::{AtomDomain, VectorDomain};
            use opendp::measures::MaxDivergence;
            let domain = VectorDomain::new(AtomDomain::<i64>::default());
            let metric = opendp::metrics::L1Distance::<u64>::default();
            let mechanism = opendp::measurements::make_laplace::<_, _, MaxDivergence>;
            mechanism(domain, metric, scale, None)?.map(&d)
        }),
    }
}

fn truth(scale: f64, d: u64) -> Option<Truth> {
    if !(scale.is_finite() && scale >= 0.0) {
        return None;
    }
    Some(match d {
        0 => Truth::nothing(),
        _ if scale == 0.0 => Truth::Infinite,
        _ => Truth::Exactly(RBig::from(d) / value(scale)),
    })
}
