//! `deniable calibrate`.

use deniable::Epsilon;
use deniable::mechanism::{
    local_hashing, randomized_response, randomized_response_bitvec, randomized_response_bool,
    subset_selection, unary_encoding, vector_float_laplace_cks20, vector_integer_laplace_cks20,
};

use super::mechanism::{AnyCategories, Bits, Categories, Filter, Floats, Mechanism};
use crate::error::Result;
use crate::{output, parameter};

/// The parameters of a mechanism with a given ε
///
/// They are those with the least noise that stay within ε: the next float would exceed it. The ε that is printed is that of the parameters, and at most the given one. In JSON it is the float.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    mechanism: Wanted,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  deniable calibrate randomized-response-bool --epsilon 1
  deniable calibrate subset-selection --categories 128 --epsilon 1
  deniable calibrate laplace --sensitivity 1 --epsilon 0.5 --json
  deniable calibrate laplace-integer --sensitivity 2 --epsilon 0.5
  deniable calibrate rappor --hashes 2 --epsilon 4";

/// A mechanism, and what is known of it besides its ε.
#[derive(Debug, clap::Subcommand)]
enum Wanted {
    /// Yes or no, asked of each person
    RandomizedResponseBool {
        #[command(flatten)]
        budget: Budget,
    },
    /// One of several answers, asked of each person
    RandomizedResponse {
        #[command(flatten)]
        categories: Categories,
        #[command(flatten)]
        budget: Budget,
    },
    /// One of several answers as a bit each, asked of each person
    UnaryEncoding {
        #[command(flatten)]
        budget: Budget,
        /// Lie as often about ones as about zeros, instead of what has the smallest error
        #[arg(long)]
        symmetric: bool,
    },
    /// One of several answers, hidden among others
    SubsetSelection {
        #[command(flatten)]
        categories: Categories,
        #[command(flatten)]
        budget: Budget,
        /// How many answers a report names; if it is not said, what has the smallest error
        #[arg(long)]
        size: Option<u32>,
    },
    /// One of very many answers, hashed into buckets
    LocalHashing {
        #[command(flatten)]
        budget: Budget,
        /// The number of buckets, from 2 to 65536; if it is not said, what has the smallest error
        #[arg(long)]
        buckets: Option<u32>,
    },
    /// Several answers as a bit each, asked of each person
    Bitvec {
        #[command(flatten)]
        bits: Bits,
        #[command(flatten)]
        budget: Budget,
    },
    /// Floats about everybody with noise, one or many
    Laplace {
        #[command(flatten)]
        numbers: Floats,
        #[command(flatten)]
        budget: Budget,
    },
    /// Whole numbers about everybody with noise, one or many
    LaplaceInteger {
        /// The most by which the numbers of neighbours differ, in total
        #[arg(long)]
        sensitivity: u64,
        #[command(flatten)]
        budget: Budget,
    },
    /// Any text, asked of each person again and again: ε is that of all reports
    Rappor {
        #[command(flatten)]
        filter: Filter,
        #[command(flatten)]
        budget: Budget,
    },
}

/// What may be lost.
#[derive(Debug, clap::Args)]
struct Budget {
    /// The ε to stay within, above 0
    #[arg(long, allow_negative_numbers = true)]
    epsilon: f64,
}

impl Args {
    pub(crate) fn run(self) -> Result<()> {
        output::print(self.mechanism.calibrated()?.facts()?.text(self.json))
    }
}

impl Budget {
    fn get(&self) -> Result<Epsilon> {
        parameter::epsilon("epsilon", self.epsilon)
    }
}

impl Wanted {
    /// With the parameters that have the least noise.
    fn calibrated(self) -> Result<Mechanism> {
        Ok(match self {
            Wanted::RandomizedResponseBool { budget } => {
                let prob = randomized_response_bool::largest_prob(budget.get()?);
                Mechanism::RandomizedResponseBool { prob }
            }
            Wanted::RandomizedResponse { categories, budget } => {
                let t = categories.categories as usize;
                let prob = randomized_response::largest_prob(t, budget.get()?)?;
                Mechanism::RandomizedResponse { categories, prob }
            }
            Wanted::UnaryEncoding { budget, symmetric } => {
                let epsilon = budget.get()?;
                let (one, zero) = match symmetric {
                    true => unary_encoding::symmetric(epsilon)?,
                    false => unary_encoding::optimized(epsilon)?,
                };
                Mechanism::UnaryEncoding { categories: AnyCategories::default(), one, zero }
            }
            Wanted::SubsetSelection { categories, budget, size } => {
                let (k, epsilon) = (categories.categories as usize, budget.get()?);
                let best = || subset_selection::best_size(k, epsilon);
                let size = size.map_or_else(best, |size| Ok(size as usize))?;
                let prob = subset_selection::largest_prob(k, size, epsilon)?;
                Mechanism::SubsetSelection { categories, size: size as u32, prob }
            }
            Wanted::LocalHashing { budget, buckets } => {
                let epsilon = budget.get()?;
                let best = || local_hashing::best_buckets(epsilon);
                let buckets = buckets.map_or_else(best, |buckets| buckets as usize);
                let prob = local_hashing::largest_prob(buckets, epsilon)?;
                let (categories, buckets) = (AnyCategories::default(), buckets as u32);
                Mechanism::LocalHashing { categories, buckets, prob }
            }
            Wanted::Bitvec { bits, budget } => {
                let f = randomized_response_bitvec::smallest_f(&bits.domain(), budget.get()?)?;
                Mechanism::Bitvec { bits, f }
            }
            Wanted::Laplace { numbers, budget } => {
                let (Floats { sensitivity, size, k }, epsilon) = (numbers, budget.get()?);
                let scale =
                    vector_float_laplace_cks20::smallest_scale(sensitivity, epsilon, size, k)?;
                Mechanism::Laplace { numbers, scale }
            }
            Wanted::LaplaceInteger { sensitivity, budget } => {
                let scale =
                    vector_integer_laplace_cks20::smallest_scale(sensitivity, budget.get()?)?;
                Mechanism::LaplaceInteger { sensitivity, scale }
            }
            Wanted::Rappor { filter, budget } => {
                // All reports of a client tell as much as its permanent answer does.
                let bits = Bits { length: filter.bits, max_weight: filter.hashes };
                let f = randomized_response_bitvec::smallest_f(&bits.domain(), budget.get()?)?;
                Mechanism::Rappor { filter, f }
            }
        })
    }
}
