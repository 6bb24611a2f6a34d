//! Libraries that read files, and panic on some of those that are damaged.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static READING: Cell<bool> = const { Cell::new(false) };
}

/// What the call returns, or nothing if it panics. Then nothing that it had a hold of may be used again.
pub(crate) fn reading<T>(call: impl FnOnce() -> T) -> Option<T> {
    READING.set(true);
    let done = catch_unwind(AssertUnwindSafe(call));
    READING.set(false);
    done.ok()
}

/// The items of an iterator. One that panics is nothing, and the last.
pub(crate) fn each<T>(mut items: impl Iterator<Item = T>) -> impl Iterator<Item = Option<T>> {
    let mut ended = false;
    std::iter::from_fn(move || {
        if ended {
            return None;
        }
        let item = reading(|| items.next());
        ended = item.is_none();
        item.map_or(Some(None), |item| item.map(Some))
    })
}

/// Whether such a call is under way in this thread: a panic is that of a damaged file, and is told as such.
pub(crate) fn is_reading() -> bool {
    READING.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_nothing_and_ends_the_call() {
        assert_eq!(reading(is_reading), Some(true));
        assert!(!is_reading());
        assert_eq!(reading(|| panic!("planted")), None::<()>);
        assert!(!is_reading());
    }

    #[test]
    fn an_iterator_ends_with_its_panic() {
        let items = || (1..4).inspect(|item| assert!(*item < 3, "planted"));
        assert_eq!(each(items()).collect::<Vec<_>>(), [Some(1), Some(2), None]);
        assert_eq!(each(items().take(2)).collect::<Vec<_>>(), [Some(1), Some(2)]);
    }
}
