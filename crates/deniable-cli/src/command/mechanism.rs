//! The mechanisms with their parameters, as `map`, `calibrate` and `audit` name them.

use deniable::VectorFloatLaplaceCks20;
use deniable::prelude::*;
use deniable::rappor::Params;
use serde::Serialize;

use crate::error::Result;
use crate::output::Facts;

/// A mechanism, and what its ε depends on.
#[derive(Clone, Debug, Serialize, clap::Subcommand)]
#[serde(tag = "mechanism", rename_all = "kebab-case")]
pub(crate) enum Mechanism {
    /// Yes or no, asked of each person
    RandomizedResponseBool {
        /// The probability of the truth, from 0.5 to 1
        #[arg(long, allow_negative_numbers = true)]
        prob: f64,
    },
    /// One of several answers, asked of each person
    RandomizedResponse {
        #[command(flatten)]
        #[serde(flatten)]
        categories: Categories,
        /// The probability of the truth
        #[arg(long, allow_negative_numbers = true)]
        prob: f64,
    },
    /// One of several answers as a bit each, asked of each person
    UnaryEncoding {
        #[command(flatten)]
        #[serde(flatten)]
        categories: AnyCategories,
        /// The probability that the bit of the truth is one
        #[arg(long, allow_negative_numbers = true)]
        one: f64,
        /// The probability that another bit is one
        #[arg(long, allow_negative_numbers = true)]
        zero: f64,
    },
    /// One of several answers, hidden among others
    SubsetSelection {
        #[command(flatten)]
        #[serde(flatten)]
        categories: Categories,
        /// How many answers a report names
        #[arg(long)]
        size: u32,
        /// The probability that the truth is one of them
        #[arg(long, allow_negative_numbers = true)]
        prob: f64,
    },
    /// One of very many answers, hashed into buckets
    LocalHashing {
        #[command(flatten)]
        #[serde(flatten)]
        categories: AnyCategories,
        /// The number of buckets, from 2 to 65536
        #[arg(long)]
        buckets: u32,
        /// The probability of the truth's bucket
        #[arg(long, allow_negative_numbers = true)]
        prob: f64,
    },
    /// Several answers as a bit each, asked of each person
    Bitvec {
        #[command(flatten)]
        #[serde(flatten)]
        bits: Bits,
        /// Twice the probability that a bit is flipped, above 0 and at most 1
        #[arg(long, allow_negative_numbers = true)]
        f: f64,
    },
    /// Floats about everybody with noise, one or many
    Laplace {
        #[command(flatten)]
        #[serde(flatten)]
        numbers: Floats,
        /// The scale of the noise
        #[arg(long, allow_negative_numbers = true)]
        scale: f64,
    },
    /// Whole numbers about everybody with noise, one or many
    LaplaceInteger {
        /// The most by which the numbers of neighbours differ, in total
        #[arg(long)]
        sensitivity: u64,
        /// The scale of the noise
        #[arg(long, allow_negative_numbers = true)]
        scale: f64,
    },
    /// Any text, asked of each person again and again
    Rappor {
        #[command(flatten)]
        #[serde(flatten)]
        filter: Filter,
        /// How often a bit of the permanent answer is noise, from 0 to below 1
        #[arg(short, long, allow_negative_numbers = true)]
        f: f64,
    },
}

/// The number of answers to choose from.
#[derive(Clone, Copy, Debug, Serialize, clap::Args)]
pub(crate) struct Categories {
    /// How many answers there are, from 2 to 1048576
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..=1 << 20))]
    pub(crate) categories: u32,
}

/// The same, where the loss does not depend on it.
#[derive(Clone, Copy, Debug, Serialize, clap::Args)]
pub(crate) struct AnyCategories {
    /// How many answers there are, from 2 to 1048576, which changes nothing of the loss
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(2..=1 << 20))]
    pub(crate) categories: u32,
}

impl Default for AnyCategories {
    fn default() -> Self {
        AnyCategories { categories: 2 }
    }
}

/// The bits of an answer.
#[derive(Clone, Copy, Debug, Serialize, clap::Args)]
pub(crate) struct Bits {
    /// How many bits there are
    #[arg(long)]
    pub(crate) length: usize,
    /// The most ones that an answer has
    #[arg(long)]
    pub(crate) max_weight: usize,
}

/// The numbers that noise is added to.
#[derive(Clone, Copy, Debug, Serialize, clap::Args)]
pub(crate) struct Floats {
    /// The most by which the numbers of neighbours differ, in total
    #[arg(long, allow_negative_numbers = true)]
    pub(crate) sensitivity: f64,
    /// How many numbers there are: 1 for a single one; any, if it is not said
    #[arg(long)]
    pub(crate) size: Option<usize>,
    /// Round to multiples of 2^K, for which the size must be known; the finest grid, if it is not said
    #[arg(short, allow_negative_numbers = true)]
    pub(crate) k: Option<i32>,
}

/// The parameters of RAPPOR but for f.
#[derive(Clone, Copy, Debug, Serialize, clap::Args)]
pub(crate) struct Filter {
    /// Bits of a report
    #[arg(long, default_value_t = 128)]
    pub(crate) bits: usize,
    /// Hash functions
    #[arg(long, default_value_t = 2)]
    pub(crate) hashes: usize,
    /// Cohorts
    #[arg(long, default_value_t = 64)]
    pub(crate) cohorts: usize,
    /// The probability of a one in a report where the permanent answer has a zero
    #[arg(short, long, default_value_t = 0.25, allow_negative_numbers = true)]
    pub(crate) p: f64,
    /// The probability of a one in a report where the permanent answer has a one
    #[arg(short, long, default_value_t = 0.75, allow_negative_numbers = true)]
    pub(crate) q: f64,
}

impl Bits {
    pub(crate) fn domain(self) -> BitVectorDomain {
        BitVectorDomain::new(self.length).with_max_weight(self.max_weight)
    }
}

impl Filter {
    pub(crate) fn params(self, f: f64) -> Result<Params> {
        Ok(Params::new(self.bits, self.hashes, self.cohorts, self.p, self.q, f)?)
    }
}

impl Mechanism {
    /// Name and parameters.
    pub(crate) fn described(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("names and numbers")
    }

    /// Its parameters, and what they lose.
    ///
    /// # Errors
    ///
    /// Those of its constructor.
    pub(crate) fn facts(&self) -> Result<Facts> {
        match *self {
            Mechanism::RandomizedResponseBool { prob } => {
                let loss = make_randomized_response_bool(prob, false)?.map(1)?;
                Ok(of("randomized-response-bool").with("prob", prob).with_epsilon(EPSILON, loss))
            }
            Mechanism::RandomizedResponse { categories: Categories { categories }, prob } => {
                let loss = make_randomized_response(0..categories, prob)?.map(1)?;
                let facts = of("randomized-response").with("categories", categories);
                Ok(facts.with("prob", prob).with_epsilon(EPSILON, loss))
            }
            Mechanism::UnaryEncoding { categories, one, zero } => {
                let loss = make_unary_encoding(0..categories.categories, one, zero)?.map(1)?;
                let facts = of("unary-encoding").with("one", one).with("zero", zero);
                Ok(facts.with_epsilon(EPSILON, loss))
            }
            Mechanism::SubsetSelection { categories: Categories { categories }, size, prob } => {
                let loss = make_subset_selection(0..categories, size as usize, prob)?.map(1)?;
                let facts = of("subset-selection").with("categories", categories);
                Ok(facts.with("size", size).with("prob", prob).with_epsilon(EPSILON, loss))
            }
            Mechanism::LocalHashing { categories: AnyCategories { categories }, buckets, prob } => {
                let loss = make_local_hashing(0..categories, buckets as usize, prob)?.map(1)?;
                let facts = of("local-hashing").with("buckets", buckets).with("prob", prob);
                Ok(facts.with_epsilon(EPSILON, loss))
            }
            Mechanism::Bitvec { bits, f } => {
                let domain = bits.domain();
                let noise = make_randomized_response_bitvec(domain, DiscreteDistance, f, false)?;
                let facts = of("bitvec").with("length", bits.length);
                let facts = facts.with("max weight", bits.max_weight).with("f", f);
                Ok(facts.with_epsilon(EPSILON, noise.map(1)?))
            }
            Mechanism::Laplace { numbers, scale } => numbers.facts(scale),
            Mechanism::LaplaceInteger { sensitivity, scale } => {
                let domain = VectorDomain::finite::<i64>();
                let noise = make_vector_integer_laplace_cks20(domain, L1Distance::new(), scale)?;
                let facts = of("laplace-integer").with("sensitivity", sensitivity);
                Ok(facts.with("scale", scale).with_epsilon(EPSILON, noise.map(sensitivity)?))
            }
            Mechanism::Rappor { filter, f } => {
                let params = filter.params(f)?;
                let facts = of("rappor").with("bits", params.k()).with("hashes", params.h());
                let facts = facts.with("cohorts", params.m()).with("p", params.p());
                let facts = facts.with("q", params.q()).with("f", params.f());
                let facts = facts.with_epsilon("epsilon of a report", params.epsilon_of_report());
                Ok(facts.with_epsilon("epsilon of all reports", params.epsilon_of_all_reports()))
            }
        }
    }
}

impl Floats {
    pub(crate) fn noise(self, scale: f64) -> Result<VectorFloatLaplaceCks20<f64>> {
        let domain = VectorDomain::finite::<f64>();
        let domain = self.size.map_or(domain, |size| domain.with_size(size));
        Ok(make_vector_float_laplace_cks20(domain, L1Distance::new(), scale, self.k)?)
    }

    fn facts(self, scale: f64) -> Result<Facts> {
        let noise = self.noise(scale)?;
        let mut facts = of("laplace").with("sensitivity", self.sensitivity);
        if let Some(size) = self.size {
            facts = facts.with("size", size);
        }
        let facts = facts.with("scale", scale).with("k", noise.k());
        Ok(facts.with_epsilon(EPSILON, noise.map(self.sensitivity)?))
    }
}

/// What the loss is called.
const EPSILON: &str = "epsilon";

fn of(mechanism: &str) -> Facts {
    Facts::default().with("mechanism", mechanism)
}
