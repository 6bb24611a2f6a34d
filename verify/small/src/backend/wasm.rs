//! A page, or whatever else runs WebAssembly: the host calls `status`, and gives entropy.

use core::ffi::c_int;
use core::panic::PanicInfo;

use deniable::Entropy;
use deniable::sample::{Error, Result};

pub(crate) const ARENA: usize = 1 << 14;

/// The host's generator, asked for every draw.
pub(crate) struct Platform;

#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Fills so many bytes from there, or none and returns something else than 0.
    fn entropy(bytes: *mut u8, length: usize) -> c_int;
}

impl Entropy for Platform {
    fn fill(&mut self, words: &mut [u64]) -> Result<()> {
        // SAFETY: the host writes at most so many bytes, which are those of `words`.
        match unsafe { entropy(words.as_mut_ptr().cast(), size_of_val(words)) } {
            0 => Ok(()),
            _ => Err(Error::entropy_unavailable()),
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn status() -> c_int {
    crate::status()
}

#[panic_handler]
fn panicked(_: &PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
