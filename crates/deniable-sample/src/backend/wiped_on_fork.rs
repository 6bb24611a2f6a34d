//! A value that a forked child does not inherit.

use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;
use core::sync::atomic::{Ordering, compiler_fence};

use super::pages;

/// A value in pages of its own, with a mark. In a child made by `fork`, or by a raw `clone` that copies
/// the memory, both are all zero: a value of all zero bytes, not marked.
///
/// The kernel does the wiping while it copies the address space, so no call can slip past it, and no
/// handler has to run. It does none for a child that *shares* the memory (`vfork`, `CLONE_VM`).
///
/// When the value is dropped it is overwritten and its pages are given back.
pub(crate) struct WipedOnFork<T: ValidWhenZero> {
    memory: NonNull<Marked<T>>,
}

/// The memory of the generator of [`crate::entropy`], declared here because "valid when all zero" is a
/// promise that only this folder may make.
///
/// All zero, it holds nothing to hand out and no licence to make more.
#[repr(align(64))]
pub(crate) struct State {
    /// The key, then the output.
    pub(crate) keystream: [u64; State::KEYSTREAM],
    /// How many words at the end of `keystream` have not been handed out.
    pub(crate) unread: usize,
    /// How many more refills the present seed is good for.
    pub(crate) refills: usize,
}

/// A type for which all zero bytes are a valid value.
///
/// # Safety
///
/// All zero bytes are a valid value of the type, at any time: it also holds when they replace another
/// value behind the program's back. It has nothing to drop.
pub(crate) unsafe trait ValidWhenZero {}

// SAFETY: integers and arrays of integers only.
unsafe impl ValidWhenZero for State {}

impl State {
    /// With the mark and the counters two pages of 4096 bytes.
    pub(crate) const KEYSTREAM: usize = 1008;
}

impl<T: ValidWhenZero> WipedOnFork<T> {
    /// An all-zero value, not marked. `None` where the operating system cannot wipe on fork.
    pub(crate) fn new() -> Option<Self> {
        const { assert!(align_of::<Marked<T>>() <= 4096, "pages are aligned to no more than that") };
        pages::map(size_of::<Marked<T>>()).map(|pages| Self { memory: pages.cast() })
    }

    /// Sets the mark: what is written from here on is this process's own.
    pub(crate) fn mark(&mut self) {
        // SAFETY: the mark is the first field of memory that is ours alone, mapped and aligned.
        unsafe { self.memory.cast::<u64>().write_volatile(1) };
        // What follows must not be moved up before the mark.
        compiler_fence(Ordering::SeqCst);
    }

    /// Whether the mark still stands: whether everything read and written since [`WipedOnFork::mark`]
    /// was read and written by the process that set it.
    ///
    /// The answer is about what came *before* this call, so use what was read only after asking.
    #[inline]
    pub(crate) fn is_marked(&self) -> bool {
        // What came before must not be moved down behind the check.
        compiler_fence(Ordering::SeqCst);
        // SAFETY: the mark is the first field of memory that is ours, mapped and aligned.
        unsafe { self.memory.cast::<u64>().read_volatile() != 0 }
    }

    /// Overwrites value and mark with zeros.
    pub(crate) fn wipe(&mut self) {
        // SAFETY: the memory is ours alone and as large as its type; zero is a valid value of it by
        // `ValidWhenZero`, and there is nothing to drop.
        unsafe { zeroize::zeroize_flat_type(self.memory.as_ptr()) };
    }
}

impl<T: ValidWhenZero> Deref for WipedOnFork<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: mapped until `self` is dropped, aligned, never without a valid value (zero is one),
        // and borrowed as `self` is.
        let marked = unsafe { self.memory.as_ref() };
        &marked.value
    }
}

impl<T: ValidWhenZero> DerefMut for WipedOnFork<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as for `deref`; `self` is the only owner and is borrowed exclusively.
        let marked = unsafe { self.memory.as_mut() };
        &mut marked.value
    }
}

impl<T: ValidWhenZero> Drop for WipedOnFork<T> {
    fn drop(&mut self) {
        self.wipe();
        // SAFETY: mapped by `new` with this length, and `self`, its only owner, is going away.
        unsafe { pages::unmap(self.memory.cast(), size_of::<Marked<T>>()) };
    }
}

/// The mark comes first: its address is that of the memory.
#[repr(C)]
struct Marked<T> {
    mark: u64,
    value: T,
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::collections::BTreeSet;

    use super::{Marked, State, WipedOnFork};

    #[test]
    fn starts_zero_and_unmarked_and_can_be_wiped() {
        let mut memory = WipedOnFork::<State>::new().expect("Linux 4.14 or later");
        assert!(!memory.is_marked());
        assert!(memory.keystream.iter().all(|&word| word == 0));
        memory.mark();
        memory.keystream[State::KEYSTREAM - 1] = 5;
        memory.unread = 6;
        memory.refills = 7;
        assert!(memory.is_marked());
        memory.wipe();
        assert!(!memory.is_marked());
        assert!(memory.keystream.iter().all(|&word| word == 0));
        assert_eq!((memory.unread, memory.refills), (0, 0));
    }

    /// The next ones are where the last ones were. (Other threads map memory as well, but not each time.)
    #[test]
    fn pages_are_given_back() {
        let new = || WipedOnFork::<State>::new().expect("Linux 4.14 or later");
        let places: BTreeSet<usize> = (0..1000).map(|_| new().memory.as_ptr().addr()).collect();
        assert!(places.len() < 500, "{} places", places.len());
    }

    #[test]
    fn fits_two_pages() {
        assert!(size_of::<Marked<State>>() <= 2 * 4096);
    }

    #[test]
    fn the_kernel_lists_the_pages_as_wiped_on_fork_and_not_dumped() {
        let memory = WipedOnFork::<State>::new().expect("Linux 4.14 or later");
        let address = memory.memory.as_ptr().addr();
        let maps = std::fs::read_to_string("/proc/self/smaps").expect("procfs");
        let within = |line: &str| {
            let bounds = line.split(' ').next().and_then(|range| range.split_once('-'));
            let number = |digits| usize::from_str_radix(digits, 16).ok();
            let bounds = bounds.and_then(|(from, to)| number(from).zip(number(to)));
            bounds.is_some_and(|(from, to)| (from..to).contains(&address))
        };
        let flags =
            maps.lines().skip_while(|line| !within(line)).find(|l| l.starts_with("VmFlags"));
        let flags: Vec<_> = flags.expect("the mapping is listed").split_whitespace().collect();
        assert!(flags.contains(&"wf") && flags.contains(&"dd"), "{flags:?}");
    }
}
