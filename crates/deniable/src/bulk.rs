//! Work on many items: in parts, on several threads if there are any, all or nothing.

use crate::Result;

/// Does the work on all items, in parts of at least `least` of them if there are threads to share it (the feature `rayon`). All of it is done, or
/// all items become `wiped`.
pub(crate) fn in_parts<T: Copy + Send>(
    items: &mut [T],
    wiped: T,
    least: usize,
    work: impl Fn(&mut [T]) -> Result<()> + Send + Sync,
) -> Result<()> {
    or_wiped(items, wiped, |items| each_part(items, least, work))
}

/// Does the work on all items. If it fails, or panics, all of them become `wiped`, so that none is left as it was beside others that are not.
pub(crate) fn or_wiped<T: Clone>(
    items: &mut [T],
    wiped: T,
    work: impl FnOnce(&mut [T]) -> Result<()>,
) -> Result<()> {
    let mut guard = Guard { items, wiped, is_done: false };
    work(guard.items)?;
    guard.is_done = true;
    Ok(())
}

/// Items that are wiped when it is dropped before the work is done.
struct Guard<'a, T: Clone> {
    items: &'a mut [T],
    wiped: T,
    is_done: bool,
}

impl<T: Clone> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        if !self.is_done {
            self.items.fill(self.wiped.clone());
        }
    }
}

/// Does the work in parts, each of a multiple of `least` items but for the last, until one fails.
#[cfg(feature = "rayon")]
pub(crate) fn each_part<T: Send>(
    items: &mut [T],
    least: usize,
    work: impl Fn(&mut [T]) -> Result<()> + Send + Sync,
) -> Result<()> {
    use rayon::iter::ParallelIterator;
    use rayon::slice::ParallelSliceMut;

    let least = least.max(1);
    if items.len() / 2 < least || !has_threads() {
        return work(items);
    }
    // A few parts for each thread, so that all are done at about the same time.
    let part = items.len().div_ceil(4 * rayon::current_num_threads());
    items.par_chunks_mut(part.next_multiple_of(least)).try_for_each(work)
}

/// Whether threads can share the work. Those of rayon are not there in a process that was forked from the one they were started in, and
/// waiting for them would never end.
#[cfg(feature = "rayon")]
fn has_threads() -> bool {
    use std::sync::atomic::{AtomicU32, Ordering};
    static OWNER: AtomicU32 = AtomicU32::new(0);
    let own = std::process::id();
    let owner = OWNER.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed);
    (owner.is_ok() || owner == Err(own)) && rayon::current_num_threads() > 1
}

#[cfg(not(feature = "rayon"))]
pub(crate) fn each_part<T>(
    items: &mut [T],
    _least: usize,
    work: impl Fn(&mut [T]) -> Result<()>,
) -> Result<()> {
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
            let uneven = AtomicUsize::new(0);
            in_parts(&mut items, 0, least, |part| {
                let is_uneven = part.len() % least.max(1) != 0;
                uneven.fetch_add(usize::from(is_uneven), Ordering::Relaxed);
                part.iter_mut().for_each(|item| *item += 1);
                Ok(())
            })
            .unwrap();
            assert!(items.iter().all(|&item| item == 1), "{length} {least}");
            // None but the last.
            assert_eq!(uneven.into_inner(), usize::from(length % least.max(1) != 0));
        }
    }

    /// The lengths of the parts, on so many threads.
    #[cfg(feature = "rayon")]
    fn parts(threads: usize, length: usize, least: usize) -> Vec<usize> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (mut items, parts) = (vec![0u8; length], std::sync::Mutex::new(Vec::new()));
        let work = |part: &mut [u8]| {
            parts.lock().unwrap().push(part.len());
            Ok(())
        };
        pool.install(|| each_part(&mut items, least, work)).unwrap();
        parts.into_inner().unwrap()
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn threads_share_what_is_enough_for_two() {
        assert_eq!(parts(4, 1600, 1), [100; 16]);
        assert_eq!(parts(4, 1600, 400), [400; 4]);
        assert_eq!((parts(4, 20, 10), parts(4, 19, 10)), (vec![10; 2], vec![19]));
        assert_eq!((parts(1, 1600, 1), parts(1, 20, 10)), (vec![1600], vec![20]));
    }

    #[test]
    fn a_panic_wipes_everything() {
        let mut items = vec![7u8; 10_000];
        let work = std::panic::AssertUnwindSafe(|| {
            in_parts(&mut items, 0, 10, |part| {
                part[0] = 9;
                panic!("planted")
            })
        });
        assert!(std::panic::catch_unwind(work).is_err());
        assert!(items.iter().all(|&item| item == 0));
    }

    #[test]
    fn a_failure_anywhere_wipes_everything() {
        for fails_at in [0, 1, 2] {
            let mut items = vec![7u8; 10_000];
            let calls = AtomicUsize::new(0);
            let outcome = in_parts(&mut items, 0, 10, |part| {
                part.fill(9);
                let call = calls.fetch_add(1, Ordering::Relaxed);
                let is_all = part.len() == 10_000;
                if is_all || call >= fails_at {
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
