//! Pages that a forked child finds zeroed, which Linux has.

use core::ptr::NonNull;

#[cfg(not(all(miri, test)))]
use libc::madvise;

/// Maps at least `length` bytes, page aligned and all zero, that are all zero again in a child made by
/// `fork` and are left out of core dumps. `None` where any of this cannot be had.
pub(super) fn map(length: usize) -> Option<NonNull<u8>> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new anonymous mapping at an address the kernel chooses replaces nothing that is in use.
    let address = unsafe { libc::mmap(core::ptr::null_mut(), length, access, kind, -1, 0) };
    if address == libc::MAP_FAILED {
        return None;
    }
    let pages = NonNull::new(address.cast::<u8>())?;
    // Emulators are known that answer every advice with success and do nothing. One that also accepts
    // a nonsense advice is not believed.
    const NONSENSE: libc::c_int = -1;
    if !advise(pages, length, NONSENSE)
        && advise(pages, length, libc::MADV_WIPEONFORK)
        && advise(pages, length, libc::MADV_DONTDUMP)
    {
        return Some(pages);
    }
    // SAFETY: these pages were mapped above with this length, and no reference to them exists.
    unsafe { unmap(pages, length) };
    None
}

/// Gives pages back.
///
/// # Safety
///
/// `pages` came from [`map`] with the same `length`, and nothing uses them any more.
pub(super) unsafe fn unmap(pages: NonNull<u8>, length: usize) {
    // SAFETY: the caller vouches that this is a whole mapping of ours that nothing uses. Unmapping can
    // fail only by splitting a mapping when there are too many; the page then merely stays.
    unsafe { libc::munmap(pages.as_ptr().cast(), length) };
}

fn advise(pages: NonNull<u8>, length: usize, advice: libc::c_int) -> bool {
    // SAFETY: called only by `map`, on its new mapping, to which no reference exists yet; none of the
    // advices given there unmaps anything.
    unsafe { madvise(pages.as_ptr().cast(), length, advice) == 0 }
}

/// What Miri lacks: any advice is taken but nonsense. Nothing forks in tests there, and what ships never has this.
///
/// # Safety
///
/// None is needed here.
#[cfg(all(miri, test))]
unsafe fn madvise(_: *mut libc::c_void, _: libc::size_t, advice: libc::c_int) -> libc::c_int {
    advice.min(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_pages_than_there_are_addresses_are_refused() {
        assert!(map(usize::MAX).is_none());
    }
}
