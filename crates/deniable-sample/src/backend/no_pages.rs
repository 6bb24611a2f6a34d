//! Where the operating system has no pages that a forked child finds zeroed.

use core::ptr::NonNull;

/// None can be had.
pub(super) fn map(_length: usize) -> Option<NonNull<u8>> {
    None
}

/// Gives pages back, of which there are none.
///
/// # Safety
///
/// `pages` came from [`map`] with the same `length`, and nothing uses them any more.
pub(super) unsafe fn unmap(_pages: NonNull<u8>, _length: usize) {}
