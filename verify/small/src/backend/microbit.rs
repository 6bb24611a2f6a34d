//! A BBC micro:bit without an operating system: a Cortex-M0, which has no atomic instructions, and a generator that makes a byte at a time of
//! thermal noise and says that all are as likely. What the program says goes through a debugger (semihosting).

use core::arch::{asm, global_asm};
use core::ffi::CStr;
use core::panic::PanicInfo;
use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

use deniable::Entropy;
use deniable::sample::{Error, Result};

pub(crate) const ARENA: usize = 3 << 10;

/// The chip's generator, asked for every draw.
pub(crate) struct Platform;

impl Entropy for Platform {
    fn fill(&mut self, words: &mut [u64]) -> Result<()> {
        set(CONFIG, CORRECT_BIAS);
        if !cfg!(feature = "planted-silent") {
            set(START, 1);
        }
        let filled = words.iter_mut().try_for_each(|word| {
            let mut bytes = [0; 8];
            bytes.iter_mut().try_for_each(|byte| next().map(|next| *byte = next))?;
            *word = u64::from_le_bytes(bytes);
            Ok(())
        });
        set(STOP, 1);
        filled
    }
}

/// The generator's next byte. It takes less than a millisecond; one that takes seconds is broken.
fn next() -> Result<u8> {
    set(READY, 0);
    for _ in 0..1 << 22 {
        if get(READY) != 0 {
            return Ok(get(VALUE) as u8);
        }
    }
    Err(Error::entropy_unavailable())
}

// The registers of the generator, RNG in the nRF51 Series Reference Manual.
const START: usize = 0x4000_d000;
const STOP: usize = 0x4000_d004;
const READY: usize = 0x4000_d100;
const CONFIG: usize = 0x4000_d504;
const VALUE: usize = 0x4000_d508;
const CORRECT_BIAS: u32 = 1;

fn set(register: usize, value: u32) {
    // SAFETY: called for the generator's registers alone, which stand for no memory.
    unsafe { with_exposed_provenance_mut::<u32>(register).write_volatile(value) }
}

fn get(register: usize) -> u32 {
    // SAFETY: as for `set`.
    unsafe { with_exposed_provenance::<u32>(register).read_volatile() }
}

// Where the processor looks when it starts: the stack, and what to run; then what to run if something goes wrong.
global_asm!(
    ".section .vectors, \"a\"",
    ".word STACK",
    ".word {start}",
    ".word fault",
    ".word fault",
    ".text",
    ".thumb_func",
    // The stack is begun anew: it may be what was too long.
    "fault: ldr r0, =STACK",
    "mov sp, r0",
    "bl {fault}",
    ".pool",
    start = sym start,
    fault = sym fault,
);

unsafe extern "C" {
    /// Where what is zero at first begins, and where it ends: names of places, whose values nobody asks for.
    static mut ZERO: u32;
    static mut ZERO_END: u32;
}

extern "C" fn start() -> ! {
    if cfg!(feature = "planted-greedy") {
        core::hint::black_box([0u8; 1 << 13]);
    }
    let (mut at, end_of) = (&raw mut ZERO, &raw mut ZERO_END);
    while at < end_of {
        // SAFETY: between the two ends is memory that nothing refers to before this. Volatile, lest it become a call that counts on it.
        unsafe { at.write_volatile(0) };
        at = at.wrapping_add(1);
    }
    match crate::status() {
        0 => end(SUCCESS),
        1 => fail(c"an answer is not as it must be\n"),
        _ => fail(c"an answer was refused\n"),
    }
}

extern "C" fn fault() -> ! {
    fail(c"a fault, as when more memory is used than there is\n")
}

#[panic_handler]
fn panicked(_: &PanicInfo<'_>) -> ! {
    fail(c"a panic\n")
}

fn fail(why: &CStr) -> ! {
    debugger(SAY, why.as_ptr().addr());
    end(FAILURE)
}

fn end(why: usize) -> ! {
    loop {
        debugger(END, why);
    }
}

// Semihosting for AArch32 and AArch64, release 3.0.
const SAY: usize = 0x04;
const END: usize = 0x18;
const SUCCESS: usize = 0x2_0026;
const FAILURE: usize = 0x2_0023;

/// Asks the debugger, for which the processor stops here.
fn debugger(request: usize, about: usize) {
    // SAFETY: it reads a text that ends with 0, or nothing, and writes no memory.
    unsafe { asm!("bkpt 0xab", inout("r0") request => _, in("r1") about, options(nostack)) };
}
