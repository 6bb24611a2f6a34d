use dashu_ratio::RBig;
use deniable::Measurement as _;
use deniable_audit::exact::value;

use super::{Group, Kind, Point, Truth, ours, spread, theirs};

const FLIPS: [f64; 10] =
    [1.0, 1.0 - f64::EPSILON / 2.0, 0.75, 0.5, 0.25, 0.1, 1e-10, 1e-300, 1.2e-308, 0.3];

pub(super) fn groups() -> Vec<Group> {
    let sizes = [(2, 1), (8, 1), (8, 4), (64, 3), (1024, 16)];
    let inside = sizes.into_iter().flat_map(|(k, m)| FLIPS.map(|f| point(k, m, f, 1)));
    let nothing = [(8, 4, 0.5, 0), (8, 4, 0.5, 2), (8, 4, 0.5, u32::MAX), (8, 0, 0.5, 1)]
        .map(|(k, m, f, d)| point(k, m, f, d));
    let more = spread(500).map(|f| point(64, 32, f.max(1e-9), 1));
    let refused = [0.0, -0.0, -0.1, 1.0f64.next_up(), f64::NAN, f64::INFINITY, f64::NEG_INFINITY]
        .map(|f| point(8, 4, f, 1));
    vec![
        Group {
            name: "bit vectors",
            points: inside.chain(nothing).chain(more).chain(refused).collect(),
            reasons: &[],
        },
        Group {
            name: "bit vectors, more ones than half of the bits",
            points: [(1, 1), (8, 5), (8, 8), (9, 5), (64, 64)]
                .into_iter()
                .flat_map(|(k, m)| [0.5, 0.1].map(|f| point(k, m, f, 1)))
                .collect(),
            reasons: &[(
                Kind::Loose,
                "two vectors differ in at most all k bits; their domain has no length, so that their map counts 2m",
            )],
        },
        Group {
            name: "bit vectors, tiny f",
            points: [f64::MIN_POSITIVE / 2.0, f64::from_bits(3), f64::from_bits(1)]
                .map(|f| point(8, 2, f, 1))
                .into(),
            reasons: &[(Kind::Refuses, "(2 − f)/f is beyond every float; its logarithm is not")],
        },
    ]
}

fn point(k: usize, m: usize, f: f64, d: u32) -> Point {
    use deniable::{BitVectorDomain, DiscreteDistance};
    let domain = BitVectorDomain::new(k).with_max_weight(m);
    let mechanism = deniable::make_randomized_response_bitvec;
    Point {
        name: format!("k {k}, m {m}, f {f:?}, d_in {d}"),
        truth: truth(k, m, f, d),
        ours: ours(|| mechanism(domain, DiscreteDistance, f, false)?.map(d)),
        theirs: theirs(|| {
            let domain = opendp::domains::BitVectorDomain::new().with_max_weight(m);
            let metric = opendp::metrics::DiscreteDistance;
            let mechanism = opendp::measurements::make_randomized_response_bitvec;
            mechanism(domain, metric, f, false)?.map(&d)
        }),
    }
}

fn truth(k: usize, m: usize, f: f64, d: u32) -> Option<Truth> {
    if !(f > 0.0 && f <= 1.0) || d > 1 {
        return None;
    }
    let places = k.min(2 * m) as u64;
    if d == 0 || places == 0 || f == 1.0 {
        return Some(Truth::nothing());
    }
    let f = value(f);
    Some(Truth::Logarithm(places, (RBig::from(2) - &f) / &f))
}
