//! The bits of candidates: what the decoder explains the counts by.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use super::{Params, reference};
use crate::{Error, Result};

/// Candidate values, and the bits that each sets in the filter of each cohort.
///
/// ```
/// use deniable::rappor::{CandidateMap, Params};
///
/// let params = Params::new(16, 2, 64, 0.5, 0.75, 0.5)?;
/// let map = CandidateMap::new(&params, ["foo", "bar"])?;
/// assert_eq!((map.len(), map.name(0)), (2, Some("foo")));
/// assert_eq!(map.bits(0, 7), Some(&[3, 1][..]));
/// // Ones of the column of a candidate, with a row for each bit of each cohort.
/// let rows: Vec<usize> = map.rows_of(0).collect();
/// assert!(rows.contains(&(7 * 16 + 3)) && rows.is_sorted());
/// # Ok::<(), deniable::Error>(())
/// ```
#[derive(Clone)]
pub struct CandidateMap {
    names: IndexSet<String, RandomState>,
    k: usize,
    h: usize,
    m: usize,
    /// Those of the first candidate, cohort by cohort, and then those of the next. k is at most 2^16.
    bits: Vec<u16>,
}

impl CandidateMap {
    /// The bits of these candidates by our hash functions: [`Params::bits_of`].
    ///
    /// # Errors
    ///
    /// Two candidates that are equal.
    pub fn new<C: Into<String>>(
        params: &Params,
        candidates: impl IntoIterator<Item = C>,
    ) -> Result<Self> {
        Self::hashed(params, candidates, |cohort, value| params.bits_of(cohort, value))
    }

    /// The bits of these candidates by the hash functions of the reference implementation: [`reference::bits_of`].
    ///
    /// # Errors
    ///
    /// Two candidates that are equal; a k above 256 or an h above 16.
    pub fn of_reference<C: Into<String>>(
        params: &Params,
        candidates: impl IntoIterator<Item = C>,
    ) -> Result<Self> {
        Self::hashed(params, candidates, |cohort, value| reference::bits_of(params, cohort, value))
    }

    fn hashed<C: Into<String>>(
        params: &Params,
        candidates: impl IntoIterator<Item = C>,
        bits_of: impl Fn(usize, &str) -> Result<Vec<usize>>,
    ) -> Result<Self> {
        let mut map = Self::empty(params);
        for (index, name) in candidates.into_iter().enumerate() {
            let name = name.into();
            for cohort in 0..params.m() {
                map.bits.extend(bits_of(cohort, &name)?.iter().map(|&bit| bit as u16));
            }
            if let Err(first) = map.insert(name) {
                let problem = format!("number {} is equal to number {}", index + 1, first + 1);
                return Err(Error::invalid_parameter("candidates", problem, "distinct candidates"));
            }
        }
        Ok(map)
    }

    /// No candidates yet.
    pub(super) fn empty(params: &Params) -> Self {
        let (k, h, m) = (params.k(), params.h(), params.m());
        CandidateMap { names: IndexSet::default(), k, h, m, bits: Vec::new() }
    }

    /// Adds a name. If it is there already that is an error, with its place.
    pub(super) fn insert(&mut self, name: String) -> core::result::Result<(), usize> {
        match self.names.insert_full(name) {
            (_, true) => Ok(()),
            (first, false) => Err(first),
        }
    }

    /// Adds a bit of the next candidate. There must be h for each cohort when its name is added.
    pub(super) fn push_bit(&mut self, bit: u16) {
        self.bits.push(bit);
    }

    /// How many candidates there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The candidates, in the order they were given.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        self.names.iter().map(String::as_str)
    }

    /// A candidate, if there are so many.
    pub fn name(&self, candidate: usize) -> Option<&str> {
        self.names.get_index(candidate).map(String::as_str)
    }

    /// The place of a candidate, if it is one.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.names.get_index_of(name)
    }

    /// The bits of a filter.
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

    /// The bits that a candidate sets in the filter of a cohort, one for each hash function. Some may be equal.
    pub fn bits(&self, candidate: usize, cohort: usize) -> Option<&[u16]> {
        if cohort >= self.m || candidate >= self.len() {
            return None;
        }
        let first = (candidate * self.m + cohort) * self.h;
        self.bits.get(first..first + self.h)
    }

    /// The distinct numbers cohort·k + bit of all bits that a candidate sets, in their order. None if there is no such candidate.
    pub fn rows_of(&self, candidate: usize) -> impl Iterator<Item = usize> + '_ {
        let cohorts =
            (0..self.m).filter_map(move |cohort| Some((cohort, self.bits(candidate, cohort)?)));
        cohorts.flat_map(|(cohort, bits)| {
            let mut rows: Vec<usize> =
                bits.iter().map(|&bit| cohort * self.k + usize::from(bit)).collect();
            rows.sort_unstable();
            rows.dedup();
            rows
        })
    }
}

impl PartialEq for CandidateMap {
    /// The same candidates in the same order, with the same bits.
    fn eq(&self, other: &Self) -> bool {
        (self.k, self.h, self.m) == (other.k, other.h, other.m)
            && self.names.as_slice() == other.names.as_slice()
            && self.bits == other.bits
    }
}

impl Eq for CandidateMap {}

impl fmt::Debug for CandidateMap {
    /// Without the candidates, of which there may be very many.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CandidateMap")
            .field("candidates", &self.len())
            .field("k", &self.k)
            .field("h", &self.h)
            .field("m", &self.m)
            .finish_non_exhaustive()
    }
}
