use dashu_ratio::RBig;
use deniable::Measurement as _;
use deniable_audit::exact::value;

use super::{Group, Kind, Point, Truth, ours, spread, theirs};

/// The grid 2^k and the number of numbers.
type Grid = (Option<i32>, Option<usize>);

const FINEST: Grid = (None, None);

pub(super) fn groups() -> Vec<Group> {
    let mut groups = finest_grid();
    groups.extend(coarse_grid());
    groups.extend(edges());
    groups
}

fn finest_grid() -> Vec<Group> {
    let tiny = f64::from_bits(1);
    let scales = [0.0, -0.0, tiny, 0.1, 1.0, 3.0, 1e300, f64::MAX, -1.0, f64::NAN, f64::INFINITY];
    let distances = [0.0, tiny, 0.1, 1.0, 1.5, 1e300, f64::MAX, -1.0, f64::NAN];
    let named = scales.into_iter().flat_map(|scale| distances.map(|d| f64_point(FINEST, scale, d)));
    let sized = [1, 3, 1000].map(|n| f64_point((None, Some(n)), 2.0, 1.0));
    let told = [Some(-1074)].map(|k| f64_point((k, None), 2.0, 1.0));
    let more = spread(300).map(|x| f64_point(FINEST, 0.001 + x, 1.0 - x / 3.0));
    let tiny = f32::from_bits(1);
    let singles = [0.0, tiny, 0.1, 1.0, 3.0, f32::MAX].into_iter().flat_map(|scale| {
        [0.0, tiny, 0.1, 1.0, 1e30, f32::MAX].map(|d| f32_point(FINEST, scale, d))
    });
    vec![Group {
        name: "floats, finest grid",
        points: named.chain(sized).chain(told).chain(more).chain(singles).collect(),
        reasons: &[],
    }]
}

fn coarse_grid() -> Vec<Group> {
    let grids = [(-40, 1), (-2, 1), (-2, 3), (0, 1), (0, 2), (0, 10), (4, 3)];
    let doubles = grids.into_iter().flat_map(|(k, n)| {
        [0.1, 0.25, 1.0, 1.5, 37.3].map(|d| f64_point((Some(k), Some(n)), 2.0, d))
    });
    let singles = [(-10, 2), (0, 3)]
        .into_iter()
        .flat_map(|(k, n)| [0.1f32, 1.0, 1.5].map(|d| f32_point((Some(k), Some(n)), 2.0, d)));
    let zero = grids.map(|(k, n)| f64_point((Some(k), Some(n)), 2.0, 0.0));
    let released = grids.map(|(k, n)| f64_point((Some(k), Some(n)), 0.0, 0.0));
    vec![
        Group {
            name: "floats, coarse grid",
            points: doubles.chain(singles).collect(),
            reasons: &[(
                Kind::Loose,
                "rounded numbers are a multiple of 2^k apart; their map is (d_in + n(2^k − the finest step))/scale, which is none",
            )],
        },
        Group {
            name: "floats, coarse grid, d_in 0",
            points: zero.into(),
            reasons: &[(
                Kind::Loose,
                "numbers at a distance of 0 are equal and lose nothing; their map adds what rounding could move",
            )],
        },
        Group {
            name: "floats, coarse grid, scale 0, d_in 0",
            points: released.into(),
            reasons: &[(
                Kind::Loose,
                "numbers at a distance of 0 are equal and lose nothing; their map adds what rounding could move, over a scale of 0",
            )],
        },
    ]
}

fn edges() -> Vec<Group> {
    vec![
        Group {
            name: "floats, infinite d_in",
            points: [0.0, 1.0].map(|scale| f64_point(FINEST, scale, f64::INFINITY)).into(),
            reasons: &[(
                Kind::Refuses,
                "an infinite distance is one, of numbers that may be anything; it loses everything",
            )],
        },
        Group {
            name: "floats, k below the finest grid",
            points: [-1075, -5000, i32::MIN + 1, i32::MIN]
                .map(|k| f64_point((Some(k), None), 2.0, 1.0))
                .into(),
            reasons: &[(
                Kind::Refuses,
                "there all numbers are on the finest grid already; ours is raised to it",
            )],
        },
        Group {
            name: "floats, coarse grid, negative d_in",
            points: [(0, 1), (-2, 3), (4, 3)]
                .map(|(k, n)| f64_point((Some(k), Some(n)), 2.0, -0.125))
                .into(),
            reasons: &[(
                Kind::Accepts,
                "no distance is negative; they look at the sign only after adding what rounding could move",
            )],
        },
        Group {
            name: "floats, coarse grid without a size",
            points: [-40, 0, 4].map(|k| f64_point((Some(k), None), 2.0, 1.0)).into(),
            reasons: &[],
        },
        Group {
            name: "floats, k beyond the range",
            points: [1024, 5000].map(|k| f64_point((Some(k), Some(1)), 2.0, 1.0)).into(),
            reasons: &[(Kind::Accepts, "2^k is no number of the type")],
        },
    ]
}

macro_rules! point {
    ($name:ident, $float:ty, $finest:expr, $greatest:expr, $nearest:ident) => {
        fn $name((k, n): Grid, scale: $float, d: $float) -> Point {
            let sized = |size: Option<usize>| size.map_or(String::new(), |n| format!(" n {n},"));
            let grid = k.map_or(String::new(), |k| format!(" k {k},"));
            let from_type = Type {
                finest: $finest,
                greatest: $greatest,
                below: |x| f64::from((x as $float).next_down()),
                nearest: |x| f64::from(x.$nearest().value()),
            };
            let (wide_scale, wide_d) = (f64::from(scale), f64::from(d));
            Point {
                name: format!(
                    "{},{grid}{} scale {scale:?}, d_in {d:?}",
                    stringify!($float),
                    sized(n)
                ),
                truth: from_type.truth((k, n), wide_scale, wide_d),
                ours: ours(|| {
                    use deniable::{L1Distance, VectorDomain, make_vector_float_laplace_cks20};
                    let domain = VectorDomain::finite::<$float>();
                    let domain = match n {
                        Some(n) => domain.with_size(n),
                        None => domain,
                    };
                    make_vector_float_laplace_cks20(domain, L1Distance::new(), scale, k)?.map(d)
                }),
                theirs: theirs(|| {
                    use opendp::domains::{AtomDomain, VectorDomain};
                    use opendp::measures::MaxDivergence;
                    let domain = VectorDomain::new(AtomDomain::<$float>::new_non_nan());
                    let domain = match n {
                        Some(n) => domain.with_size(n),
                        None => domain,
                    };
                    let metric = opendp::metrics::L1Distance::<$float>::default();
                    let mechanism = opendp::measurements::make_laplace::<_, _, MaxDivergence>;
                    mechanism(domain, metric, wide_scale, k)?.map(&d)
                }),
            }
        }
    };
}

point!(f64_point, f64, -1074, 1023, to_f64);
point!(f32_point, f32, -149, 127, to_f32);

/// A type of floats, as far as it matters here.
struct Type {
    /// Its finest step is 2 to this.
    finest: i32,
    /// Its greatest power of two.
    greatest: i32,
    below: fn(f64) -> f64,
    nearest: fn(&RBig) -> f64,
}

impl Type {
    fn truth(&self, (k, n): Grid, scale: f64, d: f64) -> Option<Truth> {
        let k = k.unwrap_or(self.finest).max(self.finest);
        if !(scale.is_finite() && scale >= 0.0 && d >= 0.0) || k > self.greatest {
            return None;
        }
        if k > self.finest && n.is_none() {
            return None;
        }
        if d == 0.0 {
            return Some(Truth::nothing());
        }
        if scale == 0.0 || d == f64::INFINITY {
            return Some(Truth::Infinite);
        }
        let apart = if k == self.finest { value(d) } else { self.apart(k, n.unwrap_or(1), d) };
        Some(Truth::Exactly(apart / value(scale)))
    }

    /// How far apart two vectors are after rounding to the grid 2^k, ties up: vectors that there are, at a distance of at most d. All numbers but one are the least that is rounded up, and the float
    /// below it; one spends the rest of the distance.
    fn apart(&self, k: i32, n: usize, d: f64) -> RBig {
        let (step, d) = (power_of_two(k), value(d));
        let tie = power_of_two(k - 1);
        let low = (self.below)(tie.to_f64().value());
        let gap = &tie - value(low);
        let pairs = (&d / &gap).floor().min(n.into());
        if pairs < 1.into() {
            return RBig::ZERO;
        }
        let others = RBig::from(pairs - 1);
        let high = self.floor(&(value(low) + d - &others * gap));
        let steps = |x: f64| (value(x) / &step + RBig::from(1) / RBig::from(2)).floor();
        (others + RBig::from(steps(high) - steps(low))) * step
    }

    /// The greatest number of the type that is not above x.
    fn floor(&self, x: &RBig) -> f64 {
        let nearest = (self.nearest)(x);
        if value(nearest) > *x { (self.below)(nearest) } else { nearest }
    }
}

fn power_of_two(k: i32) -> RBig {
    RBig::from(2).pow(k as isize)
}
