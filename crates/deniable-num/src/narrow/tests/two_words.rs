//! What two words tell of a sum, where one does not hold what is known.

use super::*;

impl Case {
    pub(super) fn long_answer<F: Float>(&self) -> Option<F> {
        Narrow::nearest_sum_128(self.x, (self.y_negative, self.y))
    }

    /// Whether two words, in which y is as far up as it can be, may miss what one word tells: the slack is too much of y, or the
    /// upper end is in the last bit of one word, as it is not of two, and their difference too small a part of it.
    pub(super) fn is_bad_for_two_words(&self) -> bool {
        let high = self.y.mantissa + self.y.slack;
        self.y.slack > high >> 14 || high >> 63 != 0
    }

    /// [`Case::is_easy`] for two words.
    pub(super) fn is_easy_in_two_words<F: Float>(&self) -> bool {
        let (_, mantissa, exponent) = self.x;
        let up = (self.y.mantissa + self.y.slack).leading_zeros().saturating_sub(1);
        let y_unit = self.y.exponent - i64::from(up);
        let x_unit = match mantissa {
            0 => y_unit,
            _ => exponent - 63 - i64::from(mantissa.leading_zeros()),
        };
        let unit = x_unit.max(y_unit);
        let (x_down, y_down) = (unit - x_unit, unit - y_unit);
        let slack = BigUint::from(self.y.slack) << up >> y_down;
        if x_down > 127 || y_down > 127 || slack > BigUint::from((1u128 << 114) - 3) {
            return false;
        }
        // Nothing is lost, as both units are multiples of the smaller one.
        let common = x_unit.min(y_unit).min(exponent).min(self.y.exponent) - 2;
        let [one, other] = [0, self.y.slack].map(|above| self.big_sum(above, common));
        // More than nothing, as a tie is not told.
        let more = (u32::from(x_down >= 63) + u32::from(y_down > 0)) * 4 + 1;
        let more = BigUint::from(more) << (unit - common) >> 2;
        let (low, high) =
            (one.magnitude().min(other.magnitude()), one.magnitude().max(other.magnitude()));
        one.sign() == other.sign()
            && *low > more
            && has_one_float::<F>(&(low - &more), &(high + &more), common, unit)
    }
}

/// Whether all from low to high, in units of 2^common, round to one float, though the places were those of the smallest. They are at
/// least 2^(unit + 116) and not nearly 2^(unit + 128). Neither subnormal, nor one of the largest numbers.
fn has_one_float<F: Float>(low: &BigUint, high: &BigUint, common: i64, unit: i64) -> bool {
    let place = |n: &BigUint| n.bits() as i64 - i64::from(F::PRECISION);
    if (low.bits() as i64) < 117 + unit - common {
        return false;
    }
    let half = |n: &BigUint| BigUint::from(1u32) << (place(n) - 1);
    let kept = |n: &BigUint| (n + half(low)) >> place(low);
    kept(low) == kept(high)
        && (high + half(high)).bits() as i64 <= 128 + unit - common
        && common + place(low) >= F::MIN_EXPONENT.into()
        && common + place(high) < F::MAX_EXPONENT.into()
}

/// Runs a case. Fails if an answer is not right, in two ways to tell, or if there is none where two words have to be enough.
fn run<F: Float>(count: &mut Count, case: Case) {
    count.cases += 1;
    match case.long_answer::<F>() {
        None => assert!(!case.is_easy_in_two_words::<F>(), "no answer to {case:?}"),
        Some(answer) => {
            count.answers += 1;
            assert!(case.is_nearest(answer), "{case:?} is not near {answer:?}");
            if count.answers % 7 == 0 {
                assert!(case.is_right(answer), "{case:?} is not {answer:?}");
            }
        }
    }
}

impl Known<'_> {
    pub(super) const TWO_WORDS: Self = Known {
        bits: &[127, 126, 125, 121, 100, 90, 66, 64, 30, 1],
        slacks: &[0, 1, 2, 5, 1 << 20, 1 << 60, 1 << 100, u128::MAX],
        offsets: &[-9, -5, -3, -2, -1, 0, 1, 2, 4],
        most: u128::MAX,
    };
}

const DISTANCES: [i64; 23] = [
    -260, -129, -128, -127, -126, -125, -100, -66, -63, -53, -20, -1, 0, 1, 2, 13, 52, 63, 74, 100,
    115, 127, 128,
];

fn sums_near_and_far<F: Float>() -> Count {
    let mut count = Count::default();
    // Not a divisor of what they are made of: all kinds of both come together.
    for target in ends_and_middle::<F>().into_iter().flat_map(|x| targets(x.term)).step_by(5) {
        let zeros = [false, true].map(|negative| from_parts::<F>(negative, 0, 0));
        let subnormal = [1, u64::MAX].map(|fraction| from_parts::<F>(true, 0, fraction));
        let near = DISTANCES.iter().flat_map(|&above| relative_to::<F>(target, above)).step_by(5);
        for x in zeros.into_iter().chain(subnormal).flatten().chain(near) {
            Known::TWO_WORDS.around(x, target, &mut |case| run::<F>(&mut count, case));
        }
    }
    count
}

#[test]
fn long_sums_of_each_format() {
    for count in [
        sums_near_and_far::<f64>(),
        sums_near_and_far::<f32>(),
        sums_near_and_far::<Long>(),
        sums_near_and_far::<Sixteen>(),
        sums_near_and_far::<Five>(),
    ] {
        assert!(count.cases > 800_000 && count.answers > 180_000, "{count:?}");
    }
}

/// Units up to 135 places apart, in either direction: x is a float or halfway between two, and y is any number.
fn sums_of_all_distances<F: Float>(count: &mut Count) {
    let floats = ends_and_middle::<F>().into_iter().step_by(5);
    let halfways = floats.clone().flat_map(|x| targets(x.term).map(X::other).step_by(3));
    for x in floats.chain(halfways) {
        let (_, mantissa, exponent) = x.term;
        let x_unit = exponent - 63 - i64::from(mantissa.leading_zeros());
        for ahead in -135..=135 {
            for (n, mantissa) in MANTISSAS.into_iter().enumerate() {
                for slack in [0, 1, 4, 1 << 20, 1 << 60, 1 << 100, u128::MAX] {
                    let slack = slack.min(u128::MAX - mantissa);
                    let y_negative = (n as i64 + ahead) % 2 == 0;
                    let y = Narrow { mantissa, slack, exponent: x_unit - ahead };
                    run::<F>(count, Case { x: x.term, raw: x.raw, y_negative, y });
                }
            }
        }
    }
}

/// From nothing to the largest, whose upper end is in the last bit.
const MANTISSAS: [u128; 9] = [
    0,
    1,
    5 << 40,
    (5 << 100) + 1,
    1 << 125,
    0x5555_5555 << 95,
    1 << 126,
    (1 << 127) - 3,
    (1 << 127) - 1,
];

#[test]
fn long_sums_of_units_far_apart() {
    let mut count = Count::default();
    sums_of_all_distances::<f64>(&mut count);
    sums_of_all_distances::<f32>(&mut count);
    sums_of_all_distances::<Long>(&mut count);
    sums_of_all_distances::<Sixteen>(&mut count);
    sums_of_all_distances::<Five>(&mut count);
    assert!(count.cases > 1_100_000 && count.answers > 430_000, "{count:?}");
}

/// Both numbers from 2^−10 to 2^10, y known to 120 bits: all sums are told that are not far smaller than both.
#[test]
fn two_words_are_enough() {
    let mut count = Count::default();
    for (mixed, more) in spread(100_000).zip(spread(200_000).skip(100_000)) {
        let (x_top, y_top) = ((mixed % 20) as i64 - 10, (mixed >> 8) as i64 % 20 - 10);
        let biased = x_top + 1023;
        let x = from_parts::<f64>(mixed >> 40 & 1 == 1, biased, mixed >> 3).unwrap();
        let mantissa = (u128::from(mixed.rotate_left(31)) << 64 | u128::from(more)) >> 8 | 1 << 119;
        let y = Narrow { mantissa, slack: 5, exponent: y_top - 120 };
        run::<f64>(&mut count, Case { x: x.term, raw: None, y_negative: mixed >> 41 & 1 == 1, y });
    }
    assert!(count.answers > 99_980, "{count:?}");
}
