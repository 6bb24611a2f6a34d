//! Log-probabilities of an interval of discrete Laplace noise, in units. [`law`](super::law) says why so.

use std::collections::HashMap;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::closed_form::{exp_neg, ln};
use crate::law::Between;

/// Binary places of the unit; its other factor is 1/(the rate's denominator).
const PLACES: usize = 100;

/// A log-probability: `exact` plus the logarithm of the bracket, which is between `low` and `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell {
    pub(super) possible: bool,
    pub(super) bracket: u32,
    pub(super) exact: i128,
    pub(super) low: i128,
    pub(super) high: i128,
}

pub(super) const IMPOSSIBLE: Cell = Cell { possible: false, bracket: 0, exact: 0, low: 0, high: 0 };

/// The brackets met so far, for one rate.
pub(super) struct Brackets {
    rate: RBig,
    known: HashMap<Bracket, (u32, i128, i128)>,
}

/// 1 − q^width, or 1 + q − q^left − q^right. A power that is not there is 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Bracket {
    OneSide { width: Option<i64> },
    BothSides { left: Option<i64>, right: Option<i64> },
}

impl Brackets {
    pub(super) fn new(rate: &RBig) -> Self {
        Brackets { rate: rate.clone(), known: HashMap::new() }
    }

    /// The log-probability of noise between these ends, both included.
    pub(super) fn cell(&mut self, from: Option<i64>, to: Option<i64>) -> Cell {
        let width = from.zip(to).map(|(from, to)| to - from + 1);
        let (steps, bracket) = match (from, to) {
            (Some(from @ 0..), _) => (from, Bracket::OneSide { width }),
            (_, Some(to @ ..=0)) => (-to, Bracket::OneSide { width }),
            _ => {
                let (left, right) = (from.map(|from| 1 - from), to.map(|to| to + 1));
                (0, Bracket::BothSides { left, right })
            }
        };
        let known = self.known.len() as u32;
        let rate = &self.rate;
        let entry = self.known.entry(bracket);
        let &mut (bracket, low, high) = entry.or_insert_with(|| {
            let (low, high) = enclosed(bracket, rate);
            (known, low, high)
        });
        let exact = -(self.rate.numerator() << PLACES) * IBig::from(steps);
        let exact = i128::try_from(exact).expect("a log-probability of less than 2^25");
        Cell { possible: true, bracket, exact, low, high }
    }
}

/// The logarithm of a bracket in units, rounded outwards.
fn enclosed(bracket: Bracket, rate: &RBig) -> (i128, i128) {
    // Brackets are above 2^−20, so that the error of the logarithm is below 2^−110.
    let power = |n: Option<i64>| match n {
        Some(n) => exp_neg(&(rate * RBig::from(n)), 140),
        None => Between::exactly(RBig::ZERO),
    };
    let value = match bracket {
        Bracket::OneSide { width } => {
            let gone = power(width);
            Between { low: RBig::ONE - gone.high, high: RBig::ONE - gone.low }
        }
        Bracket::BothSides { left, right } => {
            let (q, left, right) = (power(Some(1)), power(left), power(right));
            Between {
                low: RBig::ONE + q.low - left.high - right.high,
                high: RBig::ONE + q.high - left.low - right.low,
            }
        }
    };
    let unit = unit_inverse(rate.denominator());
    let low = (ln(&value.low, 120).low * &unit).floor();
    let high = (ln(&value.high, 120).high * unit).ceil();
    let fits = |bound| i128::try_from(bound).expect("a logarithm of less than 64");
    (fits(low), fits(high))
}

/// How many units 1 is.
pub(super) fn unit_inverse(denominator: &UBig) -> RBig {
    RBig::from(denominator << PLACES)
}
