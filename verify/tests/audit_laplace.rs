//! The exact privacy of the Laplace mechanisms that ship, in the reduced form; `audit_laplace(true)` is the whole.

use deniable_verify::audit::laplace::LaplaceTally;
use deniable_verify::audit::laplace::{
    audit_closed_form, audit_errors, audit_integers, audit_small, audit_small_words, audit_vectors,
};

fn is_clean(tally: &LaplaceTally) {
    println!("{tally}");
    assert!(tally.is_clean(), "{tally}");
}

#[test]
fn all_pairs_of_eight_bit_floats() {
    let tally = audit_small(false);
    is_clean(&tally);
    assert!(tally.pairs > 2_000_000 && tally.loosest_ulps < 1.0);
}

#[test]
fn eight_bit_floats_over_eight_bit_words() {
    let tally = audit_small_words(false);
    is_clean(&tally);
    assert!(tally.runs > 10_000_000);
}

#[test]
fn vectors() {
    let tally = audit_vectors(false);
    is_clean(&tally);
    assert!(tally.pairs > 50_000_000 && tally.loosest_ulps < 1.0);
}

#[test]
fn closed_form_on_f32_and_f64() {
    let tally = audit_closed_form(false);
    is_clean(&tally);
    assert!(tally.cases > 500_000);
}

#[test]
fn integers() {
    let tally = audit_integers(false);
    is_clean(&tally);
    assert!(tally.cases > 50_000 && tally.runs > 1_000_000);
}

#[test]
fn errors_tell_nothing() {
    let tally = audit_errors(false);
    is_clean(&tally);
    assert!(tally.cases > 10_000);
}

/// The audit finds these mistakes, each named after the hole of the specification it falls into.
mod planted {
    use deniable::{AtomDomain, Domain};
    use deniable::{Epsilon, Error, Result, get_discretization_consts, laplace_map};
    use deniable_num::Float;
    use deniable_sample::Source;
    use deniable_verify::audit::laplace::closed::{self, Case, shipping_scale};
    use deniable_verify::audit::laplace::errors::{
        FailsAt, audit_faults, audit_outsiders, audit_refusals,
    };
    use deniable_verify::audit::laplace::integers::{self, End};
    use deniable_verify::audit::laplace::law::{Segments, segments};
    use deniable_verify::audit::laplace::small::{
        all_segments, audit_outputs, audit_rounding, audit_scalar, audit_words, distances,
        expected_out, grid_index, grid_step, inputs, mechanism, nearest, reach, release_segments,
        shipping_map, shipping_out, units,
    };
    use deniable_verify::audit::laplace::vectors::{
        audit_all_vectors, audit_spread, audit_vectors, audit_words_of_two, shipping_vector_map,
    };
    use deniable_verify::audit::laplace::{LaplaceTally, tally};
    use deniable_verify::inversion::neighbour;
    use deniable_verify::mini::Mini;

    /// A grid whose ties many 8-bit floats are next to.
    const K: i32 = 0;
    /// 15/16, whose inverse is no float, and 1.
    const SCALES: [Mini; 2] = [Mini(0x37), Mini(0x38)];

    fn right() -> Vec<Segments> {
        all_segments(K, true, shipping_out(K)).unwrap()
    }

    fn exact(x: Mini) -> f64 {
        if x == Mini::infinity(false) { f64::INFINITY } else { units(x) as f64 / 512.0 }
    }

    /// Judges a map on the grid of whole numbers.
    fn judge_map(map: impl Fn(Mini, Mini) -> f64) -> LaplaceTally {
        let right = right();
        let mut all = LaplaceTally::default();
        for scale in SCALES {
            let honest = audit_scalar((scale, K), &right, shipping_map(scale, Some(K)));
            assert!(honest.is_clean(), "{honest}");
            all.merge(audit_scalar((scale, K), &right, |d_in| map(d_in, scale)));
        }
        all
    }

    /// Judges what becomes of a number and noise on the grid of whole numbers, under the shipping map.
    fn judge_out(out: impl Fn(Mini, i64) -> u8) -> LaplaceTally {
        let segments = all_segments(K, true, out).unwrap();
        let mut all = audit_outputs("planted", &segments);
        all.merge(audit_scalar((SCALES[1], K), &segments, shipping_map(SCALES[1], Some(K))));
        all
    }

    #[test]
    fn hole_8_the_bound_of_the_document_is_loose() {
        let (_, relaxation) = get_discretization_consts::<Mini>(Some(K)).unwrap();
        let found = judge_map(|d_in, scale| {
            laplace_map(d_in, scale, 1, relaxation).map_or(f64::NAN, |loss| loss.get())
        });
        assert!(found.violations == 0 && found.loose > 0, "{found}");
        let found = closed::audit_map(closed::cases::<f64>(2_000), |case| {
            let (_, relaxation) = get_discretization_consts(case.k).unwrap();
            let n = case.size.unwrap_or(1);
            laplace_map(case.d_in, case.scale, n, relaxation).map_or(f64::NAN, |loss| loss.get())
        });
        assert!(found.violations == 0 && found.loose > 0, "{found}");
    }

    #[test]
    fn hole_8_a_relaxation_without_the_factor_n_is_too_small() {
        let right = right();
        for scale in SCALES {
            let map = |d_in| ((units(d_in) + 511) / 512) as f64 / exact(scale);
            for n in [2, 3] {
                let honest = || shipping_vector_map(scale, K, n as usize);
                assert!(audit_vectors((scale, K, n), &right, honest()).is_clean());
                assert!(audit_vectors((scale, K, n), &right, map).violations > 0);
                assert!(audit_all_vectors((scale, K, n), &right, honest()).is_clean());
                assert!(audit_all_vectors((scale, K, n), &right, map).violations > 0);
            }
        }
        let found = audit_spread(100, 4, |a, k, _| a.div_ceil(k) as f64);
        assert!(found.violations > 0);
    }

    #[test]
    fn hole_8_a_count_of_numbers_that_cannot_all_differ_is_loose() {
        let found = audit_spread(100, 4, |a, k, n| ((a + n * (k - 1)) / k) as f64);
        assert!(found.violations == 0 && found.loose > 0);
    }

    #[test]
    fn hole_8_a_loss_at_distance_zero_is_loose() {
        let (_, relaxation) = get_discretization_consts::<Mini>(Some(K)).unwrap();
        let found = judge_map(|d_in, scale| match d_in {
            Mini(0) => exact(relaxation) / exact(scale),
            _ => shipping_map(scale, Some(K))(d_in),
        });
        assert!(found.violations == 0 && found.loose == SCALES.len() as u64, "{found}");
    }

    #[test]
    fn hole_8_a_forgotten_relaxation_is_too_small() {
        let found = judge_map(|d_in, scale| (exact(d_in) / exact(scale)).next_up());
        assert!(found.violations > 0);
        let found = closed::audit_pairs::<f64>(2_000, |case| {
            closed::shipping_map(&Case { k: None, ..*case })
        });
        assert!(found.violations > 0);
    }

    #[test]
    fn hole_8_noise_of_scale_zero_has_no_finite_loss() {
        let release = release_segments(|x| if x == Mini(0x80) { 0 } else { x.0 });
        let honest = audit_scalar((Mini(0), K), &release, shipping_map(Mini(0), Some(K)));
        assert!(honest.is_clean(), "{honest}");
        let found = audit_scalar((Mini(0), K), &release, |d_in| exact(d_in) * 1e15);
        assert!(found.violations >= 119, "{found}");
        let silent = closed::cases::<f64>(2_000).filter(|case| case.scale == 0.0);
        let silent = silent.filter(|case| case.d_in.is_finite());
        let found = closed::audit_map(silent, |case| closed::shipping_map(case).min(f64::MAX));
        assert!(found.violations > 0);
    }

    #[test]
    fn a_bound_rounded_down_or_to_the_nearest_is_too_small() {
        let down = judge_map(|d_in, scale| {
            let loss = shipping_map(scale, Some(K))(d_in);
            // At a scale of 1 nothing is rounded.
            if loss == 0.0 || loss == f64::INFINITY || exact(scale) == 1.0 {
                loss
            } else {
                loss.next_down()
            }
        });
        assert!(down.violations > 0, "{down}");
        let nearest = judge_map(|d_in, scale| exact(d_in).ceil() / exact(scale));
        assert!(nearest.violations > 0, "{nearest}");
        let nearest =
            integers::audit_integer_map(
                2_000,
                |d_in, scale| {
                    if d_in == 0 { 0.0 } else { d_in as f64 / scale }
                },
            );
        assert!(nearest.violations > 0, "{nearest}");
        for (shift, too_small) in [(0, false), (-1, true), (1, false)] {
            let found = closed::audit_map(closed::cases::<f32>(2_000), |case| {
                let loss = closed::shipping_map(case);
                if loss == 0.0 || loss == f64::INFINITY {
                    return loss;
                }
                f64::from_bits(loss.to_bits().wrapping_add_signed(shift))
            });
            assert_eq!(found.violations > 0, too_small);
            assert_eq!(found.loose > 0, shift == 1);
        }
    }

    #[test]
    fn five_units_in_the_last_place_are_loose() {
        let found = judge_map(|d_in, scale| {
            let loss = shipping_map(scale, Some(K))(d_in);
            let ulps = tally::MOST_ULPS as u64 + 1;
            let bits = loss.to_bits() + ulps;
            if loss == 0.0 || loss == f64::INFINITY { loss } else { f64::from_bits(bits) }
        });
        assert!(found.violations == 0 && found.loose > 0, "{found}");
    }

    /// Rounds to the grid by another rule.
    fn with_rule(index: impl Fn(i64, i64) -> i64) -> impl Fn(Mini, i64) -> u8 {
        let step = grid_step(K);
        move |x, z| nearest((index(units(x), step) + z) * step)
    }

    #[test]
    fn hole_9_ties_away_from_zero() {
        assert!(judge_out(with_rule(grid_index)).is_clean());
        let found = judge_out(with_rule(|x, step| x.signum() * grid_index(x.abs(), step)));
        assert!(found.violations > 0, "{found}");
    }

    #[test]
    fn hole_9_ties_to_even() {
        let found = judge_out(with_rule(|x, step| {
            let up = grid_index(x, step);
            let tie = 2 * (up * step - x) == step;
            if tie && up % 2 != 0 { up - 1 } else { up }
        }));
        assert!(found.violations > 0, "{found}");
    }

    #[test]
    fn hole_10_a_signed_zero() {
        let right = |x, z| expected_out(K, x, z);
        let of_the_input = |x: Mini, z| match right(x, z) {
            0 => x.0 & 0x80,
            other => other,
        };
        let of_the_noise = |x, z| match right(x, z) {
            0 if z < 0 => 0x80,
            other => other,
        };
        for found in [judge_out(of_the_input), judge_out(of_the_noise)] {
            assert!(found.violations > 0 && found.malformed > 0, "{found}");
        }
        let identity = release_segments(|x| x.0);
        let found = audit_scalar((Mini(0), K), &identity, shipping_map(Mini(0), Some(K)));
        assert!(found.violations > 0 && found.malformed > 0, "{found}");
    }

    #[test]
    fn hole_11_wrapping_is_not_monotone() {
        let step = grid_step(K);
        let range = 2 * units(Mini::largest(false)) + step;
        let wraps = |x: Mini, z: i64| {
            let sum = (grid_index(units(x), step) + z) * step;
            nearest((sum + range / 2).rem_euclid(range) - range / 2)
        };
        assert!(all_segments(K, true, wraps).is_err());
        let out = |place: i64, z: i64| {
            let x: i32 = integers::input(End::High, place);
            integers::output(End::High, x.wrapping_add(z as i32))
        };
        assert!(integers::integer_segments(out).is_err());
    }

    #[test]
    fn hole_11_an_infinity_or_an_error_beyond_the_range() {
        for beyond in [Mini::infinity(false).0, 0x7f] {
            let found = judge_out(|x, z| {
                let step = grid_step(K);
                let sum = (grid_index(units(x), step) + z) * step;
                if sum > 247 * 512 { beyond } else { nearest(sum) }
            });
            assert!(found.malformed > 0, "{found}");
        }
        let too_early = |place: i64, z: i64| {
            let x: i64 = integers::input(End::Low, place);
            integers::output(End::Low, x.saturating_add(z).max(i64::MIN + 1))
        };
        let segments = integers::integer_segments(too_early).unwrap();
        assert!(integers::audit_saturation(End::Low, &segments).malformed > 0);
    }

    #[test]
    fn hole_11_nan_is_admitted() {
        let noise = mechanism(SCALES[0], None);
        let map = |d_in| deniable::Measurement::map(&noise, d_in).map(Epsilon::get);
        let right = |domain: AtomDomain<Mini>| !domain.admits_nan();
        assert!(audit_refusals("right", right, map).is_clean());
        assert!(audit_refusals("NaN", |_| true, map).malformed > 0);
        // A test for the bad range lets NaN pass.
        let distance =
            |d_in: Mini| if d_in.0 > 0x80 && d_in.0 < 0xf9 { map(d_in) } else { Ok(0.0) };
        assert!(audit_refusals("NaN", right, distance).malformed > 0);
    }

    #[test]
    fn a_dropped_or_shifted_noise_is_found_by_words() {
        let (x, out) = (Mini(0x41), shipping_out(K));
        let law = |shift| segments(reach(K), true, |z| out(x, z + shift)).unwrap();
        assert!(audit_words((SCALES[0], K, x), 3, &law(0)).is_clean());
        assert!(audit_words((SCALES[0], K, x), 3, &law(1)).malformed > 0);
        let all = right();
        assert!(audit_rounding("right", K, &all, &out).is_clean());
        assert!(audit_rounding("shifted", K, &all, |x, z| out(x, z + 1)).malformed > 0);
        let law = |scale| {
            let out = integers::shipping_integer_out::<i32>(End::High);
            let segments = integers::integer_segments(out).unwrap();
            integers::audit_ends(scale, &segments, |d| d as f64 / 2.0)
        };
        assert!(law(2.0).is_clean() && law(1.0).violations > 0 && law(3.0).loose > 0);
    }

    #[test]
    fn noise_that_two_numbers_share_is_found() {
        let all = all_segments(7, true, shipping_out(7)).unwrap();
        let judge = |shared: bool| {
            audit_words_of_two((Mini(0x58), 7), [150, 150], &all, |noise, numbers, source| {
                let mut both = noise.randomize(numbers, source)?;
                if shared {
                    both[1] = both[0];
                }
                Ok(both)
            })
        };
        assert!(judge(false).is_clean() && judge(true).malformed > 0);
    }

    #[test]
    fn a_neighbouring_scale_is_found() {
        let scale = |case: &Case<f64>, epsilon, places| {
            shipping_scale(case, epsilon).map(|scale| neighbour(scale, places).unwrap_or(scale))
        };
        for (places, too_small) in [(-1, true), (1, false)] {
            let losses = closed::losses::<f64>(500);
            let found = closed::audit_calibration(losses, |case, loss| scale(case, loss, places));
            assert!(if too_small { found.violations > 0 } else { found.loose > 0 });
            let found = integers::audit_integer_calibration(500, |d_in, loss| {
                let scale = integers::shipping_integer_scale(d_in, loss)?;
                Some(neighbour(scale, places).unwrap_or(scale).max(0.0))
            });
            assert!(if too_small { found.violations > 0 } else { found.loose > 0 });
        }
    }

    /// Some error that is not the one of failing entropy.
    fn another_error() -> Error {
        Epsilon::new(-1.0).unwrap_err()
    }

    #[test]
    fn hole_15_an_error_that_tells_where_it_happened() {
        let noise = mechanism(SCALES[0], None);
        let numbers = inputs();
        let numbers: Vec<&Mini> = numbers.iter().collect();
        let late = |x: &Mini, s: &mut FailsAt<'_>| {
            noise.randomize(x, s).map_err(|e| if s.drawn > 1 { another_error() } else { e })
        };
        assert!(audit_faults("late", &numbers, late).malformed > 0);
        let default = |_: &Mini, s: &mut FailsAt<'_>| Ok(s.draw().unwrap_or(0));
        assert!(audit_faults("default", &numbers, default).malformed > 0);
        let retry = |_: &Mini, s: &mut FailsAt<'_>| Ok(s.draw().or_else(|_| s.draw())?);
        assert!(audit_faults("retry", &numbers, retry).malformed > 0);
    }

    #[test]
    fn hole_15_an_error_that_tells_the_value() {
        let outsiders = [0x78, 0xf8, 0x7f].map(Mini);
        let outsiders = outsiders.each_ref();
        let noise = mechanism(SCALES[0], None);
        let telling = |x: &Mini, _: &mut FailsAt<'_>| -> Result<Mini> {
            let bounds = AtomDomain::bounded(Mini(0), Mini(x.0 & 7))?;
            bounds.check_member(x).map(|()| *x)
        };
        assert!(audit_outsiders("right", &outsiders, |x, s| noise.randomize(x, s)).is_clean());
        assert!(audit_outsiders("telling", &outsiders, telling).malformed > 0);
        let drawing = |x: &Mini, s: &mut FailsAt<'_>| {
            s.draw()?;
            noise.randomize(x, s)
        };
        assert!(audit_outsiders("drawing", &outsiders, drawing).malformed > 0);
        assert_eq!(distances().count(), 120);
    }
}
