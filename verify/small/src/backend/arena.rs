//! Memory from one array, for one thread. What was handed out last can be given back and can grow; a chip has little.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::{Cell, UnsafeCell};
use core::ptr::null_mut;

use super::platform::ARENA;

#[repr(align(16))]
struct Arena {
    memory: UnsafeCell<[u8; ARENA]>,
    used: Cell<usize>,
}

#[global_allocator]
static MEMORY: Arena = Arena { memory: UnsafeCell::new([0; ARENA]), used: Cell::new(0) };

// SAFETY: there is one thread, and nothing that interrupts it.
unsafe impl Sync for Arena {}

impl Arena {
    fn start(&self) -> *mut u8 {
        self.memory.get().cast()
    }

    /// Where a block begins that is the last one.
    fn last(&self, block: *mut u8, size: usize) -> Option<usize> {
        let from = block.addr() - self.start().addr();
        (from + size == self.used.get()).then_some(from)
    }

    /// Takes what is from here to there, if there is so much.
    fn take(&self, from: usize, size: usize) -> *mut u8 {
        match from.checked_add(size) {
            Some(end) if end <= ARENA => {
                self.used.set(end);
                self.start().wrapping_add(from)
            }
            _ => null_mut(),
        }
    }
}

// SAFETY: what is handed out is aligned, within the memory, and overlaps nothing else that is still out.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let free = self.start().wrapping_add(self.used.get());
        self.take(self.used.get() + free.align_offset(layout.align()), layout.size())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if let Some(from) = self.last(block, layout.size()) {
            self.used.set(from);
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if let Some(from) = self.last(block, layout.size()) {
            return self.take(from, size);
        }
        // SAFETY: the caller vouches for the size, and the alignment is that of the layout.
        let layout_of_new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: the caller vouches that the size is not 0.
        let new = unsafe { self.alloc(layout_of_new) };
        if !new.is_null() {
            // SAFETY: both blocks have so many bytes, and do not overlap.
            unsafe { new.copy_from_nonoverlapping(block, size.min(layout.size())) };
        }
        new
    }
}
