//! What a mechanism truly loses, as an exact number, and where a claimed bound lies beside it.
//!
//! Rationals are those of `dashu`, logarithms are enclosed by `deniable-audit`: neither is what computes our maps, nor what computes theirs.

use dashu_ratio::RBig;
use deniable_audit::closed_form;
use deniable_audit::exact::{Loss, Worst, value};

/// The largest loss over all pairs of inputs at a distance.
#[derive(Clone, Debug)]
pub(super) enum Truth {
    /// An output of one input is impossible for the other.
    Infinite,
    Exactly(RBig),
    /// So many times the logarithm of a ratio of at least 1.
    Logarithm(u64, RBig),
}

/// Where a bound lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The truth is larger: it is no bound.
    Below,
    /// It is the least float that is a bound.
    Least,
    /// There are smaller floats that are bounds.
    Above,
}

impl Truth {
    pub(super) fn nothing() -> Self {
        Truth::Exactly(RBig::ZERO)
    }

    pub(super) fn side(&self, bound: f64) -> Side {
        if !self.is_bounded_by(bound) {
            Side::Below
        } else if self.is_bounded_by(bound.next_down()) {
            Side::Above
        } else {
            Side::Least
        }
    }

    fn is_bounded_by(&self, bound: f64) -> bool {
        match self {
            _ if bound.is_nan() || bound < 0.0 => false,
            _ if bound == f64::INFINITY => true,
            Truth::Infinite => false,
            Truth::Exactly(truth) => value(bound) >= *truth,
            Truth::Logarithm(times, ratio) => {
                Loss::new(Worst::Ratio(ratio.clone())).slack(*times, bound).is_some()
            }
        }
    }

    /// Whether a bound is above the truth by no more than some roundings explain: each of a few steps on the way to the argument of
    /// a logarithm moves it by 2^−52, and each step behind it by one in the last place. What is no logarithm can be rounded once.
    pub(super) fn is_nearly(&self, bound: f64) -> bool {
        let Truth::Logarithm(times, ratio) = self else {
            return self.side(bound) == Side::Least;
        };
        if !bound.is_finite() {
            return false;
        }
        let step = value(bound) - value(bound.next_down());
        let arguments = value(f64::EPSILON) * RBig::from(4 * times);
        let truth = closed_form::ln(ratio, BITS).low * RBig::from(*times);
        value(bound) <= truth + arguments + step * RBig::from(4)
    }

    /// Twenty digits, cut off.
    pub(super) fn digits(&self) -> String {
        match self {
            Truth::Infinite => "inf".to_owned(),
            Truth::Exactly(truth) => digits(truth),
            Truth::Logarithm(times, ratio) => {
                digits(&(closed_form::ln(ratio, BITS).low * RBig::from(*times)))
            }
        }
    }
}

/// More than twenty digits.
const BITS: usize = 128;

fn digits(number: &RBig) -> String {
    if number.is_zero() {
        return "0".to_owned();
    }
    let ten = RBig::from(10);
    let (mut mantissa, mut exponent) = (number.clone(), 0);
    while mantissa >= ten {
        mantissa /= &ten;
        exponent += 1;
    }
    while mantissa < RBig::ONE {
        mantissa *= &ten;
        exponent -= 1;
    }
    let scaled = (mantissa * RBig::from(10).pow(19)).trunc().to_string();
    let (first, rest) = scaled.split_at(1);
    let rest = rest.trim_end_matches('0');
    format!("{first}{}{rest}e{exponent}", if rest.is_empty() { "" } else { "." })
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_audit::exact::fraction;

    #[test]
    fn sides_of_a_rational() {
        let third = Truth::Exactly(fraction(1, 3));
        let up = (1.0f64 / 3.0).next_up();
        assert_eq!(third.side(1.0 / 3.0), Side::Below);
        assert_eq!((third.side(up), third.side(up.next_up())), (Side::Least, Side::Above));
        assert!(third.is_nearly(up) && !third.is_nearly(up.next_up()));
        assert_eq!(Truth::nothing().side(0.0), Side::Least);
        assert_eq!(Truth::nothing().side(f64::from_bits(1)), Side::Above);
        let beyond = Truth::Exactly(value(f64::MAX) * RBig::from(2));
        assert_eq!((beyond.side(f64::MAX), beyond.side(f64::INFINITY)), (Side::Below, Side::Least));
        assert_eq!(Truth::Infinite.side(f64::MAX), Side::Below);
        assert_eq!(Truth::Infinite.side(f64::INFINITY), Side::Least);
        assert_eq!(Truth::Infinite.side(f64::NAN), Side::Below);
    }

    #[test]
    fn sides_of_a_logarithm() {
        let three = Truth::Logarithm(2, fraction(3, 1));
        // 2 ln 3 = 2.19722457733621938…, between two floats.
        let (down, up) = (2.197_224_577_336_219_f64, 2.197_224_577_336_219_6_f64);
        assert_eq!(down.next_up(), up);
        assert_eq!((three.side(down), three.side(up)), (Side::Below, Side::Least));
        assert_eq!(three.side(up.next_up()), Side::Above);
        assert!(three.is_nearly(up.next_up()) && !three.is_nearly(up + 1e-14));
        // 2 ln((1 + u)/(1 − u)) with u = 2^−53 is above 4u by less than any float could tell, and above it.
        let hair = Truth::Logarithm(2, fraction((1 << 53) + 1, (1 << 53) - 1));
        let four = 2f64.powi(-51);
        assert_eq!((hair.side(four), hair.side(four.next_up())), (Side::Below, Side::Least));
        assert_eq!(three.digits(), "2.1972245773362193827e0");
    }

    #[test]
    fn digits_of_small_and_large_ones() {
        assert_eq!(digits(&fraction(1, 8)), "1.25e-1");
        assert_eq!(digits(&fraction(2000, 1)), "2e3");
        assert_eq!(digits(&fraction(1, 3)), "3.3333333333333333333e-1");
    }
}
