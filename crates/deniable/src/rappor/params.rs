//! The parameters of a collection, and what they lose.

use alloc::borrow::ToOwned;
use core::ops::RangeInclusive;

use deniable_num::{Decoded, Float};
use deniable_sample::Dyadic;
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use crate::error::Shown;
#[cfg(feature = "std")]
use crate::estimate::Channel;
use crate::mechanism::bound::{exact, is_zero, loss_of_odds};
use crate::{Epsilon, Error, Result};

/// The parameters of a collection. Clients and the server use the same ones.
///
/// | name | what it is | accepted |
/// |---|---|---|
/// | k | bits of a report | 1 to 2^16 |
/// | h | hash functions: bits of the Bloom filter that a value sets, if they are distinct | 1 to 64 |
/// | m | cohorts, each with hash functions of its own | 1 to 2^14, and k·m up to 2^24 |
/// | p | the probability of a one in a report where the permanent answer has a zero | 0 to 1 |
/// | q | that where it has a one | 0 to 1, other than p |
/// | f | how often a bit of the permanent answer is noise, half of it ones | 0 to below 1 |
///
/// All three probabilities are those of the floats, to the last digit. p may be above q: then a one speaks against a value, and all else
/// is the same.
///
/// ```
/// use deniable::rappor::Params;
///
/// let params = Params::new(128, 2, 64, 0.25, 0.75, 0.5)?;
/// assert_eq!(format!("{:.4}", params.epsilon_of_report()), "2.0434");
/// assert_eq!(format!("{:.4}", params.epsilon_of_all_reports()), "4.3945");
///
/// let error = Params::new(128, 2, 64, 0.5, 0.5, 0.5).unwrap_err();
/// assert_eq!(error.to_string(), "invalid q: it is equal to p, and the reports say nothing; accepted is a number from 0 to 1, other than p");
/// # Ok::<(), deniable::Error>(())
/// ```
///
/// They can be written and read; what is read is checked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Params {
    k: usize,
    h: usize,
    m: usize,
    p: f64,
    q: f64,
    f: f64,
}

const BITS: RangeInclusive<usize> = 1..=1 << 16;
const HASHES: RangeInclusive<usize> = 1..=64;
const COHORTS: RangeInclusive<usize> = 1..=1 << 14;
/// Bits of all cohorts together, each of which the server has a count of.
const COUNTS: usize = 1 << 24;

impl Params {
    /// These parameters, in the order of the reference implementation's file.
    ///
    /// # Errors
    ///
    /// A parameter outside its range, see [`Params`].
    pub fn new(k: usize, h: usize, m: usize, p: f64, q: f64, f: f64) -> Result<Self> {
        check_integer("k", k, BITS)?;
        check_integer("h", h, HASHES)?;
        check_integer("m", m, COHORTS)?;
        if k * m > COUNTS {
            let problem = format!("{m} cohorts of {k} bits have too many counts");
            let accepted = format!("an integer up to {}", COUNTS / k);
            return Err(Error::invalid_parameter("m", problem, accepted));
        }
        let (p, q) = (probability("p", p)?, probability("q", q)?);
        // Not a comparison of floats, which may take subnormal numbers for zero.
        if p.to_bits() == q.to_bits() {
            let problem = "it is equal to p, and the reports say nothing";
            let accepted = "a number from 0 to 1, other than p";
            return Err(Error::invalid_parameter("q", problem, accepted));
        }
        Ok(Params { k, h, m, p, q, f: noise(f)? })
    }

    /// The bits of a report.
    pub fn k(&self) -> usize {
        self.k
    }

    /// The hash functions of a cohort.
    pub fn h(&self) -> usize {
        self.h
    }

    /// The cohorts.
    pub fn m(&self) -> usize {
        self.m
    }

    /// The probability of a one in a report where the permanent answer has a zero.
    pub fn p(&self) -> f64 {
        self.p
    }

    /// The probability of a one in a report where the permanent answer has a one.
    pub fn q(&self) -> f64 {
        self.q
    }

    /// How often a bit of the permanent answer is noise: twice the probability that it is flipped.
    pub fn f(&self) -> f64 {
        self.f
    }

    /// What one report loses, rounded up: h·ln(q*(1 − p*)/(p*(1 − q*))), where q* and p* are the probabilities of a one in a report where
    /// the Bloom filter has a one and a zero, see [`Params::channel`]. Less if a filter has fewer than 2h bits.
    ///
    /// It covers one report of a client, of any value against any other, if that client's key and value are used for no other
    /// report. For all that a client ever sends see [`Params::epsilon_of_all_reports`].
    pub fn epsilon_of_report(&self) -> Epsilon {
        let (one, zero, whole) = self.odds();
        let (not_one, not_zero) = (&whole - &one, &whole - &zero);
        let (larger, smaller) = self.most_bits();
        if larger == 0 {
            return Epsilon::ZERO;
        }
        if [&one, &zero, &not_one, &not_zero].contains(&&BigUint::ZERO) {
            return Epsilon::INFINITY;
        }
        if larger == smaller {
            return loss_of_odds(larger.into(), &(one * not_zero), &(zero * not_one));
        }
        // One of both kinds of bits tells more than the other, and there may be more bits of one kind than of the other.
        let (ones, zeros) = (ordered(one, zero), ordered(not_zero, not_one));
        let (more, less) = match &ones.0 * &zeros.1 >= &zeros.0 * &ones.1 {
            true => (ones, zeros),
            false => (zeros, ones),
        };
        let product = |a: BigUint, b: BigUint| a.pow(larger) * b.pow(smaller);
        loss_of_odds(1, &product(more.0, less.0), &product(more.1, less.1))
    }

    /// What any number of reports of one value lose, rounded up: 2h·ln((1 − f/2)/(f/2)), or with k in the place of 2h if that is less. ∞ if `f` is 0.
    ///
    /// # What it covers
    ///
    /// Somebody who sees all reports of a client, of all times, and is to tell which of two values it holds: the loss of replacing one
    /// value *wherever it occurs* by another one that does not occur elsewhere. Each further value that is replaced in this way, and each further metric,
    /// adds as much again.
    ///
    /// *When* an answer changes is not protected. A client that says A, A, B has one permanent answer for A and another for B, and somebody
    /// who sees many reports can tell that it changed, and when. So there is no finite bound for two histories that differ in which of their answers are equal.
    ///
    /// It rests on the client's keyed function ([`Client`](super::Client)), and on nobody else knowing the key.
    ///
    /// # From a budget
    ///
    /// The smallest `f` is that of the permanent answer alone:
    ///
    /// ```
    /// use deniable::mechanism::randomized_response_bitvec::smallest_f;
    /// use deniable::rappor::Params;
    /// use deniable::{BitVectorDomain, Epsilon};
    ///
    /// let (k, h, budget) = (128, 2, Epsilon::new(4.0)?);
    /// let f = smallest_f(&BitVectorDomain::new(k).with_max_weight(h), budget)?;
    /// assert!(Params::new(k, h, 64, 0.25, 0.75, f)?.epsilon_of_all_reports() <= budget);
    /// # Ok::<(), deniable::Error>(())
    /// ```
    pub fn epsilon_of_all_reports(&self) -> Epsilon {
        let (larger, smaller) = self.most_bits();
        match larger + smaller {
            0 => Epsilon::ZERO,
            _ if is_zero(self.f) => Epsilon::INFINITY,
            bits => {
                let f = exact(self.f);
                let kept = f.denominator() * BigUint::from(2u32) - f.numerator();
                loss_of_odds(bits.into(), &kept, f.numerator())
            }
        }
    }

    /// The probabilities q* = f(p + q)/2 + (1 − f)q and p* = f(p + q)/2 + (1 − f)p that a bit of a report is one, if that bit of the Bloom
    /// filter is one, and if it is zero. Exactly.
    #[cfg(feature = "std")]
    pub fn channel(&self) -> Channel {
        let (one, zero, whole) = self.odds();
        Channel::from_parts(one, zero, whole)
    }

    /// q* and p*, and what they are parts of.
    fn odds(&self) -> (BigUint, BigUint, BigUint) {
        let [p, q, f] = [self.p, self.q, self.f].map(exact);
        // Over a common denominator.
        let (zero, one) = (p.numerator() * q.denominator(), q.numerator() * p.denominator());
        let whole = p.denominator() * q.denominator();
        let (noise, kept) = (f.numerator(), f.denominator() - f.numerator());
        let both = noise * (&zero + &one);
        let two = BigUint::from(2u32);
        let of = |bit: BigUint| &both + &two * &kept * bit;
        (of(one), of(zero), whole * f.denominator() * &two)
    }

    /// How many bits two Bloom filters can have that the other one has not: the larger and the smaller number, so that their sum is the largest.
    fn most_bits(&self) -> (u32, u32) {
        // Each filter has a bit at least, so that one bit alone is the same in all of them.
        let larger = self.h.min(self.k - 1);
        let smaller = if larger == 0 { 0 } else { self.h.min(self.k - larger) };
        (larger as u32, smaller as u32)
    }

    /// The law of a flip of the permanent answer.
    pub(super) fn flip(&self) -> Dyadic {
        Dyadic::from_float(self.f).expect("a checked probability").half()
    }

    /// The laws of a one in a report, where the permanent answer has a one and where it has a zero.
    pub(super) fn ones(&self) -> (Dyadic, Dyadic) {
        let law = |prob| Dyadic::from_float(prob).expect("a checked probability");
        (law(self.q), law(self.p))
    }
}

/// The larger first.
fn ordered(a: BigUint, b: BigUint) -> (BigUint, BigUint) {
    if a >= b { (a, b) } else { (b, a) }
}

fn check_integer(name: &'static str, n: usize, range: RangeInclusive<usize>) -> Result<()> {
    if range.contains(&n) {
        return Ok(());
    }
    let (least, most) = range.into_inner();
    let problem =
        if n < least { format!("{n} is below {least}") } else { format!("{n} is above {most}") };
    Err(Error::invalid_parameter(name, problem, format!("an integer from {least} to {most}")))
}

/// A probability, without the sign of −0.
fn probability(name: &'static str, x: f64) -> Result<f64> {
    if x <= 1.0 && !is_negative(x) {
        return Ok(without_sign(x));
    }
    let problem = match x {
        _ if x.is_nan() => "it is not a number".to_owned(),
        _ if x > 1.0 => format!("{} is above 1", Shown(x)),
        _ => format!("{} is below 0", Shown(x)),
    };
    Err(Error::invalid_parameter(name, problem, "a number from 0 to 1"))
}

/// A probability below 1.
fn noise(f: f64) -> Result<f64> {
    if f < 1.0 && !is_negative(f) {
        return Ok(without_sign(f));
    }
    let problem = match f {
        _ if f.is_nan() => "it is not a number".to_owned(),
        _ if f >= 1.0 => format!("{} is not below 1", Shown(f)),
        _ => format!("{} is below 0", Shown(f)),
    };
    Err(Error::invalid_parameter("f", problem, "a number from 0 to below 1"))
}

/// Whether it is below 0. A comparison of floats would take subnormal numbers for zero, if the processor is so set.
fn is_negative(x: f64) -> bool {
    let decoded = x.decode();
    matches!(decoded, Decoded::Finite { negative: true, .. } | Decoded::Infinite { negative: true })
}

fn without_sign(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & u64::MAX >> 1)
}

/// Parameters as they are written. What is read becomes [`Params`] only through the constructor.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    k: usize,
    h: usize,
    m: usize,
    p: f64,
    q: f64,
    f: f64,
}

impl From<Params> for Written {
    fn from(Params { k, h, m, p, q, f }: Params) -> Self {
        Written { k, h, m, p, q, f }
    }
}

impl TryFrom<Written> for Params {
    type Error = Error;

    fn try_from(Written { k, h, m, p, q, f }: Written) -> Result<Self> {
        Params::new(k, h, m, p, q, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs of filters: of the bits that only one of them has, neither filter has more than the larger number, and both together not more than the sum, which some pair has.
    #[test]
    fn no_two_filters_differ_in_more_bits() {
        for (k, h) in (1..=6).flat_map(|k| (1..=7).map(move |h| (k, h))) {
            let (larger, smaller) = Params::new(k, h, 1, 0.25, 0.75, 0.5).unwrap().most_bits();
            let filters = || (1..1u32 << k).filter(|filter| filter.count_ones() as usize <= h);
            let mut is_reached = false;
            for (a, b) in filters().flat_map(|a| filters().map(move |b| (a, b))) {
                let (one, other) = ((a & !b).count_ones(), (b & !a).count_ones());
                assert!(one <= larger && one + other <= larger + smaller, "{k} {h}");
                is_reached |= (one, other) == (larger, smaller);
            }
            assert!(is_reached, "{k} {h}: {larger} and {smaller}");
        }
    }
}
