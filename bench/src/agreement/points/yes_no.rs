use deniable::Measurement as _;
use deniable_audit::exact::value;

use super::{Group, Point, Truth, ours, spread, theirs};

const DISTANCES: [u32; 4] = [0, 1, 2, u32::MAX];

pub(super) fn groups() -> Vec<Group> {
    let named = [
        0.5,
        0.5f64.next_up(),
        0.5 + 2f64.powi(-30),
        0.6,
        0.75,
        0.9,
        0.999_999,
        1.0 - 2f64.powi(-30),
        1.0 - 2f64.powi(-52),
        1.0f64.next_down(),
        1.0,
        0.5f64.next_down(),
        1.0f64.next_up(),
        0.0,
        -0.75,
        f64::NAN,
        f64::INFINITY,
    ];
    let points = named.into_iter().flat_map(|prob| DISTANCES.map(|d| point(prob, d)));
    let more = spread(500).map(|x| point(0.5 + x / 2.0, 1));
    vec![Group { name: "yes or no", points: points.chain(more).collect(), reasons: &[] }]
}

fn point(prob: f64, d: u32) -> Point {
    let mechanism = opendp::measurements::make_randomized_response_bool;
    Point {
        name: format!("prob {prob:?}, d_in {d}"),
        truth: truth(prob, d),
        ours: ours(|| deniable::make_randomized_response_bool(prob, false)?.map(d)),
        theirs: theirs(|| mechanism(prob, false)?.map(&d)),
    }
}

fn truth(prob: f64, d: u32) -> Option<Truth> {
    if !(0.5..=1.0).contains(&prob) {
        return None;
    }
    let p = value(prob);
    Some(match d {
        0 => Truth::nothing(),
        _ if prob == 1.0 => Truth::Infinite,
        _ => Truth::Logarithm(1, &p / (value(1.0) - &p)),
    })
}
