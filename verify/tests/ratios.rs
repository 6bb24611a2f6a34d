//! Bounds of ratios and of their logarithms, against exact rationals and exponentials over `dashu`.
//!
//! A bound is right if the truth is not beyond it, and is beyond the next float. For a ratio both are comparisons of
//! rationals. For a logarithm, f·ln(n/d) is compared with x through n/d and e^(x/f).

use core::cmp::Ordering;

use dashu_base::{Abs, Signed};
use dashu_int::UBig;
use dashu_ratio::RBig;
use deniable_num::{Decoded, Direction, Float, Lower, Real, Upper};
use deniable_verify::closed_form::exp_neg;
use deniable_verify::draws::big;
use deniable_verify::inversion::{neighbour, value};
use deniable_verify::mini::Mini;
use deniable_verify::words::spread;
use num_bigint::BigUint;

/// numerator / denominator, as it is given to the code in question.
type Fraction = (BigUint, BigUint);

/// Whether x is the least float that is not below the truth, or the greatest that is not above it. `truth` compares
/// the truth with a rational.
fn is_right<F: Float>(x: F, direction: Direction, truth: impl Fn(&RBig) -> Ordering) -> bool {
    let up = direction == Direction::Up;
    let (inside, outside) =
        if up { (Ordering::Less, Ordering::Greater) } else { (Ordering::Greater, Ordering::Less) };
    match x.decode() {
        Decoded::NaN => false,
        Decoded::Infinite { negative } => {
            negative != up && truth(&value(F::largest(negative))) == outside
        }
        Decoded::Finite { .. } => {
            let here = truth(&value(x));
            let next = neighbour(x, if up { -1 } else { 1 });
            (here == inside || here == Ordering::Equal)
                && next.is_none_or(|next| truth(&value(next)) == outside)
        }
    }
}

fn exact((n, d): &Fraction) -> RBig {
    RBig::from(big(n)) / RBig::from(big(d))
}

/// f·ln(ratio) against x, for a factor and a ratio above 0.
fn compare_logarithm(factor: u64, ratio: &RBig, x: &RBig) -> Ordering {
    let y = x / RBig::from(factor);
    if y == RBig::ZERO {
        return ratio.cmp(&RBig::ONE);
    }
    // e^−|y| is no rational, so some precision tells it from one.
    let other = if y.is_negative() { ratio.clone() } else { RBig::ONE / ratio };
    let mut bits = 256;
    loop {
        let power = exp_neg(&y.clone().abs(), bits);
        let above = if other < power.low {
            Some(false)
        } else if other > power.high {
            Some(true)
        } else {
            None
        };
        match above {
            // ratio > e^y, if y is negative; else 1/ratio > e^−y.
            Some(above) if above == y.is_negative() => return Ordering::Greater,
            Some(_) => return Ordering::Less,
            None => bits *= 2,
        }
    }
}

fn ratio_is_right<F: Float>(fraction: &Fraction, x: F, direction: Direction) -> bool {
    let truth = exact(fraction);
    is_right(x, direction, |x| truth.cmp(x))
}

fn logarithm_is_right<F: Float>(
    factor: u64,
    fraction: &Fraction,
    x: F,
    direction: Direction,
) -> bool {
    let ratio = exact(fraction);
    is_right(x, direction, |x| compare_logarithm(factor, &ratio, x))
}

fn check_ratio<F: Float>(fraction: &Fraction) {
    let (n, d) = fraction;
    let (low, high) = (Lower::<F>::ratio(n, d).unwrap(), Upper::<F>::ratio(n, d).unwrap());
    assert!(ratio_is_right(fraction, low.get(), Direction::Down), "{n}/{d} from below");
    assert!(ratio_is_right(fraction, high.get(), Direction::Up), "{n}/{d} from above");
}

fn check_logarithm<F: Float>(factor: u64, fraction: &Fraction) {
    let (n, d) = fraction;
    let low = Lower::<F>::ln_ratio(factor, n, d).unwrap().get();
    let high = Upper::<F>::ln_ratio(factor, n, d).unwrap().get();
    for (x, direction) in [(low, Direction::Down), (high, Direction::Up)] {
        let right = logarithm_is_right(factor, fraction, x, direction);
        assert!(right, "{factor} ln({n}/{d}), {direction:?}");
    }
}

/// An integer of this many bits that looks random.
fn integer(words: &[u64], bits: usize) -> BigUint {
    let long = words.iter().cycle().take(bits / 64 + 1);
    let digits = long.fold(BigUint::ZERO, |digits, &word| (digits << 64u32) + word);
    let excess = digits.bits().saturating_sub(bits as u64);
    (digits >> excess) | (BigUint::from(1u32) << (bits - 1))
}

/// Ratios of all small integers, and of long ones of every pair of lengths from this list.
fn spread_fractions(lengths: &[usize]) -> Vec<Fraction> {
    let small = |n: u32| BigUint::from(n);
    let mut all: Vec<Fraction> =
        (1..32).flat_map(|n| (1..32).map(move |d| (small(n), small(d)))).collect();
    let words = spread(40 + lengths.len() * lengths.len());
    for (i, &n) in lengths.iter().enumerate() {
        for (j, &d) in lengths.iter().enumerate() {
            let at = i * lengths.len() + j;
            all.push((integer(&words[at..at + 20], n), integer(&words[at + 20..at + 40], d)));
        }
    }
    all
}

/// The value of a float, and numbers next to it by less and less: only their last bit tells them from it.
fn beside<F: Float>(x: F) -> Vec<Fraction> {
    let Decoded::Finite { mantissa, exponent, .. } = x.decode() else { return Vec::new() };
    let d = BigUint::from(1u32) << (-exponent).max(0);
    let n = BigUint::from(mantissa) << exponent.max(0);
    let mut all = vec![(n.clone(), d.clone())];
    for shift in [1u32, 2, 10, 60, 75, 90, 130, 300] {
        let (n, d) = (&n << shift, &d << shift);
        all.push((&n + 1u32, d.clone()));
        if n > BigUint::ZERO {
            all.push((n - 1u32, d));
        }
    }
    all
}

/// Ratios next to 1, and to 2 and 1/2, down to a distance of 2^−1100.
fn next_to_powers_of_two() -> Vec<Fraction> {
    let one = BigUint::from(1u32);
    let mut all = Vec::new();
    for k in (1u32..64).chain((64..1101).step_by(61)) {
        let d = &one << k;
        let third = (&one << k) * 3u32;
        all.extend([
            (&d + 1u32, d.clone()),
            (&d - 1u32, d.clone()),
            (&d + 1u32, &d - 1u32),
            (&d - 1u32, &d + 1u32),
            (&third + 1u32, third.clone()),
            (&d * 2u32 + 1u32, d.clone()),
            (&d * 2u32 - 1u32, d.clone()),
            (d.clone(), &d * 2u32 + 1u32),
        ]);
    }
    all
}

#[test]
fn ratios_are_rounded_exactly() {
    let lengths = [1, 2, 31, 53, 54, 63, 64, 65, 100, 127, 128, 129, 130, 200, 900, 1100, 2200];
    let mut fractions = spread_fractions(&lengths);
    fractions.extend(next_to_powers_of_two());
    fractions.push((BigUint::ZERO, BigUint::from(3u32)));
    for bits in spread(150) {
        fractions.extend(beside(f64::from_bits(bits)));
    }
    let edges = [5e-324, 1e-320, f64::MIN_POSITIVE, f64::MAX, 0.0];
    fractions.extend(edges.into_iter().flat_map(beside));
    assert!(fractions.len() > 4000, "{}", fractions.len());
    for fraction in &fractions {
        check_ratio::<f64>(fraction);
        check_ratio::<f32>(fraction);
    }
}

/// Every float of the small format, what is next to it and halfway between two: overflow and underflow included.
#[test]
fn ratios_on_eight_bit_floats() {
    for x in Mini::all().into_iter().filter(|x| x.0 >> 7 == 0) {
        for (n, d) in beside(x) {
            check_ratio::<Mini>(&(&n * 2u32 + 1u32, d.clone()));
            check_ratio::<Mini>(&(n, d));
        }
    }
}

const FACTORS: [u64; 7] = [1, 2, 3, 7, 1000, (1 << 32) + 1, u64::MAX];

#[test]
fn logarithms_are_rounded_exactly() {
    let lengths = [1, 2, 31, 53, 63, 64, 65, 127, 128, 129, 200, 900, 1100, 2200];
    let mut checked = 0;
    for (i, fraction) in spread_fractions(&lengths).iter().enumerate() {
        check_logarithm::<f64>(FACTORS[i % 7], fraction);
        check_logarithm::<f64>(1, fraction);
        check_logarithm::<f32>(FACTORS[(i + 3) % 7], fraction);
        check_logarithm::<Mini>(FACTORS[(i + 5) % 7], fraction);
        checked += 4;
    }
    for (i, fraction) in next_to_powers_of_two().iter().enumerate() {
        check_logarithm::<f64>(FACTORS[i % 7], fraction);
        check_logarithm::<f32>(FACTORS[(i + 3) % 7], fraction);
        checked += 2;
    }
    assert!(checked > 4000, "{checked}");
}

/// e^x for floats x, as ratios just above and just below it: their logarithms are next to a float, by less than any
/// fixed precision tells.
#[test]
fn logarithms_next_to_a_float() {
    for (i, word) in spread(60).into_iter().enumerate() {
        let x = f64::from_bits(word >> 12 | 1023 << 52) * 2f64.powi(i as i32 % 12 - 8);
        for bits in [100usize, 130, 180, 250, 500] {
            // Not above e^−x, by at most 2^−bits of 1.
            let below = exp_neg(&value(x), bits).low;
            let (n, d) = below.into_parts();
            let n = UBig::try_from(n).unwrap();
            let (n, d) = (to_num(&n), to_num(&d));
            for fraction in [(&n + 0u32, d.clone()), (d.clone(), n.clone()), (n + 1u32, d)] {
                check_logarithm::<f64>(1, &fraction);
            }
        }
    }
}

fn to_num(n: &UBig) -> BigUint {
    BigUint::from_bytes_le(&n.to_le_bytes())
}

/// The checks above find these mistakes.
mod planted {
    use super::*;

    fn fractions() -> Vec<Fraction> {
        spread_fractions(&[1, 20, 64, 130, 500]).into_iter().filter(|(n, d)| n != d).collect()
    }

    /// Rounded to nearest, half of the bounds are on the wrong side.
    #[test]
    fn a_ratio_rounded_to_nearest_is_found() {
        for direction in [Direction::Up, Direction::Down] {
            let wrong = |fraction: &&Fraction| {
                let nearest: f64 =
                    Real::ratio(&fraction.0, &fraction.1).unwrap().round(Direction::Nearest);
                !ratio_is_right(fraction, nearest, direction)
            };
            let (all, found) = (fractions(), fractions().iter().filter(wrong).count());
            assert!(found > all.len() / 4, "{found}");
        }
    }

    /// One unit in the last place to either side of every bound.
    #[test]
    fn a_neighbouring_bound_is_found() {
        for fraction in fractions() {
            let (n, d) = &fraction;
            let ratios = [
                (Lower::<f64>::ratio(n, d).unwrap().get(), Direction::Down),
                (Upper::<f64>::ratio(n, d).unwrap().get(), Direction::Up),
            ];
            let logarithms = [
                (Lower::<f64>::ln_ratio(3, n, d).unwrap().get(), Direction::Down),
                (Upper::<f64>::ln_ratio(3, n, d).unwrap().get(), Direction::Up),
            ];
            for places in [-1, 1] {
                for (x, direction) in ratios {
                    let wrong = neighbour(x, places).unwrap();
                    assert!(!ratio_is_right(&fraction, wrong, direction), "{n}/{d}");
                }
                for (x, direction) in logarithms {
                    let wrong = neighbour(x, places).unwrap();
                    assert!(!logarithm_is_right(3, &fraction, wrong, direction), "ln({n}/{d})");
                }
            }
        }
    }

    /// The logarithm of floats: each step rounded to nearest.
    #[test]
    fn a_logarithm_rounded_to_nearest_is_found() {
        let small: Vec<Fraction> = fractions().into_iter().take(500).collect();
        for direction in [Direction::Up, Direction::Down] {
            let wrong = |fraction: &&Fraction| {
                let word = |n: &BigUint| u64::try_from(n).unwrap() as f64;
                let nearest = (word(&fraction.0) / word(&fraction.1)).ln();
                !logarithm_is_right(1, fraction, nearest, direction)
            };
            let found = small.iter().filter(wrong).count();
            assert!(found > 125, "{found}");
        }
    }

    /// The logarithm of the rounded ratio: a bound, but not the neighbouring float.
    #[test]
    fn a_logarithm_of_a_bound_is_found() {
        let wrong = |fraction: &&Fraction| {
            let bound = Upper::<f64>::ratio(&fraction.0, &fraction.1).unwrap().ln().unwrap();
            !logarithm_is_right(1, fraction, bound.get(), Direction::Up)
        };
        assert!(fractions().iter().filter(wrong).count() > 100);
    }

    /// An infinity where a finite bound exists, and the largest number where none does.
    #[test]
    fn a_wrong_end_is_found() {
        let max = (BigUint::from(1u32) << 1024u32) - (BigUint::from(1u32) << 971u32);
        let (largest, beyond) =
            ((max.clone(), BigUint::from(1u32)), (max + 1u32, BigUint::from(1u32)));
        assert!(!ratio_is_right(&largest, f64::INFINITY, Direction::Up));
        assert!(!ratio_is_right(&beyond, f64::MAX, Direction::Up));
        assert!(!ratio_is_right(&beyond, f64::INFINITY, Direction::Down));
    }
}
