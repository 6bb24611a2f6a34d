//! Work on many items: in parts, on several threads if there are any, all or nothing.

use crate::Result;

/// Does the work on all items, in parts of at least `least` of them if there are threads to share it (the feature `rayon`). If it
/// fails for any part, all items become `wiped`, so that none is left as it was beside others that are not.
pub(crate) fn in_parts<T: Copy + Send>(
    items: &mut [T],
    wiped: T,
    least: usize,
    work: impl Fn(&mut [T]) -> Result<()> + Send + Sync,
) -> Result<()> {
    let outcome = shared(items, least.max(1), work);
    if outcome.is_err() {
        items.fill(wiped);
    }
    outcome
}

#[cfg(feature = "rayon")]
fn shared<T: Send>(
    items: &mut [T],
    least: usize,
    work: impl Fn(&mut [T]) -> Result<()> + Send + Sync,
) -> Result<()> {
    use rayon::iter::ParallelIterator;
    use rayon::slice::ParallelSliceMut;

    if items.len() < 2 * least || rayon::current_num_threads() == 1 {
        return work(items);
    }
    // A few parts for each thread, so that all are done at about the same time. A multiple of `least`, which may be the
    // items of a row or of a word.
    let parts = items.len().div_ceil(4 * rayon::current_num_threads());
    items.par_chunks_mut(parts.next_multiple_of(least)).try_for_each(work)
}

#[cfg(not(feature = "rayon"))]
fn shared<T>(items: &mut [T], _least: usize, work: impl Fn(&mut [T]) -> Result<()>) -> Result<()> {
    work(items)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn every_item_is_worked_on_once_and_parts_are_multiples() {
        for (length, least) in [(0, 1), (1, 0), (5, 10), (1000, 7), (4096, 64), (100_000, 64)] {
            let mut items = vec![0u32; length];
            in_parts(&mut items, 0, least, |part| {
                assert!(part.len() % least.max(1) == 0 || part.len() <= length);
                part.iter_mut().for_each(|item| *item += 1);
                Ok(())
            })
            .unwrap();
            assert!(items.iter().all(|&item| item == 1), "{length} {least}");
        }
    }

    #[test]
    fn a_failure_anywhere_wipes_everything() {
        for fails_at in [0, 1, 2] {
            let mut items = vec![7u8; 10_000];
            let calls = AtomicUsize::new(0);
            let outcome = in_parts(&mut items, 0, 10, |part| {
                part.fill(9);
                let call = calls.fetch_add(1, Ordering::Relaxed);
                let last = cfg!(not(feature = "rayon")) || call >= fails_at;
                if last {
                    Err(deniable_sample::Error::entropy_unavailable().into())
                } else {
                    Ok(())
                }
            });
            assert!(outcome.is_err());
            assert!(items.iter().all(|&item| item == 0));
        }
    }
}
