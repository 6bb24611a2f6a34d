//! The mechanisms, with what is known of their laws.

use deniable::prelude::*;
use deniable_audit::exact::{Loss, Worst};
use deniable_audit::subject::{self, Other, Subject};
use deniable_audit::{enumerated, stated};
use serde::Serialize;

use crate::error::{Error, Result};

/// A mechanism and its parameters.
#[derive(Debug, Serialize, clap::Subcommand)]
#[serde(tag = "mechanism", rename_all = "kebab-case")]
pub(super) enum Mechanism {
    /// Yes or no
    RandomizedResponseBool {
        /// The probability of the truth
        #[arg(long)]
        prob: f64,
    },
    /// One of several categories
    RandomizedResponse {
        /// How many there are
        #[arg(long)]
        categories: u32,
        /// The probability of the truth
        #[arg(long)]
        prob: f64,
    },
    /// Bits, of which some may be ones
    RandomizedResponseBitvec {
        /// How many bits there are
        #[arg(long)]
        length: usize,
        /// The most that are ones
        #[arg(long)]
        max_weight: usize,
        /// How often a bit is noise
        #[arg(long)]
        f: f64,
    },
    /// A bit for each category
    UnaryEncoding {
        /// How many categories there are
        #[arg(long)]
        categories: u32,
        /// The probability of a one in the bit of the answer
        #[arg(long)]
        one: f64,
        /// The probability of a one in another bit
        #[arg(long)]
        zero: f64,
    },
    /// A subset of the categories
    SubsetSelection {
        /// How many categories there are
        #[arg(long)]
        categories: u32,
        /// How many are in a report
        #[arg(long)]
        size: u32,
        /// The probability that the answer is one of them
        #[arg(long)]
        prob: f64,
    },
    /// A hash of the category
    LocalHashing {
        /// How many categories there are
        #[arg(long)]
        categories: u32,
        /// How many values the hash has
        #[arg(long)]
        buckets: u32,
        /// The probability of the answer's
        #[arg(long)]
        prob: f64,
    },
    /// Laplace noise on a number
    FloatLaplace {
        /// The scale of the noise
        #[arg(long)]
        scale: f64,
        /// How far neighbouring numbers are apart
        #[arg(long)]
        distance: f64,
    },
    /// Laplace noise on a whole number
    IntegerLaplace {
        /// The scale of the noise
        #[arg(long)]
        scale: f64,
        /// How far neighbouring numbers are apart
        #[arg(long)]
        distance: u32,
    },
}

/// What there is to look at.
pub(super) struct Look {
    pub(super) subject: Subject,
    pub(super) exact: Option<Exact>,
}

/// The worst loss: so many times the logarithm of a ratio.
pub(super) struct Exact {
    worst: Worst,
    times: u64,
    /// How many runs of how many inputs found the law, or None if it is the stated one.
    enumerated: Option<(u64, usize)>,
}

/// What the worst loss says of a claim.
pub(super) struct Judged {
    /// The loss, to show.
    pub(super) epsilon: f64,
    /// How far the claim is above it, in units of the claim's last place; None if it is not.
    pub(super) slack: Option<f64>,
    pub(super) is_enumerated: bool,
    /// What this rests on, in words.
    pub(super) basis: String,
}

impl Look {
    /// Another claim than the mechanism's.
    pub(super) fn claim(&mut self, epsilon: f64) -> Result<()> {
        self.subject.claimed = Epsilon::new(epsilon)?;
        Ok(())
    }

    fn stated(subject: Subject, worst: impl IntoIterator<Item = Worst>) -> Self {
        let worst = worst.into_iter().max().expect("there are ratios");
        Look { subject, exact: Some(Exact { worst, times: 1, enumerated: None }) }
    }

    fn enumerated(subject: Subject, found: enumerated::Enumerated) -> Self {
        let enumerated = Some((found.runs, found.inputs));
        Look { subject, exact: Some(Exact { worst: found.worst, times: 1, enumerated }) }
    }
}

impl Exact {
    pub(super) fn judged(self, claimed: f64) -> Judged {
        let loss = Loss::new(self.worst);
        let epsilon = if self.times == 0 { 0.0 } else { self.times as f64 * loss.approximate() };
        let basis = match self.enumerated {
            Some((runs, inputs)) => format!(
                "the law of this program for each of {inputs} inputs, over all 64-bit words: {runs} runs stand for all of them. That the system's words are uniform is taken for granted",
            ),
            None => "the stated law, in rational numbers. That this program has it is shown by deniable-verify, not here; runs look at the program".to_owned(),
        };
        let slack = loss.slack(self.times, claimed);
        Judged { epsilon, slack, is_enumerated: self.enumerated.is_some(), basis }
    }
}

impl Mechanism {
    /// The mechanism that ships, ready to be run, and its law.
    pub(super) fn look(&self) -> Result<Look> {
        match *self {
            Mechanism::RandomizedResponseBool { prob } => {
                let mechanism = make_randomized_response_bool(prob, false)?;
                let found = enumerated::yes_no(&mechanism).map_err(Error::refused)?;
                Ok(Look::enumerated(subject::yes_no(mechanism), found))
            }
            Mechanism::RandomizedResponse { categories, prob } => {
                let mechanism = make_randomized_response(0..categories, prob)?;
                if categories > enumerated::MOST_CATEGORIES {
                    let subject = subject::choice(mechanism, Other::Category);
                    return Ok(Look::stated(subject, stated::choice(categories, prob)));
                }
                let found = enumerated::choice(&mechanism).map_err(Error::refused)?;
                Ok(Look::enumerated(subject::choice(mechanism, Other::Category), found))
            }
            Mechanism::RandomizedResponseBitvec { length, max_weight, f } => {
                let domain = BitVectorDomain::new(length).with_max_weight(max_weight);
                let mechanism =
                    make_randomized_response_bitvec(domain, DiscreteDistance, f, false)?;
                let times = length.min(max_weight.saturating_mul(2)) as u64;
                let exact = Exact { worst: stated::bit(f), times, enumerated: None };
                Ok(Look { subject: subject::ticks(mechanism)?, exact: Some(exact) })
            }
            Mechanism::UnaryEncoding { categories, one, zero } => {
                let mechanism = make_unary_encoding(0..categories, one, zero)?;
                let subject = subject::bits_of_a_choice(mechanism, Other::Category);
                Ok(Look::stated(subject, stated::bits_of_a_choice(one, zero)))
            }
            Mechanism::SubsetSelection { categories, size, prob } => {
                let mechanism = make_subset_selection(0..categories, size as usize, prob)?;
                let subject = subject::subset(mechanism, Other::Category);
                Ok(Look::stated(subject, stated::subset(categories, size, prob)))
            }
            Mechanism::LocalHashing { categories, buckets, prob } => {
                let mechanism = make_local_hashing(0..categories, buckets as usize, prob)?;
                let subject = subject::hashed(mechanism, Other::Category);
                Ok(Look::stated(subject, stated::choice(buckets, prob)))
            }
            Mechanism::FloatLaplace { scale, distance } => {
                let domain = AtomDomain::<f64>::finite();
                let mechanism =
                    make_scalar_float_laplace_cks20(domain, AbsoluteDistance::new(), scale, None)?;
                Ok(Look { subject: subject::float(mechanism, distance)?, exact: None })
            }
            Mechanism::IntegerLaplace { scale, distance } => {
                let domain = AtomDomain::<i64>::all();
                let mechanism =
                    make_scalar_integer_laplace_cks20(domain, AbsoluteDistance::new(), scale)?;
                Ok(Look { subject: subject::integer(mechanism, distance)?, exact: None })
            }
        }
    }

    /// Name and parameters.
    pub(super) fn described(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("names and numbers")
    }
}
