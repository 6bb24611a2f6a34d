//! The answers that a question has.

use alloc::vec::Vec;
use core::borrow::Borrow;
use core::fmt;
use core::hash::Hash;

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use crate::{Error, Result};

/// Two or more distinct categories, in an order that is kept.
#[derive(Clone)]
pub(crate) struct Categories<T>(IndexSet<T, RandomState>);

impl<T: Eq + Hash> Categories<T> {
    pub(crate) fn new(categories: impl IntoIterator<Item = T>) -> Result<Self> {
        let categories = categories.into_iter();
        // The hint is the caller's: it may promise more than there is memory.
        let mut set = IndexSet::with_capacity_and_hasher(
            categories.size_hint().0.min(1 << 16),
            RandomState::default(),
        );
        for (index, category) in categories.enumerate() {
            let (first, is_new) = set.insert_full(category);
            if !is_new {
                let problem = format!("number {} is equal to number {}", index + 1, first + 1);
                return Err(Error::invalid_parameter("categories", problem, "distinct categories"));
            }
        }
        check_count("categories", set.len())?;
        Ok(Categories(set))
    }

    pub(crate) fn index_of<Q: Eq + Hash + ?Sized>(&self, category: &Q) -> Option<usize>
    where
        T: Borrow<Q>,
    {
        self.0.get_index_of(category)
    }

    /// The place of each answer in the list. Those that are not in it are behind its end.
    pub(crate) fn places(&self, answers: &[T]) -> Vec<u32> {
        let place = |answer| self.index_of(answer).map_or(u32::MAX, |place| place as u32);
        answers.iter().map(place).collect()
    }
}

impl<T> Categories<T> {
    /// Below 2^32.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &T> + '_ {
        self.0.iter()
    }

    /// The category at a place that is in the list.
    pub(crate) fn at(&self, place: usize) -> &T {
        &self.0[place]
    }
}

impl<T: Eq + Hash> PartialEq for Categories<T> {
    /// The same ones in the same order.
    fn eq(&self, other: &Self) -> bool {
        self.0.as_slice() == other.0.as_slice()
    }
}

impl<T: fmt::Debug> fmt::Debug for Categories<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Whether there are so many categories that there is something to randomize, and so few that a place fits 32 bits.
pub(crate) fn check_count(parameter: &'static str, t: usize) -> Result<()> {
    let problem = match t {
        0 => "there are no categories",
        1 => "there is only one category",
        _ if u32::try_from(t).is_err() => "there are 2^32 categories or more",
        _ => return Ok(()),
    };
    Err(Error::invalid_parameter(parameter, problem, "two or more categories"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_categories_are_the_fewest_and_places_fit_32_bits() {
        for (t, problem) in [
            (0, Some("there are no categories")),
            (1, Some("there is only one category")),
            (2, None),
            (u32::MAX as usize, None),
            // The same number as before where words have 32 bits.
            (usize::MAX, (usize::BITS > 32).then_some("there are 2^32 categories or more")),
        ] {
            match (check_count("categories", t), problem) {
                (Ok(()), None) => {}
                (Err(error), Some(problem)) => assert!(error.to_string().contains(problem)),
                (result, _) => panic!("{t}: {result:?}"),
            }
        }
    }

    #[test]
    fn categories_are_shown_in_their_order() {
        let categories = Categories::new(["tea", "coffee"]).unwrap();
        assert_eq!(format!("{categories:?}"), "{\"tea\", \"coffee\"}");
    }
}
