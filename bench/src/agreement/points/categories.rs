use std::collections::HashSet;

use dashu_ratio::RBig;
use deniable::Measurement as _;
use deniable_audit::exact::{fraction, value};

use super::{Group, Kind, Point, Truth, ours, spread, theirs};

pub(super) fn groups() -> Vec<Group> {
    let counts = [2, 3, 5, 6, 7, 10, 16, 49, 1000];
    let inside = counts.into_iter().flat_map(|t| {
        let least = 1.0 / t as f64;
        [least.next_up(), (1.0 + least) / 2.0, 0.999_999, 1.0f64.next_down()]
            .into_iter()
            .flat_map(move |prob| [0, 1, 2, u32::MAX].map(|d| point(t, prob, d)))
    });
    let more = spread(500).enumerate().map(|(i, x)| {
        let t = 2 + i * i % 997;
        point(t, 1.0 / t as f64 + x * (1.0 - 1.0 / t as f64), 1)
    });
    let refused = counts.into_iter().flat_map(|t| {
        [(1.0 / t as f64).next_down(), 1.0f64.next_up(), 0.0, -0.5, f64::NAN, f64::INFINITY]
            .map(|prob| point(t, prob, 1))
    });
    let few = [0, 1].map(|t| point(t, 0.75, 1));
    vec![
        Group {
            name: "categories",
            points: inside.chain(more).chain(refused).chain(few).collect(),
            reasons: &[],
        },
        Group {
            name: "categories, prob is the float nearest to 1/t",
            points: (2..=1000).map(|t| point(t, 1.0 / t as f64, 1)).collect(),
            reasons: &[(
                Kind::TooLow,
                "1/t is no float and the nearest is below it, so that lying is likelier than the truth and the worst ratio is (1 − p)/((t − 1)p); their map looks at its inverse alone",
            )],
        },
        Group {
            name: "categories, prob 1",
            points: counts.into_iter().flat_map(|t| [0, 1].map(|d| point(t, 1.0, d))).collect(),
            reasons: &[(
                Kind::Accepts,
                "the specification accepts a prob below 1; with 1 the answer itself is released",
            )],
        },
    ]
}

fn point(t: usize, prob: f64, d: u32) -> Point {
    let mechanism = opendp::measurements::make_randomized_response;
    let set: HashSet<u32> = (0..t as u32).collect();
    Point {
        name: format!("t {t}, prob {prob:?}, d_in {d}"),
        truth: truth(t, prob, d),
        ours: ours(|| deniable::make_randomized_response(0..t as u32, prob)?.map(d)),
        theirs: theirs(|| mechanism(set, prob)?.map(&d)),
    }
}

/// The law gives an output p, (1 − p)/(t − 1) or, for an answer outside, 1/t.
fn truth(t: usize, prob: f64, d: u32) -> Option<Truth> {
    if t < 2 || !(prob >= 1.0 / t as f64 && prob < 1.0) {
        return None;
    }
    if d == 0 {
        return Some(Truth::nothing());
    }
    let p = value(prob);
    let lie = (RBig::ONE - &p) / RBig::from(t as u64 - 1);
    let all = [p, lie, fraction(1, t as u64)];
    let most = all.iter().max().expect("three numbers");
    let least = all.iter().min().expect("three numbers");
    Some(Truth::Logarithm(1, most / least))
}
