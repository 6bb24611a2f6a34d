//! Linux, by its system calls alone.

use core::arch::{asm, global_asm};
use core::panic::PanicInfo;

use deniable::Entropy;
use deniable::sample::{Error, Result};

pub(crate) const ARENA: usize = 1 << 14;

/// The kernel's generator, asked for every draw.
pub(crate) struct Platform;

impl Entropy for Platform {
    fn fill(&mut self, words: &mut [u64]) -> Result<()> {
        // The kernel fills requests of up to 256 bytes as a whole.
        for words in words.chunks_mut(32) {
            let length = size_of_val(words);
            // SAFETY: the kernel writes at most `length` bytes, which are those of `words`.
            let filled = unsafe { system_call(GETRANDOM, words.as_mut_ptr().addr(), length, 0) };
            if filled != length as isize {
                return Err(Error::entropy_unavailable());
            }
        }
        Ok(())
    }
}

#[cfg(target_arch = "x86_64")]
const GETRANDOM: usize = 318;
#[cfg(target_arch = "x86_64")]
const EXIT: usize = 60;
#[cfg(target_arch = "aarch64")]
const GETRANDOM: usize = 278;
#[cfg(target_arch = "aarch64")]
const EXIT: usize = 93;

/// # Safety
///
/// The arguments are what this call of the kernel takes, and it writes only where it may.
#[cfg(target_arch = "x86_64")]
unsafe fn system_call(number: usize, a: usize, b: usize, c: usize) -> isize {
    let result;
    // SAFETY: the caller vouches for the call; the kernel changes no other registers than these.
    unsafe {
        asm!("syscall", inlateout("rax") number => result, in("rdi") a, in("rsi") b, in("rdx") c,
            lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    result
}

/// # Safety
///
/// The arguments are what this call of the kernel takes, and it writes only where it may.
#[cfg(target_arch = "aarch64")]
unsafe fn system_call(number: usize, a: usize, b: usize, c: usize) -> isize {
    let result;
    // SAFETY: the caller vouches for the call; the kernel changes no other registers than this.
    unsafe {
        asm!("svc 0", in("x8") number, inlateout("x0") a => result, in("x1") b, in("x2") c,
            options(nostack));
    }
    result
}

// The stack is aligned as a function of C has it.
#[cfg(target_arch = "x86_64")]
global_asm!(".globl _start", "_start: xor ebp, ebp", "and rsp, -16", "call {}", "ud2", sym start);
#[cfg(target_arch = "aarch64")]
global_asm!(".globl _start", "_start: mov x29, #0", "bl {}", "brk #1", sym start);

extern "C" fn start() -> ! {
    end(crate::status() as usize)
}

fn end(status: usize) -> ! {
    // SAFETY: it takes a number, and does not come back.
    unsafe { system_call(EXIT, status, 0, 0) };
    loop {
        core::hint::spin_loop();
    }
}

const PANICKED: usize = 101;

#[panic_handler]
fn panicked(_: &PanicInfo<'_>) -> ! {
    end(PANICKED)
}

/// What the compiler calls by name, where there is no C library. The crates of the compiler have them, weakly, on such targets only.
mod memory {
    use core::ffi::{c_int, c_void};

    /// # Safety
    ///
    /// As in C.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn memcpy(
        to: *mut c_void,
        from: *const c_void,
        length: usize,
    ) -> *mut c_void {
        let (out, from) = (to.cast::<u8>(), from.cast::<u8>());
        let mut i = 0;
        while i < length {
            // SAFETY: within both, which the caller vouches for. Volatile, lest it become a call of itself.
            unsafe { out.add(i).write_volatile(from.add(i).read()) };
            i += 1;
        }
        to
    }

    /// # Safety
    ///
    /// As in C.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn memmove(
        to: *mut c_void,
        from: *const c_void,
        length: usize,
    ) -> *mut c_void {
        if to.addr().wrapping_sub(from.addr()) >= length {
            // SAFETY: what is read is not yet overwritten.
            return unsafe { memcpy(to, from, length) };
        }
        let (out, from) = (to.cast::<u8>(), from.cast::<u8>());
        let mut i = length;
        while i > 0 {
            i -= 1;
            // SAFETY: as for `memcpy`.
            unsafe { out.add(i).write_volatile(from.add(i).read()) };
        }
        to
    }

    /// # Safety
    ///
    /// As in C.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn memset(to: *mut c_void, byte: c_int, length: usize) -> *mut c_void {
        let out = to.cast::<u8>();
        let mut i = 0;
        while i < length {
            // SAFETY: as for `memcpy`.
            unsafe { out.add(i).write_volatile(byte as u8) };
            i += 1;
        }
        to
    }

    /// # Safety
    ///
    /// As in C.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn memcmp(a: *const c_void, b: *const c_void, length: usize) -> c_int {
        let (a, b) = (a.cast::<u8>(), b.cast::<u8>());
        let mut i = 0;
        while i < length {
            // SAFETY: within both, which the caller vouches for.
            let (a, b) = unsafe { (a.add(i).read_volatile(), b.add(i).read_volatile()) };
            if a != b {
                return c_int::from(a) - c_int::from(b);
            }
            i += 1;
        }
        0
    }

    /// # Safety
    ///
    /// As in C.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn bcmp(a: *const c_void, b: *const c_void, length: usize) -> c_int {
        // SAFETY: the caller vouches for it.
        unsafe { memcmp(a, b, length) }
    }
}

/// What the library's compiled parts name for unwinding. Here a panic ends the program, and nothing unwinds.
mod unwinding {
    #[unsafe(no_mangle)]
    extern "C" fn rust_eh_personality() -> ! {
        super::end(super::PANICKED)
    }

    #[unsafe(no_mangle)]
    extern "C" fn _Unwind_Resume() -> ! {
        super::end(super::PANICKED)
    }
}
