//! The exact privacy of the Laplace mechanisms that ship.
//!
//! Four worlds, each as large as it can be looked at in full or in exact arithmetic:
//!
//! - *One 8-bit float* ([`small`]): every scale, grid, pair of inputs, output and distance. The output for each noise is
//!   that of the shipping code, by words that spell this noise; its probability is a closed form, and so is the
//!   worst log-ratio of each pair ([`law`]). The shipping code over every script of 8-bit words has the same law.
//! - *Vectors of 8-bit floats*, and of multiples of the smallest `f32` and `f64` ([`vectors`]).
//! - *`f32` and `f64`* ([`closed`]): the claim against the exact rational, over all exponents; concrete pairs.
//! - *Integers* ([`integers`]), at the ends of the type.
//!
//! A claim below the truth is a violation. A claim more than 4 units of its last place above the worst pair
//! there is, is loose. Everything takes what it judges as a function, so that planted mistakes can be judged too.
//!
//! # What it found
//!
//! An earlier map held everywhere but was not tight: it took two numbers of the type to be as close as its finest step on both
//! sides of a tie. The closest are 2^(k−1−p) apart, with p the precision of the type (or the finest step if that is
//! larger). The map now counts in units of that, and in worlds that are looked at in full some pair attains every claim.

mod brackets;
pub mod closed;
pub mod errors;
pub mod integers;
pub mod law;
pub mod script;
pub mod small;
pub mod tally;
pub mod vectors;

pub use tally::LaplaceTally;

use std::time::Instant;

use deniable::{
    AbsoluteDistance, L1Distance, Measurement, VectorDomain, make_scalar_float_laplace_cks20,
    make_vector_float_laplace_cks20,
};

use crate::mini::Mini;
use integers::End;

/// The whole audit; less of it unless `full`. What it counts is printed.
pub fn audit_laplace(full: bool) -> LaplaceTally {
    let parts: [(&str, Part); 6] = [
        ("one 8-bit float, all pairs", audit_small),
        ("8-bit floats over 8-bit words", audit_small_words),
        ("vectors", audit_vectors),
        ("f32 and f64, closed form", audit_closed_form),
        ("integers", audit_integers),
        ("errors", audit_errors),
    ];
    let mut all = LaplaceTally::default();
    for (name, part) in parts {
        let start = Instant::now();
        let tally = part(full);
        println!("{name}: {tally}; {:.1} s", start.elapsed().as_secs_f64());
        all.merge(tally);
    }
    println!("Laplace: {all}");
    all
}

/// One of its parts.
type Part = fn(bool) -> LaplaceTally;

/// All pairs of 8-bit floats, for all scales if `full`, else for three on each grid.
pub fn audit_small(full: bool) -> LaplaceTally {
    let mut all = LaplaceTally::default();
    for k in small::GRIDS {
        let out = small::shipping_out(k);
        let segments = match small::all_segments(k, full || k >= -2, &out) {
            Ok(segments) => segments,
            Err(finding) => {
                all.malformed(|| finding);
                continue;
            }
        };
        let name = format!("grid {k}");
        all.merge(small::audit_outputs(&name, &segments));
        all.merge(small::audit_rounding(&name, k, &segments, &out));
        all.merge(small::audit_rounding(&name, k, &segments, small::textbook_out(k)));
        // From the smallest to the largest, and one that is another on each grid.
        let some = [1, 0x77, 2 + (k + 9) as u8 * 7];
        let scales = if full { (1..0x78).collect() } else { some.to_vec() };
        for scale in scales.into_iter().map(Mini) {
            let map = small::shipping_map(scale, Some(k));
            all.merge(small::audit_scalar((scale, k), &segments, map));
        }
        let release = small::release_segments(small::shipping_release(Some(k)));
        let map = small::shipping_map(Mini(0), Some(k));
        all.merge(small::audit_scalar((Mini(0), k), &release, map));
        if k == small::FINEST {
            for k in [None, Some(i32::MIN), Some(small::FINEST - 1)] {
                let map = small::shipping_map(Mini(0x2b), k);
                all.merge(small::audit_scalar((Mini(0x2b), small::FINEST), &segments, map));
            }
        }
    }
    all
}

/// The shipping code over all scripts of 8-bit words, for some inputs on each grid.
pub fn audit_small_words(full: bool) -> LaplaceTally {
    let mut all = LaplaceTally::default();
    let inputs = small::inputs();
    let (scales, step): (&[u8], usize) =
        if full { (&[1, 0x24, 0x38, 0x5b], 120) } else { (&[0x10, 0x3b], 229) };
    for k in small::GRIDS {
        let out = small::shipping_out(k);
        for place in (0..inputs.len()).skip((k + 9) as usize * 3).step_by(step) {
            let x = inputs[place];
            let Ok(segments) = law::segments(small::reach(k), false, |z| out(x, z)) else {
                all.malformed(|| format!("{x:?} on grid {k}"));
                continue;
            };
            for &scale in scales {
                all.merge(small::audit_words((Mini(scale), k, x), 3, &segments));
            }
        }
    }
    all
}

/// Vectors of 8-bit floats around ties, of all 8-bit floats, and of multiples of the smallest numbers.
pub fn audit_vectors(full: bool) -> LaplaceTally {
    let mut all = vectors::audit_spread(100, 4, vectors::shipping_spread::<f64>);
    all.merge(vectors::audit_spread(100, 4, vectors::shipping_spread::<f32>));
    let scales: &[u8] = if full { &[1, 0x13, 0x38, 0x45, 0x5e, 0x77] } else { &[0x45] };
    for k in small::GRIDS {
        let Ok(segments) = small::all_segments(k, false, small::shipping_out(k)) else {
            all.malformed(|| format!("grid {k}"));
            continue;
        };
        if k >= if full { 4 } else { 7 } {
            for numbers in [[0, 119], [200, 225], [238, 20]] {
                all.merge(vectors::audit_words_of_two(
                    (Mini(0x58), k),
                    numbers,
                    &segments,
                    |noise, numbers, source| noise.randomize(numbers, source),
                ));
            }
        }
        for scale in scales.iter().copied().map(Mini) {
            for n in 2..=3 {
                let map = vectors::shipping_vector_map(scale, k, n as usize);
                all.merge(vectors::audit_vectors((scale, k, n), &segments, map));
            }
            for n in 1..=4 {
                // On finer grids too many pairs are worse than all closer ones to combine them all.
                if n == 1 || k >= -2 {
                    let map = vectors::shipping_vector_map(scale, k, n as usize);
                    all.merge(vectors::audit_all_vectors((scale, k, n), &segments, map));
                }
            }
        }
    }
    all
}

/// The map, the document's map, the constants, calibration, and concrete pairs on `f32` and `f64`.
pub fn audit_closed_form(full: bool) -> LaplaceTally {
    let many = if full { 500_000 } else { 100_000 };
    let mut all = closed::audit_map(closed::cases::<f64>(many), closed::shipping_map);
    all.merge(closed::audit_map(closed::cases::<f32>(many), closed::shipping_map));
    all.merge(closed::audit_map(closed::cases::<Mini>(many), closed::shipping_map));
    all.merge(closed::audit_laplace_map(closed::cases::<f64>(many)));
    all.merge(closed::audit_laplace_map(closed::cases::<f32>(many)));
    all.merge(closed::audit_consts::<f64>());
    all.merge(closed::audit_consts::<f32>());
    all.merge(closed::audit_consts::<Mini>());
    all.merge(closed::audit_pairs::<f64>(many / 20, closed::shipping_map));
    all.merge(closed::audit_pairs::<f32>(many / 20, closed::shipping_map));
    let losses = closed::losses::<f64>(many / 20);
    all.merge(closed::audit_calibration(losses, closed::shipping_scale));
    let losses = closed::losses::<f32>(many / 20);
    all.merge(closed::audit_calibration(losses, closed::shipping_scale));
    all
}

/// The integer mechanisms.
pub fn audit_integers(full: bool) -> LaplaceTally {
    let many = if full { 200_000 } else { 50_000 };
    let mut all = integers::audit_integer_map(many, integers::shipping_integer_map);
    all.merge(integers::audit_integer_calibration(many / 10, integers::shipping_integer_scale));
    for end in [End::Low, End::High] {
        all.merge(audit_end::<i32>(end, full));
        all.merge(audit_end::<i64>(end, full));
    }
    all
}

/// Faults at every draw, inputs outside the domain, refused domains and distances.
pub fn audit_errors(_full: bool) -> LaplaceTally {
    let mut all = LaplaceTally::default();
    let fine = small::mechanism(Mini(0x40), None);
    let numbers = small::inputs();
    let numbers: Vec<&Mini> = numbers.iter().collect();
    all.merge(errors::audit_faults("8-bit floats", &numbers, |x, s| fine.randomize(x, s)));
    let outsiders = [0x78, 0xf8, 0x79, 0x7f, 0xff].map(Mini);
    let outsiders = outsiders.each_ref();
    all.merge(errors::audit_outsiders("8-bit floats", &outsiders, |x, s| fine.randomize(x, s)));
    all.merge(float_vector_errors());
    let whole = integers::mechanism::<i64>(1e9);
    let numbers = [i64::MIN, -1, 0, 1, 1 << 40, i64::MAX];
    let numbers = numbers.each_ref();
    all.merge(errors::audit_faults("integers", &numbers, |x, s| whole.randomize(x, s)));
    let accepts = |domain| {
        make_scalar_float_laplace_cks20(domain, AbsoluteDistance::new(), Mini(0x40), None).is_ok()
    };
    let map = |d_in| fine.map(d_in).map(|loss| loss.get());
    all.merge(errors::audit_refusals("scalar", accepts, map));
    all
}

/// Inputs at one end of an integer type.
fn audit_end<T: deniable::mechanism::vector_integer_laplace_cks20::Integer>(
    end: End,
    full: bool,
) -> LaplaceTally {
    let mut all = LaplaceTally::default();
    let segments = match integers::integer_segments(integers::shipping_integer_out::<T>(end)) {
        Ok(segments) => segments,
        Err(finding) => {
            all.malformed(|| finding);
            return all;
        }
    };
    all.merge(integers::audit_saturation(end, &segments));
    for scale in [1.0 / 512.0, 0.25, 1.0, 1.5, 3.0, 7.0, 10.0, 100.0, 1000.0, 4096.0] {
        let noise = integers::mechanism::<T>(scale);
        let map = |d| noise.map(d).map_or(f64::NAN, |loss| loss.get());
        all.merge(integers::audit_ends(scale, &segments, map));
    }
    let scales: &[f64] = if full { &[0.01, 0.25, 1.0, 3.7] } else { &[0.25, 1.1] };
    let places: &[i64] = if full { &[0, 5] } else { &[1] };
    for &scale in scales {
        for &place in places {
            let case = (end, scale, place);
            let segments = &segments[place as usize];
            all.merge(integers::audit_integer_words::<T>(case, 3, segments));
        }
    }
    all
}

fn float_vector_errors() -> LaplaceTally {
    let domain = VectorDomain::finite::<f64>().with_size(3);
    let noise = make_vector_float_laplace_cks20(domain, L1Distance::new(), 1e-3, Some(-40));
    let noise = noise.expect("a scale and a grid");
    let numbers = [[0.0, -0.0, 5e-324], [0.1, -2.5, 1e300], [f64::MAX, f64::MIN, 1.5]];
    let numbers: Vec<&[f64]> = numbers.iter().map(|v| &v[..]).collect();
    let mut all = errors::audit_faults("f64 vectors", &numbers, |x, s| noise.randomize(x, s));
    let (nan, infinite) = (f64::NAN, f64::INFINITY);
    let outsiders: [&[f64]; 7] = [
        &[nan, 0.0, 0.0],
        &[1.0, 2.0, nan],
        &[infinite, 1e300, 0.0],
        &[0.0, -infinite, nan],
        &[],
        &[1.0, 2.0],
        &[1.0, 2.0, 3.0, nan],
    ];
    all.merge(errors::audit_outsiders("f64 vectors", &outsiders, |x, s| noise.randomize(x, s)));
    all
}
