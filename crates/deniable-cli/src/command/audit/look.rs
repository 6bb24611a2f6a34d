//! The mechanisms as they are looked at, with what is known of their laws.

use deniable::prelude::*;
use deniable_audit::exact::{Loss, Worst};
use deniable_audit::subject::{self, Other, Subject};
use deniable_audit::{enumerated, stated};

use crate::command::mechanism::{AnyCategories, Categories, Mechanism};
use crate::error::{Error, Result};

/// What there is to look at.
pub(super) struct Look {
    pub(super) subject: Subject,
    pub(super) exact: Option<Exact>,
}

/// What is known of all kinds of pairs of inputs.
pub(super) struct Exact {
    /// So many times the logarithm of a ratio, each.
    losses: Vec<(u64, Worst)>,
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
        Look::of_losses(subject, worst.into_iter().map(|worst| (1, worst)).collect())
    }

    fn of_losses(subject: Subject, losses: Vec<(u64, Worst)>) -> Self {
        Look { subject, exact: Some(Exact { losses, enumerated: None }) }
    }

    fn enumerated(subject: Subject, found: enumerated::Enumerated) -> Self {
        let enumerated = Some((found.runs, found.inputs));
        Look { subject, exact: Some(Exact { losses: vec![(1, found.worst)], enumerated }) }
    }
}

impl Exact {
    pub(super) fn judged(self, claimed: f64) -> Judged {
        // None of a pair that loses more, and else as far as the claim is above the worst of them.
        let (mut epsilon, mut slack) = (0f64, Some(f64::INFINITY));
        for (times, worst) in self.losses {
            let loss = Loss::new(worst);
            if times > 0 {
                epsilon = epsilon.max(times as f64 * loss.approximate());
            }
            slack = slack.and_then(|least| Some(least.min(loss.slack(times, claimed)?)));
        }
        let basis = match self.enumerated {
            Some((runs, inputs)) => format!(
                "the law of this program for each of {inputs} inputs, over all 64-bit words: {runs} runs stand for all of them. That the system's words are uniform is taken for granted",
            ),
            None => "the stated law, in rational numbers. That this program has it is shown by deniable-verify, not here; runs look at the program".to_owned(),
        };
        Judged { epsilon, slack, is_enumerated: self.enumerated.is_some(), basis }
    }
}

impl Mechanism {
    /// The mechanism that ships, ready to be run, and its law. Clients of RAPPOR make so many reports.
    pub(super) fn look(&self, reports: usize) -> Result<Look> {
        match *self {
            Mechanism::RandomizedResponseBool { prob } => {
                let mechanism = make_randomized_response_bool(prob, false)?;
                let found = enumerated::yes_no(&mechanism).map_err(Error::refused)?;
                Ok(Look::enumerated(subject::yes_no(mechanism), found))
            }
            Mechanism::RandomizedResponse { categories: Categories { categories }, prob } => {
                let mechanism = make_randomized_response(0..categories, prob)?;
                if categories > enumerated::MOST_CATEGORIES {
                    let subject = subject::choice(mechanism, Other::Category);
                    return Ok(Look::stated(subject, stated::choice(categories, prob)));
                }
                let found = enumerated::choice(&mechanism).map_err(Error::refused)?;
                Ok(Look::enumerated(subject::choice(mechanism, Other::Category), found))
            }
            Mechanism::UnaryEncoding { categories: AnyCategories { categories }, one, zero } => {
                let mechanism = make_unary_encoding(0..categories, one, zero)?;
                let subject = subject::bits_of_a_choice(mechanism, Other::Category);
                Ok(Look::stated(subject, stated::bits_of_a_choice(one, zero)))
            }
            Mechanism::SubsetSelection { categories: Categories { categories }, size, prob } => {
                let mechanism = make_subset_selection(0..categories, size as usize, prob)?;
                let subject = subject::subset(mechanism, Other::Category);
                Ok(Look::stated(subject, stated::subset(categories, size, prob)))
            }
            Mechanism::LocalHashing { categories: AnyCategories { categories }, buckets, prob } => {
                let mechanism = make_local_hashing(0..categories, buckets as usize, prob)?;
                let subject = subject::hashed(mechanism, Other::Category);
                Ok(Look::stated(subject, stated::choice(buckets, prob)))
            }
            Mechanism::Bitvec { bits, f } => {
                let domain = bits.domain();
                let mechanism =
                    make_randomized_response_bitvec(domain, DiscreteDistance, f, false)?;
                let times = bits.length.min(bits.max_weight.saturating_mul(2)) as u64;
                let losses = vec![(times, stated::bit(f))];
                Ok(Look::of_losses(subject::ticks(mechanism)?, losses))
            }
            Mechanism::Laplace { numbers, scale } => {
                let subject = subject::floats(numbers.noise(scale)?, numbers.sensitivity)?;
                Ok(Look { subject, exact: None })
            }
            Mechanism::LaplaceInteger { sensitivity, scale } => {
                let domain = AtomDomain::<i64>::all();
                let mechanism =
                    make_scalar_integer_laplace_cks20(domain, AbsoluteDistance::new(), scale)?;
                let distance = u32::try_from(sensitivity).map_err(|_| too_far())?;
                Ok(Look { subject: subject::integer(mechanism, distance)?, exact: None })
            }
            Mechanism::Rappor { filter, f } => {
                let params = filter.params(f)?;
                let ones = match reports {
                    1 => stated::rappor::report(&params),
                    _ => stated::rappor::permanent(&params),
                };
                let losses = stated::rappor::losses(&params, &ones);
                Ok(Look::of_losses(subject::rappor(params, reports), losses))
            }
        }
    }
}

fn too_far() -> Error {
    Error::refused(
        "--sensitivity: runs look at numbers that far apart; accepted is at most 2^32 - 1",
    )
}
